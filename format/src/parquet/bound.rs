//! Encodes and decodes single values as bounds and Bloom filters store them: plain, without a length.
//!
//! ```text
//! BOOLEAN 1 byte   INT32 FLOAT 4   INT64 DOUBLE 8, little-endian   INT96 8 nanoseconds, 4 Julian day
//! BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY the bytes; decimals big-endian two's complement
//! ```
//! Long bounds of text and binary may be cut: a lower one to a prefix, an upper one to a prefix with its
//! last character or byte raised.
// spec: Encodings.md, "Plain"; parquet.thrift, Statistics

use crate::bytes::{half_to_single, single_to_half};
use crate::error::{Error, Result};
use crate::i256::I256;
use crate::parquet::encoding::Type;
use crate::parquet::schema::Leaf;
use crate::scalar::Scalar;
use crate::types::{LogicalType, TimeUnit};

/// The Julian day number of 1970-01-01.
pub const JULIAN_EPOCH: i64 = 2_440_588;

/// The value that `bytes` hold, unless their length or content is wrong for the leaf.
pub fn decode(bytes: &[u8], leaf: &Leaf) -> Option<Scalar> {
    match leaf.physical_type {
        Type::Boolean => match bytes {
            [value @ 0..=1] => Some(Scalar::Boolean(*value == 1)),
            _ => None,
        },
        Type::Int32 => integer(i32::from_le_bytes(bytes.try_into().ok()?).into(), leaf),
        Type::Int64 => integer(i64::from_le_bytes(bytes.try_into().ok()?), leaf),
        Type::Int96 => int96(bytes, leaf),
        Type::Float => Some(Scalar::Float32(f32::from_le_bytes(bytes.try_into().ok()?))),
        Type::Double => Some(Scalar::Float64(f64::from_le_bytes(bytes.try_into().ok()?))),
        Type::FixedLenByteArray if bytes.len() != leaf.type_length => None,
        Type::FixedLenByteArray | Type::ByteArray => byte_array(bytes, leaf),
        Type::Unknown(_) => None,
    }
}

/// The meaning of a stored integer.
fn integer(value: i64, leaf: &Leaf) -> Option<Scalar> {
    use LogicalType as T;
    Some(match leaf.logical_type {
        T::UInt8 | T::UInt16 | T::UInt32 => Scalar::Int(i64::from(value as u32)),
        T::UInt64 => Scalar::UInt(value as u64),
        T::Decimal { scale, .. } => Scalar::Decimal {
            unscaled: value.into(),
            scale,
        },
        T::Date => Scalar::Date(i32::try_from(value).ok()?),
        T::Time { unit, utc } => Scalar::Time { value, unit, utc },
        T::Timestamp { unit, zone } => Scalar::Timestamp {
            value: value.into(),
            unit,
            zone,
        },
        _ => Scalar::Int(value),
    })
}

fn int96(bytes: &[u8], leaf: &Leaf) -> Option<Scalar> {
    const NANOS_A_DAY: i128 = 86_400_000_000_000;
    let (nanos, day) = bytes.split_first_chunk()?;
    let nanos = i64::from_le_bytes(*nanos);
    let day = i64::from(i32::from_le_bytes(day.try_into().ok()?)) - JULIAN_EPOCH;
    match leaf.logical_type {
        LogicalType::Timestamp { zone, .. } => Some(Scalar::Timestamp {
            value: i128::from(day) * NANOS_A_DAY + i128::from(nanos),
            unit: TimeUnit::Nanos,
            zone,
        }),
        _ => None,
    }
}

fn byte_array(bytes: &[u8], leaf: &Leaf) -> Option<Scalar> {
    match leaf.logical_type {
        LogicalType::Decimal { scale, .. } => {
            I256::from_be_bytes(bytes).map(|unscaled| Scalar::decimal(unscaled, scale))
        }
        LogicalType::Float16 => {
            let bits = u16::from_le_bytes(bytes.try_into().ok()?);
            Some(Scalar::Float32(half_to_single(bits)))
        }
        ref ty => match std::str::from_utf8(bytes) {
            Ok(text) if ty.is_text() => Some(Scalar::string(text)),
            _ => Some(Scalar::binary(bytes)),
        },
    }
}

/// The bytes of `value`, which must be of the leaf's type.
pub fn encode(value: &Scalar, leaf: &Leaf) -> Result<Vec<u8>> {
    let bytes = match leaf.physical_type {
        Type::Boolean => match value {
            Scalar::Boolean(value) => Some(vec![u8::from(*value)]),
            _ => None,
        },
        Type::Int32 => stored(value).and_then(|value| {
            // unsigned numbers have the same bits
            let signed = i32::try_from(value).or_else(|_| u32::try_from(value).map(|u| u as i32));
            signed.ok().map(|value| value.to_le_bytes().to_vec())
        }),
        Type::Int64 => stored(value).and_then(|value| {
            let signed = i64::try_from(value).or_else(|_| u64::try_from(value).map(|u| u as i64));
            signed.ok().map(|value| value.to_le_bytes().to_vec())
        }),
        Type::Float => match value {
            Scalar::Float32(value) => Some(value.to_le_bytes().to_vec()),
            _ => None,
        },
        Type::Double => match value {
            Scalar::Float64(value) => Some(value.to_le_bytes().to_vec()),
            _ => None,
        },
        Type::ByteArray | Type::FixedLenByteArray => encode_byte_array(value, leaf),
        Type::Int96 | Type::Unknown(_) => None,
    };
    bytes.ok_or_else(|| {
        Error::type_mismatch(format!("no value of {}", leaf.logical_type))
            .at_column(leaf.dotted_path())
    })
}

/// The integer by which `value` is stored.
fn stored(value: &Scalar) -> Option<i128> {
    Some(match value {
        Scalar::Int(value) | Scalar::Time { value, .. } => (*value).into(),
        Scalar::UInt(value) => (*value).into(),
        Scalar::Date(value) => (*value).into(),
        Scalar::Decimal { unscaled, .. } => *unscaled,
        Scalar::Timestamp { value, .. } => *value,
        _ => return None,
    })
}

fn encode_byte_array(value: &Scalar, leaf: &Leaf) -> Option<Vec<u8>> {
    let fixed = leaf.physical_type == Type::FixedLenByteArray;
    let bytes = match value {
        Scalar::Decimal { unscaled, .. } => {
            put_big_endian((*unscaled).into(), fixed.then_some(leaf.type_length))?
        }
        Scalar::WideDecimal { unscaled, .. } => {
            put_big_endian(*unscaled, fixed.then_some(leaf.type_length))?
        }
        Scalar::Float32(value) if leaf.logical_type == LogicalType::Float16 => {
            single_to_half(*value).to_le_bytes().to_vec()
        }
        value => value.as_bytes()?.to_vec(),
    };
    (!fixed || bytes.len() == leaf.type_length).then_some(bytes)
}

/// The two's complement of `value` in so many bytes, else in as few as hold it.
fn put_big_endian(value: I256, length: Option<usize>) -> Option<Vec<u8>> {
    let full = value.to_be_bytes();
    let sign = if value.is_negative() { 0xff } else { 0 };
    let spare = |pair: &&[u8]| pair[0] == sign && (pair[1] ^ sign) & 0x80 == 0;
    let low = &full[full.windows(2).take_while(spare).count()..];
    let length = length.unwrap_or(low.len());
    let mut bytes = vec![sign; length.checked_sub(low.len())?];
    bytes.extend_from_slice(low);
    Some(bytes)
}

/// `bytes` cut to about `limit` so that they are not above the value; text stays text.
pub fn cut_lower(bytes: &[u8], limit: usize) -> &[u8] {
    prefix(bytes, limit)
}

/// `bytes` cut to about `limit` and raised so that they are not below the value; text stays text.
/// `None` if nothing so short is above.
pub fn cut_upper(bytes: &[u8], limit: usize) -> Option<Vec<u8>> {
    if bytes.len() <= limit {
        return Some(bytes.to_vec());
    }
    let mut kept = prefix(bytes, limit);
    if let Ok(mut text) = std::str::from_utf8(kept)
        && std::str::from_utf8(bytes).is_ok()
    {
        while let Some(last) = text.chars().next_back() {
            text = &text[..text.len() - last.len_utf8()];
            // steps over the surrogates, which are no characters
            if let Some(above) = (last..=char::MAX).nth(1) {
                return Some(format!("{text}{above}").into_bytes());
            }
        }
        return None;
    }
    while let Some((last, rest)) = kept.split_last() {
        if let Some(above) = last.checked_add(1) {
            let mut raised = rest.to_vec();
            raised.push(above);
            return Some(raised);
        }
        kept = rest;
    }
    None
}

/// At most `limit` bytes, whole characters if the whole is text.
fn prefix(bytes: &[u8], limit: usize) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Ok(text) => &bytes[..text.floor_char_boundary(limit)],
        Err(_) => &bytes[..limit.min(bytes.len())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::testing::leaf;
    use crate::types::Zone;

    #[test]
    fn literals_decode_by_their_meaning() {
        let ones = [0xff; 4];
        let int = |ty| decode(&ones, &leaf(Type::Int32, 0, ty));
        assert_eq!(int(LogicalType::Int32), Some(Scalar::Int(-1)));
        assert_eq!(int(LogicalType::UInt32), Some(Scalar::Int(4_294_967_295)));
        assert_eq!(int(LogicalType::Date), Some(Scalar::Date(-1)));
        let unsigned = leaf(Type::Int64, 0, LogicalType::UInt64);
        assert_eq!(decode(&[0xff; 8], &unsigned), Some(Scalar::UInt(u64::MAX)));
        assert_eq!(decode(&ones, &unsigned), None);
        let half = leaf(Type::FixedLenByteArray, 2, LogicalType::Float16);
        assert_eq!(decode(&[0x00, 0x3c], &half), Some(Scalar::Float32(1.0)));
        let bytes = leaf(Type::ByteArray, 0, LogicalType::String);
        assert_eq!(decode(&[0xff], &bytes), Some(Scalar::binary([0xff])));
    }

    #[test]
    fn julian_days_count_from_noon_in_the_past() {
        let zone = Zone::Unstated;
        let unit = TimeUnit::Nanos;
        let leaf = leaf(Type::Int96, 0, LogicalType::Timestamp { unit, zone });
        let mut bytes = [0u8; 12];
        bytes[0] = 5;
        bytes[8..].copy_from_slice(&2_440_587i32.to_le_bytes());
        let value = 5 - 86_400_000_000_000;
        assert_eq!(
            decode(&bytes, &leaf),
            Some(Scalar::Timestamp { value, unit, zone })
        );
        assert_eq!(decode(&bytes[1..], &leaf), None);
    }

    #[test]
    fn decimals_are_of_any_length() {
        let ty = LogicalType::Decimal {
            precision: 76,
            scale: 2,
        };
        let stored = leaf(Type::ByteArray, 0, ty.clone());
        let number = |unscaled| Some(Scalar::Decimal { unscaled, scale: 2 });
        assert_eq!(decode(&[0x03, 0xe8], &stored), number(1000));
        assert_eq!(decode(&[0xff, 0xff, 0xff], &stored), number(-1));
        assert_eq!(decode(&[], &stored), None);
        let wide = Scalar::decimal(I256::from(-7).scaled(70).unwrap(), 2);
        let bytes = encode(&wide, &stored).unwrap();
        assert_eq!((bytes.len(), bytes[0]), (30, 0xf5));
        assert_eq!(decode(&bytes, &stored), Some(wide.clone()));
        let fixed = leaf(Type::FixedLenByteArray, 32, ty.clone());
        let bytes = encode(&wide, &fixed).unwrap();
        assert_eq!(
            (bytes.len(), decode(&bytes, &fixed)),
            (32, Some(wide.clone()))
        );
        assert_eq!(decode(&bytes[1..], &fixed), None);
        let narrow = leaf(Type::FixedLenByteArray, 29, ty);
        assert!(encode(&wide, &narrow).is_err());
    }

    #[test]
    fn cut_bounds_enclose_and_stay_text() {
        assert_eq!(cut_lower("aé".as_bytes(), 2), b"a");
        assert_eq!(cut_upper("aéz".as_bytes(), 2).unwrap(), b"b");
        assert_eq!(cut_upper("a\u{10ffff}b".as_bytes(), 5).unwrap(), b"b");
        assert_eq!(
            cut_upper("\u{d7ff}b".as_bytes(), 3).unwrap(),
            "\u{e000}".as_bytes()
        );
        assert_eq!(cut_upper("\u{10ffff}b".as_bytes(), 4), None);
        assert_eq!(cut_upper(&[1, 0xff, 0xff, 7], 3).unwrap(), [2]);
        assert_eq!(cut_upper(&[0xff, 0xff, 7], 2), None);
        assert_eq!(cut_upper(b"ab", 2).unwrap(), b"ab");
    }

    quickcheck::quickcheck! {
        fn decimals_round_trip(high: i64, low: u64, extra: u8) -> bool {
            let value = I256::from((i128::from(high) << 64 | i128::from(low)) >> (extra % 128));
            let short = put_big_endian(value, None).unwrap();
            let long = put_big_endian(value, Some(40)).unwrap();
            let fits = short.len() == 1 || put_big_endian(value, Some(short.len() - 1)).is_none();
            [short, long].iter().all(|bytes| I256::from_be_bytes(bytes) == Some(value)) && fits
        }

        fn cut_text_encloses(text: String, limit: usize) -> bool {
            let limit = limit % 8;
            let below = cut_lower(text.as_bytes(), limit);
            let above = cut_upper(text.as_bytes(), limit);
            let text_above = above.as_deref().is_none_or(|above| {
                std::str::from_utf8(above).is_ok() && above >= text.as_bytes()
            });
            below <= text.as_bytes() && std::str::from_utf8(below).is_ok() && text_above
        }

        fn cut_bytes_enclose(bytes: Vec<u8>, limit: usize) -> bool {
            let limit = limit % 8;
            let above = cut_upper(&bytes, limit);
            cut_lower(&bytes, limit) <= &bytes[..] && above.is_none_or(|above| above >= bytes)
        }

        fn integers_round_trip(value: i64) -> bool {
            let leaf = leaf(Type::Int64, 0, LogicalType::Int64);
            let bytes = encode(&Scalar::Int(value), &leaf).unwrap();
            decode(&bytes, &leaf) == Some(Scalar::Int(value))
        }

        fn unsigned_integers_round_trip(value: u32) -> bool {
            let leaf = leaf(Type::Int32, 0, LogicalType::UInt32);
            let value = Scalar::Int(value.into());
            decode(&encode(&value, &leaf).unwrap(), &leaf) == Some(value)
        }
    }
}
