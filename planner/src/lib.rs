//! lith-planner
#![deny(unsafe_code)]
