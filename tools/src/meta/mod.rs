//! Everything that a file's metadata says, as JSON in the words of its specification.
//!
//! What is not written is not there; numbers of the future are shown as numbers. Text that is not UTF-8, bytes
//! and floats that JSON has no word for are strings, as in rows.

use std::path::Path;
use std::sync::Arc;

use lith_format::error::Result;
use lith_format::limits::Limits;
use lith_format::meta::Format;
use lith_format::render::render_json;
use lith_format::scalar::Scalar;
use lith_format::tree::Node;
use lith_format::types::LogicalType;
use lith_format::vector::Vector;
use lith_reader::file::detect;
use lith_reader::source::{FileSource, Source};
use serde_json::{Map, Number, Value};

mod orc;
mod page_headers;
mod parquet;

/// The metadata of a file. A footer that no reader would accept is shown all the same, as far as it can be
/// taken apart.
pub fn meta(path: &Path) -> Result<Value> {
    let read = || {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
        meta_of(&source, &Limits::default())
    };
    read().map_err(|error| error.at_path(path))
}

/// The metadata of what `source` holds, no larger than `limits` allow.
pub fn meta_of(source: &Arc<dyn Source>, limits: &Limits) -> Result<Value> {
    match detect(source.as_ref())? {
        Format::Orc => orc::meta(source, limits),
        Format::Parquet => parquet::meta(source.as_ref(), limits),
    }
}

/// A value as rows show it.
pub(crate) fn value_json(ty: &LogicalType, value: Scalar) -> Value {
    let vector = Vector::constant(ty.clone(), value, 1);
    let mut text = String::new();
    render_json(&vector, 0, &mut text);
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

fn json(node: Node) -> Value {
    match node {
        Node::Boolean(value) => Value::Bool(value),
        Node::Int(value) => value.into(),
        Node::UInt(value) => value.into(),
        Node::Float(value) => float(value),
        Node::Name(name) => name.into(),
        Node::Text(bytes) => text(bytes),
        Node::Bytes(bytes) => hex(&bytes).into(),
        Node::List(list) => list.into_iter().map(json).collect(),
        Node::Object(fields) => {
            let fields = fields.into_iter();
            fields
                .map(|(name, node)| (name.into_owned(), json(node)))
                .collect::<Map<_, _>>()
                .into()
        }
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

fn text(bytes: Vec<u8>) -> Value {
    match String::from_utf8(bytes) {
        Ok(text) => Value::String(text),
        Err(error) => {
            let bytes = hex(error.as_bytes());
            Value::Object(Map::from_iter([("invalid_utf8".to_string(), bytes.into())]))
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    format!("0x{}", digits(bytes))
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json as value;

    #[test]
    fn what_json_has_no_word_for_is_a_string() {
        assert_eq!(json(Node::Float(f64::NAN)), value!("NaN"));
        assert_eq!(json(Node::Float(f64::NEG_INFINITY)), value!("-Infinity"));
        assert_eq!(json(Node::Float(1.0)), value!(1.0));
        assert_eq!(json(Node::UInt(u64::MAX)), value!(u64::MAX));
        assert_eq!(json(Node::Bytes(vec![0, 255])), value!("0x00ff"));
        let broken = json(Node::Text(vec![b'a', 0xff]));
        assert_eq!(broken, value!({"invalid_utf8": "0x61ff"}));
    }
}
