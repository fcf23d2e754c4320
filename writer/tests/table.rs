//! Datasets: where rows go, what stays behind, and what is refused.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lith_format::error::ErrorKind;
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, ByteViews, Values, Vector};
use lith_writer::table::{TableOptions, TableWriter};

fn schema() -> Schema {
    Schema::new(vec![
        Field::nullable("store", LogicalType::String),
        Field::required("amount", LogicalType::Int64),
    ])
}

fn batch(rows: &[(&str, i64)]) -> Batch {
    let column = |ty, values| Vector {
        ty,
        len: rows.len(),
        validity: None,
        values,
    };
    let stores = ByteViews::from_values(rows.iter().map(|row| row.0));
    let amounts = rows.iter().map(|row| row.1).collect();
    Batch {
        schema: Arc::new(schema()),
        rows: rows.len(),
        columns: vec![
            column(LogicalType::String, Values::Bytes(stores)),
            column(LogicalType::Int64, Values::I64(amounts)),
        ],
    }
}

fn options() -> TableOptions {
    TableOptions {
        id: Some("run".to_owned()),
        ..TableOptions::default()
    }
}

fn files(directory: &Path) -> Vec<String> {
    fn collect(directory: &Path, root: &Path, out: &mut Vec<String>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, root, out);
            } else {
                let relative = path.strip_prefix(root).unwrap();
                out.push(relative.to_string_lossy().into_owned());
            }
        }
    }
    let mut out = Vec::new();
    collect(directory, directory, &mut out);
    out.sort();
    out
}

fn room() -> (tempfile::TempDir, PathBuf) {
    let room = tempfile::tempdir().unwrap();
    let target = room.path().join("sales");
    (room, target)
}

#[test]
fn rows_go_to_the_directory_of_their_values() {
    let (_room, target) = room();
    let mut table = TableWriter::new(&target, &schema(), &["store"], options()).unwrap();
    table
        .write(&batch(&[("S1", 1), ("a/b", 2), ("S1", 3)]))
        .unwrap();
    table.write(&batch(&[("", 4), ("S1", 5)])).unwrap();
    assert!(!target.exists(), "nothing is visible before the end");
    let written = table.finish().unwrap();
    let found: Vec<_> = written
        .iter()
        .map(|file| (file.path.strip_prefix(&target).unwrap(), file.rows))
        .collect();
    let expected = [
        ("store=S1/part-00000-run.parquet", 3),
        ("store=__HIVE_DEFAULT_PARTITION__/part-00000-run.parquet", 1),
        ("store=a%2Fb/part-00000-run.parquet", 1),
    ];
    assert_eq!(found, expected.map(|(path, rows)| (Path::new(path), rows)));
    for file in &written {
        assert_eq!(std::fs::metadata(&file.path).unwrap().len(), file.bytes);
    }
    assert_eq!(files(&target).len(), 4);
    assert!(target.join("_SUCCESS").exists());
}

#[test]
fn few_files_are_open_and_large_ones_are_finished() {
    let (_room, target) = room();
    let options = TableOptions {
        max_open: 2,
        file_rows: 3,
        ..options()
    };
    let mut table = TableWriter::new(&target, &schema(), &["store"], options).unwrap();
    for store in ["a", "b", "a", "c", "b"] {
        table.write(&batch(&[(store, 1), (store, 2)])).unwrap();
    }
    let written = table.finish().unwrap();
    let rows: Vec<(String, u64)> = written
        .iter()
        .map(|file| {
            let path = file.path.strip_prefix(&target).unwrap().to_string_lossy();
            (
                path.replace("-run.parquet", "").replace("store=", ""),
                file.rows,
            )
        })
        .collect();
    let expected = [
        ("a/part-00000", 3),
        ("a/part-00001", 1),
        ("b/part-00000", 2),
        ("b/part-00001", 2),
        ("c/part-00000", 2),
    ];
    assert_eq!(rows, expected.map(|(path, rows)| (path.to_owned(), rows)));
}

#[test]
fn more_partitions_than_open_files_lose_no_row() {
    let (_room, target) = room();
    let options = TableOptions {
        max_open: 16,
        ..options()
    };
    let mut table = TableWriter::new(&target, &schema(), &["amount"], options).unwrap();
    let rows: Vec<(&str, i64)> = (0..2000).map(|row| ("s", row % 60)).collect();
    table.write(&batch(&rows)).unwrap();
    let written = table.finish().unwrap();
    assert_eq!(written.len(), 60);
    assert_eq!(written.iter().map(|file| file.rows).sum::<u64>(), 2000);
}

#[test]
fn dropping_or_failing_leaves_nothing() {
    let (room, target) = room();
    let mut table = TableWriter::new(&target, &schema(), &["store"], options()).unwrap();
    table.write(&batch(&[("S1", 1)])).unwrap();
    drop(table);
    assert!(files(room.path()).is_empty());

    let mut table = TableWriter::new(&target, &schema(), &["store"], options()).unwrap();
    table.write(&batch(&[("S1", 1)])).unwrap();
    let mut bad = batch(&[("S1", 1)]);
    bad.columns[1] = Vector::constant(LogicalType::Int64, Scalar::Null, 1);
    assert!(table.write(&bad).is_err(), "a null in a required column");
    assert!(table.write(&batch(&[("S1", 1)])).is_err(), "after an error");
    assert!(table.finish().is_err());
    assert!(files(room.path()).is_empty());
    assert!(!target.exists());
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_on_disk() {
    let (room, target) = room();
    let kind = |columns: &[&str]| {
        let refused = TableWriter::new(&target, &schema(), columns, options());
        refused.unwrap_err().kind()
    };
    assert_eq!(kind(&["nowhere"]), ErrorKind::InvalidArgument);
    assert_eq!(kind(&["store", "store"]), ErrorKind::InvalidArgument);
    assert_eq!(kind(&["store", "amount"]), ErrorKind::InvalidArgument);
    assert!(files(room.path()).is_empty());

    std::fs::create_dir(&target).unwrap();
    std::fs::write(target.join("old.parquet"), b"old").unwrap();
    assert_eq!(kind(&["store"]), ErrorKind::InvalidArgument);
    assert_eq!(files(room.path()), ["sales/old.parquet"]);
}

#[test]
fn partitions_that_differ_only_by_case_are_refused() {
    let (room, target) = room();
    let mut table = TableWriter::new(&target, &schema(), &["store"], options()).unwrap();
    table.write(&batch(&[("S1", 1)])).unwrap();
    let error = table.write(&batch(&[("s1", 1)])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    drop(table);
    assert!(files(room.path()).is_empty());
}

#[test]
fn a_table_without_rows_is_one_file_without_rows() {
    let (_room, target) = room();
    let none: &[&str] = &[];
    let table = TableWriter::new(&target, &schema(), none, options()).unwrap();
    let written = table.finish().unwrap();
    assert_eq!(written.len(), 1);
    assert_eq!(written[0].rows, 0);
    assert_eq!(files(&target), ["_SUCCESS", "part-00000-run.parquet"]);
}

#[test]
fn equal_input_makes_equal_bytes_whatever_the_threads() {
    let (room, _) = room();
    let rows: Vec<(String, i64)> = (0..300_000)
        .map(|row| (format!("s{}", row % 1000), row))
        .collect();
    let rows: Vec<(&str, i64)> = rows.iter().map(|row| (row.0.as_str(), row.1)).collect();
    let mut contents = Vec::new();
    for threads in [1, 3] {
        let target = room.path().join(threads.to_string());
        let mut options = options();
        options.file.threads = threads;
        let none: &[&str] = &[];
        let mut table = TableWriter::new(&target, &schema(), none, options).unwrap();
        table.write(&batch(&rows)).unwrap();
        let written = table.finish().unwrap();
        contents.push(std::fs::read(&written[0].path).unwrap());
    }
    assert!(contents[0] == contents[1]);
}
