//! The decoders of ORC's streams, each by itself: a column of one type with arbitrary streams. What is read in
//! parts, between rows that are skipped, is what is read at once.
//!
//! ```text
//! | options u8 | digits u8 | entries u8 | steps u8 | step | .. | stream | ..
//! options  PRESENT is stored:1 | second version of the encoding:1 | which of the decoder's types:6
//! digits   precision and scale of decimals, and which zone timestamps are of
//! entries  of the dictionary
//! step     rows u8 | wanted u8 | gap u8                so many rows; of them, so many wanted after each gap
//! stream   length u16 | bytes                          in the decoder's order; the last has all bytes that are left
//! ```
//! Chunks are tried with some of the decoders, whose streams are compressed then: two bytes more, at the start, say
//! with which codec and in blocks of which size.

use std::sync::Arc;

use lith_format::bytes::Cursor;
use lith_format::error::{ErrorKind, Result};
use lith_format::orc::chunk::{Compression, decode_all};
use lith_format::orc::encoding::{CompressionKind, EncodingKind, StreamKind, TypeKind};
use lith_format::orc::footer::Type;
use lith_format::orc::stripe::{ColumnEncoding, StripeFooter};
use lith_format::scalar::Scalar;
use lith_reader::column::ReadContext;
use lith_reader::orc::OrcFile;
use lith_reader::part::Part;
use lith_reader::selection::Selection;
use lith_reader::source::{BytesSource, Source};

use super::seeds::Seed;
use super::stripe::{Stored, Stripe, node};
use super::{comes_back, limits};

/// A decoder: the types of columns that it is for, and the streams that it reads.
struct Decoder {
    target: &'static str,
    kinds: &'static [TypeKind],
    children: &'static [TypeKind],
    encodings: [EncodingKind; 2],
    streams: &'static [(u32, StreamKind)],
}

const DIRECT: [EncodingKind; 2] = [EncodingKind::Direct, EncodingKind::DirectV2];

impl Decoder {
    const fn new(
        target: &'static str,
        kinds: &'static [TypeKind],
        streams: &'static [(u32, StreamKind)],
    ) -> Self {
        Decoder {
            target,
            kinds,
            children: &[],
            encodings: DIRECT,
            streams,
        }
    }
}

const DATA: (u32, StreamKind) = (1, StreamKind::Data);
const LENGTH: (u32, StreamKind) = (1, StreamKind::Length);
const SECONDARY: (u32, StreamKind) = (1, StreamKind::Secondary);
const FIRST_CHILD: (u32, StreamKind) = (2, StreamKind::Data);
const SECOND_CHILD: (u32, StreamKind) = (3, StreamKind::Data);

const INTEGERS: &[TypeKind] = &[
    TypeKind::Long,
    TypeKind::Int,
    TypeKind::Short,
    TypeKind::Date,
];
const TEXTS: &[TypeKind] = &[TypeKind::String, TypeKind::Char, TypeKind::Varchar];

const BYTE_RLE: Decoder = Decoder::new("orc_byte_rle", &[TypeKind::Byte], &[DATA]);
const BOOLEAN_RLE: Decoder = Decoder::new("orc_boolean_rle", &[TypeKind::Boolean], &[DATA]);
const RLE_V1: Decoder = Decoder {
    encodings: [EncodingKind::Direct; 2],
    ..Decoder::new("orc_rle_v1", INTEGERS, &[DATA])
};
const RLE_V2: Decoder = Decoder {
    encodings: [EncodingKind::DirectV2; 2],
    ..Decoder::new("orc_rle_v2", INTEGERS, &[DATA])
};
const FLOAT: Decoder = Decoder::new("orc_float", &[TypeKind::Double, TypeKind::Float], &[DATA]);
const TEXT: Decoder = Decoder::new(
    "orc_text",
    &[
        TypeKind::String,
        TypeKind::Char,
        TypeKind::Varchar,
        TypeKind::Binary,
    ],
    &[LENGTH, DATA],
);
const DICTIONARY: Decoder = Decoder {
    encodings: [EncodingKind::Dictionary, EncodingKind::DictionaryV2],
    ..Decoder::new(
        "orc_dictionary",
        TEXTS,
        &[LENGTH, DATA, (1, StreamKind::DictionaryData)],
    )
};
const DECIMAL: Decoder = Decoder::new("orc_decimal", &[TypeKind::Decimal], &[SECONDARY, DATA]);
const TIMESTAMP: Decoder = Decoder::new(
    "orc_timestamp",
    &[TypeKind::Timestamp, TypeKind::TimestampInstant],
    &[SECONDARY, DATA],
);
const LIST: Decoder = Decoder {
    children: &[TypeKind::Byte],
    ..Decoder::new("orc_list", &[TypeKind::List], &[LENGTH, FIRST_CHILD])
};
const MAP: Decoder = Decoder {
    children: &[TypeKind::Byte, TypeKind::Boolean],
    ..Decoder::new(
        "orc_map",
        &[TypeKind::Map],
        &[LENGTH, FIRST_CHILD, SECOND_CHILD],
    )
};
const UNION: Decoder = Decoder {
    children: &[TypeKind::Byte, TypeKind::Boolean],
    ..Decoder::new(
        "orc_union",
        &[TypeKind::Union],
        &[DATA, FIRST_CHILD, SECOND_CHILD],
    )
};

pub fn byte_rle(data: &[u8]) {
    check(data, &BYTE_RLE);
}

pub fn boolean_rle(data: &[u8]) {
    check(data, &BOOLEAN_RLE);
}

pub fn rle_v1(data: &[u8]) {
    check(data, &RLE_V1);
}

pub fn rle_v2(data: &[u8]) {
    check(data, &RLE_V2);
}

pub fn float(data: &[u8]) {
    check(data, &FLOAT);
}

pub fn text(data: &[u8]) {
    check(data, &TEXT);
}

pub fn dictionary(data: &[u8]) {
    check(data, &DICTIONARY);
}

pub fn decimal(data: &[u8]) {
    check(data, &DECIMAL);
}

pub fn timestamp(data: &[u8]) {
    check(data, &TIMESTAMP);
}

pub fn list(data: &[u8]) {
    check(data, &LIST);
}

pub fn map(data: &[u8]) {
    check(data, &MAP);
}

pub fn union(data: &[u8]) {
    check(data, &UNION);
}

/// Decoders that take bytes from their streams in different ways.
const CHUNKED: [&Decoder; 4] = [&BYTE_RLE, &RLE_V2, &FLOAT, &TEXT];

/// The largest block is 256 KiB, the usual one.
const BLOCKS: u8 = 11;

/// Chunks that can be decoded mean what the bytes in them mean.
pub fn chunks(data: &[u8]) {
    let Some((&[codec, block], data)) = data.split_first_chunk() else {
        return;
    };
    let kinds = &CompressionKind::ALL[1..];
    let kind = kinds[usize::from(codec) % kinds.len()];
    let block_size = 256 << (block % BLOCKS);
    let decoder = CHUNKED[usize::from(codec) / kinds.len() % CHUNKED.len()];
    let Ok(mut input) = Input::decode(data, decoder) else {
        return;
    };
    let compression = Compression {
        codec: kind.codec().expect("a known codec"),
        block_size: block_size as usize,
    };
    let plain = input.stripe.streams.iter().map(|(column, kind, stored)| {
        let bytes = decode_all(stored, compression, limits().chunk_bytes)?;
        Ok((*column, *kind, bytes.into_owned()))
    });
    let plain: Result<Vec<Stored>> = plain.collect();
    input.stripe.compression = (kind, block_size);
    let chunked = input.check();
    let Ok(plain) = plain else {
        return;
    };
    input.stripe.compression = (CompressionKind::None, 0);
    input.stripe.streams = plain;
    match (chunked, input.check()) {
        (Some(chunked), Some(plain)) => comes_back(&plain, &chunked),
        (chunked, plain) => assert_eq!(chunked.is_some(), plain.is_some()),
    }
}

fn check(data: &[u8], decoder: &Decoder) {
    if let Ok(input) = Input::decode(data, decoder) {
        input.check();
    }
}

/// A stripe, and the windows of its rows that are read in turn.
struct Input {
    stripe: Stripe,
    windows: Vec<Selection>,
}

const ZONES: [&str; 4] = ["", "America/Los_Angeles", "Asia/Kolkata", "GMT+05:30"];

impl Input {
    fn decode(data: &[u8], decoder: &Decoder) -> Result<Self> {
        let mut cursor = Cursor::new(data);
        let [options, digits, entries, steps] = cursor.array()?;
        let mut windows = Vec::new();
        for _ in 0..steps {
            windows.push(window(cursor.array()?));
        }
        let mut streams = Vec::new();
        let present = (1, StreamKind::Present);
        let kinds = (options & 1 != 0).then_some(present).into_iter();
        let mut kinds = kinds.chain(decoder.streams.iter().copied()).peekable();
        while let Some((column, kind)) = kinds.next() {
            let length = match kinds.peek() {
                None => cursor.remaining(),
                Some(_) => u16::from_le_bytes(cursor.array()?).into(),
            };
            streams.push((column, kind, cursor.take(length)?.to_vec()));
        }
        let column = ColumnEncoding {
            kind: decoder.encodings[usize::from(options >> 1 & 1)],
            dictionary_size: entries.into(),
            ..ColumnEncoding::default()
        };
        let zone = ZONES[usize::from(digits) % ZONES.len()];
        let root = ColumnEncoding::default();
        let mut footer = StripeFooter {
            columns: vec![root, column],
            writer_timezone: Some(zone.into()),
            ..StripeFooter::default()
        };
        let columns = 2 + decoder.children.len();
        footer.columns.resize(columns, ColumnEncoding::default());
        let kind = decoder.kinds[usize::from(options >> 2) % decoder.kinds.len()];
        let stripe = Stripe {
            types: types(kind, decoder.children, digits.into()),
            footer,
            streams,
            rows: windows.iter().map(|window| window.rows() as u64).sum(),
            compression: (CompressionKind::None, 0),
        };
        Ok(Input { stripe, windows })
    }

    /// The rows, if they can be read at once.
    fn check(&self) -> Option<Vec<Scalar>> {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new(self.stripe.file(), "fuzzed"));
        let file = OrcFile::open(&source, &limits()).expect("the file around the streams is valid");
        let rows = self.stripe.rows as usize;
        let whole = read(&file, &source, &[Selection::all(rows)]);
        let parts = read(&file, &source, &self.windows);
        match (whole, parts) {
            (Ok(whole), parts) => {
                let parts = parts.expect("what is read at once is read in parts");
                comes_back(&selected(&whole, &self.windows), &parts);
                Some(whole)
            }
            (Err(error), Ok(_)) => {
                let skips = self.windows.iter().any(|window| !window.is_all());
                assert!(skips || error.kind() == ErrorKind::LimitExceeded, "{error}");
                None
            }
            (Err(_), Err(_)) => None,
        }
    }
}

/// A root with a column of this type, and its children.
fn types(kind: TypeKind, children: &[TypeKind], digits: u32) -> Vec<Type> {
    let digits = (1 + digits % 38, digits / 38 % (1 + digits % 38));
    let ids: Vec<u32> = (2..).take(children.len()).collect();
    let column = [
        node(TypeKind::Struct, &[1], digits),
        node(kind, &ids, digits),
    ];
    let children = children.iter().map(|&child| node(child, &[], digits));
    column.into_iter().chain(children).collect()
}

/// Some of `rows` rows: `wanted` after each `gap`.
fn window([rows, wanted, gap]: [u8; 3]) -> Selection {
    let [rows, wanted, gap] = [rows, wanted, gap].map(usize::from);
    if gap == 0 {
        return Selection::all(rows);
    }
    if wanted == 0 {
        return Selection::none(rows);
    }
    let starts = (gap..rows).step_by(wanted + gap);
    let runs = starts.map(|start| start..rows.min(start + wanted));
    Selection::from_runs(rows, runs.collect())
}

fn read(file: &OrcFile, source: &Arc<dyn Source>, windows: &[Selection]) -> Result<Vec<Scalar>> {
    let context = ReadContext {
        limits: limits(),
        ..ReadContext::default()
    };
    let part = Part::whole(&file.schema().fields[0]);
    let mut column = file.column(source, 0, 0, &part, &context)?;
    let mut values = Vec::new();
    for window in windows {
        let vector = column.read(window)?;
        assert_eq!(vector.len, window.selected());
        values.extend((0..vector.len).map(|row| vector.value(row)));
    }
    Ok(values)
}

/// Of the values of all rows, those that the windows want.
fn selected(values: &[Scalar], mut windows: &[Selection]) -> Vec<Scalar> {
    let (mut out, mut start) = (Vec::new(), 0);
    while let Some((window, later)) = windows.split_first() {
        for run in window.runs() {
            out.extend_from_slice(&values[start + run.start..start + run.end]);
        }
        (windows, start) = (later, start + window.rows());
    }
    out
}

/// Windows of the seeds: all rows, every other one, a few far apart, none, and all again.
const STEPS: [[u8; 2]; 5] = [[0, 0], [1, 1], [2, 40], [0, 1], [0, 0]];

/// Long runs, for children whose own values are of another type.
const CHILD: [u8; 64] = [0x7f; 64];

const DECODERS: [&Decoder; 12] = [
    &BYTE_RLE,
    &BOOLEAN_RLE,
    &RLE_V1,
    &RLE_V2,
    &FLOAT,
    &TEXT,
    &DICTIONARY,
    &DECIMAL,
    &TIMESTAMP,
    &LIST,
    &MAP,
    &UNION,
];

/// A column of a stripe, for the seeds.
pub struct Column<'a> {
    /// Its type.
    pub ty: &'a Type,
    /// Its number.
    pub id: u32,
    /// The rows of the stripe.
    pub rows: u64,
    /// Its encoding.
    pub encoding: &'a ColumnEncoding,
}

impl Column<'_> {
    /// The inputs of the decoders of a column with these streams.
    pub fn seeds(&self, streams: &[Stored]) -> Vec<Seed> {
        let decoders = DECODERS.iter().filter_map(|decoder| {
            let seed = self.seed(decoder, streams)?;
            Some((decoder.target, seed))
        });
        decoders.collect()
    }

    /// The inputs of [`chunks`] of a column with these streams, which are stored in chunks.
    pub fn chunk_seeds(&self, codec: CompressionKind, streams: &[Stored]) -> Vec<Seed> {
        let kinds = CompressionKind::ALL.len() - 1;
        let decoders = CHUNKED.iter().enumerate().filter_map(|(number, decoder)| {
            let codec = number * kinds + usize::try_from(codec.id()).ok()?.checked_sub(1)?;
            let start = [u8::try_from(codec).ok()?, BLOCKS - 1];
            let seed = self.seed(decoder, streams)?;
            Some(("orc_chunks", [&start[..], &seed].concat()))
        });
        decoders.collect()
    }

    fn seed(&self, decoder: &Decoder, streams: &[Stored]) -> Option<Vec<u8>> {
        let kind = decoder
            .kinds
            .iter()
            .position(|&kind| kind == self.ty.kind)?;
        let encoding = self.encoding.kind;
        let version = decoder
            .encodings
            .iter()
            .position(|&kind| kind == encoding)?;
        let stored = |column, kind| {
            let is_this = |stream: &&Stored| (stream.0, stream.1) == (column, kind);
            streams.iter().find(is_this).map(|stream| &stream.2[..])
        };
        let present = stored(self.id, StreamKind::Present);
        let options = (kind << 2 | version << 1) as u8 | u8::from(present.is_some());
        let entries = u8::try_from(self.encoding.dictionary_size).ok()?;
        let digits = self.ty.precision.zip(self.ty.scale);
        let digits = digits.map_or(0, |(precision, scale)| scale * 38 + (precision + 37) % 38);
        let mut seed = vec![options, digits as u8, entries];
        let rows = self.rows.min(255 * STEPS.len() as u64) as usize;
        seed.push(STEPS.len() as u8);
        for (step, [wanted, gap]) in STEPS.iter().enumerate() {
            let rows = rows * (step + 1) / STEPS.len() - rows * step / STEPS.len();
            seed.extend([rows as u8, *wanted, *gap]);
        }
        let own = decoder.streams.iter().map(|&(column, kind)| match column {
            1 => stored(self.id, kind).unwrap_or_default(),
            _ => &CHILD,
        });
        let mut all = present.into_iter().chain(own).peekable();
        while let Some(stream) = all.next() {
            if all.peek().is_some() {
                seed.extend(u16::try_from(stream.len()).ok()?.to_le_bytes());
            }
            seed.extend(stream);
        }
        Some(seed)
    }
}
