//! Writes the pages of a chunk: header, checksum, compressed body.
//!
//! ```text
//! dictionary  PageHeader | compressed(values)
//! v1          PageHeader | compressed(levels, values)
//! v2          PageHeader | levels | values, compressed where that makes them smaller
//! ```
// spec: README.md of parquet-format, "Data Pages"; the checksum covers what follows the header

use lith_format::compress::{Codec, compress};
use lith_format::error::{Error, Result};
use lith_format::parquet::encoding::{Encoding, PageType};
use lith_format::parquet::page::{
    DataPageHeader, DataPageHeaderV2, DictionaryPageHeader, PageHeader,
};

use crate::options::WriteOptions;

/// The pages of one column chunk.
pub(crate) struct Pages<'a> {
    options: &'a WriteOptions,
    /// The pages, end to end.
    pub(crate) bytes: Vec<u8>,
    /// What they would be without compression, headers included.
    pub(crate) uncompressed_bytes: i64,
    packed: Vec<u8>,
}

/// A data page before compression: `body` holds levels, then values.
pub(crate) struct DataPage<'a> {
    pub(crate) rows: usize,
    pub(crate) nulls: usize,
    pub(crate) encoding: Encoding,
    pub(crate) level_bytes: usize,
    pub(crate) body: &'a [u8],
}

impl<'a> Pages<'a> {
    /// No pages yet.
    pub(crate) fn new(options: &'a WriteOptions) -> Self {
        Pages {
            options,
            bytes: Vec::new(),
            uncompressed_bytes: 0,
            packed: Vec::new(),
        }
    }

    /// Appends the dictionary page.
    pub(crate) fn put_dictionary(&mut self, entries: usize, body: &[u8]) -> Result<()> {
        self.pack(body)?;
        let mut header = PageHeader::new(PageType::DictionaryPage);
        header.dictionary_page_header = Some(DictionaryPageHeader {
            num_values: size(entries)?,
            encoding: Encoding::Plain,
            is_sorted: None,
        });
        self.put(header, body.len())
    }

    /// Appends a data page and returns its bytes, header included.
    pub(crate) fn put_data(&mut self, page: &DataPage<'_>) -> Result<i32> {
        let start = self.bytes.len();
        let header = if self.options.parquet.data_page_v2 {
            self.pack_v2(page)?
        } else {
            self.pack(page.body)?;
            let mut header = PageHeader::new(PageType::DataPage);
            header.data_page_header = Some(DataPageHeader {
                num_values: size(page.rows)?,
                encoding: page.encoding,
                definition_level_encoding: Encoding::Rle,
                repetition_level_encoding: Encoding::Rle,
                statistics: None,
            });
            header
        };
        self.put(header, page.body.len())?;
        size(self.bytes.len() - start)
    }

    fn pack(&mut self, body: &[u8]) -> Result<()> {
        self.packed.clear();
        let (codec, level) = (self.options.codec, self.options.codec_level());
        compress(codec, level, body, &mut self.packed)
    }

    fn pack_v2(&mut self, page: &DataPage<'_>) -> Result<PageHeader> {
        let (levels, values) = page.body.split_at(page.level_bytes);
        self.packed.clear();
        self.packed.extend_from_slice(levels);
        let (codec, level) = (self.options.codec, self.options.codec_level());
        let mut is_compressed = codec != Codec::None && !values.is_empty();
        if is_compressed {
            compress(codec, level, values, &mut self.packed)?;
            is_compressed = self.packed.len() < page.body.len();
        }
        if !is_compressed {
            self.packed.truncate(levels.len());
            self.packed.extend_from_slice(values);
        }
        let mut header = PageHeader::new(PageType::DataPageV2);
        header.data_page_header_v2 = Some(DataPageHeaderV2 {
            num_values: size(page.rows)?,
            num_nulls: size(page.nulls)?,
            num_rows: size(page.rows)?,
            encoding: page.encoding,
            definition_levels_byte_length: size(levels.len())?,
            repetition_levels_byte_length: 0,
            is_compressed: Some(is_compressed),
            statistics: None,
        });
        Ok(header)
    }

    fn put(&mut self, mut header: PageHeader, uncompressed: usize) -> Result<()> {
        header.uncompressed_page_size = size(uncompressed)?;
        header.compressed_page_size = size(self.packed.len())?;
        let checksum = || crc32fast::hash(&self.packed) as i32;
        header.crc = self.options.parquet.checksums.then(checksum);
        let header = header.encode();
        self.uncompressed_bytes += (header.len() + uncompressed) as i64;
        self.bytes.extend_from_slice(&header);
        self.bytes.extend_from_slice(&self.packed);
        Ok(())
    }
}

/// Headers count in 32 signed bits.
fn size(value: usize) -> Result<i32> {
    i32::try_from(value).map_err(|_| Error::limit(format!("a page of {value} exceeds 2 GiB")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::limits::Limits;

    fn one_page(options: &WriteOptions, body: &[u8], level_bytes: usize) -> (PageHeader, Vec<u8>) {
        let mut pages = Pages::new(options);
        let page = DataPage {
            rows: 10,
            nulls: 10,
            encoding: Encoding::Plain,
            level_bytes,
            body,
        };
        let length = pages.put_data(&page).unwrap();
        assert_eq!(length as usize, pages.bytes.len());
        let (header, at) = PageHeader::decode(&pages.bytes, &Limits::default()).unwrap();
        assert_eq!(pages.uncompressed_bytes as usize, at + body.len());
        (header, pages.bytes[at..].to_vec())
    }

    #[test]
    fn a_second_generation_page_without_values_is_not_compressed() {
        let mut options = WriteOptions::default();
        options.parquet.data_page_v2 = true;
        let (header, body) = one_page(&options, &[20, 0], 2);
        let v2 = header.data_page_header_v2.unwrap();
        assert!(!v2.is_compressed());
        assert_eq!((v2.num_values, v2.num_nulls, v2.num_rows), (10, 10, 10));
        assert_eq!(body, [20, 0]);
        let (header, body) = one_page(&options, &[7; 1000], 2);
        assert!(header.data_page_header_v2.unwrap().is_compressed());
        assert!(body.len() < 100);
        assert_eq!(body[..2], [7, 7], "levels stay as they are");
    }

    #[test]
    fn the_checksum_is_of_the_bytes_in_the_file() {
        let mut options = WriteOptions::default();
        let (header, body) = one_page(&options, &[7; 1000], 0);
        assert_eq!(header.crc, Some(crc32fast::hash(&body) as i32));
        options.parquet.checksums = false;
        options.codec = Codec::None;
        let (header, body) = one_page(&options, &[7; 1000], 0);
        assert_eq!((header.crc, body.len()), (None, 1000));
    }
}
