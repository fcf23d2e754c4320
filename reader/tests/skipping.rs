//! The master test on files of other writers: any condition with skipping on = with skipping off = row by
//! row, by one thread and by several; and over all of them something was skipped.
//!
//! Every leaf that is not in a list or map, of every file, is compared with values of its own and with their
//! neighbours, so that conditions fall on the bounds of row groups. Of files with many rows only some of the
//! conditions are asked. Needs `LITH_SHARED`, a directory with `corpus` and `oracle`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

#[path = "support/foreign.rs"]
mod foreign;
#[expect(dead_code, reason = "other tests compare single columns")]
#[path = "support/render.rs"]
mod render;

use std::cmp::Ordering;
use std::path::PathBuf;
use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::{ErrorKind, Result};
use lith_format::filter::{CompareOp, Filter};
use lith_format::meta::Format;
use lith_format::scalar::Scalar;
use lith_format::scan::RowPredicate;
use lith_format::schema::{Field, LeafId};
use lith_format::stats::{Bound, ColumnStats};
use lith_format::types::LogicalType;
use lith_format::vector::Batch;
use lith_reader::File;
use render::rows;

/// A top-level column, or a field of structs in it.
#[derive(Clone)]
struct Place {
    column: [usize; 1],
    /// From field to field, by number.
    path: Vec<usize>,
    leaf: LeafId,
}

impl Place {
    /// Its value in a value of the column: null in null structs.
    fn of(&self, value: &Scalar) -> Scalar {
        let field = |value: Scalar, &index: &usize| match value {
            Scalar::Struct(mut fields) => fields.swap_remove(index).1,
            _ => Scalar::Null,
        };
        self.path.iter().fold(value.clone(), field)
    }
}

/// A condition on one place, judged value by value.
#[derive(Clone)]
struct Condition {
    place: Place,
    op: Option<CompareOp>,
    value: Scalar,
    negated: bool,
}

impl Condition {
    /// SQL's answer; without a comparison it is IS NULL.
    fn judge(&self, value: &Scalar) -> Option<bool> {
        let truth = match self.op {
            None => Some(value.is_null()),
            Some(op) => value.compare(&self.value).map(|order| match op {
                CompareOp::Eq => order.is_eq(),
                CompareOp::NotEq => order.is_ne(),
                CompareOp::Lt => order.is_lt(),
                CompareOp::LtEq => order.is_le(),
                CompareOp::Gt => order.is_gt(),
                CompareOp::GtEq => order.is_ge(),
            }),
        };
        truth.map(|truth| truth != self.negated)
    }

    fn filter(&self) -> Filter {
        let leaf = self.place.leaf;
        let filter = match self.op {
            None => Filter::IsNull(leaf),
            Some(op) => Filter::Compare {
                leaf,
                op,
                value: self.value.clone(),
            },
        };
        if self.negated {
            Filter::Not(Box::new(filter))
        } else {
            filter
        }
    }
}

impl RowPredicate for Condition {
    fn columns(&self) -> &[usize] {
        &self.place.column
    }

    fn evaluate(&self, batch: &Batch) -> Result<Bitmap> {
        let column = &batch.columns[0];
        let value = |row| self.place.of(&column.value(row));
        Ok((0..batch.rows)
            .map(|row| self.judge(&value(row)) == Some(true))
            .collect())
    }
}

/// The values of a batch's only column.
fn values_in(batch: &Batch) -> Vec<Scalar> {
    (0..batch.rows)
        .map(|row| batch.columns[0].value(row))
        .collect()
}

/// All values of a column; `None` where it cannot be read: with which error is for the tests of the corpus.
fn values_of(file: &File, column: usize) -> Option<Vec<Scalar>> {
    let mut out = Vec::new();
    for batch in file.scan().columns([column]).build().unwrap() {
        out.extend(values_in(&batch.ok()?));
    }
    Some(out)
}

/// Conditions around some of the values: the least, the greatest, and every so many.
fn conditions(place: &Place, values: &[Scalar]) -> Vec<Condition> {
    let mut sorted: Vec<&Scalar> = values.iter().filter(|value| !value.is_null()).collect();
    sorted.sort_by(|a, b| a.compare(b).unwrap_or(Ordering::Equal));
    let picked = [0, 1, 2].map(|half| sorted.len().saturating_sub(1) * half / 2);
    let literals = picked.iter().filter_map(|&index| sorted.get(index));
    let ops = [
        CompareOp::Eq,
        CompareOp::NotEq,
        CompareOp::Lt,
        CompareOp::LtEq,
        CompareOp::Gt,
        CompareOp::GtEq,
    ];
    let compared = literals.flat_map(|&literal| ops.map(|op| (Some(op), literal.clone())));
    let all = compared.chain([(None, Scalar::Null)]);
    all.flat_map(|(op, value)| {
        [false, true].map(|negated| Condition {
            place: place.clone(),
            op,
            value: value.clone(),
            negated,
        })
    })
    .collect()
}

fn comparable(ty: &LogicalType) -> bool {
    use LogicalType as T;
    !ty.is_nested() && !matches!(ty, T::Interval | T::Geometry | T::Geography | T::Bson)
}

/// The places in a field that can be compared, from its first leaf on. `place` is that of the field.
fn add_places(field: &Field, place: &Place, out: &mut Vec<Place>) {
    let LogicalType::Struct(fields) = &field.ty else {
        if comparable(&field.ty) {
            out.push(place.clone());
        }
        return;
    };
    let mut below = place.clone();
    for (index, field) in fields.iter().enumerate() {
        below.path.push(index);
        add_places(field, &below, out);
        below.path.pop();
        below.leaf.0 += field.leaf_count() as u32;
    }
}

/// What was looked at, and what was skipped.
#[derive(Debug, Default)]
struct Skipped {
    /// Columns and fields that were asked for, and how many of them are fields.
    columns: usize,
    nested: usize,
    row_groups: u64,
    /// Row groups that were not filtered.
    always: u64,
    /// Strides of opened row groups: pages of Parquet, then strides of ORC.
    strides: [u64; 2],
}

fn check_place(file: &File, place: &Place, values: &[Scalar], most: usize, skipped: &mut Skipped) {
    let values: Vec<Scalar> = values.iter().map(|value| place.of(value)).collect();
    let conditions = conditions(place, &values);
    let each = conditions.len().div_ceil(most).max(1);
    let some = conditions.iter().skip(place.leaf.index() % each);
    for (number, condition) in some.step_by(each).enumerate() {
        let builder = file
            .scan()
            .columns(place.column)
            .batch_rows(1000)
            .filter(condition.filter(), vec![Arc::new(condition.clone())]);
        let on = builder.clone().build().unwrap();
        let metrics = Arc::clone(on.metrics());
        let on = rows(on).unwrap();
        let off = rows(builder.clone().prune(false).build().unwrap()).unwrap();
        let naive = values
            .iter()
            .filter(|value| condition.judge(value) == Some(true))
            .count();
        let place = || format!("{}: {:?}", file.path().display(), condition.filter());
        assert_eq!(on, off, "{}", place());
        assert_eq!(on.len(), naive, "{}", place());
        if number % 3 == 0 {
            let threads = rows(builder.threads(2).build().unwrap()).unwrap();
            assert_eq!(on, threads, "{}", place());
        }
        let groups = file.meta().unwrap().row_groups.len() as u64;
        let seen = metrics.row_groups_pruned.get() + metrics.row_groups_read.get();
        assert!(seen <= groups, "{}", place());
        skipped.row_groups += metrics.row_groups_pruned.get();
        skipped.always += metrics.row_groups_always.get();
        skipped.strides[usize::from(file.format() == Format::Orc)] += metrics.strides_pruned.get();
    }
}

/// Columns looked at per file, and places per column: the widest have a thousand alike.
const COLUMNS: usize = 12;
const PLACES: usize = 4;

/// How many conditions on a place are asked, if not all.
const SOME: usize = 6;
const FEW: usize = 3;

/// How many rows a file may have for more than few conditions.
const ROWS: usize = 5_000;

fn check_file(file: &File, is_thorough: bool, skipped: &mut Skipped) {
    let first = file.schema().first_leaves();
    let fields = file.schema().fields.iter().enumerate();
    for ((column, field), leaf) in fields.zip(first).take(COLUMNS) {
        let (path, column) = (Vec::new(), [column]);
        let mut places = Vec::new();
        add_places(field, &Place { column, path, leaf }, &mut places);
        let values = (!places.is_empty()).then(|| values_of(file, column[0]));
        let Some(values) = values.flatten() else {
            continue;
        };
        for place in places.iter().take(PLACES) {
            let most = match (is_thorough && place.path.is_empty(), values.len()) {
                (true, ..=ROWS) => usize::MAX,
                (false, ..=ROWS) => SOME,
                _ => FEW,
            };
            check_place(file, place, &values, most, skipped);
            skipped.columns += 1;
            skipped.nested += usize::from(!place.path.is_empty());
        }
    }
}

#[test]
fn skipping_changes_no_row_of_any_file() {
    let mut skipped = Skipped::default();
    for (folders, is_thorough) in [
        (["corpus/synth", "oracle/spark/datasets"], true),
        (["corpus/orc", "corpus/parquet"], false),
    ] {
        let Some(files) = foreign::files(&folders) else {
            return;
        };
        // those of `corrupt` follow another rule, see below
        let is_sound =
            |path: &PathBuf| !path.components().any(|part| part.as_os_str() == "corrupt");
        for path in files.into_iter().filter(is_sound) {
            // with which error a file is refused is for the tests of the corpus
            let file = lith_reader::open(&path).ok();
            if let Some(file) = file.filter(|file| file.meta().is_ok()) {
                check_file(&file, is_thorough, &mut skipped);
            }
        }
    }
    eprintln!("{skipped:?}");
    assert!(skipped.columns > 500 && skipped.nested > 50);
    assert!(skipped.row_groups > 1_000 && skipped.always > 1_000);
    assert!(skipped.strides.iter().all(|&strides| strides > 500));
}

/// A place in a file whose values are not those that were written.
struct Damaged<'a> {
    file: &'a File,
    place: &'a Place,
    /// Its values, or why they cannot be read.
    values: Result<Vec<Scalar>, ErrorKind>,
}

impl Damaged<'_> {
    /// Literals of conditions: some of the values and the bounds of the row groups.
    fn literals(&self) -> Vec<Scalar> {
        let bounds = self
            .stats()
            .into_iter()
            .flat_map(|stats| [stats.min, stats.max]);
        let bounds = bounds.flatten().map(|bound| bound.value);
        let values = self.values.iter().flatten().cloned();
        values.chain(bounds).collect()
    }

    fn stats(&self) -> Vec<ColumnStats> {
        let groups = &self.file.meta().unwrap().row_groups;
        let chunks = groups
            .iter()
            .filter_map(|group| group.chunks.get(self.place.leaf.index()));
        chunks.map(|chunk| chunk.stats.clone()).collect()
    }

    /// Whether the values are what the only row group's statistics say.
    fn keeps_its_word(&self, values: &[Scalar]) -> bool {
        let stats = self.stats();
        assert_eq!(stats.len(), 1);
        let stats = &stats[0];
        let beyond = |value: &&Scalar, bound: &Option<Bound>, wrong: Ordering| {
            let order = bound.as_ref().and_then(|bound| value.compare(&bound.value));
            order == Some(wrong)
        };
        let nulls = values.iter().filter(|value| value.is_null()).count() as u64;
        stats.null_count.is_none_or(|count| count == nulls)
            && !values
                .iter()
                .any(|value| beyond(&value, &stats.min, Ordering::Less))
            && !values
                .iter()
                .any(|value| beyond(&value, &stats.max, Ordering::Greater))
    }

    /// Checks a condition with skipping and without; answers whether something was skipped.
    fn check(&self, condition: &Condition) -> bool {
        let builder = self.file.scan().columns(self.place.column);
        let builder = builder.filter(condition.filter(), vec![Arc::new(condition.clone())]);
        let on = builder.clone().build().unwrap();
        let metrics = Arc::clone(on.metrics());
        let [on, off] = [on, builder.prune(false).build().unwrap()]
            .map(|scan| rows(scan).map_err(|error| error.kind()));
        let skips = metrics.row_groups_pruned.get() > 0;
        let place = format!("{}: {:?}", self.file.path().display(), condition.filter());
        match &self.values {
            Err(kind) => {
                assert_eq!(off, Err(*kind), "{place}");
                let alike = if skips { Ok(Vec::new()) } else { Err(*kind) };
                assert_eq!(on, alike, "{place}");
            }
            Ok(values) if self.keeps_its_word(values) => assert!(on == off, "{place}"),
            Ok(_) => assert!(on.is_ok() && off.is_ok(), "{place}"),
        }
        skips
    }
}

/// Damaged files are skipped in by what their statistics say. A column that can be read has the same rows with
/// skipping and without, unless its values contradict its statistics: then each answers, and they may differ. A column
/// that cannot be read fails alike, unless the row group that fails is ruled out.
#[test]
fn skipping_in_damaged_files_follows_their_statistics() {
    let Some(files) = foreign::files(&["corpus/orc/corrupt"]) else {
        return;
    };
    let (mut kept, mut skipped, mut failing, mut contradicted) = (0, 0, 0, Vec::new());
    for path in files {
        let file = lith_reader::open(&path).ok();
        let Some(file) = file.filter(|file| file.meta().is_ok()) else {
            continue;
        };
        let first = file.schema().first_leaves();
        for ((column, field), leaf) in file.schema().fields.iter().enumerate().zip(first) {
            let (path, column) = (Vec::new(), [column]);
            let place = Place { column, path, leaf };
            let scan = file.scan().columns(column).build().unwrap();
            let values = scan.map(|batch| Ok(values_in(&batch.map_err(|error| error.kind())?)));
            let values: Result<Vec<Vec<Scalar>>, ErrorKind> = values.collect();
            let damaged = Damaged {
                file: &file,
                place: &place,
                values: values.map(|batches| batches.concat()),
            };
            match &damaged.values {
                Err(_) => failing += 1,
                Ok(values) if damaged.keeps_its_word(values) => kept += 1,
                Ok(_) => contradicted.push(field.name.clone()),
            }
            for condition in conditions(&place, &damaged.literals()) {
                skipped += usize::from(damaged.check(&condition));
            }
        }
    }
    eprintln!("{kept} as they were, {failing} fail, {skipped} skipped");
    assert_eq!(contradicted, ["id"]);
    assert!(kept > 10 && failing > 5 && skipped > 50);
}
