//! Path patterns: `*` (any run), `?` (one character), `[abc]`, `[a-z]`, `[!a]` (one of, one not of), `{ab,c}` (one
//! of these patterns), and a segment `**` (any run of directories).
//!
//! A pattern matches one path segment at a time; nothing else matches `/`. Everything is a character of
//! its own where it cannot be a pattern, such as a `[` that is never closed.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// The segment that matches any run of directories.
pub(crate) const DIRECTORIES: &str = "**";

/// How many patterns the braces of a segment may expand to.
const ALTERNATIVES: usize = 1 << 10;

/// The segment, if it holds a wildcard. What is no text is none.
pub(crate) fn pattern(segment: &OsStr) -> Option<&str> {
    let is_pattern = |text: &str| text.contains(['*', '?', '[']) || braces(text).is_some();
    segment.to_str().filter(|text| is_pattern(text))
}

/// Splits a pattern at the first braces with a comma and no further braces inside: before, inside and after them.
fn braces(text: &str) -> Option<(&str, &str, &str)> {
    let closes = text.match_indices('}');
    let mut pairs = closes.filter_map(|(close, _)| Some((text[..close].rfind('{')?, close)));
    let (open, close) = pairs.find(|(open, close)| {
        let inside = &text[open + 1..*close];
        inside.contains(',') && !inside.contains('}')
    })?;
    Some((&text[..open], &text[open + 1..close], &text[close + 1..]))
}

/// Expands the braces of a pattern.
fn alternatives(pattern: &str) -> Vec<String> {
    let (mut open, mut plain) = (vec![pattern.to_owned()], Vec::new());
    while let Some(pattern) = open.pop() {
        match braces(&pattern) {
            Some((before, inside, after)) if open.len() + plain.len() < ALTERNATIVES => {
                let inside = inside.split(',');
                open.extend(inside.map(|one| format!("{before}{one}{after}")));
            }
            _ => plain.push(pattern),
        }
    }
    plain
}

/// The leading part of a path without wildcards, and the segments from the first wildcard on;
/// `None` if there is no wildcard.
pub(crate) fn split(path: &Path) -> Option<(PathBuf, Vec<OsString>)> {
    let mut literal = PathBuf::new();
    let mut segments = Vec::new();
    for component in path.components() {
        let text = component.as_os_str();
        let wild = matches!(component, Component::Normal(_)) && pattern(text).is_some();
        if wild || !segments.is_empty() {
            segments.push(text.to_owned());
        } else {
            literal.push(component);
        }
    }
    if literal.as_os_str().is_empty() {
        literal.push(".");
    }
    (!segments.is_empty()).then_some((literal, segments))
}

/// Whether the whole of `name` matches `pattern`.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let mut patterns = alternatives(pattern).into_iter();
    patterns.any(|pattern| matches_plain(&pattern, name))
}

fn matches_plain(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // Where to resume when a mismatch shows that the last `*` must take one character more.
    let mut resume = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            resume = Some((p + 1, n + 1));
            p += 1;
        } else if let Some(width) = match_one(&pattern[p..], name[n]) {
            p += width;
            n += 1;
        } else if let Some((after_star, next)) = resume {
            (p, n) = (after_star, next);
            resume = Some((after_star, next + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// How many characters of the pattern match `c`, if its first element does.
fn match_one(pattern: &[char], c: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '[' => match class(pattern) {
            Some((inside, negated)) => {
                let width = inside.len() + 2 + usize::from(negated);
                (holds(inside, c) != negated).then_some(width)
            }
            None => (c == '[').then_some(1),
        },
        literal => (*literal == c).then_some(1),
    }
}

/// What stands between brackets, and whether it is negated. A `]` right at the start is a member.
fn class(pattern: &[char]) -> Option<(&[char], bool)> {
    let negated = matches!(pattern.get(1)?, '!' | '^');
    let start = 1 + usize::from(negated);
    let close = pattern.iter().skip(start + 1).position(|c| *c == ']')?;
    Some((&pattern[start..start + 1 + close], negated))
}

fn holds(mut class: &[char], c: char) -> bool {
    while let Some((&first, rest)) = class.split_first() {
        if let ['-', last, ..] = rest {
            if (first..=*last).contains(&c) {
                return true;
            }
            class = &rest[2..];
        } else {
            if first == c {
                return true;
            }
            class = rest;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_runs_characters_and_classes() {
        for (pattern, name) in [
            ("*", ""),
            ("*.x", "a.b.x"),
            ("a*b*c", "a-b-b-c"),
            ("p=?", "p=é"),
            ("[a-c]1", "b1"),
            ("[!a-c]1", "d1"),
            ("[]x]", "]"),
            ("a[", "a["),
            ("**", "x"),
            ("{a,b*}.x", "bc.x"),
            ("{a,{b,c}d}{,e}", "cde"),
            ("{a,{b,c}d}{,e}", "a"),
            ("{a}", "{a}"),
            ("{a,b", "{a,b"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("", "a"),
            ("?", ""),
            ("*.x", "a.xy"),
            ("[a-c]", "d"),
            ("[!a]", "a"),
            ("a*b", "a"),
            ("{a,b}", "{a,b}"),
            ("{a,b}c", "ab"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn a_path_splits_before_its_first_wildcard() {
        let split = |path: &str| split(Path::new(path));
        assert_eq!(split("a/b.x"), None);
        assert_eq!(
            split("/a/b=*/c"),
            Some(("/a".into(), vec!["b=*".into(), "c".into()]))
        );
        assert_eq!(split("*.x"), Some((".".into(), vec!["*.x".into()])));
    }

    #[test]
    fn hostile_patterns_end_soon() {
        assert!(!matches(&"*a".repeat(50), &"a".repeat(49)));
        assert!(!matches(
            &format!("{}b", "*a".repeat(30)),
            &"a".repeat(5000)
        ));
        assert!(!matches(&"{a,b}".repeat(30), "x"));
    }
}
