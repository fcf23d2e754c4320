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

    /// The rows whose bit is set.
    pub fn from_mask(mask: &Bitmap) -> Self {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for row in mask.ones() {
            match runs.last_mut() {
                Some(run) if run.end == row => run.end += 1,
                _ => runs.push(row..row + 1),
            }
        }
        Selection {
            rows: mask.len(),
            runs,
        }
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

    /// Whether every row of the window is wanted.
    pub fn is_all(&self) -> bool {
        self.selected() == self.rows
    }

    /// Whether no row is wanted.
    pub fn is_none(&self) -> bool {
        self.runs.is_empty()
    }
}
