//! Which row groups of a file need to be looked at, by their statistics.
//!
//! Filters speak of the table's leaves; each is looked up where the file has it.

use std::borrow::Cow;

use lith_format::bind;
use lith_format::filter::Verdict;
use lith_format::schema::LeafId;
use lith_format::stats::ColumnStats;

use crate::metrics::Metrics;
use crate::table_file::TableFile;

/// A row group that may hold wanted rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) row_group: usize,
    /// Whether its rows must be filtered.
    pub(crate) filtered: bool,
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
        self.query.spec.filter.judge(&|leaf| {
            let of_file = |leaf| self.stats(row_group, leaf);
            bind::stats(&self.leaves, leaf, (rows, of_file), &self.partition)
        })
    }

    /// Statistics that cannot be decoded prove nothing: whoever reads the chunk says what is wrong.
    fn stats(&self, row_group: usize, leaf: LeafId) -> Option<Cow<'_, ColumnStats>> {
        Some(match self.file.chunk(row_group, leaf).ok()?? {
            Cow::Borrowed(chunk) => Cow::Borrowed(&chunk.stats),
            Cow::Owned(chunk) => Cow::Owned(chunk.stats),
        })
    }
}
