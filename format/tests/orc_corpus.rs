//! The metadata of real ORC files against what independent readers say of them. The files are found
//! through `LITH_SHARED`; without it, only this is said.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use lith_format::compress::{Codec, decompress};
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::meta::FileMeta;
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::neutral::{add_stripe_footer, file_meta};
use lith_format::orc::schema::{Dialect, FileSchema};
use lith_format::orc::statistics::{ColumnStatistics, TypeStatistics};
use lith_format::orc::tail::Tail;
use lith_format::scalar::Scalar;
use lith_format::step::Step;
use lith_format::types::{LogicalType, TimeUnit, Zone};
use serde_json::Value;

fn shared() -> Option<PathBuf> {
    let shared = std::env::var_os("LITH_SHARED").map(PathBuf::from);
    if shared.is_none() {
        eprintln!("LITH_SHARED is not set: the ORC corpus is not tested");
    }
    shared
}

/// A gzip-compressed JSON file's first line.
fn first_line(path: &Path) -> Value {
    let mut text = Vec::new();
    decompress(Codec::Gzip, &fs::read(path).unwrap(), 1 << 30, &mut text).unwrap();
    let line = text.split(|&byte| byte == b'\n').next().unwrap();
    serde_json::from_slice(line).unwrap()
}

/// The tail, read as a reader does: from a small suffix on.
fn tail(file: &[u8], limits: &Limits) -> Result<Tail> {
    let mut suffix = &file[file.len()..];
    for _ in 0..5 {
        match Tail::decode(suffix, file.len() as u64, limits)? {
            Step::Done(tail) => return Ok(tail),
            Step::Need(range) => suffix = &file[range.start as usize..],
        }
    }
    Err(Error::corrupt("the tail asks for ever more"))
}

struct Decoded {
    tail: Tail,
    schema: FileSchema,
    meta: FileMeta,
}

/// All metadata of a file, stripe footers and indexes included.
fn decode(file: &[u8], dialect: Dialect) -> Result<Decoded> {
    let limits = Limits::default();
    let tail = tail(file, &limits)?;
    let schema = FileSchema::decode(&tail.footer, dialect, &limits)?;
    let mut meta = file_meta(&tail, &schema, &limits)?;
    for (ordinal, stripe) in tail.footer.stripes.iter().enumerate() {
        let range = stripe.footer_range();
        let bytes = &file[range.start as usize..range.end as usize];
        let footer = tail.stripe_footer(ordinal, bytes, &limits)?;
        add_stripe_footer(&mut meta.row_groups[ordinal], &footer, &schema);
        for (stream, range) in footer.stream_ranges(stripe) {
            let bytes = &file[range.start as usize..range.end as usize];
            match stream.kind {
                StreamKind::RowIndex => {
                    tail.row_index(bytes, range.start, &limits)?;
                }
                StreamKind::BloomFilter | StreamKind::BloomFilterUtf8 => {
                    tail.bloom_filters(bytes, range.start, &limits)?;
                }
                _ => {}
            }
        }
    }
    Ok(Decoded { tail, schema, meta })
}

/// A node of an expected schema in the notation of `LogicalType`.
fn notation(node: &Value) -> String {
    let number = |key: &str| node[key].as_u64();
    let list = |key: &str| node[key].as_array().cloned().unwrap_or_default();
    match node["type"].as_str().unwrap() {
        "bool" => "boolean".into(),
        "int8" => "tinyint".into(),
        "int16" => "smallint".into(),
        "int32" => "int".into(),
        "int64" => "bigint".into(),
        "float32" => "float".into(),
        "float64" => "double".into(),
        "timestamp_instant" => "timestamp".into(),
        "decimal" => match (number("precision"), number("scale")) {
            (Some(precision), Some(scale)) => format!("decimal({precision},{scale})"),
            _ => "decimal(38,18)".into(),
        },
        kind @ ("char" | "varchar") => format!("{kind}({})", number("max_length").unwrap()),
        "list" => format!("array<{}>", notation(&node["element"])),
        "map" => format!(
            "map<{},{}>",
            notation(&node["key"]),
            notation(&node["value"])
        ),
        "union" => {
            let variants = list("variants");
            let variants = variants.iter().enumerate();
            let variants: Vec<_> = variants
                .map(|(tag, node)| format!("tag{tag}:{}", notation(node)))
                .collect();
            format!("uniontype<{}>", variants.join(","))
        }
        "struct" => {
            let fields = list("fields");
            let name = |node: &Value| node["name"].as_str().unwrap().to_owned();
            let fields: Vec<_> = fields
                .iter()
                .map(|node| format!("{}:{}", name(node), notation(node)))
                .collect();
            format!("struct<{}>", fields.join(","))
        }
        other => other.into(),
    }
}

fn assert_header(name: &str, decoded: &Decoded, header: &Value) {
    let meta = &decoded.meta;
    assert_eq!(Some(meta.rows), header["num_rows"].as_u64(), "{name}");
    let stripes = header["num_stripes"].as_u64();
    assert_eq!(Some(meta.row_groups.len() as u64), stripes, "{name}");
    let mut expected = notation(&header["schema"]);
    if header["schema"]["type"] != "struct" {
        expected = format!("struct<:{expected}>");
    }
    assert_eq!(decoded.schema.schema.to_string(), expected, "{name}");
}

/// Counts and bounds that are integers or text must hold what the rows hold.
fn assert_statistics(name: &str, decoded: &Decoded, header: &Value) -> usize {
    let schema = &decoded.schema.schema;
    let mut compared = 0;
    for (index, column) in header["columns"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        if schema
            .fields
            .get(index)
            .is_none_or(|field| field.ty.is_nested())
        {
            continue;
        }
        let leaf = schema.first_leaf(index).index();
        let chunks = decoded
            .meta
            .row_groups
            .iter()
            .map(|group| &group.chunks[leaf].stats);
        let Some(stats) = chunks.cloned().reduce(|a, b| a.merge(&b)) else {
            continue;
        };
        if let Some(nulls) = stats.null_count {
            assert_eq!(
                Some(nulls),
                column["null_count"].as_u64(),
                "{name} {column}"
            );
            compared += 1;
        }
        let ty = &schema.fields[index].ty;
        for (bound, key, outward) in [(&stats.min, "min", -1), (&stats.max, "max", 1)] {
            let (Some(bound), Some(rows)) = (bound, scalar(ty, &column[key])) else {
                continue;
            };
            let order = bound
                .value
                .compare(&rows)
                .map(|order| order as i32 * outward);
            let held = order >= Some(0) || is_next_to(&bound.value, &rows);
            assert!(
                held,
                "{name} {column}: {key} is {bound:?}, rows have {rows:?}"
            );
            compared += 1;
        }
    }
    compared
}

/// Whether two doubles differ by no more than the JSON parser's error.
fn is_next_to(a: &Scalar, b: &Scalar) -> bool {
    match (a, b) {
        (Scalar::Float64(a), Scalar::Float64(b)) => (a - b).abs() <= a.abs() * 2.0 * f64::EPSILON,
        _ => false,
    }
}

/// A rendered value as a scalar, for the types whose bounds are worth checking here.
fn scalar(ty: &LogicalType, rendered: &Value) -> Option<Scalar> {
    match (ty, rendered) {
        (LogicalType::Boolean, Value::Bool(value)) => Some(Scalar::Boolean(*value)),
        (LogicalType::Float32, Value::Number(value)) => {
            value.to_string().parse().ok().map(Scalar::Float32)
        }
        (LogicalType::Float64, Value::Number(value)) => value.as_f64().map(Scalar::Float64),
        (_, Value::Number(value)) => value.as_i64().map(Scalar::Int),
        (LogicalType::Timestamp { zone, .. }, Value::String(text)) => timestamp(text, *zone),
        (LogicalType::Date, Value::String(text)) => day(text)
            .and_then(|day| i32::try_from(day).ok())
            .map(Scalar::Date),
        (LogicalType::Decimal { .. }, Value::String(text)) => {
            let scale = text
                .split_once('.')
                .map_or(0, |(_, fraction)| fraction.len());
            Some(Scalar::Decimal {
                unscaled: text.replace('.', "").parse().ok()?,
                scale: u8::try_from(scale).ok()?,
            })
        }
        (LogicalType::String | LogicalType::Varchar(_), Value::String(text)) => {
            Some(Scalar::string(text))
        }
        _ => None,
    }
}

/// Days since 1970-01-01 of a date in the years 0000 to 9999.
fn day(text: &str) -> Option<i64> {
    let mut parts = text.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let shifted = if month <= 2 { year - 1 } else { year };
    let (month, leaps) = (
        (month + 9) % 12,
        shifted / 4 - shifted / 100 + shifted / 400,
    );
    Some(shifted * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468)
}

fn timestamp(text: &str, zone: Zone) -> Option<Scalar> {
    let (date, time) = text.trim_end_matches('Z').split_once('T')?;
    let (clock, fraction) = time.split_once('.')?;
    let mut parts = clock.split(':').map(|part| part.parse::<i128>().ok());
    let seconds = parts.next()?? * 3600 + parts.next()?? * 60 + parts.next()??;
    let days = i128::from(day(date)?);
    Some(Scalar::Timestamp {
        value: (days * 86_400 + seconds) * 1_000_000_000 + fraction.parse::<i128>().ok()?,
        unit: TimeUnit::Nanos,
        zone,
    })
}

/// Statistics in the words of the expected metadata.
fn assert_column_statistics(name: &str, statistics: &ColumnStatistics, expected: &Value) {
    let number = |value: &Value| value.as_i64();
    let count = |value: Option<u64>| value.map(|value| value as i64);
    assert_eq!(
        count(statistics.number_of_values),
        number(&expected["number_of_values"]),
        "{name}"
    );
    assert_eq!(
        statistics.has_null,
        expected["has_null"].as_bool(),
        "{name}"
    );
    assert_eq!(
        count(statistics.bytes_on_disk),
        number(&expected["bytes_on_disk"]),
        "{name}"
    );
    match &statistics.specific {
        Some(TypeStatistics::Int(s)) => {
            let expected = &expected["int_statistics"];
            assert_eq!(s.minimum, number(&expected["minimum"]), "{name}");
            assert_eq!(s.maximum, number(&expected["maximum"]), "{name}");
            assert_eq!(s.sum, number(&expected["sum"]), "{name}");
        }
        Some(TypeStatistics::Timestamp(s)) => {
            let expected = &expected["timestamp_statistics"];
            assert_eq!(s.minimum, number(&expected["minimum"]), "{name}");
            assert_eq!(s.minimum_utc, number(&expected["minimum_utc"]), "{name}");
            assert_eq!(s.maximum_utc, number(&expected["maximum_utc"]), "{name}");
            let nanos = s.maximum_nanos.map(i64::from);
            assert_eq!(nanos, number(&expected["maximum_nanos"]), "{name}");
        }
        Some(TypeStatistics::Decimal(s)) => {
            let expected = &expected["decimal_statistics"];
            assert_eq!(s.minimum.as_deref(), expected["minimum"].as_str(), "{name}");
            assert_eq!(s.sum.as_deref(), expected["sum"].as_str(), "{name}");
        }
        Some(TypeStatistics::Date(s)) => {
            let expected = &expected["date_statistics"];
            assert_eq!(
                s.maximum.map(i64::from),
                number(&expected["maximum"]),
                "{name}"
            );
        }
        Some(TypeStatistics::Collection(s)) => {
            let expected = &expected["collection_statistics"];
            assert_eq!(
                count(s.total_children),
                number(&expected["total_children"]),
                "{name}"
            );
        }
        _ => {}
    }
}

fn assert_all_statistics(name: &str, statistics: &[ColumnStatistics], expected: &Value) {
    let empty = Vec::new();
    let expected = expected.as_array().unwrap_or(&empty);
    assert_eq!(statistics.len(), expected.len(), "{name}");
    for (statistics, expected) in statistics.iter().zip(expected) {
        assert_column_statistics(name, statistics, expected);
    }
}

/// Every stream, encoding, index entry and filter is what the expected metadata says.
fn assert_metadata(name: &str, file: &[u8], tail: &Tail, expected: &Value) {
    let limits = Limits::default();
    assert_eq!(
        Some(tail.postscript_length),
        expected["postscript_length"].as_u64(),
        "{name}"
    );
    assert_all_statistics(
        name,
        &tail.footer.statistics,
        &expected["footer"]["statistics"],
    );
    for (ordinal, statistics) in tail.metadata.stripe_stats.iter().enumerate() {
        let expected = &expected["stripe_stats"][ordinal]["col_stats"];
        assert_all_statistics(name, &statistics.col_stats, expected);
    }
    for (ordinal, stripe) in tail.footer.stripes.iter().enumerate() {
        let expected = &expected["stripes"][ordinal];
        let range = stripe.footer_range();
        let bytes = &file[range.start as usize..range.end as usize];
        let footer = tail.stripe_footer(ordinal, bytes, &limits).unwrap();
        let zone = expected["footer"]["writer_timezone"].as_str();
        assert_eq!(footer.writer_timezone.as_deref(), zone, "{name}");
        for (encoding, expected) in footer
            .columns
            .iter()
            .zip(values(&expected["footer"]["columns"]))
        {
            assert_eq!(
                Some(encoding.kind.name()),
                expected["kind"].as_str(),
                "{name}"
            );
        }
        let streams = values(&expected["footer"]["streams"]);
        assert_eq!(footer.streams.len(), streams.len(), "{name}");
        for ((stream, range), described) in footer.stream_ranges(stripe).zip(streams) {
            assert_eq!(
                Some(stream.kind.name()),
                described["kind"].as_str(),
                "{name}"
            );
            assert_eq!(Some(stream.length), described["length"].as_u64(), "{name}");
            let bytes = &file[range.start as usize..range.end as usize];
            if stream.kind == StreamKind::RowIndex {
                let index = tail.row_index(bytes, range.start, &limits).unwrap();
                let entries = &expected["row_index"][stream.column.to_string()]["entry"];
                assert_eq!(index.entry.len(), values(entries).len(), "{name}");
                for (entry, expected) in index.entry.iter().zip(values(entries)) {
                    let positions = values(&expected["positions"]).iter().map(Value::as_u64);
                    assert!(
                        entry.positions.iter().copied().map(Some).eq(positions),
                        "{name}"
                    );
                    let statistics = entry.statistics.as_ref().unwrap();
                    assert_column_statistics(name, statistics, &expected["statistics"]);
                }
            }
        }
    }
}

fn values(array: &Value) -> &[Value] {
    array.as_array().map_or(&[], |array| &array[..])
}

#[test]
fn the_corpus_decodes_to_what_other_readers_say() {
    let Some(corpus) = shared().map(|shared| shared.join("corpus")) else {
        return;
    };
    let manifest = fs::read(corpus.join("MANIFEST.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let (mut read, mut refused, mut compared) = (0, 0, 0);
    for entry in values(&manifest["files"]) {
        let name = entry["file"].as_str().unwrap();
        if !name.ends_with(".orc") {
            continue;
        }
        let file = fs::read(corpus.join(name)).unwrap();
        let decoded = match (
            decode(&file, Dialect::Orc),
            entry["expectation"].as_str().unwrap(),
        ) {
            (Ok(decoded), _) => decoded,
            (Err(error), _) if is_of_a_codec_to_come(&error) => {
                eprintln!("{name} is not tested: {error}");
                continue;
            }
            (Err(error), "rows" | "error_without_keys") => panic!("{name}: {error}"),
            (Err(_), _) => {
                refused += 1;
                continue;
            }
        };
        read += 1;
        if matches!(entry["expectation"].as_str(), Some("error" | "no_crash")) {
            assert!(!is_cut(name), "{name} decodes");
            continue;
        }
        if let Some(expected) = entry["expected"].as_str() {
            let header = first_line(&corpus.join(expected));
            assert_header(name, &decoded, &header);
            // damaged values need not be within the statistics of the sound ones
            if !name.starts_with("damaged/") {
                compared += assert_statistics(name, &decoded, &header);
            }
        }
        if let Some(expected) = entry["metadata"].as_str() {
            assert_metadata(
                name,
                &file,
                &decoded.tail,
                &first_line(&corpus.join(expected)),
            );
        }
    }
    eprintln!("{read} files decoded, {refused} refused, {compared} statistics compared");
    assert!(read >= 190 && refused >= 20 && compared >= 2000);
}

fn is_of_a_codec_to_come(error: &Error) -> bool {
    error.kind() == ErrorKind::Unsupported && error.message().starts_with("codec")
}

/// Damage that no reader of the metadata may miss.
fn is_cut(name: &str) -> bool {
    ["__cut", "__pslen", "__empty12", "bad_column_encodings"]
        .iter()
        .any(|mark| name.contains(mark))
}

#[test]
fn encrypted_columns_are_recognised() {
    let Some(corpus) = shared().map(|shared| shared.join("corpus/orc/encrypted")) else {
        return;
    };
    for name in ["sample1.orc", "sample2.orc"] {
        let decoded = decode(&fs::read(corpus.join(name)).unwrap(), Dialect::Orc).unwrap();
        assert!(
            decoded.schema.leaves.iter().any(|leaf| leaf.encrypted),
            "{name}"
        );
    }
}

#[test]
fn what_spark_wrote_has_sparks_types_in_sparks_dialect() {
    let Some(oracle) = shared().map(|shared| shared.join("oracle/spark")) else {
        return;
    };
    let datasets = fs::read(oracle.join("datasets.json")).unwrap();
    let datasets: Value = serde_json::from_slice(&datasets).unwrap();
    let mut files = 0;
    for dataset in values(&datasets)
        .iter()
        .filter(|dataset| dataset["format"] == "orc")
    {
        let directory = oracle.join(dataset["directory"].as_str().unwrap());
        let types: Vec<_> = values(&dataset["columns"])
            .iter()
            .map(|column| {
                (
                    column["name"].as_str().unwrap(),
                    column["type"].as_str().unwrap(),
                )
            })
            .collect();
        for listed in values(&dataset["files"]) {
            let path = directory.join(listed["path"].as_str().unwrap());
            let decoded = decode(&fs::read(&path).unwrap(), Dialect::Spark).unwrap();
            let rows: Vec<_> = decoded
                .meta
                .row_groups
                .iter()
                .map(|group| group.rows)
                .collect();
            let expected: Vec<_> = values(&listed["stripes"])
                .iter()
                .filter_map(Value::as_u64)
                .collect();
            assert_eq!(rows, expected, "{path:?}");
            for field in &decoded.schema.schema.fields {
                let stated = types.iter().find(|(name, _)| *name == field.name);
                if dataset["dataset"] != "evolved" {
                    let ty = field.ty.to_string();
                    assert_eq!(stated.map(|(_, ty)| *ty), Some(ty.as_str()), "{path:?}");
                }
            }
            files += 1;
        }
    }
    assert!(files >= 20, "{files}");
}

#[test]
fn an_empty_file_is_refused_in_plain_words() {
    let error = tail(&[], &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated);
}
