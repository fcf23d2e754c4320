//! The specification's enumerations, each one table of number, value and name.
// spec: ORCv1.md, "Postscript", "Type Information", "Stripe Footer", "Column Encryption"

use crate::compress::Codec;
use crate::error::{Error, Result};
use crate::numbered::numbered;

numbered! {
    /// General compression of a file.
    #[derive(Default)]
    CompressionKind {
        /// No compression, and no chunk headers either.
        #[default]
        None = 0 "NONE",
        /// Raw deflate.
        Zlib = 1 "ZLIB",
        /// Snappy.
        Snappy = 2 "SNAPPY",
        /// LZO.
        Lzo = 3 "LZO",
        /// LZ4 blocks.
        Lz4 = 4 "LZ4",
        /// Zstandard.
        Zstd = 5 "ZSTD",
        /// Brotli.
        Brotli = 6 "BROTLI",
    }
}

impl CompressionKind {
    /// The codec; an error for a kind of the future.
    pub fn codec(self) -> Result<Codec> {
        Ok(match self {
            CompressionKind::None => Codec::None,
            CompressionKind::Zlib => Codec::Deflate,
            CompressionKind::Snappy => Codec::Snappy,
            CompressionKind::Lzo => Codec::Lzo,
            CompressionKind::Lz4 => Codec::Lz4,
            CompressionKind::Zstd => Codec::Zstd,
            CompressionKind::Brotli => Codec::Brotli,
            CompressionKind::Unknown(id) => {
                return Err(Error::unsupported(format!("compression kind {id}")));
            }
        })
    }

    /// The kind of a codec; an error for one that only Parquet has.
    pub fn from_codec(codec: Codec) -> Result<Self> {
        match codec {
            Codec::None => Ok(CompressionKind::None),
            Codec::Deflate => Ok(CompressionKind::Zlib),
            Codec::Snappy => Ok(CompressionKind::Snappy),
            Codec::Lzo => Ok(CompressionKind::Lzo),
            Codec::Lz4 => Ok(CompressionKind::Lz4),
            Codec::Zstd => Ok(CompressionKind::Zstd),
            Codec::Brotli => Ok(CompressionKind::Brotli),
            Codec::Gzip | Codec::LzoHadoop | Codec::Lz4Hadoop => {
                Err(Error::unsupported(format!("{codec:?} is no codec of orc")))
            }
        }
    }
}

numbered! {
    /// What a stream holds.
    #[derive(Default)]
    StreamKind {
        /// One bit a row: whether there is a value.
        #[default]
        Present = 0 "PRESENT",
        /// Values.
        Data = 1 "DATA",
        /// Lengths of strings or collections.
        Length = 2 "LENGTH",
        /// Bytes of a dictionary's entries.
        DictionaryData = 3 "DICTIONARY_DATA",
        /// Occurrences of a dictionary's entries; never written.
        DictionaryCount = 4 "DICTIONARY_COUNT",
        /// Scales of decimals, nanoseconds of timestamps.
        Secondary = 5 "SECONDARY",
        /// Statistics and positions of each stride.
        RowIndex = 6 "ROW_INDEX",
        /// Bloom filters of each stride, of strings in the writer's character set.
        BloomFilter = 7 "BLOOM_FILTER",
        /// Bloom filters of each stride, of strings in UTF-8.
        BloomFilterUtf8 = 8 "BLOOM_FILTER_UTF8",
        /// The place of encrypted indexes.
        EncryptedIndex = 9 "ENCRYPTED_INDEX",
        /// The place of encrypted data.
        EncryptedData = 10 "ENCRYPTED_DATA",
        /// Statistics of stripes, encrypted.
        StripeStatistics = 100 "STRIPE_STATISTICS",
        /// Statistics of the file, encrypted.
        FileStatistics = 101 "FILE_STATISTICS",
    }
}

impl StreamKind {
    /// Whether it lies among the indexes of a stripe, before the data.
    pub fn is_index(self) -> bool {
        matches!(
            self,
            StreamKind::RowIndex
                | StreamKind::DictionaryCount
                | StreamKind::BloomFilter
                | StreamKind::BloomFilterUtf8
                | StreamKind::EncryptedIndex
        )
    }
}

numbered! {
    /// How a column is encoded in a stripe.
    #[derive(Default)]
    EncodingKind {
        /// Values; integers in run length encoding version 1.
        #[default]
        Direct = 0 "DIRECT",
        /// Indexes into a dictionary; integers in run length encoding version 1.
        Dictionary = 1 "DICTIONARY",
        /// Values; integers in run length encoding version 2.
        DirectV2 = 2 "DIRECT_V2",
        /// Indexes into a dictionary; integers in run length encoding version 2.
        DictionaryV2 = 3 "DICTIONARY_V2",
    }
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

numbered! {
    /// The type of a column.
    #[derive(Default)]
    #[expect(missing_docs, reason = "the names are the types")]
    TypeKind {
        #[default]
        Boolean = 0 "BOOLEAN",
        Byte = 1 "BYTE",
        Short = 2 "SHORT",
        Int = 3 "INT",
        Long = 4 "LONG",
        Float = 5 "FLOAT",
        Double = 6 "DOUBLE",
        String = 7 "STRING",
        Binary = 8 "BINARY",
        Timestamp = 9 "TIMESTAMP",
        List = 10 "LIST",
        Map = 11 "MAP",
        Struct = 12 "STRUCT",
        Union = 13 "UNION",
        Decimal = 14 "DECIMAL",
        Date = 15 "DATE",
        Varchar = 16 "VARCHAR",
        Char = 17 "CHAR",
        TimestampInstant = 18 "TIMESTAMP_INSTANT",
        Geometry = 19 "GEOMETRY",
        Geography = 20 "GEOGRAPHY",
    }
}

numbered! {
    /// The shape of an edge between two points of a geography.
    #[derive(Default)]
    #[expect(missing_docs, reason = "the names are the algorithms")]
    EdgeInterpolationAlgorithm {
        #[default]
        Spherical = 0 "SPHERICAL",
        Vincenty = 1 "VINCENTY",
        Thomas = 2 "THOMAS",
        Andoyer = 3 "ANDOYER",
        Karney = 4 "KARNEY",
    }
}

numbered! {
    /// The calendar that dates and timestamps before October 1582 were counted in.
    #[derive(Default)]
    CalendarKind {
        /// The file does not say.
        #[default]
        Unstated = 0 "UNKNOWN_CALENDAR",
        /// Julian before the cutover, Gregorian after.
        JulianGregorian = 1 "JULIAN_GREGORIAN",
        /// Gregorian throughout.
        ProlepticGregorian = 2 "PROLEPTIC_GREGORIAN",
    }
}

numbered! {
    /// The software that wrote a file.
    #[derive(Default)]
    #[expect(missing_docs, reason = "the names are the writers")]
    WriterImplementation {
        #[default]
        OrcJava = 0 "ORC Java",
        OrcCpp = 1 "ORC C++",
        Presto = 2 "Presto",
        ScritchleyGo = 3 "Scritchley Go",
        Trino = 4 "Trino",
        Cudf = 5 "CUDF",
    }
}

numbered! {
    /// The cipher of an encrypted column.
    #[derive(Default)]
    EncryptionAlgorithm {
        /// One of the future.
        #[default]
        Unstated = 0 "UNKNOWN_ENCRYPTION",
        /// AES in counter mode, 128-bit keys.
        AesCtr128 = 1 "AES_CTR_128",
        /// AES in counter mode, 256-bit keys.
        AesCtr256 = 2 "AES_CTR_256",
    }
}

numbered! {
    /// Who encrypted the local keys.
    #[derive(Default)]
    #[expect(missing_docs, reason = "the names are the providers")]
    KeyProviderKind {
        #[default]
        Unstated = 0 "UNKNOWN",
        Hadoop = 1 "HADOOP",
        Aws = 2 "AWS",
        Gcp = 3 "GCP",
        Azure = 4 "AZURE",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn numbers_and_names_are_one_table() {
        for &kind in StreamKind::ALL {
            assert_eq!(StreamKind::from_id(kind.id()), kind);
        }
        assert_eq!(StreamKind::from_id(8).name(), "BLOOM_FILTER_UTF8");
        assert_eq!(StreamKind::from_id(50).id(), 50);
        assert_eq!(TypeKind::from_id(18), TypeKind::TimestampInstant);
        assert_eq!(TypeKind::from_id(-1).to_string(), "UNKNOWN(-1)");
    }

    #[test]
    fn codecs_and_compression_kinds_are_the_same_set() {
        for &kind in CompressionKind::ALL {
            let codec = kind.codec().unwrap();
            assert_eq!(CompressionKind::from_codec(codec).unwrap(), kind);
        }
        let errors = [
            CompressionKind::from_codec(Codec::Gzip).unwrap_err(),
            CompressionKind::from_id(7).codec().unwrap_err(),
        ];
        assert!(errors.iter().all(|e| e.kind() == ErrorKind::Unsupported));
    }
}
