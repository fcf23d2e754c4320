//! Property tests of the metadata: every value of every structure round-trips; its tree is the one that an
//! independent Thrift implementation reads, and what that one writes decodes to the same value. The shapes of
//! `tree` have exactly the fields of the structures.

use std::borrow::Cow;
use std::fmt::Debug;

use quickcheck::{Arbitrary, Gen, quickcheck};
use thrift::protocol::{TCompactInputProtocol, TCompactOutputProtocol};

use crate::arbitrary::{FieldNames, cover};
use crate::limits::Limits;
use crate::parquet::encryption::FileCryptoMetaData;
use crate::parquet::footer::{FileMetaData, Footer};
use crate::parquet::index::{BloomFilterHeader, ColumnIndex, OffsetIndex};
use crate::parquet::oracle::{Struct, Value, theirs_read, theirs_write};
use crate::parquet::page::PageHeader;
use crate::parquet::thrift::{self as ours, Structure};
use crate::parquet::tree::{
    BLOOM_FILTER_HEADER, COLUMN_INDEX, FILE_CRYPTO_META_DATA, FILE_META_DATA, FieldShape, Kind,
    OFFSET_INDEX, PAGE_HEADER, Shape, decode,
};
use crate::tree::Node;

/// How many fields all structures and unions of the specification have together.
const FIELDS: usize = 176;

/// Whether a value survives encoding and decoding, and the shape knows its fields.
fn round_trips<T: Structure + PartialEq + Debug>(
    value: &T,
    shape: &'static Shape,
    met: &mut FieldNames,
) -> bool {
    let limits = Limits::default();
    let bytes = ours::encode(value);
    let (back, length) = ours::decode::<T>(&bytes, &limits).unwrap();
    assert_eq!((&back, length), (value, bytes.len()));

    let theirs = theirs_read(&mut TCompactInputProtocol::new(bytes.as_slice()));
    let (tree, length) = decode(&bytes, shape, &limits).unwrap();
    assert_eq!(length, bytes.len());
    assert_eq!(tree, node(&theirs, shape, met));

    let mut written = Vec::new();
    theirs_write(&mut TCompactOutputProtocol::new(&mut written), &theirs);
    ours::decode::<T>(&written, &limits).unwrap() == (back, written.len())
}

/// The tree of a value that the independent reader has read.
fn node(value: &Struct, shape: &'static Shape, met: &mut FieldNames) -> Node {
    let fields = value.0.iter().map(|(id, value)| {
        let known = shape.fields.iter().find(|field| field.id == *id);
        let Some(FieldShape { name, kind, .. }) = known else {
            // members of unions that no version has yet
            assert_eq!(*value, Value::Struct(Struct::default()), "{shape:?} {id}");
            let name = Cow::Owned(format!("unknown_field_{id}"));
            return (name, Node::Object(Vec::new()));
        };
        met.insert((shape.name, name));
        (Cow::Borrowed(*name), leaf(value, *kind, met))
    });
    Node::Object(fields.collect())
}

fn leaf(value: &Value, kind: Kind, met: &mut FieldNames) -> Node {
    let int = |value: i64| match kind {
        Kind::Choice(name_of) => {
            let name = i32::try_from(value).ok().and_then(name_of);
            name.map_or(Node::Int(value), Node::Name)
        }
        _ => Node::Int(value),
    };
    let binary = |value: &Vec<u8>, kind| match kind {
        Kind::Text => Node::Text(value.clone()),
        _ => Node::Bytes(value.clone()),
    };
    let (element, shape) = match kind {
        Kind::List(element @ Kind::Struct(shape)) => (*element, Some(*shape)),
        Kind::List(element) => (*element, None),
        Kind::Struct(shape) => (kind, Some(shape)),
        _ => (kind, None),
    };
    let mut list = |values: &mut dyn Iterator<Item = Value>| {
        Node::List(values.map(|value| leaf(&value, element, met)).collect())
    };
    match value {
        Value::Bool(value) => Node::Boolean(*value),
        Value::I8(value) => int((*value).into()),
        Value::I16(value) => int((*value).into()),
        Value::I32(value) => int((*value).into()),
        Value::I64(value) => int(*value),
        Value::Double(bits) => Node::Float(f64::from_bits(*bits)),
        Value::Binary(value) => binary(value, kind),
        Value::Struct(value) => node(value, shape.unwrap(), met),
        Value::Bools(values) => list(&mut values.iter().copied().map(Value::Bool)),
        Value::I32s(values) => list(&mut values.iter().copied().map(Value::I32)),
        Value::I64s(values) => list(&mut values.iter().copied().map(Value::I64)),
        Value::Binaries(values) => list(&mut values.iter().cloned().map(Value::Binary)),
        Value::Structs(values) => list(&mut values.iter().cloned().map(Value::Struct)),
    }
}

quickcheck! {
    fn footers_round_trip(footer: FileMetaData) -> bool {
        let lazy = Footer::decode(&footer.encode().into(), &Limits::default()).unwrap();
        let chunks = footer.row_groups.iter().enumerate().all(|(row_group, group)| {
            let of = |leaf| lazy.chunk(row_group, leaf).unwrap();
            (0..).map(of).zip(&group.columns).all(|(found, chunk)| found.as_ref() == Some(chunk))
        });
        chunks && lazy.whole().unwrap() == footer
            && round_trips(&footer, &FILE_META_DATA, &mut FieldNames::new())
    }

    fn crypto_metadata_round_trips(crypto: FileCryptoMetaData) -> bool {
        round_trips(&crypto, &FILE_CRYPTO_META_DATA, &mut FieldNames::new())
    }

    fn page_headers_round_trip(header: PageHeader) -> bool {
        round_trips(&header, &PAGE_HEADER, &mut FieldNames::new())
    }

    fn column_indexes_round_trip(index: ColumnIndex) -> bool {
        round_trips(&index, &COLUMN_INDEX, &mut FieldNames::new())
    }

    fn offset_indexes_round_trip(index: OffsetIndex) -> bool {
        round_trips(&index, &OFFSET_INDEX, &mut FieldNames::new())
    }

    fn bloom_filter_headers_round_trip(header: BloomFilterHeader) -> bool {
        round_trips(&header, &BLOOM_FILTER_HEADER, &mut FieldNames::new())
    }
}

/// Every field of a shape and those below it.
fn fields(shape: &'static Shape, out: &mut FieldNames) {
    for field in shape.fields {
        if !out.insert((shape.name, field.name)) {
            continue;
        }
        match field.kind {
            Kind::Struct(shape) | Kind::List(&Kind::Struct(shape)) => fields(shape, out),
            _ => {}
        }
    }
}

fn check<T: Arbitrary + Structure + PartialEq + Debug>(
    g: &mut Gen,
    shape: &'static Shape,
    met: &mut FieldNames,
) {
    assert!(round_trips(&T::arbitrary(g), shape, met));
}

#[test]
fn every_field_of_every_shape_is_written_by_a_structure() {
    let mut all = FieldNames::new();
    for shape in [
        &FILE_META_DATA,
        &FILE_CRYPTO_META_DATA,
        &PAGE_HEADER,
        &COLUMN_INDEX,
        &OFFSET_INDEX,
        &BLOOM_FILTER_HEADER,
    ] {
        fields(shape, &mut all);
    }
    assert_eq!(all.len(), FIELDS);
    cover(&all, |g, met| {
        check::<FileMetaData>(g, &FILE_META_DATA, met);
        check::<FileCryptoMetaData>(g, &FILE_CRYPTO_META_DATA, met);
        check::<PageHeader>(g, &PAGE_HEADER, met);
        check::<ColumnIndex>(g, &COLUMN_INDEX, met);
        check::<OffsetIndex>(g, &OFFSET_INDEX, met);
        check::<BloomFilterHeader>(g, &BLOOM_FILTER_HEADER, met);
    });
}
