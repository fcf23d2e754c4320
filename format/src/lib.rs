//! Every number of the Parquet and ORC specifications, and the vocabulary that lith's crates share.
//! No I/O.
//!
//! # Glossary
//! - **row group**: a Parquet row group or an ORC stripe.
//! - **stride**: the rows that one index entry describes: a Parquet page span, or what the ORC
//!   specification calls a row group of its row index.
//! - **leaf**: a physical column.
//! - **selection**: the rows still wanted, as runs. **mask**: one bit a row of a batch.
//! - **prune**: drop by metadata. **filter**: drop by values.
//! - **decode / encode** structs, **read / write** values, **skip** neither.

#![forbid(unsafe_code)]

// Layer 0
pub mod error;
mod numbered;
pub mod step;

// Layer 1
pub mod bitmap;
pub mod bytes;
pub mod limits;
pub mod types;

// Layer 2
pub mod compress;
pub mod scalar;
pub mod schema;

// Layer 3
pub mod filter;
pub mod partition;
pub mod stats;
pub mod vector;

// Layer 4
mod cell;
pub mod meta;
pub mod scan;
mod text;

// Layer 5
pub mod bind;
mod concat;
mod gather;
mod judge;
pub mod render;

// Layer 6
pub mod orc;
pub mod parquet;
