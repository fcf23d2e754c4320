//! Predicates over Parquet and ORC tables: text to typed expression, to classes, to a scan plan, to an
//! explanation. Classifies as Spark does and judges more than Spark can. No I/O but the directory walk.

#![forbid(unsafe_code)]

// Layer 0
pub mod calendar;
pub mod error;
pub mod expr;

// Layer 1
mod glob;
pub mod infer;
pub mod sql;

// Layer 3
pub mod eval;
pub mod resolve;

// Layer 4
pub mod normalize;

// Layer 5
pub mod classify;
mod cost;
pub mod discover;
pub mod pushdown;
mod ranges;
pub mod read_schema;

// Layer 6
pub mod prune;

// Layer 7
pub mod plan;

// Layer 8
pub mod explain;
