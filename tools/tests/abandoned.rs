//! Scans that end before their rows do: threads stop, files are closed, little is read ahead; and files that
//! change while they are read end in an error, not in fewer rows.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lith_format::error::ErrorKind;
use lith_format::meta::Format;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, Values, Vector};
use lith_planner::discover::{PartitionTypes, discover};
use lith_planner::plan::{Query, Table, plan};
use lith_reader::scan::{Scan, ScanSpec};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;

const GROUP_ROWS: usize = 2_000;
const GROUPS: usize = 5;
const FILE_ROWS: usize = GROUP_ROWS * GROUPS;

fn schema() -> Schema {
    Schema::new(vec![Field::required("x", LogicalType::Int64)])
}

/// A file whose numbers do not compress, so that every row group has some bytes.
fn write(path: &Path, format: Format) {
    let scattered = |row: usize| (row as i64).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64);
    let batch = Batch {
        schema: Arc::new(schema()),
        rows: FILE_ROWS,
        columns: vec![Vector {
            ty: LogicalType::Int64,
            len: FILE_ROWS,
            validity: None,
            values: Values::I64((0..FILE_ROWS).map(scattered).collect()),
        }],
    };
    let options = WriteOptions {
        format,
        row_group_rows: GROUP_ROWS,
        ..WriteOptions::default()
    };
    let mut file = FileWriter::new(File::create(path).unwrap(), &schema(), options).unwrap();
    file.write(&batch).unwrap();
    file.finish().unwrap();
}

fn scan(path: &Path, threads: usize, limit: Option<u64>) -> Scan {
    let dataset = discover(&[path], PartitionTypes::Inferred).unwrap();
    let table = Table::new(&schema(), dataset);
    let plan = plan(&table, &Query::default()).unwrap();
    let mut spec = ScanSpec::new(plan.table.clone());
    spec.columns = vec![0.into()];
    spec.batch_rows = 100;
    spec.threads = threads;
    spec.limit = limit;
    Scan::new(plan.tasks, spec).unwrap()
}

/// Files below `directory` that this process holds open.
fn open_files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else {
        eprintln!("this system does not list open files");
        return Vec::new();
    };
    let links = entries.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    links.filter(|path| path.starts_with(directory)).collect()
}

#[test]
fn a_scan_that_is_dropped_leaves_no_thread_and_no_open_file() {
    let room = tempfile::tempdir().unwrap();
    let room = room.path().canonicalize().unwrap();
    for number in 0..40 {
        write(&room.join(format!("{number:02}")), Format::Parquet);
    }
    let mut before_the_end = 0;
    for round in 0..60 {
        let (threads, batches) = (1 + round % 4, round * 3);
        let mut scan = scan(&room, threads, None);
        let metrics = Arc::clone(scan.metrics());
        for _ in 0..batches {
            assert_eq!(scan.next().unwrap().unwrap().rows, 100);
        }
        before_the_end += usize::from(!open_files(&room).is_empty());
        drop(scan);
        let left = open_files(&room);
        assert!(left.is_empty(), "{threads} threads: {left:?}");
        // each worker holds it
        assert_eq!(Arc::strong_count(&metrics), 1, "{threads} threads");
        // what is ahead of the consumer is bounded by the threads, not by the files
        let read = metrics.row_groups_read.get() as usize;
        let consumed = (batches * 100).div_ceil(GROUP_ROWS);
        assert!(read <= consumed + 2 * threads + 1, "{read} of {consumed}");
    }
    assert!(before_the_end > 10 || !Path::new("/proc/self/fd").exists());
}

#[test]
fn a_limit_reads_the_beginning_alone() {
    let room = tempfile::tempdir().unwrap();
    for number in 0..40 {
        write(&room.path().join(format!("{number:02}")), Format::Orc);
    }
    for threads in [1, 4] {
        let scan = scan(room.path(), threads, Some(10));
        let metrics = Arc::clone(scan.metrics());
        let rows: usize = scan.map(|batch| batch.unwrap().rows).sum();
        assert_eq!(rows, 10);
        assert!(metrics.row_groups_read.get() as usize <= 2 * threads);
    }
}

/// Rows until the end or the failure, if a file is changed after the first batch.
fn changed(format: Format, change: impl Fn(&Path)) -> (usize, Option<ErrorKind>) {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("data");
    write(&path, format);
    let mut scan = scan(&path, 1, None);
    let mut rows = scan.next().unwrap().unwrap().rows;
    change(&path);
    for batch in scan {
        match batch {
            Ok(batch) => rows += batch.rows,
            Err(error) => {
                assert_eq!(error.site().path.as_deref(), Some(&*path), "{error}");
                return (rows, Some(error.kind()));
            }
        }
    }
    (rows, None)
}

#[test]
fn a_file_that_changes_while_it_is_read_never_yields_fewer_rows_in_silence() {
    for format in [Format::Parquet, Format::Orc] {
        let shorten = |path: &Path| {
            let file = File::options().write(true).open(path).unwrap();
            file.set_len(1000).unwrap();
        };
        let (rows, failure) = changed(format, shorten);
        assert!(rows < FILE_ROWS);
        assert!(failure.is_some_and(|kind| kind != ErrorKind::InvalidArgument));

        // another file of that name is not the one that was opened
        let replace = |path: &Path| {
            let other = path.with_extension("new");
            fs::write(&other, b"short").unwrap();
            fs::rename(other, path).unwrap();
        };
        if cfg!(unix) {
            assert_eq!(changed(format, replace), (FILE_ROWS, None));
        }
    }
}
