//! Infers what is true wherever the condition is: columns that are not null, and constraints of equal columns.

use crate::expr::{Column, Expr, SUBSCRIPT};
use crate::normalize::compare::is_null_intolerant;
use crate::normalize::shape::{ExprSet, is_not_null_test, rewrite};
use lith_format::filter::CompareOp;

/// Conjuncts that follow from these and are not among them, in order of first mention.
pub(super) fn inferred(conjuncts: &[&Expr]) -> Vec<Expr> {
    let shared = shared_between_equals(conjuncts);
    let mut not_null = Vec::new();
    for conjunct in conjuncts.iter().copied().chain(&shared) {
        match conjunct {
            Expr::IsNotNull(inner) if !matches!(**inner, Expr::Column(_)) => {
                needs_value(inner, &mut not_null);
            }
            Expr::IsNotNull(_) => {}
            other => needs_value(other, &mut not_null),
        }
    }
    let given: ExprSet = conjuncts.iter().copied().collect();
    let candidates: Vec<Expr> = shared.into_iter().chain(not_null).collect();
    let mut seen = ExprSet::default();
    let new = candidates
        .iter()
        .filter(|e| !given.contains(e) && seen.insert(e));
    new.cloned().collect()
}

/// Adds `isnotnull(c)` for every column that makes the expression null by being null.
fn needs_value(expr: &Expr, out: &mut Vec<Expr>) {
    if let Some(source) = null_source(expr) {
        out.push(is_not_null_test(source.clone()));
    } else if is_null_intolerant(expr) {
        for child in expr.children() {
            needs_value(child, out);
        }
    }
}

/// A column; for a map's value, an element or a field of elements it is what they are taken from.
fn null_source(expr: &Expr) -> Option<&Expr> {
    match expr.checked() {
        column @ Expr::Column(_) => Some(column),
        Expr::Function { name, args, .. } if matches!(name.as_str(), SUBSCRIPT | "get") => {
            args.first().and_then(null_source)
        }
        Expr::Field { expr, .. } => null_source(expr),
        _ => None,
    }
}

/// `a = b` gives what is said of `a` for `b`, too, and the other way round.
fn shared_between_equals(conjuncts: &[&Expr]) -> Vec<Expr> {
    let mut out = Vec::new();
    for equality in conjuncts {
        let Expr::Compare {
            op: CompareOp::Eq,
            left,
            right,
        } = equality
        else {
            continue;
        };
        let (Expr::Column(a), Expr::Column(b)) = (&**left, &**right) else {
            continue;
        };
        for other in conjuncts.iter().filter(|other| *other != equality) {
            for (from, to) in [(a, b), (b, a)] {
                if other.is_deterministic() && mentions(other, from) && !other.any(is_null_test) {
                    out.push(replace(other, from, to));
                }
            }
        }
    }
    out
}

fn is_null_test(expr: &Expr) -> bool {
    matches!(expr, Expr::IsNotNull(_))
}

fn mentions(expr: &Expr, column: &Column) -> bool {
    expr.any(|e| matches!(e, Expr::Column(c) if c == column))
}

fn replace(expr: &Expr, from: &Column, to: &Column) -> Expr {
    rewrite(expr.clone(), &mut |e| match e {
        Expr::Column(column) if column == *from => Expr::Column(to.clone()),
        other => other,
    })
}
