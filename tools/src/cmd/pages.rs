//! `lith pages`: the pages of Parquet columns, by indexes and headers, and the strides of ORC columns, by row
//! index entries.
//!
//! A column that is encrypted is told in place of its pages; if there are no others, that is the error.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use lith_format::error::{ErrorKind, Result as FormatResult};
use lith_format::meta::{FileMeta, StrideMeta};
use lith_format::parquet::page::PageHeader;
use lith_format::parquet::strides::PageMeta;
use lith_format::stats::{Bound, ColumnStats};
use lith_reader::file::{File, OpenOptions};
use lith_reader::parquet::HeadedPage;
use serde_json::{Value, json};

use crate::args::{Pages, TextFormat};
use crate::failure::Result;
use crate::leaves::{self, Leaf, bound_cell, bound_json, bound_text};
use crate::output::{Document, Table, count, print_documents};

/// A stride and whose it is; or why there is none.
struct Row<'a> {
    row_group: usize,
    column: &'a Leaf,
    stride: FormatResult<Stride>,
}

/// A page or what a row index speaks of.
#[derive(Default)]
struct Stride {
    /// Where it lies, if it is a page.
    place: Option<Range<u64>>,
    header: Option<PageHeader>,
    encoding: Option<String>,
    /// Which rows it has, where they are known.
    rows: Option<Range<u64>>,
    values: Option<u64>,
    stats: ColumnStats,
    distrust: Option<&'static str>,
}

pub(super) fn run(args: &Pages) -> Result {
    print_documents(&args.files.paths, |path| document(path, args))
}

fn document(path: &Path, args: &Pages) -> Result<Document> {
    let file = OpenOptions::default().open(path)?;
    let columns = leaves::select(file.schema(), args.columns.as_deref())
        .map_err(|error| error.at_path(file.path()))?;
    let rows = rows(&file, &columns)?;
    Ok(match args.format {
        TextFormat::Text => Document::Text(table(&rows).to_string()),
        TextFormat::Json => Document::Json(json!({
            "schema_version": 1,
            "strides": rows.iter().map(Row::json).collect::<Vec<_>>(),
        })),
    })
}

fn rows<'a>(file: &File, columns: &'a [Leaf]) -> FormatResult<Vec<Row<'a>>> {
    let (meta, mut rows) = (file.full_meta()?, Vec::new());
    for row_group in 0..meta.row_groups.len() {
        for column in columns {
            let row = |stride| Row {
                row_group,
                column,
                stride,
            };
            match strides(file, &meta, row_group, column) {
                Ok(strides) => rows.extend(strides.into_iter().map(|stride| row(Ok(stride)))),
                Err(error) if error.kind() == ErrorKind::Encrypted => rows.push(row(Err(error))),
                Err(error) => return Err(error),
            }
        }
    }
    if rows.iter().any(|row| row.stride.is_ok()) {
        return Ok(rows);
    }
    let shown = |row: Row<'a>| {
        let stride = Ok(row.stride?);
        Ok(Row { stride, ..row })
    };
    rows.into_iter().map(shown).collect()
}

/// The strides of a column in a row group.
fn strides(
    file: &File,
    meta: &FileMeta,
    row_group: usize,
    column: &Leaf,
) -> FormatResult<Vec<Stride>> {
    let (source, leaf) = (file.source(), column.id);
    if let Some(parquet) = file.parquet() {
        let pages = parquet.pages(source, row_group, leaf, &file.limits())?;
        let headers = parquet.page_headers(source, row_group, leaf, &file.limits())?;
        return Ok(headed(pages, headers));
    }
    let Some(orc) = file.orc() else {
        return Ok(Vec::new());
    };
    let group = meta.row_groups.get(row_group);
    let chunk = group.and_then(|group| group.chunks.get(leaf.index()));
    let encoding = chunk.and_then(|chunk| chunk.encodings.first());
    let strides = orc.strides(source, row_group, leaf)?.into_iter();
    let stride = |stride: StrideMeta| Stride {
        encoding: encoding.map(|name| name.to_string()),
        rows: Some(stride.rows),
        values: stride.stats.value_count,
        stats: stride.stats,
        distrust: stride.distrust,
        ..Stride::default()
    };
    Ok(strides.map(stride).collect())
}

/// What indexes and headers say of the same pages; those of dictionaries have a header only.
fn headed(pages: Vec<PageMeta>, headers: Vec<HeadedPage>) -> Vec<Stride> {
    let pages = pages.into_iter().map(|page| {
        let stride = Stride {
            place: Some(page.range.clone()),
            rows: page.rows,
            values: page.stats.value_count,
            stats: page.stats,
            distrust: page.distrust,
            ..Stride::default()
        };
        (page.range.start, stride)
    });
    let mut strides: BTreeMap<u64, Stride> = pages.collect();
    for (range, header) in headers {
        let stride = strides.entry(range.start).or_default();
        stride.place.get_or_insert(range);
        if let Some((values, encoding)) = header.values() {
            stride.values = u64::try_from(values).ok();
            stride.encoding = Some(encoding.to_string());
        }
        stride.header = Some(header);
    }
    strides.into_values().collect()
}

const TITLES: [&str; 14] = [
    "row group",
    "column",
    "type",
    "encoding",
    "first row",
    "rows",
    "values",
    "nulls",
    "offset",
    "bytes",
    "compressed",
    "uncompressed",
    "min",
    "max",
];
/// Which of these are numbers, and which only pages have.
const NUMBERS: [usize; 9] = [0, 4, 5, 6, 7, 8, 9, 10, 11];
const OF_PAGES: [usize; 5] = [2, 8, 9, 10, 11];

fn table(rows: &[Row]) -> Table {
    let is_page = |row: &Row| {
        row.stride
            .as_ref()
            .is_ok_and(|stride| stride.place.is_some())
    };
    let paged = rows.iter().any(is_page);
    let shown: Vec<usize> = (0..TITLES.len())
        .filter(|column| paged || !OF_PAGES.contains(column))
        .collect();
    let mut table = Table::new(shown.iter().map(|&column| TITLES[column]));
    for row in rows {
        let cells = row.cells().into_iter().enumerate();
        let cells = cells.filter(|(column, _)| shown.contains(column));
        table.push(cells.map(|(_, cell)| Some(cell)).collect());
    }
    let numbers = shown.iter().enumerate();
    let numbers = numbers.filter(|(_, column)| NUMBERS.contains(column));
    numbers.fold(table, |table, (place, _)| table.right(place))
}

impl Row<'_> {
    /// A cell for each of [`TITLES`].
    fn cells(&self) -> [String; TITLES.len()] {
        let number = |number: Option<u64>| number.map_or_else(|| "-".to_string(), count);
        let bound = |bound: &Option<Bound>| {
            let bound = bound.as_ref();
            bound_cell(bound.and_then(|bound| bound_text(&self.column.ty, bound)))
        };
        let none = Stride {
            encoding: Some("encrypted".into()),
            ..Stride::default()
        };
        let stride = self.stride.as_ref().unwrap_or(&none);
        let (first, rows) = start_and_length(&stride.rows);
        let (offset, bytes) = start_and_length(&stride.place);
        let (compressed, uncompressed) = stride.sizes();
        let kind = stride.header.as_ref().map(|header| header.page_type);
        let name = |name: Option<String>| name.unwrap_or_else(|| "-".to_string());
        [
            self.row_group.to_string(),
            self.column.name.clone(),
            name(kind.map(|kind| kind.to_string())),
            name(stride.encoding.clone()),
            number(first),
            number(rows),
            number(stride.values),
            number(stride.stats.null_count),
            number(offset),
            number(bytes),
            number(compressed),
            number(uncompressed),
            bound(&stride.stats.min),
            bound(&stride.stats.max),
        ]
    }

    fn json(&self) -> Value {
        let mut out = json!({"row_group": self.row_group, "column": self.column.name});
        let stride = match &self.stride {
            Ok(stride) => stride,
            Err(error) => {
                out["error"] = error.message().into();
                return out;
            }
        };
        let ty = &self.column.ty;
        let (min, max) = (&stride.stats.min, &stride.stats.max);
        let exact = |bound: &Option<Bound>| bound.as_ref().map(|bound| bound.exact);
        let (first, rows) = start_and_length(&stride.rows);
        let (compressed, uncompressed) = stride.sizes();
        let mut members = vec![
            ("first_row", json!(first)),
            ("rows", json!(rows)),
            ("values", json!(stride.values)),
            ("null_count", json!(stride.stats.null_count)),
            ("min", bound_json(ty, min)),
            ("min_exact", json!(exact(min))),
            ("max", bound_json(ty, max)),
            ("max_exact", json!(exact(max))),
            ("distrust", json!(stride.distrust)),
            ("encoding", json!(stride.encoding)),
        ];
        if let (Some(offset), Some(bytes)) = start_and_length(&stride.place) {
            let kind = stride.header.as_ref().map(|header| header.page_type);
            members.extend([
                ("page_type", json!(kind.map(|kind| kind.to_string()))),
                ("offset", json!(offset)),
                ("bytes", json!(bytes)),
                ("compressed_bytes", json!(compressed)),
                ("uncompressed_bytes", json!(uncompressed)),
            ]);
        }
        for (name, value) in members {
            out[name] = value;
        }
        out
    }
}

impl Stride {
    /// Bytes of a page as they lie in the file and as they are decompressed, without its header.
    fn sizes(&self) -> (Option<u64>, Option<u64>) {
        let size = |of: fn(&PageHeader) -> i32| u64::try_from(of(self.header.as_ref()?)).ok();
        (
            size(|header| header.compressed_page_size),
            size(|header| header.uncompressed_page_size),
        )
    }
}

fn start_and_length(range: &Option<Range<u64>>) -> (Option<u64>, Option<u64>) {
    match range {
        Some(range) => (
            Some(range.start),
            Some(range.end.saturating_sub(range.start)),
        ),
        None => (None, None),
    }
}
