//! Deflate, bare (ORC's ZLIB) and in gzip members (Parquet's GZIP).
//!
//! ```text
//! gzip member: | 1f 8b 08 | header.. | deflate stream | CRC-32 of output | output length mod 2^32 |
//! ```
//! A gzip page may hold several members, one after the other. The library reads one and does not
//! say where it ended, so the end is found by the trailer, which the output determines.

use std::cell::RefCell;

use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor};

use super::fill_growing;
use crate::error::{Error, Result};

const TRAILER: usize = 8;
/// Smallest member: a header of 10 bytes, an empty stream of 2 and the trailer.
const SMALLEST_MEMBER: usize = 20;

thread_local! {
    static DECOMPRESSOR: RefCell<Decompressor> = RefCell::new(Decompressor::new());
    static COMPRESSOR: RefCell<Option<(i32, Compressor)>> = const { RefCell::new(None) };
}

/// Writes over what `out` has from `start` on, which becomes its end.
pub(super) fn decompress_over(
    input: &[u8],
    max_len: usize,
    out: &mut Vec<u8>,
    start: usize,
) -> Result<()> {
    fill_growing(guess(input), max_len, out, start, |room| {
        DECOMPRESSOR.with_borrow_mut(|inner| outcome(inner.deflate_decompress(input, room)))
    })
}

pub(super) fn decompress_gzip(input: &[u8], max_len: usize, out: &mut Vec<u8>) -> Result<()> {
    let (mut rest, mut left) = (input, max_len);
    while !rest.is_empty() {
        let start = out.len();
        fill_growing(guess(rest), left, out, start, |room| {
            DECOMPRESSOR.with_borrow_mut(|inner| outcome(inner.gzip_decompress(rest, room)))
        })?;
        let member = member_len(rest, &out[start..])?;
        rest = &rest[member..];
        left -= out.len() - start;
    }
    Ok(())
}

/// How long the first member of `input` is, given its output.
fn member_len(input: &[u8], output: &[u8]) -> Result<usize> {
    let mut trailer = [0; TRAILER];
    trailer[..4].copy_from_slice(&crc32fast::hash(output).to_le_bytes());
    trailer[4..].copy_from_slice(&(output.len() as u32).to_le_bytes());
    if input.ends_with(&trailer) {
        return Ok(input.len());
    }
    let searched = input.get(SMALLEST_MEMBER - TRAILER..).unwrap_or_default();
    searched
        .windows(TRAILER)
        .position(|window| window == trailer)
        .map(|at| at + SMALLEST_MEMBER)
        .ok_or_else(|| Error::corrupt("gzip member without its trailer"))
}

/// Ordinary data shrinks to no less than a thirtieth.
fn guess(input: &[u8]) -> usize {
    input.len().saturating_mul(32).saturating_add(1 << 12)
}

fn outcome(result: Result<usize, DecompressionError>) -> Result<Option<usize>> {
    match result {
        Ok(written) => Ok(Some(written)),
        Err(DecompressionError::InsufficientSpace) => Ok(None),
        Err(error @ DecompressionError::BadData) => {
            Err(Error::corrupt("invalid deflate data").with_source(error))
        }
    }
}

pub(super) fn compress(level: i32, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
    with_compressor(level, out, |inner, out| {
        let start = out.len();
        out.resize(start + inner.deflate_compress_bound(input.len()), 0);
        let written = inner.deflate_compress(input, &mut out[start..]);
        written.map(|written| start + written)
    })
}

pub(super) fn compress_gzip(level: i32, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
    with_compressor(level, out, |inner, out| {
        let start = out.len();
        out.resize(start + inner.gzip_compress_bound(input.len()), 0);
        let written = inner.gzip_compress(input, &mut out[start..]);
        written.map(|written| start + written)
    })
}

/// Runs `work` with this thread's compressor of `level`; it answers the length that `out` keeps.
fn with_compressor(
    level: i32,
    out: &mut Vec<u8>,
    work: impl FnOnce(&mut Compressor, &mut Vec<u8>) -> Result<usize, libdeflater::CompressionError>,
) -> Result<()> {
    let checked = CompressionLvl::new(level)
        .map_err(|_| Error::invalid(format!("deflate has no level {level}")))?;
    COMPRESSOR.with_borrow_mut(|cached| {
        let inner = match cached {
            Some((cached_level, inner)) if *cached_level == level => inner,
            _ => &mut cached.insert((level, Compressor::new(checked))).1,
        };
        let len = work(inner, out).map_err(|error| Error::invalid(error.to_string()))?;
        out.truncate(len);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pack, unpack};
    use crate::compress::Codec;

    #[test]
    fn all_members_of_a_gzip_page_are_read() {
        let (a, b) = (vec![7u8; 100_000], b"second".to_vec());
        let packed = [
            pack(Codec::Gzip, &a),
            pack(Codec::Gzip, b""),
            pack(Codec::Gzip, &b),
        ]
        .concat();
        assert_eq!(
            unpack(Codec::Gzip, &packed, 100_006).unwrap(),
            [a, b].concat()
        );
        assert!(unpack(Codec::Gzip, &packed, 100_005).is_err());
    }

    #[test]
    fn bytes_after_the_last_member_are_an_error() {
        let packed = [pack(Codec::Gzip, b"data"), b"junk".to_vec()].concat();
        assert!(unpack(Codec::Gzip, &packed, 100).is_err());
    }

    #[test]
    fn a_wrong_checksum_is_an_error() {
        let mut packed = pack(Codec::Gzip, b"data");
        let at = packed.len() - 6;
        packed[at] ^= 1;
        assert!(unpack(Codec::Gzip, &packed, 100).is_err());
    }
}
