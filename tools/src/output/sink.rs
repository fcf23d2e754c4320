//! Destination of output: standard output, or a file that appears whole or not at all.
//!
//! ```text
//! no such file, or a regular one   rows -> .lith-<random> beside it -> renamed onto it at the end
//! a device, a pipe                 rows -> it
//! ```
//! After an error, an existing file is unchanged.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};
use std::path::{Path, PathBuf};

use lith_format::error::Error;
use tempfile::{Builder, NamedTempFile};

use crate::failure::{Failure, Result};

/// A place for bytes.
pub enum Sink {
    /// Standard output.
    Stdout(BufWriter<StdoutLock<'static>>),
    /// What exists and is no regular file.
    Device(BufWriter<File>, PathBuf),
    /// A file under a hidden name, and the name that it will have.
    Staged(BufWriter<NamedTempFile<File>>, PathBuf),
}

impl Sink {
    /// Standard output, or the file at `path`.
    ///
    /// # Errors
    /// A file that may not be written or made.
    pub fn new(path: Option<&Path>) -> Result<Self> {
        match path {
            None => Ok(Sink::Stdout(BufWriter::new(io::stdout().lock()))),
            Some(path) => Ok(Self::file(path).map_err(|error| Error::io(path, error))?),
        }
    }

    fn file(path: &Path) -> io::Result<Self> {
        match OpenOptions::new().write(true).open(path) {
            Ok(file) => {
                let metadata = file.metadata()?;
                if metadata.is_file() {
                    // a link is followed: what it names is replaced, not the link
                    Self::staged(fs::canonicalize(path)?, Some(metadata.permissions()))
                } else {
                    Ok(Sink::Device(BufWriter::new(file), path.to_owned()))
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Self::staged(path.to_owned(), None)
            }
            Err(error) => Err(error),
        }
    }

    fn staged(path: PathBuf, permissions: Option<Permissions>) -> io::Result<Self> {
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        // not tempfile's own way of making files: it keeps them from other users
        let file = builder
            .prefix(".lith-")
            .make_in(directory, |path| File::create_new(path))?;
        if let Some(permissions) = permissions {
            fs::set_permissions(file.path(), permissions)?;
        }
        Ok(Sink::Staged(BufWriter::new(file), path))
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// A full disk, a closed pipe.
    pub fn write(&mut self, bytes: &[u8]) -> Result {
        let written = match self {
            Sink::Stdout(out) => out.write_all(bytes),
            Sink::Device(out, _) => out.write_all(bytes),
            Sink::Staged(out, _) => out.write_all(bytes),
        };
        written.map_err(|error| self.failure(error))
    }

    /// Writes what is still held, and gives a file its name. A sink that is dropped without this leaves
    /// no file.
    ///
    /// # Errors
    /// A full disk, a closed pipe.
    pub fn finish(mut self) -> Result {
        let flushed = match &mut self {
            Sink::Stdout(out) => out.flush(),
            Sink::Device(out, _) => out.flush(),
            Sink::Staged(out, _) => out
                .flush()
                .and_then(|()| out.get_ref().as_file().sync_all()),
        };
        flushed.map_err(|error| self.failure(error))?;
        if let Sink::Staged(out, path) = self {
            let file = out
                .into_inner()
                .map_err(|error| Error::io(&path, error.into_error()))?;
            file.persist(&path)
                .map_err(|error| Error::io(&path, error.error))?;
        }
        Ok(())
    }

    /// An error of writing, at the name that the user gave.
    fn failure(&self, error: io::Error) -> Failure {
        match self {
            Sink::Stdout(_) => error.into(),
            Sink::Device(_, path) | Sink::Staged(_, path) => Error::io(path, error).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_at_the_end_or_stays_as_it_was() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("rows");
        for (before, finish, after) in [
            (None, false, None),
            (None, true, Some("new")),
            (Some("old"), false, Some("old")),
            (Some("a longer old one"), true, Some("new")),
        ] {
            let _ = fs::remove_file(&path);
            before.inspect(|text| fs::write(&path, text).unwrap());
            let mut sink = Sink::new(Some(&path)).unwrap();
            sink.write(b"new").unwrap();
            if finish {
                sink.finish().unwrap();
            } else {
                drop(sink);
            }
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), after);
            let entries = fs::read_dir(scratch.path()).unwrap().count();
            assert_eq!(entries, usize::from(after.is_some()), "something is left");
        }
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_and_links_are_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let scratch = tempfile::tempdir().unwrap();
        let (path, link) = (scratch.path().join("rows"), scratch.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        symlink("rows", &link).unwrap();
        let sink = Sink::new(Some(&link)).unwrap();
        sink.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
