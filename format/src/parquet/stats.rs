//! Which stored statistics of Parquet are trusted: the only place that turns them into [`Trusted`] ones.
//!
//! - `min_value` and `max_value` count where the declared column order is understood and goes with the
//!   type, or where none is declared and the type's order is signed; the deprecated `min` and `max` only
//!   where it is signed. Bounds of types without an order never count, nor INT96 under the type's order.
//! - Bounds of writers with known bugs do not count (`created_by`).
//! - A NaN is no bound; zeros are widened to both signs; a min above its max is no pair of bounds.
//! - What is absent is unknown, and so are counts that contradict each other.
// spec: parquet.thrift, Statistics and ColumnOrder

use crate::parquet::bound;
use crate::parquet::created_by::CreatedBy;
use crate::parquet::encoding::Type;
use crate::parquet::footer::ColumnOrder;
use crate::parquet::index::ColumnIndex;
use crate::parquet::schema::Leaf;
use crate::parquet::statistics::Statistics;
use crate::scalar::Scalar;
use crate::stats::{Bound, ColumnStats, Reason, Trusted};
use crate::types::LogicalType;

/// The rules for one leaf's statistics, in all of its chunks and pages.
#[derive(Debug, Clone)]
pub struct Trust<'a> {
    leaf: &'a Leaf,
    /// About `min_value` and `max_value`, and the bounds of pages.
    current: Result<(), Reason>,
    /// About `min` and `max`.
    deprecated: Result<(), Reason>,
    /// Whether the sign of a zero bound says nothing.
    widen_zeros: bool,
}

/// How the values of a leaf are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// As signed numbers: also by writers that knew no other order.
    Signed,
    /// As unsigned numbers or bytes.
    Unsigned,
    /// As the numbers that bytes represent.
    Represented,
    /// Chronologically, by writers that declare it.
    Int96,
    /// Not at all.
    Undefined,
}

impl Order {
    fn of(leaf: &Leaf) -> Order {
        use LogicalType as T;
        match (&leaf.logical_type, leaf.physical_type) {
            (_, Type::Int96) => Order::Int96,
            (T::Decimal { .. } | T::Float16, Type::ByteArray | Type::FixedLenByteArray) => {
                Order::Represented
            }
            (T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64, _) => Order::Unsigned,
            (T::Null | T::Interval | T::Geometry | T::Geography, _) => Order::Undefined,
            (_, Type::ByteArray | Type::FixedLenByteArray) => Order::Unsigned,
            (_, Type::Unknown(_)) => Order::Undefined,
            _ => Order::Signed,
        }
    }
}

impl<'a> Trust<'a> {
    /// The rules for `leaf` in a file of that writer, whose footer declares bounds to be in `order`.
    pub fn new(leaf: &'a Leaf, order: Option<ColumnOrder>, writer: &CreatedBy) -> Self {
        let declared = Order::of(leaf);
        Trust {
            leaf,
            current: check_order(leaf, declared, order).and_then(|()| check_writer(leaf, writer)),
            deprecated: match declared {
                Order::Signed => Ok(()),
                Order::Represented => {
                    Err("deprecated bounds of numbers in byte arrays were compared as bytes")
                }
                Order::Undefined => Err("the type has no order"),
                _ => Err("deprecated bounds compare as signed, the type does not"),
            },
            widen_zeros: order != Some(ColumnOrder::Ieee754TotalOrder),
        }
    }

    /// Whether each slot of the leaf is a row: it is not below a list or map.
    pub(super) fn is_flat(&self) -> bool {
        self.leaf.max_repetition_level == 0
    }

    /// The trusted part of the statistics of a chunk or page of `slots` slots, if their number is known.
    pub fn check(&self, stats: Option<&Statistics>, slots: Option<u64>) -> Trusted {
        let Some(stats) = stats else {
            return trusted(self.counts(None, None, slots));
        };
        let exact = (stats.is_min_value_exact, stats.is_max_value_exact);
        let current = (stats.min_value.as_deref(), stats.max_value.as_deref());
        let deprecated = (stats.min.as_deref(), stats.max.as_deref());
        let mut reason = None;
        let mut bounds = (None, None);
        for (pair, exact, trust) in [
            (current, exact, self.current),
            (deprecated, (None, None), self.deprecated),
        ] {
            if pair == (None, None) {
                continue;
            }
            match trust.and_then(|()| self.bounds(pair, exact)) {
                Ok(found) => {
                    reason = unused(pair, &found);
                    bounds = found;
                    break;
                }
                Err(why) => reason = reason.or(Some(why)),
            }
        }
        let mut out = self.counts(stats.null_count, stats.nan_count, slots);
        out.distinct_count = count(stats.distinct_count);
        (out.min, out.max) = bounds;
        if out.all_null() && (out.min.is_some() || out.max.is_some()) {
            out.null_count = None;
        }
        Trusted {
            stats: out,
            distrust: reason,
        }
    }

    /// The trusted part of the statistics of page `page` of a chunk, which has `slots` slots if that is known
    /// (the rows of a leaf that is not repeated). An index that was not [validated](ColumnIndex::validate) is
    /// safe, but may be wrong.
    pub fn check_page(&self, index: &ColumnIndex, page: usize, slots: Option<u64>) -> Trusted {
        let of = |counts: &Option<Vec<i64>>| counts.as_ref()?.get(page).copied();
        let (nulls, nans) = (of(&index.null_counts), of(&index.nan_counts));
        match index.null_pages.get(page) {
            None => Trusted::default(),
            Some(true) => {
                let slots = slots.or(count(nulls));
                // parquet-mr without statistics says that pages hold only nulls, -1 of them, also of a leaf
                // that cannot be null
                let possible = nulls.is_none_or(|nulls| count(Some(nulls)) == slots);
                let null_count = match self.leaf.max_definition_level {
                    0 => Some(0),
                    _ => slots.filter(|_| possible),
                };
                trusted(ColumnStats {
                    null_count,
                    value_count: slots,
                    ..ColumnStats::default()
                })
            }
            Some(false) => {
                let min = index.min_values.get(page).map(|bound| &bound[..]);
                let max = index.max_values.get(page).map(|bound| &bound[..]);
                let pair = (min, max);
                let bounds = (self.current).and_then(|()| self.bounds(pair, (None, None)));
                let mut out = self.counts(nulls, nans, slots);
                let reason = match &bounds {
                    Ok(found) => unused(pair, found),
                    Err(why) => Some(*why),
                };
                (out.min, out.max) = bounds.unwrap_or_default();
                if out.all_null() {
                    out.null_count = None;
                }
                Trusted {
                    stats: out,
                    distrust: reason,
                }
            }
        }
    }

    /// Both bounds, decoded and checked.
    fn bounds(
        &self,
        (min, max): (Option<&[u8]>, Option<&[u8]>),
        (min_exact, max_exact): (Option<bool>, Option<bool>),
    ) -> Result<(Option<Bound>, Option<Bound>), Reason> {
        let min = self.bound(min, min_exact, -0.0)?;
        let max = self.bound(max, max_exact, 0.0)?;
        if let (Some(min), Some(max)) = (&min, &max)
            && !min
                .value
                .compare(&max.value)
                .is_some_and(|order| order.is_le())
        {
            return Err("the lower bound is above the upper one");
        }
        Ok((min, max))
    }

    fn bound(
        &self,
        bytes: Option<&[u8]>,
        exact: Option<bool>,
        zero: f32,
    ) -> Result<Option<Bound>, Reason> {
        let Some(bytes) = bytes else { return Ok(None) };
        let value = bound::decode(bytes, self.leaf).ok_or("a bound is of the wrong length")?;
        if value.is_nan() {
            return Ok(None);
        }
        // nobody cuts numbers, but byte arrays are cut without saying so
        let exact = exact.unwrap_or(value.as_bytes().is_none());
        let widened = signed_zero(&value, zero).filter(|_| self.widen_zeros);
        Ok(Some(Bound {
            exact: exact && widened.is_none(),
            value: widened.unwrap_or(value),
        }))
    }

    /// The counts, where they are possible.
    fn counts(&self, nulls: Option<i64>, nans: Option<i64>, slots: Option<u64>) -> ColumnStats {
        let fits = |count: &u64| slots.is_none_or(|slots| *count <= slots);
        let null_count = match self.leaf.max_definition_level {
            0 => Some(0),
            _ => count(nulls).filter(fits),
        };
        ColumnStats {
            null_count,
            nan_count: count(nans)
                .filter(|nans| fits(&nans.saturating_add(null_count.unwrap_or(0)))),
            value_count: slots,
            ..ColumnStats::default()
        }
    }
}

fn trusted(stats: ColumnStats) -> Trusted {
    Trusted {
        stats,
        distrust: None,
    }
}

/// Why a stored bound of a pair that makes sense is not used, if one is not.
fn unused<T>(
    stored: (Option<T>, Option<T>),
    used: &(Option<Bound>, Option<Bound>),
) -> Option<Reason> {
    let min = stored.0.is_some() && used.0.is_none();
    let max = stored.1.is_some() && used.1.is_none();
    (min || max).then_some("NaN is no bound")
}

/// A count, unless it is negative.
fn count(value: Option<i64>) -> Option<u64> {
    value.and_then(|value| u64::try_from(value).ok())
}

/// Whether bounds in the declared order can be compared as values of the type.
fn check_order(leaf: &Leaf, own: Order, declared: Option<ColumnOrder>) -> Result<(), Reason> {
    match (own, declared) {
        (Order::Undefined, _) => Err("the type has no order"),
        (Order::Int96, Some(ColumnOrder::Int96TimestampOrder)) => Ok(()),
        (Order::Int96, _) => Err("INT96 is not declared to be in chronological order"),
        (_, Some(ColumnOrder::TypeOrder)) | (Order::Signed, None) => Ok(()),
        (_, Some(ColumnOrder::Ieee754TotalOrder)) if is_float(leaf) => Ok(()),
        (_, Some(_)) => Err("the declared column order does not go with the type"),
        (_, None) => Err("no column order is declared"),
    }
}

/// Whether the writer is not known to err about the type.
fn check_writer(leaf: &Leaf, writer: &CreatedBy) -> Result<(), Reason> {
    let ordered = match (leaf.physical_type, &leaf.logical_type) {
        (Type::ByteArray, LogicalType::Decimal { .. }) => writer.orders_variable_decimals(),
        (Type::FixedLenByteArray, LogicalType::Decimal { .. }) => writer.orders_fixed_decimals(),
        _ => true,
    };
    let bytes = matches!(
        leaf.physical_type,
        Type::ByteArray | Type::FixedLenByteArray
    );
    if !ordered {
        Err("decimal bounds of this writer are in the wrong order")
    } else if bytes && writer.mixes_up_byte_array_bounds() {
        Err("byte array bounds of this writer may be another row group's")
    } else {
        Ok(())
    }
}

/// The statistics to be written for `stats`, with bounds of byte arrays cut to about `limit` bytes.
/// Old readers get their bounds, too, where these are the same.
pub fn encode(stats: &ColumnStats, leaf: &Leaf, limit: usize) -> Statistics {
    let order = Order::of(leaf);
    let cuts = leaf.physical_type == Type::ByteArray && order == Order::Unsigned;
    let limit = if cuts { limit } else { usize::MAX };
    let (mut out, mut exact) = (Statistics::default(), (None, None));
    if let Some((bytes, whole)) = encode_bound(stats.min.as_ref(), leaf, -0.0) {
        let cut = bound::cut_lower(&bytes, limit);
        exact.0 = Some(whole && cut.len() == bytes.len());
        out.min_value = Some(cut.into());
    }
    if let Some((bytes, whole)) = encode_bound(stats.max.as_ref(), leaf, 0.0)
        && let Some(cut) = bound::cut_upper(&bytes, limit)
    {
        exact.1 = Some(whole && cut == bytes);
        out.max_value = Some(cut.into());
    }
    (out.is_min_value_exact, out.is_max_value_exact) = exact;
    if order == Order::Signed {
        (out.min, out.max) = (out.min_value.clone(), out.max_value.clone());
    }
    let signed = |count: Option<u64>| count.and_then(|count| i64::try_from(count).ok());
    out.null_count = signed(stats.null_count);
    out.distinct_count = signed(stats.distinct_count);
    out.nan_count = signed(stats.nan_count).filter(|_| is_float(leaf));
    out
}

/// A bound's bytes and whether it is exact; zeros get the sign that encloses both.
fn encode_bound(bound: Option<&Bound>, leaf: &Leaf, zero: f32) -> Option<(Vec<u8>, bool)> {
    if matches!(Order::of(leaf), Order::Undefined | Order::Int96) {
        return None;
    }
    let bound = bound.filter(|bound| !bound.value.is_nan())?;
    let value = signed_zero(&bound.value, zero);
    let bytes = bound::encode(value.as_ref().unwrap_or(&bound.value), leaf).ok()?;
    Some((bytes, bound.exact))
}

/// `zero` in the place of a floating-point zero of whatever sign.
fn signed_zero(value: &Scalar, zero: f32) -> Option<Scalar> {
    match value {
        Scalar::Float32(0.0) => Some(Scalar::Float32(zero)),
        Scalar::Float64(0.0) => Some(Scalar::Float64(zero.into())),
        _ => None,
    }
}

fn is_float(leaf: &Leaf) -> bool {
    matches!(
        leaf.logical_type,
        LogicalType::Float16 | LogicalType::Float32 | LogicalType::Float64
    )
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::parquet::created_by::Application;
    use crate::parquet::encoding::BoundaryOrder;
    use crate::parquet::testing::leaf;
    use crate::types::{TimeUnit, Zone};

    const LITH: CreatedBy = CreatedBy {
        application: Application::Other,
        version: None,
    };
    const TYPE_ORDER: Option<ColumnOrder> = Some(ColumnOrder::TypeOrder);

    fn text() -> Leaf {
        leaf(Type::ByteArray, 0, LogicalType::String)
    }

    fn pair(min: &[u8], max: &[u8]) -> Statistics {
        Statistics {
            min_value: Some(min.into()),
            max_value: Some(max.into()),
            ..Default::default()
        }
    }

    fn deprecated(min: &[u8], max: &[u8]) -> Statistics {
        Statistics {
            min: Some(min.into()),
            max: Some(max.into()),
            ..Default::default()
        }
    }

    /// Min and max, if both are trusted, else the reason.
    fn checked(
        leaf: &Leaf,
        order: Option<ColumnOrder>,
        writer: &str,
        stats: &Statistics,
    ) -> Result<(Scalar, Scalar), Option<Reason>> {
        let writer = match writer {
            "" => LITH,
            writer => CreatedBy::parse(Some(writer)),
        };
        let Trusted {
            stats: found,
            distrust: reason,
        } = Trust::new(leaf, order, &writer).check(Some(stats), Some(10));
        match (found.min, found.max) {
            (Some(min), Some(max)) => Ok((min.value, max.value)),
            _ => Err(reason),
        }
    }

    #[test]
    fn deprecated_bounds_count_only_where_the_order_is_signed() {
        // signed bytes put 'aé' below 'az'
        let stats = deprecated("aé".as_bytes(), b"b");
        assert!(checked(&text(), TYPE_ORDER, "", &stats).is_err());
        let stats = deprecated(&(-5i32).to_le_bytes(), &7i32.to_le_bytes());
        let signed = leaf(Type::Int32, 0, LogicalType::Int32);
        let expected = Ok((Scalar::Int(-5), Scalar::Int(7)));
        assert_eq!(checked(&signed, None, "", &stats), expected);
        let unsigned = leaf(Type::Int32, 0, LogicalType::UInt32);
        assert!(checked(&unsigned, TYPE_ORDER, "", &stats).is_err());
    }

    #[test]
    fn bounds_need_a_declared_order_unless_it_is_signed() {
        let stats = pair(b"a", b"b");
        assert!(checked(&text(), TYPE_ORDER, "", &stats).is_ok());
        assert!(checked(&text(), None, "", &stats).is_err());
        assert!(checked(&text(), Some(ColumnOrder::Other(9)), "", &stats).is_err());
        let stats = pair(&1i64.to_le_bytes(), &2i64.to_le_bytes());
        let signed = leaf(Type::Int64, 0, LogicalType::Int64);
        assert!(checked(&signed, None, "", &stats).is_ok());
        assert!(checked(&signed, Some(ColumnOrder::Other(9)), "", &stats).is_err());
        assert!(checked(&signed, Some(ColumnOrder::Ieee754TotalOrder), "", &stats).is_err());
    }

    #[test]
    fn unsigned_bounds_compare_as_unsigned() {
        let unsigned = leaf(Type::Int32, 0, LogicalType::UInt32);
        let stats = pair(&0u32.to_le_bytes(), &4_000_000_000u32.to_le_bytes());
        let expected = Ok((Scalar::Int(0), Scalar::Int(4_000_000_000)));
        assert_eq!(checked(&unsigned, TYPE_ORDER, "", &stats), expected);
        // written by signed comparison: the lower is above the upper
        let stats = pair(&(-1i32).to_le_bytes(), &5i32.to_le_bytes());
        let why = checked(&unsigned, TYPE_ORDER, "", &stats).unwrap_err();
        assert_eq!(why, Some("the lower bound is above the upper one"));
    }

    #[test]
    fn decimals_compare_as_numbers_and_not_by_every_writer() {
        let ty = LogicalType::Decimal {
            precision: 9,
            scale: 0,
        };
        let variable = leaf(Type::ByteArray, 0, ty.clone());
        let stats = pair(&[0xff, 0x00], &[0x01]);
        let number = |unscaled| Scalar::Decimal { unscaled, scale: 0 };
        let mr = "parquet-mr version 1.17.0 (build 1)";
        let expected = Ok((number(-256), number(1)));
        assert_eq!(checked(&variable, TYPE_ORDER, mr, &stats), expected);
        assert!(checked(&variable, TYPE_ORDER, "parquet-rs version 55.1.0", &stats).is_err());
        let fixed = leaf(Type::FixedLenByteArray, 1, ty);
        let stats = pair(&[0xff], &[0x01]);
        assert!(checked(&fixed, TYPE_ORDER, "parquet-rs version 55.1.0", &stats).is_ok());
        assert!(checked(&fixed, TYPE_ORDER, "parquet-cpp version 1.5.1", &stats).is_err());
        assert!(checked(&fixed, None, mr, &stats).is_err());
    }

    #[test]
    fn byte_array_bounds_of_old_writers_are_not_trusted() {
        let stats = pair(b"a", b"b");
        for writer in ["parquet-mr", "parquet-mr version 1.8.0 (build 0)", " "] {
            assert!(checked(&text(), TYPE_ORDER, writer, &stats).is_err());
        }
        assert!(checked(&text(), TYPE_ORDER, "parquet-mr version 1.8.1", &stats).is_ok());
    }

    #[test]
    fn int96_counts_only_in_its_own_order() {
        let unit = TimeUnit::Nanos;
        let zone = Zone::Unstated;
        let int96 = leaf(Type::Int96, 0, LogicalType::Timestamp { unit, zone });
        let stats = pair(&[0; 12], &[0; 12]);
        assert!(checked(&int96, TYPE_ORDER, "", &stats).is_err());
        assert!(checked(&int96, None, "", &deprecated(&[0; 12], &[0; 12])).is_err());
        let order = Some(ColumnOrder::Int96TimestampOrder);
        assert!(checked(&int96, order, "", &stats).is_ok());
    }

    #[test]
    fn types_without_an_order_have_no_bounds() {
        for (physical, length, ty) in [
            (Type::FixedLenByteArray, 12, LogicalType::Interval),
            (Type::ByteArray, 0, LogicalType::Geometry),
            (Type::ByteArray, 0, LogicalType::Geography),
        ] {
            let leaf = leaf(physical, length, ty);
            assert!(checked(&leaf, TYPE_ORDER, "", &pair(&[1; 12], &[2; 12])).is_err());
        }
    }

    #[test]
    fn nans_are_no_bounds_and_zeros_have_both_signs() {
        let double = leaf(Type::Double, 0, LogicalType::Float64);
        let trust = Trust::new(&double, TYPE_ORDER, &LITH);
        let bytes = f64::to_le_bytes;
        let found = trust.check(Some(&pair(&bytes(1.0), &bytes(f64::NAN))), None);
        assert_eq!(found.distrust, Some("NaN is no bound"));
        let found = found.stats;
        assert_eq!(found.min.unwrap().value, Scalar::Float64(1.0));
        assert_eq!(found.max, None);
        let known = trust.check(Some(&pair(&bytes(1.0), &bytes(2.0))), None);
        assert_eq!(known.distrust, None);
        let found = trust
            .check(Some(&pair(&bytes(0.0), &bytes(-0.0))), None)
            .stats;
        let (min, max) = (found.min.unwrap(), found.max.unwrap());
        let sign = |bound: &Bound| match bound.value {
            Scalar::Float64(value) => value.is_sign_negative(),
            _ => unreachable!(),
        };
        assert!(sign(&min) && !sign(&max) && !min.exact && !max.exact);
        let total = Trust::new(&double, Some(ColumnOrder::Ieee754TotalOrder), &LITH);
        let found = total
            .check(Some(&pair(&bytes(0.0), &bytes(0.0))), None)
            .stats;
        assert!(!sign(&found.min.unwrap()));
    }

    #[test]
    fn absent_and_contradictory_counts_are_unknown() {
        let leaf = leaf(Type::Int32, 0, LogicalType::Int32);
        let trust = Trust::new(&leaf, TYPE_ORDER, &LITH);
        let counted = |nulls, nans| {
            let stats = Statistics {
                null_count: nulls,
                nan_count: nans,
                ..pair(&1i32.to_le_bytes(), &2i32.to_le_bytes())
            };
            let found = trust.check(Some(&stats), Some(10)).stats;
            (found.null_count, found.nan_count)
        };
        assert_eq!(counted(None, None), (None, None));
        assert_eq!(counted(Some(3), Some(0)), (Some(3), Some(0)));
        assert_eq!(counted(Some(-1), Some(-1)), (None, None));
        assert_eq!(counted(Some(11), None), (None, None));
        // nothing but nulls, and bounds all the same
        assert_eq!(counted(Some(10), None), (None, None));
        assert_eq!(counted(Some(3), Some(8)), (Some(3), None));
        let required = Leaf {
            max_definition_level: 0,
            ..leaf.clone()
        };
        let found = Trust::new(&required, None, &LITH)
            .check(None, Some(10))
            .stats;
        assert_eq!(found.null_count, Some(0));
        assert_eq!(trust.check(None, Some(10)).stats.null_count, None);
    }

    #[test]
    fn byte_arrays_are_exact_only_if_it_is_said() {
        let leaf = text();
        let trust = Trust::new(&leaf, TYPE_ORDER, &LITH);
        let mut stats = pair(b"a", b"b");
        let exact = |stats: &Statistics| {
            let found = trust.check(Some(stats), None).stats;
            (found.min.unwrap().exact, found.max.unwrap().exact)
        };
        assert_eq!(exact(&stats), (false, false));
        stats.is_min_value_exact = Some(true);
        assert_eq!(exact(&stats), (true, false));
    }

    #[test]
    fn pages_without_values_are_all_null() {
        let leaf = leaf(Type::Int32, 0, LogicalType::Int32);
        let trust = Trust::new(&leaf, TYPE_ORDER, &LITH);
        let bytes = |value: i32| Bytes::copy_from_slice(&value.to_le_bytes());
        let mut index = ColumnIndex {
            null_pages: vec![false, true],
            min_values: vec![bytes(1), Bytes::new()],
            max_values: vec![bytes(2), Bytes::new()],
            boundary_order: BoundaryOrder::Ascending,
            null_counts: Some(vec![0, 5]),
            repetition_level_histograms: None,
            definition_level_histograms: None,
            nan_counts: None,
        };
        let page = |index: &ColumnIndex, page, slots| trust.check_page(index, page, slots).stats;
        let first = page(&index, 0, Some(8));
        assert_eq!(first.max.unwrap().value, Scalar::Int(2));
        assert_eq!((first.null_count, first.value_count), (Some(0), Some(8)));
        assert!(page(&index, 1, None).all_null());
        assert!(page(&index, 1, Some(5)).all_null());
        assert!(!page(&index, 1, Some(6)).all_null());
        assert_eq!(page(&index, 2, None), ColumnStats::default());
        index.null_counts = None;
        assert!(!page(&index, 1, None).all_null());
        assert!(page(&index, 1, Some(6)).all_null());
        // parquet-mr without statistics: pages of nothing but -1 nulls
        index.null_counts = Some(vec![-1, -1]);
        assert!(!page(&index, 1, Some(6)).all_null());
        assert_eq!(page(&index, 0, Some(6)).null_count, None);
        let required = Leaf {
            max_definition_level: 0,
            ..leaf
        };
        let trust = Trust::new(&required, TYPE_ORDER, &LITH);
        let stats = trust.check_page(&index, 1, Some(6)).stats;
        assert_eq!(stats.null_count, Some(0));
    }

    #[test]
    fn written_statistics_are_trusted() {
        let bound = |value: Scalar| Some(Bound { value, exact: true });
        let stats = ColumnStats {
            min: bound(Scalar::string("a long one")),
            max: bound(Scalar::string("zzzzz")),
            null_count: Some(2),
            value_count: Some(10),
            nan_count: Some(0),
            ..Default::default()
        };
        let written = encode(&stats, &text(), 4);
        assert_eq!(written.min_value.as_deref(), Some(&b"a lo"[..]));
        assert_eq!(written.max_value.as_deref(), Some(&b"zzz{"[..]));
        assert_eq!(written.is_min_value_exact, Some(false));
        assert_eq!((&written.min, written.nan_count), (&None, None));

        let double = leaf(Type::Double, 0, LogicalType::Float64);
        let zeros = ColumnStats {
            min: bound(Scalar::Float64(0.0)),
            max: bound(Scalar::Float64(-0.0)),
            nan_count: Some(1),
            ..Default::default()
        };
        let written = encode(&zeros, &double, 4);
        assert_eq!(
            written.min_value.as_deref(),
            Some(&(-0.0f64).to_le_bytes()[..])
        );
        assert_eq!(
            written.max_value.as_deref(),
            Some(&0.0f64.to_le_bytes()[..])
        );
        assert_eq!(written.min, written.min_value);
        assert_eq!(written.nan_count, Some(1));
        let nan = ColumnStats {
            min: bound(Scalar::Float64(f64::NAN)),
            ..Default::default()
        };
        assert_eq!(encode(&nan, &double, 4).min_value, None);
    }
}
