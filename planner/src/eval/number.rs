//! Arithmetic: overflow and division by zero are errors, but only in rows that are asked for and not null. Without
//! ANSI mode integers wrap around, and the rest is null.

use lith_format::types::LogicalType;

use super::Rows;
use super::value::{Lane, Value, known2, map2, wrong_lane};
use crate::ansi::EvalMode;
use crate::error::{PlanError, Result};
use crate::expr::ArithmeticOp;

/// The least and greatest value of an integer type.
pub(super) fn range(ty: &LogicalType) -> (i64, i64) {
    match ty {
        LogicalType::Int8 => (i8::MIN.into(), i8::MAX.into()),
        LogicalType::Int16 => (i16::MIN.into(), i16::MAX.into()),
        LogicalType::Int32 => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN, i64::MAX),
    }
}

/// The low bits of a number, as many as an integer type has.
pub(super) fn wrap(value: i64, ty: &LogicalType) -> i64 {
    match ty {
        LogicalType::Int8 => i64::from(value as i8),
        LogicalType::Int16 => i64::from(value as i16),
        LogicalType::Int32 => i64::from(value as i32),
        _ => value,
    }
}

pub(super) fn power_of_ten(digits: u8) -> Option<i128> {
    10i128.checked_pow(digits.into())
}

/// `unscaled` with `from` digits after the point, with `to` of them instead; half up, away from zero.
pub(super) fn rescale(unscaled: i128, from: u8, to: u8) -> Option<i128> {
    if to >= from {
        return unscaled.checked_mul(power_of_ten(to - from)?);
    }
    let Some(unit) = power_of_ten(from - to) else {
        return Some(0);
    };
    Some(divide_half_up(unscaled, unit))
}

/// The quotient rounded half up, away from zero. The divisor is not zero.
pub(super) fn divide_half_up(value: i128, divisor: i128) -> i128 {
    let (quotient, rest) = (value / divisor, value % divisor);
    let up = rest.unsigned_abs() >= divisor.unsigned_abs().div_ceil(2);
    let sign = if (value < 0) == (divisor < 0) { 1 } else { -1 };
    quotient + if up { sign } else { 0 }
}

/// Whether a decimal has at most so many digits.
pub(super) fn fits(unscaled: i128, precision: u8) -> bool {
    power_of_ten(precision).is_none_or(|limit| unscaled.unsigned_abs() < limit.unsigned_abs())
}

fn overflow(op: ArithmeticOp, ty: &LogicalType) -> PlanError {
    PlanError::evaluate(format!("{} overflows {ty}", op.symbol()))
}

fn division_by_zero() -> PlanError {
    PlanError::evaluate("division by zero")
}

/// The two sides, their types, and the type of the result.
pub(super) struct Operation<'a> {
    pub(super) op: ArithmeticOp,
    pub(super) left: (&'a Value, &'a LogicalType),
    pub(super) right: (&'a Value, &'a LogicalType),
    pub(super) ty: &'a LogicalType,
}

impl Operation<'_> {
    pub(super) fn run(&self, rows: &Rows<'_>) -> Result<Value> {
        match &self.left.0.lane {
            Lane::Int(_) => self.integers(rows),
            Lane::Float(_) => self.floats(rows),
            Lane::Wide(_) => self.decimals(rows),
            _ => Err(wrong_lane("a number")),
        }
    }

    fn result(&self, lane: Lane) -> Value {
        let (left, right) = (self.left.0, self.right.0);
        Value::new(lane, known2(left, right), left.one && right.one)
    }

    fn divides(&self) -> bool {
        use ArithmeticOp as A;
        matches!(self.op, A::Divide | A::IntegerDivide | A::Remainder)
    }

    fn integers(&self, rows: &Rows<'_>) -> Result<Value> {
        let (a, b) = (self.left.0.ints()?, self.right.0.ints()?);
        let (min, max) = range(self.ty);
        let op = self.op;
        let by_zero = |row| self.divides() && b.get(row) == 0;
        if rows.mode == EvalMode::Legacy {
            let wrapped = map2(a, b, |x, y| wrap(integer(op, x, y).0, self.ty));
            return rows.settle(self.result(Lane::Int(wrapped)), by_zero, |_| {
                division_by_zero()
            });
        }
        let computed = map2(a, b, |x, y| {
            let (value, wrapped) = integer(op, x, y);
            (value, wrapped || value < min || value > max)
        });
        let failed = computed.iter().any(|cell| cell.1);
        let value = self.result(Lane::Int(computed.iter().map(|cell| cell.0).collect()));
        match failed {
            true => rows.settle(
                value,
                |row| computed[row].1,
                |row| self.refuse(by_zero(row)),
            ),
            false => Ok(value),
        }
    }

    #[cold]
    fn refuse(&self, by_zero: bool) -> PlanError {
        match by_zero {
            true => division_by_zero(),
            false => overflow(self.op, self.ty),
        }
    }

    fn floats(&self, rows: &Rows<'_>) -> Result<Value> {
        let (a, b) = (self.left.0.floats()?, self.right.0.floats()?);
        let single = *self.ty == LogicalType::Float32;
        let round = |value: f64| {
            if single {
                f64::from(value as f32)
            } else {
                value
            }
        };
        let out = match self.op {
            ArithmeticOp::Add => map2(a, b, |x, y| round(x + y)),
            ArithmeticOp::Subtract => map2(a, b, |x, y| round(x - y)),
            ArithmeticOp::Multiply => map2(a, b, |x, y| round(x * y)),
            ArithmeticOp::Divide => map2(a, b, |x, y| round(x / y)),
            ArithmeticOp::Remainder => map2(a, b, |x, y| round(x % y)),
            _ => return Err(wrong_lane("an integer")),
        };
        let value = self.result(Lane::Float(out));
        match self.divides() && b.slice().contains(&0.0) {
            true => rows.settle(value, |row| b.get(row) == 0.0, |_| division_by_zero()),
            false => Ok(value),
        }
    }

    fn decimals(&self, rows: &Rows<'_>) -> Result<Value> {
        let (a, b) = (self.left.0.wides()?, self.right.0.wides()?);
        let scale = |ty: &LogicalType| match ty {
            LogicalType::Decimal { scale, .. } => *scale,
            _ => 0,
        };
        let (s, t, result) = (scale(self.left.1), scale(self.right.1), scale(self.ty));
        let precision = match self.ty {
            LogicalType::Decimal { precision, .. } => *precision,
            _ => 19,
        };
        let op = self.op;
        let whole = matches!(self.op, ArithmeticOp::IntegerDivide);
        let wraps = whole && rows.mode == EvalMode::Legacy;
        let computed = map2(a, b, |x, y| {
            decimal(op, (x, s), (y, t), result)
                .filter(|&value| wraps || fits(value, precision))
                .filter(|&value| wraps || !whole || i64::try_from(value).is_ok())
        });
        let found = computed.iter().map(|value| value.unwrap_or(0));
        let value = self.result(match whole {
            true => Lane::Int(found.map(|value| value as i64).collect()),
            false => Lane::Wide(found.collect()),
        });
        match computed.contains(&None) {
            true => rows.settle(
                value,
                |row| computed[row].is_none(),
                |row| self.refuse(self.divides() && b.get(row) == 0),
            ),
            false => Ok(value),
        }
    }
}

/// The wrapped result, and whether it is wrong.
fn integer(op: ArithmeticOp, x: i64, y: i64) -> (i64, bool) {
    match op {
        ArithmeticOp::Add => x.overflowing_add(y),
        ArithmeticOp::Subtract => x.overflowing_sub(y),
        ArithmeticOp::Multiply => x.overflowing_mul(y),
        ArithmeticOp::Divide | ArithmeticOp::IntegerDivide => match y {
            0 => (0, true),
            y => x.overflowing_div(y),
        },
        ArithmeticOp::Remainder => match y {
            0 => (0, true),
            y => (x.wrapping_rem(y), false),
        },
        ArithmeticOp::BitAnd => (x & y, false),
        ArithmeticOp::BitOr => (x | y, false),
        ArithmeticOp::BitXor => (x ^ y, false),
    }
}

/// The exact result rounded to `scale` digits; `None` if it is beyond what 38 digits hold.
fn decimal(op: ArithmeticOp, (x, s): (i128, u8), (y, t): (i128, u8), scale: u8) -> Option<i128> {
    let common = s.max(t);
    let aligned = || Some((rescale(x, s, common)?, rescale(y, t, common)?));
    match op {
        ArithmeticOp::Add => {
            let (x, y) = aligned()?;
            rescale(x.checked_add(y)?, common, scale)
        }
        ArithmeticOp::Subtract => {
            let (x, y) = aligned()?;
            rescale(x.checked_sub(y)?, common, scale)
        }
        ArithmeticOp::Multiply => rescale(x.checked_mul(y)?, s + t, scale),
        ArithmeticOp::Divide if y == 0 => None,
        ArithmeticOp::Divide => {
            let shift = i32::from(scale) + i32::from(t) - i32::from(s);
            let factor = power_of_ten(u8::try_from(shift.unsigned_abs()).ok()?)?;
            match shift >= 0 {
                true => Some(divide_half_up(x.checked_mul(factor)?, y)),
                false => Some(divide_half_up(x, y.checked_mul(factor)?)),
            }
        }
        ArithmeticOp::IntegerDivide => {
            let (x, y) = aligned()?;
            x.checked_div(y)
        }
        ArithmeticOp::Remainder => {
            let (x, y) = aligned()?;
            rescale(x.checked_rem(y)?, common, scale)
        }
        _ => None,
    }
}

/// The number with the other sign.
pub(super) fn negate(value: &Value, ty: &LogicalType, rows: &Rows<'_>) -> Result<Value> {
    let lane = match &value.lane {
        Lane::Int(values) => Lane::Int(values.iter().map(|value| value.wrapping_neg()).collect()),
        Lane::Wide(values) => Lane::Wide(values.iter().map(|value| value.wrapping_neg()).collect()),
        Lane::Float(values) => Lane::Float(values.iter().map(|value| -value).collect()),
        _ => return Err(wrong_lane("a number")),
    };
    let out = Value::new(lane, value.known.clone(), value.one);
    let Ok(values) = value.ints() else {
        return Ok(out);
    };
    let (min, _) = range(ty);
    match rows.mode {
        // the least number is its own negation
        EvalMode::Legacy => Ok(Value {
            lane: Lane::Int(
                values
                    .slice()
                    .iter()
                    .map(|value| wrap(value.wrapping_neg(), ty))
                    .collect(),
            ),
            ..out
        }),
        EvalMode::Ansi => rows.settle(
            out,
            |row| values.get(row) == min,
            |_| PlanError::evaluate(format!("- overflows {ty}")),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_round_half_up_away_from_zero() {
        assert_eq!(rescale(1505, 3, 2), Some(151));
        assert_eq!(rescale(-1505, 3, 2), Some(-151));
        assert_eq!(rescale(1504, 3, 2), Some(150));
        assert_eq!(rescale(5, 1, 0), Some(1));
        assert_eq!(rescale(i128::MAX, 0, 1), None);
        assert_eq!(rescale(i128::MAX, 255, 0), Some(0));
        assert_eq!(divide_half_up(7, -2), -4);
        assert_eq!(divide_half_up(1, 3), 0);
    }

    #[test]
    fn results_of_decimal_operations_have_the_scale_asked_for() {
        let op = |op, x, y, scale| decimal(op, x, y, scale);
        assert_eq!(op(ArithmeticOp::Add, (150, 2), (25, 1), 2), Some(400));
        assert_eq!(op(ArithmeticOp::Multiply, (15, 1), (15, 1), 2), Some(225));
        assert_eq!(op(ArithmeticOp::Divide, (1, 0), (3, 0), 6), Some(333_333));
        assert_eq!(op(ArithmeticOp::Divide, (1, 0), (0, 0), 6), None);
        assert_eq!(op(ArithmeticOp::Remainder, (55, 1), (2, 0), 1), Some(15));
    }
}
