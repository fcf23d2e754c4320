//! Conditions of all kinds over files of Spark: what each skips, and that skipping changes no row.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

mod rows;

use std::path::PathBuf;
use std::sync::Arc;

use lith::args::Input;
use lith::dataset::Opened;
use rows::rows;

/// Conditions on `wide`, whose six row groups (or stripes) hold a thousand ascending keys each, and how many row groups
/// they skip at least by statistics of the footer.
const SKIPPED: &[(&str, u64)] = &[
    // two columns, struct fields, elements
    ("key < key_desc", 3),
    ("key_desc >= key + 0", 3),
    ("nested.a = 3", 5),
    ("nested.a + 1 = 4 AND nested.b.c = 'd'", 5),
    ("array_contains(arr, 3001)", 5),
    // arithmetic with constants
    ("key + 1 < 1000", 5),
    ("-key > -10", 5),
    ("5999 - key < 10", 5),
    ("key * -2 < -9998", 5),
    ("key div 1000 = 2", 5),
    ("key / 1000 >= 5", 5),
    ("(key + 7) * 2 - 1 <=> 13", 5),
    ("dec_i32 * 2 > 1000000", 6),
    // casts and rounding
    ("cast(key AS int) = 3000", 5),
    ("floor(dbl_sorted) = 100", 5),
    ("ceil(dbl_sorted) IN (100, 101)", 5),
    ("round(dbl_sorted, 0) < 10", 5),
    ("cast(dbl_sorted AS int) > 700", 5),
    // dates and timestamps
    ("year(d) = 2010", 4),
    ("year(d) = 2010 AND month(d) = 3", 5),
    ("month(ts) = 2", 2),
    ("date_trunc('month', ts) = TIMESTAMP'2020-01-01'", 3),
    ("trunc(d, 'YEAR') = DATE'2009-01-01'", 5),
    ("to_date(ts) = DATE'2020-02-08'", 5),
    (
        "cast(ts AS date) IN (DATE'2020-02-08', DATE'2020-02-09')",
        5,
    ),
    ("date_add(d, 10) < DATE'2000-01-01'", 5),
    ("datediff(d, DATE'2009-01-01') = 0", 5),
    ("cast(d AS string) = '2009-01-01'", 5),
    ("cast(ts AS string) LIKE '2020-02-08 05:1%'", 5),
    // beginnings of text
    ("substr(s_sorted, 1, 4) = 'k003'", 5),
    ("substr(s_sorted, 1, 4) > 'k003'", 4),
    ("left(s_sorted, 4) IN ('k001', 'k003')", 4),
    ("startswith(s_sorted, 'k00400')", 5),
    ("s_sorted LIKE 'k004%9'", 5),
    ("s_sorted RLIKE '^k004[0-9]'", 5),
    // negations and lists
    ("const_int <> 7", 6),
    ("const_int NOT IN (7, 8)", 6),
    ("NOT (const_int = 7 OR key < 0)", 6),
    ("s_prefix NOT LIKE 'prefix-%'", 6),
    ("all_null IS NOT NULL", 6),
    ("NOT (key <=> 3000) AND const_int <=> NULL", 6),
];

/// The rows, and how many row groups were skipped.
fn scanned(opened: &Opened, predicate: &str, prune: bool) -> (Vec<String>, u64) {
    let plan = opened.plan(Some(predicate), Some("key"), None).unwrap();
    let scan = opened.scan(&plan, prune).unwrap();
    let metrics = Arc::clone(scan.metrics());
    (rows(scan).unwrap(), metrics.row_groups_pruned.get())
}

#[test]
fn row_groups_are_skipped_and_no_row_is_lost() {
    let Some(shared) = std::env::var_os("LITH_SHARED").map(PathBuf::from) else {
        eprintln!("LITH_SHARED is not set: nothing is skipped");
        return;
    };
    let mut fewer = Vec::new();
    for format in ["parquet", "orc"] {
        let directory = shared.join(format!("oracle/spark/datasets/wide_{format}"));
        let opened = Opened::new(&Input::new([directory])).unwrap();
        for (predicate, least) in SKIPPED {
            let (found, skipped) = scanned(&opened, predicate, true);
            let (wanted, none) = scanned(&opened, predicate, false);
            assert_eq!((found, none), (wanted, 0), "{format}: {predicate}");
            if skipped < *least {
                fewer.push(format!("{format}: {predicate}: {skipped} of {least}"));
            }
        }
    }
    assert!(fewer.is_empty(), "{fewer:#?}");
}
