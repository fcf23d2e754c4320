//! What `lith inspect` says, and what all commands say of what is encrypted.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use bytes::Bytes;
use lith_format::limits::Limits;
use lith_format::meta::Format;
use lith_format::orc::footer::{Footer, Metadata};
use lith_format::orc::tail as orc;
use lith_format::parquet::footer::{FileMetaData, Tail};
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, Values, Vector};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;
use serde_json::{Value, json};

fn lith(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lith"));
    command.args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = lith(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A Parquet file of one row of nulls in so many columns.
fn wide(path: &Path, columns: usize) {
    let fields = (0..columns).map(|n| Field::nullable(format!("c{n}"), LogicalType::Int32));
    let schema = Arc::new(Schema::new(fields.collect()));
    let column = |field: &Field| Vector::constant(field.ty.clone(), Scalar::Null, 1);
    let batch = Batch {
        rows: 1,
        columns: schema.fields.iter().map(column).collect(),
        schema: Arc::clone(&schema),
    };
    let sink = fs::File::create(path).unwrap();
    let mut writer = FileWriter::new(sink, &schema, WriteOptions::default()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

#[test]
fn a_wide_file_does_not_flood_the_screen() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("wide.parquet");
    wide(&path, 1000);
    let path = path.to_str().unwrap();
    let text = stdout(&["inspect", path]);
    assert!(text.lines().count() <= 60, "{text}");
    assert!(
        text.contains("960 more columns, 96 % of the bytes, none larger: --all"),
        "{text}"
    );
    let all = stdout(&["inspect", path, "--all"]);
    assert!(all.lines().count() > 1000 && !all.contains("--all"));
    let json: Value = serde_json::from_str(&stdout(&["inspect", path, "-f", "json"])).unwrap();
    assert_eq!(json["columns"].as_array().unwrap().len(), 1000);
}

#[test]
fn partitions_are_counted_in_text_and_json() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/datafilter_parquet");
    let fixture = fixture.to_str().unwrap();
    let text = stdout(&["inspect", fixture]);
    assert!(text.contains("\n3 partitions by colA\n"), "{text}");
    let json: Value = serde_json::from_str(&stdout(&["inspect", fixture, "-f", "json"])).unwrap();
    assert_eq!(json["partitions"], 3);
    assert_eq!(json["partition_columns"], serde_json::json!(["colA"]));
}

#[test]
fn filters_of_writers_with_a_bug_are_told() {
    let Some(shared) = std::env::var_os("LITH_SHARED") else {
        eprintln!("LITH_SHARED is not set: filters of writers with a bug are not tried");
        return;
    };
    let folder = Path::new(&shared).join("corpus/orc");
    for (file, doubted) in [
        ("bad_bloom_filter_1.6.0.orc", true),
        ("bad_bloom_filter_1.6.11.orc", true),
        ("over1k_bloom.orc", false),
    ] {
        let text = stdout(&["inspect", folder.join(file).to_str().unwrap()]);
        assert!(text.contains("row index, bloom"), "{text}");
        assert_eq!(
            text.contains("id, name: Bloom filters are not used"),
            doubted,
            "{text}"
        );
    }
}

/// The encrypted files of the corpus, if it is there.
fn encrypted(format: &str) -> Vec<PathBuf> {
    let Some(shared) = std::env::var_os("LITH_SHARED") else {
        eprintln!("LITH_SHARED is not set: the encrypted files of the corpus are not tried");
        return Vec::new();
    };
    let folder = Path::new(&shared)
        .join("corpus")
        .join(format)
        .join("encrypted");
    let mut left = vec![folder];
    let mut files = Vec::new();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|end| end != "json") {
            files.push(path);
        }
    }
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn a_locked_footer_is_told_by_every_command_with_its_cipher_and_key() {
    let locked = encrypted("parquet").into_iter();
    let locked = locked.filter(|path| fs::read(path).unwrap().ends_with(b"PARE"));
    for path in locked {
        let path = path.to_str().unwrap();
        for command in [
            "inspect", "meta", "stats", "pages", "schema", "count", "head", "scan",
        ] {
            let output = lith(&[command, path]);
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(4), "{command} {path}: {said}");
            let cipher = match path.contains("_ctr") {
                true => "the footer is encrypted with AES_GCM_CTR_V1 (key metadata 0x",
                false => "the footer is encrypted with AES_GCM_V1 (key metadata 0x",
            };
            assert!(said.contains(cipher), "{command} {path}: {said}");
        }
    }
}

#[test]
fn encrypted_columns_of_parquet_are_told_and_the_rest_is_shown() {
    let open = encrypted("parquet").into_iter();
    let open = open.filter(|path| !fs::read(path).unwrap().ends_with(b"PARE"));
    for path in open {
        let path = path.to_str().unwrap();
        let text = stdout(&["inspect", path]);
        let signed = "the footer is signed with AES_GCM_V1, key metadata 0x6b66";
        assert!(text.lines().any(|line| line == signed), "{text}");
        let column = "double_field: encrypted with AES_GCM_V1, key metadata 0x6b6331";
        assert!(text.lines().any(|line| line == column), "{text}");
        assert!(!text.contains("stored bounds"), "{text}");
        let json: Value = serde_json::from_str(&stdout(&["inspect", path, "-f", "json"])).unwrap();
        let entries = json["encryption"].as_array().unwrap();
        assert!(
            entries
                .iter()
                .any(|entry| entry["key"] == "key metadata 0x6b6332")
        );
        assert!(stdout(&["stats", path]).contains("the column is encrypted"));
        let output = lith(&["meta", path]);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        assert_eq!(output.stderr.split(|byte| *byte == b'\n').count(), 2);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("key_metadata: 0x6b6331"), "{text}");
        assert!(stdout(&["schema", path]).contains("double_field"));
        assert_eq!(stdout(&["count", path]), "50\n");
        let output = lith(&["scan", path, "-c", "double_field"]);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        let output = lith(&["scan", path, "-c", "float_field,double_field"]);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(!complaint.contains("-c"), "{complaint}");
        // pages are shown unless all of them are encrypted
        let output = lith(&["pages", path]);
        match path.contains("aes256") {
            true => assert_eq!(output.status.code(), Some(4), "{output:?}"),
            false => assert!(
                String::from_utf8(output.stdout)
                    .unwrap()
                    .contains("encrypted")
            ),
        }
    }
}

#[test]
fn encrypted_columns_of_orc_are_told_and_the_rest_is_shown() {
    for path in encrypted("orc") {
        let path = path.to_str().unwrap();
        let text = stdout(&["inspect", path]);
        assert!(
            text.contains("ssn: encrypted with AES_CTR_256, key pii, version 0, of HADOOP"),
            "{text}"
        );
        assert!(!text.contains("stored bounds"), "{text}");
        assert!(stdout(&["stats", path]).contains("encrypt"));
        let output = lith(&["meta", path]);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        assert_eq!(output.stderr.split(|byte| *byte == b'\n').count(), 2);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("encrypt"), "{text}");
        // with the key that its authors published, and with another one
        let pii = "pii=2f69f2d45e655936739d76de1f91baf174d53f584379e7602e5d1db913322c92";
        for (key, is_right) in [(pii, true), (&*pii.replace('9', "8"), false)] {
            let output = lith(&["meta", path, "--key", key]);
            assert_eq!(output.status.code(), Some(4), "{output:?}");
            let told = String::from_utf8(output.stderr).unwrap();
            assert_eq!(
                told.contains("metadata is shown as stored"),
                is_right,
                "{told}"
            );
            assert_eq!(told.contains("a wrong one"), !is_right, "{told}");
            for untrue in ["there is no key", "was not used"] {
                assert!(!told.contains(untrue), "{told}");
            }
        }
        // not every page can be shown
        let output = lith(&["pages", path]);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains("the column is encrypted") && text.contains("Hyun"),
            "{text}"
        );
        assert!(stdout(&["head", path, "-c", "name"]).contains("Hyun"));
        let output = lith(&["head", path]);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
    }
}

/// What a query cannot read is said before it is run, unless no row group of it is read.
#[test]
fn explain_tells_which_columns_a_query_cannot_read() {
    let explain = |path: &str, more: &[&str]| {
        let arguments = [&["explain", path, "-f", "json"], more].concat();
        let json: Value = serde_json::from_str(&stdout(&arguments)).unwrap();
        json["unreadable"].clone()
    };
    for path in encrypted("orc") {
        let path = path.to_str().unwrap();
        let how = "encrypted with AES_CTR_256, key pii, version 0, of HADOOP; no key was given";
        let ssn = serde_json::json!([{"column": "ssn", "because": how}]);
        assert_eq!(explain(path, &["-c", "ssn,name"]), ssn);
        assert_eq!(explain(path, &["-c", "name", "-w", "ssn > 'a'"]), ssn);
        assert_eq!(explain(path, &["-c", "name"]), serde_json::json!([]));
        assert_eq!(explain(path, &["--masks"]), serde_json::json!([]));
        let text = stdout(&["explain", path, "-c", "ssn,name"]);
        let line = format!("└─ will fail        ssn: {how}");
        assert!(text.lines().any(|found| found == line), "{text}");
    }
    let open = encrypted("parquet").into_iter();
    for path in open.filter(|path| !fs::read(path).unwrap().ends_with(b"PARE")) {
        let path = path.to_str().unwrap();
        let found = explain(path, &["-c", "double_field"]);
        assert_eq!(found[0]["column"], "double_field", "{path}");
        let because = found[0]["because"].as_str().unwrap();
        assert!(because.contains("key metadata 0x6b6331"), "{because}");
        let none = serde_json::json!([]);
        assert_eq!(
            explain(path, &["-c", "double_field", "-w", "float_field IS NULL"]),
            none
        );
        if !path.contains("external_key") {
            let flags = flags(path);
            let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
            assert_eq!(explain(path, &flags), none);
        }
    }
}

/// The published keys of an encrypted file of the corpus, as flags.
fn flags(path: &str) -> Vec<String> {
    let (foot, column, first) = match path.contains("aes256") {
        true => (
            "01234567890123456789012345678901",
            "123456789012345678901234567890",
            12,
        ),
        false => ("0123456789012345", "12345678901234", 50),
    };
    let columns = (0..8).map(|number| {
        let (id, last) = (number + 1, first + number);
        (format!("kc{id}"), format!("{column}{last}"))
    });
    let keys = [("kf".to_string(), foot.to_string())]
        .into_iter()
        .chain(columns);
    let flags = keys.map(|(id, key)| {
        let digits = key.bytes().map(|byte| format!("{byte:02x}"));
        format!("--key={id}={}", digits.collect::<String>())
    });
    let prefix = path
        .contains("disable_aad")
        .then(|| "--aad-prefix=tester".to_string());
    flags.chain(prefix).collect()
}

#[test]
fn every_command_reads_encrypted_files_with_keys_and_tells_none() {
    let files = encrypted("parquet").into_iter();
    for path in files.filter(|path| !path.to_string_lossy().contains("external_key")) {
        let path = path.to_str().unwrap();
        let given = flags(path);
        let run = |command: &str, given: &[String]| {
            let given = given.iter().map(String::as_str);
            let arguments: Vec<&str> = [command, path].into_iter().chain(given).collect();
            let output = lith(&arguments);
            let text = [&output.stdout[..], &output.stderr].concat();
            (output.status.code(), String::from_utf8(text).unwrap())
        };
        for command in [
            "inspect", "meta", "stats", "pages", "schema", "count", "head", "scan",
        ] {
            let (code, text) = run(command, &given);
            assert_eq!(code, Some(0), "{command} {path}: {text}");
            assert!(
                !text.contains("no key was given"),
                "{command} {path}: {text}"
            );
            assert!(!text.contains("_error:"), "{command} {path}: {text}");
            assert!(!text.contains("3031323334"), "{command} {path}: {text}");
        }
        let mut wrong = given.clone();
        wrong[0] = "--key=kf=99999999999999999999999999999999".into();
        let (code, text) = run("count", &wrong);
        assert_eq!(code, Some(4), "{path}: {text}");
        assert!(
            text.contains("another key") && !text.contains("9999"),
            "{text}"
        );
    }
    let (code, text) = {
        let output = lith(&["count", "x.parquet", "--key", "kf=0123secret"]);
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(code, Some(2));
    assert!(!text.contains("secret"), "{text}");
}

/// What `inspect` says of a file of the corpus, as JSON; nothing where there is no corpus.
fn corpus(file: &str) -> Option<Value> {
    let Some(shared) = std::env::var_os("LITH_SHARED") else {
        eprintln!("LITH_SHARED is not set: {file} is not tried");
        return None;
    };
    let path = Path::new(&shared).join("corpus").join(file);
    let text = stdout(&["inspect", path.to_str().unwrap(), "-f", "json"]);
    Some(serde_json::from_str(&text).unwrap())
}

fn names(shown: &Value) -> Vec<&str> {
    let columns = shown["columns"].as_array().unwrap().iter();
    columns
        .map(|column| column["name"].as_str().unwrap())
        .collect()
}

#[test]
fn columns_that_look_alike_are_not_one() {
    let file = "synth/parquet/pa_duplicate_names.parquet";
    let Some(shown) = corpus(file) else { return };
    assert_eq!(names(&shown), ["dup", "dup", "dup"]);
    let shown = corpus("synth/parquet/pa_dotted_paths.parquet").unwrap();
    assert_eq!(
        names(&shown),
        ["a.`a.b`", "a.a.b", "a.a.😀.element", "`a.a.b`"]
    );
    let shown = corpus("synth/orc/oj_names.orc").unwrap();
    let names = names(&shown);
    assert!(
        names.contains(&"`a.b`") && names.contains(&"a.b"),
        "{names:?}"
    );
}

#[test]
fn without_row_groups_there_is_no_index_to_claim() {
    let files = [
        "orc/TestOrcFile.emptyFile.orc",
        "synth/parquet/pl_zero_rows.parquet",
    ];
    for shown in files.into_iter().filter_map(corpus) {
        for column in shown["columns"].as_array().unwrap() {
            assert_eq!(column["has_index"], Value::Null);
            assert_eq!(column["has_bloom"], Value::Null);
        }
    }
}

#[test]
fn row_groups_without_rows_do_not_hide_ranges() {
    let file = "synth/parquet/pa_empty_group_between.parquet";
    let Some(shown) = corpus(file) else { return };
    for column in shown["columns"].as_array().unwrap() {
        assert!(
            !column["min"].is_null() && !column["max"].is_null(),
            "{column}"
        );
        assert!(!column["null_count"].is_null(), "{column}");
    }
}

#[test]
fn a_footer_that_contradicts_its_row_groups_is_told() {
    let Some(shown) = corpus("parquet/repeated_no_annotation.parquet") else {
        return;
    };
    let warning = shown["warnings"][0].as_str().unwrap();
    let expected = "the footer states 0 rows, its row groups have 6, in ";
    assert!(warning.starts_with(expected), "{warning}");
}

#[test]
fn a_file_without_a_column_has_nulls_of_it() {
    let scratch = tempfile::tempdir().unwrap();
    for (name, columns) in [("1.parquet", 1), ("2.parquet", 2), ("3.parquet", 1)] {
        wide(&scratch.path().join(name), columns);
    }
    let path = scratch.path().to_str().unwrap();
    let shown: Value = serde_json::from_str(&stdout(&["inspect", path, "-f", "json"])).unwrap();
    assert_eq!(shown["columns"][1]["name"], "c1");
    assert_eq!(shown["columns"][1]["null_count"], 3);
}

/// A file of one column `n` of the numbers from 0, four rows a row group.
fn numbers(path: &Path, format: Format) {
    let schema = Arc::new(Schema::new(vec![
        Field::nullable("n", LogicalType::Int32),
        Field::nullable("m", LogicalType::Int32),
    ]));
    let column = || Vector {
        ty: LogicalType::Int32,
        len: 12,
        validity: None,
        values: Values::I32((0..12).collect()),
    };
    let batch = Batch {
        rows: 12,
        columns: vec![column(), column()],
        schema: Arc::clone(&schema),
    };
    let options = WriteOptions {
        format,
        row_group_rows: 4,
        ..WriteOptions::default()
    };
    let sink = fs::File::create(path).unwrap();
    let mut writer = FileWriter::new(sink, &schema, options).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

/// Puts a changed footer in the place of a Parquet file's own, or in a file without data.
fn change_footer(from: &Path, to: &Path, with_data: bool, change: impl Fn(&mut FileMetaData)) {
    let bytes = fs::read(from).unwrap();
    let limits = Limits::default();
    let tail = Tail::decode(&bytes, bytes.len() as u64, &limits).unwrap();
    let (start, end) = (tail.footer.start as usize, tail.footer.end as usize);
    let footer = Bytes::copy_from_slice(&bytes[start..end]);
    let mut footer = FileMetaData::decode(&footer, &limits).unwrap();
    change(&mut footer);
    let footer = footer.encode();
    let mut out = bytes[..if with_data { start } else { 4 }].to_vec();
    out.extend_from_slice(&footer);
    out.extend_from_slice(&Tail::encode(footer.len() as u32));
    fs::write(to, out).unwrap();
}

#[test]
fn a_broken_chunk_does_not_hide_the_others() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("broken.parquet");
    numbers(&path, Format::Parquet);
    change_footer(&path, &path, true, |footer| {
        let chunk = &mut footer.row_groups[1].columns[0];
        chunk.meta_data.as_mut().unwrap().total_compressed_size = -1;
    });
    let path = path.to_str().unwrap();
    let output = lith(&["inspect", path, "-f", "json"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("broken.parquet: row group 1: column \"n\""),
        "{said}"
    );
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [broken, sound] = [0, 1].map(|index| &shown["columns"][index]);
    assert_eq!(shown["rows"], 12);
    assert_eq!(
        (
            &broken["unread_row_groups"],
            &broken["max"],
            &broken["compressed_bytes"]
        ),
        (&json!(1), &Value::Null, &Value::Null)
    );
    assert_eq!(
        (&sound["unread_row_groups"], &sound["max"]),
        (&json!(0), &json!(11))
    );
    // nothing of it is asked for
    let output = lith(&["inspect", path, "-c", "m", "-f", "json"]);
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(names(&shown), ["m"]);
}

#[test]
fn a_broken_stripe_is_told_with_its_file_and_the_others_are_shown() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("broken.orc");
    numbers(&path, Format::Orc);
    let place = {
        let file = lith_reader::file::open(&path).unwrap();
        let stripe = &file.orc().unwrap().footer().stripes[1];
        stripe.offset + stripe.index_length + stripe.data_length
    };
    let mut bytes = fs::read(&path).unwrap();
    bytes[place as usize..][..8].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let output = lith(&["inspect", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("broken.orc: ") && said.contains(" 1: "),
        "{said}"
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("12 rows in 3 stripes"), "{text}");
    // statistics are in the file's tail
    let line = text.lines().find(|line| line.starts_with(" n ")).unwrap();
    assert!(
        line.contains(" 11 ") && line.contains("DIRECT_V2"),
        "{text}"
    );
}

#[test]
fn a_summary_of_other_files_is_shown_and_not_taken_for_data() {
    let scratch = tempfile::tempdir().unwrap();
    let data = scratch.path().join("part-0.parquet");
    numbers(&data, Format::Parquet);
    let summary = scratch.path().join("_metadata");
    change_footer(&data, &summary, false, |footer| {
        for group in &mut footer.row_groups {
            for chunk in &mut group.columns {
                chunk.file_path = Some("part-0.parquet".into());
            }
        }
    });
    let common = scratch.path().join("_common_metadata");
    change_footer(&data, &common, false, |footer| {
        footer.row_groups.clear();
        footer.num_rows = 0;
    });
    let inspect = |path: &Path| {
        let text = stdout(&["inspect", path.to_str().unwrap(), "-f", "json"]);
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let (summary_shown, shown) = (inspect(&summary), inspect(&data));
    assert_eq!(summary_shown["other_files"], json!(["part-0.parquet"]));
    assert_eq!(summary_shown["warnings"], json!([]));
    for member in ["rows", "row_groups", "data_bytes"] {
        assert_eq!(summary_shown[member], shown[member], "{member}");
    }
    assert_eq!(summary_shown["columns"], shown["columns"]);
    let path = summary.to_str().unwrap();
    assert!(stdout(&["inspect", path]).contains("the data is in another file: part-0.parquet"));
    assert!(stdout(&["stats", path]).contains(" 11 "));
    assert!(stdout(&["schema", path]).contains("n  int"));
    let meta = stdout(&["meta", path, "-f", "json"]);
    assert!(meta.contains("part-0.parquet"), "{meta}");
    let output = lith(&["head", path]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let all = [path, common.to_str().unwrap(), data.to_str().unwrap()];
    let count = |paths: &[&str]| stdout(&[&["count"], paths].concat());
    assert_eq!(count(&all), count(&all[2..]));
    assert_eq!(inspect(&common)["rows"], 0);
    assert!(stdout(&["schema", common.to_str().unwrap()]).contains("m  int"));
    // a directory is its data
    let folder = inspect(scratch.path());
    assert_eq!((&folder["files"], &folder["rows"]), (&json!(1), &json!(12)));
    let folder = scratch.path().to_str().unwrap();
    assert_eq!(stdout(&["count", folder]), "12\n");
}

#[test]
fn columns_have_one_name_and_number_in_all_commands() {
    let Some(shared) = std::env::var_os("LITH_SHARED") else {
        eprintln!("LITH_SHARED is not set: names of columns are not tried");
        return;
    };
    let corpus = Path::new(&shared).join("corpus");
    for file in [
        "parquet/nested_maps.snappy.parquet",
        "orc/TestOrcFile.test1.orc",
    ] {
        let path = corpus.join(file).display().to_string();
        let json = |arguments: &[&str]| {
            let text = stdout(&[arguments, &["-f", "json"]].concat());
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let inspect = json(&["inspect", &path]);
        for column in inspect["columns"].as_array().unwrap() {
            let name = column["name"].as_str().unwrap();
            let (stats, pages) = (
                json(&["stats", &path, "-c", name]),
                json(&["pages", &path, "-c", name]),
            );
            for row in [&stats["stats"][0], &pages["strides"][0]] {
                assert_eq!(row["column"], name);
                for member in ["leaf", "type_id"] {
                    assert_eq!(row[member], column[member], "{file} {name}");
                }
            }
            let one = json(&["inspect", &path, "-c", name]);
            assert_eq!(one["columns"], json!([column]));
            if let Some(stored) = column["path_in_schema"].as_array() {
                let stored: Vec<&str> = stored.iter().map(|part| part.as_str().unwrap()).collect();
                let other = json(&["stats", &path, "-c", &stored.join(".")]);
                assert_eq!(other, stats);
                let leaf = column["leaf"].as_u64().unwrap() as usize;
                let meta = json(&["meta", &path]);
                let chunk = &meta["footer"]["row_groups"][0]["columns"][leaf]["meta_data"];
                assert_eq!(chunk["path_in_schema"], column["path_in_schema"]);
            }
        }
    }
}

#[test]
fn meta_shows_pages_and_indexes_of_columns_that_are_asked_for() {
    let scratch = tempfile::tempdir().unwrap();
    let show = |format: Format| {
        let path = scratch.path().join(format!("a.{format}"));
        numbers(&path, format);
        let path = path.display().to_string();
        let show = |rest: &[&str]| -> Value {
            let text = stdout(&[&["meta", &path, "-f", "json"], rest].concat());
            serde_json::from_str(&text).unwrap()
        };
        let output = lith(&["meta", &path, "-c", "nothing"]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        (show(&[]), show(&["-c", "m"]))
    };
    let (whole, part) = show(Format::Parquet);
    assert_eq!(part["footer"], whole["footer"]);
    let chunks = whole["chunks"].as_array().unwrap().iter();
    let of_second: Vec<&Value> = chunks.filter(|chunk| chunk["column"] == 1).collect();
    assert_eq!((of_second.len(), &part["chunks"]), (3, &json!(of_second)));
    let (whole, part) = show(Format::Orc);
    assert_eq!(part["stripe_stats"], whole["stripe_stats"]);
    for (whole, part) in
        [0, 1, 2].map(|stripe| (&whole["stripes"][stripe], &part["stripes"][stripe]))
    {
        assert_eq!(part["footer"], whole["footer"]);
        assert_eq!(part["row_index"], json!({"2": whole["row_index"]["2"]}));
    }
}

#[test]
fn stripes_are_called_stripes_and_row_groups_row_groups() {
    let scratch = tempfile::tempdir().unwrap();
    for (format, ours, other) in [
        (Format::Orc, "stripe", "row group"),
        (Format::Parquet, "row group", "stripe"),
    ] {
        let path = scratch.path().join(format!("a.{format}"));
        numbers(&path, format);
        for command in ["inspect", "stats", "pages"] {
            let text = stdout(&[command, path.to_str().unwrap()]);
            assert!(text.contains(ours) && !text.contains(other), "{text}");
        }
    }
    let text = stdout(&["inspect", scratch.path().to_str().unwrap()]);
    assert!(text.contains("24 rows in 6 row groups"), "{text}");
}

#[test]
fn timestamps_are_told_with_unit_and_zone() {
    let Some(shared) = std::env::var_os("LITH_SHARED") else {
        eprintln!("LITH_SHARED is not set: types of timestamps are not tried");
        return;
    };
    let corpus = Path::new(&shared).join("corpus");
    for (file, ty) in [
        ("parquet/int96_from_spark.parquet", "int96 timestamp"),
        (
            "orc/TestOrcFile.testTimestamp.orc",
            "timestamp(ns, no zone)",
        ),
    ] {
        let path = corpus.join(file).display().to_string();
        for command in ["inspect", "schema"] {
            let text = stdout(&[command, &path]);
            assert!(text.contains(ty), "{text}");
        }
        for (command, list) in [
            ("inspect", "columns"),
            ("stats", "stats"),
            ("schema", "columns"),
        ] {
            let shown: Value =
                serde_json::from_str(&stdout(&[command, &path, "-f", "json"])).unwrap();
            assert_eq!(shown[list][0]["full_type"], ty, "{command}");
            assert_eq!(shown[list][0]["type"], "timestamp", "{command}");
        }
    }
}

#[test]
fn sizes_are_those_of_data_in_both_formats() {
    let scratch = tempfile::tempdir().unwrap();
    for format in [Format::Orc, Format::Parquet] {
        let path = scratch.path().join(format!("a.{format}"));
        numbers(&path, format);
        let text = stdout(&["inspect", path.to_str().unwrap(), "-f", "json"]);
        let shown: Value = serde_json::from_str(&text).unwrap();
        let number = |value: &Value| value.as_u64().unwrap();
        let sum = |member: &str| {
            let columns = shown["columns"].as_array().unwrap().iter();
            columns.map(|column| number(&column[member])).sum::<u64>()
        };
        assert_eq!(
            sum("compressed_bytes"),
            number(&shown["data_bytes"]),
            "{format}"
        );
        assert!(sum("index_bytes") > 0, "{shown}");
        let parts = ["data_bytes", "index_bytes", "footer_bytes"].map(|part| number(&shown[part]));
        let whole = number(&shown["bytes"]);
        // besides there are magic numbers, and footers of stripes
        assert!(parts.iter().sum::<u64>() <= whole, "{shown}");
        assert!(parts.iter().sum::<u64>() + 400 > whole, "{shown}");
    }
}

#[test]
fn notations_of_formats_have_no_partition_columns() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/datafilter_parquet");
    let fixture = fixture.to_str().unwrap();
    for format in ["parquet", "orc"] {
        let text = stdout(&["schema", fixture, "-f", format]);
        assert!(text.contains("colB") && !text.contains("colA"), "{text}");
    }
    // the files' own schema, of which the table's types say less
    assert!(stdout(&["schema", fixture, "-f", "parquet"]).starts_with("message spark_schema {"));
    assert!(stdout(&["schema", fixture]).contains("  partition"));
    for format in ["spark", "json", "ddl"] {
        assert!(
            stdout(&["schema", fixture, "-f", format]).contains("colA"),
            "{format}"
        );
    }
}

#[test]
fn help_is_a_command_too() {
    assert_eq!(stdout(&["help", "inspect"]), stdout(&["inspect", "--help"]));
}

#[test]
fn statistics_of_whole_files_and_of_stripes_without_values_are_used() {
    let Some(shown) = corpus("orc/orc-file-11-format.orc") else {
        return;
    };
    let column = |shown: &Value, name: &str| {
        let columns = shown["columns"].as_array().unwrap().iter();
        let mut columns = columns.filter(|column| column["name"] == name);
        columns.next().cloned().unwrap()
    };
    // of this writer the counts are right and the bounds are not
    let int = column(&shown, "int1");
    assert_eq!(int["null_count"], 0);
    let why = "they are of the whole file, not of its stripes";
    assert_eq!((&int["max"], &int["distrust"]), (&Value::Null, &json!(why)));
    let shown = corpus("orc/TestOrcFile.testUnionAndTimestamp.orc").unwrap();
    let tag = column(&shown, "union.tag1");
    assert!(tag["min"].is_string() && tag["max"].is_string(), "{tag}");
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("whole.orc");
    numbers(&path, Format::Orc);
    let mut bytes = fs::read(&path).unwrap();
    let file = lith_reader::file::open(&path).unwrap();
    let tail = file.orc().unwrap().tail();
    let footer = Footer {
        metadata: Vec::new(),
        ..tail.footer.clone()
    };
    bytes.truncate(bytes.len() - tail.tail_length() as usize);
    bytes
        .extend(orc::Tail::encode(&Metadata::default(), &footer, tail.postscript.clone()).unwrap());
    fs::write(&path, bytes).unwrap();
    let text = stdout(&["inspect", path.to_str().unwrap(), "-f", "json"]);
    let whole = column(&serde_json::from_str(&text).unwrap(), "n");
    assert_eq!(
        (&whole["min"], &whole["max"], &whole["null_count"]),
        (&json!(0), &json!(11), &json!(0))
    );
    assert_eq!(whole["distrust"], why);
}

#[test]
fn a_file_without_an_asked_column_is_passed_over() {
    let scratch = tempfile::tempdir().unwrap();
    for (name, columns) in [("1.parquet", 1), ("2.parquet", 2)] {
        wide(&scratch.path().join(name), columns);
    }
    let path = format!("file://{}", scratch.path().display());
    for command in ["inspect", "stats", "pages"] {
        let output = lith(&[command, &path, "-c", "C1"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains("1.parquet: there is no column C1"), "{said}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("c1"));
        let output = lith(&[command, &path, "-c", "c2"]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
}

#[test]
fn types_that_spark_does_not_have_are_refused_by_name() {
    let Some(shared) = std::env::var_os("LITH_SHARED") else {
        eprintln!("LITH_SHARED is not set: types of Spark are not tried");
        return;
    };
    let corpus = Path::new(&shared).join("corpus");
    let path = |file: &str| corpus.join(file).display().to_string();
    let wide = path("synth/parquet/pa_decimal_flba_39_76.parquet");
    for format in ["spark", "ddl"] {
        let output = lith(&["schema", &wide, "-f", format]);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains("d39_33") && said.contains("decimal(39,33)"),
            "{said}"
        );
    }
    for (file, ty) in [
        (
            "parquet/geospatial/crs-default.parquet",
            "geometry(OGC:CRS84)",
        ),
        ("parquet/geospatial/crs-srid.parquet", "geometry(srid:5070)"),
        (
            "parquet/geospatial/crs-geography.parquet",
            "geography(OGC:CRS84, SPHERICAL)",
        ),
        ("synth/orc/oj_geo.orc", "geography(OGC:CRS84, SPHERICAL)"),
    ] {
        let text = stdout(&["schema", &path(file)]);
        assert!(text.contains(ty), "{text}");
        let json = stdout(&["schema", &path(file), "-f", "json"]);
        assert!(json.contains(&format!("\"full_type\":\"{ty}\"")), "{json}");
    }
    let geo = path("parquet/geospatial/crs-default.parquet");
    assert!(stdout(&["schema", &geo, "-f", "spark"]).contains("geometry(4326)"));
    let other = path("parquet/geospatial/crs-projjson.parquet");
    let output = lith(&["schema", &other, "-f", "spark"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}
