//! Writes values one after the other.
//!
//! ```text
//! boolean                1 bit each, least significant first
//! numbers                4 or 8 bytes, little-endian; decimals beyond 64 bits big-endian, fixed length
//! half precision         2 bytes, little-endian
//! byte strings           length in 4 bytes | bytes; without the length where the type fixes it
//! ```
// spec: Encodings.md, "Plain: (PLAIN = 0)"

use std::ops::Range;

use lith_format::bitmap::Bitmap;
use lith_format::bytes::single_to_half;
use lith_format::error::{Error, Result};

use crate::native::Native;
use crate::store::{ByteStore, Store};

/// How the file stores a value, where its layout alone does not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// As the layout is: 4 or 8 bytes of a number, or bytes with their length.
    Natural,
    /// Exactly so many bytes.
    Fixed(usize),
}

/// A store whose values can be written plainly.
pub(crate) trait Plain: Store {
    /// Appends values `range`.
    fn put(&self, range: Range<usize>, width: Width, out: &mut Vec<u8>) -> Result<()>;
}

/// Numbers whose natural form is their little-endian bytes.
trait LittleEndian: Native {}
impl LittleEndian for i32 {}
impl LittleEndian for u32 {}
impl LittleEndian for i64 {}
impl LittleEndian for u64 {}
impl LittleEndian for f64 {}

impl<T: LittleEndian + std::fmt::Debug> Plain for Vec<T> {
    fn put(&self, range: Range<usize>, _: Width, out: &mut Vec<u8>) -> Result<()> {
        T::put_le(&self[range], out);
        Ok(())
    }
}

impl Plain for Vec<f32> {
    fn put(&self, range: Range<usize>, width: Width, out: &mut Vec<u8>) -> Result<()> {
        match width {
            Width::Natural => f32::put_le(&self[range], out),
            Width::Fixed(_) => out.extend(
                self[range]
                    .iter()
                    .flat_map(|&v| single_to_half(v).to_le_bytes()),
            ),
        }
        Ok(())
    }
}

impl Plain for Vec<i128> {
    fn put(&self, range: Range<usize>, width: Width, out: &mut Vec<u8>) -> Result<()> {
        let Width::Fixed(length @ 1..=16) = width else {
            return Err(Error::unsupported(
                "128-bit numbers are stored in 1 to 16 bytes",
            ));
        };
        let spare = 128 - 8 * length as u32;
        for &value in &self[range] {
            if value << spare >> spare != value {
                return Err(Error::invalid(format!("{value} exceeds {length} bytes")));
            }
            out.extend_from_slice(&value.to_be_bytes()[16 - length..]);
        }
        Ok(())
    }
}

impl Plain for ByteStore {
    fn put(&self, range: Range<usize>, width: Width, out: &mut Vec<u8>) -> Result<()> {
        out.reserve(self.plain_bytes(range.clone()));
        if let Width::Fixed(length) = width {
            if let Some(other) = range.clone().find(|&index| self.get(index).len() != length) {
                let found = self.get(other).len();
                return Err(Error::invalid(format!(
                    "a value of {found} bytes in a column of {length}"
                )));
            }
            out.extend_from_slice(self.concatenated(range));
            return Ok(());
        }
        for index in range {
            let value = self.get(index);
            let length = i32::try_from(value.len())
                .map_err(|_| Error::invalid("a value of more than 2 GiB"))?;
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(value);
        }
        Ok(())
    }
}

impl Plain for Bitmap {
    fn put(&self, range: Range<usize>, _: Width, out: &mut Vec<u8>) -> Result<()> {
        let len = range.len();
        let bits = self.slice(range.start, len);
        let bytes = bits.words().iter().flat_map(|word| word.to_le_bytes());
        out.extend(bytes.take(len.div_ceil(8)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_bytes() {
        let mut out = Vec::new();
        vec![1i32, -1].put(0..2, Width::Natural, &mut out).unwrap();
        assert_eq!(out, [1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
        out.clear();
        vec![-2i128].put(0..1, Width::Fixed(9), &mut out).unwrap();
        assert_eq!(out, [255, 255, 255, 255, 255, 255, 255, 255, 254]);
        assert!(
            vec![1i128 << 71]
                .put(0..1, Width::Fixed(9), &mut out)
                .is_err()
        );
        out.clear();
        let mut bytes = ByteStore::default();
        bytes.push(b"ab");
        bytes.push(b"");
        bytes.put(0..2, Width::Natural, &mut out).unwrap();
        assert_eq!(out, [2, 0, 0, 0, b'a', b'b', 0, 0, 0, 0]);
        assert!(bytes.put(0..2, Width::Fixed(2), &mut out).is_err());
        out.clear();
        let bits: Bitmap = [true, false, true].into_iter().collect();
        bits.put(0..3, Width::Natural, &mut out).unwrap();
        assert_eq!(out, [0b101]);
    }
}
