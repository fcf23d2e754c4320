//! About how many rows pass, from metadata alone: values are taken to lie evenly between their bounds, and conditions
//! to be independent of each other. What is certain is the range: at least the rows of row groups that pass whole, at
//! most those of row groups that are not ruled out; where nulls are counted, they pass or fail apart from the others.

use std::borrow::Cow;
use std::ops::Range;

use lith_format::filter::{CompareOp, Filter, Verdict};
use lith_format::scalar::Scalar;
use lith_format::schema::LeafId;
use lith_format::stats::{Bound, ColumnStats};
use serde_json::{Value, json};

use super::Unit;

/// The share of rows that a condition of which nothing is known is taken to keep.
const UNKNOWN: f64 = 0.3;
/// The same of an equality, and of a text with a given part.
const EQUAL: f64 = 0.05;
const PART: f64 = 0.1;
/// The nulls of so many leaves of a filter are judged for themselves.
const TRIED: usize = 8;

/// A number of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Estimate {
    /// At least so many, for certain.
    pub at_least: u64,
    /// About so many.
    pub about: u64,
    /// At most so many, for certain.
    pub at_most: u64,
}

impl Estimate {
    /// Of the rows of some row groups for which a filter is true.
    pub(super) fn new(filter: &Filter, units: &[Unit]) -> Estimate {
        let (mut out, mut about) = (Estimate::default(), 0.0);
        for unit in units {
            let rows = unit.group.rows;
            let stats = |leaf| unit.stats(leaf);
            let certain = certain(filter, rows, &stats);
            out.at_least += certain.start;
            out.at_most += certain.end;
            let guess = rows as f64 * odds(filter, &stats).yes;
            about += guess.clamp(certain.start as f64, certain.end as f64);
        }
        out.about = (about.round() as u64).clamp(out.at_least, out.at_most);
        out
    }

    pub(super) fn json(&self) -> Value {
        json!({"at_least": self.at_least, "estimated": self.about, "at_most": self.at_most})
    }
}

/// For how many rows a filter is true at least and at most. Where it is known how many values of a leaf are null, they
/// are judged for themselves.
fn certain<'a>(
    filter: &Filter,
    rows: u64,
    stats: &dyn Fn(LeafId) -> Option<Cow<'a, ColumnStats>>,
) -> Range<u64> {
    let of = |verdict, rows| match verdict {
        Verdict::Never => 0..0,
        Verdict::Maybe => 0..rows,
        Verdict::Always => rows..rows,
    };
    let mut found = of(filter.judge(stats), rows);
    if found.is_empty() {
        return found;
    }
    for leaf in filter.leaves().into_iter().take(TRIED) {
        let known = stats(leaf).unwrap_or_default();
        let Some(nulls) = known.null_count.filter(|_| known.value_count == Some(rows)) else {
            continue;
        };
        let with = |of_leaf: ColumnStats| {
            filter.judge(&|other| match other == leaf {
                true => Some(Cow::Owned(of_leaf.clone())),
                false => stats(other),
            })
        };
        let null = ColumnStats::constant(&Scalar::Null, nulls);
        let not_null = of(with(known.without_nulls()), rows.saturating_sub(nulls));
        let null = of(with(null), nulls);
        found.start = found.start.max(null.start + not_null.start);
        found.end = found.end.min(null.end + not_null.end);
    }
    found
}

/// About which share of rows a filter is true for, and which it is false for; for the others it is UNKNOWN.
#[derive(Debug, Clone, Copy)]
struct Odds {
    yes: f64,
    no: f64,
}

impl Odds {
    /// True for this share of those rows for which it is known at all.
    fn of(share: f64, known: f64) -> Odds {
        let yes = share.clamp(0.0, 1.0) * known;
        Odds {
            yes,
            no: known - yes,
        }
    }

    fn not(self) -> Odds {
        Odds {
            yes: self.no,
            no: self.yes,
        }
    }

    fn and(self, other: Odds) -> Odds {
        Odds {
            yes: self.yes * other.yes,
            no: 1.0 - (1.0 - self.no) * (1.0 - other.no),
        }
    }
}

fn odds<'a>(filter: &Filter, stats: &dyn Fn(LeafId) -> Option<Cow<'a, ColumnStats>>) -> Odds {
    let of = |leaf: LeafId| stats(leaf).unwrap_or_default();
    let every = Odds::of(1.0, 1.0);
    match filter {
        Filter::Constant(None) => Odds::of(0.0, 0.0),
        Filter::Constant(Some(value)) => Odds::of(f64::from(u8::from(*value)), 1.0),
        Filter::And(all) => (all.iter()).fold(every, |odd, one| odd.and(odds(one, stats))),
        Filter::Or(all) => (all.iter())
            .fold(every, |odd, one| odd.and(odds(one, stats).not()))
            .not(),
        Filter::Not(inner) => odds(inner, stats).not(),
        Filter::IsNull(leaf) => Odds::of(nulls(&of(*leaf)).unwrap_or(EQUAL), 1.0),
        Filter::IsNotNull(leaf) => Odds::of(nulls(&of(*leaf)).unwrap_or(EQUAL), 1.0).not(),
        Filter::Compare { leaf, op, value } => {
            let stats = of(*leaf);
            Odds::of(compared(&stats, *op, value), known(&stats))
        }
        Filter::NullSafeEq { leaf, value } => {
            let stats = of(*leaf);
            let equal = compared(&stats, CompareOp::Eq, value);
            Odds::of(equal * known(&stats), 1.0)
        }
        Filter::In { leaf, values, .. } => {
            let stats = of(*leaf);
            let one = |value| compared(&stats, CompareOp::Eq, value);
            Odds::of(values.iter().map(one).sum::<f64>(), known(&stats))
        }
        Filter::Like { leaf, bytes, .. } => {
            let share = if bytes.is_empty() { 1.0 } else { PART };
            Odds::of(share, known(&of(*leaf)))
        }
        Filter::Mapped {
            leaf,
            mapping,
            inner,
        } => {
            let (image, _) = mapping.image(&of(*leaf));
            odds(inner, &|_| Some(Cow::Borrowed(&image)))
        }
        Filter::Case {
            branches,
            otherwise,
        } => chosen(branches, otherwise, stats),
        _ => Odds::of(UNKNOWN, 1.0),
    }
}

fn chosen<'a>(
    branches: &[(Filter, Filter)],
    otherwise: &Filter,
    stats: &dyn Fn(LeafId) -> Option<Cow<'a, ColumnStats>>,
) -> Odds {
    let (mut left, mut out) = (1.0, Odds::of(0.0, 0.0));
    let mut add = |share: f64, odds: Odds| {
        out.yes += share * odds.yes;
        out.no += share * odds.no;
    };
    for (condition, then) in branches {
        let met = left * odds(condition, stats).yes;
        add(met, odds(then, stats));
        left -= met;
    }
    add(left, odds(otherwise, stats));
    out
}

fn nulls(stats: &ColumnStats) -> Option<f64> {
    let all = stats.value_count.filter(|all| *all > 0)?;
    Some(stats.null_count? as f64 / all as f64)
}

/// The share of values that are not null.
fn known(stats: &ColumnStats) -> f64 {
    1.0 - nulls(stats).unwrap_or(0.0)
}

/// About which share of the values that are not null compare so.
fn compared(stats: &ColumnStats, op: CompareOp, value: &Scalar) -> f64 {
    let bound = |bound: &Option<Bound>| bound.as_ref().and_then(|bound| number(&bound.value));
    let span = bound(&stats.min).zip(bound(&stats.max)).zip(number(value));
    // whole numbers lie in the middle of steps of 1
    let step = f64::from(u8::from(is_whole(stats)));
    let equal = match span {
        Some(((min, max), value)) if value < min || value > max => 0.0,
        Some(((min, max), _)) if min == max => 1.0,
        Some(((min, max), _)) if step > 0.0 => {
            let values =
                (max - min + step).min(stats.value_count.map_or(f64::MAX, |n| n.max(1) as f64));
            1.0 / values
        }
        _ => {
            let distinct = stats.distinct_count;
            distinct.map_or(EQUAL, |distinct| 1.0 / distinct.max(1) as f64)
        }
    };
    // up to the value, without it if it is whole
    let below = |with: bool| match span {
        None => UNKNOWN,
        Some(((min, max), value)) if max > min => {
            let end = value + if with { step } else { 0.0 };
            ((end - min) / (max - min + step)).clamp(0.0, 1.0)
        }
        Some(((min, _), value)) => f64::from(u8::from(value > min || with && value == min)),
    };
    match op {
        CompareOp::Eq => equal,
        CompareOp::NotEq => 1.0 - equal,
        CompareOp::Gt | CompareOp::GtEq if span.is_none() => UNKNOWN,
        CompareOp::Lt => below(false),
        CompareOp::LtEq => below(true),
        CompareOp::Gt => 1.0 - below(true),
        CompareOp::GtEq => 1.0 - below(false),
    }
}

/// Whether values lie at whole steps.
fn is_whole(stats: &ColumnStats) -> bool {
    let whole = |bound: &Bound| matches!(bound.value, Scalar::Int(_) | Scalar::Date(_));
    stats.min.as_ref().is_some_and(whole)
}

/// A value on a line of numbers; infinities are beyond it.
pub(super) fn number(value: &Scalar) -> Option<f64> {
    let number = match value {
        Scalar::Int(value) => Some(*value as f64),
        Scalar::Float32(value) => Some(f64::from(*value)),
        Scalar::Float64(value) => Some(*value),
        Scalar::Decimal { unscaled, scale } => {
            Some(*unscaled as f64 / 10f64.powi(i32::from(*scale)))
        }
        Scalar::Date(days) => Some(f64::from(*days)),
        Scalar::Timestamp { value, unit, .. } => Some(*value as f64 / unit.per_second() as f64),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use lith_format::filter::Affix;
    use lith_format::scan::TableSchema;

    use super::*;
    use crate::ansi::EvalMode;
    use crate::ddl::parse_columns;
    use crate::eval::Program;
    use crate::judge::Judge;
    use crate::resolve::resolve_condition;
    use crate::sql;

    #[test]
    fn shares_follow_bounds_and_nulls() {
        let bound = |value| {
            Some(Bound {
                value: Scalar::Int(value),
                exact: true,
            })
        };
        let stats = ColumnStats {
            min: bound(0),
            max: bound(99),
            null_count: Some(500),
            value_count: Some(1000),
            ..ColumnStats::default()
        };
        let compare = |op, value| Filter::Compare {
            leaf: LeafId(0),
            op,
            value: Scalar::Int(value),
        };
        let of = |filter: &Filter| odds(filter, &|_| Some(Cow::Borrowed(&stats))).yes;
        let near =
            |found: f64, wanted: f64| assert!((found - wanted).abs() < 0.01, "{found} {wanted}");
        near(of(&compare(CompareOp::Lt, 50)), 0.25);
        near(of(&compare(CompareOp::Gt, 50)), 0.25);
        near(of(&compare(CompareOp::Eq, 50)), 0.005);
        near(of(&compare(CompareOp::Eq, 500)), 0.0);
        near(of(&compare(CompareOp::LtEq, 0)), 0.005);
        near(of(&compare(CompareOp::LtEq, 98)), 0.495);
        near(of(&compare(CompareOp::GtEq, 99)), 0.005);
        near(of(&compare(CompareOp::Gt, 98)), 0.005);
        near(of(&compare(CompareOp::NotEq, 50)), 0.495);
        let not = |filter| Filter::Not(Box::new(filter));
        near(of(&not(compare(CompareOp::Eq, 50))), 0.495);
        near(of(&not(compare(CompareOp::Lt, 50))), 0.25);
        let any_text = Filter::Like {
            leaf: LeafId(0),
            affix: Affix::Prefix,
            bytes: Vec::new(),
        };
        near(of(&any_text), 0.5);
        near(of(&not(any_text)), 0.0);
        near(of(&Filter::IsNull(LeafId(0))), 0.5);
        let both = Filter::And(vec![
            compare(CompareOp::GtEq, 25),
            compare(CompareOp::Lt, 75),
        ]);
        near(of(&both), 0.14);
        near(of(&not(both.clone())), 0.234);
        near(
            of(&Filter::Or(vec![both, Filter::Constant(Some(true))])),
            1.0,
        );
    }

    #[test]
    fn infinite_bounds_tell_nothing() {
        let bound = |value| {
            Some(Bound {
                value: Scalar::Float64(value),
                exact: true,
            })
        };
        let stats = ColumnStats {
            min: bound(f64::NEG_INFINITY),
            max: bound(9.0),
            ..ColumnStats::default()
        };
        for op in [CompareOp::Lt, CompareOp::GtEq] {
            let filter = Filter::Compare {
                leaf: LeafId(0),
                op,
                value: Scalar::Float64(1.0),
            };
            let found = odds(&filter, &|_| Some(Cow::Borrowed(&stats)));
            assert_eq!(found.yes, UNKNOWN);
        }
    }

    /// Every group of three rows, whose numbers of nulls are known.
    #[test]
    fn what_is_certain_holds_and_is_exact_where_only_nulls_differ() {
        let table = TableSchema::of_file(parse_columns("x int").unwrap().into());
        let values = [Scalar::Null, Scalar::Int(1), Scalar::Int(2), Scalar::Int(7)];
        let exact = [
            "x IS NULL",
            "x <> 9",
            "NOT (x = 9)",
            "x IS NOT NULL AND x < 8",
            "x <=> NULL",
        ];
        let others = [
            "x < 2",
            "x <= 2",
            "x NOT IN (1, 2)",
            "coalesce(x, 1) = 1",
            "x = 1 OR x IS NULL",
            "x % 2 = 1",
        ];
        for text in exact.iter().chain(&others) {
            let condition =
                resolve_condition(sql::parse(text).unwrap(), &table, EvalMode::Ansi).unwrap();
            let program = Program::new(&condition).unwrap();
            let filter = Judge::of_text(text, &table).unwrap().filter;
            for number in 0..64 {
                let rows = [0, 2, 4].map(|shift| values[number >> shift & 3].clone());
                let known = rows.iter().filter(|row| !row.is_null());
                let known: Vec<i64> = known
                    .map(|row| match row {
                        Scalar::Int(value) => *value,
                        _ => 0,
                    })
                    .collect();
                let bound = |value: Option<&i64>| {
                    let value = Scalar::Int(*value?);
                    Some(Bound { value, exact: true })
                };
                let stats = ColumnStats {
                    min: bound(known.iter().min()),
                    max: bound(known.iter().max()),
                    null_count: Some(3 - known.len() as u64),
                    value_count: Some(3),
                    ..ColumnStats::default()
                };
                let of = certain(&filter, 3, &|_| Some(Cow::Borrowed(&stats)));
                let is_true = |row: &&Scalar| {
                    program.row(&|_| (*row).clone()).unwrap() == Scalar::Boolean(true)
                };
                let passing = rows.iter().filter(is_true).count() as u64;
                assert!(
                    of.start <= passing && passing <= of.end,
                    "{text} {rows:?}: {of:?}"
                );
                assert!(
                    of.start == of.end || !exact.contains(text),
                    "{text} {rows:?}: {of:?}"
                );
            }
        }
    }
}
