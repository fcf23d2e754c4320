//! Partition values that are hard on directories: what the writer names, discovery reads back equal.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use lith_format::error::ErrorKind;
use lith_format::partition::DEFAULT_PARTITION;
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, ByteViews, Values, Vector};
use lith_planner::discover::{PartitionTypes, discover};
use lith_writer::table::{TableOptions, TableWriter};

fn schema(name: &str) -> Schema {
    Schema::new(vec![
        Field::nullable(name, LogicalType::String),
        Field::required("row", LogicalType::Int64),
    ])
}

/// Writes a row for each value, numbered; nulls where there is none.
fn write(target: &Path, name: &str, values: &[Option<&str>]) -> lith_format::error::Result<()> {
    let rows = values.len();
    let texts = values.iter().map(|value| value.unwrap_or_default());
    let column = |ty, validity, values| Vector {
        ty,
        len: rows,
        validity,
        values,
    };
    let valid = values.iter().map(Option::is_some).collect();
    let schema = schema(name);
    let batch = Batch {
        rows,
        columns: vec![
            column(
                LogicalType::String,
                Some(valid),
                Values::Bytes(ByteViews::from_values(texts)),
            ),
            column(
                LogicalType::Int64,
                None,
                Values::I64((0..rows as i64).collect()),
            ),
        ],
        schema: Arc::new(schema.clone()),
    };
    let mut table = TableWriter::new(target, &schema, &[name], TableOptions::default())?;
    table.write(&batch)?;
    table.finish().map(drop)
}

/// The rows found below a directory, in order of their numbers, with the value their path names.
fn read(target: &Path) -> Vec<Scalar> {
    let dataset = discover(&[target], PartitionTypes::Text).unwrap();
    let mut found = BTreeMap::new();
    for file in &dataset.files {
        let value = &dataset.partitions[file.partition].values[0];
        for batch in lith_reader::open(&file.path)
            .unwrap()
            .scan()
            .build()
            .unwrap()
        {
            let batch = batch.unwrap();
            for row in 0..batch.rows {
                let Scalar::Int(number) = batch.columns[0].value(row) else {
                    continue;
                };
                assert!(found.insert(number, value.clone()).is_none());
            }
        }
    }
    found.into_values().collect()
}

const VALUES: [&str; 36] = [
    "plain",
    ".",
    "..",
    "...",
    "../x",
    "/",
    "/etc",
    "a/b",
    "a%2Fb",
    "%",
    "%%",
    "%2",
    "100%",
    "=",
    "a=b",
    " ",
    " a ",
    "é",
    "日本",
    "👍",
    "\u{0}",
    "\u{1}",
    "\n",
    "\r\n",
    "\t",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{85}",
    "\u{202e}",
    "_x",
    ".x",
    "NULL",
    "01",
    "-0",
    "*?[a]",
    "\"'\\{}#:^`",
];

#[test]
fn values_come_back_as_they_were() {
    let room = tempfile::tempdir().unwrap();
    let target = room.path().join("t");
    let mut values: Vec<Option<&str>> = VALUES.into_iter().map(Some).collect();
    values.extend([Some(DEFAULT_PARTITION), None]);
    write(&target, "p", &values).unwrap();
    let expected: Vec<Scalar> = values
        .iter()
        .map(|value| value.map_or(Scalar::Null, Scalar::string))
        .collect();
    assert_eq!(read(&target), expected);
    // each its own directory, right below the target
    let directories = std::fs::read_dir(&target).unwrap().count();
    assert_eq!(directories, values.len() + 1, "and _SUCCESS");
    assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 1);
}

#[test]
fn the_empty_text_is_read_as_null_as_by_spark() {
    let room = tempfile::tempdir().unwrap();
    let target = room.path().join("t");
    write(&target, "p", &[Some(""), None, Some("x")]).unwrap();
    let expected = [Scalar::Null, Scalar::Null, Scalar::string("x")];
    assert_eq!(read(&target), expected);
}

#[test]
fn names_of_columns_come_back_as_they_were() {
    for name in ["..", "a=b", "a/b", "_p", ".p", "%41", "p q", "é", "\u{1b}"] {
        let room = tempfile::tempdir().unwrap();
        let target = room.path().join("t");
        write(&target, name, &[Some("x")]).unwrap();
        let dataset = discover(&[&target], PartitionTypes::Text).unwrap();
        assert_eq!(dataset.partition_columns[0].name, name);
    }
    let room = tempfile::tempdir().unwrap();
    let refused = write(&room.path().join("t"), "", &[Some("x")]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_value_too_long_for_a_name_fails_and_leaves_nothing() {
    let room = tempfile::tempdir().unwrap();
    let (fits, too_long) = ("x".repeat(253), "/".repeat(85));
    write(&room.path().join("fits"), "p", &[Some(&fits)]).unwrap();
    assert_eq!(read(&room.path().join("fits")), [Scalar::string(fits)]);
    let refused = write(&room.path().join("t"), "p", &[Some("x"), Some(&too_long)]);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 1);
}
