//! A scan by several threads: row groups of all files at once, batches in file order.
//!
//! Work comes in units with a place in that order: opening a file, then reading each of its row groups,
//! which opening makes known. Workers always take the first unit that waits; the consumer receives
//! from the first unit that is not yet consumed. At most [`AHEAD`] units a worker are open at a time,
//! except that what comes before all of those may always start: so the unit that the consumer
//! waits for is being worked on, and memory is bounded by units times [`BATCHES`].
//!
//! An error ends the scan; dropping it, too. Workers notice when they next hand over a batch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, Sender, bounded};
use lith_format::error::{Error, Result};
use lith_format::vector::Batch;

use crate::column::ReadContext;
use crate::prune::Kept;
use crate::query::Query;
use crate::row_filter::RowGroupScan;
use crate::table_file::{TableFile, Task};

/// Units that may be open for each worker.
const AHEAD: usize = 2;
/// Batches that a unit may hold ready.
const BATCHES: usize = 4;

/// Batches in file order, made by threads of its own.
pub(crate) struct Parallel {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

struct Shared {
    query: Arc<Query>,
    context: ReadContext,
    board: Mutex<Board>,
    changed: Condvar,
    most_open: usize,
}

#[derive(Default)]
struct Board {
    units: BTreeMap<Place, Unit>,
    /// Those that no worker has begun; a file may have very many.
    waiting: BTreeSet<Place>,
    stopped: bool,
}

/// A task's number, then 0 for opening it and from 1 on its row groups.
type Place = (usize, usize);

struct Unit {
    state: State,
    batches: Receiver<Result<Batch>>,
}

enum State {
    Waiting(Job, Sender<Result<Batch>>),
    Running,
    Done,
}

enum Job {
    Open(Task),
    Read(Arc<TableFile>, Kept),
}

impl Parallel {
    pub(crate) fn new(tasks: Vec<Task>, query: Arc<Query>, context: &ReadContext) -> Result<Self> {
        let threads = query.spec.threads;
        let shared = Arc::new(Shared {
            query,
            context: context.clone(),
            board: Mutex::default(),
            changed: Condvar::new(),
            most_open: threads * AHEAD,
        });
        let opening = tasks
            .into_iter()
            .enumerate()
            .map(|(number, task)| ((number, 0), Job::Open(task)));
        shared.post(opening);
        let mut scan = Parallel {
            shared,
            workers: Vec::new(),
        };
        for number in 0..threads {
            let shared = Arc::clone(&scan.shared);
            let worker = std::thread::Builder::new().name(format!("lith-scan-{number}"));
            let worker = worker.spawn(move || shared.work());
            scan.workers
                .push(worker.map_err(|error| {
                    Error::invalid("no thread to scan with").with_source(error)
                })?);
        }
        Ok(scan)
    }

    /// The next batch, `None` at the end. After an error there is nothing more.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some((place, batches)) = self.shared.first() else {
                return Ok(None);
            };
            match batches.recv() {
                Ok(batch) => return batch.map(Some).inspect_err(|_| self.shared.stop()),
                Err(_) => self.shared.retire(place)?,
            }
        }
    }
}

impl Drop for Parallel {
    fn drop(&mut self) {
        self.shared.stop();
        for worker in self.workers.drain(..) {
            // a panic was reported by the worker's unit, which was left incomplete
            let _ = worker.join();
        }
    }
}

impl Board {
    fn add(&mut self, place: Place, state: State, batches: Receiver<Result<Batch>>) {
        self.units.insert(place, Unit { state, batches });
        self.waiting.insert(place);
    }

    /// The first unit that waits, if it may start: fewer than `most_open` are open, or none before it.
    fn next(&self, most_open: usize) -> Option<Place> {
        let place = *self.waiting.first()?;
        let open = self.units.len() - self.waiting.len();
        let is_first = self.units.first_key_value()?.0 == &place;
        (is_first || open < most_open).then_some(place)
    }
}

impl Shared {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn post(&self, jobs: impl Iterator<Item = (Place, Job)>) {
        let mut board = self.board();
        for (place, job) in jobs {
            let (sender, batches) = bounded(BATCHES);
            board.add(place, State::Waiting(job, sender), batches);
        }
        self.changed.notify_all();
    }

    /// The unit whose batches come next.
    fn first(&self) -> Option<(Place, Receiver<Result<Batch>>)> {
        let board = self.board();
        let (place, unit) = board.units.first_key_value()?;
        Some((*place, unit.batches.clone()))
    }

    /// Takes a unit off the board whose worker hung up.
    fn retire(&self, place: Place) -> Result<()> {
        let mut board = self.board();
        let unit = board.units.remove(&place);
        self.changed.notify_all();
        match unit.map(|unit| unit.state) {
            Some(State::Done) => Ok(()),
            _ => {
                board.stopped = true;
                Err(Error::invalid("a thread of the scan panicked"))
            }
        }
    }

    /// Ends the scan: no unit starts any more, and batches that workers send are dropped.
    fn stop(&self) {
        let mut board = self.board();
        board.stopped = true;
        board.units.clear();
        board.waiting.clear();
        self.changed.notify_all();
    }

    /// The first job that waits and may start; `None` when there will be no more.
    fn take(&self) -> Option<(Place, Job, Sender<Result<Batch>>)> {
        let mut board = self.board();
        loop {
            if board.stopped {
                return None;
            }
            match board.next(self.most_open) {
                None if board.units.is_empty() => return None,
                Some(place) => {
                    board.waiting.remove(&place);
                    let unit = board.units.get_mut(&place)?;
                    match std::mem::replace(&mut unit.state, State::Running) {
                        State::Waiting(job, sender) => return Some((place, job, sender)),
                        other => unit.state = other,
                    }
                }
                _ => {
                    board = self
                        .changed
                        .wait(board)
                        .unwrap_or_else(PoisonError::into_inner)
                }
            }
        }
    }

    fn work(&self) {
        while let Some((place, job, sender)) = self.take() {
            match job {
                Job::Open(task) => self.open(place, task, &sender),
                Job::Read(file, kept) => self.read(file, kept, &sender),
            }
            if let Some(unit) = self.board().units.get_mut(&place) {
                unit.state = State::Done;
            }
            self.changed.notify_all();
        }
    }

    /// Opens a file and posts its row groups.
    fn open(&self, (number, _): Place, task: Task, sender: &Sender<Result<Batch>>) {
        match task.begin(&self.query, &self.context.metrics) {
            Ok((file, kept)) => {
                self.post(kept.into_iter().enumerate().map(|(index, kept)| {
                    ((number, index + 1), Job::Read(Arc::clone(&file), kept))
                }));
            }
            Err(error) => {
                // sending fails only when the scan is over
                let _ = sender.send(Err(error));
            }
        }
    }

    fn read(&self, file: Arc<TableFile>, kept: Kept, sender: &Sender<Result<Batch>>) {
        let wanted = self.query.spec.limit.unwrap_or(u64::MAX);
        let mut scan = match RowGroupScan::new(file, kept, self.context.clone()) {
            Ok(scan) => scan,
            Err(error) => {
                let _ = sender.send(Err(error));
                return;
            }
        };
        while let Some(batch) = scan.next_batch(wanted).transpose() {
            let failed = batch.is_err();
            if sender.send(batch).is_err() || failed {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board on which units `0..count` wait.
    fn board(count: usize) -> Board {
        let mut board = Board::default();
        for index in 0..count {
            let (_, batches) = bounded(BATCHES);
            board.add((0, index), State::Running, batches);
        }
        board
    }

    #[test]
    fn units_start_in_order_and_few_at_a_time() {
        let mut board = board(4);
        for index in 0..2 {
            assert_eq!(board.next(2), Some((0, index)));
            board.waiting.remove(&(0, index));
        }
        assert_eq!(board.next(2), None);
        board.units.remove(&(0, 0));
        assert_eq!(board.next(2), Some((0, 2)));
        board.waiting.remove(&(0, 2));
        let (_, batches) = bounded(BATCHES);
        board.add((0, 0), State::Running, batches);
        assert_eq!(board.next(2), Some((0, 0)), "others wait for the first");
    }

    #[test]
    fn many_units_are_not_walked_for_each() {
        let mut board = board(100_000);
        for index in 0..100_000 {
            assert_eq!(board.next(1), Some((0, index)));
            board.waiting.remove(&(0, index));
            board.units.remove(&(0, index));
        }
        assert_eq!(board.next(1), None);
    }
}
