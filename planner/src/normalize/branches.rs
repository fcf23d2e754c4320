//! IF and CASE: branches that are never taken go, comparisons with constants move into the branches,
//! and what is UNKNOWN counts as false where only true matters.

use crate::expr::Expr;
use crate::normalize::shape::{
    is_boolean, is_constant, is_null, nullable, same, unknown, with_child,
};
use lith_format::types::LogicalType;

/// One step at this node: IF and CASE whose outcome or shape is known.
pub(super) fn simplify(expr: Expr) -> Expr {
    match expr {
        Expr::If {
            condition,
            then,
            otherwise,
        } => simplify_if(*condition, *then, *otherwise),
        Expr::Case {
            branches,
            otherwise,
        } => simplify_case(branches, otherwise.map(|expr| *expr)),
        other => other,
    }
}

fn simplify_if(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    if is_boolean(&condition, true) {
        return then;
    }
    if is_boolean(&condition, false) || is_null(&condition) {
        return otherwise;
    }
    if condition.is_deterministic() && same(&then, &otherwise) {
        return then;
    }
    if !nullable(&condition) {
        if is_null(&then) && is_boolean(&otherwise, false) {
            return condition.and(unknown());
        }
        if is_null(&then) && is_boolean(&otherwise, true) {
            return condition.not().or(unknown());
        }
        if is_boolean(&then, false) && is_null(&otherwise) {
            return condition.not().and(unknown());
        }
        if is_boolean(&then, true) && is_null(&otherwise) {
            return condition.or(unknown());
        }
    }
    if is_boolean(&then, true) && is_boolean(&otherwise, false) {
        return truth(condition);
    }
    if is_boolean(&then, false) && is_boolean(&otherwise, true) {
        return truth(condition).not();
    }
    Expr::If {
        condition: Box::new(condition),
        then: Box::new(then),
        otherwise: Box::new(otherwise),
    }
}

/// The condition with UNKNOWN counted as false.
fn truth(condition: Expr) -> Expr {
    if nullable(&condition) {
        Expr::NullSafeEq(Box::new(condition), Box::new(Expr::boolean(true)))
    } else {
        condition
    }
}

fn simplify_case(branches: Vec<(Expr, Expr)>, mut otherwise: Option<Expr>) -> Expr {
    let ty = branches.first().map_or(LogicalType::Null, |(_, v)| v.ty());
    let mut kept = Vec::with_capacity(branches.len());
    for (condition, value) in branches {
        if is_boolean(&condition, true) {
            otherwise = Some(value);
            break;
        }
        if !is_boolean(&condition, false) && !is_null(&condition) {
            kept.push((condition, value));
        }
    }
    if kept.is_empty() {
        return otherwise.unwrap_or_else(|| Expr::null(ty));
    }
    if let [(condition, value)] = kept.as_slice()
        && let Some(last) = &otherwise
    {
        if is_boolean(value, true) && is_boolean(last, false) {
            return truth(condition.clone());
        }
        if is_boolean(value, false) && is_boolean(last, true) {
            return truth(condition.clone()).not();
        }
    }
    let pure = kept
        .iter()
        .all(|(condition, _)| condition.is_deterministic());
    match otherwise {
        Some(last) if pure && kept.iter().all(|(_, value)| same(value, &last)) => last,
        otherwise => Expr::Case {
            branches: kept,
            otherwise: otherwise.map(Box::new),
        },
    }
}

/// One step at this node: `f(if(c, x, y), constant)` is `if(c, f(x, constant), f(y, constant))` if at
/// most one of the branches is not constant.
pub(super) fn push_into(expr: Expr) -> Expr {
    match choice_to_enter(&expr) {
        Some(at) => in_branches(expr, at),
        None => expr,
    }
}

/// Which child of `expr` is an IF or CASE into whose branches `expr` may move.
fn choice_to_enter(expr: &Expr) -> Option<usize> {
    let may_move = matches!(
        expr,
        Expr::Compare { .. }
            | Expr::NullSafeEq(..)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::Cast { .. }
            | Expr::Arithmetic { .. }
            | Expr::Like { .. }
            | Expr::Affix { .. }
            | Expr::RLike { .. }
            | Expr::Negate(_)
    );
    if !may_move {
        return None;
    }
    let children = expr.children();
    let at = children.iter().position(|child| is_choice(child))?;
    let mut others = children.iter().enumerate().filter(|(i, _)| *i != at);
    let folds = others.all(|(_, e)| is_constant(e)) && unfoldable_branches(children[at]) <= 1;
    folds.then_some(at)
}

/// Child number `at` of `expr`, an IF or CASE, with `expr` around each of its branches instead.
fn in_branches(mut expr: Expr, at: usize) -> Expr {
    // taken out, because what is around the branches is copied for each of them
    let mut choice = Expr::null(LogicalType::Null);
    expr = with_child(expr, at, &mut choice);
    let null_counts = matches!(expr, Expr::IsNull(_) | Expr::IsNotNull(_));
    let ty = choice.ty();
    let apply = |mut branch: Expr| with_child(expr.clone(), at, &mut branch);
    match choice {
        Expr::If {
            condition,
            then,
            otherwise,
        } => Expr::If {
            condition,
            then: Box::new(apply(*then)),
            otherwise: Box::new(apply(*otherwise)),
        },
        Expr::Case {
            branches,
            otherwise,
        } => {
            let branches = branches.into_iter().map(|(c, v)| (c, apply(v)));
            let branches = branches.collect();
            // without ELSE the outcome is NULL, and only a test for NULL makes something of that
            let otherwise = match otherwise {
                Some(last) => Some(apply(*last)),
                None => null_counts.then(|| apply(Expr::null(ty))),
            };
            Expr::Case {
                branches,
                otherwise: otherwise.map(Box::new),
            }
        }
        other => apply(other),
    }
}

fn is_choice(expr: &Expr) -> bool {
    matches!(expr, Expr::If { .. } | Expr::Case { .. })
}

fn unfoldable_branches(choice: &Expr) -> usize {
    let values: Vec<&Expr> = match choice {
        Expr::If {
            then, otherwise, ..
        } => vec![then, otherwise],
        Expr::Case {
            branches,
            otherwise,
        } => branches
            .iter()
            .map(|(_, value)| value)
            .chain(otherwise.as_deref())
            .collect(),
        _ => Vec::new(),
    };
    values
        .into_iter()
        .filter(|value| !is_constant(value))
        .count()
}

/// UNKNOWN as false, wherever the condition only matters if it is true.
pub(super) fn unknown_is_false(expr: Expr) -> Expr {
    match expr {
        expr if is_null(&expr) => Expr::boolean(false),
        Expr::And(left, right) => unknown_is_false(*left).and(unknown_is_false(*right)),
        Expr::Or(left, right) => unknown_is_false(*left).or(unknown_is_false(*right)),
        Expr::If {
            condition,
            then,
            otherwise,
        } => Expr::If {
            condition: Box::new(unknown_is_false(*condition)),
            then: Box::new(unknown_is_false(*then)),
            otherwise: Box::new(unknown_is_false(*otherwise)),
        },
        Expr::Case {
            branches,
            otherwise,
        } => Expr::Case {
            branches: branches
                .into_iter()
                .map(|(c, v)| (unknown_is_false(c), unknown_is_false(v)))
                .collect(),
            otherwise: Some(Box::new(match otherwise {
                Some(last) => unknown_is_false(*last),
                None => Expr::boolean(false),
            })),
        },
        // x NOT IN (.., NULL) is never true
        Expr::Not(inner) if matches!(&*inner, Expr::In { list, .. } if list.iter().any(is_null)) => {
            Expr::boolean(false)
        }
        other => other,
    }
}
