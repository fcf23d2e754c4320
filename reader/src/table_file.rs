//! A file as part of a table: where each of the table's columns comes from in it.

use std::ops::Range;
use std::sync::Arc;

use lith_format::bind::{self, ColumnSource, LeafSource};
use lith_format::error::{Error, Result};
use lith_format::scalar::Scalar;
use lith_format::scan::ScanTask;

use crate::adapt::Adapter;
use crate::file::File;
use crate::part::Part;
use crate::query::Query;
use crate::selection::Selection;

/// A file to scan, perhaps open already.
pub(crate) struct Task {
    pub(crate) task: ScanTask,
    pub(crate) file: Option<File>,
}

impl Task {
    pub(crate) fn open(self, query: &Arc<Query>) -> Result<TableFile> {
        let file = match self.file {
            Some(file) => file,
            None => query.spec.open.open(&self.task.path)?,
        };
        TableFile::new(file, self.task, Arc::clone(query))
    }
}

/// Where a column of the table comes from.
pub(crate) enum Origin {
    /// A column of the file, as far as the table has it and as the table has it.
    File {
        column: usize,
        part: Part,
        adapter: Adapter,
    },
    /// The same value in every row: a partition column, or null where the file lacks the column.
    Constant(Scalar),
    /// Nothing asks for it.
    Unused,
}

/// One file of a scan, bound to the table.
pub(crate) struct TableFile {
    pub(crate) file: File,
    pub(crate) query: Arc<Query>,
    /// One a column of the table.
    pub(crate) origins: Vec<Origin>,
    /// One a leaf of the table.
    pub(crate) leaves: Vec<LeafSource>,
    /// Values of the partition columns.
    pub(crate) partition: Vec<Scalar>,
    /// The row groups to consider.
    pub(crate) row_groups: Vec<usize>,
    /// One a row group of the file: which rows to consider. Without it, all.
    pub(crate) picked: Option<Vec<Selection>>,
}

impl TableFile {
    pub(crate) fn new(file: File, task: ScanTask, query: Arc<Query>) -> Result<Self> {
        let path = file.path().to_owned();
        Self::bind(file, task, query).map_err(|error| error.at_path(path))
    }

    fn bind(file: File, task: ScanTask, query: Arc<Query>) -> Result<Self> {
        let table = &query.spec.table;
        if task.partition.len() != table.partition_columns {
            return Err(Error::invalid(format!(
                "{} partition values for {} partition columns",
                task.partition.len(),
                table.partition_columns
            )));
        }
        let all = 0..file.row_groups();
        let row_groups = task.row_groups.unwrap_or_else(|| all.clone().collect());
        if let Some(absent) = row_groups.iter().find(|row_group| !all.contains(row_group)) {
            return Err(Error::invalid(format!(
                "row group {absent} of {}",
                all.len()
            )));
        }
        let picked = task.rows.map(|runs| pick(&file, &runs)).transpose()?;
        let row_groups = match &picked {
            Some(picked) => (row_groups.into_iter())
                .filter(|&row_group| !picked[row_group].is_none())
                .collect(),
            None => row_groups,
        };
        let sources = bind::bind_columns(table, file.schema())?;
        let origins = sources.iter().enumerate().map(|(index, source)| {
            if !query.uses(index) {
                return Ok(Origin::Unused);
            }
            Ok(match *source {
                ColumnSource::Missing => Origin::Constant(Scalar::Null),
                ColumnSource::Partition(number) => Origin::Constant(task.partition[number].clone()),
                ColumnSource::File(column) => {
                    let (wanted, held) =
                        (&table.schema.fields[index], &file.schema().fields[column]);
                    let from_file = || {
                        let part = Part::of(held, &wanted.ty)?;
                        Ok(Origin::File {
                            column,
                            adapter: Adapter::new(&wanted.ty, &part.field.ty)?,
                            part,
                        })
                    };
                    from_file()
                        .map_err(|error| name_model(error, &query).at_column(&wanted.name))?
                }
            })
        });
        Ok(TableFile {
            origins: origins.collect::<Result<_>>()?,
            leaves: bind::bind(table, file.schema())?,
            partition: task.partition,
            row_groups,
            picked,
            file,
            query,
        })
    }
}

/// A type that does not go with the table's is an error about two files.
fn name_model(error: Error, query: &Query) -> Error {
    match &query.spec.model {
        Some(model) => error.noting(&format!(
            "the table's columns are those of {}",
            model.display()
        )),
        None => error,
    }
}

/// The runs of rows of a file, row group by row group.
fn pick(file: &File, runs: &[Range<u64>]) -> Result<Vec<Selection>> {
    let ascend = runs.windows(2).all(|pair| pair[0].end <= pair[1].start);
    let whole = runs.iter().all(|run| run.start < run.end);
    if !ascend || !whole || runs.last().is_some_and(|run| run.end > file.rows()) {
        let message = format!("runs of rows that are none of the {} rows", file.rows());
        return Err(Error::invalid(message));
    }
    let (mut first, mut rest) = (0, runs);
    let mut out = Vec::with_capacity(file.row_groups());
    for row_group in 0..file.row_groups() {
        let rows = file.rows_of(row_group);
        let end = rows.saturating_add(first);
        rest = &rest[rest.partition_point(|run| run.end <= first)..];
        let mut within: Vec<Range<usize>> = Vec::new();
        for run in rest.iter().take_while(|run| run.start < end) {
            let place = |row: u64| usize::try_from(row.clamp(first, end) - first);
            match (within.last_mut(), place(run.start), place(run.end)) {
                (Some(last), Ok(start), Ok(end)) if last.end == start => last.end = end,
                (_, Ok(start), Ok(end)) => within.push(start..end),
                _ => return Err(Error::limit(format!("row group of {rows} rows"))),
            }
        }
        let rows =
            usize::try_from(rows).map_err(|_| Error::limit(format!("row group of {rows} rows")))?;
        out.push(Selection::from_runs(rows, within));
        first = end;
    }
    Ok(out)
}
