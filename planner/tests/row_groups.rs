//! Row groups and stripes of Spark's files against what their bounds allow: one that holds a wanted row
//! is never skipped, one that its bounds rule out is. The answers lie under `LITH_SHARED`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::collections::HashMap;

use lith_format::filter::Verdict;
use lith_format::meta::FileMeta;
use lith_planner::explain::verdicts;
use serde_json::Value;
use support::{Oracle, footer};

/// The row groups of a file's record, which for ORC are named stripes.
fn groups(file: &Value) -> &[Value] {
    let groups = file["row_groups"]
        .as_array()
        .or_else(|| file["stripes"].as_array());
    groups.unwrap()
}

#[test]
fn bounds_rule_out_what_they_can_and_nothing_that_is_wanted() {
    let Some(oracle) = Oracle::find() else {
        eprintln!("LITH_SHARED is not set: the row groups of Spark's files are not judged");
        return;
    };
    let mut footers: HashMap<String, FileMeta> = HashMap::new();
    let (mut skipped, mut may_skip, mut missed) = (0, 0, Vec::new());
    for name in [
        "wide_parquet",
        "wide_orc",
        "kiosko_small_parquet",
        "kiosko_small_orc",
    ] {
        for case in oracle.records(&format!("rowgroups/{name}.json")) {
            let plan = oracle.plan(&case).unwrap();
            for task in &plan.tasks {
                let path = task.path.to_str().unwrap().to_owned();
                footers.entry(path).or_insert_with(|| footer(&task.path));
            }
            let metas: Vec<&FileMeta> = plan
                .tasks
                .iter()
                .map(|task| &footers[task.path.to_str().unwrap()])
                .collect();
            let judged = verdicts(&plan, &metas).unwrap();
            for file in case["files"].as_array().unwrap() {
                let path = file["path"].as_str().unwrap();
                let at = plan.tasks.iter().position(|task| task.path.ends_with(path));
                assert_eq!(at.is_some(), file["partition_selected"] == true, "{path}");
                let Some(at) = at else { continue };
                for (group, verdict) in groups(file).iter().zip(&judged[at]) {
                    let label = format!(
                        "{} {} {path} {}",
                        case["id"], case["predicate"], group["index"]
                    );
                    let matching = group["matching_rows"].as_u64().unwrap();
                    let never = *verdict == Verdict::Never;
                    assert!(!never || matching == 0, "a wanted row is skipped: {label}");
                    let whole = *verdict == Verdict::Always;
                    assert!(
                        !whole || group["rows"] == matching,
                        "not every row is wanted: {label}"
                    );
                    skipped += usize::from(never);
                    if group["stats_allow_skip"] == true {
                        may_skip += 1;
                        if !never {
                            missed.push(label);
                        }
                    }
                }
            }
        }
    }
    assert!(may_skip > 900, "{may_skip}");
    // Parquet bounds do not say whether there are NaNs, which are above every bound
    assert!(
        missed.iter().all(|label| label.contains("parquet")),
        "{missed:#?}"
    );
    assert!(
        missed.len() <= 42,
        "{} {skipped} skipped of {may_skip}, not: {missed:#?}",
        missed.len()
    );
}
