//! Writes the hybrid of run lengths and bit packing: dictionary codes, levels.
//!
//! ```text
//! run     varint(count << 1)        value in ceil(width / 8) bytes
//! packed  varint(groups << 1 | 1)   groups of 8 values, width bytes each, least significant bit first
//! ```
//! A run is written where it is shorter than packing the same values would be.
// spec: Encodings.md, "Run Length Encoding / Bit-Packing Hybrid (RLE = 3)"

use lith_format::bitmap::Bitmap;
use lith_format::bytes::put_varint;

/// Appends `values`, each below `2^width`. With a width of 0 there is one run and no value bytes.
pub(crate) fn put(values: &[u32], width: u32, out: &mut Vec<u8>) {
    let shortest = shortest_run(width);
    let (mut packed_from, mut at) = (0, 0);
    while at < values.len() {
        let run = run_length(&values[at..]);
        if run >= shortest {
            put_packed(&values[packed_from..at], width, out);
            put_run(values[at], run, width, out);
            at += run;
            packed_from = at;
        } else {
            at = values.len().min(at + 8);
        }
    }
    put_packed(&values[packed_from..], width, out);
}

/// The shortest run that is not longer than the packed groups it replaces, with the header that
/// cutting the packed values in two costs.
fn shortest_run(width: u32) -> usize {
    match width {
        0 => 1,
        _ => 8 * (3 + width.div_ceil(8)).div_ceil(width) as usize,
    }
}

fn run_length(values: &[u32]) -> usize {
    let first = values[0];
    let other = values.iter().position(|&value| value != first);
    other.unwrap_or(values.len())
}

fn put_run(value: u32, count: usize, width: u32, out: &mut Vec<u8>) {
    put_varint(out, (count as u64) << 1);
    out.extend_from_slice(&value.to_le_bytes()[..width.div_ceil(8) as usize]);
}

fn put_packed(values: &[u32], width: u32, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    let groups = values.len().div_ceil(8);
    put_varint(out, (groups as u64) << 1 | 1);
    let start = out.len();
    let step = width as usize;
    // every group is stored in whole words that reach into the next group, which then overwrites them
    out.resize(start + groups * step + 32, 0);
    let (whole, rest) = values.as_chunks::<8>();
    for (index, group) in whole.iter().enumerate() {
        pack(group, width, &mut out[start + index * step..]);
    }
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        pack(&last, width, &mut out[start + whole.len() * step..]);
    }
    out.truncate(start + groups * step);
}

/// Packs eight values over the front of `slot`, which is at least 32 bytes long.
#[inline]
fn pack(group: &[u32; 8], width: u32, slot: &mut [u8]) {
    if width <= 8 {
        let mut word = 0u64;
        for (index, &value) in group.iter().enumerate() {
            word |= u64::from(value) << (index as u32 * width);
        }
        slot[..8].copy_from_slice(&word.to_le_bytes());
    } else if width <= 16 {
        let mut word = 0u128;
        for (index, &value) in group.iter().enumerate() {
            word |= u128::from(value) << (index as u32 * width);
        }
        slot[..16].copy_from_slice(&word.to_le_bytes());
    } else {
        pack_wide(group, width, slot);
    }
}

fn pack_wide(group: &[u32; 8], width: u32, slot: &mut [u8]) {
    let (mut word, mut bits, mut at) = (0u64, 0, 0);
    for &value in group {
        word |= u64::from(value) << bits;
        bits += width;
        if bits >= 32 {
            slot[at..at + 4].copy_from_slice(&(word as u32).to_le_bytes());
            word >>= 32;
            bits -= 32;
            at += 4;
        }
    }
    slot[at..at + 4].copy_from_slice(&(word as u32).to_le_bytes());
}

/// Appends bits `start..start + len` as levels of width 1: they are copied as bits.
pub(crate) fn put_bits(bits: &Bitmap, start: usize, len: usize, out: &mut Vec<u8>) {
    let bits = bits.slice(start, len);
    match bits.count_ones() {
        _ if len == 0 => return,
        0 => return put_run(0, len, 1, out),
        ones if ones == len => return put_run(1, len, 1, out),
        _ => {}
    }
    let bytes: Vec<u8> = bits
        .words()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    put_bit_bytes(&bytes[..len.div_ceil(8)], len, out);
}

/// Appends whole bytes of levels, long stretches of equal bits as runs. The last byte may be padding
/// in part: it is always packed, so that no run is longer than the levels.
fn put_bit_bytes(bytes: &[u8], len: usize, out: &mut Vec<u8>) {
    const SHORTEST: usize = 5;
    let whole = len / 8;
    let literal = |bytes: &[u8], out: &mut Vec<u8>| {
        if !bytes.is_empty() {
            put_varint(out, (bytes.len() as u64) << 1 | 1);
            out.extend_from_slice(bytes);
        }
    };
    let (mut packed_from, mut at) = (0, 0);
    while at < whole {
        let byte = bytes[at];
        let run = bytes[at..whole]
            .iter()
            .take_while(|&&other| other == byte)
            .count();
        if run >= SHORTEST && (byte == 0 || byte == u8::MAX) {
            literal(&bytes[packed_from..at], out);
            put_run(u32::from(byte & 1), run * 8, 1, out);
            packed_from = at + run;
        }
        at += run;
    }
    literal(&bytes[packed_from..], out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::bytes::Cursor;

    /// Reads `count` values as the specification says, without any cleverness.
    fn naive(bytes: &[u8], width: u32, count: usize) -> Vec<u32> {
        let mut cursor = Cursor::new(bytes);
        let mut values = Vec::new();
        while values.len() < count {
            let header = cursor.varint().unwrap();
            let number = (header >> 1) as usize;
            if header & 1 == 0 {
                let mut value = [0; 4];
                let size = width.div_ceil(8) as usize;
                value[..size].copy_from_slice(cursor.take(size).unwrap());
                values.extend(std::iter::repeat_n(u32::from_le_bytes(value), number));
                assert!(values.len() <= count, "a run past the end");
            } else {
                let packed = cursor.take(number * width as usize).unwrap();
                let bit = |at: usize| u32::from(packed[at / 8] >> (at % 8) & 1);
                values.extend((0..number * 8).map(|index| {
                    let from = index * width as usize;
                    (0..width).map(|b| bit(from + b as usize) << b).sum::<u32>()
                }));
            }
        }
        assert!(cursor.is_empty(), "bytes left over");
        values.truncate(count);
        values
    }

    #[test]
    fn the_specification_s_example() {
        let mut out = Vec::new();
        put(&[0, 1, 2, 3, 4, 5, 6, 7], 3, &mut out);
        assert_eq!(out, [0x03, 0b1000_1000, 0b1100_0110, 0b1111_1010]);
    }

    #[test]
    fn a_width_of_zero_is_one_run_without_a_value() {
        let mut out = Vec::new();
        put(&[0; 100], 0, &mut out);
        assert_eq!(out, [0xc8, 0x01]);
        out.clear();
        put(&[], 0, &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn long_runs_are_not_packed() {
        let mut out = Vec::new();
        put(&[5; 1000], 3, &mut out);
        assert_eq!(out, [0xd0, 0x0f, 0x05]);
    }

    quickcheck::quickcheck! {
        fn codes_read_back(runs: Vec<(u32, u8)>, width: u32) -> bool {
            let width = width % 33;
            let mask = ((1u64 << width) - 1) as u32;
            let values: Vec<u32> = runs
                .iter()
                .flat_map(|&(value, count)| std::iter::repeat_n(value & mask, usize::from(count % 40)))
                .collect();
            let mut out = Vec::new();
            put(&values, width, &mut out);
            naive(&out, width, values.len()) == values
        }

        fn levels_read_back(runs: Vec<(bool, u8)>, start: usize) -> bool {
            let bits: Bitmap = runs
                .iter()
                .flat_map(|&(bit, count)| std::iter::repeat_n(bit, usize::from(count)))
                .collect();
            let start = if bits.is_empty() { 0 } else { start % bits.len() };
            let mut out = Vec::new();
            put_bits(&bits, start, bits.len() - start, &mut out);
            let expected: Vec<u32> = bits.iter().skip(start).map(u32::from).collect();
            naive(&out, 1, expected.len()) == expected
        }
    }
}
