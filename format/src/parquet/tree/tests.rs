//! Trees of Parquet's structures show what the decoded structures hold.

use std::fmt::Debug;

use bytes::Bytes;

use super::*;
use crate::error::ErrorKind;
use crate::parquet::encoding::{BoundaryOrder, EdgeInterpolationAlgorithm, Encoding, PageType};
use crate::parquet::encryption::{
    ColumnCryptoMetaData, EncryptionAlgorithm, EncryptionWithColumnKey,
};
use crate::parquet::footer::{ColumnOrder, FileMetaData};
use crate::parquet::index::{BloomFilterHeader, ColumnIndex, OffsetIndex, PageLocation};
use crate::parquet::logical::{DecimalType, GeographyType, IntType, LogicalType, TimeType};
use crate::parquet::page::{
    DataPageHeader, DataPageHeaderV2, DictionaryPageHeader, IndexPageHeader, PageHeader,
};
use crate::parquet::schema_element::SchemaElement;
use crate::parquet::testing;
use crate::parquet::thrift::{self, Structure};
use crate::types::TimeUnit;

fn tree(bytes: &[u8], shape: &'static Shape) -> Node {
    let (node, length) = decode(bytes, shape, &Limits::default()).unwrap();
    assert_eq!(length, bytes.len());
    node
}

/// The names of all fields that are set, as the typed structures call them, in order.
fn typed_names(value: &impl Debug) -> Vec<String> {
    let text = format!("{value:#?}");
    let fields = text.lines().filter_map(|line| line.trim().split_once(": "));
    fields
        .filter(|(_, value)| *value != "None,")
        .map(|(name, _)| match name {
            "physical_type" | "page_type" => "type".to_string(),
            name => name.to_string(),
        })
        .collect()
}

/// The names of all fields of a tree but members of unions, as the typed structures would spell them.
fn names(node: &Node, out: &mut Vec<String>) {
    match node {
        Node::Object(fields) => {
            for (name, node) in fields {
                assert!(!name.starts_with(UNKNOWN_FIELD), "{name}");
                if name.contains(char::is_lowercase) {
                    out.push(snake(name));
                }
                names(node, out);
            }
        }
        Node::List(list) => list.iter().for_each(|node| names(node, out)),
        _ => {}
    }
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.replace("page_type", "type").chars() {
        if c.is_uppercase() && out.ends_with(char::is_lowercase) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

fn known_whole<T: Structure + Debug>(value: &T, shape: &'static Shape) -> Node {
    let node = tree(&thrift::encode(value), shape);
    let mut found = Vec::new();
    names(&node, &mut found);
    assert_eq!(found, typed_names(value));
    node
}

/// Every field of every structure of a footer.
fn footer() -> FileMetaData {
    let mut footer = testing::file_metadata();
    footer.column_orders = Some(vec![
        ColumnOrder::TypeOrder,
        ColumnOrder::Ieee754TotalOrder,
        ColumnOrder::Int96TimestampOrder,
    ]);
    let chunk = &mut footer.row_groups[0].columns[0];
    chunk.file_path = Some("other".into());
    let meta = chunk.meta_data.as_mut().unwrap();
    let geospatial = meta.geospatial_statistics.as_mut().unwrap();
    let bbox = geospatial.bbox.as_mut().unwrap();
    (bbox.zmax, bbox.mmin, bbox.mmax) = (Some(0.5), Some(1.0), Some(2.0));
    let mut second = chunk.clone();
    let key = EncryptionWithColumnKey {
        path_in_schema: vec!["a".into()],
        key_metadata: Some(Bytes::from_static(b"k")),
    };
    second.crypto_metadata = Some(ColumnCryptoMetaData::EncryptionWithColumnKey(key.into()));
    footer.row_groups[0].columns.push(second);
    footer
}

#[test]
fn footers_are_known_whole_by_the_names_of_the_typed_structures() {
    let node = known_whole(&footer(), &FILE_META_DATA);
    let orders = node.list("column_orders");
    for (order, name) in orders.iter().zip([
        "TYPE_ORDER",
        "IEEE_754_TOTAL_ORDER",
        "INT96_TIMESTAMP_ORDER",
    ]) {
        assert_eq!(order.get(name), Some(&Node::Object(Vec::new())));
    }
    let algorithm = node.get("encryption_algorithm").unwrap();
    assert!(algorithm.get(testing::algorithm().name()).is_some());
    let columns = node.list("row_groups")[0].list("columns");
    let crypto = |column: &Node| column.get("crypto_metadata").unwrap().clone();
    let empty = Some(&Node::Object(Vec::new()));
    assert_eq!(crypto(&columns[0]).get("ENCRYPTION_WITH_FOOTER_KEY"), empty);
    let column_key = crypto(&columns[1]);
    assert!(column_key.get("ENCRYPTION_WITH_COLUMN_KEY").is_some());
    let meta = columns[0].get("meta_data").unwrap();
    assert_eq!(meta.get("type"), Some(&Node::Name("BYTE_ARRAY")));
    assert_eq!(meta.int("bloom_filter_length"), Some(48));
    let encodings = [
        Node::Name("PLAIN"),
        Node::Name("RLE_DICTIONARY"),
        Node::Int(99),
    ];
    assert_eq!(meta.list("encodings"), encodings);
}

#[test]
fn the_other_cipher_has_the_other_name() {
    let mut footer = footer();
    let EncryptionAlgorithm::AesGcmCtrV1(aes) = testing::algorithm() else {
        unreachable!("the cipher of the tests");
    };
    footer.encryption_algorithm = Some(EncryptionAlgorithm::AesGcmV1(aes));
    let typed = footer.encryption_algorithm.as_ref().unwrap().name();
    assert_eq!(typed, "AES_GCM_V1");
    let node = known_whole(&footer, &FILE_META_DATA);
    let algorithm = node.get("encryption_algorithm").unwrap();
    let aes = algorithm.get(typed).unwrap();
    assert_eq!(aes.get("aad_prefix"), Some(&Node::Bytes(b"pre".to_vec())));
}

#[test]
fn every_logical_type_has_its_typed_name() {
    let time = |unit| TimeType {
        is_adjusted_to_utc: true,
        unit: Some(unit),
    };
    let decimal = DecimalType {
        scale: 2,
        precision: 9,
    };
    let int = IntType {
        bit_width: 8,
        is_signed: false,
    };
    let geography = GeographyType {
        crs: Some("OGC:CRS84".into()),
        algorithm: Some(EdgeInterpolationAlgorithm::Karney),
    };
    // what is behind a name, by how many fields it has in all
    let types = [
        (LogicalType::String, 0),
        (LogicalType::Map, 0),
        (LogicalType::List, 0),
        (LogicalType::Enum, 0),
        (LogicalType::Decimal(decimal), 2),
        (LogicalType::Date, 0),
        (LogicalType::Time(time(TimeUnit::Millis)), 2),
        (LogicalType::Timestamp(time(TimeUnit::Micros)), 2),
        (LogicalType::Timestamp(time(TimeUnit::Nanos)), 2),
        (LogicalType::Integer(int), 2),
        (LogicalType::Unknown, 0),
        (LogicalType::Json, 0),
        (LogicalType::Bson, 0),
        (LogicalType::Uuid, 0),
        (LogicalType::Float16, 0),
        (LogicalType::Variant(Some(1)), 1),
        (LogicalType::Geometry(Some("a".into())), 1),
        (LogicalType::Geography(geography), 2),
        (LogicalType::File, 0),
    ];
    for (logical_type, fields) in types {
        let element = SchemaElement {
            name: "a".into(),
            logical_type: Some(logical_type.clone()),
            ..SchemaElement::default()
        };
        let footer = FileMetaData {
            schema: vec![element],
            ..FileMetaData::default()
        };
        let node = tree(&footer.encode(), &FILE_META_DATA);
        let union = node.list("schema")[0].get("logicalType").unwrap();
        let member = union.get(logical_type.name()).expect("the typed name");
        let mut found = Vec::new();
        names(union, &mut found);
        assert_eq!(found.len(), fields, "{member:?}");
    }
}

#[test]
fn headers_and_indexes_are_known_whole() {
    let header = PageHeader {
        page_type: PageType::DataPage,
        uncompressed_page_size: 1,
        compressed_page_size: 2,
        crc: Some(-1),
        data_page_header: Some(DataPageHeader {
            num_values: 3,
            encoding: Encoding::Plain,
            definition_level_encoding: Encoding::Rle,
            repetition_level_encoding: Encoding::BitPacked,
            statistics: Some(testing::statistics()),
        }),
        index_page_header: Some(IndexPageHeader {}),
        dictionary_page_header: Some(DictionaryPageHeader {
            num_values: 3,
            encoding: Encoding::Plain,
            is_sorted: Some(false),
        }),
        data_page_header_v2: Some(DataPageHeaderV2 {
            num_values: 3,
            num_nulls: 1,
            num_rows: 2,
            encoding: Encoding::Plain,
            definition_levels_byte_length: 4,
            repetition_levels_byte_length: 0,
            is_compressed: Some(false),
            statistics: Some(testing::statistics()),
        }),
    };
    let node = known_whole(&header, &PAGE_HEADER);
    assert_eq!(node.int("crc"), Some(-1));
    let index = ColumnIndex {
        null_pages: vec![true, false],
        min_values: vec![Bytes::new(), Bytes::from_static(b"a")],
        max_values: vec![Bytes::new(), Bytes::from_static(b"b")],
        boundary_order: BoundaryOrder::Ascending,
        null_counts: Some(vec![1, 0]),
        repetition_level_histograms: Some(vec![1]),
        definition_level_histograms: Some(vec![2]),
        nan_counts: Some(vec![0, -1]),
    };
    let node = known_whole(&index, &COLUMN_INDEX);
    let null_pages = [Node::Boolean(true), Node::Boolean(false)];
    assert_eq!(node.list("null_pages"), null_pages);
    let offsets = OffsetIndex {
        page_locations: vec![PageLocation::default()],
        unencoded_byte_array_data_bytes: Some(vec![7]),
    };
    known_whole(&offsets, &OFFSET_INDEX);
    let bloom = known_whole(&BloomFilterHeader::new(32), &BLOOM_FILTER_HEADER);
    for (choice, name) in [
        ("algorithm", "BLOCK"),
        ("hash", "XXHASH"),
        ("compression", "UNCOMPRESSED"),
    ] {
        assert!(bloom.get(choice).unwrap().get(name).is_some());
    }
}

#[test]
fn what_no_shape_has_is_shown_by_its_number() {
    // type as text; field 20: a map of text to booleans; 21: a list of lists of i32; 22: a UUID
    let mut bytes = vec![0x18, 1, b'x', 0x0b, 40, 1, 0x81, 1, b'k', 2];
    bytes.extend([0x19, 0x19, 0x25, 2, 4, 0x1d]);
    bytes.extend([7; 16]);
    bytes.push(0);
    let node = tree(&bytes, &PAGE_HEADER);
    let unknown = |id: i16| node.get(&format!("{UNKNOWN_FIELD}{id}")).unwrap().clone();
    assert_eq!(unknown(1), Node::Bytes(b"x".to_vec()));
    let pair = Node::List(vec![Node::Bytes(b"k".to_vec()), Node::Boolean(false)]);
    assert_eq!(unknown(20), Node::List(vec![pair]));
    let numbers = Node::List(vec![Node::Int(1), Node::Int(2)]);
    assert_eq!(unknown(21), Node::List(vec![numbers]));
    assert_eq!(unknown(22), Node::Bytes(vec![7; 16]));
}

#[test]
fn a_list_of_other_elements_is_not_the_known_one() {
    // null_pages as a list of two i32; min_values as an empty list of i32
    let node = tree(&[0x19, 0x25, 2, 4, 0x19, 0x05, 0], &COLUMN_INDEX);
    assert_eq!(node.get("null_pages"), None);
    assert_eq!(node.list("unknown_field_1").len(), 2);
    assert_eq!(node.get("min_values"), Some(&Node::List(Vec::new())));
}

#[test]
fn whole_numbers_may_have_any_width() {
    // type as i8, sizes as i16 and i64; a list of two i8
    let bytes = [0x13, 3, 0x14, 3, 0x16, 0xfe, 0xff, 0xff, 0xff, 0x1f, 0];
    let node = tree(&bytes, &PAGE_HEADER);
    assert_eq!(node.get("type"), Some(&Node::Name("DATA_PAGE_V2")));
    assert_eq!(node.int("uncompressed_page_size"), Some(-2));
    assert_eq!(node.int("compressed_page_size"), Some(i64::from(u32::MAX)));
    let node = tree(&[0x59, 0x23, 5, 0xff, 0], &COLUMN_INDEX);
    assert_eq!(node.list("null_counts"), [Node::Int(5), Node::Int(-1)]);
}

#[test]
fn of_a_field_that_is_written_twice_the_last_counts_and_all_are_listed() {
    let node = tree(&[0x15, 0, 0x05, 2, 6, 0], &PAGE_HEADER);
    let both = ["DATA_PAGE", "DATA_PAGE_V2"].map(Node::Name).to_vec();
    let expected = [
        ("type", Node::Name("DATA_PAGE_V2")),
        ("duplicates_of_type", Node::List(both)),
    ];
    let named = expected.map(|(name, node)| (Cow::Borrowed(name), node));
    assert_eq!(node, Node::Object(named.to_vec()));

    // field 1 as a number, as text, and as a number; field 99 as a number, as text, and as a number
    let bytes = [
        0x15, 0, 0x08, 2, 1, b'a', 0x05, 2, 2, 0x05, 0xc6, 1, 4, 0x08, 0xc6, 1, 1, b'b', 0x05,
        0xc6, 1, 8, 0,
    ];
    let node = tree(&bytes, &PAGE_HEADER);
    let unknown = vec![Node::Int(2), Node::Bytes(b"b".to_vec()), Node::Int(4)];
    let both = vec![Node::Name("DATA_PAGE"), Node::Name("INDEX_PAGE")];
    let expected = [
        ("unknown_field_1", Node::Bytes(b"a".to_vec())),
        ("type", Node::Name("INDEX_PAGE")),
        ("duplicates_of_type", Node::List(both)),
        ("unknown_field_99", Node::Int(4)),
        ("duplicates_of_unknown_field_99", Node::List(unknown)),
    ];
    let named = expected.map(|(name, node)| (Cow::Borrowed(name), node));
    assert_eq!(node, Node::Object(named.to_vec()));
}

#[test]
fn no_truncation_or_flip_panics() {
    let limits = Limits::default();
    let bytes = footer().encode();
    for end in 0..bytes.len() {
        assert!(decode(&bytes[..end], &FILE_META_DATA, &limits).is_err());
    }
    for position in 0..bytes.len() {
        for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut hostile = bytes.clone();
            hostile[position] ^= flip;
            if let Ok((node, length)) = decode(&hostile, &FILE_META_DATA, &limits) {
                assert!(matches!(node, Node::Object(_)) && length <= hostile.len());
            }
        }
    }
}

#[test]
fn depth_and_size_are_held_against_the_limits() {
    let kind = |bytes: &[u8], limits: &Limits| {
        let error = decode(bytes, &FILE_META_DATA, limits).unwrap_err();
        error.kind()
    };
    let limits = Limits::default();
    for nest in [[0x1c], [0x19]] {
        assert_eq!(
            kind(&nest.repeat(100_000), &limits),
            ErrorKind::LimitExceeded
        );
    }
    // lists of structures that say nothing: a byte each in the file
    let many = |count: u16| {
        let mut many = vec![0x49, 0xfc];
        many.extend([
            count as u8 | 0x80,
            (count >> 7) as u8 | 0x80,
            (count >> 14) as u8,
        ]);
        many.resize(many.len() + usize::from(count) + 1, 0);
        many
    };
    assert!(decode(&many(1 << 15), &FILE_META_DATA, &limits).is_ok());
    assert_eq!(kind(&many(u16::MAX), &limits), ErrorKind::LimitExceeded);
    let small = Limits {
        footer_bytes: 1 << 16,
        ..limits
    };
    assert_eq!(kind(&many(1 << 15), &small), ErrorKind::LimitExceeded);
    // part by part they take no memory
    let mut events = 0;
    let length = emit(&many(u16::MAX), &FILE_META_DATA, &small, &mut |_| {
        events += 1;
        Ok(())
    });
    assert_eq!(length.unwrap(), 5 + (1 << 16));
    assert_eq!(events, 5 + 2 * u32::from(u16::MAX));
}
