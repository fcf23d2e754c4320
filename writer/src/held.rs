//! The values of one leaf in the row group that is being collected: by code while a dictionary pays,
//! else plain. Nulls are not among them.
//!
//! A vector that comes as a dictionary is translated, not hashed: each distinct value is interned
//! once per dictionary, on first use, and further rows are a look-up of its code.

use std::ops::Range;
use std::sync::Arc;

use lith_format::vector::Vector;

use crate::bounds::Bounds;
use crate::choose::{self, Coded};
use crate::intern::Interner;
use crate::store::Store;

/// Values between two looks at whether the dictionary still pays.
const BLOCK: usize = 4096;

/// Values in one of two forms.
#[derive(Debug)]
pub(crate) enum Held<S> {
    /// Codes into distinct entries.
    Coded {
        /// The distinct values, in order of first appearance.
        entries: S,
        /// Finds the code of a value.
        interner: Interner,
        /// One a value.
        codes: Vec<u32>,
    },
    /// The values themselves.
    Plain(S),
}

/// The codes that the entries of the dictionary seen last have here.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    /// Kept alive so that its address stays its own.
    of: Option<Arc<Vector>>,
    to: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

impl Translation {
    /// Makes this the translation of `dictionary` with `len` entries.
    fn turn_to(&mut self, dictionary: &Arc<Vector>, len: usize) {
        if !self
            .of
            .as_ref()
            .is_some_and(|of| Arc::ptr_eq(of, dictionary))
        {
            self.of = Some(Arc::clone(dictionary));
            self.to.clear();
            self.to.resize(len, UNSEEN);
        }
    }

    /// Forgets all codes.
    pub(crate) fn clear(&mut self) {
        *self = Translation::default();
    }
}

impl<S: Store> Held<S> {
    /// No values, by code or plain.
    pub(crate) fn new(coded: bool) -> Self {
        if coded {
            Held::Coded {
                entries: S::default(),
                interner: Interner::default(),
                codes: Vec::new(),
            }
        } else {
            Held::Plain(S::default())
        }
    }

    /// Bytes of all values in the form they are held in.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Held::Coded { entries, codes, .. } => size(entries, codes).bytes(),
            Held::Plain(values) => values.plain_bytes(0..values.len()),
        }
    }

    /// Appends values `range` of `source`.
    pub(crate) fn append(&mut self, source: &S::Source, range: Range<usize>, limit: usize) {
        let mut at = range.start;
        while let Held::Coded {
            entries,
            interner,
            codes,
        } = self
            && at < range.end
        {
            let end = range.end.min(at + BLOCK);
            codes.extend((at..end).map(|index| interner.code(entries, S::value(source, index))));
            at = end;
            self.drop_dictionary_unless_promising(limit);
        }
        if let Held::Plain(values) = self {
            values.append(source, at..range.end);
        }
    }

    /// Appends what `codes` stand for in `source`, the values of `dictionary`.
    pub(crate) fn append_coded(
        &mut self,
        source: &S::Source,
        dictionary: &Arc<Vector>,
        codes: &[u32],
        translation: &mut Translation,
    ) {
        match self {
            Held::Plain(values) => {
                let each = codes.iter().map(|&code| S::value(source, code as usize));
                each.for_each(|value| values.push(value));
            }
            Held::Coded {
                entries,
                interner,
                codes: own,
            } => {
                translation.turn_to(dictionary, dictionary.len);
                let to = &mut translation.to;
                own.extend(codes.iter().map(|&code| {
                    let known = &mut to[code as usize];
                    if *known == UNSEEN {
                        *known = interner.code(entries, S::value(source, code as usize));
                    }
                    *known
                }));
            }
        }
    }

    /// Goes over to plain values if the dictionary has shown that it will not pay.
    pub(crate) fn drop_dictionary_unless_promising(&mut self, limit: usize) {
        if let Held::Coded { entries, codes, .. } = self
            && !size(entries, codes).is_promising(limit)
        {
            self.drop_dictionary();
        }
    }

    /// Goes over to plain values if those are not larger.
    pub(crate) fn drop_dictionary_unless_smaller(&mut self) {
        if let Held::Coded { entries, codes, .. } = self {
            let lengths: Vec<usize> = (0..entries.len())
                .map(|index| entries.plain_bytes(index..index + 1))
                .collect();
            let plain: usize = codes.iter().map(|&code| lengths[code as usize]).sum();
            if size(entries, codes).bytes() >= plain {
                self.drop_dictionary();
            }
        }
    }

    fn drop_dictionary(&mut self) {
        if let Held::Coded { entries, codes, .. } = self {
            let mut values = S::default();
            codes
                .iter()
                .for_each(|&code| values.push(entries.get(code as usize)));
            *self = Held::Plain(values);
        }
    }

    /// Smallest and largest of values `range`.
    pub(crate) fn bounds(&self, range: Range<usize>) -> Bounds<S::Owned> {
        match self {
            Held::Plain(values) => values.bounds(range),
            Held::Coded { entries, codes, .. } => coded_bounds(entries, &codes[range]),
        }
    }
}

fn size<S: Store>(entries: &S, codes: &[u32]) -> Coded {
    Coded {
        values: codes.len(),
        distinct: entries.len(),
        dictionary_bytes: entries.plain_bytes(0..entries.len()),
    }
}

/// Bounds of the entries that `codes` use: each is looked at once.
fn coded_bounds<S: Store>(entries: &S, codes: &[u32]) -> Bounds<S::Owned> {
    let mut uses = vec![0u32; entries.len()];
    for &code in codes {
        uses[code as usize] += 1;
    }
    let mut used = S::default();
    let mut nans = 0;
    for (index, &count) in uses.iter().enumerate().filter(|(_, count)| **count > 0) {
        used.push(entries.get(index));
        if entries.is_nan(index) {
            nans += u64::from(count);
        }
    }
    let bounds = used.bounds(0..used.len());
    Bounds {
        min_max: bounds.min_max,
        nans,
    }
}

/// Bits of one code.
pub(crate) fn code_width<S: Store>(entries: &S) -> u32 {
    choose::code_width(entries.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_that_does_not_pay_is_dropped_and_values_stay() {
        let values: Vec<i64> = (0..40_000).collect();
        let mut held = Held::<Vec<i64>>::new(true);
        held.append(&values, 0..values.len(), 1 << 20);
        assert!(matches!(&held, Held::Plain(kept) if *kept == values));

        let few: Vec<i64> = (0..40_000).map(|value| value % 7).collect();
        let mut held = Held::<Vec<i64>>::new(true);
        held.append(&few, 0..few.len(), 1 << 20);
        held.drop_dictionary_unless_smaller();
        assert!(matches!(&held, Held::Coded { entries, .. } if entries.len() == 7));
    }

    quickcheck::quickcheck! {
        fn bounds_do_not_depend_on_the_form(values: Vec<f32>, from: usize) -> bool {
            let mut held = Held::<Vec<f32>>::new(true);
            held.append(&values, 0..values.len(), 1 << 20);
            let from = if values.is_empty() { 0 } else { from % values.len() };
            held.bounds(from..values.len()) == values.bounds(from..values.len())
        }
    }
}
