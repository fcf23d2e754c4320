//! Resumable decoding: the result of a decoder that may need more bytes of the file.

use std::ops::Range;

/// Either the result, or the bytes of the file to call again with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<T> {
    /// The result.
    Done(T),
    /// Call again with these bytes of the file.
    Need(Range<u64>),
}
