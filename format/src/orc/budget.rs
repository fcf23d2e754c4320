//! How much memory an ORC structure may take once it is decoded.
//!
//! ```text
//! least of: 32 times its bytes and 4 MiB
//!           256 MiB, or what the same is of the bytes that the file has for it, if they are compressed
//!           4 times the most that it may have
//! ```

use std::cell::Cell;

use crate::error::{Error, Result};
use crate::limits::Limits;

/// How much larger than the encoded limit a decoded structure may be.
const DECODED_PER_ENCODED_BYTE: usize = 4;

/// What a structure may take in memory even if it is stored in next to nothing, because it was compressed well.
const DECODED_AT_MOST: usize = 256 << 20;

/// What is left to spend on one structure.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: Cell<usize>,
    /// How deep groups may nest.
    pub(super) depth: usize,
}

impl Budget {
    /// Of a structure in `bytes`, for which the file has `stored` bytes.
    pub(super) fn new(bytes: &[u8], stored: usize, limits: &Limits) -> Self {
        let all = limits.footer_bytes.saturating_mul(DECODED_PER_ENCODED_BYTE);
        let honest = Limits::decoded(stored).max(DECODED_AT_MOST);
        Budget {
            bytes: Cell::new(Limits::decoded(bytes.len()).min(honest).min(all)),
            depth: limits.depth,
        }
    }

    pub(super) fn spend(&self, bytes: usize) -> Result<()> {
        match self.bytes.get().checked_sub(bytes) {
            Some(left) => {
                self.bytes.set(left);
                Ok(())
            }
            None => Err(Error::limit("structure is too large when decoded")),
        }
    }

    /// What was spent on what is no more can be spent again.
    pub(super) fn give_back(&self, bytes: usize) {
        self.bytes.set(self.left().saturating_add(bytes));
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.get()
    }
}
