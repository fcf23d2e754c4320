//! Folds constants: expressions without columns become their value. Functions that are aliases are replaced.

use crate::ansi::widens;
use crate::error::{PlanErrorKind, Result};
use crate::expr::{Expr, Place};
use crate::normalize::shape::{is_constant, is_not_null_test, is_null_test};
use lith_format::filter::CompareOp;
use lith_format::types::LogicalType;

/// Replaces every constant part by its value. A part that cannot be computed fails, except inside IF,
/// CASE and COALESCE, where it may never be asked for; one whose function is not known here stays.
pub(super) fn constants(expr: Expr) -> Result<Expr> {
    fold(expr, false)
}

fn fold(expr: Expr, conditional: bool) -> Result<Expr> {
    if matches!(expr, Expr::Literal(..) | Expr::Column(_)) {
        return Ok(expr);
    }
    if is_constant(&expr) {
        return match crate::eval::constant(&expr) {
            Ok(value) => Ok(Expr::Literal(value, expr.ty())),
            Err(error) if conditional || *error.kind() == PlanErrorKind::Unsupported => Ok(expr),
            Err(error) => Err(error),
        };
    }
    let span = expr.span();
    let branches = matches!(expr, Expr::If { .. } | Expr::Case { .. })
        || matches!(&expr, Expr::Function { name, .. } if name == "coalesce");
    expr.map_children(&mut |child| fold(child, conditional || branches))
        .map_err(|error| error.at(span))
}

/// One step at this node: `nvl`, `nullif`, `left` and the like as what they stand for.
pub(super) fn spell_out(expr: Expr) -> Expr {
    let Expr::Function {
        name,
        args,
        ty,
        place,
    } = expr
    else {
        return expr;
    };
    match (name.as_str(), args.as_slice()) {
        ("nvl" | "ifnull", [_, _]) => function("coalesce", args, ty),
        ("nvl2", [tested, then, otherwise]) => choose(
            is_not_null_test(tested.clone()),
            then.clone(),
            otherwise.clone(),
        ),
        ("nullif", [value, other]) => choose(
            Expr::compare(value.clone(), CompareOp::Eq, other.clone()),
            Expr::null(ty),
            value.clone(),
        ),
        ("left", [text, length]) => function(
            "substring",
            vec![text.clone(), Expr::int(1), length.clone()],
            ty,
        ),
        ("right", [text, length]) => {
            let start = Expr::Negate(Box::new(length.clone()));
            let tail = function(
                "substring",
                vec![text.clone(), start, Expr::int(i32::MAX)],
                ty.clone(),
            );
            let none_wanted = Expr::compare(length.clone(), CompareOp::LtEq, Expr::int(0));
            let rest = choose(none_wanted, Expr::string(""), tail);
            choose(is_null_test(text.clone()), Expr::null(ty), rest)
        }
        ("concat", args) if args.iter().any(is_concat) => {
            let flat = args.iter().flat_map(|arg| match arg {
                Expr::Function { name, args, .. } if name == "concat" => args.as_slice(),
                other => std::slice::from_ref(other),
            });
            function("concat", flat.cloned().collect(), ty)
        }
        ("to_date", [value]) => value.clone().cast(LogicalType::Date),
        ("to_timestamp", [value]) => value.clone().cast(ty),
        _ => Expr::Function {
            name,
            args,
            ty,
            place,
        },
    }
}

/// One step at this node: a cast to the type that the value has already, and the inner one of two
/// casts that lose nothing.
pub(super) fn drop_idle_cast(expr: Expr) -> Expr {
    let is_exact = |ty: &LogicalType| !matches!(ty, LogicalType::Float32 | LogicalType::Float64);
    match expr {
        Expr::Cast { expr, ty, .. } if expr.ty() == ty => *expr,
        Expr::Cast { expr, ty, lenient } => match *expr {
            Expr::Cast {
                expr: inner,
                ty: between,
                lenient: false,
            } if is_exact(&ty) && widens(&inner.ty(), &between) && widens(&between, &ty) => {
                inner.cast(ty)
            }
            other => Expr::Cast {
                expr: Box::new(other),
                ty,
                lenient,
            },
        },
        other => other,
    }
}

fn function(name: &str, args: Vec<Expr>, ty: LogicalType) -> Expr {
    Expr::Function {
        name: name.into(),
        args,
        ty,
        place: Place::default(),
    }
}

fn is_concat(expr: &Expr) -> bool {
    matches!(expr, Expr::Function { name, .. } if name == "concat")
}

fn choose(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::If {
        condition: Box::new(condition),
        then: Box::new(then),
        otherwise: Box::new(otherwise),
    }
}

/// One step at this node: `rand()` lies in 0 to 1, so that some comparisons are known.
pub(super) fn judge_random(expr: Expr) -> Expr {
    let Expr::Compare { op, left, right } = &expr else {
        return expr;
    };
    let is_rand = matches!(&**left, Expr::Function { name, .. } if matches!(name.as_str(), "rand" | "random"));
    let (true, Expr::Literal(value, _)) = (is_rand, &**right) else {
        return expr;
    };
    let to = |bound: i64| value.compare(&lith_format::scalar::Scalar::Int(bound));
    let at_least_one = to(1).is_some_and(|order| order.is_ge());
    let below_zero = to(0).is_some_and(|order| order.is_lt());
    let at_most_zero = to(0).is_some_and(|order| order.is_le());
    match op {
        CompareOp::Lt | CompareOp::LtEq if at_least_one => Expr::boolean(true),
        CompareOp::GtEq | CompareOp::Gt if at_least_one => Expr::boolean(false),
        CompareOp::GtEq if at_most_zero => Expr::boolean(true),
        CompareOp::Gt if below_zero => Expr::boolean(true),
        CompareOp::Lt if at_most_zero => Expr::boolean(false),
        CompareOp::LtEq if below_zero => Expr::boolean(false),
        _ => expr,
    }
}
