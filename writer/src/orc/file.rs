//! The parts of an ORC file in the order they are written, and the tail that says where they are.
//!
//! ```text
//! ORC | stripes: row indexes, streams, StripeFooter | Metadata | Footer | PostScript | its length, 1 byte
//! ```
//! Times are stored as in UTC, which is the time zone that the stripes name.
// spec: ORCv1.md, "File Tail", "Stripes"

use std::io::Write;

use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::meta::FileMeta;
use lith_format::orc::chunk::{Compression, encode};
use lith_format::orc::encoding::{CalendarKind, CompressionKind, StreamKind, WriterImplementation};
use lith_format::orc::footer::{Footer, Metadata, StripeStatistics, Type, UserMetadataItem};
use lith_format::orc::index::{RowIndex, RowIndexEntry};
use lith_format::orc::neutral;
use lith_format::orc::proto::Message;
use lith_format::orc::schema::{self, Dialect, FileSchema};
use lith_format::orc::statistics::ColumnStatistics;
use lith_format::orc::stripe::{ColumnEncoding, Stream, StripeFooter, StripeInformation};
use lith_format::orc::tail::{PostScript, Tail};
use lith_format::schema::Schema;
use lith_format::step::Step;

use crate::leaf::Leaf;
use crate::options::{Statistics, WriteOptions};
use crate::orc::column::{self, Column};
use crate::orc::stats::Summary;
use crate::parallel;
use crate::sink::Sink;

const MAGIC: &[u8] = b"ORC";

/// The most bytes of a compression chunk before compression.
const BLOCK_BYTES: usize = 256 << 10;

/// The format is 0.12; numbers of writers other than Java's begin with 6.
const VERSION: [u32; 2] = [0, 12];
const WRITER_VERSION: u32 = 6;

/// No writer of the registry.
const WRITER: WriterImplementation = WriterImplementation::Unknown(i32::MAX);

/// What has been written of a file.
#[derive(Debug)]
pub(crate) struct Encoder {
    types: Vec<Type>,
    schema: Schema,
    compression: Compression,
    stripes: Vec<StripeInformation>,
    stripe_statistics: Vec<StripeStatistics>,
    summaries: Vec<Summary>,
    rows: u64,
}

impl Encoder {
    /// Begins the file.
    pub(crate) fn begin<W: Write>(
        sink: &mut Sink<W>,
        schema: &Schema,
        options: &WriteOptions,
    ) -> Result<Self> {
        CompressionKind::from_codec(options.codec)?;
        let types = schema::encode(schema)?;
        sink.put(MAGIC)?;
        Ok(Encoder {
            types,
            schema: schema.clone(),
            compression: Compression {
                codec: options.codec,
                block_size: BLOCK_BYTES,
            },
            stripes: Vec::new(),
            stripe_statistics: Vec::new(),
            summaries: vec![Summary::empty(); schema.fields.len()],
            rows: 0,
        })
    }

    /// Writes a stripe of `rows` rows, whose `leaves` are all that long.
    pub(crate) fn put_row_group<W: Write>(
        &mut self,
        sink: &mut Sink<W>,
        leaves: Vec<Leaf>,
        rows: usize,
        options: &WriteOptions,
    ) -> Result<()> {
        let encode = |leaf| column::encode(leaf, self.compression, options);
        let columns = parallel::map(options.thread_count(), leaves.into_iter(), encode)
            .map_err(|error| error.at_stripe(self.stripes.len()))?;
        let mut stripe = StripeInformation {
            offset: sink.position(),
            number_of_rows: rows as u64,
            ..StripeInformation::default()
        };
        let mut footer = StripeFooter {
            columns: vec![ColumnEncoding::default()],
            writer_timezone: Some("UTC".to_owned()),
            ..StripeFooter::default()
        };
        if options.statistics == Statistics::Strides {
            self.put_indexes(sink, &columns, (rows, options), &mut footer)?;
        }
        stripe.index_length = sink.position() - stripe.offset;
        for (id, column) in (1..).zip(&columns) {
            footer.columns.push(column.encoding.clone());
            for (kind, bytes) in &column.streams {
                footer.streams.push(stream(*kind, id, bytes));
                sink.put(bytes)?;
            }
        }
        stripe.data_length = sink.position() - stripe.offset - stripe.index_length;
        let footer = self.section(&footer, options)?;
        stripe.footer_length = footer.len() as u64;
        sink.put(&footer)?;
        self.add_statistics(&columns, rows, options);
        self.stripes.push(stripe);
        self.rows += rows as u64;
        Ok(())
    }

    fn put_indexes<W: Write>(
        &self,
        sink: &mut Sink<W>,
        columns: &[Column],
        (rows, options): (usize, &WriteOptions),
        footer: &mut StripeFooter,
    ) -> Result<()> {
        let strides = (0..rows).step_by(options.stride_rows);
        let root = RowIndex {
            entry: strides
                .map(|at| RowIndexEntry {
                    positions: Vec::new(),
                    statistics: Some(counted(options.stride_rows.min(rows - at))),
                })
                .collect(),
        };
        let indexes = std::iter::once(&root).chain(columns.iter().map(|column| &column.index));
        for (id, index) in (0..).zip(indexes) {
            let bytes = self.section(index, options)?;
            footer
                .streams
                .push(stream(StreamKind::RowIndex, id, &bytes));
            sink.put(&bytes)?;
        }
        Ok(())
    }

    fn section<M: Message>(&self, message: &M, options: &WriteOptions) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        encode(
            &message.encode(),
            self.compression,
            options.codec_level(),
            &mut out,
        )?;
        Ok(out)
    }

    fn add_statistics(&mut self, columns: &[Column], rows: usize, options: &WriteOptions) {
        for (whole, column) in self.summaries.iter_mut().zip(columns) {
            *whole = whole.merge(&column.summary);
        }
        if options.statistics > Statistics::None {
            let summaries = columns.iter().map(|column| &column.summary);
            let col_stats = self.statistics(rows, summaries);
            self.stripe_statistics.push(StripeStatistics { col_stats });
        }
    }

    /// One for each column id; the root's first.
    fn statistics<'a>(
        &self,
        rows: usize,
        summaries: impl Iterator<Item = &'a Summary>,
    ) -> Vec<ColumnStatistics> {
        let fields = self.schema.fields.iter().zip(summaries);
        let columns = fields.map(|(field, summary)| summary.encode(&field.ty));
        std::iter::once(counted(rows)).chain(columns).collect()
    }

    /// Writes the tail.
    pub(crate) fn finish<W: Write>(
        self,
        sink: &mut Sink<W>,
        options: &WriteOptions,
    ) -> Result<FileMeta> {
        let rows = usize::try_from(self.rows).unwrap_or(usize::MAX);
        let wanted = options.statistics > Statistics::None;
        let statistics = wanted.then(|| self.statistics(rows, self.summaries.iter()));
        let pair = |(name, value): &(String, Option<String>)| UserMetadataItem {
            name: name.clone(),
            value: value.clone().unwrap_or_default().into_bytes(),
        };
        let footer = Footer {
            header_length: MAGIC.len() as u64,
            content_length: sink.position(),
            stripes: self.stripes,
            types: self.types,
            metadata: options.key_values.iter().map(pair).collect(),
            number_of_rows: Some(self.rows),
            statistics: statistics.unwrap_or_default(),
            row_index_stride: match options.statistics {
                Statistics::Strides => u32::try_from(options.stride_rows).unwrap_or(u32::MAX),
                _ => 0,
            },
            writer: WRITER,
            calendar: CalendarKind::ProlepticGregorian,
            software_version: Some(concat!("lith ", env!("CARGO_PKG_VERSION")).to_owned()),
            ..Footer::default()
        };
        let metadata = Metadata {
            stripe_stats: self.stripe_statistics,
        };
        let postscript = PostScript {
            compression: CompressionKind::from_codec(self.compression.codec)?,
            compression_block_size: BLOCK_BYTES as u64,
            version: VERSION.to_vec(),
            writer_version: Some(WRITER_VERSION),
            magic: "ORC".to_owned(),
            ..PostScript::default()
        };
        let tail = Tail::encode(&metadata, &footer, postscript)?;
        sink.put(&tail)?;
        neutral_meta(&tail, sink.position())
    }
}

fn stream(kind: StreamKind, column: u32, bytes: &[u8]) -> Stream {
    Stream {
        kind,
        column,
        length: bytes.len() as u64,
    }
}

/// Statistics of the root, which only counts rows.
fn counted(rows: usize) -> ColumnStatistics {
    ColumnStatistics {
        number_of_values: Some(rows as u64),
        has_null: Some(false),
        ..ColumnStatistics::default()
    }
}

/// What a reader makes of the tail.
fn neutral_meta(tail: &[u8], file_length: u64) -> Result<FileMeta> {
    let limits = Limits::default();
    match Tail::decode(tail, file_length, &limits)? {
        Step::Done(tail) => {
            let schema = FileSchema::decode(&tail.footer, Dialect::Orc, &limits)?;
            neutral::file_meta(&tail, &schema, &limits)
        }
        Step::Need(_) => Err(Error::invalid("the tail that was written is not whole")),
    }
}
