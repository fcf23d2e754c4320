//! What is written reads back equal: any schema, any values, any encoding, codec, level and page size that the
//! writer has, whatever the batches, the rows that are picked, and the instruction set: column by column, and
//! as a scan with a condition, by one thread and by several.
//!
//! The reader's inner loops are compiled for two instruction sets, scalar and AVX2, and each is forced in turn;
//! none is for AVX-512 (see [`Isa`]), so there is none to force.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod any;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use any::{AnyTable, OrcTable};
use bytes::Bytes;
use lith_format::bitmap::Bitmap;
use lith_format::compress::Codec;
use lith_format::error::Result;
use lith_format::filter::Filter;
use lith_format::limits::Limits;
use lith_format::meta::Format;
use lith_format::scalar::Scalar;
use lith_format::scan::RowPredicate;
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
        let codec = *g.choose(&codecs).unwrap();
        let has_levels = matches!(codec, Codec::Zstd | Codec::Gzip) && bool::arbitrary(g);
        AnyOptions(WriteOptions {
            codec,
            level: has_levels.then(|| 1 + i32::from(u8::arbitrary(g) % 5)),
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

/// How a file is scanned: which columns, by how many threads, in which batches, and which rows pass.
#[derive(Debug, Clone)]
struct AnyScan {
    columns: Vec<usize>,
    batch_rows: usize,
    threads: usize,
    condition: Condition,
}

impl Arbitrary for AnyScan {
    fn arbitrary(g: &mut Gen) -> Self {
        AnyScan {
            columns: Vec::arbitrary(g),
            batch_rows: 1 + usize::arbitrary(g) % 400,
            threads: *g.choose(&[1, 3]).unwrap(),
            condition: Condition {
                column: [usize::arbitrary(g)],
                one_in: *g.choose(&[1, 2, 10]).unwrap(),
            },
        }
    }
}

/// A predicate that about one value in so many passes.
#[derive(Debug, Clone)]
struct Condition {
    column: [usize; 1],
    one_in: u64,
}

impl Condition {
    fn passes(&self, value: &Scalar) -> bool {
        let mut hasher = DefaultHasher::new();
        match value {
            // files may hold them in another unit
            Scalar::Timestamp { value, unit, .. } => {
                let nanos = 1_000_000_000 / i128::from(unit.per_second());
                (value * nanos).hash(&mut hasher);
            }
            other => format!("{other:?}").hash(&mut hasher),
        }
        hasher.finish().is_multiple_of(self.one_in)
    }
}

impl RowPredicate for Condition {
    fn columns(&self) -> &[usize] {
        &self.column
    }

    fn evaluate(&self, batch: &Batch) -> Result<Bitmap> {
        Ok(slots(&batch.columns[0])
            .map(|value| self.passes(&value))
            .collect())
    }
}

fn rows_of(batch: &Batch) -> impl Iterator<Item = Vec<Scalar>> + '_ {
    (0..batch.rows).map(|row| {
        batch
            .columns
            .iter()
            .map(|column| column.value(row))
            .collect()
    })
}

/// Whether a scan gives the rows that pass, by every instruction set that there is.
fn scans_back(table: &AnyTable, options: WriteOptions, mut scan: AnyScan) -> bool {
    let bytes = write(table, options);
    let fields = table.schema.fields.len();
    let places = scan.columns.iter_mut().chain(&mut scan.condition.column);
    places.for_each(|column| *column %= fields);
    let passes = |row: &Vec<Scalar>| scan.condition.passes(&row[scan.condition.column[0]]);
    let passing = table.batches.iter().flat_map(rows_of).filter(passes);
    let project = |row: Vec<Scalar>| {
        scan.columns
            .iter()
            .map(|&column| row[column].clone())
            .collect()
    };
    let expected: Vec<Vec<Scalar>> = passing.map(project).collect();
    let (batch_rows, threads) = (scan.batch_rows, scan.threads);
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for isa in Isa::available() {
        isa.select();
        let condition: Arc<dyn RowPredicate> = Arc::new(scan.condition.clone());
        let scan = open(&bytes).scan().columns(scan.columns.clone());
        let scan = scan.filter(Filter::Opaque, vec![condition]);
        let scan = scan
            .batch_rows(batch_rows)
            .threads(threads)
            .build()
            .unwrap();
        let batches: Vec<Batch> = scan.map(Result::unwrap).collect();
        assert!(batches.iter().all(|batch| batch.rows <= batch_rows));
        let rows: Vec<Vec<Scalar>> = batches.iter().flat_map(rows_of).collect();
        assert_eq!(rows.len(), expected.len(), "by {}", isa.name());
        let mut pairs = rows.iter().flatten().zip(expected.iter().flatten());
        let differs = pairs.find(|(a, b)| !same(a, b));
        assert!(differs.is_none(), "by {}: {differs:?}", isa.name());
    }
    true
}

/// The options of a Parquet file, for an ORC file.
fn of_orc(options: AnyOptions) -> WriteOptions {
    let mut options = options.0;
    options.format = Format::Orc;
    options.key_values.truncate(0);
    if options.codec == Codec::Gzip {
        options.codec = Codec::Deflate;
    }
    options
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
        reads_back(&table.0, of_orc(options), &reading)
    }

    fn scans_of_parquet_give_what_was_written(table: AnyTable, options: AnyOptions, scan: AnyScan) -> bool {
        scans_back(&table, options.0, scan)
    }

    fn scans_of_orc_give_what_was_written(table: OrcTable, options: AnyOptions, scan: AnyScan) -> bool {
        scans_back(&table.0, of_orc(options), scan)
    }
}

/// The properties above try every encoding that the writer has.
#[test]
fn tables_are_written_in_every_encoding() {
    let mut found = BTreeSet::new();
    for _ in 0..200 {
        let mut g = Gen::new(50);
        let bytes = write(
            &AnyTable::arbitrary(&mut g),
            AnyOptions::arbitrary(&mut g).0,
        );
        let file = open(&bytes);
        let chunks = file
            .meta()
            .unwrap()
            .row_groups
            .iter()
            .flat_map(|group| &group.chunks);
        found.extend(chunks.flat_map(|chunk| chunk.encodings.iter().copied()));
    }
    assert!(
        found.is_superset(&BTreeSet::from(["PLAIN", "RLE_DICTIONARY"])),
        "{found:?}"
    );
    let known = BTreeSet::from(["PLAIN", "RLE", "RLE_DICTIONARY"]);
    assert!(found.is_subset(&known), "{found:?}");
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
