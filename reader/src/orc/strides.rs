//! What an ORC file says of the strides of a column in a stripe, without a value decoded.
//!
//! ```text
//! stripe footer -> where the ROW_INDEX stream lies -> its entries, one for each stride
//! ```
// spec: ORCv1.md, "Row Index"

use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::meta::StrideMeta;
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::strides::strides;
use lith_format::schema::LeafId;

use crate::orc::file::{OrcFile, encrypted};
use crate::source::Source;

impl OrcFile {
    /// The strides of leaf `leaf` in stripe `ordinal`; none if its column has no row index.
    pub fn strides(
        &self,
        source: &Arc<dyn Source>,
        ordinal: usize,
        leaf: LeafId,
    ) -> Result<Vec<StrideMeta>> {
        self.read_strides(source.as_ref(), ordinal, leaf)
            .map_err(|error| error.at_path(source.name()).at_row_group(ordinal))
    }

    fn read_strides(
        &self,
        source: &dyn Source,
        ordinal: usize,
        leaf: LeafId,
    ) -> Result<Vec<StrideMeta>> {
        let leaves = self.schema.schema.leaves();
        let (Some(stored), Some((path, field))) = (
            self.schema.leaves.get(leaf.index()),
            leaves.get(leaf.index()),
        ) else {
            return Err(Error::invalid(format!("there is no leaf {}", leaf.index())));
        };
        if stored.encrypted {
            return Err(encrypted(&path.join(".")));
        }
        let stripe = self.stripe(source, ordinal)?;
        let Some(range) = stripe.range(stored.column, StreamKind::RowIndex) else {
            return Ok(Vec::new());
        };
        let length = range.end - range.start;
        let length = Limits::check(length, self.limits.footer_bytes, "row index")?;
        let bytes = source.read_at(range.start, length)?;
        self.tail()
            .row_index(&bytes, range.start, &self.limits)
            .and_then(|index| strides(self.tail(), &index, stripe.rows, (stored, &field.ty)))
            .map_err(|error| error.at_column(path.join(".")))
    }
}
