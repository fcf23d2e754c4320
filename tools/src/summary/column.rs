//! Metadata of one leaf, summed up over row groups and files.

use lith_format::compress::Codec;
use lith_format::figures::bytes;
use lith_format::meta::{ChunkMeta, Fallback, Format};
use lith_format::scalar::Scalar;
use lith_format::stats::ColumnStats;

use crate::leaves::Leaf;

/// A leaf over all row groups.
#[derive(Debug)]
pub struct ColumnSummary {
    /// It, as the first file has it that does.
    pub leaf: Leaf,
    /// Whether it was asked for.
    pub shown: bool,
    /// Codecs, each once; nothing stands for one that no version knows.
    pub codecs: Vec<Option<Codec>>,
    /// Encodings, each once.
    pub encodings: Vec<&'static str>,
    /// Bytes of data on disk, without indexes.
    pub compressed: Option<u64>,
    /// Bytes of data after decompression.
    pub uncompressed: Option<u64>,
    /// Bytes on disk of indexes and Bloom filters.
    pub index_bytes: Option<u64>,
    /// Bounds and counts.
    pub stats: ColumnStats,
    /// Why stored bounds are not used, where they are not.
    pub distrust: Option<&'static str>,
    /// Chunks: one a row group of the files that have it.
    pub chunks: u64,
    /// Chunks of which the metadata cannot be read.
    pub unread: u64,
    /// Chunks that have an index.
    pub indexed: u64,
    /// Whether some chunk may hold a value.
    valued: bool,
    /// Chunks that may hold values, but not both bounds, and no reason why.
    pub unbounded: u64,
    /// What the formats of the files call it.
    pub index_names: Vec<&'static str>,
    /// Chunks that have a Bloom filter.
    pub blooms: u64,
    /// Whether Bloom filters are there of a writer that is not known to hash as specified.
    pub doubtful_bloom: bool,
    /// Whether a row group claims to be sorted by it first.
    pub sorted: bool,
    /// Row groups in which its dictionary was given up.
    pub fallbacks: u64,
    /// Where it was in the first of them.
    pub fallback: Option<Fallback>,
}

impl ColumnSummary {
    /// A leaf over `rows` rows of files that do not have it: of these, everything is known.
    pub(crate) fn new(leaf: Leaf, rows: u64) -> Self {
        ColumnSummary {
            leaf,
            shown: false,
            codecs: Vec::new(),
            encodings: Vec::new(),
            compressed: Some(0),
            uncompressed: Some(0),
            index_bytes: Some(0),
            stats: ColumnStats::constant(&Scalar::Null, rows),
            distrust: None,
            chunks: 0,
            unread: 0,
            indexed: 0,
            valued: false,
            unbounded: 0,
            index_names: Vec::new(),
            blooms: 0,
            doubtful_bloom: false,
            sorted: false,
            fallbacks: 0,
            fallback: None,
        }
    }

    /// Adds what is known of a chunk, but for its statistics.
    pub(super) fn add(&mut self, chunk: &ChunkMeta, format: Format) {
        let index_name = match format {
            Format::Parquet => "page index",
            Format::Orc => "row index",
        };
        if chunk.has_index {
            once(&mut self.index_names, index_name);
        }
        once(&mut self.codecs, chunk.codec);
        for encoding in &chunk.encodings {
            once(&mut self.encodings, encoding);
        }
        let add = |sum: Option<u64>, size: Option<u64>| sum?.checked_add(size?);
        self.compressed = add(self.compressed, chunk.compressed_bytes);
        self.uncompressed = add(self.uncompressed, chunk.uncompressed_bytes);
        self.index_bytes = add(self.index_bytes, chunk.index_bytes);
        self.chunks += 1;
        self.indexed += u64::from(chunk.has_index);
        self.blooms += u64::from(chunk.has_bloom);
        self.distrust = self.distrust.or(chunk.distrust);
        self.fallbacks += u64::from(chunk.fallback.is_some());
        self.fallback = self.fallback.or(chunk.fallback);
    }

    /// Adds what is known of the values of `rows` rows.
    pub(super) fn add_stats(&mut self, chunk: &ChunkMeta, rows: u64) {
        // without rows there is nothing that statistics could leave out
        if rows == 0 {
            return;
        }
        self.distrust = self.distrust.or(chunk.distrust);
        let mut stats = self.stats.merge(&chunk.stats);
        if chunk.valueless {
            (stats.min, stats.max) = (self.stats.min.take(), self.stats.max.take());
        } else if !self.valued {
            (stats.min, stats.max) = (chunk.stats.min.clone(), chunk.stats.max.clone());
            self.valued = true;
        }
        self.stats = stats;
        let bounded = chunk.stats.min.is_some() && chunk.stats.max.is_some();
        let explained = bounded || chunk.valueless || chunk.distrust.is_some();
        self.unbounded += u64::from(!explained);
    }

    /// Adds a chunk of `rows` rows of a column without leaves, which has no bounds; nothing if it is not known.
    pub(super) fn add_leafless(&mut self, chunk: Option<&ChunkMeta>, format: Format, rows: u64) {
        match chunk {
            None => self.add_unknown(rows),
            Some(chunk) => {
                self.add(chunk, format);
                self.stats = self.stats.merge(&chunk.stats);
            }
        }
    }

    /// Adds a chunk of `rows` rows of which nothing is known.
    pub(super) fn add_unknown(&mut self, rows: u64) {
        self.chunks += 1;
        self.unread += 1;
        (self.compressed, self.uncompressed, self.index_bytes) = (None, None, None);
        self.valued |= rows > 0;
        if rows > 0 {
            self.stats = ColumnStats::default();
        }
    }

    /// Whether every row group has an index; unknown if there is none.
    pub fn has_index(&self) -> Option<bool> {
        (self.chunks > 0).then_some(self.indexed == self.chunks)
    }

    /// Whether every row group has a Bloom filter; unknown if there is none.
    pub fn has_bloom(&self) -> Option<bool> {
        (self.chunks > 0).then_some(self.blooms == self.chunks)
    }

    /// What helps to skip inside of row groups, by the formats' names, in how many if not in all, and its size.
    pub fn indexes(&self) -> String {
        let index = self.index_names.join(", ");
        let kinds = [(index.as_str(), self.indexed), ("bloom", self.blooms)];
        let kinds = kinds.into_iter().filter(|(_, chunks)| *chunks > 0);
        let names = kinds.map(|(name, chunks)| match self.chunks {
            all if all == chunks => name.to_owned(),
            all => format!("{name} in {chunks} of {all}"),
        });
        let names = names.collect::<Vec<_>>().join(", ");
        match self.index_bytes {
            // places of pages, but no bounds of them
            Some(size @ 1..) if names.is_empty() => format!("no bounds ({})", bytes(size)),
            Some(size @ 1..) => format!("{names} ({})", bytes(size)),
            _ => names,
        }
    }
}

/// Appends what the list does not have.
pub(super) fn once<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        // of one or two, in each of very many columns
        list.reserve_exact(1);
        list.push(item);
    }
}
