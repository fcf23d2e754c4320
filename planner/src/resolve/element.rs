//! Parts of arrays, maps and structs: fields, elements, values by key, and functions that take them whole.

use lith_format::types::LogicalType;

use super::types::{common_type_of, spark_type};
use super::{coerce, is_integer, name, with_article};
use crate::error::{PlanError, Result};
use crate::expr::{Expr, Place, SUBSCRIPT, identifier_sql};

/// The functions of arrays and maps.
const NAMES: [&str; 10] = [
    "size",
    "cardinality",
    "array_size",
    "get",
    "element_at",
    "try_element_at",
    "array_contains",
    "map_contains_key",
    "map_keys",
    "map_values",
];

/// The type that a part of a nested column has in expressions.
pub(super) fn part_type(ty: &LogicalType) -> LogicalType {
    match ty {
        // it is compared as it is printed
        LogicalType::Uuid => LogicalType::Uuid,
        ty => spark_type(ty),
    }
}

/// The field of this name of a struct, or of each element of an array of structs; of a map, the value of
/// this key.
pub(super) fn field(expr: Expr, name: &str) -> Result<Expr> {
    let ty = expr.ty();
    if let LogicalType::Map(_) = ty {
        return item(expr, Expr::string(name), Place::default());
    }
    let path = || format!("{}.{}", expr.sql(), identifier_sql(name));
    let (index, field) = name::field(&ty, name, path)?;
    Ok(Expr::Field {
        expr: Box::new(expr),
        name: name.to_owned(),
        index,
        ty: part_type(&field.ty),
    })
}

/// `a[key]`: the element of an array, the value of a map, the field of a struct.
fn item(container: Expr, key: Expr, place: Place) -> Result<Expr> {
    let ty = container.ty();
    match (&ty, &key) {
        (LogicalType::List(_) | LogicalType::Map(_), _) => {
            let (key, ty) = keyed(SUBSCRIPT, &ty, key)?;
            Ok(call(SUBSCRIPT, vec![container, key], ty, place))
        }
        (LogicalType::Struct(_), Expr::Literal(name, LogicalType::String)) => {
            let name = name.as_bytes().unwrap_or_default();
            field(container, &String::from_utf8_lossy(name))
        }
        _ => Err(mismatch(format!("{} has no elements", with_article(&ty)))),
    }
}

/// The key in the type that the container takes, and the type of what it finds.
fn keyed(name: &str, container: &LogicalType, key: Expr) -> Result<(Expr, LogicalType)> {
    let refuse = |key: &Expr| {
        let message = format!("{name} does not find {} in {container}", key.ty());
        mismatch(message).at(key.span())
    };
    match container {
        LogicalType::List(element) if is_integer(&key.ty()) => Ok((key, part_type(&element.ty))),
        LogicalType::Map(entry) => {
            let ty = part_type(&entry[0].ty);
            match common_type_of([ty.clone(), key.ty()]) {
                Some(common) if common == ty && !ty.is_nested() => {
                    Ok((coerce(key, &ty), part_type(&entry[1].ty)))
                }
                _ => Err(refuse(&key)),
            }
        }
        _ => Err(refuse(&key)),
    }
}

/// A call of a function on arrays or maps; `None` if there is none of this name.
pub(super) fn resolve(name: &str, args: &[Expr], place: Place) -> Option<Result<Expr>> {
    use LogicalType as T;
    let types: Vec<T> = args.iter().map(Expr::ty).collect();
    let same = |name, ty| Ok(call(name, args.to_vec(), ty, place));
    Some(match (name, args, &types[..]) {
        (SUBSCRIPT, [container, key], _) => item(container.clone(), key.clone(), place),
        ("size" | "cardinality", [_], [T::List(_) | T::Map(_)]) => same(name, T::Int32),
        ("array_size", [_], [T::List(_)]) => same("size", T::Int32),
        ("get", [array, index], [ty @ T::List(_), _])
        | ("element_at" | "try_element_at", [array, index], [ty @ (T::List(_) | T::Map(_)), _]) => {
            let keyed = keyed(name, ty, index.clone());
            keyed.map(|(key, ty)| call(name, vec![array.clone(), key], ty, place))
        }
        ("array_contains", [array, value], [T::List(element), _]) => {
            contains(array.clone(), value.clone(), &part_type(&element.ty), place)
        }
        ("map_contains_key", [map, key], [T::Map(entry), _]) => {
            let keys = T::List(entry[0].clone().into());
            let keys = call("map_keys", vec![map.clone()], keys, place);
            contains(keys, key.clone(), &part_type(&entry[0].ty), place)
        }
        ("map_keys", [_], [T::Map(entry)]) => same(name, T::List(entry[0].clone().into())),
        ("map_values", [_], [T::Map(entry)]) => same(name, T::List(entry[1].clone().into())),
        (name, ..) if NAMES.contains(&name) => {
            let types: Vec<String> = types.iter().map(T::to_string).collect();
            Err(mismatch(format!(
                "{name} does not take {}",
                types.join(", ")
            )))
        }
        _ => return None,
    })
}

/// Whether an array holds a value of the type that its elements have.
fn contains(array: Expr, value: Expr, element: &LogicalType, place: Place) -> Result<Expr> {
    match common_type_of([element.clone(), value.ty()]) {
        _ if element.is_nested() => Err(PlanError::unsupported(format!(
            "comparing values of {element} is not supported"
        ))),
        Some(common) if common == *element => {
            let value = coerce(value, element);
            let ty = LogicalType::Boolean;
            Ok(call("array_contains", vec![array, value], ty, place))
        }
        Some(_) => Err(PlanError::unsupported(format!(
            "comparing elements of {element} with {} is not supported",
            value.ty()
        ))),
        None => Err(mismatch(format!(
            "array_contains does not find {} in {}",
            value.ty(),
            array.ty()
        ))),
    }
}

fn call(name: &str, args: Vec<Expr>, ty: LogicalType, place: Place) -> Expr {
    Expr::Function {
        name: name.to_owned(),
        args,
        ty,
        place,
    }
}

fn mismatch(message: String) -> PlanError {
    PlanError::type_mismatch(message)
}
