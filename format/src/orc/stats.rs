//! Which stored statistics of ORC are trusted: the only place that turns them into [`Trusted`] ones.
//!
//! Counts: a leaf that is not below a list, map or union has a slot for each row, so its nulls are
//! the rows less the values, null parents included. Below those nothing is known.
//! Bounds: of the column's own type, in order, and of a writer without a known bug in them.
//! - Floats: only with a sum that is not NaN, for a NaN anywhere makes the sum one.
//! - Timestamps: only the fields in UTC (ORC-135). They count milliseconds, so the maximum is
//!   rounded up unless its nanoseconds are there (ORC-611).
//! - Char: never, as padding changes the order. Strings: by bytes, truncated ones as inexact.
// spec: ORCv1.md, "Column Statistics"; orc_proto.proto, PostScript.writerVersion

use std::cmp::Ordering;

use crate::orc::encoding::WriterImplementation;
use crate::orc::schema::Leaf;
use crate::orc::statistics::{
    BucketStatistics, ColumnStatistics, DoubleStatistics, StringStatistics, TimestampStatistics,
    TypeStatistics,
};
use crate::orc::tail::Tail;
use crate::scalar::Scalar;
use crate::stats::{Bound, ColumnStats, Reason, Trusted};
use crate::types::{LogicalType, TimeUnit, Zone};

/// Nanoseconds in a millisecond.
const MILLISECOND: i128 = 1_000_000;

/// Java's writer: string bounds in UTF-8, maxima of stripes and files right (HIVE-8732).
const HIVE_8732: u32 = 1;
/// Java's writer: timestamp bounds in UTC.
const ORC_135: u32 = 6;
/// Java's writer: bounds of short decimals right.
const ORC_517: u32 = 7;

/// Who wrote the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writer {
    /// The software.
    pub implementation: WriterImplementation,
    /// Its version, as it counts them; below 6 is Java's alone.
    pub version: u32,
    /// Whether it is this project's writer, which is in no registry.
    pub is_ours: bool,
}

impl Writer {
    /// The writer of a file.
    pub fn of(tail: &Tail) -> Self {
        Writer {
            implementation: tail.footer.writer,
            version: tail.postscript.writer_version.unwrap_or(0),
            is_ours: tail
                .footer
                .software_version
                .as_ref()
                .is_some_and(|version| version.starts_with("lith ")),
        }
    }

    fn lacks(self, fix: u32) -> bool {
        (self.implementation == WriterImplementation::OrcJava || self.version < ORC_135)
            && self.version < fix
    }

    /// Whether it may store values below null structs, as the C++ writer does where the struct around is not null
    /// itself. Readers take such values for those of later rows, and only what holds for all rows can be trusted.
    pub fn may_fill_null_structs(self) -> bool {
        !self.is_ours && self.implementation != WriterImplementation::OrcJava
    }

    /// Whether its sums are known to take in every value, NaN too.
    fn sums_everything(self) -> bool {
        use WriterImplementation as W;
        self.is_ours || matches!(self.implementation, W::OrcJava | W::OrcCpp)
    }
}

/// The rules for one leaf's statistics, in all of its stripes and strides.
#[derive(Debug, Clone, Copy)]
pub struct Trust<'a> {
    leaf: &'a Leaf,
    ty: &'a LogicalType,
    writer: Writer,
}

type Bounds = (Option<Bound>, Option<Bound>);

impl<'a> Trust<'a> {
    /// The rules for `leaf` of type `ty` in a file of that writer.
    pub fn new(leaf: &'a Leaf, ty: &'a LogicalType, writer: Writer) -> Self {
        Trust { leaf, ty, writer }
    }

    /// The trusted part of the statistics of `rows` rows of a stripe or stride.
    pub fn check(&self, statistics: Option<&ColumnStatistics>, rows: u64) -> Trusted {
        let Some(statistics) = statistics else {
            return Trusted::default();
        };
        let &Trust { leaf, ty, writer } = self;
        if leaf.encrypted {
            return distrusted("statistics of an encrypted column are those of its mask");
        }
        let values = statistics.number_of_values;
        if !leaf.repeated && values > Some(rows) {
            return distrusted("there are more values than rows");
        }
        let mut stats = counts(statistics, leaf, rows);
        if leaf.nested && writer.may_fill_null_structs() {
            stats.null_count = stats.null_count.filter(|&nulls| nulls > 0);
        }
        if values == Some(0) {
            return Trusted {
                stats,
                distrust: None,
            };
        }
        let distrust = match bounds(statistics, ty, writer) {
            Ok((min, max)) => {
                (stats.min, stats.max) = (min, max);
                None
            }
            Err(reason) => Some(reason),
        };
        if distrust.is_none() && writer.sums_everything() && is_float(ty) && stats.min.is_some() {
            stats.nan_count = Some(0);
        }
        Trusted { stats, distrust }
    }
}

fn distrusted(reason: Reason) -> Trusted {
    Trusted {
        stats: ColumnStats::default(),
        distrust: Some(reason),
    }
}

fn is_float(ty: &LogicalType) -> bool {
    matches!(ty, LogicalType::Float32 | LogicalType::Float64)
}

/// The number of slots and of nulls among them.
fn counts(statistics: &ColumnStatistics, leaf: &Leaf, rows: u64) -> ColumnStats {
    if leaf.repeated {
        return ColumnStats::default();
    }
    let values = statistics.number_of_values;
    let nulls = values.and_then(|values| rows.checked_sub(values));
    // a flag that contradicts the count leaves the nulls unknown. It may be false beside nulls, which
    // then come from null parents, but not where there is no value at all in a column of its own
    let contradicts = match statistics.has_null {
        Some(true) => nulls == Some(0),
        Some(false) => values == Some(0) && rows > 0,
        None => false,
    };
    ColumnStats {
        null_count: nulls.filter(|_| !contradicts),
        value_count: Some(rows),
        ..ColumnStats::default()
    }
}

fn bounds(
    statistics: &ColumnStatistics,
    ty: &LogicalType,
    writer: Writer,
) -> Result<Bounds, Reason> {
    use LogicalType as T;
    use TypeStatistics as S;
    let Some(specific) = &statistics.specific else {
        return Ok((None, None));
    };
    if writer.lacks(HIVE_8732) {
        return Err(
            "the writer is older than HIVE-8732, which corrected maxima and bounds of strings",
        );
    }
    let (min, max) = match (specific, ty) {
        (S::Int(s), T::Int8 | T::Int16 | T::Int32 | T::Int64) => {
            exact(s.minimum, s.maximum, Scalar::Int)
        }
        (S::Int(s), &T::Timestamp { unit, zone }) => exact(s.minimum, s.maximum, |value| {
            let value = i128::from(value);
            Scalar::Timestamp { value, unit, zone }
        }),
        (S::Double(s), T::Float32 | T::Float64) => float_bounds(s)?,
        (S::String(s), T::String | T::Varchar(_)) => string_bounds(s),
        (S::String(_), T::Char(_)) => return Err("padding changes the order of char values"),
        (S::Bucket(s), T::Boolean) => boolean_bounds(s, statistics.number_of_values)?,
        (S::Decimal(_), T::Decimal { precision, .. })
            if *precision <= 18 && writer.version >= ORC_135 && writer.lacks(ORC_517) =>
        {
            return Err(
                "the writer is older than ORC-517, which corrected bounds of short decimals",
            );
        }
        (S::Decimal(s), T::Decimal { scale, .. }) => {
            let parse = |text: &Option<String>| parse_decimal(text.as_deref()?, *scale);
            exact(parse(&s.minimum), parse(&s.maximum), |value| value)
        }
        (S::Date(s), T::Date) => exact(s.minimum, s.maximum, Scalar::Date),
        (S::Timestamp(s), &T::Timestamp { zone, .. }) => timestamp_bounds(s, zone, writer)?,
        (S::Binary(_), T::Binary) | (S::Geospatial(_), T::Geometry | T::Geography) => (None, None),
        _ => return Err("they are of another type than the column"),
    };
    match (&min, &max) {
        (Some(min), Some(max)) if min.value.compare(&max.value) == Some(Ordering::Greater) => {
            Err("the minimum is above the maximum")
        }
        _ => Ok((min, max)),
    }
}

fn exact<T>(min: Option<T>, max: Option<T>, scalar: impl Fn(T) -> Scalar) -> Bounds {
    let bound = |value| Bound {
        value: scalar(value),
        exact: true,
    };
    (min.map(bound), max.map(bound))
}

fn float_bounds(statistics: &DoubleStatistics) -> Result<Bounds, Reason> {
    let numbers = [statistics.minimum, statistics.maximum, statistics.sum];
    if numbers.iter().flatten().any(|number| number.is_nan()) {
        return Err("NaN is among the values, so that bounds say nothing");
    }
    if statistics.sum.is_none() {
        return Err("without a sum, NaN may be among the values");
    }
    // either zero may have been counted for both
    let bound = |stored: f64, zero: f64| Bound {
        value: Scalar::Float64(if stored == 0.0 { zero } else { stored }),
        exact: stored != 0.0 || stored.is_sign_negative() == zero.is_sign_negative(),
    };
    let min = statistics.minimum.map(|min| bound(min, -0.0));
    let max = statistics.maximum.map(|max| bound(max, 0.0));
    Ok((min, max))
}

fn string_bounds(statistics: &StringStatistics) -> Bounds {
    let bound = |full: &Option<Vec<u8>>, cut: &Option<Vec<u8>>| {
        let bytes = full.as_ref().or(cut.as_ref())?;
        let value = match std::str::from_utf8(bytes) {
            Ok(text) => Scalar::string(text),
            Err(_) => Scalar::binary(bytes),
        };
        Some(Bound {
            value,
            exact: full.is_some(),
        })
    };
    (
        bound(&statistics.minimum, &statistics.lower_bound),
        bound(&statistics.maximum, &statistics.upper_bound),
    )
}

fn boolean_bounds(statistics: &BucketStatistics, values: Option<u64>) -> Result<Bounds, Reason> {
    match (&statistics.count[..], values) {
        (&[trues], Some(values)) if trues <= values => Ok(exact(
            Some(trues == values),
            Some(trues > 0),
            Scalar::Boolean,
        )),
        _ => Err("counts of true and of all values do not fit"),
    }
}

fn timestamp_bounds(
    statistics: &TimestampStatistics,
    zone: Zone,
    writer: Writer,
) -> Result<Bounds, Reason> {
    let utc = statistics.minimum_utc.is_some() || statistics.maximum_utc.is_some();
    if writer.lacks(ORC_135) || (!utc && statistics.minimum.is_some()) {
        return Err("the writer is older than ORC-135: bounds are in its own time zone");
    }
    let bound = |millis: Option<i64>, stored: Option<i32>, widened: i128| {
        // nanoseconds are stored plus one
        let nanos = stored.filter(|stored| (1..=1_000_000).contains(stored));
        let nanos = nanos.map(|stored| i128::from(stored) - 1);
        millis.map(|millis| Bound {
            value: Scalar::Timestamp {
                value: i128::from(millis) * MILLISECOND + nanos.unwrap_or(widened),
                unit: TimeUnit::Nanos,
                zone,
            },
            exact: nanos.is_some(),
        })
    };
    // before 1970 some writers rounded towards zero
    let before_1970 = statistics.minimum_utc.is_some_and(|millis| millis <= 0);
    let below = if before_1970 { -MILLISECOND } else { 0 };
    Ok((
        bound(statistics.minimum_utc, statistics.minimum_nanos, below),
        bound(
            statistics.maximum_utc,
            statistics.maximum_nanos,
            MILLISECOND,
        ),
    ))
}

/// A decimal in plain digits, with a sign and a point if it needs them; `None` for anything else. Writers leave out
/// zeros at the end: it gets those that `least` digits after the point take, if there is room.
fn parse_decimal(text: &str, least: u8) -> Option<Scalar> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut unscaled = 0i128;
    for byte in whole.bytes().chain(fraction.bytes()) {
        let digit = byte.is_ascii_digit().then(|| i128::from(byte - b'0'))?;
        unscaled = unscaled.checked_mul(10)?.checked_add(digit)?;
    }
    let stored = u8::try_from(fraction.len()).ok();
    let mut scale = stored.filter(|scale| *scale <= 38)?;
    let factor = 10i128.checked_pow(u32::from(least.saturating_sub(scale)));
    if let Some(padded) = factor.and_then(|factor| unscaled.checked_mul(factor)) {
        unscaled = padded;
        scale = scale.max(least);
    }
    Some(Scalar::Decimal {
        unscaled: if negative { -unscaled } else { unscaled },
        scale,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::statistics::{DateStatistics, DecimalStatistics, IntegerStatistics};

    const LEAF: Leaf = Leaf {
        column: 1,
        repeated: false,
        nested: false,
        encrypted: false,
        undeclared_decimal: false,
    };
    const JAVA: Writer = Writer {
        implementation: WriterImplementation::OrcJava,
        version: 9,
        is_ours: false,
    };
    const TIMESTAMP: LogicalType = LogicalType::Timestamp {
        unit: TimeUnit::Nanos,
        zone: Zone::Unstated,
    };

    fn of(specific: TypeStatistics) -> ColumnStatistics {
        ColumnStatistics {
            number_of_values: Some(8),
            specific: Some(specific),
            has_null: Some(true),
            bytes_on_disk: None,
        }
    }

    fn trusted(specific: TypeStatistics, ty: &LogicalType) -> Trusted {
        Trust::new(&LEAF, ty, JAVA).check(Some(&of(specific)), 10)
    }

    fn values(trusted: &Trusted) -> (Option<&Scalar>, Option<&Scalar>) {
        let value = |bound: &'static str| match bound {
            "min" => trusted.stats.min.as_ref(),
            _ => trusted.stats.max.as_ref(),
        };
        (
            value("min").map(|b| &b.value),
            value("max").map(|b| &b.value),
        )
    }

    fn ints(min: i64, max: i64) -> TypeStatistics {
        TypeStatistics::Int(IntegerStatistics {
            minimum: Some(min),
            maximum: Some(max),
            sum: None,
        })
    }

    fn doubles(minimum: f64, maximum: f64, sum: Option<f64>) -> TypeStatistics {
        TypeStatistics::Double(DoubleStatistics {
            minimum: Some(minimum),
            maximum: Some(maximum),
            sum,
        })
    }

    #[test]
    fn nulls_are_the_rows_without_a_value() {
        let known = trusted(ints(1, 5), &LogicalType::Int32);
        assert_eq!(known.stats.null_count, Some(2));
        assert_eq!(known.stats.value_count, Some(10));
        assert_eq!(
            values(&known),
            (Some(&Scalar::Int(1)), Some(&Scalar::Int(5)))
        );
        let below_list = Leaf {
            repeated: true,
            ..LEAF
        };
        let unknown =
            Trust::new(&below_list, &LogicalType::Int32, JAVA).check(Some(&of(ints(1, 5))), 3);
        assert_eq!(
            (unknown.stats.null_count, unknown.stats.value_count),
            (None, None)
        );
        assert_eq!(unknown.stats.max.unwrap().value, Scalar::Int(5));
    }

    #[test]
    fn counts_that_contradict_each_other_prove_nothing() {
        let ty = LogicalType::Int32;
        let all_values = Trust::new(&LEAF, &ty, JAVA).check(Some(&of(ints(1, 5))), 8);
        assert_eq!(all_values.stats.null_count, None, "has_null says otherwise");
        let too_many = Trust::new(&LEAF, &ty, JAVA).check(Some(&of(ints(1, 5))), 7);
        assert_eq!(too_many.stats, ColumnStats::default());
        assert!(too_many.distrust.is_some());
        let mut none = of(ints(1, 5));
        none.number_of_values = None;
        none.has_null = None;
        assert_eq!(
            Trust::new(&LEAF, &ty, JAVA)
                .check(Some(&none), 8)
                .stats
                .null_count,
            None
        );
        none.number_of_values = Some(0);
        let all_null = Trust::new(&LEAF, &ty, JAVA).check(Some(&none), 8).stats;
        assert!(all_null.all_null() && all_null.max.is_none());
    }

    #[test]
    fn no_nulls_below_structs_are_not_believed_of_all_writers() {
        let nested = Leaf {
            nested: true,
            ..LEAF
        };
        let cpp = Writer {
            implementation: WriterImplementation::OrcCpp,
            ..JAVA
        };
        let nulls = |values, leaf: &Leaf, writer| {
            let statistics = ColumnStatistics {
                number_of_values: Some(values),
                ..ColumnStatistics::default()
            };
            let ty = LogicalType::Int32;
            let trusted = Trust::new(leaf, &ty, writer).check(Some(&statistics), 8);
            trusted.stats.null_count
        };
        assert_eq!(nulls(8, &nested, cpp), None);
        assert_eq!(nulls(7, &nested, cpp), Some(1));
        assert_eq!(nulls(8, &LEAF, cpp), Some(0));
        assert_eq!(nulls(8, &nested, JAVA), Some(0));
    }

    #[test]
    fn floats_are_trusted_only_with_a_sum_that_is_a_number() {
        let ty = LogicalType::Float64;
        let fine = trusted(doubles(0.0, -0.0, Some(0.0)), &ty);
        assert_eq!(fine.stats.nan_count, Some(0));
        let Some(Scalar::Float64(min)) = values(&fine).0 else {
            panic!("no minimum");
        };
        assert!(min.is_sign_negative());
        let Some(Scalar::Float64(max)) = values(&fine).1 else {
            panic!("no maximum");
        };
        assert!(max.is_sign_positive());
        let is_exact = |bound: &Option<Bound>| bound.as_ref().unwrap().exact;
        assert!(!is_exact(&fine.stats.min) && !is_exact(&fine.stats.max));
        let same = trusted(doubles(-0.0, 0.0, Some(0.0)), &ty).stats;
        assert!(is_exact(&same.min) && is_exact(&same.max));
        for sum in [None, Some(f64::NAN)] {
            let doubtful = trusted(doubles(1.0, 3.0, sum), &ty);
            assert_eq!(values(&doubtful), (None, None));
            assert_eq!(doubtful.stats.nan_count, None);
            assert!(doubtful.distrust.is_some());
        }
        let nan = trusted(doubles(f64::NAN, 3.0, Some(3.0)), &ty);
        assert_eq!(values(&nan), (None, None));
        let ours = Writer {
            implementation: WriterImplementation::Unknown(i32::MAX),
            version: 6,
            is_ours: true,
        };
        let sure = Trust::new(&LEAF, &ty, ours).check(Some(&of(doubles(1.0, 3.0, Some(4.0)))), 10);
        assert_eq!(sure.stats.nan_count, Some(0));
        let cudf = Writer {
            implementation: WriterImplementation::Cudf,
            version: 6,
            is_ours: false,
        };
        let unsure =
            Trust::new(&LEAF, &ty, cudf).check(Some(&of(doubles(1.0, 3.0, Some(4.0)))), 10);
        assert_eq!(unsure.stats.nan_count, None);
        assert!(unsure.stats.max.is_some());
    }

    #[test]
    fn timestamps_are_trusted_in_utc_and_rounded_outwards() {
        let nanos = |value| Scalar::Timestamp {
            value,
            unit: TimeUnit::Nanos,
            zone: Zone::Unstated,
        };
        let utc = TimestampStatistics {
            minimum_utc: Some(1_000),
            maximum_utc: Some(53_080),
            ..TimestampStatistics::default()
        };
        let coarse = trusted(TypeStatistics::Timestamp(utc.clone()), &TIMESTAMP);
        let expected = (nanos(1_000_000_000), nanos(53_081_000_000));
        assert_eq!(values(&coarse), (Some(&expected.0), Some(&expected.1)));
        assert!(!coarse.stats.max.unwrap().exact);

        let refined = TimestampStatistics {
            minimum_nanos: Some(6),
            maximum_nanos: Some(758_001),
            ..utc.clone()
        };
        let fine = trusted(TypeStatistics::Timestamp(refined), &TIMESTAMP);
        let expected = (nanos(1_000_000_005), nanos(53_080_758_000));
        assert_eq!(values(&fine), (Some(&expected.0), Some(&expected.1)));
        assert!(fine.stats.max.unwrap().exact);

        let negative = TimestampStatistics {
            minimum_utc: Some(0),
            minimum_nanos: Some(-999),
            ..utc.clone()
        };
        let wide = trusted(TypeStatistics::Timestamp(negative), &TIMESTAMP);
        assert_eq!(values(&wide).0, Some(&nanos(-1_000_000)));

        let local = TimestampStatistics {
            minimum: Some(1_000),
            maximum: Some(2_000),
            ..TimestampStatistics::default()
        };
        let old = Writer { version: 5, ..JAVA };
        let zoned = trusted(TypeStatistics::Timestamp(local), &TIMESTAMP);
        let early = Trust::new(&LEAF, &TIMESTAMP, old);
        let early = early.check(Some(&of(TypeStatistics::Timestamp(utc))), 10);
        for doubtful in [zoned, early] {
            assert_eq!(values(&doubtful), (None, None));
            assert!(doubtful.distrust.is_some());
        }
    }

    #[test]
    fn strings_compare_by_bytes_and_truncated_bounds_are_inexact() {
        let text = |min: &[u8], upper: &[u8]| {
            TypeStatistics::String(StringStatistics {
                minimum: Some(min.to_vec()),
                upper_bound: Some(upper.to_vec()),
                ..StringStatistics::default()
            })
        };
        let bounds = trusted(text(b"a", b"b"), &LogicalType::String).stats;
        assert_eq!(bounds.min, exact(Some("a"), None, Scalar::string).0);
        let max = bounds.max.unwrap();
        assert_eq!((max.value, max.exact), (Scalar::string("b"), false));
        let bytes = trusted(text(b"a", b"\xff"), &LogicalType::Varchar(3)).stats;
        assert_eq!(bytes.max.unwrap().value, Scalar::binary(b"\xff"));
        let char = trusted(text(b"a", b"b"), &LogicalType::Char(3));
        assert_eq!(values(&char), (None, None));
        assert!(char.distrust.is_some());
    }

    #[test]
    fn booleans_decimals_and_dates() {
        let bucket = |trues| TypeStatistics::Bucket(BucketStatistics { count: vec![trues] });
        let b = Scalar::Boolean;
        for (trues, min, max) in [(0, false, false), (3, false, true), (8, true, true)] {
            let bounds = trusted(bucket(trues), &LogicalType::Boolean);
            assert_eq!(values(&bounds), (Some(&b(min)), Some(&b(max))));
        }
        assert!(trusted(bucket(9), &LogicalType::Boolean).distrust.is_some());

        let decimal = |precision| LogicalType::Decimal {
            precision,
            scale: 2,
        };
        let text = TypeStatistics::Decimal(DecimalStatistics {
            minimum: Some("-12.5".into()),
            maximum: Some("1E9".into()),
            sum: None,
        });
        let bounds = trusted(text.clone(), &decimal(10));
        let expected = Scalar::Decimal {
            unscaled: -1250,
            scale: 2,
        };
        assert_eq!(values(&bounds), (Some(&expected), None));
        let before_517 = Writer { version: 6, ..JAVA };
        let cpp = Writer {
            implementation: WriterImplementation::OrcCpp,
            version: 6,
            is_ours: false,
        };
        let min = |precision, writer| {
            Trust::new(&LEAF, &decimal(precision), writer)
                .check(Some(&of(text.clone())), 10)
                .stats
                .min
        };
        assert!(min(18, before_517).is_none());
        assert!(min(19, before_517).is_some() && min(18, cpp).is_some());

        let dates = TypeStatistics::Date(DateStatistics {
            minimum: Some(-3),
            maximum: Some(4),
        });
        let bounds = trusted(dates, &LogicalType::Date);
        assert_eq!(
            values(&bounds),
            (Some(&Scalar::Date(-3)), Some(&Scalar::Date(4)))
        );
    }

    #[test]
    fn bounds_out_of_order_of_another_type_or_masked_are_not_trusted() {
        let ty = LogicalType::Int32;
        let encrypted = Leaf {
            encrypted: true,
            ..LEAF
        };
        let original = Writer { version: 0, ..JAVA };
        let doubtful = [
            trusted(ints(5, 1), &ty),
            trusted(doubles(1.0, 2.0, Some(3.0)), &ty),
            Trust::new(&encrypted, &ty, JAVA).check(Some(&of(ints(1, 5))), 10),
            Trust::new(&LEAF, &ty, original).check(Some(&of(ints(1, 5))), 10),
        ];
        for trusted in doubtful {
            assert_eq!(values(&trusted), (None, None));
            assert!(trusted.distrust.is_some());
        }
    }

    #[test]
    fn decimal_text_that_is_none_has_no_bound() {
        for text in [
            "",
            "-",
            ".",
            "1e5",
            "+1",
            "--1",
            "1.2.3",
            "99999999999999999999999999999999999999999",
        ] {
            assert!(parse_decimal(text, 2).is_none(), "{text}");
        }
        let scalar = |unscaled, scale| Some(Scalar::Decimal { unscaled, scale });
        assert_eq!(parse_decimal("-.5", 0), scalar(-5, 1));
        assert_eq!(parse_decimal("-.5", 3), scalar(-500, 3));
        assert_eq!(parse_decimal("007", 0), scalar(7, 0));
        let full = "9".repeat(38);
        let unscaled = full.parse().unwrap();
        assert_eq!(parse_decimal(&full, 18), scalar(unscaled, 0));
    }
}
