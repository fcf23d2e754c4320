//! Footers, schemas, page headers and statistics of other writers' files, held against what other
//! readers say of them.
//!
//! `LITH_SHARED` names the directory that holds `corpus`; without it these tests pass and say so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::parquet::encoding::PageType;
use lith_format::parquet::footer::{FileMetaData, Tail};
use lith_format::parquet::index::{ColumnIndex, OffsetIndex};
use lith_format::parquet::neutral::{self, Neutral};
use lith_format::parquet::page::PageHeader;
use lith_format::scalar::Scalar;
use lith_format::schema::Field;
use lith_format::stats::ColumnStats;
use lith_format::types::{LogicalType, Zone};
use serde_json::Value;

struct Corpus {
    root: PathBuf,
    /// Name and expectation of every Parquet file.
    files: Vec<(String, String)>,
}

impl Corpus {
    fn open() -> Option<Corpus> {
        let Some(shared) = std::env::var_os("LITH_SHARED") else {
            eprintln!("LITH_SHARED is not set: the corpus is not tested");
            return None;
        };
        let root = Path::new(&shared).join("corpus");
        let manifest = std::fs::read(root.join("MANIFEST.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let files = manifest["files"].as_array().unwrap().iter();
        let files = files
            .map(|file| (text(&file["file"]), text(&file["expectation"])))
            .filter(|(name, _)| name.ends_with(".parquet"))
            .collect();
        Some(Corpus { root, files })
    }

    /// The files of which rows are expected.
    fn good(&self) -> impl Iterator<Item = &str> {
        let good = self
            .files
            .iter()
            .filter(|(_, expectation)| expectation == "rows");
        good.map(|(name, _)| name.as_str())
    }

    fn bytes(&self, name: &str) -> Bytes {
        std::fs::read(self.root.join(name)).unwrap().into()
    }

    fn expected(&self, name: &str, kind: &str) -> Vec<u8> {
        let path = self.root.join("expected").join(format!("{name}.{kind}.gz"));
        let packed = std::fs::read(path).unwrap();
        let size = u32::from_le_bytes(*packed.last_chunk().unwrap());
        let mut out = vec![0; size as usize];
        libdeflater::Decompressor::new()
            .gzip_decompress(&packed, &mut out)
            .unwrap();
        out
    }

    /// The first line of the expected rows.
    fn header(&self, name: &str) -> Value {
        let text = self.expected(name, "rows.jsonl");
        serde_json::from_slice(text.split(|byte| *byte == b'\n').next().unwrap()).unwrap()
    }

    fn metadata(&self, name: &str) -> Value {
        serde_json::from_slice(&self.expected(name, "meta.json")).unwrap()
    }
}

fn open(file: &Bytes) -> Result<(FileMetaData, Neutral)> {
    let limits = Limits::default();
    let tail = Tail::decode(file, file.len() as u64, &limits)?;
    if tail.encrypted {
        return Err(Error::unsupported("the footer is encrypted"));
    }
    let footer = file.slice(tail.footer.start as usize..tail.footer.end as usize);
    let length = footer.len() as u64;
    let footer = FileMetaData::decode(&footer, &limits)?;
    let neutral = neutral::decode(&footer, file.len() as u64, length, &limits)?;
    Ok((footer, neutral))
}

#[test]
fn footers_decode_and_encode() {
    let Some(corpus) = Corpus::open() else { return };
    for name in corpus.good() {
        let (footer, neutral) = open(&corpus.bytes(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let again = FileMetaData::decode(&footer.encode().into(), &Limits::default()).unwrap();
        assert_eq!(again, footer, "{name}");
        let header = corpus.header(name);
        let groups = header["num_row_groups"].as_u64().unwrap();
        assert_eq!(neutral.meta.row_groups.len() as u64, groups, "{name}");
        assert_eq!(
            neutral.meta.rows,
            header["num_rows"].as_u64().unwrap(),
            "{name}"
        );
        assert_eq!(
            neutral.leaves.len(),
            neutral.meta.schema.leaf_count(),
            "{name}"
        );
        for group in &neutral.meta.row_groups {
            assert_eq!(group.chunks.len(), neutral.leaves.len(), "{name}");
        }
        for group in &footer.row_groups {
            for (chunk, leaf) in group.columns.iter().zip(&neutral.leaves) {
                let path = &chunk.meta_data.as_ref().unwrap().path_in_schema;
                assert_eq!(path, &leaf.path, "{name}");
            }
        }
    }
}

/// A field in the words of the corpus.
fn describe(field: &Field, out: &mut String) {
    use LogicalType as T;
    let plain = match &field.ty {
        T::Null => "null",
        T::Boolean => "bool",
        T::Int8 => "int8",
        T::Int16 => "int16",
        T::Int32 => "int32",
        T::Int64 => "int64",
        T::UInt8 => "uint8",
        T::UInt16 => "uint16",
        T::UInt32 => "uint32",
        T::UInt64 => "uint64",
        T::Float16 => "float16",
        T::Float32 => "float32",
        T::Float64 => "float64",
        T::Date => "date",
        T::Binary => "binary",
        T::Fixed(_) => "fixed",
        T::List(_) => "list",
        T::Map(_) => "map",
        T::Struct(_) | T::Variant(_) => "struct",
        T::Decimal { precision, scale } => &format!("decimal({precision},{scale})"),
        T::Time { unit, utc } => &format!("time({unit:?},{utc})"),
        T::Timestamp {
            zone: Zone::Unstated,
            ..
        } => "int96_timestamp",
        T::Timestamp { unit, zone } => &format!("timestamp({unit:?},{})", *zone == Zone::Utc),
        other => &other.to_string(),
    };
    out.push_str(plain);
    let fields = field.ty.fields();
    if !fields.is_empty() {
        out.push('<');
        for field in fields {
            if matches!(&field.ty, T::Struct(fields) if fields.is_empty()) {
                out.push_str("none,");
                continue;
            }
            out.push_str(&format!("{}:", field.name));
            describe(field, out);
            out.push(',');
        }
        out.push('>');
    }
    if field.nullable {
        out.push('?');
    }
}

/// The same of a node in an expected header.
fn describe_expected(node: &Value, out: &mut String) {
    if node.is_null() {
        out.push_str("none,");
        return;
    }
    let text = |key: &str| node[key].as_str().unwrap_or_default();
    let unit = match text("unit") {
        "MILLIS" => "Millis",
        "MICROS" => "Micros",
        _ => "Nanos",
    };
    match text("type") {
        "decimal" => out.push_str(&format!("decimal({},{})", node["precision"], node["scale"])),
        "time" => out.push_str(&format!("time({unit},{})", node["utc"])),
        "timestamp" => out.push_str(&format!("timestamp({unit},{})", node["utc"])),
        plain => out.push_str(plain),
    }
    let children = ["element", "key", "value"].map(|key| node.get(key));
    let children: Vec<&Value> = match node["fields"].as_array() {
        Some(fields) => fields.iter().collect(),
        None => children.into_iter().flatten().collect(),
    };
    if !children.is_empty() {
        out.push('<');
        for child in children {
            if !child.is_null() {
                out.push_str(&format!("{}:", child["name"].as_str().unwrap()));
            }
            describe_expected(child, out);
            if !child.is_null() {
                out.push(',');
            }
        }
        out.push('>');
    }
    if node["nullable"].as_bool() == Some(true) {
        out.push('?');
    }
}

#[test]
fn schemas_are_what_other_readers_see() {
    let Some(corpus) = Corpus::open() else { return };
    let mut differing = Vec::new();
    for name in corpus.good() {
        let (_, neutral) = open(&corpus.bytes(name)).unwrap();
        let mut ours = String::new();
        let root = LogicalType::Struct(neutral.meta.schema.fields.clone().into());
        describe(&Field::required("", root), &mut ours);
        let mut theirs = String::new();
        describe_expected(&corpus.header(name)["schema"], &mut theirs);
        if ours != theirs {
            differing.push(format!("{name}\n  ours   {ours}\n  theirs {theirs}"));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn page_headers_follow_each_other_through_every_chunk() {
    let Some(corpus) = Corpus::open() else { return };
    for name in corpus.good() {
        let file = corpus.bytes(name);
        let (footer, _) = open(&file).unwrap();
        let expected = corpus.metadata(name);
        let mut chunks = expected["chunks"].as_array().unwrap().iter();
        for chunk in footer.row_groups.iter().flat_map(|group| &group.columns) {
            let expected = chunks.next().unwrap();
            let meta = chunk.meta_data.as_ref().unwrap();
            let range = neutral::chunk_range(meta, file.len() as u64).unwrap();
            let (mut at, mut values, mut pages) = (range.start, 0, 0);
            while values < meta.num_values {
                let bytes = &file[at as usize..];
                let (header, length) = PageHeader::decode(bytes, &Limits::default()).unwrap();
                assert_eq!(header.encode(), bytes[..length], "{name} at {at}");
                if let Some(page) = expected["pages"].get(pages) {
                    assert_eq!(page["offset"].as_u64(), Some(at), "{name}");
                    assert_eq!(
                        page["header_length"].as_u64(),
                        Some(length as u64),
                        "{name}"
                    );
                }
                let of = |v1, v2| {
                    if header.page_type == PageType::DataPage {
                        v1
                    } else {
                        v2
                    }
                };
                values += i64::from(of(
                    header
                        .data_page_header
                        .as_ref()
                        .map_or(0, |page| page.num_values),
                    header
                        .data_page_header_v2
                        .as_ref()
                        .map_or(0, |page| page.num_values),
                ));
                at += length as u64 + u64::try_from(header.compressed_page_size).unwrap();
                pages += 1;
            }
            assert_eq!(values, meta.num_values, "{name}");
            if let Some(count) = expected["page_count"].as_u64() {
                assert_eq!(count, pages as u64, "{name}");
            }
        }
    }
}

#[test]
fn indexes_decode_and_are_consistent() {
    let Some(corpus) = Corpus::open() else { return };
    let mut found = 0;
    for name in corpus.good() {
        let file = corpus.bytes(name);
        let size = file.len() as u64;
        let (footer, _) = open(&file).unwrap();
        for group in &footer.row_groups {
            for chunk in &group.columns {
                let slice = |range: std::ops::Range<u64>| {
                    file.slice(range.start as usize..range.end as usize)
                };
                let Some(range) = neutral::offset_index_range(chunk, size) else {
                    continue;
                };
                let bytes = slice(range);
                let offsets = OffsetIndex::decode(&bytes, &Limits::default()).unwrap();
                offsets
                    .validate(group.num_rows as u64)
                    .unwrap_or_else(|e| panic!("{name}: {e}"));
                let again = OffsetIndex::decode(&offsets.encode().into(), &Limits::default());
                assert_eq!(again.unwrap(), offsets, "{name}");
                let Some(range) = neutral::column_index_range(chunk, size) else {
                    continue;
                };
                let bytes = slice(range);
                let index = ColumnIndex::decode(&bytes, &Limits::default()).unwrap();
                let pages = offsets.page_locations.len();
                index
                    .validate(pages)
                    .unwrap_or_else(|e| panic!("{name}: {e}"));
                let again = ColumnIndex::decode(&index.encode().into(), &Limits::default());
                assert_eq!(again.unwrap(), index, "{name}");
                found += 1;
            }
        }
    }
    assert!(found > 1000, "{found} column indexes");
}

/// A bound of the corpus as a scalar, for types where that is short.
fn expected_bound(value: &Value, ty: &LogicalType) -> Option<Scalar> {
    Some(match (value, ty) {
        (Value::Number(number), LogicalType::Float32) => {
            Scalar::Float32(number.to_string().parse().unwrap())
        }
        (Value::Number(number), LogicalType::Float64) => {
            Scalar::Float64(number.to_string().parse().unwrap())
        }
        (Value::Number(number), LogicalType::UInt64) => Scalar::UInt(number.as_u64()?),
        (Value::Number(number), _) => Scalar::Int(number.as_i64()?),
        (Value::Bool(value), LogicalType::Boolean) => Scalar::Boolean(*value),
        (Value::String(text), LogicalType::Float32 | LogicalType::Float64) => {
            Scalar::Float64(text.replace("Infinity", "inf").parse().unwrap())
        }
        (Value::String(text), LogicalType::String) => Scalar::string(text),
        _ => return None,
    })
}

#[test]
fn trusted_statistics_are_true_of_the_rows() {
    let Some(corpus) = Corpus::open() else { return };
    let (mut bounds, mut counts) = (0, 0);
    for name in corpus.good() {
        let (_, neutral) = open(&corpus.bytes(name)).unwrap();
        let header = corpus.header(name);
        for (column, field) in neutral.meta.schema.fields.iter().enumerate() {
            let expected = &header["columns"][column];
            if field.ty.is_nested() {
                continue;
            }
            let leaf = neutral.meta.schema.first_leaf(column).index();
            let chunks = neutral
                .meta
                .row_groups
                .iter()
                .map(|group| &group.chunks[leaf].stats);
            let Some(stats) = chunks.cloned().reduce(|a, b| a.merge(&b)) else {
                continue;
            };
            counts += check_counts(&stats, expected, name);
            bounds += check_bounds(&stats, expected, field, name);
        }
    }
    assert!(
        bounds > 1000 && counts > 1000,
        "{bounds} bounds, {counts} counts"
    );
}

fn check_counts(stats: &ColumnStats, expected: &Value, name: &str) -> usize {
    let Some(nulls) = stats.null_count else {
        return 0;
    };
    assert_eq!(
        Some(nulls),
        expected["null_count"].as_u64(),
        "{name} {}",
        expected["name"]
    );
    1
}

/// The last digit of a float may be lost on its way through the JSON parser.
fn nearly_equal(a: &Scalar, b: &Scalar) -> bool {
    match (a, b) {
        (Scalar::Float64(a), Scalar::Float64(b)) => (a - b).abs() <= a.abs() * 4.0 * f64::EPSILON,
        _ => false,
    }
}

fn check_bounds(stats: &ColumnStats, expected: &Value, field: &Field, name: &str) -> usize {
    let mut checked = 0;
    for (bound, key) in [(&stats.min, "min"), (&stats.max, "max")] {
        let Some(bound) = bound else { continue };
        let Some(truth) = expected_bound(&expected[key], &field.ty) else {
            continue;
        };
        let order = bound.value.compare(&truth).unwrap();
        let order = if nearly_equal(&bound.value, &truth) {
            Ordering::Equal
        } else {
            order
        };
        let what = format!(
            "{name} {}: {key} {:?}, in truth {truth:?}",
            field.name, bound.value
        );
        match key {
            _ if bound.exact => assert!(order.is_eq(), "{what}"),
            "min" => assert!(order.is_le(), "{what}"),
            _ => assert!(order.is_ge(), "{what}"),
        }
        checked += 1;
    }
    checked
}

#[test]
fn damaged_and_shortened_files_never_panic() {
    let Some(corpus) = Corpus::open() else { return };
    for (name, _) in &corpus.files {
        let file = corpus.bytes(name);
        let _ = open(&file);
        let Ok(tail) = Tail::decode(&file, file.len() as u64, &Limits::default()) else {
            continue;
        };
        let footer = file.slice(tail.footer.start as usize..tail.footer.end as usize);
        if tail.encrypted || FileMetaData::decode(&footer, &Limits::default()).is_err() {
            continue;
        }
        let signed = FileMetaData::decode(&footer, &Limits::default())
            .unwrap()
            .encode();
        // a long footer is cut at some of its bytes only
        let step = signed.len() / 60 + 1;
        for end in (0..signed.len()).step_by(step) {
            let cut = Bytes::copy_from_slice(&signed[..end]);
            assert!(
                FileMetaData::decode(&cut, &Limits::default()).is_err(),
                "{name} at {end}"
            );
        }
    }
}
