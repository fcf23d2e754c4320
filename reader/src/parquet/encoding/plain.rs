//! PLAIN: values back to back.
//!
//! ```text
//! fixed width    | v0 | v1 | ..                  BOOLEAN  one bit each, least significant first
//! BYTE_ARRAY     | length u32 | bytes | length u32 | bytes | ..
//! ```
//!
//! A BYTE_ARRAY's length and first 12 bytes already lie like a short view, so a view is made by one load
//! and one mask; longer values are referred to, not copied.
// spec: Encodings.md, "Plain (PLAIN = 0)"

use bytes::Bytes;
use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};
use lith_format::vector::{ByteViews, Values, View};

use crate::kernel::bits::Bits;
use crate::parquet::form::{Form, attach};

/// Values of one width.
#[derive(Debug)]
pub(crate) struct Fixed {
    data: Bytes,
    position: usize,
    form: Form,
    width: usize,
}

impl Fixed {
    /// The values of `data`, each of `width` bytes.
    pub(crate) fn new(data: Bytes, form: Form, width: usize) -> Self {
        Fixed {
            data,
            position: 0,
            form,
            width,
        }
    }

    /// Appends the next `count` values.
    pub(crate) fn read(&mut self, count: usize, out: &mut Values) -> Result<()> {
        let start = self.position;
        self.skip(count)?;
        self.form.append(&self.data, start..self.position, out)
    }

    /// Skips `count` values.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        let left = self.data.len() - self.position;
        match count.checked_mul(self.width) {
            Some(wanted) if wanted <= left => self.position += wanted,
            _ => return Err(ends_early(count.saturating_mul(self.width), left)),
        }
        Ok(())
    }
}

/// One bit each.
#[derive(Debug)]
pub(crate) struct Booleans {
    data: Bytes,
    position: usize,
}

impl Booleans {
    /// The bits of `data`.
    pub(crate) fn new(data: Bytes) -> Self {
        Booleans { data, position: 0 }
    }

    /// Appends the next `count` values.
    pub(crate) fn read(&mut self, count: usize, out: &mut Bitmap) -> Result<()> {
        let start = self.position;
        self.skip(count)?;
        let mut bits = Bits::with_capacity(count);
        bits.push_packed(&self.data, start, count);
        out.extend(&bits.finish());
        Ok(())
    }

    /// Skips `count` values.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        let left = self.data.len() * 8 - self.position;
        if count > left {
            return Err(ends_early(count.div_ceil(8), left / 8));
        }
        self.position += count;
        Ok(())
    }
}

/// Values of any length.
#[derive(Debug)]
pub(crate) struct ByteArrays {
    data: Bytes,
    position: usize,
}

impl ByteArrays {
    /// The values of `data`.
    pub(crate) fn new(data: Bytes) -> Self {
        ByteArrays { data, position: 0 }
    }

    /// Appends views of the next `count` values.
    pub(crate) fn read(&mut self, count: usize, out: &mut ByteViews) -> Result<()> {
        let data = &self.data[..];
        let left = data.len() - self.position;
        if count > left / 4 {
            return Err(ends_early(count.saturating_mul(4), left));
        }
        let mut views = std::mem::take(&mut out.views);
        let old = views.len();
        views.resize(old + count, View::default());
        let result = self.fill(&mut views[old..], out);
        if result.is_err() {
            views.truncate(old);
        }
        out.views = views;
        result
    }

    fn fill(&mut self, views: &mut [View], out: &mut ByteViews) -> Result<()> {
        let data = &self.data[..];
        let mut at = self.position;
        let mut buffer = None;
        for view in views {
            let rest = &data[at..];
            let Some(prefix) = rest.first_chunk() else {
                return Err(ends_early(4, rest.len()));
            };
            let len = u32::from_le_bytes(*prefix) as usize;
            if len > rest.len() - 4 {
                return Err(ends_early(len, rest.len() - 4));
            }
            let number = match buffer {
                Some(number) => number,
                None if len <= View::INLINE => 0,
                None => *buffer.insert(attach(out, &self.data)?),
            };
            let start = at + 4;
            *view = match rest.first_chunk() {
                Some(window) => View::from_window(*window, number, start as u32),
                None => View::new(&rest[4..4 + len], number, start as u32),
            };
            at = start + len;
        }
        self.position = at;
        Ok(())
    }

    /// Skips `count` values.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        for _ in 0..count {
            let rest = &self.data[self.position..];
            let Some(prefix) = rest.first_chunk() else {
                return Err(ends_early(4, rest.len()));
            };
            let len = u32::from_le_bytes(*prefix) as usize;
            if len > rest.len() - 4 {
                return Err(ends_early(len, rest.len() - 4));
            }
            self.position += 4 + len;
        }
        Ok(())
    }
}

#[cold]
pub(crate) fn ends_early(wanted: usize, left: usize) -> Error {
    Error::truncated(format!("{wanted} bytes of values wanted, {left} left"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::error::ErrorKind;

    fn encode(values: &[Vec<u8>]) -> Bytes {
        let mut out = Vec::new();
        for value in values {
            out.extend((value.len() as u32).to_le_bytes());
            out.extend(value);
        }
        out.into()
    }

    #[test]
    fn fixed_values_read_and_skip() {
        let data: Vec<u8> = (0..5i64).flat_map(i64::to_le_bytes).collect();
        let mut values = Fixed::new(data.into(), Form::I64, 8);
        let mut out = Form::I64.empty();
        values.skip(2).unwrap();
        values.read(2, &mut out).unwrap();
        assert!(matches!(out, Values::I64(ref out) if *out == [2, 3]));
        let error = values.read(2, &mut out).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
        assert!(values.skip(usize::MAX).is_err());
    }

    #[test]
    fn booleans_are_bits() {
        let mut values = Booleans::new(Bytes::from_static(&[0b0110_1001, 0b1]));
        let mut out = Bitmap::new();
        values.skip(3).unwrap();
        values.read(6, &mut out).unwrap();
        assert!(out.iter().eq([true, false, true, true, false, true]));
        assert_eq!(
            values.read(8, &mut out).unwrap_err().kind(),
            ErrorKind::Truncated
        );
    }

    #[test]
    fn short_pages_own_no_buffer() {
        let data = encode(&[b"short".to_vec()]);
        let mut out = ByteViews::default();
        ByteArrays::new(data).read(1, &mut out).unwrap();
        assert!(out.buffers.is_empty());
    }

    #[test]
    fn lengths_that_lie_are_truncations() {
        for lie in [6u32, 1 << 20, u32::MAX] {
            let data: Bytes = [&lie.to_le_bytes()[..], b"short"].concat().into();
            let mut out = ByteViews::default();
            let mut values = ByteArrays::new(data.clone());
            assert_eq!(
                values.read(1, &mut out).unwrap_err().kind(),
                ErrorKind::Truncated
            );
            assert_eq!(values.skip(1).unwrap_err().kind(), ErrorKind::Truncated);
            let error = ByteArrays::new(data).read(1 << 40, &mut out).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Truncated);
        }
    }

    quickcheck::quickcheck! {
        fn byte_arrays_read_back(values: Vec<Vec<u8>>, skip: usize) -> bool {
            let skip = skip % (values.len() + 1);
            let mut reader = ByteArrays::new(encode(&values));
            let mut out = ByteViews::default();
            reader.skip(skip).unwrap();
            reader.read(values.len() - skip, &mut out).unwrap();
            out.iter().eq(values[skip..].iter().map(Vec::as_slice)) && reader.skip(1).is_err()
        }
    }
}
