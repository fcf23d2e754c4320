//! Evaluation of columns against a naive evaluation row by row.

use std::cmp::Ordering;
use std::sync::Arc;

use lith_format::filter::CompareOp;
use lith_format::scan::TableSchema;
use lith_format::schema::{Field, Schema};
use lith_format::vector::{ByteViews, Values};
use quickcheck::{Arbitrary, Gen};

use super::*;
use crate::error::PlanErrorKind;
use crate::expr::ArithmeticOp;
use crate::resolve::{resolve, resolve_condition};
use crate::sql;

fn table() -> TableSchema {
    use LogicalType as T;
    let instant = |unit| T::Timestamp {
        unit,
        zone: lith_format::types::Zone::Unstated,
    };
    TableSchema::of_file(Arc::new(Schema::new(vec![
        Field::nullable("i", T::Int32),
        Field::nullable("l", T::Int64),
        Field::nullable("f", T::Float64),
        Field::nullable("s", T::String),
        Field::nullable("b", T::Boolean),
        Field::nullable("u", T::UInt64),
        Field::nullable("n", instant(lith_format::types::TimeUnit::Nanos)),
        Field::nullable("m", instant(lith_format::types::TimeUnit::Millis)),
        Field::nullable(
            "d",
            T::Decimal {
                precision: 12,
                scale: 2,
            },
        ),
    ])))
}

fn predicate(text: &str) -> Predicate {
    let resolved =
        sql::parse(text).and_then(|parsed| resolve_condition(parsed, &table(), EvalMode::Ansi));
    let predicate = resolved.and_then(|condition| Predicate::new(&condition));
    predicate.unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The value of a constant expression.
fn value(text: &str) -> Result<Scalar> {
    constant(&resolve(sql::parse(text)?, &table(), EvalMode::Ansi)?)
}

fn shown(text: &str) -> String {
    let resolved = resolve(sql::parse(text).unwrap(), &table(), EvalMode::Ansi).unwrap();
    match constant(&resolved) {
        Ok(value) => crate::expr::scalar_spark(&value, &resolved.ty()),
        Err(error) => panic!("{text}: {error}"),
    }
}

#[test]
fn members_of_unions_are_null_where_another_has_the_value() {
    let ty = LogicalType::Union(Arc::from([
        Field::required("tag0", LogicalType::Int32),
        Field::required("tag1", LogicalType::String),
    ]));
    let union = Field::nullable("u", ty.clone());
    let table = TableSchema::of_file(Arc::new(Schema::new(vec![union])));
    let one = |tag, value| Scalar::Union(tag, Box::new(value));
    let rows = [
        one(0, Scalar::Int(7)),
        one(1, Scalar::string("x")),
        Scalar::Null,
        one(1, Scalar::Null),
    ];
    for (text, expected) in [
        ("u.tag0 = 7", [true, false, false, false]),
        ("u.tag0 <=> NULL", [false, true, true, true]),
        (
            "u.tag1 LIKE 'x%' OR u.tag0 + 1 = 8",
            [true, true, false, false],
        ),
        ("NOT (u.tag1 = 'y')", [false, true, false, false]),
    ] {
        let resolved =
            resolve_condition(sql::parse(text).unwrap(), &table, EvalMode::Ansi).unwrap();
        let program = Predicate::new(&resolved).unwrap();
        let of = |column: Vector| {
            let rows = column.len;
            let columns = vec![column];
            let mask = program.evaluate(&Batch {
                schema: Arc::default(),
                rows,
                columns,
            });
            mask.unwrap().iter().collect::<Vec<bool>>()
        };
        assert_eq!(
            of(Vector::from_scalars(ty.clone(), &rows).unwrap()),
            expected,
            "{text}"
        );
        for (row, expected) in rows.iter().zip(expected) {
            let constant = Vector::constant(ty.clone(), row.clone(), 2);
            assert_eq!(of(constant), [expected; 2], "{text} {row:?}");
        }
    }
}

#[test]
fn constants_come_out_as_in_spark() {
    for (text, expected) in [
        ("1 + 2", "3"),
        ("7 / 2", "3.5"),
        ("-7 div 2", "-3"),
        ("-7 % 3", "-1"),
        ("pmod(-7, 3)", "2"),
        ("1.5 + 1", "2.5"),
        ("1.50 * 2.5", "3.750"),
        ("1.0 / 3", "0.333333"),
        ("cast('  12 ' as int)", "12"),
        ("cast(2.5 as int)", "2"),
        ("cast(2.345 as decimal(3,2))", "2.35"),
        ("cast(-0.5D as int)", "0"),
        ("cast(double('NaN') as decimal(10,2))", "null"),
        ("cast(float('-Infinity') as decimal(10,2))", "null"),
        ("try_cast(double('Infinity') as decimal(10,2))", "null"),
        ("cast('1.5' as double)", "1.5"),
        ("cast('yes' as boolean)", "true"),
        ("cast(1e10D as string)", "1.0E10"),
        ("cast(0.1F as decimal(3,2))", "0.10"),
        (
            "cast(date '2024-02-29' as timestamp)",
            "2024-02-29 00:00:00",
        ),
        (
            "cast(timestamp '1969-12-31 23:59:59' as date)",
            "1969-12-31",
        ),
        ("cast(timestamp '1970-01-01 00:00:01.5' as bigint)", "1"),
        ("try_cast('x' as int)", "null"),
        ("substr('Spark', 2, 3)", "par"),
        ("substr('Spark', -3)", "ark"),
        ("substr('Spark', 0, 2)", "Sp"),
        ("substr('Spark', -9, 6)", "Sp"),
        ("left('日本語', 2)", "日本"),
        ("right('Spark', 9)", "Spark"),
        ("upper('straße') || lower('Ä')", "STRASSEä"),
        ("length('日本') + length(X'0102')", "4"),
        ("trim('  a ') || trim(both 'x' from 'xax')", "aa"),
        ("instr('abc', 'c')", "3"),
        ("replace('abcabc', 'b')", "acac"),
        ("initcap('heLLo wORLD')", "Hello World"),
        ("round(2.5D)", "3.0"),
        ("round(-2.345D, 2)", "-2.35"),
        ("round(15, -1)", "20"),
        ("round(2.345, 2)", "2.35"),
        ("floor(-1.5)", "-2"),
        ("floor(double('NaN'))", "0"),
        ("ceil(1.2D)", "2"),
        ("abs(-3) + sign(-2)", "2.0"),
        ("greatest(1, NULL, 3) + least(2, 1)", "4"),
        ("coalesce(NULL, 2, 1/0)", "2.0"),
        ("nullif(1, 1)", "null"),
        ("nvl2(NULL, 1, 2)", "2"),
        ("nanvl(double('NaN'), 1D)", "1.0"),
        ("isnan(NULL)", "false"),
        ("if(true, 1, 1/0)", "1.0"),
        (
            "year(date '2024-12-31') + month('2024-02-01') + day(timestamp '2024-01-05 00:00:00')",
            "2031",
        ),
        (
            "dayofweek(date '2024-06-02') + weekday(date '2024-06-02')",
            "7",
        ),
        (
            "dayofyear(date '2024-12-31') + quarter(date '2024-12-31')",
            "370",
        ),
        ("hour(timestamp '2024-01-01 13:14:15')", "13"),
        (
            "date_trunc('month', timestamp '2024-06-15 10:00:00')",
            "2024-06-01 00:00:00",
        ),
        (
            "date_trunc('hour', timestamp '1969-12-31 23:59:00')",
            "1969-12-31 23:00:00",
        ),
        (
            "date_trunc('nonsense', timestamp '2024-06-15 10:00:00')",
            "null",
        ),
        ("trunc(date '2024-06-15', 'week')", "2024-06-10"),
        ("date '2024-02-28' + 2", "2024-03-01"),
        ("last_day(date '2024-02-01')", "2024-02-29"),
        ("datediff(date '2024-03-01', date '2024-02-28')", "2"),
        ("make_date(2024, 6, 1)", "2024-06-01"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn what_cannot_be_computed_is_an_error() {
    for text in [
        "2147483647 + 1",
        "-128Y - 1Y",
        "9223372036854775807 * 2",
        "1 / 0",
        "1 % 0",
        "1.0 / 0",
        "1.0D / 0",
        "cast('x' as int)",
        "cast('2.0' as bigint)",
        "cast(300 as tinyint)",
        "cast(1e19D as bigint)",
        "cast(double('NaN') as int)",
        "cast(1234.5 as decimal(4,1)) + cast(99999 as decimal(4,0))",
        "cast('nope' as date)",
        "floor(double('Infinity'))",
        "abs(-2147483648)",
        "make_date(2024, 13, 1)",
    ] {
        let error = value(text).expect_err(text);
        assert_eq!(error.kind(), &PlanErrorKind::Evaluate, "{text}: {error}");
    }
    let error = value("md5('a')").unwrap_err();
    assert_eq!(error.kind(), &PlanErrorKind::Unsupported);
    assert!(error.message().contains("md5"));
}

fn vector(ty: LogicalType, validity: &[bool], values: Values) -> Vector {
    Vector {
        ty,
        len: validity.len(),
        validity: Some(validity.iter().copied().collect()),
        values,
    }
}

fn count(text: &str, columns: Vec<Vector>) -> lith_format::error::Result<usize> {
    let predicate = predicate(text);
    let fields = predicate
        .columns()
        .iter()
        .map(|&index| table().schema.fields[index].clone());
    let batch = Batch {
        schema: Arc::new(Schema::new(fields.collect())),
        rows: columns[0].len,
        columns,
    };
    predicate.evaluate(&batch).map(|mask| mask.count_ones())
}

#[test]
fn an_error_counts_only_in_rows_that_reach_it() {
    let i = || {
        vector(
            LogicalType::Int32,
            &[true, true, false],
            Values::I32(vec![0, 2, 0]),
        )
    };
    assert_eq!(count("i <> 0 AND 10 / i = 5", vec![i()]).unwrap(), 1);
    assert_eq!(count("i = 0 OR 10 / i = 5", vec![i()]).unwrap(), 2);
    assert_eq!(count("if(i = 0, false, 10 / i = 5)", vec![i()]).unwrap(), 1);
    assert!(count("10 / i = 5 AND i <> 0", vec![i()]).is_err());
    // an UNKNOWN left side does not decide
    assert!(count("i = 5 AND 1 / 0 = 1", vec![i()]).is_err());
    let decided = "i IS NOT NULL AND i = 5 AND 1 / 0 = 1";
    assert_eq!(count(decided, vec![i()]).unwrap(), 0);
}

#[test]
fn an_error_in_rows_names_the_part_and_its_place() {
    let i = || vector(LogicalType::Int32, &[true], Values::I32(vec![i32::MAX]));
    let s = || {
        let bytes = ByteViews::from_values(["ü("]);
        vector(LogicalType::String, &[true], Values::Bytes(bytes))
    };
    let long = format!("cast(concat(s, '{}') AS int) = 1", "a".repeat(99));
    let (value, part) = ("a".repeat(78), "a".repeat(64));
    let cut = format!("'ü({value}..' cannot be cast to int in CAST(concat(s, '{part}..");
    for (text, column, expected) in [
        (
            "s <> 'ü' AND cast(s AS int) = 1",
            s(),
            "predicate, character 19: 'ü(' cannot be cast to int in CAST(s AS INT)",
        ),
        (
            "s = 1",
            s(),
            "predicate, character 1: 'ü(' cannot be cast to bigint in CAST(s AS BIGINT)",
        ),
        (
            "-- ü\n 3 < i + 1",
            i(),
            "predicate, character 11: + overflows int in (i + 1)",
        ),
        (
            "1 / (i - i) = 1",
            i(),
            "predicate, character 6: division by zero in (1.0D / CAST((i - i) AS DOUBLE))",
        ),
        (
            "make_date(i, 1, 1) IS NULL",
            i(),
            "predicate, character 1: there is no such date in make_date(i, 1, 1)",
        ),
        (
            "s RLIKE s",
            s(),
            "predicate, character 1: the regular expression \"ü(\" is refused: unclosed group \
             in RLIKE(s, s)",
        ),
        (&long, s(), &format!("predicate, character 6: {cut}")),
    ] {
        let parsed = predicate(text).in_text(text);
        let batch = Batch {
            schema: Arc::default(),
            rows: 1,
            columns: vec![column],
        };
        let error = parsed.evaluate(&batch).unwrap_err().to_string();
        assert_eq!(error, expected, "{text}");
    }
}

#[test]
fn stored_types_are_read_as_what_they_mean() {
    let known = [true, true];
    let table = table();
    let ty = |index: usize| table.schema.fields[index].ty.clone();
    let u = || vector(ty(5), &known, Values::U64(vec![u64::MAX, 7]));
    assert_eq!(count("u > 9223372036854775807", vec![u()]).unwrap(), 1);
    assert_eq!(count("u = 7", vec![u()]).unwrap(), 1);
    let n = || vector(ty(6), &known, Values::I64(vec![1_000_000_001, -1]));
    assert_eq!(
        count("n > timestamp '1970-01-01 00:00:01'", vec![n()]).unwrap(),
        1
    );
    assert_eq!(
        count("cast(n as date) = date '1969-12-31'", vec![n()]).unwrap(),
        1
    );
    let m = || vector(ty(7), &known, Values::I64(vec![1_500, 1_501]));
    assert_eq!(
        count("m = timestamp '1970-01-01 00:00:01.5'", vec![m()]).unwrap(),
        1
    );
    // beyond all microseconds it is still the latest
    let far = || vector(ty(7), &known, Values::I64(vec![i64::MAX, i64::MIN]));
    assert_eq!(count("m > timestamp '2024-01-01'", vec![far()]).unwrap(), 1);
    let d = || vector(ty(8), &known, Values::I64(vec![150, -151]));
    assert_eq!(count("d < 1.505 AND d > -1.505", vec![d()]).unwrap(), 1);
    assert_eq!(count("d = '1.5'", vec![d()]).unwrap(), 1);
    assert_eq!(count("d * 2 = 3", vec![d()]).unwrap(), 1);
}

#[test]
fn floats_follow_spark() {
    let f = || {
        let values = vec![f64::NAN, 0.0, -0.0, f64::INFINITY, 1.5];
        vector(LogicalType::Float64, &[true; 5], Values::F64(values))
    };
    for (text, expected) in [
        ("f = double('NaN')", 1),
        ("f > 1e300D", 2),
        ("f <> 1.5D", 4),
        ("f = 0D", 2),
        ("f <= -0.0D", 2),
        ("NOT (f > 0D)", 2),
        ("f IN (0D, double('NaN'))", 3),
        ("f < double('NaN')", 4),
        ("f <=> double('NaN')", 1),
        ("isnan(f)", 1),
    ] {
        assert_eq!(count(text, vec![f()]).unwrap(), expected, "{text}");
    }
}

#[test]
fn a_batch_that_does_not_fit_is_refused() {
    let batch = Batch {
        schema: Arc::default(),
        rows: 1,
        columns: Vec::new(),
    };
    assert!(predicate("i = 1").evaluate(&batch).is_err());
    let short = Vector::constant(LogicalType::Int32, Scalar::Int(1), 1);
    let batch = Batch {
        schema: Arc::default(),
        rows: 2,
        columns: vec![short],
    };
    assert!(predicate("i = 1").evaluate(&batch).is_err());
    let nothing = Batch {
        schema: Arc::default(),
        rows: 3,
        columns: Vec::new(),
    };
    assert_eq!(
        predicate("1 = 1").evaluate(&nothing).unwrap().count_ones(),
        3
    );
}

// ---- random expressions over i, l, f, s, b ----

#[derive(Debug, Clone)]
struct Sample {
    expr: Expr,
    rows: Vec<[Scalar; 5]>,
}

impl Arbitrary for Sample {
    fn arbitrary(g: &mut Gen) -> Sample {
        let rows = (0..pick(g, &[0, 1, 3, 70])).map(|_| row(g)).collect();
        Sample {
            expr: truth(g, 4),
            rows,
        }
    }
}

fn pick<T: Clone>(g: &mut Gen, from: &[T]) -> T {
    g.choose(from).cloned().expect("choices are not empty")
}

fn row(g: &mut Gen) -> [Scalar; 5] {
    let mut cells = [
        Scalar::Int(pick(g, &[-1, 0, 1, 2, 3, i64::from(i32::MAX)])),
        Scalar::Int(pick(g, &[0, 1, 2, 3, i64::MAX])),
        Scalar::Float64(pick(g, &[0.0, -0.0, 1.0, 2.5, f64::NAN])),
        Scalar::string(pick(
            g,
            &[
                "",
                "a",
                "ab",
                "b",
                "2",
                "a_b",
                "long enough to lie in a buffer",
            ],
        )),
        Scalar::Boolean(bool::arbitrary(g)),
    ];
    for cell in &mut cells {
        if pick(g, &[true, false, false, false]) {
            *cell = Scalar::Null;
        }
    }
    cells
}

fn truth(g: &mut Gen, depth: usize) -> Expr {
    let boxed = |expr| Box::new(expr);
    if depth == 0 {
        return pick(
            g,
            &[
                Expr::column(["b"]),
                Expr::boolean(true),
                Expr::null(LogicalType::Boolean),
            ],
        );
    }
    match u8::arbitrary(g) % 12 {
        0 | 1 => truth(g, depth - 1).and(truth(g, depth - 1)),
        2 | 3 => truth(g, depth - 1).or(truth(g, depth - 1)),
        4 => truth(g, depth - 1).not(),
        5 => Expr::IsNull(boxed(number(g, depth - 1))),
        6 => Expr::NullSafeEq(boxed(number(g, depth - 1)), boxed(number(g, depth - 1))),
        7 => Expr::In {
            expr: boxed(number(g, depth - 1)),
            list: (0..3).map(|_| number(g, depth - 1)).collect(),
            set: false,
        },
        8 => Expr::Like {
            expr: boxed(text(g)),
            pattern: boxed(Expr::string(pick(g, &["a%", "%b", "%_%", "a_b", ""]))),
            escape: '\\',
            ignore_case: false,
        },
        9 => Expr::compare(text(g), op(g), text(g)),
        10 => Expr::If {
            condition: boxed(truth(g, depth - 1)),
            then: boxed(truth(g, depth - 1)),
            otherwise: boxed(truth(g, depth - 1)),
        },
        _ => Expr::compare(number(g, depth - 1), op(g), number(g, depth - 1)),
    }
}

fn op(g: &mut Gen) -> CompareOp {
    use CompareOp as C;
    pick(g, &[C::Eq, C::NotEq, C::Lt, C::LtEq, C::Gt, C::GtEq])
}

fn text(g: &mut Gen) -> Expr {
    pick(
        g,
        &[Expr::column(["s"]), Expr::string("a"), Expr::string("b")],
    )
}

fn number(g: &mut Gen, depth: usize) -> Expr {
    use ArithmeticOp as A;
    if depth == 0 || bool::arbitrary(g) {
        let columns = [
            Expr::column(["i"]),
            Expr::column(["l"]),
            Expr::column(["f"]),
        ];
        return match bool::arbitrary(g) {
            true => pick(g, &columns),
            false => pick(
                g,
                &[Expr::int(0), Expr::int(2), Expr::null(LogicalType::Int32)],
            ),
        };
    }
    Expr::Arithmetic {
        op: pick(
            g,
            &[A::Add, A::Subtract, A::Multiply, A::Divide, A::Remainder],
        ),
        left: Box::new(number(g, depth - 1)),
        right: Box::new(number(g, depth - 1)),
        ty: LogicalType::Null,
    }
}

/// The textbook evaluation of a resolved expression in one row; `Err` is an ANSI error.
fn naive(expr: &Expr, row: &[Scalar; 5]) -> Result<Scalar, ()> {
    let null_or = |left: &Expr, right: &Expr, f: &dyn Fn(Scalar, Scalar) -> Result<Scalar, ()>| {
        let left = naive(left, row)?;
        if left.is_null() {
            return Ok(Scalar::Null);
        }
        let right = naive(right, row)?;
        if right.is_null() {
            Ok(Scalar::Null)
        } else {
            f(left, right)
        }
    };
    let is = |expr: &Expr| naive(expr, row).map(|value| truth_of(&value));
    Ok(match expr {
        Expr::Column(column) => row[column.index().unwrap()].clone(),
        Expr::Literal(value, _) => value.clone(),
        Expr::And(left, right) => match is(left)? {
            Some(false) => Scalar::Boolean(false),
            left => scalar_of(match (left, is(right)?) {
                (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            }),
        },
        Expr::Or(left, right) => match is(left)? {
            Some(true) => Scalar::Boolean(true),
            left => scalar_of(match (left, is(right)?) {
                (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            }),
        },
        Expr::Not(inner) => scalar_of(is(inner)?.map(|truth| !truth)),
        Expr::IsNull(inner) => Scalar::Boolean(naive(inner, row)?.is_null()),
        Expr::NullSafeEq(left, right) => Scalar::Boolean(naive(left, row)? == naive(right, row)?),
        Expr::Compare { op, left, right } => {
            return null_or(left, right, &|a, b| {
                Ok(Scalar::Boolean(holds(*op, a.compare(&b).ok_or(())?)))
            });
        }
        Expr::In { expr, list, .. } => {
            let wanted = naive(expr, row)?;
            let mut found = if wanted.is_null() { None } else { Some(false) };
            for candidate in list {
                if wanted.is_null() || found == Some(true) {
                    break;
                }
                match naive(candidate, row)? {
                    Scalar::Null => found = None,
                    value if value == wanted => found = Some(true),
                    _ => {}
                }
            }
            scalar_of(found)
        }
        Expr::Like { expr, pattern, .. } => {
            return null_or(expr, pattern, &|text, pattern| {
                let part = String::from_utf8_lossy(pattern.as_bytes().unwrap()).into_owned();
                let regex = regex::escape(&part)
                    .replace('%', "(?s:.*)")
                    .replace('_', "(?s:.)");
                let text = String::from_utf8_lossy(text.as_bytes().unwrap()).into_owned();
                Ok(Scalar::Boolean(
                    regex::Regex::new(&format!("^{regex}$"))
                        .unwrap()
                        .is_match(&text),
                ))
            });
        }
        Expr::If {
            condition,
            then,
            otherwise,
        } => match is(condition)? {
            Some(true) => naive(then, row)?,
            _ => naive(otherwise, row)?,
        },
        Expr::Cast { expr, ty, .. } => match (naive(expr, row)?, ty) {
            (Scalar::Int(value), LogicalType::Float64) => Scalar::Float64(value as f64),
            (value, _) => value,
        },
        Expr::Arithmetic {
            op,
            left,
            right,
            ty,
        } => {
            return null_or(left, right, &|a, b| arithmetic(*op, &a, &b, ty));
        }
        other => panic!("not generated: {other:?}"),
    })
}

fn truth_of(value: &Scalar) -> Option<bool> {
    match value {
        Scalar::Boolean(truth) => Some(*truth),
        _ => None,
    }
}

fn scalar_of(truth: Option<bool>) -> Scalar {
    truth.map_or(Scalar::Null, Scalar::Boolean)
}

fn holds(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Eq => order.is_eq(),
        CompareOp::NotEq => order.is_ne(),
        CompareOp::Lt => order.is_lt(),
        CompareOp::LtEq => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::GtEq => order.is_ge(),
    }
}

fn arithmetic(op: ArithmeticOp, a: &Scalar, b: &Scalar, ty: &LogicalType) -> Result<Scalar, ()> {
    use ArithmeticOp as A;
    if let (Scalar::Int(a), Scalar::Int(b)) = (a, b) {
        let (a, b) = (i128::from(*a), i128::from(*b));
        let found = match op {
            A::Add => a + b,
            A::Subtract => a - b,
            A::Multiply => a * b,
            _ => a.checked_rem(b).ok_or(())?,
        };
        let max = if *ty == LogicalType::Int32 {
            i128::from(i32::MAX)
        } else {
            i128::from(i64::MAX)
        };
        return match (-max - 1..=max).contains(&found) {
            true => Ok(Scalar::Int(found as i64)),
            false => Err(()),
        };
    }
    let real = |value: &Scalar| match value {
        Scalar::Float64(value) => *value,
        other => panic!("not a double: {other:?}"),
    };
    let (a, b) = (real(a), real(b));
    match op {
        A::Divide | A::Remainder if b == 0.0 => Err(()),
        A::Add => Ok(Scalar::Float64(a + b)),
        A::Subtract => Ok(Scalar::Float64(a - b)),
        A::Multiply => Ok(Scalar::Float64(a * b)),
        A::Divide => Ok(Scalar::Float64(a / b)),
        _ => Ok(Scalar::Float64(a % b)),
    }
}

/// A column of the sample, plain.
fn plain(rows: &[[Scalar; 5]], index: usize) -> Vector {
    let cells = || rows.iter().map(move |row| &row[index]);
    let whole = |cell: &Scalar| {
        if let Scalar::Int(value) = cell {
            *value
        } else {
            0
        }
    };
    let values = match index {
        0 => Values::I32(cells().map(|cell| whole(cell) as i32).collect()),
        1 => Values::I64(cells().map(whole).collect()),
        2 => Values::F64(
            cells()
                .map(|cell| {
                    if let Scalar::Float64(value) = cell {
                        *value
                    } else {
                        0.0
                    }
                })
                .collect(),
        ),
        3 => Values::Bytes(ByteViews::from_values(
            cells().map(|cell| cell.as_bytes().unwrap_or(b"")),
        )),
        _ => Values::Boolean(cells().map(|cell| truth_of(cell) == Some(true)).collect()),
    };
    let validity: Vec<bool> = cells().map(|cell| !cell.is_null()).collect();
    vector(table().schema.fields[index].ty.clone(), &validity, values)
}

/// The same column as a dictionary of its own rows, in other places.
fn as_dictionary(plain: Vector) -> Vector {
    let len = plain.len;
    let codes = (0..len as u32).collect();
    let validity = plain.validity.clone();
    let values = Arc::new(Vector {
        validity: None,
        ..plain
    });
    Vector {
        ty: values.ty.clone(),
        len,
        validity,
        values: Values::Dictionary { codes, values },
    }
}

quickcheck::quickcheck! {
    fn columns_agree_with_rows(sample: Sample) -> bool {
        let resolved = resolve_condition(sample.expr, &table(), EvalMode::Ansi).unwrap();
        let program = Predicate::new(&resolved).unwrap();
        let wanted: Result<Vec<bool>, ()> = sample
            .rows
            .iter()
            .map(|row| naive(&resolved, row).map(|value| truth_of(&value) == Some(true)))
            .collect();
        let by = |column: &dyn Fn(usize) -> Vector| {
            let columns = program.columns().iter().map(|&index| column(index)).collect();
            program.evaluate(&Batch { schema: Arc::default(), rows: sample.rows.len(), columns })
        };
        let same = |found: lith_format::error::Result<Bitmap>| match (&found, &wanted) {
            (Ok(mask), Ok(wanted)) => mask.iter().eq(wanted.iter().copied()),
            (Err(_), Err(())) => true,
            _ => false,
        };
        let one_by_one = sample.rows.iter().all(|row| {
            let found = program.row(&|index| row[index].clone());
            match (naive(&resolved, row), found) {
                (Ok(wanted), Ok(found)) => truth_of(&wanted) == found,
                (wanted, found) => wanted.is_err() && found.is_err(),
            }
        });
        let agree = [
            same(by(&|index| plain(&sample.rows, index))),
            same(by(&|index| as_dictionary(plain(&sample.rows, index)))),
            one_by_one,
        ];
        if agree != [true; 3] {
            eprintln!("{} of {:?}: {agree:?}, not {wanted:?}", resolved.sql(), sample.rows);
        }
        agree == [true; 3]
    }
}
