//! Plans of a dataset of 5,000 files in 500 partitions, of which a condition leaves one, and of all of them.

use std::fs;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_planner::discover::{Outline, PartitionTypes};
use lith_planner::plan::{Query, ScanPlan, Table, plan};

const PARTITIONS: usize = 500;
const FILES: usize = 10;

/// From the path to the files that are left.
fn planned(root: &Path, stored: &Schema, predicate: &str) -> ScanPlan {
    let outline = Outline::new(root, PartitionTypes::Inferred).expect("it is there");
    let query = Query {
        predicate: Some(predicate),
        ..Query::default()
    };
    let names = Table::new(stored, outline.dataset().clone());
    let wanted = plan(&names, &query).expect("the condition is sound").kept;
    let dataset = outline.list(&wanted).expect("it is there");
    plan(&Table::new(stored, dataset), &query).expect("the condition is sound")
}

fn plans(criterion: &mut Criterion) {
    let root = tempfile::tempdir().expect("a directory");
    for part in 0..PARTITIONS {
        let directory = root.path().join(format!("part={part:03}"));
        fs::create_dir(&directory).expect("a directory");
        for file in 0..FILES {
            let path = directory.join(format!("f{file}.parquet"));
            fs::write(path, b"").expect("a file");
        }
    }
    let stored = Schema::new(vec![Field::nullable("id", LogicalType::Int64)]);
    let mut group = criterion.benchmark_group("plan");
    for (predicate, tasks) in [("part = 7", FILES), ("part >= 0", PARTITIONS * FILES)] {
        group.bench_function(predicate, |bench| {
            bench.iter(|| {
                let plan = planned(root.path(), &stored, predicate);
                assert_eq!(plan.tasks.len(), tasks);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, plans);
criterion_main!(benches);
