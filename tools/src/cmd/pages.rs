//! `lith pages`: the strides of a file's columns, by its index.

use std::io::{self, Write};

use lith_format::error::{Error, Result as FormatResult};
use lith_format::meta::StrideMeta;
use lith_format::render::render_json;
use lith_format::schema::LeafId;
use lith_format::stats::Bound;
use lith_format::types::LogicalType;
use lith_format::vector::Vector;
use lith_reader::file::{File, OpenOptions};
use serde_json::{Value, json};

use crate::args::{Pages, TextFormat};
use crate::dataset::split_columns;
use crate::failure::Result;
use crate::output::{Table, count};
use crate::summary::{bound_cell, bound_text};

/// A leaf of the file that is asked for.
struct Column {
    id: LeafId,
    name: String,
    ty: LogicalType,
}

/// A stride and whose it is.
struct Row<'a> {
    row_group: usize,
    column: &'a Column,
    stride: StrideMeta,
}

pub(super) fn run(args: &Pages) -> Result {
    let file = OpenOptions::default().open(&args.path)?;
    let columns = columns(&file, args.columns.as_deref())?;
    let rows = rows(&file, &columns)?;
    let text = match args.format {
        TextFormat::Text => format!("{}\n", table(&rows)),
        TextFormat::Json => format!("{}\n", as_json(&rows)),
    };
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

/// The leaves that are named, or below what is named, in the order of the file.
fn columns(file: &File, wanted: Option<&str>) -> FormatResult<Vec<Column>> {
    let wanted = wanted.map(split_columns);
    let is_below = |name: &str, of: &str| {
        let rest = name.strip_prefix(of);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let leaves = file.schema().leaves().into_iter().zip(0..);
    let all: Vec<Column> = leaves
        .map(|((path, field), id)| Column {
            id: LeafId(id),
            name: path.join("."),
            ty: field.ty.clone(),
        })
        .collect();
    let Some(wanted) = wanted else {
        return Ok(all);
    };
    for name in &wanted {
        let name = name.trim_matches('`');
        if !all.iter().any(|column| is_below(&column.name, name)) {
            let error = Error::invalid(format!("there is no column {name}"));
            return Err(error.at_path(file.path()));
        }
    }
    let is_wanted = |column: &Column| {
        let mut wanted = wanted.iter();
        wanted.any(|name| is_below(&column.name, name.trim_matches('`')))
    };
    Ok(all.into_iter().filter(is_wanted).collect())
}

fn rows<'a>(file: &File, columns: &'a [Column]) -> FormatResult<Vec<Row<'a>>> {
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

/// A bound as rows show the value.
fn bound_json(ty: &LogicalType, bound: &Option<Bound>) -> Value {
    let Some(bound) = bound else {
        return Value::Null;
    };
    let vector = Vector::constant(ty.clone(), bound.value.clone(), 1);
    let mut text = String::new();
    render_json(&vector, 0, &mut text);
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}
