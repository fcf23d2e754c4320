//! Unpacks integers of a constant bit width, least significant bit first.
//!
//! ```text
//! width 3, values a b c ..: byte 0 = ccbbbaaa -> | b1..b0 of c | b | a |   byte 1 = .. | top of c |
//! ```
//!
//! A block is 32 values in `4 * width` bytes. Each width has a body of its own, fully unrolled over a
//! block, in which every shift and mask is a constant; a table picks the body once a run, compiled for the
//! instruction set in use. What is less than a block goes through a zeroed copy, so that nothing past the end
//! is read.

use std::ops::{BitAnd, BitOr, Shl, Shr};

use crate::isa::Isa;

/// Values of a block.
const BLOCK: usize = 32;

/// An unsigned integer that bits are unpacked into.
pub trait Word:
    Copy
    + Default
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
    + 'static
{
    /// Its width.
    const BITS: usize;
    /// The bodies by bit width, from 0 to [`Word::BITS`], and instruction set: each unpacks as many whole blocks
    /// as fit.
    const BODIES: &'static [[Body<Self>; Isa::COUNT]];

    /// The first bytes of `bytes`, little-endian, zeros past the end.
    fn load(bytes: &[u8]) -> Self;
    /// The lowest `width` bits set.
    fn mask(width: usize) -> Self;
}

/// Unpacks the whole blocks of a slice.
///
/// # Safety
/// The processor must have the instruction set that it is compiled for.
pub type Body<T> = unsafe fn(&[u8], &mut [T]);

macro_rules! word {
    ($word:ty, $($narrow:literal)*; $($wide:literal)*) => {
        impl Word for $word {
            const BITS: usize = <$word>::BITS as usize;
            const BODIES: &'static [[Body<Self>; Isa::COUNT]] = &[
                $([blocks::<$word, $narrow>, blocks_avx2::<$word, $narrow>],)*
                $([blocks::<$word, $wide>; Isa::COUNT],)*
            ];

            #[inline(always)]
            fn load(bytes: &[u8]) -> Self {
                match bytes.first_chunk() {
                    Some(bytes) => <$word>::from_le_bytes(*bytes),
                    None => {
                        let mut padded = [0; size_of::<$word>()];
                        padded[..bytes.len()].copy_from_slice(bytes);
                        <$word>::from_le_bytes(padded)
                    }
                }
            }

            #[inline(always)]
            fn mask(width: usize) -> Self {
                if width == 0 { 0 } else { <$word>::MAX >> (<$word>::BITS as usize - width) }
            }
        }
    };
}

// the widths before the semicolon gain by AVX2, the others lose
word!(u32, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18;
    19 20 21 22 23 24 25 26 27 28 29 30 31 32);
word!(u64, ; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
    33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64);

/// Runs a step for each position of a block, as straight code.
macro_rules! unroll {
    ($step:ident($words:ident, $out:ident)) => {
        unroll!($step($words, $out): 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
            26 27 28 29 30 31)
    };
    ($step:ident($words:ident, $out:ident): $($index:literal)*) => {
        $($out[$index] = $step::<T, W>(&$words, $index);)*
    };
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2"))]
fn blocks_avx2<T: Word, const W: usize>(packed: &[u8], out: &mut [T]) {
    blocks::<T, W>(packed, out);
}

#[inline(always)]
fn blocks<T: Word, const W: usize>(packed: &[u8], out: &mut [T]) {
    if W == 0 {
        return out.fill(T::default());
    }
    let (blocks, _) = out.as_chunks_mut::<BLOCK>();
    for (bytes, out) in packed.chunks_exact(W * BLOCK / 8).zip(blocks) {
        let mut words = [T::default(); W];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks(size_of::<T>())) {
            *word = T::load(bytes);
        }
        unroll!(value(words, out));
    }
}

#[inline(always)]
fn value<T: Word, const W: usize>(words: &[T; W], index: usize) -> T {
    let (word, shift) = (index * W / T::BITS, index * W % T::BITS);
    let low = words[word] >> shift;
    let whole = if shift + W > T::BITS {
        low | words[word + 1] << (T::BITS - shift)
    } else {
        low
    };
    whole & T::mask(W)
}

/// Unpacks `out.len()` values of `width` bits from the start of `packed`.
///
/// # Panics
/// If `width` exceeds the word or `packed` is too short.
pub fn unpack<T: Word>(packed: &[u8], width: u8, out: &mut [T]) {
    unpack_by(Isa::selected(), packed, width, out);
}

fn unpack_by<T: Word>(isa: Isa, packed: &[u8], width: u8, out: &mut [T]) {
    let body = T::BODIES[usize::from(width)][isa.index()];
    let run = |packed: &[u8], out: &mut [T]| {
        #[expect(
            unsafe_code,
            reason = "bodies are compiled for instructions beyond the target's"
        )]
        // SAFETY: an `Isa` exists only where the processor has its instructions, and the body at its index
        // is compiled for them and nothing else.
        unsafe {
            body(packed, out);
        }
    };
    let block_bytes = usize::from(width) * BLOCK / 8;
    let whole = out.len() / BLOCK;
    let (head, tail) = out.split_at_mut(whole * BLOCK);
    let (packed, rest) = packed.split_at(whole * block_bytes);
    run(packed, head);
    if !tail.is_empty() {
        let mut padded = [0; 64 * BLOCK / 8];
        let bytes = (tail.len() * usize::from(width)).div_ceil(8);
        padded[..bytes].copy_from_slice(&rest[..bytes]);
        let mut block = [T::default(); BLOCK];
        run(&padded[..block_bytes], &mut block);
        tail.copy_from_slice(&block[..tail.len()]);
    }
}

/// As [`unpack`], from value `start` of `packed` on.
///
/// # Panics
/// As [`unpack`].
pub fn unpack_from<T: Word>(packed: &[u8], width: u8, start: usize, out: &mut [T]) {
    let group = packed.split_at(start / 8 * usize::from(width)).1;
    let skipped = start % 8;
    let ahead = if skipped == 0 {
        0
    } else {
        (8 - skipped).min(out.len())
    };
    let (first, out) = out.split_at_mut(ahead);
    if ahead > 0 {
        let mut values = [T::default(); 8];
        unpack(group, width, &mut values[..skipped + ahead]);
        first.copy_from_slice(&values[skipped..skipped + ahead]);
    }
    if !out.is_empty() {
        let aligned = if ahead == 0 { 0 } else { usize::from(width) };
        unpack(&group[aligned..], width, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(packed: &[u8], width: usize, index: usize) -> u64 {
        (0..width).fold(0, |value, bit| {
            let at = index * width + bit;
            value | u64::from(packed[at / 8] >> (at % 8) & 1) << bit
        })
    }

    fn agrees<T: Word + Into<u64>>(bytes: &[u8], start: usize) -> bool {
        (0..=T::BITS).all(|width| {
            let count = (bytes.len() * 8).checked_div(width).unwrap_or(70);
            let start = start % (count + 1);
            let mut out = vec![T::default(); count - start];
            unpack_from(bytes, width as u8, start, &mut out);
            out.iter()
                .enumerate()
                .all(|(index, &value)| value.into() == naive(bytes, width, start + index))
        })
    }

    #[test]
    fn the_specification_s_example() {
        let mut out = [0u32; 8];
        unpack(&[0b1000_1000, 0b1100_0110, 0b1111_1010], 3, &mut out);
        assert_eq!(out, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    fn every_instruction_set_agrees<T: Word + Into<u64>>(bytes: &[u8]) -> bool {
        (0..=T::BITS).all(|width| {
            let count = (bytes.len() * 8).checked_div(width).unwrap_or(70);
            Isa::available().all(|isa| {
                let mut out = vec![T::default(); count];
                unpack_by(isa, bytes, width as u8, &mut out);
                (out.iter().enumerate())
                    .all(|(index, &value)| value.into() == naive(bytes, width, index))
            })
        })
    }

    quickcheck::quickcheck! {
        fn every_instruction_set_equals_a_loop_over_bits(seed: Vec<u8>, repeat: u8) -> bool {
            let bytes = seed.repeat(usize::from(repeat) % 12);
            every_instruction_set_agrees::<u32>(&bytes) && every_instruction_set_agrees::<u64>(&bytes)
        }

        fn every_width_equals_a_loop_over_bits(seed: Vec<u8>, repeat: u8, start: usize) -> bool {
            let bytes = seed.repeat(usize::from(repeat) % 12);
            agrees::<u32>(&bytes, start % 40) && agrees::<u64>(&bytes, start % 40)
        }
    }
}
