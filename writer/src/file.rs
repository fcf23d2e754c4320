//! One file: rows are collected until a row group is full, then its columns are encoded and written.
//!
//! Where the rows go and what bounds a row group is the same for every format; the formats differ in
//! what becomes of the leaves of a full one.

use std::io::Write;
use std::ops::Range;

use lith_format::error::{Error, Result};
use lith_format::meta::{FileMeta, Format};
use lith_format::schema::{Field, Schema};
use lith_format::vector::{Batch, Vector};

use crate::leaf::Leaf;
use crate::options::WriteOptions;
use crate::orc;
use crate::parallel;
use crate::parquet;
use crate::sink::Sink;

/// Rows after which the size of the open row group is looked at.
const SLICE_ROWS: usize = 64 << 10;

/// Values below which more threads cost more than they save.
const PARALLEL_VALUES: usize = 256 << 10;

/// What the formats differ in.
#[derive(Debug)]
enum Encoder {
    Parquet(parquet::file::Encoder),
    Orc(orc::file::Encoder),
}

impl Encoder {
    fn begin<W: Write>(
        sink: &mut Sink<W>,
        schema: &Schema,
        options: &WriteOptions,
    ) -> Result<Self> {
        Ok(match options.format {
            Format::Parquet => Encoder::Parquet(parquet::file::Encoder::begin(sink, schema)?),
            Format::Orc => Encoder::Orc(orc::file::Encoder::begin(sink, schema, options)?),
        })
    }

    fn put_row_group<W: Write>(
        &mut self,
        sink: &mut Sink<W>,
        leaves: Vec<Leaf>,
        rows: usize,
        options: &WriteOptions,
    ) -> Result<()> {
        match self {
            Encoder::Parquet(encoder) => encoder.put_row_group(sink, leaves, rows, options),
            Encoder::Orc(encoder) => encoder.put_row_group(sink, leaves, rows, options),
        }
    }

    fn finish<W: Write>(self, sink: &mut Sink<W>, options: &WriteOptions) -> Result<FileMeta> {
        match self {
            Encoder::Parquet(encoder) => encoder.finish(sink, options),
            Encoder::Orc(encoder) => encoder.finish(sink, options),
        }
    }
}

/// Bytes that the dictionary of a column may take. ORC has dictionaries of text only.
fn dictionary_bytes(options: &WriteOptions, field: &Field) -> usize {
    match options.format {
        Format::Orc if !field.ty.is_text() => 0,
        _ => options.parquet.dictionary_bytes,
    }
}

/// Writes one file. Only [`finish`](Self::finish) makes it readable.
#[derive(Debug)]
pub struct FileWriter<W> {
    sink: Sink<W>,
    schema: Schema,
    options: WriteOptions,
    encoder: Encoder,
    leaves: Vec<Leaf>,
    /// Rows in the open row group.
    open_rows: usize,
    rows: u64,
    failed: bool,
}

impl<W: Write> FileWriter<W> {
    /// Begins a file of `schema`. Fails if the format cannot hold the schema or the options make no sense.
    pub fn new(sink: W, schema: &Schema, options: WriteOptions) -> Result<Self> {
        options.check()?;
        let leaf = |field| Leaf::new(field, dictionary_bytes(&options, field));
        let leaves = schema.fields.iter().map(leaf).collect::<Result<_>>()?;
        let mut sink = Sink::new(sink);
        let encoder = Encoder::begin(&mut sink, schema, &options)?;
        Ok(FileWriter {
            sink,
            schema: schema.clone(),
            options,
            encoder,
            leaves,
            open_rows: 0,
            rows: 0,
            failed: false,
        })
    }

    /// Appends the rows of `batch`, whose columns are those of the schema, in order. After an error the
    /// file cannot be finished.
    pub fn write(&mut self, batch: &Batch) -> Result<()> {
        self.check_columns(batch)?;
        let columns: Vec<&Vector> = batch.columns.iter().collect();
        self.write_columns(&columns, 0..batch.rows)
    }

    /// Appends slots `rows` of `columns`, which have the types of the schema.
    pub(crate) fn write_columns(&mut self, columns: &[&Vector], rows: Range<usize>) -> Result<()> {
        self.refuse_if_failed()?;
        self.failed = true;
        let mut from = rows.start;
        while from < rows.end {
            let room = self.options.row_group_rows - self.open_rows;
            let to = rows.end.min(from + room.min(SLICE_ROWS));
            self.append(columns, from..to)?;
            from = to;
            let is_full = self.open_rows == self.options.row_group_rows;
            if is_full || self.buffered_bytes() >= self.options.row_group_bytes {
                self.put_row_group()?;
            }
        }
        self.failed = false;
        Ok(())
    }

    /// Writes what is collected as a row group of its own, which frees its memory.
    pub fn flush(&mut self) -> Result<()> {
        self.refuse_if_failed()?;
        self.failed = true;
        self.put_row_group()?;
        self.failed = false;
        Ok(())
    }

    /// Writes what is left and the footer, and returns the metadata that a reader of the file sees.
    pub fn finish(self) -> Result<FileMeta> {
        self.into_parts().map(|(meta, _)| meta)
    }

    /// As [`finish`](Self::finish), and gives the sink back.
    pub fn into_parts(mut self) -> Result<(FileMeta, W)> {
        self.flush()?;
        let meta = self.encoder.finish(&mut self.sink, &self.options)?;
        Ok((meta, self.sink.into_inner()?))
    }

    /// Rows taken so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes given to the sink so far.
    pub fn written_bytes(&self) -> u64 {
        self.sink.position()
    }

    /// Bytes of the open row group, as they would be encoded but not compressed.
    pub fn buffered_bytes(&self) -> usize {
        self.leaves.iter().map(Leaf::bytes).sum()
    }

    fn append(&mut self, columns: &[&Vector], rows: Range<usize>) -> Result<()> {
        let threads = match rows.len() * columns.len() {
            0..PARALLEL_VALUES => 1,
            _ => self.options.thread_count(),
        };
        let items = self.leaves.iter_mut().zip(columns);
        parallel::map(threads, items, |(leaf, column)| {
            leaf.append(column, rows.clone())
        })?;
        self.open_rows += rows.len();
        self.rows += rows.len() as u64;
        Ok(())
    }

    fn put_row_group(&mut self) -> Result<()> {
        if self.open_rows == 0 {
            return Ok(());
        }
        let leaves = self
            .leaves
            .iter_mut()
            .map(Leaf::take)
            .collect::<Result<_>>()?;
        let rows = std::mem::take(&mut self.open_rows);
        self.encoder
            .put_row_group(&mut self.sink, leaves, rows, &self.options)
    }

    fn refuse_if_failed(&self) -> Result<()> {
        if self.failed {
            return Err(Error::invalid("an earlier write of this file failed"));
        }
        Ok(())
    }

    fn check_columns(&self, batch: &Batch) -> Result<()> {
        let (ours, theirs) = (&self.schema.fields, &batch.schema.fields);
        if ours.len() != theirs.len() || batch.columns.len() != ours.len() {
            return Err(Error::type_mismatch(format!(
                "a batch of {} columns for a file of {}",
                batch.columns.len(),
                ours.len()
            )));
        }
        for ((own, other), column) in ours.iter().zip(theirs).zip(&batch.columns) {
            if own.name != other.name || own.ty != column.ty {
                let found = format!("found {:?} of type {}", other.name, column.ty);
                return Err(Error::type_mismatch(found).at_column(&own.name));
            }
            if column.len != batch.rows {
                let found = format!("{} slots in a batch of {} rows", column.len, batch.rows);
                return Err(Error::invalid(found).at_column(&own.name));
            }
        }
        Ok(())
    }
}
