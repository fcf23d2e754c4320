//! The bytes of a stream as they are stored, fetched piece by piece as they are asked for.
//!
//! ```text
//! strides   | 0         | 1         | 2         |        a cut: where a stride begins, or the chunk that has its start
//! fetched               [ 1         [ * ]                only stride 1 is wanted: it ends in the chunk after its cut
//! ```
//! A piece ends at the next cut. One that begins at a cut, because reading went on beyond a stride, is first only as
//! long as the stride's last chunk or run may be. Cuts only decide how much is fetched at a time: whatever is asked
//! for is fetched. Pieces are short enough to be decoded before they leave the cache.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use lith_format::error::Result;

use crate::metrics::{Metrics, Stage, Timer};
use crate::source::Source;

/// How many bytes are fetched at least: less costs as much.
const LEAST: u64 = 1 << 12;

/// How many bytes are fetched at a time, unless more are asked for.
const MOST: u64 = 1 << 18;

/// The stored bytes of a stream, read from any place on.
#[derive(Clone)]
pub(crate) struct Stored {
    source: Arc<dyn Source>,
    metrics: Arc<Metrics>,
    /// Where the stream lies in the file.
    range: Range<u64>,
    /// Offsets in the stream, ascending.
    cuts: Arc<[u64]>,
    /// How many bytes a stride may at most continue beyond its cut.
    beyond: u64,
    /// What was fetched last, and its offset in the stream.
    piece: Bytes,
    start: u64,
    /// The offset of the next byte: in the piece, or at its end.
    at: u64,
    /// Whether it was sought, so that a cut there is the start of what is wanted.
    is_sought: bool,
}

impl Stored {
    /// The bytes in `range` of the file, of which nothing is fetched yet. A stride ends at most `beyond` bytes after
    /// the start of the next one.
    pub fn new(
        source: &Arc<dyn Source>,
        range: Range<u64>,
        beyond: u64,
        metrics: &Arc<Metrics>,
    ) -> Self {
        Stored {
            source: Arc::clone(source),
            metrics: Arc::clone(metrics),
            range,
            cuts: Arc::default(),
            beyond,
            piece: Bytes::new(),
            start: 0,
            at: 0,
            is_sought: true,
        }
    }

    /// The length of the stream.
    pub fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// The offset of the next byte.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// How many bytes there are from the next one on.
    pub fn left(&self) -> u64 {
        self.len() - self.at
    }

    /// Where the next byte lies in the file.
    pub fn position(&self) -> u64 {
        self.range.start + self.at
    }

    /// Sets where pieces end: ascending offsets in the stream.
    pub fn cut(&mut self, cuts: &Arc<[u64]>) {
        self.cuts = Arc::clone(cuts);
    }

    /// Moves to an offset that is not beyond the end.
    pub fn seek(&mut self, at: u64) {
        if at < self.start || at - self.start > self.piece.len() as u64 {
            (self.piece, self.start) = (Bytes::new(), at);
        }
        self.at = at;
        self.is_sought = true;
    }

    /// Moves back by `count` bytes that are held.
    pub fn back(&mut self, count: usize) {
        self.at -= count as u64;
    }

    /// Moves past `count` bytes that are held.
    pub fn advance(&mut self, count: usize) {
        self.at += count as u64;
        self.is_sought &= count == 0;
    }

    /// The bytes from the next one on, as far as they are held: at least `wanted`, or all there are.
    pub fn hold(&mut self, wanted: usize) -> Result<Bytes> {
        let wanted = (wanted as u64).min(self.left());
        if (self.held().len() as u64) < wanted {
            self.fetch(wanted)?;
        }
        Ok(self.held())
    }

    fn held(&self) -> Bytes {
        self.piece.slice((self.at - self.start) as usize..)
    }

    /// Makes a new piece, which begins with what is held and has at least `wanted` bytes. What is held is fetched
    /// again, and not counted again: it is less than what copying would move.
    fn fetch(&mut self, wanted: u64) -> Result<()> {
        let from = self.start + self.piece.len() as u64;
        let end = self.piece_end(from).max(self.at + wanted);
        let len = (end - self.at) as usize;
        // the old piece goes first, so that its memory serves again
        (self.piece, self.start) = (Bytes::new(), self.at);
        let timer = Timer::start();
        self.piece = self.source.read_at(self.position(), len)?;
        timer.stop(&self.metrics, Stage::Read);
        self.metrics.bytes_read.add(end - from);
        Ok(())
    }

    /// Where a piece ends that begins at `from`.
    fn piece_end(&self, from: u64) -> u64 {
        let len = self.len();
        let next = self.cuts.partition_point(|&cut| cut <= from);
        let is_cut = next > 0 && self.cuts[next - 1] == from;
        let most = match is_cut && !self.is_sought {
            true => self.beyond.min(MOST),
            false => MOST,
        };
        let end = self.cuts.get(next).map_or(len, |&cut| cut.min(len));
        let end = end.min(from + most).max(from + LEAST);
        // what is left is not worth a piece
        if end + LEAST > len { len } else { end }
    }
}

impl fmt::Debug for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {}", self.range, self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::BytesSource;
    use quickcheck::quickcheck;

    const BEYOND: u64 = 10_000;

    fn bytes(len: usize) -> Vec<u8> {
        (0..len as u32).map(|at| (at ^ at >> 8) as u8).collect()
    }

    /// A stream after 7 other bytes.
    fn stored(bytes: &[u8], cuts: &[u64]) -> Stored {
        let file = [&[0; 7], bytes].concat();
        let range = 7..file.len() as u64;
        let source: Arc<dyn Source> = Arc::new(BytesSource::new(file, "stream"));
        let mut stored = Stored::new(&source, range, BEYOND, &Arc::default());
        stored.cut(&cuts.into());
        stored
    }

    fn fetched(stored: &Stored) -> u64 {
        stored.metrics.bytes_read.get()
    }

    #[test]
    fn pieces_end_where_strides_begin() {
        let all = bytes(200_000);
        let mut stored = stored(&all, &[50_000, 100_000, 150_000]);
        stored.seek(50_000);
        assert_eq!(stored.hold(3).unwrap(), all[50_000..100_000]);
        stored.advance(49_999);
        // the end of the stride lies beyond the cut
        assert_eq!(
            stored.hold(2).unwrap(),
            all[99_999..100_000 + BEYOND as usize]
        );
        assert_eq!((fetched(&stored), stored.position()), (60_000, 100_006));
        // reading goes on
        stored.advance(10_001);
        assert_eq!(stored.hold(1).unwrap(), all[110_000..150_000]);
        stored.seek(120_000);
        assert_eq!(stored.hold(30_000).unwrap(), all[120_000..150_000]);
        assert_eq!(fetched(&stored), 100_000);
        stored.seek(150_000);
        assert_eq!(stored.hold(1).unwrap(), all[150_000..]);
        assert_eq!((fetched(&stored), stored.left()), (150_000, 50_000));
    }

    #[test]
    fn little_is_not_fetched_alone() {
        let all = bytes(9_000);
        let mut stored = stored(&all, &[10, 20, 5_000]);
        assert_eq!(stored.hold(1).unwrap(), all[..4_096]);
        stored.seek(5_000);
        assert_eq!(stored.hold(1).unwrap(), all[5_000..]);
        stored.seek(9_000);
        assert!(stored.hold(1).unwrap().is_empty());
    }

    quickcheck! {
        fn cuts_change_nothing(len: u16, cuts: Vec<u16>, steps: Vec<(bool, u16)>) -> bool {
            let all = bytes(usize::from(len));
            let mut cuts: Vec<u64> = cuts.into_iter().map(u64::from).collect();
            cuts.sort_unstable();
            let mut stored = stored(&all, &cuts);
            steps.into_iter().all(|(seeks, count)| {
                let at = stored.at() as usize;
                if seeks {
                    stored.seek(u64::from(count % len.saturating_add(1)));
                    return true;
                }
                let wanted = usize::from(count).min(all.len() - at);
                let held = stored.hold(usize::from(count)).unwrap();
                assert!(held.len() >= wanted && held == all[at..at + held.len()]);
                stored.advance(wanted);
                stored.left() == (all.len() - at - wanted) as u64
            })
        }
    }
}
