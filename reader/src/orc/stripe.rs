//! The streams of a stripe, found by column and kind.
//!
//! ```text
//! stripe = index streams | data streams | stripe footer      in the footer's order, without gaps
//! ```
//!
//! Streams are found by binary search: stripes of wide files have tens of thousands.
// spec: ORCv1.md, "Stripes", "Stripe Footer"

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::index::RowIndex;
use lith_format::orc::stripe::{ColumnEncoding, StripeFooter};
use lith_format::orc::tail::Tail;

use crate::column::ReadContext;
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
}

impl Located {
    fn key(&self) -> (u32, i32) {
        (self.column, self.kind.id())
    }
}

impl Stripe {
    /// Reads the footer of stripe `ordinal`.
    pub fn read(tail: &Tail, ordinal: usize, source: &dyn Source, limits: &Limits) -> Result<Self> {
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
        let footer = tail.stripe_footer(ordinal, &bytes, limits)?;
        let mut streams: Vec<Located> = footer
            .stream_ranges(stripe)
            .filter(|(stream, _)| !matches!(stream.kind, StreamKind::Unknown(_)))
            .map(|(stream, range)| Located {
                column: stream.column,
                kind: stream.kind,
                range,
            })
            .collect();
        streams.sort_unstable_by_key(Located::key);
        let twice = streams
            .windows(2)
            .find(|pair| pair[0].key() == pair[1].key());
        if let Some([first, _]) = twice {
            let (column, kind) = (first.column, first.kind);
            return Err(
                Error::corrupt(format!("two {kind} streams of column {column}"))
                    .at("StripeFooter", range.start)
                    .at_stripe(ordinal),
            );
        }
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
        let index = |(bytes, start): (Bytes, u64)| {
            let index = tail.row_index(&bytes, start, limits);
            index.map_err(|error| error.at("RowIndex", start))
        };
        self.index(column, StreamKind::RowIndex, source, limits)?
            .map(index)
            .transpose()
    }

    /// The bytes of an index stream as they are stored, and where they lie; none if the stripe does not have it.
    pub fn index(
        &self,
        column: u32,
        kind: StreamKind,
        source: &dyn Source,
        limits: &Limits,
    ) -> Result<Option<(Bytes, u64)>> {
        let Some(range) = self.range(column, kind) else {
            return Ok(None);
        };
        let length = Limits::check(range.end - range.start, limits.footer_bytes, kind.name())?;
        Ok(Some((source.read_at(range.start, length)?, range.start)))
    }

    fn find(&self, column: u32, kind: StreamKind) -> Option<&Located> {
        let key = (column, kind.id());
        let index = self.streams.binary_search_by_key(&key, Located::key).ok()?;
        self.streams.get(index)
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
        self.stripe
            .find(column, kind)
            .map(|found| self.reader(kind, found.range.clone()))
            .transpose()
    }

    /// A stream, empty if the stripe does not have it: writers may leave out empty streams.
    pub fn open(&self, column: u32, kind: StreamKind) -> Result<StreamReader> {
        match self.stripe.find(column, kind) {
            Some(found) => self.reader(kind, found.range.clone()),
            None => self.reader(kind, 0..0),
        }
    }

    /// The row index of a column, if the stripe has it.
    pub fn row_index(&self, column: u32) -> Result<Option<RowIndex>> {
        let limits = &self.context.limits;
        self.stripe
            .row_index(column, self.tail, self.source.as_ref(), limits)
    }

    fn reader(&self, kind: StreamKind, range: Range<u64>) -> Result<StreamReader> {
        let ReadContext {
            limits, metrics, ..
        } = self.context;
        Limits::check(range.end - range.start, limits.chunk_bytes, "stream")?;
        let compression = self.tail.compression;
        Ok(StreamReader::new(
            self.source,
            range,
            compression,
            kind.name(),
            metrics,
        ))
    }
}
