//! The page index (column index and offset index) and the header of a Bloom filter.
//!
//! ```text
//! chunk k  -> ColumnIndex: bounds and null counts, one a data page
//!          -> OffsetIndex: place, size and first row, one a data page
//!          -> BloomFilterHeader, numBytes of bitset
//! ```
//! Whether an index is consistent is checked by `validate`: one that contradicts itself or the row
//! group is not to be used.
// spec: PageIndex.md; BloomFilter.md

use bytes::Bytes;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::parquet::encoding::BoundaryOrder;
use crate::parquet::thrift::{self, Fields, Reader, Structure, Wire, Writer};

/// Bounds of each data page of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnIndex {
    /// Whether the page holds only nulls; its bounds are then empty.
    pub null_pages: Vec<bool>,
    /// Lower bounds in the column's order: plain encoding without a length.
    pub min_values: Vec<Bytes>,
    /// Upper bounds.
    pub max_values: Vec<Bytes>,
    /// Whether both lists of bounds are sorted.
    pub boundary_order: BoundaryOrder,
    /// Slots without a value. Absent is not zero, nor is the -1 of some writers.
    pub null_counts: Option<Vec<i64>>,
    /// Histograms of repetition levels, one page after the other.
    pub repetition_level_histograms: Option<Vec<i64>>,
    /// Histograms of definition levels, one page after the other.
    pub definition_level_histograms: Option<Vec<i64>>,
    /// NaNs among the values. Absent is not zero.
    pub nan_counts: Option<Vec<i64>>,
}

impl ColumnIndex {
    /// The index that `bytes` hold. Bounds share them.
    pub fn decode(bytes: &Bytes, limits: &Limits) -> Result<Self> {
        thrift::decode_shared(bytes, limits).map(|(index, _)| index)
    }

    /// The index's bytes.
    pub fn encode(&self) -> Vec<u8> {
        thrift::encode(self)
    }

    /// Pages.
    pub fn len(&self) -> usize {
        self.null_pages.len()
    }

    /// Whether there are no pages.
    pub fn is_empty(&self) -> bool {
        self.null_pages.is_empty()
    }

    /// Fails if the lists do not go together: lengths that differ, or an all-null page without nulls.
    pub fn validate(&self, pages: usize) -> Result<()> {
        let corrupt = |message| Err(Error::corrupt(message).at("ColumnIndex", 0));
        let lengths = [
            Some(self.null_pages.len()),
            Some(self.min_values.len()),
            Some(self.max_values.len()),
            self.null_counts.as_ref().map(Vec::len),
            self.nan_counts.as_ref().map(Vec::len),
        ];
        if lengths.into_iter().flatten().any(|length| length != pages) {
            return corrupt("lists are not as long as there are pages");
        }
        let counts = self.null_counts.as_deref().unwrap_or_default();
        if self
            .null_pages
            .iter()
            .zip(counts)
            .any(|(null, count)| *null && *count == 0)
        {
            return corrupt("a page of nothing but nulls has no nulls");
        }
        Ok(())
    }
}

impl Structure for ColumnIndex {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut index = ColumnIndex {
            null_pages: Vec::new(),
            min_values: Vec::new(),
            max_values: Vec::new(),
            boundary_order: BoundaryOrder::Unordered,
            null_counts: None,
            repetition_level_histograms: None,
            definition_level_histograms: None,
            nan_counts: None,
        };
        let i64s = |reader: &mut Reader<'_>| reader.list_of(Wire::I64, Reader::i64);
        let mut fields = Fields::new("ColumnIndex");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::List) => {
                    index.null_pages = reader.list_of(Wire::True, Reader::bool_element)?;
                }
                (2, Wire::List) => {
                    index.min_values = reader.list_of(Wire::Binary, Reader::binary)?;
                }
                (3, Wire::List) => {
                    index.max_values = reader.list_of(Wire::Binary, Reader::binary)?;
                }
                (4, Wire::I32) => index.boundary_order = BoundaryOrder::from_id(reader.i32()?),
                (5, Wire::List) => index.null_counts = Some(i64s(reader)?),
                (6, Wire::List) => index.repetition_level_histograms = Some(i64s(reader)?),
                (7, Wire::List) => index.definition_level_histograms = Some(i64s(reader)?),
                (8, Wire::List) => index.nan_counts = Some(i64s(reader)?),
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2, 3, 4])?;
        Ok(index)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.bools(1, self.null_pages.as_slice());
        writer.binaries(2, self.min_values.as_slice());
        writer.binaries(3, self.max_values.as_slice());
        writer.i32(4, self.boundary_order.id());
        writer.i64s(5, self.null_counts.as_deref());
        writer.i64s(6, self.repetition_level_histograms.as_deref());
        writer.i64s(7, self.definition_level_histograms.as_deref());
        writer.i64s(8, self.nan_counts.as_deref());
    }
}

/// Places of the data pages of a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OffsetIndex {
    /// One a data page, in file order.
    pub page_locations: Vec<PageLocation>,
    /// Bytes of the page's BYTE_ARRAY values, without lengths.
    pub unencoded_byte_array_data_bytes: Option<Vec<i64>>,
}

impl OffsetIndex {
    /// The index that `bytes` hold.
    pub fn decode(bytes: &Bytes, limits: &Limits) -> Result<Self> {
        thrift::decode_shared(bytes, limits).map(|(index, _)| index)
    }

    /// The index's bytes.
    pub fn encode(&self) -> Vec<u8> {
        thrift::encode(self)
    }

    /// Fails unless first rows ascend from 0 and stay below `rows`, and places and sizes are not
    /// negative and do not overlap.
    pub fn validate(&self, rows: u64) -> Result<()> {
        let (mut end, mut row) = (0, -1);
        for (ordinal, page) in self.page_locations.iter().enumerate() {
            let first = page.first_row_index;
            let ascending = match ordinal {
                0 => first == 0,
                _ => first > row,
            };
            // a page without rows is only possible in a row group without rows
            let within = u64::try_from(first).is_ok_and(|first| first < rows.max(1));
            if !ascending || !within {
                let message = format!("page {ordinal} cannot begin with row {first}");
                return Err(Error::corrupt(message).at("OffsetIndex", 0));
            }
            if page.offset < end || page.compressed_page_size < 0 {
                let message = format!("page {ordinal} cannot lie at {}", page.offset);
                return Err(Error::corrupt(message).at("OffsetIndex", 0));
            }
            end = page
                .offset
                .saturating_add(i64::from(page.compressed_page_size));
            row = first;
        }
        Ok(())
    }
}

impl Structure for OffsetIndex {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut index = OffsetIndex::default();
        let mut fields = Fields::new("OffsetIndex");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::List) => index.page_locations = reader.structures()?,
                (2, Wire::List) => {
                    let sizes = reader.list_of(Wire::I64, Reader::i64)?;
                    index.unencoded_byte_array_data_bytes = Some(sizes);
                }
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1])?;
        Ok(index)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.structures(1, self.page_locations.as_slice());
        writer.i64s(2, self.unencoded_byte_array_data_bytes.as_deref());
    }
}

/// Where a page is, and with which row it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageLocation {
    /// Place of the page's header in the file.
    pub offset: i64,
    /// Bytes of header and page.
    pub compressed_page_size: i32,
    /// First row, counted in the row group.
    pub first_row_index: i64,
}

impl Structure for PageLocation {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut location = PageLocation::default();
        let mut fields = Fields::new("PageLocation");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I64) => location.offset = reader.i64()?,
                (2, Wire::I32) => location.compressed_page_size = reader.i32()?,
                (3, Wire::I64) => location.first_row_index = reader.i64()?,
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2, 3])?;
        Ok(location)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i64(1, self.offset);
        writer.i32(2, self.compressed_page_size);
        writer.i64(3, self.first_row_index);
    }
}

/// What stands before a Bloom filter's bits. Each of the three choices has one member, number 1: split
/// block, XXHASH and uncompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BloomFilterHeader {
    /// Bytes of the bitset.
    pub num_bytes: i32,
    /// Member of the algorithm union; 0 if none is set.
    pub algorithm: i16,
    /// Member of the hash union.
    pub hash: i16,
    /// Member of the compression union.
    pub compression: i16,
}

impl BloomFilterHeader {
    /// The header of a split-block filter of `num_bytes` bytes.
    pub fn new(num_bytes: i32) -> Self {
        BloomFilterHeader {
            num_bytes,
            algorithm: 1,
            hash: 1,
            compression: 1,
        }
    }

    /// Whether all three choices are the ones that are specified.
    pub fn is_supported(&self) -> bool {
        (self.algorithm, self.hash, self.compression) == (1, 1, 1)
    }

    /// The header at the start of `bytes`, and its length.
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<(Self, usize)> {
        thrift::decode(bytes, limits)
    }

    /// The header's bytes.
    pub fn encode(&self) -> Vec<u8> {
        thrift::encode(self)
    }
}

impl Structure for BloomFilterHeader {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut header = BloomFilterHeader::new(0);
        let member = |reader: &mut Reader<'_>| Member::decode_from(reader).map(|member| member.0);
        let mut fields = Fields::new("BloomFilterHeader");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::I32) => header.num_bytes = reader.i32()?,
                (2, Wire::Struct) => header.algorithm = member(reader)?,
                (3, Wire::Struct) => header.hash = member(reader)?,
                (4, Wire::Struct) => header.compression = member(reader)?,
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1, 2, 3, 4])?;
        Ok(header)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i32(1, self.num_bytes);
        writer.structure(2, &Member(self.algorithm));
        writer.structure(3, &Member(self.hash));
        writer.structure(4, &Member(self.compression));
    }
}

/// A union of empty structs: only which member is set matters.
struct Member(i16);

impl Structure for Member {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut member = 0;
        let mut fields = Fields::new("union");
        while let Some((id, wire)) = fields.next(reader)? {
            member = id;
            fields.skip(reader, wire)?;
        }
        Ok(Member(member))
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        if self.0 != 0 {
            writer.empty(self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::testing;

    fn column_index() -> ColumnIndex {
        let bytes = |text: &'static str| Bytes::from_static(text.as_bytes());
        ColumnIndex {
            null_pages: vec![false, true, false],
            min_values: vec![bytes("a"), bytes(""), bytes("m")],
            max_values: vec![bytes("c"), bytes(""), bytes("zz")],
            boundary_order: BoundaryOrder::Ascending,
            null_counts: Some(vec![0, 5, 1]),
            repetition_level_histograms: Some(vec![1, 2, 3, 4, 5, 6]),
            definition_level_histograms: None,
            nan_counts: Some(vec![0, 0, 0]),
        }
    }

    fn offset_index() -> OffsetIndex {
        let page = |offset, first_row_index| PageLocation {
            offset,
            compressed_page_size: 100,
            first_row_index,
        };
        OffsetIndex {
            page_locations: vec![page(4, 0), page(104, 132), page(300, 200)],
            unencoded_byte_array_data_bytes: Some(vec![1, 1 << 33, 0]),
        }
    }

    #[test]
    fn indexes_survive_every_cut_and_flip() {
        testing::check(&column_index());
        testing::check(&offset_index());
        testing::check(&BloomFilterHeader::new(1024));
    }

    #[test]
    fn a_literal_bloom_filter_header_reads_as_written() {
        let bytes = [
            0x15, 0x80, 0x10, 0x1c, 0x1c, 0x00, 0x00, 0x1c, 0x1c, 0x00, 0x00, 0x1c, 0x1c, 0x00,
            0x00, 0x00,
        ];
        let (header, length) = BloomFilterHeader::decode(&bytes, &Limits::default()).unwrap();
        assert_eq!((header, length), (BloomFilterHeader::new(1024), 16));
        assert!(header.is_supported());
    }

    #[test]
    fn booleans_in_lists_may_be_spelled_zero_and_two() {
        let mut index = column_index();
        index.null_pages = vec![true, false, false];
        let mut bytes = index.encode();
        assert_eq!(bytes[..5], [0x19, 0x31, 1, 2, 2]);
        bytes[1] = 0x32;
        bytes[3] = 0;
        let back = ColumnIndex::decode(&bytes.into(), &Limits::default()).unwrap();
        assert_eq!(back, index);
    }

    #[test]
    fn a_column_index_that_contradicts_itself_is_refused() {
        assert!(column_index().validate(3).is_ok());
        assert!(column_index().validate(4).is_err());
        let mut index = column_index();
        index.null_counts = Some(vec![0, 0, 1]);
        assert!(index.validate(3).is_err());
        // writers exist that say -1 for what they do not know
        index.null_counts = Some(vec![-1, -1, -1]);
        assert!(index.validate(3).is_ok());
        index.null_counts = None;
        assert!(index.validate(3).is_ok());
        index.min_values.pop();
        assert!(index.validate(3).is_err());
    }

    #[test]
    fn an_offset_index_that_does_not_ascend_is_refused() {
        assert!(offset_index().validate(201).is_ok());
        assert!(offset_index().validate(200).is_err());
        let changed = |page: usize, change: fn(&mut PageLocation)| {
            let mut index = offset_index();
            change(&mut index.page_locations[page]);
            index.validate(1000)
        };
        assert!(changed(0, |page| page.first_row_index = 1).is_err());
        assert!(changed(1, |page| page.first_row_index = 0).is_err());
        assert!(changed(1, |page| page.first_row_index = 200).is_err());
        assert!(changed(2, |page| page.offset = 103).is_err());
        assert!(changed(2, |page| page.compressed_page_size = -1).is_err());
        assert!(OffsetIndex::default().validate(0).is_ok());
    }

    quickcheck::quickcheck! {
        fn any_offset_index_round_trips(
            pages: Vec<(i64, i32, i64)>,
            sizes: Option<Vec<i64>>
        ) -> bool {
            let pages = pages.into_iter();
            let index = OffsetIndex {
                page_locations: pages
                    .map(|(offset, compressed_page_size, first_row_index)| PageLocation {
                        offset,
                        compressed_page_size,
                        first_row_index,
                    })
                    .collect(),
                unencoded_byte_array_data_bytes: sizes,
            };
            let back = OffsetIndex::decode(&index.encode().into(), &Limits::default());
            back.unwrap() == index
        }

        fn any_column_index_round_trips(
            pages: Vec<(bool, Vec<u8>, Vec<u8>)>,
            order: i32,
            nulls: Option<Vec<i64>>
        ) -> bool {
            let pages = || pages.iter().cloned();
            let index = ColumnIndex {
                null_pages: pages().map(|page| page.0).collect(),
                min_values: pages().map(|page| page.1.into()).collect(),
                max_values: pages().map(|page| page.2.into()).collect(),
                boundary_order: BoundaryOrder::from_id(order),
                nan_counts: nulls.clone(),
                null_counts: nulls,
                repetition_level_histograms: None,
                definition_level_histograms: None,
            };
            let back = ColumnIndex::decode(&index.encode().into(), &Limits::default());
            back.unwrap() == index
        }
    }
}
