//! Where strides begin, as row indexes state it: in runs, bits and chunks, at the end of streams, or not at all. Reading
//! from there gives the same rows as reading all, and fetches few bytes.

use std::sync::Arc;

use lith_format::compress::{Codec, compress};
use lith_format::filter::CompareOp;
use lith_format::orc::index::{BloomFilter, BloomFilterIndex, RowIndex, RowIndexEntry};
use lith_format::orc::statistics::{DoubleStatistics, IntegerStatistics};
use lith_format::schema::LeafId;
use lith_reader::File;
use lith_reader::column::ReadContext;
use lith_reader::metrics::Metrics;
use lith_reader::selection::Selection;

use super::*;

const ZLIB: CompressionKind = CompressionKind::Zlib;

/// A row index with these positions, and statistics of each stride or none.
fn index(positions: &[Vec<u64>], statistics: Vec<ColumnStatistics>) -> Vec<u8> {
    let mut statistics = statistics.into_iter();
    let entry = |positions: &Vec<u64>| RowIndexEntry {
        positions: positions.clone(),
        statistics: statistics.next(),
    };
    RowIndex {
        entry: positions.iter().map(entry).collect(),
    }
    .encode()
}

/// A chunk that is stored as it is.
fn original(bytes: &[u8]) -> Vec<u8> {
    chunk(bytes, true)
}

/// A chunk that is compressed.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    compress(Codec::Deflate, None, bytes, &mut packed).unwrap();
    chunk(&packed, false)
}

fn chunk(stored: &[u8], is_original: bool) -> Vec<u8> {
    let header = (stored.len() as u32) << 1 | u32::from(is_original);
    [&header.to_le_bytes()[..3], stored].concat()
}

/// A file with one column, one stripe and these streams of it, of which the first is the row index.
fn strided(
    kind: TypeKind,
    rows: u64,
    (compression, stride): (CompressionKind, u32),
    streams: Vec<(StreamKind, Vec<u8>)>,
) -> Vec<u8> {
    let streams = streams.into_iter();
    let streams = streams.map(|(kind, bytes)| (1, kind, bytes)).collect();
    let stripes = vec![stripe(rows, streams)];
    file_with(flat(kind), stripes, (compression, stride))
}

/// The selected rows of each window, and how many bytes were fetched.
fn read(file: &File, seeks: bool, windows: &[Selection]) -> (Vec<String>, u64) {
    let metrics = Arc::new(Metrics::default());
    let context = ReadContext {
        seeks,
        metrics: Arc::clone(&metrics),
        ..ReadContext::default()
    };
    let mut reader = file.column(0, 0, &context).unwrap();
    let read = |window| slots(&reader.read(window).unwrap());
    let cells = windows.iter().flat_map(read).collect();
    (cells, metrics.bytes_read.get())
}

/// Checks for every choice of rows, in windows of some sizes, that reading from strides gives the chosen ones.
fn check_seeks(bytes: Vec<u8>, expected: &[&str]) {
    check_every_choice(&bytes, expected);
    let file = open(bytes).unwrap();
    for choice in 0..1u32 << expected.len() {
        let is_chosen = |row: &usize| choice >> row & 1 == 1;
        let chosen = (0..expected.len()).filter(is_chosen);
        let chosen: Vec<&str> = chosen.map(|row| expected[row]).collect();
        for size in [1, 5, expected.len()] {
            let rows: Vec<usize> = (0..expected.len()).collect();
            let window =
                |rows: &[usize]| Selection::from_mask(&rows.iter().map(is_chosen).collect());
            let windows: Vec<Selection> = rows.chunks(size).map(window).collect();
            assert_eq!(
                read(&file, true, &windows).0,
                chosen,
                "{choice:b} by {size}"
            );
        }
    }
}

/// Checks the rows around the start of each stride.
fn check_starts(bytes: Vec<u8>, stride: usize) {
    let file = open(bytes).unwrap();
    let count = file.rows() as usize;
    let (all, _) = read(&file, false, &[Selection::all(count)]);
    for start in (0..count).step_by(stride).skip(1) {
        for row in start - 2..(start + 3).min(count) {
            let windows = [Selection::none(row), Selection::all(count - row)];
            assert_eq!(read(&file, true, &windows).0, all[row..], "from {row}");
            let only = Selection::from_mask(&(0..count).map(|at| at == row).collect());
            assert_eq!(read(&file, true, &[only]).0, all[row..=row], "only {row}");
        }
    }
}

#[test]
fn the_first_stride_needs_no_positions() {
    let numbers = signed(&[7, 1, 300, 4, 5, -6, 7, 80_000, 9]);
    let expected = ["7", "1", "300", "4", "5", "-6", "7", "80000", "9"];
    for first in [vec![], vec![0, 0], vec![9, 9]] {
        let strides = index(&[first, vec![0, 4], vec![0, 8]], Vec::new());
        let streams = vec![(StreamKind::RowIndex, strides), (Data, numbers.clone())];
        let plain = (CompressionKind::None, 4);
        check_seeks(strided(TypeKind::Long, 9, plain, streams), &expected);
    }
    for first in [vec![], vec![0, 0, 0]] {
        let strides = index(&[first, vec![0, 0, 4], vec![0, 0, 8]], Vec::new());
        let streams = vec![
            (StreamKind::RowIndex, deflated(&strides)),
            (Data, deflated(&numbers)),
        ];
        check_seeks(strided(TypeKind::Long, 9, (ZLIB, 4), streams), &expected);
    }
}

#[test]
fn strides_begin_within_bytes_of_bits() {
    let values = [
        Some(1),
        None,
        Some(0),
        Some(1),
        Some(1),
        None,
        None,
        Some(0),
        Some(1),
        Some(0),
        Some(1),
    ];
    let expected = values.map(|value| match value {
        None => "null",
        Some(0) => "false",
        Some(_) => "true",
    });
    let present: Vec<u8> = values.map(|value| u8::from(value.is_some())).into();
    let data: Vec<u8> = values.into_iter().flatten().collect();
    // a literal for each byte of eight bits
    let runs = |all: &[u8]| all.chunks(8).flat_map(bits).collect::<Vec<u8>>();
    for stride in 1..6 {
        let before = |row: usize| values[..row].iter().flatten().count() as u64;
        let place = |bit: u64| [bit / 8 * 2, 0, bit % 8];
        let entry = |row: usize| [place(row as u64), place(before(row))].concat();
        let entries: Vec<_> = (0..values.len()).step_by(stride).map(entry).collect();
        let streams = vec![
            (StreamKind::RowIndex, index(&entries, Vec::new())),
            (Present, runs(&present)),
            (Data, runs(&data)),
        ];
        let plain = (CompressionKind::None, stride as u32);
        check_seeks(strided(TypeKind::Boolean, 11, plain, streams), &expected);
    }
}

#[test]
fn strides_of_nulls_begin_where_a_stream_ends() {
    let text = "long ".repeat(12_000);
    let (data, length) = (deflated(text.as_bytes()), original(&lengths(&[60_000])));
    let present = original(&bits(&[0, 1, 0, 0, 0, 0]));
    let quoted = format!("\"{text}\"");
    let expected = ["null", &quoted, "null", "null", "null", "null"];
    // in the text: at the end of its only chunk, or after it; in the lengths likewise
    let ends = [[0, text.len() as u64], [data.len() as u64, 0]];
    let sizes = [[0, 3, 0], [0, 0, 1], [length.len() as u64, 0, 0]];
    let sizes = sizes.map(|size| match size {
        [0, 3, 0] => [0, lengths(&[60_000]).len() as u64, 0],
        size => size,
    });
    for (end, size) in ends.iter().flat_map(|end| sizes.map(|size| (end, size))) {
        let entry = |row: u64| [&[0, 0, 0, row][..], end, &size].concat();
        let strides = index(&[vec![], entry(2), entry(4)], Vec::new());
        let streams = vec![
            (StreamKind::RowIndex, original(&strides)),
            (Present, present.clone()),
            (Data, data.clone()),
            (Length, length.clone()),
        ];
        check_seeks(strided(TypeKind::String, 6, (ZLIB, 2), streams), &expected);
    }
}

fn doubles(values: impl Iterator<Item = u32>) -> Vec<u8> {
    values
        .flat_map(|value| f64::from(value).to_le_bytes())
        .collect()
}

#[test]
fn strides_begin_within_an_original_chunk_longer_than_others() {
    let first = deflated(&doubles(0..1000));
    let place = first.len() as u64;
    let long = original(&doubles(1000..8000));
    let last = deflated(&doubles(8000..9000));
    let end = place + long.len() as u64;
    let entries = [
        vec![],
        vec![place, 8_000],
        vec![place, 24_000],
        vec![place, 40_000],
        vec![end, 0],
    ];
    let streams = vec![
        (StreamKind::RowIndex, original(&index(&entries, Vec::new()))),
        (Data, [first, long, last].concat()),
    ];
    check_starts(strided(TypeKind::Double, 9000, (ZLIB, 2000), streams), 2000);
}

#[test]
fn a_condition_finds_its_row_and_not_the_start_of_its_stride() {
    let values: Vec<i64> = (0..12).map(|row| row * 10).collect();
    let of_stride = |values: &[i64]| {
        let bounds = IntegerStatistics {
            minimum: values.first().copied(),
            maximum: values.last().copied(),
            sum: None,
        };
        stats(values.len() as u64, Some(TypeStatistics::Int(bounds)))
    };
    let statistics = values.chunks(5).map(of_stride).collect();
    let strides = index(&[vec![], vec![0, 5], vec![0, 10]], statistics);
    let streams = vec![(StreamKind::RowIndex, strides), (Data, signed(&values))];
    let bytes = strided(TypeKind::Long, 12, (CompressionKind::None, 5), streams);
    let file = open(bytes).unwrap();
    let compare = |op, value| Filter::Compare {
        leaf: LeafId(0),
        op,
        value: Scalar::Int(value),
    };
    let seventy = passing(&file, compare(CompareOp::Eq, 70), 0, |value| {
        *value == Scalar::Int(70)
    });
    assert_eq!(seventy, ["{\"c\":70}"]);
    let last = filtered(&file, compare(CompareOp::GtEq, 110), 0, |value| {
        *value == Scalar::Int(110)
    });
    let metrics = Arc::clone(last.metrics());
    assert_eq!(rows(last).unwrap(), ["{\"c\":110}"]);
    assert_eq!(metrics.strides_pruned.get(), 2);
}

/// Writers drop the filters of a column when they give up its dictionary.
#[test]
fn filters_of_some_strides_only_deny_nothing() {
    let nothing = || BloomFilter {
        num_hash_functions: 3,
        bitset: Vec::new(),
        utf8bitset: Some(vec![0; 64]),
    };
    let equals = Filter::Compare {
        leaf: LeafId(0),
        op: CompareOp::Eq,
        value: Scalar::Int(2),
    };
    for (filters, expected) in [(0, 3), (1, 3), (2, 0), (3, 3)] {
        let bloom_filter = (0..filters).map(|_| nothing()).collect();
        let filters_of = BloomFilterIndex { bloom_filter }.encode();
        let statistics = vec![stats(2, None), stats(1, None)];
        let strides = index(&[vec![], vec![0, 2]], statistics);
        let streams = vec![
            (StreamKind::RowIndex, strides),
            (StreamKind::BloomFilterUtf8, filters_of),
            (Data, signed(&[1, 2, 3])),
        ];
        let bytes = strided(TypeKind::Int, 3, (CompressionKind::None, 2), streams);
        let kept = passing(&open(bytes).unwrap(), equals.clone(), 0, |_| true);
        assert_eq!(kept.len(), expected, "{filters} filters");
    }
}

#[test]
fn one_stride_costs_few_bytes() {
    const ROWS: u32 = 100_000;
    const STRIDE: u32 = 1000;
    let strides = (0..ROWS).step_by(STRIDE as usize);
    let of_stride = |start: u32| {
        let bounds = DoubleStatistics {
            minimum: Some(start.into()),
            maximum: Some((start + STRIDE - 1).into()),
            // it is no NaN, so that there is none
            sum: Some(0.0),
        };
        stats(STRIDE.into(), Some(TypeStatistics::Double(bounds)))
    };
    let statistics: Vec<_> = strides.clone().map(of_stride).collect();
    // a chunk has seven and a half strides
    let mut chunks = Vec::new();
    let blocks = doubles(0..ROWS);
    let starts = blocks.chunks(60_000).map(|block| {
        let start = chunks.len() as u64;
        chunks.extend(deflated(block));
        start
    });
    let starts: Vec<u64> = starts.collect();
    let compressed = |row: u32| {
        let byte = u64::from(row) * 8;
        vec![starts[(byte / 60_000) as usize], byte % 60_000]
    };
    let plain = |row: u32| vec![u64::from(row) * 8];
    let plain: Vec<_> = strides.clone().map(plain).collect();
    let compressed: Vec<_> = strides.map(compressed).collect();
    let deflated_index = index(&compressed, statistics.clone());
    for (compression, strides, data) in [
        (
            CompressionKind::None,
            index(&plain, statistics),
            blocks.clone(),
        ),
        (ZLIB, chunk(&deflated_index, true), chunks.clone()),
    ] {
        let all = data.len() as u64;
        let streams = vec![(StreamKind::RowIndex, strides), (Data, data)];
        let bytes = strided(
            TypeKind::Double,
            ROWS.into(),
            (compression, STRIDE),
            streams,
        );
        let file = open(bytes.clone()).unwrap();
        let equals = Filter::Compare {
            leaf: LeafId(0),
            op: CompareOp::Eq,
            value: Scalar::Float64(50_123.0),
        };
        let scan = filtered(&file, equals, 0, |value| {
            *value == Scalar::Float64(50_123.0)
        });
        let metrics = Arc::clone(scan.metrics());
        let found = rows(scan).unwrap();
        assert_eq!(found, ["{\"c\":50123.0}"]);
        let (read_bytes, stride) = (metrics.bytes_read.get(), all / 100);
        let chunks = if compression == ZLIB { 2 * all / 14 } else { 0 };
        assert!(
            (stride..=stride + chunks + 5_000).contains(&read_bytes),
            "{read_bytes} of {all}"
        );
        check_starts(bytes, 25_000);
    }
}
