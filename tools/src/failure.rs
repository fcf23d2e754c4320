//! How a command fails: one line on standard error and an exit code.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use lith_format::error::{Error, ErrorKind, Result as FormatResult};
use lith_format::figures::plural;
use lith_format::render::escape_controls;
use lith_planner::error::{PlanError, PlanErrorKind};

/// The result of a command.
pub type Result<T = ()> = std::result::Result<T, Failure>;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// Reading or writing failed.
    File(Error),
    /// The predicate or the columns cannot be planned.
    Plan {
        /// Of which dataset.
        path: PathBuf,
        /// The predicate's text; empty if there is none.
        text: Box<str>,
        /// What is wrong.
        error: PlanError,
    },
    /// The columns that `--schema` declares are wrong.
    Schema {
        /// What was declared.
        text: Box<str>,
        /// What is wrong.
        error: PlanError,
    },
    /// Standard output was closed by its reader.
    BrokenPipe,
    /// The demo's counts are not what they must be.
    Difference(String),
    /// Failures that were reported when they occurred, by the worst exit code among them.
    Reported(u8),
}

/// The worst exit code of failures that were reported and did not stop the command.
#[derive(Debug, Default)]
pub struct Reported(u8);

impl Reported {
    /// Reports a failure.
    ///
    /// # Errors
    /// The failure itself if it stops the command: wrong usage, or standard output is closed.
    pub fn add(&mut self, failure: Failure) -> Result {
        if failure.code() == 2 || matches!(failure, Failure::BrokenPipe) {
            return Err(failure);
        }
        failure.report();
        self.0 = self.0.max(failure.code());
        Ok(())
    }

    /// The worst exit code as a failure, if there was one.
    pub fn end(self) -> Result {
        match self.0 {
            0 => Ok(()),
            code => Err(Failure::Reported(code)),
        }
    }
}

/// The errors of parts of a file, each of which was shown in place of its part.
#[derive(Debug, Default)]
pub struct Failed {
    /// The first error with the worst exit code.
    worst: Option<Error>,
    others: u64,
}

impl Failed {
    /// Counts an error; returns its text for output that already names file, row group and column.
    pub fn add(&mut self, error: Error) -> String {
        let site = error.site();
        let text = match (site.structure, site.offset) {
            (Some(structure), Some(offset)) => {
                format!("{structure} at byte {offset}: {}", error.message())
            }
            _ => error.message().to_string(),
        };
        self.others += u64::from(self.worst.is_some());
        let worst = self.worst.as_ref().map(|worst| code(worst.kind()));
        if worst < Some(code(error.kind())) {
            self.worst = Some(error);
        }
        text
    }

    /// The first error with the worst exit code, if there was an error, with the number of the others.
    pub fn end(self) -> FormatResult<()> {
        match (self.worst, self.others) {
            (None, _) => Ok(()),
            (Some(error), 0) => Err(error),
            (Some(error), others) => {
                Err(error.noting(&format!("and {}", plural(others, "other error"))))
            }
        }
    }
}

/// Prints a line on standard error. If that fails, there is nobody to tell, and the exit code stays what it is.
pub fn print_stderr(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

impl Failure {
    /// Prints one line on standard error; at a terminal, also the place in the predicate. A closed pipe is
    /// not reported.
    pub fn report(&self) {
        if matches!(self, Failure::BrokenPipe | Failure::Reported(_)) {
            return;
        }
        print_stderr(&format!("lith: {}", escape_controls(&self.to_string())));
        if let Failure::Plan { text, error, .. } | Failure::Schema { text, error, .. } = self
            && io::stderr().is_terminal()
            && let Some(place) = error.with_caret(text)
        {
            print_stderr(&place);
        }
    }

    /// 1 difference, 2 usage, 3 input/output, 4 corrupt or unsupported; 0 for a closed pipe.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }

    fn code(&self) -> u8 {
        match self {
            Failure::BrokenPipe => 0,
            Failure::Reported(code) => *code,
            Failure::Difference(_) => 1,
            Failure::Plan { error, .. } | Failure::Schema { error, .. } => match error.kind() {
                PlanErrorKind::Unsupported => 4,
                _ => 2,
            },
            Failure::File(error) => code(error.kind()),
        }
    }
}

/// The exit code of an error of this kind.
fn code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::InvalidArgument => 2,
        ErrorKind::Io => 3,
        _ => 4,
    }
}

/// Reports wrong arguments in one line that points to `--help`; help and version are printed as they are.
pub fn report_usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    let text = error.to_string();
    match (error.kind(), text.strip_prefix("error: ")) {
        (ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, _) | (_, None) => {
            let _ = error.print();
        }
        (_, Some(text)) => {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let lines: Vec<&str> = lines
                .filter(|line| !line.starts_with("For more information"))
                .collect();
            let text = escape_controls(&lines.join("; "));
            print_stderr(&format!("lith: {text} (see --help)"));
        }
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::File(error) => error.fmt(f),
            Failure::Plan { path, text, error } => {
                write!(f, "{}: {}", path.display(), error.in_predicate(text))
            }
            Failure::Schema { text, error } => f.write_str(&error.in_option("--schema", text)),
            Failure::BrokenPipe => f.write_str("standard output is closed"),
            Failure::Difference(text) => f.write_str(text),
            Failure::Reported(_) => f.write_str("not everything could be read"),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let source = std::error::Error::source(&error);
        let source = source.and_then(|source| source.downcast_ref::<io::Error>());
        // files are not pipes
        match source.map(io::Error::kind) {
            Some(io::ErrorKind::BrokenPipe) => Failure::BrokenPipe,
            _ => Failure::File(error),
        }
    }
}

/// An error of writing the output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Error::io("standard output", error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_worst_errors_stands_for_all() {
        let mut failed = Failed::default();
        failed.add(Error::new(ErrorKind::Io, "unreadable"));
        failed.add(Error::corrupt("broken").at("PageHeader", 7));
        let text = failed.add(Error::truncated("cut").at("PageHeader", 9));
        assert_eq!(text, "PageHeader at byte 9: cut");
        let error = failed.end().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert_eq!(error.message(), "broken; and 2 other errors");
        assert!(Failed::default().end().is_ok());
    }
}
