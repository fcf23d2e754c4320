//! Elements of arrays, values of maps and fields of either, held against a walk over scalars.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::sync::Arc;

use lith_format::scalar::Scalar;
use lith_format::scan::{RowPredicate, TableSchema};
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, Vector};
use lith_planner::ansi::EvalMode;
use lith_planner::error::{PlanErrorKind, Result};
use lith_planner::eval::Predicate;
use lith_planner::expr::Expr;
use lith_planner::resolve::resolve_condition;
use lith_planner::sql;
use quickcheck::{Arbitrary, Gen, quickcheck};

/// `i: int, arr: array<int>, m: map<string, int>, items: array<struct<sku: string, n: int>>, s: struct<arr: array<int>>`
fn schema() -> Arc<Schema> {
    use LogicalType as T;
    let list = |ty| T::List(Arc::new(Field::nullable("element", ty)));
    let structure = |fields: Vec<Field>| T::Struct(fields.into());
    let entry = [
        Field::required("key", T::String),
        Field::nullable("value", T::Int32),
    ];
    let item = structure(vec![
        Field::nullable("sku", T::String),
        Field::nullable("n", T::Int32),
    ]);
    Arc::new(Schema::new(vec![
        Field::nullable("i", T::Int32),
        Field::nullable("arr", list(T::Int32)),
        Field::nullable("m", T::Map(Arc::new(entry))),
        Field::nullable("items", list(item)),
        Field::nullable("s", structure(vec![Field::nullable("arr", list(T::Int32))])),
    ]))
}

/// A struct of `items`.
type Item = (&'static str, Option<i64>);

#[derive(Debug, Clone)]
struct Row {
    i: Option<i64>,
    arr: Option<Vec<Option<i64>>>,
    m: Option<Vec<(&'static str, Option<i64>)>>,
    items: Option<Vec<Option<Item>>>,
}

fn number(g: &mut Gen) -> Option<i64> {
    (!u8::arbitrary(g).is_multiple_of(4)).then(|| i64::arbitrary(g).rem_euclid(4))
}

fn list<T>(g: &mut Gen, item: impl Fn(&mut Gen) -> T) -> Option<Vec<T>> {
    let len = usize::arbitrary(g) % 4;
    (!u8::arbitrary(g).is_multiple_of(5)).then(|| (0..len).map(|_| item(g)).collect())
}

impl Arbitrary for Row {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut m = list(g, |g| (*g.choose(&["a", "b", "c"]).unwrap(), number(g)));
        if let Some(m) = &mut m {
            m.sort_unstable();
            m.dedup_by_key(|entry| entry.0);
        }
        Row {
            i: number(g),
            arr: list(g, number),
            m,
            items: list(g, |g| {
                let sku = *g.choose(&["x", "y"]).unwrap();
                (!u8::arbitrary(g).is_multiple_of(4)).then(|| (sku, number(g)))
            }),
        }
    }
}

fn int(value: Option<i64>) -> Scalar {
    value.map_or(Scalar::Null, Scalar::Int)
}

impl Row {
    fn scalars(&self) -> [Scalar; 5] {
        let arr = self.arr.as_ref().map_or(Scalar::Null, |arr| {
            Scalar::List(arr.iter().map(|value| int(*value)).collect())
        });
        let m = self.m.as_ref().map_or(Scalar::Null, |m| {
            let entry = |(key, value): &(&str, _)| (Scalar::string(key), int(*value));
            Scalar::Map(m.iter().map(entry).collect())
        });
        let items = self.items.as_ref().map_or(Scalar::Null, |items| {
            let item = |item: &Option<Item>| match item {
                None => Scalar::Null,
                Some((sku, n)) => {
                    let fields = [("sku", Scalar::string(sku)), ("n", int(*n))];
                    Scalar::Struct(fields.map(|(name, value)| (name.into(), value)).into())
                }
            };
            Scalar::List(items.iter().map(item).collect())
        });
        let s = Scalar::Struct(vec![("arr".into(), arr.clone())]);
        [int(self.i), arr, m, items, s]
    }

    fn value(&self, key: &str) -> Option<i64> {
        let m = self.m.as_ref()?;
        m.iter().find(|entry| entry.0 == key)?.1
    }
}

fn resolved(text: &str) -> Result<Expr> {
    resolve_condition(
        sql::parse(text)?,
        &TableSchema::of_file(schema()),
        EvalMode::Ansi,
    )
}

/// The rows for which a condition is true.
fn true_rows(text: &str, rows: &[Row]) -> Result<Vec<bool>, String> {
    let expr = resolved(text).unwrap();
    let sql = expr.sql();
    assert_eq!(resolved(&sql).unwrap(), expr, "{text} is {sql}");
    let predicate = Predicate::new(&expr).unwrap();
    let fields = schema();
    let columns = predicate.columns().iter().map(|&index| {
        let cells: Vec<Scalar> = rows
            .iter()
            .map(|row| row.scalars()[index].clone())
            .collect();
        Vector::from_scalars(fields.fields[index].ty.clone(), &cells).unwrap()
    });
    let batch = Batch {
        schema: Arc::clone(&fields),
        rows: rows.len(),
        columns: columns.collect(),
    };
    let mask = predicate.evaluate(&batch);
    let mask = mask.map_err(|error| error.to_string())?;
    Ok(mask.iter().collect())
}

/// Conditions, and what they are of a row; `None` is UNKNOWN.
type Naive = fn(&Row) -> Option<bool>;

const CONDITIONS: [(&str, Naive); 17] = [
    ("size(arr) = 2", |r| Some(r.arr.as_ref()?.len() == 2)),
    ("cardinality(m) > 1", |r| Some(r.m.as_ref()?.len() > 1)),
    ("array_size(s.arr) = 0", |r| {
        Some(r.arr.as_ref()?.is_empty())
    }),
    ("array_contains(arr, 2)", |r| {
        contains(r.arr.as_ref()?, Some(2))
    }),
    ("array_contains(arr, i)", |r| contains(r.arr.as_ref()?, r.i)),
    ("get(arr, i) = 2", |r| {
        Some((*r.arr.as_ref()?.get(usize::try_from(r.i?).ok()?)?)? == 2)
    }),
    ("get(arr, -1) IS NULL", |_| Some(true)),
    ("try_element_at(arr, -1) = 1", |r| {
        Some((*r.arr.as_ref()?.last()?)? == 1)
    }),
    ("try_element_at(arr, 2) = 1", |r| {
        Some((*r.arr.as_ref()?.get(1)?)? == 1)
    }),
    ("m['a'] = 1", |r| Some(r.value("a")? == 1)),
    ("m.b IS NULL", |r| Some(r.value("b").is_none())),
    ("element_at(m, 'c') > 1", |r| Some(r.value("c")? > 1)),
    ("map_contains_key(m, 'a')", |r| {
        Some(r.m.as_ref()?.iter().any(|entry| entry.0 == "a"))
    }),
    ("get(map_values(m), 0) = 1", |r| {
        Some(r.m.as_ref()?.first()?.1? == 1)
    }),
    ("get(items, 1).N = 2", |r| {
        Some((*r.items.as_ref()?.get(1)?)?.1? == 2)
    }),
    ("array_contains(items.n, 3)", |r| {
        let items = r.items.as_ref()?.iter();
        let n: Vec<_> = items.map(|item| item.and_then(|item| item.1)).collect();
        contains(&n, Some(3))
    }),
    ("get(items.sku, 0) = 'x'", |r| {
        Some((*r.items.as_ref()?.first()?)?.0 == "x")
    }),
];

fn contains(values: &[Option<i64>], wanted: Option<i64>) -> Option<bool> {
    let wanted = wanted?;
    match values.contains(&Some(wanted)) {
        true => Some(true),
        false if values.contains(&None) => None,
        false => Some(false),
    }
}

quickcheck! {
    fn parts_are_those_of_the_rows(rows: Vec<Row>) -> bool {
        CONDITIONS.iter().all(|(text, naive)| {
            let is_true: Vec<bool> = rows.iter().map(|row| naive(row) == Some(true)).collect();
            let unknown: Vec<bool> = rows.iter().map(|row| naive(row).is_none()).collect();
            true_rows(text, &rows).unwrap() == is_true
                && true_rows(&format!("({text}) IS NULL"), &rows).unwrap() == unknown
        })
    }
}

#[test]
fn elements_that_are_not_there_are_errors_where_they_are_asked_for() {
    let row = |arr: Option<&[i64]>| Row {
        i: Some(1),
        arr: arr.map(|arr| arr.iter().map(|value| Some(*value)).collect()),
        m: Some(vec![("a", Some(1))]),
        items: Some(vec![None]),
    };
    let rows = [row(Some(&[1, 2])), row(None), row(Some(&[3]))];
    for (text, complaint) in [
        (
            "arr[1] = 2",
            "no element 1 in an array of 1 in arr[1]; get(arr, 1) gives null",
        ),
        ("arr[i] = 2", "no element 1 in an array of 1"),
        ("arr[-1] = 2", "no element -1"),
        (
            "element_at(arr, 2) = 2",
            "in element_at(arr, 2); try_element_at(arr, 2) gives null",
        ),
        ("element_at(arr, -2) = 2", "no element -2"),
        ("try_element_at(arr, 0) = 2", "they begin at 1"),
        ("map_keys(m)[1] = 'a'", "no element 1"),
        ("items[1].n = 1", "in items[1]; get(items, 1) gives null"),
    ] {
        let error = true_rows(text, &rows).unwrap_err();
        assert!(error.contains(complaint), "{text}: {error}");
    }
    for (text, expected) in [
        ("arr[0] = 1", [true, false, false]),
        ("size(arr) > 1 AND arr[1] = 2", [true, false, false]),
        ("element_at(arr, -1) = 3", [false, false, true]),
        ("map_keys(m)[0] = 'a'", [true, true, true]),
        ("items[0].n IS NULL", [true, true, true]),
    ] {
        assert_eq!(true_rows(text, &rows).unwrap(), expected, "{text}");
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (text, kind) in [
        ("size(i) = 1", PlanErrorKind::TypeMismatch),
        ("i[0] = 1", PlanErrorKind::TypeMismatch),
        ("arr['a'] = 1", PlanErrorKind::TypeMismatch),
        ("arr.a = 1", PlanErrorKind::TypeMismatch),
        ("m[1.5] = 1", PlanErrorKind::TypeMismatch),
        (
            "array_contains(arr, DATE'2024-01-01')",
            PlanErrorKind::TypeMismatch,
        ),
        ("array_contains(m, 'a')", PlanErrorKind::TypeMismatch),
        ("get(m, 'a') = 1", PlanErrorKind::TypeMismatch),
        ("array_contains(arr, 1.5D)", PlanErrorKind::Unsupported),
        ("arr[0:1] = arr", PlanErrorKind::Unsupported),
        ("items[0] = items[1]", PlanErrorKind::Unsupported),
    ] {
        let error = resolved(text)
            .and_then(|expr| Predicate::new(&expr))
            .unwrap_err();
        assert_eq!(*error.kind(), kind, "{text}: {error}");
    }
    let error = resolved("items[0].nope = 1").unwrap_err();
    assert_eq!(error.message(), "no column items[0].nope");
    let error = resolved("get(items, 0).m = 1").unwrap_err();
    assert!(
        matches!(error.kind(), PlanErrorKind::UnknownColumn { .. }),
        "{error}"
    );
}

#[test]
fn texts_are_those_of_spark() {
    for (text, spark) in [
        ("arr[0] = 1", "(arr[0] = 1)"),
        ("get(arr, 0) IS NULL", "isnull(arr[0])"),
        ("m['k'] = 1", "(m[k] = 1)"),
        ("m.k = 1", "(m[k] = 1)"),
        ("size(arr) > 0", "(size(arr, false) > 0)"),
        ("array_size(arr) = 0", "(size(arr, false) = 0)"),
        ("get(items, 0).n = 1", "(items[0].n = 1)"),
        (
            "element_at(m, 'k') = 1",
            "(element_at(m, k, None, true) = 1)",
        ),
        (
            "try_element_at(arr, 1) = 1",
            "(element_at(arr, 1, None, false) = 1)",
        ),
        ("map_contains_key(m, 'k')", "array_contains(map_keys(m), k)"),
        ("array_contains(items.n, 1)", "array_contains(items.n, 1)"),
    ] {
        assert_eq!(resolved(text).unwrap().spark(), spark);
    }
}
