//! How the schemas of a dataset's files differ from the first one's: leaves by their path and type.
//!
//! Many files differ alike (a column was added last year): each difference is reported once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lith_format::schema::Schema;
use lith_format::types::LogicalType;

use crate::names::shown_path;

/// Schemas, compared one after the other.
#[derive(Debug, Default)]
pub struct Differences {
    first: Option<BTreeMap<Leaf, LogicalType>>,
    found: BTreeMap<String, Files>,
}

/// The name of a leaf, and how many before it have the same.
type Leaf = (String, usize);

/// Files that differ in the same way.
#[derive(Debug)]
struct Files {
    count: u64,
    first: PathBuf,
}

/// One way in which files differ from the first.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference<'a> {
    /// `city: missing`, `id: bigint instead of int`, `note: string, which the first file lacks`.
    pub what: &'a str,
    /// How many files.
    pub files: u64,
    /// The first of them.
    pub first: &'a Path,
}

impl Differences {
    /// Compares the next file's schema. The first one is what the others are compared to.
    pub fn add(&mut self, schema: &Schema, path: &Path) {
        let leaves = leaves(schema);
        let Some(first) = &self.first else {
            self.first = Some(leaves);
            return;
        };
        let mut found = Vec::new();
        for (leaf @ (name, _), ty) in first {
            match leaves.get(leaf) {
                None => found.push(format!("{name}: missing")),
                Some(other) if other != ty => {
                    found.push(format!("{name}: {other} instead of {ty}"))
                }
                Some(_) => {}
            }
        }
        let added = leaves.iter().filter(|(leaf, _)| !first.contains_key(*leaf));
        found.extend(
            added.map(|((name, _), ty)| format!("{name}: {ty}, which the first file lacks")),
        );
        for what in found {
            let files = self.found.entry(what).or_insert_with(|| Files {
                count: 0,
                first: path.to_path_buf(),
            });
            files.count += 1;
        }
    }

    /// Every way to differ, in order of the columns' names.
    pub fn iter(&self) -> impl Iterator<Item = Difference<'_>> {
        self.found.iter().map(|(what, files)| Difference {
            what,
            files: files.count,
            first: &files.first,
        })
    }
}

fn leaves(schema: &Schema) -> BTreeMap<Leaf, LogicalType> {
    let mut leaves = BTreeMap::new();
    let mut seen = BTreeMap::new();
    for (path, field) in schema.leaves() {
        let name = shown_path(&path);
        let before = seen.entry(name.clone()).or_insert(0);
        leaves.insert((name, *before), field.ty.clone());
        *before += 1;
    }
    leaves
}

#[cfg(test)]
mod tests {
    use lith_format::schema::Field;

    use super::*;

    #[test]
    fn each_way_to_differ_is_told_once() {
        let schema = |fields: &[(&str, LogicalType)]| {
            let field = |(name, ty): &(&str, LogicalType)| Field::nullable(*name, ty.clone());
            Schema::new(fields.iter().map(field).collect())
        };
        let mut differences = Differences::default();
        let (int, text) = (LogicalType::Int32, LogicalType::String);
        let files = [
            schema(&[("a", int.clone()), ("b", text.clone())]),
            schema(&[("b", text.clone()), ("a", int.clone())]),
            schema(&[("a", LogicalType::Int64), ("b", text.clone())]),
            schema(&[("a", LogicalType::Int64), ("c", text)]),
        ];
        for (number, schema) in files.iter().enumerate() {
            differences.add(schema, Path::new(&number.to_string()));
        }
        let found: Vec<_> = differences
            .iter()
            .map(|d| (d.what, d.files, d.first))
            .collect();
        assert_eq!(
            found,
            [
                ("a: bigint instead of int", 2, Path::new("2")),
                ("b: missing", 1, Path::new("3")),
                ("c: string, which the first file lacks", 1, Path::new("3")),
            ]
        );
    }
}
