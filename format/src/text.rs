//! Scalars as plain text: shortest floats, decimals with all their digits, dates and times of the
//! proleptic Gregorian calendar without any rebasing.
//!
//! ```text
//! float      1.0  1.5e-7  1e16    exponents below -4 and above 15
//! decimal    -0.05                exactly `scale` digits after the point
//! date       2024-02-29           years below 0000 as -0001, above 9999 as +10000
//! timestamp  2024-02-29T12:00:00.123456Z   3, 6 or 9 digits; Z where it is an instant
//! binary     0x00ff
//! ```

use std::fmt::Write;

use crate::civil::civil;
use crate::scalar::Scalar;
use crate::types::{TimeUnit, Zone};

const DAY_SECONDS: i128 = 86_400;

/// Appends `value` as plain text; nested values in brackets, without quotes.
pub(crate) fn write_scalar(value: &Scalar, out: &mut String) {
    match value {
        Scalar::Null => out.push_str("null"),
        Scalar::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Scalar::Int(value) => write_number(value, out),
        Scalar::UInt(value) => write_number(value, out),
        Scalar::Float32(value) => {
            write_float(f64::from(*value), zmij::Buffer::new().format(*value), out)
        }
        Scalar::Float64(value) => write_float(*value, zmij::Buffer::new().format(*value), out),
        Scalar::Decimal { unscaled, scale } => {
            write_decimal(*unscaled < 0, &unscaled.unsigned_abs(), *scale, out);
        }
        Scalar::WideDecimal { unscaled, scale } => {
            let digits = unscaled.to_string();
            let digits = digits.trim_start_matches('-');
            write_decimal(unscaled.is_negative(), &digits, *scale, out);
        }
        Scalar::Date(days) => write_date(i64::from(*days), out),
        Scalar::Time { value, unit, utc } => write_time(*value, *unit, *utc, out),
        Scalar::Timestamp { value, unit, zone } => write_timestamp(*value, *unit, *zone, out),
        Scalar::String(text) => out.push_str(text),
        Scalar::Binary(bytes) => write_hex(bytes, out),
        Scalar::List(elements) => write_list(elements.iter(), out),
        Scalar::Map(entries) => {
            write_joined(out, '[', ']', entries.iter(), |(key, value), out| {
                write_list([key, value].into_iter(), out)
            });
        }
        Scalar::Struct(fields) => {
            write_joined(out, '{', '}', fields.iter(), |(name, value), out| {
                out.push_str(name);
                out.push(':');
                write_scalar(value, out);
            })
        }
        Scalar::Union(tag, value) => {
            write_number(tag, out);
            out.push(':');
            write_scalar(value, out);
        }
    }
}

fn write_list<'a>(elements: impl Iterator<Item = &'a Scalar>, out: &mut String) {
    write_joined(out, '[', ']', elements, write_scalar);
}

/// Appends `items` between brackets, separated by commas.
pub(crate) fn write_joined<T>(
    out: &mut String,
    open: char,
    close: char,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(T, &mut String),
) {
    out.push(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(close);
}

/// Writing into a string cannot fail, so the result is dropped.
fn write_number(value: impl std::fmt::Display, out: &mut String) {
    let _ = write!(out, "{value}");
}

/// `shortest` is the value as zmij spells it, whose exponents begin elsewhere.
fn write_float(value: f64, shortest: &str, out: &mut String) {
    let magnitude = value.abs();
    if value.is_nan() {
        out.push_str("NaN");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { "Infinity" } else { "-Infinity" });
    } else if (1e-3..1e7).contains(&magnitude) {
        out.push_str(shortest);
    } else {
        respell_float(shortest, out);
    }
}

fn respell_float(shortest: &str, out: &mut String) {
    let unsigned = shortest
        .strip_prefix('-')
        .inspect(|_| out.push('-'))
        .unwrap_or(shortest);
    let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [integer, fraction].concat();
    let significant = all.trim_start_matches('0');
    let leading = all.len() - significant.len();
    let exponent = exponent.parse::<i32>().unwrap_or(0) + integer.len() as i32 - 1 - leading as i32;
    let digits = significant.trim_end_matches('0');
    match (digits, exponent) {
        ("", _) => out.push_str("0.0"),
        (_, 0..=15) => {
            let whole = exponent as usize + 1;
            let (integer, fraction) = digits.split_at(whole.min(digits.len()));
            let fraction = if fraction.is_empty() { "0" } else { fraction };
            let _ = write!(out, "{integer:0<whole$}.{fraction}");
        }
        (_, -4..0) => {
            let _ = write!(
                out,
                "0.{:0>1$}",
                digits,
                digits.len() + (-exponent) as usize - 1
            );
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let _ = write!(out, "{first}{point}{rest}e{exponent}");
        }
    }
}

fn write_decimal(negative: bool, digits: &dyn std::fmt::Display, scale: u8, out: &mut String) {
    if negative {
        out.push('-');
    }
    let scale = usize::from(scale);
    let digits = format!("{digits:0>0$}", scale + 1);
    let (integer, fraction) = digits.split_at(digits.len() - scale);
    out.push_str(integer);
    if scale > 0 {
        out.push('.');
        out.push_str(fraction);
    }
}

fn write_date(days: i64, out: &mut String) {
    let (year, month, day) = civil(days);
    let _ = match year {
        0..=9999 => write!(out, "{year:04}-{month:02}-{day:02}"),
        10_000.. => write!(out, "+{year}-{month:02}-{day:02}"),
        _ => write!(out, "-{:04}-{month:02}-{day:02}", year.unsigned_abs()),
    };
}

/// Whether a time of day lies within a day; others are written as their number.
pub(crate) fn is_time_of_day(value: i64, unit: TimeUnit) -> bool {
    (0..DAY_SECONDS as i64 * unit.per_second()).contains(&value)
}

fn write_time(value: i64, unit: TimeUnit, utc: bool, out: &mut String) {
    if !is_time_of_day(value, unit) {
        return write_number(value, out);
    }
    write_clock(value, unit, out);
    if utc {
        out.push('Z');
    }
}

fn write_clock(value: i64, unit: TimeUnit, out: &mut String) {
    let (seconds, fraction) = (value / unit.per_second(), value % unit.per_second());
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let digits = unit.digits();
    let _ = write!(
        out,
        "{hours:02}:{minutes:02}:{seconds:02}.{fraction:0digits$}"
    );
}

fn write_timestamp(value: i128, unit: TimeUnit, zone: Zone, out: &mut String) {
    let day = DAY_SECONDS * i128::from(unit.per_second());
    let days = i64::try_from(value.div_euclid(day)).ok();
    // beyond this, years no longer fit the arithmetic; no file's own types reach it
    match days.filter(|days| days.abs() < i64::MAX / 1000) {
        Some(days) => write_date(days, out),
        None => return write_number(value, out),
    }
    out.push('T');
    write_clock(value.rem_euclid(day) as i64, unit, out);
    if zone == Zone::Utc {
        out.push('Z');
    }
}

/// Appends `0x` and two lower-case digits a byte.
pub(crate) fn write_hex(bytes: &[u8], out: &mut String) {
    out.push_str("0x");
    write_hex_digits(bytes, out);
}

/// Appends two lower-case digits a byte.
pub(crate) fn write_hex_digits(bytes: &[u8], out: &mut String) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
}

/// Plain text, as in a table's cell.
impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        write_scalar(self, &mut text);
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: Scalar) -> String {
        value.to_string()
    }

    #[test]
    fn floats_are_shortest_and_exponents_begin_where_they_should() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e16"),
            (1.25e16, "1.25e16"),
            (123456789012345680.0, "1.2345678901234568e17"),
            (9007199254740993.0, "9007199254740992.0"),
            (0.0001, "0.0001"),
            (0.00012, "0.00012"),
            (0.00001, "1e-5"),
            (1.5e-7, "1.5e-7"),
            (-2.5e-5, "-2.5e-5"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e308"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
            (12345678.5, "12345678.5"),
            (10000000.0, "10000000.0"),
        ];
        for (value, expected) in cases {
            assert_eq!(text(Scalar::Float64(value)), expected);
        }
        assert_eq!(text(Scalar::Float32(0.1)), "0.1");
        assert_eq!(text(Scalar::Float32(16777216.0)), "16777216.0");
        assert_eq!(text(Scalar::Float32(3.4e38)), "3.4e38");
    }

    #[test]
    fn decimals_show_every_digit() {
        let decimal = |unscaled, scale| text(Scalar::Decimal { unscaled, scale });
        assert_eq!(decimal(-5, 2), "-0.05");
        assert_eq!(decimal(12, 0), "12");
        assert_eq!(decimal(0, 3), "0.000");
        assert_eq!(
            decimal(i128::MIN, 38),
            "-1.70141183460469231731687303715884105728"
        );
        let wide = |digits, zeros, scale| {
            let unscaled = crate::i256::I256::from(digits).scaled(zeros).unwrap();
            text(Scalar::decimal(unscaled, scale))
        };
        let zeros = "0".repeat(70);
        assert_eq!(wide(-125i64, 70, 72), format!("-1.25{zeros}"));
        assert_eq!(wide(125, 70, 76), format!("0.000125{zeros}"));
        assert_eq!(wide(-125, 70, 0), format!("-125{zeros}"));
    }

    #[test]
    fn dates_reach_every_day() {
        let date = |days| text(Scalar::Date(days));
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(-1), "1969-12-31");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(-719_528), "0000-01-01");
        assert_eq!(date(-719_529), "-0001-12-31");
        assert_eq!(date(2_932_897), "+10000-01-01");
        assert_eq!(date(i32::MAX), "+5881580-07-11");
        assert_eq!(date(i32::MIN), "-5877641-06-23");
    }

    #[test]
    fn times_and_timestamps_show_their_unit() {
        let time = |value, unit, utc| text(Scalar::Time { value, unit, utc });
        assert_eq!(time(3_661_001, TimeUnit::Millis, true), "01:01:01.001Z");
        assert_eq!(time(1, TimeUnit::Micros, false), "00:00:00.000001");
        assert_eq!(time(86_400_000, TimeUnit::Millis, false), "86400000");
        assert_eq!(time(-1, TimeUnit::Nanos, false), "-1");
        let at = |value, unit, zone| text(Scalar::Timestamp { value, unit, zone });
        assert_eq!(
            at(-1, TimeUnit::Nanos, Zone::Unstated),
            "1969-12-31T23:59:59.999999999"
        );
        assert_eq!(
            at(1_500, TimeUnit::Millis, Zone::Utc),
            "1970-01-01T00:00:01.500Z"
        );
        assert_eq!(
            at(i128::MAX, TimeUnit::Nanos, Zone::Local).len(),
            i128::MAX.to_string().len()
        );
    }

    quickcheck::quickcheck! {
        fn floats_read_back(bits: u64, narrow: u32) -> bool {
            let (wide, narrow) = (f64::from_bits(bits), f32::from_bits(narrow));
            let wide_text = text(Scalar::Float64(wide));
            let narrow_text = text(Scalar::Float32(narrow));
            (wide.is_nan() || wide_text.parse::<f64>().unwrap().to_bits() == bits)
                && (narrow.is_nan() || narrow_text.parse::<f32>().unwrap() == narrow)
        }
    }
}
