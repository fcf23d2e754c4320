//! `lith scan` and `lith head`: rows.

use std::path::Path;

use crate::args::{Head, Query, Scan};
use crate::dataset::Opened;
use crate::failure::Result;
use crate::output::{RowWriter, TABLE_ROWS, print_metrics};

pub(super) fn run(args: &Scan) -> Result {
    let opened = Opened::new(&args.input)?;
    let output = args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"));
    if let Some(output) = output {
        opened.refuse_as_output(output)?;
    }
    let Query { predicate, columns } = &args.query;
    let mut plan = opened.plan(predicate.as_deref(), columns.as_deref(), args.limit)?;
    let held = RowWriter::holds_rows(args.format, output);
    let cut = held && plan.limit.is_none();
    if cut {
        plan.limit = Some(TABLE_ROWS + 1);
    }
    let mut scan = opened.scan(&plan, !args.no_skip)?;
    // the first batch comes before the output is touched: a query that fails prints nothing
    let first = scan.next().transpose()?;
    let mut rows = RowWriter::new(args.format, output, scan.schema())?;
    let mut left = if cut { TABLE_ROWS } else { u64::MAX };
    for batch in first.map(Ok).into_iter().chain(scan.by_ref()) {
        let batch = batch?;
        let wanted = left.min(batch.rows as u64);
        rows.write(&batch, wanted as usize)?;
        left -= wanted;
        if wanted < batch.rows as u64 {
            eprintln!("the first {TABLE_ROWS} rows; -n ROWS shows so many, -f jsonl or csv all");
            break;
        }
    }
    rows.finish()?;
    if args.metrics {
        print_metrics(scan.metrics());
    }
    Ok(())
}

impl From<Head> for Scan {
    fn from(head: Head) -> Self {
        Scan {
            input: head.input,
            query: Query {
                predicate: None,
                columns: head.columns,
            },
            limit: Some(head.rows),
            format: head.format,
            output: None,
            metrics: false,
            no_skip: false,
        }
    }
}
