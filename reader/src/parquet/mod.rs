//! Parquet: a file's footer, then column chunks to vectors.
//!
//! ```text
//! footer -> row group, column -> chunk bytes -> pages -> levels + values -> Vector
//! file                                          page     levels  encoding   column
//! ```

// Layer 0
pub(crate) mod form;

// Layer 1
pub(crate) mod encoding;

// Layer 2
pub(crate) mod levels;

// Layer 3
pub(crate) mod page;

// Layer 4
pub(crate) mod column;

// Layer 5
mod file;

// Layer 6
mod strides;

#[cfg(test)]
pub(crate) mod testing;

pub use file::{ParquetFile, footer_bytes};
pub use strides::HeadedPage;
