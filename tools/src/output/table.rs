//! Aligned columns for people. Control characters are shown, not sent to the terminal.

use std::fmt;

use comfy_table::{CellAlignment, LineStyle, TableStyle};
use lith_format::render::escape_controls;

/// A rule under the names, nothing else.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A table under construction.
pub struct Table(comfy_table::Table);

impl Table {
    /// A table with these column names.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE);
        table.set_header(names.into_iter().map(escape_controls));
        Table(table)
    }

    /// Appends a row; null shows as `null`.
    pub fn push(&mut self, cells: Vec<Option<String>>) {
        let shown = |cell: Option<String>| {
            cell.map_or_else(|| "null".into(), |text| escape_controls(&text))
        };
        self.0.add_row(cells.into_iter().map(shown));
    }

    /// Aligns a column of numbers to the right.
    pub fn right(mut self, column: usize) -> Self {
        if let Some(column) = self.0.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        self
    }
}

/// How many rows of a long table are aligned with each other.
const BLOCK_ROWS: usize = 1000;

type ToTable<T> = Box<dyn Fn(&[T]) -> Table>;

/// A table of any number of rows, aligned and printed block by block, so that few rows are held.
pub(super) struct Blocks<T> {
    rows: Vec<T>,
    first: bool,
    table: ToTable<T>,
}

impl<T> Blocks<T> {
    /// An empty table; `table` lays out a block of rows.
    pub fn new(table: impl Fn(&[T]) -> Table + 'static) -> Self {
        Blocks {
            rows: Vec::new(),
            first: true,
            table: Box::new(table),
        }
    }

    /// Adds a row; returns the lines of a block when it is full.
    pub fn push(&mut self, row: T) -> Option<String> {
        self.rows.push(row);
        (self.rows.len() == BLOCK_ROWS).then(|| self.take())
    }

    /// The lines of the last block; without any rows, only the header.
    pub fn finish(&mut self) -> Option<String> {
        (self.first || !self.rows.is_empty()).then(|| self.take())
    }

    fn take(&mut self) -> String {
        let text = format!("{}\n", (self.table)(&self.rows));
        self.first = false;
        self.rows.clear();
        text
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tables_are_printed_in_blocks() {
        let mut blocks = Blocks::new(|rows: &[usize]| {
            let mut table = Table::new(["n"]);
            rows.iter()
                .for_each(|row| table.push(vec![Some(row.to_string())]));
            table
        });
        let printed: Vec<String> = (0..2500).filter_map(|row| blocks.push(row)).collect();
        let last = blocks.finish().unwrap();
        let lines = |text: &String| text.lines().count();
        assert_eq!(printed.iter().map(lines).collect::<Vec<_>>(), [1002, 1002]);
        assert_eq!(lines(&last), 502);
        assert!(blocks.finish().is_none());
        let mut none = Blocks::new(|_: &[usize]| Table::new(["n"]));
        assert_eq!(none.finish().map(|text| lines(&text)), Some(2));
    }

    #[test]
    fn escapes_never_reach_the_terminal() {
        let mut table = Table::new(["a\u{1b}[31m", "b"]);
        table.push(vec![Some("x\ny\u{9b}".into()), None]);
        let text = table.to_string();
        assert!(text.contains("a\\u{1b}[31m"));
        assert!(text.contains("x\\ny\\u{9b}"));
        assert!(text.contains("null"));
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    }
}
