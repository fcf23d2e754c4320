//! Formats tables with aligned columns. Control characters are escaped.

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
    names: Vec<String>,
    /// Columns of numbers, which mean something only as a whole.
    numbers: Vec<usize>,
    /// Columns that are cut last.
    names_of_rows: Vec<usize>,
    /// Columns that may be left out, the first one first.
    optional: Vec<usize>,
}

impl Table {
    /// A table with these column names.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: Vec<String> = names.into_iter().map(escape_controls).collect();
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE);
        table.set_header(&names);
        Table {
            inner: table,
            names,
            numbers: Vec::new(),
            names_of_rows: Vec::new(),
            optional: Vec::new(),
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

    /// On a terminal that is too narrow, cuts the texts of the column of this name after all others.
    pub fn cut_last(mut self, name: &str) -> Self {
        self.names_of_rows.extend(self.place(name));
        self
    }

    /// On a terminal that is too narrow, leaves these columns out, the first one first.
    pub fn optional(mut self, names: &[&str]) -> Self {
        self.optional = names.iter().filter_map(|name| self.place(name)).collect();
        self
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// The widths of columns with which the table has at most `width` columns of a terminal, if that is possible:
    /// the longest texts are cut, and optional columns are hidden (0). Nothing if the table fits as it is.
    fn fit(&self, width: u16) -> Option<Vec<u16>> {
        let natural = self.inner.column_max_content_widths();
        if whole(&natural) <= width.into() {
            return None;
        }
        let mut shown = natural;
        let mut optional = self.optional.iter();
        loop {
            let mut widths = shown.clone();
            self.cut(&mut widths, width);
            if whole(&widths) <= width.into() {
                return Some(widths);
            }
            match optional.next() {
                Some(&column) => shown[column] = 0,
                None => return Some(widths),
            }
        }
    }

    /// Shortens the longest texts, but keeps enough to distinguish them.
    fn cut(&self, widths: &mut [u16], width: u16) {
        const LEAST: u16 = 8;
        const LEAST_NAME: u16 = 24;
        let is_text = |column: &usize| !self.numbers.contains(column);
        let is_name = |column: &usize| self.names_of_rows.contains(column);
        for (least, names) in [(LEAST, false), (LEAST_NAME, true)] {
            while whole(widths) > width.into() {
                let columns = (0..widths.len()).filter(is_text);
                let columns = columns.filter(|column| is_name(column) == names);
                match columns.max_by_key(|&column| widths[column]) {
                    Some(longest) if widths[longest] > least => widths[longest] -= 1,
                    _ => break,
                }
            }
        }
    }

    /// The table with columns of these widths, and the names of those that are hidden.
    fn resized(&self, widths: &[u16]) -> (comfy_table::Table, Vec<&str>) {
        let (mut table, mut hidden) = (self.inner.clone(), Vec::new());
        // texts are cut where they end, not before the last word that fits
        table.set_delimiter('\0');
        for (index, (column, &width)) in table.column_iter_mut().zip(widths).enumerate() {
            let cells = width.saturating_add(column.padding_width());
            column.set_constraint(match width {
                0 => ColumnConstraint::Hidden,
                _ => ColumnConstraint::Absolute(Width::Fixed(cells)),
            });
            if width == 0 {
                hidden.extend(self.names.get(index).map(String::as_str));
            }
        }
        if let Some(header) = table.header() {
            let mut header = header.clone();
            header.max_height(1);
            table.set_header(header);
        }
        for row in table.row_iter_mut() {
            row.max_height(1);
        }
        (table, hidden)
    }
}

/// How many columns of a terminal the columns of these widths take that are not hidden.
fn whole(widths: &[u16]) -> u32 {
    /// Two blanks about a cell and one between two.
    const AROUND: u32 = 3;
    let shown = widths.iter().filter(|&&width| width > 0);
    let cells = shown.map(|&width| u32::from(width) + AROUND);
    cells.sum::<u32>().saturating_sub(1)
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
        let Some(widths) = terminal_width().and_then(|width| self.fit(width)) else {
            return self.inner.fmt(f);
        };
        let (table, hidden) = self.resized(&widths);
        table.fmt(f)?;
        match hidden.is_empty() {
            true => Ok(()),
            false => write!(f, "\nthe terminal is too narrow for: {}", hidden.join(", ")),
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
        let text = |table: &Table, width| {
            let widths = table.fit(width).unwrap();
            table.resized(&widths).0.to_string()
        };
        let natural = widest(&table.inner.to_string()) as u16;
        assert!(table.fit(natural).is_none());
        for width in [natural - 1, 60, 45] {
            let text = text(&table, width);
            assert!(widest(&text) <= width.into(), "{width}: {text}");
            assert_eq!(text.lines().count(), 4, "{text}");
            assert!(
                text.contains('…') && text.contains("1,234,567,890"),
                "{text}"
            );
        }
        // numbers and the beginnings of texts stay, however narrow it is
        let narrow = text(&table, 10);
        assert!(
            narrow.contains("a long …") && narrow.contains("1,234,567,890"),
            "{narrow}"
        );
        // what names the rows is cut after the rest, and before that what can be missed is left out
        let table = table.cut_last("name").optional(&["type", "nothing"]);
        let cut = text(&table, natural - 3);
        assert!(cut.contains(&long) && cut.contains("decimal(38…"), "{cut}");
        let widths = table.fit(44).unwrap();
        let (left, hidden) = table.resized(&widths);
        let left = left.to_string();
        assert_eq!(hidden, ["type"]);
        assert!(widest(&left) <= 44 && !left.contains("decimal"), "{left}");
        let most = u16::MAX;
        assert_eq!(whole(&[most, 0, most]), 2 * (u32::from(most) + 3) - 1);
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
