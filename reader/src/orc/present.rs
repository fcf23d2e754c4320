//! Which rows hold a value: the PRESENT stream, and what a selection of rows means for the values.
//!
//! ```text
//! rows      0 1 2 3 4 5 6 7        selected 1..4 and 6..8
//! present   1 0 1 1 1 0 0 1        a column without the stream has no nulls
//! values    0   1 2 3     4        wanted   1..3 and 4..5, of 5
//! ```
// spec: ORCv1.md, "Column Encodings"

use std::borrow::Cow;
use std::ops::Range;

use lith_format::bitmap::Bitmap;
use lith_format::error::Result;

use crate::kernel::bits::count_ones;
use crate::kernel::compact::compact_bits;
use crate::orc::encoding::boolean_rle::BooleanRle;
use crate::orc::position::Positions;
use crate::selection::Selection;

/// The PRESENT stream of a column, if it has one.
#[derive(Debug)]
pub(crate) struct Present(Option<BooleanRle>);

/// A window of rows, seen from its values.
#[derive(Debug)]
pub(crate) struct Window<'a> {
    /// Which selected rows hold a value; `None` if all do.
    pub validity: Option<Bitmap>,
    /// Which of the window's values belong to selected rows.
    pub wanted: Cow<'a, Selection>,
}

impl Present {
    /// Starts at the front of the stream.
    pub fn new(bits: Option<BooleanRle>) -> Self {
        Present(bits)
    }

    /// Whether the column has the stream.
    pub fn is_stored(&self) -> bool {
        self.0.is_some()
    }

    /// Seeks to the next position, if the column has the stream.
    pub fn seek(&mut self, positions: &mut Positions) -> Result<()> {
        match &mut self.0 {
            Some(bits) => bits.seek(&positions.next()?),
            None => Ok(()),
        }
    }

    /// Consumes the bits of the next `rows` rows; answers how many of them hold a value.
    pub fn skip(&mut self, rows: usize) -> Result<usize> {
        match &mut self.0 {
            Some(bits) => Ok(bits.read(rows)?.count_ones()),
            None => Ok(rows),
        }
    }

    /// Consumes the bits of the next `selection.rows()` rows.
    pub fn read<'a>(&mut self, selection: &'a Selection) -> Result<Window<'a>> {
        let no_nulls = Window {
            validity: None,
            wanted: Cow::Borrowed(selection),
        };
        let Some(bits) = &mut self.0 else {
            return Ok(no_nulls);
        };
        let validity = bits.read(selection.rows())?;
        if validity.all() {
            return Ok(no_nulls);
        }
        let wanted = wanted_values(&validity, selection);
        let validity = match selection.is_all() {
            true => validity,
            false => compact_bits(&validity, selection.runs()),
        };
        Ok(Window {
            validity: (!validity.all()).then_some(validity),
            wanted: Cow::Owned(wanted),
        })
    }
}

/// The values of the selected rows among the values of all rows.
fn wanted_values(validity: &Bitmap, selection: &Selection) -> Selection {
    let mut runs: Vec<Range<usize>> = Vec::with_capacity(selection.runs().len());
    let (mut row, mut value) = (0, 0);
    for run in selection.runs() {
        let start = value + count_ones(validity, row..run.start);
        let end = start + count_ones(validity, run.clone());
        match runs.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ if start == end => {}
            _ => runs.push(start..end),
        }
        (row, value) = (run.end, end);
    }
    let values = value + count_ones(validity, row..validity.len());
    Selection::from_runs(values, runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::encoding::boolean_rle::tests::encode;
    use crate::orc::stream::tests::plain;
    use quickcheck::quickcheck;

    fn present(rows: &[bool]) -> Present {
        Present::new(Some(BooleanRle::new(plain(&encode(rows)))))
    }

    #[test]
    fn the_picture() {
        let rows = [1, 0, 1, 1, 1, 0, 0, 1].map(|bit| bit == 1);
        let selection = Selection::from_runs(8, vec![1..4, 6..8]);
        let mut present = present(&rows);
        let window = present.read(&selection).unwrap();
        assert_eq!(*window.wanted, Selection::from_runs(5, vec![1..3, 4..5]));
        assert!(
            window
                .validity
                .unwrap()
                .iter()
                .eq([false, true, true, false, true])
        );
    }

    #[test]
    fn without_the_stream_there_are_no_nulls() {
        let selection = Selection::from_runs(8, vec![1..4, 6..7]);
        let window = Present::new(None)
            .read(&selection)
            .unwrap()
            .wanted
            .into_owned();
        assert_eq!(window, selection);
    }

    quickcheck! {
        fn equals_a_loop(rows: Vec<(bool, bool)>) -> bool {
            let valid: Vec<bool> = rows.iter().map(|row| row.0).collect();
            let selection = Selection::from_mask(&rows.iter().map(|row| row.1).collect());
            let mut present = present(&valid);
            let window = present.read(&selection).unwrap();
            let wanted = rows.iter().filter(|row| row.0).map(|row| row.1).collect();
            let validity: Bitmap = rows.iter().filter(|row| row.1).map(|row| row.0).collect();
            *window.wanted == Selection::from_mask(&wanted)
                && window.validity.unwrap_or(Bitmap::repeat(true, validity.len())) == validity
        }
    }
}
