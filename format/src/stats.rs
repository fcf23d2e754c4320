//! Statistics of a column's values, format-neutral, and how those of several row groups are merged.
//!
//! The trust rules (which writer's bounds may be used for which type) live in
//! `parquet::stats` and `orc::stats`, which turn stored statistics into [`Trusted`] ones; whatever reaches a
//! [`ColumnStats`] is true of the rows.

use std::cmp::Ordering;

use crate::scalar::Scalar;

/// A lower or upper bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// The value.
    pub value: Scalar,
    /// Whether some row holds exactly this value; a truncated bound does not.
    pub exact: bool,
}

/// Bounds and counts of one leaf over some rows. Every unknown is `None` and proves nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ColumnStats {
    /// No non-null, non-NaN value is below.
    pub min: Option<Bound>,
    /// No non-null, non-NaN value is above.
    pub max: Option<Bound>,
    /// How many slots of the leaf are null (for a nested leaf: levels without a value).
    pub null_count: Option<u64>,
    /// How many values are NaN. Bounds of a float leaf say nothing of NaNs unless this is zero.
    pub nan_count: Option<u64>,
    /// How many distinct values there are.
    pub distinct_count: Option<u64>,
    /// How many slots of the leaf there are, nulls included.
    pub value_count: Option<u64>,
}

/// Why stored bounds are not trusted.
pub type Reason = &'static str;

/// Stored statistics of a chunk, page or stride, reduced to those that are trusted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trusted {
    /// Bounds and counts that are true of the rows.
    pub stats: ColumnStats,
    /// Why stored bounds are not in `stats`, if so.
    pub distrust: Option<Reason>,
}

impl ColumnStats {
    /// Statistics of `count` slots that all hold `value`: a partition column, or a column the file lacks.
    pub fn constant(value: &Scalar, count: u64) -> Self {
        let bound = (!value.is_null() && !value.is_nan()).then(|| Bound {
            value: value.clone(),
            exact: true,
        });
        ColumnStats {
            min: bound.clone(),
            max: bound,
            null_count: Some(if value.is_null() { count } else { 0 }),
            nan_count: Some(if value.is_nan() { count } else { 0 }),
            distinct_count: None,
            value_count: Some(count),
        }
    }

    /// Statistics of the slots that are not null.
    pub fn without_nulls(&self) -> Self {
        let counts = self.value_count.zip(self.null_count);
        ColumnStats {
            null_count: Some(0),
            value_count: counts.and_then(|(all, nulls)| all.checked_sub(nulls)),
            ..self.clone()
        }
    }

    /// Whether every slot is known to be null.
    pub fn all_null(&self) -> bool {
        self.null_count.is_some() && self.null_count == self.value_count
    }

    /// Whether no slot is null, as far as is known.
    pub fn no_nulls(&self) -> bool {
        self.null_count == Some(0)
    }

    /// Statistics of the rows of both: an unknown on either side stays unknown.
    pub fn merge(&self, other: &ColumnStats) -> ColumnStats {
        let add = |a: Option<u64>, b: Option<u64>| a?.checked_add(b?);
        ColumnStats {
            min: merge_bound(self, other, |stats| stats.min.as_ref(), Ordering::Less),
            max: merge_bound(self, other, |stats| stats.max.as_ref(), Ordering::Greater),
            null_count: add(self.null_count, other.null_count),
            nan_count: add(self.nan_count, other.nan_count),
            distinct_count: None,
            value_count: add(self.value_count, other.value_count),
        }
    }
}

/// The outer one of two bounds. A side that is known to hold only nulls has none and adds none.
fn merge_bound(
    a: &ColumnStats,
    b: &ColumnStats,
    bound: impl Fn(&ColumnStats) -> Option<&Bound>,
    outer: Ordering,
) -> Option<Bound> {
    match (bound(a), bound(b)) {
        (Some(x), Some(y)) => match x.value.compare(&y.value)? {
            order if order == outer => Some(x.clone()),
            Ordering::Equal => Some(Bound {
                value: x.value.clone(),
                exact: x.exact || y.exact,
            }),
            _ => Some(y.clone()),
        },
        (Some(x), None) if b.all_null() => Some(x.clone()),
        (None, Some(y)) if a.all_null() => Some(y.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(min: i64, max: i64, nulls: Option<u64>) -> ColumnStats {
        let bound = |value| {
            Some(Bound {
                value: Scalar::Int(value),
                exact: true,
            })
        };
        ColumnStats {
            min: bound(min),
            max: bound(max),
            null_count: nulls,
            value_count: Some(10),
            ..Default::default()
        }
    }

    #[test]
    fn one_unknown_input_makes_the_merge_unknown() {
        let merged = stats(1, 5, Some(1)).merge(&stats(3, 9, None));
        assert_eq!(merged.min.unwrap().value, Scalar::Int(1));
        assert_eq!(merged.max.unwrap().value, Scalar::Int(9));
        assert_eq!(merged.null_count, None);
        assert_eq!(
            stats(1, 5, Some(0)).merge(&ColumnStats::default()).max,
            None
        );
    }

    #[test]
    fn only_a_side_known_to_be_all_null_adds_no_bound() {
        let nulls = ColumnStats::constant(&Scalar::Null, 4);
        assert_eq!(
            stats(1, 5, Some(0)).merge(&nulls).max.unwrap().value,
            Scalar::Int(5)
        );
        let some_nulls = ColumnStats {
            null_count: Some(3),
            value_count: Some(4),
            ..Default::default()
        };
        assert_eq!(stats(1, 5, Some(0)).merge(&some_nulls).max, None);
    }
}
