//! Parsed text against Spark's plan strings.

use super::*;
use crate::error::PlanErrorKind;

fn spark(text: &str) -> String {
    parse(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .spark()
}

#[test]
fn operators_bind_as_in_spark() {
    for (text, expected) in [
        ("NOT a = 1 AND b", "(NOT (a = 1) AND b)"),
        (
            "a = 1 OR b = 2 AND c = 3",
            "((a = 1) OR ((b = 2) AND (c = 3)))",
        ),
        ("a & 1 = 0", "((a & 1) = 0)"),
        ("a DIV 2 + 1 = 1", "(((a div 2) + 1) = 1)"),
        ("a LIKE b = true", "(a LIKE b = true)"),
        ("-a = - 2", "(-a = -2)"),
        ("a <> 1", "NOT (a = 1)"),
        ("! a", "NOT a"),
        ("a IS NULL = true", "(isnull(a) = true)"),
        ("a BETWEEN 1 AND 2 AND b", "(((a >= 1) AND (a <= 2)) AND b)"),
        ("a NOT IN (1, NULL)", "NOT a IN (1,null)"),
        ("a IS NOT TRUE", "NOT (a <=> true)"),
        ("a IS DISTINCT FROM 1", "NOT (a <=> 1)"),
        ("a || 'x' = 'y'", "(concat(a, x) = y)"),
        ("a LIKE ANY ('x%', '%y')", "(a LIKE x% OR a LIKE %y)"),
        ("a NOT RLIKE '^x'", "NOT RLIKE(a, ^x)"),
        (
            "cast(a AS decimal(5,2)) = a::int",
            "(cast(a as decimal(5,2)) = cast(a as int))",
        ),
        (
            "CASE a WHEN 1 THEN true END",
            "CASE WHEN (a = 1) THEN true END",
        ),
        (
            "substring(a FROM 2 FOR 3) = substr(a, 1)",
            "(substring(a, 2, 3) = substr(a, 1))",
        ),
        ("extract(YEAR FROM d) = 1", "(year(d) = 1)"),
        ("extract(dow FROM d) = 1", "(dayofweek(d) = 1)"),
        ("extract(qtr FROM d) = 1", "(quarter(d) = 1)"),
        (r"a = r'\d' AND b = 'x' R'\n'", r"((a = \d) AND (b = x\n))"),
        (
            "a < timestamp_ltz'2000-01-01 00:00:00 Europe/Prague'",
            "(a < 1999-12-31 23:00:00)",
        ),
        (
            "a < timestamp_ntz'2000-01-01 00:00:00 Europe/Prague'",
            "(a < 2000-01-01 00:00:00)",
        ),
        ("nested['a'].`b c`.d = 1", "(nested.a.b c.d = 1)"),
        ("a -- one\n = /* two */ 1", "(a = 1)"),
    ] {
        assert_eq!(spark(text), expected, "{text}");
    }
}

#[test]
fn chains_are_balanced_and_brackets_are_kept() {
    assert_eq!(spark("a AND b AND c"), "((a AND b) AND c)");
    assert_eq!(spark("a AND b AND c AND d"), "((a AND b) AND (c AND d))");
    assert_eq!(
        spark("((a AND b) AND c) AND d"),
        "(((a AND b) AND c) AND d)"
    );
    assert_eq!(
        spark("a OR b OR c OR d OR e"),
        "(((a OR b) OR c) OR (d OR e))"
    );
}

#[test]
fn literals_have_the_type_of_their_spelling() {
    for (text, ty, shown) in [
        ("7", "int", "7"),
        ("-2147483648", "int", "-2147483648"),
        ("2147483648", "bigint", "2147483648"),
        (
            "99999999999999999999",
            "decimal(20,0)",
            "99999999999999999999",
        ),
        ("10L", "bigint", "10"),
        ("5S", "smallint", "5"),
        ("5Y", "tinyint", "5"),
        ("1.50", "decimal(3,2)", "1.50"),
        ("0.05", "decimal(2,2)", "0.05"),
        (".5", "decimal(1,1)", "0.5"),
        ("1e2BD", "decimal(3,0)", "100"),
        ("1e5", "double", "100000.0"),
        ("1.5D", "double", "1.5"),
        ("2.5f", "float", "2.5"),
        ("-1e10d", "double", "-1.0E10"),
        ("'a' 'b'", "string", "ab"),
        ("'it''s'", "string", "it's"),
        ("\"dou\\\"ble\"", "string", "dou\"ble"),
        (r"'a\_b\\\t\u0041'", "string", "a\\_b\\\tA"),
        ("X'01Ff'", "binary", "0x01FF"),
        ("X'1'", "binary", "0x01"),
        ("date '2024-6-1'", "date", "2024-06-01"),
        (
            "timestamp'2024-06-01T10:00:00+02:00'",
            "timestamp",
            "2024-06-01 08:00:00",
        ),
        (
            "TIMESTAMP_NTZ'2024-06-01 10:00:00'",
            "timestamp_ntz",
            "2024-06-01 10:00:00",
        ),
        ("NULL", "void", "null"),
        ("true", "boolean", "true"),
    ] {
        let Expr::Literal(value, found) = parse(text).unwrap() else {
            panic!("{text} is no literal");
        };
        assert_eq!(found.to_string(), ty, "{text}");
        assert_eq!(crate::expr::scalar_spark(&value, &found), shown, "{text}");
    }
}

#[test]
fn the_place_of_an_error_is_shown() {
    for (text, carets) in [
        ("colB = ", "       ^"),
        ("a = 1 garbage", "      ^^^^^^^"),
        ("a = 'open", "    ^"),
        ("a = 1;", "     ^"),
        ("a IN ()", "      ^"),
        ("a BETWEEN 1", "           ^"),
        ("a = 5Y AND b = 300Y", "               ^^^^"),
        ("d > date '2024-13-01'", "         ^^^^^^^^^^^^"),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!(error.kind(), &PlanErrorKind::Parse, "{text}");
        let shown = error.with_caret(text).unwrap();
        assert_eq!(shown.lines().nth(1), Some(carets), "{text}: {error}");
    }
}

#[test]
fn what_is_no_condition_says_what_to_write() {
    use PlanErrorKind::{Parse, Unsupported};
    for (text, kind, place, message) in [
        ("a = 1 && b = 2", Parse, 6, "&& is no operator: write AND"),
        ("a := 1", Parse, 2, ":= is no operator: write ="),
        ("a === 1", Parse, 4, "=== is no operator: write ="),
        ("a =< 1", Parse, 3, "=< is no operator: write <="),
        ("a => 1", Parse, 2, "=> is no operator: write >="),
        ("a ~ 'x'", Parse, 0, "~ is no operator: write RLIKE"),
        (
            "WHERE a = 1",
            Parse,
            0,
            "WHERE is left out: only the condition is written",
        ),
        (
            "SELECT * FROM t WHERE a = 1",
            Parse,
            0,
            "SELECT begins a query: only the condition behind its WHERE is written",
        ),
        (
            "`order id = 1",
            Parse,
            0,
            "the name has no closing back-quote",
        ),
        ("a = 'x", Parse, 4, "unterminated string literal"),
        ("a /* b", Parse, 6, "unterminated comment"),
        (
            "a IS 3",
            Parse,
            5,
            "expected NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS, found 3",
        ),
        (
            "CASE WHEN a THEN b",
            Parse,
            5,
            "CASE is not complete: CASE WHEN .. THEN .. END",
        ),
        (
            "a = ?",
            Parse,
            4,
            "? stands for a value that is not given: write the value",
        ),
        (
            "b > 1 AND sum(a) > 3",
            Parse,
            10,
            "sum() is computed over many rows: a condition looks at one",
        ),
        (
            "Count(*) > 3",
            Parse,
            0,
            "count() is computed over many rows: a condition looks at one",
        ),
        (
            "row_number() OVER (ORDER BY a) = 1",
            Parse,
            0,
            "row_number() is computed over many rows: a condition looks at one",
        ),
        (
            "explode(a) = 1",
            Parse,
            0,
            "explode() makes rows: a condition keeps or drops one",
        ),
        (
            "length(DISTINCT a) = 1",
            Parse,
            0,
            "length takes no clauses besides its arguments",
        ),
        ("a # 1", Parse, 2, "# is no operator"),
        // valid in Spark
        (
            "a IN (SELECT 1)",
            Unsupported,
            6,
            "sub-queries are not supported",
        ),
        (
            "EXISTS (SELECT 1)",
            Unsupported,
            8,
            "sub-queries are not supported",
        ),
        (
            "a << 1 = 2",
            Unsupported,
            2,
            "the operator << is not supported",
        ),
        ("~a = 2", Unsupported, 1, "the operator ~ is not supported"),
        (
            "a > INTERVAL 1 DAY",
            Unsupported,
            13,
            "intervals are not supported",
        ),
        (
            "exists(a, x -> x > 1)",
            Unsupported,
            0,
            "lambdas are not supported",
        ),
        (
            "a[0:1] = 1",
            Unsupported,
            0,
            "slices of arrays are not supported",
        ),
        (
            "cast(a AS variant) = 1",
            Unsupported,
            5,
            "casts to variant are not supported",
        ),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
        assert_eq!(error.kind(), &kind, "{text}");
        assert_eq!(error.span().start, place, "{text}");
    }
}

#[test]
fn columns_know_where_they_stand() {
    let text = "x = 1\n AND `ü b`.c > 2";
    let expr = parse(text).unwrap();
    let places: Vec<&str> = expr
        .columns()
        .iter()
        .map(|column| &text[column.span.start..column.span.end])
        .collect();
    assert_eq!(places, ["x", "`ü b`.c"]);
}

#[test]
fn printed_names_are_read_again() {
    use sqlparser::keywords::ALL_KEYWORDS;
    let odd = ["", "a b", "a.b", "a`b", "1a", "é", "名", "a-b"];
    let mut bad = Vec::new();
    for name in ALL_KEYWORDS
        .iter()
        .chain(&odd)
        .chain(&["a", "_1", "nested"])
    {
        let name = name.to_lowercase();
        for path in [vec![&*name], vec!["x", &name], vec![&*name, "x"]] {
            let column = Expr::column(path.clone());
            for text in [column.sql(), format!("1 + {} * 2 = 3", column.sql())] {
                let found = parse(&text);
                let read = found.map(|found| found.columns().first().map(|c| c.path.clone()));
                if read != Ok(Some(path.iter().map(|p| (*p).to_owned()).collect())) {
                    bad.push(text.clone());
                }
            }
        }
    }
    assert_eq!(bad, Vec::<String>::new());
}

#[test]
fn long_and_deep_text_neither_crashes_nor_hangs() {
    let chain = |op: &str| vec!["a = 1"; 10_000].join(op);
    assert!(parse(&chain(" OR ")).unwrap().depth() < 20);
    assert!(parse(&chain(" AND ")).unwrap().depth() < 20);
    let sum = vec!["a"; 10_000].join(" + ") + " > 1";
    for text in [
        sum,
        "(".repeat(1000) + "a" + &")".repeat(1000),
        "NOT ".repeat(100_000) + "a",
        "- ".repeat(100_000) + "a",
        "a = 1 OR ".repeat(10_000) + "garbage garbage",
        "a".to_owned() + &" IS NULL".repeat(5_000),
        "if(".repeat(100_000),
    ] {
        assert_eq!(parse(&text).unwrap_err().kind(), &PlanErrorKind::Parse);
    }
    let deep = "(".repeat(50) + "a = 1" + &")".repeat(50);
    assert_eq!(spark(&deep), "(a = 1)");
}
