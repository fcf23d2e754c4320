//! The format-neutral view of a file: a tail and its schema as [`FileMeta`].
//!
//! A stripe is a row group, a leaf's streams in it are a chunk. The tail knows a stripe's place, rows
//! and statistics; what only the stripe's footer knows (encodings, sizes, Bloom filters) is added by
//! [`add_stripe_footer`].

use crate::error::Result;
use crate::limits::Limits;
use crate::meta::{ChunkMeta, FileMeta, Format, RowGroupMeta};
use crate::orc::encoding::{StreamKind, WriterImplementation};
use crate::orc::schema::{FileSchema, Leaf};
use crate::orc::statistics::ColumnStatistics;
use crate::orc::stats::{Trust, Writer};
use crate::orc::stripe::{Stream, StripeFooter, StripeInformation};
use crate::orc::tail::Tail;
use crate::stats::Trusted;
use crate::types::LogicalType;

/// How many bytes of the limit on footers stand for one chunk of the neutral view.
const FOOTER_BYTES_PER_CHUNK: usize = 32;

/// The neutral view of a file whose tail and schema are decoded.
pub fn file_meta(tail: &Tail, schema: &FileSchema, limits: &Limits) -> Result<FileMeta> {
    check_chunks(tail, schema, limits)?;
    let mut meta = file_head(tail, schema);
    let stripes = 0..tail.footer.stripes.len();
    let row_groups = stripes.map(|ordinal| row_group_meta(tail, schema, ordinal));
    meta.row_groups = row_groups.collect();
    Ok(meta)
}

/// Everything but the row groups.
pub fn file_head(tail: &Tail, schema: &FileSchema) -> FileMeta {
    let footer = &tail.footer;
    let (major, minor) = tail.postscript.format_version();
    let key_values = footer.metadata.iter();
    FileMeta {
        format: Format::Orc,
        version: format!("{major}.{minor}"),
        created_by: Some(created_by(tail)),
        rows: footer.rows(),
        row_groups: Vec::new(),
        key_values: key_values
            .map(|item| (item.name.clone(), Some(item.value.clone())))
            .collect(),
        footer_bytes: tail.tail_length(),
        schema: schema.schema.clone(),
    }
}

/// Limits the number of stripes times columns, so that a walk over all of them ends in time: a few bytes
/// may state very many.
pub fn check_chunks(tail: &Tail, schema: &FileSchema, limits: &Limits) -> Result<()> {
    let chunks = schema
        .leaves
        .len()
        .saturating_mul(tail.footer.stripes.len());
    let limit = limits.footer_bytes / FOOTER_BYTES_PER_CHUNK;
    Limits::check(chunks as u64, limit, "number of stripes times columns").map(drop)
}

/// What the tail says of stripe `ordinal`; nothing if there is no such.
pub fn row_group_meta(tail: &Tail, schema: &FileSchema, ordinal: usize) -> RowGroupMeta {
    let stripe = tail.footer.stripes.get(ordinal);
    let leaves = 0..schema.leaves.len();
    RowGroupMeta {
        rows: stripe.map_or(0, |stripe| stripe.number_of_rows),
        range: stripe.map_or(0..0, StripeInformation::range),
        chunks: leaves
            .filter_map(|leaf| chunk_meta(tail, schema, ordinal, leaf))
            .collect(),
        leafless: schema
            .leafless
            .iter()
            .filter_map(|leaf| chunk_of(tail, ordinal, leaf, &LogicalType::Struct([].into())))
            .collect(),
    }
}

/// The statistics of a stripe's columns: its own, or the file's if it is the only stripe.
fn stripe_statistics(tail: &Tail, ordinal: usize) -> Option<&[ColumnStatistics]> {
    let own = &tail.metadata.stripe_stats;
    let stripes = tail.footer.stripes.len();
    if own.len() == stripes {
        return own.get(ordinal).map(|stripe| &stripe.col_stats[..]);
    }
    // statistics of another number of stripes belong to none of them
    (own.is_empty() && stripes == 1).then_some(&tail.footer.statistics[..])
}

/// Why a stripe of a file that has statistics has none.
const OF_WHOLE_FILE: &str = "they are of the whole file, not of its stripes";

/// Whether there are statistics of the file, but none of its stripes, of which there are several.
pub fn has_only_whole(tail: &Tail) -> bool {
    let footer = &tail.footer;
    let several = footer.stripes.len() > 1 && tail.metadata.stripe_stats.is_empty();
    several && !footer.statistics.is_empty()
}

/// What is trusted of each leaf in the whole file, where only the file has statistics; else nothing.
pub fn file_statistics(tail: &Tail, schema: &FileSchema) -> Vec<Trusted> {
    if !has_only_whole(tail) {
        return Vec::new();
    }
    let (rows, writer) = (tail.footer.rows(), Writer::of(tail));
    let leaves = schema.leaves.iter().zip(&schema.types);
    let of_leaf = |(leaf, ty): (&Leaf, &LogicalType)| {
        let statistics = tail.footer.statistics.get(leaf.column as usize);
        Trust::new(leaf, ty, writer).check(statistics, rows)
    };
    leaves.map(of_leaf).collect()
}

/// What the tail says of leaf `leaf` in stripe `ordinal`; `None` if there is no such.
pub fn chunk_meta(
    tail: &Tail,
    schema: &FileSchema,
    ordinal: usize,
    leaf: usize,
) -> Option<ChunkMeta> {
    let ty = schema.types.get(leaf)?;
    chunk_of(tail, ordinal, schema.leaves.get(leaf)?, ty)
}

fn chunk_of(tail: &Tail, ordinal: usize, leaf: &Leaf, ty: &LogicalType) -> Option<ChunkMeta> {
    let stripe = tail.footer.stripes.get(ordinal)?;
    let statistics = stripe_statistics(tail, ordinal);
    let statistics = statistics.and_then(|all| all.get(leaf.column as usize));
    let rows = stripe.number_of_rows;
    let trust = Trust::new(leaf, ty, Writer::of(tail));
    let trusted = statistics.map(|statistics| trust.check(Some(statistics), rows));
    let none = || Trusted {
        distrust: has_only_whole(tail).then_some(OF_WHOLE_FILE),
        ..Trusted::default()
    };
    let Trusted { stats, distrust } = trusted.unwrap_or_else(none);
    let values = statistics.and_then(|statistics| statistics.number_of_values);
    Some(ChunkMeta {
        codec: Some(tail.compression.codec),
        compressed_bytes: statistics.and_then(|statistics| statistics.bytes_on_disk),
        valueless: distrust.is_none() && values == Some(0),
        stats,
        distrust,
        has_index: tail.footer.row_index_stride > 0 && stripe.index_length > 0,
        ..ChunkMeta::default()
    })
}

/// How many values leaf `leaf` has in stripe `ordinal`, without nulls, as the tail states it, unchecked; `None`
/// if it does not.
pub fn value_count(tail: &Tail, schema: &FileSchema, ordinal: usize, leaf: usize) -> Option<u64> {
    let column = schema.leaves.get(leaf)?.column;
    let statistics = stripe_statistics(tail, ordinal)?;
    statistics.get(column as usize)?.number_of_values
}

/// The software that wrote a file, as far as it says: `ORC Java 1.7.2`. What is in no registry names
/// itself in its version: `lith 0.1.0`.
fn created_by(tail: &Tail) -> String {
    let writer = tail.footer.writer;
    match (
        &tail.footer.software_version,
        tail.postscript.writer_version,
    ) {
        (Some(version), _) if matches!(writer, WriterImplementation::Unknown(_)) => version.clone(),
        (Some(version), _) => format!("{writer} {version}"),
        (None, Some(version)) => format!("{writer} (writer version {version})"),
        (None, None) => writer.to_string(),
    }
}

/// Adds to a row group what the footer of its stripe knows; the footer has passed its validation. The sizes of a leaf
/// are those of all nodes that it owns.
pub fn add_stripe_footer(row_group: &mut RowGroupMeta, footer: &StripeFooter, schema: &FileSchema) {
    let mut of_column = vec![ColumnStreams::default(); footer.columns.len()];
    for stream in &footer.streams {
        let owner = schema.owner(stream.column);
        if let Some(column) = of_column.get_mut(owner as usize) {
            column.add(stream, owner == stream.column);
        }
    }
    let add = |leaf: &Leaf, is_text: bool, chunk: &mut ChunkMeta| {
        let column = leaf.column as usize;
        let streams = of_column.get(column);
        if let (Some(encoding), Some(streams)) = (footer.columns.get(column), streams) {
            chunk.encodings = vec![encoding.kind.name()];
            chunk.compressed_bytes = Some(streams.data);
            chunk.index_bytes = Some(streams.index);
            chunk.has_index = streams.row_index;
            chunk.has_bloom = streams.bloom_utf8 || (streams.bloom && !is_text);
        }
    };
    let leaves = schema.leaves.iter().zip(&schema.types);
    for ((leaf, ty), chunk) in leaves.zip(&mut row_group.chunks) {
        add(leaf, is_hashed_as_text(ty), chunk);
    }
    for (leaf, chunk) in schema.leafless.iter().zip(&mut row_group.leafless) {
        add(leaf, false, chunk);
    }
}

/// What the streams of a leaf and of the nodes that it owns add up to in a stripe, and what its own help to skip.
#[derive(Debug, Clone, Copy, Default)]
struct ColumnStreams {
    data: u64,
    index: u64,
    row_index: bool,
    bloom: bool,
    bloom_utf8: bool,
}

impl ColumnStreams {
    fn add(&mut self, stream: &Stream, is_own: bool) {
        let sum = match stream.kind {
            StreamKind::EncryptedIndex | StreamKind::EncryptedData => return,
            StreamKind::RowIndex | StreamKind::BloomFilter | StreamKind::BloomFilterUtf8 => {
                &mut self.index
            }
            _ => &mut self.data,
        };
        *sum = sum.saturating_add(stream.length);
        if !is_own {
            return;
        }
        self.row_index |= stream.kind == StreamKind::RowIndex;
        self.bloom |= stream.kind == StreamKind::BloomFilter;
        self.bloom_utf8 |= stream.kind == StreamKind::BloomFilterUtf8;
    }
}

/// Whether Bloom filters of the older kind hashed such values as text, in the writer's character set
/// (ORC-101), so that only the newer kind can be used.
pub fn is_hashed_as_text(ty: &LogicalType) -> bool {
    ty.is_text() || matches!(ty, LogicalType::Decimal { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::Codec;
    use crate::error::ErrorKind;
    use crate::orc::encoding::EncodingKind;
    use crate::orc::footer::StripeStatistics;
    use crate::orc::schema::Dialect;
    use crate::orc::stripe::ColumnEncoding;
    use crate::orc::testing::{statistics, tail};
    use crate::scalar::Scalar;

    fn view(tail: &Tail) -> Result<FileMeta> {
        let limits = Limits::default();
        let schema = FileSchema::decode(&tail.footer, Dialect::Orc, &limits)?;
        file_meta(tail, &schema, &limits)
    }

    #[test]
    fn stripes_become_row_groups_with_statistics_by_leaf() {
        let meta = view(&tail()).unwrap();
        assert_eq!((meta.rows, meta.version.as_str()), (10, "0.12"));
        assert_eq!(meta.created_by.as_deref(), Some("ORC C++ 1.2"));
        assert_eq!(meta.key_values, [("who".to_owned(), Some(vec![0xff, 0]))]);
        assert_eq!(meta.schema.to_string(), "struct<id:int,name:string>");
        let [stripe] = &meta.row_groups[..] else {
            panic!("one stripe");
        };
        assert_eq!((stripe.rows, stripe.range.clone()), (10, 3..103));
        let [id, name] = &stripe.chunks[..] else {
            panic!("two leaves");
        };
        assert_eq!(id.stats.max.as_ref().unwrap().value, Scalar::Int(9));
        assert_eq!(name.stats.min.as_ref().unwrap().value, Scalar::string("a"));
        assert_eq!(
            (id.stats.null_count, id.codec),
            (Some(1), Some(Codec::Deflate))
        );
        assert!(id.has_index && !id.has_bloom);
    }

    #[test]
    fn one_chunk_is_told_as_all_are() {
        let tail = tail();
        let schema = FileSchema::decode(&tail.footer, Dialect::Orc, &Limits::default()).unwrap();
        let all = &view(&tail).unwrap().row_groups[0].chunks;
        assert_eq!(schema.types.len(), all.len());
        for (leaf, chunk) in all.iter().enumerate() {
            let one = chunk_meta(&tail, &schema, 0, leaf).unwrap();
            assert_eq!(format!("{one:?}"), format!("{chunk:?}"));
        }
        assert!(chunk_meta(&tail, &schema, 0, 2).is_none());
        let values = [0, 1, 2].map(|leaf| value_count(&tail, &schema, 0, leaf));
        assert_eq!(values, [Some(9), Some(9), None]);
        assert!(chunk_meta(&tail, &schema, 1, 0).is_none());
    }

    #[test]
    fn only_a_lone_stripe_takes_the_statistics_of_the_file() {
        let mut tail = tail();
        tail.metadata.stripe_stats.clear();
        let max = |tail: &Tail| {
            view(tail).unwrap().row_groups[0].chunks[0]
                .stats
                .max
                .clone()
        };
        assert_eq!(max(&tail).unwrap().value, Scalar::Int(9));
        let stripe = StripeStatistics {
            col_stats: statistics(),
        };
        tail.metadata.stripe_stats = vec![stripe; 2];
        assert_eq!(max(&tail), None);
        tail.metadata.stripe_stats.truncate(1);
        tail.metadata.stripe_stats[0].col_stats.truncate(1);
        assert_eq!(max(&tail), None);
    }

    #[test]
    fn statistics_of_the_whole_file_are_told_as_such() {
        let mut tail = tail();
        let schema = FileSchema::decode(&tail.footer, Dialect::Orc, &Limits::default()).unwrap();
        assert!(file_statistics(&tail, &schema).is_empty());
        tail.metadata.stripe_stats.clear();
        // of a single stripe they are its own
        assert!(file_statistics(&tail, &schema).is_empty());
        tail.footer.stripes = vec![tail.footer.stripes[0].clone(); 2];
        let whole = file_statistics(&tail, &schema);
        assert_eq!(whole[0].stats.max.as_ref().unwrap().value, Scalar::Int(9));
        let chunk = chunk_meta(&tail, &schema, 1, 0).unwrap();
        assert_eq!(
            (chunk.stats.max, chunk.distrust),
            (None, Some(OF_WHOLE_FILE))
        );
    }

    #[test]
    fn stripe_footers_add_encodings_sizes_and_filters() {
        let tail = tail();
        let schema = FileSchema::decode(&tail.footer, Dialect::Orc, &Limits::default()).unwrap();
        let mut row_group = view(&tail).unwrap().row_groups.remove(0);
        let stream = |kind, column, length| Stream {
            kind,
            column,
            length,
        };
        let encoding = |kind| ColumnEncoding {
            kind,
            ..ColumnEncoding::default()
        };
        let footer = StripeFooter {
            streams: vec![
                stream(StreamKind::RowIndex, 1, 10),
                stream(StreamKind::BloomFilter, 1, 5),
                stream(StreamKind::BloomFilter, 2, 5),
                stream(StreamKind::Data, 2, 7),
            ],
            columns: vec![
                encoding(EncodingKind::Direct),
                encoding(EncodingKind::DirectV2),
                encoding(EncodingKind::DictionaryV2),
            ],
            ..StripeFooter::default()
        };
        add_stripe_footer(&mut row_group, &footer, &schema);
        let [id, name] = &row_group.chunks[..] else {
            panic!("two leaves");
        };
        assert_eq!(
            (&id.encodings[..], id.compressed_bytes, id.index_bytes),
            (&["DIRECT_V2"][..], Some(0), Some(15))
        );
        assert!(id.has_index && id.has_bloom);
        assert_eq!(
            (name.compressed_bytes, name.index_bytes),
            (Some(7), Some(5))
        );
        assert!(!name.has_index && !name.has_bloom);
    }

    #[test]
    fn stripes_times_columns_are_limited() {
        let mut tail = tail();
        tail.footer.stripes = vec![StripeInformation::default(); 1000];
        let schema = FileSchema::decode(&tail.footer, Dialect::Orc, &Limits::default()).unwrap();
        let limits = Limits {
            footer_bytes: 10_000,
            ..Limits::default()
        };
        let error = file_meta(&tail, &schema, &limits).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }
}
