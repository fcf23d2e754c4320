//! What a file may make us spend: every size, count and depth that bytes declare is held against
//! these before anything is allocated or entered.

use crate::error::{Error, Result};

/// Upper bounds on what one file may ask for. The defaults admit every real file we know of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Size of a footer (Parquet FileMetaData; ORC Footer and Metadata), decompressed.
    pub footer_bytes: usize,
    /// Size of one page or decompressed compression chunk.
    pub page_bytes: usize,
    /// Size of one column's data in one row group.
    pub chunk_bytes: usize,
    /// Nodes in a schema.
    pub schema_nodes: usize,
    /// Depth of nesting: of the schema and of encoded structures that are skipped.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            footer_bytes: 256 << 20,
            page_bytes: 1 << 30,
            chunk_bytes: 4 << 30,
            schema_nodes: 1 << 20,
            depth: 64,
        }
    }
}

impl Limits {
    /// Accepts `size` if it does not exceed `limit`; `what` names it in the error.
    pub fn check(size: u64, limit: usize, what: &'static str) -> Result<usize> {
        match usize::try_from(size) {
            Ok(size) if size <= limit => Ok(size),
            _ => Err(Error::limit(format!(
                "{what} of {size} exceeds the limit of {limit}"
            ))),
        }
    }
}
