//! `lith inspect`: summarises a file or dataset on one screen, from footers alone.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};

use lith_format::compress::Codec;
use lith_format::error::Result as FormatResult;
use lith_format::render::escape_controls;
use lith_format::schema::LeafId;
use serde_json::{Value, json};

use crate::args::{Inspect, TextFormat};
use crate::dataset::Dataset;
use crate::encryption::Encrypted;
use crate::failure::{Failed, Result};
use crate::leaves::{Place, Wanted, bound_cell, bound_json, shorten};
use crate::output::{Json, Part, Printer, Table, bytes, count, plural, share};
use crate::summary::{ColumnSummary, Summary};
use crate::warnings::{encryption, warnings};

/// How many columns, and how many lines about them, fit a screen.
const COLUMNS: usize = 40;
const NOTES: usize = 15;

pub(super) fn run(args: &Inspect) -> Result {
    let dataset = Dataset::new(&args.input)?;
    let mut summary = Summary::default();
    let mut wanted = Wanted::new(args.columns.as_deref());
    let alone = dataset.files.files.len() == 1;
    // each file is closed before the next is opened: a process may hold only so many open
    let told = dataset.each(|file| {
        let mut failed = Failed::default();
        let shown = wanted.select_all(file, alone)?;
        let shown: Vec<LeafId> = shown.into_iter().map(|leaf| leaf.id).collect();
        let columns = summary.add_file(file, &mut failed)?;
        if !alone {
            summary.differences.add(file.schema(), file.path());
        }
        for leaf in shown {
            summary.columns[columns[leaf.index()]].shown = true;
        }
        Ok(failed.end()?)
    });
    if summary.files == 0 {
        return told;
    }
    wanted.end()?;
    let mut out = BufWriter::new(io::stdout().lock());
    match args.format {
        TextFormat::Text => {
            let (most, notes) = match args.all {
                true => (usize::MAX, usize::MAX),
                false => (COLUMNS, NOTES),
            };
            let text = heading(&summary)
                + &elsewhere(&summary)
                + &layout(&summary)
                + &partitions(&dataset)
                + &columns(&summary, most)
                + &listed(&summary, notes);
            out.write_all(text.as_bytes())?;
        }
        TextFormat::Json => {
            print_json(&summary, &dataset, &mut Json::new(&mut out))?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()?;
    told
}

/// How many partitions there are, and by what.
fn partitions(dataset: &Dataset) -> String {
    let names = partition_names(dataset);
    match names.is_empty() {
        true => String::new(),
        false => {
            let total = dataset.files.partitions.len() as u64;
            let names = escape_controls(&names.join(", "));
            format!("{} by {names}\n", plural(total, "partition"))
        }
    }
}

fn partition_names(dataset: &Dataset) -> Vec<&str> {
    let fields = dataset.files.partition_columns.iter();
    fields.map(|field| field.name.as_str()).collect()
}

/// Encrypted columns and warnings, at most `most` lines.
fn listed(summary: &Summary, most: usize) -> String {
    let mut lines = encryption(summary);
    lines.extend(warnings(summary));
    let left = lines.len().saturating_sub(most);
    lines.truncate(most);
    let mut out: String = lines
        .iter()
        .map(|line| escape_controls(line) + "\n")
        .collect();
    if left > 0 {
        let lines = plural(left as u64, "more line");
        out.push_str(&format!("{lines}: --all shows them\n"));
    }
    out
}

/// How many writers of a dataset's files are named, and in how many letters each.
const WRITERS: usize = 4;
const WRITER_WIDTH: usize = 120;

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
        writers => {
            let shown = writers.iter().take(WRITERS);
            let shown: Vec<String> = shown.map(|writer| shorten(writer, WRITER_WIDTH)).collect();
            let others = writers.len() - shown.len();
            let others = if others > 0 {
                format!(" and {others} others")
            } else {
                String::new()
            };
            escape_controls(&shown.join(", ")) + &others
        }
    };
    let (groups, group) = (summary.row_groups, summary.group_name());
    let each = match groups {
        0 | 1 => String::new(),
        groups => {
            let rows = plural(summary.rows / groups, "row");
            let data = bytes(summary.data_bytes / groups);
            format!(", {rows} and {data} a {group}")
        }
    };
    let index = match summary.index_bytes {
        Some(size) => format!("indexes {}, ", bytes(size)),
        None => String::new(),
    };
    format!(
        "{place}\n{} by {writer}\n{} in {}, {} (data {}, {index}footers {}){each}\n",
        summary.formats.join(", "),
        plural(summary.rows, "row"),
        plural(groups, group),
        bytes(summary.bytes),
        bytes(summary.data_bytes),
        bytes(summary.footer_bytes),
    )
}

/// In which other files the row groups lie of one that only sums them up.
fn elsewhere(summary: &Summary) -> String {
    let Some(first) = summary.elsewhere.first() else {
        return String::new();
    };
    let (first, files) = (escape_controls(first), summary.elsewhere.len() as u64);
    match files {
        1 => format!("the data is in another file: {first}\n"),
        _ => format!(
            "the data is in {}, the first {first}\n",
            plural(files, "other file")
        ),
    }
}

/// In how many letters each of these lines says what there is.
const LIST_WIDTH: usize = 120;

/// How rows lie in row groups and in which order, and what keys the application's metadata has.
fn layout(summary: &Summary) -> String {
    let mut out = String::new();
    if let Some([smallest, largest]) = summary.extremes.filter(|[a, b]| a != b) {
        let group = |(rows, size)| format!("{} in {}", plural(rows, "row"), bytes(size));
        let (smallest, largest) = (group(smallest), group(largest));
        out.push_str(&format!(
            "the smallest {} has {smallest}, the largest {largest}\n",
            summary.group_name()
        ));
    }
    for (title, list) in [
        ("sorted by", listed_names(&summary.orders, ", or by ")),
        ("keys:", listed_names(&summary.keys, ", ")),
    ] {
        if !list.is_empty() {
            let list = escape_controls(&shorten(&list, LIST_WIDTH));
            out.push_str(&format!("{title} {list}\n"));
        }
    }
    out
}

fn listed_names(names: &BTreeSet<String>, between: &str) -> String {
    // more would be cut off
    let names: Vec<&str> = names.iter().take(LIST_WIDTH).map(String::as_str).collect();
    names.join(between)
}

/// The columns; of too many, the largest, in their order.
fn columns(summary: &Summary, most: usize) -> String {
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
    let mut table =
        Table::new(titles)
            .cut_last("column")
            .optional(&["ratio", "index", "encodings", "codec"]);
    let whole = summary
        .columns
        .iter()
        .filter_map(|column| column.compressed)
        .sum();
    let size = |index: &usize| summary.columns[*index].compressed;
    let is_shown = |index: &usize| summary.columns[*index].shown;
    let mut shown: Vec<usize> = (0..summary.columns.len()).filter(is_shown).collect();
    shown.sort_by_key(|index| std::cmp::Reverse(size(index)));
    let hidden = shown.split_off(most.min(shown.len()));
    shown.sort_unstable();
    for index in shown {
        let column = &summary.columns[index];
        let encrypted = summary.is_encrypted(&column.leaf.name);
        table.push(cells(column, whole, encrypted));
    }
    let mut out = format!("{}\n", (4..=7).fold(table, Table::right));
    if !hidden.is_empty() {
        let left = plural(hidden.len() as u64, "more column");
        let share = share(hidden.iter().filter_map(size).sum(), whole);
        out.push_str(&format!(
            "{left}, {share} of the bytes, none larger: --all shows them\n"
        ));
    }
    out
}

fn cells(column: &ColumnSummary, whole: u64, encrypted: bool) -> Vec<Option<String>> {
    let unknown = || "-".to_string();
    let ratio = |(compressed, plain): (u64, u64)| match compressed {
        0 => unknown(),
        _ => format!("{:.1}x", plain as f64 / compressed as f64),
    };
    let cells = [
        column.leaf.name.clone(),
        column.leaf.full_type(),
        codecs(column).join(" "),
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
        bound_cell(&column.leaf.ty, column.stats.min.as_ref()),
        bound_cell(&column.leaf.ty, column.stats.max.as_ref()),
        match encrypted {
            true => "encrypted".into(),
            false => column.indexes(),
        },
    ];
    cells.into_iter().map(Some).collect()
}

fn codecs(column: &ColumnSummary) -> Vec<String> {
    let codecs = column.codecs.iter();
    let name = |codec: &Option<Codec>| codec.map_or("unknown".into(), |codec| codec.to_string());
    codecs.map(name).collect()
}

fn column_json(column: &ColumnSummary) -> Value {
    let leaf = &column.leaf;
    let mut object = json!({
        "name": leaf.name,
        "path": leaf.path.to_vec(),
        "type": leaf.ty.to_string(),
        "full_type": leaf.full_type(),
        "codecs": codecs(column),
        "encodings": column.encodings,
        "compressed_bytes": column.compressed,
        "uncompressed_bytes": column.uncompressed,
        "index_bytes": column.index_bytes,
        "null_count": column.stats.null_count,
        "min": bound_json(&leaf.ty, &column.stats.min),
        "min_exact": column.stats.min.as_ref().map(|bound| bound.exact),
        "max": bound_json(&leaf.ty, &column.stats.max),
        "max_exact": column.stats.max.as_ref().map(|bound| bound.exact),
        "has_index": column.has_index(),
        "has_bloom": column.has_bloom(),
        "bloom_is_trusted": !column.doubtful_bloom,
        "distrust": column.distrust,
        "unread_row_groups": column.unread,
    });
    for (name, number) in leaf.numbers() {
        object[name] = number;
    }
    if let Place::Parquet(path) = &leaf.place {
        object["path_in_schema"] = path.to_vec().into();
    }
    object
}

/// Prints one object, column by column.
fn print_json(summary: &Summary, dataset: &Dataset, out: &mut dyn Printer) -> FormatResult<()> {
    out.part(Part::BeginObject)?;
    out.members(&head_json(summary, dataset))?;
    out.part(Part::Name("columns"))?;
    out.part(Part::BeginList)?;
    let mut columns = summary.columns.iter().filter(|column| column.shown);
    columns.try_for_each(|column| out.value(&column_json(column)))?;
    out.part(Part::EndList)?;
    out.part(Part::EndObject)
}

fn head_json(summary: &Summary, dataset: &Dataset) -> Value {
    let encrypted = |entry: &Encrypted| {
        json!({
            "column": entry.column,
            "algorithm": entry.algorithm,
            "key": entry.key,
            "mask": entry.mask,
        })
    };
    let row_group = |(rows, bytes): (u64, u64)| json!({"rows": rows, "bytes": bytes});
    json!({
        "schema_version": 1,
        "files": summary.files,
        "formats": summary.formats,
        "created_by": summary.writers,
        "rows": summary.rows,
        "row_groups": summary.row_groups,
        "bytes": summary.bytes,
        "data_bytes": summary.data_bytes,
        "index_bytes": summary.index_bytes,
        "footer_bytes": summary.footer_bytes,
        "other_files": summary.elsewhere,
        "smallest_row_group": summary.extremes.map(|[smallest, _]| row_group(smallest)),
        "largest_row_group": summary.extremes.map(|[_, largest]| row_group(largest)),
        "sorted_by": summary.orders,
        "keys": summary.keys,
        "partition_columns": partition_names(dataset),
        "partitions": dataset.files.partitions.len(),
        "encryption": summary.encryption().into_iter().map(encrypted).collect::<Vec<_>>(),
        "warnings": warnings(summary),
    })
}
