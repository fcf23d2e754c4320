//! Scans over files in memory hold what a row-at-a-time evaluation holds.

use std::time::{Duration, Instant};

use quickcheck::{Arbitrary, Gen};

use super::*;
use crate::memory::{MemoryFile, evaluate, naive};
use crate::metrics::Stage;
use lith_format::error::ErrorKind;
use lith_format::filter::CompareOp;
use lith_format::render::render_json_row;
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, LeafId};
use lith_format::types::LogicalType;

/// Files of a table `a bigint, b double, p int`: the last is the directory's.
#[derive(Debug, Clone)]
struct Case {
    files: Vec<SomeFile>,
    filters: Vec<Filter>,
    columns: Vec<usize>,
    batch_rows: usize,
    limit: Option<u64>,
    threads: usize,
}

#[derive(Debug, Clone)]
struct SomeFile {
    p: Scalar,
    /// Whether it holds `a` as int, and whether it holds `b` at all.
    narrow: bool,
    lacks_b: bool,
    row_groups: Vec<Vec<(Option<u8>, Option<f64>)>>,
    /// Which rows of each so many are picked, if not all.
    picked: Option<Vec<bool>>,
    /// How many rows its columns return at a time.
    batch_rows: usize,
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let count = |g: &mut Gen, most: usize| usize::arbitrary(g) % most;
        let file = |g: &mut Gen| SomeFile {
            p: if bool::arbitrary(g) {
                Scalar::Int(1)
            } else {
                Scalar::Null
            },
            narrow: bool::arbitrary(g),
            lacks_b: bool::arbitrary(g),
            picked: (u8::arbitrary(g) % 3 == 0).then(|| Vec::arbitrary(g)),
            batch_rows: *g.choose(&[1, 2, 7, 1000]).unwrap(),
            row_groups: (0..count(g, 4))
                .map(|_| {
                    let base = u8::arbitrary(g) % 8;
                    let value = |g: &mut Gen| {
                        (u8::arbitrary(g) % 6 > 0).then(|| base + u8::arbitrary(g) % 3)
                    };
                    let float = |g: &mut Gen| {
                        (u8::arbitrary(g) % 6 > 0)
                            .then(|| *g.choose(&[0.5, 2.0, f64::NAN]).unwrap())
                    };
                    (0..count(g, 40)).map(|_| (value(g), float(g))).collect()
                })
                .collect(),
        };
        Case {
            files: (0..count(g, 5)).map(|_| file(g)).collect(),
            filters: (0..count(g, 3)).map(|_| arbitrary_filter(g, 2)).collect(),
            columns: g
                .choose(&[vec![], vec![0], vec![2, 0], vec![0, 1, 2], vec![1, 1]])
                .unwrap()
                .clone(),
            batch_rows: 1 + count(g, 50),
            limit: bool::arbitrary(g).then(|| count(g, 60) as u64),
            threads: *g.choose(&[1, 2, 5]).unwrap(),
        }
    }
}

fn arbitrary_filter(g: &mut Gen, depth: u8) -> Filter {
    use CompareOp::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    let kind = u32::arbitrary(g) % 3;
    let value = match kind {
        1 => Scalar::Float64(*g.choose(&[0.5, 1.0, f64::NAN]).unwrap()),
        _ => Scalar::Int(i64::from(u8::arbitrary(g) % 9)),
    };
    let several = |g: &mut Gen| {
        (0..usize::arbitrary(g) % 3)
            .map(|_| arbitrary_filter(g, depth - 1))
            .collect()
    };
    match u8::arbitrary(g) % if depth == 0 { 4 } else { 7 } {
        0 => Filter::IsNull(LeafId(kind)),
        1..4 => Filter::Compare {
            leaf: LeafId(kind),
            op: *g.choose(&[Eq, NotEq, Lt, LtEq, Gt, GtEq]).unwrap(),
            value,
        },
        4 => Filter::And(several(g)),
        5 => Filter::Or(several(g)),
        _ => Filter::Not(Box::new(arbitrary_filter(g, depth - 1))),
    }
}

fn table() -> TableSchema {
    TableSchema {
        schema: Arc::new(Schema::new(vec![
            Field::nullable("a", LogicalType::Int64),
            Field::nullable("b", LogicalType::Float64),
            Field::nullable("p", LogicalType::Int32),
        ])),
        partition_columns: 1,
    }
}

impl SomeFile {
    fn rows(&self) -> impl Iterator<Item = Vec<Scalar>> + '_ {
        let rows = self.row_groups.iter().flatten().enumerate();
        rows.filter(|(number, _)| self.picks(*number))
            .map(|(_, row)| self.row(row))
    }

    fn picks(&self, number: usize) -> bool {
        match &self.picked {
            Some(picked) => *picked.get(number % (picked.len() + 1)).unwrap_or(&false),
            None => true,
        }
    }

    /// The picked rows one by one, though some are neighbours.
    fn runs(&self) -> Option<Vec<std::ops::Range<u64>>> {
        let count = self.row_groups.iter().flatten().count();
        let picked = (0..count).filter(|&number| self.picks(number));
        let runs = picked.map(|number| number as u64..number as u64 + 1);
        self.picked.is_some().then(|| runs.collect())
    }

    fn row(&self, (a, b): &(Option<u8>, Option<f64>)) -> Vec<Scalar> {
        let a = a.map_or(Scalar::Null, |a| Scalar::Int(i64::from(a)));
        let b = b
            .filter(|_| !self.lacks_b)
            .map_or(Scalar::Null, Scalar::Float64);
        vec![a, b, self.p.clone()]
    }

    fn task(&self) -> Task {
        let a = if self.narrow {
            LogicalType::Int32
        } else {
            LogicalType::Int64
        };
        // in another order than the table, and spelled otherwise; its own `p` is not the table's
        let mut fields = vec![
            Field::nullable("p", LogicalType::Int32),
            Field::nullable("B", LogicalType::Float64),
            Field::nullable("a", a),
        ];
        if self.lacks_b {
            fields.remove(1);
        }
        let file_row = |row| {
            let [a, b, _] = <[Scalar; 3]>::try_from(self.row(row)).unwrap();
            let mut values = vec![Scalar::Int(99), b, a];
            if self.lacks_b {
                values.remove(1);
            }
            values
        };
        let row_groups: Vec<Vec<_>> = self
            .row_groups
            .iter()
            .map(|rows| rows.iter().map(file_row).collect())
            .collect();
        let mut file = MemoryFile::new(fields, &row_groups);
        file.batch_rows = self.batch_rows;
        Task {
            file: Some(File::from_memory(file)),
            task: ScanTask {
                path: "memory".into(),
                bytes: 0,
                partition: vec![self.p.clone()],
                row_groups: None,
                rows: self.runs(),
            },
        }
    }
}

impl Case {
    fn spec(&self) -> ScanSpec {
        ScanSpec {
            columns: self.columns.iter().copied().map(Output::from).collect(),
            filter: Filter::And(self.filters.clone()),
            predicates: self.filters.iter().cloned().map(naive).collect(),
            batch_rows: self.batch_rows,
            limit: self.limit,
            threads: self.threads,
            ..ScanSpec::new(table())
        }
    }

    fn scan(&self, spec: ScanSpec) -> Scan {
        Scan::of(self.files.iter().map(SomeFile::task).collect(), spec).unwrap()
    }

    /// Every row that passes, one at a time.
    fn naive(&self) -> Vec<String> {
        let passes = |row: &Vec<Scalar>| {
            let value = |leaf: LeafId| row[leaf.index()].clone();
            self.filters
                .iter()
                .all(|filter| evaluate(filter, &value) == Some(true))
        };
        let rows = self.files.iter().flat_map(SomeFile::rows).filter(passes);
        let project = |row: Vec<Scalar>| {
            let schema = table().schema;
            let columns = self.columns.iter().map(|&column| {
                lith_format::vector::Vector::constant(
                    schema.fields[column].ty.clone(),
                    row[column].clone(),
                    1,
                )
            });
            let fields = self
                .columns
                .iter()
                .map(|&column| schema.fields[column].clone());
            let batch = Batch {
                schema: Arc::new(Schema::new(fields.collect())),
                rows: 1,
                columns: columns.collect(),
            };
            rows_of(&batch).remove(0)
        };
        let limit = self.limit.map_or(usize::MAX, |limit| limit as usize);
        rows.take(limit).map(project).collect()
    }
}

fn rows_of(batch: &Batch) -> Vec<String> {
    let render = |row| {
        let mut out = String::new();
        render_json_row(batch, row, &mut out);
        out
    };
    assert!(batch.columns.iter().all(|column| column.len == batch.rows));
    (0..batch.rows).map(render).collect()
}

fn all_rows(scan: Scan) -> Vec<String> {
    scan.flat_map(|batch| rows_of(&batch.unwrap())).collect()
}

fn skipping_changes_no_row(case: Case) -> bool {
    let naive = case.naive();
    let pruned = case.scan(case.spec());
    let full = case.scan(ScanSpec {
        prune: false,
        threads: 1,
        ..case.spec()
    });
    let (pruned_metrics, full_metrics) = (Arc::clone(pruned.metrics()), Arc::clone(full.metrics()));
    let same = all_rows(pruned) == naive && all_rows(full) == naive;
    let less = pruned_metrics.rows_read.get() <= full_metrics.rows_read.get();
    same && (case.threads > 1 || less)
}

#[test]
fn skipping_on_is_skipping_off_is_row_by_row() {
    quickcheck::QuickCheck::new()
        .tests(500)
        .quickcheck(skipping_changes_no_row as fn(Case) -> bool);
}

fn sorted_file() -> File {
    let rows = |from: i64| {
        (from..from + 100)
            .map(|value| vec![Scalar::Int(value), Scalar::Int(-value)])
            .collect()
    };
    let fields = vec![
        Field::nullable("k", LogicalType::Int64),
        Field::nullable("v", LogicalType::Int64),
    ];
    File::from_memory(MemoryFile::new(fields, &[rows(0), rows(100), rows(200)]))
}

fn compare(op: CompareOp, value: i64) -> Filter {
    Filter::Compare {
        leaf: LeafId(0),
        op,
        value: Scalar::Int(value),
    }
}

fn filtered(file: &File, filter: Filter) -> ScanBuilder {
    file.scan()
        .filter(filter.clone(), vec![naive(filter)])
        .batch_rows(10)
}

#[test]
fn metrics_show_what_was_skipped() {
    let scan = filtered(&sorted_file(), compare(CompareOp::GtEq, 195))
        .build()
        .unwrap();
    let metrics = Arc::clone(scan.metrics());
    assert_eq!(all_rows(scan).len(), 105);
    assert_eq!(metrics.row_groups_pruned.get(), 1);
    assert_eq!(metrics.row_groups_always.get(), 1);
    assert_eq!(metrics.row_groups_read.get(), 2);
    assert_eq!(metrics.rows_selected.get(), 105);
    // the middle group: the keys of its last three strides once, and five late values; the last: both columns
    assert_eq!(metrics.strides_pruned.get(), 31);
    assert_eq!(metrics.rows_read.get(), 7 + 100);
    assert_eq!(metrics.values_decoded.get(), 7 + 5 + 200);
}

#[test]
fn a_count_that_metadata_settles_touches_no_data() {
    let scan = filtered(&sorted_file(), compare(CompareOp::GtEq, 100))
        .columns([])
        .build()
        .unwrap();
    let metrics = Arc::clone(scan.metrics());
    assert_eq!(scan.map(|batch| batch.unwrap().rows).sum::<usize>(), 200);
    assert_eq!(metrics.values_decoded.get(), 0);
}

#[test]
fn a_count_that_metadata_settles_takes_time_only_to_open() {
    let scan = filtered(&sorted_file(), compare(CompareOp::GtEq, 100))
        .columns([])
        .build()
        .unwrap();
    let metrics = Arc::clone(scan.metrics());
    assert_eq!(metrics.times.total(), Duration::ZERO);
    assert_eq!(scan.map(|batch| batch.unwrap().rows).sum::<usize>(), 200);
    for stage in Stage::ALL {
        let is_zero = metrics.times.get(stage).is_zero();
        assert_eq!(is_zero, stage != Stage::Open, "{stage:?}");
    }
}

#[test]
fn stages_take_no_longer_than_the_threads_ran() {
    for threads in [1, 3] {
        let began = Instant::now();
        let scan = filtered(&sorted_file(), compare(CompareOp::GtEq, 150))
            .batch_rows(7)
            .threads(threads)
            .build()
            .unwrap();
        let metrics = Arc::clone(scan.metrics());
        assert_eq!(all_rows(scan).len(), 150);
        let elapsed = began.elapsed();
        assert!(metrics.times.total() <= elapsed * threads as u32);
        for stage in [Stage::Open, Stage::Decode, Stage::Filter, Stage::Gather] {
            assert!(!metrics.times.get(stage).is_zero(), "{stage:?}");
        }
    }
}

#[test]
fn columns_are_counted_by_themselves_if_that_is_asked_for() {
    let scan = |by_column| {
        let mut builder = filtered(&sorted_file(), compare(CompareOp::GtEq, 195));
        builder.spec.by_column = by_column;
        builder.build().unwrap()
    };
    let mut together = scan(false);
    assert!(together.by_ref().all(|batch| batch.is_ok()));
    assert!(together.column_metrics().is_empty());
    let mut apart = scan(true);
    assert!(apart.by_ref().all(|batch| batch.is_ok()));
    let values = |metrics: &Arc<Metrics>| metrics.values_decoded.get();
    // the key of seven rows and of the last row group, and the other column of five of them and of that
    let columns: Vec<u64> = apart.column_metrics().iter().map(values).collect();
    assert_eq!(columns, [107, 105]);
    assert_eq!(
        (values(together.metrics()), values(apart.metrics())),
        (212, 0)
    );
    let counted = |metrics: &Metrics| metrics.rows_selected.get();
    assert_eq!(counted(together.metrics()), counted(apart.metrics()));
    let times = |place: usize, stage| apart.column_metrics()[place].times.get(stage);
    assert!(!times(0, Stage::Filter).is_zero() && times(1, Stage::Filter).is_zero());
    assert!(apart.metrics().times.get(Stage::Decode).is_zero());
}

#[test]
fn a_limit_stops_reading() {
    let scan = sorted_file()
        .scan()
        .batch_rows(10)
        .limit(15)
        .build()
        .unwrap();
    let metrics = Arc::clone(scan.metrics());
    assert_eq!(all_rows(scan).len(), 15);
    assert_eq!(metrics.values_decoded.get(), 30);
    assert_eq!(metrics.row_groups_read.get(), 1);
}

struct Refusing;

impl RowPredicate for Refusing {
    fn columns(&self) -> &[usize] {
        &[0]
    }

    fn evaluate(&self, batch: &Batch) -> Result<lith_format::bitmap::Bitmap> {
        match batch.columns[0].value(0) {
            Scalar::Int(key) if key >= 150 => Err(lith_format::error::Error::invalid("refused")),
            _ => Ok(lith_format::bitmap::Bitmap::repeat(true, batch.rows)),
        }
    }
}

#[test]
fn errors_come_in_their_place_and_end_the_scan() {
    for threads in [1, 4] {
        let scan = sorted_file()
            .scan()
            .filter(Filter::Opaque, vec![Arc::new(Refusing)]);
        let results: Vec<_> = scan
            .batch_rows(50)
            .threads(threads)
            .build()
            .unwrap()
            .collect();
        let (last, before) = results.split_last().unwrap();
        assert_eq!(
            before
                .iter()
                .map(|batch| batch.as_ref().unwrap().rows)
                .sum::<usize>(),
            150
        );
        let error = last.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(error.site().row_group, Some(1));
    }
}

struct Panicking;

impl RowPredicate for Panicking {
    fn columns(&self) -> &[usize] {
        &[]
    }

    fn evaluate(&self, _: &Batch) -> Result<lith_format::bitmap::Bitmap> {
        panic!("a predicate that panics on purpose")
    }
}

#[test]
fn a_thread_that_panics_is_an_error_not_an_end() {
    let scan = sorted_file()
        .scan()
        .filter(Filter::Opaque, vec![Arc::new(Panicking)]);
    let results: Vec<_> = scan.threads(2).build().unwrap().collect();
    assert!(results.len() == 1 && results[0].is_err());
}

#[test]
fn dropping_a_scan_early_stops_its_threads() {
    let mut scan = sorted_file()
        .scan()
        .batch_rows(1)
        .threads(3)
        .build()
        .unwrap();
    let metrics = Arc::clone(scan.metrics());
    assert!(scan.next().unwrap().is_ok());
    drop(scan);
    assert!(metrics.rows_selected.get() < 300);
    assert_eq!(Arc::strong_count(&metrics), 1);
}

#[test]
fn types_that_do_not_go_together_are_named() {
    let table = TableSchema::of_file(Arc::new(Schema::new(vec![Field::nullable(
        "k",
        LogicalType::String,
    )])));
    let task = ScanTask {
        path: "memory".into(),
        bytes: 0,
        partition: Vec::new(),
        row_groups: None,
        rows: None,
    };
    let task = Task {
        task,
        file: Some(sorted_file()),
    };
    let error = Scan::of(vec![task], ScanSpec::new(table))
        .unwrap()
        .next()
        .unwrap()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TypeMismatch);
    assert_eq!(error.site().column.as_deref(), Some("k"));
}

#[test]
fn picked_rows_leave_the_other_row_groups_alone() {
    let task = |rows| Task {
        task: ScanTask {
            path: "memory".into(),
            bytes: 0,
            partition: Vec::new(),
            row_groups: None,
            rows: Some(rows),
        },
        file: Some(sorted_file()),
    };
    let spec = || {
        ScanSpec::new(TableSchema::of_file(Arc::new(
            sorted_file().schema().clone(),
        )))
    };
    let mut scan = Scan::of(vec![task(vec![199..200, 200..202])], spec()).unwrap();
    let rows: Vec<String> = scan
        .by_ref()
        .flat_map(|batch| rows_of(&batch.unwrap()))
        .collect();
    let expected = [199, 200, 201].map(|k| format!("{{\"k\":{k},\"v\":-{k}}}"));
    assert_eq!(rows, expected);
    assert_eq!(scan.metrics().row_groups_read.get(), 2);
    assert_eq!(scan.metrics().rows_selected.get(), 3);
    for wrong in [vec![5..5, 6..7], vec![7..9, 8..10], vec![1..2, 299..301]] {
        let mut scan = Scan::of(vec![task(wrong)], spec()).unwrap();
        let error = scan.next().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}

#[test]
fn specs_are_checked() {
    let spec = || ScanSpec::new(table());
    let bad = [
        ScanSpec {
            columns: vec![3.into()],
            ..spec()
        },
        ScanSpec {
            batch_rows: 0,
            ..spec()
        },
    ];
    for spec in bad {
        let error = Scan::new(Vec::new(), spec).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}
