//! Whole scans.
fn main() {}
