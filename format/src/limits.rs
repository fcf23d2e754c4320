//! Limits on resources: every size, count and depth that a file declares is checked against these before
//! memory is allocated or a level is entered.

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
    /// Length of one name in a schema.
    pub name_bytes: usize,
    /// Length of the paths of all leaves of a schema together: each names the groups around it again.
    pub path_bytes: usize,
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
            name_bytes: 1 << 20,
            path_bytes: 64 << 20,
            schema_nodes: 1 << 20,
            depth: 64,
        }
    }
}

/// How many bytes of memory a byte of metadata, or of a variant, may take when it is decoded: more than any
/// useful structure needs.
const DECODED_PER_BYTE: usize = 32;
/// What may be taken in addition, so that short metadata is not refused.
const DECODED_AT_LEAST: usize = 4 << 20;

impl Limits {
    /// How much memory may be taken by what `encoded` bytes of metadata, or of a variant, are decoded to.
    pub(crate) fn decoded(encoded: usize) -> usize {
        encoded
            .saturating_mul(DECODED_PER_BYTE)
            .saturating_add(DECODED_AT_LEAST)
    }

    /// A copy of bytes that a file may make many; missing memory is an error, not the end.
    pub(crate) fn copy(bytes: &[u8]) -> Result<Vec<u8>> {
        let mut copy = Vec::new();
        copy.try_reserve_exact(bytes.len())
            .map_err(|_| Error::limit(format!("there is no memory for {} bytes", bytes.len())))?;
        copy.extend_from_slice(bytes);
        Ok(copy)
    }

    /// Room for one more in a list that a file may make long; not to get it is an error, not the end.
    #[inline]
    pub(crate) fn push<T>(list: &mut Vec<T>, value: T) -> Result<()> {
        if list.len() == list.capacity() {
            list.try_reserve(1)
                .map_err(|_| Error::limit("there is no memory for a list"))?;
        }
        list.push(value);
        Ok(())
    }

    /// Takes `bytes` off what is left for the paths of leaves.
    pub(crate) fn spend_path(left: &mut usize, bytes: usize) -> Result<()> {
        *left = left.checked_sub(bytes).ok_or_else(|| {
            Error::limit("the paths of all columns are too long together").at("schema", 0)
        })?;
        Ok(())
    }

    /// Accepts `size` if it does not exceed `limit`; `what` names it in the error.
    #[inline]
    pub fn check(size: u64, limit: usize, what: &'static str) -> Result<usize> {
        match usize::try_from(size) {
            Ok(size) if size <= limit => Ok(size),
            _ => Err(Self::exceeded(size, limit, what)),
        }
    }

    #[cold]
    fn exceeded(size: u64, limit: usize, what: &'static str) -> Error {
        Error::limit(format!("{what} of {size} exceeds the limit of {limit}"))
    }
}
