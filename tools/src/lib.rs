//! lith
