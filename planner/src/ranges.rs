//! Functions of one column that grow with it, compared with a literal: a range of the column itself.
//!
//! ```text
//! a + 1 < 10               a < 9
//! year(d) = 2024           d >= 2024-01-01 AND d < 2025-01-01
//! date_trunc('day', t) > d  t >= the day after
//! substr(s, 1, 2) = 'ab'   s begins with 'ab'
//! ```
//! Each is true, false and UNKNOWN for the same values as what was written. Where a sum can overflow, which
//! is an error that rows must raise, it is fallible.

use lith_format::civil;
use lith_format::filter::{Affix, CompareOp, Filter};
use lith_format::scalar::Scalar;
use lith_format::schema::LeafId;
use lith_format::types::{LogicalType, TimeUnit, Zone};

use crate::ansi::widens;
use crate::calendar::DAY_MICROS;
use crate::expr::{ArithmeticOp, Column, Expr};

/// `function op literal` as a condition on the column's leaf, which `leaf_of` finds.
pub(crate) fn compared(
    function: &Expr,
    op: CompareOp,
    literal: &Scalar,
    leaf_of: &dyn Fn(&Column) -> Option<LeafId>,
) -> Option<Filter> {
    match function {
        Expr::Arithmetic {
            op: sign,
            left,
            right,
            ty,
        } => {
            let (inner, op, value, safe) = shifted(left, *sign, right, op, literal, limits(ty)?)?;
            let leaf = leaf_of(column(without_widening(inner))?)?;
            Some(unless_overflow(compare(leaf, op, value)?, leaf, safe))
        }
        // bounds compare by value, whatever their width
        Expr::Cast {
            expr,
            ty,
            lenient: false,
        } if widens(&expr.ty(), ty) => match &**expr {
            Expr::Column(column) => compare(leaf_of(column)?, op, literal.clone()),
            inner => compared(inner, op, literal, leaf_of),
        },
        Expr::Negate(inner) => {
            let leaf = leaf_of(column(inner)?)?;
            let negation = compare(leaf, op.flipped(), negated(literal)?)?;
            Some(match limits(&inner.ty()) {
                Some((min, max)) => unless_overflow(negation, leaf, (min + 1, max)),
                None => negation,
            })
        }
        Expr::Function { name, args, .. } => called(name, args, op, literal, leaf_of),
        _ => None,
    }
}

fn column(expr: &Expr) -> Option<&Column> {
    match expr {
        Expr::Column(column) => Some(column),
        _ => None,
    }
}

fn compare(leaf: LeafId, op: CompareOp, value: Scalar) -> Option<Filter> {
    Some(Filter::Compare { leaf, op, value })
}

/// The operand of casts that lose nothing: bounds compare by value, whatever their width.
pub(crate) fn without_widening(mut expr: &Expr) -> &Expr {
    while let Expr::Cast {
        expr: inner,
        ty,
        lenient: false,
    } = expr
        && widens(&inner.ty(), ty)
    {
        expr = inner;
    }
    expr
}

/// The smallest and largest value of an integer type.
fn limits(ty: &LogicalType) -> Option<(i64, i64)> {
    match ty {
        LogicalType::Int8 => Some((i8::MIN.into(), i8::MAX.into())),
        LogicalType::Int16 => Some((i16::MIN.into(), i16::MAX.into())),
        LogicalType::Int32 => Some((i32::MIN.into(), i32::MAX.into())),
        LogicalType::Int64 => Some((i64::MIN, i64::MAX)),
        _ => None,
    }
}

/// The condition where the leaf is null or in the range in which nothing overflows; elsewhere it may fail.
fn unless_overflow(condition: Filter, leaf: LeafId, (min, max): (i64, i64)) -> Filter {
    let bound = |op, value| Filter::Compare {
        leaf,
        op,
        value: Scalar::Int(value),
    };
    let safe = Filter::And(vec![
        bound(CompareOp::GtEq, min),
        bound(CompareOp::LtEq, max),
    ]);
    let overflow = Filter::And(vec![Filter::Not(Box::new(safe.clone())), Filter::Opaque]);
    Filter::And(vec![
        Filter::Or(vec![condition, overflow]),
        Filter::Or(vec![Filter::IsNull(leaf), safe, Filter::Fallible]),
    ])
}

/// `x + 1 op v` as `x op v - 1`, and the like, with the range of `x` in which nothing overflows.
fn shifted<'a>(
    left: &'a Expr,
    sign: ArithmeticOp,
    right: &'a Expr,
    op: CompareOp,
    literal: &Scalar,
    (min, max): (i64, i64),
) -> Option<(&'a Expr, CompareOp, Scalar, (i64, i64))> {
    let Scalar::Int(value) = literal else {
        return None;
    };
    let constant = |expr: &Expr| match expr {
        Expr::Literal(Scalar::Int(value), _) => Some(*value),
        _ => None,
    };
    let (inner, op, value, safe) = match (sign, constant(left), constant(right)) {
        (ArithmeticOp::Add, None, Some(c)) => (
            left,
            op,
            value.checked_sub(c)?,
            (min.saturating_sub(c), max.saturating_sub(c)),
        ),
        (ArithmeticOp::Add, Some(c), None) => (
            right,
            op,
            value.checked_sub(c)?,
            (min.saturating_sub(c), max.saturating_sub(c)),
        ),
        (ArithmeticOp::Subtract, None, Some(c)) => (
            left,
            op,
            value.checked_add(c)?,
            (min.saturating_add(c), max.saturating_add(c)),
        ),
        (ArithmeticOp::Subtract, Some(c), None) => {
            let safe = (c.saturating_sub(max), c.saturating_sub(min));
            (right, op.flipped(), c.checked_sub(*value)?, safe)
        }
        _ => return None,
    };
    Some((inner, op, Scalar::Int(value), safe))
}

/// Not of floats: NaN is above all, and so is its negation.
fn negated(value: &Scalar) -> Option<Scalar> {
    match value {
        Scalar::Int(value) => Some(Scalar::Int(value.checked_neg()?)),
        Scalar::Decimal { unscaled, scale } => Some(Scalar::Decimal {
            unscaled: unscaled.checked_neg()?,
            scale: *scale,
        }),
        _ => None,
    }
}

fn called(
    name: &str,
    args: &[Expr],
    op: CompareOp,
    literal: &Scalar,
    leaf_of: &dyn Fn(&Column) -> Option<LeafId>,
) -> Option<Filter> {
    match (name, args, literal) {
        ("year", [date], Scalar::Int(year)) => {
            let column = column(without_day_cast(date))?;
            let start = |year: i64| start_of_day(civil::days(year, 1, 1)?, column);
            let next = start(year.checked_add(1)?)?;
            span(leaf_of(column)?, op, (start(*year)?, next))
        }
        ("date_trunc", [Expr::Literal(Scalar::String(unit), _), instant], literal) => {
            let column = column(instant)?;
            let Scalar::Timestamp {
                value,
                unit: TimeUnit::Micros,
                ..
            } = literal
            else {
                return None;
            };
            let (start, next) = period(&unit.to_lowercase(), i64::try_from(*value).ok()?)?;
            let at = |micros| instant_of(micros, column);
            span(leaf_of(column)?, op, (at(start)?, at(next)?))
        }
        ("substr" | "substring", [text, start, length], Scalar::String(part)) => {
            let whole = |expr: &Expr, wanted: usize| matches!(expr, Expr::Literal(Scalar::Int(n), _) if usize::try_from(*n) == Ok(wanted));
            let letters = part.chars().count();
            if op != CompareOp::Eq || !whole(start, 1) || !whole(length, letters) {
                return None;
            }
            Some(Filter::Like {
                leaf: leaf_of(column(text)?)?,
                affix: Affix::Prefix,
                bytes: part.as_bytes().to_vec(),
            })
        }
        _ => None,
    }
}

/// For each `year(c) = y` with a `month(c) = m` of the same column: c is in that month.
pub(crate) fn months(
    conjuncts: &[Expr],
    leaf_of: &dyn Fn(&Column) -> Option<LeafId>,
) -> Vec<Filter> {
    let parts = |wanted| {
        conjuncts
            .iter()
            .filter_map(move |expr| part_equals(expr, wanted))
    };
    let years: Vec<(&Column, i64)> = parts("year").collect();
    let in_year = |(column, month): (&Column, i64)| {
        let (_, year) = *years.iter().find(|(other, _)| *other == column)?;
        let month = u32::try_from(month)
            .ok()
            .filter(|month| (1..=12).contains(month))?;
        let first = start_of_day(civil::days(year, month, 1)?, column)?;
        let (next_year, next_month) = civil::next_month(year, month);
        let next = start_of_day(civil::days(next_year, next_month, 1)?, column)?;
        span(leaf_of(column)?, CompareOp::Eq, (first, next))
    };
    match years.is_empty() {
        true => Vec::new(),
        false => parts("month").filter_map(in_year).collect(),
    }
}

/// `year(column) = 2024`, on either side.
fn part_equals<'a>(expr: &'a Expr, wanted: &str) -> Option<(&'a Column, i64)> {
    let Expr::Compare {
        op: CompareOp::Eq,
        left,
        right,
    } = expr
    else {
        return None;
    };
    let ((Expr::Function { name, args, .. }, Expr::Literal(Scalar::Int(value), _))
    | (Expr::Literal(Scalar::Int(value), _), Expr::Function { name, args, .. })) =
        (&**left, &**right)
    else {
        return None;
    };
    match &args[..] {
        [date] if name == wanted => Some((column(without_day_cast(date))?, *value)),
        _ => None,
    }
}

fn without_day_cast(expr: &Expr) -> &Expr {
    match expr {
        Expr::Cast {
            expr,
            ty: LogicalType::Date,
            lenient: false,
        } if matches!(expr.ty(), LogicalType::Timestamp { .. }) => expr,
        other => other,
    }
}

/// The first moment of a day, in the column's type.
fn start_of_day(days: i64, column: &Column) -> Option<Scalar> {
    match &column.bound.as_ref()?.ty {
        LogicalType::Date => Some(Scalar::Date(i32::try_from(days).ok()?)),
        LogicalType::Timestamp { .. } => instant_of(days.checked_mul(DAY_MICROS)?, column),
        _ => None,
    }
}

fn instant_of(micros: i64, column: &Column) -> Option<Scalar> {
    let zone: Zone = match &column.bound.as_ref()?.ty {
        LogicalType::Timestamp { zone, .. } => *zone,
        _ => return None,
    };
    Some(Scalar::Timestamp {
        value: micros.into(),
        unit: TimeUnit::Micros,
        zone,
    })
}

/// The period that begins at a moment and when the next one begins; `None` if none begins there.
fn period(unit: &str, micros: i64) -> Option<(i64, i64)> {
    const HOUR: i64 = 3_600_000_000;
    let (year, month, day) = civil::civil(micros.div_euclid(DAY_MICROS));
    let midnight = |days: Option<i64>| days?.checked_mul(DAY_MICROS);
    let (start, next) = match unit {
        "hour" => (micros - micros.rem_euclid(HOUR), micros.checked_add(HOUR)?),
        "day" | "dd" => {
            let start = midnight(civil::days(year, month, day))?;
            (start, start.checked_add(DAY_MICROS)?)
        }
        "month" | "mon" | "mm" => {
            let (next_year, next_month) = civil::next_month(year, month);
            (
                midnight(civil::days(year, month, 1))?,
                midnight(civil::days(next_year, next_month, 1))?,
            )
        }
        "year" | "yyyy" | "yy" => (
            midnight(civil::days(year, 1, 1))?,
            midnight(civil::days(year + 1, 1, 1))?,
        ),
        _ => return None,
    };
    (start == micros).then_some((start, next))
}

/// What the start of a value's period compares as, as a condition on the value.
fn span(leaf: LeafId, op: CompareOp, (start, next): (Scalar, Scalar)) -> Option<Filter> {
    use CompareOp as C;
    match op {
        C::Eq => Some(Filter::And(vec![
            compare(leaf, C::GtEq, start)?,
            compare(leaf, C::Lt, next)?,
        ])),
        C::NotEq => None,
        C::Lt => compare(leaf, C::Lt, start),
        C::LtEq => compare(leaf, C::Lt, next),
        C::Gt => compare(leaf, C::GtEq, next),
        C::GtEq => compare(leaf, C::GtEq, start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Bound, Column, Place, TIMESTAMP};

    fn day(year: i64, month: u32) -> Scalar {
        let days = civil::days(year, month, 1).unwrap();
        Scalar::Date(i32::try_from(days).unwrap())
    }

    fn of(name: &str, args: Vec<Expr>, op: CompareOp, literal: Scalar) -> Option<Filter> {
        let ty = LogicalType::Null;
        let function = Expr::Function {
            name: name.into(),
            args,
            ty,
            place: Place::default(),
        };
        compared(&function, op, &literal, &|_| Some(LeafId(7)))
    }

    fn column(ty: LogicalType) -> Expr {
        let mut column = Column::new(["c"]);
        column.bound = Some(Bound {
            index: 0,
            fields: Vec::new(),
            ty,
            nullable: true,
        });
        Expr::Column(column)
    }

    fn at(op: CompareOp, value: Scalar) -> Filter {
        compare(LeafId(7), op, value).unwrap()
    }

    #[test]
    fn a_year_is_its_days() {
        use CompareOp::{Eq, Gt, GtEq, Lt, LtEq};
        let year = |op| {
            of(
                "year",
                vec![column(LogicalType::Date)],
                op,
                Scalar::Int(2024),
            )
        };
        let both = vec![at(GtEq, day(2024, 1)), at(Lt, day(2025, 1))];
        assert_eq!(year(Eq), Some(Filter::And(both)));
        assert_eq!(year(Lt), Some(at(Lt, day(2024, 1))));
        assert_eq!(year(LtEq), Some(at(Lt, day(2025, 1))));
        assert_eq!(year(Gt), Some(at(GtEq, day(2025, 1))));
        assert_eq!(year(GtEq), Some(at(GtEq, day(2024, 1))));
    }

    #[test]
    fn a_truncated_moment_is_its_period_if_one_begins_there() {
        let instant = |micros: i64| Scalar::Timestamp {
            value: micros.into(),
            unit: TimeUnit::Micros,
            zone: Zone::Utc,
        };
        let month = |micros| {
            let args = vec![Expr::string("MONTH"), column(TIMESTAMP)];
            of("date_trunc", args, CompareOp::LtEq, instant(micros))
        };
        let december = civil::days(2024, 12, 1).unwrap() * DAY_MICROS;
        let january = civil::days(2025, 1, 1).unwrap() * DAY_MICROS;
        assert_eq!(month(december), Some(at(CompareOp::Lt, instant(january))));
        assert_eq!(month(december + 1), None);
    }

    #[test]
    fn a_whole_beginning_is_a_prefix() {
        let start = |length, part: &str| {
            let args = vec![column(LogicalType::String), Expr::int(1), Expr::int(length)];
            of("substr", args, CompareOp::Eq, Scalar::string(part))
        };
        assert!(matches!(start(2, "ab"), Some(Filter::Like { .. })));
        assert_eq!(start(3, "ab"), None);
        assert_eq!(start(1, "ab"), None);
    }

    #[test]
    fn a_sum_that_may_overflow_says_nothing_of_the_rows() {
        use lith_format::filter::Verdict;
        use lith_format::stats::{Bound as Edge, ColumnStats};
        use std::borrow::Cow;
        let sum = |constant| Expr::Arithmetic {
            op: ArithmeticOp::Add,
            left: Box::new(column(LogicalType::Int64)),
            right: Box::new(Expr::Literal(Scalar::Int(constant), LogicalType::Int64)),
            ty: LogicalType::Int64,
        };
        let edge = |value| {
            Some(Edge {
                value: Scalar::Int(value),
                exact: true,
            })
        };
        let stats = ColumnStats {
            min: edge(0),
            max: edge(9),
            null_count: Some(0),
            value_count: Some(10),
            ..ColumnStats::default()
        };
        let verdict = |constant, op, value| {
            let filter = compared(&sum(constant), op, &Scalar::Int(value), &|_| {
                Some(LeafId(0))
            });
            filter.unwrap().judge(&|_| Some(Cow::Borrowed(&stats)))
        };
        assert_eq!(verdict(1, CompareOp::Gt, 10), Verdict::Never);
        assert_eq!(verdict(1, CompareOp::Gt, 0), Verdict::Always);
        assert_eq!(verdict(i64::MAX, CompareOp::Gt, 0), Verdict::Maybe);
        assert_eq!(verdict(i64::MAX, CompareOp::Lt, 0), Verdict::Maybe);
    }
}
