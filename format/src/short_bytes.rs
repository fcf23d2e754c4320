//! Bytes that are usually few and then need no memory of their own: bounds, names, lists of numbers. A footer has
//! about ten for every chunk.
//!
//! ```text
//! up to 22 bytes   here 1   length 1   bytes 22
//! more             apart 1   (7)   pointer 8   length 8
//! ```

use std::fmt;
use std::ops::Deref;

use crate::error::Result;
use crate::limits::Limits;

/// The most bytes that are kept without memory of their own.
const FEW: usize = 22;

/// Bytes, of which few are kept in place.
#[derive(Clone)]
pub struct ShortBytes(Kept);

#[derive(Clone)]
enum Kept {
    /// How many of the bytes count.
    Here(u8, [u8; FEW]),
    Apart(Box<[u8]>),
}

impl ShortBytes {
    /// Becomes the first `length` bytes of `bytes`, or all if they are fewer. To copy a whole block is faster than
    /// to copy just those, so it is good if there are more.
    #[inline(always)]
    pub(crate) fn set(&mut self, length: usize, bytes: &[u8]) -> Result<()> {
        match (&mut self.0, bytes.first_chunk::<FEW>()) {
            (Kept::Here(count, here), Some(block)) if length <= FEW => {
                // straight to its place: a copy on the way would be read before it is written in whole
                (*count, *here) = (length as u8, *block);
                Ok(())
            }
            _ => self.set_exactly(bytes.get(..length).unwrap_or(bytes)),
        }
    }

    #[inline(never)]
    fn set_exactly(&mut self, bytes: &[u8]) -> Result<()> {
        *self = match bytes.len() {
            0..=FEW => bytes.into(),
            _ => Limits::copy(bytes)?.into(),
        };
        Ok(())
    }
}

impl Deref for ShortBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Kept::Here(length, block) => &block[..usize::from(*length).min(FEW)],
            Kept::Apart(bytes) => bytes,
        }
    }
}

impl Default for ShortBytes {
    fn default() -> Self {
        ShortBytes(Kept::Here(0, [0; FEW]))
    }
}

impl From<&[u8]> for ShortBytes {
    fn from(bytes: &[u8]) -> Self {
        match bytes.len() {
            few @ 0..=FEW => {
                let mut block = [0; FEW];
                block[..few].copy_from_slice(bytes);
                ShortBytes(Kept::Here(few as u8, block))
            }
            _ => ShortBytes(Kept::Apart(bytes.into())),
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
            _ => ShortBytes(Kept::Apart(bytes.into())),
        }
    }
}

/// Of the bytes, wherever they are kept.
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
