//! Why a condition is true for no row, whatever files hold: a part of it that never is, or two that exclude each other.
//!
//! ```text
//! b AND 1 = 0              1 = 0
//! a > 5 AND b AND a < 3    a > 5, a < 3
//! a IN (1, 2) AND a >= 7   a IN (1, 2), a >= 7
//! ```
//! Values of a column are taken to be ordered, NaN above all others, as comparisons have them.

use std::cmp::Ordering;
use std::collections::HashMap;

use lith_format::filter::CompareOp;
use lith_format::scalar::Scalar;
use lith_format::scan::TableSchema;
use lith_format::schema::LeafId;

use crate::expr::{Column, Expr};
use crate::normalize::shape::is_null;
use crate::normalize::{Normalized, normalize};
use crate::pushdown::leaf_of;

/// Of more conditions than this, not every pair is tried.
const TRIED: usize = 40;

/// Of a resolved condition and what became of it: the conditions that are enough to know that no row is wanted.
pub(crate) fn of(
    condition: Option<&Expr>,
    normalized: &Normalized,
    table: &TableSchema,
) -> Vec<Expr> {
    match normalized {
        Normalized::Never => condition.map_or_else(Vec::new, |expr| reason(expr, table)),
        Normalized::All(conjuncts) => {
            let pair = excluding(&conjuncts.iter().collect::<Vec<_>>(), table);
            pair.map_or_else(Vec::new, |pair| pair.map(Expr::clone).to_vec())
        }
    }
}

/// Which conditions of a resolved one that is never true are enough for that: one, or two.
fn reason(condition: &Expr, table: &TableSchema) -> Vec<Expr> {
    let written = condition.conjuncts();
    let is_never = |expr: &Expr| matches!(normalize(expr.clone()), Ok(Normalized::Never));
    if let Some(alone) = written.iter().find(|expr| is_never(expr)) {
        return vec![(*alone).clone()];
    }
    if let Some(pair) = excluding(&written, table) {
        return pair.map(Expr::clone).to_vec();
    }
    let tried = &written[..written.len().min(TRIED)];
    for (at, second) in tried.iter().enumerate() {
        for first in &tried[..at] {
            if is_never(&(*first).clone().and((*second).clone())) {
                return vec![(*first).clone(), (*second).clone()];
            }
        }
    }
    vec![condition.clone()]
}

/// Two of the conditions that no value of a column meets both.
fn excluding<'a>(conjuncts: &[&'a Expr], table: &TableSchema) -> Option<[&'a Expr; 2]> {
    let mut known: HashMap<LeafId, Values<'a>> = HashMap::new();
    for conjunct in conjuncts {
        let Some((column, test)) = test(conjunct) else {
            continue;
        };
        let Some(leaf) = leaf_of(column, table) else {
            continue;
        };
        let values = known.entry(leaf).or_default();
        if let Some(other) = values.add(test, conjunct) {
            return Some([other, conjunct]);
        }
    }
    None
}

/// What a condition demands of a column's values.
enum Test<'a> {
    IsNull,
    IsNotNull,
    Compare(CompareOp, &'a Scalar),
    In(Vec<&'a Scalar>),
}

fn test(conjunct: &Expr) -> Option<(&Column, Test<'_>)> {
    let (column, test) = match conjunct {
        Expr::Compare { op, left, right } => match (&**left, &**right) {
            (Expr::Column(column), Expr::Literal(value, _)) => (column, Test::Compare(*op, value)),
            (Expr::Literal(value, _), Expr::Column(column)) => {
                (column, Test::Compare(op.flipped(), value))
            }
            _ => return None,
        },
        Expr::NullSafeEq(left, right) => match (&**left, &**right) {
            (Expr::Column(column), Expr::Literal(value, _))
            | (Expr::Literal(value, _), Expr::Column(column)) => {
                (column, Test::Compare(CompareOp::Eq, value))
            }
            _ => return None,
        },
        Expr::IsNull(inner) | Expr::IsNotNull(inner) => match (conjunct, &**inner) {
            (Expr::IsNull(_), Expr::Column(column)) => (column, Test::IsNull),
            (_, Expr::Column(column)) => (column, Test::IsNotNull),
            _ => return None,
        },
        Expr::In { expr, list, .. } => {
            let Expr::Column(column) = &**expr else {
                return None;
            };
            let known = list.iter().filter(|item| !is_null(item));
            let values = known.map(|item| match item {
                Expr::Literal(value, _) => Some(value),
                _ => None,
            });
            (column, Test::In(values.collect::<Option<_>>()?))
        }
        _ => return None,
    };
    let of_null = matches!(&test, Test::Compare(_, value) if value.is_null());
    (!of_null).then_some((column, test))
}

/// Which values of a column are left, and what left them.
#[derive(Default)]
struct Values<'a> {
    null: Option<&'a Expr>,
    known: Option<&'a Expr>,
    low: Option<Limit<'a>>,
    high: Option<Limit<'a>>,
    list: Option<(Vec<&'a Scalar>, &'a Expr)>,
}

#[derive(Clone, Copy)]
struct Limit<'a> {
    value: &'a Scalar,
    /// Whether the value itself is left.
    included: bool,
    set_by: &'a Expr,
}

impl<'a> Values<'a> {
    /// Leaves what passes, too; the condition that leaves no value together with this one, if there is one.
    fn add(&mut self, test: Test<'a>, set_by: &'a Expr) -> Option<&'a Expr> {
        match test {
            Test::IsNull => _ = self.null.get_or_insert(set_by),
            _ => _ = self.known.get_or_insert(set_by),
        }
        match test {
            Test::IsNull | Test::IsNotNull => {}
            Test::Compare(op, value) => {
                let limit = |included| Limit {
                    value,
                    included,
                    set_by,
                };
                match op {
                    CompareOp::Eq => {
                        narrow(&mut self.low, limit(true), Ordering::Greater);
                        narrow(&mut self.high, limit(true), Ordering::Less);
                    }
                    CompareOp::Gt => narrow(&mut self.low, limit(false), Ordering::Greater),
                    CompareOp::GtEq => narrow(&mut self.low, limit(true), Ordering::Greater),
                    CompareOp::Lt => narrow(&mut self.high, limit(false), Ordering::Less),
                    CompareOp::LtEq => narrow(&mut self.high, limit(true), Ordering::Less),
                    CompareOp::NotEq => {}
                }
            }
            Test::In(values) => self.list = self.list.take().or(Some((values, set_by))),
        }
        let null = self.null.zip(self.known).map(|(a, b)| [a, b]);
        let others = [null, self.crossed(), self.unlisted()];
        let mut pairs = others.into_iter().flatten();
        pairs.find_map(
            |[a, b]| match (std::ptr::eq(a, set_by), std::ptr::eq(b, set_by)) {
                (true, false) => Some(b),
                (false, true) => Some(a),
                _ => None,
            },
        )
    }

    /// The limits that leave nothing between them.
    fn crossed(&self) -> Option<[&'a Expr; 2]> {
        let (low, high) = (self.low?, self.high?);
        let crossed = match low.value.compare(high.value)? {
            Ordering::Greater => true,
            Ordering::Equal => !low.included || !high.included,
            // between two neighbours of whole numbers there is none
            Ordering::Less => match (low.value, high.value) {
                (Scalar::Int(a), Scalar::Int(b)) => {
                    !low.included && !high.included && a.checked_add(1) == Some(*b)
                }
                _ => false,
            },
        };
        crossed.then_some([low.set_by, high.set_by])
    }

    /// The list and a limit that leaves none of its values.
    fn unlisted(&self) -> Option<[&'a Expr; 2]> {
        let (values, listed_by) = self.list.as_ref()?;
        let beyond = |limit: Limit<'a>, outer| {
            let is_beyond = |value: &&Scalar| match value.compare(limit.value) {
                Some(Ordering::Equal) => !limit.included,
                Some(order) => order == outer,
                None => false,
            };
            values
                .iter()
                .all(is_beyond)
                .then_some([*listed_by, limit.set_by])
        };
        let below = self.low.and_then(|low| beyond(low, Ordering::Less));
        below.or_else(|| beyond(self.high?, Ordering::Greater))
    }
}

/// Takes the limit if it leaves less; `inner` is how its value then stands to that of the old one.
fn narrow<'a>(limit: &mut Option<Limit<'a>>, new: Limit<'a>, inner: Ordering) {
    let leaves_less = match limit {
        None => true,
        Some(old) => match new.value.compare(old.value) {
            Some(Ordering::Equal) => old.included && !new.included,
            order => order == Some(inner),
        },
    };
    if leaves_less {
        *limit = Some(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ansi::EvalMode;
    use crate::ddl::parse_columns;
    use crate::resolve::resolve_condition;
    use crate::sql;

    fn table() -> TableSchema {
        let columns = parse_columns("a int, b boolean, f double, s string").unwrap();
        TableSchema::of_file(columns.into())
    }

    fn resolved(text: &str) -> Expr {
        resolve_condition(sql::parse(text).unwrap(), &table(), EvalMode::Ansi).unwrap()
    }

    #[test]
    fn conditions_that_exclude_each_other_are_found() {
        let found = |text: &str| {
            let condition = resolved(text);
            let pair = excluding(&condition.conjuncts(), &table())?;
            Some(pair.map(Expr::sql).join(" "))
        };
        for (text, pair) in [
            ("a > 5 AND b AND a < 3", Some("(a > 5) (a < 3)")),
            ("a > 0 AND a = 7 AND a > 7", Some("(a = 7) (a > 7)")),
            ("a > 7 AND a < 8", Some("(a > 7) (a < 8)")),
            ("f > 7 AND f < 8", None),
            ("a >= 7 AND a <= 7", None),
            ("a >= 7 AND a < 7", Some("(a >= 7) (a < 7)")),
            ("a IN (1, 2) AND a >= 7", Some("(a IN (1, 2)) (a >= 7)")),
            ("a IN (1, 9) AND a >= 7", None),
            ("a < 1 AND a IN (1, 9)", Some("(a < 1) (a IN (1, 9))")),
            ("a <=> 3 AND a > 3", Some("(a <=> 3) (a > 3)")),
            ("s = 'x' AND s < 'w'", Some("(s = 'x') (s < 'w')")),
            // NaN is above all
            ("f > 1e300D AND f > 5", None),
            ("f = double('NaN') AND f < 5", None),
            ("f >= 6 AND f < 5", Some("(f >= 6.0D) (f < 5.0D)")),
            ("s IS NULL AND b AND s = 'x'", Some("(s IS NULL) (s = 'x')")),
            (
                "a > 1 AND s > 'x' AND a IS NULL",
                Some("(a > 1) (a IS NULL)"),
            ),
            // other columns, other joints
            ("a > 5 AND f < 3", None),
            ("a > 5 OR a < 3", None),
            ("a <> 5 AND a = NULL", None),
        ] {
            assert_eq!(found(text).as_deref(), pair, "{text}");
        }
    }

    #[test]
    fn a_condition_that_is_never_true_has_a_reason() {
        let found = |text: &str| {
            let texts = reason(&resolved(text), &table())
                .into_iter()
                .map(|expr| expr.sql());
            texts.collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            ("b AND 1 = 0", "(1 = 0)"),
            ("b AND a = 1 AND s = 'x' AND a = 2", "(a = 1) (a = 2)"),
            ("a = NULL AND b", "(a = CAST(NULL AS INT))"),
            ("b AND s IS NULL AND s = 'x'", "(s IS NULL) (s = 'x')"),
            (
                "a = 1 AND s = 'x' AND NOT (s = 'x')",
                "(s = 'x') (NOT (s = 'x'))",
            ),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
