//! Reads Parquet and ORC into vectors, skipping what metadata rules out.

#![deny(unsafe_code)]

// Layer 0
pub mod kernel;
pub mod metrics;

// Layer 1
pub mod selection;
pub mod source;

// Layer 2
mod adapt;
pub mod column;

// Layer 3
pub mod orc;
pub mod parquet;

// Layer 4
pub mod file;
#[cfg(test)]
mod memory;
mod query;
mod table_file;

// Layer 5
mod prune;

// Layer 6
mod row_filter;

// Layer 7
mod parallel;

// Layer 8
pub mod scan;

pub use file::{File, OpenOptions, open};
