//! Expressions over one column whose value grows or falls with it: conditions on them are judged by the column's
//! bounds, whatever is nested in what.
//!
//! ```text
//! floor(x * 2 + 1)   cast(ts AS date)   trunc(d, 'MM')   round(amount, 1)   substr(s, 1, 3)   10 - x
//! month(d)           only between bounds of one year
//! pmod(i, 7), i % 7  only between multiples of 7
//! cast(d AS string)  only in years of four digits
//! ```

use std::sync::Arc;

use lith_format::civil::civil;
use lith_format::mapping::{Mapping, Nans, OneValue};
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType as T;

use crate::ansi::may_fail;
use crate::calendar::DAY_MICROS;
use crate::eval::Program;
use crate::expr::{ArithmeticOp, Bound, Column, Expr, Place};
use crate::normalize::shape::rewrite;

/// The column, and what the expression makes of its values; `None` if it is no such expression, or the bare column.
pub(crate) fn mapping(expr: &Expr) -> Option<(&Column, Mapping)> {
    let (mut inner, mut reverses, mut within) = (expr, false, None);
    let column = loop {
        match inner {
            Expr::Column(column) => break column,
            other => {
                let step = step(other)?;
                if step.piece.is_some() && within.is_some() {
                    return None;
                }
                within = within.or(step.piece);
                reverses ^= step.reverses;
                inner = step.of;
            }
        }
    };
    if matches!(expr, Expr::Column(_)) {
        return None;
    }
    let ty = column.bound.as_ref()?.ty.clone();
    let within = match within {
        None => None,
        Some(Piece::Same(piece)) => Some(function(&piece, &ty)?),
        Some(Piece::FourDigits(of)) => {
            let of = function(&of, &ty)?;
            Some(Arc::new(move |value: &Scalar| four_digits(&of(value)?)) as OneValue)
        }
    };
    let of = function(expr, &ty)?;
    let mapping = Mapping {
        nans: match nan(&ty).map(|nan| of(&nan)) {
            None => Nans::None,
            Some(None) => Nans::Fail,
            Some(Some(result)) if result.is_nan() => Nans::Kept,
            Some(Some(Scalar::Null)) => return None,
            Some(Some(result)) => Nans::Become(result),
        },
        of,
        reverses,
        within,
        may_fail: may_fail(expr),
    };
    Some((column, mapping))
}

/// Where a function that is not ordered as a whole is ordered.
enum Piece {
    /// Among values of which this is the same.
    Same(Expr),
    /// Among values of which this is in the years 0 to 9999, whose texts are ordered as they are.
    FourDigits(Expr),
}

/// One step inwards.
struct Step<'a> {
    of: &'a Expr,
    reverses: bool,
    piece: Option<Piece>,
}

impl<'a> Step<'a> {
    fn up(of: &'a Expr) -> Option<Self> {
        Step::turned(of, false)
    }

    fn turned(of: &'a Expr, reverses: bool) -> Option<Self> {
        let piece = None;
        Some(Step {
            of,
            reverses,
            piece,
        })
    }

    fn within(of: &'a Expr, piece: Piece) -> Option<Self> {
        let (reverses, piece) = (false, Some(piece));
        Some(Step {
            of,
            reverses,
            piece,
        })
    }
}

fn step(expr: &Expr) -> Option<Step<'_>> {
    match expr {
        Expr::Cast {
            expr,
            ty,
            lenient: false,
        } => cast(expr, ty),
        Expr::Negate(inner) => Step::turned(inner, true),
        Expr::Arithmetic {
            op: ArithmeticOp::Remainder,
            left,
            right,
            ..
        } => remainder(expr, left, right),
        Expr::Arithmetic {
            op, left, right, ..
        } => arithmetic(*op, left, right),
        Expr::Function { name, args, .. } => match (name.as_str(), &args[..]) {
            ("pmod", [of, by]) => remainder(expr, of, by),
            (name, args) => call(name, args),
        },
        _ => None,
    }
}

/// The rest of a division of whole numbers grows from one multiple of the divisor to the next.
fn remainder<'a>(rest: &Expr, of: &'a Expr, by: &Expr) -> Option<Step<'a>> {
    let is_whole = matches!(of.ty(), T::Int8 | T::Int16 | T::Int32 | T::Int64);
    let multiple = Expr::Arithmetic {
        op: ArithmeticOp::Subtract,
        left: Box::new(of.clone()),
        right: Box::new(rest.clone()),
        ty: of.ty(),
    };
    (is_whole && sign(by) == Some(1)).then_some(())?;
    Step::within(of, Piece::Same(multiple))
}

fn cast<'a>(inner: &'a Expr, to: &T) -> Option<Step<'a>> {
    let is_instant = |ty: &T| matches!(ty, T::Date | T::Timestamp { .. });
    match (inner.ty(), to) {
        // NaN and infinity become null
        (from, T::Decimal { .. }) if is_float(&from) => None,
        (from, to) if is_number(&from) && is_number(to) => Step::up(inner),
        (from, to) if is_instant(&from) && is_instant(to) => Step::up(inner),
        (T::Timestamp { .. }, T::Int64)
        | (T::Boolean, T::Int8 | T::Int16 | T::Int32 | T::Int64) => Step::up(inner),
        (from, T::String) if is_instant(&from) => {
            Step::within(inner, Piece::FourDigits(inner.clone()))
        }
        _ => None,
    }
}

/// With a constant on one side, which is neither zero as a factor nor infinite.
fn arithmetic<'a>(op: ArithmeticOp, left: &'a Expr, right: &'a Expr) -> Option<Step<'a>> {
    use ArithmeticOp as A;
    match (sign(left), sign(right)) {
        (None, Some(sign)) => match op {
            A::Add | A::Subtract => Step::up(left),
            A::Multiply | A::Divide | A::IntegerDivide if sign != 0 => Step::turned(left, sign < 0),
            _ => None,
        },
        (Some(sign), None) => match op {
            A::Add => Step::up(right),
            A::Subtract => Step::turned(right, true),
            A::Multiply if sign != 0 => Step::turned(right, sign < 0),
            _ => None,
        },
        _ => None,
    }
}

/// Of a finite constant number: -1, 0 or 1.
fn sign(expr: &Expr) -> Option<i32> {
    let Expr::Literal(value, _) = expr else {
        return None;
    };
    let of_float = |value: f64| {
        value
            .is_finite()
            .then(|| i32::from(value > 0.0) - i32::from(value < 0.0))
    };
    match value {
        Scalar::Int(value) => Some(value.signum() as i32),
        Scalar::Decimal { unscaled, .. } => Some(unscaled.signum() as i32),
        Scalar::Float32(value) => of_float(f64::from(*value)),
        Scalar::Float64(value) => of_float(*value),
        _ => None,
    }
}

fn call<'a>(name: &str, args: &'a [Expr]) -> Option<Step<'a>> {
    let is_constant = |expr: &Expr| matches!(expr, Expr::Literal(value, _) if !value.is_null());
    let same = |part: &str, of: &'a Expr, ty| {
        let (name, args, place) = (part.to_owned(), vec![of.clone()], Place::default());
        Step::within(
            of,
            Piece::Same(Expr::Function {
                name,
                args,
                ty,
                place,
            }),
        )
    };
    match (name, args) {
        (
            "floor" | "ceil" | "ceiling" | "year" | "unix_date" | "last_day" | "sign" | "signum",
            [of],
        ) => Step::up(of),
        ("unix_timestamp", [of]) if matches!(of.ty(), T::Timestamp { .. }) => Step::up(of),
        ("round" | "date_add" | "date_sub" | "datediff" | "date_diff", [of, by])
            if is_constant(by) =>
        {
            Step::up(of)
        }
        // other units give null
        ("trunc", [of, unit]) if is_unit(unit, &UNITS) => Step::up(of),
        ("date_trunc", [unit, of]) if is_unit(unit, &UNITS) || is_unit(unit, &UNITS_OF_TIME) => {
            Step::up(of)
        }
        ("datediff" | "date_diff", [from, of]) if is_constant(from) => Step::turned(of, true),
        ("substr" | "substring", [of, Expr::Literal(Scalar::Int(0 | 1), _), length])
            if is_constant(length) =>
        {
            Step::up(of)
        }
        ("month" | "quarter" | "dayofyear", [of]) => same("year", of, T::Int32),
        ("day" | "dayofmonth", [of]) => same("last_day", of, T::Date),
        ("hour", [of]) if matches!(of.ty(), T::Timestamp { .. }) => {
            Step::within(of, Piece::Same(of.clone().cast(T::Date)))
        }
        _ => None,
    }
}

const UNITS: [&str; 8] = [
    "YEAR", "YYYY", "YY", "QUARTER", "MONTH", "MM", "MON", "WEEK",
];
const UNITS_OF_TIME: [&str; 5] = ["DAY", "DD", "HOUR", "MINUTE", "SECOND"];

/// Whether it is one of these, in any case.
fn is_unit(expr: &Expr, units: &[&str]) -> bool {
    let Expr::Literal(Scalar::String(unit), _) = expr else {
        return false;
    };
    units.iter().any(|known| unit.eq_ignore_ascii_case(known))
}

fn is_number(ty: &T) -> bool {
    is_float(ty)
        || matches!(
            ty,
            T::Int8 | T::Int16 | T::Int32 | T::Int64 | T::Decimal { .. }
        )
}

/// NaN of a type that has it.
fn nan(ty: &T) -> Option<Scalar> {
    match ty {
        T::Float32 => Some(Scalar::Float32(f32::NAN)),
        T::Float64 => Some(Scalar::Float64(f64::NAN)),
        _ => None,
    }
}

fn is_float(ty: &T) -> bool {
    matches!(ty, T::Float32 | T::Float64)
}

/// What an expression over one column computes of a value of it.
fn function(expr: &Expr, ty: &T) -> Option<OneValue> {
    let over_first = rewrite(expr.clone(), &mut |expr| match expr {
        Expr::Column(mut column) => {
            column.bound = Some(Bound {
                index: 0,
                fields: Vec::new(),
                ty: ty.clone(),
                nullable: true,
            });
            Expr::Column(column)
        }
        other => other,
    });
    let (program, ty) = (Program::new(&over_first).ok()?, ty.clone());
    Some(Arc::new(move |value| {
        let value = as_type(value, &ty)?;
        program.row(&|_| value.clone()).ok()
    }))
}

/// A bound of the file as a value of the column's type; `None` if it is of another kind.
fn as_type(value: &Scalar, ty: &T) -> Option<Scalar> {
    let same = match (value, ty) {
        (Scalar::Int(_), T::Int8 | T::Int16 | T::Int32 | T::Int64) => true,
        (Scalar::Float32(value), T::Float64) => return Some(Scalar::Float64(f64::from(*value))),
        (Scalar::Float32(_), T::Float32) | (Scalar::Float64(_), T::Float64) => true,
        (Scalar::Decimal { scale: a, .. }, T::Decimal { scale: b, .. }) => a == b,
        (Scalar::Date(_), T::Date) | (Scalar::Boolean(_), T::Boolean) => true,
        (Scalar::Timestamp { unit: a, .. }, T::Timestamp { unit: b, .. }) => a == b,
        (Scalar::String(_), T::String) => true,
        _ => false,
    };
    same.then(|| value.clone())
}

/// The same for all moments of the years 0 to 9999, nothing for others.
fn four_digits(value: &Scalar) -> Option<Scalar> {
    let day = match value {
        Scalar::Date(day) => i64::from(*day),
        Scalar::Timestamp { value, unit, .. } => {
            let per_day = i128::from(unit.per_second()) * i128::from(DAY_MICROS / 1_000_000);
            i64::try_from(value.div_euclid(per_day)).ok()?
        }
        _ => return None,
    };
    // days of four-digit years, by far
    let in_reach = (-1_000_000..4_000_000).contains(&day);
    let year = in_reach.then(|| civil(day).0)?;
    (0..=9999).contains(&year).then_some(Scalar::Boolean(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ddl::parse_columns;
    use crate::resolve::resolve;
    use crate::sql;
    use lith_format::scan::TableSchema;

    fn resolved(text: &str) -> Expr {
        let columns =
            "i int, l bigint, f double, r float, d date, t timestamp, m decimal(12,2), s string";
        let table = TableSchema::of_file(parse_columns(columns).unwrap().into());
        resolve(
            sql::parse(text).unwrap(),
            &table,
            crate::ansi::EvalMode::Ansi,
        )
        .unwrap()
    }

    fn values(ty: &T) -> Vec<Scalar> {
        let ints = [
            i64::from(i32::MIN),
            -70_000,
            -1461,
            -400,
            -31,
            -1,
            0,
            1,
            7,
            28,
            31,
            59,
            365,
            366,
            20_000,
            70_000,
        ];
        match ty {
            T::Int32 | T::Int64 => ints.map(Scalar::Int).to_vec(),
            T::Float64 => [
                f64::NEG_INFINITY,
                -1e19,
                -2.5,
                -0.5,
                0.0,
                0.3,
                2.5,
                1e19,
                f64::INFINITY,
            ]
            .map(Scalar::Float64)
            .to_vec(),
            T::Float32 => [-1e19f32, -2.5, -0.5, 0.0, 0.3, 2.5, 1e19]
                .map(Scalar::Float32)
                .to_vec(),
            T::Decimal { scale, .. } => ints
                .map(|value| Scalar::Decimal {
                    unscaled: value.into(),
                    scale: *scale,
                })
                .to_vec(),
            T::Date => ints[1..]
                .iter()
                .map(|&day| Scalar::Date(day as i32))
                .collect(),
            T::Timestamp { unit, zone } => {
                let days = ints[1..]
                    .iter()
                    .flat_map(|day| [day * DAY_MICROS, day * DAY_MICROS + 45_296_500_000]);
                let mut days: Vec<i64> = days.collect();
                days.sort_unstable();
                days.into_iter()
                    .map(|value| Scalar::Timestamp {
                        value: value.into(),
                        unit: *unit,
                        zone: *zone,
                    })
                    .collect()
            }
            _ => [
                "",
                "a",
                "aa",
                "ab",
                "ab\u{ff}",
                "abc",
                "b",
                "z",
                "ä",
                "äb",
                "\u{10000}",
            ]
            .map(Scalar::string)
            .to_vec(),
        }
    }

    /// Every pair of values in every piece must be mapped in order.
    #[test]
    fn results_are_ordered_as_claimed() {
        let mut compared = 0;
        for text in [
            "i + 5",
            "5 + i",
            "i - 5",
            "5 - i",
            "i * 3",
            "i * -3",
            "-2 * l",
            "i / 4",
            "i / -4",
            "i div 7",
            "l div -7",
            "-i",
            "-f",
            "f * -0.5D",
            "f + 1e18D",
            "floor(f)",
            "ceil(f)",
            "round(f, 1)",
            "cast(f as int)",
            "cast(f as float)",
            "cast(r as double)",
            "cast(l as int)",
            "cast(l as double)",
            "cast(i as float)",
            "floor(m)",
            "ceil(m)",
            "round(m, 1)",
            "round(m, -1)",
            "m * 1.5",
            "m / -3",
            "cast(m as int)",
            "sign(i)",
            "cast(m as decimal(5,1))",
            "year(d)",
            "year(t)",
            "trunc(d, 'MM')",
            "date_trunc('week', t)",
            "date_trunc('HOUR', t)",
            "date_add(d, 3)",
            "date_sub(d, -3)",
            "datediff(d, DATE'2020-01-01')",
            "datediff(DATE'2020-01-01', d)",
            "last_day(d)",
            "cast(t as date)",
            "cast(d as timestamp)",
            "cast(t as bigint)",
            "unix_date(d)",
            "month(d)",
            "quarter(t)",
            "day(d)",
            "dayofyear(t)",
            "hour(t)",
            "i % 7",
            "l % 365",
            "pmod(i, 7)",
            "pmod(l, 1461)",
            "pmod(i + 3, 400) * -2",
            "cast(d as string)",
            "cast(t as string)",
            // texts of years before 0 are ordered backwards
            "cast(date_sub(d, 719528) as string)",
            "substr(s, 1, 2)",
            "substring(s, 0, 1)",
            "floor(i * 2 + 1) * -3",
            "month(date_add(d, 40))",
            "10 - year(trunc(d, 'YEAR'))",
        ] {
            let expr = resolved(text);
            let (column, mapping) =
                mapping(&expr).unwrap_or_else(|| panic!("{text} is not known to be ordered"));
            let values = values(&column.bound.as_ref().unwrap().ty);
            for (at, low) in values.iter().enumerate() {
                for high in &values[at..] {
                    let piece = |value| mapping.within.as_ref().map(|within| within(value));
                    if piece(low) != piece(high) || matches!(piece(low), Some(None)) {
                        continue;
                    }
                    let (Some(a), Some(b)) = ((mapping.of)(low), (mapping.of)(high)) else {
                        assert!(mapping.may_fail, "{text} fails on {low:?} or {high:?}");
                        continue;
                    };
                    let (a, b) = if mapping.reverses { (b, a) } else { (a, b) };
                    assert!(
                        a.compare(&b).is_some_and(std::cmp::Ordering::is_le),
                        "{text}: {low:?} {high:?} give {a:?} {b:?}"
                    );
                    compared += 1;
                }
            }
        }
        assert!(compared > 3000, "{compared}");
    }

    #[test]
    fn what_is_not_ordered_is_not_taken() {
        for text in [
            "i",
            "f % 7",
            "i % -7",
            "7 % i",
            "pmod(f, 7)",
            "pmod(i, 0)",
            "i * 0",
            "f * 0D",
            "abs(i)",
            "i + l",
            "cast(i as string)",
            "cast(s as int)",
            "length(s)",
            "upper(s)",
            "substr(s, 2, 2)",
            "month(t) + minute(t)",
            "7 / i",
            "dayofweek(d)",
            "date_trunc('AEON', t)",
            "trunc(d, 'HOUR')",
            "f + double('Infinity')",
            "try_cast(f as int)",
            "cast(f as decimal(20,1))",
            "day(date_add(d, month(d)))",
        ] {
            assert!(mapping(&resolved(text)).is_none(), "{text}");
        }
    }
}
