//! Computes resolved expressions over batches, a column at a time.
//!
//! An expression is compiled once ([`Program`], [`Predicate`]): columns become slots, patterns and IN
//! lists are made ready, what names no column is computed. Then every batch runs through the nodes
//! bottom up in whole columns. Truth has three values, held as two bitmaps. ANSI errors (overflow,
//! division by zero, malformed casts) count only in rows that reach them: each node is given the rows
//! that are still asked for, and AND, OR, CASE and COALESCE ask their later parts for fewer.
//!
//! A part that reads one column which lies as a dictionary is judged once per entry and spread by the
//! codes. A single row of scalars ([`Program::row`]) is a batch of one.

// Layer 0
mod pattern;
mod value;

// Layer 1
mod call;
mod compare;
mod load;
mod number;

// Layer 2
mod cast;
mod date;
mod json;
mod node;
mod text;

// Layer 3
mod nested;

// Layer 4
mod run;

// Layer 5
mod function;

// Layer 6
mod compile;

use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::Error;
use lith_format::scalar::Scalar;
use lith_format::scan::RowPredicate;
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, Vector};

use crate::ansi::EvalMode;
use crate::error::{PlanError, Result};
use crate::expr::{Column, Expr};
use node::Node;
use run::Input;
use value::Value;

/// The rows that an operation is asked for.
struct Rows<'a> {
    active: &'a Bitmap,
    mode: EvalMode,
}

impl Rows<'_> {
    /// The value, if no row that is asked for and known failed; else the error of the first such row, or without
    /// ANSI mode null in all of them.
    fn settle(
        &self,
        mut value: Value,
        failed: impl Fn(usize) -> bool,
        error: impl Fn(usize) -> PlanError,
    ) -> Result<Value> {
        let failing = |row: &usize| value.is_known(*row) && failed(*row);
        let first = match value.one {
            true => Some(0).filter(|row| self.active.any() && failing(row)),
            false => self.active.ones().find(failing),
        };
        match (first, self.mode) {
            (None, _) => Ok(value),
            (Some(row), EvalMode::Ansi) => Err(error(row)),
            (Some(_), EvalMode::Legacy) => {
                let done: Bitmap = (0..value.held()).map(|row| !failed(row)).collect();
                value.keep(done);
                Ok(value)
            }
        }
    }
}

/// A resolved expression, ready to be computed.
#[derive(Debug)]
pub struct Program {
    node: Node,
    columns: Vec<usize>,
    ty: LogicalType,
}

impl Program {
    /// Compiles a resolved expression. What cannot be computed here is an error that names it.
    pub fn new(expr: &Expr) -> Result<Program> {
        let columns = expr.column_indices();
        let node = compile::compile(expr, &columns)?;
        Ok(Program {
            node,
            columns,
            ty: expr.ty(),
        })
    }

    /// The top-level columns it reads, ascending and distinct.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The type of its value.
    pub fn ty(&self) -> &LogicalType {
        &self.ty
    }

    /// Its value in one row, given the values of top-level columns by their number.
    pub fn row(&self, value_of: &dyn Fn(usize) -> Scalar) -> Result<Scalar> {
        let vectors: Vec<Vector> = self
            .columns
            .iter()
            .map(|&index| Vector::constant(LogicalType::Null, value_of(index), 1))
            .collect();
        let columns: Vec<&Vector> = vectors.iter().collect();
        Ok(self.run(&columns, 1)?.scalar(0, &self.ty))
    }

    fn run(&self, columns: &[&Vector], rows: usize) -> Result<Value> {
        let active = Bitmap::repeat(true, rows);
        run::run(&self.node, &Input { columns, rows }, &active)
    }
}

/// The value of a resolved expression in one row, given the values of its columns.
pub fn eval_scalar(expr: &Expr, value_of: &dyn Fn(&Column) -> Scalar) -> Result<Scalar> {
    let columns = expr.columns();
    Program::new(expr)?.row(&|index| {
        let column = columns.iter().find(|column| column.index() == Some(index));
        column.map_or(Scalar::Null, |column| value_of(column))
    })
}

/// The value of a resolved expression that names no column.
pub fn constant(expr: &Expr) -> Result<Scalar> {
    eval_scalar(expr, &|_| Scalar::Null)
}

/// A condition, ready to judge the rows of batches.
#[derive(Debug)]
pub struct Predicate {
    program: Program,
    text: Arc<str>,
}

impl Predicate {
    /// Compiles a resolved condition.
    pub fn new(expr: &Expr) -> Result<Predicate> {
        Ok(Predicate {
            program: Program::new(expr)?,
            text: "".into(),
        })
    }

    /// The same as a part of this text, in which errors name their place.
    pub fn in_text(mut self, text: impl Into<Arc<str>>) -> Predicate {
        self.text = text.into();
        self
    }

    /// Its truth in one row: `None` is UNKNOWN.
    pub fn row(&self, value_of: &dyn Fn(usize) -> Scalar) -> Result<Option<bool>> {
        match self.program.row(value_of)? {
            Scalar::Boolean(truth) => Ok(Some(truth)),
            _ => Ok(None),
        }
    }
}

impl RowPredicate for Predicate {
    fn columns(&self) -> &[usize] {
        &self.program.columns
    }

    fn evaluate(&self, batch: &Batch) -> lith_format::error::Result<Bitmap> {
        if batch.columns.len() != self.program.columns.len() {
            let message = format!(
                "the condition reads {} columns, the batch has {}",
                self.program.columns.len(),
                batch.columns.len()
            );
            return Err(Error::invalid(message));
        }
        if let Some(column) = batch.columns.iter().find(|column| column.len != batch.rows) {
            let message = format!(
                "a column of {} rows in a batch of {}",
                column.len, batch.rows
            );
            return Err(Error::invalid(message));
        }
        let columns: Vec<&Vector> = batch.columns.iter().collect();
        let truth = self.program.run(&columns, batch.rows);
        truth
            .and_then(|truth| truth.is_true(batch.rows))
            .map_err(|error| Error::invalid(error.in_predicate(&self.text)).with_source(error))
    }
}

#[cfg(test)]
mod tests;
