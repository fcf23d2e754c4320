//! Made footers, large as real ones are: many columns, or many row groups.
//!
//! Parquet's hold what pyarrow writes of a column chunk: statistics, counts of encodings, size statistics, and the
//! places of the page index. ORC's hold statistics of the file and of every stripe. A third of the columns are
//! integers, a third texts, a third doubles.

use lith_format::error::Result;
use lith_format::orc::encoding::{CompressionKind, TypeKind};
use lith_format::orc::footer::{Footer, Metadata, StripeStatistics, Type as OrcType};
use lith_format::orc::statistics::{
    ColumnStatistics, DoubleStatistics, IntegerStatistics, StringStatistics, TypeStatistics,
};
use lith_format::orc::stripe::StripeInformation;
use lith_format::orc::tail::{PostScript, Tail};
use lith_format::parquet::column_metadata::{ColumnMetaData, PageEncodingStats, SizeStatistics};
use lith_format::parquet::encoding::{
    CompressionCodec, ConvertedType, Encoding, FieldRepetitionType, PageType, Type,
};
use lith_format::parquet::footer::{ColumnOrder, FileMetaData};
use lith_format::parquet::logical::LogicalType;
use lith_format::parquet::row_group::{ColumnChunk, RowGroup};
use lith_format::parquet::schema_element::SchemaElement;
use lith_format::parquet::statistics::Statistics;

/// Rows of a row group or stripe.
const ROWS: u64 = 100_000;

/// Bytes of a row group's column, of its pages and its indexes together.
const CHUNK_BYTES: u64 = 4096;

/// Bytes of a stripe's footer.
const STRIPE_FOOTER_BYTES: u64 = 512;

fn name(column: usize) -> String {
    format!("column_{column:05}")
}

/// The footer of a Parquet file of so many columns and row groups; the file has no more than `groups * columns`
/// pages of one size.
pub fn parquet(columns: usize, groups: usize) -> FileMetaData {
    let root = SchemaElement {
        name: "schema".into(),
        num_children: Some(columns as i32),
        ..SchemaElement::default()
    };
    let group = |ordinal: usize| {
        let chunk = |column| chunk(column, (ordinal * columns + column) as u64);
        let bytes = CHUNK_BYTES as i64 * columns as i64;
        RowGroup {
            columns: (0..columns).map(chunk).collect(),
            total_byte_size: 2 * bytes,
            num_rows: ROWS as i64,
            file_offset: Some(4 + ordinal as i64 * bytes),
            total_compressed_size: Some(bytes),
            ordinal: Some(ordinal as i16),
            ..RowGroup::default()
        }
    };
    FileMetaData {
        version: 2,
        schema: [root]
            .into_iter()
            .chain((0..columns).map(element))
            .collect(),
        num_rows: ROWS as i64 * groups as i64,
        row_groups: (0..groups).map(group).collect(),
        created_by: Some("parquet-cpp-arrow version 24.0.0".into()),
        column_orders: Some(vec![ColumnOrder::TypeOrder; columns]),
        ..FileMetaData::default()
    }
}

fn physical_type(column: usize) -> Type {
    [Type::Int64, Type::ByteArray, Type::Double][column % 3]
}

fn element(column: usize) -> SchemaElement {
    let text = physical_type(column) == Type::ByteArray;
    SchemaElement {
        physical_type: Some(physical_type(column)),
        repetition_type: Some(FieldRepetitionType::Optional),
        name: name(column),
        converted_type: text.then_some(ConvertedType::Utf8),
        logical_type: text.then_some(LogicalType::String),
        ..SchemaElement::default()
    }
}

fn chunk(column: usize, ordinal: u64) -> ColumnChunk {
    let start = 4 + ordinal * CHUNK_BYTES;
    ColumnChunk {
        meta_data: Some(metadata(column, start as i64)),
        offset_index_offset: Some((start + 4000) as i64),
        offset_index_length: Some(24),
        column_index_offset: Some((start + 4024) as i64),
        column_index_length: Some(40),
        ..ColumnChunk::default()
    }
}

fn metadata(column: usize, start: i64) -> ColumnMetaData {
    let pages = |page_type, encoding| PageEncodingStats {
        page_type,
        encoding,
        count: 1,
    };
    let text = physical_type(column) == Type::ByteArray;
    ColumnMetaData {
        physical_type: physical_type(column),
        encodings: [Encoding::Plain, Encoding::Rle, Encoding::RleDictionary]
            .into_iter()
            .collect(),
        path_in_schema: [name(column)].iter().collect(),
        codec: CompressionCodec::Snappy,
        num_values: ROWS as i64,
        total_uncompressed_size: 2 * CHUNK_BYTES as i64,
        total_compressed_size: CHUNK_BYTES as i64,
        data_page_offset: start + 1000,
        dictionary_page_offset: Some(start),
        statistics: Some(statistics(column)),
        encoding_stats: Some(
            [
                pages(PageType::DictionaryPage, Encoding::Plain),
                pages(PageType::DataPage, Encoding::RleDictionary),
            ]
            .into_iter()
            .collect(),
        ),
        size_statistics: Some(SizeStatistics {
            unencoded_byte_array_data_bytes: text.then_some(12 * ROWS as i64),
            repetition_level_histogram: None,
            definition_level_histogram: Some([0, ROWS as i64].into_iter().collect()),
        }),
        ..ColumnMetaData::default()
    }
}

/// pyarrow writes the older bounds too, where both orders agree.
fn statistics(column: usize) -> Statistics {
    let (min, max): (&[u8], &[u8]) = match physical_type(column) {
        Type::Int64 => (&10i64.to_le_bytes(), &1_000_000i64.to_le_bytes()),
        Type::Double => (&0.5f64.to_le_bytes(), &99.5f64.to_le_bytes()),
        _ => (b"Aachen", b"Zwickau"),
    };
    let older = |bound: &[u8]| (physical_type(column) != Type::ByteArray).then(|| bound.into());
    Statistics {
        max: older(max),
        min: older(min),
        null_count: Some(0),
        max_value: Some(max.into()),
        min_value: Some(min.into()),
        is_max_value_exact: Some(true),
        is_min_value_exact: Some(true),
        ..Statistics::default()
    }
}

/// The tail of an ORC file of so many columns and stripes, uncompressed, and the length of the file.
pub fn orc(columns: usize, stripes: usize) -> Result<(Vec<u8>, u64)> {
    let stripe_bytes = CHUNK_BYTES * columns as u64 + STRIPE_FOOTER_BYTES;
    let stripe = |ordinal: u64| StripeInformation {
        offset: 3 + ordinal * stripe_bytes,
        index_length: 0,
        data_length: stripe_bytes - STRIPE_FOOTER_BYTES,
        footer_length: STRIPE_FOOTER_BYTES,
        number_of_rows: ROWS,
        ..StripeInformation::default()
    };
    let body = 3 + stripes as u64 * stripe_bytes;
    let footer = Footer {
        header_length: 3,
        content_length: body,
        stripes: (0..stripes as u64).map(stripe).collect(),
        types: orc_types(columns),
        number_of_rows: Some(ROWS * stripes as u64),
        statistics: orc_statistics(columns, ROWS * stripes as u64),
        row_index_stride: 10_000,
        ..Footer::default()
    };
    let metadata = Metadata {
        stripe_stats: vec![
            StripeStatistics {
                col_stats: orc_statistics(columns, ROWS),
            };
            stripes
        ],
    };
    let postscript = PostScript {
        compression: CompressionKind::None,
        compression_block_size: 256 << 10,
        version: vec![0, 12],
        writer_version: Some(6),
        magic: "ORC".into(),
        ..PostScript::default()
    };
    let tail = Tail::encode(&metadata, &footer, postscript)?;
    let length = body + tail.len() as u64;
    Ok((tail, length))
}

fn orc_types(columns: usize) -> Vec<OrcType> {
    let kinds = [TypeKind::Long, TypeKind::String, TypeKind::Double];
    let root = OrcType {
        kind: TypeKind::Struct,
        subtypes: (1..=columns as u32).collect(),
        field_names: (0..columns).map(name).collect(),
        ..OrcType::default()
    };
    let leaf = |column: usize| OrcType {
        kind: kinds[column % kinds.len()],
        ..OrcType::default()
    };
    [root].into_iter().chain((0..columns).map(leaf)).collect()
}

/// Of the root and every column.
fn orc_statistics(columns: usize, rows: u64) -> Vec<ColumnStatistics> {
    let of = |specific| ColumnStatistics {
        number_of_values: Some(rows),
        specific,
        has_null: Some(false),
        bytes_on_disk: Some(CHUNK_BYTES),
    };
    let specific = |column: usize| match column % 3 {
        0 => TypeStatistics::Int(IntegerStatistics {
            minimum: Some(10),
            maximum: Some(1_000_000),
            sum: Some(1 << 40),
        }),
        1 => TypeStatistics::String(StringStatistics {
            minimum: Some(b"Aachen".to_vec()),
            maximum: Some(b"Zwickau".to_vec()),
            sum: Some(1 << 20),
            ..StringStatistics::default()
        }),
        _ => TypeStatistics::Double(DoubleStatistics {
            minimum: Some(0.5),
            maximum: Some(99.5),
            sum: Some(5e6),
        }),
    };
    let columns = (0..columns).map(|column| of(Some(specific(column))));
    [of(None)].into_iter().chain(columns).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::limits::Limits;
    use lith_format::meta::FileMeta;
    use lith_format::orc::neutral as orc_neutral;
    use lith_format::orc::schema::{Dialect, FileSchema};
    use lith_format::parquet::neutral;
    use lith_format::step::Step;

    /// Bounds of every chunk are trusted.
    fn check(meta: &FileMeta) {
        assert_eq!(meta.rows, 2 * ROWS);
        for group in &meta.row_groups {
            assert_eq!(group.chunks.len(), 6);
            for chunk in &group.chunks {
                assert!(chunk.stats.min.is_some() && chunk.distrust.is_none());
            }
        }
    }

    #[test]
    fn a_parquet_footer_is_sound() {
        let footer = parquet(6, 2);
        let bytes = footer.encode();
        let limits = Limits::default();
        let decoded = FileMetaData::decode(&bytes.clone().into(), &limits).unwrap();
        assert_eq!(decoded, footer);
        let size = bytes.len() as u64;
        let neutral = neutral::decode(&footer, 12 * CHUNK_BYTES + size, size, &limits).unwrap();
        check(&neutral.meta);
    }

    #[test]
    fn an_orc_tail_is_sound() {
        let (bytes, length) = orc(6, 2).unwrap();
        let limits = Limits::default();
        let Step::Done(tail) = Tail::decode(&bytes, length, &limits).unwrap() else {
            panic!("the whole tail is there");
        };
        let schema = FileSchema::decode(&tail.footer, Dialect::Orc, &limits).unwrap();
        check(&orc_neutral::file_meta(&tail, &schema, &limits).unwrap());
    }
}
