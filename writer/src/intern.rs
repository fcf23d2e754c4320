//! A hash table from values to dictionary codes, open-addressed, over values in a store.
//!
//! ```text
//! slot  | tag u32: upper half of the hash | code u32, FREE when unused |   at most 7/8 in use
//! ```
//! Codes are given in order of first appearance, so equal input gives equal dictionaries.

use crate::store::Store;

const FREE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Slot {
    tag: u32,
    code: u32,
}

/// The hash table of a dictionary that is being built.
#[derive(Debug)]
pub(crate) struct Interner {
    slots: Vec<Slot>,
    bits: u32,
    used: usize,
}

impl Default for Interner {
    fn default() -> Self {
        Self::with_bits(8)
    }
}

impl Interner {
    fn with_bits(bits: u32) -> Self {
        let free = Slot { tag: 0, code: FREE };
        Interner {
            slots: vec![free; 1 << bits],
            bits,
            used: 0,
        }
    }

    /// The code of `value` among `entries`, to which it is appended if it is new.
    #[inline]
    pub(crate) fn code<S: Store>(&mut self, entries: &mut S, value: S::Value<'_>) -> u32 {
        let tag = (S::hash(value) >> 32) as u32;
        let mut at = self.home(tag);
        loop {
            let slot = self.slots[at];
            if slot.code == FREE {
                break;
            }
            if slot.tag == tag && entries.same(slot.code as usize, value) {
                return slot.code;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        let code = entries.len() as u32;
        entries.push(value);
        self.slots[at] = Slot { tag, code };
        self.used += 1;
        if self.used * 8 > self.slots.len() * 7 {
            self.grow();
        }
        code
    }

    #[inline]
    fn home(&self, tag: u32) -> usize {
        (tag >> (32 - self.bits)) as usize
    }

    fn grow(&mut self) {
        let mut wider = Interner::with_bits((self.bits + 2).min(31));
        for slot in self.slots.iter().filter(|slot| slot.code != FREE) {
            let mut at = wider.home(slot.tag);
            while wider.slots[at].code != FREE {
                at = (at + 1) & (wider.slots.len() - 1);
            }
            wider.slots[at] = *slot;
        }
        wider.used = self.used;
        *self = wider;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ByteStore;

    quickcheck::quickcheck! {
        fn codes_stand_for_their_values_in_order_of_appearance(values: Vec<u8>) -> bool {
            let (mut interner, mut entries) = (Interner::default(), ByteStore::default());
            let texts: Vec<String> = values.iter().map(u8::to_string).collect();
            let codes: Vec<u32> = texts
                .iter()
                .map(|text| interner.code(&mut entries, text.as_bytes()))
                .collect();
            let mut seen: Vec<&String> = Vec::new();
            let expected = texts.iter().map(|text| {
                let at = seen.iter().position(|known| *known == text);
                at.unwrap_or_else(|| {
                    seen.push(text);
                    seen.len() - 1
                }) as u32
            });
            codes.iter().copied().eq(expected)
        }

        fn many_values_survive_growth(start: u64) -> bool {
            let (mut interner, mut entries) = (Interner::default(), Vec::<u64>::new());
            let value = |index: u64| start.wrapping_add(index << 20);
            let mut code = |index| interner.code(&mut entries, value(index));
            (0..5000).all(|index| code(index) == index as u32)
                && (0..5000).rev().all(|index| code(index) == index as u32)
        }
    }

    #[test]
    fn floats_are_told_apart_by_bits() {
        let (mut interner, mut entries) = (Interner::default(), Vec::<f64>::new());
        let values = [
            0.0,
            -0.0,
            f64::NAN,
            f64::from_bits(0x7ff8_0000_0000_0001),
            f64::NAN,
        ];
        let codes = values.map(|value| interner.code(&mut entries, value));
        assert_eq!(codes, [0, 1, 2, 3, 2]);
    }
}
