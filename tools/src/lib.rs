//! The `lith` command: arguments, output and exit codes around the other crates.
//!
//! It is a library so that tests and benches run the same code as users; `main` only passes the arguments.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;

// Layer 0
pub mod args;
pub mod facts;
pub mod names;

// Layer 1
pub mod differences;
pub mod encryption;
pub mod failure;
pub mod random;

// Layer 2
pub mod keys;
pub mod locked;
pub mod output;

// Layer 3
pub mod dataset;
pub mod meta;

// Layer 4
pub mod leaves;
pub mod run;

// Layer 5
pub mod summary;

// Layer 6
pub mod warnings;

// Layer 7
mod cmd;

/// Runs the command that the process's arguments say.
pub fn run() -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::report_usage(&error),
    };
    match cmd::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            failure.exit_code()
        }
    }
}
