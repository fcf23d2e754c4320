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

use std::ops::RangeInclusive;
use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};
use lith_format::orc::encoding::{StreamKind, TypeKind};
use lith_format::types::LogicalType;
use lith_format::vector::Values;

use super::encoding::boolean_rle::BooleanRle;
use super::encoding::byte_rle::ByteRle;
use super::encoding::dictionary::{Codes, read_dictionary};
use super::encoding::number::{Decimals, Floats};
use super::encoding::text::Texts;
use super::encoding::timestamp::{Clock, Timestamps};
use super::encoding::{Integers, RleVersion, is_dense, read_wanted};
use super::stripe::Streams;
use crate::kernel::bits::Bits;
use crate::kernel::compact::compact_bits;
use crate::selection::Selection;

/// Decodes the values of a column, nulls left out.
#[derive(Debug)]
pub(crate) enum Decoder {
    Boolean(BooleanRle),
    Byte(ByteRle),
    /// Integers that fit a type narrower than 64 bits.
    Narrow {
        integers: Integers,
        range: RangeInclusive<i64>,
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
        let encoding = streams.stripe.encoding(column)?;
        let is_text = matches!(kind, TypeKind::String | TypeKind::Char | TypeKind::Varchar);
        if encoding.kind.is_dictionary() && !is_text {
            let encoding = encoding.kind;
            return Err(Error::corrupt(format!(
                "encoding {encoding} of a {kind} column"
            )));
        }
        let version = match encoding.kind.is_v2() {
            true => RleVersion::V2,
            false => RleVersion::V1,
        };
        let open = |kind| streams.open(column, kind);
        let data = open(StreamKind::Data)?;
        let narrow = |range| Decoder::Narrow {
            integers: Integers::signed(data.clone(), version),
            range,
            scratch: Vec::new(),
        };
        let lengths = || Ok(Integers::unsigned(open(StreamKind::Length)?, version));
        Ok(match kind {
            TypeKind::Boolean => Decoder::Boolean(BooleanRle::new(data)),
            TypeKind::Byte => Decoder::Byte(ByteRle::new(data)),
            TypeKind::Short => narrow(i16::MIN.into()..=i16::MAX.into()),
            TypeKind::Int | TypeKind::Date => narrow(i32::MIN.into()..=i32::MAX.into()),
            TypeKind::Long => Decoder::Long(Integers::signed(data, version)),
            TypeKind::Float => Decoder::Float(Floats::new(data)),
            TypeKind::Double => Decoder::Double(Floats::new(data)),
            TypeKind::String | TypeKind::Char | TypeKind::Varchar
                if encoding.kind.is_dictionary() =>
            {
                let (blob, size) = (open(StreamKind::DictionaryData)?, encoding.dictionary_size);
                let limits = &streams.context.limits;
                let dictionary = read_dictionary(blob, lengths()?, size, ty, limits)?;
                Decoder::Codes(Codes::new(Integers::unsigned(data, version), dictionary))
            }
            TypeKind::String | TypeKind::Varchar | TypeKind::Binary => {
                Decoder::Text(Texts::new(data, lengths()?, false))
            }
            TypeKind::Geometry | TypeKind::Geography => {
                Decoder::Text(Texts::new(data, lengths()?, false))
            }
            TypeKind::Char => Decoder::Text(Texts::new(data, lengths()?, true)),
            TypeKind::Decimal => {
                let LogicalType::Decimal { precision, scale } = *ty else {
                    return Err(Error::type_mismatch(format!("a decimal column as {ty}")));
                };
                let scales = Integers::signed(open(StreamKind::Secondary)?, version);
                Decoder::Decimal(Decimals::new(data, scales, (precision, scale)))
            }
            TypeKind::Timestamp | TypeKind::TimestampInstant => {
                let clock = match streams.stripe.writer_timezone() {
                    Some(zone) if kind == TypeKind::Timestamp => Clock::of_zone(zone)?,
                    _ => Clock::utc(),
                };
                let nanos = Integers::unsigned(open(StreamKind::Secondary)?, version);
                Decoder::Timestamp(Timestamps::new(
                    Integers::signed(data, version),
                    nanos,
                    clock,
                ))
            }
            TypeKind::List | TypeKind::Map | TypeKind::Struct | TypeKind::Union => {
                return Err(Error::unsupported("nested columns are not read yet"));
            }
            _ => return Err(Error::unsupported(format!("type {kind} is not read"))),
        })
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
                range,
                scratch,
            } => {
                read_wanted(integers, wanted, scratch, Integers::read, Integers::skip)?;
                Values::I32(narrow(scratch, range)?)
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

/// Values as 32 bits; those outside of `range` are an error.
fn narrow(values: &[i64], range: &RangeInclusive<i64>) -> Result<Vec<i32>> {
    let (mut least, mut greatest) = (0, 0);
    for &value in values {
        least = value.min(least);
        greatest = value.max(greatest);
    }
    if !range.contains(&least) || !range.contains(&greatest) {
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
        let short = i64::from(i16::MIN)..=i64::from(i16::MAX);
        assert_eq!(
            narrow(&[-32768, 0, 32767], &short).unwrap(),
            [-32768, 0, 32767]
        );
        assert_eq!(narrow(&[], &short).unwrap(), []);
        for value in [-32769, 32768, i64::MIN, i64::MAX] {
            let error = narrow(&[1, value], &short).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
        }
    }
}
