//! Format-neutral metadata of files, row groups and column chunks, on which planning, skipping and inspecting
//! work.
//!
//! `parquet::neutral` and `orc::neutral` build it.

use std::fmt;
use std::ops::Range;

use crate::compress::Codec;
use crate::schema::Schema;
use crate::stats::{ColumnStats, Reason};

/// A storage format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// Apache ORC.
    Orc,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Parquet => "parquet",
            Format::Orc => "orc",
        })
    }
}

/// A file's metadata.
#[derive(Debug, Clone)]
pub struct FileMeta {
    /// The format.
    pub format: Format,
    /// Version of the format, as its readers write it (`2.6`, `0.12`).
    pub version: String,
    /// Who wrote the file, if it says so.
    pub created_by: Option<String>,
    /// Columns; their leaves number the chunks of each row group.
    pub schema: Schema,
    /// Rows in the file.
    pub rows: u64,
    /// Row groups (stripes), in file order.
    pub row_groups: Vec<RowGroupMeta>,
    /// Application metadata, in file order; values of ORC are bytes.
    pub key_values: Vec<(String, Option<Vec<u8>>)>,
    /// Size of the footer in bytes.
    pub footer_bytes: u64,
}

/// A Parquet row group or an ORC stripe.
#[derive(Debug, Clone)]
pub struct RowGroupMeta {
    /// Rows.
    pub rows: u64,
    /// Where its bytes lie in the file.
    pub range: Range<u64>,
    /// One a leaf of the schema, in leaf order.
    pub chunks: Vec<ChunkMeta>,
    /// One a top-level column without leaves, in their order: ORC stores structs without fields.
    pub leafless: Vec<ChunkMeta>,
}

impl RowGroupMeta {
    /// Bytes on disk.
    pub fn compressed_bytes(&self) -> u64 {
        self.range.end - self.range.start
    }
}

/// A leaf's data in one row group. ORC footers know less: what they do not say is `None` or empty.
#[derive(Debug, Clone, Default)]
pub struct ChunkMeta {
    /// The codec of its pages or compression chunks; nothing if no version knows its number.
    pub codec: Option<Codec>,
    /// Encodings in use, by the specification's names.
    pub encodings: Vec<&'static str>,
    /// Bytes of data on disk: pages with their headers, or data streams; indexes and Bloom filters are not
    /// counted.
    pub compressed_bytes: Option<u64>,
    /// Bytes after decompression, before decoding.
    pub uncompressed_bytes: Option<u64>,
    /// Bytes on disk of what helps to skip: page or row index and Bloom filter.
    pub index_bytes: Option<u64>,
    /// Where its dictionary was given up, if it was.
    pub fallback: Option<Fallback>,
    /// Bounds and counts that are true of the rows.
    pub stats: ColumnStats,
    /// Whether it is known to hold no value: only nulls, and what is empty.
    pub valueless: bool,
    /// Why stored bounds are not in `stats`, if so.
    pub distrust: Option<Reason>,
    /// Whether its bytes are not in this file but in another that the footer names.
    pub elsewhere: bool,
    /// Whether strides have bounds of their own (page index, row index).
    pub has_index: bool,
    /// Whether there is a Bloom filter.
    pub has_bloom: bool,
}

/// Where a chunk that begins with a dictionary no longer uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fallback {
    /// The first data page that does not use it, from 1.
    pub page: u64,
    /// How many data pages there are.
    pub pages: u64,
}

/// What an index says of one stride of a leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct StrideMeta {
    /// Its rows, from the first of the row group.
    pub rows: Range<u64>,
    /// Bounds and counts that are true of the rows.
    pub stats: ColumnStats,
    /// Why stored bounds are not in `stats`, if so.
    pub distrust: Option<Reason>,
}
