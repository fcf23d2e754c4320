//! How a column's values lie in its streams and which layout they are decoded to: the reader's only
//! table over ORC's types.
//!
//! ```text
//! boolean              bits in byte runs           -> bits
//! tinyint              byte runs                   -> i32
//! smallint int date    signed integer runs         -> i32          bigint -> i64
//! float double         IEEE 754                    -> f32, f64
//! string char varchar  lengths and bytes, or codes and a dictionary -> views, codes
//! binary geometry ..   lengths and bytes           -> views
//! decimal              varints and scales          -> i32, i64, i128
//! timestamp ..         seconds and nanoseconds     -> i64, i128
//! ```
// spec: ORCv1.md, "Column Encodings"

use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};
use lith_format::orc::encoding::{StreamKind, TypeKind};
use lith_format::types::LogicalType;
use lith_format::vector::Values;

use crate::kernel::bits::Bits;
use crate::kernel::compact::compact_bits;
use crate::orc::encoding::boolean_rle::BooleanRle;
use crate::orc::encoding::byte_rle::ByteRle;
use crate::orc::encoding::dictionary::{Codes, read_dictionary};
use crate::orc::encoding::number::{Decimals, Floats};
use crate::orc::encoding::text::Texts;
use crate::orc::encoding::timestamp::{Clock, Timestamps};
use crate::orc::encoding::{Integers, RleVersion, is_dense, read_wanted};
use crate::orc::position::{Content, Positions};
use crate::orc::stream::StreamReader;
use crate::orc::stripe::Streams;
use crate::selection::Selection;

/// Decodes the values of a column, nulls left out.
#[derive(Debug)]
pub(crate) enum Decoder {
    Boolean(BooleanRle),
    Byte(ByteRle),
    /// Integers of a type of so many bits, less than 64.
    Narrow {
        integers: Integers,
        bits: u32,
        scratch: Vec<i64>,
    },
    Long(Integers),
    Float(Floats<f32>),
    Double(Floats<f64>),
    Text(Texts),
    Codes(Codes),
    Decimal(Decimals),
    Timestamp(Timestamps),
}

impl Decoder {
    /// Starts at the front of the streams of `column`, which is of type `kind` and means `ty`.
    pub fn open(
        streams: &Streams<'_>,
        column: u32,
        kind: TypeKind,
        ty: &LogicalType,
    ) -> Result<Self> {
        let encoding = streams.stripe.encoding(column)?.kind;
        let column = Column::of(streams, column, kind)?;
        match kind {
            TypeKind::Boolean => Ok(Decoder::Boolean(BooleanRle::new(column.data()?))),
            TypeKind::Byte => Ok(Decoder::Byte(ByteRle::new(column.data()?))),
            TypeKind::Short => column.narrow(i16::BITS),
            TypeKind::Int | TypeKind::Date => column.narrow(i32::BITS),
            TypeKind::Long => Ok(Decoder::Long(column.signed(StreamKind::Data)?)),
            TypeKind::Float => Ok(Decoder::Float(Floats::new(column.data()?))),
            TypeKind::Double => Ok(Decoder::Double(Floats::new(column.data()?))),
            _ if encoding.is_dictionary() => column.codes(ty),
            TypeKind::String | TypeKind::Varchar | TypeKind::Binary => column.text(false),
            TypeKind::Geometry | TypeKind::Geography => column.text(false),
            TypeKind::Char => column.text(true),
            TypeKind::Decimal => column.decimal(ty),
            TypeKind::Timestamp => match streams.stripe.writer_timezone() {
                Some(zone) => column.timestamp(Clock::of_zone(zone)?),
                None => column.timestamp(Clock::utc()),
            },
            TypeKind::TimestampInstant => column.timestamp(Clock::utc()),
            _ => Err(Error::unsupported(format!("type {kind} is not read"))),
        }
    }

    /// Reads the wanted values of a window, dense.
    pub fn read(&mut self, wanted: &Selection) -> Result<Values> {
        Ok(match self {
            Decoder::Boolean(bits) => Values::Boolean(read_wanted_bits(bits, wanted)?),
            Decoder::Byte(bytes) => {
                let mut out = Vec::new();
                read_wanted(bytes, wanted, &mut out, ByteRle::read, ByteRle::skip)?;
                Values::I32(out.iter().map(|&byte| i32::from(byte as i8)).collect())
            }
            Decoder::Narrow {
                integers,
                bits,
                scratch,
            } => {
                read_wanted(integers, wanted, scratch, Integers::read, Integers::skip)?;
                Values::I32(narrow(scratch, *bits)?)
            }
            Decoder::Long(integers) => {
                let mut out = Vec::new();
                read_wanted(integers, wanted, &mut out, Integers::read, Integers::skip)?;
                Values::I64(out)
            }
            Decoder::Float(floats) => {
                let mut out = Vec::new();
                read_wanted(floats, wanted, &mut out, Floats::read, Floats::skip)?;
                Values::F32(out)
            }
            Decoder::Double(floats) => {
                let mut out = Vec::new();
                read_wanted(floats, wanted, &mut out, Floats::read, Floats::skip)?;
                Values::F64(out)
            }
            Decoder::Text(texts) => Values::Bytes(texts.read(wanted)?),
            Decoder::Codes(codes) => Values::Dictionary {
                codes: codes.read(wanted)?,
                values: Arc::clone(codes.dictionary()),
            },
            Decoder::Decimal(decimals) => decimals.read(wanted)?,
            Decoder::Timestamp(timestamps) => timestamps.read(wanted)?,
        })
    }

    /// The streams of the values for which the row index has positions, in its order.
    pub fn contents(&self) -> &'static [Content] {
        match self {
            Decoder::Boolean(_) => &[Content::Bits],
            Decoder::Byte(_) | Decoder::Narrow { .. } | Decoder::Long(_) | Decoder::Codes(_) => {
                &[Content::Runs]
            }
            Decoder::Float(_) | Decoder::Double(_) => &[Content::Bytes],
            Decoder::Text(_) | Decoder::Decimal(_) => &[Content::Bytes, Content::Runs],
            Decoder::Timestamp(_) => &[Content::Runs, Content::Runs],
        }
    }

    /// Seeks to the next positions, one in each of these streams.
    pub fn seek(&mut self, positions: &mut Positions) -> Result<()> {
        match self {
            Decoder::Boolean(bits) => bits.seek(&positions.next()?),
            Decoder::Byte(bytes) => bytes.seek(&positions.next()?),
            Decoder::Narrow { integers, .. } | Decoder::Long(integers) => {
                integers.seek(&positions.next()?)
            }
            Decoder::Float(floats) => floats.seek(&positions.next()?),
            Decoder::Double(floats) => floats.seek(&positions.next()?),
            Decoder::Text(texts) => texts.seek(positions),
            Decoder::Codes(codes) => codes.seek(&positions.next()?),
            Decoder::Decimal(decimals) => decimals.seek(positions),
            Decoder::Timestamp(timestamps) => timestamps.seek(positions),
        }
    }

    /// Skips the next `count` values.
    pub fn skip(&mut self, count: usize) -> Result<()> {
        self.read(&Selection::none(count)).map(drop)
    }
}

/// The lengths of a column of lists or maps.
pub(crate) fn open_lengths(streams: &Streams<'_>, column: u32, kind: TypeKind) -> Result<Integers> {
    Column::of(streams, column, kind)?.unsigned(StreamKind::Length)
}

/// The streams of one column.
struct Column<'a> {
    streams: &'a Streams<'a>,
    id: u32,
    version: RleVersion,
}

impl<'a> Column<'a> {
    /// Column `id`, of type `kind`; an error if it has an encoding that the type cannot have.
    fn of(streams: &'a Streams<'a>, id: u32, kind: TypeKind) -> Result<Self> {
        let encoding = streams.stripe.encoding(id)?.kind;
        let is_text = matches!(kind, TypeKind::String | TypeKind::Char | TypeKind::Varchar);
        if encoding.is_dictionary() && !is_text {
            return Err(Error::corrupt(format!(
                "encoding {encoding} of a {kind} column"
            )));
        }
        let version = match encoding.is_v2() {
            true => RleVersion::V2,
            false => RleVersion::V1,
        };
        Ok(Column {
            streams,
            id,
            version,
        })
    }

    fn open(&self, kind: StreamKind) -> Result<StreamReader> {
        self.streams.open(self.id, kind)
    }

    fn data(&self) -> Result<StreamReader> {
        self.open(StreamKind::Data)
    }

    fn signed(&self, kind: StreamKind) -> Result<Integers> {
        Ok(Integers::signed(self.open(kind)?, self.version))
    }

    fn unsigned(&self, kind: StreamKind) -> Result<Integers> {
        Ok(Integers::unsigned(self.open(kind)?, self.version))
    }

    fn narrow(&self, bits: u32) -> Result<Decoder> {
        Ok(Decoder::Narrow {
            integers: self.signed(StreamKind::Data)?,
            bits,
            scratch: Vec::new(),
        })
    }

    fn text(&self, padded: bool) -> Result<Decoder> {
        let lengths = self.unsigned(StreamKind::Length)?;
        Ok(Decoder::Text(Texts::new(self.data()?, lengths, padded)))
    }

    fn codes(&self, ty: &LogicalType) -> Result<Decoder> {
        let dictionary = read_dictionary(
            self.open(StreamKind::DictionaryData)?,
            self.unsigned(StreamKind::Length)?,
            self.streams.stripe.encoding(self.id)?.dictionary_size,
            ty,
            &self.streams.context.limits,
        )?;
        let codes = self.unsigned(StreamKind::Data)?;
        Ok(Decoder::Codes(Codes::new(codes, dictionary)))
    }

    fn decimal(&self, ty: &LogicalType) -> Result<Decoder> {
        let LogicalType::Decimal { precision, scale } = *ty else {
            return Err(Error::type_mismatch(format!("a decimal column as {ty}")));
        };
        let scales = self.signed(StreamKind::Secondary)?;
        let decimals = Decimals::new(self.data()?, scales, (precision, scale));
        Ok(Decoder::Decimal(decimals))
    }

    fn timestamp(&self, clock: Clock) -> Result<Decoder> {
        let seconds = self.signed(StreamKind::Data)?;
        let nanos = self.unsigned(StreamKind::Secondary)?;
        Ok(Decoder::Timestamp(Timestamps::new(seconds, nanos, clock)))
    }
}

fn read_wanted_bits(bits: &mut BooleanRle, wanted: &Selection) -> Result<Bitmap> {
    if is_dense(wanted) {
        let all = bits.read(wanted.rows())?;
        return Ok(match wanted.is_all() {
            true => all,
            false => compact_bits(&all, wanted.runs()),
        });
    }
    let mut out = Bits::with_capacity(wanted.selected());
    let mut at = 0;
    for run in wanted.runs() {
        bits.skip(run.start - at)?;
        out.push_bitmap(&bits.read(run.len())?, 0..run.len());
        at = run.end;
    }
    bits.skip(wanted.rows() - at)?;
    Ok(out.finish())
}

/// Values as 32 bits; those that do not fit a type of so many bits are an error.
fn narrow(values: &[i64], bits: u32) -> Result<Vec<i32>> {
    // with half of the range added, what fits is not negative and has no bit above
    let half = 1i64 << (bits - 1);
    let all = values
        .iter()
        .fold(0, |all, value| all | value.wrapping_add(half) as u64);
    if all >> bits != 0 {
        return Err(Error::corrupt("an integer exceeds its column's type"));
    }
    Ok(values.iter().map(|&value| value as i32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::error::ErrorKind;

    #[test]
    fn integers_are_held_against_their_type() {
        for (bits, least) in [(16, i64::from(i16::MIN)), (32, i64::from(i32::MIN))] {
            let greatest = -least - 1;
            let fits = [least, 0, greatest];
            assert_eq!(narrow(&fits, bits).unwrap(), fits.map(|value| value as i32));
            assert_eq!(narrow(&[], bits).unwrap(), []);
            for value in [least - 1, greatest + 1, i64::MIN, i64::MAX] {
                let error = narrow(&[1, value], bits).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Corrupt);
            }
        }
    }
}
