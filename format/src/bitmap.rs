//! One bit a row: validity (1 = a value is there) and masks (1 = the row is wanted).
//!
//! Bit `i` is bit `i % 64` of word `i / 64`; bits past the length are zero, so kernels may work on
//! whole words.

use std::ops::Range;

use bitvec::order::Lsb0;
use bitvec::vec::BitVec;

/// A growable sequence of bits whose 64-bit words are open to kernels.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Bitmap {
    bits: BitVec<u64, Lsb0>,
}

impl Bitmap {
    /// No bits.
    pub fn new() -> Self {
        Self::default()
    }

    /// `len` bits of `value`.
    pub fn repeat(value: bool, len: usize) -> Self {
        let word = if value { u64::MAX } else { 0 };
        Self::from_words(vec![word; len.div_ceil(64)], len)
    }

    /// The first `len` bits of `words`.
    ///
    /// # Panics
    /// If `words` holds fewer than `len` bits.
    pub fn from_words(words: Vec<u64>, len: usize) -> Self {
        let mut bits = BitVec::from_vec(words);
        assert!(bits.len() >= len, "words hold fewer than len bits");
        bits.truncate(len);
        let mut bitmap = Bitmap { bits };
        bitmap.clear_tail();
        bitmap
    }

    fn clear_tail(&mut self) {
        let used = self.len() % 64;
        if used != 0
            && let Some(last) = self.bits.as_raw_mut_slice().last_mut()
        {
            *last &= (1 << used) - 1;
        }
    }

    /// Number of bits.
    #[inline]
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Bit `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    #[inline]
    pub fn get(&self, index: usize) -> bool {
        self.words()[index / 64] >> (index % 64) & 1 == 1
    }

    /// Sets bit `index`.
    pub fn set(&mut self, index: usize, value: bool) {
        self.bits.set(index, value);
    }

    /// Appends a bit.
    pub fn push(&mut self, value: bool) {
        self.bits.push(value);
    }

    /// Appends `len` bits of `value`.
    pub fn extend_repeat(&mut self, value: bool, len: usize) {
        self.bits.resize(self.len() + len, value);
    }

    /// Appends another bitmap.
    pub fn extend(&mut self, other: &Bitmap) {
        self.extend_range(other, 0, other.len());
    }

    /// Appends `len` bits of `other` from `start`, a word at a time.
    ///
    /// # Panics
    /// If `other` holds fewer than `start + len` bits.
    pub fn extend_range(&mut self, other: &Bitmap, start: usize, len: usize) {
        assert!(
            start + len <= other.len(),
            "range past the end of the bitmap"
        );
        let old_len = self.len();
        let mut words = std::mem::take(&mut self.bits).into_vec();
        words.resize((old_len + len).div_ceil(64), 0);
        for taken in (0..len).step_by(64) {
            let count = (len - taken).min(64);
            let word = other.word_at(start + taken) & (u64::MAX >> (64 - count));
            let (index, shift) = ((old_len + taken) / 64, (old_len + taken) % 64);
            words[index] |= word << shift;
            if shift + count > 64 {
                words[index + 1] |= word >> (64 - shift);
            }
        }
        *self = Bitmap::from_words(words, old_len + len);
    }

    /// The 64 bits that start at bit `start`; zeros past the end.
    fn word_at(&self, start: usize) -> u64 {
        let word = |index: usize| self.words().get(index).copied().unwrap_or(0);
        let (index, shift) = (start / 64, start % 64);
        let low = word(index) >> shift;
        if shift == 0 {
            low
        } else {
            low | word(index + 1) << (64 - shift)
        }
    }

    /// A copy of `len` bits from `start`.
    pub fn slice(&self, start: usize, len: usize) -> Bitmap {
        let mut out = Bitmap::new();
        out.extend_range(self, start, len);
        out
    }

    /// The words; bits past the length are zero.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.bits.as_raw_slice()
    }

    /// How many bits are one.
    pub fn count_ones(&self) -> usize {
        self.words()
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Whether every bit is one.
    pub fn all(&self) -> bool {
        self.count_ones() == self.len()
    }

    /// Whether any bit is one.
    pub fn any(&self) -> bool {
        self.words().iter().any(|&word| word != 0)
    }

    /// Combines two bitmaps of one length word by word.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn zip(&self, other: &Bitmap, op: impl Fn(u64, u64) -> u64) -> Bitmap {
        assert_eq!(self.len(), other.len(), "bitmaps of different lengths");
        let words = self
            .words()
            .iter()
            .zip(other.words())
            .map(|(&a, &b)| op(a, b))
            .collect();
        Bitmap::from_words(words, self.len())
    }

    /// Bits that are one in both.
    pub fn and(&self, other: &Bitmap) -> Bitmap {
        self.zip(other, |a, b| a & b)
    }

    /// Bits that are one in either.
    pub fn or(&self, other: &Bitmap) -> Bitmap {
        self.zip(other, |a, b| a | b)
    }

    /// Bits that are one here and zero there.
    pub fn and_not(&self, other: &Bitmap) -> Bitmap {
        self.zip(other, |a, b| a & !b)
    }

    /// Every bit flipped.
    pub fn not(&self) -> Bitmap {
        Bitmap::from_words(self.words().iter().map(|word| !word).collect(), self.len())
    }

    /// The bits in order.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The positions of the ones, in order.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words().iter().enumerate().flat_map(|(index, &word)| {
            std::iter::successors((word != 0).then_some(word), |&word| {
                let rest = word & (word - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |word| index * 64 + word.trailing_zeros() as usize)
        })
    }

    /// The runs of ones, each as long as can be, in order.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut position = 0;
        std::iter::from_fn(move || {
            let start = self.next_unlike(position, 0);
            position = self.next_unlike(start, u64::MAX);
            (start < position).then_some(start..position)
        })
    }

    /// The first position from `start` on whose bit differs from those of `word`, or the length.
    fn next_unlike(&self, start: usize, word: u64) -> usize {
        let (mut index, mut wanted) = (start / 64, u64::MAX << (start % 64));
        while let Some(found) = self.words().get(index) {
            let unlike = (found ^ word) & wanted;
            if unlike != 0 {
                // the bits past the length are zeros, too
                return self
                    .len()
                    .min(index * 64 + unlike.trailing_zeros() as usize);
            }
            (index, wanted) = (index + 1, u64::MAX);
        }
        self.len()
    }
}

impl FromIterator<bool> for Bitmap {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut words = Vec::new();
        let mut len = 0;
        for bit in bits {
            if len % 64 == 0 {
                words.push(0u64);
            }
            words[len / 64] |= u64::from(bit) << (len % 64);
            len += 1;
        }
        Bitmap::from_words(words, len)
    }
}

impl std::fmt::Debug for Bitmap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for bit in self.iter() {
            f.write_str(if bit { "1" } else { "0" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    quickcheck::quickcheck! {
        fn behaves_like_a_vector_of_bools(a: Vec<bool>, b: Vec<bool>, start: usize) -> bool {
            let mut bitmap: Bitmap = a.iter().copied().collect();
            bitmap.extend(&b.iter().copied().collect());
            bitmap.extend_repeat(true, 3);
            bitmap.push(false);
            let naive: Vec<bool> = a.into_iter().chain(b).chain([true, true, true, false]).collect();
            let start = start % naive.len();
            let sliced = bitmap.slice(start, naive.len() - start);
            let ones: Vec<usize> = (0..naive.len()).filter(|&i| naive[i]).collect();
            bitmap.iter().eq(naive.iter().copied())
                && bitmap.ones().eq(ones.iter().copied())
                && bitmap.runs().flatten().eq(ones.iter().copied())
                && bitmap.runs().zip(bitmap.runs().skip(1)).all(|(run, next)| run.end < next.start)
                && bitmap.count_ones() == ones.len()
                && bitmap.not().count_ones() == naive.len() - ones.len()
                && sliced.iter().eq(naive[start..].iter().copied())
                && sliced.not().not() == sliced
        }
    }
}
