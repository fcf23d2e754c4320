//! A file's column as the table has it: names and nullability aside, types may widen where no value
//! changes its meaning. Anything else is an error that names both types.
//!
//! ```text
//! integers -> wider integers, doubles and decimals that hold them      float16 -> float -> double
//! decimal  -> more digits on either side of the point       timestamp, time -> finer units
//! date     -> timestamp without a zone, at midnight        timestamp that states no zone <-> instant
//! text     -> text of another kind                          fixed -> binary
//! struct   -> by field name, missing fields are null        list, map -> by element
//! ```

use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::i256::I256;
use lith_format::names::Names;
use lith_format::scalar::Scalar;
use lith_format::schema::Field;
use lith_format::types::{Layout, LogicalType, Zone};
use lith_format::vector::{Values, Vector};

const DAY_SECONDS: i128 = 86_400;

/// How vectors of one type become vectors of another.
#[derive(Debug, Clone)]
pub(crate) struct Adapter {
    ty: LogicalType,
    step: Step,
}

#[derive(Debug, Clone)]
enum Step {
    /// Nothing changes.
    Keep,
    /// The values mean the same under the other name.
    Rename,
    /// Exact numbers, times so much, in the layout of the type.
    Integers { factor: i128 },
    /// Times in a coarser unit, so many of the file's each.
    Coarser { divisor: i128 },
    /// Exact numbers with so many digits more, as decimals of 256 bits.
    WideDecimals { digits: u8 },
    /// Numbers as doubles.
    Doubles,
    /// Each wanted field: where the file has it, if it does.
    Struct(Vec<Option<(usize, Adapter)>>),
    /// The children in their places: of a list, map or union.
    Children(Vec<Adapter>),
}

/// The dictionary that was adapted last, and what became of it: batches share dictionaries.
pub(crate) type Adapted = Option<(Arc<Vector>, Arc<Vector>)>;

impl Adapter {
    /// From the type in the file to the type in the table.
    pub(crate) fn new(table: &LogicalType, file: &LogicalType) -> Result<Self> {
        let step = if table == file {
            Some(Step::Keep)
        } else if table.is_nested() || file.is_nested() {
            nested_step(table, file)?
        } else {
            flat_step(table, file)
        };
        match step {
            Some(step) => Ok(Adapter {
                ty: table.clone(),
                step,
            }),
            None => Err(Error::type_mismatch(format!(
                "the file holds {file} where the table has {table}"
            ))),
        }
    }

    /// Whether nothing changes.
    pub(crate) fn keeps_all(&self) -> bool {
        matches!(self.step, Step::Keep)
    }

    /// The vector as the table has it.
    pub(crate) fn apply(&self, vector: Vector, cache: &mut Adapted) -> Result<Vector> {
        if self.keeps_all() {
            return Ok(vector);
        }
        let Vector {
            len,
            validity,
            values,
            ty,
        } = vector;
        let values = match values {
            Values::Null | Values::Constant(Scalar::Null) => Values::Constant(Scalar::Null),
            Values::Constant(value) => {
                let one = Vector::from_scalars(ty, &[value])?;
                Values::Constant(self.apply(one, &mut None)?.value(0))
            }
            Values::Dictionary { codes, values } => {
                let values = self.apply_to_dictionary(values, cache)?;
                Values::Dictionary { codes, values }
            }
            plain => self.apply_to_plain(plain, len)?,
        };
        Ok(Vector {
            ty: self.ty.clone(),
            len,
            validity,
            values,
        })
    }

    fn apply_to_dictionary(&self, values: Arc<Vector>, cache: &mut Adapted) -> Result<Arc<Vector>> {
        if let Some((from, to)) = cache
            && Arc::ptr_eq(from, &values)
        {
            return Ok(Arc::clone(to));
        }
        let adapted = Arc::new(self.apply(Vector::clone(&values), &mut None)?);
        *cache = Some((values, Arc::clone(&adapted)));
        Ok(adapted)
    }

    fn apply_to_plain(&self, values: Values, len: usize) -> Result<Values> {
        let unlike = || Error::type_mismatch(format!("values in no layout of {}", self.ty));
        match (&self.step, values) {
            (Step::Keep | Step::Rename, values) => Ok(values),
            (Step::Integers { factor }, values) => {
                integers(&values, *factor, self.ty.layout()).ok_or_else(unlike)
            }
            (Step::Coarser { divisor }, values) => coarser(&values, *divisor),
            (Step::WideDecimals { digits }, values) => wide_decimals(&values, u32::from(*digits))
                .map(Values::I256)
                .ok_or_else(unlike),
            (Step::Doubles, values) => doubles(&values).map(Values::F64).ok_or_else(unlike),
            (Step::Struct(fields), Values::Struct(children)) => {
                self.apply_to_fields(fields, &children, len)
            }
            (Step::Children(adapters), Values::List { offsets, elements }) => {
                let [element] = &adapters[..] else {
                    return Err(unlike());
                };
                let elements = Box::new(element.apply(*elements, &mut None)?);
                Ok(Values::List { offsets, elements })
            }
            (
                Step::Children(adapters),
                Values::Map {
                    offsets,
                    keys,
                    values,
                },
            ) => {
                let [key, value] = &adapters[..] else {
                    return Err(unlike());
                };
                let keys = Box::new(key.apply(*keys, &mut None)?);
                let values = Box::new(value.apply(*values, &mut None)?);
                Ok(Values::Map {
                    offsets,
                    keys,
                    values,
                })
            }
            (
                Step::Children(adapters),
                Values::Union {
                    tags,
                    offsets,
                    children,
                },
            ) => {
                let children = adapters.iter().zip(children);
                let children = children.map(|(adapter, child)| adapter.apply(child, &mut None));
                Ok(Values::Union {
                    tags,
                    offsets,
                    children: children.collect::<Result<_>>()?,
                })
            }
            _ => Err(unlike()),
        }
    }

    fn apply_to_fields(
        &self,
        fields: &[Option<(usize, Adapter)>],
        children: &[Vector],
        len: usize,
    ) -> Result<Values> {
        let wanted = self.ty.fields().iter().zip(fields);
        let adapted = wanted.map(|(field, place)| match place {
            None => Ok(Vector::constant(field.ty.clone(), Scalar::Null, len)),
            Some((index, adapter)) => match children.get(*index) {
                Some(child) => adapter.apply(child.clone(), &mut None),
                None => Err(Error::type_mismatch("a struct without one of its fields")),
            },
        });
        Ok(Values::Struct(adapted.collect::<Result<_>>()?))
    }
}

fn nested_step(table: &LogicalType, file: &LogicalType) -> Result<Option<Step>> {
    use LogicalType as T;
    match (table, file) {
        (T::Struct(wanted), T::Struct(held)) => {
            let names = Names::new(held);
            let place = |(index, field): (usize, &Field)| {
                let Some(index) = names.near(&field.name, index)? else {
                    return Ok(None);
                };
                Ok(Some((index, Adapter::new(&field.ty, &held[index].ty)?)))
            };
            let fields = wanted
                .iter()
                .enumerate()
                .map(place)
                .collect::<Result<_>>()?;
            Ok(Some(Step::Struct(fields)))
        }
        (T::List(_), T::List(_)) | (T::Map(_), T::Map(_)) | (T::Union(_), T::Union(_))
            if table.fields().len() == file.fields().len() =>
        {
            let children = table.fields().iter().zip(file.fields());
            let adapters = children.map(|(table, file)| Adapter::new(&table.ty, &file.ty));
            Ok(Some(Step::Children(adapters.collect::<Result<_>>()?)))
        }
        (T::Variant(_), T::Variant(_)) => Ok(Some(Step::Rename)),
        _ => Ok(None),
    }
}

fn flat_step(table: &LogicalType, file: &LogicalType) -> Option<Step> {
    use LogicalType as T;
    match (table, file) {
        (_, T::Null) => Some(Step::Rename),
        (T::Float32, T::Float16) | (T::Binary, T::Fixed(_)) => Some(Step::Rename),
        (T::Float64, T::Float16 | T::Float32) => Some(Step::Doubles),
        (T::Float64, file) => {
            let (min, max) = range(file)?;
            (-min <= 1 << 53 && max <= 1 << 53).then_some(Step::Doubles)
        }
        (table, file) if table.is_text() && file.is_text() => Some(Step::Rename),
        (T::Decimal { precision, scale }, file) => decimal_step(*precision, *scale, file),
        (
            T::Timestamp {
                unit,
                zone: Zone::Local,
            },
            T::Date,
        ) => Some(Step::Integers {
            factor: i128::from(unit.per_second()) * DAY_SECONDS,
        }),
        (
            T::Timestamp { unit, zone },
            T::Timestamp {
                unit: own,
                zone: own_zone,
            },
        ) if zone == own_zone => finer(unit.per_second(), own.per_second()),
        (
            T::Timestamp { unit, zone },
            T::Timestamp {
                unit: own,
                zone: own_zone,
            },
        ) if *zone != Zone::Local && *own_zone != Zone::Local => {
            instants(unit.per_second(), own.per_second())
        }
        (
            T::Time { unit, utc },
            T::Time {
                unit: own,
                utc: own_utc,
            },
        ) if utc == own_utc => finer(unit.per_second(), own.per_second()),
        (table, file) => {
            let (wanted, held) = (range(table)?, range(file)?);
            (wanted.0 <= held.0 && held.1 <= wanted.1).then_some(Step::Integers { factor: 1 })
        }
    }
}

/// Digits on either side of the point may become more, not fewer.
fn decimal_step(precision: u8, scale: u8, file: &LogicalType) -> Option<Step> {
    let (own_whole, own_scale) = match file {
        LogicalType::Decimal { precision, scale } => (precision.checked_sub(*scale)?, *scale),
        integer => {
            let (min, max) = range(integer)?;
            let digits = max.max(-min).checked_ilog10()? + 1;
            (u8::try_from(digits).ok()?, 0)
        }
    };
    let digits = scale.checked_sub(own_scale)?;
    if precision.checked_sub(scale)? < own_whole {
        return None;
    }
    Some(if precision > 38 {
        Step::WideDecimals { digits }
    } else {
        Step::Integers {
            factor: 10i128.checked_pow(u32::from(digits))?,
        }
    })
}

fn finer(unit: i64, own: i64) -> Option<Step> {
    (unit >= own).then_some(Step::Integers {
        factor: i128::from(unit / own),
    })
}

/// Timestamps that state no zone, such as INT96, among instants: engines read both as instants, here in UTC.
fn instants(unit: i64, own: i64) -> Option<Step> {
    finer(unit, own).or(Some(Step::Coarser {
        divisor: i128::from(own / unit),
    }))
}

/// The least and greatest value of an integer type.
fn range(ty: &LogicalType) -> Option<(i128, i128)> {
    let (signed, bits) = match ty {
        LogicalType::Int8 => (true, 8),
        LogicalType::Int16 => (true, 16),
        LogicalType::Int32 => (true, 32),
        LogicalType::Int64 => (true, 64),
        LogicalType::UInt8 => (false, 8),
        LogicalType::UInt16 => (false, 16),
        LogicalType::UInt32 => (false, 32),
        LogicalType::UInt64 => (false, 64),
        _ => return None,
    };
    Some(if signed {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    })
}

/// The values times `factor` in `layout`, or wider where a timestamp needs it; `None` if they do not fit.
fn integers(values: &Values, factor: i128, layout: Layout) -> Option<Values> {
    if let (Values::I32(values), 1, Layout::I64) = (values, factor, layout) {
        return Some(Values::I64(
            values.iter().map(|&value| i64::from(value)).collect(),
        ));
    }
    let scaled: Vec<i128> = match values {
        Values::I32(values) => scale(values, factor),
        Values::I64(values) => scale(values, factor),
        Values::U32(values) => scale(values, factor),
        Values::U64(values) => scale(values, factor),
        Values::I128(values) => scale(values, factor),
        _ => None,
    }?;
    match layout {
        Layout::I32 => narrow(&scaled).map(Values::I32),
        Layout::U32 => narrow(&scaled).map(Values::U32),
        Layout::U64 => narrow(&scaled).map(Values::U64),
        Layout::I64 => {
            Some(narrow(&scaled).map_or_else(|| Values::I128(scaled.clone()), Values::I64))
        }
        _ => Some(Values::I128(scaled)),
    }
}

/// The timestamps in a unit `divisor` times as long.
///
/// # Errors
/// One that has more digits than the unit.
fn coarser(values: &Values, divisor: i128) -> Result<Values> {
    let exact = |value: i128| (value % divisor == 0).then_some(value / divisor);
    let values: Option<Vec<i128>> = match values {
        Values::I64(values) => values.iter().map(|&value| exact(value.into())).collect(),
        Values::I128(values) => values.iter().map(|&value| exact(value)).collect(),
        _ => None,
    };
    let values = values.ok_or_else(|| {
        Error::type_mismatch("a timestamp has more digits than the table's unit holds")
    })?;
    Ok(narrow(&values).map_or_else(|| Values::I128(values.clone()), Values::I64))
}

/// The values times ten to the `digits`; `None` if they do not fit.
fn wide_decimals(values: &Values, digits: u32) -> Option<Vec<I256>> {
    let scaled = |value: I256| value.scaled(digits);
    match values {
        Values::I32(values) => values.iter().map(|&v| scaled(v.into())).collect(),
        Values::I64(values) => values.iter().map(|&v| scaled(v.into())).collect(),
        Values::U32(values) => values
            .iter()
            .map(|&v| scaled(i128::from(v).into()))
            .collect(),
        Values::U64(values) => values
            .iter()
            .map(|&v| scaled(i128::from(v).into()))
            .collect(),
        Values::I128(values) => values.iter().map(|&v| scaled(v.into())).collect(),
        Values::I256(values) => values.iter().map(|&v| scaled(v)).collect(),
        _ => None,
    }
}

fn scale<T: Copy + Into<i128>>(values: &[T], factor: i128) -> Option<Vec<i128>> {
    values
        .iter()
        .map(|&value| value.into().checked_mul(factor))
        .collect()
}

fn narrow<T: TryFrom<i128>>(values: &[i128]) -> Option<Vec<T>> {
    values
        .iter()
        .map(|&value| T::try_from(value).ok())
        .collect()
}

fn doubles(values: &Values) -> Option<Vec<f64>> {
    match values {
        Values::I32(values) => Some(values.iter().map(|&value| f64::from(value)).collect()),
        Values::U32(values) => Some(values.iter().map(|&value| f64::from(value)).collect()),
        Values::F32(values) => Some(values.iter().map(|&value| f64::from(value)).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::error::ErrorKind;
    use lith_format::types::TimeUnit;

    fn adapt(table: LogicalType, file: LogicalType, scalars: &[Scalar]) -> Vec<String> {
        let adapter = Adapter::new(&table, &file).unwrap();
        let plain = Vector::from_scalars(file, scalars).unwrap();
        let constant = Vector::constant(plain.ty.clone(), scalars[0].clone(), 1);
        let adapted = adapter.apply(plain.clone(), &mut None).unwrap();
        let adapted_constant = adapter.apply(constant, &mut None).unwrap();
        assert_eq!(adapted.ty, table);
        assert_eq!(
            format!("{:?}", adapted_constant.value(0)),
            format!("{:?}", adapted.value(0))
        );
        (0..adapted.len)
            .map(|row| format!("{:?}", adapted.value(row)))
            .collect()
    }

    fn timestamp(unit: TimeUnit, zone: Zone) -> LogicalType {
        LogicalType::Timestamp { unit, zone }
    }

    #[test]
    fn numbers_widen_without_changing() {
        use {LogicalType as T, Scalar as S};
        assert_eq!(
            adapt(T::Int64, T::Int32, &[S::Int(-5), S::Null]),
            ["Int(-5)", "Null"]
        );
        assert_eq!(
            adapt(T::Int64, T::UInt32, &[S::Int(1 << 31)]),
            ["Int(2147483648)"]
        );
        assert_eq!(adapt(T::Int32, T::Int8, &[S::Int(-1)]), ["Int(-1)"]);
        assert_eq!(
            adapt(T::Float64, T::Float32, &[S::Float32(0.5)]),
            ["Float64(0.5)"]
        );
        assert_eq!(adapt(T::Float64, T::Int32, &[S::Int(7)]), ["Float64(7.0)"]);
        let decimal = |precision, scale| T::Decimal { precision, scale };
        let value = S::Decimal {
            unscaled: 15,
            scale: 1,
        };
        let widened = adapt(decimal(20, 3), decimal(4, 1), &[value]);
        assert_eq!(widened, ["Decimal { unscaled: 1500, scale: 3 }"]);
        let widest = adapt(
            decimal(60, 23),
            decimal(38, 1),
            &[S::Decimal {
                unscaled: i128::MIN,
                scale: 1,
            }],
        );
        let digits = "-170141183460469231731687303715884105728";
        assert!(widest[0].contains("WideDecimal"));
        let shown = S::decimal(I256::from(i128::MIN).scaled(22).unwrap(), 23).to_string();
        assert!(shown.starts_with(&digits[..37]), "{shown}");
        assert_eq!(
            adapt(decimal(22, 2), T::UInt64, &[S::UInt(u64::MAX)]),
            ["Decimal { unscaled: 1844674407370955161500, scale: 2 }"]
        );
        assert_eq!(
            adapt(decimal(39, 0), T::UInt32, &[S::Int(7), S::Null]),
            ["Decimal { unscaled: 7, scale: 0 }", "Null"]
        );
        assert_eq!(
            adapt(decimal(12, 2), T::Int32, &[S::Int(-5)]),
            ["Decimal { unscaled: -500, scale: 2 }"]
        );
        let midnight = adapt(
            timestamp(TimeUnit::Micros, Zone::Local),
            T::Date,
            &[S::Date(-1), S::Date(i32::MAX)],
        );
        assert!(midnight[0].contains("value: -86400000000,"));
        assert!(midnight[1].contains("value: 185542587100800000000,"));
        let at = S::Timestamp {
            value: i128::from(i64::MAX),
            unit: TimeUnit::Millis,
            zone: Zone::Utc,
        };
        let finer = adapt(
            timestamp(TimeUnit::Nanos, Zone::Utc),
            timestamp(TimeUnit::Millis, Zone::Utc),
            &[at],
        );
        assert!(finer[0].contains("9223372036854775807000000"));
    }

    #[test]
    fn timestamps_without_a_zone_go_with_instants() {
        let int96 = timestamp(TimeUnit::Nanos, Zone::Unstated);
        let micros = timestamp(TimeUnit::Micros, Zone::Utc);
        let at = |value, ty: &LogicalType| match *ty {
            LogicalType::Timestamp { unit, zone } => Scalar::Timestamp { value, unit, zone },
            _ => Scalar::Null,
        };
        let shown = |value, ty: &LogicalType| format!("{:?}", at(value, ty));
        let rows = [at(-7, &micros), Scalar::Null, at(i64::MAX.into(), &micros)];
        assert_eq!(
            adapt(int96.clone(), micros.clone(), &rows),
            [
                shown(-7_000, &int96),
                "Null".to_owned(),
                shown(i128::from(i64::MAX) * 1_000, &int96)
            ]
        );
        let rows = [at(-7_000, &int96), Scalar::Null, at(1 << 70, &int96)];
        let adapter = Adapter::new(&micros, &int96).unwrap();
        let vector = |rows: &[Scalar]| Vector::from_scalars(int96.clone(), rows).unwrap();
        assert_eq!(
            adapt(micros.clone(), int96.clone(), &rows[..2]),
            [shown(-7, &micros), "Null".to_owned()]
        );
        // 2^70 is no whole number of microseconds, and a day later neither
        for inexact in [&rows[2..], &[at(1, &int96)]] {
            let error = adapter.apply(vector(inexact), &mut None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TypeMismatch);
        }
        let wide = adapt(micros.clone(), int96.clone(), &[at(1000 << 70, &int96)]);
        assert_eq!(wide, [shown(1 << 70, &micros)]);
        let local = timestamp(TimeUnit::Micros, Zone::Local);
        assert!(Adapter::new(&local, &int96).is_err());
        assert!(Adapter::new(&int96, &local).is_err());
    }

    #[test]
    fn structs_go_by_name_and_missing_fields_are_null() {
        let field = |name: &str, ty| Field::nullable(name, ty);
        let table = LogicalType::Struct(Arc::from(vec![
            field("b", LogicalType::Int64),
            field("c", LogicalType::Int32),
            field("a", LogicalType::Int32),
        ]));
        let file = LogicalType::Struct(Arc::from(vec![
            field("A", LogicalType::Int32),
            field("b", LogicalType::Int32),
        ]));
        let row = Scalar::Struct(vec![
            ("A".into(), Scalar::Int(1)),
            ("b".into(), Scalar::Int(2)),
        ]);
        let adapted = adapt(table, file, &[row]);
        assert_eq!(
            adapted,
            ["Struct([(\"b\", Int(2)), (\"c\", Null), (\"a\", Int(1))])"]
        );
    }

    #[test]
    fn what_would_change_values_is_refused_by_name() {
        use LogicalType as T;
        let pairs = [
            (T::Int32, T::Int64),
            (T::UInt32, T::Int32),
            (T::Int32, T::UInt32),
            (T::Float64, T::Int64),
            (T::Float32, T::Float64),
            (T::String, T::Int32),
            (T::String, T::Binary),
            (
                T::Decimal {
                    precision: 5,
                    scale: 2,
                },
                T::Decimal {
                    precision: 5,
                    scale: 1,
                },
            ),
            (
                T::Decimal {
                    precision: 11,
                    scale: 2,
                },
                T::Int32,
            ),
            (
                T::Decimal {
                    precision: 40,
                    scale: 22,
                },
                T::Int64,
            ),
            (
                T::Decimal {
                    precision: 38,
                    scale: 0,
                },
                T::Decimal {
                    precision: 39,
                    scale: 0,
                },
            ),
            (timestamp(TimeUnit::Micros, Zone::Utc), T::Date),
            (T::Date, timestamp(TimeUnit::Micros, Zone::Local)),
            (
                timestamp(TimeUnit::Micros, Zone::Utc),
                timestamp(TimeUnit::Micros, Zone::Local),
            ),
            (
                timestamp(TimeUnit::Millis, Zone::Utc),
                timestamp(TimeUnit::Micros, Zone::Utc),
            ),
        ];
        for (table, file) in pairs {
            let error = Adapter::new(&table, &file).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TypeMismatch);
            assert!(
                error.message().contains(&table.to_string())
                    && error.message().contains(&file.to_string())
            );
        }
    }

    #[test]
    fn a_shared_dictionary_is_adapted_once() {
        let values = Vector::from_scalars(LogicalType::Int32, &[Scalar::Int(7)]).unwrap();
        let vector = Vector {
            ty: LogicalType::Int32,
            len: 2,
            validity: None,
            values: Values::Dictionary {
                codes: vec![0, 0],
                values: Arc::new(values),
            },
        };
        let adapter = Adapter::new(&LogicalType::Int64, &LogicalType::Int32).unwrap();
        let mut cache = None;
        let dictionary = |vector: &Vector| match &vector.values {
            Values::Dictionary { values, .. } => Arc::clone(values),
            _ => panic!("no dictionary"),
        };
        let first = dictionary(&adapter.apply(vector.clone(), &mut cache).unwrap());
        let second = dictionary(&adapter.apply(vector, &mut cache).unwrap());
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(first.ty, LogicalType::Int64);
    }
}
