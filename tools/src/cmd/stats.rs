//! `lith stats`: what the statistics of every row group say of its leaves, as far as they may be believed.

use std::io::{self, Write};

use lith_format::meta::ChunkMeta;
use serde_json::{Value, json};

use crate::args::{Stats, TextFormat};
use crate::dataset::Opened;
use crate::failure::Result;
use crate::leaves::{self, Leaf, bound_cell, bound_json, bound_text};
use crate::output::{Table, bytes, count};

/// A leaf in a row group of a file.
struct Row<'a> {
    file: &'a str,
    row_group: usize,
    rows: u64,
    leaf: &'a Leaf,
    chunk: &'a ChunkMeta,
}

pub(super) fn run(args: &Stats) -> Result {
    let opened = Opened::new(&args.input)?;
    // one file need not be named in every line
    let unnamed = usize::from(opened.table.dataset.files.len() == 1);
    let (mut table, mut list) = (table(unnamed), Vec::new());
    for file in opened.files() {
        let file = file?;
        let name = file.path().display().to_string();
        let leaves = leaves::select(file.schema(), args.columns.as_deref())
            .map_err(|error| error.at_path(file.path()))?;
        let meta = file.full_meta()?;
        for (row_group, group) in meta.row_groups.iter().enumerate() {
            for leaf in &leaves {
                let Some(chunk) = group.chunks.get(leaf.id.index()) else {
                    continue;
                };
                let row = Row {
                    file: &name,
                    row_group,
                    rows: group.rows,
                    leaf,
                    chunk,
                };
                match args.format {
                    TextFormat::Text => table.push(row.cells().into_iter().skip(unnamed).collect()),
                    TextFormat::Json => list.push(row.json()),
                }
            }
        }
    }
    let text = match args.format {
        TextFormat::Text => format!("{table}\n"),
        TextFormat::Json => format!("{}\n", json!({"schema_version": 1, "stats": list})),
    };
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

fn table(unnamed: usize) -> Table {
    let titles = [
        "file",
        "row group",
        "column",
        "rows",
        "nulls",
        "NaNs",
        "distinct",
        "min",
        "max",
        "size",
        "plain",
        "not believed",
    ];
    let table = Table::new(titles.into_iter().skip(unnamed));
    let numbers = [1, 3, 4, 5, 6, 9, 10].map(|column| column - unnamed);
    numbers.into_iter().fold(table, Table::right)
}

impl Row<'_> {
    fn cells(&self) -> Vec<Option<String>> {
        let (stats, ty) = (&self.chunk.stats, &self.leaf.ty);
        let number = |number: Option<u64>| number.map_or("-".to_string(), count);
        let size = |size: Option<u64>| size.map_or("-".to_string(), bytes);
        let bound = |bound: Option<_>| bound_cell(bound.and_then(|bound| bound_text(ty, bound)));
        let cells = [
            self.file.to_string(),
            self.row_group.to_string(),
            self.leaf.name.clone(),
            count(self.rows),
            number(stats.null_count),
            number(stats.nan_count),
            number(stats.distinct_count),
            bound(stats.min.as_ref()),
            bound(stats.max.as_ref()),
            size(self.chunk.compressed_bytes),
            size(self.chunk.uncompressed_bytes),
            self.chunk.distrust.unwrap_or_default().to_string(),
        ];
        cells.into_iter().map(Some).collect()
    }

    fn json(&self) -> Value {
        let (stats, ty) = (&self.chunk.stats, &self.leaf.ty);
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
            "compressed_bytes": self.chunk.compressed_bytes,
            "uncompressed_bytes": self.chunk.uncompressed_bytes,
            "distrust": self.chunk.distrust,
        })
    }
}
