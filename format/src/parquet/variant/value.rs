//! Decodes one level of a variant's value.
//!
//! ```text
//! 0 primitive     | type:6 basic_type:2 | the value; of text and binary, a length of four bytes before it |
//! 1 short string  | length:6 basic_type:2 | UTF-8 |
//! 2 object        | -:1 is_large:1 id_size-1:2 offset_size-1:2 basic_type:2 | count | ids | offsets | values |
//! 3 array         | -:3 is_large:1 offset_size-1:2 basic_type:2 | count | offsets | values |
//! ```
//! A count takes one byte, or four if `is_large`. There is one more offset than values; offsets begin at the first value; those of an
//! object's fields need not ascend.
// spec: VariantEncoding.md, "Value encoding"

use super::{Metadata, Numbers, number};
use crate::bytes::Cursor;
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::types::{TimeUnit, Zone};

/// The most digits after the point that a decimal may have.
const MAX_SCALE: u8 = 38;

/// A value, whose elements or fields are still bytes.
#[derive(Debug, Clone)]
pub enum Value<'a> {
    /// Null, a truth value, a number, or a time: nothing that owns memory.
    Plain(Scalar),
    /// Text.
    String(&'a str),
    /// Bytes.
    Binary(&'a [u8]),
    /// A UUID, big-endian.
    Uuid([u8; 16]),
    /// Named values.
    Object(Object<'a>),
    /// Values in order.
    Array(Array<'a>),
}

/// The fields of an object.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    ids: Numbers<'a>,
    values: Array<'a>,
}

/// The elements of an array.
#[derive(Debug, Clone, Copy)]
pub struct Array<'a> {
    len: usize,
    offsets: Numbers<'a>,
    values: &'a [u8],
}

impl<'a> Value<'a> {
    /// Decodes the value at the start of `bytes`, and returns the number of bytes read, without those of elements
    /// and fields.
    ///
    /// # Errors
    /// Bytes that end early, text that is not UTF-8, and types that are not known.
    pub fn decode(bytes: &'a [u8]) -> Result<(Self, usize)> {
        let mut cursor = Cursor::new(bytes);
        let value = Self::read(&mut cursor).map_err(|error| error.at("variant value", 0))?;
        Ok((value, cursor.position()))
    }

    fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let first = cursor.u8()?;
        let header = first >> 2;
        match first & 3 {
            0 => Self::read_primitive(header, cursor),
            1 => text(cursor.take(usize::from(header))?),
            2 => {
                let count = read_count(header & 0x10 != 0, cursor)?;
                let ids = Numbers::read(cursor, width(header >> 2), count)?;
                let values = Array::read(count, width(header), cursor)?;
                Ok(Value::Object(Object { ids, values }))
            }
            _ => {
                let count = read_count(header & 4 != 0, cursor)?;
                Array::read(count, width(header), cursor).map(Value::Array)
            }
        }
    }

    fn read_primitive(ty: u8, cursor: &mut Cursor<'a>) -> Result<Self> {
        Ok(Value::Plain(match ty {
            0 => Scalar::Null,
            1 => Scalar::Boolean(true),
            2 => Scalar::Boolean(false),
            3 => Scalar::Int(i64::from(i8::from_le_bytes(cursor.array()?))),
            4 => Scalar::Int(i64::from(i16::from_le_bytes(cursor.array()?))),
            5 => Scalar::Int(i64::from(i32::from_le_bytes(cursor.array()?))),
            6 => Scalar::Int(i64::from_le_bytes(cursor.array()?)),
            7 => Scalar::Float64(f64::from_le_bytes(cursor.array()?)),
            8 => decimal(cursor, |cursor| {
                Ok(i32::from_le_bytes(cursor.array()?).into())
            })?,
            9 => decimal(cursor, |cursor| {
                Ok(i64::from_le_bytes(cursor.array()?).into())
            })?,
            10 => decimal(cursor, |cursor| Ok(i128::from_le_bytes(cursor.array()?)))?,
            11 => Scalar::Date(i32::from_le_bytes(cursor.array()?)),
            12 => timestamp(cursor, TimeUnit::Micros, Zone::Utc)?,
            13 => timestamp(cursor, TimeUnit::Micros, Zone::Local)?,
            14 => Scalar::Float32(f32::from_le_bytes(cursor.array()?)),
            15 => return long(cursor).map(Value::Binary),
            16 => return long(cursor).and_then(text),
            17 => Scalar::Time {
                value: i64::from_le_bytes(cursor.array()?),
                unit: TimeUnit::Micros,
                utc: false,
            },
            18 => timestamp(cursor, TimeUnit::Nanos, Zone::Utc)?,
            19 => timestamp(cursor, TimeUnit::Nanos, Zone::Local)?,
            20 => return cursor.array().map(Value::Uuid),
            ty => return Err(Error::unsupported(format!("a variant of type {ty}"))),
        }))
    }
}

impl<'a> Object<'a> {
    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.values.len
    }

    /// Whether there are no fields.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the name of field `index`.
    ///
    /// # Errors
    /// There is no such field.
    #[inline]
    pub fn id(&self, index: usize) -> Result<usize> {
        self.ids.get(index).ok_or_else(outside)
    }

    /// The name of field `index`.
    ///
    /// # Errors
    /// There is no such field or name.
    #[inline]
    pub fn name(&self, index: usize, metadata: &Metadata<'a>) -> Result<&'a str> {
        metadata.name(self.id(index)?)
    }

    /// The value of field `index`; the slice may extend beyond the value.
    ///
    /// # Errors
    /// There is no such field, or its offset is out of range.
    #[inline]
    pub fn value(&self, index: usize) -> Result<&'a [u8]> {
        self.values.value(index)
    }
}

impl<'a> Array<'a> {
    fn read(len: usize, width: usize, cursor: &mut Cursor<'a>) -> Result<Self> {
        let offsets = Numbers::read(cursor, width, len.saturating_add(1))?;
        let end = offsets.get(len).unwrap_or(0);
        let values = cursor.rest().get(..end).ok_or_else(|| {
            Error::truncated(format!("{end} bytes of values in {}", cursor.remaining()))
        })?;
        Ok(Array {
            len,
            offsets,
            values,
        })
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The value of element `index`; the slice may extend beyond the value.
    ///
    /// # Errors
    /// There is no such element, or its offset is out of range.
    #[inline]
    pub fn value(&self, index: usize) -> Result<&'a [u8]> {
        let start = self.offsets.get(index).filter(|_| index < self.len);
        let value = start.and_then(|start| self.values.get(start..));
        value.ok_or_else(outside)
    }
}

#[cold]
fn outside() -> Error {
    Error::corrupt("a variant whose offsets point outside of it")
}

fn width(header: u8) -> usize {
    usize::from(header & 3) + 1
}

fn read_count(large: bool, cursor: &mut Cursor<'_>) -> Result<usize> {
    cursor.take(if large { 4 } else { 1 }).map(number)
}

fn long<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8]> {
    let len = cursor.take(4).map(number)?;
    cursor.take(len)
}

fn text(bytes: &[u8]) -> Result<Value<'_>> {
    let text = std::str::from_utf8(bytes);
    text.map(Value::String)
        .map_err(|_| Error::corrupt("a variant's text is not UTF-8"))
}

fn decimal<'a>(
    cursor: &mut Cursor<'a>,
    unscaled: impl Fn(&mut Cursor<'a>) -> Result<i128>,
) -> Result<Scalar> {
    let scale = cursor.u8()?;
    if scale > MAX_SCALE {
        return Err(Error::corrupt(format!(
            "a variant's decimal of scale {scale}"
        )));
    }
    let unscaled = unscaled(cursor)?;
    Ok(Scalar::Decimal { unscaled, scale })
}

fn timestamp(cursor: &mut Cursor<'_>, unit: TimeUnit, zone: Zone) -> Result<Scalar> {
    let value = i128::from(i64::from_le_bytes(cursor.array()?));
    Ok(Scalar::Timestamp { value, unit, zone })
}
