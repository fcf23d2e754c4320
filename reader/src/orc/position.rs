//! Where the streams of a column stand at the start of a stride.
//!
//! ```text
//! bytes   chunk, byte of what it holds            without compression: byte
//! runs    chunk, byte, values of the run
//! bits    chunk, byte, bytes of the run, bits of the byte
//! ```
//! A row index lists them stream by stream: PRESENT first, then DATA before LENGTH or SECONDARY.
// spec: ORCv1.md, "Row Index"

use lith_format::error::{Error, Result};

/// What a stream is made of, which decides how a position in it is stated.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Position {
    /// Where in the stored stream its compression chunk begins.
    pub chunk: u64,
    /// Bytes of the decompressed chunk, or of the stream without compression, that come before.
    pub byte: u64,
    /// Values of the run that begins there which come before.
    pub values: usize,
    /// Bits of the byte after those values which come before.
    pub bits: usize,
}

/// Whether an entry of a row index has as many numbers as positions in such streams take.
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
        }
    })
}

/// Positions in streams that are visited in the order of the row index.
pub(crate) struct Positions(std::vec::IntoIter<Position>);

impl Positions {
    pub fn new(positions: Vec<Position>) -> Self {
        Positions(positions.into_iter())
    }

    /// That in the next stream.
    pub fn next(&mut self) -> Result<Position> {
        let next = self.0.next();
        next.ok_or_else(|| Error::corrupt("a row index lacks positions"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shared_out_by_what_streams_are_made_of() {
        let contents = [Content::Bits, Content::Bytes, Content::Runs];
        let at = |chunk, byte, values, bits| Position {
            chunk,
            byte,
            values,
            bits,
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
}
