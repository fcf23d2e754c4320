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
//!
//! # Rooms
//! `parquet` and `orc` hold one struct for each structure of their specifications, and never name each other:
//! they meet in `meta`, which holds trusted statistics only. `filter` evaluates conditions on these; what is
//! unknown drops no row:
//!
//! ```
//! use std::borrow::Cow;
//!
//! use lith_format::filter::{CompareOp, Filter, Verdict};
//! use lith_format::scalar::Scalar;
//! use lith_format::schema::LeafId;
//! use lith_format::stats::{Bound, ColumnStats};
//!
//! let bound = |value| Some(Bound { value: Scalar::Int(value), exact: true });
//! let stats = ColumnStats { min: bound(10), max: bound(20), ..ColumnStats::default() };
//! let below = |value| Filter::Compare {
//!     leaf: LeafId(0),
//!     op: CompareOp::Lt,
//!     value: Scalar::Int(value),
//! };
//! assert_eq!(below(10).judge(&|_| Some(Cow::Borrowed(&stats))), Verdict::Never);
//! // below 30 are all values, but nobody said that there are no nulls
//! assert_eq!(below(30).judge(&|_| Some(Cow::Borrowed(&stats))), Verdict::Maybe);
//! ```

#![forbid(unsafe_code)]

// Layer 0
#[cfg(test)]
mod arbitrary;
pub mod civil;
pub mod error;
pub mod figures;
pub mod i256;
mod numbered;
pub mod step;
pub mod types;

// Layer 1
pub mod bitmap;
pub mod bytes;
pub mod limits;
pub mod names;

// Layer 2
pub mod cipher;
pub mod compress;
pub mod scalar;
pub mod schema;
pub mod short_bytes;
pub mod tree;

// Layer 3
pub mod partition;
pub mod stats;
pub mod vector;

// Layer 4
mod cell;
pub mod mapping;
pub mod meta;
pub mod scan;
mod text;

// Layer 5
pub mod bind;
mod concat;
mod element;
pub mod filter;
mod gather;
pub mod render;

// Layer 6
mod judge;
pub mod orc;
pub mod parquet;
