//! Parquet: a file's footer, then column chunks to vectors.
//!
//! ```text
//! footer -> row group, column -> chunk bytes -> pages -> levels + values -> Vector
//! file                                          page     levels  values     column, nested
//! ```

// Layer 0
pub(crate) mod form;

// Layer 1
pub(crate) mod encoding;

// Layer 2
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
mod strides;

#[cfg(test)]
pub(crate) mod testing;

pub use file::{ParquetFile, footer_bytes};
pub use strides::{HeadedPage, Page, Walk};
