//! Assigns the rows of a batch to partitions: a number for every combination of values, and its directory.
//!
//! Values are numbered as in a dictionary, so a row costs a look-up, and text is made once for each combination
//! in a batch.

use lith_format::error::{Error, Result};
use lith_format::partition::Segment;
use lith_format::render::render_text;
use lith_format::schema::Field;
use lith_format::types::{Layout, LogicalType};
use lith_format::vector::{Values, Vector};

use crate::intern::Interner;
use crate::leaf::{Leaf, with_buffer};
use crate::value_buffer::ValueBuffer;

/// The rows of a batch that belong to one partition.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// `name=value` for each partition column, outermost first.
    pub(crate) segments: Vec<String>,
    /// In ascending order.
    pub(crate) rows: Vec<u32>,
}

/// Splits `rows` rows by the values of `columns`, in order of first appearance.
pub(crate) fn split(columns: &[(&Field, &Vector)], rows: usize) -> Result<Vec<Group>> {
    let mut combined = vec![0u32; rows];
    for (field, vector) in columns {
        let (mut interner, mut pairs) = (Interner::default(), Vec::<u64>::new());
        for (code, own) in combined.iter_mut().zip(codes(field, vector)?) {
            *code = interner.code(&mut pairs, u64::from(*code) << 32 | u64::from(own));
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    for (row, &code) in combined.iter().enumerate() {
        if code as usize == groups.len() {
            let segment = |(field, vector): &(&Field, &Vector)| segment(field, vector, row);
            groups.push(Group {
                segments: columns.iter().map(segment).collect::<Result<_>>()?,
                rows: Vec::new(),
            });
        }
        groups[code as usize].rows.push(row as u32);
    }
    Ok(groups)
}

/// A number a row, equal where the values are.
fn codes(field: &Field, vector: &Vector) -> Result<Vec<u32>> {
    const NULL: u32 = u32::MAX;
    let numbers = match &vector.values {
        Values::Constant(_) | Values::Null => return Ok(vec![0; vector.len]),
        Values::Dictionary { codes, .. } => codes.clone(),
        _ => {
            let field = Field::nullable(&field.name, vector.ty.clone());
            let mut leaf = Leaf::new(&field, usize::MAX)?;
            let mut values = vector.clone();
            values.validity = None;
            leaf.append(&values, 0..vector.len)?;
            with_buffer!(leaf.data, buffer => match buffer {
                ValueBuffer::Coded { codes, .. } => codes,
                ValueBuffer::Plain(_) => return Err(not_a_key(&field)),
            })
        }
    };
    Ok(match &vector.validity {
        None => numbers,
        Some(bits) => {
            let number = |(number, valid)| if valid { number } else { NULL };
            numbers.into_iter().zip(bits.iter()).map(number).collect()
        }
    })
}

fn segment(field: &Field, vector: &Vector, row: usize) -> Result<String> {
    let segment = Segment {
        name: field.name.clone(),
        value: text(field, vector, row)?,
    };
    Ok(segment.to_string())
}

fn not_a_key(field: &Field) -> Error {
    Error::unsupported(format!("{} cannot be a partition column", field.ty)).at_column(&field.name)
}

/// A value as directories spell it: as text, but timestamps as Spark casts them; `None` is null.
fn text(field: &Field, vector: &Vector, row: usize) -> Result<Option<String>> {
    use LogicalType as T;
    let mut text = String::new();
    match &field.ty {
        ty if ty.is_nested() || !(ty.is_text() || ty.layout() != Layout::Bytes) => {
            return Err(not_a_key(field));
        }
        ty if ty.is_text() && !is_utf8(vector, row) => {
            let message = "a text that is not UTF-8 cannot name a directory";
            return Err(Error::invalid(message).at_column(&field.name));
        }
        _ if !render_text(vector, row, &mut text) => return Ok(None),
        T::Timestamp { .. } => {
            text = text.trim_end_matches('Z').replacen('T', " ", 1);
            if text.contains('.') {
                text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
            }
        }
        _ => {}
    }
    Ok(Some(text))
}

fn is_utf8(vector: &Vector, row: usize) -> bool {
    let value = vector.value(row);
    value
        .as_bytes()
        .is_none_or(|bytes| std::str::from_utf8(bytes).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::scalar::Scalar;
    use lith_format::types::{TimeUnit, Zone};
    use lith_format::vector::ByteViews;
    use std::sync::Arc;

    #[test]
    fn values_are_spelled_as_spark_spells_them() {
        let spell = |ty: LogicalType, value| {
            let field = Field::nullable("p", ty.clone());
            text(&field, &Vector::constant(ty, value, 1), 0).unwrap()
        };
        let at = |value, unit| {
            let zone = Zone::Utc;
            let value = Scalar::Timestamp { value, unit, zone };
            spell(LogicalType::Timestamp { unit, zone }, value).unwrap()
        };
        assert_eq!(at(-1, TimeUnit::Micros), "1969-12-31 23:59:59.999999");
        assert_eq!(at(1_500, TimeUnit::Millis), "1970-01-01 00:00:01.5");
        assert_eq!(at(0, TimeUnit::Nanos), "1970-01-01 00:00:00");
        let date = spell(LogicalType::Date, Scalar::Date(-719_162));
        assert_eq!(date.as_deref(), Some("0001-01-01"));
        let (precision, scale) = (5, 2);
        let decimal = spell(
            LogicalType::Decimal { precision, scale },
            Scalar::Decimal {
                unscaled: -5,
                scale,
            },
        );
        assert_eq!(decimal.as_deref(), Some("-0.05"));
        assert_eq!(spell(LogicalType::String, Scalar::Null), None);
        let broken = Vector {
            ty: LogicalType::String,
            len: 1,
            validity: None,
            values: Values::Bytes(ByteViews::from_values([b"a\xff"])),
        };
        assert!(text(&Field::nullable("p", LogicalType::String), &broken, 0).is_err());
        let binary = Field::nullable("p", LogicalType::Binary);
        let value = Vector::constant(LogicalType::Binary, Scalar::binary([1]), 1);
        assert!(text(&binary, &value, 0).is_err());
    }

    #[test]
    fn flat_dictionary_and_constant_columns_split_alike() {
        let a = Field::nullable("a", LogicalType::Int32);
        let b = Field::nullable("b", LogicalType::String);
        let flat = Vector {
            ty: LogicalType::Int32,
            len: 4,
            validity: Some([true, true, false, true].into_iter().collect()),
            values: Values::I32(vec![1, 2, 0, 1]),
        };
        let coded = Vector {
            ty: LogicalType::String,
            len: 4,
            validity: None,
            values: Values::Dictionary {
                codes: vec![1, 0, 1, 1],
                values: Arc::new(Vector {
                    ty: LogicalType::String,
                    len: 2,
                    validity: None,
                    values: Values::Bytes(ByteViews::from_values(["", "x/y"])),
                }),
            },
        };
        let c = Field::nullable("c", LogicalType::Boolean);
        let constant = Vector::constant(LogicalType::Boolean, Scalar::Boolean(true), 4);
        let groups = split(&[(&a, &flat), (&b, &coded), (&c, &constant)], 4).unwrap();
        let found: Vec<(String, &[u32])> = groups
            .iter()
            .map(|group| (group.segments.join("/"), group.rows.as_slice()))
            .collect();
        let expected: [(&str, &[u32]); 3] = [
            ("a=1/b=x%2Fy/c=true", &[0, 3]),
            ("a=2/b=__HIVE_DEFAULT_PARTITION__/c=true", &[1]),
            ("a=__HIVE_DEFAULT_PARTITION__/b=x%2Fy/c=true", &[2]),
        ];
        assert_eq!(found, expected.map(|(path, rows)| (path.to_owned(), rows)));
    }
}
