//! Writes codes into a dictionary page that stands in front of the data pages.
//!
//! ```text
//! data page   width of a code in bits, 1 byte | codes, run lengths and bit packing
//! ```
//! The dictionary page itself is plain.
// spec: Encodings.md, "Dictionary Encoding (PLAIN_DICTIONARY = 2 and RLE_DICTIONARY = 8)"

use crate::parquet::encoding::rle;

/// Appends `codes`, each below `2^width`. No codes are no runs: the width alone.
pub(crate) fn put(codes: &[u32], width: u32, out: &mut Vec<u8>) {
    out.push(width as u8);
    rle::put(codes, width, out);
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_width_comes_first() {
        let mut out = Vec::new();
        super::put(&[0, 1, 0], 1, &mut out);
        assert_eq!(out, [1, 0x03, 0b010]);
        out.clear();
        super::put(&[], 0, &mut out);
        assert_eq!(out, [0]);
    }
}
