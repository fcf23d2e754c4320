//! The Bloom filter of a column chunk, to rule out values that are asked for.
//!
//! ```text
//! bloom_filter_offset -> header, then the bits: one filter for all rows of the chunk
//! ```
//! Those of encrypted columns are not used.
// spec: BloomFilter.md

use lith_format::error::Result;
use lith_format::parquet::bloom::{BloomFilter, Probe};
use lith_format::parquet::index::BloomFilterHeader;
use lith_format::parquet::neutral::bloom_filter_offset;
use lith_format::schema::LeafId;

use crate::column::Bloom;
use crate::parquet::file::ParquetFile;
use crate::source::Source;
use crate::window::Window;

impl ParquetFile {
    /// The filter of a leaf in row group `ordinal`; none if there is none that can be used.
    pub(crate) fn blooms(
        &self,
        source: &dyn Source,
        ordinal: usize,
        leaf: LeafId,
    ) -> Result<Vec<Bloom>> {
        let chunk = self.open_chunk(ordinal, leaf.index())?;
        let (leaf, _) = self.leaf(leaf)?;
        let rows = self.rows().get(ordinal).copied().unwrap_or(0);
        let mut window = Window::new(source);
        let offset = bloom_filter_offset(chunk.readable(leaf)?, window.size());
        let (Some(offset), None) = (offset, &chunk.cipher) else {
            return Ok(Vec::new());
        };
        let decode = |bytes: &[u8]| BloomFilterHeader::decode(bytes, &self.limits);
        let (header, length) = window.decode(offset, decode)?;
        let bits = u64::try_from(header.num_bytes).unwrap_or(0);
        let bits = window.read(offset + length, bits, self.limits.page_bytes)?;
        let leaf = leaf.clone();
        let filter = BloomFilter::new(&header, bits);
        let bloom = |filter: BloomFilter| Bloom {
            rows: 0..rows,
            lacks: Box::new(move |value| {
                Probe::new(value, &leaf).is_some_and(|probe| !probe.may_be_in(&filter))
            }),
        };
        Ok(filter.map(bloom).into_iter().collect())
    }
}
