//! What Spark 4.3 plans for about 2,400 queries, against what lith plans: the four lists, ReadSchema and
//! the partitions and files that pruning keeps. The cases lie under `LITH_SHARED`.
//!
//! All agree but those listed in [`DIFFERENT`].

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use support::{Oracle, Outcome};

/// The queries that are not planned as Spark plans them, by id without the format, and why.
const DIFFERENT: &[(&[&str], &str)] = &[
    (
        &[
            "chars_s013",
            "chars_s014",
            "chars_s017",
            "chars_s018",
            "chars_s019",
            "chars_s020",
            "chars_s021",
            "chars_s022",
            "chars_s023",
            "chars_s024",
            "chars_s025",
            "chars_s027",
            "chars_s028",
            "chars_s029",
            "chars_s030",
        ],
        "read through a catalog table, whose char columns Spark pads when it reads them; lith reads paths",
    ),
    (&["datafilter_s103"], "structs of columns are not built"),
    (
        &["datafilter_s291"],
        "columns are renamed before the condition, which takes an API of data frames",
    ),
    (
        &["datafilter_s346"],
        "a setting of Spark's optimizer: from how many values a list is printed as a set",
    ),
    (
        &[
            "datafilter_s354",
            "datafilter_s355",
            "datafilter_s356",
            "datafilter_s357",
            "datafilter_s358",
        ],
        "sub-queries",
    ),
    (
        &[
            "datafilter_s359",
            "datafilter_s360",
            "datafilter_s361",
            "datafilter_s362",
        ],
        "the column _metadata",
    ),
    (&["transactions_s308"], "intervals of hours"),
    (
        &[
            "transactions_s305",
            "transactions_s307",
            "transactions_s311",
        ],
        "split, from_json and assert_true",
    ),
    (
        &[
            "transactions_s359",
            "transactions_s360",
            "transactions_s366",
            "transactions_s374",
            "transactions_s502",
            "transactions_s510",
        ],
        "lambdas",
    ),
    (
        &["transactions_s519", "transactions_s520"],
        "a setting of Spark's optimizer: fields of structs are not pushed",
    ),
    (
        &[
            "transactions_s530",
            "transactions_s531",
            "transactions_s532",
        ],
        "collations",
    ),
];

/// The share of cases without settings and options that must agree in every respect.
const TARGET: f64 = 0.98;

#[test]
fn plans_agree_with_spark_but_for_the_cases_listed() {
    let Some(oracle) = Oracle::find() else {
        eprintln!("LITH_SHARED is not set: the oracle's cases are not checked");
        return;
    };
    let cases = oracle.cases();
    assert!(cases.len() > 2000);
    let listed: BTreeSet<&str> = DIFFERENT
        .iter()
        .flat_map(|(ids, _)| ids.iter().copied())
        .collect();
    let (mut plain, mut plain_alike, mut alike) = (0, 0, 0);
    let (mut differing, mut report) = (BTreeSet::new(), String::new());
    for case in &cases {
        let set = |key: &&str| case.get(*key).is_some_and(|value| !value.is_null());
        let is_plain = !["conf", "options", "source", "pre_select"].iter().any(set);
        plain += usize::from(is_plain);
        let respects = match oracle.check(case) {
            Outcome::Equal => {
                alike += 1;
                plain_alike += usize::from(is_plain);
                continue;
            }
            Outcome::Differs(respects) => respects,
        };
        let id = case["id"].as_str().unwrap();
        let id = id.rsplit_once('_').unwrap().0;
        differing.insert(id);
        report += &format!("{id} {} {}\n", case["predicate"], case["category"]);
        for (respect, text) in respects {
            report += &format!("    {respect}: {text}\n");
        }
    }
    eprintln!(
        "{alike} of {}, without settings {plain_alike} of {plain}",
        cases.len()
    );
    assert_eq!(differing, listed, "{report}");
    assert!(
        plain_alike as f64 >= TARGET * plain as f64,
        "{plain_alike} of {plain}"
    );
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
