//! Which row groups of a file need to be looked at, by their statistics.
//!
//! Filters speak of the table's leaves; each is looked up where the file has it.

use lith_format::bind;
use lith_format::filter::Verdict;
use lith_format::meta::RowGroupMeta;

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
            let meta = &self.file.meta().row_groups[row_group];
            let filtered = match self.judge(meta) {
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

    fn judge(&self, meta: &RowGroupMeta) -> Verdict {
        if !self.query.spec.prune {
            return Verdict::Maybe;
        }
        let stats = |leaf| bind::stats(&self.leaves, leaf, meta, &self.partition);
        self.query.spec.filter.judge(&stats)
    }
}
