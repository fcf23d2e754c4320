//! A checked little-endian reader over a byte slice, on which all decoding of metadata is built.
//!
//! Ending early is always an error that carries the offset; nothing here allocates.

use crate::error::{Error, Result};

/// What is left of a slice, with bounds-checked reads.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    rest: &'a [u8],
    /// Bytes of the whole slice.
    length: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor {
            rest: bytes,
            length: bytes.len(),
        }
    }

    /// Bytes consumed so far.
    #[inline]
    pub fn position(&self) -> usize {
        self.length - self.rest.len()
    }

    /// Bytes left.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Whether all bytes are consumed.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The bytes left, without consuming them.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Goes on at `rest`, which is what will be left then.
    #[inline]
    pub(crate) fn resume(&mut self, rest: &'a [u8]) {
        self.rest = rest;
    }

    /// The next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        match self.rest.split_at_checked(count) {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => Err(self.clone().ends_early(count)),
        }
    }

    /// The next `N` bytes as an array.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.rest.split_first_chunk() {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(*bytes)
            }
            None => Err(self.clone().ends_early(N)),
        }
    }

    /// One byte.
    #[inline(always)]
    pub fn u8(&mut self) -> Result<u8> {
        match self.rest {
            [byte, rest @ ..] => {
                self.rest = rest;
                Ok(*byte)
            }
            [] => Err(self.clone().ends_early(1)),
        }
    }

    /// Four bytes, little-endian.
    #[inline]
    pub fn u32_le(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Eight bytes, little-endian.
    #[inline]
    pub fn u64_le(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// An unsigned LEB128 number of at most 64 bits (ULEB128 in Parquet, varint in Protocol Buffers).
    #[inline(always)]
    pub fn varint(&mut self) -> Result<u64> {
        // most are short
        match self.rest {
            [a @ ..0x80, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(*a))
            }
            [a, b @ ..0x80, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(*a & 0x7f) | u64::from(*b) << 7)
            }
            _ => {
                // a copy, so that the compiler can keep the cursor itself in registers
                let mut ahead = self.clone();
                let value = ahead.long_varint()?;
                *self = ahead;
                Ok(value)
            }
        }
    }

    #[inline(never)]
    fn long_varint(&mut self) -> Result<u64> {
        let part = |byte: u8, shift: u32| u64::from(byte & 0x7f) << shift;
        // most offsets in files are no longer than four bytes
        match self.rest {
            [a, b, c @ ..0x80, rest @ ..] => {
                self.rest = rest;
                return Ok(part(*a, 0) | part(*b, 7) | part(*c, 14));
            }
            [a, b, c, d @ ..0x80, rest @ ..] => {
                self.rest = rest;
                return Ok(part(*a, 0) | part(*b, 7) | part(*c, 14) | part(*d, 21));
            }
            _ => {}
        }
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(self.too_wide("varint exceeds 64 bits"));
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.too_wide("varint exceeds 10 bytes"))
    }

    #[cold]
    fn too_wide(&self, message: &'static str) -> Error {
        Error::corrupt(message).at("varint", self.position() as u64)
    }

    /// A signed number in zigzag form.
    #[inline]
    pub fn zigzag(&mut self) -> Result<i64> {
        self.varint().map(unzigzag)
    }

    /// Takes the cursor by value, so that the compiler can keep the caller's in registers.
    #[cold]
    fn ends_early(self, wanted: usize) -> Error {
        let left = self.remaining();
        Error::truncated(format!("{wanted} bytes wanted, {left} left"))
            .at("buffer", self.position() as u64)
    }
}

/// Zigzag to signed: 0, 1, 2, 3 become 0, -1, 1, -2.
#[inline]
pub fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// [`unzigzag`] of a number of 32 bits.
#[inline]
pub fn unzigzag_i32(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

/// Signed to zigzag, the inverse of [`unzigzag`].
#[inline]
pub fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Whether all of `bytes`, which are usually few, are ASCII.
#[inline]
pub(crate) fn is_ascii(bytes: &[u8]) -> bool {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        // two words that overlap hold all of them
        (Some(first), Some(last)) if bytes.len() <= 16 => {
            let all = u64::from_ne_bytes(*first) | u64::from_ne_bytes(*last);
            all & 0x8080_8080_8080_8080 == 0
        }
        _ => bytes.is_ascii(),
    }
}

/// Appends `value` as an unsigned LEB128 number.
pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The value of a half-precision number: single precision holds all of them.
#[inline]
pub fn half_to_single(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let magnitude = u32::from(bits & 0x7fff);
    let single = match magnitude {
        // subnormal: a count of the smallest one, two to the minus 24
        0..0x0400 => (magnitude as f32 / 16_777_216.0).to_bits(),
        0x0400..0x7c00 => (magnitude << 13) + (112 << 23),
        _ => 0x7f80_0000 | (magnitude & 0x03ff) << 13,
    };
    f32::from_bits(sign | single)
}

/// The nearest half-precision number, the even one of two.
#[inline]
pub fn single_to_half(value: f32) -> u16 {
    let sign = (value.to_bits() >> 16) as u16 & 0x8000;
    let magnitude = value.abs().to_bits();
    let half = if value.is_nan() {
        0x7c00 | ((magnitude >> 13) as u16 & 0x03ff).max(1)
    } else if value.abs() >= 65_520.0 {
        0x7c00
    } else if magnitude < 113 << 23 {
        (value.abs() * 16_777_216.0).round_ties_even() as u16
    } else {
        let shifted = magnitude - (112 << 23);
        ((shifted + 0x0fff + (shifted >> 13 & 1)) >> 13) as u16
    };
    sign | half
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn varint_rejects_more_than_64_bits() {
        let mut widest = vec![0xff; 9];
        widest.push(0x01);
        assert_eq!(Cursor::new(&widest).varint().unwrap(), u64::MAX);
        *widest.last_mut().unwrap() = 0x02;
        assert_eq!(
            Cursor::new(&widest).varint().unwrap_err().kind(),
            ErrorKind::Corrupt
        );
        assert_eq!(
            Cursor::new(&[0x80; 11]).varint().unwrap_err().kind(),
            ErrorKind::Corrupt
        );
        assert_eq!(
            Cursor::new(&[0x80]).varint().unwrap_err().kind(),
            ErrorKind::Truncated
        );
    }

    #[test]
    fn halves_round_trip_and_singles_round_to_even() {
        for bits in 0..=u16::MAX {
            assert_eq!(single_to_half(half_to_single(bits)), bits);
        }
        assert_eq!(half_to_single(0x3c01), 1.0 + 1.0 / 1024.0);
        assert_eq!(half_to_single(0x0001), 2f32.powi(-24));
        assert_eq!(half_to_single(0xfbff), -65504.0);
        assert_eq!(single_to_half(65519.0), 0x7bff);
        assert_eq!(single_to_half(65520.0), 0x7c00);
        assert_eq!(single_to_half(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(single_to_half(1.0 + 3.0 / 2048.0), 0x3c02);
        assert_eq!(single_to_half(2f32.powi(-25)), 0);
        assert_eq!(single_to_half(1e-10), 0);
    }

    quickcheck::quickcheck! {
        fn varints_round_trip(value: i64) -> bool {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, zigzag(value));
            Cursor::new(&bytes).zigzag().unwrap() == value
        }
    }
}
