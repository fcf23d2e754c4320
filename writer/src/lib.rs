//! Vectors to Parquet and ORC files and partitioned datasets, committed atomically.
//!
//! ```
//! use std::sync::Arc;
//! use lith_format::schema::{Field, Schema};
//! use lith_format::types::LogicalType;
//! use lith_format::vector::{Batch, Values, Vector};
//! use lith_writer::file::FileWriter;
//! use lith_writer::options::WriteOptions;
//!
//! let schema = Schema::new(vec![Field::required("id", LogicalType::Int64)]);
//! let ids = Vector {
//!     ty: LogicalType::Int64,
//!     len: 3,
//!     validity: None,
//!     values: Values::I64(vec![1, 2, 3]),
//! };
//! let batch = Batch { schema: Arc::new(schema.clone()), rows: 3, columns: vec![ids] };
//! let mut file = FileWriter::new(Vec::new(), &schema, WriteOptions::default())?;
//! file.write(&batch)?;
//! assert_eq!(file.finish()?.rows, 3);
//! # Ok::<(), lith_format::error::Error>(())
//! ```

#![forbid(unsafe_code)]

// Layer 0
mod bounds;
mod choose;
pub mod options;
mod parallel;
mod sink;

// Layer 1
mod native;

// Layer 2
mod store;

// Layer 3
mod intern;
mod stats;

// Layer 4
mod value_buffer;

// Layer 5
mod leaf;

// Layer 6
mod orc;
mod parquet;
mod partition;

// Layer 7
mod commit;
pub mod file;

// Layer 8
pub mod table;
