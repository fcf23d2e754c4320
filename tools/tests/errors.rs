//! Conditions that fail on some rows: skipping row groups changes no row and hides no error but one.
//!
//! Random conditions of sums, products, quotients, negations and casts near the limits of their types, joined
//! by AND, OR and NOT, over files of both formats with row groups of four rows. With and without skipping
//! and row by row the rows must be the same. A query that fails without skipping may succeed with it
//! where every row group with a failing row is skipped, and the rows are those of the others.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lith_format::meta::Format;
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, ByteViews, Values, Vector};
use lith_planner::ansi::EvalMode;
use lith_planner::discover::{PartitionTypes, discover};
use lith_planner::eval::Predicate;
use lith_planner::expr::Expr;
use lith_planner::plan::{Query, Table, plan};
use lith_planner::resolve::resolve_condition;
use lith_reader::scan::{Scan, ScanSpec};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;

const GROUP_ROWS: usize = 4;
const GROUPS: usize = 6;
const ROWS: usize = GROUP_ROWS * GROUPS;

/// `a int, b bigint, c bigint` without nulls, `s string`.
fn schema() -> Schema {
    Schema::new(vec![
        Field::nullable("a", LogicalType::Int32),
        Field::nullable("b", LogicalType::Int64),
        Field::required("c", LogicalType::Int64),
        Field::nullable("s", LogicalType::String),
    ])
}

/// The same numbers every time, so that a failure comes again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn choose<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.roll(among.len())]
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }
}

/// Values of one row group: near one of the limits, small, or anything of these.
fn integers(g: &mut Dice, min: i64, max: i64) -> Vec<i64> {
    let around = g.choose(&[min, max, 0, 0, 100, -100]);
    let spread = g.choose(&[0, 3]);
    let value = |_| {
        let near = around.saturating_add(g.roll(2 * spread + 1) as i64 - spread as i64);
        near.clamp(min, max)
    };
    (0..GROUP_ROWS).map(value).collect()
}

fn batch(g: &mut Dice) -> Batch {
    let (mut a, mut b, mut c, mut s) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..GROUPS {
        let narrow = integers(g, i32::MIN.into(), i32::MAX.into());
        a.extend(narrow.into_iter().map(|value| value as i32));
        b.extend(integers(g, i64::MIN, i64::MAX));
        c.extend(integers(g, i64::MIN, i64::MAX));
        let texts: &[&str] = match g.one_in(2) {
            true => &["1", "7", "-3"],
            false => &["1", "x", "99999999999"],
        };
        s.extend((0..GROUP_ROWS).map(|_| g.choose(texts)));
    }
    let mut nulls = || {
        let some = g.one_in(2);
        let bits = (0..ROWS).map(|_| !g.one_in(5)).collect();
        some.then_some(bits)
    };
    let column = |ty, validity, values| Vector {
        ty,
        len: ROWS,
        validity,
        values,
    };
    Batch {
        columns: vec![
            column(LogicalType::Int32, nulls(), Values::I32(a)),
            column(LogicalType::Int64, nulls(), Values::I64(b)),
            column(LogicalType::Int64, None, Values::I64(c)),
            column(
                LogicalType::String,
                nulls(),
                Values::Bytes(ByteViews::from_values(s)),
            ),
        ],
        schema: Arc::new(schema()),
        rows: ROWS,
    }
}

fn write(path: &Path, format: Format, batch: &Batch) {
    let options = WriteOptions {
        format,
        row_group_rows: GROUP_ROWS,
        ..WriteOptions::default()
    };
    let mut file = FileWriter::new(File::create(path).unwrap(), &schema(), options).unwrap();
    file.write(batch).unwrap();
    assert_eq!(file.finish().unwrap().row_groups.len(), GROUPS);
}

/// SQL for a number.
fn number(g: &mut Dice, depth: u8) -> String {
    let literals = [
        "0",
        "1",
        "-1",
        "3",
        "100",
        "2147483647",
        "-2147483647",
        "9223372036854775807",
        "-9223372036854775807",
    ];
    let columns = [
        "a",
        "b",
        "c",
        "cast(s as int)",
        "cast(b as int)",
        "cast(a as bigint)",
        "length(s)",
    ];
    if depth == 0 || g.one_in(3) {
        return match g.one_in(3) {
            true => g.choose(&literals).to_owned(),
            false => g.choose(&columns).to_owned(),
        };
    }
    match g.choose(&["-", "+", "*", "div", "%", "neg", "cast"]) {
        "neg" => format!("(-{})", number(g, 0)),
        "cast" => format!("cast({} as bigint)", number(g, depth - 1)),
        op => format!("({} {op} {})", number(g, depth - 1), number(g, depth - 1)),
    }
}

fn condition(g: &mut Dice, depth: u8) -> String {
    if depth == 0 || g.one_in(3) {
        let compare = g.choose(&["=", "<>", "<", "<=", ">", ">="]);
        return match g.one_in(6) {
            true => format!("{} IS NULL", number(g, 1)),
            // a column with a literal decides row groups
            false if g.one_in(2) => {
                format!("{} {compare} {}", g.choose(&["a", "b", "c"]), number(g, 0))
            }
            false => format!("{} {compare} {}", number(g, 2), number(g, 1)),
        };
    }
    match g.choose(&["AND", "AND", "OR", "OR", "NOT"]) {
        "NOT" => format!("NOT ({})", condition(g, depth - 1)),
        op => format!(
            "({} {op} {})",
            condition(g, depth - 1),
            condition(g, depth - 1)
        ),
    }
}

/// A condition, often with one beside it that decides row groups.
fn guarded(g: &mut Dice) -> String {
    let inner = condition(g, 3);
    let guard = format!(
        "{} > {}",
        g.choose(&["a", "b", "c"]),
        g.choose(&[-200, 50, 1000])
    );
    match g.roll(4) {
        0 => format!("{inner} AND {guard}"),
        1 => format!("{guard} AND ({inner})"),
        _ => inner,
    }
}

/// What a row group comes to when its rows are asked one by one: numbers of rows, or the failure.
type Group = Result<Vec<usize>, String>;

fn naive(conjuncts: &[Expr], batch: &Batch) -> Vec<Group> {
    let judge = |expr: &Expr| Predicate::new(expr).unwrap();
    let predicates: Vec<Predicate> = conjuncts.iter().map(judge).collect();
    let passes = |row: usize| {
        for predicate in &predicates {
            let value_of = |column: usize| batch.columns[column].value(row);
            match predicate.row(&value_of) {
                Ok(Some(true)) => {}
                Ok(_) => return Ok(false),
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(true)
    };
    let group = |group: usize| {
        let mut rows = Vec::new();
        for row in group * GROUP_ROWS..(group + 1) * GROUP_ROWS {
            if passes(row)? {
                rows.push(row);
            }
        }
        Ok(rows)
    };
    (0..GROUPS).map(group).collect()
}

/// Asked as one, from the left, as it is written.
fn as_written(table: &Table, text: &str, batch: &Batch) -> Vec<Group> {
    let parsed = lith_planner::sql::parse(text).unwrap();
    naive(
        &[resolve_condition(parsed, &table.schema, EvalMode::Ansi).unwrap()],
        batch,
    )
}

#[derive(Default)]
struct Seen {
    rows: usize,
    failed: usize,
    hidden: usize,
    skipped: u64,
    whole: u64,
}

/// The rows as JSON-like text, and row groups skipped and taken whole.
fn scan(table: &Table, text: &str, prune: bool) -> (Result<Vec<Vec<Scalar>>, String>, u64, u64) {
    let query = Query {
        predicate: Some(text),
        ..Query::default()
    };
    let plan = plan(table, &query).unwrap();
    let mut spec = ScanSpec::new(plan.table.clone());
    spec.columns = plan.columns.clone();
    spec.filter = plan.filter.clone();
    spec.predicates = plan.predicates().unwrap();
    spec.prune = prune;
    spec.batch_rows = 3;
    let scan = Scan::new(plan.tasks.clone(), spec).unwrap();
    let metrics = Arc::clone(scan.metrics());
    let rows_of = |batch: Batch| -> Vec<Vec<Scalar>> {
        let row = |row| {
            batch
                .columns
                .iter()
                .map(|column| column.value(row))
                .collect()
        };
        (0..batch.rows).map(row).collect()
    };
    let batches: Result<Vec<_>, _> = scan.map(|batch| batch.map(rows_of)).collect();
    let rows = batches
        .map(|batches| batches.concat())
        .map_err(|error| error.message().to_owned());
    (
        rows,
        metrics.row_groups_pruned.get(),
        metrics.row_groups_always.get(),
    )
}

fn check(table: &Table, text: &str, batch: &Batch, seen: &mut Seen) {
    let query = Query {
        predicate: Some(text),
        ..Query::default()
    };
    // what the planner itself refuses, such as a literal sum that overflows, is no matter of skipping
    let Ok(planned) = plan(table, &query) else {
        return;
    };
    let conjuncts: Vec<Expr> = planned.residual().into_iter().cloned().collect();
    let groups = match planned.empty {
        true => vec![Ok(Vec::new()); GROUPS],
        false => naive(&conjuncts, batch),
    };
    let row = |row: &usize| -> Vec<Scalar> {
        batch
            .columns
            .iter()
            .map(|column| column.value(*row))
            .collect()
    };
    let expected: Vec<Vec<Scalar>> = groups.iter().flatten().flatten().map(row).collect();
    let fails = groups.iter().filter(|group| group.is_err()).count();

    let written = as_written(table, text, batch);
    if written.iter().all(Group::is_ok) {
        assert_eq!(groups, written, "an error that is none as written: {text}");
    }
    let (off, ..) = scan(table, text, false);
    assert_eq!(off.is_err(), fails > 0, "{text}: {off:?} {groups:?}");
    let (on, skipped, whole) = scan(table, text, true);
    match (&off, on) {
        (Ok(off), on) => {
            assert_eq!(off, &expected, "{text}");
            assert_eq!(on.as_ref(), Ok(off), "{text}");
            seen.rows += off.len();
        }
        (Err(_), Ok(rows)) => {
            assert_eq!(rows, expected, "{text}");
            assert!(skipped >= fails as u64, "{text}: {groups:?}");
            seen.hidden += 1;
        }
        (Err(_), Err(_)) => seen.failed += 1,
    }
    seen.skipped += skipped;
    seen.whole += whole;
}

#[test]
fn skipping_changes_no_row_and_hides_no_error_of_a_row_that_counts() {
    let room = tempfile::tempdir().unwrap();
    let mut g = Dice(1);
    let mut seen = Seen::default();
    for round in 0..40 {
        let batch = batch(&mut g);
        let conditions: Vec<String> = (0..50).map(|_| guarded(&mut g)).collect();
        for format in [Format::Parquet, Format::Orc] {
            let path: PathBuf = room.path().join(format!("{round}.{format}"));
            write(&path, format, &batch);
            let dataset = discover(&[&path], PartitionTypes::Inferred).unwrap();
            let table = Table::new(&schema(), dataset);
            for text in &conditions {
                check(&table, text, &batch, &mut seen);
            }
        }
    }
    let Seen {
        rows,
        failed,
        hidden,
        skipped,
        whole,
    } = seen;
    eprintln!(
        "{rows} rows, {failed} failed, {hidden} hidden, {skipped} groups skipped, {whole} whole"
    );
    assert!(rows > 1000 && failed > 100 && hidden > 10 && skipped > 500 && whole > 100);
}
