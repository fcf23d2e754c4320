//! Prints structured values part by part, as JSON or as an outline, so that none need be held whole.
//!
//! ```text
//! JSON      {"name":value,"list":[..]}
//! outline   name: value                 objects as indented lines, lists of plain values on one line
//!           structures:
//!             [0]
//!               name: value
//! ```

use std::io::{self, Write};
use std::iter;

use lith_format::error::{Error, Result};
use lith_format::render::{escape_controls, escape_json, render_json_string};
use serde_json::Value;

/// A part of a structured value. Each begin has its end; a member's name precedes its value.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// An object begins.
    BeginObject,
    /// The name of the member whose value is next.
    Name(&'a str),
    /// The object ends.
    EndObject,
    /// A list begins.
    BeginList,
    /// The list ends.
    EndList,
    /// A value without parts.
    Plain(&'a Value),
    /// Text of any length.
    Text(&'a str),
    /// Bytes of any number, printed as text: `0x` and hexadecimal digits.
    Bytes(&'a [u8]),
}

impl Part<'_> {
    fn is_plain(self) -> bool {
        matches!(self, Part::Plain(_) | Part::Text(_) | Part::Bytes(_))
    }
}

/// Texts are printed in pieces of about so many bytes, so that long ones are not copied whole.
const PIECE: usize = 1 << 12;

/// Prints the parts of a value, in order.
pub trait Printer {
    /// Prints the next part.
    ///
    /// # Errors
    /// Output that cannot be written.
    fn part(&mut self, part: Part<'_>) -> Result<()>;

    /// Prints a value whole.
    fn value(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Object(_) => {
                self.part(Part::BeginObject)?;
                self.members(value)?;
                self.part(Part::EndObject)
            }
            Value::Array(list) => {
                self.part(Part::BeginList)?;
                list.iter().try_for_each(|value| self.value(value))?;
                self.part(Part::EndList)
            }
            plain => self.part(Part::Plain(plain)),
        }
    }

    /// Prints the members of `object` into the object that is open.
    fn members(&mut self, object: &Value) -> Result<()> {
        let mut members = object.as_object().into_iter().flatten();
        members.try_for_each(|(name, value)| {
            self.part(Part::Name(name))?;
            self.value(value)
        })
    }
}

/// An error of writing to standard output.
pub fn output_error(error: io::Error) -> Error {
    Error::io("standard output", error)
}

/// Prints JSON, all on one line, without a line feed.
pub struct Json<W> {
    out: W,
    /// Whether a value precedes in the same list or object.
    after: bool,
}

impl<W: Write> Json<W> {
    /// A printer to `out`.
    pub fn new(out: W) -> Self {
        Json { out, after: false }
    }

    /// The output that was printed to.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// The output, for text that is not part of the value.
    pub fn out(&mut self) -> &mut W {
        &mut self.out
    }

    fn write(&mut self, part: Part<'_>) -> io::Result<()> {
        let ends = matches!(part, Part::EndObject | Part::EndList);
        if self.after && !ends {
            self.out.write_all(b",")?;
        }
        self.after = ends || part.is_plain();
        match part {
            Part::BeginObject => self.out.write_all(b"{"),
            Part::EndObject => self.out.write_all(b"}"),
            Part::BeginList => self.out.write_all(b"["),
            Part::EndList => self.out.write_all(b"]"),
            Part::Name(name) => {
                let mut quoted = String::new();
                render_json_string(name, &mut quoted);
                write!(self.out, "{}:", escape_json(&quoted))
            }
            Part::Plain(value) => self
                .out
                .write_all(escape_json(&value.to_string()).as_bytes()),
            Part::Text(text) => {
                self.out.write_all(b"\"")?;
                let mut quoted = String::new();
                for piece in pieces(text) {
                    quoted.clear();
                    render_json_string(piece, &mut quoted);
                    let inner = quoted.get(1..quoted.len() - 1).unwrap_or_default();
                    self.out.write_all(escape_json(inner).as_bytes())?;
                }
                self.out.write_all(b"\"")
            }
            Part::Bytes(bytes) => {
                self.out.write_all(b"\"")?;
                write_digits(bytes, &mut self.out)?;
                self.out.write_all(b"\"")
            }
        }
    }
}

/// The text in pieces.
fn pieces(mut text: &str) -> impl Iterator<Item = &str> {
    iter::from_fn(move || {
        let end = text.floor_char_boundary(PIECE);
        let (piece, rest) = text.split_at(end);
        text = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

fn write_digits(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.write_all(b"0x")?;
    for piece in bytes.chunks(PIECE) {
        let digits = piece.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits: Vec<u8> = digits.map(|digit| DIGITS[usize::from(digit)]).collect();
        out.write_all(&digits)?;
    }
    Ok(())
}

impl<W: Write> Printer for Json<W> {
    fn part(&mut self, part: Part<'_>) -> Result<()> {
        self.write(part).map_err(output_error)
    }
}

/// Prints an outline; the last line has no line feed.
pub struct Outline<W> {
    json: Json<W>,
    open: Vec<Open>,
    begun: bool,
    /// Open lists and objects of a list that is printed as JSON on one line.
    plain: usize,
}

enum Open {
    Object,
    /// A list without elements so far.
    List,
    /// A list of objects, and the number of the last one.
    Structures(usize),
}

impl<W: Write> Outline<W> {
    /// A printer to `out`.
    pub fn new(out: W) -> Self {
        Outline {
            json: Json::new(out),
            open: Vec::new(),
            begun: false,
            plain: 0,
        }
    }

    /// The output, for text that is not part of the value.
    pub fn out(&mut self) -> &mut W {
        &mut self.json.out
    }

    fn write(&mut self, part: Part<'_>) -> io::Result<()> {
        let begins = matches!(part, Part::BeginObject | Part::BeginList);
        let ends = matches!(part, Part::EndObject | Part::EndList);
        let is_plain = matches!(part, Part::BeginList) || part.is_plain();
        if is_plain && matches!(self.open.last(), Some(Open::List)) {
            // a list whose first element is no object is printed as JSON
            self.open.pop();
            self.json.after = false;
            self.json.write(Part::BeginList)?;
            self.plain = 1;
        }
        if self.plain > 0 {
            self.plain = self.plain + usize::from(begins) - usize::from(ends);
            return self.json.write(part);
        }
        if begins || is_plain {
            self.number()?;
        }
        match part {
            Part::BeginObject => self.open.push(Open::Object),
            Part::BeginList => self.open.push(Open::List),
            Part::Name(name) => {
                if self.begun {
                    self.line()?;
                }
                write!(self.json.out, "{}: ", escape_controls(name))?;
            }
            Part::Plain(Value::String(text)) => {
                self.json.out.write_all(escape_controls(text).as_bytes())?;
            }
            Part::Plain(value) => write!(self.json.out, "{value}")?,
            Part::Text(text) => pieces(text)
                .try_for_each(|piece| self.json.out.write_all(escape_controls(piece).as_bytes()))?,
            Part::Bytes(bytes) => write_digits(bytes, &mut self.json.out)?,
            Part::EndObject | Part::EndList => {
                if let Some(Open::List) = self.open.pop() {
                    self.json.out.write_all(b"[]")?;
                }
            }
        }
        self.begun |= matches!(part, Part::Name(_));
        Ok(())
    }

    /// Begins a line with the number of the next object, if it is in a list.
    fn number(&mut self) -> io::Result<()> {
        let number = match self.open.last_mut() {
            Some(Open::Structures(number)) => {
                *number += 1;
                *number
            }
            Some(list @ Open::List) => {
                *list = Open::Structures(0);
                0
            }
            _ => return Ok(()),
        };
        self.line()?;
        write!(self.json.out, "[{number}] ")
    }

    fn line(&mut self) -> io::Result<()> {
        let depth = self.open.len().saturating_sub(1);
        self.json.out.write_all(b"\n")?;
        (0..depth).try_for_each(|_| self.json.out.write_all(b"  "))
    }
}

impl<W: Write> Printer for Outline<W> {
    fn part(&mut self, part: Part<'_>) -> Result<()> {
        self.write(part).map_err(output_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn values() -> [Value; 3] {
        let structures = json!([{"x": [], "y": {}}, {}, {"z": [{"deep": null}]}]);
        [
            json!({"a": 1, "plain": [[1, "b\u{1b}"], [], {"x": 0.5}], "structures": structures, "c": {"d": "e\n"}}),
            json!({}),
            json!({"\u{202e}": "\u{7f}\u{9b}\"é"}),
        ]
    }

    #[test]
    fn json_is_equal_to_the_value_and_safe_for_terminals() {
        for value in values() {
            let mut json = Json::new(Vec::new());
            json.value(&value).unwrap();
            let text = String::from_utf8(json.into_inner()).unwrap();
            let back: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(back, value);
            assert!(!text.contains(|c: char| c.is_control() || c == '\u{202e}'));
            if text.is_ascii() && !text.contains("\\u00") {
                assert_eq!(text, value.to_string());
            }
        }
    }

    #[test]
    fn long_texts_and_bytes_are_printed_in_pieces() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
            let text: String = "a\u{1b}é\"\u{202e}".chars().cycle().take(length).collect();
            let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
            let (mut json, mut whole) = (Json::new(Vec::new()), Json::new(Vec::new()));
            json.part(Part::BeginList).unwrap();
            json.part(Part::Text(&text)).unwrap();
            json.part(Part::Bytes(text.as_bytes())).unwrap();
            json.part(Part::EndList).unwrap();
            let value = json!([text, format!("0x{digits}")]);
            whole.value(&value).unwrap();
            assert_eq!(json.into_inner(), whole.into_inner());

            let mut outline = Outline::new(Vec::new());
            outline.part(Part::BeginObject).unwrap();
            for (name, part) in [
                ("a", Part::Text(&text)),
                ("b", Part::Bytes(text.as_bytes())),
            ] {
                outline.part(Part::Name(name)).unwrap();
                outline.part(part).unwrap();
            }
            outline.part(Part::EndObject).unwrap();
            let lines = String::from_utf8(outline.json.into_inner()).unwrap();
            assert_eq!(
                lines,
                format!("a: {}\nb: 0x{digits}", escape_controls(&text))
            );
        }
    }

    #[test]
    fn outlines_are_indented() {
        let mut outline = Outline::new(Vec::new());
        outline.value(&values()[0]).unwrap();
        let text = String::from_utf8(outline.json.into_inner()).unwrap();
        let expected = "a: 1\nplain: [[1,\"b\\u001b\"],[],{\"x\":0.5}]\nstructures: \n  [0] \n    x: []\n    y: \n  \
                        [1] \n  [2] \n    z: \n      [0] \n        deep: null\nc: \n  d: e\\n";
        assert_eq!(text, expected);
    }
}
