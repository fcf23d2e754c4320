//! The parts of a Parquet file in the order they are written, and the footer that says where they are.
//!
//! ```text
//! PAR1 | chunks of row group 0 | chunks of row group 1 .. | column indexes | offset indexes
//!      | FileMetaData | its length, 4 bytes | PAR1
//! ```
// spec: README.md of parquet-format, "File format"; PageIndex.md

use std::io::Write;

use bytes::Bytes;
use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::meta::FileMeta;
use lith_format::parquet::footer::{ColumnOrder, FileMetaData, MAGIC, Tail};
use lith_format::parquet::index::{ColumnIndex, OffsetIndex};
use lith_format::parquet::key_value::KeyValue;
use lith_format::parquet::neutral;
use lith_format::parquet::row_group::{ColumnChunk, RowGroup};
use lith_format::parquet::schema;
use lith_format::parquet::schema_element::SchemaElement;
use lith_format::schema::Schema;

use crate::leaf::Leaf;
use crate::options::WriteOptions;
use crate::parallel;
use crate::parquet::column::{self, Chunk};
use crate::sink::Sink;

/// What has been written of a file.
#[derive(Debug)]
pub(crate) struct Encoder {
    elements: Vec<SchemaElement>,
    nodes: Vec<schema::Leaf>,
    row_groups: Vec<RowGroup>,
    /// One a chunk of each row group.
    indexes: Vec<Vec<(Option<ColumnIndex>, OffsetIndex)>>,
    rows: u64,
}

impl Encoder {
    /// Begins the file.
    pub(crate) fn begin<W: Write>(sink: &mut Sink<W>, schema: &Schema) -> Result<Self> {
        let elements = schema::encode(schema)?;
        let (_, nodes) = schema::decode(&elements, &Limits::default())?;
        sink.put(&MAGIC)?;
        Ok(Encoder {
            elements,
            nodes,
            row_groups: Vec::new(),
            indexes: Vec::new(),
            rows: 0,
        })
    }

    /// Writes a row group of `rows` rows, whose `leaves` are all that long.
    pub(crate) fn put_row_group<W: Write>(
        &mut self,
        sink: &mut Sink<W>,
        leaves: Vec<Leaf>,
        rows: usize,
        options: &WriteOptions,
    ) -> Result<()> {
        let items = leaves.into_iter().zip(&self.nodes);
        let encode = |(leaf, node)| column::encode(leaf, node, options);
        let chunks = parallel::map(options.thread_count(), items, encode)
            .map_err(|error| error.at_row_group(self.row_groups.len()))?;
        let start = sink.position() as i64;
        let mut group = RowGroup {
            num_rows: rows as i64,
            file_offset: Some(start),
            ordinal: i16::try_from(self.row_groups.len()).ok(),
            ..RowGroup::default()
        };
        let mut indexes = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            group.total_byte_size += chunk.meta.total_uncompressed_size;
            let at = sink.position() as i64;
            sink.put(&chunk.bytes)?;
            let (chunk, index) = place(chunk, at);
            group.columns.push(chunk);
            indexes.push(index);
        }
        group.total_compressed_size = Some(sink.position() as i64 - start);
        self.rows += rows as u64;
        self.row_groups.push(group);
        self.indexes.push(indexes);
        Ok(())
    }

    /// Writes indexes and footer.
    pub(crate) fn finish<W: Write>(
        mut self,
        sink: &mut Sink<W>,
        options: &WriteOptions,
    ) -> Result<FileMeta> {
        self.put_indexes(sink)?;
        let footer = FileMetaData {
            version: 2,
            schema: self.elements,
            num_rows: self.rows as i64,
            row_groups: self.row_groups,
            key_value_metadata: key_values(options),
            created_by: Some(created_by()),
            column_orders: Some(vec![ColumnOrder::TypeOrder; self.nodes.len()]),
            encryption_algorithm: None,
            footer_signing_key_metadata: None,
        };
        let bytes = footer.encode();
        let length =
            u32::try_from(bytes.len()).map_err(|_| Error::limit("a footer of more than 4 GiB"))?;
        sink.put(&bytes)?;
        sink.put(&Tail::encode(length))?;
        let (size, length) = (sink.position(), u64::from(length));
        neutral::decode(&footer, size, length, &Limits::default()).map(|neutral| neutral.meta)
    }

    /// Column indexes of the whole file, then offset indexes, so that a reader fetches each kind at once.
    fn put_indexes<W: Write>(&mut self, sink: &mut Sink<W>) -> Result<()> {
        let Encoder {
            row_groups,
            indexes,
            ..
        } = self;
        let chunks = row_groups.iter_mut().flat_map(|group| &mut group.columns);
        let mut placed: Vec<_> = chunks.zip(indexes.iter().flatten()).collect();
        for (chunk, (index, _)) in &mut placed {
            if let Some(index) = index {
                let (offset, length) = put_index(sink, &index.encode())?;
                chunk.column_index_offset = Some(offset);
                chunk.column_index_length = Some(length);
            }
        }
        for (chunk, (_, index)) in &mut placed {
            let (offset, length) = put_index(sink, &index.encode())?;
            chunk.offset_index_offset = Some(offset);
            chunk.offset_index_length = Some(length);
        }
        Ok(())
    }
}

/// Gives a chunk that begins at `start` of the file its places.
fn place(chunk: Chunk, start: i64) -> (ColumnChunk, (Option<ColumnIndex>, OffsetIndex)) {
    let mut meta = chunk.meta;
    meta.data_page_offset += start;
    meta.dictionary_page_offset = meta.dictionary_page_offset.map(|at| at + start);
    let mut offset_index = chunk.offset_index;
    for location in &mut offset_index.page_locations {
        location.offset += start;
    }
    let column = ColumnChunk {
        meta_data: Some(meta),
        ..ColumnChunk::default()
    };
    (column, (chunk.column_index, offset_index))
}

fn put_index<W: Write>(sink: &mut Sink<W>, bytes: &[u8]) -> Result<(i64, i32)> {
    let offset = sink.position() as i64;
    let length =
        i32::try_from(bytes.len()).map_err(|_| Error::limit("a page index of more than 2 GiB"))?;
    sink.put(bytes)?;
    Ok((offset, length))
}

fn key_values(options: &WriteOptions) -> Option<Vec<KeyValue>> {
    let pair = |(key, value): &(String, Option<String>)| KeyValue {
        key: key.clone(),
        value: value.clone().map(Bytes::from),
    };
    let pairs = || options.key_values.iter().map(pair).collect();
    (!options.key_values.is_empty()).then(pairs)
}

/// In the form that readers parse to detect bugs of writers: application, "version", number.
fn created_by() -> String {
    format!("lith version {}", env!("CARGO_PKG_VERSION"))
}
