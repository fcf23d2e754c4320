//! lith benches
