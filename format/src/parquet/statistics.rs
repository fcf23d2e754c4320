//! The statistics structure of a column chunk or page, as it is stored; [`stats`](crate::parquet::stats)
//! decides which of them are trusted.
// spec: parquet.thrift, Statistics

use smallvec::SmallVec;

use crate::error::Result;
use crate::parquet::thrift::{Fields, InPlace, Reader, Structure, Wire, Writer};

/// A bound's bytes. Most are short: they need no memory of their own.
pub type BoundBytes = SmallVec<[u8; 16]>;

/// Bounds and counts as the file has them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Deprecated upper bound, by signed comparison.
    pub max: Option<BoundBytes>,
    /// Deprecated lower bound, by signed comparison.
    pub min: Option<BoundBytes>,
    /// Slots without a value. Absent is not zero.
    pub null_count: Option<i64>,
    /// Distinct values.
    pub distinct_count: Option<i64>,
    /// Upper bound in the column's order: plain encoding without a length.
    pub max_value: Option<BoundBytes>,
    /// Lower bound in the column's order: plain encoding without a length.
    pub min_value: Option<BoundBytes>,
    /// Whether some value equals `max_value`.
    pub is_max_value_exact: Option<bool>,
    /// Whether some value equals `min_value`.
    pub is_min_value_exact: Option<bool>,
    /// NaNs among the values of a floating-point column. Absent is not zero.
    pub nan_count: Option<i64>,
}

impl InPlace for Statistics {
    fn decode_into(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let stats = self;
        let mut fields = Fields::new("Statistics");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::Binary) => stats.max = Some(reader.short_binary()?),
                (2, Wire::Binary) => stats.min = Some(reader.short_binary()?),
                (3, Wire::I64) => stats.null_count = Some(reader.i64()?),
                (4, Wire::I64) => stats.distinct_count = Some(reader.i64()?),
                (5, Wire::Binary) => stats.max_value = Some(reader.short_binary()?),
                (6, Wire::Binary) => stats.min_value = Some(reader.short_binary()?),
                (7, Wire::Bool(value)) => stats.is_max_value_exact = Some(value),
                (8, Wire::Bool(value)) => stats.is_min_value_exact = Some(value),
                (9, Wire::I64) => stats.nan_count = Some(reader.i64()?),
                _ => fields.skip(reader, wire)?,
            }
        }
        Ok(())
    }
}

impl Structure for Statistics {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        Self::decoded(reader)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.binary(1, self.max.as_deref());
        writer.binary(2, self.min.as_deref());
        writer.i64(3, self.null_count);
        writer.i64(4, self.distinct_count);
        writer.binary(5, self.max_value.as_deref());
        writer.binary(6, self.min_value.as_deref());
        writer.bool(7, self.is_max_value_exact);
        writer.bool(8, self.is_min_value_exact);
        writer.i64(9, self.nan_count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::parquet::{testing, thrift};

    quickcheck::quickcheck! {
        fn any_statistics_round_trip(
            deprecated: (Option<Vec<u8>>, Option<Vec<u8>>),
            bounds: (Option<Vec<u8>>, Option<Vec<u8>>),
            counts: (Option<i64>, Option<i64>, Option<i64>),
            exact: (Option<bool>, Option<bool>)
        ) -> bool {
            let stats = Statistics {
                max: deprecated.0.map(BoundBytes::from),
                min: deprecated.1.map(BoundBytes::from),
                null_count: counts.0,
                distinct_count: counts.1,
                max_value: bounds.0.map(BoundBytes::from),
                min_value: bounds.1.map(BoundBytes::from),
                is_max_value_exact: exact.0,
                is_min_value_exact: exact.1,
                nan_count: counts.2,
            };
            let bytes = thrift::encode(&stats);
            let (back, length) = thrift::decode(&bytes, &Limits::default()).unwrap();
            stats == back && length == bytes.len()
        }
    }

    #[test]
    fn statistics_survive_every_cut_and_flip() {
        testing::check(&testing::statistics());
    }
}
