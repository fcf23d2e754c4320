//! The header in front of every page.
//!
//! ```text
//! chunk  [dictionary page] data page*        page  PageHeader, compressed_page_size bytes
//! v1 bytes  compressed( [repetition levels] [definition levels] values )
//! v2 bytes  repetition levels, definition levels, compressed( values )
//! ```
// spec: parquet.thrift, PageHeader

use crate::error::Result;
use crate::limits::Limits;
use crate::parquet::encoding::{Encoding, PageType};
use crate::parquet::statistics::Statistics;
use crate::parquet::thrift::{self, Fields, Reader, Structure, Wire, Writer};

/// What stands before a page's bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct PageHeader {
    /// Kind of page.
    pub page_type: PageType,
    /// Bytes after decompression, levels included, header excluded.
    pub uncompressed_page_size: i32,
    /// Bytes in the file, levels included, header excluded.
    pub compressed_page_size: i32,
    /// CRC-32 of the bytes in the file.
    pub crc: Option<i32>,
    /// Set for [`PageType::DataPage`].
    pub data_page_header: Option<DataPageHeader>,
    /// Set for [`PageType::IndexPage`].
    pub index_page_header: Option<IndexPageHeader>,
    /// Set for [`PageType::DictionaryPage`].
    pub dictionary_page_header: Option<DictionaryPageHeader>,
    /// Set for [`PageType::DataPageV2`].
    pub data_page_header_v2: Option<DataPageHeaderV2>,
}

impl PageHeader {
    /// The header of an empty page, without the part that is specific to its type.
    pub fn new(page_type: PageType) -> Self {
        PageHeader {
            page_type,
            uncompressed_page_size: 0,
            compressed_page_size: 0,
            crc: None,
            data_page_header: None,
            index_page_header: None,
            dictionary_page_header: None,
            data_page_header_v2: None,
        }
    }

    /// The header at the start of `bytes`, which may go on, and the header's length.
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<(PageHeader, usize)> {
        thrift::decode(bytes, limits)
    }

    /// The header's bytes.
    pub fn encode(&self) -> Vec<u8> {
        thrift::encode(self)
    }

    /// Whether it stands before a data page.
    pub fn is_data(&self) -> bool {
        matches!(self.page_type, PageType::DataPage | PageType::DataPageV2)
    }

    /// How many slots a data page has, nulls included, and how its values are encoded; nothing of other pages.
    pub fn data_values(&self) -> Option<(i32, Encoding)> {
        let (first, second) = (&self.data_page_header, &self.data_page_header_v2);
        let second = second.as_ref().map(|data| (data.num_values, data.encoding));
        second.or_else(|| {
            let data = first.as_ref()?;
            Some((data.num_values, data.encoding))
        })
    }

    /// The same, and of a dictionary its entries.
    pub fn values(&self) -> Option<(i32, Encoding)> {
        self.data_values().or_else(|| {
            let dictionary = self.dictionary_page_header?;
            Some((dictionary.num_values, dictionary.encoding))
        })
    }
}

impl Structure for PageHeader {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut header = PageHeader::new(PageType::DataPage);
        let mut fields = Fields::new("PageHeader");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I32) => header.page_type = PageType::from_id(reader.i32()?),
                (2, Wire::I32) => header.uncompressed_page_size = reader.i32()?,
                (3, Wire::I32) => header.compressed_page_size = reader.i32()?,
                (4, Wire::I32) => header.crc = Some(reader.i32()?),
                (5, Wire::Struct) => {
                    header.data_page_header = Some(Structure::decode_from(reader)?);
                }
                (6, Wire::Struct) => {
                    header.index_page_header = Some(Structure::decode_from(reader)?);
                }
                (7, Wire::Struct) => {
                    header.dictionary_page_header = Some(Structure::decode_from(reader)?);
                }
                (8, Wire::Struct) => {
                    header.data_page_header_v2 = Some(Structure::decode_from(reader)?);
                }
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2, 3])?;
        Ok(header)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i32(1, self.page_type.id());
        writer.i32(2, self.uncompressed_page_size);
        writer.i32(3, self.compressed_page_size);
        writer.i32(4, self.crc);
        writer.structure(5, self.data_page_header.as_ref());
        writer.structure(6, self.index_page_header.as_ref());
        writer.structure(7, self.dictionary_page_header.as_ref());
        writer.structure(8, self.data_page_header_v2.as_ref());
    }
}

/// The header of a first-generation data page.
#[derive(Debug, Clone, PartialEq)]
pub struct DataPageHeader {
    /// Slots of the leaf in this page, nulls included.
    pub num_values: i32,
    /// Encoding of the values.
    pub encoding: Encoding,
    /// Encoding of the definition levels.
    pub definition_level_encoding: Encoding,
    /// Encoding of the repetition levels.
    pub repetition_level_encoding: Encoding,
    /// Statistics of the page.
    pub statistics: Option<Statistics>,
}

impl Structure for DataPageHeader {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut header = DataPageHeader {
            num_values: 0,
            encoding: Encoding::Plain,
            definition_level_encoding: Encoding::Rle,
            repetition_level_encoding: Encoding::Rle,
            statistics: None,
        };
        let mut fields = Fields::new("DataPageHeader");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I32) => header.num_values = reader.i32()?,
                (2, Wire::I32) => header.encoding = Encoding::from_id(reader.i32()?),
                (3, Wire::I32) => {
                    header.definition_level_encoding = Encoding::from_id(reader.i32()?);
                }
                (4, Wire::I32) => {
                    header.repetition_level_encoding = Encoding::from_id(reader.i32()?);
                }
                (5, Wire::Struct) => header.statistics = Some(Structure::decode_from(reader)?),
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2, 3, 4])?;
        Ok(header)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i32(1, self.num_values);
        writer.i32(2, self.encoding.id());
        writer.i32(3, self.definition_level_encoding.id());
        writer.i32(4, self.repetition_level_encoding.id());
        writer.structure(5, self.statistics.as_ref());
    }
}

/// The header of an index page, of which nothing is specified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexPageHeader {}

impl Structure for IndexPageHeader {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        reader.skip(Wire::Struct).map(|()| IndexPageHeader {})
    }

    fn encode_to(&self, _: &mut Writer<'_>) {}
}

/// The header of a dictionary page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DictionaryPageHeader {
    /// Entries.
    pub num_values: i32,
    /// Encoding of the entries: plain, under either of its two names.
    pub encoding: Encoding,
    /// Whether the entries ascend.
    pub is_sorted: Option<bool>,
}

impl Structure for DictionaryPageHeader {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut header = DictionaryPageHeader {
            num_values: 0,
            encoding: Encoding::Plain,
            is_sorted: None,
        };
        let mut fields = Fields::new("DictionaryPageHeader");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I32) => header.num_values = reader.i32()?,
                (2, Wire::I32) => header.encoding = Encoding::from_id(reader.i32()?),
                (3, Wire::True | Wire::False) => header.is_sorted = Some(wire == Wire::True),
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2])?;
        Ok(header)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i32(1, self.num_values);
        writer.i32(2, self.encoding.id());
        writer.bool(3, self.is_sorted);
    }
}

/// The header of a second-generation data page, whose levels are never compressed.
#[derive(Debug, Clone, PartialEq)]
pub struct DataPageHeaderV2 {
    /// Slots of the leaf in this page, nulls included.
    pub num_values: i32,
    /// Slots without a value.
    pub num_nulls: i32,
    /// Rows; the page begins and ends with whole ones.
    pub num_rows: i32,
    /// Encoding of the values.
    pub encoding: Encoding,
    /// Bytes of the definition levels.
    pub definition_levels_byte_length: i32,
    /// Bytes of the repetition levels, which come first.
    pub repetition_levels_byte_length: i32,
    /// Whether the values are compressed with the chunk's codec. Absent means they are: see
    /// [`is_compressed`](Self::is_compressed).
    pub is_compressed: Option<bool>,
    /// Statistics of the page.
    pub statistics: Option<Statistics>,
}

impl DataPageHeaderV2 {
    /// Whether the values are compressed with the chunk's codec.
    pub fn is_compressed(&self) -> bool {
        self.is_compressed.unwrap_or(true)
    }
}

impl Structure for DataPageHeaderV2 {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut header = DataPageHeaderV2 {
            num_values: 0,
            num_nulls: 0,
            num_rows: 0,
            encoding: Encoding::Plain,
            definition_levels_byte_length: 0,
            repetition_levels_byte_length: 0,
            is_compressed: None,
            statistics: None,
        };
        let mut fields = Fields::new("DataPageHeaderV2");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I32) => header.num_values = reader.i32()?,
                (2, Wire::I32) => header.num_nulls = reader.i32()?,
                (3, Wire::I32) => header.num_rows = reader.i32()?,
                (4, Wire::I32) => header.encoding = Encoding::from_id(reader.i32()?),
                (5, Wire::I32) => header.definition_levels_byte_length = reader.i32()?,
                (6, Wire::I32) => header.repetition_levels_byte_length = reader.i32()?,
                (7, Wire::True | Wire::False) => header.is_compressed = Some(wire == Wire::True),
                (8, Wire::Struct) => header.statistics = Some(Structure::decode_from(reader)?),
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2, 3, 4, 5, 6])?;
        Ok(header)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i32(1, self.num_values);
        writer.i32(2, self.num_nulls);
        writer.i32(3, self.num_rows);
        writer.i32(4, self.encoding.id());
        writer.i32(5, self.definition_levels_byte_length);
        writer.i32(6, self.repetition_levels_byte_length);
        writer.bool(7, self.is_compressed);
        writer.structure(8, self.statistics.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::parquet::testing;

    fn v2() -> PageHeader {
        PageHeader {
            page_type: PageType::DataPageV2,
            uncompressed_page_size: 1000,
            compressed_page_size: 700,
            crc: Some(-5),
            data_page_header: None,
            index_page_header: None,
            dictionary_page_header: None,
            data_page_header_v2: Some(DataPageHeaderV2 {
                num_values: 100,
                num_nulls: 3,
                num_rows: 90,
                encoding: Encoding::DeltaBinaryPacked,
                definition_levels_byte_length: 8,
                repetition_levels_byte_length: 4,
                is_compressed: Some(false),
                statistics: Some(testing::statistics()),
            }),
        }
    }

    #[test]
    fn a_literal_dictionary_header_reads_as_written() {
        let bytes = [
            0x15, 0x04, 0x15, 0x50, 0x15, 0x20, 0x4c, 0x15, 0x0a, 0x15, 0x00, 0x00, 0x00, 0xff,
        ];
        let (header, length) = PageHeader::decode(&bytes, &Limits::default()).unwrap();
        assert_eq!(length, 13);
        assert_eq!(header.page_type, PageType::DictionaryPage);
        assert_eq!(header.uncompressed_page_size, 40);
        assert_eq!(header.compressed_page_size, 16);
        let dictionary = header.dictionary_page_header.unwrap();
        assert_eq!(dictionary.num_values, 5);
        assert_eq!(dictionary.encoding, Encoding::Plain);
        assert_eq!(header.encode(), bytes[..13]);
    }

    #[test]
    fn absent_is_compressed_means_compressed() {
        let mut header = v2().data_page_header_v2.unwrap();
        assert!(!header.is_compressed());
        header.is_compressed = None;
        assert!(header.is_compressed());
    }

    #[test]
    fn a_missing_required_field_is_named() {
        let error = PageHeader::decode(&[0x15, 0x04, 0x00], &Limits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert_eq!(error.site().structure, Some("PageHeader"));
    }

    #[test]
    fn headers_survive_every_cut_and_flip() {
        testing::check(&v2());
        testing::check(&PageHeader {
            page_type: PageType::DataPage,
            data_page_header: Some(DataPageHeader {
                num_values: 7,
                encoding: Encoding::RleDictionary,
                definition_level_encoding: Encoding::Rle,
                repetition_level_encoding: Encoding::BitPacked,
                statistics: None,
            }),
            data_page_header_v2: None,
            index_page_header: Some(IndexPageHeader {}),
            ..v2()
        });
    }
}
