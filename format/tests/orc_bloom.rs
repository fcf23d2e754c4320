//! Bloom filters of real ORC files against the answers of ORC's Java library. The files are found through
//! `LITH_SHARED`; without it, only this is said.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod probes;

use std::fs;
use std::path::Path;

use lith_format::limits::Limits;
use lith_format::orc::bloom::{Probe, is_trusted};
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::index::BloomFilter;
use lith_format::orc::tail::Tail;
use lith_format::scalar::Scalar;
use lith_format::step::Step;
use lith_format::types::LogicalType;
use probes::{columns, corpus};
use serde_json::Value;

/// The filters of a column in every stripe, of one kind.
struct Filters {
    tail: Tail,
    stripes: Vec<Vec<BloomFilter>>,
}

fn filters(path: &Path, column: u64, kind: StreamKind) -> Filters {
    let limits = Limits::default();
    let file = fs::read(path).unwrap();
    let Step::Done(tail) = Tail::decode(&file, file.len() as u64, &limits).unwrap() else {
        unreachable!("all bytes are given");
    };
    let bytes = |range: std::ops::Range<u64>| &file[range.start as usize..range.end as usize];
    let mut stripes = Vec::new();
    for (ordinal, stripe) in tail.footer.stripes.iter().enumerate() {
        let footer = bytes(stripe.footer_range());
        let footer = tail.stripe_footer(ordinal, footer, &limits).unwrap();
        let mut streams = footer.stream_ranges(stripe);
        let found =
            streams.find(|(stream, _)| stream.kind == kind && u64::from(stream.column) == column);
        let filters = found.map(|(_, range)| {
            let start = range.start;
            tail.bloom_filters(bytes(range), start, &limits)
                .unwrap()
                .bloom_filter
        });
        stripes.push(filters.unwrap_or_default());
    }
    Filters { tail, stripes }
}

/// A value of the list with the column's type.
fn probe(ty: &str, value: &Value) -> Probe {
    let text = value.to_string();
    let (scalar, ty) = match ty {
        "int8" => (Scalar::Int(value.as_i64().unwrap()), LogicalType::Int8),
        "int32" => (Scalar::Int(value.as_i64().unwrap()), LogicalType::Int32),
        "int64" => (Scalar::Int(value.as_i64().unwrap()), LogicalType::Int64),
        "float32" => (Scalar::Float32(text.parse().unwrap()), LogicalType::Float32),
        "float64" => (Scalar::Float64(text.parse().unwrap()), LogicalType::Float64),
        "date" => (
            Scalar::Date(day(value.as_str().unwrap())),
            LogicalType::Date,
        ),
        "string" => (Scalar::string(value.as_str().unwrap()), LogicalType::String),
        other => unreachable!("{other}"),
    };
    Probe::new(&scalar, &ty).unwrap()
}

/// Days since 1970-01-01 of a date in the years 0000 to 9999.
fn day(text: &str) -> i32 {
    let parts: Vec<i32> = text.split('-').map(|part| part.parse().unwrap()).collect();
    let year = if parts[1] <= 2 {
        parts[0] - 1
    } else {
        parts[0]
    };
    let leaps = year / 4 - year / 100 + year / 400;
    year * 365 + leaps + ((parts[1] + 9) % 12 * 153 + 2) / 5 + parts[2] - 1 - 719_468
}

#[test]
fn filters_answer_as_javas_library_does_or_are_not_trusted() {
    let Some(corpus) = corpus() else {
        return;
    };
    let (mut trusted, mut untrusted, mut answers) = (0, 0, 0);
    for line in columns(&corpus, true) {
        let name = line["file"].as_str().unwrap();
        let column = line["column_id"].as_u64().unwrap();
        let filters = filters(&corpus.join(name), column, StreamKind::BloomFilterUtf8);
        let wrong = line["note"]
            .as_str()
            .is_some_and(|note| note.contains("wrong"));
        assert_eq!(is_trusted(&filters.tail.footer), !wrong, "{name}");
        if wrong {
            untrusted += 1;
            continue;
        }
        trusted += 1;
        for asked in line["probes"].as_array().unwrap() {
            let probe = probe(line["type"].as_str().unwrap(), &asked["value"]);
            let found = filters.stripes.iter();
            let found: Vec<Vec<bool>> = found
                .map(|stripe| {
                    stripe
                        .iter()
                        .map(|filter| probe.may_be_in(filter))
                        .collect()
                })
                .collect();
            let expected = &asked["may_contain_per_stripe_per_row_group"];
            assert_eq!(
                serde_json::json!(found),
                *expected,
                "{name} {column} {asked}"
            );
            answers += found.iter().map(Vec::len).sum::<usize>();
        }
    }
    eprintln!("{trusted} columns, {answers} answers; {untrusted} columns are not trusted");
    assert!(trusted >= 18 && untrusted == 4 && answers >= 400);
}

#[test]
fn filters_of_a_draft_deny_nothing() {
    let Some(corpus) = corpus() else {
        return;
    };
    let file = corpus.join("orc/over1k_bloom.orc");
    let filters = filters(&file, 1, StreamKind::BloomFilter);
    let mut probed = 0;
    for filter in filters.stripes.iter().flatten() {
        let mut values = -1000..1000;
        assert!(values.all(|value| {
            let probe = Probe::new(&Scalar::Int(value), &LogicalType::Int8);
            probe.unwrap().may_be_in(filter)
        }));
        probed += 1;
    }
    assert!(probed > 0);
}
