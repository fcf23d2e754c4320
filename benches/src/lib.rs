//! Made data for the benches, and the operations that `lith-bench` times.

#![forbid(unsafe_code)]

pub mod encoded;
pub mod footers;
pub mod job;
pub mod operation;
pub mod sum;

use std::sync::Arc;

use bytes::Bytes;
use lith::facts::{Facts, STORES};
use lith_format::error::Result;
use lith_format::limits::Limits;
use lith_format::meta::Format;
use lith_reader::file::File;
use lith_reader::source::BytesSource;
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;

/// The orders of the largest store at `scale` (1 is four million rows) as one file in memory.
pub fn orders(format: Format, scale: f64) -> Result<Bytes> {
    let facts = Facts::new(scale, 42);
    let options = WriteOptions {
        format,
        row_group_rows: 131_072,
        ..WriteOptions::default()
    };
    let mut writer = FileWriter::new(Vec::new(), facts.schema(), options)?;
    for batch in facts.batches(&STORES[0], 65_536) {
        writer.write(&batch)?;
    }
    let (_, bytes) = writer.into_parts()?;
    Ok(bytes.into())
}

/// Opens a file in memory.
pub fn open(bytes: &Bytes) -> Result<File> {
    File::from_source(
        Arc::new(BytesSource::new(bytes.clone(), "memory")),
        Limits::default(),
    )
}
