//! Footers of one or many files, added up by column.
//!
//! Columns meet by their path. What one row group does not say (sizes of an ORC column, a null count)
//! is unknown of the whole.

use std::collections::{HashMap, HashSet};

use lith_format::error::Result;
use lith_format::meta::{ChunkMeta, FileMeta, Format};
use lith_format::orc::bloom;
use lith_format::parquet::column_metadata::ColumnMetaData;
use lith_format::parquet::encoding::{Encoding, PageType};
use lith_format::parquet::footer::FileMetaData;
use lith_format::scalar::Scalar;
use lith_format::schema::Schema;
use lith_format::stats::ColumnStats;
use lith_format::types::LogicalType;
use lith_reader::file::File;
use lith_reader::parquet::ParquetFile;

use crate::differences::Differences;
use crate::encryption::{self, Encrypted};
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
    /// What is encrypted, each once.
    pub encryption: Vec<Encrypted>,
    /// The same, to be looked up.
    pub(crate) told: HashSet<Encrypted>,
    /// The columns that are encrypted as a whole.
    pub(crate) encrypted: HashSet<String>,
    /// How schemas of other files differ from the first one's.
    pub differences: Differences,
    /// Where in `columns` each name is.
    pub(crate) indices: HashMap<String, usize>,
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
    /// Whether Bloom filters are there of a writer that is not known to hash as specified.
    pub doubtful_bloom: bool,
    /// Whether a row group claims to be sorted by it first.
    pub sorted: bool,
    /// Row groups in which its dictionary was given up.
    pub fallbacks: u64,
    /// The first of them: the page from which it was, from 1, and of how many.
    pub fallback_page: Option<(u64, u64)>,
}

impl Summary {
    /// Adds the footer of a file.
    ///
    /// # Errors
    /// Those of decoding it and of reading what lies outside of it: then nothing is added.
    pub fn add_file(&mut self, file: &File) -> Result<()> {
        let meta = file.full_meta()?;
        let parquet = file.parquet().map(ParquetFile::whole_footer);
        let parquet = parquet.transpose()?;
        if self.files == 0 {
            self.first = file.path().display().to_string();
        }
        self.files += 1;
        self.bytes += file.size();
        self.differences.add(file.schema(), file.path());
        self.add(&meta);
        if let Some(footer) = parquet {
            self.add_parquet(&footer, &meta.schema);
        }
        if let Some(orc) = file.orc() {
            self.add_encryption(encryption::of_orc(orc.footer(), &meta.schema));
            if !bloom::is_trusted(orc.footer()) {
                self.doubt_blooms(&meta);
            }
        }
        Ok(())
    }

    /// What only Parquet says.
    fn add_parquet(&mut self, footer: &FileMetaData, schema: &Schema) {
        self.add_encryption(encryption::of_parquet(footer, schema));
        let leaves = schema.leaves();
        for group in &footer.row_groups {
            let sorted = group.sorting_columns.iter().flatten().next();
            for (leaf, chunk) in group.columns.iter().enumerate() {
                let Some((path, field)) = leaves.get(leaf) else {
                    continue;
                };
                let column = self.column(path.join("."), &field.ty);
                column.sorted |=
                    sorted.is_some_and(|by| usize::try_from(by.column_idx) == Ok(leaf));
                if let Some(page) = chunk.meta_data.as_ref().and_then(fallback_page) {
                    column.fallbacks += 1;
                    column.fallback_page.get_or_insert(page);
                }
            }
        }
    }

    fn doubt_blooms(&mut self, meta: &FileMeta) {
        for (leaf, (path, field)) in meta.schema.leaves().into_iter().enumerate() {
            let mut chunks = meta
                .row_groups
                .iter()
                .filter_map(|group| group.chunks.get(leaf));
            if chunks.any(|chunk| chunk.has_bloom) {
                self.column(path.join("."), &field.ty).doubtful_bloom = true;
            }
        }
    }

    pub(crate) fn add_encryption(&mut self, found: Vec<Encrypted>) {
        for entry in found {
            if self.told.insert(entry.clone()) {
                self.encrypted.extend(entry.column.clone());
                self.encryption.push(entry);
            }
        }
    }

    /// Whether a column, or what it is a part of, is encrypted in some file.
    pub fn is_encrypted(&self, column: &str) -> bool {
        let above = column.match_indices('.').map(|(end, _)| &column[..end]);
        let mut names = above.chain([column]);
        names.any(|name| self.encrypted.contains(name))
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
        let next = self.columns.len();
        let index = *self.indices.entry(name.clone()).or_insert(next);
        if index == next {
            self.columns.push(ColumnSummary::new(name, ty.clone()));
        }
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
            doubtful_bloom: false,
            sorted: false,
            fallbacks: 0,
            fallback_page: None,
        }
    }

    fn add(&mut self, chunk: &ChunkMeta, format: Format) {
        let index_name = match format {
            Format::Parquet => "page index",
            Format::Orc => "row index",
        };
        once(&mut self.index_names, index_name);
        let codec = chunk.codec.map(|codec| codec.to_string());
        once(&mut self.codecs, codec.unwrap_or_else(|| "unknown".into()));
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

/// The first page that no longer uses the chunk's dictionary, from 1, and how many pages there are.
/// Writers that give a dictionary up do not come back to it.
fn fallback_page(chunk: &ColumnMetaData) -> Option<(u64, u64)> {
    let is_data = |page: PageType| matches!(page, PageType::DataPage | PageType::DataPageV2);
    let (mut coded, mut plain) = (0, 0);
    for stats in chunk.encoding_stats.iter().flatten() {
        let pages = u64::try_from(stats.count).unwrap_or(0);
        match stats.encoding {
            _ if !is_data(stats.page_type) => {}
            Encoding::PlainDictionary | Encoding::RleDictionary => coded += pages,
            _ => plain += pages,
        }
    }
    (coded > 0 && plain > 0).then_some((coded + 1, coded + plain))
}

fn once<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
