//! Unusual ORC files, as some writers have made them, and damaged ones. Each is made here byte by byte, and is read
//! as the specification says or refused.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

mod dictionaries;
mod nested;
mod numbers;
mod places;
mod positions;
mod statistics;
mod strides;
#[path = "../support/mod.rs"]
mod support;
mod texts;
mod times;

use lith_format::bytes::{put_varint, zigzag};
use lith_format::filter::Filter;
use lith_format::limits::Limits;
use lith_format::orc::chunk::{Compression, encode};
use lith_format::orc::encoding::{CompressionKind, EncodingKind, StreamKind, TypeKind};
use lith_format::orc::footer::{Footer, Metadata, StripeStatistics, Type};
use lith_format::orc::proto::Message;
use lith_format::orc::statistics::{ColumnStatistics, TypeStatistics};
use lith_format::orc::stripe::{ColumnEncoding, Stream, StripeFooter, StripeInformation};
use lith_format::orc::tail::{MAGIC, PostScript, Tail};
use lith_format::scalar::Scalar;
use support::*;

use StreamKind::{Data, DictionaryData, Length, Present, Secondary};

/// A node of the schema with its children.
fn node(kind: TypeKind, children: &[(&str, u32)]) -> Type {
    Type {
        kind,
        subtypes: children.iter().map(|child| child.1).collect(),
        field_names: match kind {
            TypeKind::Struct => children.iter().map(|child| child.0.to_owned()).collect(),
            _ => Vec::new(),
        },
        ..Type::default()
    }
}

/// The types of a file with one column without children, called c.
fn flat(kind: TypeKind) -> Vec<Type> {
    let mut column = node(kind, &[]);
    if matches!(kind, TypeKind::Char | TypeKind::Varchar) {
        column.maximum_length = Some(3);
    }
    vec![node(TypeKind::Struct, &[("c", 1)]), column]
}

/// Integers as literals of the first version, at most 128.
fn literals(values: &[i64], signed: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    if !values.is_empty() {
        bytes.push((256 - values.len()) as u8);
    }
    for &value in values {
        let bits = if signed { zigzag(value) } else { value as u64 };
        put_varint(&mut bytes, bits);
    }
    bytes
}

fn signed(values: &[i64]) -> Vec<u8> {
    literals(values, true)
}

fn lengths(values: &[i64]) -> Vec<u8> {
    literals(values, false)
}

/// At most eight bits in a run of one byte.
fn bits(bits: &[u8]) -> Vec<u8> {
    let byte = bits
        .iter()
        .zip((0..8).rev())
        .fold(0, |byte, (bit, at)| byte | bit << at);
    vec![255, byte]
}

/// A stripe: its streams, and the encodings and statistics of its columns.
#[derive(Default)]
struct Stripe {
    rows: u64,
    streams: Vec<(u32, StreamKind, Vec<u8>)>,
    /// Encodings other than DIRECT, and the sizes of dictionaries.
    encodings: Vec<(usize, EncodingKind, u32)>,
    zone: Option<&'static str>,
    /// How many bytes the file claims to have before the streams; they are not written.
    hole: u64,
    /// Statistics of each column; empty if there are none.
    statistics: Vec<ColumnStatistics>,
}

/// A stripe whose columns are encoded directly.
fn stripe(rows: u64, streams: Vec<(u32, StreamKind, Vec<u8>)>) -> Stripe {
    Stripe {
        rows,
        streams,
        ..Stripe::default()
    }
}

/// Statistics of a column with so many values.
fn stats(values: u64, specific: Option<TypeStatistics>) -> ColumnStatistics {
    ColumnStatistics {
        number_of_values: Some(values),
        specific,
        ..ColumnStatistics::default()
    }
}

impl Stripe {
    fn with_dictionary(mut self, column: usize, size: u32) -> Self {
        self.encodings
            .push((column, EncodingKind::Dictionary, size));
        self
    }

    /// Adds statistics of the only column.
    fn with_statistics(mut self, of_column: ColumnStatistics) -> Self {
        self.statistics = vec![stats(self.rows, None), of_column];
        self
    }

    fn write(
        self,
        columns: usize,
        compression: Compression,
        bytes: &mut Vec<u8>,
    ) -> StripeInformation {
        let offset = bytes.len() as u64;
        let mut footer = StripeFooter {
            columns: vec![ColumnEncoding::default(); columns],
            writer_timezone: self.zone.map(str::to_owned),
            ..StripeFooter::default()
        };
        for (column, kind, size) in self.encodings {
            footer.columns[column].kind = kind;
            footer.columns[column].dictionary_size = size;
        }
        if self.hole > 0 {
            footer.streams.push(Stream {
                kind: StreamKind::RowIndex,
                column: 0,
                length: self.hole,
            });
        }
        for (column, kind, stored) in self.streams {
            let length = stored.len() as u64;
            footer.streams.push(Stream {
                kind,
                column,
                length,
            });
            bytes.extend(stored);
        }
        let data_length = bytes.len() as u64 - offset;
        encode(&footer.encode(), compression, None, bytes).unwrap();
        let footer_length = bytes.len() as u64 - offset - data_length;
        StripeInformation {
            offset,
            index_length: self.hole,
            data_length,
            footer_length,
            number_of_rows: self.rows,
            ..StripeInformation::default()
        }
    }
}

/// A file without compression, as version 9 of the Java writer makes it.
fn file(types: Vec<Type>, stripes: Vec<Stripe>) -> Vec<u8> {
    file_with(types, stripes, (CompressionKind::None, 0))
}

/// The most bytes of a compression chunk.
const BLOCK_SIZE: u64 = 1 << 16;

/// A file with so many rows in a stride, whose streams were compressed already.
fn file_with(
    types: Vec<Type>,
    stripes: Vec<Stripe>,
    (compression, stride): (CompressionKind, u32),
) -> Vec<u8> {
    let postscript = PostScript {
        compression,
        compression_block_size: BLOCK_SIZE,
        version: vec![0, 12],
        writer_version: Some(9),
        magic: MAGIC.into(),
        ..PostScript::default()
    };
    let compression = postscript.compression(&Limits::default()).unwrap();
    let mut bytes = MAGIC.as_bytes().to_vec();
    let rows = stripes.iter().map(|stripe| stripe.rows).sum();
    let statistics = stripes.iter().map(|stripe| stripe.statistics.clone());
    let statistics: Vec<_> = statistics.filter(|columns| !columns.is_empty()).collect();
    let stripe_stats = statistics
        .into_iter()
        .map(|col_stats| StripeStatistics { col_stats });
    let metadata = Metadata {
        stripe_stats: stripe_stats.collect(),
    };
    let mut holes = 0;
    let stripes = stripes.into_iter().map(|stripe| {
        let hole = stripe.hole;
        let mut written = stripe.write(types.len(), compression, &mut bytes);
        written.offset += holes;
        holes += hole;
        written
    });
    let stripes = stripes.collect();
    let footer = Footer {
        header_length: 3,
        content_length: bytes.len() as u64 + holes,
        number_of_rows: Some(rows),
        stripes,
        types,
        row_index_stride: stride,
        ..Footer::default()
    };
    bytes.extend(Tail::encode(&metadata, &footer, postscript).unwrap());
    bytes
}

/// How many rows remain if only metadata is judged.
fn left(bytes: Vec<u8>, filter: Filter) -> usize {
    let file = open(bytes).unwrap();
    let scan = file.scan().filter(filter, Vec::new()).build().unwrap();
    rows(scan).unwrap().len()
}
