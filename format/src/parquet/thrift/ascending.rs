//! A fast path for structs of which footers have many. All known writers write fields in ascending order of their
//! ids, so a decoder that asks for them in this order needs no dispatch on the id of every field.
//!
//! ```text
//! asked for     1 i32   2 list   3 list   4 i32           2 and 4 are absent
//! in the file   1 i32            3 list           5 i64   1 and 3 are decoded; 5 is unknown and skipped
//! ```
//! Thrift allows any order: if ids do not ascend, the struct is sorted and decoded again.
// spec: thrift-compact-protocol.md, "Struct encoding"

use std::ops::{Range, RangeInclusive};

use super::{Fields, InPlace, Kept, Reader, Wire, Writer, beyond, missing_field, too_wide};
use crate::bytes::{unzigzag, unzigzag_i32};
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
    let mut fields = Ascending::new::<T>(reader)?;
    value.take_fields(&mut fields)?;
    fields.finish()
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
/// It has its own copy of what is left, which is never borrowed by a function that is not inlined, so that the
/// compiler can keep it in registers.
pub(crate) struct Ascending<'r, 'a> {
    reader: &'r mut Reader<'a>,
    rest: &'a [u8],
    structure: &'static str,
    /// The field whose value comes next: its id, and in the low four bits its type.
    next: u32,
    /// A bit for the id of each required field.
    required: u32,
}

impl<'r, 'a> Ascending<'r, 'a> {
    #[inline(always)]
    fn new<T: InOrder>(reader: &'r mut Reader<'a>) -> Result<Self> {
        let mut fields = Ascending {
            rest: reader.rest(),
            reader,
            structure: T::NAME,
            next: 0,
            required: T::REQUIRED.iter().fold(0, |all, id| all | 1 << id),
        };
        fields.advance()?;
        Ok(fields)
    }

    /// Reads the header of the next field.
    #[inline(always)]
    fn advance(&mut self) -> Result<()> {
        if let [head, rest @ ..] = self.rest
            && let Some(next) = self.after(*head)
        {
            (self.rest, self.next) = (rest, next);
            return Ok(());
        }
        self.with_reader(|reader, next| reader.field_after(next))
    }

    /// The next field if this is its `head`, or [`END`]; `None` if its id follows, which is rare.
    #[inline(always)]
    fn after(&self, head: u8) -> Option<u32> {
        match head {
            0x10.. => Some((self.next & !0xf) + u32::from(head)),
            0 => Some(END),
            _ => None,
        }
    }

    /// Takes a number, and the header of the next field.
    #[inline(always)]
    fn number(&mut self) -> Result<u64> {
        let part = |byte: u8, at: u32| u64::from(byte & 0x7f) << (7 * at);
        // most are no longer than four bytes
        match self.rest.first_chunk::<8>() {
            Some([a @ ..0x80, head, ..]) => self.pass::<2>(part(*a, 0), *head),
            Some([a, b @ ..0x80, head, ..]) => self.pass::<3>(part(*a, 0) | part(*b, 1), *head),
            Some([a, b, c @ ..0x80, head, ..]) => {
                self.pass::<4>(part(*a, 0) | part(*b, 1) | part(*c, 2), *head)
            }
            Some([a, b, c, d @ ..0x80, head, ..]) => {
                let value = part(*a, 0) | part(*b, 1) | part(*c, 2) | part(*d, 3);
                self.pass::<5>(value, *head)
            }
            _ => self.long_number(),
        }
    }

    /// Passes over the `LENGTH` bytes of a number and the `head` of the next field.
    #[inline(always)]
    fn pass<const LENGTH: usize>(&mut self, value: u64, head: u8) -> Result<u64> {
        let Some(next) = self.after(head) else {
            return self.long_number();
        };
        (self.rest, self.next) = (&self.rest[LENGTH..], next);
        Ok(value)
    }

    /// [`number`](Self::number) of any length.
    #[inline(always)]
    fn long_number(&mut self) -> Result<u64> {
        let mut value = 0;
        self.with_reader(|reader, next| {
            value = reader.cursor.varint()?;
            reader.field_after(next)
        })?;
        Ok(value)
    }

    /// Sets the next field to what `change` makes of it with the reader, which is up to date meanwhile.
    #[inline(always)]
    fn with_reader(
        &mut self,
        change: impl FnOnce(&mut Reader<'a>, u32) -> Result<u32>,
    ) -> Result<()> {
        self.reader.cursor.resume(self.rest);
        self.next = change(self.reader, self.next)?;
        self.rest = self.reader.rest();
        Ok(())
    }

    /// Whether the field `id` comes next, with the type `wire`.
    #[inline(always)]
    fn comes(&mut self, id: u32, wire: Wire) -> Result<bool> {
        self.comes_as(id, u32::from(wire.id())..=u32::from(wire.id()))
    }

    /// Whether the field `id` comes next, with one of these types.
    #[inline(always)]
    fn comes_as(&mut self, id: u32, wires: RangeInclusive<u32>) -> Result<bool> {
        let expected = id << 4 | wires.start()..=id << 4 | wires.end();
        if expected.contains(&self.next) {
            return Ok(true);
        }
        if self.next < id << 4 {
            self.skip_to(id)?;
            if expected.contains(&self.next) {
                return Ok(true);
            }
        }
        match self.required & 1 << id {
            0 => Ok(false),
            _ => Err(self.lacks(id)),
        }
    }

    /// Skips all fields before `id`.
    #[inline(always)]
    fn skip_to(&mut self, id: u32) -> Result<()> {
        let structure = self.structure;
        self.with_reader(|reader, next| reader.skip_fields(next, id << 4, structure))
    }

    /// The required field `id` is missing, unless it comes after fields that should follow it.
    #[cold]
    fn lacks(&mut self, id: u32) -> Error {
        self.reader.is_disordered = true;
        self.reader.cursor.resume(self.rest);
        missing_field(id, self.structure, self.reader.position())
    }

    /// A boolean field.
    #[inline(always)]
    pub(crate) fn bool(&mut self, id: u32, to: &mut Option<bool>) -> Result<()> {
        let (yes, no) = (Wire::True.id(), Wire::False.id());
        if !self.comes_as(id, yes.into()..=no.into())? {
            return Ok(());
        }
        *to = Some(self.next == id << 4 | u32::from(yes));
        self.advance()
    }

    /// A field of 32 bits.
    #[inline(always)]
    pub(crate) fn i32<T: From<i32>>(&mut self, id: u32, to: &mut T) -> Result<()> {
        self.i32_as(id, to, |value| value)
    }

    /// A field of 32 bits, which stands for what `of` makes of it.
    #[inline(always)]
    pub(crate) fn i32_as<V, T: From<V>>(
        &mut self,
        id: u32,
        to: &mut T,
        of: impl FnOnce(i32) -> V,
    ) -> Result<()> {
        if !self.comes(id, Wire::I32)? {
            return Ok(());
        }
        let value = self.number()?;
        if value > u64::from(u32::MAX) {
            return Err(too_wide(unzigzag(value), self.reader.position()));
        }
        *to = of(unzigzag_i32(value as u32)).into();
        Ok(())
    }

    /// A field of 64 bits.
    #[inline(always)]
    pub(crate) fn i64<T: From<i64>>(&mut self, id: u32, to: &mut T) -> Result<()> {
        if !self.comes(id, Wire::I64)? {
            return Ok(());
        }
        *to = unzigzag(self.number()?).into();
        Ok(())
    }

    /// A field of usually few bytes.
    #[inline(always)]
    pub(crate) fn short_bytes(&mut self, id: u32, to: &mut Option<ShortBytes>) -> Result<()> {
        if !self.comes(id, Wire::Binary)? {
            return Ok(());
        }
        match self.rest {
            [length @ ..0x80, bytes @ ..] if bytes.len() >= usize::from(*length) => {
                to.insert(ShortBytes::default())
                    .set(usize::from(*length), bytes)?;
                self.rest = &bytes[usize::from(*length)..];
                self.advance()
            }
            _ => self.with_reader(|reader, next| {
                let bytes = reader.slice()?;
                to.insert(ShortBytes::default()).set(bytes.len(), bytes)?;
                reader.field_after(next)
            }),
        }
    }

    /// A field of type `wire`, which `read` reads.
    #[inline(always)]
    pub(crate) fn value<V, T: From<V>>(
        &mut self,
        (id, wire): (u32, Wire),
        to: &mut T,
        read: impl FnOnce(&mut Reader<'a>) -> Result<V>,
    ) -> Result<()> {
        self.read(id, wire, |reader| {
            *to = read(reader)?.into();
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
        self.reader.cursor.resume(self.rest);
        read(self.reader)?;
        self.rest = self.reader.rest();
        self.advance()
    }

    /// A field that is decoded in place.
    #[inline(always)]
    pub(crate) fn place<T: InPlace>(&mut self, id: u32, to: &mut Option<T>) -> Result<()> {
        self.read(id, T::WIRE, |reader| {
            to.insert(T::default()).decode_into(reader)
        })
    }

    /// A list that is kept encoded.
    #[inline(always)]
    pub(crate) fn place_list<T: Kept>(&mut self, id: u32, to: &mut Option<T>) -> Result<()> {
        match self.comes(id, Wire::List)? {
            true => self.keep(to.insert(T::default())),
            false => Ok(()),
        }
    }

    /// A list that is kept encoded, and stays empty if it is absent.
    #[inline(always)]
    pub(crate) fn fill_list<T: Kept>(&mut self, id: u32, to: &mut T) -> Result<()> {
        match self.comes(id, Wire::List)? {
            true => self.keep(to),
            false => Ok(()),
        }
    }

    /// Takes the list that comes next.
    #[inline(always)]
    fn keep<T: Kept>(&mut self, to: &mut T) -> Result<()> {
        if let [head @ ..0xf0, elements @ ..] = self.rest
            && head & 0xf == T::ELEMENT.id()
            && let Some(length) = T::usual_length(elements, usize::from(head >> 4))
            && let Some(rest) = elements.get(length..)
        {
            to.elements().set(length, elements)?;
            self.rest = rest;
            return self.advance();
        }
        self.with_reader(|reader, next| {
            to.decode_into(reader)?;
            reader.field_after(next)
        })
    }

    /// Skips the remaining fields.
    #[inline(always)]
    fn finish(mut self) -> Result<()> {
        if self.next != END {
            let structure = self.structure;
            self.with_reader(|reader, next| reader.skip_fields(next, END, structure))?;
        }
        self.reader.cursor.resume(self.rest);
        Ok(())
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
