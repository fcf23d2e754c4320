//! Tables whose columns do not come from one of their files: declared by the user, or merged from several files.
//!
//! ```text
//! declared  id bigint, part string      part=01/..   the directory's text is '01', whatever it looks like
//! merged    (id, a) and (id, b)         id, a, b     null where a file lacks a column
//! ```

use lith_format::names::{self, Meaning};
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;

use crate::ansi::widens;
use crate::discover::{Dataset, Partition};
use crate::error::{PlanError, Result};
use crate::eval;
use crate::expr::Expr;
use crate::infer::infer_column;
use crate::plan::Table;

impl Table {
    /// Files of declared columns. `dataset` has the texts of partition columns
    /// ([`PartitionTypes::Text`](crate::discover::PartitionTypes::Text)); those that are declared, too, have the
    /// declared type, others the type that their texts suggest.
    ///
    /// # Errors
    /// A text that is no value of the declared type, and names that differ by case only.
    pub fn declared(columns: &Schema, mut dataset: Dataset) -> Result<Table> {
        for index in 0..dataset.partition_columns.len() {
            let texts = dataset
                .partitions
                .iter()
                .map(|partition| &partition.values[index]);
            let declared =
                match names::find(&columns.fields, &dataset.partition_columns[index].name) {
                    Meaning::Nothing => None,
                    Meaning::Field(index) => columns.fields.get(index),
                    meaning @ Meaning::Several(..) => {
                        let why = meaning.ambiguity(&columns.fields).unwrap_or_default();
                        return Err(PlanError::parse(why));
                    }
                };
            let (ty, values) = match declared {
                Some(field) => (field.ty.clone(), converted(texts, &field.ty)?),
                None => infer_column(texts.map(text)),
            };
            dataset.partition_columns[index].ty = ty;
            let partitions: &mut Vec<Partition> = &mut dataset.partitions;
            for (partition, value) in partitions.iter_mut().zip(values) {
                partition.values[index] = value;
            }
        }
        Ok(Table::new(columns, dataset))
    }
}

fn text(value: &Scalar) -> Option<&str> {
    match value {
        Scalar::String(text) => Some(text),
        _ => None,
    }
}

fn converted<'a>(texts: impl Iterator<Item = &'a Scalar>, ty: &LogicalType) -> Result<Vec<Scalar>> {
    let one = |value: &Scalar| match value {
        Scalar::Null => Ok(Scalar::Null),
        text => eval::constant(&Expr::Literal(text.clone(), LogicalType::String).cast(ty.clone())),
    };
    texts.map(one).collect()
}

/// The columns of all, in the order in which they first appear. Where types of one column differ, the wider one counts.
///
/// # Errors
/// Types of which neither holds the values of the other.
pub fn merged<'a>(schemas: impl IntoIterator<Item = &'a Schema>) -> Result<Schema> {
    let mut fields = Vec::new();
    for schema in schemas {
        merge_into(&mut fields, &schema.fields)?;
    }
    Ok(Schema::new(fields))
}

fn merge_into(fields: &mut Vec<Field>, others: &[Field]) -> Result<()> {
    for other in others {
        let same = |field: &&mut Field| field.name.to_lowercase() == other.name.to_lowercase();
        match fields.iter_mut().find(same) {
            Some(field) => {
                *field = wider_field(field, other).ok_or_else(|| {
                    let (name, a, b) = (&field.name, &field.ty, &other.ty);
                    PlanError::type_mismatch(format!(
                        "{name} is {a} in one file and {b} in another"
                    ))
                })?;
            }
            None => fields.push(other.clone()),
        }
    }
    Ok(())
}

fn wider(a: &LogicalType, b: &LogicalType) -> Option<LogicalType> {
    use LogicalType as T;
    match (a, b) {
        (a, b) if a == b || widens(b, a) => Some(a.clone()),
        (a, b) if widens(a, b) => Some(b.clone()),
        (T::Struct(a), T::Struct(b)) => {
            let mut fields = a.to_vec();
            merge_into(&mut fields, b).ok()?;
            Some(T::Struct(fields.into()))
        }
        (T::List(a), T::List(b)) => Some(T::List(wider_field(a, b)?.into())),
        (T::Map(a), T::Map(b)) => {
            let [key, value] = [wider_field(&a[0], &b[0])?, wider_field(&a[1], &b[1])?];
            Some(T::Map([key, value].into()))
        }
        _ => None,
    }
}

/// The first of two fields of the same meaning, as wide as both.
fn wider_field(a: &Field, b: &Field) -> Option<Field> {
    Some(Field {
        name: a.name.clone(),
        ty: wider(&a.ty, &b.ty)?,
        nullable: a.nullable || b.nullable,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ddl::parse_columns;

    fn texts(values: &[Option<&str>]) -> Dataset {
        let partition = |value: &Option<&str>| Partition {
            directory: format!("p={}", value.unwrap_or_default()),
            values: vec![value.map_or(Scalar::Null, Scalar::string)],
        };
        Dataset {
            files: Vec::new(),
            partitions: values.iter().map(partition).collect(),
            partition_columns: vec![Field::nullable("p", LogicalType::String)],
        }
    }

    #[test]
    fn directories_have_the_declared_type_or_the_one_that_fits() {
        let values = |columns: &str, texts: Dataset| {
            let table = Table::declared(&parse_columns(columns).unwrap(), texts)?;
            let partitions = table.dataset.partitions.into_iter();
            Ok::<_, PlanError>(
                partitions
                    .map(|mut p| p.values.remove(0))
                    .collect::<Vec<_>>(),
            )
        };
        let some = || texts(&[Some("01"), None, Some("2")]);
        let text = |text| Scalar::string(text);
        assert_eq!(
            values("a int, P string", some()).unwrap(),
            [text("01"), Scalar::Null, text("2")]
        );
        assert_eq!(
            values("a int", some()).unwrap(),
            [Scalar::Int(1), Scalar::Null, Scalar::Int(2)]
        );
        assert_eq!(
            values("p bigint", some()).unwrap(),
            [Scalar::Int(1), Scalar::Null, Scalar::Int(2)]
        );
        assert!(values("p date", some()).is_err());
    }

    #[test]
    fn merged_columns_widen_and_keep_their_order() {
        let schemas = [
            "id int, s struct<x int>, m map<string, int>",
            "b double, ID bigint, s struct<y int>, m map<string, bigint>",
        ];
        let schemas = schemas.map(|text| parse_columns(text).unwrap());
        let all = merged(&schemas).unwrap();
        assert_eq!(
            all.to_string(),
            "struct<id:bigint,s:struct<x:int,y:int>,m:map<string,bigint>,b:double>"
        );
        let schemas = ["id int", "id string"].map(|text| parse_columns(text).unwrap());
        assert!(merged(&schemas).is_err());
    }
}
