//! The pages of a leaf's chunk, and what they share: the dictionary before them and the leaf's form.
//!
//! ```text
//! dictionary page -> decoded once, when it is reached
//! data page       -> found by its header -> opened: levels, values
//! ```

use lith_format::error::{Error, Result};
use lith_format::vector::Values;

use crate::metrics::Metrics;
use crate::parquet::form::Form;
use crate::parquet::levels::Levels;
use crate::parquet::page::{Page, PageKind, Pages, Place};
use crate::parquet::values::{Collected, Dictionary, Leaf, PageValues};

/// The pages of a leaf, front to back.
pub(crate) struct LeafPages {
    leaf: Leaf,
    pages: Pages,
    dictionary: Option<Dictionary>,
}

/// The size of a data page, by its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageSize {
    /// Values and nulls, of which there are some.
    pub(crate) entries: usize,
    /// Rows, if the header states them and the last does not continue in the next page.
    pub(crate) rows: Option<usize>,
}

/// An opened data page.
pub(crate) struct OpenedPage {
    pub(crate) place: Place,
    pub(crate) levels: Levels,
    pub(crate) values: PageValues,
}

impl LeafPages {
    /// The pages of `leaf`, of which none is read yet.
    pub(crate) fn new(leaf: Leaf, pages: Pages) -> Self {
        LeafPages {
            leaf,
            pages,
            dictionary: None,
        }
    }

    /// The leaf.
    pub(crate) fn leaf(&self) -> &Leaf {
        &self.leaf
    }

    /// Where to count.
    pub(crate) fn metrics(&self) -> &Metrics {
        self.pages.metrics()
    }

    /// How many rows are in a page of this size and no other, if that is known before it is opened.
    pub(crate) fn rows_of(&self, size: PageSize) -> Option<usize> {
        match self.leaf.max.repetition {
            0 => Some(size.entries),
            _ => size.rows,
        }
    }

    /// The next data page that holds anything; a dictionary before it is decoded. `None` at the end.
    pub(crate) fn find(&mut self) -> Result<Option<(Page, PageSize)>> {
        while let Some(page) = self.pages.next()? {
            match page.kind()? {
                PageKind::Dictionary { entries } => self.keep_dictionary(&page, entries)?,
                PageKind::Data { entries: 0, .. } => {}
                PageKind::Data { entries, rows } => {
                    return Ok(Some((page, PageSize { entries, rows })));
                }
            }
        }
        Ok(None)
    }

    fn keep_dictionary(&mut self, page: &Page, entries: usize) -> Result<()> {
        if self.dictionary.is_some() {
            return Err(page.located(Error::corrupt("a second dictionary")));
        }
        if self.leaf.form == Form::Nulls {
            return Ok(());
        }
        let bytes = self.pages.open_dictionary(page)?;
        let dictionary =
            Dictionary::new(&self.leaf, bytes, entries).map_err(|error| page.located(error))?;
        self.dictionary = Some(dictionary);
        Ok(())
    }

    /// Opens a page that was found.
    pub(crate) fn open(&mut self, page: &Page) -> Result<OpenedPage> {
        let opened = self.pages.open_data(page, self.leaf.max)?;
        let dictionary = self.dictionary.as_ref();
        let values = PageValues::new(opened.encoding, opened.values, &self.leaf, dictionary)
            .map_err(|error| page.located(error))?;
        Ok(OpenedPage {
            place: page.place(),
            levels: opened.levels,
            values,
        })
    }

    /// Appends the next `count` values of a page to `out`.
    pub(crate) fn read(
        &self,
        page: &mut PageValues,
        count: usize,
        out: &mut Collected,
    ) -> Result<()> {
        out.read(page, count, &self.leaf, self.dictionary.as_ref())
    }

    /// The values that were collected.
    pub(crate) fn finish(&self, collected: Collected) -> Result<Values> {
        collected.finish(&self.leaf, self.dictionary.as_ref())
    }
}
