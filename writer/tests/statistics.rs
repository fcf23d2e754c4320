//! Statistics in the file are those of the rows: recomputed value by value, by `Scalar`'s order.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod any;

use std::cmp::Ordering;

use any::AnyTable;
use lith_format::meta::FileMeta;
use lith_format::scalar::Scalar;
use lith_format::stats::{Bound, ColumnStats};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;

fn write(table: &AnyTable, row_group_rows: usize) -> FileMeta {
    let options = WriteOptions {
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
    let slots = |batch: &lith_format::vector::Batch| {
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

fn agree(stats: &ColumnStats, slots: &[Scalar]) -> bool {
    let nulls = slots.iter().filter(|value| value.is_null()).count() as u64;
    let nans = slots.iter().filter(|value| value.is_nan()).count() as u64;
    let ordered: Vec<&Scalar> = slots
        .iter()
        .filter(|v| !v.is_null() && !v.is_nan())
        .collect();
    stats.null_count == Some(nulls)
        && stats.value_count == Some(slots.len() as u64)
        && stats.nan_count.is_none_or(|count| count == nans)
        && (nans == 0 || stats.nan_count.is_some())
        && stats.min.is_some() != ordered.is_empty()
        && holds(stats.min.as_ref(), &ordered, Ordering::Less)
        && holds(stats.max.as_ref(), &ordered, Ordering::Greater)
}

quickcheck::quickcheck! {
    fn chunk_statistics_are_those_of_the_rows(table: AnyTable, size: u8) -> bool {
        let row_group_rows = 1 + usize::from(size);
        let meta = write(&table, row_group_rows);
        let total: usize = table.batches.iter().map(|batch| batch.rows).sum();
        let columns: Vec<Vec<Scalar>> =
            (0..table.schema.fields.len()).map(|column| values(&table, column)).collect();
        assert_eq!(meta.rows, total as u64);
        assert_eq!(meta.schema, table.schema);
        meta.row_groups.iter().enumerate().all(|(ordinal, group)| {
            let from = ordinal * row_group_rows;
            let rows = from..from + group.rows as usize;
            group.chunks.iter().zip(&columns).all(|(chunk, slots)| {
                let agreed = agree(&chunk.stats, &slots[rows.clone()]);
                assert!(agreed, "{:?} of {:?}", chunk.stats, &slots[rows.clone()]);
                agreed
            })
        })
    }
}
