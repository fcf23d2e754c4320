//! The one renderer: a cell of a vector as JSON or as plain text.
//!
//! JSON is lossless: 64-bit integers stay exact, floats read back to their bits, what JSON has no word for
//! is a string (`"NaN"`, decimals, dates), and text that is not UTF-8 shows its bytes. Plain text is the
//! same without quotes.
//!
//! ```text
//! binary "0x00ff"   uuid "00112233-4455-..."   map [[key,value],..]   union {"tag":0,"value":..}
//! ```

use std::borrow::Cow;
use std::fmt::Write;

use crate::scalar::Scalar;
use crate::text;
use crate::types::LogicalType;
use crate::vector::{Batch, Values, Vector};

/// Appends slot `row` as JSON, without spaces outside of strings.
///
/// # Panics
/// If `row` is out of bounds.
pub fn render_json(vector: &Vector, row: usize, out: &mut String) {
    if vector.is_null(row) {
        return out.push_str("null");
    }
    match &vector.values {
        Values::Dictionary { codes, values } => render_json(values, codes[row] as usize, out),
        Values::Bytes(values) => json_bytes(&vector.ty, values.get(row), out),
        Values::Constant(value) => json_constant(&vector.ty, value, out),
        Values::List { offsets, elements } => {
            let slots = offsets[row] as usize..offsets[row + 1] as usize;
            text::write_joined(out, '[', ']', slots, |slot, out| {
                render_json(elements, slot, out)
            });
        }
        Values::Map {
            offsets,
            keys,
            values,
        } => {
            let slots = offsets[row] as usize..offsets[row + 1] as usize;
            text::write_joined(out, '[', ']', slots, |slot, out| {
                text::write_joined(
                    out,
                    '[',
                    ']',
                    [&**keys, &**values].into_iter(),
                    |side, out| {
                        render_json(side, slot, out);
                    },
                );
            });
        }
        Values::Struct(children) => {
            let fields = vector.ty.fields().iter().zip(children);
            text::write_joined(out, '{', '}', fields, |(field, child), out| {
                json_member(&field.name, child, row, out);
            });
        }
        Values::Union {
            tags,
            offsets,
            children,
        } => {
            let _ = write!(out, "{{\"tag\":{},\"value\":", tags[row]);
            render_json(
                &children[usize::from(tags[row])],
                offsets[row] as usize,
                out,
            );
            out.push('}');
        }
        _ => json_plain(&vector.value(row), out),
    }
}

/// Appends row `row` as a JSON object of its columns, or as its value if the only column has no name: that is
/// the root of an ORC file which is not a struct.
///
/// # Panics
/// If `row` is out of bounds.
pub fn render_json_row(batch: &Batch, row: usize, out: &mut String) {
    if let ([field], [column]) = (&batch.schema.fields[..], &batch.columns[..])
        && field.name.is_empty()
    {
        return render_json(column, row, out);
    }
    let columns = batch.schema.fields.iter().zip(&batch.columns);
    text::write_joined(out, '{', '}', columns, |(field, column), out| {
        json_member(&field.name, column, row, out);
    });
}

/// Appends slot `row` as plain text for tables and CSV; nested values as JSON. Answers false, and appends
/// nothing, if it is null.
///
/// # Panics
/// If `row` is out of bounds.
pub fn render_text(vector: &Vector, row: usize, out: &mut String) -> bool {
    if vector.is_null(row) {
        return false;
    }
    match &vector.values {
        Values::Dictionary { codes, values } => {
            return render_text(values, codes[row] as usize, out);
        }
        Values::Bytes(values) => text_bytes(&vector.ty, values.get(row), out),
        Values::Constant(value) => match value.as_bytes() {
            Some(bytes) => text_bytes(&vector.ty, bytes, out),
            None if vector.ty.is_nested() => json_constant(&vector.ty, value, out),
            None => text::write_scalar(value, out),
        },
        _ if vector.ty.is_nested() => render_json(vector, row, out),
        _ => text::write_scalar(&vector.value(row), out),
    }
    true
}

/// Appends `text` as a JSON string.
pub fn render_json_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || matches!(c, '"' | '\\')) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => {
                let _ = write!(out, "\\u{control:04x}");
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

fn json_member(name: &str, vector: &Vector, row: usize, out: &mut String) {
    render_json_string(name, out);
    out.push(':');
    render_json(vector, row, out);
}

fn json_constant(ty: &LogicalType, value: &Scalar, out: &mut String) {
    match (value.as_bytes(), ty.is_nested()) {
        (Some(bytes), _) => json_bytes(ty, bytes, out),
        (None, true) => match Vector::from_scalars(ty.clone(), std::slice::from_ref(value)) {
            Ok(vector) => render_json(&vector, 0, out),
            Err(_) => json_plain(value, out),
        },
        (None, false) => json_plain(value, out),
    }
}

/// Numbers and truth values stand bare, the rest in quotes.
pub(crate) fn json_plain(value: &Scalar, out: &mut String) {
    let bare = match value {
        Scalar::Null | Scalar::Boolean(_) | Scalar::Int(_) | Scalar::UInt(_) => true,
        Scalar::Float32(value) => value.is_finite(),
        Scalar::Float64(value) => value.is_finite(),
        Scalar::Time { value, unit, .. } => !text::is_time_of_day(*value, *unit),
        _ => false,
    };
    if bare {
        return text::write_scalar(value, out);
    }
    let mut plain = String::new();
    text::write_scalar(value, &mut plain);
    render_json_string(&plain, out);
}

pub(crate) fn json_bytes(ty: &LogicalType, bytes: &[u8], out: &mut String) {
    if is_variant(ty) {
        // its text is JSON
        return text_bytes(ty, bytes, out);
    }
    if !ty.is_text() {
        out.push('"');
        text_bytes(ty, bytes, out);
        return out.push('"');
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => render_json_string(trimmed(ty, text), out),
        Err(_) => {
            out.push_str("{\"invalid_utf8\":\"");
            text::write_hex(bytes, out);
            out.push_str("\"}");
        }
    }
}

fn text_bytes(ty: &LogicalType, bytes: &[u8], out: &mut String) {
    match std::str::from_utf8(bytes) {
        Ok(text) if ty.is_text() || is_variant(ty) => out.push_str(trimmed(ty, text)),
        _ if *ty == LogicalType::Uuid && bytes.len() == 16 => write_uuid(bytes, out),
        _ => text::write_hex(bytes, out),
    }
}

fn is_variant(ty: &LogicalType) -> bool {
    matches!(ty, LogicalType::Variant(_))
}

fn write_uuid(bytes: &[u8], out: &mut String) {
    for (index, group) in [0..4, 4..6, 6..8, 8..10, 10..16].into_iter().enumerate() {
        if index > 0 {
            out.push('-');
        }
        text::write_hex_digits(&bytes[group], out);
    }
}

/// A CHAR's padding is not part of its value.
fn trimmed<'a>(ty: &LogicalType, text: &'a str) -> &'a str {
    match ty {
        LogicalType::Char(_) => text.trim_end_matches(' '),
        _ => text,
    }
}

/// Whether a terminal would act on a character instead of showing it: control characters, and those that
/// change the direction of the text around them.
fn is_invisible_command(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with control characters and those that change the direction of text as escapes (`\n`, `\u{1b}`,
/// `\u{202e}`): one line, safe for a terminal.
pub fn escape_controls(text: &str) -> String {
    if !text.contains(is_invisible_command) {
        return text.to_string();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_invisible_command(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// JSON with the characters that [`escape_controls`] escapes as JSON escapes (`\u007f`, `\u202e`): the same
/// value, safe for a terminal. White space between values stays.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| (b' '..0x7f).contains(&byte);
    let is_unsafe = |c: char| c > '~' && is_invisible_command(c);
    if json.bytes().all(is_plain) || !json.contains(is_unsafe) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 8);
    for c in json.chars() {
        if is_unsafe(c) {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cell::tests::Column;
    use crate::gather::tests::as_dictionary;
    use crate::schema::{Field, Schema};
    use crate::types::{TimeUnit, Zone};

    #[test]
    fn control_characters_show_as_escapes_and_nothing_else_changes() {
        let shown = escape_controls("a\u{1b}[1m\tb\u{9b}\n\u{202e}");
        assert_eq!(shown, "a\\u{1b}[1m\\tb\\u{9b}\\n\\u{202e}");
        assert_eq!(escape_controls("\\ ü '"), "\\ ü '");
    }

    #[test]
    fn json_keeps_its_value_when_it_is_made_safe() {
        let mut text = String::new();
        let all = ('\0'..='\u{2fff}').collect::<String>();
        render_json_string(&all, &mut text);
        let safe = escape_json(&text);
        assert!(!safe.contains(is_invisible_command));
        assert!(safe.contains("\\u007f") && safe.contains("\\u009b") && safe.contains("\\u2066"));
        assert!(safe.contains('é') && safe.len() < text.len() + 300);
        let value: serde_json::Value = serde_json::from_str(&safe).unwrap();
        assert_eq!(value, all.as_str());
        assert!(matches!(escape_json("{\"a\":\n\"ü\"}"), Cow::Borrowed(_)));
    }

    fn json(vector: &Vector, row: usize) -> String {
        let mut out = String::new();
        render_json(vector, row, &mut out);
        out
    }

    fn one(ty: LogicalType, scalar: Scalar) -> Vector {
        Vector::from_scalars(ty, &[scalar]).unwrap()
    }

    fn plain(vector: &Vector) -> String {
        let mut out = String::new();
        assert!(render_text(vector, 0, &mut out));
        out
    }

    #[test]
    fn scalars_render_by_the_rules() {
        use {LogicalType as T, Scalar as S};
        let decimal = T::Decimal {
            precision: 4,
            scale: 2,
        };
        let time = T::Time {
            unit: TimeUnit::Millis,
            utc: true,
        };
        let at = |value| S::Time {
            value,
            unit: TimeUnit::Millis,
            utc: true,
        };
        let uuid = [
            0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255,
        ];
        let cases = [
            (T::UInt64, S::UInt(u64::MAX), "18446744073709551615"),
            (T::Float32, S::Float32(f32::NAN), "\"NaN\""),
            (T::Float64, S::Float64(-0.0), "-0.0"),
            (
                decimal,
                S::Decimal {
                    unscaled: -5,
                    scale: 2,
                },
                "\"-0.05\"",
            ),
            (T::Date, S::Date(0), "\"1970-01-01\""),
            (time.clone(), at(1), "\"00:00:00.001Z\""),
            (time, at(-1), "-1"),
            (
                T::String,
                S::string("a\"\\\n\u{1}é\u{7f}"),
                "\"a\\\"\\\\\\n\\u0001é\u{7f}\"",
            ),
            (T::String, S::binary(b"\xff"), "{\"invalid_utf8\":\"0xff\"}"),
            (T::Char(4), S::string("ab  "), "\"ab\""),
            (T::Binary, S::binary(b"\x00\xff"), "\"0x00ff\""),
            (
                T::Uuid,
                S::binary(uuid),
                "\"00112233-4455-6677-8899-aabbccddeeff\"",
            ),
            (T::Uuid, S::binary(b"\x01"), "\"0x01\""),
            (T::Float16, S::Float32(65504.0), "65504.0"),
            (T::Float32, S::Float32(f32::NEG_INFINITY), "\"-Infinity\""),
            (
                T::Interval,
                S::binary([1; 12]),
                "\"0x010101010101010101010101\"",
            ),
            (T::Geometry, S::binary(b"\x01\x02"), "\"0x0102\""),
            (T::Geography, S::binary(b""), "\"0x\""),
            (T::Bson, S::binary(b"{}"), "\"0x7b7d\""),
            (T::Fixed(2), S::binary(b"ab"), "\"0x6162\""),
            (T::Enum, S::string("A"), "\"A\""),
            (T::Json, S::string("{\"a\":1}"), "\"{\\\"a\\\":1}\""),
            (T::Boolean, S::Boolean(true), "true"),
            (T::UInt32, S::Int(4_294_967_295), "4294967295"),
            (T::Null, S::Null, "null"),
            (T::Int32, S::Null, "null"),
        ];
        for (ty, scalar, expected) in cases {
            let constant = Vector::constant(ty.clone(), scalar.clone(), 3);
            assert_eq!(json(&constant, 2), expected);
            assert_eq!(json(&one(ty, scalar), 0), expected);
        }
    }

    #[test]
    fn times_render_by_unit_and_what_they_are_relative_to() {
        let cases = [
            (TimeUnit::Millis, "01:00:00.001", "2001-09-09T01:46:40.000"),
            (
                TimeUnit::Micros,
                "00:00:03.600001",
                "1970-01-12T13:46:40.000000",
            ),
            (
                TimeUnit::Nanos,
                "00:00:00.003600001",
                "1970-01-01T00:16:40.000000000",
            ),
        ];
        for (unit, clock, date) in cases {
            for utc in [true, false] {
                let ty = LogicalType::Time { unit, utc };
                let value = Scalar::Time {
                    value: 3_600_001,
                    unit,
                    utc,
                };
                let z = if utc { "Z" } else { "" };
                assert_eq!(json(&one(ty, value), 0), format!("\"{clock}{z}\""));
            }
            for zone in [Zone::Utc, Zone::Local, Zone::Unstated] {
                let ty = LogicalType::Timestamp { unit, zone };
                let value = Scalar::Timestamp {
                    value: 1_000_000_000_000,
                    unit,
                    zone,
                };
                let z = if zone == Zone::Utc { "Z" } else { "" };
                assert_eq!(json(&one(ty, value), 0), format!("\"{date}{z}\""));
            }
        }
    }

    #[test]
    fn nested_values_render_by_the_rules() {
        let int = |name: &str| Field::nullable(name, LogicalType::Int32);
        let map = LogicalType::Map(Arc::new([int("key"), int("value")]));
        let entries = Scalar::Map(vec![
            (Scalar::Int(1), Scalar::Int(2)),
            (Scalar::Int(3), Scalar::Null),
        ]);
        assert_eq!(json(&one(map, entries), 0), "[[1,2],[3,null]]");
        let union = LogicalType::Union(Arc::from(vec![int("a"), int("b")]));
        let value = Scalar::Union(1, Box::new(Scalar::Int(7)));
        assert_eq!(
            json(&one(union.clone(), value.clone()), 0),
            "{\"tag\":1,\"value\":7}"
        );
        assert_eq!(
            plain(&Vector::constant(union, value, 1)),
            "{\"tag\":1,\"value\":7}"
        );
        let twice = LogicalType::Struct(Arc::from(vec![int("a"), int("a")]));
        let fields = Scalar::Struct(vec![
            ("a".into(), Scalar::Int(1)),
            ("a".into(), Scalar::Null),
        ]);
        assert_eq!(json(&one(twice, fields), 0), "{\"a\":1,\"a\":null}");
        let list = LogicalType::List(Arc::new(int("element")));
        assert_eq!(json(&one(list, Scalar::List(Vec::new())), 0), "[]");
    }

    #[test]
    fn text_has_no_quotes_and_rows_are_objects() {
        assert_eq!(
            plain(&one(LogicalType::String, Scalar::string("a\"b"))),
            "a\"b"
        );
        assert_eq!(
            plain(&one(LogicalType::Date, Scalar::Date(0))),
            "1970-01-01"
        );
        let null = one(LogicalType::Int32, Scalar::Null);
        assert!(!render_text(&null, 0, &mut String::new()));
        let row = |names: &[&str]| {
            let field = |name: &&str| Field::nullable(*name, LogicalType::Int32);
            let batch = Batch {
                schema: Arc::new(Schema::new(names.iter().map(field).collect())),
                rows: 1,
                columns: vec![null.clone(); names.len()],
            };
            let mut out = String::new();
            render_json_row(&batch, 0, &mut out);
            out
        };
        assert_eq!(row(&["a\""]), r#"{"a\"":null}"#);
        assert_eq!(row(&["", "b"]), r#"{"":null,"b":null}"#);
        assert_eq!(row(&[""]), "null");
    }

    quickcheck::quickcheck! {
        fn every_form_of_a_vector_renders_alike(column: Column) -> bool {
            let plain = Vector::from_scalars(column.ty.clone(), &column.scalars).unwrap();
            let coded = as_dictionary(&plain);
            column.scalars.iter().enumerate().all(|(row, scalar)| {
                let constant = Vector::constant(column.ty.clone(), scalar.clone(), 1);
                let (mut a, mut b, mut c) = Default::default();
                render_text(&plain, row, &mut a);
                render_text(&coded, row, &mut b);
                render_text(&constant, 0, &mut c);
                json(&plain, row) == json(&coded, row) && json(&plain, row) == json(&constant, 0) && a == b && a == c
            })
        }
    }
}
