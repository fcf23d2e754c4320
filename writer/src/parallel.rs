//! The columns of a row group, encoded by several threads: results come in the order of the columns,
//! so the bytes of a file do not depend on how many there were.

use crossbeam::queue::SegQueue;
use lith_format::error::Result;

/// Runs `f` on every item and returns the results in order, or the first error in that order.
pub(crate) fn map<T: Send, R: Send>(
    threads: usize,
    items: impl ExactSizeIterator<Item = T>,
    f: impl Fn(T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.map(f).collect();
    }
    let queue = SegQueue::new();
    items.enumerate().for_each(|item| queue.push(item));
    let work = || {
        let mut done = Vec::new();
        while let Some((index, item)) = queue.pop() {
            done.push((index, f(item)));
        }
        done
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            match other.join() {
                Ok(results) => done.extend(results),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::error::Error;

    #[test]
    fn results_keep_the_order_of_the_items() {
        for threads in [1, 2, 7] {
            let doubled = map(threads, 0..100, |item| Ok(item * 2)).unwrap();
            assert!(doubled.into_iter().eq((0..200).step_by(2)));
            let failed = map(threads, 0..100, |item| match item {
                0..30 => Ok(item),
                _ => Err(Error::invalid(format!("{item}"))),
            });
            assert_eq!(failed.unwrap_err().message(), "30");
        }
    }
}
