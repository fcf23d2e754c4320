//! The Bloom filters of a column in a stripe, to rule out values that are asked for.
//!
//! ```text
//! BLOOM_FILTER_UTF8 stream -> one filter for each stride
//! ```
//! The older kind depends on the writer's character set, and some writers hashed wrongly: those are not used.
// spec: ORCv1.md, "Bloom Filter Index"

use lith_format::error::Result;
use lith_format::orc::bloom::{Probe, is_trusted};
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::index::BloomFilter;
use lith_format::schema::LeafId;

use crate::column::Bloom;
use crate::orc::file::OrcFile;
use crate::source::Source;

impl OrcFile {
    /// The filters of a leaf in stripe `ordinal`, in order; none if there are none that can be used.
    pub(crate) fn blooms(
        &self,
        source: &dyn Source,
        ordinal: usize,
        leaf: LeafId,
    ) -> Result<Vec<Bloom>> {
        let (index, is_by_rows) = (leaf.index(), self.is_by_rows(leaf));
        let (Some(leaf), Some(ty)) = (self.schema.leaves.get(index), self.schema.types.get(index))
        else {
            return Ok(Vec::new());
        };
        if !is_by_rows || leaf.encrypted || !is_trusted(self.footer()) {
            return Ok(Vec::new());
        }
        let stripe = self.stripe(source, ordinal)?;
        let kind = StreamKind::BloomFilterUtf8;
        let Some((bytes, start)) = stripe.index(leaf.column, kind, source, &self.limits)? else {
            return Ok(Vec::new());
        };
        let filters = self.tail().bloom_filters(&bytes, start, &self.limits)?;
        let filters = filters.bloom_filter;
        let stride = match u64::from(self.footer().row_index_stride) {
            0 => stripe.rows,
            stride => stride,
        };
        if filters.len() as u64 != stripe.rows.div_ceil(stride.max(1)) {
            return Ok(Vec::new());
        }
        let bloom = |(start, filter): (u64, BloomFilter)| {
            let (ty, filter) = (ty.clone(), filter.in_words());
            Bloom {
                rows: start..stripe.rows.min(start.saturating_add(stride)),
                lacks: Box::new(move |value| {
                    Probe::new(value, &ty).is_some_and(|probe| !probe.may_be_in(&filter))
                }),
            }
        };
        let starts = (0..).map(|number: u64| number * stride);
        Ok(starts.zip(filters).map(bloom).collect())
    }
}
