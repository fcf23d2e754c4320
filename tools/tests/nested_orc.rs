//! Lists, maps, structs and unions of ORC at the command line, and its encrypted columns.
//!
//! Needs `LITH_SHARED`, a directory with `corpus`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn lith(command: &str, file: &str, rest: &[&str]) -> Option<Output> {
    let Some(shared) = std::env::var_os("LITH_SHARED").map(PathBuf::from) else {
        eprintln!("LITH_SHARED is not set: the corpus is not read");
        return None;
    };
    let mut lith = Command::new(env!("CARGO_BIN_EXE_lith"));
    let file = shared.join("corpus/orc").join(file);
    lith.arg(command).arg(file).args(rest);
    Some(lith.stdin(Stdio::null()).output().unwrap())
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
fn encrypted_columns_are_read_as_masks_on_request_only() {
    let file = "encrypted/sample1.orc";
    fails("head", file, &[], (4, "is encrypted"));
    let email = "841626795E7D351555B835A002E3BF10669DE9B81C95A3D59E10865AC37EA7C3";
    let masked = format!(r#"{{"ssn":null,"email":"{email}","name":"Dongjoon Hyun"}}"#);
    prints("head", file, &["--masks", "-f", "jsonl"], &[&masked]);
}
