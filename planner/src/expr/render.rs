//! An expression as text, in Spark's two ways: the string of its plans ([`Expr::spark`]:
//! `isnotnull(a)`, `(a = S01)`, text unquoted) and SQL that parses again ([`Expr::sql`]:
//! `(a IS NOT NULL)`, `(a = 'S01')`). Held to the plans that Spark 4.3 prints.

use std::borrow::Cow;
use std::fmt::Write;

use lith_format::filter::{Affix, CompareOp};
use lith_format::scalar::Scalar;
use lith_format::types::{LogicalType, Zone};

use super::{ArithmeticOp, Expr, SUBSCRIPT, name_sql};
use crate::{calendar, uuid};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Spark,
    Sql,
}

impl Expr {
    /// As Spark's plans print it, without expression ids.
    pub fn spark(&self) -> String {
        let mut out = String::new();
        write_expr(&mut out, self, Style::Spark);
        out
    }

    /// As SQL.
    pub fn sql(&self) -> String {
        let mut out = String::new();
        write_expr(&mut out, self, Style::Sql);
        out
    }
}

/// A text as a message shows it: its beginning, if it is long.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => Cow::Owned(format!("{}..", &text[..cut])),
        None => Cow::Borrowed(text),
    }
}

impl ArithmeticOp {
    /// The operator in SQL.
    pub fn symbol(self) -> &'static str {
        match self {
            ArithmeticOp::Add => "+",
            ArithmeticOp::Subtract => "-",
            ArithmeticOp::Multiply => "*",
            ArithmeticOp::Divide => "/",
            ArithmeticOp::IntegerDivide => "div",
            ArithmeticOp::Remainder => "%",
            ArithmeticOp::BitAnd => "&",
            ArithmeticOp::BitOr => "|",
            ArithmeticOp::BitXor => "^",
        }
    }
}

fn compare_symbol(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq | CompareOp::NotEq => "=",
        CompareOp::Lt => "<",
        CompareOp::LtEq => "<=",
        CompareOp::Gt => ">",
        CompareOp::GtEq => ">=",
    }
}

fn write_expr(out: &mut String, expr: &Expr, style: Style) {
    match expr {
        Expr::Column(column) if style == Style::Sql => out.push_str(&column.sql()),
        Expr::Column(column) => out.push_str(&column.path.join(".")),
        Expr::Literal(value, ty) if style == Style::Sql => out.push_str(&scalar_sql(value, ty)),
        Expr::Literal(value, ty) => out.push_str(&scalar_spark(value, ty)),
        Expr::Compare {
            op: CompareOp::NotEq,
            left,
            right,
        } => {
            write_not(out, style, |out| write_infix(out, left, "=", right, style));
        }
        Expr::Compare { op, left, right } => {
            write_infix(out, left, compare_symbol(*op), right, style)
        }
        Expr::NullSafeEq(left, right) => write_infix(out, left, "<=>", right, style),
        Expr::And(left, right) => write_infix(out, left, "AND", right, style),
        Expr::Or(left, right) => write_infix(out, left, "OR", right, style),
        Expr::Arithmetic {
            op, left, right, ..
        } => write_infix(out, left, op.symbol(), right, style),
        Expr::Not(inner) => write_not(out, style, |out| write_expr(out, inner, style)),
        Expr::IsNull(inner) => write_null_test(out, inner, "isnull", "IS NULL", style),
        Expr::IsNotNull(inner) => write_null_test(out, inner, "isnotnull", "IS NOT NULL", style),
        Expr::In { expr, list, set } => write_in(out, (expr, list, *set), style),
        Expr::Negate(inner) => {
            let (open, close) = if style == Style::Sql {
                ("(- ", ")")
            } else {
                ("-", "")
            };
            out.push_str(open);
            write_expr(out, inner, style);
            out.push_str(close);
        }
        Expr::Cast { expr, ty, lenient } => write_cast(out, (expr, ty, *lenient), style),
        Expr::Case { .. } | Expr::If { .. } => write_choice(out, expr, style),
        Expr::Like { .. } | Expr::Affix { .. } | Expr::RLike { .. } => {
            write_match(out, expr, style)
        }
        Expr::Field { expr, name, .. } => {
            write_expr(out, expr, style);
            out.push('.');
            match style {
                Style::Spark => out.push_str(name),
                Style::Sql => out.push_str(&name_sql(name)),
            }
        }
        Expr::Function { name, args, .. } => write_function(out, name, args, style),
        Expr::Unchecked(inner) => write_expr(out, inner, style),
    }
}

fn write_infix(out: &mut String, left: &Expr, op: &str, right: &Expr, style: Style) {
    out.push('(');
    write_expr(out, left, style);
    let _ = write!(out, " {op} ");
    write_expr(out, right, style);
    out.push(')');
}

fn write_not(out: &mut String, style: Style, inner: impl FnOnce(&mut String)) {
    out.push_str(if style == Style::Sql { "(NOT " } else { "NOT " });
    inner(out);
    if style == Style::Sql {
        out.push(')');
    }
}

fn write_null_test(out: &mut String, inner: &Expr, call: &str, postfix: &str, style: Style) {
    if style == Style::Spark {
        return write_call(out, call, [inner], style);
    }
    out.push('(');
    write_expr(out, inner, style);
    let _ = write!(out, " {postfix})");
}

fn write_list<'a>(
    out: &mut String,
    list: impl IntoIterator<Item = &'a Expr>,
    comma: &str,
    style: Style,
) {
    for (index, expr) in list.into_iter().enumerate() {
        if index > 0 {
            out.push_str(comma);
        }
        write_expr(out, expr, style);
    }
}

fn write_call<'a>(
    out: &mut String,
    name: &str,
    args: impl IntoIterator<Item = &'a Expr>,
    style: Style,
) {
    let _ = write!(out, "{name}(");
    write_list(out, args, ", ", style);
    out.push(')');
}

fn write_in(out: &mut String, (expr, list, set): (&Expr, &[Expr], bool), style: Style) {
    if style == Style::Sql {
        out.push('(');
    }
    write_expr(out, expr, style);
    if style == Style::Spark && set {
        out.push_str(" INSET ");
        let mut texts: Vec<String> = list.iter().map(Expr::spark).collect();
        texts.sort_unstable();
        out.push_str(&texts.join(", "));
        return;
    }
    out.push_str(" IN (");
    write_list(
        out,
        list,
        if style == Style::Sql { ", " } else { "," },
        style,
    );
    out.push_str(if style == Style::Sql { "))" } else { ")" });
}

fn write_cast(out: &mut String, (expr, ty, lenient): (&Expr, &LogicalType, bool), style: Style) {
    let (call, joint, ty) = match (style, lenient) {
        (Style::Spark, false) => ("cast(", " as ", ty.to_string()),
        (Style::Spark, true) => ("try_cast(", " as ", ty.to_string()),
        (Style::Sql, false) => ("CAST(", " AS ", ty.to_string().to_uppercase()),
        (Style::Sql, true) => ("TRY_CAST(", " AS ", ty.to_string().to_uppercase()),
    };
    out.push_str(call);
    write_expr(out, expr, style);
    let _ = write!(out, "{joint}{ty})");
}

fn write_choice(out: &mut String, expr: &Expr, style: Style) {
    match expr {
        Expr::If {
            condition,
            then,
            otherwise,
        } if style == Style::Sql => {
            out.push('(');
            write_call(out, "IF", [&**condition, then, otherwise], style);
            out.push(')');
        }
        Expr::If {
            condition,
            then,
            otherwise,
        } => {
            out.push_str("if (");
            write_expr(out, condition, style);
            out.push_str(") ");
            write_expr(out, then, style);
            out.push_str(" else ");
            write_expr(out, otherwise, style);
        }
        Expr::Case {
            branches,
            otherwise,
        } => {
            out.push_str("CASE");
            for (condition, value) in branches {
                out.push_str(" WHEN ");
                write_expr(out, condition, style);
                out.push_str(" THEN ");
                write_expr(out, value, style);
            }
            if let Some(value) = otherwise {
                out.push_str(" ELSE ");
                write_expr(out, value, style);
            }
            out.push_str(" END");
        }
        _ => {}
    }
}

fn write_match(out: &mut String, expr: &Expr, style: Style) {
    match expr {
        Expr::Like {
            expr,
            pattern,
            escape,
            ignore_case: true,
        } if style == Style::Spark => {
            write_call(out, "ilike", [&**expr, pattern], style);
            out.pop();
            let _ = write!(out, ", {escape})");
        }
        Expr::Like {
            expr,
            pattern,
            escape,
            ignore_case,
        } => {
            write_expr(out, expr, style);
            out.push_str(if *ignore_case { " ILIKE " } else { " LIKE " });
            write_expr(out, pattern, style);
            if *escape != '\\' {
                let _ = write!(out, " ESCAPE '{escape}'");
            }
        }
        Expr::RLike { expr, pattern } => write_call(out, "RLIKE", [&**expr, pattern], style),
        Expr::Affix { affix, expr, part } => {
            let name = match (affix, style) {
                (Affix::Prefix, Style::Spark) => "StartsWith",
                (Affix::Suffix, Style::Spark) => "EndsWith",
                (Affix::Infix, Style::Spark) => "Contains",
                (Affix::Prefix, Style::Sql) => "startswith",
                (Affix::Suffix, Style::Sql) => "endswith",
                (Affix::Infix, Style::Sql) => "contains",
            };
            write_call(out, name, [&**expr, part], style);
        }
        _ => {}
    }
}

/// Some of Spark's functions carry arguments of their own that only the plan string shows.
fn write_function(out: &mut String, name: &str, args: &[Expr], style: Style) {
    if let (SUBSCRIPT, [container, key]) | ("get", [container, key]) = (name, args)
        && (name == SUBSCRIPT || style == Style::Spark)
    {
        write_expr(out, container, style);
        out.push('[');
        write_expr(out, key, style);
        return out.push(']');
    }
    if style == Style::Sql {
        return write_call(out, name, args, style);
    }
    let (name, hidden) = match (name, args.len()) {
        ("hour" | "minute" | "second" | "date_trunc" | "date_format", _) => (name, ", Some(UTC)"),
        ("to_date", 1) => (name, ", None, Some(UTC), true"),
        ("to_timestamp", 1) => (name, ", None, TimestampType, Some(UTC), true"),
        ("trim" | "ltrim" | "rtrim" | "btrim", 1) => (name, ", None"),
        ("size" | "cardinality", _) => (name, ", false"),
        ("element_at", _) => (name, ", None, true"),
        ("try_element_at", _) => ("element_at", ", None, false"),
        ("floor", _) => ("FLOOR", ""),
        ("ceil", _) => ("CEIL", ""),
        ("hash", _) => (name, ", 42"),
        ("unix_timestamp", 1) => (name, ", yyyy-MM-dd HH:mm:ss, Some(UTC), true"),
        // a seed is chosen anew for every query
        ("rand" | "random" | "randn", 0) => (name, "<seed>"),
        ("uuid", 0) => (name, "Some(<seed>)"),
        _ => (name, ""),
    };
    match (name, args) {
        // dates and texts are taken as they are
        ("unix_timestamp", [Expr::Cast { expr, .. }])
            if matches!(expr.ty(), LogicalType::Date | LogicalType::String) =>
        {
            write_call(out, name, [&**expr], style);
        }
        _ => write_call(out, name, args, style),
    }
    out.pop();
    let _ = write!(out, "{hidden})");
}

/// A value as Spark's plans print it: text and dates without quotes.
pub fn scalar_spark(value: &Scalar, ty: &LogicalType) -> String {
    match value {
        Scalar::Null => "null".to_owned(),
        Scalar::Boolean(value) => value.to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::UInt(value) => value.to_string(),
        Scalar::Float32(value) => float_text(*value),
        Scalar::Float64(value) => double_text(*value),
        Scalar::Decimal { unscaled, scale } => decimal_text(*unscaled, *scale),
        Scalar::Date(days) => calendar::date_text(*days),
        Scalar::Time { value, unit, .. } => calendar::time_text(*value, *unit),
        Scalar::Timestamp { value, unit, .. } => calendar::timestamp_text(*value, *unit),
        Scalar::String(text) => text.to_string(),
        Scalar::Binary(bytes) => match bytes_of_uuid(bytes, ty) {
            Some(value) => uuid::text(value),
            None => format!("0x{}", hex(bytes)),
        },
        Scalar::List(items) => bracketed(items.iter(), ty),
        Scalar::Struct(fields) => bracketed(fields.iter().map(|field| &field.1), ty),
        Scalar::Map(entries) => bracketed(entries.iter().map(|entry| &entry.1), ty),
        Scalar::Union(_, value) => scalar_spark(value, ty),
        _ => String::new(),
    }
}

fn bytes_of_uuid(bytes: &[u8], ty: &LogicalType) -> Option<u128> {
    let bytes = bytes.try_into().ok().filter(|_| *ty == LogicalType::Uuid)?;
    Some(u128::from_be_bytes(bytes))
}

fn bracketed<'a>(items: impl Iterator<Item = &'a Scalar>, ty: &LogicalType) -> String {
    let texts: Vec<String> = items.map(|item| scalar_spark(item, ty)).collect();
    format!("[{}]", texts.join(","))
}

/// A value as a SQL literal of its type.
pub fn scalar_sql(value: &Scalar, ty: &LogicalType) -> String {
    let text = scalar_spark(value, ty);
    let type_name = ty.to_string().to_uppercase();
    match (value, ty) {
        (Scalar::Null, LogicalType::Null) => "NULL".to_owned(),
        (Scalar::Null, _) => format!("CAST(NULL AS {type_name})"),
        (Scalar::Int(_), LogicalType::Int8) => text + "Y",
        (Scalar::Int(_), LogicalType::Int16) => text + "S",
        (Scalar::Int(_), LogicalType::Int64) => text + "L",
        (Scalar::Float32(_), _) => format!("CAST('{text}' AS FLOAT)"),
        (Scalar::Float64(value), _) if !value.is_finite() => format!("CAST('{text}' AS DOUBLE)"),
        (Scalar::Float64(_), _) => text + "D",
        (Scalar::Decimal { .. }, _) => text + "BD",
        (Scalar::Date(_), _) => format!("DATE '{text}'"),
        (Scalar::Time { .. }, _) => format!("TIME '{text}'"),
        (
            Scalar::Timestamp {
                zone: Zone::Local, ..
            },
            _,
        ) => format!("TIMESTAMP_NTZ '{text}'"),
        (Scalar::Timestamp { .. }, _) => format!("TIMESTAMP '{text}'"),
        (Scalar::String(text), _) => string_sql(text),
        (Scalar::Binary(_), LogicalType::Uuid) => string_sql(&text),
        (Scalar::Binary(bytes), _) => format!("X'{}'", hex(bytes)),
        _ => text,
    }
}

fn string_sql(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\\' | '\'' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out + "'"
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02X}");
        out
    })
}

/// A decimal with all digits of its scale.
fn decimal_text(unscaled: i128, scale: u8) -> String {
    let digits = format!(
        "{:0width$}",
        unscaled.unsigned_abs(),
        width = usize::from(scale) + 1
    );
    let (whole, fraction) = digits.split_at(digits.len() - usize::from(scale));
    let sign = if unscaled < 0 { "-" } else { "" };
    let point = if scale > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

/// A double as Java prints it: `1.0`, `1.0E10`, `NaN`.
pub fn double_text(value: f64) -> String {
    let mut digits = format!("{value:e}");
    if value.is_subnormal() && !digits.contains('.') {
        digits = format!("{value:.1e}"); // Java prints two digits at least, those nearest to the value
    }
    java_float(
        value.is_nan(),
        value.is_infinite(),
        value.is_sign_negative(),
        digits,
    )
}

fn float_text(value: f32) -> String {
    java_float(
        value.is_nan(),
        value.is_infinite(),
        value.is_sign_negative(),
        format!("{value:e}"),
    )
}

/// Java's layout of the shortest digits: plain from a thousandth up to ten million, else with an exponent.
fn java_float(nan: bool, infinite: bool, negative: bool, scientific: String) -> String {
    if nan {
        return "NaN".to_owned();
    }
    let sign = if negative { "-" } else { "" };
    if infinite {
        return format!("{sign}Infinity");
    }
    let unsigned = scientific.trim_start_matches('-');
    let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(|&c| c != '.').collect();
    let (whole, fraction, suffix) = if (-3..7).contains(&exponent) {
        let zeros = "0".repeat(usize::try_from(-exponent).unwrap_or(0));
        let at = usize::try_from(exponent).unwrap_or(0) + 1;
        let padded = format!("{:0<at$}", zeros + &digits);
        (
            padded[..at].to_owned(),
            padded[at..].to_owned(),
            String::new(),
        )
    } else {
        (
            digits[..1].to_owned(),
            digits[1..].to_owned(),
            format!("E{exponent}"),
        )
    };
    let fraction = if fraction.is_empty() { "0" } else { &fraction };
    format!("{sign}{whole}.{fraction}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_as_java_prints_them() {
        for (value, text) in [
            (2.5, "2.5"),
            (1e10, "1.0E10"),
            (100_000.0, "100000.0"),
            (1e299, "1.0E299"),
            (1e7, "1.0E7"),
            (9_999_999.5, "9999999.5"),
            (0.001, "0.001"),
            (1.25e-4, "1.25E-4"),
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (5e-324, "4.9E-324"),
            (-2e-323, "-2.0E-323"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double_text(value), text);
        }
        assert_eq!(float_text(0.1), "0.1");
    }

    #[test]
    fn both_renderings_of_the_common_nodes() {
        let column = || Expr::column(["note"]);
        let cases = [
            (
                Expr::IsNotNull(Box::new(column())),
                "isnotnull(note)",
                "(note IS NOT NULL)",
            ),
            (
                Expr::compare(column(), CompareOp::NotEq, Expr::string("it's")),
                "NOT (note = it's)",
                "(NOT (note = 'it\\'s'))",
            ),
            (
                Expr::In {
                    expr: Box::new(Expr::column(["st.ruct", "x.y"])),
                    list: vec![Expr::int(1), Expr::null(LogicalType::Int32)],
                    set: false,
                },
                "st.ruct.x.y IN (1,null)",
                "(`st.ruct`.`x.y` IN (1, CAST(NULL AS INT)))",
            ),
            (
                column().cast(LogicalType::Decimal {
                    precision: 3,
                    scale: 1,
                }),
                "cast(note as decimal(3,1))",
                "CAST(note AS DECIMAL(3,1))",
            ),
        ];
        for (expr, spark, sql) in cases {
            assert_eq!(expr.spark(), spark);
            assert_eq!(expr.sql(), sql);
        }
    }

    #[test]
    fn decimals_keep_their_scale() {
        assert_eq!(decimal_text(-5, 3), "-0.005");
        assert_eq!(decimal_text(1200, 2), "12.00");
        assert_eq!(decimal_text(7, 0), "7");
    }
}
