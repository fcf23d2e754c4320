//! Finds the column of a name, and suggests similar names if there is none.

use lith_format::names::{self, Meaning};
use lith_format::scan::TableSchema;
use lith_format::schema::Field;
use lith_format::types::LogicalType;

use super::element;
use crate::error::{PlanError, PlanErrorKind, Result};
use crate::expr::{Bound, Column, Expr, identifier_sql};

/// How many names an error proposes.
const PROPOSALS: usize = 3;

/// A column by its name; what follows the name of a map is a key of it, then names below the value.
pub(super) fn bind(mut column: Column, table: &TableSchema) -> Result<Expr> {
    let span = column.span;
    let (bound, parts) = find(&column.path, table).map_err(|error| error.at(span))?;
    let below = column.path.split_off(parts);
    column.bound = Some(bound);
    let column = Expr::Column(column);
    below.iter().try_fold(column, |expr, name| {
        element::field(expr, name).map_err(|error| error.at(span))
    })
}

/// Refuses names of resolved columns and fields that are written in another case than the table's.
///
/// # Errors
/// An unknown column for the first of them.
pub fn check_case(expr: &Expr, table: &TableSchema) -> Result<()> {
    let mut wrong = None;
    expr.for_each(|expr| {
        let found = match expr {
            Expr::Column(column) => other_case(column, table),
            Expr::Field {
                expr, name, index, ..
            } => {
                let field = expr.ty().field(*index);
                field
                    .filter(|field| field.name != *name)
                    .map(|field| (name.clone(), field.name))
            }
            _ => None,
        };
        if let (Some((name, meant)), None) = (found, &wrong) {
            let kind = PlanErrorKind::UnknownColumn {
                nearest: vec![meant],
            };
            let message = format!("no column {name} in this case");
            wrong = Some(PlanError::new(kind, message).at(expr.span()));
        }
    });
    wrong.map_or(Ok(()), Err)
}

/// The first part of a column's name that is in another case than the table's, and what it means.
fn other_case(column: &Column, table: &TableSchema) -> Option<(String, String)> {
    let bound = column.bound.as_ref()?;
    let mut field = table.schema.fields.get(bound.index)?.clone();
    let mut fields = bound.fields.iter();
    for name in &column.path {
        if field.name != *name {
            return Some((name.clone(), field.name));
        }
        field = field.ty.field(*fields.next()?)?;
    }
    None
}

/// The field of this name of a struct, of the elements of an array of structs, or of a union, and which it is. The
/// error calls the field `full`.
pub(super) fn field(
    ty: &LogicalType,
    name: &str,
    full: impl FnOnce() -> String,
) -> Result<(usize, Field)> {
    let inner = match ty {
        LogicalType::List(element) => element.ty.struct_fields(),
        LogicalType::Union(members) => Some(&members[..]),
        ty => ty.struct_fields(),
    };
    let refuse = || {
        let message = format!("{} has no field {name}", super::with_article(ty));
        PlanError::type_mismatch(message)
    };
    let inner = inner.ok_or_else(refuse)?;
    let index = position(name, inner)?.ok_or_else(|| unknown(name, &full(), inner))?;
    let field = ty.field(index).ok_or_else(refuse)?;
    Ok((index, field))
}

/// What the first parts of a path mean as a column, and how many they are.
fn find(path: &[String], table: &TableSchema) -> Result<(Bound, usize)> {
    let Some((first, rest)) = path.split_first() else {
        return Err(PlanError::parse("a column without a name"));
    };
    let fields = &table.schema.fields;
    let index = position(first, fields)?.ok_or_else(|| match first.as_str() {
        "_metadata" => PlanError::unsupported("the column _metadata of files is not supported"),
        _ => unknown(first, first, fields),
    })?;
    let mut field = fields[index].clone();
    let mut indices = Vec::with_capacity(rest.len());
    for name in rest {
        if let LogicalType::Map(_) = field.ty {
            break;
        }
        let (at, below) = self::field(&field.ty, name, || path.join("."))?;
        indices.push(at);
        let nullable = field.nullable || below.nullable;
        field = Field { nullable, ..below };
    }
    let parts = 1 + indices.len();
    let nullable = field.nullable;
    if let LogicalType::Decimal {
        precision: 39.., ..
    } = field.ty
    {
        let name = identifier_sql(&path.join("."));
        return Err(PlanError::unsupported(format!(
            "{name} is a {}: more than 38 digits are not supported",
            field.ty
        )));
    }
    let bound = Bound {
        index,
        fields: indices,
        ty: element::part_type(&field.ty),
        nullable,
    };
    Ok((bound, parts))
}

/// The field of this name.
fn position(name: &str, fields: &[Field]) -> Result<Option<usize>> {
    let meaning = names::find(fields, name);
    match meaning {
        Meaning::Nothing => Ok(None),
        Meaning::Field(index) => Ok(Some(index)),
        Meaning::Several(..) => {
            let why = meaning.ambiguity(fields).unwrap_or_default();
            let message = format!("{} is ambiguous: {why}", identifier_sql(name));
            Err(PlanError::new(PlanErrorKind::AmbiguousColumn, message))
        }
    }
}

fn unknown<'a>(name: &str, full: &str, fields: &'a [Field]) -> PlanError {
    let folded: Vec<char> = name.to_lowercase().chars().collect();
    let lower = |name: &str| -> Vec<char> { name.to_lowercase().chars().collect() };
    let near = |field: &'a Field| {
        let other = lower(&field.name);
        let most = folded.len().max(other.len()) / 2;
        // so many letters must come or go, whichever they are
        if folded.len().abs_diff(other.len()) > most {
            return None;
        }
        let distance = distance(&folded, &other);
        (distance <= most).then_some((distance, field.name.as_str()))
    };
    let mut ranked: Vec<(usize, &str)> = fields.iter().filter_map(near).collect();
    ranked.sort_by_key(|(distance, _)| *distance);
    let nearest = ranked
        .iter()
        .take(PROPOSALS)
        .map(|(_, name)| (*name).to_owned())
        .collect();
    let message = match name {
        "" => "no column has an empty name".to_owned(),
        name if is_no_number(name) => format!("no column {full}: the number is double('{name}')"),
        _ => format!("no column {full}"),
    };
    PlanError::new(PlanErrorKind::UnknownColumn { nearest }, message)
}

/// Whether it is a word for what is no finite number.
fn is_no_number(name: &str) -> bool {
    ["nan", "inf", "infinity"].contains(&name.to_ascii_lowercase().as_str())
}

/// How many letters must be put in, taken out or exchanged to get from one word to the other.
pub(super) fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_count_single_letters() {
        for (a, b, expected) in [
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("ab", "ab", 0),
            ("ab", "ba", 2),
        ] {
            let [a, b] = [a, b].map(|word| word.chars().collect::<Vec<char>>());
            assert_eq!(distance(&a, &b), expected);
        }
    }
}
