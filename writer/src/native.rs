//! Numbers as columns hold them: the one trait, implemented once for each fixed-width layout.
//!
//! Identity is by bits (a NaN keeps its payload, -0.0 is not 0.0), order is the one of `Scalar`.

use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;

use crate::bounds::Bounds;

/// A value of a fixed-width layout.
pub(crate) trait Native: Copy + Default + Send + Sync + 'static {
    /// Bytes of one value in memory and, in most encodings, in the file.
    const WIDTH: usize;
    /// The bits, folded to 64 for hashing.
    fn key(self) -> u64;
    /// Whether the bits are the same.
    fn same(self, other: Self) -> bool;
    /// Smallest and largest of `values`, and how many are NaN.
    fn bounds(values: &[Self]) -> Bounds<Self>;
    /// The smaller and the larger of each pair, both without NaN.
    fn widen(a: (Self, Self), b: (Self, Self)) -> (Self, Self);
    /// The value as what `ty` makes of it.
    fn scalar(self, ty: &LogicalType) -> Scalar;
    /// The value as an integer; `None` for floats.
    fn integer(self) -> Option<i128>;
    /// The value of this layout that equals `value`, if there is one; `None` for floats.
    fn from_integer(value: i128) -> Option<Self>;
    /// Writes the bytes, least significant first, over `slot`, which is `WIDTH` long.
    fn write_le(self, slot: &mut [u8]);

    /// Appends all of `values`, least significant byte first.
    fn put_le(values: &[Self], out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + values.len() * Self::WIDTH, 0);
        let slots = out[start..].chunks_exact_mut(Self::WIDTH);
        slots
            .zip(values)
            .for_each(|(slot, value)| value.write_le(slot));
    }
}

macro_rules! integers {
    ($($int:ty => $key:expr;)*) => {$(
        impl Native for $int {
            const WIDTH: usize = size_of::<$int>();

            #[inline]
            fn key(self) -> u64 {
                let key: fn($int) -> u64 = $key;
                key(self)
            }

            #[inline]
            fn same(self, other: Self) -> bool {
                self == other
            }

            fn bounds(values: &[Self]) -> Bounds<Self> {
                let fold = |(min, max): (Self, Self), &value: &Self| (value.min(min), value.max(max));
                let min_max = values
                    .first()
                    .map(|&first| values.iter().fold((first, first), fold));
                Bounds { min_max, nans: 0 }
            }

            fn widen(a: (Self, Self), b: (Self, Self)) -> (Self, Self) {
                (a.0.min(b.0), a.1.max(b.1))
            }

            fn scalar(self, ty: &LogicalType) -> Scalar {
                Scalar::of_integer(ty, self as i128)
            }

            fn integer(self) -> Option<i128> {
                Some(self as i128)
            }

            fn from_integer(value: i128) -> Option<Self> {
                Self::try_from(value).ok()
            }

            #[inline]
            fn write_le(self, slot: &mut [u8]) {
                slot.copy_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

integers! {
    i32 => |value| value as u32 as u64;
    u32 => u64::from;
    i64 => |value| value as u64;
    u64 => |value| value;
    i128 => |value| (value as u64) ^ ((value >> 64) as u64).rotate_left(32);
}

macro_rules! floats {
    ($($float:ident => $scalar:ident;)*) => {$(
        impl Native for $float {
            const WIDTH: usize = size_of::<$float>();

            #[inline]
            fn key(self) -> u64 {
                u64::from(self.to_bits())
            }

            #[inline]
            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits()
            }

            // A NaN fails both comparisons and leaves the bounds alone. A bound of zero is given the
            // sign that covers both zeros. spec: parquet.thrift, ColumnOrder
            fn bounds(values: &[Self]) -> Bounds<Self> {
                let (mut min, mut max, mut nans) = ($float::INFINITY, $float::NEG_INFINITY, 0);
                for &value in values {
                    min = if value < min { value } else { min };
                    max = if value > max { value } else { max };
                    nans += u64::from(value.is_nan());
                }
                let min = if min == 0.0 { -0.0 } else { min };
                let max = if max == 0.0 { 0.0 } else { max };
                let min_max = (nans < values.len() as u64).then_some((min, max));
                Bounds { min_max, nans }
            }

            fn widen(a: (Self, Self), b: (Self, Self)) -> (Self, Self) {
                (
                    if b.0 < a.0 { b.0 } else { a.0 },
                    if b.1 > a.1 { b.1 } else { a.1 },
                )
            }

            fn scalar(self, _: &LogicalType) -> Scalar {
                Scalar::$scalar(self)
            }

            fn integer(self) -> Option<i128> {
                None
            }

            fn from_integer(_: i128) -> Option<Self> {
                None
            }

            #[inline]
            fn write_le(self, slot: &mut [u8]) {
                slot.copy_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

floats! {
    f32 => Float32;
    f64 => Float64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_cover_both_signs_and_nan_is_counted_not_ordered() {
        let bounds = f64::bounds(&[f64::NAN, 0.0, 0.0]);
        let (min, max) = bounds.min_max.unwrap();
        assert!(min == 0.0 && min.is_sign_negative());
        assert!(max == 0.0 && max.is_sign_positive());
        assert_eq!(bounds.nans, 1);
        assert_eq!(
            f32::bounds(&[-0.0]).min_max.map(|b| b.1.is_sign_positive()),
            Some(true)
        );
        assert!(f64::bounds(&[f64::NAN]).min_max.is_none());
        assert_eq!(f64::bounds(&[-3.0, -1.0]).min_max, Some((-3.0, -1.0)));
        assert_eq!(
            f64::bounds(&[f64::INFINITY]).min_max,
            Some((f64::INFINITY, f64::INFINITY))
        );
    }

    quickcheck::quickcheck! {
        fn float_bounds_are_those_of_the_scalar_order(values: Vec<f64>) -> bool {
            let bounds = f64::bounds(&values);
            let mut kept: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
            kept.sort_by(|a, b| Scalar::Float64(*a).compare(&Scalar::Float64(*b)).unwrap());
            bounds.nans == (values.len() - kept.len()) as u64
                && bounds.min_max == kept.first().copied().zip(kept.last().copied())
        }
    }
}
