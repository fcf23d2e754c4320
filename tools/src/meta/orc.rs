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
use lith_format::tree::{Event, EventSink};
use lith_reader::orc::OrcFile;
use lith_reader::source::Source;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Shown, digits, part};
use crate::encryption;
use crate::failure::Failed;
use crate::output::{Discard, Part, Printer};

/// A file with its decoded tail.
struct Opened<'a> {
    source: &'a Arc<dyn Source>,
    orc: &'a OrcFile,
    limits: Limits,
    shown: &'a Shown,
    /// Whether what is decoded is printed.
    is_printed: bool,
}

pub(super) fn print(
    source: &Arc<dyn Source>,
    limits: &Limits,
    shown: &Shown,
    out: &mut dyn Printer,
) -> Result<Failed> {
    let orc = OrcFile::open_footer(source, limits)?;
    let file = |is_printed| Opened {
        source,
        orc: &orc,
        limits: *limits,
        shown,
        is_printed,
    };
    file(false).print(&mut Discard)?;
    let file = file(true);
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
        out.part(Part::BeginObject)?;
        out.members(&json!({
            "schema_version": 1,
            "format": "orc",
            "file_length": tail.file_length,
            "postscript_length": tail.postscript_length,
        }))?;
        out.part(Part::Name("postscript"))?;
        let print = &mut |event: Event<'_>| part(event, out);
        let postscript = (&postscript[..], postscript.len());
        tree::emit(postscript, &tree::POST_SCRIPT, &self.limits, print)?;
        out.part(Part::Name("footer"))?;
        self.section(tail.footer_range(), &tree::FOOTER, out)?;
        self.metadata(tail.metadata_range(), out)?;
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

    /// Prints the structure in a section.
    fn section(
        &self,
        range: Range<u64>,
        shape: &'static Shape,
        out: &mut dyn Printer,
    ) -> Result<()> {
        self.emit(range, shape, &mut |event| part(event, out))
    }

    fn emit(&self, range: Range<u64>, shape: &'static Shape, to: &mut EventSink<'_>) -> Result<()> {
        let start = range.start;
        let bytes = self.read(range)?;
        self.tail().emit((&bytes, start), shape, &self.limits, to)
    }

    /// Adds the fields of the metadata section to the file's object: `stripe_stats` (an empty list if there are
    /// none), and unknown fields as `metadata_NAME`, so that they do not collide with those of the file.
    fn metadata(&self, range: Range<u64>, out: &mut dyn Printer) -> Result<()> {
        const STRIPE_STATS: &str = "stripe_stats";
        let (mut depth, mut found) = (0, false);
        self.emit(range, &tree::METADATA, &mut |event| {
            let ends = matches!(event, Event::EndObject | Event::EndList);
            depth -= usize::from(ends);
            let is_within = depth > 0;
            depth += usize::from(matches!(event, Event::BeginObject | Event::BeginList));
            match event {
                Event::Field(name) if depth == 1 && name != STRIPE_STATS => {
                    out.part(Part::Name(&format!("metadata_{name}")))
                }
                event if is_within => {
                    found |= depth == 1 && matches!(event, Event::Field(_));
                    part(event, out)
                }
                _ => Ok(()),
            }
        })?;
        match found {
            true => Ok(()),
            false => out.members(&json!({ STRIPE_STATS: [] })),
        }
    }

    fn stripe(&self, ordinal: usize, out: &mut dyn Printer) -> Result<()> {
        let stripe = &self.tail().footer.stripes[ordinal];
        let walk = self.orc.walk(self.source.as_ref(), ordinal)?;
        out.part(Part::BeginObject)?;
        out.part(Part::Name("footer"))?;
        self.section(stripe.footer_range(), &tree::STRIPE_FOOTER, out)?;
        out.part(Part::Name("row_index"))?;
        out.part(Part::BeginObject)?;
        for (stream, range) in walk.footer().stream_ranges(stripe) {
            if stream.kind == StreamKind::RowIndex && self.shown.has(stream.column) {
                out.part(Part::Name(&stream.column.to_string()))?;
                self.section(range, &tree::ROW_INDEX, out)?;
            }
        }
        out.part(Part::EndObject)?;
        out.part(Part::Name("bloom"))?;
        let streams = walk.footer().stream_ranges(stripe);
        let is_bloom = |kind| matches!(kind, StreamKind::BloomFilter | StreamKind::BloomFilterUtf8);
        let mut bloom: Vec<_> = streams
            .filter(|(stream, _)| is_bloom(stream.kind) && self.shown.has(stream.column))
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
            let print = &mut |filter: BloomFilter| match self.is_printed {
                true => out.value(&bloom_filter(&filter)),
                false => Ok(()),
            };
            let (tail, start) = (self.tail(), range.start);
            tail.each_bloom_filter(&bytes, start, &self.limits, print)?;
            out.part(Part::EndList)?;
        }
        out.part(Part::EndObject)
    }
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
