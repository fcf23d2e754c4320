//! ALP: floats as decimal integers, less the least of them, bit-packed; what is no such decimal is kept as it is.
//!
//! ```text
//! page    = mode u8 | integer encoding u8 | log2 of the vector size u8 | count u32 | offset u32 of each vector | vector*
//! vector  = exponent u8 | factor u8 | exceptions u16 | least | width u8
//!         | integers of `width` bits, less `least` | position u16 of each exception | its value
//! value   = integer * 10^factor * 10^-exponent, in two multiplications of the value's own precision
//! ```
//!
//! Offsets count from the first of them. All vectors but the last are full, so any of them is found without
//! those before it: what is skipped is not decoded. `least` is as wide as a value.
// spec: AlpEncoding.md, "Page Layout", "Decoding"

use bytes::Bytes;
use lith_format::bytes::Cursor;
use lith_format::error::{Error, Result};

use crate::kernel::unpack::{Word, unpack};

/// A float that decimal integers stand for.
pub(crate) trait Real: Copy + 'static {
    /// The integer's bits.
    type Bits: Word;
    /// 10^0 and on, as far as exponents go.
    const TENS: &'static [Self];
    /// 10^-0 and on, as far as exponents go.
    const TENTHS: &'static [Self];

    /// The next value of `cursor`.
    fn take(cursor: &mut Cursor) -> Result<Self>;
    /// The next integer of `cursor`.
    fn take_bits(cursor: &mut Cursor) -> Result<Self::Bits>;
    /// The value of the integer that is `above` the least one.
    fn restore(above: Self::Bits, least: Self::Bits, ten: Self, tenth: Self) -> Self;
}

macro_rules! real {
    ($real:ty, $signed:ty, $bits:ty, $($ten:literal)*, $($tenth:literal)*) => {
        impl Real for $real {
            type Bits = $bits;
            const TENS: &'static [Self] = &[$($ten),*];
            const TENTHS: &'static [Self] = &[$($tenth),*];

            fn take(cursor: &mut Cursor) -> Result<Self> {
                Ok(<$real>::from_le_bytes(cursor.array()?))
            }

            fn take_bits(cursor: &mut Cursor) -> Result<$bits> {
                Ok(<$bits>::from_le_bytes(cursor.array()?))
            }

            #[inline(always)]
            fn restore(above: $bits, least: $bits, ten: Self, tenth: Self) -> Self {
                above.wrapping_add(least) as $signed as $real * ten * tenth
            }
        }
    };
}

real!(f32, i32, u32,
    1e0 1e1 1e2 1e3 1e4 1e5 1e6 1e7 1e8 1e9 1e10,
    1e-0 1e-1 1e-2 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10);
real!(f64, i64, u64,
    1e0 1e1 1e2 1e3 1e4 1e5 1e6 1e7 1e8 1e9 1e10 1e11 1e12 1e13 1e14 1e15 1e16 1e17 1e18,
    1e-0 1e-1 1e-2 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10 1e-11 1e-12 1e-13 1e-14 1e-15 1e-16 1e-17 1e-18);

/// Bytes before the offsets.
const HEADER: usize = 7;

/// The values of a page.
#[derive(Debug)]
pub(crate) struct Alp<T: Real> {
    /// The page from the first offset on.
    data: Bytes,
    vector_size: usize,
    vectors: usize,
    count: usize,
    /// Values read or skipped.
    position: usize,
    /// The vector of which only some values were wanted so far, decoded.
    open: Option<(usize, Vec<T>)>,
    scratch: Vec<T::Bits>,
}

impl<T: Real> Alp<T> {
    /// The page in `data`.
    pub(crate) fn new(data: Bytes) -> Result<Self> {
        let mut cursor = Cursor::new(&data);
        let [mode, integers, log_size] = cursor.array()?;
        let count = u32::from_le_bytes(cursor.array()?);
        if (mode, integers) != (0, 0) {
            return Err(Error::unsupported(format!(
                "ALP of mode {mode} with integers of encoding {integers}"
            )));
        }
        if !(3..=15).contains(&log_size) || count > i32::MAX as u32 {
            return Err(Error::corrupt(format!(
                "ALP of {count} values in vectors of 2^{log_size}"
            )));
        }
        let count = count as usize;
        let vectors = count.div_ceil(1 << log_size);
        cursor.take(vectors * 4)?;
        Ok(Alp {
            data: data.slice(HEADER..),
            vector_size: 1 << log_size,
            vectors,
            count,
            position: 0,
            open: None,
            scratch: Vec::new(),
        })
    }

    /// Appends the next `count` values.
    pub(crate) fn read(&mut self, count: usize, out: &mut Vec<T>) -> Result<()> {
        let mut at = self.position;
        self.skip(count)?;
        while at < self.position {
            let (index, start) = (at / self.vector_size, at % self.vector_size);
            let whole = self.vector_size.min(self.count - index * self.vector_size);
            let end = whole.min(start + self.position - at);
            if end - start == whole {
                self.decode(index, out)?;
            } else {
                let values = match self.open.take() {
                    Some((open, values)) if open == index => values,
                    other => {
                        let mut values = other.map_or_else(Vec::new, |(_, values)| values);
                        values.clear();
                        self.decode(index, &mut values)?;
                        values
                    }
                };
                out.extend_from_slice(&values[start..end]);
                self.open = Some((index, values));
            }
            at += end - start;
        }
        Ok(())
    }

    /// Skips `count` values.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        let left = self.count - self.position;
        if count > left {
            return Err(Error::truncated(format!(
                "{count} ALP values wanted, {left} left"
            )));
        }
        self.position += count;
        Ok(())
    }

    /// Appends all values of a vector.
    fn decode(&mut self, index: usize, out: &mut Vec<T>) -> Result<()> {
        let len = self.vector_size.min(self.count - index * self.vector_size);
        let data = self.data.clone();
        let mut cursor = self.vector(index, &data)?;
        let [exponent, factor, low, high] = cursor.array()?;
        let exceptions = usize::from(u16::from_le_bytes([low, high]));
        let least = T::take_bits(&mut cursor)?;
        let width = cursor.u8()?;
        let tenth = T::TENTHS.get(usize::from(exponent));
        let ten = T::TENS.get(usize::from(factor));
        let (Some(&tenth), Some(&ten), true) = (tenth, ten, factor <= exponent) else {
            let message = format!("ALP exponent {exponent} with factor {factor}");
            return Err(Error::corrupt(message));
        };
        if usize::from(width) > T::Bits::BITS {
            return Err(Error::corrupt(format!("ALP integers of {width} bits")));
        }
        let packed = cursor.take((len * usize::from(width)).div_ceil(8))?;
        let positions = cursor.take(exceptions * 2)?;

        self.scratch.clear();
        self.scratch.resize(len, T::Bits::default());
        unpack(packed, width, &mut self.scratch);
        let base = out.len();
        let restore = |&above: &T::Bits| T::restore(above, least, ten, tenth);
        out.extend(self.scratch.iter().map(restore));
        let values = &mut out[base..];
        for position in positions.as_chunks().0 {
            let position = usize::from(u16::from_le_bytes(*position));
            match values.get_mut(position) {
                Some(value) => *value = T::take(&mut cursor)?,
                None => {
                    let message = format!("ALP exception {position} in a vector of {len}");
                    return Err(Error::corrupt(message));
                }
            }
        }
        Ok(())
    }

    /// The bytes of `data` from the start of a vector on.
    fn vector<'a>(&self, index: usize, data: &'a [u8]) -> Result<Cursor<'a>> {
        let mut offset = Cursor::new(data);
        offset.take(index * 4)?;
        let offset = u32::from_le_bytes(offset.array()?) as usize;
        match data.get(offset..) {
            Some(bytes) if offset >= self.vectors * 4 => Ok(Cursor::new(bytes)),
            _ => Err(Error::corrupt(format!(
                "ALP vector {index} at {offset} of {} bytes",
                data.len()
            ))),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use lith_format::error::ErrorKind;

    /// A vector in which every value that `exponent` and `factor` do not restore is an exception.
    fn encode_vector(values: &[f64], exponent: u8, factor: u8) -> Vec<u8> {
        let (up, down) = (usize::from(exponent), usize::from(factor));
        let restore = |integer: i64| integer as f64 * f64::TENS[down] * f64::TENTHS[up];
        let integer = |value: &f64| (value * f64::TENS[up] * f64::TENTHS[down]).round() as i64;
        let holds = |value: &f64| restore(integer(value)).to_bits() == value.to_bits();
        let spare = values.iter().find(|value| holds(value)).map_or(0, integer);
        let integers: Vec<i64> = values
            .iter()
            .map(|value| if holds(value) { integer(value) } else { spare })
            .collect();
        let least = integers.iter().copied().min().unwrap_or(0);
        let above: Vec<u64> = integers
            .iter()
            .map(|integer| integer.wrapping_sub(least) as u64)
            .collect();
        let width = above
            .iter()
            .map(|a| 64 - a.leading_zeros())
            .max()
            .unwrap_or(0) as usize;
        let mut packed = vec![0u8; (above.len() * width).div_ceil(8)];
        for (index, above) in above.iter().enumerate() {
            for bit in 0..width {
                let at = index * width + bit;
                packed[at / 8] |= ((above >> bit & 1) as u8) << (at % 8);
            }
        }
        let wrong: Vec<usize> = (0..values.len())
            .filter(|&at| !holds(&values[at]))
            .collect();
        let mut out = vec![exponent, factor];
        out.extend((wrong.len() as u16).to_le_bytes());
        out.extend(least.to_le_bytes());
        out.push(width as u8);
        out.extend(packed);
        out.extend(wrong.iter().flat_map(|&at| (at as u16).to_le_bytes()));
        out.extend(wrong.iter().flat_map(|&at| values[at].to_le_bytes()));
        out
    }

    /// A page of vectors, each with its exponent and factor.
    pub(crate) fn encode(values: &[f64], log_size: u8, parameters: &[(u8, u8)]) -> Vec<u8> {
        let vectors: Vec<Vec<u8>> = values
            .chunks(1 << log_size)
            .zip(parameters.iter().cycle())
            .map(|(values, &(exponent, factor))| encode_vector(values, exponent, factor))
            .collect();
        let mut out = vec![0, 0, log_size];
        out.extend((values.len() as u32).to_le_bytes());
        let mut offset = vectors.len() * 4;
        for vector in &vectors {
            out.extend((offset as u32).to_le_bytes());
            offset += vector.len();
        }
        out.extend(vectors.concat());
        out
    }

    fn all<T: Real>(page: &[u8], count: usize) -> Result<Vec<T>> {
        let mut out = Vec::new();
        Alp::new(Bytes::copy_from_slice(page))?.read(count, &mut out)?;
        Ok(out)
    }

    /// 1500, NaN, 2500 and 333.5 by exponent 4 and factor 3, the integers 11665 11665 21665 0 above 3335.
    #[rustfmt::skip]
    const EXAMPLE: [u8; 42] = [
        0, 0, 10, 4, 0, 0, 0,   4, 0, 0, 0,
        4, 3, 1, 0,   0x07, 0x0d, 0, 0, 0, 0, 0, 0,   15,
        0x91, 0xad, 0xc8, 0x56, 0x28, 0x15, 0x00, 0x00,
        1, 0,   0, 0, 0, 0, 0, 0, 0xf8, 0x7f,
    ];

    #[test]
    fn the_specification_s_example() {
        let values: Vec<f64> = all(&EXAMPLE, 4).unwrap();
        assert!(values[1].is_nan());
        assert_eq!([values[0], values[2], values[3]], [1500.0, 2500.0, 333.5]);
        assert_eq!(encode(&values, 10, &[(4, 3)]), EXAMPLE);
    }

    #[test]
    fn singles_multiply_in_their_own_precision() {
        // 123456788 and 123456789 are 123456784 and 123456792 as singles; the third is an exception
        #[rustfmt::skip]
        let page = [
            0, 0, 3, 3, 0, 0, 0,   4, 0, 0, 0,
            3, 0, 1, 0,   0x14, 0xcd, 0x5b, 0x07,   1,
            0b010,
            2, 0,   0, 0, 0, 0x80,
        ];
        let values: Vec<f32> = all(&page, 3).unwrap();
        assert_eq!(values[..2], [123_456.79, 123_456.8]);
        assert_eq!(values[2].to_bits(), (-0.0f32).to_bits());
    }

    #[test]
    fn wrong_numbers_are_refused_by_kind() {
        let flipped = |at: usize, value: u8| {
            let mut page = EXAMPLE;
            page[at] = value;
            all::<f64>(&page, 4).unwrap_err().kind()
        };
        assert_eq!(flipped(0, 1), ErrorKind::Unsupported);
        assert_eq!(flipped(1, 1), ErrorKind::Unsupported);
        assert_eq!(flipped(2, 2), ErrorKind::Corrupt);
        assert_eq!(flipped(2, 16), ErrorKind::Corrupt);
        assert_eq!(flipped(3, 3), ErrorKind::Truncated);
        assert_eq!(flipped(6, 0x80), ErrorKind::Corrupt);
        assert_eq!(flipped(7, 3), ErrorKind::Corrupt);
        assert_eq!(flipped(11, 19), ErrorKind::Corrupt);
        assert_eq!(flipped(12, 5), ErrorKind::Corrupt);
        assert_eq!(flipped(23, 65), ErrorKind::Corrupt);
        assert_eq!(flipped(32, 4), ErrorKind::Corrupt);
    }

    #[test]
    fn hostile_bytes_end_in_an_answer() {
        let values: Vec<f64> = (0..40).map(|n| f64::from(n) / 4.0).collect();
        let page = encode(&values, 3, &[(2, 0), (0, 0)]);
        for at in 0..page.len() {
            assert!(all::<f64>(&page[..at], 40).is_err());
            for flip in 0..=255 {
                let mut page = page.clone();
                page[at] ^= flip;
                for result in [
                    all::<f64>(&page, 40).map(|v| v.len()),
                    all::<f32>(&page, 40).map(|v| v.len()),
                ] {
                    assert!(result.is_err() || result.is_ok_and(|len| len == 40));
                }
            }
        }
    }

    quickcheck::quickcheck! {
        fn any_doubles_come_back_to_the_bit(
            values: Vec<(i16, u64, bool)>, repeat: u8, shape: (u8, u8, u8), steps: Vec<(u8, bool)>
        ) -> bool {
            let values: Vec<f64> = values
                .repeat(usize::from(repeat % 8) + 1)
                .iter()
                .map(|&(short, bits, decimal)| if decimal { f64::from(short) / 100.0 } else { f64::from_bits(bits) })
                .collect();
            let exponent = shape.0 % 19;
            let page = encode(&values, 3 + shape.2 % 6, &[(exponent, shape.1 % (exponent + 1)), (2, 0)]);
            let mut decoder = Alp::<f64>::new(page.into()).unwrap();
            let (mut read, mut expected, mut at) = (Vec::new(), Vec::new(), 0);
            for (step, skip) in steps.iter().chain([&(255, false)]) {
                let step = usize::from(*step).min(values.len() - at);
                if *skip {
                    decoder.skip(step).unwrap();
                } else {
                    decoder.read(step, &mut read).unwrap();
                    expected.extend_from_slice(&values[at..at + step]);
                }
                at += step;
            }
            let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            bits(&read) == bits(&expected) && (at < values.len() || decoder.skip(1).is_err())
        }
    }
}
