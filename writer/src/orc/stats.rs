//! Statistics in ORC's words.
//!
//! Bounds of floats are left out when a NaN is among the values, whose sum is then NaN. Text longer than
//! a kilobyte has no bounds. Timestamps count milliseconds in UTC, with the nanoseconds below them.
// spec: ORCv1.md, "Column Statistics"

use lith_format::orc::statistics::{
    BinaryStatistics, BucketStatistics, ColumnStatistics, DateStatistics, DecimalStatistics,
    DoubleStatistics, IntegerStatistics, StringStatistics, TimestampStatistics, TypeStatistics,
};
use lith_format::scalar::Scalar;
use lith_format::stats::ColumnStats;
use lith_format::types::LogicalType;

const LONGEST_TEXT: usize = 1024;

/// What is known of some rows of a leaf.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    pub(crate) stats: ColumnStats,
    /// Of floats: the sum.
    pub(crate) sum: f64,
    /// Of booleans: how many are true.
    pub(crate) trues: u64,
}

impl Summary {
    /// Of no rows.
    pub(crate) fn empty() -> Self {
        Summary {
            stats: ColumnStats::constant(&Scalar::Null, 0),
            sum: 0.0,
            trues: 0,
        }
    }

    /// Of the rows of both.
    pub(crate) fn merge(&self, other: &Summary) -> Self {
        Summary {
            stats: self.stats.merge(&other.stats),
            sum: self.sum + other.sum,
            trues: self.trues + other.trues,
        }
    }

    /// As the file has it, for a leaf of type `ty`.
    pub(crate) fn encode(&self, ty: &LogicalType) -> ColumnStatistics {
        let nulls = self.stats.null_count.unwrap_or(0);
        ColumnStatistics {
            number_of_values: self.stats.value_count.map(|slots| slots - nulls),
            has_null: Some(nulls > 0),
            specific: self.specific(ty),
            bytes_on_disk: None,
        }
    }

    fn specific(&self, ty: &LogicalType) -> Option<TypeStatistics> {
        use LogicalType as T;
        use TypeStatistics as S;
        let min = self.stats.min.as_ref().map(|bound| &bound.value);
        let max = self.stats.max.as_ref().map(|bound| &bound.value);
        Some(match ty {
            T::Boolean => S::Bucket(BucketStatistics {
                count: vec![self.trues],
            }),
            T::Float16 | T::Float32 | T::Float64 => {
                let ordered = !self.sum.is_nan();
                S::Double(DoubleStatistics {
                    minimum: min.filter(|_| ordered).and_then(float),
                    maximum: max.filter(|_| ordered).and_then(float),
                    sum: Some(self.sum),
                })
            }
            T::Date => S::Date(DateStatistics {
                minimum: min.and_then(date),
                maximum: max.and_then(date),
            }),
            T::Decimal { .. } => S::Decimal(DecimalStatistics {
                minimum: min.and_then(decimal),
                maximum: max.and_then(decimal),
                sum: None,
            }),
            T::Timestamp { .. } => S::Timestamp(timestamps(min?, max?)?),
            _ if ty.is_text() => S::String(StringStatistics {
                minimum: text(min?),
                maximum: text(max?),
                ..StringStatistics::default()
            }),
            T::Binary | T::Fixed(_) | T::Bson | T::Uuid | T::Interval => {
                S::Binary(BinaryStatistics::default())
            }
            T::Geometry | T::Geography => return None,
            _ => S::Int(IntegerStatistics {
                minimum: min.and_then(integer),
                maximum: max.and_then(integer),
                sum: None,
            }),
        })
    }
}

fn integer(value: &Scalar) -> Option<i64> {
    match value {
        Scalar::Int(value) => Some(*value),
        _ => None,
    }
}

fn float(value: &Scalar) -> Option<f64> {
    match value {
        Scalar::Float32(value) => Some(f64::from(*value)),
        Scalar::Float64(value) => Some(*value),
        _ => None,
    }
}

fn date(value: &Scalar) -> Option<i32> {
    match value {
        Scalar::Date(days) => Some(*days),
        _ => None,
    }
}

fn text(value: &Scalar) -> Option<Vec<u8>> {
    value
        .as_bytes()
        .filter(|bytes| bytes.len() <= LONGEST_TEXT)
        .map(<[u8]>::to_vec)
}

fn decimal(value: &Scalar) -> Option<String> {
    let Scalar::Decimal { unscaled, scale } = value else {
        return None;
    };
    let scale = usize::from(*scale);
    let sign = if *unscaled < 0 { "-" } else { "" };
    let digits = format!("{:0width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if scale > 0 { "." } else { "" };
    Some(format!("{sign}{whole}{point}{fraction}"))
}

/// Milliseconds and, one too high so that 0 is none, the nanoseconds below them.
fn timestamps(min: &Scalar, max: &Scalar) -> Option<TimestampStatistics> {
    let split = |value: &Scalar| {
        let Scalar::Timestamp { value, unit, .. } = value else {
            return None;
        };
        let nanos = value * (1_000_000_000 / i128::from(unit.per_second()));
        let millis = i64::try_from(nanos.div_euclid(1_000_000)).ok()?;
        Some((millis, nanos.rem_euclid(1_000_000) as i32 + 1))
    };
    let ((min, min_nanos), (max, max_nanos)) = (split(min)?, split(max)?);
    Some(TimestampStatistics {
        minimum: Some(min),
        maximum: Some(max),
        minimum_utc: Some(min),
        maximum_utc: Some(max),
        minimum_nanos: Some(min_nanos),
        maximum_nanos: Some(max_nanos),
    })
}
