//! Orders conjuncts for evaluation on rows: those that drop many rows at little cost come first. A conjunct that
//! may fail stays after all that were written before it, which may guard it.

use lith_format::filter::CompareOp;

use crate::ansi::may_fail;
use crate::expr::Expr;

/// The conjuncts, cheapest for what they drop first; equals keep their order.
pub(crate) fn by_cost(conjuncts: Vec<&Expr>) -> Vec<&Expr> {
    let mut ordered: Vec<(f64, &Expr)> = Vec::with_capacity(conjuncts.len());
    for expr in conjuncts {
        let rank = cost(expr) / (1.0 - selectivity(expr));
        let place = match may_fail(expr) {
            true => ordered.len(),
            false => ordered
                .iter()
                .rposition(|(other, _)| *other <= rank)
                .map_or(0, |before| before + 1),
        };
        ordered.insert(place, (rank, expr));
    }
    ordered.into_iter().map(|(_, expr)| expr).collect()
}

/// Work for a row, in comparisons of two numbers.
fn cost(expr: &Expr) -> f64 {
    let own = match expr {
        Expr::Column(_) | Expr::Literal(..) | Expr::And(..) | Expr::Or(..) | Expr::Not(_) => 0.0,
        Expr::Unchecked(_) => 0.0,
        Expr::Field { .. } => 0.1,
        Expr::IsNull(_) | Expr::IsNotNull(_) => 0.1,
        Expr::Compare { .. } | Expr::NullSafeEq(..) | Expr::Arithmetic { .. } | Expr::Negate(_) => {
            1.0
        }
        Expr::In { list, .. } => 1.0 + (list.len() as f64).log2(),
        Expr::Affix { .. } => 3.0,
        Expr::Cast { ty, .. } if ty.is_text() => 20.0,
        Expr::Cast { .. } => 2.0,
        Expr::If { .. } | Expr::Case { .. } => 2.0,
        Expr::Like { .. } => 10.0,
        Expr::RLike { .. } => 50.0,
        Expr::Function { .. } => 15.0,
    };
    own + expr.children().into_iter().map(cost).sum::<f64>()
}

/// A guess at the share of rows that pass, never quite all.
fn selectivity(expr: &Expr) -> f64 {
    let guess = match expr {
        Expr::And(left, right) => selectivity(left) * selectivity(right),
        Expr::Or(left, right) => selectivity(left) + selectivity(right),
        Expr::Not(inner) => 1.0 - selectivity(inner),
        Expr::Compare {
            op: CompareOp::Eq, ..
        }
        | Expr::NullSafeEq(..)
        | Expr::IsNull(_) => 0.05,
        Expr::Compare {
            op: CompareOp::NotEq,
            ..
        }
        | Expr::IsNotNull(_) => 0.95,
        Expr::In { list, .. } => 0.05 * list.len() as f64,
        Expr::Affix { .. } | Expr::Like { .. } | Expr::RLike { .. } => 0.1,
        _ => 0.3,
    };
    guess.clamp(0.001, 0.98)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::types::LogicalType;

    #[test]
    fn a_comparison_comes_before_a_pattern_and_a_null_test_last() {
        let like = Expr::RLike {
            expr: Box::new(Expr::column(["s"])),
            pattern: Box::new(Expr::string("^a")),
        };
        let equal = Expr::compare(Expr::column(["a"]), CompareOp::Eq, Expr::int(1));
        let range = Expr::compare(Expr::column(["a"]), CompareOp::Lt, Expr::int(1));
        assert_eq!(
            by_cost(vec![&like, &range, &equal]),
            [&equal, &range, &like]
        );
    }

    #[test]
    fn what_may_fail_waits_for_its_guards() {
        let column = |name| Expr::column([name]);
        let one = || Expr::int(1).cast(LogicalType::Int64);
        let negated = |name| Expr::Negate(Box::new(column(name)));
        let guard = Expr::compare(column("a"), CompareOp::NotEq, one());
        let fails = Expr::compare(negated("a"), CompareOp::Eq, one());
        let cheap = Expr::compare(column("b"), CompareOp::Eq, one());
        assert_eq!(by_cost(vec![&guard, &fails]), [&guard, &fails]);
        assert_eq!(by_cost(vec![&fails, &guard]), [&fails, &guard]);
        let ordered = by_cost(vec![&guard, &fails, &cheap]);
        assert_eq!(ordered, [&cheap, &guard, &fails]);
    }
}
