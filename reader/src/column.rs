//! The interface between the formats and the scan: reads one top-level column of a row group, front to back.

use std::ops::Range;
use std::sync::Arc;

use lith_format::error::Result;
use lith_format::limits::Limits;
use lith_format::scalar::Scalar;
use lith_format::stats::ColumnStats;
use lith_format::vector::Vector;

use crate::metrics::Metrics;
use crate::selection::Selection;

/// Reads a column in windows.
pub trait ColumnReader: Send {
    /// Consumes the next `selection.rows()` rows and returns the selected ones, in order. What is not
    /// selected is skipped as cheaply as the encoding allows. Asking past the end is an error.
    fn read(&mut self, selection: &Selection) -> Result<Vector>;

    /// Consumes the next `selection.rows()` rows, or only the first of them if all would make a batch too large.
    /// Returns how many were consumed, at least one selected row if there is any, and the selected ones. The
    /// remaining rows must be read next, with the rest of the selection.
    fn read_some(&mut self, selection: &Selection) -> Result<(usize, Vector)> {
        Ok((selection.rows(), self.read(selection)?))
    }

    /// What every row holds, as a vector of one row, if that is the same in all and nothing is stored for them.
    fn constant(&mut self) -> Result<Option<Vector>> {
        Ok(None)
    }
}

/// Rows of a row group for which a leaf has statistics: a page of Parquet, an entry of ORC's row index.
#[derive(Debug, Clone, PartialEq)]
pub struct Stride {
    /// From the first row of the row group.
    pub rows: Range<u64>,
    /// The statistics of these rows.
    pub stats: ColumnStats,
}

/// A Bloom filter of a leaf.
pub(crate) struct Bloom {
    /// The rows whose values it holds, from the first row of the row group.
    pub(crate) rows: Range<u64>,
    /// Whether none of the rows holds a value, for certain.
    pub(crate) lacks: Box<dyn Fn(&Scalar) -> bool>,
}

/// What every column reader is given.
#[derive(Debug, Clone, Default)]
pub struct ReadContext {
    /// What the file may make us spend.
    pub limits: Limits,
    /// Whether many rows in sequence may be skipped, so that it pays to read the indexes that allow to seek.
    pub seeks: bool,
    /// Where to count.
    pub metrics: Arc<Metrics>,
    /// Where to count instead what reading a column costs, one for each column of the table; or nothing.
    pub columns: Arc<[Arc<Metrics>]>,
}

impl ReadContext {
    /// Where to count what reading a column of the table costs.
    pub(crate) fn metrics_of(&self, column: usize) -> &Arc<Metrics> {
        self.columns.get(column).unwrap_or(&self.metrics)
    }

    /// What the reader of a column of the table is given.
    pub(crate) fn of_column(&self, column: usize) -> ReadContext {
        ReadContext {
            metrics: Arc::clone(self.metrics_of(column)),
            ..self.clone()
        }
    }
}
