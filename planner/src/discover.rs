//! Finds a dataset's files and the partition values that their directories name: the only I/O here.
//!
//! A path is a file, a directory (walked) or, if nothing of that very name exists, a glob. Names that
//! begin with `_` or `.` are skipped unless they contain `=`. Entries that cannot be read, broken or circular links,
//! and entries that are neither file nor directory are errors. Directories `name=value` below the given one (below
//! the literal part of a glob) are partition columns, and all files must agree on them.
//!
//! ```text
//! orders/year=2024/store=S%2F1/part-0.parquet   given `orders`:  year = 2024, store = 'S/1'
//! ```

mod outline;
mod walk;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::ffi::OsString;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use lith_format::error::{Error, ErrorKind, Result};
use lith_format::scalar::Scalar;
use lith_format::schema::Field;
use lith_format::types::LogicalType;

pub use self::outline::Outline;
use self::walk::{Found, Segment, Unopened, Walk};
use crate::infer::infer_column;

/// A file of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The index of its partition in [`Dataset::partitions`].
    pub partition: usize,
}

/// The directories of one set of partition values.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// The directory names, joined by `/`; empty if there are no partition columns.
    pub directory: String,
    /// The value of each partition column, of the column's type.
    pub values: Vec<Scalar>,
}

/// Files and what their directories say of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// In order of their paths, each once.
    pub files: Vec<DataFile>,
    /// In order of their first file; those whose files are not listed come last.
    pub partitions: Vec<Partition>,
    /// The partition columns, from the outermost directory inwards.
    pub partition_columns: Vec<Field>,
}

/// Whether partition columns get the type that their values suggest, or are all text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartitionTypes {
    /// The first of int, bigint, decimal, double, date, timestamp and time that holds them all, else text.
    #[default]
    Inferred,
    /// Text as it stands.
    Text,
}

/// Lists the files under `paths` and reads partition values off their directories. Summary files of Parquet, which
/// hold the footers of other files and no rows, count only if nothing else is named.
///
/// # Errors
/// A path that cannot be read or holds no file, and directories that disagree on partition columns.
pub fn discover<P: AsRef<Path>>(paths: &[P], types: PartitionTypes) -> Result<Dataset> {
    let mut files = files_under(paths)?;
    if !files.iter().all(Found::is_summary) {
        files.retain(|file| !file.is_summary());
    }
    assemble(files, &[], types)
}

/// Lists the files under `paths`, whatever their directories say: in order of their paths, each once.
///
/// # Errors
/// A path that cannot be read or holds no file.
pub fn list<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<PathBuf>> {
    let found = files_under(paths)?.into_iter();
    Ok(found.map(|file| file.path).collect())
}

fn files_under<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<Found>> {
    let mut found: HashMap<OsString, Found> = HashMap::new();
    for path in paths {
        let path = path.as_ref();
        let walk = walk(path)?;
        for file in walk.files.into_iter().chain(open(&walk.unopened)?) {
            let key = if paths.len() == 1 {
                file.path.clone()
            } else {
                fs::canonicalize(&file.path).map_err(|error| Error::io(&file.path, error))?
            };
            match found.entry(key.into_os_string()) {
                Entry::Vacant(place) => drop(place.insert(file)),
                Entry::Occupied(mut longest) => {
                    if longest.get().segments.len() < file.segments.len() {
                        longest.insert(file);
                    }
                }
            }
        }
    }
    let mut files: Vec<Found> = found.into_values().collect();
    files.sort_by(|a, b| by_segments(&a.path, &b.path));
    Ok(files)
}

/// Finds the first file under a path; directories may be left unopened.
fn walk(path: &Path) -> Result<Walk> {
    let mut walk = Walk::waiting();
    walk.root(path)?;
    if walk.files.is_empty() {
        let message = "no data file found (names that begin with _ or . do not count)";
        return Err(Error::new(ErrorKind::Io, message).at_path(path));
    }
    Ok(walk)
}

/// How many directories are worth a thread.
const PER_THREAD: usize = 64;

/// The files below directories, which are opened at the same time if there are many.
fn open<'a>(unopened: impl IntoIterator<Item = &'a Unopened>) -> Result<Vec<Found>> {
    let unopened: Vec<&Unopened> = unopened.into_iter().collect();
    let in_turn = |part: &[&Unopened]| {
        let mut files = Vec::new();
        for directory in part {
            files.append(&mut directory.open()?);
        }
        Ok(files)
    };
    if unopened.len() < 2 * PER_THREAD {
        return in_turn(&unopened);
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let each = unopened.len().div_ceil(threads).max(PER_THREAD);
    thread::scope(|scope| {
        let parts = unopened.chunks(each);
        let parts: Vec<_> = parts.map(|part| scope.spawn(|| in_turn(part))).collect();
        let mut files = Vec::new();
        for part in parts {
            let part: Result<Vec<Found>> = part.join().unwrap_or_else(|panic| resume_unwind(panic));
            files.append(&mut part?);
        }
        Ok(files)
    })
}

/// The order of paths, segment by segment: as of their bytes, with the separator before all others.
fn by_segments(a: &Path, b: &Path) -> Ordering {
    let [a, b] = [a, b].map(|path| path.as_os_str().as_encoded_bytes());
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let rank = |path: &[u8]| path.get(same).map(|&byte| (byte != b'/', byte));
    rank(a).cmp(&rank(b))
}

/// Groups files by partition and gives the partition columns their types. Directories that were not opened are
/// partitions without files.
fn assemble(found: Vec<Found>, unopened: &[&Unopened], types: PartitionTypes) -> Result<Dataset> {
    let names = agreed_names(&found, unopened)?;
    let mut numbers: HashMap<Vec<Segment>, usize> = HashMap::new();
    let mut distinct: Vec<Vec<Segment>> = Vec::new();
    let mut files = Vec::with_capacity(found.len());
    for file in found {
        let partition = *numbers.entry(file.segments).or_insert_with_key(|segments| {
            distinct.push(segments.clone());
            distinct.len() - 1
        });
        files.push(DataFile {
            path: file.path,
            bytes: file.bytes,
            partition,
        });
    }
    for directory in unopened {
        if let Entry::Vacant(place) = numbers.entry(directory.segments.clone()) {
            place.insert(distinct.len());
            distinct.push(directory.segments.clone());
        }
    }
    let mut partition_columns = Vec::new();
    let mut columns = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        let texts = distinct.iter().map(|s| s[index].column.value.as_deref());
        let (ty, values) = match types {
            PartitionTypes::Inferred => infer_column(texts),
            PartitionTypes::Text => (
                LogicalType::String,
                texts
                    .map(|t| t.map_or(Scalar::Null, Scalar::string))
                    .collect(),
            ),
        };
        partition_columns.push(Field::nullable(name, ty));
        columns.push(values);
    }
    let partitions = distinct
        .iter()
        .enumerate()
        .map(|(row, segments)| Partition {
            directory: join(segments),
            values: columns.iter().map(|values| values[row].clone()).collect(),
        });
    Ok(Dataset {
        partitions: partitions.collect(),
        files,
        partition_columns,
    })
}

fn join(segments: &[Segment]) -> String {
    let names: Vec<&str> = segments.iter().map(|s| s.directory.as_str()).collect();
    names.join("/")
}

/// The partition columns, which every file must have in the same order and spelling.
fn agreed_names(files: &[Found], unopened: &[&Unopened]) -> Result<Vec<String>> {
    let Some(first) = files.first() else {
        return Ok(Vec::new());
    };
    let names = first.segments.iter().map(|s| s.column.name.clone());
    let names: Vec<String> = names.collect();
    let mut folded = HashSet::new();
    if let Some(twice) = names
        .iter()
        .find(|name| !folded.insert(name.to_lowercase()))
    {
        let message = format!("partition column {twice:?} appears twice in one path");
        return Err(Error::invalid(message).at_path(&first.path));
    }
    let files = files.iter().map(|file| (&file.path, &file.segments));
    let unopened = unopened.iter();
    let unopened = unopened.map(|directory| (&directory.path, &directory.segments));
    for (path, segments) in files.chain(unopened) {
        if !segments.iter().map(|s| &s.column.name).eq(&names) {
            let here = segments.iter().map(|s| s.column.name.as_str());
            let here: Vec<&str> = here.collect();
            let message = format!(
                "partition columns {here:?} differ from {names:?} of {}",
                first.path.display()
            );
            return Err(Error::invalid(message).at_path(path));
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn tree(paths: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for path in paths {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"1234").unwrap();
        }
        root
    }

    fn names(dataset: &Dataset, root: &Path) -> Vec<String> {
        let relative = |file: &DataFile| {
            let path = file.path.strip_prefix(root).unwrap();
            path.to_str().unwrap().to_owned()
        };
        dataset.files.iter().map(relative).collect()
    }

    fn find(root: &tempfile::TempDir, path: &str) -> Result<Dataset> {
        discover(&[root.path().join(path)], PartitionTypes::Inferred)
    }

    #[test]
    fn a_list_does_not_ask_directories_to_agree() {
        let root = tree(&["a=1/x", "b=2/c=3/y", "_z"]);
        assert!(find(&root, "").is_err());
        let both = [root.path(), &root.path().join("a=1")];
        let names: Vec<_> = list(&both).unwrap();
        assert_eq!(
            names,
            ["a=1/x", "b=2/c=3/y"].map(|name| root.path().join(name))
        );
        assert!(list(&[root.path().join("none")]).is_err());
    }

    #[test]
    fn a_directory_is_walked_and_its_partitions_read() {
        let root = tree(&[
            "_SUCCESS",
            ".hidden/x",
            "_temporary/0/x",
            "_p=1/q=a%2Fb/one",
            "_p=2/q=__HIVE_DEFAULT_PARTITION__/two",
            "_p=2/q=__HIVE_DEFAULT_PARTITION__/.two.crc",
        ]);
        let dataset = find(&root, "").unwrap();
        assert_eq!(
            names(&dataset, root.path()),
            ["_p=1/q=a%2Fb/one", "_p=2/q=__HIVE_DEFAULT_PARTITION__/two"]
        );
        assert_eq!(dataset.files[1].bytes, 4);
        assert_eq!(dataset.files[1].partition, 1);
        assert_eq!(
            dataset.partition_columns,
            [
                Field::nullable("_p", LogicalType::Int32),
                Field::nullable("q", LogicalType::String)
            ]
        );
        assert_eq!(dataset.partitions[0].directory, "_p=1/q=a%2Fb");
        assert_eq!(
            dataset.partitions[0].values,
            [Scalar::Int(1), Scalar::string("a/b")]
        );
        assert_eq!(dataset.partitions[1].values, [Scalar::Int(2), Scalar::Null]);
        let text = discover(&[root.path()], PartitionTypes::Text).unwrap();
        assert_eq!(text.partitions[0].values[0], Scalar::string("1"));
    }

    #[test]
    fn a_given_directory_or_file_is_no_partition_itself() {
        let root = tree(&["p=1/q=2/x"]);
        let inner = find(&root, "p=1").unwrap();
        assert_eq!(inner.partition_columns[0].name, "q");
        let file = find(&root, "p=1/q=2/x").unwrap();
        assert!(file.partition_columns.is_empty());
        assert_eq!(file.partitions[0].directory, "");
    }

    #[test]
    fn globs_match_by_segment_and_literal_names_come_first() {
        let root = tree(&[
            "p=1/a.x",
            "p=2/b.x",
            "p=2/b.y",
            "p=2/_c.x",
            "w_[x].csv",
            "w_x.csv",
        ]);
        let dataset = find(&root, "p=[!1]/*.x").unwrap();
        assert_eq!(names(&dataset, root.path()), ["p=2/b.x"]);
        assert_eq!(dataset.partitions[0].values, [Scalar::Int(2)]);
        assert_eq!(find(&root, "p=*").unwrap().files.len(), 3);
        let literal = find(&root, "w_[x].csv").unwrap();
        assert_eq!(names(&literal, root.path()), ["w_[x].csv"]);
        assert_eq!(find(&root, "q=*").unwrap_err().kind(), ErrorKind::Io);
    }

    #[test]
    fn globs_match_runs_of_directories_and_alternatives() {
        let root = tree(&["p=1/q=1/a.x", "p=1/q=2/b.y", "p=2/q=1/.h/c.x", "d.x"]);
        let found = |path| names(&find(&root, path).unwrap(), root.path());
        assert_eq!(found("p=*/**/*.x"), ["p=1/q=1/a.x"]);
        assert_eq!(found("p=1/**"), ["p=1/q=1/a.x", "p=1/q=2/b.y"]);
        assert_eq!(found("p={1,3}/**/*.{x,y}"), ["p=1/q=1/a.x", "p=1/q=2/b.y"]);
        let dataset = find(&root, "p={1,2}/**/*.y").unwrap();
        let names = dataset.partition_columns.iter().map(|field| &*field.name);
        assert_eq!(names.collect::<Vec<_>>(), ["p", "q"]);
        assert_eq!(list(&[root.path().join("**/*.x")]).unwrap().len(), 2);
        assert!(find(&root, "**/*.z").is_err());
    }

    #[test]
    fn paths_are_ordered_segment_by_segment() {
        let mut paths = ["a/b", "a-b/c", "a", "a/b/c", "a/b-c", "b", "a/ü", "a/z"].map(Path::new);
        paths.sort_by(|a, b| by_segments(a, b));
        assert!(paths.is_sorted());
    }

    #[test]
    fn what_is_given_twice_is_listed_once() {
        let root = tree(&["p=1/a", "p=2/b"]);
        let paths = [root.path().join("p=1/a"), root.path().join("p=1/../")];
        let dataset = discover(&paths, PartitionTypes::Inferred).unwrap();
        assert_eq!(dataset.files.len(), 2);
        assert_eq!(dataset.partition_columns.len(), 1);
    }

    #[test]
    fn directories_must_agree_on_partition_columns() {
        for paths in [
            ["P=1/a", "p=2/b"],
            ["p=1/a", "b"],
            ["p=1/q=1/a", "q=1/p=1/b"],
            ["p=1/P=1/a", "p=1/P=2/a"],
        ] {
            let error = find(&tree(&paths), "").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{paths:?}");
            assert!(error.site().path.is_some());
        }
    }

    #[test]
    fn nothing_there_is_an_error_that_names_the_path() {
        let root = tree(&["sub/_SUCCESS"]);
        for path in ["", "sub", "missing", "missing*"] {
            let error = find(&root, path).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Io);
            assert_eq!(
                error.site().path.as_deref(),
                Some(root.path().join(path).as_path())
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn dangling_links_loops_and_pipes_are_errors() {
        use std::os::unix::fs::symlink;
        let root = tree(&["d/a"]);
        symlink("nowhere", root.path().join("d/link")).unwrap();
        assert_eq!(find(&root, "d").unwrap_err().kind(), ErrorKind::Io);
        fs::remove_file(root.path().join("d/link")).unwrap();
        symlink("..", root.path().join("d/link")).unwrap();
        assert_eq!(
            find(&root, "d").unwrap_err().kind(),
            ErrorKind::InvalidArgument
        );
        fs::remove_file(root.path().join("d/link")).unwrap();
        // one into the other, and back
        fs::create_dir(root.path().join("e")).unwrap();
        symlink("../e", root.path().join("d/link")).unwrap();
        symlink("../d", root.path().join("e/link")).unwrap();
        for path in ["d", "e", "d/*", "*"] {
            let error = find(&root, path).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{path}: {error}");
        }
        fs::remove_file(root.path().join("e/link")).unwrap();
        fs::write(root.path().join("e/b"), b"1234").unwrap();
        symlink("../e", root.path().join("d/link-2")).unwrap();
        assert_eq!(find(&root, "d").unwrap().files.len(), 3);
        for link in ["d/link", "d/link-2"] {
            fs::remove_file(root.path().join(link)).unwrap();
        }
        let made = std::process::Command::new("mkfifo")
            .arg(root.path().join("d/pipe"))
            .status();
        if made.is_ok_and(|status| status.success()) {
            assert_eq!(find(&root, "d").unwrap_err().kind(), ErrorKind::Io);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_are_no_text_are_files_but_no_values() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let root = tempfile::tempdir().unwrap();
        let raw = |bytes: &[u8]| root.path().join(OsStr::from_bytes(bytes));
        fs::create_dir_all(raw(b"d\xff/p=1")).unwrap();
        fs::write(raw(b"d\xff/p=1/\xfe.x"), b"1234").unwrap();
        for path in [&b"d\xff"[..], b"d\xff/*", b"d\xff/p=[0-9]/*.x", b"d*/p=1"] {
            let found = discover(&[raw(path)], PartitionTypes::Inferred).unwrap();
            assert_eq!(found.files[0].path, raw(b"d\xff/p=1/\xfe.x"));
        }
        fs::rename(raw(b"d\xff/p=1"), raw(b"d\xff/p=\xfd")).unwrap();
        let lost = discover(&[raw(b"d\xff")], PartitionTypes::Inferred).unwrap_err();
        assert_eq!(lost.kind(), ErrorKind::InvalidArgument);
        assert_eq!(lost.site().path, Some(raw(b"d\xff/p=\xfd")));
    }
}
