//! Explains one conjunct: what evaluates it, what it rules out, why Spark does not push it, what would help.

use lith_format::bind::LeafSource;
use lith_format::filter::{CompareOp, Filter, Verdict};
use lith_format::meta::ChunkMeta;
use lith_format::scan::TableSchema;
use lith_format::schema::LeafId;
use lith_format::stats::Bound;
use lith_format::types::LogicalType;
use serde_json::{Value, json};

use super::draw::bare;
use super::estimate::{Estimate, number};
use super::hint::{as_list, how_lith_judges, how_to_rewrite, of_partition};
use super::{Unit, is_judged};
use crate::classify::{Class, class_of, weaken};
use crate::eval::Program;
use crate::expr::{Expr, SUBSCRIPT, scalar_spark};
use crate::normalize::without_implied_null_tests;
use crate::plan::ScanPlan;
use crate::pushdown::{self, leaf_of};

/// What is to say of a conjunct.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The conjunct, as SQL.
    pub text: String,
    /// `partition`, `pushed` (Spark pushes it, too), `data` (it does not) or `constant`.
    pub class: &'static str,
    /// Who judges it, in order: `directory`, `row_group_stats`, `page_index`, `bloom`, `dictionary`, `rows`. Nobody,
    /// if it names a function that is not computed.
    pub judged_by: Vec<&'static str>,
    /// Which one it is of those that rows are asked, from 1; `None` if they are not asked it.
    pub order: Option<usize>,
    /// How many row groups of the files left it rules out alone.
    pub ruled_out: u64,
    /// How many rows of the files left it keeps alone; `None` if that is not their matter or no footer is known.
    pub rows: Option<Estimate>,
    /// Why Spark does not push it.
    pub not_pushed_because: Option<String>,
    /// What would help, or what lith does where Spark does nothing.
    pub hint: Option<String>,
}

impl Finding {
    pub(super) fn json(&self) -> Value {
        json!({
            "text": self.text,
            "class": self.class,
            "judged_by": self.judged_by,
            "order": self.order,
            "rows": self.rows.map(|rows| rows.json()),
            "not_pushed_because": self.not_pushed_because,
            "hint": self.hint,
        })
    }
}

/// Partition conjuncts first, then the others in the order in which rows are asked.
pub(super) fn findings(plan: &ScanPlan, units: &[Unit]) -> Vec<Finding> {
    let partition = without_implied_null_tests(&plan.conjuncts)
        .into_iter()
        .filter(|conjunct| class_of(conjunct, &plan.table) == Class::Partition);
    let partition = partition.map(|conjunct| (None, conjunct));
    let asked = plan.residual().into_iter().enumerate();
    partition
        .chain(asked.map(|(index, conjunct)| (Some(index + 1), conjunct)))
        .map(|(order, conjunct)| finding(conjunct, order, plan, units))
        .collect()
}

fn finding(conjunct: &Expr, order: Option<usize>, plan: &ScanPlan, units: &[Unit]) -> Finding {
    let table = &plan.table;
    let kind = class_of(conjunct, table);
    let filter = pushdown::filter(conjunct, table);
    let pushed = kind == Class::Data && pushdown::pushed(conjunct, table).is_some();
    let judged = kind != Class::Partition && is_judged(&filter);
    let verdicts = units
        .iter()
        .filter(|unit| judged && unit.judge(&filter) == Verdict::Never);
    let ruled_out = verdicts.count() as u64;
    let why_not = if pushed {
        None
    } else {
        why_not_pushed(conjunct, kind)
    };
    let refused = refusal(conjunct);
    let hint = match (kind, judged) {
        (Class::Partition, _) if refused.is_some() => refused
            .as_ref()
            .map(|why| format!("directories cannot be pruned by it: {why}")),
        _ if refused.is_some() => refused
            .as_ref()
            .map(|why| format!("rows cannot be filtered by it: {why}")),
        (Class::Partition, _) => of_partition(conjunct, plan),
        (Class::Constant, _) => None,
        (_, true) if pushed => {
            help_with_bounds(&filter, ruled_out, units, plan).or_else(|| as_list(conjunct))
        }
        (_, true) => Some(how_lith_judges(conjunct)),
        (_, false) => blocking_side(conjunct, table).or_else(|| how_to_rewrite(conjunct)),
    };
    Finding {
        text: conjunct.sql(),
        class: match kind {
            Class::Partition => "partition",
            Class::Constant => "constant",
            Class::Data if pushed => "pushed",
            Class::Data | Class::Mixed => "data",
        },
        judged_by: judges(
            conjunct,
            (kind, judged, refused.is_none()),
            &filter,
            (plan, units),
        ),
        order: order.filter(|_| refused.is_none()),
        ruled_out,
        rows: (order.is_some() && !units.is_empty()).then(|| Estimate::new(&filter, units)),
        not_pushed_because: why_not,
        hint,
    }
}

/// The side of an OR for which no other side can be judged by bounds.
fn blocking_side(conjunct: &Expr, table: &TableSchema) -> Option<String> {
    let sides = conjunct.disjuncts();
    let is_open = |side: &&&Expr| !is_judged(&pushdown::filter(side, table));
    let side = sides.iter().find(is_open).filter(|_| sides.len() > 1)?;
    let (text, rewrite) = (side.sql(), how_to_rewrite(side));
    let rewrite = rewrite.map_or_else(String::new, |rewrite| format!("; {rewrite}"));
    Some(format!(
        "bounds rule nothing out: they do not judge a side of the OR, {}{rewrite}",
        bare(&text)
    ))
}

fn judges(
    conjunct: &Expr,
    (kind, judged, computed): (Class, bool, bool),
    filter: &Filter,
    (plan, units): (&ScanPlan, &[Unit]),
) -> Vec<&'static str> {
    if kind == Class::Partition {
        return Vec::from_iter(computed.then_some("directory"));
    }
    let data_columns = plan.table.data_columns();
    let mut out = Vec::new();
    let of_directory = weaken(conjunct, &|index| index >= data_columns);
    if kind == Class::Mixed && of_directory.is_some_and(|part| refusal(&part).is_none()) {
        out.push("directory");
    }
    if judged {
        out.push("row_group_stats");
    }
    let leaves = filter.leaves();
    let any = |test: &dyn Fn(&ChunkMeta) -> bool| {
        let chunks = |leaf: &LeafId| units.iter().filter_map(|unit| chunk(unit, *leaf)).any(test);
        leaves.iter().any(chunks)
    };
    for (judge, asked) in [
        ("page_index", judged && any(&|chunk| chunk.has_index)),
        (
            "bloom",
            judged && asks_for_values(filter) && any(&|chunk| chunk.has_bloom),
        ),
        ("dictionary", computed && of_entries(conjunct, plan, units)),
    ] {
        out.extend(asked.then_some(judge));
    }
    out.extend(computed.then_some("rows"));
    out
}

/// Whether it is computed of the entries of a dictionary: it depends on one leaf alone.
fn of_entries(conjunct: &Expr, plan: &ScanPlan, units: &[Unit]) -> bool {
    let coded = |chunk: &ChunkMeta| chunk.encodings.iter().any(|e| e.contains("DICTIONARY"));
    let columns = conjunct.columns();
    let mut leaves = columns.iter().map(|column| leaf_of(column, &plan.table));
    let Some(Some(leaf)) = leaves.next() else {
        return false;
    };
    conjunct.is_deterministic()
        && leaves.all(|other| other == Some(leaf))
        && units.iter().filter_map(|unit| chunk(unit, leaf)).any(coded)
}

/// Whether it asks for single values, which Bloom filters can tell to be absent.
fn asks_for_values(filter: &Filter) -> bool {
    match filter {
        Filter::Compare { op, .. } => matches!(op, CompareOp::Eq | CompareOp::NotEq),
        Filter::In { .. } | Filter::NullSafeEq { .. } => true,
        Filter::And(all) | Filter::Or(all) => all.iter().any(asks_for_values),
        Filter::Not(inner) => asks_for_values(inner),
        Filter::Case {
            branches,
            otherwise,
        } => {
            let of_branch = |(condition, then)| asks_for_values(condition) || asks_for_values(then);
            branches.iter().map(|(a, b)| (a, b)).any(of_branch) || asks_for_values(otherwise)
        }
        _ => false,
    }
}

/// Why its value is not computed, if it is not.
fn refusal(conjunct: &Expr) -> Option<String> {
    let error = Program::new(conjunct).err()?;
    Some(error.message().to_owned())
}

fn chunk<'a>(unit: &'a Unit, leaf: LeafId) -> Option<&'a ChunkMeta> {
    match unit.sources.get(leaf.index())? {
        LeafSource::File(leaf) => unit.group.chunks.get(leaf.index()),
        _ => None,
    }
}

/// Why Spark does not push it: the first thing that it cannot translate.
fn why_not_pushed(conjunct: &Expr, kind: Class) -> Option<String> {
    match kind {
        Class::Partition => None,
        Class::Constant if conjunct.is_deterministic() => Some("names no column".to_owned()),
        Class::Constant => Some("its value differs in every evaluation".to_owned()),
        Class::Mixed => Some("needs partition columns and stored columns together".to_owned()),
        Class::Data => obstacle(conjunct),
    }
}

fn obstacle(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Column(_) | Expr::Literal(..) => None,
        Expr::And(left, right) => obstacle(left).or_else(|| obstacle(right)),
        Expr::Or(..) => expr.disjuncts().into_iter().find_map(|side| {
            let (why, side) = (obstacle(side)?, side.sql());
            let side = bare(&side);
            Some(format!("a side of the OR cannot be pushed: {side} ({why})"))
        }),
        Expr::Cast { expr, ty, .. } => Some(format!("casts {} to {ty}", name(expr))),
        Expr::Function { name, .. } if name == SUBSCRIPT => {
            Some("looks up an element in every row".to_owned())
        }
        Expr::Field { .. } => Some("reads a field of what is computed for every row".to_owned()),
        Expr::Function { name, .. } => Some(format!("computes {name}() for every row")),
        Expr::Arithmetic { op, .. } => Some(format!("computes {} for every row", op.symbol())),
        Expr::Negate(_) => Some("computes - for every row".to_owned()),
        Expr::Like { .. } => {
            Some("the pattern is more than a plain prefix, suffix or part".to_owned())
        }
        Expr::RLike { .. } => Some("matches a regular expression".to_owned()),
        Expr::If { .. } | Expr::Case { .. } => Some("chooses between values row by row".to_owned()),
        other => {
            let children = other.children();
            let columns = children
                .iter()
                .filter(|e| matches!(e, Expr::Column(_)))
                .count();
            children
                .into_iter()
                .find_map(obstacle)
                .or_else(|| (columns > 1).then(|| "compares two columns".to_owned()))
        }
    }
}

fn name(expr: &Expr) -> String {
    match expr {
        Expr::Column(column) => column.sql(),
        _ => "a value".to_owned(),
    }
}

/// About which share of the values between the outermost bounds a filter wants, were they spread evenly.
fn share_of_values(filter: &Filter, chunks: &[&ChunkMeta]) -> Option<f64> {
    let (op, value) = match filter {
        Filter::In { .. } => return Some(0.0),
        Filter::Compare { op, value, .. } => (*op, number(value)),
        _ => return None,
    };
    if op == CompareOp::Eq {
        return Some(0.0);
    }
    let bounds = |pick: fn(&ChunkMeta) -> &Option<Bound>| {
        let values = chunks.iter().filter_map(move |chunk| pick(chunk).as_ref());
        values.filter_map(|bound| number(&bound.value))
    };
    let min = bounds(|chunk| &chunk.stats.min).reduce(f64::min)?;
    let max = bounds(|chunk| &chunk.stats.max).reduce(f64::max)?;
    let below = ((value? - min) / (max - min)).clamp(0.0, 1.0);
    match op {
        CompareOp::Lt | CompareOp::LtEq => Some(below),
        CompareOp::Gt | CompareOp::GtEq => Some(1.0 - below),
        CompareOp::Eq | CompareOp::NotEq => None,
    }
}

/// What is wrong with the bounds, if they ruled nothing out.
fn help_with_bounds(
    filter: &Filter,
    ruled_out: u64,
    units: &[Unit],
    plan: &ScanPlan,
) -> Option<String> {
    if ruled_out > 0 || units.is_empty() {
        return None;
    }
    let [leaf] = filter.leaves()[..] else {
        return None;
    };
    let column = plan.table.schema.leaves().get(leaf.index())?.0.join(".");
    let chunks: Vec<&ChunkMeta> = units.iter().filter_map(|unit| chunk(unit, leaf)).collect();
    let bounded = |chunk: &&ChunkMeta| chunk.stats.min.is_some() || chunk.stats.all_null();
    if chunks.is_empty() || !matches!(filter, Filter::Compare { .. } | Filter::In { .. }) {
        return None;
    }
    if !chunks.iter().any(bounded) {
        let distrust = chunks.iter().find_map(|chunk| chunk.distrust);
        return Some(match distrust {
            Some(why) => format!("no bounds of {column} are trusted: {why}"),
            None => format!("no bounds: the writer stored none for {column}"),
        });
    }
    if chunks.len() < 2
        || units
            .iter()
            .all(|unit| unit.judge(filter) == Verdict::Always)
    {
        return None;
    }
    let groups = chunks.len();
    let needed = share_of_values(filter, &chunks)? * groups as f64;
    let skipped = 1.0 - needed.ceil().max(1.0) / groups as f64;
    (skipped >= 0.3).then(|| {
        format!(
            "the bounds of {column} rule out none of {groups} row groups{}; sorting by it would let \
             this condition skip about {:.0}%",
            all_span(&chunks),
            skipped * 100.0
        )
    })
}

/// Which values the bounds of every row group span, if they are the same.
fn all_span(chunks: &[&ChunkMeta]) -> String {
    let span = |chunk: &ChunkMeta| {
        Some((
            chunk.stats.min.clone()?.value,
            chunk.stats.max.clone()?.value,
        ))
    };
    let mut spans = chunks.iter().map(|chunk| span(chunk));
    match spans.next().flatten() {
        Some((min, max))
            if spans.all(|other| other.as_ref() == Some(&(min.clone(), max.clone()))) =>
        {
            let text = |value| scalar_spark(value, &LogicalType::String);
            format!(", which all span {} to {}", text(&min), text(&max))
        }
        _ => String::new(),
    }
}
