//! The end of the file: tail and footer.
//!
//! ```text
//! .. FileMetaData                                   length (4, little-endian)  PAR1
//! .. FileCryptoMetaData, encrypted FileMetaData     length (4, little-endian)  PARE
//! ```
//! A plain footer of an encrypted file is followed by a signature within its length.
// spec: README.md, "File format"; parquet.thrift, FileMetaData; Encryption.md

mod columns;

use std::ops::{Deref, Range};

use bytes::Bytes;

use crate::bytes::Cursor;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::parquet::encryption::EncryptionAlgorithm;
use crate::parquet::key_value::KeyValue;
use crate::parquet::row_group::{self, ChunkPlace, ColumnChunk, RowGroup};
use crate::parquet::schema_element::{Root, SchemaElement};
use crate::parquet::thrift::{self, Fields, InPlace, Reader, Structure, Wire, Writer};
use columns::Columns;

/// What a file begins with, and ends with if its footer is not encrypted.
pub const MAGIC: [u8; 4] = *b"PAR1";

/// What a file begins and ends with if its footer is encrypted.
pub const MAGIC_ENCRYPTED: [u8; 4] = *b"PARE";

/// Bytes of the tail: the footer's length and the magic.
pub const TAIL_BYTES: usize = 8;

/// The last eight bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    /// Where the footer lies in the file.
    pub footer: Range<u64>,
    /// Whether the footer is encrypted.
    pub encrypted: bool,
}

impl Tail {
    /// The tail of a file of `file_size` bytes, which `last` (eight bytes or more) end.
    pub fn decode(last: &[u8], file_size: u64, limits: &Limits) -> Result<Tail> {
        let site = |error: Error| error.at("footer", file_size.saturating_sub(TAIL_BYTES as u64));
        // magic, length and magic: whatever is shorter cannot be a file
        let end = match file_size.checked_sub(TAIL_BYTES as u64) {
            Some(end) if end >= MAGIC.len() as u64 => end,
            _ => return Err(site(Error::truncated("not a parquet file: under 12 bytes"))),
        };
        let Some(tail) = last.last_chunk::<TAIL_BYTES>() else {
            return Err(site(Error::truncated("the tail is cut off")));
        };
        let mut cursor = Cursor::new(tail);
        let length = u64::from(cursor.u32_le()?);
        let encrypted = match cursor.array()? {
            MAGIC => false,
            MAGIC_ENCRYPTED => true,
            _ => {
                return Err(site(Error::corrupt(
                    "no magic at its end: cut off, still being written, or no parquet file",
                )));
            }
        };
        Limits::check(length, limits.footer_bytes, "footer").map_err(site)?;
        match end.checked_sub(length) {
            Some(start) if start >= MAGIC.len() as u64 => Ok(Tail {
                footer: start..end,
                encrypted,
            }),
            _ => Err(site(Error::corrupt(format!(
                "footer of {length} bytes does not fit the file"
            )))),
        }
    }

    /// The tail that follows a footer of `footer` bytes.
    pub fn encode(footer: u32) -> [u8; TAIL_BYTES] {
        let mut tail = [0; TAIL_BYTES];
        tail[..4].copy_from_slice(&footer.to_le_bytes());
        tail[4..].copy_from_slice(&MAGIC);
        tail
    }
}

/// The footer, whose chunks are decoded or only found, as [`Footer`] has them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileMetaData<C = ColumnChunk> {
    /// Version of the format, 1 or 2, which means nothing.
    pub version: i32,
    /// The tree of columns, flattened depth first; the root comes first.
    pub schema: Vec<SchemaElement>,
    /// Rows in the file.
    pub num_rows: i64,
    /// Row groups, in file order.
    pub row_groups: Vec<RowGroup<C>>,
    /// Application metadata.
    pub key_value_metadata: Option<Vec<KeyValue>>,
    /// Who wrote the file: application, version and build; what of it is not UTF-8 is replaced by U+FFFD.
    pub created_by: Option<String>,
    /// The order of bounds, one a leaf.
    pub column_orders: Option<Vec<ColumnOrder>>,
    /// The cipher, if the file is encrypted.
    pub encryption_algorithm: Option<EncryptionAlgorithm>,
    /// How to find the key that signed the footer.
    pub footer_signing_key_metadata: Option<Bytes>,
}

impl FileMetaData {
    /// The footer that `bytes` hold. Binary values share them.
    pub fn decode(bytes: &Bytes, limits: &Limits) -> Result<FileMetaData> {
        Limits::check(bytes.len() as u64, limits.footer_bytes, "footer")?;
        thrift::decode_shared(bytes, limits).map(|(metadata, _)| metadata)
    }

    /// Only the schema of the footer that `bytes` hold; the rest is skipped.
    pub fn decode_schema(bytes: &Bytes, limits: &Limits) -> Result<Vec<SchemaElement>> {
        let mut reader = Reader::new(bytes, limits);
        let mut fields = Fields::new("FileMetaData");
        let mut schema = Vec::new();
        while let Some((id, wire)) = fields.next(&mut reader)? {
            match (id, wire) {
                (2, Wire::List) => schema = decode_schema(&mut reader)?,
                _ => fields.skip(&mut reader, wire)?,
            }
        }
        fields.require(&reader, &[2])?;
        Ok(schema)
    }

    /// The footer's bytes, without the tail.
    pub fn encode(&self) -> Vec<u8> {
        thrift::encode(self)
    }
}

/// A footer with its chunks as `C` has them; all of it, or what belongs to the columns of some `names`.
fn decode_with_chunks<C: InPlace + Clone>(
    reader: &mut Reader<'_>,
    names: Option<&[String]>,
) -> Result<(FileMetaData<C>, Option<Columns>)> {
    let (mut meta, mut columns) = (FileMetaData::default(), None);
    let mut fields = Fields::new("FileMetaData");
    while let Some((id, wire)) = fields.next(reader)? {
        match (id, wire) {
            (1, Wire::I32) => meta.version = reader.i32()?,
            (2, Wire::List) => match names {
                None => meta.schema = decode_schema(reader)?,
                Some(names) => columns = Some(Columns::decode(reader, names)?),
            },
            (3, Wire::I64) => meta.num_rows = reader.i64()?,
            (4, Wire::List) => {
                let row_groups = reader.list_of(Wire::Struct, row_group::decode_with_chunks);
                meta.row_groups = row_groups?;
            }
            (5, Wire::List) => meta.key_value_metadata = Some(reader.structures()?),
            (6, Wire::Binary) => meta.created_by = Some(reader.lossy_string()?),
            (7, Wire::List) => meta.column_orders = Some(ColumnOrder::decode_all(reader)?),
            (8, Wire::Struct) => {
                meta.encryption_algorithm = Some(Structure::decode_from(reader)?);
            }
            (9, Wire::Binary) => meta.footer_signing_key_metadata = Some(reader.binary()?),
            _ => fields.skip(reader, wire)?,
        }
    }
    fields.require(reader, &[1, 2, 3, 4])?;
    if let Some(columns) = &columns {
        columns.keep_in(&mut meta)?;
    }
    Ok((meta, columns))
}

impl Structure for FileMetaData {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        decode_with_chunks(reader, None).map(|(meta, _)| meta)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i32(1, self.version);
        writer.structures(2, self.schema.as_slice());
        writer.i64(3, self.num_rows);
        writer.structures(4, self.row_groups.as_slice());
        writer.structures(5, self.key_value_metadata.as_deref());
        writer.string(6, self.created_by.as_deref());
        writer.structures(7, self.column_orders.as_deref());
        writer.structure(8, self.encryption_algorithm.as_ref());
        writer.binary(9, self.footer_signing_key_metadata.as_deref());
    }
}

/// A footer whose column chunks are decoded when they are asked for: most queries want few of them.
#[derive(Debug, Clone)]
pub struct Footer {
    bytes: Bytes,
    limits: Limits,
    index: FileMetaData<ChunkPlace>,
    /// What the index has been reduced to, if it has.
    columns: Option<Columns>,
}

impl Footer {
    /// The footer that `bytes` hold. What is wrong inside of a chunk shows when it is asked for.
    pub fn decode(bytes: &Bytes, limits: &Limits) -> Result<Footer> {
        Self::decode_wanted(bytes, limits, None)
    }

    /// As [`decode`](Self::decode), but as if the file had only the columns whose names are among `names` when
    /// case is ignored. Of the others little is read: what is wrong with them may go unnoticed.
    pub fn decode_columns(bytes: &Bytes, limits: &Limits, names: &[String]) -> Result<Footer> {
        Self::decode_wanted(bytes, limits, Some(names))
    }

    fn decode_wanted(bytes: &Bytes, limits: &Limits, names: Option<&[String]>) -> Result<Footer> {
        Limits::check(bytes.len() as u64, limits.footer_bytes, "footer")?;
        let mut reader = Reader::at(bytes, 0, limits)?;
        let (index, columns) = decode_with_chunks(&mut reader, names)?;
        Ok(Footer {
            bytes: bytes.clone(),
            limits: *limits,
            index,
            columns,
        })
    }

    /// A chunk by the numbers of its row group and leaf; `None` if there is none.
    pub fn chunk(&self, row_group: usize, leaf: usize) -> Result<Option<ColumnChunk>> {
        let group = self.index.row_groups.get(row_group);
        let Some(ChunkPlace(position)) = group.and_then(|group| group.columns.get(leaf)) else {
            return Ok(None);
        };
        let mut reader = Reader::at(&self.bytes, *position, &self.limits)?;
        ColumnChunk::decode_from(&mut reader).map(Some)
    }

    /// Where in the footer's bytes a chunk is described; `None` if there is no such chunk.
    pub fn place(&self, row_group: usize, leaf: usize) -> Option<u64> {
        let group = self.index.row_groups.get(row_group)?;
        let ChunkPlace(position) = group.columns.get(leaf)?;
        Some(*position as u64)
    }

    /// The number that a leaf has among all leaves of the file.
    pub fn leaf_in_file(&self, leaf: usize) -> usize {
        let leaves = self.columns.as_ref().map(Columns::leaves);
        let number = leaves.and_then(|leaves| leaves.get(leaf));
        number.copied().unwrap_or(leaf)
    }

    /// Everything decoded.
    pub fn whole(&self) -> Result<FileMetaData> {
        let mut whole = FileMetaData::decode(&self.bytes, &self.limits)?;
        if let Some(columns) = &self.columns {
            columns.keep_in(&mut whole)?;
        }
        Ok(whole)
    }
}

/// All but the chunks.
impl Deref for Footer {
    type Target = FileMetaData<ChunkPlace>;

    fn deref(&self) -> &Self::Target {
        &self.index
    }
}

/// The schema's elements, no more than the limits allow.
fn decode_schema(reader: &mut Reader<'_>) -> Result<Vec<SchemaElement>> {
    let count = reader.list_head(Wire::Struct)?;
    Limits::check(count as u64, reader.limits().schema_nodes, "schema")?;
    reader.elements_in_place(count, |reader, at, element| match at {
        0 => {
            *element = Root::decoded(reader)?.0;
            Ok(())
        }
        _ => SchemaElement::decode_into(element, reader),
    })
}

/// What order a column's bounds are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnOrder {
    /// The order that the logical or else physical type defines.
    TypeOrder,
    /// IEEE 754's total order of floating-point numbers.
    Ieee754TotalOrder,
    /// Chronological, for INT96.
    Int96TimestampOrder,
    /// A member that is not known here, by its number; 0 if none is set.
    Other(i16),
}

impl ColumnOrder {
    /// The orders of all leaves. They are nearly all alike, so several are compared at once.
    fn decode_all(reader: &mut Reader<'_>) -> Result<Vec<Self>> {
        const RUN: usize = 16;
        let of_type: [[u8; 3]; RUN] = [[0x1c, 0, 0]; RUN];
        let count = reader.list_head(Wire::Struct)?;
        let mut orders = reader.room(count)?;
        while orders.len() < count {
            if orders.len() + RUN <= count && reader.takes(of_type.as_flattened()) {
                orders.extend([ColumnOrder::TypeOrder; RUN]);
            } else {
                orders.push(Self::decode_from(reader)?);
            }
        }
        Ok(orders)
    }
}

impl Structure for ColumnOrder {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut order = ColumnOrder::Other(0);
        let mut fields = Fields::new("ColumnOrder");
        while let Some((id, wire)) = fields.next(reader)? {
            order = match id {
                1 => ColumnOrder::TypeOrder,
                2 => ColumnOrder::Ieee754TotalOrder,
                3 => ColumnOrder::Int96TimestampOrder,
                _ => ColumnOrder::Other(id),
            };
            fields.skip(reader, wire)?;
        }
        Ok(order)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        match self {
            ColumnOrder::TypeOrder => writer.empty(1),
            ColumnOrder::Ieee754TotalOrder => writer.empty(2),
            ColumnOrder::Int96TimestampOrder => writer.empty(3),
            ColumnOrder::Other(0) => {}
            ColumnOrder::Other(id) => writer.empty(*id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::parquet::testing;

    #[test]
    fn footers_survive_every_cut_and_flip() {
        testing::check(&testing::file_metadata());
    }

    fn tail(bytes: &[u8], size: u64) -> Result<Tail> {
        Tail::decode(bytes, size, &Limits::default())
    }

    #[test]
    fn the_tail_says_where_the_footer_is() {
        let expected = Tail {
            footer: 10..110,
            encrypted: false,
        };
        assert_eq!(tail(&Tail::encode(100), 118).unwrap(), expected);
        let encrypted = tail(b"more before\x05\0\0\0PARE", 500).unwrap();
        assert!(encrypted.encrypted);
        assert_eq!(encrypted.footer, 487..492);
    }

    #[test]
    fn what_is_no_file_is_refused_before_anything_is_allocated() {
        let kind = |bytes: &[u8], size| tail(bytes, size).unwrap_err().kind();
        assert_eq!(kind(b"PAR1PAR1", 8), ErrorKind::Truncated);
        assert_eq!(kind(b"", 0), ErrorKind::Truncated);
        assert_eq!(kind(b"PAR1", 100), ErrorKind::Truncated);
        assert_eq!(kind(b"\x05\0\0\0PAR2", 100), ErrorKind::Corrupt);
        assert_eq!(kind(b"\x59\0\0\0PAR1", 100), ErrorKind::Corrupt);
        assert_eq!(
            kind(b"\xff\xff\xff\xffPAR1", 1 << 40),
            ErrorKind::LimitExceeded
        );
        assert!(tail(b"\x58\0\0\0PAR1", 100).is_ok());
    }

    #[test]
    fn texts_that_no_column_is_found_by_need_not_be_utf8() {
        let mut meta = testing::file_metadata();
        meta.row_groups.truncate(1);
        meta.schema[0].name = "the root".into();
        meta.created_by = Some("the writer".into());
        meta.key_value_metadata = Some(vec![KeyValue {
            key: "the key".into(),
            value: None,
        }]);
        let sound = meta.encode();
        let broken = |text: &str| {
            let mut bytes = sound.clone();
            let places: Vec<_> = (0..bytes.len())
                .filter(|place| bytes[*place..].starts_with(text.as_bytes()))
                .collect();
            assert!(!places.is_empty());
            places.iter().for_each(|place| bytes[*place] = 0xff);
            Bytes::from(bytes)
        };
        let limits = Limits::default();
        let decode = |bytes: &Bytes| FileMetaData::decode(bytes, &limits);
        let root = decode(&broken("the root")).unwrap();
        assert_eq!(root.schema[0].name, "\u{fffd}he root");
        let some = Footer::decode_columns(&broken("the root"), &limits, &[]).unwrap();
        assert_eq!(some.schema[0].name, "\u{fffd}he root");
        let writer = decode(&broken("the writer")).unwrap().created_by;
        assert_eq!(writer.as_deref(), Some("\u{fffd}he writer"));
        let pairs = decode(&broken("the key")).unwrap().key_value_metadata;
        assert_eq!(pairs.unwrap()[0].key, "\u{fffd}he key");
        meta.schema[1].name = "a column".into();
        let mut bytes = meta.encode();
        let place = bytes.windows(8).position(|bytes| bytes == b"a column");
        bytes[place.unwrap()] = 0xff;
        assert!(decode(&bytes.into()).is_err());
        let small = Limits {
            name_bytes: 5,
            ..limits
        };
        let exceeded = FileMetaData::decode(&broken("the writer"), &small).unwrap_err();
        assert_eq!(exceeded.kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn names_are_not_longer_than_allowed() {
        let mut meta = testing::file_metadata();
        let limits = Limits {
            name_bytes: 100,
            ..Limits::default()
        };
        for (length, kind) in [(100, None), (101, Some(ErrorKind::LimitExceeded))] {
            meta.schema[1].name = "n".repeat(length);
            let read = FileMetaData::decode_schema(&meta.encode().into(), &limits);
            assert_eq!(read.err().map(|error| error.kind()), kind);
        }
    }

    #[test]
    fn more_schema_elements_than_allowed_are_not_read() {
        let meta = testing::file_metadata();
        let limits = Limits {
            schema_nodes: meta.schema.len() - 1,
            ..Limits::default()
        };
        let error = FileMetaData::decode(&meta.encode().into(), &limits).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn the_schema_can_be_had_where_the_rest_makes_no_sense() {
        let meta = testing::file_metadata();
        let limits = Limits::default();
        let bytes = Bytes::from(meta.encode());
        let schema = FileMetaData::decode_schema(&bytes, &limits).unwrap();
        assert_eq!(schema, meta.schema);
        for end in 0..bytes.len() {
            assert!(FileMetaData::decode_schema(&bytes.slice(..end), &limits).is_err());
        }
        // an empty schema, and row groups of which each lacks all that is required
        let broken = Bytes::from_static(&[0x29, 0x0c, 0x29, 0x1c, 0, 0]);
        assert!(FileMetaData::decode(&broken, &limits).is_err());
        let schema = FileMetaData::decode_schema(&broken, &limits).unwrap();
        assert_eq!(schema, []);
    }

    #[test]
    fn column_orders_keep_unknown_members() {
        for order in [
            ColumnOrder::TypeOrder,
            ColumnOrder::Ieee754TotalOrder,
            ColumnOrder::Int96TimestampOrder,
            ColumnOrder::Other(40),
        ] {
            testing::check(&order);
        }
    }

    #[test]
    fn column_orders_keep_their_places() {
        let mut meta = testing::file_metadata();
        for other in 0..50 {
            let mut orders = vec![ColumnOrder::TypeOrder; 50];
            orders[other] = ColumnOrder::Ieee754TotalOrder;
            meta.column_orders = Some(orders);
            let bytes = Bytes::from(meta.encode());
            assert_eq!(
                FileMetaData::decode(&bytes, &Limits::default()).unwrap(),
                meta
            );
        }
    }
}
