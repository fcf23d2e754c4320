//! ORC: a file's tail, a stripe's footer, then streams to vectors.
//!
//! ```text
//! tail -> stripe footer -> stream bytes -> chunks -> present + values -> Vector
//! file    stripe           stream                    present  encoding   column
//! ```

// Layer 0
mod stream;

// Layer 1
mod encoding;
mod stripe;

// Layer 2
mod form;
mod present;

// Layer 3
mod nested;
#[cfg(test)]
pub(crate) mod testing;

// Layer 4
mod column;

// Layer 5
mod file;

// Layer 6
mod strides;

pub use file::OrcFile;
pub use strides::StripeWalk;
