//! Scans the files of a table: yields the rows that pass as batches, in file order.
//!
//! Each task is a file. Row groups that statistics rule out are skipped, those that they prove to pass are not
//! filtered, and a count of the latter reads no data. Batches are never empty.

use std::sync::Arc;

use lith_format::error::Result;
use lith_format::filter::Filter;
use lith_format::scan::{Output, RowPredicate, ScanTask, TableSchema};
use lith_format::schema::Schema;
use lith_format::vector::Batch;

use crate::column::ReadContext;
use crate::file::File;
use crate::metrics::Metrics;
use crate::parallel::Parallel;
use crate::prune::Kept;
use crate::query::Query;
pub use crate::query::ScanSpec;
use crate::row_filter::RowGroupScan;
use crate::table_file::{TableFile, Task};

/// An iterator of batches. After an error, and after the limit, it ends.
pub struct Scan {
    query: Arc<Query>,
    context: ReadContext,
    work: Work,
    /// Rows still wanted.
    left: u64,
}

enum Work {
    Here(Box<Sequential>),
    Threads(Parallel),
    Over,
}

impl Scan {
    /// Scans the files of `tasks` in this order. Nothing is opened yet, unless by other threads.
    pub fn new(tasks: Vec<ScanTask>, spec: ScanSpec) -> Result<Self> {
        Self::of(
            tasks
                .into_iter()
                .map(|task| Task { task, file: None })
                .collect(),
            spec,
        )
    }

    fn of(tasks: Vec<Task>, spec: ScanSpec) -> Result<Self> {
        let counted = match spec.by_column {
            true => spec.table.schema.fields.len(),
            false => 0,
        };
        let context = ReadContext {
            limits: spec.open.limits,
            columns: (0..counted).map(|_| Arc::default()).collect(),
            ..ReadContext::default()
        };
        let query = Arc::new(Query::new(spec)?);
        let work = if query.spec.threads > 1 && query.spec.limit != Some(0) {
            Work::Threads(Parallel::new(tasks, Arc::clone(&query), &context)?)
        } else {
            Work::Here(Box::new(Sequential {
                tasks: tasks.into_iter(),
                file: None,
                row_group: None,
            }))
        };
        let left = query.spec.limit.unwrap_or(u64::MAX);
        Ok(Scan {
            query,
            context,
            work,
            left,
        })
    }

    /// What the batches hold.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.query.output
    }

    /// What has been read and skipped so far; with [`ScanSpec::by_column`], less what is counted by column.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.context.metrics
    }

    /// What reading each column of the table has cost so far, with the conditions on it alone, if
    /// [`ScanSpec::by_column`] asks for that.
    pub fn column_metrics(&self) -> &[Arc<Metrics>] {
        &self.context.columns
    }
}

impl Iterator for Scan {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            self.work = Work::Over;
        }
        let next = match &mut self.work {
            Work::Here(work) => work.next_batch(self.left, &self.query, &self.context),
            Work::Threads(work) => work.next_batch(),
            Work::Over => Ok(None),
        };
        match next {
            Ok(Some(batch)) => {
                let batch = truncate(batch, self.left);
                self.left -= batch.rows as u64;
                Some(Ok(batch))
            }
            Ok(None) => {
                self.work = Work::Over;
                None
            }
            Err(error) => {
                self.work = Work::Over;
                Some(Err(error))
            }
        }
    }
}

/// The first `rows` rows.
fn truncate(batch: Batch, rows: u64) -> Batch {
    match usize::try_from(rows) {
        Ok(rows) if rows < batch.rows => Batch {
            rows,
            columns: batch
                .columns
                .iter()
                .map(|column| column.slice(0, rows))
                .collect(),
            schema: batch.schema,
        },
        _ => batch,
    }
}

/// One file and row group after the other, on the caller's thread.
struct Sequential {
    tasks: std::vec::IntoIter<Task>,
    file: Option<(Arc<TableFile>, std::vec::IntoIter<Kept>)>,
    row_group: Option<RowGroupScan>,
}

impl Sequential {
    fn next_batch(
        &mut self,
        wanted: u64,
        query: &Arc<Query>,
        context: &ReadContext,
    ) -> Result<Option<Batch>> {
        loop {
            if let Some(row_group) = &mut self.row_group
                && let Some(batch) = row_group.next_batch(wanted)?
            {
                return Ok(Some(batch));
            }
            self.row_group = None;
            if let Some((file, kept)) = &mut self.file
                && let Some(kept) = kept.next()
            {
                let scan = RowGroupScan::new(Arc::clone(file), kept, context.clone())?;
                self.row_group = Some(scan);
                continue;
            }
            let Some(task) = self.tasks.next() else {
                return Ok(None);
            };
            let (file, kept) = task.begin(query, &context.metrics)?;
            self.file = Some((file, kept.into_iter()));
        }
    }
}

impl File {
    /// Begins a scan of this file alone.
    pub fn scan(&self) -> ScanBuilder {
        let table = TableSchema::of_file(Arc::new(self.schema().clone()));
        ScanBuilder {
            file: self.clone(),
            spec: ScanSpec::new(table),
        }
    }
}

/// Builds a scan of one file: of all columns and rows by default.
#[derive(Clone)]
pub struct ScanBuilder {
    file: File,
    spec: ScanSpec,
}

impl ScanBuilder {
    /// Reads only these top-level columns, in this order.
    pub fn columns(mut self, columns: impl Into<Vec<usize>>) -> Self {
        self.spec.columns = columns.into().into_iter().map(Output::from).collect();
        self
    }

    /// Keeps the rows that pass `predicates`, whose meaning `filter` gives for metadata to judge: see
    /// [`ScanSpec::filter`].
    pub fn filter(mut self, filter: Filter, predicates: Vec<Arc<dyn RowPredicate>>) -> Self {
        self.spec.filter = filter;
        self.spec.predicates = predicates;
        self
    }

    /// Decodes this many rows at a time.
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.spec.batch_rows = rows;
        self
    }

    /// Stops after this many rows.
    pub fn limit(mut self, rows: u64) -> Self {
        self.spec.limit = Some(rows);
        self
    }

    /// Whether to skip by metadata.
    pub fn prune(mut self, prune: bool) -> Self {
        self.spec.prune = prune;
        self
    }

    /// Reads with this many threads.
    pub fn threads(mut self, threads: usize) -> Self {
        self.spec.threads = threads;
        self
    }

    /// Starts the scan.
    pub fn build(mut self) -> Result<Scan> {
        self.spec.open.limits = self.file.limits();
        let task = ScanTask {
            path: self.file.path().to_owned(),
            bytes: self.file.size(),
            partition: Vec::new(),
            row_groups: None,
            rows: None,
        };
        Scan::of(
            vec![Task {
                task,
                file: Some(self.file),
            }],
            self.spec,
        )
    }
}

#[cfg(test)]
mod tests;
