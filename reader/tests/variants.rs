//! The variants of the shared corpus, as JSON: those that its tables say, and no others.
//!
//! A closed list: each is what it should be, or is refused because the corpus says that it is invalid.
//! Needs `LITH_SHARED`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

use std::path::PathBuf;

use lith_format::compress::{Codec, decompress};
use lith_format::error::{ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::parquet::variant::Metadata;
use lith_format::parquet::variant::json::JsonWriter;
use lith_format::render::render_json;
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;
use lith_format::vector::Vector;
use lith_reader::column::ReadContext;
use lith_reader::selection::Selection;
use lith_reader::{File, open};
use serde_json::Value;

fn corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("LITH_SHARED").map(PathBuf::from);
    if shared.is_none() {
        eprintln!("LITH_SHARED is not set: the corpus is not read");
    }
    shared.map(|shared| shared.join("corpus"))
}

/// The lines of an expectation.
fn expected(corpus: &std::path::Path, name: &str) -> Vec<Value> {
    let bytes = std::fs::read(corpus.join("expected/parquet").join(name)).unwrap();
    let mut text = Vec::new();
    decompress(Codec::Gzip, &bytes, 1 << 30, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn cell(ty: LogicalType, value: Scalar) -> String {
    let mut out = String::new();
    render_json(&Vector::constant(ty, value, 1), 0, &mut out);
    out
}

/// The JSON of a value that is told with its types.
fn json(variant: &Value) -> String {
    let value = &variant["value"];
    match variant["type"].as_str().unwrap() {
        "object" => {
            let fields = variant["fields"].as_array().unwrap().iter();
            let fields: Vec<_> = fields
                .map(|field| format!("{}:{}", field[0], json(&field[1])))
                .collect();
            format!("{{{}}}", fields.join(","))
        }
        "array" => {
            let elements = variant["elements"].as_array().unwrap();
            let elements: Vec<_> = elements.iter().map(json).collect();
            format!("[{}]", elements.join(","))
        }
        "null" => "null".to_owned(),
        "float" => {
            let float = value.as_f64().unwrap() as f32;
            cell(LogicalType::Float32, Scalar::Float32(float))
        }
        "double" => cell(
            LogicalType::Float64,
            Scalar::Float64(value.as_f64().unwrap()),
        ),
        _ => value.to_string(),
    }
}

#[test]
fn every_sample_of_the_encoding_is_what_it_says() {
    let Some(corpus) = corpus() else {
        return;
    };
    let samples = expected(&corpus, "variant/variants.jsonl.gz");
    for sample in &samples {
        let bytes =
            |what: &str| std::fs::read(corpus.join(sample[what].as_str().unwrap())).unwrap();
        let (metadata, value) = (bytes("metadata"), bytes("value"));
        let mut writer = JsonWriter::new(Limits::default());
        writer.name_by(Metadata::decode(&metadata).unwrap());
        let mut out = String::new();
        writer.write(&value, 0, &mut out).unwrap();
        assert_eq!(out, json(&sample["variant"]), "{}", sample["value"]);
    }
    assert!(samples.len() > 25, "{}", samples.len());
}

/// The variants of column `column` of a file; of rows where there is none, nothing.
fn read(file: &File, column: usize, wanted: impl Fn(usize) -> bool) -> Result<Vec<Option<String>>> {
    let mut out = Vec::new();
    for row_group in 0..file.row_groups() {
        let rows = usize::try_from(file.rows_of(row_group)).unwrap();
        let mut reader = file.column(row_group, column, &ReadContext::default())?;
        let mask = (0..rows).map(&wanted).collect();
        let vector = reader.read(&Selection::from_mask(&mask))?;
        out.extend((0..vector.len).map(|row| match vector.value(row) {
            Scalar::String(text) => Some(text.to_string()),
            other => {
                assert!(other.is_null(), "{other:?}");
                None
            }
        }));
    }
    Ok(out)
}

#[test]
fn every_shredded_variant_is_what_it_was() {
    let Some(corpus) = corpus() else {
        return;
    };
    let (mut same, mut refused) = (0, Vec::new());
    for line in expected(&corpus, "shredded_variant/variants.jsonl.gz") {
        let name = line["file"].as_str().unwrap();
        let file = open(corpus.join(name)).unwrap();
        let is_variant = |ty: &LogicalType| matches!(ty, LogicalType::Variant(_));
        let mut fields = file.schema().fields.iter();
        let column = fields.position(|field| is_variant(&field.ty)).unwrap();
        match read(&file, column, |_| true) {
            Ok(rows) => {
                let row = line["row"].as_u64().unwrap() as usize;
                let variant = Some(&line["variant"]).filter(|variant| !variant.is_null());
                assert!(line["error_case"].is_null(), "{name} was read");
                assert_eq!(rows[row], variant.map(json), "{name} row {row}");
                same += 1;
            }
            Err(error) => {
                assert!(
                    matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Unsupported),
                    "{name}: {error:?}"
                );
                let name = name.trim_end_matches(".parquet");
                refused.push(name.rsplit_once("case-").unwrap().1.to_owned());
            }
        }
    }
    eprintln!("{same} variants alike, {} refused", refused.len());
    // both columns have a value, or one is no object where there are fields, or types are not shredded; and two
    // hold a field twice, which may be refused
    let invalid = [
        "040",
        "042",
        "043-INVALID",
        "087",
        "125-INVALID",
        "127",
        "128",
        "137",
    ];
    assert_eq!(refused, invalid);
    assert_eq!(same, 144 - invalid.len());
}

#[test]
fn every_variant_is_json_whatever_rows_are_picked() {
    let Some(corpus) = corpus() else {
        return;
    };
    for name in [
        "dk_variant_mixed",
        "dk_variant_shredded",
        "sp_variant",
        "sp_variant_shredded",
    ] {
        let file = open(corpus.join(format!("synth/parquet/{name}.parquet"))).unwrap();
        for (column, field) in file.schema().fields.iter().enumerate() {
            if !matches!(field.ty, LogicalType::Variant(_)) {
                continue;
            }
            let rows = read(&file, column, |_| true).unwrap();
            for row in rows.iter().flatten() {
                assert!(serde_json::from_str::<Value>(row).is_ok(), "{name}: {row}");
            }
            let picked = read(&file, column, |row| row % 3 == 1).unwrap();
            assert!(picked.len() < rows.len() && !rows.is_empty());
            if file.row_groups() == 1 {
                assert!(rows.iter().skip(1).step_by(3).eq(&picked));
            }
        }
    }
}
