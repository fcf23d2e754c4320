//! A table's shape: named, nested fields, and the numbering of its leaves.
//!
//! Leaves are numbered depth first. For a Parquet file that is the order of its column chunks; an
//! ORC file maps leaves to its column ids, which also count the nodes above.

use std::fmt;

use crate::error::{Error, Result};
pub use crate::types::Field;

/// A leaf by its number in depth-first order of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeafId(pub u32);

impl LeafId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The columns of a file or table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schema {
    /// Top-level columns, in order.
    pub fields: Vec<Field>,
}

impl Schema {
    /// A schema of `fields`.
    pub fn new(fields: Vec<Field>) -> Self {
        Schema { fields }
    }

    /// The index of the top-level column of this name: an exact match first, else the only match
    /// when case is ignored. Two such matches are an error.
    pub fn index_of(&self, name: &str) -> Result<Option<usize>> {
        if let Some(index) = self.fields.iter().position(|field| field.name == name) {
            return Ok(Some(index));
        }
        let folded = name.to_lowercase();
        let mut matches = self
            .fields
            .iter()
            .enumerate()
            .filter(|(_, field)| field.name.to_lowercase() == folded);
        let found = matches.next();
        match (found, matches.next()) {
            (Some((_, a)), Some((_, b))) => Err(Error::invalid(format!(
                "{name:?} is ambiguous: it could be {:?} or {:?}",
                a.name, b.name
            ))),
            (found, _) => Ok(found.map(|(index, _)| index)),
        }
    }

    /// [`index_of`](Self::index_of), but column `likely` first: it wins among columns of the very same name,
    /// and where schemas are alike nothing needs to be searched.
    pub fn index_near(&self, name: &str, likely: usize) -> Result<Option<usize>> {
        match self.fields.get(likely) {
            Some(field) if field.name == name => Ok(Some(likely)),
            _ => self.index_of(name),
        }
    }

    /// The first leaf of top-level column `index`.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn first_leaf(&self, index: usize) -> LeafId {
        let before: usize = self.fields[..index].iter().map(Field::leaf_count).sum();
        LeafId(u32::try_from(before).unwrap_or(u32::MAX))
    }

    /// Every leaf with its path from the root, in leaf order.
    pub fn leaves(&self) -> Vec<(Vec<&str>, &Field)> {
        fn collect<'a>(
            field: &'a Field,
            path: &mut Vec<&'a str>,
            out: &mut Vec<(Vec<&'a str>, &'a Field)>,
        ) {
            path.push(&field.name);
            if !field.ty.is_nested() {
                out.push((path.clone(), field));
            }
            for child in field.ty.fields() {
                collect(child, path, out);
            }
            path.pop();
        }
        let mut out = Vec::new();
        for field in &self.fields {
            collect(field, &mut Vec::new(), &mut out);
        }
        out
    }

    /// How many leaves there are.
    pub fn leaf_count(&self) -> usize {
        self.fields.iter().map(Field::leaf_count).sum()
    }
}

/// Spark's catalog notation: `struct<a:int,b:string>`.
impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct<")?;
        for (index, field) in self.fields.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{}:{}", field.name, field.ty)?;
        }
        f.write_str(">")
    }
}
