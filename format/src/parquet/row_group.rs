//! Row groups and their column chunks, which come in the order of the schema's leaves.
// spec: parquet.thrift, RowGroup and ColumnChunk

use bytes::Bytes;

use crate::error::Result;
use crate::parquet::column_metadata::ColumnMetaData;
use crate::parquet::encryption::ColumnCryptoMetaData;
use crate::parquet::thrift::{
    Ascending, Fields, InOrder, InPlace, Reader, Structure, Wire, Writer,
};

/// A horizontal part of the file, whose chunks are decoded or only [found](ChunkPlace).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowGroup<C = ColumnChunk> {
    /// One a leaf, in leaf order.
    pub columns: Vec<C>,
    /// Bytes of all chunks decompressed.
    pub total_byte_size: i64,
    /// Rows.
    pub num_rows: i64,
    /// How the rows are sorted, if they are.
    pub sorting_columns: Option<Vec<SortingColumn>>,
    /// Place of the first page. Known to be wrong in some files: the chunks' own offsets count.
    pub file_offset: Option<i64>,
    /// Bytes of all chunks in the file.
    pub total_compressed_size: Option<i64>,
    /// Number of the row group in the file.
    pub ordinal: Option<i16>,
}

/// A row group with its chunks as `C` has them.
pub(crate) fn decode_with_chunks<C: InPlace>(reader: &mut Reader<'_>) -> Result<RowGroup<C>> {
    let mut group = RowGroup::default();
    let mut fields = Fields::new("RowGroup");
    while let Some((id, wire)) = fields.next(reader)? {
        match (id, wire) {
            (1, Wire::List) => group.columns = reader.structures_in_place()?,
            (2, Wire::I64) => group.total_byte_size = reader.i64()?,
            (3, Wire::I64) => group.num_rows = reader.i64()?,
            (4, Wire::List) => group.sorting_columns = Some(reader.structures()?),
            (5, Wire::I64) => group.file_offset = Some(reader.i64()?),
            (6, Wire::I64) => group.total_compressed_size = Some(reader.i64()?),
            (7, Wire::I16) => group.ordinal = Some(reader.i16()?),
            _ => fields.skip(reader, wire)?,
        }
    }
    fields.require(reader, &[1, 2, 3])?;
    Ok(group)
}

impl Structure for RowGroup {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        decode_with_chunks(reader)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.structures(1, self.columns.as_slice());
        writer.i64(2, self.total_byte_size);
        writer.i64(3, self.num_rows);
        writer.structures(4, self.sorting_columns.as_deref());
        writer.i64(5, self.file_offset);
        writer.i64(6, self.total_compressed_size);
        writer.i16(7, self.ordinal);
    }
}

/// One column of the sort order of a row group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SortingColumn {
    /// Number of the leaf.
    pub column_idx: i32,
    /// Whether values descend.
    pub descending: bool,
    /// Whether nulls come first.
    pub nulls_first: bool,
}

impl Structure for SortingColumn {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut sorting = SortingColumn::default();
        let mut fields = Fields::new("SortingColumn");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I32) => sorting.column_idx = reader.i32()?,
                (2, Wire::True | Wire::False) => sorting.descending = wire == Wire::True,
                (3, Wire::True | Wire::False) => sorting.nulls_first = wire == Wire::True,
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2, 3])?;
        Ok(sorting)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i32(1, self.column_idx);
        writer.bool(2, self.descending);
        writer.bool(3, self.nulls_first);
    }
}

/// Where in the footer a column chunk is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChunkPlace(pub(crate) usize);

impl InPlace for ChunkPlace {
    fn decode_into(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        self.0 = reader.position();
        reader.skip_alike().map(drop)
    }
}

/// A column chunk: where its metadata and indexes are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnChunk {
    /// Another file that holds the data, relative to this one; only summary files have it.
    pub file_path: Option<String>,
    /// Deprecated and not to be used.
    pub file_offset: i64,
    /// The metadata; absent if it is encrypted with a key of its own.
    pub meta_data: Option<ColumnMetaData>,
    /// Place of the offset index.
    pub offset_index_offset: Option<i64>,
    /// Bytes of the offset index.
    pub offset_index_length: Option<i32>,
    /// Place of the column index.
    pub column_index_offset: Option<i64>,
    /// Bytes of the column index.
    pub column_index_length: Option<i32>,
    /// How the column is encrypted, if it is.
    pub crypto_metadata: Option<ColumnCryptoMetaData>,
    /// The metadata, encrypted.
    pub encrypted_column_metadata: Option<Bytes>,
}

impl InOrder for ColumnChunk {
    const NAME: &'static str = "ColumnChunk";

    #[inline(always)]
    fn take_fields(&mut self, fields: &mut Ascending<'_, '_>) -> Result<()> {
        fields.value((1, Wire::Binary), &mut self.file_path, Reader::string)?;
        // the specification requires it, but gives it a default, and some writers leave it out
        fields.i64(2, &mut self.file_offset)?;
        fields.place(3, &mut self.meta_data)?;
        fields.i64(4, &mut self.offset_index_offset)?;
        fields.i32(5, &mut self.offset_index_length)?;
        fields.i64(6, &mut self.column_index_offset)?;
        fields.i32(7, &mut self.column_index_length)?;
        let crypto = &mut self.crypto_metadata;
        fields.value((8, Wire::Struct), crypto, ColumnCryptoMetaData::decode_from)?;
        let encrypted = &mut self.encrypted_column_metadata;
        fields.value((9, Wire::Binary), encrypted, Reader::binary)
    }
}

impl Structure for ColumnChunk {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        Self::decoded(reader)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.string(1, self.file_path.as_deref());
        writer.i64(2, self.file_offset);
        writer.structure(3, self.meta_data.as_ref());
        writer.i64(4, self.offset_index_offset);
        writer.i32(5, self.offset_index_length);
        writer.i64(6, self.column_index_offset);
        writer.i32(7, self.column_index_length);
        writer.structure(8, self.crypto_metadata.as_ref());
        writer.binary(9, self.encrypted_column_metadata.as_deref());
    }
}

#[cfg(test)]
mod tests {
    use crate::parquet::testing;

    #[test]
    fn row_groups_survive_every_cut_and_flip() {
        testing::check(&testing::row_group());
    }
}
