//! Big-endian bit unpacking, as ORC's integer encodings pack: the first value's highest bit is the
//! highest bit of the first byte.
//!
//! ```text
//! width 3:  | aaabbbcc | cdddeeef | ff...      eight values fill exactly `width` bytes
//! ```
//!
//! The body is compiled once for each width that ORC can write, so every shift is a constant. A value
//! of at most 56 bits that starts anywhere in a byte lies within the eight bytes from there on; 64
//! bits are byte-aligned. The bytes at the end of the slice, where eight cannot be read, are copied
//! into a padded block first.
// spec: ORCv1.md, "Direct" (the table of widths)

use lith_format::error::{Error, Result};

/// Unpacks `out.len()` values of `width` bits from the front of `bytes`.
///
/// Widths are those of ORC's table (1 to 24, 26, 28, 30, 32, 40, 48, 56, 64); zero gives zeros. Values
/// of 64 bits come as the signed number of the same bits. Fewer bytes than needed are an error.
pub fn unpack_be(bytes: &[u8], width: usize, out: &mut [i64]) -> Result<()> {
    let wanted = packed_bytes(out.len(), width);
    let Some(bytes) = bytes.get(..wanted) else {
        return Err(Error::truncated(format!(
            "{wanted} bytes of packed values wanted, {} left",
            bytes.len()
        )));
    };
    let body: fn(&[u8], &mut [i64]) = match width {
        0 => |_, out| out.fill(0),
        1 => unpack::<1>,
        2 => unpack::<2>,
        3 => unpack::<3>,
        4 => unpack::<4>,
        5 => unpack::<5>,
        6 => unpack::<6>,
        7 => unpack::<7>,
        8 => unpack::<8>,
        9 => unpack::<9>,
        10 => unpack::<10>,
        11 => unpack::<11>,
        12 => unpack::<12>,
        13 => unpack::<13>,
        14 => unpack::<14>,
        15 => unpack::<15>,
        16 => unpack::<16>,
        17 => unpack::<17>,
        18 => unpack::<18>,
        19 => unpack::<19>,
        20 => unpack::<20>,
        21 => unpack::<21>,
        22 => unpack::<22>,
        23 => unpack::<23>,
        24 => unpack::<24>,
        26 => unpack::<26>,
        28 => unpack::<28>,
        30 => unpack::<30>,
        32 => unpack::<32>,
        40 => unpack::<40>,
        48 => unpack::<48>,
        56 => unpack::<56>,
        64 => unpack::<64>,
        _ => return Err(Error::corrupt(format!("no packed width of {width} bits"))),
    };
    body(bytes, out);
    Ok(())
}

/// How many bytes `count` values of `width` bits fill, the last one padded.
#[inline]
pub fn packed_bytes(count: usize, width: usize) -> usize {
    (count * width).div_ceil(8)
}

/// Values in a step: they start and end on a byte for every width.
const STEP: usize = 8;

fn unpack<const WIDTH: usize>(mut bytes: &[u8], out: &mut [i64]) {
    let mut steps = out.chunks_exact_mut(STEP);
    while bytes.len() >= WIDTH + STEP
        && let Some(step) = steps.next()
    {
        unpack_step::<WIDTH>(&bytes[..WIDTH + STEP], step);
        bytes = &bytes[WIDTH..];
    }
    let mut padded = [0; 64 + STEP];
    for step in steps.by_ref() {
        let (packed, rest) = bytes.split_at(WIDTH);
        padded[..WIDTH].copy_from_slice(packed);
        unpack_step::<WIDTH>(&padded[..WIDTH + STEP], step);
        bytes = rest;
    }
    let tail = steps.into_remainder();
    let mut last = [0; STEP];
    padded = [0; 64 + STEP];
    padded[..bytes.len()].copy_from_slice(bytes);
    unpack_step::<WIDTH>(&padded[..WIDTH + STEP], &mut last);
    tail.copy_from_slice(&last[..tail.len()]);
}

/// Eight values from `WIDTH` bytes, of which eight more follow.
#[inline(always)]
fn unpack_step<const WIDTH: usize>(bytes: &[u8], out: &mut [i64]) {
    for (index, out) in out.iter_mut().enumerate().take(STEP) {
        let bit = index * WIDTH;
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[bit / 8..bit / 8 + 8]);
        *out = (u64::from_be_bytes(word) << (bit % 8) >> (64 - WIDTH)) as i64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::error::ErrorKind;
    use quickcheck::quickcheck;

    const WIDTHS: [usize; 33] = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
        26, 28, 30, 32, 40, 48, 56, 64,
    ];

    /// One bit at a time.
    fn pack(values: &[u64], width: usize) -> Vec<u8> {
        let mut bytes = vec![0; packed_bytes(values.len(), width)];
        for (index, value) in values.iter().enumerate() {
            for bit in 0..width {
                let at = index * width + bit;
                bytes[at / 8] |= ((value >> (width - 1 - bit) & 1) as u8) << (7 - at % 8);
            }
        }
        bytes
    }

    #[test]
    fn the_first_value_has_the_highest_bits() {
        let mut out = [0; 5];
        unpack_be(&[0b0010_1001, 0b1100_1010], 3, &mut out).unwrap();
        assert_eq!(out, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn other_widths_and_missing_bytes_are_errors() {
        let mut out = [0; 4];
        for width in [25, 27, 31, 33, 63, 65] {
            let error = unpack_be(&[0; 64], width, &mut out).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{width}");
        }
        let error = unpack_be(&[0; 3], 8, &mut out).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
    }

    quickcheck! {
        fn unpacks_what_was_packed_bit_by_bit(values: Vec<u64>, trailing: u8) -> bool {
            WIDTHS.iter().all(|&width| {
                let mask = u64::MAX.checked_shr(64 - width as u32).unwrap_or(0);
                let values: Vec<u64> = values.iter().map(|value| value & mask).collect();
                let mut bytes = pack(&values, width);
                bytes.extend(vec![0xff; usize::from(trailing % 20)]);
                let mut out = vec![7; values.len()];
                unpack_be(&bytes, width, &mut out).unwrap();
                out.iter().map(|&value| value as u64).eq(values)
            })
        }
    }
}
