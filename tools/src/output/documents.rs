//! What commands say of one file after the other.
//!
//! ```text
//! one file        what is said, alone
//! several, text   "file: PATH", what is said, an empty line, ..
//! several, JSON   {"file":PATH, ..} a line
//! ```

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use lith_format::render::escape_controls;
use lith_planner::discover;
use serde_json::Value;

use crate::failure::Result;

/// What is said of a file.
pub enum Document {
    /// For people, without a last line feed.
    Text(String),
    /// For programs.
    Json(Value),
}

/// Prints what `of` says of each file that is or lies under `paths`, in order of their paths.
///
/// # Errors
/// Paths without files, and the first error of `of`, after what was said before it.
pub fn print_documents(paths: &[PathBuf], mut of: impl FnMut(&Path) -> Result<Document>) -> Result {
    let files = discover::list(paths)?;
    let mut out = BufWriter::new(io::stdout().lock());
    for (index, path) in files.iter().enumerate() {
        let name = (files.len() > 1).then(|| path.display().to_string());
        match of(path)? {
            Document::Text(text) => {
                if let Some(name) = name {
                    let between = if index > 0 { "\n" } else { "" };
                    writeln!(out, "{between}file: {}", escape_controls(&name))?;
                }
                writeln!(out, "{text}")?;
            }
            Document::Json(mut value) => {
                if let (Some(name), Value::Object(members)) = (name, &mut value) {
                    members.shift_insert(0, "file".into(), name.into());
                }
                serde_json::to_writer(&mut out, &value).map_err(io::Error::from)?;
                writeln!(out)?;
            }
        }
    }
    Ok(out.flush()?)
}
