//! LZ4: raw blocks, and the three things that Parquet's deprecated codec id has been used for.
//!
//! ```text
//! Hadoop framing   |   | 04 22 4d 18 | LZ4 frame |   |   raw block
//! ```
//! A raw block says nothing of its size, so what parses as Hadoop framing to the last byte is taken
//! as that, and the rest as a raw block.
// spec: Compression.md, "LZ4"

use std::io::Read;

use lz4_flex::block::{self, DecompressError};

use super::{fill_growing, hadoop, too_long};
use crate::error::{Error, Result};

const FRAME_MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];

fn decompress(input: &[u8], max_len: usize, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    decompress_over(input, max_len, out, start)
}

/// Writes over what `out` has from `start` on, which becomes its end.
pub(super) fn decompress_over(
    input: &[u8],
    max_len: usize,
    out: &mut Vec<u8>,
    start: usize,
) -> Result<()> {
    let guess = input.len().saturating_mul(16).saturating_add(64);
    fill_growing(
        guess,
        max_len,
        out,
        start,
        |room| match block::decompress_into(input, room) {
            Ok(written) => Ok(Some(written)),
            Err(DecompressError::OutputTooSmall { .. }) => Ok(None),
            Err(error) => Err(Error::corrupt(format!("lz4: {error}")).with_source(error)),
        },
    )
}

/// Whichever of Hadoop framing, frame and raw block `input` is.
pub(super) fn decompress_any(input: &[u8], max_len: usize, out: &mut Vec<u8>) -> Result<()> {
    if input.starts_with(&FRAME_MAGIC) {
        return decompress_frame(input, max_len, out);
    }
    let start = out.len();
    hadoop::decompress(input, max_len, out, decompress).or_else(|_| {
        out.truncate(start);
        decompress(input, max_len, out)
    })
}

fn decompress_frame(input: &[u8], max_len: usize, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    lz4_flex::frame::FrameDecoder::new(input)
        .take(max_len as u64 + 1)
        .read_to_end(out)
        .map_err(|error| Error::corrupt(format!("lz4 frame: {error}")))?;
    if out.len() - start > max_len {
        return Err(too_long(max_len));
    }
    Ok(())
}

pub(super) fn compress(input: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    out.resize(start + block::get_maximum_output_size(input.len()), 0);
    let written = block::compress_into(input, &mut out[start..])
        .map_err(|error| Error::invalid(error.to_string()))?;
    out.truncate(start + written);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::hadoop::tests::frame;
    use super::super::tests::{pack, unpack};
    use crate::compress::Codec;

    #[test]
    fn the_deprecated_id_is_any_of_three_framings() {
        let data = b"one two three one two three one two three".repeat(20);
        let two = [
            frame(Codec::Lz4, &[&data[..300], &data[300..]]),
            frame(Codec::Lz4, &[b"tail"]),
        ]
        .concat();
        let expected = [data.as_slice(), b"tail"].concat();
        assert_eq!(
            unpack(Codec::Lz4Hadoop, &two, expected.len()).unwrap(),
            expected
        );
        assert!(unpack(Codec::Lz4Hadoop, &two, expected.len() - 1).is_err());

        let raw = pack(Codec::Lz4, &data);
        assert_eq!(unpack(Codec::Lz4Hadoop, &raw, data.len()).unwrap(), data);

        let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
        encoder.write_all(&data).unwrap();
        let framed = encoder.finish().unwrap();
        assert_eq!(unpack(Codec::Lz4Hadoop, &framed, data.len()).unwrap(), data);
        assert!(unpack(Codec::Lz4Hadoop, &framed, data.len() - 1).is_err());
    }
}
