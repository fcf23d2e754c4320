//! Every ORC file of the shared corpus and of Spark's datasets, against the rows that are expected of it.
//!
//! A closed list: what cannot be read yet must say `Unsupported`, and only for the reasons named here.
//! Needs `LITH_SHARED`, a directory with `corpus` and `oracle`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lith_format::compress::{Codec, decompress};
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::render::render_json;
use lith_format::types::LogicalType;
use lith_format::vector::Vector;
use lith_reader::column::ReadContext;
use lith_reader::orc::OrcFile;
use lith_reader::selection::Selection;
use lith_reader::source::{MmapSource, Source};
use serde_json::Value;

fn open(path: &Path) -> Arc<dyn Source> {
    Arc::new(MmapSource::open(path).unwrap())
}

fn shared() -> Option<PathBuf> {
    let shared = std::env::var_os("LITH_SHARED").map(PathBuf::from);
    if shared.is_none() {
        eprintln!("LITH_SHARED is not set: the corpus is not read");
    }
    shared
}

/// The cells of a column as JSON, over all row groups, in windows of `window` rows; of each window the rows
/// that `wanted` picks by their number in the file.
fn column(
    source: &Arc<dyn Source>,
    file: &OrcFile,
    column: usize,
    window: usize,
    wanted: impl Fn(usize) -> bool,
) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let mut first = 0;
    for (index, group) in file.meta().row_groups.iter().enumerate() {
        let rows = usize::try_from(group.rows).unwrap_or(0);
        let mut reader = file.column(source, index, column, &ReadContext::default())?;
        for start in (0..rows).step_by(window) {
            let rows = window.min(rows - start);
            let mask = (first + start..first + start + rows).map(&wanted).collect();
            let vector = reader.read(&Selection::from_mask(&mask))?;
            render(&vector, &mut out);
        }
        first += rows;
    }
    Ok(out)
}

/// How many cells of a column are rendered; the expected rows are fewer, later ones are only counted.
const RENDERED: usize = 30_000;

fn render(vector: &Vector, out: &mut Vec<String>) {
    for row in 0..vector.len {
        let mut cell = String::new();
        if out.len() < RENDERED {
            render_json(vector, row, &mut cell);
        }
        out.push(cell);
    }
}

/// The values of a JSON object's members, as they are spelled.
fn members(line: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut escaped, mut start) = (0, false, false, 0);
    let mut out = Vec::new();
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b':' if depth == 1 => start = at + 1,
            b',' if depth == 1 => out.push(&line[start..at]),
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 && start > 0 {
                    out.push(&line[start..at]);
                }
            }
            _ => {}
        }
    }
    out
}

fn lines(path: &Path) -> Vec<String> {
    let mut text = Vec::new();
    decompress(
        Codec::Gzip,
        &std::fs::read(path).unwrap(),
        1 << 30,
        &mut text,
    )
    .unwrap();
    let text = String::from_utf8(text).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn strings(entry: &Value, key: &str) -> Vec<String> {
    let list = entry[key].as_array().cloned().unwrap_or_default();
    list.iter()
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

/// Whether a file has what no column reader of this crate reads yet.
fn excused(entry: &Value) -> bool {
    const NOT_YET: [&str; 3] = ["codec:LZO", "version:1.9999", "version:19.99"];
    strings(entry, "features")
        .iter()
        .any(|feature| NOT_YET.contains(&feature.as_str()))
}

/// Whether the masked values of encrypted columns are expected, which are not passed off as the values.
fn is_encrypted(entry: &Value) -> bool {
    entry["group"] == "orc-examples/encrypted"
}

/// Decimals of Hive 0.11 declare no scale: they are compared without trailing zeros.
fn shorten(cell: &str, undeclared: bool) -> std::borrow::Cow<'_, str> {
    match cell.strip_suffix('"') {
        Some(digits) if undeclared => {
            let digits = digits.trim_end_matches('0').trim_end_matches('.');
            format!("{digits}\"").into()
        }
        _ => cell.into(),
    }
}

/// What went wrong with one file, if anything did; counts the columns that were compared.
fn check(corpus: &Path, entry: &Value, compared: &mut usize) -> std::result::Result<(), String> {
    let expectation = entry["expectation"].as_str().unwrap_or_default();
    let name = entry["file"].as_str().unwrap();
    let source = open(&corpus.join(name));
    let file = match OrcFile::open(&source, &Limits::default()) {
        Ok(file) => file,
        Err(error) => return judge_error(expectation, entry, &error),
    };
    let fields = &file.meta().schema.fields;
    let bare = fields.len() == 1 && fields[0].name.is_empty();
    let hive_11 = ["orc/orc-file-11-format.orc", "orc/orc_split_elim.orc"].contains(&name);
    let nested: Vec<bool> = fields.iter().map(|field| field.ty.is_nested()).collect();
    let expected = match entry["expected"].as_str() {
        Some(path) => lines(&corpus.join(path)),
        None => Vec::new(),
    };
    let rows: Vec<Vec<&str>> = expected
        .iter()
        .skip(1)
        .map(|line| if bare { vec![&line[..]] } else { members(line) })
        .collect();
    let mut failure = None;
    for (index, &nested) in nested.iter().enumerate() {
        match column(&source, &file, index, 1000, |_| true) {
            Ok(cells) if nested && cells.is_empty() => {}
            Ok(_) if nested => return Err(format!("nested column {index} was read")),
            Err(error) if nested && error.kind() == ErrorKind::Unsupported => {}
            Err(error) => {
                judge_error(expectation, entry, &error)?;
                failure = Some(error);
            }
            Ok(cells) if !expected.is_empty() => {
                for (row, (cell, expected)) in cells.iter().zip(&rows).enumerate() {
                    let cell = shorten(
                        cell,
                        hive_11 && matches!(fields[index].ty, LogicalType::Decimal { .. }),
                    );
                    let expected = expected[index];
                    if cell != expected {
                        return Err(format!("column {index} row {row}: {cell}, not {expected}"));
                    }
                }
                if cells.len() as u64 != file.meta().rows {
                    return Err(format!("column {index}: {} rows", cells.len()));
                }
                *compared += 1;
                if cells.len() <= RENDERED {
                    sparse(&source, &file, index, &cells)?;
                }
            }
            Ok(_) => {}
        }
    }
    let flat = nested.iter().all(|nested| !nested);
    if flat && failure.is_none() && matches!(expectation, "error" | "error_without_keys") {
        return Err("read without an error".to_owned());
    }
    Ok(())
}

fn judge_error(expectation: &str, entry: &Value, error: &Error) -> std::result::Result<(), String> {
    let fine = match expectation {
        "rows" if is_encrypted(entry) => error.kind() == ErrorKind::Encrypted,
        "rows" => excused(entry) && error.kind() == ErrorKind::Unsupported,
        _ => true,
    };
    if fine {
        Ok(())
    } else {
        Err(format!("{error:?}"))
    }
}

/// Which rows of a file are picked.
type Pick = fn(usize) -> bool;

/// Whatever rows are picked, and in windows of whatever size, they are the rows of the whole.
fn sparse(
    source: &Arc<dyn Source>,
    file: &OrcFile,
    index: usize,
    cells: &[String],
) -> std::result::Result<(), String> {
    let picks: [(usize, Pick); 4] = [
        (7, |row| row % 3 == 0),
        (1024, |row| row % 97 < 2),
        (333, |row| row / 50 % 2 == 1),
        (100_000, |row| row % 4 != 1),
    ];
    for (window, pick) in picks {
        let picked = column(source, file, index, window, pick)
            .map_err(|error| format!("column {index} in windows of {window}: {error:?}"))?;
        let expected = cells
            .iter()
            .enumerate()
            .filter(|(row, _)| pick(*row))
            .map(|cell| cell.1);
        if !picked.iter().eq(expected) {
            return Err(format!("column {index} differs in windows of {window}"));
        }
    }
    Ok(())
}

#[test]
fn the_corpus_reads_as_expected() {
    let Some(corpus) = shared().map(|shared| shared.join("corpus")) else {
        return;
    };
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let (mut files, mut columns, mut report) = (0, 0, String::new());
    for entry in manifest["files"].as_array().unwrap() {
        let name = entry["file"].as_str().unwrap();
        if entry["format"] != "orc" || entry["expectation"] == "n/a" {
            continue;
        }
        files += 1;
        if let Err(problem) = check(&corpus, entry, &mut columns) {
            writeln!(report, "{name} ({}): {problem}", entry["expectation"]).unwrap();
        }
    }
    eprintln!("{files} files, {columns} columns compared");
    assert!(report.is_empty(), "\n{report}");
    assert!(files > 250 && columns > 500);
}

#[test]
fn spark_s_datasets_read_completely() {
    let Some(datasets) = shared().map(|shared| shared.join("oracle/spark/datasets")) else {
        return;
    };
    let mut pending: Vec<PathBuf> = std::fs::read_dir(datasets)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with("_orc"))
        .collect();
    let mut columns = 0;
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|extension| extension == "orc") {
            let source = open(&path);
            let file = OrcFile::open(&source, &Limits::default()).unwrap();
            for (index, field) in file.meta().schema.fields.iter().enumerate() {
                match column(&source, &file, index, 4096, |_| true) {
                    Ok(cells) => {
                        assert_eq!(cells.len() as u64, file.meta().rows);
                        columns += 1;
                    }
                    Err(error) => {
                        assert!(field.ty.is_nested(), "{error:?}");
                        assert_eq!(error.kind(), ErrorKind::Unsupported);
                    }
                }
            }
        }
    }
    assert!(columns > 100, "{columns} columns");
}
