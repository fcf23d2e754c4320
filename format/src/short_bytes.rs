//! Short byte strings without an allocation: bounds, names and lists of numbers, of which a footer has about ten
//! for every chunk. Longer ones are allocated.
//!
//! ```text
//! up to 22 bytes   tag 1   length 1    bytes 22
//! more             tag 1   padding 7   pointer 8   length 8
//! ```

use std::fmt;
use std::ops::Deref;

use crate::error::Result;
use crate::limits::Limits;

/// The most bytes that are stored inline.
const FEW: usize = 22;

/// A byte string that is stored inline if it is short.
#[derive(Clone, Default)]
pub struct ShortBytes(Storage);

#[derive(Clone, Default)]
enum Storage {
    /// Nothing yet, which costs nothing to create.
    #[default]
    Empty,
    /// The length, and a block that begins with so many bytes.
    Inline(u8, [u8; FEW]),
    Allocated(Box<[u8]>),
}

impl ShortBytes {
    /// Becomes the first `length` bytes of `bytes`, or all of them if they are fewer. If `bytes` has a whole block,
    /// that is copied, which is faster than a copy of variable length.
    #[inline(always)]
    pub(crate) fn set(&mut self, length: usize, bytes: &[u8]) -> Result<()> {
        match bytes.first_chunk() {
            Some(block) if length <= FEW => {
                self.0 = Storage::Inline(length as u8, [0; FEW]);
                // directly to its place: a temporary copy would stall the processor's store forwarding
                if let Storage::Inline(_, inline) = &mut self.0 {
                    inline.copy_from_slice(block as &[u8; FEW]);
                }
            }
            _ => *self = Self::exactly(bytes.get(..length).unwrap_or(bytes))?,
        }
        Ok(())
    }

    #[inline(never)]
    fn exactly(bytes: &[u8]) -> Result<Self> {
        Ok(match bytes.len() {
            0..=FEW => bytes.into(),
            _ => Limits::copy(bytes)?.into(),
        })
    }

    /// Becomes the bytes of `first` and `second`.
    pub(crate) fn set_joined<const N: usize>(&mut self, first: [u8; N], second: &[u8]) {
        let length = N + second.len();
        if length > FEW {
            *self = [&first, second].concat().into();
            return;
        }
        self.0 = Storage::Inline(length as u8, [0; FEW]);
        if let Storage::Inline(_, inline) = &mut self.0 {
            inline[..N].copy_from_slice(&first);
            inline[N..length].copy_from_slice(second);
        }
    }
}

impl Deref for ShortBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Storage::Empty => &[],
            Storage::Inline(length, block) => &block[..usize::from(*length).min(FEW)],
            Storage::Allocated(bytes) => bytes,
        }
    }
}

impl From<&[u8]> for ShortBytes {
    fn from(bytes: &[u8]) -> Self {
        match bytes.len() {
            few @ 0..=FEW => {
                let mut block = [0; FEW];
                block[..few].copy_from_slice(bytes);
                ShortBytes(Storage::Inline(few as u8, block))
            }
            _ => ShortBytes(Storage::Allocated(bytes.into())),
        }
    }
}

impl<const N: usize> From<&[u8; N]> for ShortBytes {
    fn from(bytes: &[u8; N]) -> Self {
        bytes.as_slice().into()
    }
}

impl From<Vec<u8>> for ShortBytes {
    fn from(bytes: Vec<u8>) -> Self {
        match bytes.len() {
            0..=FEW => bytes.as_slice().into(),
            _ => ShortBytes(Storage::Allocated(bytes.into())),
        }
    }
}

/// Compares the bytes, however they are stored.
impl PartialEq for ShortBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for ShortBytes {}

impl fmt::Debug for ShortBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_no_larger_than_that_of_a_vector() {
        assert_eq!(size_of::<Option<ShortBytes>>(), size_of::<Vec<u8>>());
    }

    #[test]
    fn every_length_is_kept() {
        let bytes: Vec<u8> = (0..100).collect();
        for length in 0..bytes.len() {
            let expected = &bytes[..length];
            let mut first = ShortBytes::default();
            first.set(length, &bytes).unwrap();
            assert_eq!(*first, *expected);
            first.set(length, expected).unwrap();
            assert_eq!(*first, *expected);
            assert_eq!(first, ShortBytes::from(expected));
            assert_eq!(first, ShortBytes::from(expected.to_vec()));
            assert_eq!(first, first.clone());
            assert_ne!(first, ShortBytes::from(&bytes[..length + 1]));
        }
        assert_eq!(ShortBytes::default(), ShortBytes::from(&[]));
    }
}
