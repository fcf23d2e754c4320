//! The table of functions that can be evaluated, and the functions on numbers.

use lith_format::filter::CompareOp;
use lith_format::types::LogicalType;

use super::call::{Call, Kernel};
use super::compare::compare;
use super::number::{divide_half_up, power_of_ten, range, rescale, wrap};
use super::value::{Lane, Value, mask, wrong_lane};
use super::{date, json, run, text};
use crate::ansi::EvalMode;
use crate::error::{PlanError, Result};
use crate::sql::parse_decimal;

/// What computes the function of this name.
pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "upper" | "ucase" => text::upper,
        "lower" | "lcase" => text::lower,
        "initcap" => text::initcap,
        "reverse" => text::reverse,
        "length" | "len" | "char_length" | "character_length" => text::length,
        "substr" | "substring" => text::substring,
        "left" => text::left,
        "right" => text::right,
        "concat" => text::concat,
        "trim" | "btrim" => text::trim,
        "ltrim" => text::ltrim,
        "rtrim" => text::rtrim,
        "replace" => text::replace,
        "instr" => text::instr,
        "abs" => abs,
        "sign" | "signum" => sign,
        "pmod" => pmod,
        "floor" => floor,
        "ceil" | "ceiling" => ceil,
        "round" => round,
        "isnan" => isnan,
        "greatest" => greatest,
        "least" => least,
        "year" => date::year,
        "quarter" => date::quarter,
        "month" => date::month,
        "day" | "dayofmonth" => date::day,
        "dayofweek" => date::day_of_week,
        "weekday" => date::weekday,
        "dayofyear" => date::day_of_year,
        "hour" => date::hour,
        "minute" => date::minute,
        "second" => date::second,
        "date_trunc" => date::date_trunc,
        "trunc" => date::trunc,
        "date_add" => date::date_add,
        "date_sub" => date::date_sub,
        "datediff" | "date_diff" => date::date_diff,
        "unix_date" => date::unix_date,
        "last_day" => date::last_day,
        "make_date" => date::make_date,
        "unix_timestamp" => date::unix_timestamp,
        "get_json_object" => json::get_json_object,
        _ => return None,
    })
}

fn abs(call: &Call<'_>) -> Result<Value> {
    let value = call.arg(0)?;
    match &value.lane {
        Lane::Float(values) => {
            Ok(call.value(Lane::Float(values.iter().map(|v| v.abs()).collect())))
        }
        Lane::Wide(values) => Ok(call.value(Lane::Wide(
            values.iter().map(|v| v.wrapping_abs()).collect(),
        ))),
        _ => {
            let (cells, (_, max)) = (value.ints()?, range(call.ty));
            let f = |row| match call.rows.mode {
                EvalMode::Ansi => cells.get(row).checked_abs().filter(|&found| found <= max),
                EvalMode::Legacy => Some(wrap(cells.get(row).wrapping_abs(), call.ty)),
            };
            call.checked(Lane::Int, f, "abs overflows")
        }
    }
}

fn sign(call: &Call<'_>) -> Result<Value> {
    let values = call.arg(0)?.floats()?.slice();
    let sign = |v: &f64| {
        if *v == 0.0 || v.is_nan() {
            *v
        } else {
            v.signum()
        }
    };
    Ok(call.value(Lane::Float(values.iter().map(sign).collect())))
}

fn pmod(call: &Call<'_>) -> Result<Value> {
    let (a, b) = (call.arg(0)?, call.arg(1)?);
    match &a.lane {
        Lane::Int(_) => {
            let (x, y) = (a.ints()?, b.ints()?);
            let f = |row| {
                let (x, y) = (i128::from(x.get(row)), i128::from(y.get(row)));
                let rest = x.checked_rem(y)?;
                i64::try_from(if rest < 0 { (rest + y) % y } else { rest }).ok()
            };
            call.checked(Lane::Int, f, "division by zero")
        }
        Lane::Float(_) => {
            let (x, y) = (a.floats()?, b.floats()?);
            let f = |row| {
                let (x, y) = (x.get(row), y.get(row));
                let rest = x % y;
                (y != 0.0).then_some(if rest < 0.0 { (rest + y) % y } else { rest })
            };
            call.checked(Lane::Float, f, "division by zero")
        }
        _ => Err(PlanError::unsupported("pmod of decimals is not supported")),
    }
}

fn floor(call: &Call<'_>) -> Result<Value> {
    whole(call, f64::floor, |value, unit| value.div_euclid(unit))
}

fn ceil(call: &Call<'_>) -> Result<Value> {
    whole(call, f64::ceil, |value, unit| -(-value).div_euclid(unit))
}

fn whole(call: &Call<'_>, float: fn(f64) -> f64, decimal: fn(i128, i128) -> i128) -> Result<Value> {
    let value = call.arg(0)?;
    match (&value.lane, call.types.first()) {
        (Lane::Int(_), _) => Ok(value.clone()),
        (Lane::Wide(values), Some(LogicalType::Decimal { scale, .. })) => {
            let unit = power_of_ten(*scale).ok_or_else(|| wrong_lane("a decimal"))?;
            Ok(call.value(Lane::Wide(
                values.iter().map(|&value| decimal(value, unit)).collect(),
            )))
        }
        _ => {
            let cells = value.floats()?;
            let f = |row| {
                let found = float(cells.get(row));
                let inside =
                    (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&found);
                // of NaN, Spark's is 0
                let nearest = found.is_nan() || call.rows.mode == EvalMode::Legacy;
                (inside || nearest).then_some(found as i64)
            };
            call.checked(Lane::Int, f, "the whole number overflows bigint")
        }
    }
}

/// Rounds half up, away from zero, to so many digits after the point; before it if negative.
fn round(call: &Call<'_>) -> Result<Value> {
    let value = call.arg(0)?;
    let digits = call.arg(1)?.ints()?;
    let digits = |row: usize| i32::try_from(digits.get(row)).unwrap_or(0);
    match (&value.lane, call.types.first(), call.ty) {
        (
            Lane::Wide(_),
            Some(LogicalType::Decimal { scale, .. }),
            LogicalType::Decimal { scale: to, .. },
        ) => {
            let cells = value.wides()?;
            let f = |row| {
                round_exact(cells.get(row), *scale, digits(row))
                    .and_then(|found| rescale(found, *scale, *to))
            };
            call.checked(Lane::Wide, f, "round overflows")
        }
        (Lane::Float(_), ..) => {
            let (cells, single) = (value.floats()?, *call.ty == LogicalType::Float32);
            call.checked(
                Lane::Float,
                |row| Some(round_float(cells.get(row), digits(row), single)),
                "",
            )
        }
        _ => {
            let (cells, (min, max)) = (value.ints()?, range(call.ty));
            let f = |row| {
                let found = round_exact(cells.get(row).into(), 0, digits(row))?;
                match call.rows.mode {
                    EvalMode::Ansi => i64::try_from(found).ok(),
                    EvalMode::Legacy => Some(wrap(found as i64, call.ty)),
                }
                .filter(|found| (min..=max).contains(found))
            };
            call.checked(Lane::Int, f, "round overflows")
        }
    }
}

/// Rounds a number of a scale, and keeps the scale.
fn round_exact(unscaled: i128, scale: u8, digits: i32) -> Option<i128> {
    let dropped = i32::from(scale) - digits;
    if dropped <= 0 {
        return Some(unscaled);
    }
    let Some(unit) = u8::try_from(dropped).ok().and_then(power_of_ten) else {
        return Some(0);
    };
    divide_half_up(unscaled, unit).checked_mul(unit)
}

fn round_float(value: f64, digits: i32, single: bool) -> f64 {
    let shortest = if single {
        format!("{:e}", value as f32)
    } else {
        format!("{value:e}")
    };
    let rounded = parse_decimal(&shortest)
        .and_then(|(unscaled, scale)| Some((round_exact(unscaled, scale, digits)?, scale)))
        .and_then(|(unscaled, scale)| format!("{unscaled}e-{scale}").parse::<f64>().ok());
    match rounded {
        Some(rounded) if single => f64::from(rounded as f32),
        Some(rounded) => rounded,
        // too large to have digits after the point, too small to keep any, or not finite
        None if value.abs() < 1.0 => 0.0,
        None => value,
    }
}

/// Never unknown: a null is not NaN.
fn isnan(call: &Call<'_>) -> Result<Value> {
    let value = call.arg(0)?;
    let bits = mask(value.floats()?.slice(), f64::is_nan);
    let known = value.known_rows(value.held());
    Ok(Value::known_truth(bits.and(&known), value.one))
}

fn greatest(call: &Call<'_>) -> Result<Value> {
    extreme(call, CompareOp::Gt)
}

fn least(call: &Call<'_>) -> Result<Value> {
    extreme(call, CompareOp::Lt)
}

/// The known argument that stands in `better` to all others.
fn extreme(call: &Call<'_>, better: CompareOp) -> Result<Value> {
    let held = call.held();
    let mut best = call.arg(0)?.clone();
    for next in &call.args[1..] {
        let wins = compare(better, next, &best)?.is_true(held)?;
        let takes = wins.or(&next.known_rows(held).and_not(&best.known_rows(held)));
        let choice: Vec<usize> = takes.iter().map(usize::from).collect();
        best = run::merge(&[best, next.clone()], &choice);
    }
    best.one = call.one();
    Ok(best)
}
