//! The structures of Parquet as trees of the specification's names, with exactly the fields that are written.
//!
//! ```text
//! shape = structure: number, name, kind of each field        bytes + shape -> tree
//! ```
//! Nothing is required and nothing has a default; integers may be of any width. A field that the shape lacks,
//! or has with another wire type, is shown as `unknown_field_N`, binary as bytes and maps as lists of pairs. If a
//! field is written several times, the last value counts, and all are listed as `duplicates_of_NAME`.
//! `roundtrip` tests that shapes and typed structures agree.
// spec: parquet.thrift

mod shapes;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem;

use crate::error::Result;
use crate::limits::Limits;
use crate::parquet::thrift::{Fields, Reader, Wire, deeper};
use crate::tree::{Builder, DUPLICATES, Event, EventSink, Node, UNKNOWN_FIELD};

pub use shapes::{
    BLOOM_FILTER_HEADER, COLUMN_INDEX, COLUMN_META_DATA, FILE_CRYPTO_META_DATA, FILE_META_DATA,
    OFFSET_INDEX, PAGE_HEADER,
};

/// How much larger than the encoded limit a tree may be.
const DECODED_PER_ENCODED_BYTE: usize = 4;

/// The fields of a structure or the members of a union.
#[derive(Debug)]
pub struct Shape {
    pub(super) name: &'static str,
    pub(super) fields: &'static [FieldShape],
}

impl Shape {
    /// The specification's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The known field of this number; none if its wire type is another.
    fn field(&self, id: i16, wire: Wire, reader: &Reader<'_>) -> Option<&'static FieldShape> {
        let known = self.fields.iter().find(|field| field.id == id);
        known.filter(|field| field.kind.fits(wire, reader))
    }
}

#[derive(Debug)]
pub(super) struct FieldShape {
    pub(super) id: i16,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Boolean,
    /// A whole number, of any width on the wire.
    Int,
    Double,
    Choice(fn(i32) -> Option<&'static str>),
    Text,
    Bytes,
    Uuid,
    Struct(&'static Shape),
    List(&'static Kind),
    /// Elements are of the kind of their wire type.
    AnyList,
    AnyMap,
}

impl Kind {
    /// The kind of an unknown value, by its wire type.
    fn of(wire: Wire) -> Kind {
        match wire {
            Wire::True | Wire::False => Kind::Boolean,
            Wire::I8 | Wire::I16 | Wire::I32 | Wire::I64 => Kind::Int,
            Wire::Double => Kind::Double,
            Wire::Binary => Kind::Bytes,
            Wire::Uuid | Wire::Unknown => Kind::Uuid,
            Wire::Struct => Kind::Struct(&shapes::UNKNOWN),
            Wire::List | Wire::Set => Kind::AnyList,
            Wire::Map => Kind::AnyMap,
        }
    }

    /// Whether the value of wire type `wire` that `reader` is about to read is of this kind.
    fn fits(self, wire: Wire, reader: &Reader<'_>) -> bool {
        match (self, wire) {
            (Kind::Boolean, Wire::True | Wire::False)
            | (Kind::Int | Kind::Choice(_), Wire::I8 | Wire::I16 | Wire::I32 | Wire::I64)
            | (Kind::Double, Wire::Double)
            | (Kind::Text | Kind::Bytes, Wire::Binary)
            | (Kind::Struct(_), Wire::Struct) => true,
            (Kind::List(element), Wire::List) => match reader.clone().list() {
                // no kind of element is a list, which is all that would need what comes after the header
                Ok((wire, count)) => count == 0 || element.fits(wire, reader),
                Err(_) => true,
            },
            _ => false,
        }
    }
}

/// Decodes the structure of this shape at the start of `bytes`; also returns its encoded length.
pub fn decode(bytes: &[u8], shape: &'static Shape, limits: &Limits) -> Result<(Node, usize)> {
    let mut builder = Builder::new(room(bytes.len(), limits));
    let length = emit(bytes, shape, limits, &mut |event| builder.add(event))?;
    Ok((builder.finish(), length))
}

/// How many bytes a tree of structures in `length` bytes may take in memory.
pub fn room(length: usize, limits: &Limits) -> usize {
    let most = limits.footer_bytes.saturating_mul(DECODED_PER_ENCODED_BYTE);
    Limits::decoded(length).min(most)
}

/// Decodes the structure of this shape at the start of `bytes`, passes its parts to `to` as they are met, and
/// returns its encoded length. Parts before an error are passed, too.
pub fn emit(
    bytes: &[u8],
    shape: &'static Shape,
    limits: &Limits,
    to: &mut EventSink<'_>,
) -> Result<usize> {
    let mut walk = Walk {
        reader: Reader::new(bytes, limits),
        to,
    };
    walk.structure(shape, limits.depth)?;
    Ok(walk.reader.position())
}

/// The state of a decoding: the input and the receiver of its parts.
struct Walk<'a, 't> {
    reader: Reader<'a>,
    to: &'a mut EventSink<'t>,
}

/// What tells the fields of a structure apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    id: i16,
    /// Whether the shape has the field with this wire type.
    is_known: bool,
}

/// The fields that occur several times in the structure at `start`, with the place of the last value.
fn repeated(start: Reader<'_>, shape: &'static Shape) -> Result<BTreeMap<Key, usize>> {
    let (mut reader, mut fields) = (start.clone(), Fields::new(shape.name));
    let mut previous = None;
    let ascends = loop {
        match fields.next(&mut reader)? {
            None => break true,
            Some((id, _)) if Some(id) <= previous => break false,
            Some((id, wire)) => {
                previous = Some(id);
                fields.skip(&mut reader, wire)?;
            }
        }
    };
    let mut places = BTreeMap::new();
    // the usual case: ascending numbers cannot repeat
    if ascends {
        return Ok(places);
    }
    let (mut reader, mut fields) = (start, Fields::new(shape.name));
    let mut counts = BTreeMap::new();
    while let Some((id, wire)) = fields.next(&mut reader)? {
        let is_known = shape.field(id, wire, &reader).is_some();
        let key = Key { id, is_known };
        *counts.entry(key).or_insert(0) += 1;
        places.insert(key, reader.position());
        fields.skip(&mut reader, wire)?;
    }
    places.retain(|key, _| counts.get(key).is_some_and(|count| *count > 1));
    Ok(places)
}

impl<'a> Walk<'a, '_> {
    fn structure(&mut self, shape: &'static Shape, depth: usize) -> Result<()> {
        let depth = deeper(depth)?;
        let start = self.reader.clone();
        // the walk below reports the error
        let repeated = repeated(start.clone(), shape).unwrap_or_default();
        let mut fields = Fields::new(shape.name);
        (self.to)(Event::BeginObject)?;
        while let Some((id, wire)) = fields.next_known(&mut self.reader)? {
            let known = shape.field(id, wire, &self.reader);
            let (name, kind) = match known {
                Some(field) => (Cow::Borrowed(field.name), field.kind),
                None => {
                    let name = format!("{UNKNOWN_FIELD}{id}");
                    (Cow::Owned(name), Kind::of(wire))
                }
            };
            let is_known = known.is_some();
            let key = Key { id, is_known };
            let last = repeated.get(&key);
            if last.is_some_and(|last| *last != self.reader.position()) {
                fields.skip(&mut self.reader, wire)?;
                continue;
            }
            (self.to)(Event::Field(name.clone()))?;
            self.value(kind, wire, depth)?;
            if last.is_some() {
                let name = format!("{DUPLICATES}{name}");
                (self.to)(Event::Field(Cow::Owned(name)))?;
                self.duplicates(key, start.clone(), shape, depth)?;
            }
        }
        (self.to)(Event::EndObject)
    }

    /// Passes on all occurrences of a field of the structure at `start`, as a list.
    fn duplicates(
        &mut self,
        key: Key,
        start: Reader<'a>,
        shape: &'static Shape,
        depth: usize,
    ) -> Result<()> {
        let after = mem::replace(&mut self.reader, start);
        let mut fields = Fields::new(shape.name);
        (self.to)(Event::BeginList)?;
        while let Some((id, wire)) = fields.next(&mut self.reader)? {
            let known = shape.field(id, wire, &self.reader);
            let is_known = known.is_some();
            match key == (Key { id, is_known }) {
                true => self.value(
                    known.map_or(Kind::of(wire), |field| field.kind),
                    wire,
                    depth,
                )?,
                false => fields.skip(&mut self.reader, wire)?,
            }
        }
        self.reader = after;
        (self.to)(Event::EndList)
    }

    /// The value of a field; a boolean is part of the wire type.
    fn value(&mut self, kind: Kind, wire: Wire, depth: usize) -> Result<()> {
        match wire {
            Wire::True | Wire::False => (self.to)(Event::Value(Node::Boolean(wire == Wire::True))),
            _ => self.element(kind, wire, depth),
        }
    }

    /// A value outside of a field header.
    fn element(&mut self, kind: Kind, wire: Wire, depth: usize) -> Result<()> {
        let plain = match kind {
            Kind::Boolean => Node::Boolean(self.reader.bool_element()?),
            Kind::Int => Node::Int(self.int(wire)?),
            Kind::Double => Node::Float(self.reader.f64()?),
            Kind::Choice(name_of) => {
                let number = self.int(wire)?;
                let name = i32::try_from(number).ok().and_then(name_of);
                name.map_or(Node::Int(number), Node::Name)
            }
            Kind::Text => return (self.to)(Event::Text(self.reader.slice()?)),
            Kind::Bytes => return (self.to)(Event::Bytes(self.reader.slice()?)),
            Kind::Uuid => return (self.to)(Event::Bytes(&self.reader.uuid()?)),
            Kind::Struct(shape) => return self.structure(shape, depth),
            Kind::List(element) => return self.list(Some(*element), depth),
            Kind::AnyList => return self.list(None, depth),
            Kind::AnyMap => return self.map(depth),
        };
        (self.to)(Event::Value(plain))
    }

    fn int(&mut self, wire: Wire) -> Result<i64> {
        match wire {
            Wire::I8 => self.reader.i8().map(i64::from),
            _ => self.reader.i64(),
        }
    }

    /// A list of elements of `kind`, or else of the kind of their wire type.
    fn list(&mut self, kind: Option<Kind>, depth: usize) -> Result<()> {
        let depth = deeper(depth)?;
        let (wire, count) = self.reader.list()?;
        let kind = kind.unwrap_or(Kind::of(wire));
        (self.to)(Event::BeginList)?;
        for _ in 0..count {
            self.element(kind, wire, depth)?;
        }
        (self.to)(Event::EndList)
    }

    /// A list of pairs.
    fn map(&mut self, depth: usize) -> Result<()> {
        let depth = deeper(depth)?;
        let (key, value, count) = self.reader.map()?;
        (self.to)(Event::BeginList)?;
        for _ in 0..count {
            (self.to)(Event::BeginList)?;
            self.element(Kind::of(key), key, depth)?;
            self.element(Kind::of(value), value, depth)?;
            (self.to)(Event::EndList)?;
        }
        (self.to)(Event::EndList)
    }
}

#[cfg(test)]
mod tests;
