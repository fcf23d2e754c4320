//! Evaluates a [`Filter`] on statistics.
//!
//! Each node answers which of TRUE, FALSE and UNKNOWN some row may yield, and whether some row may fail
//! instead. The answer may name too many, never too few; so NOT, AND and OR compose without special cases,
//! and what statistics do not say ends as Maybe. A leaf enters as its [`Domain`]: whether it may be null,
//! NaN or a value, and between which bounds values lie. Bounds say nothing of NaN, which is above every
//! number.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::filter::{Affix, CompareOp, Filter, Verdict};
use crate::scalar::Scalar;
use crate::schema::LeafId;
use crate::stats::{Bound, ColumnStats};

impl Filter {
    /// What statistics of some rows say about all of them. `stats` answers for a leaf of the table;
    /// `None` is "nothing is known".
    pub fn judge<'a>(&self, stats: &dyn Fn(LeafId) -> Option<Cow<'a, ColumnStats>>) -> Verdict {
        self.judge_with(stats, &|_, _| false)
    }

    /// The same, where `lacks` says of a leaf and a value that no row holds it, as Bloom filters do. It may answer
    /// `false` of any value.
    pub fn judge_with<'a>(
        &self,
        stats: &dyn Fn(LeafId) -> Option<Cow<'a, ColumnStats>>,
        lacks: &dyn Fn(LeafId, &Scalar) -> bool,
    ) -> Verdict {
        let possible = self.outcomes(&Known {
            stats: &|leaf| stats(leaf).unwrap_or_default(),
            lacks,
        });
        match (
            possible.yes,
            possible.no || possible.unknown || possible.fails,
        ) {
            (false, _) => Verdict::Never,
            (true, true) => Verdict::Maybe,
            (true, false) => Verdict::Always,
        }
    }

    fn outcomes(&self, known: &Known<'_, '_>) -> Outcomes {
        match self {
            Filter::Constant(value) => Outcomes::only(*value),
            Filter::Opaque => Outcomes::any(false),
            Filter::Fallible => Outcomes::any(true),
            Filter::Not(inner) => inner.outcomes(known).not(),
            Filter::And(all) => (all.iter())
                .map(|one| one.outcomes(known))
                .fold(Outcomes::only(Some(true)), Outcomes::and),
            Filter::Or(all) => (all.iter())
                .map(|one| one.outcomes(known).not())
                .fold(Outcomes::only(Some(true)), Outcomes::and)
                .not(),
            Filter::CompareLeaves { left, op, right } => known.of(*left, |left| {
                known.of(*right, |right| compare_domains(left, *op, right))
            }),
            Filter::Compare { leaf, op, value } => known.of(*leaf, |leaf| leaf.compare(*op, value)),
            Filter::NullSafeEq { leaf, value } => known.of(*leaf, |leaf| leaf.null_safe_eq(value)),
            Filter::In {
                leaf,
                values,
                has_null,
            } => known.of(*leaf, |leaf| leaf.within(values, *has_null)),
            Filter::IsNull(leaf) => known.of(*leaf, |leaf| leaf.is_null()),
            Filter::IsNotNull(leaf) => known.of(*leaf, |leaf| leaf.is_null()).not(),
            Filter::Mapped {
                leaf,
                mapping,
                inner,
            } => {
                let stats = (known.stats)(*leaf);
                let (image, fails) = mapping.image(&stats);
                let of = |image: &ColumnStats| {
                    inner.outcomes(&Known {
                        stats: &|_| Cow::Borrowed(image),
                        lacks: &|_, _| false,
                    })
                };
                let nan = mapping.image_of_nan(&stats);
                let of_nan = nan.map_or(Outcomes::default(), |nan| of(&nan));
                let outcomes = of(&image).either(of_nan);
                Outcomes {
                    fails: outcomes.fails || fails,
                    ..outcomes
                }
            }
            Filter::Like { leaf, affix, bytes } => known.of(*leaf, |leaf| leaf.like(*affix, bytes)),
            Filter::Case {
                branches,
                otherwise,
            } => case(branches, otherwise, known),
        }
    }

    /// Of rows in which these leaves are not null.
    fn outcomes_without_nulls(&self, leaves: &[LeafId], known: &Known<'_, '_>) -> Outcomes {
        if leaves.is_empty() {
            return self.outcomes(known);
        }
        self.outcomes(&Known {
            stats: &|leaf| match (known.stats)(leaf) {
                stats if leaves.contains(&leaf) => Cow::Owned(stats.without_nulls()),
                stats => stats,
            },
            lacks: known.lacks,
        })
    }

    /// The leaf of which this only tells whether it is null, or whether it is not.
    fn tested_leaf(&self, is_null: bool) -> Option<LeafId> {
        match self {
            Filter::IsNull(leaf) => is_null.then_some(*leaf),
            Filter::IsNotNull(leaf) => (!is_null).then_some(*leaf),
            // of a null there is no other result
            Filter::Mapped { inner, .. } => inner.tested_leaf(is_null),
            _ => None,
        }
    }
}

/// Those of all branches that some row may reach. A branch behind a test for null is reached by rows that pass it.
fn case(branches: &[(Filter, Filter)], otherwise: &Filter, known: &Known<'_, '_>) -> Outcomes {
    let mut found = Outcomes::default();
    let mut not_null: Vec<LeafId> = Vec::new();
    for (condition, then) in branches {
        let met = condition.outcomes_without_nulls(&not_null, known);
        found.fails |= met.fails;
        if met.yes {
            let tested = not_null.len();
            not_null.extend(condition.tested_leaf(false));
            found = found.either(then.outcomes_without_nulls(&not_null, known));
            not_null.truncate(tested);
        }
        if !met.no && !met.unknown {
            return found;
        }
        not_null.extend(condition.tested_leaf(true));
    }
    found.either(otherwise.outcomes_without_nulls(&not_null, known))
}

/// What is known of the leaves.
struct Known<'k, 'a> {
    stats: &'k dyn Fn(LeafId) -> Cow<'a, ColumnStats>,
    lacks: &'k dyn Fn(LeafId, &Scalar) -> bool,
}

impl Known<'_, '_> {
    fn of(&self, leaf: LeafId, judge: impl FnOnce(&Domain<'_>) -> Outcomes) -> Outcomes {
        let stats = (self.stats)(leaf);
        let lacks = |value: &Scalar| (self.lacks)(leaf, value);
        judge(&Domain::new(&stats, &lacks))
    }
}

/// Which truth values some row may yield, and whether some row may fail.
#[derive(Debug, Clone, Copy, Default)]
struct Outcomes {
    yes: bool,
    no: bool,
    unknown: bool,
    fails: bool,
}

impl Outcomes {
    fn any(fails: bool) -> Self {
        Outcomes {
            yes: true,
            no: true,
            unknown: true,
            fails,
        }
    }

    fn only(value: Option<bool>) -> Self {
        Outcomes {
            yes: value == Some(true),
            no: value == Some(false),
            unknown: value.is_none(),
            fails: false,
        }
    }

    fn not(self) -> Self {
        Outcomes {
            yes: self.no,
            no: self.yes,
            ..self
        }
    }

    /// Those of some rows and those of other rows.
    fn either(self, other: Self) -> Self {
        Outcomes {
            yes: self.yes || other.yes,
            no: self.no || other.no,
            unknown: self.unknown || other.unknown,
            fails: self.fails || other.fails,
        }
    }

    /// Both, the other asked only where this is not false.
    fn and(self, other: Self) -> Self {
        let reached = self.yes || self.unknown;
        Outcomes {
            yes: self.yes && other.yes,
            no: self.no || other.no,
            unknown: self.unknown && (other.yes || other.unknown) || self.yes && other.unknown,
            fails: self.fails || reached && other.fails,
        }
    }
}

/// How values may stand to something.
#[derive(Debug, Clone, Copy)]
struct Orders {
    less: bool,
    equal: bool,
    greater: bool,
}

impl Orders {
    const NONE: Orders = Orders {
        less: false,
        equal: false,
        greater: false,
    };

    fn outcomes(self, op: CompareOp, unknown: bool) -> Outcomes {
        let Orders {
            less,
            equal,
            greater,
        } = self;
        let (yes, no) = match op {
            CompareOp::Eq => (equal, less || greater),
            CompareOp::NotEq => (less || greater, equal),
            CompareOp::Lt => (less, equal || greater),
            CompareOp::LtEq => (less || equal, greater),
            CompareOp::Gt => (greater, less || equal),
            CompareOp::GtEq => (equal || greater, less),
        };
        Outcomes {
            yes,
            no,
            unknown,
            fails: false,
        }
    }
}

/// What the slots of a leaf may hold.
struct Domain<'a> {
    null: bool,
    nan: bool,
    /// Something that is neither null nor NaN.
    value: bool,
    min: Option<&'a Bound>,
    max: Option<&'a Bound>,
    /// Whether no slot holds a value.
    lacks: &'a dyn Fn(&Scalar) -> bool,
}

impl<'a> Domain<'a> {
    fn new(stats: &'a ColumnStats, lacks: &'a dyn Fn(&Scalar) -> bool) -> Self {
        let usable =
            |bound: &'a Option<Bound>| bound.as_ref().filter(|bound| !bound.value.is_nan());
        let (mut min, mut max) = (usable(&stats.min), usable(&stats.max));
        if order(min, max) == Some(Ordering::Greater) {
            (min, max) = (None, None);
        }
        let not_float =
            |bound: &Bound| !matches!(bound.value, Scalar::Float32(_) | Scalar::Float64(_));
        let not_float = min.is_some_and(not_float) || max.is_some_and(not_float);
        let not_null = stats
            .value_count
            .zip(stats.null_count)
            .map(|(all, nulls)| all.checked_sub(nulls));
        let not_null = not_null.flatten();
        let any_not_null = not_null != Some(0);
        Domain {
            null: stats.null_count != Some(0),
            nan: any_not_null && stats.nan_count.map_or(!not_float, |nans| nans > 0),
            value: any_not_null && (stats.nan_count.is_none() || stats.nan_count != not_null),
            min,
            max,
            lacks,
        }
    }

    /// How the slots that are not null may stand to `value`.
    fn orders(&self, value: &Scalar) -> Orders {
        let to = |bound: Option<&Bound>| bound.and_then(|bound| bound.value.compare(value));
        let (min, max) = (to(self.min), to(self.max));
        let is_nan = value.is_nan();
        Orders {
            less: self.value && !min.is_some_and(Ordering::is_ge),
            equal: self.value
                && !is_nan
                && !min.is_some_and(Ordering::is_gt)
                && !max.is_some_and(Ordering::is_lt)
                || self.nan && is_nan,
            greater: self.value && !is_nan && !max.is_some_and(Ordering::is_le)
                || self.nan && !is_nan,
        }
    }

    /// Whether some slot may equal `value`. Filters are asked last, because they must be read.
    fn may_equal(&self, value: &Scalar) -> bool {
        self.orders(value).equal && (value.is_nan() || !(self.lacks)(value))
    }

    /// Whether every slot that is not null is known to equal `value`. Bounds that no row is known to hold
    /// do not prove that.
    fn is_only(&self, value: &Scalar) -> bool {
        let Orders { less, greater, .. } = self.orders(value);
        !less && !greater && (!self.value || self.exact().is_some())
    }

    /// Both bounds, where rows hold them.
    fn exact(&self) -> Option<(&Scalar, &Scalar)> {
        let exact = |bound: Option<&'a Bound>| bound.filter(|bound| bound.exact);
        Some((&exact(self.min)?.value, &exact(self.max)?.value))
    }

    fn compare(&self, op: CompareOp, value: &Scalar) -> Outcomes {
        if value.is_null() {
            return Outcomes::only(None);
        }
        let mut orders = self.orders(value);
        if let CompareOp::Eq | CompareOp::NotEq = op {
            orders.equal = self.may_equal(value);
        }
        let mut outcomes = orders.outcomes(op, self.null);
        let may_differ = self.value && !self.is_only(value);
        match op {
            CompareOp::Eq => outcomes.no |= may_differ,
            CompareOp::NotEq => outcomes.yes |= may_differ,
            _ => {}
        }
        outcomes
    }

    fn null_safe_eq(&self, value: &Scalar) -> Outcomes {
        if value.is_null() {
            return self.is_null();
        }
        let Outcomes {
            yes, no, unknown, ..
        } = self.compare(CompareOp::Eq, value);
        Outcomes {
            yes,
            no: no || unknown,
            ..Outcomes::default()
        }
    }

    fn within(&self, values: &[Scalar], has_null: bool) -> Outcomes {
        let miss = (self.value || self.nan) && !values.iter().any(|value| self.is_only(value));
        Outcomes {
            yes: values.iter().any(|value| self.may_equal(value)),
            no: miss && !has_null,
            unknown: self.null || miss && has_null,
            fails: false,
        }
    }

    fn is_null(&self) -> Outcomes {
        Outcomes {
            yes: self.null,
            no: self.value || self.nan,
            ..Outcomes::default()
        }
    }

    fn like(&self, affix: Affix, literal: &[u8]) -> Outcomes {
        let exact = self
            .exact()
            .and_then(|(min, max)| Some((min.as_bytes()?, max.as_bytes()?)));
        let (mut yes, mut no) = (self.value, self.value);
        match (exact, affix) {
            _ if literal.is_empty() => no = false,
            (Some((min, max)), _) if min == max => {
                yes &= matches(affix, min, literal);
                no &= !matches(affix, min, literal);
            }
            (_, Affix::Prefix) => {
                // what lies between two texts that start so starts so, too, whether rows hold the two or not
                no &= !self.is_within_prefix(literal);
                yes &= self.meets_prefix(literal);
            }
            _ => {}
        }
        Outcomes {
            yes,
            no,
            unknown: self.null,
            fails: false,
        }
    }

    /// Whether both bounds start with `prefix`.
    fn is_within_prefix(&self, prefix: &[u8]) -> bool {
        let starts = |bound: Option<&'a Bound>| {
            let bytes = bound.and_then(|bound| bound.value.as_bytes());
            bytes.is_some_and(|bytes| bytes.starts_with(prefix))
        };
        starts(self.min) && starts(self.max)
    }

    /// Whether some value between the bounds may start with `prefix`.
    fn meets_prefix(&self, prefix: &[u8]) -> bool {
        let bytes = |bound: Option<&'a Bound>| bound.and_then(|bound| bound.value.as_bytes());
        let below = bytes(self.max).is_some_and(|max| max < prefix);
        let above = bytes(self.min).is_some_and(|min| min > prefix && !min.starts_with(prefix));
        !below && !above
    }
}

fn matches(affix: Affix, value: &[u8], literal: &[u8]) -> bool {
    match affix {
        Affix::Prefix => value.starts_with(literal),
        Affix::Suffix => value.ends_with(literal),
        Affix::Infix => value.windows(literal.len()).any(|window| window == literal),
    }
}

fn order(a: Option<&Bound>, b: Option<&Bound>) -> Option<Ordering> {
    a?.value.compare(&b?.value)
}

fn compare_domains(left: &Domain<'_>, op: CompareOp, right: &Domain<'_>) -> Outcomes {
    let mut orders = Orders::NONE;
    if left.value && right.value {
        let lowest = order(left.min, right.max);
        let highest = order(left.max, right.min);
        orders = Orders {
            less: !lowest.is_some_and(Ordering::is_ge),
            equal: !lowest.is_some_and(Ordering::is_gt) && !highest.is_some_and(Ordering::is_lt),
            greater: !highest.is_some_and(Ordering::is_le),
        };
        if left.exact().is_none() || right.exact().is_none() {
            let settled = !orders.less && !orders.greater;
            orders.less |= settled;
            orders.greater |= settled;
        }
    }
    orders.less |= left.value && right.nan;
    orders.equal |= left.nan && right.nan;
    orders.greater |= left.nan && right.value;
    orders.outcomes(op, left.null || right.null)
}

#[cfg(test)]
mod tests;
