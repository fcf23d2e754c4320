//! Files opened as if they had one column only, against the same files opened whole.
//!
//! Needs `LITH_SHARED`, a directory with `corpus` and `oracle`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

#[path = "support/foreign.rs"]
mod foreign;

use lith_format::error::Result;
use lith_format::schema::LeafId;
use lith_reader::File;
use lith_reader::file::OpenOptions;

/// What is said of the leaves from `first` on, as many as there are in `count`.
fn chunks(file: &File, row_group: usize, first: u32, count: usize) -> Vec<Result<String, String>> {
    let leaves = (first..).take(count).map(LeafId);
    let chunk = |leaf| match file.chunk(row_group, leaf) {
        Ok(chunk) => Ok(format!("{chunk:?}")),
        Err(error) => Err(error.to_string()),
    };
    leaves.map(chunk).collect()
}

/// Up to twelve columns, the last among them.
fn some_columns(file: &File) -> impl Iterator<Item = usize> {
    let count = file.schema().fields.len();
    (0..count).filter(move |column| column % count.div_ceil(11) == 0 || column + 1 == count)
}

#[test]
fn one_column_is_the_same_without_the_others() {
    let Some(files) = foreign::files(&["corpus", "oracle/spark/datasets"]) else {
        return;
    };
    let (mut columns, mut leaves) = (0, 0);
    for path in files {
        let Ok(whole) = lith_reader::open(&path) else {
            continue;
        };
        for column in some_columns(&whole) {
            let field = &whole.schema().fields[column];
            let mut options = OpenOptions::default();
            options.columns = Some(vec![field.name.to_uppercase()]);
            let single = options.open(&path).unwrap();
            assert_eq!(single.rows(), whole.rows());
            let found = &single.schema().fields;
            if found.len() > 1 {
                // other columns whose names differ in case only
                continue;
            }
            assert_eq!(
                found.as_slice(),
                std::slice::from_ref(field),
                "{}",
                path.display()
            );
            let (first, count) = (whole.schema().first_leaf(column), field.leaf_count());
            for row_group in 0..whole.row_groups().min(3) {
                let expected = chunks(&whole, row_group, first.0, count);
                assert_eq!(
                    chunks(&single, row_group, 0, count),
                    expected,
                    "{}",
                    path.display()
                );
            }
            (columns, leaves) = (columns + 1, leaves + count);
        }
    }
    eprintln!("{columns} columns with {leaves} leaves");
    assert!(columns > 2_000 && leaves > columns);
}
