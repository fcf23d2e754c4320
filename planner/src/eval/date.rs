//! Functions on dates and timestamps, in UTC.

use std::fmt::Write;

use lith_format::civil::{civil, days, days_in_month};
use lith_format::types::{LogicalType, TimeUnit};

use super::call::{Call, ints2};
use super::value::{BytesOut, Lane, Value};
use crate::error::{PlanError, Result};

/// A number of the year, month and day of a date.
fn part(call: &Call<'_>, f: impl Fn(i64, u32, u32) -> i64) -> Result<Value> {
    of_days(call, |day| {
        let (year, month, day) = civil(day);
        f(year, month, day)
    })
}

fn of_days(call: &Call<'_>, f: impl Fn(i64) -> i64) -> Result<Value> {
    let dates = call.arg(0)?.ints()?.slice();
    Ok(call.value(Lane::Int(dates.iter().map(|&day| f(day)).collect())))
}

pub(super) fn year(call: &Call<'_>) -> Result<Value> {
    part(call, |year, _, _| year)
}

pub(super) fn quarter(call: &Call<'_>) -> Result<Value> {
    part(call, |_, month, _| i64::from(month.div_ceil(3)))
}

pub(super) fn month(call: &Call<'_>) -> Result<Value> {
    part(call, |_, month, _| month.into())
}

pub(super) fn day(call: &Call<'_>) -> Result<Value> {
    part(call, |_, _, day| day.into())
}

/// Sunday is 1.
pub(super) fn day_of_week(call: &Call<'_>) -> Result<Value> {
    of_days(call, |day| (day + 4).rem_euclid(7) + 1)
}

/// Monday is 0.
pub(super) fn weekday(call: &Call<'_>) -> Result<Value> {
    of_days(call, |day| (day + 3).rem_euclid(7))
}

pub(super) fn day_of_year(call: &Call<'_>) -> Result<Value> {
    of_days(call, |day| {
        day - days(civil(day).0, 1, 1).unwrap_or(day) + 1
    })
}

pub(super) fn unix_date(call: &Call<'_>) -> Result<Value> {
    of_days(call, |day| day)
}

pub(super) fn last_day(call: &Call<'_>) -> Result<Value> {
    of_days(call, |day| {
        let (year, month, _) = civil(day);
        days(year, month, days_in_month(year, month)).unwrap_or(day)
    })
}

pub(super) fn date_diff(call: &Call<'_>) -> Result<Value> {
    ints2(call, |end, start| end - start)
}

pub(super) fn date_add(call: &Call<'_>) -> Result<Value> {
    shifted(call, 1)
}

pub(super) fn date_sub(call: &Call<'_>) -> Result<Value> {
    shifted(call, -1)
}

fn shifted(call: &Call<'_>, sign: i64) -> Result<Value> {
    let (date, count) = (call.arg(0)?.ints()?, call.arg(1)?.ints()?);
    let f = |row| {
        let found = date.get(row) + sign * count.get(row);
        i32::try_from(found).ok().map(i64::from)
    };
    call.checked(Lane::Int, f, "the date overflows")
}

pub(super) fn make_date(call: &Call<'_>) -> Result<Value> {
    let (y, m, d) = (
        call.arg(0)?.ints()?,
        call.arg(1)?.ints()?,
        call.arg(2)?.ints()?,
    );
    let f = |row: usize| {
        days(
            y.get(row),
            u32::try_from(m.get(row)).ok()?,
            u32::try_from(d.get(row)).ok()?,
        )
    };
    call.checked(Lane::Int, f, "there is no such date")
}

pub(super) fn hour(call: &Call<'_>) -> Result<Value> {
    clock(call, |second| second / 3600)
}

pub(super) fn minute(call: &Call<'_>) -> Result<Value> {
    clock(call, |second| second / 60 % 60)
}

pub(super) fn second(call: &Call<'_>) -> Result<Value> {
    clock(call, |second| second % 60)
}

/// How many units of the first argument make a second.
fn per_second(call: &Call<'_>) -> i64 {
    match call.types.first() {
        Some(LogicalType::Timestamp { unit, .. } | LogicalType::Time { unit, .. }) => {
            unit.per_second()
        }
        _ => TimeUnit::Micros.per_second(),
    }
}

/// A number of the second of the day.
fn clock(call: &Call<'_>, f: impl Fn(i64) -> i64) -> Result<Value> {
    let value = call.arg(0)?;
    let of = |units: i128, per_second: i64| {
        let second = units.div_euclid(per_second.into()).rem_euclid(86_400);
        f(second as i64)
    };
    let per_second = per_second(call);
    let out = match &value.lane {
        Lane::Wide(values) => values.iter().map(|&units| of(units, per_second)).collect(),
        _ => value
            .ints()?
            .slice()
            .iter()
            .map(|&units| of(units.into(), per_second))
            .collect(),
    };
    Ok(call.value(Lane::Int(out)))
}

/// Seconds since 1970, rounded down.
pub(super) fn unix_timestamp(call: &Call<'_>) -> Result<Value> {
    let per_second = per_second(call);
    let value = call.arg(0)?;
    let seconds = match &value.lane {
        Lane::Wide(values) => {
            let seconds = values
                .iter()
                .map(|units| units.div_euclid(per_second.into()));
            seconds.map(|seconds| seconds as i64).collect()
        }
        _ => {
            let values = value.ints()?.slice().iter();
            values.map(|units| units.div_euclid(per_second)).collect()
        }
    };
    Ok(call.value(Lane::Int(seconds)))
}

/// The runs of a letter in a format; text in quotes is not supported.
fn runs(format: &str) -> impl Iterator<Item = &str> {
    let bytes = format.as_bytes();
    let ends_run = |at: &usize| *at == bytes.len() || bytes[*at] != bytes[*at - 1];
    let ends = (1..=bytes.len()).filter(move |at| ends_run(at) && format.is_char_boundary(*at));
    ends.scan(0, |start, end| Some((std::mem::replace(start, end), end)))
        .map(|(start, end)| &format[start..end])
}

/// Whether `date_format` knows all of a format.
pub(super) fn is_format(format: &str) -> bool {
    let known = |run: &str| {
        matches!(run, "yyyy" | "MM" | "dd" | "HH" | "mm" | "ss")
            || !run.contains(|c: char| c.is_ascii_alphabetic() || "'[]{}#".contains(c))
    };
    runs(format).all(known)
}

/// The parts of a moment in digits.
pub(super) fn date_format(call: &Call<'_>) -> Result<Value> {
    let (value, format) = (call.arg(0)?, call.arg(1)?);
    let format = String::from_utf8_lossy(format.bytes(0)).into_owned();
    let per_second = per_second(call);
    let second = |row: usize| -> Result<i64> {
        Ok(match &value.lane {
            Lane::Wide(_) => value.wides()?.get(row).div_euclid(per_second.into()) as i64,
            _ => value.ints()?.get(row).div_euclid(per_second),
        })
    };
    let (mut out, mut text) = (BytesOut::default(), String::new());
    for row in 0..call.held() {
        text.clear();
        if call.wants(row) {
            write_moment(&mut text, &format, second(row)?)?;
        }
        out.push(text.as_bytes());
    }
    Ok(call.value(out.lane()))
}

fn write_moment(out: &mut String, format: &str, second: i64) -> Result<()> {
    let (year, month, day) = civil(second.div_euclid(86_400));
    if !(1..=9999).contains(&year) {
        let message = "date_format of years before 1 and after 9999 is not supported";
        return Err(PlanError::unsupported(message));
    }
    let clock = second.rem_euclid(86_400);
    for run in runs(format) {
        let _ = match run {
            "yyyy" => write!(out, "{year:04}"),
            "MM" => write!(out, "{month:02}"),
            "dd" => write!(out, "{day:02}"),
            "HH" => write!(out, "{:02}", clock / 3600),
            "mm" => write!(out, "{:02}", clock / 60 % 60),
            "ss" => write!(out, "{:02}", clock % 60),
            other => write!(out, "{other}"),
        };
    }
    Ok(())
}

/// The first day of the year, quarter, month or week that a day is in; `None` for other units.
fn truncated(unit: &str, day: i64) -> Option<i64> {
    let (year, month, _) = civil(day);
    match unit {
        "YEAR" | "YYYY" | "YY" => days(year, 1, 1),
        "QUARTER" => days(year, (month - 1) / 3 * 3 + 1, 1),
        "MONTH" | "MM" | "MON" => days(year, month, 1),
        "WEEK" => Some(day - (day + 3).rem_euclid(7)),
        _ => None,
    }
}

fn unit_of(value: &Value, row: usize) -> String {
    String::from_utf8_lossy(value.bytes(row)).to_uppercase()
}

/// A unit that is not known gives null.
pub(super) fn trunc(call: &Call<'_>) -> Result<Value> {
    let (date, unit) = (call.arg(0)?.ints()?, call.arg(1)?);
    rows_or_null(call, Lane::Int, |row| {
        truncated(&unit_of(unit, row), date.get(row))
    })
}

/// A unit that is not known gives null.
pub(super) fn date_trunc(call: &Call<'_>) -> Result<Value> {
    let (unit, value) = (call.arg(0)?, call.arg(1)?);
    let per_second = match call.ty {
        LogicalType::Timestamp { unit, .. } => i128::from(unit.per_second()),
        _ => 1_000_000,
    };
    let cut = |row: usize, units: i128| -> Option<i128> {
        let per_day = per_second * 86_400;
        let step = match unit_of(unit, row).as_str() {
            "DAY" | "DD" => per_day,
            "HOUR" => per_second * 3_600,
            "MINUTE" => per_second * 60,
            "SECOND" => per_second,
            "MILLISECOND" => per_second / 1_000,
            "MICROSECOND" => per_second / 1_000_000,
            other => {
                let day = i64::try_from(units.div_euclid(per_day)).ok()?;
                return Some(i128::from(truncated(other, day)?) * per_day);
            }
        };
        Some(units.div_euclid(step) * step)
    };
    match &value.lane {
        Lane::Wide(_) => {
            let cells = value.wides()?;
            rows_or_null(call, Lane::Wide, |row| cut(row, cells.get(row)))
        }
        _ => {
            let cells = value.ints()?;
            rows_or_null(call, Lane::Int, |row| {
                i64::try_from(cut(row, cells.get(row).into())?).ok()
            })
        }
    }
}

/// A number per wanted row; `None` is a null.
fn rows_or_null<T: Copy + Default>(
    call: &Call<'_>,
    lane: fn(Vec<T>) -> Lane,
    f: impl Fn(usize) -> Option<T>,
) -> Result<Value> {
    let found: Vec<Option<T>> = (0..call.held())
        .map(|row| call.wants(row).then(|| f(row)).flatten())
        .collect();
    let known = found.iter().map(Option::is_some).collect();
    let out = found.into_iter().map(Option::unwrap_or_default).collect();
    Ok(Value::new(lane(out), Some(known), call.one()))
}
