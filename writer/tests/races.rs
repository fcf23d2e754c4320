//! Several runs and one target, few descriptors, no permission: one dataset or none, and a clear error.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::{Arc, Barrier};
use std::thread;

use lith_format::error::{Error, ErrorKind};
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, Values, Vector};
use lith_writer::table::{TableOptions, TableWriter, WrittenFile};

fn schema() -> Schema {
    Schema::new(vec![
        Field::required("key", LogicalType::Int64),
        Field::required("run", LogicalType::Int64),
    ])
}

fn batch(rows: i64, run: i64) -> Batch {
    let column = |values| Vector {
        ty: LogicalType::Int64,
        len: rows as usize,
        validity: None,
        values: Values::I64(values),
    };
    Batch {
        schema: Arc::new(schema()),
        rows: rows as usize,
        columns: vec![
            column((0..rows).collect()),
            column(vec![run; rows as usize]),
        ],
    }
}

fn write(
    target: &Path,
    by: &[&str],
    run: i64,
    before_commit: &Barrier,
) -> Result<Vec<WrittenFile>, Error> {
    let begun = TableWriter::new(target, &schema(), by, TableOptions::default());
    let written = begun.and_then(|mut table| table.write(&batch(9, run)).map(|()| table));
    before_commit.wait();
    written?.finish()
}

/// Every name below a directory, hidden ones too.
fn names(directory: &Path) -> Vec<String> {
    let mut out = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path.clone());
            }
            out.push(
                path.strip_prefix(directory)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned(),
            );
        }
    }
    out.sort();
    out
}

/// `runs` runs that commit at the same moment into `target`: what is there afterwards is one run's.
fn race(target: &Path, by: &[&str], runs: i64) {
    let barrier = Barrier::new(runs as usize);
    let outcomes: Vec<_> = thread::scope(|scope| {
        let barrier = &barrier;
        let run = |run| scope.spawn(move || write(target, by, run, barrier));
        let threads: Vec<_> = (0..runs).map(run).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let mut winners = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(files) => winners.push(files),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
                assert_eq!(error.site().path.as_deref(), Some(target), "{error}");
            }
        }
    }
    assert_eq!(winners.len(), 1, "of {runs} runs");
    let relative = |file: &WrittenFile| {
        assert!(
            file.path
                .metadata()
                .is_ok_and(|found| found.len() == file.bytes)
        );
        let path = file.path.strip_prefix(target).unwrap();
        path.to_string_lossy().into_owned()
    };
    let mut expected: Vec<String> = winners[0].iter().map(relative).collect();
    assert_eq!(winners[0].iter().map(|file| file.rows).sum::<u64>(), 9);
    if !by.is_empty() {
        expected.extend((0..9).map(|key| format!("key={key}")));
    }
    expected.push("_SUCCESS".to_owned());
    expected.sort();
    assert_eq!(names(target), expected);
}

#[test]
fn of_runs_that_commit_at_once_one_wins_and_leaves_all() {
    for by in [&[][..], &["key"]] {
        for round in 0..20 {
            let room = tempfile::tempdir().unwrap();
            let target = room.path().join("sales");
            if round % 2 == 0 {
                std::fs::create_dir(&target).unwrap();
            }
            race(&target, by, 4);
            assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 1);
        }
    }
}

#[test]
fn a_run_of_the_same_id_does_not_touch_the_first() {
    for exists in [false, true] {
        let room = tempfile::tempdir().unwrap();
        let target = room.path().join("sales");
        if exists {
            std::fs::create_dir(&target).unwrap();
        }
        let begin = || {
            let options = TableOptions {
                id: Some("same".to_owned()),
                ..TableOptions::default()
            };
            TableWriter::new(&target, &schema(), &["key"], options)
        };
        let mut first = begin().unwrap();
        first.write(&batch(9, 1)).unwrap();
        assert_eq!(begin().unwrap_err().kind(), ErrorKind::InvalidArgument);
        first.write(&batch(9, 1)).unwrap();
        let rows: u64 = first.finish().unwrap().iter().map(|file| file.rows).sum();
        assert_eq!(rows, 18);
    }
}

/// Runs the test `name` of this file again in a shell that has done `setup`.
#[cfg(unix)]
fn again(name: &str, setup: &str) {
    let line = format!("{setup} && exec \"$0\" --exact {name} --nocapture");
    let shell = std::process::Command::new("sh")
        .args(["-c", &line])
        .arg(std::env::current_exe().unwrap())
        .env("LITH_AGAIN", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&shell.stdout);
    let failure = String::from_utf8_lossy(&shell.stderr);
    assert!(
        shell.status.success() && said.contains("1 passed"),
        "{said}{failure}"
    );
}

#[cfg(unix)]
#[test]
fn few_descriptors_are_enough_for_many_partitions() {
    if std::env::var_os("LITH_AGAIN").is_none() {
        return again(
            "few_descriptors_are_enough_for_many_partitions",
            "ulimit -n 24",
        );
    }
    let room = tempfile::tempdir().unwrap();
    let target = room.path().join("sales");
    let options = TableOptions::default();
    assert!(options.max_open > 24);
    let mut table = TableWriter::new(&target, &schema(), &["key"], options).unwrap();
    for run in 0..2 {
        table.write(&batch(300, run)).unwrap();
    }
    let written = table.finish().unwrap();
    assert_eq!(written.iter().map(|file| file.rows).sum::<u64>(), 600);
    assert!(written.len() > 300, "nothing had to be closed");
}

/// A limit on the size of files stands for a full disk; the signal that comes with it is ignored.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_leaves_nothing() {
    if std::env::var_os("LITH_AGAIN").is_none() {
        let setup = "trap '' XFSZ && ulimit -f 8";
        return again("a_file_that_may_not_grow_leaves_nothing", setup);
    }
    for exists in [false, true] {
        let room = tempfile::tempdir().unwrap();
        let target = room.path().join("deep/sales");
        if exists {
            std::fs::create_dir_all(&target).unwrap();
        }
        let none: &[&str] = &[];
        let mut table =
            TableWriter::new(&target, &schema(), none, TableOptions::default()).unwrap();
        let failed = table
            .write(&batch(200_000, 1))
            .err()
            .or_else(|| table.finish().err())
            .unwrap();
        assert_eq!(failed.kind(), ErrorKind::Io);
        assert!(failed.site().path.is_some(), "{failed}");
        let left: &[&str] = if exists { &["deep", "deep/sales"] } else { &[] };
        assert_eq!(names(room.path()), left);
    }
}
