//! Scans one row group: filters rows column by column, and decodes other columns for the remaining rows only.
//!
//! ```text
//! window of rows -> columns of predicate 1 -> mask -> narrower selection
//!                -> columns of predicate 2, only rows still selected -> ..
//!                -> output columns, only rows that passed all
//! ```
//! A column that was decoded for a predicate is not decoded again for the output. A column is opened by the first
//! window that needs it, and skips the rows of windows that did not need it when it is read next. If a column
//! returns fewer rows than the window has, the window is split, and its rest is the next window.

use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};
use lith_format::meta::Format;
use lith_format::vector::{Batch, Vector};

use crate::adapt::Adapted;
use crate::column::{ColumnReader, ReadContext};
use crate::metrics::{Stage, Timer};
use crate::prune::Kept;
use crate::selection::Selection;
use crate::table_file::{Origin, TableFile, name_model};

/// Reads one row group, window by window.
pub(crate) struct RowGroupScan {
    file: Arc<TableFile>,
    row_group: usize,
    filtered: bool,
    context: ReadContext,
    /// One for each column of the table, opened when a window first needs it.
    open: Vec<Option<OpenColumn>>,
    /// The rows that may pass.
    selection: Selection,
    batch_rows: usize,
    position: usize,
    /// The rests of windows that were split; the last one is next.
    rest: Vec<Window>,
}

struct OpenColumn {
    reader: Box<dyn ColumnReader>,
    /// Rows read or skipped so far.
    position: usize,
    adapted: Adapted,
}

/// The rows of one batch, of which those that pass are returned.
struct Window {
    /// The first row, from the start of the row group.
    start: usize,
    /// The rows that have passed so far.
    selection: Selection,
    /// How many predicates have been evaluated.
    evaluated: usize,
    /// Columns of the table by number, each with the vector of the selected rows.
    decoded: Vec<(usize, Vector)>,
}

impl Window {
    /// Keeps the first `rows` rows, and returns the others.
    fn split_off(&mut self, rows: usize) -> Window {
        let rest = self.selection.part(rows..self.selection.rows());
        self.selection = self.selection.part(0..rows);
        let (kept, left) = (self.selection.selected(), rest.selected());
        let decoded = self.decoded.iter_mut().map(|(column, vector)| {
            let rest = vector.slice(kept, left);
            *vector = vector.slice(0, kept);
            (*column, rest)
        });
        Window {
            start: self.start + rows,
            decoded: decoded.collect(),
            selection: rest,
            evaluated: self.evaluated,
        }
    }

    /// Keeps the selected rows whose bit in the mask is set.
    fn narrow(&mut self, mask: &Bitmap, context: &ReadContext) {
        if mask.all() {
            return;
        }
        let timer = Timer::start();
        if !self.decoded.is_empty() {
            let slots: Vec<u32> = mask.ones().map(|slot| slot as u32).collect();
            for (column, vector) in &mut self.decoded {
                let timer = Timer::start();
                *vector = vector.take(&slots);
                timer.stop(context.metrics_of(*column), Stage::Gather);
            }
        }
        self.selection = self.selection.narrow(mask);
        timer.stop(&context.metrics, Stage::Gather);
    }
}

impl RowGroupScan {
    pub(crate) fn new(file: Arc<TableFile>, kept: Kept, context: ReadContext) -> Result<Self> {
        let timer = Timer::start();
        let rows = file.file.rows_of(kept.row_group);
        let rows =
            usize::try_from(rows).map_err(|_| Error::limit(format!("row group of {rows} rows")))?;
        let filtered = kept.filtered && !file.query.spec.predicates.is_empty();
        let mut selection = match &file.picked {
            Some(picked) => picked[kept.row_group].clone(),
            None => Selection::all(rows),
        };
        if filtered {
            selection = selection.and(&file.candidates(kept.row_group, rows, &context.metrics));
        }
        timer.stop(&context.metrics, Stage::Open);
        let context = ReadContext {
            seeks: filtered || file.picked.is_some(),
            ..context
        };
        Ok(RowGroupScan {
            filtered,
            open: file.origins.iter().map(|_| None).collect(),
            batch_rows: file.batch_rows(kept.row_group),
            row_group: kept.row_group,
            position: 0,
            rest: Vec::new(),
            context,
            file,
            selection,
        })
    }

    /// The next batch that holds any row; at most `wanted` rows are needed of it.
    pub(crate) fn next_batch(&mut self, wanted: u64) -> Result<Option<Batch>> {
        if self.filtered && self.position == 0 {
            self.judge_at_once().map_err(|error| self.locate(error))?;
        }
        while let Some(window) = self.next_window(wanted) {
            let batch = self.window(window).map_err(|error| self.locate(error))?;
            if batch.rows > 0 {
                self.context.metrics.rows_selected.add(batch.rows as u64);
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn locate(&self, error: Error) -> Error {
        let error = match self.file.file.format() {
            Format::Parquet => error.at_row_group(self.row_group),
            Format::Orc => error.at_stripe(self.row_group),
        };
        error.at_path(self.file.file.path())
    }

    /// Filters all rows by one of them, if all are the same to the predicates and nothing is stored for them: a file
    /// can claim any number of such rows.
    fn judge_at_once(&mut self) -> Result<()> {
        let query = Arc::clone(&self.file.query);
        let mut row = Window {
            start: 0,
            selection: Selection::all(1),
            evaluated: 0,
            decoded: Vec::new(),
        };
        let predicates = query.spec.predicates.iter();
        for &column in predicates.flat_map(|predicate| predicate.columns()) {
            if row.decoded.iter().any(|(known, _)| *known == column) {
                continue;
            }
            match self.constant(column)? {
                Some(vector) => row.decoded.push((column, vector)),
                None => return Ok(()),
            }
        }
        self.filter(&mut row)?;
        self.filtered = false;
        if row.selection.is_none() {
            self.selection = Selection::none(self.selection.rows());
        }
        Ok(())
    }

    /// What a column of the table holds in every row, if nothing is stored for it.
    fn constant(&mut self, column: usize) -> Result<Option<Vector>> {
        if let Some(vector) = self.not_in_file(column, 1) {
            return Ok(Some(vector));
        }
        match self.opened(column)?.reader.constant()? {
            Some(vector) => self.adapt(column, vector).map(Some),
            None => Ok(None),
        }
    }

    /// So many rows of a column that is no column of the file, but the same in all of its rows; `None` of others.
    fn not_in_file(&self, column: usize, rows: usize) -> Option<Vector> {
        let Origin::Constant(value) = &self.file.origins[column] else {
            return None;
        };
        let field = &self.file.query.spec.table.schema.fields[column];
        Some(Vector::constant(field.ty.clone(), value.clone(), rows))
    }

    /// What the reader of a column returned, in the type that the table has for it.
    fn adapt(&mut self, column: usize, vector: Vector) -> Result<Vector> {
        let (Origin::File { adapter, .. }, Some(open)) =
            (&self.file.origins[column], &mut self.open[column])
        else {
            return Err(unused());
        };
        if adapter.keeps_all() {
            return Ok(vector);
        }
        let timer = Timer::start();
        let adapted = adapter.apply(vector, &mut open.adapted);
        timer.stop(self.context.metrics_of(column), Stage::Gather);
        adapted.map_err(|error| {
            let field = &self.file.query.spec.table.schema.fields[column];
            name_model(error, &self.file.query).at_column(&field.name)
        })
    }

    /// The reader of a column of the file, opened when it is first asked for.
    fn opened(&mut self, column: usize) -> Result<&mut OpenColumn> {
        let Origin::File {
            column: in_file,
            part,
            ..
        } = &self.file.origins[column]
        else {
            return Err(unused());
        };
        match &mut self.open[column] {
            Some(open) => Ok(open),
            closed => {
                let timer = Timer::start();
                let file = &self.file.file;
                let context = self.context.of_column(column);
                let reader = file.part(self.row_group, *in_file, part, &context)?;
                timer.stop(&context.metrics, Stage::Open);
                Ok(closed.insert(OpenColumn {
                    reader,
                    position: 0,
                    adapted: None,
                }))
            }
        }
    }

    fn next_window(&mut self, wanted: u64) -> Option<Window> {
        if let Some(rest) = self.rest.pop() {
            return Some(rest);
        }
        let runs = self.selection.runs();
        let next = runs.get(runs.partition_point(|run| run.end <= self.position))?;
        if self.position == 0 {
            let rows = self.selection.selected() as u64;
            self.context.metrics.row_groups_read.add(1);
            self.context.metrics.rows_read.add(rows);
        }
        let start = self.position.max(next.start);
        self.position = start;
        self.position += self.window_rows(wanted);
        let selection = self.selection.part(start..self.position);
        Some(Window {
            start,
            selection,
            evaluated: 0,
            decoded: Vec::new(),
        })
    }

    fn window_rows(&self, wanted: u64) -> usize {
        let left = self.selection.rows() - self.position;
        let spec = &self.file.query.spec;
        match self.filtered || self.file.picked.is_some() {
            true => left.min(self.batch_rows),
            false if spec.columns.is_empty() => left,
            false => left
                .min(self.batch_rows)
                .min(usize::try_from(wanted).unwrap_or(usize::MAX)),
        }
    }

    /// The rows of a window that pass, perhaps none.
    fn window(&mut self, mut window: Window) -> Result<Batch> {
        self.filter(&mut window)?;
        let query = Arc::clone(&self.file.query);
        let columns = if window.selection.is_none() || query.distinct.is_empty() {
            Vec::new()
        } else {
            let distinct = self.collect(&query.distinct, &mut window)?;
            let timer = Timer::start();
            let columns = query.repeat(distinct)?;
            timer.stop(&self.context.metrics, Stage::Gather);
            columns
        };
        Ok(Batch {
            schema: Arc::clone(&query.output),
            rows: window.selection.selected(),
            columns,
        })
    }

    /// Keeps the rows of a window that pass all predicates.
    fn filter(&mut self, window: &mut Window) -> Result<()> {
        let query = Arc::clone(&self.file.query);
        let predicates = if self.filtered {
            query.spec.predicates.as_slice()
        } else {
            &[]
        };
        while let Some(predicate) = predicates.get(window.evaluated)
            && !window.selection.is_none()
        {
            let columns = predicate.columns();
            let vectors = self.collect(columns, window)?;
            let batch = Batch {
                schema: Arc::clone(&query.inputs[window.evaluated]),
                rows: window.selection.selected(),
                columns: vectors,
            };
            let timer = Timer::start();
            let mask = predicate.evaluate(&batch)?;
            let metrics = match columns {
                [column] => self.context.metrics_of(*column),
                _ => &self.context.metrics,
            };
            timer.stop(metrics, Stage::Filter);
            if mask.len() != batch.rows {
                return Err(Error::invalid(
                    "a predicate returned a mask of another number of rows",
                ));
            }
            window.evaluated += 1;
            let vectors = columns.iter().copied().zip(batch.columns);
            window.decoded.extend(vectors);
            let evaluated = window.evaluated;
            let is_used = |(column, _): &(usize, Vector)| query.uses_after(*column, evaluated);
            window.decoded.retain(is_used);
            match query.is_counted_after(evaluated) {
                // where they are no longer matters
                true => window.selection = Selection::all(mask.count_ones()),
                false => window.narrow(&mask, &self.context),
            }
        }
        Ok(())
    }

    /// The vectors of `columns`, no column twice, for the selected rows. Columns that are not decoded yet are decoded,
    /// which may split the window.
    fn collect(&mut self, columns: &[usize], window: &mut Window) -> Result<Vec<Vector>> {
        let table = Arc::clone(&self.file.query.spec.table.schema);
        for &column in columns {
            if window.decoded.iter().any(|(other, _)| *other == column) {
                continue;
            }
            let (rows, vector) = self
                .read(column, window)
                .map_err(|error| error.at_column(table.fields[column].name.as_str()))?;
            if rows < window.selection.rows() {
                self.rest.push(window.split_off(rows));
            }
            window.decoded.push((column, vector));
        }
        let decoded = &mut window.decoded;
        let taken = columns.iter().filter_map(|column| {
            let place = decoded.iter().position(|(other, _)| other == column)?;
            Some(decoded.swap_remove(place).1)
        });
        Ok(taken.collect())
    }

    /// Decodes the selected rows of a window, or of its first rows, and returns how many rows these are.
    fn read(&mut self, column: usize, window: &Window) -> Result<(usize, Vector)> {
        let selection = &window.selection;
        if let Some(vector) = self.not_in_file(column, selection.selected()) {
            return Ok((selection.rows(), vector));
        }
        let open = self.opened(column)?;
        let lag = window.start - open.position;
        let timer = Timer::start();
        let (rows, vector) = if lag == 0 {
            open.reader.read_some(selection)?
        } else {
            open.reader.read_some(&selection.after(lag))?
        };
        open.position += rows;
        timer.stop(self.context.metrics_of(column), Stage::Decode);
        let rows = rows.saturating_sub(lag);
        let selected = match rows < selection.rows() {
            true => selection.part(0..rows).selected(),
            false => selection.selected(),
        };
        if vector.len != selected {
            return Err(Error::corrupt(format!(
                "{} rows where {selected} were asked for",
                vector.len,
            )));
        }
        Ok((rows, self.adapt(column, vector)?))
    }
}

fn unused() -> Error {
    Error::invalid("a column that the query does not use")
}
