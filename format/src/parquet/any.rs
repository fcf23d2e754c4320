//! Arbitrary values of every structure of the metadata, for property tests.
//!
//! Lists are short and text is short, so that many structures fit a value; floats are never NaN, which
//! does not equal itself. An unknown member of a union has a number that no known one has.

use bytes::Bytes;
use quickcheck::{Arbitrary, Gen};

use crate::arbitrary::{any, choices, maybe, number};
use crate::parquet::column_metadata::{
    BoundingBox, ColumnMetaData, GeospatialStatistics, PageEncodingStats, SizeStatistics,
};
use crate::parquet::encoding::{
    BoundaryOrder, CompressionCodec, ConvertedType, EdgeInterpolationAlgorithm, Encoding,
    FieldRepetitionType, PageType, Type,
};
use crate::parquet::encryption::{
    AesGcm, ColumnCryptoMetaData, EncryptionAlgorithm, EncryptionWithColumnKey, FileCryptoMetaData,
};
use crate::parquet::footer::{ColumnOrder, FileMetaData};
use crate::parquet::index::{BloomFilterHeader, ColumnIndex, OffsetIndex, PageLocation};
use crate::parquet::key_value::KeyValue;
use crate::parquet::logical::{DecimalType, GeographyType, IntType, LogicalType, TimeType};
use crate::parquet::page::{
    DataPageHeader, DataPageHeaderV2, DictionaryPageHeader, IndexPageHeader, PageHeader,
};
use crate::parquet::row_group::{ColumnChunk, RowGroup, SortingColumn};
use crate::parquet::schema_element::SchemaElement;
use crate::parquet::statistics::Statistics;
use crate::short_bytes::ShortBytes;
use crate::types::TimeUnit;

/// Up to three values.
fn few<T: Arbitrary, L: FromIterator<T>>(g: &mut Gen) -> L {
    (0..u8::arbitrary(g) % 4).map(|_| T::arbitrary(g)).collect()
}

/// Up to three values, or no list at all.
fn some<T: Arbitrary, L: FromIterator<T>>(g: &mut Gen) -> Option<L> {
    bool::arbitrary(g).then(|| few(g))
}

fn text(g: &mut Gen) -> String {
    few::<char, _>(g)
}

fn texts<L: FromIterator<String>>(g: &mut Gen) -> L {
    (0..u8::arbitrary(g) % 4).map(|_| text(g)).collect()
}

/// Short enough to be held in place, or too long.
fn bytes(g: &mut Gen) -> Vec<u8> {
    let length = *g.choose(&[0, 1, 8, 40]).unwrap_or(&0);
    (0..length).map(|_| u8::arbitrary(g)).collect()
}

fn blob(g: &mut Gen) -> Option<Bytes> {
    maybe(g, |g| bytes(g).into())
}

/// A member that is not known, or none.
fn other(g: &mut Gen) -> i16 {
    *g.choose(&[0, 100, -1, i16::MAX]).unwrap_or(&0)
}

choices! { Type ConvertedType FieldRepetitionType Encoding CompressionCodec PageType BoundaryOrder }
choices! { EdgeInterpolationAlgorithm }

impl Arbitrary for FileMetaData {
    fn arbitrary(g: &mut Gen) -> Self {
        FileMetaData {
            version: any(g),
            schema: few(g),
            num_rows: any(g),
            row_groups: few(g),
            key_value_metadata: some(g),
            created_by: maybe(g, text),
            column_orders: some(g),
            encryption_algorithm: any(g),
            footer_signing_key_metadata: blob(g),
        }
    }
}

impl Arbitrary for SchemaElement {
    fn arbitrary(g: &mut Gen) -> Self {
        SchemaElement {
            physical_type: any(g),
            type_length: any(g),
            repetition_type: any(g),
            name: text(g),
            num_children: any(g),
            converted_type: any(g),
            scale: any(g),
            precision: any(g),
            field_id: any(g),
            logical_type: any(g),
        }
    }
}

impl Arbitrary for LogicalType {
    fn arbitrary(g: &mut Gen) -> Self {
        match u8::arbitrary(g) % 19 {
            0 => LogicalType::String,
            1 => LogicalType::Map,
            2 => LogicalType::List,
            3 => LogicalType::Enum,
            4 => LogicalType::Decimal(DecimalType {
                scale: any(g),
                precision: any(g),
            }),
            5 => LogicalType::Date,
            6 => LogicalType::Time(any(g)),
            7 => LogicalType::Timestamp(any(g)),
            8 => LogicalType::Integer(IntType {
                bit_width: any(g),
                is_signed: any(g),
            }),
            9 => LogicalType::Unknown,
            10 => LogicalType::Json,
            11 => LogicalType::Bson,
            12 => LogicalType::Uuid,
            13 => LogicalType::Float16,
            14 => LogicalType::Variant(any(g)),
            15 => LogicalType::Geometry(maybe(g, text)),
            16 => LogicalType::Geography(GeographyType {
                crs: maybe(g, text),
                algorithm: any(g),
            }),
            17 => LogicalType::File,
            _ => LogicalType::Other(other(g)),
        }
    }
}

impl Arbitrary for TimeType {
    fn arbitrary(g: &mut Gen) -> Self {
        let units = [TimeUnit::Millis, TimeUnit::Micros, TimeUnit::Nanos];
        TimeType {
            is_adjusted_to_utc: any(g),
            unit: maybe(g, |g| *g.choose(&units).expect("there are three")),
        }
    }
}

impl Arbitrary for ColumnOrder {
    fn arbitrary(g: &mut Gen) -> Self {
        match u8::arbitrary(g) % 4 {
            0 => ColumnOrder::TypeOrder,
            1 => ColumnOrder::Ieee754TotalOrder,
            2 => ColumnOrder::Int96TimestampOrder,
            _ => ColumnOrder::Other(other(g)),
        }
    }
}

impl Arbitrary for KeyValue {
    fn arbitrary(g: &mut Gen) -> Self {
        KeyValue {
            key: text(g),
            value: blob(g),
        }
    }
}

impl Arbitrary for RowGroup {
    fn arbitrary(g: &mut Gen) -> Self {
        RowGroup {
            columns: few(g),
            total_byte_size: any(g),
            num_rows: any(g),
            sorting_columns: some(g),
            file_offset: any(g),
            total_compressed_size: any(g),
            ordinal: any(g),
        }
    }
}

impl Arbitrary for SortingColumn {
    fn arbitrary(g: &mut Gen) -> Self {
        SortingColumn {
            column_idx: any(g),
            descending: any(g),
            nulls_first: any(g),
        }
    }
}

impl Arbitrary for ColumnChunk {
    fn arbitrary(g: &mut Gen) -> Self {
        ColumnChunk {
            file_path: maybe(g, text),
            file_offset: any(g),
            meta_data: any(g),
            offset_index_offset: any(g),
            offset_index_length: any(g),
            column_index_offset: any(g),
            column_index_length: any(g),
            crypto_metadata: any(g),
            encrypted_column_metadata: blob(g),
        }
    }
}

impl Arbitrary for ColumnMetaData {
    fn arbitrary(g: &mut Gen) -> Self {
        ColumnMetaData {
            physical_type: any(g),
            encodings: few(g),
            path_in_schema: texts(g),
            codec: any(g),
            num_values: any(g),
            total_uncompressed_size: any(g),
            total_compressed_size: any(g),
            key_value_metadata: some(g),
            data_page_offset: any(g),
            index_page_offset: any(g),
            dictionary_page_offset: any(g),
            statistics: any(g),
            encoding_stats: some(g),
            bloom_filter_offset: any(g),
            bloom_filter_length: any(g),
            size_statistics: any(g),
            geospatial_statistics: any(g),
        }
    }
}

impl Arbitrary for Statistics {
    fn arbitrary(g: &mut Gen) -> Self {
        let bound = |g: &mut Gen| maybe(g, |g| ShortBytes::from(bytes(g)));
        Statistics {
            max: bound(g),
            min: bound(g),
            null_count: any(g),
            distinct_count: any(g),
            max_value: bound(g),
            min_value: bound(g),
            is_max_value_exact: any(g),
            is_min_value_exact: any(g),
            nan_count: any(g),
        }
    }
}

impl Arbitrary for PageEncodingStats {
    fn arbitrary(g: &mut Gen) -> Self {
        PageEncodingStats {
            page_type: any(g),
            encoding: any(g),
            count: any(g),
        }
    }
}

impl Arbitrary for SizeStatistics {
    fn arbitrary(g: &mut Gen) -> Self {
        SizeStatistics {
            unencoded_byte_array_data_bytes: any(g),
            repetition_level_histogram: some(g),
            definition_level_histogram: some(g),
        }
    }
}

impl Arbitrary for GeospatialStatistics {
    fn arbitrary(g: &mut Gen) -> Self {
        GeospatialStatistics {
            bbox: any(g),
            geospatial_types: some(g),
        }
    }
}

impl Arbitrary for BoundingBox {
    fn arbitrary(g: &mut Gen) -> Self {
        BoundingBox {
            xmin: number(g),
            xmax: number(g),
            ymin: number(g),
            ymax: number(g),
            zmin: maybe(g, number),
            zmax: maybe(g, number),
            mmin: maybe(g, number),
            mmax: maybe(g, number),
        }
    }
}

impl Arbitrary for AesGcm {
    fn arbitrary(g: &mut Gen) -> Self {
        AesGcm {
            aad_prefix: blob(g),
            aad_file_unique: blob(g),
            supply_aad_prefix: any(g),
        }
    }
}

impl Arbitrary for EncryptionAlgorithm {
    fn arbitrary(g: &mut Gen) -> Self {
        match u8::arbitrary(g) % 3 {
            0 => EncryptionAlgorithm::AesGcmV1(any(g)),
            1 => EncryptionAlgorithm::AesGcmCtrV1(any(g)),
            _ => EncryptionAlgorithm::Other(other(g)),
        }
    }
}

impl Arbitrary for ColumnCryptoMetaData {
    fn arbitrary(g: &mut Gen) -> Self {
        match u8::arbitrary(g) % 3 {
            0 => ColumnCryptoMetaData::EncryptionWithFooterKey,
            1 => ColumnCryptoMetaData::EncryptionWithColumnKey(
                EncryptionWithColumnKey {
                    path_in_schema: texts(g),
                    key_metadata: blob(g),
                }
                .into(),
            ),
            _ => ColumnCryptoMetaData::Other(other(g)),
        }
    }
}

impl Arbitrary for FileCryptoMetaData {
    fn arbitrary(g: &mut Gen) -> Self {
        FileCryptoMetaData {
            encryption_algorithm: any(g),
            key_metadata: blob(g),
        }
    }
}

impl Arbitrary for PageHeader {
    fn arbitrary(g: &mut Gen) -> Self {
        PageHeader {
            page_type: any(g),
            uncompressed_page_size: any(g),
            compressed_page_size: any(g),
            crc: any(g),
            data_page_header: any(g),
            index_page_header: maybe(g, |_| IndexPageHeader {}),
            dictionary_page_header: any(g),
            data_page_header_v2: any(g),
        }
    }
}

impl Arbitrary for DataPageHeader {
    fn arbitrary(g: &mut Gen) -> Self {
        DataPageHeader {
            num_values: any(g),
            encoding: any(g),
            definition_level_encoding: any(g),
            repetition_level_encoding: any(g),
            statistics: any(g),
        }
    }
}

impl Arbitrary for DictionaryPageHeader {
    fn arbitrary(g: &mut Gen) -> Self {
        DictionaryPageHeader {
            num_values: any(g),
            encoding: any(g),
            is_sorted: any(g),
        }
    }
}

impl Arbitrary for DataPageHeaderV2 {
    fn arbitrary(g: &mut Gen) -> Self {
        DataPageHeaderV2 {
            num_values: any(g),
            num_nulls: any(g),
            num_rows: any(g),
            encoding: any(g),
            definition_levels_byte_length: any(g),
            repetition_levels_byte_length: any(g),
            is_compressed: any(g),
            statistics: any(g),
        }
    }
}

impl Arbitrary for ColumnIndex {
    fn arbitrary(g: &mut Gen) -> Self {
        let bounds = |g: &mut Gen| (0..u8::arbitrary(g) % 4).map(|_| bytes(g).into()).collect();
        ColumnIndex {
            null_pages: few(g),
            min_values: bounds(g),
            max_values: bounds(g),
            boundary_order: any(g),
            null_counts: some(g),
            repetition_level_histograms: some(g),
            definition_level_histograms: some(g),
            nan_counts: some(g),
        }
    }
}

impl Arbitrary for OffsetIndex {
    fn arbitrary(g: &mut Gen) -> Self {
        OffsetIndex {
            page_locations: few(g),
            unencoded_byte_array_data_bytes: some(g),
        }
    }
}

impl Arbitrary for PageLocation {
    fn arbitrary(g: &mut Gen) -> Self {
        PageLocation {
            offset: any(g),
            compressed_page_size: any(g),
            first_row_index: any(g),
        }
    }
}

impl Arbitrary for BloomFilterHeader {
    fn arbitrary(g: &mut Gen) -> Self {
        let member = |g: &mut Gen| if bool::arbitrary(g) { 1 } else { other(g) };
        BloomFilterHeader {
            num_bytes: any(g),
            algorithm: member(g),
            hash: member(g),
            compression: member(g),
        }
    }
}
