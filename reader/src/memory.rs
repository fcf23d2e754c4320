//! For tests: a file made of vectors in memory, with true statistics, and predicates evaluated row by row, which
//! every other way of scanning must agree with.

use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};
use lith_format::filter::{CompareOp, Filter};
use lith_format::meta::{ChunkMeta, FileMeta, Format, RowGroupMeta};
use lith_format::scalar::Scalar;
use lith_format::scan::RowPredicate;
use lith_format::schema::{Field, LeafId, Schema};
use lith_format::stats::{Bound, ColumnStats};
use lith_format::vector::{Batch, Vector};

use crate::column::{Bloom, ColumnReader, ReadContext, Stride};
use crate::metrics::Metrics;
use crate::selection::Selection;

/// Flat columns in row groups.
pub(crate) struct MemoryFile {
    pub(crate) meta: FileMeta,
    /// How many rows the first column returns at a time; the second returns one more, and so on.
    pub(crate) batch_rows: usize,
    /// By row group, then column.
    columns: Vec<Vec<Vector>>,
}

impl MemoryFile {
    /// Row groups of rows of scalars.
    pub(crate) fn new(fields: Vec<Field>, row_groups: &[Vec<Vec<Scalar>>]) -> Self {
        let column = |rows: &[Vec<Scalar>], index: usize| -> Vec<Scalar> {
            rows.iter().map(|row| row[index].clone()).collect()
        };
        let columns = row_groups.iter().map(|rows| {
            let fields = fields.iter().enumerate();
            fields
                .map(|(index, field)| {
                    Vector::from_scalars(field.ty.clone(), &column(rows, index)).unwrap()
                })
                .collect()
        });
        let chunk = |rows: &[Vec<Scalar>], index| ChunkMeta {
            stats: stats_of(&column(rows, index)),
            ..ChunkMeta::default()
        };
        let meta = FileMeta {
            format: Format::Parquet,
            version: String::new(),
            created_by: None,
            rows: row_groups.iter().map(|rows| rows.len() as u64).sum(),
            row_groups: (row_groups.iter())
                .map(|rows| RowGroupMeta {
                    rows: rows.len() as u64,
                    range: 0..0,
                    chunks: (0..fields.len()).map(|index| chunk(rows, index)).collect(),
                    leafless: Vec::new(),
                })
                .collect(),
            key_values: Vec::new(),
            footer_bytes: 0,
            schema: Schema::new(fields.clone()),
        };
        MemoryFile {
            batch_rows: usize::MAX / 2,
            columns: columns.collect(),
            meta,
        }
    }

    pub(crate) fn strides(&self, row_group: usize, leaf: LeafId) -> Vec<Stride> {
        let vector = &self.columns[row_group][leaf.index()];
        let starts = (0..vector.len).step_by(stride_rows(leaf.index()));
        let stride = |start: usize| {
            let rows = start..vector.len.min(start + stride_rows(leaf.index()));
            let values: Vec<Scalar> = rows.clone().map(|row| vector.value(row)).collect();
            Stride {
                rows: rows.start as u64..rows.end as u64,
                stats: stats_of(&values),
            }
        };
        starts.map(stride).collect()
    }

    /// A filter for the first half of the rows, which knows every value.
    pub(crate) fn blooms(&self, row_group: usize, leaf: LeafId) -> Vec<Bloom> {
        let vector = &self.columns[row_group][leaf.index()];
        let rows = 0..vector.len / 2;
        let values: Vec<Scalar> = rows.clone().map(|row| vector.value(row)).collect();
        let is = |a: &Scalar, b: &Scalar| a.compare(b).is_some_and(|order| order.is_eq());
        vec![Bloom {
            rows: 0..rows.end as u64,
            lacks: Box::new(move |value| !values.iter().any(|held| is(held, value))),
        }]
    }

    pub(crate) fn column(
        &self,
        row_group: usize,
        column: usize,
        context: &ReadContext,
    ) -> Box<dyn ColumnReader> {
        Box::new(MemoryColumn {
            vector: self.columns[row_group][column].clone(),
            position: 0,
            batch_rows: self.batch_rows + column,
            rest: None,
            metrics: Arc::clone(&context.metrics),
        })
    }
}

/// The rows of a stride of a column, different for each column.
fn stride_rows(column: usize) -> usize {
    3 + 2 * column
}

struct MemoryColumn {
    vector: Vector,
    position: usize,
    batch_rows: usize,
    /// What must be read next.
    rest: Option<Selection>,
    metrics: Arc<Metrics>,
}

impl ColumnReader for MemoryColumn {
    fn read(&mut self, selection: &Selection) -> Result<Vector> {
        let start = self.position;
        self.position += selection.rows();
        if self.position > self.vector.len {
            return Err(Error::corrupt("read past the end"));
        }
        self.metrics.values_decoded.add(selection.selected() as u64);
        let rows = selection.runs().iter().cloned().flatten();
        let slots: Vec<u32> = rows.map(|row| (start + row) as u32).collect();
        Ok(self.vector.take(&slots))
    }

    fn read_some(&mut self, selection: &Selection) -> Result<(usize, Vector)> {
        if let Some(rest) = self.rest.take() {
            assert_eq!(rest, *selection, "other rows than those that were left");
        }
        let rows = selection.rows();
        let end = selection.row(self.batch_rows).unwrap_or(rows);
        self.rest = (end < rows).then(|| selection.part(end..rows));
        Ok((end, self.read(&selection.part(0..end))?))
    }
}

fn stats_of(column: &[Scalar]) -> ColumnStats {
    let count =
        |test: fn(&Scalar) -> bool| Some(column.iter().filter(|value| test(value)).count() as u64);
    let mut values: Vec<&Scalar> = column
        .iter()
        .filter(|value| !value.is_null() && !value.is_nan())
        .collect();
    values.sort_by(|a, b| a.compare(b).unwrap());
    let bound = |value: Option<&&Scalar>| {
        value.map(|&value| Bound {
            value: value.clone(),
            exact: true,
        })
    };
    ColumnStats {
        min: bound(values.first()),
        max: bound(values.last()),
        null_count: count(Scalar::is_null),
        nan_count: count(Scalar::is_nan),
        distinct_count: None,
        value_count: Some(column.len() as u64),
    }
}

/// A predicate that means what a filter means, over flat columns.
pub(crate) fn naive(filter: Filter) -> Arc<dyn RowPredicate> {
    let mut columns = Vec::new();
    leaves(&filter, &mut columns);
    columns.sort_unstable();
    columns.dedup();
    Arc::new(Naive { filter, columns })
}

struct Naive {
    filter: Filter,
    columns: Vec<usize>,
}

impl RowPredicate for Naive {
    fn columns(&self) -> &[usize] {
        &self.columns
    }

    fn evaluate(&self, batch: &Batch) -> Result<Bitmap> {
        let truth = |row: usize| {
            let value = |leaf: LeafId| {
                let place = self
                    .columns
                    .iter()
                    .position(|&column| column == leaf.index())
                    .unwrap();
                batch.columns[place].value(row)
            };
            evaluate(&self.filter, &value) == Some(true)
        };
        Ok((0..batch.rows).map(truth).collect())
    }
}

fn leaves(filter: &Filter, out: &mut Vec<usize>) {
    match filter {
        Filter::Compare { leaf, .. } | Filter::IsNull(leaf) => out.push(leaf.index()),
        Filter::And(all) | Filter::Or(all) => all.iter().for_each(|one| leaves(one, out)),
        Filter::Not(one) => leaves(one, out),
        _ => {}
    }
}

/// SQL's answer for a row whose values `value` knows.
pub(crate) fn evaluate(filter: &Filter, value: &dyn Fn(LeafId) -> Scalar) -> Option<bool> {
    let inner = |one: &Filter| evaluate(one, value);
    match filter {
        Filter::Constant(truth) => *truth,
        Filter::Compare {
            leaf,
            op,
            value: literal,
        } => value(*leaf).compare(literal).map(|order| match op {
            CompareOp::Eq => order.is_eq(),
            CompareOp::NotEq => order.is_ne(),
            CompareOp::Lt => order.is_lt(),
            CompareOp::LtEq => order.is_le(),
            CompareOp::Gt => order.is_gt(),
            CompareOp::GtEq => order.is_ge(),
        }),
        Filter::IsNull(leaf) => Some(value(*leaf).is_null()),
        Filter::And(all) if all.iter().any(|one| inner(one) == Some(false)) => Some(false),
        Filter::And(all) => all
            .iter()
            .all(|one| inner(one) == Some(true))
            .then_some(true),
        Filter::Or(all) if all.iter().any(|one| inner(one) == Some(true)) => Some(true),
        Filter::Or(all) => all
            .iter()
            .all(|one| inner(one) == Some(false))
            .then_some(false),
        Filter::Not(one) => inner(one).map(|truth| !truth),
        _ => panic!("not for these tests: {filter:?}"),
    }
}
