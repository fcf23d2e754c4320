//! A column of UUIDs against what is printed of it: rows, bounds and lists agree, and what is no UUID is
//! refused.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::sync::Arc;

use lith_format::filter::{CompareOp, Filter};
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, LeafId, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, ByteViews, Values, Vector};
use lith_planner::error::{PlanError, PlanErrorKind};
use lith_planner::plan::{Query, ScanPlan, plan};
use support::{kept_rows, one_file};

/// Row n holds the digit n thirty-two times.
const ROWS: u8 = 10;

fn schema() -> Schema {
    Schema::new(vec![Field::nullable("u", LogicalType::Uuid)])
}

fn planned(predicate: &str) -> Result<ScanPlan, PlanError> {
    let query = Query {
        predicate: Some(predicate),
        ..Query::default()
    };
    plan(&one_file(&schema()), &query)
}

fn rows(predicate: &str) -> Vec<u8> {
    let values: Vec<[u8; 16]> = (0..ROWS).map(|digit| [digit * 0x11; 16]).collect();
    let batch = Batch {
        schema: Arc::new(schema()),
        columns: vec![Vector {
            ty: LogicalType::Uuid,
            len: ROWS.into(),
            validity: None,
            values: Values::Bytes(ByteViews::from_values(values.iter().map(|v| &v[..]))),
        }],
        rows: ROWS.into(),
    };
    let plan = planned(predicate).unwrap_or_else(|error| panic!("{predicate}: {error}"));
    let kept = (0..ROWS).zip(kept_rows(&plan, &batch));
    kept.filter_map(|(row, kept)| kept.then_some(row)).collect()
}

#[test]
fn what_is_printed_finds_its_row() {
    for (predicate, expected) in [
        ("u = '33333333-3333-3333-3333-333333333333'", &[3][..]),
        ("'33333333-3333-3333-3333-333333333333' >= u", &[0, 1, 2, 3]),
        ("u <=> '33333333-3333-3333-3333-333333333333'", &[3]),
        ("u > '77777777-7777-7777-7777-777777777777'", &[8, 9]),
        (
            "u BETWEEN '11111111-1111-1111-1111-111111111112' \
             AND '33333333-3333-3333-3333-333333333333'",
            &[2, 3],
        ),
        (
            "u IN ('33333333-3333-3333-3333-333333333333', X'44444444444444444444444444444444')",
            &[3, 4],
        ),
        (
            "u NOT IN ('00000000-0000-0000-0000-000000000000') AND u < X'22'",
            &[1],
        ),
        ("u = X'55555555555555555555555555555555'", &[5]),
        ("u LIKE '6666%'", &[6]),
        (
            "cast(u AS string) = '77777777-7777-7777-7777-777777777777'",
            &[7],
        ),
        ("length(u) = 36 AND endswith(u, '9')", &[9]),
        // longer than its prefix
        ("u > X'77' AND u < X'88'", &[7]),
    ] {
        assert_eq!(rows(predicate), expected, "{predicate}");
    }
    assert!(rows("u = 'ABCDEFAB-0000-0000-0000-000000000000'").is_empty());
}

#[test]
fn bounds_are_asked_for_the_bytes() {
    let bytes = Scalar::binary([0x33; 16]);
    let equal = Filter::Compare {
        leaf: LeafId(0),
        op: CompareOp::Eq,
        value: bytes,
    };
    for predicate in [
        "u = '33333333-3333-3333-3333-333333333333'",
        "u = X'33333333333333333333333333333333'",
        "u IN ('33333333-3333-3333-3333-333333333333')",
    ] {
        let Filter::And(parts) = planned(predicate).unwrap().filter else {
            panic!("{predicate} is not a list of conditions");
        };
        assert!(parts.contains(&equal), "{predicate}: {parts:?}");
    }
}

#[test]
fn what_is_no_uuid_is_refused() {
    for predicate in ["u = 'x'", "u IN ('x', NULL)", "u < '3333'", "u = ''"] {
        let error = planned(predicate).err().unwrap();
        assert_eq!(error.kind(), &PlanErrorKind::Evaluate, "{predicate}");
        assert!(
            error.message().contains("cannot be cast to uuid"),
            "{error}"
        );
    }
}
