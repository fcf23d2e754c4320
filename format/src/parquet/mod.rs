//! Parquet's metadata, in the specification's words: one struct per struct of parquet.thrift with its
//! `decode` and `encode` side by side, then what follows from them: the schema's tree, the trust rules
//! of statistics, and the format-neutral view.
//!
//! ```text
//! file   PAR1 [column chunk]* [Bloom filters] [column and offset indexes] FileMetaData, its length, PAR1
//! ```

// Layer 0: the wire
pub mod encoding;
pub(crate) mod thrift;

// Layer 1: the messages, the inner ones first
pub mod encryption;
pub mod index;
pub mod key_value;
pub mod list;
pub mod logical;
pub mod path;
pub mod statistics;
pub mod tree;
pub mod variant;

// Layer 2
pub mod cipher;
pub mod column_metadata;
pub mod page;
pub mod schema_element;

// Layer 3
pub mod row_group;

// Layer 4
pub mod footer;

// Layer 5: what they mean
pub(crate) mod annotation;
pub mod created_by;

// Layer 6
pub mod notation;
pub mod schema;

// Layer 7
pub mod bound;

// Layer 8
pub mod bloom;
pub mod stats;

// Layer 9
pub mod neutral;
pub mod strides;

// Layer 10: for tests
#[cfg(test)]
mod any;
#[cfg(test)]
pub(crate) mod testing;

// Layer 11
#[cfg(test)]
pub(crate) mod oracle;

// Layer 12
#[cfg(test)]
mod roundtrip;
