//! lith-writer
#![deny(unsafe_code)]
