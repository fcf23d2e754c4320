//! Nested columns with null parents, in stripes with and without nulls, and without rows.

use lith_format::error::ErrorKind;
use lith_format::vector::Values;
use lith_reader::column::ReadContext;
use lith_reader::selection::Selection;

use super::*;

/// A number, and a struct of a text and a list of numbers.
fn types() -> Vec<Type> {
    vec![
        node(TypeKind::Struct, &[("n", 1), ("s", 2)]),
        node(TypeKind::Int, &[]),
        node(TypeKind::Struct, &[("t", 3), ("l", 4)]),
        node(TypeKind::String, &[]),
        node(TypeKind::List, &[("", 5)]),
        node(TypeKind::Int, &[]),
    ]
}

/// The numbers 0 to 2, and structs that are all null, whose children have empty streams.
fn all_null() -> Stripe {
    stripe(
        3,
        vec![
            (1, Data, signed(&[0, 1, 2])),
            (2, Present, bits(&[0, 0, 0])),
            (3, Present, Vec::new()),
            (3, Data, Vec::new()),
            (3, Length, Vec::new()),
            (4, Length, Vec::new()),
            (5, Data, Vec::new()),
        ],
    )
}

/// Three rows without a null.
fn no_nulls() -> Stripe {
    stripe(
        3,
        vec![
            (1, Data, signed(&[3, 4, 5])),
            (3, Data, b"abbccc".to_vec()),
            (3, Length, lengths(&[1, 2, 3])),
            (4, Length, lengths(&[2, 0, 1])),
            (5, Data, signed(&[7, 8, 9])),
        ],
    )
}

/// Nulls at every level: one struct, and a text, a list and an element of the others.
fn some_null() -> Stripe {
    stripe(
        3,
        vec![
            (1, Data, signed(&[6, 7, 8])),
            (2, Present, bits(&[1, 0, 1])),
            (3, Present, bits(&[0, 1])),
            (3, Data, b"d".to_vec()),
            (3, Length, lengths(&[1])),
            (4, Present, bits(&[1, 0])),
            (4, Length, lengths(&[1])),
            (5, Present, bits(&[0])),
        ],
    )
}

/// A stripe, and its structs as JSON.
type Case = (fn() -> Stripe, [&'static str; 3]);

const NULLS: [&str; 3] = ["null"; 3];
const WHOLE: [&str; 3] = [
    r#"{"t":"a","l":[7,8]}"#,
    r#"{"t":"bb","l":[]}"#,
    r#"{"t":"ccc","l":[9]}"#,
];
const MIXED: [&str; 3] = [r#"{"t":null,"l":[null]}"#, "null", r#"{"t":"d","l":null}"#];

#[test]
fn nulls_of_a_parent_have_no_entry_in_its_children() {
    let cases: [Case; 3] = [(all_null, NULLS), (no_nulls, WHOLE), (some_null, MIXED)];
    for (stripe, expected) in cases {
        let bytes = file(types(), vec![stripe()]);
        let file = open(bytes).unwrap();
        for choice in 0..8 {
            let mask = [0, 1, 2].map(|row| choice >> row & 1 == 1);
            let chosen = expected.iter().zip(mask).filter(|row| row.1);
            let chosen: Vec<&str> = chosen.map(|row| *row.0).collect();
            assert_eq!(wanted_of(&file, 1, &mask).unwrap(), chosen.join(" "));
        }
    }
}

#[test]
fn a_stripe_may_have_a_present_stream_where_others_have_none() {
    let orders: [&[Case]; 3] = [
        &[(no_nulls, WHOLE), (some_null, MIXED), (no_nulls, WHOLE)],
        &[(all_null, NULLS), (no_nulls, WHOLE), (some_null, MIXED)],
        &[(some_null, MIXED), (all_null, NULLS), (all_null, NULLS)],
    ];
    for order in orders {
        let stripes = order.iter().map(|stripe| stripe.0()).collect();
        let file = open(file(types(), stripes)).unwrap();
        let cells = order.iter().flat_map(|stripe| stripe.1);
        let expected: Vec<String> = cells.map(|cell| format!("{{\"s\":{cell}}}")).collect();
        let scan = file.scan().columns([1]).batch_rows(2).build().unwrap();
        assert_eq!(rows(scan).unwrap(), expected);
        // a condition on the first column picks the second row of each stripe
        let second = |value: &Scalar| matches!(value, Scalar::Int(n) if n % 3 == 1);
        let picked = passing(&file, Filter::Opaque, 0, second);
        assert_eq!(picked.len(), order.len());
        for (row, (_, cells)) in picked.iter().zip(order) {
            let end = format!(",\"s\":{}}}", cells[1]);
            assert!(row.ends_with(&end), "{row}");
        }
    }
}

#[test]
fn stripes_without_rows_do_not_disturb_the_others() {
    let none = || stripe(0, Vec::new());
    let stripes = vec![none(), no_nulls(), none(), some_null(), none()];
    let found = open(file(types(), stripes)).unwrap();
    assert_eq!((found.rows(), found.row_groups()), (6, 5));
    let scan = found.scan().columns([1]).build().unwrap();
    assert_eq!(rows(scan).unwrap().len(), 6);
    assert_eq!(open(file(types(), Vec::new())).unwrap().rows(), 0);
    assert!(open(Vec::new()).is_err());
}

#[test]
fn children_that_end_before_their_parents_are_errors() {
    for (column, kind) in [(3, Data), (3, Length), (4, Length), (5, Data)] {
        let mut stripe = no_nulls();
        let stream = stripe
            .streams
            .iter_mut()
            .find(|stream| (stream.0, stream.1) == (column, kind));
        stream.unwrap().2.pop();
        let file = open(file(types(), vec![stripe])).unwrap();
        let error = wanted_of(&file, 1, &[true; 3]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated, "column {column}");
    }
}

/// A struct without fields, in a struct without nulls: nothing is stored for any number of rows.
#[test]
fn rows_that_store_nothing_are_judged_at_once() {
    let types = || {
        let below = |name, id| node(TypeKind::Struct, &[(name, id)]);
        vec![
            below("s", 1),
            below("inner", 2),
            node(TypeKind::Struct, &[]),
        ]
    };
    let rows = 1 << 62;
    let whole = || stripe(rows, Vec::new());
    let file = open(file(types(), vec![whole(), stripe(3, Vec::new())])).unwrap();
    let count = |passes: fn(&Scalar) -> bool| {
        let unknown = Filter::Constant(None);
        let scan = file.scan().columns([0; 0]);
        let scan = scan.filter(Filter::Not(unknown.into()), vec![condition(0, passes)]);
        let batches = scan.prune(false).build().unwrap();
        batches.map(|batch| batch.unwrap().rows as u64).sum::<u64>()
    };
    assert_eq!(count(Scalar::is_null), 0);
    assert_eq!(count(|value| !value.is_null()), rows + 3);
}

#[test]
fn a_row_may_have_millions_of_elements() {
    let types = vec![
        node(TypeKind::Struct, &[("l", 1)]),
        node(TypeKind::List, &[("", 2)]),
        node(TypeKind::Int, &[]),
    ];
    // runs of 130 times 7, and an 8
    let sevens = [127, 0, 14].repeat(20_000);
    let streams = vec![
        (1, Length, lengths(&[1, 2_599_999, 1])),
        (2, Data, [sevens, signed(&[8])].concat()),
    ];
    let file = open(file(types, vec![stripe(3, streams)])).unwrap();
    assert_eq!(wanted(&file, &[true, false, true]).unwrap(), "[7] [8]");
    let mut reader = file.column(0, 0, &ReadContext::default()).unwrap();
    let vector = reader.read(&Selection::all(3)).unwrap();
    let Values::List { offsets, elements } = &vector.values else {
        panic!("no list")
    };
    assert_eq!(offsets[..], [0, 1, 2_600_000, 2_600_001]);
    let last = [2_599_999, 2_600_000].map(|row| elements.value(row));
    assert_eq!(last, [7, 8].map(Scalar::Int));
}
