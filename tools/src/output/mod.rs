//! Output of rows: as a table, JSON lines or CSV.
//!
//! Data goes to standard output or a file; everything else to standard error. Cells are rendered by
//! `lith_format::render`.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;

use lith_format::error::Error;
use lith_format::render::{escape_json, render_json_row, render_text};
use lith_format::scan::Output;
use lith_format::schema::Schema;
use lith_format::vector::Batch;
use lith_planner::explain::Palette;
use lith_planner::plan::ScanPlan;
use serde_json::Value;

use crate::args::{Color, RowFormat};
use crate::failure::Result;

mod documents;
mod listing;
mod metrics;
mod printer;
mod sink;
mod table;

pub use documents::{Document, print_documents};
pub use listing::{Listed, Listing};
pub use lith_format::figures::{bytes, count, plural, seconds, share};
pub use metrics::{metrics_json, metrics_text, print_metrics, times_json};
pub use printer::{Json, Part, Printer};
use sink::Sink;
pub use table::Table;

/// Rows that a table shows unless a limit is given: it must be held whole to be aligned.
pub const TABLE_ROWS: u64 = 50;

/// Where rows go, in one notation.
pub struct RowWriter {
    out: Sink,
    form: Form,
    line: String,
}

enum Form {
    Jsonl,
    Csv,
    Table(Box<Table>),
}

impl RowWriter {
    /// Rows to `path`, or standard output. Without a format: a table for a terminal, else JSON lines.
    pub fn new(format: Option<RowFormat>, path: Option<&Path>, schema: &Schema) -> Result<Self> {
        let names = || schema.fields.iter().map(|field| field.name.as_str());
        let form = match choose(format, path)? {
            RowFormat::Csv => Form::Csv,
            RowFormat::Table => Form::Table(Box::new(Table::new(names()))),
            RowFormat::Jsonl => Form::Jsonl,
        };
        let (out, line) = (Sink::new(path)?, String::new());
        let mut writer = RowWriter { out, form, line };
        if let Form::Csv = writer.form {
            csv_line(&mut writer.line, names().map(Some));
            writer.out.write(writer.line.as_bytes())?;
        }
        Ok(writer)
    }

    /// An error if a column is selected twice and the format is JSON, whose objects have one value a name.
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub fn refuse_repeated_columns(
        format: Option<RowFormat>,
        path: Option<&Path>,
        plan: &ScanPlan,
    ) -> Result {
        if choose(format, path)? != RowFormat::Jsonl {
            return Ok(());
        }
        let mut seen = HashSet::new();
        let of = |output: &Output| format!("{} {:?}", output.column, output.steps);
        match plan.columns.iter().find(|output| !seen.insert(of(output))) {
            None => Ok(()),
            Some(twice) => {
                let name = twice.field(&plan.table)?.name;
                let message = format!(
                    "column {name} is selected twice; only -f csv and -f table can show it twice"
                );
                Err(Error::invalid(message).into())
            }
        }
    }

    /// Whether a writer of these would hold all rows until the end.
    pub fn holds_rows(format: Option<RowFormat>, path: Option<&Path>) -> bool {
        choose(format, path).is_ok_and(|format| format == RowFormat::Table)
    }

    /// Prints or holds the first `rows` rows of `batch`.
    pub fn write(&mut self, batch: &Batch, rows: usize) -> Result {
        for row in 0..rows {
            self.line.clear();
            match &mut self.form {
                Form::Jsonl => {
                    render_json_row(batch, row, &mut self.line);
                    self.line.push('\n');
                    let line = escape_json(&self.line);
                    self.out.write(line.as_bytes())?;
                }
                Form::Csv => {
                    let cells = cells(batch, row);
                    csv_line(&mut self.line, cells.iter().map(Option::as_deref));
                    self.out.write(self.line.as_bytes())?;
                }
                Form::Table(table) => table.push(cells(batch, row)),
            }
        }
        Ok(())
    }

    /// Prints what is still held. Without this, a file that rows went to does not appear.
    pub fn finish(mut self) -> Result {
        if let Form::Table(table) = &self.form {
            self.out.write(format!("{table}\n").as_bytes())?;
        }
        self.out.finish()
    }
}

/// Endings of files that are something else than rows of text.
const OTHER_ENDINGS: [&str; 9] = [
    "arrow", "avro", "bz2", "gz", "orc", "parquet", "tsv", "xz", "zst",
];

/// The format that was asked for, else the one that the file is named after.
fn choose(format: Option<RowFormat>, path: Option<&Path>) -> Result<RowFormat> {
    let ending = path.and_then(Path::extension).and_then(OsStr::to_str);
    Ok(match (format, ending) {
        (Some(format), _) => format,
        (None, Some("csv")) => RowFormat::Csv,
        (None, Some(ending)) if OTHER_ENDINGS.contains(&ending) => {
            let message = format!("rows are not written as {ending}: use .csv, .jsonl or -f");
            return Err(Error::invalid(message).into());
        }
        (None, _) if path.is_none() && io::stdout().is_terminal() => RowFormat::Table,
        (None, _) => RowFormat::Jsonl,
    })
}

/// A value as a line of JSON that a terminal shows as it is.
pub fn json_line(value: &Value) -> String {
    escape_json(&value.to_string()).into_owned() + "\n"
}

/// The colours of an explanation: none unless a person looks at a terminal or asks for them.
pub fn palette(color: Color) -> Palette {
    let wanted = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        }
    };
    if wanted {
        Palette::COLOUR
    } else {
        Palette::default()
    }
}

/// The cells of a row as text; null is `None`.
fn cells(batch: &Batch, row: usize) -> Vec<Option<String>> {
    let cell = |vector| {
        let mut text = String::new();
        render_text(vector, row, &mut text).then_some(text)
    };
    batch.columns.iter().map(cell).collect()
}

/// Appends a line of RFC 4180. Null is an empty cell, the empty string is `""`.
fn csv_line<'a>(line: &mut String, cells: impl Iterator<Item = Option<&'a str>>) {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            line.push(',');
        }
        match cell {
            None => {}
            Some(text) if text.is_empty() || text.contains(['"', ',', '\n', '\r']) => {
                line.push('"');
                line.push_str(&text.replace('"', "\"\""));
                line.push('"');
            }
            Some(text) => line.push_str(text),
        }
    }
    line.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_tells_null_from_the_empty_string() {
        let mut line = String::new();
        let cells = [None, Some(""), Some("a\"b,c"), Some("plain")];
        csv_line(&mut line, cells.into_iter());
        assert_eq!(line, ",\"\",\"a\"\"b,c\",plain\n");
    }
}
