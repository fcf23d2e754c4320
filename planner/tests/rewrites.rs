//! Random conditions over a few columns, on every row there can be: the rewritten condition is true for
//! the same rows as the written one, a weakened one for no fewer, and a verdict on bounds holds for the
//! rows that the bounds were taken from.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::borrow::Cow;
use std::sync::Arc;

use lith_format::filter::{Affix, CompareOp, Verdict};
use lith_format::scalar::Scalar;
use lith_format::scan::TableSchema;
use lith_format::schema::{Field, LeafId, Schema};
use lith_format::stats::{Bound, ColumnStats};
use lith_format::types::LogicalType;
use lith_planner::ansi::EvalMode;
use lith_planner::classify::{Classes, classify};
use lith_planner::eval::Program;
use lith_planner::expr::{ArithmeticOp, Expr, Place};
use lith_planner::normalize::{Normalized, normalize};
use lith_planner::pushdown;
use lith_planner::resolve::resolve_condition;
use quickcheck::{Arbitrary, Gen, QuickCheck};

/// Two stored numbers, a stored text and a partition number.
fn table() -> TableSchema {
    let int = |name: &str| Field::nullable(name, LogicalType::Int32);
    TableSchema {
        schema: Arc::new(Schema::new(vec![
            int("a"),
            int("b"),
            Field::nullable("s", LogicalType::String),
            int("p"),
        ])),
        partition_columns: 1,
    }
}

type Row = [Scalar; 4];

fn rows() -> Vec<Row> {
    let numbers = [
        Scalar::Null,
        Scalar::Int(-1),
        Scalar::Int(1),
        Scalar::Int(2),
    ];
    let texts = ["", "ab", "abc", "b"].map(Scalar::string);
    let mut out = Vec::new();
    for a in &numbers {
        for b in &numbers {
            for p in &numbers {
                for s in texts.iter().chain([&Scalar::Null]) {
                    out.push([a.clone(), b.clone(), s.clone(), p.clone()]);
                }
            }
        }
    }
    out
}

#[derive(Debug, Clone)]
struct Condition(Expr);

fn pick<T: Clone>(g: &mut Gen, items: &[T]) -> T {
    g.choose(items).unwrap().clone()
}

fn decimal(precision: u8, scale: u8) -> LogicalType {
    LogicalType::Decimal { precision, scale }
}

/// A literal that lies between integers, on one or beyond all that there are.
fn fraction(g: &mut Gen) -> Expr {
    let unscaled = pick(g, &[-15, -10, -5, 5, 10, 15, 20, 30_000_000_000i128]);
    match bool::arbitrary(g) {
        true => Expr::Literal(Scalar::Decimal { unscaled, scale: 1 }, decimal(11, 1)),
        false => Expr::Literal(
            Scalar::Float64(unscaled as f64 / 10.0),
            LogicalType::Float64,
        ),
    }
}

fn number(g: &mut Gen, depth: usize) -> Expr {
    let kinds = if depth == 0 { 4 } else { 11 };
    let column = |g: &mut Gen| Expr::column([pick(g, &["a", "b", "p"])]);
    match usize::arbitrary(g) % kinds {
        0 | 1 => column(g),
        2 => Expr::int(pick(g, &[0, 1, 2, 3])),
        3 => fraction(g),
        4 => Expr::Arithmetic {
            op: pick(
                g,
                &[
                    ArithmeticOp::Add,
                    ArithmeticOp::Multiply,
                    ArithmeticOp::Subtract,
                ],
            ),
            left: Box::new(column(g)),
            right: Box::new(number(g, 0)),
            ty: LogicalType::Null,
        },
        5 => column(g).cast(pick(g, &[LogicalType::Int64, LogicalType::Float64])),
        6 => Expr::If {
            condition: Box::new(truth(g, depth - 1)),
            then: Box::new(Expr::int(1)),
            otherwise: Box::new(column(g)),
        },
        7 => Expr::Negate(Box::new(column(g))),
        8 => Expr::Arithmetic {
            op: pick(
                g,
                &[
                    ArithmeticOp::Add,
                    ArithmeticOp::Subtract,
                    ArithmeticOp::Multiply,
                    ArithmeticOp::Divide,
                ],
            ),
            left: Box::new(number(g, depth - 1)),
            right: Box::new(Expr::int(pick(g, &[-3, -1, 1, 2]))),
            ty: LogicalType::Null,
        },
        9 => Expr::Function {
            name: pick(g, &["floor", "ceil", "sign", "abs"]).into(),
            args: vec![number(g, depth - 1)],
            ty: LogicalType::Null,
            place: Place::default(),
        },
        _ => Expr::Function {
            name: pick(g, &["coalesce", "greatest", "least"]).into(),
            args: vec![column(g), number(g, 0)],
            ty: LogicalType::Null,
            place: Place::default(),
        },
    }
}

fn truth(g: &mut Gen, depth: usize) -> Expr {
    use CompareOp::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    let text = || Expr::column(["s"]);
    let kinds = if depth == 0 { 8 } else { 16 };
    match usize::arbitrary(g) % kinds {
        0 | 1 => {
            let op = pick(g, &[Eq, NotEq, Lt, LtEq, Gt, GtEq]);
            Expr::compare(number(g, depth), op, number(g, depth))
        }
        2 => Expr::NullSafeEq(Box::new(number(g, depth)), Box::new(number(g, depth))),
        3 => Expr::Affix {
            affix: pick(g, &[Affix::Prefix, Affix::Suffix, Affix::Infix]),
            expr: Box::new(text()),
            part: Box::new(Expr::string(pick(g, &["", "a", "ab", "b"]))),
        },
        4 => Expr::Like {
            expr: Box::new(text()),
            pattern: Box::new(Expr::string(pick(
                g,
                &["a%", "%b", "a%b", "ab", "%b%", "_b%", "%"],
            ))),
            escape: '\\',
            ignore_case: false,
        },
        5 => {
            let mut list: Vec<Expr> = (0..1 + usize::arbitrary(g) % 3)
                .map(|_| Expr::int(pick(g, &[0, 1, 2, 3])))
                .collect();
            if bool::arbitrary(g) {
                list.push(Expr::null(LogicalType::Int32));
            }
            Expr::In {
                expr: Box::new(number(g, 0)),
                list,
                set: false,
            }
        }
        6 => {
            let wide = pick(
                g,
                &[LogicalType::Float64, LogicalType::Int64, decimal(12, 1)],
            );
            let column = Expr::column([pick(g, &["a", "b", "p"])]).cast(wide);
            Expr::compare(
                column,
                pick(g, &[Eq, NotEq, Lt, LtEq, Gt, GtEq]),
                fraction(g),
            )
        }
        7 => {
            let part = pick(g, &["a", "ab", "abc", "b"]);
            let length = pick(g, &[1, 2, 3]);
            let start = Expr::Function {
                name: "substr".into(),
                args: vec![text(), Expr::int(1), Expr::int(length)],
                ty: LogicalType::Null,
                place: Place::default(),
            };
            Expr::compare(start, pick(g, &[Eq, Lt, GtEq]), Expr::string(part))
        }
        8 | 9 => truth(g, depth - 1).and(truth(g, depth - 1)),
        10 | 11 => truth(g, depth - 1).or(truth(g, depth - 1)),
        12 => truth(g, depth - 1).not(),
        13 => Expr::IsNull(Box::new(truth(g, depth - 1))),
        14 => Expr::RLike {
            expr: Box::new(text()),
            pattern: Box::new(Expr::string(pick(
                g,
                &["^a", "^ab?", "b", "^ab|^b", "^\\.", "^ab$", "^(a|b)"],
            ))),
        },
        _ => Expr::Case {
            branches: vec![(truth(g, depth - 1), truth(g, depth - 1))],
            otherwise: bool::arbitrary(g).then(|| Box::new(truth(g, depth - 1))),
        },
    }
}

impl Arbitrary for Condition {
    fn arbitrary(g: &mut Gen) -> Self {
        let depth = usize::arbitrary(g) % 4;
        Condition(truth(g, depth))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let mut out: Vec<Condition> = Vec::new();
        for child in self.0.children() {
            let is_condition = resolve_condition(child.clone(), &table(), EvalMode::Ansi).is_ok();
            out.extend(is_condition.then(|| Condition(child.clone())));
        }
        Box::new(out.into_iter())
    }
}

/// Whether the condition is true, row by row.
fn truths(expr: &Expr, rows: &[Row]) -> Vec<bool> {
    let program = Program::new(expr).unwrap();
    let value = |row: &Row| program.row(&|index| row[index].clone()).unwrap();
    rows.iter()
        .map(|row| matches!(value(row), Scalar::Boolean(true)))
        .collect()
}

fn all_true(exprs: &[Expr], rows: &[Row]) -> Vec<bool> {
    let mut out = vec![true; rows.len()];
    for expr in exprs {
        let truths = truths(expr, rows);
        out.iter_mut()
            .zip(truths)
            .for_each(|(all, one)| *all &= one);
    }
    out
}

fn rewritten(condition: &Condition) -> (Expr, Option<(Vec<Expr>, Classes)>) {
    let resolved = resolve_condition(condition.0.clone(), &table(), EvalMode::Ansi).unwrap();
    let normalized = match normalize(resolved.clone()).unwrap() {
        Normalized::Never => None,
        Normalized::All(conjuncts) => {
            let classes = classify(&conjuncts, &table());
            Some((conjuncts, classes))
        }
    };
    (resolved, normalized)
}

#[test]
fn rewriting_and_sorting_change_no_row() {
    fn holds(condition: Condition) -> bool {
        let (resolved, normalized) = rewritten(&condition);
        let rows = rows();
        let wanted = truths(&resolved, &rows);
        let Some((conjuncts, classes)) = normalized else {
            return !wanted.contains(&true);
        };
        let sorted = [&classes.partition_filters[..], &classes.post_filter[..]].concat();
        let weak = all_true(&classes.data_filters, &rows);
        all_true(&conjuncts, &rows) == wanted
            && all_true(&sorted, &rows) == wanted
            && weak
                .iter()
                .zip(&wanted)
                .all(|(weak, wanted)| *weak || !wanted)
    }
    QuickCheck::new()
        .tests(200)
        .quickcheck(holds as fn(Condition) -> bool);
}

/// Bounds of one column of some rows.
fn stats(rows: &[Row], column: usize) -> ColumnStats {
    let values = || {
        rows.iter()
            .map(|row| &row[column])
            .filter(|value| !value.is_null())
    };
    let bound = |value: Option<&Scalar>| {
        value.map(|value| Bound {
            value: value.clone(),
            exact: true,
        })
    };
    ColumnStats {
        min: bound(values().min_by(|a, b| a.compare(b).unwrap())),
        max: bound(values().max_by(|a, b| a.compare(b).unwrap())),
        null_count: Some((rows.len() - values().count()) as u64),
        nan_count: Some(0),
        distinct_count: None,
        value_count: Some(rows.len() as u64),
    }
}

#[test]
fn verdicts_hold_for_the_rows_that_the_bounds_come_from() {
    fn holds(condition: Condition, chosen: Vec<u8>) -> bool {
        let (_, Some((conjuncts, _))) = rewritten(&condition) else {
            return true;
        };
        let all = rows();
        let row = |at: &u8| all[usize::from(*at) % all.len()].clone();
        let group: Vec<Row> = chosen.iter().map(row).collect();
        conjuncts.iter().all(|conjunct| {
            let filter = pushdown::filter(conjunct, &table());
            let of = |leaf: LeafId| Some(Cow::Owned(stats(&group, leaf.index())));
            let matching = truths(conjunct, &group).into_iter().filter(|t| *t).count();
            match filter.judge(&of) {
                Verdict::Never => matching == 0,
                Verdict::Always => matching == group.len(),
                Verdict::Maybe => true,
            }
        })
    }
    QuickCheck::new()
        .tests(500)
        .quickcheck(holds as fn(Condition, Vec<u8>) -> bool);
}
