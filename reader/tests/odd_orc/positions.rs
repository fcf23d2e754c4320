//! Columns that are found by their position: those of old Hive, and any on request.

use std::sync::Arc;

use lith_reader::OpenOptions;
use lith_reader::source::BytesSource;

use super::*;

/// The names of the columns that a file with these has for whoever opens it for `wanted`.
fn opened(names: [&str; 2], wanted: &[&str], by_position: bool) -> String {
    let types = vec![
        node(TypeKind::Struct, &[(names[0], 1), (names[1], 2)]),
        node(TypeKind::Int, &[]),
        node(TypeKind::Int, &[]),
    ];
    let streams = vec![(1, Data, signed(&[1])), (2, Data, signed(&[2]))];
    let mut options = OpenOptions::default();
    options.columns = Some(wanted.iter().map(|&name| name.to_owned()).collect());
    options.by_position = by_position;
    let source = BytesSource::new(file(types, vec![stripe(1, streams)]), "test");
    let file = options.open_source(Arc::new(source)).unwrap();
    let read = rows(file.scan().build().unwrap()).unwrap();
    read.join(" ")
}

#[test]
fn files_without_names_are_opened_whole() {
    let unnamed = ["_col0", "_col1"];
    let whole = r#"{"_col0":1,"_col1":2}"#;
    for wanted in [&["id"][..], &["name", "id"], &["_col0", "x"], &["_col0"]] {
        assert_eq!(opened(unnamed, wanted, false), whole, "{wanted:?}");
    }
    assert_eq!(opened(unnamed, &["_col1"], false), r#"{"_col1":2}"#);
}

#[test]
fn files_with_names_never_look_as_if_they_had_none() {
    let whole = r#"{"a":1,"_col0":2}"#;
    assert_eq!(opened(["a", "_col0"], &["_col0"], false), whole);
    assert_eq!(opened(["a", "b"], &["b"], false), r#"{"b":2}"#);
    assert_eq!(opened(["a", "b"], &["b", "c"], false), r#"{"b":2}"#);
}

#[test]
fn any_file_is_matched_by_position_on_request() {
    let numbered = r#"{"_col0":1,"_col1":2}"#;
    assert_eq!(opened(["a", "b"], &["x"], true), numbered);
    assert_eq!(opened(["a", "a"], &["x"], true), numbered);
}
