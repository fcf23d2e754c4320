//! Brotli streams, one a block. The largest window is the format's own, 16 MiB, not that of its extension.
// spec: RFC 7932

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::{grown, too_long};
use crate::error::{Error, Result};

pub(super) fn decompress(input: &[u8], max_len: usize, out: &mut Vec<u8>) -> Result<()> {
    let alloc = StandardAlloc::default();
    let mut state = BrotliState::new_strict(alloc, alloc, alloc);
    let (start, mut read, mut written, mut total) = (out.len(), 0, 0, 0);
    let mut room = guess(input).min(max_len);
    loop {
        out.resize(start + room, 0);
        let result = BrotliDecompressStream(
            &mut (input.len() - read),
            &mut read,
            input,
            &mut (room - written),
            &mut written,
            &mut out[start..],
            &mut total,
            &mut state,
        );
        match result {
            BrotliResult::ResultSuccess if read < input.len() => {
                return Err(Error::corrupt("brotli: bytes after the end of the stream"));
            }
            BrotliResult::ResultSuccess => {
                out.truncate(start + written);
                return Ok(());
            }
            BrotliResult::NeedsMoreOutput if room == max_len => return Err(too_long(max_len)),
            BrotliResult::NeedsMoreOutput => room = grown(room, max_len),
            BrotliResult::NeedsMoreInput => {
                return Err(Error::truncated("brotli: the stream ends early"));
            }
            BrotliResult::ResultFailure => return Err(Error::corrupt("invalid brotli data")),
        }
    }
}

/// Ordinary data shrinks to no less than a sixteenth.
fn guess(input: &[u8]) -> usize {
    input.len().saturating_mul(16).saturating_add(1 << 12)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pack, unpack};
    use crate::compress::Codec;
    use crate::error::ErrorKind;

    #[test]
    fn bytes_after_the_stream_and_a_stream_cut_short_are_errors() {
        let packed = pack(Codec::Brotli, &[7; 100_000]);
        assert_eq!(
            unpack(Codec::Brotli, &packed, 100_000).unwrap(),
            [7; 100_000]
        );
        let kind = |bytes: &[u8]| unpack(Codec::Brotli, bytes, 100_000).unwrap_err().kind();
        assert_eq!(kind(&[&packed[..], b"x"].concat()), ErrorKind::Corrupt);
        assert_eq!(kind(&packed[..packed.len() - 1]), ErrorKind::Truncated);
    }

    #[test]
    fn a_window_of_the_extension_is_refused() {
        let large = [0x11, 0x1e, 0x03];
        assert_eq!(
            unpack(Codec::Brotli, &large, 100).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
    }
}
