//! The pages of a column chunk, one at a time, from the page headers and the two page indexes; no value is
//! decoded.
//!
//! ```text
//! indexes   4..14      14..24   24..34      place, rows and bounds of data pages
//! headers   4..14  !                        the pages in front; a broken header ends them
//! walk      4..14  !   14..24   24..34
//! ```
//! A column index is used only with a valid offset index; an offset index alone gives rows as long as it
//! agrees with the headers. Without either, rows are counted from the headers where the leaf is flat. An
//! index that contradicts itself or the row group is ignored.
// spec: PageIndex.md

use std::iter;
use std::ops::Range;

use bytes::Bytes;
use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::parquet::cipher::Module;
use lith_format::parquet::column_metadata::ColumnMetaData;
use lith_format::parquet::index::{ColumnIndex, OffsetIndex};
use lith_format::parquet::neutral::{
    chunk_range, column_index_range, offset_index_range, padded_range,
};
use lith_format::parquet::page::PageHeader;
use lith_format::parquet::stats::Trust;
use lith_format::parquet::strides::{Indexes, PageMeta, Place};
use lith_format::schema::LeafId;

use crate::column::Stride;
use crate::parquet::chunk::OpenChunk;
use crate::parquet::file::ParquetFile;
use crate::parquet::page_cipher::PageCipher;
use crate::source::Source;
use crate::window::Window;

/// The header of a page, and the range of the page in the file, header included.
type LocatedHeader = (Range<u64>, PageHeader);

/// A page, as its header and the indexes describe it.
#[derive(Debug)]
pub struct Page {
    /// Where its header and bytes lie in the file.
    pub range: Range<u64>,
    /// Its header; none for a page that only the indexes know, behind a broken header.
    pub header: Option<PageHeader>,
    /// Rows and statistics, if it is a data page.
    pub data: Option<PageMeta>,
}

impl ParquetFile {
    /// Walks the pages of the file's chunks.
    pub fn walk<'a>(&'a self, source: &'a dyn Source, limits: &'a Limits) -> PageWalk<'a> {
        PageWalk {
            file: self,
            source,
            window: Window::new(source),
            limits,
        }
    }

    /// The pages of a leaf in row group `ordinal`; none if its chunk lacks one of the two page indexes.
    pub(crate) fn strides(
        &self,
        source: &dyn Source,
        ordinal: usize,
        leaf: LeafId,
    ) -> Result<Vec<Stride>> {
        let chunk = self.open_chunk(ordinal, leaf.index())?;
        let mut walk = self.walk(source, &self.limits);
        let Known::Both(indexes) = walk.known(&chunk, walk.rows(ordinal)?) else {
            return Ok(Vec::new());
        };
        let (_, trust) = self.leaf(leaf)?;
        let pages = (0..).map_while(|page| indexes.page(page, &trust));
        let stride = |PageMeta { rows, stats, .. }| Some(Stride { rows: rows?, stats });
        Ok(pages.filter_map(stride).collect())
    }
}

/// Walks the pages of column chunks. The bytes read by one walk are limited by the size of the file.
pub struct PageWalk<'a> {
    file: &'a ParquetFile,
    source: &'a dyn Source,
    window: Window<'a>,
    limits: &'a Limits,
}

impl<'a> PageWalk<'a> {
    /// All pages of leaf `leaf` in row group `ordinal`, in file order, dictionary pages included. A header that
    /// cannot be decoded yields an error in place of its page; after it, only pages that both indexes describe
    /// follow.
    ///
    /// # Errors
    /// A chunk that cannot be read at all: encrypted, in another file, or without metadata.
    pub fn chunk(
        &mut self,
        ordinal: usize,
        leaf: LeafId,
    ) -> Result<impl Iterator<Item = Result<Page>> + use<'_, 'a>> {
        let pages = self.chunk_pages(ordinal, leaf);
        let mut pages = pages.map_err(|error| self.locate(error, ordinal, leaf))?;
        Ok(iter::from_fn(move || {
            let page = pages.next(self)?;
            Some(page.map_err(|error| self.locate(error, ordinal, leaf)))
        }))
    }

    fn chunk_pages(&mut self, ordinal: usize, leaf: LeafId) -> Result<ChunkPages<'a>> {
        let chunk = self.file.open_chunk(ordinal, leaf.index())?;
        let (leaf, trust) = self.file.leaf(leaf)?;
        let meta = chunk.readable(leaf)?;
        let headers = Headers::new(&chunk, meta, self);
        let rows = self.rows(ordinal)?;
        Ok(ChunkPages {
            known: self.known(&chunk, rows),
            headers: Peeked::new(headers),
            trust,
            rows,
            data_pages: 0,
            first_row: Some(0),
        })
    }

    fn rows(&self, ordinal: usize) -> Result<u64> {
        let rows = self.file.rows().get(ordinal);
        rows.copied()
            .ok_or_else(|| Error::invalid("there is no such row group"))
    }

    /// Reads the indexes of a chunk.
    fn known(&mut self, open: &OpenChunk, rows: u64) -> Known {
        let (size, chunk) = (self.window.size(), &open.chunk);
        let offsets = (offset_index_range(chunk, size), Module::OffsetIndex);
        let offsets = self.index(offsets, open, OffsetIndex::decode);
        let bounds = (column_index_range(chunk, size), Module::ColumnIndex);
        let bounds = self.index(bounds, open, ColumnIndex::decode);
        let offsets = offsets.filter(|offsets| offsets.validate(rows).is_ok());
        let Some(offsets) = offsets else {
            return Known::Nothing;
        };
        let pages = offsets.page_locations.len();
        match bounds.filter(|bounds| bounds.validate(pages).is_ok()) {
            Some(bounds) => Known::Both(Indexes {
                offsets,
                bounds,
                rows,
            }),
            None => Known::Offsets(offsets),
        }
    }

    /// An index, if there is one that can be decoded.
    fn index<T>(
        &mut self,
        (range, module): (Option<Range<u64>>, Module),
        chunk: &OpenChunk,
        decode: impl Fn(&Bytes, &Limits) -> Result<T>,
    ) -> Option<T> {
        let range = range?;
        let length = range.end - range.start;
        let bytes = self
            .window
            .read(range.start, length, self.limits.footer_bytes);
        let bytes = bytes.ok()?;
        let decode = |bytes: &Bytes| decode(bytes, self.limits);
        let index = match &chunk.cipher {
            None => decode(&bytes),
            Some(cipher) => cipher
                .decode(module, &bytes, decode)
                .map(|(index, _)| index),
        };
        index.ok()
    }

    fn locate(&self, error: Error, ordinal: usize, leaf: LeafId) -> Error {
        let error = error.at_path(self.source.name()).at_row_group(ordinal);
        match self.file.leaf_name(leaf) {
            Some(name) => error.at_column(name),
            None => error,
        }
    }
}

/// The valid indexes of a chunk.
enum Known {
    /// Places, rows and statistics.
    Both(Indexes),
    /// Places and rows.
    Offsets(OffsetIndex),
    Nothing,
}

/// The headers of a chunk's pages, up to the chunk's number of values.
struct Headers {
    position: u64,
    end: u64,
    values: u64,
    cipher: Option<PageCipher>,
}

impl Headers {
    fn new(chunk: &OpenChunk, meta: &ColumnMetaData, walk: &PageWalk<'_>) -> Result<Self> {
        let size = walk.window.size();
        let range = padded_range(chunk_range(meta, size)?, walk.file.writer(), size);
        Ok(Headers {
            position: range.start,
            end: range.end,
            values: u64::try_from(meta.num_values).unwrap_or(0),
            cipher: chunk.page_cipher(meta),
        })
    }

    fn next(&mut self, walk: &mut PageWalk<'_>) -> Option<Result<LocatedHeader>> {
        (self.position < self.end && self.values > 0).then(|| {
            let page = self.read(walk);
            if page.is_err() {
                self.position = self.end;
            }
            page
        })
    }

    fn read(&mut self, walk: &mut PageWalk<'_>) -> Result<LocatedHeader> {
        let position = self.position;
        let decode = |bytes: &[u8]| PageHeader::decode(bytes, walk.limits);
        let cipher = &mut self.cipher;
        let (header, length) = walk.window.decode(position, |bytes| match &cipher {
            None => decode(bytes),
            Some(cipher) => cipher.header(bytes, |plain| Ok(decode(plain)?.0)),
        })?;
        if let Some(cipher) = cipher {
            cipher.advance(header.is_data());
        }
        let located = |message| Error::corrupt(message).at("PageHeader", position);
        let bytes = u64::try_from(header.compressed_page_size)
            .map_err(|_| located("a page of a negative size"))?;
        let end = position.saturating_add(length).saturating_add(bytes);
        if end > self.end {
            return Err(located("the page ends after its chunk"));
        }
        let slots = header.data_values().map_or(0, |(slots, _)| slots);
        self.values = self
            .values
            .saturating_sub(u64::try_from(slots).unwrap_or(0));
        self.position = end;
        Ok((position..end, header))
    }
}

/// Page headers with a look-ahead of one.
struct Peeked {
    headers: Option<Headers>,
    next: Option<Result<LocatedHeader>>,
}

impl Peeked {
    /// If the chunk's range is invalid, that error is the only item.
    fn new(headers: Result<Headers>) -> Self {
        match headers {
            Ok(headers) => Peeked {
                headers: Some(headers),
                next: None,
            },
            Err(error) => Peeked {
                headers: None,
                next: Some(Err(error)),
            },
        }
    }

    fn peek(&mut self, walk: &mut PageWalk<'_>) -> Option<&Result<LocatedHeader>> {
        if self.next.is_none() {
            self.next = self.headers.as_mut().and_then(|headers| headers.next(walk));
        }
        self.next.as_ref()
    }
}

/// The position of a walk within a chunk.
struct ChunkPages<'a> {
    known: Known,
    headers: Peeked,
    trust: Trust<'a>,
    rows: u64,
    /// Data pages so far.
    data_pages: usize,
    /// The first row of the next data page, if it is known without an index.
    first_row: Option<u64>,
}

impl ChunkPages<'_> {
    fn next(&mut self, walk: &mut PageWalk<'_>) -> Option<Result<Page>> {
        let indexed = self.indexed();
        let start = indexed.as_ref().map(|page| page.range.start);
        let headed = match (self.headers.peek(walk), start) {
            // the indexes describe a page before it
            (Some(Ok((range, _))), Some(start)) if range.start > start => None,
            (Some(_), _) => self.headers.next.take(),
            (None, _) => None,
        };
        let (range, header) = match headed {
            Some(Ok(headed)) => headed,
            Some(Err(error)) => return Some(Err(error)),
            None => {
                let data = indexed?;
                self.data_pages += 1;
                return Some(Ok(Page {
                    range: data.range.clone(),
                    header: None,
                    data: Some(data),
                }));
            }
        };
        let data = match indexed.filter(|page| page.range.start == range.start) {
            Some(page) => Some(page),
            None if matches!(self.known, Known::Both(_)) => None,
            None => self.by_header(&header, range.clone(), walk),
        };
        self.data_pages += usize::from(data.is_some());
        Some(Ok(Page {
            range: data.as_ref().map_or(range, |data| data.range.clone()),
            header: Some(header),
            data,
        }))
    }

    /// The next data page, if the indexes know it.
    fn indexed(&self) -> Option<PageMeta> {
        match &self.known {
            Known::Both(indexes) => indexes.page(self.data_pages, &self.trust),
            _ => None,
        }
    }

    /// A data page by its header, with rows from the offset index as long as both agree on where pages begin.
    fn by_header(
        &mut self,
        header: &PageHeader,
        range: Range<u64>,
        walk: &mut PageWalk<'_>,
    ) -> Option<PageMeta> {
        let start = range.start;
        let mut page = PageMeta::of_header(header, range, self.first_row, &self.trust)?;
        self.first_row = page.rows.as_ref().map(|rows| rows.end);
        if let Known::Offsets(offsets) = &self.known {
            let place = Place::of(offsets, self.rows, self.data_pages);
            match place.filter(|place| place.range.start == start) {
                Some(place) => page.rows = Some(place.rows),
                None => self.known = Known::Nothing,
            }
        }
        if self.data_pages == 0 && self.headers.peek(walk).is_none() {
            page.rows = Some(0..self.rows);
        }
        Some(page)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
            uncompressed_page_size: bytes,
            compressed_page_size: bytes,
            data_page_header: Some(DataPageHeader {
                num_values: values,
                encoding: Encoding::Plain,
                definition_level_encoding: Encoding::Rle,
                repetition_level_encoding: Encoding::Rle,
                statistics: None,
            }),
            ..PageHeader::new(PageType::DataPage)
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

    /// All pages of the chunk, or the first error.
    fn pages(source: &Arc<dyn Source>) -> Result<Vec<Page>> {
        let limits = Limits::default();
        let file = ParquetFile::open(source, &limits).unwrap();
        let mut walk = file.walk(source.as_ref(), &limits);
        walk.chunk(0, LeafId(0))?.collect()
    }

    #[test]
    fn without_an_index_every_header_is_read() {
        let (one, two) = (page(3, 100), page(4, 5000));
        let ends = [4 + one.len() as u64, 4 + (one.len() + two.len()) as u64];
        let source = file(&[one, two].concat(), 7, |_| {});
        let pages = pages(&source).unwrap();
        let ranges: Vec<_> = pages.iter().map(|page| page.range.clone()).collect();
        assert_eq!(ranges, [4..ends[0], ends[0]..ends[1]]);
        let data: Vec<_> = pages.iter().filter_map(|page| page.data.as_ref()).collect();
        let rows: Vec<_> = data.iter().map(|page| page.rows.clone()).collect();
        assert_eq!(rows, [Some(0..3), Some(3..7)]);
        assert_eq!(data[1].stats.null_count, Some(0));
    }

    /// Both indexes of pages, of which place, size and first row are given.
    fn indexes(pages: &[(i64, i32, i64)]) -> (OffsetIndex, ColumnIndex) {
        let location =
            |&(offset, compressed_page_size, first_row_index): &(i64, i32, i64)| PageLocation {
                offset,
                compressed_page_size,
                first_row_index,
            };
        let bounds = |low: u8| vec![Bytes::from(vec![low, 0, 0, 0]); pages.len()];
        let offsets = OffsetIndex {
            page_locations: pages.iter().map(location).collect(),
            unencoded_byte_array_data_bytes: None,
        };
        let bounds = ColumnIndex {
            null_pages: vec![false; pages.len()],
            min_values: bounds(1),
            max_values: bounds(2),
            boundary_order: BoundaryOrder::Ascending,
            null_counts: None,
            repetition_level_histograms: None,
            definition_level_histograms: None,
            nan_counts: None,
        };
        (offsets, bounds)
    }

    /// A file of seven rows whose chunk is `body` and, behind it, these indexes.
    fn indexed(
        body: &[u8],
        offsets: &OffsetIndex,
        bounds: Option<&ColumnIndex>,
    ) -> Arc<dyn Source> {
        let (offsets, bounds) = (offsets.encode(), bounds.map(ColumnIndex::encode));
        let place = MAGIC.len() + body.len();
        let bytes = bounds.clone().unwrap_or_default();
        let whole = [body, &offsets, &bytes].concat();
        file(&whole, 7, |chunk| {
            let meta = chunk.meta_data.as_mut().unwrap();
            meta.total_compressed_size = body.len() as i64;
            chunk.offset_index_offset = Some(place as i64);
            chunk.offset_index_length = Some(offsets.len() as i32);
            let bounds = bounds.as_ref();
            chunk.column_index_offset = bounds.map(|_| (place + offsets.len()) as i64);
            chunk.column_index_length = bounds.map(|bounds| bounds.len() as i32);
        })
    }

    /// Where a page begins, its rows, and whether its header was decoded; `None` for an error.
    type Walked = Option<(u64, Option<Range<u64>>, bool)>;

    /// All items of a walk.
    fn walked(source: &Arc<dyn Source>) -> Vec<Walked> {
        let limits = Limits::default();
        let file = ParquetFile::open(source, &limits).unwrap();
        let mut walk = file.walk(source.as_ref(), &limits);
        let pages = walk.chunk(0, LeafId(0)).unwrap();
        let page = |page: Page| {
            let rows = page.data.and_then(|data| data.rows);
            (page.range.start, rows, page.header.is_some())
        };
        pages.map(|found| found.ok().map(page)).collect()
    }

    #[test]
    fn a_walk_merges_indexes_and_headers() {
        let (one, two) = (page(3, 100), page(4, 5));
        let second = 4 + one.len() as u64;
        let (first, all) = (one.len(), [&one[..], &two].concat());
        let places = [(4, first as i32, 0), (second as i64, two.len() as i32, 3)];
        let (offsets, bounds) = indexes(&places);
        let both = [
            Some((4, Some(0..3), true)),
            Some((second, Some(3..7), true)),
        ];
        let by_headers = file(&all, 7, |_| {});
        for source in [
            &by_headers,
            &indexed(&all, &offsets, None),
            &indexed(&all, &offsets, Some(&bounds)),
        ] {
            assert_eq!(walked(source), both);
        }
        // the second header is broken
        let mut broken = all.clone();
        broken[first] = 0xff;
        let known = indexed(&broken, &offsets, Some(&bounds));
        let [start, error] = [both[0].clone(), None];
        let rest = Some((second, Some(3..7), false));
        assert_eq!(walked(&known), [start.clone(), error.clone(), rest]);
        let unknown = indexed(&broken, &offsets, None);
        assert_eq!(walked(&unknown), [start, error]);
        // a page that no index knows, before those that it knows
        let (offsets, bounds) = indexes(
            &places[1..]
                .iter()
                .map(|&(a, b, _)| (a, b, 0))
                .collect::<Vec<_>>(),
        );
        let later = walked(&indexed(&all, &offsets, Some(&bounds)));
        assert_eq!(
            later,
            [Some((4, None, true)), Some((second, Some(0..7), true))]
        );
        // an index of other pages gives no rows
        let (offsets, _) = indexes(&[(5, 9, 0), (second as i64, 9, 1)]);
        assert_eq!(walked(&indexed(&all, &offsets, None)), both);
        assert_eq!(
            walked(&file(&page(7, 9), 9, |_| {})),
            [Some((4, Some(0..9), true))]
        );
    }

    #[test]
    fn a_column_index_that_contradicts_itself_says_nothing_of_any_page() {
        let (one, two) = (page(3, 100), page(4, 5));
        let places = [
            (4, one.len() as i32, 0),
            (4 + one.len() as i64, two.len() as i32, 3),
        ];
        let body = [&one[..], &two].concat();
        let (offsets, mut bounds) = indexes(&places);
        let stats = |bounds: &ColumnIndex| {
            let pages = pages(&indexed(&body, &offsets, Some(bounds))).unwrap();
            let data = pages.into_iter().filter_map(|page| page.data);
            data.map(|page| (page.rows, page.stats.min.is_some(), page.stats.all_null()))
                .collect::<Vec<_>>()
        };
        let expected = |bounded| [0..3, 3..7].map(|rows| (Some(rows), bounded, false));
        assert_eq!(stats(&bounds), expected(true));
        // nothing but nulls, of which there is none
        bounds.null_pages[1] = true;
        bounds.null_counts = Some(vec![0, 0]);
        assert_eq!(stats(&bounds), expected(false));
    }

    #[test]
    fn a_broken_header_is_an_error_with_its_site() {
        let mut cut = page(7, 100);
        cut.truncate(50);
        for body in [cut, vec![0xff; 30]] {
            let error = pages(&file(&body, 7, |_| {})).unwrap_err();
            assert_eq!(error.site().column.as_deref(), Some("a"));
            assert_eq!(error.site().row_group, Some(0));
        }
    }
}
