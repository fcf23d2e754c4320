//! Reads ranges of bytes of a file, a memory map or a buffer as shared buffers.
//!
//! Files are read by position or mapped into memory. Either way a range past the end, and a file that
//! shrank since it was opened, is an error.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use lith_format::error::{Error, Result};
#[cfg(unix)]
use rustix::buffer::spare_capacity;

/// Random access to immutable bytes.
pub trait Source: Send + Sync {
    /// Size in bytes.
    fn size(&self) -> u64;

    /// Exactly `len` bytes from `offset`; fewer are an error, never a short answer.
    fn read_at(&self, offset: u64, len: usize) -> Result<Bytes>;

    /// What to call this source in errors.
    fn name(&self) -> &Path;
}

/// A file that is read by position.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    size: u64,
    path: PathBuf,
}

impl FileSource {
    /// Opens a regular file.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let (file, metadata) = open_regular(&path)?;
        Ok(FileSource {
            file,
            size: metadata.len(),
            path,
        })
    }
}

impl Source for FileSource {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<Bytes> {
        check_range(self, offset, len)?;
        let mut buffer = Vec::new();
        buffer.try_reserve_exact(len).map_err(|_| {
            Error::limit(format!("there is no memory for {len} bytes")).at_path(&self.path)
        })?;
        while buffer.len() < len {
            let place = offset.saturating_add(buffer.len() as u64);
            match read_more(&self.file, &mut buffer, len, place) {
                Ok(0) => return Err(shrank(self)),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io(&self.path, error)),
            }
        }
        buffer.truncate(len);
        Ok(buffer.into())
    }

    fn name(&self) -> &Path {
        &self.path
    }
}

/// A file that is mapped into memory; ranges are borrowed from the map.
#[derive(Debug)]
pub struct MmapSource {
    file: File,
    map: Bytes,
    path: PathBuf,
}

impl MmapSource {
    /// Maps a regular file. Only for files that are not truncated meanwhile: the operating system ends
    /// a process that accesses mapped bytes that are gone.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let (file, metadata) = open_regular(&path)?;
        let map = if metadata.len() == 0 {
            Bytes::new()
        } else {
            Bytes::from_owner(map(&file).map_err(|error| Error::io(&path, error))?)
        };
        Ok(MmapSource { file, map, path })
    }
}

#[expect(
    unsafe_code,
    reason = "mapping is inherently unsafe: another process may change the file"
)]
fn map(file: &File) -> io::Result<memmap2::Mmap> {
    // SAFETY: the map is read-only and outlives every slice of it, since slices share its ownership. What
    // remains is a file that others change underneath, which the callers of `MmapSource::open` rule
    // out; changing bytes are safe, as decoders trust no byte of a file.
    unsafe { memmap2::Mmap::map(file) }
}

impl Source for MmapSource {
    fn size(&self) -> u64 {
        self.map.len() as u64
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<Bytes> {
        check_range(self, offset, len)?;
        let now = self
            .file
            .metadata()
            .map_err(|error| Error::io(&self.path, error))?;
        if now.len() < self.size() {
            return Err(shrank(self));
        }
        let start = offset as usize;
        Ok(self.map.slice(start..start + len))
    }

    fn name(&self) -> &Path {
        &self.path
    }
}

/// Bytes in memory.
#[derive(Debug, Clone)]
pub struct BytesSource {
    bytes: Bytes,
    name: PathBuf,
}

impl BytesSource {
    /// Bytes that errors call `name`.
    pub fn new(bytes: impl Into<Bytes>, name: impl Into<PathBuf>) -> Self {
        BytesSource {
            bytes: bytes.into(),
            name: name.into(),
        }
    }
}

impl Source for BytesSource {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<Bytes> {
        check_range(self, offset, len)?;
        let start = offset as usize;
        Ok(self.bytes.slice(start..start + len))
    }

    fn name(&self) -> &Path {
        &self.name
    }
}

/// Opens what is a file by itself: opening a pipe would wait for a writer.
fn open_regular(path: &Path) -> Result<(File, Metadata)> {
    let kind = std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
    if !kind.is_file() {
        return Err(Error::invalid("not a regular file").at_path(path));
    }
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    let metadata = file.metadata().map_err(|error| Error::io(path, error))?;
    Ok((file, metadata))
}

fn check_range(source: &dyn Source, offset: u64, len: usize) -> Result<()> {
    match offset.checked_add(len as u64) {
        Some(end) if end <= source.size() => Ok(()),
        _ => Err(Error::truncated(format!(
            "{len} bytes from byte {offset} of a file of {}",
            source.size()
        ))
        .at_path(source.name())),
    }
}

fn shrank(source: &dyn Source) -> Error {
    Error::truncated("the file shrank while it was read").at_path(source.name())
}

/// Appends bytes of the file from `offset` on until the buffer has about `len`, and returns how many; 0 at the end of
/// the file. The room for them is not zeroed first.
#[cfg(unix)]
fn read_more(file: &File, buffer: &mut Vec<u8>, _len: usize, offset: u64) -> io::Result<usize> {
    Ok(rustix::io::pread(file, spare_capacity(buffer), offset)?)
}

#[cfg(windows)]
fn read_more(file: &File, buffer: &mut Vec<u8>, len: usize, offset: u64) -> io::Result<usize> {
    let start = buffer.len();
    buffer.resize(len, 0);
    let read = std::os::windows::fs::FileExt::seek_read(file, &mut buffer[start..], offset);
    buffer.truncate(start + read.as_ref().map_or(0, |read| *read));
    read
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use lith_format::error::ErrorKind;

    fn sources(content: &[u8]) -> (tempfile::NamedTempFile, Vec<Box<dyn Source>>) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        let sources: Vec<Box<dyn Source>> = vec![
            Box::new(FileSource::open(file.path()).unwrap()),
            Box::new(MmapSource::open(file.path()).unwrap()),
            Box::new(BytesSource::new(content.to_vec(), "memory")),
        ];
        (file, sources)
    }

    #[test]
    fn ranges_are_exact_or_errors() {
        let (_file, sources) = sources(b"0123456789");
        for source in sources {
            assert_eq!(source.size(), 10);
            assert_eq!(&source.read_at(3, 4).unwrap()[..], b"3456");
            assert_eq!(&source.read_at(10, 0).unwrap()[..], b"");
            for (offset, len) in [(7, 4), (11, 0), (u64::MAX, 2), (0, usize::MAX)] {
                let error = source.read_at(offset, len).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Truncated);
                assert_eq!(error.site().path.as_deref(), Some(source.name()));
            }
        }
    }

    #[test]
    fn a_file_that_shrank_is_an_error() {
        let (file, sources) = sources(b"0123456789");
        file.as_file().set_len(4).unwrap();
        for source in &sources[..2] {
            assert_eq!(
                source.read_at(2, 6).unwrap_err().kind(),
                ErrorKind::Truncated
            );
        }
    }

    #[test]
    fn empty_files_open_and_directories_do_not() {
        let (_file, sources) = sources(b"");
        assert!(sources.iter().all(|source| source.size() == 0));
        let directory = tempfile::tempdir().unwrap();
        let error = FileSource::open(directory.path()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let error = MmapSource::open(directory.path().join("absent")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
    }
}
