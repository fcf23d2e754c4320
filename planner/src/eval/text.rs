//! Functions on text. Positions and lengths count characters, as Spark's do.

use super::call::Call;
use super::value::{BytesOut, Lane, Value};
use crate::error::Result;
use lith_format::types::LogicalType;

/// A text per wanted row.
fn texts(call: &Call<'_>, f: impl Fn(usize, &mut String)) -> Result<Value> {
    let (mut out, mut text) = (BytesOut::default(), String::new());
    for row in 0..call.held() {
        text.clear();
        if call.wants(row) {
            f(row, &mut text);
        }
        out.push(text.as_bytes());
    }
    Ok(call.value(out.lane()))
}

fn str_of(value: &Value, row: usize) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(value.bytes(row))
}

pub(super) fn upper(call: &Call<'_>) -> Result<Value> {
    let value = call.arg(0)?;
    texts(call, |row, out| {
        out.push_str(&str_of(value, row).to_uppercase())
    })
}

pub(super) fn lower(call: &Call<'_>) -> Result<Value> {
    let value = call.arg(0)?;
    texts(call, |row, out| {
        out.push_str(&str_of(value, row).to_lowercase())
    })
}

/// The first letter of each word, as spaces part them, in upper case, the others in lower case.
pub(super) fn initcap(call: &Call<'_>) -> Result<Value> {
    let value = call.arg(0)?;
    texts(call, |row, out| {
        let mut at_start = true;
        for c in str_of(value, row).to_lowercase().chars() {
            match at_start {
                true => out.extend(c.to_uppercase()),
                false => out.push(c),
            }
            at_start = c == ' ';
        }
    })
}

pub(super) fn reverse(call: &Call<'_>) -> Result<Value> {
    let value = call.arg(0)?;
    texts(call, |row, out| {
        out.extend(str_of(value, row).chars().rev())
    })
}

/// Characters of text, bytes of binary.
pub(super) fn length(call: &Call<'_>) -> Result<Value> {
    let value = call.arg(0)?;
    let binary = matches!(call.types, [LogicalType::Binary]);
    let count = |row| {
        let bytes = value.bytes(row);
        let starts = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        if binary {
            bytes.len() as i64
        } else {
            starts(bytes) as i64
        }
    };
    let lengths = (0..call.held()).map(count).collect();
    Ok(call.value(Lane::Int(lengths)))
}

/// The characters `start..end` of a text, as far as it has them.
fn slice(text: &str, start: i64, end: i64, out: &mut String) {
    let start = usize::try_from(start.max(0)).unwrap_or(usize::MAX);
    let end = usize::try_from(end.max(0)).unwrap_or(usize::MAX);
    out.extend(text.chars().skip(start).take(end.saturating_sub(start)));
}

/// From a position that counts from 1, or from the end if negative.
pub(super) fn substring(call: &Call<'_>) -> Result<Value> {
    let (value, position, length) = (call.arg(0)?, call.arg(1)?.ints()?, call.arg(2)?.ints()?);
    texts(call, |row, out| {
        let text = str_of(value, row);
        let start = match position.get(row) {
            position @ 1.. => position - 1,
            0 => 0,
            position => text.chars().count() as i64 + position,
        };
        slice(&text, start, start.saturating_add(length.get(row)), out);
    })
}

pub(super) fn left(call: &Call<'_>) -> Result<Value> {
    let (value, count) = (call.arg(0)?, call.arg(1)?.ints()?);
    texts(call, |row, out| {
        slice(&str_of(value, row), 0, count.get(row), out)
    })
}

pub(super) fn right(call: &Call<'_>) -> Result<Value> {
    let (value, count) = (call.arg(0)?, call.arg(1)?.ints()?);
    texts(call, |row, out| {
        let text = str_of(value, row);
        let length = text.chars().count() as i64;
        slice(&text, length - count.get(row).clamp(0, length), length, out);
    })
}

pub(super) fn concat(call: &Call<'_>) -> Result<Value> {
    texts(call, |row, out| {
        for value in call.args {
            out.push_str(&str_of(value, row));
        }
    })
}

pub(super) fn trim(call: &Call<'_>) -> Result<Value> {
    trimmed(call, true, true)
}

pub(super) fn ltrim(call: &Call<'_>) -> Result<Value> {
    trimmed(call, true, false)
}

pub(super) fn rtrim(call: &Call<'_>) -> Result<Value> {
    trimmed(call, false, true)
}

/// Takes spaces, or the characters of the second argument, off the ends.
fn trimmed(call: &Call<'_>, front: bool, back: bool) -> Result<Value> {
    let value = call.arg(0)?;
    texts(call, |row, out| {
        let text = str_of(value, row);
        let unwanted = call
            .args
            .get(1)
            .map_or(" ".into(), |characters| str_of(characters, row));
        let unwanted = |c: char| unwanted.contains(c);
        let text = if front {
            text.trim_start_matches(unwanted)
        } else {
            &text
        };
        out.push_str(if back {
            text.trim_end_matches(unwanted)
        } else {
            text
        });
    })
}

pub(super) fn replace(call: &Call<'_>) -> Result<Value> {
    let (value, from, to) = (call.arg(0)?, call.arg(1)?, call.arg(2)?);
    texts(call, |row, out| {
        let (text, from) = (str_of(value, row), str_of(from, row));
        match from.is_empty() {
            true => out.push_str(&text),
            false => out.push_str(&text.replace(&*from, &str_of(to, row))),
        }
    })
}

/// The position of the second text in the first, from 1; 0 if it is not there.
pub(super) fn instr(call: &Call<'_>) -> Result<Value> {
    let (value, part) = (call.arg(0)?, call.arg(1)?);
    let find = |row| {
        let text = str_of(value, row);
        let found = text.find(&*str_of(part, row));
        Some(found.map_or(0, |at| text[..at].chars().count() as i64 + 1))
    };
    call.checked(Lane::Int, find, "")
}
