//! The specification's enumerations, each one table of id, value and name.
//!
//! spec: ORCv1.md, "Postscript", "Type Information", "Stripe Footer", "Column Encryption"

use crate::compress::Codec;
use crate::error::{Error, Result};

/// An enumeration of the specification.
pub trait SpecEnum: Copy + PartialEq + 'static {
    /// The specification's name of the enumeration, for errors.
    const NAME: &'static str;
    /// Every id with its value and the specification's name of it.
    const TABLE: &'static [(u32, Self, &'static str)];

    /// The value of `id`; one that the specification does not know (yet) is an unsupported-error.
    fn from_id(id: u32) -> Result<Self> {
        match Self::TABLE.iter().find(|row| row.0 == id) {
            Some(row) => Ok(row.1),
            None => Err(Error::unsupported(format!(
                "{} {id} is unknown",
                Self::NAME
            ))),
        }
    }

    /// The id of this value.
    fn id(self) -> u32 {
        self.row().0
    }

    /// The specification's name of this value.
    fn name(self) -> &'static str {
        self.row().2
    }

    /// This value's row of the table.
    fn row(self) -> &'static (u32, Self, &'static str) {
        let row = Self::TABLE.iter().find(|row| row.1 == self);
        row.expect("the table holds every value")
    }
}

/// General compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CompressionKind {
    /// No compression, and no chunk headers either.
    #[default]
    None,
    /// Raw deflate.
    Zlib,
    /// Snappy.
    Snappy,
    /// LZO.
    Lzo,
    /// LZ4 blocks.
    Lz4,
    /// Zstandard.
    Zstd,
    /// Brotli.
    Brotli,
}

impl SpecEnum for CompressionKind {
    const NAME: &'static str = "compression kind";
    const TABLE: &'static [(u32, Self, &'static str)] = &[
        (0, CompressionKind::None, "NONE"),
        (1, CompressionKind::Zlib, "ZLIB"),
        (2, CompressionKind::Snappy, "SNAPPY"),
        (3, CompressionKind::Lzo, "LZO"),
        (4, CompressionKind::Lz4, "LZ4"),
        (5, CompressionKind::Zstd, "ZSTD"),
        (6, CompressionKind::Brotli, "BROTLI"),
    ];
}

impl CompressionKind {
    /// The codec.
    pub fn codec(self) -> Codec {
        match self {
            CompressionKind::None => Codec::None,
            CompressionKind::Zlib => Codec::Deflate,
            CompressionKind::Snappy => Codec::Snappy,
            CompressionKind::Lzo => Codec::Lzo,
            CompressionKind::Lz4 => Codec::Lz4,
            CompressionKind::Zstd => Codec::Zstd,
            CompressionKind::Brotli => Codec::Brotli,
        }
    }

    /// The kind of a codec; an error for one that only Parquet has.
    pub fn from_codec(codec: Codec) -> Result<Self> {
        let mut rows = Self::TABLE.iter();
        match rows.find(|row| row.1.codec() == codec) {
            Some(row) => Ok(row.1),
            None => Err(Error::unsupported(format!("{codec:?} is no codec of ORC"))),
        }
    }
}

/// What a stream holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum StreamKind {
    /// One bit a row: whether there is a value.
    #[default]
    Present,
    /// Values.
    Data,
    /// Lengths of strings or collections.
    Length,
    /// Bytes of a dictionary's entries.
    DictionaryData,
    /// Occurrences of a dictionary's entries; never written.
    DictionaryCount,
    /// Scales of decimals, nanoseconds of timestamps.
    Secondary,
    /// Statistics and positions of each stride.
    RowIndex,
    /// Bloom filters of each stride, of strings in the writer's character set.
    BloomFilter,
    /// Bloom filters of each stride, of strings in UTF-8.
    BloomFilterUtf8,
    /// The place of encrypted indexes.
    EncryptedIndex,
    /// The place of encrypted data.
    EncryptedData,
    /// Statistics of stripes, encrypted.
    StripeStatistics,
    /// Statistics of the file, encrypted.
    FileStatistics,
}

impl SpecEnum for StreamKind {
    const NAME: &'static str = "stream kind";
    const TABLE: &'static [(u32, Self, &'static str)] = &[
        (0, StreamKind::Present, "PRESENT"),
        (1, StreamKind::Data, "DATA"),
        (2, StreamKind::Length, "LENGTH"),
        (3, StreamKind::DictionaryData, "DICTIONARY_DATA"),
        (4, StreamKind::DictionaryCount, "DICTIONARY_COUNT"),
        (5, StreamKind::Secondary, "SECONDARY"),
        (6, StreamKind::RowIndex, "ROW_INDEX"),
        (7, StreamKind::BloomFilter, "BLOOM_FILTER"),
        (8, StreamKind::BloomFilterUtf8, "BLOOM_FILTER_UTF8"),
        (9, StreamKind::EncryptedIndex, "ENCRYPTED_INDEX"),
        (10, StreamKind::EncryptedData, "ENCRYPTED_DATA"),
        (100, StreamKind::StripeStatistics, "STRIPE_STATISTICS"),
        (101, StreamKind::FileStatistics, "FILE_STATISTICS"),
    ];
}

impl StreamKind {
    /// Whether it lies in the index section of a stripe.
    pub fn is_index(self) -> bool {
        matches!(
            self,
            StreamKind::RowIndex
                | StreamKind::BloomFilter
                | StreamKind::BloomFilterUtf8
                | StreamKind::EncryptedIndex
        )
    }
}

/// How a column is encoded in a stripe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum EncodingKind {
    /// Values; integers in run length encoding version 1.
    #[default]
    Direct,
    /// Indexes into a dictionary; integers in run length encoding version 1.
    Dictionary,
    /// Values; integers in run length encoding version 2.
    DirectV2,
    /// Indexes into a dictionary; integers in run length encoding version 2.
    DictionaryV2,
}

impl SpecEnum for EncodingKind {
    const NAME: &'static str = "column encoding";
    const TABLE: &'static [(u32, Self, &'static str)] = &[
        (0, EncodingKind::Direct, "DIRECT"),
        (1, EncodingKind::Dictionary, "DICTIONARY"),
        (2, EncodingKind::DirectV2, "DIRECT_V2"),
        (3, EncodingKind::DictionaryV2, "DICTIONARY_V2"),
    ];
}

impl EncodingKind {
    /// Whether integers are in run length encoding version 2.
    pub fn is_v2(self) -> bool {
        matches!(self, EncodingKind::DirectV2 | EncodingKind::DictionaryV2)
    }

    /// Whether there is a dictionary.
    pub fn is_dictionary(self) -> bool {
        matches!(self, EncodingKind::Dictionary | EncodingKind::DictionaryV2)
    }
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are the types")]
pub enum TypeKind {
    #[default]
    Boolean,
    Byte,
    Short,
    Int,
    Long,
    Float,
    Double,
    String,
    Binary,
    Timestamp,
    List,
    Map,
    Struct,
    Union,
    Decimal,
    Date,
    Varchar,
    Char,
    TimestampInstant,
    Geometry,
    Geography,
}

impl SpecEnum for TypeKind {
    const NAME: &'static str = "type kind";
    const TABLE: &'static [(u32, Self, &'static str)] = &[
        (0, TypeKind::Boolean, "BOOLEAN"),
        (1, TypeKind::Byte, "BYTE"),
        (2, TypeKind::Short, "SHORT"),
        (3, TypeKind::Int, "INT"),
        (4, TypeKind::Long, "LONG"),
        (5, TypeKind::Float, "FLOAT"),
        (6, TypeKind::Double, "DOUBLE"),
        (7, TypeKind::String, "STRING"),
        (8, TypeKind::Binary, "BINARY"),
        (9, TypeKind::Timestamp, "TIMESTAMP"),
        (10, TypeKind::List, "LIST"),
        (11, TypeKind::Map, "MAP"),
        (12, TypeKind::Struct, "STRUCT"),
        (13, TypeKind::Union, "UNION"),
        (14, TypeKind::Decimal, "DECIMAL"),
        (15, TypeKind::Date, "DATE"),
        (16, TypeKind::Varchar, "VARCHAR"),
        (17, TypeKind::Char, "CHAR"),
        (18, TypeKind::TimestampInstant, "TIMESTAMP_INSTANT"),
        (19, TypeKind::Geometry, "GEOMETRY"),
        (20, TypeKind::Geography, "GEOGRAPHY"),
    ];
}

/// The shape of an edge between two points of a geography.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are the algorithms")]
pub enum EdgeInterpolationAlgorithm {
    #[default]
    Spherical,
    Vincenty,
    Thomas,
    Andoyer,
    Karney,
}

impl SpecEnum for EdgeInterpolationAlgorithm {
    const NAME: &'static str = "edge interpolation algorithm";
    const TABLE: &'static [(u32, Self, &'static str)] = &[
        (0, EdgeInterpolationAlgorithm::Spherical, "SPHERICAL"),
        (1, EdgeInterpolationAlgorithm::Vincenty, "VINCENTY"),
        (2, EdgeInterpolationAlgorithm::Thomas, "THOMAS"),
        (3, EdgeInterpolationAlgorithm::Andoyer, "ANDOYER"),
        (4, EdgeInterpolationAlgorithm::Karney, "KARNEY"),
    ];
}

/// The calendar that dates and timestamps before October 1582 were counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CalendarKind {
    /// The file does not say.
    #[default]
    Unknown,
    /// Julian before the cutover, Gregorian after.
    JulianGregorian,
    /// Gregorian throughout.
    ProlepticGregorian,
}

impl SpecEnum for CalendarKind {
    const NAME: &'static str = "calendar kind";
    const TABLE: &'static [(u32, Self, &'static str)] = &[
        (0, CalendarKind::Unknown, "UNKNOWN_CALENDAR"),
        (1, CalendarKind::JulianGregorian, "JULIAN_GREGORIAN"),
        (2, CalendarKind::ProlepticGregorian, "PROLEPTIC_GREGORIAN"),
    ];
}

/// The software that wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are the writers")]
pub enum WriterImplementation {
    #[default]
    OrcJava,
    OrcCpp,
    Presto,
    ScritchleyGo,
    Trino,
    Cudf,
}

impl SpecEnum for WriterImplementation {
    const NAME: &'static str = "writer";
    const TABLE: &'static [(u32, Self, &'static str)] = &[
        (0, WriterImplementation::OrcJava, "ORC Java"),
        (1, WriterImplementation::OrcCpp, "ORC C++"),
        (2, WriterImplementation::Presto, "Presto"),
        (3, WriterImplementation::ScritchleyGo, "Scritchley Go"),
        (4, WriterImplementation::Trino, "Trino"),
        (5, WriterImplementation::Cudf, "CUDF"),
    ];
}

/// The cipher of an encrypted column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum EncryptionAlgorithm {
    /// One of the future.
    #[default]
    Unknown,
    /// AES in counter mode, 128-bit keys.
    AesCtr128,
    /// AES in counter mode, 256-bit keys.
    AesCtr256,
}

impl SpecEnum for EncryptionAlgorithm {
    const NAME: &'static str = "encryption algorithm";
    const TABLE: &'static [(u32, Self, &'static str)] = &[
        (0, EncryptionAlgorithm::Unknown, "UNKNOWN_ENCRYPTION"),
        (1, EncryptionAlgorithm::AesCtr128, "AES_CTR_128"),
        (2, EncryptionAlgorithm::AesCtr256, "AES_CTR_256"),
    ];
}

/// Who encrypted the local keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are the providers")]
pub enum KeyProviderKind {
    #[default]
    Unknown,
    Hadoop,
    Aws,
    Gcp,
    Azure,
}

impl SpecEnum for KeyProviderKind {
    const NAME: &'static str = "key provider kind";
    const TABLE: &'static [(u32, Self, &'static str)] = &[
        (0, KeyProviderKind::Unknown, "UNKNOWN"),
        (1, KeyProviderKind::Hadoop, "HADOOP"),
        (2, KeyProviderKind::Aws, "AWS"),
        (3, KeyProviderKind::Gcp, "GCP"),
        (4, KeyProviderKind::Azure, "AZURE"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn round_trips<E: SpecEnum + std::fmt::Debug>() {
        for &(id, value, name) in E::TABLE {
            assert_eq!(E::from_id(id).unwrap(), value);
            assert_eq!((value.id(), value.name()), (id, name));
        }
        assert_eq!(E::from_id(50).unwrap_err().kind(), ErrorKind::Unsupported);
    }

    #[test]
    fn ids_and_names_are_one_table() {
        round_trips::<CompressionKind>();
        round_trips::<StreamKind>();
        round_trips::<EncodingKind>();
        round_trips::<TypeKind>();
        round_trips::<EdgeInterpolationAlgorithm>();
        round_trips::<CalendarKind>();
        round_trips::<WriterImplementation>();
        round_trips::<EncryptionAlgorithm>();
        round_trips::<KeyProviderKind>();
    }

    #[test]
    fn codecs_and_compression_kinds_are_the_same_set() {
        for &(_, kind, _) in CompressionKind::TABLE {
            assert_eq!(CompressionKind::from_codec(kind.codec()).unwrap(), kind);
        }
        let error = CompressionKind::from_codec(Codec::Gzip).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }
}
