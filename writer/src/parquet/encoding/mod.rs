//! How values become the bytes of a page: one module an encoding, twins of the reader's.

pub(crate) mod dictionary;
pub(crate) mod plain;
pub(crate) mod rle;
