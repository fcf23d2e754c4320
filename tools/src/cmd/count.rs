//! `lith count`: one integer.

use std::io::{self, Write};

use crate::args::{Count, Query};
use crate::dataset::Opened;
use crate::failure::Result;
use crate::output::print_metrics;
use crate::run::Run;

pub(super) fn run(args: &Count) -> Result {
    let query = Query {
        predicate: args.predicate.clone(),
        columns: None,
    };
    let opened = Opened::for_query(&args.input, &query)?;
    let plan = opened.plan_count(args.predicate.as_deref())?;
    let run = Run::new(&opened, &plan, !args.no_skip)?;
    writeln!(io::stdout().lock(), "{}", run.rows)?;
    if args.metrics {
        print_metrics(&run.metrics);
    }
    Ok(())
}
