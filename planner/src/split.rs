//! A plan as splits: parts of files, and for each the conditions that its rows must still be asked. As JSON it goes to
//! other processes or engines, which read the splits in any order.
//!
//! ```text
//! {"plan_version":1,
//!  "columns":[{"name":"cost","type":"double","nullable":true},..],  "partition_columns":1,
//!  "output":[{"column":0,"steps":[]},..],  "limit":null,  "ansi":true,
//!  "splits":[{"file":"store=S01/part-0","bytes":100,"partition":["'S01'"],"row_groups":[0,2],
//!             "residual":["(cost < 10.0D)"]}]}
//! ```
//! Conditions and values are SQL. Row groups that metadata proves to
//! hold no wanted row are in no split, and conditions that it proves of all rows of a split are not asked there.

mod types;

use std::path::PathBuf;
use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::filter::{Filter, Verdict};
use lith_format::meta::FileMeta;
use lith_format::scalar::Scalar;
use lith_format::scan::{Output, RowPredicate, ScanTask, Step, TableSchema};
use lith_format::types::LogicalType;
use serde_json::{Value, json};

use crate::ansi::EvalMode;
use crate::error::Result as Planned;
use crate::eval::{self, Predicate};
use crate::explain::conjunct_verdicts;
use crate::expr::{Expr, scalar_sql};
use crate::plan::ScanPlan;
use crate::pushdown;
use crate::resolve::{resolve, resolve_condition};
use crate::sql;

/// A plan as splits.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitPlan {
    /// The table's columns; all numbers refer to them.
    pub table: TableSchema,
    /// What is wanted, in the order asked for.
    pub columns: Vec<Output>,
    /// The largest number of rows wanted of all splits together.
    pub limit: Option<u64>,
    /// Whether what cannot be computed is an error or null.
    pub mode: EvalMode,
    /// The parts of files.
    pub splits: Vec<Split>,
}

/// Row groups of a file, and the conditions that their rows must be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// The file, its partition values and the row groups.
    pub task: ScanTask,
    /// All must be true of a row that is wanted; resolved against the table. In the order in which they are asked.
    pub residual: Vec<Expr>,
}

impl SplitPlan {
    /// One split a file, before any file is opened.
    ///
    /// # Errors
    /// A condition that directories should have been asked and that is not supported here.
    pub fn new(plan: &ScanPlan) -> Planned<SplitPlan> {
        plan.check_pruned()?;
        let residual: Vec<Expr> = plan.residual().into_iter().cloned().collect();
        let split = |task: &ScanTask| Split {
            task: task.clone(),
            residual: residual.clone(),
        };
        Ok(SplitPlan::of(plan, plan.tasks.iter().map(split).collect()))
    }

    /// The same by what the footers of the plan's files say, in the order of its tasks: adjoining row groups whose
    /// rows must be asked the same make a split.
    ///
    /// # Errors
    /// A file whose columns do not go with the table's, and as [`SplitPlan::new`].
    pub fn by_footers(plan: &ScanPlan, files: &[&FileMeta]) -> Result<SplitPlan> {
        plan.check_pruned()?;
        let residual = plan.residual();
        let mut splits: Vec<Split> = Vec::new();
        for (task, groups) in plan
            .tasks
            .iter()
            .zip(conjunct_verdicts(plan, &residual, files)?)
        {
            let mut last = None;
            for (group, verdicts) in groups.into_iter().enumerate() {
                if verdicts.contains(&Verdict::Never) || plan.empty {
                    continue;
                }
                if last.as_ref() != Some(&verdicts) {
                    splits.push(Split {
                        task: ScanTask {
                            row_groups: Some(Vec::new()),
                            ..task.clone()
                        },
                        residual: asked(&residual, &verdicts),
                    });
                }
                let row_groups = splits
                    .last_mut()
                    .and_then(|split| split.task.row_groups.as_mut());
                row_groups.into_iter().for_each(|groups| groups.push(group));
                last = Some(verdicts);
            }
        }
        Ok(SplitPlan::of(plan, splits))
    }

    fn of(plan: &ScanPlan, splits: Vec<Split>) -> SplitPlan {
        SplitPlan {
            table: plan.table.clone(),
            columns: plan.columns.clone(),
            limit: plan.limit,
            mode: plan.mode,
            splits,
        }
    }

    /// What metadata can be asked of a split: where it is never true, no row is wanted.
    pub fn filter(&self, split: &Split) -> Filter {
        let filters = split
            .residual
            .iter()
            .map(|expr| pushdown::filter(expr, &self.table));
        Filter::And(filters.collect())
    }

    /// The residual of a split, compiled.
    ///
    /// # Errors
    /// An expression that is not supported here.
    pub fn predicates(&self, split: &Split) -> Planned<Vec<Arc<dyn RowPredicate>>> {
        let compile = |expr: &Expr| Ok(Arc::new(Predicate::new(expr)?) as Arc<dyn RowPredicate>);
        split.residual.iter().map(compile).collect()
    }

    /// As JSON.
    ///
    /// # Errors
    /// Paths that are not UTF-8, and variants.
    pub fn to_json(&self) -> Result<Value> {
        let output = |output: &Output| {
            let steps: Vec<Value> = output.steps.iter().map(step_json).collect();
            json!({"column": output.column, "steps": steps, "name": output.name})
        };
        let splits = self.splits.iter().map(|split| self.split_json(split));
        Ok(json!({
            "plan_version": 1,
            "columns": types::schema_json(&self.table.schema)?,
            "partition_columns": self.table.partition_columns,
            "output": self.columns.iter().map(output).collect::<Vec<_>>(),
            "limit": self.limit,
            "ansi": self.mode == EvalMode::Ansi,
            "splits": splits.collect::<Result<Vec<_>>>()?,
        }))
    }

    fn split_json(&self, split: &Split) -> Result<Value> {
        let task = &split.task;
        let fields = self
            .table
            .schema
            .fields
            .iter()
            .skip(self.table.data_columns());
        let values = task.partition.iter().zip(fields);
        let values: Vec<String> = values
            .map(|(value, field)| scalar_sql(value, &field.ty))
            .collect();
        let path = task.path.to_str();
        let rows = task.rows.as_ref();
        let rows = rows.map(|runs| {
            runs.iter()
                .map(|run| [run.start, run.end])
                .collect::<Vec<_>>()
        });
        Ok(json!({
            "file": path.ok_or_else(|| Error::unsupported("paths that are not UTF-8").at_path(&task.path))?,
            "bytes": task.bytes,
            "partition": values,
            "row_groups": task.row_groups,
            "rows": rows,
            "residual": split.residual.iter().map(Expr::sql).collect::<Vec<_>>(),
        }))
    }

    /// Of JSON.
    ///
    /// # Errors
    /// What is no plan of this version.
    pub fn from_json(json: &Value) -> Result<SplitPlan> {
        if json["plan_version"] != 1 {
            return Err(Error::unsupported(format!(
                "plans of version {}",
                json["plan_version"]
            )));
        }
        let schema = Arc::new(types::schema_of(&json["columns"])?);
        let partition_columns = number(json, "partition_columns")?;
        if partition_columns > schema.fields.len() {
            return Err(malformed("partition_columns"));
        }
        let table = TableSchema {
            schema,
            partition_columns,
        };
        let columns = items(json, "output")?
            .iter()
            .map(|json| output_of(json, &table));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let mode = match &json["ansi"] {
            Value::Bool(true) => EvalMode::Ansi,
            Value::Bool(false) => EvalMode::Legacy,
            _ => return Err(malformed("ansi")),
        };
        let splits = items(json, "splits")?
            .iter()
            .map(|json| split_of(json, &table, mode));
        Ok(SplitPlan {
            columns,
            limit: optional(&json["limit"], Value::as_u64).ok_or_else(|| malformed("limit"))?,
            mode,
            splits: splits.collect::<Result<Vec<_>>>()?,
            table,
        })
    }
}

/// The conditions that are not proved of all rows.
fn asked(residual: &[&Expr], verdicts: &[Verdict]) -> Vec<Expr> {
    let open = residual
        .iter()
        .zip(verdicts)
        .filter(|(_, verdict)| **verdict != Verdict::Always);
    open.map(|(expr, _)| (*expr).clone()).collect()
}

fn step_json(step: &Step) -> Value {
    match step {
        Step::Field(index) => json!({"field": index}),
        Step::Element(index) => json!({"element": index}),
        Step::ElementIfAny(index) => json!({"element_if_any": index}),
        Step::Key(key) => json!({"key": scalar_sql(key, &key_type(key))}),
    }
}

/// A type that a map's key is written in; keys compare by value, whatever their width.
fn key_type(key: &Scalar) -> LogicalType {
    match key {
        Scalar::Int(_) => LogicalType::Int64,
        Scalar::Date(_) => LogicalType::Date,
        Scalar::Timestamp { unit, zone, .. } => LogicalType::Timestamp {
            unit: *unit,
            zone: *zone,
        },
        Scalar::Time { unit, utc, .. } => LogicalType::Time {
            unit: *unit,
            utc: *utc,
        },
        _ => LogicalType::String,
    }
}

fn output_of(json: &Value, table: &TableSchema) -> Result<Output> {
    let step = |json: &Value| {
        let index = |name: &str| json[name].as_i64();
        if let Some(field) = json["field"].as_u64() {
            return usize::try_from(field)
                .map(Step::Field)
                .map_err(|_| malformed("field"));
        }
        if let Some(index) = index("element") {
            return Ok(Step::Element(index));
        }
        if let Some(index) = index("element_if_any") {
            return Ok(Step::ElementIfAny(index));
        }
        Ok(Step::Key(literal(text(json, "key")?)?))
    };
    let output = Output {
        column: number(json, "column")?,
        steps: items(json, "steps")?
            .iter()
            .map(step)
            .collect::<Result<_>>()?,
        name: optional(&json["name"], Value::as_str)
            .ok_or_else(|| malformed("name"))?
            .map(str::to_owned),
    };
    output.field(table)?;
    Ok(output)
}

fn split_of(json: &Value, table: &TableSchema, mode: EvalMode) -> Result<Split> {
    let condition = |json: &Value| {
        let text = json.as_str().ok_or_else(|| malformed("residual"))?;
        Ok(sql::parse(text).and_then(|expr| resolve_condition(expr, table, mode))?)
    };
    let value = |json: &Value| literal(json.as_str().ok_or_else(|| malformed("partition"))?);
    let partition = items(json, "partition")?
        .iter()
        .map(value)
        .collect::<Result<Vec<_>>>()?;
    if partition.len() != table.partition_columns {
        return Err(malformed("partition"));
    }
    let index = |json: &Value| json.as_u64().and_then(|index| usize::try_from(index).ok());
    let groups = |json: &Value| {
        json.as_array()?
            .iter()
            .map(index)
            .collect::<Option<Vec<_>>>()
    };
    let run = |json: &Value| match json.as_array().map(Vec::as_slice) {
        Some([start, end]) => Some(start.as_u64()?..end.as_u64()?),
        _ => None,
    };
    let runs = |json: &Value| json.as_array()?.iter().map(run).collect::<Option<Vec<_>>>();
    Ok(Split {
        task: ScanTask {
            path: PathBuf::from(text(json, "file")?),
            bytes: json["bytes"].as_u64().ok_or_else(|| malformed("bytes"))?,
            partition,
            row_groups: optional(&json["row_groups"], groups)
                .ok_or_else(|| malformed("row_groups"))?,
            rows: optional(&json["rows"], runs).ok_or_else(|| malformed("rows"))?,
        },
        residual: items(json, "residual")?
            .iter()
            .map(condition)
            .collect::<Result<_>>()?,
    })
}

/// The value of SQL that names no column.
fn literal(text: &str) -> Result<Scalar> {
    let nothing = TableSchema::of_file(Arc::default());
    let expr = sql::parse(text).and_then(|expr| resolve(expr, &nothing, EvalMode::Ansi))?;
    Ok(eval::constant(&expr)?)
}

#[cold]
fn malformed(what: &str) -> Error {
    Error::invalid(format!("not the {what} of a plan"))
}

fn text<'a>(json: &'a Value, name: &str) -> Result<&'a str> {
    json[name].as_str().ok_or_else(|| malformed(name))
}

fn items<'a>(json: &'a Value, name: &str) -> Result<&'a [Value]> {
    json[name]
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| malformed(name))
}

fn number(json: &Value, name: &str) -> Result<usize> {
    let number = json[name]
        .as_u64()
        .and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| malformed(name))
}

/// `Some(None)` of null; `None` of what is neither null nor of the wanted kind.
fn optional<'a, T>(json: &'a Value, of: impl FnOnce(&'a Value) -> Option<T>) -> Option<Option<T>> {
    match json {
        Value::Null => Some(None),
        json => of(json).map(Some),
    }
}
