//! Paths into JSON texts, by Spark's grammar.
//!
//! ```text
//! path = '$' node*      node = '.' name | "['" name "']" | '[' digits ']' | ".*" | "['*']" | "[*]"
//! ```
//! A name after a dot ends before the next dot or `[`, one in quotes before the next quote; neither is empty. White
//! space is skipped before names, digits, `['`, `.*` and the end, nowhere else: `$. a` is `$.a`, ` $` is no path.

use crate::error::{PlanError, Result};

/// A step down.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    Name(String),
    Index(u64),
    Wildcard,
}

/// The steps of `$.a['b'][0]`; `None` if it is no path.
///
/// # Errors
/// A path with wildcards.
pub(super) fn steps(path: &str) -> Result<Option<Vec<Step>>> {
    let Some(mut rest) = path.strip_prefix('$') else {
        return Ok(None);
    };
    let mut out = Vec::new();
    while !skip_space(rest).is_empty() {
        let Some((step, after)) = wildcard(rest).or_else(|| named(rest).or_else(|| index(rest)))
        else {
            return Ok(None);
        };
        out.push(step);
        rest = after;
    }
    match out.contains(&Step::Wildcard) {
        true => Err(PlanError::unsupported(
            "wildcards in JSON paths are not supported",
        )),
        false => Ok(Some(out)),
    }
}

fn wildcard(rest: &str) -> Option<(Step, &str)> {
    let spaced = skip_space(rest);
    let after = spaced
        .strip_prefix(".*")
        .or_else(|| spaced.strip_prefix("['*']"))
        .or_else(|| rest.strip_prefix("[*]"))?;
    Some((Step::Wildcard, after))
}

fn named(rest: &str) -> Option<(Step, &str)> {
    let (name, after) = if let Some(name) = rest.strip_prefix('.') {
        let name = skip_space(name);
        name.split_at(name.find(['.', '[']).unwrap_or(name.len()))
    } else {
        skip_space(skip_space(rest).strip_prefix("['")?).split_once("']")?
    };
    let quoted = !rest.starts_with('.');
    let is_name = !(name.is_empty() || quoted && name.contains('\''));
    is_name.then(|| (Step::Name(name.to_owned()), after))
}

fn index(rest: &str) -> Option<(Step, &str)> {
    let (digits, after) = skip_space(rest.strip_prefix('[')?).split_once(']')?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = is_number.then(|| digits.parse().ok())??;
    Some((Step::Index(number.unsigned_abs()), after))
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> Option<String> {
        let steps = steps(path).unwrap()?;
        let text = steps.iter().map(|step| match step {
            Step::Name(name) => format!("<{name}>"),
            other => format!("{other:?}"),
        });
        Some(text.collect())
    }

    /// As Spark 4.3 takes them.
    #[test]
    fn spaces_are_skipped_where_spark_skips_them() {
        for (path, wanted) in [
            ("$. a", Some("<a>")),
            ("$.a ", Some("<a >")),
            ("$.\x0ba", Some("<a>")),
            ("$.\u{a0}a", Some("<\u{a0}a>")),
            ("$[' a']", Some("<a>")),
            ("$['a ']", Some("<a >")),
            ("$ ['a'] ", Some("<a>")),
            ("$.a[ 0]", Some("<a>Index(0)")),
            ("$.a[0] ", Some("<a>Index(0)")),
            ("$. *", Some("<*>")),
            ("$.$", Some("<$>")),
            ("$.a]", Some("<a]>")),
            ("$.a'b", Some("<a'b>")),
            ("$['a.b'][01]", Some("<a.b>Index(1)")),
            ("$[9223372036854775807]", Some("Index(9223372036854775807)")),
            (" $", None),
            ("$ .a", None),
            ("$[ 'a']", None),
            ("$['a' ]", None),
            ("$.a[0 ]", None),
            ("$.a [0].", None),
        ] {
            assert_eq!(names(path).as_deref(), wanted, "{path:?}");
        }
    }

    #[test]
    fn what_is_no_path_has_no_steps() {
        for path in [
            "",
            "a",
            "$a",
            "$.",
            "$..a",
            "$['']",
            "$[' ']",
            "$['a'b']",
            "$['a'",
            "$[a]",
            "$[]",
            "$[+1]",
            "$.a[-1]",
            "$[1.0]",
            "$[9223372036854775808]",
            "$[０]",
            "$.*a",
            "$[* ]",
            "$[ *]",
        ] {
            assert_eq!(steps(path).unwrap(), None, "{path:?}");
        }
        for path in ["$.a[*]", "$.*", "$ .*", "$['*'].a"] {
            assert!(steps(path).is_err(), "{path:?}");
        }
    }
}
