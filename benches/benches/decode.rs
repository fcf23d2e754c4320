//! Values per second of Parquet's plain, dictionary, delta and byte stream split encodings, by type and by bit
//! width, by the share of nulls, and by how many rows a condition keeps. Pages lie in memory and are not compressed, so that decoding is all there is.

use std::hint::black_box;
use std::sync::Arc;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use lith_benches::encoded::{
    Column, PAGE_ROWS, ROWS, delta_byte_arrays, delta_lengths, deltas, file, random,
};
use lith_benches::open;
use lith_format::bitmap::Bitmap;
use lith_format::error::Result;
use lith_format::filter::Filter;
use lith_format::parquet::encoding::Encoding;
use lith_format::scan::RowPredicate;
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, Values};
use lith_reader::scan::ScanBuilder;
use mimalloc::MiMalloc;

/// What `lith-bench` uses, too: memory that was given back is not cleared again by the system.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn bytes(count: usize) -> Vec<u8> {
    random(count).map(|value| value as u8).collect()
}

/// Length-prefixed values of `length` bytes.
fn byte_arrays(count: usize, length: usize) -> Vec<u8> {
    let value = [&(length as u32).to_le_bytes()[..], &vec![b'x'; length]].concat();
    value.repeat(count)
}

fn rows(scan: ScanBuilder) -> usize {
    let batches = scan.build().expect("the scan is sound");
    batches
        .map(|batch| black_box(batch.expect("the file is whole")).rows)
        .sum()
}

fn time(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, column: Column) {
    let bytes = file(&[column]).expect("the type is one of Parquet's");
    let file = open(&bytes).expect("it was just written");
    group.bench_function(name, |bench| {
        bench.iter(|| assert_eq!(rows(file.scan()), ROWS));
    });
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .throughput(Throughput::Elements(ROWS as u64))
        .sample_size(10);
    group
}

/// The types that are as wide on disk as in memory, and those that are not.
fn plain(criterion: &mut Criterion) {
    let mut group = group(criterion, "plain");
    let fixed = |ty, width| Column::new(ty, Encoding::Plain, bytes(PAGE_ROWS * width));
    let wide = LogicalType::Decimal {
        precision: 38,
        scale: 2,
    };
    let bits = Column::new(LogicalType::Boolean, Encoding::Plain, bytes(PAGE_ROWS / 8));
    time(&mut group, "boolean", bits);
    time(&mut group, "int32", fixed(LogicalType::Int32, 4));
    time(&mut group, "int64", fixed(LogicalType::Int64, 8));
    time(&mut group, "float", fixed(LogicalType::Float32, 4));
    time(&mut group, "double", fixed(LogicalType::Float64, 8));
    time(&mut group, "decimal(38,2)", fixed(wide, 16));
    time(&mut group, "uuid", fixed(LogicalType::Uuid, 16));
    for length in [4, 12, 40] {
        let values = byte_arrays(PAGE_ROWS, length);
        let column = Column::new(LogicalType::Binary, Encoding::Plain, values);
        time(&mut group, &format!("byte array of {length}"), column);
    }
}

fn dictionary(criterion: &mut Criterion) {
    let mut group = group(criterion, "dictionary");
    for width in [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20] {
        let entries = 1 << width;
        let column = Column::of_codes(LogicalType::Int64, width, entries, bytes(entries * 8));
        time(&mut group, &format!("int64, {width} bits"), column);
    }
    for width in [4, 8, 16] {
        let entries = 1 << width;
        let plain = byte_arrays(entries, 12);
        let column = Column::of_codes(LogicalType::Binary, width, entries, plain);
        time(&mut group, &format!("byte array, {width} bits"), column);
    }
}

fn delta(criterion: &mut Criterion) {
    let mut group = group(criterion, "delta");
    let encoding = Encoding::DeltaBinaryPacked;
    for width in [0, 1, 2, 4, 6, 8, 12, 16, 20, 24, 32] {
        let column = Column::new(LogicalType::Int32, encoding, deltas(width));
        time(&mut group, &format!("int32, {width} bits"), column);
    }
    for width in [0, 1, 2, 4, 6, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64] {
        let column = Column::new(LogicalType::Int64, encoding, deltas(width));
        time(&mut group, &format!("int64, {width} bits"), column);
    }
    let column = |encoding, values| Column::new(LogicalType::Binary, encoding, values);
    let lengths = column(Encoding::DeltaLengthByteArray, delta_lengths());
    time(&mut group, "delta length byte array", lengths);
    let arrays = column(Encoding::DeltaByteArray, delta_byte_arrays());
    time(&mut group, "delta byte array", arrays);
}

fn byte_stream_split(criterion: &mut Criterion) {
    let mut group = group(criterion, "byte stream split");
    for (name, ty, width) in [
        ("int32", LogicalType::Int32, 4),
        ("int64", LogicalType::Int64, 8),
        ("float", LogicalType::Float32, 4),
        ("double", LogicalType::Float64, 8),
        ("uuid", LogicalType::Uuid, 16),
    ] {
        let values = bytes(PAGE_ROWS * width);
        let column = Column::new(ty, Encoding::ByteStreamSplit, values);
        time(&mut group, name, column);
    }
}

/// A column of which some rows have no value.
fn nulls(criterion: &mut Criterion) {
    let mut group = group(criterion, "nulls");
    for percent in [0, 1, 10, 50, 90, 100] {
        let validity: Vec<bool> = random(PAGE_ROWS).map(|row| row % 100 >= percent).collect();
        let count = validity.iter().filter(|there| **there).count();
        let column = Column::new(LogicalType::Int64, Encoding::Plain, bytes(count * 8));
        let column = column.with_validity(validity);
        time(&mut group, &format!("int64, {percent} % null"), column);
    }
}

/// Keeps the rows whose first column, from 0 to 999 each as often, is under this many thousandths.
struct Under(i32);

impl RowPredicate for Under {
    fn columns(&self) -> &[usize] {
        &[0]
    }

    fn evaluate(&self, batch: &Batch) -> Result<Bitmap> {
        let mut kept = Bitmap::new();
        if let Values::I32(values) = &batch.columns[0].values {
            values.iter().for_each(|value| kept.push(*value < self.0));
        }
        Ok(kept)
    }
}

/// A column of which only the rows are read that a condition on another one keeps.
fn selected(criterion: &mut Criterion) {
    let mut group = group(criterion, "selected");
    let keys: Vec<i32> = random(PAGE_ROWS).map(|key| (key % 1000) as i32).collect();
    let plain = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    let key = Column::new(LogicalType::Int32, Encoding::Plain, plain);
    for (name, column) in [
        (
            "plain int64",
            Column::new(LogicalType::Int64, Encoding::Plain, bytes(PAGE_ROWS * 8)),
        ),
        (
            "dictionary of 8 bits",
            Column::of_codes(LogicalType::Int64, 8, 256, bytes(256 * 8)),
        ),
        (
            "delta of 8 bits",
            Column::new(LogicalType::Int64, Encoding::DeltaBinaryPacked, deltas(8)),
        ),
        (
            "byte array of 12",
            Column::new(
                LogicalType::Binary,
                Encoding::Plain,
                byte_arrays(PAGE_ROWS, 12),
            ),
        ),
    ] {
        let bytes = file(&[key.clone(), column]).expect("the types are Parquet's");
        let file = open(&bytes).expect("it was just written");
        for thousandths in [1, 10, 100, 500, 1000] {
            let kept = keys.iter().filter(|key| **key < thousandths).count();
            let expected = kept * (ROWS / PAGE_ROWS);
            let id = format!("{name}, {} % of rows", f64::from(thousandths) / 10.0);
            group.bench_function(id, |bench| {
                bench.iter(|| {
                    let under: Arc<dyn RowPredicate> = Arc::new(Under(thousandths));
                    let scan = file.scan().columns([1]).filter(Filter::Opaque, vec![under]);
                    assert_eq!(rows(scan), expected);
                });
            });
        }
    }
}

criterion_group!(
    benches,
    plain,
    dictionary,
    delta,
    byte_stream_split,
    nulls,
    selected
);
criterion_main!(benches);
