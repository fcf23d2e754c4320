//! Single slots of vectors as [`Scalar`]s, and vectors out of scalars.
//!
//! Slow by nature: for literals, constants, nested cells and tests. Bulk work goes through the layouts.

use std::sync::Arc;

use crate::bitmap::Bitmap;
use crate::error::{Error, Result};
use crate::i256::I256;
use crate::scalar::Scalar;
use crate::schema::Field;
use crate::types::{Layout, LogicalType};
use crate::vector::{ByteViews, Values, Vector};

impl Vector {
    /// Slot `index` as a scalar. Text that is not UTF-8 comes as binary.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    pub fn value(&self, index: usize) -> Scalar {
        assert!(index < self.len, "slot {index} of {}", self.len);
        if self.is_null(index) {
            return Scalar::Null;
        }
        match &self.values {
            Values::Null => Scalar::Null,
            Values::Constant(value) => value.clone(),
            Values::Dictionary { codes, values } => values.value(codes[index] as usize),
            Values::Boolean(bits) => Scalar::Boolean(bits.get(index)),
            Values::I32(values) => Scalar::of_integer(&self.ty, i128::from(values[index])),
            Values::I64(values) => Scalar::of_integer(&self.ty, i128::from(values[index])),
            Values::U32(values) => Scalar::of_integer(&self.ty, i128::from(values[index])),
            Values::U64(values) => Scalar::of_integer(&self.ty, i128::from(values[index])),
            Values::I128(values) => Scalar::of_integer(&self.ty, values[index]),
            Values::I256(values) => of_wide_integer(&self.ty, values[index]),
            Values::F32(values) => Scalar::Float32(values[index]),
            Values::F64(values) => Scalar::Float64(values[index]),
            Values::Bytes(values) => bytes(&self.ty, values.get(index)),
            _ => self.nested_value(index),
        }
    }

    fn nested_value(&self, index: usize) -> Scalar {
        let slots = |offsets: &[u32]| offsets[index] as usize..offsets[index + 1] as usize;
        match &self.values {
            Values::List { offsets, elements } => {
                Scalar::List(slots(offsets).map(|slot| elements.value(slot)).collect())
            }
            Values::Map {
                offsets,
                keys,
                values,
            } => Scalar::Map(
                slots(offsets)
                    .map(|slot| (keys.value(slot), values.value(slot)))
                    .collect(),
            ),
            Values::Struct(children) => Scalar::Struct(
                (self.ty.fields().iter().zip(children))
                    .map(|(field, child)| (Arc::from(field.name.as_str()), child.value(index)))
                    .collect(),
            ),
            Values::Union {
                tags,
                offsets,
                children,
            } => {
                let child = &children[usize::from(tags[index])];
                Scalar::Union(tags[index], Box::new(child.value(offsets[index] as usize)))
            }
            _ => Scalar::Null,
        }
    }

    /// The values of field `index` of a struct column, null where the struct is; of an array of structs, an
    /// array of the field's values; of a union column, the values of member `index`, null where it has others.
    ///
    /// # Errors
    /// A column of another type, or one that has fewer fields.
    pub fn into_field(self, index: usize) -> Result<Vector> {
        let unknown = || Error::type_mismatch("a struct lacks the field asked for");
        let ty = self.ty.field(index).ok_or_else(unknown)?.ty;
        let mut field = match self.values {
            Values::Struct(children) => children.into_iter().nth(index).ok_or_else(unknown)?,
            Values::List { offsets, elements } => {
                let elements = Box::new(elements.into_field(index)?);
                return Ok(Vector {
                    ty,
                    values: Values::List { offsets, elements },
                    ..self
                });
            }
            Values::Union {
                tags,
                offsets,
                children,
            } => {
                let is_null = |row| self.validity.as_ref().is_some_and(|valid| !valid.get(row));
                let is_there = |row: usize| usize::from(tags[row]) == index && !is_null(row);
                let slots = (0..self.len).map(|row| is_there(row).then(|| offsets[row]));
                let slots: Vec<Option<u32>> = slots.collect();
                let child = children.get(index).ok_or_else(unknown)?;
                child.take_some(&slots)?
            }
            Values::Constant(Scalar::List(_) | Scalar::Union(..)) => {
                return self.flatten()?.into_field(index);
            }
            Values::Constant(Scalar::Struct(values)) => {
                let (_, value) = values.into_iter().nth(index).ok_or_else(unknown)?;
                Vector::constant(ty, value, self.len)
            }
            Values::Null | Values::Constant(Scalar::Null) => {
                Vector::constant(ty, Scalar::Null, self.len)
            }
            _ => return Err(unknown()),
        };
        let Some(validity) = self.validity else {
            return Ok(field);
        };
        if matches!(field.values, Values::Constant(_)) {
            field = field.flatten()?;
        }
        field.validity = Some(match field.validity {
            Some(own) => own.and(&validity),
            None => validity,
        });
        Ok(field)
    }

    /// A vector of `ty` in its plain layout; scalars of another type are an error.
    pub fn from_scalars(ty: LogicalType, scalars: &[Scalar]) -> Result<Vector> {
        let validity: Bitmap = scalars.iter().map(|scalar| !scalar.is_null()).collect();
        let values = match ty.layout() {
            Layout::Null if validity.any() => return Err(mismatch(&ty)),
            Layout::Null => Values::Null,
            Layout::Boolean => {
                Values::Boolean(convert(&ty, scalars, as_bool)?.into_iter().collect())
            }
            Layout::I32 => Values::I32(integers(&ty, scalars)?),
            Layout::I64 => match integers(&ty, scalars) {
                Ok(values) => Values::I64(values),
                Err(_) => Values::I128(integers(&ty, scalars)?),
            },
            Layout::U32 => Values::U32(integers(&ty, scalars)?),
            Layout::U64 => Values::U64(integers(&ty, scalars)?),
            Layout::I128 => Values::I128(integers(&ty, scalars)?),
            Layout::I256 => Values::I256(convert(&ty, scalars, |scalar| {
                as_wide_integer(&ty, scalar)
            })?),
            Layout::F32 => Values::F32(convert(&ty, scalars, as_f32)?),
            Layout::F64 => Values::F64(convert(&ty, scalars, as_f64)?),
            Layout::Bytes => byte_views(&ty, scalars)?,
            Layout::List | Layout::Map | Layout::Struct | Layout::Union => nested(&ty, scalars)?,
        };
        if matches!(values, Values::I128(_)) && !may_be_i128(&ty) {
            return Err(mismatch(&ty));
        }
        Ok(Vector {
            ty,
            len: scalars.len(),
            validity: (!validity.all()).then_some(validity),
            values,
        })
    }
}

fn bytes(ty: &LogicalType, bytes: &[u8]) -> Scalar {
    match std::str::from_utf8(bytes) {
        Ok(text) if ty.is_text() || matches!(ty, LogicalType::Variant(_)) => Scalar::string(text),
        _ => Scalar::binary(bytes),
    }
}

/// Only decimals are that wide.
fn of_wide_integer(ty: &LogicalType, value: I256) -> Scalar {
    match *ty {
        LogicalType::Decimal { scale, .. } => Scalar::decimal(value, scale),
        _ => Scalar::Null,
    }
}

fn as_wide_integer(ty: &LogicalType, scalar: &Scalar) -> Option<I256> {
    match (ty, scalar) {
        (
            LogicalType::Decimal { scale, .. },
            Scalar::WideDecimal {
                unscaled,
                scale: own,
            },
        ) if scale == own => Some(*unscaled),
        _ => as_integer(ty, scalar).map(I256::from),
    }
}

fn mismatch(ty: &LogicalType) -> Error {
    Error::type_mismatch(format!("a value that is no {ty}"))
}

fn may_be_i128(ty: &LogicalType) -> bool {
    matches!(
        ty,
        LogicalType::Timestamp { .. } | LogicalType::Decimal { .. }
    )
}

/// The inside of every scalar, a default for nulls.
fn convert<'a, T: Default>(
    ty: &LogicalType,
    scalars: &'a [Scalar],
    inside: impl Fn(&'a Scalar) -> Option<T>,
) -> Result<Vec<T>> {
    let convert = |scalar: &'a Scalar| match scalar {
        Scalar::Null => Ok(T::default()),
        scalar => inside(scalar).ok_or_else(|| mismatch(ty)),
    };
    scalars.iter().map(convert).collect()
}

fn integers<T: Default + TryFrom<i128>>(ty: &LogicalType, scalars: &[Scalar]) -> Result<Vec<T>> {
    convert(ty, scalars, |scalar| {
        T::try_from(as_integer(ty, scalar)?).ok()
    })
}

fn as_integer(ty: &LogicalType, scalar: &Scalar) -> Option<i128> {
    use {LogicalType as T, Scalar as S};
    match (ty, scalar) {
        (
            T::Decimal { scale, .. },
            S::Decimal {
                unscaled,
                scale: own,
            },
        ) if scale == own => Some(*unscaled),
        (T::Date, S::Date(days)) => Some(i128::from(*days)),
        (
            T::Time { unit, .. },
            S::Time {
                value, unit: own, ..
            },
        ) if unit == own => Some(i128::from(*value)),
        (
            T::Timestamp { unit, .. },
            S::Timestamp {
                value, unit: own, ..
            },
        ) if unit == own => Some(*value),
        (T::Decimal { .. } | T::Date | T::Time { .. } | T::Timestamp { .. }, _) => None,
        (_, S::Int(value)) => Some(i128::from(*value)),
        (_, S::UInt(value)) => Some(i128::from(*value)),
        _ => None,
    }
}

fn as_bool(scalar: &Scalar) -> Option<bool> {
    match scalar {
        Scalar::Boolean(value) => Some(*value),
        _ => None,
    }
}

fn as_f32(scalar: &Scalar) -> Option<f32> {
    match scalar {
        Scalar::Float32(value) => Some(*value),
        _ => None,
    }
}

fn as_f64(scalar: &Scalar) -> Option<f64> {
    match scalar {
        Scalar::Float64(value) => Some(*value),
        _ => None,
    }
}

fn byte_views(ty: &LogicalType, scalars: &[Scalar]) -> Result<Values> {
    let values = convert(ty, scalars, Scalar::as_bytes)?;
    Ok(Values::Bytes(ByteViews::from_values(values)))
}

fn nested(ty: &LogicalType, scalars: &[Scalar]) -> Result<Values> {
    match ty {
        LogicalType::List(element) => {
            let lists = convert(ty, scalars, |scalar| match scalar {
                Scalar::List(elements) => Some(elements.as_slice()),
                _ => None,
            })?;
            let elements = Vector::from_scalars(element.ty.clone(), &lists.concat())?;
            let offsets = offsets(lists.iter().map(|list| list.len()))?;
            Ok(Values::List {
                offsets,
                elements: Box::new(elements),
            })
        }
        LogicalType::Map(entry) => {
            let maps = convert(ty, scalars, |scalar| match scalar {
                Scalar::Map(entries) => Some(entries.as_slice()),
                _ => None,
            })?;
            let (keys, values): (Vec<_>, Vec<_>) = maps.concat().into_iter().unzip();
            Ok(Values::Map {
                offsets: offsets(maps.iter().map(|map| map.len()))?,
                keys: Box::new(Vector::from_scalars(entry[0].ty.clone(), &keys)?),
                values: Box::new(Vector::from_scalars(entry[1].ty.clone(), &values)?),
            })
        }
        LogicalType::Union(fields) => union(ty, fields, scalars),
        LogicalType::Variant(_) => byte_views(ty, scalars),
        _ => structure(ty, scalars),
    }
}

fn offsets(lens: impl Iterator<Item = usize>) -> Result<Vec<u32>> {
    let mut out = vec![0];
    let mut end = 0usize;
    for len in lens {
        end += len;
        out.push(
            u32::try_from(end).map_err(|_| Error::limit("more than 4 Gi elements in a vector"))?,
        );
    }
    Ok(out)
}

fn structure(ty: &LogicalType, scalars: &[Scalar]) -> Result<Values> {
    let fields = ty.fields();
    let child = |(index, field): (usize, &Field)| {
        let column = (scalars.iter()).map(|scalar| match scalar {
            Scalar::Null => Ok(Scalar::Null),
            Scalar::Struct(values) if values.len() == fields.len() => Ok(values[index].1.clone()),
            _ => Err(mismatch(ty)),
        });
        Vector::from_scalars(field.ty.clone(), &column.collect::<Result<Vec<_>>>()?)
    };
    Ok(Values::Struct(
        fields
            .iter()
            .enumerate()
            .map(child)
            .collect::<Result<_>>()?,
    ))
}

fn union(ty: &LogicalType, fields: &[Field], scalars: &[Scalar]) -> Result<Values> {
    let mut columns = vec![Vec::new(); fields.len()];
    let (mut tags, mut offsets) = (Vec::new(), Vec::new());
    for scalar in scalars {
        let (tag, offset) = match scalar {
            Scalar::Null => (0, 0),
            Scalar::Union(tag, value) => {
                let column = columns
                    .get_mut(usize::from(*tag))
                    .ok_or_else(|| mismatch(ty))?;
                column.push(Scalar::clone(value));
                (*tag, column.len() - 1)
            }
            _ => return Err(mismatch(ty)),
        };
        tags.push(tag);
        offsets.push(
            u32::try_from(offset).map_err(|_| Error::limit("more than 4 Gi slots in a union"))?,
        );
    }
    let children = fields.iter().zip(columns);
    let children = children.map(|(field, column)| Vector::from_scalars(field.ty.clone(), &column));
    Ok(Values::Union {
        tags,
        offsets,
        children: children.collect::<Result<_>>()?,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use quickcheck::{Arbitrary, Gen};

    use super::*;
    use crate::types::{TimeUnit, Zone};

    /// Some type with some values of it.
    #[derive(Debug, Clone)]
    pub(crate) struct Column {
        pub(crate) ty: LogicalType,
        pub(crate) scalars: Vec<Scalar>,
    }

    impl Arbitrary for Column {
        fn arbitrary(g: &mut Gen) -> Self {
            let ty = arbitrary_type(g, 2);
            let len = usize::arbitrary(g) % 150;
            let scalars = (0..len).map(|_| arbitrary_scalar(g, &ty)).collect();
            Column { ty, scalars }
        }
    }

    fn arbitrary_type(g: &mut Gen, depth: u8) -> LogicalType {
        use LogicalType as T;
        let kinds = if depth == 0 { 13 } else { 17 };
        let inner = |g: &mut Gen, name: &str| {
            Field::nullable(name, arbitrary_type(g, depth.saturating_sub(1)))
        };
        match u8::arbitrary(g) % kinds {
            0 => T::Boolean,
            1 => T::Int32,
            2 => T::Int64,
            3 => T::UInt32,
            4 => T::UInt64,
            5 => T::Decimal {
                precision: 38,
                scale: 2,
            },
            6 => T::Float32,
            7 => T::Float64,
            8 => T::Date,
            9 => T::Timestamp {
                unit: TimeUnit::Nanos,
                zone: Zone::Unstated,
            },
            10 => T::Binary,
            11 => T::String,
            12 => T::Decimal {
                precision: 76,
                scale: 3,
            },
            13 => T::List(Arc::new(inner(g, "element"))),
            14 => T::Map(Arc::new([inner(g, "key"), inner(g, "value")])),
            15 => T::Struct(Arc::from(vec![inner(g, "a"), inner(g, "b")])),
            _ => T::Union(Arc::from(vec![inner(g, "x"), inner(g, "y")])),
        }
    }

    fn arbitrary_scalar(g: &mut Gen, ty: &LogicalType) -> Scalar {
        use {LogicalType as T, Scalar as S};
        if u8::arbitrary(g) % 5 == 0 {
            return S::Null;
        }
        let len = usize::arbitrary(g) % 4;
        match ty {
            T::Boolean => S::Boolean(bool::arbitrary(g)),
            T::Int32 => S::Int(i64::from(i32::arbitrary(g))),
            T::UInt32 => S::Int(i64::from(u32::arbitrary(g))),
            T::UInt64 => S::UInt(u64::arbitrary(g)),
            T::Decimal {
                precision: 76,
                scale,
            } if bool::arbitrary(g) => {
                let wide = I256::from(i128::arbitrary(g)).scaled(u32::from(u8::arbitrary(g) % 38));
                S::decimal(wide.unwrap_or_default(), *scale)
            }
            T::Decimal { scale, .. } => S::Decimal {
                unscaled: i128::arbitrary(g),
                scale: *scale,
            },
            T::Float32 => S::Float32(f32::arbitrary(g)),
            T::Float64 => S::Float64(f64::arbitrary(g)),
            T::Date => S::Date(i32::arbitrary(g)),
            T::Timestamp { unit, zone } => {
                let wide = u8::arbitrary(g) % 40 == 0;
                let value = if wide {
                    i128::arbitrary(g)
                } else {
                    i128::from(i64::arbitrary(g))
                };
                S::Timestamp {
                    value,
                    unit: *unit,
                    zone: *zone,
                }
            }
            T::Binary => S::binary(Vec::<u8>::arbitrary(g)),
            T::String => S::string(String::arbitrary(g)),
            T::List(element) => {
                S::List((0..len).map(|_| arbitrary_scalar(g, &element.ty)).collect())
            }
            T::Map(entry) => S::Map(
                (0..len)
                    .map(|_| {
                        (
                            arbitrary_scalar(g, &entry[0].ty),
                            arbitrary_scalar(g, &entry[1].ty),
                        )
                    })
                    .collect(),
            ),
            T::Struct(fields) => S::Struct(
                (fields.iter())
                    .map(|field| {
                        (
                            Arc::from(field.name.as_str()),
                            arbitrary_scalar(g, &field.ty),
                        )
                    })
                    .collect(),
            ),
            T::Union(fields) => {
                let tag = u8::arbitrary(g) % 2;
                S::Union(
                    tag,
                    Box::new(arbitrary_scalar(g, &fields[usize::from(tag)].ty)),
                )
            }
            _ => S::Int(i64::arbitrary(g)),
        }
    }

    /// What [`Vector::value`] says, bit for bit.
    pub(crate) fn dump(vector: &Vector) -> Vec<String> {
        (0..vector.len)
            .map(|index| format!("{:?}", vector.value(index)))
            .collect()
    }

    quickcheck::quickcheck! {
        fn scalars_come_back_as_they_went_in(column: Column) -> bool {
            let vector = Vector::from_scalars(column.ty, &column.scalars).unwrap();
            let naive: Vec<_> = column.scalars.iter().map(|scalar| format!("{scalar:?}")).collect();
            dump(&vector) == naive
                && vector.null_count() == column.scalars.iter().filter(|s| s.is_null()).count()
        }

        fn fields_are_null_where_the_struct_is(column: Column, nulls: Vec<bool>) -> bool {
            let ty = LogicalType::Struct(Arc::from(vec![
                Field::nullable("a", column.ty.clone()),
                Field::nullable("b", LogicalType::Int32),
            ]));
            let rows = column.scalars.iter().enumerate().map(|(row, value)| {
                match nulls.get(row % 7) {
                    Some(true) => Scalar::Null,
                    _ => Scalar::Struct(vec![("a".into(), value.clone()), ("b".into(), Scalar::Int(7))]),
                }
            });
            let rows: Vec<Scalar> = rows.collect();
            let mut vector = Vector::from_scalars(ty, &rows).unwrap();
            let expected = |index: usize| -> Vec<String> {
                let value = |row: &Scalar| match row {
                    Scalar::Struct(fields) => format!("{:?}", fields[index].1),
                    other => format!("{other:?}"),
                };
                rows.iter().map(value).collect()
            };
            let read = dump(&vector.clone().into_field(0).unwrap()) == expected(0);
            // a field that the file lacked, and one that is the same everywhere
            if let Values::Struct(children) = &mut vector.values {
                children[1] = Vector::constant(LogicalType::Int32, Scalar::Int(7), rows.len());
            }
            let constant = rows.first().is_none_or(|row| {
                let all = Vector::constant(vector.ty.clone(), row.clone(), 1);
                dump(&all.into_field(0).unwrap()) == expected(0)[..1]
            });
            read && constant
                && vector.clone().into_field(2).is_err()
                && dump(&vector.into_field(1).unwrap()) == expected(1)
        }
    }

    #[test]
    fn members_are_null_where_another_has_the_value() {
        let ty = LogicalType::Union(Arc::from(vec![
            Field::required("a", LogicalType::Int32),
            Field::nullable("b", LogicalType::String),
        ]));
        let one = |tag, value| Scalar::Union(tag, Box::new(value));
        let rows = [
            Scalar::Null,
            one(1, Scalar::string("x")),
            one(0, Scalar::Int(7)),
            one(1, Scalar::Null),
        ];
        let members = |rows: &[Scalar]| {
            let vector = Vector::from_scalars(ty.clone(), rows).unwrap();
            [0, 1].map(|index| dump(&vector.clone().into_field(index).unwrap()))
        };
        let [a, b] = members(&rows);
        assert_eq!(a, ["Null", "Null", "Int(7)", "Null"]);
        assert_eq!(b, ["Null", "String(\"x\")", "Null", "Null"]);
        // a member without any value, where the unions are null
        assert_eq!(members(&rows[..1]), [["Null"], ["Null"]]);
        let constant = Vector::constant(ty.clone(), rows[2].clone(), 2);
        assert_eq!(
            dump(&constant.clone().into_field(0).unwrap()),
            ["Int(7)"; 2]
        );
        assert_eq!(dump(&constant.clone().into_field(1).unwrap()), ["Null"; 2]);
        assert!(constant.into_field(2).is_err());
        assert!(ty.field(0).unwrap().nullable && ty.field(2).is_none());
    }

    #[test]
    fn fields_of_elements_are_arrays() {
        let int = |name: &str| Field::nullable(name, LogicalType::Int32);
        let element = LogicalType::Struct(Arc::from(vec![int("a"), int("b")]));
        let ty = LogicalType::List(Arc::new(Field::nullable("element", element)));
        let pair = |a, b| Scalar::Struct(vec![("a".into(), Scalar::Int(a)), ("b".into(), b)]);
        let rows = [
            Scalar::List(vec![
                pair(1, Scalar::Int(2)),
                Scalar::Null,
                pair(3, Scalar::Null),
            ]),
            Scalar::Null,
            Scalar::List(Vec::new()),
        ];
        let shown = |vector: Vector| {
            assert_eq!(vector.ty.to_string(), "array<int>");
            dump(&vector)
        };
        let vector = Vector::from_scalars(ty.clone(), &rows).unwrap();
        let expected = ["List([Int(2), Null, Null])", "Null", "List([])"];
        assert_eq!(shown(vector.clone().into_field(1).unwrap()), expected);
        let constant = Vector::constant(ty.clone(), rows[0].clone(), 1);
        let first = shown(constant.into_field(0).unwrap());
        assert_eq!(first, ["List([Int(1), Null, Int(3)])"]);
        let null = Vector::constant(ty, Scalar::Null, 1).into_field(0).unwrap();
        assert_eq!(shown(null), ["Null"]);
        assert!(vector.into_field(2).is_err());
    }

    #[test]
    fn other_types_are_refused() {
        let wrong = [
            (LogicalType::Int32, Scalar::Int(1 << 40)),
            (LogicalType::Int64, Scalar::UInt(u64::MAX)),
            (LogicalType::Boolean, Scalar::Int(1)),
            (LogicalType::Date, Scalar::Int(1)),
            (LogicalType::Null, Scalar::Int(1)),
            (
                LogicalType::Decimal {
                    precision: 9,
                    scale: 2,
                },
                Scalar::Decimal {
                    unscaled: 1,
                    scale: 3,
                },
            ),
        ];
        for (ty, scalar) in wrong {
            assert!(Vector::from_scalars(ty.clone(), &[scalar]).is_err(), "{ty}");
        }
    }

    #[test]
    fn text_that_is_not_utf8_comes_as_binary() {
        let vector = Vector {
            ty: LogicalType::String,
            len: 1,
            validity: None,
            values: Values::Bytes(ByteViews::from_values([b"\xff"])),
        };
        assert!(matches!(vector.value(0), Scalar::Binary(_)));
    }
}
