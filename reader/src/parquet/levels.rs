//! Definition levels of a page: which rows hold a value.
//!
//! At the top level a level is one bit, so the levels are the validity bitmap: bits are moved, no
//! integer is decoded, and nothing is decoded for rows that are not asked for.
//!
//! ```text
//! V1, RLE         | length u32 | hybrid runs |          V2  | hybrid runs, length in the header |
//! V1, BIT_PACKED  | one bit a row, most significant first |
//! ```
// spec: Encodings.md, "Run Length Encoding / Bit-Packing Hybrid", "Bit-packed (Deprecated)"

use bytes::Bytes;
use lith_format::bytes::Cursor;
use lith_format::error::{Error, Result};
use lith_format::parquet::encoding::Encoding;

use crate::kernel::bits::{Bits, count_packed};
use crate::parquet::encoding::rle::{Hybrid, Run};

/// The definition levels of a page of a top-level leaf.
#[derive(Debug)]
pub(crate) enum Validity {
    /// The leaf is required: there are no levels and every row holds a value.
    All,
    /// Levels of width 1.
    Levels(Hybrid),
}

impl Validity {
    /// Takes the levels off the front of a V1 page.
    pub(crate) fn split_v1(page: &mut Bytes, encoding: Encoding, rows: usize) -> Result<Self> {
        let bytes = match encoding {
            Encoding::Rle => {
                let len = Cursor::new(page).u32_le()? as usize;
                let mut prefixed = take(page, len.saturating_add(4))?;
                prefixed.split_off(4)
            }
            Encoding::BitPacked => {
                let packed = take(page, rows.div_ceil(8))?;
                let mut run = Vec::with_capacity(packed.len() + 10);
                lith_format::bytes::put_varint(&mut run, (packed.len() as u64) << 1 | 1);
                run.extend(packed.iter().map(|byte| byte.reverse_bits()));
                run.into()
            }
            other => {
                return Err(Error::unsupported(format!("definition levels in {other}")));
            }
        };
        Ok(Validity::Levels(Hybrid::new(bytes, 1)?))
    }

    /// The levels of a V2 page.
    pub(crate) fn v2(levels: Bytes) -> Result<Self> {
        Ok(Validity::Levels(Hybrid::new(levels, 1)?))
    }

    /// Appends the next `rows` bits and answers how many of them are one.
    pub(crate) fn read(&mut self, rows: usize, out: &mut Bits) -> Result<usize> {
        match self {
            Validity::All => {
                out.push_repeat(true, rows);
                Ok(rows)
            }
            Validity::Levels(runs) => each(runs, rows, Some(out)),
        }
    }

    /// Passes over `rows` bits and answers how many of them are one.
    pub(crate) fn skip(&mut self, rows: usize) -> Result<usize> {
        match self {
            Validity::All => Ok(rows),
            Validity::Levels(runs) => each(runs, rows, None),
        }
    }
}

fn each(runs: &mut Hybrid, rows: usize, mut out: Option<&mut Bits>) -> Result<usize> {
    let (mut left, mut ones) = (rows, 0);
    while left > 0 {
        match runs.run(left)? {
            Run::Repeat { value, len } => {
                if let Some(out) = &mut out {
                    out.push_repeat(value == 1, len);
                }
                ones += if value == 1 { len } else { 0 };
                left -= len;
            }
            Run::Packed { bytes, start, len } => {
                ones += match &mut out {
                    Some(out) => out.push_packed(bytes, start, len),
                    None => count_packed(bytes, start, len),
                };
                left -= len;
            }
        }
    }
    Ok(ones)
}

fn take(page: &mut Bytes, len: usize) -> Result<Bytes> {
    if len > page.len() {
        return Err(Error::truncated(format!(
            "{len} bytes of definition levels wanted, {} left",
            page.len()
        )));
    }
    Ok(page.split_to(len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::error::ErrorKind;

    fn bits(validity: &mut Validity, rows: usize) -> (usize, Vec<bool>) {
        let mut out = Bits::default();
        let ones = validity.read(rows, &mut out).unwrap();
        (ones, out.finish().iter().collect())
    }

    #[test]
    fn v1_levels_end_where_their_length_says() {
        let mut page = Bytes::from_static(&[4, 0, 0, 0, 6, 1, 3, 0b0000_0101, 0xaa]);
        let mut validity = Validity::split_v1(&mut page, Encoding::Rle, 6).unwrap();
        assert_eq!(page, &[0xaa][..]);
        assert_eq!(validity.skip(2).unwrap(), 2);
        assert_eq!(bits(&mut validity, 4), (3, vec![true, true, false, true]));
    }

    #[test]
    fn deprecated_levels_are_packed_from_the_top() {
        let mut page = Bytes::from_static(&[0b1010_0000, 0b1000_0000, 0xaa]);
        let mut validity = Validity::split_v1(&mut page, Encoding::BitPacked, 9).unwrap();
        assert_eq!(page.len(), 1);
        let (ones, rows) = bits(&mut validity, 9);
        assert_eq!(
            (ones, &rows[..3], rows[8]),
            (3, &[true, false, true][..], true)
        );
    }

    #[test]
    fn cut_levels_are_errors() {
        let mut page = Bytes::from_static(&[4, 0, 0, 0, 6, 1, 3]);
        let error = Validity::split_v1(&mut page, Encoding::Rle, 6).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
        let mut levels = Validity::v2(Bytes::from_static(&[6, 1])).unwrap();
        let error = levels.read(4, &mut Bits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
    }

    #[test]
    fn a_required_leaf_has_no_levels() {
        assert_eq!(bits(&mut Validity::All, 3), (3, vec![true; 3]));
    }
}
