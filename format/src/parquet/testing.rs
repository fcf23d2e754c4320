//! Shared by the tests of Parquet's metadata: the hostile-input loop and small values.

use bytes::Bytes;

use crate::limits::Limits;
use crate::parquet::column_metadata::{
    BoundingBox, ColumnMetaData, GeospatialStatistics, PageEncodingStats, SizeStatistics,
};
use crate::parquet::encoding::{
    CompressionCodec, ConvertedType, Encoding, FieldRepetitionType, PageType, Type,
};
use crate::parquet::encryption::{AesGcm, ColumnCryptoMetaData, EncryptionAlgorithm};
use crate::parquet::footer::{ColumnOrder, FileMetaData};
use crate::parquet::key_value::KeyValue;
use crate::parquet::logical::LogicalType;
use crate::parquet::row_group::{ColumnChunk, RowGroup, SortingColumn};
use crate::parquet::schema::Leaf;
use crate::parquet::schema_element::SchemaElement;
use crate::parquet::statistics::Statistics;
use crate::parquet::thrift::{self, Structure};
use crate::short_bytes::ShortBytes;
use crate::types;

/// Decoding gives `value` back, every truncation fails, and every flip of a byte fails or gives a value
/// that encodes and decodes to itself.
pub(crate) fn check<T: Structure + PartialEq + std::fmt::Debug>(value: &T) {
    let limits = Limits::default();
    let bytes = thrift::encode(value);
    let (back, length) = thrift::decode::<T>(&bytes, &limits).expect("own bytes decode");
    assert_eq!((&back, length), (value, bytes.len()));
    let shared = Bytes::from(bytes.clone());
    assert_eq!(
        &thrift::decode_shared::<T>(&shared, &limits).unwrap().0,
        value
    );
    for end in 0..bytes.len() {
        assert!(
            thrift::decode::<T>(&bytes[..end], &limits).is_err(),
            "cut at {end}"
        );
    }
    for position in 0..bytes.len() {
        for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut hostile = bytes.clone();
            hostile[position] ^= flip;
            if let Ok((value, length)) = thrift::decode::<T>(&hostile, &limits) {
                assert!(length <= hostile.len());
                // NaN is unequal to itself: compare the bytes of a second round
                let once = thrift::encode(&value);
                let (again, _) = thrift::decode::<T>(&once, &limits).expect("own bytes decode");
                assert_eq!(thrift::encode(&again), once);
            }
        }
    }
}

/// Every field set.
pub(crate) fn statistics() -> Statistics {
    Statistics {
        max: Some(b"zz".into()),
        min: Some(ShortBytes::default()),
        null_count: Some(3),
        distinct_count: Some(1 << 40),
        max_value: Some(b"a bound too long to need no memory".into()),
        min_value: Some(b"a".into()),
        is_max_value_exact: Some(false),
        is_min_value_exact: Some(true),
        nan_count: Some(0),
    }
}

/// Every field set.
pub(crate) fn column_metadata() -> ColumnMetaData {
    ColumnMetaData {
        physical_type: Type::ByteArray,
        encodings: [
            Encoding::Plain,
            Encoding::RleDictionary,
            Encoding::Unknown(99),
        ]
        .into_iter()
        .collect(),
        path_in_schema: ["a", "list", "element"].iter().collect(),
        codec: CompressionCodec::Zstd,
        num_values: 100,
        total_uncompressed_size: 5000,
        total_compressed_size: 3000,
        key_value_metadata: Some(vec![KeyValue {
            key: "k".into(),
            value: Some(Bytes::from_static(b"\xffv")),
        }]),
        data_page_offset: 300,
        index_page_offset: Some(0),
        dictionary_page_offset: Some(4),
        statistics: Some(statistics()),
        encoding_stats: Some(
            [PageEncodingStats {
                page_type: PageType::DataPage,
                encoding: Encoding::RleDictionary,
                count: 2,
            }]
            .into_iter()
            .collect(),
        ),
        bloom_filter_offset: Some(7000),
        bloom_filter_length: Some(48),
        size_statistics: Some(SizeStatistics {
            unencoded_byte_array_data_bytes: Some(900),
            repetition_level_histogram: Some([90, 10].into_iter().collect()),
            definition_level_histogram: Some([1, 2, 97].into_iter().collect()),
        }),
        geospatial_statistics: Some(Box::new(GeospatialStatistics {
            bbox: Some(BoundingBox {
                xmin: -1.5,
                xmax: 2.0,
                ymin: 0.0,
                ymax: 1e300,
                zmin: Some(0.25),
                ..Default::default()
            }),
            geospatial_types: Some(vec![1, 1003]),
        })),
    }
}

/// Every field set.
pub(crate) fn row_group() -> RowGroup {
    RowGroup {
        columns: vec![ColumnChunk {
            file_path: None,
            file_offset: 0,
            meta_data: Some(column_metadata()),
            offset_index_offset: Some(8000),
            offset_index_length: Some(20),
            column_index_offset: Some(7900),
            column_index_length: Some(100),
            crypto_metadata: Some(ColumnCryptoMetaData::EncryptionWithFooterKey),
            encrypted_column_metadata: Some(Bytes::from_static(&[1, 2, 3])),
        }],
        total_byte_size: 5000,
        num_rows: 90,
        sorting_columns: Some(vec![SortingColumn {
            column_idx: 0,
            descending: true,
            nulls_first: false,
        }]),
        file_offset: Some(4),
        total_compressed_size: Some(3000),
        ordinal: Some(0),
    }
}

/// A cipher with every field set.
pub(crate) fn algorithm() -> EncryptionAlgorithm {
    EncryptionAlgorithm::AesGcmCtrV1(AesGcm {
        aad_prefix: Some(Bytes::from_static(b"pre")),
        aad_file_unique: Some(Bytes::from_static(b"unique")),
        supply_aad_prefix: Some(false),
    })
}

/// Every field set; a list of optional strings and an empty chunk beside it.
pub(crate) fn file_metadata() -> FileMetaData {
    let node = |name: &str, repetition, children| SchemaElement {
        name: name.into(),
        repetition_type: repetition,
        num_children: children,
        ..Default::default()
    };
    let optional = Some(FieldRepetitionType::Optional);
    FileMetaData {
        version: 2,
        schema: vec![
            node("root", None, Some(1)),
            SchemaElement {
                converted_type: Some(ConvertedType::List),
                logical_type: Some(LogicalType::List),
                field_id: Some(-1),
                ..node("a", optional, Some(1))
            },
            node("list", Some(FieldRepetitionType::Repeated), Some(1)),
            SchemaElement {
                physical_type: Some(Type::ByteArray),
                type_length: Some(0),
                scale: Some(0),
                precision: Some(0),
                logical_type: Some(LogicalType::String),
                ..node("element", optional, None)
            },
        ],
        num_rows: 90,
        row_groups: vec![row_group(), RowGroup::default()],
        key_value_metadata: Some(Vec::new()),
        created_by: Some("lith".into()),
        column_orders: Some(vec![ColumnOrder::TypeOrder]),
        encryption_algorithm: Some(algorithm()),
        footer_signing_key_metadata: Some(Bytes::from_static(b"kf")),
    }
}

/// A leaf by its types, optional and at the top.
pub(crate) fn leaf(
    physical_type: Type,
    type_length: usize,
    logical_type: types::LogicalType,
) -> Leaf {
    Leaf {
        path: ["a"].iter().collect(),
        column: 0,
        physical_type,
        type_length,
        max_definition_level: 1,
        max_repetition_level: 0,
        logical_type,
    }
}
