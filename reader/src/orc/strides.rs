//! The metadata of a stripe, from its footer and the row indexes of its columns; no value is decoded.
//!
//! ```text
//! stripe footer -> where the ROW_INDEX stream lies -> its entries, one for each stride
//! ```
// spec: ORCv1.md, "Row Group Index"

use lith_format::error::{Error, Result};
use lith_format::meta::{RowGroupMeta, StrideMeta};
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::neutral::{add_stripe_footer, row_group_meta};
use lith_format::orc::stats::Writer;
use lith_format::orc::strides::strides;
use lith_format::orc::stripe::StripeFooter;
use lith_format::schema::LeafId;

use crate::column::Stride;
use crate::orc::file::{OrcFile, encrypted};
use crate::orc::stripe::Stripe;
use crate::source::Source;

impl OrcFile {
    /// Reads the footer of stripe `ordinal`, which is kept as long as the walk.
    ///
    /// # Errors
    /// A footer that cannot be read or decoded.
    pub fn walk<'a>(&'a self, source: &'a dyn Source, ordinal: usize) -> Result<StripeWalk<'a>> {
        let stripe = self.read_stripe(source, ordinal);
        let stripe = stripe.map_err(|error| error.at_stripe(ordinal).at_path(source.name()))?;
        Ok(StripeWalk {
            file: self,
            source,
            stripe,
        })
    }

    /// The strides of a leaf in stripe `ordinal`; none if there is only one, if the leaf is in a list or map, where an
    /// entry has statistics of elements, not of rows, or in a struct whose writer may have stored other values there
    /// than are read.
    pub(crate) fn strides(
        &self,
        source: &dyn Source,
        ordinal: usize,
        leaf: LeafId,
    ) -> Result<Vec<Stride>> {
        let is_by_rows = self.is_by_rows(leaf);
        let stripe = self.footer().stripes.get(ordinal);
        let rows = stripe.map_or(0, |stripe| stripe.number_of_rows);
        if !is_by_rows || rows <= u64::from(self.footer().row_index_stride) {
            return Ok(Vec::new());
        }
        let stripe = self.stripe(source, ordinal)?;
        let strides = self.read_strides(source, &stripe, leaf)?.into_iter();
        let stride = |StrideMeta { rows, stats, .. }| Stride { rows, stats };
        Ok(strides.map(stride).collect())
    }

    /// Whether what is stored for a stride of a leaf is what its rows have.
    pub(super) fn is_by_rows(&self, leaf: LeafId) -> bool {
        let writer = Writer::of(self.tail());
        let leaf = self.schema.leaves.get(leaf.index());
        leaf.is_some_and(|leaf| !(leaf.repeated || leaf.nested && writer.may_fill_null_structs()))
    }

    fn read_strides(
        &self,
        source: &dyn Source,
        stripe: &Stripe,
        leaf: LeafId,
    ) -> Result<Vec<StrideMeta>> {
        let (schema, limits) = (&self.schema, &self.limits);
        let index = leaf.index();
        let (Some(stored), Some(ty)) = (schema.leaves.get(index), schema.types.get(index)) else {
            return Err(Error::invalid(format!("there is no leaf {index}")));
        };
        if stored.encrypted {
            return Err(encrypted());
        }
        let tail = self.tail();
        let Some(index) = stripe.row_index(stored.column, tail, source, limits)? else {
            return Ok(Vec::new());
        };
        strides(tail, &index, stripe.rows, (stored, ty)).map_err(|error| {
            let range = stripe.range(stored.column, StreamKind::RowIndex);
            error.at("RowIndex", range.map_or(0, |range| range.start))
        })
    }
}

/// Walks the columns of a stripe.
pub struct StripeWalk<'a> {
    file: &'a OrcFile,
    source: &'a dyn Source,
    stripe: Stripe,
}

impl StripeWalk<'_> {
    /// The stripe's footer.
    pub fn footer(&self) -> &StripeFooter {
        &self.stripe.footer
    }

    /// The stripe as tail and footer describe it, format-neutral.
    pub fn meta(&self) -> RowGroupMeta {
        let (tail, ordinal) = (self.file.tail(), self.stripe.ordinal);
        let mut meta = row_group_meta(tail, &self.file.schema, ordinal);
        add_stripe_footer(&mut meta, self.footer(), &self.file.schema);
        meta
    }

    /// The strides of leaf `leaf`; none if its column has no row index.
    ///
    /// # Errors
    /// An encrypted column; a row index that cannot be read or decoded, or lacks strides.
    pub fn strides(&self, leaf: LeafId) -> Result<Vec<StrideMeta>> {
        self.read_strides(leaf).map_err(|error| {
            let error = match self.file.schema.leaf_path(leaf) {
                Some(path) => error.at_column(path),
                None => error,
            };
            error
                .at_stripe(self.stripe.ordinal)
                .at_path(self.source.name())
        })
    }

    fn read_strides(&self, leaf: LeafId) -> Result<Vec<StrideMeta>> {
        self.file.read_strides(self.source, &self.stripe, leaf)
    }
}
