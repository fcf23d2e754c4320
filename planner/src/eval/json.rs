//! `get_json_object`: the part of a JSON text at a path, as text.
//!
//! ```text
//! {"a":{"b":"x"}, "c":[1, {"d":2.50}]}     $.a.b  x     $.a  {"b":"x"}     $.c[1].d  2.5     $.e  null
//! ```
//! Invalid JSON, an invalid path and one that leads nowhere give null. Of equal names the first with a value counts.
//! A text alone is given as it is; all else is printed anew as Jackson prints it: without white space, fractions as
//! doubles, what is not finite in quotes, and each half of a surrogate pair as an escape (`"\uD83D\uDE00"`).

mod path;
mod scan;

use std::borrow::Cow;
use std::char::DecodeUtf16Error;
use std::fmt::Write;

use super::call::Call;
use super::value::{BytesOut, Value};
use crate::error::{PlanError, Result};
use crate::expr::double_text;
use path::{Step, steps};
use scan::{Fault, Scanner, Text, Token};

pub(super) fn get_json_object(call: &Call<'_>) -> Result<Value> {
    let (json, path) = (call.arg(0)?, call.arg(1)?);
    let constant = match path.one && path.is_known(0) {
        true => Some(steps(&text(path.bytes(0))?)?),
        false => None,
    };
    let (mut out, mut found) = (BytesOut::default(), Vec::with_capacity(call.held()));
    let mut part = String::new();
    for row in 0..call.held() {
        part.clear();
        let mut has = false;
        if call.wants(row) {
            let own;
            let steps = match &constant {
                Some(steps) => steps,
                None => {
                    own = steps(&text(path.bytes(row))?)?;
                    &own
                }
            };
            if let Some(steps) = steps {
                has = part_of(&text(json.bytes(row))?, steps, &mut part)?;
            }
        }
        found.push(has);
        out.push(if has { part.as_bytes() } else { b"" });
    }
    Ok(Value::new(
        out.lane(),
        Some(found.into_iter().collect()),
        call.one(),
    ))
}

/// Bytes as Java decodes them. It takes an encoded surrogate for one broken character, Rust for three.
fn text(bytes: &[u8]) -> Result<Cow<'_, str>> {
    let text = String::from_utf8_lossy(bytes);
    let is_surrogate = |pair: &[u8]| matches!(pair, [0xed, 0xa0..=0xbf]);
    match text {
        Cow::Owned(_) if bytes.windows(2).any(is_surrogate) => Err(PlanError::unsupported(
            "JSON with surrogates in UTF-8 is not supported",
        )),
        text => Ok(text),
    }
}

/// Appends the part of a JSON text; whether there is one.
fn part_of(json: &str, steps: &[Step], out: &mut String) -> Result<bool> {
    match find(&mut Scanner::new(json), steps, out) {
        Ok(found) => Ok(found),
        Err(Fault::Broken) => Ok(false),
        Err(Fault::Unsupported(what)) => Err(PlanError::unsupported(format!(
            "{what} in JSON are not supported"
        ))),
    }
}

/// Goes down the steps, and to the end of the outermost value, since what follows must be JSON too.
fn find(
    scanner: &mut Scanner<'_>,
    steps: &[Step],
    out: &mut String,
) -> std::result::Result<bool, Fault> {
    // of every open container on the path, how many elements were seen
    let mut seen: Vec<u64> = Vec::new();
    let mut token = scanner.next()?;
    loop {
        match (steps.get(seen.len()), token) {
            (None, _) => {
                print(scanner, token, out)?;
                scanner.close_to(0)?;
                return Ok(true);
            }
            (Some(Step::Name(_)), Token::ObjectStart)
            | (Some(Step::Index(_)), Token::ArrayStart) => seen.push(0),
            _ => scanner.skip(token)?,
        }
        match candidate(scanner, steps, &mut seen)? {
            Some(next) => token = next,
            None => return Ok(false),
        }
    }
}

/// The start of the next value that the steps to it lead to; `None` at the end of the outermost value.
fn candidate<'a>(
    scanner: &mut Scanner<'a>,
    steps: &[Step],
    seen: &mut Vec<u64>,
) -> std::result::Result<Option<Token<'a>>, Fault> {
    while let Some((step, before)) = seen.len().checked_sub(1).and_then(|at| {
        // a container is open for the step into it
        Some((steps.get(at)?, seen.last_mut()?))
    }) {
        let token = scanner.next()?;
        let (value, leads) = match (token, step) {
            (Token::ObjectEnd | Token::ArrayEnd, _) => {
                seen.pop();
                continue;
            }
            (Token::Name(name), Step::Name(wanted)) => {
                let value = scanner.next()?;
                (value, name.is(wanted) && value != Token::Word("null"))
            }
            (value, Step::Index(wanted)) => {
                let leads = before == wanted;
                *before += 1;
                (value, leads)
            }
            (value, _) => (value, false),
        };
        if leads {
            return Ok(Some(value));
        }
        scanner.skip(value)?;
    }
    Ok(None)
}

/// Prints the value that begins with this token.
fn print<'a>(
    scanner: &mut Scanner<'a>,
    start: Token<'a>,
    out: &mut String,
) -> std::result::Result<(), Fault> {
    if let Token::Text(text) = start {
        return print_bare(text, out);
    }
    let is_start = |token| matches!(token, Token::ObjectStart | Token::ArrayStart);
    let outside = scanner.depth() - usize::from(is_start(start));
    let (mut token, mut follows) = (start, false);
    loop {
        let ends = matches!(token, Token::ObjectEnd | Token::ArrayEnd);
        out.push_str(if follows && !ends { "," } else { "" });
        follows = !(is_start(token) || matches!(token, Token::Name(_)));
        match token {
            Token::ObjectStart => out.push('{'),
            Token::ObjectEnd => out.push('}'),
            Token::ArrayStart => out.push('['),
            Token::ArrayEnd => out.push(']'),
            Token::Name(name) => {
                print_quoted(name, out);
                out.push(':');
            }
            Token::Text(text) => print_quoted(text, out),
            Token::Word(word) => out.push_str(word),
            Token::Integer("-0") => out.push('0'),
            Token::Integer(number) => out.push_str(number),
            Token::Fraction(number) => print_fraction(number, out)?,
        }
        if scanner.depth() == outside {
            return Ok(());
        }
        token = scanner.next()?;
    }
}

fn print_fraction(number: &str, out: &mut String) -> std::result::Result<(), Fault> {
    let number: f64 = number.parse().map_err(|_| Fault::Broken)?;
    if !prints_alike(number) {
        return Err(Fault::Unsupported(
            "fractions that versions of Java print differently",
        ));
    }
    let quote = if number.is_finite() { "" } else { "\"" };
    for part in [quote, &double_text(number), quote] {
        out.push_str(part);
    }
    Ok(())
}

/// Whether Java prints a number with the same digits before and since version 19, which made them the fewest. Of
/// whole numbers past 2^53 and of the least ones it printed others, unless the fewest are the exact value.
fn prints_alike(number: f64) -> bool {
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    let size = number.abs();
    if (WHOLE..1e26).contains(&size) {
        let shortest = format!("{size:e}").replace('.', "");
        let digits = shortest.split('e').next().unwrap_or_default();
        return format!("{size:.0}").trim_end_matches('0') == digits;
    }
    size == 0.0 || size >= 1e-322 || size.to_bits() == 1
}

/// A text without quotes. A surrogate without its other half cannot be written.
fn print_bare(text: Text<'_>, out: &mut String) -> std::result::Result<(), Fault> {
    if !text.escaped {
        out.push_str(text.raw);
        return Ok(());
    }
    let is_low = |half: &DecodeUtf16Error| half.unpaired_surrogate() >= 0xdc00;
    let mut chars = char::decode_utf16(text.units()).peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            (Ok(c), _) => out.push(c),
            // Jackson takes these for a pair and writes bytes that are no UTF-8
            (Err(half), Some(Err(next))) if is_low(&half) && is_low(next) => {
                return Err(Fault::Unsupported("two low surrogates in a row"));
            }
            _ => return Err(Fault::Broken),
        }
    }
    Ok(())
}

fn print_quoted(text: Text<'_>, out: &mut String) {
    let is_plain = |byte: u8| (b' '..0xf0).contains(&byte) && byte != b'"';
    out.push('"');
    match !text.escaped && text.raw.bytes().all(is_plain) {
        true => out.push_str(text.raw),
        false => text.units().for_each(|unit| print_unit(unit, out)),
    }
    out.push('"');
}

fn print_unit(unit: u16, out: &mut String) {
    match char::from_u32(u32::from(unit)) {
        Some('"') => out.push_str("\\\""),
        Some('\\') => out.push_str("\\\\"),
        Some('\x08') => out.push_str("\\b"),
        Some('\t') => out.push_str("\\t"),
        Some('\n') => out.push_str("\\n"),
        Some('\x0c') => out.push_str("\\f"),
        Some('\r') => out.push_str("\\r"),
        Some(c) if c >= ' ' => out.push(c),
        _ => {
            let _ = write!(out, "\\u{unit:04X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::PlanErrorKind;

    fn part(json: &str, path: &str) -> Option<String> {
        let steps = steps(path).unwrap()?;
        let mut out = String::new();
        part_of(json, &steps, &mut out).unwrap().then_some(out)
    }

    #[test]
    fn parts_are_found_by_their_path() {
        let json = r#" {"a" : {"b": "x\n\u00e4\"", "n": null}, "c": [1, {"d": 2.50, "e": [ ]}, true], "a.b": 7} tail"#;
        for (path, wanted) in [
            ("$.a.b", Some("x\nä\"")),
            ("$.a", Some(r#"{"b":"x\nä\"","n":null}"#)),
            ("$.a.n", None),
            ("$.c[0]", Some("1")),
            ("$.c[1].d", Some("2.5")),
            ("$.c[1]", Some(r#"{"d":2.5,"e":[]}"#)),
            ("$['c'][2]", Some("true")),
            ("$['a.b']", Some("7")),
            ("$.c[9]", None),
            ("$.c.d", None),
            ("$.z", None),
            ("a", None),
            ("$.", None),
            ("$[x]", None),
        ] {
            assert_eq!(part(json, path).as_deref(), wanted, "{path}");
        }
        assert_eq!(
            part(r#"{"a":null,"a":1,"a":2}"#, "$.a").as_deref(),
            Some("1")
        );
        assert_eq!(part("17", "$").as_deref(), Some("17"));
        assert!(steps("$.a[*]").is_err());
    }

    #[test]
    fn what_is_no_json_is_null() {
        let json = r#"{"a":"b","c":[1,2]}"#;
        for end in 0..json.len() {
            assert_eq!(part(&json[..end], "$.a"), None, "{}", &json[..end]);
        }
        for (at, _) in json.char_indices() {
            let mut text = json.to_owned();
            text.replace_range(at..=at, "ü");
            let _ = part(&text, "$.c[1]");
        }
        assert_eq!(part("", "$"), None);
        assert_eq!(part("{\"a\":01}", "$.a"), None);
    }

    /// What Spark 4.3 gives for `$` and `$.a` of the same texts.
    #[test]
    fn values_are_printed_as_jackson_prints_them() {
        for (json, whole, a) in [
            (
                r#"{"a":[1e999,-1e999]}"#,
                r#"{"a":["Infinity","-Infinity"]}"#,
                r#"["Infinity","-Infinity"]"#,
            ),
            (r#"{"a":1e999}"#, r#"{"a":"Infinity"}"#, "\"Infinity\""),
            (r#"{"a":-0}"#, r#"{"a":0}"#, "0"),
            (r#"{"a":-0.0}"#, r#"{"a":-0.0}"#, "-0.0"),
            (r#"{"a":4.9e-324}"#, r#"{"a":4.9E-324}"#, "4.9E-324"),
            (r#"{"a":1.0e+2}"#, r#"{"a":100.0}"#, "100.0"),
            (r#"{"a":1e22}"#, r#"{"a":1.0E22}"#, "1.0E22"),
            (
                r#"{"a":123456789012345678901}"#,
                r#"{"a":123456789012345678901}"#,
                "123456789012345678901",
            ),
            (r#"{"a":"😀"}"#, r#"{"a":"\uD83D\uDE00"}"#, "😀"),
            (r#"{"a":"\ud83d\ude00"}"#, r#"{"a":"\uD83D\uDE00"}"#, "😀"),
            (
                r#"{"a":{"😀é":"\ud800"}}"#,
                r#"{"a":{"\uD83D\uDE00é":"\uD800"}}"#,
                r#"{"\uD83D\uDE00é":"\uD800"}"#,
            ),
            (
                "{\"a\":[\"\x01\t\x7f\\u001f\\/\"]}",
                "{\"a\":[\"\\u0001\\t\x7f\\u001F/\"]}",
                "[\"\\u0001\\t\x7f\\u001F/\"]",
            ),
            ("{'a':'x\"y'}", r#"{"a":"x\"y"}"#, "x\"y"),
            (r#"{'a':"x'\'y"}"#, r#"{"a":"x''y"}"#, "x''y"),
            (
                "{'\\u0061':[ null , 'b' ] }",
                r#"{"a":[null,"b"]}"#,
                r#"[null,"b"]"#,
            ),
        ] {
            assert_eq!(part(json, "$").as_deref(), Some(whole), "{json}");
            assert_eq!(part(json, "$.a").as_deref(), Some(a), "{json}");
        }
        assert_eq!(
            part(r#"{"a":"\ud800"}"#, "$").as_deref(),
            Some(r#"{"a":"\uD800"}"#)
        );
    }

    #[test]
    fn nulls_count_at_the_top_and_in_arrays() {
        for (json, path, wanted) in [
            ("null", "$", Some("null")),
            ("[null]", "$[0]", Some("null")),
            (r#"{"a":[null]}"#, "$.a[0]", Some("null")),
            (r#"{"a":null}"#, "$.a", None),
            (r#"[{"a":null}]"#, "$[0].a", None),
            (r#"{"a":{"c":1},"a":{"b":2}}"#, "$.a.b", Some("2")),
        ] {
            assert_eq!(part(json, path).as_deref(), wanted, "{json} {path}");
        }
    }

    #[test]
    fn what_stands_around_values_is_judged_as_by_jackson() {
        for (json, wanted) in [
            ("true?", Some("true")),
            ("true\"x\"", Some("true")),
            ("truex", None),
            ("17 x", Some("17")),
            ("17,", None),
            ("17\x0b", None),
            ("'abc'x", Some("abc")),
            ("\u{feff}1", None),
            ("[1,]", None),
            ("{a:1}", None),
            ("[+1]", None),
            ("[.5]", None),
            ("[5.]", None),
            ("[NaN]", None),
            (r#""\x41""#, None),
            (r#""\u12g4""#, None),
            (r#""\ud800""#, None),
            (r#""\udc00x""#, None),
        ] {
            assert_eq!(part(json, "$").as_deref(), wanted, "{json}");
        }
    }

    #[test]
    fn depth_and_digits_are_bounded() {
        let deep = |depth| "[".repeat(depth) + "1" + &"]".repeat(depth);
        let objects = "{\"a\":".repeat(1000) + "1" + &"}".repeat(1000);
        let path = "$".to_owned() + &".a".repeat(1000);
        assert_eq!(part(&deep(1000), "$[0]"), Some(deep(999)));
        assert_eq!(part(&objects, &path).as_deref(), Some("1"));
        assert_eq!(part(&deep(1001), "$[0]"), None);
        assert_eq!(part(&deep(100_000), "$[0]"), None);
        assert_eq!(part(&"1".repeat(1000), "$"), Some("1".repeat(1000)));
        assert_eq!(part(&"1".repeat(1001), "$"), None);
    }

    #[test]
    fn what_is_not_known_of_spark_is_refused() {
        for json in [
            r#""\udc00\udc00""#.to_owned(),
            "true€".to_owned(),
            "[8.41e21]".to_owned(),
            "[9.9e-324]".to_owned(),
            format!("0.{}", "1".repeat(1000)),
            format!("{{\"{}\":1}}", "k".repeat(50_001)),
        ] {
            let refused = part_of(&json, &[], &mut String::new()).unwrap_err();
            assert_eq!(*refused.kind(), PlanErrorKind::Unsupported, "{refused}");
        }
        assert!(text(b"{\"a\":\"\xed\xa0\x80\"}").is_err());
        assert_eq!(text(b"\xff\xe2\x28").unwrap(), "\u{fffd}\u{fffd}(");
    }
}
