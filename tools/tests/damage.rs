//! Whole files cut at every length and with every bit flipped: an error or the same rows wherever a checksum
//! guards them, an error or some rows elsewhere, and a panic nowhere.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

mod rows;

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lith_format::compress::Codec;
use lith_format::error::Result;
use lith_format::meta::Format;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, ByteViews, Values, Vector};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;
use rows::rows;

fn table() -> Batch {
    let rows = 40;
    let column = |ty, validity, values| Vector {
        ty,
        len: rows,
        validity,
        values,
    };
    let words: Vec<String> = (0..rows).map(|row| format!("w{}", row % 7)).collect();
    let some = Some((0..rows).map(|row| row % 5 != 0).collect());
    let words = Values::Bytes(ByteViews::from_values(words.iter().map(String::as_str)));
    Batch {
        schema: Arc::new(Schema::new(vec![
            Field::nullable("word", LogicalType::String),
            Field::required("number", LogicalType::Int64),
        ])),
        rows,
        columns: vec![
            column(LogicalType::String, some, words),
            column(
                LogicalType::Int64,
                None,
                Values::I64((0..rows as i64).map(|row| row * row * 7919).collect()),
            ),
        ],
    }
}

/// A file in two row groups, and which of its bytes are pages.
fn write(options: &WriteOptions) -> (Vec<u8>, Range<usize>) {
    let table = table();
    let options = WriteOptions {
        row_group_rows: 25,
        ..options.clone()
    };
    let mut bytes = Vec::new();
    let mut file = FileWriter::new(&mut bytes, &table.schema, options).unwrap();
    file.write(&table).unwrap();
    let meta = file.finish().unwrap();
    let chunks = meta.row_groups.iter().flat_map(|group| &group.chunks);
    // not known of ORC
    let size: u64 = chunks.filter_map(|chunk| chunk.compressed_bytes).sum();
    (bytes, 4..4 + size as usize)
}

fn read(path: &Path) -> Result<Vec<String>> {
    rows(lith_reader::open(path)?.scan().build()?)
}

fn variants() -> Vec<WriteOptions> {
    let mut variants = Vec::new();
    for format in [Format::Parquet, Format::Orc] {
        for codec in [Codec::None, Codec::Snappy, Codec::Zstd] {
            for data_page_v2 in [false, true] {
                let mut options = WriteOptions {
                    format,
                    codec,
                    ..WriteOptions::default()
                };
                options.parquet.data_page_v2 = data_page_v2;
                options.parquet.checksums = true;
                if format == Format::Parquet || !data_page_v2 {
                    variants.push(options);
                }
            }
        }
    }
    variants
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("damaged");
    (room, path)
}

#[test]
fn no_beginning_of_a_file_is_a_file() {
    let (_room, path) = place();
    for options in variants() {
        let (bytes, _) = write(&options);
        fs::write(&path, &bytes).unwrap();
        assert_eq!(read(&path).unwrap().len(), table().rows);
        let file = File::options().write(true).open(&path).unwrap();
        for length in (0..bytes.len() as u64).rev() {
            file.set_len(length).unwrap();
            assert!(read(&path).is_err(), "{options:?} cut at {length}");
        }
    }
}

#[test]
fn a_flipped_bit_is_an_error_or_no_harm_where_checksums_are() {
    let (_room, path) = place();
    let (mut refused, mut harmless) = (0, 0);
    for options in variants() {
        let (bytes, pages) = write(&options);
        fs::write(&path, &bytes).unwrap();
        let mut file = File::options().write(true).open(&path).unwrap();
        let mut put = |at: usize, byte: u8| {
            file.seek(SeekFrom::Start(at as u64)).unwrap();
            file.write_all(&[byte]).unwrap();
        };
        let expected = read(&path).unwrap();
        for (at, &byte) in bytes.iter().enumerate() {
            for bit in 0..8 {
                put(at, byte ^ 1 << bit);
                match read(&path) {
                    Err(_) => refused += 1,
                    Ok(rows) if rows == expected => harmless += 1,
                    // footers have no checksum, nor has anything of ORC
                    Ok(_) => assert!(
                        options.format == Format::Orc || !pages.contains(&at),
                        "{options:?}: bit {bit} of byte {at}, pages in {pages:?}"
                    ),
                }
            }
            put(at, byte);
        }
    }
    assert!(refused > harmless && harmless > 0, "{refused} {harmless}");
}
