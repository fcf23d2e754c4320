//! The sum of a column, by which engines are known to have read the same: of numbers, their values; of byte
//! strings, their lengths. Nulls add nothing.

use lith_format::vector::{ByteViews, Values, Vector};

/// The sum of `column`; nested columns, and columns that the file lacks, add nothing.
pub fn of(column: &Vector) -> f64 {
    let there = |index: &usize| !column.is_null(*index);
    let slots = || (0..column.len).filter(there);
    match &column.values {
        Values::Boolean(bits) => slots().filter(|index| bits.get(*index)).count() as f64,
        Values::I32(values) => slots().map(|index| i64::from(values[index])).sum::<i64>() as f64,
        Values::I64(values) => slots().map(|index| values[index] as f64).sum(),
        Values::U32(values) => slots().map(|index| u64::from(values[index])).sum::<u64>() as f64,
        Values::U64(values) => slots().map(|index| values[index] as f64).sum(),
        Values::I128(values) => slots().map(|index| values[index] as f64).sum(),
        Values::F32(values) => slots().map(|index| f64::from(values[index])).sum(),
        Values::F64(values) => slots().map(|index| values[index]).sum(),
        Values::Bytes(values) => slots().map(|index| length(values, index)).sum(),
        Values::Dictionary { codes, values } => {
            let codes = slots().map(|index| codes[index] as usize);
            if values.len > column.len {
                return codes.map(|code| one(values, code)).sum();
            }
            let each: Vec<f64> = (0..values.len).map(|code| one(values, code)).collect();
            codes.map(|code| each[code]).sum()
        }
        _ => 0.0,
    }
}

/// What a value of a dictionary adds.
fn one(values: &Vector, index: usize) -> f64 {
    match &values.values {
        Values::I32(values) => f64::from(values[index]),
        Values::I64(values) => values[index] as f64,
        Values::F32(values) => f64::from(values[index]),
        Values::F64(values) => values[index],
        Values::Bytes(values) => length(values, index),
        _ => 0.0,
    }
}

fn length(values: &ByteViews, index: usize) -> f64 {
    values.get(index).len() as f64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lith_format::bitmap::Bitmap;
    use lith_format::types::LogicalType;

    use super::*;

    fn column(values: Values, len: usize) -> Vector {
        let mut validity = Bitmap::repeat(true, len);
        validity.set(1, false);
        Vector {
            ty: LogicalType::String,
            len,
            validity: Some(validity),
            values,
        }
    }

    #[test]
    fn what_is_there_adds_up() {
        let texts = || Values::Bytes(ByteViews::from_values(["a", "bb", "ccc"]));
        assert_eq!(of(&column(Values::I32(vec![1, 2, 4]), 3)), 5.0);
        assert_eq!(of(&column(Values::F64(vec![0.5, 2.0, 0.25]), 3)), 0.75);
        assert_eq!(of(&column(texts(), 3)), 4.0);
        let values = Arc::new(Vector {
            validity: None,
            ..column(texts(), 3)
        });
        for (codes, sum) in [(vec![2, 0, 1, 2], 8.0), (vec![2, 0], 3.0)] {
            let (len, values) = (codes.len(), Arc::clone(&values));
            assert_eq!(of(&column(Values::Dictionary { codes, values }, len)), sum);
        }
    }
}
