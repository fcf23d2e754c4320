//! One table per structure and union of the specification: number, name and kind of each field.
//!
//! Members of unions are fields of which one is set. Names of numbered choices are in `encoding`.
// spec: parquet.thrift

use crate::parquet::encoding::{
    BoundaryOrder, CompressionCodec, ConvertedType, EdgeInterpolationAlgorithm, Encoding,
    FieldRepetitionType, PageType, Type,
};

use super::{FieldShape, Kind, Shape};

const ENCODING: Kind = Kind::Choice(Encoding::name_of);
const PAGE_TYPE: Kind = Kind::Choice(PageType::name_of);
const PHYSICAL_TYPE: Kind = Kind::Choice(Type::name_of);
const EMPTY_MEMBER: Kind = Kind::Struct(&EMPTY);

const fn one(id: i16, name: &'static str, kind: Kind) -> FieldShape {
    FieldShape { id, name, kind }
}

const fn many(id: i16, name: &'static str, element: &'static Kind) -> FieldShape {
    one(id, name, Kind::List(element))
}

const fn shape(name: &'static str, fields: &'static [FieldShape]) -> Shape {
    Shape { name, fields }
}

/// A structure that the specification does not have.
pub(super) static UNKNOWN: Shape = shape("unknown", &[]);

/// A member of a union that says all by being set.
static EMPTY: Shape = shape("empty", &[]);

/// The footer.
pub static FILE_META_DATA: Shape = shape(
    "FileMetaData",
    &[
        one(1, "version", Kind::Int),
        many(2, "schema", &Kind::Struct(&SCHEMA_ELEMENT)),
        one(3, "num_rows", Kind::Int),
        many(4, "row_groups", &Kind::Struct(&ROW_GROUP)),
        many(5, "key_value_metadata", &Kind::Struct(&KEY_VALUE)),
        one(6, "created_by", Kind::Text),
        many(7, "column_orders", &Kind::Struct(&COLUMN_ORDER)),
        one(
            8,
            "encryption_algorithm",
            Kind::Struct(&ENCRYPTION_ALGORITHM),
        ),
        one(9, "footer_signing_key_metadata", Kind::Bytes),
    ],
);

/// What stands before an encrypted footer.
pub static FILE_CRYPTO_META_DATA: Shape = shape(
    "FileCryptoMetaData",
    &[
        one(
            1,
            "encryption_algorithm",
            Kind::Struct(&ENCRYPTION_ALGORITHM),
        ),
        one(2, "key_metadata", Kind::Bytes),
    ],
);

/// What stands before a page.
pub static PAGE_HEADER: Shape = shape(
    "PageHeader",
    &[
        one(1, "type", PAGE_TYPE),
        one(2, "uncompressed_page_size", Kind::Int),
        one(3, "compressed_page_size", Kind::Int),
        one(4, "crc", Kind::Int),
        one(5, "data_page_header", Kind::Struct(&DATA_PAGE_HEADER)),
        one(6, "index_page_header", EMPTY_MEMBER),
        one(
            7,
            "dictionary_page_header",
            Kind::Struct(&DICTIONARY_PAGE_HEADER),
        ),
        one(8, "data_page_header_v2", Kind::Struct(&DATA_PAGE_HEADER_V2)),
    ],
);

/// Bounds of the pages of a chunk.
pub static COLUMN_INDEX: Shape = shape(
    "ColumnIndex",
    &[
        many(1, "null_pages", &Kind::Boolean),
        many(2, "min_values", &Kind::Bytes),
        many(3, "max_values", &Kind::Bytes),
        one(4, "boundary_order", Kind::Choice(BoundaryOrder::name_of)),
        many(5, "null_counts", &Kind::Int),
        many(6, "repetition_level_histograms", &Kind::Int),
        many(7, "definition_level_histograms", &Kind::Int),
        many(8, "nan_counts", &Kind::Int),
    ],
);

/// Places of the pages of a chunk.
pub static OFFSET_INDEX: Shape = shape(
    "OffsetIndex",
    &[
        many(1, "page_locations", &Kind::Struct(&PAGE_LOCATION)),
        many(2, "unencoded_byte_array_data_bytes", &Kind::Int),
    ],
);

/// What stands before the bits of a Bloom filter.
pub static BLOOM_FILTER_HEADER: Shape = shape(
    "BloomFilterHeader",
    &[
        one(1, "numBytes", Kind::Int),
        one(2, "algorithm", Kind::Struct(&BLOOM_FILTER_ALGORITHM)),
        one(3, "hash", Kind::Struct(&BLOOM_FILTER_HASH)),
        one(4, "compression", Kind::Struct(&BLOOM_FILTER_COMPRESSION)),
    ],
);

static SCHEMA_ELEMENT: Shape = shape(
    "SchemaElement",
    &[
        one(1, "type", PHYSICAL_TYPE),
        one(2, "type_length", Kind::Int),
        one(
            3,
            "repetition_type",
            Kind::Choice(FieldRepetitionType::name_of),
        ),
        one(4, "name", Kind::Text),
        one(5, "num_children", Kind::Int),
        one(6, "converted_type", Kind::Choice(ConvertedType::name_of)),
        one(7, "scale", Kind::Int),
        one(8, "precision", Kind::Int),
        one(9, "field_id", Kind::Int),
        one(10, "logicalType", Kind::Struct(&LOGICAL_TYPE)),
    ],
);

static LOGICAL_TYPE: Shape = shape(
    "LogicalType",
    &[
        one(1, "STRING", EMPTY_MEMBER),
        one(2, "MAP", EMPTY_MEMBER),
        one(3, "LIST", EMPTY_MEMBER),
        one(4, "ENUM", EMPTY_MEMBER),
        one(5, "DECIMAL", Kind::Struct(&DECIMAL_TYPE)),
        one(6, "DATE", EMPTY_MEMBER),
        one(7, "TIME", Kind::Struct(&TIME_TYPE)),
        one(8, "TIMESTAMP", Kind::Struct(&TIMESTAMP_TYPE)),
        one(10, "INTEGER", Kind::Struct(&INT_TYPE)),
        one(11, "UNKNOWN", EMPTY_MEMBER),
        one(12, "JSON", EMPTY_MEMBER),
        one(13, "BSON", EMPTY_MEMBER),
        one(14, "UUID", EMPTY_MEMBER),
        one(15, "FLOAT16", EMPTY_MEMBER),
        one(16, "VARIANT", Kind::Struct(&VARIANT_TYPE)),
        one(17, "GEOMETRY", Kind::Struct(&GEOMETRY_TYPE)),
        one(18, "GEOGRAPHY", Kind::Struct(&GEOGRAPHY_TYPE)),
        one(19, "FILE", EMPTY_MEMBER),
    ],
);

static DECIMAL_TYPE: Shape = shape(
    "DecimalType",
    &[one(1, "scale", Kind::Int), one(2, "precision", Kind::Int)],
);

static TIME_TYPE: Shape = shape("TimeType", TIME_FIELDS);

static TIMESTAMP_TYPE: Shape = shape("TimestampType", TIME_FIELDS);

const TIME_FIELDS: &[FieldShape] = &[
    one(1, "isAdjustedToUTC", Kind::Boolean),
    one(2, "unit", Kind::Struct(&TIME_UNIT)),
];

static TIME_UNIT: Shape = shape(
    "TimeUnit",
    &[
        one(1, "MILLIS", EMPTY_MEMBER),
        one(2, "MICROS", EMPTY_MEMBER),
        one(3, "NANOS", EMPTY_MEMBER),
    ],
);

static INT_TYPE: Shape = shape(
    "IntType",
    &[
        one(1, "bitWidth", Kind::Int),
        one(2, "isSigned", Kind::Boolean),
    ],
);

static VARIANT_TYPE: Shape = shape("VariantType", &[one(1, "specification_version", Kind::Int)]);

static GEOMETRY_TYPE: Shape = shape("GeometryType", &[one(1, "crs", Kind::Text)]);

static GEOGRAPHY_TYPE: Shape = shape(
    "GeographyType",
    &[
        one(1, "crs", Kind::Text),
        one(
            2,
            "algorithm",
            Kind::Choice(EdgeInterpolationAlgorithm::name_of),
        ),
    ],
);

static ROW_GROUP: Shape = shape(
    "RowGroup",
    &[
        many(1, "columns", &Kind::Struct(&COLUMN_CHUNK)),
        one(2, "total_byte_size", Kind::Int),
        one(3, "num_rows", Kind::Int),
        many(4, "sorting_columns", &Kind::Struct(&SORTING_COLUMN)),
        one(5, "file_offset", Kind::Int),
        one(6, "total_compressed_size", Kind::Int),
        one(7, "ordinal", Kind::Int),
    ],
);

static SORTING_COLUMN: Shape = shape(
    "SortingColumn",
    &[
        one(1, "column_idx", Kind::Int),
        one(2, "descending", Kind::Boolean),
        one(3, "nulls_first", Kind::Boolean),
    ],
);

static COLUMN_CHUNK: Shape = shape(
    "ColumnChunk",
    &[
        one(1, "file_path", Kind::Text),
        one(2, "file_offset", Kind::Int),
        one(3, "meta_data", Kind::Struct(&COLUMN_META_DATA)),
        one(4, "offset_index_offset", Kind::Int),
        one(5, "offset_index_length", Kind::Int),
        one(6, "column_index_offset", Kind::Int),
        one(7, "column_index_length", Kind::Int),
        one(8, "crypto_metadata", Kind::Struct(&COLUMN_CRYPTO_META_DATA)),
        one(9, "encrypted_column_metadata", Kind::Bytes),
    ],
);

/// What a footer says of a chunk, which may be encrypted by itself.
pub static COLUMN_META_DATA: Shape = shape(
    "ColumnMetaData",
    &[
        one(1, "type", PHYSICAL_TYPE),
        many(2, "encodings", &ENCODING),
        many(3, "path_in_schema", &Kind::Text),
        one(4, "codec", Kind::Choice(CompressionCodec::name_of)),
        one(5, "num_values", Kind::Int),
        one(6, "total_uncompressed_size", Kind::Int),
        one(7, "total_compressed_size", Kind::Int),
        many(8, "key_value_metadata", &Kind::Struct(&KEY_VALUE)),
        one(9, "data_page_offset", Kind::Int),
        one(10, "index_page_offset", Kind::Int),
        one(11, "dictionary_page_offset", Kind::Int),
        one(12, "statistics", Kind::Struct(&STATISTICS)),
        many(13, "encoding_stats", &Kind::Struct(&PAGE_ENCODING_STATS)),
        one(14, "bloom_filter_offset", Kind::Int),
        one(15, "bloom_filter_length", Kind::Int),
        one(16, "size_statistics", Kind::Struct(&SIZE_STATISTICS)),
        one(
            17,
            "geospatial_statistics",
            Kind::Struct(&GEOSPATIAL_STATISTICS),
        ),
    ],
);

static STATISTICS: Shape = shape(
    "Statistics",
    &[
        one(1, "max", Kind::Bytes),
        one(2, "min", Kind::Bytes),
        one(3, "null_count", Kind::Int),
        one(4, "distinct_count", Kind::Int),
        one(5, "max_value", Kind::Bytes),
        one(6, "min_value", Kind::Bytes),
        one(7, "is_max_value_exact", Kind::Boolean),
        one(8, "is_min_value_exact", Kind::Boolean),
        one(9, "nan_count", Kind::Int),
    ],
);

static PAGE_ENCODING_STATS: Shape = shape(
    "PageEncodingStats",
    &[
        one(1, "page_type", PAGE_TYPE),
        one(2, "encoding", ENCODING),
        one(3, "count", Kind::Int),
    ],
);

static SIZE_STATISTICS: Shape = shape(
    "SizeStatistics",
    &[
        one(1, "unencoded_byte_array_data_bytes", Kind::Int),
        many(2, "repetition_level_histogram", &Kind::Int),
        many(3, "definition_level_histogram", &Kind::Int),
    ],
);

static GEOSPATIAL_STATISTICS: Shape = shape(
    "GeospatialStatistics",
    &[
        one(1, "bbox", Kind::Struct(&BOUNDING_BOX)),
        many(2, "geospatial_types", &Kind::Int),
    ],
);

static BOUNDING_BOX: Shape = shape(
    "BoundingBox",
    &[
        one(1, "xmin", Kind::Double),
        one(2, "xmax", Kind::Double),
        one(3, "ymin", Kind::Double),
        one(4, "ymax", Kind::Double),
        one(5, "zmin", Kind::Double),
        one(6, "zmax", Kind::Double),
        one(7, "mmin", Kind::Double),
        one(8, "mmax", Kind::Double),
    ],
);

static KEY_VALUE: Shape = shape(
    "KeyValue",
    &[one(1, "key", Kind::Text), one(2, "value", Kind::Text)],
);

static COLUMN_ORDER: Shape = shape(
    "ColumnOrder",
    &[
        one(1, "TYPE_ORDER", EMPTY_MEMBER),
        one(2, "IEEE_754_TOTAL_ORDER", EMPTY_MEMBER),
        one(3, "INT96_TIMESTAMP_ORDER", EMPTY_MEMBER),
    ],
);

static ENCRYPTION_ALGORITHM: Shape = shape(
    "EncryptionAlgorithm",
    &[
        one(1, "AES_GCM_V1", Kind::Struct(&AES_GCM_V1)),
        one(2, "AES_GCM_CTR_V1", Kind::Struct(&AES_GCM_CTR_V1)),
    ],
);

static AES_GCM_V1: Shape = shape("AesGcmV1", AES_FIELDS);

static AES_GCM_CTR_V1: Shape = shape("AesGcmCtrV1", AES_FIELDS);

const AES_FIELDS: &[FieldShape] = &[
    one(1, "aad_prefix", Kind::Bytes),
    one(2, "aad_file_unique", Kind::Bytes),
    one(3, "supply_aad_prefix", Kind::Boolean),
];

static COLUMN_CRYPTO_META_DATA: Shape = shape(
    "ColumnCryptoMetaData",
    &[
        one(1, "ENCRYPTION_WITH_FOOTER_KEY", EMPTY_MEMBER),
        one(
            2,
            "ENCRYPTION_WITH_COLUMN_KEY",
            Kind::Struct(&ENCRYPTION_WITH_COLUMN_KEY),
        ),
    ],
);

static ENCRYPTION_WITH_COLUMN_KEY: Shape = shape(
    "EncryptionWithColumnKey",
    &[
        many(1, "path_in_schema", &Kind::Text),
        one(2, "key_metadata", Kind::Bytes),
    ],
);

static DATA_PAGE_HEADER: Shape = shape(
    "DataPageHeader",
    &[
        one(1, "num_values", Kind::Int),
        one(2, "encoding", ENCODING),
        one(3, "definition_level_encoding", ENCODING),
        one(4, "repetition_level_encoding", ENCODING),
        one(5, "statistics", Kind::Struct(&STATISTICS)),
    ],
);

static DICTIONARY_PAGE_HEADER: Shape = shape(
    "DictionaryPageHeader",
    &[
        one(1, "num_values", Kind::Int),
        one(2, "encoding", ENCODING),
        one(3, "is_sorted", Kind::Boolean),
    ],
);

static DATA_PAGE_HEADER_V2: Shape = shape(
    "DataPageHeaderV2",
    &[
        one(1, "num_values", Kind::Int),
        one(2, "num_nulls", Kind::Int),
        one(3, "num_rows", Kind::Int),
        one(4, "encoding", ENCODING),
        one(5, "definition_levels_byte_length", Kind::Int),
        one(6, "repetition_levels_byte_length", Kind::Int),
        one(7, "is_compressed", Kind::Boolean),
        one(8, "statistics", Kind::Struct(&STATISTICS)),
    ],
);

static PAGE_LOCATION: Shape = shape(
    "PageLocation",
    &[
        one(1, "offset", Kind::Int),
        one(2, "compressed_page_size", Kind::Int),
        one(3, "first_row_index", Kind::Int),
    ],
);

static BLOOM_FILTER_ALGORITHM: Shape =
    shape("BloomFilterAlgorithm", &[one(1, "BLOCK", EMPTY_MEMBER)]);

static BLOOM_FILTER_HASH: Shape = shape("BloomFilterHash", &[one(1, "XXHASH", EMPTY_MEMBER)]);

static BLOOM_FILTER_COMPRESSION: Shape = shape(
    "BloomFilterCompression",
    &[one(1, "UNCOMPRESSED", EMPTY_MEMBER)],
);
