//! Walks the page headers of a Parquet column chunk as trees, for `lith meta`; pages are not read.
//!
//! ```text
//! chunk   dictionary_page_offset, or data_page_offset  ->  total_compressed_size bytes on
//! page    header, compressed_page_size bytes that are skipped
//! ```
//! The walk ends with the chunk or at the first header that cannot be decoded.
// spec: parquet.thrift, PageHeader

use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::parquet::cipher::ChunkCipher;
use lith_format::parquet::footer::MAGIC;
use lith_format::parquet::tree::{self, PAGE_HEADER, Shape};
use lith_format::tree::{FieldValues, Node};
use lith_reader::parquet::PageCipher;
use lith_reader::window::Window;
use serde_json::{Map, Value, json};

/// The type under which pages without one are counted.
const NO_TYPE: &str = "None";

/// The type under which pages are counted once there are [`TYPES`] types.
const OTHER_TYPES: &str = "others";
const TYPES: usize = 256;

/// A page header and its place.
pub(super) struct Headed {
    pub offset: u64,
    pub length: u64,
    /// The header's bytes, decrypted; they are known to decode.
    pub bytes: Vec<u8>,
    kind: Option<Node>,
    size: Option<Node>,
}

/// The bytes of a structure that is known to decode, and what some of its fields hold.
pub(super) type Header<const N: usize> = (Vec<u8>, [Option<Node>; N]);

/// Decodes the structure of this shape at the start of `bytes`; also returns its length.
pub(super) fn header<const N: usize>(
    bytes: &[u8],
    shape: &'static Shape,
    names: [&'static str; N],
    limits: &Limits,
) -> Result<(Header<N>, usize)> {
    let mut values = FieldValues::new(names);
    let length = tree::emit(bytes, shape, limits, &mut |event| {
        values.add(event);
        Ok(())
    })?;
    let bytes = bytes.get(..length).unwrap_or_default();
    Ok(((bytes.to_vec(), values.finish()), length))
}

/// A walk over the page headers of a chunk.
pub(super) struct PageHeaders<'a> {
    position: u64,
    end: u64,
    limits: &'a Limits,
    cipher: Option<PageCipher>,
    /// Pages so far.
    pub count: u64,
    /// Pages of each type so far.
    pub types: Map<String, Value>,
}

impl<'a> PageHeaders<'a> {
    /// The pages of the chunk with the metadata `meta`, decrypted with `cipher`.
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

    /// The next header, and the error that ends the walk after it, if any; neither at the end.
    pub(super) fn next(&mut self, window: &mut Window<'_>) -> (Option<Headed>, Option<Error>) {
        if self.position >= self.end {
            return (None, None);
        }
        let headed = match self.read(window) {
            Ok(headed) => headed,
            Err(error) => return (None, Some(error)),
        };
        self.add(headed.kind.as_ref());
        if let Some(cipher) = &mut self.cipher {
            cipher.advance(matches!(
                headed.kind,
                Some(Node::Name("DATA_PAGE" | "DATA_PAGE_V2"))
            ));
        }
        let size = match headed.size {
            Some(Node::Int(size)) => size,
            _ => -1,
        };
        let error = match u64::try_from(size) {
            Ok(size) => {
                let behind = self.position.saturating_add(headed.length);
                self.position = behind.saturating_add(size);
                None
            }
            Err(_) => {
                let error = Error::corrupt("compressed_page_size is missing or negative");
                Some(error.at(PAGE_HEADER.name(), self.position))
            }
        };
        (Some(headed), error)
    }

    fn read(&self, window: &mut Window<'_>) -> Result<Headed> {
        let offset = self.position;
        if offset < MAGIC.len() as u64 || offset >= window.size() {
            return Err(Error::corrupt(format!(
                "page offset {offset} is outside of the file"
            )));
        }
        let names = ["type", "compressed_page_size"];
        let decode = |bytes: &[u8]| header(bytes, &PAGE_HEADER, names, self.limits);
        let ((bytes, [kind, size]), length) =
            window.decode(offset, |bytes| match &self.cipher {
                None => decode(bytes),
                Some(cipher) => cipher.header(bytes, |plain| Ok(decode(plain)?.0)),
            })?;
        Ok(Headed {
            offset,
            length,
            bytes,
            kind,
            size,
        })
    }

    fn add(&mut self, kind: Option<&Node>) {
        self.count += 1;
        let mut name = match kind {
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

/// The first and the end offset of a chunk.
fn place(meta: &Node) -> Result<(u64, u64)> {
    let unsigned = |name: &str| {
        let value = meta.int(name).unwrap_or(-1);
        u64::try_from(value).map_err(|_| {
            Error::corrupt(format!("{name} is missing or negative")).at("ColumnMetaData", 0)
        })
    };
    let data = unsigned("data_page_offset")?;
    // some writers store 0 for none
    let start = match unsigned("dictionary_page_offset") {
        Ok(dictionary) if dictionary > 0 => data.min(dictionary),
        _ => data,
    };
    let size = unsigned("total_compressed_size")?;
    Ok((start, start.saturating_add(size)))
}
