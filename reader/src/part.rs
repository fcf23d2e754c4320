//! The part of a file's column that a table asks for: structs cut down to the fields that the table's type
//! names, so that the leaves of the others are not read.
//!
//! ```text
//! file   s: struct<a, b: struct<c, d>, l: list<struct<e, f>>>        leaves 0 1 2 3 4
//! table  s: struct<b: struct<d>, l: list<struct<e>>>                 part: leaves 2, 3
//! ```

use std::sync::Arc;

use lith_format::error::Result;
use lith_format::names::Names;
use lith_format::schema::Field;
use lith_format::types::LogicalType;

/// A column of a file, or less of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The column with the fields that are left.
    pub field: Field,
    /// The leaves that are left, counted from the column's first, ascending.
    pub leaves: Vec<usize>,
}

impl Part {
    /// All of a column.
    pub fn whole(field: &Field) -> Part {
        Part {
            field: field.clone(),
            leaves: (0..field.leaf_count()).collect(),
        }
    }

    /// What is needed of a file's column for a table's type.
    ///
    /// # Errors
    /// A name that two fields answer to when case is ignored.
    pub fn of(held: &Field, wanted: &LogicalType) -> Result<Part> {
        if *wanted == held.ty {
            return Ok(Part::whole(held));
        }
        let mut leaves = Vec::new();
        let field = cut(held, wanted, 0, &mut leaves)?;
        Ok(Part { field, leaves })
    }
}

/// The field, whose first leaf has this number, without what is not wanted; what is left goes to `leaves`.
fn cut(held: &Field, wanted: &LogicalType, first: usize, leaves: &mut Vec<usize>) -> Result<Field> {
    use LogicalType as T;
    let ty = match (&held.ty, wanted) {
        (T::Struct(_), T::Struct(_)) => T::Struct(cut_struct(&held.ty, wanted, first, leaves)?),
        (T::List(element), T::List(wanted)) => {
            T::List(Arc::new(cut(element, &wanted.ty, first, leaves)?))
        }
        (T::Map(entry), T::Map(wanted)) => {
            let values = first + entry[0].leaf_count();
            T::Map(Arc::new([
                cut(&entry[0], &wanted[0].ty, first, leaves)?,
                cut(&entry[1], &wanted[1].ty, values, leaves)?,
            ]))
        }
        _ => {
            leaves.extend(first..first + held.leaf_count());
            held.ty.clone()
        }
    };
    Ok(Field { ty, ..held.clone() })
}

/// The wanted fields of a struct. If it has none of them, its first leaf is read to know where it is null.
fn cut_struct(
    held: &LogicalType,
    wanted: &LogicalType,
    first: usize,
    leaves: &mut Vec<usize>,
) -> Result<Arc<[Field]>> {
    let held = held.fields();
    let names = Names::new(held);
    let mut asked = vec![None; held.len()];
    for (index, field) in wanted.fields().iter().enumerate() {
        if let Some(found) = names.near(&field.name, index)? {
            asked[found] = Some(&field.ty);
        }
    }
    let nothing = LogicalType::Struct(Arc::from(Vec::new()));
    if asked.iter().all(Option::is_none) {
        let place = held.iter().position(|field| field.leaf_count() > 0);
        place
            .into_iter()
            .for_each(|place| asked[place] = Some(&nothing));
    }
    let mut at = first;
    let mut kept = Vec::new();
    for (field, wanted) in held.iter().zip(asked) {
        if let Some(wanted) = wanted {
            kept.push(cut(field, wanted, at, leaves)?);
        }
        at += field.leaf_count();
    }
    Ok(kept.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, ty: LogicalType) -> Field {
        Field::nullable(name, ty)
    }

    fn structure(fields: Vec<Field>) -> LogicalType {
        LogicalType::Struct(fields.into())
    }

    fn int(name: &str) -> Field {
        field(name, LogicalType::Int32)
    }

    fn list(element: Field) -> LogicalType {
        LogicalType::List(Arc::new(element))
    }

    fn held() -> Field {
        let inner = structure(vec![int("c"), int("d")]);
        let elements = list(field("element", structure(vec![int("e"), int("f")])));
        let fields = vec![int("a"), field("b", inner), field("l", elements)];
        field("s", structure(fields))
    }

    #[test]
    fn only_what_is_named_is_left() {
        let elements = list(field("element", structure(vec![int("E")])));
        let inner = structure(vec![field("d", LogicalType::Int64), int("new")]);
        let wanted = structure(vec![field("l", elements), field("b", inner)]);
        let part = Part::of(&held(), &wanted).unwrap();
        assert_eq!(part.leaves, [2, 3]);
        assert_eq!(
            part.field.ty.to_string(),
            "struct<b:struct<d:int>,l:array<struct<e:int>>>"
        );
        assert_eq!(Part::of(&held(), &held().ty).unwrap(), Part::whole(&held()));
        assert_eq!(Part::whole(&held()).leaves, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn one_leaf_tells_where_a_struct_without_wanted_fields_is_null() {
        let wanted = structure(vec![field("b", structure(vec![int("x")]))]);
        let part = Part::of(&held(), &wanted).unwrap();
        assert_eq!(
            (part.leaves, part.field.ty.to_string()),
            (vec![1], "struct<b:struct<c:int>>".into())
        );
        let part = Part::of(&held(), &structure(vec![int("x")])).unwrap();
        assert_eq!(
            (part.leaves, part.field.ty.to_string()),
            (vec![0], "struct<a:int>".into())
        );
    }

    #[test]
    fn types_that_do_not_go_together_are_left_whole() {
        let part = Part::of(&held(), &LogicalType::Int32).unwrap();
        assert_eq!(part, Part::whole(&held()));
    }
}
