//! The format-neutral view of a footer: a Parquet footer as [`FileMeta`], every offset and size checked.
//!
//! ```text
//! chunk   [min of dictionary_page_offset and data_page_offset above 0, + total_compressed_size)
//! ```
//! Chunks belong to leaves by their order. A row group lies where its chunks do; its own `file_offset`
//! is known to be wrong in some files (PARQUET-2078).
// spec: parquet.thrift, ColumnMetaData

use std::ops::Range;

use bytes::Bytes;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::meta::{ChunkMeta, Fallback, FileMeta, Format, RowGroupMeta};
use crate::parquet::column_metadata::ColumnMetaData;
use crate::parquet::created_by::CreatedBy;
use crate::parquet::encoding::{Encoding, PageType};
use crate::parquet::footer::{ColumnOrder, FileMetaData};
use crate::parquet::row_group::{ColumnChunk, RowGroup};
use crate::parquet::schema::{self, Leaf};
use crate::parquet::stats::Trust;
use crate::schema::Schema;
use crate::stats::Trusted;

/// A footer, format-neutral, with the leaves of its schema.
#[derive(Debug, Clone)]
pub struct Neutral {
    /// The file, format-neutral.
    pub meta: FileMeta,
    /// The leaves, with what reading them needs.
    pub leaves: Vec<Leaf>,
}

/// The footer of a file of `file_size` bytes, `footer_bytes` of which are the footer's. The rows are those
/// of the row groups: some writers leave the file's number of rows at 0.
pub fn decode(
    footer: &FileMetaData,
    file_size: u64,
    footer_bytes: u64,
    limits: &Limits,
) -> Result<Neutral> {
    let parts = Parts::new(footer, limits)?;
    let chunk = |row_group: usize, leaf: usize| {
        let group: Option<&RowGroup> = footer.row_groups.get(row_group);
        let chunk = group.and_then(|group| group.columns.get(leaf));
        parts.chunk(chunk.ok_or_else(no_chunk)?, leaf, file_size)
    };
    let meta = parts.file_meta(footer, footer_bytes, &chunk)?;
    let leaves = parts.leaves;
    Ok(Neutral { meta, leaves })
}

/// A chunk and where its bytes are, unless its metadata is encrypted.
pub type PlacedChunk = (ChunkMeta, Option<Range<u64>>);

/// A footer's schema, rows and writer, decoded once for all of its chunks.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The columns.
    pub schema: Schema,
    /// The leaves, with what reading them needs.
    pub leaves: Vec<Leaf>,
    /// The rows of each row group.
    pub rows: Vec<u64>,
    /// Who wrote the file.
    pub writer: CreatedBy,
    /// One a leaf, or one for all.
    orders: Vec<Option<ColumnOrder>>,
}

impl Parts {
    /// The parts of `footer`, whose names and texts are within the limits.
    pub fn new<C>(footer: &FileMetaData<C>, limits: &Limits) -> Result<Self> {
        check_texts(footer, limits)?;
        let (schema, leaves) = schema::decode(&footer.schema, limits)?;
        Ok(Parts {
            rows: group_rows(footer, &leaves)?,
            writer: CreatedBy::parse(footer.created_by.as_deref()),
            orders: column_orders(footer, &leaves),
            schema,
            leaves,
        })
    }

    /// What the columns' types call a leaf, joined by dots, without the groups inside of lists and maps; `None`
    /// if there is no such leaf.
    pub fn leaf_name(&self, leaf: usize) -> Option<String> {
        let stored = self.leaves.get(leaf)?;
        let column = stored.column;
        let first = self.leaves.partition_point(|other| other.column < column);
        let named = self.schema.leaves_of(column);
        let path = named.get(leaf - first).map(|(path, _)| path.join("."));
        path.or_else(|| Some(stored.dotted_path()))
    }

    /// The rules for the statistics of a leaf.
    pub fn trust(&self, leaf: usize) -> Option<Trust<'_>> {
        let order = self.orders.get(leaf).or(self.orders.first()).copied();
        Some(Trust::new(self.leaves.get(leaf)?, order?, &self.writer))
    }

    /// A chunk of leaf `leaf`, and where its bytes are, unless its metadata is encrypted.
    pub fn chunk(&self, chunk: &ColumnChunk, leaf: usize, file_size: u64) -> Result<PlacedChunk> {
        let (leaf, trust) = self
            .leaves
            .get(leaf)
            .zip(self.trust(leaf))
            .ok_or_else(no_chunk)?;
        chunk_meta(chunk, leaf, &trust, file_size)
    }

    /// Everything, with the chunks that `chunk` gives for the numbers of a row group and a leaf. Its errors
    /// are told with both.
    pub fn file_meta<C>(
        &self,
        footer: &FileMetaData<C>,
        footer_bytes: u64,
        chunk: &dyn Fn(usize, usize) -> Result<PlacedChunk>,
    ) -> Result<FileMeta> {
        let mut head = self.head(footer, footer_bytes);
        let row_groups = self.rows.iter().enumerate();
        let row_groups = row_groups.map(|(ordinal, &rows)| {
            let located = |number: usize| {
                let error = |error: Error| {
                    let name = self.leaf_name(number).unwrap_or_default();
                    error.at_column(name).at_row_group(ordinal)
                };
                chunk(ordinal, number).map_err(error)
            };
            row_group(rows, (0..self.leaves.len()).map(located))
        });
        head.row_groups = row_groups.collect::<Result<_>>()?;
        Ok(head)
    }

    /// Everything but the row groups.
    pub fn head<C>(&self, footer: &FileMetaData<C>, footer_bytes: u64) -> FileMeta {
        let pairs = footer.key_value_metadata.iter().flatten();
        let value = |value: &Option<Bytes>| value.as_ref().map(|value| value.to_vec());
        FileMeta {
            format: Format::Parquet,
            version: footer.version.to_string(),
            created_by: footer.created_by.clone(),
            schema: self.schema.clone(),
            rows: self.rows.iter().sum(),
            row_groups: Vec::new(),
            key_values: pairs
                .map(|pair| (pair.key.clone(), value(&pair.value)))
                .collect(),
            footer_bytes,
        }
    }
}

#[cold]
fn no_chunk() -> Error {
    Error::invalid("there is no such row group or column")
}

/// Texts that say who and what are names; only values of application metadata may be as long as the footer.
fn check_texts<C>(footer: &FileMetaData<C>, limits: &Limits) -> Result<()> {
    let writer = footer.created_by.iter().map(|text| ("created_by", text));
    let pairs = footer.key_value_metadata.iter().flatten();
    for (what, text) in writer.chain(pairs.map(|pair| ("key of application metadata", &pair.key))) {
        Limits::check(text.len() as u64, limits.name_bytes, what)
            .map_err(|error| error.within("FileMetaData"))?;
    }
    Ok(())
}

/// The rows of each row group, whose sum is the file's; each has a chunk for every leaf.
fn group_rows<C>(footer: &FileMetaData<C>, leaves: &[Leaf]) -> Result<Vec<u64>> {
    let mut sum = 0u64;
    let groups = footer.row_groups.iter().enumerate();
    groups
        .map(|(ordinal, group)| {
            let located = |error: Error| error.within("RowGroup").at_row_group(ordinal);
            let corrupt = |message: String| located(Error::corrupt(message));
            let rows = unsigned(group.num_rows, "num_rows").map_err(located)?;
            if group.columns.len() != leaves.len() {
                let message = format!("{} chunks for {} leaves", group.columns.len(), leaves.len());
                return Err(corrupt(message));
            }
            sum = sum
                .checked_add(rows)
                .ok_or_else(|| corrupt("the rows exceed 64 bits".into()))?;
            Ok(rows)
        })
        .collect()
}

/// The order of each leaf's bounds, or one of all: orders that are not one a leaf are none that is known.
fn column_orders<C>(footer: &FileMetaData<C>, leaves: &[Leaf]) -> Vec<Option<ColumnOrder>> {
    let orders = footer.column_orders.as_deref().unwrap_or_default();
    match orders.len() {
        0 => vec![None],
        count if count == leaves.len() => orders.iter().copied().map(Some).collect(),
        _ => vec![Some(ColumnOrder::Other(0))],
    }
}

/// The chunks of a row group and where they lie together.
fn row_group(
    rows: u64,
    described: impl Iterator<Item = Result<PlacedChunk>>,
) -> Result<RowGroupMeta> {
    let mut range: Option<Range<u64>> = None;
    let mut chunks = Vec::with_capacity(described.size_hint().0);
    for described in described {
        let (meta, bytes) = described?;
        if let Some(bytes) = bytes {
            range = Some(match range {
                None => bytes,
                Some(range) => range.start.min(bytes.start)..range.end.max(bytes.end),
            });
        }
        chunks.push(meta);
    }
    Ok(RowGroupMeta {
        rows,
        range: range.unwrap_or_default(),
        chunks,
        leafless: Vec::new(),
    })
}

/// Why a chunk has no bounds that can be read.
const ENCRYPTED: &str = "the column is encrypted";

/// A chunk and where its bytes are, unless its metadata is encrypted or they are in another file, as those are
/// of which a summary of many files speaks.
fn chunk_meta(
    chunk: &ColumnChunk,
    leaf: &Leaf,
    trust: &Trust<'_>,
    file_size: u64,
) -> Result<PlacedChunk> {
    let Some(meta) = &chunk.meta_data else {
        if chunk.crypto_metadata.is_none() && chunk.encrypted_column_metadata.is_none() {
            return Err(Error::corrupt("there is no metadata").within("ColumnChunk"));
        }
        let encrypted = ChunkMeta {
            distrust: Some(ENCRYPTED),
            ..ChunkMeta::default()
        };
        return Ok((encrypted, None));
    };
    if meta.physical_type != leaf.physical_type {
        let message = format!(
            "{} stands under a leaf of {}",
            meta.physical_type, leaf.physical_type
        );
        return Err(Error::corrupt(message).within("ColumnMetaData"));
    }
    let elsewhere = chunk.file_path.as_ref();
    let elsewhere = elsewhere.is_some_and(|path| !path.is_empty());
    // of another file the size is not known here
    let file_size = if elsewhere { u64::MAX } else { file_size };
    let range = chunk_range(meta, file_size)?;
    let number = |value, field| unsigned(value, field).map_err(in_metadata);
    let slots = number(meta.num_values, "num_values")?;
    let uncompressed = number(meta.total_uncompressed_size, "total_uncompressed_size")?;
    let Trusted { stats, distrust } = trust.check(meta.statistics.as_ref(), Some(slots));
    let hidden = chunk.crypto_metadata.is_some() && stats.min.is_none() && stats.max.is_none();
    let column_index = column_index_range(chunk, file_size);
    let offset_index = offset_index_range(chunk, file_size);
    let has_bloom = bloom_filter_offset(meta, file_size).is_some();
    let encodings = meta.encodings.iter();
    let neutral = ChunkMeta {
        codec: meta.codec.codec(),
        encodings: encodings.map(|encoding| encoding.name()).collect(),
        compressed_bytes: Some(range.end - range.start),
        uncompressed_bytes: Some(uncompressed),
        index_bytes: index_bytes([&column_index, &offset_index], has_bloom, meta),
        fallback: fallback(meta),
        valueless: stats.all_null(),
        stats,
        distrust: distrust.or(hidden.then_some(ENCRYPTED)),
        elsewhere,
        has_index: column_index.is_some() && offset_index.is_some(),
        has_bloom,
    };
    Ok((neutral, Some(range).filter(|_| !elsewhere)))
}

/// The bytes of a chunk's indexes and Bloom filter; unknown if there is a filter whose size is not stated.
fn index_bytes(
    indexes: [&Option<Range<u64>>; 2],
    has_bloom: bool,
    meta: &ColumnMetaData,
) -> Option<u64> {
    let indexes = indexes.into_iter().flatten();
    let indexes = indexes.map(|range| range.end - range.start);
    let bloom = match has_bloom {
        false => 0,
        true => u64::try_from(meta.bloom_filter_length?).ok()?,
    };
    indexes.chain([bloom]).try_fold(0, u64::checked_add)
}

/// The first page that does not use the chunk's dictionary. Writers that give a dictionary up do not come back
/// to it.
fn fallback(chunk: &ColumnMetaData) -> Option<Fallback> {
    let is_data = |page: PageType| matches!(page, PageType::DataPage | PageType::DataPageV2);
    let (mut coded, mut plain) = (0u64, 0u64);
    for stats in chunk.encoding_stats.iter().flatten() {
        let pages = u64::try_from(stats.count).unwrap_or(0);
        match stats.encoding {
            _ if !is_data(stats.page_type) => {}
            Encoding::PlainDictionary | Encoding::RleDictionary => {
                coded = coded.saturating_add(pages);
            }
            _ => plain = plain.saturating_add(pages),
        }
    }
    let fallback = Fallback {
        page: coded.saturating_add(1),
        pages: coded.saturating_add(plain),
    };
    (coded > 0 && plain > 0).then_some(fallback)
}

/// Where a chunk's pages are in a file of `file_size` bytes.
///
/// Offsets of 0 stand for "none" in some files, and the data page's may be the dictionary page's: the
/// smallest one that is a place counts. Some old writers' sizes are short, see [`padded_range`].
pub fn chunk_range(meta: &ColumnMetaData, file_size: u64) -> Result<Range<u64>> {
    let number = |value, field| unsigned(value, field).map_err(in_metadata);
    let size = number(meta.total_compressed_size, "total_compressed_size")?;
    let data = number(meta.data_page_offset, "data_page_offset")?;
    let dictionary = meta.dictionary_page_offset.unwrap_or(0);
    let dictionary = number(dictionary, "dictionary_page_offset")?;
    let start = match (dictionary, data) {
        (0, data) => data,
        (dictionary, 0) => dictionary,
        (dictionary, data) => dictionary.min(data),
    };
    match start.checked_add(size) {
        Some(end) if end <= file_size => Ok(start..end),
        _ => {
            let message = format!("{size} bytes at {start} are not within the file");
            Err(Error::corrupt(message).within("ColumnMetaData"))
        }
    }
}

/// A chunk's range with room for the dictionary page's header, which some old writers leave out of the
/// size (PARQUET-816). Whoever reads stops after the chunk's values.
pub fn padded_range(range: Range<u64>, writer: &CreatedBy, file_size: u64) -> Range<u64> {
    const ROOM: u64 = 100;
    match writer.forgets_dictionary_header() {
        true => range.start..range.end.saturating_add(ROOM).min(file_size),
        false => range,
    }
}

/// Where the column index is; `None` if there is none, or not within the file.
pub fn column_index_range(chunk: &ColumnChunk, file_size: u64) -> Option<Range<u64>> {
    index_range(
        chunk.column_index_offset?,
        chunk.column_index_length?,
        file_size,
    )
}

/// Where the offset index is; `None` if there is none, or not within the file.
pub fn offset_index_range(chunk: &ColumnChunk, file_size: u64) -> Option<Range<u64>> {
    index_range(
        chunk.offset_index_offset?,
        chunk.offset_index_length?,
        file_size,
    )
}

/// Where the Bloom filter's header begins; `None` if there is none, or not within the file.
pub fn bloom_filter_offset(meta: &ColumnMetaData, file_size: u64) -> Option<u64> {
    let offset = u64::try_from(meta.bloom_filter_offset?).ok()?;
    (offset > 0 && offset < file_size).then_some(offset)
}

/// An index is not needed to read: one that cannot be there is as good as none.
fn index_range(offset: i64, length: i32, file_size: u64) -> Option<Range<u64>> {
    let start = u64::try_from(offset).ok()?;
    let end = start.checked_add(u64::try_from(length).ok()?)?;
    (start > 0 && end > start && end <= file_size).then_some(start..end)
}

fn unsigned(value: i64, field: &str) -> Result<u64> {
    u64::try_from(value).map_err(|_| Error::corrupt(format!("{field} is negative: {value}")))
}

#[cold]
fn in_metadata(error: Error) -> Error {
    error.within("ColumnMetaData")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::parquet::column_metadata::PageEncodingStats;
    use crate::parquet::encoding::{CompressionCodec, Type};
    use crate::parquet::encryption::ColumnCryptoMetaData;
    use crate::parquet::key_value::KeyValue;
    use crate::parquet::testing;
    use crate::scalar::Scalar;

    const SIZE: u64 = 10_000;

    /// One leaf, one row group whose chunk is at 4..3004.
    fn footer() -> FileMetaData {
        let mut footer = testing::file_metadata();
        footer.row_groups.truncate(1);
        footer
    }

    fn chunk(footer: &mut FileMetaData) -> &mut ColumnMetaData {
        footer.row_groups[0].columns[0].meta_data.as_mut().unwrap()
    }

    fn read(footer: &FileMetaData) -> Result<FileMeta> {
        decode(footer, SIZE, 100, &Limits::default()).map(|neutral| neutral.meta)
    }

    fn kind(change: impl Fn(&mut FileMetaData)) -> ErrorKind {
        let mut footer = footer();
        change(&mut footer);
        read(&footer).unwrap_err().kind()
    }

    #[test]
    fn a_footer_is_told_in_common_words() {
        let meta = read(&footer()).unwrap();
        assert_eq!(meta.schema.to_string(), "struct<a:array<string>>");
        assert_eq!((meta.rows, meta.footer_bytes), (90, 100));
        let group = &meta.row_groups[0];
        assert_eq!((group.rows, group.range.clone()), (90, 4..3004));
        let chunk = &group.chunks[0];
        assert_eq!(chunk.encodings, ["PLAIN", "RLE_DICTIONARY", "UNKNOWN"]);
        assert!(chunk.has_index && chunk.has_bloom);
        assert_eq!(chunk.stats.value_count, Some(100));
        assert_eq!(chunk.stats.null_count, Some(3));
        let min = chunk.stats.min.as_ref().unwrap();
        assert_eq!((&min.value, min.exact), (&Scalar::string("a"), true));
        assert_eq!(chunk.distrust, None);
    }

    #[test]
    fn errors_name_leaves_as_types_do() {
        let parts = Parts::new(&footer(), &Limits::default()).unwrap();
        assert_eq!(parts.leaves[0].dotted_path(), "a.list.element");
        assert_eq!(parts.leaf_name(0).as_deref(), Some("a.element"));
        assert_eq!(parts.leaf_name(1), None);
        let fails = |_, _| Err(Error::corrupt("broken"));
        let error = parts.file_meta(&footer(), 0, &fails).unwrap_err();
        assert_eq!(
            error.to_string(),
            "row group 0: column \"a.element\": broken"
        );
    }

    #[test]
    fn a_chunk_begins_with_its_smallest_real_offset() {
        let range = |dictionary, data| {
            let mut footer = footer();
            let meta = chunk(&mut footer);
            meta.dictionary_page_offset = dictionary;
            meta.data_page_offset = data;
            chunk_range(meta, SIZE)
        };
        assert_eq!(range(None, 300).unwrap(), 300..3300);
        assert_eq!(range(Some(0), 300).unwrap(), 300..3300);
        assert_eq!(range(Some(4), 300).unwrap(), 4..3004);
        assert_eq!(range(Some(500), 300).unwrap(), 300..3300);
        assert_eq!(range(Some(4), 0).unwrap(), 4..3004);
        for (dictionary, data) in [(None, -1), (Some(-4), 300), (None, 7001), (None, i64::MAX)] {
            assert_eq!(
                range(dictionary, data).unwrap_err().kind(),
                ErrorKind::Corrupt
            );
        }
        let old = CreatedBy::parse(Some("parquet-mr version 1.2.8"));
        assert_eq!(padded_range(4..9950, &old, SIZE), 4..SIZE);
        let new = CreatedBy::parse(Some("parquet-mr version 1.12.2"));
        assert_eq!(padded_range(4..9950, &new, SIZE), 4..9950);
    }

    #[test]
    fn what_contradicts_the_file_is_refused() {
        let corrupt = ErrorKind::Corrupt;
        assert_eq!(kind(|footer| footer.row_groups[0].num_rows = -1), corrupt);
        assert_eq!(kind(|footer| footer.row_groups[0].columns.clear()), corrupt);
        assert_eq!(kind(|footer| chunk(footer).num_values = -1), corrupt);
        assert_eq!(
            kind(|footer| chunk(footer).total_compressed_size = -1),
            corrupt
        );
        assert_eq!(
            kind(|footer| chunk(footer).total_uncompressed_size = -1),
            corrupt
        );
        assert_eq!(
            kind(|footer| chunk(footer).total_compressed_size = 9_997),
            corrupt
        );
        assert_eq!(
            kind(|footer| chunk(footer).physical_type = Type::Int32),
            corrupt
        );
        let error = |footer: &mut FileMetaData| {
            footer.row_groups[0].columns[0].meta_data = None;
            footer.row_groups[0].columns[0].crypto_metadata = None;
            footer.row_groups[0].columns[0].encrypted_column_metadata = None;
        };
        assert_eq!(kind(error), corrupt);
    }

    #[test]
    fn errors_name_row_group_column_and_structure_but_no_place_that_is_not_theirs() {
        let error = |change: &dyn Fn(&mut FileMetaData)| {
            let mut footer = footer();
            change(&mut footer);
            let error = read(&footer).unwrap_err();
            let site = error.site().clone();
            assert_eq!(site.offset, None, "{error}");
            (site.row_group, site.column, site.structure)
        };
        let path = Some("a.element".to_owned());
        let in_chunk = |structure| (Some(0), path.clone(), Some(structure));
        let negative = error(&|footer| chunk(footer).total_compressed_size = -1);
        assert_eq!(negative, in_chunk("ColumnMetaData"));
        let undescribed = error(&|footer| {
            let column = &mut footer.row_groups[0].columns[0];
            (column.meta_data, column.crypto_metadata) = (None, None);
            column.encrypted_column_metadata = None;
        });
        assert_eq!(undescribed, in_chunk("ColumnChunk"));
        let lacking = error(&|footer| footer.row_groups[0].columns.clear());
        assert_eq!(lacking, (Some(0), None, Some("RowGroup")));
    }

    #[test]
    fn texts_are_limited_but_values_are_not() {
        let limits = Limits {
            name_bytes: 20,
            ..Limits::default()
        };
        let kind = |change: &dyn Fn(&mut FileMetaData)| {
            let mut footer = footer();
            footer.key_value_metadata = Some(vec![KeyValue::default()]);
            change(&mut footer);
            let found = decode(&footer, SIZE, 100, &limits);
            found.map(|_| ()).map_err(|error| error.kind())
        };
        let pair = |footer: &mut FileMetaData, key: usize, value: usize| {
            let pairs = footer.key_value_metadata.as_mut().unwrap();
            pairs[0].key = "k".repeat(key);
            pairs[0].value = Some(vec![0; value].into());
        };
        assert_eq!(kind(&|footer| pair(footer, 20, 1000)), Ok(()));
        let exceeded = Err(ErrorKind::LimitExceeded);
        assert_eq!(kind(&|footer| pair(footer, 21, 0)), exceeded);
        let writer = |length| {
            move |footer: &mut FileMetaData| {
                footer.created_by = Some("w".repeat(length));
            }
        };
        assert_eq!(kind(&writer(20)), Ok(()));
        assert_eq!(kind(&writer(21)), exceeded);
    }

    #[test]
    fn chunks_of_another_file_are_told_but_have_no_place_in_this_one() {
        let mut footer = footer();
        let sizes = |meta: &FileMeta| {
            let chunks = meta.row_groups[0].chunks.iter();
            chunks
                .map(|chunk| chunk.compressed_bytes)
                .collect::<Vec<_>>()
        };
        let here = read(&footer).unwrap();
        for column in &mut footer.row_groups[0].columns {
            column.file_path = Some("part-0.parquet".into());
            let meta = column.meta_data.as_mut().unwrap();
            meta.data_page_offset += 1_000_000;
            meta.dictionary_page_offset = None;
        }
        let meta = read(&footer).unwrap();
        let chunks = &meta.row_groups[0].chunks;
        assert!(chunks.iter().all(|chunk| chunk.elsewhere));
        assert_eq!(
            (sizes(&meta), meta.row_groups[0].range.clone()),
            (sizes(&here), 0..0)
        );
        let column = footer.row_groups[0].columns[0].meta_data.as_mut().unwrap();
        column.data_page_offset = i64::MAX;
        column.total_compressed_size = i64::MAX;
        assert!(sizes(&read(&footer).unwrap())[0] > Some(0));
    }

    #[test]
    fn pages_after_those_of_a_dictionary_tell_where_it_was_given_up() {
        let stats = |page_type, encoding, count| PageEncodingStats {
            page_type,
            encoding,
            count,
        };
        let dictionary = stats(PageType::DictionaryPage, Encoding::Plain, 1);
        let coded = stats(PageType::DataPage, Encoding::RleDictionary, 4);
        let plain = stats(PageType::DataPage, Encoding::Plain, 5);
        let of = |pages: &[&PageEncodingStats]| {
            fallback(&ColumnMetaData {
                encoding_stats: Some(pages.iter().map(|&&page| page).collect()),
                ..ColumnMetaData::default()
            })
        };
        assert_eq!(
            of(&[&dictionary, &coded, &plain]),
            Some(Fallback { page: 5, pages: 9 })
        );
        assert_eq!(of(&[&dictionary, &coded]), None);
        assert_eq!(of(&[&dictionary, &plain]), None);
        let endless = stats(PageType::DataPage, Encoding::Plain, -1);
        assert_eq!(of(&[&coded, &endless]), None);
    }

    #[test]
    fn sizes_of_indexes_are_known_unless_a_filter_does_not_state_its_own() {
        let mut footer = footer();
        let of = |footer: &FileMetaData| read(footer).unwrap().row_groups[0].chunks[0].index_bytes;
        let column = &mut footer.row_groups[0].columns[0];
        (column.column_index_offset, column.column_index_length) = (Some(4), Some(30));
        (column.offset_index_offset, column.offset_index_length) = (Some(34), Some(12));
        let meta = column.meta_data.as_mut().unwrap();
        (meta.bloom_filter_offset, meta.bloom_filter_length) = (None, None);
        assert_eq!(of(&footer), Some(42));
        chunk(&mut footer).bloom_filter_offset = Some(50);
        assert_eq!(of(&footer), None);
        chunk(&mut footer).bloom_filter_length = Some(8);
        assert_eq!(of(&footer), Some(50));
    }

    #[test]
    fn an_encrypted_column_does_not_hide_the_others() {
        let mut footer = footer();
        let column = &mut footer.row_groups[0].columns[0];
        column.crypto_metadata = Some(ColumnCryptoMetaData::EncryptionWithFooterKey);
        // some writers leave all but the statistics in the clear
        column.meta_data.as_mut().unwrap().statistics = None;
        let meta = read(&footer).unwrap();
        assert_eq!(meta.row_groups[0].chunks[0].distrust, Some(ENCRYPTED));
        footer.row_groups[0].columns[0].meta_data = None;
        let meta = read(&footer).unwrap();
        assert_eq!(meta.row_groups[0].range, 0..0);
        assert_eq!(meta.row_groups[0].chunks[0].compressed_bytes, None);
        assert!(meta.row_groups[0].chunks[0].distrust.is_some());
    }

    #[test]
    fn a_codec_of_the_future_keeps_nobody_from_the_rest() {
        let mut footer = footer();
        chunk(&mut footer).codec = CompressionCodec::Unknown(77);
        let meta = read(&footer).unwrap();
        let chunk = &meta.row_groups[0].chunks[0];
        assert_eq!((chunk.codec, chunk.stats.min.is_some()), (None, true));
    }

    #[test]
    fn indexes_that_cannot_be_there_are_none() {
        let mut footer = footer();
        let column = &mut footer.row_groups[0].columns[0];
        column.column_index_offset = Some(9_950);
        assert_eq!(column_index_range(column, SIZE), None);
        column.column_index_offset = Some(-1);
        assert_eq!(column_index_range(column, SIZE), None);
        column.column_index_offset = Some(9_900);
        assert_eq!(column_index_range(column, SIZE), Some(9_900..10_000));
        column.offset_index_length = None;
        assert_eq!(offset_index_range(column, SIZE), None);
        chunk(&mut footer).bloom_filter_offset = Some(0);
        assert_eq!(bloom_filter_offset(chunk(&mut footer), SIZE), None);
    }

    #[test]
    fn column_orders_must_be_one_a_leaf() {
        let mut footer = footer();
        footer.column_orders = Some(vec![ColumnOrder::TypeOrder; 2]);
        let meta = read(&footer).unwrap();
        let chunk = &meta.row_groups[0].chunks[0];
        assert_eq!(chunk.stats.min, None);
        assert!(chunk.distrust.is_some());
    }

    #[test]
    fn a_file_may_have_rows_without_columns() {
        let mut footer = footer();
        footer.schema.truncate(1);
        footer.schema[0].num_children = None;
        footer.row_groups[0].columns.clear();
        footer.column_orders = None;
        let meta = read(&footer).unwrap();
        assert_eq!((meta.rows, meta.schema.leaf_count()), (90, 0));
        footer.row_groups.clear();
        assert_eq!(read(&footer).unwrap().rows, 0);
    }
}
