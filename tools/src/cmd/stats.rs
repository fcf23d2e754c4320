//! `lith stats`: the statistics of every leaf in every row group, as far as they can be trusted.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use lith_format::error::Result as FormatResult;
use lith_format::meta::{ChunkMeta, Format};
use lith_reader::file::File;
use serde_json::{Value, json};

use crate::args::Stats;
use crate::dataset::Dataset;
use crate::failure::{Failed, Result};
use crate::leaves::{Leaf, Wanted, bound_cell, bound_json};
use crate::names::group_name;
use crate::output::{Document, Listed, Listing, Table, bytes, count};

/// A leaf in a row group of a file, or the error in its place.
struct Row<'a> {
    file: &'a str,
    row_group: usize,
    rows: u64,
    leaf: &'a Leaf,
    chunk: FormatResult<Cow<'a, ChunkMeta>, String>,
}

pub(super) fn run(args: &Stats) -> Result {
    let dataset = Dataset::new(&args.input)?;
    // a single file is not named in every line
    let unnamed = dataset.files.files.len() == 1;
    let mut listing = Listing::new("stats", args.format, move |rows| table(rows, unnamed));
    let mut wanted = Wanted::new(args.columns.as_deref());
    let mut out = BufWriter::new(io::stdout().lock());
    let mut document = Document::new(&mut out, args.format);
    let told = dataset.each(|file| {
        let leaves = wanted.select(file, unnamed)?;
        if leaves.is_empty() && args.columns.is_some() {
            return Ok(());
        }
        let mut failed = Failed::default();
        each_chunk(file, &leaves, &mut failed, |row| {
            listing.add(row, &mut document)
        })?;
        failed.end()?;
        Ok(listing.begin(&mut document)?)
    });
    listing.end(&mut document)?;
    document.end()?;
    out.flush()?;
    told?;
    Ok(wanted.end()?)
}

/// Hands over a row for each of the leaves in each row group.
fn each_chunk(
    file: &File,
    leaves: &[Leaf],
    failed: &mut Failed,
    mut to: impl FnMut(&Row<'_>) -> FormatResult<()>,
) -> FormatResult<()> {
    let name = file.path().display().to_string();
    for row_group in 0..file.row_groups() {
        let group = file.row_group(row_group);
        let group = group.map_err(|error| failed.add(error));
        for leaf in leaves {
            let chunk = match &group {
                Err(told) => Err(told.clone()),
                Ok(group) => group.chunk(leaf.id).map_err(|error| failed.add(error)),
            };
            let Some(chunk) = chunk.transpose() else {
                continue;
            };
            let row = Row {
                file: &name,
                row_group,
                rows: file.rows_of(row_group),
                leaf,
                chunk,
            };
            to(&row)?;
        }
    }
    Ok(())
}

/// A table of rows, whose first cell says what the second one counts.
fn table(rows: &[Vec<String>], unnamed: bool) -> Table {
    let mut groups: Vec<&str> = rows
        .iter()
        .filter_map(|row| Some(row.first()?.as_str()))
        .collect();
    groups.dedup();
    let group = match groups[..] {
        [group] => group,
        _ => group_name(Format::Parquet),
    };
    let titles = [
        group,
        "file",
        "column",
        "rows",
        "values",
        "nulls",
        "NaNs",
        "distinct",
        "min",
        "max",
        "size",
        "uncompressed",
        "index",
        "bounds are not used because",
    ];
    let is_shown = |column: &usize| *column != 1 || !unnamed;
    let shown: Vec<usize> = (0..titles.len()).filter(is_shown).collect();
    let mut table = Table::new(shown.iter().map(|&column| titles[column]))
        .cut_last("column")
        .optional(&["distinct", "NaNs", "index", "uncompressed", "rows"]);
    for row in rows {
        let cells = shown.iter().filter_map(|&column| row.get(column + 1));
        table.push(cells.cloned().map(Some).collect());
    }
    let numbers = shown.iter().enumerate();
    let numbers = numbers.filter(|(_, column)| [0, 3, 4, 5, 6, 7, 10, 11, 12].contains(*column));
    numbers.fold(table, |table, (place, _)| table.right(place))
}

impl Listed for Row<'_> {
    fn is_error(&self) -> bool {
        self.chunk.is_err()
    }

    fn cells(&self) -> Vec<String> {
        let none = || "-".to_string();
        let place = [
            group_name(self.leaf.format()).to_string(),
            self.row_group.to_string(),
            self.file.to_string(),
            self.leaf.name.clone(),
            count(self.rows),
        ];
        let chunk = match &self.chunk {
            Ok(chunk) => chunk,
            Err(error) => {
                let unknown = std::iter::repeat_with(none).take(9);
                let place = place.into_iter().chain(unknown);
                return place.chain([error.clone()]).collect();
            }
        };
        let (stats, ty) = (&chunk.stats, &self.leaf.ty);
        let number = |number: Option<u64>| number.map_or_else(none, count);
        let size = |size: Option<u64>| size.map_or_else(none, bytes);
        let known = [
            number(stats.value_count),
            number(stats.null_count),
            number(stats.nan_count),
            number(stats.distinct_count),
            bound_cell(ty, stats.min.as_ref()),
            bound_cell(ty, stats.max.as_ref()),
            size(chunk.compressed_bytes),
            size(chunk.uncompressed_bytes),
            size(chunk.index_bytes),
            chunk.distrust.unwrap_or_default().to_string(),
        ];
        place.into_iter().chain(known).collect()
    }

    fn json(&self) -> Value {
        let mut out = json!({
            "file": self.file,
            "row_group": self.row_group,
            "column": self.leaf.name,
        });
        for (name, number) in self.leaf.numbers() {
            out[name] = number;
        }
        let chunk = match &self.chunk {
            Ok(chunk) => chunk,
            Err(error) => {
                out["error"] = error.as_str().into();
                return out;
            }
        };
        let (stats, ty) = (&chunk.stats, &self.leaf.ty);
        let members = [
            ("type", json!(ty.to_string())),
            ("full_type", json!(self.leaf.full_type())),
            ("rows", json!(self.rows)),
            ("value_count", json!(stats.value_count)),
            ("null_count", json!(stats.null_count)),
            ("nan_count", json!(stats.nan_count)),
            ("distinct_count", json!(stats.distinct_count)),
            ("min", bound_json(ty, &stats.min)),
            (
                "min_exact",
                json!(stats.min.as_ref().map(|bound| bound.exact)),
            ),
            ("max", bound_json(ty, &stats.max)),
            (
                "max_exact",
                json!(stats.max.as_ref().map(|bound| bound.exact)),
            ),
            ("compressed_bytes", json!(chunk.compressed_bytes)),
            ("uncompressed_bytes", json!(chunk.uncompressed_bytes)),
            ("index_bytes", json!(chunk.index_bytes)),
            ("distrust", json!(chunk.distrust)),
        ];
        for (name, value) in members {
            out[name] = value;
        }
        out
    }
}
