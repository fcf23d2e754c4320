//! How much memory an ORC structure may take once it is decompressed and decoded.
//!
//! ```text
//! decompressed   at most 64 MiB, or 32 times its bytes in the file and 4 MiB
//! decoded        at most 32 times its decompressed bytes and 4 MiB
//!                at most 64 MiB (footer and metadata together: 160 MiB), or 32 times its bytes in the file and 4 MiB
//!                at most 4 times the most bytes that it may have
//! ```

use std::cell::Cell;

use crate::error::{Error, Result};
use crate::limits::Limits;

/// How much larger than the encoded limit a decoded structure may be.
const DECODED_PER_ENCODED_BYTE: usize = 4;

/// What a structure may take in memory even if it is stored in next to nothing, because it was compressed well.
const AT_MOST: usize = 64 << 20;

/// The same of footer and metadata together, which may tell of very many columns and stripes.
const TAIL_AT_MOST: usize = 160 << 20;

/// How many bytes a section of `stored` bytes in the file may have once it is decompressed.
pub(super) fn decompressed(stored: usize, limits: &Limits) -> usize {
    Limits::decoded(stored)
        .max(AT_MOST)
        .min(limits.footer_bytes)
}

/// What one or more structures may take in memory together even if they are stored in next to nothing.
#[derive(Debug)]
pub(super) struct Room<'a> {
    pub(super) limits: &'a Limits,
    left: Cell<usize>,
}

impl<'a> Room<'a> {
    /// Of a structure.
    pub(super) fn new(limits: &'a Limits) -> Self {
        let left = Cell::new(AT_MOST);
        Room { limits, left }
    }

    /// Of footer and metadata.
    pub(super) fn of_tail(limits: &'a Limits) -> Self {
        let left = Cell::new(TAIL_AT_MOST);
        Room { limits, left }
    }

    /// What one of the structures may take, which lies in `bytes`, `stored` of them in the file.
    pub(super) fn budget(&self, bytes: &[u8], stored: usize) -> Budget {
        let most = self.limits.footer_bytes;
        let most = most.saturating_mul(DECODED_PER_ENCODED_BYTE);
        let honest = Limits::decoded(stored).max(self.left.get());
        let bytes = Limits::decoded(bytes.len()).min(honest).min(most);
        Budget {
            bytes: Cell::new(bytes),
            depth: self.limits.depth,
            all: bytes,
        }
    }

    /// Takes off what a structure took.
    pub(super) fn spend(&self, budget: &Budget) {
        let spent = budget.all.saturating_sub(budget.left());
        self.left.set(self.left.get().saturating_sub(spent));
    }
}

/// What is left to spend on one structure.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: Cell<usize>,
    /// How deep groups may nest.
    pub(super) depth: usize,
    /// What there was at first.
    all: usize,
}

impl Budget {
    /// Of a structure in `bytes`, for which the file has `stored` bytes.
    pub(super) fn new(bytes: &[u8], stored: usize, limits: &Limits) -> Self {
        Room::new(limits).budget(bytes, stored)
    }

    /// Adds to a list, if the budget and the memory have room for it.
    #[inline]
    pub(super) fn push<T>(&self, list: &mut Vec<T>, value: T) -> Result<()> {
        if list.len() == list.capacity() {
            let more = list.len().max(1);
            self.spend(more.saturating_mul(size_of::<T>()))?;
            list.try_reserve_exact(more)
                .map_err(|_| Error::limit("there is no memory for a list"))?;
        }
        list.push(value);
        Ok(())
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

    /// Makes the room of `count` elements of a list free again.
    pub(super) fn give_back<T>(&self, count: usize) {
        let bytes = count.saturating_mul(size_of::<T>());
        self.bytes.set(self.left().saturating_add(bytes));
    }

    /// Makes all room free again that was taken since `left` bytes were left.
    pub(super) fn refill(&self, left: usize) {
        self.bytes.set(left);
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.get()
    }
}
