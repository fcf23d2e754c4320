//! Moves the values that are there to their slots: dense values and a validity bitmap become one slot a
//! row, nulls zero.
//!
//! ```text
//! values  a b c      validity  1 0 1 1 0      slots  a 0 b c 0
//! ```

use lith_format::bitmap::Bitmap;
use lith_format::vector::Values;

use crate::kernel::bits::Bits;
use crate::kernel::{SlotOp, apply};

struct Spread<'a>(&'a Bitmap);

impl SlotOp for Spread<'_> {
    fn fixed<T: Copy + Default>(&self, slots: &mut Vec<T>) {
        spread(slots, self.0);
    }

    fn bits(&self, slots: &mut Bitmap) {
        *slots = spread_bits(slots, self.0);
    }
}

/// Spreads flat values or codes over the ones of `validity`; other layouts are left alone.
///
/// # Panics
/// As [`spread`].
pub fn spread_values(values: &mut Values, validity: &Bitmap) {
    apply(values, &Spread(validity));
}

/// Spreads `values` over the ones of `validity`.
///
/// Zeros are laid out first and the values put among them, one step a value and none a null: no branch
/// depends on a single bit.
///
/// # Panics
/// If there are not as many values as ones.
pub fn spread<T: Copy + Default>(values: &mut Vec<T>, validity: &Bitmap) {
    assert_eq!(values.len(), validity.count_ones(), "a value for each one");
    let mut slots = vec![T::default(); validity.len().next_multiple_of(64)];
    let mut dense = &values[..];
    for (slots, &word) in slots
        .as_chunks_mut::<64>()
        .0
        .iter_mut()
        .zip(validity.words())
    {
        let (here, rest) = dense.split_at(word.count_ones() as usize);
        dense = rest;
        if let Ok(all) = here.try_into() {
            *slots = all;
            continue;
        }
        let mut word = word;
        for &value in here {
            slots[word.trailing_zeros() as usize % 64] = value;
            word &= word.wrapping_sub(1);
        }
    }
    slots.truncate(validity.len());
    *values = slots;
}

/// As [`spread`], for bits.
///
/// # Panics
/// If there are fewer values than ones.
pub fn spread_bits(values: &Bitmap, validity: &Bitmap) -> Bitmap {
    let mut out = Bits::with_capacity(validity.len());
    let mut dense = 0;
    for (index, &word) in validity.words().iter().enumerate() {
        let mut slots = 0;
        let mut rest = word;
        while rest != 0 {
            slots |= u64::from(values.get(dense)) << rest.trailing_zeros();
            dense += 1;
            rest &= rest - 1;
        }
        out.push_word(slots, (validity.len() - index * 64).min(64));
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    quickcheck::quickcheck! {
        fn equals_a_loop(rows: Vec<Option<u32>>, ones: u8) -> bool {
            let rows: Vec<_> = std::iter::repeat_n(Some(5), usize::from(ones)).chain(rows).collect();
            let validity: Bitmap = rows.iter().map(Option::is_some).collect();
            let mut values: Vec<u32> = rows.iter().flatten().copied().collect();
            let bits: Bitmap = values.iter().map(|value| value % 2 == 1).collect();
            spread(&mut values, &validity);
            let expected: Vec<u32> = rows.iter().map(|value| value.unwrap_or(0)).collect();
            values == expected
                && spread_bits(&bits, &validity).iter().eq(expected.iter().map(|value| value % 2 == 1))
        }
    }
}
