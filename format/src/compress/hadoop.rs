//! Hadoop's block framing, used by Parquet's LZO pages and by LZ4 pages under the deprecated codec id.
//!
//! ```text
//! | raw length, u32 BE | ( | block length, u32 BE | block | )+ until raw length | ..
//! ```
// spec: Compression.md, "LZ4", "LZO"

use super::too_long;
use crate::bytes::Cursor;
use crate::error::{Error, Result};

/// Decompresses one block to at most the given number of bytes.
pub(super) type Block = fn(&[u8], usize, &mut Vec<u8>) -> Result<()>;

pub(super) fn decompress(
    input: &[u8],
    max_len: usize,
    out: &mut Vec<u8>,
    block: Block,
) -> Result<()> {
    let start = out.len();
    let mut cursor = Cursor::new(input);
    while !cursor.is_empty() {
        let raw_len = u32::from_be_bytes(cursor.array()?) as usize;
        let block_start = out.len();
        if raw_len > max_len - (block_start - start) {
            return Err(too_long(max_len));
        }
        loop {
            let left = raw_len - (out.len() - block_start);
            if left == 0 {
                break;
            }
            let len = u32::from_be_bytes(cursor.array()?) as usize;
            let before = out.len();
            block(cursor.take(len)?, left, out)?;
            if out.len() == before {
                return Err(Error::corrupt("empty block in hadoop framing"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::{pack, unpack};
    use crate::compress::Codec;
    use crate::error::ErrorKind;

    /// Blocks of one frame.
    pub(in crate::compress) fn frame(codec: Codec, blocks: &[&[u8]]) -> Vec<u8> {
        let raw_len: usize = blocks.iter().map(|block| block.len()).sum();
        let mut out = (raw_len as u32).to_be_bytes().to_vec();
        for block in blocks {
            let packed = pack(codec, block);
            out.extend((packed.len() as u32).to_be_bytes());
            out.extend(packed);
        }
        out
    }

    #[test]
    fn lzo_pages_are_frames_of_blocks() {
        let data = b"one two three one two three one two three".repeat(20);
        let first = frame(Codec::Lzo, &[&data[..300], &data[300..]]);
        let whole = [first, frame(Codec::Lzo, &[b"tail"])].concat();
        let expected = [data.as_slice(), b"tail"].concat();
        let read = |bytes: &[u8], max_len| unpack(Codec::LzoHadoop, bytes, max_len);
        assert_eq!(read(&whole, expected.len()).unwrap(), expected);
        let error = read(&whole, expected.len() - 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        // a cut between frames leaves a shorter page, which its declared size tells
        let between = whole.len() - frame(Codec::Lzo, &[b"tail"]).len();
        for end in 1..whole.len() {
            assert_eq!(read(&whole[..end], 2000).is_ok(), end == between);
        }
        // a block without its frame
        assert!(read(&pack(Codec::Lzo, &data), data.len()).is_err());
        assert!(read(&frame(Codec::Lzo, &[&data, b""]), 2000).is_err());
    }
}
