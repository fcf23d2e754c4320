//! ANSI mode, and which expressions may fail on a row: in ANSI mode overflow, division by zero and failed
//! conversions are errors of the query; without it they give null, or numbers that wrap around.
//!
//! Only what a row's result depends on is evaluated. AND and OR are evaluated from the left until they are decided,
//! and a condition that may fail is never evaluated before those that were written before it:
//! `b <> 0 AND a / b > 1` does not divide by zero.
//!
//! What the mode matters for is marked when a condition is resolved ([`Expr::Unchecked`]), so that all that follows
//! asks the expression alone.

use lith_format::types::{LogicalType as T, Zone};

use crate::expr::{ArithmeticOp, Expr, SUBSCRIPT};

/// What becomes of what cannot be computed, and how types are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EvalMode {
    /// It is an error; text beside a number must be a number.
    #[default]
    Ansi,
    /// Null, or a number that wraps around, as Spark has it with `spark.sql.ansi.enabled=false`.
    Legacy,
}

/// Whether some row may make it fail. May be true of what never fails, not false of what does.
pub(crate) fn may_fail(expr: &Expr) -> bool {
    if let Expr::Unchecked(inner) = expr {
        return inner.children().into_iter().any(may_fail);
    }
    let own = match expr {
        Expr::Arithmetic { op, ty, .. } => may_overflow(*op, ty),
        Expr::Negate(inner) => !is_float(&inner.ty()),
        Expr::Cast { expr, ty, lenient } => !(*lenient || ty.is_text() || widens(&expr.ty(), ty)),
        // an escape at the end of a pattern and a broken regular expression are errors
        Expr::Like { pattern, .. } | Expr::RLike { pattern, .. } => {
            !matches!(**pattern, Expr::Literal(..))
        }
        Expr::Function { name, args, .. } => match name.as_str() {
            "get_json_object" | "unix_timestamp" | "size" | "cardinality" | "get"
            | "array_contains" | "map_keys" | "map_values" => false,
            SUBSCRIPT | "element_at" => !matches!(args.first().map(Expr::ty), Some(T::Map(_))),
            _ => true,
        },
        _ => false,
    };
    own || expr.children().into_iter().any(may_fail)
}

fn may_overflow(op: ArithmeticOp, ty: &T) -> bool {
    match op {
        ArithmeticOp::Add | ArithmeticOp::Subtract | ArithmeticOp::Multiply => !is_float(ty),
        ArithmeticOp::BitAnd | ArithmeticOp::BitOr | ArithmeticOp::BitXor => false,
        _ => true,
    }
}

/// Marks every part that gives something else without ANSI mode.
pub(crate) fn unchecked(expr: Expr) -> Expr {
    let Ok(marked) = expr.transform_up(&mut |expr| -> Result<Expr, std::convert::Infallible> {
        Ok(match expr {
            Expr::Unchecked(inner) if matches!(*inner, Expr::Unchecked(_)) => *inner,
            expr if depends_on_mode(&expr) => Expr::Unchecked(Box::new(expr)),
            expr => expr,
        })
    });
    marked
}

/// Whether its own value may be another without ANSI mode, for the same operands.
fn depends_on_mode(expr: &Expr) -> bool {
    match expr {
        Expr::Arithmetic { op, ty, .. } => may_overflow(*op, ty),
        Expr::Negate(inner) => is_integer(&inner.ty()),
        Expr::Cast { expr, ty, lenient } => !lenient && may_not_convert(&expr.ty(), ty),
        Expr::Function { name, args, .. } => match (name.as_str(), args.first().map(Expr::ty)) {
            // a null has the size -1
            ("size" | "cardinality", _) | ("make_date" | "pmod", _) => true,
            ("abs" | "round", Some(ty)) => is_integer(&ty),
            ("floor" | "ceil" | "ceiling", Some(ty)) => is_float(&ty),
            ("to_date" | "to_timestamp", Some(ty)) => ty == T::String,
            (SUBSCRIPT | "element_at", Some(ty)) => matches!(ty, T::List(_)),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a cast may fail, or cut a number, for some value.
fn may_not_convert(from: &T, to: &T) -> bool {
    let is_instant = |ty: &T| matches!(ty, T::Date | T::Timestamp { .. });
    let never = to.is_text()
        || widens(from, to)
        || (is_instant(from) && is_instant(to))
        || (*from != T::String && *from != T::Date && (is_float(to) || *to == T::Boolean))
        || (matches!(from, T::Timestamp { .. }) && *to == T::Int64);
    !never
}

fn is_integer(ty: &T) -> bool {
    matches!(ty, T::Int8 | T::Int16 | T::Int32 | T::Int64)
}

fn is_float(ty: &T) -> bool {
    matches!(ty, T::Float32 | T::Float64)
}

/// Whether every value of `from` is a value of `to` of its own.
pub(crate) fn widens(from: &T, to: &T) -> bool {
    const LADDER: [T; 6] = [
        T::Int8,
        T::Int16,
        T::Int32,
        T::Int64,
        T::Float32,
        T::Float64,
    ];
    let step = |ty: &T| LADDER.iter().position(|t| t == ty);
    match (from, to) {
        (T::Int32, T::Float32) | (T::Int64, T::Float32 | T::Float64) => false,
        (T::Boolean, to) => step(to).is_some() || matches!(to, T::Decimal { .. }),
        (
            T::Decimal {
                precision: p,
                scale: s,
            },
            T::Decimal { precision, scale },
        ) => {
            scale >= s && i16::from(*precision) - i16::from(*scale) >= i16::from(*p) - i16::from(*s)
        }
        (from, T::Decimal { precision, scale }) => integer_digits(from)
            .is_some_and(|digits| i16::from(*precision) - i16::from(*scale) >= digits),
        (T::Date, T::Timestamp { .. }) | (T::Uuid, T::Binary) => true,
        (T::Timestamp { unit: u, zone: a }, T::Timestamp { unit: v, zone: b }) => {
            u <= v && (a == b || *a == Zone::Local)
        }
        (from, to) => match (step(from), step(to)) {
            (Some(from), Some(to)) => from < to,
            _ => false,
        },
    }
}

fn integer_digits(ty: &T) -> Option<i16> {
    match ty {
        T::Int8 => Some(3),
        T::Int16 => Some(5),
        T::Int32 => Some(10),
        T::Int64 => Some(20),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::filter::CompareOp;
    use lith_format::types::LogicalType;

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
