//! Reads a leaf of a nested column in runs of rows: its levels, and the values that are there.
//!
//! ```text
//! repetition   0 1 1 0 | 1 0 0 0    a row begins at each 0; in V1 it may go on in the next page
//! definition   2 2 1 0 | 2 2 2 0    at the greatest level there is a value
//! ```
//! Where no list is above the leaf every entry is a row. Rows that are not wanted are only noted until others
//! are: pages that tell their rows and hold none of them are never decompressed, and inside a page levels are
//! counted and values skipped. Where a V1 page ends with the last wanted row, the next one must tell whether
//! the row goes on.
// spec: README.md, "Nested Encoding", "Data Pages"

use lith_format::error::{Error, Result};
use lith_format::limits::Limits;

use crate::kernel::levels::{count_equal, rows_end};
use crate::metrics::{Metrics, Stage, Timer};
use crate::nested::LeafLevels;
use crate::parquet::encoding::rle::Hybrid;
use crate::parquet::leaf::{LeafPages, OpenedPage, PageSize};
use crate::parquet::levels::{MaxLevels, read_levels};
use crate::parquet::page::{Page, Pages, Place};
use crate::parquet::values::{Collected, Leaf, PageValues};
use crate::selection::Selection;

/// How many levels are decoded at a time.
const BLOCK: usize = 1024;

/// For each entry of one read, levels, slots and offsets take about so many bytes.
const ENTRY_BYTES: usize = 16;

/// The reader of a leaf below a top-level column, in one row group.
pub(crate) struct NestedLeaf {
    pages: LeafPages,
    /// Rows that no window has covered yet.
    rows_left: usize,
    /// Rows that windows have covered, that were not wanted and that are still to be passed over.
    pending: usize,
    /// Entries of pages not yet found.
    entries_left: usize,
    current: Current,
    /// Whether a row has begun, which the next entry may go on with.
    begun: bool,
}

/// The page at the position.
enum Current {
    /// The position is at a page's end.
    None,
    /// Found, not opened: the position is at its start.
    Found(Box<Page>, PageSize),
    /// Opened.
    Open(Box<OpenPage>),
}

struct OpenPage {
    place: Place,
    max: MaxLevels,
    definition: Option<Hybrid>,
    repetition: Option<Hybrid>,
    values: PageValues,
    /// Entries not yet decoded.
    left: usize,
    /// Rows that are still to begin, if the header tells.
    rows: Option<usize>,
    block: Block,
}

/// Levels decoded and not yet taken.
#[derive(Default)]
struct Block {
    definition: Vec<u8>,
    repetition: Vec<u8>,
    len: usize,
    taken: usize,
}

/// The wanted rows of a window so far.
#[derive(Default)]
struct Collecting {
    entries: usize,
    definition: Vec<u8>,
    repetition: Vec<u8>,
    values: Collected,
}

impl NestedLeaf {
    /// Where to count.
    pub(crate) fn metrics(&self) -> &Metrics {
        self.pages.metrics()
    }

    /// The reader of a leaf with `rows` rows in `pages`, which hold `entries` values and nulls.
    pub(crate) fn new(leaf: Leaf, pages: Pages, [rows, entries]: [usize; 2]) -> Self {
        NestedLeaf {
            pages: LeafPages::new(leaf, pages),
            rows_left: rows,
            pending: 0,
            entries_left: entries,
            current: Current::None,
            begun: false,
        }
    }

    /// Consumes the next `selection.rows()` rows, of which there must be as many, and returns the selected.
    pub(crate) fn read(&mut self, selection: &Selection) -> Result<LeafLevels> {
        let rows = selection.rows();
        self.rows_left = (self.rows_left.checked_sub(rows))
            .ok_or_else(|| Error::invalid("rows wanted past the row group's end"))?;
        let mut out = Collecting::default();
        let mut position = 0;
        for run in selection.runs() {
            self.pending += run.start - position;
            let unwanted = std::mem::take(&mut self.pending);
            if unwanted > 0 {
                self.advance(unwanted, None)?;
            }
            self.advance(run.len(), Some(&mut out))?;
            position = run.end;
        }
        self.pending += rows - position;
        if self.rows_left == 0 && self.pending == 0 {
            self.expect_end()?;
        }
        self.pages.metrics().values_decoded.add(out.entries as u64);
        Ok(LeafLevels {
            entries: out.entries,
            definition: out.definition,
            repetition: out.repetition,
            values: self.pages.finish(out.values)?,
        })
    }

    /// Takes `rows` rows with all that belongs to them, into `out` if they are wanted.
    fn advance(&mut self, mut rows: usize, mut out: Option<&mut Collecting>) -> Result<()> {
        loop {
            match &mut self.current {
                Current::None => {
                    if !self.find(rows)? {
                        return Ok(());
                    }
                }
                Current::Found(_, size) => {
                    let whole = self.pages.rows_of(*size);
                    if rows == 0 && whole.is_some() {
                        return Ok(());
                    }
                    match whole {
                        Some(whole) if out.is_none() && whole <= rows => {
                            rows -= whole;
                            self.begun = true;
                            self.current = Current::None;
                        }
                        _ => self.open()?,
                    }
                }
                Current::Open(page) => {
                    let out = out.as_deref_mut();
                    let taken = page.advance(rows, self.begun, out, &self.pages);
                    let (begun, ended) = taken.map_err(|error| page.place.locate(error))?;
                    rows -= begun;
                    self.begun |= begun > 0;
                    match ended {
                        true => self.current = Current::None,
                        false => return Ok(()),
                    }
                }
            }
        }
    }

    /// Goes to the next data page; there need not be one if no row is wanted.
    fn find(&mut self, rows: usize) -> Result<bool> {
        if self.entries_left == 0 && rows == 0 {
            return Ok(false);
        }
        let Some((page, size)) = self.pages.find()? else {
            return Err(Error::truncated(format!(
                "column chunk ends {} values and {rows} rows early",
                self.entries_left
            )));
        };
        self.entries_left = self.entries_left.checked_sub(size.entries).ok_or_else(|| {
            page.located(Error::corrupt(format!(
                "page of {} values, {} left in the chunk",
                size.entries, self.entries_left
            )))
        })?;
        self.current = Current::Found(Box::new(page), size);
        Ok(true)
    }

    /// Opens the page that was found.
    fn open(&mut self) -> Result<()> {
        if let Current::Found(page, size) = std::mem::replace(&mut self.current, Current::None) {
            let OpenedPage {
                place,
                levels,
                values,
            } = self.pages.open(&page)?;
            if size.rows.is_some() {
                // pages that tell their rows begin with one
                self.begun = false;
            }
            self.current = Current::Open(Box::new(OpenPage {
                place,
                max: self.pages.leaf().max,
                definition: levels.definition,
                repetition: levels.repetition,
                values,
                left: size.entries,
                rows: self.pages.rows_of(size),
                block: Block::default(),
            }));
        }
        Ok(())
    }

    /// After the last row nothing may be left.
    fn expect_end(&self) -> Result<()> {
        let left = match &self.current {
            Current::None => 0,
            Current::Found(_, size) => size.entries,
            Current::Open(page) => page.left + page.block.left(),
        };
        match self.entries_left + left {
            0 => Ok(()),
            left => Err(Error::corrupt(format!(
                "{left} values after the row group's last row"
            ))),
        }
    }
}

impl OpenPage {
    /// Takes at most `rows` rows; answers how many began and whether the page ended. `begun` tells whether the
    /// first entry may belong to a row before.
    fn advance(
        &mut self,
        rows: usize,
        begun: bool,
        mut out: Option<&mut Collecting>,
        pages: &LeafPages,
    ) -> Result<(usize, bool)> {
        let (mut started, mut present) = (0, 0);
        let timer = Timer::of_rows(rows);
        let ended = loop {
            if self.block.left() == 0 && self.left == 0 {
                break true;
            }
            self.decode()?;
            let (entries, begin) = self.block.find_rows(rows - started);
            if entries == 0 {
                break false;
            }
            if !begun && started == 0 && !self.block.begins_row() {
                return Err(Error::corrupt("the first value goes on with no row"));
            }
            started += begin;
            present += self.block.take(entries, self.max, out.as_deref_mut());
            if let Some(out) = &out {
                let limit = pages.leaf().page_bytes / ENTRY_BYTES;
                Limits::check(out.entries as u64, limit, "number of values in one batch")?;
            }
        };
        timer.stop(pages.metrics(), Stage::Levels);
        match out {
            Some(out) => pages.read(&mut self.values, present, &mut out.values)?,
            None => self.values.skip(present)?,
        }
        if let Some(rows) = &mut self.rows {
            let left = rows
                .checked_sub(started)
                .filter(|left| !ended || *left == 0);
            *rows = left.ok_or_else(|| Error::corrupt("another number of rows than declared"))?;
        }
        Ok((started, ended))
    }

    /// Decodes the next levels if none is at hand.
    fn decode(&mut self) -> Result<()> {
        if self.block.left() > 0 {
            return Ok(());
        }
        let Block {
            definition,
            repetition,
            len,
            taken,
        } = &mut self.block;
        (*len, *taken) = (self.left.min(BLOCK), 0);
        definition.clear();
        repetition.clear();
        if let Some(runs) = &mut self.definition {
            read_levels(runs, *len, self.max.definition, definition)?;
        }
        if let Some(runs) = &mut self.repetition {
            read_levels(runs, *len, self.max.repetition, repetition)?;
        }
        self.left -= *len;
        Ok(())
    }
}

impl Block {
    fn left(&self) -> usize {
        self.len - self.taken
    }

    /// Whether the next entry begins a row.
    fn begins_row(&self) -> bool {
        self.repetition
            .get(self.taken)
            .is_none_or(|level| *level == 0)
    }

    /// How many entries there are up to the end of `rows` rows, and how many rows begin in them.
    fn find_rows(&self, rows: usize) -> (usize, usize) {
        match self.repetition.get(self.taken..) {
            Some(levels) if !self.repetition.is_empty() => rows_end(levels, rows),
            _ => {
                let rows = rows.min(self.left());
                (rows, rows)
            }
        }
    }

    /// Takes so many entries; answers how many of them are values.
    fn take(&mut self, entries: usize, max: MaxLevels, out: Option<&mut Collecting>) -> usize {
        let range = self.taken..self.taken + entries;
        self.taken += entries;
        let definition = self.definition.get(range.clone()).unwrap_or_default();
        let repetition = self.repetition.get(range).unwrap_or_default();
        if let Some(out) = out {
            out.entries += entries;
            out.definition.extend_from_slice(definition);
            out.repetition.extend_from_slice(repetition);
        }
        match max.definition {
            0 => entries,
            level => count_equal(definition, level),
        }
    }
}
