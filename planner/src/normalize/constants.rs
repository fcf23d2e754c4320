//! Propagates constants: `a = 1 AND a < b` is `a = 1 AND 1 < b`.
//!
//! Only top-level columns are replaced, only inside other comparisons, and only where a null would
//! make the whole false anyway: not below NOT.

use std::collections::HashMap;

use crate::expr::{Column, Expr};
use crate::normalize::shape::rewrite_children;
use lith_format::filter::CompareOp;

/// What a column is equal to, and the comparison that says so.
struct Fact {
    value: Expr,
    source: Expr,
}

/// By the numbers of columns.
type Facts = HashMap<usize, Fact>;

/// The condition with columns that must have one value replaced by it.
pub(super) fn propagate(condition: Expr) -> Expr {
    visit(condition, true).0
}

fn visit(expr: Expr, replace: bool) -> (Expr, Facts) {
    match expr {
        Expr::And(left, right) => {
            let (left, mut facts) = visit(*left, false);
            let (right, more) = visit(*right, false);
            // the last equality of a column counts, as in a map
            facts.extend(more);
            let both = left.and(right);
            if replace && !facts.is_empty() {
                (replace_in_terms(both, &facts), facts)
            } else {
                (both, facts)
            }
        }
        Expr::Or(left, right) => {
            let (left, _) = visit(*left, true);
            let (right, _) = visit(*right, true);
            (left.or(right), Facts::new())
        }
        other => {
            let facts = fact(&other).into_iter().collect();
            (other, facts)
        }
    }
}

fn fact(expr: &Expr) -> Option<(usize, Fact)> {
    let (left, right) = match expr {
        Expr::Compare {
            op: CompareOp::Eq,
            left,
            right,
        }
        | Expr::NullSafeEq(left, right) => (&**left, &**right),
        _ => return None,
    };
    let (column, value) = match (left, right) {
        (Expr::Column(column), value @ Expr::Literal(..))
        | (value @ Expr::Literal(..), Expr::Column(column)) => (column, value),
        _ => return None,
    };
    let fact = Fact {
        value: value.clone(),
        source: expr.clone(),
    };
    Some((top_level(column)?, fact))
}

fn top_level(column: &Column) -> Option<usize> {
    let bound = column.bound.as_ref()?;
    bound.fields.is_empty().then_some(bound.index)
}

/// Replaces in every comparison that is not itself a fact.
fn replace_in_terms(expr: Expr, facts: &Facts) -> Expr {
    let is_comparison = matches!(expr, Expr::Compare { .. } | Expr::NullSafeEq(..));
    let of_column = fact(&expr).and_then(|(column, _)| facts.get(&column));
    if of_column.is_some_and(|fact| fact.source == expr) {
        return expr;
    }
    rewrite_children(expr, &mut |child| {
        if is_comparison {
            replace_all(child, facts)
        } else {
            replace_in_terms(child, facts)
        }
    })
}

fn replace_all(expr: Expr, facts: &Facts) -> Expr {
    if let Expr::Column(column) = &expr {
        let fact = top_level(column).and_then(|column| facts.get(&column));
        return fact.map_or(expr.clone(), |fact| fact.value.clone());
    }
    rewrite_children(expr, &mut |child| replace_all(child, facts))
}
