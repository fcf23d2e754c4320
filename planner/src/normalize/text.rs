//! Rewrites LIKE with a literal pattern: as equality, or as a test for a prefix, suffix or substring.

use crate::expr::{Expr, Place};
use crate::normalize::shape::unknown;
use lith_format::filter::{Affix, CompareOp};
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;

/// One step at this node. `%` alone, `_`, more than one `%` inside and escapes stay LIKE.
pub(super) fn simplify(expr: Expr) -> Expr {
    let Expr::Like {
        expr: text,
        pattern,
        escape,
        ignore_case: false,
    } = &expr
    else {
        return lower_both(expr);
    };
    let pattern = match &**pattern {
        Expr::Literal(Scalar::Null, _) => return unknown(),
        Expr::Literal(Scalar::String(pattern), _) => pattern,
        _ => return expr,
    };
    if pattern.contains(['_', *escape]) {
        return expr;
    }
    let parts: Vec<&str> = pattern.split('%').collect();
    match parts.as_slice() {
        [all] => Expr::compare((**text).clone(), CompareOp::Eq, Expr::string(all)),
        [prefix, ""] if !prefix.is_empty() => affix(text, Affix::Prefix, prefix),
        ["", suffix] if !suffix.is_empty() => affix(text, Affix::Suffix, suffix),
        ["", part, ""] if !part.is_empty() => affix(text, Affix::Infix, part),
        [prefix, suffix] if !prefix.is_empty() && !suffix.is_empty() => {
            // so that `aba` is not taken for `ab%ba`
            let length = prefix.encode_utf16().count() + suffix.encode_utf16().count();
            let length = i32::try_from(length).unwrap_or(i32::MAX);
            let long_enough = Expr::compare(
                call("length", (**text).clone(), LogicalType::Int32),
                CompareOp::GtEq,
                Expr::int(length),
            );
            long_enough.and(affix(text, Affix::Prefix, prefix).and(affix(
                text,
                Affix::Suffix,
                suffix,
            )))
        }
        _ => expr,
    }
}

/// ILIKE is LIKE of both in lower case.
fn lower_both(expr: Expr) -> Expr {
    match expr {
        Expr::Like {
            expr,
            pattern,
            escape,
            ignore_case: true,
        } => Expr::Like {
            expr: Box::new(call("lower", *expr, LogicalType::String)),
            pattern: Box::new(call("lower", *pattern, LogicalType::String)),
            escape,
            ignore_case: false,
        },
        other => other,
    }
}

fn call(name: &str, arg: Expr, ty: LogicalType) -> Expr {
    Expr::Function {
        name: name.into(),
        args: vec![arg],
        ty,
        place: Place::default(),
    }
}

fn affix(text: &Expr, affix: Affix, part: &str) -> Expr {
    Expr::Affix {
        affix,
        expr: Box::new(text.clone()),
        part: Box::new(Expr::string(part)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_become_what_bounds_can_judge() {
        for (pattern, expected) in [
            ("a%", "StartsWith(s, a)"),
            ("%a", "EndsWith(s, a)"),
            ("%a%", "Contains(s, a)"),
            (
                "a%b",
                "((length(s) >= 2) AND (StartsWith(s, a) AND EndsWith(s, b)))",
            ),
            ("abc", "(s = abc)"),
            ("", "(s = )"),
            ("%", "s LIKE %"),
            ("%%", "s LIKE %%"),
            ("_a%", "s LIKE _a%"),
            ("%a%b%", "s LIKE %a%b%"),
            ("a\\_b", "s LIKE a\\_b"),
        ] {
            let like = Expr::Like {
                expr: Box::new(Expr::column(["s"])),
                pattern: Box::new(Expr::string(pattern)),
                escape: '\\',
                ignore_case: false,
            };
            assert_eq!(simplify(like).spark(), expected);
        }
    }
}
