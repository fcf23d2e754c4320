//! The values of a leaf over its pages, dense: as codes while its pages are dictionary-encoded, the first
//! other page turns the codes so far into values.
//!
//! ```text
//! page of codes | page of codes | page of values | page of codes
//! codes           codes           values           values
//! ```

use std::sync::Arc;

use bytes::Bytes;
use lith_format::error::{Error, Result};
use lith_format::parquet::encoding::Encoding;
use lith_format::types::LogicalType;
use lith_format::vector::{ByteViews, Values, Vector};

use crate::kernel::gather::gather_values;
use crate::parquet::encoding::Decoder;
use crate::parquet::encoding::dictionary::Codes;
use crate::parquet::form::Form;
use crate::parquet::levels::MaxLevels;

/// A leaf, as far as its pages need to know it.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    /// What its values mean.
    pub(crate) ty: LogicalType,
    /// How they lie in pages.
    pub(crate) form: Form,
    /// Its greatest levels.
    pub(crate) max: MaxLevels,
    /// The most bytes a page may decode to.
    pub(crate) page_bytes: usize,
}

/// The values section of a page.
#[derive(Debug)]
pub(crate) enum PageValues {
    Codes(Codes),
    Values(Decoder),
    /// None is read: the type has only nulls.
    Ignored,
}

impl PageValues {
    /// The values section `bytes` of a page of a leaf whose chunk has this dictionary.
    pub(crate) fn new(
        encoding: Encoding,
        bytes: Bytes,
        leaf: &Leaf,
        dictionary: Option<&Dictionary>,
    ) -> Result<Self> {
        if leaf.form == Form::Nulls {
            return Ok(PageValues::Ignored);
        }
        if !encoding.is_dictionary() {
            let decoder = Decoder::new(encoding, leaf.form, bytes, leaf.page_bytes)?;
            return Ok(PageValues::Values(decoder));
        }
        // a page of nulls has no codes, and so needs no dictionary
        let entries = dictionary.map_or(0, |dictionary| dictionary.entries);
        Codes::new(bytes, entries).map(PageValues::Codes)
    }

    /// Skips `count` values.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        match self {
            PageValues::Codes(codes) => codes.skip(count),
            PageValues::Values(values) => values.skip(count),
            PageValues::Ignored => Ok(()),
        }
    }
}

/// The dictionary page of a chunk.
#[derive(Debug)]
pub(crate) struct Dictionary {
    entries: usize,
    /// The entries in the layout of the type.
    vector: Arc<Vector>,
    /// The entries in the layout that pages decode to, where that is another.
    raw: Option<Values>,
}

impl Dictionary {
    /// The `entries` of a page, in PLAIN.
    pub(crate) fn new(leaf: &Leaf, page: Bytes, entries: usize) -> Result<Self> {
        let mut raw = leaf.form.empty();
        Decoder::new(Encoding::Plain, leaf.form, page, leaf.page_bytes)?.read(entries, &mut raw)?;
        let (values, raw) = if leaf.form.is_raw(&leaf.ty) {
            (leaf.form.finish(raw.clone(), &leaf.ty)?, Some(raw))
        } else {
            (raw, None)
        };
        Ok(Dictionary {
            entries,
            vector: Arc::new(Vector {
                ty: leaf.ty.clone(),
                len: entries,
                validity: None,
                values,
            }),
            raw,
        })
    }

    fn raw(&self) -> &Values {
        self.raw.as_ref().unwrap_or(&self.vector.values)
    }
}

/// The values collected so far.
#[derive(Debug)]
pub(crate) enum Collected {
    Codes(Vec<u32>),
    Values { values: Values, scratch: Vec<u32> },
}

impl Default for Collected {
    fn default() -> Self {
        Collected::Codes(Vec::new())
    }
}

impl Collected {
    /// Appends the next `count` values of a page.
    pub(crate) fn read(
        &mut self,
        page: &mut PageValues,
        count: usize,
        leaf: &Leaf,
        dictionary: Option<&Dictionary>,
    ) -> Result<()> {
        match page {
            PageValues::Codes(codes) => self.push_codes(codes, count, dictionary),
            PageValues::Values(values) => values.read(count, self.flatten(leaf, dictionary)?),
            PageValues::Ignored => Ok(()),
        }
    }

    /// What was collected, in the layout of the leaf's type or as codes.
    pub(crate) fn finish(self, leaf: &Leaf, dictionary: Option<&Dictionary>) -> Result<Values> {
        match (self, dictionary) {
            (Collected::Codes(codes), Some(dictionary)) if dictionary.entries > 0 => {
                Ok(Values::Dictionary {
                    codes,
                    values: Arc::clone(&dictionary.vector),
                })
            }
            // a dictionary without entries is one of nulls: there are no codes
            (Collected::Codes(_), _) => leaf.form.finish(leaf.form.empty(), &leaf.ty),
            (Collected::Values { values, .. }, _) => leaf.form.finish(values, &leaf.ty),
        }
    }

    fn push_codes(
        &mut self,
        codes: &mut Codes,
        count: usize,
        dictionary: Option<&Dictionary>,
    ) -> Result<()> {
        match self {
            Collected::Codes(out) => codes.read(count, out),
            Collected::Values { values, scratch } => {
                scratch.clear();
                codes.read(count, scratch)?;
                gather_from(dictionary, scratch, values)
            }
        }
    }

    /// The values so far, which stop being codes.
    fn flatten(&mut self, leaf: &Leaf, dictionary: Option<&Dictionary>) -> Result<&mut Values> {
        if let Collected::Codes(codes) = self {
            let mut values = match dictionary.map(Dictionary::raw) {
                // entries keep their buffers' numbers
                Some(Values::Bytes(entries)) => Values::Bytes(ByteViews {
                    views: Vec::new(),
                    buffers: entries.buffers.clone(),
                }),
                _ => leaf.form.empty(),
            };
            gather_from(dictionary, codes, &mut values)?;
            let scratch = std::mem::take(codes);
            *self = Collected::Values { values, scratch };
        }
        match self {
            Collected::Values { values, .. } => Ok(values),
            Collected::Codes(_) => Err(Error::type_mismatch("codes where values belong")),
        }
    }
}

fn gather_from(dictionary: Option<&Dictionary>, codes: &[u32], values: &mut Values) -> Result<()> {
    match dictionary {
        _ if codes.is_empty() => Ok(()),
        Some(dictionary) if gather_values(dictionary.raw(), codes, values) => Ok(()),
        _ => Err(Error::type_mismatch("entries of another layout")),
    }
}
