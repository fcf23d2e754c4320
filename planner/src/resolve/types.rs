//! Spark's lattice of types in ANSI mode: which type two operands meet in, and what decimals become.

use lith_format::types::{LogicalType, TimeUnit, Zone};

use super::{coerce, is_integer};
use crate::expr::{ArithmeticOp, Expr, TIME};

/// The most digits a decimal has.
const MAX_PRECISION: u8 = 38;

/// The type Spark gives a column: every text a string, unsigned integers in the next wider signed
/// type, timestamps that say nothing of a zone as instants. Times of day are in [`TIME`].
pub fn spark_type(ty: &LogicalType) -> LogicalType {
    use LogicalType as T;
    match ty {
        T::UInt8 => T::Int16,
        T::UInt16 => T::Int32,
        T::UInt32 => T::Int64,
        T::UInt64 => max_decimal(20, 0),
        T::Float16 => T::Float32,
        ty if ty.is_text() => T::String,
        T::Fixed(_) | T::Bson | T::Uuid | T::Interval | T::Geometry | T::Geography => T::Binary,
        T::Time { .. } => TIME,
        T::Timestamp { unit, zone } => T::Timestamp {
            unit: (*unit).max(TimeUnit::Micros),
            zone: if *zone == Zone::Local {
                Zone::Local
            } else {
                Zone::Utc
            },
        },
        ty => ty.clone(),
    }
}

/// A decimal type, cut to the most digits there are.
pub fn max_decimal(precision: u32, scale: u32) -> LogicalType {
    let cut = |digits: u32| u8::try_from(digits).unwrap_or(u8::MAX).min(MAX_PRECISION);
    LogicalType::Decimal {
        precision: cut(precision),
        scale: cut(scale),
    }
}

pub(super) fn is_number(ty: &LogicalType) -> bool {
    is_integer(ty)
        || matches!(
            ty,
            LogicalType::Float32 | LogicalType::Float64 | LogicalType::Decimal { .. }
        )
}

/// The decimal that holds every value of an integer type.
fn integer_digits(ty: &LogicalType) -> u32 {
    match ty {
        LogicalType::Int8 => 3,
        LogicalType::Int16 => 5,
        LogicalType::Int32 => 10,
        _ => 20,
    }
}

/// An integer as a decimal: a literal with as many digits as it has, anything else with its type's.
pub(super) fn as_decimal(expr: Expr) -> Expr {
    let ty = decimal_of(&expr);
    coerce(expr, &ty)
}

fn decimal_of(expr: &Expr) -> LogicalType {
    match expr {
        Expr::Literal(lith_format::scalar::Scalar::Int(value), _) => {
            max_decimal(value.unsigned_abs().checked_ilog10().unwrap_or(0) + 1, 0)
        }
        expr => max_decimal(integer_digits(&expr.ty()), 0),
    }
}

/// The type in which two operands are compared. An integer literal beside a decimal counts with the
/// digits it has.
pub(super) fn common_type(left: &Expr, right: &Expr) -> Option<LogicalType> {
    use LogicalType as T;
    match (left.ty(), right.ty()) {
        (decimal @ T::Decimal { .. }, ty) if is_integer(&ty) => widen(&decimal, &decimal_of(right)),
        (ty, decimal @ T::Decimal { .. }) if is_integer(&ty) => widen(&decimal_of(left), &decimal),
        (a, b) => widen(&a, &b),
    }
}

/// The type that all types meet in.
pub(super) fn common_type_of(types: impl IntoIterator<Item = LogicalType>) -> Option<LogicalType> {
    let mut found = LogicalType::Null;
    for ty in types {
        found = widen(&found, &ty)?;
    }
    Some(found)
}

fn widen(a: &LogicalType, b: &LogicalType) -> Option<LogicalType> {
    use LogicalType as T;
    let found = match (a, b) {
        (a, b) if a == b => a.clone(),
        (T::Null, other) | (other, T::Null) => other.clone(),
        (T::String, other) | (other, T::String) => beside_text(other)?,
        (T::Uuid, T::Binary) | (T::Binary, T::Uuid) => T::Binary,
        (a, b) if is_number(a) && is_number(b) => widen_numbers(a, b),
        (T::Date, time @ T::Timestamp { .. }) | (time @ T::Timestamp { .. }, T::Date) => {
            time.clone()
        }
        (T::Timestamp { unit: u, zone: x }, T::Timestamp { unit: v, zone: y }) => T::Timestamp {
            unit: *u.max(v),
            zone: if x == y { *x } else { Zone::Utc },
        },
        _ => return None,
    };
    Some(found)
}

/// What text is converted to, and the other side with it.
fn beside_text(other: &LogicalType) -> Option<LogicalType> {
    use LogicalType as T;
    match other {
        ty if is_integer(ty) => Some(T::Int64),
        ty if is_number(ty) => Some(T::Float64),
        T::Date | T::Time { .. } | T::Timestamp { .. } => Some(other.clone()),
        T::Boolean | T::Binary | T::Uuid => Some(other.clone()),
        _ => None,
    }
}

fn widen_numbers(a: &LogicalType, b: &LogicalType) -> LogicalType {
    use LogicalType as T;
    match (a, b) {
        (
            T::Decimal {
                precision: p,
                scale: s,
            },
            T::Decimal {
                precision: q,
                scale: t,
            },
        ) => {
            let scale = u32::from(*s.max(t));
            let whole = u32::from((p - s).max(q - t));
            // beyond 38 digits the scale gives way, so that the whole part fits
            let over = (whole + scale).saturating_sub(MAX_PRECISION.into());
            max_decimal(whole + scale, scale.saturating_sub(over))
        }
        (T::Decimal { .. }, ty) if is_integer(ty) => {
            widen_numbers(a, &max_decimal(integer_digits(ty), 0))
        }
        (ty, T::Decimal { .. }) if is_integer(ty) => {
            widen_numbers(&max_decimal(integer_digits(ty), 0), b)
        }
        (a, b) if is_integer(a) && is_integer(b) => {
            let wider = if integer_digits(a) >= integer_digits(b) {
                a
            } else {
                b
            };
            wider.clone()
        }
        // a float meets everything but itself in double
        _ => T::Float64,
    }
}

/// The type of an operation on two decimals, cut to 38 digits at the cost of its scale.
pub(super) fn decimal_result(
    op: ArithmeticOp,
    left: &LogicalType,
    right: &LogicalType,
) -> LogicalType {
    let (
        LogicalType::Decimal {
            precision: p,
            scale: s,
        },
        LogicalType::Decimal {
            precision: q,
            scale: t,
        },
    ) = (left, right)
    else {
        return left.clone();
    };
    let [p, s, q, t] = [p, s, q, t].map(|&digits| u32::from(digits));
    let (precision, scale) = match op {
        ArithmeticOp::Multiply => (p + q + 1, s + t),
        ArithmeticOp::Divide => {
            let scale = (s + q + 1).max(6);
            (p - s + t + scale, scale)
        }
        ArithmeticOp::Remainder => ((p - s).min(q - t) + s.max(t), s.max(t)),
        _ => ((p - s).max(q - t) + s.max(t) + 1, s.max(t)),
    };
    let max = u32::from(MAX_PRECISION);
    if precision <= max {
        return max_decimal(precision, scale);
    }
    let whole = precision - scale;
    max_decimal(max, max.saturating_sub(whole).max(scale.min(6)))
}

/// Whether ANSI mode has a cast from one type to the other.
pub(super) fn can_cast(from: &LogicalType, to: &LogicalType) -> bool {
    use LogicalType as T;
    if from == to || *from == T::Null {
        return true;
    }
    match (from, to) {
        (T::String, to) => {
            let others = matches!(
                to,
                T::Boolean | T::Date | T::Time { .. } | T::Timestamp { .. } | T::Binary | T::Uuid
            );
            others || is_number(to)
        }
        (T::Binary, T::String) | (T::Uuid, T::Binary) => true,
        (from, T::String) => !from.is_nested(),
        (
            from,
            T::Boolean
            | T::Timestamp {
                zone: Zone::Utc, ..
            },
        ) if is_number(from) => true,
        (
            T::Boolean
            | T::Timestamp {
                zone: Zone::Utc, ..
            },
            to,
        ) if is_number(to) => true,
        (from, to) if is_number(from) && is_number(to) => true,
        (T::Date | T::Timestamp { .. }, T::Date | T::Timestamp { .. }) => true,
        _ => false,
    }
}
