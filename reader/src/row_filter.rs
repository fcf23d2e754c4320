//! Scans one row group: filters rows column by column, and decodes other columns for the remaining rows only.
//!
//! ```text
//! window of rows -> columns of predicate 1 -> mask -> narrower selection
//!                -> columns of predicate 2, only rows still selected -> ..
//!                -> output columns, only rows that passed all
//! ```
//! What a predicate decoded is not decoded again for the output. A column that no window asks for is never
//! opened, and one that lags behind skips the rows between in the same call.

use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};
use lith_format::vector::{Batch, Vector};

use crate::adapt::Adapted;
use crate::column::{ColumnReader, ReadContext};
use crate::prune::Kept;
use crate::selection::Selection;
use crate::table_file::{Origin, TableFile, name_model};

/// Reads one row group, window by window.
pub(crate) struct RowGroupScan {
    file: Arc<TableFile>,
    row_group: usize,
    filtered: bool,
    context: ReadContext,
    /// One a column of the table, once a window asks for it.
    open: Vec<Option<OpenColumn>>,
    rows: usize,
    batch_rows: usize,
    position: usize,
}

struct OpenColumn {
    reader: Box<dyn ColumnReader>,
    /// Rows read or skipped so far.
    position: usize,
    adapted: Adapted,
}

/// Vectors of the selected rows of a window, by column of the table.
type Decoded = Vec<(usize, Vector)>;

impl RowGroupScan {
    pub(crate) fn new(file: Arc<TableFile>, kept: Kept, context: ReadContext) -> Result<Self> {
        let rows = file.file.rows_of(kept.row_group);
        let rows =
            usize::try_from(rows).map_err(|_| Error::limit(format!("row group of {rows} rows")))?;
        Ok(RowGroupScan {
            filtered: kept.filtered && !file.query.spec.predicates.is_empty(),
            open: file.origins.iter().map(|_| None).collect(),
            batch_rows: file.batch_rows(kept.row_group),
            row_group: kept.row_group,
            position: 0,
            context,
            file,
            rows,
        })
    }

    /// The next batch that holds any row; at most `wanted` rows are needed of it.
    pub(crate) fn next_batch(&mut self, wanted: u64) -> Result<Option<Batch>> {
        while self.position < self.rows {
            if self.position == 0 {
                self.context.metrics.row_groups_read.add(1);
                self.context.metrics.rows_read.add(self.rows as u64);
            }
            let start = self.position;
            self.position += self.window_rows(wanted);
            let batch = self.window(start, self.position - start).map_err(|error| {
                error
                    .at_row_group(self.row_group)
                    .at_path(self.file.file.path())
            })?;
            if batch.rows > 0 {
                self.context.metrics.rows_selected.add(batch.rows as u64);
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn window_rows(&self, wanted: u64) -> usize {
        let left = self.rows - self.position;
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
    fn window(&mut self, start: usize, rows: usize) -> Result<Batch> {
        let query = Arc::clone(&self.file.query);
        let mut selection = match &self.file.picked {
            Some(picked) => picked[self.row_group].part(start..start + rows),
            None => Selection::all(rows),
        };
        let mut decoded = Decoded::new();
        let predicates = if self.filtered {
            query.spec.predicates.as_slice()
        } else {
            &[]
        };
        for (number, predicate) in predicates.iter().enumerate() {
            if selection.is_none() {
                break;
            }
            let columns = predicate.columns();
            let batch = Batch {
                schema: Arc::clone(&query.inputs[number]),
                rows: selection.selected(),
                columns: self.collect(columns, start, &selection, &mut decoded)?,
            };
            let mask = predicate.evaluate(&batch)?;
            if mask.len() != batch.rows {
                return Err(Error::invalid(
                    "a predicate answered for another number of rows",
                ));
            }
            decoded.extend(columns.iter().copied().zip(batch.columns));
            decoded.retain(|(column, _)| query.uses_after(*column, number + 1));
            selection = narrow(&selection, &mask, &mut decoded);
        }
        let columns = if selection.is_none() {
            Vec::new()
        } else {
            query.repeat(self.collect(&query.distinct, start, &selection, &mut decoded)?)?
        };
        Ok(Batch {
            schema: Arc::clone(&query.output),
            rows: selection.selected(),
            columns,
        })
    }

    /// The selected rows of `columns`, which are all different: out of `decoded` where they are there, else
    /// decoded now.
    fn collect(
        &mut self,
        columns: &[usize],
        start: usize,
        selection: &Selection,
        decoded: &mut Decoded,
    ) -> Result<Vec<Vector>> {
        let table = Arc::clone(&self.file.query.spec.table.schema);
        let mut out: Vec<Vector> = Vec::with_capacity(columns.len());
        for &column in columns {
            let place = decoded.iter().position(|(other, _)| *other == column);
            out.push(match place {
                Some(place) => decoded.swap_remove(place).1,
                None => self
                    .read(column, start, selection)
                    .map_err(|error| error.at_column(table.fields[column].name.as_str()))?,
            });
        }
        Ok(out)
    }

    /// Decodes the selected rows of a window that starts at row `start`.
    fn read(&mut self, column: usize, start: usize, selection: &Selection) -> Result<Vector> {
        let field = &self.file.query.spec.table.schema.fields[column];
        let (in_file, part, adapter) = match &self.file.origins[column] {
            Origin::File {
                column,
                part,
                adapter,
            } => (*column, part, adapter),
            Origin::Constant(value) => {
                return Ok(Vector::constant(
                    field.ty.clone(),
                    value.clone(),
                    selection.selected(),
                ));
            }
            Origin::Unused => return Err(Error::invalid("a column that nothing asked for")),
        };
        let open = match &mut self.open[column] {
            Some(open) => open,
            closed => closed.insert(OpenColumn {
                reader: self
                    .file
                    .file
                    .part(self.row_group, in_file, part, &self.context)?,
                position: 0,
                adapted: None,
            }),
        };
        let lag = start - open.position;
        open.position = start + selection.rows();
        let vector = if lag == 0 {
            open.reader.read(selection)?
        } else {
            open.reader.read(&selection.after(lag))?
        };
        if vector.len != selection.selected() {
            return Err(Error::corrupt(format!(
                "{} rows where {} were asked for",
                vector.len,
                selection.selected()
            )));
        }
        let adapted = adapter.apply(vector, &mut open.adapted);
        adapted.map_err(|error| name_model(error, &self.file.query).at_column(&field.name))
    }
}

/// Drops the rows that a mask over the selected ones drops, from the selection and from what is decoded.
fn narrow(selection: &Selection, mask: &Bitmap, decoded: &mut Decoded) -> Selection {
    if mask.all() {
        return selection.clone();
    }
    let slots: Vec<u32> = mask.ones().map(|slot| slot as u32).collect();
    for (_, vector) in decoded {
        *vector = vector.take(&slots);
    }
    selection.narrow(mask)
}
