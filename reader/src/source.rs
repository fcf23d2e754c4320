//! Where bytes come from. Everything above asks for ranges and gets shared buffers.

use bytes::Bytes;
use lith_format::error::Result;

/// Random access to immutable bytes.
pub trait Source: Send + Sync {
    /// Size in bytes.
    fn size(&self) -> u64;

    /// Exactly `len` bytes from `offset`; fewer are an error, never a short answer.
    fn read_at(&self, offset: u64, len: usize) -> Result<Bytes>;

    /// What to call this source in errors.
    fn name(&self) -> &std::path::Path;
}
