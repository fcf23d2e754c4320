//! What an ORC file says of the strides of a column in a stripe, without a value decoded.
//!
//! ```text
//! stripe footer -> where the ROW_INDEX stream lies -> its entries, one for each stride
//! ```
// spec: ORCv1.md, "Row Index"

use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::meta::{RowGroupMeta, StrideMeta};
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::neutral::{add_stripe_footer, row_group_meta};
use lith_format::orc::strides::strides;
use lith_format::orc::stripe::StripeFooter;
use lith_format::schema::LeafId;

use crate::orc::file::{OrcFile, encrypted};
use crate::orc::stripe::Stripe;
use crate::source::Source;

impl OrcFile {
    /// The strides of leaf `leaf` in stripe `ordinal`; none if its column has no row index.
    pub fn strides(
        &self,
        source: &Arc<dyn Source>,
        ordinal: usize,
        leaf: LeafId,
    ) -> Result<Vec<StrideMeta>> {
        let source = source.as_ref();
        let stripe = self.stripe(source, ordinal);
        let stripe = stripe.map_err(|error| error.at_path(source.name()))?;
        let walk = Walk {
            file: self,
            source,
            stripe,
        };
        walk.strides(leaf)
    }

    /// Stripe `ordinal`, whose footer is read and let go with it.
    pub fn walk<'a>(&'a self, source: &'a dyn Source, ordinal: usize) -> Result<Walk<'a>> {
        let stripe = Stripe::read(self.tail(), ordinal, source, &self.limits);
        let stripe = stripe.map_err(|error| error.at_row_group(ordinal).at_path(source.name()))?;
        Ok(Walk {
            file: self,
            source,
            stripe: Arc::new(stripe),
        })
    }
}

/// A walk over the columns of a stripe.
pub struct Walk<'a> {
    file: &'a OrcFile,
    source: &'a dyn Source,
    stripe: Arc<Stripe>,
}

impl Walk<'_> {
    /// The stripe's footer.
    pub fn footer(&self) -> &StripeFooter {
        &self.stripe.footer
    }

    /// All that tail and footer say of the stripe, format-neutral.
    pub fn meta(&self) -> RowGroupMeta {
        let (tail, ordinal) = (self.file.tail(), self.stripe.ordinal);
        let mut meta = row_group_meta(tail, &self.file.schema, ordinal);
        add_stripe_footer(&mut meta, self.footer(), &self.file.schema);
        meta
    }

    /// The strides of leaf `leaf`; none if its column has no row index.
    pub fn strides(&self, leaf: LeafId) -> Result<Vec<StrideMeta>> {
        self.read_strides(leaf).map_err(|error| {
            let error = error.at_row_group(self.stripe.ordinal);
            error.at_path(self.source.name())
        })
    }

    fn read_strides(&self, leaf: LeafId) -> Result<Vec<StrideMeta>> {
        let (schema, limits) = (&self.file.schema, &self.file.limits);
        let leaves = schema.schema.leaves();
        let (Some(stored), Some((path, field))) =
            (schema.leaves.get(leaf.index()), leaves.get(leaf.index()))
        else {
            return Err(Error::invalid(format!("there is no leaf {}", leaf.index())));
        };
        if stored.encrypted {
            return Err(encrypted(&path.join(".")));
        }
        let Some(range) = self.stripe.range(stored.column, StreamKind::RowIndex) else {
            return Ok(Vec::new());
        };
        let length = range.end - range.start;
        let length = Limits::check(length, limits.footer_bytes, "row index")?;
        let bytes = self.source.read_at(range.start, length)?;
        let (tail, rows) = (self.file.tail(), self.stripe.rows);
        tail.row_index(&bytes, range.start, limits)
            .and_then(|index| strides(tail, &index, rows, (stored, &field.ty)))
            .map_err(|error| {
                let error = error.at("RowIndex", range.start);
                error.at_column(path.join("."))
            })
    }
}
