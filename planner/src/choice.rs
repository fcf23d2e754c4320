//! Expressions that choose between values: a condition on what they choose is a choice between conditions, which may be
//! judged by bounds where the condition as written may not.
//!
//! ```text
//! abs(x) < 5             CASE WHEN x < 0 THEN -x < 5 ELSE x < 5 END
//! coalesce(x, 0) > 3     CASE WHEN x IS NOT NULL THEN x > 3 ELSE 0 > 3 END
//! greatest(x, 7) = 9     CASE WHEN x IS NULL THEN 7 = 9 WHEN x < 7 THEN 7 = 9 ELSE x = 9 END
//! if(c, x, 'a') = 'b'    CASE WHEN c THEN x = 'b' ELSE 'a' = 'b' END
//! ```

use lith_format::filter::CompareOp;
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType as T;

use crate::expr::Expr;
use crate::normalize::shape::{is_not_null_test, is_null_test, with_child};

/// More conditions than this are not made of one.
const MOST: usize = 64;

/// The value of the first condition that is true, else `otherwise`.
#[derive(Debug, PartialEq)]
pub(crate) struct Choice {
    /// Conditions and values.
    pub(crate) branches: Vec<(Expr, Expr)>,
    /// Where no condition is true.
    pub(crate) otherwise: Expr,
}

impl Choice {
    /// The condition as a choice between conditions, by the first expression in it that chooses.
    pub(crate) fn of(condition: &Expr) -> Option<Choice> {
        let is_copied = !matches!(condition, Expr::If { .. } | Expr::Case { .. });
        if !condition.is_deterministic() || is_copied && conditions_made_of(condition) > MOST {
            return None;
        }
        Choice::outermost(condition)
    }

    fn outermost(expr: &Expr) -> Option<Choice> {
        if let Some(choice) = Choice::at(expr) {
            return Some(choice);
        }
        let mut children = expr.children().into_iter().enumerate();
        let (at, inner) = children.find_map(|(at, child)| Some((at, Choice::outermost(child)?)))?;
        let around = |mut value: Expr| with_child(expr.clone(), at, &mut value);
        let branches = inner.branches.into_iter();
        Some(Choice {
            branches: branches
                .map(|(condition, value)| (condition, around(value)))
                .collect(),
            otherwise: around(inner.otherwise),
        })
    }

    /// What this expression chooses itself.
    fn at(expr: &Expr) -> Option<Choice> {
        match expr {
            Expr::If {
                condition,
                then,
                otherwise,
            } => Choice::between(
                (**condition).clone(),
                (**then).clone(),
                (**otherwise).clone(),
            ),
            Expr::Case {
                branches,
                otherwise,
            } => Some(Choice {
                branches: branches.clone(),
                otherwise: match otherwise {
                    Some(last) => (**last).clone(),
                    None => Expr::null(expr.ty()),
                },
            }),
            Expr::Function { name, args, .. } => match (name.as_str(), &args[..]) {
                ("coalesce", args) => Choice::first_known(args),
                ("greatest", [a, b]) => Choice::extreme(CompareOp::Lt, a, b),
                ("least", [a, b]) => Choice::extreme(CompareOp::Gt, a, b),
                ("abs", [x]) => {
                    let is_negative = Expr::compare(x.clone(), CompareOp::Lt, zero(x.ty())?);
                    Choice::between(is_negative, Expr::Negate(Box::new(x.clone())), x.clone())
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn between(condition: Expr, then: Expr, otherwise: Expr) -> Option<Choice> {
        Some(Choice {
            branches: vec![(condition, then)],
            otherwise,
        })
    }

    fn first_known(args: &[Expr]) -> Option<Choice> {
        let (last, others) = args.split_last()?;
        let of = |value: &Expr| (is_not_null_test(value.clone()), value.clone());
        Some(Choice {
            branches: others.iter().map(of).collect(),
            otherwise: last.clone(),
        })
    }

    /// The other one where the first is null or stands so to it. Where the other is null, that is UNKNOWN.
    fn extreme(op: CompareOp, a: &Expr, b: &Expr) -> Option<Choice> {
        let loses = Expr::compare(a.clone(), op, b.clone());
        Some(Choice {
            branches: vec![(is_null_test(a.clone()), b.clone()), (loses, b.clone())],
            otherwise: a.clone(),
        })
    }
}

/// As many at most, were every choice in the expression taken apart.
fn conditions_made_of(expr: &Expr) -> usize {
    let mut product = 1usize;
    expr.for_each(|expr| {
        let branches = match expr {
            Expr::If { .. } => 2,
            Expr::Case { branches, .. } => branches.len() + 1,
            Expr::Function { name, args, .. } => match name.as_str() {
                "coalesce" => args.len(),
                "greatest" | "least" => 3,
                "abs" => 2,
                _ => 1,
            },
            _ => 1,
        };
        product = product.saturating_mul(branches);
    });
    product
}

fn zero(ty: T) -> Option<Expr> {
    let value = match ty {
        T::Int8 | T::Int16 | T::Int32 | T::Int64 => Scalar::Int(0),
        T::Float32 => Scalar::Float32(0.0),
        T::Float64 => Scalar::Float64(0.0),
        T::Decimal { scale, .. } => Scalar::Decimal { unscaled: 0, scale },
        _ => return None,
    };
    Some(Expr::Literal(value, ty))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use lith_format::filter::Verdict::{self, Always, Maybe, Never};
    use lith_format::scan::TableSchema;
    use lith_format::stats::{Bound, ColumnStats};

    use super::*;
    use crate::ddl::parse_columns;
    use crate::eval::Program;
    use crate::judge::Judge;
    use crate::resolve::resolve_condition;
    use crate::sql;

    fn table(ty: &str) -> TableSchema {
        TableSchema::of_file(parse_columns(&format!("x {ty}")).unwrap().into())
    }

    fn stats(rows: &[Scalar]) -> ColumnStats {
        let known = || rows.iter().filter(|row| !row.is_null());
        let numbers = || known().filter(|row| !row.is_nan());
        let bound = |value: Option<&Scalar>| {
            let value = value?.clone();
            Some(Bound { value, exact: true })
        };
        ColumnStats {
            min: bound(numbers().min_by(|a, b| a.compare(b).unwrap())),
            max: bound(numbers().max_by(|a, b| a.compare(b).unwrap())),
            null_count: Some((rows.len() - known().count()) as u64),
            nan_count: Some((known().count() - numbers().count()) as u64),
            distinct_count: None,
            value_count: Some(rows.len() as u64),
        }
    }

    fn verdict(text: &str, table: &TableSchema, stats: &ColumnStats) -> Verdict {
        let judge = Judge::of_text(text, table).unwrap();
        judge.verdict(&[], &|_| Some(Cow::Borrowed(stats))).unwrap()
    }

    #[test]
    fn conditions_on_what_is_chosen_are_judged() {
        let ints = |min: i64, max: i64| [min, max].map(Scalar::Int).to_vec();
        let with_null = |min, max| [ints(min, max), vec![Scalar::Null]].concat();
        for (text, rows, wanted) in [
            ("abs(x) < 5", ints(-4, 4), Always),
            ("abs(x) < 5", ints(-20, -5), Never),
            ("abs(x) < 5", ints(5, 20), Never),
            ("abs(x) < 5", ints(-4, 20), Maybe),
            ("abs(x) > 5", with_null(-5, 5), Never),
            ("abs(x) IN (7, 9)", ints(-6, 5), Never),
            // the least number has no opposite
            ("abs(x) > 5", ints(-2_147_483_648, -10), Maybe),
            ("abs(x) < 5", ints(-2_147_483_648, -10), Maybe),
            ("pmod(x, 10) = 3", ints(24, 29), Never),
            ("pmod(x, 10) = 3", ints(-7, -7), Always),
            ("pmod(x, 10) < 7", ints(20, 26), Always),
            ("x % 10 = 3", ints(14, 19), Never),
            ("x % 10 = 3", ints(14, 25), Maybe),
            ("coalesce(x, 0) > 5", with_null(1, 5), Never),
            ("coalesce(x, 0) > 5", with_null(6, 7), Maybe),
            ("coalesce(x, 0) > 5", ints(6, 7), Always),
            ("coalesce(x, 9) > 5", with_null(6, 7), Always),
            ("nvl(x, 1) = 1", ints(2, 3), Never),
            ("ifnull(x, 1) = 1", with_null(2, 3), Maybe),
            ("coalesce(x, 0) + 1 > 5", with_null(1, 4), Never),
            ("greatest(x, 3) > 5", with_null(-9, 5), Never),
            ("greatest(x, 3) >= 3", with_null(4, 50), Always),
            ("least(x, 30) > 5", with_null(0, 5), Maybe),
            ("least(x, 3) > 5", with_null(0, 5), Never),
            ("nullif(x, 3) = 3", ints(4, 9), Never),
            (
                "if(x > 10, 'big', 'small') = 'big'",
                with_null(0, 10),
                Never,
            ),
            ("if(x > 10, 'big', 'small') = 'big'", ints(11, 20), Always),
            ("if(x > 10, x, -x) = 7", ints(11, 20), Never),
            (
                "CASE WHEN x < 0 THEN 'a' WHEN x < 9 THEN 'b' END = 'b'",
                ints(1, 8),
                Always,
            ),
            (
                "CASE WHEN x < 0 THEN x + 1 WHEN x < 9 THEN x * 2 END > 16",
                ints(-5, 8),
                Never,
            ),
            ("abs(coalesce(x, -3)) = 3", with_null(4, 9), Maybe),
            ("abs(coalesce(x, -3)) = 2", with_null(4, 9), Never),
        ] {
            let (table, stats) = (table("int"), stats(&rows));
            assert_eq!(verdict(text, &table, &stats), wanted, "{text} {rows:?}");
        }
    }

    /// Every group of up to three rows against the verdict on its bounds.
    #[test]
    fn verdicts_hold_for_the_rows_that_the_bounds_come_from() {
        let floats = [
            f64::NAN,
            f64::NEG_INFINITY,
            -2.5,
            -0.0,
            1.0,
            4.0,
            f64::INFINITY,
        ];
        let ints = [i64::from(i32::MIN), -3, 0, 2, 5, i64::from(i32::MAX)];
        let null = || [Scalar::Null].into_iter();
        let floats: Vec<Scalar> = floats
            .map(Scalar::Float64)
            .into_iter()
            .chain(null())
            .collect();
        let ints: Vec<Scalar> = ints.map(Scalar::Int).into_iter().chain(null()).collect();
        let mut judged = 0;
        for value in [
            "abs(x)",
            "coalesce(x, 1)",
            "nvl(abs(x), 2)",
            "greatest(x, 2)",
            "least(x, -1)",
            "abs(greatest(x, -2))",
            "nullif(x, 2)",
            "if(x > 1, x, 3)",
            "-abs(x)",
            "CASE WHEN x < 0 THEN 1 WHEN x > 2 THEN x END",
            "pmod(cast(x as int), 3)",
            "greatest(2, x)",
        ] {
            for test in [
                "< 2",
                "<= 1",
                "= 2",
                "<> 3",
                "> 2",
                "IN (1, 5)",
                "IS NULL",
                "<=> 3",
                "= double('NaN')",
            ] {
                for (ty, values) in [("double", &floats), ("int", &ints)] {
                    judged += agree(&format!("{value} {test}"), &table(ty), values);
                }
            }
        }
        assert!(judged > 10_000, "{judged}");
    }

    /// How many groups were judged.
    fn agree(text: &str, table: &TableSchema, values: &[Scalar]) -> usize {
        let condition = resolve_condition(
            sql::parse(text).unwrap(),
            table,
            crate::ansi::EvalMode::Ansi,
        )
        .unwrap();
        let program = Program::new(&condition).unwrap();
        let judge = Judge::of_text(text, table).unwrap();
        let mut judged = 0;
        for (a, b, c) in (0..values.len().pow(3)).map(|n| {
            let at = |place: u32| values[n / values.len().pow(place) % values.len()].clone();
            (at(0), at(1), at(2))
        }) {
            let rows = [a, b, c];
            let mut stats = stats(&rows);
            let answers = rows
                .each_ref()
                .map(|row| program.row(&|_| row.clone()).ok());
            let is_true = |answer: &Option<Scalar>| *answer == Some(Scalar::Boolean(true));
            for nans in [stats.nan_count, None] {
                stats.nan_count = nans;
                let verdict = judge
                    .verdict(&[], &|_| Some(Cow::Borrowed(&stats)))
                    .unwrap();
                match verdict {
                    Never => assert!(!answers.iter().any(is_true), "{text} {rows:?}"),
                    Always => assert!(answers.iter().all(is_true), "{text} {rows:?}"),
                    Maybe => {}
                }
                judged += usize::from(verdict != Maybe);
            }
        }
        judged
    }

    #[test]
    fn nested_choices_are_taken_apart_up_to_a_limit() {
        let nested = |depth: usize| {
            let text = format!(
                "{}x{} < 5",
                "abs(coalesce(".repeat(depth),
                ", 1))".repeat(depth)
            );
            resolve_condition(
                sql::parse(&text).unwrap(),
                &table("int"),
                crate::ansi::EvalMode::Ansi,
            )
            .unwrap()
        };
        assert!(Choice::of(&nested(3)).is_some());
        assert!(Choice::of(&nested(4)).is_none());
        assert!(Choice::of(&nested(100)).is_none());
    }
}
