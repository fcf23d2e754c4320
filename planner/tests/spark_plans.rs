//! What Spark 4.3 plans for about 2,400 queries, against what lith plans: the four lists, ReadSchema and
//! the partitions and files that pruning keeps. The cases lie under `LITH_SHARED`.
//!
//! The number of cases that agree may only rise: see [`FLOOR`].

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use support::{Oracle, Outcome};

/// At least so many cases agree in each respect.
const FLOOR: [(&str, usize); 7] = [
    ("partition_filters", 2311),
    ("data_filters", 2281),
    ("pushed_filters", 2289),
    ("post_filter", 2281),
    ("read_schema", 2297),
    ("pruning", 2313),
    ("all", 2249),
];

#[test]
fn plans_agree_with_spark() {
    let Some(oracle) = Oracle::find() else {
        eprintln!("LITH_SHARED is not set: the oracle's cases are not checked");
        return;
    };
    let cases = oracle.cases();
    assert!(cases.len() > 2000);
    let mut equal: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for case in &cases {
        match oracle.check(case) {
            Outcome::Differs(respects) => {
                for (name, _) in FLOOR {
                    let differs = |&(respect, _): &(&str, _)| respect == name || respect == "all";
                    let differs = name == "all" || respects.iter().any(differs);
                    *equal.entry(name).or_default() += usize::from(!differs);
                }
                failures.push((case, respects));
            }
            Outcome::Equal => {
                for (name, _) in FLOOR {
                    *equal.entry(name).or_default() += 1;
                }
            }
        }
    }
    let mut report = format!("{} cases: {equal:?}\n", cases.len());
    for (case, respects) in &failures {
        report += &format!(
            "{} {} {}\n",
            case["id"], case["predicate"], case["category"]
        );
        for (respect, text) in respects {
            report += &format!("    {respect}: {text}\n");
        }
    }
    if std::env::var_os("LITH_ORACLE_REPORT").is_some() {
        eprintln!("{report}");
    }
    for (name, floor) in FLOOR {
        assert!(
            equal[name] >= floor,
            "{name}: {} < {floor}\n{report}",
            equal[name]
        );
    }
}

/// Some fifty of the cases, kept here so that they hold without the folder.
#[test]
fn the_goldens_agree_in_every_respect() {
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens");
    let tables: BTreeMap<String, _> = support::read_array(&goldens.join("datasets.json"))
        .iter()
        .map(|dataset| {
            (
                dataset["dataset"].to_string(),
                support::listed_table(dataset),
            )
        })
        .collect();
    let cases = support::read_array(&goldens.join("cases.json"));
    assert!(cases.len() >= 30);
    for case in &cases {
        if let Outcome::Differs(respects) =
            support::check(&tables[&case["dataset"].to_string()], case)
        {
            panic!("{} {}: {respects:#?}", case["id"], case["predicate"]);
        }
    }
}
