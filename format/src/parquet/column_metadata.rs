//! The metadata of a column chunk: type, encodings, codec, sizes, offsets, statistics.
//!
//! Offsets and sizes are as the file has them, signed and unchecked; `neutral` checks them.
// spec: parquet.thrift, ColumnMetaData

use bytes::Bytes;

use crate::error::Result;
use crate::limits::Limits;
use crate::parquet::encoding::{CompressionCodec, Encoding, PageType, Type};
use crate::parquet::key_value::KeyValue;
use crate::parquet::list::{Element, List};
use crate::parquet::path::LeafPath;
use crate::parquet::statistics::Statistics;
use crate::parquet::thrift::{
    self, Ascending, Fields, InOrder, InPlace, Reader, Structure, Wire, Writer,
};

/// Metadata of a column chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnMetaData {
    /// Physical type.
    pub physical_type: Type,
    /// Every encoding of levels and values in the chunk.
    pub encodings: List<Encoding>,
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
    pub encoding_stats: Option<List<PageEncodingStats>>,
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
            encodings: List::default(),
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

impl InOrder for ColumnMetaData {
    const NAME: &'static str = "ColumnMetaData";

    // the specification requires the path (3), but readers find the leaf by its position, and writers may leave the
    // path out
    const REQUIRED: &'static [u32] = &[1, 2, 4, 5, 6, 7, 9];

    #[inline(always)]
    fn take_fields(&mut self, fields: &mut Ascending<'_, '_>) -> Result<()> {
        fields.i32_as(1, &mut self.physical_type, Type::from_id)?;
        fields.fill_list(2, &mut self.encodings)?;
        fields.fill_list(3, &mut self.path_in_schema)?;
        fields.i32_as(4, &mut self.codec, CompressionCodec::from_id)?;
        fields.i64(5, &mut self.num_values)?;
        fields.i64(6, &mut self.total_uncompressed_size)?;
        fields.i64(7, &mut self.total_compressed_size)?;
        let pairs = &mut self.key_value_metadata;
        fields.value((8, Wire::List), pairs, Reader::structures::<KeyValue>)?;
        fields.i64(9, &mut self.data_page_offset)?;
        fields.i64(10, &mut self.index_page_offset)?;
        fields.i64(11, &mut self.dictionary_page_offset)?;
        fields.place(12, &mut self.statistics)?;
        fields.place_list(13, &mut self.encoding_stats)?;
        fields.i64(14, &mut self.bloom_filter_offset)?;
        fields.i32(15, &mut self.bloom_filter_length)?;
        fields.place(16, &mut self.size_statistics)?;
        let geospatial = &mut self.geospatial_statistics;
        fields.value((17, Wire::Struct), geospatial, |reader| {
            GeospatialStatistics::decode_from(reader).map(Box::new)
        })
    }
}

impl Structure for ColumnMetaData {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        Self::decoded(reader)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i32(1, self.physical_type.id());
        self.encodings.encode_to(2, writer);
        self.path_in_schema.encode_to(3, writer);
        writer.i32(4, self.codec.id());
        writer.i64(5, self.num_values);
        writer.i64(6, self.total_uncompressed_size);
        writer.i64(7, self.total_compressed_size);
        writer.structures(8, self.key_value_metadata.as_deref());
        writer.i64(9, self.data_page_offset);
        writer.i64(10, self.index_page_offset);
        writer.i64(11, self.dictionary_page_offset);
        writer.structure(12, self.statistics.as_ref());
        if let Some(stats) = &self.encoding_stats {
            stats.encode_to(13, writer);
        }
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

impl Element for PageEncodingStats {
    const WIRE: Wire = Wire::Struct;

    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        Self::decode_from(reader)
    }

    #[inline]
    fn usual_length(bytes: &[u8], count: usize) -> Option<usize> {
        // three numbers in order, each of one byte; the byte that follows decides nothing
        let usual = u64::from_le_bytes([0x15, 0, 0x15, 0, 0x15, 0, 0, 0]);
        let decisive = u64::from_le_bytes([0xff, 0x80, 0xff, 0x80, 0xff, 0x80, 0xff, 0]);
        for index in 0..count {
            let element = bytes.get(7 * index..)?.first_chunk()?;
            if (u64::from_le_bytes(*element) ^ usual) & decisive != 0 {
                return None;
            }
        }
        Some(7 * count)
    }

    fn write(&self, out: &mut Vec<u8>) {
        Writer::structure_into(out, self);
    }
}

/// What a chunk takes in memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SizeStatistics {
    /// Bytes of all BYTE_ARRAY values, without lengths.
    pub unencoded_byte_array_data_bytes: Option<i64>,
    /// How often each repetition level occurs.
    pub repetition_level_histogram: Option<List<i64>>,
    /// How often each definition level occurs.
    pub definition_level_histogram: Option<List<i64>>,
}

impl InOrder for SizeStatistics {
    const NAME: &'static str = "SizeStatistics";

    #[inline(always)]
    fn take_fields(&mut self, fields: &mut Ascending<'_, '_>) -> Result<()> {
        fields.i64(1, &mut self.unencoded_byte_array_data_bytes)?;
        fields.place_list(2, &mut self.repetition_level_histogram)?;
        fields.place_list(3, &mut self.definition_level_histogram)?;
        Ok(())
    }
}

impl Structure for SizeStatistics {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        Self::decoded(reader)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i64(1, self.unencoded_byte_array_data_bytes);
        let histograms = [
            (2, &self.repetition_level_histogram),
            (3, &self.definition_level_histogram),
        ];
        for (id, histogram) in histograms {
            if let Some(histogram) = histogram {
                histogram.encode_to(id, writer);
            }
        }
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
