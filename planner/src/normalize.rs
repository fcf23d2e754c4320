//! Rewrites a resolved condition into the conjuncts that can be classified and judged.
//!
//! The rewrites are those of Spark 4.3's optimizer that change what is pushed, as one list: [`RULES`].
//! They run in order, again and again until nothing changes; then what the condition implies (columns
//! that must not be null) is put in front; then they run once more. No rewrite changes for which rows the
//! condition is true.

mod boolean;
mod branches;
mod compare;
mod constants;
mod fold;
mod infer;
mod lists;
pub(crate) mod shape;
mod text;
mod unwrap;

use crate::error::Result;
use crate::expr::Expr;

use shape::{ExprSet, Joint, is_boolean, is_null, rewrite};

/// A rewrite.
pub struct Rule {
    /// What it is called in an explanation.
    pub name: &'static str,
    /// What it is good for.
    pub reason: &'static str,
    step: Step,
}

/// How a rewrite is applied.
enum Step {
    /// To every node, children first.
    Node(fn(Expr) -> Expr),
    /// To the condition.
    Whole(fn(Expr) -> Result<Expr>),
}

impl Rule {
    fn for_nodes(&self) -> Option<fn(Expr) -> Expr> {
        match self.step {
            Step::Node(step) => Some(step),
            Step::Whole(_) => None,
        }
    }
}

/// More values than this make an IN list a set, which Spark prints as `INSET`.
pub const IN_SET_THRESHOLD: usize = 10;

/// All rewrites, in order.
pub const RULES: &[Rule] = &[
    node(
        "not equal",
        "`a <> b` is `NOT (a = b)`, so that one form of it is enough",
        compare::spell_out_not_equal,
    ),
    node(
        "other spellings",
        "nvl, nullif, left and right are what they stand for",
        fold::spell_out,
    ),
    node(
        "null operands",
        "a comparison with NULL is UNKNOWN for every row",
        compare::propagate_nulls,
    ),
    node(
        "null tests",
        "`(a < b) IS NULL` asks for the nulls of a and b",
        compare::push_null_tests,
    ),
    whole(
        "constant columns",
        "`a = 1 AND a < b` can be judged as `1 < b`",
        |e| Ok(constants::propagate(e)),
    ),
    node(
        "lists",
        "IN with one value is `=`; a value counts once",
        |e| lists::simplify(IN_SET_THRESHOLD, e),
    ),
    node(
        "random numbers",
        "`rand() < 2` holds for every row",
        fold::judge_random,
    ),
    whole(
        "constants",
        "what needs no row is computed before any is read",
        fold::constants,
    ),
    node("sums", "`1 + a + 2` is `a + 3`", compare::gather_constants),
    node(
        "patterns",
        "LIKE with a literal prefix can be judged by bounds",
        text::simplify,
    ),
    whole(
        "and, or, not",
        "NOT inward, common factors outward: more conjuncts to push",
        |e| Ok(boolean::simplify(e)),
    ),
    node(
        "branches",
        "IF and CASE whose outcome is known are that outcome",
        branches::simplify,
    ),
    node(
        "into branches",
        "a comparison of IF with a constant compares its branches",
        branches::push_into,
    ),
    whole("equal sides", "`a = a` only asks that a is not null", |e| {
        Ok(equal_sides(e))
    }),
    whole(
        "unknown is false",
        "a row is kept only if the condition is true",
        |e| Ok(unknown_is_false(e)),
    ),
    node(
        "idle casts",
        "a cast to the type it has already is none",
        fold::drop_idle_cast,
    ),
    node(
        "casts beside literals",
        "the literal is converted instead, once, and the bare column can be judged",
        unwrap::unwrap,
    ),
];

const fn node(name: &'static str, reason: &'static str, step: fn(Expr) -> Expr) -> Rule {
    Rule {
        name,
        reason,
        step: Step::Node(step),
    }
}

const fn whole(name: &'static str, reason: &'static str, step: fn(Expr) -> Result<Expr>) -> Rule {
    Rule {
        name,
        reason,
        step: Step::Whole(step),
    }
}

/// What is left of a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Normalized {
    /// It is true for no row.
    Never,
    /// It is true where all of these are; no conjunct: for every row.
    All(Vec<Expr>),
}

/// Rewrites a resolved condition.
///
/// # Errors
/// A constant part that cannot be computed, such as `1 / 0`.
pub fn normalize(condition: Expr) -> Result<Normalized> {
    let simplified = simplify(condition)?;
    let conjuncts = simplified.conjuncts();
    let inferred = infer::inferred(&conjuncts);
    let simplified = if inferred.is_empty() {
        simplified
    } else {
        simplify(Joint::And.chain(inferred).and(simplified))?
    };
    if is_boolean(&simplified, true) {
        return Ok(Normalized::All(Vec::new()));
    }
    if is_boolean(&simplified, false) || is_null(&simplified) {
        return Ok(Normalized::Never);
    }
    Ok(Normalized::All(
        simplified.conjuncts().into_iter().cloned().collect(),
    ))
}

/// The conjuncts without `c IS NOT NULL` where another one is true only if c is not null.
pub(crate) fn without_implied_null_tests(conjuncts: &[Expr]) -> Vec<&Expr> {
    let others: Vec<&Expr> = conjuncts
        .iter()
        .filter(|e| !matches!(e, Expr::IsNotNull(inner) if matches!(**inner, Expr::Column(_))))
        .collect();
    let implied = infer::inferred(&others);
    let implied: ExprSet = implied.iter().collect();
    conjuncts.iter().filter(|e| !implied.contains(e)).collect()
}

/// Applies all rules until nothing changes; the bound only guards against rules that undo each other.
fn simplify(mut condition: Expr) -> Result<Expr> {
    const ROUNDS: usize = 100;
    for _ in 0..ROUNDS {
        let before = condition.clone();
        // rules for nodes that follow each other share a walk
        for rules in RULES.chunk_by(|a, b| a.for_nodes().is_some() && b.for_nodes().is_some()) {
            condition = match rules {
                [
                    Rule {
                        step: Step::Whole(step),
                        ..
                    },
                ] => step(condition)?,
                rules => rewrite(condition, &mut |expr| {
                    rules
                        .iter()
                        .filter_map(Rule::for_nodes)
                        .fold(expr, |expr, step| step(expr))
                }),
            };
        }
        if condition == before {
            break;
        }
    }
    Ok(condition)
}

fn equal_sides(condition: Expr) -> Expr {
    let tested: Vec<Expr> = condition
        .conjuncts()
        .into_iter()
        .filter_map(|conjunct| match conjunct {
            Expr::IsNotNull(inner) => Some((**inner).clone()),
            _ => None,
        })
        .collect();
    let not_null: ExprSet = tested.iter().collect();
    rewrite(condition, &mut |e| compare::simplify_with(&not_null, e))
}

/// At the top, and in every condition of IF and CASE.
fn unknown_is_false(condition: Expr) -> Expr {
    let condition = rewrite(condition, &mut |e| match e {
        Expr::If {
            condition,
            then,
            otherwise,
        } => Expr::If {
            condition: Box::new(branches::unknown_is_false(*condition)),
            then,
            otherwise,
        },
        Expr::Case {
            branches,
            otherwise,
        } => Expr::Case {
            branches: branches
                .into_iter()
                .map(|(condition, value)| (branches::unknown_is_false(condition), value))
                .collect(),
            otherwise,
        },
        other => other,
    });
    branches::unknown_is_false(condition)
}
