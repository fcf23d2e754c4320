//! What `lith inspect` says, and what all commands say of what is encrypted.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, Vector};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;
use serde_json::Value;

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

#[test]
fn a_file_without_an_asked_column_is_passed_over() {
    let scratch = tempfile::tempdir().unwrap();
    for (name, columns) in [("1.parquet", 1), ("2.parquet", 2)] {
        wide(&scratch.path().join(name), columns);
    }
    let path = format!("file://{}", scratch.path().display());
    for command in ["stats", "pages"] {
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
    let geo = path("parquet/geospatial/crs-default.parquet");
    assert!(stdout(&["schema", &geo, "-f", "spark"]).contains("geometry(4326)"));
    let other = path("parquet/geospatial/crs-projjson.parquet");
    let output = lith(&["schema", &other, "-f", "spark"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}
