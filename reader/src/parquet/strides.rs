//! What a Parquet file says of the data pages of a column chunk, without a value decoded.
//!
//! ```text
//! both indexes       -> pages, from two small reads
//! one of them, none  -> the header of every page; rows by the offset index, if there is one
//! ```
//! An index that contradicts itself or the row group is as good as none.
// spec: PageIndex.md

use std::ops::Range;
use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::parquet::column_metadata::ColumnMetaData;
use lith_format::parquet::index::{ColumnIndex, OffsetIndex};
use lith_format::parquet::neutral::{
    chunk_range, column_index_range, offset_index_range, padded_range,
};
use lith_format::parquet::page::PageHeader;
use lith_format::parquet::strides::{self, PageMeta};
use lith_format::schema::LeafId;

use crate::parquet::file::{ParquetFile, readable};
use crate::source::Source;
use crate::window::Window;

/// A page's place, header included, and its header.
pub type HeadedPage = (Range<u64>, PageHeader);

impl ParquetFile {
    /// The data pages of leaf `leaf` in row group `ordinal`, in file order.
    pub fn pages(
        &self,
        source: &Arc<dyn Source>,
        ordinal: usize,
        leaf: LeafId,
        limits: &Limits,
    ) -> Result<Vec<PageMeta>> {
        let work = |walk: &mut Walk<'_>| walk.pages(ordinal, leaf);
        self.walk(source, (ordinal, leaf), limits, work)
    }

    /// What stands before each page of leaf `leaf` in row group `ordinal`, before a dictionary too, in file
    /// order.
    pub fn page_headers(
        &self,
        source: &Arc<dyn Source>,
        ordinal: usize,
        leaf: LeafId,
        limits: &Limits,
    ) -> Result<Vec<HeadedPage>> {
        let work = |walk: &mut Walk<'_>| {
            let chunk = self.chunk(ordinal, leaf)?;
            let (leaf, _) = self.leaf(leaf)?;
            walk.headers(readable(&chunk, leaf)?)
        };
        self.walk(source, (ordinal, leaf), limits, work)
    }

    fn walk<T>(
        &self,
        source: &Arc<dyn Source>,
        (ordinal, leaf): (usize, LeafId),
        limits: &Limits,
        work: impl FnOnce(&mut Walk<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut walk = Walk {
            file: self,
            window: Window::new(source.as_ref()),
            limits,
        };
        work(&mut walk).map_err(|error| {
            let error = error.at_path(source.name()).at_row_group(ordinal);
            match self.leaves().get(leaf.index()) {
                Some(leaf) => error.at_column(leaf.dotted_path()),
                None => error,
            }
        })
    }
}

struct Walk<'a> {
    file: &'a ParquetFile,
    window: Window<'a>,
    limits: &'a Limits,
}

impl Walk<'_> {
    fn pages(&mut self, ordinal: usize, leaf: LeafId) -> Result<Vec<PageMeta>> {
        let chunk = self.file.chunk(ordinal, leaf)?;
        let (leaf, trust) = self.file.leaf(leaf)?;
        let Some(&rows) = self.file.rows().get(ordinal) else {
            return Err(Error::invalid("there is no such row group"));
        };
        let meta = readable(&chunk, leaf)?;
        let size = self.window.size();
        let offsets = self.index(offset_index_range(&chunk, size), OffsetIndex::decode);
        let bounds = self.index(column_index_range(&chunk, size), ColumnIndex::decode);
        if let (Some(offsets), Some(bounds)) = (&offsets, &bounds)
            && let Ok(pages) = strides::indexed(offsets, bounds, rows, (leaf, &trust))
        {
            return Ok(pages);
        }
        let (mut pages, mut first) = (Vec::new(), Some(0));
        for (range, header) in self.headers(meta)? {
            if let Some(page) = strides::headed(&header, range, first, (leaf, &trust)) {
                first = page.rows.as_ref().map(|rows| rows.end);
                pages.push(page);
            }
        }
        if let Some(offsets) = &offsets {
            strides::place(&mut pages, offsets, rows);
        }
        if let [page] = &mut pages[..] {
            page.rows = Some(0..rows);
        }
        Ok(pages)
    }

    /// An index, if it is there and can be decoded.
    fn index<T>(
        &mut self,
        range: Option<Range<u64>>,
        decode: impl Fn(&bytes::Bytes, &Limits) -> Result<T>,
    ) -> Option<T> {
        let range = range?;
        let length = range.end - range.start;
        let bytes = self
            .window
            .read(range.start, length, self.limits.footer_bytes);
        decode(&bytes.ok()?, self.limits).ok()
    }

    /// The headers of a chunk's pages; the walk ends with the chunk's values.
    fn headers(&mut self, meta: &ColumnMetaData) -> Result<Vec<HeadedPage>> {
        let size = self.window.size();
        let range = padded_range(chunk_range(meta, size)?, self.file.writer(), size);
        let mut position = range.start;
        let mut values = u64::try_from(meta.num_values).unwrap_or(0);
        let mut pages = Vec::new();
        while position < range.end && values > 0 {
            let decode = |bytes: &[u8]| PageHeader::decode(bytes, self.limits);
            let (header, length) = self.window.decode(position, decode)?;
            let located = |message| Error::corrupt(message).at("PageHeader", position);
            let bytes = u64::try_from(header.compressed_page_size)
                .map_err(|_| located("a page of a negative size"))?;
            let end = position.saturating_add(length).saturating_add(bytes);
            if end > range.end {
                return Err(located("the page ends after its chunk"));
            }
            let slots = header.data_values().map_or(0, |(slots, _)| slots);
            values = values.saturating_sub(u64::try_from(slots).unwrap_or(0));
            pages.push((position..end, header));
            position = end;
        }
        Ok(pages)
    }
}

#[cfg(test)]
mod tests {
    use lith_format::parquet::encoding::{
        BoundaryOrder, Encoding, FieldRepetitionType, PageType, Type,
    };
    use lith_format::parquet::footer::{FileMetaData, MAGIC, Tail};
    use lith_format::parquet::index::PageLocation;
    use lith_format::parquet::page::DataPageHeader;
    use lith_format::parquet::row_group::{ColumnChunk, RowGroup};
    use lith_format::parquet::schema_element::SchemaElement;

    use super::*;
    use crate::source::BytesSource;

    /// The header of a page of `values` required values of which nothing is stored, and so many bytes.
    fn page(values: i32, bytes: i32) -> Vec<u8> {
        let header = PageHeader {
            page_type: PageType::DataPage,
            uncompressed_page_size: bytes,
            compressed_page_size: bytes,
            crc: None,
            data_page_header: Some(DataPageHeader {
                num_values: values,
                encoding: Encoding::Plain,
                definition_level_encoding: Encoding::Rle,
                repetition_level_encoding: Encoding::Rle,
                statistics: None,
            }),
            index_page_header: None,
            dictionary_page_header: None,
            data_page_header_v2: None,
        };
        let mut out = header.encode();
        out.extend(vec![0; bytes as usize]);
        out
    }

    /// A file of one leaf and one row group of `rows` rows, whose chunk is `body`; `edit` has its chunk.
    fn file(body: &[u8], rows: i64, edit: impl Fn(&mut ColumnChunk)) -> Arc<dyn Source> {
        let mut chunk = ColumnChunk {
            meta_data: Some(ColumnMetaData {
                physical_type: Type::Int32,
                num_values: rows,
                data_page_offset: 4,
                total_compressed_size: body.len() as i64,
                ..ColumnMetaData::default()
            }),
            ..ColumnChunk::default()
        };
        edit(&mut chunk);
        let node = |name: &str| SchemaElement {
            name: name.into(),
            ..SchemaElement::default()
        };
        let footer = FileMetaData {
            num_rows: rows,
            schema: vec![
                SchemaElement {
                    num_children: Some(1),
                    ..node("root")
                },
                SchemaElement {
                    physical_type: Some(Type::Int32),
                    repetition_type: Some(FieldRepetitionType::Required),
                    ..node("a")
                },
            ],
            row_groups: vec![RowGroup {
                columns: vec![chunk],
                num_rows: rows,
                ..RowGroup::default()
            }],
            ..FileMetaData::default()
        };
        let footer = footer.encode();
        let tail = Tail::encode(footer.len() as u32);
        let bytes = [&MAGIC[..], body, &footer, &tail].concat();
        Arc::new(BytesSource::new(bytes, "test"))
    }

    fn pages(source: &Arc<dyn Source>) -> Result<Vec<PageMeta>> {
        let limits = Limits::default();
        let file = ParquetFile::open(source, &limits).unwrap();
        file.pages(source, 0, LeafId(0), &limits)
    }

    #[test]
    fn without_an_index_every_header_is_read() {
        let (one, two) = (page(3, 100), page(4, 5000));
        let ends = [4 + one.len() as u64, 4 + (one.len() + two.len()) as u64];
        let source = file(&[one, two].concat(), 7, |_| {});
        let pages = pages(&source).unwrap();
        let ranges: Vec<_> = pages.iter().map(|page| page.range.clone()).collect();
        assert_eq!(ranges, [4..ends[0], ends[0]..ends[1]]);
        let rows: Vec<_> = pages.iter().map(|page| page.rows.clone()).collect();
        assert_eq!(rows, [Some(0..3), Some(3..7)]);
        assert_eq!(pages[1].stats.null_count, Some(0));
    }

    #[test]
    fn an_index_alone_needs_no_header() {
        let location = PageLocation {
            offset: 4,
            compressed_page_size: 8,
            first_row_index: 0,
        };
        let offsets = OffsetIndex {
            page_locations: vec![location],
            unencoded_byte_array_data_bytes: None,
        };
        let bounds = ColumnIndex {
            null_pages: vec![false],
            min_values: vec![vec![1, 0, 0, 0].into()],
            max_values: vec![vec![2, 0, 0, 0].into()],
            boundary_order: BoundaryOrder::Ascending,
            null_counts: None,
            repetition_level_histograms: None,
            definition_level_histograms: None,
            nan_counts: None,
        };
        let (offsets, bounds) = (offsets.encode(), bounds.encode());
        let body = [&[0xff; 8][..], &offsets, &bounds].concat();
        let source = file(&body, 7, |chunk| {
            chunk.offset_index_offset = Some(12);
            chunk.offset_index_length = Some(offsets.len() as i32);
            chunk.column_index_offset = Some(12 + offsets.len() as i64);
            chunk.column_index_length = Some(bounds.len() as i32);
        });
        let pages = pages(&source).unwrap();
        assert_eq!((&pages[0].range, &pages[0].rows), (&(4..12), &Some(0..7)));
        assert!(pages[0].stats.min.is_some() && pages.len() == 1);
    }

    #[test]
    fn what_is_no_page_is_an_error_that_says_where() {
        let mut cut = page(7, 100);
        cut.truncate(50);
        for body in [cut, vec![0xff; 30]] {
            let error = pages(&file(&body, 7, |_| {})).unwrap_err();
            assert_eq!(error.site().column.as_deref(), Some("a"));
            assert_eq!(error.site().row_group, Some(0));
        }
    }
}
