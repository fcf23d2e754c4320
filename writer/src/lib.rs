//! Vectors to Parquet and ORC files and partitioned datasets, committed atomically.

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
mod orc;
mod parquet;
mod partition;

// Layer 3
mod commit;
pub mod file;

// Layer 4
pub mod table;
