//! Comparisons and membership, in the order of Spark's values: NaN equals NaN and is above all,
//! zeros are equal, bytes compare unsigned.

use std::collections::HashSet;

use lith_format::bitmap::Bitmap;
use lith_format::filter::CompareOp;
use lith_format::vector::{Values, Vector};

use super::value::{Cells, Lane, Value, known2, mask, mask2, wrong_lane};
use crate::error::Result;

pub(super) fn compare(op: CompareOp, a: &Value, b: &Value) -> Result<Value> {
    let bits = match (&a.lane, &b.lane) {
        (Lane::Int(_), Lane::Int(_)) => ordered(op, a.ints()?, b.ints()?),
        (Lane::Wide(_), Lane::Wide(_)) => ordered(op, a.wides()?, b.wides()?),
        (Lane::Float(_), Lane::Float(_)) => floats(op, a.floats()?, b.floats()?),
        (Lane::Bytes(_), Lane::Bytes(_)) => bytes(op, a, b),
        (Lane::Bool(_), Lane::Bool(_)) => {
            let held = if a.one { b.held() } else { a.held() };
            booleans(op, &a.bits(held)?, &b.bits(held)?)
        }
        _ => return Err(wrong_lane("of the other's type")),
    };
    Ok(Value::new(Lane::Bool(bits), known2(a, b), a.one && b.one))
}

/// `<=>`: equal, or both unknown.
pub(super) fn null_safe_eq(a: &Value, b: &Value) -> Result<Value> {
    let equal = compare(CompareOp::Eq, a, b)?;
    let held = equal.held();
    let (known_a, known_b) = (a.known_rows(held), b.known_rows(held));
    let neither = known_a.or(&known_b).not();
    let both = known_a.and(&known_b);
    let bits = equal.bits(held)?.and(&both).or(&neither);
    Ok(Value::known_truth(bits, equal.one))
}

fn ordered<T: Copy + Ord>(op: CompareOp, a: Cells<'_, T>, b: Cells<'_, T>) -> Bitmap {
    match op {
        CompareOp::Eq => mask2(a, b, |x, y| x == y),
        CompareOp::NotEq => mask2(a, b, |x, y| x != y),
        CompareOp::Lt => mask2(a, b, |x, y| x < y),
        CompareOp::LtEq => mask2(a, b, |x, y| x <= y),
        CompareOp::Gt => mask2(a, b, |x, y| x > y),
        CompareOp::GtEq => mask2(a, b, |x, y| x >= y),
    }
}

fn float_eq(x: f64, y: f64) -> bool {
    x == y || (x.is_nan() && y.is_nan())
}

fn float_lt(x: f64, y: f64) -> bool {
    x < y || (y.is_nan() && !x.is_nan())
}

fn floats(op: CompareOp, a: Cells<'_, f64>, b: Cells<'_, f64>) -> Bitmap {
    match op {
        CompareOp::Eq => mask2(a, b, float_eq),
        CompareOp::NotEq => mask2(a, b, |x, y| !float_eq(x, y)),
        CompareOp::Lt => mask2(a, b, float_lt),
        CompareOp::LtEq => mask2(a, b, |x, y| !float_lt(y, x)),
        CompareOp::Gt => mask2(a, b, |x, y| float_lt(y, x)),
        CompareOp::GtEq => mask2(a, b, |x, y| !float_lt(x, y)),
    }
}

fn bytes(op: CompareOp, a: &Value, b: &Value) -> Bitmap {
    let held = if a.one { b.held() } else { a.held() };
    let rows = |test: fn(&[u8], &[u8]) -> bool| -> Bitmap {
        (0..held)
            .map(|row| test(a.bytes(row), b.bytes(row)))
            .collect()
    };
    match op {
        CompareOp::Eq => rows(|x, y| x == y),
        CompareOp::NotEq => rows(|x, y| x != y),
        CompareOp::Lt => rows(|x, y| x < y),
        CompareOp::LtEq => rows(|x, y| x <= y),
        CompareOp::Gt => rows(|x, y| x > y),
        CompareOp::GtEq => rows(|x, y| x >= y),
    }
}

fn booleans(op: CompareOp, a: &Bitmap, b: &Bitmap) -> Bitmap {
    match op {
        CompareOp::Eq => a.zip(b, |x, y| !(x ^ y)),
        CompareOp::NotEq => a.zip(b, |x, y| x ^ y),
        CompareOp::Lt => a.zip(b, |x, y| !x & y),
        CompareOp::LtEq => a.zip(b, |x, y| !x | y),
        CompareOp::Gt => a.zip(b, |x, y| x & !y),
        CompareOp::GtEq => a.zip(b, |x, y| x | !y),
    }
}

/// A stored column against one known literal, without widening the column first. `None` if the
/// column does not lie as plain numbers.
pub(super) fn stored_with_literal(
    op: CompareOp,
    vector: &Vector,
    literal: &Value,
) -> Option<Value> {
    let bits = match (&vector.values, &literal.lane) {
        (Values::I32(values), Lane::Int(one)) => {
            let wanted = *one.first()?;
            match i32::try_from(wanted) {
                Ok(wanted) => mask_against(op, values, wanted),
                Err(_) => Bitmap::repeat(beyond(op, wanted > 0), values.len()),
            }
        }
        (Values::I64(values), Lane::Int(one)) => mask_against(op, values, *one.first()?),
        (Values::F64(values), Lane::Float(one)) => {
            let wanted = *one.first()?;
            match op {
                CompareOp::Eq => mask(values, |x| float_eq(x, wanted)),
                CompareOp::NotEq => mask(values, |x| !float_eq(x, wanted)),
                CompareOp::Lt => mask(values, |x| float_lt(x, wanted)),
                CompareOp::LtEq => mask(values, |x| !float_lt(wanted, x)),
                CompareOp::Gt => mask(values, |x| float_lt(wanted, x)),
                CompareOp::GtEq => mask(values, |x| !float_lt(x, wanted)),
            }
        }
        _ => return None,
    };
    Some(Value::new(Lane::Bool(bits), vector.validity.clone(), false))
}

/// What every value answers to a literal above (or below) all of them.
fn beyond(op: CompareOp, above: bool) -> bool {
    match op {
        CompareOp::Eq => false,
        CompareOp::NotEq => true,
        CompareOp::Lt | CompareOp::LtEq => above,
        CompareOp::Gt | CompareOp::GtEq => !above,
    }
}

fn mask_against<T: Copy + Ord>(op: CompareOp, values: &[T], wanted: T) -> Bitmap {
    match op {
        CompareOp::Eq => mask(values, |x| x == wanted),
        CompareOp::NotEq => mask(values, |x| x != wanted),
        CompareOp::Lt => mask(values, |x| x < wanted),
        CompareOp::LtEq => mask(values, |x| x <= wanted),
        CompareOp::Gt => mask(values, |x| x > wanted),
        CompareOp::GtEq => mask(values, |x| x >= wanted),
    }
}

/// The literals of an IN list, to be looked up.
#[derive(Debug)]
pub(super) struct Members {
    keys: Keys,
    has_null: bool,
}

#[derive(Debug)]
enum Keys {
    Bool([bool; 2]),
    Int(HashSet<i64>),
    Wide(HashSet<i128>),
    /// By their bits, zeros and NaNs made one.
    Float(HashSet<u64>),
    Bytes(HashSet<Vec<u8>>),
}

fn float_key(value: f64) -> u64 {
    if value.is_nan() {
        f64::NAN.to_bits()
    } else {
        (value + 0.0).to_bits()
    }
}

impl Members {
    /// The set of literals that each hold one value; `None` if there are none.
    pub(super) fn new(literals: &[Value]) -> Option<Members> {
        let known = || literals.iter().filter(|literal| literal.is_known(0));
        let keys = match &literals.first()?.lane {
            Lane::Bool(_) => {
                let has = |wanted| {
                    known().any(|v| matches!(&v.lane, Lane::Bool(bits) if bits.get(0) == wanted))
                };
                Keys::Bool([has(false), has(true)])
            }
            Lane::Int(_) => Keys::Int(known().filter_map(|v| v.ints().ok()?.single()).collect()),
            Lane::Wide(_) => Keys::Wide(known().filter_map(|v| v.wides().ok()?.single()).collect()),
            Lane::Float(_) => {
                let floats = known().filter_map(|v| v.floats().ok()?.single());
                Keys::Float(floats.map(float_key).collect())
            }
            Lane::Bytes(_) => Keys::Bytes(known().map(|v| v.bytes(0).to_vec()).collect()),
        };
        let has_null = literals.iter().any(|literal| !literal.is_known(0));
        Some(Members { keys, has_null })
    }

    /// True where the value is a member; UNKNOWN where it is not and the list holds a null.
    pub(super) fn contain(&self, value: &Value) -> Result<Value> {
        let held = value.held();
        let bits = match (&self.keys, &value.lane) {
            (Keys::Bool([no, yes]), Lane::Bool(bits)) => bits
                .iter()
                .map(|bit| if bit { *yes } else { *no })
                .collect(),
            (Keys::Int(keys), Lane::Int(values)) => mask(values, |value| keys.contains(&value)),
            (Keys::Wide(keys), Lane::Wide(values)) => mask(values, |value| keys.contains(&value)),
            (Keys::Float(keys), Lane::Float(values)) => {
                mask(values, |value| keys.contains(&float_key(value)))
            }
            (Keys::Bytes(keys), Lane::Bytes(values)) => {
                values.iter().map(|value| keys.contains(value)).collect()
            }
            _ => return Err(wrong_lane("of the list's type")),
        };
        let mut known = value.known.clone();
        if self.has_null {
            let rows = known.unwrap_or_else(|| Bitmap::repeat(true, held));
            known = Some(rows.and(&bits));
        }
        Ok(Value::new(Lane::Bool(bits), known, value.one))
    }
}
