//! Decrypts the pages of a column chunk front to back: which module comes next, and where it lies.
//!
//! ```text
//! dictionary header | dictionary | header 0 | data page 0 | header 1 | data page 1 | ..     each a module
//! V2, by parquet-java   levels in the clear | module of the values       else   module of levels and values
//! ```
// spec: Encryption.md, "Encrypted module serialization"

use bytes::Bytes;
use lith_format::error::{Error, Result};
use lith_format::parquet::cipher::{ChunkCipher, Module};
use lith_format::parquet::column_metadata::ColumnMetaData;

/// Where in a chunk the next page is.
#[derive(Debug, Clone)]
pub struct PageCipher {
    chunk: ChunkCipher,
    /// Whether the next page is a dictionary.
    at_dictionary: bool,
    /// How many data pages came before.
    data_pages: usize,
}

impl PageCipher {
    /// Before the first page of a chunk, which is a dictionary or not.
    pub fn new(chunk: ChunkCipher, has_dictionary: bool) -> Self {
        PageCipher {
            chunk,
            at_dictionary: has_dictionary,
            data_pages: 0,
        }
    }

    /// The cipher at the first page of the chunk with the metadata `meta`.
    pub(super) fn of(chunk: ChunkCipher, meta: &ColumnMetaData) -> Self {
        let dictionary = meta.dictionary_page_offset.unwrap_or(0);
        Self::new(chunk, dictionary > 0)
    }

    /// What `decode` makes of the next page's header, which begins `bytes`, and how many bytes its module has.
    pub fn header<T>(
        &self,
        bytes: &[u8],
        decode: impl FnOnce(&Bytes) -> Result<T>,
    ) -> Result<(T, usize)> {
        let module = match self.at_dictionary {
            true => Module::DictionaryPageHeader,
            false => Module::DataPageHeader(self.data_pages),
        };
        self.chunk.decode(module, bytes, decode)
    }

    /// Goes on behind the page whose header was decoded, and answers with what its bytes are encrypted.
    pub fn advance(&mut self, is_data: bool) -> PageModule {
        let module = match self.at_dictionary {
            true => Module::DictionaryPage,
            false => Module::DataPage(self.data_pages),
        };
        self.at_dictionary = false;
        self.data_pages += usize::from(is_data);
        PageModule {
            chunk: self.chunk.clone(),
            module,
        }
    }
}

/// How the bytes of a page are encrypted.
#[derive(Debug, Clone)]
pub struct PageModule {
    chunk: ChunkCipher,
    module: Module,
}

impl PageModule {
    /// The page that `bytes` are, decrypted into `out`.
    pub(super) fn open(&self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let length = self.chunk.open(self.module, bytes, out)?;
        match bytes.len() - length {
            0 => Ok(()),
            more => {
                let message = format!("{more} bytes follow the encrypted page");
                Err(Error::corrupt(message))
            }
        }
    }

    /// The same of a page V2 whose levels have `levels` bytes, which may be in the clear.
    pub(super) fn open_v2(&self, bytes: &[u8], levels: usize, out: &mut Vec<u8>) -> Result<()> {
        match bytes.split_at_checked(levels) {
            Some((levels, values)) if !ChunkCipher::fills(bytes) => {
                self.open(values, out)?;
                out.splice(..0, levels.iter().copied());
                Ok(())
            }
            _ => self.open(bytes, out),
        }
    }
}
