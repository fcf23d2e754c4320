//! Bloom filters of real Parquet files against the answers of an independent implementation, which DuckDB's
//! agree with. The files are found through `LITH_SHARED`; without it, only this is said.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod probes;

use std::fs;
use std::path::Path;

use bytes::Bytes;
use lith_format::limits::Limits;
use lith_format::parquet::bloom::{BloomFilter, Probe};
use lith_format::parquet::footer::{FileMetaData, Tail};
use lith_format::parquet::index::BloomFilterHeader;
use lith_format::parquet::neutral::bloom_filter_offset;
use lith_format::parquet::schema::{self, Leaf};
use lith_format::scalar::Scalar;
use probes::{columns, corpus};
use serde_json::Value;

/// A leaf, and its filter in every row group that has one.
fn filters(path: &Path, column: &str) -> (Leaf, Vec<Option<BloomFilter>>) {
    let limits = Limits::default();
    let file = Bytes::from(fs::read(path).unwrap());
    let size = file.len() as u64;
    let tail = Tail::decode(&file, size, &limits).unwrap();
    let footer = file.slice(tail.footer.start as usize..tail.footer.end as usize);
    let footer = FileMetaData::decode(&footer, &limits).unwrap();
    let (_, mut leaves) = schema::decode(&footer.schema, &limits).unwrap();
    let ordinal = leaves
        .iter()
        .position(|leaf| leaf.dotted_path() == column)
        .unwrap();
    let filter = |offset: u64| {
        let rest = file.slice(offset as usize..);
        let (header, length) = BloomFilterHeader::decode(&rest, &limits).unwrap();
        let bits = rest.slice(length..length + header.num_bytes as usize);
        BloomFilter::new(&header, bits).unwrap()
    };
    let groups = footer.row_groups.iter().map(|group| {
        let meta = group.columns[ordinal].meta_data.as_ref().unwrap();
        bloom_filter_offset(meta, size).map(filter)
    });
    let groups = groups.collect();
    (leaves.swap_remove(ordinal), groups)
}

/// A value of the list with the column's type.
fn scalar(ty: &str, value: &Value) -> Scalar {
    let text = value.to_string();
    match ty {
        "int32" | "int64" | "uint32" => Scalar::Int(value.as_i64().unwrap()),
        "float32" => Scalar::Float32(text.parse().unwrap()),
        "float64" => Scalar::Float64(text.parse().unwrap()),
        "string" => Scalar::string(value.as_str().unwrap()),
        "binary" | "fixed" => {
            let digits = value.as_str().unwrap().strip_prefix("0x").unwrap();
            let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
            let bytes: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
            Scalar::binary(bytes)
        }
        other => unreachable!("{other}"),
    }
}

#[test]
fn filters_answer_as_another_implementation_does() {
    let Some(corpus) = corpus() else {
        return;
    };
    let columns = columns(&corpus, false);
    let (mut answers, mut denied) = (0, 0);
    for line in &columns {
        let name = line["file"].as_str().unwrap();
        let column = line["column"].as_str().unwrap();
        let (leaf, filters) = filters(&corpus.join(name), column);
        for asked in line["probes"].as_array().unwrap() {
            let value = scalar(line["type"].as_str().unwrap(), &asked["value"]);
            let probe = Probe::new(&value, &leaf).unwrap();
            let answer = |filter: &Option<BloomFilter>| {
                filter.as_ref().map(|filter| probe.may_be_in(filter))
            };
            let found: Vec<Option<bool>> = filters.iter().map(answer).collect();
            let expected = &asked["may_contain_per_row_group"];
            assert_eq!(
                serde_json::json!(found),
                *expected,
                "{name} {column} {asked}"
            );
            answers += found.iter().flatten().count();
            denied += found
                .iter()
                .filter(|&&answer| answer == Some(false))
                .count();
        }
    }
    eprintln!(
        "{} columns, {answers} answers, {denied} of them no",
        columns.len()
    );
    assert_eq!(columns.len(), 36);
    assert!(answers > 700 && denied > 300);
}
