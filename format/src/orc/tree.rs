//! The messages of ORC as trees of the specification's names, with exactly the fields that are written.
//!
//! ```text
//! shape = message: number, name, kind of each field        bytes + shape -> tree
//! ```
//! A field that the shape lacks is shown as `unknown_field_N`, a list of its payloads. `roundtrip` tests that
//! shapes and typed messages agree.
// spec: ORCv1.md, "File Tail"

mod shapes;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::Result;
use crate::limits::Limits;
use crate::orc::proto::{Field, Value, each_field};
use crate::tree::Node;

pub use shapes::{FOOTER, METADATA, POST_SCRIPT, ROW_INDEX, STRIPE_FOOTER};

/// Prefix of the names of unknown fields.
const UNKNOWN_FIELD: &str = "unknown_field_";

/// The fields of a message.
#[derive(Debug)]
pub struct Shape {
    pub(super) name: &'static str,
    pub(super) fields: &'static [FieldShape],
}

#[derive(Debug)]
pub(super) struct FieldShape {
    number: u32,
    pub(super) name: &'static str,
    repeated: bool,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    UInt,
    Int,
    /// Zigzag.
    SInt,
    Boolean,
    Double,
    Text,
    Bytes,
    Choice(fn(i32) -> Option<&'static str>),
    Message(&'static Shape),
}

impl Shape {
    /// The message's name.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

/// Decodes a whole message of this shape.
pub fn decode(bytes: &[u8], shape: &'static Shape, limits: &Limits) -> Result<Node> {
    let mut fields = Fields::of(shape);
    each_field(bytes, shape.name, limits, |field| fields.add(&field))?;
    Ok(fields.into_node())
}

/// The fields of a message so far.
struct Fields {
    shape: &'static Shape,
    known: Vec<(Cow<'static, str>, Node)>,
    /// By their numbers.
    unknown: BTreeMap<u32, Vec<Node>>,
}

impl Fields {
    fn of(shape: &'static Shape) -> Self {
        Fields {
            shape,
            known: Vec::new(),
            unknown: BTreeMap::new(),
        }
    }

    fn add(&mut self, field: &Field<'_>) -> Result<()> {
        let mut shapes = self.shape.fields.iter();
        let Some(shape) = shapes.find(|shape| shape.number == field.number) else {
            let payloads = self.unknown.entry(field.number).or_default();
            return field.push(payloads, unknown(field)?);
        };
        let place = self.known.iter().position(|(name, _)| name == shape.name);
        if !shape.repeated {
            let node = value(field, shape.kind)?;
            match place {
                // the last one counts
                Some(place) => self.known[place].1 = node,
                None => field.push(&mut self.known, (Cow::Borrowed(shape.name), node))?,
            }
            return Ok(());
        }
        let place = match place {
            Some(place) => place,
            None => {
                let empty = Node::List(Vec::new());
                field.push(&mut self.known, (Cow::Borrowed(shape.name), empty))?;
                self.known.len() - 1
            }
        };
        match &mut self.known[place].1 {
            Node::List(list) => extend(field, shape.kind, list),
            _ => Ok(()),
        }
    }

    fn into_node(mut self) -> Node {
        let unknown = self.unknown.into_iter().map(|(number, payloads)| {
            let name = Cow::Owned(format!("{UNKNOWN_FIELD}{number}"));
            (name, Node::List(payloads))
        });
        self.known.extend(unknown);
        Node::Object(self.known)
    }
}

/// The payload of an unknown field, by its wire type.
fn unknown(field: &Field<'_>) -> Result<Node> {
    field.spend(size_of::<Node>() + UNKNOWN_FIELD.len())?;
    Ok(match field.raw() {
        Value::Varint(value) | Value::Fixed64(value) => Node::UInt(value),
        Value::Fixed32(value) => Node::UInt(value.into()),
        Value::Bytes(bytes) => {
            field.spend(bytes.len())?;
            Node::Bytes(bytes.to_vec())
        }
    })
}

fn value(field: &Field<'_>, kind: Kind) -> Result<Node> {
    Ok(match kind {
        Kind::UInt => Node::UInt(field.u64()?),
        Kind::Int => Node::Int(field.u64()? as i64),
        Kind::SInt => Node::Int(field.sint64()?),
        Kind::Boolean => Node::Boolean(field.bool()?),
        Kind::Double => Node::Float(field.f64()?),
        Kind::Text => Node::Text(field.bytes()?.to_vec()),
        Kind::Bytes => Node::Bytes(field.bytes()?.to_vec()),
        Kind::Choice(name) => {
            let number = field.i32()?;
            name(number).map_or(Node::Int(i64::from(number)), Node::Name)
        }
        Kind::Message(shape) => {
            let mut fields = Fields::of(shape);
            field.each_field(shape.name, |field| fields.add(&field))?;
            fields.into_node()
        }
    })
}

/// Numbers may come one by one or as a packed run.
fn extend(field: &Field<'_>, kind: Kind, list: &mut Vec<Node>) -> Result<()> {
    let signed = match kind {
        Kind::UInt => false,
        Kind::Int => true,
        _ => {
            return field.push(list, value(field, kind)?);
        }
    };
    let mut numbers = Vec::new();
    field.extend_u64(&mut numbers)?;
    for number in numbers {
        let node = match signed {
            true => Node::Int(number as i64),
            false => Node::UInt(number),
        };
        field.push(list, node)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::encoding::{CompressionKind, EdgeInterpolationAlgorithm, KeyProviderKind};
    use crate::orc::encryption::{DataMask, Encryption, EncryptionKey, EncryptionVariant};
    use crate::orc::index::{RowIndex, RowIndexEntry};
    use crate::orc::proto::Message;
    use crate::orc::statistics::{
        BinaryStatistics, BoundingBox, BucketStatistics, CollectionStatistics, ColumnStatistics,
        DateStatistics, DecimalStatistics, DoubleStatistics, GeospatialStatistics,
        TimestampStatistics, TypeStatistics,
    };
    use crate::orc::stripe::{ColumnEncoding, Stream, StripeEncryptionVariant, StripeFooter};
    use crate::orc::testing::{footer, hostile, metadata, postscript};

    fn tree(bytes: &[u8], shape: &'static Shape) -> Node {
        decode(bytes, shape, &Limits::default()).unwrap()
    }

    /// How many values a tree holds; a number that its shape does not know fails.
    fn values(node: &Node) -> usize {
        match node {
            Node::List(list) => list.iter().map(values).sum(),
            Node::Object(fields) => {
                let unknown = |name: &str| name.starts_with(UNKNOWN_FIELD);
                assert!(!fields.iter().any(|(name, _)| unknown(name)), "{node:?}");
                fields.iter().map(|(_, node)| values(node)).sum()
            }
            _ => 1,
        }
    }

    #[test]
    fn only_what_is_written_is_in_the_tree() {
        assert_eq!(tree(&[], &POST_SCRIPT), Node::Object(Vec::new()));
        let node = tree(&[0x10, 0, 0x22, 2, 0, 12, 0x20, 1, 0x30, 9], &POST_SCRIPT);
        assert_eq!(node.get("compression"), Some(&Node::Name("NONE")));
        let version = [0, 12, 1].map(Node::UInt).to_vec();
        assert_eq!(node.get("version"), Some(&Node::List(version)));
        assert_eq!(node.get("writer_version"), Some(&Node::UInt(9)));
        assert_eq!(node.get("footer_length"), None);
    }

    #[test]
    fn numbers_of_the_future_are_shown_as_numbers() {
        let node = tree(&[0x10, 99], &POST_SCRIPT);
        assert_eq!(node.get("compression"), Some(&Node::Int(99)));
    }

    #[test]
    fn what_no_shape_has_is_shown_by_its_number() {
        // field 10: the numbers 1 and 300; field 11: two bytes; fields 12 and 9: 32 and 64 bits
        let mut bytes = vec![0x50, 1, 0x5a, 2, 7, 8, 0x50, 0xac, 2, 0x65, 1, 0, 0, 0x80];
        bytes.extend([0x49, 2, 0, 0, 0, 0, 0, 0, 0]);
        let node = tree(&bytes, &POST_SCRIPT);
        let expected = [
            (9, vec![Node::UInt(2)]),
            (10, vec![Node::UInt(1), Node::UInt(300)]),
            (11, vec![Node::Bytes(vec![7, 8])]),
            (12, vec![Node::UInt(0x8000_0001)]),
        ];
        let named = expected.map(|(number, payloads)| {
            let name = Cow::Owned(format!("{UNKNOWN_FIELD}{number}"));
            (name, Node::List(payloads))
        });
        assert_eq!(node, Node::Object(named.to_vec()));
    }

    /// A column with each kind of statistics, all fields set: 3 values and those of `specific`.
    fn statistics() -> Vec<ColumnStatistics> {
        use TypeStatistics as S;
        let all = [
            S::Double(DoubleStatistics {
                minimum: Some(-0.5),
                maximum: Some(1.5),
                sum: Some(f64::NAN),
            }),
            S::Bucket(BucketStatistics { count: vec![3] }),
            S::Decimal(DecimalStatistics {
                minimum: Some("-1.5".into()),
                maximum: Some("2".into()),
                sum: Some("0.5".into()),
            }),
            S::Date(DateStatistics {
                minimum: Some(-1),
                maximum: Some(1),
            }),
            S::Binary(BinaryStatistics { sum: Some(7) }),
            S::Timestamp(TimestampStatistics {
                minimum: Some(-1),
                maximum: Some(1),
                minimum_utc: Some(-1),
                maximum_utc: Some(1),
                minimum_nanos: Some(1),
                maximum_nanos: Some(2),
            }),
            S::Collection(CollectionStatistics {
                min_children: Some(0),
                max_children: Some(2),
                total_children: Some(5),
            }),
            S::Geospatial(GeospatialStatistics {
                bbox: Some(Box::new(BoundingBox {
                    bounds: [1.0; 8].map(Some),
                })),
                geospatial_types: vec![1, 1001],
            }),
        ];
        let column = |specific| ColumnStatistics {
            number_of_values: Some(1),
            specific: Some(specific),
            has_null: Some(false),
            bytes_on_disk: Some(1),
        };
        all.map(column).to_vec()
    }

    #[test]
    fn what_the_typed_messages_encode_the_shapes_know() {
        let entry = |statistics| RowIndexEntry {
            positions: vec![1, 2],
            statistics: Some(statistics),
        };
        let index = RowIndex {
            entry: statistics().into_iter().map(entry).collect(),
        };
        // two positions, three counts, and the fields of the eight kinds
        let expected = 8 * 5 + 3 + 1 + 3 + 2 + 1 + 6 + 3 + 10;
        assert_eq!(values(&tree(&index.encode(), &ROW_INDEX)), expected);

        let encoding = ColumnEncoding {
            dictionary_size: 2,
            bloom_encoding: Some(1),
            ..ColumnEncoding::default()
        };
        let stripe = StripeFooter {
            streams: vec![Stream::default()],
            columns: vec![encoding.clone()],
            writer_timezone: Some("UTC".into()),
            encryption: vec![StripeEncryptionVariant {
                streams: vec![Stream::default()],
                encoding: vec![encoding],
            }],
        };
        assert_eq!(values(&tree(&stripe.encode(), &STRIPE_FOOTER)), 13);
        // three columns with counts, a sum and two bounds for two of them
        assert_eq!(values(&tree(&metadata().encode(), &METADATA)), 3 * 3 + 6);
        assert!(
            values(&tree(
                &postscript(CompressionKind::Zlib).encode(),
                &POST_SCRIPT
            )) >= 7
        );
    }

    #[test]
    fn encryption_and_footers_are_known_whole() {
        let mut footer = footer();
        let plain = values(&tree(&footer.encode(), &FOOTER));
        footer.encryption = Some(Box::new(Encryption {
            mask: vec![DataMask {
                name: "nullify".into(),
                mask_parameters: vec!["a".into()],
                columns: vec![1, 2],
            }],
            key: vec![EncryptionKey::default()],
            variants: vec![EncryptionVariant {
                stripe_statistics: vec![Stream::default()],
                ..EncryptionVariant::default()
            }],
            key_provider: KeyProviderKind::Hadoop,
        }));
        footer.stripes[0].encrypt_stripe_id = Some(1);
        footer.stripes[0].encrypted_local_keys = vec![vec![1], vec![2]];
        footer.types[2].crs = Some("OGC:CRS84".into());
        footer.types[2].algorithm = Some(EdgeInterpolationAlgorithm::Karney);
        let node = tree(&footer.encode(), &FOOTER);
        assert_eq!(values(&node), plain + 4 + 3 + 7 + 1 + 3 + 2);
        assert_eq!(node.get("writer"), Some(&Node::UInt(1)));
    }

    #[test]
    fn no_truncation_or_flip_panics() {
        hostile(&footer().encode(), |bytes| {
            let limits = Limits::default();
            if let Ok(node) = decode(bytes, &FOOTER, &limits) {
                assert!(matches!(node, Node::Object(_)));
            }
        });
    }
}
