//! Property tests of the metadata: every value of every message round-trips, and the shapes of `tree` have
//! exactly the fields of the messages.

use std::fmt::Debug;

use quickcheck::{Arbitrary, Gen, quickcheck};

use crate::arbitrary::{FieldNames, cover};
use crate::limits::Limits;
use crate::orc::footer::{Footer, Metadata};
use crate::orc::index::{BloomFilterIndex, RowIndex};
use crate::orc::proto::Message;
use crate::orc::stripe::StripeFooter;
use crate::orc::tail::PostScript;
use crate::orc::tree::{
    FOOTER, Kind, METADATA, POST_SCRIPT, ROW_INDEX, STRIPE_FOOTER, Shape, decode,
};
use crate::tree::Node;

/// How many fields the messages of the specification have together: all but the contents of Bloom filters,
/// of what is encrypted, and of what is kept outside of files.
const FIELDS: usize = 122;

/// Whether a value survives encoding and decoding, and the shape knows its fields.
fn round_trips<M: Message + PartialEq + Debug>(
    value: &M,
    shape: &'static Shape,
    met: &mut FieldNames,
) -> bool {
    let limits = Limits::default();
    let bytes = value.encode();
    meet(&decode(&bytes, shape, &limits).unwrap(), shape, met);
    M::decode(&bytes, &limits).unwrap() == *value
}

/// Adds the fields of a tree to `met`; the shape must have all of them.
fn meet(node: &Node, shape: &'static Shape, met: &mut FieldNames) {
    let Node::Object(fields) = node else {
        panic!("{} is {node:?}", shape.name)
    };
    for (name, value) in fields {
        let known = shape.fields.iter().find(|field| field.name == *name);
        let field = known.unwrap_or_else(|| panic!("{} has no {name}", shape.name));
        met.insert((shape.name, field.name));
        match (field.kind, value) {
            (Kind::Message(shape), Node::List(list)) => {
                list.iter().for_each(|node| meet(node, shape, met));
            }
            (Kind::Message(shape), node) => meet(node, shape, met),
            _ => {}
        }
    }
}

quickcheck! {
    fn postscripts_round_trip(postscript: PostScript) -> bool {
        round_trips(&postscript, &POST_SCRIPT, &mut FieldNames::new())
    }

    fn footers_round_trip(footer: Footer) -> bool {
        round_trips(&footer, &FOOTER, &mut FieldNames::new())
    }

    fn metadata_round_trips(metadata: Metadata) -> bool {
        round_trips(&metadata, &METADATA, &mut FieldNames::new())
    }

    fn stripe_footers_round_trip(footer: StripeFooter) -> bool {
        round_trips(&footer, &STRIPE_FOOTER, &mut FieldNames::new())
    }

    fn row_indexes_round_trip(index: RowIndex) -> bool {
        round_trips(&index, &ROW_INDEX, &mut FieldNames::new())
    }

    fn bloom_filters_round_trip(index: BloomFilterIndex) -> bool {
        BloomFilterIndex::decode(&index.encode(), &Limits::default()).unwrap() == index
    }
}

/// Every field of a shape and those below it.
fn fields(shape: &'static Shape, out: &mut FieldNames) {
    for field in shape.fields {
        if out.insert((shape.name, field.name))
            && let Kind::Message(shape) = field.kind
        {
            fields(shape, out);
        }
    }
}

fn check<M: Arbitrary + Message + PartialEq + Debug>(
    g: &mut Gen,
    shape: &'static Shape,
    met: &mut FieldNames,
) {
    assert!(round_trips(&M::arbitrary(g), shape, met));
}

#[test]
fn every_field_of_every_shape_is_written_by_a_message() {
    let mut all = FieldNames::new();
    for shape in [&POST_SCRIPT, &FOOTER, &METADATA, &STRIPE_FOOTER, &ROW_INDEX] {
        fields(shape, &mut all);
    }
    assert_eq!(all.len(), FIELDS);
    cover(&all, |g, met| {
        check::<PostScript>(g, &POST_SCRIPT, met);
        check::<Footer>(g, &FOOTER, met);
        check::<Metadata>(g, &METADATA, met);
        check::<StripeFooter>(g, &STRIPE_FOOTER, met);
        check::<RowIndex>(g, &ROW_INDEX, met);
    });
}
