//! `lith sample`: rows picked at random without replacement, in their order.
//!
//! Without a predicate, row numbers are drawn from the row counts of the footers, and only the data that holds
//! these rows is read. With one, all rows that pass go through a reservoir.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;

use lith_planner::plan::ScanPlan;

use super::scan::name_others;
use crate::args::{Head, Query, Sample};
use crate::dataset::Opened;
use crate::failure::Result;
use crate::output::{RowWriter, print_metrics};
use crate::random::{Random, Reservoir, distinct};

pub(super) fn run(args: &Sample) -> Result {
    let Head { input, query, .. } = &args.rows;
    let wanted = args.rows.limit;
    let opened = Opened::for_query(input, query)?;
    let Query { predicate, columns } = query;
    let mut plan = opened.plan(predicate.as_deref(), columns.as_deref(), None)?;
    RowWriter::refuse_repeated_columns(args.rows.format, None, &plan)?;
    let seed = args.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
    let mut random = Random::new(seed);
    let all_pass = !opened.filters_rows(&plan)?;
    if all_pass {
        pick(&opened, &mut plan, wanted, &mut random)?;
    } else if wanted == 0 {
        plan.tasks.clear();
    }
    let mut scan = opened.scan(&plan, true)?;
    let mut reservoir = Reservoir::new(wanted, random);
    // errors of the first batch come before any output
    let first = scan.next().transpose();
    let first = first.map_err(|error| name_others(error, &plan, &opened))?;
    let (schema, metrics) = (scan.schema().clone(), Arc::clone(scan.metrics()));
    let mut batches = first.map(Ok).into_iter().chain(scan);
    if !all_pass {
        for batch in batches.by_ref() {
            reservoir.offer(&batch?)?;
        }
    }
    let mut rows = RowWriter::new(args.rows.format, None, &schema)?;
    for batch in reservoir.picked()?.into_iter().map(Ok).chain(batches) {
        let batch = batch?;
        rows.write(&batch, batch.rows)?;
    }
    rows.finish()?;
    if args.rows.metrics {
        print_metrics(&metrics);
    }
    Ok(())
}

/// Restricts the plan to `wanted` rows drawn from all of its files.
fn pick(opened: &Opened, plan: &mut ScanPlan, wanted: u64, random: &mut Random) -> Result {
    let rows = plan.tasks.iter().map(|task| opened.rows(task));
    let rows: Vec<u64> = rows.collect::<Result<_>>()?;
    let total = rows
        .iter()
        .fold(0, |total: u64, rows| total.saturating_add(*rows));
    let mut picked = distinct(total, wanted, random).into_iter().peekable();
    let mut first = 0;
    for (task, rows) in plan.tasks.iter_mut().zip(rows) {
        let mut runs: Vec<Range<u64>> = Vec::new();
        while let Some(row) = picked.next_if(|row| row - first < rows) {
            let row = row - first;
            match runs.last_mut() {
                Some(run) if run.end == row => run.end += 1,
                _ => runs.push(row..row + 1),
            }
        }
        task.rows = Some(runs);
        first = rows.saturating_add(first);
    }
    plan.tasks
        .retain(|task| task.rows.as_ref().is_some_and(|runs| !runs.is_empty()));
    Ok(())
}
