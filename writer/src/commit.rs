//! Atomic commits: files are written under a hidden name and become visible by renaming.
//!
//! ```text
//! target absent   parent/.lith-<id>/..   one rename of the whole directory to target
//! target empty    target/.lith-<id>/..   under a lock: a rename of each entry into target, _SUCCESS last
//! ```
//! Every file and directory is synced before it gets its name. Of several runs that write one target, the
//! first to commit wins and the others fail, leaving nothing of theirs. Dropping a staging that was not
//! committed removes it, and the directories that were made for it. A run that is killed leaves its hidden
//! directory: readers and later runs ignore it, and it may be removed.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
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
        match fs::create_dir(&staging.root) {
            Ok(()) => Ok(staging),
            Err(error) => Err(staging.abandon(error)),
        }
    }

    /// What to say of a hidden directory that cannot be made; it is not removed, it is another's.
    fn abandon(mut self, error: io::Error) -> Error {
        self.committed = true;
        for directory in self.made.iter().rev() {
            let _ = fs::remove_dir(directory);
        }
        if error.kind() == io::ErrorKind::AlreadyExists {
            let message = "another run of this id is at work or was killed; if it was, remove this";
            return Error::invalid(message).at_path(&self.root);
        }
        Error::io(&self.root, error)
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
        create_synced(&self.root.join(SUCCESS))?;
        sync_directory(&self.root)?;
        if self.is_new {
            self.appear()
        } else {
            self.fill()
        }
    }

    /// The hidden directory becomes the target, unless another run was faster.
    fn appear(&mut self) -> Result<()> {
        if let Err(error) = fs::rename(&self.root, &self.target) {
            if exists(&self.target)? {
                refuse_unless_empty(&self.target)?;
            }
            return Err(Error::io(&self.target, error));
        }
        self.committed = true;
        sync_directory(self.root.parent().unwrap_or(&self.root))
    }

    /// What the hidden directory holds moves into the target: all of it or nothing.
    fn fill(&mut self) -> Result<()> {
        let _lock = lock(&self.target)?;
        refuse_unless_empty(&self.target)?;
        let mut names: Vec<_> = entries(&self.root)?;
        names.sort_by_key(|path| path.ends_with(SUCCESS));
        let mut moved = Vec::with_capacity(names.len());
        for entry in &names {
            if entry.ends_with(SUCCESS) {
                sync_directory(&self.target)?;
            }
            let name = entry.file_name().unwrap_or_default();
            let to = self.target.join(name);
            if let Err(error) = fs::rename(entry, &to) {
                for (from, to) in moved {
                    // back under the hidden name; what cannot go there lies without _SUCCESS
                    let _ = fs::rename(to, from);
                }
                return Err(Error::io(&to, error));
            }
            moved.push((entry, to));
        }
        self.committed = true;
        // empty and hidden: harmless where it cannot be removed
        let _ = fs::remove_dir(&self.root);
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

/// A name that no other run has: time, process and a number within it, in hexadecimal.
pub(crate) fn unique_id() -> String {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = now.map_or(0, |now| now.as_nanos() as u64);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    format!("{nanos:016x}{:08x}{run:04x}", std::process::id())
}

/// Holds the others off while a directory is filled; the system lets go of it when a process dies.
/// `None` where the system knows no such locks.
fn lock(directory: &Path) -> Result<Option<File>> {
    if cfg!(not(unix)) {
        return Ok(None);
    }
    let handle = File::open(directory).map_err(|error| Error::io(directory, error))?;
    match handle.try_lock() {
        Ok(()) => Ok(Some(handle)),
        Err(TryLockError::Error(_)) => Ok(None),
        Err(TryLockError::WouldBlock) => {
            Err(Error::invalid("another run is filling the target").at_path(directory))
        }
    }
}

fn exists(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io(path, error)),
    }
}

fn refuse_unless_empty(target: &Path) -> Result<()> {
    let is_staging = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with(PREFIX)
    };
    let (hidden, data): (Vec<_>, Vec<_>) = entries(target)?.into_iter().partition(is_staging);
    if data.is_empty() {
        return Ok(());
    }
    let is_complete = data.iter().any(|path| path.ends_with(SUCCESS));
    let message = if hidden.is_empty() || is_complete {
        "the target exists and is not empty"
    } else {
        "the target is not empty and lacks _SUCCESS: remove what a run that was killed left in it"
    };
    Err(Error::invalid(message).at_path(target))
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
        assert_eq!(b.commit().unwrap_err().kind(), ErrorKind::InvalidArgument);
        assert_eq!(names(&target), ["_SUCCESS", "a"]);
        assert_eq!(names(room.path()), ["t"]);
    }

    #[test]
    fn a_commit_that_fails_midway_takes_everything_back() {
        let room = tempfile::tempdir().unwrap();
        // a name that counts as hidden, so that only the rename finds it taken
        fs::create_dir_all(room.path().join(".lith-x/theirs")).unwrap();
        let mut staging = Staging::begin(room.path(), "1").unwrap();
        for path in ["!first/f", ".lith-x/f"] {
            staging.create(Path::new(path)).unwrap();
        }
        assert_eq!(staging.commit().unwrap_err().kind(), ErrorKind::Io);
        assert_eq!(names(room.path()), [".lith-x"]);
        assert_eq!(names(&room.path().join(".lith-x")), ["theirs"]);
    }

    #[test]
    fn what_a_killed_run_left_is_named_or_no_hindrance() {
        let room = tempfile::tempdir().unwrap();
        let killed = Staging::begin(room.path(), "1").unwrap();
        let again = Staging::begin(room.path(), "1").unwrap_err();
        assert_eq!(again.kind(), ErrorKind::InvalidArgument);
        let place = again.site().path.clone().unwrap();
        assert!(place.ends_with(".lith-1") && place.exists());
        // killed in the middle of its commit
        fs::write(room.path().join("part"), b"").unwrap();
        let refused = Staging::begin(room.path(), "2").unwrap_err();
        assert!(refused.message().contains("_SUCCESS"), "{refused}");
        fs::remove_file(room.path().join("part")).unwrap();
        Staging::begin(room.path(), "2").unwrap().commit().unwrap();
        assert_eq!(names(room.path()), [".lith-1", "_SUCCESS"]);
        drop(killed);
        assert_eq!(names(room.path()), ["_SUCCESS"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_target_that_another_fills_is_refused() {
        let room = tempfile::tempdir().unwrap();
        let staging = Staging::begin(room.path(), "1").unwrap();
        let held = lock(room.path()).unwrap();
        if held.is_none() {
            eprintln!("this file system knows no locks");
            return;
        }
        let error = staging.commit().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(names(room.path()).is_empty());
    }

    #[test]
    fn ids_of_one_process_differ() {
        let ids: BTreeSet<String> = (0..1000).map(|_| unique_id()).collect();
        assert_eq!(ids.len(), 1000);
    }
}
