//! The interface between planner and reader: a table and its wanted columns, the tasks of a scan, and row
//! predicates.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::bitmap::Bitmap;
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::schema::{Field, Schema};
use crate::types::LogicalType;
use crate::vector::{Batch, Vector};

/// The columns of a dataset: those stored in files, then those that directories name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSchema {
    /// All columns; leaves of filters and projections number these.
    pub schema: Arc<Schema>,
    /// How many of the last columns are partition columns.
    pub partition_columns: usize,
}

impl TableSchema {
    /// A table without partition columns.
    pub fn of_file(schema: Arc<Schema>) -> Self {
        TableSchema {
            schema,
            partition_columns: 0,
        }
    }

    /// How many columns are stored in files.
    pub fn data_columns(&self) -> usize {
        self.schema.fields.len() - self.partition_columns
    }
}

/// A step down from a nested column.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A field of a struct; of an array of structs, the array of theirs.
    Field(usize),
    /// The element of an array at an index from 0, which every array must have.
    Element(i64),
    /// The element of an array at an index from 0, null where the array has no such element.
    ElementIfAny(i64),
    /// The value of a map, null where it has no such key.
    Key(Scalar),
}

/// What a scan returns: a column of the table, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The top-level column.
    pub column: usize,
    /// The way down from there; empty for the whole column.
    pub steps: Vec<Step>,
    /// Its name, if it is not that of the field.
    pub name: Option<String>,
}

impl From<usize> for Output {
    fn from(column: usize) -> Self {
        Output {
            column,
            steps: Vec::new(),
            name: None,
        }
    }
}

impl Output {
    /// What it is in a table: under the last name on the way, null where anything above is.
    pub fn field(&self, table: &TableSchema) -> Result<Field> {
        let unknown = || Error::invalid(format!("column {} has no such field", self.column));
        let field = table.schema.fields.get(self.column).ok_or_else(unknown)?;
        let mut field = self.steps.iter().try_fold(field.clone(), |field, step| {
            let nullable = |ty: &LogicalType| Some(Field::nullable(&field.name, ty.clone()));
            let below = match (step, &field.ty) {
                (Step::Field(index), ty) => ty.field(*index),
                (Step::Element(_) | Step::ElementIfAny(_), LogicalType::List(element)) => {
                    nullable(&element.ty)
                }
                (Step::Key(_), LogicalType::Map(entry)) => nullable(&entry[1].ty),
                _ => None,
            };
            let below = below.ok_or_else(unknown)?;
            let nullable = field.nullable || below.nullable;
            Ok(Field { nullable, ..below })
        })?;
        if let Some(name) = &self.name {
            field.name.clone_from(name);
        }
        Ok(field)
    }

    /// The values, out of those of the column.
    pub fn of(&self, column: Vector) -> Result<Vector> {
        let mut steps = self.steps.iter();
        steps.try_fold(column, |column, step| match step {
            Step::Field(index) => column.into_field(*index),
            Step::Element(index) => column.into_element(*index),
            Step::ElementIfAny(index) => column.into_element_if_any(*index),
            Step::Key(key) => column.into_value(key),
        })
    }
}

/// A file to scan.
#[derive(Debug, Clone, PartialEq)]
pub struct ScanTask {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// A value for each partition column, of the column's type.
    pub partition: Vec<Scalar>,
    /// Row groups to consider; `None` is all.
    pub row_groups: Option<Vec<usize>>,
    /// Rows to consider, by their number in the file: runs that ascend and do not overlap; `None` is all.
    pub rows: Option<Vec<Range<u64>>>,
}

/// A condition that needs rows. The reader decodes the columns it names, asks it, and decodes
/// the others only for the rows it wants.
pub trait RowPredicate: Send + Sync {
    /// Top-level columns of the table's schema that it reads, ascending and distinct.
    fn columns(&self) -> &[usize];

    /// One bit a row, set where the condition is true (neither false nor UNKNOWN). The batch holds
    /// exactly [`columns`](Self::columns), in that order.
    fn evaluate(&self, batch: &Batch) -> Result<Bitmap>;
}
