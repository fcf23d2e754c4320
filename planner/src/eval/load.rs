//! Converts vectors of a reader to the lanes in which expressions are evaluated.

use lith_format::bitmap::Bitmap;
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;
use lith_format::vector::{Values, Vector};

use super::value::{Lane, LaneKind, Value, factor, wrong_lane};
use crate::error::Result;

/// The rows of a vector as a value of its planned type, dictionaries and constants spread.
pub(super) fn load(vector: &Vector, ty: &LogicalType) -> Result<Value> {
    let factor = factor(&vector.ty, ty);
    let narrow = |values: &mut dyn Iterator<Item = i64>| -> Lane {
        match LaneKind::of(ty) {
            LaneKind::Wide => {
                Lane::Wide(values.map(|v| i128::from(v) * i128::from(factor)).collect())
            }
            _ => Lane::Int(values.map(|value| value.saturating_mul(factor)).collect()),
        }
    };
    let lane = match &vector.values {
        Values::Null => return Value::literal(&Scalar::Null, ty),
        Values::Constant(value) => return Value::literal(&stored_as(value, ty), ty),
        Values::Dictionary { codes, values } => return spread(vector, codes, &load(values, ty)?),
        Values::Boolean(bits) => Lane::Bool(bits.clone()),
        Values::I32(values) => narrow(&mut values.iter().map(|&value| i64::from(value))),
        Values::U32(values) => narrow(&mut values.iter().map(|&value| i64::from(value))),
        Values::I64(values) if factor == 1 && LaneKind::of(ty) == LaneKind::Int => {
            Lane::Int(values.clone())
        }
        Values::I64(values) => narrow(&mut values.iter().copied()),
        Values::U64(values) => Lane::Wide(values.iter().map(|&value| value.into()).collect()),
        Values::I128(values) => Lane::Wide(values.clone()),
        Values::F32(values) => Lane::Float(values.iter().map(|&value| value.into()).collect()),
        Values::F64(values) => Lane::Float(values.clone()),
        Values::Bytes(values) => Lane::Bytes(values.clone()),
        _ if ty.is_nested() => Lane::Bool(Bitmap::repeat(false, vector.len)),
        _ => return Err(wrong_lane(&ty.to_string())),
    };
    Ok(Value::new(lane, vector.validity.clone(), false))
}

/// A scalar that a file or directory gave, in the shape of the planned type.
fn stored_as(value: &Scalar, ty: &LogicalType) -> Scalar {
    match (value, ty) {
        (Scalar::Timestamp { value, unit, .. }, LogicalType::Timestamp { zone, .. }) => {
            Scalar::Timestamp {
                value: *value,
                unit: *unit,
                zone: *zone,
            }
        }
        _ => value.clone(),
    }
}

fn spread(vector: &Vector, codes: &[u32], values: &Value) -> Result<Value> {
    let slots: Vec<Option<usize>> = codes
        .iter()
        .enumerate()
        .map(|(row, &code)| (!vector.is_null(row)).then_some(code as usize))
        .collect();
    let mut out = values.take(&slots);
    if vector.validity.is_none() && values.known.is_none() {
        out.known = None;
    }
    Ok(out)
}
