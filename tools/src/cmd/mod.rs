//! The commands, one module each.

use crate::args::{Cli, Command};
use crate::failure::Result;

mod count;
mod demo;
mod explain;
mod inspect;
mod meta;
mod pages;
mod profile;
mod sample;
mod scan;
mod schema;
mod stats;
mod tail;

/// Does what the command line says.
pub fn run(cli: Cli) -> Result {
    match cli.command {
        Command::Inspect(args) => inspect::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Pages(args) => pages::run(&args),
        Command::Meta(args) => meta::run(&args),
        Command::Count(args) => count::run(&args),
        Command::Scan(args) => scan::run(&args),
        Command::Head(args) => scan::run(&args.into()),
        Command::Tail(args) => tail::run(&args),
        Command::Sample(args) => sample::run(&args),
        Command::Explain(args) => explain::run(&args, cli.color),
        Command::Profile(args) => profile::run(&args),
        Command::Demo(args) => demo::run(&args, cli.color),
    }
}
