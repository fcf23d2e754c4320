//! Expressions without ANSI mode: answers that Spark 4.3 gave with `spark.sql.ansi.enabled=false`, and what holds for
//! any expression: nothing fails, what ANSI mode computes stays, and neither rewriting nor statistics change a row.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::borrow::Cow;

use lith_format::filter::Verdict;
use lith_format::scalar::Scalar;
use lith_format::scan::TableSchema;
use lith_format::schema::LeafId;
use lith_format::stats::ColumnStats;
use lith_planner::ansi::EvalMode;
use lith_planner::ddl::parse_columns;
use lith_planner::error::Result;
use lith_planner::eval::{Program, constant};
use lith_planner::expr::{Expr, scalar_spark};
use lith_planner::judge::Judge;
use lith_planner::normalize::{Normalized, normalize};
use lith_planner::resolve::{resolve, resolve_condition};
use lith_planner::sql;
use quickcheck::{Arbitrary, Gen, QuickCheck};

fn table() -> TableSchema {
    TableSchema::of_file(
        parse_columns("t tinyint, i int, d double, s string")
            .unwrap()
            .into(),
    )
}

fn computed(text: &str) -> Result<String> {
    let expr = resolve(sql::parse(text)?, &table(), EvalMode::Legacy)?;
    Ok(scalar_spark(&constant(&expr)?, &expr.ty()))
}

#[test]
fn expressions_give_what_spark_gives() {
    for (text, wanted) in [
        ("cast('2.5' as int)", "2"),
        ("cast('2.' as int)", "2"),
        ("cast('-.5' as int)", "0"),
        ("cast('-' as int)", "null"),
        ("cast('5.x' as int)", "null"),
        ("cast('1e3' as int)", "null"),
        ("cast('2147483648' as int)", "null"),
        ("cast('300' as tinyint)", "null"),
        ("cast(300 as tinyint)", "44"),
        ("cast(-129 as tinyint)", "127"),
        ("cast(70000 as smallint)", "4464"),
        ("cast(9999999999 as int)", "1410065407"),
        ("cast(1e20D as int)", "2147483647"),
        ("cast(-1e20D as bigint)", "-9223372036854775808"),
        ("cast(300.7D as tinyint)", "44"),
        ("cast(3e9D as smallint)", "-1"),
        ("cast(double('NaN') as int)", "0"),
        ("cast(99999999999999999999.5 as int)", "1661992959"),
        (
            "cast(99999999999999999999.5 as bigint)",
            "7766279631452241919",
        ),
        ("cast(-3000000000.9 as int)", "1294967296"),
        ("cast(DATE'2020-01-01' as int)", "null"),
        ("cast(DATE'2020-01-01' as boolean)", "null"),
        ("cast(TIMESTAMP'2020-01-01 00:00:00' as boolean)", "true"),
        ("cast(true as timestamp)", "1970-01-01 00:00:00.000001"),
        ("cast(TIMESTAMP'2100-01-01 00:00:00' as int)", "null"),
        ("cast(12345.678 as decimal(5,2))", "null"),
        ("cast('x' as date)", "null"),
        ("cast('maybe' as boolean)", "null"),
        ("2147483647 + 1", "-2147483648"),
        ("cast(127 as tinyint) + cast(1 as tinyint)", "-128"),
        ("9223372036854775807 * 2", "-2"),
        ("-cast(-128 as tinyint)", "-128"),
        ("abs(cast(-2147483648 as int))", "-2147483648"),
        ("1 / 0", "null"),
        ("1 % 0", "null"),
        ("1 div 0", "null"),
        ("pmod(1, 0)", "null"),
        ("1.5D % 0D", "null"),
        ("1.5 / 0", "null"),
        ("99999999999999999999999999999999999999 + 1", "null"),
        ("99999999999999999999.5 div 0.1", "3875820019684212731"),
        ("make_date(2020, 13, 1)", "null"),
        ("to_date('x')", "null"),
        ("round(2147483647, -1)", "-2147483646"),
        ("round(cast(127 as tinyint), -1)", "-126"),
        ("floor(1e300D)", "9223372036854775807"),
        ("'5' + 1", "6.0"),
        ("'x' + 1", "null"),
        ("typeof(1 + cast(1.5 as float))", "float"),
        ("typeof(if(true, 1, '2'))", "string"),
        ("typeof(coalesce(DATE'2020-01-01', 'a'))", "string"),
        ("nullif(1, 'a')", "1"),
        ("true = 1", "true"),
        ("true = 2", "false"),
        ("false <=> 0", "true"),
        ("true = 1.0", "true"),
        ("true > 'no'", "true"),
        ("1 in ('1', 2)", "true"),
        ("1.5 in ('1.50')", "false"),
        ("1 = '1.9'", "true"),
        ("cast(1 as tinyint) = '257'", "null"),
        ("1 between '0' and '2.9'", "true"),
        ("substr('abc', 2L, 1.9)", "b"),
    ] {
        assert_eq!(computed(text).unwrap(), wanted, "{text}");
    }
}

#[test]
fn what_spark_refuses_is_refused() {
    for text in [
        "true > 0",
        "1 in (true, false)",
        "greatest(1, 'a')",
        "coalesce(1, true)",
        "'7' div 2",
        "'7' & 2",
        "not 1",
        "date_add(DATE'2020-01-01', '1.5' > 1)",
    ] {
        assert!(computed(text).is_err(), "{text}");
    }
}

/// A number or a text.
fn operand(g: &mut Gen, depth: usize) -> String {
    let pick = |g: &mut Gen, from: &[&str]| (*g.choose(from).unwrap()).to_owned();
    if depth == 0 {
        let leaves = [
            "t",
            "i",
            "d",
            "s",
            "0",
            "127",
            "2147483647",
            "'2.5'",
            "'x'",
            "1.5",
            "0D",
        ];
        return pick(g, &leaves);
    }
    let (a, b) = (operand(g, depth - 1), operand(g, depth - 1));
    match u8::arbitrary(g) % 6 {
        0 | 1 => format!("({a} {} {b})", pick(g, &["+", "-", "*", "/", "%"])),
        2 | 3 => {
            let ty = pick(
                g,
                &[
                    "tinyint",
                    "int",
                    "bigint",
                    "double",
                    "decimal(5,1)",
                    "string",
                ],
            );
            format!("cast({a} as {ty})")
        }
        4 => format!("{}({a})", pick(g, &["abs", "-", "floor"])),
        _ => format!("coalesce({a}, {b})"),
    }
}

#[derive(Clone, Debug)]
struct Condition(String);

impl Arbitrary for Condition {
    fn arbitrary(g: &mut Gen) -> Self {
        let op = *g.choose(&["=", "<>", "<", ">=", "<=>"]).unwrap();
        let depth = usize::arbitrary(g) % 3;
        let (left, right) = (operand(g, depth), operand(g, 0));
        Condition(match u8::arbitrary(g) % 5 {
            0 => format!("({left}) IS NULL"),
            1 => format!("{left} IN ({right}, 2)"),
            2 => format!("NOT ({left} {op} {right})"),
            _ => format!("{left} {op} {right}"),
        })
    }
}

/// Rows of numbers at their limits, nulls, and text that is a number or is not.
fn rows() -> Vec<[Scalar; 4]> {
    let tiny = [-128, 127, 0, 2].map(Scalar::Int);
    let int = [i64::from(i32::MIN), i64::from(i32::MAX), 0, 2].map(Scalar::Int);
    let double = [f64::NAN, f64::INFINITY, -0.0, 2.5].map(Scalar::Float64);
    let text = ["2.5", "x", "", "2"].map(Scalar::string);
    let mut rows = vec![[Scalar::Null, Scalar::Null, Scalar::Null, Scalar::Null]];
    for at in 0..16 {
        let of = |values: &[Scalar; 4], turn: usize| values[(at / turn + at) % 4].clone();
        rows.push([of(&tiny, 1), of(&int, 4), of(&double, 2), of(&text, 3)]);
    }
    rows
}

fn truth(expr: &Expr, row: &[Scalar; 4]) -> Result<bool> {
    let value = Program::new(expr)?.row(&|index| row[index].clone())?;
    Ok(value == Scalar::Boolean(true))
}

#[test]
fn nothing_fails_and_no_rewrite_or_verdict_changes_a_row() {
    fn holds(Condition(text): Condition) -> bool {
        let resolved =
            |mode| sql::parse(&text).and_then(|expr| resolve_condition(expr, &table(), mode));
        let Ok(legacy) = resolved(EvalMode::Legacy) else {
            return true;
        };
        let normalized = match normalize(legacy.clone()).unwrap() {
            Normalized::Never => vec![Expr::boolean(false)],
            Normalized::All(conjuncts) => conjuncts,
        };
        let parsed = sql::parse(&text).unwrap();
        let judge = Judge::new(parsed, &table(), EvalMode::Legacy).unwrap();
        rows().iter().all(|row| {
            let wanted = truth(&legacy, row).unwrap();
            let rewritten = normalized.iter().all(|expr| truth(expr, row).unwrap());
            let stats =
                |leaf: LeafId| Some(Cow::Owned(ColumnStats::constant(&row[leaf.index()], 1)));
            let fits = match judge.verdict(&[], &stats).unwrap() {
                Verdict::Never => !wanted,
                Verdict::Always => wanted,
                Verdict::Maybe => true,
            };
            wanted == rewritten && fits
        })
    }
    QuickCheck::new()
        .tests(2_000)
        .quickcheck(holds as fn(Condition) -> bool);
}
