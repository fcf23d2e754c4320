//! Aligned columns for people. Control characters are shown, not sent to the terminal.

use std::fmt;
use std::io::{self, IsTerminal};

use comfy_table::{CellAlignment, ColumnConstraint, LineStyle, TableStyle, Width};
use lith_format::render::escape_controls;

/// A rule under the names, nothing else.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A table under construction.
pub struct Table {
    inner: comfy_table::Table,
    /// Columns of numbers, which mean something only as a whole.
    numbers: Vec<usize>,
}

impl Table {
    /// A table with these column names.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE);
        table.set_header(names.into_iter().map(escape_controls));
        Table {
            inner: table,
            numbers: Vec::new(),
        }
    }

    /// Appends a row; null shows as `null`.
    pub fn push(&mut self, cells: Vec<Option<String>>) {
        let shown = |cell: Option<String>| {
            cell.map_or_else(|| "null".into(), |text| escape_controls(&text))
        };
        self.inner.add_row(cells.into_iter().map(shown));
    }

    /// Aligns a column of numbers to the right.
    pub fn right(mut self, column: usize) -> Self {
        self.numbers.push(column);
        if let Some(column) = self.inner.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        self
    }

    /// The table with the longest texts cut so that it is no wider than a terminal of `width` columns, if that is
    /// possible: of a text at least so much is left that it may be told from others.
    fn fit(&self, width: u16) -> Option<comfy_table::Table> {
        const LEAST: u16 = 8;
        /// Two blanks about a cell and one between two.
        const AROUND: u16 = 3;
        let mut widths = self.inner.column_max_content_widths();
        let whole = |widths: &[u16]| {
            let cells = widths.iter().map(|&width| u32::from(width + AROUND));
            cells.sum::<u32>().saturating_sub(1)
        };
        if whole(&widths) <= width.into() {
            return None;
        }
        while whole(&widths) > width.into() {
            let texts = (0..widths.len()).filter(|column| !self.numbers.contains(column));
            let longest = texts.max_by_key(|&column| widths[column])?;
            if widths[longest] <= LEAST {
                break;
            }
            widths[longest] -= 1;
        }
        let mut table = self.inner.clone();
        // texts are cut where they end, not before the last word that fits
        table.set_delimiter('\0');
        for (column, width) in table.column_iter_mut().zip(widths) {
            let padding = column.padding_width();
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width + padding)));
        }
        if let Some(header) = table.header() {
            let mut header = header.clone();
            header.max_height(1);
            table.set_header(header);
        }
        for row in table.row_iter_mut() {
            row.max_height(1);
        }
        Some(table)
    }
}

/// How many columns the terminal has that shows the output, if one does; `COLUMNS` overrules it.
fn terminal_width() -> Option<u16> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let told = std::env::var("COLUMNS").ok();
    let told = told.and_then(|columns| columns.parse().ok());
    told.filter(|&columns| columns > 0)
        .or_else(|| comfy_table::Table::new().width())
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
        match terminal_width().and_then(|width| self.fit(width)) {
            Some(fitting) => fitting.fmt(f),
            None => self.inner.fmt(f),
        }
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
    fn the_longest_texts_are_cut_until_the_table_fits() {
        let mut table = Table::new(["name", "type", "rows"]).right(2);
        let long = "a long name of two words and more".to_owned();
        table.push(
            [
                long.clone(),
                "decimal(38,18)".into(),
                "1,234,567,890".into(),
            ]
            .map(Some)
            .into(),
        );
        table.push(["b".to_owned(), "int".into(), "7".into()].map(Some).into());
        let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
        let natural = widest(&table.inner.to_string()) as u16;
        assert!(table.fit(natural).is_none());
        for width in [natural - 1, 60, 45] {
            let text = table.fit(width).unwrap().to_string();
            assert!(widest(&text) <= width.into(), "{width}: {text}");
            assert_eq!(text.lines().count(), 4, "{text}");
            assert!(
                text.contains('…') && text.contains("1,234,567,890"),
                "{text}"
            );
        }
        // numbers and the beginnings of texts stay, however narrow it is
        let text = table.fit(10).unwrap().to_string();
        assert!(
            text.contains("a long …") && text.contains("1,234,567,890"),
            "{text}"
        );
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
