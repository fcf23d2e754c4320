//! Variants at the command line: as JSON, as they are stored, and in conditions.
//!
//! Needs `LITH_SHARED`, a directory with `corpus`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn lith(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lith"));
    command.args(args).stdin(Stdio::null()).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = lith(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The command must end with this code and say one line that holds `word`.
fn fails(args: &[&str], code: i32, word: &str) {
    let output = lith(args);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {complaint}");
    assert!(complaint.contains(word), "{args:?}: {complaint}");
    assert_eq!(complaint.lines().count(), 1, "{args:?}: {complaint}");
}

fn file(name: &str) -> Option<String> {
    let shared = std::env::var_os("LITH_SHARED").map(PathBuf::from);
    if shared.is_none() {
        eprintln!("LITH_SHARED is not set: the corpus is not read");
    }
    let path = shared?.join("corpus").join(name);
    Some(path.display().to_string())
}

#[test]
fn rows_hold_json_or_what_is_stored() {
    let (Some(plain), Some(shredded)) = (
        file("synth/parquet/sp_variant.parquet"),
        file("synth/parquet/sp_variant_shredded.parquet"),
    ) else {
        return;
    };
    let rows = stdout(&["head", &plain, "-n", "4", "-c", "v", "-f", "jsonl"]);
    let expected = [
        r#"{"v":null}"#,
        r#"{"v":1}"#,
        r#"{"v":"str2"}"#,
        r#"{"v":[true,false,null]}"#,
    ];
    assert_eq!(rows.lines().collect::<Vec<_>>(), expected);
    let raw = stdout(&[
        "head",
        &plain,
        "-n",
        "2",
        "-c",
        "v",
        "-f",
        "jsonl",
        "--variant",
        "raw",
    ]);
    let expected = [
        r#"{"v":null}"#,
        r#"{"v":{"value":"0x0c01","metadata":"0x010000"}}"#,
    ];
    assert_eq!(raw.lines().collect::<Vec<_>>(), expected);
    let csv = stdout(&["scan", &plain, "-n", "5", "-c", "v", "-f", "csv"]);
    assert!(
        csv.starts_with("v\n\n1\n\"\"\"str2\"\"\"\n\"[true,false,null]\"\n\"{\"\"a\"\":4"),
        "{csv}"
    );
    // the rest of Spark's decimals are decimals
    let row = stdout(&["tail", &shredded, "-n", "1", "-c", "v", "-f", "jsonl"]);
    let row: Value = serde_json::from_str(&row).unwrap();
    assert!(row["v"].is_object(), "{row}");
    let all = |path: &str| stdout(&["scan", path, "-f", "jsonl"]);
    let sample = stdout(&["sample", &shredded, "-n", "1000", "-f", "jsonl"]);
    assert_eq!(sample, all(&shredded));
}

#[test]
fn files_may_shred_differently() {
    let names = ["", "_shredded"].map(|name| format!("synth/parquet/sp_variant{name}.parquet"));
    let (Some(plain), Some(shredded)) = (file(&names[0]), file(&names[1])) else {
        return;
    };
    let column = |paths: &[&str]| {
        let columns = ["-c", "v", "-f", "jsonl"];
        stdout(&[&["scan"], paths, &columns].concat())
    };
    let both = column(&[&plain, &shredded]);
    assert_eq!(both, column(&[&plain]) + &column(&[&shredded]));
    let count = |condition| stdout(&["count", &plain, &shredded, "-w", condition]);
    let nulls = both.lines().filter(|row| *row == r#"{"v":null}"#).count();
    assert_eq!(count("v IS NULL").trim(), nulls.to_string());
    assert_eq!(count("v IS NOT NULL").trim(), (80 - nulls).to_string());
    let raw = ["scan", &plain, &shredded, "--variant", "raw", "-f", "jsonl"];
    assert_eq!(stdout(&raw).lines().count(), 80);
}

#[test]
fn conditions_on_variants_are_those_of_spark_or_refused() {
    let Some(shredded) = file("synth/parquet/sp_variant_shredded.parquet") else {
        return;
    };
    let count = |more: &[&str]| stdout(&[&["count", &shredded, "-w"], more].concat());
    assert_eq!(
        count(&["v.typed_value.a.typed_value < 10", "--variant", "raw"]),
        "10\n"
    );
    let plan = stdout(&["explain", &shredded, "-w", "v IS NOT NULL"]);
    assert!(
        plan.contains("isnotnull(v)") || plan.contains("v IS NOT NULL"),
        "{plan}"
    );
    for (condition, code, word) in [
        ("v = 1", 2, "variant"),
        ("v = v", 2, "variant"),
        ("v.a = 1", 2, "variant"),
        ("CAST(v AS string) = 'x'", 4, "variant"),
        ("variant_get(v, '$.a', 'int') = 1", 4, "variant_get"),
    ] {
        fails(&["count", &shredded, "-w", condition], code, word);
    }
    fails(&["scan", &shredded, "-c", "v.metadata"], 2, "variant");
    let schema = stdout(&["schema", &shredded, "-f", "spark"]);
    assert_eq!(schema, "struct<id:int,v:variant>\n");
    let raw = stdout(&["schema", &shredded, "-f", "spark", "--variant", "raw"]);
    assert!(
        raw.starts_with("struct<id:int,v:struct<metadata:binary,"),
        "{raw}"
    );
    let shown = stdout(&["inspect", &shredded]);
    assert!(shown.contains("variant"), "{shown}");
}

#[test]
fn invalid_variants_are_refused_and_can_be_looked_at() {
    let Some(invalid) = file("parquet/shredded_variant/case-042.parquet") else {
        return;
    };
    fails(&["scan", &invalid], 4, "both a value and a typed value");
    let raw = stdout(&["scan", &invalid, "--variant", "raw", "-f", "jsonl"]);
    assert!(raw.contains("typed_value"), "{raw}");
}
