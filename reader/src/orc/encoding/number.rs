//! Floating-point numbers and decimals.
//!
//! ```text
//! float, double   DATA: | value, little-endian | ..
//! decimal         DATA: | unscaled value, zigzag varint of up to 128 bits | ..
//!                 SECONDARY: the scale of each, as signed integers
//! ```
//!
//! A decimal's own scale may differ from the column's: every value is rescaled, and one that does not
//! fit the declared type is an error.
// spec: ORCv1.md, "Float and Double Columns", "Decimal Columns"

use std::marker::PhantomData;

use lith_format::error::{Error, Result};
use lith_format::vector::Values;

use crate::orc::encoding::rle_v1::unzigzag_all;
use crate::orc::encoding::varint::{read_varints, read_wide_zigzags, skip_varints};
use crate::orc::encoding::{Integers, read_wanted};
use crate::orc::position::{Position, Positions};
use crate::orc::stream::StreamReader;
use crate::selection::Selection;

/// A floating-point type.
pub(crate) trait Float: Copy + Default {
    /// Bytes of a value.
    const BYTES: usize;
    /// The value of so many bytes.
    fn from_bytes(bytes: &[u8]) -> Self;
}

impl Float for f32 {
    const BYTES: usize = 4;

    #[inline(always)]
    fn from_bytes(bytes: &[u8]) -> Self {
        bytes
            .first_chunk()
            .map_or(0.0, |bytes| f32::from_le_bytes(*bytes))
    }
}

impl Float for f64 {
    const BYTES: usize = 8;

    #[inline(always)]
    fn from_bytes(bytes: &[u8]) -> Self {
        bytes
            .first_chunk()
            .map_or(0.0, |bytes| f64::from_le_bytes(*bytes))
    }
}

/// Reads floating-point numbers.
#[derive(Debug)]
pub(crate) struct Floats<T> {
    stream: StreamReader,
    ty: PhantomData<T>,
}

impl<T: Float> Floats<T> {
    /// Starts at the front of `stream`.
    pub fn new(stream: StreamReader) -> Self {
        Floats {
            stream,
            ty: PhantomData,
        }
    }

    /// Reads the next `out.len()` values.
    pub fn read(&mut self, mut out: &mut [T]) -> Result<()> {
        while !out.is_empty() {
            let bytes = self.stream.need(T::BYTES)?;
            let count = (bytes.len() / T::BYTES).min(out.len());
            let (now, later) = out.split_at_mut(count);
            for (out, bytes) in now.iter_mut().zip(bytes.chunks_exact(T::BYTES)) {
                *out = T::from_bytes(bytes);
            }
            self.stream.advance(count * T::BYTES);
            out = later;
        }
        Ok(())
    }

    /// Seeks to a position in the stream.
    pub fn seek(&mut self, position: &Position) -> Result<()> {
        self.stream.seek(position)
    }

    /// Skips `count` values.
    pub fn skip(&mut self, count: usize) -> Result<()> {
        self.stream.skip((count * T::BYTES) as u64)
    }
}

/// The most digits that 128 bits hold.
const MAX_PRECISION: u8 = 38;

/// Reads decimals of one declared type.
#[derive(Debug)]
pub(crate) struct Decimals {
    data: StreamReader,
    scales: Integers,
    precision: u8,
    scale: u8,
    scratch: Vec<i64>,
}

impl Decimals {
    /// Starts at the front of the streams of a `decimal(precision, scale)` column.
    pub fn new(data: StreamReader, scales: Integers, (precision, scale): (u8, u8)) -> Self {
        Decimals {
            data,
            scales,
            precision: precision.min(MAX_PRECISION),
            scale,
            scratch: Vec::new(),
        }
    }

    /// Seeks to a position in each stream.
    pub fn seek(&mut self, positions: &mut Positions) -> Result<()> {
        self.data.seek(&positions.next()?)?;
        self.scales.seek(&positions.next()?)
    }

    /// Reads the wanted values of a window in the layout of the declared precision.
    pub fn read(&mut self, wanted: &Selection) -> Result<Values> {
        let limit = 10u128.pow(u32::from(self.precision));
        if self.precision > 18 {
            let mut values = Vec::new();
            read_wanted(
                &mut self.data,
                wanted,
                &mut values,
                read_wide_zigzags,
                skip_varints,
            )?;
            self.rescale(wanted, &mut values)?;
            check(values.iter().all(|value| value.unsigned_abs() < limit))?;
            return Ok(Values::I128(values));
        }
        let limit = limit as u64;
        let mut values = Vec::new();
        read_wanted(
            &mut self.data,
            wanted,
            &mut values,
            read_varints,
            skip_varints,
        )?;
        unzigzag_all(&mut values);
        self.rescale(wanted, &mut values)?;
        check(values.iter().all(|value| value.unsigned_abs() < limit))?;
        Ok(match self.precision {
            0..=9 => Values::I32(values.iter().map(|&value| value as i32).collect()),
            _ => Values::I64(values),
        })
    }

    /// Brings each value from its own scale to the declared one.
    fn rescale<T: Copy + Into<i128> + TryFrom<i128>>(
        &mut self,
        wanted: &Selection,
        values: &mut [T],
    ) -> Result<()> {
        let scales = &mut self.scratch;
        read_wanted(
            &mut self.scales,
            wanted,
            scales,
            Integers::read,
            Integers::skip,
        )?;
        let declared = i64::from(self.scale);
        if scales.iter().all(|&scale| scale == declared) {
            return Ok(());
        }
        for (value, &scale) in values.iter_mut().zip(scales.iter()) {
            let rescaled = rescale((*value).into(), scale, declared);
            *value = rescaled
                .and_then(|rescaled| T::try_from(rescaled).ok())
                .ok_or_else(|| {
                    Error::corrupt(format!(
                        "a decimal of scale {scale} does not fit the declared scale {declared}"
                    ))
                })?;
        }
        Ok(())
    }
}

fn check(fits: bool) -> Result<()> {
    match fits {
        true => Ok(()),
        false => Err(Error::corrupt("a decimal exceeds its declared precision")),
    }
}

/// `value / 10^from` as a multiple of `10^-to`, if it is one.
fn rescale(value: i128, from: i64, to: i64) -> Option<i128> {
    if value == 0 {
        return Some(0);
    }
    let factor = |digits: u64| 10i128.checked_pow(u32::try_from(digits).ok()?);
    let digits = to.checked_sub(from)?;
    if digits >= 0 {
        value.checked_mul(factor(digits.unsigned_abs())?)
    } else {
        let factor = factor(digits.unsigned_abs())?;
        (value % factor == 0).then_some(value / factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::encoding::tests::reads_and_skips_like;
    use crate::orc::encoding::varint::tests::put_wide_zigzag;
    use crate::orc::encoding::{RleVersion, tests};
    use crate::orc::stream::tests::{every_way, plain};
    use lith_format::error::ErrorKind;
    use quickcheck::quickcheck;

    quickcheck! {
        fn floats_cross_chunks(bits: Vec<u64>, steps: Vec<(bool, u8)>) -> bool {
            let bytes: Vec<u8> = bits.iter().flat_map(|bits| bits.to_le_bytes()).collect();
            // compared as bits: NaNs differ from themselves
            every_way(&bytes).into_iter().all(|stream| {
                let mut doubles = Floats::<f64>::new(stream);
                reads_and_skips_like(&bits, &steps, &mut doubles, |doubles, out: &mut [u64]| {
                    let mut values = vec![0.0; out.len()];
                    doubles.read(&mut values)?;
                    out.iter_mut().zip(values).for_each(|(out, value)| *out = value.to_bits());
                    Ok(())
                }, Floats::skip)
            })
        }
    }

    #[test]
    fn singles_are_little_endian() {
        let mut out = [0.0];
        Floats::<f32>::new(plain(&[0, 0, 0xc0, 0x3f]))
            .read(&mut out)
            .unwrap();
        assert_eq!(out, [1.5]);
        let error = Floats::<f32>::new(plain(&[0, 0, 0xc0]))
            .read(&mut out)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
    }

    fn decimals(values: &[(i128, i64)], ty: (u8, u8)) -> Result<Values> {
        let mut data = Vec::new();
        values
            .iter()
            .for_each(|value| put_wide_zigzag(&mut data, value.0));
        let scales: Vec<i64> = values.iter().map(|value| value.1).collect();
        let scales = plain(&tests::literals(&scales, true));
        let scales = Integers::signed(scales, RleVersion::V1);
        Decimals::new(plain(&data), scales, ty).read(&Selection::all(values.len()))
    }

    #[test]
    fn values_are_rescaled_to_the_declared_scale() {
        let values = [(15, 1), (150, 2), (-1500, 3), (0, 40), (2, 0)];
        let Ok(Values::I32(small)) = decimals(&values, (9, 2)) else {
            panic!()
        };
        assert_eq!(small, [150, 150, -150, 0, 200]);
        let Ok(Values::I64(medium)) = decimals(&values, (18, 2)) else {
            panic!()
        };
        assert_eq!(medium, [150, 150, -150, 0, 200]);
        let Ok(Values::I128(large)) = decimals(&[(1, 0), (-7, 37)], (38, 37)) else {
            panic!()
        };
        assert_eq!(large, [10i128.pow(37), -7]);
    }

    #[test]
    fn what_does_not_fit_is_corrupt() {
        let kind = |value, ty| decimals(&[value], ty).unwrap_err().kind();
        assert_eq!(kind((1_000_000_000, 0), (9, 0)), ErrorKind::Corrupt);
        assert_eq!(kind((10i128.pow(38), 0), (38, 0)), ErrorKind::Corrupt);
        assert_eq!(kind((1, 0), (38, 38)), ErrorKind::Corrupt);
        assert_eq!(kind((1, i64::MIN), (18, 2)), ErrorKind::Corrupt);
        assert_eq!(kind((15, 3), (18, 2)), ErrorKind::Corrupt);
        assert_eq!(kind((i128::MAX, 2), (18, 2)), ErrorKind::Corrupt);
    }
}
