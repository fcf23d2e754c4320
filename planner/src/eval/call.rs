//! The arguments of a function call during evaluation.

use lith_format::bitmap::Bitmap;
use lith_format::types::LogicalType;

use super::Rows;
use super::value::{Lane, Value, known2, map2};
use crate::error::{PlanError, Result};

/// A call: the arguments' values and types, the result's type, the rows asked for.
pub(super) struct Call<'a> {
    pub(super) args: &'a [Value],
    pub(super) types: &'a [&'a LogicalType],
    pub(super) ty: &'a LogicalType,
    pub(super) rows: &'a Rows<'a>,
}

/// What computes a function.
pub(super) type Kernel = fn(&Call<'_>) -> Result<Value>;

impl Call<'_> {
    /// Argument `index`.
    pub(super) fn arg(&self, index: usize) -> Result<&Value> {
        self.args
            .get(index)
            .ok_or_else(|| PlanError::type_mismatch("too few arguments"))
    }

    /// Whether every argument is one value for all rows.
    pub(super) fn one(&self) -> bool {
        self.args.iter().all(|arg| arg.one)
    }

    /// How many values the result holds.
    pub(super) fn held(&self) -> usize {
        self.args
            .iter()
            .filter(|arg| !arg.one)
            .map(Value::held)
            .max()
            .unwrap_or(1)
    }

    /// The rows in which every argument is known.
    pub(super) fn known(&self) -> Option<Bitmap> {
        let held = self.held();
        self.args
            .iter()
            .filter(|arg| arg.known.is_some())
            .map(|arg| arg.known_rows(held))
            .reduce(|a, b| a.and(&b))
    }

    /// Whether a row must be computed.
    pub(super) fn wants(&self, row: usize) -> bool {
        self.args.iter().all(|arg| arg.is_known(row)) && (self.one() || self.rows.active.get(row))
    }

    pub(super) fn value(&self, lane: Lane) -> Value {
        Value::new(lane, self.known(), self.one())
    }

    /// A number per wanted row; `None` is the error `refuse` makes, or null without ANSI mode.
    pub(super) fn checked<T: Copy + Default>(
        &self,
        lane: fn(Vec<T>) -> Lane,
        f: impl Fn(usize) -> Option<T>,
        refuse: &str,
    ) -> Result<Value> {
        let mut out = vec![T::default(); self.held()];
        let mut failed = vec![false; self.held()];
        for (row, cell) in out.iter_mut().enumerate() {
            if self.wants(row) {
                match f(row) {
                    Some(found) => *cell = found,
                    None => failed[row] = true,
                }
            }
        }
        let value = self.value(lane(out));
        self.rows
            .settle(value, |row| failed[row], |_| PlanError::evaluate(refuse))
    }
}

/// Integers of two arguments, row by row.
pub(super) fn ints2(call: &Call<'_>, f: impl Fn(i64, i64) -> i64) -> Result<Value> {
    let (a, b) = (call.arg(0)?, call.arg(1)?);
    let lane = Lane::Int(map2(a.ints()?, b.ints()?, f));
    Ok(Value::new(lane, known2(a, b), a.one && b.one))
}
