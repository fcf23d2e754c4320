//! The enumerations of the format: one table each of number, variant and name.
//!
//! A number that no table holds is kept as `Unknown`, so that a footer from the future can be read
//! and shown; code that has to act on the value decides whether it is an error.
// spec: parquet.thrift, the enums

use crate::compress::Codec;
use crate::numbered::numbered;

numbered! {
    /// Physical types: how a leaf's values are stored.
    Type {
        /// One bit.
        Boolean = 0 "BOOLEAN",
        /// 32-bit signed, little-endian.
        Int32 = 1 "INT32",
        /// 64-bit signed, little-endian.
        Int64 = 2 "INT64",
        /// Twelve bytes: nanoseconds of the day and Julian day. Deprecated.
        Int96 = 3 "INT96",
        /// IEEE 754 single precision.
        Float = 4 "FLOAT",
        /// IEEE 754 double precision.
        Double = 5 "DOUBLE",
        /// Bytes with a length.
        ByteArray = 6 "BYTE_ARRAY",
        /// Bytes whose length the schema gives.
        FixedLenByteArray = 7 "FIXED_LEN_BYTE_ARRAY",
    }
}

numbered! {
    /// The older annotations of schema nodes, which logical types supersede.
    ConvertedType {
        /// UTF-8 text.
        Utf8 = 0 "UTF8",
        /// A map around a repeated key-value group.
        Map = 1 "MAP",
        /// A key-value group; old writers put it on the map itself.
        MapKeyValue = 2 "MAP_KEY_VALUE",
        /// A list around a repeated node.
        List = 3 "LIST",
        /// Text out of a closed set.
        Enum = 4 "ENUM",
        /// Unscaled integer; scale and precision stand in the schema element.
        Decimal = 5 "DECIMAL",
        /// Days since 1970-01-01.
        Date = 6 "DATE",
        /// Milliseconds since midnight.
        TimeMillis = 7 "TIME_MILLIS",
        /// Microseconds since midnight.
        TimeMicros = 8 "TIME_MICROS",
        /// Milliseconds since 1970-01-01, UTC-adjusted.
        TimestampMillis = 9 "TIMESTAMP_MILLIS",
        /// Microseconds since 1970-01-01, UTC-adjusted.
        TimestampMicros = 10 "TIMESTAMP_MICROS",
        /// Unsigned 8 bits.
        Uint8 = 11 "UINT_8",
        /// Unsigned 16 bits.
        Uint16 = 12 "UINT_16",
        /// Unsigned 32 bits.
        Uint32 = 13 "UINT_32",
        /// Unsigned 64 bits.
        Uint64 = 14 "UINT_64",
        /// Signed 8 bits.
        Int8 = 15 "INT_8",
        /// Signed 16 bits.
        Int16 = 16 "INT_16",
        /// Signed 32 bits.
        Int32 = 17 "INT_32",
        /// Signed 64 bits.
        Int64 = 18 "INT_64",
        /// JSON text.
        Json = 19 "JSON",
        /// BSON bytes.
        Bson = 20 "BSON",
        /// Months, days, milliseconds.
        Interval = 21 "INTERVAL",
    }
}

numbered! {
    /// How often a schema node occurs in its parent.
    FieldRepetitionType {
        /// Once.
        Required = 0 "REQUIRED",
        /// Never or once.
        Optional = 1 "OPTIONAL",
        /// Any number of times.
        Repeated = 2 "REPEATED",
    }
}

numbered! {
    /// How values or levels are laid out in a page.
    Encoding {
        /// One after the other.
        Plain = 0 "PLAIN",
        /// Dictionary page: plain. Data page: as `RleDictionary`. Deprecated.
        PlainDictionary = 2 "PLAIN_DICTIONARY",
        /// Hybrid of run lengths and bit packing.
        Rle = 3 "RLE",
        /// Bit packing from the most significant bit, of levels. Deprecated.
        BitPacked = 4 "BIT_PACKED",
        /// Blocks of bit-packed differences.
        DeltaBinaryPacked = 5 "DELTA_BINARY_PACKED",
        /// Lengths as differences, then the bytes.
        DeltaLengthByteArray = 6 "DELTA_LENGTH_BYTE_ARRAY",
        /// Common prefixes with the value before, and suffixes.
        DeltaByteArray = 7 "DELTA_BYTE_ARRAY",
        /// Indices into the dictionary page.
        RleDictionary = 8 "RLE_DICTIONARY",
        /// First bytes of all values, second bytes of all values, and so on.
        ByteStreamSplit = 9 "BYTE_STREAM_SPLIT",
        /// Floats as scaled integers with exceptions.
        Alp = 10 "ALP",
    }
}

impl Encoding {
    /// Whether data pages of this encoding hold indices into a dictionary page.
    pub fn is_dictionary(self) -> bool {
        matches!(self, Encoding::PlainDictionary | Encoding::RleDictionary)
    }
}

numbered! {
    /// What the pages of a column chunk are compressed with.
    CompressionCodec {
        /// Nothing.
        Uncompressed = 0 "UNCOMPRESSED",
        /// Snappy.
        Snappy = 1 "SNAPPY",
        /// Gzip.
        Gzip = 2 "GZIP",
        /// LZO.
        Lzo = 3 "LZO",
        /// Brotli.
        Brotli = 4 "BROTLI",
        /// LZ4 in an undocumented framing. Deprecated.
        Lz4 = 5 "LZ4",
        /// Zstandard.
        Zstd = 6 "ZSTD",
        /// LZ4 blocks.
        Lz4Raw = 7 "LZ4_RAW",
    }
}

impl CompressionCodec {
    /// The codec of this house, if the number is a known one.
    pub fn codec(self) -> Option<Codec> {
        Some(match self {
            CompressionCodec::Uncompressed => Codec::None,
            CompressionCodec::Snappy => Codec::Snappy,
            CompressionCodec::Gzip => Codec::Gzip,
            CompressionCodec::Lzo => Codec::LzoHadoop,
            CompressionCodec::Brotli => Codec::Brotli,
            CompressionCodec::Lz4 => Codec::Lz4Hadoop,
            CompressionCodec::Zstd => Codec::Zstd,
            CompressionCodec::Lz4Raw => Codec::Lz4,
            CompressionCodec::Unknown(_) => return None,
        })
    }

    /// The number of `codec`, if Parquet has it.
    pub fn from_codec(codec: Codec) -> Option<Self> {
        let same = |candidate: &&CompressionCodec| candidate.codec() == Some(codec);
        CompressionCodec::ALL.iter().find(same).copied()
    }
}

numbered! {
    /// Kinds of pages.
    PageType {
        /// Levels and values, compressed together.
        DataPage = 0 "DATA_PAGE",
        /// Never specified.
        IndexPage = 1 "INDEX_PAGE",
        /// The distinct values that data pages point to.
        DictionaryPage = 2 "DICTIONARY_PAGE",
        /// Levels, uncompressed, then values.
        DataPageV2 = 3 "DATA_PAGE_V2",
    }
}

numbered! {
    /// Whether the bounds in a column index ascend or descend from page to page.
    BoundaryOrder {
        /// Neither.
        Unordered = 0 "UNORDERED",
        /// Ascending.
        Ascending = 1 "ASCENDING",
        /// Descending.
        Descending = 2 "DESCENDING",
    }
}

numbered! {
    /// How the edges of a geography run between its points.
    EdgeInterpolationAlgorithm {
        /// Great circles of a sphere.
        Spherical = 0 "SPHERICAL",
        /// Vincenty's formulae.
        Vincenty = 1 "VINCENTY",
        /// Thomas's.
        Thomas = 2 "THOMAS",
        /// Andoyer's.
        Andoyer = 3 "ANDOYER",
        /// Karney's.
        Karney = 4 "KARNEY",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip_and_unknown_ones_are_kept() {
        for encoding in Encoding::ALL {
            assert_eq!(Encoding::from_id(encoding.id()), *encoding);
        }
        assert_eq!(Encoding::from_id(1), Encoding::Unknown(1));
        assert_eq!(Encoding::from_id(1).id(), 1);
        assert_eq!(Encoding::Unknown(77).to_string(), "UNKNOWN(77)");
        assert_eq!(Type::from_id(7).name(), "FIXED_LEN_BYTE_ARRAY");
        assert_eq!(ConvertedType::from_id(21), ConvertedType::Interval);
    }

    #[test]
    fn every_codec_of_the_format_maps_there_and_back() {
        for codec in CompressionCodec::ALL {
            let ours = codec.codec().unwrap();
            assert_eq!(CompressionCodec::from_codec(ours), Some(*codec));
        }
        assert_eq!(CompressionCodec::from_codec(Codec::Deflate), None);
    }
}
