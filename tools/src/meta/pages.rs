//! The headers of the pages of a Parquet column chunk, one after the other, without the pages.
//!
//! ```text
//! chunk   dictionary_page_offset, or data_page_offset  ->  total_compressed_size bytes on
//! page    header, compressed_page_size bytes that are passed over
//! ```
//! The walk ends with the chunk or with the first thing that is no header. What is read in all is held against
//! the size of the file: chunks that point to the same bytes over and over are cut short.
//!
//! spec: parquet.thrift, PageHeader

use bytes::Bytes;
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::parquet::footer::MAGIC;
use lith_format::parquet::tree::{self, PAGE_HEADER, Shape};
use lith_format::tree::Node;
use lith_reader::source::Source;
use serde_json::{Map, Value, json};

use super::json as to_json;
use super::parquet::again;

/// How much is read at first where a structure does not say how long it is.
const FIRST_READ: u64 = 1 << 10;

/// How long such a structure may be.
const MAX_HEADER: u64 = 16 << 20;

/// How many times a file's size, and how much beyond, may be read: pieces overlap where structures are small.
const READS: u64 = 16;
const READS_BEYOND: u64 = 1 << 20;

/// How a page is counted whose header does not say its type.
const NO_TYPE: &str = "None";

/// The headers of a chunk.
pub(super) struct Pages {
    pub headers: Vec<Value>,
    /// How many there are of each type.
    pub types: Map<String, Value>,
    /// Why there are not more.
    pub error: Option<Error>,
}

/// Walks over the pages of the chunk that `meta` tells of, unless there is a reason not to.
pub(super) fn pages(meta: &Node, absence: Option<&Error>, cursor: &mut Cursor) -> Pages {
    let mut pages = Pages {
        headers: Vec::new(),
        types: Map::new(),
        error: None,
    };
    let walked = match absence {
        Some(absence) => Err(again(absence)),
        None => pages.walk(meta, cursor),
    };
    pages.error = walked.err();
    pages
}

impl Pages {
    fn walk(&mut self, meta: &Node, cursor: &mut Cursor) -> Result<()> {
        let (mut position, end) = place(meta)?;
        while position < end {
            if position < MAGIC.len() as u64 || position >= cursor.source.size() {
                return Err(Error::corrupt(format!("no page can lie at {position}")));
            }
            let (header, length) = cursor.structure(position, &PAGE_HEADER)?;
            let size = header.int("compressed_page_size").unwrap_or(-1);
            self.push(position, length, header);
            let size = u64::try_from(size).map_err(|_| {
                Error::corrupt("a page without a size").at(PAGE_HEADER.name(), position)
            })?;
            position = position.saturating_add(length).saturating_add(size);
        }
        Ok(())
    }

    fn push(&mut self, offset: u64, length: u64, header: Node) {
        let name = match header.get("type") {
            Some(Node::Name(name)) => (*name).to_string(),
            Some(Node::Int(number)) => number.to_string(),
            _ => NO_TYPE.to_string(),
        };
        let count = self.types.entry(name).or_insert_with(|| json!(0));
        *count = json!(count.as_u64().unwrap_or(0) + 1);
        self.headers.push(json!({
            "offset": offset,
            "header_length": length,
            "header": to_json(header),
        }));
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

/// Reads structures anywhere in a file.
pub(super) struct Cursor<'a> {
    source: &'a dyn Source,
    limits: &'a Limits,
    /// What may still be read.
    left: u64,
    /// The last piece that was read for a structure of unknown length, and where it lies.
    window: (u64, Bytes),
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a dyn Source, limits: &'a Limits) -> Self {
        Cursor {
            source,
            limits,
            left: source
                .size()
                .saturating_mul(READS)
                .saturating_add(READS_BEYOND),
            window: (0, Bytes::new()),
        }
    }

    pub(super) fn limits(&self) -> &'a Limits {
        self.limits
    }

    fn spend(&mut self, bytes: u64) -> Result<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Error::limit("chunks point to the same bytes too often")),
        }
    }

    /// The `length` bytes at `offset`.
    pub(super) fn read(&mut self, offset: u64, length: u64) -> Result<Bytes> {
        let end = offset.saturating_add(length);
        if end > self.source.size() {
            let message = format!("{length} bytes at {offset} are not within the file");
            return Err(Error::truncated(message));
        }
        self.spend(length)?;
        let length = Limits::check(length, self.limits.page_bytes, "structure")?;
        self.source.read_at(offset, length)
    }

    /// The structure at `offset`, which says by itself how long it is, and its length.
    pub(super) fn structure(&mut self, offset: u64, shape: &'static Shape) -> Result<(Node, u64)> {
        let mut size = FIRST_READ;
        let mut bytes = self.in_window(offset);
        loop {
            match tree::decode(&bytes, shape, self.limits) {
                Ok((node, length)) => {
                    self.spend(length as u64)?;
                    return Ok((node, length as u64));
                }
                Err(error) => {
                    let room = self.source.size().saturating_sub(offset).min(MAX_HEADER);
                    if error.kind() != ErrorKind::Truncated || bytes.len() as u64 >= room {
                        return Err(error.rebase(offset));
                    }
                    let more = size.min(room);
                    self.spend(more)?;
                    bytes = self.source.read_at(offset, more as usize)?;
                    self.window = (offset, bytes.clone());
                    size *= 4;
                }
            }
        }
    }

    /// What the window has from `offset` on.
    fn in_window(&self, offset: u64) -> Bytes {
        let (start, bytes) = &self.window;
        let from = offset.checked_sub(*start);
        let from = from.and_then(|from| usize::try_from(from).ok());
        match from.filter(|from| *from < bytes.len()) {
            Some(from) => bytes.slice(from..),
            None => Bytes::new(),
        }
    }
}
