//! `lith meta`: all that the metadata of a file says.

use lith_format::render::escape_controls;
use serde_json::Value;

use crate::args::{Meta, TextFormat};
use crate::failure::Result;
use crate::meta::meta;
use crate::output::{Document, print_documents};

pub(super) fn run(args: &Meta) -> Result {
    print_documents(&args.files.paths, |path| {
        let meta = meta(path)?;
        Ok(match args.format {
            TextFormat::Json => Document::Json(meta),
            TextFormat::Text => {
                let mut text = String::new();
                outline(&meta, 0, &mut text);
                Document::Text(text)
            }
        })
    })
}

/// Structures as indented lines, lists of plain values on one.
fn outline(value: &Value, depth: usize, out: &mut String) {
    let line = |out: &mut String| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    match value {
        Value::Object(fields) => {
            for (index, (name, value)) in fields.iter().enumerate() {
                if index > 0 || depth > 0 {
                    line(out);
                }
                out.push_str(&escape_controls(name));
                out.push_str(": ");
                outline(value, depth + 1, out);
            }
        }
        Value::Array(list) if list.iter().any(Value::is_object) => {
            for (index, value) in list.iter().enumerate() {
                line(out);
                out.push_str(&format!("[{index}] "));
                outline(value, depth + 1, out);
            }
        }
        Value::String(text) => out.push_str(&escape_controls(text)),
        plain => out.push_str(&escape_controls(&plain.to_string())),
    }
}
