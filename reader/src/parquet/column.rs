//! Reads a top-level leaf of a row group in windows of rows.
//!
//! ```text
//! rows wanted -> pages found -> page opened -> validity bits, values dense -> slots -> Vector
//! ```
//!
//! Nothing is done before it must be: a window without wanted rows is only noted; a page of which no row is
//! wanted is never decompressed; inside a page levels and values are skipped run by run. Where most rows are
//! wanted in short runs, the window is decoded whole and then compacted, which is cheaper than starting
//! over at each run.

use lith_format::error::{Error, Result};
use lith_format::vector::Vector;

use crate::column::ColumnReader;
use crate::kernel::bits::Bits;
use crate::kernel::compact::compact_vector;
use crate::kernel::spread::spread_values;
use crate::metrics::{Stage, Timer};
use crate::parquet::leaf::{LeafPages, OpenedPage};
use crate::parquet::levels::Validity;
use crate::parquet::page::{Page, Pages, Place};
use crate::parquet::values::{Collected, Leaf, PageValues};
use crate::selection::Selection;

/// What a run of wanted rows costs beside its values, in values that could be decoded meanwhile.
const RUN_COST: usize = 32;

/// The reader of a top-level leaf of a row group.
pub(crate) struct FlatColumn {
    pages: LeafPages,
    /// Rows that no window has covered yet.
    rows_left: usize,
    /// Unwanted rows of past windows that are still to be skipped.
    pending: usize,
    /// Rows of pages not yet found.
    page_rows_left: usize,
    current: Current,
}

/// The page at the position.
enum Current {
    /// The position is at a page's end.
    None,
    /// Found, not opened: the position is at its start.
    Found { page: Box<Page>, rows: usize },
    /// Opened, with so many rows left.
    Open { page: OpenPage, rows: usize },
}

struct OpenPage {
    place: Place,
    validity: Validity,
    values: PageValues,
}

/// The wanted rows of a window so far: one bit each, and the values that are there, dense.
struct Slots {
    rows: usize,
    present: usize,
    validity: Bits,
    values: Collected,
}

impl ColumnReader for FlatColumn {
    fn read(&mut self, selection: &Selection) -> Result<Vector> {
        let rows = selection.rows();
        if rows > self.rows_left {
            return Err(Error::invalid(format!(
                "{rows} rows wanted, {} left in the row group",
                self.rows_left
            )));
        }
        self.rows_left -= rows;
        let unwanted = rows - selection.selected();
        let result = if unwanted > 0 && unwanted < selection.runs().len() * RUN_COST {
            self.collect(&Selection::all(rows)).map(|whole| {
                let timer = Timer::start();
                let compacted = compact_vector(whole, selection);
                timer.stop(self.pages.metrics(), Stage::Gather);
                compacted
            })
        } else {
            self.collect(selection)
        };
        if result.is_err() {
            // the position is lost: what comes after must not be taken for the rows that follow
            self.rows_left = 0;
        }
        result
    }
}

impl FlatColumn {
    /// The reader of a leaf with `rows` rows in `pages`.
    pub(crate) fn new(leaf: Leaf, pages: Pages, rows: usize) -> Self {
        FlatColumn {
            pages: LeafPages::new(leaf, pages),
            rows_left: rows,
            pending: 0,
            page_rows_left: rows,
            current: Current::None,
        }
    }

    fn collect(&mut self, selection: &Selection) -> Result<Vector> {
        let selected = selection.selected();
        let optional = self.pages.leaf().max.definition > 0;
        let mut slots = Slots {
            rows: 0,
            present: 0,
            validity: Bits::with_capacity(if optional { selected } else { 0 }),
            values: Collected::default(),
        };
        let mut position = 0;
        for run in selection.runs() {
            self.pending += run.start - position;
            self.settle()?;
            self.read_rows(run.len(), &mut slots)?;
            position = run.end;
        }
        self.pending += selection.rows() - position;
        self.pages.metrics().values_decoded.add(selected as u64);
        self.finish(slots)
    }

    /// Skips the pending rows.
    fn settle(&mut self) -> Result<()> {
        while self.pending > 0 {
            match &mut self.current {
                Current::Found { rows, .. } if *rows <= self.pending => {
                    self.pending -= *rows;
                    self.current = Current::None;
                }
                Current::Open { page, rows } => {
                    let count = self.pending.min(*rows);
                    page.skip(count).map_err(|error| page.place.locate(error))?;
                    self.pending -= count;
                    *rows -= count;
                    if *rows == 0 {
                        self.current = Current::None;
                    }
                }
                Current::None => self.find()?,
                Current::Found { .. } => self.open()?,
            }
        }
        Ok(())
    }

    fn read_rows(&mut self, mut wanted: usize, slots: &mut Slots) -> Result<()> {
        while wanted > 0 {
            match &mut self.current {
                Current::None => self.find()?,
                Current::Found { .. } => self.open()?,
                Current::Open { page, rows } => {
                    let count = wanted.min(*rows);
                    page.read(count, slots, &self.pages)
                        .map_err(|error| page.place.locate(error))?;
                    wanted -= count;
                    *rows -= count;
                    if *rows == 0 {
                        self.current = Current::None;
                    }
                }
            }
        }
        Ok(())
    }

    /// Goes to the start of the next data page that has rows.
    fn find(&mut self) -> Result<()> {
        let Some((page, entries)) = self.pages.find()? else {
            return Err(Error::truncated(format!(
                "column chunk ends {} rows early",
                self.page_rows_left
            )));
        };
        let rows = entries.entries;
        if rows > self.page_rows_left {
            return Err(page.located(Error::corrupt(format!(
                "page of {rows} rows, {} left in the row group",
                self.page_rows_left
            ))));
        }
        self.page_rows_left -= rows;
        let page = Box::new(page);
        self.current = Current::Found { page, rows };
        Ok(())
    }

    /// Opens the page that was found.
    fn open(&mut self) -> Result<()> {
        // the page before is dropped here, which frees its buffer for this one
        if let Current::Found { page, rows } = std::mem::replace(&mut self.current, Current::None) {
            let OpenedPage {
                place,
                levels,
                values,
            } = self.pages.open(&page)?;
            let page = OpenPage {
                place,
                validity: Validity::new(levels),
                values,
            };
            self.current = Current::Open { page, rows };
        }
        Ok(())
    }

    /// Makes a vector of what was collected.
    fn finish(&self, slots: Slots) -> Result<Vector> {
        let validity = (slots.present < slots.rows).then(|| slots.validity.finish());
        let mut values = self.pages.finish(slots.values)?;
        if let Some(validity) = &validity {
            let timer = Timer::start();
            spread_values(&mut values, validity);
            timer.stop(self.pages.metrics(), Stage::Gather);
        }
        Ok(Vector {
            ty: self.pages.leaf().ty.clone(),
            len: slots.rows,
            validity,
            values,
        })
    }
}

impl OpenPage {
    fn skip(&mut self, rows: usize) -> Result<()> {
        let present = self.validity.skip(rows)?;
        self.values.skip(present)
    }

    fn read(&mut self, rows: usize, slots: &mut Slots, pages: &LeafPages) -> Result<()> {
        let present = match &mut self.validity {
            Validity::All => rows,
            validity => {
                let timer = Timer::of_rows(rows);
                let present = validity.read(rows, &mut slots.validity)?;
                timer.stop(pages.metrics(), Stage::Levels);
                present
            }
        };
        slots.rows += rows;
        slots.present += present;
        pages.read(&mut self.values, present, &mut slots.values)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::column::ReadContext;
    use crate::parquet::encoding::{alp, delta, delta_bytes, rle};
    use crate::parquet::form::Form;
    use crate::parquet::levels::MaxLevels;
    use crate::parquet::testing::{Chunk, Style};
    use lith_format::compress::Codec;
    use lith_format::error::ErrorKind;
    use lith_format::parquet::encoding::Encoding;
    use lith_format::scalar::Scalar;
    use lith_format::types::LogicalType;
    use lith_format::vector::Values;

    /// A kind of leaf and the values it makes of small numbers.
    #[derive(Clone, Copy, Debug)]
    enum Kind {
        Int,
        Text,
        Flag,
        Wide,
        Real,
    }

    const KINDS: [Kind; 5] = [Kind::Int, Kind::Text, Kind::Flag, Kind::Wide, Kind::Real];

    impl Kind {
        fn leaf(self, optional: bool) -> Leaf {
            let (ty, form) = match self {
                Kind::Int => (LogicalType::Int64, Form::I64),
                Kind::Text => (LogicalType::Binary, Form::ByteArray),
                Kind::Flag => (LogicalType::Boolean, Form::Boolean),
                Kind::Real => (LogicalType::Float64, Form::F64),
                Kind::Wide => {
                    let (precision, scale) = (7, 0);
                    (LogicalType::Decimal { precision, scale }, Form::Decimal(12))
                }
            };
            Leaf {
                ty,
                form,
                max: MaxLevels {
                    definition: u8::from(optional),
                    repetition: 0,
                },
                page_bytes: 1 << 20,
            }
        }

        fn text(number: u8) -> Vec<u8> {
            [number].repeat(usize::from(number % 30))
        }

        fn real(number: u8) -> f64 {
            f64::from(number) / 3.0
        }

        /// The values in one of the encodings that go with them.
        fn encoded(self, numbers: &[u8], choice: usize) -> (Encoding, Vec<u8>) {
            use Encoding as E;
            let plain = self.plain(numbers);
            let width = self.leaf(false).form.width();
            let choices: &[E] = match self {
                Kind::Int => &[E::Plain, E::DeltaBinaryPacked, E::ByteStreamSplit],
                Kind::Text => &[E::Plain, E::DeltaLengthByteArray, E::DeltaByteArray],
                Kind::Flag => &[E::Plain, E::Rle],
                Kind::Wide => &[E::Plain, E::DeltaByteArray, E::ByteStreamSplit],
                Kind::Real => &[E::Plain, E::Alp, E::ByteStreamSplit],
            };
            let encoding = choices[choice % choices.len()];
            let byte_arrays: Vec<Vec<u8>> = match width {
                Some(width) => plain.chunks(width).map(<[u8]>::to_vec).collect(),
                None => numbers.iter().map(|&n| Kind::text(n)).collect(),
            };
            let bytes = match encoding {
                E::DeltaBinaryPacked => {
                    let values: Vec<i64> = numbers.iter().map(|&n| i64::from(n)).collect();
                    delta::tests::encode(&values)
                }
                E::DeltaLengthByteArray => delta_bytes::tests::encode_lengths(&byte_arrays),
                E::DeltaByteArray => delta_bytes::tests::encode_prefixes(&byte_arrays),
                E::ByteStreamSplit => {
                    let stream = |byte| byte_arrays.iter().map(move |value| value[byte]);
                    (0..width.unwrap_or(0)).flat_map(stream).collect()
                }
                E::Alp => {
                    let values: Vec<f64> = numbers.iter().map(|&n| Kind::real(n)).collect();
                    alp::tests::encode(&values, 4, &[(3, 1), (14, 14)])
                }
                E::Rle => {
                    let bits = numbers.iter().map(|&n| u32::from(n % 2)).collect();
                    let runs = rle::tests::encode(&[(false, bits)], 1);
                    [&(runs.len() as u32).to_le_bytes()[..], &runs].concat()
                }
                _ => plain,
            };
            (encoding, bytes)
        }

        fn plain(self, numbers: &[u8]) -> Vec<u8> {
            match self {
                Kind::Int => numbers
                    .iter()
                    .flat_map(|&n| i64::from(n).to_le_bytes())
                    .collect(),
                Kind::Real => numbers
                    .iter()
                    .flat_map(|&n| Kind::real(n).to_le_bytes())
                    .collect(),
                Kind::Wide => {
                    let bytes = |&n: &u8| i128::from(n).to_be_bytes()[4..].to_vec();
                    numbers.iter().flat_map(bytes).collect()
                }
                Kind::Text => numbers
                    .iter()
                    .flat_map(|&n| {
                        let text = Kind::text(n);
                        [&(text.len() as u32).to_le_bytes()[..], &text].concat()
                    })
                    .collect(),
                Kind::Flag => numbers
                    .chunks(8)
                    .map(|byte| byte.iter().rev().fold(0, |bits, n| (bits << 1) | (n % 2)))
                    .collect(),
            }
        }

        fn scalar(self, number: Option<u8>) -> Scalar {
            let Some(number) = number else {
                return Scalar::Null;
            };
            match self {
                Kind::Int => Scalar::Int(i64::from(number)),
                Kind::Text => Scalar::binary(Kind::text(number)),
                Kind::Flag => Scalar::Boolean(number % 2 == 1),
                Kind::Real => Scalar::Float64(Kind::real(number)),
                Kind::Wide => Scalar::Decimal {
                    unscaled: i128::from(number),
                    scale: 0,
                },
            }
        }
    }

    /// Writes `rows` in pages of `page_rows`, in styles that change from page to page.
    fn write(kind: Kind, rows: &[Option<u8>], page_rows: usize, codes: u8, codec: Codec) -> Chunk {
        let mut chunk = Chunk {
            codec,
            ..Chunk::default()
        };
        let mut entries: Vec<u8> = rows.iter().flatten().copied().collect();
        entries.sort_unstable();
        entries.dedup();
        if codes > 0 {
            chunk.dictionary(entries.len(), &kind.plain(&entries));
        }
        for (index, page) in rows.chunks(page_rows).enumerate() {
            let validity: Vec<bool> = page.iter().map(Option::is_some).collect();
            let present: Vec<u8> = page.iter().flatten().copied().collect();
            let style = |encoding| Style {
                encoding,
                v2: index % 2 == 1,
                crc: index % 3 == 0,
            };
            let (encoding, values) = if (index as u8) < codes {
                let code = |number| entries.binary_search(number).unwrap() as u32;
                let codes: Vec<u32> = present.iter().map(code).collect();
                let runs = if codes.iter().all(|code| *code == codes[0]) {
                    rle::tests::encode(&[(true, codes)], 9)
                } else {
                    rle::tests::encode(&[(false, codes)], 9)
                };
                (Encoding::RleDictionary, [&[9], &runs[..]].concat())
            } else {
                kind.encoded(&present, index / 2)
            };
            if index % 5 == 2 {
                // a page without rows, with or without a section of values
                let nothing = kind.encoded(&[], index).1;
                let values = if index % 2 == 0 { &nothing[..] } else { &[] };
                chunk.data(0, Some(&[]), values, style(encoding));
            }
            chunk.data(page.len(), Some(&validity), &values, style(encoding));
        }
        chunk
    }

    fn reader(kind: Kind, chunk: Chunk, rows: usize, context: &ReadContext) -> FlatColumn {
        FlatColumn::new(kind.leaf(true), chunk.pages(context), rows)
    }

    /// Reads all rows in windows, of which `wanted` says which rows are kept.
    fn read(column: &mut FlatColumn, wanted: &[bool], window: usize) -> Result<Vec<Scalar>> {
        let mut out = Vec::new();
        for wanted in wanted.chunks(window) {
            let selection = Selection::from_mask(&wanted.iter().copied().collect());
            let vector = column.read(&selection)?;
            assert_eq!(vector.len, selection.selected());
            out.extend((0..vector.len).map(|row| vector.value(row)));
        }
        Ok(out)
    }

    fn same(a: &[Scalar], b: &[Scalar]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
    }

    quickcheck::quickcheck! {
        fn any_chunk_reads_as_written(
            rows: Vec<(Option<u8>, bool)>, stretch: (u8, bool), shape: (u8, u8, u8), kind: u8
        ) -> bool {
            let kind = KINDS[usize::from(kind) % KINDS.len()];
            let repeat = usize::from(stretch.0 % 20) + 1;
            let rows: Vec<(Option<u8>, bool)> = if stretch.1 {
                rows.repeat(repeat)
            } else {
                rows.iter().flat_map(|row| std::iter::repeat_n(*row, repeat)).collect()
            };
            let values: Vec<Option<u8>> = rows.iter().map(|row| row.0).collect();
            let wanted: Vec<bool> = rows.iter().map(|row| row.1).collect();
            let (page_rows, window) = (usize::from(shape.0) + 1, usize::from(shape.1) + 1);
            let codec = [Codec::None, Codec::Snappy, Codec::Zstd][usize::from(shape.2 % 3)];
            // none, some or all pages hold codes
            let codes = [0, 1, 3, 255][usize::from(shape.2 % 4)];
            let chunk = write(kind, &values, page_rows, codes, codec);
            let context = ReadContext::default();
            let mut column = reader(kind, chunk, rows.len(), &context);
            let expected: Vec<Scalar> = rows.iter().filter(|row| row.1).map(|row| kind.scalar(row.0)).collect();
            same(&read(&mut column, &wanted, window).unwrap(), &expected)
                && column.read(&Selection::all(1)).is_err()
        }
    }

    fn rows(count: usize) -> Vec<Option<u8>> {
        (0..count)
            .map(|row| (row % 5 != 0).then_some((row % 40) as u8))
            .collect()
    }

    #[test]
    fn pages_without_wanted_rows_are_not_opened() {
        let context = ReadContext::default();
        let rows = rows(100);
        let chunk = write(Kind::Int, &rows, 10, 0, Codec::Snappy);
        let mut column = reader(Kind::Int, chunk, 100, &context);
        let wanted: Vec<bool> = (0..100).map(|row| row == 55).collect();
        let values = read(&mut column, &wanted, 100).unwrap();
        assert!(same(&values, &[Kind::Int.scalar(rows[55])]));
        assert_eq!(context.metrics.pages_decoded.get(), 1);
        assert_eq!(context.metrics.values_decoded.get(), 1);
    }

    #[test]
    fn a_chunk_of_which_nothing_is_wanted_is_not_read() {
        let context = ReadContext::default();
        let chunk = write(Kind::Int, &rows(100), 10, 0, Codec::None);
        let mut column = reader(Kind::Int, chunk, 100, &context);
        assert!(read(&mut column, &[false; 100], 30).unwrap().is_empty());
        assert_eq!(context.metrics.bytes_read.get(), 0);
    }

    #[test]
    fn batches_stay_encoded_until_a_page_is_not() {
        let context = ReadContext::default();
        let chunk = write(Kind::Text, &rows(100), 10, 5, Codec::None);
        let mut column = reader(Kind::Text, chunk, 100, &context);
        let batches: Vec<Vector> = (0..5)
            .map(|_| column.read(&Selection::all(20)).unwrap())
            .collect();
        let encoded = |batch: &Vector| matches!(batch.values, Values::Dictionary { .. });
        assert_eq!(
            batches.iter().map(encoded).collect::<Vec<_>>(),
            [true, true, false, false, false]
        );
        let dictionary = |batch: &Vector| match &batch.values {
            Values::Dictionary { values, .. } => Arc::as_ptr(values),
            _ => std::ptr::null(),
        };
        assert_eq!(dictionary(&batches[0]), dictionary(&batches[1]));
    }

    #[test]
    fn rows_without_nulls_have_no_bitmap() {
        let context = ReadContext::default();
        let rows = vec![Some(3); 50];
        let chunk = write(Kind::Int, &rows, 10, 0, Codec::None);
        let mut column = reader(Kind::Int, chunk, 50, &context);
        assert!(column.read(&Selection::all(50)).unwrap().validity.is_none());
    }

    #[test]
    fn nulls_need_no_dictionary_entries() {
        for codes in [0, 9] {
            let chunk = write(Kind::Text, &[None; 20], 10, codes, Codec::None);
            let mut column = reader(Kind::Text, chunk, 20, &ReadContext::default());
            let vector = column.read(&Selection::all(20)).unwrap();
            assert_eq!(vector.null_count(), 20);
            assert!(matches!(vector.values, Values::Bytes(_)));
        }
    }

    #[test]
    fn pages_of_nulls_need_no_dictionary() {
        for section in [&[][..], &[0], &[9, 1]] {
            let style = Style {
                encoding: Encoding::RleDictionary,
                v2: false,
                crc: false,
            };
            let mut chunk = Chunk::default();
            chunk.data(3, Some(&[false; 3]), section, style);
            let mut column = reader(Kind::Text, chunk, 3, &ReadContext::default());
            let vector = column.read(&Selection::all(3)).unwrap();
            assert_eq!(vector.null_count(), 3);
        }
    }

    #[test]
    fn pages_and_rows_must_agree() {
        let read = |rows_said: usize| {
            let chunk = write(Kind::Int, &rows(30), 10, 0, Codec::None);
            let mut column = reader(Kind::Int, chunk, rows_said, &ReadContext::default());
            let error = column.read(&Selection::all(rows_said)).unwrap_err();
            assert!(column.read(&Selection::all(1)).is_err());
            error.kind()
        };
        assert_eq!(read(31), ErrorKind::Truncated);
        assert_eq!(read(29), ErrorKind::Corrupt);
    }

    /// Whatever the bytes, an answer: and where all rows come, they are as many as were asked for.
    fn survive(kind: Kind, bytes: Vec<u8>, codec: Codec) {
        let chunk = Chunk { bytes, codec };
        let mut column = reader(kind, chunk, 60, &ReadContext::default());
        let wanted: Vec<bool> = (0..60).map(|row| row % 7 < 4).collect();
        if let Ok(values) = read(&mut column, &wanted, 25) {
            assert_eq!(values.len(), wanted.iter().filter(|&&row| row).count());
        }
    }

    #[test]
    fn every_cut_and_flip_is_survived() {
        for kind in KINDS {
            for codec in [Codec::None, Codec::Snappy] {
                let bytes = write(kind, &rows(60), 20, 1, codec).bytes;
                for at in 0..bytes.len() {
                    survive(kind, bytes[..at].to_vec(), codec);
                    for flip in [0x01, 0x80, 0xff] {
                        let mut bytes = bytes.clone();
                        bytes[at] ^= flip;
                        survive(kind, bytes, codec);
                    }
                }
            }
        }
    }
}
