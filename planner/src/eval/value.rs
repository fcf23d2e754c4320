//! Columns during evaluation: five lanes instead of every layout, and a bitmap of the rows that are not null.
//!
//! ```text
//! Bool   booleans               Int    integers, dates, times, microseconds
//! Wide   decimals, nanoseconds  Float  floats and doubles (a float is held as the equal double)
//! Bytes  text and binary
//! ```
//!
//! A value that is the same for every row is held once ([`Value::one`]). Truth is a `Bool` lane: a row
//! is true, false, or, where it is not known, UNKNOWN.

use lith_format::bitmap::Bitmap;
use lith_format::scalar::Scalar;
use lith_format::types::{LogicalType, TimeUnit, Zone};
use lith_format::vector::{ByteViews, ByteViewsBuilder};

use crate::error::{PlanError, Result};

#[derive(Debug, Clone)]
pub(super) enum Lane {
    Bool(Bitmap),
    Int(Vec<i64>),
    Wide(Vec<i128>),
    Float(Vec<f64>),
    Bytes(ByteViews),
}

#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) lane: Lane,
    /// Which rows have a value; `None` is all.
    pub(super) known: Option<Bitmap>,
    /// Whether the lane holds one value that stands for every row.
    pub(super) one: bool,
}

/// One operand's numbers, repeated if it holds one.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a, T> {
    values: &'a [T],
    one: bool,
}

impl<'a, T: Copy> Cells<'a, T> {
    #[inline]
    pub(super) fn get(&self, row: usize) -> T {
        self.values[if self.one { 0 } else { row }]
    }

    pub(super) fn slice(&self) -> &'a [T] {
        self.values
    }

    /// The one value that stands for every row.
    pub(super) fn single(&self) -> Option<T> {
        if self.one {
            self.values.first().copied()
        } else {
            None
        }
    }
}

/// `f` of both operands, row by row.
pub(super) fn map2<A: Copy, B: Copy, R>(
    a: Cells<'_, A>,
    b: Cells<'_, B>,
    f: impl Fn(A, B) -> R,
) -> Vec<R> {
    match (a.single(), b.single()) {
        (Some(x), Some(y)) => vec![f(x, y)],
        (Some(x), None) => b.values.iter().map(|&y| f(x, y)).collect(),
        (None, Some(y)) => a.values.iter().map(|&x| f(x, y)).collect(),
        (None, None) => a
            .values
            .iter()
            .zip(b.values)
            .map(|(&x, &y)| f(x, y))
            .collect(),
    }
}

/// The rows for which `test` holds of both operands.
pub(super) fn mask2<A: Copy, B: Copy>(
    a: Cells<'_, A>,
    b: Cells<'_, B>,
    test: impl Fn(A, B) -> bool,
) -> Bitmap {
    match (a.single(), b.single()) {
        (Some(x), Some(y)) => Bitmap::repeat(test(x, y), 1),
        (Some(x), None) => mask(b.values, |y| test(x, y)),
        (None, Some(y)) => mask(a.values, |x| test(x, y)),
        (None, None) => a
            .values
            .iter()
            .zip(b.values)
            .map(|(&x, &y)| test(x, y))
            .collect(),
    }
}

/// The rows for which `test` holds, a word at a time.
pub(super) fn mask<T: Copy>(values: &[T], test: impl Fn(T) -> bool) -> Bitmap {
    let words = values.chunks(64).map(|chunk| {
        let mut truths = [0; 64];
        for (truth, &value) in truths.iter_mut().zip(chunk) {
            *truth = u8::from(test(value));
        }
        packed(&truths)
    });
    Bitmap::from_words(words.collect(), values.len())
}

/// A bit for each byte, which is 0 or 1. Tests that fill bytes are vectorized, unlike those that shift bits.
fn packed(truths: &[u8; 64]) -> u64 {
    // each byte reaches its own bit of the product's highest byte; no other bit carries into that
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = truths.as_chunks::<8>();
    eights.iter().rev().fold(0, |word, eight| {
        word << 8 | u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56
    })
}

impl Value {
    /// Truth that is known everywhere.
    pub(super) fn known_truth(bits: Bitmap, one: bool) -> Value {
        Value {
            lane: Lane::Bool(bits),
            known: None,
            one,
        }
    }

    pub(super) fn new(lane: Lane, known: Option<Bitmap>, one: bool) -> Value {
        Value { lane, known, one }
    }

    /// Makes null of all rows but these.
    pub(super) fn keep(&mut self, rows: Bitmap) {
        self.known = Some(match &self.known {
            None => rows,
            Some(known) => known.and(&rows),
        });
    }

    /// How many values are held.
    pub(super) fn held(&self) -> usize {
        match &self.lane {
            Lane::Bool(bits) => bits.len(),
            Lane::Int(values) => values.len(),
            Lane::Wide(values) => values.len(),
            Lane::Float(values) => values.len(),
            Lane::Bytes(values) => values.views.len(),
        }
    }

    pub(super) fn is_known(&self, row: usize) -> bool {
        let row = if self.one { 0 } else { row };
        self.known.as_ref().is_none_or(|known| known.get(row))
    }

    /// Which of `rows` rows have a value.
    pub(super) fn known_rows(&self, rows: usize) -> Bitmap {
        match &self.known {
            None => Bitmap::repeat(true, rows),
            Some(known) if self.one => Bitmap::repeat(known.get(0), rows),
            Some(known) => known.clone(),
        }
    }

    /// Which of `rows` rows are true, whether known or not.
    pub(super) fn bits(&self, rows: usize) -> Result<Bitmap> {
        match &self.lane {
            Lane::Bool(bits) if self.one => Ok(Bitmap::repeat(bits.get(0), rows)),
            Lane::Bool(bits) => Ok(bits.clone()),
            _ => Err(wrong_lane("boolean")),
        }
    }

    /// Which of `rows` rows are known to be true.
    pub(super) fn is_true(&self, rows: usize) -> Result<Bitmap> {
        let bits = self.bits(rows)?;
        Ok(match &self.known {
            None => bits,
            Some(_) => bits.and(&self.known_rows(rows)),
        })
    }

    pub(super) fn ints(&self) -> Result<Cells<'_, i64>> {
        match &self.lane {
            Lane::Int(values) => Ok(Cells {
                values,
                one: self.one,
            }),
            _ => Err(wrong_lane("integer")),
        }
    }

    pub(super) fn wides(&self) -> Result<Cells<'_, i128>> {
        match &self.lane {
            Lane::Wide(values) => Ok(Cells {
                values,
                one: self.one,
            }),
            _ => Err(wrong_lane("decimal")),
        }
    }

    pub(super) fn floats(&self) -> Result<Cells<'_, f64>> {
        match &self.lane {
            Lane::Float(values) => Ok(Cells {
                values,
                one: self.one,
            }),
            _ => Err(wrong_lane("float")),
        }
    }

    /// The bytes of a row of text or binary.
    #[inline]
    pub(super) fn bytes(&self, row: usize) -> &[u8] {
        match &self.lane {
            Lane::Bytes(values) => values.get(if self.one { 0 } else { row }),
            _ => &[],
        }
    }

    /// One literal of a type, repeated.
    pub(super) fn literal(value: &Scalar, ty: &LogicalType) -> Result<Value> {
        let known = value.is_null().then(|| Bitmap::repeat(false, 1));
        let lane = match LaneKind::of(ty) {
            LaneKind::Bool => Lane::Bool(Bitmap::repeat(matches!(value, Scalar::Boolean(true)), 1)),
            LaneKind::Int => Lane::Int(vec![if known.is_some() {
                0
            } else {
                int_of(value, ty)?
            }]),
            LaneKind::Wide => Lane::Wide(vec![if known.is_some() {
                0
            } else {
                wide_of(value, ty)?
            }]),
            LaneKind::Float => Lane::Float(vec![match value {
                Scalar::Float32(value) => f64::from(*value),
                Scalar::Float64(value) => *value,
                _ => 0.0,
            }]),
            LaneKind::Bytes => {
                Lane::Bytes(ByteViews::from_values([value.as_bytes().unwrap_or(&[])]))
            }
        };
        Ok(Value::new(lane, known, true))
    }

    /// The value of a row as a scalar of the type.
    pub(super) fn scalar(&self, row: usize, ty: &LogicalType) -> Scalar {
        use LogicalType as T;
        if !self.is_known(row) {
            return Scalar::Null;
        }
        let row = if self.one { 0 } else { row };
        match (&self.lane, ty) {
            (Lane::Bool(bits), _) => Scalar::Boolean(bits.get(row)),
            (Lane::Int(values), T::Date) => Scalar::Date(values[row] as i32),
            (Lane::Int(values), T::Timestamp { unit, zone }) => Scalar::Timestamp {
                value: values[row].into(),
                unit: *unit,
                zone: *zone,
            },
            (Lane::Int(values), T::Time { unit, utc }) => Scalar::Time {
                value: values[row],
                unit: *unit,
                utc: *utc,
            },
            (Lane::Int(values), _) => Scalar::Int(values[row]),
            (Lane::Wide(values), T::Timestamp { unit, zone }) => Scalar::Timestamp {
                value: values[row],
                unit: *unit,
                zone: *zone,
            },
            (Lane::Wide(values), T::Decimal { scale, .. }) => Scalar::Decimal {
                unscaled: values[row],
                scale: *scale,
            },
            (Lane::Wide(values), _) => Scalar::Decimal {
                unscaled: values[row],
                scale: 0,
            },
            (Lane::Float(values), T::Float32) => Scalar::Float32(values[row] as f32),
            (Lane::Float(values), _) => Scalar::Float64(values[row]),
            (Lane::Bytes(values), T::Binary | T::Uuid) => Scalar::binary(values.get(row)),
            (Lane::Bytes(values), _) => Scalar::string(String::from_utf8_lossy(values.get(row))),
        }
    }

    /// Row `i` of the result is row `rows[i]` of this; `None` is a null.
    pub(super) fn take(&self, rows: &[Option<usize>]) -> Value {
        let at = |row: &Option<usize>| row.map(|row| if self.one { 0 } else { row });
        let lane = match &self.lane {
            Lane::Bool(bits) => Lane::Bool(
                rows.iter()
                    .map(|row| at(row).is_some_and(|row| bits.get(row)))
                    .collect(),
            ),
            Lane::Int(values) => Lane::Int(
                rows.iter()
                    .map(|row| at(row).map_or(0, |row| values[row]))
                    .collect(),
            ),
            Lane::Wide(values) => Lane::Wide(
                rows.iter()
                    .map(|row| at(row).map_or(0, |row| values[row]))
                    .collect(),
            ),
            Lane::Float(values) => Lane::Float(
                rows.iter()
                    .map(|row| at(row).map_or(0.0, |row| values[row]))
                    .collect(),
            ),
            Lane::Bytes(values) => Lane::Bytes(ByteViews {
                views: rows
                    .iter()
                    .map(|row| at(row).map_or_else(Default::default, |row| values.views[row]))
                    .collect(),
                buffers: values.buffers.clone(),
            }),
        };
        let known = rows
            .iter()
            .map(|row| row.is_some_and(|row| self.is_known(row)))
            .collect();
        Value::new(lane, Some(known), false)
    }
}

/// Rows that are known on both sides, as many as the operation's result holds.
pub(super) fn known2(a: &Value, b: &Value) -> Option<Bitmap> {
    let held = if a.one { b.held() } else { a.held() };
    match (&a.known, &b.known) {
        (None, None) => None,
        _ => Some(a.known_rows(held).and(&b.known_rows(held))),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LaneKind {
    Bool,
    Int,
    Wide,
    Float,
    Bytes,
}

impl LaneKind {
    /// The lane of a type; nested values and nulls have only their known bits, in `Bool`.
    pub(super) fn of(ty: &LogicalType) -> LaneKind {
        use LogicalType as T;
        match ty {
            T::Int8 | T::Int16 | T::Int32 | T::Int64 | T::Date | T::Time { .. } => LaneKind::Int,
            T::UInt8 | T::UInt16 | T::UInt32 => LaneKind::Int,
            T::Timestamp {
                unit: TimeUnit::Nanos,
                ..
            }
            | T::Decimal { .. }
            | T::UInt64 => LaneKind::Wide,
            T::Timestamp { .. } => LaneKind::Int,
            T::Float16 | T::Float32 | T::Float64 => LaneKind::Float,
            T::Null | T::Boolean => LaneKind::Bool,
            ty if ty.is_nested() => LaneKind::Bool,
            _ => LaneKind::Bytes,
        }
    }
}

#[cold]
pub(super) fn wrong_lane(wanted: &str) -> PlanError {
    PlanError::type_mismatch(format!("an operand is not {wanted}"))
}

/// Collects text or binary, a row at a time.
#[derive(Default)]
pub(super) struct BytesOut(ByteViewsBuilder);

impl BytesOut {
    pub(super) fn push(&mut self, value: &[u8]) {
        self.0.push(value);
    }

    pub(super) fn lane(self) -> Lane {
        Lane::Bytes(self.0.finish())
    }
}

/// Whether a timestamp's type is a wall clock.
pub(super) fn is_local(ty: &LogicalType) -> bool {
    matches!(
        ty,
        LogicalType::Timestamp {
            zone: Zone::Local,
            ..
        }
    )
}

/// What a column's stored integers are multiplied by to be of its planned type.
pub(super) fn factor(stored: &LogicalType, ty: &LogicalType) -> i64 {
    match (stored, ty) {
        (LogicalType::Timestamp { unit: a, .. }, LogicalType::Timestamp { unit: b, .. }) => {
            b.per_second() / a.per_second()
        }
        (LogicalType::Time { unit: a, .. }, LogicalType::Time { unit: b, .. }) => {
            b.per_second() / a.per_second()
        }
        _ => 1,
    }
}

fn int_of(value: &Scalar, ty: &LogicalType) -> Result<i64> {
    let found = match value {
        Scalar::Int(value) => Some(*value),
        Scalar::UInt(value) => i64::try_from(*value).ok(),
        Scalar::Date(days) => Some(i64::from(*days)),
        Scalar::Time { value, unit, utc } => {
            let stored = LogicalType::Time {
                unit: *unit,
                utc: *utc,
            };
            Some(value.saturating_mul(factor(&stored, ty)))
        }
        _ => wide_of(value, ty)
            .ok()
            .and_then(|value| i64::try_from(value).ok()),
    };
    found.ok_or_else(|| wrong_lane(&ty.to_string()))
}

fn wide_of(value: &Scalar, ty: &LogicalType) -> Result<i128> {
    let found = match (value, ty) {
        (
            Scalar::Decimal {
                unscaled,
                scale: from,
            },
            LogicalType::Decimal { scale: to, .. },
        ) => to
            .checked_sub(*from)
            .and_then(|digits| 10i128.checked_pow(digits.into()))
            .and_then(|factor| unscaled.checked_mul(factor)),
        (Scalar::Int(value), LogicalType::Decimal { scale, .. }) => 10i128
            .checked_pow((*scale).into())
            .and_then(|factor| factor.checked_mul((*value).into())),
        (Scalar::UInt(value), LogicalType::Decimal { scale: 0, .. }) => Some(i128::from(*value)),
        (
            Scalar::Timestamp {
                value, unit: from, ..
            },
            LogicalType::Timestamp { unit: to, .. },
        ) => {
            let (from, to) = (i128::from(from.per_second()), i128::from(to.per_second()));
            value.checked_mul(to).map(|scaled| scaled.div_euclid(from))
        }
        _ => None,
    };
    found.ok_or_else(|| wrong_lane(&ty.to_string()))
}
