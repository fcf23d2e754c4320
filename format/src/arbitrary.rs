//! Arbitrary metadata for property tests: the parts of structures that both formats have, and a loop that
//! generates values until every field of a specification has occurred.

use std::collections::BTreeSet;

use quickcheck::{Arbitrary, Gen};

/// An arbitrary value.
pub(crate) fn any<T: Arbitrary>(g: &mut Gen) -> T {
    T::arbitrary(g)
}

/// A value of `make`, or none.
pub(crate) fn maybe<T>(g: &mut Gen, make: impl FnOnce(&mut Gen) -> T) -> Option<T> {
    bool::arbitrary(g).then(|| make(g))
}

/// An arbitrary number but NaN, which is unequal to itself.
pub(crate) fn number(g: &mut Gen) -> f64 {
    let value = f64::arbitrary(g);
    if value.is_nan() { 0.5 } else { value }
}

/// Implements `Arbitrary` for enums of the specification: a known member, or any number.
macro_rules! choices {
    ($($name:ident)+) => {
        $(impl Arbitrary for $name {
            fn arbitrary(g: &mut Gen) -> Self {
                match bool::arbitrary(g) {
                    true => *g.choose($name::ALL).expect("each has values"),
                    false => $name::from_id(i32::arbitrary(g)),
                }
            }
        })+
    };
}

pub(crate) use choices;

/// Names of structures with names of their fields.
pub(crate) type FieldNames = BTreeSet<(&'static str, &'static str)>;

/// Lets `generate` make values, and add the fields that these have, until all of `all` have occurred.
pub(crate) fn cover(all: &FieldNames, mut generate: impl FnMut(&mut Gen, &mut FieldNames)) {
    let (mut g, mut met) = (Gen::new(100), FieldNames::new());
    for _ in 0..10_000 {
        if met == *all {
            return;
        }
        generate(&mut g, &mut met);
    }
    let missing: Vec<_> = all.difference(&met).collect();
    panic!("no value has {missing:?}");
}
