//! IN over literals: repeated values go, one value is `=`, many are a set.

use crate::expr::Expr;
use crate::normalize::shape::ExprSet;
use lith_format::filter::CompareOp;

/// One step at this node; more than `set_threshold` values make a set.
pub(super) fn simplify(set_threshold: usize, expr: Expr) -> Expr {
    let Expr::In { expr, list, set } = expr else {
        return expr;
    };
    if !list.iter().all(|value| matches!(value, Expr::Literal(..))) {
        return Expr::In { expr, list, set };
    }
    let mut seen = ExprSet::default();
    let distinct: Vec<Expr> = list
        .iter()
        .filter(|value| seen.insert(value))
        .cloned()
        .collect();
    match <[Expr; 1]>::try_from(distinct) {
        Ok([only]) => Expr::compare(*expr, CompareOp::Eq, only),
        Err(list) => Expr::In {
            expr,
            set: set || list.len() > set_threshold,
            list,
        },
    }
}
