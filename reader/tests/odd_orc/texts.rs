//! Chars with and without padding, and statistics of texts.

use lith_format::filter::CompareOp;
use lith_format::orc::statistics::StringStatistics;
use lith_format::schema::LeafId;

use super::*;

fn column(kind: TypeKind, values: &[&str], statistics: StringStatistics) -> Vec<u8> {
    let sizes: Vec<i64> = values.iter().map(|value| value.len() as i64).collect();
    let streams = vec![
        (1, Length, lengths(&sizes)),
        (1, Data, values.concat().into_bytes()),
    ];
    let count = values.len() as u64;
    let statistics = stats(count, Some(TypeStatistics::String(statistics)));
    file(
        flat(kind),
        vec![stripe(count, streams).with_statistics(statistics)],
    )
}

fn compare(op: CompareOp, value: &str) -> Filter {
    Filter::Compare {
        leaf: LeafId(0),
        op,
        value: Scalar::string(value),
    }
}

fn between(min: &str, max: &str) -> StringStatistics {
    StringStatistics {
        minimum: Some(min.into()),
        maximum: Some(max.into()),
        ..StringStatistics::default()
    }
}

#[test]
fn chars_are_not_skipped_by_their_bounds() {
    // padded with spaces, which sort above the tab: it is below the minimum then
    let bytes = column(TypeKind::Char, &["z  ", "z\t ", "za "], between("z", "za"));
    let file = open(bytes).unwrap();
    let tab = |value: &Scalar| *value == Scalar::string("z\t");
    for op in [CompareOp::Eq, CompareOp::Lt] {
        assert_eq!(
            passing(&file, compare(op, "z\t"), 0, tab),
            ["{\"c\":\"z\\t\"}"]
        );
    }
}

#[test]
fn chars_lose_their_padding_in_every_encoding() {
    let values = ["a", "a  ", "   ", "", "a b"];
    let direct = column(TypeKind::Char, &values, StringStatistics::default());
    let sizes: Vec<i64> = values.iter().map(|value| value.len() as i64).collect();
    let streams = vec![
        (1, Data, lengths(&[0, 1, 2, 3, 4])),
        (1, Length, lengths(&sizes)),
        (1, DictionaryData, values.concat().into_bytes()),
    ];
    let coded = file(
        flat(TypeKind::Char),
        vec![stripe(5, streams).with_dictionary(1, 5)],
    );
    for bytes in [direct, coded] {
        check_every_choice(&bytes, &["\"a\"", "\"a\"", "\"\"", "\"\"", "\"a b\""]);
        let is_a = |value: &Scalar| *value == Scalar::string("a");
        let found = passing(&open(bytes).unwrap(), compare(CompareOp::Eq, "a"), 0, is_a);
        assert_eq!(found.len(), 2);
    }
}

#[test]
fn long_texts_have_bounds_that_are_not_values() {
    let bounds = StringStatistics {
        lower_bound: Some(b"b".to_vec()),
        upper_bound: Some(b"d".to_vec()),
        ..StringStatistics::default()
    };
    let bytes = column(TypeKind::String, &["bb", "cc"], bounds);
    let pruned = |op, value| left(bytes.clone(), compare(op, value)) == 0;
    assert!(!pruned(CompareOp::Eq, "bb") && !pruned(CompareOp::Gt, "cc"));
    assert!(!pruned(CompareOp::LtEq, "bb"));
    assert!(pruned(CompareOp::Eq, "dd") && pruned(CompareOp::Lt, "a"));
    // a side whose bound is not known rules nothing out
    let half = StringStatistics {
        minimum: Some(b"bb".to_vec()),
        ..StringStatistics::default()
    };
    let file = open(column(TypeKind::String, &["bb", "zz"], half)).unwrap();
    let is_zz = |value: &Scalar| *value == Scalar::string("zz");
    assert_eq!(
        passing(&file, compare(CompareOp::Eq, "zz"), 0, is_zz).len(),
        1
    );
}

#[test]
fn varchars_are_as_long_as_they_are_stored() {
    let bytes = column(
        TypeKind::Varchar,
        &["äöü", "toolong"],
        StringStatistics::default(),
    );
    assert_eq!(cells(bytes).unwrap(), "\"äöü\" \"toolong\"");
}
