//! `lith meta` of ORC files in which one part is broken: the others are shown, and the exit code is that of the
//! worst error.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::fs;
use std::ops::Range;
use std::process::{Command, Stdio};
use std::sync::Arc;

use lith_format::compress::Codec;
use lith_format::limits::Limits;
use lith_format::meta::Format;
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::proto::Message;
use lith_format::orc::stripe::StripeFooter;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, Values, Vector};
use lith_reader::orc::OrcFile;
use lith_reader::source::{BytesSource, Source};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;
use serde_json::{Value, json};

/// Three stripes of two columns.
fn file() -> Vec<u8> {
    let field = |name| Field::required(name, LogicalType::Int64);
    let schema = Arc::new(Schema::new(vec![field("a"), field("b")]));
    let options = WriteOptions {
        format: Format::Orc,
        codec: Codec::None,
        row_group_rows: 10,
        ..WriteOptions::default()
    };
    let column = Vector {
        ty: LogicalType::Int64,
        len: 30,
        validity: None,
        values: Values::I64((0..30).collect()),
    };
    let batch = Batch {
        schema: Arc::clone(&schema),
        rows: 30,
        columns: vec![column.clone(), column],
    };
    let mut bytes = Vec::new();
    let mut writer = FileWriter::new(&mut bytes, &schema, options).unwrap();
    writer.write(&batch).unwrap();
    assert_eq!(writer.finish().unwrap().row_groups.len(), 3);
    bytes
}

/// The range and the content of the second stripe's footer.
fn second_footer(bytes: &[u8]) -> (Range<usize>, StripeFooter) {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new(bytes.to_vec(), "a.orc"));
    let orc = OrcFile::open(&source, &Limits::default()).unwrap();
    let range = orc.footer().stripes[1].footer_range();
    let footer = orc.stripe_footer(&source, 1).unwrap();
    (range.start as usize..range.end as usize, (*footer).clone())
}

/// The range of stream `at` of the second stripe.
fn second_stream(bytes: &[u8], at: usize) -> Range<usize> {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new(bytes.to_vec(), "a.orc"));
    let orc = OrcFile::open(&source, &Limits::default()).unwrap();
    let stripe = &orc.footer().stripes[1];
    let footer = orc.stripe_footer(&source, 1).unwrap();
    let (_, range) = footer.stream_ranges(stripe).nth(at).unwrap();
    range.start as usize..range.end as usize
}

struct Shown {
    code: Option<i32>,
    json: Value,
    text: String,
    complaint: String,
}

fn meta(bytes: &[u8]) -> Shown {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.orc");
    fs::write(&path, bytes).unwrap();
    let run = |format: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lith"));
        command.args(["meta", "-f", format]).arg(&path);
        command.stdin(Stdio::null()).output().unwrap()
    };
    let (json, text) = (run("json"), run("text"));
    assert_eq!(json.status.code(), text.status.code());
    assert_eq!(json.stderr, text.stderr);
    Shown {
        code: json.status.code(),
        json: serde_json::from_slice(&json.stdout).unwrap(),
        text: String::from_utf8(text.stdout).unwrap(),
        complaint: String::from_utf8(json.stderr).unwrap(),
    }
}

/// Everything but the second stripe is shown as for the intact file.
fn others_are_shown(shown: &Shown, sound: &Shown) {
    for name in ["postscript", "footer", "stripe_stats"] {
        assert_eq!(shown.json[name], sound.json[name], "{name}");
    }
    for stripe in [0, 2] {
        assert_eq!(shown.json["stripes"][stripe], sound.json["stripes"][stripe]);
        assert!(shown.json["stripes"][stripe]["row_index"]["2"].is_object());
    }
}

#[test]
fn a_broken_stripe_footer_does_not_hide_the_other_stripes() {
    let mut bytes = file();
    let sound = meta(&bytes);
    assert_eq!(sound.code, Some(0));
    let (range, mut footer) = second_footer(&bytes);
    let length = range.len();
    bytes[range.start + 1] = 0xff;
    let shown = meta(&bytes);
    assert_eq!(shown.code, Some(4), "{}", shown.complaint);
    others_are_shown(&shown, &sound);
    let broken = shown.json["stripes"][1].as_object().unwrap();
    assert_eq!(broken.keys().collect::<Vec<_>>(), ["error"]);
    let error = broken["error"].as_str().unwrap();
    assert!(error.starts_with("StripeFooter at byte "), "{error}");
    assert!(shown.text.contains(error));
    assert!(shown.complaint.contains(error), "{}", shown.complaint);

    // a footer that can be decoded but contradicts the file is shown, too
    footer.streams[0].column = 9;
    let footer = footer.encode();
    assert_eq!(footer.len(), length);
    bytes[range].copy_from_slice(&footer);
    let shown = meta(&bytes);
    assert_eq!(shown.code, Some(4), "{}", shown.complaint);
    others_are_shown(&shown, &sound);
    let broken = &shown.json["stripes"][1];
    assert_eq!(broken["footer"]["streams"][0]["column"], json!(9));
    let error = broken["error"].as_str().unwrap();
    assert!(error.ends_with("stream of column 9 of 3"), "{error}");
}

#[test]
fn a_broken_index_does_not_hide_the_others() {
    let mut bytes = file();
    let sound = meta(&bytes);
    let (_, footer) = second_footer(&bytes);
    assert_eq!(footer.streams[1].kind, StreamKind::RowIndex);
    let index = second_stream(&bytes, 1);
    bytes[index.start + 1] = 0xff;
    let shown = meta(&bytes);
    assert_eq!(shown.code, Some(4), "{}", shown.complaint);
    others_are_shown(&shown, &sound);
    let (broken, whole) = (&shown.json["stripes"][1], &sound.json["stripes"][1]);
    assert_eq!(broken["footer"], whole["footer"]);
    for column in ["0", "2"] {
        assert_eq!(broken["row_index"][column], whole["row_index"][column]);
    }
    assert_eq!(broken["row_index"].get("1"), None);
    let errors = broken["index_errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1);
    let error = errors[0].as_str().unwrap();
    assert!(error.starts_with("column 1 ROW_INDEX: RowIndex at byte "));
}

#[test]
fn streams_of_one_kind_and_column_are_all_shown() {
    let mut bytes = file();
    let sound = meta(&bytes);
    let (range, mut footer) = second_footer(&bytes);
    footer.streams[2].column = 1;
    bytes[range].copy_from_slice(&footer.encode());
    let shown = meta(&bytes);
    assert_eq!(shown.code, Some(0), "{}", shown.complaint);
    others_are_shown(&shown, &sound);
    let whole = &sound.json["stripes"][1]["row_index"];
    let both = json!([whole["1"], whole["2"]]);
    let expected = json!({"0": whole["0"], "1": whole["2"], "duplicates_of_1": both});
    assert_eq!(shown.json["stripes"][1]["row_index"], expected);
}
