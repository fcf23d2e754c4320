//! A table's shape: named, nested fields, and the numbering of its leaves.
//!
//! Leaves are numbered depth first. For a Parquet file that is the order of its column chunks; an
//! ORC file maps leaves to its column ids, which also count the nodes above.

use std::fmt;

use crate::error::Result;
use crate::names;
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
    /// case is ignored. Two such matches are an error. It walks over all columns: for many questions there
    /// is [`Names`](crate::names::Names).
    pub fn index_of(&self, name: &str) -> Result<Option<usize>> {
        names::find(&self.fields, name).index(name, &self.fields)
    }

    /// The first leaf of top-level column `index`.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn first_leaf(&self, index: usize) -> LeafId {
        let before: usize = self.fields[..index].iter().map(Field::leaf_count).sum();
        LeafId(u32::try_from(before).unwrap_or(u32::MAX))
    }

    /// The first leaf of each top-level column.
    pub fn first_leaves(&self) -> Vec<LeafId> {
        first_leaves(&self.fields)
    }

    /// Every leaf with its path from the root, in leaf order.
    pub fn leaves(&self) -> Vec<(Vec<&str>, &Field)> {
        let mut leaves = Vec::new();
        for field in &self.fields {
            add_leaves(field, &mut Vec::new(), &mut leaves);
        }
        leaves
    }

    /// The leaves of top-level column `index` with their paths from the root; none if there is no such column.
    pub fn leaves_of(&self, index: usize) -> Vec<(Vec<&str>, &Field)> {
        let mut leaves = Vec::new();
        if let Some(field) = self.fields.get(index) {
            add_leaves(field, &mut Vec::new(), &mut leaves);
        }
        leaves
    }

    /// How many leaves there are.
    pub fn leaf_count(&self) -> usize {
        self.fields.iter().map(Field::leaf_count).sum()
    }
}

fn add_leaves<'a>(
    field: &'a Field,
    path: &mut Vec<&'a str>,
    leaves: &mut Vec<(Vec<&'a str>, &'a Field)>,
) {
    path.push(&field.name);
    if !field.ty.is_nested() {
        leaves.push((path.clone(), field));
    }
    for child in field.ty.fields() {
        add_leaves(child, path, leaves);
    }
    path.pop();
}

/// The first leaf of each of `fields`, numbered from the first one's.
pub(crate) fn first_leaves(fields: &[Field]) -> Vec<LeafId> {
    let mut next = 0;
    let first = |field: &Field| {
        let first = LeafId(next);
        next =
            u32::try_from(field.leaf_count()).map_or(u32::MAX, |count| next.saturating_add(count));
        first
    };
    fields.iter().map(first).collect()
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
        let error = schema.index_of("B").unwrap_err().to_string();
        assert!(error.contains("several columns have this name"), "{error}");
    }

    #[test]
    fn leaves_are_numbered_through() {
        let int = |name: &str| Field::nullable(name, LogicalType::Int32);
        let pair = LogicalType::Struct([int("x"), int("y")].into());
        let fields = vec![int("a"), Field::nullable("s", pair), int("b")];
        let schema = Schema::new(fields);
        assert_eq!(schema.first_leaves(), [0, 1, 3].map(LeafId));
        for (index, first) in schema.first_leaves().into_iter().enumerate() {
            assert_eq!(schema.first_leaf(index), first);
        }
    }
}
