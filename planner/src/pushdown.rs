//! A conjunct as a condition on stored columns: Spark's, printed ([`pushed`]), and lith's ([`filter`]).
//!
//! Spark pushes a conjunct whole or not at all: columns and struct fields against literals, joined by
//! AND, OR and NOT. lith takes any conjunct apart; what it cannot judge by metadata becomes
//! [`Filter::Opaque`], which may be anything, so that the whole stays true to three-valued logic, or
//! [`Filter::Fallible`], if rows may also fail on it.
//!
//! Skipping changes no row of a query that succeeds without. One that fails without may succeed with it only
//! where the row groups of the failing rows are proven not to be in the answer: `a + 1 > 0 AND b < 0` over
//! rows in which no `b` is negative never adds, as in Spark, whose pushdown does the same.

mod pattern;

use lith_format::filter::{Affix, CompareOp, Filter};
use lith_format::scalar::Scalar;
use lith_format::scan::TableSchema;
use lith_format::schema::{Field, LeafId};
use lith_format::types::{LogicalType, Zone};

use crate::ansi::may_fail;
use crate::calendar;
use crate::choice::Choice;
use crate::eval;
use crate::expr::{Column, Expr, back_quoted, scalar_spark};
use crate::monotone;
use crate::normalize::shape::is_constant;
use crate::ranges::{self, without_widening};
use pattern::{anchored, is_any, liked};

/// The conjunct as Spark prints it among its PushedFilters; `None` if it does not push it.
pub fn pushed(expr: &Expr, table: &TableSchema) -> Option<String> {
    let name = |column: &Column| pushed_name(column, table);
    match expr {
        Expr::And(left, right) => Some(format!(
            "And({},{})",
            pushed(left, table)?,
            pushed(right, table)?
        )),
        Expr::Or(left, right) => Some(format!(
            "Or({},{})",
            pushed(left, table)?,
            pushed(right, table)?
        )),
        Expr::Not(inner) => Some(format!("Not({})", pushed(inner, table)?)),
        Expr::Column(column) if expr.ty() == LogicalType::Boolean => {
            Some(format!("EqualTo({},true)", name(column)?))
        }
        Expr::IsNull(inner) => Some(format!("IsNull({})", name(as_column(inner)?)?)),
        Expr::IsNotNull(inner) => Some(format!("IsNotNull({})", name(as_column(inner)?)?)),
        Expr::Compare { op, left, right } => {
            let (column, op, value) = column_and_literal(left, *op, right)?;
            let call = match op {
                CompareOp::Eq => "EqualTo",
                CompareOp::NotEq => return None,
                CompareOp::Lt => "LessThan",
                CompareOp::LtEq => "LessThanOrEqual",
                CompareOp::Gt => "GreaterThan",
                CompareOp::GtEq => "GreaterThanOrEqual",
            };
            Some(format!("{call}({},{})", name(column)?, java_text(value)?))
        }
        Expr::NullSafeEq(left, right) => {
            let (column, _, value) = column_and_literal(left, CompareOp::Eq, right)?;
            Some(format!(
                "EqualNullSafe({},{})",
                name(column)?,
                java_text(value)?
            ))
        }
        Expr::In { expr, list, .. } => {
            let column = name(as_column(expr)?)?;
            let mut values = list.iter().map(java_text).collect::<Option<Vec<_>>>()?;
            values.sort_unstable();
            Some(format!("In({column}, [{}])", values.join(",")))
        }
        Expr::Affix { affix, expr, part } => {
            let call = match affix {
                Affix::Prefix => "StringStartsWith",
                Affix::Suffix => "StringEndsWith",
                Affix::Infix => "StringContains",
            };
            Some(format!(
                "{call}({},{})",
                name(as_column(expr)?)?,
                java_text(part)?
            ))
        }
        _ => None,
    }
}

fn as_column(expr: &Expr) -> Option<&Column> {
    match expr {
        Expr::Column(column) => Some(column),
        _ => None,
    }
}

/// A column against a literal, whichever side it was written on.
fn column_and_literal<'a>(
    left: &'a Expr,
    op: CompareOp,
    right: &'a Expr,
) -> Option<(&'a Column, CompareOp, &'a Expr)> {
    match (left, right) {
        (Expr::Column(column), Expr::Literal(..)) => Some((column, op, right)),
        (Expr::Literal(..), Expr::Column(column)) => Some((column, op.flipped(), left)),
        _ => None,
    }
}

/// The path in the file's spelling, parts in back-quotes where Spark needs them.
fn pushed_name(column: &Column, table: &TableSchema) -> Option<String> {
    let path = fields_of(column, table)?;
    let quoted = path.iter().map(|field| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !field.name.is_empty() && field.name.chars().all(plain) {
            field.name.clone()
        } else {
            back_quoted(&field.name)
        }
    });
    Some(quoted.collect::<Vec<_>>().join("."))
}

/// The fields from the top-level column down to the one meant.
fn fields_of<'a>(column: &Column, table: &'a TableSchema) -> Option<Vec<&'a Field>> {
    let bound = column.bound.as_ref()?;
    let mut field = table.schema.fields.get(bound.index)?;
    let mut path = vec![field];
    for index in &bound.fields {
        // fields of elements have no leaf that holds a value a row
        field = field.ty.struct_fields()?.get(*index)?;
        path.push(field);
    }
    Some(path)
}

/// A literal as Java prints the value that Spark hands to a file format.
fn java_text(literal: &Expr) -> Option<String> {
    let Expr::Literal(value, ty) = literal else {
        return None;
    };
    Some(match value {
        Scalar::Timestamp {
            value,
            unit,
            zone: Zone::Local,
        } => local_date_time(&calendar::timestamp_text(*value, *unit)),
        Scalar::Time { value, unit, .. } => local_date_time(&calendar::time_text(*value, *unit)),
        Scalar::Timestamp { .. } => {
            let text = scalar_spark(value, ty);
            if text.contains('.') {
                text
            } else {
                text + ".0"
            }
        }
        Scalar::Binary(bytes) => {
            let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            format!("X'{}'", hex.concat())
        }
        Scalar::Decimal { unscaled, scale } => {
            big_decimal(*unscaled, *scale, || scalar_spark(value, ty))
        }
        Scalar::List(_) => {
            let text = scalar_spark(value, ty);
            format!(
                "ArraySeq({})",
                text.trim_matches(['[', ']']).replace(',', ", ")
            )
        }
        _ => scalar_spark(value, ty),
    })
}

/// `2024-06-01T12:00` and `12:00`: seconds only if there are any, fractions in threes.
fn local_date_time(text: &str) -> String {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole = whole.replacen(' ', "T", 1);
    if fraction.is_empty() {
        return whole.strip_suffix(":00").unwrap_or(&whole).to_owned();
    }
    let width = fraction.len().div_ceil(3) * 3;
    format!("{whole}.{fraction:0<width$}")
}

/// Plain unless the first digit comes later than the sixth decimal.
fn big_decimal(unscaled: i128, scale: u8, plain: impl FnOnce() -> String) -> String {
    let digits = unscaled.unsigned_abs().to_string();
    let exponent = digits.len() as i32 - 1 - i32::from(scale);
    if exponent >= -6 {
        return plain();
    }
    let sign = if unscaled < 0 { "-" } else { "" };
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}E{exponent}")
}

/// All of some conjuncts as a condition on the table's leaves. A year and a month of one column are more together than
/// each alone: they are one range.
pub fn filter_all(conjuncts: &[Expr], table: &TableSchema) -> Filter {
    let filters = conjuncts.iter().map(|expr| filter(expr, table));
    let months = ranges::months(conjuncts, &|column| leaf_of(column, table));
    Filter::And(filters.chain(months).collect())
}

/// The conjunct as a condition on the table's leaves.
pub fn filter(expr: &Expr, table: &TableSchema) -> Filter {
    match expr {
        Expr::And(..) => Filter::And(expr.conjuncts().iter().map(|e| filter(e, table)).collect()),
        Expr::Or(..) => Filter::Or(expr.disjuncts().iter().map(|e| filter(e, table)).collect()),
        Expr::Not(inner) => match filter(inner, table) {
            unknown @ (Filter::Opaque | Filter::Fallible) => unknown,
            inner => Filter::Not(Box::new(inner)),
        },
        _ => judged(expr, table)
            .or_else(|| Some(chosen(Choice::of(expr)?, table)))
            .unwrap_or(match may_fail(expr) {
                true => Filter::Fallible,
                false => Filter::Opaque,
            }),
    }
}

/// What is chosen, each by its condition.
fn chosen(choice: Choice, table: &TableSchema) -> Filter {
    let of = |value: &Expr| match is_constant(value).then(|| eval::constant(value)) {
        Some(Ok(Scalar::Boolean(value))) => Filter::Constant(Some(value)),
        Some(Ok(_)) => Filter::Constant(None),
        Some(Err(_)) => Filter::Fallible,
        None => filter(value, table),
    };
    let branches = choice.branches.iter();
    Filter::Case {
        branches: branches
            .map(|(condition, value)| (of(condition), of(value)))
            .collect(),
        otherwise: Box::new(of(&choice.otherwise)),
    }
}

fn judged(expr: &Expr, table: &TableSchema) -> Option<Filter> {
    match expr {
        Expr::Literal(Scalar::Boolean(value), _) => Some(Filter::Constant(Some(*value))),
        Expr::Literal(Scalar::Null, _) => Some(Filter::Constant(None)),
        Expr::Column(column) if expr.ty() == LogicalType::Boolean => Some(Filter::Compare {
            leaf: leaf_of(column, table)?,
            op: CompareOp::Eq,
            value: Scalar::Boolean(true),
        }),
        Expr::IsNull(inner) => on_value(inner, table, Filter::IsNull),
        Expr::IsNotNull(inner) => on_value(inner, table, Filter::IsNotNull),
        Expr::Compare { op, left, right } => compared(left, *op, right, table),
        Expr::NullSafeEq(left, right) => {
            let (value, literal) = match (&**left, &**right) {
                (value, Expr::Literal(literal, _)) | (Expr::Literal(literal, _), value) => {
                    (value, literal)
                }
                _ => return None,
            };
            match (value, literal) {
                (Expr::Column(_), _) => {}
                (condition, Scalar::Boolean(truth)) => {
                    return Some(is(condition, *truth, table));
                }
                _ => {}
            }
            on_value(value, table, |leaf| match literal.clone() {
                Scalar::Null => Filter::IsNull(leaf),
                value => Filter::NullSafeEq { leaf, value },
            })
        }
        Expr::In { expr, list, .. } => member(expr, list, table),
        Expr::Affix { affix, expr, part } => match &**part {
            Expr::Literal(Scalar::String(part), _) => on_value(expr, table, |leaf| Filter::Like {
                leaf,
                affix: *affix,
                bytes: part.as_bytes().to_vec(),
            }),
            _ => None,
        },
        Expr::Like {
            expr,
            pattern,
            escape,
            ignore_case: false,
        } => match &**pattern {
            Expr::Literal(Scalar::String(any), _) if is_any(any, *escape) => {
                starts(expr, "", table)
            }
            pattern => begins(expr, &liked(pattern, *escape)?, table),
        },
        Expr::RLike { expr, pattern } => begins(expr, &anchored(pattern)?, table),
        Expr::Function { name, args, .. } if name == "array_contains" => contains(args, table),
        _ => None,
    }
}

/// Whether a condition is true, or is false; it never is UNKNOWN.
fn is(condition: &Expr, truth: bool, table: &TableSchema) -> Filter {
    let condition = match truth {
        true => filter(condition, table),
        false => filter(&condition.clone().not(), table),
    };
    Filter::Case {
        branches: vec![(condition, Filter::Constant(Some(true)))],
        otherwise: Box::new(Filter::Constant(Some(false))),
    }
}

/// IN over literals.
fn member(expr: &Expr, list: &[Expr], table: &TableSchema) -> Option<Filter> {
    let literal = |value: &Expr| match value {
        Expr::Literal(value, _) => Some(value.clone()),
        _ => None,
    };
    let mut values: Vec<Scalar> = list.iter().map(literal).collect::<Option<_>>()?;
    values.retain(|value| !value.is_null());
    let has_null = values.len() < list.len();
    on_value(without_widening(expr), table, |leaf| Filter::In {
        leaf,
        values,
        has_null,
    })
}

/// A condition on a column, or on a value that grows or falls with one.
fn on_value(
    expr: &Expr,
    table: &TableSchema,
    condition: impl FnOnce(LeafId) -> Filter,
) -> Option<Filter> {
    if let Expr::Column(column) = expr {
        return Some(condition(leaf_of(column, table)?));
    }
    let (column, mapping) = monotone::mapping(expr)?;
    let leaf = leaf_of(column, table)?;
    Some(Filter::Mapped {
        leaf,
        mapping,
        inner: Box::new(condition(leaf)),
    })
}

fn compared(left: &Expr, op: CompareOp, right: &Expr, table: &TableSchema) -> Option<Filter> {
    if let Some((column, op, Expr::Literal(value, _))) = column_and_literal(left, op, right) {
        if value.is_null() {
            return Some(Filter::Constant(None));
        }
        return Some(Filter::Compare {
            leaf: leaf_of(column, table)?,
            op,
            value: value.clone(),
        });
    }
    let of_column = |column: &Column| leaf_of(column, table);
    match (left, right) {
        (_, Expr::Literal(Scalar::Null, _)) | (Expr::Literal(Scalar::Null, _), _) => {}
        (function, Expr::Literal(value, _)) => {
            return ranges::compared(function, op, value, &of_column)
                .or_else(|| with_literal(function, op, value, table));
        }
        (Expr::Literal(value, _), function) => {
            return ranges::compared(function, op.flipped(), value, &of_column)
                .or_else(|| with_literal(function, op.flipped(), value, table));
        }
        _ => {}
    }
    let leaf = |expr| leaf_of(as_column(without_widening(expr))?, table);
    Some(Filter::CompareLeaves {
        left: leaf(left)?,
        op,
        right: leaf(right)?,
    })
}

fn with_literal(expr: &Expr, op: CompareOp, value: &Scalar, table: &TableSchema) -> Option<Filter> {
    on_value(expr, table, |leaf| Filter::Compare {
        leaf,
        op,
        value: value.clone(),
    })
}

/// Text that begins so.
fn starts(text: &Expr, prefix: &str, table: &TableSchema) -> Option<Filter> {
    on_value(text, table, |leaf| Filter::Like {
        leaf,
        affix: Affix::Prefix,
        bytes: prefix.as_bytes().to_vec(),
    })
}

/// Text that begins so, and more that is not known.
fn begins(text: &Expr, prefix: &str, table: &TableSchema) -> Option<Filter> {
    Some(Filter::And(vec![
        starts(text, prefix, table)?,
        Filter::Opaque,
    ]))
}

/// Whether arrays hold a value: only if some element is equal to it. The statistics are those of all elements, of
/// which an array may have none; a null array, and one with a null but without the value, give UNKNOWN.
fn contains(args: &[Expr], table: &TableSchema) -> Option<Filter> {
    let [Expr::Column(array), Expr::Literal(value, _)] = args else {
        return None;
    };
    let path = fields_of(array, table)?;
    let LogicalType::List(element) = &path.last()?.ty else {
        return None;
    };
    if value.is_null() || element.ty.is_nested() || matches!(element.ty, LogicalType::Char(_)) {
        return None;
    }
    let found = Filter::Compare {
        leaf: first_leaf_of(array, table)?,
        op: CompareOp::Eq,
        value: value.clone(),
    };
    Some(Filter::Or(vec![
        Filter::And(vec![found, Filter::Opaque]),
        Filter::And(vec![Filter::Opaque, Filter::Constant(None)]),
    ]))
}

/// The leaf that holds a column's values and nulls. Padded text compares otherwise than its bytes.
pub(crate) fn leaf_of(column: &Column, table: &TableSchema) -> Option<LeafId> {
    let path = fields_of(column, table)?;
    let last = path.last()?;
    if last.ty.is_nested() || matches!(last.ty, LogicalType::Char(_)) {
        return None;
    }
    first_leaf_of(column, table)
}

/// The first of the leaves that a column is stored in.
fn first_leaf_of(column: &Column, table: &TableSchema) -> Option<LeafId> {
    let path = fields_of(column, table)?;
    let bound = column.bound.as_ref()?;
    let mut leaf = table.schema.first_leaf(bound.index).index();
    for (parent, index) in path.iter().zip(&bound.fields) {
        let before = parent.ty.fields().iter().take(*index);
        leaf += before.map(Field::leaf_count).sum::<usize>();
    }
    Some(LeafId(u32::try_from(leaf).ok()?))
}
