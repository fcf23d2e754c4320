//! Buffers the values of one leaf of the current row group: as dictionary codes while these are smaller, else
//! plain. Nulls are left out.
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

/// Values between two checks whether the dictionary is still smaller.
const BLOCK: usize = 4096;

/// A buffer of values in one of two forms.
#[derive(Debug)]
pub(crate) enum ValueBuffer<S> {
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

/// Maps codes of the last dictionary to codes in this buffer.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    /// Kept alive so that its address is not used again.
    of: Option<Arc<Vector>>,
    to: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

impl Translation {
    /// Selects `dictionary` with `len` entries.
    fn select(&mut self, dictionary: &Arc<Vector>, len: usize) {
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

impl<S: Store> ValueBuffer<S> {
    /// An empty buffer, of codes or plain.
    pub(crate) fn new(coded: bool) -> Self {
        if coded {
            ValueBuffer::Coded {
                entries: S::default(),
                interner: Interner::default(),
                codes: Vec::new(),
            }
        } else {
            ValueBuffer::Plain(S::default())
        }
    }

    /// Bytes of all values in their current form.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            ValueBuffer::Coded { entries, codes, .. } => size(entries, codes).bytes(),
            ValueBuffer::Plain(values) => values.plain_bytes(0..values.len()),
        }
    }

    /// Appends values `range` of `source`.
    pub(crate) fn append(&mut self, source: &S::Source, range: Range<usize>, limit: usize) {
        let mut at = range.start;
        while let ValueBuffer::Coded {
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
        if let ValueBuffer::Plain(values) = self {
            values.append(source, at..range.end);
        }
    }

    /// Appends the entries that `codes` select from `source`, the values of `dictionary`.
    pub(crate) fn append_coded(
        &mut self,
        source: &S::Source,
        dictionary: &Arc<Vector>,
        codes: &[u32],
        translation: &mut Translation,
    ) {
        match self {
            ValueBuffer::Plain(values) => {
                let each = codes.iter().map(|&code| S::value(source, code as usize));
                each.for_each(|value| values.push(value));
            }
            ValueBuffer::Coded {
                entries,
                interner,
                codes: own,
            } => {
                translation.select(dictionary, dictionary.len);
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
        if let ValueBuffer::Coded { entries, codes, .. } = self
            && !size(entries, codes).is_promising(limit)
        {
            self.drop_dictionary();
        }
    }

    /// Goes over to plain values if those are not larger.
    pub(crate) fn drop_dictionary_unless_smaller(&mut self) {
        if let ValueBuffer::Coded { entries, codes, .. } = self {
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
        if let ValueBuffer::Coded { entries, codes, .. } = self {
            let mut values = S::default();
            codes
                .iter()
                .for_each(|&code| values.push(entries.get(code as usize)));
            *self = ValueBuffer::Plain(values);
        }
    }

    /// Smallest and largest of values `range`.
    pub(crate) fn bounds(&self, range: Range<usize>) -> Bounds<S::Owned> {
        match self {
            ValueBuffer::Plain(values) => values.bounds(range),
            ValueBuffer::Coded { entries, codes, .. } => coded_bounds(entries, &codes[range]),
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
        let mut buffer = ValueBuffer::<Vec<i64>>::new(true);
        buffer.append(&values, 0..values.len(), 1 << 20);
        assert!(matches!(&buffer, ValueBuffer::Plain(kept) if *kept == values));

        let few: Vec<i64> = (0..40_000).map(|value| value % 7).collect();
        let mut buffer = ValueBuffer::<Vec<i64>>::new(true);
        buffer.append(&few, 0..few.len(), 1 << 20);
        buffer.drop_dictionary_unless_smaller();
        assert!(matches!(&buffer, ValueBuffer::Coded { entries, .. } if entries.len() == 7));
    }

    quickcheck::quickcheck! {
        fn bounds_do_not_depend_on_the_form(values: Vec<f32>, from: usize) -> bool {
            let mut buffer = ValueBuffer::<Vec<f32>>::new(true);
            buffer.append(&values, 0..values.len(), 1 << 20);
            let from = if values.is_empty() { 0 } else { from % values.len() };
            buffer.bounds(from..values.len()) == values.bounds(from..values.len())
        }
    }
}
