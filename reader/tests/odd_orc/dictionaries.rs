//! Dictionaries of columns with nulls, without entries, and different ones in several stripes.

use lith_format::schema::LeafId;

use super::*;

/// A stripe of texts in a dictionary; every row whose bit is unset is null.
fn coded(present: &[u8], entries: &[&str], codes: &[i64]) -> Stripe {
    let sizes: Vec<i64> = entries.iter().map(|entry| entry.len() as i64).collect();
    let streams = vec![
        (1, Present, bits(present)),
        (1, Data, lengths(codes)),
        (1, Length, lengths(&sizes)),
        (1, DictionaryData, entries.concat().into_bytes()),
    ];
    stripe(present.len() as u64, streams).with_dictionary(1, entries.len() as u32)
}

#[test]
fn nulls_are_not_the_first_entry_of_a_dictionary() {
    let bytes = file(
        flat(TypeKind::String),
        vec![coded(&[1, 0, 1, 0, 1], &["", "a"], &[0, 1, 0])],
    );
    check_every_choice(&bytes, &["\"\"", "null", "\"a\"", "null", "\"\""]);
    let file = open(bytes).unwrap();
    let not_empty = |value: &Scalar| !value.is_null() && *value != Scalar::string("");
    assert_eq!(
        passing(&file, Filter::Opaque, 0, not_empty),
        ["{\"c\":\"a\"}"]
    );
    let is_null = Filter::IsNull(LeafId(0));
    assert_eq!(
        passing(&file, is_null, 0, Scalar::is_null),
        ["{\"c\":null}"; 2]
    );
}

#[test]
fn a_dictionary_may_be_empty_or_hold_the_empty_text_alone() {
    for kind in [TypeKind::String, TypeKind::Varchar, TypeKind::Char] {
        let nulls = file(flat(kind), vec![coded(&[0, 0, 0], &[], &[])]);
        check_every_choice(&nulls, &["null"; 3]);
        let empty = file(flat(kind), vec![coded(&[0, 1, 1], &[""], &[0, 0])]);
        check_every_choice(&empty, &["null", "\"\"", "\"\""]);
        // writers may leave out empty streams
        let mut stripe = coded(&[0, 0], &[], &[]);
        stripe.streams.truncate(1);
        assert_eq!(cells(file(flat(kind), vec![stripe])).unwrap(), "null null");
    }
}

#[test]
fn each_stripe_has_its_own_dictionary_or_none() {
    let direct = stripe(
        2,
        vec![(1, Length, lengths(&[1, 1])), (1, Data, b"pq".to_vec())],
    );
    let stripes = vec![
        coded(&[1, 1], &["x", "y"], &[0, 1]),
        coded(&[1, 1], &["z"], &[0, 0]),
        direct,
        coded(&[1, 1], &["y", "x"], &[0, 1]),
    ];
    let file = open(file(flat(TypeKind::String), stripes)).unwrap();
    let expected = ["x", "y", "z", "z", "p", "q", "y", "x"];
    let expected = expected.map(|text| format!("{{\"c\":\"{text}\"}}"));
    for threads in [1, 3] {
        let scan = file.scan().threads(threads).build().unwrap();
        assert_eq!(rows(scan).unwrap(), expected);
    }
}
