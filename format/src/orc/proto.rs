//! The Protocol Buffers wire format: what every ORC structure is written in.
//!
//! ```text
//! message = (tag, payload)*        tag = varint of field number << 3 | wire type
//! wire type 0: varint   1: 8 bytes   2: varint length, bytes   5: 4 bytes   3, 4: start and end of a group
//! ```
//! A message type says in [`Message::decode_field`] what its field numbers mean and in
//! [`Message::encode_fields`] how it writes them. Unknown numbers are skipped. A known number of another wire type
//! is skipped as the reference parsers do where only pruning depends on it ([`Message::IS_LENIENT`]), elsewhere
//! it is an error. Of a field that is there twice the last value counts; messages are
//! merged. What decoding may allocate is bounded by a budget.

use std::ops::Range;

use crate::bytes::{Cursor, put_varint, unzigzag, zigzag};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::orc::budget::Budget;

/// What a text or a run of bytes takes in memory besides its bytes.
const ALLOCATION: usize = 16;

/// A message of the specification.
pub trait Message: Default {
    /// The specification's name, for errors.
    const NAME: &'static str;

    /// Whether a known field of another wire type is skipped: only where no row depends on it.
    const IS_LENIENT: bool = false;

    /// Decodes one field; unknown numbers are ignored.
    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()>;

    /// Writes all fields in the order of their numbers.
    fn encode_fields(&self, out: &mut Encoder);

    /// Decodes a whole message.
    fn decode(bytes: &[u8], limits: &Limits) -> Result<Self> {
        Self::decode_stored(bytes, bytes.len(), limits)
    }

    /// Decodes a whole message, for which the file has `stored` bytes: fewer than there are if they were
    /// compressed.
    fn decode_stored(bytes: &[u8], stored: usize, limits: &Limits) -> Result<Self> {
        decode_within(bytes, &Budget::new(bytes, stored, limits))
    }

    /// Encodes the whole message.
    fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        self.encode_fields(&mut out);
        out.bytes
    }
}

/// A field's payload, by wire type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    /// What is between the start and the end of a group.
    Group(&'a [u8]),
    Fixed32(u32),
}

impl<'a> Value<'a> {
    fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// Why a field is not decoded.
#[derive(Debug)]
pub enum FieldError {
    /// Its wire type is not that of the known field of its number.
    WireType,
    /// Its payload is invalid.
    Invalid(Error),
}

impl From<Error> for FieldError {
    fn from(error: Error) -> Self {
        FieldError::Invalid(error)
    }
}

/// The result of decoding a field.
pub type FieldResult<T> = std::result::Result<T, FieldError>;

/// A field as it is met in a message.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// The field number.
    pub number: u32,
    value: Value<'a>,
    /// Where the payload of a length-delimited field starts in the outermost message.
    offset: usize,
    budget: &'a Budget,
}

impl<'a> Field<'a> {
    /// `uint64`.
    pub fn u64(&self) -> FieldResult<u64> {
        match self.value {
            Value::Varint(value) => Ok(value),
            _ => Err(FieldError::WireType),
        }
    }

    /// `uint32`.
    pub fn u32(&self) -> FieldResult<u32> {
        u32::try_from(self.u64()?).map_err(|_| self.too_wide())
    }

    /// `int32` and enumerations, which are written as the 64-bit number of the same value.
    pub fn i32(&self) -> FieldResult<i32> {
        self.narrow(self.u64()? as i64)
    }

    /// `sint64`.
    pub fn sint64(&self) -> FieldResult<i64> {
        self.u64().map(unzigzag)
    }

    /// `sint32`.
    pub fn sint32(&self) -> FieldResult<i32> {
        self.narrow(self.sint64()?)
    }

    /// `bool`.
    pub fn bool(&self) -> FieldResult<bool> {
        self.u64().map(|value| value != 0)
    }

    /// `double`.
    pub fn f64(&self) -> FieldResult<f64> {
        match self.value {
            Value::Fixed64(bits) => Ok(f64::from_bits(bits)),
            _ => Err(FieldError::WireType),
        }
    }

    /// `bytes`.
    pub fn bytes(&self) -> FieldResult<&'a [u8]> {
        self.value.bytes().ok_or(FieldError::WireType)
    }

    /// `bytes`, copied.
    pub fn byte_vec(&self) -> FieldResult<Vec<u8>> {
        let bytes = self.bytes()?;
        self.budget.spend(bytes.len().saturating_add(ALLOCATION))?;
        Ok(Limits::copy(bytes)?)
    }

    /// `string`, which has to be UTF-8.
    pub fn string(&self) -> FieldResult<String> {
        String::from_utf8(self.byte_vec()?)
            .map_err(|_| Error::corrupt(format!("field {} is not utf-8", self.number)).into())
    }

    /// A message within the message.
    pub fn message<M: Message>(&self) -> FieldResult<M> {
        let mut message = M::default();
        self.merge(&mut message)?;
        Ok(message)
    }

    /// A message within the message, of which a part may be there already: what is there again takes its place.
    pub fn merge<M: Message>(&self, message: &mut M) -> FieldResult<()> {
        let bytes = self.bytes()?;
        Ok(merge_message(message, bytes, self.offset, self.budget)?)
    }

    /// The same for one that is optional.
    pub fn merge_option<M: Message>(&self, message: &mut Option<M>) -> FieldResult<()> {
        self.bytes()?;
        self.merge(message.get_or_insert_default())
    }

    /// The same for one that has an allocation of its own.
    pub fn merge_box<M: Message>(&self, message: &mut Option<Box<M>>) -> FieldResult<()> {
        self.bytes()?;
        if message.is_none() {
            self.budget
                .spend(size_of::<M>().saturating_add(ALLOCATION))?;
        }
        self.merge(message.get_or_insert_default().as_mut())
    }

    /// Adds to a repeated field what the budget and the memory have room for.
    #[inline]
    pub fn push<T>(&self, list: &mut Vec<T>, value: T) -> FieldResult<()> {
        Ok(self.budget.push(list, value)?)
    }

    /// Adds a message to a repeated field.
    pub fn push_message<M: Message>(&self, list: &mut Vec<M>) -> FieldResult<()> {
        self.push(list, self.message()?)
    }

    /// Gives back the room of a repeated field to which nothing is added any more.
    pub fn trim<T>(&self, list: &mut Vec<T>) {
        let before = list.capacity();
        list.shrink_to_fit();
        let less = before.saturating_sub(list.capacity());
        self.budget.give_back::<T>(less);
    }

    /// `repeated uint64`: one number, or a packed run of them.
    pub fn extend_u64(&self, out: &mut Vec<u64>) -> FieldResult<()> {
        self.extend(out, |cursor| cursor.varint(), Self::u64)
    }

    /// `repeated uint32`: one number, or a packed run of them.
    pub fn extend_u32(&self, out: &mut Vec<u32>) -> FieldResult<()> {
        let narrow =
            |value: u64| u32::try_from(value).map_err(|_| Error::corrupt("number exceeds 32 bits"));
        self.extend(out, |cursor| cursor.varint().and_then(narrow), Self::u32)
    }

    /// `repeated int32`: one number, or a packed run of them.
    pub fn extend_i32(&self, out: &mut Vec<i32>) -> FieldResult<()> {
        let narrow = |value: u64| {
            i32::try_from(value as i64).map_err(|_| Error::corrupt("number exceeds 32 bits"))
        };
        self.extend(out, |cursor| cursor.varint().and_then(narrow), Self::i32)
    }

    /// `repeated fixed64`: one number, or a packed run of them.
    pub fn extend_fixed64(&self, out: &mut Vec<u64>) -> FieldResult<()> {
        self.extend(out, Cursor::u64_le, |field| match field.value {
            Value::Fixed64(bits) => Ok(bits),
            _ => Err(FieldError::WireType),
        })
    }

    fn extend<T>(
        &self,
        out: &mut Vec<T>,
        packed: impl Fn(&mut Cursor<'a>) -> Result<T>,
        single: impl Fn(&Self) -> FieldResult<T>,
    ) -> FieldResult<()> {
        let Value::Bytes(bytes) = self.value else {
            return self.push(out, single(self)?);
        };
        let mut cursor = Cursor::new(bytes);
        while !cursor.is_empty() {
            self.push(out, packed(&mut cursor).map_err(without_site)?)?;
        }
        Ok(())
    }

    /// The payload of a field of which nothing else is known.
    pub(crate) fn raw(&self) -> Value<'a> {
        self.value
    }

    /// The place of the payload of a length-delimited field in the outermost message.
    pub(crate) fn place(&self) -> Range<usize> {
        let length = self.value.bytes().map_or(0, <[u8]>::len);
        self.offset..self.offset.saturating_add(length)
    }

    fn narrow(&self, value: i64) -> FieldResult<i32> {
        i32::try_from(value).map_err(|_| self.too_wide())
    }

    fn too_wide(&self) -> FieldError {
        Error::corrupt(format!("field {} exceeds 32 bits", self.number)).into()
    }
}

/// Decodes a whole message that may take so much memory.
pub(super) fn decode_within<M: Message>(bytes: &[u8], budget: &Budget) -> Result<M> {
    let mut message = M::default();
    merge_message(&mut message, bytes, 0, budget)?;
    Ok(message)
}

fn merge_message<'a, M: Message>(
    message: &mut M,
    bytes: &'a [u8],
    offset: usize,
    budget: &'a Budget,
) -> Result<()> {
    accept_fields(bytes, (M::NAME, offset), budget, |field| {
        match message.decode_field(field) {
            Err(FieldError::WireType) if M::IS_LENIENT => Ok(()),
            decoded => decoded,
        }
    })
}

/// Passes the fields of a message with the name `name` to `accept`.
pub(super) fn accept_fields<'a>(
    bytes: &'a [u8],
    (name, offset): (&'static str, usize),
    budget: &'a Budget,
    mut accept: impl FnMut(Field<'a>) -> FieldResult<()>,
) -> Result<()> {
    let mut cursor = Cursor::new(bytes);
    while !cursor.is_empty() {
        let start = cursor.position();
        let located = |error: Error| match error.kind() {
            // of whoever was passed a field
            ErrorKind::Io => error,
            _ => error.at(name, (offset + start) as u64),
        };
        let field = next_field(&mut cursor, offset, budget).map_err(located)?;
        accept(field).map_err(|error| match error {
            FieldError::WireType => {
                let message = format!("field {} has a wrong wire type", field.number);
                located(Error::corrupt(message))
            }
            FieldError::Invalid(error) => located(error),
        })?;
    }
    Ok(())
}

/// The field at the cursor.
pub(super) fn next_field<'a>(
    cursor: &mut Cursor<'a>,
    offset: usize,
    budget: &'a Budget,
) -> Result<Field<'a>> {
    let (number, wire) = tag(cursor)?;
    let value = match wire {
        3 => Value::Group(group(cursor, number, budget.depth)?),
        _ => payload(cursor, wire).map_err(without_site)?,
    };
    let length = value.bytes().map_or(0, <[u8]>::len);
    let offset = offset + cursor.position() - length;
    Ok(Field {
        number,
        value,
        offset,
        budget,
    })
}

fn tag(cursor: &mut Cursor<'_>) -> Result<(u32, u8)> {
    let tag = cursor.varint().map_err(without_site)?;
    match u32::try_from(tag >> 3) {
        Ok(number @ 1..=0x1fff_ffff) => Ok((number, (tag & 7) as u8)),
        _ => Err(Error::corrupt("field number is out of range")),
    }
}

fn payload<'a>(cursor: &mut Cursor<'a>, wire: u8) -> Result<Value<'a>> {
    match wire {
        0 => cursor.varint().map(Value::Varint),
        1 => cursor.u64_le().map(Value::Fixed64),
        2 => {
            let length = cursor.varint()?;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            cursor.take(length).map(Value::Bytes)
        }
        5 => cursor.u32_le().map(Value::Fixed32),
        4 => Err(Error::corrupt("end of a group that was not started")),
        _ => Err(Error::corrupt(format!("wire type {wire}"))),
    }
}

/// The bytes of group `number`, whose start tag is read, up to its end tag; the cursor is behind that.
fn group<'a>(cursor: &mut Cursor<'a>, number: u32, depth: usize) -> Result<&'a [u8]> {
    let mut whole = cursor.clone();
    let start = cursor.position();
    let mut open = vec![number];
    let mut end = start;
    while let Some(&innermost) = open.last() {
        end = cursor.position();
        match tag(cursor)? {
            (_, 3) if open.len() >= depth => return Err(Error::limit("groups nest too deep")),
            (number, 3) => open.push(number),
            (number, 4) if number == innermost => {
                open.pop();
            }
            (_, wire) => {
                payload(cursor, wire).map_err(without_site)?;
            }
        }
    }
    whole.take(end - start)
}

/// Drops the cursor's own site, so that the message's name and offset take its place.
#[cold]
fn without_site(error: Error) -> Error {
    Error::new(error.kind(), error.message().to_owned())
}

/// Writes the fields of a message.
#[derive(Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    fn tag(&mut self, number: u32, wire: u64) {
        put_varint(&mut self.bytes, u64::from(number) << 3 | wire);
    }

    /// `uint64`.
    pub fn u64(&mut self, number: u32, value: impl Into<Option<u64>>) {
        if let Some(value) = value.into() {
            self.tag(number, 0);
            put_varint(&mut self.bytes, value);
        }
    }

    /// `uint32`.
    pub fn u32(&mut self, number: u32, value: impl Into<Option<u32>>) {
        self.u64(number, value.into().map(u64::from));
    }

    /// `int32`.
    pub fn i32(&mut self, number: u32, value: impl Into<Option<i32>>) {
        self.u64(number, value.into().map(|value| i64::from(value) as u64));
    }

    /// `sint64`.
    pub fn sint64(&mut self, number: u32, value: impl Into<Option<i64>>) {
        self.u64(number, value.into().map(zigzag));
    }

    /// `sint32`.
    pub fn sint32(&mut self, number: u32, value: impl Into<Option<i32>>) {
        self.sint64(number, value.into().map(i64::from));
    }

    /// `bool`.
    pub fn bool(&mut self, number: u32, value: impl Into<Option<bool>>) {
        self.u64(number, value.into().map(u64::from));
    }

    /// `double`.
    pub fn f64(&mut self, number: u32, value: impl Into<Option<f64>>) {
        if let Some(value) = value.into() {
            self.tag(number, 1);
            self.bytes.extend_from_slice(&value.to_bits().to_le_bytes());
        }
    }

    /// `bytes` and `string`.
    pub fn bytes(&mut self, number: u32, value: Option<impl AsRef<[u8]>>) {
        if let Some(value) = value {
            let bytes = value.as_ref();
            self.tag(number, 2);
            put_varint(&mut self.bytes, bytes.len() as u64);
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// `repeated bytes` and `repeated string`.
    pub fn repeated_bytes<B: AsRef<[u8]>>(&mut self, number: u32, values: &[B]) {
        for value in values {
            self.bytes(number, Some(value));
        }
    }

    /// A packed run of unsigned numbers; none for an empty one.
    pub fn packed(&mut self, number: u32, values: impl IntoIterator<Item = u64>) {
        let mut run = Vec::new();
        for value in values {
            put_varint(&mut run, value);
        }
        if !run.is_empty() {
            self.bytes(number, Some(run));
        }
    }

    /// `repeated fixed64`, not packed.
    pub fn fixed64s(&mut self, number: u32, values: &[u64]) {
        for value in values {
            self.tag(number, 1);
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// A message within the message.
    pub fn message<M: Message>(&mut self, number: u32, value: Option<&M>) {
        if let Some(value) = value {
            self.bytes(number, Some(value.encode()));
        }
    }

    /// Repeated messages.
    pub fn messages<M: Message>(&mut self, number: u32, values: &[M]) {
        for value in values {
            self.message(number, Some(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq, Clone)]
    struct Sample {
        number: Option<u64>,
        signed: Option<i32>,
        text: Option<String>,
        numbers: Vec<u64>,
        child: Option<Box<Sample>>,
        children: Vec<Sample>,
    }

    impl Message for Sample {
        const NAME: &'static str = "Sample";

        fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
            match field.number {
                1 => self.number = Some(field.u64()?),
                2 => self.signed = Some(field.sint32()?),
                3 => self.text = Some(field.string()?),
                4 => field.extend_u64(&mut self.numbers)?,
                5 => field.merge_box(&mut self.child)?,
                10 => field.push_message(&mut self.children)?,
                _ => {}
            }
            Ok(())
        }

        fn encode_fields(&self, out: &mut Encoder) {
            out.u64(1, self.number);
            out.sint32(2, self.signed);
            out.bytes(3, self.text.as_deref());
            out.packed(4, self.numbers.iter().copied());
            out.message(5, self.child.as_deref());
            out.messages(10, &self.children);
        }
    }

    fn decode(bytes: &[u8]) -> Result<Sample> {
        Sample::decode(bytes, &Limits::default())
    }

    #[test]
    fn the_specifications_own_example_and_both_forms_of_a_repeated_number() {
        assert_eq!(decode(&[0x08, 0x96, 0x01]).unwrap().number, Some(150));
        assert_eq!(decode(&[0x22, 3, 1, 0x96, 1]).unwrap().numbers, [1, 150]);
        assert_eq!(decode(&[0x20, 1, 0x20, 2]).unwrap().numbers, [1, 2]);
        assert_eq!(decode(&[0x10, 0x01]).unwrap().signed, Some(-1));
    }

    #[test]
    fn unknown_fields_and_groups_are_skipped() {
        let bytes = [
            0x31, 0, 0, 0, 0, 0, 0, 0, 0, // 6: 64-bit
            0x3d, 0, 0, 0, 0, // 7: 32-bit
            0x43, 0x4b, 0x08, 1, 0x4c, 0x12, 1, 9, 0x44, // 8: group { 9: group { .. } .. }
            0x08, 7,
        ];
        assert_eq!(decode(&bytes).unwrap().number, Some(7));
    }

    #[test]
    fn broken_wires_are_errors_that_name_the_message_and_the_offset() {
        let kind = |bytes: &[u8]| decode(bytes).unwrap_err().kind();
        assert_eq!(kind(&[0x0a, 0]), ErrorKind::Corrupt); // 1 as bytes
        assert_eq!(kind(&[0x0b, 0x0c]), ErrorKind::Corrupt); // 1 as a group
        assert_eq!(kind(&[0x18, 0]), ErrorKind::Corrupt); // 3 as varint
        assert_eq!(kind(&[0x1a, 5, b'a']), ErrorKind::Truncated);
        assert_eq!(kind(&[0x1a, 1, 0xff]), ErrorKind::Corrupt); // not utf-8
        assert_eq!(kind(&[0x0e]), ErrorKind::Corrupt); // wire type 6
        assert_eq!(kind(&[0x0c]), ErrorKind::Corrupt); // end of no group
        assert_eq!(kind(&[0x43, 0x4c]), ErrorKind::Corrupt); // end of another group
        assert_eq!(kind(&[0x43]), ErrorKind::Truncated);
        assert_eq!(kind(&[0x00]), ErrorKind::Corrupt); // field 0
        assert_eq!(kind(&[0x43; 100]), ErrorKind::LimitExceeded);
        assert_eq!(
            kind(&[0x10, 0xff, 0xff, 0xff, 0xff, 0x7f]),
            ErrorKind::Corrupt
        );
        let error = decode(&[0x08, 1, 0x2a, 4, 0x08, 1, 0x1a, 9]).unwrap_err();
        assert_eq!(error.site().structure, Some("Sample"));
        assert_eq!(error.site().offset, Some(6));
    }

    #[test]
    fn what_is_decoded_is_held_against_a_budget() {
        let limits = Limits {
            footer_bytes: 100,
            ..Limits::default()
        };
        let kind = |bytes: &[u8], stored: usize, limits| {
            let decoded = Sample::decode_stored(bytes, stored, limits);
            decoded.map_err(|error| error.kind())
        };
        let exceeded = Err(ErrorKind::LimitExceeded);
        assert_eq!(kind(&[0x52, 0].repeat(50), 100, &limits), exceeded);
        assert_eq!(kind(&[0x1a, 0].repeat(50), 100, &limits), exceeded);

        // messages of nothing, each a hundred bytes and more in memory
        let limits = Limits::default();
        let few = [0x52, 0].repeat(10_000);
        let decoded = kind(&few, 9, &limits).unwrap();
        assert_eq!(decoded.children.len(), 10_000);
        assert_eq!(kind(&[0x52, 0].repeat(1 << 20), 9, &limits), exceeded);
        // each takes 60 bytes of the file, but only if they are not compressed
        let child = [&[0x52, 62, 0x4a, 60][..], &[0; 60]].concat();
        let many = child.repeat(200_000);
        let room = |stored| Budget::new(&many, stored, &limits).left();
        assert_eq!(room(9), 64 << 20);
        assert_eq!(room(many.len()), Limits::decoded(many.len()));
    }

    #[test]
    fn room_that_is_given_back_can_be_spent_again() {
        let limits = Limits::default();
        let budget = Budget::new(&[], 0, &limits);
        let field = Field {
            number: 1,
            value: Value::Varint(7),
            offset: 0,
            budget: &budget,
        };
        let before = budget.left();
        let mut list = Vec::new();
        for _ in 0..5 {
            field.extend_u64(&mut list).unwrap();
        }
        assert_eq!(budget.left(), before - 64);
        field.trim(&mut list);
        assert_eq!(list, [7; 5]);
        assert_eq!(budget.left(), before - list.capacity() * size_of::<u64>());
    }

    #[test]
    fn messages_that_are_there_twice_are_merged() {
        // { 1: 5, 2: -1 } and { 1: 6, 4: [9] }
        let twice = [0x2a, 4, 8, 5, 0x10, 1, 0x2a, 4, 8, 6, 0x20, 9];
        let child = decode(&twice).unwrap().child.unwrap();
        assert_eq!((child.number, child.signed), (Some(6), Some(-1)));
        assert_eq!(child.numbers, [9]);
    }

    quickcheck::quickcheck! {
        fn messages_round_trip(
            number: Option<u64>, signed: Option<i32>, text: Option<String>, numbers: Vec<u64>
        ) -> bool {
            let child = Sample { number, signed, text, numbers, ..Sample::default() };
            let children = vec![child.clone(); 3];
            let parent = Sample { child: Some(Box::new(child.clone())), children, ..child };
            decode(&parent.encode()).unwrap() == parent
        }

        fn no_bytes_panic(bytes: Vec<u8>) -> bool {
            decode(&bytes).is_ok() || decode(&bytes).is_err()
        }
    }
}
