//! A footer in the vocabulary that both formats share, every number held against the file.
//!
//! ```text
//! chunk   [min of dictionary_page_offset and data_page_offset above 0, + total_compressed_size)
//! ```
//! Chunks belong to leaves by their order. A row group lies where its chunks do; its own `file_offset`
//! is known to be wrong in some files (PARQUET-2078). // spec: parquet.thrift, ColumnMetaData

use std::ops::Range;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::meta::{ChunkMeta, FileMeta, Format, RowGroupMeta};
use crate::parquet::column_metadata::ColumnMetaData;
use crate::parquet::created_by::CreatedBy;
use crate::parquet::footer::{ColumnOrder, FileMetaData};
use crate::parquet::row_group::{ColumnChunk, RowGroup};
use crate::parquet::schema::{self, Leaf};
use crate::parquet::stats::Trust;
use crate::schema::Schema;

/// What a footer says, with its schema taken apart once.
#[derive(Debug, Clone)]
pub struct Neutral {
    /// The file, format-neutral.
    pub meta: FileMeta,
    /// What each leaf needs to be read.
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
    let (schema, leaves) = schema::decode(&footer.schema, limits)?;
    let trust = trusts(footer, &leaves);
    let rows = group_rows(footer, &leaves)?;
    let groups = footer.row_groups.iter().zip(&rows).enumerate();
    let row_groups = groups
        .map(|(ordinal, (group, rows))| {
            row_group(group, *rows, (&leaves, &trust), file_size)
                .map_err(|error| error.at_row_group(ordinal))
        })
        .collect::<Result<_>>()?;
    let meta = file_meta(
        footer,
        schema,
        row_groups,
        (rows.iter().sum(), footer_bytes),
    );
    Ok(Neutral { meta, leaves })
}

/// The rows of each row group, whose sum is the file's; each has a chunk for every leaf.
pub fn group_rows<C>(footer: &FileMetaData<C>, leaves: &[Leaf]) -> Result<Vec<u64>> {
    let mut sum = 0u64;
    let groups = footer.row_groups.iter().enumerate();
    groups
        .map(|(ordinal, group)| {
            let rows = unsigned(group.num_rows, "RowGroup", "num_rows")
                .map_err(|error| error.at_row_group(ordinal))?;
            let corrupt = |message: String| Error::corrupt(message).at_row_group(ordinal);
            if group.columns.len() != leaves.len() {
                let message = format!("{} chunks for {} leaves", group.columns.len(), leaves.len());
                return Err(corrupt(message).at("RowGroup", 0));
            }
            sum = sum
                .checked_add(rows)
                .ok_or_else(|| corrupt("the rows exceed 64 bits".into()))?;
            Ok(rows)
        })
        .collect()
}

fn file_meta(
    footer: &FileMetaData,
    schema: Schema,
    row_groups: Vec<RowGroupMeta>,
    (rows, footer_bytes): (u64, u64),
) -> FileMeta {
    let pairs = footer.key_value_metadata.iter().flatten();
    let pair = |(key, value): (&String, Option<Vec<u8>>)| (key.clone(), value);
    FileMeta {
        format: Format::Parquet,
        version: footer.version.to_string(),
        created_by: footer.created_by.clone(),
        schema,
        rows,
        row_groups,
        key_values: pairs
            .map(|entry| pair((&entry.key, entry.value.as_ref().map(|value| value.to_vec()))))
            .collect(),
        footer_bytes,
    }
}

/// What may be believed of each leaf's statistics. Column orders that are not one a leaf are no orders.
pub fn trusts<'a, C>(footer: &FileMetaData<C>, leaves: &'a [Leaf]) -> Vec<Trust<'a>> {
    let writer = CreatedBy::parse(footer.created_by.as_deref());
    let leaf = |ordinal| trust_of(footer, leaves, ordinal, &writer);
    (0..leaves.len()).filter_map(leaf).collect()
}

/// What may be believed of the statistics of one of the leaves.
pub fn trust<'a, C>(
    footer: &FileMetaData<C>,
    leaves: &'a [Leaf],
    ordinal: usize,
) -> Option<Trust<'a>> {
    let writer = CreatedBy::parse(footer.created_by.as_deref());
    trust_of(footer, leaves, ordinal, &writer)
}

fn trust_of<'a, C>(
    footer: &FileMetaData<C>,
    leaves: &'a [Leaf],
    ordinal: usize,
    writer: &CreatedBy<'_>,
) -> Option<Trust<'a>> {
    let orders = footer.column_orders.as_deref().unwrap_or_default();
    let order = match orders.len() == leaves.len() {
        true => orders.get(ordinal).copied(),
        false if orders.is_empty() => None,
        false => Some(ColumnOrder::Other(0)),
    };
    let leaf = leaves.get(ordinal)?;
    Some(Trust::new(leaf, order, writer))
}

fn row_group(
    group: &RowGroup,
    rows: u64,
    (leaves, trust): (&[Leaf], &[Trust<'_>]),
    file_size: u64,
) -> Result<RowGroupMeta> {
    let mut range: Option<Range<u64>> = None;
    let mut chunks = Vec::with_capacity(leaves.len());
    for ((chunk, leaf), trust) in group.columns.iter().zip(leaves).zip(trust) {
        let (meta, bytes) = chunk_meta(chunk, leaf, trust, file_size)
            .map_err(|error| error.at_column(leaf.dotted_path()))?;
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
    })
}

/// Why a chunk has no bounds that can be read.
const ENCRYPTED: &str = "the column is encrypted";

/// A chunk and where its bytes are, unless its metadata is encrypted.
pub fn chunk_meta(
    chunk: &ColumnChunk,
    leaf: &Leaf,
    trust: &Trust<'_>,
    file_size: u64,
) -> Result<(ChunkMeta, Option<Range<u64>>)> {
    if chunk
        .file_path
        .as_ref()
        .is_some_and(|path| !path.is_empty())
    {
        return Err(Error::unsupported("the data is in another file").at("ColumnChunk", 0));
    }
    let Some(meta) = &chunk.meta_data else {
        if chunk.crypto_metadata.is_none() && chunk.encrypted_column_metadata.is_none() {
            return Err(Error::corrupt("there is no metadata").at("ColumnChunk", 0));
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
        return Err(Error::corrupt(message).at("ColumnMetaData", 0));
    }
    let range = chunk_range(meta, file_size)?;
    let slots = unsigned(meta.num_values, "ColumnMetaData", "num_values")?;
    let (stats, distrust) = trust.believe(meta.statistics.as_ref(), Some(slots));
    let uncompressed = meta.total_uncompressed_size;
    let hidden = chunk.crypto_metadata.is_some() && stats.min.is_none() && stats.max.is_none();
    let neutral = ChunkMeta {
        codec: meta.codec.codec(),
        encodings: meta
            .encodings
            .iter()
            .map(|encoding| encoding.name())
            .collect(),
        compressed_bytes: Some(range.end - range.start),
        uncompressed_bytes: Some(unsigned(uncompressed, "ColumnMetaData", "size")?),
        stats,
        distrust: distrust.or(hidden.then_some(ENCRYPTED)),
        has_index: column_index_range(chunk, file_size).is_some()
            && offset_index_range(chunk, file_size).is_some(),
        has_bloom: bloom_filter_offset(meta, file_size).is_some(),
    };
    Ok((neutral, Some(range)))
}

/// Where a chunk's pages are in a file of `file_size` bytes.
///
/// Offsets of 0 stand for "none" in some files, and the data page's may be the dictionary page's: the
/// smallest one that is a place counts. Some old writers' sizes are short, see [`padded_range`].
pub fn chunk_range(meta: &ColumnMetaData, file_size: u64) -> Result<Range<u64>> {
    let size = unsigned(meta.total_compressed_size, "ColumnMetaData", "size")?;
    let data = unsigned(meta.data_page_offset, "ColumnMetaData", "data_page_offset")?;
    let dictionary = unsigned(
        meta.dictionary_page_offset.unwrap_or(0),
        "ColumnMetaData",
        "dictionary_page_offset",
    )?;
    let start = match (dictionary, data) {
        (0, data) => data,
        (dictionary, 0) => dictionary,
        (dictionary, data) => dictionary.min(data),
    };
    match start.checked_add(size) {
        Some(end) if end <= file_size => Ok(start..end),
        _ => {
            let message = format!("{size} bytes at {start} are not within the file");
            Err(Error::corrupt(message).at("ColumnMetaData", 0))
        }
    }
}

/// A chunk's range with room for the dictionary page's header, which some old writers leave out of the
/// size (PARQUET-816). Whoever reads stops after the chunk's values.
pub fn padded_range(range: Range<u64>, writer: &CreatedBy<'_>, file_size: u64) -> Range<u64> {
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

fn unsigned(value: i64, structure: &'static str, field: &str) -> Result<u64> {
    u64::try_from(value)
        .map_err(|_| Error::corrupt(format!("{field} is negative: {value}")).at(structure, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::parquet::encoding::{CompressionCodec, Type};
    use crate::parquet::encryption::ColumnCryptoMetaData;
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
        let unsupported = ErrorKind::Unsupported;
        let elsewhere = |footer: &mut FileMetaData| {
            footer.row_groups[0].columns[0].file_path = Some("other".into());
        };
        assert_eq!(kind(elsewhere), unsupported);
        let error = |footer: &mut FileMetaData| {
            footer.row_groups[0].columns[0].meta_data = None;
            footer.row_groups[0].columns[0].crypto_metadata = None;
            footer.row_groups[0].columns[0].encrypted_column_metadata = None;
        };
        assert_eq!(kind(error), corrupt);
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
