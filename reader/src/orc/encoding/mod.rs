//! One decoder per encoding. Each owns its [`StreamReader`] and offers bulk `read(&mut out)` and
//! `skip(count)`; ending before `out` is full is an error.
//!
//! [`Integers`] is what columns use: either version of the integer encoding.

pub(crate) mod boolean_rle;
pub(crate) mod byte_rle;
pub(crate) mod dictionary;
pub(crate) mod number;
pub(crate) mod rle_v1;
pub(crate) mod rle_v2;
pub(crate) mod text;
pub(crate) mod timestamp;
pub(crate) mod varint;

use lith_format::error::{Error, Result};

use self::rle_v1::RleV1;
use self::rle_v2::RleV2;
use crate::kernel::compact::compact;
use crate::orc::position::Position;
use crate::orc::stream::StreamReader;
use crate::selection::Selection;

/// Which version of the integer encoding a column uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RleVersion {
    /// Of DIRECT and DICTIONARY.
    V1,
    /// Of DIRECT_V2 and DICTIONARY_V2.
    V2,
}

/// Decodes integers; those of unsigned sequences as the signed number of the same bits.
#[derive(Debug)]
pub(crate) enum Integers {
    V1(RleV1),
    V2(RleV2),
}

impl Integers {
    /// Starts at the front of a stream of signed integers.
    pub fn signed(stream: StreamReader, version: RleVersion) -> Self {
        Self::new(stream, version, true)
    }

    /// Starts at the front of a stream of unsigned integers.
    pub fn unsigned(stream: StreamReader, version: RleVersion) -> Self {
        Self::new(stream, version, false)
    }

    fn new(stream: StreamReader, version: RleVersion, signed: bool) -> Self {
        match version {
            RleVersion::V1 => Integers::V1(RleV1::new(stream, signed)),
            RleVersion::V2 => Integers::V2(RleV2::new(stream, signed)),
        }
    }

    /// Reads the next `out.len()` values.
    pub fn read(&mut self, out: &mut [i64]) -> Result<()> {
        match self {
            Integers::V1(rle) => rle.read(out),
            Integers::V2(rle) => rle.read(out),
        }
    }

    /// Seeks to a position in the stream.
    pub fn seek(&mut self, position: &Position) -> Result<()> {
        match self {
            Integers::V1(rle) => rle.seek(position),
            Integers::V2(rle) => rle.seek(position),
        }
    }

    /// Skips `count` values.
    pub fn skip(&mut self, count: usize) -> Result<()> {
        match self {
            Integers::V1(rle) => rle.skip(count),
            Integers::V2(rle) => rle.skip(count),
        }
    }
}

/// Unwanted values that a run must save on average to be worth a seek of its own.
const SPARSE_GAP: usize = 32;

/// Whether it is cheaper to read all of a window than to skip between its runs.
pub(crate) fn is_dense(wanted: &Selection) -> bool {
    wanted.rows() - wanted.selected() < wanted.runs().len() * SPARSE_GAP
}

/// For how many values memory is allocated at a time, so that a file cannot ask for memory by a count alone.
const BLOCK: usize = 1 << 18;

/// Appends the next `count` values.
pub(crate) fn append<D, T: Copy + Default>(
    decoder: &mut D,
    mut count: usize,
    out: &mut Vec<T>,
    read: impl Fn(&mut D, &mut [T]) -> Result<()>,
) -> Result<()> {
    while count > 0 {
        let (start, block) = (out.len(), count.min(BLOCK));
        out.resize(start + block, T::default());
        read(decoder, &mut out[start..])?;
        count -= block;
    }
    Ok(())
}

/// Reads the next `count` values into `out`, whatever it held. What it held is written over, not cleared first.
pub(crate) fn refill<D, T: Copy + Default>(
    decoder: &mut D,
    count: usize,
    out: &mut Vec<T>,
    read: impl Fn(&mut D, &mut [T]) -> Result<()>,
) -> Result<()> {
    out.truncate(count);
    out.resize(count.min(out.len().max(BLOCK)), T::default());
    read(decoder, out)?;
    append(decoder, count - out.len(), out, read)
}

/// Reads the wanted values of a window into `out`, whatever it held.
pub(crate) fn read_wanted<D, T: Copy + Default>(
    decoder: &mut D,
    wanted: &Selection,
    out: &mut Vec<T>,
    read: impl Fn(&mut D, &mut [T]) -> Result<()>,
    skip: impl Fn(&mut D, usize) -> Result<()>,
) -> Result<()> {
    if is_dense(wanted) {
        refill(decoder, wanted.rows(), out, read)?;
        if !wanted.is_all() {
            compact(out, wanted.runs());
        }
        return Ok(());
    }
    out.clear();
    out.reserve(wanted.selected().min(BLOCK));
    let mut at = 0;
    for run in wanted.runs() {
        skip(decoder, run.start - at)?;
        append(decoder, run.len(), out, &read)?;
        at = run.end;
    }
    skip(decoder, wanted.rows() - at)
}

/// Checks that all lengths fit 32 bits, so that their sum fits 64.
pub(crate) fn check_lengths(lengths: &[i64]) -> Result<()> {
    let all = lengths.iter().fold(0, |all, &length| all | length as u64);
    match u32::try_from(all) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::corrupt("a length is negative or exceeds 32 bits")),
    }
}

/// The sum of lengths that [`check_lengths`] accepted.
pub(crate) fn total(lengths: &[i64]) -> u64 {
    lengths.iter().map(|&length| length as u64).sum()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use lith_format::bytes::{put_varint, zigzag};
    use quickcheck::quickcheck;

    /// Values as literals of the first version.
    pub(crate) fn literals(values: &[i64], signed: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        for values in values.chunks(128) {
            bytes.push((256 - values.len()) as u8);
            for &value in values {
                put_varint(
                    &mut bytes,
                    if signed { zigzag(value) } else { value as u64 },
                );
            }
        }
        bytes
    }

    quickcheck! {
        fn wanted_values_equal_a_filter(rows: Vec<(i64, u8, bool)>) -> bool {
            let rows: Vec<(i64, bool)> = rows
                .iter()
                .flat_map(|&(value, len, wanted)| (0..i64::from(len)).map(move |at| (value ^ at, wanted)))
                .collect();
            let values: Vec<i64> = rows.iter().map(|row| row.0).collect();
            let selection = Selection::from_mask(&rows.iter().map(|row| row.1).collect());
            let stream = crate::orc::stream::tests::plain(&literals(&values, true));
            let mut integers = Integers::signed(stream, RleVersion::V1);
            let mut out = vec![5];
            read_wanted(&mut integers, &selection, &mut out, Integers::read, Integers::skip).unwrap();
            out.iter().eq(rows.iter().filter(|row| row.1).map(|row| &row.0)) && integers.skip(1).is_err()
        }
    }

    /// Values of the shapes that encoders tell apart: constant, steady, growing, narrow with outliers.
    pub(crate) fn shapes(seeds: &[(i64, u8, u8)]) -> Vec<i64> {
        let mut values = Vec::new();
        for &(seed, shape, len) in seeds.iter().take(16) {
            let narrow = seed >> (seed & 63);
            for at in 0..i64::from(len) {
                values.push(match shape % 5 {
                    0 => narrow,
                    1 => narrow.wrapping_add(at * (seed & 7)),
                    2 => narrow.wrapping_sub(at * at),
                    3 if at % 17 == 5 => seed,
                    _ => narrow.wrapping_mul(at + 1) & 0xfff,
                });
            }
        }
        values
    }

    /// Whether a decoder of `values` reads and skips as a slice would, and then ends.
    pub(crate) fn reads_and_skips_like<D, T: Copy + Default + PartialEq + std::fmt::Debug>(
        values: &[T],
        steps: &[(bool, u8)],
        decoder: &mut D,
        read: impl Fn(&mut D, &mut [T]) -> Result<()>,
        skip: impl Fn(&mut D, usize) -> Result<()>,
    ) -> bool {
        let mut at = 0;
        for &(reads, count) in steps {
            let count = (usize::from(count) * 3).min(values.len() - at);
            if reads {
                let mut out = vec![T::default(); count];
                read(decoder, &mut out).unwrap();
                assert_eq!(out, values[at..at + count]);
            } else {
                skip(decoder, count).unwrap();
            }
            at += count;
        }
        let mut rest = vec![T::default(); values.len() - at];
        read(decoder, &mut rest).unwrap();
        rest == values[at..] && read(decoder, &mut [T::default()]).is_err()
    }
}
