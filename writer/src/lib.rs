//! Vectors to Parquet files.

#![forbid(unsafe_code)]

// Layer 0
mod native;
pub mod options;
mod parallel;
mod sink;

// Layer 1
mod choose;
mod held;
mod intern;
mod leaf;
mod stats;
mod store;

// Layer 2
mod parquet;

// Layer 3
pub mod file;
