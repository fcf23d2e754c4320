//! `lith tail`: the last rows.
//!
//! Without a predicate, the row counts of the footers tell which row groups hold them, and only those are read.
//! With one, files are read from the last one backwards, twice as many each time, until enough rows have passed.

use std::collections::VecDeque;

use lith_format::schema::Schema;
use lith_format::vector::Batch;
use lith_planner::plan::ScanPlan;
use lith_reader::metrics::Metrics;

use super::scan::name_others;
use crate::args::{Head, Query};
use crate::dataset::Opened;
use crate::failure::Result;
use crate::output::{RowWriter, print_metrics};

pub(super) fn run(args: &Head) -> Result {
    let opened = Opened::for_query(&args.input, &args.query)?;
    let Query { predicate, columns } = &args.query;
    let mut plan = opened.plan(predicate.as_deref(), columns.as_deref(), None)?;
    RowWriter::refuse_repeated_columns(args.format, None, &plan)?;
    if !opened.filters_rows(&plan)? {
        keep_last(&opened, &mut plan, args.limit)?;
    }
    let fields = plan.columns.iter();
    let fields = fields.map(|output| Ok(output.field(&plan.table)?));
    let schema = Schema::new(fields.collect::<Result<_>>()?);
    let metrics = Metrics::default();
    let batches = last(&opened, plan, args.limit, &metrics)?;
    let mut rows = RowWriter::new(args.format, None, &schema)?;
    for batch in &batches {
        rows.write(batch, batch.rows)?;
    }
    rows.finish()?;
    if args.metrics {
        print_metrics(&metrics);
    }
    Ok(())
}

/// Restricts the plan to the last `wanted` rows of its files.
fn keep_last(opened: &Opened, plan: &mut ScanPlan, wanted: u64) -> Result {
    let mut tasks = std::mem::take(&mut plan.tasks);
    let mut left = wanted;
    while left > 0
        && let Some(mut task) = tasks.pop()
    {
        let rows = opened.rows(&task)?;
        let first = rows.saturating_sub(left);
        task.rows = (first > 0).then(|| std::iter::once(first..rows).collect());
        left -= rows - first;
        plan.tasks.insert(0, task);
    }
    Ok(())
}

/// The last `wanted` rows of a plan; counts what that takes.
fn last(
    opened: &Opened,
    mut plan: ScanPlan,
    wanted: u64,
    metrics: &Metrics,
) -> Result<VecDeque<Batch>> {
    let mut tasks = std::mem::take(&mut plan.tasks);
    let mut found = Tail::default();
    let mut at_once = 1;
    while found.rows < wanted && !tasks.is_empty() {
        plan.tasks = tasks.split_off(tasks.len().saturating_sub(at_once));
        at_once *= 2;
        let mut before = Tail::default();
        let mut scan = opened.scan(&plan, true)?;
        for batch in scan.by_ref() {
            let batch = batch.map_err(|error| name_others(error, &plan, opened))?;
            before.push(batch, wanted - found.rows);
        }
        metrics.add(scan.metrics());
        before.rows += found.rows;
        before.batches.append(&mut found.batches);
        found = before;
    }
    Ok(found.batches)
}

/// The last rows of the batches so far.
#[derive(Default)]
struct Tail {
    rows: u64,
    batches: VecDeque<Batch>,
}

impl Tail {
    /// Appends a batch and drops what is not among the last `wanted` rows.
    fn push(&mut self, batch: Batch, wanted: u64) {
        self.rows += batch.rows as u64;
        self.batches.push_back(batch);
        while self.rows > wanted
            && let Some(first) = self.batches.pop_front()
        {
            let spare = (self.rows - wanted).min(first.rows as u64);
            self.rows -= spare;
            if spare < first.rows as u64 {
                self.batches
                    .push_front(without_first(first, spare as usize));
            }
        }
    }
}

/// The rows of a batch from row `start` on.
fn without_first(batch: Batch, start: usize) -> Batch {
    let rows = batch.rows - start;
    let columns = batch.columns.iter().map(|column| column.slice(start, rows));
    Batch {
        rows,
        columns: columns.collect(),
        schema: batch.schema,
    }
}
