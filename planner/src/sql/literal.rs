//! Literals of Spark's SQL: strings, numbers with their types, typed strings, and the names of types.

use lith_format::scalar::Scalar;
use lith_format::types::{LogicalType, TimeUnit, Zone};
use sqlparser::ast::{
    DataType, DateTimeField, ExactNumberInfo, Expr as Ast, Interval, TimezoneInfo, Value,
};
use sqlparser::tokenizer::Token;

use crate::calendar;
use crate::expr::{Expr, TIME, TIMESTAMP, TIMESTAMP_NTZ};

/// The text between the quotes, escapes resolved as Spark resolves them.
pub(super) fn unescape(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == quote {
            // a doubled quote: a single one would have ended the text
            rest.next();
            out.push(c);
        } else if c == '\\' {
            push_escape(&mut out, &mut rest);
        } else {
            out.push(c);
        }
    }
    out
}

fn push_escape(out: &mut String, rest: &mut std::str::Chars<'_>) {
    for (letter, digits) in [('u', 4), ('U', 8)] {
        if let Some(hex) = rest
            .as_str()
            .strip_prefix(letter)
            .and_then(|text| text.get(..digits))
            // a sign would be read as part of the number
            && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
            && let Some(c) = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32)
        {
            out.push(c);
            rest.nth(digits);
            return;
        }
    }
    if let Some(octal) = rest.as_str().get(..3)
        && octal.starts_with(['0', '1'])
        && let Ok(byte) = u8::from_str_radix(octal, 8)
    {
        out.push(char::from(byte));
        rest.nth(2);
        return;
    }
    match rest.next() {
        Some('0') => out.push('\0'),
        Some('b') => out.push('\u{8}'),
        Some('n') => out.push('\n'),
        Some('r') => out.push('\r'),
        Some('t') => out.push('\t'),
        Some('Z') => out.push('\u{1a}'),
        // they stay escaped, for LIKE
        Some(c @ ('%' | '_')) => out.extend(['\\', c]),
        Some(c) => out.push(c),
        None => out.push('\\'),
    }
}

/// `TIMESTAMP_LTZ '..'` is another spelling, which the parser does not know.
pub(super) fn rename_type(token: &mut Token) {
    if let Token::Word(word) = token
        && word.quote_style.is_none()
        && word.value.eq_ignore_ascii_case("timestamp_ltz")
    {
        *token = Token::make_keyword("TIMESTAMP");
    }
}

/// Whether `word` behind digits says their type.
pub(super) fn is_number_suffix(word: &str) -> bool {
    ["L", "S", "Y", "F", "D", "BD"]
        .iter()
        .any(|suffix| word.eq_ignore_ascii_case(suffix))
}

/// A number of the type that its spelling gives it; `None` if it does not fit that type.
pub(super) fn number(text: &str, long: bool, negative: bool) -> Option<Expr> {
    let end = text
        .trim_end_matches(|c: char| c.is_ascii_alphabetic())
        .len();
    let (digits, suffix) = text.split_at(end);
    let signed = if negative {
        format!("-{digits}")
    } else {
        digits.to_owned()
    };
    let integer = |ty: LogicalType, range: std::ops::RangeInclusive<i64>| {
        let value: i64 = signed.parse().ok()?;
        range
            .contains(&value)
            .then_some(Expr::Literal(Scalar::Int(value), ty))
    };
    match suffix.to_ascii_uppercase().as_str() {
        "L" => return integer(LogicalType::Int64, i64::MIN..=i64::MAX),
        "S" => return integer(LogicalType::Int16, -32_768..=32_767),
        "Y" => return integer(LogicalType::Int8, -128..=127),
        "F" => {
            let value = signed
                .parse::<f32>()
                .ok()
                .filter(|value| value.is_finite())?;
            return Some(Expr::Literal(Scalar::Float32(value), LogicalType::Float32));
        }
        "BD" => return decimal(&signed),
        "" if long => return integer(LogicalType::Int64, i64::MIN..=i64::MAX),
        "" if !digits.contains(['e', 'E']) => {
            return match digits.contains('.') {
                true => decimal(&signed),
                false => integer(
                    LogicalType::Int32,
                    i64::from(i32::MIN)..=i64::from(i32::MAX),
                )
                .or_else(|| integer(LogicalType::Int64, i64::MIN..=i64::MAX))
                .or_else(|| decimal(&signed)),
            };
        }
        _ => {}
    }
    let value = signed
        .parse::<f64>()
        .ok()
        .filter(|value| value.is_finite())?;
    Some(Expr::Literal(Scalar::Float64(value), LogicalType::Float64))
}

fn decimal(text: &str) -> Option<Expr> {
    let (unscaled, scale) = parse_decimal(text)?;
    let digits = unscaled.unsigned_abs().checked_ilog10().unwrap_or(0) + 1;
    let precision = u8::try_from(digits).ok()?.max(scale);
    let ty = LogicalType::Decimal { precision, scale };
    (precision <= 38).then_some(Expr::Literal(Scalar::Decimal { unscaled, scale }, ty))
}

/// Unscaled value and scale of a plain or scientific number, all digits kept.
pub(crate) fn parse_decimal(text: &str) -> Option<(i128, u8)> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let unsigned = whole.trim_start_matches(['-', '+']);
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if unsigned.len() + fraction.len() == 0 || whole.len() - unsigned.len() > 1 {
        return None;
    }
    if !all_digits(unsigned) || !all_digits(fraction) {
        return None;
    }
    let unscaled: i128 = format!("{whole}{fraction}").parse().ok()?;
    let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    if scale >= 0 {
        return Some((unscaled, u8::try_from(scale).ok()?));
    }
    let factor = 10i128.checked_pow(scale.unsigned_abs())?;
    Some((unscaled.checked_mul(factor)?, 0))
}

/// `DATE '..'` and the like; `None` if the text is none of that type.
pub(super) fn typed(ty: &LogicalType, text: &str) -> Option<Expr> {
    match ty {
        LogicalType::Date => {
            let day = Scalar::Date(calendar::parse_date(text)?);
            Some(Expr::Literal(day, LogicalType::Date))
        }
        ty if *ty == TIME => {
            let time = Scalar::Time {
                value: calendar::parse_time(text)?,
                unit: TimeUnit::Nanos,
                utc: false,
            };
            Some(Expr::Literal(time, TIME))
        }
        ty if *ty == TIMESTAMP => moment(calendar::parse_timestamp(text)?, Zone::Utc),
        ty if *ty == TIMESTAMP_NTZ => moment(calendar::parse_timestamp_ntz(text)?, Zone::Local),
        _ => None,
    }
}

/// A timestamp in Spark's microseconds; one that is finer keeps its nanoseconds until it is known what it
/// is compared with.
fn moment(nanos: i128, zone: Zone) -> Option<Expr> {
    let micros = i64::try_from(nanos.div_euclid(1_000)).ok()?;
    let (value, unit) = match nanos.rem_euclid(1_000) {
        0 => (micros.into(), TimeUnit::Micros),
        _ => (nanos, TimeUnit::Nanos),
    };
    let literal = Scalar::Timestamp { value, unit, zone };
    Some(Expr::Literal(
        literal,
        LogicalType::Timestamp { unit, zone },
    ))
}

/// The bytes of `X'..'`, an odd digit standing alone in front.
pub(super) fn hex(digits: &str) -> Option<Expr> {
    // a sign would be read as part of a number
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let padded = if digits.len() % 2 == 1 {
        format!("0{digits}")
    } else {
        digits.to_owned()
    };
    let bytes = (0..padded.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(padded.get(at..at + 2)?, 16).ok())
        .collect::<Option<Vec<u8>>>()?;
    Some(Expr::Literal(Scalar::binary(bytes), LogicalType::Binary))
}

/// The type of a name that may stand alone: also the cast functions `double(x)`, `date(x)`.
pub(crate) fn type_by_name(name: &str) -> Option<LogicalType> {
    use LogicalType as T;
    Some(match name.to_ascii_lowercase().as_str() {
        "boolean" => T::Boolean,
        "tinyint" | "byte" => T::Int8,
        "smallint" | "short" => T::Int16,
        "int" | "integer" => T::Int32,
        "bigint" | "long" => T::Int64,
        "float" | "real" => T::Float32,
        "double" => T::Float64,
        "decimal" | "dec" | "numeric" => T::Decimal {
            precision: 10,
            scale: 0,
        },
        "string" => T::String,
        "binary" => T::Binary,
        "date" => T::Date,
        "timestamp" | "timestamp_ltz" => TIMESTAMP,
        "timestamp_ntz" => TIMESTAMP_NTZ,
        _ => return None,
    })
}

/// The whole days of an interval of days.
pub(super) fn days(interval: &Interval) -> Option<i32> {
    let is_days = matches!(
        interval.leading_field,
        Some(DateTimeField::Day | DateTimeField::Days)
    );
    let Ast::Value(value) = &*interval.value else {
        return None;
    };
    let (Value::Number(text, _) | Value::SingleQuotedString(text)) = &value.value else {
        return None;
    };
    let days = text.parse::<i32>().ok()?;
    (is_days && interval.last_field.is_none() && days != i32::MIN).then_some(days)
}

/// The type that a cast names; `None` for those without a place here.
pub(super) fn data_type(ty: &DataType) -> Option<LogicalType> {
    match ty {
        DataType::Decimal(info) | DataType::Dec(info) | DataType::Numeric(info) => {
            let (precision, scale) = match info {
                ExactNumberInfo::None => (10, 0),
                ExactNumberInfo::Precision(precision) => (*precision, 0),
                ExactNumberInfo::PrecisionAndScale(precision, scale) => (*precision, *scale),
            };
            let precision = u8::try_from(precision)
                .ok()
                .filter(|&p| (1..=38).contains(&p))?;
            let scale = u8::try_from(scale)
                .ok()
                .filter(|&scale| scale <= precision)?;
            Some(LogicalType::Decimal { precision, scale })
        }
        DataType::Char(_) | DataType::Varchar(_) => Some(LogicalType::String),
        DataType::Time(None | Some(9), TimezoneInfo::None) => Some(TIME),
        other => type_by_name(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_no_hexadecimal_digit() {
        assert_eq!(unescape(r"\u0041\U0001F600", '\''), "A\u{1f600}");
        assert_eq!(unescape(r"\u+041\U+000041F", '\''), "u+041U+000041F");
        assert_eq!(hex("041").map(|e| e.sql()), Some("X'0041'".to_owned()));
        assert_eq!(hex("+1"), None);
        assert_eq!(hex("é1"), None);
    }
}
