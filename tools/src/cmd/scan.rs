//! `lith scan` and `lith head`: print rows that match a predicate.

use std::collections::BTreeSet;
use std::path::Path;

use lith_format::error::{Error, ErrorKind};
use lith_planner::plan::ScanPlan;

use crate::args::{Head, Query, Scan};
use crate::dataset::Opened;
use crate::failure::{Result, print_stderr};
use crate::output::{RowWriter, TABLE_ROWS, plural, print_metrics};

pub(super) fn run(args: &Scan) -> Result {
    let opened = Opened::for_query(&args.input, &args.query)?;
    let output = args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"));
    if let Some(output) = output {
        opened.refuse_as_output(output)?;
    }
    let Query { predicate, columns } = &args.query;
    let mut plan = opened.plan(predicate.as_deref(), columns.as_deref(), args.limit)?;
    RowWriter::refuse_repeated_columns(args.format, output, &plan)?;
    let held = RowWriter::holds_rows(args.format, output);
    let cut = held && plan.limit.is_none();
    if cut {
        plan.limit = Some(TABLE_ROWS + 1);
    }
    let mut scan = opened.scan(&plan, !args.no_skip)?;
    // the first batch comes before the output is touched: a query that fails prints nothing
    let first = scan.next().transpose();
    let first = first.map_err(|error| name_others(error, &plan, &opened))?;
    let mut rows = RowWriter::new(args.format, output, scan.schema())?;
    let mut left = if cut { TABLE_ROWS } else { u64::MAX };
    for batch in first.map(Ok).into_iter().chain(scan.by_ref()) {
        let batch = batch?;
        let wanted = left.min(batch.rows as u64);
        rows.write(&batch, wanted as usize)?;
        left -= wanted;
        if wanted < batch.rows as u64 {
            print_stderr(&format!(
                "the first {TABLE_ROWS} rows; -n ROWS shows so many, -f jsonl or csv all"
            ));
            break;
        }
    }
    rows.finish()?;
    if args.metrics {
        print_metrics(scan.metrics());
    }
    Ok(())
}

/// How many of the columns that cannot be read either are named.
const NAMED: usize = 10;

/// If a column of the output cannot be read, adds the others that cannot either, so that all can be left out at
/// once.
pub(super) fn name_others(error: Error, plan: &ScanPlan, opened: &Opened) -> Error {
    let is_unread = matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Encrypted);
    match is_unread {
        true => with_hint(error, plan, || opened.unread_columns(plan)),
        false => error,
    }
}

/// The hint is added if the column is in the output and not in the condition. `unread` finds the columns of the
/// output that cannot be read.
fn with_hint(error: Error, plan: &ScanPlan, unread: impl FnOnce() -> Vec<String>) -> Error {
    let column = error.site().column.as_deref();
    let fields = &plan.table.schema.fields;
    let has_failed = |index: &usize| {
        let name = &*fields[*index].name;
        let below = column.and_then(|column| column.strip_prefix(name));
        below.is_some_and(|below| below.is_empty() || below.starts_with('.'))
    };
    let mut conditions = plan.conjuncts.iter();
    let is_needed = conditions.any(|conjunct| conjunct.column_indices().iter().any(has_failed));
    let Some(first) = plan
        .columns
        .iter()
        .map(|output| output.column)
        .find(|column| has_failed(column))
    else {
        return error;
    };
    if is_needed {
        return error;
    }
    let mut others = unread();
    others.retain(|name| *name != fields[first].name);
    let all: BTreeSet<usize> = plan.columns.iter().map(|output| output.column).collect();
    let can_be_left_out = others.len() + 1 < all.len();
    let more = others.split_off(NAMED.min(others.len())).len() as u64;
    let mut error = match (&others[..], more) {
        ([], _) => error,
        (named, 0) => error.noting(&format!("unreadable too: {}", named.join(", "))),
        (named, more) => error.noting(&format!(
            "unreadable too: {} and {}",
            named.join(", "),
            plural(more, "other column")
        )),
    };
    if can_be_left_out {
        error = error.noting("name other columns with -c");
    }
    error
}

impl From<Head> for Scan {
    fn from(head: Head) -> Self {
        Scan {
            input: head.input,
            query: head.query,
            limit: Some(head.limit),
            format: head.format,
            output: None,
            metrics: head.metrics,
            no_skip: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use lith_format::schema::{Field, Schema};
    use lith_format::types::LogicalType;
    use lith_planner::discover::Dataset;
    use lith_planner::plan::{Query, Table, plan};

    use super::*;

    #[test]
    fn a_column_that_is_not_read_may_be_left_out_unless_it_is_asked() {
        let list = LogicalType::List(Field::nullable("element", LogicalType::Int32).into());
        let fields = vec![
            Field::nullable("arr", list),
            Field::nullable("x", LogicalType::Int32),
        ];
        let dataset = Dataset {
            files: Vec::new(),
            partitions: Vec::new(),
            partition_columns: Vec::new(),
        };
        let table = Table::new(&Schema::new(fields), dataset);
        let told = |predicate, columns: Option<Vec<String>>, unread: &[&str]| {
            let query = Query {
                predicate,
                columns,
                limit: None,
                ..Query::default()
            };
            let plan = plan(&table, &query).unwrap();
            let error = Error::unsupported("not read yet").at_path("f");
            let unread = || unread.iter().map(|name| (*name).to_owned()).collect();
            with_hint(error.at_row_group(1).at_column("arr"), &plan, unread).to_string()
        };
        let plain = "f: row group 1: column \"arr\": not read yet";
        let with_hint = format!("{plain}; name other columns with -c");
        assert_eq!(told(Some("x = 1"), None, &["arr"]), with_hint);
        assert_eq!(told(Some("arr IS NULL"), None, &["arr"]), plain);
        assert_eq!(told(None, Some(vec!["x".into()]), &["arr"]), plain);
        assert_eq!(told(None, Some(vec!["arr".into()]), &["arr"]), plain);
        let both = format!("{plain}; unreadable too: x");
        assert_eq!(told(None, None, &["arr", "x"]), both);
    }
}
