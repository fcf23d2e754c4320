//! Decides by the statistics of strides which rows of a row group have to be read.
//!
//! ```text
//! a = 7    strides of a   0..40 no | 40..80 maybe      | 80..100 no
//! b > 3    strides of b   0..50 maybe      | 50..100 no
//! a AND b                 no       | maybe | no        | no           rows 40..50 are read
//! ```
//! The strides of all leaves cut the row group into parts. Each part lies in one stride of every leaf and is judged
//! by their statistics, which are valid for it, too.
// spec: PageIndex.md; ORCv1.md, "Row Group Index"

use std::borrow::Cow;
use std::ops::Range;

use lith_format::bind::{self, LeafSource};
use lith_format::filter::Verdict;
use lith_format::schema::LeafId;
use lith_format::stats::ColumnStats;

use crate::column::Stride;
use crate::metrics::Metrics;
use crate::selection::Selection;
use crate::table_file::TableFile;

impl TableFile {
    /// The rows of a row group that may pass the filter, as far as the statistics of strides tell.
    pub(crate) fn candidates(&self, row_group: usize, rows: usize, metrics: &Metrics) -> Selection {
        if !self.query.spec.prune {
            return Selection::all(rows);
        }
        let strides = Strides::new(self, row_group);
        let cuts = strides.cuts(rows as u64);
        if cuts.len() <= 2 {
            // there is only one part, the row group, which has been judged already
            return Selection::all(rows);
        }
        let mut runs: Vec<Range<usize>> = Vec::new();
        for pair in cuts.windows(2) {
            let part = pair[0] as usize..pair[1] as usize;
            if strides.judge(self, pair[0]..pair[1]) == Verdict::Never {
                metrics.strides_pruned.add(1);
                continue;
            }
            match runs.last_mut() {
                Some(last) if last.end == part.start => last.end = part.end,
                _ => runs.push(part),
            }
        }
        Selection::from_runs(rows, runs)
    }
}

/// The strides of the leaves of a filter in one row group.
struct Strides<'a> {
    /// In ascending order.
    leaves: &'a [LeafId],
    /// For each of the leaves, in ascending order; none if they are not known.
    strides: Vec<Vec<Stride>>,
}

impl<'a> Strides<'a> {
    /// Indexes that cannot be read or decoded rule nothing out: the leaf then has no strides.
    fn new(table: &'a TableFile, row_group: usize) -> Self {
        let leaves = &table.query.filter_leaves;
        let strides = leaves
            .iter()
            .map(|leaf| match table.leaves.get(leaf.index()) {
                Some(LeafSource::File(leaf)) => {
                    table.file.strides(row_group, *leaf).unwrap_or_default()
                }
                _ => Vec::new(),
            });
        Strides {
            leaves,
            strides: strides.collect(),
        }
    }

    /// The starts of the strides of all leaves, and the end of the row group.
    fn cuts(&self, rows: u64) -> Vec<u64> {
        let starts = self.strides.iter().flatten();
        let starts = starts.map(|stride| stride.rows.start.min(rows));
        let mut cuts: Vec<u64> = starts.chain([0, rows]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    fn judge(&self, table: &TableFile, rows: Range<u64>) -> Verdict {
        table.query.spec.filter.judge(&|leaf| {
            let of_file = |_| self.find(leaf, &rows).map(Cow::Borrowed);
            let of_file = (rows.end - rows.start, of_file);
            bind::stats(&table.leaves, leaf, of_file, &table.partition)
        })
    }

    /// The statistics of the stride of a leaf that has all of these rows.
    fn find(&self, leaf: LeafId, rows: &Range<u64>) -> Option<&ColumnStats> {
        let strides = self.strides.get(self.leaves.binary_search(&leaf).ok()?)?;
        let next = strides.partition_point(|stride| stride.rows.start <= rows.start);
        let stride = strides.get(next.checked_sub(1)?)?;
        (rows.end <= stride.rows.end).then_some(&stride.stats)
    }
}
