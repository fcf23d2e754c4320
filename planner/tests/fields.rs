//! Fields of structs as columns: what a plan asks of the table where only some are in use.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail where it likes"
)]

mod support;

use std::sync::Arc;

use lith_format::filter::{CompareOp, Filter};
use lith_format::scalar::Scalar;
use lith_format::scan::{Output, Step};
use lith_format::schema::{Field, LeafId, Schema};
use lith_format::types::LogicalType;
use lith_planner::error::PlanErrorKind;
use lith_planner::plan::{Query, ScanPlan, Table, plan};
use support::one_file;

fn structure(fields: Vec<Field>) -> LogicalType {
    LogicalType::Struct(Arc::from(fields))
}

/// `s: struct<a, b: struct<c, d>, l: array<struct<e>>>, x`, in one file.
fn table() -> Table {
    let int = |name: &str| Field::nullable(name, LogicalType::Int32);
    let element = Field::nullable("element", structure(vec![int("e")]));
    let fields = vec![
        int("a"),
        Field::nullable("b", structure(vec![int("c"), int("D")])),
        Field::nullable("l", LogicalType::List(Arc::new(element))),
    ];
    let stored = Schema::new(vec![Field::required("s", structure(fields)), int("x")]);
    one_file(&stored)
}

fn planned(predicate: Option<&str>, columns: &[&str]) -> ScanPlan {
    let query = Query {
        predicate,
        columns: Some(columns.iter().map(|column| (*column).into()).collect()),
        limit: None,
        ..Query::default()
    };
    plan(&table(), &query).unwrap()
}

fn output(column: usize, fields: &[usize]) -> Output {
    Output {
        steps: fields.iter().copied().map(Step::Field).collect(),
        ..Output::from(column)
    }
}

#[test]
fn structs_have_only_the_fields_in_use() {
    let plan = planned(Some("s.b.c = 7"), &["S.b.d", "x"]);
    let read = "struct<s:struct<b:struct<c:int,D:int>>,x:int>";
    assert_eq!(plan.table.schema.to_string(), read);
    assert_eq!(plan.read_schema.to_string(), read);
    // numbers are those of what is left
    assert_eq!(plan.columns, [output(0, &[0, 1]), output(1, &[])]);
    let compare = Filter::Compare {
        leaf: LeafId(0),
        op: CompareOp::Eq,
        value: Scalar::Int(7),
    };
    assert!(format!("{:?}", plan.filter).contains(&format!("{compare:?}")));
    // a field of a struct is a column under its own name, null where anything above is
    let fields = plan
        .columns
        .iter()
        .map(|output| output.field(&plan.table).unwrap());
    let fields: Vec<_> = fields.map(|field| (field.name, field.nullable)).collect();
    assert_eq!(fields, [("D".into(), true), ("x".into(), true)]);
}

#[test]
fn a_struct_that_is_asked_for_stays_whole() {
    let whole = table().schema.schema.fields[0].ty.to_string();
    for (predicate, columns) in [
        (None, vec!["s"]),
        (None, vec!["s.a", "s"]),
        (Some("s IS NOT NULL"), vec!["s.a"]),
    ] {
        let plan = planned(predicate, &columns);
        assert_eq!(plan.table.schema.fields[0].ty.to_string(), whole);
    }
    let part = planned(None, &["s.b", "s.b.c"]);
    assert_eq!(
        part.table.schema.fields[0].ty.to_string(),
        "struct<b:struct<c:int,D:int>>"
    );
    assert_eq!(part.columns, [output(0, &[0]), output(0, &[0, 0])]);
}

#[test]
fn fields_of_elements_are_arrays_of_which_no_more_is_read() {
    let plan = planned(Some("s.l.e IS NOT NULL"), &["s.L.E", "x"]);
    let read = "struct<s:struct<l:array<struct<e:int>>>,x:int>";
    assert_eq!(plan.table.schema.to_string(), read);
    assert_eq!(plan.read_schema.to_string(), read);
    assert_eq!(plan.columns, [output(0, &[0, 0]), output(1, &[])]);
    let field = plan.columns[0].field(&plan.table).unwrap();
    assert_eq!((&*field.name, field.nullable), ("e", true));
    assert_eq!(field.ty.to_string(), "array<int>");
    // no leaf of a field of elements has a value a row
    assert!(plan.pushed_filters.is_empty());
    let leafless = format!("{:?}", plan.filter);
    assert!(!leafless.contains("LeafId"), "{leafless}");
    let whole = planned(None, &["s.l.e", "s.l"]);
    assert_eq!(whole.columns, [output(0, &[0, 0]), output(0, &[0])]);
}

#[test]
fn what_has_no_fields_is_refused() {
    for path in ["x.y", "s.l.e.f", "s.l.f", "s.l.element.e"] {
        let query = Query {
            columns: Some(vec![path.into()]),
            ..Query::default()
        };
        let error = plan(&table(), &query).err().unwrap();
        let is_wrong = matches!(
            error.kind(),
            PlanErrorKind::TypeMismatch | PlanErrorKind::UnknownColumn { .. }
        );
        assert!(is_wrong, "{path}: {error}");
    }
}

#[test]
fn parts_are_selected_under_spark_s_names() {
    let entry = [
        Field::required("key", LogicalType::String),
        Field::nullable("value", LogicalType::String),
    ];
    let mut fields = table().schema.schema.fields.clone();
    fields.push(Field::nullable("m", LogicalType::Map(Arc::new(entry))));
    let bracket = Arc::new([Field::nullable("x[0]", LogicalType::Int32)]);
    fields.push(Field::nullable("q", LogicalType::Struct(bracket)));
    let table = one_file(&Schema::new(fields));
    let planned = |column: &str| {
        let query = Query {
            columns: Some(vec![column.into()]),
            ..Query::default()
        };
        plan(&table, &query)
    };
    let key = || Step::Key(Scalar::string("K"));
    let (field, element) = (Step::Field, Step::Element);
    for (column, steps, name, ty) in [
        ("m['K']", vec![key()], "m[K]", "string"),
        ("M.K", vec![key()], "K", "string"),
        (
            "s.l[1]",
            vec![field(0), element(1)],
            "s.l[1]",
            "struct<e:int>",
        ),
        (
            "s.l[0].E",
            vec![field(0), element(0), field(0)],
            "s.l[0].E",
            "int",
        ),
        (
            "s.l.e[2]",
            vec![field(0), field(0), element(2)],
            "s.l.e[2]",
            "int",
        ),
        ("s['b'].c", vec![field(0), field(0)], "s.b.c", "int"),
        ("q.`x[0]`", vec![field(0)], "x[0]", "int"),
    ] {
        let plan = planned(column).unwrap();
        assert_eq!(plan.columns[0].steps, steps, "{column}");
        let field = plan.columns[0].field(&plan.table).unwrap();
        let found = (&*field.name, field.nullable, &*field.ty.to_string());
        assert_eq!(found, (name, true, ty), "{column}");
    }
    let plan = planned("s.l[0].e").unwrap();
    let s = &plan.table.schema.fields[0];
    assert_eq!(s.ty.to_string(), "struct<l:array<struct<e:int>>>");
    for column in ["size(s.l)", "s.l[x]", "x + 1"] {
        let error = planned(column).err().unwrap();
        assert_eq!(*error.kind(), PlanErrorKind::Unsupported, "{column}");
    }
}

#[test]
fn parts_of_one_name_are_told_apart_by_their_paths() {
    let names = |columns: &[&str]| -> Vec<String> {
        let plan = planned(None, columns);
        let fields = plan.columns.iter();
        fields
            .map(|output| output.field(&plan.table).unwrap().name)
            .collect()
    };
    assert_eq!(names(&["s.a", "x"]), ["a", "x"]);
    assert_eq!(names(&["s.b.c", "S.b.C", "x", "x"]), ["c", "c", "x", "x"]);

    let int = |name: &str| Field::nullable(name, LogicalType::Int32);
    let stored = Schema::new(vec![
        Field::nullable("a", structure(vec![int("b"), int("c")])),
        Field::nullable("b", structure(vec![int("b")])),
        int("c"),
        int("a.b"),
    ]);
    let table = one_file(&stored);
    let columns = ["a.b", "b.b", "c", "a.c", "`a.b`"].map(str::to_owned);
    let query = Query {
        columns: Some(columns.to_vec()),
        ..Query::default()
    };
    let plan = plan(&table, &query).unwrap();
    let fields = plan.columns.iter();
    let names: Vec<String> = fields
        .map(|output| output.field(&plan.table).unwrap().name)
        .collect();
    assert_eq!(names, ["a.b", "b.b", "c", "a.c", "`a.b`"]);
}

#[test]
fn odd_names_mean_the_same_in_lists_and_conditions() {
    let int = |name: &str| Field::nullable(name, LogicalType::Int32);
    let stored = Schema::new(vec![int("l[0]"), int("total.net"), int("order id")]);
    let table = one_file(&stored);
    let refused = |predicate: Option<&str>, column: &str| {
        let query = Query {
            predicate,
            columns: Some(vec![column.to_owned()]),
            limit: None,
            ..Query::default()
        };
        plan(&table, &query)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    for (bare, quoted) in [("l[0]", "`l[0]`"), ("total.net", "`total.net`")] {
        let condition = format!("{bare} = 1");
        for error in [refused(None, bare), refused(Some(&condition), quoted)] {
            let error = error.unwrap_err();
            assert!(
                error.contains(&format!("did you mean {quoted}?")),
                "{error}"
            );
        }
        let condition = format!("{quoted} = 1");
        assert_eq!(refused(Some(&condition), quoted), Ok(()));
    }
    // no condition is written like this
    assert_eq!(refused(None, "order id"), Ok(()));
}
