//! Which expressions may fail on a row: in ANSI mode overflow, division by zero and failed conversions are errors
//! of the query.
//!
//! Only what a row's result depends on is evaluated. AND and OR are evaluated from the left until they are decided,
//! and a condition that may fail is never evaluated before those that were written before it:
//! `b <> 0 AND a / b > 1` does not divide by zero.

use lith_format::types::LogicalType;

use crate::expr::{ArithmeticOp, Expr, SUBSCRIPT};
use crate::normalize::widens;

/// Whether some row may make it fail. May be true of what never fails, not false of what does.
pub(crate) fn may_fail(expr: &Expr) -> bool {
    let own = match expr {
        Expr::Arithmetic { op, ty, .. } => match op {
            ArithmeticOp::Add | ArithmeticOp::Subtract | ArithmeticOp::Multiply => !is_float(ty),
            ArithmeticOp::BitAnd | ArithmeticOp::BitOr | ArithmeticOp::BitXor => false,
            _ => true,
        },
        Expr::Negate(inner) => !is_float(&inner.ty()),
        Expr::Cast { expr, ty, lenient } => !(*lenient || ty.is_text() || widens(&expr.ty(), ty)),
        // an escape at the end of a pattern and a broken regular expression are errors
        Expr::Like { pattern, .. } | Expr::RLike { pattern, .. } => {
            !matches!(**pattern, Expr::Literal(..))
        }
        Expr::Function { name, args, .. } => match name.as_str() {
            "get_json_object" | "unix_timestamp" | "size" | "cardinality" | "get"
            | "array_contains" | "map_keys" | "map_values" => false,
            SUBSCRIPT | "element_at" => {
                !matches!(args.first().map(Expr::ty), Some(LogicalType::Map(_)))
            }
            _ => true,
        },
        _ => false,
    };
    own || expr.children().into_iter().any(may_fail)
}

fn is_float(ty: &LogicalType) -> bool {
    matches!(ty, LogicalType::Float32 | LogicalType::Float64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::filter::CompareOp;

    #[test]
    fn arithmetic_and_casts_fail_comparisons_do_not() {
        let narrow = || Expr::string("1").cast(LogicalType::Int32);
        let wide = || Expr::int(1).cast(LogicalType::Int64);
        let is_one = |left| Expr::compare(left, CompareOp::Eq, Expr::int(1));
        let sum = |ty| Expr::Arithmetic {
            op: ArithmeticOp::Add,
            left: Box::new(Expr::int(1)),
            right: Box::new(Expr::int(1)),
            ty,
        };
        for fails in [
            narrow(),
            is_one(narrow()),
            Expr::boolean(true).and(is_one(narrow()).not()),
            narrow().cast(LogicalType::String),
            Expr::Negate(Box::new(Expr::int(1))),
            sum(LogicalType::Int32),
        ] {
            assert!(may_fail(&fails), "{fails:?}");
        }
        for never_fails in [
            wide(),
            is_one(wide()),
            wide().cast(LogicalType::String),
            sum(LogicalType::Float64),
            Expr::boolean(true).or(Expr::IsNull(Box::new(wide()))),
        ] {
            assert!(!may_fail(&never_fails), "{never_fails:?}");
        }
    }
}
