//! A fast path for structs of which footers have many. All known writers write fields in ascending order of their
//! ids, so a decoder that asks for them in this order needs no dispatch on the id of every field.
//!
//! ```text
//! asked for     1 i32   2 list   3 list   4 i32           2 and 4 are absent
//! in the file   1 i32            3 list           5 i64   1 and 3 are decoded; 5 is unknown and skipped
//! ```
//! Thrift allows any order: if ids do not ascend, the struct is sorted and decoded again.
// spec: thrift-compact-protocol.md, "Struct encoding"

use std::ops::Range;

use super::{Fields, InPlace, Reader, Wire, Writer, beyond, missing_field, too_wide};
use crate::bytes::{Cursor, unzigzag};
use crate::error::{Error, Result};
use crate::short_bytes::ShortBytes;

/// A struct that reads its fields in the order of their ids.
pub(crate) trait InOrder: Default {
    /// Its name in errors.
    const NAME: &'static str;

    /// The ids of the required fields.
    const REQUIRED: &'static [u32] = &[];

    /// Reads the fields into the default value.
    fn take_fields(&mut self, fields: &mut Ascending<'_, '_>) -> Result<()>;
}

impl<T: InOrder> InPlace for T {
    #[inline(never)]
    fn decode_into(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let (start, left) = (reader.position(), reader.left);
        match decode_ascending(self, reader) {
            Err(_) if std::mem::take(&mut reader.is_disordered) => {
                reader.rewind(start);
                reader.left = left;
                decode_sorted(self, reader)
            }
            result => result,
        }
    }
}

#[inline(always)]
fn decode_ascending<T: InOrder>(value: &mut T, reader: &mut Reader<'_>) -> Result<()> {
    let mut fields = Ascending::new(T::NAME, reader)?;
    value.take_fields(&mut fields)?;
    fields.finish(T::REQUIRED)
}

/// Decodes a struct whose fields are in another order. Offsets in errors are counted from the start of the struct.
#[cold]
fn decode_sorted<T: InOrder>(value: &mut T, reader: &mut Reader<'_>) -> Result<()> {
    let bytes = sorted(T::NAME, reader)?;
    let mut again = Reader::new(&bytes, &reader.limits);
    again.left = reader.left;
    *value = T::default();
    decode_ascending(value, &mut again)?;
    reader.left = again.left;
    Ok(())
}

/// The ids of all fields of these structs are below this.
const IDS: usize = 32;

/// The next struct, encoded again with its fields in order. Of fields with the same id, the last one counts.
fn sorted(structure: &'static str, reader: &mut Reader<'_>) -> Result<Vec<u8>> {
    let mut places: [Option<(Wire, Range<usize>)>; IDS] = [const { None }; IDS];
    let (mut fields, before) = (Fields::new(structure), reader.position());
    while let Some((id, wire)) = fields.next_known(reader)? {
        let start = reader.position();
        reader.skip(wire)?;
        let place = usize::try_from(id).ok().and_then(|id| places.get_mut(id));
        if let Some(place) = place {
            *place = Some((wire, start..reader.position()));
        }
    }
    let mut bytes = Vec::new();
    bytes
        .try_reserve(reader.since(before).len())
        .map_err(|_| Error::limit("there is no memory for a struct"))?;
    let mut writer = Writer::new(&mut bytes);
    for (id, place) in (0..).zip(places).skip(1) {
        if let Some((wire, place)) = place {
            writer.encoded(id, wire, &reader.bytes[place]);
        }
    }
    bytes.push(0);
    Ok(bytes)
}

/// The value of [`Ascending::next`] after the last field.
const END: u32 = u32::MAX;

/// The fields of one struct, to be asked for in the order of their ids.
///
/// It has a copy of the reader's cursor, which is never borrowed by a function that is not inlined, so that the
/// compiler can keep it in registers.
pub(crate) struct Ascending<'r, 'a> {
    reader: &'r mut Reader<'a>,
    cursor: Cursor<'a>,
    structure: &'static str,
    /// The field whose value comes next: its id, and in the low four bits its type.
    next: u32,
    /// A bit for the id of each field that was read.
    seen: u32,
}

impl<'r, 'a> Ascending<'r, 'a> {
    #[inline(always)]
    fn new(structure: &'static str, reader: &'r mut Reader<'a>) -> Result<Self> {
        let cursor = reader.cursor.clone();
        let mut fields = Ascending {
            reader,
            cursor,
            structure,
            next: 0,
            seen: 0,
        };
        fields.advance()?;
        Ok(fields)
    }

    /// Reads the header of the next field.
    #[inline(always)]
    fn advance(&mut self) -> Result<()> {
        match self.cursor.rest() {
            [head @ 0x10..=0xff, ..] => self.next = (self.next & !0xf) + u32::from(*head),
            [0, ..] => self.next = END,
            _ => return self.with_reader(|reader, next| reader.field_after(next)),
        }
        self.cursor.take(1).map(drop)
    }

    /// Sets the next field to what `change` makes of it with the reader, whose cursor is up to date meanwhile.
    #[inline(always)]
    fn with_reader(
        &mut self,
        change: impl FnOnce(&mut Reader<'a>, u32) -> Result<u32>,
    ) -> Result<()> {
        self.reader.cursor = self.cursor.clone();
        self.next = change(self.reader, self.next)?;
        self.cursor = self.reader.cursor.clone();
        Ok(())
    }

    /// Skips all fields before `id`.
    #[inline(always)]
    fn skip_to(&mut self, id: u32) -> Result<()> {
        let structure = self.structure;
        match self.next < id << 4 {
            true => self.with_reader(|reader, next| reader.skip_fields(next, id << 4, structure)),
            false => Ok(()),
        }
    }

    /// Whether the field `id` comes next, with the type `wire`.
    #[inline(always)]
    fn comes(&mut self, id: u32, wire: Wire) -> Result<bool> {
        let expected = id << 4 | u32::from(wire.id());
        if self.next != expected {
            self.skip_to(id)?;
            if self.next != expected {
                return Ok(false);
            }
        }
        self.seen |= 1 << id;
        Ok(true)
    }

    /// A boolean field.
    #[inline(always)]
    pub(crate) fn bool(&mut self, id: u32) -> Result<Option<bool>> {
        self.skip_to(id)?;
        let value = match self.next.wrapping_sub(id << 4) {
            1 => true,
            2 => false,
            _ => return Ok(None),
        };
        self.seen |= 1 << id;
        self.advance()?;
        Ok(Some(value))
    }

    /// A field of 32 bits.
    #[inline(always)]
    pub(crate) fn i32(&mut self, id: u32) -> Result<Option<i32>> {
        if !self.comes(id, Wire::I32)? {
            return Ok(None);
        }
        let before = self.cursor.position();
        let value = self.cursor.varint()?;
        if value > u64::from(u32::MAX) {
            return Err(too_wide(unzigzag(value), before));
        }
        self.advance()?;
        Ok(Some(unzigzag(value) as i32))
    }

    /// A field of 64 bits.
    #[inline(always)]
    pub(crate) fn i64(&mut self, id: u32) -> Result<Option<i64>> {
        if !self.comes(id, Wire::I64)? {
            return Ok(None);
        }
        let value = self.cursor.varint()?;
        self.advance()?;
        Ok(Some(unzigzag(value)))
    }

    /// A field of usually few bytes.
    #[inline(always)]
    pub(crate) fn short_bytes(&mut self, id: u32, to: &mut Option<ShortBytes>) -> Result<()> {
        if !self.comes(id, Wire::Binary)? {
            return Ok(());
        }
        let length = self.cursor.varint()?;
        let bytes = self.cursor.rest();
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        self.cursor.take(length)?;
        to.insert(ShortBytes::default()).set(length, bytes)?;
        self.advance()
    }

    /// A field of type `wire`, which `read` reads.
    #[inline(always)]
    pub(crate) fn value<T>(
        &mut self,
        (id, wire): (u32, Wire),
        to: &mut Option<T>,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T>,
    ) -> Result<()> {
        self.read(id, wire, |reader| {
            *to = Some(read(reader)?);
            Ok(())
        })
    }

    /// Calls `read` if the field `id` comes next, with the type `wire`.
    #[inline(always)]
    fn read(
        &mut self,
        id: u32,
        wire: Wire,
        read: impl FnOnce(&mut Reader<'a>) -> Result<()>,
    ) -> Result<()> {
        if !self.comes(id, wire)? {
            return Ok(());
        }
        self.reader.cursor = self.cursor.clone();
        read(self.reader)?;
        self.cursor = self.reader.cursor.clone();
        self.advance()
    }

    /// A field that is decoded in place.
    #[inline(always)]
    pub(crate) fn place<T: InPlace>(&mut self, id: u32, to: &mut Option<T>) -> Result<()> {
        self.read(id, T::WIRE, |reader| {
            to.insert(T::default()).decode_into(reader)
        })
    }

    /// A field that is decoded in place, and keeps its default value if it is absent.
    #[inline(always)]
    pub(crate) fn fill<T: InPlace>(&mut self, id: u32, to: &mut T) -> Result<()> {
        self.read(id, T::WIRE, |reader| to.decode_into(reader))
    }

    /// Skips the remaining fields. Fails unless all `required` ones were there.
    #[inline(always)]
    fn finish(mut self, required: &[u32]) -> Result<()> {
        let structure = self.structure;
        if self.next != END {
            self.with_reader(|reader, next| reader.skip_fields(next, END, structure))?;
        }
        self.reader.cursor = self.cursor;
        let required = required.iter().fold(0, |all, id| all | 1 << id);
        match required & !self.seen {
            0 => Ok(()),
            missing => {
                let id = missing.trailing_zeros();
                Err(missing_field(id, structure, self.reader.position()))
            }
        }
    }
}

impl Reader<'_> {
    /// Reads the header of the field after `last`; returns its id and type, or [`END`].
    #[inline(never)]
    fn field_after(&mut self, last: u32) -> Result<u32> {
        let position = self.position();
        let head = self.cursor.u8()?;
        match head {
            0x10.. => return Ok((last & !0xf) + u32::from(head)),
            0 => return Ok(END),
            _ => {}
        }
        match u32::try_from(self.i16()?) {
            Ok(id) if id > last >> 4 => Ok(id << 4 | u32::from(head)),
            _ => {
                self.is_disordered = true;
                Err(Error::corrupt("fields are not in order").at("thrift", position as u64))
            }
        }
    }

    /// Skips the field `next` and those that follow before `end`; returns the first one that is not skipped.
    #[inline(never)]
    fn skip_fields(&mut self, next: u32, end: u32, structure: &'static str) -> Result<u32> {
        let mut next = next;
        while next < end {
            let position = self.position();
            let wire = Wire::of_head(next as u8).known(position.saturating_sub(1))?;
            if next >> 4 > i16::MAX as u32 {
                return Err(beyond(structure, position));
            }
            self.skip(wire)?;
            next = self.field_after(next)?;
        }
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Structure, encode};
    use super::*;
    use crate::error::ErrorKind;
    use crate::limits::Limits;
    use crate::parquet::column_metadata::ColumnMetaData;
    use crate::parquet::statistics::Statistics;
    use crate::parquet::testing;

    fn decode<T: InPlace>(bytes: &[u8]) -> Result<(T, usize)> {
        let mut reader = Reader::new(bytes, &Limits::default());
        let value = T::decoded(&mut reader)?;
        Ok((value, reader.position()))
    }

    /// The fields of a struct as `(id, type, value)`.
    fn fields(bytes: &[u8]) -> Vec<(i16, Wire, Vec<u8>)> {
        let mut reader = Reader::new(bytes, &Limits::default());
        let (mut walk, mut found) = (Fields::new("test"), Vec::new());
        while let Some((id, wire)) = walk.next_known(&mut reader).unwrap() {
            let start = reader.position();
            reader.skip(wire).unwrap();
            found.push((id, wire, reader.since(start).to_vec()));
        }
        found
    }

    fn structure(fields: &[(i16, Wire, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes);
        for (id, wire, value) in fields {
            writer.encoded(*id, *wire, value);
        }
        bytes.push(0);
        bytes
    }

    /// Whether the value is decoded whatever the order of its fields is, and whatever stands between them.
    fn check<T: InPlace + Structure + PartialEq + std::fmt::Debug>(value: &T) {
        let mut all = fields(&encode(value));
        for id in [0, -1, 31, 40, 300, i16::MAX, i16::MIN] {
            all.push((id, Wire::Binary, vec![1, b'x']));
        }
        for rotation in 0..all.len() {
            all.rotate_left(1);
            let mut shuffled = all.clone();
            shuffled.reverse();
            // of two fields with the same id, the latter counts
            shuffled.insert(0, (all[rotation].0, Wire::I64, vec![2]));
            for some in [&all, &shuffled] {
                let bytes = structure(some);
                let (back, length) = decode::<T>(&bytes).unwrap();
                assert_eq!((&back, length), (value, bytes.len()));
                for end in 0..bytes.len() {
                    assert!(decode::<T>(&bytes[..end]).is_err());
                }
            }
        }
    }

    #[test]
    fn fields_may_come_in_any_order() {
        check(&testing::statistics());
        check(&testing::column_metadata());
        check(&testing::file_metadata().schema[3]);
    }

    #[test]
    fn structs_within_structs_may_be_disordered_alone() {
        let meta = testing::column_metadata();
        let mut all = fields(&encode(&meta));
        let statistics = all.iter_mut().find(|(id, ..)| *id == 12).unwrap();
        let mut within = fields(&statistics.2);
        within.reverse();
        statistics.2 = structure(&within);
        let once = structure(&all);
        assert_eq!(decode::<ColumnMetaData>(&once).unwrap().0, meta);
        all.reverse();
        let twice = structure(&all);
        assert_eq!(decode::<ColumnMetaData>(&twice).unwrap().0, meta);
    }

    #[test]
    fn ids_and_types_that_cannot_be_are_refused() {
        let kind = |bytes: &[u8]| decode::<Statistics>(bytes).unwrap_err().kind();
        // an id that is too large, a type that does not exist, a required field of another type
        let beyond = [&[0x05, 0xfe, 0xff, 3, 2][..], &[0x15, 2, 0]].concat();
        assert_eq!(kind(&beyond), ErrorKind::Corrupt);
        assert_eq!(kind(&[0x1e, 0, 0]), ErrorKind::Corrupt);
        assert_eq!(kind(&[0xa0, 0, 0]), ErrorKind::Corrupt);
        let error = decode::<ColumnMetaData>(&[0x16, 2, 0]).unwrap_err();
        assert_eq!(error.site().structure, Some("ColumnMetaData"));
    }
}
