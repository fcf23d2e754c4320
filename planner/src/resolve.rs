//! Names and types: binds every column of a predicate to a table, gives every node its type and
//! inserts the casts that Spark 4.3 inserts.
//!
//! Names are matched exactly first, then without regard to case; two such matches are an error.
//! Casts go where Spark puts them: the narrower number, the text beside a number or date, the
//! column beside a literal of a wider type. A literal that can be converted is converted here, so
//! that only what fails or depends on a row remains a cast.

mod construct;
mod element;
mod function;
mod legacy;
mod name;
mod names;
mod quotes;
mod types;

use lith_format::filter::CompareOp;
use lith_format::scalar::Scalar;
use lith_format::scan::TableSchema;
use lith_format::types::{LogicalType, TimeUnit};

use crate::ansi::{EvalMode, unchecked};
use crate::error::{BARS, PlanError, Result};
use crate::expr::{ArithmeticOp, Expr, Place};
use types::{common_type, common_type_of};

pub use name::check_case;
pub use quotes::propose_quotes;
pub use types::{max_decimal, spark_type};

/// Resolves any expression against a table.
pub fn resolve(expr: Expr, table: &TableSchema, mode: EvalMode) -> Result<Expr> {
    let resolved = expr.transform_up(&mut |expr| {
        let span = expr.place();
        let node = cut_to_micros(expr)?;
        let node = match mode {
            EvalMode::Ansi => Ok(node),
            EvalMode::Legacy => legacy::meet(node),
        };
        let node = node.and_then(|node| resolve_node(node, table, mode));
        node.map_err(|error| error.at(span))
    })?;
    Ok(match mode {
        EvalMode::Ansi => resolved,
        EvalMode::Legacy => unchecked(resolved),
    })
}

/// Resolves a condition: what `WHERE` takes must be boolean.
pub fn resolve_condition(expr: Expr, table: &TableSchema, mode: EvalMode) -> Result<Expr> {
    let expr = resolve(expr, table, mode)?;
    match expr.ty() {
        LogicalType::Boolean => Ok(expr),
        ty => {
            let error = mismatch(format!(
                "the condition is {}, not a boolean",
                with_article(&ty)
            ));
            Err(if_bars([&expr], error).at(expr.span()))
        }
    }
}

/// Spark's timestamps have microseconds: finer literals are cut to them, unless they stand beside
/// something else that has nanoseconds.
fn cut_to_micros(expr: Expr) -> Result<Expr> {
    let has_nanos = |expr: &Expr| {
        let nanos = TimeUnit::Nanos;
        matches!(expr.ty(), LogicalType::Timestamp { unit, .. } if unit == nanos)
    };
    let is_literal = |expr: &Expr| matches!(expr, Expr::Literal(..));
    let fine: Vec<&Expr> = expr
        .children()
        .into_iter()
        .filter(|e| has_nanos(e))
        .collect();
    if fine.is_empty() || !fine.into_iter().all(is_literal) {
        return Ok(expr);
    }
    let cut = |child: Expr| match child {
        Expr::Literal(
            Scalar::Timestamp {
                value,
                zone,
                unit: TimeUnit::Nanos,
            },
            _,
        ) => {
            let (value, unit) = (value.div_euclid(1_000), TimeUnit::Micros);
            let literal = Scalar::Timestamp { value, unit, zone };
            Expr::Literal(literal, LogicalType::Timestamp { unit, zone })
        }
        other => other,
    };
    expr.map_children(&mut |child| Ok(cut(child)))
}

/// The names of Spark's functions, sorted.
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> {
    names::all()
}

/// A node whose children are resolved.
fn resolve_node(expr: Expr, table: &TableSchema, mode: EvalMode) -> Result<Expr> {
    match expr {
        Expr::Column(column) => name::bind(column, table),
        Expr::Field { expr, name, .. } => element::field(*expr, &name),
        Expr::Literal(..) => Ok(expr),
        Expr::Compare { op, left, right } => compare(op, *left, *right),
        Expr::NullSafeEq(left, right) => {
            let (left, right) = same_type(*left, *right, "<=>")?;
            Ok(Expr::NullSafeEq(Box::new(left), Box::new(right)))
        }
        Expr::And(left, right) => Ok(boolean(*left, "AND")?.and(boolean(*right, "AND")?)),
        Expr::Or(left, right) => Ok(boolean(*left, "OR")?.or(boolean(*right, "OR")?)),
        Expr::Not(inner) => Ok(boolean(*inner, "NOT")?.not()),
        Expr::IsNull(_) | Expr::IsNotNull(_) | Expr::Unchecked(_) => Ok(expr),
        Expr::In { expr, list, set } => in_list(*expr, list, set),
        Expr::Like {
            expr,
            pattern,
            escape,
            ignore_case,
        } => Ok(Expr::Like {
            expr: text(*expr, "LIKE")?,
            pattern: text(*pattern, "LIKE")?,
            escape,
            ignore_case,
        }),
        Expr::Affix { affix, expr, part } => Ok(Expr::Affix {
            affix,
            expr: text(*expr, "startswith, endswith or contains")?,
            part: text(*part, "startswith, endswith or contains")?,
        }),
        Expr::RLike { expr, pattern } => Ok(Expr::RLike {
            expr: text(*expr, "RLIKE")?,
            pattern: text(*pattern, "RLIKE")?,
        }),
        Expr::Arithmetic {
            op, left, right, ..
        } => arithmetic(op, *left, *right),
        Expr::Negate(inner) => negate(*inner),
        Expr::Cast { expr, ty, lenient } => {
            let more = mode == EvalMode::Legacy && legacy::can_cast(&expr.ty(), &ty);
            cast(*expr, ty, lenient, more)
        }
        Expr::If {
            condition,
            then,
            otherwise,
        } => choice(*condition, *then, *otherwise),
        Expr::Case {
            branches,
            otherwise,
        } => case(branches, otherwise),
        Expr::Function {
            name, args, place, ..
        } => match element::resolve(&name, &args, place) {
            Some(resolved) => resolved,
            None => function::resolve(&name, args, place),
        },
    }
}

fn choice(condition: Expr, then: Expr, otherwise: Expr) -> Result<Expr> {
    let (then, otherwise) = same_type(then, otherwise, "IF")?;
    Ok(Expr::If {
        condition: Box::new(boolean(condition, "IF")?),
        then: Box::new(then),
        otherwise: Box::new(otherwise),
    })
}

/// `a bigint`, `an int`.
fn with_article(ty: &LogicalType) -> String {
    let name = ty.to_string();
    let article = if name.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {name}")
}

fn mismatch(message: String) -> PlanError {
    PlanError::type_mismatch(message)
}

/// Converts to `ty`: a literal at once if it can be, the rest by a cast.
fn coerce(expr: Expr, ty: &LogicalType) -> Expr {
    let from = expr.ty();
    match expr {
        expr if from == *ty => expr,
        Expr::Literal(Scalar::Null, _) => Expr::null(ty.clone()),
        Expr::Literal(..) => {
            let cast = expr.cast(ty.clone());
            match crate::eval::constant(&cast) {
                Ok(value) => Expr::Literal(value, ty.clone()),
                Err(_) => cast,
            }
        }
        expr => expr.cast(ty.clone()),
    }
}

/// The error, with a hint if `||` makes one of the operands.
fn if_bars<const N: usize>(operands: [&Expr; N], error: PlanError) -> PlanError {
    let joins = |expr: &Expr| matches!(expr, Expr::Function { name, .. } if name == "concat");
    match operands.iter().any(|operand| operand.any(joins)) {
        true => error.noting(BARS),
        false => error,
    }
}

fn boolean(expr: Expr, what: &str) -> Result<Expr> {
    match expr.ty() {
        LogicalType::Boolean => Ok(expr),
        LogicalType::Null => Ok(coerce(expr, &LogicalType::Boolean)),
        ty => {
            let error = mismatch(format!("{what} takes booleans, not {ty}"));
            Err(if_bars([&expr], error).at(expr.span()))
        }
    }
}

fn text(expr: Expr, what: &str) -> Result<Box<Expr>> {
    match expr.ty() {
        ty if ty.is_nested() => {
            Err(mismatch(format!("{what} takes text, not {ty}")).at(expr.span()))
        }
        _ => Ok(Box::new(coerce(expr, &LogicalType::String))),
    }
}

/// Both sides in the type that Spark compares them in.
fn same_type(left: Expr, right: Expr, what: &str) -> Result<(Expr, Expr)> {
    let ty = common_type(&left, &right).ok_or_else(|| {
        let (a, b) = (left.ty(), right.ty());
        let error = mismatch(format!("{what} does not go with {a} and {b}"));
        if_bars([&left, &right], error)
    })?;
    Ok((coerce(left, &ty), coerce(right, &ty)))
}

fn compare(op: CompareOp, left: Expr, right: Expr) -> Result<Expr> {
    let symbol = match op {
        CompareOp::Eq | CompareOp::NotEq => "=",
        CompareOp::Lt => "<",
        CompareOp::LtEq => "<=",
        CompareOp::Gt => ">",
        CompareOp::GtEq => ">=",
    };
    if let Some(decided) = integer_with_decimal(op, &left, &right) {
        return Ok(decided);
    }
    let (left, right) = same_type(left, right, symbol)?;
    if is_unordered(&left.ty()) {
        return Err(mismatch(format!("{symbol} does not order {}", left.ty())));
    }
    Ok(Expr::compare(left, op, right))
}

/// Whether it is or holds what has no order.
fn is_unordered(ty: &LogicalType) -> bool {
    matches!(ty, LogicalType::Map(_) | LogicalType::Variant(_))
        || ty.fields().iter().any(|field| is_unordered(&field.ty))
}

fn is_integer(ty: &LogicalType) -> bool {
    use LogicalType as T;
    matches!(ty, T::Int8 | T::Int16 | T::Int32 | T::Int64)
}

/// An integer ordered against a decimal literal is ordered against the next integer instead; beyond
/// the integers the answer is the same for every row, null or not.
fn integer_with_decimal(op: CompareOp, left: &Expr, right: &Expr) -> Option<Expr> {
    use CompareOp as C;
    if matches!(op, C::Eq | C::NotEq) {
        return None;
    }
    let decimal = |expr: &Expr| match expr {
        Expr::Literal(Scalar::Decimal { unscaled, scale }, _) => Some((*unscaled, *scale)),
        _ => None,
    };
    let ((unscaled, scale), op, flipped) = match (decimal(left), decimal(right)) {
        (None, Some(value)) if is_integer(&left.ty()) => (value, op, false),
        (Some(value), None) if is_integer(&right.ty()) => (value, op.flipped(), true),
        _ => return None,
    };
    let unit = 10i128.checked_pow(scale.into())?;
    let floor = unscaled.div_euclid(unit);
    let ceil = floor + i128::from(unscaled.rem_euclid(unit) != 0);
    let bound = if matches!(op, C::Lt | C::GtEq) {
        ceil
    } else {
        floor
    };
    let Ok(bound) = i64::try_from(bound) else {
        let above = bound > 0;
        return Some(Expr::boolean(above == matches!(op, C::Lt | C::LtEq)));
    };
    let literal = Expr::Literal(Scalar::Int(bound), LogicalType::Int64);
    let widened = coerce(
        if flipped { right } else { left }.clone(),
        &LogicalType::Int64,
    );
    Some(match flipped {
        true => Expr::compare(literal, op.flipped(), widened),
        false => Expr::compare(widened, op, literal),
    })
}

fn in_list(expr: Expr, mut list: Vec<Expr>, set: bool) -> Result<Expr> {
    if expr.ty() == LogicalType::Uuid {
        // before other values of the list make bytes of all
        let is_text = |value: &Expr| value.ty() == LogicalType::String;
        let parsed = |value| match is_text(&value) {
            true => coerce(value, &LogicalType::Uuid),
            false => value,
        };
        list = list.into_iter().map(parsed).collect();
    }
    let types = std::iter::once(expr.ty()).chain(list.iter().map(Expr::ty));
    let ty = common_type_of(types)
        .ok_or_else(|| mismatch(format!("IN does not go with {} and its list", expr.ty())))?;
    if is_unordered(&ty) {
        return Err(mismatch(format!("IN does not compare {ty}")));
    }
    Ok(Expr::In {
        expr: Box::new(coerce(expr, &ty)),
        list: list.into_iter().map(|value| coerce(value, &ty)).collect(),
        set,
    })
}

fn case(branches: Vec<(Expr, Expr)>, otherwise: Option<Box<Expr>>) -> Result<Expr> {
    let values = branches
        .iter()
        .map(|branch| &branch.1)
        .chain(otherwise.as_deref());
    let ty = common_type_of(values.map(Expr::ty))
        .ok_or_else(|| mismatch("the values of CASE have no common type".to_owned()))?;
    let branches = branches
        .into_iter()
        .map(|(condition, value)| Ok((boolean(condition, "CASE")?, coerce(value, &ty))))
        .collect::<Result<_>>()?;
    Ok(Expr::Case {
        branches,
        otherwise: otherwise.map(|value| Box::new(coerce(*value, &ty))),
    })
}

fn negate(inner: Expr) -> Result<Expr> {
    let ty = inner.ty();
    match ty {
        LogicalType::String | LogicalType::Null => {
            Ok(Expr::Negate(Box::new(coerce(inner, &LogicalType::Float64))))
        }
        ty if types::is_number(&ty) => Ok(Expr::Negate(Box::new(inner))),
        ty => Err(mismatch(format!("- does not go with {ty}"))),
    }
}

fn arithmetic(op: ArithmeticOp, left: Expr, right: Expr) -> Result<Expr> {
    use ArithmeticOp as A;
    use LogicalType as T;
    if let Some(shifted) = shift_date(op, &left, &right) {
        return shifted;
    }
    let refuse = |left: &Expr, right: &Expr| {
        mismatch(format!(
            "{} does not go with {} and {}",
            op.symbol(),
            left.ty(),
            right.ty()
        ))
    };
    let (left, right) = match (left.ty(), right.ty()) {
        (T::Decimal { .. }, ty) if is_integer(&ty) => (left, types::as_decimal(right)),
        (ty, T::Decimal { .. }) if is_integer(&ty) => (types::as_decimal(left), right),
        (T::Decimal { .. }, T::Decimal { .. }) => (left, right),
        _ => {
            let ty = common_type(&left, &right).ok_or_else(|| refuse(&left, &right))?;
            let whole = is_integer(&left.ty()) && is_integer(&right.ty());
            let ty = match (op, ty) {
                // two nulls are taken as doubles
                (_, T::Null) => T::Float64,
                // at once, not by way of a type that both have
                (A::Divide, _) if whole => T::Float64,
                (A::IntegerDivide, _) if whole => T::Int64,
                (_, ty) => ty,
            };
            (coerce(left, &ty), coerce(right, &ty))
        }
    };
    let (operands, ty) = match (op, left.ty()) {
        (A::Divide, ty) if is_integer(&ty) => (T::Float64, T::Float64),
        (A::IntegerDivide, ty) if is_integer(&ty) => (T::Int64, T::Int64),
        (A::IntegerDivide, T::Decimal { .. }) => (T::Null, T::Int64),
        (A::BitAnd | A::BitOr | A::BitXor, ty) if is_integer(&ty) => (ty.clone(), ty),
        (A::BitAnd | A::BitOr | A::BitXor | A::IntegerDivide, _) => {
            return Err(refuse(&left, &right));
        }
        (_, T::Decimal { .. }) => (T::Null, types::decimal_result(op, &left.ty(), &right.ty())),
        (_, ty) if types::is_number(&ty) => (ty.clone(), ty),
        _ => return Err(refuse(&left, &right)),
    };
    // decimals keep their own scales
    let fit = |expr| {
        if operands == T::Null {
            expr
        } else {
            coerce(expr, &operands)
        }
    };
    Ok(Expr::Arithmetic {
        op,
        left: Box::new(fit(left)),
        right: Box::new(fit(right)),
        ty,
    })
}

/// A date plus or minus a number of days.
fn shift_date(op: ArithmeticOp, left: &Expr, right: &Expr) -> Option<Result<Expr>> {
    let days = |ty: LogicalType| {
        matches!(
            ty,
            LogicalType::Int8 | LogicalType::Int16 | LogicalType::Int32
        )
    };
    let (name, date, count) = match (op, left.ty(), right.ty()) {
        (ArithmeticOp::Add, LogicalType::Date, ty) if days(ty.clone()) => ("date_add", left, right),
        (ArithmeticOp::Add, ty, LogicalType::Date) if days(ty.clone()) => ("date_add", right, left),
        (ArithmeticOp::Subtract, LogicalType::Date, ty) if days(ty.clone()) => {
            ("date_sub", left, right)
        }
        _ => return None,
    };
    let args = vec![date.clone(), count.clone()];
    Some(function::resolve(name, args, Place::default()))
}

/// A cast that ANSI mode has, or one `allowed` without it.
fn cast(expr: Expr, ty: LogicalType, lenient: bool, allowed: bool) -> Result<Expr> {
    let from = expr.ty();
    if let LogicalType::Variant(_) = from {
        return Err(PlanError::unsupported(
            "casts of variants are not supported",
        ));
    }
    if !allowed && !types::can_cast(&from, &ty) {
        let message = format!("{} cannot be cast to {ty}", with_article(&from));
        return Err(mismatch(message));
    }
    if let Expr::Literal(Scalar::Null, _) = expr {
        return Ok(Expr::null(ty));
    }
    Ok(Expr::Cast {
        expr: Box::new(expr),
        ty,
        lenient,
    })
}

#[cfg(test)]
mod tests;
