//! Bits in bulk: runs collected into words, ranges counted, wanted bits moved together.

use std::ops::Range;

use lith_format::bitmap::Bitmap;

/// Bits appended run by run, a word at a time.
#[derive(Debug, Default)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// No bits, with room for `bits`.
    pub fn with_capacity(bits: usize) -> Self {
        Bits {
            words: Vec::with_capacity(bits.div_ceil(64)),
            len: 0,
        }
    }

    /// Appends `count` copies of `value`.
    pub fn push_repeat(&mut self, value: bool, count: usize) {
        if count <= 64 {
            return self.push_word(if value { u64::MAX } else { 0 }, count);
        }
        let end = self.len + count;
        if value {
            if !self.len.is_multiple_of(64)
                && let Some(last) = self.words.last_mut()
            {
                *last |= u64::MAX << (self.len % 64);
            }
            self.words.resize(end.div_ceil(64), u64::MAX);
            if !end.is_multiple_of(64)
                && let Some(last) = self.words.last_mut()
            {
                *last &= (1 << (end % 64)) - 1;
            }
        } else {
            self.words.resize(end.div_ceil(64), 0);
        }
        self.len = end;
    }

    /// Appends `count` bits of `packed` from bit `start`, least significant first; answers how many are one.
    ///
    /// # Panics
    /// If `packed` holds fewer than `start + count` bits.
    pub fn push_packed(&mut self, packed: &[u8], start: usize, count: usize) -> usize {
        each_word(packed, start, count, |word, count| {
            self.push_word(word, count)
        })
    }

    /// Appends the bits of `range` of `bitmap`.
    ///
    /// # Panics
    /// If the range exceeds the bitmap.
    pub fn push_bitmap(&mut self, bitmap: &Bitmap, range: Range<usize>) {
        assert!(
            range.end <= bitmap.len(),
            "range past the end of the bitmap"
        );
        for start in range.clone().step_by(64) {
            let word = word_at(bitmap.words(), start);
            self.push_word(word, (range.end - start).min(64));
        }
    }

    /// Appends the lowest `count` bits of `word`, at most 64.
    #[inline(always)]
    pub fn push_word(&mut self, word: u64, count: usize) {
        if count == 0 {
            return;
        }
        let word = word & (u64::MAX >> (64 - count));
        let shift = self.len % 64;
        match self.words.last_mut() {
            Some(last) if shift != 0 => {
                *last |= word << shift;
                if shift + count > 64 {
                    self.words.push(word >> (64 - shift));
                }
            }
            _ => self.words.push(word),
        }
        self.len += count;
    }

    /// The bits.
    pub fn finish(self) -> Bitmap {
        Bitmap::from_words(self.words, self.len)
    }
}

/// How many of `count` bits of `packed` from bit `start` are one.
///
/// # Panics
/// If `packed` holds fewer than `start + count` bits.
pub fn count_packed(packed: &[u8], start: usize, count: usize) -> usize {
    each_word(packed, start, count, |_, _| {})
}

/// Visits packed bits in words of at most 64 and counts the ones.
fn each_word(
    packed: &[u8],
    start: usize,
    count: usize,
    mut visit: impl FnMut(u64, usize),
) -> usize {
    assert!(
        start + count <= packed.len() * 8,
        "range past the end of the packed bits"
    );
    let mut ones = 0;
    for taken in (0..count).step_by(64) {
        let bit = start + taken;
        let len = (count - taken).min(64);
        let word = load(&packed[bit / 8..], bit % 8) & (u64::MAX >> (64 - len));
        ones += word.count_ones() as usize;
        visit(word, len);
    }
    ones
}

/// 64 bits of `bytes` from bit `shift` of its first byte; zeros past the end.
#[inline]
fn load(bytes: &[u8], shift: usize) -> u64 {
    let low = match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    match bytes.get(8) {
        Some(&next) if shift != 0 => low >> shift | u64::from(next) << (64 - shift),
        _ => low >> shift,
    }
}

/// 64 bits of `words` from bit `start`; zeros past the end.
#[inline]
fn word_at(words: &[u64], start: usize) -> u64 {
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    let (index, shift) = (start / 64, start % 64);
    let low = word(index) >> shift;
    if shift == 0 {
        low
    } else {
        low | word(index + 1) << (64 - shift)
    }
}

/// How many bits of `range` are one.
///
/// # Panics
/// If the range exceeds the bitmap.
pub fn count_ones(bitmap: &Bitmap, range: Range<usize>) -> usize {
    assert!(
        range.end <= bitmap.len(),
        "range past the end of the bitmap"
    );
    range
        .clone()
        .step_by(64)
        .map(|start| {
            let unwanted = 64 - (range.end - start).min(64);
            (word_at(bitmap.words(), start) << unwanted).count_ones() as usize
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    quickcheck::quickcheck! {
        fn runs_equal_a_vector_of_bools(runs: Vec<(bool, u8)>, packed: Vec<u8>, cut: (usize, usize)) -> bool {
            let mut bits = Bits::default();
            let mut naive = Vec::new();
            let all: Vec<bool> = (0..packed.len() * 8).map(|i| packed[i / 8] >> (i % 8) & 1 == 1).collect();
            for (value, count) in runs {
                bits.push_repeat(value, usize::from(count));
                naive.extend(std::iter::repeat_n(value, usize::from(count)));
                let start = cut.0 % (all.len() + 1);
                let count = cut.1 % (all.len() - start + 1);
                let ones = bits.push_packed(&packed, start, count);
                assert_eq!(ones, count_packed(&packed, start, count));
                assert_eq!(ones, all[start..start + count].iter().filter(|&&bit| bit).count());
                naive.extend(&all[start..start + count]);
            }
            let start = cut.1 % (naive.len() + 1);
            let end = start + cut.0 % (naive.len() - start + 1);
            let bitmap = bits.finish();
            let mut again = Bits::default();
            again.push_word(1, 1);
            again.push_bitmap(&bitmap, start..end);
            bitmap.iter().eq(naive.iter().copied())
                && count_ones(&bitmap, start..end) == naive[start..end].iter().filter(|&&bit| bit).count()
                && again.finish().slice(1, end - start).iter().eq(naive[start..end].iter().copied())
        }
    }
}
