//! Writes runs of bytes: tiny integers, and bits eight to a byte.
//!
//! ```text
//! run       count - 3, 0 to 127  | the byte
//! literals  -count as a byte     | 1 to 128 bytes
//! bits      most significant first
//! ```
// spec: ORCv1.md, "Byte Run Length Encoding", "Boolean Run Length Encoding"

use lith_format::bitmap::Bitmap;

const LONGEST_RUN: usize = 130;
const LONGEST_LITERAL: usize = 128;

/// Appends `bytes`.
pub(crate) fn put(bytes: &[u8], out: &mut Vec<u8>) {
    let (mut literal_from, mut at) = (0, 0);
    while at < bytes.len() {
        let same = bytes[at..].iter().take(LONGEST_RUN);
        let run = same.take_while(|&&byte| byte == bytes[at]).count();
        if run >= 3 {
            put_literals(&bytes[literal_from..at], out);
            out.extend_from_slice(&[(run - 3) as u8, bytes[at]]);
            literal_from = at + run;
        }
        at += run;
    }
    put_literals(&bytes[literal_from..], out);
}

fn put_literals(bytes: &[u8], out: &mut Vec<u8>) {
    for chunk in bytes.chunks(LONGEST_LITERAL) {
        out.push((chunk.len() as u8).wrapping_neg());
        out.extend_from_slice(chunk);
    }
}

/// Bits as bytes, most significant first; the last byte is padded with zeros.
pub(crate) fn bytes_of(bits: &Bitmap) -> Vec<u8> {
    let bytes = bits.words().iter().flat_map(|word| word.to_le_bytes());
    let bytes = bytes.map(u8::reverse_bits);
    bytes.take(bits.len().div_ceil(8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specification_s_examples() {
        let mut out = Vec::new();
        put(&[0; 100], &mut out);
        assert_eq!(out, [0x61, 0x00]);
        out.clear();
        put(&[0x44, 0x45], &mut out);
        assert_eq!(out, [0xfe, 0x44, 0x45]);
        let bits: Bitmap = [true].into_iter().chain([false; 7]).collect();
        assert_eq!(bytes_of(&bits), [0x80]);
    }

    fn naive(mut bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        while let [control, rest @ ..] = bytes {
            let control = *control as i8;
            if control >= 0 {
                out.extend(std::iter::repeat_n(rest[0], control as usize + 3));
                bytes = &rest[1..];
            } else {
                let count = -i32::from(control) as usize;
                out.extend_from_slice(&rest[..count]);
                bytes = &rest[count..];
            }
        }
        out
    }

    quickcheck::quickcheck! {
        fn bytes_read_back(runs: Vec<(u8, u8)>) -> bool {
            let bytes: Vec<u8> = runs
                .iter()
                .flat_map(|&(byte, count)| std::iter::repeat_n(byte, usize::from(count)))
                .collect();
            let mut out = Vec::new();
            put(&bytes, &mut out);
            naive(&out) == bytes
        }
    }
}
