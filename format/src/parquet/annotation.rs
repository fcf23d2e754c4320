//! Maps a leaf's physical type and annotation to its logical type, and back.
//!
//! `logicalType` counts, else `converted_type` under the logical type it stands for. INTERVAL has only
//! a converted type, and wins over the UNKNOWN that a known writer puts beside it. An annotation that
//! is unknown, or does not go with the physical type, means the plain physical type.
// spec: LogicalTypes.md

use crate::error::{Error, Result};
use crate::parquet::encoding::{ConvertedType, Type};
use crate::parquet::logical::{
    DecimalType, GeographyType, IntType, LogicalType as Annotation, TimeType,
};
use crate::parquet::schema_element::SchemaElement;
use crate::types::{LogicalType, TimeUnit, Zone};

/// The annotation of a leaf. INTERVAL, which has no logical type, keeps its reserved number.
pub(crate) fn annotation(node: &SchemaElement) -> Option<Annotation> {
    match (node.converted_type, &node.logical_type) {
        (Some(ConvertedType::Interval), None | Some(Annotation::Unknown)) => Some(INTERVAL),
        (_, Some(logical)) => Some(logical.clone()),
        (Some(converted), None) => from_converted(converted, node),
        (None, None) => None,
    }
}

/// The number that the union of logical types reserves for intervals.
const INTERVAL: Annotation = Annotation::Other(9);

/// The logical type that a converted type stands for.
fn from_converted(converted: ConvertedType, node: &SchemaElement) -> Option<Annotation> {
    let int = |bit_width, is_signed| {
        Annotation::Integer(IntType {
            bit_width,
            is_signed,
        })
    };
    let utc = |unit| TimeType {
        is_adjusted_to_utc: true,
        unit: Some(unit),
    };
    Some(match converted {
        ConvertedType::Utf8 => Annotation::String,
        ConvertedType::Enum => Annotation::Enum,
        ConvertedType::Decimal => Annotation::Decimal(DecimalType {
            scale: node.scale.unwrap_or(0),
            precision: node.precision?,
        }),
        ConvertedType::Date => Annotation::Date,
        ConvertedType::TimeMillis => Annotation::Time(utc(TimeUnit::Millis)),
        ConvertedType::TimeMicros => Annotation::Time(utc(TimeUnit::Micros)),
        ConvertedType::TimestampMillis => Annotation::Timestamp(utc(TimeUnit::Millis)),
        ConvertedType::TimestampMicros => Annotation::Timestamp(utc(TimeUnit::Micros)),
        ConvertedType::Uint8 => int(8, false),
        ConvertedType::Uint16 => int(16, false),
        ConvertedType::Uint32 => int(32, false),
        ConvertedType::Uint64 => int(64, false),
        ConvertedType::Int8 => int(8, true),
        ConvertedType::Int16 => int(16, true),
        ConvertedType::Int32 => int(32, true),
        ConvertedType::Int64 => int(64, true),
        ConvertedType::Json => Annotation::Json,
        ConvertedType::Bson => Annotation::Bson,
        ConvertedType::Interval => INTERVAL,
        ConvertedType::Map
        | ConvertedType::MapKeyValue
        | ConvertedType::List
        | ConvertedType::Unknown(_) => return None,
    })
}

/// What the values of a leaf mean.
pub(crate) fn leaf_type(
    physical: Type,
    type_length: usize,
    annotation: Option<&Annotation>,
) -> LogicalType {
    annotation
        .and_then(|annotation| annotated(physical, type_length, annotation))
        .unwrap_or_else(|| plain(physical, type_length))
}

/// The meaning of an annotation, if it goes with the physical type.
fn annotated(physical: Type, length: usize, annotation: &Annotation) -> Option<LogicalType> {
    use LogicalType as T;
    Some(match (annotation, physical) {
        (Annotation::Unknown, _) => T::Null,
        (Annotation::String, Type::ByteArray) => T::String,
        (Annotation::Enum, Type::ByteArray) => T::Enum,
        (Annotation::Json, Type::ByteArray) => T::Json,
        (Annotation::Bson, Type::ByteArray) => T::Bson,
        (Annotation::Geometry(_), Type::ByteArray) => T::Geometry,
        (Annotation::Geography(_), Type::ByteArray) => T::Geography,
        (Annotation::Uuid, Type::FixedLenByteArray) if length == 16 => T::Uuid,
        (Annotation::Float16, Type::FixedLenByteArray) if length == 2 => T::Float16,
        (&INTERVAL, Type::FixedLenByteArray) if length == 12 => T::Interval,
        (Annotation::Decimal(decimal), _) => return decimal_type(physical, *decimal),
        (Annotation::Integer(int), _) => return int_type(physical, *int),
        (Annotation::Date, Type::Int32) => T::Date,
        (Annotation::Time(time), _) => match (time.unit?, physical) {
            (unit @ TimeUnit::Millis, Type::Int32)
            | (unit @ (TimeUnit::Micros | TimeUnit::Nanos), Type::Int64) => T::Time {
                unit,
                utc: time.is_adjusted_to_utc,
            },
            _ => return None,
        },
        (Annotation::Timestamp(time), Type::Int64) => T::Timestamp {
            unit: time.unit?,
            zone: match time.is_adjusted_to_utc {
                true => Zone::Utc,
                false => Zone::Local,
            },
        },
        _ => return None,
    })
}

fn decimal_type(physical: Type, decimal: DecimalType) -> Option<LogicalType> {
    let precision = u8::try_from(decimal.precision).ok()?;
    let scale = u8::try_from(decimal.scale).ok()?;
    let stored = matches!(
        physical,
        Type::Int32 | Type::Int64 | Type::ByteArray | Type::FixedLenByteArray
    );
    (stored && precision > 0 && scale <= precision)
        .then_some(LogicalType::Decimal { precision, scale })
}

fn int_type(physical: Type, int: IntType) -> Option<LogicalType> {
    use LogicalType as T;
    Some(match (physical, int.bit_width, int.is_signed) {
        (Type::Int32, 8, true) => T::Int8,
        (Type::Int32, 16, true) => T::Int16,
        (Type::Int32, 32, true) => T::Int32,
        (Type::Int64, 64, true) => T::Int64,
        (Type::Int32, 8, false) => T::UInt8,
        (Type::Int32, 16, false) => T::UInt16,
        (Type::Int32, 32, false) => T::UInt32,
        (Type::Int64, 64, false) => T::UInt64,
        _ => return None,
    })
}

/// The meaning of a physical type alone.
fn plain(physical: Type, type_length: usize) -> LogicalType {
    match physical {
        Type::Boolean => LogicalType::Boolean,
        Type::Int32 => LogicalType::Int32,
        Type::Int64 => LogicalType::Int64,
        Type::Int96 => LogicalType::Timestamp {
            unit: TimeUnit::Nanos,
            zone: Zone::Unstated,
        },
        Type::Float => LogicalType::Float32,
        Type::Double => LogicalType::Float64,
        Type::FixedLenByteArray => {
            LogicalType::Fixed(u32::try_from(type_length).unwrap_or(u32::MAX))
        }
        Type::ByteArray | Type::Unknown(_) => LogicalType::Binary,
    }
}

/// The physical type, length and annotations with which a leaf of type `ty` is written; the name and
/// repetition are the caller's to set. Nested types are no leaves.
pub(crate) fn element(ty: &LogicalType) -> Result<SchemaElement> {
    use LogicalType as T;
    let (physical, length, annotation) = match ty {
        T::Null => (Type::Int32, None, Some(Annotation::Unknown)),
        T::Boolean => (Type::Boolean, None, None),
        T::Int8 => (Type::Int32, None, int(8, true)),
        T::Int16 => (Type::Int32, None, int(16, true)),
        T::Int32 => (Type::Int32, None, None),
        T::Int64 => (Type::Int64, None, None),
        T::UInt8 => (Type::Int32, None, int(8, false)),
        T::UInt16 => (Type::Int32, None, int(16, false)),
        T::UInt32 => (Type::Int32, None, int(32, false)),
        T::UInt64 => (Type::Int64, None, int(64, false)),
        T::Float16 => (Type::FixedLenByteArray, Some(2), Some(Annotation::Float16)),
        T::Float32 => (Type::Float, None, None),
        T::Float64 => (Type::Double, None, None),
        T::Decimal { precision, scale } => decimal_element(*precision, *scale)?,
        T::Date => (Type::Int32, None, Some(Annotation::Date)),
        T::Time { unit, utc } => {
            let physical = match unit {
                TimeUnit::Millis => Type::Int32,
                TimeUnit::Micros | TimeUnit::Nanos => Type::Int64,
            };
            (physical, None, Some(Annotation::Time(time(*unit, *utc))))
        }
        T::Timestamp { unit, zone } => {
            let time = time(*unit, *zone == Zone::Utc);
            (Type::Int64, None, Some(Annotation::Timestamp(time)))
        }
        T::String | T::Char(_) | T::Varchar(_) => (Type::ByteArray, None, Some(Annotation::String)),
        T::Enum => (Type::ByteArray, None, Some(Annotation::Enum)),
        T::Json => (Type::ByteArray, None, Some(Annotation::Json)),
        T::Bson => (Type::ByteArray, None, Some(Annotation::Bson)),
        T::Binary => (Type::ByteArray, None, None),
        T::Fixed(length) => (Type::FixedLenByteArray, Some(fixed_length(*length)?), None),
        T::Uuid => (Type::FixedLenByteArray, Some(16), Some(Annotation::Uuid)),
        T::Interval => (Type::FixedLenByteArray, Some(12), None),
        T::Geometry => (Type::ByteArray, None, Some(Annotation::Geometry(None))),
        T::Geography => {
            let geography = Annotation::Geography(GeographyType::default());
            (Type::ByteArray, None, Some(geography))
        }
        T::List(_) | T::Map(_) | T::Struct(_) | T::Union(_) | T::Variant(_) => {
            return Err(Error::unsupported(format!("{ty} is not a leaf of Parquet")));
        }
    };
    Ok(SchemaElement {
        physical_type: Some(physical),
        type_length: length,
        converted_type: match ty {
            T::Interval => Some(ConvertedType::Interval),
            _ => annotation.as_ref().and_then(to_converted),
        },
        scale: decimal_parts(ty).map(|(_, scale)| scale),
        precision: decimal_parts(ty).map(|(precision, _)| precision),
        logical_type: annotation,
        ..SchemaElement::default()
    })
}

fn int(bit_width: i8, is_signed: bool) -> Option<Annotation> {
    Some(Annotation::Integer(IntType {
        bit_width,
        is_signed,
    }))
}

fn time(unit: TimeUnit, is_adjusted_to_utc: bool) -> TimeType {
    TimeType {
        is_adjusted_to_utc,
        unit: Some(unit),
    }
}

fn fixed_length(length: u32) -> Result<i32> {
    match i32::try_from(length) {
        Ok(length) if length > 0 => Ok(length),
        _ => Err(Error::unsupported(format!(
            "fixed({length}) cannot be written"
        ))),
    }
}

fn decimal_parts(ty: &LogicalType) -> Option<(i32, i32)> {
    match ty {
        LogicalType::Decimal { precision, scale } => {
            Some((i32::from(*precision), i32::from(*scale)))
        }
        _ => None,
    }
}

/// Decimals go into the smallest integer that holds their precision, or as few bytes as do.
fn decimal_element(precision: u8, scale: u8) -> Result<(Type, Option<i32>, Option<Annotation>)> {
    let (physical, length) = match precision {
        1..=9 => (Type::Int32, None),
        10..=18 => (Type::Int64, None),
        19..=38 => (Type::FixedLenByteArray, Some(decimal_bytes(precision))),
        _ => {
            return Err(Error::unsupported(format!(
                "decimal({precision},{scale}) cannot be written"
            )));
        }
    };
    let annotation = Annotation::Decimal(DecimalType {
        scale: i32::from(scale),
        precision: i32::from(precision),
    });
    Ok((physical, length, Some(annotation)))
}

/// The fewest bytes whose two's complement holds `precision` digits, at most 38.
fn decimal_bytes(precision: u8) -> i32 {
    let largest = 10i128.pow(u32::from(precision)) - 1;
    let bits = 128 - largest.leading_zeros() + 1;
    bits.div_ceil(8) as i32
}

/// The converted type that old readers know in place of a logical type.
fn to_converted(annotation: &Annotation) -> Option<ConvertedType> {
    Some(match annotation {
        Annotation::String => ConvertedType::Utf8,
        Annotation::Enum => ConvertedType::Enum,
        Annotation::Decimal(_) => ConvertedType::Decimal,
        Annotation::Date => ConvertedType::Date,
        Annotation::Json => ConvertedType::Json,
        Annotation::Bson => ConvertedType::Bson,
        Annotation::Time(time) => match time.unit? {
            TimeUnit::Millis => ConvertedType::TimeMillis,
            TimeUnit::Micros => ConvertedType::TimeMicros,
            TimeUnit::Nanos => return None,
        },
        Annotation::Timestamp(time) => match time.unit? {
            TimeUnit::Millis => ConvertedType::TimestampMillis,
            TimeUnit::Micros => ConvertedType::TimestampMicros,
            TimeUnit::Nanos => return None,
        },
        Annotation::Integer(int) => match (int.bit_width, int.is_signed) {
            (8, true) => ConvertedType::Int8,
            (16, true) => ConvertedType::Int16,
            (32, true) => ConvertedType::Int32,
            (64, true) => ConvertedType::Int64,
            (8, false) => ConvertedType::Uint8,
            (16, false) => ConvertedType::Uint16,
            (32, false) => ConvertedType::Uint32,
            (64, false) => ConvertedType::Uint64,
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(converted: Option<ConvertedType>, logical: Option<Annotation>) -> SchemaElement {
        SchemaElement {
            converted_type: converted,
            logical_type: logical,
            precision: Some(9),
            scale: None,
            ..Default::default()
        }
    }

    fn meaning(physical: Type, length: usize, node: &SchemaElement) -> LogicalType {
        leaf_type(physical, length, annotation(node).as_ref())
    }

    #[test]
    fn the_logical_type_wins_except_over_an_interval() {
        let both = node(Some(ConvertedType::Utf8), Some(Annotation::Json));
        assert_eq!(meaning(Type::ByteArray, 0, &both), LogicalType::Json);
        let interval = node(Some(ConvertedType::Interval), Some(Annotation::Unknown));
        let fixed = Type::FixedLenByteArray;
        assert_eq!(meaning(fixed, 12, &interval), LogicalType::Interval);
        let nothing = node(None, Some(Annotation::Unknown));
        assert_eq!(meaning(Type::Int32, 0, &nothing), LogicalType::Null);
    }

    #[test]
    fn converted_types_stand_for_logical_ones() {
        let decimal = node(Some(ConvertedType::Decimal), None);
        let expected = LogicalType::Decimal {
            precision: 9,
            scale: 0,
        };
        assert_eq!(meaning(Type::ByteArray, 0, &decimal), expected);
        let micros = node(Some(ConvertedType::TimestampMicros), None);
        let expected = LogicalType::Timestamp {
            unit: TimeUnit::Micros,
            zone: Zone::Utc,
        };
        assert_eq!(meaning(Type::Int64, 0, &micros), expected);
        let unsigned = node(Some(ConvertedType::Uint16), None);
        assert_eq!(meaning(Type::Int32, 0, &unsigned), LogicalType::UInt16);
    }

    #[test]
    fn what_does_not_fit_or_is_unknown_means_the_physical_type() {
        let other = node(None, Some(Annotation::Other(77)));
        assert_eq!(meaning(Type::Int64, 0, &other), LogicalType::Int64);
        let text = node(None, Some(Annotation::String));
        assert_eq!(meaning(Type::Int32, 0, &text), LogicalType::Int32);
        let uuid = node(None, Some(Annotation::Uuid));
        assert_eq!(
            meaning(Type::FixedLenByteArray, 15, &uuid),
            LogicalType::Fixed(15)
        );
        let unknown = node(Some(ConvertedType::Unknown(99)), None);
        assert_eq!(meaning(Type::ByteArray, 0, &unknown), LogicalType::Binary);
        let scale = node(
            None,
            Some(Annotation::Decimal(DecimalType {
                scale: 10,
                precision: 9,
            })),
        );
        assert_eq!(meaning(Type::Int32, 0, &scale), LogicalType::Int32);
    }

    #[test]
    fn decimals_take_the_fewest_bytes() {
        assert_eq!(decimal_bytes(18), 8);
        assert_eq!(decimal_bytes(19), 9);
        assert_eq!(decimal_bytes(38), 16);
    }

    #[test]
    fn every_leaf_type_is_written_so_that_it_reads_back() {
        use LogicalType as T;
        let mut all = vec![
            T::Null,
            T::Boolean,
            T::Int8,
            T::Int16,
            T::Int32,
            T::Int64,
            T::UInt8,
            T::UInt16,
            T::UInt32,
            T::UInt64,
            T::Float16,
            T::Float32,
            T::Float64,
            T::Date,
            T::String,
            T::Enum,
            T::Json,
            T::Bson,
            T::Binary,
            T::Fixed(7),
            T::Uuid,
            T::Interval,
            T::Geometry,
            T::Geography,
        ];
        for unit in [TimeUnit::Millis, TimeUnit::Micros, TimeUnit::Nanos] {
            for utc in [true, false] {
                let zone = if utc { Zone::Utc } else { Zone::Local };
                all.extend([T::Time { unit, utc }, T::Timestamp { unit, zone }]);
            }
        }
        all.extend((1..=38).map(|precision| T::Decimal {
            precision,
            scale: precision / 2,
        }));
        for ty in all {
            let mut node = element(&ty).unwrap();
            let physical = node.physical_type.unwrap();
            let length = node.type_length.unwrap_or(0) as usize;
            assert_eq!(meaning(physical, length, &node), ty);
            // a reader that knows only converted types, where there is one
            if let Some(converted) = node.converted_type {
                node.logical_type = None;
                let old = meaning(physical, length, &node);
                assert_eq!(old.layout(), ty.layout(), "{converted}");
            }
        }
    }

    #[test]
    fn what_parquet_cannot_hold_is_refused() {
        for ty in [
            LogicalType::Fixed(0),
            LogicalType::Decimal {
                precision: 39,
                scale: 0,
            },
            LogicalType::Struct([].into()),
        ] {
            assert!(element(&ty).is_err());
        }
    }
}
