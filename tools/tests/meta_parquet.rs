//! `lith meta` of every Parquet file of the shared corpus, against an independent decoder that agrees with
//! the official Thrift classes.
//!
//! A closed list: every file with an expectation is equal to it, but for what is named here. Needs
//! `LITH_SHARED`, a directory with `corpus`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

mod corpus;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use corpus::{corpus, difference, gunzip, lie_within, manifest, nulls_add_up, shown_or_refused};
use lith::meta::meta;
use lith_format::error::{Error, ErrorKind};
use lith_format::schema::LeafId;
use lith_reader::file::{File, OpenOptions};
use lith_reader::parquet::Page;
use serde_json::{Value, json};

/// What only one side says: where the expectation comes from, and the version of our own form.
const NOT_COMPARED: [&str; 4] = [
    "corpus_metadata",
    "file",
    "cross_checked_with",
    "schema_version",
];

/// Chunks that are encrypted, whose ciphertext the expectation reads as headers and indexes.
const CIPHERTEXT: (&str, [usize; 2]) = (
    "parquet/encrypted/encrypt_columns_plaintext_footer.parquet.encrypted",
    [4, 5],
);

/// A file of which the expectation does not say what follows from the rest.
const TERSE: &str = "parquet/large_string_map.brotli.parquet";

/// A file whose physical type does not exist: its bounds are no values here.
const UNDECODED: &str = "parquet/bad/PARQUET-1481.parquet";

/// An unknown field that is a map without entries, which an expectation writes as an object.
const EMPTY_MAP: &str = "unknown_field_911";

/// How many pages of a chunk an expectation lists.
const PAGES: usize = 150;

/// How long a bound may be to be in an expectation.
const BOUND: usize = 400;

/// Takes out of `shown` what the form of an expectation has no room for, and out of both what errors say.
fn align(name: &str, shown: &mut Value, expected: &mut Value) {
    for field in NOT_COMPARED {
        shown.as_object_mut().unwrap().remove(field);
        expected.as_object_mut().unwrap().remove(field);
    }
    for chunk in shown["chunks"].as_array_mut().unwrap() {
        chunk["pages"].as_array_mut().unwrap().truncate(PAGES);
        let chunk = chunk.as_object_mut().unwrap();
        if let Some(Value::Object(bounds)) = chunk.get_mut("statistics_decoded") {
            bounds.retain(|_, value| value.as_str().is_none_or(|text| text.len() <= BOUND));
            if bounds.is_empty() {
                chunk.remove("statistics_decoded");
            }
        }
        if name == TERSE {
            chunk.retain(|field, _| !field.starts_with("has_") && field != "statistics_decoded");
        }
    }
    for side in [shown, expected] {
        for chunk in side["chunks"].as_array_mut().unwrap() {
            for (field, value) in chunk.as_object_mut().unwrap() {
                if field.ends_with("_error") {
                    assert!(!value.as_str().unwrap().is_empty());
                    *value = json!("error");
                }
            }
        }
    }
}

/// Takes out bounds that only one side knows as values: those of INT96 we do, those of [`UNDECODED`] we do not.
fn align_bounds(name: &str, shown: &mut Value, expected: &mut Value) {
    const FIELD: &str = "statistics_decoded";
    let footer = expected["footer"].clone();
    let mut undecoded = 0;
    for ordinal in 0..expected["chunks"].as_array().unwrap().len() {
        let [ours, theirs] = [&mut *shown, &mut *expected].map(|side| {
            let chunk = &mut side["chunks"][ordinal];
            chunk.as_object_mut().unwrap()
        });
        let [group, column] = ["row_group", "column"].map(|field| {
            let number = theirs[field].as_u64().unwrap();
            usize::try_from(number).unwrap()
        });
        let chunk = &footer["row_groups"][group]["columns"][column];
        if chunk["meta_data"]["type"] == json!("INT96") {
            ours.remove(FIELD);
        }
        if name != UNDECODED {
            continue;
        }
        if let Some(Value::Object(bounds)) = theirs.get_mut(FIELD) {
            let before = bounds.len();
            bounds.retain(|bound, _| {
                ours.get(FIELD)
                    .is_some_and(|ours| ours[bound] != json!(null))
            });
            undecoded += before - bounds.len();
            if bounds.is_empty() {
                theirs.remove(FIELD);
            }
        }
    }
    assert_eq!(undecoded > 0, name == UNDECODED, "{name}");
}

/// Writes empty maps as we do, as lists of no pairs.
fn align_maps(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| {
            if name == EMPTY_MAP && *value == json!({}) {
                *value = json!([]);
            }
            align_maps(value);
        }),
        Value::Array(list) => list.iter_mut().for_each(align_maps),
        _ => {}
    }
}

/// Columns that are encrypted say so, and nothing of them is taken for what it is not.
fn take_ciphertext(name: &str, shown: &mut Value, expected: &mut Value) {
    if name != CIPHERTEXT.0 {
        return;
    }
    for chunk in CIPHERTEXT.1 {
        let chunk_shown = &shown["chunks"][chunk];
        for error in ["page_error", "column_index_error", "offset_index_error"] {
            let text = chunk_shown[error].as_str().unwrap();
            assert!(text.contains("encrypted"), "{text}");
        }
        assert_eq!(chunk_shown["page_count"], json!(0));
        for side in [&mut *shown, &mut *expected] {
            let chunk = side["chunks"][chunk].as_object_mut().unwrap();
            chunk.retain(|field, _| matches!(field.as_str(), "row_group" | "column"));
            chunk.insert("pages".to_string(), json!([]));
        }
    }
}

#[test]
fn every_file_is_equal_to_its_expectation() {
    let Some(corpus) = corpus() else {
        return;
    };
    let (mut equal, mut wrong) = (0, Vec::new());
    for entry in manifest(&corpus) {
        let name = entry["file"].as_str().unwrap();
        let Some(expected) = entry["metadata"]
            .as_str()
            .filter(|_| !name.ends_with(".orc"))
        else {
            continue;
        };
        let mut shown = match meta(&corpus.join(name)) {
            Ok(shown) => shown,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        assert_eq!(shown["schema_version"], json!(1));
        let mut expected = gunzip(&corpus.join(expected));
        take_ciphertext(name, &mut shown, &mut expected);
        align(name, &mut shown, &mut expected);
        align_bounds(name, &mut shown, &mut expected);
        align_maps(&mut expected);
        match difference("", &shown, &expected) {
            Some(place) => wrong.push(format!("{name}{place}")),
            None => equal += 1,
        }
    }
    eprintln!("{equal} equal");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(equal, 511);
}

/// Undamaged files without an expectation: those that are locked, and two more.
#[test]
fn what_has_no_expectation_is_locked_or_named_here() {
    let Some(corpus) = corpus() else {
        return;
    };
    let (mut locked, mut others) = (0, Vec::new());
    for entry in manifest(&corpus) {
        let name = entry["file"].as_str().unwrap();
        let is_ours = name.contains(".parquet") && !name.starts_with("damaged/");
        if !is_ours || entry["metadata"].is_string() || entry["expectation"] == json!("n/a") {
            continue;
        }
        match meta(&corpus.join(name)) {
            Ok(shown) => others.push((name.to_string(), shown)),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Encrypted, "{error}");
                assert!(error.message().contains("with AES_GCM"), "{error}");
                locked += 1;
            }
        }
    }
    assert_eq!(locked, 11);
    let names: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "parquet/bad/ARROW-GH-45185.parquet",
        "synth/parquet/pa_summary_metadata.parquet",
    ];
    assert_eq!(names, expected);
    let chunk = &others[1].1["chunks"][0];
    assert!(
        chunk["page_error"]
            .as_str()
            .unwrap()
            .contains("another file")
    );
}

#[test]
fn damaged_files_are_shown_or_refused_but_never_panic() {
    let Some(corpus) = corpus() else {
        return;
    };
    let (sound, refused) = shown_or_refused(&corpus.join("damaged/parquet"), "chunks");
    assert!(sound > 0 && refused > 0);
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// A file that needs no corpus.
fn fixture() -> PathBuf {
    let mut files = fs::read_dir(fixtures().join("datafilter_parquet/colA=1")).unwrap();
    files.next().unwrap().unwrap().path()
}

#[test]
fn a_fixture_is_equal_to_its_golden() {
    let golden = fs::read(fixtures().join("meta_parquet.json")).unwrap();
    let golden: Value = serde_json::from_slice(&golden).unwrap();
    let shown = meta(&fixture()).unwrap();
    assert_eq!(difference("", &shown, &golden), None);
}

/// Places of the data pages of a chunk that an expectation lists, and whether these are all; none if the
/// expectation calls the chunk broken.
fn expected_places(chunk: &Value) -> Option<(Vec<u64>, bool)> {
    let pages = chunk["pages"].as_array().unwrap();
    let is_data = |page: &&Value| {
        page["header"]["type"]
            .as_str()
            .unwrap()
            .starts_with("DATA_")
    };
    let places = pages.iter().filter(is_data);
    chunk["page_error"].is_null().then(|| {
        let all = chunk["page_count"] == json!(pages.len());
        let places = places.map(|page| page["offset"].as_u64().unwrap());
        (places.collect(), all)
    })
}

/// A page's header, as the expectations have it.
fn as_expected(page: &Page) -> Value {
    let header = page.header.as_ref().unwrap();
    let values = header.values();
    json!({
        "offset": page.range.start,
        "type": header.page_type.name(),
        "compressed": header.compressed_page_size,
        "uncompressed": header.uncompressed_page_size,
        "values": values.map(|(values, _)| values),
        "encoding": values.map(|(_, encoding)| encoding.name()),
    })
}

fn expected_headers(chunk: &Value) -> Vec<Value> {
    let page = |page: &Value| {
        let header = &page["header"];
        let kinds = [
            "data_page_header",
            "data_page_header_v2",
            "dictionary_page_header",
        ];
        let kind = kinds.into_iter().find(|kind| header[kind].is_object());
        let of_kind = |name| kind.map_or(&Value::Null, |kind| &header[kind][name]);
        json!({
            "offset": page["offset"],
            "type": header["type"],
            "compressed": header["compressed_page_size"],
            "uncompressed": header["uncompressed_page_size"],
            "values": of_kind("num_values"),
            "encoding": of_kind("encoding"),
        })
    };
    chunk["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(page)
        .collect()
}

/// A chunk of a file of the corpus, and what is expected of it.
struct Chunk<'a> {
    file: &'a File,
    ordinal: usize,
    leaf: LeafId,
    expected: &'a Value,
    place: String,
}

/// Every chunk of every file that can be opened.
fn each_chunk(corpus: &Path, mut work: impl FnMut(Chunk<'_>)) {
    for entry in manifest(corpus) {
        let name = entry["file"].as_str().unwrap();
        let Some(expected) = entry["metadata"]
            .as_str()
            .filter(|_| !name.ends_with(".orc"))
        else {
            continue;
        };
        if entry["expectation"] == json!("error") {
            continue;
        }
        let file = OpenOptions::default().open(corpus.join(name)).unwrap();
        let expected = gunzip(&corpus.join(expected));
        let mut expected = expected["chunks"].as_array().unwrap().iter();
        for (ordinal, group) in file.meta().unwrap().row_groups.iter().enumerate() {
            for (leaf, _) in (0..).map(LeafId).zip(&group.chunks) {
                work(Chunk {
                    file: &file,
                    ordinal,
                    leaf,
                    expected: expected.next().unwrap(),
                    place: format!("{name} {ordinal} {leaf:?}"),
                });
            }
        }
    }
}

/// All pages of a chunk; an error if it is encrypted.
fn pages(chunk: &Chunk<'_>) -> Result<Vec<Page>, Error> {
    let limits = chunk.file.limits();
    let parquet = chunk.file.parquet().unwrap();
    let mut walk = parquet.walk(chunk.file.source().as_ref(), &limits);
    let pages = walk.chunk(chunk.ordinal, chunk.leaf);
    let pages = pages.and_then(Iterator::collect);
    pages.inspect_err(|error| assert_eq!(error.kind(), ErrorKind::Encrypted, "{error}"))
}

/// Pages are where the expectation has them, their rows are all rows, and their bounds those of the chunk.
#[test]
fn pages_are_the_parts_of_their_chunks() {
    let Some(corpus) = corpus() else {
        return;
    };
    let (mut places, mut compared, mut refused) = (0, 0, Vec::new());
    each_chunk(&corpus, |chunk| {
        let pages = pages(&chunk);
        let (file, place) = (chunk.file, chunk.place);
        let Ok(pages) = pages else {
            return refused.push(place);
        };
        let pages: Vec<_> = pages.into_iter().filter_map(|page| page.data).collect();
        if let Some((expected, all)) = expected_places(chunk.expected) {
            let found: Vec<u64> = pages.iter().map(|page| page.range.start).collect();
            assert!(found.starts_with(&expected), "{place}");
            assert!(!all || found.len() == expected.len(), "{place}");
            places += expected.len();
        }
        let group = &file.meta().unwrap().row_groups[chunk.ordinal];
        if let Some(Some(last)) = pages.last().map(|page| page.rows.as_ref()) {
            assert_eq!(last.end, group.rows, "{place}");
        }
        let whole = &group.chunks[chunk.leaf.index()].stats;
        nulls_add_up(pages.iter().map(|page| &page.stats), whole, &place);
        for page in &pages {
            compared += lie_within(&page.stats, whole, &place);
        }
    });
    eprintln!("{places} places, {compared} bounds compared");
    assert_eq!(refused.len(), 10, "{refused:?}");
    assert!(places > 10_000 && compared > 10_000);
}

/// Page headers are those of the expectation.
#[test]
fn page_headers_say_kind_sizes_and_encoding() {
    let Some(corpus) = corpus() else {
        return;
    };
    let mut compared = 0;
    each_chunk(&corpus, |chunk| {
        let Ok(pages) = pages(&chunk) else {
            return;
        };
        if chunk.expected["page_error"].is_null() {
            let expected = expected_headers(chunk.expected);
            let pages = pages.iter().take(expected.len());
            let found: Vec<Value> = pages.map(as_expected).collect();
            assert_eq!(found, expected, "{}", chunk.place);
            compared += expected.len();
        }
    });
    eprintln!("{compared} headers compared");
    assert!(compared > 10_000);
}

fn lith(args: &[&str]) -> Output {
    let lith = Command::new(env!("CARGO_BIN_EXE_lith")).args(args).output();
    lith.unwrap()
}

#[test]
fn text_shows_the_same_as_json() {
    let path = fixture();
    let text = String::from_utf8(lith(&["meta", path.to_str().unwrap()]).stdout).unwrap();
    for line in ["format: parquet", "  version: 1", "      max_value: 299"] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    let codecs = text.lines().filter(|line| line.trim() == "codec: SNAPPY");
    assert_eq!(codecs.count(), 2);
}

#[test]
fn a_locked_footer_ends_with_exit_code_4() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("locked.parquet");
    // AES_GCM_V1 without fields, key metadata "kf", three bytes of ciphertext
    let mut bytes = b"PARE\x1c\x1c\0\0\x18\x02kf\0abc\x0c\0\0\0".to_vec();
    bytes.extend(b"PARE");
    fs::write(&path, bytes).unwrap();
    let output = lith(&["meta", path.to_str().unwrap(), "-f", "json"]);
    assert_eq!(output.status.code(), Some(4));
    let mut shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = shown.as_object_mut().unwrap().remove("footer_error");
    assert!(error.unwrap().as_str().unwrap().contains("AES_GCM_V1"));
    let crypto = json!({
        "encryption_algorithm": { "AES_GCM_V1": {} },
        "key_metadata": "0x6b66", "key_metadata_text": "kf",
    });
    let expected = json!({
        "file": path, "schema_version": 1, "format": "parquet", "footer_length": 12,
        "file_crypto_metadata": crypto,
    });
    assert_eq!(shown, expected);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    let how = "encrypted with AES_GCM_V1 (key metadata 0x6b66)";
    assert!(error.contains(how), "{error}");
}

#[test]
fn pages_shows_where_pages_are_and_what_is_in_them() {
    let path = fixture();
    let path = path.to_str().unwrap();
    let shown = lith(&["pages", path, "-c", "colC", "-f", "json"]).stdout;
    let shown: Value = serde_json::from_slice(&shown).unwrap();
    let page = json!({
        "row_group": 0, "column": "colC", "leaf": 1, "first_row": 0, "rows": 2, "null_count": 0,
        "min": 3, "min_exact": true, "max": 299, "max_exact": true, "distrust": null,
        "page_type": "DATA_PAGE", "encoding": "PLAIN", "values": 2,
        "offset": 43, "bytes": 39, "compressed_bytes": 16, "uncompressed_bytes": 14,
    });
    let expected = json!({ "file": path, "schema_version": 1, "strides": [page] });
    assert_eq!(shown, expected);
    let text = String::from_utf8(lith(&["pages", path]).stdout).unwrap();
    assert!(text.contains("offset") && text.contains("299"), "{text}");
}

/// A column that is encrypted is told in its place, the others are shown; alone it is nothing but an error.
#[test]
fn pages_tells_which_columns_are_encrypted() {
    let Some(corpus) = corpus() else {
        return;
    };
    let path = corpus.join(CIPHERTEXT.0);
    let path = path.to_str().unwrap();
    let output = lith(&["pages", path, "-f", "json"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let strides = shown["strides"].as_array().unwrap();
    let told = strides.iter().filter(|stride| stride["error"].is_string());
    let columns: Vec<&str> = told
        .map(|stride| stride["column"].as_str().unwrap())
        .collect();
    assert_eq!(columns, ["float_field", "double_field"]);
    assert!(
        strides
            .iter()
            .any(|stride| stride["page_type"] == "DATA_PAGE")
    );
    let text = String::from_utf8(lith(&["pages", path]).stdout).unwrap();
    let lines = text.lines().filter(|line| line.contains(" encrypted "));
    assert_eq!(lines.count(), 2, "{text}");
    let output = lith(&["pages", path, "-c", "float_field"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(4), 0));
}
