//! Monotone functions, which keep or reverse the order of values: bounds of their results follow from bounds of the
//! values.
//!
//! ```text
//! values between 3 and 8     year between 2023-11-02 and 2024-02-01     month, only if both have the same year
//! x * -2: -16 to -6          2023 to 2024                               -
//! ```

use std::fmt;
use std::sync::Arc;

use crate::scalar::Scalar;
use crate::stats::{Bound, ColumnStats};

/// A function of one value; `None` where it fails or is not known.
pub type OneValue = Arc<dyn Fn(&Scalar) -> Option<Scalar> + Send + Sync>;

/// What becomes of NaN.
#[derive(Debug, Clone, PartialEq)]
pub enum Nans {
    /// There are none among the values.
    None,
    /// They stay NaN; no other value becomes one.
    Kept,
    /// They become this value, wherever it lies among the other results.
    Become(Scalar),
    /// The function fails on them.
    Fail,
}

/// A monotone function: its results are ordered as the values are, or the other way round. A null gives null, anything
/// else does not.
#[derive(Clone)]
pub struct Mapping {
    /// The function.
    pub of: OneValue,
    /// Whether a greater value gives a smaller result.
    pub reverses: bool,
    /// The order holds only among values of which this is the same; `None` is among all.
    pub within: Option<OneValue>,
    /// What becomes of NaN.
    pub nans: Nans,
    /// Whether it may fail on some value. If it fails neither on the smallest nor on the greatest of some values, it
    /// fails on none of them.
    pub may_fail: bool,
}

impl Mapping {
    /// What is known of the results but for [`Mapping::image_of_nan`], and whether some row may fail.
    pub fn image(&self, stats: &ColumnStats) -> (ColumnStats, bool) {
        let usable = |bound: &Option<Bound>| bound.clone().filter(|bound| !bound.value.is_nan());
        let (mut min, mut max) = (usable(&stats.min), usable(&stats.max));
        let one_piece = self.is_one_piece(min.as_ref(), max.as_ref());
        if !one_piece {
            (min, max) = (None, None);
        }
        let map = |bound: Option<Bound>| {
            let Bound { value, exact } = bound?;
            let value = (self.of)(&value).filter(|value| !value.is_null() && !value.is_nan())?;
            Some(Bound { value, exact })
        };
        let (mut min, mut max) = (map(min), map(max));
        if self.reverses {
            (min, max) = (max, min);
        }
        let has_nan = self.nans != Nans::None && stats.nan_count != Some(0);
        let proved = min.is_some() && max.is_some() || stats.all_null();
        let fails =
            self.may_fail && !proved || self.nans == Nans::Fail && has_nan && !stats.all_null();
        let image = ColumnStats {
            min,
            max,
            null_count: stats.null_count,
            nan_count: match self.nans {
                Nans::Kept => stats.nan_count,
                Nans::None | Nans::Become(_) | Nans::Fail => Some(0),
            },
            distinct_count: None,
            value_count: stats.value_count,
        };
        (image, fails)
    }

    /// What becomes of NaN where there may be one: a result beside those of [`Mapping::image`].
    pub fn image_of_nan(&self, stats: &ColumnStats) -> Option<ColumnStats> {
        let Nans::Become(value) = &self.nans else {
            return None;
        };
        let bound = Some(Bound {
            value: value.clone(),
            exact: true,
        });
        let image = ColumnStats {
            min: bound.clone(),
            max: bound,
            null_count: Some(0),
            nan_count: Some(0),
            ..ColumnStats::default()
        };
        (stats.nan_count != Some(0)).then_some(image)
    }

    /// Whether the order holds between the bounds.
    fn is_one_piece(&self, min: Option<&Bound>, max: Option<&Bound>) -> bool {
        let (Some(min), Some(max)) = (min, max) else {
            return self.within.is_none();
        };
        let ordered = min
            .value
            .compare(&max.value)
            .is_some_and(|order| order.is_le());
        let piece = |bound: &Bound| self.within.as_ref().map(|within| within(&bound.value));
        ordered
            && match (piece(min), piece(max)) {
                (Some(Some(a)), Some(Some(b))) => a == b,
                (None, None) => true,
                _ => false,
            }
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapping")
            .field("reverses", &self.reverses)
            .field("nans", &self.nans)
            .field("may_fail", &self.may_fail)
            .finish_non_exhaustive()
    }
}

/// Functions are the same only if one is a copy of the other.
impl PartialEq for Mapping {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.of, &other.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: &Scalar) -> Option<i64> {
        match value {
            Scalar::Int(value) => Some(*value),
            _ => None,
        }
    }

    fn stats(min: i64, max: i64) -> ColumnStats {
        let bound = |value| {
            Some(Bound {
                value: Scalar::Int(value),
                exact: true,
            })
        };
        ColumnStats {
            min: bound(min),
            max: bound(max),
            null_count: Some(0),
            value_count: Some(9),
            ..ColumnStats::default()
        }
    }

    fn of(reverses: bool, f: fn(i64) -> Option<i64>) -> Mapping {
        Mapping {
            of: Arc::new(move |value| f(int(value)?).map(Scalar::Int)),
            reverses,
            within: None,
            nans: Nans::None,
            may_fail: true,
        }
    }

    fn bounds(stats: &ColumnStats) -> [Option<i64>; 2] {
        [&stats.min, &stats.max].map(|bound| int(&bound.as_ref()?.value))
    }

    #[test]
    fn bounds_follow_the_function_and_its_direction() {
        let half = of(false, |x| Some(x / 2));
        let (image, fails) = half.image(&stats(3, 8));
        assert_eq!((bounds(&image), fails), ([Some(1), Some(4)], false));
        let negated = of(true, |x| x.checked_neg());
        let (image, fails) = negated.image(&stats(3, 8));
        assert_eq!((bounds(&image), fails), ([Some(-8), Some(-3)], false));
        // one side fails: no bound there, and rows may fail
        let (image, fails) = negated.image(&stats(i64::MIN, 8));
        assert_eq!((bounds(&image), fails), ([Some(-8), None], true));
        // bounds that contradict each other are none
        assert_eq!(bounds(&half.image(&stats(8, 3)).0), [None, None]);
    }

    #[test]
    fn pieces_have_bounds_only_within_themselves() {
        let last_digit = Mapping {
            within: Some(Arc::new(|value| int(value).map(|x| Scalar::Int(x / 10)))),
            ..of(false, |x| Some(x % 10))
        };
        assert_eq!(
            bounds(&last_digit.image(&stats(13, 18)).0),
            [Some(3), Some(8)]
        );
        assert_eq!(bounds(&last_digit.image(&stats(13, 21)).0), [None, None]);
        let half_known = ColumnStats {
            max: None,
            ..stats(13, 18)
        };
        assert_eq!(bounds(&last_digit.image(&half_known).0), [None, None]);
    }

    #[test]
    fn what_becomes_of_nan_is_known_beside_the_others() {
        let mapping = Mapping {
            nans: Nans::Become(Scalar::Int(0)),
            may_fail: false,
            ..of(false, Some)
        };
        let may_have = stats(3, 8);
        let has_none = ColumnStats {
            nan_count: Some(0),
            ..stats(3, 8)
        };
        assert_eq!(bounds(&mapping.image(&may_have).0), [Some(3), Some(8)]);
        let nan = mapping.image_of_nan(&may_have).unwrap();
        assert_eq!(bounds(&nan), [Some(0), Some(0)]);
        assert!(mapping.image_of_nan(&has_none).is_none());
    }
}
