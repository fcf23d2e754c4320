//! Joins values whose bytes are stored in streams: byte 0 of every value, then byte 1 of every value, and so on.
//!
//! ```text
//! a0 b0 c0 .. | a1 b1 c1 .. | ..   ->   a0 a1 .. | b0 b1 .. | c0 c1 ..
//! ```
//!
//! This transposes a matrix of bytes. A block is sixteen values of 2, 4, 8 or 16 bytes. Interleaving its first half
//! with its second half rotates the bits of each byte's position by one; after log2(streams) such steps, the number
//! of the stream has moved from the highest bits of the position to the lowest. Two instructions interleave 32
//! bytes. The values after the last whole block, and values of other widths, are joined byte by byte.
// spec: Encodings.md, "Byte Stream Split"

use crate::isa::Isa;

/// Values of a block.
const BLOCK: usize = 16;

/// Joins the values of `width` bytes from value `start` on, as many as fill `out`; `data` has `width` streams.
///
/// # Panics
/// If there are fewer values.
pub fn join(data: &[u8], width: usize, start: usize, out: &mut [u8]) {
    join_by(Isa::selected(), data, width, start, out);
}

fn join_by(isa: Isa, data: &[u8], width: usize, start: usize, out: &mut [u8]) {
    match width {
        _ if out.is_empty() => {}
        2 => join_fixed::<2>(isa, data, start, out),
        4 => join_fixed::<4>(isa, data, start, out),
        8 => join_fixed::<8>(isa, data, start, out),
        16 => join_fixed::<16>(isa, data, start, out),
        width => join_any(data, width, start, out),
    }
}

fn join_fixed<const N: usize>(isa: Isa, data: &[u8], start: usize, out: &mut [u8]) {
    let (count, stride) = (out.len() / N, data.len() / N);
    let streams: [&[u8]; N] = std::array::from_fn(|byte| {
        let from = byte * stride + start;
        &data[from..from + count]
    });
    let done = join_blocks(isa, &streams, out);
    let (values, _) = out.as_chunks_mut::<N>();
    for (index, value) in values.iter_mut().enumerate().skip(done) {
        *value = std::array::from_fn(|byte| streams[byte][index]);
    }
}

fn join_any(data: &[u8], width: usize, start: usize, out: &mut [u8]) {
    let count = out.len() / width;
    for (byte, stream) in data.chunks_exact(data.len() / width).enumerate() {
        let targets = out[byte..].iter_mut().step_by(width);
        for (target, &source) in targets.zip(&stream[start..start + count]) {
            *target = source;
        }
    }
}

/// Joins the values of all whole blocks, if the processor has AVX2, and returns their number.
#[cfg(target_arch = "x86_64")]
fn join_blocks<const N: usize>(isa: Isa, streams: &[&[u8]; N], out: &mut [u8]) -> usize {
    if isa.index() == 0 {
        return 0;
    }
    let streams = streams.map(|stream| stream.as_chunks().0);
    let (out, _) = out.as_chunks_mut();
    #[expect(
        unsafe_code,
        reason = "the body is compiled for instructions beyond the target's"
    )]
    // SAFETY: an `Isa` exists only where the processor has its instructions, and every one but the first has AVX2.
    unsafe {
        blocks_avx2(&streams, out);
    }
    streams[0].len() * BLOCK
}

#[cfg(not(target_arch = "x86_64"))]
fn join_blocks<const N: usize>(_: Isa, _: &[&[u8]; N], _: &mut [u8]) -> usize {
    0
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn blocks_avx2<const N: usize>(streams: &[&[[u8; BLOCK]]; N], out: &mut [[u8; BLOCK]]) {
    use std::arch::x86_64::{_mm_setzero_si128, _mm_unpackhi_epi8, _mm_unpacklo_epi8};
    for (index, out) in out.chunks_exact_mut(N).enumerate() {
        let mut bytes = [_mm_setzero_si128(); N];
        for (bytes, stream) in bytes.iter_mut().zip(streams) {
            *bytes = load(&stream[index]);
        }
        for _ in 0..N.trailing_zeros() {
            let before = bytes;
            for at in 0..N / 2 {
                let (first, second) = (before[at], before[at + N / 2]);
                bytes[2 * at] = _mm_unpacklo_epi8(first, second);
                bytes[2 * at + 1] = _mm_unpackhi_epi8(first, second);
            }
        }
        for (out, bytes) in out.iter_mut().zip(bytes) {
            *out = store(bytes);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; BLOCK]) -> std::arch::x86_64::__m128i {
    let bytes = i128::from_le_bytes(*bytes);
    std::arch::x86_64::_mm_set_epi64x((bytes >> 64) as i64, bytes as i64)
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn store(bytes: std::arch::x86_64::__m128i) -> [u8; BLOCK] {
    use std::arch::x86_64::{_mm_cvtsi128_si64, _mm_unpackhi_epi64};
    let low = _mm_cvtsi128_si64(bytes) as u64;
    let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes)) as u64;
    (u128::from(low) | u128::from(high) << 64).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    quickcheck::quickcheck! {
        fn every_width_joins_by_every_instruction_set(seed: Vec<u8>, count: u8, start: u8) -> bool {
            let (count, start) = (usize::from(count), usize::from(start % 70));
            Isa::available().all(|isa| {
                (1..20).all(|width| {
                    let stride = start + count;
                    let byte = |at: usize| at as u8 ^ seed.get(at % 97).copied().unwrap_or(at as u8);
                    let data: Vec<u8> = (0..stride * width).map(byte).collect();
                    let mut out = vec![0; count * width];
                    join_by(isa, &data, width, start, &mut out);
                    let expected = (0..count * width)
                        .map(|at| data[at % width * stride + start + at / width]);
                    out.iter().copied().eq(expected)
                })
            })
        }
    }
}
