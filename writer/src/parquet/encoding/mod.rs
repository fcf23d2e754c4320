//! Encodes values into the bytes of a page: one module for each encoding, as in the reader.

pub(crate) mod dictionary;
pub(crate) mod plain;
pub(crate) mod rle;
