//! Encodes values into the bytes of a stream: one module for each encoding, as in the reader.

pub(crate) mod byte_rle;
pub(crate) mod number;
pub(crate) mod rle_v2;
