//! Casts: a value that does not fit or parse is an error in rows that are asked for, or null in a lenient cast and
//! without ANSI mode, in which numbers that do not fit an integer type wrap around.

use std::io::Write as _;

use lith_format::bitmap::Bitmap;
use lith_format::types::{LogicalType, TimeUnit};

use super::Rows;
use super::number::{fits, power_of_ten, range, rescale, wrap};
use super::value::{BytesOut, Lane, LaneKind, Value, is_local, wrong_lane};
use crate::ansi::EvalMode;
use crate::calendar;
use crate::error::{PlanError, Result};
use crate::expr::{scalar_spark, shortened};
use crate::sql::parse_decimal;
use crate::uuid;

/// From which type to which, and what happens to that which cannot be converted.
pub(super) struct Cast<'a> {
    pub(super) from: &'a LogicalType,
    pub(super) to: &'a LogicalType,
    pub(super) lenient: bool,
}

impl Cast<'_> {
    pub(super) fn run(&self, value: Value, rows: &Rows<'_>) -> Result<Value> {
        use LogicalType as T;
        if self.from == self.to || (self.from.is_text() && self.to.is_text()) {
            return Ok(value);
        }
        match (self.from, self.to) {
            // a date is no number
            (T::Date, to) if rows.mode == EvalMode::Legacy && !is_dated(to) => {
                Value::literal(&lith_format::scalar::Scalar::Null, to)
            }
            (T::Null, to) => Value::literal(&lith_format::scalar::Scalar::Null, to),
            (T::Binary, T::String) | (T::String | T::Uuid, T::Binary) => Ok(value),
            (_, T::String) => self.to_text(&value, rows),
            (T::String, _) => self.parse(&value, rows),
            (_, T::Boolean) => self.to_boolean(&value),
            _ => match LaneKind::of(self.to) {
                LaneKind::Int => {
                    let convert = match rows.mode {
                        EvalMode::Ansi => Self::int,
                        EvalMode::Legacy => Self::low_bits,
                    };
                    self.to_lane(&value, rows, |out: Vec<i64>| Lane::Int(out), convert)
                }
                LaneKind::Wide => {
                    let value = self.finite(value);
                    self.to_lane(&value, rows, |out: Vec<i128>| Lane::Wide(out), Self::wide)
                }
                LaneKind::Float => {
                    self.to_lane(&value, rows, |out: Vec<f64>| Lane::Float(out), Self::float)
                }
                _ => Err(wrong_lane(&self.to.to_string())),
            },
        }
    }

    /// No decimal is like NaN or an infinity, and there Spark gives null, not an error.
    fn finite(&self, mut value: Value) -> Value {
        if let (Lane::Float(values), LogicalType::Decimal { .. }) = (&value.lane, self.to)
            && !values.iter().all(|value| value.is_finite())
        {
            let finite: Bitmap = values.iter().map(|value| value.is_finite()).collect();
            value.keep(finite);
        }
        value
    }

    /// Converts number by number.
    fn to_lane<T: Copy + Default>(
        &self,
        value: &Value,
        rows: &Rows<'_>,
        lane: fn(Vec<T>) -> Lane,
        convert: fn(&Self, Number) -> Option<T>,
    ) -> Result<Value> {
        let converted: Vec<Option<T>> = match &value.lane {
            Lane::Bool(bits) => bits
                .iter()
                .map(|bit| convert(self, Number::Int(bit.into())))
                .collect(),
            Lane::Int(values) => values
                .iter()
                .map(|&v| convert(self, Number::Int(v)))
                .collect(),
            Lane::Wide(values) => values
                .iter()
                .map(|&v| convert(self, Number::Wide(v)))
                .collect(),
            Lane::Float(values) => values
                .iter()
                .map(|&v| convert(self, Number::Float(v)))
                .collect(),
            Lane::Bytes(_) => return Err(wrong_lane("a number")),
        };
        self.finish(value, rows, converted, lane)
    }

    /// Splits what was converted from what was not.
    fn finish<T: Copy + Default>(
        &self,
        value: &Value,
        rows: &Rows<'_>,
        converted: Vec<Option<T>>,
        lane: fn(Vec<T>) -> Lane,
    ) -> Result<Value> {
        let out = converted.iter().map(|cell| cell.unwrap_or_default());
        let mut out = Value::new(lane(out.collect()), value.known.clone(), value.one);
        if converted.iter().all(Option::is_some) {
            return Ok(out);
        }
        if self.lenient {
            out.keep(converted.iter().map(Option::is_some).collect());
            return Ok(out);
        }
        rows.settle(
            out,
            |row| converted[row].is_none(),
            |row| self.refuse(value, row),
        )
    }

    #[cold]
    fn refuse(&self, value: &Value, row: usize) -> PlanError {
        let shown = match self.from {
            LogicalType::String => {
                let text = String::from_utf8_lossy(value.bytes(row));
                format!("'{}'", shortened(&text))
            }
            from => scalar_spark(&value.scalar(row, from), from),
        };
        PlanError::evaluate(format!("{shown} cannot be cast to {}", self.to))
    }

    fn int(&self, number: Number) -> Option<i64> {
        use LogicalType as T;
        let (min, max) = range(self.to);
        let found = match (self.from, self.to, number) {
            (T::Date, T::Timestamp { unit, .. }, Number::Int(days)) => days
                .checked_mul(calendar::DAY_SECONDS)?
                .checked_mul(unit.per_second())?,
            (T::Timestamp { unit, .. }, T::Date, number) => {
                let day = i128::from(calendar::DAY_SECONDS) * i128::from(unit.per_second());
                return i64::try_from(number.whole()?.div_euclid(day)).ok();
            }
            (T::Timestamp { unit, .. }, T::Timestamp { unit: to, .. }, number) => {
                let scaled = number.whole()?.checked_mul(to.per_second().into())?;
                return i64::try_from(scaled.div_euclid(unit.per_second().into())).ok();
            }
            (T::Timestamp { unit, .. }, _, number) => {
                i64::try_from(number.whole()?.div_euclid(unit.per_second().into())).ok()?
            }
            (_, T::Timestamp { unit, .. }, Number::Float(seconds)) => {
                let units = seconds * unit.per_second() as f64;
                return units.is_finite().then_some(units as i64);
            }
            (from, T::Timestamp { unit, .. }, number) => {
                return i64::try_from(
                    seconds(number, from)?.checked_mul(unit.per_second().into())?,
                )
                .ok();
            }
            (_, _, Number::Int(value)) => value,
            (T::Decimal { scale, .. }, _, Number::Wide(value)) => {
                i64::try_from(value / power_of_ten(*scale)?).ok()?
            }
            (_, _, Number::Float(value)) => {
                let whole = value.trunc();
                // -2^63 is a double, 2^63 - 1 is not
                let inside = whole >= min as f64
                    && whole <= max as f64
                    && whole < 9_223_372_036_854_775_808.0;
                return inside.then_some(whole as i64);
            }
            _ => return None,
        };
        (min..=max).contains(&found).then_some(found)
    }

    /// As [`Cast::int`] without ANSI mode, as Java converts numbers: integers keep their low bits, floats become the
    /// nearest number that `bigint` or `int` has first. Instants still have to fit.
    fn low_bits(&self, number: Number) -> Option<i64> {
        use LogicalType as T;
        if !matches!(self.to, T::Int8 | T::Int16 | T::Int32 | T::Int64) {
            return match (self.from, number) {
                // a microsecond
                (T::Boolean, Number::Int(value)) => Some(value),
                (from, Number::Int(value)) if !is_dated(from) => match self.to {
                    T::Timestamp { unit, .. } => Some(value.saturating_mul(unit.per_second())),
                    _ => None,
                },
                _ => self.int(number),
            };
        }
        let whole = match (self.from, number) {
            (T::Timestamp { .. }, _) => return self.int(number),
            (T::Decimal { scale, .. }, Number::Wide(value)) => {
                (value / power_of_ten(*scale)?) as i64
            }
            (_, Number::Float(value)) if *self.to == T::Int64 => value as i64,
            (_, Number::Float(value)) => i64::from(value as i32),
            (_, Number::Int(value)) => value,
            (_, Number::Wide(_)) => return None,
        };
        Some(wrap(whole, self.to))
    }

    fn wide(&self, number: Number) -> Option<i128> {
        use LogicalType as T;
        let T::Decimal { precision, scale } = self.to else {
            return self.nanos(number);
        };
        let found = match (self.from, number) {
            (T::Timestamp { unit, .. }, number) => {
                rescale(number.whole()?, u8::try_from(unit.digits()).ok()?, *scale)?
            }
            (T::Decimal { scale: from, .. }, Number::Wide(value)) => rescale(value, *from, *scale)?,
            (_, Number::Int(value)) => rescale(value.into(), 0, *scale)?,
            (T::Float32, Number::Float(value)) => {
                decimal_of(&format!("{:e}", value as f32), *scale)?
            }
            (_, Number::Float(value)) => decimal_of(&format!("{value:e}"), *scale)?,
            _ => return None,
        };
        fits(found, *precision).then_some(found)
    }

    fn nanos(&self, number: Number) -> Option<i128> {
        let per_second = i128::from(TimeUnit::Nanos.per_second());
        match self.from {
            LogicalType::Date => number
                .whole()?
                .checked_mul(i128::from(calendar::DAY_SECONDS) * per_second),
            LogicalType::Timestamp { unit, .. } => number
                .whole()?
                .checked_mul(per_second / i128::from(unit.per_second())),
            from => seconds(number, from)?.checked_mul(per_second),
        }
    }

    fn float(&self, number: Number) -> Option<f64> {
        let single = *self.to == LogicalType::Float32;
        let value = match (self.from, number) {
            (LogicalType::Timestamp { unit, .. }, number) => {
                number.whole()? as f64 / unit.per_second() as f64
            }
            (_, Number::Int(value)) if single => return Some(f64::from(value as f32)),
            (_, Number::Int(value)) => value as f64,
            (_, Number::Float(value)) => value,
            (LogicalType::Decimal { scale, .. }, Number::Wide(value)) => {
                return decimal_to_float(value, *scale, single);
            }
            _ => return None,
        };
        Some(if single {
            f64::from(value as f32)
        } else {
            value
        })
    }

    fn to_boolean(&self, value: &Value) -> Result<Value> {
        let bits = match &value.lane {
            Lane::Int(values) => values.iter().map(|&value| value != 0).collect(),
            Lane::Wide(values) => values.iter().map(|&value| value != 0).collect(),
            Lane::Float(values) => values.iter().map(|&value| value != 0.0).collect(),
            _ => return Err(wrong_lane("a number")),
        };
        Ok(Value::new(Lane::Bool(bits), value.known.clone(), value.one))
    }

    fn to_text(&self, value: &Value, rows: &Rows<'_>) -> Result<Value> {
        let mut out = BytesOut::default();
        for row in 0..value.held() {
            let wanted = value.is_known(row) && (value.one || rows.active.get(row));
            match wanted {
                true => out.push(scalar_spark(&value.scalar(row, self.from), self.from).as_bytes()),
                false => out.push(b""),
            }
        }
        Ok(Value::new(out.lane(), value.known.clone(), value.one))
    }

    fn parse(&self, value: &Value, rows: &Rows<'_>) -> Result<Value> {
        match LaneKind::of(self.to) {
            LaneKind::Int => {
                let (min, max) = range(self.to);
                let to = self.to;
                let out = parse_rows(value, rows, |text| match to {
                    LogicalType::Date => calendar::parse_date(text).map(i64::from),
                    LogicalType::Time { .. } => calendar::parse_time(text),
                    LogicalType::Timestamp { unit, .. } => {
                        i64::try_from(parse_instant(text, to, *unit)?).ok()
                    }
                    _ => whole_part(text, rows.mode)?
                        .parse()
                        .ok()
                        .filter(|found| (min..=max).contains(found)),
                });
                self.finish(value, rows, out, Lane::Int)
            }
            LaneKind::Wide => {
                let to = self.to;
                let out = parse_rows(value, rows, |text| match to {
                    LogicalType::Decimal { precision, scale } => {
                        decimal_of(text, *scale).filter(|&found| fits(found, *precision))
                    }
                    _ => parse_instant(text, to, TimeUnit::Nanos),
                });
                self.finish(value, rows, out, Lane::Wide)
            }
            LaneKind::Float => {
                let single = *self.to == LogicalType::Float32;
                let out = parse_rows(value, rows, |text| parse_float(text, single));
                self.finish(value, rows, out, Lane::Float)
            }
            LaneKind::Bool => {
                let out = parse_rows(value, rows, parse_boolean);
                self.finish(value, rows, out, |bits| {
                    Lane::Bool(bits.into_iter().collect())
                })
            }
            LaneKind::Bytes if *self.to == LogicalType::Uuid => {
                let out = parse_rows(value, rows, uuid::parse);
                self.finish(value, rows, out, uuids)
            }
            LaneKind::Bytes => Err(wrong_lane(&self.to.to_string())),
        }
    }
}

fn uuids(values: Vec<u128>) -> Lane {
    let mut out = BytesOut::default();
    for value in values {
        out.push(&value.to_be_bytes());
    }
    out.lane()
}

/// A number out of any lane.
#[derive(Clone, Copy)]
enum Number {
    Int(i64),
    Wide(i128),
    Float(f64),
}

impl Number {
    fn whole(self) -> Option<i128> {
        match self {
            Number::Int(value) => Some(value.into()),
            Number::Wide(value) => Some(value),
            Number::Float(_) => None,
        }
    }
}

/// Whole seconds of an exact number.
fn seconds(number: Number, from: &LogicalType) -> Option<i128> {
    match (number, from) {
        (Number::Wide(value), LogicalType::Decimal { scale, .. }) => {
            Some(value / power_of_ten(*scale)?)
        }
        (number, _) => number.whole(),
    }
}

/// Parses the rows that are wanted; what is not wanted counts as parsed.
fn parse_rows<T: Copy + Default>(
    value: &Value,
    rows: &Rows<'_>,
    parse: impl Fn(&str) -> Option<T>,
) -> Vec<Option<T>> {
    (0..value.held())
        .map(|row| {
            if !value.is_known(row) || !(value.one || rows.active.get(row)) {
                return Some(T::default());
            }
            // Spark trims what is not above a space
            parse(
                std::str::from_utf8(value.bytes(row))
                    .ok()?
                    .trim_matches(|c| c <= ' '),
            )
        })
        .collect()
}

/// A moment in a unit; what is finer is cut off.
fn parse_instant(text: &str, ty: &LogicalType, unit: TimeUnit) -> Option<i128> {
    let nanos = if is_local(ty) {
        calendar::parse_timestamp_ntz(text)?
    } else {
        calendar::parse_timestamp(text)?
    };
    let step = TimeUnit::Nanos.per_second() / unit.per_second();
    Some(nanos.div_euclid(step.into()))
}

/// What counts of a text that becomes an integer: all of it; without ANSI mode what stands before a point and digits,
/// if there is nothing a zero.
fn whole_part(text: &str, mode: EvalMode) -> Option<&str> {
    let (EvalMode::Legacy, Some((whole, fraction))) = (mode, text.split_once('.')) else {
        return Some(text);
    };
    let digits = fraction.bytes().all(|byte| byte.is_ascii_digit());
    digits.then_some(match whole {
        "" | "-" | "+" => "0",
        whole => whole,
    })
}

/// Whether dates have values of this type.
fn is_dated(ty: &LogicalType) -> bool {
    matches!(
        ty,
        LogicalType::Date | LogicalType::Timestamp { .. } | LogicalType::String
    )
}

fn parse_boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "t" | "true" | "y" | "yes" | "1" => Some(true),
        "f" | "false" | "n" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// A float as Java reads it: a type letter may follow the digits.
fn parse_float(text: &str, single: bool) -> Option<f64> {
    let digits = match text.strip_suffix(['d', 'D', 'f', 'F']) {
        Some(digits) if digits.ends_with(|c: char| c.is_ascii_digit() || c == '.') => digits,
        _ => text,
    };
    if single {
        digits.parse::<f32>().ok().map(f64::from)
    } else {
        digits.parse().ok()
    }
}

/// A number's text as a decimal of a scale, half up.
fn decimal_of(text: &str, scale: u8) -> Option<i128> {
    match parse_decimal(text) {
        Some((unscaled, found)) => rescale(unscaled, found, scale),
        None => tiny(text),
    }
}

/// A number too small for any scale is zero.
fn tiny(text: &str) -> Option<i128> {
    let (_, exponent) = text.split_once(['e', 'E'])?;
    let value: f64 = text.parse().ok()?;
    (exponent.starts_with('-') && value.abs() < 1e-60).then_some(0)
}

/// The nearest float of a decimal.
fn decimal_to_float(unscaled: i128, scale: u8, single: bool) -> Option<f64> {
    const EXACT: u128 = 1 << 53;
    if unscaled.unsigned_abs() <= EXACT && scale <= 22 && !single {
        return Some(unscaled as f64 / 10f64.powi(scale.into()));
    }
    let mut text = [0u8; 64];
    let mut rest = &mut text[..];
    write!(rest, "{unscaled}e-{scale}").ok()?;
    let unused = rest.len();
    let text = std::str::from_utf8(&text[..64 - unused]).ok()?;
    if single {
        text.parse::<f32>().ok().map(f64::from)
    } else {
        text.parse().ok()
    }
}
