//! `lith meta`: all that the metadata of a file says.

use std::io::{self, BufWriter, Write};

use lith_format::render::escape_controls;
use serde_json::Value;

use crate::args::{Meta, TextFormat};
use crate::failure::Result;
use crate::meta::meta;

pub(super) fn run(args: &Meta) -> Result {
    let meta = meta(&args.path)?;
    let mut out = BufWriter::new(io::stdout().lock());
    match args.format {
        TextFormat::Json => serde_json::to_writer(&mut out, &meta).map_err(io::Error::from)?,
        TextFormat::Text => outline(&meta, 0, &mut out)?,
    }
    writeln!(out)?;
    Ok(out.flush()?)
}

/// Structures as indented lines, lists of plain values on one.
fn outline(value: &Value, depth: usize, out: &mut impl Write) -> io::Result<()> {
    let line = |out: &mut dyn Write| write!(out, "\n{:1$}", "", depth * 2);
    match value {
        Value::Object(fields) => {
            for (index, (name, value)) in fields.iter().enumerate() {
                if index > 0 || depth > 0 {
                    line(out)?;
                }
                write!(out, "{}: ", escape_controls(name))?;
                outline(value, depth + 1, out)?;
            }
            Ok(())
        }
        Value::Array(list) if list.iter().any(Value::is_object) => {
            for (index, value) in list.iter().enumerate() {
                line(out)?;
                write!(out, "[{index}] ")?;
                outline(value, depth + 1, out)?;
            }
            Ok(())
        }
        Value::String(text) => out.write_all(escape_controls(text).as_bytes()),
        plain => out.write_all(escape_controls(&plain.to_string()).as_bytes()),
    }
}
