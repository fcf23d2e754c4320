//! Codecs: one pair of functions over all of them, so that pages, chunks and writers share one path.
//!
//! A block never grows past what its container declares: decompression takes the largest size it may
//! produce, and producing more is an error, not an allocation.

/// A compression codec of either format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Codec {
    /// Stored as is.
    #[default]
    None,
    /// Snappy, raw blocks.
    Snappy,
    /// Deflate without a wrapper (ORC's ZLIB).
    Deflate,
    /// Deflate in gzip members (Parquet's GZIP).
    Gzip,
    /// LZO.
    Lzo,
    /// Brotli.
    Brotli,
    /// LZ4 under Parquet's deprecated id: Hadoop framing, raw or frame.
    Lz4Hadoop,
    /// LZ4 raw blocks (Parquet's LZ4_RAW, ORC's LZ4).
    Lz4,
    /// Zstandard.
    Zstd,
}
