//! `lith pages`: the strides of a file's columns, by its index.

use std::io::{self, Write};

use lith_format::error::{Error, Result as FormatResult};
use lith_format::meta::StrideMeta;
use lith_format::stats::Bound;
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
    stride: StrideMeta,
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
    let Some(orc) = file.orc() else {
        let error = Error::unsupported("the pages of Parquet are not shown yet");
        return Err(error.at_path(file.path()));
    };
    let mut rows = Vec::new();
    for row_group in 0..file.meta().row_groups.len() {
        for column in columns {
            let strides = orc.strides(file.source(), row_group, column.id)?;
            rows.extend(strides.into_iter().map(|stride| Row {
                row_group,
                column,
                stride,
            }));
        }
    }
    Ok(rows)
}

fn table(rows: &[Row]) -> Table {
    let titles = [
        "row group",
        "column",
        "first row",
        "rows",
        "nulls",
        "min",
        "max",
    ];
    let mut table = Table::new(titles);
    for row in rows {
        let stride = &row.stride;
        let unknown = || "-".to_string();
        let bound = |bound: &Option<Bound>| {
            let bound = bound.as_ref();
            bound_cell(bound.and_then(|bound| bound_text(&row.column.ty, bound)))
        };
        let cells = [
            row.row_group.to_string(),
            row.column.name.clone(),
            count(stride.rows.start),
            count(stride.rows.end - stride.rows.start),
            stride.stats.null_count.map_or_else(unknown, count),
            bound(&stride.stats.min),
            bound(&stride.stats.max),
        ];
        table.push(cells.into_iter().map(Some).collect());
    }
    [0, 2, 3, 4].into_iter().fold(table, Table::right)
}

fn as_json(rows: &[Row]) -> Value {
    let stride = |row: &Row| {
        let (stride, ty) = (&row.stride, &row.column.ty);
        let (min, max) = (&stride.stats.min, &stride.stats.max);
        let exact = |bound: &Option<Bound>| bound.as_ref().map(|bound| bound.exact);
        json!({
            "row_group": row.row_group,
            "column": row.column.name,
            "first_row": stride.rows.start,
            "rows": stride.rows.end - stride.rows.start,
            "null_count": stride.stats.null_count,
            "min": bound_json(ty, min),
            "min_exact": exact(min),
            "max": bound_json(ty, max),
            "max_exact": exact(max),
            "distrust": stride.distrust,
        })
    };
    json!({
        "schema_version": 1,
        "strides": rows.iter().map(stride).collect::<Vec<_>>(),
    })
}
