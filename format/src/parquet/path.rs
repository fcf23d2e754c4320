//! The names that lead from the root to a leaf, in one piece of memory, inside of what holds them if they
//! are short: a footer has one for every chunk.
//!
//! ```text
//! (varint length, name)*
//! ```

use std::fmt;

use smallvec::SmallVec;

use crate::bytes::{Cursor, is_ascii, put_varint};
use crate::error::Result;
use crate::limits::Limits;
use crate::parquet::thrift::{InPlace, Kept, Reader, Wire, Writer};
use crate::short_bytes::ShortBytes;

/// Names from the root's child down to a leaf.
#[derive(Clone, Default)]
pub struct LeafPath(ShortBytes);

impl LeafPath {
    /// Becomes the path of these names.
    pub(crate) fn set(&mut self, names: &[&str]) {
        match names {
            // most leaves are columns
            [name] if name.len() < 0x80 => self.0.set_joined([name.len() as u8], name.as_bytes()),
            _ => *self = names.iter().collect(),
        }
    }

    /// The names, the outermost first.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut cursor = Cursor::new(&self.0);
        std::iter::from_fn(move || {
            let length = cursor.varint().ok()?;
            std::str::from_utf8(cursor.take(length as usize).ok()?).ok()
        })
    }

    /// The names with dots between them.
    pub fn dotted(&self) -> String {
        self.iter().collect::<Vec<_>>().join(".")
    }

    /// Writes it as field `id`, if there are names.
    pub(crate) fn encode_to(&self, id: i16, writer: &mut Writer<'_>) {
        if !self.0.is_empty() {
            writer.elements(id, (Wire::Binary, self.iter().count()), &self.0);
        }
    }
}

impl InPlace for LeafPath {
    const WIRE: Wire = Wire::List;

    fn decode_into(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let count = reader.list_head(Wire::Binary)?;
        // the root has no name here, so that no leaf of a schema within the limits lies deeper
        Limits::check(count as u64, reader.limits().depth, "column path")?;
        let start = reader.rest();
        for _ in 0..count {
            reader.text()?;
        }
        // the file has the names in the form that is kept here
        reader.keep_since(start, &mut self.0)
    }
}

impl Kept for LeafPath {
    const ELEMENT: Wire = Wire::Binary;

    #[inline]
    fn usual_length(bytes: &[u8], count: usize) -> Option<usize> {
        let mut length = 0;
        for _ in 0..count {
            length += 1 + usize::from(*bytes.get(length)?);
        }
        // if all of it is ASCII, then so are the lengths, which are of one byte then
        is_ascii(bytes.get(..length)?).then_some(length)
    }

    #[inline]
    fn elements(&mut self) -> &mut ShortBytes {
        &mut self.0
    }
}

/// Of the names: a file may have spelled a length with more bytes than it takes.
impl PartialEq for LeafPath {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.iter().eq(other.iter())
    }
}

impl Eq for LeafPath {}

impl<S: AsRef<str>> FromIterator<S> for LeafPath {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        let mut bytes = SmallVec::<[u8; 64]>::new();
        for name in names {
            let name = name.as_ref().as_bytes();
            match u8::try_from(name.len()) {
                Ok(length @ ..0x80) => bytes.push(length),
                _ => {
                    let mut length = Vec::new();
                    put_varint(&mut length, name.len() as u64);
                    bytes.extend_from_slice(&length);
                }
            }
            bytes.extend_from_slice(name);
        }
        LeafPath(bytes.as_slice().into())
    }
}

impl fmt::Debug for LeafPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    quickcheck::quickcheck! {
        fn names_come_back(names: Vec<String>, long: u8) -> bool {
            let mut names = names;
            names.push("n".repeat(usize::from(long)));
            let path: LeafPath = names.iter().collect();
            path.iter().eq(names.iter().map(String::as_str)) && path.dotted() == names.join(".")
        }
    }
}
