//! Decides by their directories alone which partitions are read: every filter on partition columns is
//! computed for each set of values, so that casts and functions prune as well as comparisons.

use lith_format::scalar::Scalar;

use crate::error::Result;
use crate::eval::Program;
use crate::expr::Expr;

/// Filters on partition columns, compiled once.
pub struct Pruner {
    filters: Vec<Program>,
    data_columns: usize,
}

impl Pruner {
    /// Filters over a table whose first `data_columns` columns are stored.
    ///
    /// # Errors
    /// A filter that can be classified but not computed here.
    pub fn new(filters: &[Expr], data_columns: usize) -> Result<Pruner> {
        Ok(Pruner {
            filters: filters.iter().map(Program::new).collect::<Result<_>>()?,
            data_columns,
        })
    }

    /// Whether some row of a partition with these values may be wanted.
    ///
    /// # Errors
    /// A filter that fails for these values, such as a cast of text that is no number.
    pub fn keeps(&self, values: &[Scalar]) -> Result<bool> {
        let value_of = |index: usize| {
            let partition = index.checked_sub(self.data_columns);
            let value = partition.and_then(|partition| values.get(partition));
            value.cloned().unwrap_or(Scalar::Null)
        };
        for filter in &self.filters {
            if !matches!(filter.row(&value_of)?, Scalar::Boolean(true)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
