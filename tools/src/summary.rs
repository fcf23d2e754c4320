//! Footers of one or many files, added up by column.
//!
//! Columns meet by their path. What one row group does not say (sizes of an ORC column, a null count)
//! is unknown of the whole.

use lith_format::error::Error;
use lith_format::meta::{ChunkMeta, FileMeta, Format};
use lith_format::scalar::Scalar;
use lith_format::stats::ColumnStats;
use lith_format::types::LogicalType;
use lith_reader::file::File;

use crate::leaves::bound_text;

/// What footers say together.
#[derive(Debug, Default)]
pub struct Summary {
    /// How many files.
    pub files: u64,
    /// The first one's path.
    pub first: String,
    /// Formats with their versions, each once.
    pub formats: Vec<String>,
    /// Who wrote the files, each once.
    pub writers: Vec<String>,
    /// Rows.
    pub rows: u64,
    /// Row groups.
    pub row_groups: u64,
    /// Size of the files.
    pub bytes: u64,
    /// Size of their footers.
    pub footer_bytes: u64,
    /// Leaves, in the order in which they first come.
    pub columns: Vec<ColumnSummary>,
}

/// A leaf over all row groups.
#[derive(Debug)]
pub struct ColumnSummary {
    /// Its path, joined by dots.
    pub name: String,
    /// Its type in the first file that has it.
    pub ty: LogicalType,
    /// Codecs, each once.
    pub codecs: Vec<String>,
    /// Encodings, each once.
    pub encodings: Vec<&'static str>,
    /// Bytes on disk.
    pub compressed: Option<u64>,
    /// Bytes after decompression.
    pub uncompressed: Option<u64>,
    /// Bounds and counts.
    pub stats: ColumnStats,
    /// Why stored bounds are not used, where they are not.
    pub distrust: Option<&'static str>,
    /// Whether every row group has an index.
    pub has_index: bool,
    /// What the formats of the files call it.
    pub index_names: Vec<&'static str>,
    /// Whether every row group has a Bloom filter.
    pub has_bloom: bool,
}

impl Summary {
    /// Adds up the footers of `files`. Each is let go before the next is taken: there may be more of
    /// them than a process may hold open.
    ///
    /// # Errors
    /// Those of `files`, and of reading what lies outside of their footers.
    pub fn new<E: From<Error>>(files: impl Iterator<Item = Result<File, E>>) -> Result<Self, E> {
        let mut out = Summary::default();
        for file in files {
            let file = file?;
            if out.files == 0 {
                out.first = file.path().display().to_string();
            }
            out.files += 1;
            out.bytes += file.size();
            let meta = file.full_meta()?;
            out.add(&meta);
        }
        Ok(out)
    }

    fn add(&mut self, meta: &FileMeta) {
        once(
            &mut self.formats,
            format!("{} {}", meta.format, meta.version),
        );
        if let Some(writer) = &meta.created_by {
            once(&mut self.writers, writer.clone());
        }
        self.rows += meta.rows;
        self.row_groups += meta.row_groups.len() as u64;
        self.footer_bytes += meta.footer_bytes;
        for (leaf, (path, field)) in meta.schema.leaves().into_iter().enumerate() {
            let column = self.column(path.join("."), &field.ty);
            let groups = meta.row_groups.iter();
            for chunk in groups.filter_map(|group| group.chunks.get(leaf)) {
                column.add(chunk, meta.format);
            }
        }
    }

    fn column(&mut self, name: String, ty: &LogicalType) -> &mut ColumnSummary {
        let found = self.columns.iter().position(|column| column.name == name);
        let index = found.unwrap_or_else(|| {
            self.columns.push(ColumnSummary::new(name, ty.clone()));
            self.columns.len() - 1
        });
        &mut self.columns[index]
    }
}

impl ColumnSummary {
    /// A leaf over no rows: of these, everything is known.
    fn new(name: String, ty: LogicalType) -> Self {
        ColumnSummary {
            name,
            ty,
            codecs: Vec::new(),
            encodings: Vec::new(),
            compressed: Some(0),
            uncompressed: Some(0),
            stats: ColumnStats::constant(&Scalar::Null, 0),
            distrust: None,
            has_index: true,
            index_names: Vec::new(),
            has_bloom: true,
        }
    }

    fn add(&mut self, chunk: &ChunkMeta, format: Format) {
        let index_name = match format {
            Format::Parquet => "page index",
            Format::Orc => "row index",
        };
        once(&mut self.index_names, index_name);
        once(&mut self.codecs, chunk.codec.to_string());
        for encoding in &chunk.encodings {
            once(&mut self.encodings, encoding);
        }
        let add = |sum: Option<u64>, size: Option<u64>| sum?.checked_add(size?);
        self.compressed = add(self.compressed, chunk.compressed_bytes);
        self.uncompressed = add(self.uncompressed, chunk.uncompressed_bytes);
        self.stats = self.stats.merge(&chunk.stats);
        self.distrust = self.distrust.or(chunk.distrust);
        self.has_index &= chunk.has_index;
        self.has_bloom &= chunk.has_bloom;
    }

    /// The lower bound as text, with `~` before it if no row need hold it.
    pub fn min(&self) -> Option<String> {
        bound_text(&self.ty, self.stats.min.as_ref()?)
    }

    /// The upper bound as text, with `~` before it if no row need hold it.
    pub fn max(&self) -> Option<String> {
        bound_text(&self.ty, self.stats.max.as_ref()?)
    }

    /// What helps to skip inside of row groups, by the formats' names.
    pub fn indexes(&self) -> String {
        let index = self.index_names.iter().filter(|_| self.has_index);
        let bloom = (self.has_bloom && !self.index_names.is_empty()).then_some("bloom");
        let names: Vec<&str> = index.copied().chain(bloom).collect();
        names.join(", ")
    }
}

fn once<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
