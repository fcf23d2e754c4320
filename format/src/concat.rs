//! Vectors of one type, one after the other.
//!
//! Dictionaries that share their values stay dictionaries and equal constants stay constants; anything
//! else is made plain first. Timestamps in 64 bits widen where a neighbour needs 128.

use std::sync::Arc;

use crate::bitmap::Bitmap;
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::vector::{ByteViews, Values, Vector};

impl Vector {
    /// The slots of all `parts`, in order. No parts and parts of unlike types are errors.
    pub fn concat(parts: &[Vector]) -> Result<Vector> {
        let Some((first, rest)) = parts.split_first() else {
            return Err(Error::invalid("no vectors to concatenate"));
        };
        if let Some(other) = rest.iter().find(|part| part.ty != first.ty) {
            return Err(Error::type_mismatch(format!(
                "{} beside {}",
                other.ty, first.ty
            )));
        }
        if rest.is_empty() {
            return Ok(first.clone());
        }
        let len = parts.iter().map(|part| part.len).sum();
        let (validity, values) = match (concat_constants(parts), concat_codes(parts)) {
            (Some(value), _) => (None, value),
            (_, Some(codes)) => (concat_validity(parts), codes),
            _ => {
                let plain = parts
                    .iter()
                    .map(Vector::flatten)
                    .collect::<Result<Vec<_>>>()?;
                (concat_validity(&plain), concat_plain(&plain)?)
            }
        };
        Ok(Vector {
            ty: first.ty.clone(),
            len,
            validity,
            values,
        })
    }
}

fn concat_constants(parts: &[Vector]) -> Option<Values> {
    let value = |part: &Vector| match &part.values {
        Values::Constant(value) => Some(value.clone()),
        _ => None,
    };
    let first = value(&parts[0])?;
    let all = parts[1..]
        .iter()
        .all(|part| value(part).is_some_and(|value| identical(&first, &value)));
    all.then_some(Values::Constant(first))
}

/// Equal to the bit: 0.0 and -0.0 are not.
fn identical(a: &Scalar, b: &Scalar) -> bool {
    match (a, b) {
        (Scalar::Float32(a), Scalar::Float32(b)) => a.to_bits() == b.to_bits(),
        (Scalar::Float64(a), Scalar::Float64(b)) => a.to_bits() == b.to_bits(),
        (Scalar::List(_) | Scalar::Map(_) | Scalar::Struct(_) | Scalar::Union(..), _) => false,
        _ => a == b,
    }
}

fn concat_codes(parts: &[Vector]) -> Option<Values> {
    let mut all = Vec::new();
    let mut shared: Option<&Arc<Vector>> = None;
    for part in parts {
        let Values::Dictionary { codes, values } = &part.values else {
            return None;
        };
        if !Arc::ptr_eq(shared.get_or_insert(values), values) {
            return None;
        }
        all.extend_from_slice(codes);
    }
    Some(Values::Dictionary {
        codes: all,
        values: shared?.clone(),
    })
}

fn concat_validity(parts: &[Vector]) -> Option<Bitmap> {
    if parts.iter().all(|part| part.validity.is_none()) {
        return None;
    }
    let mut all = Bitmap::new();
    for part in parts {
        match &part.validity {
            Some(validity) => all.extend(validity),
            None => all.extend_repeat(true, part.len),
        }
    }
    Some(all)
}

/// Joins the slices that `inside` finds in every part.
fn join<'a, T: Copy + 'a>(
    parts: &'a [Vector],
    inside: impl Fn(&'a Values) -> Option<&'a [T]>,
) -> Result<Vec<T>> {
    let slices = parts
        .iter()
        .map(|part| inside(&part.values).ok_or_else(unlike));
    Ok(slices.collect::<Result<Vec<_>>>()?.concat())
}

fn unlike() -> Error {
    Error::type_mismatch("vectors of one type in unlike layouts")
}

fn concat_plain(parts: &[Vector]) -> Result<Values> {
    use Values as V;
    let wide = parts.iter().any(|part| matches!(part.values, V::I128(_)));
    Ok(match &parts[0].values {
        V::Null => V::Null,
        V::I64(_) | V::I128(_) if wide => V::I128(concat_widened(parts)?),
        V::I32(_) => V::I32(join(
            parts,
            |v| if let V::I32(v) = v { Some(v) } else { None },
        )?),
        V::I64(_) => V::I64(join(
            parts,
            |v| if let V::I64(v) = v { Some(v) } else { None },
        )?),
        V::I256(_) => V::I256(join(parts, |v| {
            if let V::I256(v) = v { Some(v) } else { None }
        })?),
        V::U32(_) => V::U32(join(
            parts,
            |v| if let V::U32(v) = v { Some(v) } else { None },
        )?),
        V::U64(_) => V::U64(join(
            parts,
            |v| if let V::U64(v) = v { Some(v) } else { None },
        )?),
        V::F32(_) => V::F32(join(
            parts,
            |v| if let V::F32(v) = v { Some(v) } else { None },
        )?),
        V::F64(_) => V::F64(join(
            parts,
            |v| if let V::F64(v) = v { Some(v) } else { None },
        )?),
        V::Boolean(_) => V::Boolean(concat_bits(parts)?),
        V::Bytes(_) => V::Bytes(concat_bytes(parts)?),
        V::List { .. } | V::Map { .. } => concat_lists(parts)?,
        V::Struct(children) => V::Struct(concat_children(parts, children.len())?),
        V::Union { children, .. } => concat_unions(parts, children.len())?,
        V::I128(_) | V::Dictionary { .. } | V::Constant(_) => return Err(unlike()),
    })
}

fn concat_widened(parts: &[Vector]) -> Result<Vec<i128>> {
    let mut all = Vec::new();
    for part in parts {
        match &part.values {
            Values::I128(values) => all.extend_from_slice(values),
            Values::I64(values) => all.extend(values.iter().map(|&value| i128::from(value))),
            _ => return Err(unlike()),
        }
    }
    Ok(all)
}

fn concat_bits(parts: &[Vector]) -> Result<Bitmap> {
    let mut all = Bitmap::new();
    for part in parts {
        match &part.values {
            Values::Boolean(bits) => all.extend(bits),
            _ => return Err(unlike()),
        }
    }
    Ok(all)
}

fn concat_bytes(parts: &[Vector]) -> Result<ByteViews> {
    let mut all = ByteViews::default();
    for part in parts {
        let Values::Bytes(values) = &part.values else {
            return Err(unlike());
        };
        let base = all.buffers.len() as u32;
        let moved = |view: &crate::vector::View| match view.place() {
            Some((buffer, _)) => view.with_buffer(base + buffer),
            None => *view,
        };
        all.views.extend(values.views.iter().map(moved));
        all.buffers.extend(values.buffers.iter().cloned());
    }
    Ok(all)
}

fn concat_lists(parts: &[Vector]) -> Result<Values> {
    let mut all_offsets = vec![0];
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let mut base = 0;
    for part in parts {
        let offsets = match &part.values {
            Values::List { offsets, elements } => {
                first.push(Vector::clone(elements));
                offsets
            }
            Values::Map {
                offsets,
                keys,
                values,
            } => {
                first.push(Vector::clone(keys));
                second.push(Vector::clone(values));
                offsets
            }
            _ => return Err(unlike()),
        };
        all_offsets.extend(offsets[1..].iter().map(|offset| base + offset));
        base = advance(base, first.last().map_or(0, |elements| elements.len))?;
    }
    let offsets = all_offsets;
    let first = Box::new(Vector::concat(&first)?);
    if second.is_empty() {
        return Ok(Values::List {
            offsets,
            elements: first,
        });
    }
    let values = Box::new(Vector::concat(&second)?);
    Ok(Values::Map {
        offsets,
        keys: first,
        values,
    })
}

fn advance(base: u32, len: usize) -> Result<u32> {
    let len = u32::try_from(len).ok();
    len.and_then(|len| base.checked_add(len))
        .ok_or_else(|| Error::limit("more than 4 Gi elements in a vector"))
}

/// Child by child, over all parts.
fn concat_children(parts: &[Vector], count: usize) -> Result<Vec<Vector>> {
    let child = |index: usize| {
        let of_parts = parts.iter().map(|part| match &part.values {
            Values::Struct(children) | Values::Union { children, .. } => {
                children.get(index).cloned().ok_or_else(unlike)
            }
            _ => Err(unlike()),
        });
        Vector::concat(&of_parts.collect::<Result<Vec<_>>>()?)
    };
    (0..count).map(child).collect()
}

fn concat_unions(parts: &[Vector], count: usize) -> Result<Values> {
    let (mut all_tags, mut all_offsets) = (Vec::new(), Vec::new());
    let mut bases = vec![0; count];
    for part in parts {
        let Values::Union {
            tags,
            offsets,
            children,
        } = &part.values
        else {
            return Err(unlike());
        };
        let slots = tags.iter().zip(offsets);
        all_offsets.extend(slots.map(|(&tag, offset)| bases[usize::from(tag)] + offset));
        all_tags.extend_from_slice(tags);
        for (base, child) in bases.iter_mut().zip(children) {
            *base = advance(*base, child.len)?;
        }
    }
    Ok(Values::Union {
        tags: all_tags,
        offsets: all_offsets,
        children: concat_children(parts, count)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::tests::{Column, dump};
    use crate::gather::tests::as_dictionary;
    use crate::types::{LogicalType, TimeUnit, Zone};

    quickcheck::quickcheck! {
        fn concatenates_like_lists_of_scalars(column: Column, cuts: Vec<usize>, codes: bool) -> bool {
            let len = column.scalars.len();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (len + 1)).chain([0, len]).collect();
            cuts.sort_unstable();
            let plain = Vector::from_scalars(column.ty.clone(), &column.scalars).unwrap();
            let whole = if codes { as_dictionary(&plain) } else { plain.clone() };
            let mut parts: Vec<Vector> = cuts.windows(2).map(|cut| whole.slice(cut[0], cut[1] - cut[0])).collect();
            let shared = Vector::concat(&parts).unwrap();
            parts.push(plain.clone());
            parts.extend(column.scalars.first().map(|value| Vector::constant(column.ty.clone(), value.clone(), 2)));
            let mixed = Vector::concat(&parts).unwrap();
            let naive: Vec<String> = parts.iter().flat_map(dump).collect();
            dump(&shared) == dump(&whole)
                && dump(&mixed) == naive
                && codes == matches!(shared.values, Values::Dictionary { .. })
        }
    }

    #[test]
    fn equal_constants_stay_a_constant_but_zeros_keep_their_sign() {
        let part = |value| Vector::constant(LogicalType::Float64, Scalar::Float64(value), 2);
        let same = Vector::concat(&[part(1.0), part(1.0)]).unwrap();
        assert!(matches!(same.values, Values::Constant(_)) && same.len == 4);
        let zeros = Vector::concat(&[part(0.0), part(-0.0)]).unwrap();
        assert_eq!(dump(&zeros)[2], "Float64(-0.0)");
    }

    #[test]
    fn wide_timestamps_widen_their_neighbours() {
        let ty = LogicalType::Timestamp {
            unit: TimeUnit::Nanos,
            zone: Zone::Unstated,
        };
        let part = |value| {
            let scalar = Scalar::Timestamp {
                value,
                unit: TimeUnit::Nanos,
                zone: Zone::Unstated,
            };
            Vector::from_scalars(ty.clone(), &[scalar]).unwrap()
        };
        let all = Vector::concat(&[part(-1), part(1 << 70)]).unwrap();
        assert!(matches!(&all.values, Values::I128(values) if values[..] == [-1, 1 << 70]));
    }

    #[test]
    fn unlike_types_are_refused() {
        let part = |ty: LogicalType| Vector::from_scalars(ty, &[]).unwrap();
        assert!(Vector::concat(&[part(LogicalType::Int32), part(LogicalType::Date)]).is_err());
        assert!(Vector::concat(&[]).is_err());
    }
}
