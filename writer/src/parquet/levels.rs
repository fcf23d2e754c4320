//! Writes definition levels. A flat leaf has at most one level, which is its validity: whole words of bits are
//! copied.
//!
//! ```text
//! v1   length of what follows, 4 bytes | levels      v2   levels, their length in the header
//! ```
// spec: Encodings.md, "Run Length Encoding / Bit-Packing Hybrid (RLE = 3)"

use std::ops::Range;

use lith_format::bitmap::Bitmap;

use crate::parquet::encoding::rle;

/// Appends the definition levels of a nullable leaf's slots `rows`; without `validity` all hold values.
pub(crate) fn put_definition(
    validity: Option<&Bitmap>,
    rows: Range<usize>,
    with_length: bool,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    if with_length {
        out.extend_from_slice(&[0; 4]);
    }
    let levels = out.len();
    match validity {
        Some(bits) => rle::put_bits(bits, rows.start, rows.len(), out),
        None => rle::put_bits(&Bitmap::repeat(true, rows.len()), 0, rows.len(), out),
    }
    if with_length {
        let length = (out.len() - levels) as u32;
        out[start..levels].copy_from_slice(&length.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_present_is_one_run() {
        let mut out = Vec::new();
        put_definition(None, 5..105, true, &mut out);
        assert_eq!(out, [3, 0, 0, 0, 0xc8, 0x01, 1]);
        out.clear();
        let bits = [true, false, true].into_iter().collect();
        put_definition(Some(&bits), 1..3, false, &mut out);
        assert_eq!(out, [3, 0b10]);
    }
}
