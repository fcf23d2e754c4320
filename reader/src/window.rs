//! Reads structures whose length is known only once they are decoded, such as page headers.
//!
//! ```text
//! at offset   1 KiB -> decode -> cut off? 4 KiB -> decode -> .. -> 16 MiB
//! ```
//! Structures that follow each other are decoded from one piece. The total of bytes read is limited by the size
//! of the file: metadata that points to the same bytes over and over is an error.

use bytes::Bytes;
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;

use crate::source::Source;

/// How much is read at first.
const FIRST_READ: u64 = 1 << 10;

/// How long a structure may be.
const MAX_STRUCTURE: u64 = 16 << 20;

/// How many times a file's size, and how much beyond, may be read: pieces overlap where structures are small.
const READS: u64 = 16;
const READS_BEYOND: u64 = 1 << 20;

/// A piece of a file, and how much more of it may be read.
pub struct Window<'a> {
    source: &'a dyn Source,
    left: u64,
    offset: u64,
    bytes: Bytes,
}

impl<'a> Window<'a> {
    /// Before anything is read.
    pub fn new(source: &'a dyn Source) -> Self {
        let size = source.size();
        Window {
            source,
            left: size.saturating_mul(READS).saturating_add(READS_BEYOND),
            offset: 0,
            bytes: Bytes::new(),
        }
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.source.size()
    }

    /// The `length` bytes at `offset`, which are not more than `limit`.
    pub fn read(&mut self, offset: u64, length: u64, limit: usize) -> Result<Bytes> {
        if offset.saturating_add(length) > self.size() {
            let message = format!("{length} bytes at {offset} are not within the file");
            return Err(Error::truncated(message));
        }
        self.spend(length)?;
        let length = Limits::check(length, limit, "structure")?;
        self.source.read_at(offset, length)
    }

    /// What `decode` makes of the bytes from `offset` on, and how many of them it took.
    pub fn decode<T>(
        &mut self,
        offset: u64,
        decode: impl Fn(&[u8]) -> Result<(T, usize)>,
    ) -> Result<(T, u64)> {
        let room = self.size().saturating_sub(offset).min(MAX_STRUCTURE);
        let mut bytes = self.buffered(offset);
        let mut more = FIRST_READ;
        loop {
            match decode(&bytes) {
                Ok((value, length)) => {
                    self.spend(length as u64)?;
                    return Ok((value, length as u64));
                }
                Err(error)
                    if error.kind() == ErrorKind::Truncated && (bytes.len() as u64) < room =>
                {
                    let length = more.min(room);
                    self.spend(length)?;
                    bytes = self.source.read_at(offset, length as usize)?;
                    (self.offset, self.bytes) = (offset, bytes.clone());
                    more *= 4;
                }
                Err(error) => return Err(error.rebase(offset)),
            }
        }
    }

    /// The bytes that were read already from `offset` on.
    fn buffered(&self, offset: u64) -> Bytes {
        let from = offset.checked_sub(self.offset);
        let from = from.and_then(|from| usize::try_from(from).ok());
        match from.filter(|from| *from < self.bytes.len()) {
            Some(from) => self.bytes.slice(from..),
            None => Bytes::new(),
        }
    }

    fn spend(&mut self, bytes: u64) -> Result<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Error::limit("metadata points to the same bytes too often")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::BytesSource;

    /// A length of four bytes, and so many bytes.
    fn counted(bytes: &[u8]) -> Result<(Vec<u8>, usize)> {
        let mut cursor = lith_format::bytes::Cursor::new(bytes);
        let length = cursor.u32_le()? as usize;
        let value = cursor.take(length)?.to_vec();
        Ok((value, cursor.position()))
    }

    fn file(lengths: &[usize]) -> BytesSource {
        let mut bytes = Vec::new();
        for length in lengths {
            bytes.extend((*length as u32).to_le_bytes());
            bytes.extend(vec![7; *length]);
        }
        BytesSource::new(bytes, "test")
    }

    #[test]
    fn structures_are_read_however_long_they_are() {
        let source = file(&[3, 5000, 0, 100_000]);
        let mut window = Window::new(&source);
        let mut offset = 0;
        for length in [3, 5000, 0, 100_000] {
            let (value, took) = window.decode(offset, counted).unwrap();
            assert_eq!((value.len() as u64, took), (length, length + 4));
            offset += took;
        }
        let end = window.decode(offset, counted).unwrap_err();
        assert_eq!(end.kind(), ErrorKind::Truncated);
        let (value, _) = window.decode(0, counted).unwrap();
        assert_eq!(value, [7; 3]);
    }

    #[test]
    fn what_is_cut_off_or_read_too_often_is_an_error() {
        let source = file(&[3]);
        let mut window = Window::new(&source);
        assert!(window.decode(2, counted).is_err());
        assert!(window.read(0, 8, 100).is_err() && window.read(u64::MAX, 2, 100).is_err());
        assert_eq!(window.read(4, 3, 100).unwrap(), [7; 3][..]);
        let often = (0..1 << 20).find_map(|_| window.decode(0, counted).err());
        assert_eq!(often.unwrap().kind(), ErrorKind::LimitExceeded);
    }
}
