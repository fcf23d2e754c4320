//! Files of one table that hold its columns in other types: what widens, and what is refused with both names.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use lith_format::meta::Format;
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::{LogicalType, TimeUnit, Zone};
use lith_format::vector::{Batch, Vector};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;

fn lith(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lith"));
    command.args(args).stdin(Stdio::null()).output().unwrap()
}

/// A file of one column `c` with one row.
fn write(path: &Path, ty: &LogicalType, value: &Scalar) {
    write_columns(path, &[("c", ty.clone(), vec![value.clone()])]);
}

/// A file of columns.
fn write_columns(path: &Path, columns: &[(&str, LogicalType, Vec<Scalar>)]) {
    let fields = columns.iter();
    let fields = fields.map(|(name, ty, _)| Field::nullable(*name, ty.clone()));
    let schema = Arc::new(Schema::new(fields.collect()));
    let options = WriteOptions {
        format: match path.extension().and_then(|name| name.to_str()) {
            Some("orc") => Format::Orc,
            _ => Format::Parquet,
        },
        ..WriteOptions::default()
    };
    let sink = fs::File::create(path).unwrap();
    let mut writer = FileWriter::new(sink, &schema, options).unwrap();
    let vectors = columns.iter();
    let vectors = vectors.map(|(_, ty, values)| Vector::from_scalars(ty.clone(), values).unwrap());
    let batch = Batch {
        schema,
        rows: columns[0].2.len(),
        columns: vectors.collect(),
    };
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

/// How many rows of a directory pass each condition, with skipping and without.
fn assert_counts(directory: &Path, conditions: &[(&str, u64)]) {
    let path = directory.to_str().unwrap();
    for (condition, expected) in conditions {
        for skipping in [&[][..], &["--no-skip"]] {
            let output = lith(&[&["count", path, "-w", condition], skipping].concat());
            let counted = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(counted, format!("{expected}\n"), "{condition}: {output:?}");
        }
    }
}

fn decimal(precision: u8, scale: u8) -> LogicalType {
    LogicalType::Decimal { precision, scale }
}

fn unscaled(unscaled: i128, scale: u8) -> Scalar {
    Scalar::Decimal { unscaled, scale }
}

fn timestamp(unit: TimeUnit, zone: Zone) -> LogicalType {
    LogicalType::Timestamp { unit, zone }
}

fn at(value: i128, unit: TimeUnit, zone: Zone) -> Scalar {
    Scalar::Timestamp { value, unit, zone }
}

/// What a table of two files prints, whose columns are the first one's.
fn scanned(format: &str, table: &(LogicalType, Scalar), file: &(LogicalType, Scalar)) -> Output {
    let directory = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| directory.path().join(name).with_extension(format));
    write(&paths[0], &table.0, &table.1);
    write(&paths[1], &file.0, &file.1);
    let output = lith(&["scan", "-f", "jsonl", directory.path().to_str().unwrap()]);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        for path in paths {
            let name = path.display().to_string();
            assert!(complaint.contains(&name), "no {name} in {complaint}");
        }
    }
    output
}

#[test]
fn what_widens_without_a_change_of_value_is_read() {
    use {LogicalType as T, Scalar as S};
    let (micros, nanos) = (TimeUnit::Micros, TimeUnit::Nanos);
    let local = Zone::Local;
    let day = 86_400_000_000;
    let pairs = [
        ((T::Int64, S::Int(1)), (T::Int32, S::Int(-2)), "-2"),
        ((T::Int64, S::Int(1)), (T::Int8, S::Int(-2)), "-2"),
        ((T::Int32, S::Int(1)), (T::Int16, S::Int(-2)), "-2"),
        (
            (T::Float64, S::Float64(1.0)),
            (T::Float32, S::Float32(0.5)),
            "0.5",
        ),
        (
            (T::Float64, S::Float64(1.0)),
            (T::Int32, S::Int(-7)),
            "-7.0",
        ),
        (
            (decimal(20, 3), unscaled(1, 3)),
            (decimal(4, 1), unscaled(15, 1)),
            "\"1.500\"",
        ),
        (
            (decimal(38, 10), unscaled(1, 10)),
            (decimal(30, 2), unscaled(-15, 2)),
            "\"-0.1500000000\"",
        ),
        (
            (decimal(12, 2), unscaled(1, 2)),
            (T::Int32, S::Int(-3)),
            "\"-3.00\"",
        ),
        (
            (decimal(19, 0), unscaled(1, 0)),
            (T::Int64, S::Int(i64::MIN)),
            "\"-9223372036854775808\"",
        ),
        (
            (timestamp(micros, local), at(1, micros, local)),
            (T::Date, S::Date(-1)),
            "\"1969-12-31T00:00:00.000000\"",
        ),
        (
            (timestamp(nanos, local), at(1, nanos, local)),
            (timestamp(micros, local), at(day, micros, local)),
            "\"1970-01-02T00:00:00.000000000\"",
        ),
    ];
    for format in ["parquet", "orc"] {
        for (table, file, expected) in &pairs {
            if format == "orc" && has_timestamp(&[table, file]) {
                continue;
            }
            let output = scanned(format, table, file);
            let printed = String::from_utf8(output.stdout).unwrap();
            let second = printed.lines().nth(1).unwrap_or_default();
            let expected = format!("{{\"c\":{expected}}}");
            assert_eq!(second, expected, "{format}: {} as {}", file.0, table.0);
        }
    }
}

/// ORC's timestamps are all of one unit and do not say what they are relative to.
fn has_timestamp(columns: &[&(LogicalType, Scalar)]) -> bool {
    (columns.iter()).any(|(ty, _)| matches!(ty, LogicalType::Timestamp { .. }))
}

#[test]
fn conditions_hold_of_widened_values_with_skipping_and_without() {
    use {LogicalType as T, Scalar as S};
    let local = timestamp(TimeUnit::Micros, Zone::Local);
    let midnight = at(1, TimeUnit::Micros, Zone::Local);
    let cases = [
        (
            (T::Int64, S::Int(1)),
            (T::Int32, S::Int(-2)),
            ["c = -2L", "c < 0", "c = 5000000000"],
        ),
        (
            (T::Float64, S::Float64(1.0)),
            (T::Float32, S::Float32(0.5)),
            ["c = 0.5D", "c < 0.75D", "c > 1.5D"],
        ),
        (
            (T::Float64, S::Float64(1.0)),
            (T::Int32, S::Int(-7)),
            ["c = -7", "c <= -6.5D", "c = 1.5D"],
        ),
        (
            (decimal(10, 4), unscaled(1, 4)),
            (decimal(7, 2), unscaled(150, 2)),
            ["c = 1.5", "c > 1.4999", "c = 150"],
        ),
        (
            (decimal(12, 2), unscaled(1, 2)),
            (T::Int32, S::Int(-3)),
            ["c = -3.00", "c < -2.99", "c = -300"],
        ),
        (
            (local, midnight),
            (T::Date, S::Date(-1)),
            [
                "c = timestamp_ntz'1969-12-31 00:00:00'",
                "c < timestamp_ntz'1969-12-31 00:00:01'",
                "c = timestamp_ntz'1969-12-31 00:00:01'",
            ],
        ),
    ];
    for (table, file, conditions) in cases {
        let directory = tempfile::tempdir().unwrap();
        write(&directory.path().join("a.parquet"), &table.0, &table.1);
        write(&directory.path().join("b.parquet"), &file.0, &file.1);
        let [one, other, none] = conditions;
        assert_counts(directory.path(), &[(one, 1), (other, 1), (none, 0)]);
    }
}

#[test]
fn what_does_not_widen_is_an_error_that_names_both_files() {
    use {LogicalType as T, Scalar as S};
    let micros = TimeUnit::Micros;
    let instant = (timestamp(micros, Zone::Utc), at(1, micros, Zone::Utc));
    let wall_clock = (timestamp(micros, Zone::Local), at(1, micros, Zone::Local));
    let pairs = [
        ((T::Int32, S::Int(1)), (T::Int64, S::Int(2))),
        ((T::Int32, S::Int(1)), (T::String, S::string("2"))),
        ((T::Float32, S::Float32(1.0)), (T::Float64, S::Float64(2.0))),
        ((T::Float32, S::Float32(1.0)), (T::Int32, S::Int(2))),
        ((T::Float64, S::Float64(1.0)), (T::Int64, S::Int(2))),
        ((T::String, S::string("1")), (T::Int32, S::Int(2))),
        ((T::String, S::string("1")), (T::Binary, S::binary([2]))),
        ((T::Boolean, S::Boolean(true)), (T::Int32, S::Int(1))),
        (
            (decimal(9, 2), unscaled(1, 2)),
            (decimal(9, 1), unscaled(2, 1)),
        ),
        (
            (decimal(9, 1), unscaled(1, 1)),
            (decimal(9, 2), unscaled(2, 2)),
        ),
        ((decimal(11, 2), unscaled(1, 2)), (T::Int32, S::Int(2))),
        ((T::Date, S::Date(1)), wall_clock.clone()),
        (instant.clone(), (T::Date, S::Date(2))),
        (instant, wall_clock),
    ];
    for format in ["parquet", "orc"] {
        for (table, file) in &pairs {
            if format == "orc" && has_timestamp(&[table, file]) {
                continue;
            }
            let output = scanned(format, table, file);
            assert_eq!(output.status.code(), Some(4), "{} as {}", file.0, table.0);
            let complaint = String::from_utf8(output.stderr).unwrap();
            let words = ["column \"c\"", &format!("the file holds {}", file.0)];
            for word in words {
                assert!(complaint.contains(word), "no {word:?} in {complaint}");
            }
            assert!(!complaint.contains('\u{1b}') && complaint.lines().count() == 1);
        }
    }
}

#[test]
fn a_column_that_differs_but_is_not_read_harms_nothing() {
    let directory = tempfile::tempdir().unwrap();
    for (name, ty, value) in [
        ("a.parquet", LogicalType::Int32, Scalar::Int(1)),
        ("b.parquet", LogicalType::String, Scalar::string("x")),
    ] {
        write(&directory.path().join(name), &ty, &value);
    }
    let output = lith(&["count", directory.path().to_str().unwrap()]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "2\n");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
}

#[test]
fn timestamps_that_state_no_zone_are_instants_beside_others() {
    let (micros, nanos) = (TimeUnit::Micros, TimeUnit::Nanos);
    let instant = timestamp(micros, Zone::Utc);
    let unstated = timestamp(nanos, Zone::Unstated);
    let scan = |first: &str, second: &str, fraction: i128| {
        let directory = tempfile::tempdir().unwrap();
        for name in [first, second] {
            let path = directory.path().join(name);
            match name.ends_with("orc") {
                true => write(
                    &path,
                    &unstated,
                    &at(7_000 + fraction, nanos, Zone::Unstated),
                ),
                false => write(&path, &instant, &at(-1, micros, Zone::Utc)),
            }
        }
        let path = directory.path().display().to_string();
        let count = lith(&["count", &path, "-w", "c < timestamp'1970-01-01 00:00:00'"]);
        (lith(&["scan", "-f", "jsonl", &path]), count)
    };
    let (rows, count) = scan("a.parquet", "b.orc", 0);
    let expected =
        "{\"c\":\"1969-12-31T23:59:59.999999Z\"}\n{\"c\":\"1970-01-01T00:00:00.000007Z\"}\n";
    assert_eq!(String::from_utf8(rows.stdout).unwrap(), expected);
    assert_eq!(count.stdout, b"1\n");
    let (rows, count) = scan("b.parquet", "a.orc", 1);
    let expected =
        "{\"c\":\"1970-01-01T00:00:00.000007001\"}\n{\"c\":\"1969-12-31T23:59:59.999999000\"}\n";
    assert_eq!(String::from_utf8(rows.stdout).unwrap(), expected);
    assert_eq!(count.stdout, b"1\n");
    // a digit that microseconds do not have
    let (rows, _) = scan("a.parquet", "b.orc", 1);
    assert_eq!(rows.status.code(), Some(4));
    let complaint = String::from_utf8(rows.stderr).unwrap();
    for word in ["a.parquet", "b.orc", "more digits"] {
        assert!(complaint.contains(word), "{complaint}");
    }
}

#[test]
fn int96_goes_with_int64() {
    let Some(shared) = std::env::var_os("LITH_SHARED") else {
        eprintln!("LITH_SHARED is not set: the corpus is not read");
        return;
    };
    let names = ["int96_corrected", "timestamp_micros_corrected"];
    let [int96, int64] = names.map(|name| {
        let name = format!("corpus/synth/parquet/sp_ts_{name}.parquet");
        Path::new(&shared).join(name).display().to_string()
    });
    let scan = |paths: &[&str]| {
        let output = lith(&[&["scan", "-f", "jsonl"], paths].concat());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    // the first file by path gives the type: nanoseconds without a zone
    let expected = scan(&[&int96]) + &scan(&[&int64]).replace("Z\"", "000\"");
    assert_eq!(scan(&[&int64, &int96]), expected);
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (
        directory.path().join("a.parquet"),
        directory.path().join("b.parquet"),
    );
    fs::copy(&int64, &first).unwrap();
    fs::copy(&int96, &second).unwrap();
    let expected = scan(&[&int64]) + &scan(&[&int96]).replace("000\"", "Z\"");
    assert_eq!(scan(&[directory.path().to_str().unwrap()]), expected);
}

#[test]
fn fields_of_structs_are_asked_in_files_that_hold_them_otherwise() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for format in ["parquet", "orc"] {
        assert_counts(
            &fixtures.join(format!("evolved_structs_{format}")),
            &[
                ("s.x = 1", 2),
                ("s.x = 2 AND k = 2", 1),
                ("s.x > 2", 0),
                ("s.x IS NULL", 5),
                ("s.x IS NULL AND s.y IS NOT NULL", 2),
                ("s.x <=> null AND k < 4", 3),
                ("s.y = 'b'", 2),
                ("s.y <> 'a' OR k = 4", 4),
                ("s IS NULL", 3),
            ],
        );
    }
}

#[test]
fn columns_are_asked_by_name_whatever_their_place() {
    use {LogicalType as T, Scalar as S};
    let ints = |values: [i64; 2]| values.map(S::Int).to_vec();
    let texts = |values: [&str; 2]| values.map(S::string).to_vec();
    for format in ["parquet", "orc"] {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).with_extension(format);
        let columns = [
            ("p", T::Int64, ints([1, 2])),
            ("q", T::String, texts(["1", "2"])),
            ("r", T::Int64, ints([30, 40])),
        ];
        write_columns(&path("a"), &columns);
        // what widens comes before what does not, and the other way round; one is dropped
        let [p, q, _] = &columns;
        let r = ("r", T::Int32, ints([30, 50]));
        write_columns(&path("b"), &[r.clone(), q.clone()]);
        write_columns(&path("c"), &[q.clone(), r, p.clone()]);
        assert_counts(
            directory.path(),
            &[
                ("r = 30", 3),
                ("r = 50", 2),
                ("r > 40 AND q = '2'", 2),
                ("p = 2 AND r = 50", 1),
                ("p IS NULL", 2),
                ("q = '1' AND r = 30L", 3),
            ],
        );
    }
}

#[test]
fn a_limit_counts_the_rows_that_pass() {
    for format in ["parquet", "orc"] {
        let directory = tempfile::tempdir().unwrap();
        for number in 0..120 {
            let path = directory.path().join(format!("{number:03}.{format}"));
            // bounds that hold the value wanted
            let values = [0, number, 200].map(Scalar::Int).to_vec();
            write_columns(&path, &[("c", LogicalType::Int64, values)]);
        }
        let path = directory.path().to_str().unwrap();
        let scan = |condition, limit| {
            let args = ["scan", "-f", "jsonl", path, "-w", condition, "-n", limit];
            String::from_utf8(lith(&args).stdout).unwrap()
        };
        assert_eq!(scan("c = 119", "1"), "{\"c\":119}\n");
        assert_eq!(scan("c = 119", "5"), "{\"c\":119}\n");
        assert_eq!(scan("c > 117 AND c < 200", "1"), "{\"c\":118}\n");
        assert_eq!(scan("c = 200", "100").lines().count(), 100);
        assert_eq!(scan("c = 119 OR c = 120", "0"), "");
    }
}

#[test]
fn numbers_wider_than_their_precision_are_read_as_stored() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    let values = [1_234, 123_456_789_012, -1].map(|value| unscaled(value, 2));
    write_columns(&path, &[("c", decimal(17, 2), values.to_vec())]);
    // 17 becomes 4 in the footer, twice: the old annotation and the new one
    let mut bytes = fs::read(&path).unwrap();
    let places = bytes.windows(2).enumerate();
    let places = places.filter(|(_, window)| *window == [0x15, 2 * 17]);
    let places: Vec<usize> = places.map(|(at, _)| at + 1).collect();
    assert_eq!(places.len(), 2);
    for place in places {
        bytes[place] = 2 * 4;
    }
    fs::write(&path, bytes).unwrap();
    let path = path.to_str().unwrap();
    let output = lith(&["scan", "-f", "csv", path]);
    let rows = String::from_utf8(output.stdout).unwrap();
    assert_eq!(rows, "c\n12.34\n1234567890.12\n-0.01\n");
    let conditions = [("c > 99.99", 1), ("c = 12.34", 1), ("c < 0", 1)];
    assert_counts(directory.path(), &conditions);
}
