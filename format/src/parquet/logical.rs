//! Logical types as the footer has them: a union of which one member is set.
//!
//! Most members are empty structs. A member that is not known here is kept by its number.
// spec: parquet.thrift, LogicalType; LogicalTypes.md

use crate::error::Result;
use crate::parquet::encoding::EdgeInterpolationAlgorithm;
use crate::parquet::thrift::{Fields, Reader, Structure, Wire, Writer};
use crate::types::TimeUnit;

/// What a schema node means.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogicalType {
    /// UTF-8 text.
    String,
    /// A map.
    Map,
    /// A list.
    List,
    /// Text out of a closed set.
    Enum,
    /// Unscaled integer.
    Decimal(DecimalType),
    /// Days since 1970-01-01.
    Date,
    /// Time of day.
    Time(TimeType),
    /// Date and time.
    Timestamp(TimeType),
    /// Integer of a width and sign.
    Integer(IntType),
    /// Only nulls: the physical type was guessed.
    Unknown,
    /// JSON text.
    Json,
    /// BSON bytes.
    Bson,
    /// 16 bytes, big-endian.
    Uuid,
    /// Half precision, two bytes.
    Float16,
    /// Semi-structured value, of this version of its specification if given.
    Variant(Option<i8>),
    /// Planar geometry in this coordinate reference system, or the default one.
    Geometry(Option<String>),
    /// Geometry on a spheroid.
    Geography(GeographyType),
    /// A reference to a file or a part of one.
    File,
    /// A member that is not known here, by its number; 0 if none is set.
    Other(i16),
}

/// Scale and precision of a decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecimalType {
    /// Digits after the point.
    pub scale: i32,
    /// Significant digits.
    pub precision: i32,
}

/// Relation to UTC and resolution of a time or timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeType {
    /// Whether values are UTC-adjusted.
    pub is_adjusted_to_utc: bool,
    /// Resolution; `None` if it is not known here.
    pub unit: Option<TimeUnit>,
}

/// Width and sign of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntType {
    /// 8, 16, 32 or 64.
    pub bit_width: i8,
    /// Whether it is signed.
    pub is_signed: bool,
}

/// Coordinate reference system and edges of a geography.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GeographyType {
    /// Coordinate reference system, if not the default one.
    pub crs: Option<String>,
    /// How edges run, if not along great circles.
    pub algorithm: Option<EdgeInterpolationAlgorithm>,
}

impl LogicalType {
    /// The specification's name of the member, or `OTHER`.
    pub fn name(&self) -> &'static str {
        match self {
            LogicalType::String => "STRING",
            LogicalType::Map => "MAP",
            LogicalType::List => "LIST",
            LogicalType::Enum => "ENUM",
            LogicalType::Decimal(_) => "DECIMAL",
            LogicalType::Date => "DATE",
            LogicalType::Time(_) => "TIME",
            LogicalType::Timestamp(_) => "TIMESTAMP",
            LogicalType::Integer(_) => "INTEGER",
            LogicalType::Unknown => "UNKNOWN",
            LogicalType::Json => "JSON",
            LogicalType::Bson => "BSON",
            LogicalType::Uuid => "UUID",
            LogicalType::Float16 => "FLOAT16",
            LogicalType::Variant(_) => "VARIANT",
            LogicalType::Geometry(_) => "GEOMETRY",
            LogicalType::Geography(_) => "GEOGRAPHY",
            LogicalType::File => "FILE",
            LogicalType::Other(_) => "OTHER",
        }
    }

    /// An empty member by its number.
    fn from_id(id: i16) -> Self {
        match id {
            1 => LogicalType::String,
            2 => LogicalType::Map,
            3 => LogicalType::List,
            4 => LogicalType::Enum,
            6 => LogicalType::Date,
            11 => LogicalType::Unknown,
            12 => LogicalType::Json,
            13 => LogicalType::Bson,
            14 => LogicalType::Uuid,
            15 => LogicalType::Float16,
            19 => LogicalType::File,
            _ => LogicalType::Other(id),
        }
    }
}

impl Structure for LogicalType {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut ty = LogicalType::Other(0);
        let mut fields = Fields::new("LogicalType");
        while let Some((id, wire)) = fields.next(reader)? {
            ty = match (id, wire) {
                (5, Wire::Struct) => LogicalType::Decimal(Structure::decode_from(reader)?),
                (7, Wire::Struct) => LogicalType::Time(Structure::decode_from(reader)?),
                (8, Wire::Struct) => LogicalType::Timestamp(Structure::decode_from(reader)?),
                (10, Wire::Struct) => LogicalType::Integer(Structure::decode_from(reader)?),
                (16, Wire::Struct) => LogicalType::Variant(decode_variant(reader)?),
                (17, Wire::Struct) => {
                    LogicalType::Geometry(GeographyType::decode_from(reader)?.crs)
                }
                (18, Wire::Struct) => LogicalType::Geography(Structure::decode_from(reader)?),
                (id, Wire::Struct) => {
                    fields.skip(reader, wire)?;
                    LogicalType::from_id(id)
                }
                _ => {
                    fields.skip(reader, wire)?;
                    LogicalType::Other(0)
                }
            };
        }
        Ok(ty)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        match self {
            LogicalType::String => writer.empty(1),
            LogicalType::Map => writer.empty(2),
            LogicalType::List => writer.empty(3),
            LogicalType::Enum => writer.empty(4),
            LogicalType::Decimal(decimal) => writer.structure(5, decimal),
            LogicalType::Date => writer.empty(6),
            LogicalType::Time(time) => writer.structure(7, time),
            LogicalType::Timestamp(time) => writer.structure(8, time),
            LogicalType::Integer(integer) => writer.structure(10, integer),
            LogicalType::Unknown => writer.empty(11),
            LogicalType::Json => writer.empty(12),
            LogicalType::Bson => writer.empty(13),
            LogicalType::Uuid => writer.empty(14),
            LogicalType::Float16 => writer.empty(15),
            LogicalType::Variant(version) => writer.structure(16, &VariantType(*version)),
            LogicalType::Geometry(crs) => {
                let crs = crs.clone();
                let algorithm = None;
                writer.structure(17, &GeographyType { crs, algorithm });
            }
            LogicalType::Geography(geography) => writer.structure(18, geography),
            LogicalType::File => writer.empty(19),
            LogicalType::Other(0) => {}
            LogicalType::Other(id) => writer.empty(*id),
        }
    }
}

impl Structure for DecimalType {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let (mut scale, mut precision) = (0, 0);
        let mut fields = Fields::new("DecimalType");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I32) => scale = reader.i32()?,
                (2, Wire::I32) => precision = reader.i32()?,
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2])?;
        Ok(DecimalType { scale, precision })
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i32(1, self.scale);
        writer.i32(2, self.precision);
    }
}

impl Structure for TimeType {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut time = TimeType {
            is_adjusted_to_utc: false,
            unit: None,
        };
        let mut fields = Fields::new("TimeType");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::True | Wire::False) => time.is_adjusted_to_utc = wire == Wire::True,
                (2, Wire::Struct) => time.unit = decode_unit(reader)?,
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2])?;
        Ok(time)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.bool(1, self.is_adjusted_to_utc);
        writer.structure(2, &Unit(self.unit));
    }
}

/// The union of time units.
fn decode_unit(reader: &mut Reader<'_>) -> Result<Option<TimeUnit>> {
    Unit::decode_from(reader).map(|unit| unit.0)
}

struct Unit(Option<TimeUnit>);

impl Structure for Unit {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut unit = None;
        let mut fields = Fields::new("TimeUnit");
        while let Some((id, wire)) = fields.next(reader)? {
            unit = match id {
                1 => Some(TimeUnit::Millis),
                2 => Some(TimeUnit::Micros),
                3 => Some(TimeUnit::Nanos),
                _ => None,
            };
            fields.skip(reader, wire)?;
        }
        Ok(Unit(unit))
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        match self.0 {
            Some(TimeUnit::Millis) => writer.empty(1),
            Some(TimeUnit::Micros) => writer.empty(2),
            Some(TimeUnit::Nanos) => writer.empty(3),
            None => {}
        }
    }
}

impl Structure for IntType {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let (mut bit_width, mut is_signed) = (0, false);
        let mut fields = Fields::new("IntType");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I8) => bit_width = reader.i8()?,
                (2, Wire::True | Wire::False) => is_signed = wire == Wire::True,
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2])?;
        Ok(IntType {
            bit_width,
            is_signed,
        })
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i8(1, self.bit_width);
        writer.bool(2, self.is_signed);
    }
}

struct VariantType(Option<i8>);

fn decode_variant(reader: &mut Reader<'_>) -> Result<Option<i8>> {
    VariantType::decode_from(reader).map(|variant| variant.0)
}

impl Structure for VariantType {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut version = None;
        let mut fields = Fields::new("VariantType");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I8) => version = Some(reader.i8()?),
                _ => fields.skip(reader, wire)?,
            }
        }
        Ok(VariantType(version))
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i8(1, self.0);
    }
}

impl Structure for GeographyType {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut geography = GeographyType::default();
        let mut fields = Fields::new("GeographyType");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::Binary) => geography.crs = Some(reader.string()?),
                (2, Wire::I32) => {
                    let algorithm = EdgeInterpolationAlgorithm::from_id(reader.i32()?);
                    geography.algorithm = Some(algorithm);
                }
                _ => fields.skip(reader, wire)?,
            }
        }
        Ok(geography)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.string(1, self.crs.as_deref());
        writer.i32(2, self.algorithm.map(EdgeInterpolationAlgorithm::id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::parquet::testing;
    use crate::parquet::thrift;

    /// Every member, with its fields set.
    pub(crate) fn all() -> Vec<LogicalType> {
        let time = |unit| TimeType {
            is_adjusted_to_utc: true,
            unit: Some(unit),
        };
        let mut all: Vec<_> = [1, 2, 3, 4, 6, 11, 12, 13, 14, 15, 19, 999]
            .map(LogicalType::from_id)
            .into();
        all.extend([
            LogicalType::Decimal(DecimalType {
                scale: 2,
                precision: 38,
            }),
            LogicalType::Time(time(TimeUnit::Nanos)),
            LogicalType::Timestamp(time(TimeUnit::Millis)),
            LogicalType::Timestamp(time(TimeUnit::Micros)),
            LogicalType::Integer(IntType {
                bit_width: 64,
                is_signed: false,
            }),
            LogicalType::Variant(Some(1)),
            LogicalType::Geometry(Some("EPSG:4326".into())),
            LogicalType::Geography(GeographyType {
                crs: None,
                algorithm: Some(EdgeInterpolationAlgorithm::Karney),
            }),
        ]);
        all
    }

    #[test]
    fn members_survive_every_cut_and_flip() {
        for ty in all() {
            testing::check(&ty);
        }
    }

    #[test]
    fn a_literal_timestamp_and_a_member_from_the_future() {
        let bytes = [0x8c, 0x11, 0x1c, 0x2c, 0x00, 0x00, 0x00, 0x00];
        let (ty, length) = thrift::decode::<LogicalType>(&bytes, &Limits::default()).unwrap();
        assert_eq!(length, 8);
        let expected = LogicalType::Timestamp(TimeType {
            is_adjusted_to_utc: true,
            unit: Some(TimeUnit::Micros),
        });
        assert_eq!(ty, expected);

        let bytes = [0x0c, 0xc8, 0x01, 0x15, 0x02, 0x00, 0x00];
        let (ty, _) = thrift::decode::<LogicalType>(&bytes, &Limits::default()).unwrap();
        assert_eq!(ty, LogicalType::Other(100));
    }
}
