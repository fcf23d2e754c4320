//! From the slots of a leaf to the streams of a column, their bounds and positions on the way.
//!
//! ```text
//! boolean, numbers   [PRESENT] DATA            timestamp, decimal  [PRESENT] DATA SECONDARY
//! text, binary       [PRESENT] DATA LENGTH     by code             [PRESENT] DATA LENGTH DICTIONARY_DATA
//! ```
// spec: ORCv1.md, "Column Encodings"

use std::ops::Range;

use lith_format::error::{Error, Result};
use lith_format::orc::chunk::Compression;
use lith_format::orc::encoding::{EncodingKind, StreamKind};
use lith_format::orc::index::{RowIndex, RowIndexEntry};
use lith_format::orc::stripe::ColumnEncoding;
use lith_format::types::LogicalType;

use crate::leaf::{Data, Leaf, with_buffer};
use crate::native::Native;
use crate::options::WriteOptions;
use crate::orc::encoding::number;
use crate::orc::stats::Summary;
use crate::orc::stream::Stream;
use crate::stats::StatsBuilder;
use crate::store::{ByteStore, Store};
use crate::value_buffer::ValueBuffer;

/// A column of a stripe.
pub(crate) struct Column {
    /// Its streams, as they are stored.
    pub(crate) streams: Vec<(StreamKind, Vec<u8>)>,
    pub(crate) encoding: ColumnEncoding,
    pub(crate) index: RowIndex,
    /// Of all its rows.
    pub(crate) summary: Summary,
}

/// Encodes all slots of `leaf`.
pub(crate) fn encode(
    mut leaf: Leaf,
    compression: Compression,
    options: &WriteOptions,
) -> Result<Column> {
    with_buffer!(&mut leaf.data, buffer => buffer.drop_dictionary_unless_smaller());
    let strides = Strides::new(&leaf, options.stride_rows);
    let mut streams = Vec::new();
    if let Some(bits) = leaf.validity.as_ref().filter(|bits| !bits.all()) {
        streams.push(Stream::bits(StreamKind::Present, bits, &strides.rows));
    }
    let encoding = put_values(&leaf, &strides.values, &mut streams)?;
    let summaries = strides.summaries(&leaf);
    let mut entries: Vec<RowIndexEntry> = summaries
        .iter()
        .map(|summary| RowIndexEntry {
            positions: Vec::new(),
            statistics: Some(summary.encode(&leaf.field.ty)),
        })
        .collect();
    let mut stored = Vec::new();
    for stream in &streams {
        let (bytes, positions) = stream.finish(compression, options.codec_level())?;
        for (entry, positions) in entries.iter_mut().zip(positions) {
            entry.positions.extend(positions);
        }
        stored.push((stream.kind, bytes));
    }
    let merge = |whole: Summary, stride: &Summary| whole.merge(stride);
    Ok(Column {
        streams: stored,
        encoding,
        index: RowIndex { entry: entries },
        summary: summaries.iter().fold(Summary::empty(), merge),
    })
}

/// Where strides end, in rows and in values.
struct Strides {
    rows: Vec<usize>,
    values: Vec<usize>,
}

impl Strides {
    fn new(leaf: &Leaf, stride_rows: usize) -> Self {
        let starts = (0..leaf.rows).step_by(stride_rows);
        let rows: Vec<usize> = starts.map(|at| leaf.rows.min(at + stride_rows)).collect();
        let (mut from, mut total) = (0, 0);
        let values = rows.iter().map(|&end| {
            total += leaf.values_in(from..end);
            from = end;
            total
        });
        let values = values.collect();
        Strides { rows, values }
    }

    fn summaries(&self, leaf: &Leaf) -> Vec<Summary> {
        let (mut row, mut value) = (0, 0);
        let ends = self.rows.iter().zip(&self.values);
        let summary = |(&row_end, &value_end): (&usize, &usize)| {
            let (rows, values) = (row..row_end, value..value_end);
            (row, value) = (row_end, value_end);
            with_buffer!(&leaf.data, buffer => summarize(leaf, buffer, rows.len(), values))
        };
        ends.map(summary).collect()
    }
}

fn summarize<S: Store>(
    leaf: &Leaf,
    buffer: &ValueBuffer<S>,
    rows: usize,
    values: Range<usize>,
) -> Summary {
    let mut stats = StatsBuilder::<S>::new(&leaf.field.ty);
    stats.add(buffer.bounds(values.clone()), rows, rows - values.len());
    let (sum, trues) = match &leaf.data {
        Data::F32(ValueBuffer::Plain(store)) => (
            store[values]
                .iter()
                .fold(0.0, |sum, &value| sum + f64::from(value)),
            0,
        ),
        Data::F64(ValueBuffer::Plain(store)) => {
            (store[values].iter().fold(0.0, |sum, &value| sum + value), 0)
        }
        Data::Boolean(ValueBuffer::Plain(bits)) => (
            0.0,
            bits.slice(values.start, values.len()).count_ones() as u64,
        ),
        _ => (0.0, 0),
    };
    Summary {
        stats: stats.finish(),
        sum,
        trues,
    }
}

/// Appends the streams of the values; strides end where `ends` says.
fn put_values(leaf: &Leaf, ends: &[usize], out: &mut Vec<Stream>) -> Result<ColumnEncoding> {
    let direct = |kind| ColumnEncoding {
        kind,
        ..ColumnEncoding::default()
    };
    match &leaf.data {
        Data::Boolean(ValueBuffer::Plain(bits)) => {
            out.push(Stream::bits(StreamKind::Data, bits, ends));
            return Ok(direct(EncodingKind::Direct));
        }
        Data::F32(ValueBuffer::Plain(values)) => {
            out.push(little_endian(values, ends));
            return Ok(direct(EncodingKind::Direct));
        }
        Data::F64(ValueBuffer::Plain(values)) => {
            out.push(little_endian(values, ends));
            return Ok(direct(EncodingKind::Direct));
        }
        Data::I32(ValueBuffer::Plain(values)) => put_integers(leaf, values, ends, out)?,
        Data::I64(ValueBuffer::Plain(values)) => put_integers(leaf, values, ends, out)?,
        Data::U32(ValueBuffer::Plain(values)) => put_integers(leaf, values, ends, out)?,
        Data::I128(ValueBuffer::Plain(values)) => put_integers(leaf, values, ends, out)?,
        Data::Bytes(buffer) => return Ok(put_bytes(buffer, ends, out)),
        _ => {
            let message = format!("{} is not written to ORC", leaf.field.ty);
            return Err(Error::unsupported(message).at_column(&leaf.field.name));
        }
    }
    Ok(direct(match leaf.field.ty {
        LogicalType::Int8 => EncodingKind::Direct,
        _ => EncodingKind::DirectV2,
    }))
}

fn little_endian<T: Native>(values: &[T], ends: &[usize]) -> Stream {
    let mut stream = Stream::new(StreamKind::Data);
    let mut start = 0;
    for &end in ends {
        stream.mark(&[]);
        T::put_le(&values[start..end], &mut stream.bytes);
        start = end;
    }
    stream
}

fn put_integers<T: Native>(
    leaf: &Leaf,
    values: &[T],
    ends: &[usize],
    out: &mut Vec<Stream>,
) -> Result<()> {
    let too_wide = || Error::invalid("a value of more than 64 bits").at_column(&leaf.field.name);
    if let LogicalType::Decimal { scale, .. } = leaf.field.ty {
        out.push(decimals(values, ends));
        let scales = vec![i64::from(scale); values.len()];
        out.push(Stream::integers(StreamKind::Secondary, true, &scales, ends));
        return Ok(());
    }
    let narrow = |value: &T| value.integer().and_then(|value| i64::try_from(value).ok());
    let wide: Vec<i64> = values
        .iter()
        .map(|value| narrow(value).ok_or_else(too_wide))
        .collect::<Result<_>>()?;
    match leaf.field.ty {
        LogicalType::Int8 => {
            let bytes: Vec<u8> = wide.iter().map(|&value| value as u8).collect();
            out.push(Stream::tiny(StreamKind::Data, &bytes, ends));
        }
        LogicalType::Timestamp { unit, .. } => {
            let split = wide.iter().map(|&value| number::split(value, unit));
            let (seconds, nanos): (Vec<i64>, Vec<i64>) = split.unzip();
            out.push(Stream::integers(StreamKind::Data, true, &seconds, ends));
            out.push(Stream::integers(StreamKind::Secondary, false, &nanos, ends));
        }
        _ => out.push(Stream::integers(StreamKind::Data, true, &wide, ends)),
    }
    Ok(())
}

fn decimals<T: Native>(values: &[T], ends: &[usize]) -> Stream {
    let mut stream = Stream::new(StreamKind::Data);
    let mut start = 0;
    for &end in ends {
        stream.mark(&[]);
        for value in values[start..end]
            .iter()
            .filter_map(|value| value.integer())
        {
            number::put_decimal(value, &mut stream.bytes);
        }
        start = end;
    }
    stream
}

fn put_bytes(
    buffer: &ValueBuffer<ByteStore>,
    ends: &[usize],
    out: &mut Vec<Stream>,
) -> ColumnEncoding {
    let lengths = |store: &ByteStore| -> Vec<i64> {
        (0..store.len())
            .map(|at| store.get(at).len() as i64)
            .collect()
    };
    match buffer {
        ValueBuffer::Plain(values) => {
            let mut data = Stream::new(StreamKind::Data);
            let mut start = 0;
            for &end in ends {
                data.mark(&[]);
                data.bytes
                    .extend_from_slice(values.concatenated(start..end));
                start = end;
            }
            out.push(data);
            let lengths = lengths(values);
            out.push(Stream::integers(StreamKind::Length, false, &lengths, ends));
            ColumnEncoding {
                kind: EncodingKind::DirectV2,
                ..ColumnEncoding::default()
            }
        }
        ValueBuffer::Coded { entries, codes, .. } => {
            let codes: Vec<i64> = codes.iter().map(|&code| i64::from(code)).collect();
            out.push(Stream::integers(StreamKind::Data, false, &codes, ends));
            // the dictionary belongs to the whole stripe: its streams have no positions
            let mut length = Stream::new(StreamKind::Length);
            crate::orc::encoding::rle_v2::put(&lengths(entries), false, &mut length.bytes);
            out.push(length);
            let mut data = Stream::new(StreamKind::DictionaryData);
            data.bytes
                .extend_from_slice(entries.concatenated(0..entries.len()));
            out.push(data);
            ColumnEncoding {
                kind: EncodingKind::DictionaryV2,
                dictionary_size: entries.len() as u32,
                ..ColumnEncoding::default()
            }
        }
    }
}
