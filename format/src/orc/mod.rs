//! Apache ORC: every structure of its metadata, decoded and encoded by hand, and which of its statistics are trusted.
//!
//! ```text
//! "ORC" | stripe .. stripe | metadata | footer | postscript | length of the postscript (1 byte)
//! stripe = index streams | data streams | stripe footer
//! ```
//! Structures are Protocol Buffers messages ([`proto`]); all but the postscript lie in compression
//! chunks ([`chunk`]). Reading starts at the end ([`tail`]). Names are the specification's.
// spec: ORCv1.md, "File Tail"

// Layer 0
mod budget;
pub mod chunk;
pub mod encoding;

// Layer 1: the wire
pub mod proto;

// Layer 2: the messages, the inner ones first
pub mod statistics;
pub mod stripe;
pub mod tree;

// Layer 3
pub mod encryption;
pub mod index;

// Layer 4
pub mod footer;

// Layer 5
pub mod tail;

// Layer 6: what they mean
pub mod bloom;
pub mod cipher;
pub mod notation;
pub mod schema;

// Layer 7
pub mod stats;

// Layer 8
pub mod neutral;
pub mod strides;

// Layer 9: for tests
#[cfg(test)]
mod any;
#[cfg(test)]
mod roundtrip;
#[cfg(test)]
pub(crate) mod testing;
