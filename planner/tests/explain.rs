//! Explanations of a small table of two files, each of two row groups, whose bounds are made up.

#![expect(clippy::unwrap_used, reason = "a test")]

use lith_format::error::ErrorKind;
use lith_format::meta::{ChunkMeta, FileMeta, Format, RowGroupMeta};
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::stats::{Bound, ColumnStats};
use lith_format::types::{LogicalType, TimeUnit, Zone};
use lith_planner::discover::{DataFile, Dataset, Partition};
use lith_planner::error::PlanErrorKind;
use lith_planner::explain::{Engine, Estimate, Explanation, Palette, explain};
use lith_planner::plan::{Query, Table, plan};
use serde_json::json;

fn table() -> Table {
    let int = |name: &str| Field::nullable(name, LogicalType::Int32);
    let stored = Schema::new(vec![
        int("cost"),
        int("price"),
        Field::nullable("note", LogicalType::String),
    ]);
    let file = |store: &str, partition| DataFile {
        path: format!("{store}/part").into(),
        bytes: 1000,
        partition,
    };
    let partition = |store: &str| Partition {
        directory: format!("store={store}"),
        values: vec![Scalar::string(store)],
    };
    let dataset = Dataset {
        files: vec![file("S01", 0), file("S02", 1)],
        partitions: vec![partition("S01"), partition("S02")],
        partition_columns: vec![Field::nullable("store", LogicalType::String)],
    };
    Table::new(&stored, dataset)
}

/// Two row groups of ten rows: costs of 1 to 9 and 10 to 19, prices of 0 to 5 in the first, 20 to 30 in
/// the second; the note has no bounds.
fn meta() -> FileMeta {
    let chunk = |bounds: Option<(i64, i64)>| ChunkMeta {
        compressed_bytes: Some(100),
        has_index: true,
        stats: ColumnStats {
            min: bounds.map(|(min, _)| bound(min)),
            max: bounds.map(|(_, max)| bound(max)),
            null_count: Some(0),
            value_count: Some(10),
            ..ColumnStats::default()
        },
        ..ChunkMeta::default()
    };
    let coded = |chunk: ChunkMeta| ChunkMeta {
        encodings: vec!["PLAIN", "RLE_DICTIONARY"],
        ..chunk
    };
    let group = |cost, price| RowGroupMeta {
        rows: 10,
        range: 0..500,
        chunks: vec![
            chunk(Some(cost)),
            coded(chunk(Some(price))),
            coded(chunk(None)),
        ],
        leafless: Vec::new(),
    };
    FileMeta {
        format: Format::Parquet,
        version: "2.6".into(),
        created_by: None,
        schema: Schema::new(table().schema.schema.fields[..3].to_vec()),
        rows: 20,
        row_groups: vec![group((6, 9), (0, 5)), group((10, 19), (20, 30))],
        key_values: Vec::new(),
        footer_bytes: 0,
    }
}

fn bound(value: i64) -> Bound {
    Bound {
        value: Scalar::Int(value),
        exact: true,
    }
}

fn explained(predicate: &str, columns: &[&str], engine: Engine) -> Explanation {
    let query = Query {
        predicate: Some(predicate),
        columns: (!columns.is_empty()).then(|| columns.iter().map(|c| (*c).into()).collect()),
        limit: None,
        ..Query::default()
    };
    let plan = plan(&table(), &query).unwrap();
    let meta = meta();
    let metas: Vec<&FileMeta> = plan.tasks.iter().map(|_| &meta).collect();
    explain(&plan, &metas, engine).unwrap()
}

/// An exact match is enough for lith. Spark, which ignores case, reads no such table at all.
#[test]
fn columns_that_differ_by_case_are_told_apart_but_not_for_spark() {
    let columns = |names: [&str; 2]| {
        let fields = names.map(|name| Field::nullable(name, LogicalType::Int32));
        Table::new(&Schema::new(fields.to_vec()), table().dataset)
    };
    let asked = |table: &Table, predicate| {
        let query = Query {
            predicate: Some(predicate),
            ..Query::default()
        };
        plan(table, &query)
    };
    let twins = columns(["cost", "COST"]);
    let exact = asked(&twins, "COST = 1").unwrap();
    assert_eq!(exact.conjuncts[1].column_indices(), [1]);
    let ambiguous = asked(&twins, "Cost = 1").err().unwrap();
    assert_eq!(*ambiguous.kind(), PlanErrorKind::AmbiguousColumn);
    assert!(explain(&exact, &[], Engine::Lith).is_ok());
    let error = explain(&exact, &[], Engine::Spark).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let others = asked(&columns(["cost", "costs"]), "COST = 1").unwrap();
    assert!(explain(&others, &[], Engine::Spark).is_ok());
}

#[test]
fn two_columns_are_judged_on_the_bounds_of_both() {
    let json = explained("store = 'S01' AND cost < price", &["price"], Engine::Lith).json();
    assert_eq!(
        json,
        json!({
            "schema_version": 1,
            "engine": "lith",
            "format": "parquet",
            "location": [],
            "partition_filters": ["(store IS NOT NULL)", "(store = 'S01')"],
            "data_filters": ["(cost IS NOT NULL)", "(price IS NOT NULL)", "(cost < price)"],
            "pushed_filters": ["(cost IS NOT NULL)", "(price IS NOT NULL)", "(cost < price)"],
            "post_filter": "(cost < price)",
            "read_schema": "struct<cost:int,price:int>",
            "empty": false,
            "never_true": [],
            "partitions": {"total": 2, "selected": 1},
            "files": {"total": 2, "selected": 1},
            "row_groups": {"total": 2, "selected": 1, "always": 1},
            "strides": null,
            "bytes": {"total": 2000, "selected": 200},
            "rows": {
                "total": 20,
                "selected_at_most": 10,
                "selected_at_least": 10,
                "estimated": 10,
            },
            "conjuncts": [
                {
                    "text": "(store = 'S01')",
                    "class": "partition",
                    "judged_by": ["directory"],
                    "order": null,
                    "rows": null,
                    "not_pushed_because": null,
                    "hint": null,
                },
                {
                    "text": "(cost < price)",
                    "class": "data",
                    "judged_by": ["row_group_stats", "page_index", "rows"],
                    "order": 1,
                    "rows": {"at_least": 10, "estimated": 10, "at_most": 10},
                    "not_pushed_because": "compares two columns",
                    "hint": "lith evaluates it on the bounds of both",
                },
            ],
            "unreadable": [],
        })
    );
}

#[test]
fn spark_has_its_own_lists_and_none_for_what_is_never_true() {
    let json = explained("cost < 10 AND store <> note", &[], Engine::Spark).json();
    assert_eq!(json["partition_filters"], json!(["isnotnull(store)"]));
    assert_eq!(
        json["pushed_filters"],
        json!(["IsNotNull(cost)", "IsNotNull(note)", "LessThan(cost,10)"])
    );
    assert_eq!(
        json["post_filter"],
        "(((isnotnull(cost) AND isnotnull(note)) AND (cost < 10)) AND NOT (store = note))"
    );
    let never = explained("cost = 1 AND cost = 2", &[], Engine::Spark).json();
    assert_eq!(never["never_true"], json!(["(cost = 1)", "(cost = 2)"]));
    assert_eq!(never["empty"], true);
    assert!(never["partition_filters"].is_null() && never["pushed_filters"].is_null());
    assert_eq!(never["files"], json!({"total": 2, "selected": 0}));
}

#[test]
fn reasons_and_hints_name_what_is_in_the_way() {
    for (predicate, why, hint) in [
        ("cost = 7", None, None),
        ("cost < 100", None, None),
        ("cost IN (7, 12)", None, Some("skip about 75%")),
        ("note = 'x'", None, Some("the writer stored none for note")),
        (
            "cast(note AS int) = 1",
            Some("casts note to int"),
            Some("holds text"),
        ),
        (
            "cost + 1 < 5",
            Some("computes +"),
            Some("lith has judged it so"),
        ),
        ("upper(note) = 'X'", Some("upper()"), None),
        (
            "note LIKE 'a_c%'",
            Some("the pattern"),
            Some("lith evaluates"),
        ),
        (
            "cost = 1 OR upper(note) = 'X'",
            Some("a side of the OR cannot be pushed: upper(note) = 'X' (computes upper()"),
            Some("they do not judge a side of the OR, upper(note) = 'X'"),
        ),
        (
            "cost = 7 OR cost = 8 OR 9 = cost",
            None,
            Some("the same in short: cost IN (7, 8, 9)"),
        ),
        ("cost = 7 OR price = 8", None, None),
        (
            "cost < 3 OR cast(note AS int) = 1",
            Some("CAST(note AS INT) = 1 (casts note to int)"),
            Some("CAST(note AS INT) = 1; the column holds text"),
        ),
        (
            "store < note",
            Some("partition columns and stored columns"),
            None,
        ),
    ] {
        let explanation = explained(predicate, &[], Engine::Lith);
        let finding = explanation.conjuncts.last().unwrap();
        let holds = |found: &Option<String>, wanted: Option<&str>| match wanted {
            Some(wanted) => found.as_ref().is_some_and(|found| found.contains(wanted)),
            None => found.is_none(),
        };
        assert!(
            holds(&finding.not_pushed_because, why),
            "{predicate}: {finding:?}"
        );
        assert!(
            hint.is_none() || holds(&finding.hint, hint),
            "{predicate}: {finding:?}"
        );
    }
}

#[test]
fn texts_of_dates_and_of_directories_have_better_spellings() {
    let stored = Schema::new(vec![
        Field::nullable(
            "ts",
            LogicalType::Timestamp {
                unit: TimeUnit::Micros,
                zone: Zone::Utc,
            },
        ),
        Field::nullable("d", LogicalType::Date),
    ]);
    let mut dataset = table().dataset;
    for (partition, text) in dataset.partitions.iter_mut().zip(["01", "x"]) {
        partition.values = vec![Scalar::string(text)];
    }
    let table = Table::new(&stored, dataset);
    let hint = |predicate: &str| {
        let query = Query {
            predicate: Some(predicate),
            ..Query::default()
        };
        let plan = plan(&table, &query).unwrap();
        let explanation = explain(&plan, &[], Engine::Lith).unwrap();
        explanation.conjuncts.last().unwrap().hint.clone().unwrap()
    };
    for (predicate, wanted) in [
        (
            "cast(ts AS string) LIKE '2024-06%'",
            "text reads every file in Spark: write ts >= DATE '2024-06-01' AND ts < DATE '2024-07-01'; lith has judged it so",
        ),
        (
            "cast(d AS string) = '2024-06-01'",
            "text reads every file in Spark: write d = DATE '2024-06-01'; lith has judged it so",
        ),
        (
            "try_cast(store AS int) = 1",
            "store is partitioned as text, such as '01': compare with text, store = '01'",
        ),
    ] {
        assert_eq!(hint(predicate), wanted, "{predicate}");
    }
}

#[test]
fn rows_are_estimated_between_what_is_certain() {
    let estimate = |predicate: &str| explained(predicate, &["cost"], Engine::Lith).passing;
    let of = |at_least, about, at_most| Estimate {
        at_least,
        about,
        at_most,
    };
    assert_eq!(estimate("store = 'S01' AND cost < 10"), of(10, 10, 10));
    assert_eq!(estimate("store = 'S01' AND cost < 15"), of(10, 15, 20));
    assert_eq!(estimate("store = 'S01' AND note = 'x'"), of(0, 1, 20));
    assert_eq!(estimate("store = 'S01' AND cost > 100"), of(0, 0, 0));
    let text = explained(
        "store = 'S01' AND cost < 15 AND note <> 'x'",
        &["cost"],
        Engine::Lith,
    );
    let text = text.text(&Palette::default());
    assert!(
        text.contains("at most 20 of 20 in these files, about 14"),
        "{text}"
    );
    assert!(text.contains("rows (1st), keeps about"), "{text}");
    assert!(text.contains("rows (2nd), keeps about 95%"), "{text}");
}

#[test]
fn functions_of_one_coded_column_are_computed_of_its_dictionary() {
    for (predicate, expected) in [
        ("note RLIKE 'x.*y'", true),
        ("upper(note) = 'X'", true),
        ("length(note) > 3 OR note LIKE '%z%'", true),
        ("get_json_object(note, '$.a') = 'b'", true),
        ("note = store", false),
        ("length(note) > cost", false),
        ("note < uuid()", false),
        ("cost % 2 = 1", false),
        ("price % 2 = 1", true),
        ("price > 24 AND price < 26", true),
    ] {
        let explained = explained(predicate, &[], Engine::Lith);
        let last = explained.conjuncts.last().unwrap();
        let is_judged = last.judged_by.contains(&"dictionary");
        assert_eq!(is_judged, expected, "{predicate}: {:?}", last.judged_by);
    }
}

#[test]
fn what_excludes_each_other_is_told_and_nothing_is_read() {
    let explain = |predicate: &str, engine| explained(predicate, &[], engine);
    for (predicate, why) in [
        (
            "cost > 5 AND note = 'x' AND cost < 3",
            "cost > 5 and cost < 3 exclude each other",
        ),
        (
            "note = 'x' AND cost = 1 AND cost = 2",
            "cost = 1 and cost = 2 exclude each other",
        ),
        ("1 = 0 AND cost = 1", "1 = 0 is never true"),
    ] {
        let lith = explain(predicate, Engine::Lith);
        let expected = format!("scan of nothing\n└─ empty            {why}: nothing is read\n");
        assert_eq!(lith.text(&Palette::default()), expected, "{predicate}");
        assert_eq!(lith.json()["empty"], true);
        assert_eq!(lith.json()["files"], json!({"total": 2, "selected": 0}));
    }
    // Spark does not look at ranges: its lists are what it prints
    let spark = explain("cost > 5 AND cost < 3", Engine::Spark);
    assert_eq!(spark.json()["empty"], false);
    assert_eq!(spark.pushed_filters.len(), 3);
    let text = spark.text(&Palette::default());
    assert!(
        text.contains("exclude each other, which Spark does not see"),
        "{text}"
    );
    assert!(text.contains("files            2 of 2"), "{text}");
}

#[test]
fn the_tree_is_aligned_and_plain_without_colour() {
    let explanation = explained("store = 'S01' AND cost < price", &["price"], Engine::Lith);
    let text = explanation.text(&Palette::default());
    let expected = "\
scan of parquet
├─ partitions       1 of 2
├─ files            1 of 2
├─ row groups       1 of 2 in these files, 1 of them whole
├─ rows             10 of 20 in these files
├─ bytes            200 B of 1.95 KiB
├─ columns read     2 of 3: cost, price
└─ conditions
   ├─ store = 'S01'   partition   by directory
   └─ cost < price    data        by row group bounds, page bounds, rows, rules out 1 row group, keeps 50%
      not pushed by Spark: compares two columns; lith evaluates it on the bounds of both
";
    assert_eq!(text, expected);
    assert!(explanation.text(&Palette::COLOUR).contains("\x1b[1m"));
}

#[test]
fn huge_predicates_neither_crash_nor_take_long() {
    let terms = |count: usize, joint: &str, term: &dyn Fn(usize) -> String| {
        (0..count).map(term).collect::<Vec<_>>().join(joint)
    };
    let start = std::time::Instant::now();
    let or = terms(10_000, " OR ", &|i| format!("cost = {i}"));
    assert_eq!(explained(&or, &[], Engine::Lith).conjuncts.len(), 1);
    let and = terms(2_000, " AND ", &|i| format!("cost <> {i}"));
    assert_eq!(explained(&and, &[], Engine::Lith).conjuncts.len(), 2_000);
    let mixed = terms(2_000, " OR ", &|i| format!("(cost = {i} AND price < {i})"));
    assert_eq!(explained(&mixed, &[], Engine::Lith).conjuncts.len(), 1);
    let list = (0..10_000)
        .map(|i| i.to_string())
        .collect::<Vec<_>>()
        .join(", ");
    let list = format!("cost IN ({list})");
    assert_eq!(explained(&list, &[], Engine::Lith).row_groups.selected, 4);
    let deep = format!("{}cost = 1{}", "NOT (".repeat(1000), ")".repeat(1000));
    let query = Query {
        predicate: Some(&deep),
        ..Query::default()
    };
    let _ = plan(&table(), &query).map(|plan| assert!(!plan.conjuncts.is_empty()));
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// Ten thousand terms of every kind; with work that grows with their square it would take minutes.
#[test]
fn long_predicates_take_time_that_grows_with_their_length() {
    let floats = ["f", "g"].map(|name| Field::nullable(name, LogicalType::Float64));
    let table = Table::new(&Schema::new(floats.to_vec()), table().dataset);
    let conjuncts = |predicate: &str| {
        let query = Query {
            predicate: Some(predicate),
            ..Query::default()
        };
        let plan = plan(&table, &query).unwrap();
        let spark = explain(&plan, &[], Engine::Spark).unwrap();
        assert!(!spark.text(&Palette::default()).is_empty());
        assert_eq!(plan.predicates().unwrap().len(), plan.residual().len());
        plan.residual().len()
    };
    let terms = |joint: &str, term: fn(usize) -> String| {
        (0..10_000).map(term).collect::<Vec<_>>().join(joint)
    };
    assert_eq!(conjuncts(&terms(" AND ", |i| format!("f <> {i}"))), 10_000);
    assert_eq!(conjuncts(&terms(" OR ", |i| format!("f = {i}.5"))), 1);
    let pairs = |i| format!("(f <= {i} OR g > -{i}.25)");
    assert_eq!(conjuncts(&terms(" AND ", pairs)), 10_000);
    let branches = terms(" ", |i| format!("WHEN f = {i} THEN {i}"));
    assert_eq!(conjuncts(&format!("CASE {branches} END = 3")), 1);
    let list = terms(", ", |i| format!("{i}e0"));
    assert_eq!(conjuncts(&format!("f IN ({list})")), 1);
}

#[test]
fn directories_are_not_pruned_by_what_is_not_computed() {
    let text = "date_format(store, 'y') = '2024' AND store <> 'S02' AND cost > 3";
    let spark = explained(text, &["price"], Engine::Spark);
    assert_eq!(
        spark.partition_filters,
        [
            "isnotnull(store)",
            "(date_format(cast(store as timestamp), y, Some(UTC)) = 2024)",
            "NOT (store = S02)"
        ]
    );
    let json = explained(text, &["price"], Engine::Lith).json();
    assert_eq!(json["partitions"], json!({"total": 2, "selected": 1}));
    let conjunct = &json["conjuncts"][0];
    assert_eq!(conjunct["class"], "partition");
    assert_eq!(conjunct["judged_by"], json!([]));
    let why = "the function date_format is not supported";
    assert_eq!(
        conjunct["hint"],
        format!("directories cannot be pruned by it: {why}")
    );
    let data = explained("md5(note) = 'x'", &["price"], Engine::Lith);
    let hint = data.conjuncts[0].hint.as_deref();
    assert_eq!(
        hint,
        Some("rows cannot be filtered by it: the function md5 is not supported")
    );
    assert!(
        data.text(&Palette::default())
            .contains("data        not evaluated")
    );
    // who asks for rows learns it
    for text in [
        text,
        "md5(note) = 'x'",
        "md5(store) = 'x' OR cost > 3",
        "note = md5('x')",
    ] {
        let query = Query {
            predicate: Some(text),
            ..Query::default()
        };
        let error = plan(&table(), &query).unwrap().predicates().err().unwrap();
        assert_eq!(error.kind(), &PlanErrorKind::Unsupported);
        assert!(error.message().ends_with("is not supported"), "{error}");
        assert!(error.span().end > error.span().start);
    }
}
