//! Plans a scan: from a predicate's text to the files to read and the conditions on each.
//!
//! ```text
//! text -> sql -> resolve -> normalize -> classify -> prune -> ScanPlan
//! ```
//! The plan holds the files whose directories pass, a condition on leaves to evaluate on metadata, and conjuncts
//! to evaluate on the remaining rows, cheapest first. No file is opened.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lith_format::filter::Filter;
use lith_format::scalar::Scalar;
use lith_format::scan::{Output, RowPredicate, ScanTask, Step, TableSchema};
use lith_format::schema::Schema;
use lith_format::types::LogicalType;

use crate::ansi::EvalMode;
use crate::classify::{Classes, classify};
use crate::cost::by_cost;
use crate::discover::Dataset;
use crate::error::{PlanError, Result};
use crate::eval::Predicate;
use crate::expr::{Expr, GET, SUBSCRIPT, Span};
use crate::never;
use crate::normalize::{Normalized, normalize, without_implied_null_tests};
use crate::prune::Pruner;
use crate::pushdown;
use crate::read_schema;
use crate::resolve::{check_case, propose_quotes, resolve, resolve_condition};
use crate::sql;

/// A dataset and the columns it has.
#[derive(Debug, Clone)]
pub struct Table {
    /// The stored columns, then the partition columns.
    pub schema: TableSchema,
    /// The files.
    pub dataset: Dataset,
}

impl Table {
    /// Files of this schema and their partition columns. A stored column that is also a partition column
    /// is left out: the directory's value counts.
    pub fn new(stored: &Schema, dataset: Dataset) -> Table {
        let partition_names: Vec<String> = dataset
            .partition_columns
            .iter()
            .map(|field| field.name.to_lowercase())
            .collect();
        let mut fields = stored.fields.clone();
        fields.retain(|field| !partition_names.contains(&field.name.to_lowercase()));
        fields.extend(dataset.partition_columns.iter().cloned());
        Table {
            schema: TableSchema {
                schema: Arc::new(Schema::new(fields)),
                partition_columns: partition_names.len(),
            },
            dataset,
        }
    }
}

/// A query of a table.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// The text of a condition; `None` wants every row.
    pub predicate: Option<&'a str>,
    /// Names of columns, nested by dots, quoted with back-quotes; `None` wants every column.
    pub columns: Option<Vec<String>>,
    /// The largest number of rows wanted.
    pub limit: Option<u64>,
    /// Whether names must be written in the case that columns have.
    pub case_sensitive: bool,
    /// Whether what cannot be computed is an error or null.
    pub mode: EvalMode,
}

/// How many there are, and how many are selected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// How many there are.
    pub total: u64,
    /// How many are left.
    pub selected: u64,
}

/// What to scan and how.
pub struct ScanPlan {
    /// The table's columns; all numbers below refer to them. Structs of which only some fields are used have
    /// no others.
    pub table: TableSchema,
    /// The files left, in order of their paths.
    pub tasks: Vec<ScanTask>,
    /// What is wanted, in the order asked for.
    pub columns: Vec<Output>,
    /// What metadata can be asked: where it is never true, no row is wanted; where it is always true,
    /// every row is.
    pub filter: Filter,
    /// The condition, rewritten; all must be true.
    pub conjuncts: Vec<Expr>,
    /// The conjuncts by who can judge them.
    pub classes: Classes,
    /// The data filters that Spark pushes, as it prints them.
    pub pushed_filters: Vec<String>,
    /// The stored columns needed, in Spark's types; its text is Spark's ReadSchema.
    pub read_schema: Schema,
    /// Whether no row can be wanted, whatever the files hold, and Spark knows that, too.
    pub empty: bool,
    /// Of a condition that is true for no row, whatever the files hold: a part that never is, or two that exclude
    /// each other.
    pub never: Vec<Expr>,
    /// The largest number of rows wanted.
    pub limit: Option<u64>,
    /// Partitions by their directories.
    pub partitions: Share,
    /// Files.
    pub files: Share,
    /// Bytes of files.
    pub bytes: Share,
    /// Of each partition of the dataset, whether it is left.
    pub kept: Vec<bool>,
    /// The directories left; empty names are not listed.
    pub selected_partitions: Vec<String>,
    /// The text of the condition, to which places in errors refer; empty if there is none.
    pub predicate: String,
    /// Whether what cannot be computed is an error or null.
    pub mode: EvalMode,
    /// Why directories could not be asked a filter that names nothing else.
    not_pruned: Option<PlanError>,
}

impl ScanPlan {
    /// The conjuncts that rows must be asked, cheapest for what they drop first; those that may fail on a row
    /// come after all that were written before them.
    pub fn residual(&self) -> Vec<&Expr> {
        by_cost(without_implied_null_tests(&self.classes.post_filter))
    }

    /// Whether it is known before any file is opened that no row is wanted.
    pub fn reads_nothing(&self) -> bool {
        self.empty || !self.never.is_empty()
    }

    /// Whether directories were asked all that only they are asked.
    pub(crate) fn check_pruned(&self) -> Result<()> {
        self.not_pruned.clone().map_or(Ok(()), Err)
    }

    /// The same, compiled; all must be true of a row.
    ///
    /// # Errors
    /// An expression that can be classified but not supported here, also one that directories should have
    /// been asked.
    pub fn predicates(&self) -> Result<Vec<Arc<dyn RowPredicate>>> {
        self.check_pruned()?;
        // shared: there may be many conjuncts of a long text
        let text: Arc<str> = self.predicate.as_str().into();
        let compile = |expr: &Expr| {
            let resolved = resolve_condition(expr.clone(), &self.table, self.mode)?;
            let predicate = Predicate::new(&resolved)?.in_text(text.clone());
            Ok(Arc::new(predicate) as Arc<dyn RowPredicate>)
        };
        self.residual().into_iter().map(compile).collect()
    }
}

/// Plans a scan.
///
/// # Errors
/// A predicate that does not parse, bind or evaluate, and unknown columns.
pub fn plan(table: &Table, query: &Query) -> Result<ScanPlan> {
    let condition = match query.predicate {
        Some(text) => Some(condition(text, &table.schema, query.mode)?),
        None => None,
    };
    if let (Some(condition), true) = (&condition, query.case_sensitive) {
        check_case(condition, &table.schema)?;
    }
    plan_condition(table, condition, query)
}

fn condition(text: &str, table: &TableSchema, mode: EvalMode) -> Result<Expr> {
    sql::parse(text)
        .and_then(|expr| resolve_condition(expr, table, mode))
        .map_err(|error| {
            let (start, end) = (0, text.len());
            propose_quotes(error, text, table).at(Span { start, end })
        })
}

/// Plans a scan with a resolved condition, built by code or from text; the query's text is only what
/// places in errors refer to.
///
/// # Errors
/// As [`plan`].
pub fn plan_condition(table: &Table, condition: Option<Expr>, query: &Query) -> Result<ScanPlan> {
    let output = selected(&table.schema, query)?.exprs;
    if query.case_sensitive {
        for expr in output.iter().flatten() {
            check_case(expr, &table.schema)?;
        }
    }
    let schema = read_schema::narrow(&table.schema, output.as_deref(), condition.as_ref());
    // columns are numbered anew where structs were cut
    let condition = condition
        .map(|condition| resolve_condition(condition, &schema, query.mode))
        .transpose()?;
    let Selected { exprs, outputs } = selected(&schema, query)?;
    let written = condition.clone();
    let normalized = match condition {
        Some(condition) => {
            let text = query.predicate.unwrap_or_default();
            normalize(condition).map_err(|error| propose_quotes(error, text, &schema))?
        }
        None => Normalized::All(Vec::new()),
    };
    let never = never::of(written.as_ref(), &normalized, &schema);
    let (conjuncts, proved) = match normalized {
        Normalized::All(conjuncts) => (conjuncts, false),
        Normalized::Never => (Vec::new(), true),
    };
    let empty = proved || query.limit == Some(0);
    let classes = classify(&conjuncts, &schema);
    let pushed_filters = classes.data_filters.iter();
    let pushed_filters = pushed_filters.filter_map(|e| pushdown::pushed(e, &schema));
    let mut plan = ScanPlan {
        tasks: Vec::new(),
        columns: outputs,
        filter: leaf_filter(&classes, &schema, empty || !never.is_empty()),
        pushed_filters: pushed_filters.collect(),
        read_schema: read_schema::read_schema(&schema, exprs.as_deref(), &classes.post_filter),
        conjuncts,
        classes,
        table: schema,
        empty,
        never,
        limit: query.limit,
        partitions: Share::default(),
        files: Share::default(),
        bytes: Share::default(),
        kept: Vec::new(),
        selected_partitions: Vec::new(),
        predicate: query.predicate.unwrap_or_default().to_owned(),
        mode: query.mode,
        not_pruned: None,
    };
    select(&mut plan, table)?;
    Ok(plan)
}

/// Whether a column is written with a subscript, outside of back-quotes.
fn has_subscript(name: &str) -> bool {
    name.split('`').step_by(2).any(|part| part.contains('['))
}

/// What is selected, resolved; `None` is every column.
struct Selected {
    exprs: Option<Vec<Expr>>,
    outputs: Vec<Output>,
}

fn selected(table: &TableSchema, query: &Query) -> Result<Selected> {
    let Some(names) = &query.columns else {
        return Ok(Selected {
            exprs: None,
            outputs: (0..table.schema.fields.len()).map(Output::from).collect(),
        });
    };
    let select = |name: &String| {
        let selected = select_one(name, table, query.mode);
        selected.map_err(|error| propose_quotes(error, name, table).of_column(name))
    };
    let selected = names.iter().map(select).collect::<Result<Vec<_>>>()?;
    let (exprs, mut outputs): (Vec<Expr>, Vec<Output>) = selected.into_iter().unzip();
    tell_apart(&exprs, &mut outputs, table);
    // again, because a path may be the name of another column
    tell_apart(&exprs, &mut outputs, table);
    Ok(Selected {
        exprs: Some(exprs),
        outputs,
    })
}

/// A column, or a part of one, in the notation of conditions. The name of a top-level column without dots and
/// brackets needs no quotes, whatever other characters it has.
fn select_one(name: &str, table: &TableSchema, mode: EvalMode) -> Result<(Expr, Output)> {
    let mut fields = table.schema.fields.iter();
    let parsed = match !name.contains(['.', '[']) && fields.any(|field| field.name == name) {
        true => Expr::column([name]),
        false => sql::parse(name)?,
    };
    let expr = resolve(parsed.clone(), table, mode)?;
    let mut output = output_of(&expr).ok_or_else(|| {
        PlanError::unsupported(format!(
            "{} is not a column; only columns and parts of them can be selected",
            expr.sql()
        ))
    })?;
    // as Spark names it: the last part of a path, else the text of the expression
    output.name = match (&parsed, &expr) {
        _ if has_subscript(name) => Some(expr.spark()),
        (_, Expr::Column(_)) => None,
        (Expr::Column(column), _) => column.path.last().cloned(),
        (Expr::Function { name, .. }, _) if name == GET => Some(expr.sql()),
        _ => Some(expr.spark()),
    };
    Ok((expr, output))
}

/// If different parts have the same name, names them by their paths.
fn tell_apart(exprs: &[Expr], outputs: &mut [Output], table: &TableSchema) {
    let name = |output: &Output| output.field(table).map(|field| field.name).ok();
    let names: Vec<Option<String>> = outputs.iter().map(name).collect();
    let (mut first, mut shared) = (HashMap::new(), HashSet::new());
    for (name, output) in names.iter().zip(&*outputs) {
        let other: &&Output = first.entry(name).or_insert(output);
        if (other.column, &other.steps) != (output.column, &output.steps) {
            shared.insert(name);
        }
    }
    let renamed: Vec<bool> = names.iter().map(|name| shared.contains(name)).collect();
    for ((output, expr), _) in outputs
        .iter_mut()
        .zip(exprs)
        .zip(renamed)
        .filter(|(_, is)| *is)
    {
        output.name = Some(expr.sql());
    }
}

/// The way to a part of a column; `None` if it is more than that.
fn output_of(expr: &Expr) -> Option<Output> {
    match expr.checked() {
        Expr::Column(column) => {
            let bound = column.bound.as_ref()?;
            let mut output = Output::from(bound.index);
            output.steps = bound.fields.iter().copied().map(Step::Field).collect();
            Some(output)
        }
        Expr::Field { expr, index, .. } => {
            let mut output = output_of(expr)?;
            output.steps.push(Step::Field(*index));
            Some(output)
        }
        Expr::Function { name, args, .. } => {
            let [container, Expr::Literal(key, _)] = &args[..] else {
                return None;
            };
            let mut output = output_of(container)?;
            let checked = matches!(expr, Expr::Function { .. });
            output.steps.push(match (&**name, container.ty(), key) {
                (SUBSCRIPT, LogicalType::List(_), Scalar::Int(index)) if checked => {
                    Step::Element(*index)
                }
                (SUBSCRIPT | GET, LogicalType::List(_), Scalar::Int(index)) => {
                    Step::ElementIfAny(*index)
                }
                (SUBSCRIPT, LogicalType::Map(_), key) if !key.is_null() => Step::Key(key.clone()),
                _ => return None,
            });
            Some(output)
        }
        _ => None,
    }
}

fn leaf_filter(classes: &Classes, table: &TableSchema, empty: bool) -> Filter {
    if empty {
        return Filter::Constant(Some(false));
    }
    pushdown::filter_all(&classes.post_filter, table)
}

/// Keeps the partitions whose values pass, and their files.
fn select(plan: &mut ScanPlan, table: &Table) -> Result<()> {
    let data_columns = table.schema.data_columns();
    let pruner = Pruner::new(&plan.classes.partition_filters, data_columns)?;
    plan.not_pruned = pruner.refused().cloned();
    let mut kept = Vec::with_capacity(table.dataset.partitions.len());
    for partition in &table.dataset.partitions {
        kept.push(!plan.empty && pruner.keeps(&partition.values)?);
    }
    let partitions = table.dataset.partitions.iter().zip(&kept);
    plan.selected_partitions = partitions
        .filter(|(partition, kept)| **kept && !partition.directory.is_empty())
        .map(|(partition, _)| partition.directory.clone())
        .collect();
    plan.partitions = Share {
        total: kept.len() as u64,
        selected: kept.iter().filter(|kept| **kept).count() as u64,
    };
    for file in &table.dataset.files {
        plan.files.total += 1;
        plan.bytes.total += file.bytes;
        if kept[file.partition] {
            plan.files.selected += 1;
            plan.bytes.selected += file.bytes;
            // directories are counted as Spark asks them, but nothing is read of them
            if !plan.never.is_empty() {
                continue;
            }
            plan.tasks.push(ScanTask {
                path: file.path.clone(),
                bytes: file.bytes,
                partition: table.dataset.partitions[file.partition].values.clone(),
                row_groups: None,
                rows: None,
            });
        }
    }
    plan.kept = kept;
    Ok(())
}
