//! What to write instead of a condition that engines cannot judge before they read rows.

use std::ops::Range;

use lith_format::civil;
use lith_format::filter::{Affix, CompareOp};
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;

use crate::calendar::date_text;
use crate::expr::{ArithmeticOp, Column, Expr};
use crate::plan::ScanPlan;
use crate::prune::partition_value;

/// What lith does with a conjunct that Spark does not push.
pub(super) fn how_lith_judges(conjunct: &Expr) -> String {
    let compares_columns = conjunct.any(|e| match e {
        Expr::Compare { left, right, .. } => {
            !left.columns().is_empty() && !right.columns().is_empty()
        }
        _ => false,
    });
    if compares_columns {
        return "lith evaluates it on the bounds of both".to_owned();
    }
    match how_to_rewrite(conjunct) {
        Some(rewrite) => format!("{rewrite}; lith has judged it so"),
        None => "lith evaluates what it can of it on bounds".to_owned(),
    }
}

/// What to write instead, where there is something.
pub(super) fn how_to_rewrite(conjunct: &Expr) -> Option<String> {
    let mut found = text_as_range(conjunct).or_else(|| as_comparison(conjunct).map(str::to_owned));
    conjunct.for_each(|expr| {
        found = found.take().or_else(|| rewrite(expr).map(str::to_owned));
    });
    found
}

/// Comparisons with a constant that are true for one range of the column, or for single values.
fn as_comparison(expr: &Expr) -> Option<&'static str> {
    let (op, left, right) = match expr {
        Expr::And(left, right) | Expr::Or(left, right) => {
            return as_comparison(left).or_else(|| as_comparison(right));
        }
        Expr::In { expr, list, .. } if list.iter().all(|item| item.columns().is_empty()) => {
            return is_text_of_column(expr).then_some(OWN_TYPE);
        }
        Expr::NullSafeEq(left, right) => (CompareOp::Eq, left, right),
        Expr::Compare { op, left, right } => (*op, left, right),
        _ => return None,
    };
    let computed = match (left.columns().is_empty(), right.columns().is_empty()) {
        (false, true) => left,
        (true, false) => right,
        _ => return None,
    };
    match &**computed {
        // a month comes again every year: it is no range
        Expr::Function { name, .. }
            if op != CompareOp::NotEq
                && matches!(name.as_str(), "year" | "date_trunc" | "trunc") =>
        {
            Some("write it as a range: column >= start AND column < end")
        }
        computed if op == CompareOp::Eq && is_text_of_column(computed) => Some(OWN_TYPE),
        _ => None,
    }
}

/// An OR of equalities of one column as an IN.
pub(super) fn as_list(conjunct: &Expr) -> Option<String> {
    const SHOWN: usize = 5;
    let (mut column, mut values) = (None, Vec::new());
    for side in conjunct.disjuncts() {
        let of = match side {
            Expr::Compare {
                op: CompareOp::Eq,
                left,
                right,
            } => match (&**left, &**right) {
                (of, value @ Expr::Literal(..)) | (value @ Expr::Literal(..), of) => {
                    values.push(value);
                    of
                }
                _ => return None,
            },
            Expr::In { expr, list, .. } => {
                values.extend(list);
                expr
            }
            _ => return None,
        };
        let Expr::Column(of) = of else { return None };
        if *column.get_or_insert(of) != of {
            return None;
        }
    }
    let column = column.filter(|_| matches!(conjunct, Expr::Or(..)))?;
    let shown: Vec<String> = values.iter().take(SHOWN).map(|value| value.sql()).collect();
    let more = if values.len() > SHOWN { ", .." } else { "" };
    let (column, values) = (column.sql(), shown.join(", "));
    Some(format!("the same in short: {column} IN ({values}{more})"))
}

const OWN_TYPE: &str =
    "compare the column with a literal of its own type instead of casting it to text";

fn is_text_of_column(expr: &Expr) -> bool {
    matches!(expr, Expr::Cast { expr, ty, .. } if matches!(**expr, Expr::Column(_)) && ty.is_text())
}

fn rewrite(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::Cast { expr, .. } if is_text_column(expr) => {
            Some("the column holds text: compare it with text, or store it as a number")
        }
        Expr::Arithmetic {
            op: ArithmeticOp::Add | ArithmeticOp::Subtract,
            left,
            right,
            ..
        } if left.columns().is_empty() != right.columns().is_empty() => {
            Some("move the constant to the other side, so that the bare column is compared")
        }
        _ => None,
    }
}

fn is_text_column(expr: &Expr) -> bool {
    matches!(expr, Expr::Column(c) if c.bound.as_ref().is_some_and(|b| b.ty.is_text()))
}

/// A date or timestamp as text, compared with the beginning of such a text: the range that it stands for.
fn text_as_range(conjunct: &Expr) -> Option<String> {
    let (text, literal) = match conjunct {
        Expr::Compare {
            op: CompareOp::Eq,
            left,
            right,
        } => (left, right),
        Expr::Affix {
            affix: Affix::Prefix,
            expr,
            part,
        } => (expr, part),
        Expr::Like {
            expr,
            pattern,
            ignore_case: false,
            ..
        } => (expr, pattern),
        _ => return None,
    };
    let (
        Expr::Cast {
            expr: column,
            ty: LogicalType::String,
            ..
        },
        Expr::Literal(Scalar::String(literal), _),
    ) = (&**text, &**literal)
    else {
        return None;
    };
    let Expr::Column(column) = &**column else {
        return None;
    };
    let (ty, name) = (&column.bound.as_ref()?.ty, column.sql());
    if !matches!(ty, LogicalType::Date | LogicalType::Timestamp { .. }) {
        return None;
    }
    let prefix = literal.trim_end_matches('%');
    let range = match (conjunct, ty) {
        (Expr::Compare { .. }, LogicalType::Date) => {
            days_of(prefix).filter(|_| prefix.len() == 10)?;
            format!("{name} = DATE '{prefix}'")
        }
        (Expr::Compare { .. }, _) => {
            days_of(prefix.get(..10)?).filter(|_| prefix.len() >= 19)?;
            format!("{name} = TIMESTAMP '{prefix}'")
        }
        _ => {
            let (start, next) = days_of(prefix)?;
            let (start, next) = (date_text(start), date_text(next));
            format!("{name} >= DATE '{start}' AND {name} < DATE '{next}'")
        }
    };
    Some(format!("text reads every file in Spark: write {range}"))
}

/// The first day of `2024`, `2024-06` or `2024-06-01`, perhaps with a dash behind, and the first day after it.
fn days_of(text: &str) -> Option<(i32, i32)> {
    let number = |range: Range<usize>| text.get(range)?.parse::<u32>().ok();
    let dashes = |at: &[usize]| at.iter().all(|&at| text.as_bytes().get(at) == Some(&b'-'));
    let year = i64::from(number(0..4)?);
    let days = |year, month, day| i32::try_from(civil::days(year, month, day)?).ok();
    match text.len() {
        4 | 5 if dashes(&[4][..text.len() - 4]) => Some((days(year, 1, 1)?, days(year + 1, 1, 1)?)),
        7 | 8 if dashes(&[4, 7][..text.len() - 6]) => {
            let month = number(5..7)?;
            let (next_year, next_month) = civil::next_month(year, month);
            Some((days(year, month, 1)?, days(next_year, next_month, 1)?))
        }
        10 if dashes(&[4, 7]) => {
            let start = days(year, number(5..7)?, number(8..10)?)?;
            Some((start, start.checked_add(1)?))
        }
        _ => None,
    }
}

/// A partition column whose directories hold text, converted to a number: which text to compare with.
pub(super) fn of_partition(conjunct: &Expr, plan: &ScanPlan) -> Option<String> {
    let mut found = None;
    conjunct.for_each(|expr| {
        if let Expr::Cast { expr, .. } = expr
            && is_text_column(expr)
            && let Expr::Column(column) = &**expr
        {
            found = found.take().or_else(|| text_of_directory(column, plan));
        }
    });
    found
}

fn text_of_directory(column: &Column, plan: &ScanPlan) -> Option<String> {
    let index = column.index()?;
    let value = |task| partition_value(task, index, plan.table.data_columns());
    let text = plan
        .tasks
        .iter()
        .find_map(|task| match value(&task.partition) {
            Scalar::String(text) => Some(text),
            _ => None,
        })?;
    let name = column.sql();
    Some(format!(
        "{name} is partitioned as text, such as '{text}': compare with text, {name} = '{text}'"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_of_dates_are_ranges_of_days() {
        let range = |text| days_of(text).map(|(start, next)| (date_text(start), date_text(next)));
        let dates = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(range("2024"), dates("2024-01-01", "2025-01-01"));
        assert_eq!(range("2024-12"), dates("2024-12-01", "2025-01-01"));
        assert_eq!(range("2024-06-"), dates("2024-06-01", "2024-07-01"));
        assert_eq!(range("2024-02-29"), dates("2024-02-29", "2024-03-01"));
        for none in ["", "202", "2024-1", "2023-02-29", "2024/06", "ü024-06"] {
            assert_eq!(range(none), None, "{none}");
        }
    }
}
