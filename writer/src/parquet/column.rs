//! From the slots of a leaf to a column chunk: pages cut by rows and bytes, their bounds on the way.
//!
//! ```text
//! chunk  [dictionary page] data page*
//! ```
//! Places are counted from the chunk's start until the row group knows where it lies.

use std::ops::Range;

use lith_format::error::Result;
use lith_format::parquet::column_metadata::{ColumnMetaData, PageEncodingStats};
use lith_format::parquet::encoding::{CompressionCodec, Encoding, PageType, Type};
use lith_format::parquet::index::{ColumnIndex, OffsetIndex, PageLocation};
use lith_format::parquet::schema;
use lith_format::parquet::statistics::Statistics;
use lith_format::parquet::stats;

use crate::leaf::{Leaf, with_buffer};
use crate::options::{self, WriteOptions};
use crate::parquet::encoding::dictionary;
use crate::parquet::encoding::plain::{Plain, Width};
use crate::parquet::index::IndexBuilder;
use crate::parquet::levels;
use crate::parquet::page::{DataPage, Pages};
use crate::stats::StatsBuilder;
use crate::value_buffer::{ValueBuffer, code_width};

/// Bytes a bound of text or binary keeps, about.
const BOUND_BYTES: usize = 64;

/// An encoded column chunk.
pub(crate) struct Chunk {
    /// Its pages.
    pub(crate) bytes: Vec<u8>,
    /// What the footer says of it, places counted from its start.
    pub(crate) meta: ColumnMetaData,
    /// Bounds of its pages.
    pub(crate) column_index: Option<ColumnIndex>,
    /// Places of its pages, counted from its start.
    pub(crate) offset_index: OffsetIndex,
}

/// Encodes all slots of `leaf`, which the file's schema describes as `node`.
pub(crate) fn encode(mut leaf: Leaf, node: &schema::Leaf, options: &WriteOptions) -> Result<Chunk> {
    with_buffer!(&mut leaf.data, buffer => buffer.drop_dictionary_unless_smaller());
    let encoder = Encoder {
        leaf: &leaf,
        node,
        options,
        pages: Pages::new(options),
    };
    with_buffer!(&leaf.data, buffer => encoder.encode(buffer))
        .map_err(|error| error.at_column(&leaf.field.name))
}

/// Slots of one data page, and the values among them.
struct Span {
    rows: Range<usize>,
    values: Range<usize>,
}

struct Encoder<'a> {
    leaf: &'a Leaf,
    node: &'a schema::Leaf,
    options: &'a WriteOptions,
    pages: Pages<'a>,
}

impl Encoder<'_> {
    fn encode<S: Plain>(mut self, buffer: &ValueBuffer<S>) -> Result<Chunk> {
        let width = match self.node.physical_type {
            Type::FixedLenByteArray => Width::Fixed(self.node.type_length),
            _ => Width::Natural,
        };
        self.put_dictionary(buffer, width)?;
        let data_page_offset = self.pages.bytes.len() as i64;
        let mut whole = StatsBuilder::<S>::new(&self.leaf.field.ty);
        let mut index = IndexBuilder::default();
        let mut page_locations = Vec::new();
        for span in self.spans(buffer) {
            page_locations.push(self.put_data(buffer, width, &span)?);
            if self.options.statistics > options::Statistics::None {
                let nulls = span.rows.len() - span.values.len();
                let bounds = buffer.bounds(span.values);
                let mut page = StatsBuilder::<S>::new(&self.leaf.field.ty);
                page.add(bounds.clone(), span.rows.len(), nulls);
                let page = page.finish();
                let written = stats::encode(&page, self.node, BOUND_BYTES);
                index.add(&written, page.all_null(), self.node);
                whole.add(bounds, span.rows.len(), nulls);
            }
        }
        let statistics = (self.options.statistics > options::Statistics::None)
            .then(|| stats::encode(&whole.finish(), self.node, BOUND_BYTES));
        let meta = self.meta(buffer, data_page_offset, page_locations.len(), statistics);
        let wants_index = self.options.statistics == options::Statistics::Strides;
        Ok(Chunk {
            meta,
            bytes: self.pages.bytes,
            column_index: wants_index.then(|| index.finish()).flatten(),
            offset_index: OffsetIndex {
                page_locations,
                unencoded_byte_array_data_bytes: None,
            },
        })
    }

    fn put_dictionary<S: Plain>(&mut self, buffer: &ValueBuffer<S>, width: Width) -> Result<()> {
        let ValueBuffer::Coded { entries, .. } = buffer else {
            return Ok(());
        };
        let mut body = Vec::new();
        entries.put(0..entries.len(), width, &mut body)?;
        self.pages.put_dictionary(entries.len(), &body)
    }

    fn put_data<S: Plain>(
        &mut self,
        buffer: &ValueBuffer<S>,
        width: Width,
        span: &Span,
    ) -> Result<PageLocation> {
        let offset = self.pages.bytes.len() as i64;
        let mut body = Vec::new();
        if self.leaf.field.nullable {
            let with_length = !self.options.parquet.data_page_v2;
            let validity = self.leaf.validity.as_ref();
            levels::put_definition(validity, span.rows.clone(), with_length, &mut body);
        }
        let level_bytes = body.len();
        let encoding = match buffer {
            ValueBuffer::Plain(values) => {
                values.put(span.values.clone(), width, &mut body)?;
                Encoding::Plain
            }
            ValueBuffer::Coded { entries, codes, .. } => {
                let codes = &codes[span.values.clone()];
                dictionary::put(codes, code_width(entries), &mut body);
                Encoding::RleDictionary
            }
        };
        let compressed_page_size = self.pages.put_data(&DataPage {
            rows: span.rows.len(),
            nulls: span.rows.len() - span.values.len(),
            encoding,
            level_bytes,
            body: &body,
        })?;
        Ok(PageLocation {
            offset,
            compressed_page_size,
            first_row_index: span.rows.start as i64,
        })
    }

    /// Cuts the slots into pages of the configured rows, halved until they keep to the limit of bytes.
    fn spans<S: Plain>(&self, buffer: &ValueBuffer<S>) -> Vec<Span> {
        let bytes = |values: Range<usize>| match buffer {
            ValueBuffer::Plain(store) => store.plain_bytes(values),
            ValueBuffer::Coded { entries, .. } => values.len() * code_width(entries) as usize / 8,
        };
        let (mut row, mut value) = (0, 0);
        let mut spans = Vec::new();
        while row < self.leaf.rows {
            let mut rows = row..self.leaf.rows.min(row + self.options.stride_rows);
            let mut values = value..value + self.leaf.values_in(rows.clone());
            while rows.len() > 1 && bytes(values.clone()) > self.options.parquet.page_bytes {
                rows.end = row + rows.len() / 2;
                values.end = value + self.leaf.values_in(rows.clone());
            }
            (row, value) = (rows.end, values.end);
            spans.push(Span { rows, values });
        }
        spans
    }

    fn meta<S: Plain>(
        &self,
        buffer: &ValueBuffer<S>,
        data_page_offset: i64,
        pages: usize,
        statistics: Option<Statistics>,
    ) -> ColumnMetaData {
        let coded = matches!(buffer, ValueBuffer::Coded { .. });
        let stats = |page_type, encoding, count| PageEncodingStats {
            page_type,
            encoding,
            count,
        };
        let data_page = match self.options.parquet.data_page_v2 {
            true => PageType::DataPageV2,
            false => PageType::DataPage,
        };
        let (values, mut encoding_stats) = if coded {
            let dictionary = stats(PageType::DictionaryPage, Encoding::Plain, 1);
            (Encoding::RleDictionary, vec![dictionary])
        } else {
            (Encoding::Plain, Vec::new())
        };
        encoding_stats.push(stats(data_page, values, pages as i32));
        let mut encodings = vec![Encoding::Plain];
        if coded {
            encodings.push(Encoding::RleDictionary);
        }
        if self.leaf.field.nullable {
            encodings.push(Encoding::Rle);
        }
        ColumnMetaData {
            physical_type: self.node.physical_type,
            encodings: encodings.into_iter().collect(),
            path_in_schema: self.node.path.clone(),
            codec: CompressionCodec::from_codec(self.options.codec)
                .unwrap_or(CompressionCodec::Uncompressed),
            num_values: self.leaf.rows as i64,
            total_uncompressed_size: self.pages.uncompressed_bytes,
            total_compressed_size: self.pages.bytes.len() as i64,
            data_page_offset,
            dictionary_page_offset: coded.then_some(0),
            statistics,
            encoding_stats: Some(encoding_stats.into_iter().collect()),
            ..ColumnMetaData::default()
        }
    }
}
