//! Decodes dictionary codes in bulk: one look-up a code.

use lith_format::bitmap::Bitmap;
use lith_format::vector::Values;

use crate::kernel::bits::Bits;

/// Appends the entry of each code to values of the same flat layout, and answers whether it is the same.
/// The buffers of byte strings are those of the dictionary, perhaps followed by others.
///
/// # Panics
/// If a code is out of bounds.
pub fn gather_values(dictionary: &Values, codes: &[u32], out: &mut Values) -> bool {
    match (dictionary, out) {
        (Values::Boolean(entries), Values::Boolean(out)) => {
            let mut bits = Bits::with_capacity(codes.len());
            gather_bits(entries, codes, &mut bits);
            out.extend(&bits.finish());
        }
        (Values::I32(entries), Values::I32(out)) => gather(entries, codes, out),
        (Values::I64(entries), Values::I64(out)) => gather(entries, codes, out),
        (Values::U32(entries), Values::U32(out)) => gather(entries, codes, out),
        (Values::U64(entries), Values::U64(out)) => gather(entries, codes, out),
        (Values::I128(entries), Values::I128(out)) => gather(entries, codes, out),
        (Values::I256(entries), Values::I256(out)) => gather(entries, codes, out),
        (Values::F32(entries), Values::F32(out)) => gather(entries, codes, out),
        (Values::F64(entries), Values::F64(out)) => gather(entries, codes, out),
        (Values::Bytes(entries), Values::Bytes(out)) => {
            gather(&entries.views, codes, &mut out.views);
        }
        _ => return false,
    }
    true
}

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
