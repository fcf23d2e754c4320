//! The `lith` command: arguments, output and exit codes around the other crates.
//!
//! It is a library so that tests and benches run the same code as users; `main` only passes the arguments.

#![forbid(unsafe_code)]

use std::env;
use std::process::ExitCode;

use clap::{Command, CommandFactory, FromArgMatches};
use lith_planner::functions::functions;

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

/// The command line. The functions are listed only where help is asked for: finding them takes some time.
fn command() -> Command {
    let asks_for_help = |arg| arg == "--help" || arg == "help";
    let command = args::Cli::command();
    if !env::args_os().any(asks_for_help) {
        return command;
    }
    command.mut_subcommand("explain", |explain| {
        let help = explain.get_after_long_help().map(ToString::to_string);
        let functions = args::wrapped(&functions());
        explain.after_long_help(format!(
            "{}\n\nFunctions:\n{functions}",
            help.unwrap_or_default()
        ))
    })
}

/// Runs the command that the process's arguments say.
pub fn run() -> ExitCode {
    let matches = command().try_get_matches();
    let cli = match matches.and_then(|matches| args::Cli::from_arg_matches(&matches)) {
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
