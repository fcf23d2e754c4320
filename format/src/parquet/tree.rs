//! The structures of Parquet as trees of the specification's names, with exactly the fields that are written.
//!
//! ```text
//! shape = structure: number, name, kind of each field        bytes + shape -> tree
//! ```
//! Nothing is required and nothing has a default; integers may be of any width. A field that the shape lacks,
//! or has with another wire type, is shown as `unknown_field_N`, binary as bytes and maps as lists of pairs. A
//! field that is written twice appears twice. `roundtrip` tests that shapes and typed structures agree.
// spec: parquet.thrift

mod shapes;

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::parquet::thrift::{Fields, Reader, Wire, deeper};
use crate::tree::{Builder, Event, EventSink, Node};

pub use shapes::{
    BLOOM_FILTER_HEADER, COLUMN_INDEX, COLUMN_META_DATA, FILE_CRYPTO_META_DATA, FILE_META_DATA,
    OFFSET_INDEX, PAGE_HEADER,
};

/// Prefix of the names of unknown fields.
const UNKNOWN_FIELD: &str = "unknown_field_";

/// How much larger than the encoded limit a tree may be.
const DECODED_PER_ENCODED_BYTE: usize = 4;

/// The fields of a structure or the members of a union.
#[derive(Debug)]
pub struct Shape {
    pub(super) name: &'static str,
    pub(super) fields: &'static [FieldShape],
}

impl Shape {
    /// The specification's name.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

#[derive(Debug)]
pub(super) struct FieldShape {
    pub(super) id: i16,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Boolean,
    /// A whole number, of any width on the wire.
    Int,
    Double,
    Choice(fn(i32) -> Option<&'static str>),
    Text,
    Bytes,
    Uuid,
    Struct(&'static Shape),
    List(&'static Kind),
    /// Elements are of the kind of their wire type.
    AnyList,
    AnyMap,
}

impl Kind {
    /// The kind of an unknown value, by its wire type.
    fn of(wire: Wire) -> Kind {
        match wire {
            Wire::Bool(_) => Kind::Boolean,
            Wire::I8 | Wire::I16 | Wire::I32 | Wire::I64 => Kind::Int,
            Wire::Double => Kind::Double,
            Wire::Binary => Kind::Bytes,
            Wire::Uuid => Kind::Uuid,
            Wire::Struct => Kind::Struct(&shapes::UNKNOWN),
            Wire::List | Wire::Set => Kind::AnyList,
            Wire::Map => Kind::AnyMap,
        }
    }

    /// Whether the value of wire type `wire` that `reader` is about to read is of this kind.
    fn fits(self, wire: Wire, reader: &Reader<'_>) -> bool {
        match (self, wire) {
            (Kind::Boolean, Wire::Bool(_))
            | (Kind::Int | Kind::Choice(_), Wire::I8 | Wire::I16 | Wire::I32 | Wire::I64)
            | (Kind::Double, Wire::Double)
            | (Kind::Text | Kind::Bytes, Wire::Binary)
            | (Kind::Struct(_), Wire::Struct) => true,
            (Kind::List(element), Wire::List) => match reader.clone().list() {
                // no kind of element is a list, which is all that would need what comes after the header
                Ok((wire, count)) => count == 0 || element.fits(wire, reader),
                Err(_) => true,
            },
            _ => false,
        }
    }
}

/// Decodes the structure of this shape at the start of `bytes`; also returns its encoded length.
pub fn decode(bytes: &[u8], shape: &'static Shape, limits: &Limits) -> Result<(Node, usize)> {
    let mut builder = Builder::default();
    let length = emit(bytes, shape, limits, &mut |event| builder.add(event))?;
    Ok((builder.finish(), length))
}

/// Decodes the structure of this shape at the start of `bytes`, passes its parts to `to` as they are met, and
/// returns its encoded length. Parts before an error are passed, too.
pub fn emit(
    bytes: &[u8],
    shape: &'static Shape,
    limits: &Limits,
    to: &mut EventSink<'_>,
) -> Result<usize> {
    let mut walk = Walk {
        reader: Reader::new(bytes, limits),
        left: Limits::decoded(bytes.len())
            .min(limits.footer_bytes.saturating_mul(DECODED_PER_ENCODED_BYTE)),
        to,
    };
    walk.structure(shape, limits.depth)?;
    Ok(walk.reader.position())
}

/// The state of a decoding: the input, the bytes that the tree may still take in memory, and its receiver.
struct Walk<'a, 't> {
    reader: Reader<'a>,
    left: usize,
    to: &'a mut EventSink<'t>,
}

impl Walk<'_, '_> {
    fn spend(&mut self, bytes: usize) -> Result<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Error::limit("structure is too large when decoded")),
        }
    }

    fn structure(&mut self, shape: &'static Shape, depth: usize) -> Result<()> {
        let depth = deeper(depth)?;
        let mut fields = Fields::new(shape.name);
        (self.to)(Event::BeginObject)?;
        while let Some((id, wire)) = fields.next(&mut self.reader)? {
            self.spend(size_of::<(Cow<'static, str>, Node)>())?;
            let known = shape.fields.iter().find(|field| field.id == id);
            let known = known.filter(|field| field.kind.fits(wire, &self.reader));
            let (name, kind) = match known {
                Some(field) => (Cow::Borrowed(field.name), field.kind),
                None => {
                    let name = format!("{UNKNOWN_FIELD}{id}");
                    self.spend(name.len())?;
                    (Cow::Owned(name), Kind::of(wire))
                }
            };
            (self.to)(Event::Field(name))?;
            self.value(kind, wire, depth)?;
        }
        (self.to)(Event::EndObject)
    }

    /// The value of a field; a boolean is part of the wire type.
    fn value(&mut self, kind: Kind, wire: Wire, depth: usize) -> Result<()> {
        match wire {
            Wire::Bool(value) => (self.to)(Event::Value(Node::Boolean(value))),
            _ => self.element(kind, wire, depth),
        }
    }

    /// A value outside of a field header.
    fn element(&mut self, kind: Kind, wire: Wire, depth: usize) -> Result<()> {
        let plain = match kind {
            Kind::Boolean => Node::Boolean(self.reader.bool_element()?),
            Kind::Int => Node::Int(self.int(wire)?),
            Kind::Double => Node::Float(self.reader.f64()?),
            Kind::Choice(name_of) => {
                let number = self.int(wire)?;
                let name = i32::try_from(number).ok().and_then(name_of);
                name.map_or(Node::Int(number), Node::Name)
            }
            Kind::Text => Node::Text(self.bytes()?),
            Kind::Bytes => Node::Bytes(self.bytes()?),
            Kind::Uuid => Node::Bytes(self.reader.uuid()?.to_vec()),
            Kind::Struct(shape) => return self.structure(shape, depth),
            Kind::List(element) => return self.list(Some(*element), depth),
            Kind::AnyList => return self.list(None, depth),
            Kind::AnyMap => return self.map(depth),
        };
        (self.to)(Event::Value(plain))
    }

    fn int(&mut self, wire: Wire) -> Result<i64> {
        match wire {
            Wire::I8 => self.reader.i8().map(i64::from),
            _ => self.reader.i64(),
        }
    }

    fn bytes(&mut self) -> Result<Vec<u8>> {
        let bytes = self.reader.slice()?;
        self.spend(bytes.len())?;
        Ok(bytes.to_vec())
    }

    /// A list of elements of `kind`, or else of the kind of their wire type.
    fn list(&mut self, kind: Option<Kind>, depth: usize) -> Result<()> {
        let depth = deeper(depth)?;
        let (wire, count) = self.reader.list()?;
        let kind = kind.unwrap_or(Kind::of(wire));
        // twice, because printing the tree may take as much again
        self.spend(count.saturating_mul(2 * size_of::<Node>()))?;
        (self.to)(Event::BeginList)?;
        for _ in 0..count {
            self.element(kind, wire, depth)?;
        }
        (self.to)(Event::EndList)
    }

    /// A list of pairs.
    fn map(&mut self, depth: usize) -> Result<()> {
        let depth = deeper(depth)?;
        let (key, value, count) = self.reader.map()?;
        self.spend(count.saturating_mul(3 * size_of::<Node>()))?;
        (self.to)(Event::BeginList)?;
        for _ in 0..count {
            (self.to)(Event::BeginList)?;
            self.element(Kind::of(key), key, depth)?;
            self.element(Kind::of(value), value, depth)?;
            (self.to)(Event::EndList)?;
        }
        (self.to)(Event::EndList)
    }
}

#[cfg(test)]
mod tests {
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
        second.crypto_metadata = Some(ColumnCryptoMetaData::EncryptionWithColumnKey(key));
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
    fn of_a_field_that_is_written_twice_the_last_counts() {
        let node = tree(&[0x15, 0, 0x05, 2, 6, 0], &PAGE_HEADER);
        assert_eq!(node.get("type"), Some(&Node::Name("DATA_PAGE_V2")));
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
        let mut many = vec![0x49, 0xfc, 0x80, 0x80, 0x04];
        many.extend([0; 1 << 16]);
        many.push(0);
        assert!(decode(&many, &FILE_META_DATA, &limits).is_ok());
        let small = Limits {
            footer_bytes: 1 << 16,
            ..limits
        };
        assert_eq!(kind(&many, &small), ErrorKind::LimitExceeded);
    }
}
