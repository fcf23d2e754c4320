//! Propagates constants: `a = 1 AND a < b` is `a = 1 AND 1 < b`.
//!
//! Only top-level columns are replaced, only inside other comparisons, and only where a null would
//! make the whole false anyway: not below NOT.

use crate::expr::{Column, Expr};
use crate::normalize::shape::rewrite_children;
use lith_format::filter::CompareOp;

/// An equality: the column, its value, and the comparison that says so.
struct Fact {
    column: Column,
    value: Expr,
    source: Expr,
}

/// The condition with columns that must have one value replaced by it.
pub(super) fn propagate(condition: Expr) -> Expr {
    visit(condition, true).0
}

fn visit(expr: Expr, replace: bool) -> (Expr, Vec<Fact>) {
    match expr {
        Expr::And(left, right) => {
            let (left, mut facts) = visit(*left, false);
            let (right, more) = visit(*right, false);
            // the last equality of a column counts, as in a map
            for fact in more {
                facts.retain(|old| old.column != fact.column);
                facts.push(fact);
            }
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
            (left.or(right), Vec::new())
        }
        other => {
            let facts = fact(&other).into_iter().collect();
            (other, facts)
        }
    }
}

fn fact(expr: &Expr) -> Option<Fact> {
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
    is_top_level(column).then(|| Fact {
        column: column.clone(),
        value: value.clone(),
        source: expr.clone(),
    })
}

fn is_top_level(column: &Column) -> bool {
    column
        .bound
        .as_ref()
        .is_some_and(|bound| bound.fields.is_empty())
}

/// Replaces in every comparison that is not itself a fact.
fn replace_in_terms(expr: Expr, facts: &[Fact]) -> Expr {
    let is_comparison = matches!(expr, Expr::Compare { .. } | Expr::NullSafeEq(..));
    if is_comparison && facts.iter().any(|fact| fact.source == expr) {
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

fn replace_all(expr: Expr, facts: &[Fact]) -> Expr {
    if let Expr::Column(column) = &expr {
        let fact = facts.iter().find(|fact| fact.column == *column);
        return fact.map_or(expr.clone(), |fact| fact.value.clone());
    }
    rewrite_children(expr, &mut |child| replace_all(child, facts))
}
