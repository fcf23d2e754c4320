//! The metadata of a column chunk: type, encodings, codec, sizes, offsets, statistics.
//!
//! Offsets and sizes are as the file has them, signed and unchecked; `neutral` checks them.
// spec: parquet.thrift, ColumnMetaData

use bytes::Bytes;
use smallvec::SmallVec;

use crate::error::Result;
use crate::limits::Limits;
use crate::parquet::encoding::{CompressionCodec, Encoding, PageType, Type};
use crate::parquet::key_value::KeyValue;
use crate::parquet::path::LeafPath;
use crate::parquet::statistics::Statistics;
use crate::parquet::thrift::{self, Fields, InPlace, Reader, Structure, Wire, Writer};

/// Metadata of a column chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnMetaData {
    /// Physical type.
    pub physical_type: Type,
    /// Every encoding of levels and values in the chunk.
    pub encodings: SmallVec<[Encoding; 4]>,
    /// Names from the root's child down to the leaf; empty if they are not written.
    pub path_in_schema: LeafPath,
    /// What pages are compressed with.
    pub codec: CompressionCodec,
    /// Slots of the leaf, nulls included.
    pub num_values: i64,
    /// Bytes of all pages decompressed, headers included.
    pub total_uncompressed_size: i64,
    /// Bytes of all pages in the file, headers included.
    pub total_compressed_size: i64,
    /// Application metadata.
    pub key_value_metadata: Option<Vec<KeyValue>>,
    /// Place of the first data page.
    pub data_page_offset: i64,
    /// Offset of the index page, which no known writer has.
    pub index_page_offset: Option<i64>,
    /// Place of the dictionary page; some writers say 0 for none.
    pub dictionary_page_offset: Option<i64>,
    /// Statistics of the chunk.
    pub statistics: Option<Statistics>,
    /// How many pages there are of each type and encoding.
    pub encoding_stats: Option<SmallVec<[PageEncodingStats; 3]>>,
    /// Place of the Bloom filter's header.
    pub bloom_filter_offset: Option<i64>,
    /// Bytes of the Bloom filter with its header.
    pub bloom_filter_length: Option<i32>,
    /// Sizes in memory and level histograms.
    pub size_statistics: Option<SizeStatistics>,
    /// Bounding box and kinds of geometries.
    pub geospatial_statistics: Option<Box<GeospatialStatistics>>,
}

impl ColumnMetaData {
    /// The metadata that `bytes` (decrypted, if the file keeps it apart) hold.
    pub fn decode(bytes: &Bytes, limits: &Limits) -> Result<Self> {
        thrift::decode_shared(bytes, limits).map(|(metadata, _)| metadata)
    }

    /// The metadata's bytes.
    pub fn encode(&self) -> Vec<u8> {
        thrift::encode(self)
    }
}

/// A chunk without values: what the decoder and writers start from.
impl Default for ColumnMetaData {
    fn default() -> Self {
        ColumnMetaData {
            physical_type: Type::Boolean,
            encodings: SmallVec::new(),
            path_in_schema: LeafPath::default(),
            codec: CompressionCodec::Uncompressed,
            num_values: 0,
            total_uncompressed_size: 0,
            total_compressed_size: 0,
            key_value_metadata: None,
            data_page_offset: 0,
            index_page_offset: None,
            dictionary_page_offset: None,
            statistics: None,
            encoding_stats: None,
            bloom_filter_offset: None,
            bloom_filter_length: None,
            size_statistics: None,
            geospatial_statistics: None,
        }
    }
}

impl InPlace for ColumnMetaData {
    fn decode_into(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let meta = self;
        let mut fields = Fields::new("ColumnMetaData");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I32) => meta.physical_type = Type::from_id(reader.i32()?),
                (2, Wire::List) => {
                    let encoding = |reader: &mut Reader<'_>| reader.i32().map(Encoding::from_id);
                    meta.encodings = reader.short_list_of(Wire::I32, encoding)?;
                }
                (3, Wire::List) => {
                    meta.path_in_schema = LeafPath::decode_from(reader)?;
                }
                (4, Wire::I32) => meta.codec = CompressionCodec::from_id(reader.i32()?),
                (5, Wire::I64) => meta.num_values = reader.i64()?,
                (6, Wire::I64) => meta.total_uncompressed_size = reader.i64()?,
                (7, Wire::I64) => meta.total_compressed_size = reader.i64()?,
                (8, Wire::List) => meta.key_value_metadata = Some(reader.structures()?),
                (9, Wire::I64) => meta.data_page_offset = reader.i64()?,
                (10, Wire::I64) => meta.index_page_offset = Some(reader.i64()?),
                (11, Wire::I64) => meta.dictionary_page_offset = Some(reader.i64()?),
                (12, Wire::Struct) => {
                    let statistics = meta.statistics.insert(Statistics::default());
                    statistics.decode_into(reader)?;
                }
                (13, Wire::List) => {
                    let stats = reader.short_list_of(Wire::Struct, Structure::decode_from)?;
                    meta.encoding_stats = Some(stats);
                }
                (14, Wire::I64) => meta.bloom_filter_offset = Some(reader.i64()?),
                (15, Wire::I32) => meta.bloom_filter_length = Some(reader.i32()?),
                (16, Wire::Struct) => meta.size_statistics = Some(Structure::decode_from(reader)?),
                (17, Wire::Struct) => {
                    meta.geospatial_statistics = Some(Box::new(Structure::decode_from(reader)?));
                }
                _ => fields.skip(reader, wire)?,
            }
        }
        // the path is required by name, but readers go by the leaf's place, and writers may leave it out
        fields.require(reader, &[1, 2, 4, 5, 6, 7, 9])
    }
}

impl Structure for ColumnMetaData {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        Self::decoded(reader)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        let encodings: Vec<i32> = self
            .encodings
            .iter()
            .map(|encoding| encoding.id())
            .collect();
        writer.i32(1, self.physical_type.id());
        writer.i32s(2, encodings.as_slice());
        let names: SmallVec<[&str; 8]> = self.path_in_schema.iter().collect();
        writer.binaries(3, Some(&names[..]).filter(|names| !names.is_empty()));
        writer.i32(4, self.codec.id());
        writer.i64(5, self.num_values);
        writer.i64(6, self.total_uncompressed_size);
        writer.i64(7, self.total_compressed_size);
        writer.structures(8, self.key_value_metadata.as_deref());
        writer.i64(9, self.data_page_offset);
        writer.i64(10, self.index_page_offset);
        writer.i64(11, self.dictionary_page_offset);
        writer.structure(12, self.statistics.as_ref());
        writer.structures(13, self.encoding_stats.as_deref());
        writer.i64(14, self.bloom_filter_offset);
        writer.i32(15, self.bloom_filter_length);
        writer.structure(16, self.size_statistics.as_ref());
        writer.structure(17, self.geospatial_statistics.as_deref());
    }
}

/// How many pages of a type have an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageEncodingStats {
    /// Kind of page.
    pub page_type: PageType,
    /// Encoding of its values.
    pub encoding: Encoding,
    /// Pages.
    pub count: i32,
}

impl Structure for PageEncodingStats {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        // what nearly all look like: three small numbers, in order, none of them negative
        if let Some(bytes) = reader.peek()
            && let [0x15, page_type, 0x15, encoding, 0x15, count, 0] = bytes
            && (page_type | encoding | count) & 0x81 == 0
            && reader.takes(&bytes)
        {
            return Ok(PageEncodingStats {
                page_type: PageType::from_id(i32::from(page_type >> 1)),
                encoding: Encoding::from_id(i32::from(encoding >> 1)),
                count: i32::from(count >> 1),
            });
        }
        let mut stats = PageEncodingStats {
            page_type: PageType::DataPage,
            encoding: Encoding::Plain,
            count: 0,
        };
        let mut fields = Fields::new("PageEncodingStats");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I32) => stats.page_type = PageType::from_id(reader.i32()?),
                (2, Wire::I32) => stats.encoding = Encoding::from_id(reader.i32()?),
                (3, Wire::I32) => stats.count = reader.i32()?,
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2, 3])?;
        Ok(stats)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i32(1, self.page_type.id());
        writer.i32(2, self.encoding.id());
        writer.i32(3, self.count);
    }
}

/// What a chunk takes in memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SizeStatistics {
    /// Bytes of all BYTE_ARRAY values, without lengths.
    pub unencoded_byte_array_data_bytes: Option<i64>,
    /// How often each repetition level occurs.
    pub repetition_level_histogram: Option<SmallVec<[i64; 2]>>,
    /// How often each definition level occurs.
    pub definition_level_histogram: Option<SmallVec<[i64; 2]>>,
}

impl Structure for SizeStatistics {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut stats = SizeStatistics::default();
        let mut fields = Fields::new("SizeStatistics");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I64) => stats.unencoded_byte_array_data_bytes = Some(reader.i64()?),
                (2, Wire::List) => {
                    let histogram = reader.short_list_of(Wire::I64, Reader::i64)?;
                    stats.repetition_level_histogram = Some(histogram);
                }
                (3, Wire::List) => {
                    let histogram = reader.short_list_of(Wire::I64, Reader::i64)?;
                    stats.definition_level_histogram = Some(histogram);
                }
                _ => fields.skip(reader, wire)?,
            }
        }
        Ok(stats)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i64(1, self.unencoded_byte_array_data_bytes);
        writer.i64s(2, self.repetition_level_histogram.as_deref());
        writer.i64s(3, self.definition_level_histogram.as_deref());
    }
}

/// What a chunk of geometries covers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GeospatialStatistics {
    /// A box around all of them.
    pub bbox: Option<BoundingBox>,
    /// WKB type codes; empty if not known.
    pub geospatial_types: Option<Vec<i32>>,
}

impl Structure for GeospatialStatistics {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut stats = GeospatialStatistics::default();
        let mut fields = Fields::new("GeospatialStatistics");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::Struct) => stats.bbox = Some(Structure::decode_from(reader)?),
                (2, Wire::List) => {
                    stats.geospatial_types = Some(reader.list_of(Wire::I32, Reader::i32)?);
                }
                _ => fields.skip(reader, wire)?,
            }
        }
        Ok(stats)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.structure(1, self.bbox.as_ref());
        writer.i32s(2, self.geospatial_types.as_deref());
    }
}

/// Bounds of the coordinates on each axis. A longitude range with `xmin > xmax` wraps around.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BoundingBox {
    /// West.
    pub xmin: f64,
    /// East.
    pub xmax: f64,
    /// South.
    pub ymin: f64,
    /// North.
    pub ymax: f64,
    /// Lowest elevation.
    pub zmin: Option<f64>,
    /// Highest elevation.
    pub zmax: Option<f64>,
    /// Lowest measure.
    pub mmin: Option<f64>,
    /// Highest measure.
    pub mmax: Option<f64>,
}

impl Structure for BoundingBox {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut bbox = BoundingBox::default();
        let mut fields = Fields::new("BoundingBox");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::Double) => bbox.xmin = reader.f64()?,
                (2, Wire::Double) => bbox.xmax = reader.f64()?,
                (3, Wire::Double) => bbox.ymin = reader.f64()?,
                (4, Wire::Double) => bbox.ymax = reader.f64()?,
                (5, Wire::Double) => bbox.zmin = Some(reader.f64()?),
                (6, Wire::Double) => bbox.zmax = Some(reader.f64()?),
                (7, Wire::Double) => bbox.mmin = Some(reader.f64()?),
                (8, Wire::Double) => bbox.mmax = Some(reader.f64()?),
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2, 3, 4])?;
        Ok(bbox)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.f64(1, self.xmin);
        writer.f64(2, self.xmax);
        writer.f64(3, self.ymin);
        writer.f64(4, self.ymax);
        writer.f64(5, self.zmin);
        writer.f64(6, self.zmax);
        writer.f64(7, self.mmin);
        writer.f64(8, self.mmax);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::parquet::testing;

    #[test]
    fn metadata_survives_every_cut_and_flip() {
        testing::check(&testing::column_metadata());
    }

    #[test]
    fn a_field_of_another_wire_type_is_skipped() {
        // a known writer puts a list at field 15
        let mut bytes = testing::column_metadata();
        bytes.bloom_filter_length = None;
        bytes.size_statistics = None;
        bytes.geospatial_statistics = None;
        let mut raw = bytes.encode();
        assert_eq!(raw.pop(), Some(0));
        raw.extend([0x19, 0x25, 0x02, 0x04, 0x00]);
        let meta = ColumnMetaData::decode(&raw.into(), &Limits::default()).unwrap();
        assert_eq!(meta, bytes);
    }

    #[test]
    fn the_path_may_be_missing() {
        let mut meta = testing::column_metadata();
        let whole = meta.encode();
        meta.path_in_schema = LeafPath::default();
        let bytes = meta.encode();
        // a list head, its size, and three names with their lengths
        assert_eq!(whole.len() - bytes.len(), 2 + 3 + "alistelement".len());
        let back = ColumnMetaData::decode(&bytes.into(), &Limits::default()).unwrap();
        assert_eq!(back, meta);
    }

    #[test]
    fn a_required_field_of_another_wire_type_is_missing() {
        let error = ColumnMetaData::decode(&vec![0x16, 0x02, 0x00].into(), &Limits::default());
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Corrupt);
    }
}
