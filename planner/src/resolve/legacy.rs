//! How operands of different types meet without ANSI mode, where that is otherwise than with it. What is left of
//! different types goes on to the rules of ANSI mode.
//!
//! ```text
//! text = int            the text becomes an int, not a bigint      i = '2.5'       i = 2
//! text = decimal        both become doubles
//! text IN, CASE, ..     all values become text                     i IN ('2')      cast(i as string) IN ('2')
//! text + number         the text becomes a double                  s + 1           cast(s as double) + 1.0
//! boolean = 1, 0        the boolean, its negation                  flags = 1       flags
//! boolean = number      the boolean becomes a number               flags = 2       cast(flags as int) = 2
//! int, float            float, not double
//! number as position    an int, whatever it is                     left(s, 2L)     left(s, 2)
//! date as number        null
//! ```

use lith_format::filter::CompareOp;
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType as T;

use super::types::is_number;
use super::{coerce, is_integer, mismatch};
use crate::error::Result;
use crate::expr::{ArithmeticOp, Expr};

/// A node whose children are resolved, with the casts that only this mode inserts.
pub(super) fn meet(expr: Expr) -> Result<Expr> {
    Ok(match expr {
        Expr::Compare { op, left, right } => compared(op, *left, *right)?,
        Expr::NullSafeEq(left, right) => null_safe(*left, *right),
        Expr::In { expr, list, set } => {
            let mut values = one_type(std::iter::once(*expr).chain(list), "IN")?;
            let expr = Box::new(values.remove(0));
            let list = values;
            Expr::In { expr, list, set }
        }
        Expr::If {
            condition,
            then,
            otherwise,
        } => {
            let [then, otherwise] = pair(*then, *otherwise, "IF")?;
            Expr::If {
                condition,
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            }
        }
        Expr::Case {
            branches,
            otherwise,
        } => case(branches, otherwise)?,
        Expr::Arithmetic {
            op,
            left,
            right,
            ty,
        } => {
            let (left, right) = operands(op, *left, *right);
            Expr::Arithmetic {
                op,
                left: Box::new(left),
                right: Box::new(right),
                ty,
            }
        }
        Expr::Function {
            name,
            args,
            ty,
            place,
        } => Expr::Function {
            args: arguments(&name, args)?,
            name,
            ty,
            place,
        },
        other => other,
    })
}

/// Whether there is such a cast only in this mode.
pub(super) fn can_cast(from: &T, to: &T) -> bool {
    let is_instant = |ty: &T| matches!(ty, T::Timestamp { .. });
    match (from, to) {
        (T::Date, T::Boolean) => true,
        (T::Date, to) => is_number(to),
        (T::Boolean, to) => *to == crate::expr::TIMESTAMP,
        (from, T::Boolean) => is_instant(from),
        _ => false,
    }
}

fn compared(op: CompareOp, left: Expr, right: Expr) -> Result<Expr> {
    let decided = match op {
        CompareOp::Eq | CompareOp::NotEq => truth(&left, &right),
        _ if has_truth_beside_number(&left.ty(), &right.ty()) => {
            let (a, b) = (left.ty(), right.ty());
            return Err(mismatch(format!("{a} and {b} have no common order")));
        }
        _ => None,
    };
    Ok(match (decided, op) {
        (Some(truth), CompareOp::NotEq) => truth.not(),
        (Some(truth), _) => truth,
        (None, _) => {
            let (left, right) = beside(left, right);
            Expr::compare(left, op, right)
        }
    })
}

fn has_truth_beside_number(a: &T, b: &T) -> bool {
    (*a == T::Boolean && is_number(b)) || (*b == T::Boolean && is_number(a))
}

fn null_safe(left: Expr, right: Expr) -> Expr {
    match truth(&left, &right) {
        Some(truth) => {
            let boolean = if left.ty() == T::Boolean { left } else { right };
            Expr::IsNotNull(Box::new(boolean)).and(truth)
        }
        None => {
            let (left, right) = beside(left, right);
            Expr::NullSafeEq(Box::new(left), Box::new(right))
        }
    }
}

/// A boolean that is equal to the literal 1 or 0.
fn truth(left: &Expr, right: &Expr) -> Option<Expr> {
    let (boolean, literal) = match (left.ty(), right.ty()) {
        (T::Boolean, ty) if is_number(&ty) => (left, right),
        (ty, T::Boolean) if is_number(&ty) => (right, left),
        _ => return None,
    };
    let is = |number: i64| match literal {
        Expr::Literal(value @ (Scalar::Int(_) | Scalar::Decimal { .. }), _) => value
            .compare(&Scalar::Int(number))
            .is_some_and(|order| order.is_eq()),
        _ => false,
    };
    match (is(1), is(0)) {
        (true, _) => Some(boolean.clone()),
        (_, true) => Some(boolean.clone().not()),
        _ => None,
    }
}

/// Both sides of a comparison.
fn beside(left: Expr, right: Expr) -> (Expr, Expr) {
    let (a, b) = (left.ty(), right.ty());
    let (to_left, to_right) = match (&a, &b) {
        (T::String, T::Decimal { .. }) | (T::Decimal { .. }, T::String) => (T::Float64, T::Float64),
        (T::String, other) | (other, T::String) if *other != T::Null && !other.is_nested() => {
            (other.clone(), other.clone())
        }
        (T::Boolean, other) if is_number(other) => (other.clone(), b.clone()),
        (other, T::Boolean) if is_number(other) => (a.clone(), other.clone()),
        _ => return with_float(left, right),
    };
    (coerce(left, &to_left), coerce(right, &to_right))
}

/// An integer beside a float becomes one.
fn with_float(left: Expr, right: Expr) -> (Expr, Expr) {
    match (left.ty(), right.ty()) {
        (T::Float32, ty) if is_integer(&ty) => (left, coerce(right, &T::Float32)),
        (ty, T::Float32) if is_integer(&ty) => (coerce(left, &T::Float32), right),
        _ => (left, right),
    }
}

fn operands(op: ArithmeticOp, left: Expr, right: Expr) -> (Expr, Expr) {
    let number = |expr: Expr| match expr.ty() {
        T::String => coerce(expr, &T::Float64),
        _ => expr,
    };
    let (left, right) = (number(left), number(right));
    match op {
        // of integers it is one of doubles
        ArithmeticOp::Divide => (left, right),
        _ => with_float(left, right),
    }
}

/// Values of one type: text if there is text among other values, else as in ANSI mode.
fn one_type(values: impl Iterator<Item = Expr>, what: &str) -> Result<Vec<Expr>> {
    let values: Vec<Expr> = values.collect();
    let types: Vec<T> = values.iter().map(Expr::ty).collect();
    let others = || types.iter().filter(|ty| !matches!(ty, T::String | T::Null));
    let ty = if !types.contains(&T::String) {
        let floats = types.contains(&T::Float32);
        let single = |ty: &T| is_integer(ty) || matches!(ty, T::Float32 | T::Null);
        (floats && types.iter().all(single)).then_some(T::Float32)
    } else if others().any(|ty| matches!(ty, T::Boolean | T::Binary) || ty.is_nested()) {
        return Err(mismatch(format!("{what} does not go with these types")));
    } else {
        others().next().map(|_| T::String)
    };
    Ok(match ty {
        Some(ty) => values.into_iter().map(|value| coerce(value, &ty)).collect(),
        None => values,
    })
}

fn pair(left: Expr, right: Expr, what: &str) -> Result<[Expr; 2]> {
    let values = one_type([left, right].into_iter(), what)?;
    Ok(<[Expr; 2]>::try_from(values).expect("as many as were given"))
}

fn case(branches: Vec<(Expr, Expr)>, otherwise: Option<Box<Expr>>) -> Result<Expr> {
    let (conditions, values): (Vec<Expr>, Vec<Expr>) = branches.into_iter().unzip();
    let count = values.len();
    let mut values = one_type(
        values.into_iter().chain(otherwise.map(|value| *value)),
        "CASE",
    )?;
    let otherwise = values.split_off(count).pop().map(Box::new);
    Ok(Expr::Case {
        branches: conditions.into_iter().zip(values).collect(),
        otherwise,
    })
}

/// The arguments of a call.
fn arguments(name: &str, mut args: Vec<Expr>) -> Result<Vec<Expr>> {
    match name {
        "coalesce" | "nvl" | "ifnull" => one_type(args.into_iter(), name),
        "nvl2" => {
            let tested = args.drain(..1.min(args.len())).collect::<Vec<_>>();
            let values = one_type(args.into_iter(), name)?;
            Ok(tested.into_iter().chain(values).collect())
        }
        "nullif" if args.len() == 2 => {
            let (value, other) = (args.remove(0), args.remove(0));
            let (left, right) = beside(value, other);
            Ok(vec![left, right])
        }
        "greatest" | "least" if has_text_among_others(&args) => {
            Err(mismatch(format!("{name} does not go with these types")))
        }
        "pmod" if args.len() == 2 => {
            let (value, other) = (args.remove(0), args.remove(0));
            let (left, right) = operands(ArithmeticOp::Remainder, value, other);
            Ok(vec![left, right])
        }
        "substr" | "substring" | "left" | "right" => {
            for position in args.iter_mut().skip(1) {
                if is_number(&position.ty()) {
                    *position = coerce(position.clone(), &T::Int32);
                }
            }
            Ok(args)
        }
        _ => Ok(args),
    }
}

fn has_text_among_others(args: &[Expr]) -> bool {
    let types: Vec<T> = args.iter().map(Expr::ty).collect();
    let is_other = |ty: &T| !matches!(ty, T::String | T::Null);
    types.contains(&T::String) && types.iter().any(is_other)
}
