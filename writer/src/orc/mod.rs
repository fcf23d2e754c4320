//! Vectors to ORC: encodings, streams, columns, and the file around them.

pub(crate) mod encoding;

mod stats;
mod stream;

mod column;

pub(crate) mod file;
