//! Values in columns.
