//! Elements of array columns and values of map columns, as columns of their own.

use crate::bitmap::Bitmap;
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::vector::{Values, Vector};

impl Vector {
    /// The values at these slots; null for `None`.
    ///
    /// # Panics
    /// If a number is out of bounds.
    pub fn take_some(&self, slots: &[Option<u32>]) -> Result<Vector> {
        let Some(some) = slots.iter().flatten().next() else {
            return Ok(Vector::constant(self.ty.clone(), Scalar::Null, slots.len()));
        };
        let places: Vec<u32> = slots.iter().map(|slot| slot.unwrap_or(*some)).collect();
        let mut taken = self.take(&places);
        if slots.iter().all(Option::is_some) {
            return Ok(taken);
        }
        if let Values::Constant(_) = taken.values {
            taken = taken.flatten()?;
        }
        let there: Bitmap = slots.iter().map(Option::is_some).collect();
        taken.validity = Some(match taken.validity {
            Some(own) => own.and(&there),
            None => there,
        });
        Ok(taken)
    }

    /// The elements at `index`, from 0, of an array column, null where the array is.
    ///
    /// # Errors
    /// An array that has no such element, and a column of another type.
    pub fn into_element(self, index: i64) -> Result<Vector> {
        self.elements_at(index, |len| {
            Err(Error::invalid(format!(
                "no element {index} in an array of {len}; get(array, {index}) gives null"
            )))
        })
    }

    /// The element at `index` of every array, null also where an array has no such element.
    ///
    /// # Errors
    /// A column of another type.
    pub fn into_element_if_any(self, index: i64) -> Result<Vector> {
        self.elements_at(index, |_| Ok(None))
    }

    /// `lacking` is called with the length of an array that has no such element; it returns the slot to take
    /// instead, or an error.
    fn elements_at(
        self,
        index: i64,
        lacking: impl Fn(u32) -> Result<Option<u32>>,
    ) -> Result<Vector> {
        let plain = self.flatten()?;
        let Values::List { offsets, elements } = &plain.values else {
            return Err(Error::type_mismatch(format!(
                "{} has no elements",
                plain.ty
            )));
        };
        let slot = |row: usize| {
            if plain.is_null(row) {
                return Ok(None);
            }
            let len = offsets[row + 1] - offsets[row];
            match u32::try_from(index) {
                Ok(index) if index < len => Ok(Some(offsets[row] + index)),
                _ => lacking(len),
            }
        };
        let slots: Vec<_> = (0..plain.len).map(slot).collect::<Result<_>>()?;
        elements.take_some(&slots)
    }

    /// The values of `key` of a map column, null where the map is null or lacks the key. Where a map has the key
    /// more than once, the last value counts.
    ///
    /// # Errors
    /// A column of another type.
    // spec: LogicalTypes.md, "Maps"
    pub fn into_value(self, key: &Scalar) -> Result<Vector> {
        let plain = self.flatten()?;
        let Values::Map {
            offsets,
            keys,
            values,
        } = &plain.values
        else {
            return Err(Error::type_mismatch(format!("{} has no keys", plain.ty)));
        };
        let found = equal(keys, key);
        let slot = |row: usize| {
            let mut slots = offsets[row]..offsets[row + 1];
            let slot = slots.rfind(|&slot| found.get(slot as usize));
            slot.filter(|_| !plain.is_null(row))
        };
        values.take_some(&(0..plain.len).map(slot).collect::<Vec<_>>())
    }
}

/// Which slots hold this value.
fn equal(vector: &Vector, value: &Scalar) -> Bitmap {
    match (&vector.values, value.as_bytes()) {
        (Values::Dictionary { codes, values }, _) => {
            let found = equal(values, value);
            let is_equal = |(slot, &code)| !vector.is_null(slot) && found.get(code as usize);
            codes.iter().enumerate().map(is_equal).collect()
        }
        (Values::Bytes(views), Some(bytes)) => {
            let is_equal = |(slot, view): (usize, &[u8])| view == bytes && !vector.is_null(slot);
            views.iter().enumerate().map(is_equal).collect()
        }
        _ => {
            let is_equal = |slot| vector.value(slot).compare(value).is_some_and(|o| o.is_eq());
            (0..vector.len).map(is_equal).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::error::ErrorKind;
    use crate::gather::tests::as_dictionary;
    use crate::schema::Field;
    use crate::types::LogicalType;

    fn shown(vector: &Vector) -> Vec<String> {
        (0..vector.len)
            .map(|row| format!("{:?}", vector.value(row)))
            .collect()
    }

    #[test]
    fn elements_are_picked_or_are_errors() {
        let element = Field::nullable("element", LogicalType::Int32);
        let ty = LogicalType::List(Arc::new(element));
        let list = |values: &[i64]| Scalar::List(values.iter().map(|&v| Scalar::Int(v)).collect());
        let rows = [list(&[1, 2]), Scalar::Null, list(&[3])];
        let lists = Vector::from_scalars(ty.clone(), &rows).unwrap();
        let first = lists.clone().into_element(0).unwrap();
        assert_eq!(shown(&first), ["Int(1)", "Null", "Int(3)"]);
        for index in [1, -1, i64::MAX] {
            let error = lists.clone().into_element(index).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        }
        let constant = Vector::constant(ty, rows[0].clone(), 2).into_element(1);
        assert_eq!(shown(&constant.unwrap()), ["Int(2)", "Int(2)"]);
        let no_list = Vector::constant(LogicalType::Int32, Scalar::Int(1), 1);
        assert_eq!(
            no_list.into_element(0).unwrap_err().kind(),
            ErrorKind::TypeMismatch
        );
    }

    #[test]
    fn values_are_found_by_their_keys() {
        let map = |key: LogicalType| {
            let entry = [
                Field::required("key", key),
                Field::nullable("value", LogicalType::Int32),
            ];
            LogicalType::Map(Arc::new(entry))
        };
        let texts = [
            Scalar::Map(vec![
                (Scalar::string("a"), Scalar::Int(1)),
                (Scalar::string("k"), Scalar::Int(2)),
            ]),
            Scalar::Null,
            Scalar::Map(vec![(Scalar::string("k"), Scalar::Null)]),
            Scalar::Map(Vec::new()),
        ];
        let mut maps = Vector::from_scalars(map(LogicalType::String), &texts).unwrap();
        let found = |maps: &Vector, key: &Scalar| shown(&maps.clone().into_value(key).unwrap());
        let k = Scalar::string("k");
        let expected = ["Int(2)", "Null", "Null", "Null"];
        assert_eq!(found(&maps, &k), expected);
        assert_eq!(found(&maps, &Scalar::string("x")), ["Null"; 4]);
        if let Values::Map { keys, .. } = &mut maps.values {
            **keys = as_dictionary(keys);
        }
        assert_eq!(found(&maps, &k), expected);
        let twice = [1, 3].map(|value| (Scalar::Int(7), Scalar::Int(value)));
        let numbers = [Scalar::Map(twice.to_vec())];
        let maps = Vector::from_scalars(map(LogicalType::Int8), &numbers).unwrap();
        assert_eq!(found(&maps, &Scalar::Int(7)), ["Int(3)"]);
        assert_eq!(found(&maps, &Scalar::Int(8)), ["Null"]);
    }
}
