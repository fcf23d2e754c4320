//! Judges any parts of a table by a condition, whatever they are: files of a catalog, row groups, pages of another
//! format. A part is its partition values and statistics of its leaves.
//!
//! ```
//! use std::borrow::Cow;
//! use std::sync::Arc;
//! use lith_format::filter::Verdict;
//! use lith_format::scalar::Scalar;
//! use lith_format::scan::TableSchema;
//! use lith_format::schema::LeafId;
//! use lith_format::stats::{Bound, ColumnStats};
//! use lith_planner::ddl::parse_columns;
//! use lith_planner::judge::Judge;
//!
//! let schema = Arc::new(parse_columns("cost double, price double, store string")?);
//! let table = TableSchema { schema, partition_columns: 1 };
//! let judge = Judge::of_text("store = 'S01' AND cost < price", &table)?;
//!
//! let bound = |value| Some(Bound { value: Scalar::Float64(value), exact: true });
//! let stats = |min, max| ColumnStats {
//!     min: bound(min),
//!     max: bound(max),
//!     null_count: Some(0),
//!     nan_count: Some(0),
//!     value_count: Some(1000),
//!     ..ColumnStats::default()
//! };
//! let parts = [
//!     ("S01", [stats(1.0, 5.0), stats(6.0, 9.0)]),
//!     ("S01", [stats(1.0, 5.0), stats(0.0, 1.0)]),
//!     ("S02", [stats(1.0, 5.0), stats(6.0, 9.0)]),
//! ];
//! let verdicts: Vec<Verdict> = parts
//!     .iter()
//!     .map(|(store, leaves)| {
//!         let of = |leaf: LeafId| leaves.get(leaf.index()).map(Cow::Borrowed);
//!         judge.verdict(&[Scalar::string(store)], &of)
//!     })
//!     .collect::<Result<_, _>>()?;
//! assert_eq!(verdicts, [Verdict::Always, Verdict::Never, Verdict::Never]);
//! # Ok::<(), lith_planner::error::PlanError>(())
//! ```

use std::borrow::Cow;

use lith_format::filter::{Filter, Verdict};
use lith_format::scalar::Scalar;
use lith_format::scan::TableSchema;
use lith_format::schema::{Field, LeafId};
use lith_format::stats::ColumnStats;

use crate::ansi::EvalMode;
use crate::classify::{Classes, classify};
use crate::error::Result;
use crate::expr::Expr;
use crate::normalize::{Normalized, normalize};
use crate::prune::Pruner;
use crate::pushdown;
use crate::resolve::resolve_condition;
use crate::sql;

/// A condition, ready to judge parts of a table.
pub struct Judge {
    /// The conjuncts by who can judge them.
    pub classes: Classes,
    /// What statistics are asked, over the table's leaves.
    pub filter: Filter,
    directories: Pruner,
    /// The first leaf of a partition column.
    first_partition: LeafId,
}

impl Judge {
    /// Of a condition as text.
    ///
    /// # Errors
    /// A text that does not parse or bind, and constant parts that cannot be computed.
    pub fn of_text(text: &str, table: &TableSchema) -> Result<Judge> {
        Judge::new(sql::parse(text)?, table, EvalMode::Ansi)
    }

    /// Of a condition built by code.
    ///
    /// # Errors
    /// A condition that does not bind, and constant parts that cannot be computed.
    pub fn new(condition: Expr, table: &TableSchema, mode: EvalMode) -> Result<Judge> {
        let conjuncts = match normalize(resolve_condition(condition, table, mode)?)? {
            Normalized::All(conjuncts) => conjuncts,
            Normalized::Never => vec![Expr::boolean(false)],
        };
        let classes = classify(&conjuncts, table);
        let leaves = table.schema.fields[..table.data_columns()].iter();
        let leaves: usize = leaves.map(Field::leaf_count).sum();
        Ok(Judge {
            filter: pushdown::filter_all(&classes.post_filter, table),
            directories: Pruner::new(&classes.partition_filters, table.data_columns())?,
            first_partition: LeafId(leaves as u32),
            classes,
        })
    }

    /// What is known of all rows of a part with these partition values, of which `stats` says what is known of a leaf of
    /// the table; `None` is nothing.
    ///
    /// # Errors
    /// A condition that fails for the partition values, such as a cast of text that is no number.
    pub fn verdict<'a>(
        &self,
        partition: &'a [Scalar],
        stats: &dyn Fn(LeafId) -> Option<Cow<'a, ColumnStats>>,
    ) -> Result<Verdict> {
        if !self.directories.keeps(partition)? {
            return Ok(Verdict::Never);
        }
        let verdict = self.filter.judge(&|leaf: LeafId| match leaf
            .index()
            .checked_sub(self.first_partition.index())
        {
            Some(number) => Some(Cow::Owned(ColumnStats::constant(partition.get(number)?, 1))),
            None => stats(leaf),
        });
        let unasked = self.directories.refused().is_some();
        Ok(if unasked && verdict == Verdict::Always {
            Verdict::Maybe
        } else {
            verdict
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ddl::parse_columns;

    fn verdict(text: &str) -> Verdict {
        let table = TableSchema {
            schema: parse_columns("a int, p int").unwrap().into(),
            partition_columns: 1,
        };
        let nothing = |_: LeafId| None;
        let judge = Judge::of_text(text, &table).unwrap();
        judge.verdict(&[Scalar::Int(7)], &nothing).unwrap()
    }

    #[test]
    fn what_is_not_known_rules_nothing_out() {
        assert_eq!(verdict("a = 1"), Verdict::Maybe);
        assert_eq!(verdict("p = 7"), Verdict::Always);
        assert_eq!(verdict("p + 1 = 7 AND a = 1"), Verdict::Never);
        assert_eq!(verdict("p < 7 OR a = 1"), Verdict::Maybe);
        assert_eq!(verdict("a = 1 AND a = 2"), Verdict::Never);
        assert_eq!(verdict("a < p OR p = 7"), Verdict::Always);
        // not computed, so that no part is known to be wanted whole
        assert_eq!(
            verdict("date_format(cast(p as string), 'y') = 'x'"),
            Verdict::Maybe
        );
        assert_eq!(verdict("md5(cast(p as string)) = 'x'"), Verdict::Maybe);
    }
}
