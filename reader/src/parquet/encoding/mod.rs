//! The encodings of a page's values section, one file each, behind one enum that is chosen once a page.
//!
//! Every decoder owns a shared slice of the page and a position, and can `read` the next values or
//! `skip` them; asking past the end is an error. Nulls are not among the values.

pub(crate) mod alp;
pub(crate) mod delta;
pub(crate) mod delta_bytes;
pub(crate) mod dictionary;
pub(crate) mod plain;
pub(crate) mod rle;
pub(crate) mod split;

use bytes::Bytes;
use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};
use lith_format::parquet::encoding::Encoding;
use lith_format::vector::Values;

use crate::kernel::bits::Bits;
use crate::parquet::form::Form;

/// The values of a page that hold themselves (not codes).
#[derive(Debug)]
pub(crate) enum Decoder {
    Fixed(plain::Fixed),
    Booleans(plain::Booleans),
    ByteArrays(plain::ByteArrays),
    Rle(rle::Hybrid),
    Delta(Box<delta::Delta>),
    DeltaLengths(Box<delta_bytes::DeltaLengths>),
    DeltaByteArrays(Box<delta_bytes::DeltaByteArrays>),
    Split(split::Split),
    Alp32(Box<alp::Alp<f32>>),
    Alp64(Box<alp::Alp<f64>>),
}

impl Decoder {
    /// The decoder of `values` in `encoding`. One read may not make more than `max_bytes` out of few.
    pub(crate) fn new(
        encoding: Encoding,
        form: Form,
        values: Bytes,
        max_bytes: usize,
    ) -> Result<Self> {
        use Encoding as E;
        if values.is_empty() && encoding != E::Plain {
            // pages of nulls may hold no values section at all, not even its header
            return Self::new(E::Plain, form, values, max_bytes);
        }
        Ok(match (encoding, form, form.width()) {
            (E::Plain, Form::Boolean, _) => Decoder::Booleans(plain::Booleans::new(values)),
            (E::Plain, _, None) => Decoder::ByteArrays(plain::ByteArrays::new(values)),
            (E::Plain, _, Some(width)) => Decoder::Fixed(plain::Fixed::new(values, form, width)),
            (E::Rle, Form::Boolean, _) => Decoder::Rle(rle::booleans(&values)?),
            (E::DeltaBinaryPacked, Form::I32 | Form::U32 | Form::I64 | Form::U64, _) => {
                Decoder::Delta(Box::new(delta::Delta::new(values)?))
            }
            (E::DeltaLengthByteArray, Form::ByteArray, _) => {
                Decoder::DeltaLengths(Box::new(delta_bytes::DeltaLengths::new(values)?))
            }
            (
                E::DeltaByteArray,
                Form::ByteArray | Form::Fixed(_) | Form::Decimal(_) | Form::F16,
                _,
            ) => {
                let values = delta_bytes::DeltaByteArrays::new(values, form, max_bytes)?;
                Decoder::DeltaByteArrays(Box::new(values))
            }
            (E::ByteStreamSplit, _, Some(width)) if form != Form::Int96 => {
                Decoder::Split(split::Split::new(values, form, width)?)
            }
            (E::Alp, Form::F32, _) => Decoder::Alp32(Box::new(alp::Alp::new(values)?)),
            (E::Alp, Form::F64, _) => Decoder::Alp64(Box::new(alp::Alp::new(values)?)),
            _ => return Err(Error::unsupported(format!("{encoding} of {form:?} values"))),
        })
    }

    /// Appends the next `count` values.
    pub(crate) fn read(&mut self, count: usize, out: &mut Values) -> Result<()> {
        match (self, out) {
            (Decoder::Fixed(values), out) => values.read(count, out),
            (Decoder::Booleans(values), Values::Boolean(out)) => values.read(count, out),
            (Decoder::ByteArrays(values), Values::Bytes(out)) => values.read(count, out),
            (Decoder::Rle(values), Values::Boolean(out)) => read_bits(values, count, out),
            (Decoder::Delta(values), Values::I32(out)) => values.read(count, out),
            (Decoder::Delta(values), Values::U32(out)) => values.read(count, out),
            (Decoder::Delta(values), Values::I64(out)) => values.read(count, out),
            (Decoder::Delta(values), Values::U64(out)) => values.read(count, out),
            (Decoder::DeltaLengths(values), Values::Bytes(out)) => values.read(count, out),
            (Decoder::DeltaByteArrays(values), out) => values.read(count, out),
            (Decoder::Split(values), out) => values.read(count, out),
            (Decoder::Alp32(values), Values::F32(out)) => values.read(count, out),
            (Decoder::Alp64(values), Values::F64(out)) => values.read(count, out),
            _ => Err(Error::type_mismatch("values into another layout")),
        }
    }

    /// Skips `count` values.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        match self {
            Decoder::Fixed(values) => values.skip(count),
            Decoder::Booleans(values) => values.skip(count),
            Decoder::ByteArrays(values) => values.skip(count),
            Decoder::Rle(values) => values.skip(count),
            Decoder::Delta(values) => values.skip(count),
            Decoder::DeltaLengths(values) => values.skip(count),
            Decoder::DeltaByteArrays(values) => values.skip(count),
            Decoder::Split(values) => values.skip(count),
            Decoder::Alp32(values) => values.skip(count),
            Decoder::Alp64(values) => values.skip(count),
        }
    }
}

fn read_bits(values: &mut rle::Hybrid, count: usize, out: &mut Bitmap) -> Result<()> {
    let mut bits = Bits::with_capacity(count);
    values.read_bits(count, &mut bits)?;
    out.extend(&bits.finish());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::error::ErrorKind;

    #[test]
    fn encodings_that_do_not_go_with_a_type_are_unsupported() {
        let pairs = [
            (Encoding::Rle, Form::I32),
            (Encoding::DeltaBinaryPacked, Form::F64),
            (Encoding::ByteStreamSplit, Form::ByteArray),
            (Encoding::Alp, Form::F16),
            (Encoding::Unknown(77), Form::I64),
        ];
        for (encoding, form) in pairs {
            let error = Decoder::new(encoding, form, Bytes::from_static(&[1]), 10).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{encoding}");
        }
    }

    #[test]
    fn booleans_in_runs_stand_behind_their_length() {
        let values = Bytes::from_static(&[2, 0, 0, 0, 6, 1, 0xff]);
        let mut decoder = Decoder::new(Encoding::Rle, Form::Boolean, values, 10).unwrap();
        let mut out = Form::Boolean.empty();
        decoder.skip(1).unwrap();
        decoder.read(2, &mut out).unwrap();
        assert!(matches!(&out, Values::Boolean(out) if out.iter().eq([true, true])));
        assert_eq!(
            decoder.read(1, &mut out).unwrap_err().kind(),
            ErrorKind::Truncated
        );
    }

    #[test]
    fn no_section_is_no_values() {
        let mut decoder =
            Decoder::new(Encoding::DeltaByteArray, Form::ByteArray, Bytes::new(), 10).unwrap();
        decoder.read(0, &mut Form::ByteArray.empty()).unwrap();
        assert_eq!(decoder.skip(1).unwrap_err().kind(), ErrorKind::Truncated);
    }
}
