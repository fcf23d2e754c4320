//! The strides of a column in a stripe, by its row index.
//!
//! ```text
//! row index   an entry for every row_index_stride rows   ->  StrideMeta: rows, trusted statistics
//! ```
//! An index without an entry for each stride is an error, except below lists and maps, where entries do not
//! count rows.
// spec: ORCv1.md, "Row Group Index"

use crate::error::Result;
use crate::meta::StrideMeta;
use crate::orc::index::RowIndex;
use crate::orc::schema::Leaf;
use crate::orc::stats::{Trust, Writer};
use crate::orc::tail::Tail;
use crate::stats::Trusted;
use crate::types::LogicalType;

/// The strides of a leaf of type `ty` in a stripe of `rows` rows.
pub fn strides(
    tail: &Tail,
    index: &RowIndex,
    rows: u64,
    (leaf, ty): (&Leaf, &LogicalType),
) -> Result<Vec<StrideMeta>> {
    let stride = tail.footer.row_index_stride;
    if !leaf.repeated {
        index.validate(rows, stride)?;
    }
    let trust = Trust::new(leaf, ty, Writer::of(tail));
    let starts = (0..rows).step_by(usize::try_from(stride.max(1)).unwrap_or(usize::MAX));
    let entries = starts.zip(&index.entry).map(|(start, entry)| {
        let rows = start..rows.min(start.saturating_add(u64::from(stride)));
        let count = rows.end - rows.start;
        let Trusted { stats, distrust } = trust.check(entry.statistics.as_ref(), count);
        StrideMeta {
            rows,
            stats,
            distrust,
        }
    });
    Ok(entries.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::limits::Limits;
    use crate::orc::index::RowIndexEntry;
    use crate::orc::schema::{Dialect, FileSchema};
    use crate::orc::statistics::ColumnStatistics;
    use crate::orc::testing::{statistics, tail};
    use crate::scalar::Scalar;

    #[test]
    fn strides_have_bounds_of_their_own_and_the_last_one_may_be_short() {
        let mut tail = tail();
        tail.footer.row_index_stride = 9;
        let schema = FileSchema::decode(&tail.footer, Dialect::Orc, &Limits::default()).unwrap();
        let entry = |values| RowIndexEntry {
            positions: Vec::new(),
            statistics: Some(ColumnStatistics {
                number_of_values: Some(values),
                ..statistics().remove(1)
            }),
        };
        let leaf = (&schema.leaves[0], &LogicalType::Int32);
        let mut index = RowIndex {
            entry: vec![entry(8), entry(0)],
        };
        let found = strides(&tail, &index, 10, leaf).unwrap();
        let rows: Vec<_> = found.iter().map(|stride| stride.rows.clone()).collect();
        assert_eq!(rows, [0..9, 9..10]);
        assert_eq!(found[0].stats.min.as_ref().unwrap().value, Scalar::Int(1));
        assert_eq!(found[0].stats.null_count, Some(1));
        assert!(found[1].stats.all_null() && found[1].stats.min.is_none());
        index.entry.pop();
        let error = strides(&tail, &index, 10, leaf).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        index.entry.clear();
        tail.footer.row_index_stride = 0;
        assert_eq!(strides(&tail, &index, 10, leaf).unwrap(), []);
    }
}
