//! A dataset: rows go to the files of their partition, and all files become visible at once.
//!
//! ```text
//! dir/a=1/b=x/part-00000-<id>.parquet      partition columns leave the files
//! dir/_SUCCESS                             last
//! ```
//! At most so many files are open; the one that was written to least recently is finished to make
//! room, and more rows of its partition begin another. A file that is large enough is finished, too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use lith_format::error::{Error, Result};
use lith_format::meta::Format;
use lith_format::schema::Schema;
use lith_format::vector::{Batch, Vector};

use crate::commit::{Staging, unique_id};
use crate::file::FileWriter;
use crate::options::WriteOptions;
use crate::partition::{self, Group};

/// How a dataset is written.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// How each file is written.
    pub file: WriteOptions,
    /// Rows a file holds at most; at least 1.
    pub file_rows: u64,
    /// Size in bytes, estimated while writing, after which a file is finished.
    pub file_bytes: u64,
    /// Files that are open at a time at most; at least 1.
    pub max_open: usize,
    /// Bytes that the open row groups of all files may take before the largest is written out.
    pub buffer_bytes: usize,
    /// What distinguishes the names of this run's files; `None` makes one that no other run has.
    pub id: Option<String>,
}

impl Default for TableOptions {
    fn default() -> Self {
        TableOptions {
            file: WriteOptions::default(),
            file_rows: u64::MAX,
            file_bytes: 512 << 20,
            max_open: 128,
            buffer_bytes: 512 << 20,
            id: None,
        }
    }
}

/// A file of a finished dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its rows.
    pub rows: u64,
    /// Its size.
    pub bytes: u64,
}

/// Writes a dataset. Dropping it without [`finish`](Self::finish) leaves nothing behind.
#[derive(Debug)]
pub struct TableWriter {
    schema: Schema,
    partition_columns: Vec<usize>,
    file_columns: Vec<usize>,
    file_schema: Schema,
    options: TableOptions,
    id: String,
    open: HashMap<PathBuf, Open>,
    clock: u64,
    /// Files begun in each directory.
    begun: HashMap<PathBuf, u32>,
    /// Every partition directory by its lower-case path.
    folded: HashMap<String, String>,
    written: Vec<WrittenFile>,
    failed: bool,
    /// Dropped last: the files above lie in it.
    staging: Staging,
}

#[derive(Debug)]
struct Open {
    writer: FileWriter<File>,
    relative: PathBuf,
    last_used: u64,
}

impl TableWriter {
    /// Begins the dataset `dir`, which must not exist or be empty. The columns `partition_by` become
    /// directories, outermost first, and leave the files.
    pub fn new(
        dir: impl AsRef<Path>,
        schema: &Schema,
        partition_by: &[impl AsRef<str>],
        options: TableOptions,
    ) -> Result<Self> {
        if options.file_rows == 0 || options.max_open == 0 {
            return Err(Error::invalid("file_rows and max_open must be at least 1"));
        }
        options.file.check()?;
        let partition_columns = resolve(schema, partition_by)?;
        let in_file = |index: &usize| !partition_columns.contains(index);
        let file_columns: Vec<usize> = (0..schema.fields.len()).filter(in_file).collect();
        let fields = file_columns.iter().map(|&at| schema.fields[at].clone());
        let file_schema = Schema::new(fields.collect());
        // a schema that cannot be written fails before anything is on disk
        FileWriter::new(Vec::new(), &file_schema, options.file.clone())?;
        let id = options.id.clone().unwrap_or_else(unique_id);
        Ok(TableWriter {
            staging: Staging::begin(dir.as_ref(), &id)?,
            schema: schema.clone(),
            partition_columns,
            file_columns,
            file_schema,
            options,
            id,
            open: HashMap::new(),
            clock: 0,
            begun: HashMap::new(),
            folded: HashMap::new(),
            written: Vec::new(),
            failed: false,
        })
    }

    /// Appends the rows of `batch`, whose columns are those of the schema, in order. After an error the
    /// dataset cannot be finished.
    pub fn write(&mut self, batch: &Batch) -> Result<()> {
        self.refuse_if_failed()?;
        self.failed = true;
        self.check_columns(batch)?;
        if self.partition_columns.is_empty() {
            let columns: Vec<&Vector> = batch.columns.iter().collect();
            self.write_rows(&[], &columns, batch.rows)?;
        } else {
            let key = |&at: &usize| (&self.schema.fields[at], &batch.columns[at]);
            let keys: Vec<_> = self.partition_columns.iter().map(key).collect();
            for Group { segments, rows } in partition::split(&keys, batch.rows)? {
                let columns = self.project(batch, &rows);
                let columns: Vec<&Vector> = columns.iter().map(|column| &**column).collect();
                self.write_rows(&segments, &columns, rows.len())?;
            }
        }
        self.failed = false;
        Ok(())
    }

    /// Finishes all files, makes them visible and says what they are, in order of their paths.
    pub fn finish(mut self) -> Result<Vec<WrittenFile>> {
        self.refuse_if_failed()?;
        let mut directories: Vec<PathBuf> = self.open.keys().cloned().collect();
        directories.sort();
        for directory in directories {
            self.close(&directory)?;
        }
        if self.written.is_empty() && self.partition_columns.is_empty() {
            // a table without rows still has a schema, which only a file can hold
            self.begin(Path::new(""))?;
            self.close(Path::new(""))?;
        }
        self.staging.commit()?;
        self.written.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(self.written)
    }

    fn write_rows(&mut self, segments: &[String], columns: &[&Vector], rows: usize) -> Result<()> {
        let directory = self.directory(segments)?;
        let mut from = 0;
        while from < rows {
            self.clock += 1;
            if !self.open.contains_key(&directory) {
                self.begin(&directory)?;
            }
            let Some(open) = self.open.get_mut(&directory) else {
                return Err(Error::invalid("a file that was begun is not open"));
            };
            open.last_used = self.clock;
            let room = self.options.file_rows - open.writer.rows();
            let room = usize::try_from(room).unwrap_or(usize::MAX);
            let to = from + room.min(rows - from);
            let Open {
                writer, relative, ..
            } = open;
            let written = writer.write_columns(columns, from..to);
            written.map_err(|error| self.staging.locate(error, relative))?;
            from = to;
            let bytes = open.writer.written_bytes() + open.writer.buffered_bytes() as u64;
            if open.writer.rows() == self.options.file_rows || bytes >= self.options.file_bytes {
                self.close(&directory)?;
            }
        }
        self.spill()
    }

    /// The directory of a partition. Two that some file systems would take for one are refused.
    fn directory(&mut self, segments: &[String]) -> Result<PathBuf> {
        let mut path = String::new();
        for segment in segments {
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(segment);
            let known = self
                .folded
                .entry(path.to_lowercase())
                .or_insert(path.clone());
            if *known != path {
                return Err(Error::invalid(format!(
                    "partitions {known:?} and {path:?} differ only by case"
                )));
            }
        }
        Ok(PathBuf::from(path))
    }

    fn begin(&mut self, directory: &Path) -> Result<()> {
        if self.open.len() >= self.options.max_open {
            self.close_oldest()?;
        }
        let ordinal = self.begun.entry(directory.to_owned()).or_insert(0);
        let extension = match self.options.file.format {
            Format::Parquet => "parquet",
            Format::Orc => "orc",
        };
        let name = format!("part-{ordinal:05}-{}.{extension}", self.id);
        *ordinal += 1;
        let relative = directory.join(name);
        let file = self.create(&relative)?;
        let writer = FileWriter::new(file, &self.file_schema, self.options.file.clone())
            .map_err(|error| error.at_path(&relative))?;
        let open = Open {
            writer,
            relative,
            last_used: self.clock,
        };
        self.open.insert(directory.to_owned(), open);
        Ok(())
    }

    /// Creates a file. If the system allows no more open ones, those make room that were not used for long.
    fn create(&mut self, relative: &Path) -> Result<File> {
        loop {
            match self.staging.create(relative) {
                Err(error) if is_too_many_open(&error) && self.close_oldest()? => {}
                created => return created,
            }
        }
    }

    /// Finishes the file that was written to least recently; whether there was one.
    fn close_oldest(&mut self) -> Result<bool> {
        let oldest = self.open.iter().min_by_key(|(_, open)| open.last_used);
        let Some(oldest) = oldest.map(|(directory, _)| directory.clone()) else {
            return Ok(false);
        };
        self.close(&oldest)?;
        Ok(true)
    }

    fn close(&mut self, directory: &Path) -> Result<()> {
        let Some(open) = self.open.remove(directory) else {
            return Ok(());
        };
        let path = self.staging.final_path(&open.relative);
        let finished = open.writer.into_parts();
        let (meta, file) = finished.map_err(|error| self.staging.locate(error, &open.relative))?;
        let bytes = file.metadata().and_then(|metadata| {
            file.sync_all()?;
            Ok(metadata.len())
        });
        self.written.push(WrittenFile {
            rows: meta.rows,
            bytes: bytes.map_err(|error| Error::io(&path, error))?,
            path,
        });
        Ok(())
    }

    /// Writes out the largest open row groups until all fit the memory they may take.
    fn spill(&mut self) -> Result<()> {
        let sizes = self.open.values().map(|open| open.writer.buffered_bytes());
        let mut total: usize = sizes.sum();
        while total > self.options.buffer_bytes {
            let size = |open: &&mut Open| (open.writer.buffered_bytes(), open.last_used);
            let Some(largest) = self.open.values_mut().max_by_key(size) else {
                return Ok(());
            };
            total -= largest.writer.buffered_bytes();
            let Open {
                writer, relative, ..
            } = largest;
            let flushed = writer.flush();
            flushed.map_err(|error| self.staging.locate(error, relative))?;
        }
        Ok(())
    }

    /// Slots `rows` of the columns that files hold; without a copy where that is all of them.
    fn project<'a>(&self, batch: &'a Batch, rows: &[u32]) -> Vec<Cow<'a, Vector>> {
        let column = |&at: &usize| match &batch.columns[at] {
            column if rows.len() == batch.rows => Cow::Borrowed(column),
            column => Cow::Owned(column.take(rows)),
        };
        self.file_columns.iter().map(column).collect()
    }

    fn check_columns(&self, batch: &Batch) -> Result<()> {
        let ours = &self.schema.fields;
        let same = batch.columns.len() == ours.len()
            && batch.schema.fields.len() == ours.len()
            && ours
                .iter()
                .zip(&batch.schema.fields)
                .all(|(a, b)| a.name == b.name)
            && ours
                .iter()
                .zip(&batch.columns)
                .all(|(a, b)| a.ty == b.ty && b.len == batch.rows);
        if same {
            return Ok(());
        }
        Err(Error::type_mismatch(format!(
            "a batch of {} for a table of {}",
            batch.schema, self.schema
        )))
    }

    fn refuse_if_failed(&self) -> Result<()> {
        if self.failed {
            return Err(Error::invalid("an earlier write of this table failed"));
        }
        Ok(())
    }
}

/// Whether the process (EMFILE) or the system (ENFILE) has as many files open as it may.
fn is_too_many_open(error: &Error) -> bool {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref());
    let code = source.and_then(std::io::Error::raw_os_error);
    cfg!(unix) && matches!(code, Some(23 | 24))
}

fn resolve(schema: &Schema, partition_by: &[impl AsRef<str>]) -> Result<Vec<usize>> {
    let mut columns = Vec::new();
    for name in partition_by {
        let name = name.as_ref();
        let Some(index) = schema.index_of(name)? else {
            return Err(Error::invalid(format!("there is no column {name:?}")));
        };
        if columns.contains(&index) {
            return Err(Error::invalid(format!("{name:?} is named twice")));
        }
        if name.is_empty() {
            return Err(Error::invalid(
                "a directory cannot hold a column without a name",
            ));
        }
        columns.push(index);
    }
    if !columns.is_empty() && columns.len() == schema.fields.len() {
        return Err(Error::invalid("no column is left for the files"));
    }
    Ok(columns)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use lith_format::error::ErrorKind;
    use lith_format::scalar::Scalar;
    use lith_format::schema::Field;
    use lith_format::types::LogicalType;

    /// A device that is always full stands for a full disk.
    #[test]
    fn a_full_disk_is_named_and_leaves_nothing() {
        let room = tempfile::tempdir().unwrap();
        let target = room.path().join("t");
        let schema = Schema::new(vec![Field::required("c", LogicalType::Int64)]);
        let none: &[&str] = &[];
        let mut table = TableWriter::new(&target, &schema, none, TableOptions::default()).unwrap();
        let one = Vector::constant(LogicalType::Int64, Scalar::Int(1), 10);
        table.write_rows(&[], &[&one], 10).unwrap();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let open = table.open.get_mut(Path::new("")).unwrap();
        let options = TableOptions::default().file;
        let began = FileWriter::new(full, &schema, options);
        assert_eq!(began.unwrap_err().kind(), ErrorKind::Io);
        let error = Error::io("", std::io::Error::from(std::io::ErrorKind::StorageFull));
        let bare = Error::new(error.kind(), error.message().to_owned());
        let located = table.staging.locate(bare, &open.relative);
        assert!(
            located
                .site()
                .path
                .as_ref()
                .is_some_and(|path| path.ends_with(&open.relative))
        );
        drop(table);
        assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 0);
    }
}
