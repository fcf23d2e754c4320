//! `lith pages`: the pages of Parquet columns, from page headers and indexes, and the strides of ORC columns,
//! from the row index.
//!
//! Rows are printed as they are decoded, because there may be very many. A column that is encrypted or cannot
//! be read has a row with the error; the others are shown.

use std::ops::Range;

use lith_format::error::{Error, Result as FormatResult};
use lith_format::meta::{Format, StrideMeta};
use lith_format::parquet::page::PageHeader;
use lith_format::stats::{Bound, ColumnStats};
use lith_reader::file::{File, OpenOptions};
use lith_reader::orc::OrcFile;
use lith_reader::parquet::{Page, ParquetFile};
use serde_json::{Value, json};

use crate::args::Pages;
use crate::failure::{Failed, Result};
use crate::keys::decryption;
use crate::leaves::{Leaf, Wanted, bound_cell, bound_json};
use crate::names::group_name;
use crate::output::{Document, Listed, Listing, Table, count, print_documents};

/// A stride of a column, or the error in its place.
struct Row<'a> {
    row_group: usize,
    column: &'a Leaf,
    stride: FormatResult<Stride, String>,
}

/// A Parquet page, or an ORC stride.
#[derive(Default)]
struct Stride {
    /// Its place in the file, if it is a page.
    place: Option<Range<u64>>,
    header: Option<PageHeader>,
    encoding: Option<String>,
    /// Its rows, if known.
    rows: Option<Range<u64>>,
    values: Option<u64>,
    stats: ColumnStats,
    distrust: Option<&'static str>,
}

pub(super) fn run(args: &Pages) -> Result {
    let mut options = OpenOptions::default();
    options.decryption = decryption(&args.files.keys)?;
    let mut wanted = Wanted::new(args.columns.as_deref());
    print_documents(&args.files.paths, args.format, |path, document| {
        show(&options.open(path)?, args, &mut wanted, document)
    })?;
    Ok(wanted.end()?)
}

fn show(file: &File, args: &Pages, wanted: &mut Wanted, document: &mut Document<'_>) -> Result {
    let columns = wanted.select(file, document.is_alone())?;
    if columns.is_empty() && args.columns.is_some() {
        return Ok(());
    }
    let paged = file.parquet().is_some();
    let mut listing = Listing::new("strides", args.format, move |rows| table(rows, paged));
    let mut strides = Strides {
        file,
        columns: &columns,
        failed: Failed::default(),
        to: |row: &Row<'_>| listing.add(row, document),
    };
    if let Some(parquet) = file.parquet() {
        strides.pages(parquet)?;
    } else if let Some(orc) = file.orc() {
        strides.strides(orc)?;
    }
    let told = strides.failed.end();
    if told.is_ok() {
        listing.begin(document)?;
    }
    listing.end(document)?;
    Ok(told?)
}

/// Decodes the strides of columns and hands each to `to`.
struct Strides<'a, F> {
    file: &'a File,
    columns: &'a [Leaf],
    failed: Failed,
    to: F,
}

impl<'a, F: FnMut(&Row<'_>) -> FormatResult<()>> Strides<'a, F> {
    fn pages(&mut self, parquet: &ParquetFile) -> FormatResult<()> {
        let limits = self.file.limits();
        let mut walk = parquet.walk(self.file.source().as_ref(), &limits);
        for row_group in 0..self.file.row_groups() {
            for column in self.columns {
                match walk.chunk(row_group, column.id) {
                    Err(error) => self.add(row_group, column, Err(error))?,
                    Ok(mut pages) => {
                        pages.try_for_each(|page| self.add(row_group, column, page.map(of_page)))?
                    }
                }
            }
        }
        Ok(())
    }

    fn strides(&mut self, orc: &OrcFile) -> FormatResult<()> {
        for row_group in 0..self.file.row_groups() {
            let walk = match orc.walk(self.file.source().as_ref(), row_group) {
                Ok(walk) => walk,
                Err(error) => {
                    self.add_broken(row_group, error)?;
                    continue;
                }
            };
            let meta = walk.meta();
            for column in self.columns {
                let chunk = meta.chunks.get(column.id.index());
                let encoding = chunk.and_then(|chunk| chunk.encodings.first().copied());
                match walk.strides(column.id) {
                    Err(error) => self.add(row_group, column, Err(error))?,
                    Ok(strides) => strides.into_iter().try_for_each(|stride| {
                        self.add(row_group, column, Ok(of_stride(stride, encoding)))
                    })?,
                }
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        row_group: usize,
        column: &'a Leaf,
        stride: FormatResult<Stride>,
    ) -> FormatResult<()> {
        let stride = stride.map_err(|error| self.failed.add(error));
        (self.to)(&Row {
            row_group,
            column,
            stride,
        })
    }

    /// Reports for each column that its row group cannot be read.
    fn add_broken(&mut self, row_group: usize, error: Error) -> FormatResult<()> {
        let told = self.failed.add(error);
        self.columns.iter().try_for_each(|column| {
            (self.to)(&Row {
                row_group,
                column,
                stride: Err(told.clone()),
            })
        })
    }
}

/// A page; one with a dictionary has only a header.
fn of_page(page: Page) -> Stride {
    let mut stride = Stride {
        place: Some(page.range),
        ..Stride::default()
    };
    if let Some(data) = page.data {
        stride.rows = data.rows;
        stride.values = data.stats.value_count;
        stride.stats = data.stats;
        stride.distrust = data.distrust;
    }
    if let Some((values, encoding)) = page.header.as_ref().and_then(PageHeader::values) {
        stride.values = u64::try_from(values).ok();
        stride.encoding = Some(encoding.to_string());
    }
    stride.header = page.header;
    stride
}

fn of_stride(stride: StrideMeta, encoding: Option<&str>) -> Stride {
    Stride {
        encoding: encoding.map(str::to_string),
        rows: Some(stride.rows),
        values: stride.stats.value_count,
        stats: stride.stats,
        distrust: stride.distrust,
        ..Stride::default()
    }
}

const TITLES: [&str; 15] = [
    GROUP,
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
    ERROR,
];
/// The title for pages; strides are in stripes.
const GROUP: &str = "row group";
/// The column of errors, shown only if some row has one.
const ERROR: &str = "error";
/// Columns of numbers, and columns that only pages have.
const NUMBERS: [usize; 9] = [0, 4, 5, 6, 7, 8, 9, 10, 11];
const OF_PAGES: [usize; 5] = [2, 8, 9, 10, 11];

/// Lays out rows; `paged` if they are pages.
fn table(rows: &[Vec<String>], paged: bool) -> Table {
    let broken = rows
        .iter()
        .any(|row| row.last().is_some_and(|error| !error.is_empty()));
    let is_shown = |column: &usize| {
        (paged || !OF_PAGES.contains(column)) && (broken || TITLES[*column] != ERROR)
    };
    let shown: Vec<usize> = (0..TITLES.len()).filter(is_shown).collect();
    let title = |column: &usize| match TITLES[*column] {
        GROUP if !paged => group_name(Format::Orc),
        title => title,
    };
    let mut table = Table::new(shown.iter().map(title))
        .cut_last("column")
        .cut_last("type")
        .optional(&[
            "uncompressed",
            "offset",
            "first row",
            "compressed",
            "encoding",
        ]);
    for row in rows {
        let cells = shown.iter().filter_map(|&column| row.get(column));
        table.push(cells.cloned().map(Some).collect());
    }
    let numbers = shown.iter().enumerate();
    let numbers = numbers.filter(|(_, column)| NUMBERS.contains(column));
    numbers.fold(table, |table, (place, _)| table.right(place))
}

impl Listed for Row<'_> {
    fn is_error(&self) -> bool {
        self.stride.is_err()
    }

    /// A cell for each of [`TITLES`].
    fn cells(&self) -> Vec<String> {
        let number = |number: Option<u64>| number.map_or_else(|| "-".to_string(), count);
        let bound = |bound: &Option<Bound>| bound_cell(&self.column.ty, bound.as_ref());
        let none = Stride::default();
        let (stride, error) = match &self.stride {
            Ok(stride) => (stride, ""),
            Err(error) => (&none, error.as_str()),
        };
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
            error.to_string(),
        ]
        .into()
    }

    fn json(&self) -> Value {
        let mut out = json!({"row_group": self.row_group, "column": self.column.name});
        for (name, number) in self.column.numbers() {
            out[name] = number;
        }
        let stride = match &self.stride {
            Ok(stride) => stride,
            Err(error) => {
                out["error"] = error.as_str().into();
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
