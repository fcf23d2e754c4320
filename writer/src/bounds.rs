//! The bounds of some values, before anything is known of their type.

/// Smallest and largest value, where there is one, and the NaNs left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bounds<T> {
    pub(crate) min_max: Option<(T, T)>,
    pub(crate) nans: u64,
}
