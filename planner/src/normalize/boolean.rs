//! AND, OR and NOT: constants go, NOT moves inward to the comparisons, equal terms merge, and what
//! all branches have in common is pulled out.

use crate::expr::Expr;
use crate::normalize::shape::{
    ExprSet, Joint, is_boolean, is_negation, is_not_null_test, is_null_test, opposite,
    rewrite_children, same, unknown,
};
use lith_format::filter::CompareOp;

/// One step at every node, children first.
pub(super) fn simplify(expr: Expr) -> Expr {
    walk(expr, None)
}

/// `above` is what joins the chain that the expression is a part of.
fn walk(expr: Expr, above: Option<Joint>) -> Expr {
    let (joint, left, right) = match expr {
        Expr::And(left, right) => (Joint::And, left, right),
        Expr::Or(left, right) => (Joint::Or, left, right),
        Expr::Not(inner) => return simplify_not(walk(*inner, None)),
        other => return rewrite_children(other, &mut |child| walk(child, None)),
    };
    let (left, right) = (walk(*left, Some(joint)), walk(*right, Some(joint)));
    match simplify_pair(joint, &left, &right) {
        Some(simpler) => simpler,
        None if above == Some(joint) => joint.pair(left, right),
        None => distinct(joint, left, right),
    }
}

/// Something simpler, if there is.
fn simplify_pair(joint: Joint, left: &Expr, right: &Expr) -> Option<Expr> {
    // true is neutral for AND and decides OR; false the other way round
    let neutral = joint == Joint::And;
    if is_boolean(left, neutral) || is_boolean(right, !neutral) {
        return Some(right.clone());
    }
    if is_boolean(right, neutral) || is_boolean(left, !neutral) {
        return Some(left.clone());
    }
    if is_negation(left, right) {
        let kept = match left {
            Expr::Not(inner) => inner,
            left => left,
        };
        return Some(Expr::If {
            condition: Box::new(is_null_test(kept.clone())),
            then: Box::new(unknown()),
            otherwise: Box::new(Expr::boolean(!neutral)),
        });
    }
    if same(left, right) {
        return Some(left.clone());
    }
    factor(joint, left, right)
}

/// `(a AND b) OR (a AND c)` is `a AND (b OR c)`, `(a AND b) OR a` is `a`, and the same with AND and OR
/// exchanged.
fn factor(joint: Joint, left: &Expr, right: &Expr) -> Option<Expr> {
    let inner = joint.other();
    let (lhs, rhs) = (inner.terms(left), inner.terms(right));
    if lhs.len() == 1 && rhs.len() == 1 {
        return None;
    }
    let right_set: ExprSet = rhs.iter().copied().collect();
    let is_common = |e: &&Expr| right_set.contains(e);
    let common: Vec<&Expr> = lhs.iter().copied().filter(is_common).collect();
    if common.is_empty() {
        return None;
    }
    let common_set: ExprSet = common.iter().copied().collect();
    let rest = |terms: &[&Expr]| -> Vec<Expr> {
        let rest = terms.iter().filter(|e| !common_set.contains(e));
        rest.map(|e| (*e).clone()).collect()
    };
    let (left_rest, right_rest) = (rest(&lhs), rest(&rhs));
    let mut out: Vec<Expr> = common.into_iter().cloned().collect();
    if !left_rest.is_empty() && !right_rest.is_empty() {
        out.push(joint.pair(inner.chain(left_rest), inner.chain(right_rest)));
    }
    Some(inner.chain(out))
}

/// The chain without terms that occur twice.
fn distinct(joint: Joint, left: Expr, right: Expr) -> Expr {
    let mut seen = ExprSet::default();
    let all: Vec<&Expr> = [joint.terms(&left), joint.terms(&right)].concat();
    let distinct: Vec<&Expr> = all.iter().copied().filter(|e| seen.insert(e)).collect();
    if distinct.len() == all.len() {
        return joint.pair(left, right);
    }
    joint.chain(distinct.into_iter().cloned().collect())
}

fn simplify_not(inner: Expr) -> Expr {
    match inner {
        Expr::Compare { op, left, right } if op != CompareOp::Eq => Expr::Compare {
            op: opposite(op),
            left,
            right,
        },
        Expr::And(left, right) => Expr::Or(Box::new(left.not()), Box::new(right.not())),
        Expr::Or(left, right) => Expr::And(Box::new(left.not()), Box::new(right.not())),
        Expr::Not(expr) => *expr,
        Expr::IsNull(expr) => is_not_null_test(*expr),
        Expr::IsNotNull(expr) => is_null_test(*expr),
        inner if is_boolean(&inner, true) => Expr::boolean(false),
        inner if is_boolean(&inner, false) => Expr::boolean(true),
        inner => inner.not(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(name: &str, value: i32) -> Expr {
        Expr::compare(Expr::column([name]), CompareOp::Eq, Expr::int(value))
    }

    #[test]
    fn not_moves_to_the_comparisons() {
        let expr =
            Expr::compare(Expr::column(["a"]), CompareOp::Lt, Expr::int(1)).and(term("b", 2));
        assert_eq!(simplify(expr.not()).spark(), "(NOT (a < 1) OR NOT (b = 2))");
        let less = Expr::compare(Expr::column(["a"]), CompareOp::Lt, Expr::int(1));
        assert_eq!(simplify(less.not()).spark(), "(a >= 1)");
        assert_eq!(simplify(term("a", 1).not().not()).spark(), "(a = 1)");
    }

    #[test]
    fn common_factors_come_out_of_both_kinds_of_chain() {
        let (a, b, c) = (term("a", 1), term("b", 2), term("c", 3));
        let or = a.clone().and(b.clone()).or(a.clone().and(c.clone()));
        assert_eq!(simplify(or).spark(), "((a = 1) AND ((b = 2) OR (c = 3)))");
        let and = a.clone().or(b.clone()).and(a.clone().or(c));
        assert_eq!(simplify(and).spark(), "((a = 1) OR ((b = 2) AND (c = 3)))");
        let absorbed = a.clone().or(a.clone().and(b.clone()));
        assert_eq!(simplify(absorbed), a);
        let twice = a.clone().and(b.clone()).and(a.clone());
        assert_eq!(simplify(twice), a.and(b));
    }

    #[test]
    fn a_term_and_its_negation_leave_only_the_null_test() {
        let less = |op| Expr::compare(Expr::column(["a"]), op, Expr::int(5));
        let or = less(CompareOp::Gt).or(less(CompareOp::LtEq));
        assert_eq!(simplify(or).spark(), "if (isnull((a > 5))) null else true");
    }
}
