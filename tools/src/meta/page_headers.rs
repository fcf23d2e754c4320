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
use lith_format::parquet::footer::MAGIC;
use lith_format::parquet::tree::{self, PAGE_HEADER};
use lith_format::tree::Node;
use lith_reader::window::Window;
use serde_json::{Map, Value, json};

use super::json as to_json;

/// How a page is counted whose header does not say its type.
const NO_TYPE: &str = "None";

/// The headers of a chunk's pages, as far as they were met.
#[derive(Default)]
pub(super) struct PageHeaders {
    pub headers: Vec<Value>,
    /// How many there are of each type.
    pub types: Map<String, Value>,
}

impl PageHeaders {
    /// Adds the headers of the chunk that `meta` tells of; those before an error stay.
    pub(super) fn walk(
        &mut self,
        meta: &Node,
        window: &mut Window<'_>,
        limits: &Limits,
    ) -> Result<()> {
        let (mut position, end) = place(meta)?;
        while position < end {
            if position < MAGIC.len() as u64 || position >= window.size() {
                return Err(Error::corrupt(format!("no page can lie at {position}")));
            }
            let decode = |bytes: &[u8]| tree::decode(bytes, &PAGE_HEADER, limits);
            let (header, length) = window.decode(position, decode)?;
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
