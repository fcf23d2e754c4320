//! Whole small files of either format.

use std::sync::Arc;

use lith_format::render::render_json_row;
use lith_reader::file::File;
use lith_reader::source::{BytesSource, Source};

use super::limits;

/// How many rows of a column are looked at: few bytes can be many rows.
const ROWS: u64 = 20_000;

/// How many columns are looked at.
const COLUMNS: usize = 64;

fn source(data: &[u8]) -> Arc<dyn Source> {
    Arc::new(BytesSource::new(data.to_vec(), "fuzzed"))
}

/// Every column by itself, for one that cannot be read would hide the others, and then all.
pub fn scan(data: &[u8]) {
    let Ok(file) = File::from_source(source(data), limits()) else {
        return;
    };
    let columns = file.schema().fields.len();
    for column in 0..columns.min(COLUMNS) {
        read(&file, vec![column]);
    }
    if columns <= COLUMNS {
        read(&file, (0..columns).collect());
    }
}

/// A scan that ends well has as many rows as the file says.
fn read(file: &File, columns: Vec<usize>) {
    let Ok(scan) = file.scan().columns(columns).limit(ROWS).build() else {
        return;
    };
    let mut rows = 0;
    let mut text = String::new();
    for batch in scan {
        let Ok(batch) = batch else {
            return;
        };
        assert_eq!(batch.columns.len(), batch.schema.fields.len());
        for column in &batch.columns {
            assert_eq!(column.len, batch.rows);
        }
        for row in 0..batch.rows {
            text.clear();
            render_json_row(&batch, row, &mut text);
        }
        rows += batch.rows as u64;
    }
    assert_eq!(rows, file.rows().min(ROWS));
}

/// What `lith meta` shows, and what the other commands ask of metadata.
pub fn meta(data: &[u8]) {
    let source = source(data);
    if let Ok(shown) = lith::meta::meta_of(&source, &limits()) {
        assert!(shown.is_object());
    }
    if let Ok(file) = File::from_source(source, limits())
        && let Ok(meta) = file.full_meta()
    {
        assert_eq!(meta.rows, file.rows());
    }
}
