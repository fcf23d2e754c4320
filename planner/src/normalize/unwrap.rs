//! Casts around a column that is compared with a literal: the literal is converted instead, so that
//! the bare column can be judged.
//!
//! Let r be the literal at the column's own type. If nothing is lost, the operator stays; otherwise the
//! literal lies between two of the column's values and the operator becomes the one that is true for
//! the same values:
//!
//! ```text
//! r < literal:   >, >=  become  > r      <, <=  become <= r
//! r > literal:   >, >=  become >= r      <, <=  become  < r     =, <=> are never true
//! ```
//!
//! Only casts that lose nothing are taken off: not bigint to double, not anything to text.

use std::cmp::Ordering;

use lith_format::filter::CompareOp;
use lith_format::scalar::Scalar;
use lith_format::types::{LogicalType as T, TimeUnit, Zone};

use crate::ansi::widens;
use crate::calendar;
use crate::expr::Expr;
use crate::normalize::shape::{is_constant, is_not_null_test, is_null, is_null_test, unknown};

const DAY_MICROS: i128 = 86_400_000_000;

/// A comparison, with `<=>` among the operators.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Op {
    Compare(CompareOp),
    NullSafeEq,
}

/// One step at this node.
pub(super) fn unwrap(expr: Expr) -> Expr {
    match &expr {
        Expr::Compare { op, left, right } => either_side(Op::Compare(*op), left, right),
        Expr::NullSafeEq(left, right) => either_side(Op::NullSafeEq, left, right),
        Expr::In { expr, list, set } => unwrap_in(expr, list, *set),
        _ => None,
    }
    .unwrap_or(expr)
}

fn either_side(op: Op, left: &Expr, right: &Expr) -> Option<Expr> {
    unwrap_comparison(op, left, right).or_else(|| {
        let flipped = match op {
            Op::Compare(op) => Op::Compare(op.flipped()),
            same => same,
        };
        unwrap_comparison(flipped, right, left).map(swap_sides)
    })
}

/// Puts the literal back to the left, where it was written.
fn swap_sides(expr: Expr) -> Expr {
    match expr {
        Expr::Compare { op, left, right } => Expr::Compare {
            op: op.flipped(),
            left: right,
            right: left,
        },
        Expr::NullSafeEq(left, right) => Expr::NullSafeEq(right, left),
        other => other,
    }
}

/// `cast(inner as ty) op literal`.
fn unwrap_comparison(op: Op, cast: &Expr, literal: &Expr) -> Option<Expr> {
    let Expr::Cast {
        expr: inner,
        ty: to,
        lenient: false,
    } = cast
    else {
        return None;
    };
    let Expr::Literal(value, literal_ty) = literal else {
        return None;
    };
    if value.is_null() || literal_ty != to || is_constant(inner) {
        return None;
    }
    let from = inner.ty();
    if let (T::Timestamp { .. }, Scalar::Date(day)) = (&from, value) {
        return day_as_range(op, inner, &from, *day);
    }
    if !widens(&from, to) {
        return None;
    }
    at_the_edge(op, inner, &from, value).or_else(|| inside(op, inner, &from, value))
}

/// The least and greatest value of a type that has them.
fn range(ty: &T) -> Option<(Scalar, Scalar)> {
    let int = |min: i64, max: i64| Some((Scalar::Int(min), Scalar::Int(max)));
    match ty {
        T::Boolean => Some((Scalar::Boolean(false), Scalar::Boolean(true))),
        T::Int8 => int(i8::MIN.into(), i8::MAX.into()),
        T::Int16 => int(i16::MIN.into(), i16::MAX.into()),
        T::Int32 => int(i32::MIN.into(), i32::MAX.into()),
        T::Int64 => int(i64::MIN, i64::MAX),
        T::Float32 => Some((
            Scalar::Float32(f32::NEG_INFINITY),
            Scalar::Float32(f32::NAN),
        )),
        T::Float64 => Some((
            Scalar::Float64(f64::NEG_INFINITY),
            Scalar::Float64(f64::NAN),
        )),
        _ => None,
    }
}

/// A value of the column's type as one that compares with values of the cast's type.
fn widened(value: &Scalar) -> Scalar {
    match value {
        Scalar::Boolean(value) => Scalar::Int(i64::from(*value)),
        Scalar::Date(days) => micros(i128::from(*days) * DAY_MICROS, Zone::Utc),
        other => other.clone(),
    }
}

fn micros(value: i128, zone: Zone) -> Scalar {
    Scalar::Timestamp {
        value,
        unit: TimeUnit::Micros,
        zone,
    }
}

/// Literals that lie at or beyond the least or greatest value of the column's type.
fn at_the_edge(op: Op, inner: &Expr, from: &T, value: &Scalar) -> Option<Expr> {
    use CompareOp as C;
    let (min, max) = range(from)?;
    let below = value.compare(&widened(&min))?;
    let above = value.compare(&widened(&max))?;
    let (edge, edge_op, beyond, sure) = match (below, above) {
        (_, Ordering::Greater | Ordering::Equal) => (&max, above, C::Gt, C::Lt),
        (Ordering::Less | Ordering::Equal, _) => (&min, below, C::Lt, C::Gt),
        _ => return None,
    };
    let edge = Expr::Literal(edge.clone(), from.clone());
    let or_equal = |op| if op == C::Gt { C::GtEq } else { C::LtEq };
    let equal = |inner: &Expr| Expr::compare(inner.clone(), C::Eq, edge.clone());
    let is_beyond = edge_op != Ordering::Equal;
    Some(match op {
        Op::NullSafeEq if is_beyond => Expr::boolean(false),
        Op::NullSafeEq => Expr::NullSafeEq(Box::new(inner.clone()), Box::new(edge)),
        Op::Compare(op) if op == sure && !is_beyond => equal(inner).not(),
        Op::Compare(op) if op == sure || op == or_equal(sure) => true_if_not_null(inner),
        Op::Compare(op) if op == beyond || is_beyond => false_if_not_null(inner),
        Op::Compare(_) => equal(inner),
    })
}

/// Literals inside the range: moved to the column's type and compared with what they were.
fn inside(op: Op, inner: &Expr, from: &T, value: &Scalar) -> Option<Expr> {
    use CompareOp as C;
    let moved = narrowed(value, from)?;
    let order = value.compare(&widened(&moved))?;
    let literal = Expr::Literal(moved, from.clone());
    let compare = |op| Expr::compare(inner.clone(), op, literal.clone());
    Some(match (op, order) {
        (Op::Compare(op), Ordering::Equal) => compare(op),
        (Op::NullSafeEq, Ordering::Equal) => {
            Expr::NullSafeEq(Box::new(inner.clone()), Box::new(literal))
        }
        (Op::NullSafeEq, _) => Expr::boolean(false),
        (Op::Compare(C::Eq), _) => false_if_not_null(inner),
        (Op::Compare(C::NotEq), _) => true_if_not_null(inner),
        (Op::Compare(C::Gt | C::GtEq), Ordering::Less) => compare(C::GtEq),
        (Op::Compare(C::Lt | C::LtEq), Ordering::Less) => compare(C::Lt),
        (Op::Compare(C::Gt | C::GtEq), Ordering::Greater) => compare(C::Gt),
        (Op::Compare(C::Lt | C::LtEq), Ordering::Greater) => compare(C::LtEq),
    })
}

/// The literal at the column's type: integers cut off fractions, decimals round half away from zero.
fn narrowed(value: &Scalar, ty: &T) -> Option<Scalar> {
    match (ty, value) {
        (T::Int8 | T::Int16 | T::Int32 | T::Int64, Scalar::Float32(v)) => {
            Some(Scalar::Int(v.trunc() as i64))
        }
        (T::Int8 | T::Int16 | T::Int32 | T::Int64, Scalar::Float64(v)) => {
            Some(Scalar::Int(v.trunc() as i64))
        }
        (T::Int8 | T::Int16 | T::Int32 | T::Int64, Scalar::Decimal { unscaled, scale }) => {
            let whole = unscaled / 10i128.checked_pow((*scale).into())?;
            Some(Scalar::Int(i64::try_from(whole).ok()?))
        }
        (T::Int8 | T::Int16 | T::Int32 | T::Int64, Scalar::Int(_)) => Some(value.clone()),
        (T::Float32, Scalar::Float64(v)) => Some(Scalar::Float32(*v as f32)),
        (T::Float32, Scalar::Int(v)) => Some(Scalar::Float32(*v as f32)),
        (T::Decimal { precision, scale }, Scalar::Decimal { unscaled, scale: s }) => {
            rescale(*unscaled, *s, *precision, *scale)
        }
        (T::Uuid, Scalar::Binary(bytes)) => {
            (bytes.len() == size_of::<u128>()).then(|| value.clone())
        }
        (T::Boolean, _) => value
            .compare(&Scalar::Int(0))
            .map(|o| Scalar::Boolean(o != Ordering::Equal)),
        (T::Date, Scalar::Timestamp { value, unit, .. }) => {
            let day = i128::from(calendar::DAY_SECONDS) * i128::from(unit.per_second());
            Some(Scalar::Date(i32::try_from(value.div_euclid(day)).ok()?))
        }
        (T::Timestamp { unit: to, zone }, Scalar::Timestamp { value, unit, .. }) => {
            let value = value.checked_mul(to.per_second().into())?;
            Some(Scalar::Timestamp {
                value: value.div_euclid(unit.per_second().into()),
                unit: *to,
                zone: *zone,
            })
        }
        _ => None,
    }
}

fn rescale(unscaled: i128, from: u8, precision: u8, to: u8) -> Option<Scalar> {
    let unscaled = if to >= from {
        unscaled.checked_mul(10i128.checked_pow((to - from).into())?)?
    } else {
        let divisor = 10i128.checked_pow((from - to).into())?;
        let (whole, rest) = (unscaled / divisor, unscaled % divisor);
        let away = rest.unsigned_abs() * 2 >= divisor.unsigned_abs();
        whole + if away { unscaled.signum() } else { 0 }
    };
    let fits = unscaled.unsigned_abs() < 10u128.checked_pow(precision.into())?;
    fits.then_some(Scalar::Decimal {
        unscaled,
        scale: to,
    })
}

/// `cast(timestamp as date) op day` as a range of timestamps.
fn day_as_range(op: Op, inner: &Expr, from: &T, day: i32) -> Option<Expr> {
    use CompareOp as C;
    let zone = match from {
        T::Timestamp { zone, .. } => *zone,
        _ => return None,
    };
    let start = |days: i64| {
        let literal = Expr::Literal(micros(i128::from(days) * DAY_MICROS, zone), from.clone());
        move |op| Expr::compare(inner.clone(), op, literal.clone())
    };
    let (this, next) = (start(day.into()), start(i64::from(day) + 1));
    match op {
        Op::Compare(C::Eq) => Some(this(C::GtEq).and(next(C::Lt))),
        Op::Compare(C::Gt) => Some(next(C::GtEq)),
        Op::Compare(C::GtEq) => Some(this(C::GtEq)),
        Op::Compare(C::Lt) => Some(this(C::Lt)),
        Op::Compare(C::LtEq) => Some(next(C::Lt)),
        Op::Compare(C::NotEq) | Op::NullSafeEq => None,
    }
}

/// `cast(inner as ty) IN (..)`: values that the column cannot have go; nulls come first.
fn unwrap_in(cast: &Expr, list: &[Expr], set: bool) -> Option<Expr> {
    let Expr::Cast { expr: inner, .. } = cast else {
        return None;
    };
    let from = inner.ty();
    if matches!(from, T::Timestamp { .. } | T::Date) {
        return None;
    }
    let mut nulls = Vec::new();
    let mut values = Vec::new();
    for value in list {
        if is_null(value) {
            nulls.push(Expr::null(from.clone()));
            continue;
        }
        // what the column cannot be equal to has become a null test
        if let Expr::Compare { right, .. } =
            unwrap_comparison(Op::Compare(CompareOp::Eq), cast, value)?
        {
            values.push(*right);
        }
    }
    nulls.append(&mut values);
    if nulls.is_empty() {
        return Some(false_if_not_null(inner));
    }
    Some(Expr::In {
        expr: inner.clone(),
        list: nulls,
        set,
    })
}

fn false_if_not_null(expr: &Expr) -> Expr {
    is_null_test(expr.clone()).and(unknown())
}

fn true_if_not_null(expr: &Expr) -> Expr {
    is_not_null_test(expr.clone()).or(unknown())
}
