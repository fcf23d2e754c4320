//! The metadata of an ORC file: its tail, and of every stripe the footer and the indexes.
//!
//! ```text
//! { postscript, footer, stripe_stats, stripes: [ { footer, row_index: {column: ..}, bloom: {column: ..} } ] }
//! ```
//! Bits of Bloom filters are shown by their number and their SHA-256.
// spec: ORCv1.md, "File Tail", "Stripe Footer", "Indexes"

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use lith_format::error::Result;
use lith_format::limits::Limits;
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::index::BloomFilter;
use lith_format::orc::tail::Tail;
use lith_format::orc::tree::{self, Shape};
use lith_reader::orc::OrcFile;
use lith_reader::source::Source;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{digits, json as to_json};

/// A file whose tail is decoded.
struct Opened<'a> {
    source: &'a Arc<dyn Source>,
    orc: &'a OrcFile,
    limits: Limits,
}

pub(super) fn meta(source: &Arc<dyn Source>, limits: &Limits) -> Result<Value> {
    let (limits, orc) = (*limits, &OrcFile::open(source, limits)?);
    let file = Opened {
        source,
        orc,
        limits,
    };
    let tail = orc.tail();
    let postscript = file.read(tail.postscript_range())?;
    let postscript = tree::decode(&postscript, &tree::POST_SCRIPT, &limits)?;
    let mut metadata = file.section(tail.metadata_range(), &tree::METADATA)?;
    let stripe_stats = match metadata.get_mut("stripe_stats") {
        Some(stats) => stats.take(),
        None => json!([]),
    };
    let stripes = 0..tail.footer.stripes.len();
    Ok(json!({
        "schema_version": 1,
        "format": "orc",
        "file_length": tail.file_length,
        "postscript_length": tail.postscript_length,
        "postscript": to_json(postscript),
        "footer": file.section(tail.footer_range(), &tree::FOOTER)?,
        "stripe_stats": stripe_stats,
        "stripes": stripes
            .map(|ordinal| file.stripe(ordinal).map_err(|error| error.at_row_group(ordinal)))
            .collect::<Result<Vec<_>>>()?,
    }))
}

impl Opened<'_> {
    fn tail(&self) -> &Tail {
        self.orc.tail()
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let length = range.end.saturating_sub(range.start);
        let length = Limits::check(length, self.limits.footer_bytes, "section")?;
        self.source.read_at(range.start, length)
    }

    /// What lies in compression chunks, as a structure.
    fn section(&self, range: Range<u64>, shape: &'static Shape) -> Result<Value> {
        let start = range.start;
        let bytes = self.read(range)?;
        let node = self.tail().tree(&bytes, start, shape, &self.limits)?;
        Ok(to_json(node))
    }

    fn stripe(&self, ordinal: usize) -> Result<Value> {
        let stripe = &self.tail().footer.stripes[ordinal];
        let footer = self.orc.stripe_footer(self.source, ordinal)?;
        let (mut row_index, mut bloom) = (Map::new(), Map::new());
        for (stream, range) in footer.stream_ranges(stripe) {
            let column = stream.column.to_string();
            match stream.kind {
                StreamKind::RowIndex => {
                    row_index.insert(column, self.section(range, &tree::ROW_INDEX)?);
                }
                StreamKind::BloomFilter | StreamKind::BloomFilterUtf8 => {
                    let filters = self.bloom_filters(range)?;
                    let kinds = bloom.entry(column).or_insert_with(|| json!({}));
                    kinds[stream.kind.name()] = filters;
                }
                _ => {}
            }
        }
        Ok(json!({
            "footer": self.section(stripe.footer_range(), &tree::STRIPE_FOOTER)?,
            "row_index": row_index,
            "bloom": bloom,
        }))
    }

    fn bloom_filters(&self, range: Range<u64>) -> Result<Value> {
        let start = range.start;
        let bytes = self.read(range)?;
        let index = self.tail().bloom_filters(&bytes, start, &self.limits)?;
        Ok(index.bloom_filter.iter().map(bloom_filter).collect())
    }
}

fn bloom_filter(filter: &BloomFilter) -> Value {
    let words = || filter.bitset.iter().flat_map(|word| word.to_le_bytes());
    let bits = filter
        .utf8bitset
        .clone()
        .unwrap_or_else(|| words().collect());
    json!({
        "num_hash_functions": filter.num_hash_functions,
        "bitset_bytes": bits.len(),
        "bitset_sha256": digits(&Sha256::digest(&bits)),
    })
}
