//! What a scan is asked for, checked once.

use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::filter::Filter;
use lith_format::scan::{RowPredicate, TableSchema};
use lith_format::schema::Schema;

use crate::file::OpenOptions;

/// What to read of a table, and how.
#[derive(Clone)]
pub struct ScanSpec {
    /// The table. Its files may order, spell and type columns a little differently.
    pub table: TableSchema,
    /// The wanted top-level columns of the table, in this order; none is a mere count.
    pub columns: Vec<usize>,
    /// What `predicates` together mean, as far as metadata can judge it, with [`Filter::Opaque`] or
    /// [`Filter::Fallible`] in the place of what it cannot. Row groups that it proves false of every row
    /// are skipped, and those that it proves true of every row are not filtered: so it must not leave
    /// anything out.
    pub filter: Filter,
    /// Conditions that rows must all pass, asked in this order.
    pub predicates: Vec<Arc<dyn RowPredicate>>,
    /// How many rows to decode at a time.
    pub batch_rows: usize,
    /// Stop after so many rows.
    pub limit: Option<u64>,
    /// Whether to judge metadata at all.
    pub prune: bool,
    /// How many threads read; with one, the caller's own does.
    pub threads: usize,
    /// How to open files.
    pub open: OpenOptions,
}

impl ScanSpec {
    /// All columns and rows of `table`, read by the calling thread.
    pub fn new(table: TableSchema) -> Self {
        ScanSpec {
            columns: (0..table.schema.fields.len()).collect(),
            table,
            filter: Filter::Constant(Some(true)),
            predicates: Vec::new(),
            batch_rows: 8192,
            limit: None,
            prune: true,
            threads: 1,
            open: OpenOptions::default(),
        }
    }
}

/// A checked [`ScanSpec`] with the schemas of the batches that come of it.
pub(crate) struct Query {
    pub(crate) spec: ScanSpec,
    pub(crate) output: Arc<Schema>,
    /// What each predicate is given.
    pub(crate) inputs: Vec<Arc<Schema>>,
}

impl Query {
    pub(crate) fn new(spec: ScanSpec) -> Result<Self> {
        let fields = spec.table.schema.fields.len();
        if spec.table.partition_columns > fields {
            return Err(Error::invalid("more partition columns than columns"));
        }
        if spec.batch_rows == 0 {
            return Err(Error::invalid("batches of no rows"));
        }
        let ascending = |columns: &[usize]| columns.windows(2).all(|pair| pair[0] < pair[1]);
        if !spec
            .predicates
            .iter()
            .all(|predicate| ascending(predicate.columns()))
        {
            return Err(Error::invalid("a predicate's columns are not ascending"));
        }
        let project = |columns: &[usize]| {
            let field = |&column: &usize| {
                let field = spec.table.schema.fields.get(column).cloned();
                field.ok_or_else(|| Error::invalid(format!("column {column} of {fields}")))
            };
            Ok(Arc::new(Schema::new(
                columns.iter().map(field).collect::<Result<_>>()?,
            )))
        };
        Ok(Query {
            output: project(&spec.columns)?,
            inputs: (spec.predicates.iter())
                .map(|predicate| project(predicate.columns()))
                .collect::<Result<_>>()?,
            spec,
        })
    }

    /// Whether anything reads this column of the table.
    pub(crate) fn uses(&self, column: usize) -> bool {
        self.uses_after(column, 0)
    }

    /// Whether the output or one of the predicates from number `predicate` on reads this column.
    pub(crate) fn uses_after(&self, column: usize, predicate: usize) -> bool {
        let later = self.spec.predicates.iter().skip(predicate);
        self.spec.columns.contains(&column)
            || later
                .map(|later| later.columns())
                .any(|columns| columns.contains(&column))
    }
}
