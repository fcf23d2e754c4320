//! The statistics structure of a column chunk or page, as it is stored; [`stats`](crate::parquet::stats)
//! decides which of them are trusted.
// spec: parquet.thrift, Statistics

use crate::error::Result;
use crate::parquet::thrift::{Ascending, InOrder, InPlace, Reader, Structure, Writer};
use crate::short_bytes::ShortBytes;

/// Bounds and counts as the file has them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Deprecated upper bound, by signed comparison.
    pub max: Option<ShortBytes>,
    /// Deprecated lower bound, by signed comparison.
    pub min: Option<ShortBytes>,
    /// Slots without a value. Absent is not zero.
    pub null_count: Option<i64>,
    /// Distinct values.
    pub distinct_count: Option<i64>,
    /// Upper bound in the column's order: plain encoding without a length.
    pub max_value: Option<ShortBytes>,
    /// Lower bound in the column's order: plain encoding without a length.
    pub min_value: Option<ShortBytes>,
    /// Whether some value equals `max_value`.
    pub is_max_value_exact: Option<bool>,
    /// Whether some value equals `min_value`.
    pub is_min_value_exact: Option<bool>,
    /// NaNs among the values of a floating-point column. Absent is not zero.
    pub nan_count: Option<i64>,
}

impl InOrder for Statistics {
    const NAME: &'static str = "Statistics";

    #[inline(always)]
    fn take_fields(&mut self, fields: &mut Ascending<'_, '_>) -> Result<()> {
        fields.short_bytes(1, &mut self.max)?;
        fields.short_bytes(2, &mut self.min)?;
        fields.i64(3, &mut self.null_count)?;
        fields.i64(4, &mut self.distinct_count)?;
        fields.short_bytes(5, &mut self.max_value)?;
        fields.short_bytes(6, &mut self.min_value)?;
        fields.bool(7, &mut self.is_max_value_exact)?;
        fields.bool(8, &mut self.is_min_value_exact)?;
        fields.i64(9, &mut self.nan_count)?;
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
                max: deprecated.0.map(ShortBytes::from),
                min: deprecated.1.map(ShortBytes::from),
                null_count: counts.0,
                distinct_count: counts.1,
                max_value: bounds.0.map(ShortBytes::from),
                min_value: bounds.1.map(ShortBytes::from),
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
