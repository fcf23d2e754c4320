//! Single values and their order: the only place where two values are compared.
//!
//! The order is Spark SQL's. Numbers compare by value whatever their width, scale or unit; NaN
//! equals NaN and is above every number; -0.0 equals 0.0; text and binary compare by unsigned
//! bytes. Null compares with nothing, and neither do values of unlike families: `None` means
//! "unknown", and pruning must keep the rows.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::i256::I256;
use crate::types::{LogicalType, TimeUnit, Zone};

/// One value of any type.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Scalar {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A signed or unsigned integer of any width that fits 64 signed bits.
    Int(i64),
    /// An unsigned 64-bit integer.
    UInt(u64),
    /// Single precision (and half, which it contains).
    Float32(f32),
    /// Double precision.
    Float64(f64),
    /// `unscaled` times ten to the minus `scale`.
    Decimal {
        /// The digits.
        unscaled: i128,
        /// Digits after the point.
        scale: u8,
    },
    /// As [`Scalar::Decimal`], of digits that need more than 128 bits.
    WideDecimal {
        /// The digits; never a number that 128 bits hold.
        unscaled: I256,
        /// Digits after the point.
        scale: u8,
    },
    /// Days since 1970-01-01.
    Date(i32),
    /// Time of day.
    Time {
        /// Count of units since midnight.
        value: i64,
        /// Resolution.
        unit: TimeUnit,
        /// Whether it is UTC-adjusted.
        utc: bool,
    },
    /// Date and time.
    Timestamp {
        /// Count of units since 1970-01-01T00:00.
        value: i128,
        /// Resolution.
        unit: TimeUnit,
        /// What it is relative to.
        zone: Zone,
    },
    /// Text.
    String(Arc<str>),
    /// Bytes.
    Binary(Arc<[u8]>),
    /// Elements of a list.
    List(Vec<Scalar>),
    /// Entries of a map in file order.
    Map(Vec<(Scalar, Scalar)>),
    /// Fields of a struct in schema order.
    Struct(Vec<(Arc<str>, Scalar)>),
    /// The tag and value of a union.
    Union(u8, Box<Scalar>),
}

impl Scalar {
    /// Text as a scalar.
    pub fn string(text: impl AsRef<str>) -> Self {
        Scalar::String(Arc::from(text.as_ref()))
    }

    /// Bytes as a scalar.
    pub fn binary(bytes: impl AsRef<[u8]>) -> Self {
        Scalar::Binary(Arc::from(bytes.as_ref()))
    }

    /// The decimal of these digits.
    pub fn decimal(unscaled: I256, scale: u8) -> Self {
        match i128::try_from(unscaled) {
            Ok(unscaled) => Scalar::Decimal { unscaled, scale },
            Err(unscaled) => Scalar::WideDecimal { unscaled, scale },
        }
    }

    /// The value of `ty` that is stored as the integer `value`, which is in its range.
    pub fn of_integer(ty: &LogicalType, value: i128) -> Self {
        match *ty {
            LogicalType::UInt64 => Scalar::UInt(value as u64),
            LogicalType::Decimal { scale, .. } => Scalar::Decimal {
                unscaled: value,
                scale,
            },
            LogicalType::Date => Scalar::Date(value as i32),
            LogicalType::Time { unit, utc } => Scalar::Time {
                value: value as i64,
                unit,
                utc,
            },
            LogicalType::Timestamp { unit, zone } => Scalar::Timestamp { value, unit, zone },
            _ => Scalar::Int(value as i64),
        }
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Scalar::Null)
    }

    /// Whether this is a floating-point NaN.
    pub fn is_nan(&self) -> bool {
        match self {
            Scalar::Float32(value) => value.is_nan(),
            Scalar::Float64(value) => value.is_nan(),
            _ => false,
        }
    }

    /// The bytes of text or binary.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Scalar::String(text) => Some(text.as_bytes()),
            Scalar::Binary(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The order of this value and `other`, or `None` if it is unknown.
    pub fn compare(&self, other: &Scalar) -> Option<Ordering> {
        use Scalar as S;
        match (self, other) {
            (S::Boolean(a), S::Boolean(b)) => Some(a.cmp(b)),
            (S::Int(a), S::Int(b)) => Some(a.cmp(b)),
            (S::Float64(a), S::Float64(b)) => Some(compare_floats(*a, *b)),
            (S::Date(a), S::Date(b)) => Some(a.cmp(b)),
            (
                S::Time {
                    value: a, unit: ua, ..
                },
                S::Time {
                    value: b, unit: ub, ..
                },
            ) => compare_decimals((i128::from(*a), ua.digits()), (i128::from(*b), ub.digits())),
            (
                S::Timestamp {
                    value: a, unit: ua, ..
                },
                S::Timestamp {
                    value: b, unit: ub, ..
                },
            ) => compare_decimals((*a, ua.digits()), (*b, ub.digits())),
            (S::List(a), S::List(b)) => compare_sequences(a.iter(), b.iter()),
            (S::Struct(a), S::Struct(b)) => {
                compare_sequences(a.iter().map(|f| &f.1), b.iter().map(|f| &f.1))
            }
            _ => match (self.as_bytes(), other.as_bytes()) {
                (Some(a), Some(b)) => Some(a.cmp(b)),
                _ => compare_numbers(self, other),
            },
        }
    }

    /// Unscaled value and scale of an exact number.
    fn as_decimal(&self) -> Option<(i128, usize)> {
        match self {
            Scalar::Int(value) => Some((i128::from(*value), 0)),
            Scalar::UInt(value) => Some((i128::from(*value), 0)),
            Scalar::Decimal { unscaled, scale } => Some((*unscaled, usize::from(*scale))),
            _ => None,
        }
    }

    /// As [`Scalar::as_decimal`], of any exact number.
    fn as_wide_decimal(&self) -> Option<(I256, usize)> {
        match self {
            Scalar::WideDecimal { unscaled, scale } => Some((*unscaled, usize::from(*scale))),
            other => other
                .as_decimal()
                .map(|(unscaled, scale)| (unscaled.into(), scale)),
        }
    }

    fn as_float(&self) -> Option<f64> {
        match self {
            Scalar::Float32(value) => Some(f64::from(*value)),
            Scalar::Float64(value) => Some(*value),
            _ => None,
        }
    }
}

/// Equality is equality in the order of [`Scalar::compare`]; nulls equal each other.
impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Scalar::Null, Scalar::Null) => true,
            (Scalar::Map(a), Scalar::Map(b)) => a == b,
            (Scalar::Union(a, x), Scalar::Union(b, y)) => a == b && x == y,
            (Scalar::List(a), Scalar::List(b)) => a == b,
            (Scalar::Struct(a), Scalar::Struct(b)) => a == b,
            _ => self.compare(other) == Some(Ordering::Equal),
        }
    }
}

/// NaN equals NaN and is above all; zeros are equal whatever their sign.
pub fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b)
        .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

fn compare_numbers(a: &Scalar, b: &Scalar) -> Option<Ordering> {
    match (a.as_decimal(), b.as_decimal(), a.as_float(), b.as_float()) {
        (Some(a), Some(b), ..) => compare_decimals(a, b),
        (_, _, Some(a), Some(b)) => Some(compare_floats(a, b)),
        (Some(a), _, _, Some(b)) => compare_decimal_with_float(a, b),
        (_, Some(b), Some(a), _) => compare_decimal_with_float(b, a).map(Ordering::reverse),
        _ => compare_wide_decimals(a.as_wide_decimal()?, b.as_wide_decimal()?),
    }
}

/// Compares `a / 10^sa` with `b / 10^sb` without losing a digit.
fn compare_decimals((a, sa): (i128, usize), (b, sb): (i128, usize)) -> Option<Ordering> {
    if sa > sb {
        return compare_decimals((b, sb), (a, sa)).map(Ordering::reverse);
    }
    let factor = 10i128.checked_pow(u32::try_from(sb - sa).ok()?);
    match factor.and_then(|factor| a.checked_mul(factor)) {
        Some(scaled) => Some(scaled.cmp(&b)),
        // the scaled value is beyond every i128: its sign decides
        None if a == 0 => Some(0.cmp(&b)),
        None => Some(a.cmp(&0)),
    }
}

/// As [`compare_decimals`], of numbers of more bits.
fn compare_wide_decimals((a, sa): (I256, usize), (b, sb): (I256, usize)) -> Option<Ordering> {
    if sa > sb {
        return compare_wide_decimals((b, sb), (a, sa)).map(Ordering::reverse);
    }
    match a.scaled(u32::try_from(sb - sa).ok()?) {
        Some(scaled) => Some(scaled.cmp(&b)),
        // the scaled value is beyond every number of 256 bits: its sign decides
        None => Some(a.cmp(&I256::default())),
    }
}

/// An exact number against a float, where the number is an integer that doubles hold exactly.
fn compare_decimal_with_float((unscaled, scale): (i128, usize), float: f64) -> Option<Ordering> {
    const EXACT: i128 = 1 << 53;
    if float.is_nan() {
        return Some(Ordering::Less);
    }
    if scale == 0 && (-EXACT..=EXACT).contains(&unscaled) {
        return Some(compare_floats(unscaled as f64, float));
    }
    if float.is_infinite() {
        return 0f64.partial_cmp(&float);
    }
    None
}

fn compare_sequences<'a>(
    a: impl ExactSizeIterator<Item = &'a Scalar>,
    b: impl ExactSizeIterator<Item = &'a Scalar>,
) -> Option<Ordering> {
    let lengths = a.len().cmp(&b.len());
    for (a, b) in a.zip(b) {
        match a.compare(b)? {
            Ordering::Equal => {}
            unequal => return Some(unequal),
        }
    }
    Some(lengths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Ordering::{Equal, Greater, Less};

    fn decimal(unscaled: i128, scale: u8) -> Scalar {
        Scalar::Decimal { unscaled, scale }
    }

    #[test]
    fn floats_follow_spark() {
        let f = Scalar::Float64;
        assert_eq!(f(f64::NAN).compare(&f(f64::NAN)), Some(Equal));
        assert_eq!(f(f64::NAN).compare(&f(f64::INFINITY)), Some(Greater));
        assert_eq!(f(-0.0).compare(&f(0.0)), Some(Equal));
        assert_eq!(Scalar::Float32(f32::NAN).compare(&f(1.0)), Some(Greater));
    }

    #[test]
    fn exact_numbers_compare_across_scales_without_overflow() {
        assert_eq!(decimal(150, 2).compare(&decimal(15, 1)), Some(Equal));
        assert_eq!(
            decimal(i128::MAX, 0).compare(&decimal(1, 38)),
            Some(Greater)
        );
        assert_eq!(decimal(i128::MIN, 0).compare(&decimal(1, 38)), Some(Less));
        assert_eq!(decimal(-1, 38).compare(&decimal(0, 0)), Some(Less));
        assert_eq!(
            Scalar::UInt(u64::MAX).compare(&Scalar::Int(-1)),
            Some(Greater)
        );
    }

    #[test]
    fn numbers_beyond_128_bits_compare_across_scales() {
        let wide = |digits: i128, zeros, scale| {
            Scalar::decimal(I256::from(digits).scaled(zeros).unwrap(), scale)
        };
        assert!(matches!(wide(1, 39, 0), Scalar::WideDecimal { .. }));
        assert!(matches!(wide(1, 38, 0), Scalar::Decimal { .. }));
        assert_eq!(wide(15, 60, 60).compare(&decimal(15, 0)), Some(Equal));
        assert_eq!(wide(15, 60, 61).compare(&Scalar::Int(2)), Some(Less));
        assert_eq!(wide(5, 75, 0).compare(&wide(6, 75, 76)), Some(Greater));
        assert_eq!(wide(-5, 75, 0).compare(&wide(-6, 75, 76)), Some(Less));
        assert_eq!(
            wide(1, 39, 0).compare(&Scalar::UInt(u64::MAX)),
            Some(Greater)
        );
        assert_eq!(wide(1, 39, 0).compare(&Scalar::Float64(1.0)), None);
        assert_eq!(wide(1, 39, 0).compare(&Scalar::string("1")), None);
    }

    #[test]
    fn unlike_families_and_nulls_cannot_be_told() {
        assert_eq!(Scalar::Int(1).compare(&Scalar::string("1")), None);
        assert_eq!(Scalar::Null.compare(&Scalar::Null), None);
        assert_eq!(Scalar::Date(0).compare(&Scalar::Int(0)), None);
        assert_eq!(
            Scalar::Int((1 << 53) + 1).compare(&Scalar::Float64((1u64 << 53) as f64)),
            None
        );
    }

    #[test]
    fn timestamps_compare_across_units() {
        let at = |value, unit| Scalar::Timestamp {
            value,
            unit,
            zone: Zone::Utc,
        };
        assert_eq!(
            at(1_500, TimeUnit::Millis).compare(&at(1_500_000, TimeUnit::Micros)),
            Some(Equal)
        );
        assert_eq!(
            at(-1, TimeUnit::Nanos).compare(&at(0, TimeUnit::Millis)),
            Some(Less)
        );
    }
}
