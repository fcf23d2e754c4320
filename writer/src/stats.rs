//! Bounds and counts of the values a writer sees: one typed loop a page, one `Scalar` a bound.
//!
//! Bounds follow `Scalar`'s order: NaN is left out and counted, a zero bound takes the sign that
//! covers both zeros, bytes compare unsigned. Types without an order (interval, geometry) have none.
//! Cutting long bounds and spelling them as bytes is each format's own.

use lith_format::stats::{Bound, ColumnStats};
use lith_format::types::LogicalType;

use crate::bounds::Bounds;
use crate::store::Store;

/// Collects the statistics of one leaf, page by page.
#[derive(Debug)]
pub(crate) struct StatsBuilder<S: Store> {
    ty: LogicalType,
    bounds: Option<(S::Owned, S::Owned)>,
    nulls: u64,
    nans: u64,
    slots: u64,
}

impl<S: Store> StatsBuilder<S> {
    /// Nothing seen of a leaf of type `ty`.
    pub(crate) fn new(ty: &LogicalType) -> Self {
        StatsBuilder {
            ty: ty.clone(),
            bounds: None,
            nulls: 0,
            nans: 0,
            slots: 0,
        }
    }

    /// Takes in a page of `slots` slots, of which `nulls` are null.
    pub(crate) fn add(&mut self, bounds: Bounds<S::Owned>, slots: usize, nulls: usize) {
        self.bounds = match (self.bounds.take(), bounds.min_max) {
            (Some(a), Some(b)) => Some(S::widen(a, b)),
            (a, b) => a.or(b),
        };
        self.nans += bounds.nans;
        self.nulls += nulls as u64;
        self.slots += slots as u64;
    }

    /// The statistics of everything taken in.
    pub(crate) fn finish(self) -> ColumnStats {
        let StatsBuilder { ty, bounds, .. } = self;
        let exact = |value: &S::Owned| Bound {
            value: S::scalar(value, &ty),
            exact: true,
        };
        let bounds = bounds.filter(|_| is_ordered(&ty));
        let (min, max) = bounds.map(|(min, max)| (exact(&min), exact(&max))).unzip();
        ColumnStats {
            min,
            max,
            null_count: Some(self.nulls),
            nan_count: is_float(&ty).then_some(self.nans),
            distinct_count: None,
            value_count: Some(self.slots),
        }
    }
}

/// Whether values of the type have an order that both formats' specifications define.
fn is_ordered(ty: &LogicalType) -> bool {
    use LogicalType as T;
    !matches!(ty, T::Null | T::Interval | T::Geometry | T::Geography) && !ty.is_nested()
}

fn is_float(ty: &LogicalType) -> bool {
    use LogicalType as T;
    matches!(ty, T::Float16 | T::Float32 | T::Float64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::scalar::Scalar;

    #[test]
    fn pages_of_nulls_and_nans_take_nothing_away() {
        let mut stats = StatsBuilder::<Vec<f64>>::new(&LogicalType::Float64);
        for (values, slots) in [(vec![], 3), (vec![f64::NAN], 1), (vec![2.0, 1.0], 2)] {
            stats.add(values.bounds(0..values.len()), slots, slots - values.len());
        }
        let stats = stats.finish();
        assert_eq!(stats.min.map(|min| min.value), Some(Scalar::Float64(1.0)));
        assert_eq!(stats.max.map(|max| max.value), Some(Scalar::Float64(2.0)));
        assert_eq!((stats.null_count, stats.nan_count), (Some(3), Some(1)));
        assert_eq!(stats.value_count, Some(6));
    }

    #[test]
    fn a_type_without_order_has_counts_only() {
        let mut stats = StatsBuilder::<Vec<i64>>::new(&LogicalType::Interval);
        stats.add(vec![1i64].bounds(0..1), 1, 0);
        let stats = stats.finish();
        assert_eq!((stats.min, stats.null_count), (None, Some(0)));
    }
}
