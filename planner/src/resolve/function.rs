//! The signatures of the supported functions: one table of argument and result types; `eval::function` evaluates
//! them.

use lith_format::types::LogicalType;

use super::name::distance;
use super::names;
use super::types::{common_type_of, is_number, max_decimal};
use super::{coerce, construct, is_integer};
use crate::error::{PlanError, Result};
use crate::expr::{Expr, Place, SHIFT_DAYS, TIMESTAMP};

/// What an argument is converted to.
#[derive(Clone, Copy, PartialEq)]
enum Arg {
    Text,
    Binary,
    Int,
    Date,
    Instant,
    /// Text or binary.
    Bytes,
    /// A number of any kind.
    Number,
    /// A bigint, a decimal, or a double, which other numbers become.
    Rounded,
    Double,
    /// Anything.
    Any,
    /// Anything, but all such arguments in one type.
    Same,
}

/// What a function gives.
#[derive(Clone, Copy)]
enum Gives {
    Text,
    Int,
    Bigint,
    Double,
    Date,
    Instant,
    Boolean,
    /// The type of the argument with this number.
    Like(usize),
    /// A whole number, wide enough.
    Whole,
    /// The argument's type rounded to as many digits as the second argument says.
    Rounded,
}

/// Names, arguments, how many of them must be there (`usize::MAX`: the last one repeats), result.
type Shape = (&'static [&'static str], &'static [Arg], usize, Gives);

const MANY: usize = usize::MAX;

const SHAPES: &[Shape] = {
    use Arg as A;
    use Gives as G;
    &[
        (
            &["upper", "ucase", "lower", "lcase", "initcap", "reverse"],
            &[A::Text],
            1,
            G::Text,
        ),
        (&["length", "len"], &[A::Bytes], 1, G::Int),
        (&["char_length", "character_length"], &[A::Bytes], 1, G::Int),
        (
            &["substr", "substring"],
            &[A::Text, A::Int, A::Int],
            2,
            G::Text,
        ),
        (&["left", "right"], &[A::Text, A::Int], 2, G::Text),
        (&["concat"], &[A::Text], MANY, G::Text),
        (
            &["trim", "ltrim", "rtrim", "btrim"],
            &[A::Text, A::Text],
            1,
            G::Text,
        ),
        (&["replace"], &[A::Text, A::Text, A::Text], 2, G::Text),
        (&["instr"], &[A::Text, A::Text], 2, G::Int),
        (&["abs"], &[A::Number], 1, G::Like(0)),
        (&["sign", "signum"], &[A::Double], 1, G::Double),
        (&["pmod"], &[A::Same, A::Same], 2, G::Like(0)),
        (&["floor", "ceil", "ceiling"], &[A::Rounded], 1, G::Whole),
        (&["round"], &[A::Number, A::Int], 1, G::Rounded),
        // a float stays one here, it holds the same number
        (&["isnan"], &[A::Double], 1, G::Boolean),
        (&["nanvl"], &[A::Double, A::Double], 2, G::Double),
        (
            &["year", "quarter", "month", "day", "dayofmonth"],
            &[A::Date],
            1,
            G::Int,
        ),
        (
            &["dayofweek", "weekday", "dayofyear"],
            &[A::Date],
            1,
            G::Int,
        ),
        (&["hour", "minute", "second"], &[A::Instant], 1, G::Int),
        (&["to_date"], &[A::Any], 1, G::Date),
        (&["to_timestamp"], &[A::Any], 1, G::Instant),
        (&["date_trunc"], &[A::Text, A::Instant], 2, G::Instant),
        (&["trunc"], &[A::Date, A::Text], 2, G::Date),
        (&["date_add", "date_sub"], &[A::Date, A::Int], 2, G::Date),
        (&["datediff", "date_diff"], &[A::Date, A::Date], 2, G::Int),
        (&["unix_date"], &[A::Date], 1, G::Int),
        (&["last_day"], &[A::Date], 1, G::Date),
        (&["make_date"], &[A::Int, A::Int, A::Int], 3, G::Date),
        (
            &["coalesce", "greatest", "least"],
            &[A::Same],
            MANY,
            G::Like(0),
        ),
        (&["nvl", "ifnull"], &[A::Same, A::Same], 2, G::Like(0)),
        (&["nvl2"], &[A::Any, A::Same, A::Same], 3, G::Like(1)),
        (&["nullif"], &[A::Same, A::Same], 2, G::Like(0)),
        // known by type alone: they can be classified, but not computed
        (&["rand", "random", "randn"], &[A::Any], 0, G::Double),
        (&["uuid", "input_file_name"], &[], 0, G::Text),
        (&["monotonically_increasing_id"], &[], 0, G::Bigint),
        (&["md5"], &[A::Binary], 1, G::Text),
        (&["hash"], &[A::Any], MANY, G::Int),
        (
            &["regexp_replace"],
            &[A::Text, A::Text, A::Text, A::Int],
            3,
            G::Text,
        ),
        (&["get_json_object"], &[A::Text, A::Text], 2, G::Text),
        (&["date_format"], &[A::Instant, A::Text], 2, G::Text),
        (&["unix_timestamp"], &[A::Instant], 1, G::Bigint),
    ]
};

pub(super) fn resolve(name: &str, args: Vec<Expr>, place: Place) -> Result<Expr> {
    if name == "positive" {
        return args
            .into_iter()
            .next()
            .filter(|arg| is_number(&arg.ty()))
            .ok_or_else(|| PlanError::type_mismatch("+ takes a number"));
    }
    if let Some(value) = construct::constructed(name, &args) {
        return Ok(value);
    }
    if let (SHIFT_DAYS, [date, days]) = (name, &args[..]) {
        return match date.ty() {
            LogicalType::Date => resolve("date_add", vec![date.clone(), days.clone()], place),
            _ => Err(PlanError::unsupported(
                "intervals are supported on dates only",
            )),
        };
    }
    let Some((_, shape, required, gives)) = SHAPES.iter().find(|shape| shape.0.contains(&name))
    else {
        return Err(unknown(name));
    };
    let most = if *required == MANY { MANY } else { shape.len() };
    let least = if *required == MANY { 1 } else { *required };
    if !(least..=most).contains(&args.len()) {
        return Err(other_arguments(name, args.len()));
    }
    let args = with_defaults(name, args);
    let wanted = |index: usize| shape[index.min(shape.len() - 1)];
    let same = (0..args.len()).filter(|&index| wanted(index) == Arg::Same);
    let common = common_type_of(same.map(|index| args[index].ty())).ok_or_else(|| {
        PlanError::type_mismatch(format!("the arguments of {name} have no common type"))
    })?;
    let args: Vec<Expr> = args
        .into_iter()
        .enumerate()
        .map(|(index, arg)| convert(name, arg, wanted(index), &common))
        .collect::<Result<_>>()?;
    let ty = result_type(*gives, &args);
    Ok(Expr::Function {
        name: name.to_owned(),
        args,
        ty,
        place,
    })
}

/// Spark has some functions with more arguments than are computed here.
fn other_arguments(name: &str, count: usize) -> PlanError {
    match (name, count) {
        ("to_date" | "to_timestamp", 2) => {
            PlanError::unsupported(format!("{name} with a format is not supported"))
        }
        ("ceil" | "ceiling" | "floor", 2)
        | ("datediff" | "date_diff", 3)
        | ("uuid", 1)
        | ("unix_timestamp", 0 | 2) => {
            PlanError::unsupported(format!("{name} of {count} arguments is not supported"))
        }
        _ => PlanError::type_mismatch(format!("{name} does not take {count} arguments")),
    }
}

fn unknown(name: &str) -> PlanError {
    let letters = |text: &str| text.chars().collect::<Vec<char>>();
    let computed = SHAPES.iter().flat_map(|shape| shape.0.iter().copied());
    let known = computed.chain(names::all());
    let apart = |other: &&str| distance(&letters(name), &letters(other));
    let nearest = known
        .min_by_key(apart)
        .filter(|other| apart(other) * 3 <= name.len());
    if names::is_function(name) || name.contains('.') {
        return PlanError::unsupported(format!("the function {name} is not supported"));
    }
    let error = PlanError::parse(format!("there is no function {name}"));
    match nearest {
        Some(other) => error.noting(&format!("did you mean {other}?")),
        None => error,
    }
}

fn with_defaults(name: &str, mut args: Vec<Expr>) -> Vec<Expr> {
    match (name, args.len()) {
        ("substr" | "substring", 2) => args.push(Expr::int(i32::MAX)),
        ("round", 1) => args.push(Expr::int(0)),
        ("replace", 2) => args.push(Expr::string("")),
        ("regexp_replace", 3) => args.push(Expr::int(1)),
        _ => {}
    }
    args
}

fn convert(name: &str, arg: Expr, wanted: Arg, common: &LogicalType) -> Result<Expr> {
    use LogicalType as T;
    let ty = arg.ty();
    let refuse =
        || Err(PlanError::type_mismatch(format!("{name} does not take {ty}")).at(arg.span()));
    let target = match (wanted, &ty) {
        (Arg::Any, _) => return Ok(arg),
        (Arg::Same, _) => common.clone(),
        (_, ty) if ty.is_nested() => return refuse(),
        (Arg::Text, _) => T::String,
        (Arg::Binary, T::String | T::Binary | T::Null) => T::Binary,
        (Arg::Bytes, T::Binary) => T::Binary,
        (Arg::Bytes, _) => T::String,
        (Arg::Int, T::Int8 | T::Int16 | T::Int32 | T::String | T::Null) => T::Int32,
        (Arg::Int, T::Int64) if matches!(arg, Expr::Literal(..)) => T::Int32,
        (Arg::Date, T::Date | T::Timestamp { .. } | T::String | T::Null) => T::Date,
        (Arg::Instant, instant @ T::Timestamp { .. }) => instant.clone(),
        (Arg::Instant, T::Time { .. }) if matches!(name, "hour" | "minute" | "second") => ty,
        (Arg::Instant, T::Date | T::String | T::Null) => TIMESTAMP,
        (Arg::Number, T::String | T::Null) => T::Float64,
        (Arg::Number, number) if is_number(number) => number.clone(),
        (Arg::Rounded, T::Int64 | T::Decimal { .. }) => ty,
        (Arg::Rounded, ty) if is_number(ty) || matches!(ty, T::String | T::Null) => T::Float64,
        (Arg::Double, T::Float32) => T::Float32,
        (Arg::Double, ty) if is_number(ty) || matches!(ty, T::String | T::Null) => T::Float64,
        _ => return refuse(),
    };
    Ok(coerce(arg, &target))
}

fn result_type(gives: Gives, args: &[Expr]) -> LogicalType {
    use LogicalType as T;
    let first = || args.first().map_or(T::Null, Expr::ty);
    match gives {
        Gives::Text => T::String,
        Gives::Int => T::Int32,
        Gives::Bigint => T::Int64,
        Gives::Double => T::Float64,
        Gives::Date => T::Date,
        Gives::Boolean => T::Boolean,
        Gives::Instant => match args.last().map(Expr::ty) {
            Some(instant @ T::Timestamp { .. }) => instant,
            _ => TIMESTAMP,
        },
        Gives::Like(index) => args.get(index).map_or(T::Null, Expr::ty),
        Gives::Whole => match first() {
            T::Decimal { precision, scale } => {
                max_decimal(u32::from(precision - scale) + u32::from(scale > 0), 0)
            }
            _ => T::Int64,
        },
        Gives::Rounded => match (first(), args.get(1)) {
            (T::Decimal { precision, scale }, Some(Expr::Literal(digits, _))) => {
                let digits = match digits {
                    lith_format::scalar::Scalar::Int(digits) => *digits,
                    _ => 0,
                };
                let kept = u8::try_from(digits.clamp(0, i64::from(scale))).unwrap_or(0);
                let carry = u32::from(kept < scale);
                max_decimal(
                    u32::from(precision - scale) + carry + u32::from(kept),
                    kept.into(),
                )
            }
            (ty, _) if is_integer(&ty) => ty,
            (ty, _) => ty,
        },
    }
}
