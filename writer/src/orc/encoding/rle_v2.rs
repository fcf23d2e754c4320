//! Writes integers in runs of up to 512, each in the form that suits it.
//!
//! ```text
//! short repeat  00 width-1 (3) count-3 (3) | value, big-endian
//! direct        01 width (5) length-1 (9)  | values bit-packed, most significant first
//! delta         11 width (5) length-1 (9)  | base varint | first delta varint | further deltas packed
//! ```
//! Delta runs are written for sequences of one step (a step of zero included), whose width is 0.
//! Signed values are zigzagged, but the first delta is signed always.
// spec: ORCv1.md, "Integer Run Length Encoding, version 2"

use lith_format::bytes::{put_varint, zigzag};

const LONGEST: usize = 512;

/// The shortest sequence of one step that is worth ending a direct run for.
const SHORTEST_DELTA: usize = 8;

/// Appends `values`; unsigned ones are not below zero.
pub(crate) fn put(values: &[i64], signed: bool, out: &mut Vec<u8>) {
    let (mut direct_from, mut at) = (0, 0);
    while at < values.len() {
        let run = steady(&values[at..]);
        let repeats = run.len >= 3 && run.step == 0;
        if !repeats && run.len < SHORTEST_DELTA {
            // the last value of a sequence may begin another
            at += run.len.max(2) - 1;
            continue;
        }
        put_direct(&values[direct_from..at], signed, out);
        if repeats && run.len <= 10 {
            put_repeat(values[at], run.len, signed, out);
        } else {
            put_delta(values[at], &run, signed, out);
        }
        at += run.len;
        direct_from = at;
    }
    put_direct(&values[direct_from..], signed, out);
}

/// A sequence with the same step between neighbours.
struct Steady {
    len: usize,
    step: i64,
}

fn steady(values: &[i64]) -> Steady {
    let values = &values[..values.len().min(LONGEST)];
    let step_at = |at: usize| values[at].checked_sub(values[at - 1]);
    let Some(step) = (values.len() > 1).then(|| step_at(1)).flatten() else {
        return Steady { len: 1, step: 0 };
    };
    let end = (2..values.len()).find(|&at| step_at(at) != Some(step));
    Steady {
        len: end.unwrap_or(values.len()),
        step,
    }
}

fn stored(value: i64, signed: bool) -> u64 {
    if signed { zigzag(value) } else { value as u64 }
}

fn put_repeat(value: i64, count: usize, signed: bool, out: &mut Vec<u8>) {
    let value = stored(value, signed);
    let bytes = (64 - value.leading_zeros()).div_ceil(8).max(1) as usize;
    out.push(((bytes - 1) << 3 | (count - 3)) as u8);
    out.extend_from_slice(&value.to_be_bytes()[8 - bytes..]);
}

fn put_delta(base: i64, run: &Steady, signed: bool, out: &mut Vec<u8>) {
    put_header(0b11, 0, run.len, out);
    put_varint(out, stored(base, signed));
    put_varint(out, zigzag(run.step));
}

fn put_direct(values: &[i64], signed: bool, out: &mut Vec<u8>) {
    for chunk in values.chunks(LONGEST) {
        let all = chunk
            .iter()
            .fold(0, |all, &value| all | stored(value, signed));
        let (width, code) = width_of(64 - all.leading_zeros());
        put_header(0b01, code, chunk.len(), out);
        pack(chunk.iter().map(|&value| stored(value, signed)), width, out);
    }
}

fn put_header(kind: u8, code: u8, len: usize, out: &mut Vec<u8>) {
    let len = len - 1;
    out.push(kind << 6 | code << 1 | (len >> 8) as u8);
    out.push(len as u8);
}

/// The smallest width that the format has for `bits` bits, and its code.
fn width_of(bits: u32) -> (u32, u8) {
    match bits {
        0 => (1, 0),
        1..=24 => (bits, bits as u8 - 1),
        25..=26 => (26, 24),
        27..=28 => (28, 25),
        29..=30 => (30, 26),
        31..=32 => (32, 27),
        33..=40 => (40, 28),
        41..=48 => (48, 29),
        49..=56 => (56, 30),
        _ => (64, 31),
    }
}

fn pack(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let (mut word, mut bits) = (0u128, 0);
    for value in values {
        word = word << width | u128::from(value);
        bits += width;
        while bits >= 8 {
            bits -= 8;
            out.push((word >> bits) as u8);
        }
    }
    if bits > 0 {
        out.push((word << (8 - bits)) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::bytes::{Cursor, unzigzag};

    fn bytes(values: &[i64], signed: bool) -> Vec<u8> {
        let mut out = Vec::new();
        put(values, signed, &mut out);
        out
    }

    #[test]
    fn the_specification_s_examples() {
        assert_eq!(bytes(&[10_000; 5], false), [0x0a, 0x27, 0x10]);
        let direct = [23_713, 43_806, 57_005, 48_879];
        let expected = [0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef];
        assert_eq!(bytes(&direct, false), expected);
    }

    /// Reads the three forms as the specification says.
    fn naive(bytes: &[u8], signed: bool) -> Vec<i64> {
        let value = |raw: u64| if signed { unzigzag(raw) } else { raw as i64 };
        let mut cursor = Cursor::new(bytes);
        let mut out = Vec::new();
        while !cursor.is_empty() {
            let first = cursor.u8().unwrap();
            if first >> 6 == 0 {
                let raw = cursor.take(usize::from(first >> 3 & 7) + 1).unwrap();
                let raw = raw
                    .iter()
                    .fold(0u64, |raw, &byte| raw << 8 | u64::from(byte));
                out.extend(std::iter::repeat_n(value(raw), usize::from(first & 7) + 3));
                continue;
            }
            let len = usize::from(first & 1) << 8 | usize::from(cursor.u8().unwrap());
            let code = u32::from(first >> 1 & 31);
            if first >> 6 == 3 {
                assert_eq!(code, 0);
                let base = value(cursor.varint().unwrap());
                let step = cursor.zigzag().unwrap();
                out.extend((0..=len as i64).map(|at| base.wrapping_add(step.wrapping_mul(at))));
                continue;
            }
            let width = match code {
                0..=23 => code + 1,
                24..=27 => 26 + (code - 24) * 2,
                _ => 40 + (code - 28) * 8,
            } as usize;
            let packed = cursor.take(((len + 1) * width).div_ceil(8)).unwrap();
            let bit = |at: usize| u64::from(packed[at / 8] >> (7 - at % 8) & 1);
            out.extend((0..=len).map(|index| {
                let bits = index * width..(index + 1) * width;
                value(bits.fold(0, |raw, at| raw << 1 | bit(at)))
            }));
        }
        out
    }

    quickcheck::quickcheck! {
        fn integers_read_back(parts: Vec<(i64, i8, u8, u8)>) -> bool {
            let values: Vec<i64> = parts
                .iter()
                .flat_map(|&(base, step, count, shift)| {
                    let base = base >> (shift % 64);
                    (0..i64::from(count)).map(move |at| base.wrapping_add(at * i64::from(step % 3)))
                })
                .collect();
            let unsigned: Vec<i64> = values.iter().map(|value| value & i64::MAX).collect();
            naive(&bytes(&values, true), true) == values
                && naive(&bytes(&unsigned, false), false) == unsigned
        }

        fn any_integers_read_back(values: Vec<i64>) -> bool {
            naive(&bytes(&values, true), true) == values
        }
    }
}
