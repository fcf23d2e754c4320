//! What is plain text in patterns of LIKE and in regular expressions.
//!
//! ```text
//! LIKE 'ab_c%'    begins with ab     LIKE '%'   everything
//! RLIKE '^ab*'    begins with a      RLIKE 'ab' nothing is known of the beginning
//! ```

use lith_format::scalar::Scalar;

use crate::expr::Expr;

/// Whether every text matches a pattern.
pub(super) fn is_any(pattern: &str, escape: char) -> bool {
    escape != '%' && !pattern.is_empty() && pattern.chars().all(|c| c == '%')
}

/// The plain text that a pattern begins with.
pub(super) fn liked(pattern: &Expr, escape: char) -> Option<String> {
    let Expr::Literal(Scalar::String(pattern), _) = pattern else {
        return None;
    };
    let plain = |c: &char| *c != '%' && *c != '_' && *c != escape;
    Some(pattern.chars().take_while(plain).collect())
}

/// The plain text that follows the `^` at the beginning of a regular expression without alternatives.
pub(super) fn anchored(pattern: &Expr) -> Option<String> {
    let Expr::Literal(Scalar::String(pattern), _) = pattern else {
        return None;
    };
    let rest = pattern.strip_prefix('^')?;
    if rest.contains('|') {
        return None;
    }
    let mut prefix = String::new();
    let mut letters = rest.chars().peekable();
    while let Some(letter) = letters.next() {
        let plain = match letter {
            '\\' => letters.next().filter(|next| next.is_ascii_punctuation()),
            letter if ".[]{}()*+?^$".contains(letter) => None,
            letter => Some(letter),
        };
        let Some(plain) = plain else { break };
        // a quantifier may make it optional
        if letters.peek().is_some_and(|next| "*?{+".contains(*next)) {
            break;
        }
        prefix.push(plain);
    }
    (!prefix.is_empty()).then_some(prefix)
}
