//! Every row of the oracle's partition inference table: type and values as Spark gives them.
//! The table lies under `LITH_SHARED`; the unit tests of `infer` hold without it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::fs;
use std::path::PathBuf;

use jiff::civil::{date, time};
use lith_format::scalar::Scalar;
use lith_planner::discover::{PartitionTypes, discover};
use serde_json::Value;

fn texts(row: &Value, key: &str) -> Vec<String> {
    let values = row[key].as_array().unwrap();
    values
        .iter()
        .map(|v| v.as_str().unwrap().to_owned())
        .collect()
}

/// A value in the table's rendering; doubles are compared as numbers.
fn render(value: &Scalar) -> String {
    match value {
        Scalar::Null => "\\N".into(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Decimal { unscaled, .. } => unscaled.to_string(),
        Scalar::String(text) => text.to_string(),
        Scalar::Date(days) => render_date(i64::from(*days)),
        Scalar::Timestamp { value, .. } => {
            let micros = i64::try_from(*value).unwrap();
            let day = micros.div_euclid(86_400_000_000);
            let time = render_time(micros.rem_euclid(86_400_000_000), true);
            format!("{}T{time}", render_date(day))
        }
        Scalar::Time { value, .. } => render_time(*value, false),
        other => panic!("{other:?}"),
    }
}

fn render_date(days: i64) -> String {
    let date = date(1970, 1, 1) + jiff::Span::new().days(days);
    let sign = if date.year() < 0 { "-" } else { "" };
    format!(
        "{sign}{:04}-{:02}-{:02}",
        date.year().abs(),
        date.month(),
        date.day()
    )
}

fn render_time(micros: i64, always_fraction: bool) -> String {
    let time = time(0, 0, 0, 0) + jiff::Span::new().microseconds(micros);
    let clock = time.strftime("%H:%M:%S").to_string();
    match micros % 1_000_000 {
        0 if !always_fraction => clock,
        fraction => format!("{clock}.{fraction:06}"),
    }
}

fn equal(value: &Scalar, expected: &str) -> bool {
    match value {
        Scalar::Float64(value) => {
            Scalar::Float64(*value) == Scalar::Float64(expected.parse().unwrap())
        }
        other => render(other) == expected,
    }
}

#[test]
fn every_row_of_the_table_has_sparks_type_and_values() {
    let Some(shared) = std::env::var_os("LITH_SHARED").map(PathBuf::from) else {
        eprintln!("LITH_SHARED is not set: the partition inference table is not checked");
        return;
    };
    let text = fs::read_to_string(shared.join("oracle/spark/partition_inference.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(rows.len() > 100);
    let mut failures = Vec::new();
    for row in &rows {
        let root = tempfile::tempdir().unwrap();
        let directories = texts(row, "directories");
        for directory in &directories {
            fs::create_dir(root.path().join(directory)).unwrap();
            fs::write(root.path().join(directory).join("data"), "x").unwrap();
        }
        let dataset = discover(&[root.path()], PartitionTypes::Inferred).unwrap();
        let ty = dataset.partition_columns[0].ty.to_string();
        let good = ty == row["type"].as_str().unwrap()
            && directories
                .iter()
                .zip(texts(row, "values"))
                .all(|(directory, expected)| {
                    let found = dataset
                        .partitions
                        .iter()
                        .find(|p| p.directory == *directory);
                    equal(&found.unwrap().values[0], &expected)
                });
        if !good {
            failures.push(format!("{row}: {ty} {:?}", dataset.partitions));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
