//! Calls that are replaced by literals: arrays and structs of literals, and the name of a type.

use std::sync::Arc;

use lith_format::scalar::Scalar;
use lith_format::schema::Field;
use lith_format::types::LogicalType;

use super::coerce;
use super::types::{common_type_of, spark_type};
use crate::expr::Expr;

/// The value that a call stands for; `None` if it is another call, or names a column.
pub(super) fn constructed(name: &str, args: &[Expr]) -> Option<Expr> {
    match (name, args) {
        ("typeof", [value]) => Some(Expr::string(&spark_type(&value.ty()).to_string())),
        ("array", _) => array(args),
        ("named_struct", _) => named_struct(args),
        _ => None,
    }
}

fn literal(expr: &Expr) -> Option<(Scalar, LogicalType)> {
    match expr {
        Expr::Literal(value, ty) => Some((value.clone(), ty.clone())),
        _ => None,
    }
}

fn array(args: &[Expr]) -> Option<Expr> {
    let ty = common_type_of(args.iter().map(Expr::ty))?;
    let element = |arg: &Expr| Some(literal(&coerce(arg.clone(), &ty))?.0);
    let values = args.iter().map(element).collect::<Option<_>>()?;
    let ty = LogicalType::List(Field::nullable("element", ty).into());
    Some(Expr::Literal(Scalar::List(values), ty))
}

/// Of names and values in turn.
fn named_struct(args: &[Expr]) -> Option<Expr> {
    let (mut values, mut fields) = (Vec::new(), Vec::new());
    for pair in args.chunks(2) {
        let [name, value] = pair else { return None };
        let (Scalar::String(name), (value, ty)) = (literal(name)?.0, literal(value)?) else {
            return None;
        };
        fields.push(Field::nullable(&*name, ty));
        values.push((name, value));
    }
    let ty = LogicalType::Struct(Arc::from(fields));
    Some(Expr::Literal(Scalar::Struct(values), ty))
}
