//! Comparisons and null tests: nulls decide them, equal sides decide them, boolean constants leave the
//! other side, and sums of constants come together.

use crate::expr::{ArithmeticOp, Expr, Place};
use crate::normalize::shape::{
    ExprSet, is_boolean, is_not_null_test, is_null, is_null_test, nullable, same, unknown,
};
use lith_format::filter::CompareOp;
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;

/// One step at this node: `a <> b` is `NOT (a = b)`, the only form that the other rules know.
pub(super) fn spell_out_not_equal(expr: Expr) -> Expr {
    match expr {
        Expr::Compare {
            op: CompareOp::NotEq,
            left,
            right,
        } => Expr::compare(*left, CompareOp::Eq, *right).not(),
        other => other,
    }
}

/// One step at this node: a null operand makes most expressions null.
pub(super) fn propagate_nulls(expr: Expr) -> Expr {
    match expr {
        Expr::IsNull(inner) if !nullable(&inner) => Expr::boolean(false),
        Expr::IsNotNull(inner) if !nullable(&inner) => Expr::boolean(true),
        Expr::IsNull(inner) if is_null(&inner) => Expr::boolean(true),
        Expr::IsNotNull(inner) if is_null(&inner) => Expr::boolean(false),
        Expr::NullSafeEq(left, right) if is_null(&left) => is_null_test(*right),
        Expr::NullSafeEq(left, right) if is_null(&right) => is_null_test(*left),
        Expr::In { expr, list, .. } if is_null(&expr) || list.iter().all(is_null) => unknown(),
        Expr::Function { name, args, ty, .. } if name == "coalesce" => coalesce(args, ty),
        expr if is_null_intolerant(&expr) && expr.children().into_iter().any(is_null) => {
            Expr::null(expr.ty())
        }
        other => other,
    }
}

/// Arguments that are null go, and so does everything behind one that cannot be null.
fn coalesce(args: Vec<Expr>, ty: LogicalType) -> Expr {
    let mut kept: Vec<Expr> = args.into_iter().filter(|arg| !is_null(arg)).collect();
    if let Some(at) = kept.iter().position(|arg| !nullable(arg)) {
        kept.truncate(at + 1);
    }
    match kept.len() {
        0 => Expr::null(ty),
        1 => kept.remove(0),
        _ => Expr::Function {
            name: "coalesce".into(),
            args: kept,
            ty,
            place: Place::default(),
        },
    }
}

/// Functions whose result may be another than null although an argument is null, or whose nulls Spark
/// does not reason about.
const NULL_TOLERANT: &[&str] = &[
    "array",
    "array_size",
    "cardinality",
    "coalesce",
    "concat",
    "concat_ws",
    "date_trunc",
    "exists",
    "forall",
    "format_string",
    "get_json_object",
    "greatest",
    "hash",
    "if",
    "isnan",
    "least",
    "ltrim",
    "named_struct",
    "nanvl",
    "nullif",
    "nvl",
    "nvl2",
    "ifnull",
    "map",
    "rtrim",
    "round",
    "size",
    "struct",
    "to_unix_timestamp",
    "trim",
    "trunc",
    "typeof",
    "unix_timestamp",
    "xxhash64",
    "collate",
    "filter",
    "transform",
    "raise_error",
    "assert_true",
    "bround",
    "btrim",
    "murmur3",
];

/// Whether a null operand makes it null, so far as Spark reasons about it.
pub(super) fn is_null_intolerant(expr: &Expr) -> bool {
    match expr {
        Expr::Compare { .. }
        | Expr::Not(_)
        | Expr::Like { .. }
        | Expr::Affix { .. }
        | Expr::RLike { .. }
        | Expr::Arithmetic { .. }
        | Expr::Negate(_)
        | Expr::Cast { .. } => true,
        Expr::Unchecked(inner) => is_null_intolerant(inner),
        Expr::Function { name, .. } => {
            !NULL_TOLERANT.contains(&name.as_str()) && expr.is_deterministic()
        }
        _ => false,
    }
}

/// One step at this node: the null test of an order comparison or a NOT is that of its operands.
pub(super) fn push_null_tests(expr: Expr) -> Expr {
    let total = |inner: &Expr| {
        matches!(inner, Expr::Not(_))
            || matches!(inner, Expr::Compare { op, .. } if *op != CompareOp::Eq)
    };
    match expr {
        Expr::IsNull(inner) if total(&inner) => {
            let tests = inner.children().into_iter().cloned().map(is_null_test);
            Expr::any_of(tests.collect())
        }
        Expr::IsNotNull(inner) if total(&inner) => {
            let tests = inner.children().into_iter().cloned().map(is_not_null_test);
            Expr::all(tests.collect())
        }
        other => other,
    }
}

/// Comparisons of equal sides and with boolean constants, knowing what the condition itself says is
/// not null.
pub(super) fn simplify_with(not_null: &ExprSet, expr: Expr) -> Expr {
    let known = |e: &Expr| !nullable(e) || not_null.contains(e);
    match expr {
        Expr::NullSafeEq(left, right) if same(&left, &right) => Expr::boolean(true),
        Expr::NullSafeEq(left, right) if is_boolean(&right, true) && !nullable(&left) => *left,
        Expr::NullSafeEq(left, right) if is_boolean(&left, true) && !nullable(&right) => *right,
        Expr::NullSafeEq(left, right) if is_boolean(&right, false) && !nullable(&left) => {
            left.not()
        }
        Expr::NullSafeEq(left, right) if is_boolean(&left, false) && !nullable(&right) => {
            right.not()
        }
        Expr::Compare { op, left, right } if same(&left, &right) && known(&left) => Expr::boolean(
            matches!(op, CompareOp::Eq | CompareOp::LtEq | CompareOp::GtEq),
        ),
        Expr::Compare {
            op: CompareOp::Eq,
            left,
            right,
        } => match (&*left, &*right) {
            (_, r) if is_boolean(r, true) => *left,
            (l, _) if is_boolean(l, true) => *right,
            (_, r) if is_boolean(r, false) => left.not(),
            (l, _) if is_boolean(l, false) => right.not(),
            _ => Expr::compare(*left, CompareOp::Eq, *right),
        },
        other => other,
    }
}

/// One step at this node: integer constants in a chain of `+` or of `*` gather on the right, and adding
/// nothing goes.
pub(super) fn gather_constants(expr: Expr) -> Expr {
    let Expr::Arithmetic {
        op: op @ (ArithmeticOp::Add | ArithmeticOp::Multiply),
        ty: ty @ (LogicalType::Int8 | LogicalType::Int16 | LogicalType::Int32 | LogicalType::Int64),
        ..
    } = &expr
    else {
        return expr;
    };
    let mut terms = Vec::new();
    flatten(&expr, *op, ty, &mut terms);
    let (constants, others): (Vec<&Expr>, Vec<&Expr>) =
        terms.into_iter().partition(|e| integer(e).is_some());
    let total = constants.iter().filter_map(|e| integer(e)).try_fold(
        if *op == ArithmeticOp::Add { 0i64 } else { 1 },
        |sum, value| match op {
            ArithmeticOp::Add => sum.checked_add(value),
            _ => sum.checked_mul(value),
        },
    );
    let (Some(total), false, false) = (total, constants.is_empty(), others.is_empty()) else {
        return expr;
    };
    if !fits(total, ty) {
        return expr;
    }
    let neutral = total == if *op == ArithmeticOp::Add { 0 } else { 1 };
    let constant = (!neutral).then(|| Expr::Literal(Scalar::Int(total), ty.clone()));
    let joined = others
        .into_iter()
        .cloned()
        .chain(constant)
        .reduce(|left, right| Expr::Arithmetic {
            op: *op,
            left: Box::new(left),
            right: Box::new(right),
            ty: ty.clone(),
        });
    joined.unwrap_or(expr)
}

fn flatten<'a>(expr: &'a Expr, op: ArithmeticOp, ty: &LogicalType, out: &mut Vec<&'a Expr>) {
    match expr {
        Expr::Arithmetic {
            op: o,
            left,
            right,
            ty: t,
        } if *o == op && t == ty => {
            flatten(left, op, ty, out);
            flatten(right, op, ty, out);
        }
        other => out.push(other),
    }
}

fn integer(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Literal(Scalar::Int(value), _) => Some(*value),
        _ => None,
    }
}

fn fits(value: i64, ty: &LogicalType) -> bool {
    match ty {
        LogicalType::Int8 => i8::try_from(value).is_ok(),
        LogicalType::Int16 => i16::try_from(value).is_ok(),
        LogicalType::Int32 => i32::try_from(value).is_ok(),
        _ => true,
    }
}
