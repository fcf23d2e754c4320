//! lith
fn main() {}
