//! Every file of the shared corpus and of Spark's datasets, against the rows that are expected of it.
//!
//! A closed list: what cannot be read yet must say `Unsupported`, and only for the reasons named here.
//! Needs `LITH_SHARED`, a directory with `corpus` and `oracle`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lith_format::cipher::Key;
use lith_format::compress::{Codec, decompress};
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::render::render_json;
use lith_format::scan::{Output, ScanTask, Step, TableSchema};
use lith_format::schema::Field;
use lith_format::types::LogicalType;
use lith_format::vector::Vector;
use lith_reader::File;
use lith_reader::column::ReadContext;
use lith_reader::file::{OpenOptions, VariantOutput};
use lith_reader::keys::{Decryption, Keys};
use lith_reader::scan::{Scan, ScanSpec};
use lith_reader::selection::Selection;
use serde_json::Value;

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
    file: &File,
    column: usize,
    window: usize,
    wanted: impl Fn(usize) -> bool,
) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let mut first = 0;
    for index in 0..file.row_groups() {
        let rows = usize::try_from(file.rows_of(index)).unwrap_or(0);
        let mut reader = file.column(index, column, &ReadContext::default())?;
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

/// Why a file whose rows are expected may be refused, if it may.
fn excuse(entry: &Value) -> Option<ErrorKind> {
    match entry["expectation"].as_str()? {
        "error_without_keys" => Some(ErrorKind::Encrypted),
        // the expected rows are the masks of the columns, which are read on request only
        _ if entry["group"] == "orc-examples/encrypted" => Some(ErrorKind::Encrypted),
        _ => None,
    }
}

type Judgement = std::result::Result<(), String>;

fn judge_error(entry: &Value, error: &Error) -> Judgement {
    let must_read = ["rows", "error_without_keys"].map(Value::from);
    if !must_read.contains(&entry["expectation"]) || excuse(entry) == Some(error.kind()) {
        Ok(())
    } else {
        Err(format!("{error:?}"))
    }
}

/// Decimals of Hive 0.11 declare no scale: they are compared without trailing zeros.
fn shorten(cell: &str) -> String {
    match cell.strip_suffix('"') {
        Some(digits) => format!("{}\"", digits.trim_end_matches('0').trim_end_matches('.')),
        None => cell.to_owned(),
    }
}

/// What went wrong with one file, if anything did, with its keys if there are some, too; counts the columns that
/// were compared.
fn check(corpus: &Path, entry: &Value, compared: &mut usize) -> Judgement {
    let expected = entry["expected"].as_str();
    let expected = expected.map_or_else(Vec::new, |path| lines(&corpus.join(path)));
    let mut options = OpenOptions::default();
    // the expected rows are those that are stored
    options.variants = VariantOutput::Raw;
    check_opened(corpus, entry, (&options, &expected), compared)?;
    if entry["group"] == "orc-examples/encrypted" {
        options.masks = true;
        let mut entry = entry.clone();
        entry["group"] = "masks".into();
        let judgement = check_opened(corpus, &entry, (&options, &expected), compared);
        judgement.map_err(|problem| format!("with masks: {problem}"))?;
    }
    if entry["expectation"] == "error_without_keys" && !expected.is_empty() {
        options.decryption = decryption(&serde_json::from_str(&expected[0]).unwrap());
        let mut entry = entry.clone();
        entry["expectation"] = "rows".into();
        let judgement = check_opened(corpus, &entry, (&options, &expected), compared);
        judgement.map_err(|problem| format!("with keys: {problem}"))?;
    }
    Ok(())
}

/// What the header of the expected rows says that an encrypted file is read with.
fn decryption(header: &Value) -> Decryption {
    let mut keys = Keys::default();
    for (id, key) in header["keys"]["ascii_keys_by_id"].as_object().unwrap() {
        let key = Key::new(key.as_str().unwrap().as_bytes()).unwrap();
        keys.set_id(id.as_bytes(), key);
    }
    let mut decryption = Decryption::with_keys(keys);
    let prefix = header["keys"]["aad_prefix"].as_str();
    decryption.aad_prefix = prefix.map(|prefix| prefix.as_bytes().to_vec());
    decryption
}

fn check_opened(
    corpus: &Path,
    entry: &Value,
    (options, expected): (&OpenOptions, &[String]),
    compared: &mut usize,
) -> Judgement {
    let file = match options.open(corpus.join(entry["file"].as_str().unwrap())) {
        Ok(file) => file,
        Err(error) => return judge_error(entry, &error),
    };
    let fields = &file.schema().fields;
    let bare = fields.len() == 1 && fields[0].name.is_empty();
    let rows: Vec<Vec<&str>> = expected
        .iter()
        .skip(1)
        .map(|line| if bare { vec![&line[..]] } else { members(line) })
        .collect();
    let mut refused = false;
    for index in 0..fields.len() {
        match column(&file, index, 1000, |_| true) {
            Err(error) => {
                judge_error(entry, &error)?;
                refused = true;
            }
            Ok(cells) if !expected.is_empty() => {
                compare(entry, &file, index, &cells, &rows)?;
                *compared += 1;
            }
            Ok(_) => {}
        }
    }
    let must_fail = ["error", "error_without_keys"].map(Value::from);
    if !refused && must_fail.contains(&entry["expectation"]) {
        return Err("read without an error".to_owned());
    }
    Ok(())
}

/// The cells of a column against the expected rows, and against what sparse reading gives.
fn compare(
    entry: &Value,
    file: &File,
    index: usize,
    cells: &[String],
    rows: &[Vec<&str>],
) -> Judgement {
    let undeclared = ["orc/orc-file-11-format.orc", "orc/orc_split_elim.orc"].map(Value::from);
    let is_decimal = matches!(file.schema().fields[index].ty, LogicalType::Decimal { .. });
    let short = is_decimal && undeclared.contains(&entry["file"]);
    for (row, (cell, expected)) in cells.iter().zip(rows).enumerate() {
        let (cell, expected) = match short {
            true => (shorten(cell), expected[index]),
            false => (cell.clone(), expected[index]),
        };
        if cell != expected {
            return Err(format!("column {index} row {row}: {cell}, not {expected}"));
        }
    }
    if cells.len() < rows.len() || cells.len() as u64 != file.rows() {
        return Err(format!("column {index}: {} rows", cells.len()));
    }
    if cells.len() <= RENDERED {
        sparse(file, index, cells)
    } else {
        Ok(())
    }
}

/// Which rows of a file are picked.
type Pick = fn(usize) -> bool;

/// Whatever rows are picked, and in windows of whatever size, they are the rows of the whole.
fn sparse(file: &File, index: usize, cells: &[String]) -> Judgement {
    let picks: [(usize, Pick); 4] = [
        (7, |row| row % 3 == 0),
        (1024, |row| row % 97 < 2),
        (333, |row| row / 50 % 2 == 1),
        (100_000, |row| row % 4 != 1),
    ];
    for (window, pick) in picks {
        let picked = column(file, index, window, pick)
            .map_err(|error| format!("column {index} in windows of {window}: {error:?}"))?;
        let rows = cells.iter().enumerate().filter(|(row, _)| pick(*row));
        if !picked.iter().eq(rows.map(|cell| cell.1)) {
            return Err(format!("column {index} differs in windows of {window}"));
        }
    }
    Ok(())
}

/// Every file of a format; there must be more than `floor` (files, columns compared).
fn the_corpus_reads_as_expected(format: &str, floor: (usize, usize)) {
    let Some(corpus) = shared().map(|shared| shared.join("corpus")) else {
        return;
    };
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let (mut files, mut columns, mut report) = (0, 0, String::new());
    for entry in manifest["files"].as_array().unwrap() {
        if entry["format"] != format || entry["expectation"] == "n/a" {
            continue;
        }
        files += 1;
        if let Err(problem) = check(&corpus, entry, &mut columns) {
            writeln!(
                report,
                "{} ({}): {problem}",
                entry["file"], entry["expectation"]
            )
            .unwrap();
        }
    }
    eprintln!("{files} {format} files, {columns} columns compared");
    assert!(report.is_empty(), "\n{report}");
    assert!(files > floor.0 && columns > floor.1);
}

#[test]
fn every_parquet_file_reads_as_expected() {
    the_corpus_reads_as_expected("parquet", (500, 1000));
}

#[test]
fn every_orc_file_reads_as_expected() {
    the_corpus_reads_as_expected("orc", (250, 1800));
}

/// The data files below a directory.
fn data_files(directory: &Path) -> Vec<PathBuf> {
    let mut pending = vec![directory.to_owned()];
    let mut out = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).unwrap();
            pending.extend(entries.map(|entry| entry.unwrap().path()));
        } else if path
            .extension()
            .is_some_and(|end| end == "orc" || end == "parquet")
        {
            out.push(path);
        }
    }
    out
}

#[test]
fn spark_s_datasets_read_completely() {
    let Some(datasets) = shared().map(|shared| shared.join("oracle/spark/datasets")) else {
        return;
    };
    let mut columns = 0;
    for path in data_files(&datasets) {
        let file = lith_reader::open(path).unwrap();
        for index in 0..file.schema().fields.len() {
            let cells = column(&file, index, 4096, |_| true).unwrap();
            assert_eq!(cells.len() as u64, file.rows());
            columns += 1;
        }
    }
    assert!(columns > 200, "{columns} columns");
}

/// Each field below the structs of a column, and of the elements of an array: which they are at each level, and
/// the column with it alone.
fn fields_below(field: &Field) -> Vec<(Vec<usize>, Field)> {
    let fields = match &field.ty {
        LogicalType::Struct(fields) => fields,
        LogicalType::List(element) if element.ty.struct_fields().is_some() => {
            let list = |(path, inner)| {
                let ty = LogicalType::List(Arc::new(inner));
                (
                    path,
                    Field {
                        ty,
                        ..field.clone()
                    },
                )
            };
            let is_plain = |(path, inner): &(Vec<usize>, Field)| {
                // fields of arrays in arrays are none
                let mut ty = &inner.ty;
                let structs = path.iter().map_while(|_| {
                    ty = &ty.struct_fields()?.first()?.ty;
                    Some(())
                });
                structs.count() == path.len()
            };
            let below = fields_below(element).into_iter();
            return below.filter(is_plain).map(list).collect();
        }
        _ => return vec![(Vec::new(), field.clone())],
    };
    let below = fields.iter().enumerate().flat_map(|(index, inner)| {
        let alone = |inner: Field| Field {
            ty: LogicalType::Struct(Arc::from(vec![inner])),
            ..field.clone()
        };
        let paths = fields_below(inner).into_iter();
        paths.map(move |(path, inner)| ([&[index], &path[..]].concat(), alone(inner)))
    });
    below.collect()
}

/// The cells of one field below column `index`, and how many bytes were read for them.
fn scan_field(file: &File, index: usize, alone: Field, depth: usize) -> Result<(Vec<String>, u64)> {
    let mut schema = file.schema().clone();
    schema.fields[index] = alone;
    let table = TableSchema::of_file(Arc::new(schema));
    let output = Output {
        steps: vec![Step::Field(0); depth],
        ..Output::from(index)
    };
    let task = ScanTask {
        path: file.path().to_owned(),
        bytes: file.size(),
        partition: Vec::new(),
        row_groups: None,
        rows: None,
    };
    let spec = ScanSpec {
        columns: vec![output],
        ..ScanSpec::new(table)
    };
    let mut scan = Scan::new(vec![task], spec)?;
    let mut cells = Vec::new();
    for batch in scan.by_ref() {
        render(&batch?.columns[0], &mut cells);
    }
    Ok((cells, scan.metrics().bytes_read.get()))
}

#[test]
fn fields_of_structs_read_as_in_the_whole_and_without_the_rest() {
    let Some(corpus) = shared().map(|shared| shared.join("corpus")) else {
        return;
    };
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let (mut compared, mut fewer) = (0, 0);
    for entry in manifest["files"].as_array().unwrap() {
        if entry["expectation"] != "rows" {
            continue;
        }
        let file = lith_reader::open(corpus.join(entry["file"].as_str().unwrap())).unwrap();
        for (index, field) in file.schema().fields.iter().enumerate() {
            let fields = fields_below(field);
            let names_differ = |field: &Field| {
                let names: HashSet<_> = field
                    .ty
                    .fields()
                    .iter()
                    .map(|f| f.name.to_lowercase())
                    .collect();
                names.len() == field.ty.fields().len()
            };
            let names_differ = |field: &Field| match &field.ty {
                LogicalType::List(element) => names_differ(element),
                _ => names_differ(field),
            };
            if fields.len() < 2 || !names_differ(field) || excuse(entry).is_some() {
                continue;
            }
            let (_, all) = scan_field(&file, index, field.clone(), 0).unwrap();
            for (path, alone) in fields {
                let whole = Output {
                    steps: path.iter().copied().map(Step::Field).collect(),
                    ..Output::from(index)
                };
                let mut expected = Vec::new();
                for row_group in 0..file.row_groups() {
                    let mut reader = file
                        .column(row_group, index, &ReadContext::default())
                        .unwrap();
                    let rows = Selection::all(usize::try_from(file.rows_of(row_group)).unwrap());
                    render(
                        &whole.of(reader.read(&rows).unwrap()).unwrap(),
                        &mut expected,
                    );
                }
                let (cells, bytes) = scan_field(&file, index, alone, path.len()).unwrap();
                assert_eq!(cells, expected, "{} {path:?}", entry["file"]);
                // the streams of a column of ORC without values are empty
                let is_less = bytes < all || (entry["format"] == "orc" && bytes == all);
                assert!(is_less || file.rows() == 0, "{} {path:?}", entry["file"]);
                compared += 1;
                fewer += usize::from(bytes < all);
            }
        }
    }
    eprintln!("{compared} fields of structs compared, {fewer} with fewer bytes");
    assert!(compared > 350 && fewer > 350, "{compared}, {fewer}");
}
