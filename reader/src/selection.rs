//! Which of the next rows are wanted: ascending, disjoint, non-empty runs within a window.

use std::ops::Range;

use lith_format::bitmap::Bitmap;

/// Runs of wanted rows in a window of `rows` rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    rows: usize,
    runs: Vec<Range<usize>>,
}

impl Selection {
    /// All `rows` rows.
    pub fn all(rows: usize) -> Self {
        let runs = if rows == 0 {
            Vec::new()
        } else {
            std::iter::once(0..rows).collect()
        };
        Selection { rows, runs }
    }

    /// None of `rows` rows.
    pub fn none(rows: usize) -> Self {
        Selection {
            rows,
            runs: Vec::new(),
        }
    }

    /// The rows whose bit is set.
    pub fn from_mask(mask: &Bitmap) -> Self {
        Selection::all(mask.len()).narrow(mask)
    }

    /// Of the wanted rows, those whose bit is set: the mask has one bit a wanted row.
    ///
    /// # Panics
    /// If the mask is not as long as there are wanted rows.
    pub fn narrow(&self, mask: &Bitmap) -> Selection {
        assert_eq!(mask.len(), self.selected(), "a mask of another length");
        let mut runs = Vec::new();
        let mut ones = mask.runs();
        let mut next = ones.next();
        let mut before = 0;
        for wanted in &self.runs {
            let after = before + wanted.len();
            let row = |bit: usize| wanted.start + bit - before;
            while let Some(bits) = next.take_if(|bits| bits.start < after) {
                runs.push(row(bits.start)..row(bits.end.min(after)));
                next = match bits.end > after {
                    true => Some(after..bits.end),
                    false => ones.next(),
                };
            }
            before = after;
        }
        Selection {
            rows: self.rows,
            runs,
        }
    }

    /// The same rows after `skipped` unwanted ones.
    pub fn after(&self, skipped: usize) -> Selection {
        let shift = |run: &Range<usize>| run.start + skipped..run.end + skipped;
        Selection {
            rows: self.rows + skipped,
            runs: self.runs.iter().map(shift).collect(),
        }
    }

    /// The part of it that lies in `window`, counted from the window's start.
    pub fn part(&self, window: Range<usize>) -> Selection {
        let first = self.runs.partition_point(|run| run.end <= window.start);
        let within = self.runs[first..]
            .iter()
            .take_while(|run| run.start < window.end);
        let shifted = within.map(|run| {
            run.start.max(window.start) - window.start..run.end.min(window.end) - window.start
        });
        Selection {
            rows: window.len(),
            runs: shifted.collect(),
        }
    }

    /// The rows that are wanted here and in `other`, which has as many rows.
    pub fn and(&self, other: &Selection) -> Selection {
        let (mut a, mut b) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        let mut runs = Vec::new();
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            let both = x.start.max(y.start)..x.end.min(y.end);
            if both.start < both.end {
                runs.push(both);
            }
            match x.end < y.end {
                true => a.next(),
                false => b.next(),
            };
        }
        Selection {
            rows: self.rows,
            runs,
        }
    }

    /// The given runs of a window of `rows` rows.
    ///
    /// # Panics
    /// If they do not ascend, touch, are empty or leave the window.
    pub fn from_runs(rows: usize, runs: Vec<Range<usize>>) -> Self {
        let ascend = runs.is_sorted_by(|a, b| a.end < b.start);
        let within = runs.last().is_none_or(|run| run.end <= rows);
        assert!(
            ascend && within && runs.iter().all(|run| !run.is_empty()),
            "runs that are no selection"
        );
        Selection { rows, runs }
    }

    /// The size of the window.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The wanted runs.
    pub fn runs(&self) -> &[Range<usize>] {
        &self.runs
    }

    /// How many rows are wanted.
    pub fn selected(&self) -> usize {
        self.runs.iter().map(ExactSizeIterator::len).sum()
    }

    /// The row of the window that is the wanted row of this number, from 0; `None` if there are fewer.
    pub fn row(&self, mut number: usize) -> Option<usize> {
        for run in &self.runs {
            if number < run.len() {
                return Some(run.start + number);
            }
            number -= run.len();
        }
        None
    }

    /// Whether every row of the window is wanted.
    pub fn is_all(&self) -> bool {
        self.selected() == self.rows
    }

    /// Whether no row is wanted.
    pub fn is_none(&self) -> bool {
        self.runs.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of(selection: &Selection) -> Vec<usize> {
        selection.runs().iter().cloned().flatten().collect()
    }

    quickcheck::quickcheck! {
        fn both_want_what_each_wants(rows: Vec<(bool, bool)>) -> bool {
            let selection = |wanted: fn(&(bool, bool)) -> bool| {
                Selection::from_mask(&rows.iter().map(wanted).collect())
            };
            selection(|row| row.0).and(&selection(|row| row.1)) == selection(|row| row.0 && row.1)
        }

        fn narrows_like_nested_filters(first: Vec<bool>, second: Vec<bool>, skipped: u8) -> bool {
            let selection = Selection::from_mask(&first.iter().copied().collect());
            let wanted: Vec<usize> = (0..first.len()).filter(|&row| first[row]).collect();
            let bit = |index: usize| !second.is_empty() && second[index % second.len()];
            let mask: Bitmap = (0..wanted.len()).map(bit).collect();
            let narrowed = selection.narrow(&mask);
            let expected: Vec<usize> =
                (0..wanted.len()).filter(|&index| bit(index)).map(|index| wanted[index]).collect();
            let skipped = usize::from(skipped);
            let after: Vec<usize> = expected.iter().map(|row| row + skipped).collect();
            let apart = |selection: &Selection| {
                selection.runs().windows(2).all(|pair| pair[0].end < pair[1].start)
            };
            rows_of(&selection) == wanted
                && rows_of(&narrowed) == expected
                && narrowed.selected() == expected.len()
                && narrowed.rows() == first.len()
                && (0..first.len()).map_while(|number| narrowed.row(number)).eq(expected)
                && apart(&selection)
                && apart(&narrowed)
                && rows_of(&narrowed.after(skipped)) == after
                && narrowed.after(skipped).rows() == first.len() + skipped
        }
    }
}
