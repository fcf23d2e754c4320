//! What type a partition column has, judged from the texts in its directory names as Spark does.
//!
//! Each text takes the first type that fits: int, bigint, `decimal(p,0)`, double, date, timestamp,
//! time, string. The column takes the type that holds all of them:
//!
//! ```text
//! int < bigint < decimal(p,0)    int < double    date < timestamp    void < anything
//! ```
//!
//! Any other mixture is a string (bigint or decimal beside double, too), and then every text is kept
//! as it stands: `02` stays `02`.

use lith_format::civil;
use lith_format::scalar::Scalar;
use lith_format::types::{LogicalType, TimeUnit, Zone};

use crate::calendar::DAY_MICROS;

const TIMESTAMP: LogicalType = LogicalType::Timestamp {
    unit: TimeUnit::Micros,
    zone: Zone::Utc,
};
const TIME: LogicalType = LogicalType::Time {
    unit: TimeUnit::Micros,
    utc: false,
};
const MAX_PRECISION: u8 = 38;

/// The column's type, and each text as a value of it; `None` is the directory that stands for null.
pub fn infer_column<'a>(
    texts: impl IntoIterator<Item = Option<&'a str>>,
) -> (LogicalType, Vec<Scalar>) {
    let values: Vec<(Option<&str>, Scalar)> = texts
        .into_iter()
        .map(|text| (text, text.map_or(Scalar::Null, infer)))
        .collect();
    let ty = values
        .iter()
        .map(|(_, value)| type_of(value))
        .reduce(widen)
        .unwrap_or(LogicalType::Null);
    let values = values
        .into_iter()
        .map(|(text, value)| match text {
            Some(text) => promote(text, value, &ty),
            None => Scalar::Null,
        })
        .collect();
    (ty, values)
}

/// The text as a value of the first type that fits.
fn infer(text: &str) -> Scalar {
    if let Some((unscaled, scale)) = parse_decimal(text) {
        let plain = !text.contains(['.', 'e', 'E']);
        match i64::try_from(unscaled) {
            Ok(value) if plain && scale == 0 => return Scalar::Int(value),
            _ if scale == 0 => return Scalar::Decimal { unscaled, scale: 0 },
            _ => {}
        }
    }
    parse_double(text)
        .map(Scalar::Float64)
        .or_else(|| parse_date(text).map(Scalar::Date))
        .or_else(|| parse_timestamp(text).map(timestamp))
        .or_else(|| parse_time(text, 6).map(time))
        .unwrap_or_else(|| Scalar::string(text))
}

fn type_of(value: &Scalar) -> LogicalType {
    match value {
        Scalar::Null => LogicalType::Null,
        Scalar::Int(value) if i32::try_from(*value).is_ok() => LogicalType::Int32,
        Scalar::Int(_) => LogicalType::Int64,
        Scalar::Decimal { unscaled, .. } => decimal(digits(*unscaled)),
        Scalar::Float64(_) => LogicalType::Float64,
        Scalar::Date(_) => LogicalType::Date,
        Scalar::Timestamp { .. } => TIMESTAMP,
        Scalar::Time { .. } => TIME,
        _ => LogicalType::String,
    }
}

/// The type that holds the values of both.
fn widen(a: LogicalType, b: LogicalType) -> LogicalType {
    use LogicalType as T;
    match (a, b) {
        (a, b) if a == b => a,
        (T::Null, other) | (other, T::Null) => other,
        (T::Int32, T::Int64) | (T::Int64, T::Int32) => T::Int64,
        (T::Int32, T::Float64) | (T::Float64, T::Int32) => T::Float64,
        (T::Date, TIMESTAMP) | (TIMESTAMP, T::Date) => TIMESTAMP,
        (a, b) => match (exact_precision(&a), exact_precision(&b)) {
            (Some(a), Some(b)) => decimal(a.max(b)),
            _ => T::String,
        },
    }
}

/// How many digits an exact number of this type may have.
fn exact_precision(ty: &LogicalType) -> Option<u8> {
    match ty {
        LogicalType::Int32 => Some(10),
        LogicalType::Int64 => Some(20),
        LogicalType::Decimal { precision, .. } => Some(*precision),
        _ => None,
    }
}

/// The value at the column's type; a string column keeps the text.
fn promote(text: &str, value: Scalar, ty: &LogicalType) -> Scalar {
    match (ty, value) {
        (LogicalType::String, _) => Scalar::string(text),
        (LogicalType::Float64, Scalar::Int(value)) => Scalar::Float64(value as f64),
        (LogicalType::Decimal { .. }, Scalar::Int(value)) => Scalar::Decimal {
            unscaled: value.into(),
            scale: 0,
        },
        (&TIMESTAMP, Scalar::Date(days)) => timestamp(i64::from(days) * DAY_MICROS),
        (_, value) => value,
    }
}

fn decimal(precision: u8) -> LogicalType {
    LogicalType::Decimal {
        precision,
        scale: 0,
    }
}

fn timestamp(micros: i64) -> Scalar {
    Scalar::Timestamp {
        value: micros.into(),
        unit: TimeUnit::Micros,
        zone: Zone::Utc,
    }
}

fn time(micros: i64) -> Scalar {
    Scalar::Time {
        value: micros,
        unit: TimeUnit::Micros,
        utc: false,
    }
}

fn digits(unscaled: i128) -> u8 {
    let power = unscaled.unsigned_abs().checked_ilog10().unwrap_or(0);
    u8::try_from(power + 1).unwrap_or(u8::MAX)
}

/// A number with an optional exponent, as unscaled value and scale, of at most 38 digits once the
/// scale is not negative. Digits of every script count, as in Java.
fn parse_decimal(text: &str) -> Option<(i128, i64)> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
        None => (text, 0),
    };
    let negative = mantissa.starts_with('-');
    let mantissa = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut unscaled = 0i128;
    let mut count = 0i64;
    for c in whole.chars().chain(fraction.chars()) {
        let digit = i128::from(digit_of(c)?);
        unscaled = unscaled.checked_mul(10)?.checked_add(digit)?;
        count += 1;
    }
    if count == 0 {
        return None;
    }
    let mut scale = i64::try_from(fraction.chars().count()).ok()? - exponent;
    if unscaled == 0 {
        scale = scale.max(0);
    }
    while scale < 0 {
        unscaled = unscaled.checked_mul(10)?;
        scale += 1;
    }
    let unscaled = if negative { -unscaled } else { unscaled };
    (digits(unscaled) <= MAX_PRECISION).then_some((unscaled, scale))
}

fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let ascii = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    (ascii && digits.len() <= 10)
        .then(|| text.parse().ok())
        .flatten()
}

/// A double as `Double.parseDouble` reads it: blanks around it, a sign, a suffix `d` or `f`, and
/// `NaN` and `Infinity` spelled so.
fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c| c <= ' ');
    let negative = text.starts_with('-');
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let magnitude = match number {
        "NaN" => f64::NAN,
        "Infinity" => f64::INFINITY,
        _ => {
            let number = number.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(number);
            let plain = number
                .bytes()
                .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
            if !plain || number.starts_with(['+', '-']) {
                return None;
            }
            number.parse().ok()?
        }
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// `yyyy-MM-dd` and a real day; the year may be negative.
fn parse_date(text: &str) -> Option<i32> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let [year, month, day] = fields(rest, '-', [4, 2, 2])?;
    if negative && year == 0 {
        return None;
    }
    let year = i64::from(if negative { -year } else { year });
    let days = civil::days(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?)?;
    i32::try_from(days).ok()
}

/// `yyyy-MM-dd HH:mm:ss` with at most one digit of a fraction, in UTC.
fn parse_timestamp(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(' ')?;
    Some(i64::from(parse_date(date)?) * DAY_MICROS + parse_time(time, 1)?)
}

/// `HH:mm:ss` with at most `fraction_digits` digits of a fraction, in microseconds.
fn parse_time(text: &str, fraction_digits: usize) -> Option<i64> {
    let (clock, micros) = match text.split_once('.') {
        None => (text, 0),
        Some((clock, fraction)) => {
            let length = fraction.len();
            let ascii = fraction.bytes().all(|b| b.is_ascii_digit());
            if !ascii || length == 0 || length > fraction_digits {
                return None;
            }
            (clock, format!("{fraction:0<6}").parse::<i64>().ok()?)
        }
    };
    let [hour, minute, second] = fields(clock, ':', [2, 2, 2])?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    Some(seconds * 1_000_000 + micros)
}

/// Three numbers of exactly so many ASCII digits.
fn fields(text: &str, separator: char, widths: [usize; 3]) -> Option<[i32; 3]> {
    let mut parts = text.split(separator);
    let mut out = [0; 3];
    for (slot, width) in out.iter_mut().zip(widths) {
        let part = parts.next()?;
        if part.len() != width || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        *slot = part.parse().ok()?;
    }
    parts.next().is_none().then_some(out)
}

/// Where the ten digits of each script of the Basic Multilingual Plane begin.
const ZEROS: [u32; 37] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66,
    0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
];

fn digit_of(c: char) -> Option<u8> {
    let code = u32::from(c);
    let zero = ZEROS.iter().rev().find(|zero| **zero <= code)?;
    u8::try_from(code - zero).ok().filter(|digit| *digit < 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn infer_all(texts: &[&str]) -> (String, Vec<Scalar>) {
        let null = "__HIVE_DEFAULT_PARTITION__";
        let (ty, values) = infer_column(texts.iter().map(|t| (*t != null).then_some(*t)));
        (ty.to_string(), values)
    }

    #[test]
    fn one_text_takes_the_first_type_that_fits() {
        for (text, ty) in [
            ("02", "int"),
            ("+5", "int"),
            ("2147483648", "bigint"),
            ("9223372036854775808", "decimal(19,0)"),
            ("5.", "decimal(1,0)"),
            ("1e3", "decimal(4,0)"),
            ("0e0", "decimal(1,0)"),
            ("1e38", "double"),
            ("1e999999999999", "double"),
            ("1E-3", "double"),
            ("1d", "double"),
            ("inf", "string"),
            ("1e", "string"),
            (".", "string"),
            ("", "string"),
            ("0000-01-01", "date"),
            ("-2024-01-01", "date"),
            ("-0000-01-01", "string"),
            ("2023-02-29", "string"),
            ("2024-01-01 10:00:00.5", "timestamp"),
            ("2024-01-01 10:00:00.50", "string"),
            ("10:00:00.123456", "time(6)"),
            ("24:00:00", "string"),
            ("\u{661}", "int"),
        ] {
            assert_eq!(infer_all(&[text]).0, ty, "{text:?}");
        }
    }

    #[test]
    fn mixtures_widen_or_keep_the_text() {
        assert_eq!(
            infer_all(&["1", "1.5"]),
            (
                "double".into(),
                vec![Scalar::Float64(1.0), Scalar::Float64(1.5)]
            )
        );
        assert_eq!(
            infer_all(&["-0", "AA"]),
            (
                "string".into(),
                vec![Scalar::string("-0"), Scalar::string("AA")]
            )
        );
        assert_eq!(infer_all(&["1", "3000000000", "1.5"]).0, "string");
        assert_eq!(infer_all(&["1e3", "3000000000"]).0, "decimal(20,0)");
        assert_eq!(
            infer_all(&["1", "__HIVE_DEFAULT_PARTITION__"]),
            ("int".into(), vec![Scalar::Int(1), Scalar::Null])
        );
        assert_eq!(infer_all(&["__HIVE_DEFAULT_PARTITION__"]).0, "void");
        assert_eq!(infer_all(&[]), ("void".into(), vec![]));
    }
}
