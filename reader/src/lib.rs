//! Reads Parquet and ORC into vectors, skipping what metadata rules out.

#![deny(unsafe_code)]

// Layer 0
pub mod kernel;
pub mod metrics;

// Layer 1
pub mod selection;
pub mod source;

// Layer 2
pub mod column;

// Layer 3
pub mod parquet;
