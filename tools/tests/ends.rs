//! The last rows and random ones: which rows, in which order, and that nothing else is read.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use lith_format::meta::Format;
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, Vector};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;

/// Row groups of so many rows.
const GROUP: usize = 10;

fn lith(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lith"));
    command.args(args).stdin(Stdio::null()).output().unwrap()
}

/// Prints the numbers of a command's rows.
fn numbers(args: &[&str]) -> Vec<i64> {
    let output = lith(&[args, &["-f", "csv"]].concat());
    assert!(output.status.success(), "{args:?}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("n"));
    lines.map(|line| line.parse().unwrap()).collect()
}

/// A file of the numbers of a range, in row groups of [`GROUP`].
fn write(path: &Path, numbers: std::ops::Range<i64>) {
    let schema = Arc::new(Schema::new(vec![Field::required("n", LogicalType::Int64)]));
    let options = WriteOptions {
        format: match path.extension().and_then(|name| name.to_str()) {
            Some("orc") => Format::Orc,
            _ => Format::Parquet,
        },
        row_group_rows: GROUP,
        ..WriteOptions::default()
    };
    let sink = fs::File::create(path).unwrap();
    let mut writer = FileWriter::new(sink, &schema, options).unwrap();
    let scalars: Vec<Scalar> = numbers.map(Scalar::Int).collect();
    let column = Vector::from_scalars(LogicalType::Int64, &scalars).unwrap();
    let batch = Batch {
        schema,
        rows: scalars.len(),
        columns: vec![column],
    };
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

/// Three files of 25 rows each, in one directory.
fn table(format: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (index, name) in ["a", "b", "c"].iter().enumerate() {
        let path = directory.path().join(name).with_extension(format);
        let first = index as i64 * 25;
        write(&path, first..first + 25);
    }
    directory
}

#[test]
fn tail_prints_the_last_rows_in_order() {
    for format in ["parquet", "orc"] {
        let table = table(format);
        let path = table.path().to_str().unwrap();
        let last = |count: i64| (75 - count..75).collect::<Vec<i64>>();
        assert_eq!(numbers(&["tail", path]), last(10));
        for count in [0, 1, 5, 24, 25, 26, 55, 75] {
            assert_eq!(
                numbers(&["tail", path, "-n", &count.to_string()]),
                last(count)
            );
        }
        assert_eq!(numbers(&["tail", path, "-n", "1000", "-c", "n"]), last(75));
        let even = |count: usize| {
            (0..38 - count).fold((0..75).step_by(2), |mut all, _| {
                all.next();
                all
            })
        };
        for count in [0, 1, 3, 13, 20, 38] {
            let words = ["tail", path, "-w", "n % 2 = 0", "-n", &count.to_string()];
            assert_eq!(numbers(&words), even(count).collect::<Vec<i64>>());
        }
        assert!(numbers(&["tail", path, "-w", "n > 100"]).is_empty());
        assert!(numbers(&["tail", path, "-w", "1 = 0"]).is_empty());
        assert_eq!(numbers(&["tail", path, "-n", "2", "-w", "1 = 1"]), last(2));
    }
}

#[test]
fn what_was_read_is_told() {
    for format in ["parquet", "orc"] {
        let table = table(format);
        let path = table.path().to_str().unwrap();
        let told = |words: &[&str]| {
            let output = lith(&[words, &["--metrics"]].concat());
            assert!(output.status.success());
            String::from_utf8(output.stderr).unwrap()
        };
        for (words, rows) in [
            (&["head", path, "-n", "7"][..], " passed"),
            (&["tail", path, "-n", "7"], " passed"),
            // one file, then two more
            (&["tail", path, "-n", "30", "-w", "n >= 0"], " 75 passed"),
            (&["sample", path, "-n", "7"], " 7 passed"),
            (&["sample", path, "-n", "7", "-w", "n < 50"], " 50 passed"),
        ] {
            let told = told(words);
            assert!(told.contains("values decoded"), "{words:?}: {told}");
            assert!(told.trim_end().ends_with(rows), "{words:?}: {told}");
        }
    }
}

#[test]
fn sample_prints_different_rows_in_order_and_the_same_by_one_seed() {
    for format in ["parquet", "orc"] {
        let table = table(format);
        let path = table.path().to_str().unwrap();
        for (condition, rows) in [(None, 75), (Some("n % 5 < 3"), 45)] {
            let sample = |count: usize, seed: &str| {
                let count = count.to_string();
                let mut words = vec!["sample", path, "-n", &count, "--seed", seed];
                words.extend(condition.iter().flat_map(|condition| ["-w", condition]));
                numbers(&words)
            };
            for count in [0, 1, 10, 44, 75, 200] {
                let picked = sample(count, "7");
                assert_eq!(picked.len(), count.min(rows));
                assert!(picked.is_sorted_by(|a, b| a < b));
                assert!(condition.is_none() || picked.iter().all(|n| n % 5 < 3));
                assert_eq!(picked, sample(count, "7"));
            }
            let seeds: Vec<_> = (0..8).map(|seed| sample(10, &seed.to_string())).collect();
            assert!(seeds.iter().any(|picked| picked != &seeds[0]));
            let mut all: Vec<i64> = seeds.concat();
            all.sort_unstable();
            all.dedup();
            assert!(all.len() > 30, "{all:?}");
        }
        assert_eq!(numbers(&["sample", path]).len(), 10);
    }
}

/// The row groups whose bytes are made worthless, by file and number.
fn damage(directory: &Path, spare: &[i64]) {
    for (index, name) in ["a", "b", "c"].iter().enumerate() {
        let path = directory.join(name).with_extension("parquet");
        let mut bytes = fs::read(&path).unwrap();
        let file = lith_reader::open(&path).unwrap();
        for (group, meta) in file.meta().unwrap().row_groups.iter().enumerate() {
            let first = (index * 25 + group * GROUP) as i64;
            if spare
                .iter()
                .any(|n| (first..first + meta.rows as i64).contains(n))
            {
                continue;
            }
            let range = meta.range.start as usize..meta.range.end as usize;
            bytes[range].fill(0xff);
        }
        fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn only_the_row_groups_that_hold_the_rows_are_read() {
    let words: [&[&str]; 4] = [
        &["tail", "-n", "8"],
        &["tail", "-n", "1"],
        &["sample", "-n", "1", "--seed", "3"],
        &["sample", "-n", "4", "--seed", "5"],
    ];
    for words in words {
        let table = table("parquet");
        let path = table.path().to_str().unwrap();
        let words = [words, &[path]].concat();
        let whole = numbers(&words);
        damage(table.path(), &whole);
        assert_eq!(numbers(&words), whole);
        assert_eq!(lith(&["scan", path]).status.code(), Some(4));
    }
}

#[test]
fn the_words_are_those_of_head() {
    let table = table("parquet");
    let path = table.path().to_str().unwrap();
    for command in ["head", "tail", "sample"] {
        let output = lith(&[command, path, "-n", "3", "-f", "table"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!((lines.len(), lines[0]), (5, "n"), "{text}");
        assert_eq!(
            lith(&[command, path, "-w", "n = 'x' +"]).status.code(),
            Some(2)
        );
        assert_eq!(lith(&[command, path, "-c", "none"]).status.code(), Some(2));
        assert_eq!(lith(&[command, "absent.parquet"]).status.code(), Some(3));
        let help = String::from_utf8(lith(&[command, "--help"]).stdout).unwrap();
        for word in ["--where", "--columns", "--limit", "--format"] {
            assert!(help.contains(word), "{help}");
        }
    }
}
