//! Skips structs fast that are laid out like an earlier one. A footer has one for every column of every row
//! group, with the same fields; only their values differ, and few of those in length.
//!
//! ```text
//! a struct    16  a0 8d 06  18  03  a b c  00     i64 49 992, binary "abc"
//! decides     ff  80 80 80  ff  ff  0 0 0  ff     the bits on which it depends where everything lies
//! ```
//! A struct that equals it in these bits has all fields, and its end, at the same places. Where one value is
//! longer or shorter, that value is skipped by itself and the comparison goes on after it.
// spec: thrift-compact-protocol.md

use std::ops::Range;

use super::skip::skip_scalar;
use super::{Reader, Wire};
use crate::bytes::Cursor;
use crate::error::Result;
use crate::limits::Limits;

/// Bytes that are compared at a time.
const BLOCK: usize = 32;
const WORDS: usize = BLOCK / 8;

/// How many layouts are kept; structs with other layouts are skipped field by field.
const KEPT: usize = 64;

/// How many layouts are tried before a struct is skipped field by field.
const TRIED: usize = 4;

/// How many values of other lengths than its own a layout meets before it is replaced.
const PATIENCE: usize = 4;

/// The longest struct whose layout is kept: what it takes is a multiple of the struct's length.
const LONGEST: usize = 4096;

/// The layouts of the structs so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Layouts {
    kept: Vec<Layout>,
    /// The one of the struct before.
    last: usize,
}

/// How a struct is laid out.
#[derive(Debug, Clone)]
struct Layout {
    /// Where the struct begins that showed it.
    start: usize,
    /// The bits that decide it, of each byte of that struct; then a block of zeros.
    decisive: Vec<u8>,
    /// The values without parts, in order, and where they lie.
    values: Vec<(Wire, Range<usize>)>,
    /// The layout that came after this one the last time.
    next: usize,
    /// How many values had another length than here.
    detours: usize,
    /// How many may have, before a later struct becomes the model.
    patience: usize,
}

impl Reader<'_> {
    /// Skips a struct, fast if it is like others that this method skipped. Those that get the same
    /// number have the same fields in the same order.
    #[inline(always)]
    pub(crate) fn skip_alike(&mut self) -> Result<Option<usize>> {
        match self.layouts.pass_likely(self.bytes, &mut self.cursor) {
            None => self.skip_less_alike(),
            number => Ok(number),
        }
    }

    /// Skips a struct that is not wholly like the one that was expected.
    #[inline(never)]
    fn skip_less_alike(&mut self) -> Result<Option<usize>> {
        let followed = self
            .layouts
            .follow(self.bytes, &mut self.cursor, &self.limits);
        match followed {
            None => self.skip_unlike(),
            number => Ok(number),
        }
    }

    /// Walks over a struct and keeps its layout under a number, unless there are enough.
    fn skip_unlike(&mut self) -> Result<Option<usize>> {
        let start = self.position();
        self.skip(Wire::Struct)?;
        let place = start..self.position();
        if place.len() > LONGEST || self.layouts.kept.len() == KEPT {
            return Ok(None);
        }
        let layout = Layout::of(self.bytes, place, &self.limits)?;
        self.layouts.kept.push(layout);
        let number = self.layouts.kept.len() - 1;
        self.layouts.is_next(number);
        Ok(Some(number))
    }
}

impl Layouts {
    /// Skips the struct that comes next if it has the expected layout and all its values are as long as
    /// there; gives that layout's number.
    #[inline(always)]
    fn pass_likely(&mut self, bytes: &[u8], cursor: &mut Cursor<'_>) -> Option<usize> {
        let likely = self.kept.get(self.last)?.next;
        let layout = self.kept.get(likely)?;
        if !layout.is_that_of(cursor.rest(), bytes) {
            return None;
        }
        cursor.take(layout.length()).ok()?;
        self.last = likely;
        Some(likely)
    }

    /// Skips the struct that comes next if its layout is known, and gives that one's number; else stays
    /// where it is.
    fn follow(&mut self, bytes: &[u8], cursor: &mut Cursor<'_>, limits: &Limits) -> Option<usize> {
        let likely = self.kept.get(self.last)?.next;
        if self.kept[likely].follow(bytes, cursor, limits).is_some() {
            self.is_next(likely);
            return Some(likely);
        }
        let others = (likely + 1..self.kept.len()).chain(0..likely);
        for number in others.take(TRIED - 1) {
            if self.kept[number].follow(bytes, cursor, limits).is_some() {
                self.is_next(number);
                return Some(number);
            }
        }
        None
    }

    fn is_next(&mut self, number: usize) {
        if let Some(last) = self.kept.get_mut(self.last) {
            last.next = number;
        }
        self.last = number;
    }
}

impl Layout {
    /// The layout of the struct at `place` in `bytes`.
    fn of(bytes: &[u8], place: Range<usize>, limits: &Limits) -> Result<Self> {
        let start = place.start;
        let bytes = &bytes[place];
        let mut decisive = vec![0xff; bytes.len()];
        let mut values = Vec::new();
        Reader::new(bytes, limits).skip_traced(Wire::Struct, &mut |wire, place| {
            mask(wire, &bytes[place.clone()], &mut decisive[place.clone()]);
            values.push((wire, place));
        })?;
        decisive.resize(bytes.len() + BLOCK, 0);
        Ok(Layout {
            start,
            decisive,
            values,
            next: 0,
            detours: 0,
            patience: PATIENCE,
        })
    }

    /// Bytes of the struct that showed it.
    fn length(&self) -> usize {
        self.decisive.len() - BLOCK
    }

    /// Whether `next` begins with a struct whose values are all as long as here. Most do, so there is no
    /// early exit.
    #[inline(always)]
    fn is_that_of(&self, next: &[u8], bytes: &[u8]) -> bool {
        let model = bytes.get(self.start..).unwrap_or_default();
        let Some(blocks) = blocks(model, next, &self.decisive) else {
            return false;
        };
        let mut all = [0; WORDS];
        for (a, b, decisive) in blocks {
            let differing = differing(a, b, decisive);
            all = std::array::from_fn(|at| all[at] | differing[at]);
        }
        all == [0; WORDS]
    }

    /// Skips the struct at `cursor` in `bytes`; `None` if it is not laid out like this, and then the
    /// cursor stays.
    #[inline]
    fn follow(&mut self, bytes: &[u8], cursor: &mut Cursor<'_>, limits: &Limits) -> Option<()> {
        let model = bytes.get(self.start..)?;
        let (mut ahead, mut done) = (cursor.clone(), 0);
        while let Some(at) =
            difference(model.get(done..)?, ahead.rest(), self.decisive.get(done..)?)?
        {
            let (wire, place) = self.value_at(done + at)?;
            ahead.take(place.start - done).ok()?;
            skip_scalar(&mut ahead, *wire).ok()?;
            done = place.end;
            self.detours += 1;
        }
        ahead.take(self.length() - done).ok()?;
        if self.detours > self.patience {
            self.replace(bytes, cursor.position()..ahead.position(), limits);
        }
        *cursor = ahead;
        Some(())
    }

    /// Takes the struct at `place` for the model: offsets grow along a file, and so do their varints.
    #[cold]
    fn replace(&mut self, bytes: &[u8], place: Range<usize>, limits: &Limits) {
        let (next, patience) = (self.next, self.patience * 2);
        if place.len() <= LONGEST
            && let Ok(layout) = Layout::of(bytes, place, limits)
        {
            *self = Layout {
                next,
                patience,
                ..layout
            };
        }
    }

    /// The value that the byte at `offset` belongs to, if it belongs to one.
    fn value_at(&self, offset: usize) -> Option<&(Wire, Range<usize>)> {
        let after = self
            .values
            .partition_point(|(_, place)| place.start <= offset);
        let value = self.values.get(after.checked_sub(1)?)?;
        value.1.contains(&offset).then_some(value)
    }
}

/// Clears the bits of a value on which nothing depends.
fn mask(wire: Wire, value: &[u8], decisive: &mut [u8]) {
    match wire {
        // the tenth byte of a number can be too large
        Wire::I16 | Wire::I32 | Wire::I64 => {
            decisive.iter_mut().take(9).for_each(|byte| *byte = 0x80)
        }
        Wire::Binary => {
            let length = value.iter().take_while(|byte| **byte >= 0x80).count() + 1;
            decisive.iter_mut().skip(length).for_each(|byte| *byte = 0);
        }
        _ => decisive.fill(0),
    }
}

/// The first byte of `a` and `b` that differs in one of the `decisive` bits, which end with a block of zeros.
/// `None` if there are too few bytes.
#[inline]
fn difference(a: &[u8], b: &[u8], decisive: &[u8]) -> Option<Option<usize>> {
    for (number, (a, b, decisive)) in blocks(a, b, decisive)?.enumerate() {
        let differing = differing(a, b, decisive);
        if differing.iter().fold(0, |all, word| all | word) != 0 {
            let word = differing.iter().take_while(|word| **word == 0).count();
            let byte = differing.get(word)?.trailing_zeros() as usize / 8;
            return Some(Some(number * BLOCK + word * 8 + byte));
        }
    }
    Some(None)
}

type Block = [u8; BLOCK];

/// The blocks of `decisive` with those of `a` and `b` at their places. `None` if there are too few bytes.
#[inline(always)]
fn blocks<'a>(
    a: &'a [u8],
    b: &'a [u8],
    decisive: &'a [u8],
) -> Option<impl Iterator<Item = (&'a Block, &'a Block, &'a Block)>> {
    let a = a.get(..decisive.len())?.as_chunks().0;
    let b = b.get(..decisive.len())?.as_chunks().0;
    let pairs = a.iter().zip(b);
    let blocks = pairs.zip(decisive.as_chunks().0);
    Some(blocks.map(|((a, b), decisive)| (a, b, decisive)))
}

/// The decisive bits in which two blocks differ.
#[inline(always)]
fn differing(a: &Block, b: &Block, decisive: &Block) -> [u64; WORDS] {
    let (a, b, decisive) = (words(a), words(b), words(decisive));
    std::array::from_fn(|at| (a[at] ^ b[at]) & decisive[at])
}

/// A block as numbers of which the lowest byte comes first.
#[inline(always)]
fn words(block: &Block) -> [u64; WORDS] {
    let words = block.as_chunks().0;
    std::array::from_fn(|at| u64::from_le_bytes(words[at]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::{testing, thrift};

    /// Skips `count` structs in both ways; the places behind each, or the kind of the error.
    fn check(bytes: &[u8], count: usize) {
        let limits = Limits::default();
        let mut plain = Reader::new(bytes, &limits);
        let mut alike = Reader::new(bytes, &limits);
        for _ in 0..count {
            let plain_result = plain.skip(Wire::Struct).map_err(|error| error.kind());
            let result = alike.skip_alike().map(drop).map_err(|error| error.kind());
            assert_eq!(result, plain_result);
            if result.is_err() {
                return;
            }
            assert_eq!(alike.position(), plain.position());
        }
    }

    /// Chunks as a footer has them one behind the other.
    fn chunks(seeds: &[u64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for seed in seeds {
            let mut chunk = testing::row_group().columns.swap_remove(0);
            chunk.file_offset = (seed >> (seed % 64)) as i64;
            if let Some(meta) = &mut chunk.meta_data {
                let name = "n".repeat((seed % 7) as usize);
                meta.path_in_schema = [name].iter().collect();
                meta.num_values = (seed >> 40) as i64;
                if seed % 5 == 0 {
                    meta.statistics = None;
                }
            }
            bytes.extend(thrift::encode(&chunk));
        }
        bytes
    }

    quickcheck::quickcheck! {
        fn alike_or_not_structs_end_where_they_end(seeds: Vec<u64>, flips: Vec<(usize, u8)>) -> bool {
            let mut bytes = chunks(&seeds);
            check(&bytes, seeds.len());
            for (at, with) in flips {
                let at = at % bytes.len().max(1);
                bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= with);
                check(&bytes, seeds.len());
            }
            true
        }
    }

    #[test]
    fn every_flip_of_a_second_struct_is_seen() {
        let bytes = chunks(&[1 << 50, 3 << 50, 7 << 50]);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << bit;
                check(&bytes, 3);
            }
            check(&bytes[..at], 3);
        }
    }

    #[test]
    fn a_tenth_byte_is_held_against_its_limit() {
        let number = |last: u8| [&[0x16][..], &[0xff; 9], &[last, 0], &[0; 64]].concat();
        let bytes = [number(1), number(1), number(2)].concat();
        check(&bytes, 200);
    }
}
