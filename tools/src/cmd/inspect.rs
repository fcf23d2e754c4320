//! `lith inspect`: what a file or dataset holds, on one screen, from footers alone.

use std::io::{self, Write};

use lith_format::render::escape_controls;
use serde_json::{Value, json};

use crate::args::{Inspect, TextFormat};
use crate::dataset::Opened;
use crate::failure::Result;
use crate::leaves::{bound_cell, bound_json};
use crate::output::{Table, bytes, count, plural, share};
use crate::summary::{ColumnSummary, Summary};
use crate::warnings::warnings;

pub(super) fn run(args: &Inspect) -> Result {
    let opened = Opened::new(&args.input)?;
    let summary = Summary::new(opened.files())?;
    let partitions = &opened.table.dataset;
    let text = match args.format {
        TextFormat::Text => {
            let names = partitions
                .partition_columns
                .iter()
                .map(|field| field.name.as_str());
            let names: Vec<String> = names.map(escape_controls).collect();
            let mut text = heading(&summary);
            if !names.is_empty() {
                let total = partitions.partitions.len() as u64;
                let by = names.join(", ");
                text.push_str(&format!("{} by {by}\n", plural(total, "partition")));
            }
            let warnings = warnings(&summary);
            let warnings = warnings.iter().map(|line| escape_controls(line) + "\n");
            format!(
                "{text}{}\n{}",
                columns(&summary),
                warnings.collect::<String>()
            )
        }
        TextFormat::Json => format!("{}\n", as_json(&summary)),
    };
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

fn heading(summary: &Summary) -> String {
    let place = match summary.files {
        1 => escape_controls(&summary.first),
        files => {
            let first = escape_controls(&summary.first);
            format!("{}, the first {first}", plural(files, "file"))
        }
    };
    let writer = match &summary.writers[..] {
        [] => "an unknown writer".to_string(),
        writers => escape_controls(&writers.join(", ")),
    };
    format!(
        "{place}\n{} by {writer}\n{} in {}, {} ({} of it footers)\n",
        summary.formats.join(", "),
        plural(summary.rows, "row"),
        plural(summary.row_groups, "row group"),
        bytes(summary.bytes),
        bytes(summary.footer_bytes),
    )
}

fn columns(summary: &Summary) -> Table {
    let titles = [
        "column",
        "type",
        "codec",
        "encodings",
        "size",
        "share",
        "ratio",
        "nulls",
        "min",
        "max",
        "index",
    ];
    let mut table = Table::new(titles);
    let whole = summary
        .columns
        .iter()
        .filter_map(|column| column.compressed)
        .sum();
    for column in &summary.columns {
        table.push(cells(column, whole));
    }
    (4..=7).fold(table, Table::right)
}

fn cells(column: &ColumnSummary, whole: u64) -> Vec<Option<String>> {
    let unknown = || "-".to_string();
    let ratio = |(compressed, plain): (u64, u64)| match compressed {
        0 => unknown(),
        _ => format!("{:.1}x", plain as f64 / compressed as f64),
    };
    let cells = [
        column.name.clone(),
        column.ty.to_string(),
        column.codecs.join(" "),
        column.encodings.join(" "),
        column.compressed.map_or_else(unknown, bytes),
        column
            .compressed
            .map_or_else(unknown, |size| share(size, whole)),
        column
            .compressed
            .zip(column.uncompressed)
            .map_or_else(unknown, ratio),
        column.stats.null_count.map_or_else(unknown, count),
        shorten(bound_cell(column.min())),
        shorten(bound_cell(column.max())),
        column.indexes(),
    ];
    cells.into_iter().map(Some).collect()
}

fn shorten(text: String) -> String {
    const WIDTH: usize = 24;
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn as_json(summary: &Summary) -> Value {
    let column = |column: &ColumnSummary| {
        json!({
            "name": column.name,
            "type": column.ty.to_string(),
            "codecs": column.codecs,
            "encodings": column.encodings,
            "compressed_bytes": column.compressed,
            "uncompressed_bytes": column.uncompressed,
            "null_count": column.stats.null_count,
            "min": bound_json(&column.ty, &column.stats.min),
            "max": bound_json(&column.ty, &column.stats.max),
            "has_index": column.has_index,
            "has_bloom": column.has_bloom,
            "distrust": column.distrust,
        })
    };
    json!({
        "schema_version": 1,
        "files": summary.files,
        "formats": summary.formats,
        "created_by": summary.writers,
        "rows": summary.rows,
        "row_groups": summary.row_groups,
        "bytes": summary.bytes,
        "footer_bytes": summary.footer_bytes,
        "warnings": warnings(summary),
        "columns": summary.columns.iter().map(column).collect::<Vec<_>>(),
    })
}
