//! Decides by their directories alone which partitions are read: every filter on partition columns is
//! computed for each set of values, so that casts and functions prune as well as comparisons.

use lith_format::scalar::Scalar;

use crate::error::{PlanError, PlanErrorKind, Result};
use crate::eval::Program;
use crate::expr::Expr;

/// Filters on partition columns, compiled once.
pub struct Pruner {
    filters: Vec<Program>,
    data_columns: usize,
    refused: Option<PlanError>,
}

impl Pruner {
    /// Filters over a table whose first `data_columns` columns are stored. One that can be classified
    /// but not supported here rules nothing out.
    ///
    /// # Errors
    /// A filter that can never be computed, such as a malformed pattern.
    pub fn new(filters: &[Expr], data_columns: usize) -> Result<Pruner> {
        let mut pruner = Pruner {
            filters: Vec::with_capacity(filters.len()),
            data_columns,
            refused: None,
        };
        for filter in filters {
            match Program::new(filter) {
                Ok(program) => pruner.filters.push(program),
                Err(error) if *error.kind() == PlanErrorKind::Unsupported => {
                    pruner.refused.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(pruner)
    }

    /// Why the first filter that is not computed is not.
    pub fn refused(&self) -> Option<&PlanError> {
        self.refused.as_ref()
    }

    /// Whether some row of a partition with these values may be wanted.
    ///
    /// # Errors
    /// A filter that fails for these values, such as a cast of text that is no number.
    pub fn keeps(&self, values: &[Scalar]) -> Result<bool> {
        let value_of = |index: usize| partition_value(values, index, self.data_columns);
        for filter in &self.filters {
            if !matches!(filter.row(&value_of)?, Scalar::Boolean(true)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The value of a column of the table in a partition; null of a stored column.
pub(crate) fn partition_value(values: &[Scalar], index: usize, data_columns: usize) -> Scalar {
    let partition = index.checked_sub(data_columns);
    let value = partition.and_then(|partition| values.get(partition));
    value.cloned().unwrap_or(Scalar::Null)
}
