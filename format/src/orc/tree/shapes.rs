//! One table per message of the specification: number, name and kind of each field.
//!
//! Names of numbered choices are in `encoding`.
// spec: ORCv1.md, "File Tail", "Stripe Footer", "Column Statistics", "Indexes"

use crate::orc::encoding::{
    CalendarKind, CompressionKind, EdgeInterpolationAlgorithm, EncodingKind, EncryptionAlgorithm,
    KeyProviderKind, StreamKind, TypeKind,
};

use super::{FieldShape, Kind, Shape};

const fn one(number: u32, name: &'static str, kind: Kind) -> FieldShape {
    FieldShape {
        number,
        name,
        repeated: false,
        kind,
    }
}

const fn many(number: u32, name: &'static str, kind: Kind) -> FieldShape {
    FieldShape {
        repeated: true,
        ..one(number, name, kind)
    }
}

const fn shape(name: &'static str, fields: &'static [FieldShape]) -> Shape {
    Shape { name, fields }
}

/// The postscript.
pub static POST_SCRIPT: Shape = shape(
    "PostScript",
    &[
        one(1, "footer_length", Kind::UInt),
        one(2, "compression", Kind::Choice(CompressionKind::name_of)),
        one(3, "compression_block_size", Kind::UInt),
        many(4, "version", Kind::UInt),
        one(5, "metadata_length", Kind::UInt),
        one(6, "writer_version", Kind::UInt),
        one(7, "stripe_statistics_length", Kind::UInt),
        one(8000, "magic", Kind::Text),
    ],
);

/// The footer.
pub static FOOTER: Shape = shape(
    "Footer",
    &[
        one(1, "header_length", Kind::UInt),
        one(2, "content_length", Kind::UInt),
        many(3, "stripes", Kind::Message(&STRIPE_INFORMATION)),
        many(4, "types", Kind::Message(&TYPE)),
        many(5, "metadata", Kind::Message(&USER_METADATA_ITEM)),
        one(6, "number_of_rows", Kind::UInt),
        many(7, "statistics", Kind::Message(&COLUMN_STATISTICS)),
        one(8, "row_index_stride", Kind::UInt),
        one(9, "writer", Kind::UInt),
        one(10, "encryption", Kind::Message(&ENCRYPTION)),
        one(11, "calendar", Kind::Choice(CalendarKind::name_of)),
        one(12, "software_version", Kind::Text),
    ],
);

/// The metadata section.
pub static METADATA: Shape = shape(
    "Metadata",
    &[many(1, "stripe_stats", Kind::Message(&STRIPE_STATISTICS))],
);

/// The footer of a stripe.
pub static STRIPE_FOOTER: Shape = shape(
    "StripeFooter",
    &[
        many(1, "streams", Kind::Message(&STREAM)),
        many(2, "columns", Kind::Message(&COLUMN_ENCODING)),
        one(3, "writer_timezone", Kind::Text),
        many(4, "encryption", Kind::Message(&STRIPE_ENCRYPTION_VARIANT)),
    ],
);

/// The strides of a column in a stripe.
pub static ROW_INDEX: Shape = shape(
    "RowIndex",
    &[many(1, "entry", Kind::Message(&ROW_INDEX_ENTRY))],
);

static ROW_INDEX_ENTRY: Shape = shape(
    "RowIndexEntry",
    &[
        many(1, "positions", Kind::UInt),
        one(2, "statistics", Kind::Message(&COLUMN_STATISTICS)),
    ],
);

static STRIPE_INFORMATION: Shape = shape(
    "StripeInformation",
    &[
        one(1, "offset", Kind::UInt),
        one(2, "index_length", Kind::UInt),
        one(3, "data_length", Kind::UInt),
        one(4, "footer_length", Kind::UInt),
        one(5, "number_of_rows", Kind::UInt),
        one(6, "encrypt_stripe_id", Kind::UInt),
        many(7, "encrypted_local_keys", Kind::Bytes),
    ],
);

static TYPE: Shape = shape(
    "Type",
    &[
        one(1, "kind", Kind::Choice(TypeKind::name_of)),
        many(2, "subtypes", Kind::UInt),
        many(3, "field_names", Kind::Text),
        one(4, "maximum_length", Kind::UInt),
        one(5, "precision", Kind::UInt),
        one(6, "scale", Kind::UInt),
        many(7, "attributes", Kind::Message(&STRING_PAIR)),
        one(8, "crs", Kind::Text),
        one(
            9,
            "algorithm",
            Kind::Choice(EdgeInterpolationAlgorithm::name_of),
        ),
    ],
);

static STRING_PAIR: Shape = shape(
    "StringPair",
    &[one(1, "key", Kind::Text), one(2, "value", Kind::Text)],
);

static USER_METADATA_ITEM: Shape = shape(
    "UserMetadataItem",
    &[one(1, "name", Kind::Text), one(2, "value", Kind::Bytes)],
);

static STRIPE_STATISTICS: Shape = shape(
    "StripeStatistics",
    &[many(1, "col_stats", Kind::Message(&COLUMN_STATISTICS))],
);

static STREAM: Shape = shape(
    "Stream",
    &[
        one(1, "kind", Kind::Choice(StreamKind::name_of)),
        one(2, "column", Kind::UInt),
        one(3, "length", Kind::UInt),
    ],
);

static COLUMN_ENCODING: Shape = shape(
    "ColumnEncoding",
    &[
        one(1, "kind", Kind::Choice(EncodingKind::name_of)),
        one(2, "dictionary_size", Kind::UInt),
        one(3, "bloom_encoding", Kind::UInt),
    ],
);

static STRIPE_ENCRYPTION_VARIANT: Shape = shape(
    "StripeEncryptionVariant",
    &[
        many(1, "streams", Kind::Message(&STREAM)),
        many(2, "encoding", Kind::Message(&COLUMN_ENCODING)),
    ],
);

static ENCRYPTION: Shape = shape(
    "Encryption",
    &[
        many(1, "mask", Kind::Message(&DATA_MASK)),
        many(2, "key", Kind::Message(&ENCRYPTION_KEY)),
        many(3, "variants", Kind::Message(&ENCRYPTION_VARIANT)),
        one(4, "key_provider", Kind::Choice(KeyProviderKind::name_of)),
    ],
);

static DATA_MASK: Shape = shape(
    "DataMask",
    &[
        one(1, "name", Kind::Text),
        many(2, "mask_parameters", Kind::Text),
        many(3, "columns", Kind::UInt),
    ],
);

static ENCRYPTION_KEY: Shape = shape(
    "EncryptionKey",
    &[
        one(1, "key_name", Kind::Text),
        one(2, "key_version", Kind::UInt),
        one(3, "algorithm", Kind::Choice(EncryptionAlgorithm::name_of)),
    ],
);

static ENCRYPTION_VARIANT: Shape = shape(
    "EncryptionVariant",
    &[
        one(1, "root", Kind::UInt),
        one(2, "key", Kind::UInt),
        one(3, "encrypted_key", Kind::Bytes),
        many(4, "stripe_statistics", Kind::Message(&STREAM)),
        one(5, "file_statistics", Kind::Bytes),
    ],
);

static COLUMN_STATISTICS: Shape = shape(
    "ColumnStatistics",
    &[
        one(1, "number_of_values", Kind::UInt),
        one(2, "int_statistics", Kind::Message(&INTEGER_STATISTICS)),
        one(3, "double_statistics", Kind::Message(&DOUBLE_STATISTICS)),
        one(4, "string_statistics", Kind::Message(&STRING_STATISTICS)),
        one(5, "bucket_statistics", Kind::Message(&BUCKET_STATISTICS)),
        one(6, "decimal_statistics", Kind::Message(&DECIMAL_STATISTICS)),
        one(7, "date_statistics", Kind::Message(&DATE_STATISTICS)),
        one(8, "binary_statistics", Kind::Message(&BINARY_STATISTICS)),
        one(
            9,
            "timestamp_statistics",
            Kind::Message(&TIMESTAMP_STATISTICS),
        ),
        one(10, "has_null", Kind::Boolean),
        one(11, "bytes_on_disk", Kind::UInt),
        one(
            12,
            "collection_statistics",
            Kind::Message(&COLLECTION_STATISTICS),
        ),
        one(
            13,
            "geospatial_statistics",
            Kind::Message(&GEOSPATIAL_STATISTICS),
        ),
    ],
);

static INTEGER_STATISTICS: Shape = shape(
    "IntegerStatistics",
    &[
        one(1, "minimum", Kind::SInt),
        one(2, "maximum", Kind::SInt),
        one(3, "sum", Kind::SInt),
    ],
);

static DOUBLE_STATISTICS: Shape = shape(
    "DoubleStatistics",
    &[
        one(1, "minimum", Kind::Double),
        one(2, "maximum", Kind::Double),
        one(3, "sum", Kind::Double),
    ],
);

static STRING_STATISTICS: Shape = shape(
    "StringStatistics",
    &[
        one(1, "minimum", Kind::Text),
        one(2, "maximum", Kind::Text),
        one(3, "sum", Kind::SInt),
        one(4, "lower_bound", Kind::Text),
        one(5, "upper_bound", Kind::Text),
    ],
);

static BUCKET_STATISTICS: Shape = shape("BucketStatistics", &[many(1, "count", Kind::UInt)]);

static DECIMAL_STATISTICS: Shape = shape(
    "DecimalStatistics",
    &[
        one(1, "minimum", Kind::Text),
        one(2, "maximum", Kind::Text),
        one(3, "sum", Kind::Text),
    ],
);

static DATE_STATISTICS: Shape = shape(
    "DateStatistics",
    &[one(1, "minimum", Kind::SInt), one(2, "maximum", Kind::SInt)],
);

static BINARY_STATISTICS: Shape = shape("BinaryStatistics", &[one(1, "sum", Kind::SInt)]);

static TIMESTAMP_STATISTICS: Shape = shape(
    "TimestampStatistics",
    &[
        one(1, "minimum", Kind::SInt),
        one(2, "maximum", Kind::SInt),
        one(3, "minimum_utc", Kind::SInt),
        one(4, "maximum_utc", Kind::SInt),
        one(5, "minimum_nanos", Kind::Int),
        one(6, "maximum_nanos", Kind::Int),
    ],
);

static COLLECTION_STATISTICS: Shape = shape(
    "CollectionStatistics",
    &[
        one(1, "min_children", Kind::UInt),
        one(2, "max_children", Kind::UInt),
        one(3, "total_children", Kind::UInt),
    ],
);

static GEOSPATIAL_STATISTICS: Shape = shape(
    "GeospatialStatistics",
    &[
        one(1, "bbox", Kind::Message(&BOUNDING_BOX)),
        many(2, "geospatial_types", Kind::Int),
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
