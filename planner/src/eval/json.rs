//! `get_json_object`: the part of a JSON text at a path, as text.
//!
//! ```text
//! {"a":{"b":"x"}, "c":[1, {"d":2.50}]}     $.a.b  x     $.a  {"b":"x"}     $.c[1].d  2.5     $.e  null
//! ```
//! Invalid JSON, an invalid path and one that leads nowhere give null. Of equal names the first with a value counts.

use std::borrow::Cow;

use lith_format::render::render_json_string;

use super::call::Call;
use super::value::{BytesOut, Value};
use crate::error::{PlanError, Result};
use crate::expr::double_text;

/// How deep values may be nested.
const MAX_DEPTH: usize = 200;

/// A step down.
#[derive(Debug, PartialEq)]
enum Step {
    Name(String),
    Index(usize),
}

/// The steps of `$.a['b'][0]`; `None` if it is no path.
fn steps(path: &str) -> Result<Option<Vec<Step>>> {
    let Some(mut rest) = path.strip_prefix('$') else {
        return Ok(None);
    };
    let mut out = Vec::new();
    while !rest.is_empty() {
        if rest.starts_with(".*") || rest.starts_with("[*]") {
            return Err(PlanError::unsupported(
                "wildcards in JSON paths are not supported",
            ));
        }
        let step = if let Some(name) = rest.strip_prefix("['") {
            name.split_once("']")
                .map(|(name, after)| (Step::Name(name.to_owned()), after))
        } else if let Some(index) = rest.strip_prefix('[') {
            index
                .split_once(']')
                .and_then(|(index, after)| Some((Step::Index(index.parse().ok()?), after)))
        } else {
            rest.strip_prefix('.').and_then(|name| {
                let end = name.find(['.', '[']).unwrap_or(name.len());
                (end > 0).then(|| (Step::Name(name[..end].to_owned()), &name[end..]))
            })
        };
        match step {
            Some((step, after)) => {
                out.push(step);
                rest = after;
            }
            None => return Ok(None),
        }
    }
    Ok(Some(out))
}

pub(super) fn get_json_object(call: &Call<'_>) -> Result<Value> {
    let (json, path) = (call.arg(0)?, call.arg(1)?);
    let text = |value: &Value, row| String::from_utf8_lossy(value.bytes(row)).into_owned();
    let constant = match path.one && path.is_known(0) {
        true => Some(steps(&text(path, 0))?),
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
                    own = steps(&text(path, row))?;
                    &own
                }
            };
            let json = String::from_utf8_lossy(json.bytes(row));
            has = steps
                .as_ref()
                .is_some_and(|steps| part_of(&json, steps, &mut part));
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

/// Appends the part of a JSON text; whether there is one.
fn part_of(json: &str, steps: &[Step], out: &mut String) -> bool {
    let mut scanner = Scanner { text: json, at: 0 };
    let found = scanner.value(Want::At(steps), 0, out);
    if found != Some(true) {
        out.clear();
    }
    found == Some(true)
}

#[derive(Clone, Copy)]
enum Want<'a> {
    /// What is at the end of these steps, texts without quotes.
    At(&'a [Step]),
    /// All of it, as JSON.
    Json,
    Nothing,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn next(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let space = rest
            .iter()
            .take_while(|byte| b" \t\r\n".contains(byte))
            .count();
        self.at += space;
        rest.get(space).copied()
    }

    fn takes(&mut self, mark: u8) -> bool {
        let found = self.next() == Some(mark);
        self.at += usize::from(found);
        found
    }

    /// Whether something was found and appended; `None` if it is no JSON.
    fn value(&mut self, want: Want, depth: usize, out: &mut String) -> Option<bool> {
        if depth > MAX_DEPTH {
            return None;
        }
        // the end of a path wants the whole value
        let inside = match want {
            Want::At([]) => Want::Json,
            other => other,
        };
        match self.next()? {
            b'{' => self.object(inside, depth, out),
            b'[' => self.array(inside, depth, out),
            b'"' => {
                let text = self.string()?;
                match want {
                    Want::At([]) => out.push_str(&text),
                    Want::Json => render_json_string(&text, out),
                    _ => return Some(false),
                }
                Some(true)
            }
            _ => {
                let word = self.word();
                let text = plain(word)?;
                match want {
                    Want::At([]) if word == "null" => return Some(false),
                    Want::At([]) | Want::Json => out.push_str(&text),
                    _ => return Some(false),
                }
                Some(true)
            }
        }
    }

    fn object(&mut self, want: Want, depth: usize, out: &mut String) -> Option<bool> {
        let (whole, mut found, mut first) = (matches!(want, Want::Json), false, true);
        self.takes(b'{');
        out.push_str(if whole { "{" } else { "" });
        while !self.takes(b'}') {
            if !first && !self.takes(b',') {
                return None;
            }
            if self.next()? != b'"' {
                return None;
            }
            let name = self.string()?;
            if !self.takes(b':') {
                return None;
            }
            let inner = match want {
                Want::Json => {
                    out.push_str(if first { "" } else { "," });
                    render_json_string(&name, out);
                    out.push(':');
                    Want::Json
                }
                Want::At([Step::Name(wanted), rest @ ..]) if !found && *wanted == name => {
                    Want::At(rest)
                }
                _ => Want::Nothing,
            };
            found |= self.value(inner, depth + 1, out)?;
            first = false;
        }
        out.push_str(if whole { "}" } else { "" });
        Some(found || whole)
    }

    fn array(&mut self, want: Want, depth: usize, out: &mut String) -> Option<bool> {
        let (whole, mut found, mut number) = (matches!(want, Want::Json), false, 0);
        self.takes(b'[');
        out.push_str(if whole { "[" } else { "" });
        while !self.takes(b']') {
            if number > 0 && !self.takes(b',') {
                return None;
            }
            let inner = match want {
                Want::Json => {
                    out.push_str(if number == 0 { "" } else { "," });
                    Want::Json
                }
                Want::At([Step::Index(wanted), rest @ ..]) if *wanted == number => Want::At(rest),
                _ => Want::Nothing,
            };
            found |= self.value(inner, depth + 1, out)?;
            number += 1;
        }
        out.push_str(if whole { "]" } else { "" });
        Some(found || whole)
    }

    /// A text in quotes, which begins here.
    fn string(&mut self) -> Option<Cow<'a, str>> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        while *bytes.get(end)? != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        self.at = end + 1;
        let quoted = self.text.get(start..=end)?;
        let inner = &quoted[1..quoted.len() - 1];
        match inner.contains('\\') {
            false => Some(Cow::Borrowed(inner)),
            true => serde_json::from_str(quoted).ok().map(Cow::Owned),
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }
}

/// A number or word as it is printed; fractions as doubles.
fn plain(word: &str) -> Option<Cow<'_, str>> {
    if matches!(word, "true" | "false" | "null") {
        return Some(Cow::Borrowed(word));
    }
    let number: serde_json::Number = serde_json::from_str(word).ok()?;
    match word.contains(['.', 'e', 'E']) {
        true => Some(Cow::Owned(double_text(number.as_f64()?))),
        false => Some(Cow::Borrowed(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(json: &str, path: &str) -> Option<String> {
        let steps = steps(path).unwrap()?;
        let mut out = String::new();
        part_of(json, &steps, &mut out).then_some(out)
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
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(part(&deep, "$[0]"), None);
        assert_eq!(part("", "$"), None);
        assert_eq!(part("{\"a\":01}", "$.a"), None);
    }
}
