//! Parts of arrays and maps at the command line, selected and in conditions.
//!
//! Needs `LITH_SHARED`, a directory with `oracle/spark`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn lith(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lith"));
    command.args(args).stdin(Stdio::null()).output().unwrap()
}

fn dataset() -> Option<String> {
    let shared = std::env::var_os("LITH_SHARED").map(PathBuf::from);
    if shared.is_none() {
        eprintln!("LITH_SHARED is not set: the oracle's data is not read");
    }
    let path = shared?.join("oracle/spark/datasets/transactions_parquet");
    Some(path.display().to_string())
}

/// The name and the cells of the only column that a scan prints.
fn column(path: &str, column: &str, condition: &str) -> (String, Vec<Value>) {
    let output = lith(&["scan", path, "-c", column, "-w", condition, "-f", "jsonl"]);
    assert!(output.status.success(), "{column}: {output:?}");
    let rows = String::from_utf8(output.stdout).unwrap();
    let rows = rows.lines().map(|line| serde_json::from_str(line).unwrap());
    let rows: Vec<Value> = rows.collect();
    let name = rows[0].as_object().unwrap().keys().next().unwrap().clone();
    let cells = rows.iter().map(|row| row[&name].clone()).collect();
    (name, cells)
}

#[test]
fn what_is_selected_is_what_conditions_are_about() {
    let Some(path) = dataset() else {
        return;
    };
    let count = |condition: &str| -> usize {
        let output = lith(&["count", &path, "-w", condition]);
        let count = String::from_utf8(output.stdout).unwrap();
        count.trim().parse().unwrap()
    };
    for (part, name, condition) in [
        ("attrs['k']", "attrs[k]", "true"),
        ("attrs.k", "k", "true"),
        ("items.sku", "sku", "true"),
        ("tags[0]", "tags[0]", "size(tags) > 0"),
        ("get(tags, 0)", "get(tags, 0)", "true"),
        ("get(items, 0).n", "items[0].n", "true"),
        ("items[0].n", "items[0].n", "size(items) > 0"),
    ] {
        let (found, cells) = column(&path, part, condition);
        assert_eq!(found, name);
        assert_eq!(cells.len(), count(condition), "{part}");
        let nulls = cells.iter().filter(|cell| cell.is_null()).count();
        let null = count(&format!("{condition} AND {part} IS NULL"));
        assert_eq!(nulls, null, "{part}");
        let Some(text) = cells.iter().find_map(Value::as_str) else {
            continue;
        };
        let same = cells.iter().filter(|cell| cell.as_str() == Some(text));
        let equal = count(&format!("{condition} AND {part} = '{text}'"));
        assert_eq!(same.count(), equal, "{part}");
    }
    let output = lith(&["scan", &path, "-c", "tags[0]"]);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(
        complaint.ends_with(
            "row group 0: column \"tags[0]\": no element 0 in an array of 0; get(array, 0) gives null\n"
        ),
        "{complaint}"
    );
}

#[test]
fn only_the_leaves_in_use_are_read() {
    let Some(path) = dataset() else {
        return;
    };
    let values = |column: &str, condition: &str| -> u64 {
        let args = ["scan", &path, "-c", column, "-w", condition, "--metrics"];
        let output = lith(&args);
        let metrics = String::from_utf8(output.stderr).unwrap();
        let (before, _) = metrics.split_once(" values decoded").unwrap();
        let digits = before.rsplit(' ').next().unwrap().replace(',', "");
        digits.parse().unwrap()
    };
    assert!(values("items.sku", "true") < values("items", "true"));
    assert!(values("items[0].n", "size(items) > 0") <= values("items", "size(items) > 0"));
    let one = values("id", "get(items, 0).n = 1");
    assert!(one < values("id", "get(items, 0).n = 1 AND size(items) > 0"));
}
