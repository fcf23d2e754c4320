//! Codecs: one pair of functions over all of them, so that pages, chunks and writers share one path.
//!
//! A block never grows past what its container declares: [`decompress`] takes the largest size it may
//! produce, and producing more is an error, not an allocation. Declared sizes are not allocated at once: a
//! buffer starts at a usual ratio of the codec and grows as data comes. An empty input is an empty output under every codec; whether that is enough
//! is for the caller, who knows the declared size.

mod brotli;
mod deflate;
mod hadoop;
mod lz4;
mod lzo;
mod snappy;
mod zstd;

use std::fmt;

use crate::error::{Error, Result};

/// A compression codec of either format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Codec {
    /// Stored as is.
    #[default]
    None,
    /// Snappy, raw blocks.
    Snappy,
    /// Deflate without a wrapper (ORC's ZLIB).
    Deflate,
    /// Deflate in gzip members (Parquet's GZIP).
    Gzip,
    /// LZO1X blocks (ORC's LZO).
    Lzo,
    /// LZO1X blocks in Hadoop framing (Parquet's LZO).
    LzoHadoop,
    /// Brotli.
    Brotli,
    /// LZ4 under Parquet's deprecated id: Hadoop framing, raw or frame.
    Lz4Hadoop,
    /// LZ4 raw blocks (Parquet's LZ4_RAW, ORC's LZ4).
    Lz4,
    /// Zstandard.
    Zstd,
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Codec::None => "none",
            Codec::Snappy => "snappy",
            Codec::Deflate => "deflate",
            Codec::Gzip => "gzip",
            Codec::Lzo => "lzo",
            Codec::LzoHadoop => "lzo_hadoop",
            Codec::Brotli => "brotli",
            Codec::Lz4Hadoop => "lz4_hadoop",
            Codec::Lz4 => "lz4",
            Codec::Zstd => "zstd",
        })
    }
}

/// Appends what `input` decompresses to; more than `max_len` bytes are an error.
///
/// After an error `out` is as long as before.
pub fn decompress(codec: Codec, input: &[u8], max_len: usize, out: &mut Vec<u8>) -> Result<()> {
    if input.is_empty() {
        return Ok(());
    }
    let start = out.len();
    let result = match codec {
        Codec::Snappy | Codec::Deflate | Codec::Lz4 => {
            return decompress_over(codec, input, max_len, out, start);
        }
        Codec::None => copy(input, max_len, out),
        Codec::Gzip => deflate::decompress_gzip(input, max_len, out),
        Codec::Lz4Hadoop => lz4::decompress_any(input, max_len, out),
        Codec::Zstd => zstd::decompress(input, max_len, out),
        Codec::Lzo => lzo::decompress(input, max_len, out),
        Codec::Brotli => brotli::decompress(input, max_len, out),
        Codec::LzoHadoop => hadoop::decompress(input, max_len, out, lzo::decompress),
    };
    if result.is_err() {
        out.truncate(start);
    }
    result
}

/// Writes what `input` decompresses to over what `out` has from `start` on, and makes it the end of `out`. Unlike
/// with [`decompress`], codecs that take memory only as bytes need not clear what was written before.
///
/// After an error `out` has `start` bytes.
pub fn decompress_over(
    codec: Codec,
    input: &[u8],
    max_len: usize,
    out: &mut Vec<u8>,
    start: usize,
) -> Result<()> {
    let result = match codec {
        _ if input.is_empty() => {
            out.truncate(start);
            Ok(())
        }
        Codec::Snappy => snappy::decompress_over(input, max_len, out, start),
        Codec::Deflate => deflate::decompress_over(input, max_len, out, start),
        Codec::Lz4 => lz4::decompress_over(input, max_len, out, start),
        _ => {
            out.truncate(start);
            decompress(codec, input, max_len, out)
        }
    };
    if result.is_err() {
        out.truncate(start);
    }
    result
}

/// Appends `input` compressed. A level beyond the codec's range, or for a codec without levels, is an error.
///
/// Levels: deflate and gzip 1 to 12 (6 unless given), zstd 1 to 22 (3 unless given).
pub fn compress(codec: Codec, level: Option<i32>, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
    if let Some(level) = level
        && !levels(codec).contains(&level)
    {
        return Err(Error::invalid(format!(
            "level {level} is not one of {codec:?}'s"
        )));
    }
    match codec {
        Codec::None => out.extend_from_slice(input),
        Codec::Snappy => snappy::compress(input, out)?,
        Codec::Deflate => deflate::compress(level.unwrap_or(6), input, out)?,
        Codec::Gzip => deflate::compress_gzip(level.unwrap_or(6), input, out)?,
        Codec::Lz4 => lz4::compress(input, out)?,
        Codec::Zstd => zstd::compress(level.unwrap_or(3), input, out)?,
        Codec::Lzo | Codec::LzoHadoop | Codec::Brotli | Codec::Lz4Hadoop => {
            return Err(not_supported(codec));
        }
    }
    Ok(())
}

fn levels(codec: Codec) -> std::ops::RangeInclusive<i32> {
    match codec {
        Codec::Deflate | Codec::Gzip => 1..=12,
        Codec::Zstd => 1..=22,
        _ => std::ops::RangeInclusive::new(1, 0),
    }
}

fn not_supported(codec: Codec) -> Error {
    Error::unsupported(format!("codec {codec:?} is not supported"))
}

fn too_long(max_len: usize) -> Error {
    Error::corrupt(format!("decompresses to more than {max_len} bytes"))
}

fn copy(input: &[u8], max_len: usize, out: &mut Vec<u8>) -> Result<()> {
    if input.len() > max_len {
        return Err(too_long(max_len));
    }
    out.extend_from_slice(input);
    Ok(())
}

/// Makes what `fill` writes the end of `out`, from `start` on: it gets room and answers how many bytes it wrote, or
/// `None` if the room was too little. The room starts at `guess` and grows eightfold up to `max_len`.
fn fill_growing(
    guess: usize,
    max_len: usize,
    out: &mut Vec<u8>,
    start: usize,
    mut fill: impl FnMut(&mut [u8]) -> Result<Option<usize>>,
) -> Result<()> {
    grow_until(guess, max_len, |room| {
        out.resize(start + room, 0);
        let written = fill(&mut out[start..])?;
        if let Some(written) = written {
            out.truncate(start + written);
        }
        Ok(written)
    })
}

/// Calls `attempt` with more and more room, as [`fill_growing`] does, until it answers how many bytes it wrote.
fn grow_until(
    guess: usize,
    max_len: usize,
    mut attempt: impl FnMut(usize) -> Result<Option<usize>>,
) -> Result<()> {
    let mut room = guess.min(max_len);
    loop {
        match attempt(room)? {
            Some(written) if written <= max_len => return Ok(()),
            None if room < max_len => room = grown(room, max_len),
            _ => return Err(too_long(max_len)),
        }
    }
}

fn grown(room: usize, max_len: usize) -> usize {
    room.saturating_mul(8).max(1 << 12).min(max_len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    const READ: [Codec; 8] = [
        Codec::None,
        Codec::Snappy,
        Codec::Deflate,
        Codec::Gzip,
        Codec::Lzo,
        Codec::Brotli,
        Codec::Lz4,
        Codec::Zstd,
    ];

    /// By our own hand, or where we only read, by another's.
    pub(super) fn pack(codec: Codec, input: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        match codec {
            // of nothing, lzokay makes what it does not read itself
            Codec::Lzo if input.is_empty() => out = vec![0x11, 0, 0],
            Codec::Lzo => out = lzokay::compress::compress(input).unwrap(),
            Codec::Brotli => {
                let mut writer = ::brotli::CompressorWriter::new(&mut out, 1 << 12, 5, 22);
                std::io::Write::write_all(&mut writer, input).unwrap();
            }
            _ => compress(codec, None, input, &mut out).unwrap(),
        }
        out
    }

    pub(super) fn unpack(codec: Codec, input: &[u8], max_len: usize) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        decompress(codec, input, max_len, &mut out)?;
        Ok(out)
    }

    quickcheck::quickcheck! {
        fn round_trips_append_and_never_exceed(data: Vec<u8>, repeat: u8) -> bool {
            let data = data.repeat(usize::from(repeat) + 1);
            READ.iter().all(|&codec| {
                let packed = pack(codec, &data);
                let mut out = b"before".to_vec();
                decompress(codec, &packed, data.len(), &mut out).unwrap();
                let mut over = b"before and after".repeat(9);
                decompress_over(codec, &packed, data.len(), &mut over, 6).unwrap();
                assert_eq!(over, out);
                let short = (!data.is_empty())
                    .then(|| decompress(codec, &packed, data.len() - 1, &mut out));
                if short.is_some() {
                    let start = over.len() - 1;
                    let result = decompress_over(codec, &packed, data.len() - 1, &mut over, start);
                    assert!(result.is_err() && over.len() == start);
                }
                out == [b"before".as_slice(), &data].concat()
                    && short.is_none_or(|result| result.is_err())
            })
        }

        fn every_level_round_trips_and_appends(data: Vec<u8>, level: u8) -> bool {
            READ.iter().filter(|codec| !levels(**codec).is_empty()).all(|&codec| {
                let mut packed = b"before".to_vec();
                compress(codec, Some(i32::from(level % 12) + 1), &data, &mut packed).unwrap();
                packed.starts_with(b"before")
                    && unpack(codec, &packed[6..], data.len()).unwrap() == data
            })
        }

        fn noise_is_an_error_or_a_value(noise: Vec<u8>, max_len: u16) -> bool {
            let max_len = usize::from(max_len);
            READ.iter().chain([&Codec::Lz4Hadoop]).all(|&codec| {
                unpack(codec, &noise, max_len).map_or(true, |out| out.len() <= max_len)
            })
        }
    }

    #[test]
    fn truncations_and_flips_never_pass_as_something_longer() {
        let data = b"abcabcabcabc the quick brown fox abcabcabcabc".repeat(3);
        for codec in READ {
            let packed = pack(codec, &data);
            for end in 0..packed.len() {
                let cut = unpack(codec, &packed[..end], data.len());
                assert!(
                    cut.is_err() || cut.unwrap() != data,
                    "{codec:?} cut at {end}"
                );
                for mask in [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xff] {
                    let mut flipped = packed.clone();
                    flipped[end] ^= mask;
                    if let Ok(out) = unpack(codec, &flipped, data.len()) {
                        assert!(out.len() <= data.len());
                    }
                }
            }
        }
    }

    #[test]
    fn a_bomb_stops_at_the_limit_without_room_for_more() {
        let zeros = vec![0; 4 << 20];
        for codec in READ {
            let mut out = Vec::new();
            let packed = pack(codec, &zeros);
            let kind = decompress(codec, &packed, 100_000, &mut out)
                .unwrap_err()
                .kind();
            assert_eq!(kind, ErrorKind::Corrupt, "{codec:?}");
            assert!(out.is_empty() && out.capacity() <= 1 << 18, "{codec:?}");
        }
    }

    #[test]
    fn a_size_that_is_only_declared_is_not_allocated() {
        let garbage = [0xff, 0xff, 0xff, 0x7f, 0x00, 0x00];
        for codec in READ.into_iter().chain([Codec::Lz4Hadoop]).skip(1) {
            let mut out = Vec::new();
            assert!(
                decompress(codec, &garbage, 1 << 30, &mut out).is_err(),
                "{codec:?}"
            );
            assert!(
                out.capacity() <= 1 << 18,
                "{codec:?} took {}",
                out.capacity()
            );
        }
    }

    #[test]
    fn levels_are_checked() {
        for (codec, level) in [(Codec::Zstd, 23), (Codec::Gzip, 0), (Codec::Snappy, 1)] {
            let kind = compress(codec, Some(level), b"x", &mut Vec::new())
                .unwrap_err()
                .kind();
            assert_eq!(kind, ErrorKind::InvalidArgument);
        }
    }
}
