//! Buffers one leaf of the current row group: which slots are null, and the values of the others in a [`ValueBuffer`]
//! of the leaf's layout.
//!
//! Vectors may come flat, as dictionaries or as constants; the leaf's type says what is kept. A vector
//! of another integer layout is converted, and refused if a value does not fit.

use std::ops::Range;
use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};
use lith_format::scalar::Scalar;
use lith_format::schema::Field;
use lith_format::types::Layout;
use lith_format::vector::{Values, Vector};

use crate::native::Native;
use crate::store::ByteStore;
use crate::value_buffer::{Translation, ValueBuffer};

/// Values of a leaf in the layout of its type.
#[derive(Debug)]
pub(crate) enum Data {
    Boolean(ValueBuffer<Bitmap>),
    I32(ValueBuffer<Vec<i32>>),
    I64(ValueBuffer<Vec<i64>>),
    U32(ValueBuffer<Vec<u32>>),
    U64(ValueBuffer<Vec<u64>>),
    I128(ValueBuffer<Vec<i128>>),
    F32(ValueBuffer<Vec<f32>>),
    F64(ValueBuffer<Vec<f64>>),
    Bytes(ValueBuffer<ByteStore>),
}

/// The one dispatch over layouts: runs `$body` with the values as `$buffer`.
macro_rules! with_buffer {
    ($data:expr, $buffer:ident => $body:expr) => {
        match $data {
            $crate::leaf::Data::Boolean($buffer) => $body,
            $crate::leaf::Data::I32($buffer) => $body,
            $crate::leaf::Data::I64($buffer) => $body,
            $crate::leaf::Data::U32($buffer) => $body,
            $crate::leaf::Data::U64($buffer) => $body,
            $crate::leaf::Data::I128($buffer) => $body,
            $crate::leaf::Data::F32($buffer) => $body,
            $crate::leaf::Data::F64($buffer) => $body,
            $crate::leaf::Data::Bytes($buffer) => $body,
        }
    };
}
pub(crate) use with_buffer;

/// The same over a leaf and the values of a vector of the same layout.
macro_rules! with_source {
    ($data:expr, $values:expr, $buffer:ident, $source:ident => $body:expr, $rest:expr) => {
        match ($data, $values) {
            (Data::Boolean($buffer), Values::Boolean($source)) => $body,
            (Data::I32($buffer), Values::I32($source)) => $body,
            (Data::I64($buffer), Values::I64($source)) => $body,
            (Data::U32($buffer), Values::U32($source)) => $body,
            (Data::U64($buffer), Values::U64($source)) => $body,
            (Data::I128($buffer), Values::I128($source)) => $body,
            (Data::F32($buffer), Values::F32($source)) => $body,
            (Data::F64($buffer), Values::F64($source)) => $body,
            (Data::Bytes($buffer), Values::Bytes($source)) => $body,
            _ => $rest,
        }
    };
}

/// A leaf's slots.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) field: Field,
    /// How many slots there are.
    pub(crate) rows: usize,
    /// Which of them hold a value; `None` when all do.
    pub(crate) validity: Option<Bitmap>,
    pub(crate) data: Data,
    translation: Translation,
    dictionary_bytes: usize,
}

impl Leaf {
    /// No slots of `field`, whose dictionary may take `dictionary_bytes`.
    pub(crate) fn new(field: &Field, dictionary_bytes: usize) -> Result<Self> {
        Ok(Leaf {
            data: Data::new(field.ty.layout(), dictionary_bytes > 0)?,
            field: field.clone(),
            rows: 0,
            validity: None,
            translation: Translation::default(),
            dictionary_bytes,
        })
    }

    /// Takes everything out and starts anew.
    pub(crate) fn take(&mut self) -> Result<Leaf> {
        let fresh = Leaf::new(&self.field, self.dictionary_bytes)?;
        self.translation.clear();
        Ok(std::mem::replace(self, fresh))
    }

    /// Bytes that the buffered slots would take before compression.
    pub(crate) fn bytes(&self) -> usize {
        let values = with_buffer!(&self.data, buffer => buffer.bytes());
        values + self.validity.as_ref().map_or(0, |bits| bits.len() / 8)
    }

    /// How many values, not nulls, are in `rows`.
    pub(crate) fn values_in(&self, rows: Range<usize>) -> usize {
        match &self.validity {
            None => rows.len(),
            Some(bits) => bits.slice(rows.start, rows.len()).count_ones(),
        }
    }

    /// Appends slots `range` of `vector`.
    pub(crate) fn append(&mut self, vector: &Vector, range: Range<usize>) -> Result<()> {
        match &vector.values {
            Values::Null | Values::Constant(Scalar::Null) => self.append_nulls(range.len()),
            Values::Constant(value) => {
                let value = std::slice::from_ref(value);
                let one = Arc::new(Vector::from_scalars(vector.ty.clone(), value)?);
                self.append_validity(None, &range)?;
                self.append_codes(&one, &vec![0; range.len()])
            }
            Values::Dictionary { codes, values } => {
                self.append_validity(vector.validity.as_ref(), &range)?;
                match &vector.validity {
                    None => self.append_codes(values, &codes[range]),
                    Some(bits) => {
                        let mut present = Vec::with_capacity(range.len());
                        for_each_run(Some(bits), &range, |run| {
                            present.extend_from_slice(&codes[run]);
                        });
                        self.append_codes(values, &present)
                    }
                }
            }
            flat => {
                self.append_validity(vector.validity.as_ref(), &range)?;
                self.append_flat(flat, vector.validity.as_ref(), &range)
            }
        }
    }

    fn append_nulls(&mut self, count: usize) -> Result<()> {
        if count > 0 {
            self.refuse_null()?;
            self.validity_mut().extend_repeat(false, count);
            self.rows += count;
        }
        Ok(())
    }

    fn append_validity(&mut self, bits: Option<&Bitmap>, range: &Range<usize>) -> Result<()> {
        let len = range.len();
        let bits = bits.map(|bits| bits.slice(range.start, len));
        match bits.filter(|bits| !bits.all()) {
            Some(bits) => {
                self.refuse_null()?;
                self.validity_mut().extend(&bits);
            }
            None => {
                if let Some(own) = &mut self.validity {
                    own.extend_repeat(true, len);
                }
            }
        }
        self.rows += len;
        Ok(())
    }

    fn refuse_null(&self) -> Result<()> {
        if self.field.nullable {
            return Ok(());
        }
        Err(Error::invalid("a null in a required column").at_column(&self.field.name))
    }

    fn validity_mut(&mut self) -> &mut Bitmap {
        self.validity
            .get_or_insert_with(|| Bitmap::repeat(true, self.rows))
    }

    fn append_codes(&mut self, dictionary: &Arc<Vector>, codes: &[u32]) -> Result<()> {
        let (translation, limit) = (&mut self.translation, self.dictionary_bytes);
        with_source!(&mut self.data, &dictionary.values, buffer, source => {
            buffer.append_coded(source, dictionary, codes, translation);
            buffer.drop_dictionary_unless_promising(limit);
            return Ok(());
        }, {});
        let converted = Arc::new(Vector {
            ty: self.field.ty.clone(),
            len: dictionary.len,
            validity: None,
            values: self.convert(&dictionary.values)?,
        });
        self.append_codes(&converted, codes)
    }

    fn append_flat(
        &mut self,
        values: &Values,
        validity: Option<&Bitmap>,
        range: &Range<usize>,
    ) -> Result<()> {
        let limit = self.dictionary_bytes;
        with_source!(&mut self.data, values, buffer, source => {
            for_each_run(validity, range, |run| buffer.append(source, run, limit));
            return Ok(());
        }, {});
        let converted = self.convert(values)?;
        self.append_flat(&converted, validity, range)
    }

    /// Integers of another layout in this leaf's.
    fn convert(&self, values: &Values) -> Result<Values> {
        let wide: Vec<i128> = match values {
            Values::I32(values) => widen(values),
            Values::I64(values) => widen(values),
            Values::U32(values) => widen(values),
            Values::U64(values) => widen(values),
            Values::I128(values) => values.clone(),
            _ => return Err(self.wrong_layout()),
        };
        match self.data {
            Data::I32(_) => self.narrow(&wide).map(Values::I32),
            Data::I64(_) => self.narrow(&wide).map(Values::I64),
            Data::U32(_) => self.narrow(&wide).map(Values::U32),
            Data::U64(_) => self.narrow(&wide).map(Values::U64),
            Data::I128(_) => Ok(Values::I128(wide)),
            _ => Err(self.wrong_layout()),
        }
    }

    fn narrow<T: Native>(&self, values: &[i128]) -> Result<Vec<T>> {
        let narrow = |&value: &i128| {
            T::from_integer(value).ok_or_else(|| {
                Error::invalid(format!("{value} exceeds {}", self.field.ty))
                    .at_column(&self.field.name)
            })
        };
        values.iter().map(narrow).collect()
    }

    #[cold]
    fn wrong_layout(&self) -> Error {
        Error::type_mismatch(format!("the values are not those of {}", self.field.ty))
            .at_column(&self.field.name)
    }
}

fn widen<T: Native>(values: &[T]) -> Vec<i128> {
    values.iter().filter_map(|value| value.integer()).collect()
}

impl Data {
    fn new(layout: Layout, coded: bool) -> Result<Data> {
        Ok(match layout {
            Layout::Boolean => Data::Boolean(ValueBuffer::new(false)),
            // a column of nulls has no values, of whatever layout
            Layout::Null | Layout::I32 => Data::I32(ValueBuffer::new(coded)),
            Layout::I64 => Data::I64(ValueBuffer::new(coded)),
            Layout::U32 => Data::U32(ValueBuffer::new(coded)),
            Layout::U64 => Data::U64(ValueBuffer::new(coded)),
            Layout::I128 => Data::I128(ValueBuffer::new(coded)),
            Layout::F32 => Data::F32(ValueBuffer::new(coded)),
            Layout::F64 => Data::F64(ValueBuffer::new(coded)),
            Layout::Bytes => Data::Bytes(ValueBuffer::new(coded)),
            Layout::I256 => {
                let message = "decimals of more than 38 digits are not written";
                return Err(Error::unsupported(message));
            }
            Layout::List | Layout::Map | Layout::Struct | Layout::Union => {
                return Err(Error::unsupported("nested columns are not written yet"));
            }
        })
    }
}

/// Calls `f` with each stretch of slots in `range` that all hold a value.
fn for_each_run(validity: Option<&Bitmap>, range: &Range<usize>, mut f: impl FnMut(Range<usize>)) {
    let Some(bits) = validity.map(|bits| bits.slice(range.start, range.len())) else {
        return f(range.clone());
    };
    let mut open: Option<usize> = None;
    for (index, &word) in bits.words().iter().enumerate() {
        let (mut rest, mut at) = (word, 0u32);
        while at < 64 {
            let ones = (rest >> at).trailing_ones().min(64 - at);
            if ones > 0 {
                open.get_or_insert(index * 64 + at as usize);
            }
            at += ones;
            if at < 64 {
                if let Some(start) = open.take() {
                    f(range.start + start..range.start + index * 64 + at as usize);
                }
                rest = rest >> at << at;
                at = rest.trailing_zeros().max(at);
            }
        }
    }
    if let Some(start) = open {
        f(range.start + start..range.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use lith_format::types::LogicalType;
    use lith_format::vector::ByteViews;

    fn leaf(ty: LogicalType) -> Leaf {
        Leaf::new(&Field::nullable("c", ty), 1 << 20).unwrap()
    }

    fn flat(ty: LogicalType, values: Values, validity: &[bool]) -> Vector {
        Vector {
            ty,
            len: validity.len(),
            validity: Some(validity.iter().copied().collect()),
            values,
        }
    }

    fn texts(leaf: &Leaf) -> Vec<Vec<u8>> {
        let Data::Bytes(ValueBuffer::Coded { entries, codes, .. }) = &leaf.data else {
            panic!("not coded")
        };
        codes
            .iter()
            .map(|&code| entries.get(code as usize).to_vec())
            .collect()
    }

    #[test]
    fn flat_dictionary_and_constant_slots_meet_in_one_dictionary() {
        let mut leaf = leaf(LogicalType::String);
        let views = ByteViews::from_values(["x", "", "y"]);
        let plain = flat(
            LogicalType::String,
            Values::Bytes(views),
            &[true, false, true],
        );
        leaf.append(&plain, 0..3).unwrap();
        let dictionary = Arc::new(Vector {
            ty: LogicalType::String,
            len: 3,
            validity: None,
            values: Values::Bytes(ByteViews::from_values(["unused", "y", "z"])),
        });
        let codes = vec![1, 0, 2, 1];
        let coded = flat(
            LogicalType::String,
            Values::Dictionary {
                codes,
                values: dictionary,
            },
            &[true, false, true, true],
        );
        leaf.append(&coded, 0..4).unwrap();
        let constant = Vector::constant(LogicalType::String, Scalar::string("x"), 9);
        leaf.append(&constant, 2..4).unwrap();
        leaf.append(
            &Vector::constant(LogicalType::String, Scalar::Null, 1),
            0..1,
        )
        .unwrap();
        assert_eq!(
            texts(&leaf),
            [b"x", b"y", b"y", b"z", b"y", b"x", b"x"].map(|t| t.to_vec())
        );
        assert_eq!(
            format!("{:?}", leaf.validity.as_ref().unwrap()),
            "1011011110"
        );
        let Data::Bytes(ValueBuffer::Coded { entries, .. }) = &leaf.data else {
            panic!()
        };
        assert_eq!(entries.len(), 3, "an entry that no row uses is not written");
    }

    #[test]
    fn integers_are_converted_or_refused() {
        let ty = LogicalType::Int32;
        let mut leaf = leaf(ty.clone());
        leaf.append(&flat(ty.clone(), Values::I64(vec![7]), &[true]), 0..1)
            .unwrap();
        leaf.append(&Vector::constant(ty.clone(), Scalar::Int(7), 1), 0..1)
            .unwrap();
        assert_eq!(leaf.rows, 2);
        let wide = flat(ty.clone(), Values::I64(vec![1 << 40]), &[true]);
        assert!(leaf.append(&wide, 0..1).is_err());
        assert!(
            leaf.append(&flat(ty, Values::F64(vec![1.0]), &[true]), 0..1)
                .is_err()
        );
    }

    #[test]
    fn a_required_leaf_refuses_nulls() {
        let mut leaf = Leaf::new(&Field::required("c", LogicalType::Int64), 0).unwrap();
        let vector = flat(LogicalType::Int64, Values::I64(vec![1, 0]), &[true, false]);
        leaf.append(&vector, 0..1).unwrap();
        assert!(leaf.append(&vector, 0..2).is_err());
    }

    quickcheck::quickcheck! {
        fn runs_cover_the_ones(runs: Vec<(bool, u8)>, cut: (usize, usize)) -> bool {
            let bits: Bitmap = runs
                .iter()
                .flat_map(|&(bit, count)| std::iter::repeat_n(bit, usize::from(count)))
                .collect();
            let start = cut.0 % (bits.len() + 1);
            let end = start + cut.1 % (bits.len() - start + 1);
            let mut ones = Vec::new();
            for_each_run(Some(&bits), &(start..end), |run| {
                assert!(!run.is_empty());
                ones.extend(run);
            });
            ones.into_iter().eq(bits.ones().filter(|&at| (start..end).contains(&at)))
        }
    }
}
