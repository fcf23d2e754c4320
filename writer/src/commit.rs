//! All or nothing: files are written under a hidden name and become visible by renaming.
//!
//! ```text
//! target absent   parent/.lith-<id>/..   one rename of the whole directory to target
//! target empty    target/.lith-<id>/..   a rename of each entry into target, then _SUCCESS
//! ```
//! Every file and directory is synced before it gets its name. Dropping a staging that was not committed
//! removes it, and the directories that were made for it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use lith_format::error::{Error, ErrorKind, Result};

/// What readers of the dataset skip, and a later run may remove.
const PREFIX: &str = ".lith-";

/// The file that says that a dataset is complete.
const SUCCESS: &str = "_SUCCESS";

/// A directory in the making.
#[derive(Debug)]
pub(crate) struct Staging {
    target: PathBuf,
    root: PathBuf,
    /// Whether the target does not exist yet.
    is_new: bool,
    /// Ancestors of the target that were made, outermost first.
    made: Vec<PathBuf>,
    directories: BTreeSet<PathBuf>,
    committed: bool,
}

impl Staging {
    /// Begins a directory that will be `target`, which must not exist or be empty.
    pub(crate) fn begin(target: &Path, id: &str) -> Result<Self> {
        let is_new = !exists(target)?;
        let (parent, made) = if is_new {
            let parent = match target.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
                _ => PathBuf::from("."),
            };
            let made = make_ancestors(&parent)?;
            (parent, made)
        } else {
            refuse_unless_empty(target)?;
            (target.to_owned(), Vec::new())
        };
        let staging = Staging {
            target: target.to_owned(),
            root: parent.join(format!("{PREFIX}{id}")),
            is_new,
            made,
            directories: BTreeSet::new(),
            committed: false,
        };
        fs::create_dir(&staging.root).map_err(|error| Error::io(&staging.root, error))?;
        Ok(staging)
    }

    /// Where `relative` will be once committed.
    pub(crate) fn final_path(&self, relative: &Path) -> PathBuf {
        self.target.join(relative)
    }

    /// Adds the place of the file at `relative` to a failure of the system.
    pub(crate) fn locate(&self, error: Error, relative: &Path) -> Error {
        match error.kind() {
            ErrorKind::Io => error.at_path(self.root.join(relative)),
            _ => error,
        }
    }

    /// Creates the file at `relative` and the directories above it. An existing file is an error.
    pub(crate) fn create(&mut self, relative: &Path) -> Result<File> {
        let path = self.root.join(relative);
        if let Some(directory) = path.parent()
            && !self.directories.contains(directory)
        {
            fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))?;
            let inside = directory
                .ancestors()
                .take_while(|ancestor| ancestor.starts_with(&self.root));
            self.directories.extend(inside.map(Path::to_owned));
        }
        File::create_new(&path).map_err(|error| Error::io(&path, error))
    }

    /// Makes everything visible.
    pub(crate) fn commit(mut self) -> Result<()> {
        for directory in self.directories.iter().rev() {
            sync_directory(directory)?;
        }
        if self.is_new {
            create_synced(&self.root.join(SUCCESS))?;
            sync_directory(&self.root)?;
            rename(&self.root, &self.target)?;
            self.committed = true;
            return sync_directory(self.root.parent().unwrap_or(&self.root));
        }
        refuse_unless_empty(&self.target)?;
        for entry in entries(&self.root)? {
            if let Some(name) = entry.file_name() {
                rename(&entry, &self.target.join(name))?;
            }
        }
        sync_directory(&self.target)?;
        fs::remove_dir(&self.root).map_err(|error| Error::io(&self.root, error))?;
        self.committed = true;
        create_synced(&self.target.join(SUCCESS))?;
        sync_directory(&self.target)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.committed {
            // nothing can be done about a failure here; the hidden name keeps readers away
            let _ = fs::remove_dir_all(&self.root);
            for directory in self.made.iter().rev() {
                let _ = fs::remove_dir(directory);
            }
        }
    }
}

/// A name that no other run has: time and process, in hexadecimal.
pub(crate) fn unique_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = now.map_or(0, |now| now.as_nanos() as u64);
    format!("{nanos:016x}{:08x}", std::process::id())
}

fn exists(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io(path, error)),
    }
}

fn refuse_unless_empty(target: &Path) -> Result<()> {
    let is_staging = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with(PREFIX)
    };
    if entries(target)?.iter().all(is_staging) {
        return Ok(());
    }
    Err(Error::invalid("the target exists and is not empty").at_path(target))
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let io = |error| Error::io(directory, error);
    let entries = fs::read_dir(directory).map_err(io)?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()).map_err(io))
        .collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// Creates `directory` and what is missing above it, and says what it created, outermost first.
fn make_ancestors(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut missing = Vec::new();
    for ancestor in directory.ancestors() {
        if ancestor.as_os_str().is_empty() || exists(ancestor)? {
            break;
        }
        missing.push(ancestor.to_owned());
    }
    missing.reverse();
    fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))?;
    Ok(missing)
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|error| Error::io(to, error))
}

fn create_synced(path: &Path) -> Result<()> {
    File::create_new(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| Error::io(path, error))
}

/// Makes names in a directory durable, where the system lets directories be opened.
fn sync_directory(directory: &Path) -> Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    File::open(directory)
        .and_then(|file| file.sync_all())
        .map_err(|error| Error::io(directory, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(directory: &Path) -> Vec<String> {
        let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        entries(directory).unwrap().into_iter().map(name).collect()
    }

    #[test]
    fn nothing_is_visible_before_and_everything_after() {
        let room = tempfile::tempdir().unwrap();
        for target in [room.path().join("a/b/new"), room.path().join("empty")] {
            if target.ends_with("empty") {
                fs::create_dir(&target).unwrap();
            }
            let mut staging = Staging::begin(&target, "1").unwrap();
            let mut file = staging.create(Path::new("p=1/x")).unwrap();
            file.write_all(b"rows").unwrap();
            assert!(!target.join("p=1").exists());
            staging.commit().unwrap();
            assert_eq!(fs::read(target.join("p=1/x")).unwrap(), b"rows");
            assert_eq!(names(&target), ["_SUCCESS", "p=1"]);
        }
        assert_eq!(names(room.path()), ["a", "empty"]);
    }

    #[test]
    fn dropping_leaves_nothing_behind() {
        let room = tempfile::tempdir().unwrap();
        let mut staging = Staging::begin(&room.path().join("a/b/c"), "1").unwrap();
        staging.create(Path::new("x")).unwrap();
        drop(staging);
        assert!(names(room.path()).is_empty());
    }

    #[test]
    fn a_target_with_content_is_refused_also_at_the_last_moment() {
        let room = tempfile::tempdir().unwrap();
        let staging = Staging::begin(room.path(), "1").unwrap();
        fs::write(room.path().join("theirs"), b"").unwrap();
        let error = Staging::begin(room.path(), "2").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(staging.commit().is_err());
        assert_eq!(names(room.path()), ["theirs"]);
    }

    #[test]
    fn of_two_writers_of_one_new_target_one_wins() {
        let room = tempfile::tempdir().unwrap();
        let target = room.path().join("t");
        let (mut a, mut b) = (
            Staging::begin(&target, "a").unwrap(),
            Staging::begin(&target, "b").unwrap(),
        );
        a.create(Path::new("a")).unwrap();
        b.create(Path::new("b")).unwrap();
        a.commit().unwrap();
        assert!(b.commit().is_err());
        assert_eq!(names(&target), ["_SUCCESS", "a"]);
        assert_eq!(names(room.path()), ["t"]);
    }
}
