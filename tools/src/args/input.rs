//! The arguments that say which files are read and how.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use lith_planner::ansi::EvalMode;

/// Where data is.
#[derive(Debug, Clone, Args)]
pub struct Input {
    /// Files, directories or quoted globs: one table, each file once, with the columns of the first by path.
    ///
    /// Globs have `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any directories. In directories, names that begin with `_`
    /// or `.` are skipped; any other file that is neither format is an error. Columns of other files are matched by
    /// name, or `--by-position`, and are null if a file lacks them; a type that does not widen to the table's is an
    /// error when it is read.
    #[arg(required = true, value_name = "PATH", value_parser = PathBufValueParser::new().map(local))]
    pub paths: Vec<PathBuf>,
    /// Map files into memory instead of reading them: fewer copies, but a file that shrinks while
    /// it is read kills the process.
    #[arg(long)]
    pub mmap: bool,
    /// Read with this many threads; by default, with one for each processor.
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Types of ORC files: with `spark`, a bigint that Spark marked as timestamp_ntz is read as such, with
    /// `stored` as a bigint.
    #[arg(long, value_enum, value_name = "WHOSE", default_value_t = OrcTypes::Spark)]
    pub orc_types: OrcTypes,
    /// How to read variants of Parquet files: as `json`, or `raw` as structs of the stored columns.
    ///
    /// In JSON, decimals, timestamps and bytes are strings, as in other columns; fields of objects are sorted by name.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Variants::Json)]
    pub variant: Variants,
    /// Read encrypted columns of ORC files without a key as their unencrypted masks: nulls, or values made
    /// unrecognizable.
    #[arg(long)]
    pub masks: bool,
    /// Which columns the table has.
    #[command(flatten)]
    pub table: TableArgs,
    /// Keys of encrypted files.
    #[command(flatten)]
    pub keys: KeyArgs,
}

/// Which columns a table has, and how files and queries name them.
#[derive(Debug, Clone, Default, Args)]
pub struct TableArgs {
    /// The table's columns, instead of those of the first file: `id bigint, pos struct<x: double>, part string`.
    ///
    /// Columns that files lack are null, those not declared are not read. A partition column that is declared has
    /// that type; one declared as string keeps the text of its directories.
    #[arg(long, value_name = "DDL", conflicts_with = "merge_schema")]
    pub schema: Option<String>,
    /// Take the columns of all files together, opening each, instead of those of the first file.
    #[arg(long)]
    pub merge_schema: bool,
    /// Match the columns of files with the table's by their position, not by name, as with files that Hive renamed
    /// columns of. Files whose columns are all called `_col0`, `_col1`, .. are matched so in any case.
    #[arg(long, conflicts_with = "merge_schema")]
    pub by_position: bool,
    /// Leave values of partition directories as text.
    #[arg(long)]
    pub no_type_inference: bool,
    /// Names in conditions and column lists mean columns of exactly that name only.
    #[arg(long)]
    pub case_sensitive: bool,
    /// Conditions as Spark has them with `spark.sql.ansi.enabled=false`: casts that fail, division by zero and missing
    /// elements give null instead of an error, numbers wrap around, and text is matched with other types its way.
    #[arg(long)]
    pub no_ansi: bool,
}

impl TableArgs {
    /// What becomes of what cannot be computed.
    pub(crate) fn mode(&self) -> EvalMode {
        match self.no_ansi {
            true => EvalMode::Legacy,
            false => EvalMode::Ansi,
        }
    }
}

impl Input {
    /// These paths, read as they are by default.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Input {
            paths: paths.into_iter().collect(),
            mmap: false,
            threads: None,
            orc_types: OrcTypes::Spark,
            variant: Variants::Json,
            masks: false,
            table: TableArgs::default(),
            keys: KeyArgs::default(),
        }
    }
}

/// Files that are shown one by one.
#[derive(Debug, Clone, Args)]
pub struct Files {
    /// Files, directories or quoted globs, each file once; in JSON, one line for each file.
    #[arg(required = true, value_name = "PATH", value_parser = PathBufValueParser::new().map(local))]
    pub paths: Vec<PathBuf>,
    /// Keys of encrypted files.
    #[command(flatten)]
    pub keys: KeyArgs,
}

/// Keys of encrypted files.
#[derive(Debug, Clone, Default, Args)]
pub struct KeyArgs {
    /// A key of encrypted files; may be repeated. NAME is `footer`, a column's path, or key metadata in a Parquet
    /// file; the name of a master key in ORC. KEY is hexadecimal, base64, text:.. or @FILE, which keeps it out of the
    /// process list.
    ///
    /// `lith inspect` shows the names of master keys, and key metadata as 0x.., which NAME may be, too. With the footer
    /// key, the signature of a plaintext footer is verified. For one version of a master key of ORC, NAME is
    /// `name@version`. Columns without a key are reported as encrypted; the others are read.
    #[arg(long = "key", value_name = "NAME=KEY", hide_default_value = true)]
    pub keys: Vec<Secret>,
    /// The AAD prefix of encrypted Parquet files that do not store it; if a file stores one, it must be the same.
    #[arg(long, value_name = "TEXT")]
    pub aad_prefix: Option<String>,
}

/// Text that is not shown.
#[derive(Clone)]
pub struct Secret(pub String);

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Secret(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// How types of ORC files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrcTypes {
    /// As Spark reads them.
    Spark,
    /// As the specification defines them.
    Stored,
}

/// How variants are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Variants {
    /// JSON.
    Json,
    /// Structs of metadata, value and typed_value.
    Raw,
}

/// The path that a URL of a local file names (`file:///data/x`, `file:/data/x`); anything else as it is.
fn local(path: PathBuf) -> PathBuf {
    let rest = path.to_str().and_then(|text| text.strip_prefix("file:"));
    let rest = rest.map(|rest| match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => rest,
    });
    match rest {
        Some(rest) if rest.starts_with('/') && !path.exists() => PathBuf::from(rest),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_local_files_are_paths() {
        let shown = |text: &str| local(text.into()).display().to_string();
        for url in [
            "file:///a/b=1",
            "file:/a/b=1",
            "file://localhost/a/b=1",
            "/a/b=1",
        ] {
            assert_eq!(shown(url), "/a/b=1");
        }
        for other in ["file://host/a", "file:a", "s3://a/b", "file"] {
            assert_eq!(shown(other), other);
        }
    }
}
