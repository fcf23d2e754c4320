//! What commands print: rows as a table, JSON lines or CSV, and numbers for people.
//!
//! Data goes to standard output or a file; everything else to standard error. Rendering of cells is
//! `lith_format::render`'s alone.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use lith_format::error::Error;
use lith_format::render::{render_json_row, render_text};
use lith_format::schema::Schema;
use lith_format::vector::Batch;
use lith_planner::explain::Palette;

use tempfile::NamedTempFile;

use crate::args::{Color, RowFormat};
use crate::failure::Result;

mod metrics;
mod table;

pub use lith_format::figures::{bytes, count, seconds, share};
pub use metrics::{metrics_json, metrics_text, print_metrics};
pub use table::Table;

/// Rows that a table shows unless a limit is given: it must be held whole to be aligned.
pub const TABLE_ROWS: u64 = 50;

/// Where rows go, in one notation.
pub struct RowWriter {
    out: BufWriter<Sink>,
    form: Form,
    line: String,
}

/// A file appears under its name only once it is whole; dropped before, it leaves nothing.
enum Sink {
    Stdout(io::StdoutLock<'static>),
    File(NamedTempFile, PathBuf),
}

impl Sink {
    fn file(path: &Path) -> io::Result<Self> {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let file = NamedTempFile::new_in(parent.unwrap_or(Path::new(".")))?;
        Ok(Sink::File(file, path.to_path_buf()))
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Stdout(out) => out.write(bytes),
            Sink::File(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Stdout(out) => out.flush(),
            Sink::File(out, _) => out.flush(),
        }
    }
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
        let form = match choose(format, path) {
            RowFormat::Csv => Form::Csv,
            RowFormat::Table => Form::Table(Box::new(Table::new(names()))),
            RowFormat::Jsonl => Form::Jsonl,
        };
        let out = match path {
            Some(path) => Sink::file(path).map_err(|error| Error::io(path, error))?,
            None => Sink::Stdout(io::stdout().lock()),
        };
        let (out, line) = (BufWriter::new(out), String::new());
        let mut writer = RowWriter { out, form, line };
        if let Form::Csv = writer.form {
            csv_line(&mut writer.line, names().map(Some));
            writer.out.write_all(writer.line.as_bytes())?;
        }
        Ok(writer)
    }

    /// Whether a writer of these would hold all rows until the end.
    pub fn holds_rows(format: Option<RowFormat>, path: Option<&Path>) -> bool {
        choose(format, path) == RowFormat::Table
    }

    /// Prints or holds the first `rows` rows of `batch`.
    pub fn write(&mut self, batch: &Batch, rows: usize) -> io::Result<()> {
        for row in 0..rows {
            self.line.clear();
            match &mut self.form {
                Form::Jsonl => {
                    render_json_row(batch, row, &mut self.line);
                    self.line.push('\n');
                }
                Form::Csv => csv_line(
                    &mut self.line,
                    cells(batch, row).iter().map(Option::as_deref),
                ),
                Form::Table(table) => table.push(cells(batch, row)),
            }
            self.out.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }

    /// Prints what is still held.
    pub fn finish(mut self) -> io::Result<()> {
        if let Form::Table(table) = &self.form {
            writeln!(self.out, "{table}")?;
        }
        match self
            .out
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?
        {
            Sink::Stdout(mut out) => out.flush(),
            Sink::File(file, path) => {
                file.as_file().sync_all()?;
                file.persist(path).map(drop).map_err(|error| error.error)
            }
        }
    }
}

fn choose(format: Option<RowFormat>, path: Option<&Path>) -> RowFormat {
    let for_terminal = path.is_none() && io::stdout().is_terminal();
    format.unwrap_or(if for_terminal {
        RowFormat::Table
    } else {
        RowFormat::Jsonl
    })
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
