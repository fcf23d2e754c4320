//! The headers of the pages of a Parquet column chunk, one after the other, without the pages.
//!
//! ```text
//! chunk   dictionary_page_offset, or data_page_offset  ->  total_compressed_size bytes on
//! page    header, compressed_page_size bytes that are passed over
//! ```
//! The walk ends with the chunk or with the first thing that is no header.
// spec: parquet.thrift, PageHeader

use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::parquet::cipher::ChunkCipher;
use lith_format::parquet::footer::MAGIC;
use lith_format::parquet::tree::{self, PAGE_HEADER};
use lith_format::tree::Node;
use lith_reader::parquet::PageCipher;
use lith_reader::window::Window;
use serde_json::{Map, Value, json};

/// How a page is counted whose header does not say its type.
const NO_TYPE: &str = "None";

/// How pages are counted when there are more types of them than [`TYPES`].
const OTHER_TYPES: &str = "others";
const TYPES: usize = 256;

/// The header of a page, and where it lies.
pub(super) struct Headed {
    pub offset: u64,
    pub length: u64,
    pub header: Node,
}

/// The headers of a chunk's pages, one after the other.
pub(super) struct PageHeaders<'a> {
    position: u64,
    end: u64,
    limits: &'a Limits,
    cipher: Option<PageCipher>,
    /// How many there were.
    pub count: u64,
    /// How many of each type.
    pub types: Map<String, Value>,
}

impl<'a> PageHeaders<'a> {
    /// Those of the chunk that `meta` tells of, decrypted with `cipher`.
    pub(super) fn new(
        meta: &Node,
        cipher: Option<ChunkCipher>,
        limits: &'a Limits,
    ) -> Result<Self> {
        let (position, end) = place(meta)?;
        let has_dictionary = meta.int("dictionary_page_offset").unwrap_or(0) > 0;
        Ok(PageHeaders {
            position,
            end,
            limits,
            cipher: cipher.map(|cipher| PageCipher::new(cipher, has_dictionary)),
            count: 0,
            types: Map::new(),
        })
    }

    /// The next header, and the error that ends the walk behind it, if there is one; neither at the end.
    pub(super) fn next(&mut self, window: &mut Window<'_>) -> (Option<Headed>, Option<Error>) {
        if self.position >= self.end {
            return (None, None);
        }
        let headed = match self.read(window) {
            Ok(headed) => headed,
            Err(error) => return (None, Some(error)),
        };
        self.add(&headed.header);
        if let Some(cipher) = &mut self.cipher {
            let kind = headed.header.get("type");
            cipher.advance(matches!(
                kind,
                Some(Node::Name("DATA_PAGE" | "DATA_PAGE_V2"))
            ));
        }
        let size = headed.header.int("compressed_page_size").unwrap_or(-1);
        let error = match u64::try_from(size) {
            Ok(size) => {
                let behind = self.position.saturating_add(headed.length);
                self.position = behind.saturating_add(size);
                None
            }
            Err(_) => {
                let error = Error::corrupt("a page without a size");
                Some(error.at(PAGE_HEADER.name(), self.position))
            }
        };
        (Some(headed), error)
    }

    fn read(&self, window: &mut Window<'_>) -> Result<Headed> {
        let offset = self.position;
        if offset < MAGIC.len() as u64 || offset >= window.size() {
            return Err(Error::corrupt(format!("no page can lie at {offset}")));
        }
        let decode = |bytes: &[u8]| tree::decode(bytes, &PAGE_HEADER, self.limits);
        let (header, length) = window.decode(offset, |bytes| match &self.cipher {
            None => decode(bytes),
            Some(cipher) => cipher.header(bytes, |plain| Ok(decode(plain)?.0)),
        })?;
        Ok(Headed {
            offset,
            length,
            header,
        })
    }

    fn add(&mut self, header: &Node) {
        self.count += 1;
        let mut name = match header.get("type") {
            Some(Node::Name(name)) => (*name).to_string(),
            Some(Node::Int(number)) => number.to_string(),
            _ => NO_TYPE.to_string(),
        };
        if self.types.len() >= TYPES && !self.types.contains_key(&name) {
            name = OTHER_TYPES.to_string();
        }
        let count = self.types.entry(name).or_insert_with(|| json!(0));
        *count = json!(count.as_u64().unwrap_or(0) + 1);
    }
}

/// Where a chunk begins and ends.
fn place(meta: &Node) -> Result<(u64, u64)> {
    let unsigned = |name: &str| {
        let value = meta.int(name).unwrap_or(-1);
        u64::try_from(value).map_err(|_| {
            Error::corrupt(format!("{name} is missing or negative")).at("ColumnMetaData", 0)
        })
    };
    let data = unsigned("data_page_offset")?;
    // some writers say 0 for none
    let start = match unsigned("dictionary_page_offset") {
        Ok(dictionary) if dictionary > 0 => data.min(dictionary),
        _ => data,
    };
    let size = unsigned("total_compressed_size")?;
    Ok((start, start.saturating_add(size)))
}
