//! Walks the pages of a column chunk: finds them by their headers, and opens those that are wanted.
//!
//! ```text
//! chunk  | PageHeader | compressed_page_size bytes | PageHeader | .. |
//! V1     compressed( levels values )        V2  levels compressed( values )
//! ```
//!
//! Finding a page costs its header alone. Opening it verifies the checksum, where there is one, and
//! decompresses into a buffer that serves again once no view points into it; what is not compressed is
//! borrowed. Encrypted pages are decrypted first, into a buffer of their own; their checksum covers the encrypted
//! bytes. Sizes that a header declares are checked against the limits and the bytes of the chunk.
// spec: parquet.thrift, PageHeader, DataPageHeaderV2; README.md, "Checksumming"

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use lith_format::compress::{Codec, decompress};
use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::parquet::encoding::{Encoding, PageType};
use lith_format::parquet::page::{DataPageHeader, DataPageHeaderV2, PageHeader};

use crate::column::ReadContext;
use crate::metrics::{Metrics, Stage, Timer};
use crate::parquet::levels::{Levels, MaxLevels};
use crate::parquet::page_cipher::{PageCipher, PageModule};
use crate::source::Source;

/// The pages of a chunk, front to back. The chunk is read when its first page is asked for.
pub(crate) struct Pages {
    source: Arc<dyn Source>,
    range: Range<u64>,
    codec: Codec,
    context: ReadContext,
    cipher: Option<PageCipher>,
    chunk: Option<Bytes>,
    position: usize,
    /// The buffer of the page decrypted last.
    decrypted: Bytes,
    /// The buffer of the page opened last.
    buffer: Bytes,
}

/// A page that was found and not yet opened.
#[derive(Debug)]
pub(crate) struct Page {
    header: PageHeader,
    body: Bytes,
    /// How the body is encrypted, if it is.
    module: Option<PageModule>,
    /// Where the body starts in the file.
    offset: u64,
}

/// Where a page is, for errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    structure: &'static str,
    offset: u64,
}

impl Place {
    /// Adds the place to an error that has none.
    pub(crate) fn locate(self, error: Error) -> Error {
        error.at(self.structure, self.offset)
    }
}

/// The kind of a page, by its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    /// The number of values and nulls, and of rows if the header states it and no row continues in the next page.
    Data { entries: usize, rows: Option<usize> },
    /// The number of entries.
    Dictionary { entries: usize },
}

/// A data page, decompressed and divided.
#[derive(Debug)]
pub(crate) struct DataPage {
    pub(crate) levels: Levels,
    pub(crate) encoding: Encoding,
    pub(crate) values: Bytes,
}

impl Pages {
    /// The pages that lie in `range` of `source`.
    pub(crate) fn new(
        source: Arc<dyn Source>,
        range: Range<u64>,
        codec: Codec,
        context: ReadContext,
    ) -> Self {
        Pages {
            source,
            range,
            codec,
            context,
            cipher: None,
            chunk: None,
            position: 0,
            decrypted: Bytes::new(),
            buffer: Bytes::new(),
        }
    }

    /// The same pages, decrypted with `cipher`, if there is one.
    pub(crate) fn decrypted_by(mut self, cipher: Option<PageCipher>) -> Self {
        self.cipher = cipher;
        self
    }

    /// Where to count.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.context.metrics
    }

    fn limits(&self) -> &Limits {
        &self.context.limits
    }

    /// Finds the next data or dictionary page; other pages are skipped. `None` at the chunk's end.
    pub(crate) fn next(&mut self) -> Result<Option<Page>> {
        let chunk = self.load()?;
        while self.position < chunk.len() {
            let start = self.range.start + self.position as u64;
            let located = |error: Error| error.at("PageHeader", 0).rebase(start);
            let (header, len) = self.header(&chunk[self.position..]).map_err(located)?;
            let from = self.position + len;
            let size = non_negative(header.compressed_page_size).map_err(located)?;
            if size > chunk.len() - from {
                return Err(located(Error::truncated(format!(
                    "page of {size} bytes, {} left in the chunk",
                    chunk.len() - from
                ))));
            }
            self.position = from + size;
            let is_data = header.is_data();
            let module = self.cipher.as_mut().map(|cipher| cipher.advance(is_data));
            if is_data || header.page_type == PageType::DictionaryPage {
                return Ok(Some(Page {
                    header,
                    body: chunk.slice(from..from + size),
                    module,
                    offset: self.range.start + from as u64,
                }));
            }
        }
        Ok(None)
    }

    /// The header that begins `bytes`, and how many of them are its own.
    fn header(&self, bytes: &[u8]) -> Result<(PageHeader, usize)> {
        let decode = |bytes: &[u8]| PageHeader::decode(bytes, self.limits());
        match &self.cipher {
            None => decode(bytes),
            Some(cipher) => cipher.header(bytes, |plain| Ok(decode(plain)?.0)),
        }
    }

    fn load(&mut self) -> Result<Bytes> {
        if let Some(chunk) = &self.chunk {
            return Ok(chunk.clone());
        }
        let size = self.range.end - self.range.start;
        let len = Limits::check(size, self.limits().chunk_bytes, "column chunk")?;
        let timer = Timer::start();
        let chunk = self.source.read_at(self.range.start, len)?;
        timer.stop(&self.context.metrics, Stage::Read);
        self.context.metrics.bytes_read.add(size);
        self.chunk = Some(chunk.clone());
        Ok(chunk)
    }

    /// The entries of a dictionary page, in PLAIN.
    pub(crate) fn open_dictionary(&mut self, page: &Page) -> Result<Bytes> {
        let encoding = page
            .header
            .dictionary_page_header
            .map(|header| header.encoding);
        match encoding {
            Some(Encoding::Plain | Encoding::PlainDictionary) => {}
            other => {
                return Err(page.located(Error::unsupported(format!("dictionary in {other:?}"))));
            }
        }
        let size = self.verify(page)?;
        let body = self.decrypt(page, |module, body, out| module.open(body, out));
        body.and_then(|body| self.inflate(self.codec, body, size))
            .map_err(|error| page.located(error))
    }

    /// A data page of a leaf with levels up to `max`.
    pub(crate) fn open_data(&mut self, page: &Page, max: MaxLevels) -> Result<DataPage> {
        let size = self.verify(page)?;
        let opened = match (
            &page.header.data_page_header,
            &page.header.data_page_header_v2,
        ) {
            (Some(header), _) if page.header.page_type == PageType::DataPage => {
                self.open_v1(header, page, size, max)
            }
            (_, Some(header)) => self.open_v2(header, page, size, max),
            _ => Err(Error::corrupt("data page without its header")),
        };
        self.context.metrics.pages_decoded.add(1);
        opened.map_err(|error| page.located(error))
    }

    /// Holds the page against its checksum and the limits; answers its declared uncompressed size.
    fn verify(&self, page: &Page) -> Result<usize> {
        if let Some(expected) = page.header.crc {
            let timer = Timer::start();
            let found = crc32fast::hash(&page.body);
            timer.stop(&self.context.metrics, Stage::Read);
            if found != expected as u32 {
                return Err(page.located(Error::corrupt("page does not match its checksum")));
            }
        }
        let size = non_negative(page.header.uncompressed_page_size)
            .and_then(|size| Limits::check(size as u64, self.limits().page_bytes, "page"));
        size.map_err(|error| page.located(error))
    }

    fn open_v1(
        &mut self,
        header: &DataPageHeader,
        page: &Page,
        size: usize,
        max: MaxLevels,
    ) -> Result<DataPage> {
        let body = self.decrypt(page, |module, body, out| module.open(body, out))?;
        let mut values = self.inflate(self.codec, body, size)?;
        let entries = non_negative(header.num_values)?;
        let encodings = [
            header.definition_level_encoding,
            header.repetition_level_encoding,
        ];
        Ok(DataPage {
            levels: Levels::split_v1(&mut values, max, encodings, entries)?,
            encoding: header.encoding,
            values,
        })
    }

    fn open_v2(
        &mut self,
        header: &DataPageHeaderV2,
        page: &Page,
        size: usize,
        max: MaxLevels,
    ) -> Result<DataPage> {
        let repetition = non_negative(header.repetition_levels_byte_length)?;
        let definition = non_negative(header.definition_levels_byte_length)?;
        let levels = repetition.saturating_add(definition);
        let open =
            |module: &PageModule, body: &[u8], out: &mut _| module.open_v2(body, levels, out);
        let mut body = self.decrypt(page, open)?;
        if levels > body.len() || levels > size {
            return Err(Error::corrupt(format!(
                "levels of {levels} bytes in a page of {}",
                body.len().min(size)
            )));
        }
        let mut repetition_levels = body.split_to(levels);
        let definition_levels = repetition_levels.split_off(repetition);
        let codec = if header.is_compressed() {
            self.codec
        } else {
            Codec::None
        };
        Ok(DataPage {
            levels: Levels::v2(repetition_levels, definition_levels, max)?,
            encoding: header.encoding,
            values: self.inflate(codec, body, size - levels)?,
        })
    }

    /// The bytes of a page as they were before they were encrypted, if they are: by `open`, into a buffer.
    fn decrypt(
        &mut self,
        page: &Page,
        open: impl FnOnce(&PageModule, &[u8], &mut Vec<u8>) -> Result<()>,
    ) -> Result<Bytes> {
        let Some(module) = &page.module else {
            return Ok(page.body.clone());
        };
        let mut buffer = reclaim(std::mem::take(&mut self.decrypted));
        let timer = Timer::start();
        open(module, &page.body, &mut buffer)?;
        timer.stop(&self.context.metrics, Stage::Read);
        self.decrypted = buffer.into();
        Ok(self.decrypted.clone())
    }

    /// `body` decompressed to exactly `size` bytes.
    fn inflate(&mut self, codec: Codec, body: Bytes, size: usize) -> Result<Bytes> {
        let bytes = if codec == Codec::None {
            body
        } else {
            let mut buffer = reclaim(std::mem::take(&mut self.buffer));
            let timer = Timer::start();
            decompress(codec, &body, size, &mut buffer)?;
            let metrics = &self.context.metrics;
            timer.stop(metrics, Stage::Decompress);
            metrics.bytes_decompressed.add(buffer.len() as u64);
            self.buffer = buffer.into();
            self.buffer.clone()
        };
        if bytes.len() == size {
            Ok(bytes)
        } else {
            Err(Error::corrupt(format!(
                "page of {} bytes declares {size}",
                bytes.len()
            )))
        }
    }
}

impl Page {
    /// What the header says.
    pub(crate) fn kind(&self) -> Result<PageKind> {
        let header = &self.header;
        let count = match header.page_type {
            PageType::DataPage => header.data_page_header.as_ref().map(|h| h.num_values),
            PageType::DataPageV2 => header.data_page_header_v2.as_ref().map(|h| h.num_values),
            _ => header.dictionary_page_header.as_ref().map(|h| h.num_values),
        };
        let count = count
            .ok_or_else(|| Error::corrupt(format!("{} without its header", header.page_type)))
            .and_then(non_negative)
            .map_err(|error| self.located(error))?;
        let rows = match (header.page_type, &header.data_page_header_v2) {
            (PageType::DataPageV2, Some(header)) => usize::try_from(header.num_rows).ok(),
            _ => None,
        };
        Ok(match header.page_type {
            PageType::DictionaryPage => PageKind::Dictionary { entries: count },
            _ => PageKind::Data {
                entries: count,
                rows,
            },
        })
    }

    /// Where it is.
    pub(crate) fn place(&self) -> Place {
        Place {
            structure: self.header.page_type.name(),
            offset: self.offset,
        }
    }

    /// Adds the page's place to an error.
    pub(crate) fn located(&self, error: Error) -> Error {
        self.place().locate(error)
    }
}

fn non_negative(size: i32) -> Result<usize> {
    usize::try_from(size).map_err(|_| Error::corrupt(format!("a size of {size}")))
}

/// The memory of `buffer`, if nothing else refers to it.
fn reclaim(buffer: Bytes) -> Vec<u8> {
    match buffer.try_into_mut() {
        Ok(mut buffer) => {
            buffer.clear();
            buffer.into()
        }
        Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::levels::Validity;
    use crate::parquet::testing::{Chunk, Style};
    use lith_format::error::ErrorKind;

    const PLAIN: Style = Style {
        encoding: Encoding::Plain,
        v2: false,
        crc: true,
    };

    const REQUIRED: MaxLevels = MaxLevels {
        definition: 0,
        repetition: 0,
    };

    fn only_page(chunk: Chunk, optional: bool) -> Result<DataPage> {
        let mut pages = chunk.pages(&ReadContext::default());
        let page = pages.next()?.expect("a page");
        let max = MaxLevels {
            definition: u8::from(optional),
            ..REQUIRED
        };
        let opened = pages.open_data(&page, max)?;
        assert!(pages.next()?.is_none());
        Ok(opened)
    }

    fn chunk(codec: Codec) -> Chunk {
        Chunk {
            codec,
            ..Chunk::default()
        }
    }

    #[test]
    fn index_and_unknown_pages_are_passed_over() {
        let mut chunk = chunk(Codec::None);
        chunk.page(PageHeader::new(PageType::IndexPage), &[], b"index", true);
        chunk.page(PageHeader::new(PageType::Unknown(25)), &[], b"future", true);
        chunk.data(1, None, &[7, 0, 0, 0], PLAIN);
        assert_eq!(only_page(chunk, false).unwrap().values, &[7, 0, 0, 0][..]);
    }

    #[test]
    fn a_wrong_checksum_is_corrupt_before_anything_is_decoded() {
        for codec in [Codec::None, Codec::Snappy] {
            let mut chunk = chunk(codec);
            chunk.data(2, None, &[7; 8], PLAIN);
            *chunk.bytes.last_mut().unwrap() ^= 1;
            let error = only_page(chunk, false).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert_eq!(error.site().structure, Some("DATA_PAGE"));
        }
    }

    #[test]
    fn v2_levels_are_outside_of_compression_which_each_page_may_refuse() {
        for refuse in [false, true] {
            let mut chunk = chunk(Codec::Snappy);
            let mut v2 = PageHeader::new(PageType::DataPageV2);
            v2.data_page_header_v2 = Some(DataPageHeaderV2 {
                num_values: 2,
                num_nulls: 1,
                num_rows: 2,
                encoding: Encoding::Plain,
                definition_levels_byte_length: 2,
                repetition_levels_byte_length: 1,
                is_compressed: refuse.then_some(false),
                statistics: None,
            });
            chunk.page(v2, &[0xee, 3, 1], &[9; 40], !refuse);
            let page = only_page(chunk, true).unwrap();
            assert_eq!(page.values, &[9; 40][..]);
            let mut validity = Validity::new(page.levels);
            assert_eq!(validity.skip(2).unwrap(), 1);
        }
    }

    #[test]
    fn a_v2_page_of_nulls_may_have_no_section_to_decompress() {
        let mut chunk = chunk(Codec::Zstd);
        let style = Style { v2: true, ..PLAIN };
        chunk.data(10, Some(&[false; 10]), &[], style);
        let page = only_page(chunk, true).unwrap();
        assert!(page.values.is_empty());
    }

    #[test]
    fn sizes_must_be_true() {
        let lie = |edit: fn(&mut PageHeader), codec| {
            let mut bytes = Chunk::default();
            bytes.data(2, None, &[7; 8], PLAIN);
            let (mut header, len) = PageHeader::decode(&bytes.bytes, &Limits::default()).unwrap();
            header.crc = None;
            edit(&mut header);
            let mut lying = chunk(codec);
            lying.bytes = header.encode();
            lying.bytes.extend(&bytes.bytes[len..]);
            only_page(lying, false).unwrap_err().kind()
        };
        let longer = |header: &mut PageHeader| header.uncompressed_page_size = 9;
        let negative = |header: &mut PageHeader| header.compressed_page_size = -1;
        let beyond = |header: &mut PageHeader| header.compressed_page_size = 9;
        let huge = |header: &mut PageHeader| header.uncompressed_page_size = i32::MAX;
        assert_eq!(lie(longer, Codec::None), ErrorKind::Corrupt);
        assert_eq!(lie(negative, Codec::None), ErrorKind::Corrupt);
        assert_eq!(lie(beyond, Codec::None), ErrorKind::Truncated);
        assert_eq!(lie(huge, Codec::Snappy), ErrorKind::LimitExceeded);
    }

    /// What a page of `body` under `codec` holds, that declares `size` bytes.
    fn decompressed(codec: Codec, body: &[u8], size: i32) -> Result<Bytes> {
        let mut stored = Chunk::default();
        stored.data(2, None, body, PLAIN);
        let (mut header, len) = PageHeader::decode(&stored.bytes, &Limits::default()).unwrap();
        header.uncompressed_page_size = size;
        let mut framed = chunk(codec);
        framed.bytes = [&header.encode(), &stored.bytes[len..]].concat();
        only_page(framed, false).map(|page| page.values)
    }

    #[test]
    fn pages_are_exactly_as_long_as_they_say() {
        let codecs = [
            Codec::None,
            Codec::Snappy,
            Codec::Gzip,
            Codec::Zstd,
            Codec::Lz4,
        ];
        for codec in codecs {
            let mut body = Vec::new();
            match codec {
                Codec::None => body.extend([7; 8]),
                codec => lith_format::compress::compress(codec, None, &[7; 8], &mut body).unwrap(),
            }
            assert_eq!(decompressed(codec, &body, 8).unwrap(), &[7; 8][..]);
            for wrong in [0, 6, 10] {
                let error = decompressed(codec, &body, wrong).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Corrupt, "{codec:?} {wrong}");
            }
        }
    }

    #[test]
    fn lzo_pages_are_in_hadoop_s_framing() {
        // a run of eight literals and the end of the block
        let block = [25, 1, 0, 0, 0, 2, 0, 0, 0, 0x11, 0, 0];
        let framed = [&[0, 0, 0, 8, 0, 0, 0, 12], &block[..]].concat();
        let values = decompressed(Codec::LzoHadoop, &framed, 8).unwrap();
        assert_eq!(values, &[1, 0, 0, 0, 2, 0, 0, 0][..]);
        for (body, size) in [
            (&framed[..], 9),
            (&framed[..], 7),
            (&framed[..19], 8),
            (&block, 8),
        ] {
            let error = decompressed(Codec::LzoHadoop, body, size).unwrap_err();
            assert!(matches!(
                error.kind(),
                ErrorKind::Corrupt | ErrorKind::Truncated
            ));
        }
    }

    #[test]
    fn gzip_pages_may_be_of_several_members() {
        let mut members = Vec::new();
        for part in [[1, 0, 0, 0], [2, 0, 0, 0]] {
            lith_format::compress::compress(Codec::Gzip, None, &part, &mut members).unwrap();
        }
        let values = decompressed(Codec::Gzip, &members, 8).unwrap();
        assert_eq!(values, &[1, 0, 0, 0, 2, 0, 0, 0][..]);
        assert!(decompressed(Codec::Gzip, &members, 4).is_err());
    }

    #[test]
    fn buffers_serve_again_once_nothing_points_into_them() {
        let context = ReadContext::default();
        let mut both = chunk(Codec::Snappy);
        both.data(1000, None, &[7; 4000], PLAIN);
        both.data(1000, None, &[8; 4000], PLAIN);
        let mut pages = both.pages(&context);
        let first = pages.next().unwrap().unwrap();
        let place = {
            let opened = pages.open_data(&first, REQUIRED).unwrap();
            opened.values.as_ptr()
        };
        let second = pages.next().unwrap().unwrap();
        let opened = pages.open_data(&second, REQUIRED).unwrap();
        assert_eq!(opened.values.as_ptr(), place);
        assert_eq!(context.metrics.bytes_decompressed.get(), 8000);
        assert_eq!(context.metrics.pages_decoded.get(), 2);
    }
}
