//! Statistics in the file are those of the rows: recomputed value by value, by `Scalar`'s order.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod any;

use std::cmp::Ordering;
use std::sync::Arc;

use any::{AnyTable, OrcTable};
use lith_format::meta::{FileMeta, Format};
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::stats::{Bound, ColumnStats};
use lith_format::types::{LogicalType, TimeUnit, Zone};
use lith_format::vector::{Batch, Vector};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;

fn write(table: &AnyTable, format: Format, row_group_rows: usize) -> FileMeta {
    let options = WriteOptions {
        format,
        row_group_rows,
        stride_rows: 1 + row_group_rows / 3,
        ..WriteOptions::default()
    };
    let mut writer = FileWriter::new(Vec::new(), &table.schema, options).unwrap();
    table
        .batches
        .iter()
        .for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap()
}

/// Column `column` of the whole table.
fn values(table: &AnyTable, column: usize) -> Vec<Scalar> {
    let slots = |batch: &Batch| {
        let vector = batch.columns[column].clone();
        (0..batch.rows)
            .map(move |row| vector.value(row))
            .collect::<Vec<_>>()
    };
    table.batches.iter().flat_map(slots).collect()
}

/// Whether `bound` is on the right side of every value, and one of them if it says so.
fn holds(bound: Option<&Bound>, values: &[&Scalar], wrong: Ordering) -> bool {
    bound.is_none_or(|bound| {
        let order = |value: &&Scalar| value.compare(&bound.value).unwrap();
        let hit = values.iter().any(|value| order(value) == Ordering::Equal);
        values.iter().all(|value| order(value) != wrong) && (hit || !bound.exact)
    })
}

fn agree(stats: &ColumnStats, slots: &[Scalar], ordered: &[&Scalar]) -> bool {
    let nulls = slots.iter().filter(|value| value.is_null()).count() as u64;
    stats.null_count == Some(nulls)
        && stats.value_count == Some(slots.len() as u64)
        && holds(stats.min.as_ref(), ordered, Ordering::Less)
        && holds(stats.max.as_ref(), ordered, Ordering::Greater)
}

/// Parquet counts NaNs beside the bounds, and has bounds of every type here that has an order.
fn agree_in_parquet(ty: &LogicalType, stats: &ColumnStats, slots: &[Scalar]) -> bool {
    use LogicalType as T;
    let unordered = matches!(ty, T::Interval | T::Geometry | T::Geography);
    let nans = slots.iter().filter(|value| value.is_nan()).count() as u64;
    let is_number = |value: &&Scalar| !value.is_null() && !value.is_nan();
    let ordered: Vec<&Scalar> = slots.iter().filter(is_number).collect();
    agree(stats, slots, &ordered)
        && stats.nan_count.is_none_or(|count| count == nans)
        && (nans == 0 || stats.nan_count.is_some())
        && stats.min.is_some() != (unordered || ordered.is_empty())
        && stats.max.is_some() != (unordered || ordered.is_empty())
}

/// ORC has no bounds where there is a NaN, so that those it has are of all values.
fn agree_in_orc(_: &LogicalType, stats: &ColumnStats, slots: &[Scalar]) -> bool {
    let ordered: Vec<&Scalar> = slots.iter().filter(|value| !value.is_null()).collect();
    agree(stats, slots, &ordered)
}

/// Whether `agree` holds of every chunk and the rows it was written from.
fn check(
    table: &AnyTable,
    format: Format,
    row_group_rows: usize,
    agree: fn(&LogicalType, &ColumnStats, &[Scalar]) -> bool,
) -> bool {
    let meta = write(table, format, row_group_rows);
    let total: usize = table.batches.iter().map(|batch| batch.rows).sum();
    let columns: Vec<Vec<Scalar>> = (0..table.schema.fields.len())
        .map(|column| values(table, column))
        .collect();
    assert_eq!(meta.rows, total as u64);
    meta.row_groups.iter().enumerate().all(|(ordinal, group)| {
        let from = ordinal * row_group_rows;
        let rows = from..from + group.rows as usize;
        let fields = table.schema.fields.iter();
        let mut chunks = group.chunks.iter().zip(&columns).zip(fields);
        chunks.all(|((chunk, slots), field)| {
            let agreed = agree(&field.ty, &chunk.stats, &slots[rows.clone()]);
            assert!(agreed, "{chunk:?} of {:?}", &slots[rows.clone()]);
            agreed
        })
    })
}

quickcheck::quickcheck! {
    fn parquet_statistics_are_those_of_the_rows(table: AnyTable, size: u8) -> bool {
        check(&table, Format::Parquet, 1 + usize::from(size), agree_in_parquet)
    }

    fn orc_statistics_are_those_of_the_rows(table: OrcTable, size: u8) -> bool {
        check(&table.0, Format::Orc, 1 + usize::from(size), agree_in_orc)
    }
}

/// What readers may prune by is there, not just right.
#[test]
fn orc_has_bounds_of_what_has_an_order() {
    use LogicalType as T;
    let unit = TimeUnit::Micros;
    let zone = Zone::Utc;
    let (precision, scale) = (10, 2);
    for (ty, value) in [
        (T::Int64, Scalar::Int(-7)),
        (T::Float64, Scalar::Float64(1.5)),
        (T::Boolean, Scalar::Boolean(true)),
        (T::Date, Scalar::Date(-1)),
        (T::String, Scalar::string("é")),
        (
            T::Timestamp { unit, zone },
            Scalar::Timestamp {
                value: -1_234_567,
                unit,
                zone,
            },
        ),
        (
            T::Decimal { precision, scale },
            Scalar::Decimal {
                unscaled: -5,
                scale,
            },
        ),
    ] {
        let schema = Schema::new(vec![Field::nullable("c", ty.clone())]);
        let scalars = [Scalar::Null, value.clone(), value.clone()];
        let batch = Batch {
            schema: Arc::new(schema.clone()),
            rows: scalars.len(),
            columns: vec![Vector::from_scalars(ty.clone(), &scalars).unwrap()],
        };
        let batches = vec![batch];
        let meta = write(&AnyTable { schema, batches }, Format::Orc, 10);
        let stats = &meta.row_groups[0].chunks[0].stats;
        assert_eq!(stats.null_count, Some(1), "{ty}");
        for bound in [&stats.min, &stats.max] {
            let bound = bound.as_ref().unwrap();
            assert!(bound.value == value && bound.exact, "{ty}: {bound:?}");
        }
    }
}
