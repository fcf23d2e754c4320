//! ORC: a file's tail, a stripe's footer, then streams to vectors.
//!
//! ```text
//! tail -> stripe footer -> stream bytes -> chunks -> present + values -> lists, structs .. -> Vector
//! file    stripe           stream                    present  encoding   nested               column
//! ```

// Layer 0
mod crypto;
mod position;

// Layer 1
mod stored;

// Layer 2
mod stream;

// Layer 3
mod encoding;
mod stripe;

// Layer 4
mod form;
mod present;

// Layer 5
mod nested;
#[cfg(test)]
pub(crate) mod testing;

// Layer 6
mod seek;

// Layer 7
mod column;

// Layer 8
mod file;

// Layer 9
mod blooms;
mod strides;

pub use file::OrcFile;
pub use strides::StripeWalk;
