//! Decides by the statistics of strides and by Bloom filters which rows of a row group have to be read.
//!
//! ```text
//! a = 7    strides of a   0..40 no | 40..80 maybe      | 80..100 no
//! b > 3    strides of b   0..50 maybe      | 50..100 no
//! a AND b                 no       | maybe | no        | no           rows 40..50 are read
//! ```
//! The strides of all leaves cut the row group into parts. Each part lies in one stride of every leaf and is judged
//! by their statistics and Bloom filters, which are valid for it, too.
// spec: PageIndex.md; BloomFilter.md; ORCv1.md, "Row Group Index", "Bloom Filter Index"

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use lith_format::bind::{self, LeafSource};
use lith_format::filter::Verdict;
use lith_format::scalar::Scalar;
use lith_format::schema::LeafId;
use lith_format::stats::ColumnStats;

use crate::column::{Bloom, Stride};
use crate::metrics::Metrics;
use crate::selection::Selection;
use crate::table_file::TableFile;

impl TableFile {
    /// The rows of a row group that may pass, as far as strides tell.
    pub(crate) fn candidates(&self, row_group: usize, rows: usize, metrics: &Metrics) -> Selection {
        if !self.query.spec.prune {
            return Selection::all(rows);
        }
        let strides = Strides::new(self, row_group, rows as u64);
        let cuts = strides.cuts(rows as u64);
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut ruled_out = 0;
        for pair in cuts.windows(2) {
            let part = pair[0] as usize..pair[1] as usize;
            if strides.judge(pair[0]..pair[1]) == Verdict::Never {
                ruled_out += 1;
                continue;
            }
            match runs.last_mut() {
                Some(last) if last.end == part.start => last.end = part.end,
                _ => runs.push(part),
            }
        }
        match runs.is_empty() && ruled_out > 0 {
            true => metrics.row_groups_pruned.add(1),
            false => metrics.strides_pruned.add(ruled_out),
        }
        Selection::from_runs(rows, runs)
    }
}

/// What is known of the leaves of a filter in one row group.
struct Strides<'a> {
    table: &'a TableFile,
    row_group: usize,
    /// In ascending order.
    leaves: &'a [LeafId],
    /// For each of the leaves.
    known: Vec<Known>,
}

/// What is known of a leaf.
struct Known {
    /// In ascending order; the row group is the only one if the leaf has no indexes.
    strides: Vec<Stride>,
    /// In ascending order; read when a condition asks for a value that the bounds do not rule out.
    blooms: OnceCell<Vec<Bloom>>,
}

impl<'a> Strides<'a> {
    /// Indexes that cannot be read or decoded rule nothing out.
    fn new(table: &'a TableFile, row_group: usize, rows: u64) -> Self {
        let leaves = &table.query.filter_leaves;
        let known = leaves.iter().map(|leaf| Known {
            strides: match table.leaves.get(leaf.index()) {
                Some(LeafSource::File(leaf)) => strides(table, row_group, rows, *leaf),
                _ => Vec::new(),
            },
            blooms: OnceCell::new(),
        });
        Strides {
            table,
            row_group,
            leaves,
            known: known.collect(),
        }
    }

    /// The starts of the strides of all leaves, and the end of the row group.
    fn cuts(&self, rows: u64) -> Vec<u64> {
        let starts = self.known.iter().flat_map(|known| &known.strides);
        let starts = starts.map(|stride| stride.rows.start.min(rows));
        let mut cuts: Vec<u64> = starts.chain([0, rows]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    fn judge(&self, rows: Range<u64>) -> Verdict {
        let stats = |leaf| {
            let of_file = |_| self.stats(leaf, &rows).map(Cow::Borrowed);
            let of_file = (rows.end - rows.start, of_file);
            bind::stats(&self.table.leaves, leaf, of_file, &self.table.partition)
        };
        let lacks = |leaf, value: &Scalar| self.lacks(leaf, &rows, value);
        self.table.query.spec.filter.judge_with(&stats, &lacks)
    }

    fn known(&self, leaf: LeafId) -> Option<&Known> {
        self.known.get(self.leaves.binary_search(&leaf).ok()?)
    }

    /// The statistics of the stride of a leaf that has all of these rows.
    fn stats(&self, leaf: LeafId, rows: &Range<u64>) -> Option<&ColumnStats> {
        let strides = &self.known(leaf)?.strides;
        Some(&holding(strides, rows, |stride| &stride.rows)?.stats)
    }

    /// Whether a Bloom filter rules out that a leaf has a value in these rows.
    fn lacks(&self, leaf: LeafId, rows: &Range<u64>, value: &Scalar) -> bool {
        let (Some(known), Some(LeafSource::File(in_file))) =
            (self.known(leaf), self.table.leaves.get(leaf.index()))
        else {
            return false;
        };
        let read = || self.table.file.blooms(self.row_group, *in_file);
        let blooms = known.blooms.get_or_init(|| read().unwrap_or_default());
        holding(blooms, rows, |bloom| &bloom.rows).is_some_and(|bloom| (bloom.lacks)(value))
    }
}

/// Of items in ascending order of their rows, the one that has all of these rows.
fn holding<'t, T>(items: &'t [T], rows: &Range<u64>, of: fn(&T) -> &Range<u64>) -> Option<&'t T> {
    let next = items.partition_point(|item| of(item).start <= rows.start);
    let item = items.get(next.checked_sub(1)?)?;
    (rows.end <= of(item).end).then_some(item)
}

/// The strides of a leaf of the file.
fn strides(table: &TableFile, row_group: usize, rows: u64, leaf: LeafId) -> Vec<Stride> {
    let strides = table.file.strides(row_group, leaf).unwrap_or_default();
    if !strides.is_empty() {
        return strides;
    }
    let whole = table.stats(row_group, leaf).map(|stats| Stride {
        rows: 0..rows,
        stats: stats.into_owned(),
    });
    whole.into_iter().collect()
}
