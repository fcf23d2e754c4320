//! The encoding half of Thrift's compact protocol; the layout is drawn above its reader.

use super::{Structure, Wire};
use crate::bytes::{put_varint, zigzag};

/// Writes the fields of one struct, in ascending order of their ids.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    last: i16,
}

impl Writer<'_> {
    /// Appends `value` with its stop byte.
    pub(crate) fn structure_into<T: Structure>(out: &mut Vec<u8>, value: &T) {
        let mut writer = Writer::new(out);
        value.encode_to(&mut writer);
        writer.out.push(0);
    }

    /// Starts a struct at the end of `out`.
    pub(super) fn new(out: &mut Vec<u8>) -> Writer<'_> {
        Writer { out, last: 0 }
    }

    /// A field whose value is encoded.
    pub(super) fn encoded(&mut self, id: i16, wire: Wire, value: &[u8]) {
        self.head(id, wire);
        self.out.extend_from_slice(value);
    }

    fn head(&mut self, id: i16, wire: Wire) {
        match id.checked_sub(self.last) {
            Some(delta @ 1..=15) => self.out.push((delta as u8) << 4 | wire.id()),
            _ => {
                self.out.push(wire.id());
                put_varint(self.out, zigzag(i64::from(id)));
            }
        }
        self.last = id;
    }

    pub(crate) fn bool(&mut self, id: i16, value: impl Into<Option<bool>>) {
        if let Some(value) = value.into() {
            self.head(id, if value { Wire::True } else { Wire::False });
        }
    }

    pub(crate) fn i8(&mut self, id: i16, value: impl Into<Option<i8>>) {
        if let Some(value) = value.into() {
            self.head(id, Wire::I8);
            self.out.push(value as u8);
        }
    }

    pub(crate) fn i16(&mut self, id: i16, value: impl Into<Option<i16>>) {
        if let Some(value) = value.into() {
            self.head(id, Wire::I16);
            put_varint(self.out, zigzag(i64::from(value)));
        }
    }

    pub(crate) fn i32(&mut self, id: i16, value: impl Into<Option<i32>>) {
        if let Some(value) = value.into() {
            self.head(id, Wire::I32);
            put_varint(self.out, zigzag(i64::from(value)));
        }
    }

    pub(crate) fn i64(&mut self, id: i16, value: impl Into<Option<i64>>) {
        if let Some(value) = value.into() {
            self.head(id, Wire::I64);
            put_varint(self.out, zigzag(value));
        }
    }

    pub(crate) fn f64(&mut self, id: i16, value: impl Into<Option<f64>>) {
        if let Some(value) = value.into() {
            self.head(id, Wire::Double);
            self.out.extend_from_slice(&value.to_le_bytes());
        }
    }

    pub(crate) fn binary<'v>(&mut self, id: i16, value: impl Into<Option<&'v [u8]>>) {
        if let Some(value) = value.into() {
            self.head(id, Wire::Binary);
            put_binary(self.out, value);
        }
    }

    pub(crate) fn string<'v>(&mut self, id: i16, value: impl Into<Option<&'v str>>) {
        self.binary(id, value.into().map(str::as_bytes));
    }

    pub(crate) fn structure<'v, T: Structure + 'v>(
        &mut self,
        id: i16,
        value: impl Into<Option<&'v T>>,
    ) {
        if let Some(value) = value.into() {
            self.head(id, Wire::Struct);
            Self::structure_into(self.out, value);
        }
    }

    /// A struct without fields: most union members are.
    pub(crate) fn empty(&mut self, id: i16) {
        self.head(id, Wire::Struct);
        self.out.push(0);
    }

    fn list<T>(
        &mut self,
        id: i16,
        (wire, values): (Wire, Option<&[T]>),
        put: impl Fn(&mut Vec<u8>, &T),
    ) {
        let Some(values) = values else { return };
        self.list_head(id, wire, values.len());
        for value in values {
            put(self.out, value);
        }
    }

    /// A list whose elements are encoded.
    pub(crate) fn elements(&mut self, id: i16, (wire, count): (Wire, usize), encoded: &[u8]) {
        self.list_head(id, wire, count);
        self.out.extend_from_slice(encoded);
    }

    fn list_head(&mut self, id: i16, wire: Wire, count: usize) {
        self.head(id, Wire::List);
        match count {
            0..=14 => self.out.push((count as u8) << 4 | wire.id()),
            _ => {
                self.out.push(0xf0 | wire.id());
                put_varint(self.out, count as u64);
            }
        }
    }

    pub(crate) fn bools<'v>(&mut self, id: i16, values: impl Into<Option<&'v [bool]>>) {
        // 1 is the element type that old readers know; 2 is false
        self.list(id, (Wire::True, values.into()), |out, value| {
            out.push(if *value { 1 } else { 2 })
        });
    }

    pub(crate) fn i32s<'v>(&mut self, id: i16, values: impl Into<Option<&'v [i32]>>) {
        self.list(id, (Wire::I32, values.into()), |out, value| {
            put_varint(out, zigzag(i64::from(*value)))
        });
    }

    pub(crate) fn i64s<'v>(&mut self, id: i16, values: impl Into<Option<&'v [i64]>>) {
        self.list(id, (Wire::I64, values.into()), |out, value| {
            put_varint(out, zigzag(*value))
        });
    }

    pub(crate) fn binaries<'v, T: AsRef<[u8]> + 'v>(
        &mut self,
        id: i16,
        values: impl Into<Option<&'v [T]>>,
    ) {
        self.list(id, (Wire::Binary, values.into()), |out, value| {
            put_binary(out, value.as_ref())
        });
    }

    pub(crate) fn structures<'v, T: Structure + 'v>(
        &mut self,
        id: i16,
        values: impl Into<Option<&'v [T]>>,
    ) {
        self.list(id, (Wire::Struct, values.into()), Self::structure_into);
    }
}

fn put_binary(out: &mut Vec<u8>, value: &[u8]) {
    put_varint(out, value.len() as u64);
    out.extend_from_slice(value);
}
