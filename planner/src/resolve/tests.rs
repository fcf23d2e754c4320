//! Names, types and the casts that Spark inserts.
