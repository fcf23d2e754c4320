//! Dense arrays of a leaf's values, from which encodings, dictionaries and statistics are made.
//!
//! Three stores cover every flat layout: a `Vec` of numbers, a [`Bitmap`], and [`ByteStore`] for byte
//! strings. Everything above is written once over the [`Store`] trait.

use std::hash::Hasher;
use std::ops::Range;

use lith_format::bitmap::Bitmap;
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;
use lith_format::vector::ByteViews;
use rustc_hash::FxHasher;

use crate::bounds::Bounds;
use crate::native::Native;

/// A growing sequence of values of one layout.
pub(crate) trait Store: Default + Send + Sync {
    /// One value, borrowed.
    type Value<'a>: Copy;
    /// One value, kept.
    type Owned: Clone + std::fmt::Debug + Send;
    /// What a vector holds its values of this layout in.
    type Source: ?Sized + Sync;

    /// How many values there are.
    fn len(&self) -> usize;
    /// Value `index`.
    fn get(&self, index: usize) -> Self::Value<'_>;
    /// Appends a value.
    fn push(&mut self, value: Self::Value<'_>);
    /// Appends values `range` of `source`.
    fn append(&mut self, source: &Self::Source, range: Range<usize>);
    /// Value `index` of `source`.
    fn value(source: &Self::Source, index: usize) -> Self::Value<'_>;
    /// A hash whose upper half is well mixed.
    fn hash(value: Self::Value<'_>) -> u64;
    /// Whether the value at `index` has the same bits.
    fn same(&self, index: usize, value: Self::Value<'_>) -> bool;
    /// Bytes of values `range` when written one after the other, lengths of 4 bytes included.
    fn plain_bytes(&self, range: Range<usize>) -> usize;
    /// Smallest and largest of values `range`.
    fn bounds(&self, range: Range<usize>) -> Bounds<Self::Owned>;
    /// Whether the value at `index` is a NaN.
    fn is_nan(&self, index: usize) -> bool;
    /// The outer bounds of both.
    fn widen(
        a: (Self::Owned, Self::Owned),
        b: (Self::Owned, Self::Owned),
    ) -> (Self::Owned, Self::Owned);
    /// A value as a scalar of type `ty`.
    fn scalar(value: &Self::Owned, ty: &LogicalType) -> Scalar;
}

/// Multiplies and folds, so that every bit of the key reaches the upper half.
#[inline]
fn mix(key: u64) -> u64 {
    let product = u128::from(key ^ 0x243f_6a88_85a3_08d3) * u128::from(0x9e37_79b9_7f4a_7c15u64);
    (product as u64) ^ ((product >> 64) as u64)
}

impl<T: Native + std::fmt::Debug> Store for Vec<T> {
    type Value<'a> = T;
    type Owned = T;
    type Source = [T];

    fn len(&self) -> usize {
        self.as_slice().len()
    }

    #[inline]
    fn get(&self, index: usize) -> T {
        self[index]
    }

    #[inline]
    fn push(&mut self, value: T) {
        Vec::push(self, value);
    }

    fn append(&mut self, source: &[T], range: Range<usize>) {
        self.extend_from_slice(&source[range]);
    }

    #[inline]
    fn value(source: &[T], index: usize) -> T {
        source[index]
    }

    #[inline]
    fn hash(value: T) -> u64 {
        mix(value.key())
    }

    #[inline]
    fn same(&self, index: usize, value: T) -> bool {
        self[index].same(value)
    }

    fn plain_bytes(&self, range: Range<usize>) -> usize {
        range.len() * T::WIDTH
    }

    fn bounds(&self, range: Range<usize>) -> Bounds<T> {
        T::bounds(&self[range])
    }

    fn is_nan(&self, index: usize) -> bool {
        T::bounds(&self[index..=index]).nans == 1
    }

    fn widen(a: (T, T), b: (T, T)) -> (T, T) {
        T::widen(a, b)
    }

    fn scalar(value: &T, ty: &LogicalType) -> Scalar {
        value.scalar(ty)
    }
}

/// Bits are never interned: two values need no dictionary.
impl Store for Bitmap {
    type Value<'a> = bool;
    type Owned = bool;
    type Source = Bitmap;

    fn len(&self) -> usize {
        Bitmap::len(self)
    }

    fn get(&self, index: usize) -> bool {
        Bitmap::get(self, index)
    }

    fn push(&mut self, value: bool) {
        Bitmap::push(self, value);
    }

    fn append(&mut self, source: &Bitmap, range: Range<usize>) {
        self.extend_range(source, range.start, range.len());
    }

    fn value(source: &Bitmap, index: usize) -> bool {
        source.get(index)
    }

    fn hash(value: bool) -> u64 {
        mix(u64::from(value))
    }

    fn same(&self, index: usize, value: bool) -> bool {
        self.get(index) == value
    }

    fn plain_bytes(&self, range: Range<usize>) -> usize {
        range.len().div_ceil(8)
    }

    fn bounds(&self, range: Range<usize>) -> Bounds<bool> {
        let len = range.len();
        let ones = self.slice(range.start, len).count_ones();
        Bounds {
            min_max: (len > 0).then_some((ones == len, ones > 0)),
            nans: 0,
        }
    }

    fn is_nan(&self, _: usize) -> bool {
        false
    }

    fn widen(a: (bool, bool), b: (bool, bool)) -> (bool, bool) {
        (a.0 & b.0, a.1 | b.1)
    }

    fn scalar(value: &bool, _: &LogicalType) -> Scalar {
        Scalar::Boolean(*value)
    }
}

/// Byte strings, end to end in one buffer.
#[derive(Debug, Default)]
pub(crate) struct ByteStore {
    data: Vec<u8>,
    ends: Vec<usize>,
}

impl ByteStore {
    /// Where value `index` starts in the buffer.
    #[inline]
    fn start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.ends[index - 1] }
    }

    /// The values of `range` without anything between them.
    pub(crate) fn concatenated(&self, range: Range<usize>) -> &[u8] {
        &self.data[self.start(range.start)..self.start(range.end)]
    }
}

impl Store for ByteStore {
    type Value<'a> = &'a [u8];
    type Owned = Vec<u8>;
    type Source = ByteViews;

    fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    fn get(&self, index: usize) -> &[u8] {
        &self.data[self.start(index)..self.ends[index]]
    }

    #[inline]
    fn push(&mut self, value: &[u8]) {
        self.data.extend_from_slice(value);
        self.ends.push(self.data.len());
    }

    fn append(&mut self, source: &ByteViews, range: Range<usize>) {
        range.for_each(|index| self.push(source.get(index)));
    }

    #[inline]
    fn value(source: &ByteViews, index: usize) -> &[u8] {
        source.get(index)
    }

    #[inline]
    fn hash(value: &[u8]) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(value);
        mix(hasher.finish())
    }

    #[inline]
    fn same(&self, index: usize, value: &[u8]) -> bool {
        self.get(index) == value
    }

    fn plain_bytes(&self, range: Range<usize>) -> usize {
        range.len() * 4 + self.concatenated(range).len()
    }

    fn bounds(&self, range: Range<usize>) -> Bounds<Vec<u8>> {
        let mut values = range.map(|index| self.get(index));
        let min_max = values.next().map(|first| {
            let (min, max) = values.fold((first, first), |(min, max), value| {
                if value < min {
                    (value, max)
                } else if value > max {
                    (min, value)
                } else {
                    (min, max)
                }
            });
            (min.to_vec(), max.to_vec())
        });
        Bounds { min_max, nans: 0 }
    }

    fn is_nan(&self, _: usize) -> bool {
        false
    }

    fn widen(a: (Vec<u8>, Vec<u8>), b: (Vec<u8>, Vec<u8>)) -> (Vec<u8>, Vec<u8>) {
        (a.0.min(b.0), a.1.max(b.1))
    }

    /// Text that is not UTF-8 is kept as bytes, which order the same.
    fn scalar(value: &Vec<u8>, ty: &LogicalType) -> Scalar {
        match std::str::from_utf8(value) {
            Ok(text) if ty.is_text() => Scalar::string(text),
            _ => Scalar::binary(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_strings_lie_end_to_end() {
        let mut store = ByteStore::default();
        store.append(
            &ByteViews::from_values(["b", "", "a longer value than a view"]),
            0..3,
        );
        assert_eq!(store.get(1), b"");
        assert_eq!(store.concatenated(0..2), b"b");
        assert_eq!(store.plain_bytes(0..3), 12 + 27);
        let bounds = store.bounds(0..3).min_max.unwrap();
        assert_eq!(bounds, (b"".to_vec(), b"b".to_vec()));
    }
}
