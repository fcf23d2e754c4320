//! Queries that Spark ran on data that Spark wrote: the same rows must come of lith, with skipping
//! and without.
//!
//! The cases and datasets lie in the directory `oracle/spark` under `LITH_SHARED`. A case names its
//! dataset, a condition and the number and a checksum of its rows.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use lith::args::Input;
use lith::dataset::Opened;
use lith::failure::Failure;
use lith_format::error::ErrorKind;
use lith_format::render::render_text;
use lith_format::types::LogicalType as T;
use lith_format::vector::{Batch, Values, Vector};
use lith_planner::error::PlanErrorKind;
use serde_json::Value;
use sha2::{Digest, Sha256};

const DATASETS: [&str; 8] = [
    "datafilter",
    "kiosko_small",
    "transactions",
    "types_part",
    "wide",
    "names",
    "chars",
    "evolved",
];

/// What asks for more than paths, a condition, columns, a limit and options of the reader.
const OUT_OF_SCOPE: [&str; 3] = ["pre_select", "nondeterministic", "sql"];

/// The columns that the catalog declares as char: Spark pads what it compares with them.
const PADDED: [&str; 2] = ["c8", "pc"];

/// Settings that have an option here, and those that change plans but no rows.
const KNOWN_SETTINGS: [&str; 7] = [
    "spark.sql.caseSensitive",
    "spark.sql.sources.partitionColumnTypeInference.enabled",
    "spark.sql.parquet.aggregatePushdown",
    "spark.sql.orc.aggregatePushdown",
    "spark.sql.parquet.pushdown.inFilterThreshold",
    "spark.sql.optimizer.inSetConversionThreshold",
    "spark.sql.optimizer.nestedPredicatePushdown.supportedFileSources",
];

#[test]
fn spark_and_lith_answer_alike() {
    let Some(oracle) =
        std::env::var_os("LITH_SHARED").map(|dir| PathBuf::from(dir).join("oracle/spark"))
    else {
        eprintln!("LITH_SHARED is not set: the queries that Spark ran are not compared");
        return;
    };
    let mut tally = BTreeMap::new();
    let mut wrong = Vec::new();
    for (dataset, format) in DATASETS
        .iter()
        .flat_map(|name| [(name, "parquet"), (name, "orc")])
    {
        let text =
            fs::read_to_string(oracle.join(format!("cases/{dataset}_{format}.json"))).unwrap();
        let directory = oracle.join(format!("datasets/{dataset}_{format}"));
        for case in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
            let outcome = judge(&Case(&case), directory.clone());
            if let Outcome::Wrong(why) = &outcome {
                wrong.push(format!("{}: {}: {why}", case["id"], case["predicate"]));
            }
            *tally.entry(outcome.name()).or_insert(0) += 1;
        }
    }
    eprintln!("{tally:?}");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let alike = tally.iter().filter(|(name, _)| name.starts_with("equal"));
    let alike: i32 = alike.map(|(_, count)| count).sum();
    assert!(alike >= FLOOR, "{tally:?}: fewer equal than before");
    let by_checksum = tally[Outcome::Equal(Proof::Checksum).name()];
    assert!(
        by_checksum >= CHECKSUMS,
        "{tally:?}: fewer checksums than before"
    );
}

/// How many cases are known to be answered alike; it only grows.
const FLOOR: i32 = 2_242;

/// How many of them by a checksum of all rows; it only grows, too.
const CHECKSUMS: i32 = 2_096;

enum Outcome {
    /// Alike, by this.
    Equal(Proof),
    /// lith says that it cannot do this yet.
    Unsupported,
    /// Beyond what is compared here.
    OutOfScope,
    Wrong(String),
}

/// By what an answer is known to be Spark's.
enum Proof {
    /// A checksum of all rows.
    Checksum,
    /// The number of rows alone, of queries with a limit.
    RowCount,
    /// Spark fails, too.
    Failure,
}

impl Outcome {
    fn name(&self) -> &'static str {
        match self {
            Outcome::Equal(Proof::Checksum) => "equal by checksum",
            Outcome::Equal(Proof::RowCount) => "equal by row count",
            Outcome::Equal(Proof::Failure) => "equal by failing",
            Outcome::Unsupported => "unsupported",
            Outcome::OutOfScope => "out of scope",
            Outcome::Wrong(_) => "wrong",
        }
    }
}

struct Case<'a>(&'a Value);

impl Case<'_> {
    fn predicate(&self) -> Option<String> {
        match self.0["predicates"].as_array() {
            Some(chain) => {
                let parts = chain
                    .iter()
                    .map(|part| format!("({})", part.as_str().unwrap()));
                Some(parts.collect::<Vec<_>>().join(" AND "))
            }
            None => self.0["predicate"].as_str().map(str::to_string),
        }
    }

    /// The select list if it is columns and parts of them, under whatever names; `Err` if it is more.
    fn columns(&self) -> Result<Option<String>, ()> {
        let Some(list) = self.0["select"].as_array() else {
            return if self.0["select"].is_null() {
                Ok(None)
            } else {
                Err(())
            };
        };
        // outside of back-quotes
        let plain = |name: &str| {
            let mut parts = name.split('`').step_by(2).flat_map(str::chars);
            parts.all(|c| c.is_ascii_alphanumeric() || "_.[']".contains(c))
        };
        let names: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
        let unnamed = names.iter().map(|name| match name.split_once(" AS ") {
            Some((column, _)) => column,
            None => name,
        });
        let columns: Vec<&str> = unnamed.collect();
        let is_number = |name: &&str| name.starts_with(|c: char| c.is_ascii_digit());
        match columns[..] {
            ["*"] => Ok(None),
            _ if columns.len() < list.len() || columns.iter().any(is_number) => Err(()),
            _ if columns.iter().all(|name| plain(name)) => Ok(Some(columns.join(","))),
            _ => Err(()),
        }
    }

    /// Whether its rows are counted.
    fn counts(&self) -> bool {
        self.0["select"] == serde_json::json!(["count(*)"])
    }

    /// Whether Spark pads what the condition compares.
    fn is_padded(&self) -> bool {
        let text = self.predicate().unwrap_or_default();
        !self.0["source"].is_null() && PADDED.iter().any(|name| text.contains(name))
    }
}

/// The reader's options of a case; `None` if it has one that lith has not.
fn input(case: &Value, directory: PathBuf) -> Option<Input> {
    let mut input = Input::new([directory]);
    for (name, value) in case["conf"].as_object().into_iter().flatten() {
        match (name.as_str(), value.as_str()) {
            ("spark.sql.caseSensitive", Some("true")) => input.table.case_sensitive = true,
            ("spark.sql.sources.partitionColumnTypeInference.enabled", Some("false")) => {
                input.table.no_type_inference = true;
            }
            ("spark.sql.ansi.enabled", Some("false")) => input.table.no_ansi = true,
            (name, _) if KNOWN_SETTINGS.contains(&name) => {}
            _ => return None,
        }
    }
    for (name, value) in case["options"].as_object().into_iter().flatten() {
        match (name.as_str(), value.as_str()) {
            ("mergeSchema", Some("true")) => input.table.merge_schema = true,
            ("schema", Some(columns)) => input.table.schema = Some(columns.to_owned()),
            _ => return None,
        }
    }
    Some(input)
}

fn judge(case: &Case, directory: PathBuf) -> Outcome {
    if OUT_OF_SCOPE.iter().any(|key| !case.0[key].is_null()) || case.is_padded() {
        return Outcome::OutOfScope;
    }
    let Some(input) = input(case.0, directory) else {
        return Outcome::OutOfScope;
    };
    let columns = match case.columns() {
        Ok(columns) => columns,
        Err(()) if case.counts() => None,
        Err(()) => return Outcome::OutOfScope,
    };
    let opened = Opened::new(&input).unwrap();
    let answers = [true, false].map(|prune| run(&opened, case, columns.as_deref(), prune));
    match answers {
        [Err(_), Ok(_)] | [Ok(_), Err(_)] => {
            Outcome::Wrong("skipping changes whether it fails".into())
        }
        [Err(failure), Err(_)] => {
            if is_unsupported(&failure) {
                Outcome::Unsupported
            } else if case.0["error_stage"].is_null() {
                Outcome::Wrong(failure.to_string())
            } else {
                Outcome::Equal(Proof::Failure)
            }
        }
        [Ok(skipping), Ok(reading)] => {
            if skipping != reading {
                return Outcome::Wrong("skipping changes the rows".into());
            }
            compare(case, &skipping)
        }
    }
}

fn is_unsupported(failure: &Failure) -> bool {
    match failure {
        Failure::Plan { error, .. } => *error.kind() == PlanErrorKind::Unsupported,
        Failure::File(error) => error.kind() == ErrorKind::Unsupported,
        _ => false,
    }
}

fn run(
    opened: &Opened,
    case: &Case,
    columns: Option<&str>,
    prune: bool,
) -> lith::failure::Result<Vec<String>> {
    let predicate = case.predicate();
    let plan = match case.counts() {
        true => opened.plan_count(predicate.as_deref())?,
        false => opened.plan(predicate.as_deref(), columns, case.0["limit"].as_u64())?,
    };
    let mut lines = Vec::new();
    for batch in opened.scan(&plan, prune)? {
        let batch = batch?;
        lines.extend((0..batch.rows).map(|row| line(&batch, row)));
    }
    if case.counts() {
        return Ok(vec![lines.len().to_string()]);
    }
    lines.sort();
    Ok(lines)
}

/// The sorted lines of an answer against Spark's.
fn compare(case: &Case, lines: &[String]) -> Outcome {
    if !case.0["error_stage"].is_null() {
        return Outcome::Wrong(format!("{} rows where Spark fails", lines.len()));
    }
    let Some(rows) = case.0["row_count"].as_u64() else {
        return Outcome::OutOfScope;
    };
    if lines.len() as u64 != rows {
        return Outcome::Wrong(format!("{} rows instead of {rows}", lines.len()));
    }
    if !case.0["limit"].is_null() {
        return Outcome::Equal(Proof::RowCount);
    }
    let mut hash = Sha256::new();
    lines
        .iter()
        .for_each(|line| hash.update(format!("{line}\n")));
    let hash: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if case.0["checksum"] != hash.as_str() {
        return Outcome::Wrong(format!("checksum differs; first row {:?}", lines.first()));
    }
    Outcome::Equal(Proof::Checksum)
}

fn line(batch: &Batch, row: usize) -> String {
    let cells = batch.columns.iter().map(|column| cell(column, row));
    cells.collect::<Vec<_>>().join("\t")
}

/// A cell as it is rendered for the checksums.
fn cell(vector: &Vector, row: usize) -> String {
    let inside = |child: &Vector, slots: Range<usize>| -> Vec<String> {
        slots.map(|slot| cell(child, slot)).collect()
    };
    let slots = |offsets: &[u32]| offsets[row] as usize..offsets[row + 1] as usize;
    match &vector.values {
        _ if vector.is_null(row) => "\\N".into(),
        Values::List { offsets, elements } => {
            format!("[{}]", inside(elements, slots(offsets)).join(","))
        }
        Values::Map {
            offsets,
            keys,
            values,
        } => {
            let keys = inside(keys, slots(offsets)).into_iter();
            let mut entries: Vec<_> = keys.zip(inside(values, slots(offsets))).collect();
            entries.sort();
            let entries = entries.iter().map(|(key, value)| format!("{key}:{value}"));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
        Values::Struct(fields) => {
            let fields = fields.iter().map(|field| cell(field, row));
            format!("({})", fields.collect::<Vec<_>>().join(","))
        }
        _ => flat_cell(vector, row),
    }
}

fn flat_cell(vector: &Vector, row: usize) -> String {
    let mut text = String::new();
    render_text(vector, row, &mut text);
    match &vector.ty {
        T::Float32 => format!(
            "{:08x}",
            canonical(text.parse::<f32>().unwrap().into(), f32_bits(&text))
        ),
        T::Float64 => format!(
            "{:016x}",
            canonical(
                text.parse().unwrap(),
                text.parse::<f64>().unwrap().to_bits()
            )
        ),
        T::Timestamp { .. } => text[..text.find('.').unwrap() + 7].to_string(),
        T::Binary => text.trim_start_matches("0x").to_string(),
        ty if ty.is_text() => escape(&text),
        _ => text,
    }
}

fn f32_bits(text: &str) -> u64 {
    u64::from(text.parse::<f32>().unwrap().to_bits())
}

/// One NaN stands for all.
fn canonical(value: f64, bits: u64) -> u64 {
    match (value.is_nan(), bits > u64::from(u32::MAX)) {
        (false, _) => bits,
        (true, false) => 0x7fc0_0000,
        (true, true) => 0x7ff8_0000_0000_0000,
    }
}

fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\t', "\\t");
    text.replace('\n', "\\n").replace('\r', "\\r")
}
