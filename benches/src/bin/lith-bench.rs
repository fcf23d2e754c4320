//! `lith-bench`: one operation on one file, timed in this process, one line of JSON.
//!
//! ```text
//! lith-bench --op meta|decode|project|filter|count|orcdecode|orcfilter --file F [--cols A,B]
//!     [--pcol COLUMN --pop lt --pval 5] [--threads 1] [--mmap 1] [--case NAME] [--n 5] [--warm 1] [--budget_ms 20000]
//! {"peer":"lith","op":"meta","case":"..","threads":1,"n":5,"min_ns":..,"median_ns":..,"cpu_min_ns":..,
//!  "rows":..,"bytes":..,"check":..}
//! ```
//! Commands that time other libraries take the same flags and print the same line, so that figures compare.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use lith_benches::job::{Job, USAGE};
use mimalloc::MiMalloc;

/// What the commands that it is compared with use, too.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let job = match Job::parse(std::env::args().skip(1)) {
        Ok(job) => job,
        Err(message) => {
            eprintln!("lith-bench: {message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match job.run() {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("lith-bench: {error}");
            ExitCode::from(3)
        }
    }
}
