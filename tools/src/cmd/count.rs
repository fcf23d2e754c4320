//! `lith count`: one integer.

use std::io::{self, Write};

use crate::args::Count;
use crate::dataset::Opened;
use crate::failure::Result;
use crate::output::print_metrics;

pub(super) fn run(args: &Count) -> Result {
    let opened = Opened::new(&args.input)?;
    let plan = opened.plan_count(args.predicate.as_deref())?;
    let mut scan = opened.scan(&plan, !args.no_skip)?;
    let mut rows = 0;
    for batch in scan.by_ref() {
        rows += batch?.rows as u64;
    }
    writeln!(io::stdout().lock(), "{rows}")?;
    if args.metrics {
        print_metrics(scan.metrics());
    }
    Ok(())
}
