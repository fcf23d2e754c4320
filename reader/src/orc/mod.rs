//! ORC: a file's tail, a stripe's footer, then streams to vectors.
//!
//! ```text
//! tail -> stripe footer -> stream bytes -> chunks -> present + values -> lists, structs .. -> Vector
//! file    stripe           stream                    present  encoding   nested               column
//! ```

// Layer 0
mod position;

// Layer 1
mod stream;

// Layer 2
mod encoding;
mod stripe;

// Layer 3
mod form;
mod present;

// Layer 4
mod nested;
#[cfg(test)]
pub(crate) mod testing;

// Layer 5
mod seek;

// Layer 6
mod column;

// Layer 7
mod file;

// Layer 8
mod blooms;
mod strides;

pub use file::OrcFile;
pub use strides::StripeWalk;
