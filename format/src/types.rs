//! The one table of types: what a column means ([`LogicalType`]) and how its values lie in memory
//! ([`Layout`]). Both formats map onto it; comparing, printing and writing dispatch on it.

use std::fmt;
use std::sync::Arc;

/// Resolution of a time or timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TimeUnit {
    /// Thousandths of a second.
    Millis,
    /// Millionths of a second.
    Micros,
    /// Billionths of a second.
    Nanos,
}

impl TimeUnit {
    /// How many of this unit make a second.
    pub fn per_second(self) -> i64 {
        match self {
            TimeUnit::Millis => 1_000,
            TimeUnit::Micros => 1_000_000,
            TimeUnit::Nanos => 1_000_000_000,
        }
    }

    /// How many digits of a fraction it shows: 3, 6 or 9.
    pub fn digits(self) -> usize {
        match self {
            TimeUnit::Millis => 3,
            TimeUnit::Micros => 6,
            TimeUnit::Nanos => 9,
        }
    }
}

/// What a timestamp is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Zone {
    /// An instant: UTC-adjusted in Parquet, "with local time zone" in ORC.
    Utc,
    /// A wall clock that belongs to no zone.
    Local,
    /// The file does not say: Parquet INT96 and ORC TIMESTAMP. The values are wall clocks; engines
    /// take them as instants in the session's zone.
    Unstated,
}

/// What a column means. Nested types own their fields.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LogicalType {
    /// Only nulls.
    Null,
    /// True or false.
    Boolean,
    /// 8-bit signed integer.
    Int8,
    /// 16-bit signed integer.
    Int16,
    /// 32-bit signed integer.
    Int32,
    /// 64-bit signed integer.
    Int64,
    /// 8-bit unsigned integer.
    UInt8,
    /// 16-bit unsigned integer.
    UInt16,
    /// 32-bit unsigned integer.
    UInt32,
    /// 64-bit unsigned integer.
    UInt64,
    /// IEEE 754 half precision, held as the equal single-precision value.
    Float16,
    /// IEEE 754 single precision.
    Float32,
    /// IEEE 754 double precision.
    Float64,
    /// Unscaled integer times ten to the minus `scale`.
    Decimal {
        /// Significant digits.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// Days since 1970-01-01, proleptic Gregorian.
    Date,
    /// Time of day.
    Time {
        /// Resolution.
        unit: TimeUnit,
        /// Whether it is UTC-adjusted.
        utc: bool,
    },
    /// Date and time since 1970-01-01T00:00.
    Timestamp {
        /// Resolution.
        unit: TimeUnit,
        /// What it is relative to.
        zone: Zone,
    },
    /// UTF-8 text.
    String,
    /// Text padded with spaces to this many characters (ORC).
    Char(u32),
    /// Text of at most this many characters (ORC).
    Varchar(u32),
    /// Text out of a closed set.
    Enum,
    /// JSON text.
    Json,
    /// Bytes.
    Binary,
    /// So many bytes each.
    Fixed(u32),
    /// Binary JSON.
    Bson,
    /// 16 bytes, big-endian.
    Uuid,
    /// Months, days, milliseconds: three little-endian 32-bit numbers.
    Interval,
    /// Planar geometry, well-known binary.
    Geometry,
    /// Geometry on a spheroid, well-known binary.
    Geography,
    /// Zero or more elements.
    List(Arc<Field>),
    /// Keys with values, in file order: the two fields are key and value.
    Map(Arc<[Field; 2]>),
    /// Named fields.
    Struct(Arc<[Field]>),
    /// One of several fields at a time (ORC).
    Union(Arc<[Field]>),
    /// Semi-structured value: the fields are those that it is stored in. A vector holds it as JSON text, in
    /// [`Layout::Bytes`]; who wants the fields takes the [`stored`](LogicalType::stored) type.
    Variant(Arc<[Field]>),
}

/// A named field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// Name, as the file spells it.
    pub name: String,
    /// Type.
    pub ty: LogicalType,
    /// Whether nulls may occur.
    pub nullable: bool,
}

impl Field {
    /// A field that may hold nulls.
    pub fn nullable(name: impl Into<String>, ty: LogicalType) -> Self {
        Field {
            name: name.into(),
            ty,
            nullable: true,
        }
    }

    /// A field without nulls.
    pub fn required(name: impl Into<String>, ty: LogicalType) -> Self {
        Field {
            name: name.into(),
            ty,
            nullable: false,
        }
    }

    /// How many leaves it holds.
    pub fn leaf_count(&self) -> usize {
        match self.ty.fields() {
            [] if self.ty.is_nested() => 0,
            [] => 1,
            fields => fields.iter().map(Field::leaf_count).sum(),
        }
    }
}

/// How the values of a type lie in a [`Vector`](crate::vector::Vector).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// No values.
    Null,
    /// One bit each.
    Boolean,
    /// 32-bit signed.
    I32,
    /// 64-bit signed.
    I64,
    /// 32-bit unsigned.
    U32,
    /// 64-bit unsigned.
    U64,
    /// 128-bit signed.
    I128,
    /// 256-bit signed.
    I256,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Variable or fixed number of bytes, as views.
    Bytes,
    /// Offsets and a child.
    List,
    /// Offsets and two children.
    Map,
    /// Children.
    Struct,
    /// Tags and children.
    Union,
}

impl LogicalType {
    /// The usual layout. Timestamps in nanoseconds come as [`Layout::I128`] where 64 bits are too few; that of
    /// variants is what they are stored in.
    pub fn layout(&self) -> Layout {
        use LogicalType as T;
        match self {
            T::Null => Layout::Null,
            T::Boolean => Layout::Boolean,
            T::Int8 | T::Int16 | T::Int32 | T::UInt8 | T::UInt16 | T::Date => Layout::I32,
            T::Time {
                unit: TimeUnit::Millis,
                ..
            } => Layout::I32,
            T::Int64 | T::Time { .. } | T::Timestamp { .. } => Layout::I64,
            T::UInt32 => Layout::U32,
            T::UInt64 => Layout::U64,
            T::Decimal {
                precision: 0..=9, ..
            } => Layout::I32,
            T::Decimal {
                precision: 10..=18, ..
            } => Layout::I64,
            T::Decimal {
                precision: 19..=38, ..
            } => Layout::I128,
            T::Decimal { .. } => Layout::I256,
            T::Float16 | T::Float32 => Layout::F32,
            T::Float64 => Layout::F64,
            T::String | T::Char(_) | T::Varchar(_) | T::Enum | T::Json => Layout::Bytes,
            T::Binary
            | T::Fixed(_)
            | T::Bson
            | T::Uuid
            | T::Interval
            | T::Geometry
            | T::Geography => Layout::Bytes,
            T::List(_) => Layout::List,
            T::Map(_) => Layout::Map,
            T::Struct(_) | T::Variant(_) => Layout::Struct,
            T::Union(_) => Layout::Union,
        }
    }

    /// The fields of a struct; none of other types.
    pub fn struct_fields(&self) -> Option<&[Field]> {
        match self {
            LogicalType::Struct(fields) => Some(fields),
            _ => None,
        }
    }

    /// Field `index` of a struct, or of each element of an array of structs: as an array then. Of a union, a member,
    /// which is null where the value is another member's.
    pub fn field(&self, index: usize) -> Option<Field> {
        match self {
            LogicalType::Struct(fields) => fields.get(index).cloned(),
            LogicalType::Union(members) => Some(Field {
                nullable: true,
                ..members.get(index)?.clone()
            }),
            LogicalType::List(element) => {
                let LogicalType::Struct(fields) = &element.ty else {
                    return None;
                };
                let field = fields.get(index)?;
                let elements = Field {
                    name: element.name.clone(),
                    ty: field.ty.clone(),
                    nullable: element.nullable || field.nullable,
                };
                Some(Field {
                    name: field.name.clone(),
                    ty: LogicalType::List(Arc::new(elements)),
                    nullable: false,
                })
            }
            _ => None,
        }
    }

    /// The type with structs in place of variants: what they are stored in.
    pub fn stored(&self) -> LogicalType {
        use LogicalType as T;
        let below = |field: &Field| Field {
            ty: field.ty.stored(),
            ..field.clone()
        };
        match self {
            T::Struct(fields) | T::Variant(fields) => T::Struct(fields.iter().map(below).collect()),
            T::Union(fields) => T::Union(fields.iter().map(below).collect()),
            T::List(element) => T::List(Arc::new(below(element))),
            T::Map(entry) => T::Map(Arc::new([below(&entry[0]), below(&entry[1])])),
            flat => flat.clone(),
        }
    }

    /// Whether it is a list, map, struct, union or variant.
    pub fn is_nested(&self) -> bool {
        matches!(
            self.layout(),
            Layout::List | Layout::Map | Layout::Struct | Layout::Union
        )
    }

    /// Whether its bytes are text.
    pub fn is_text(&self) -> bool {
        use LogicalType as T;
        matches!(
            self,
            T::String | T::Char(_) | T::Varchar(_) | T::Enum | T::Json
        )
    }

    /// The fields of a nested type, in leaf order; empty for others.
    pub fn fields(&self) -> &[Field] {
        match self {
            LogicalType::List(element) => std::slice::from_ref(element),
            LogicalType::Map(entry) => entry.as_slice(),
            LogicalType::Struct(fields)
            | LogicalType::Union(fields)
            | LogicalType::Variant(fields) => fields,
            _ => &[],
        }
    }
}

/// The name in Spark's catalog notation where Spark has the type (`bigint`, `struct<a:int>`), else the
/// field's usual one (`uint32`).
impl fmt::Display for LogicalType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use LogicalType as T;
        match self {
            T::Null => f.write_str("void"),
            T::Boolean => f.write_str("boolean"),
            T::Int8 => f.write_str("tinyint"),
            T::Int16 => f.write_str("smallint"),
            T::Int32 => f.write_str("int"),
            T::Int64 => f.write_str("bigint"),
            T::UInt8 => f.write_str("uint8"),
            T::UInt16 => f.write_str("uint16"),
            T::UInt32 => f.write_str("uint32"),
            T::UInt64 => f.write_str("uint64"),
            T::Float16 => f.write_str("float16"),
            T::Float32 => f.write_str("float"),
            T::Float64 => f.write_str("double"),
            T::Decimal { precision, scale } => write!(f, "decimal({precision},{scale})"),
            T::Date => f.write_str("date"),
            T::Time { unit, .. } => write!(f, "time({})", unit.digits()),
            T::Timestamp {
                zone: Zone::Local, ..
            } => f.write_str("timestamp_ntz"),
            T::Timestamp { .. } => f.write_str("timestamp"),
            T::String => f.write_str("string"),
            T::Char(length) => write!(f, "char({length})"),
            T::Varchar(length) => write!(f, "varchar({length})"),
            T::Enum => f.write_str("enum"),
            T::Json => f.write_str("json"),
            T::Binary => f.write_str("binary"),
            T::Fixed(length) => write!(f, "fixed({length})"),
            T::Bson => f.write_str("bson"),
            T::Uuid => f.write_str("uuid"),
            T::Interval => f.write_str("interval"),
            T::Geometry => f.write_str("geometry"),
            T::Geography => f.write_str("geography"),
            T::List(element) => write!(f, "array<{}>", element.ty),
            T::Map(entry) => write!(f, "map<{},{}>", entry[0].ty, entry[1].ty),
            T::Struct(fields) => write_fields(f, "struct", fields),
            T::Union(fields) => write_fields(f, "uniontype", fields),
            T::Variant(_) => f.write_str("variant"),
        }
    }
}

fn write_fields(f: &mut fmt::Formatter<'_>, keyword: &str, fields: &[Field]) -> fmt::Result {
    write!(f, "{keyword}<")?;
    for (index, field) in fields.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(f, "{comma}{}:{}", field.name, field.ty)?;
    }
    f.write_str(">")
}
