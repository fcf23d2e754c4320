//! The streams of a stripe, found by column and kind.
//!
//! ```text
//! stripe = index streams | data streams | stripe footer      in the footer's order, without gaps
//! ```
//!
//! Streams are found by binary search: stripes of wide files have tens of thousands. Of decrypted columns, footer and
//! streams are those that were encrypted, as if there were no masks.
// spec: ORCv1.md, "Stripes", "Stripe Footer"

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::index::RowIndex;
use lith_format::orc::stripe::{ColumnEncoding, Stream, StripeFooter, StripeInformation};
use lith_format::orc::tail::Tail;

use crate::column::ReadContext;
use crate::orc::crypto::{Crypto, StreamCipher};
use crate::orc::stream::StreamReader;
use crate::source::Source;

/// The footer of a stripe, and where its streams are.
#[derive(Debug)]
pub(crate) struct Stripe {
    /// Its number in the file, from 0.
    pub ordinal: usize,
    /// The number of its rows.
    pub rows: u64,
    /// Its footer.
    pub footer: Arc<StripeFooter>,
    /// Its streams, sorted by column and kind.
    streams: Vec<Located>,
}

#[derive(Debug)]
struct Located {
    column: u32,
    kind: StreamKind,
    range: Range<u64>,
    cipher: Option<StreamCipher>,
}

impl Located {
    fn new(stream: &Stream, range: Range<u64>, cipher: Option<StreamCipher>) -> Self {
        Located {
            column: stream.column,
            kind: stream.kind,
            range,
            cipher,
        }
    }

    fn key(&self) -> (u32, i32) {
        (self.column, self.kind.id())
    }
}

impl Stripe {
    /// Reads the footer of stripe `ordinal`.
    pub fn read(
        tail: &Tail,
        crypto: &Crypto,
        ordinal: usize,
        source: &dyn Source,
        limits: &Limits,
    ) -> Result<Self> {
        let Some(stripe) = tail.footer.stripes.get(ordinal) else {
            return Err(Error::invalid(format!("there is no stripe {ordinal}")));
        };
        let range = stripe.footer_range();
        let len = Limits::check(
            range.end - range.start,
            limits.footer_bytes,
            "stripe footer",
        )?;
        let bytes = source.read_at(range.start, len)?;
        let mut footer = tail.stripe_footer(ordinal, &bytes, limits)?;
        let streams = locate(&mut footer, crypto, ordinal, stripe)
            .and_then(|streams| sorted(streams, range.start))
            .map_err(|error| error.at_stripe(ordinal))?;
        Ok(Stripe {
            ordinal,
            rows: stripe.number_of_rows,
            footer: Arc::new(footer),
            streams,
        })
    }

    /// How a column is encoded.
    pub fn encoding(&self, column: u32) -> Result<&ColumnEncoding> {
        self.footer
            .columns
            .get(column as usize)
            .ok_or_else(|| Error::corrupt(format!("column {column} has no encoding")))
    }

    /// The time zone of the writer, if the file states it.
    pub fn writer_timezone(&self) -> Option<&str> {
        self.footer
            .writer_timezone
            .as_deref()
            .filter(|zone| !zone.is_empty())
    }

    /// The range of a stream in the file, if the stripe has it.
    pub fn range(&self, column: u32, kind: StreamKind) -> Option<Range<u64>> {
        self.find(column, kind).map(|found| found.range.clone())
    }

    /// The row index of a column, if the stripe has it.
    pub fn row_index(
        &self,
        column: u32,
        tail: &Tail,
        source: &dyn Source,
        limits: &Limits,
    ) -> Result<Option<RowIndex>> {
        let Some((bytes, start)) = self.index(column, StreamKind::RowIndex, source, limits)? else {
            return Ok(None);
        };
        let index = tail.row_index(&bytes, start, limits);
        let index = index.map_err(|error| error.at("RowIndex", start))?;
        Ok(Some(index))
    }

    /// The bytes of an index of a column and where they lie in the file, if the stripe has it.
    pub fn index(
        &self,
        column: u32,
        kind: StreamKind,
        source: &dyn Source,
        limits: &Limits,
    ) -> Result<Option<(Bytes, u64)>> {
        let Some(found) = self.find(column, kind) else {
            return Ok(None);
        };
        let start = found.range.start;
        let length = Limits::check(found.range.end - start, limits.footer_bytes, kind.name())?;
        let bytes = source.read_at(start, length)?;
        let bytes = match &found.cipher {
            None => bytes,
            Some(cipher) => cipher.decrypt(0, bytes)?,
        };
        Ok(Some((bytes, start)))
    }

    fn find(&self, column: u32, kind: StreamKind) -> Option<&Located> {
        let key = (column, kind.id());
        let index = self.streams.binary_search_by_key(&key, Located::key).ok()?;
        self.streams.get(index)
    }
}

/// The streams of a stripe. Of decrypted columns, the footer is changed to what is encrypted.
fn locate(
    footer: &mut StripeFooter,
    crypto: &Crypto,
    ordinal: usize,
    stripe: &StripeInformation,
) -> Result<Vec<Located>> {
    let is_known = |stream: &Stream| !matches!(stream.kind, StreamKind::Unknown(_));
    let streams = footer.stream_ranges(stripe);
    let streams = streams.filter(|(stream, _)| is_known(stream));
    let located = |(stream, range)| Located::new(stream, range, None);
    let mut streams: Vec<Located> = streams.map(located).collect();
    if crypto.is_empty() {
        return Ok(streams);
    }
    let is_masked = |column| crypto.key_of(column).is_some();
    streams.retain(|stream| !is_masked(stream.column));
    let encrypted = crypto.unmask(ordinal, stripe, footer)?;
    footer.streams.retain(|stream| !is_masked(stream.column));
    for (stream, range, cipher) in encrypted {
        if is_known(&stream) {
            streams.push(Located::new(&stream, range, Some(cipher)));
        }
        footer.streams.push(stream);
    }
    Ok(streams)
}

/// Sorts streams by column and kind.
///
/// # Errors
/// Two streams of the same column and kind.
fn sorted(mut streams: Vec<Located>, footer: u64) -> Result<Vec<Located>> {
    streams.sort_unstable_by_key(Located::key);
    let mut pairs = streams.windows(2);
    match pairs.find(|pair| pair[0].key() == pair[1].key()) {
        Some([first, _]) => {
            let (column, kind) = (first.column, first.kind);
            let message = format!("two {kind} streams of column {column}");
            Err(Error::corrupt(message).at("StripeFooter", footer))
        }
        _ => Ok(streams),
    }
}

/// Opens the streams of a stripe.
pub(crate) struct Streams<'a> {
    /// The stripe.
    pub stripe: &'a Stripe,
    /// The file's tail.
    pub tail: &'a Tail,
    /// The file.
    pub source: &'a Arc<dyn Source>,
    /// Limits and metrics.
    pub context: &'a ReadContext,
}

impl Streams<'_> {
    /// A stream, if the stripe has it.
    pub fn find(&self, column: u32, kind: StreamKind) -> Result<Option<StreamReader>> {
        let found = self.stripe.find(column, kind);
        found.map(|found| self.reader(found)).transpose()
    }

    /// A stream, empty if the stripe does not have it: writers may leave out empty streams.
    pub fn open(&self, column: u32, kind: StreamKind) -> Result<StreamReader> {
        match self.stripe.find(column, kind) {
            Some(found) => self.reader(found),
            None => self.reader(&Located {
                column,
                kind,
                range: 0..0,
                cipher: None,
            }),
        }
    }

    /// The row index of a column, if the stripe has it.
    pub fn row_index(&self, column: u32) -> Result<Option<RowIndex>> {
        let limits = &self.context.limits;
        self.stripe
            .row_index(column, self.tail, self.source.as_ref(), limits)
    }

    fn reader(&self, stream: &Located) -> Result<StreamReader> {
        let ReadContext {
            limits, metrics, ..
        } = self.context;
        let range = stream.range.clone();
        Limits::check(range.end - range.start, limits.chunk_bytes, "stream")?;
        let cipher = stream.cipher.as_ref();
        let decrypted = cipher.map(|cipher| cipher.source(self.source, range.start));
        let compression = self.tail.compression;
        Ok(StreamReader::new(
            decrypted.as_ref().unwrap_or(self.source),
            range,
            compression,
            stream.kind.name(),
            metrics,
        ))
    }
}
