//! UUIDs as text and back: sixteen bytes in five groups of hexadecimal digits.
//!
//! ```text
//! 01234567-89ab-cdef-0123-456789abcdef
//! ```

/// How many digits each group has.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// The text of a UUID, in lower case.
pub(crate) fn text(value: u128) -> String {
    let digits = format!("{value:032x}");
    let mut rest = digits.as_str();
    let groups = GROUPS.map(|count| {
        let (group, after) = rest.split_at(count);
        rest = after;
        group
    });
    groups.join("-")
}

/// The UUID that `text` is, in any case; `None` if it is none.
pub(crate) fn parse(text: &str) -> Option<u128> {
    let mut groups = text.split('-');
    let mut value = 0;
    for count in GROUPS {
        let group = groups.next().filter(|group| group.len() == count)?;
        let is_hex = group.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digits = is_hex.then(|| u128::from_str_radix(group, 16).ok())??;
        value = value << (4 * count) | digits;
    }
    groups.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_value_are_each_other() {
        let shown = "01234567-89ab-cdef-0123-456789abcdef";
        let value = 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef;
        assert_eq!(text(value), shown);
        assert_eq!(parse(shown), Some(value));
        assert_eq!(parse(&shown.to_uppercase()), Some(value));
        assert_eq!(text(1), "00000000-0000-0000-0000-000000000001");
        for value in [0, 1, u128::MAX, 1 << 64] {
            assert_eq!(parse(&text(value)), Some(value));
        }
    }

    #[test]
    fn what_is_no_uuid_is_refused() {
        for text in [
            "",
            "0123456789abcdef0123456789abcdef",
            "01234567-89ab-cdef-0123-456789abcdeg",
            "01234567-89ab-cdef-0123-456789abcdef-",
            "+1234567-89ab-cdef-0123-456789abcdef",
            "{01234567-89ab-cdef-0123-456789abcdef}",
            "01234567-89ab-cdef-0123",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}
