//! The error type of all crates: the kind of failure, the place in the file, and the cause.
//!
//! Every layer adds only what it alone knows: a decoder the structure and byte offset, the reader
//! the column and row group, the file's opener the path. Callers match on [`ErrorKind`], never on text.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// The result of everything that can fail on a file's account.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, coarse enough to choose an exit code or a retry by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused or failed.
    Io,
    /// The bytes end before the structure does.
    Truncated,
    /// The bytes contradict the specification or each other.
    Corrupt,
    /// Valid, but nothing here reads it (yet).
    Unsupported,
    /// Data that is encrypted and whose key was not given.
    Encrypted,
    /// A declared size or depth exceeds [`Limits`](crate::limits::Limits).
    LimitExceeded,
    /// Two types that do not go together.
    TypeMismatch,
    /// The caller asked for something that cannot be.
    InvalidArgument,
}

/// Where an error happened; the empty site is "unknown".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Site {
    /// The file.
    pub path: Option<PathBuf>,
    /// Row group (Parquet) or stripe (ORC), from 0.
    pub row_group: Option<usize>,
    /// Whether the row group is a stripe of an ORC file.
    pub is_stripe: bool,
    /// Column, as its dotted path.
    pub column: Option<String>,
    /// The specification's name of the structure being read.
    pub structure: Option<&'static str>,
    /// Byte offset: in the file where the reader knows it, else in the structure's own buffer.
    pub offset: Option<u64>,
}

/// An error: a kind, a message, a site and perhaps a source.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    site: Site,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of `kind`; the message is lower case without a full stop.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            site: Site::default(),
            source: None,
        }))
    }

    /// The bytes contradict the specification.
    #[cold]
    pub fn corrupt(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Corrupt, message)
    }

    /// The bytes end too early.
    #[cold]
    pub fn truncated(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Truncated, message)
    }

    /// Valid but not readable here.
    #[cold]
    pub fn unsupported(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    /// A declared size beyond the limits.
    #[cold]
    pub fn limit(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::LimitExceeded, message)
    }

    /// A request that cannot be met.
    #[cold]
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::InvalidArgument, message)
    }

    /// Types that do not go together.
    #[cold]
    pub fn type_mismatch(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::TypeMismatch, message)
    }

    /// A failure of the operating system at `path`.
    #[cold]
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::new(ErrorKind::Io, source.to_string())
            .with_source(source)
            .at_path(path)
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The place.
    pub fn site(&self) -> &Site {
        &self.0.site
    }

    /// What happened, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Adds the file, if no inner layer knew it.
    pub fn at_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.0.site.path.get_or_insert_with(|| path.into());
        self
    }

    /// Adds the row group, if no inner layer knew it.
    pub fn at_row_group(mut self, ordinal: usize) -> Self {
        self.0.site.row_group.get_or_insert(ordinal);
        self
    }

    /// Adds the stripe, if no inner layer knew it.
    pub fn at_stripe(mut self, ordinal: usize) -> Self {
        self.0.site.is_stripe |= self.0.site.row_group.is_none();
        self.at_row_group(ordinal)
    }

    /// Adds the column, if no inner layer knew it.
    pub fn at_column(mut self, column: impl Into<String>) -> Self {
        self.0.site.column.get_or_insert_with(|| column.into());
        self
    }

    /// Adds structure and offset, if no inner layer knew them.
    pub fn at(mut self, structure: &'static str, offset: u64) -> Self {
        self.0.site.structure.get_or_insert(structure);
        self.0.site.offset.get_or_insert(offset);
        self
    }

    /// Adds the structure, if no inner layer knew it; its place may follow.
    pub fn within(mut self, structure: &'static str) -> Self {
        self.0.site.structure.get_or_insert(structure);
        self
    }

    /// Moves an offset that is relative to a buffer to the buffer's place in the file.
    pub fn rebase(mut self, buffer_offset: u64) -> Self {
        if let Some(offset) = &mut self.0.site.offset {
            *offset = offset.saturating_add(buffer_offset);
        }
        self
    }

    /// Forgets the offset, which an outer layer does not know the place of.
    pub fn without_offset(mut self) -> Self {
        self.0.site.offset = None;
        self
    }

    /// The error, with something more to say.
    pub fn noting(mut self, note: &str) -> Self {
        self.0.message = format!("{}; {note}", self.0.message).into();
        self
    }

    /// Adds the cause.
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Site {
            path,
            row_group,
            is_stripe,
            column,
            structure,
            offset,
        } = &self.0.site;
        if let Some(path) = path {
            write!(f, "{}: ", Path::display(path))?;
        }
        if let Some(row_group) = row_group {
            let name = if *is_stripe { "stripe" } else { "row group" };
            write!(f, "{name} {row_group}: ")?;
        }
        if let Some(column) = column {
            write!(f, "column {column:?}: ")?;
        }
        match (structure, offset) {
            (Some(structure), Some(offset)) => write!(f, "{structure} at byte {offset}: ")?,
            (Some(structure), None) => write!(f, "{structure}: ")?,
            (None, Some(offset)) => write!(f, "byte {offset}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({self})", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_layers_win_and_the_place_reads_from_the_outside_in() {
        let error = Error::corrupt("gap list past end of run")
            .at("patched base", 18)
            .at("stream", 0)
            .rebase(100)
            .at_column("price")
            .at_row_group(3)
            .at_path("a.orc");
        let text = "a.orc: row group 3: column \"price\": patched base at byte 118: gap list past end of run";
        assert_eq!(error.to_string(), text);
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        let stripe = Error::corrupt("cut").at_stripe(3).at_row_group(4);
        assert_eq!(stripe.to_string(), "stripe 3: cut");
        let group = Error::corrupt("cut").at_row_group(3).at_stripe(4);
        assert_eq!(group.to_string(), "row group 3: cut");
        let noted = error.noting("a column may be left out");
        assert_eq!(
            noted.to_string(),
            format!("{text}; a column may be left out")
        );
    }
}
