//! Metadata of one or many files, summed up by column.
//!
//! Columns are matched by the parts of their path; several of one path, in their order. A figure that one row
//! group lacks (sizes of an ORC column, a null count) is unknown for the whole. A file without a column counts
//! as null in every row.

use std::collections::{BTreeSet, HashMap, HashSet};

use lith_format::error::Result;
use lith_format::meta::{ChunkMeta, FileMeta, Format};
use lith_format::orc::bloom;
use lith_format::parquet::column_metadata::ColumnMetaData;
use lith_format::parquet::encoding::{Encoding, PageType};
use lith_format::parquet::footer::FileMetaData;
use lith_format::parquet::row_group::SortingColumn;
use lith_format::scalar::Scalar;
use lith_format::schema::Schema;
use lith_format::stats::ColumnStats;
use lith_format::types::LogicalType;
use lith_reader::file::File;
use lith_reader::parquet::ParquetFile;

use crate::differences::Differences;
use crate::encryption::{self, Encrypted};
use crate::names::shown_path;

/// The metadata of all files together.
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
    /// Orders that row groups say their rows are in, each once.
    pub orders: BTreeSet<String>,
    /// Keys of application metadata, each once.
    pub keys: BTreeSet<String>,
    /// Rows and bytes of the smallest and of the largest row group, by bytes.
    pub extremes: Option<[(u64, u64); 2]>,
    /// Files whose footer states another number of rows than its row groups have: the first one's path, what
    /// it states and what they have.
    pub wrong_rows: Option<(String, i64, u64)>,
    /// Where in `columns` each is.
    pub(crate) indices: HashMap<Key, usize>,
}

/// The parts of a leaf's path, and how many leaves of its file before it have the same.
pub(crate) type Key = (Vec<String>, usize);

/// A leaf over all row groups.
#[derive(Debug)]
pub struct ColumnSummary {
    /// Its path, joined by dots, parts that hold dots in back-quotes.
    pub name: String,
    /// The parts of its path.
    pub path: Vec<String>,
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
    /// Chunks: one a row group of the files that have it.
    pub chunks: u64,
    /// Chunks that have an index.
    pub indexed: u64,
    /// Chunks that hold values, but not both bounds, and no reason why.
    pub unbounded: u64,
    /// What the formats of the files call it.
    pub index_names: Vec<&'static str>,
    /// Chunks that have a Bloom filter.
    pub blooms: u64,
    /// Whether it has Bloom filters of a writer that is not known to hash as specified.
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
    /// Metadata that cannot be read or decoded; then nothing is added.
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
        let columns = self.columns_of(&meta.schema);
        self.add(&meta, &columns);
        if let Some(footer) = parquet {
            self.add_parquet(&footer, &meta.schema, &columns);
            self.check_rows(file, footer.num_rows, &meta);
        }
        if let Some(orc) = file.orc() {
            self.add_encryption(encryption::of_orc(orc.footer(), &meta.schema));
            if !bloom::is_trusted(orc.footer()) {
                self.doubt_blooms(&meta, &columns);
            }
        }
        Ok(())
    }

    /// Adds the parts of a footer that only Parquet has.
    fn add_parquet(&mut self, footer: &FileMetaData, schema: &Schema, columns: &[usize]) {
        self.add_encryption(encryption::of_parquet(footer, schema));
        for group in &footer.row_groups {
            let order = group.sorting_columns.as_deref().unwrap_or_default();
            let column = |by: &SortingColumn| {
                let leaf = usize::try_from(by.column_idx).ok()?;
                columns.get(leaf).copied()
            };
            let first = order.first().and_then(column);
            let names = order.iter().map(|by| match column(by) {
                Some(column) if by.descending => {
                    format!("{} descending", self.columns[column].name)
                }
                Some(column) => self.columns[column].name.clone(),
                None => "an unknown column".to_owned(),
            });
            let names = names.collect::<Vec<_>>().join(", ");
            if !names.is_empty() {
                self.orders.insert(names);
            }
            for (&index, chunk) in columns.iter().zip(&group.columns) {
                let column = &mut self.columns[index];
                column.sorted |= first == Some(index);
                if let Some(page) = chunk.meta_data.as_ref().and_then(fallback_page) {
                    column.fallbacks += 1;
                    column.fallback_page.get_or_insert(page);
                }
            }
        }
    }

    fn check_rows(&mut self, file: &File, stated: i64, meta: &FileMeta) {
        let rows = meta.row_groups.iter().map(|group| group.rows).sum();
        if u64::try_from(stated) != Ok(rows) {
            let path = file.path().display().to_string();
            self.wrong_rows.get_or_insert((path, stated, rows));
        }
    }

    fn doubt_blooms(&mut self, meta: &FileMeta, columns: &[usize]) {
        for (leaf, &column) in columns.iter().enumerate() {
            let groups = meta.row_groups.iter();
            let mut chunks = groups.filter_map(|group| group.chunks.get(leaf));
            if chunks.any(|chunk| chunk.has_bloom) {
                self.columns[column].doubtful_bloom = true;
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

    fn add(&mut self, meta: &FileMeta, columns: &[usize]) {
        once(
            &mut self.formats,
            format!("{} {}", meta.format, meta.version),
        );
        if let Some(writer) = &meta.created_by {
            once(&mut self.writers, writer.clone());
        }
        for (key, _) in &meta.key_values {
            self.keys.insert(key.clone());
        }
        self.rows += meta.rows;
        self.row_groups += meta.row_groups.len() as u64;
        self.footer_bytes += meta.footer_bytes;
        let mut lacking = vec![true; self.columns.len()];
        for (leaf, &column) in columns.iter().enumerate() {
            lacking[column] = false;
            for group in &meta.row_groups {
                if let Some(chunk) = group.chunks.get(leaf) {
                    self.columns[column].add(chunk, group.rows, meta.format);
                }
            }
        }
        let nulls = ColumnStats::constant(&Scalar::Null, meta.rows);
        let lacking = self.columns.iter_mut().zip(lacking);
        for (column, _) in lacking.filter(|(_, lacks)| *lacks) {
            column.stats = column.stats.merge(&nulls);
        }
        for group in &meta.row_groups {
            self.add_extremes((group.rows, group.compressed_bytes()));
        }
    }

    fn add_extremes(&mut self, group: (u64, u64)) {
        let [smallest, largest] = self.extremes.get_or_insert([group; 2]);
        if group.1 < smallest.1 {
            *smallest = group;
        }
        if group.1 > largest.1 {
            *largest = group;
        }
    }

    /// Where in `columns` the leaves of a file are, that come to be there if they are new.
    fn columns_of(&mut self, schema: &Schema) -> Vec<usize> {
        let mut seen = HashMap::new();
        let mut columns = Vec::new();
        for (path, field) in schema.leaves() {
            let path: Vec<String> = path.into_iter().map(Into::into).collect();
            let before = seen.entry(path.clone()).or_insert(0);
            let next = self.columns.len();
            let index = *self.indices.entry((path.clone(), *before)).or_insert(next);
            *before += 1;
            if index == next {
                let column = ColumnSummary::new(path, field.ty.clone(), self.rows);
                self.columns.push(column);
            }
            columns.push(index);
        }
        columns
    }
}

impl ColumnSummary {
    /// A leaf after `rows` rows of files that lack it: all figures are known.
    fn new(path: Vec<String>, ty: LogicalType, rows: u64) -> Self {
        ColumnSummary {
            name: shown_path(&path),
            path,
            ty,
            codecs: Vec::new(),
            encodings: Vec::new(),
            compressed: Some(0),
            uncompressed: Some(0),
            stats: ColumnStats::constant(&Scalar::Null, rows),
            distrust: None,
            chunks: 0,
            indexed: 0,
            unbounded: 0,
            index_names: Vec::new(),
            blooms: 0,
            doubtful_bloom: false,
            sorted: false,
            fallbacks: 0,
            fallback_page: None,
        }
    }

    fn add(&mut self, chunk: &ChunkMeta, rows: u64, format: Format) {
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
        self.chunks += 1;
        self.indexed += u64::from(chunk.has_index);
        self.blooms += u64::from(chunk.has_bloom);
        self.distrust = self.distrust.or(chunk.distrust);
        // without rows there is nothing that statistics could leave out
        if rows > 0 {
            self.stats = self.stats.merge(&chunk.stats);
            let bounded = chunk.stats.min.is_some() && chunk.stats.max.is_some();
            let explained = bounded || chunk.stats.all_null() || chunk.distrust.is_some();
            self.unbounded += u64::from(!explained);
        }
    }

    /// Whether every row group has an index; unknown if there is none.
    pub fn has_index(&self) -> Option<bool> {
        (self.chunks > 0).then_some(self.indexed == self.chunks)
    }

    /// Whether every row group has a Bloom filter; unknown if there is none.
    pub fn has_bloom(&self) -> Option<bool> {
        (self.chunks > 0).then_some(self.blooms == self.chunks)
    }

    /// What helps to skip inside of row groups, by the formats' names, and in how many if not in all.
    pub fn indexes(&self) -> String {
        let index = self.index_names.join(", ");
        let kinds = [(index.as_str(), self.indexed), ("bloom", self.blooms)];
        let kinds = kinds.into_iter().filter(|(_, chunks)| *chunks > 0);
        let names = kinds.map(|(name, chunks)| match self.chunks {
            all if all == chunks => name.to_owned(),
            all => format!("{name} in {chunks} of {all}"),
        });
        names.collect::<Vec<_>>().join(", ")
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
