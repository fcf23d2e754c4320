//! Strings and binary values of direct columns: the lengths in one stream, the bytes in another.
//!
//! ```text
//! LENGTH: 6 10        DATA: | NevadaCalifornia |
//! ```
//!
//! A window's bytes come as one buffer (or one for each run, where runs lie far apart), and its values
//! as views into it.
// spec: ORCv1.md, "String, Char, and VarChar Columns", "Binary Columns"

use std::ops::Range;

use lith_format::error::{Error, Result};
use lith_format::vector::{ByteViews, View};

use crate::orc::encoding::{Integers, check_lengths, is_dense, refill, total};
use crate::orc::position::Positions;
use crate::orc::stream::StreamReader;
use crate::selection::Selection;

/// Reads byte strings.
#[derive(Debug)]
pub(crate) struct Texts {
    data: StreamReader,
    lengths: Integers,
    padded: bool,
    scratch: Vec<i64>,
}

impl Texts {
    /// Starts at the front of the streams. Values of a `padded` column (char) lose trailing spaces.
    pub fn new(data: StreamReader, lengths: Integers, padded: bool) -> Self {
        Texts {
            data,
            lengths,
            padded,
            scratch: Vec::new(),
        }
    }

    /// Seeks to a position in each stream.
    pub fn seek(&mut self, positions: &mut Positions) -> Result<()> {
        self.data.seek(&positions.next()?)?;
        self.lengths.seek(&positions.next()?)
    }

    /// Reads the wanted values of a window.
    pub fn read(&mut self, wanted: &Selection) -> Result<ByteViews> {
        let mut lengths = std::mem::take(&mut self.scratch);
        let values = self.read_with(wanted, &mut lengths);
        self.scratch = lengths;
        values
    }

    fn read_with(&mut self, wanted: &Selection, lengths: &mut Vec<i64>) -> Result<ByteViews> {
        refill(&mut self.lengths, wanted.rows(), lengths, Integers::read)?;
        check_lengths(lengths)?;
        let mut out = ByteViews::default();
        out.views.reserve(wanted.selected());
        let mut at = 0;
        if let (true, [first, .., last]) = (is_dense(wanted), wanted.runs()) {
            self.data.skip(total(&lengths[..first.start]))?;
            self.piece(lengths, first.start..last.end, wanted.runs(), &mut out)?;
            at = last.end;
        } else {
            for run in wanted.runs() {
                self.data.skip(total(&lengths[at..run.start]))?;
                self.piece(lengths, run.clone(), std::slice::from_ref(run), &mut out)?;
                at = run.end;
            }
        }
        self.data.skip(total(&lengths[at..]))?;
        Ok(out)
    }

    /// Takes the bytes of the values of `range` and views those of `runs`, which begin and end with it.
    fn piece(
        &mut self,
        lengths: &[i64],
        range: Range<usize>,
        runs: &[Range<usize>],
        out: &mut ByteViews,
    ) -> Result<()> {
        let size = total(&lengths[range.clone()]);
        if u32::try_from(size).is_err() {
            return Err(Error::limit(format!("{size} bytes of text in one batch")));
        }
        let bytes = self.data.take(size as usize)?;
        let buffer = out.buffers.len() as u32;
        let (mut at, mut start) = (range.start, 0);
        for run in runs {
            start += total(&lengths[at..run.start]) as usize;
            let next = |&length: &i64| {
                let range = start..start + length as usize;
                start = range.end;
                view(&bytes, range, buffer, self.padded)
            };
            out.views.extend(lengths[run.clone()].iter().map(next));
            at = run.end;
        }
        out.buffers.push(bytes);
        Ok(())
    }
}

/// Views of all values of `blob`, one after the other.
pub(crate) fn views(blob: bytes::Bytes, lengths: &[i64], padded: bool) -> Result<ByteViews> {
    check_lengths(lengths)?;
    let size = total(lengths);
    if size > blob.len() as u64 {
        let found = blob.len();
        return Err(Error::corrupt(format!(
            "values of {size} bytes in a blob of {found}"
        )));
    }
    if u32::try_from(size).is_err() {
        return Err(Error::limit(format!("a dictionary of {size} bytes")));
    }
    let mut start = 0;
    let next = |&length: &i64| {
        let range = start..start + length as usize;
        start = range.end;
        view(&blob, range, 0, padded)
    };
    Ok(ByteViews {
        views: lengths.iter().map(next).collect(),
        buffers: vec![blob],
    })
}

/// A view of a range of `bytes`, which are buffer number `buffer`.
#[inline(always)]
fn view(bytes: &[u8], range: Range<usize>, buffer: u32, padded: bool) -> View {
    let start = range.start;
    let value = trim(&bytes[range], padded);
    match bytes[start..].first_chunk::<16>() {
        Some(window) => {
            let window = u128::from_le_bytes(*window) << 32 | value.len() as u128;
            View::from_window(window.to_le_bytes(), buffer, start as u32)
        }
        None => View::new(value, buffer, start as u32),
    }
}

#[inline]
fn trim(value: &[u8], padded: bool) -> &[u8] {
    match padded {
        false => value,
        true => {
            let spaces = value.iter().rev().take_while(|&&byte| byte == b' ').count();
            &value[..value.len() - spaces]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::encoding::{RleVersion, tests::literals};
    use crate::orc::stream::tests::{every_way, plain};
    use lith_format::error::ErrorKind;
    use quickcheck::quickcheck;

    fn lengths(lengths: &[i64]) -> Integers {
        Integers::unsigned(plain(&literals(lengths, false)), RleVersion::V1)
    }

    fn texts(values: &[&str], padded: bool) -> Texts {
        let sizes: Vec<i64> = values.iter().map(|value| value.len() as i64).collect();
        Texts::new(plain(values.concat().as_bytes()), lengths(&sizes), padded)
    }

    #[test]
    fn nevada_and_california() {
        let views = texts(&["Nevada", "California"], false)
            .read(&Selection::all(2))
            .unwrap();
        assert!(views.iter().eq([&b"Nevada"[..], b"California"]));
    }

    #[test]
    fn char_values_lose_trailing_spaces_only() {
        let values = [" a ", "    ", "", "b\t", "a rather long value      "];
        let views = texts(&values, true).read(&Selection::all(5)).unwrap();
        let expected: [&[u8]; 5] = [b" a", b"", b"", b"b\t", b"a rather long value"];
        assert!(views.iter().eq(expected));
    }

    #[test]
    fn lengths_that_are_negative_or_too_long_are_errors() {
        let kind = |sizes: &[i64]| {
            let mut texts = Texts::new(plain(b"abc"), lengths(sizes), false);
            texts.read(&Selection::all(sizes.len())).unwrap_err().kind()
        };
        assert_eq!(kind(&[1, -1]), ErrorKind::Corrupt);
        assert_eq!(kind(&[1, 3]), ErrorKind::Truncated);
        assert_eq!(kind(&[1 << 40]), ErrorKind::Corrupt);
        assert_eq!(
            kind(&[u32::MAX.into(), u32::MAX.into()]),
            ErrorKind::LimitExceeded
        );
        let error = views(plain(b"ab").take(2).unwrap(), &[1, 2], false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }

    quickcheck! {
        fn equals_a_filter(rows: Vec<(String, bool)>, gap: u8) -> bool {
            let mut rows = rows;
            let unwanted = std::iter::repeat_n((String::from("not this one"), false), gap.into());
            rows.splice(rows.len() / 2..rows.len() / 2, unwanted);
            let values: Vec<&str> = rows.iter().map(|row| &row.0[..]).collect();
            let sizes: Vec<i64> = values.iter().map(|value| value.len() as i64).collect();
            let selection = Selection::from_mask(&rows.iter().map(|row| row.1).collect());
            let expected = || rows.iter().filter(|row| row.1).map(|row| row.0.as_bytes());
            every_way(values.concat().as_bytes()).into_iter().all(|data| {
                let mut texts = Texts::new(data, lengths(&sizes), false);
                let views = texts.read(&selection).unwrap();
                views.iter().eq(expected()) && texts.read(&Selection::all(1)).is_err()
            })
        }
    }
}
