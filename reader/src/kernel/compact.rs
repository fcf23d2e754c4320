//! Compacts a vector: moves the wanted slots to its front.

use std::ops::Range;

use lith_format::bitmap::Bitmap;
use lith_format::vector::Vector;

use crate::kernel::bits::Bits;
use crate::kernel::{SlotOp, apply};
use crate::selection::Selection;

struct Compact<'a>(&'a [Range<usize>]);

impl SlotOp for Compact<'_> {
    fn fixed<T: Copy + Default>(&self, slots: &mut Vec<T>) {
        compact(slots, self.0);
    }

    fn bits(&self, slots: &mut Bitmap) {
        *slots = compact_bits(slots, self.0);
    }
}

/// The selected slots of a vector, in place where its layout is flat or a dictionary.
///
/// # Panics
/// If the vector is shorter than the selection's window.
pub fn compact_vector(mut vector: Vector, selection: &Selection) -> Vector {
    let runs = selection.runs();
    if !apply(&mut vector.values, &Compact(runs)) {
        let slots: Vec<u32> = runs
            .iter()
            .cloned()
            .flatten()
            .map(|slot| slot as u32)
            .collect();
        return vector.take(&slots);
    }
    vector.len = selection.selected();
    vector.validity = vector.validity.map(|bits| compact_bits(&bits, runs));
    vector
}

/// Keeps the slots of `runs`, which ascend and do not overlap.
///
/// # Panics
/// If a run exceeds the values.
pub fn compact<T: Copy>(values: &mut Vec<T>, runs: &[Range<usize>]) {
    let mut kept = 0;
    for run in runs {
        // short runs are the rule here: a loop beats a call
        if run.len() < 16 {
            for index in run.clone() {
                values[kept + index - run.start] = values[index];
            }
        } else {
            values.copy_within(run.clone(), kept);
        }
        kept += run.len();
    }
    values.truncate(kept);
}

/// As [`compact`], for bits.
///
/// # Panics
/// If a run exceeds the bits.
pub fn compact_bits(bits: &Bitmap, runs: &[Range<usize>]) -> Bitmap {
    let mut out = Bits::with_capacity(runs.iter().map(ExactSizeIterator::len).sum());
    for run in runs {
        out.push_bitmap(bits, run.clone());
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    quickcheck::quickcheck! {
        fn equals_a_filter(rows: Vec<(u8, bool)>, stretch: u8) -> bool {
            let stretch = usize::from(stretch % 40);
            let rows: Vec<_> = rows.iter().flat_map(|&row| std::iter::repeat_n(row, stretch)).collect();
            let selection = Selection::from_mask(&rows.iter().map(|row| row.1).collect());
            let mut values: Vec<u8> = rows.iter().map(|row| row.0).collect();
            let bits: Bitmap = values.iter().map(|value| value % 2 == 1).collect();
            compact(&mut values, selection.runs());
            let expected: Vec<u8> = rows.iter().filter(|row| row.1).map(|row| row.0).collect();
            compact_bits(&bits, selection.runs()).iter().eq(expected.iter().map(|value| value % 2 == 1))
                && values == expected
        }
    }
}
