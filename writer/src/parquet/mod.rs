//! Vectors to Parquet: encodings, pages, column chunks, and the file around them.

pub(crate) mod encoding;

mod index;
mod levels;
mod page;

mod column;

pub(crate) mod file;
