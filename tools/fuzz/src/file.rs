//! Whole small files of either format.

use std::sync::{Arc, LazyLock};

use lith_format::cipher::Key;
use lith_format::render::render_json_row;
use lith_reader::file::{File, OpenOptions};
use lith_reader::keys::{Decryption, Keys};
use lith_reader::source::{BytesSource, Source};

use super::limits;

/// How many rows of a column are looked at: few bytes can be many rows.
const ROWS: u64 = 20_000;

/// How many columns are looked at.
const COLUMNS: usize = 64;

/// The keys of the corpus, by their names in the files.
static DECRYPTION: LazyLock<Decryption> = LazyLock::new(|| {
    let mut keys = Keys::default();
    for (id, key) in [
        ("kf", b"0123456789012345"),
        ("kc1", b"1234567890123450"),
        ("kc2", b"1234567890123451"),
    ] {
        let key = Key::new(key).expect("a key has 16 bytes");
        keys.set_id(id.as_bytes(), key);
    }
    Decryption::with_keys(keys)
});

fn source(data: &[u8]) -> Arc<dyn Source> {
    Arc::new(BytesSource::new(data.to_vec(), "fuzzed"))
}

/// Every column by itself, for one that cannot be read would hide the others, and then all.
pub fn scan(data: &[u8]) {
    if let Ok(file) = File::from_source(source(data), limits()) {
        read_columns(&file);
    }
}

/// The same with keys: those of the encrypted files of the corpus.
pub fn encrypted(data: &[u8]) {
    let mut options = OpenOptions::default();
    options.decryption = DECRYPTION.clone();
    options.limits = limits();
    if let Ok(file) = options.open_source(source(data)) {
        read_columns(&file);
    }
}

fn read_columns(file: &File) {
    let columns = file.schema().fields.len();
    for column in 0..columns.min(COLUMNS) {
        read(file, vec![column]);
    }
    if columns <= COLUMNS {
        read(file, (0..columns).collect());
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
