//! What is written reads back equal: any schema, any values, any options, through the reader's own code.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod any;

use std::sync::{Arc, Mutex, PoisonError};

use any::{AnyTable, OrcTable};
use bytes::Bytes;
use lith_format::compress::Codec;
use lith_format::limits::Limits;
use lith_format::meta::Format;
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::{LogicalType, TimeUnit, Zone};
use lith_format::vector::{Batch, Vector};
use lith_reader::column::ReadContext;
use lith_reader::file::File;
use lith_reader::isa::Isa;
use lith_reader::selection::Selection;
use lith_reader::source::{BytesSource, Source};
use lith_writer::file::FileWriter;
use lith_writer::options::{ParquetOptions, Statistics, WriteOptions};
use quickcheck::{Arbitrary, Gen};

#[derive(Debug, Clone)]
struct AnyOptions(WriteOptions);

impl Arbitrary for AnyOptions {
    fn arbitrary(g: &mut Gen) -> Self {
        let codecs = [
            Codec::None,
            Codec::Snappy,
            Codec::Zstd,
            Codec::Gzip,
            Codec::Lz4,
        ];
        let statistics = [Statistics::None, Statistics::RowGroups, Statistics::Strides];
        AnyOptions(WriteOptions {
            codec: *g.choose(&codecs).unwrap(),
            row_group_rows: 1 + usize::arbitrary(g) % 500,
            row_group_bytes: 1 + usize::arbitrary(g) % 10_000,
            stride_rows: 1 + usize::arbitrary(g) % 200,
            statistics: *g.choose(&statistics).unwrap(),
            threads: 1 + usize::arbitrary(g) % 2,
            key_values: vec![
                ("k".to_owned(), None),
                (String::new(), Some("é".to_owned())),
            ],
            parquet: ParquetOptions {
                page_bytes: 1 + usize::arbitrary(g) % 1000,
                dictionary_bytes: usize::arbitrary(g) % 2000,
                data_page_v2: bool::arbitrary(g),
                checksums: bool::arbitrary(g),
            },
            ..WriteOptions::default()
        })
    }
}

/// Scalars whose equality is by value; floats are compared by bits here, so that NaN and -0.0 count.
fn same(a: &Scalar, b: &Scalar) -> bool {
    match (a, b) {
        (Scalar::Float32(a), Scalar::Float32(b)) => a.to_bits() == b.to_bits(),
        (Scalar::Float64(a), Scalar::Float64(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

fn slots(vector: &Vector) -> impl Iterator<Item = Scalar> + '_ {
    (0..vector.len).map(|row| vector.value(row))
}

fn write(table: &AnyTable, options: WriteOptions) -> Vec<u8> {
    let mut writer = FileWriter::new(Vec::new(), &table.schema, options).unwrap();
    table
        .batches
        .iter()
        .for_each(|batch| writer.write(batch).unwrap());
    let (returned, bytes) = writer.into_parts().unwrap();
    assert_eq!(
        format!("{returned:?}"),
        format!("{:?}", open(&bytes).meta().unwrap())
    );
    bytes
}

fn open(bytes: &[u8]) -> File {
    let source: Arc<dyn Source> =
        Arc::new(BytesSource::new(Bytes::copy_from_slice(bytes), "memory"));
    File::from_source(source, Limits::default()).unwrap()
}

/// How a column is read: in windows of so many rows, and of them those that a pattern picks over and over.
#[derive(Debug, Clone)]
struct AnyReading {
    window: usize,
    pattern: Vec<bool>,
}

impl AnyReading {
    fn all(window: usize) -> Self {
        let pattern = vec![true];
        AnyReading { window, pattern }
    }

    fn wants(&self, row: usize) -> bool {
        self.pattern[row % self.pattern.len()]
    }
}

impl Arbitrary for AnyReading {
    fn arbitrary(g: &mut Gen) -> Self {
        let window = 1 + usize::arbitrary(g) % 400;
        let stretch = *g.choose(&[1, 3, 40]).unwrap();
        let picks: Vec<bool> = Vec::arbitrary(g);
        let stretched = picks.iter().flat_map(|&pick| vec![pick; stretch]);
        let pattern: Vec<bool> = stretched.chain([true]).collect();
        match u8::arbitrary(g) % 3 {
            0 => AnyReading::all(window),
            _ => AnyReading { window, pattern },
        }
    }
}

/// The picked rows of column `column` of the file, row group by row group.
fn read(bytes: &[u8], column: usize, reading: &AnyReading) -> Vec<Scalar> {
    let (file, context) = (open(bytes), ReadContext::default());
    let (mut out, mut row) = (Vec::new(), 0);
    for (ordinal, group) in file.meta().unwrap().row_groups.iter().enumerate() {
        let mut reader = file.column(ordinal, column, &context).unwrap();
        let mut left = group.rows as usize;
        while left > 0 {
            let rows = left.min(reading.window);
            let mask = (row..row + rows).map(|row| reading.wants(row)).collect();
            row += rows;
            out.extend(slots(&reader.read(&Selection::from_mask(&mask)).unwrap()));
            left -= rows;
        }
    }
    out
}

static TURN: Mutex<()> = Mutex::new(());

/// Whether the picked rows come back by every instruction set that there is.
fn reads_back(table: &AnyTable, options: WriteOptions, reading: &AnyReading) -> bool {
    let bytes = write(table, options);
    // the instruction set is the process's: tests take turns
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    table
        .schema
        .fields
        .iter()
        .enumerate()
        .all(|(column, field)| {
            let column_of = |batch: &Batch| slots(&batch.columns[column]).collect::<Vec<_>>();
            let written = table.batches.iter().flat_map(column_of).enumerate();
            let written: Vec<Scalar> = written
                .filter_map(|(row, value)| reading.wants(row).then_some(value))
                .collect();
            for isa in Isa::available() {
                isa.select();
                let read = read(&bytes, column, reading);
                assert_eq!(written.len(), read.len());
                let differs = written.iter().zip(&read).find(|(a, b)| !same(a, b));
                assert!(
                    differs.is_none(),
                    "{} by {}: {differs:?}",
                    field.ty,
                    isa.name()
                );
            }
            true
        })
}

quickcheck::quickcheck! {
    fn what_is_written_to_parquet_reads_back(
        table: AnyTable,
        options: AnyOptions,
        reading: AnyReading
    ) -> bool {
        reads_back(&table, options.0, &reading)
    }

    fn what_is_written_to_orc_reads_back(
        table: OrcTable,
        options: AnyOptions,
        reading: AnyReading
    ) -> bool {
        let mut options = options.0;
        options.format = Format::Orc;
        options.key_values.truncate(0);
        if options.codec == Codec::Gzip {
            options.codec = Codec::Deflate;
        }
        reads_back(&table.0, options, &reading)
    }
}

/// Timestamps around 1970 and 2015, where ORC's seconds and nanoseconds are subtle.
#[test]
fn orc_keeps_every_timestamp_near_its_epochs() {
    let ty = LogicalType::Timestamp {
        unit: TimeUnit::Nanos,
        zone: Zone::Unstated,
    };
    let near = [
        0,
        -1_000_000_000,
        -2_000_000_000,
        1_420_070_400_000_000_000i128,
    ];
    let far = [
        0,
        1,
        100,
        999_999,
        1_000_000,
        1_000_001,
        500_000_000,
        999_999_999,
    ];
    let values: Vec<Scalar> = near
        .iter()
        .flat_map(|near| far.iter().flat_map(move |far| [near - far, near + far]))
        .map(|value| Scalar::Timestamp {
            value,
            unit: TimeUnit::Nanos,
            zone: Zone::Unstated,
        })
        .collect();
    let schema = Schema::new(vec![Field::required("t", ty.clone())]);
    let batch = Batch {
        schema: Arc::new(schema.clone()),
        rows: values.len(),
        columns: vec![Vector::from_scalars(ty, &values).unwrap()],
    };
    let options = WriteOptions {
        format: Format::Orc,
        ..WriteOptions::default()
    };
    let batches = vec![batch];
    assert!(reads_back(
        &AnyTable { schema, batches },
        options,
        &AnyReading::all(200)
    ));
}

/// A dictionary that is dropped in one row group is tried anew in the next.
#[test]
fn row_groups_of_few_and_of_many_values_alternate() {
    const ROWS: i64 = 20_000;
    let schema = Schema::new(vec![Field::required("c", LogicalType::Int64)]);
    let batch = |group: i64| {
        let value = |row: i64| Scalar::Int(if group % 2 == 0 { row % 7 } else { row });
        let values: Vec<Scalar> = (0..ROWS).map(value).collect();
        Batch {
            schema: Arc::new(schema.clone()),
            rows: ROWS as usize,
            columns: vec![Vector::from_scalars(LogicalType::Int64, &values).unwrap()],
        }
    };
    let table = AnyTable {
        schema: schema.clone(),
        batches: (0..4).map(batch).collect(),
    };
    let options = WriteOptions {
        row_group_rows: ROWS as usize,
        ..WriteOptions::default()
    };
    let bytes = write(&table, options);
    let file = open(&bytes);
    let groups = &file.meta().unwrap().row_groups;
    let coded = |group: usize| {
        groups[group].chunks[0]
            .encodings
            .contains(&"RLE_DICTIONARY")
    };
    assert_eq!([0, 1, 2, 3].map(coded), [true, false, true, false]);
    let written: Vec<Scalar> = table
        .batches
        .iter()
        .flat_map(|batch| slots(&batch.columns[0]))
        .collect();
    assert!(written == read(&bytes, 0, &AnyReading::all(4096)));
}
