//! Compression chunks: how streams and metadata sections are cut up when a file is compressed.
//!
//! ```text
//! section = chunk*        chunk = 3 bytes, little-endian: length << 1 | original   then so many bytes
//! original 1: the bytes are stored as they are; 0: they are compressed
//! ```
//! No chunk is longer than the file's block size, compressed or not. Without compression there are
//! no chunk headers: the section is the bytes.
// spec: ORCv1.md, "Compression"

use std::borrow::Cow;

use crate::bytes::Cursor;
use crate::compress::{Codec, compress, decompress_over};
use crate::error::{Error, Result};
use crate::limits::Limits;

/// The most bytes that a chunk header can state.
const MAX_CHUNK: usize = (1 << 23) - 1;

/// Bytes of a chunk's header.
pub const HEADER_BYTES: usize = 3;

/// How many bytes of a chunk follow its header.
pub fn chunk_length(header: &[u8; HEADER_BYTES]) -> usize {
    let &[a, b, c] = header;
    (u32::from_le_bytes([a, b, c, 0]) >> 1) as usize
}

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compression {
    /// The codec; [`Codec::None`] means that there are no chunks.
    pub codec: Codec,
    /// The most bytes of a chunk, decompressed.
    pub block_size: usize,
}

/// A chunk as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// Offset of its header in the section.
    pub offset: usize,
    /// The stored bytes, without the header.
    pub bytes: &'a [u8],
    /// Whether they are stored as they are.
    pub original: bool,
}

impl Chunk<'_> {
    /// Appends the chunk's bytes, decompressed.
    pub fn decode(&self, compression: Compression, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        self.decode_over(compression, out, start)
    }

    /// Writes the chunk's bytes, decompressed, over what `out` has from `start` on, and makes them its end. After an
    /// error `out` has `start` bytes.
    pub fn decode_over(
        &self,
        compression: Compression,
        out: &mut Vec<u8>,
        start: usize,
    ) -> Result<()> {
        let codec = match self.original {
            true => Codec::None,
            false => compression.codec,
        };
        decompress_over(codec, self.bytes, compression.block_size, out, start)
            .map_err(|error| error.at("compression chunk", self.offset as u64))
    }
}

/// The chunks of a section, in order. After an error there are no more.
#[derive(Debug, Clone)]
pub struct Chunks<'a> {
    cursor: Cursor<'a>,
    compression: Compression,
}

impl<'a> Chunks<'a> {
    /// Starts at the first chunk of `section`.
    pub fn new(section: &'a [u8], compression: Compression) -> Self {
        Chunks {
            cursor: Cursor::new(section),
            compression,
        }
    }

    fn next_chunk(&mut self) -> Result<Chunk<'a>> {
        let offset = self.cursor.position();
        if self.compression.codec == Codec::None {
            let bytes = self.cursor.take(self.cursor.remaining())?;
            return Ok(Chunk {
                offset,
                bytes,
                original: true,
            });
        }
        let header = self.cursor.array()?;
        let length = chunk_length(&header);
        if length > self.compression.block_size {
            let limit = self.compression.block_size;
            return Err(Error::corrupt(format!(
                "chunk of {length} bytes in a file of blocks of {limit}"
            )));
        }
        Ok(Chunk {
            offset,
            bytes: self.cursor.take(length)?,
            original: header[0] & 1 == 1,
        })
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.is_empty() {
            return None;
        }
        let offset = self.cursor.position() as u64;
        let chunk = self.next_chunk();
        if chunk.is_err() {
            self.cursor = Cursor::new(&[]);
        }
        let located = |error: Error| {
            Error::new(error.kind(), error.message().to_owned()).at("compression chunk", offset)
        };
        Some(chunk.map_err(located))
    }
}

/// A whole section, decompressed; more than `limit` bytes are an error. Borrowed where nothing is
/// compressed.
pub fn decode_all(section: &[u8], compression: Compression, limit: usize) -> Result<Cow<'_, [u8]>> {
    let mut chunks = Chunks::new(section, compression);
    let mut out = Vec::new();
    while let Some(chunk) = chunks.next().transpose()? {
        if chunk.original && out.is_empty() && chunks.cursor.is_empty() {
            Limits::check(chunk.bytes.len() as u64, limit, "section")?;
            return Ok(Cow::Borrowed(chunk.bytes));
        }
        chunk.decode(compression, &mut out)?;
        Limits::check(out.len() as u64, limit, "decompressed section")?;
    }
    Ok(Cow::Owned(out))
}

/// Appends `bytes` as a section: cut into chunks of the block size, each compressed if that makes it
/// smaller. `level` as in [`compress`].
pub fn encode(
    bytes: &[u8],
    compression: Compression,
    level: Option<i32>,
    out: &mut Vec<u8>,
) -> Result<()> {
    if compression.codec == Codec::None {
        out.extend_from_slice(bytes);
        return Ok(());
    }
    if !(1..=MAX_CHUNK).contains(&compression.block_size) {
        let size = compression.block_size;
        return Err(Error::invalid(format!(
            "compression block size {size} is not within 1 and {MAX_CHUNK}"
        )));
    }
    for block in bytes.chunks(compression.block_size) {
        let header = out.len();
        out.extend_from_slice(&[0; 3]);
        compress(compression.codec, level, block, out)?;
        let mut length = out.len() - header - 3;
        let original = length >= block.len();
        if original {
            out.truncate(header + 3);
            out.extend_from_slice(block);
            length = block.len();
        }
        let [a, b, c, _] = ((length as u32) << 1 | u32::from(original)).to_le_bytes();
        out[header..header + 3].copy_from_slice(&[a, b, c]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    const ZLIB: Compression = Compression {
        codec: Codec::Deflate,
        block_size: 100,
    };

    #[test]
    fn the_specifications_own_headers() {
        let mut section = vec![0x0b, 0, 0];
        section.extend(b"abcde");
        let chunk = Chunks::new(&section, ZLIB).next().unwrap().unwrap();
        assert_eq!((chunk.bytes, chunk.original), (&b"abcde"[..], true));
        let decoded = decode_all(&section, ZLIB, 5).unwrap();
        assert!(matches!(decoded, Cow::Borrowed(b"abcde")));

        let wide = Compression {
            block_size: 1 << 18,
            ..ZLIB
        };
        let mut section = vec![0x40, 0x0d, 0x03];
        section.resize(3 + 100_000, 0);
        let chunk = Chunks::new(&section, wide).next().unwrap().unwrap();
        assert_eq!((chunk.bytes.len(), chunk.original), (100_000, false));
    }

    #[test]
    fn chunks_beyond_the_block_size_the_limit_or_the_section_are_errors() {
        let kind = |section: &[u8], limit| decode_all(section, ZLIB, limit).unwrap_err().kind();
        let mut long = vec![203, 0, 0];
        long.resize(104, 0);
        assert_eq!(kind(&long, 1000), ErrorKind::Corrupt);
        assert_eq!(kind(&[0x0b, 0, 0, 1, 2], 1000), ErrorKind::Truncated);
        assert_eq!(kind(&[0x0b, 0], 1000), ErrorKind::Truncated);
        assert_eq!(kind(&[3, 0, 0, 1, 3, 0, 0, 2], 1), ErrorKind::LimitExceeded);

        let mut bomb = Vec::new();
        let wide = Compression {
            block_size: 10_000,
            ..ZLIB
        };
        encode(&[0; 10_000], wide, None, &mut bomb).unwrap();
        assert_eq!(kind(&bomb, 1 << 20), ErrorKind::Corrupt);
        assert_eq!(decode_all(&bomb, wide, 10_000).unwrap().len(), 10_000);
    }

    #[test]
    fn block_sizes_that_no_header_can_state_are_refused() {
        for block_size in [0, MAX_CHUNK + 1] {
            let compression = Compression { block_size, ..ZLIB };
            let error = encode(b"a", compression, None, &mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        }
    }

    #[test]
    fn no_truncation_or_flip_panics() {
        let mut section = Vec::new();
        encode(&[7; 250], ZLIB, None, &mut section).unwrap();
        encode(b"some bytes", ZLIB, None, &mut section).unwrap();
        for end in 0..section.len() {
            let decoded = decode_all(&section[..end], ZLIB, 1000);
            assert!(decoded.is_err() || decoded.unwrap().len() < 260);
        }
        for index in 0..section.len() {
            for bit in 0..8 {
                let mut flipped = section.clone();
                flipped[index] ^= 1 << bit;
                let decoded = decode_all(&flipped, ZLIB, 1000);
                assert!(decoded.is_err() || decoded.unwrap().len() <= 1000);
            }
        }
    }

    quickcheck::quickcheck! {
        fn sections_round_trip(bytes: Vec<u8>, repeat: u8, small: bool) -> bool {
            let bytes = bytes.repeat(usize::from(repeat % 8));
            let codecs = [Codec::None, Codec::Deflate, Codec::Snappy, Codec::Lz4, Codec::Zstd];
            codecs.into_iter().all(|codec| {
                let block_size = if small { 16 } else { 1 << 18 };
                let compression = Compression { codec, block_size };
                let mut section = Vec::new();
                encode(&bytes, compression, None, &mut section).unwrap();
                *decode_all(&section, compression, bytes.len()).unwrap() == bytes[..]
            })
        }
    }
}
