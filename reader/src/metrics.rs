//! Counters of a scan: what was skipped, what was read, and how long it took.

mod stage;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) use stage::Timer;
pub use stage::{Stage, StageTimes};

/// What a scan did so far. Shared by all of its threads.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Bytes fetched from the source, footers excluded.
    pub bytes_read: Counter,
    /// Bytes that decompression produced.
    pub bytes_decompressed: Counter,
    /// Data pages (Parquet) whose values were decoded.
    pub pages_decoded: Counter,
    /// Values decoded, nulls included, over all leaves.
    pub values_decoded: Counter,
    /// Row groups opened.
    pub row_groups_read: Counter,
    /// Row groups that were ruled out: by statistics, or part by part.
    pub row_groups_pruned: Counter,
    /// Row groups whose rows were known to pass without being filtered.
    pub row_groups_always: Counter,
    /// Parts of other row groups that were ruled out: by the statistics of pages (Parquet) or strides (ORC), or by
    /// Bloom filters.
    pub strides_pruned: Counter,
    /// Rows of opened row groups, without those that the statistics of strides ruled out.
    pub rows_read: Counter,
    /// Rows that passed every predicate.
    pub rows_selected: Counter,
    /// How long each stage took.
    pub times: StageTimes,
}

impl Metrics {
    /// Adds the counters of another scan.
    pub fn add(&self, other: &Metrics) {
        for (sum, more) in self.counters().zip(other.counters()) {
            sum.add(more.get());
        }
    }

    /// All of them: a counter that is missing here does not compile.
    fn counters(&self) -> impl Iterator<Item = &Counter> {
        let Metrics {
            bytes_read,
            bytes_decompressed,
            pages_decoded,
            values_decoded,
            row_groups_read,
            row_groups_pruned,
            row_groups_always,
            strides_pruned,
            rows_read,
            rows_selected,
            times,
        } = self;
        let counters = [
            bytes_read,
            bytes_decompressed,
            pages_decoded,
            values_decoded,
            row_groups_read,
            row_groups_pruned,
            row_groups_always,
            strides_pruned,
            rows_read,
            rows_selected,
        ];
        counters.into_iter().chain(times.counters())
    }
}

/// A number that many threads add to.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds `amount`.
    pub fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Relaxed);
    }

    /// The sum so far.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_is_added() {
        let (sum, more) = (Metrics::default(), Metrics::default());
        more.counters().for_each(|counter| counter.add(3));
        (0..2).for_each(|_| sum.add(&more));
        assert!(sum.counters().all(|counter| counter.get() == 6));
        assert_eq!(sum.strides_pruned.get(), 6);
        assert_eq!(sum.times.total().as_nanos(), 6 * Stage::ALL.len() as u128);
    }
}
