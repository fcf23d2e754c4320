//! What a plan will read and skip, conjunct by conjunct, and why.
//!
//! [`explain`] takes a plan and, for each of its files, what the footer says; it asks every row group's
//! bounds. [`Explanation::text`] draws it, [`Explanation::json`] writes the object that the command line
//! promises. With [`Engine::Spark`] the lists are what Spark 4.3 prints; with [`Engine::Lith`] they are
//! SQL, and `pushed_filters` holds whatever lith can judge before it reads rows, which is more.

mod draw;
mod estimate;
mod finding;
mod hint;

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use lith_format::bind::{self, LeafSource};
use lith_format::error::{Error, Result};
use lith_format::filter::{Filter, Verdict};
use lith_format::meta::{FileMeta, Format, RowGroupMeta};
use lith_format::names;
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, LeafId, Schema};
use lith_format::stats::ColumnStats;
use serde_json::{Value, json};

use crate::expr::Expr;
use crate::plan::{ScanPlan, Share};
use crate::pushdown;

pub use draw::Palette;
pub use estimate::Estimate;
pub use finding::Finding;

/// Whose words an explanation uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// What lith judges.
    #[default]
    Lith,
    /// What Spark 4.3 would print.
    Spark,
}

/// Row groups of the files that are opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowGroups {
    /// How many there are.
    pub total: u64,
    /// How many may hold wanted rows.
    pub selected: u64,
    /// How many hold nothing but wanted rows.
    pub always: u64,
}

/// A column that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Its path.
    pub column: String,
    /// What is in the way, such as the cipher and the name of its key.
    pub because: String,
}

/// A plan, explained.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// Whose words the lists are in.
    pub engine: Engine,
    /// The formats of the files, each once.
    pub formats: Vec<Format>,
    /// What was asked to be read.
    pub location: Vec<String>,
    /// Conditions that decide which directories are read.
    pub partition_filters: Vec<String>,
    /// Conditions on stored columns.
    pub data_filters: Vec<String>,
    /// Those of them that are judged before rows are read.
    pub pushed_filters: Vec<String>,
    /// What rows are asked.
    pub post_filter: Option<String>,
    /// The stored columns needed, as Spark prints them.
    pub read_schema: String,
    /// Their names.
    pub columns_read: Vec<String>,
    /// How many columns are stored.
    pub columns_stored: usize,
    /// The columns needed that cannot be read: the query will fail.
    pub unreadable: Vec<Unreadable>,
    /// Whether the condition is never true, whatever the files hold; for Spark only if Spark proves it.
    pub empty: bool,
    /// A part of it that never is, or two that exclude each other.
    pub never: Vec<String>,
    /// Partitions.
    pub partitions: Share,
    /// Files.
    pub files: Share,
    /// Row groups of the files left.
    pub row_groups: RowGroups,
    /// Bytes of all files, and of the needed columns in the row groups left.
    pub bytes: Share,
    /// Rows of the files left, and of the row groups left.
    pub rows: Share,
    /// How many of them pass.
    pub passing: Estimate,
    /// One a conjunct, in the order in which rows are asked.
    pub conjuncts: Vec<Finding>,
}

/// Explains a plan. `files` holds what the footers of the plan's files say, in the order of its tasks.
///
/// # Errors
/// A file whose columns do not match the table's; for Spark, also column names that differ in case only.
pub fn explain(plan: &ScanPlan, files: &[&FileMeta], engine: Engine) -> Result<Explanation> {
    if engine == Engine::Spark {
        refuse_as_spark(&plan.table.schema)?;
    }
    let units = units(plan, files)?;
    let empty = is_empty(plan, engine);
    let mut out = Explanation {
        engine,
        formats: formats(files),
        location: Vec::new(),
        partition_filters: render(&plan.classes.partition_filters, engine),
        data_filters: render(&plan.classes.data_filters, engine),
        pushed_filters: pushed_filters(plan, engine),
        post_filter: post_filter(plan, engine),
        read_schema: plan.read_schema.to_string(),
        columns_read: plan
            .read_schema
            .fields
            .iter()
            .map(|field| field.name.clone())
            .collect(),
        columns_stored: plan.table.data_columns(),
        unreadable: Vec::new(),
        empty,
        never: plan.never.iter().map(Expr::sql).collect(),
        partitions: left(plan.partitions, empty),
        files: left(plan.files, empty),
        row_groups: RowGroups::default(),
        bytes: Share {
            total: plan.bytes.total,
            selected: 0,
        },
        rows: Share::default(),
        passing: match plan.reads_nothing() {
            true => Estimate::default(),
            false => Estimate::new(&plan.filter, &units),
        },
        conjuncts: finding::findings(plan, &units),
    };
    let needed = needed_leaves(plan);
    for unit in &units {
        let verdict = unit.judge(&plan.filter);
        let selected = verdict != Verdict::Never;
        out.row_groups.total += 1;
        out.row_groups.selected += u64::from(selected);
        out.row_groups.always += u64::from(verdict == Verdict::Always);
        out.rows.total += unit.group.rows;
        if selected {
            out.rows.selected += unit.group.rows;
            out.bytes.selected += unit.bytes_of(&needed);
        }
    }
    if units.is_empty() {
        out.bytes.selected = left(plan.bytes, empty).selected;
    }
    Ok(out)
}

/// Whether the condition is never true; for Spark, whether it sees that.
fn is_empty(plan: &ScanPlan, engine: Engine) -> bool {
    match engine {
        Engine::Lith => plan.reads_nothing(),
        Engine::Spark => plan.empty,
    }
}

/// What is left, which is nothing of an empty plan.
fn left(share: Share, empty: bool) -> Share {
    Share {
        selected: if empty { 0 } else { share.selected },
        ..share
    }
}

/// Spark reads no table of which two columns, or two fields of a struct, differ by case at most.
fn refuse_as_spark(schema: &Schema) -> Result<()> {
    match names::alike(&schema.fields) {
        None => Ok(()),
        Some((first, second)) => Err(Error::invalid(format!(
            "Spark does not tell {first:?} from {second:?} and reads no table that has both"
        ))),
    }
}

/// What the bounds of each row group of each file say of the plan's condition, in the order of its tasks.
///
/// # Errors
/// A file whose columns do not go with the table's.
pub fn verdicts(plan: &ScanPlan, files: &[&FileMeta]) -> Result<Vec<Vec<Verdict>>> {
    let mut units = units(plan, files)?.into_iter();
    let of_file = |meta: &&FileMeta| {
        let units = units.by_ref().take(meta.row_groups.len());
        units.map(|unit| unit.judge(&plan.filter)).collect()
    };
    Ok(files.iter().map(of_file).collect())
}

/// What the bounds of each row group of each file say of each of some conjuncts, the plan's whole condition last.
pub(crate) fn conjunct_verdicts(
    plan: &ScanPlan,
    conjuncts: &[&Expr],
    files: &[&FileMeta],
) -> Result<Vec<Vec<Vec<Verdict>>>> {
    let filters = conjuncts
        .iter()
        .map(|expr| pushdown::filter(expr, &plan.table));
    let filters: Vec<Filter> = filters.chain([plan.filter.clone()]).collect();
    let mut units = units(plan, files)?.into_iter();
    let of_unit = |unit: Unit| filters.iter().map(|filter| unit.judge(filter)).collect();
    let of_file = |meta: &&FileMeta| {
        let units = units.by_ref().take(meta.row_groups.len());
        units.map(of_unit).collect()
    };
    Ok(files.iter().map(of_file).collect())
}

/// A row group of one of the plan's files.
struct Unit<'a> {
    group: &'a RowGroupMeta,
    sources: Rc<[LeafSource]>,
    /// Which of the columns without leaves are needed.
    leafless: Rc<[usize]>,
    partition: &'a [Scalar],
}

impl Unit<'_> {
    fn judge(&self, filter: &Filter) -> Verdict {
        filter.judge(&|leaf| self.stats(leaf))
    }

    /// What is known of a leaf of the table.
    fn stats(&self, leaf: LeafId) -> Option<Cow<'_, ColumnStats>> {
        let chunks = &self.group.chunks;
        let of_file = |leaf: LeafId| Some(Cow::Borrowed(&chunks.get(leaf.index())?.stats));
        let of_file = (self.group.rows, of_file);
        bind::stats(&self.sources, leaf, of_file, self.partition)
    }

    /// Bytes of these leaves and of the needed columns without leaves, or all of the row group's where the footer does not say.
    fn bytes_of(&self, leaves: &[LeafId]) -> u64 {
        let in_file = leaves
            .iter()
            .filter_map(|leaf| match self.sources.get(leaf.index()) {
                Some(LeafSource::File(leaf)) => Some(*leaf),
                _ => None,
            });
        let leaves = in_file.map(|leaf| self.group.chunks.get(leaf.index()));
        let leafless = self.leafless.iter();
        let leafless = leafless.map(|&place| self.group.leafless.get(place));
        let sizes = leaves.chain(leafless).map(|chunk| chunk?.compressed_bytes);
        let sum: Option<u64> = sizes.sum();
        sum.unwrap_or_else(|| self.group.compressed_bytes())
    }
}

fn formats(files: &[&FileMeta]) -> Vec<Format> {
    let mut out = Vec::new();
    for meta in files {
        if !out.contains(&meta.format) {
            out.push(meta.format);
        }
    }
    out
}

fn units<'a>(plan: &'a ScanPlan, files: &[&'a FileMeta]) -> Result<Vec<Unit<'a>>> {
    let mut out = Vec::new();
    for (task, meta) in plan.tasks.iter().zip(files) {
        let sources = bind::bind(&plan.table, &meta.schema).map_err(|e| e.at_path(&task.path))?;
        let sources: Rc<[LeafSource]> = sources.into();
        let leafless = needed_leafless(plan, &meta.schema);
        out.extend(meta.row_groups.iter().map(|group| Unit {
            group,
            sources: sources.clone(),
            leafless: leafless.clone(),
            partition: &task.partition,
        }));
    }
    Ok(out)
}

/// The numbers of the columns of the output and of the conditions that rows are asked, ascending.
pub fn needed_columns(plan: &ScanPlan) -> Vec<usize> {
    let mut columns: Vec<usize> = plan.columns.iter().map(|output| output.column).collect();
    columns.extend(
        plan.classes
            .post_filter
            .iter()
            .flat_map(Expr::column_indices),
    );
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Which of the columns without leaves of a file with this schema are needed.
fn needed_leafless(plan: &ScanPlan, schema: &Schema) -> Rc<[usize]> {
    let is_leafless = |field: &&Field| field.leaf_count() == 0;
    let needed = needed_columns(plan).into_iter();
    let needed = needed.map(|column| &plan.table.schema.fields[column]);
    let needed: Vec<&Field> = needed.filter(is_leafless).collect();
    let is_needed = |field: &Field| {
        let mut needed = needed.iter();
        needed.any(|needed| needed.name.to_lowercase() == field.name.to_lowercase())
    };
    let stored = schema.fields.iter().filter(is_leafless).enumerate();
    let stored = stored.filter(|(_, field)| is_needed(field));
    stored.map(|(place, _)| place).collect()
}

/// The leaves of the needed columns.
fn needed_leaves(plan: &ScanPlan) -> Vec<LeafId> {
    let schema = &plan.table.schema;
    let first_leaves = schema.first_leaves();
    let leaves = needed_columns(plan).into_iter().flat_map(|column| {
        let first = first_leaves[column].0;
        let count = schema.fields[column].leaf_count() as u32;
        (first..first + count).map(LeafId)
    });
    leaves.collect()
}

fn render(exprs: &[Expr], engine: Engine) -> Vec<String> {
    let text = |expr: &Expr| match engine {
        Engine::Lith => expr.sql(),
        Engine::Spark => expr.spark(),
    };
    exprs.iter().map(text).collect()
}

fn pushed_filters(plan: &ScanPlan, engine: Engine) -> Vec<String> {
    match engine {
        Engine::Spark => plan.pushed_filters.clone(),
        Engine::Lith => {
            let judged = plan.classes.post_filter.iter();
            let judged = judged.filter(|e| is_judged(&pushdown::filter(e, &plan.table)));
            judged.map(Expr::sql).collect()
        }
    }
}

fn post_filter(plan: &ScanPlan, engine: Engine) -> Option<String> {
    match engine {
        Engine::Spark => plan.classes.post_filter_spark(),
        Engine::Lith => {
            let asked: Vec<String> = plan.residual().into_iter().map(Expr::sql).collect();
            (!asked.is_empty()).then(|| asked.join(" AND "))
        }
    }
}

/// Whether metadata may decide it.
fn is_judged(filter: &Filter) -> bool {
    match filter {
        Filter::Opaque | Filter::Fallible => false,
        Filter::And(terms) => terms.iter().any(is_judged),
        Filter::Or(terms) => terms.iter().all(is_judged),
        Filter::Not(inner) => match &**inner {
            // NOT (a AND b) is an OR, NOT (a OR b) an AND
            Filter::And(terms) => terms.iter().all(is_judged),
            Filter::Or(terms) => terms.iter().any(is_judged),
            inner => is_judged(inner),
        },
        Filter::Case {
            branches,
            otherwise,
        } => {
            let then = || branches.iter().map(|(_, then)| then).chain([&**otherwise]);
            let by_condition = branches.iter().any(|(condition, _)| is_judged(condition));
            then().all(is_judged) || by_condition && then().any(is_judged)
        }
        _ => true,
    }
}

impl Unreadable {
    fn json(&self) -> Value {
        json!({"column": self.column, "because": self.because})
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Lith => "lith",
            Engine::Spark => "spark",
        })
    }
}

impl Explanation {
    /// What the files are: `parquet`, `orc`, `parquet, orc`; `None` of no files.
    fn format_names(&self) -> Option<String> {
        let names: Vec<String> = self.formats.iter().map(Format::to_string).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// The object of `lith explain -f json`. Spark has no lists for a query that is proved empty.
    pub fn json(&self) -> Value {
        let no_lists = self.empty && self.engine == Engine::Spark;
        let list = |items: &[String]| if no_lists { Value::Null } else { json!(items) };
        let share = |share: &Share| json!({"total": share.total, "selected": share.selected});
        json!({
            "schema_version": 1,
            "engine": self.engine.to_string(),
            "format": self.format_names(),
            "location": self.location,
            "partition_filters": list(&self.partition_filters),
            "data_filters": list(&self.data_filters),
            "pushed_filters": list(&self.pushed_filters),
            "post_filter": self.post_filter,
            "read_schema": self.read_schema,
            "empty": self.empty,
            "never_true": self.never,
            "partitions": share(&self.partitions),
            "files": share(&self.files),
            "row_groups": {
                "total": self.row_groups.total,
                "selected": self.row_groups.selected,
                "always": self.row_groups.always,
            },
            // the statistics of strides are not in the footers; only a scan reads them
            "strides": Value::Null,
            "bytes": share(&self.bytes),
            "rows": {
                "total": self.rows.total,
                "selected_at_most": self.rows.selected,
                "selected_at_least": self.passing.at_least,
                "estimated": self.passing.about,
            },
            "unreadable": self.unreadable.iter().map(Unreadable::json).collect::<Vec<_>>(),
            "conjuncts": self.conjuncts.iter().map(Finding::json).collect::<Vec<_>>(),
        })
    }
}
