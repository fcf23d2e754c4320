//! Predicates over Parquet and ORC tables: text to typed expression, to classes, to a scan plan, to an
//! explanation. Classifies as Spark does and judges more than Spark can. No I/O but the directory walk.
//!
//! ```
//! use lith_format::scalar::Scalar;
//! use lith_format::schema::{Field, Schema};
//! use lith_format::types::LogicalType;
//! use lith_planner::discover::{DataFile, Dataset, Partition};
//! use lith_planner::plan::{Query, Table, plan};
//! use lith_planner::split::SplitPlan;
//!
//! let stored = Schema::new(vec![
//!     Field::nullable("cost", LogicalType::Float64),
//!     Field::nullable("price", LogicalType::Float64),
//! ]);
//! let dataset = Dataset {
//!     files: vec![
//!         DataFile { path: "store=S01/part-0".into(), bytes: 100, partition: 0 },
//!         DataFile { path: "store=S02/part-0".into(), bytes: 100, partition: 1 },
//!     ],
//!     partitions: vec![
//!         Partition { directory: "store=S01".into(), values: vec![Scalar::string("S01")] },
//!         Partition { directory: "store=S02".into(), values: vec![Scalar::string("S02")] },
//!     ],
//!     partition_columns: vec![Field::nullable("store", LogicalType::String)],
//! };
//! let query = Query { predicate: Some("store = 'S01' AND cost < 10"), ..Query::default() };
//! let plan = plan(&Table::new(&stored, dataset), &query)?;
//! assert_eq!(plan.tasks.len(), 1);
//! assert_eq!(plan.pushed_filters, ["IsNotNull(cost)", "LessThan(cost,10.0)"]);
//! assert_eq!(plan.read_schema.to_string(), "struct<cost:double,price:double>");
//!
//! // for another process: JSON, and back
//! let json = SplitPlan::new(&plan)?.to_json()?;
//! assert_eq!(json["splits"][0]["residual"][0], "(cost < 10.0D)");
//! let splits = SplitPlan::from_json(&json)?;
//! assert_eq!(splits.splits[0].task, plan.tasks[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

// Layer 0
mod calendar;
mod uuid;

// Layer 1
pub mod expr;

// Layer 2
pub mod ansi;
pub mod error;

// Layer 3
mod glob;
mod infer;
pub mod sql;

// Layer 4
pub mod eval;

// Layer 5
pub mod resolve;

// Layer 6
pub mod normalize;

// Layer 7
mod choice;
pub mod classify;
pub mod discover;
mod ranges;
pub mod read_schema;

// Layer 8
mod cost;
pub mod ddl;
mod monotone;

// Layer 9
pub mod functions;
pub mod pushdown;

// Layer 10
mod never;
mod prune;

// Layer 11
pub mod judge;
pub mod plan;

// Layer 12
pub mod declare;
pub mod explain;

// Layer 13
pub mod split;
