//! A Parquet file: its footer, and readers for the columns of its row groups.
//!
//! ```text
//! | .. | FileMetaData | length u32 | PAR1 |      the last 64 KiB are read first: most footers are within
//! ```
//!
//! Creating a reader reads nothing. The metadata of its chunk is first checked against the schema, the row group
//! and the file's size.
// spec: README.md, "File format"; parquet.thrift, ColumnChunk, ColumnMetaData

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::meta::{ChunkMeta, FileMeta};
use lith_format::parquet::cipher::ChunkCipher;
use lith_format::parquet::created_by::CreatedBy;
use lith_format::parquet::footer::{FileMetaData, Footer};
use lith_format::parquet::neutral::{Parts, PlacedChunk, chunk_range, padded_range};
use lith_format::parquet::row_group::ColumnChunk;
use lith_format::parquet::schema::Leaf;
use lith_format::parquet::stats::Trust;
use lith_format::schema::{Field, LeafId, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Values, Vector};

use crate::column::{ColumnReader, ReadContext};
use crate::keys::Decryption;
use crate::nested::Node;
use crate::parquet::chunk::OpenChunk;
use crate::parquet::column::FlatColumn;
use crate::parquet::crypto::{Crypto, FooterBytes};
use crate::parquet::form::Form;
use crate::parquet::levels::MaxLevels;
use crate::parquet::nested::{NamedLeaf, NestedColumn};
use crate::parquet::nested_leaf::NestedLeaf;
use crate::parquet::page::Pages;
use crate::parquet::values;
use crate::parquet::variant::{VariantColumn, holds_variants};
use crate::part::Part;
use crate::selection::Selection;
use crate::source::Source;

/// A Parquet file whose footer is decoded, except the metadata of chunks, which is decoded when it is first asked
/// for.
#[derive(Debug, Clone)]
pub struct ParquetFile {
    path: PathBuf,
    file_size: u64,
    footer: Footer,
    footer_range: Range<u64>,
    /// Where the footer's first byte lies.
    footer_start: u64,
    pub(super) limits: Limits,
    crypto: Option<Arc<Crypto>>,
    parts: Parts,
    meta: OnceLock<FileMeta>,
}

impl ParquetFile {
    /// Reads and decodes the footer of `source`.
    pub fn open(source: &Arc<dyn Source>, limits: &Limits) -> Result<Self> {
        Self::open_columns(source, None, &Decryption::default(), limits)
    }

    /// Like [`open`](Self::open), but with keys, and as if the file had only columns of these names, if any are
    /// given.
    pub fn open_columns(
        source: &Arc<dyn Source>,
        columns: Option<&[String]>,
        decryption: &Decryption,
        limits: &Limits,
    ) -> Result<Self> {
        let file = Self::decode(source.as_ref(), columns, decryption, limits);
        file.map_err(|error| error.at_path(source.name()))
    }

    fn decode(
        source: &dyn Source,
        columns: Option<&[String]>,
        decryption: &Decryption,
        limits: &Limits,
    ) -> Result<Self> {
        let FooterBytes {
            range,
            bytes,
            start,
            crypto,
        } = FooterBytes::read(source, decryption, limits)?;
        let footer = match columns {
            None => Footer::decode(&bytes, limits),
            Some(names) => Footer::decode_columns(&bytes, limits, names),
        };
        let footer = footer.map_err(|error| error.rebase(start))?;
        let crypto = match (crypto, &footer.encryption_algorithm) {
            (None, Some(algorithm)) => {
                let metadata = footer.footer_signing_key_metadata.as_deref();
                let signed = Crypto::of_signed(algorithm, metadata, &bytes, decryption);
                Some(signed.map_err(|error| error.rebase(start))?)
            }
            (crypto, _) => crypto,
        };
        Ok(ParquetFile {
            path: source.name().to_path_buf(),
            file_size: source.size(),
            parts: Parts::new(&footer, limits)?,
            footer,
            footer_range: range,
            footer_start: start,
            limits: *limits,
            crypto: crypto.map(Arc::new),
            meta: OnceLock::new(),
        })
    }

    /// The same file, with structs of what is stored in place of variants.
    pub fn with_stored_variants(mut self) -> Self {
        for field in &mut self.parts.schema.fields {
            field.ty = field.ty.stored();
        }
        self
    }

    /// The footer, in the specification's words.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// The columns, to be called otherwise.
    pub(crate) fn fields_mut(&mut self) -> &mut [Field] {
        &mut self.parts.schema.fields
    }

    /// The columns.
    pub fn schema(&self) -> &Schema {
        &self.parts.schema
    }

    /// The rows of each row group.
    pub fn rows(&self) -> &[u64] {
        &self.parts.rows
    }

    /// Everything that the footer says, format-neutral. It is decoded when it is first asked for.
    pub fn meta(&self) -> Result<&FileMeta> {
        if let Some(meta) = self.meta.get() {
            return Ok(meta);
        }
        let meta = self.full_meta()?;
        Ok(self.meta.get_or_init(|| meta))
    }

    /// The same, decoded anew and not cached.
    pub fn full_meta(&self) -> Result<FileMeta> {
        let length = self.footer_bytes();
        let decode = |row_group, leaf| self.decode_chunk(row_group, leaf);
        let meta = self.parts.file_meta(&self.footer, length, &decode);
        meta.map_err(|error| self.in_footer(error))
    }

    /// The metadata without the row groups, of which nothing is decoded.
    pub fn head(&self) -> FileMeta {
        self.parts.head(&self.footer, self.footer_bytes())
    }

    fn footer_bytes(&self) -> u64 {
        self.footer_range.end - self.footer_range.start
    }

    /// Whether it says that something of it is encrypted or signed.
    pub fn is_encrypted(&self) -> bool {
        self.crypto.is_some()
    }

    /// What the footer says of a leaf in a row group, in the specification's words: with its metadata decrypted,
    /// if its key was given.
    pub fn chunk(&self, row_group: usize, leaf: LeafId) -> Result<ColumnChunk> {
        self.open_chunk(row_group, leaf.index())
            .map(|open| open.chunk)
    }

    /// What decrypts what the file holds of a leaf in a row group; none if that is not encrypted, or its key
    /// was not given.
    pub fn cipher(&self, row_group: usize, leaf: LeafId) -> Result<Option<ChunkCipher>> {
        self.open_chunk(row_group, leaf.index())
            .map(|open| open.cipher)
    }

    /// Everything that the footer says, in the specification's words: with the metadata of columns decrypted
    /// whose keys were given, and the cipher of a file whose footer was encrypted.
    pub fn whole_footer(&self) -> Result<FileMetaData> {
        let mut whole = self.footer.whole().map_err(|error| self.in_footer(error))?;
        let Some(crypto) = &self.crypto else {
            return Ok(whole);
        };
        let algorithm = || crypto.algorithm().clone();
        whole.encryption_algorithm.get_or_insert_with(algorithm);
        for (ordinal, group) in whole.row_groups.iter_mut().enumerate() {
            for (leaf, chunk) in group.columns.iter_mut().enumerate() {
                if chunk.encrypted_column_metadata.is_some() {
                    *chunk = self.open_chunk(ordinal, leaf)?.chunk;
                }
            }
        }
        Ok(whole)
    }

    /// What the footer says of a chunk, and what decrypts it.
    pub(super) fn open_chunk(&self, row_group: usize, leaf: usize) -> Result<OpenChunk> {
        let open = self.unlock_chunk(row_group, leaf);
        open.map_err(|error| self.in_footer(error))
    }

    /// The same. Places in errors are those of the footer's bytes.
    fn unlock_chunk(&self, row_group: usize, leaf: usize) -> Result<OpenChunk> {
        let chunk = self.footer.chunk(row_group, leaf)?.ok_or_else(no_chunk)?;
        let mut open = OpenChunk::locked(chunk);
        if let (Some(crypto), Some(how)) = (&self.crypto, &open.chunk.crypto_metadata)
            && let Some(cipher) = crypto.column(how)?
        {
            let group = self.footer.row_groups.get(row_group);
            let ordinal = group.and_then(|group| group.ordinal);
            let ordinal = ordinal.map_or(Ok(row_group), usize::try_from);
            let ordinal =
                ordinal.map_err(|_| Error::corrupt("a row group's ordinal is negative"))?;
            let cipher = cipher.of_chunk(ordinal, self.footer.leaf_in_file(leaf))?;
            let place = self.footer.place(row_group, leaf).unwrap_or(0);
            open.decrypt(cipher, &self.limits)
                .map_err(|error| error.rebase(place))?;
        }
        Ok(open)
    }

    /// The same, format-neutral.
    pub fn chunk_meta(&self, row_group: usize, leaf: LeafId) -> Result<ChunkMeta> {
        match self.decode_chunk(row_group, leaf.index()) {
            Ok((meta, _)) => Ok(meta),
            Err(error) => {
                let error = match self.leaf_name(leaf) {
                    Some(name) => error.at_column(name),
                    None => error,
                };
                Err(self.in_footer(error.at_row_group(row_group)))
            }
        }
    }

    /// A chunk and where it lies. Places in errors are those of the footer's bytes.
    fn decode_chunk(&self, row_group: usize, leaf: usize) -> Result<PlacedChunk> {
        let OpenChunk { mut chunk, cipher } = self.unlock_chunk(row_group, leaf)?;
        if cipher.is_some() {
            // with the key, it is a chunk like any other
            chunk.crypto_metadata = None;
        }
        let place = |error: Error| match self.footer.place(row_group, leaf) {
            Some(place) => error.at("ColumnChunk", place),
            None => error,
        };
        self.parts
            .chunk(&chunk, leaf, self.file_size)
            .map_err(place)
    }

    /// A leaf, and the rules for its statistics.
    pub(super) fn leaf(&self, leaf: LeafId) -> Result<(&Leaf, Trust<'_>)> {
        let found = self.parts.leaves.get(leaf.index());
        let found = found.zip(self.parts.trust(leaf.index()));
        found.ok_or_else(|| Error::invalid("there is no such column"))
    }

    /// Who wrote the file.
    pub(super) fn writer(&self) -> &CreatedBy {
        &self.parts.writer
    }

    /// An error whose place is in the footer's bytes, at its place in the file.
    fn in_footer(&self, error: Error) -> Error {
        error.rebase(self.footer_start).at_path(&self.path)
    }

    /// The name of a leaf for errors: its path in the columns' types, joined by dots; `None` if there is no such leaf.
    pub(super) fn leaf_name(&self, leaf: LeafId) -> Option<String> {
        self.parts.leaf_name(leaf.index())
    }

    /// What each leaf needs to be read.
    pub fn leaves(&self) -> &[Leaf] {
        &self.parts.leaves
    }

    /// A reader of a part of top-level column `column` in row group `row_group`, both from 0. Nothing is read
    /// yet.
    pub fn column(
        &self,
        source: &Arc<dyn Source>,
        row_group: usize,
        column: usize,
        part: &Part,
        context: &ReadContext,
    ) -> Result<Box<dyn ColumnReader>> {
        let field = self.parts.schema.fields.get(column);
        let site = Site {
            path: self.path.clone(),
            row_group,
            column: field.map(|field| field.name.clone()).unwrap_or_default(),
        };
        match self.open_column(source, row_group, column, part, context) {
            Ok(inner) => Ok(Box::new(Located { inner, site })),
            Err(error) => Err(site.locate(error)),
        }
    }

    fn open_column(
        &self,
        source: &Arc<dyn Source>,
        row_group: usize,
        column: usize,
        part: &Part,
        context: &ReadContext,
    ) -> Result<Box<dyn ColumnReader>> {
        let Some(rows) = self.parts.rows.get(row_group) else {
            return Err(no_chunk());
        };
        let rows = usize::try_from(*rows)
            .map_err(|_| Error::corrupt(format!("row group of {rows} rows")))?;
        if part.field.ty == LogicalType::Null {
            return Ok(Box::new(Nulls { rows_left: rows }));
        }
        let first = self
            .parts
            .leaves
            .partition_point(|leaf| leaf.column < column);
        let open = |index| self.open_leaf(source, row_group, index, context);
        if part.field.ty.is_nested() {
            let stored = self.nested_column(part, first, rows, open)?;
            if !holds_variants(&part.field.ty) {
                return Ok(stored);
            }
            return Ok(Box::new(VariantColumn::new(stored, context.limits)));
        }
        let OpenLeaf {
            leaf,
            pages,
            entries,
        } = open(first)?;
        if entries != rows {
            return Err(Error::corrupt(format!(
                "chunk of {entries} values in a row group of {rows} rows"
            )));
        }
        Ok(Box::new(FlatColumn::new(leaf, pages, rows)))
    }

    /// A reader of a part of the column whose leaves are those from `first` on; `open` opens one of them.
    fn nested_column(
        &self,
        part: &Part,
        first: usize,
        rows: usize,
        open: impl Fn(usize) -> Result<OpenLeaf>,
    ) -> Result<Box<dyn ColumnReader>> {
        let node = Node::of(&part.field)?;
        let leaves = part.leaves.iter().zip(node.leaf_levels());
        let leaves = leaves.map(|(leaf, levels)| {
            let index = first + leaf;
            let path = self.parts.leaf_name(index).unwrap_or_default();
            let OpenLeaf {
                leaf,
                pages,
                entries,
            } = open(index).map_err(|error| error.at_column(path.as_str()))?;
            if (leaf.max.definition, leaf.max.repetition) != levels {
                return Err(Error::corrupt(
                    "the maximum levels do not follow from the schema",
                ));
            }
            let leaf = NestedLeaf::new(leaf, pages, [rows, entries]);
            Ok(NamedLeaf { path, leaf })
        });
        let leaves = leaves.collect::<Result<_>>()?;
        Ok(Box::new(NestedColumn::new(node, leaves)))
    }

    /// What reads leaf `index` of a row group needs. Nothing is read yet.
    fn open_leaf(
        &self,
        source: &Arc<dyn Source>,
        row_group: usize,
        index: usize,
        context: &ReadContext,
    ) -> Result<OpenLeaf> {
        let Some(leaf) = self.parts.leaves.get(index) else {
            return Err(Error::corrupt("the row group lacks the column"));
        };
        let chunk = self.open_chunk(row_group, index)?;
        let meta = chunk.readable(leaf)?;
        let entries = usize::try_from(meta.num_values)
            .map_err(|_| Error::corrupt(format!("chunk of {} values", meta.num_values)))?;
        let codec = meta
            .codec
            .codec()
            .ok_or_else(|| Error::unsupported(format!("codec {}", meta.codec)))?;
        let size = source.size();
        let place = self.footer.place(row_group, index).unwrap_or(0);
        let range = chunk_range(meta, size)
            .map_err(|error| error.at("ColumnChunk", self.footer_start + place))?;
        let range = padded_range(range, self.writer(), size);
        let level = |max: u16| u8::try_from(max).map_err(|_| Error::limit("more than 255 levels"));
        Ok(OpenLeaf {
            leaf: values::Leaf {
                ty: leaf.logical_type.clone(),
                form: Form::new(leaf.physical_type, leaf.type_length, &leaf.logical_type)?,
                max: MaxLevels {
                    definition: level(leaf.max_definition_level)?,
                    repetition: level(leaf.max_repetition_level)?,
                },
                page_bytes: context.limits.page_bytes,
            },
            pages: Pages::new(Arc::clone(source), range, codec, context.clone())
                .decrypted_by(chunk.page_cipher(meta)),
            entries,
        })
    }
}

/// A leaf of a row group, ready to be read.
struct OpenLeaf {
    leaf: values::Leaf,
    pages: Pages,
    /// Values and nulls in the chunk.
    entries: usize,
}

#[cold]
fn no_chunk() -> Error {
    Error::invalid("there is no such row group or column")
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

    fn read_some(&mut self, selection: &Selection) -> Result<(usize, Vector)> {
        let some = self.inner.read_some(selection);
        some.map_err(|error| self.site.locate(error))
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
