//! Compiles and matches patterns: LIKE, RLIKE, prefixes, suffixes and substrings.
//!
//! LIKE is split into literal runs, `_` and `%`; the common shapes (`a%`, `%a`, `%a%`, no
//! wildcard) become plain comparisons. RLIKE is Java's syntax given to the `regex` crate, with the
//! classes `\d \w \s` cut down to ASCII, as Java has them; what the crate does not know (look-around,
//! back-references) is refused.

use lith_format::filter::Affix;
use regex::bytes::Regex;

use crate::error::{PlanError, Result};

#[derive(Debug)]
pub(super) enum Pattern {
    Exact(Vec<u8>),
    Prefix(Vec<u8>),
    Suffix(Vec<u8>),
    Regex(Regex),
    Like(Vec<Token>),
    /// Text is brought to lower case first.
    IgnoreCase(Box<Pattern>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Text(Vec<u8>),
    AnyChar,
    AnyText,
}

impl Pattern {
    pub(super) fn affix(affix: Affix, part: &[u8]) -> Result<Pattern> {
        Ok(match affix {
            Affix::Prefix => Pattern::Prefix(part.to_vec()),
            Affix::Suffix => Pattern::Suffix(part.to_vec()),
            Affix::Infix => match std::str::from_utf8(part) {
                Ok(part) => Pattern::Regex(build(&regex::escape(part))?),
                Err(_) => Pattern::Like(vec![
                    Token::AnyText,
                    Token::Text(part.to_vec()),
                    Token::AnyText,
                ]),
            },
        })
    }

    pub(super) fn like(pattern: &str, escape: char, ignore_case: bool) -> Result<Pattern> {
        if ignore_case {
            let lower = Pattern::like(&pattern.to_lowercase(), escape, false)?;
            return Ok(Pattern::IgnoreCase(Box::new(lower)));
        }
        let tokens = tokens(pattern, escape)?;
        Ok(match tokens.as_slice() {
            [] => Pattern::Exact(Vec::new()),
            [Token::Text(text)] => Pattern::Exact(text.clone()),
            [Token::Text(text), Token::AnyText] => Pattern::Prefix(text.clone()),
            [Token::AnyText, Token::Text(text)] => Pattern::Suffix(text.clone()),
            [Token::AnyText, Token::Text(text), Token::AnyText] => {
                Pattern::affix(Affix::Infix, text)?
            }
            _ => Pattern::Like(tokens),
        })
    }

    pub(super) fn regex(pattern: &str) -> Result<Pattern> {
        build(&from_java(pattern)).map(Pattern::Regex)
    }

    pub(super) fn matches(&self, text: &[u8]) -> bool {
        match self {
            Pattern::Exact(wanted) => text == wanted.as_slice(),
            Pattern::Prefix(wanted) => text.starts_with(wanted),
            Pattern::Suffix(wanted) => text.ends_with(wanted),
            Pattern::Regex(regex) => regex.is_match(text),
            Pattern::Like(tokens) => like(tokens, text),
            Pattern::IgnoreCase(pattern) => {
                pattern.matches(String::from_utf8_lossy(text).to_lowercase().as_bytes())
            }
        }
    }
}

fn build(pattern: &str) -> Result<Regex> {
    Regex::new(pattern).map_err(|error| {
        let reason = error.to_string();
        let reason = reason
            .lines()
            .last()
            .unwrap_or("")
            .trim_start_matches("error: ");
        PlanError::unsupported(format!(
            "the regular expression {pattern:?} is refused: {reason}"
        ))
    })
}

fn tokens(pattern: &str, escape: char) -> Result<Vec<Token>> {
    let refuse = |place: &str| {
        PlanError::evaluate(format!("LIKE '{pattern}': {escape} must not stand {place}"))
    };
    let mut out = Vec::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            c if c == escape => match rest.next() {
                Some(c) if c == '%' || c == '_' || c == escape => push_char(&mut out, c),
                Some(c) => return Err(refuse(&format!("before {c}"))),
                None => return Err(refuse("at the end")),
            },
            '%' if out.last() == Some(&Token::AnyText) => {}
            '%' => out.push(Token::AnyText),
            '_' => out.push(Token::AnyChar),
            c => push_char(&mut out, c),
        }
    }
    Ok(out)
}

fn push_char(out: &mut Vec<Token>, c: char) {
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).as_bytes();
    match out.last_mut() {
        Some(Token::Text(text)) => text.extend_from_slice(bytes),
        _ => out.push(Token::Text(bytes.to_vec())),
    }
}

/// Matches with one point to come back to: the last `%` and what it has swallowed so far.
fn like(tokens: &[Token], text: &[u8]) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let step = match tokens.get(token) {
            None if at == text.len() => return true,
            None => None,
            Some(Token::AnyText) => {
                retry = Some((token + 1, at));
                Some(0)
            }
            Some(Token::AnyChar) => char_len(&text[at..]),
            Some(Token::Text(wanted)) => text[at..].starts_with(wanted).then_some(wanted.len()),
        };
        match (step, retry) {
            (Some(step), _) => (token, at) = (token + 1, at + step),
            (None, Some((after, from))) => {
                let Some(step) = char_len(&text[from..]) else {
                    return false;
                };
                retry = Some((after, from + step));
                (token, at) = (after, from + step);
            }
            (None, None) => return false,
        }
    }
}

/// How many bytes the first character takes; `None` at the end.
fn char_len(text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    let len = match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
        _ => 1,
    };
    Some(len.min(text.len()))
}

/// Java's ASCII classes in place of the crate's Unicode ones.
fn from_java(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    let mut in_class = false;
    while let Some(c) = rest.next() {
        match c {
            '[' => in_class = true,
            ']' => in_class = false,
            '\\' => {
                let Some(class) = rest.next() else {
                    out.push('\\');
                    break;
                };
                let members = match class {
                    'd' | 'D' => "0-9",
                    'w' | 'W' => "a-zA-Z0-9_",
                    's' | 'S' => r" \t\n\x0B\f\r",
                    _ => {
                        out.extend(['\\', class]);
                        continue;
                    }
                };
                match (class.is_ascii_uppercase(), in_class) {
                    (true, _) => out.extend(["[^", members, "]"]),
                    (false, true) => out.push_str(members),
                    (false, false) => out.extend(["[", members, "]"]),
                }
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::like(pattern, '\\', false)
            .unwrap()
            .matches(text.as_bytes())
    }

    /// The textbook recursion.
    fn naive(pattern: &[char], text: &[char]) -> bool {
        match pattern {
            [] => text.is_empty(),
            ['%', rest @ ..] => (0..=text.len()).any(|at| naive(rest, &text[at..])),
            ['_', rest @ ..] => !text.is_empty() && naive(rest, &text[1..]),
            [c, rest @ ..] => text.first() == Some(c) && naive(rest, &text[1..]),
        }
    }

    #[test]
    fn wildcards_and_escapes() {
        assert!(matches("a%", "abc") && !matches("a%", "ba"));
        assert!(matches("_", "ü") && matches("__", "日本") && !matches("_", ""));
        assert!(matches(r"100\%", "100%") && !matches(r"100\%", "1000"));
        assert!(matches(r"a\_b", "a_b") && !matches(r"a\_b", "axb"));
        assert!(matches("", "") && !matches("", "a") && matches("%", ""));
        assert!(Pattern::like(r"a\b", '\\', false).is_err());
        assert!(Pattern::like("a\\", '\\', false).is_err());
        assert!(Pattern::like("a/%", '/', false).unwrap().matches(b"a%"));
        assert!(
            Pattern::like("ÄB%", '\\', true)
                .unwrap()
                .matches("äbc".as_bytes())
        );
    }

    #[test]
    fn regular_expressions_follow_java() {
        let is =
            |pattern: &str, text: &str| Pattern::regex(pattern).unwrap().matches(text.as_bytes());
        assert!(is("b", "abc") && !is("^b", "abc"));
        assert!(is(r"^\d+$", "12") && !is(r"^\d+$", "٣"));
        assert!(is(r"^[\w-]+$", "a-b") && !is(r"^[^\s]+$", "a b"));
        assert!(is("^.$", "ü"));
        let error = Pattern::regex("(?=a)").unwrap_err();
        assert!(matches!(
            error.kind(),
            crate::error::PlanErrorKind::Unsupported
        ));
    }

    quickcheck::quickcheck! {
        fn like_agrees_with_the_textbook(pattern: Vec<u8>, text: Vec<u8>) -> bool {
            let pick = |from: &str, bytes: &[u8]| -> Vec<char> {
                let letters: Vec<char> = from.chars().collect();
                bytes.iter().take(9).map(|&byte| letters[byte as usize % letters.len()]).collect()
            };
            let (pattern, text) = (pick("ab%_ü%", &pattern), pick("abü", &text));
            let found = matches(&pattern.iter().collect::<String>(), &text.iter().collect::<String>());
            found == naive(&pattern, &text)
        }
    }
}
