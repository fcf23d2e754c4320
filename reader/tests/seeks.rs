//! Seeking to the start of a stride gives the same rows as skipping those before it, for every column of every ORC
//! file with more than one stride. Needs `LITH_SHARED`, a directory with `corpus` and `oracle`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

#[path = "support/foreign.rs"]
mod foreign;
#[expect(dead_code, reason = "other tests compare whole rows")]
#[path = "support/render.rs"]
mod render;

use std::path::Path;
use std::sync::Arc;

use lith_format::error::Result;
use lith_reader::File;
use lith_reader::column::{ColumnReader, ReadContext};
use lith_reader::metrics::Metrics;
use lith_reader::selection::Selection;

fn rows(reader: &mut dyn ColumnReader, wanted: &[Selection]) -> Result<Vec<String>> {
    let read = |selection| Ok(render::slots(&reader.read(selection)?));
    let windows: Result<Vec<_>> = wanted.iter().map(read).collect();
    windows.map(|windows| windows.concat())
}

/// Windows that go from one stride into another, over whole strides, and to the last rows.
fn patterns(rows: usize, stride: usize) -> Vec<Vec<Selection>> {
    let mut patterns = Vec::new();
    let strides = rows.div_ceil(stride);
    // if there are very many strides, only the first and the last ones
    for number in (1..strides).filter(|number| *number < 6 || number + 3 > strides) {
        let start = number * stride;
        let end = rows.min(start + 3);
        patterns.push(vec![Selection::none(start), Selection::all(end - start)]);
        let (run, last) = (start - 1..end, rows - start - 1..rows - start);
        patterns.push(vec![Selection::from_runs(rows, vec![run])]);
        patterns.push(vec![
            Selection::all(2),
            Selection::none(start - 2),
            Selection::from_runs(rows - start, vec![last]),
        ]);
    }
    patterns
}

#[test]
fn strides_are_read_from_their_start() {
    let Some(mut files) = foreign::files(&["corpus", "oracle/spark/datasets"]) else {
        return;
    };
    files.retain(|path| path.extension().is_some_and(|extension| extension == "orc"));
    let (mut columns, mut cheaper) = (0, 0);
    for path in files {
        let Ok(file) = lith_reader::open(&path) else {
            continue;
        };
        let orc = file.orc().unwrap();
        let stride = orc.footer().row_index_stride as usize;
        for row_group in 0..file.row_groups().min(3) {
            let count = file.rows_of(row_group) as usize;
            if stride == 0 || count <= stride {
                continue;
            }
            for column in 0..file.schema().fields.len() {
                if let Some((whole, sought)) = check(&file, row_group, column, stride) {
                    columns += 1;
                    cheaper += usize::from(sought < whole);
                }
            }
        }
    }
    eprintln!("{columns} columns of stripes, less is decompressed of {cheaper}");
    // most strides of the small files are shorter than a compression chunk
    assert!(columns > 200 && cheaper > 10);
}

/// How many bytes are decompressed without seeking and with it; `None` if the column cannot be read.
fn check(file: &File, row_group: usize, column: usize, stride: usize) -> Option<(u64, u64)> {
    let rows_of_group = file.rows_of(row_group) as usize;
    let context = |seeks| ReadContext {
        seeks,
        metrics: Arc::new(Metrics::default()),
        ..ReadContext::default()
    };
    let (plain, seeking) = (context(false), context(true));
    for pattern in patterns(rows_of_group, stride) {
        let mut reader = file.column(row_group, column, &plain).ok()?;
        let expected = rows(reader.as_mut(), &pattern).ok()?;
        let mut reader = file.column(row_group, column, &seeking).unwrap();
        let found = rows(reader.as_mut(), &pattern).unwrap();
        let place = file.path().display();
        assert_eq!(found, expected, "{place}: column {column} of {row_group}");
    }
    let bytes = |context: &ReadContext| context.metrics.bytes_decompressed.get();
    Some((bytes(&plain), bytes(&seeking)))
}

/// Written by pyarrow 26: below the null structs `c` of structs `s` that are not null, values are stored, which
/// readers take for those of later rows. Strides must not show them where they were meant.
#[test]
fn values_below_null_structs_do_not_depend_on_where_reading_begins() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/inner_null_struct.orc");
    let file = lith_reader::open(path).unwrap();
    let count = file.rows() as usize;
    let context = ReadContext {
        seeks: true,
        ..ReadContext::default()
    };
    let column = file.schema().fields.len() - 1;
    let from = |start: usize| {
        let mut reader = file.column(0, column, &context).unwrap();
        let wanted = [Selection::none(start), Selection::all(count - start)];
        rows(reader.as_mut(), &wanted).unwrap()
    };
    let all = from(0);
    assert_eq!(all.len(), 20);
    for start in 0..count {
        assert_eq!(from(start), all[start..], "from row {start}");
    }
    let leaf = file.schema().first_leaf(column);
    let chunk = file.chunk(0, leaf).unwrap().unwrap();
    assert_eq!(chunk.stats.null_count, None);
}
