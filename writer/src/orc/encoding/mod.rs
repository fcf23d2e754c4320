//! How values become the bytes of a stream: one module an encoding, twins of the reader's.

pub(crate) mod byte_rle;
pub(crate) mod number;
pub(crate) mod rle_v2;
