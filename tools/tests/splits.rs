//! Plans that are written as JSON and read split by split give the same rows as one scan.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

mod rows;

use std::path::PathBuf;

use lith::args::Input;
use lith::dataset::Opened;
use lith_planner::split::SplitPlan;
use lith_reader::file::OpenOptions;
use lith_reader::scan::{Scan, ScanSpec};
use rows::rows;

fn spec(splits: &SplitPlan, at: usize) -> ScanSpec {
    let split = &splits.splits[at];
    let mut spec = ScanSpec::new(splits.table.clone());
    spec.columns = splits.columns.clone();
    spec.filter = splits.filter(split);
    spec.predicates = splits.predicates(split).unwrap();
    spec
}

#[test]
fn splits_hold_the_rows_of_the_plan() {
    let Some(shared) = std::env::var_os("LITH_SHARED").map(PathBuf::from) else {
        eprintln!("LITH_SHARED is not set: no plan is split");
        return;
    };
    let mut parts_of_files = 0;
    for (dataset, predicate, columns) in [
        (
            "kiosko_small",
            "store_id <> 'S01' AND order_id > 'O0003000' AND unit_cost < unit_price",
            "order_id,store_id",
        ),
        ("wide", "key >= 1500 AND key < 4700", "key"),
        ("wide", "key + 1 > 2000 OR key < 5", "key"),
        (
            "transactions",
            "tran_date = DATE'2024-02-29' AND qty > 2",
            "id,nested.b,get(tags, 0),country,tran_date",
        ),
    ] {
        for format in ["parquet", "orc"] {
            let directory = shared.join(format!("oracle/spark/datasets/{dataset}_{format}"));
            let opened = Opened::new(&Input::new([directory])).unwrap();
            let Ok(plan) = opened.plan(Some(predicate), Some(columns), None) else {
                continue;
            };
            let wanted = rows(opened.scan(&plan, true).unwrap()).unwrap();
            let footers: Vec<_> = plan
                .tasks
                .iter()
                .map(|task| {
                    OpenOptions::default()
                        .open(&task.path)
                        .unwrap()
                        .meta()
                        .unwrap()
                        .clone()
                })
                .collect();
            let metas: Vec<_> = footers.iter().collect();
            for splits in [
                SplitPlan::new(&plan).unwrap(),
                SplitPlan::by_footers(&plan, &metas).unwrap(),
            ] {
                let json = splits.to_json().unwrap().to_string();
                let back = SplitPlan::from_json(&serde_json::from_str(&json).unwrap()).unwrap();
                assert_eq!(back.to_json().unwrap().to_string(), json);
                let found = (0..back.splits.len()).flat_map(|at| {
                    let task = back.splits[at].task.clone();
                    rows(Scan::new(vec![task], spec(&back, at)).unwrap()).unwrap()
                });
                assert_eq!(
                    found.collect::<Vec<_>>(),
                    wanted,
                    "{dataset} {format}: {predicate}"
                );
                parts_of_files += back
                    .splits
                    .iter()
                    .filter(|s| s.task.row_groups.is_some())
                    .count();
            }
        }
    }
    assert!(parts_of_files > 10, "{parts_of_files}");
}
