//! Whole scans of the demo's orders: every column, one column, and the rows of one product.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lith_benches::{open, orders};
use lith_format::meta::Format;
use lith_format::schema::Schema;
use lith_planner::discover::Dataset;
use lith_planner::plan::{Query, ScanPlan, Table, plan};
use lith_reader::file::File;
use lith_reader::scan::Scan;
use std::hint::black_box;

const SCALE: f64 = 0.1;
const ROWS: u64 = 400_000;
const STAR_ROWS: u64 = 70_000;

fn rows(scan: Scan) -> u64 {
    scan.map(|batch| black_box(batch.expect("the file is whole")).rows as u64)
        .sum()
}

/// The plan of a condition on the file's own columns.
fn planned(schema: &Schema, predicate: &str) -> ScanPlan {
    let dataset = Dataset {
        files: Vec::new(),
        partitions: Vec::new(),
        partition_columns: Vec::new(),
    };
    let query = Query {
        predicate: Some(predicate),
        ..Query::default()
    };
    plan(&Table::new(schema, dataset), &query).expect("the condition is sound")
}

fn filtered(file: &File, plan: &ScanPlan) -> Scan {
    let predicates = plan.predicates().expect("the condition can be computed");
    let scan = file.scan().filter(plan.filter.clone(), predicates);
    scan.build().expect("the query is sound")
}

fn scans(criterion: &mut Criterion) {
    for format in [Format::Parquet, Format::Orc] {
        let file = open(&orders(format, SCALE).expect("the facts can be written"))
            .expect("they can be read");
        let mut group = criterion.benchmark_group(format.to_string());
        group.throughput(Throughput::Elements(ROWS)).sample_size(10);
        group.bench_function("all columns", |bench| {
            bench.iter(|| assert_eq!(rows(file.scan().build().expect("no condition")), ROWS));
        });
        group.bench_function("one column", |bench| {
            let scan = || {
                file.scan()
                    .columns([11])
                    .build()
                    .expect("the column is there")
            };
            bench.iter(|| assert_eq!(rows(scan()), ROWS));
        });
        let plan = planned(file.schema(), "product_id = 'P004'");
        group.bench_function("one product", |bench| {
            bench.iter(|| assert_eq!(rows(filtered(&file, &plan)), STAR_ROWS));
        });
        group.finish();
    }
}

criterion_group!(benches, scans);
criterion_main!(benches);
