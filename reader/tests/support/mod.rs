//! For tests of files made by hand: opens them in memory, and reads any choice of their rows.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

mod render;

use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::Result;
use lith_format::filter::Filter;
use lith_format::limits::Limits;
use lith_format::scalar::Scalar;
use lith_format::scan::RowPredicate;
use lith_format::vector::Batch;
use lith_reader::File;
use lith_reader::column::ReadContext;
use lith_reader::scan::Scan;
use lith_reader::selection::Selection;
use lith_reader::source::BytesSource;

pub(crate) use render::{rows, slots};

/// A file of these bytes.
pub(crate) fn open(bytes: Vec<u8>) -> Result<File> {
    let source = BytesSource::new(bytes, "test");
    File::from_source(Arc::new(source), Limits::default())
}

/// The cells of the first column over all row groups, as JSON.
pub(crate) fn cells(bytes: Vec<u8>) -> Result<String> {
    let file = open(bytes)?;
    let mut out = Vec::new();
    for group in 0..file.row_groups() {
        let rows = file.rows_of(group) as usize;
        out.extend(selected(&file, [group, 0], &Selection::all(rows))?);
    }
    Ok(out.join(" "))
}

/// The cells of the first column in the wanted rows of the first row group.
pub(crate) fn wanted(file: &File, rows: &[bool]) -> Result<String> {
    wanted_of(file, 0, rows)
}

/// The cells of a column in the wanted rows of the first row group.
pub(crate) fn wanted_of(file: &File, column: usize, rows: &[bool]) -> Result<String> {
    let selection = Selection::from_mask(&rows.iter().copied().collect());
    selected(file, [0, column], &selection).map(|cells| cells.join(" "))
}

/// The cells of a column in the selected rows of a row group.
pub(crate) fn selected(
    file: &File,
    [group, column]: [usize; 2],
    selection: &Selection,
) -> Result<Vec<String>> {
    let mut reader = file.column(group, column, &ReadContext::default())?;
    Ok(slots(&reader.read(selection)?))
}

/// Checks for every choice of rows that it gives the chosen ones of `expected`.
pub(crate) fn check_every_choice(bytes: &[u8], expected: &[&str]) {
    let file = open(bytes.to_vec()).unwrap();
    for choice in 0..1u32 << expected.len() {
        let mask: Vec<bool> = (0..expected.len())
            .map(|row| choice >> row & 1 == 1)
            .collect();
        let chosen = expected.iter().zip(&mask).filter(|row| *row.1);
        let chosen: Vec<&str> = chosen.map(|row| *row.0).collect();
        assert_eq!(wanted(&file, &mask).unwrap(), chosen.join(" "), "{mask:?}");
    }
}

struct Condition {
    column: [usize; 1],
    passes: fn(&Scalar) -> bool,
}

impl RowPredicate for Condition {
    fn columns(&self) -> &[usize] {
        &self.column
    }

    fn evaluate(&self, batch: &Batch) -> Result<Bitmap> {
        let column = &batch.columns[0];
        let rows = 0..batch.rows;
        Ok(rows.map(|row| (self.passes)(&column.value(row))).collect())
    }
}

/// The rows whose value in column `column` passes, as JSON, read a few at a time.
pub(crate) fn passing(
    file: &File,
    filter: Filter,
    column: usize,
    passes: fn(&Scalar) -> bool,
) -> Vec<String> {
    rows(filtered(file, filter, column, passes)).unwrap()
}

/// A scan of these rows.
pub(crate) fn filtered(
    file: &File,
    filter: Filter,
    column: usize,
    passes: fn(&Scalar) -> bool,
) -> Scan {
    let condition = condition(column, passes);
    let scan = file.scan().filter(filter, vec![condition]);
    scan.batch_rows(9).build().unwrap()
}

/// A condition on the values of one column, which metadata cannot judge.
pub(crate) fn condition(column: usize, passes: fn(&Scalar) -> bool) -> Arc<dyn RowPredicate> {
    let column = [column];
    Arc::new(Condition { column, passes })
}
