//! `lith stats`: the statistics of every leaf in every row group, as far as they can be trusted.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use lith_format::error::Result as FormatResult;
use lith_format::meta::ChunkMeta;
use lith_reader::file::File;
use serde_json::{Value, json};

use crate::args::Stats;
use crate::dataset::Dataset;
use crate::failure::{Failed, Result};
use crate::leaves::{Leaf, Wanted, bound_cell, bound_json};
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
        let leaves = wanted.select(file.schema(), file.path(), unnamed)?;
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
        // sizes of ORC's columns are in the footer of their stripe
        let stripe = file.orc().map(|orc| {
            let walk = orc.walk(file.source().as_ref(), row_group);
            walk.map(|walk| walk.meta())
                .map_err(|error| failed.add(error))
        });
        for leaf in leaves {
            let chunk = match &stripe {
                Some(Err(told)) => Err(told.clone()),
                Some(Ok(stripe)) => Ok(stripe.chunks.get(leaf.id.index()).map(Cow::Borrowed)),
                None => file
                    .chunk(row_group, leaf.id)
                    .map(|chunk| chunk.map(Cow::Owned))
                    .map_err(|error| failed.add(error)),
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

fn table(rows: &[Vec<String>], unnamed: bool) -> Table {
    let unnamed = usize::from(unnamed);
    let titles = [
        "file",
        "row group",
        "column",
        "rows",
        "values",
        "nulls",
        "NaNs",
        "distinct",
        "min",
        "max",
        "size",
        "plain",
        "not trusted",
    ];
    let mut table = Table::new(titles.into_iter().skip(unnamed));
    for row in rows {
        table.push(row.iter().skip(unnamed).cloned().map(Some).collect());
    }
    let numbers = [1, 3, 4, 5, 6, 7, 10, 11].map(|column| column - unnamed);
    numbers.into_iter().fold(table, Table::right)
}

impl Listed for Row<'_> {
    fn is_error(&self) -> bool {
        self.chunk.is_err()
    }

    fn cells(&self) -> Vec<String> {
        let none = || "-".to_string();
        let place = [
            self.file.to_string(),
            self.row_group.to_string(),
            self.leaf.name.clone(),
            count(self.rows),
        ];
        let chunk = match &self.chunk {
            Ok(chunk) => chunk,
            Err(error) => {
                let unknown = std::iter::repeat_with(none).take(8);
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
            chunk.distrust.unwrap_or_default().to_string(),
        ];
        place.into_iter().chain(known).collect()
    }

    fn json(&self) -> Value {
        let chunk = match &self.chunk {
            Ok(chunk) => chunk,
            Err(error) => {
                return json!({
                    "file": self.file,
                    "row_group": self.row_group,
                    "column": self.leaf.name,
                    "error": error,
                });
            }
        };
        let (stats, ty) = (&chunk.stats, &self.leaf.ty);
        json!({
            "file": self.file,
            "row_group": self.row_group,
            "column": self.leaf.name,
            "type": ty.to_string(),
            "rows": self.rows,
            "value_count": stats.value_count,
            "null_count": stats.null_count,
            "nan_count": stats.nan_count,
            "distinct_count": stats.distinct_count,
            "min": bound_json(ty, &stats.min),
            "min_exact": stats.min.as_ref().map(|bound| bound.exact),
            "max": bound_json(ty, &stats.max),
            "max_exact": stats.max.as_ref().map(|bound| bound.exact),
            "compressed_bytes": chunk.compressed_bytes,
            "uncompressed_bytes": chunk.uncompressed_bytes,
            "distrust": chunk.distrust,
        })
    }
}
