//! Apache ORC: every structure of its metadata, decoded and encoded by hand, and what may be believed of it.
//!
//! ```text
//! "ORC" | stripe .. stripe | metadata | footer | postscript | length of the postscript (1 byte)
//! stripe = index streams | data streams | stripe footer
//! ```
//! Structures are Protocol Buffers messages ([`proto`]); all but the postscript lie in compression
//! chunks ([`chunk`]). Reading starts at the end ([`tail`]). Names are the specification's.
//!
//! spec: ORCv1.md, "File Tail"

// Layer 5.0: the wire
pub mod chunk;
pub mod encoding;
pub mod proto;

// Layer 5.1: the messages
pub mod encryption;
pub mod footer;
pub mod index;
pub mod statistics;
pub mod stripe;
pub mod tail;
pub mod tree;

// Layer 5.2: what they mean
pub mod bloom;
pub mod neutral;
pub mod notation;
pub mod schema;
pub mod stats;

#[cfg(test)]
pub(crate) mod testing;
