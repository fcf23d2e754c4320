//! An open file of either format: which one it is, its metadata, and readers of its columns.
//!
//! ```text
//! Parquet | "PAR1" | .. | "PAR1" |   or "PARE" where the footer is encrypted
//! ORC     | "ORC"  | .. | postscript, ends with "ORC" | its length, one byte |
//! ```
//! Cloning a [`File`] is cheap; it may be shared between threads.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lith_format::bind;
use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::meta::{ChunkMeta, FileMeta, Format, RowGroupMeta};
use lith_format::orc::schema::Dialect;
use lith_format::schema::{LeafId, Schema};

use crate::column::{Bloom, ColumnReader, ReadContext, Stride};
use crate::keys::Decryption;
use crate::orc::OrcFile;
use crate::parquet::ParquetFile;
use crate::part::Part;
use crate::source::{FileSource, MmapSource, Source};

/// How to open files.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// Map files into memory instead of reading by position. Only for files that are not truncated
    /// meanwhile.
    pub mmap: bool,
    /// Whose reading of an ORC file's types to follow.
    pub orc_dialect: Dialect,
    /// Only these top-level columns, no matter in which case their names are written: to the opener the file
    /// has no others. Opening is much faster then where a Parquet file has thousands of columns. A file whose columns
    /// are called `_col0`, `_col1`, .. has all of them, as they are found by position.
    pub columns: Option<Vec<String>>,
    /// Match the columns of files with those of a table by their position: files are opened as if their columns were
    /// called `_col0`, `_col1`, .., as those of old Hive are. `columns` means nothing then.
    pub by_position: bool,
    /// What the columns are called, by their position, of files whose columns are called `_col0`, `_col1`, .., or are
    /// opened so. Columns beyond these keep such names.
    pub names: Vec<String>,
    /// What variants of Parquet files are handed out as.
    pub variants: VariantOutput,
    /// Read encrypted columns of ORC files whose key is missing as their unencrypted masks: nulls, or values made
    /// unrecognizable. Without this they are reported as encrypted.
    pub masks: bool,
    /// The keys of encrypted files. Columns whose key is missing are reported as encrypted.
    pub decryption: Decryption,
    /// What a file may make us spend.
    pub limits: Limits,
}

/// What variants are handed out as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VariantOutput {
    /// Variants: JSON text, reassembled from what is shredded.
    #[default]
    Json,
    /// Structs of what is stored: `metadata`, `value`, and `typed_value` where some are shredded.
    Raw,
}

impl OpenOptions {
    /// Opens a Parquet or ORC file and decodes its footer.
    pub fn open(&self, path: impl Into<PathBuf>) -> Result<File> {
        let source: Arc<dyn Source> = if self.mmap {
            Arc::new(MmapSource::open(path)?)
        } else {
            Arc::new(FileSource::open(path)?)
        };
        self.open_source(source)
    }

    /// Opens what `source` holds and decodes its footer.
    pub fn open_source(&self, source: Arc<dyn Source>) -> Result<File> {
        let contents = self.contents(&source);
        let mut contents = contents.map_err(|error: Error| error.at_path(source.name()))?;
        if !self.names.is_empty() && bind::is_positional(contents.schema()) {
            contents.name_columns(|index| self.names.get(index).cloned());
        }
        Ok(File(Arc::new(Inner {
            source,
            contents,
            limits: self.limits,
        })))
    }

    /// What a file holds: all of it where columns are found by their position, else what is wanted.
    fn contents(&self, source: &Arc<dyn Source>) -> Result<Contents> {
        let Some(names) = self.columns.as_deref().filter(|_| !self.by_position) else {
            let mut all = self.decode(source, None)?;
            if self.by_position {
                // as if their writer had not known their names
                all.name_columns(|index| Some(bind::positional_name(index)));
            }
            return Ok(all);
        };
        let wanted = self.decode(source, Some(names))?;
        let is_positional = bind::is_positional(wanted.schema());
        if !is_positional && wanted.schema().fields.len() >= names.len() {
            return Ok(wanted);
        }
        // columns that it lacks may be there by position; some of its columns may look as if all were
        let all = self.decode(source, None)?;
        match is_positional || bind::is_positional(all.schema()) {
            true => Ok(all),
            false => Ok(wanted),
        }
    }

    fn decode(&self, source: &Arc<dyn Source>, columns: Option<&[String]>) -> Result<Contents> {
        let (decryption, limits) = (&self.decryption, &self.limits);
        Ok(match detect(source.as_ref())? {
            Format::Parquet => {
                let file = ParquetFile::open_columns(source, columns, decryption, limits)?;
                Contents::Parquet(Box::new(match self.variants {
                    VariantOutput::Json => file,
                    VariantOutput::Raw => file.with_stored_variants(),
                }))
            }
            Format::Orc => {
                let file = OrcFile::open_columns(source, self.orc_dialect, columns, limits)?
                    .with_keys(source, decryption)?;
                Contents::Orc(Box::new(match self.masks {
                    false => file,
                    true => file.with_masks(),
                }))
            }
        })
    }
}

/// Opens a Parquet or ORC file by position and decodes its footer.
pub fn open(path: impl Into<PathBuf>) -> Result<File> {
    OpenOptions::default().open(path)
}

/// An open Parquet or ORC file.
#[derive(Clone)]
pub struct File(Arc<Inner>);

struct Inner {
    source: Arc<dyn Source>,
    contents: Contents,
    limits: Limits,
}

enum Contents {
    Parquet(Box<ParquetFile>),
    Orc(Box<OrcFile>),
    #[cfg(test)]
    Memory(crate::memory::MemoryFile),
}

impl Contents {
    fn schema(&self) -> &Schema {
        match self {
            Contents::Parquet(file) => file.schema(),
            Contents::Orc(file) => file.schema(),
            #[cfg(test)]
            Contents::Memory(file) => &file.meta.schema,
        }
    }

    /// Calls the columns so, by their position.
    fn name_columns(&mut self, name: impl Fn(usize) -> Option<String>) {
        let fields = match self {
            Contents::Parquet(file) => file.fields_mut(),
            Contents::Orc(file) => file.fields_mut(),
            #[cfg(test)]
            Contents::Memory(_) => return,
        };
        for (index, field) in fields.iter_mut().enumerate() {
            if let Some(name) = name(index) {
                field.name = name;
            }
        }
    }
}

impl File {
    /// Opens what `source` holds.
    pub fn from_source(source: Arc<dyn Source>, limits: Limits) -> Result<Self> {
        let options = OpenOptions {
            limits,
            ..OpenOptions::default()
        };
        options.open_source(source)
    }

    #[cfg(test)]
    pub(crate) fn from_memory(memory: crate::memory::MemoryFile) -> Self {
        let source = Arc::new(crate::source::BytesSource::new(Vec::new(), "memory"));
        let contents = Contents::Memory(memory);
        File(Arc::new(Inner {
            source,
            contents,
            limits: Limits::default(),
        }))
    }

    /// The metadata, in the terms of both formats. It is decoded when it is first asked for; what follows
    /// does without.
    pub fn meta(&self) -> Result<&FileMeta> {
        match &self.0.contents {
            Contents::Parquet(file) => file.meta(),
            Contents::Orc(file) => file.meta(),
            #[cfg(test)]
            Contents::Memory(file) => Ok(&file.meta),
        }
    }

    /// Which format it is in.
    pub fn format(&self) -> Format {
        match &self.0.contents {
            Contents::Orc(_) => Format::Orc,
            _ => Format::Parquet,
        }
    }

    /// How many row groups there are.
    pub fn row_groups(&self) -> usize {
        match &self.0.contents {
            Contents::Parquet(file) => file.rows().len(),
            Contents::Orc(file) => file.footer().stripes.len(),
            #[cfg(test)]
            Contents::Memory(file) => file.meta.row_groups.len(),
        }
    }

    /// Rows of row group `row_group`, from 0; none if there is no such row group.
    pub fn rows_of(&self, row_group: usize) -> u64 {
        let rows = match &self.0.contents {
            Contents::Parquet(file) => file.rows().get(row_group).copied(),
            Contents::Orc(file) => {
                let stripe = file.footer().stripes.get(row_group);
                stripe.map(|stripe| stripe.number_of_rows)
            }
            #[cfg(test)]
            Contents::Memory(file) => {
                let group = file.meta.row_groups.get(row_group);
                group.map(|group| group.rows)
            }
        };
        rows.unwrap_or(0)
    }

    /// Rows in the file.
    pub fn rows(&self) -> u64 {
        (0..self.row_groups())
            .map(|row_group| self.rows_of(row_group))
            .sum()
    }

    /// What the metadata says of one leaf in one row group; `None` if there is no such.
    pub fn chunk(&self, row_group: usize, leaf: LeafId) -> Result<Option<ChunkMeta>> {
        Ok(match &self.0.contents {
            Contents::Parquet(file) => Some(file.chunk_meta(row_group, leaf)?),
            Contents::Orc(file) => file.chunk_meta(row_group, leaf),
            #[cfg(test)]
            Contents::Memory(file) => {
                let group = file.meta.row_groups.get(row_group);
                group
                    .and_then(|group| group.chunks.get(leaf.index()))
                    .cloned()
            }
        })
    }

    /// How many values a leaf has in a row group, as the metadata states it, with nulls in Parquet and without them
    /// in ORC; `None` if it does not.
    pub(crate) fn value_count(&self, row_group: usize, leaf: LeafId) -> Option<u64> {
        match &self.0.contents {
            Contents::Orc(file) => file.value_count(row_group, leaf),
            // metadata that cannot be decoded is an error when the chunk is read
            _ => self.chunk(row_group, leaf).ok()??.stats.value_count,
        }
    }

    /// The strides of a leaf in one row group, in order, from its indexes; none if these do not tell the rows.
    pub(crate) fn strides(&self, row_group: usize, leaf: LeafId) -> Result<Vec<Stride>> {
        let source = self.0.source.as_ref();
        match &self.0.contents {
            Contents::Parquet(file) => file.strides(source, row_group, leaf),
            Contents::Orc(file) => file.strides(source, row_group, leaf),
            #[cfg(test)]
            Contents::Memory(file) => Ok(file.strides(row_group, leaf)),
        }
    }

    /// The Bloom filters of a leaf in one row group, in order; none if there are none that can be used.
    pub(crate) fn blooms(&self, row_group: usize, leaf: LeafId) -> Result<Vec<Bloom>> {
        let source = self.0.source.as_ref();
        match &self.0.contents {
            Contents::Parquet(file) => file.blooms(source, row_group, leaf),
            Contents::Orc(file) => file.blooms(source, row_group, leaf),
            #[cfg(test)]
            Contents::Memory(file) => Ok(file.blooms(row_group, leaf)),
        }
    }

    /// The metadata without its row groups, which may be very many: no chunk of them is decoded.
    pub fn head(&self) -> FileMeta {
        match &self.0.contents {
            Contents::Parquet(file) => file.head(),
            Contents::Orc(file) => file.head(),
            #[cfg(test)]
            Contents::Memory(file) => FileMeta {
                row_groups: Vec::new(),
                ..file.meta.clone()
            },
        }
    }

    /// Row group `row_group`, from 0, with the metadata of its chunks. For ORC, this reads the footer of the
    /// stripe, which is dropped with the result.
    pub fn row_group(&self, row_group: usize) -> Result<RowGroup<'_>> {
        let stripe = match &self.0.contents {
            Contents::Orc(file) => Some(file.walk(self.0.source.as_ref(), row_group)?.meta()),
            _ => None,
        };
        Ok(RowGroup {
            file: self,
            row_group,
            stripe,
        })
    }

    /// The metadata, in the terms of both formats, with what lies outside of the footer: encodings and
    /// sizes of ORC's columns, for which every stripe's own footer is read. It is not cached.
    pub fn full_meta(&self) -> Result<FileMeta> {
        match &self.0.contents {
            Contents::Orc(file) => file.full_meta(&self.0.source),
            Contents::Parquet(file) => file.full_meta(),
            #[cfg(test)]
            Contents::Memory(file) => Ok(file.meta.clone()),
        }
    }

    /// The columns.
    pub fn schema(&self) -> &Schema {
        self.0.contents.schema()
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.0.source.size()
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        self.0.source.name()
    }

    /// What it may make us spend.
    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// Its bytes.
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.0.source
    }

    /// The file in Parquet's own terms, if it is one.
    pub fn parquet(&self) -> Option<&ParquetFile> {
        match &self.0.contents {
            Contents::Parquet(file) => Some(file),
            _ => None,
        }
    }

    /// The file in ORC's own terms, if it is one.
    pub fn orc(&self) -> Option<&OrcFile> {
        match &self.0.contents {
            Contents::Orc(file) => Some(file),
            _ => None,
        }
    }

    /// A reader of top-level column `column` of row group `row_group`, both from 0.
    pub fn column(
        &self,
        row_group: usize,
        column: usize,
        context: &ReadContext,
    ) -> Result<Box<dyn ColumnReader>> {
        let field = self.schema().fields.get(column);
        let field = field.ok_or_else(|| Error::invalid(format!("there is no column {column}")))?;
        self.part(row_group, column, &Part::whole(field), context)
    }

    /// A reader of a part of top-level column `column` of row group `row_group`.
    pub fn part(
        &self,
        row_group: usize,
        column: usize,
        part: &Part,
        context: &ReadContext,
    ) -> Result<Box<dyn ColumnReader>> {
        let source = &self.0.source;
        match &self.0.contents {
            Contents::Parquet(file) => file.column(source, row_group, column, part, context),
            Contents::Orc(file) => file.column(source, row_group, column, part, context),
            #[cfg(test)]
            Contents::Memory(file) => Ok(file.column(row_group, column, context)),
        }
    }
}

/// A row group of a file, whose chunks are decoded one by one.
pub struct RowGroup<'a> {
    file: &'a File,
    row_group: usize,
    stripe: Option<RowGroupMeta>,
}

impl RowGroup<'_> {
    /// All that is known of a leaf's chunk before its pages or streams are read; `None` if there is no such leaf.
    pub fn chunk(&self, leaf: LeafId) -> Result<Option<Cow<'_, ChunkMeta>>> {
        match &self.stripe {
            Some(stripe) => Ok(stripe.chunks.get(leaf.index()).map(Cow::Borrowed)),
            None => Ok(self.file.chunk(self.row_group, leaf)?.map(Cow::Owned)),
        }
    }

    /// What is known of each top-level column without leaves, in their order; Parquet has none.
    pub fn leafless(&self) -> &[ChunkMeta] {
        self.stripe.as_ref().map_or(&[], |stripe| &stripe.leafless)
    }
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "File({}, {})", self.path().display(), self.format())
    }
}

/// Which format the first and last bytes promise. A file that only begins like one is that format, cut off:
/// its own room says where.
pub fn detect(source: &dyn Source) -> Result<Format> {
    const MAGIC: usize = 4;
    if source.size() == 0 {
        return Err(Error::truncated("the file is empty"));
    }
    let len = source.size().min(MAGIC as u64);
    let head = source.read_at(0, len as usize)?;
    let tail = source.read_at(source.size() - len, len as usize)?;
    match (&head[..], &tail[..]) {
        (_, b"PAR1" | b"PARE") => Ok(Format::Parquet),
        (_, [b'O', b'R', b'C', _]) => Ok(Format::Orc),
        (b"PAR1" | b"PARE", _) => Ok(Format::Parquet),
        ([b'O', b'R', b'C', ..], _) => Ok(Format::Orc),
        _ => Err(Error::unsupported(
            "neither Parquet nor ORC; a glob such as 'DIRECTORY/*.parquet' leaves such files out",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::BytesSource;
    use lith_format::error::ErrorKind;

    fn kind(bytes: &[u8]) -> ErrorKind {
        let source = Arc::new(BytesSource::new(bytes.to_vec(), "test.bin"));
        let error = File::from_source(source, Limits::default()).unwrap_err();
        assert_eq!(error.site().path.as_deref(), Some(Path::new("test.bin")));
        error.kind()
    }

    #[test]
    fn what_is_no_table_says_so() {
        assert_eq!(kind(b""), ErrorKind::Truncated);
        for bytes in [
            b"P".as_slice(),
            b"PAR",
            b"a,b,c\n1,2,3\n",
            b"PK\x03\x04....",
        ] {
            assert_eq!(kind(bytes), ErrorKind::Unsupported);
        }
    }

    #[test]
    fn what_only_begins_or_ends_like_a_table_is_an_error_of_its_format() {
        for bytes in [
            b"PAR1PAR1".as_slice(),
            b"PAR1 cut off",
            b"ORC cut off",
            b"xxxxPAR1",
            b"ORC\x03",
        ] {
            assert!(
                matches!(
                    kind(bytes),
                    ErrorKind::Truncated | ErrorKind::Corrupt | ErrorKind::Unsupported
                ),
                "{bytes:?}"
            );
        }
    }
}
