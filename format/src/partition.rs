//! Hive partition paths: how names and values of partition columns are spelled as directories.
//!
//! ```text
//! store_id=S01/day=2024%2D01/..      one segment a column, `name=value`, both escaped
//! p=__HIVE_DEFAULT_PARTITION__       null
//! ```
//! Escaped are control characters, DEL and ``"#%'*/:=?\{[]^`` as `%XX`, as Spark and Hive do, wherever
//! they stand; in addition the dots of a text that is `.` or `..`, which are no names, and the first
//! character of a text that would be taken for null. A path is split on `/` first and each segment decoded
//! once. The empty text has no spelling of its own: it is written as null, as Spark does.

/// The directory value that stands for null.
pub const DEFAULT_PARTITION: &str = "__HIVE_DEFAULT_PARTITION__";

/// One decoded segment of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Segment {
    /// The column's name.
    pub name: String,
    /// The value's text; `None` is null.
    pub value: Option<String>,
}

impl Segment {
    /// Parses one directory name; `None` if it is no `name=value`.
    pub fn parse(directory: &str) -> Option<Segment> {
        let (name, value) = directory.split_once('=')?;
        if name.is_empty() {
            return None;
        }
        Some(Segment {
            name: unescape(name),
            value: (value != DEFAULT_PARTITION).then(|| unescape(value)),
        })
    }
}

/// The directory name of a segment.
impl std::fmt::Display for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.value.as_deref().filter(|value| !value.is_empty());
        let value = value.map_or(DEFAULT_PARTITION.to_owned(), escape);
        write!(f, "{}={value}", escape(&self.name))
    }
}

/// Escapes text so that it can stand as a path segment.
pub fn escape(text: &str) -> String {
    // how many characters are escaped whatever they are
    let forced = match text {
        "." | ".." => 2,
        DEFAULT_PARTITION => 1,
        _ => 0,
    };
    let mut out = String::with_capacity(text.len());
    for (index, character) in text.chars().enumerate() {
        if needs_escape(character) || index < forced {
            out.push_str(&format!("%{:02X}", u32::from(character)));
        } else {
            out.push(character);
        }
    }
    out
}

fn needs_escape(character: char) -> bool {
    character < ' '
        || matches!(
            character,
            '"' | '#'
                | '%'
                | '\''
                | '*'
                | '/'
                | ':'
                | '='
                | '?'
                | '\\'
                | '{'
                | '['
                | ']'
                | '^'
                | '\u{7f}'
        )
}

/// Replaces each `%XX` by its byte; what is no escape stays. Where the bytes make no UTF-8, each is
/// taken as the character of its number, as Spark does.
pub fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut characters = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let len = match escaped_byte(rest) {
            Some(byte) => {
                bytes.push(byte);
                characters.push(char::from(byte));
                3
            }
            None => {
                bytes.extend_from_slice(&rest.as_bytes()[..character.len_utf8()]);
                characters.push(character);
                character.len_utf8()
            }
        };
        rest = &rest[len..];
    }
    String::from_utf8(bytes).unwrap_or(characters)
}

/// The byte of the `%XX` that `text` starts with.
fn escaped_byte(text: &str) -> Option<u8> {
    let digits = text.strip_prefix('%')?.get(..2)?;
    let all_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    all_hex
        .then(|| u8::from_str_radix(digits, 16).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_spark_escapes_and_the_first_character_too() {
        let special = "\"#%'*/:=?\\{[]^\u{7f}\n";
        let escaped = "%22%23%25%27%2A%2F%3A%3D%3F%5C%7B%5B%5D%5E%7F%0A";
        assert_eq!(escape(special), escaped);
        assert_eq!(unescape(escaped), special);
        assert_eq!(escape("plain }~|,;@!$&()+ é"), "plain }~|,;@!$&()+ é");
        for (text, escaped) in [
            ("/etc", "%2Fetc"),
            ("%a", "%25a"),
            ("=a", "%3Da"),
            (".", "%2E"),
            ("..", "%2E%2E"),
        ] {
            assert_eq!(escape(text), escaped);
            assert_eq!(unescape(escaped), text);
        }
        assert_eq!(escape("../x"), "..%2Fx");
    }

    #[test]
    fn decodes_once_and_leaves_what_is_no_escape() {
        assert_eq!(unescape("%253D"), "%3D");
        assert_eq!(unescape("100%"), "100%");
        assert_eq!(unescape("%zz%4"), "%zz%4");
        assert_eq!(unescape("%+1%é9"), "%+1%é9");
        assert_eq!(unescape("%C3%A9"), "é");
        assert_eq!(unescape("%E9é"), "éé");
    }

    #[test]
    fn segments_spell_null_and_keep_raw_text() {
        let parse = |text| Segment::parse(text).unwrap();
        assert_eq!(parse("p=__HIVE_DEFAULT_PARTITION__").value, None);
        assert_eq!(parse("p=NULL").value.as_deref(), Some("NULL"));
        assert_eq!(parse("p=01").value.as_deref(), Some("01"));
        assert_eq!(parse("p=a=b").value.as_deref(), Some("a=b"));
        assert_eq!(parse("a%2Fb=").value.as_deref(), Some(""));
        assert_eq!(parse("a%2Fb=").name, "a/b");
        assert_eq!(Segment::parse("=x"), None);
        assert_eq!(Segment::parse("plain"), None);
        let not_null = Segment {
            name: "p".into(),
            value: Some(DEFAULT_PARTITION.into()),
        };
        assert_eq!(not_null.to_string(), "p=%5F_HIVE_DEFAULT_PARTITION__");
        assert_eq!(parse("p=%5F_HIVE_DEFAULT_PARTITION__"), not_null);
        let empty = Segment {
            name: "p".into(),
            value: Some(String::new()),
        };
        assert_eq!(empty.to_string(), "p=__HIVE_DEFAULT_PARTITION__");
    }

    quickcheck::quickcheck! {
        fn segments_round_trip_and_stay_one_segment(name: String, value: String) -> bool {
            let segment = Segment { name: format!("n{name}"), value: Some(format!("{value}v")) };
            let directory = segment.to_string();
            !directory.contains('/') && Segment::parse(&directory) == Some(segment)
        }
    }
}
