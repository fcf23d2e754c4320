//! Sorts conjuncts by who can judge them, as Spark's file scan does.
//!
//! ```text
//! conjunct refers to          PartitionFilters      DataFilters       after the scan
//! only partition columns      itself                                  (known already)
//! only data columns                                 itself            itself
//! both                        its weakening to      its weakening     itself
//!                             partition columns     to data columns
//! none, or it is random                                               itself
//! ```
//!
//! The *weakening* of a conjunct to some columns is what it still demands if all else is taken as true:
//! of an AND the parts that survive, of an OR both or nothing, of anything else the whole or nothing.

use std::sync::Arc;

use lith_format::filter::CompareOp;
use lith_format::scalar::Scalar;
use lith_format::scan::TableSchema;
use lith_format::schema::Field;

use crate::expr::Expr;
use crate::normalize::shape::{ExprSet, rewrite};

/// What kind of columns a conjunct needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Only partition columns: decided by the directory's name.
    Partition,
    /// Only columns in files.
    Data,
    /// Both kinds.
    Mixed,
    /// None, or its value differs in every evaluation.
    Constant,
}

/// Conjuncts by who can judge them. Names are spelled as in the table, except in `post_filter`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Classes {
    /// Decide which directories are read.
    pub partition_filters: Vec<Expr>,
    /// May be judged by what files say of their columns.
    pub data_filters: Vec<Expr>,
    /// Evaluated on every remaining row, as written.
    pub post_filter: Vec<Expr>,
}

impl Classes {
    /// The condition after the scan as Spark prints it: the conjuncts joined from the left.
    pub fn post_filter_spark(&self) -> Option<String> {
        let (first, rest) = self.post_filter.split_first()?;
        let mut text = "(".repeat(rest.len()) + &first.spark();
        for conjunct in rest {
            text.extend([" AND ", &conjunct.spark(), ")"]);
        }
        Some(text)
    }
}

/// The class of one conjunct.
pub fn class_of(conjunct: &Expr, table: &TableSchema) -> Class {
    let columns = conjunct.column_indices();
    let is_partition = |index: &usize| *index >= table.data_columns();
    if columns.is_empty() || !conjunct.is_deterministic() {
        Class::Constant
    } else if columns.iter().all(is_partition) {
        Class::Partition
    } else if columns.iter().any(is_partition) {
        Class::Mixed
    } else {
        Class::Data
    }
}

/// Sorts all conjuncts.
pub fn classify(conjuncts: &[Expr], table: &TableSchema) -> Classes {
    let in_data = |index: usize| index < table.data_columns();
    let mut partition = Vec::new();
    let mut data_filters = Vec::new();
    for conjunct in conjuncts {
        let spelled = spell_as_table(conjunct.clone(), table);
        match class_of(conjunct, table) {
            Class::Partition => partition.push(spelled),
            Class::Data => data_filters.push(spelled),
            Class::Mixed => {
                partition.extend(weaken(&spelled, &|index| !in_data(index)));
                data_filters.extend(weaken(&spelled, &in_data));
            }
            Class::Constant => {}
        }
    }
    let fields: Vec<Expr> = data_filters.iter().flat_map(field_by_field).collect();
    data_filters.extend(fields);
    let mut seen = ExprSet::default();
    let partition_filters: Vec<Expr> = partition
        .iter()
        .filter(|e| seen.insert(e))
        .cloned()
        .collect();
    let decided: ExprSet = partition_filters.iter().collect();
    let post_filter = conjuncts
        .iter()
        .filter(|e| !decided.contains(e))
        .cloned()
        .collect();
    Classes {
        partition_filters,
        data_filters,
        post_filter,
    }
}

/// A struct that equals a literal does so in every field, which can be judged where structs cannot.
fn field_by_field(conjunct: &Expr) -> Vec<Expr> {
    let Expr::Compare {
        op: CompareOp::Eq,
        left,
        right,
    } = conjunct
    else {
        return Vec::new();
    };
    let (Expr::Column(column), Expr::Literal(Scalar::Struct(values), ty)) = (&**left, &**right)
    else {
        return Vec::new();
    };
    let fields = ty.fields().iter().zip(values).enumerate();
    let equal = |(index, (field, (_, value))): (usize, (&Field, &(Arc<str>, Scalar)))| {
        let mut part = column.clone();
        part.path.push(field.name.clone());
        if let Some(bound) = &mut part.bound {
            bound.fields.push(index);
            bound.ty = field.ty.clone();
        }
        let value = Expr::Literal(value.clone(), field.ty.clone());
        let equal = Expr::compare(Expr::Column(part), CompareOp::Eq, value);
        match field_by_field(&equal) {
            parts if parts.is_empty() => vec![equal],
            parts => parts,
        }
    };
    fields.flat_map(equal).collect()
}

/// What the condition still demands of columns that are `wanted`.
pub(crate) fn weaken(expr: &Expr, wanted: &dyn Fn(usize) -> bool) -> Option<Expr> {
    match expr {
        Expr::And(left, right) => match (weaken(left, wanted), weaken(right, wanted)) {
            (Some(left), Some(right)) => Some(left.and(right)),
            (left, right) => left.or(right),
        },
        Expr::Or(left, right) => Some(weaken(left, wanted)?.or(weaken(right, wanted)?)),
        other => {
            let all_wanted = other.column_indices().into_iter().all(wanted);
            all_wanted.then(|| other.clone())
        }
    }
}

/// Top-level names in the table's spelling; fields keep the user's.
fn spell_as_table(expr: Expr, table: &TableSchema) -> Expr {
    rewrite(expr, &mut |e| match e {
        Expr::Column(mut column) => {
            let field = column
                .index()
                .and_then(|index| table.schema.fields.get(index));
            if let (Some(field), Some(name)) = (field, column.path.first_mut()) {
                name.clone_from(&field.name);
            }
            Expr::Column(column)
        }
        other => other,
    })
}
