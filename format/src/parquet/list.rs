//! The short lists of a chunk's metadata (encodings, histograms), kept encoded, because few of them are ever used.
//!
//! ```text
//! element*     as in the file, without the list's header
//! ```
//! Every element is validated when the list is decoded, so that iterating over the list cannot fail.
// spec: thrift-compact-protocol.md, "List and Set"; parquet.thrift, ColumnMetaData

use std::fmt;
use std::marker::PhantomData;

use crate::bytes::{is_ascii, put_varint, zigzag};
use crate::error::Result;
use crate::limits::Limits;
use crate::parquet::encoding::Encoding;
use crate::parquet::thrift::{InPlace, Kept, Reader, Wire, Writer};
use crate::short_bytes::ShortBytes;

/// The type of a list's elements.
pub trait Element: Sized {
    #[doc(hidden)]
    const WIRE: Wire;

    #[doc(hidden)]
    fn read(reader: &mut Reader<'_>) -> Result<Self>;

    /// How many of `bytes` the first `count` elements take, if they are valid and in the usual, short form.
    #[doc(hidden)]
    fn usual_length(bytes: &[u8], count: usize) -> Option<usize>;

    #[doc(hidden)]
    fn write(&self, out: &mut Vec<u8>);
}

impl Element for i64 {
    const WIRE: Wire = Wire::I64;

    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        reader.i64()
    }

    #[inline]
    fn usual_length(bytes: &[u8], count: usize) -> Option<usize> {
        let mut length = 0;
        for _ in 0..count {
            length += match bytes.get(length..)? {
                [..0x80, ..] => 1,
                [_, ..0x80, ..] => 2,
                [_, _, ..0x80, ..] => 3,
                [_, _, _, ..0x80, ..] => 4,
                _ => return None,
            };
        }
        Some(length)
    }

    fn write(&self, out: &mut Vec<u8>) {
        put_varint(out, zigzag(*self));
    }
}

impl Element for Encoding {
    const WIRE: Wire = Wire::I32;

    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        reader.i32().map(Encoding::from_id)
    }

    #[inline]
    fn usual_length(bytes: &[u8], count: usize) -> Option<usize> {
        // numbers of one byte, as those of all known encodings are
        is_ascii(bytes.get(..count)?).then_some(count)
    }

    fn write(&self, out: &mut Vec<u8>) {
        put_varint(out, zigzag(self.id().into()));
    }
}

/// A list whose elements are decoded when they are iterated over.
#[derive(Clone)]
pub struct List<T> {
    elements: ShortBytes,
    of: PhantomData<T>,
}

impl<T: Element> List<T> {
    /// The elements, in the file's order.
    pub fn iter(&self) -> Elements<'_, T> {
        // their depth was checked when the list was decoded
        let limits = Limits {
            depth: usize::MAX,
            ..Limits::default()
        };
        Elements {
            reader: Reader::new(&self.elements, &limits),
            of: PhantomData,
        }
    }

    /// Writes it as field `id`.
    pub(crate) fn encode_to(&self, id: i16, writer: &mut Writer<'_>) {
        writer.elements(id, (T::WIRE, self.iter().count()), &self.elements);
    }
}

impl<T: Element> InPlace for List<T> {
    const WIRE: Wire = Wire::List;

    fn decode_into(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let count = reader.list_head(T::WIRE)?;
        let start = reader.rest();
        for _ in 0..count {
            T::read(reader)?;
        }
        reader.keep_since(start, &mut self.elements)
    }
}

impl<T: Element> Kept for List<T> {
    const ELEMENT: Wire = T::WIRE;

    #[inline]
    fn usual_length(bytes: &[u8], count: usize) -> Option<usize> {
        T::usual_length(bytes, count)
    }

    #[inline]
    fn elements(&mut self) -> &mut ShortBytes {
        &mut self.elements
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List {
            elements: ShortBytes::default(),
            of: PhantomData,
        }
    }
}

impl<'a, T: Element> IntoIterator for &'a List<T> {
    type Item = T;
    type IntoIter = Elements<'a, T>;

    fn into_iter(self) -> Elements<'a, T> {
        self.iter()
    }
}

/// The elements of a list.
#[derive(Debug)]
pub struct Elements<'a, T> {
    reader: Reader<'a>,
    of: PhantomData<T>,
}

impl<T: Element> Iterator for Elements<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match self.reader.is_at_end() {
            true => None,
            false => T::read(&mut self.reader).ok(),
        }
    }
}

impl<T: Element> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut encoded = Vec::new();
        for element in elements {
            element.write(&mut encoded);
        }
        List {
            elements: encoded.into(),
            of: PhantomData,
        }
    }
}

/// Compares the elements, because a file may encode a number with more bytes than necessary.
impl<T: Element + PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        self.elements == other.elements || self.iter().eq(other.iter())
    }
}

impl<T: Element + Eq> Eq for List<T> {}

impl<T: Element + fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn decode<T: Element>(bytes: &[u8]) -> Result<List<T>> {
        List::decoded(&mut Reader::new(bytes, &Limits::default()))
    }

    quickcheck::quickcheck! {
        fn numbers_come_back(numbers: Vec<i64>) -> bool {
            let list: List<i64> = numbers.iter().copied().collect();
            list.iter().eq(numbers.iter().copied()) && (&list).into_iter().count() == numbers.len()
        }
    }

    #[test]
    fn a_number_may_be_encoded_with_more_bytes() {
        let long = decode::<i64>(&[0x26, 0x82, 0x80, 0x00, 0x04]).unwrap();
        assert_eq!(long, [1, 2].into_iter().collect());
        assert_ne!(long, [1, 3].into_iter().collect());
        assert_eq!(format!("{long:?}"), "[1, 2]");
    }

    #[test]
    fn invalid_elements_are_errors_when_the_list_is_decoded() {
        let kind = |bytes: &[u8]| decode::<Encoding>(bytes).unwrap_err().kind();
        assert_eq!(
            kind(&[0x15, 0xff, 0xff, 0xff, 0xff, 0x1f]),
            ErrorKind::Corrupt
        );
        assert_eq!(kind(&[0x25, 0x02]), ErrorKind::Truncated);
        assert_eq!(kind(&[0x18, 0x00]), ErrorKind::Corrupt);
    }
}
