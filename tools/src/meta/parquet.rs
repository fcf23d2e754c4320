//! The metadata of a Parquet file: its footer, and the page headers, indexes and Bloom filter header of every
//! column chunk.
//!
//! ```text
//! { footer_length, footer, chunks: [ { row_group, column, pages: [..], page_count, page_types, column_index,
//!   offset_index, bloom_filter_header, bloom_filter_bitset_offset, bloom_filter_bitset_sha256, has_..,
//!   statistics_decoded, .._error } ] }
//! ```
//! A part of a chunk that cannot be read, or is encrypted, becomes an `.._error` of that chunk; the rest is shown.
//! An encrypted footer is shown as `file_crypto_metadata` and `footer_error`. Of the bits of a Bloom filter, the
//! offset and the SHA-256 are shown.
// spec: parquet.thrift; PageIndex.md; BloomFilter.md; Encryption.md

use std::sync::Arc;

use bytes::Bytes;
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::parquet::bound;
use lith_format::parquet::cipher::{ChunkCipher, MODULE_BYTES, MODULE_HEAD, Module};
use lith_format::parquet::footer::{FileMetaData, TAIL_BYTES, Tail};
use lith_format::parquet::schema::{self, Leaf};
use lith_format::parquet::tree::{self, Shape};
use lith_format::schema::LeafId;
use lith_format::tree::{Elements, EventSink, Node};
use lith_reader::keys::Decryption;
use lith_reader::parquet::{FooterBytes, ParquetFile};
use lith_reader::source::Source;
use lith_reader::window::Window;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::page_headers::{Headed, PageHeaders, header};
use super::{Shown, digits, part, print_tree, value_json};
use crate::failure::Failed;
use crate::output::{Part, Printer};

pub(super) fn print(
    source: &Arc<dyn Source>,
    decryption: &Decryption,
    limits: &Limits,
    shown: &Shown,
    out: &mut dyn Printer,
) -> Result<Failed> {
    let read = match FooterBytes::read(source.as_ref(), decryption, limits) {
        Err(error) if error.kind() == ErrorKind::Encrypted => {
            print_locked(source.as_ref(), &error, limits, out)?;
            return Err(error);
        }
        read => read?,
    };
    let bytes = &read.bytes;
    let file = match &decryption.keys {
        None => None,
        Some(_) => Some(ParquetFile::open_columns(source, None, decryption, limits)?),
    };
    let footer = |to: &mut EventSink<'_>| tree::emit(bytes, &tree::FILE_META_DATA, limits, to);
    // a footer that cannot be decoded is not shown
    footer(&mut |_| Ok(())).map_err(|error| error.rebase(read.start))?;
    let leaves = leaves(bytes, limits).unwrap_or_default();
    begin(read.range.end - read.range.start, out)?;
    out.part(Part::Name("footer"))?;
    footer(&mut |event| part(event, out))?;
    out.part(Part::Name("chunks"))?;
    out.part(Part::BeginList)?;
    let mut printer = ChunkPrinter {
        window: Window::new(source.as_ref()),
        file: file.as_ref(),
        limits,
        out,
        site: (0, String::new()),
        elsewhere: false,
        failed: Failed::default(),
    };
    let room = tree::room(bytes.len(), limits);
    let path = ["row_groups", "columns"];
    let mut chunks = Elements::new(&path, room, |places: &[usize], chunk| {
        let number = places.last().copied().unwrap_or(0);
        match shown.has(u32::try_from(number).unwrap_or(u32::MAX)) {
            true => printer.print_chunk(places, &chunk, leaves.get(number)),
            false => Ok(()),
        }
    });
    footer(&mut |event| chunks.add(event))?;
    let failed = printer.failed;
    out.part(Part::EndList)?;
    out.part(Part::EndObject)?;
    Ok(failed)
}

fn begin(footer_length: u64, out: &mut dyn Printer) -> Result<()> {
    out.part(Part::BeginObject)?;
    out.members(&json!({
        "schema_version": 1,
        "format": "parquet",
        "footer_length": footer_length,
    }))
}

/// Prints the readable part of an encrypted footer, and the error of the rest.
fn print_locked(
    source: &dyn Source,
    error: &Error,
    limits: &Limits,
    out: &mut dyn Printer,
) -> Result<()> {
    let size = source.size();
    let last = source.read_at(size.saturating_sub(TAIL_BYTES as u64), TAIL_BYTES)?;
    let place = Tail::decode(&last, size, limits)?.footer;
    let length = place.end - place.start;
    let bytes = source.read_at(place.start, length as usize)?;
    let Ok((mut crypto, _)) = tree::decode(&bytes, &tree::FILE_CRYPTO_META_DATA, limits) else {
        return Ok(());
    };
    let text = match crypto.get("key_metadata") {
        Some(Node::Bytes(key)) => readable(key),
        _ => None,
    };
    if let (Some(text), Node::Object(fields)) = (text, &mut crypto) {
        fields.push(("key_metadata_text".into(), Node::Text(text)));
    }
    begin(length, out)?;
    out.part(Part::Name("file_crypto_metadata"))?;
    print_tree(crypto, out)?;
    out.members(&json!({"footer_error": error.to_string()}))?;
    out.part(Part::EndObject)
}

/// Bytes that are printable text.
fn readable(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_readable = !text.is_empty() && !text.contains(char::is_control);
    is_readable.then(|| bytes.to_vec())
}

/// The leaves, to decode bounds with; where the schema is invalid, bounds stay bytes.
fn leaves(bytes: &Bytes, limits: &Limits) -> Result<Vec<Leaf>> {
    let elements = FileMetaData::decode_schema(bytes, limits)?;
    schema::decode(&elements, limits).map(|(_, leaves)| leaves)
}

/// Prints what the file holds of its column chunks outside of the footer and the pages.
struct ChunkPrinter<'a> {
    window: Window<'a>,
    /// The file as it is read with keys, if there are any.
    file: Option<&'a ParquetFile>,
    limits: &'a Limits,
    out: &'a mut dyn Printer,
    /// The row group and the column that are printed.
    site: (usize, String),
    /// Whether they are in another file: that nothing of them is in this one is as it should be.
    elsewhere: bool,
    failed: Failed,
}

impl ChunkPrinter<'_> {
    /// Prints a chunk as one object.
    fn print_chunk(&mut self, places: &[usize], chunk: &Node, leaf: Option<&Leaf>) -> Result<()> {
        let chunk = &self.chunk(places, chunk);
        let name = leaf.map(Leaf::dotted_path).unwrap_or_default();
        self.site = (places.first().copied().unwrap_or(0), name);
        self.elsewhere = is_elsewhere(chunk.node);
        self.out.part(Part::BeginObject)?;
        for (name, place) in ["row_group", "column"].iter().zip(places) {
            self.member(name, (*place).into())?;
        }
        self.print_pages(chunk)?;
        self.print_index(chunk, "column_index", COLUMN_INDEX)?;
        self.print_index(chunk, "offset_index", OFFSET_INDEX)?;
        self.print_bloom_filter(chunk)?;
        if let Some(values) = leaf.and_then(|leaf| statistics(chunk.meta(), leaf)) {
            self.member("statistics_decoded", values.into())?;
        }
        if let Some(meta) = &chunk.decrypted {
            self.out.part(Part::Name("meta_data"))?;
            print_tree(meta.clone(), self.out)?;
        }
        self.out.part(Part::EndObject)
    }

    /// Prints the page headers up to the first error.
    fn print_pages(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let headers = || PageHeaders::new(chunk.meta(), chunk.cipher.clone(), self.limits);
        let headers = chunk.check_readable().and_then(|()| headers());
        let (mut count, mut types, mut failed) = (0, Map::new(), None);
        self.out.part(Part::Name("pages"))?;
        self.out.part(Part::BeginList)?;
        match headers {
            Err(error) => failed = Some(error),
            Ok(mut headers) => {
                while failed.is_none() {
                    let (headed, error) = headers.next(&mut self.window);
                    failed = error;
                    match headed {
                        Some(headed) => self.print_page(headed)?,
                        None => break,
                    }
                }
                (count, types) = (headers.count, headers.types);
            }
        }
        self.out.part(Part::EndList)?;
        self.member("page_count", count.into())?;
        self.member("page_types", types.into())?;
        self.note("page_error", failed)
    }

    fn print_page(&mut self, page: Headed) -> Result<()> {
        self.out.part(Part::BeginObject)?;
        self.member("offset", page.offset.into())?;
        self.member("header_length", page.length.into())?;
        self.out.part(Part::Name("header"))?;
        self.print(&page.bytes, &tree::PAGE_HEADER)?;
        self.out.part(Part::EndObject)
    }

    fn print_index(&mut self, chunk: &Chunk<'_>, name: &str, index: Index) -> Result<()> {
        let bytes = self.index(chunk, name, index);
        let is_there = matches!(bytes, Ok(Some(_)));
        self.member(&format!("has_{name}"), is_there.into())?;
        match bytes {
            Ok(None) => Ok(()),
            Ok(Some(bytes)) => {
                self.out.part(Part::Name(name))?;
                self.print(&bytes, index.0)
            }
            Err(error) => self.note(&format!("{name}_error"), Some(error)),
        }
    }

    fn print_bloom_filter(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let bloom = self.bloom_filter(chunk);
        let is_there = matches!(bloom, Ok(Some(_)));
        self.member("has_bloom_filter", is_there.into())?;
        match bloom {
            Ok(None) => Ok(()),
            Ok(Some((header, bits))) => {
                self.out.part(Part::Name("bloom_filter_header"))?;
                self.print(&header, &tree::BLOOM_FILTER_HEADER)?;
                self.out.members(&bits)
            }
            Err(error) => self.note("bloom_filter_error", Some(error)),
        }
    }

    /// Prints a structure that is known to decode.
    fn print(&mut self, bytes: &[u8], shape: &'static Shape) -> Result<()> {
        let printed = tree::emit(bytes, shape, self.limits, &mut |event| {
            part(event, self.out)
        });
        printed.map(|_| ())
    }

    fn member(&mut self, name: &str, value: Value) -> Result<()> {
        self.out.part(Part::Name(name))?;
        self.out.value(&value)
    }

    /// Prints an error, if there is one, and counts it.
    fn note(&mut self, name: &str, error: Option<Error>) -> Result<()> {
        let Some(error) = error else {
            return Ok(());
        };
        self.member(name, error.to_string().into())?;
        if self.elsewhere {
            return Ok(());
        }
        let (row_group, column) = &self.site;
        let located = error.at_column(column.as_str()).at_row_group(*row_group);
        self.failed.add(located);
        Ok(())
    }

    /// The bytes of the index called `name`, decrypted, if the chunk has one; they are known to decode.
    fn index(
        &mut self,
        chunk: &Chunk<'_>,
        name: &str,
        (shape, module): Index,
    ) -> Result<Option<Bytes>> {
        let Some(offset) = chunk.node.int(&format!("{name}_offset")) else {
            return Ok(None);
        };
        chunk.check_readable()?;
        let length = chunk.node.int(&format!("{name}_length")).unwrap_or(-1);
        let (Ok(offset), Ok(length)) = (u64::try_from(offset), u64::try_from(length)) else {
            let message = format!("index of {length} bytes at offset {offset}");
            return Err(Error::corrupt(message).at(shape.name(), 0));
        };
        let bytes = self.window.read(offset, length, self.limits.footer_bytes)?;
        let limits = self.limits;
        let check = |bytes: &Bytes| {
            tree::emit(bytes, shape, limits, &mut |_| Ok(())).map(|_| bytes.clone())
        };
        let checked = match &chunk.cipher {
            None => check(&bytes),
            Some(cipher) => cipher.decode(module, &bytes, check).map(|(plain, _)| plain),
        };
        checked.map(Some).map_err(|error| error.rebase(offset))
    }

    /// The header of the Bloom filter, and the offset and digest of its bits, if the chunk has one.
    fn bloom_filter(&mut self, chunk: &Chunk<'_>) -> Result<Option<(Vec<u8>, Value)>> {
        let Some(offset) = chunk.meta().int("bloom_filter_offset") else {
            return Ok(None);
        };
        chunk.check_readable()?;
        let shape = &tree::BLOOM_FILTER_HEADER;
        let corrupt = |message: String| Error::corrupt(message).at(shape.name(), 0);
        let offset = u64::try_from(offset)
            .map_err(|_| corrupt(format!("Bloom filter offset {offset} is negative")))?;
        let decode = |bytes: &[u8]| header(bytes, shape, ["numBytes"], self.limits);
        let ((header, [bits]), length) =
            self.window.decode(offset, |bytes| match &chunk.cipher {
                None => decode(bytes),
                Some(cipher) => cipher.decode(Module::BloomFilterHeader, bytes, |plain| {
                    decode(plain).map(|(header, _)| header)
                }),
            })?;
        let bits = match bits {
            Some(Node::Int(bits)) => bits,
            _ => -1,
        };
        let bits =
            u64::try_from(bits).map_err(|_| corrupt(format!("Bloom filter of {bits} bytes")))?;
        let place = offset.saturating_add(length);
        let (place, digest) = match &chunk.cipher {
            None => (place, self.digest(place, bits)?),
            Some(cipher) => {
                let head = MODULE_HEAD as u64;
                (
                    place.saturating_add(head),
                    self.digest_encrypted(cipher, place, bits)?,
                )
            }
        };
        let bits = json!({
            "bloom_filter_bitset_offset": place,
            "bloom_filter_bitset_sha256": digest,
        });
        Ok(Some((header, bits)))
    }

    /// The SHA-256 of `length` bytes at `offset`.
    fn digest(&mut self, offset: u64, length: u64) -> Result<String> {
        const PIECE: usize = 1 << 20;
        let length = Limits::check(length, self.limits.page_bytes, "filter")?;
        let mut digest = Sha256::new();
        for start in (0..length).step_by(PIECE) {
            let (place, piece) = (
                offset.saturating_add(start as u64),
                PIECE.min(length - start),
            );
            digest.update(self.window.read(place, piece as u64, PIECE)?);
        }
        Ok(digits(&digest.finalize()))
    }

    /// The SHA-256 of the `bits` bytes in the module at `offset`.
    fn digest_encrypted(&mut self, cipher: &ChunkCipher, offset: u64, bits: u64) -> Result<String> {
        let length = bits.saturating_add(MODULE_BYTES as u64);
        let limit = self.limits.page_bytes;
        let bytes = self.window.read(offset, length, limit)?;
        let mut plain = Vec::new();
        let opened = cipher.open(Module::BloomFilterBitset, &bytes, &mut plain);
        opened.map_err(|error| error.rebase(offset))?;
        match plain.len() as u64 == bits {
            true => Ok(digits(&Sha256::digest(&plain))),
            false => {
                let message = format!("{} bytes of a filter of {bits}", plain.len());
                Err(Error::corrupt(message).at("BloomFilterBitset", offset))
            }
        }
    }

    /// The chunk with the entry `node`, decrypted if there is a key.
    fn chunk<'n>(&self, places: &[usize], node: &'n Node) -> Chunk<'n> {
        let mut chunk = Chunk {
            node,
            decrypted: None,
            cipher: None,
            absence: None,
        };
        let encrypted = node.get("crypto_metadata").is_some();
        chunk.absence = if encrypted && let Err(error) = self.unlock(places, &mut chunk) {
            Some(error)
        } else if is_elsewhere(node) {
            Some(Error::unsupported("the column lies in another file"))
        } else if chunk.decrypted.is_none() && node.get("meta_data").is_none() {
            Some(Error::corrupt("column chunk without metadata"))
        } else {
            None
        };
        chunk
    }

    fn unlock(&self, places: &[usize], chunk: &mut Chunk<'_>) -> Result<()> {
        let cipher = match (self.file, places) {
            (Some(file), [row_group, column]) => file.cipher(*row_group, LeafId(*column as u32))?,
            _ => None,
        };
        let Some(cipher) = cipher else {
            let message = "the column is encrypted and there is no key";
            return Err(Error::new(ErrorKind::Encrypted, message));
        };
        if let Some(Node::Bytes(bytes)) = chunk.node.get("encrypted_column_metadata") {
            let decode = |plain: &Bytes| tree::decode(plain, &tree::COLUMN_META_DATA, self.limits);
            let ((meta, _), _) = cipher.decode(Module::ColumnMetaData, bytes, decode)?;
            chunk.decrypted = Some(meta);
        }
        chunk.cipher = Some(cipher);
        Ok(())
    }
}

/// The structure of an index, and its module type.
type Index = (&'static Shape, Module);

const COLUMN_INDEX: Index = (&tree::COLUMN_INDEX, Module::ColumnIndex);
const OFFSET_INDEX: Index = (&tree::OFFSET_INDEX, Module::OffsetIndex);

/// The footer's entry of a chunk.
struct Chunk<'a> {
    node: &'a Node,
    /// Its metadata, where that was encrypted by itself.
    decrypted: Option<Node>,
    cipher: Option<ChunkCipher>,
    /// Why the data it points to cannot be read, if so.
    absence: Option<Error>,
}

/// Whether a chunk is in another file, as where a `_metadata` file sums up those of a directory.
fn is_elsewhere(chunk: &Node) -> bool {
    matches!(chunk.get("file_path"), Some(Node::Text(path)) if !path.is_empty())
}

impl Chunk<'_> {
    fn meta(&self) -> &Node {
        const NONE: &Node = &Node::Object(Vec::new());
        let plain = || self.node.get("meta_data");
        self.decrypted.as_ref().or_else(plain).unwrap_or(NONE)
    }

    /// Fails with the reason why the data of the chunk cannot be read, if there is one.
    fn check_readable(&self) -> Result<()> {
        match &self.absence {
            None => Ok(()),
            Some(error) => Err(Error::new(error.kind(), error.message().to_string())),
        }
    }
}

/// The bounds of a chunk as values of the leaf, trusted or not.
fn statistics(meta: &Node, leaf: &Leaf) -> Option<Map<String, Value>> {
    let statistics = meta.get("statistics")?;
    let bounds = ["min", "max", "min_value", "max_value"].into_iter();
    let values: Map<_, _> = bounds
        .filter_map(|name| {
            let Some(Node::Bytes(bytes)) = statistics.get(name) else {
                return None;
            };
            let value = bound::decode(bytes, leaf)?;
            Some((name.to_string(), value_json(&leaf.logical_type, value)))
        })
        .collect();
    (!values.is_empty()).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::super::whole as value_of;
    use super::*;
    use lith_format::parquet::column_metadata::ColumnMetaData;
    use lith_format::parquet::encryption::ColumnCryptoMetaData;
    use lith_format::parquet::footer::MAGIC;
    use lith_format::parquet::index::{BloomFilterHeader, OffsetIndex};
    use lith_format::parquet::row_group::{ColumnChunk, RowGroup};
    use lith_reader::source::BytesSource;

    /// A page of two bytes at 4, whose header is five long, and an index and a filter behind it.
    const PAGE: [u8; 7] = [0x15, 0, 0x25, 4, 0, 0xaa, 0xbb];

    fn chunk() -> ColumnChunk {
        ColumnChunk {
            meta_data: Some(ColumnMetaData {
                data_page_offset: MAGIC.len() as i64,
                total_compressed_size: PAGE.len() as i64,
                ..ColumnMetaData::default()
            }),
            ..ColumnChunk::default()
        }
    }

    /// A file of one row group.
    fn file(body: &[u8], columns: Vec<ColumnChunk>) -> Vec<u8> {
        let footer = FileMetaData {
            row_groups: vec![RowGroup {
                columns,
                ..RowGroup::default()
            }],
            ..FileMetaData::default()
        };
        let footer = footer.encode();
        let tail = Tail::encode(footer.len() as u32);
        [&MAGIC[..], body, &footer, &tail].concat()
    }

    fn shown(bytes: Vec<u8>) -> Result<Value> {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new(bytes, "test"));
        let (decryption, limits) = (Decryption::default(), Limits::default());
        value_of(|out| print(&source, &decryption, &limits, &Shown::default(), out))
    }

    /// A page, an offset index, and a filter of 32 bytes.
    fn whole() -> Vec<u8> {
        let index = OffsetIndex::default().encode();
        let filter = [BloomFilterHeader::new(32).encode(), vec![0; 32]].concat();
        let mut chunk = chunk();
        let place = MAGIC.len() + PAGE.len();
        chunk.offset_index_offset = Some(place as i64);
        chunk.offset_index_length = Some(index.len() as i32);
        let meta = chunk.meta_data.as_mut().unwrap();
        meta.bloom_filter_offset = Some((place + index.len()) as i64);
        file(&[&PAGE[..], &index, &filter].concat(), vec![chunk])
    }

    #[test]
    fn a_chunk_is_described_whole() {
        let shown = shown(whole()).unwrap();
        let chunk = &shown["chunks"][0];
        let header = json!({ "type": "DATA_PAGE", "compressed_page_size": 2 });
        let page = json!({ "offset": 4, "header_length": 5, "header": header });
        assert_eq!(chunk["pages"], json!([page]));
        assert_eq!(chunk["page_types"], json!({ "DATA_PAGE": 1 }));
        assert_eq!(chunk["offset_index"], json!({ "page_locations": [] }));
        assert_eq!(chunk["bloom_filter_header"]["numBytes"], json!(32));
        let flags = ["column_index", "offset_index", "bloom_filter"];
        let flags = flags.map(|name| chunk[format!("has_{name}")].as_bool());
        assert_eq!(flags, [Some(false), Some(true), Some(true)]);
    }

    #[test]
    fn what_cannot_be_read_is_an_error_of_its_chunk() {
        let mut locked = chunk();
        locked.crypto_metadata = Some(ColumnCryptoMetaData::EncryptionWithFooterKey);
        locked.column_index_offset = Some(4);
        let mut elsewhere = chunk();
        elsewhere.file_path = Some("other.parquet".into());
        let mut beyond = chunk();
        beyond.meta_data.as_mut().unwrap().data_page_offset = 1 << 40;
        let columns = vec![locked, elsewhere, beyond, ColumnChunk::default(), chunk()];
        let shown = shown(file(&PAGE, columns)).unwrap();
        let error = |chunk: usize, name: &str| shown["chunks"][chunk][name].as_str();
        let said = |chunk, text: &str| error(chunk, "page_error").unwrap().contains(text);
        assert!(said(0, "encrypted") && said(1, "another file"));
        assert!(said(2, "outside of the file") && said(3, "without metadata"));
        assert!(
            error(0, "column_index_error")
                .unwrap()
                .contains("encrypted")
        );
        assert_eq!(error(4, "page_error"), None);
        assert_eq!(shown["chunks"][4]["page_count"], json!(1));
    }

    #[test]
    fn chunks_that_point_to_the_same_bytes_are_cut_short() {
        // pages of three bytes that say that they are empty
        let body = [0x35, 0, 0].repeat(20_000);
        let mut chunk = chunk();
        chunk.meta_data.as_mut().unwrap().total_compressed_size = body.len() as i64;
        let shown = shown(file(&body, vec![chunk; 100])).unwrap();
        let chunks = shown["chunks"].as_array().unwrap().iter();
        let pages = chunks.map(|chunk| chunk["page_count"].as_u64().unwrap());
        let pages = pages.sum::<u64>();
        assert!((20_000..1_000_000).contains(&pages), "{pages}");
        let last = shown["chunks"][99]["page_error"].as_str().unwrap();
        assert!(last.contains("too often"), "{last}");
    }

    #[test]
    fn no_truncation_or_flip_panics() {
        let bytes = whole();
        for end in 0..bytes.len() {
            assert!(shown(bytes[..end].to_vec()).is_err(), "{end}");
        }
        for position in 0..bytes.len() {
            for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
                let mut hostile = bytes.clone();
                hostile[position] ^= flip;
                if let Ok(shown) = shown(hostile) {
                    assert!(shown["chunks"].is_array());
                }
            }
        }
    }
}
