//! Reads a top-level leaf of a stripe in windows of rows.
//!
//! ```text
//! rows wanted -> PRESENT -> values wanted -> decoded dense -> slots -> Vector
//! ```
//!
//! A window without wanted rows is only counted, and skipped with the next one that has some.

use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::orc::encoding::{StreamKind, TypeKind};
use lith_format::schema::Field;
use lith_format::vector::Vector;

use crate::column::ColumnReader;
use crate::kernel::spread::spread_values;
use crate::metrics::Metrics;
use crate::orc::encoding::boolean_rle::BooleanRle;
use crate::orc::form::Decoder;
use crate::orc::present::Present;
use crate::orc::stripe::Streams;
use crate::selection::Selection;

/// The reader of a top-level leaf of a stripe.
pub(crate) struct FlatColumn {
    field: Field,
    stripe: usize,
    present: Present,
    decoder: Decoder,
    metrics: Arc<Metrics>,
    /// Rows that no window has covered yet.
    rows_left: u64,
    /// Unwanted rows of past windows that are still to be skipped.
    pending: usize,
}

impl FlatColumn {
    /// Starts at the front of column `column`, of type `kind`.
    pub fn open(streams: &Streams<'_>, column: u32, kind: TypeKind, field: &Field) -> Result<Self> {
        let stripe = streams.stripe;
        let locate = |error: Error| error.at_column(&field.name).at_row_group(stripe.ordinal);
        let bits = streams.find(column, StreamKind::Present).map_err(locate)?;
        Ok(FlatColumn {
            field: field.clone(),
            stripe: stripe.ordinal,
            present: Present::new(bits.map(BooleanRle::new)),
            decoder: Decoder::open(streams, column, kind, &field.ty).map_err(locate)?,
            metrics: Arc::clone(&streams.context.metrics),
            rows_left: stripe.rows,
            pending: 0,
        })
    }

    fn read_window(&mut self, selection: &Selection) -> Result<Vector> {
        let (selection, selected) = match selection.is_none() {
            true => {
                self.pending += selection.rows();
                (Selection::all(0), 0)
            }
            false => {
                let skipped = std::mem::take(&mut self.pending);
                (selection.after(skipped), selection.selected())
            }
        };
        let window = self.present.read(&selection)?;
        let mut values = self.decoder.read(&window.wanted)?;
        if let Some(validity) = &window.validity {
            spread_values(&mut values, validity);
        }
        self.metrics.values_decoded.add(selected as u64);
        Ok(Vector {
            ty: self.field.ty.clone(),
            len: selected,
            validity: window.validity,
            values,
        })
    }
}

impl ColumnReader for FlatColumn {
    fn read(&mut self, selection: &Selection) -> Result<Vector> {
        let rows = selection.rows() as u64;
        let Some(left) = self.rows_left.checked_sub(rows) else {
            return Err(Error::invalid(format!(
                "{rows} rows wanted, {} left in the stripe",
                self.rows_left
            )));
        };
        self.rows_left = left;
        self.read_window(selection)
            .map_err(|error| error.at_column(&self.field.name).at_row_group(self.stripe))
    }
}
