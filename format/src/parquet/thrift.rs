//! Thrift's compact protocol, as much of it as Parquet's metadata needs, in both directions.
//!
//! ```text
//! struct  field* 00                       field   dddd tttt [zigzag id if d = 0] value
//! list    nnnn tttt [varint n if n = 15] element*     (set: the same)
//! map     00 | varint n, kkkk vvvv, (key value)*
//! bool    in a field: the type itself (1 true, 2 false); in a list: one byte, 1 is true
//! i8      one byte      i16 i32 i64  zigzag varint      double  8 bytes, little-endian
//! binary  varint length, bytes
//! ```
//!
//! A struct's decoder is a plain `match (id, wire)`: what it does not name, or names with another wire
//! type, is skipped.
// spec: thrift-compact-protocol.md

mod alike;
mod ascending;
mod lists;
mod skip;
mod text;
mod writer;

use bytes::Bytes;

use crate::bytes::Cursor;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::short_bytes::ShortBytes;

pub(crate) use ascending::{Ascending, InOrder};
pub(crate) use writer::Writer;

/// A type on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// A code that no version of the protocol defines.
    Unknown,
    /// A boolean. The type of a field is its value, too; as the type of elements, `True` and `False` are the same.
    True,
    False,
    I8,
    I16,
    I32,
    I64,
    Double,
    Binary,
    List,
    Set,
    Map,
    Struct,
    Uuid,
}

impl Wire {
    /// The types by their codes of four bits.
    const BY_ID: [Wire; 16] = [
        Wire::Unknown,
        Wire::True,
        Wire::False,
        Wire::I8,
        Wire::I16,
        Wire::I32,
        Wire::I64,
        Wire::Double,
        Wire::Binary,
        Wire::List,
        Wire::Set,
        Wire::Map,
        Wire::Struct,
        Wire::Uuid,
        Wire::Unknown,
        Wire::Unknown,
    ];

    /// The type of the low four bits of `head`.
    #[inline(always)]
    fn of_head(head: u8) -> Wire {
        Self::BY_ID[usize::from(head & 0x0f)]
    }

    /// This type, or an error at `position` if it is unknown.
    #[inline]
    fn known(self, position: usize) -> Result<Wire> {
        match self {
            Wire::Unknown => {
                Err(Error::corrupt("a wire type that does not exist").at("thrift", position as u64))
            }
            known => Ok(known),
        }
    }

    /// Its code of four bits, the index into [`BY_ID`](Self::BY_ID).
    fn id(self) -> u8 {
        self as u8
    }

    /// Whether elements of this type can be read as elements of the `other`.
    fn is_alike(self, other: Wire) -> bool {
        let is_bool = |wire| matches!(wire, Wire::True | Wire::False);
        self == other || is_bool(self) && is_bool(other)
    }

    /// The fewest bytes that an element of this type takes.
    fn least_bytes(self) -> usize {
        match self {
            Wire::Double => 8,
            Wire::Uuid => 16,
            _ => 1,
        }
    }
}

/// A struct or union of the specification.
pub(crate) trait Structure: Sized {
    /// Reads the fields and the stop byte.
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self>;

    /// Writes the fields; the stop byte is the caller's.
    fn encode_to(&self, writer: &mut Writer<'_>);
}

/// A value of which footers have many. It is decoded directly into its place, because it is too large to be moved.
pub(crate) trait InPlace: Default {
    /// Its type on the wire.
    const WIRE: Wire = Wire::Struct;

    /// Reads all of it; `self` is the default value before.
    fn decode_into(&mut self, reader: &mut Reader<'_>) -> Result<()>;

    /// Reads a new value, for implementations of [`Structure::decode_from`].
    fn decoded(reader: &mut Reader<'_>) -> Result<Self> {
        let mut value = Self::default();
        value.decode_into(reader)?;
        Ok(value)
    }
}

/// A list that is kept encoded.
pub(crate) trait Kept: InPlace {
    /// The type of its elements.
    const ELEMENT: Wire;

    /// How many of `bytes` the first `count` elements take, if they are valid and in the usual, short form.
    fn usual_length(bytes: &[u8], count: usize) -> Option<usize>;

    /// Where they are kept.
    fn elements(&mut self) -> &mut ShortBytes;
}

/// The whole of `bytes` as one struct; bytes after it are left alone. Also returns its length.
pub(crate) fn decode<T: Structure>(bytes: &[u8], limits: &Limits) -> Result<(T, usize)> {
    let mut reader = Reader::new(bytes, limits);
    let value = T::decode_from(&mut reader)?;
    Ok((value, reader.position()))
}

/// Like [`decode`], with binary values that share `bytes` instead of copying.
pub(crate) fn decode_shared<T: Structure>(bytes: &Bytes, limits: &Limits) -> Result<(T, usize)> {
    let mut reader = Reader::new(bytes, limits);
    reader.shared = Some(bytes);
    let value = T::decode_from(&mut reader)?;
    Ok((value, reader.position()))
}

/// The bytes of one struct.
pub(crate) fn encode<T: Structure>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    Writer::structure_into(&mut out, value);
    out
}

/// Takes values off a slice.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    cursor: Cursor<'a>,
    shared: Option<&'a Bytes>,
    limits: Limits,
    /// How much memory lists may still take.
    left: usize,
    /// Whether the fields of a struct were not in ascending order.
    is_disordered: bool,
    /// Text that has been found valid, and where it begins.
    valid: (usize, &'a str),
    /// The layouts of the structs that [`skip_alike`](Reader::skip_alike) skipped.
    layouts: alike::Layouts,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], limits: &Limits) -> Self {
        Reader {
            bytes,
            cursor: Cursor::new(bytes),
            shared: None,
            limits: *limits,
            left: Limits::decoded(bytes.len()),
            is_disordered: false,
            valid: (0, ""),
            layouts: alike::Layouts::default(),
        }
    }

    pub(crate) fn position(&self) -> usize {
        self.cursor.position()
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.cursor.is_empty()
    }

    /// Goes back to a position where it was before.
    pub(crate) fn rewind(&mut self, position: usize) {
        self.cursor = Cursor::new(self.bytes);
        // cannot fail: so many bytes have been taken before
        let _ = self.cursor.take(position);
    }

    /// The bytes from a position where it was before.
    pub(crate) fn since(&self, position: usize) -> &'a [u8] {
        &self.bytes[position..self.position()]
    }

    pub(crate) fn i8(&mut self) -> Result<i8> {
        self.cursor.u8().map(|byte| byte as i8)
    }

    pub(crate) fn i16(&mut self) -> Result<i16> {
        self.narrow()
    }

    #[inline]
    pub(crate) fn i32(&mut self) -> Result<i32> {
        self.narrow()
    }

    #[inline]
    pub(crate) fn i64(&mut self) -> Result<i64> {
        self.cursor.zigzag()
    }

    pub(crate) fn f64(&mut self) -> Result<f64> {
        self.cursor.array().map(f64::from_le_bytes)
    }

    pub(crate) fn uuid(&mut self) -> Result<[u8; 16]> {
        self.cursor.array()
    }

    /// A boolean that is a list's element. Writers exist that spell false 0 and others 2.
    pub(crate) fn bool_element(&mut self) -> Result<bool> {
        self.cursor.u8().map(|byte| byte == 1)
    }

    #[inline]
    fn narrow<T: TryFrom<i64>>(&mut self) -> Result<T> {
        let position = self.position();
        let value = self.cursor.zigzag()?;
        T::try_from(value).map_err(|_| too_wide(value, position))
    }

    /// Length-prefixed bytes, borrowed.
    pub(crate) fn slice(&mut self) -> Result<&'a [u8]> {
        slice(&mut self.cursor)
    }

    /// Length-prefixed bytes that outlive the reader.
    pub(crate) fn binary(&mut self) -> Result<Bytes> {
        let slice = self.slice()?;
        Ok(match self.shared {
            Some(shared) => shared.slice_ref(slice),
            None => Bytes::copy_from_slice(slice),
        })
    }

    /// The bytes left.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.cursor.rest()
    }

    /// Stores the bytes taken since `before` was the [rest](Self::rest); they are usually few.
    #[inline(always)]
    pub(crate) fn keep_since(&self, before: &[u8], to: &mut ShortBytes) -> Result<()> {
        to.set(before.len() - self.cursor.remaining(), before)
    }

    /// A list's header: element type and count, which the bytes left can hold.
    pub(crate) fn list(&mut self) -> Result<(Wire, usize)> {
        let position = self.position();
        let head = self.cursor.u8()?;
        if head == 0 {
            // fastparquet declares no element type where there are no elements
            return Ok((Wire::False, 0));
        }
        let wire = Wire::of_head(head).known(position)?;
        let count = match head >> 4 {
            15 => self.cursor.varint()?,
            count => u64::from(count),
        };
        let count = self.fitting(count, wire.least_bytes(), position)?;
        Ok((wire, count))
    }

    /// A map's header: the types of keys and values and how many there are, which the bytes left can hold.
    pub(crate) fn map(&mut self) -> Result<(Wire, Wire, usize)> {
        let position = self.position();
        let count = self.cursor.varint()?;
        if count == 0 {
            return Ok((Wire::False, Wire::False, 0));
        }
        let types = self.cursor.u8()?;
        let key = Wire::of_head(types >> 4).known(position)?;
        let value = Wire::of_head(types).known(position)?;
        let least = key.least_bytes() + value.least_bytes();
        let count = self.fitting(count, least, position)?;
        Ok((key, value, count))
    }

    /// Takes the next bytes if they are these; whether they are.
    #[inline]
    pub(crate) fn takes(&mut self, bytes: &[u8]) -> bool {
        self.cursor.rest().starts_with(bytes) && self.cursor.take(bytes.len()).is_ok()
    }

    /// What the file may make us spend.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The same bytes, `position` of them consumed; places in errors are counted from the first.
    pub(crate) fn at(bytes: &'a Bytes, position: usize, limits: &Limits) -> Result<Self> {
        let mut reader = Reader::new(bytes, limits);
        reader.shared = Some(bytes);
        reader.cursor.take(position)?;
        Ok(reader)
    }

    /// `count` elements of at least `least` bytes, if the bytes left can hold them.
    fn fitting(&self, count: u64, least: usize, position: usize) -> Result<usize> {
        let room = self.cursor.remaining() / least;
        match usize::try_from(count) {
            Ok(count) if count <= room => Ok(count),
            _ => Err(
                Error::truncated(format!("{count} elements declared, room for {room}"))
                    .at("thrift", position as u64),
            ),
        }
    }
}

#[cold]
fn too_wide(value: i64, position: usize) -> Error {
    Error::corrupt(format!("{value} is too wide for its field")).at("thrift", position as u64)
}

/// One level further down.
pub(crate) fn deeper(depth: usize) -> Result<usize> {
    depth
        .checked_sub(1)
        .ok_or_else(|| Error::limit("fields are nested too deeply"))
}

/// Length-prefixed bytes.
#[inline]
fn slice<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8]> {
    let length = cursor.varint()?;
    // a length beyond usize is beyond the bytes left, too
    cursor.take(usize::try_from(length).unwrap_or(usize::MAX))
}

/// The walk over one struct's fields, and which of them were there.
#[derive(Debug)]
pub(crate) struct Fields {
    structure: &'static str,
    /// The last field's id, which may be beyond 16 bits until it is skipped.
    last: i32,
    /// A bit for each id. Ids from 64 on, which are never required, share bits with others.
    seen: u64,
    /// `seen` without the last field.
    seen_before: u64,
}

impl Fields {
    /// Before the first field of `structure`.
    pub(crate) fn new(structure: &'static str) -> Self {
        Fields {
            structure,
            last: 0,
            seen: 0,
            seen_before: 0,
        }
    }

    /// The next field's id and wire type, or `None` after the stop byte. Whether they are valid is checked when
    /// the value of an unknown field is [skipped](Self::skip).
    #[inline(always)]
    pub(crate) fn next(&mut self, reader: &mut Reader<'_>) -> Result<Option<(i16, Wire)>> {
        let head = reader.cursor.u8()?;
        match head {
            0x10.. => self.last += i32::from(head >> 4),
            0 => return Ok(None),
            _ => self.last = i32::from(reader.i16()?),
        }
        self.seen_before = self.seen;
        self.seen |= bit(self.last);
        Ok(Some((self.last as i16, Wire::of_head(head))))
    }

    /// The next field's id and wire type, which are checked, or `None` after the stop byte.
    pub(crate) fn next_known(&mut self, reader: &mut Reader<'_>) -> Result<Option<(i16, Wire)>> {
        let field = self.next(reader)?;
        if let Some((_, wire)) = field {
            self.check(wire, reader.position())?;
        }
        Ok(field)
    }

    /// Skips the value of the last field, which then does not count as seen.
    pub(crate) fn skip(&mut self, reader: &mut Reader<'_>, wire: Wire) -> Result<()> {
        self.check(wire, reader.position())?;
        self.seen = self.seen_before;
        reader.skip(wire)
    }

    /// Checks the type and id of the last field, whose value begins at `position`.
    fn check(&self, wire: Wire, position: usize) -> Result<()> {
        // the error is at the last byte of the field's header
        wire.known(position.saturating_sub(1))?;
        match self.last <= i32::from(i16::MAX) {
            true => Ok(()),
            false => Err(beyond(self.structure, position)),
        }
    }

    /// Fails unless every field of `ids` was there.
    pub(crate) fn require(&self, reader: &Reader<'_>, ids: &[i16]) -> Result<()> {
        match ids.iter().find(|id| self.seen & bit(i32::from(**id)) == 0) {
            None => Ok(()),
            Some(id) => Err(missing_field(*id, self.structure, reader.position())),
        }
    }
}

#[cold]
fn missing_field(id: impl std::fmt::Display, structure: &'static str, position: usize) -> Error {
    Error::corrupt(format!("required field {id} is missing")).at(structure, position as u64)
}

#[cold]
fn beyond(structure: &'static str, position: usize) -> Error {
    Error::corrupt("field id exceeds 16 bits").at(structure, position as u64)
}

/// The bit of field `id` in [`Fields::seen`].
#[inline(always)]
fn bit(id: i32) -> u64 {
    1u64.wrapping_shl(id as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn reader(bytes: &[u8]) -> Reader<'_> {
        Reader::new(bytes, &Limits::default())
    }

    #[test]
    fn lists_are_held_against_the_bytes_left() {
        let kind = |bytes: &[u8]| reader(bytes).list().unwrap_err().kind();
        assert_eq!(kind(&[0x35, 1, 2]), ErrorKind::Truncated);
        assert_eq!(
            kind(&[0xf5, 0xff, 0xff, 0xff, 0xff, 0x07, 0]),
            ErrorKind::Truncated
        );
        assert_eq!(kind(&[0x27, 0, 0, 0, 0, 0, 0, 0, 0]), ErrorKind::Truncated);
        assert_eq!(kind(&[0x1e, 0]), ErrorKind::Corrupt);
        assert_eq!(reader(&[0x35, 1, 2, 3]).list().unwrap(), (Wire::I32, 3));
    }

    #[test]
    fn an_empty_list_may_have_no_element_type() {
        let mut reader = Reader::new(&[0x00, 0x15], &Limits::default());
        assert!(reader.list_of(Wire::I32, Reader::i32).unwrap().is_empty());
        assert_eq!(reader.position(), 1);
        assert!(
            Reader::new(&[0x10, 0x15], &Limits::default())
                .list()
                .is_err()
        );
    }

    #[test]
    fn numbers_too_wide_for_their_field_are_refused() {
        assert_eq!(
            reader(&[0xff, 0xff, 0xff, 0xff, 0x0f]).i32().unwrap(),
            i32::MIN
        );
        assert!(reader(&[0x80, 0x80, 0x80, 0x80, 0x10]).i32().is_err());
        assert!(reader(&[0x80, 0x80, 0x04]).i16().is_err());
    }

    #[test]
    fn field_ids_may_jump_and_go_back() {
        struct Wild;
        impl Structure for Wild {
            fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
                let mut fields = Fields::new("Wild");
                let mut ids = Vec::new();
                while let Some((id, wire)) = fields.next(reader)? {
                    ids.push(id);
                    fields.skip(reader, wire)?;
                }
                assert_eq!(ids, [100, -3, 5, i16::MAX]);
                Ok(Wild)
            }

            fn encode_to(&self, writer: &mut Writer<'_>) {
                writer.i32(100, 1);
                writer.bool(-3, true);
                writer.string(5, "x");
                writer.empty(i16::MAX);
            }
        }
        decode::<Wild>(&encode(&Wild), &Limits::default()).unwrap();
        // one past the largest id
        let past = [0x05, 0xfe, 0xff, 0x03, 2, 0x15, 2, 0];
        let error = reader(&past).skip(Wire::Struct).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }
}
