//! The tokens of a JSON text, one at a time, as the Jackson parser of Spark takes them.
//!
//! Beyond RFC 8259, texts may stand in single quotes, `\'` is an escape, and control characters in texts may be raw.
//! Containers are nested at most 1000 deep; an integer has at most 1000 digits. Nothing recurses.

use std::iter;
use std::result::Result;

/// How deep containers may be nested.
const MAX_DEPTH: usize = 1000;
/// How many digits an integer may have, and a fraction may without doubt.
const MAX_DIGITS: usize = 1000;
/// How many bytes a text and a name may have without doubt; beyond, Jackson counts UTF-16 units.
const MAX_TEXT: usize = 20_000_000;
const MAX_NAME: usize = 50_000;

/// Why there is no token.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// The text is no JSON.
    Broken,
    /// What Spark makes of it is not known here.
    Unsupported(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    Name(Text<'a>),
    Text(Text<'a>),
    /// `true`, `false` or `null`.
    Word(&'static str),
    Integer(&'a str),
    /// A number with a fraction or an exponent.
    Fraction(&'a str),
}

/// What stands between quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Text<'a> {
    pub(super) raw: &'a str,
    pub(super) escaped: bool,
}

impl<'a> Text<'a> {
    /// Its UTF-16 code units, in which surrogates may be alone.
    pub(super) fn units(self) -> impl Iterator<Item = u16> + 'a {
        let mut rest = self.raw.chars();
        let mut low = None;
        iter::from_fn(move || {
            if let Some(low) = low.take() {
                return Some(low);
            }
            let c = match rest.next()? {
                '\\' => return unescape(&mut rest),
                c => c,
            };
            let mut pair = [0; 2];
            if let [first, second] = *c.encode_utf16(&mut pair) {
                low = Some(second);
                return Some(first);
            }
            Some(pair[0])
        })
    }

    pub(super) fn is(self, wanted: &str) -> bool {
        match self.escaped {
            false => self.raw == wanted,
            true => self.units().eq(wanted.encode_utf16()),
        }
    }
}

/// The unit that the escape after a backslash stands for; `None` if it is none.
fn unescape(rest: &mut std::str::Chars<'_>) -> Option<u16> {
    Some(match rest.next()? {
        'b' => 0x08,
        't' => 0x09,
        'n' => 0x0a,
        'f' => 0x0c,
        'r' => 0x0d,
        c @ ('"' | '\'' | '/' | '\\') => c as u16,
        'u' => {
            let digits = rest.as_str().get(..4)?;
            rest.nth(3);
            let are_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            are_hex.then(|| u16::from_str_radix(digits, 16).ok())??
        }
        _ => return None,
    })
}

/// An open container.
struct Open {
    object: bool,
    filled: bool,
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    open: Vec<Open>,
    /// Whether a name was read and its value was not.
    named: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Scanner {
            text,
            at: 0,
            open: Vec::new(),
            named: false,
        }
    }

    /// How many containers are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The next token. Not to be called after the end of the outermost value.
    pub(super) fn next(&mut self) -> Result<Token<'a>, Fault> {
        let mut byte = self.peek()?;
        if std::mem::take(&mut self.named) {
            return self.value(byte);
        }
        let Some(open) = self.open.last_mut() else {
            return self.value(byte);
        };
        let (object, filled) = (open.object, std::mem::replace(&mut open.filled, true));
        if byte == if object { b'}' } else { b']' } {
            self.at += 1;
            self.open.pop();
            return Ok(match object {
                true => Token::ObjectEnd,
                false => Token::ArrayEnd,
            });
        }
        if filled {
            self.expect(b',')?;
            byte = self.peek()?;
        }
        match object {
            true => self.name(byte),
            false => self.value(byte),
        }
    }

    /// Reads to the end of the value that begins with this token, which was the last.
    pub(super) fn skip(&mut self, start: Token<'_>) -> Result<(), Fault> {
        if matches!(start, Token::ObjectStart | Token::ArrayStart) {
            self.close_to(self.depth() - 1)?;
        }
        Ok(())
    }

    /// Reads until so many containers are open.
    pub(super) fn close_to(&mut self, depth: usize) -> Result<(), Fault> {
        while self.depth() > depth {
            self.next()?;
        }
        Ok(())
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// The next byte that is no white space, which it stops at.
    fn peek(&mut self) -> Result<u8, Fault> {
        let is_space = |byte: &&u8| b" \t\r\n".contains(byte);
        self.at += self.rest().iter().take_while(is_space).count();
        self.rest().first().copied().ok_or(Fault::Broken)
    }

    fn expect(&mut self, mark: u8) -> Result<(), Fault> {
        if self.peek()? != mark {
            return Err(Fault::Broken);
        }
        self.at += 1;
        Ok(())
    }

    fn name(&mut self, byte: u8) -> Result<Token<'a>, Fault> {
        if !matches!(byte, b'"' | b'\'') {
            return Err(Fault::Broken);
        }
        let name = self.quoted(byte)?;
        if name.raw.len() > MAX_NAME {
            return Err(Fault::Unsupported("names of more than 50000 bytes"));
        }
        self.expect(b':')?;
        self.named = true;
        Ok(Token::Name(name))
    }

    fn value(&mut self, byte: u8) -> Result<Token<'a>, Fault> {
        match byte {
            b'{' | b'[' => self.start(byte == b'{'),
            b'"' | b'\'' => self.quoted(byte).map(Token::Text),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }
    }

    fn start(&mut self, object: bool) -> Result<Token<'a>, Fault> {
        if self.depth() == MAX_DEPTH {
            return Err(Fault::Broken);
        }
        self.at += 1;
        self.open.push(Open {
            object,
            filled: false,
        });
        Ok(match object {
            true => Token::ObjectStart,
            false => Token::ArrayStart,
        })
    }

    /// A text between two of these quotes, the first of which is here.
    fn quoted(&mut self, quote: u8) -> Result<Text<'a>, Fault> {
        let start = self.at + 1;
        let (mut end, mut escaped) = (start, false);
        loop {
            match self.text.as_bytes().get(end) {
                None => return Err(Fault::Broken),
                Some(byte) if *byte == quote => break,
                Some(b'\\') => {
                    escaped = true;
                    let mut after = self.text[end + 1..].chars();
                    unescape(&mut after).ok_or(Fault::Broken)?;
                    end = self.text.len() - after.as_str().len();
                }
                Some(_) => end += 1,
            }
        }
        self.at = end + 1;
        let raw = &self.text[start..end];
        match raw.len() > MAX_TEXT {
            true => Err(Fault::Unsupported("texts of more than 20000000 bytes")),
            false => Ok(Text { raw, escaped }),
        }
    }

    fn word(&mut self, word: &'static str) -> Result<Token<'a>, Fault> {
        let rest = self.rest().strip_prefix(word.as_bytes());
        match rest.ok_or(Fault::Broken)?.first() {
            Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 0x7f) => {
                Err(Fault::Broken)
            }
            Some(0x80..) => Err(match self.open.is_empty() {
                // it depends on whether Java has it in identifiers
                true => Fault::Unsupported("words before what is not ASCII"),
                false => Fault::Broken,
            }),
            _ => {
                self.at += word.len();
                Ok(Token::Word(word))
            }
        }
    }

    fn number(&mut self) -> Result<Token<'a>, Fault> {
        let start = self.at;
        self.at += usize::from(self.rest().starts_with(b"-"));
        let whole = self.rest();
        let mut digits = self.digits()?;
        if digits > 1 && whole.starts_with(b"0") {
            return Err(Fault::Broken);
        }
        let mut fraction = false;
        if self.rest().starts_with(b".") {
            self.at += 1;
            digits += self.digits()?;
            fraction = true;
        }
        if let [b'e' | b'E', after @ ..] = self.rest() {
            self.at += 1 + usize::from(matches!(after, [b'+' | b'-', ..]));
            digits += self.digits()?;
            fraction = true;
        }
        let ends = matches!(self.rest(), [] | [b' ' | b'\t' | b'\r' | b'\n', ..]);
        if self.open.is_empty() && !ends || digits > MAX_DIGITS && !fraction {
            return Err(Fault::Broken);
        }
        if digits > MAX_DIGITS {
            // Jackson does not count all of them
            return Err(Fault::Unsupported("fractions of more than 1000 digits"));
        }
        let number = &self.text[start..self.at];
        Ok(match fraction {
            true => Token::Fraction(number),
            false => Token::Integer(number),
        })
    }

    /// How many digits are here, at least one.
    fn digits(&mut self) -> Result<usize, Fault> {
        let is_digit = |byte: &&u8| byte.is_ascii_digit();
        let digits = self.rest().iter().take_while(is_digit).count();
        self.at += digits;
        match digits {
            0 => Err(Fault::Broken),
            _ => Ok(digits),
        }
    }
}
