//! Looks codes up in a dictionary.

use lith_format::bitmap::Bitmap;

use crate::kernel::bits::Bits;

/// Appends `dictionary[code]` for each code.
///
/// # Panics
/// If a code is out of bounds.
pub fn gather<T: Copy>(dictionary: &[T], codes: &[u32], out: &mut Vec<T>) {
    out.extend(codes.iter().map(|&code| dictionary[code as usize]));
}

/// Appends bit `code` of `dictionary` for each code.
///
/// # Panics
/// If a code is out of bounds.
pub fn gather_bits(dictionary: &Bitmap, codes: &[u32], out: &mut Bits) {
    for &code in codes {
        out.push_word(u64::from(dictionary.get(code as usize)), 1);
    }
}

/// The largest code; 0 if there are none.
pub fn max_code(codes: &[u32]) -> u32 {
    codes.iter().fold(0, |max, &code| max.max(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_values() {
        let mut out = vec![7];
        gather(&[10, 20, 30], &[2, 0, 2], &mut out);
        assert_eq!(out, [7, 30, 10, 30]);
        let mut bits = Bits::default();
        gather_bits(&[true, false].into_iter().collect(), &[1, 0, 0], &mut bits);
        assert!(bits.finish().iter().eq([false, true, true]));
        assert_eq!((max_code(&[1, 9, 3]), max_code(&[])), (9, 0));
    }
}
