//! Row indexes and Bloom filters: what a stripe says of each stride of a column.
//!
//! ```text
//! ROW_INDEX stream          = RowIndex: an entry a stride, with positions in the column's streams
//! BLOOM_FILTER_UTF8 stream  = BloomFilterIndex: a filter a stride
//! ```
//! What the ORC specification calls a row group is a stride here.
// spec: ORCv1.md, "Row Group Index", "Bloom Filter Index"

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::orc::budget::Budget;
use crate::orc::proto::{Encoder, Field, FieldResult, Message, accept_fields};
use crate::orc::statistics::ColumnStatistics;

/// More hash functions than any false positive rate asks for.
const MAX_HASH_FUNCTIONS: u32 = 100;

/// Statistics of a stride, and where its values start in each of the column's streams.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowIndexEntry {
    /// For each stream in order: the offset of the chunk (if compressed), the offset in it, then
    /// what the encoding adds. Empty stands for zeros.
    pub positions: Vec<u64>,
    /// Statistics of the stride.
    pub statistics: Option<ColumnStatistics>,
}

impl Message for RowIndexEntry {
    const NAME: &'static str = "RowIndexEntry";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => field.extend_u64(&mut self.positions)?,
            2 => field.merge_option(&mut self.statistics)?,
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.packed(1, self.positions.iter().copied());
        out.message(2, self.statistics.as_ref());
    }
}

/// The strides of a column in a stripe.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowIndex {
    /// One for each stride.
    pub entry: Vec<RowIndexEntry>,
}

impl Message for RowIndex {
    const NAME: &'static str = "RowIndex";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        if field.number == 1 {
            field.push_message(&mut self.entry)?;
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.messages(1, &self.entry);
    }
}

impl RowIndex {
    /// Holds the number of entries against the rows of the stripe. Only for a column that has a
    /// place for each row: children of lists and maps have strides by the parent's rows as well.
    pub fn validate(&self, rows: u64, stride: u32) -> Result<()> {
        let strides = match stride {
            0 => 0,
            stride => rows.div_ceil(u64::from(stride)),
        };
        if self.entry.len() as u64 != strides {
            let entries = self.entry.len();
            let message = format!("{entries} entries for {rows} rows in strides of {stride}");
            return Err(Error::corrupt(message).within("RowIndex"));
        }
        Ok(())
    }
}

/// A Bloom filter over the values of a stride.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BloomFilter {
    /// How many bits each value sets.
    pub num_hash_functions: u32,
    /// The bits, in words (BLOOM_FILTER streams).
    pub bitset: Vec<u64>,
    /// The bits, in bytes: little-endian words (BLOOM_FILTER_UTF8 streams).
    pub utf8bitset: Option<Vec<u8>>,
}

impl Message for BloomFilter {
    const NAME: &'static str = "BloomFilter";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.num_hash_functions = field.u32()?,
            2 => field.extend_fixed64(&mut self.bitset)?,
            // a draft of the layout had a number here; see `words`
            3 if field.bytes().is_err() => self.utf8bitset = None,
            3 => self.utf8bitset = Some(field.byte_vec()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.u32(1, self.num_hash_functions);
        out.fixed64s(2, &self.bitset);
        out.bytes(3, self.utf8bitset.as_deref());
    }
}

impl BloomFilter {
    /// The bits in words, or `None` if they are not what the specification says: filters in a draft
    /// of the layout state their expected entries as hash functions. Such a filter proves nothing.
    pub fn words(&self) -> Option<Cow<'_, [u64]>> {
        if !(1..=MAX_HASH_FUNCTIONS).contains(&self.num_hash_functions) {
            return None;
        }
        let words = match &self.utf8bitset {
            None => Cow::Borrowed(&self.bitset[..]),
            Some(bytes) => {
                let (words, []) = bytes.as_chunks::<8>() else {
                    return None;
                };
                words.iter().copied().map(u64::from_le_bytes).collect()
            }
        };
        (!words.is_empty()).then_some(words)
    }

    /// The same filter with its bits as [`words`](Self::words) gives them, so that asking it often converts nothing.
    pub fn in_words(self) -> Self {
        let converted = match self.words() {
            Some(Cow::Owned(words)) => Some(words),
            _ => None,
        };
        match converted {
            None => self,
            Some(bitset) => BloomFilter {
                bitset,
                utf8bitset: None,
                ..self
            },
        }
    }
}

/// The Bloom filters of a column in a stripe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BloomFilterIndex {
    /// One for each stride.
    pub bloom_filter: Vec<BloomFilter>,
}

impl Message for BloomFilterIndex {
    const NAME: &'static str = "BloomFilterIndex";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        if field.number == 1 {
            field.push_message(&mut self.bloom_filter)?;
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.messages(1, &self.bloom_filter);
    }
}

/// Passes the Bloom filters of an encoded [`BloomFilterIndex`] to `accept` one by one.
pub(super) fn each_bloom_filter(
    bytes: &[u8],
    limits: &Limits,
    accept: &mut dyn FnMut(BloomFilter) -> Result<()>,
) -> Result<()> {
    let budget = Budget::new(bytes, bytes.len(), limits);
    accept_fields(bytes, (BloomFilterIndex::NAME, 0), &budget, |field| {
        if field.number == 1 {
            let before = budget.left();
            accept(field.message()?)?;
            budget.refill(before);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::orc::testing::{hostile, statistics};

    fn row_index() -> RowIndex {
        let entry = |positions: &[u64], column: usize| RowIndexEntry {
            positions: positions.to_vec(),
            statistics: statistics().into_iter().nth(column),
        };
        RowIndex {
            entry: vec![entry(&[], 1), entry(&[0, 300, 5], 2)],
        }
    }

    fn bloom_filters() -> BloomFilterIndex {
        let words = BloomFilter {
            num_hash_functions: 4,
            bitset: vec![1, u64::MAX],
            utf8bitset: None,
        };
        let bytes = BloomFilter {
            num_hash_functions: 3,
            bitset: Vec::new(),
            utf8bitset: Some(vec![0xff; 16]),
        };
        BloomFilterIndex {
            bloom_filter: vec![words, bytes],
        }
    }

    #[test]
    fn entries_are_held_against_the_rows() {
        assert!(row_index().validate(15_000, 10_000).is_ok());
        assert!(row_index().validate(20_000, 10_000).is_ok());
        for (rows, stride) in [(10_000, 10_000), (20_001, 10_000), (1, 0)] {
            let error = row_index().validate(rows, stride).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
        }
    }

    #[test]
    fn packed_and_single_words_of_a_filter_are_the_same() {
        let single = [0x11, 7, 0, 0, 0, 0, 0, 0, 0];
        let packed = [0x12, 8, 7, 0, 0, 0, 0, 0, 0, 0];
        for bytes in [&single[..], &packed] {
            let filter = BloomFilter::decode(bytes, &Limits::default()).unwrap();
            assert_eq!(filter.bitset, [7]);
        }
    }

    #[test]
    fn filters_give_words_or_prove_nothing() {
        let [words, bytes] = &bloom_filters().bloom_filter[..] else {
            panic!("two filters");
        };
        assert_eq!(words.words().as_deref(), Some(&[1, u64::MAX][..]));
        assert_eq!(bytes.words().as_deref(), Some(&[u64::MAX; 2][..]));
        let converted = bytes.clone().in_words();
        assert!(matches!(
            converted.words(),
            Some(Cow::Borrowed([u64::MAX, u64::MAX]))
        ));
        let draft = BloomFilter {
            num_hash_functions: 10_000,
            ..words.clone()
        };
        let odd = BloomFilter {
            utf8bitset: Some(vec![0; 9]),
            ..words.clone()
        };
        let none = BloomFilter {
            num_hash_functions: 3,
            ..BloomFilter::default()
        };
        assert!(
            [draft, odd, none]
                .iter()
                .all(|filter| filter.words().is_none() && filter.clone().in_words() == *filter)
        );
    }

    #[test]
    fn indexes_round_trip_and_no_truncation_or_flip_panics() {
        let limits = Limits::default();
        let (rows, blooms) = (row_index().encode(), bloom_filters().encode());
        assert_eq!(RowIndex::decode(&rows, &limits).unwrap(), row_index());
        assert_eq!(
            BloomFilterIndex::decode(&blooms, &limits).unwrap(),
            bloom_filters()
        );
        hostile(&rows, |bytes| {
            let decoded = RowIndex::decode(bytes, &limits);
            assert!(decoded.is_err() || decoded.unwrap().entry.len() <= bytes.len());
        });
        hostile(&blooms, |bytes| {
            let decoded = BloomFilterIndex::decode(bytes, &limits);
            assert!(decoded.is_err() || decoded.unwrap().bloom_filter.len() <= bytes.len());
        });
    }
}
