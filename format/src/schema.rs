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

    /// The index of the top-level column of this name: the only exact match, else the only match when
    /// case is ignored. Two such matches are an error.
    pub fn index_of(&self, name: &str) -> Result<Option<usize>> {
        let mut exact = (0..self.fields.len()).filter(|&index| self.fields[index].name == name);
        match (exact.next(), exact.next()) {
            (Some(_), Some(_)) => {
                let message = format!("{name:?} is ambiguous: several columns have this name");
                return Err(Error::invalid(message));
            }
            (Some(index), None) => return Ok(Some(index)),
            (None, _) => {}
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::LogicalType;

    #[test]
    fn a_name_means_one_column_or_is_refused() {
        let field = |name: &&str| Field::nullable(*name, LogicalType::Int32);
        let schema = Schema::new(["a", "A", "b", "b", "C"].iter().map(field).collect());
        assert_eq!(schema.index_of("a").unwrap(), Some(0));
        assert_eq!(schema.index_of("c").unwrap(), Some(4));
        assert_eq!(schema.index_of("d").unwrap(), None);
        let error = schema.index_of("b").unwrap_err().to_string();
        assert!(error.contains("several columns have this name"), "{error}");
        // a reader that goes by place takes the one that stands there
        assert_eq!(schema.index_near("b", 2).unwrap(), Some(2));
        assert_eq!(schema.index_near("b", 3).unwrap(), Some(3));
    }
}
