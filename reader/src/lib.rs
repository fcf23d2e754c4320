//! Reads Parquet and ORC into vectors, skipping what metadata rules out.
//!
//! ```no_run
//! let file = lith_reader::open("orders.parquet")?;
//! for batch in file.scan().columns([0, 3]).limit(1000).build()? {
//!     let batch = batch?;
//!     println!("{} rows of {} columns", batch.rows, batch.columns.len());
//! }
//! # Ok::<(), lith_format::error::Error>(())
//! ```
//!
//! # Rooms
//! `source` brings bytes, `file` opens them by their magic, `parquet` and `orc` turn the columns of a row
//! group into vectors ([`column::ColumnReader`] is the interface), `scan` goes over the files of a table:
//! it prunes row groups, asks predicates of the rows that are left, and decodes the other columns
//! for the rows that pass.

#![deny(unsafe_code)]

// Layer 0
pub mod isa;
pub mod keys;
pub mod metrics;
pub mod selection;
pub mod source;

// Layer 1
mod adapt;
pub mod column;
mod kernel;
pub mod part;
pub mod window;

// Layer 2
mod nested;

// Layer 3
pub mod orc;
pub mod parquet;

// Layer 4
#[cfg(test)]
mod memory;

// Layer 5
pub mod file;

// Layer 6
mod query;

// Layer 7
mod table_file;

// Layer 8
mod prune;

// Layer 9
mod row_filter;

// Layer 10
mod parallel;

// Layer 11
pub mod scan;

pub use file::{File, OpenOptions, VariantOutput, open};
