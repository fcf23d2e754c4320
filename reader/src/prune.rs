//! Decides by statistics which row groups of a file are read.
//!
//! Filters name leaves of the table; each is mapped to the file's own leaf.

mod strides;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use lith_format::bind;
use lith_format::error::Result;
use lith_format::filter::Verdict;
use lith_format::schema::LeafId;
use lith_format::stats::ColumnStats;

use crate::metrics::{Metrics, Stage, Timer};
use crate::query::Query;
use crate::table_file::{TableFile, Task};

/// A row group that may hold wanted rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) row_group: usize,
    /// Whether its rows must be filtered.
    pub(crate) filtered: bool,
}

impl Task {
    /// Opens the file, and decides which of its row groups to read.
    pub(crate) fn begin(
        self,
        query: &Arc<Query>,
        metrics: &Metrics,
    ) -> Result<(Arc<TableFile>, Vec<Kept>)> {
        let timer = Timer::start();
        let file = self.open(query)?;
        let kept = file.prune(metrics);
        timer.stop(metrics, Stage::Open);
        Ok((Arc::new(file), kept))
    }
}

impl TableFile {
    /// The row groups to read, in order.
    pub(crate) fn prune(&self, metrics: &Metrics) -> Vec<Kept> {
        let mut kept = Vec::with_capacity(self.row_groups.len());
        for &row_group in &self.row_groups {
            let filtered = match self.judge(row_group) {
                Verdict::Never => {
                    metrics.row_groups_pruned.add(1);
                    continue;
                }
                Verdict::Maybe => true,
                Verdict::Always => {
                    metrics.row_groups_always.add(1);
                    false
                }
            };
            kept.push(Kept {
                row_group,
                filtered,
            });
        }
        kept
    }

    fn judge(&self, row_group: usize) -> Verdict {
        if !self.query.spec.prune {
            return Verdict::Maybe;
        }
        let rows = self.file.rows_of(row_group);
        let asked = Asked::new(&self.query.filter_leaves);
        self.query.spec.filter.judge(&|leaf| {
            asked.get(leaf, || {
                let of_file = |leaf| self.stats(row_group, leaf);
                bind::stats(&self.leaves, leaf, (rows, of_file), &self.partition)
            })
        })
    }

    /// Statistics that cannot be decoded prove nothing: the error comes when the chunk is read.
    fn stats(&self, row_group: usize, leaf: LeafId) -> Option<Cow<'_, ColumnStats>> {
        let chunk = self.file.chunk(row_group, leaf).ok()??;
        Some(Cow::Owned(chunk.stats))
    }
}

/// Statistics of the leaves of a filter in one row group: each leaf's are decoded once, however often the
/// filter names it.
struct Asked<'a> {
    /// Ascending.
    leaves: &'a [LeafId],
    known: Vec<OnceCell<Option<Cow<'a, ColumnStats>>>>,
}

impl<'a> Asked<'a> {
    fn new(leaves: &'a [LeafId]) -> Self {
        Asked {
            leaves,
            known: leaves.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    fn get(
        &self,
        leaf: LeafId,
        decode: impl FnOnce() -> Option<Cow<'a, ColumnStats>>,
    ) -> Option<Cow<'_, ColumnStats>> {
        let index = self.leaves.binary_search(&leaf).ok()?;
        let known = self.known.get(index)?.get_or_init(decode);
        known.as_deref().map(Cow::Borrowed)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use lith_format::scalar::Scalar;

    use super::*;

    #[test]
    fn statistics_are_decoded_once_and_only_if_they_are_asked_for() {
        let leaves = [1, 4].map(LeafId);
        let asked = Asked::new(&leaves);
        let decoded = Cell::new(0);
        let constant = |value| {
            decoded.set(decoded.get() + 1);
            Some(Cow::Owned(ColumnStats::constant(&Scalar::Int(value), 3)))
        };
        let min = |leaf: u32| {
            let stats = asked.get(LeafId(leaf), || constant(i64::from(leaf)))?;
            Some(stats.min.clone()?.value)
        };
        for _ in 0..3 {
            assert_eq!(min(4), Some(Scalar::Int(4)));
        }
        assert_eq!((decoded.get(), min(2)), (1, None));
        assert_eq!(
            (min(1), min(1)),
            (Some(Scalar::Int(1)), Some(Scalar::Int(1)))
        );
        assert_eq!(decoded.get(), 2);
        assert!(asked.get(LeafId(4), || None).is_some());
    }
}
