//! The leaves that a command shows, and how it shows a bound of one.

use lith_format::error::{Error, Result};
use lith_format::figures::plural;
use lith_format::render::render_text;
use lith_format::schema::{LeafId, Schema};
use lith_format::stats::Bound;
use lith_format::types::LogicalType;
use lith_format::vector::Vector;
use serde_json::Value;

use crate::dataset::split_columns;
use crate::meta::value_json;
use crate::names::shown_path;

/// A leaf of a file.
pub struct Leaf {
    /// Its number.
    pub id: LeafId,
    /// Its path, joined by dots.
    pub name: String,
    /// What it means.
    pub ty: LogicalType,
}

/// The leaves that are named, or below what is named, in the order of the schema; all if nothing is.
///
/// # Errors
/// A name that is neither a leaf nor above one.
pub fn select(schema: &Schema, wanted: Option<&str>) -> Result<Vec<Leaf>> {
    let leaves = schema.leaves().into_iter().zip(0..);
    let mut all: Vec<Leaf> = leaves
        .map(|((path, field), id)| Leaf {
            id: LeafId(id),
            name: shown_path(&path),
            ty: field.ty.clone(),
        })
        .collect();
    let Some(wanted) = wanted.map(split_columns) else {
        return Ok(all);
    };
    let is_below = |leaf: &Leaf, name: &String| {
        let rest = leaf.name.strip_prefix(name.trim_matches('`'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    match wanted
        .iter()
        .find(|name| !all.iter().any(|leaf| is_below(leaf, name)))
    {
        Some(name) => Err(Error::invalid(format!("there is no column {name}"))),
        None => {
            all.retain(|leaf| wanted.iter().any(|name| is_below(leaf, name)));
            Ok(all)
        }
    }
}

/// A bound of a column of type `ty` as text, with `~` before it if it may be inexact.
fn bound_text(ty: &LogicalType, bound: &Bound) -> Option<String> {
    let vector = Vector::constant(ty.clone(), bound.value.clone(), 1);
    let mut text = String::from(if bound.exact { "" } else { "~" });
    render_text(&vector, 0, &mut text).then_some(text)
}

/// In how many letters a bound is shown, and one that is whole in a few more: UUIDs and timestamps.
const BOUND_WIDTH: usize = 24;
const WHOLE_WIDTH: usize = 36;

/// A bound as the cell of a table: not all of a long one; what is unknown and what is empty can be told apart.
pub fn bound_cell(ty: &LogicalType, bound: Option<&Bound>) -> String {
    let width = match ty {
        LogicalType::Uuid | LogicalType::Timestamp { .. } => WHOLE_WIDTH,
        _ => BOUND_WIDTH,
    };
    match bound.and_then(|bound| bound_text(ty, bound)) {
        None => "-".into(),
        Some(text) if text.is_empty() => "\"\"".into(),
        Some(text) if text == "~" => "~\"\"".into(),
        Some(text) => shorten(&text, width),
    }
}

/// The first letters of a text, with a mark if there are more.
pub fn shorten(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A bound as rows show the value; null if there is none.
pub fn bound_json(ty: &LogicalType, bound: &Option<Bound>) -> Value {
    let value = bound.as_ref().map(|bound| bound.value.clone());
    value.map_or(Value::Null, |value| value_json(ty, value))
}

/// Parts of a file that could not be shown, and were told in their place.
#[derive(Debug, Default)]
pub struct Failed {
    first: Option<Error>,
    others: u64,
}

impl Failed {
    /// Keeps an error in mind; returns what is to be said of it where file, row group and column are known.
    pub fn add(&mut self, error: Error) -> String {
        let site = error.site();
        let told = match (site.structure, site.offset) {
            (Some(structure), Some(offset)) => {
                format!("{structure} at byte {offset}: {}", error.message())
            }
            _ => error.message().to_string(),
        };
        self.others += u64::from(self.first.is_some());
        self.first.get_or_insert(error);
        told
    }

    /// The first error, if there was one, at the end.
    pub fn end(self) -> Result<()> {
        match (self.first, self.others) {
            (None, _) => Ok(()),
            (Some(error), 0) => Err(error),
            (Some(error), others) => {
                Err(error.noting(&format!("and {}", plural(others, "other error"))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use lith_format::schema::Field;

    use super::*;

    #[test]
    fn a_name_stands_for_itself_and_all_below() {
        let inner = [
            Field::nullable("x", LogicalType::Int32),
            Field::nullable("y", LogicalType::Int32),
        ];
        let schema = Schema::new(vec![
            Field::nullable("a", LogicalType::Struct(inner.into())),
            Field::nullable("ab", LogicalType::Int32),
        ]);
        let names = |wanted| -> Vec<String> {
            let leaves = select(&schema, wanted).unwrap();
            leaves.into_iter().map(|leaf| leaf.name).collect()
        };
        assert_eq!(names(None), ["a.x", "a.y", "ab"]);
        assert_eq!(names(Some("ab,a.y")), ["a.y", "ab"]);
        assert_eq!(names(Some("`a`")), ["a.x", "a.y"]);
        assert!(select(&schema, Some("a.z")).is_err());
        assert!(select(&schema, Some("b")).is_err());
    }
}
