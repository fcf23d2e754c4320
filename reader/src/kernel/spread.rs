//! Moves the values that are there to their slots: dense values and a validity bitmap become one slot a
//! row, nulls zero.
//!
//! ```text
//! values  a b c      validity  1 0 1 1 0      slots  a 0 b c 0
//! ```

use lith_format::bitmap::Bitmap;
use lith_format::vector::{Values, Vector};

use crate::kernel::bits::Bits;
use crate::kernel::{SlotOp, apply};

struct Spread<'a>(&'a Bitmap);

impl SlotOp for Spread<'_> {
    fn fixed<T: Copy + Default>(&self, slots: &mut Vec<T>) {
        spread(slots, self.0);
    }

    fn bits(&self, slots: &mut Bitmap) {
        *slots = spread_bits(slots, self.0);
    }
}

/// Spreads flat values or codes over the ones of `validity`; other layouts are left alone.
///
/// # Panics
/// As [`spread`].
pub fn spread_values(values: &mut Values, validity: &Bitmap) {
    apply(values, &Spread(validity));
}

/// Spreads the slots of a vector over the ones of `validity`; the other slots are null, and so are the fields of
/// structs there.
///
/// # Panics
/// As [`spread`].
pub fn spread_vector(vector: &mut Vector, validity: &Bitmap) {
    match &mut vector.values {
        Values::List { offsets, .. } | Values::Map { offsets, .. } => {
            spread_offsets(offsets, validity);
        }
        Values::Struct(children) => {
            children
                .iter_mut()
                .for_each(|child| spread_vector(child, validity));
        }
        Values::Union { tags, offsets, .. } => {
            spread(tags, validity);
            spread(offsets, validity);
        }
        flat => spread_values(flat, validity),
    }
    vector.len = validity.len();
    vector.validity = Some(match &vector.validity {
        Some(own) => spread_bits(own, validity),
        None => validity.clone(),
    });
}

/// Spreads lists over the ones of `validity`; the other lists are empty.
///
/// # Panics
/// If there are fewer lists than ones.
fn spread_offsets(offsets: &mut Vec<u32>, validity: &Bitmap) {
    let mut out = Vec::with_capacity(validity.len() + 1);
    let mut list = 0;
    out.push(offsets[list]);
    for valid in validity.iter() {
        list += usize::from(valid);
        out.push(offsets[list]);
    }
    *offsets = out;
}

/// Spreads `values` over the ones of `validity`.
///
/// Zeros are laid out first and the values put among them, one step a value and none a null: no branch
/// depends on a single bit.
///
/// # Panics
/// If there are not as many values as ones.
pub fn spread<T: Copy + Default>(values: &mut Vec<T>, validity: &Bitmap) {
    assert_eq!(values.len(), validity.count_ones(), "a value for each one");
    let mut slots = vec![T::default(); validity.len().next_multiple_of(64)];
    let mut dense = &values[..];
    for (slots, &word) in slots
        .as_chunks_mut::<64>()
        .0
        .iter_mut()
        .zip(validity.words())
    {
        let (here, rest) = dense.split_at(word.count_ones() as usize);
        dense = rest;
        if let Ok(all) = here.try_into() {
            *slots = all;
            continue;
        }
        let mut word = word;
        for &value in here {
            slots[word.trailing_zeros() as usize % 64] = value;
            word &= word.wrapping_sub(1);
        }
    }
    slots.truncate(validity.len());
    *values = slots;
}

/// As [`spread`], for bits.
///
/// # Panics
/// If there are fewer values than ones.
pub fn spread_bits(values: &Bitmap, validity: &Bitmap) -> Bitmap {
    let mut out = Bits::with_capacity(validity.len());
    let mut dense = 0;
    for (index, &word) in validity.words().iter().enumerate() {
        let mut slots = 0;
        let mut rest = word;
        while rest != 0 {
            slots |= u64::from(values.get(dense)) << rest.trailing_zeros();
            dense += 1;
            rest &= rest - 1;
        }
        out.push_word(slots, (validity.len() - index * 64).min(64));
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use lith_format::scalar::Scalar;
    use lith_format::schema::Field;
    use lith_format::types::LogicalType;

    quickcheck::quickcheck! {
        fn equals_a_loop(rows: Vec<Option<u32>>, ones: u8) -> bool {
            let rows: Vec<_> = std::iter::repeat_n(Some(5), usize::from(ones)).chain(rows).collect();
            let validity: Bitmap = rows.iter().map(Option::is_some).collect();
            let mut values: Vec<u32> = rows.iter().flatten().copied().collect();
            let bits: Bitmap = values.iter().map(|value| value % 2 == 1).collect();
            spread(&mut values, &validity);
            let expected: Vec<u32> = rows.iter().map(|value| value.unwrap_or(0)).collect();
            values == expected
                && spread_bits(&bits, &validity).iter().eq(expected.iter().map(|value| value % 2 == 1))
        }
    }

    #[test]
    fn fields_of_null_structs_are_null() {
        let int = |name: &str| Field::nullable(name, LogicalType::Int32);
        let fields = [
            Field::nullable("l", LogicalType::List(Arc::new(int("element")))),
            Field::nullable("u", LogicalType::Union([int("a"), int("b")].into())),
            int("i"),
        ];
        let row = |number: i64, tag| {
            let inner = Scalar::Int(number);
            let list = Scalar::List(vec![inner.clone(), Scalar::Null]);
            let union = Scalar::Union(tag, Box::new(inner.clone()));
            Scalar::Struct(vec![
                ("l".into(), list),
                ("u".into(), union),
                ("i".into(), inner),
            ])
        };
        let rows = [row(1, 1), row(2, 0)];
        let ty = LogicalType::Struct(fields.into());
        let mut vector = Vector::from_scalars(ty, &rows).unwrap();
        spread_vector(
            &mut vector,
            &[false, true, false, true].into_iter().collect(),
        );
        let spread: Vec<String> = (0..4)
            .map(|row| format!("{:?}", vector.value(row)))
            .collect();
        let row = |row: &Scalar| format!("{row:?}");
        assert_eq!(
            spread,
            ["Null".into(), row(&rows[0]), "Null".into(), row(&rows[1])]
        );
        let Values::Struct(fields) = &vector.values else {
            panic!("a struct");
        };
        assert!(
            fields
                .iter()
                .all(|field| field.len == 4 && field.null_count() == 2)
        );
    }
}
