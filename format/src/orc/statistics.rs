//! The statistics messages, as they are stored; [`stats`](crate::orc::stats) decides which of them are trusted.
// spec: ORCv1.md, "Column Statistics"

use std::mem::discriminant;

use crate::orc::proto::{Encoder, Field, FieldResult, Message};

/// Of integers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IntegerStatistics {
    /// Smallest value.
    pub minimum: Option<i64>,
    /// Largest value.
    pub maximum: Option<i64>,
    /// Sum, unless it overflows.
    pub sum: Option<i64>,
}

impl Message for IntegerStatistics {
    const NAME: &'static str = "IntegerStatistics";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.minimum = Some(field.sint64()?),
            2 => self.maximum = Some(field.sint64()?),
            3 => self.sum = Some(field.sint64()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.sint64(1, self.minimum);
        out.sint64(2, self.maximum);
        out.sint64(3, self.sum);
    }
}

/// Of floats and doubles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DoubleStatistics {
    /// Smallest value.
    pub minimum: Option<f64>,
    /// Largest value.
    pub maximum: Option<f64>,
    /// Sum: NaN as soon as one value is.
    pub sum: Option<f64>,
}

impl Message for DoubleStatistics {
    const NAME: &'static str = "DoubleStatistics";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.minimum = Some(field.f64()?),
            2 => self.maximum = Some(field.f64()?),
            3 => self.sum = Some(field.f64()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.f64(1, self.minimum);
        out.f64(2, self.maximum);
        out.f64(3, self.sum);
    }
}

/// Of strings, chars and varchars; the texts are kept as bytes, as nothing makes a writer check them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StringStatistics {
    /// Smallest value.
    pub minimum: Option<Vec<u8>>,
    /// Largest value.
    pub maximum: Option<Vec<u8>>,
    /// Total length.
    pub sum: Option<i64>,
    /// In place of a minimum that is too long: a text not above it.
    pub lower_bound: Option<Vec<u8>>,
    /// In place of a maximum that is too long: a text not below it.
    pub upper_bound: Option<Vec<u8>>,
}

impl Message for StringStatistics {
    const NAME: &'static str = "StringStatistics";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        let bytes = || field.byte_vec().map(Some);
        match field.number {
            1 => self.minimum = bytes()?,
            2 => self.maximum = bytes()?,
            3 => self.sum = Some(field.sint64()?),
            4 => self.lower_bound = bytes()?,
            5 => self.upper_bound = bytes()?,
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.bytes(1, self.minimum.as_deref());
        out.bytes(2, self.maximum.as_deref());
        out.sint64(3, self.sum);
        out.bytes(4, self.lower_bound.as_deref());
        out.bytes(5, self.upper_bound.as_deref());
    }
}

/// Of booleans.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BucketStatistics {
    /// How many values are true (ORC writers store that one count alone).
    pub count: Vec<u64>,
}

impl Message for BucketStatistics {
    const NAME: &'static str = "BucketStatistics";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => field.extend_u64(&mut self.count),
            _ => Ok(()),
        }
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.packed(1, self.count.iter().copied());
    }
}

/// Of decimals, as text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DecimalStatistics {
    /// Smallest value.
    pub minimum: Option<String>,
    /// Largest value.
    pub maximum: Option<String>,
    /// Sum, unless it overflows.
    pub sum: Option<String>,
}

impl Message for DecimalStatistics {
    const NAME: &'static str = "DecimalStatistics";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.minimum = Some(field.string()?),
            2 => self.maximum = Some(field.string()?),
            3 => self.sum = Some(field.string()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.bytes(1, self.minimum.as_deref());
        out.bytes(2, self.maximum.as_deref());
        out.bytes(3, self.sum.as_deref());
    }
}

/// Of dates, in days since 1970-01-01.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DateStatistics {
    /// Smallest value.
    pub minimum: Option<i32>,
    /// Largest value.
    pub maximum: Option<i32>,
}

impl Message for DateStatistics {
    const NAME: &'static str = "DateStatistics";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.minimum = Some(field.sint32()?),
            2 => self.maximum = Some(field.sint32()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.sint32(1, self.minimum);
        out.sint32(2, self.maximum);
    }
}

/// Of timestamps, in milliseconds since 1970-01-01.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimestampStatistics {
    /// Smallest value, moved by the writer's zone.
    pub minimum: Option<i64>,
    /// Largest value, moved by the writer's zone.
    pub maximum: Option<i64>,
    /// Smallest value, the wall clock read as UTC (ORC-135).
    pub minimum_utc: Option<i64>,
    /// Largest value, the wall clock read as UTC (ORC-135).
    pub maximum_utc: Option<i64>,
    /// Nanoseconds of the smallest value within its millisecond, plus one.
    pub minimum_nanos: Option<i32>,
    /// Nanoseconds of the largest value within its millisecond, plus one.
    pub maximum_nanos: Option<i32>,
}

impl Message for TimestampStatistics {
    const NAME: &'static str = "TimestampStatistics";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.minimum = Some(field.sint64()?),
            2 => self.maximum = Some(field.sint64()?),
            3 => self.minimum_utc = Some(field.sint64()?),
            4 => self.maximum_utc = Some(field.sint64()?),
            5 => self.minimum_nanos = Some(field.i32()?),
            6 => self.maximum_nanos = Some(field.i32()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.sint64(1, self.minimum);
        out.sint64(2, self.maximum);
        out.sint64(3, self.minimum_utc);
        out.sint64(4, self.maximum_utc);
        out.i32(5, self.minimum_nanos);
        out.i32(6, self.maximum_nanos);
    }
}

/// Of binaries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BinaryStatistics {
    /// Total length.
    pub sum: Option<i64>,
}

impl Message for BinaryStatistics {
    const NAME: &'static str = "BinaryStatistics";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        if field.number == 1 {
            self.sum = Some(field.sint64()?);
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.sint64(1, self.sum);
    }
}

/// Of lists and maps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CollectionStatistics {
    /// Fewest entries of one value.
    pub min_children: Option<u64>,
    /// Most entries of one value.
    pub max_children: Option<u64>,
    /// Entries of all values.
    pub total_children: Option<u64>,
}

impl Message for CollectionStatistics {
    const NAME: &'static str = "CollectionStatistics";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.min_children = Some(field.u64()?),
            2 => self.max_children = Some(field.u64()?),
            3 => self.total_children = Some(field.u64()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.u64(1, self.min_children);
        out.u64(2, self.max_children);
        out.u64(3, self.total_children);
    }
}

/// The box around all shapes of a column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BoundingBox {
    /// The bounds of x, y, z and m, each smallest and largest: fields 1 to 8.
    pub bounds: [Option<f64>; 8],
}

impl Message for BoundingBox {
    const NAME: &'static str = "BoundingBox";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        let index = field.number.wrapping_sub(1) as usize;
        if let Some(bound) = self.bounds.get_mut(index) {
            *bound = Some(field.f64()?);
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        for (number, bound) in (1..).zip(self.bounds) {
            out.f64(number, bound);
        }
    }
}

/// Of geometries and geographies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GeospatialStatistics {
    /// The box around all of them.
    pub bbox: Option<Box<BoundingBox>>,
    /// Well-known-binary codes of the shapes that occur; empty if unknown.
    pub geospatial_types: Vec<i32>,
}

impl Message for GeospatialStatistics {
    const NAME: &'static str = "GeospatialStatistics";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => field.merge_box(&mut self.bbox)?,
            2 => field.extend_i32(&mut self.geospatial_types)?,
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.message(1, self.bbox.as_deref());
        for &code in &self.geospatial_types {
            out.i32(2, code);
        }
    }
}

/// What only some types have; a column has at most one.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names are the messages")]
#[non_exhaustive]
pub enum TypeStatistics {
    Int(IntegerStatistics),
    Double(DoubleStatistics),
    String(StringStatistics),
    Bucket(BucketStatistics),
    Decimal(DecimalStatistics),
    Date(DateStatistics),
    Binary(BinaryStatistics),
    Timestamp(TimestampStatistics),
    Collection(CollectionStatistics),
    Geospatial(GeospatialStatistics),
}

/// Of a column, over a file, a stripe or a stride.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ColumnStatistics {
    /// How many values there are, without nulls.
    pub number_of_values: Option<u64>,
    /// What the column's type adds.
    pub specific: Option<TypeStatistics>,
    /// Whether any value is null; absent in files before Hive 1.1.
    pub has_null: Option<bool>,
    /// Bytes of the column's streams.
    pub bytes_on_disk: Option<u64>,
}

impl Message for ColumnStatistics {
    const NAME: &'static str = "ColumnStatistics";
    const IS_LENIENT: bool = true;

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.number_of_values = Some(field.u64()?),
            10 => self.has_null = Some(field.bool()?),
            11 => self.bytes_on_disk = Some(field.u64()?),
            _ => self.decode_specific(field)?,
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        use TypeStatistics as S;
        out.u64(1, self.number_of_values);
        match &self.specific {
            Some(S::Int(statistics)) => out.message(2, Some(statistics)),
            Some(S::Double(statistics)) => out.message(3, Some(statistics)),
            Some(S::String(statistics)) => out.message(4, Some(statistics)),
            Some(S::Bucket(statistics)) => out.message(5, Some(statistics)),
            Some(S::Decimal(statistics)) => out.message(6, Some(statistics)),
            Some(S::Date(statistics)) => out.message(7, Some(statistics)),
            Some(S::Binary(statistics)) => out.message(8, Some(statistics)),
            Some(S::Timestamp(statistics)) => out.message(9, Some(statistics)),
            Some(S::Collection(statistics)) => out.message(12, Some(statistics)),
            Some(S::Geospatial(statistics)) => out.message(13, Some(statistics)),
            None => {}
        }
        out.bool(10, self.has_null);
        out.u64(11, self.bytes_on_disk);
    }
}

impl ColumnStatistics {
    /// Takes up what a type adds; of two kinds the last one counts.
    fn decode_specific(&mut self, field: Field<'_>) -> FieldResult<()> {
        use TypeStatistics as S;
        let none = match field.number {
            2 => S::Int(IntegerStatistics::default()),
            3 => S::Double(DoubleStatistics::default()),
            4 => S::String(StringStatistics::default()),
            5 => S::Bucket(BucketStatistics::default()),
            6 => S::Decimal(DecimalStatistics::default()),
            7 => S::Date(DateStatistics::default()),
            8 => S::Binary(BinaryStatistics::default()),
            9 => S::Timestamp(TimestampStatistics::default()),
            12 => S::Collection(CollectionStatistics::default()),
            13 => S::Geospatial(GeospatialStatistics::default()),
            _ => return Ok(()),
        };
        field.bytes()?;
        let specific = self.specific.get_or_insert_with(|| none.clone());
        if discriminant(specific) != discriminant(&none) {
            *specific = none;
        }
        match specific {
            S::Int(statistics) => field.merge(statistics),
            S::Double(statistics) => field.merge(statistics),
            S::String(statistics) => field.merge(statistics),
            S::Bucket(statistics) => field.merge(statistics),
            S::Decimal(statistics) => field.merge(statistics),
            S::Date(statistics) => field.merge(statistics),
            S::Binary(statistics) => field.merge(statistics),
            S::Timestamp(statistics) => field.merge(statistics),
            S::Collection(statistics) => field.merge(statistics),
            S::Geospatial(statistics) => field.merge(statistics),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn fields_of_another_wire_type_are_skipped() {
        // 1 as bytes; integers with 1 as 64 bits and 2 as a number; dates as a number; 10 as a number
        let mut bytes = vec![0x0a, 1, 3, 0x12, 11, 0x09, 1, 0, 0, 0, 0, 0, 0, 0, 0x10, 2];
        bytes.extend([0x38, 2, 0x50, 1]);
        let decoded = ColumnStatistics::decode(&bytes, &Limits::default()).unwrap();
        let integers = IntegerStatistics {
            maximum: Some(1),
            ..IntegerStatistics::default()
        };
        let expected = ColumnStatistics {
            specific: Some(TypeStatistics::Int(integers)),
            has_null: Some(true),
            ..ColumnStatistics::default()
        };
        assert_eq!(decoded, expected);
    }

    #[test]
    fn statistics_that_are_there_twice_are_merged() {
        // 1 to 100, then -4 as the minimum
        let mut bytes = vec![8, 3, 0x12, 5, 8, 2, 0x10, 0xc8, 1];
        bytes.extend([0x12, 2, 8, 7, 0x50, 1]);
        let decode = |bytes: &[u8]| ColumnStatistics::decode(bytes, &Limits::default()).unwrap();
        let integers = IntegerStatistics {
            minimum: Some(-4),
            maximum: Some(100),
            sum: None,
        };
        let expected = ColumnStatistics {
            number_of_values: Some(3),
            specific: Some(TypeStatistics::Int(integers)),
            has_null: Some(true),
            bytes_on_disk: None,
        };
        assert_eq!(decode(&bytes), expected);
        // dates: what another kind said is of no use
        bytes.extend([0x3a, 2, 8, 2]);
        let dates = DateStatistics {
            minimum: Some(1),
            maximum: None,
        };
        assert_eq!(decode(&bytes).specific, Some(TypeStatistics::Date(dates)));
    }
}
