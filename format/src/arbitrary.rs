//! How tests make any value of metadata: what the structures of both formats are made of.

use quickcheck::{Arbitrary, Gen};

/// A value of whatever type is asked for.
pub(crate) fn any<T: Arbitrary>(g: &mut Gen) -> T {
    T::arbitrary(g)
}

/// What `make` makes, or nothing.
pub(crate) fn maybe<T>(g: &mut Gen, make: impl FnOnce(&mut Gen) -> T) -> Option<T> {
    bool::arbitrary(g).then(|| make(g))
}

/// Any number that equals itself.
pub(crate) fn number(g: &mut Gen) -> f64 {
    let value = f64::arbitrary(g);
    if value.is_nan() { 0.5 } else { value }
}

/// Values of numbered choices: a known one, or any number.
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
