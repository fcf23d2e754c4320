//! The stages of a scan, and how long each takes.
//!
//! ```text
//! file -> open -> row group -> read -> decompress -> levels -> decode -> filter -> gather -> batch
//!
//! decode  |----|              |---------|        a timer
//! read         |--------------|                  another, started meanwhile: its time counts once
//! ```
//! A [`Timer`] counts the time on its thread that no timer started after it counts. So the times of all stages
//! together never exceed the time that threads ran. Whatever is timed is done once a page, a chunk or a batch, or for
//! many rows at a time: never once a value.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::metrics::{Counter, Metrics};

/// What a scan spends time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Reading footers and indexes, and judging what they say.
    Open,
    /// Bringing the bytes of columns from the source, decrypting them, and verifying checksums.
    Read,
    /// Decompressing.
    Decompress,
    /// Decoding which rows hold a value, and how many values lists have. Of few rows at a time it counts as
    /// decoding.
    Levels,
    /// Decoding values, and skipping those between wanted ones.
    Decode,
    /// Asking predicates of rows.
    Filter,
    /// Moving decoded values to their places: between nulls, into lists and structs, out of rows that do not pass.
    Gather,
}

impl Stage {
    /// All of them, in the order of the data.
    pub const ALL: [Stage; 7] = [
        Stage::Open,
        Stage::Read,
        Stage::Decompress,
        Stage::Levels,
        Stage::Decode,
        Stage::Filter,
        Stage::Gather,
    ];

    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Open => "open",
            Stage::Read => "read",
            Stage::Decompress => "decompress",
            Stage::Levels => "levels",
            Stage::Decode => "decode",
            Stage::Filter => "filter",
            Stage::Gather => "gather",
        }
    }
}

/// How long each stage took, in nanoseconds.
#[derive(Debug, Default)]
pub struct StageTimes([Counter; Stage::ALL.len()]);

impl StageTimes {
    /// How long a stage took, on all threads together.
    pub fn get(&self, stage: Stage) -> Duration {
        Duration::from_nanos(self.counter(stage).get())
    }

    /// How long all stages took together.
    pub fn total(&self) -> Duration {
        Stage::ALL.iter().map(|&stage| self.get(stage)).sum()
    }

    fn counter(&self, stage: Stage) -> &Counter {
        &self.0[stage as usize]
    }

    /// One for each stage.
    pub(crate) fn counters(&self) -> impl Iterator<Item = &Counter> {
        self.0.iter()
    }
}

/// Rows at a time whose levels are not worth a timer.
const FEW_ROWS: usize = 1 << 10;

thread_local! {
    /// What timers counted on this thread since the last one that still runs was started, in nanoseconds.
    static COUNTED: Cell<u64> = const { Cell::new(0) };
}

/// Runs until it is stopped. One that an error leaves running counts nothing.
#[must_use = "it counts when it is stopped"]
pub(crate) struct Timer {
    start: Option<Instant>,
    /// What was counted before it was started.
    before: u64,
}

impl Timer {
    /// Starts it.
    pub(crate) fn start() -> Self {
        Timer {
            start: Some(Instant::now()),
            before: COUNTED.replace(0),
        }
    }

    /// One that counts nothing if it is for a few rows.
    pub(crate) fn of_rows(rows: usize) -> Self {
        match rows < FEW_ROWS {
            true => Timer {
                start: None,
                before: 0,
            },
            false => Timer::start(),
        }
    }

    /// Adds its time to a stage.
    pub(crate) fn stop(self, metrics: &Metrics, stage: Stage) {
        let Some(start) = self.start else {
            return;
        };
        let elapsed = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let counted = COUNTED.replace(self.before.saturating_add(elapsed));
        let own = elapsed.saturating_sub(counted);
        metrics.times.counter(stage).add(own);
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    const SHORT: Duration = Duration::from_millis(5);

    #[test]
    fn time_within_time_counts_once() {
        let metrics = Metrics::default();
        let began = Instant::now();
        let outer = Timer::start();
        for _ in 0..2 {
            let inner = Timer::start();
            let innermost = Timer::start();
            sleep(SHORT);
            innermost.stop(&metrics, Stage::Read);
            inner.stop(&metrics, Stage::Decode);
        }
        sleep(SHORT);
        outer.stop(&metrics, Stage::Filter);
        let elapsed = began.elapsed();
        assert!(metrics.times.get(Stage::Read) >= SHORT * 2);
        assert!(metrics.times.get(Stage::Filter) >= SHORT);
        assert!(metrics.times.total() >= SHORT * 3);
        assert!(metrics.times.total() <= elapsed);
        assert!(metrics.times.get(Stage::Decode) < metrics.times.get(Stage::Read));
        assert_eq!(metrics.times.get(Stage::Open), Duration::ZERO);
    }

    #[test]
    fn timers_that_an_error_left_running_do_not_count() {
        let metrics = Metrics::default();
        drop((Timer::start(), Timer::start()));
        let began = Instant::now();
        let timer = Timer::start();
        sleep(SHORT);
        timer.stop(&metrics, Stage::Decode);
        let counted = metrics.times.get(Stage::Decode);
        assert!((SHORT..=began.elapsed()).contains(&counted));
        assert_eq!(metrics.times.total(), counted);
    }

    #[test]
    fn few_rows_are_not_timed() {
        let metrics = Metrics::default();
        for rows in [0, FEW_ROWS - 1, FEW_ROWS] {
            let timer = Timer::of_rows(rows);
            sleep(SHORT);
            timer.stop(&metrics, Stage::Levels);
            let counted = metrics.times.get(Stage::Levels);
            assert_eq!(counted > Duration::ZERO, rows == FEW_ROWS);
        }
    }

    #[test]
    fn stages_are_known_by_their_places() {
        let names: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
        let places: Vec<usize> = Stage::ALL.iter().map(|&stage| stage as usize).collect();
        assert_eq!(places, [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(
            names.join(" "),
            "open read decompress levels decode filter gather"
        );
    }
}
