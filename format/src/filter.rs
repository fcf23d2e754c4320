//! Conditions that can be evaluated on metadata; `judge` evaluates them.
//!
//! A [`Filter`] is written over the leaves of the table's schema. Its meaning is SQL's with three
//! values; judged against statistics of some rows it answers for all of them: [`Verdict::Never`] if no
//! row can make it true, [`Verdict::Always`] if every row does, else [`Verdict::Maybe`]. A row may fail
//! instead ([`Filter::Fallible`]). Never hides that: where one part of an AND is proven false, no row is in
//! the answer, whatever the other parts do. Always does not.

use crate::mapping::Mapping;
use crate::scalar::Scalar;
use crate::schema::LeafId;

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `=`
    Eq,
    /// `<>`
    NotEq,
    /// `<`
    Lt,
    /// `<=`
    LtEq,
    /// `>`
    Gt,
    /// `>=`
    GtEq,
}

impl CompareOp {
    /// What holds of the sides exchanged.
    pub fn flipped(self) -> CompareOp {
        match self {
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::LtEq => CompareOp::GtEq,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::GtEq => CompareOp::LtEq,
            same => same,
        }
    }
}

/// Where a literal must stand in a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Affix {
    /// At the start.
    Prefix,
    /// At the end.
    Suffix,
    /// Anywhere.
    Infix,
}

/// A condition on leaves.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Filter {
    /// The same for every row; `None` is UNKNOWN.
    Constant(Option<bool>),
    /// A leaf against a non-null literal of a comparable type.
    Compare {
        /// The left side.
        leaf: LeafId,
        /// The comparison.
        op: CompareOp,
        /// The right side.
        value: Scalar,
    },
    /// A leaf against a leaf.
    CompareLeaves {
        /// The left side.
        left: LeafId,
        /// The comparison.
        op: CompareOp,
        /// The right side.
        right: LeafId,
    },
    /// `<=>` with a non-null literal: never UNKNOWN.
    NullSafeEq {
        /// The left side.
        leaf: LeafId,
        /// The right side.
        value: Scalar,
    },
    /// SQL's IN over non-null literals.
    In {
        /// The left side.
        leaf: LeafId,
        /// The literals, without nulls.
        values: Vec<Scalar>,
        /// Whether the list also held a null: then no value makes it false.
        has_null: bool,
    },
    /// IS NULL.
    IsNull(LeafId),
    /// IS NOT NULL.
    IsNotNull(LeafId),
    /// LIKE with one run of literal bytes.
    Like {
        /// The text leaf.
        leaf: LeafId,
        /// Where.
        affix: Affix,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A condition on what a monotone function makes of a leaf's values.
    Mapped {
        /// The leaf.
        leaf: LeafId,
        /// The function.
        mapping: Mapping,
        /// The condition on its results, as on the values of that leaf; it names no other.
        inner: Box<Filter>,
    },
    /// All of them.
    And(Vec<Filter>),
    /// At least one of them.
    Or(Vec<Filter>),
    /// Not it.
    Not(Box<Filter>),
    /// Of the first condition that is true the filter beside it, of none `otherwise`.
    Case {
        /// Conditions, each with what counts where it is the first that is true.
        branches: Vec<(Filter, Filter)>,
        /// What counts where none is.
        otherwise: Box<Filter>,
    },
    /// Something that metadata cannot judge: any of the three values.
    Opaque,
    /// The same, but asking a row may also end in an error, such as an overflow. Of AND and OR only those
    /// rows are asked that the parts before leave undecided.
    Fallible,
}

/// What is known of a filter over all rows of some unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// No row makes it true: skip them.
    Never,
    /// Rows must be looked at.
    Maybe,
    /// Every row makes it true, and asking none of them fails: do not filter them.
    Always,
}

impl Filter {
    /// The leaves that it names, ascending, each once.
    pub fn leaves(&self) -> Vec<LeafId> {
        let mut out = Vec::new();
        self.collect_leaves(&mut out);
        out.sort_unstable();
        out.dedup();
        out
    }

    fn collect_leaves(&self, out: &mut Vec<LeafId>) {
        match self {
            Filter::Compare { leaf, .. }
            | Filter::NullSafeEq { leaf, .. }
            | Filter::In { leaf, .. }
            | Filter::Like { leaf, .. }
            | Filter::Mapped { leaf, .. }
            | Filter::IsNull(leaf)
            | Filter::IsNotNull(leaf) => out.push(*leaf),
            Filter::CompareLeaves { left, right, .. } => out.extend([*left, *right]),
            Filter::And(terms) | Filter::Or(terms) => {
                terms.iter().for_each(|term| term.collect_leaves(out));
            }
            Filter::Not(inner) => inner.collect_leaves(out),
            Filter::Case {
                branches,
                otherwise,
            } => {
                for (condition, then) in branches {
                    condition.collect_leaves(out);
                    then.collect_leaves(out);
                }
                otherwise.collect_leaves(out);
            }
            Filter::Constant(_) | Filter::Opaque | Filter::Fallible => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_named_once_in_order() {
        let is_null = |leaf| Filter::IsNull(LeafId(leaf));
        let filter = Filter::And(vec![
            Filter::Not(Box::new(Filter::Or(vec![is_null(7), is_null(2)]))),
            Filter::CompareLeaves {
                left: LeafId(7),
                op: CompareOp::Lt,
                right: LeafId(0),
            },
            Filter::Opaque,
        ]);
        assert_eq!(filter.leaves(), [0, 2, 7].map(LeafId));
        assert!(Filter::Constant(None).leaves().is_empty());
    }
}
