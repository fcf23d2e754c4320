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

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
