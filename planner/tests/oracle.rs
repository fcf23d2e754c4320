//! Every predicate that Spark ran, parsed, resolved and, where all rows of the dataset are known,
//! evaluated: what Spark refuses must be refused, what it counts must be counted.
//!
//! Needs `LITH_SHARED`; without it the tests say so and pass.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lith_format::scalar::Scalar;
use lith_format::scan::{RowPredicate, TableSchema};
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, Vector};
use lith_planner::ansi::EvalMode;
use lith_planner::error::{PlanError, PlanErrorKind};
use lith_planner::eval::{self, Predicate};
use lith_planner::expr::Expr;
use lith_planner::{resolve, sql};
use serde_json::Value as Json;
use support::{read_array, schema_of};

fn oracle() -> Option<PathBuf> {
    let Some(shared) = std::env::var_os("LITH_SHARED") else {
        eprintln!("LITH_SHARED is not set: Spark's answers are not compared");
        return None;
    };
    Some(PathBuf::from(shared).join("oracle/spark"))
}

fn table(oracle: &Path, dataset: &str) -> TableSchema {
    let datasets = read_array(&oracle.join("datasets.json"));
    let record = datasets
        .iter()
        .find(|record| record["dataset"] == dataset && record["format"] == "parquet")
        .unwrap();
    TableSchema {
        schema: Arc::new(schema_of(record)),
        partition_columns: record["partition_columns"].as_array().unwrap().len(),
    }
}

/// Predicates that run with Spark's defaults on the dataset as it is.
fn plain_cases(oracle: &Path, dataset: &str) -> Vec<Json> {
    let mut cases = read_array(&oracle.join(format!("cases/{dataset}_parquet.json")));
    cases.retain(|case| {
        let set = |key: &str| case.get(key).is_some_and(|value| !value.is_null());
        case["predicate"].is_string()
            && !set("source")
            && !set("conf")
            && !set("options")
            && !set("pre_select")
            && !set("limit")
            && !(set("select") && set("error_stage"))
    });
    cases
}

fn resolved(text: &str, table: &TableSchema) -> Result<Expr, PlanError> {
    resolve::resolve_condition(sql::parse(text)?, table, EvalMode::Ansi)
}

/// Counts of what happened, said aloud.
#[derive(Default)]
struct Tally(BTreeMap<String, usize>);

impl Tally {
    fn add(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    fn count(&self, what: &str) -> usize {
        self.0.get(what).copied().unwrap_or(0)
    }
}

#[test]
fn every_predicate_is_understood_or_refused_as_spark_does() {
    let Some(oracle) = oracle() else { return };
    for (dataset, least) in [
        ("datafilter", 0.97),
        ("kiosko_small", 1.0),
        ("transactions", 0.92),
    ] {
        let table = table(&oracle, dataset);
        let mut tally = Tally::default();
        for case in plain_cases(&oracle, dataset) {
            let text = case["predicate"].as_str().unwrap();
            let refused_by_spark = case["error_stage"] == "analysis";
            match resolved(text, &table) {
                Ok(expr) if refused_by_spark => {
                    panic!("{text}: Spark refuses what became {}", expr.spark())
                }
                Err(_) if refused_by_spark => tally.add("refused"),
                Ok(_) => tally.add("understood"),
                Err(error) => {
                    assert_eq!(error.kind(), &PlanErrorKind::Unsupported, "{text}: {error}");
                    tally.add("unsupported");
                    eprintln!("  {dataset}: {text}: {error}");
                }
            }
        }
        eprintln!("{dataset}: {:?}", tally.0);
        let (yes, no) = (tally.count("understood"), tally.count("unsupported"));
        assert!(
            yes > 0 && yes as f64 >= least * (yes + no) as f64,
            "{dataset}: {:?}",
            tally.0
        );
    }
}

/// A cell as the oracle renders it.
fn cell(text: &str, ty: &LogicalType) -> Scalar {
    if text == "\\N" || ty.is_nested() {
        return Scalar::Null;
    }
    if *ty == LogicalType::Binary {
        let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        return Scalar::binary((0..text.len()).step_by(2).map(byte).collect::<Vec<_>>());
    }
    let text = text
        .replace("\\t", "\t")
        .replace("\\n", "\n")
        .replace("\\\\", "\\");
    eval::constant(&Expr::string(&text).cast(ty.clone())).unwrap()
}

/// All rows of a dataset, if a case without predicate shows them.
fn all_rows(oracle: &Path, dataset: &str, table: &TableSchema) -> Option<Vec<Vec<Scalar>>> {
    let cases = read_array(&oracle.join(format!("cases/{dataset}_parquet.json")));
    let fields = &table.schema.fields;
    let whole = cases.iter().find(|case| {
        let shown = case["rows"]
            .as_array()
            .and_then(|rows| rows.first()?.as_str());
        let star = case["select"].is_null() || case["select"] == serde_json::json!(["*"]);
        let plain =
            case["predicate"].is_null() && case["predicates"].is_null() && case["limit"].is_null();
        plain && star && shown.is_some_and(|row| row.split('\t').count() == fields.len())
    })?;
    let parse = |row: &Json| {
        row.as_str()
            .unwrap()
            .split('\t')
            .zip(fields)
            .map(|(text, field)| cell(text, &field.ty))
            .collect()
    };
    Some(
        whole["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(parse)
            .collect(),
    )
}

/// The columns a predicate reads, as plain vectors.
fn batch(predicate: &Predicate, table: &TableSchema, rows: &[Vec<Scalar>]) -> Batch {
    let fields: Vec<Field> = predicate
        .columns()
        .iter()
        .map(|&index| table.schema.fields[index].clone())
        .collect();
    let columns = predicate.columns().iter().zip(&fields);
    let columns = columns
        .map(|(&index, field)| {
            let cells: Vec<Scalar> = rows.iter().map(|row| row[index].clone()).collect();
            Vector::from_scalars(field.ty.clone(), &cells).unwrap()
        })
        .collect();
    Batch {
        schema: Arc::new(Schema::new(fields)),
        rows: rows.len(),
        columns,
    }
}

#[test]
fn every_predicate_counts_the_rows_that_spark_counts() {
    let Some(oracle) = oracle() else { return };
    for (dataset, least) in [
        ("datafilter", 300),
        ("types_part", 52),
        ("chars", 11),
        ("evolved", 1),
    ] {
        let table = table(&oracle, dataset);
        let rows = all_rows(&oracle, dataset, &table).unwrap();
        let mut tally = Tally::default();
        for case in plain_cases(&oracle, dataset) {
            let text = case["predicate"].as_str().unwrap();
            let wanted = case["row_count"].as_u64();
            let aggregated = case["category"].as_str().unwrap().starts_with("aggregate");
            if case["error_stage"] == "analysis"
                || case["nondeterministic"].is_string()
                || aggregated
            {
                continue;
            }
            let compiled = resolved(text, &table).and_then(|expr| Predicate::new(&expr));
            let Ok(predicate) = compiled else {
                tally.add("not computed");
                continue;
            };
            match (
                predicate.evaluate(&batch(&predicate, &table, &rows)),
                wanted,
            ) {
                (Ok(mask), Some(wanted)) => {
                    assert_eq!(mask.count_ones() as u64, wanted, "{dataset}: {text}");
                    tally.add("counted");
                }
                (Err(_), None) => tally.add("failed as in Spark"),
                (Ok(mask), None) => panic!("{text}: Spark fails, here {} rows", mask.count_ones()),
                (Err(error), Some(_)) => panic!("{dataset}: {text}: {error}"),
            }
        }
        eprintln!("{dataset}: {:?}", tally.0);
        assert!(tally.count("counted") >= least, "{dataset}: {:?}", tally.0);
    }
}
