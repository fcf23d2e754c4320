//! The master test on files of other writers: any condition with skipping on = with skipping off = row by
//! row, by one thread and by several; and over all of them something was skipped.
//!
//! Every flat column of every file is compared with values of its own and with their neighbours, so
//! that conditions fall on the bounds of row groups. Needs `LITH_SHARED`, a directory with `corpus`
//! and `oracle`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

#[path = "support/foreign.rs"]
mod foreign;
#[expect(dead_code, reason = "other tests compare single columns")]
#[path = "support/render.rs"]
mod render;

use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::{ErrorKind, Result};
use lith_format::filter::{CompareOp, Filter};
use lith_format::meta::Format;
use lith_format::scalar::Scalar;
use lith_format::scan::RowPredicate;
use lith_format::schema::{Field, LeafId};
use lith_format::types::LogicalType;
use lith_format::vector::Batch;
use lith_reader::File;
use render::rows;

/// A condition on one top-level column, judged value by value.
#[derive(Clone)]
struct Condition {
    column: [usize; 1],
    op: Option<CompareOp>,
    value: Scalar,
    negated: bool,
}

impl Condition {
    /// SQL's answer; without a comparison it is IS NULL.
    fn evaluate(&self, value: &Scalar) -> Option<bool> {
        let truth = match self.op {
            None => Some(value.is_null()),
            Some(op) => value.compare(&self.value).map(|order| match op {
                CompareOp::Eq => order.is_eq(),
                CompareOp::NotEq => order.is_ne(),
                CompareOp::Lt => order.is_lt(),
                CompareOp::LtEq => order.is_le(),
                CompareOp::Gt => order.is_gt(),
                CompareOp::GtEq => order.is_ge(),
            }),
        };
        truth.map(|truth| truth != self.negated)
    }

    fn filter(&self, leaf: LeafId) -> Filter {
        let filter = match self.op {
            None => Filter::IsNull(leaf),
            Some(op) => Filter::Compare {
                leaf,
                op,
                value: self.value.clone(),
            },
        };
        if self.negated {
            Filter::Not(Box::new(filter))
        } else {
            filter
        }
    }
}

impl RowPredicate for Condition {
    fn columns(&self) -> &[usize] {
        &self.column
    }

    fn evaluate(&self, batch: &Batch) -> Result<Bitmap> {
        let column = &batch.columns[0];
        Ok((0..batch.rows)
            .map(|row| self.evaluate(&column.value(row)) == Some(true))
            .collect())
    }
}

/// All values of a column; `None` where it cannot be read yet or is not to be read.
fn values_of(file: &File, column: usize) -> Option<Vec<Scalar>> {
    let mut out = Vec::new();
    for batch in file.scan().columns([column]).build().unwrap() {
        let batch = match batch {
            Ok(batch) => batch,
            Err(error) => {
                let kind = error.kind();
                assert!(
                    matches!(kind, ErrorKind::Unsupported | ErrorKind::Encrypted),
                    "{error}"
                );
                return None;
            }
        };
        out.extend((0..batch.rows).map(|row| batch.columns[0].value(row)));
    }
    Some(out)
}

/// Conditions around some of the values: the least, the greatest, and every so many.
fn conditions(column: usize, values: &[Scalar]) -> Vec<Condition> {
    let mut sorted: Vec<&Scalar> = values.iter().filter(|value| !value.is_null()).collect();
    sorted.sort_by(|a, b| a.compare(b).unwrap_or(std::cmp::Ordering::Equal));
    let picked = [0, 1, 2].map(|half| sorted.len().saturating_sub(1) * half / 2);
    let literals = picked.iter().filter_map(|&index| sorted.get(index));
    let ops = [
        CompareOp::Eq,
        CompareOp::NotEq,
        CompareOp::Lt,
        CompareOp::LtEq,
        CompareOp::Gt,
        CompareOp::GtEq,
    ];
    let compared = literals.flat_map(|&literal| ops.map(|op| (Some(op), literal.clone())));
    let all = compared.chain([(None, Scalar::Null)]);
    all.flat_map(|(op, value)| {
        [false, true].map(|negated| Condition {
            column: [column],
            op,
            value: value.clone(),
            negated,
        })
    })
    .collect()
}

fn comparable(field: &Field) -> bool {
    use LogicalType as T;
    !field.ty.is_nested() && !matches!(field.ty, T::Interval | T::Geometry | T::Geography | T::Bson)
}

/// What was skipped.
#[derive(Debug, Default)]
struct Skipped {
    row_groups: u64,
    /// Row groups that were not filtered.
    always: u64,
    /// Strides of opened row groups: pages of Parquet, then strides of ORC.
    strides: [u64; 2],
}

fn check_column(file: &File, column: usize, values: &[Scalar], skipped: &mut Skipped) {
    let leaf = file.schema().first_leaf(column);
    for condition in conditions(column, values) {
        let builder = file
            .scan()
            .columns([column])
            .batch_rows(1000)
            .filter(condition.filter(leaf), vec![Arc::new(condition.clone())]);
        let on = builder.clone().build().unwrap();
        let metrics = Arc::clone(on.metrics());
        let on = rows(on).unwrap();
        let off = rows(builder.clone().prune(false).build().unwrap()).unwrap();
        let threads = rows(builder.threads(2).build().unwrap()).unwrap();
        let naive = values
            .iter()
            .filter(|value| condition.evaluate(value) == Some(true))
            .count();
        let place = || format!("{}: {:?}", file.path().display(), condition.filter(leaf));
        assert_eq!(on, off, "{}", place());
        assert_eq!(on, threads, "{}", place());
        assert_eq!(on.len(), naive, "{}", place());
        let groups = file.meta().unwrap().row_groups.len() as u64;
        let seen = metrics.row_groups_pruned.get() + metrics.row_groups_read.get();
        assert!(seen <= groups, "{}", place());
        skipped.row_groups += metrics.row_groups_pruned.get();
        skipped.always += metrics.row_groups_always.get();
        skipped.strides[usize::from(file.format() == Format::Orc)] += metrics.strides_pruned.get();
    }
}

/// Columns looked at per file: the widest have a thousand alike.
const COLUMNS: usize = 12;

#[test]
fn skipping_changes_no_row_of_any_file() {
    let Some(files) = foreign::files(&["corpus/synth", "oracle/spark/datasets"]) else {
        return;
    };
    let (mut columns, mut skipped) = (0, Skipped::default());
    for path in files {
        let file = match lith_reader::open(&path) {
            Ok(file) => file,
            Err(error) => {
                let known = matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Encrypted);
                assert!(known, "{error}");
                continue;
            }
        };
        if file.rows() > 5_000 {
            continue;
        }
        for (column, field) in file.schema().fields.iter().enumerate().take(COLUMNS) {
            if let Some(values) = comparable(field)
                .then(|| values_of(&file, column))
                .flatten()
            {
                check_column(&file, column, &values, &mut skipped);
                columns += 1;
            }
        }
    }
    eprintln!("{columns} columns, {skipped:?}");
    assert!(columns > 100 && skipped.row_groups > 1_000 && skipped.always > 1_000);
    assert!(skipped.strides.iter().all(|&strides| strides > 500));
}
