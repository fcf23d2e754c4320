//! The walk over directories. One that waits leaves partition directories unopened once it has found a file: their
//! names say what the values are, and those that a filter rules out need never be opened.
//!
//! ```text
//! orders/year=2023/store=S01/   opened: the first file lies here, two partition directories deep
//! orders/year=2023/store=S02/   left unopened
//! orders/year=2024/             opened, for the names inside of it
//! ```

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use lith_format::error::{Error, ErrorKind, Result};
use lith_format::partition;

use crate::glob;

/// A `name=value` directory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Segment {
    pub directory: String,
    pub column: partition::Segment,
}

/// A file.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub path: PathBuf,
    pub bytes: u64,
    pub segments: Vec<Segment>,
}

impl Found {
    /// Whether it holds footers of other files and no rows.
    pub fn is_summary(&self) -> bool {
        let name = self.path.file_name().and_then(OsStr::to_str);
        matches!(name, Some("_metadata" | "_common_metadata"))
    }
}

/// Whether it reads like `s3://bucket/key` or `https://host/file`.
fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains("://"))
}

/// A partition directory that has not been opened.
#[derive(Debug, Clone)]
pub(super) struct Unopened {
    pub path: PathBuf,
    /// What is wanted of it; all if empty.
    pattern: Vec<OsString>,
    /// Its own segment is the last one.
    pub segments: Vec<Segment>,
    links: Vec<PathBuf>,
}

impl Unopened {
    /// The files below it.
    pub fn open(&self) -> Result<Vec<Found>> {
        let mut walk = Walk {
            links: self.links.clone(),
            ..Walk::default()
        };
        let mut segments = self.segments.clone();
        segments.pop();
        walk.glob(self.path.clone(), &self.pattern, &mut segments, false)?;
        Ok(walk.files)
    }
}

/// What has been found so far.
#[derive(Default)]
pub(super) struct Walk {
    pub files: Vec<Found>,
    pub unopened: Vec<Unopened>,
    /// Whether partition directories as deep as the first file's are left unopened.
    waits: bool,
    /// How many partition directories the first file lies in.
    depth: Option<usize>,
    /// Where the symbolic links lie that led here, outermost first, by their real names.
    links: Vec<PathBuf>,
}

impl Walk {
    /// A walk that leaves partition directories unopened where it can.
    pub fn waiting() -> Walk {
        Walk {
            waits: true,
            ..Walk::default()
        }
    }

    /// A file, a directory, or else a glob.
    pub fn root(&mut self, path: &Path) -> Result<()> {
        match fs::symlink_metadata(path) {
            Ok(_) => self.entry(path.to_path_buf(), &mut Vec::new(), true),
            Err(_) if is_address(path) => {
                Err(Error::unsupported("remote files are not read yet").at_path(path))
            }
            Err(error) => match glob::split(path) {
                Some((literal, pattern)) => self.glob(literal, &pattern, &mut Vec::new(), true),
                None => Err(Error::io(path, error)),
            },
        }
    }

    /// A file or directory of any kind. A root is no partition directory itself.
    fn entry(&mut self, path: PathBuf, segments: &mut Vec<Segment>, is_root: bool) -> Result<()> {
        let metadata = fs::metadata(&path).map_err(|error| Error::io(&path, error))?;
        self.known(path, &metadata, segments, is_root)
    }

    /// The same, of known metadata.
    fn known(
        &mut self,
        path: PathBuf,
        metadata: &fs::Metadata,
        segments: &mut Vec<Segment>,
        is_root: bool,
    ) -> Result<()> {
        if metadata.is_dir() {
            self.folder(path, segments, is_root)
        } else if metadata.is_file() {
            self.depth.get_or_insert(segments.len());
            self.files.push(Found {
                path,
                bytes: metadata.len(),
                segments: segments.clone(),
            });
            Ok(())
        } else {
            Err(Error::new(ErrorKind::Io, "neither a file nor a directory").at_path(path))
        }
    }

    /// All of a directory.
    fn folder(&mut self, path: PathBuf, segments: &mut Vec<Segment>, is_root: bool) -> Result<()> {
        if !is_root && self.leaves(&path, &[], segments)? {
            return Ok(());
        }
        self.inside(path, segments, is_root, Self::directory)
    }

    /// Whether a directory is left unopened, and noted as such.
    fn leaves(&mut self, path: &Path, pattern: &[OsString], above: &[Segment]) -> Result<bool> {
        if !self.waits || self.depth != Some(above.len() + 1) {
            return Ok(false);
        }
        let Some(segment) = segment_of(path)? else {
            return Ok(false);
        };
        self.unopened.push(Unopened {
            path: path.to_path_buf(),
            pattern: pattern.to_vec(),
            segments: above.iter().cloned().chain([segment]).collect(),
            links: self.links.clone(),
        });
        Ok(true)
    }

    /// Enters a directory: its segment holds for what `visit` finds there.
    fn inside(
        &mut self,
        path: PathBuf,
        segments: &mut Vec<Segment>,
        is_root: bool,
        visit: impl FnOnce(&mut Self, &Path, &mut Vec<Segment>) -> Result<()>,
    ) -> Result<()> {
        let segment = if is_root { None } else { segment_of(&path)? };
        let deeper = segment.is_some();
        segments.extend(segment);
        visit(self, &path, segments)?;
        if deeper {
            segments.pop();
        }
        Ok(())
    }

    fn directory(&mut self, path: &Path, segments: &mut Vec<Segment>) -> Result<()> {
        for child in children(path)? {
            if is_hidden(&child.name()) {
                continue;
            }
            if child.is_directory {
                self.folder(child.path, segments, false)?;
                continue;
            }
            let metadata = child.entry.metadata().ok().filter(|_| !child.is_link);
            self.child(child, path, |walk, path| match metadata {
                Some(metadata) => walk.known(path, &metadata, segments, false),
                None => walk.entry(path, segments, false),
            })?;
        }
        Ok(())
    }

    /// Visits what a directory holds. A symbolic link to a directory that is being walked would never end.
    fn child(
        &mut self,
        child: Child,
        directory: &Path,
        visit: impl FnOnce(&mut Self, PathBuf) -> Result<()>,
    ) -> Result<()> {
        if !child.is_link {
            return visit(self, child.path);
        }
        let at = |error| Error::io(&child.path, error);
        let target = fs::canonicalize(&child.path).map_err(at)?;
        self.links.push(fs::canonicalize(directory).map_err(at)?);
        if self.links.iter().any(|place| place.starts_with(&target)) {
            let message = "symbolic link to a directory that holds it";
            return Err(Error::invalid(message).at_path(&child.path));
        }
        visit(self, child.path)?;
        self.links.pop();
        Ok(())
    }

    /// Adds what matches a pattern in the subdirectories of a directory.
    fn deeper(
        &mut self,
        path: &Path,
        pattern: &[OsString],
        segments: &mut Vec<Segment>,
    ) -> Result<()> {
        for child in children(path)? {
            if !is_hidden(&child.name()) {
                self.child(child, path, |walk, path| {
                    walk.glob(path, pattern, segments, false)
                })?;
            }
        }
        Ok(())
    }

    /// What matches the rest of a pattern in a directory that exists or not.
    fn glob(
        &mut self,
        path: PathBuf,
        pattern: &[OsString],
        segments: &mut Vec<Segment>,
        is_root: bool,
    ) -> Result<()> {
        let Some((first, rest)) = pattern.split_first() else {
            return self.entry(path, segments, is_root);
        };
        if !is_root && (!path.is_dir() || self.leaves(&path, pattern, segments)?) {
            return Ok(());
        }
        if first == glob::DIRECTORIES {
            self.glob(path.clone(), rest, segments, is_root)?;
            return match rest {
                // the call above has walked all of it
                [] => Ok(()),
                _ => self.inside(path, segments, is_root, |walk, path, segments| {
                    walk.deeper(path, pattern, segments)
                }),
            };
        }
        self.inside(path, segments, is_root, |walk, path, segments| {
            let Some(first) = glob::pattern(first) else {
                let child = path.join(first);
                return match fs::symlink_metadata(&child) {
                    Ok(_) => walk.glob(child, rest, segments, false),
                    Err(_) => Ok(()),
                };
            };
            for child in children(path)? {
                let name = child.name();
                let wanted = !is_hidden(&name) || first.starts_with(['_', '.']);
                if wanted && glob::matches(first, &name) {
                    walk.child(child, path, |walk, path| {
                        walk.glob(path, rest, segments, false)
                    })?;
                }
            }
            Ok(())
        })
    }
}

/// What a directory holds.
struct Child {
    entry: fs::DirEntry,
    path: PathBuf,
    is_link: bool,
    is_directory: bool,
}

/// What is in a directory, in order of the names.
fn children(path: &Path) -> Result<Vec<Child>> {
    let at = |error| Error::io(path, error);
    let child = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry?;
        let kind = entry.file_type()?;
        Ok(Child {
            is_link: kind.is_symlink(),
            is_directory: kind.is_dir(),
            path: entry.path(),
            entry,
        })
    };
    let entries = fs::read_dir(path).map_err(at)?;
    let mut children: Vec<Child> = entries
        .map(child)
        .collect::<std::io::Result<_>>()
        .map_err(at)?;
    children.sort_unstable_by(|a, b| a.path.file_name().cmp(&b.path.file_name()));
    Ok(children)
}

impl Child {
    fn name(&self) -> Cow<'_, str> {
        self.path.file_name().unwrap_or_default().to_string_lossy()
    }
}

/// Names that writers and tools use for what is not data.
fn is_hidden(name: &str) -> bool {
    name.starts_with(['_', '.']) && !name.contains('=')
}

/// The column that a directory names, if it does. A value that is no text would be lost.
fn segment_of(path: &Path) -> Result<Option<Segment>> {
    let Some(name) = path.file_name() else {
        return Ok(None);
    };
    let Some(directory) = name.to_str() else {
        if name.as_encoded_bytes().contains(&b'=') {
            let message = "the name of a partition directory is not UTF-8";
            return Err(Error::invalid(message).at_path(path));
        }
        return Ok(None);
    };
    let column = partition::Segment::parse(directory);
    Ok(column.map(|column| Segment {
        directory: directory.to_owned(),
        column,
    }))
}
