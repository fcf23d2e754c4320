//! lith-planner
#![forbid(unsafe_code)]

// Layer 1
mod glob;
pub mod infer;

// Layer 5
pub mod discover;
