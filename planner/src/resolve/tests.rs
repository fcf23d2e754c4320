//! Names, types and the casts that Spark inserts.

use std::sync::Arc;

use lith_format::schema::{Field, Schema};

use super::*;
use crate::error::PlanErrorKind;
use crate::sql;

fn table() -> TableSchema {
    use LogicalType as T;
    let nested = T::Struct(Arc::from([
        Field::nullable("a", T::Int32),
        Field::nullable("B", T::Float64),
    ]));
    TableSchema::of_file(Arc::new(Schema::new(vec![
        Field::nullable("colA", T::Int32),
        Field::nullable("id", T::Int64),
        Field::nullable("tiny", T::Int8),
        Field::nullable("score", T::Float32),
        Field::nullable(
            "amount",
            T::Decimal {
                precision: 12,
                scale: 2,
            },
        ),
        Field::nullable("note", T::String),
        Field::nullable("day", T::Date),
        Field::nullable("ts", crate::expr::TIMESTAMP),
        Field::nullable("ts_ntz", crate::expr::TIMESTAMP_NTZ),
        Field::nullable("flags", T::Boolean),
        Field::nullable("nested", nested),
        Field::nullable("Twice", T::Int32),
        Field::nullable("TWICE", T::Int32),
        Field::nullable("unsigned", T::UInt32),
        Field::nullable("uu", T::Uuid),
        Field::nullable("same", T::Int32),
        Field::nullable("same", T::Int32),
        Field::nullable(
            "wide",
            T::Decimal {
                precision: 50,
                scale: 2,
            },
        ),
    ])))
}

fn resolved(text: &str) -> Result<Expr> {
    resolve_condition(sql::parse(text)?, &table(), EvalMode::Ansi)
}

#[test]
fn casts_go_where_spark_puts_them() {
    for (text, expected) in [
        ("COLA = 1", "(COLA = 1)"),
        ("colA = 2L", "(cast(colA as bigint) = 2)"),
        ("id = 10", "(id = 10)"),
        ("tiny IN (1, 300)", "cast(tiny as int) IN (1,300)"),
        ("colA = 2.5", "(cast(colA as decimal(11,1)) = 2.5)"),
        ("colA < 2.5", "(cast(colA as bigint) < 3)"),
        ("2.5 < colA", "(2 < cast(colA as bigint))"),
        ("id >= -2.5", "(id >= -2)"),
        ("id > 99999999999999999999", "false"),
        ("id < 99999999999999999999.5", "true"),
        ("amount > 10", "(amount > 10.00)"),
        ("amount = 1.505", "(cast(amount as decimal(13,3)) = 1.505)"),
        ("amount + 1 > 1000", "((amount + 1) > 1000.00)"),
        ("amount > '10'", "(cast(amount as double) > 10.0)"),
        ("score > 1", "(cast(score as double) > 1.0)"),
        ("score = 0.1F", "(score = 0.1)"),
        ("colA / 2 = 1", "((cast(colA as double) / 2.0) = 1.0)"),
        ("colA DIV 2 = 1", "((cast(colA as bigint) div 2) = 1)"),
        ("tiny / 2 = 1", "((cast(tiny as double) / 2.0) = 1.0)"),
        ("tiny DIV 2 = 1", "((cast(tiny as bigint) div 2) = 1)"),
        (
            "colA / id > 1",
            "((cast(colA as double) / cast(id as double)) > 1.0)",
        ),
        ("ceil(tiny) = 1", "(CEIL(cast(tiny as double)) = 1)"),
        ("floor(note) > 1", "(FLOOR(cast(note as double)) > 1)"),
        ("floor(id) > 1", "(FLOOR(id) > 1)"),
        ("floor(amount) > 1", "(FLOOR(amount) > 1)"),
        (
            "unix_timestamp(day) > 0",
            "(unix_timestamp(day, yyyy-MM-dd HH:mm:ss, Some(UTC), true) > 0)",
        ),
        (
            "unix_timestamp(note) > 0",
            "(unix_timestamp(note, yyyy-MM-dd HH:mm:ss, Some(UTC), true) > 0)",
        ),
        ("colA = '2'", "(cast(colA as bigint) = 2)"),
        ("colA = 'x'", "(cast(colA as bigint) = cast(x as bigint))"),
        ("note = 5", "(cast(note as bigint) = 5)"),
        ("day = '2024-6-1'", "(day = 2024-06-01)"),
        ("day < ts", "(cast(day as timestamp) < ts)"),
        ("ts > ts_ntz", "(ts > cast(ts_ntz as timestamp))"),
        ("ts < date '2024-02-01'", "(ts < 2024-02-01 00:00:00)"),
        ("flags = 'true'", "(flags = true)"),
        ("colA = NULL", "(colA = null)"),
        ("colA LIKE 1", "cast(colA as string) LIKE 1"),
        ("year(ts) = 2024", "(year(cast(ts as date)) = 2024)"),
        (
            "round(score) = 1",
            "(cast(round(score, 0) as double) = 1.0)",
        ),
        (
            "if(flags, colA, 0L) > 1",
            "(if (flags) cast(colA as bigint) else 0 > 1)",
        ),
        (
            "nested.A = nested.b",
            "(cast(nested.A as double) = nested.b)",
        ),
        ("unsigned = 1", "(unsigned = 1)"),
        ("day + 1 > '2024-01-01'", "(date_add(day, 1) > 2024-01-01)"),
        ("Twice = 1", "(Twice = 1)"),
        (
            "uu = '00000000-0000-0000-0000-0000000000aB'",
            "(uu = 00000000-0000-0000-0000-0000000000ab)",
        ),
        (
            "uu IN (X'00', '00000000-0000-0000-0000-000000000001')",
            "cast(uu as binary) IN (0x00,0x00000000000000000000000000000001)",
        ),
        ("uu < 'x'", "(uu < cast(x as uuid))"),
        ("uu = X'00'", "(cast(uu as binary) = 0x00)"),
        ("uu LIKE '0%'", "cast(uu as string) LIKE 0%"),
    ] {
        let found = resolved(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(found.spark(), expected, "{text}");
    }
}

#[test]
fn resolving_twice_changes_nothing() {
    for text in [
        "colA < 2.5 AND amount + 1 > '3'",
        "nvl(tiny, colA) IN (1, 2.5)",
        "substr(note, 2) = 'x'",
    ] {
        let once = resolved(text).unwrap();
        assert_eq!(
            resolve_condition(once.clone(), &table(), EvalMode::Ansi).unwrap(),
            once
        );
    }
}

#[test]
fn what_does_not_go_together_is_refused_where_it_stands() {
    for (text, kind, place) in [
        (
            "id = 1 AND colA = true",
            PlanErrorKind::TypeMismatch,
            "colA",
        ),
        ("colA", PlanErrorKind::TypeMismatch, "colA"),
        ("NOT colA", PlanErrorKind::TypeMismatch, "colA"),
        ("day = 5", PlanErrorKind::TypeMismatch, "day"),
        (
            "cast(colA as date) IS NULL",
            PlanErrorKind::TypeMismatch,
            "colA",
        ),
        ("nested = 1", PlanErrorKind::TypeMismatch, "nested"),
        ("colA.x = 1", PlanErrorKind::TypeMismatch, "colA.x"),
        (
            "upper(note, note) = 'x'",
            PlanErrorKind::TypeMismatch,
            "upper",
        ),
        ("twice = 1", PlanErrorKind::AmbiguousColumn, "twice"),
        ("same = 1", PlanErrorKind::AmbiguousColumn, "same"),
        ("SAME = 1", PlanErrorKind::AmbiguousColumn, "SAME"),
        ("nosuch(colA) = 1", PlanErrorKind::Parse, "nosuch"),
        ("uper(note) = 'x'", PlanErrorKind::Parse, "uper"),
        ("soundex(note) = 'x'", PlanErrorKind::Unsupported, "soundex"),
        (
            "colA = 1 AND sqrt(4) = 2",
            PlanErrorKind::Unsupported,
            "sqrt",
        ),
        (
            "to_date(note, 'yyyy') IS NULL",
            PlanErrorKind::Unsupported,
            "to_date",
        ),
        (
            "extract(second FROM ts) = 1",
            PlanErrorKind::Unsupported,
            "extract",
        ),
        ("extract(nope FROM ts) = 1", PlanErrorKind::Parse, "extract"),
        ("cast(colA) = 1", PlanErrorKind::Parse, "cast"),
        ("note = 0x01ff", PlanErrorKind::Parse, "0x01ff"),
    ] {
        let error = resolved(text).expect_err(text);
        assert_eq!(error.kind(), &kind, "{text}: {error}");
        assert_eq!(
            &text[error.span().start..error.span().end],
            place,
            "{text}: {error}"
        );
    }
}

#[test]
fn bars_that_join_texts_are_explained() {
    let hint = "; || joins texts: is OR meant?";
    for (text, wanted) in [
        ("note || 'x'", "the condition is a string, not a boolean"),
        ("flags || colA", "the condition is a string, not a boolean"),
        ("colA = 1 || id = 2", "= does not go with boolean and int"),
        ("flags AND note || 'x'", "AND takes booleans, not string"),
    ] {
        let error = resolved(text).expect_err(text);
        assert_eq!(error.to_string(), format!("{wanted}{hint}"), "{text}");
    }
    let error = resolved("lenght(note) = 1").unwrap_err();
    assert!(error.to_string().ends_with("did you mean length?"));
}

#[test]
fn an_unknown_name_brings_the_nearest_ones() {
    for (text, wanted) in [
        ("colB = 1", "no column colB; did you mean colA?"),
        (
            "id = 1 AND amout > 1",
            "no column amout; did you mean amount?",
        ),
        ("nested.c = 1", "no column nested.c"),
    ] {
        let error = resolved(text).expect_err(text);
        assert!(matches!(error.kind(), PlanErrorKind::UnknownColumn { .. }));
        assert_eq!(error.to_string(), wanted);
    }
}

#[test]
fn decimals_beyond_spark_s_digits_are_refused_by_name() {
    for text in ["wide = 1", "wide IS NULL", "id = 1 OR wide + 1 > 2"] {
        let error = resolved(text).unwrap_err();
        assert_eq!(error.kind(), &PlanErrorKind::Unsupported, "{text}");
        let message = error.to_string();
        assert!(message.contains("wide is a decimal(50,2)"), "{message}");
    }
}

#[test]
fn members_of_unions_are_columns_that_may_be_null() {
    let members = Arc::from([
        Field::required("tag0", LogicalType::Int32),
        Field::required("tag1", LogicalType::String),
    ]);
    let union = Field::required("u", LogicalType::Union(members));
    let table = TableSchema::of_file(Arc::new(Schema::new(vec![union])));
    let resolved = |text| resolve_condition(sql::parse(text).unwrap(), &table, EvalMode::Ansi);
    assert!(resolved("u IS NULL").is_ok() && resolved("u IS NOT NULL").is_ok());
    for text in ["u.tag0 = 1", "u.tag1 LIKE 'a%'"] {
        let resolved = resolved(text).unwrap();
        // the leaf of a member does not hold a value a row
        let column = resolved.columns()[0].clone();
        assert!(column.bound.as_ref().unwrap().nullable, "{text}");
        assert_eq!(crate::pushdown::leaf_of(&column, &table), None, "{text}");
    }
    let error = resolved("u.tag2 = 1").unwrap_err();
    assert!(
        matches!(error.kind(), PlanErrorKind::UnknownColumn { .. }),
        "{error}"
    );
    assert!(resolved("u = 1").is_err());
}

#[test]
fn decimals_keep_their_whole_part_where_38_digits_do_not_hold_both() {
    let decimal = |precision, scale| LogicalType::Decimal { precision, scale };
    for (a, b, common) in [
        ((12, 2), (38, 38), (38, 28)),
        ((12, 2), (38, 0), (38, 0)),
        ((38, 0), (38, 38), (38, 0)),
        ((30, 20), (38, 2), (38, 2)),
        ((20, 10), (30, 20), (30, 20)),
    ] {
        let types = [a, b].map(|(precision, scale)| decimal(precision, scale));
        let expected = decimal(common.0, common.1);
        assert_eq!(common_type_of(types), Some(expected), "{a:?} {b:?}");
    }
}
