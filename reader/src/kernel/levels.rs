//! Evaluates levels of nested columns in bulk: where rows begin, what is null, how long lists are.
//!
//! ```text
//! [[1, 2], []], null     definition 2 2 1 0         a list is there from 1 on, an element from 2 on
//!                        repetition 0 1 0 0     offsets 0 2 2 2    valid 1 1 0
//! ```
//! A slice of levels has one entry for each value, null or empty list. Bytes that are above every level stand
//! for themselves: nothing here fails on them.

use lith_format::bitmap::Bitmap;

use crate::kernel::bits::Bits;

/// The levels of one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListLevels {
    /// The least definition level of an element.
    pub element: u8,
    /// The repetition level of all elements but the first.
    pub repetition: u8,
}

/// Entries of `repetition` before row `rows`, counted from the first that begins here, and how many rows begin
/// in them: fewer than `rows` if the levels end first.
pub fn rows_end(repetition: &[u8], rows: usize) -> (usize, usize) {
    let (mut begun, mut at) = (0, 0);
    for block in repetition.chunks(64) {
        let begin_here = block.iter().filter(|&&level| level == 0).count();
        if begun + begin_here > rows {
            for &level in block {
                if level == 0 {
                    if begun == rows {
                        return (at, begun);
                    }
                    begun += 1;
                }
                at += 1;
            }
        }
        begun += begin_here;
        at += block.len();
    }
    (at, begun)
}

/// How many levels are `level`.
pub fn count_equal(levels: &[u8], level: u8) -> usize {
    // a byte counts 255 before it overflows
    let blocks = levels.chunks(255);
    blocks
        .map(|block| {
            let count: u8 = block.iter().map(|&other| u8::from(other == level)).sum();
            usize::from(count)
        })
        .sum()
}

/// A bit an entry: whether its level is at least `level`.
pub fn at_least(levels: &[u8], level: u8) -> Bitmap {
    let mut out = Bits::with_capacity(levels.len());
    let (blocks, rest) = levels.as_chunks::<64>();
    for block in blocks {
        out.push_word(word_at_least(block, level), 64);
    }
    let mut last = [0; 64];
    last[..rest.len()].copy_from_slice(rest);
    out.push_word(word_at_least(&last, level), rest.len());
    out.finish()
}

#[inline]
fn word_at_least(block: &[u8; 64], level: u8) -> u64 {
    /// Moves the lowest bits of eight bytes to the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let flags = block.map(|other| u8::from(other >= level));
    let (bytes, _) = flags.as_chunks::<8>();
    bytes.iter().rev().fold(0, |word, bytes| {
        word << 8 | u64::from_le_bytes(*bytes).wrapping_mul(GATHER) >> 56
    })
}

/// Whether every level is at least `level`.
pub fn all_at_least(levels: &[u8], level: u8) -> bool {
    levels.iter().copied().min().is_none_or(|min| min >= level)
}

/// The definition levels of the entries that do not repeat more than `repetition`.
pub fn starts(definition: &[u8], repetition: &[u8], most: u8) -> Vec<u8> {
    let mut out = vec![0; definition.len()];
    let mut kept = 0;
    for (&level, &repeated) in definition.iter().zip(repetition) {
        out[kept] = level;
        kept += usize::from(repeated <= most);
    }
    out.truncate(kept);
    out
}

/// Drops the entries that lack an element: null and empty lists.
pub fn keep_elements(definition: &mut Vec<u8>, repetition: &mut Vec<u8>, element: u8) {
    let mut kept = 0;
    for index in 0..definition.len().min(repetition.len()) {
        let (level, repeated) = (definition[index], repetition[index]);
        definition[kept] = level;
        repetition[kept] = repeated;
        kept += usize::from(level >= element);
    }
    definition.truncate(kept);
    repetition.truncate(kept);
}

/// The offsets of lists: one more than there are lists. `None` if an element goes on with a list that has none.
pub fn offsets(definition: &[u8], repetition: &[u8], levels: ListLevels) -> Option<Vec<u32>> {
    if !go_on_with_elements(definition, repetition, levels) {
        return None;
    }
    let begin = repetition.iter().map(|&level| level < levels.repetition);
    let mut out = vec![0; begin.filter(|&begins| begins).count() + 1];
    let (mut lists, mut elements) = (0, 0u32);
    for (&level, &repeated) in definition.iter().zip(repetition) {
        out[lists] = elements;
        lists += usize::from(repeated < levels.repetition);
        let counts = (level >= levels.element) & (repeated <= levels.repetition);
        elements += u32::from(counts);
    }
    out[lists] = elements;
    Some(out)
}

/// Whether whatever repeats is an element, and follows one.
fn go_on_with_elements(definition: &[u8], repetition: &[u8], levels: ListLevels) -> bool {
    if repetition
        .first()
        .is_some_and(|&first| first >= levels.repetition)
    {
        return false;
    }
    let pairs = definition.iter().zip(definition.iter().skip(1));
    let entries = pairs.zip(repetition.iter().skip(1));
    let broken = entries.map(|((&before, &level), &repeated)| {
        u8::from(repeated >= levels.repetition) & u8::from(before.min(level) < levels.element)
    });
    broken.fold(0, |all, one| all | one) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: ListLevels = ListLevels {
        element: 2,
        repetition: 1,
    };

    #[test]
    fn lists_end_where_the_next_begins() {
        // [a, null], [], null, [b]
        let (definition, repetition) = ([3, 2, 1, 0, 3], [0, 1, 0, 0, 0]);
        assert_eq!(
            offsets(&definition, &repetition, LIST).unwrap(),
            [0, 2, 2, 2, 3]
        );
        assert_eq!(offsets(&[], &[], LIST).unwrap(), [0]);
        let (mut definition, mut repetition) = (definition.to_vec(), repetition.to_vec());
        keep_elements(&mut definition, &mut repetition, 2);
        assert_eq!(
            (&definition[..], &repetition[..]),
            (&[3, 2, 3][..], &[0, 1, 0][..])
        );
    }

    #[test]
    fn what_goes_on_with_nothing_is_no_list() {
        // after a null list, an empty one, at the start, and an empty list within a list
        for (definition, repetition) in [
            ([0, 2], [0, 1]),
            ([1, 2], [0, 1]),
            ([2, 2], [1, 1]),
            ([2, 1], [0, 1]),
        ] {
            assert!(offsets(&definition, &repetition, LIST).is_none());
        }
    }

    quickcheck::quickcheck! {
        fn equals_loops_over_entries(entries: Vec<(u8, u8)>, level: u8, rows: usize, stretch: u8) -> bool {
            let entries: Vec<(u8, u8)> = entries
                .iter()
                .flat_map(|&(a, b)| std::iter::repeat_n((a % 4, b % 3), usize::from(stretch % 40)))
                .collect();
            let (definition, repetition): (Vec<u8>, Vec<u8>) = entries.iter().copied().unzip();
            let level = level % 5;
            let begins: Vec<usize> = (0..entries.len()).filter(|&at| repetition[at] == 0).collect();
            let rows = rows % (begins.len() + 2);
            let end = begins.get(rows).copied().unwrap_or(entries.len());
            let (mut kept, mut beside) = (definition.clone(), repetition.clone());
            keep_elements(&mut kept, &mut beside, level);
            let expected: Vec<(u8, u8)> = entries.iter().copied().filter(|entry| entry.0 >= level).collect();
            let first: Vec<u8> = entries.iter().filter(|entry| entry.1 <= 1).map(|entry| entry.0).collect();
            at_least(&definition, level).iter().eq(definition.iter().map(|&other| other >= level))
                && all_at_least(&definition, level) == definition.iter().all(|&other| other >= level)
                && count_equal(&definition, level) == definition.iter().filter(|&&other| other == level).count()
                && rows_end(&repetition, rows) == (end, rows.min(begins.len()))
                && kept.into_iter().zip(beside).eq(expected)
                && starts(&definition, &repetition, 1) == first
        }
    }
}
