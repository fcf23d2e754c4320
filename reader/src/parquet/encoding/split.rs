//! BYTE_STREAM_SPLIT: byte 0 of every value, then byte 1 of every value, and so on.
//!
//! ```text
//! | a0 b0 c0 .. | a1 b1 c1 .. | .. |        one stream a byte of the width, none with padding
//! ```
//!
//! How many values there are follows from the section's length: nulls are not among them.
// spec: Encodings.md, "Byte Stream Split: (BYTE_STREAM_SPLIT = 9)"

use bytes::Bytes;
use lith_format::error::{Error, Result};
use lith_format::vector::Values;

use crate::kernel::join::join;
use crate::parquet::encoding::plain::ends_early;
use crate::parquet::form::Form;

/// Values whose bytes lie apart.
#[derive(Debug)]
pub(crate) struct Split {
    data: Bytes,
    form: Form,
    width: usize,
    count: usize,
    position: usize,
}

impl Split {
    /// The values of `data`, each of `width` bytes.
    pub(crate) fn new(data: Bytes, form: Form, width: usize) -> Result<Self> {
        if !data.len().is_multiple_of(width) {
            return Err(Error::corrupt(format!(
                "{} bytes are not {width} streams of one length",
                data.len()
            )));
        }
        Ok(Split {
            count: data.len() / width,
            data,
            form,
            width,
            position: 0,
        })
    }

    /// Appends the next `count` values.
    pub(crate) fn read(&mut self, count: usize, out: &mut Values) -> Result<()> {
        let start = self.position;
        self.skip(count)?;
        let mut joined = vec![0; count * self.width];
        join(&self.data, self.width, start, &mut joined);
        let len = joined.len();
        self.form.append(&joined.into(), 0..len, out)
    }

    /// Skips `count` values.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        let left = self.count - self.position;
        if count > left {
            let bytes = |values: usize| values.saturating_mul(self.width);
            return Err(ends_early(bytes(count), bytes(left)));
        }
        self.position += count;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::error::ErrorKind;

    #[test]
    fn the_specification_s_example() {
        let data = Bytes::from_static(&[
            0xaa, 0x00, 0xa3, 0xbb, 0x11, 0xb4, 0xcc, 0x22, 0xc5, 0xdd, 0x33, 0xd6,
        ]);
        let mut values = Split::new(data, Form::U32, 4).unwrap();
        let mut out = Form::U32.empty();
        values.read(3, &mut out).unwrap();
        let expected = [0xddcc_bbaa, 0x3322_1100, 0xd6c5_b4a3];
        assert!(matches!(out, Values::U32(out) if out == expected));
        assert_eq!(values.skip(1).unwrap_err().kind(), ErrorKind::Truncated);
        let ragged = Split::new(Bytes::from_static(&[0; 5]), Form::U32, 4);
        assert_eq!(ragged.unwrap_err().kind(), ErrorKind::Corrupt);
    }

    quickcheck::quickcheck! {
        fn streams_of_every_width_join(bytes: Vec<u8>, skip: usize) -> bool {
            (1..20).all(|width| {
                let count = bytes.len() / width;
                let bytes = &bytes[..count * width];
                let split: Vec<u8> = (0..width).flat_map(|byte| bytes[byte.min(bytes.len())..].iter().copied().step_by(width)).collect();
                let skip = skip % (count + 1);
                let mut values = Split::new(split.into(), Form::Fixed(width), width).unwrap();
                let mut out = Form::Fixed(width).empty();
                values.skip(skip).unwrap();
                values.read(count - skip, &mut out).unwrap();
                let Values::Bytes(views) = out else { return false };
                views.iter().eq(bytes.chunks(width).skip(skip))
            })
        }
    }
}
