//! `lith pages`: the strides of a file's columns, by its indexes: pages of Parquet, row index entries of ORC.

use std::io::{self, Write};
use std::ops::Range;

use lith_format::error::Result as FormatResult;
use lith_format::stats::{Bound, ColumnStats};
use lith_reader::file::{File, OpenOptions};
use serde_json::{Value, json};

use crate::args::{Pages, TextFormat};
use crate::failure::Result;
use crate::leaves::{self, Leaf, bound_cell, bound_json, bound_text};
use crate::output::{Table, count};

/// A stride and whose it is.
struct Row<'a> {
    row_group: usize,
    column: &'a Leaf,
    /// Where it lies, if it is a page.
    place: Option<Range<u64>>,
    /// Which rows it has, where they are known.
    rows: Option<Range<u64>>,
    stats: ColumnStats,
    distrust: Option<&'static str>,
}

pub(super) fn run(args: &Pages) -> Result {
    let file = OpenOptions::default().open(&args.path)?;
    let columns = leaves::select(file.schema(), args.columns.as_deref())
        .map_err(|error| error.at_path(file.path()))?;
    let rows = rows(&file, &columns)?;
    let text = match args.format {
        TextFormat::Text => format!("{}\n", table(&rows)),
        TextFormat::Json => format!("{}\n", as_json(&rows)),
    };
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

fn rows<'a>(file: &File, columns: &'a [Leaf]) -> FormatResult<Vec<Row<'a>>> {
    let mut rows = Vec::new();
    for row_group in 0..file.meta().row_groups.len() {
        for column in columns {
            strides(file, row_group, column, &mut rows)?;
        }
    }
    Ok(rows)
}

/// Adds the strides of a column in a row group.
fn strides<'a>(
    file: &File,
    row_group: usize,
    column: &'a Leaf,
    rows: &mut Vec<Row<'a>>,
) -> FormatResult<()> {
    let source = file.source();
    if let Some(orc) = file.orc() {
        let strides = orc.strides(source, row_group, column.id)?;
        rows.extend(strides.into_iter().map(|stride| Row {
            row_group,
            column,
            place: None,
            rows: Some(stride.rows),
            stats: stride.stats,
            distrust: stride.distrust,
        }));
    } else if let Some(parquet) = file.parquet() {
        let pages = parquet.pages(source, row_group, column.id, &file.limits())?;
        rows.extend(pages.into_iter().map(|page| Row {
            row_group,
            column,
            place: Some(page.range),
            rows: page.rows,
            stats: page.stats,
            distrust: page.distrust,
        }));
    }
    Ok(())
}

fn table(rows: &[Row]) -> Table {
    let places = rows.iter().any(|row| row.place.is_some());
    let place_titles: &[&str] = if places { &["offset", "bytes"] } else { &[] };
    let titles = ["row group", "column", "first row", "rows", "nulls"].iter();
    let titles = titles.chain(place_titles).chain(&["min", "max"]);
    let mut table = Table::new(titles.copied());
    for row in rows {
        let number = |number: Option<u64>| number.map_or_else(|| "-".to_string(), count);
        let bound = |bound: &Option<Bound>| {
            let bound = bound.as_ref();
            bound_cell(bound.and_then(|bound| bound_text(&row.column.ty, bound)))
        };
        let (first, length) = start_and_length(&row.rows);
        let mut cells = vec![
            row.row_group.to_string(),
            row.column.name.clone(),
            number(first),
            number(length),
            number(row.stats.null_count),
        ];
        if places {
            let (offset, bytes) = start_and_length(&row.place);
            cells.extend([number(offset), number(bytes)]);
        }
        cells.extend([bound(&row.stats.min), bound(&row.stats.max)]);
        table.push(cells.into_iter().map(Some).collect());
    }
    let numbers = [0, 2, 3, 4].into_iter().chain(5..5 + place_titles.len());
    numbers.fold(table, Table::right)
}

fn start_and_length(range: &Option<Range<u64>>) -> (Option<u64>, Option<u64>) {
    match range {
        Some(range) => (Some(range.start), Some(range.end - range.start)),
        None => (None, None),
    }
}

fn as_json(rows: &[Row]) -> Value {
    let stride = |row: &Row| {
        let ty = &row.column.ty;
        let (min, max) = (&row.stats.min, &row.stats.max);
        let exact = |bound: &Option<Bound>| bound.as_ref().map(|bound| bound.exact);
        let (first, length) = start_and_length(&row.rows);
        let mut stride = json!({
            "row_group": row.row_group,
            "column": row.column.name,
            "first_row": first,
            "rows": length,
            "null_count": row.stats.null_count,
            "min": bound_json(ty, min),
            "min_exact": exact(min),
            "max": bound_json(ty, max),
            "max_exact": exact(max),
            "distrust": row.distrust,
        });
        if let (Some(offset), Some(bytes)) = start_and_length(&row.place) {
            stride["offset"] = offset.into();
            stride["bytes"] = bytes.into();
        }
        stride
    };
    json!({
        "schema_version": 1,
        "strides": rows.iter().map(stride).collect::<Vec<_>>(),
    })
}
