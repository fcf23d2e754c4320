//! The `lith` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    lith::run()
}
