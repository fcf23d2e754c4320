//! Messages and shapes are held to each other: any value of any message encodes and decodes to itself, and the
//! shapes know every field of it. No shape has a field that no message writes.

use std::collections::BTreeSet;
use std::fmt::Debug;

use quickcheck::{Arbitrary, Gen, quickcheck};

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

/// Names of messages and fields, as they are met.
type Met = BTreeSet<(&'static str, &'static str)>;

/// All that is promised of a value and its bytes.
fn is_held<M: Message + PartialEq + Debug>(
    value: &M,
    shape: &'static Shape,
    met: &mut Met,
) -> bool {
    let limits = Limits::default();
    let bytes = value.encode();
    meet(&decode(&bytes, shape, &limits).unwrap(), shape, met);
    M::decode(&bytes, &limits).unwrap() == *value
}

/// Takes note of the fields of a tree, all of which the shape must have.
fn meet(node: &Node, shape: &'static Shape, met: &mut Met) {
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
    fn postscripts_are_held(postscript: PostScript) -> bool {
        is_held(&postscript, &POST_SCRIPT, &mut Met::new())
    }

    fn footers_are_held(footer: Footer) -> bool {
        is_held(&footer, &FOOTER, &mut Met::new())
    }

    fn metadata_is_held(metadata: Metadata) -> bool {
        is_held(&metadata, &METADATA, &mut Met::new())
    }

    fn stripe_footers_are_held(footer: StripeFooter) -> bool {
        is_held(&footer, &STRIPE_FOOTER, &mut Met::new())
    }

    fn row_indexes_are_held(index: RowIndex) -> bool {
        is_held(&index, &ROW_INDEX, &mut Met::new())
    }

    fn bloom_filters_round_trip(index: BloomFilterIndex) -> bool {
        BloomFilterIndex::decode(&index.encode(), &Limits::default()).unwrap() == index
    }
}

/// Every field of a shape and those below it.
fn fields(shape: &'static Shape, out: &mut Met) {
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
    met: &mut Met,
) {
    assert!(is_held(&M::arbitrary(g), shape, met));
}

#[test]
fn every_field_of_every_shape_is_written_by_a_message() {
    let mut all = Met::new();
    for shape in [&POST_SCRIPT, &FOOTER, &METADATA, &STRIPE_FOOTER, &ROW_INDEX] {
        fields(shape, &mut all);
    }
    assert_eq!(all.len(), FIELDS);
    let (mut g, mut met) = (Gen::new(100), Met::new());
    for _ in 0..10_000 {
        if met == all {
            return;
        }
        check::<PostScript>(&mut g, &POST_SCRIPT, &mut met);
        check::<Footer>(&mut g, &FOOTER, &mut met);
        check::<Metadata>(&mut g, &METADATA, &mut met);
        check::<StripeFooter>(&mut g, &STRIPE_FOOTER, &mut met);
        check::<RowIndex>(&mut g, &ROW_INDEX, &mut met);
    }
    let missing: Vec<_> = all.difference(&met).collect();
    panic!("no message writes {missing:?}");
}
