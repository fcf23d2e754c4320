//! Text, which is checked to be UTF-8 many names at a time: in a schema, names follow each other with little but
//! ASCII between them.
//!
//! ```text
//! 15 04 25 02 18 01 "a" 00 15 0a 25 02 18 01 "b" 00     one check, then two names cut out of what it found valid
//! ```
// spec: thrift-compact-protocol.md, "String encoding"

use super::Reader;
use crate::error::{Error, Result};
use crate::limits::Limits;

/// How many bytes are checked at least when text is checked.
const CHECKED: usize = 512;

impl<'a> Reader<'a> {
    /// Length-prefixed text.
    pub(crate) fn string(&mut self) -> Result<String> {
        self.text().map(str::to_owned)
    }

    /// Length-prefixed text that is only shown: invalid UTF-8 is replaced.
    pub(crate) fn lossy_string(&mut self) -> Result<String> {
        let bytes = self.slice()?;
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Ok(text.to_owned());
        }
        // replacements are longer than what they replace
        Limits::check(
            bytes.len() as u64,
            self.limits.name_bytes,
            "text that is not UTF-8",
        )?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Length-prefixed text, borrowed.
    #[inline]
    pub(crate) fn text(&mut self) -> Result<&'a str> {
        let length = self.slice()?.len();
        let start = self.position() - length;
        let (from, text) = self.valid;
        let known = start
            .checked_sub(from)
            .and_then(|at| text.get(at..at + length));
        known.map_or_else(|| self.check_text(start, length), Ok)
    }

    /// The text of `length` bytes at `start`. What follows it is checked as well, because names often follow each
    /// other closely, with nothing but ASCII between them.
    #[inline(never)]
    fn check_text(&mut self, start: usize, length: usize) -> Result<&'a str> {
        let ahead = &self.bytes[start..];
        let ahead = &ahead[..ahead.len().min(length.max(CHECKED))];
        let valid = match std::str::from_utf8(ahead) {
            Ok(_) => ahead.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = std::str::from_utf8(&ahead[..valid]).unwrap_or_default();
        self.valid = (start, text);
        text.get(..length)
            .map_or_else(|| Err(not_text(&ahead[..length], start)), Ok)
    }
}

#[cold]
fn not_text(bytes: &[u8], position: usize) -> Error {
    let error = Error::corrupt("text is not UTF-8").at("thrift", position as u64);
    match std::str::from_utf8(bytes) {
        Ok(_) => error,
        Err(source) => error.with_source(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts with their lengths before them.
    fn encoded(texts: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for text in texts {
            crate::bytes::put_varint(&mut bytes, text.len() as u64);
            bytes.extend_from_slice(text);
        }
        bytes
    }

    fn reader(bytes: &[u8]) -> Reader<'_> {
        Reader::new(bytes, &Limits::default())
    }

    #[test]
    fn each_text_is_valid_by_itself() {
        // the two halves of a letter, each in a text of its own
        let halves = encoded(&[b"a", &[0xc3], &[0xa4], "\u{e4}".as_bytes()]);
        let mut halves = reader(&halves);
        assert_eq!(halves.text().unwrap(), "a");
        assert!(halves.text().is_err());
        assert!(halves.text().is_err());
        assert_eq!(halves.text().unwrap(), "\u{e4}");
    }

    quickcheck::quickcheck! {
        fn texts_come_back(texts: Vec<Vec<u8>>, long: u16) -> bool {
            let mut texts = texts;
            texts.push(vec![b'x'; usize::from(long)]);
            let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
            let bytes = encoded(&texts);
            let mut reader = reader(&bytes);
            texts.iter().all(|text| reader.text().ok() == std::str::from_utf8(text).ok())
        }
    }
}
