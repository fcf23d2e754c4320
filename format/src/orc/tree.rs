//! The messages of ORC as trees of the specification's names, with exactly the fields that are written.
//!
//! ```text
//! shape = message: number, name, kind of each field        bytes + shape -> tree
//! ```
//! A field that the shape lacks, or has with another wire type, is shown as `unknown_field_N`, a list of its
//! payloads. Of a field that should be there once and is not, the last value counts, messages are merged, and
//! all occurrences are listed as `duplicates_of_NAME`. `roundtrip` tests that shapes and typed messages agree.
// spec: ORCv1.md, "File Tail"

mod shapes;

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};
use std::slice;

use crate::bytes::{Cursor, unzigzag};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::orc::budget::Budget;
use crate::orc::proto::{Field, Value, next_field};
use crate::tree::{Builder, DUPLICATES, Event, EventSink, Node, UNKNOWN_FIELD};

pub use shapes::{FOOTER, METADATA, POST_SCRIPT, ROW_INDEX, STRIPE_FOOTER};

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

    /// The known field that `field` is; none if that has another wire type.
    fn field(&self, field: &Field<'_>) -> Option<&'static FieldShape> {
        let mut shapes = self.fields.iter();
        let known = shapes.find(|shape| shape.number == field.number)?;
        known.fits(field).then_some(known)
    }
}

impl FieldShape {
    /// Whether a field is this one.
    fn is(&self, field: &Field<'_>) -> bool {
        self.number == field.number && self.fits(field)
    }

    /// Whether a field of this number has a wire type of this kind.
    fn fits(&self, field: &Field<'_>) -> bool {
        match (self.kind, field.raw()) {
            (Kind::Double, Value::Fixed64(_))
            | (Kind::Text | Kind::Bytes | Kind::Message(_), Value::Bytes(_)) => true,
            (Kind::Double | Kind::Text | Kind::Bytes | Kind::Message(_), _) => false,
            // a packed run
            (Kind::UInt | Kind::Int, Value::Bytes(_)) => self.repeated,
            (_, value) => matches!(value, Value::Varint(_)),
        }
    }
}

/// Decodes a whole message of this shape.
pub fn decode(bytes: &[u8], shape: &'static Shape, limits: &Limits) -> Result<Node> {
    let mut builder = Builder::new(Budget::new(bytes, bytes.len(), limits).left());
    let bytes = (bytes, bytes.len());
    emit(bytes, shape, limits, &mut |event| builder.add(event))?;
    Ok(builder.finish())
}

/// Decodes a whole message of this shape, for which the file has `stored` bytes, and passes its parts to `to`: known
/// fields in the order in which they are first met, unknown ones behind them by their numbers. Parts before an
/// error are passed, too.
pub fn emit(
    (bytes, stored): (&[u8], usize),
    shape: &'static Shape,
    limits: &Limits,
    to: &mut EventSink<'_>,
) -> Result<()> {
    let budget = Budget::new(bytes, stored, limits);
    let mut walk = Walk {
        bytes,
        budget: &budget,
        to,
    };
    walk.message(slice::from_ref(&(0..bytes.len())), shape)
}

/// The state of a decoding. Known fields are not stored, but found again by their places in `bytes`. Only the places
/// of unknown fields, and of messages that are merged, take memory.
struct Walk<'a, 't> {
    bytes: &'a [u8],
    budget: &'a Budget,
    to: &'a mut EventSink<'t>,
}

/// The occurrences of a known field in a message.
struct KnownField {
    shape: &'static FieldShape,
    count: usize,
    /// From the first to the last one.
    places: RangeInclusive<usize>,
}

impl<'a> Walk<'a, '_> {
    /// Passes on the message that is encoded in these parts one after the other.
    fn message(&mut self, parts: &[Range<usize>], shape: &'static Shape) -> Result<()> {
        let (mut met, mut unknown) = (Vec::new(), Vec::new());
        self.each_field(
            parts,
            &(0..=usize::MAX),
            shape.name,
            |walk, place, field| {
                match shape.field(&field) {
                    Some(known) => count(&mut met, known, place),
                    None => walk.budget.push(&mut unknown, (field.number, place))?,
                }
                Ok(())
            },
        )?;
        (self.to)(Event::BeginObject)?;
        for met in met {
            self.known(parts, &met, shape)?;
        }
        self.unknown(&mut unknown)?;
        self.budget.give_back::<(u32, usize)>(unknown.capacity());
        (self.to)(Event::EndObject)
    }

    /// Passes the fields of `parts` that begin at one of `places` to `accept`, each with the place.
    fn each_field(
        &mut self,
        parts: &[Range<usize>],
        places: &RangeInclusive<usize>,
        name: &'static str,
        mut accept: impl FnMut(&mut Self, usize, Field<'a>) -> Result<()>,
    ) -> Result<()> {
        for part in parts {
            let start = part.start.max(*places.start());
            let bytes = self.bytes.get(start..part.end).unwrap_or_default();
            let mut cursor = Cursor::new(bytes);
            while !cursor.is_empty() {
                let place = start + cursor.position();
                if place > *places.end() {
                    return Ok(());
                }
                let field = next_field(&mut cursor, start, self.budget)
                    .map_err(|error| error.at(name, place as u64))?;
                accept(self, place, field)?;
            }
        }
        Ok(())
    }

    /// Passes on a known field.
    fn known(
        &mut self,
        parts: &[Range<usize>],
        met: &KnownField,
        shape: &'static Shape,
    ) -> Result<()> {
        (self.to)(Event::Field(Cow::Borrowed(met.shape.name)))?;
        if met.shape.repeated {
            return self.list(parts, met, shape);
        }
        match met.shape.kind {
            Kind::Message(inner) if met.count > 1 => {
                let mut places = Vec::new();
                self.each_field(parts, &met.places, shape.name, |walk, _, field| {
                    match met.shape.is(&field) {
                        true => walk.budget.push(&mut places, field.place()),
                        false => Ok(()),
                    }
                })?;
                self.message(&places, inner)?;
                self.budget.give_back::<Range<usize>>(places.capacity());
            }
            _ => {
                let last = *met.places.end();
                self.each_field(parts, &(last..=last), shape.name, |walk, place, field| {
                    walk.value(&field, met.shape, (shape.name, place))
                })?;
            }
        }
        if met.count > 1 {
            let name = format!("{DUPLICATES}{}", met.shape.name);
            (self.to)(Event::Field(Cow::Owned(name)))?;
            self.list(parts, met, shape)?;
        }
        Ok(())
    }

    /// Passes on all occurrences of a field.
    fn list(
        &mut self,
        parts: &[Range<usize>],
        met: &KnownField,
        shape: &'static Shape,
    ) -> Result<()> {
        (self.to)(Event::BeginList)?;
        self.each_field(
            parts,
            &met.places,
            shape.name,
            |walk, place, field| match met.shape.is(&field) {
                true => walk.value(&field, met.shape, (shape.name, place)),
                false => Ok(()),
            },
        )?;
        (self.to)(Event::EndList)
    }

    /// Passes on what one occurrence of a field holds; `site` is its message and its place.
    fn value(
        &mut self,
        field: &Field<'a>,
        shape: &'static FieldShape,
        site: (&'static str, usize),
    ) -> Result<()> {
        match (shape.kind, field.raw()) {
            (Kind::Message(inner), _) => self.message(slice::from_ref(&field.place()), inner),
            (Kind::Text, Value::Bytes(text)) => (self.to)(Event::Text(text)),
            (Kind::UInt | Kind::Int, Value::Bytes(packed)) => {
                let mut cursor = Cursor::new(packed);
                while !cursor.is_empty() {
                    let number = cursor.varint().map_err(|error| {
                        Error::new(error.kind(), error.message().to_owned())
                            .at(site.0, site.1 as u64)
                    })?;
                    (self.to)(Event::Value(number_of(shape.kind, number)))?;
                }
                Ok(())
            }
            (kind, Value::Varint(number)) => (self.to)(Event::Value(number_of(kind, number))),
            (Kind::Double, Value::Fixed64(bits)) => {
                (self.to)(Event::Value(Node::Float(f64::from_bits(bits))))
            }
            (_, value) => self.raw(value),
        }
    }

    /// Passes on unknown fields, each with a list of its payloads.
    fn unknown(&mut self, fields: &mut [(u32, usize)]) -> Result<()> {
        fields.sort_unstable();
        for same in fields.chunk_by(|one, next| one.0 == next.0) {
            let number = same.first().map_or(0, |(number, _)| *number);
            (self.to)(Event::Field(Cow::Owned(format!("{UNKNOWN_FIELD}{number}"))))?;
            (self.to)(Event::BeginList)?;
            for (_, place) in same {
                let bytes = self.bytes.get(*place..).unwrap_or_default();
                let field = next_field(&mut Cursor::new(bytes), *place, self.budget)?;
                self.raw(field.raw())?;
            }
            (self.to)(Event::EndList)?;
        }
        Ok(())
    }

    /// Passes on a payload of which only the wire type is known.
    fn raw(&mut self, value: Value<'_>) -> Result<()> {
        (self.to)(match value {
            Value::Varint(value) | Value::Fixed64(value) => Event::Value(Node::UInt(value)),
            Value::Fixed32(value) => Event::Value(Node::UInt(value.into())),
            Value::Bytes(bytes) | Value::Group(bytes) => Event::Bytes(bytes),
        })
    }
}

/// Counts an occurrence of a known field.
fn count(met: &mut Vec<KnownField>, shape: &'static FieldShape, place: usize) {
    let same = |met: &&mut KnownField| met.shape.number == shape.number;
    match met.iter_mut().find(same) {
        Some(met) => {
            met.count += 1;
            met.places = *met.places.start()..=place;
        }
        None => met.push(KnownField {
            shape,
            count: 1,
            places: place..=place,
        }),
    }
}

/// The value of a varint.
fn number_of(kind: Kind, number: u64) -> Node {
    match kind {
        Kind::Int => Node::Int(number as i64),
        Kind::SInt => Node::Int(unzigzag(number)),
        Kind::Boolean => Node::Boolean(number != 0),
        Kind::Choice(name_of) => {
            let number = number as i64;
            let name = i32::try_from(number).ok().and_then(name_of);
            name.map_or(Node::Int(number), Node::Name)
        }
        _ => Node::UInt(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::put_varint;
    use crate::error::ErrorKind;
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

    #[test]
    fn fields_of_another_wire_type_are_unknown() {
        // 1 as bytes, then as a number; 4, which may be packed, as 32 bits; 8000 as a group of one number
        let mut bytes = vec![0x0a, 1, 7, 8, 5, 0x25, 1, 0, 0, 0];
        bytes.extend([0x83, 0xf4, 3, 8, 1, 0x84, 0xf4, 3]);
        let node = tree(&bytes, &POST_SCRIPT);
        let bytes = |bytes: &[u8]| Node::List(vec![Node::Bytes(bytes.to_vec())]);
        let expected = [
            ("footer_length", Node::UInt(5)),
            ("unknown_field_1", bytes(&[7])),
            ("unknown_field_4", Node::List(vec![Node::UInt(1)])),
            ("unknown_field_8000", bytes(&[8, 1])),
        ];
        let fields = expected.map(|(name, node)| (name.into(), node));
        assert_eq!(node, Node::Object(fields.to_vec()));
    }

    #[test]
    fn fields_that_are_there_twice_are_merged_and_listed() {
        let object = |fields: Vec<(&'static str, Node)>| {
            let fields = fields.into_iter();
            Node::Object(fields.map(|(name, node)| (name.into(), node)).collect())
        };
        let node = tree(&[8, 5, 0x30, 9, 8, 6], &POST_SCRIPT);
        let both = Node::List(vec![Node::UInt(5), Node::UInt(6)]);
        let expected = vec![
            ("footer_length", Node::UInt(6)),
            ("duplicates_of_footer_length", both),
            ("writer_version", Node::UInt(9)),
        ];
        assert_eq!(node, object(expected));

        // an entry: a position, { 1: 3, 2: { 1: 1, 2: 100 } }, { 2: { 1: -4 } }, another position, { 10: 1 }
        let integers = [0x12, 11, 8, 3, 0x12, 7, 8, 2, 0x10, 0xc8, 1, 0x18, 0];
        let mut entry = [&[8, 1][..], &integers].concat();
        entry.extend([0x12, 4, 0x12, 2, 8, 7, 0x0a, 1, 2, 0x12, 2, 0x50, 1]);
        let index = [&[10, entry.len() as u8][..], &entry].concat();
        let node = tree(&index, &ROW_INDEX);
        let entry = &node.list("entry")[0];
        assert_eq!(entry.list("positions"), [1, 2].map(Node::UInt));
        let merged = entry.get("statistics").unwrap();
        let integers = merged.get("int_statistics").unwrap();
        let bounds = ["minimum", "maximum", "sum"].map(|name| integers.int(name));
        assert_eq!(bounds, [Some(-4), Some(100), Some(0)]);
        assert_eq!(merged.get("has_null"), Some(&Node::Boolean(true)));
        assert_eq!(merged.list("duplicates_of_int_statistics").len(), 2);
        let all = entry.list("duplicates_of_statistics");
        let counts = [0, 1, 2].map(|at| all[at].get("number_of_values").is_some());
        assert_eq!((all.len(), counts), (3, [true, false, false]));
        let second = all[1].get("int_statistics").unwrap();
        assert_eq!(*second, object(vec![("minimum", Node::Int(-4))]));
        let typed = RowIndex::decode(&index, &Limits::default()).unwrap();
        assert_eq!(typed.entry[0].positions, [1, 2]);
    }

    #[test]
    fn much_of_nothing_takes_no_memory_part_by_part() {
        // entries of nothing: much larger as a tree
        let bytes = [10, 0].repeat(1 << 20);
        let limits = Limits::default();
        let kind = decode(&bytes, &ROW_INDEX, &limits).map_err(|error| error.kind());
        assert_eq!(kind, Err(ErrorKind::LimitExceeded));
        let mut events = 0;
        let emitted = emit((&bytes, 9), &ROW_INDEX, &limits, &mut |_| {
            events += 1;
            Ok(())
        });
        assert!(emitted.is_ok());
        assert_eq!(events, 5 + 2 * (1 << 20));
        // the places of unknown fields are held, but not longer than their message
        let entry = [&[10, 132, 2][..], &[0x78, 1].repeat(130)].concat();
        let unknown = entry.repeat(20_000);
        assert!(emit((&unknown, 9), &ROW_INDEX, &limits, &mut |_| Ok(())).is_ok());
        let unknown = [0x78, 1].repeat(5 << 20);
        let emitted = emit((&unknown, 9), &ROW_INDEX, &limits, &mut |_| Ok(()));
        assert_eq!(emitted.unwrap_err().kind(), ErrorKind::LimitExceeded);
        // and so are those of messages that are merged
        let entry = [0x12, 0].repeat(5 << 20);
        let mut merged = vec![10];
        put_varint(&mut merged, entry.len() as u64);
        merged.extend(entry);
        let emitted = emit((&merged, 9), &ROW_INDEX, &limits, &mut |_| Ok(()));
        assert_eq!(emitted.unwrap_err().kind(), ErrorKind::LimitExceeded);
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
