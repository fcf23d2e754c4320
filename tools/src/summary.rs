//! Metadata of one or many files, summed up by column.
//!
//! Columns are matched by the parts of their path; several of one path, in their order. A figure that one row
//! group lacks (sizes of an ORC column, a null count) is unknown for the whole. A file without a column counts
//! as null in every row. Row groups are decoded one by one and dropped, so that memory does not grow with the
//! footer. The sizes of a leaf of ORC are those of its own streams and of the lists, maps, structs and unions of which
//! it is the first leaf; columns without leaves, such as structs without fields, come after the leaves of their file.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use lith_format::bind;
use lith_format::error::{Error, Result};
use lith_format::figures::plural;
use lith_format::meta::{ChunkMeta, FileMeta, Format};
use lith_format::orc::bloom;
use lith_format::parquet::row_group::SortingColumn;
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, LeafId};
use lith_format::stats::{ColumnStats, Trusted};
use lith_reader::file::{File, RowGroup};
use lith_reader::orc::OrcFile;
use lith_reader::parquet::ParquetFile;

use crate::differences::Differences;
use crate::encryption::{self, Encrypted};
use crate::failure::Failed;
use crate::leaves::{Leaf, leafless, leaves};
use crate::names::group_name;

mod column;

pub use column::ColumnSummary;
use column::once;

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
    /// Formats, each once.
    pub kinds: Vec<Format>,
    /// Size of the files.
    pub bytes: u64,
    /// Bytes of data on disk, without indexes and footers.
    pub data_bytes: u64,
    /// Bytes of indexes and Bloom filters, if they are known.
    pub index_bytes: Option<u64>,
    /// Other files in which row groups lie, as files that sum up others name them.
    pub elsewhere: BTreeSet<String>,
    /// Size of their footers.
    pub footer_bytes: u64,
    /// Leaves, in the order in which they first come.
    pub columns: Vec<ColumnSummary>,
    /// What is encrypted, numbered in the order in which it was found.
    pub(crate) encryption: HashMap<Encrypted, usize>,
    /// The columns that are encrypted as a whole.
    pub(crate) encrypted: HashSet<String>,
    /// How schemas of other files differ from the first one's.
    pub differences: Differences,
    /// Orders that row groups say their rows are in, each once.
    pub orders: BTreeSet<String>,
    /// Whether the columns of a file of Hive are called `_col0`, `_col1`, ..
    pub is_unnamed: bool,
    /// Whether a file has events of a Hive ACID table.
    pub is_acid: bool,
    /// Keys of application metadata, each once.
    pub keys: BTreeSet<String>,
    /// Rows and bytes of data of the smallest and of the largest row group, by bytes.
    pub extremes: Option<[(u64, u64); 2]>,
    /// Files whose footer states another number of rows than its row groups have: the first one's path, what
    /// it states and what they have.
    pub wrong_rows: Option<(String, i64, u64)>,
    /// The index of each column in `columns`; empty until there is a second file.
    pub(crate) indices: HashMap<Key, usize>,
}

/// The parts of a leaf's path, and how many leaves of its file before it have the same.
pub(crate) type Key = (Arc<[String]>, usize);

/// What the chunks of a row group add up to.
#[derive(Default)]
struct GroupSize {
    rows: u64,
    data: u64,
    index: Option<u64>,
    elsewhere: bool,
}

/// What the columns of files of Hive ACID tables are called.
const ACID: [&str; 6] = [
    "operation",
    "originalTransaction",
    "bucket",
    "rowId",
    "currentTransaction",
    "row",
];

/// Whether the columns are those around the rows of a Hive ACID table.
pub fn is_acid(fields: &[Field]) -> bool {
    let names = fields.iter().map(|field| field.name.as_str());
    names.eq(ACID)
}

impl GroupSize {
    fn add(&mut self, chunk: &ChunkMeta) {
        self.data = self
            .data
            .saturating_add(chunk.compressed_bytes.unwrap_or(0));
        let index = self.index.zip(chunk.index_bytes);
        self.index = index.and_then(|(sum, more)| sum.checked_add(more));
        self.elsewhere |= chunk.elsewhere;
    }
}

impl Summary {
    /// Adds the metadata of a file. Chunks that cannot be read are reported to `failed`, the others are added.
    /// Returns the place in `columns` of each leaf of the file, and then of each column without leaves.
    ///
    /// # Errors
    /// More chunks or columns than the limits or the memory allow. Then nothing is added.
    pub fn add_file(&mut self, file: &File, failed: &mut Failed) -> Result<Vec<usize>> {
        file.orc().map_or(Ok(()), OrcFile::check_chunks)?;
        let (mut all, leafless) = (leaves(file), leafless(file));
        let leaves = all.len();
        all.extend(leafless);
        let columns = self.columns_of(all)?;
        if self.files == 0 {
            self.first = file.path().display().to_string();
            self.index_bytes = Some(0);
        }
        once(&mut self.kinds, file.format());
        self.files += 1;
        self.bytes += file.size();
        self.add_head(&file.head());
        self.add_nulls(&columns, file.rows());
        self.is_unnamed |= bind::is_positional(file.schema());
        self.is_acid |= is_acid(&file.schema().fields);
        for row_group in 0..file.row_groups() {
            self.add_row_group(file, row_group, columns.split_at(leaves), failed);
        }
        if let Some(parquet) = file.parquet() {
            self.add_parquet(file, parquet, &columns, failed);
        }
        if let Some(orc) = file.orc() {
            self.add_encryption(encryption::of_orc(orc.footer(), file.schema()));
            if !bloom::is_trusted(orc.footer()) {
                self.doubt_blooms(&columns);
            }
            self.add_statistics(&orc.file_statistics(), &columns, file.rows());
        }
        Ok(columns)
    }

    fn add_head(&mut self, meta: &FileMeta) {
        once(
            &mut self.formats,
            format!("{} {}", meta.format, meta.version),
        );
        if let Some(writer) = &meta.created_by {
            once(&mut self.writers, writer.clone());
        }
        self.keys
            .extend(meta.key_values.iter().map(|(key, _)| key.clone()));
        self.rows += meta.rows;
        self.footer_bytes += meta.footer_bytes;
    }

    /// Adds `rows` nulls to all columns but those of the file.
    fn add_nulls(&mut self, of_file: &[usize], rows: u64) {
        let mut lacking = vec![true; self.columns.len()];
        of_file.iter().for_each(|&column| lacking[column] = false);
        let nulls = ColumnStats::constant(&Scalar::Null, rows);
        let columns = self.columns.iter_mut().zip(lacking);
        for (column, _) in columns.filter(|(_, lacks)| *lacks) {
            column.stats = column.stats.merge(&nulls);
        }
    }

    fn add_row_group(
        &mut self,
        file: &File,
        ordinal: usize,
        (columns, leafless): (&[usize], &[usize]),
        failed: &mut Failed,
    ) {
        let group = file.row_group(ordinal);
        let group = group.map_err(|error| failed.add(error)).ok();
        let mut size = GroupSize {
            rows: file.rows_of(ordinal),
            index: Some(0),
            ..GroupSize::default()
        };
        let is_whole_only = file.orc().is_some_and(OrcFile::has_only_file_statistics);
        for (leaf, &column) in (0..).map(LeafId).zip(columns) {
            let column = &mut self.columns[column];
            let chunk = match &group {
                Some(group) => group.chunk(leaf),
                // the tail says a little of a stripe whose footer is broken
                None => {
                    let chunk = file.chunk(ordinal, leaf);
                    chunk.map(|chunk| chunk.map(Cow::Owned))
                }
            };
            match chunk {
                Ok(None) => {}
                Err(error) => {
                    failed.add(error);
                    column.add_unknown(size.rows);
                    size.index = None;
                }
                Ok(Some(chunk)) => {
                    size.add(&chunk);
                    column.add(&chunk, file.format());
                    if !is_whole_only {
                        column.add_stats(&chunk, size.rows);
                    }
                }
            }
        }
        let chunks = group.as_ref().map_or(&[][..], RowGroup::leafless);
        for (place, &column) in leafless.iter().enumerate() {
            self.columns[column].add_leafless(chunks.get(place), file.format(), size.rows);
        }
        self.add_size(file, ordinal, size);
    }

    fn add_size(&mut self, file: &File, ordinal: usize, mut size: GroupSize) {
        if let Some(orc) = file.orc()
            && let Some(stripe) = orc.footer().stripes.get(ordinal)
        {
            // lists and structs have streams that are no leaf's
            size.data = stripe.data_length;
            size.index = Some(stripe.index_length);
        }
        if let Some(parquet) = file.parquet().filter(|_| size.elsewhere)
            && let Ok(chunk) = parquet.chunk(ordinal, LeafId(0))
        {
            self.elsewhere.extend(chunk.file_path);
        }
        self.row_groups += 1;
        self.data_bytes = self.data_bytes.saturating_add(size.data);
        let index = self.index_bytes.zip(size.index);
        self.index_bytes = index.and_then(|(sum, more)| sum.checked_add(more));
        self.add_extremes((size.rows, size.data));
    }

    /// What the row groups of these files are called.
    pub fn group_name(&self) -> &'static str {
        match self.kinds[..] {
            [format] => group_name(format),
            _ => group_name(Format::Parquet),
        }
    }

    fn doubt_blooms(&mut self, columns: &[usize]) {
        for &column in columns {
            let column = &mut self.columns[column];
            column.doubtful_bloom |= column.blooms > 0;
        }
    }

    /// Adds the parts of a footer that only Parquet has.
    fn add_parquet(
        &mut self,
        file: &File,
        parquet: &ParquetFile,
        columns: &[usize],
        failed: &mut Failed,
    ) {
        if parquet.is_encrypted() {
            match parquet.whole_footer() {
                Ok(footer) => self.add_encryption(encryption::of_parquet(&footer, file.schema())),
                Err(error) => drop(failed.add(error)),
            }
        }
        let footer = parquet.footer();
        for group in &footer.row_groups {
            self.add_order(
                group.sorting_columns.as_deref().unwrap_or_default(),
                columns,
            );
        }
        if u64::try_from(footer.num_rows) != Ok(file.rows()) {
            let path = file.path().display().to_string();
            self.wrong_rows
                .get_or_insert((path, footer.num_rows, file.rows()));
        }
    }

    /// Adds the order that the rows of a row group are said to be in.
    fn add_order(&mut self, order: &[SortingColumn], columns: &[usize]) {
        let column = |by: &SortingColumn| {
            let leaf = usize::try_from(by.column_idx).ok()?;
            columns.get(leaf).copied()
        };
        let names = order.iter().map(|by| match column(by) {
            Some(column) if by.descending => {
                format!("{} descending", self.columns[column].leaf.name)
            }
            Some(column) => self.columns[column].leaf.name.clone(),
            None => "an unknown column".to_owned(),
        });
        let names = names.collect::<Vec<_>>().join(", ");
        if !names.is_empty() {
            self.orders.insert(names);
        }
        if let Some(column) = order.first().and_then(column) {
            self.columns[column].sorted = true;
        }
    }

    /// Adds what an ORC file says of all its rows, where it says nothing of its stripes.
    fn add_statistics(&mut self, whole: &[Trusted], columns: &[usize], rows: u64) {
        for (Trusted { stats, distrust }, &column) in whole.iter().zip(columns) {
            let chunk = ChunkMeta {
                stats: stats.clone(),
                distrust: *distrust,
                ..ChunkMeta::default()
            };
            self.columns[column].add_stats(&chunk, rows);
        }
    }

    pub(crate) fn add_encryption(&mut self, found: Vec<Encrypted>) {
        for entry in found {
            let next = self.encryption.len();
            self.encrypted.extend(entry.column.clone());
            self.encryption.entry(entry).or_insert(next);
        }
    }

    /// What is encrypted, each once, in the order in which it was found.
    pub fn encryption(&self) -> Vec<&Encrypted> {
        let mut entries: Vec<_> = self.encryption.iter().collect();
        entries.sort_unstable_by_key(|(_, number)| **number);
        entries.into_iter().map(|(entry, _)| entry).collect()
    }

    /// Whether a column, or what it is a part of, is encrypted in some file.
    pub fn is_encrypted(&self, column: &str) -> bool {
        let above = column.match_indices('.').map(|(end, _)| &column[..end]);
        let mut names = above.chain([column]);
        names.any(|name| self.encrypted.contains(name))
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
    fn columns_of(&mut self, leaves: Vec<Leaf>) -> Result<Vec<usize>> {
        let count = leaves.len();
        if self.columns.is_empty() {
            // a single file, which may have very many columns, needs no index
            self.columns.try_reserve_exact(count).map_err(|_| {
                let columns = plural(count as u64, "column");
                Error::limit(format!("there is no memory for {columns}"))
            })?;
            let columns = leaves.into_iter();
            self.columns
                .extend(columns.map(|leaf| ColumnSummary::new(leaf, self.rows)));
            return Ok((0..count).collect());
        }
        if self.indices.is_empty() {
            let mut seen = HashMap::new();
            let paths = self.columns.iter().map(|column| &column.leaf.path);
            let keys = paths.map(|path| key(path, &mut seen));
            self.indices = keys.zip(0..).collect();
        }
        let mut seen = HashMap::new();
        let mut columns = Vec::with_capacity(count);
        for leaf in leaves {
            let next = self.columns.len();
            let key = key(&leaf.path, &mut seen);
            let index = *self.indices.entry(key).or_insert(next);
            if index == next {
                self.columns.push(ColumnSummary::new(leaf, self.rows));
            }
            columns.push(index);
        }
        Ok(columns)
    }
}

/// The key of the next leaf of a file: its path, and how many earlier leaves have the same path, which `seen` counts.
fn key(path: &Arc<[String]>, seen: &mut HashMap<Arc<[String]>, usize>) -> Key {
    let before = seen.entry(Arc::clone(path)).or_insert(0);
    *before += 1;
    (Arc::clone(path), *before - 1)
}
