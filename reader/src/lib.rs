//! Reads Parquet and ORC into vectors, skipping what metadata rules out.

#![deny(unsafe_code)]

// Layer 0
pub mod metrics;
pub mod selection;
pub mod source;

// Layer 1
mod adapt;
pub mod column;
pub mod kernel;

// Layer 2
pub mod orc;
pub mod parquet;

// Layer 3
#[cfg(test)]
mod memory;

// Layer 4
pub mod file;

// Layer 5
mod query;

// Layer 6
mod table_file;

// Layer 7
mod prune;

// Layer 8
mod row_filter;

// Layer 9
mod parallel;

// Layer 10
pub mod scan;

pub use file::{File, OpenOptions, open};
