//! Computes the least and the greatest of some values, without regard to their logical type.

/// Smallest and largest value, where there is one, and the NaNs left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bounds<T> {
    pub(crate) min_max: Option<(T, T)>,
    pub(crate) nans: u64,
}
