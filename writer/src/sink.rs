//! Counts the bytes written to any [`Write`]: the positions that footers and indexes refer to.

use std::io::Write;

use lith_format::error::{Error, ErrorKind, Result};

/// A writer that knows how many bytes it has taken.
#[derive(Debug)]
pub(crate) struct Sink<W> {
    inner: W,
    position: u64,
}

impl<W: Write> Sink<W> {
    /// Starts at position 0, wherever `inner` stands.
    pub(crate) fn new(inner: W) -> Self {
        Sink { inner, position: 0 }
    }

    /// Bytes taken so far.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Takes all of `bytes`.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.inner.write_all(bytes).map_err(io)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Flushes and gives the writer back.
    pub(crate) fn into_inner(mut self) -> Result<W> {
        self.inner.flush().map_err(io)?;
        Ok(self.inner)
    }
}

/// The sink does not know its path; the code that opened the file adds it to errors.
fn io(source: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("cannot write: {source}")).with_source(source)
}
