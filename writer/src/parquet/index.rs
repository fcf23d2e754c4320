//! Collects the bounds of a chunk's pages into its column index.
//!
//! A page of nulls has empty bounds and says so. If any other page has no bounds (all NaN, a type
//! without order, text that nothing short is above), the chunk has no column index at all, since the
//! lists must be whole.
// spec: parquet.thrift, ColumnIndex

use std::cmp::Ordering;

use lith_format::parquet::bound;
use lith_format::parquet::encoding::BoundaryOrder;
use lith_format::parquet::index::ColumnIndex;
use lith_format::parquet::schema::Leaf;
use lith_format::parquet::statistics::Statistics;
use lith_format::scalar::Scalar;

/// The column index of a chunk whose pages come one by one.
#[derive(Debug)]
pub(crate) struct IndexBuilder {
    index: ColumnIndex,
    nan_counts: Option<Vec<i64>>,
    last: Option<(Scalar, Scalar)>,
    ascending: bool,
    descending: bool,
    complete: bool,
}

impl Default for IndexBuilder {
    fn default() -> Self {
        IndexBuilder {
            index: ColumnIndex {
                null_pages: Vec::new(),
                min_values: Vec::new(),
                max_values: Vec::new(),
                boundary_order: BoundaryOrder::Unordered,
                null_counts: None,
                repetition_level_histograms: None,
                definition_level_histograms: None,
                nan_counts: None,
            },
            nan_counts: Some(Vec::new()),
            last: None,
            ascending: true,
            descending: true,
            complete: true,
        }
    }
}

impl IndexBuilder {
    /// Adds a page of `leaf`, whose written statistics these are.
    pub(crate) fn add(&mut self, page: &Statistics, all_null: bool, leaf: &Leaf) {
        let bounds = page.min_value.clone().zip(page.max_value.clone());
        self.complete &= all_null || bounds.is_some();
        if let Some((min, max)) = &bounds {
            self.compare(bound::decode(min, leaf).zip(bound::decode(max, leaf)));
        }
        let (min, max) = bounds.unwrap_or_default();
        self.index.null_pages.push(all_null);
        self.index.min_values.push(min.to_vec().into());
        self.index.max_values.push(max.to_vec().into());
        let nulls = page.null_count.unwrap_or(0);
        self.index.null_counts.get_or_insert_default().push(nulls);
        match (&mut self.nan_counts, page.nan_count) {
            (Some(counts), Some(nans)) => counts.push(nans),
            _ => self.nan_counts = None,
        }
    }

    fn compare(&mut self, next: Option<(Scalar, Scalar)>) {
        let Some(next) = next else {
            (self.ascending, self.descending) = (false, false);
            return;
        };
        if let Some((min, max)) = &self.last {
            let orders = [min.compare(&next.0), max.compare(&next.1)];
            let never = |wrong| orders.iter().all(|order| order.is_some_and(|o| o != wrong));
            self.ascending &= never(Ordering::Greater);
            self.descending &= never(Ordering::Less);
        }
        self.last = Some(next);
    }

    /// The index, if every page has what it needs.
    pub(crate) fn finish(mut self) -> Option<ColumnIndex> {
        self.index.nan_counts = self.nan_counts;
        self.index.boundary_order = match (self.ascending, self.descending) {
            (true, _) => BoundaryOrder::Ascending,
            (_, true) => BoundaryOrder::Descending,
            _ => BoundaryOrder::Unordered,
        };
        self.complete.then_some(self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::limits::Limits;
    use lith_format::parquet::schema;
    use lith_format::schema::{Field, Schema};
    use lith_format::types::LogicalType;

    fn page(min: i64, max: i64) -> Statistics {
        let bytes = |value: i64| Some((&value.to_le_bytes()).into());
        Statistics {
            min_value: bytes(min),
            max_value: bytes(max),
            null_count: Some(0),
            ..Statistics::default()
        }
    }

    /// Pages without bounds and with nulls are pages of nulls.
    fn index(pages: &[Statistics]) -> Option<ColumnIndex> {
        let schema = Schema::new(vec![Field::nullable("c", LogicalType::Int64)]);
        let elements = schema::encode(&schema).unwrap();
        let (_, leaves) = schema::decode(&elements, &Limits::default()).unwrap();
        let mut builder = IndexBuilder::default();
        for page in pages {
            builder.add(page, page.null_count > Some(0), &leaves[0]);
        }
        builder.finish()
    }

    #[test]
    fn order_skips_pages_of_nulls() {
        let nulls = Statistics {
            null_count: Some(4),
            ..Statistics::default()
        };
        let order = |pages: &[Statistics]| index(pages).unwrap().boundary_order;
        let up = [page(1, 5), nulls, page(1, 6)];
        assert_eq!(order(&up), BoundaryOrder::Ascending);
        assert_eq!(order(&[page(3, 5), page(2, 5)]), BoundaryOrder::Descending);
        assert_eq!(order(&[page(3, 5), page(2, 6)]), BoundaryOrder::Unordered);
        let index = index(&up).unwrap();
        assert_eq!(index.null_pages, [false, true, false]);
        assert!(index.min_values[1].is_empty());
        assert_eq!(index.null_counts, Some(vec![0, 4, 0]));
    }

    #[test]
    fn a_page_without_bounds_leaves_no_index() {
        let unknown = Statistics {
            null_count: Some(0),
            ..Statistics::default()
        };
        assert!(index(&[page(1, 2), unknown]).is_none());
    }
}
