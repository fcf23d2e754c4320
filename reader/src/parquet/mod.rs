//! Parquet: a file's footer, then column chunks to vectors.
//!
//! ```text
//! footer -> row group, column -> chunk bytes -> pages -> levels + values -> Vector
//! file                                          page     levels  values     column, nested
//! ```

// Layer 0
pub(crate) mod form;
mod page_cipher;
mod variant;

// Layer 1
mod crypto;
pub(crate) mod encoding;

// Layer 2
mod chunk;
pub(crate) mod levels;

// Layer 3
pub(crate) mod page;
pub(crate) mod values;

// Layer 4
pub(crate) mod leaf;

// Layer 5
pub(crate) mod column;
pub(crate) mod nested_leaf;

// Layer 6
pub(crate) mod nested;

// Layer 7
mod file;

// Layer 8
mod blooms;
mod strides;

#[cfg(test)]
pub(crate) mod testing;

pub use crypto::FooterBytes;
pub use file::ParquetFile;
pub use page_cipher::{PageCipher, PageModule};
pub use strides::{Page, PageWalk};
