//! Where each leaf of a table's schema comes from in one of its files.
//!
//! Files of one table may order, spell and nest their columns differently, or lack some. Columns bind
//! by name, at every level of structs: an exact match first, else the only match when case is
//! ignored. Elements, keys and values bind by their place. Partition columns come from the directory
//! even if the file holds a column of that name. ORC files of old Hive name all columns `_col0`,
//! `_col1`, ...: these bind by position.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::names::Names;
use crate::scalar::Scalar;
use crate::scan::TableSchema;
use crate::schema::{Field, LeafId, Schema, first_leaves};
use crate::stats::ColumnStats;
use crate::types::LogicalType;

/// What a table's leaf is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LeafSource {
    /// This leaf of the file.
    File(LeafId),
    /// This partition value of the task.
    Partition(usize),
    /// Not in the file: every slot is null.
    Missing,
    /// In the file in another form: nothing is known of it.
    Unknown,
}

/// What a table's top-level column is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnSource {
    /// This top-level column of the file.
    File(usize),
    /// This partition value of the task.
    Partition(usize),
    /// Not in the file: every slot is null.
    Missing,
}

/// The source of each top-level column of `table` in a file of schema `file`.
///
/// # Errors
/// A name that two columns of the file answer to when case is ignored.
pub fn bind_columns(table: &TableSchema, file: &Schema) -> Result<Vec<ColumnSource>> {
    let data_columns = table.data_columns();
    let by_position = is_positional(file);
    let names = Names::new(&file.fields);
    let source = |(index, field): (usize, &Field)| {
        if let Some(partition) = index.checked_sub(data_columns) {
            return Ok(ColumnSource::Partition(partition));
        }
        let found = if by_position {
            (index < file.fields.len()).then_some(index)
        } else {
            names.near(&field.name, index)?
        };
        Ok(found.map_or(ColumnSource::Missing, ColumnSource::File))
    };
    table.schema.fields.iter().enumerate().map(source).collect()
}

/// The source of each leaf of `table` in a file of schema `file`, by leaf number of the table.
///
/// # Errors
/// A name that two columns of the file answer to when case is ignored, and a column that is nested
/// in the table but not in the file, or the other way round.
pub fn bind(table: &TableSchema, file: &Schema) -> Result<Vec<LeafSource>> {
    let mut out = Vec::with_capacity(table.schema.leaf_count());
    let columns = bind_columns(table, file)?;
    let first_leaves = file.first_leaves();
    for (field, source) in table.schema.fields.iter().zip(columns) {
        match source {
            ColumnSource::Partition(partition) => out.push(LeafSource::Partition(partition)),
            ColumnSource::Missing => bind_missing(field, &mut out),
            ColumnSource::File(found) => {
                let leaf = first_leaves[found];
                bind_field(field, &file.fields[found], leaf, &mut out)
                    .map_err(|error| error.at_column(&field.name))?;
            }
        }
    }
    Ok(out)
}

/// What is known of a leaf of the table in a row group of a file: a partition column is its one value, and a column
/// that the file lacks is null in every row. `None` if nothing is known.
pub fn stats<'a>(
    sources: &[LeafSource],
    leaf: LeafId,
    (rows, of_file): (u64, impl FnOnce(LeafId) -> Option<Cow<'a, ColumnStats>>),
    partition: &[Scalar],
) -> Option<Cow<'a, ColumnStats>> {
    let constant = |value| Some(Cow::Owned(ColumnStats::constant(value, rows)));
    match *sources.get(leaf.index())? {
        LeafSource::File(leaf) => of_file(leaf),
        LeafSource::Partition(number) => constant(partition.get(number)?),
        LeafSource::Missing => constant(&Scalar::Null),
        LeafSource::Unknown => None,
    }
}

/// Whether the file's writer did not know its column names, so that they bind by position.
pub fn is_positional(file: &Schema) -> bool {
    let generated = |(index, field): (usize, &Field)| field.name == positional_name(index);
    !file.fields.is_empty() && file.fields.iter().enumerate().all(generated)
}

/// What a column is called whose writer did not know its name.
pub fn positional_name(index: usize) -> String {
    format!("_col{index}")
}

fn bind_missing(field: &Field, out: &mut Vec<LeafSource>) {
    out.extend(std::iter::repeat_n(LeafSource::Missing, field.leaf_count()));
}

fn bind_field(table: &Field, file: &Field, first: LeafId, out: &mut Vec<LeafSource>) -> Result<()> {
    use LogicalType as T;
    match (&table.ty, &file.ty) {
        (T::Struct(wanted), T::Struct(held)) => {
            let (names, first_leaves) = (Names::new(held), first_leaves(held));
            for (index, field) in wanted.iter().enumerate() {
                match names.near(&field.name, index)? {
                    Some(found) => {
                        let leaf = LeafId(first.0 + first_leaves[found].0);
                        bind_field(field, &held[found], leaf, out)?;
                    }
                    None => bind_missing(field, out),
                }
            }
            Ok(())
        }
        (T::List(_), T::List(_)) | (T::Map(_), T::Map(_)) | (T::Union(_), T::Union(_)) => {
            let mut leaf = first;
            let mut held = file.ty.fields().iter();
            for field in table.ty.fields() {
                match held.next() {
                    Some(found) => {
                        bind_field(field, found, leaf, out)?;
                        leaf.0 += found.leaf_count() as u32;
                    }
                    None => bind_missing(field, out),
                }
            }
            Ok(())
        }
        (T::Variant(wanted), T::Variant(held)) if wanted == held => {
            let leaves = (0..table.leaf_count() as u32).map(|leaf| LeafId(first.0 + leaf));
            out.extend(leaves.map(LeafSource::File));
            Ok(())
        }
        // files shred variants as they like; no leaf of one means the same as of another
        (T::Variant(_), T::Variant(_)) => {
            let unknown = std::iter::repeat_n(LeafSource::Unknown, table.leaf_count());
            out.extend(unknown);
            Ok(())
        }
        (wanted, held) if wanted.is_nested() || held.is_nested() => Err(Error::type_mismatch(
            format!("the file holds {held} where the table has {wanted}"),
        )),
        _ => {
            out.push(LeafSource::File(first));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::error::ErrorKind;
    use LeafSource::{File, Missing, Partition};

    fn int(name: &str) -> Field {
        Field::nullable(name, LogicalType::Int32)
    }

    fn record(name: &str, fields: Vec<Field>) -> Field {
        Field::nullable(name, LogicalType::Struct(fields.into()))
    }

    fn list(name: &str, element: Field) -> Field {
        Field::nullable(name, LogicalType::List(Arc::new(element)))
    }

    fn bound(
        table: Vec<Field>,
        partition_columns: usize,
        file: Vec<Field>,
    ) -> Result<Vec<LeafSource>> {
        let table = TableSchema {
            schema: Arc::new(Schema::new(table)),
            partition_columns,
        };
        bind(&table, &Schema::new(file))
    }

    #[test]
    fn columns_of_the_very_same_name_bind_each_to_itself() {
        let twice = || vec![int("a"), int("a"), record("s", vec![int("x"), int("x")])];
        let sources = bound(twice(), 0, twice()).unwrap();
        assert_eq!(sources, [0, 1, 2, 3].map(|leaf| File(LeafId(leaf))));
    }

    #[test]
    fn many_columns_bind_in_any_order_and_spelling() {
        // far more than a walk for each of them would finish
        const COLUMNS: u32 = 200_000;
        let columns = |name: &dyn Fn(u32) -> String| (0..COLUMNS).map(|i| int(&name(i))).collect();
        let table = || columns(&|i| format!("c{i}"));
        let reversed = columns(&|i| format!("C{}", COLUMNS - 1 - i));
        let held = || {
            let fields: Vec<Field> = columns(&|i| format!("C{}", COLUMNS - 1 - i));
            vec![record("s", fields)]
        };
        let sources = bound(table(), 0, reversed).unwrap();
        let expected = (0..COLUMNS).rev().map(|leaf| File(LeafId(leaf)));
        assert!(sources.into_iter().eq(expected.clone()));
        let sources = bound(vec![record("s", table())], 0, held()).unwrap();
        assert!(sources.into_iter().eq(expected));
    }

    #[test]
    fn names_bind_whatever_the_order_and_the_directory_wins() {
        let sources = bound(
            vec![int("a"), int("b"), int("c"), int("p")],
            1,
            vec![int("p"), int("B"), int("a")],
        );
        assert_eq!(
            sources.unwrap(),
            [File(LeafId(2)), File(LeafId(1)), Missing, Partition(0)]
        );
    }

    #[test]
    fn structs_bind_by_name_and_elements_by_place() {
        let sources = bound(
            vec![
                record("s", vec![int("x"), record("t", vec![int("y"), int("z")])]),
                list("l", record("element", vec![int("n"), int("m")])),
            ],
            0,
            vec![
                list("l", record("array", vec![int("m"), int("n")])),
                record("s", vec![record("t", vec![int("z")]), int("x")]),
            ],
        );
        assert_eq!(
            sources.unwrap(),
            [
                File(LeafId(3)),
                Missing,
                File(LeafId(2)),
                File(LeafId(1)),
                File(LeafId(0))
            ]
        );
    }

    #[test]
    fn generated_names_bind_by_position() {
        let sources = bound(
            vec![int("a"), int("b"), int("c")],
            0,
            vec![int("_col0"), int("_col1")],
        );
        assert_eq!(
            sources.unwrap(),
            [File(LeafId(0)), File(LeafId(1)), Missing]
        );
        let named = bound(vec![int("a")], 0, vec![int("_col0"), int("a")]);
        assert_eq!(named.unwrap(), [File(LeafId(1))]);
    }

    #[test]
    fn ambiguous_names_and_unlike_shapes_are_errors() {
        let twice = bound(
            vec![int("a")],
            0,
            vec![int("A"), int("Å"), int("aA"), int("A")],
        );
        assert_eq!(twice.unwrap_err().kind(), ErrorKind::InvalidArgument);
        let shape = bound(vec![int("a")], 0, vec![record("a", vec![int("x")])]);
        assert_eq!(shape.unwrap_err().kind(), ErrorKind::TypeMismatch);
    }
}
