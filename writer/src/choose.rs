//! Chooses the encoding of a column in a row group, by comparing sizes.
//!
//! A dictionary is tried for every column. It is dropped as soon as it outgrows its bytes or a first
//! sample is nearly all distinct, so that it costs at most that sample; what is left is written only
//! if it is smaller than the plain values.

/// Values after which a dictionary must have shown its worth.
const SAMPLE: usize = 16 << 10;

/// The size of a column under a dictionary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coded {
    /// Values, by code.
    pub(crate) values: usize,
    /// Distinct values.
    pub(crate) distinct: usize,
    /// Bytes of the distinct values.
    pub(crate) dictionary_bytes: usize,
}

impl Coded {
    /// Whether it is worth going on while values still come in; with all the bytes there are, it is.
    pub(crate) fn is_promising(self, dictionary_bytes: usize) -> bool {
        let sampled_distinct = self.values >= SAMPLE
            && self.values < 2 * SAMPLE
            && self.distinct > self.values / 10 * 9;
        let unbounded = dictionary_bytes == usize::MAX;
        unbounded || (self.dictionary_bytes <= dictionary_bytes && !sampled_distinct)
    }

    /// Bytes of dictionary and bit-packed codes.
    pub(crate) fn bytes(self) -> usize {
        self.dictionary_bytes + (self.values * code_width(self.distinct) as usize).div_ceil(8)
    }
}

/// Bits that hold every code of `distinct` values; 0 for one value.
pub(crate) fn code_width(distinct: usize) -> u32 {
    usize::BITS - distinct.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_hold_the_last_code() {
        let widths = [0, 1, 2, 3, 4, 5, 256, 257].map(code_width);
        assert_eq!(widths, [0, 0, 1, 2, 2, 3, 8, 9]);
    }

    #[test]
    fn a_distinct_sample_or_a_full_dictionary_ends_it() {
        let coded = |values, distinct, dictionary_bytes| Coded {
            values,
            distinct,
            dictionary_bytes,
        };
        assert!(coded(1000, 1000, 8000).is_promising(1 << 20));
        assert!(!coded(SAMPLE, SAMPLE, 8 * SAMPLE).is_promising(1 << 20));
        assert!(coded(SAMPLE, SAMPLE / 2, 4 * SAMPLE).is_promising(1 << 20));
        assert!(!coded(1000, 10, 2 << 20).is_promising(1 << 20));
    }
}
