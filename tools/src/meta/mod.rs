//! All metadata of a file as JSON, with the names of its specification.
//!
//! Absent fields are left out; unknown enum values are shown as numbers. Text that is not UTF-8, bytes and
//! floats that JSON cannot express are strings, as in rows. A part is printed while it is decoded, after a
//! first pass has checked that it decodes: memory does not grow with the file.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::meta::Format;
use lith_format::render::render_json;
use lith_format::scalar::Scalar;
use lith_format::tree::{Event, Node};
use lith_format::types::LogicalType;
use lith_format::vector::Vector;
use lith_reader::file::detect;
use lith_reader::keys::Decryption;
use lith_reader::source::{FileSource, Source};
use serde_json::{Number, Value};

use crate::failure::Failed;
use crate::output::{Json, Part, Printer};

mod orc;
mod page_headers;
mod parquet;

/// The columns whose pages and indexes are shown, by their numbers in the file: those of leaves in Parquet, of types
/// in ORC. Nothing stands for all.
#[derive(Debug, Default)]
pub struct Shown(pub Option<HashSet<u32>>);

impl Shown {
    fn has(&self, number: u32) -> bool {
        let numbers = self.0.as_ref();
        numbers.is_none_or(|numbers| numbers.contains(&number))
    }
}

/// Prints the metadata of a file, that of Parquet decrypted where there are keys, that of ORC as stored; also of a file that a scan would refuse, as far
/// as it can be decoded.
///
/// # Errors
/// If nothing of the file can be shown, nothing is printed. If parts cannot be shown, everything else is printed
/// before; the error is then the first with the worst exit code.
pub fn print(
    path: &Path,
    decryption: &Decryption,
    shown: &Shown,
    out: &mut dyn Printer,
) -> Result<()> {
    let limits = Limits::default();
    let mut print = || print_of(&open(path)?, decryption, &limits, shown, out)?.end();
    print().map_err(|error| error.at_path(path))
}

fn open(path: &Path) -> Result<Arc<dyn Source>> {
    Ok(Arc::new(FileSource::open(path)?))
}

/// Prints the metadata of `source`, within `limits`; returns the errors of parts that cannot be shown.
fn print_of(
    source: &Arc<dyn Source>,
    decryption: &Decryption,
    limits: &Limits,
    shown: &Shown,
    out: &mut dyn Printer,
) -> Result<Failed> {
    match detect(source.as_ref())? {
        Format::Orc => orc::print(source, decryption, limits, shown, out),
        Format::Parquet => parquet::print(source, decryption, limits, shown, out),
    }
}

/// The output of [`print()`], as a value.
pub fn meta(path: &Path) -> Result<Value> {
    let meta = || meta_of(&open(path)?, &Limits::default());
    meta().map_err(|error| error.at_path(path))
}

/// The metadata of `source`, within `limits`, as a value.
pub fn meta_of(source: &Arc<dyn Source>, limits: &Limits) -> Result<Value> {
    let (decryption, shown) = (Decryption::default(), Shown::default());
    whole(|out| print_of(source, &decryption, limits, &shown, out))
}

fn whole(print: impl FnOnce(&mut dyn Printer) -> Result<Failed>) -> Result<Value> {
    let mut json = Json::new(Vec::new());
    print(&mut json)?;
    serde_json::from_slice(&json.into_inner())
        .map_err(|error| Error::limit("metadata is nested too deeply").with_source(error))
}

/// A value in the notation of rows.
pub(crate) fn value_json(ty: &LogicalType, value: Scalar) -> Value {
    let vector = Vector::constant(ty.clone(), value, 1);
    let mut text = String::new();
    render_json(&vector, 0, &mut text);
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// Prints one event of a tree.
fn part(event: Event<'_>, out: &mut dyn Printer) -> Result<()> {
    match event {
        Event::BeginObject => out.part(Part::BeginObject),
        Event::Field(name) => out.part(Part::Name(&name)),
        Event::EndObject => out.part(Part::EndObject),
        Event::BeginList => out.part(Part::BeginList),
        Event::EndList => out.part(Part::EndList),
        Event::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => out.part(Part::Text(text)),
            Err(_) => {
                out.part(Part::BeginObject)?;
                out.part(Part::Name("invalid_utf8"))?;
                out.part(Part::Bytes(text))?;
                out.part(Part::EndObject)
            }
        },
        Event::Bytes(bytes) => out.part(Part::Bytes(bytes)),
        Event::Value(node) => out.value(&plain(&node)),
    }
}

/// Prints a tree.
fn print_tree(node: Node, out: &mut dyn Printer) -> Result<()> {
    node.emit(&mut |event| part(event, out))
}

/// A value without parts.
fn plain(node: &Node) -> Value {
    match node {
        Node::Boolean(value) => Value::Bool(*value),
        Node::Int(value) => (*value).into(),
        Node::UInt(value) => (*value).into(),
        Node::Float(value) => float(*value),
        Node::Name(name) => (*name).into(),
        // these come as events of their own
        Node::Text(_) | Node::Bytes(_) | Node::List(_) | Node::Object(_) => Value::Null,
    }
}

fn float(value: f64) -> Value {
    match Number::from_f64(value) {
        Some(number) => Value::Number(number),
        None if value.is_nan() => "NaN".into(),
        None if value > 0.0 => "Infinity".into(),
        None => "-Infinity".into(),
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json as value;

    #[test]
    fn values_that_json_cannot_express_are_strings() {
        let nodes = [
            (Node::Float(f64::NAN), value!("NaN")),
            (Node::Float(f64::NEG_INFINITY), value!("-Infinity")),
            (Node::Float(1.0), value!(1.0)),
            (Node::UInt(u64::MAX), value!(u64::MAX)),
            (Node::Bytes(vec![0, 255]), value!("0x00ff")),
            (Node::Text(vec![b'a', 0xc3, 0xa9]), value!("aé")),
            (
                Node::Text(vec![b'a', 0xff]),
                value!({"invalid_utf8": "0x61ff"}),
            ),
        ];
        for (node, expected) in nodes {
            let printed = whole(|out| {
                print_tree(node, out)?;
                Ok(Failed::default())
            });
            assert_eq!(printed.unwrap(), expected);
        }
    }
}
