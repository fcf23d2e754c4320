//! The metadata of an ORC file: its tail, and the footer and indexes of every stripe.
//!
//! ```text
//! { postscript, footer, stripe_stats, stripes: [ { footer, row_index: {column: ..}, bloom: {column: ..} } ] }
//! ```
//! Of the bits of a Bloom filter, the length and the SHA-256 are shown.
// spec: ORCv1.md, "File Tail", "Stripe Footer", "Indexes"

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::index::BloomFilter;
use lith_format::orc::stripe::Stream;
use lith_format::orc::tail::Tail;
use lith_format::orc::tree::{self, Shape};
use lith_format::tree::Node;
use lith_reader::orc::OrcFile;
use lith_reader::source::Source;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{digits, json as to_json, print_tree};
use crate::encryption;
use crate::failure::Failed;
use crate::output::{Discard, Part, Printer};

/// A file with its decoded tail.
struct Opened<'a> {
    source: &'a Arc<dyn Source>,
    orc: &'a OrcFile,
    limits: Limits,
}

pub(super) fn print(
    source: &Arc<dyn Source>,
    limits: &Limits,
    out: &mut dyn Printer,
) -> Result<Failed> {
    let file = Opened {
        source,
        orc: &OrcFile::open(source, limits)?,
        limits: *limits,
    };
    file.print(&mut Discard)?;
    file.print(out)?;
    let mut failed = Failed::default();
    let footer = &file.tail().footer;
    for variant in encryption::of_orc(footer, file.orc.schema()) {
        let message = "the column is encrypted and there is no key";
        let error = Error::new(ErrorKind::Encrypted, message);
        failed.add(error.at_column(variant.column.unwrap_or_default()));
    }
    Ok(failed)
}

impl Opened<'_> {
    fn tail(&self) -> &Tail {
        self.orc.tail()
    }

    fn print(&self, out: &mut dyn Printer) -> Result<()> {
        let tail = self.tail();
        let postscript = self.read(tail.postscript_range())?;
        let postscript = tree::decode(&postscript, &tree::POST_SCRIPT, &self.limits)?;
        out.part(Part::BeginObject)?;
        out.members(&json!({
            "schema_version": 1,
            "format": "orc",
            "file_length": tail.file_length,
            "postscript_length": tail.postscript_length,
            "postscript": to_json(postscript),
        }))?;
        out.part(Part::Name("footer"))?;
        print_tree(self.section(tail.footer_range(), &tree::FOOTER)?, out)?;
        out.part(Part::Name("stripe_stats"))?;
        let metadata = self.section(tail.metadata_range(), &tree::METADATA)?;
        print_tree(field(metadata, "stripe_stats"), out)?;
        out.part(Part::Name("stripes"))?;
        out.part(Part::BeginList)?;
        for ordinal in 0..tail.footer.stripes.len() {
            let stripe = self.stripe(ordinal, out);
            stripe.map_err(|error| error.at_row_group(ordinal))?;
        }
        out.part(Part::EndList)?;
        out.part(Part::EndObject)
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let length = range.end.saturating_sub(range.start);
        let length = Limits::check(length, self.limits.footer_bytes, "section")?;
        self.source.read_at(range.start, length)
    }

    /// Decodes a section that lies in compression chunks.
    fn section(&self, range: Range<u64>, shape: &'static Shape) -> Result<Node> {
        let start = range.start;
        let bytes = self.read(range)?;
        self.tail().tree(&bytes, start, shape, &self.limits)
    }

    fn stripe(&self, ordinal: usize, out: &mut dyn Printer) -> Result<()> {
        let stripe = &self.tail().footer.stripes[ordinal];
        let walk = self.orc.walk(self.source.as_ref(), ordinal)?;
        out.part(Part::BeginObject)?;
        out.part(Part::Name("footer"))?;
        print_tree(
            self.section(stripe.footer_range(), &tree::STRIPE_FOOTER)?,
            out,
        )?;
        out.part(Part::Name("row_index"))?;
        out.part(Part::BeginObject)?;
        for (stream, range) in walk.footer().stream_ranges(stripe) {
            if stream.kind == StreamKind::RowIndex {
                out.part(Part::Name(&stream.column.to_string()))?;
                print_tree(self.section(range, &tree::ROW_INDEX)?, out)?;
            }
        }
        out.part(Part::EndObject)?;
        out.part(Part::Name("bloom"))?;
        let streams = walk.footer().stream_ranges(stripe);
        let is_bloom = |kind| matches!(kind, StreamKind::BloomFilter | StreamKind::BloomFilterUtf8);
        let mut bloom: Vec<_> = streams
            .filter(|(stream, _)| is_bloom(stream.kind))
            .collect();
        bloom.sort_by_key(|(stream, _)| stream.column);
        out.part(Part::BeginObject)?;
        for column in bloom.chunk_by(|(one, _), (next, _)| one.column == next.column) {
            self.bloom_filters(column, out)?;
        }
        out.part(Part::EndObject)?;
        out.part(Part::EndObject)
    }

    /// Prints the Bloom filters of a column, of one kind after the other.
    fn bloom_filters(
        &self,
        streams: &[(&Stream, Range<u64>)],
        out: &mut dyn Printer,
    ) -> Result<()> {
        let column = streams.first().map_or(0, |(stream, _)| stream.column);
        out.part(Part::Name(&column.to_string()))?;
        out.part(Part::BeginObject)?;
        for (stream, range) in streams {
            out.part(Part::Name(stream.kind.name()))?;
            out.part(Part::BeginList)?;
            let bytes = self.read(range.clone())?;
            let index = self
                .tail()
                .bloom_filters(&bytes, range.start, &self.limits)?;
            for filter in &index.bloom_filter {
                out.value(&bloom_filter(filter))?;
            }
            out.part(Part::EndList)?;
        }
        out.part(Part::EndObject)
    }
}

/// A repeated field of a message; an empty list if it is absent.
fn field(node: Node, name: &str) -> Node {
    let fields = match node {
        Node::Object(fields) => fields,
        _ => Vec::new(),
    };
    let found = fields.into_iter().find(|(field, _)| field == name);
    found.map_or(Node::List(Vec::new()), |(_, node)| node)
}

fn bloom_filter(filter: &BloomFilter) -> Value {
    let words = || filter.bitset.iter().flat_map(|word| word.to_le_bytes());
    let bits = filter
        .utf8bitset
        .clone()
        .unwrap_or_else(|| words().collect());
    json!({
        "num_hash_functions": filter.num_hash_functions,
        "bitset_bytes": bits.len(),
        "bitset_sha256": digits(&Sha256::digest(&bits)),
    })
}
