//! A dataset whose partition directories are known by name only, but for the one of the first file. A plan says
//! which of them are wanted, and only those are opened.
//!
//! A directory without files has no say in the types of partition columns, and cannot be told from others by its name.
//! So the types that the names suggest must be those of the directories that were opened, or else all are opened.

use std::collections::HashMap;
use std::path::Path;

use lith_format::error::Result;
use lith_format::types::LogicalType;

use super::walk::{Found, Segment, Unopened};
use super::{Dataset, PartitionTypes, assemble, by_segments, open, walk};
use crate::infer::infer_column;

/// The partitions of a dataset, most of whose files are not listed yet.
///
/// ```
/// use lith_format::schema::{Field, Schema};
/// use lith_format::types::LogicalType;
/// use lith_planner::discover::{Outline, PartitionTypes};
/// use lith_planner::plan::{Query, Table, plan};
/// # let room = tempfile::tempdir()?;
/// # let path = room.path();
/// # for store in ["S01", "S02", "S03"] {
/// #     std::fs::create_dir(path.join(format!("store={store}")))?;
/// #     std::fs::write(path.join(format!("store={store}/part-0")), b"")?;
/// # }
///
/// let outline = Outline::new(path, PartitionTypes::Inferred)?;
/// let stored = Schema::new(vec![Field::nullable("cost", LogicalType::Float64)]);
/// let query = Query { predicate: Some("store = 'S02'"), ..Query::default() };
/// let wanted = plan(&Table::new(&stored, outline.dataset().clone()), &query)?.kept;
/// assert_eq!(wanted, [false, true, false]);
/// // opens `store=S02` and not `store=S03`
/// let plan = plan(&Table::new(&stored, outline.list(&wanted)?), &query)?;
/// assert_eq!(plan.tasks.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Outline {
    dataset: Dataset,
    found: Vec<Found>,
    /// With the partitions they are of.
    unopened: Vec<(usize, Unopened)>,
    types: PartitionTypes,
}

impl Outline {
    /// Finds the first file under a path, and the partition directories beside its own.
    ///
    /// # Errors
    /// As [`discover`](super::discover()), as far as directories are opened.
    pub fn new(path: &Path, types: PartitionTypes) -> Result<Outline> {
        let walk = walk(path)?;
        let found = sorted(walk.files);
        let of_few = assemble(
            found.clone(),
            &walk.unopened.iter().collect::<Vec<_>>(),
            types,
        );
        match of_few {
            Ok(dataset) if !found.iter().any(Found::is_summary) => {
                let directories = dataset.partitions.iter().enumerate();
                let numbers: HashMap<&str, usize> = directories
                    .map(|(number, partition)| (&*partition.directory, number))
                    .collect();
                let number = |unopened: &Unopened| numbers.get(&*super::join(&unopened.segments));
                let unopened = walk.unopened.into_iter();
                Ok(Outline {
                    unopened: unopened
                        .filter_map(|unopened| Some((*number(&unopened)?, unopened)))
                        .collect(),
                    dataset,
                    found,
                    types,
                })
            }
            // what is asked of all files can only be told of all
            _ => Ok(Outline {
                dataset: super::discover(&[path], types)?,
                found: Vec::new(),
                unopened: Vec::new(),
                types,
            }),
        }
    }

    /// All partitions by their names, and the files listed so far, of which there is at least the first one. Names
    /// may be those of directories without files, which [`Outline::list`] leaves out if it opens them.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// Whether all files are listed.
    pub fn is_whole(&self) -> bool {
        self.unopened.is_empty()
    }

    /// The dataset with the files of the wanted partitions, and possibly more. The others have no files in it. What
    /// is not said of a partition is that it is wanted.
    ///
    /// # Errors
    /// As [`discover`](super::discover()), as far as directories are opened.
    pub fn list(&self, wanted: &[bool]) -> Result<Dataset> {
        if self.is_whole() {
            return Ok(self.dataset.clone());
        }
        let is_wanted = |number: &usize| wanted.get(*number).copied().unwrap_or(true);
        let pick = |keep: bool| {
            let unopened = self.unopened.iter();
            let picked = unopened.filter(move |(number, _)| is_wanted(number) == keep);
            picked.map(|(_, unopened)| unopened)
        };
        let mut files = self.found.clone();
        files.append(&mut open(pick(true))?);
        let files = sorted(files);
        let closed: Vec<&Unopened> = pick(false).collect();
        let listed = files.iter().map(|file| &*file.segments);
        let all = listed
            .clone()
            .chain(closed.iter().map(|closed| &*closed.segments));
        if !closed.is_empty() && column_types(listed) != column_types(all) {
            return self.list(&[]);
        }
        assemble(files, &closed, self.types)
    }
}

/// In order of their paths, each once.
fn sorted(mut files: Vec<Found>) -> Vec<Found> {
    files.sort_by(|a, b| by_segments(&a.path, &b.path));
    files.dedup_by(|a, b| a.path == b.path);
    files
}

/// The types that the values in directory names suggest, from the outermost directory inwards.
fn column_types<'a>(rows: impl Iterator<Item = &'a [Segment]> + Clone) -> Vec<LogicalType> {
    let columns = rows.clone().map(<[Segment]>::len).min().unwrap_or(0);
    let ty = |column: usize| {
        let segments = rows.clone().filter_map(|row| row.get(column));
        infer_column(segments.map(|segment| segment.column.value.as_deref())).0
    };
    (0..columns).map(ty).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lith_format::scalar::Scalar;

    use super::*;
    use crate::discover::discover;
    use crate::discover::tests::tree;

    fn outline(root: &tempfile::TempDir, path: &str) -> Outline {
        Outline::new(&root.path().join(path), PartitionTypes::Inferred).unwrap()
    }

    fn wanted(outline: &Outline, directories: &[&str]) -> Vec<bool> {
        let partitions = outline.dataset.partitions.iter();
        partitions
            .map(|partition| directories.contains(&&*partition.directory))
            .collect()
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_is_not_wanted_is_never_opened() {
        let root = tree(&["y=1/p=1/a", "y=1/p=2/b", "y=2/p=1/c", "y=2/p=1/d"]);
        // whoever looked inside would find a link to nowhere
        let broken = root.path().join("y=1/p=2/link");
        std::os::unix::fs::symlink("nowhere", broken).unwrap();
        assert!(discover(&[root.path()], PartitionTypes::Inferred).is_err());
        for path in ["", "*", "y=*", "**/[a-d]", "y=*/p=*/*"] {
            let outline = outline(&root, path);
            assert_eq!(outline.dataset.files.len(), 1, "{path}");
            assert_eq!(outline.dataset.partitions.len(), 3);
            let dataset = outline.list(&wanted(&outline, &["y=2/p=1"])).unwrap();
            let sizes = dataset
                .files
                .iter()
                .map(|file| (file.partition, file.bytes));
            assert_eq!(sizes.collect::<Vec<_>>(), [(0, 4), (1, 4), (1, 4)]);
            let directories = dataset.partitions.iter().map(|p| &*p.directory);
            let directories: Vec<_> = directories.collect();
            assert_eq!(directories, ["y=1/p=1", "y=2/p=1", "y=1/p=2"]);
            assert_eq!(
                dataset.partitions[1].values,
                [Scalar::Int(2), Scalar::Int(1)]
            );
            if !path.ends_with([']', '*']) || path == "*" || path == "y=*" {
                assert!(outline.list(&[]).is_err(), "{path}");
            }
        }
    }

    #[test]
    fn with_all_that_is_wanted_it_is_the_whole_dataset() {
        let trees: [&[&str]; 7] = [
            &["p=1/a", "p=2/b", "p=2/sub/c", "p=3/.hidden"],
            &["a", "b/c"],
            &["sub/p=1/a", "sub/p=2/b", "zub/p=1/c"],
            &["p=1/q=1/a", "p=1/q=2/b", "p=2/q=1/c"],
            &[
                "_skip/x=1/a",
                "p=x/_SUCCESS",
                "p=1/a",
                "q=2/_SUCCESS",
                "p=2/b",
            ],
            &["p=__HIVE_DEFAULT_PARTITION__/a", "p=b/a", "p=c/a"],
            &["p=1/_metadata", "p=1/a", "p=2/b"],
        ];
        for paths in trees {
            let root = tree(paths);
            for path in ["", "*", "**", "**/*"] {
                let path = root.path().join(path);
                let whole = discover(&[&path], PartitionTypes::Inferred).unwrap();
                let outline = Outline::new(&path, PartitionTypes::Inferred).unwrap();
                assert_eq!(outline.list(&[]).unwrap(), whole, "{path:?}");
                assert_eq!(outline.dataset.files[0], whole.files[0]);
            }
        }
    }

    #[test]
    fn directories_without_files_have_no_say_in_types() {
        let root = tree(&["p=1/a", "p=2/b", "p=x/_SUCCESS"]);
        let outline = outline(&root, "");
        assert_eq!(outline.dataset.partition_columns[0].ty, LogicalType::String);
        let dataset = outline.list(&wanted(&outline, &["p=2"])).unwrap();
        assert_eq!(
            dataset,
            discover(&[root.path()], PartitionTypes::Inferred).unwrap()
        );
        assert_eq!(dataset.partition_columns[0].ty, LogicalType::Int32);
    }

    #[test]
    fn many_directories_are_opened_at_once() {
        let paths: Vec<String> = (0..300).map(|p| format!("p={p:03}/a")).collect();
        let root = tree(&paths.iter().map(|path| &**path).collect::<Vec<_>>());
        let dataset = discover(&[root.path()], PartitionTypes::Text).unwrap();
        let found = dataset.files.iter().map(|file| file.path.clone());
        let expected = paths.iter().map(|path| root.path().join(path));
        assert!(found.eq(expected));
        assert_eq!(dataset.partitions.len(), 300);
        fs::rename(root.path().join("p=200"), root.path().join("q=200")).unwrap();
        assert!(discover(&[root.path()], PartitionTypes::Text).is_err());
    }
}
