//! A small writer of column chunks, for tests that know what they hold.

use std::sync::Arc;

use lith_format::bytes::put_varint;
use lith_format::compress::{Codec, compress};
use lith_format::limits::Limits;
use lith_format::parquet::column_metadata::ColumnMetaData;
use lith_format::parquet::encoding::{CompressionCodec, Encoding, PageType};
use lith_format::parquet::footer::{FileMetaData, Tail};
use lith_format::parquet::page::{
    DataPageHeader, DataPageHeaderV2, DictionaryPageHeader, PageHeader,
};
use lith_format::parquet::row_group::{ColumnChunk, RowGroup};
use lith_format::parquet::schema;
use lith_format::schema::Schema;

use crate::column::ReadContext;
use crate::parquet::encoding::rle::tests::encode;
use crate::parquet::levels::MaxLevels;
use crate::parquet::page::Pages;
use crate::source::{BytesSource, Source};

/// A chunk under construction.
#[derive(Default)]
pub(crate) struct Chunk {
    pub(crate) bytes: Vec<u8>,
    pub(crate) codec: Codec,
}

/// How a data page is written.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) encoding: Encoding,
    pub(crate) v2: bool,
    pub(crate) crc: bool,
}

impl Chunk {
    pub(crate) fn dictionary(&mut self, entries: usize, values: &[u8]) {
        let mut header = PageHeader::new(PageType::DictionaryPage);
        header.dictionary_page_header = Some(DictionaryPageHeader {
            num_values: entries as i32,
            encoding: Encoding::Plain,
            is_sorted: None,
        });
        self.page(header, &[], values, true);
    }

    /// A data page; `validity` is `None` for a required leaf.
    pub(crate) fn data(
        &mut self,
        rows: usize,
        validity: Option<&[bool]>,
        values: &[u8],
        style: Style,
    ) {
        let levels = validity.map(levels).unwrap_or_default();
        let mut header = PageHeader::new(if style.v2 {
            PageType::DataPageV2
        } else {
            PageType::DataPage
        });
        header.crc = style.crc.then_some(0);
        if style.v2 {
            let nulls = validity.map_or(0, |rows| rows.iter().filter(|&&row| !row).count());
            header.data_page_header_v2 = Some(DataPageHeaderV2 {
                num_values: rows as i32,
                num_nulls: nulls as i32,
                num_rows: rows as i32,
                encoding: style.encoding,
                definition_levels_byte_length: levels.len() as i32,
                repetition_levels_byte_length: 0,
                is_compressed: None,
                statistics: None,
            });
            self.page(header, &levels, values, true);
        } else {
            header.data_page_header = Some(DataPageHeader {
                num_values: rows as i32,
                encoding: style.encoding,
                definition_level_encoding: Encoding::Rle,
                repetition_level_encoding: Encoding::Rle,
                statistics: None,
            });
            let mut body = Vec::new();
            if validity.is_some() {
                body.extend((levels.len() as u32).to_le_bytes());
            }
            body.extend(levels);
            body.extend(values);
            self.page(header, &[], &body, true);
        }
    }

    /// A data page of a nested leaf: definition and repetition levels up to `max`.
    pub(crate) fn nested(
        &mut self,
        levels: &[(u8, u8)],
        max: MaxLevels,
        values: &[u8],
        style: Style,
    ) {
        let encode = |max: u8, level: fn(&(u8, u8)) -> u8| {
            let levels = levels.iter().map(|entry| u32::from(level(entry)));
            match max {
                0 => Vec::new(),
                _ => encode(&[(false, levels.collect())], 8 - max.leading_zeros() as u8),
            }
        };
        let repetition = encode(max.repetition, |entry| entry.1);
        let definition = encode(max.definition, |entry| entry.0);
        let nulls = levels.iter().filter(|entry| entry.0 < max.definition);
        let rows = levels.iter().filter(|entry| entry.1 == 0);
        if style.v2 {
            let mut header = PageHeader::new(PageType::DataPageV2);
            header.data_page_header_v2 = Some(DataPageHeaderV2 {
                num_values: levels.len() as i32,
                num_nulls: nulls.count() as i32,
                num_rows: rows.count() as i32,
                encoding: style.encoding,
                definition_levels_byte_length: definition.len() as i32,
                repetition_levels_byte_length: repetition.len() as i32,
                is_compressed: None,
                statistics: None,
            });
            return self.page(header, &[repetition, definition].concat(), values, true);
        }
        let mut header = PageHeader::new(PageType::DataPage);
        header.data_page_header = Some(DataPageHeader {
            num_values: levels.len() as i32,
            encoding: style.encoding,
            definition_level_encoding: Encoding::Rle,
            repetition_level_encoding: Encoding::Rle,
            statistics: None,
        });
        let mut body = Vec::new();
        for (levels, max) in [(repetition, max.repetition), (definition, max.definition)] {
            if max > 0 {
                body.extend((levels.len() as u32).to_le_bytes());
                body.extend(levels);
            }
        }
        body.extend(values);
        self.page(header, &[], &body, true);
    }

    /// A page of any header, its sizes and checksum filled in.
    pub(crate) fn page(
        &mut self,
        mut header: PageHeader,
        levels: &[u8],
        values: &[u8],
        compressed: bool,
    ) {
        let mut body = levels.to_vec();
        if compressed && self.codec != Codec::None && !values.is_empty() {
            compress(self.codec, None, values, &mut body).unwrap();
        } else {
            body.extend(values);
        }
        header.uncompressed_page_size = (levels.len() + values.len()) as i32;
        header.compressed_page_size = body.len() as i32;
        header.crc = header.crc.map(|_| crc32fast::hash(&body) as i32);
        self.bytes.extend(header.encode());
        self.bytes.extend(body);
    }

    pub(crate) fn pages(self, context: &ReadContext) -> Pages {
        let range = 0..self.bytes.len() as u64;
        let source: Arc<dyn Source> = Arc::new(BytesSource::new(self.bytes, "memory"));
        Pages::new(source, range, self.codec, context.clone())
    }
}

/// The bytes of a file of one row group of `rows` rows: of each leaf the chunk, and how many values and nulls
/// are in it.
pub(crate) fn file(schema: &Schema, rows: usize, chunks: Vec<(Chunk, usize)>) -> Vec<u8> {
    let elements = schema::encode(schema).unwrap();
    let (_, leaves) = schema::decode(&elements, &Limits::default()).unwrap();
    let mut bytes = b"PAR1".to_vec();
    let mut columns = Vec::new();
    for ((chunk, entries), leaf) in chunks.into_iter().zip(&leaves) {
        let metadata = ColumnMetaData {
            physical_type: leaf.physical_type,
            path_in_schema: leaf.path.clone(),
            codec: CompressionCodec::from_codec(chunk.codec).unwrap(),
            num_values: entries as i64,
            total_compressed_size: chunk.bytes.len() as i64,
            total_uncompressed_size: chunk.bytes.len() as i64,
            data_page_offset: bytes.len() as i64,
            ..ColumnMetaData::default()
        };
        bytes.extend(chunk.bytes);
        columns.push(ColumnChunk {
            meta_data: Some(metadata),
            ..ColumnChunk::default()
        });
    }
    let footer = FileMetaData {
        version: 2,
        schema: elements,
        num_rows: rows as i64,
        row_groups: vec![RowGroup {
            columns,
            num_rows: rows as i64,
            ..RowGroup::default()
        }],
        ..FileMetaData::default()
    };
    let footer = footer.encode();
    bytes.extend(&footer);
    bytes.extend(Tail::encode(footer.len() as u32));
    bytes
}

/// Levels as runs where eight rows or more are alike, else packed.
pub(crate) fn levels(validity: &[bool]) -> Vec<u8> {
    let mut out = Vec::new();
    for rows in validity.chunks(24) {
        if rows.iter().all(|row| *row == rows[0]) {
            put_varint(&mut out, (rows.len() as u64) << 1);
            out.push(u8::from(rows[0]));
        } else {
            put_varint(&mut out, (rows.len().div_ceil(8) as u64) << 1 | 1);
            for byte in rows.chunks(8) {
                out.push(
                    byte.iter()
                        .rev()
                        .fold(0, |bits, &row| bits << 1 | u8::from(row)),
                );
            }
        }
    }
    out
}
