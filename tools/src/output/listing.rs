//! A long list of rows, printed as they come: the JSON document `{"schema_version":1,"NAME":[{..},..]}`, or a
//! table.
//!
//! Rows that only report an error do not make a list: if there are no others, and not very many, nothing is printed.

use std::mem;

use lith_format::error::Result;
use serde_json::{Value, json};

use super::documents::Document;
use super::printer::{Part, Printer};
use super::table::{Blocks, Table};
use crate::args::TextFormat;

/// How many error rows are held for a list that has not begun. One more begins it: they may be very many.
const HELD: usize = 1 << 10;

/// A row of a [`Listing`].
pub trait Listed {
    /// Whether the row only reports an error.
    fn is_error(&self) -> bool;
    /// The row as an object.
    fn json(&self) -> Value;
    /// The row as cells, one for each column of the table.
    fn cells(&self) -> Vec<String>;
}

/// A list that is being printed; only a block of its rows is held.
pub struct Listing {
    name: &'static str,
    /// The rows of a table that are not printed yet; none for JSON.
    blocks: Option<Blocks<Vec<String>>>,
    begun: bool,
    /// Error rows, until there is a row of another kind.
    held: Vec<Form>,
}

enum Form {
    Json(Value),
    Cells(Vec<String>),
}

impl Listing {
    /// A list called `name` in JSON; in text, `table` lays out a block of rows.
    pub fn new(
        name: &'static str,
        format: TextFormat,
        table: impl Fn(&[Vec<String>]) -> Table + 'static,
    ) -> Self {
        Listing {
            name,
            blocks: matches!(format, TextFormat::Text).then(|| Blocks::new(table)),
            begun: false,
            held: Vec::new(),
        }
    }

    /// Begins the list, unless it has begun; without rows, an empty list is printed.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub fn begin(&mut self, document: &mut Document<'_>) -> Result<()> {
        if mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        if self.blocks.is_none() {
            document.part(Part::BeginObject)?;
            document.members(&json!({"schema_version": 1}))?;
            document.part(Part::Name(self.name))?;
            document.part(Part::BeginList)?;
        }
        let mut held = mem::take(&mut self.held).into_iter();
        held.try_for_each(|row| self.print(row, document))
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub fn add(&mut self, row: &impl Listed, document: &mut Document<'_>) -> Result<()> {
        let form = match &self.blocks {
            None => Form::Json(row.json()),
            Some(_) => Form::Cells(row.cells()),
        };
        if row.is_error() && !self.begun && self.held.len() < HELD {
            self.held.push(form);
            return Ok(());
        }
        self.begin(document)?;
        self.print(form, document)
    }

    fn print(&mut self, row: Form, document: &mut Document<'_>) -> Result<()> {
        match (row, &mut self.blocks) {
            (Form::Json(object), _) => document.value(&object),
            (Form::Cells(cells), Some(blocks)) => match blocks.push(cells) {
                Some(lines) => document.text(&lines),
                None => Ok(()),
            },
            (Form::Cells(_), None) => Ok(()),
        }
    }

    /// Ends the list; prints nothing if it has not begun.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub fn end(self, document: &mut Document<'_>) -> Result<()> {
        match self.blocks {
            _ if !self.begun => Ok(()),
            None => {
                document.part(Part::EndList)?;
                document.part(Part::EndObject)
            }
            Some(mut blocks) => match blocks.finish() {
                Some(lines) => document.text(&lines),
                None => Ok(()),
            },
        }
    }
}
