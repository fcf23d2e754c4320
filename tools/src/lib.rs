//! The `lith` command: words, tables and exit codes around the other crates.
//!
//! It is a library so that tests and benches run what a user runs; `main` only hands over the
//! arguments.

#![forbid(unsafe_code)]

// Layer 0
pub mod facts;
