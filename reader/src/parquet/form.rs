//! How a leaf's values lie in pages and which layout they are decoded to: the reader's only table over
//! physical types.
//!
//! ```text
//! BOOLEAN 1 bit -> bits        INT32 -> i32, u32      INT64 -> i64, u64      FLOAT, DOUBLE -> f32, f64
//! INT96 | nanoseconds of the day i64 | Julian day i32 | -> i128 nanoseconds since 1970
//! FIXED_LEN_BYTE_ARRAY(n) decimal, big-endian two's complement -> i32 (n <= 4), i64 (n <= 8),
//!     i128 (n <= 16), 256 bits
//! FIXED_LEN_BYTE_ARRAY(2) half float -> f32      other FIXED_LEN_BYTE_ARRAY, BYTE_ARRAY -> views
//! ```
//!
//! Pages decode to the layout of the physical type. [`Form::finish`] then turns decimals and INT96 into
//! the usual layout of the logical type where every value fits, and leaves the wider one where not.
// spec: Encodings.md, "Plain"; LogicalTypes.md, "DECIMAL", "FLOAT16", "DEPRECATED INT96"

use std::ops::Range;

use bytes::Bytes;
use lith_format::bitmap::Bitmap;
use lith_format::bytes::half_to_single;
use lith_format::error::{Error, Result};
use lith_format::i256::I256;
use lith_format::parquet::encoding::Type;
use lith_format::types::{Layout, LogicalType};
use lith_format::vector::{ByteViews, Values, View};

/// The Julian day number of 1970-01-01.
const JULIAN_EPOCH: i128 = 2_440_588;
const NANOS_PER_DAY: i128 = 86_400_000_000_000;

/// The shape of a leaf's values in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Only nulls: whatever lies in pages is not read.
    Nulls,
    Boolean,
    I32,
    I64,
    U32,
    U64,
    F32,
    F64,
    /// Half precision.
    F16,
    Int96,
    /// Big-endian two's complement of so many bytes.
    Decimal(usize),
    /// So many bytes.
    Fixed(usize),
    ByteArray,
}

impl Form {
    /// The form of a leaf of this physical type, of `width` bytes if it is of fixed length, that means `ty`.
    pub(crate) fn new(physical: Type, width: usize, ty: &LogicalType) -> Result<Self> {
        let decimal = matches!(ty, LogicalType::Decimal { .. });
        let form = match (physical, ty.layout()) {
            (_, Layout::Null) => Form::Nulls,
            (Type::Boolean, Layout::Boolean) => Form::Boolean,
            (Type::Int32, Layout::I32) => Form::I32,
            (Type::Int32, Layout::U32) => Form::U32,
            (Type::Int64, Layout::U64) => Form::U64,
            (Type::Int64, Layout::I64) => Form::I64,
            (Type::Int32, _) if decimal => Form::I32,
            (Type::Int64, _) if decimal => Form::I64,
            (Type::Float, Layout::F32) => Form::F32,
            (Type::Double, Layout::F64) => Form::F64,
            (Type::Int96, Layout::I64) => Form::Int96,
            (Type::ByteArray, Layout::Bytes) => Form::ByteArray,
            (Type::ByteArray, _) if decimal => Form::ByteArray,
            (Type::FixedLenByteArray, _) if width == 0 => {
                return Err(Error::corrupt("FIXED_LEN_BYTE_ARRAY without a length"));
            }
            (Type::FixedLenByteArray, Layout::Bytes) => Form::Fixed(width),
            (Type::FixedLenByteArray, Layout::F32) if width == 2 => Form::F16,
            (Type::FixedLenByteArray, _) if decimal => Form::Decimal(width),
            _ => return Err(mismatch(physical, ty)),
        };
        Ok(form)
    }

    /// Bytes of a value, where all have the same.
    pub(crate) fn width(self) -> Option<usize> {
        match self {
            Form::Nulls | Form::Boolean | Form::ByteArray => None,
            Form::F16 => Some(2),
            Form::I32 | Form::U32 | Form::F32 => Some(4),
            Form::I64 | Form::U64 | Form::F64 => Some(8),
            Form::Int96 => Some(12),
            Form::Decimal(width) | Form::Fixed(width) => Some(width),
        }
    }

    /// No values, in the layout that pages decode to.
    pub(crate) fn empty(self) -> Values {
        match self {
            Form::Nulls => Values::Null,
            Form::Boolean => Values::Boolean(Bitmap::new()),
            Form::I32 | Form::Decimal(..=4) => Values::I32(Vec::new()),
            Form::I64 | Form::Decimal(..=8) => Values::I64(Vec::new()),
            Form::Int96 | Form::Decimal(..=16) => Values::I128(Vec::new()),
            Form::Decimal(_) => Values::I256(Vec::new()),
            Form::U32 => Values::U32(Vec::new()),
            Form::U64 => Values::U64(Vec::new()),
            Form::F32 | Form::F16 => Values::F32(Vec::new()),
            Form::F64 => Values::F64(Vec::new()),
            Form::Fixed(_) | Form::ByteArray => Values::Bytes(ByteViews::default()),
        }
    }

    /// Appends the values of a range of `page`, each of this form's width.
    pub(crate) fn append(self, page: &Bytes, range: Range<usize>, out: &mut Values) -> Result<()> {
        let bytes = &page[range.clone()];
        match (self, out) {
            (Form::I32, Values::I32(out)) => extend(bytes, out, i32::from_le_bytes),
            (Form::I64, Values::I64(out)) => extend(bytes, out, i64::from_le_bytes),
            (Form::U32, Values::U32(out)) => extend(bytes, out, u32::from_le_bytes),
            (Form::U64, Values::U64(out)) => extend(bytes, out, u64::from_le_bytes),
            (Form::F32, Values::F32(out)) => extend(bytes, out, f32::from_le_bytes),
            (Form::F64, Values::F64(out)) => extend(bytes, out, f64::from_le_bytes),
            (Form::F16, Values::F32(out)) => {
                extend(bytes, out, |half| half_to_single(u16::from_le_bytes(half)));
            }
            (Form::Int96, Values::I128(out)) => extend(bytes, out, nanos_from_int96),
            (Form::Decimal(width), Values::I32(out)) => {
                out.extend(big_endian(bytes, width).map(|value| value as i32));
            }
            (Form::Decimal(width), Values::I64(out)) => out.extend(big_endian(bytes, width)),
            (Form::Decimal(16), Values::I128(out)) => extend(bytes, out, i128::from_be_bytes),
            (Form::Decimal(width), Values::I128(out)) => {
                out.extend(bytes.chunks_exact(width).map(big_endian_128));
            }
            (Form::Decimal(width), Values::I256(out)) => {
                for value in bytes.chunks_exact(width) {
                    out.push(big_endian_256(value)?);
                }
            }
            (Form::Fixed(width), Values::Bytes(out)) => append_fixed(page, range, width, out)?,
            (form, _) => {
                return Err(Error::type_mismatch(format!(
                    "{form:?} into another layout"
                )));
            }
        }
        Ok(())
    }

    /// Turns values from the layout that pages decode to into the usual one of `ty`, if they fit.
    pub(crate) fn finish(self, values: Values, ty: &LogicalType) -> Result<Values> {
        let values = match (self, values) {
            (Form::ByteArray, Values::Bytes(views)) if ty.layout() != Layout::Bytes => {
                decimals(&views)?
            }
            (_, values) => values,
        };
        Ok(match (values, ty.layout()) {
            (Values::I32(values), Layout::I64) => Values::I64(widen(&values)),
            (Values::I32(values), Layout::I128) => Values::I128(widen(&values)),
            (Values::I64(values), Layout::I128) => Values::I128(widen(&values)),
            (Values::I32(values), Layout::I256) => Values::I256(widen(&values)),
            (Values::I64(values), Layout::I256) => Values::I256(widen(&values)),
            (Values::I128(values), Layout::I256) => Values::I256(widen(&values)),
            (Values::I256(values), Layout::I32 | Layout::I64 | Layout::I128) => {
                match narrow(&values) {
                    Some(values) => return self.finish(Values::I128(values), ty),
                    None => Values::I256(values),
                }
            }
            (Values::I64(values), Layout::I32) => {
                narrow(&values).map_or(Values::I64(values), Values::I32)
            }
            (Values::I128(values), Layout::I64) => {
                narrow(&values).map_or(Values::I128(values), Values::I64)
            }
            (Values::I128(values), Layout::I32) => {
                narrow(&values).map_or(Values::I128(values), Values::I32)
            }
            (values, _) => values,
        })
    }

    /// Whether [`Form::finish`] may change the layout.
    pub(crate) fn is_raw(self, ty: &LogicalType) -> bool {
        self == Form::Int96 || matches!(ty, LogicalType::Decimal { .. })
    }
}

fn mismatch(physical: Type, ty: &LogicalType) -> Error {
    Error::unsupported(format!("{ty} as {physical}"))
}

#[inline(always)]
fn extend<const N: usize, T>(bytes: &[u8], out: &mut Vec<T>, convert: impl Fn([u8; N]) -> T) {
    out.extend(bytes.as_chunks().0.iter().map(|chunk| convert(*chunk)));
}

fn widen<A: Copy, B: From<A>>(values: &[A]) -> Vec<B> {
    values.iter().map(|&value| B::from(value)).collect()
}

fn narrow<A: Copy + TryInto<B>, B>(values: &[A]) -> Option<Vec<B>> {
    values.iter().map(|&value| value.try_into().ok()).collect()
}

fn nanos_from_int96(bytes: [u8; 12]) -> i128 {
    let [a, b, c, d, e, f, g, h, day @ ..] = bytes;
    let nanos = i64::from_le_bytes([a, b, c, d, e, f, g, h]);
    (i128::from(i32::from_le_bytes(day)) - JULIAN_EPOCH) * NANOS_PER_DAY + i128::from(nanos)
}

/// Numbers of `width` bytes, at most 8. Eight bytes that start at the number are shifted down, which
/// extends the sign; the last numbers go through a copy.
fn big_endian(bytes: &[u8], width: usize) -> impl Iterator<Item = i64> {
    bytes
        .chunks_exact(width)
        .enumerate()
        .map(move |(index, value)| {
            let word = match bytes[index * width..].first_chunk() {
                Some(word) => *word,
                None => {
                    let mut word = [0; 8];
                    word[..width].copy_from_slice(value);
                    word
                }
            };
            i64::from_be_bytes(word) >> (64 - 8 * width)
        })
}

/// A number of at most 16 bytes; none are zero.
fn big_endian_128(value: &[u8]) -> i128 {
    let mut word = [0; 16];
    word[..value.len()].copy_from_slice(value);
    match value.len() {
        0 => 0,
        len => i128::from_be_bytes(word) >> (128 - 8 * len),
    }
}

/// A number of any width that fits 256 bits.
fn big_endian_256(value: &[u8]) -> Result<I256> {
    I256::from_be_bytes(value)
        .ok_or_else(|| Error::unsupported("a decimal value of more than 256 bits"))
}

/// Numbers of any widths, in 128 bits where all fit.
fn decimals(views: &ByteViews) -> Result<Values> {
    if views.iter().all(|value| value.len() <= 16) {
        return Ok(Values::I128(views.iter().map(big_endian_128).collect()));
    }
    let number = |value: &[u8]| match value {
        [] => Ok(I256::default()),
        value => big_endian_256(value),
    };
    Ok(Values::I256(
        views.iter().map(number).collect::<Result<_>>()?,
    ))
}

fn append_fixed(
    page: &Bytes,
    range: Range<usize>,
    width: usize,
    out: &mut ByteViews,
) -> Result<()> {
    let buffer = if width > View::INLINE {
        attach(out, page)?
    } else {
        0
    };
    // a buffer's length fits 32 bits, and so does every offset into it
    let starts = (0..range.len() / width).map(|index| range.start + index * width);
    let views = starts.map(|start| view(page, start, width, buffer));
    out.views.extend(views);
    Ok(())
}

/// The view of `len` bytes from `start` of `data`, which is buffer `number`; the caller has checked that they
/// are there.
#[inline(always)]
pub(crate) fn view(data: &[u8], start: usize, len: usize, number: u32) -> View {
    match data[start..].first_chunk::<{ View::INLINE }>() {
        Some(first) => {
            let mut window = [0; 16];
            window[..4].copy_from_slice(&(len as u32).to_le_bytes());
            window[4..].copy_from_slice(first);
            View::from_window(window, number, start as u32)
        }
        None => View::new(&data[start..start + len], number, start as u32),
    }
}

/// The number of `data` among the buffers, appended unless it is the last one already.
pub(crate) fn attach(out: &mut ByteViews, data: &Bytes) -> Result<u32> {
    if u32::try_from(data.len()).is_err() {
        return Err(Error::limit("a page of 4 GiB cannot be viewed"));
    }
    let same = |last: &Bytes| last.as_ptr() == data.as_ptr() && last.len() == data.len();
    if !out.buffers.last().is_some_and(same) {
        out.buffers.push(data.clone());
    }
    u32::try_from(out.buffers.len() - 1).map_err(|_| Error::limit("too many pages in one batch"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::error::ErrorKind;
    use lith_format::types::{TimeUnit, Zone};

    fn decimal(precision: u8) -> LogicalType {
        LogicalType::Decimal {
            precision,
            scale: 0,
        }
    }

    fn decode(form: Form, ty: &LogicalType, bytes: &[u8]) -> Values {
        let mut out = form.empty();
        form.append(&Bytes::copy_from_slice(bytes), 0..bytes.len(), &mut out)
            .unwrap();
        form.finish(out, ty).unwrap()
    }

    #[test]
    fn int96_is_exact_over_its_range() {
        let ty = LogicalType::Timestamp {
            unit: TimeUnit::Nanos,
            zone: Zone::Unstated,
        };
        let at = |nanos: i64, day: i32| [&nanos.to_le_bytes()[..], &day.to_le_bytes()].concat();
        let near = decode(Form::Int96, &ty, &at(7, 2_440_587));
        assert!(matches!(near, Values::I64(v) if v == [7 - 86_400_000_000_000]));
        let far = decode(Form::Int96, &ty, &at(-1, i32::MAX));
        let expected = (i128::from(i32::MAX) - 2_440_588) * 86_400_000_000_000 - 1;
        assert!(matches!(far, Values::I128(v) if v == [expected]));
    }

    #[test]
    fn decimals_take_the_usual_layout_where_they_fit() {
        let wide = |value: i128| value.to_be_bytes();
        let fits = decode(Form::Decimal(16), &decimal(5), &wide(-12345));
        assert!(matches!(fits, Values::I32(v) if v == [-12345]));
        let beyond = decode(Form::Decimal(16), &decimal(5), &wide(1 << 70));
        assert!(matches!(beyond, Values::I128(v) if v == [1 << 70]));
        let physical = decode(Form::I64, &decimal(4), &(1i64 << 40).to_le_bytes());
        assert!(matches!(physical, Values::I64(v) if v == [1 << 40]));
        let widened = decode(Form::I32, &decimal(20), &(-3i32).to_le_bytes());
        assert!(matches!(widened, Values::I128(v) if v == [-3]));
    }

    #[test]
    fn decimals_of_more_than_38_digits_take_256_bits() {
        let wide = I256::from(10).scaled(60).unwrap();
        let most = I256::from(1).scaled(76).unwrap();
        let page = |values: [I256; 2]| values.map(I256::to_be_bytes).concat();
        let fixed = decode(Form::Decimal(32), &decimal(76), &page([most, wide]));
        assert!(matches!(fixed, Values::I256(v) if v == [most, wide]));
        let beyond = decode(Form::Decimal(32), &decimal(20), &page([most, wide]));
        assert!(matches!(beyond, Values::I256(v) if v == [most, wide]));
        let small = page([I256::from(-4), I256::from(1i64 << 40)]);
        let fits = decode(Form::Decimal(32), &decimal(20), &small);
        assert!(matches!(fits, Values::I128(v) if v == [-4, 1 << 40]));
        let fits = decode(Form::Decimal(32), &decimal(18), &small);
        assert!(matches!(fits, Values::I64(v) if v == [-4, 1 << 40]));
        let widened = decode(Form::I64, &decimal(39), &(-3i64).to_le_bytes());
        assert!(matches!(widened, Values::I256(v) if v == [I256::from(-3)]));
    }

    #[test]
    fn decimals_of_any_bytes_take_the_layout_that_holds_all() {
        let finish = |values: &[&[u8]], precision| {
            let views = Values::Bytes(ByteViews::from_values(values));
            Form::ByteArray.finish(views, &decimal(precision))
        };
        let short = finish(&[b"\x01", b"\xff\xfe", b""], 9).unwrap();
        assert!(matches!(short, Values::I32(v) if v == [1, -2, 0]));
        let long = [&[0; 20][..], b"\x05"].concat();
        let padded = finish(&[b"\x80", &long, b""], 20).unwrap();
        assert!(matches!(padded, Values::I128(v) if v == [-128, 5, 0]));
        let wide = finish(&[b"\x80", &[0x40; 17]], 76).unwrap();
        assert!(matches!(&wide, Values::I256(v) if v[0] == I256::from(-128)));
        let error = finish(&[&[0x40; 33]], 76).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }

    #[test]
    fn long_fixed_values_are_views_into_the_page() {
        let page = Bytes::from((0..40).collect::<Vec<u8>>());
        let mut out = Form::Fixed(20).empty();
        Form::Fixed(20).append(&page, 0..20, &mut out).unwrap();
        Form::Fixed(20).append(&page, 20..40, &mut out).unwrap();
        let Values::Bytes(views) = out else {
            panic!("views")
        };
        assert_eq!(views.buffers.len(), 1);
        assert_eq!(views.buffers[0].as_ptr(), page.as_ptr());
        assert!(views.iter().eq([&page[..20], &page[20..]]));
    }

    quickcheck::quickcheck! {
        fn big_endian_numbers_of_every_width(values: Vec<i128>) -> bool {
            (1..=16).all(|width: usize| {
                let fit: Vec<i128> = values.iter().map(|v| v << (128 - 8 * width) >> (128 - 8 * width)).collect();
                let bytes: Vec<u8> = fit.iter().flat_map(|v| v.to_be_bytes()[16 - width..].to_vec()).collect();
                match decode(Form::Decimal(width), &decimal(38), &bytes) {
                    Values::I128(decoded) => decoded == fit,
                    _ => false,
                }
            })
        }
    }
}
