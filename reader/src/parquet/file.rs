//! A Parquet file: its footer, and readers for the columns of its row groups.
//!
//! ```text
//! | .. | FileMetaData | length u32 | PAR1 |      the last 64 KiB are read first: most footers are within
//! ```
//!
//! A reader is made without touching the file. What the footer says of a chunk is held against the schema,
//! the row group and the file's size before that.
// spec: README.md, "File format"; parquet.thrift, ColumnChunk, ColumnMetaData

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::meta::FileMeta;
use lith_format::parquet::column_metadata::ColumnMetaData;
use lith_format::parquet::created_by::CreatedBy;
use lith_format::parquet::encryption::FileCryptoMetaData;
use lith_format::parquet::footer::{FileMetaData, TAIL_BYTES, Tail};
use lith_format::parquet::neutral::{self, chunk_range, padded_range};
use lith_format::parquet::row_group::ColumnChunk;
use lith_format::parquet::schema::Leaf;
use lith_format::types::LogicalType;
use lith_format::vector::{Values, Vector};

use crate::column::{ColumnReader, ReadContext};
use crate::parquet::column::{FlatColumn, FlatLeaf};
use crate::parquet::form::Form;
use crate::parquet::page::Pages;
use crate::selection::Selection;
use crate::source::Source;

/// How much of a file's end is read at first: most footers are within.
const FIRST_READ: u64 = 64 << 10;

/// A Parquet file whose footer is decoded.
#[derive(Debug, Clone)]
pub struct ParquetFile {
    path: PathBuf,
    footer: FileMetaData,
    meta: FileMeta,
    leaves: Vec<Leaf>,
}

impl ParquetFile {
    /// Reads and decodes the footer of `source`.
    pub fn open(source: &Arc<dyn Source>, limits: &Limits) -> Result<Self> {
        Self::decode(source.as_ref(), limits).map_err(|error| error.at_path(source.name()))
    }

    fn decode(source: &dyn Source, limits: &Limits) -> Result<Self> {
        let (footer, footer_bytes) = read_footer(source, limits)?;
        let neutral::Neutral { meta, leaves } =
            neutral::decode(&footer, source.size(), footer_bytes, limits)?;
        Ok(ParquetFile {
            path: source.name().to_path_buf(),
            footer,
            meta,
            leaves,
        })
    }

    /// The footer, in the specification's words.
    pub fn footer(&self) -> &FileMetaData {
        &self.footer
    }

    /// What the footer says, format-neutral.
    pub fn meta(&self) -> &FileMeta {
        &self.meta
    }

    /// What each leaf needs to be read.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// A reader of top-level column `column` in row group `row_group`, both from 0. Nothing is read yet.
    pub fn column(
        &self,
        source: &Arc<dyn Source>,
        row_group: usize,
        column: usize,
        context: &ReadContext,
    ) -> Result<Box<dyn ColumnReader>> {
        let field = self.meta.schema.fields.get(column);
        let site = Site {
            path: self.path.clone(),
            row_group,
            column: field.map(|field| field.name.clone()).unwrap_or_default(),
        };
        match self.open_column(source, row_group, column, context) {
            Ok(inner) => Ok(Box::new(Located { inner, site })),
            Err(error) => Err(site.locate(error)),
        }
    }

    fn open_column(
        &self,
        source: &Arc<dyn Source>,
        row_group: usize,
        column: usize,
        context: &ReadContext,
    ) -> Result<Box<dyn ColumnReader>> {
        let (Some(group), Some(field)) = (
            self.footer.row_groups.get(row_group),
            self.meta.schema.fields.get(column),
        ) else {
            return Err(Error::invalid("there is no such row group or column"));
        };
        let rows = usize::try_from(group.num_rows)
            .map_err(|_| Error::corrupt(format!("row group of {} rows", group.num_rows)))?;
        if field.ty.is_nested() {
            return Err(Error::unsupported("nested columns are not read yet"));
        }
        if field.ty == LogicalType::Null {
            return Ok(Box::new(Nulls { rows_left: rows }));
        }
        let index = self.leaves.partition_point(|leaf| leaf.column < column);
        let (Some(leaf), Some(chunk)) = (self.leaves.get(index), group.columns.get(index)) else {
            return Err(Error::corrupt("the row group lacks the column"));
        };
        let meta = readable(chunk, leaf)?;
        if usize::try_from(meta.num_values) != Ok(rows) {
            return Err(Error::corrupt(format!(
                "chunk of {} values in a row group of {rows} rows",
                meta.num_values
            )));
        }
        let codec = meta
            .codec
            .codec()
            .ok_or_else(|| Error::unsupported(format!("codec {}", meta.codec)))?;
        let writer = CreatedBy::parse(self.footer.created_by.as_deref());
        let range = padded_range(chunk_range(meta, source.size())?, &writer, source.size());
        let flat = FlatLeaf {
            ty: leaf.logical_type.clone(),
            form: Form::new(leaf.physical_type, leaf.type_length, &leaf.logical_type)?,
            optional: leaf.max_definition_level > 0,
            page_bytes: context.limits.page_bytes,
        };
        let pages = Pages::new(Arc::clone(source), range, codec, context.clone());
        let metrics = Arc::clone(&context.metrics);
        Ok(Box::new(FlatColumn::new(flat, pages, rows, metrics)))
    }
}

/// The metadata of a chunk that can be read from this file without keys.
pub(super) fn readable<'a>(chunk: &'a ColumnChunk, leaf: &Leaf) -> Result<&'a ColumnMetaData> {
    if chunk.crypto_metadata.is_some() {
        return Err(encrypted("column is encrypted"));
    }
    if chunk
        .file_path
        .as_ref()
        .is_some_and(|path| !path.is_empty())
    {
        return Err(Error::unsupported("the column lies in another file"));
    }
    match &chunk.meta_data {
        None => Err(Error::corrupt("column chunk without metadata")),
        Some(meta) if meta.physical_type != leaf.physical_type => Err(Error::corrupt(format!(
            "chunk of {} for a leaf of {}",
            meta.physical_type, leaf.physical_type
        ))),
        Some(meta) => Ok(meta),
    }
}

#[cold]
fn encrypted(what: &str) -> Error {
    let message = format!("the {what} and no key was given");
    Error::new(ErrorKind::Encrypted, message)
}

/// The footer at the end of a file, and how long it is.
fn read_footer(source: &dyn Source, limits: &Limits) -> Result<(FileMetaData, u64)> {
    let (range, bytes) = footer_bytes(source, limits)?;
    let footer = FileMetaData::decode(&bytes, limits).map_err(|error| error.rebase(range.start))?;
    Ok((footer, bytes.len() as u64))
}

/// The bytes of the footer at the end of a file, in one go where it is small, and where they lie. A footer
/// that is encrypted is an error.
pub fn footer_bytes(source: &dyn Source, limits: &Limits) -> Result<(Range<u64>, Bytes)> {
    let size = source.size();
    let first = size.min(FIRST_READ);
    let last = source.read_at(size - first, first as usize)?;
    let tail = Tail::decode(&last, size, limits)?;
    let len = (tail.footer.end - tail.footer.start) as usize;
    let end = last.len() - TAIL_BYTES;
    let footer = match end.checked_sub(len) {
        Some(start) => last.slice(start..end),
        None => source.read_at(tail.footer.start, len)?,
    };
    match tail.encrypted {
        true => Err(locked(&footer, limits)),
        false => Ok((tail.footer, footer)),
    }
}

/// That a footer is encrypted, how, and what the file says of the key.
fn locked(footer: &Bytes, limits: &Limits) -> Error {
    match FileCryptoMetaData::decode(footer, limits) {
        Ok((crypto, _)) => encrypted(&format!("footer is encrypted {crypto}")),
        Err(_) => encrypted("footer is encrypted"),
    }
}

/// Where errors of a column are.
struct Site {
    path: PathBuf,
    row_group: usize,
    column: String,
}

impl Site {
    fn locate(&self, error: Error) -> Error {
        error
            .at_column(self.column.as_str())
            .at_row_group(self.row_group)
            .at_path(&self.path)
    }
}

/// A reader whose errors say where they are.
struct Located {
    inner: Box<dyn ColumnReader>,
    site: Site,
}

impl ColumnReader for Located {
    fn read(&mut self, selection: &Selection) -> Result<Vector> {
        self.inner
            .read(selection)
            .map_err(|error| self.site.locate(error))
    }
}

/// A column that can hold only nulls: its pages need not be looked at.
struct Nulls {
    rows_left: usize,
}

impl ColumnReader for Nulls {
    fn read(&mut self, selection: &Selection) -> Result<Vector> {
        self.rows_left = self
            .rows_left
            .checked_sub(selection.rows())
            .ok_or_else(|| Error::invalid("rows wanted past the row group's end"))?;
        Ok(Vector {
            ty: LogicalType::Null,
            len: selection.selected(),
            validity: None,
            values: Values::Null,
        })
    }
}
