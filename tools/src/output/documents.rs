//! Output of commands that show each file by itself (`meta`, `pages`).
//!
//! ```text
//! one, text       its document, alone
//! several, text   "file: PATH", the document, an empty line, ..
//! JSON            one object a line, which begins with {"file":PATH, ..}
//! ```
//! A file that cannot be read does not stop the others: its error goes to standard error, and the worst
//! error decides the exit code.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use lith_format::error::Result as FormatResult;
use lith_format::render::escape_controls;
use lith_planner::discover;
use serde_json::json;

use super::printer::{Json, Outline, Part, Printer, output_error};
use crate::args::TextFormat;
use crate::failure::{Failure, Reported, Result};

/// The output for one file, printed part by part.
pub struct Document<'a> {
    form: Form<'a>,
    /// The file's name, printed first where there are several files, and in JSON.
    name: Option<&'a str>,
    /// Whether another document was printed before.
    others: bool,
    begun: bool,
    /// Whether the last line still lacks its line feed.
    in_line: bool,
}

type Out<'a> = &'a mut dyn Write;

enum Form<'a> {
    Json(Json<Out<'a>>),
    Text(Outline<Out<'a>>),
}

impl<'a> Document<'a> {
    /// The only document of a command.
    pub fn new(out: &'a mut dyn Write, format: TextFormat) -> Self {
        let form = match format {
            TextFormat::Json => Form::Json(Json::new(out)),
            TextFormat::Text => Form::Text(Outline::new(out)),
        };
        Document {
            form,
            name: None,
            others: false,
            begun: false,
            in_line: false,
        }
    }

    /// Whether it is said of the only file.
    pub fn is_alone(&self) -> bool {
        self.name.is_none()
    }

    /// Prints whole lines of text.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub fn text(&mut self, text: &str) -> FormatResult<()> {
        self.begin()?;
        self.write(text)
    }

    fn write(&mut self, text: &str) -> FormatResult<()> {
        let out = match &mut self.form {
            Form::Json(json) => json.out(),
            Form::Text(outline) => outline.out(),
        };
        out.write_all(text.as_bytes()).map_err(output_error)
    }

    /// Prints the heading, once.
    fn begin(&mut self) -> FormatResult<()> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        match (&self.form, self.name) {
            (Form::Text(_), Some(name)) => {
                let between = if self.others { "\n" } else { "" };
                self.write(&format!("{between}file: {}\n", escape_controls(name)))
            }
            _ => Ok(()),
        }
    }

    /// Ends the last line. Returns whether anything was printed, here or before.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub fn end(mut self) -> FormatResult<bool> {
        if self.in_line {
            self.write("\n")?;
        }
        Ok(self.begun || self.others)
    }
}

impl Printer for Document<'_> {
    fn part(&mut self, part: Part<'_>) -> FormatResult<()> {
        let is_first = !self.begun;
        self.begin()?;
        self.in_line = true;
        match &mut self.form {
            Form::Text(outline) => outline.part(part),
            Form::Json(json) => {
                json.part(part)?;
                match self.name.filter(|_| is_first) {
                    Some(name) => json.members(&json!({"file": name})),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Lets `of` print the document of each file at or below `paths`, ordered by path.
///
/// # Errors
/// Those of listing `paths` and of `of`, after all other files have been shown.
pub fn print_documents(
    paths: &[PathBuf],
    format: TextFormat,
    mut of: impl FnMut(&Path, &mut Document<'_>) -> Result,
) -> Result {
    let mut reported = Reported::default();
    let files = files(paths, &mut reported)?;
    let (mut out, mut others) = (BufWriter::new(io::stdout().lock()), false);
    let is_named = files.len() > 1 || matches!(format, TextFormat::Json);
    for path in &files {
        let name = path.display().to_string();
        let mut document = Document {
            name: is_named.then_some(&*name),
            others,
            ..Document::new(&mut out, format)
        };
        let said = of(path, &mut document);
        others = document.end()?;
        if let Err(failure) = said {
            out.flush()?;
            reported.add(failure)?;
        }
    }
    out.flush()?;
    reported.end()
}

/// The files at or below `paths`. Of several paths, those that cannot be listed are reported and left out.
fn files(paths: &[PathBuf], reported: &mut Reported) -> Result<Vec<PathBuf>> {
    match discover::list(paths) {
        Err(_) if paths.len() > 1 => {}
        files => return Ok(files?),
    }
    let mut sound = Vec::new();
    for path in paths {
        match discover::list(&[path]) {
            Ok(_) => sound.push(path),
            Err(error) => reported.add(Failure::from(error))?,
        }
    }
    match sound.is_empty() {
        true => Ok(Vec::new()),
        false => Ok(discover::list(&sound)?),
    }
}
