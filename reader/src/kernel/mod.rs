//! The inner loops, over plain slices: no file format is known here, and nothing fails on a file's account.
//! Callers have checked their lengths; a wrong one is a bug and panics.

pub mod bits;
pub mod compact;
pub mod gather;
pub mod spread;
pub mod unpack;
