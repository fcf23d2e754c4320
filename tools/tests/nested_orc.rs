//! Lists, maps, structs and unions of ORC at the command line, and its encrypted columns.
//!
//! Needs `LITH_SHARED`, a directory with `corpus`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

#[expect(dead_code, reason = "the fuzz targets' types have other names")]
#[path = "../fuzz/src/stripe.rs"]
mod stripe;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use lith_format::orc::encoding::{CompressionKind, StreamKind, TypeKind};
use lith_format::orc::footer::Type;
use lith_format::orc::stripe::{ColumnEncoding, StripeFooter};
use serde_json::Value;
use stripe::Stripe;

fn lith(command: &str, file: &str, rest: &[&str]) -> Option<Output> {
    let Some(shared) = std::env::var_os("LITH_SHARED").map(PathBuf::from) else {
        eprintln!("LITH_SHARED is not set: the corpus is not read");
        return None;
    };
    let file = shared.join("corpus/orc").join(file);
    Some(run(command, &file, rest))
}

fn run(command: &str, file: &Path, rest: &[&str]) -> Output {
    let mut lith = Command::new(env!("CARGO_BIN_EXE_lith"));
    lith.arg(command).arg(file).args(rest);
    lith.stdin(Stdio::null()).output().unwrap()
}

/// The object that a command prints.
fn object(command: &str, file: &Path, rest: &[&str]) -> Value {
    let output = run(command, file, &[rest, &["-f", "json"]].concat());
    assert!(output.status.success(), "{file:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Checks the lines that the command prints.
fn prints(command: &str, file: &str, rest: &[&str], lines: &[&str]) {
    if let Some(output) = lith(command, file, rest) {
        assert!(output.status.success(), "{rest:?}: {output:?}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed.lines().collect::<Vec<_>>(), lines, "{rest:?}");
    }
}

/// Checks that the command ends with this code and an error that contains `word`.
fn fails(command: &str, file: &str, rest: &[&str], (code, word): (i32, &str)) {
    if let Some(output) = lith(command, file, rest) {
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{rest:?}: {complaint}");
        assert!(complaint.contains(word), "{rest:?}: {complaint}");
    }
}

const NESTED: &str = "TestOrcFile.test1.orc";
const UNION: &str = "TestOrcFile.testUnionAndTimestamp.orc";

#[test]
fn fields_elements_and_values_are_columns() {
    let columns = "middle.list.int1,list[0].int1,map['chani'].string1";
    prints(
        "scan",
        NESTED,
        &["-f", "jsonl", "-c", columns],
        &[
            r#"{"int1":[1,2],"list[0].int1":3,"map[chani].string1":null}"#,
            r#"{"int1":[1,2],"list[0].int1":100000000,"map[chani].string1":"chani"}"#,
        ],
    );
    let condition = "map['chani'].int1 = 5 AND size(map) = 2 AND get(list, 9) IS NULL";
    let rest = ["-f", "jsonl", "-c", "int1", "-w", condition];
    prints("scan", NESTED, &rest, &[r#"{"int1":65536}"#]);
    prints("count", NESTED, &["-w", "size(map) = 0"], &["1"]);
}

#[test]
fn unions_show_their_tags() {
    let rest = ["-n", "3", "-f", "jsonl", "-c", "union"];
    let expected = [
        r#"{"union":{"tag":0,"value":42}}"#,
        r#"{"union":{"tag":1,"value":"hello"}}"#,
        r#"{"union":null}"#,
    ];
    prints("head", UNION, &rest, &expected);
    let rest = ["-n", "1", "-f", "jsonl", "-c", "union"];
    let last = r#"{"union":{"tag":0,"value":138}}"#;
    prints("tail", UNION, &rest, &[last]);
    prints("count", UNION, &["-w", "union IS NULL"], &["1"]);
    fails("count", UNION, &["-w", "union = 3"], (2, "uniontype"));
}

#[test]
fn members_of_unions_are_columns() {
    let rest = ["-n", "3", "-f", "jsonl", "-c", "union.tag0, union.tag1"];
    let expected = [
        r#"{"tag0":42,"tag1":null}"#,
        r#"{"tag0":null,"tag1":"hello"}"#,
        r#"{"tag0":null,"tag1":null}"#,
    ];
    prints("head", UNION, &rest, &expected);
    let rest = ["-f", "jsonl", "-c", "union", "-w", "union.tag1 LIKE 'hel%'"];
    prints(
        "scan",
        UNION,
        &rest,
        &[r#"{"union":{"tag":1,"value":"hello"}}"#],
    );
    for condition in [
        "union.tag0 = 42",
        "union.tag0 + 1 = 43",
        "union.TAG0 IN (42, 7)",
    ] {
        for engine in ["lith", "spark"] {
            let rest = ["-w", condition, "--engine", engine, "-f", "json"];
            let explained = lith("explain", UNION, &rest);
            assert!(
                explained.is_none_or(|output| output.status.success()),
                "{rest:?}"
            );
        }
        prints("count", UNION, &["-w", condition], &["1"]);
    }
    // all rows are in one of these
    let parts = [
        "tag0 IS NOT NULL",
        "tag1 IS NOT NULL",
        "tag0 IS NULL AND union.tag1 IS NULL",
    ];
    let counts = parts.map(|part| {
        let output = lith("count", UNION, &["-w", &format!("union.{part}")])?;
        String::from_utf8(output.stdout)
            .unwrap()
            .trim()
            .parse::<u64>()
            .ok()
    });
    if let [Some(first), Some(second), Some(neither)] = counts {
        assert!(first > 1 && second > 1 && neither > 1);
        prints(
            "count",
            UNION,
            &[],
            &[&(first + second + neither).to_string()],
        );
    }
    fails("count", UNION, &["-w", "union.tag2 = 3"], (2, "tag2"));
}

#[test]
fn encrypted_columns_are_read_as_masks_on_request_only() {
    let file = "encrypted/sample1.orc";
    fails("head", file, &[], (4, "is encrypted"));
    let email = "841626795E7D351555B835A002E3BF10669DE9B81C95A3D59E10865AC37EA7C3";
    let masked = format!(r#"{{"ssn":null,"email":"{email}","name":"Dongjoon Hyun"}}"#);
    prints("head", file, &["--masks", "-f", "jsonl"], &[&masked]);
}

/// The bytes of data and of indexes that `inspect` shows: of all columns, and of the file.
fn sizes(shown: &Value) -> [[u64; 2]; 2] {
    let number = |value: &Value| value.as_u64().unwrap();
    let sum = |member: &str| {
        let columns = shown["columns"].as_array().unwrap().iter();
        columns.map(|column| number(&column[member])).sum()
    };
    [
        [sum("compressed_bytes"), sum("index_bytes")],
        [number(&shown["data_bytes"]), number(&shown["index_bytes"])],
    ]
}

#[test]
fn streams_of_lists_maps_structs_and_unions_count_in_their_columns() {
    let Some(shared) = std::env::var_os("LITH_SHARED").map(PathBuf::from) else {
        eprintln!("LITH_SHARED is not set: the corpus is not read");
        return;
    };
    let corpus = shared.join("corpus/orc");
    // the index of the root is no column's
    for (file, of_root) in [(NESTED, 11), (UNION, 17), ("complextypes_iceberg.orc", 11)] {
        let file = corpus.join(file);
        let [columns, [data, index]] = sizes(&object("inspect", &file, &[]));
        assert_eq!(columns, [data, index - of_root], "{file:?}");
        let selected = object("explain", &file, &[])["bytes"]["selected"].clone();
        assert_eq!(selected, data, "{file:?}");
    }
    let file = corpus.join(NESTED);
    let [[list, _], _] = sizes(&object("inspect", &file, &["-c", "list"]));
    let selected = object("explain", &file, &["-c", "list"])["bytes"]["selected"].clone();
    assert_eq!((list, selected), (57, 57.into()));
}

/// Three rows of `a struct<>, b struct<x:struct<>,y:int>, c array<struct<>>, d int`.
fn structs_without_fields() -> Vec<u8> {
    let node = |kind, children: &[(&str, u32)]| Type {
        kind,
        subtypes: children.iter().map(|child| child.1).collect(),
        field_names: match kind {
            TypeKind::Struct => children.iter().map(|child| child.0.to_owned()).collect(),
            _ => Vec::new(),
        },
        ..Type::default()
    };
    let types = vec![
        node(TypeKind::Struct, &[("a", 1), ("b", 2), ("c", 5), ("d", 7)]),
        node(TypeKind::Struct, &[]),
        node(TypeKind::Struct, &[("x", 3), ("y", 4)]),
        node(TypeKind::Struct, &[]),
        node(TypeKind::Int, &[]),
        node(TypeKind::List, &[("", 6)]),
        node(TypeKind::Struct, &[]),
        node(TypeKind::Int, &[]),
    ];
    let numbers = [0, 0, 2]; // a run of three equal numbers: its length less 3, the delta, the number
    let streams: [(u32, StreamKind, &[u8]); 6] = [
        (1, StreamKind::Present, &[255, 0b1010_0000]),
        (3, StreamKind::Present, &[255, 0b1100_0000]),
        (4, StreamKind::Data, &numbers),
        (5, StreamKind::Present, &[255, 0b1110_0000]),
        (5, StreamKind::Length, &numbers),
        (7, StreamKind::Data, &numbers),
    ];
    let footer = StripeFooter {
        columns: vec![ColumnEncoding::default(); types.len()],
        ..StripeFooter::default()
    };
    let streams = streams.map(|(column, kind, bytes)| (column, kind, bytes.to_vec()));
    let stripe = Stripe {
        types,
        footer,
        streams: streams.to_vec(),
        rows: 3,
        compression: (CompressionKind::None, 0),
    };
    stripe.file()
}

#[test]
fn columns_without_leaves_are_shown_with_their_sizes() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a.orc");
    std::fs::write(&path, structs_without_fields()).unwrap();
    let shown = object("inspect", &path, &[]);
    let columns = shown["columns"].as_array().unwrap().iter();
    let columns: Vec<String> = columns
        .map(|column| {
            let members = ["name", "type", "leaf", "type_id", "compressed_bytes"];
            members.map(|member| column[member].to_string()).join(" ")
        })
        .collect();
    let expected = [
        r#""b.y" "int" 0 4 5"#,
        r#""d" "int" 1 7 3"#,
        r#""a" "struct<>" null 1 2"#,
        r#""c" "array<struct<>>" null 5 5"#,
    ];
    assert_eq!(columns, expected);
    assert_eq!(shown["data_bytes"], 15);
    for (column, selected) in [("a", 2), ("b", 5), ("c,d", 8), ("A", 2), ("a,b,c,d", 15)] {
        let shown = object("explain", &path, &["-c", column]);
        assert_eq!(shown["bytes"]["selected"], selected, "{column}");
    }
    let one = object("inspect", &path, &["-c", "c"]);
    assert_eq!(one["columns"].as_array().unwrap().len(), 1);
    let text = run("inspect", &path, &[]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("array<struct<>>"), "{text}");
    let told = "b.y, d: there are no bounds to skip by in any stripe: write statistics";
    assert!(text.contains(told), "{text}");
}
