//! About how many rows pass, from metadata alone: values are taken to lie evenly between their bounds, and conditions
//! to be independent of each other. What is certain is the range: at least the rows of row groups that pass whole, at
//! most those of row groups that are not ruled out.

use std::borrow::Cow;

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
            match unit.judge(filter) {
                Verdict::Never => {}
                Verdict::Always => {
                    out.at_least += rows;
                    out.at_most += rows;
                    about += rows as f64;
                }
                Verdict::Maybe => {
                    out.at_most += rows;
                    about += rows as f64 * share(filter, &|leaf| unit.stats(leaf)).clamp(0.0, 1.0);
                }
            }
        }
        out.about = (about.round() as u64).clamp(out.at_least, out.at_most);
        out
    }

    pub(super) fn json(&self) -> Value {
        json!({"at_least": self.at_least, "estimated": self.about, "at_most": self.at_most})
    }
}

/// About which share of rows a filter is true for.
fn share<'a>(filter: &Filter, stats: &dyn Fn(LeafId) -> Option<Cow<'a, ColumnStats>>) -> f64 {
    let of = |leaf: LeafId| stats(leaf).unwrap_or_default();
    match filter {
        Filter::Constant(value) => f64::from(u8::from(*value == Some(true))),
        Filter::And(all) => all.iter().map(|one| share(one, stats)).product(),
        Filter::Or(all) => {
            1.0 - all
                .iter()
                .map(|one| 1.0 - share(one, stats))
                .product::<f64>()
        }
        Filter::Not(inner) => 1.0 - share(inner, stats),
        Filter::IsNull(leaf) => nulls(&of(*leaf)).unwrap_or(EQUAL),
        Filter::IsNotNull(leaf) => 1.0 - nulls(&of(*leaf)).unwrap_or(EQUAL),
        Filter::Compare { leaf, op, value } => compared(&of(*leaf), *op, value),
        Filter::NullSafeEq { leaf, value } => compared(&of(*leaf), CompareOp::Eq, value),
        Filter::In { leaf, values, .. } => {
            let stats = of(*leaf);
            let one = |value| compared(&stats, CompareOp::Eq, value);
            values.iter().map(one).sum::<f64>().min(1.0)
        }
        Filter::Like { .. } => PART,
        Filter::Mapped {
            leaf,
            mapping,
            inner,
        } => {
            let (image, _) = mapping.image(&of(*leaf));
            share(inner, &|_| Some(Cow::Borrowed(&image)))
        }
        Filter::Case {
            branches,
            otherwise,
        } => {
            let (mut left, mut chosen) = (1.0, 0.0);
            for (condition, then) in branches {
                let met = left * share(condition, stats);
                chosen += met * share(then, stats);
                left -= met;
            }
            chosen + left * share(otherwise, stats)
        }
        _ => UNKNOWN,
    }
}

fn nulls(stats: &ColumnStats) -> Option<f64> {
    let all = stats.value_count.filter(|all| *all > 0)?;
    Some(stats.null_count? as f64 / all as f64)
}

fn compared(stats: &ColumnStats, op: CompareOp, value: &Scalar) -> f64 {
    let known = 1.0 - nulls(stats).unwrap_or(0.0);
    let bound = |bound: &Option<Bound>| bound.as_ref().and_then(|bound| number(&bound.value));
    let span = bound(&stats.min).zip(bound(&stats.max)).zip(number(value));
    let equal = || match span {
        Some(((min, max), value)) if value < min || value > max => 0.0,
        Some(((min, max), _)) if is_whole(stats) => {
            let values =
                (max - min + 1.0).min(stats.value_count.map_or(f64::MAX, |n| n.max(1) as f64));
            1.0 / values
        }
        _ => stats
            .distinct_count
            .map_or(EQUAL, |distinct| 1.0 / distinct.max(1) as f64),
    };
    let below = || match span {
        Some(((min, max), value)) if max > min => ((value - min) / (max - min)).clamp(0.0, 1.0),
        Some(((min, _), value)) => f64::from(u8::from(value > min)),
        None => UNKNOWN,
    };
    known
        * match op {
            CompareOp::Eq => equal(),
            CompareOp::NotEq => 1.0 - equal(),
            CompareOp::Lt | CompareOp::LtEq => below(),
            CompareOp::Gt | CompareOp::GtEq if span.is_none() => UNKNOWN,
            CompareOp::Gt | CompareOp::GtEq => 1.0 - below(),
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
    use super::*;

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
        let of = |filter: &Filter| share(filter, &|_| Some(Cow::Borrowed(&stats)));
        let near =
            |found: f64, wanted: f64| assert!((found - wanted).abs() < 0.01, "{found} {wanted}");
        near(of(&compare(CompareOp::Lt, 50)), 0.25);
        near(of(&compare(CompareOp::Gt, 50)), 0.25);
        near(of(&compare(CompareOp::Eq, 50)), 0.005);
        near(of(&compare(CompareOp::Eq, 500)), 0.0);
        near(of(&Filter::IsNull(LeafId(0))), 0.5);
        let both = Filter::And(vec![
            compare(CompareOp::GtEq, 25),
            compare(CompareOp::Lt, 75),
        ]);
        near(of(&both), 0.14);
        near(of(&Filter::Not(Box::new(both.clone()))), 0.86);
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
            let found = share(&filter, &|_| Some(Cow::Borrowed(&stats)));
            assert_eq!(found, UNKNOWN);
        }
    }
}
