//! The metadata of an ORC file: its tail, and the footer and indexes of every stripe.
//!
//! ```text
//! { postscript, footer, stripe_stats, metadata_error,
//!   stripes: [ { footer, error, row_index: {column: ..}, bloom: {column: {kind: [..]}}, index_errors: [..] } ] }
//! ```
//! A part that cannot be read becomes an `error` of its stripe or one of the `index_errors`; the rest is shown. If
//! there are several streams of one kind and column, the last one counts, and all are listed as
//! `duplicates_of_NAME`. Of encrypted columns, what is stored for readers without keys is shown: that of their masks. The
//! bits of a Bloom filter are shown by their length and SHA-256.
// spec: ORCv1.md, "File Tail", "Stripe Footer", "Indexes"

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::index::BloomFilter;
use lith_format::orc::stripe::{Stream, StripeFooter, StripeInformation};
use lith_format::orc::tail::Tail;
use lith_format::orc::tree::{self, Shape};
use lith_format::tree::{DUPLICATES, Event, EventSink};
use lith_reader::keys::Decryption;
use lith_reader::orc::OrcFile;
use lith_reader::source::Source;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Shown, digits, part};
use crate::encryption;
use crate::failure::Failed;
use crate::output::{Part, Printer, plural};

/// How many errors of indexes are listed for each stripe.
const INDEX_ERRORS: usize = 1000;

pub(super) fn print(
    source: &Arc<dyn Source>,
    decryption: &Decryption,
    limits: &Limits,
    shown: &Shown,
    out: &mut dyn Printer,
) -> Result<Failed> {
    let orc = OrcFile::open_footer(source, limits)?;
    let mut opened = Opened {
        source,
        tail: orc.tail(),
        limits: *limits,
        shown,
        out,
        failed: Failed::default(),
    };
    opened.print_head()?;
    opened.print_stripes()?;
    let mut failed = opened.failed;
    let message = match decryption.keys.is_some() {
        true => "the column is encrypted, and metadata is shown as stored: that of its mask",
        false => "the column is encrypted and there is no key",
    };
    // wrong keys are told here too
    if decryption.keys.is_some()
        && let Ok(orc) = OrcFile::open(source, limits)
        && let Err(error) = orc.with_keys(source, decryption)
    {
        failed.add(error);
    }
    for variant in encryption::of_orc(orc.footer(), orc.schema()) {
        let error = Error::new(ErrorKind::Encrypted, message);
        failed.add(error.at_column(variant.column.unwrap_or_default()));
    }
    Ok(failed)
}

/// A stream and its range in the file.
type Located<'a> = (&'a Stream, Range<u64>);

/// A file whose tail is decoded, and the printer of its metadata.
struct Opened<'a> {
    source: &'a Arc<dyn Source>,
    tail: &'a Tail,
    limits: Limits,
    shown: &'a Shown,
    out: &'a mut dyn Printer,
    failed: Failed,
}

impl Opened<'_> {
    /// Prints the tail. If its postscript or footer cannot be decoded, nothing is printed.
    fn print_head(&mut self) -> Result<()> {
        let (tail, limits) = (self.tail, self.limits);
        let postscript = self.read(tail.postscript_range())?;
        let print_postscript = |to: &mut EventSink<'_>| {
            let postscript = (&postscript[..], postscript.len());
            tree::emit(postscript, &tree::POST_SCRIPT, &limits, to)
        };
        print_postscript(&mut |_| Ok(()))?;
        let footer = self.section(tail.footer_range(), &tree::FOOTER)?;
        self.out.part(Part::BeginObject)?;
        self.out.members(&json!({
            "schema_version": 1,
            "format": "orc",
            "file_length": tail.file_length,
            "postscript_length": tail.postscript_length,
        }))?;
        self.out.part(Part::Name("postscript"))?;
        print_postscript(&mut |event| part(event, self.out))?;
        self.out.part(Part::Name("footer"))?;
        self.print(&footer)?;
        self.print_metadata()
    }

    fn print_stripes(&mut self) -> Result<()> {
        self.out.part(Part::Name("stripes"))?;
        self.out.part(Part::BeginList)?;
        for (ordinal, stripe) in self.tail.footer.stripes.iter().enumerate() {
            self.out.part(Part::BeginObject)?;
            self.print_stripe(ordinal, stripe)?;
            self.out.part(Part::EndObject)?;
        }
        self.out.part(Part::EndList)?;
        self.out.part(Part::EndObject)
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let length = range.end.saturating_sub(range.start);
        let length = Limits::check(length, self.limits.footer_bytes, "section")?;
        self.source.read_at(range.start, length)
    }

    /// Reads a section and checks that it can be decoded.
    fn section(&self, range: Range<u64>, shape: &'static Shape) -> Result<Section> {
        let section = Section {
            start: range.start,
            bytes: self.read(range)?,
            shape,
        };
        section.emit(self.tail, &self.limits, &mut |_| Ok(()))?;
        Ok(section)
    }

    /// Prints a section.
    fn print(&mut self, section: &Section) -> Result<()> {
        let print = &mut |event: Event<'_>| part(event, self.out);
        section.emit(self.tail, &self.limits, print)
    }

    fn error(&mut self, name: &str, error: Error) -> Result<()> {
        let text = self.failed.add(error);
        self.out.members(&json!({ name: text }))
    }

    /// Adds the fields of the metadata section to the file's object: `stripe_stats` (an empty list if there are
    /// none), and unknown fields as `metadata_NAME`, so that they do not collide with those of the file.
    fn print_metadata(&mut self) -> Result<()> {
        const STRIPE_STATS: &str = "stripe_stats";
        let section = self.section(self.tail.metadata_range(), &tree::METADATA);
        let (mut depth, mut found) = (0, false);
        if let Ok(section) = &section {
            section.emit(self.tail, &self.limits, &mut |event| {
                let ends = matches!(event, Event::EndObject | Event::EndList);
                depth -= usize::from(ends);
                let is_within = depth > 0;
                depth += usize::from(matches!(event, Event::BeginObject | Event::BeginList));
                match event {
                    Event::Field(name) if depth == 1 && name != STRIPE_STATS => {
                        self.out.part(Part::Name(&format!("metadata_{name}")))
                    }
                    event if is_within => {
                        found |= depth == 1 && matches!(event, Event::Field(_));
                        part(event, self.out)
                    }
                    _ => Ok(()),
                }
            })?;
        }
        if !found {
            self.out.members(&json!({ STRIPE_STATS: [] }))?;
        }
        match section {
            Ok(_) => Ok(()),
            Err(error) => self.error("metadata_error", error),
        }
    }

    fn print_stripe(&mut self, ordinal: usize, stripe: &StripeInformation) -> Result<()> {
        let section = match self.section(stripe.footer_range(), &tree::STRIPE_FOOTER) {
            Ok(section) => section,
            Err(error) => return self.error("error", error.at_stripe(ordinal)),
        };
        self.out.part(Part::Name("footer"))?;
        self.print(&section)?;
        let footer = self
            .tail
            .stripe_footer(ordinal, &section.bytes, &self.limits);
        drop(section);
        let footer = match footer {
            Ok(footer) => footer,
            Err(error) => return self.error("error", error),
        };
        let mut errors = IndexErrors::new(ordinal);
        let is_index = |kind| kind == StreamKind::RowIndex;
        self.print_row_indexes(&self.streams(stripe, &footer, is_index), &mut errors)?;
        let is_bloom = |kind| matches!(kind, StreamKind::BloomFilter | StreamKind::BloomFilterUtf8);
        self.print_bloom_filters(&self.streams(stripe, &footer, is_bloom), &mut errors)?;
        errors.print(self.out)
    }

    /// The streams of some kinds that belong to the columns shown, sorted by column and kind.
    fn streams<'b>(
        &self,
        stripe: &StripeInformation,
        footer: &'b StripeFooter,
        is_kind: fn(StreamKind) -> bool,
    ) -> Vec<Located<'b>> {
        let streams = footer.stream_ranges(stripe);
        let mut streams: Vec<_> = streams
            .filter(|(stream, _)| is_kind(stream.kind) && self.shown.has(stream.column))
            .collect();
        streams.sort_by_key(|(stream, _)| (stream.column, stream.kind.id()));
        streams
    }

    fn print_row_indexes(
        &mut self,
        streams: &[Located<'_>],
        errors: &mut IndexErrors,
    ) -> Result<()> {
        self.out.part(Part::Name("row_index"))?;
        self.out.part(Part::BeginObject)?;
        for column in streams.chunk_by(|(one, _), (next, _)| one.column == next.column) {
            let name = column.first().map_or(0, |(stream, _)| stream.column);
            self.print_index(&name.to_string(), column, errors)?;
        }
        self.out.part(Part::EndObject)
    }

    /// Prints the Bloom filters of each column, grouped by kind.
    fn print_bloom_filters(
        &mut self,
        streams: &[Located<'_>],
        errors: &mut IndexErrors,
    ) -> Result<()> {
        self.out.part(Part::Name("bloom"))?;
        self.out.part(Part::BeginObject)?;
        for column in streams.chunk_by(|(one, _), (next, _)| one.column == next.column) {
            let name = column.first().map_or(0, |(stream, _)| stream.column);
            self.out.part(Part::Name(&name.to_string()))?;
            self.out.part(Part::BeginObject)?;
            for kind in column.chunk_by(|(one, _), (next, _)| one.kind == next.kind) {
                let name = kind.first().map_or("", |(stream, _)| stream.kind.name());
                self.print_index(name, kind, errors)?;
            }
            self.out.part(Part::EndObject)?;
        }
        self.out.part(Part::EndObject)
    }

    /// Prints the streams of one kind and column that can be decoded: the last one, and if there are several, a list of
    /// all.
    fn print_index(
        &mut self,
        name: &str,
        streams: &[Located<'_>],
        errors: &mut IndexErrors,
    ) -> Result<()> {
        let (mut last, mut decoded) = (None, Vec::new());
        for located in streams {
            match self.index(located) {
                Ok(index) => {
                    last = Some(index);
                    decoded.push(located);
                }
                Err(error) => errors.add(located.0, error, &mut self.failed),
            }
        }
        let Some(last) = last else {
            return Ok(());
        };
        self.out.part(Part::Name(name))?;
        last.decode(self.tail, &self.limits, Some(self.out))?;
        if streams.len() > 1 {
            drop(last);
            self.out.part(Part::Name(&format!("{DUPLICATES}{name}")))?;
            self.out.part(Part::BeginList)?;
            for located in decoded {
                let index = self.index(located)?;
                index.decode(self.tail, &self.limits, Some(self.out))?;
            }
            self.out.part(Part::EndList)?;
        }
        Ok(())
    }

    /// Reads the index in a stream and checks that it can be decoded.
    fn index(&self, (stream, range): &Located<'_>) -> Result<Index> {
        let index = Index {
            kind: stream.kind,
            start: range.start,
            bytes: self.read(range.clone())?,
        };
        index.decode(self.tail, &self.limits, None)?;
        Ok(index)
    }
}

/// A structure of the file, read and not decoded.
struct Section {
    start: u64,
    bytes: Bytes,
    shape: &'static Shape,
}

impl Section {
    fn emit(&self, tail: &Tail, limits: &Limits, to: &mut EventSink<'_>) -> Result<()> {
        tail.emit((&self.bytes, self.start), self.shape, limits, to)
    }
}

/// An index stream, read and not decoded.
struct Index {
    kind: StreamKind,
    start: u64,
    bytes: Bytes,
}

impl Index {
    /// Decodes the index, and prints it if there is a printer.
    fn decode(&self, tail: &Tail, limits: &Limits, out: Option<&mut dyn Printer>) -> Result<()> {
        let (bytes, start) = (&self.bytes, self.start);
        match (self.kind, out) {
            (StreamKind::RowIndex, None) => {
                tail.emit((bytes, start), &tree::ROW_INDEX, limits, &mut |_| Ok(()))
            }
            (StreamKind::RowIndex, Some(out)) => {
                let print = &mut |event: Event<'_>| part(event, out);
                tail.emit((bytes, start), &tree::ROW_INDEX, limits, print)
            }
            (_, None) => tail.each_bloom_filter(bytes, start, limits, &mut |_| Ok(())),
            (_, Some(out)) => {
                out.part(Part::BeginList)?;
                let print = &mut |filter: BloomFilter| out.value(&bloom_filter(&filter));
                tail.each_bloom_filter(bytes, start, limits, print)?;
                out.part(Part::EndList)
            }
        }
    }
}

/// The errors of the indexes of a stripe.
struct IndexErrors {
    ordinal: usize,
    texts: Vec<String>,
    others: u64,
}

impl IndexErrors {
    fn new(ordinal: usize) -> Self {
        IndexErrors {
            ordinal,
            texts: Vec::new(),
            others: 0,
        }
    }

    fn add(&mut self, stream: &Stream, error: Error, failed: &mut Failed) {
        let (column, kind) = (stream.column, stream.kind);
        let error = error.at_column(column.to_string());
        let text = failed.add(error.at_stripe(self.ordinal));
        match self.texts.len() < INDEX_ERRORS {
            true => self.texts.push(format!("column {column} {kind}: {text}")),
            false => self.others += 1,
        }
    }

    fn print(mut self, out: &mut dyn Printer) -> Result<()> {
        if self.others > 0 {
            let others = plural(self.others, "other error");
            self.texts.push(format!("and {others}"));
        }
        match self.texts.is_empty() {
            true => Ok(()),
            false => out.members(&json!({ "index_errors": self.texts })),
        }
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
