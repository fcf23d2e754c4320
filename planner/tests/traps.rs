//! What other planners got wrong, each with the smallest statistics that show it: NaN and signed zeros, missing and
//! truncated bounds, three-valued logic, evolved columns, partition directories.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::borrow::Cow;

use lith_format::filter::Verdict::{self, Always, Maybe, Never};
use lith_format::scalar::Scalar;
use lith_format::scan::TableSchema;
use lith_format::schema::{Field, LeafId, Schema};
use lith_format::stats::{Bound, ColumnStats};
use lith_format::types::LogicalType;
use lith_planner::ansi::EvalMode;
use lith_planner::ddl::parse_columns;
use lith_planner::discover::{PartitionTypes, discover};
use lith_planner::judge::Judge;
use lith_planner::plan::{Query, ScanPlan, Table, plan};
use lith_planner::{resolve, sql};

fn table(columns: &str, partition_columns: usize) -> TableSchema {
    TableSchema {
        schema: parse_columns(columns).unwrap().into(),
        partition_columns,
    }
}

fn bound(value: Scalar) -> Option<Bound> {
    Some(Bound { value, exact: true })
}

/// Bounds of ten slots, with this many nulls; of NaNs nothing is known.
fn stats(min: Scalar, max: Scalar, nulls: Option<u64>) -> ColumnStats {
    ColumnStats {
        min: bound(min),
        max: bound(max),
        null_count: nulls,
        value_count: Some(10),
        ..ColumnStats::default()
    }
}

fn ints(min: i64, max: i64) -> ColumnStats {
    stats(Scalar::Int(min), Scalar::Int(max), Some(0))
}

fn floats(min: f64, max: f64) -> ColumnStats {
    stats(Scalar::Float64(min), Scalar::Float64(max), Some(0))
}

fn texts(min: &str, max: &str) -> ColumnStats {
    stats(Scalar::string(min), Scalar::string(max), Some(0))
}

fn verdict(columns: &str, leaves: &[ColumnStats], predicate: &str) -> Verdict {
    let judge = Judge::of_text(predicate, &table(columns, 0)).unwrap();
    let of = |leaf: LeafId| leaves.get(leaf.index()).map(Cow::Borrowed);
    judge.verdict(&[], &of).unwrap()
}

fn assert_all(columns: &str, leaves: &[ColumnStats], cases: &[(&str, Verdict)]) {
    let other = cases.iter().filter_map(|(predicate, wanted)| {
        let found = verdict(columns, leaves, predicate);
        (found != *wanted).then(|| format!("{predicate}: {found:?}, not {wanted:?}"))
    });
    assert_eq!(other.collect::<Vec<_>>(), [""; 0]);
}

/// Bounds say nothing of NaN, and zeros have no sign.
#[test]
fn floats_may_hold_nan_and_either_zero() {
    assert_all(
        "x double",
        &[floats(3.0, 3.0)],
        &[
            ("x <> 3D", Maybe),
            ("NOT (x < 10D)", Maybe),
            ("x > 1e300D", Maybe),
            ("x >= 5000", Maybe),
            ("x = double('NaN')", Maybe),
            ("isnan(x)", Maybe),
            ("x < 3D", Never),
            ("x <= 2D", Never),
            ("x < 5D", Maybe),
            // through functions, too: NaN stays the greatest
            ("-x > 0D", Maybe),
            ("x * 2 + 1 > 100D", Maybe),
            ("10D - x < 0D", Never),
            ("NOT (x / 2D <= 1.9D)", Maybe),
            // the whole number of NaN is 0
            ("floor(x) = 0", Maybe),
            ("ceil(x * 2D) + 1 < 2", Maybe),
            ("-cast(floor(x) as double) >= 0D", Maybe),
            ("floor(x) = 1", Never),
            ("floor(x) = 4", Never),
        ],
    );
    let no_nan = ColumnStats {
        nan_count: Some(0),
        ..floats(3.0, 3.0)
    };
    assert_all(
        "x double",
        &[no_nan],
        &[
            ("x > 3D", Never),
            ("x = 3D", Always),
            ("-x > 0D", Never),
            ("floor(x) = 0", Never),
        ],
    );
    let nan_bound = floats(f64::NAN, f64::NAN);
    assert_all(
        "x double",
        &[nan_bound],
        &[("x > 1D", Maybe), ("x < 1D", Maybe)],
    );
    let zero = floats(-0.0, -0.0);
    assert_all(
        "x double",
        &[zero],
        &[("x = 0D", Maybe), ("x >= 0D", Always), ("x < 0D", Never)],
    );
    // all NaN is neither null nor without values
    let all_nan = ColumnStats {
        nan_count: Some(10),
        null_count: Some(0),
        value_count: Some(10),
        ..ColumnStats::default()
    };
    assert_all(
        "x double",
        &[all_nan],
        &[("x IS NULL", Never), ("x > 1D", Always), ("x < 1D", Never)],
    );
}

/// What is not stored proves nothing, nor do bounds that contradict each other.
#[test]
fn unknown_and_contradictory_statistics_prove_nothing() {
    let no_nulls_known = stats(Scalar::Int(100), Scalar::Int(101), None);
    assert_all(
        "a int",
        &[no_nulls_known],
        &[
            ("a IS NULL", Maybe),
            ("a IS NOT NULL", Maybe),
            ("a = 5", Never),
            ("a IN (5, NULL)", Never),
        ],
    );
    let nulls_only_counted = ColumnStats {
        null_count: Some(3),
        ..ColumnStats::default()
    };
    assert_all(
        "a int",
        &[nulls_only_counted],
        &[("a = 5", Maybe), ("a IS NULL", Maybe)],
    );
    assert_all(
        "a int",
        &[ints(5, -1)],
        &[("a = 100", Maybe), ("a + 1 = 100", Maybe), ("a < 0", Maybe)],
    );
    let truncated = ColumnStats {
        max: Some(Bound {
            value: Scalar::string("ac"),
            exact: false,
        }),
        ..texts("ab", "")
    };
    assert_all(
        "s string",
        &[truncated],
        &[
            ("s NOT LIKE 'ab%'", Maybe),
            ("s LIKE 'ab%'", Maybe),
            ("s = 'ac'", Maybe),
            ("s > 'ac'", Never),
        ],
    );
    // numbers compare by value, whatever their width and sign
    let unsigned = ColumnStats {
        max: bound(Scalar::UInt(4_000_000_000)),
        ..ints(0, 0)
    };
    assert_all(
        "a bigint",
        &[unsigned],
        &[("a = 4000000000", Maybe), ("a = 4000000001", Never)],
    );
}

/// Three values, sides that cannot be judged, and functions that only look ordered.
#[test]
fn logic_has_three_values_and_unknown_parts() {
    let leaves = [
        ints(0, 4),
        texts("a", "z"),
        stats(Scalar::Null, Scalar::Null, Some(10)),
    ];
    let leaves = leaves.map(|mut stats| {
        let known = |bound: &Option<Bound>| bound.clone().filter(|bound| !bound.value.is_null());
        (stats.min, stats.max) = (known(&stats.min), known(&stats.max));
        stats
    });
    assert_all(
        "a int, s string, n int",
        &leaves,
        &[
            ("a = 5 OR upper(s) = 'X'", Maybe),
            ("NOT (a = 2 AND upper(s) = 'X')", Maybe),
            ("NOT (a = 7 AND upper(s) = 'X')", Always),
            ("a = 5 AND upper(s) = 'X'", Never),
            // only nulls
            ("n = 1", Never),
            ("NOT (n = 1)", Never),
            ("n <=> 1", Never),
            ("NOT (n <=> 1)", Always),
            ("NOT (n + 1 = 6)", Never),
            ("n IS NULL", Always),
            ("n NOT IN (5, 10)", Never),
            // comparisons with null
            ("a = NULL", Never),
            ("a < NULL", Never),
            ("a <=> NULL", Never),
            ("a IN (9, NULL)", Never),
            ("a NOT IN (9, NULL)", Never),
            ("a NOT IN (9, 10)", Always),
            // text as a number is compared as a number
            ("s = 42", Maybe),
            ("s + 1 > 5", Maybe),
            ("a % 5 = 3", Maybe),
            ("abs(a - 3) = 9", Never),
        ],
    );
    assert_all(
        "s string",
        &[texts("a_00", "a_09")],
        &[
            ("s LIKE 'a%'", Always),
            ("s NOT LIKE 'a%'", Never),
            ("s LIKE '%'", Always),
            ("s LIKE 'b%'", Never),
            ("s RLIKE '^b'", Never),
            ("s RLIKE 'b'", Maybe),
            ("s RLIKE '^b|a'", Maybe),
            ("s RLIKE '^b?a'", Maybe),
            ("substr(s, 1, 1) = 'b'", Never),
            ("substr(s, 2, 1) = 'b'", Maybe),
        ],
    );
}

/// Of a column that the partition has, the file's is not asked; a part that needs both stays for the rows.
#[test]
fn partition_filters_never_reach_statistics_of_files() {
    let root = tempfile::tempdir().unwrap();
    for directory in ["col=5", "col=20"] {
        std::fs::create_dir(root.path().join(directory)).unwrap();
        std::fs::write(root.path().join(directory).join("part"), "x").unwrap();
    }
    let stored = Schema::new(vec![
        Field::nullable("COL", LogicalType::Int32),
        Field::nullable("v", LogicalType::Int32),
    ]);
    let table = Table::new(
        &stored,
        discover(&[root.path()], PartitionTypes::Inferred).unwrap(),
    );
    let planned = |predicate| {
        let query = Query {
            predicate: Some(predicate),
            ..Query::default()
        };
        plan(&table, &query).unwrap()
    };
    let filtered = planned("col > 10");
    assert_eq!((filtered.tasks.len(), filtered.residual().len()), (1, 0));
    assert!(filtered.filter.leaves().is_empty());
    let mixed = planned("col <> v");
    assert_eq!((mixed.tasks.len(), mixed.residual().len()), (2, 1));
}

/// Statistics in the file's type mean the same values in the table's.
#[test]
fn narrower_types_of_files_are_compared_by_value() {
    let narrow = stats(Scalar::Float32(0.5), Scalar::Float32(1.5), Some(0));
    assert_all(
        "x double",
        &[narrow],
        &[
            ("x < 0.5D", Never),
            ("x * 2 < 1D", Never),
            ("x < 1D", Maybe),
        ],
    );
    let cents = |value| Scalar::Decimal {
        unscaled: value,
        scale: 2,
    };
    let other_scale = stats(cents(150), cents(250), Some(0));
    assert_all(
        "d decimal(10,4)",
        &[other_scale],
        &[
            ("d = 1.5000", Maybe),
            ("d > 2.5", Never),
            ("d < 15000", Always),
            ("d * 2 > 100", Maybe),
        ],
    );
    assert_all(
        "a bigint",
        &[ints(1, 9)],
        &[("a > 3000000000", Never), ("a + 1 > 3000000000", Never)],
    );
    // a column that the file lacks is null in every row
    let missing = ColumnStats::constant(&Scalar::Null, 10);
    assert_all(
        "c string",
        &[missing],
        &[
            ("c = 'x'", Never),
            ("NOT (c = 'x')", Never),
            ("c LIKE 'x%'", Never),
            ("c IS NULL", Always),
            ("c <=> NULL", Always),
            ("coalesce(c, 'x') = 'x'", Always),
        ],
    );
}

/// What directories are called, what they mean, and how they are found again.
#[test]
fn directories_are_pruned_by_value_and_opened_by_name() {
    let selected = |directories: &[&str], types, predicate: &str| -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        for directory in directories {
            std::fs::create_dir(root.path().join(directory)).unwrap();
            std::fs::write(root.path().join(directory).join("part"), "x").unwrap();
        }
        let stored = Schema::new(vec![Field::nullable("v", LogicalType::Int32)]);
        let table = Table::new(&stored, discover(&[root.path()], types).unwrap());
        let query = Query {
            predicate: Some(predicate),
            ..Query::default()
        };
        let plan: ScanPlan = plan(&table, &query).unwrap();
        plan.selected_partitions
    };
    let inferred = PartitionTypes::Inferred;
    assert_eq!(selected(&["p=01", "p=2"], inferred, "p = 1"), ["p=01"]);
    assert_eq!(selected(&["p=01", "p=2"], inferred, "p = '1'"), ["p=01"]);
    assert_eq!(
        selected(&["p=01", "p=2"], PartitionTypes::Text, "p = '01'"),
        ["p=01"]
    );
    assert_eq!(selected(&["p=-0", "p=AA"], inferred, "p = '-0'"), ["p=-0"]);
    assert_eq!(
        selected(&["p=NOW", "p=2024-01-01AAA"], inferred, "p = 'NOW'"),
        ["p=NOW"]
    );
    assert_eq!(selected(&["p=10d", "p=NaN"], inferred, "p > 11"), ["p=NaN"]);
    assert_eq!(
        selected(&["p=a%2Fb", "p=a%3Db"], inferred, "p = 'a/b'"),
        ["p=a%2Fb"]
    );
    let default = "p=__HIVE_DEFAULT_PARTITION__";
    assert_eq!(
        selected(&[default, "p=NULL"], inferred, "p IS NULL"),
        [default]
    );
    assert_eq!(
        selected(&[default, "p=NULL"], inferred, "p = 'NULL'"),
        ["p=NULL"]
    );
    assert_eq!(
        selected(&[default, "p=3"], inferred, "NOT (p = 4)"),
        ["p=3"]
    );
    let times = ["p=12:00:00", "p=12:00:00.0", "p=13:00:00"];
    assert_eq!(selected(&times, inferred, "p = TIME'12:00:00'"), times[..2]);
    // casts and functions do not stand in the way
    let days = ["p=2024-01-31", "p=2024-02-01", "p=2023-02-01"];
    assert_eq!(
        selected(&days, inferred, "year(p) = 2024 AND month(p) = 2"),
        ["p=2024-02-01"]
    );
    assert_eq!(
        selected(&days, inferred, "cast(p AS string) LIKE '%-02-01'").len(),
        2
    );
}

#[test]
fn parts_of_json_are_computed() {
    let table = table("j string", 0);
    let row = |predicate: &str, json: &str| {
        let expr = sql::parse(predicate)
            .and_then(|expr| resolve::resolve_condition(expr, &table, EvalMode::Ansi))
            .unwrap();
        let predicate = lith_planner::eval::Predicate::new(&expr).unwrap();
        predicate.row(&|_| Scalar::string(json)).unwrap()
    };
    let json = r#"{"a":{"b":"x"},"n":7}"#;
    assert_eq!(row("get_json_object(j, '$.a.b') = 'x'", json), Some(true));
    assert_eq!(row("get_json_object(j, '$.n') = 7", json), Some(true));
    assert_eq!(row("get_json_object(j, '$.z') = 'x'", json), None);
    assert_eq!(row("get_json_object(j, '$.a.b') = 'x'", "no json"), None);
}
