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
pub mod limits;
mod numbered;
pub mod step;

// Layer 1
pub mod bitmap;
pub mod bytes;
pub mod types;

// Layer 2
pub mod compress;
pub mod scalar;
pub mod schema;
pub mod vector;

// Layer 3
mod cell;
pub mod filter;
pub mod partition;
pub mod scan;
pub mod stats;
mod text;

// Layer 4
pub mod bind;
mod concat;
mod gather;
mod judge;
pub mod meta;
pub mod render;

// Layer 5
pub mod orc;
pub mod parquet;
