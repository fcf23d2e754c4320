//! Parquet's metadata, in the specification's words: one struct per struct of parquet.thrift with its
//! `decode` and `encode` side by side, then what follows from them: the schema's tree, the trust rules
//! of statistics, and the format-neutral view.
//!
//! ```text
//! file   PAR1 [column chunk]* [Bloom filters] [column and offset indexes] FileMetaData, its length, PAR1
//! ```

pub(crate) mod thrift;

pub mod encoding;

pub(crate) mod annotation;
pub mod logical;

pub mod column_metadata;
pub mod encryption;
pub mod footer;
pub mod index;
pub mod page;
pub mod row_group;
pub mod schema;
mod schema_encode;
pub mod statistics;

pub mod bound;
pub mod created_by;

pub mod neutral;
pub mod notation;
pub mod stats;
pub mod tree;

#[cfg(test)]
mod oracle;
#[cfg(test)]
pub(crate) mod testing;
