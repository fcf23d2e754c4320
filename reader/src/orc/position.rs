//! Positions in streams, as the entries of a row index state them for the start of a stride.
//!
//! ```text
//! bytes   chunk, byte                            chunk: offset of the compression chunk in the stored stream,
//! runs    chunk, byte, value of the run                 absent without compression
//! bits    chunk, byte, byte of the run, bit      byte: offset in the decompressed chunk
//! ```
//! An entry has them stream by stream: PRESENT first, then DATA before LENGTH or SECONDARY.
// spec: ORCv1.md, "Row Group Index"

use std::sync::Arc;

use lith_format::error::{Error, Result};

/// What a stream consists of, which decides by how many numbers a position in it is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Bytes, or values of one width.
    Bytes,
    /// Runs of bytes or integers.
    Runs,
    /// Bits in runs of bytes.
    Bits,
}

impl Content {
    fn numbers(self, is_compressed: bool) -> usize {
        let within = match self {
            Content::Bytes => 0,
            Content::Runs => 1,
            Content::Bits => 2,
        };
        1 + usize::from(is_compressed) + within
    }
}

/// A position in a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Position {
    /// The offset of the compression chunk in the stored stream.
    pub chunk: u64,
    /// The offset in the decompressed chunk, or in the stream if it is not compressed.
    pub byte: u64,
    /// How many values to skip of the run that begins there.
    pub values: usize,
    /// How many bits to skip then.
    pub bits: usize,
    /// Where in the stored stream the strides begin, or the chunks that have their starts: ascending. They decide how
    /// much is fetched at a time.
    pub cuts: Arc<[u64]>,
}

/// Whether an entry of a row index has as many numbers as positions in these streams need.
pub(crate) fn agrees(numbers: &[u64], contents: &[Content], is_compressed: bool) -> bool {
    let expected = contents
        .iter()
        .map(|content| content.numbers(is_compressed));
    numbers.len() == expected.sum::<usize>()
}

/// The positions that an entry states, one for each stream.
pub(crate) fn positions(
    numbers: &[u64],
    contents: &[Content],
    is_compressed: bool,
) -> impl Iterator<Item = Position> {
    let mut rest = numbers.iter().copied();
    contents.iter().map(move |content| {
        let mut next = |is_there| match is_there {
            true => rest.next().unwrap_or(0),
            false => 0,
        };
        let (chunk, byte) = (next(is_compressed), next(true));
        let mut count = |is_there| usize::try_from(next(is_there)).unwrap_or(usize::MAX);
        Position {
            chunk,
            byte,
            values: count(*content != Content::Bytes),
            bits: count(*content == Content::Bits),
            cuts: Arc::default(),
        }
    })
}

/// For each stream, where the strides with these entries begin in what is stored: ascending.
pub(crate) fn cuts(
    entries: &[Vec<u64>],
    contents: &[Content],
    is_compressed: bool,
) -> Vec<Arc<[u64]>> {
    let mut cuts = vec![Vec::with_capacity(entries.len()); contents.len()];
    for entry in entries {
        let positions = positions(entry, contents, is_compressed);
        for (cuts, position) in cuts.iter_mut().zip(positions) {
            cuts.push(match is_compressed {
                true => position.chunk,
                false => position.byte,
            });
        }
    }
    let sorted = cuts.into_iter().map(|mut cuts: Vec<u64>| {
        cuts.sort_unstable();
        cuts.dedup();
        cuts.into()
    });
    sorted.collect()
}

/// Positions in streams that are visited in the order of the row index.
pub(crate) struct Positions(std::vec::IntoIter<Position>);

impl Positions {
    pub fn new(positions: Vec<Position>) -> Self {
        Positions(positions.into_iter())
    }

    /// The position in the next stream.
    pub fn next(&mut self) -> Result<Position> {
        let next = self.0.next();
        next.ok_or_else(|| Error::corrupt("a row index lacks positions"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stream_takes_as_many_numbers_as_its_content_needs() {
        let contents = [Content::Bits, Content::Bytes, Content::Runs];
        let at = |chunk, byte, values, bits| Position {
            chunk,
            byte,
            values,
            bits,
            cuts: Arc::default(),
        };
        let compressed = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert!(agrees(&compressed, &contents, true) && !agrees(&compressed, &contents, false));
        let found: Vec<_> = positions(&compressed, &contents, true).collect();
        assert_eq!(found, [at(1, 2, 3, 4), at(5, 6, 0, 0), at(7, 8, 9, 0)]);
        let plain = [2, 3, 4, 6, 8, 9];
        assert!(agrees(&plain, &contents, false) && !agrees(&plain[1..], &contents, false));
        let found: Vec<_> = positions(&plain, &contents, false).collect();
        assert_eq!(found, [at(0, 2, 3, 4), at(0, 6, 0, 0), at(0, 8, 9, 0)]);
        assert!(Positions::new(Vec::new()).next().is_err());
    }

    #[test]
    fn strides_are_cut_where_their_chunks_or_bytes_begin() {
        let contents = [Content::Bytes, Content::Runs];
        let entries = [
            vec![90, 2, 7, 8, 9],
            vec![0, 5, 7, 9, 0],
            vec![90, 4, 30, 0, 0],
        ];
        let found = cuts(&entries, &contents, true);
        assert_eq!(found, [Arc::from([0, 90]), Arc::from([7, 30])]);
        let entries = [vec![2, 8, 9], vec![5, 8, 100]];
        let found = cuts(&entries, &contents, false);
        assert_eq!(found, [Arc::from([2, 5]), Arc::from([8])]);
    }
}
