//! The variant encoding: self-describing semi-structured values.
//!
//! ```text
//! metadata | offset_size_minus_one:2 -:1 sorted_strings:1 version:4 | dictionary_size | offsets | the names' bytes |
//! value    | value_header:6 basic_type:2 | ..    see `value`; bits of a byte from the highest
//! ```
//! All numbers are unsigned and little-endian. Objects refer to field names by index. Names are checked to be
//! UTF-8 on decoding; everything else is decoded on access.
// spec: VariantEncoding.md, "Metadata encoding"

use crate::bytes::Cursor;
use crate::error::{Error, Result};

pub mod json;
pub mod value;

const VERSION: u8 = 1;

/// The names that the objects of a variant use.
#[derive(Debug, Clone, Copy, Default)]
pub struct Metadata<'a> {
    offsets: Numbers<'a>,
    names: &'a str,
}

impl<'a> Metadata<'a> {
    /// Decodes the metadata of a variant.
    ///
    /// # Errors
    /// Bytes that end early, names that are not UTF-8, and a version other than 1.
    pub fn decode(bytes: &'a [u8]) -> Result<Self> {
        Self::read(bytes).map_err(|error| error.at("variant metadata", 0))
    }

    fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut cursor = Cursor::new(bytes);
        let header = cursor.u8()?;
        let version = header & 0xf;
        if version != VERSION {
            return Err(Error::unsupported(format!("variants of version {version}")));
        }
        let width = usize::from(header >> 6) + 1;
        let count = number(cursor.take(width)?);
        let offsets = Numbers::read(&mut cursor, width, count.saturating_add(1))?;
        let end = offsets.get(count).unwrap_or(0);
        // else names could overlap, and be longer together than what they are stored in
        let ends = (0..=count).filter_map(|index| offsets.get(index));
        if !ends.is_sorted() {
            return Err(Error::corrupt("names that end before they begin"));
        }
        let names = std::str::from_utf8(cursor.take(end)?)
            .map_err(|_| Error::corrupt("names that are not UTF-8"))?;
        Ok(Metadata { offsets, names })
    }

    /// The name of this number.
    ///
    /// # Errors
    /// No such name, or offsets that are out of range.
    #[inline]
    pub fn name(&self, id: usize) -> Result<&'a str> {
        let place = self
            .offsets
            .get(id)
            .zip(self.offsets.get(id.saturating_add(1)));
        let name = place.and_then(|(start, end)| self.names.get(start..end));
        name.ok_or_else(|| Error::corrupt(format!("a variant without name {id}")))
    }
}

/// Numbers of one width.
#[derive(Debug, Clone, Copy, Default)]
struct Numbers<'a> {
    bytes: &'a [u8],
    width: usize,
}

impl<'a> Numbers<'a> {
    fn read(cursor: &mut Cursor<'a>, width: usize, count: usize) -> Result<Self> {
        let bytes = cursor.take(count.saturating_mul(width))?;
        Ok(Numbers { bytes, width })
    }

    #[inline]
    fn get(&self, index: usize) -> Option<usize> {
        let start = index.checked_mul(self.width)?;
        let bytes = self.bytes.get(start..start.checked_add(self.width)?)?;
        (!bytes.is_empty()).then(|| number(bytes))
    }
}

/// An unsigned number of at most four bytes.
#[inline]
fn number(bytes: &[u8]) -> usize {
    (bytes.iter().rev()).fold(0, |number, &byte| number << 8 | usize::from(byte))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn names_are_found_whatever_the_width_of_their_offsets() {
        // "", "ab", "é"
        for width in 1..=4u8 {
            let mut bytes = vec![(width - 1) << 6 | 0x20 | VERSION];
            for value in [3u32, 0, 0, 2, 4] {
                bytes.extend(&value.to_le_bytes()[..usize::from(width)]);
            }
            bytes.extend("abé".as_bytes());
            let metadata = Metadata::decode(&bytes).unwrap();
            let names = [0, 1, 2].map(|id| metadata.name(id).unwrap());
            assert_eq!(names, ["", "ab", "é"]);
            assert_eq!(metadata.name(3).unwrap_err().kind(), ErrorKind::Corrupt);
            let huge = metadata.name(usize::MAX - 1).unwrap_err();
            assert_eq!(huge.kind(), ErrorKind::Corrupt);
            for cut in 0..bytes.len() {
                let error = Metadata::decode(&bytes[..cut]).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Truncated, "{cut}");
            }
        }
    }

    #[test]
    fn what_is_no_metadata_is_refused() {
        let kind = |bytes: &[u8]| {
            let metadata = Metadata::decode(bytes);
            let names = metadata.and_then(|metadata| metadata.name(0));
            names.map(str::len).map_err(|error| error.kind())
        };
        assert_eq!(kind(&[2, 0, 0]), Err(ErrorKind::Unsupported));
        assert_eq!(kind(&[1, 1, 0, 1, 0xff]), Err(ErrorKind::Corrupt));
        // a name ends before it begins, and within a character
        assert_eq!(kind(&[1, 1, 1, 0, b'a']), Err(ErrorKind::Corrupt));
        assert_eq!(kind(&[1, 2, 0, 1, 2, 0xc3, 0xa9]), Err(ErrorKind::Corrupt));
        // more names than there is memory for
        let many = [0xc1, 0xff, 0xff, 0xff, 0xff];
        assert_eq!(kind(&many), Err(ErrorKind::Truncated));
        assert_eq!(
            Metadata::default().name(0).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
    }
}
