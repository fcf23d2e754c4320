//! Rows of a vector: a run of them, picked ones, those of a mask; and encoded forms made plain.
//!
//! All of it works layout by layout in bulk and leaves dictionaries and constants encoded.

use crate::bitmap::Bitmap;
use crate::error::Result;
use crate::types::Layout;
use crate::vector::{ByteViews, Values, Vector};

/// Which slots to keep, in which order.
#[derive(Clone, Copy)]
enum Slots<'a> {
    Run { start: usize, len: usize },
    Picked(&'a [u32]),
}

impl Slots<'_> {
    fn len(&self) -> usize {
        match self {
            Slots::Run { len, .. } => *len,
            Slots::Picked(slots) => slots.len(),
        }
    }

    fn at(&self, index: usize) -> usize {
        match self {
            Slots::Run { start, .. } => start + index,
            Slots::Picked(slots) => slots[index] as usize,
        }
    }

    fn of<T: Copy>(&self, values: &[T]) -> Vec<T> {
        match *self {
            Slots::Run { start, len } => values[start..start + len].to_vec(),
            Slots::Picked(slots) => slots.iter().map(|&slot| values[slot as usize]).collect(),
        }
    }

    fn of_bits(&self, bits: &Bitmap) -> Bitmap {
        match *self {
            Slots::Run { start, len } => bits.slice(start, len),
            Slots::Picked(slots) => slots.iter().map(|&slot| bits.get(slot as usize)).collect(),
        }
    }
}

impl Vector {
    /// The `len` slots from `start`.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn slice(&self, start: usize, len: usize) -> Vector {
        assert!(
            start + len <= self.len,
            "slots {start}..{} of {}",
            start + len,
            self.len
        );
        gather(self, Slots::Run { start, len })
    }

    /// The slots of these numbers, in this order; a number may occur more than once.
    ///
    /// # Panics
    /// If a number is out of bounds.
    pub fn take(&self, slots: &[u32]) -> Vector {
        let in_bounds = slots.iter().all(|&slot| (slot as usize) < self.len);
        assert!(in_bounds, "a slot past {}", self.len);
        gather(self, Slots::Picked(slots))
    }

    /// The slots whose bit is set.
    ///
    /// # Panics
    /// If the mask is not as long as the vector.
    pub fn filter(&self, mask: &Bitmap) -> Vector {
        assert_eq!(mask.len(), self.len, "a mask of another length");
        if mask.all() {
            return self.clone();
        }
        let slots: Vec<u32> = mask.ones().map(|slot| slot as u32).collect();
        self.take(&slots)
    }

    /// The same slots in the plain layout of the type, no dictionary and no constant (nested
    /// children as they are). Fails if a constant is not of the vector's type.
    pub fn flatten(&self) -> Result<Vector> {
        match &self.values {
            Values::Constant(value) => {
                let one = Vector::from_scalars(self.ty.clone(), std::slice::from_ref(value))?;
                Ok(one.take(&vec![0; self.len]))
            }
            Values::Null if self.ty.layout() != Layout::Null => {
                Vector::constant(self.ty.clone(), crate::scalar::Scalar::Null, self.len).flatten()
            }
            Values::Dictionary { values, .. } if values.len == 0 => {
                Vector::constant(self.ty.clone(), crate::scalar::Scalar::Null, self.len).flatten()
            }
            Values::Dictionary { codes, values } => Ok(Vector {
                ty: self.ty.clone(),
                validity: self.validity.clone(),
                ..values.take(codes)
            }),
            _ => Ok(self.clone()),
        }
    }
}

fn gather(vector: &Vector, slots: Slots) -> Vector {
    let validity = vector
        .validity
        .as_ref()
        .map(|validity| slots.of_bits(validity));
    Vector {
        ty: vector.ty.clone(),
        len: slots.len(),
        validity: validity.filter(|validity| !validity.all()),
        values: gather_values(vector, slots),
    }
}

fn gather_values(vector: &Vector, slots: Slots) -> Values {
    match &vector.values {
        Values::Null => Values::Null,
        Values::Constant(value) => Values::Constant(value.clone()),
        Values::Boolean(bits) => Values::Boolean(slots.of_bits(bits)),
        Values::I32(values) => Values::I32(slots.of(values)),
        Values::I64(values) => Values::I64(slots.of(values)),
        Values::U32(values) => Values::U32(slots.of(values)),
        Values::U64(values) => Values::U64(slots.of(values)),
        Values::I128(values) => Values::I128(slots.of(values)),
        Values::I256(values) => Values::I256(slots.of(values)),
        Values::F32(values) => Values::F32(slots.of(values)),
        Values::F64(values) => Values::F64(slots.of(values)),
        Values::Bytes(values) => Values::Bytes(ByteViews {
            views: slots.of(&values.views),
            buffers: values.buffers.clone(),
        }),
        Values::Dictionary { codes, values } => Values::Dictionary {
            codes: slots.of(codes),
            values: values.clone(),
        },
        Values::Struct(children) => {
            Values::Struct(children.iter().map(|child| gather(child, slots)).collect())
        }
        Values::List { offsets, elements } => {
            let (offsets, elements) = gather_elements(offsets, &[elements], slots);
            let [elements] = elements;
            Values::List {
                offsets,
                elements: Box::new(elements),
            }
        }
        Values::Map {
            offsets,
            keys,
            values,
        } => {
            let (offsets, [keys, values]) = gather_elements(offsets, &[keys, values], slots);
            Values::Map {
                offsets,
                keys: Box::new(keys),
                values: Box::new(values),
            }
        }
        Values::Union {
            tags,
            offsets,
            children,
        } => gather_union(vector, (tags, offsets, children), slots),
    }
}

/// The elements of the kept slots, from each of `children`, and the offsets they then have.
fn gather_elements<const N: usize>(
    offsets: &[u32],
    children: &[&Vector; N],
    slots: Slots,
) -> (Vec<u32>, [Vector; N]) {
    if let Slots::Run { start, len } = slots {
        let offsets = &offsets[start..=start + len];
        let (first, last) = (offsets[0], offsets[len]);
        let run = Slots::Run {
            start: first as usize,
            len: (last - first) as usize,
        };
        let rebased = offsets.iter().map(|offset| offset - first).collect();
        return (rebased, children.map(|child| gather(child, run)));
    }
    let mut picked = Vec::new();
    let mut new_offsets = vec![0];
    for index in 0..slots.len() {
        let slot = slots.at(index);
        picked.extend(offsets[slot]..offsets[slot + 1]);
        new_offsets.push(picked.len() as u32);
    }
    (
        new_offsets,
        children.map(|child| gather(child, Slots::Picked(&picked))),
    )
}

fn gather_union(
    vector: &Vector,
    (tags, offsets, children): (&[u8], &[u32], &[Vector]),
    slots: Slots,
) -> Values {
    let mut picked = vec![Vec::new(); children.len()];
    let mut new_offsets = Vec::with_capacity(slots.len());
    for index in 0..slots.len() {
        let slot = slots.at(index);
        let of_child = &mut picked[usize::from(tags[slot])];
        new_offsets.push(of_child.len() as u32);
        if !vector.is_null(slot) {
            of_child.push(offsets[slot]);
        }
    }
    let children = children.iter().zip(&picked);
    Values::Union {
        tags: slots.of(tags),
        offsets: new_offsets,
        children: children
            .map(|(child, picked)| gather(child, Slots::Picked(picked)))
            .collect(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cell::tests::{Column, dump};
    use crate::scalar::Scalar;

    /// The same slots behind codes: every value twice, in reverse.
    pub(crate) fn as_dictionary(plain: &Vector) -> Vector {
        let valid: Vec<u32> = (0..plain.len as u32)
            .rev()
            .filter(|&i| !plain.is_null(i as usize))
            .collect();
        let values = plain.take(&[valid.as_slice(), &valid].concat());
        let codes = (0..plain.len as u32).map(|slot| {
            valid
                .iter()
                .position(|&other| other == slot)
                .map_or(0, |at| (at + valid.len()) as u32)
        });
        Vector {
            values: Values::Dictionary {
                codes: codes.collect(),
                values: Arc::new(values),
            },
            ..plain.clone()
        }
    }

    fn forms(column: &Column) -> [Vector; 2] {
        let plain = Vector::from_scalars(column.ty.clone(), &column.scalars).unwrap();
        [as_dictionary(&plain), plain]
    }

    quickcheck::quickcheck! {
        fn gathers_like_a_list_of_scalars(column: Column, mask: Vec<bool>, a: usize, b: usize) -> bool {
            let len = column.scalars.len();
            let bit = |index: usize| !mask.is_empty() && mask[index % mask.len()];
            let mask: Bitmap = (0..len).map(bit).collect();
            let start = a % (len + 1);
            let count = b % (len - start + 1);
            let slots: Vec<u32> = (0..count).map(|i| ((a % 1000 + i * 7) % len) as u32).collect();
            forms(&column).into_iter().all(|vector| {
                let all = dump(&vector);
                let taken: Vec<_> = slots.iter().map(|&slot| all[slot as usize].clone()).collect();
                let kept: Vec<_> = mask.ones().map(|slot| all[slot].clone()).collect();
                dump(&vector.slice(start, count)) == all[start..start + count]
                    && dump(&vector.take(&slots)) == taken
                    && dump(&vector.filter(&mask)) == kept
                    && dump(&vector.filter(&mask).slice(0, kept.len())) == kept
                    && dump(&vector.flatten().unwrap()) == all
            })
        }

        fn constants_flatten_and_gather(column: Column, len: u8) -> bool {
            let len = usize::from(len) + 1;
            column.scalars.first().is_none_or(|value| {
                let constant = Vector::constant(column.ty.clone(), value.clone(), len);
                let flat = constant.flatten().unwrap();
                dump(&flat) == vec![format!("{value:?}"); len]
                    && dump(&constant.slice(1, len - 1)) == dump(&flat.slice(1, len - 1))
            })
        }
    }

    #[test]
    fn a_dictionary_without_values_is_all_null() {
        let vector = Vector {
            ty: crate::types::LogicalType::Int32,
            len: 2,
            validity: Some(Bitmap::repeat(false, 2)),
            values: Values::Dictionary {
                codes: vec![0, 0],
                values: Arc::new(
                    Vector::from_scalars(crate::types::LogicalType::Int32, &[]).unwrap(),
                ),
            },
        };
        let flat = vector.flatten().unwrap();
        assert!(matches!(flat.values, Values::I32(_)));
        assert_eq!(flat.null_count(), 2);
    }

    #[test]
    fn encoded_forms_stay_encoded() {
        let plain = Vector::from_scalars(
            crate::types::LogicalType::Int32,
            &[Scalar::Int(1), Scalar::Int(2)],
        )
        .unwrap();
        let picked = as_dictionary(&plain).take(&[1]);
        assert!(matches!(picked.values, Values::Dictionary { .. }));
        let constant = Vector::constant(crate::types::LogicalType::Int32, Scalar::Int(1), 3);
        assert!(matches!(constant.take(&[2]).values, Values::Constant(_)));
    }
}
