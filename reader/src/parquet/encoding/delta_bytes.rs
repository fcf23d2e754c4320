//! DELTA_LENGTH_BYTE_ARRAY: lengths first, then the bytes. DELTA_BYTE_ARRAY: the prefix that a value shares with
//! the value before is replaced by its length.
//!
//! ```text
//! DELTA_LENGTH_BYTE_ARRAY | lengths, DELTA_BINARY_PACKED | bytes, end to end |
//! DELTA_BYTE_ARRAY        | prefix lengths, DELTA_BINARY_PACKED | suffixes, DELTA_LENGTH_BYTE_ARRAY |
//! ```
//!
//! Both decode only as many values as are asked for: first their lengths, which are checked together, then the
//! bytes. The first prefix of a page has length 0.
// spec: Encodings.md, "Delta-length byte array", "Delta Strings"

use bytes::Bytes;
use lith_format::error::{Error, Result};
use lith_format::vector::{ByteViews, Values, View};

use crate::parquet::encoding::delta::Delta;
use crate::parquet::encoding::plain::ends_early;
use crate::parquet::form::{Form, attach, view};

/// Bytes are copied in steps of this length, even if fewer are needed: a copy of constant length is faster.
const STEP: usize = 16;

/// Lengths, then bytes.
#[derive(Debug)]
pub(crate) struct DeltaLengths {
    lengths: Delta,
    data: Bytes,
    position: usize,
    /// The lengths of the last values taken.
    taken: Vec<i32>,
}

impl DeltaLengths {
    /// The values of `data`.
    pub(crate) fn new(data: Bytes) -> Result<Self> {
        let lengths = Delta::new(data.clone())?;
        let position = lengths.end()?;
        Ok(DeltaLengths {
            lengths,
            data,
            position,
            taken: Vec::new(),
        })
    }

    /// Appends views of the next `count` values.
    pub(crate) fn read(&mut self, count: usize, out: &mut ByteViews) -> Result<()> {
        let start = self.position;
        self.take(count)?;
        let is_long = |len: &i32| *len > View::INLINE as i32;
        let buffer = match self.taken.iter().any(is_long) {
            true => attach(out, &self.data)?,
            false => 0,
        };
        let lengths = self.taken.iter().map(|&len| len as usize);
        push_views(&self.data, start, lengths, buffer, out);
        Ok(())
    }

    /// Skips `count` values.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        self.take(count)
    }

    /// Skips `count` values and checks their lengths: none is negative, and the values end within the data.
    fn take(&mut self, count: usize) -> Result<()> {
        self.taken.clear();
        self.lengths.read(count, &mut self.taken)?;
        let total = total(&self.taken)?;
        let left = self.data.len() - self.position;
        if total > left {
            return Err(ends_early(total, left));
        }
        self.position += total;
        Ok(())
    }
}

/// Appends views of values of these lengths, which are in `data` from `start` on.
fn push_views(
    data: &[u8],
    mut start: usize,
    lengths: impl ExactSizeIterator<Item = usize>,
    buffer: u32,
    out: &mut ByteViews,
) {
    out.views.extend(lengths.map(|len| {
        let value = view(data, start, len, buffer);
        start += len;
        value
    }));
}

/// The sum of lengths; an error if one is negative.
fn total(lengths: &[i32]) -> Result<usize> {
    // all of them at once, which takes a fraction of the time of one after the other
    if lengths.iter().fold(0, |all, len| all | len) < 0 {
        return Err(Error::corrupt("a negative length"));
    }
    let total: u64 = lengths.iter().map(|&len| len as u64).sum();
    Ok(usize::try_from(total).unwrap_or(usize::MAX))
}

/// Whether one of the prefixes but the first is longer than the value before. No length is negative.
fn is_any_too_long(prefixes: &[i32], suffixes: &[i32]) -> bool {
    let next = prefixes.iter().skip(1);
    let values = prefixes.iter().zip(suffixes);
    next.zip(values)
        .fold(false, |any, (&next, (&prefix, &suffix))| {
            any | (next as u32 > prefix as u32 + suffix as u32)
        })
}

/// The lengths of prefixes, then suffixes.
#[derive(Debug)]
pub(crate) struct DeltaByteArrays {
    prefixes: Delta,
    suffixes: DeltaLengths,
    form: Form,
    /// The last value.
    last: Vec<u8>,
    /// The lengths of the last prefixes taken.
    taken: Vec<i32>,
    /// The most bytes that the values of one read may have.
    max_bytes: usize,
}

impl DeltaByteArrays {
    /// The values of `data`; those of one read may have at most `max_bytes` bytes.
    pub(crate) fn new(data: Bytes, form: Form, max_bytes: usize) -> Result<Self> {
        let prefixes = Delta::new(data.clone())?;
        let suffixes = DeltaLengths::new(data.slice(prefixes.end()?..))?;
        if prefixes.left() != suffixes.lengths.left() {
            return Err(Error::corrupt(format!(
                "{} prefixes for {} suffixes",
                prefixes.left(),
                suffixes.lengths.left()
            )));
        }
        Ok(DeltaByteArrays {
            prefixes,
            suffixes,
            form,
            last: Vec::new(),
            taken: Vec::new(),
            max_bytes,
        })
    }

    /// Appends the next `count` values.
    pub(crate) fn read(&mut self, count: usize, out: &mut Values) -> Result<()> {
        if let Some(width) = self.form.width() {
            let before = self.last.len();
            let mut views = Vec::new();
            let restored = self.restore(count, 0, &mut views)?;
            if views.iter().any(|view| view.len() != width) {
                return Err(Error::corrupt(format!(
                    "values that are not of {width} bytes"
                )));
            }
            return self.form.append(&restored, before..restored.len(), out);
        }
        let Values::Bytes(out) = out else {
            return Err(Error::type_mismatch("byte arrays into another layout"));
        };
        let first = out.views.len();
        let number = out.buffers.len() as u32;
        let restored = self.restore(count, number, &mut out.views)?;
        if out.views[first..].iter().any(|view| view.place().is_some()) {
            attach(out, &restored)?;
        }
        Ok(())
    }

    /// Skips `count` values. They are restored, some at a time, because the next value may begin like them.
    pub(crate) fn skip(&mut self, mut count: usize) -> Result<()> {
        let mut views = Vec::new();
        while count > 0 {
            let few = count.min(256);
            self.restore(few, 0, &mut views)?;
            views.clear();
            count -= few;
        }
        Ok(())
    }

    /// Appends views of the next `count` values and returns what they point into, to be buffer `number`: the last
    /// value read, then these, end to end.
    ///
    /// The first bytes of a value stay in a register, of which the next value takes its prefix, because bytes that
    /// were just stored piece by piece are slow to load again as a whole.
    fn restore(&mut self, count: usize, number: u32, views: &mut Vec<View>) -> Result<Bytes> {
        let mut from = self.suffixes.position;
        let total = self.take(count)?;
        let data = &self.suffixes.data[..];
        let (mut start, mut end) = (0, self.last.len());
        // stores are of whole steps, the last of which may reach beyond the last value
        let mut bytes = vec![0; end + total + STEP];
        bytes[..end].copy_from_slice(&self.last);
        let mut head = load(&bytes, 0);
        let first = views.len();
        views.resize(first + count, View::default());
        let lengths = self.taken.iter().zip(&self.suffixes.taken);
        // a loop, not a closure, whose variables would stay in memory
        for ((&prefix, &suffix), view) in lengths.zip(&mut views[first..]) {
            let (prefix, suffix) = (prefix as usize, suffix as usize);
            let len = prefix + suffix;
            if prefix < STEP {
                head = head & LOW[prefix] | load_behind(data, from, prefix) & !LOW[prefix];
                bytes[end..][..STEP].copy_from_slice(&head.to_le_bytes());
                if len > STEP {
                    let rest = from + STEP - prefix;
                    copy(data, rest, &mut bytes[end + STEP..], len - STEP);
                }
            } else {
                copy_within(&mut bytes, start, end, prefix);
                copy(data, from, &mut bytes[end + prefix..], suffix);
            }
            from += suffix;
            (start, end) = (end, end + len);
            let window = head << 32 | len as u128;
            *view = View::from_window(window.to_le_bytes(), number, start as u32);
        }
        bytes.truncate(end);
        self.last.clear();
        self.last.extend_from_slice(&bytes[start..]);
        Ok(Bytes::from(bytes))
    }

    /// Reads the lengths of the next `count` values and returns their sum. Checks that no prefix is longer than the
    /// value before, and that the suffixes end within the data.
    fn take(&mut self, count: usize) -> Result<usize> {
        self.taken.clear();
        self.prefixes.read(count, &mut self.taken)?;
        self.suffixes.take(count)?;
        let shared = total(&self.taken)?;
        let total = shared.saturating_add(total(&self.suffixes.taken)?);
        self.check_prefixes()?;
        if total > self.max_bytes {
            return Err(Error::limit(format!(
                "values of more than {} bytes at once",
                self.max_bytes
            )));
        }
        Ok(total)
    }

    /// Checks that no prefix taken is longer than the value before it.
    fn check_prefixes(&self) -> Result<()> {
        let mut before = self.last.len();
        let first = self.taken.first().map_or(0, |&prefix| prefix as usize);
        if first <= before && !is_any_too_long(&self.taken, &self.suffixes.taken) {
            return Ok(());
        }
        for (&prefix, &suffix) in self.taken.iter().zip(&self.suffixes.taken) {
            if prefix as usize > before {
                return Err(Error::corrupt(format!(
                    "a prefix of {prefix} bytes after a value of {before}"
                )));
            }
            before = prefix as usize + suffix as usize;
        }
        Ok(())
    }
}

/// Masks of the first bytes of a step, as many as the index says.
const LOW: [u128; STEP] = {
    let mut low = [0; STEP];
    let mut len = 1;
    while len < STEP {
        low[len] = u128::MAX >> (8 * (STEP - len));
        len += 1;
    }
    low
};

/// The bytes of `data` from `from` on, behind `offset` bytes that do not matter; zeros beyond the data. `offset` is
/// less than a step.
#[inline(always)]
fn load_behind(data: &[u8], from: usize, offset: usize) -> u128 {
    let step = from
        .checked_sub(offset)
        .and_then(|at| data[at..].first_chunk());
    match step {
        Some(step) => u128::from_le_bytes(*step),
        None => load(data, from) << (8 * offset),
    }
}

/// The bytes of `data` from `from` on, as many as a step has; zeros beyond the data.
#[cold]
fn load(data: &[u8], from: usize) -> u128 {
    let rest = &data[from..];
    let len = rest.len().min(STEP);
    let mut step = [0; STEP];
    step[..len].copy_from_slice(&rest[..len]);
    u128::from_le_bytes(step)
}

/// Copies `len` bytes from `from` to `to`, in whole steps. `to` is not before `from + len`, and `bytes` does not end
/// before `to + len + STEP`.
#[inline(always)]
fn copy_within(bytes: &mut [u8], from: usize, to: usize, len: usize) {
    for at in (0..len).step_by(STEP) {
        let mut step = [0; STEP];
        step.copy_from_slice(&bytes[from + at..from + at + STEP]);
        bytes[to + at..to + at + STEP].copy_from_slice(&step);
    }
}

/// Copies `len` bytes of `data` from `from` on to the front of `out`, in whole steps if `data` has them; `out` has
/// at least `len + STEP` bytes.
#[inline(always)]
fn copy(data: &[u8], from: usize, out: &mut [u8], len: usize) {
    match data.get(from..from + len.next_multiple_of(STEP)) {
        Some(data) => {
            let (steps, _) = data.as_chunks::<STEP>();
            let (out, _) = out.as_chunks_mut::<STEP>();
            for (out, step) in out.iter_mut().zip(steps) {
                *out = *step;
            }
        }
        None => out[..len].copy_from_slice(&data[from..from + len]),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::parquet::encoding::delta::tests::encode;
    use lith_format::error::ErrorKind;

    pub(crate) fn encode_lengths(values: &[Vec<u8>]) -> Vec<u8> {
        let lengths: Vec<i64> = values.iter().map(|value| value.len() as i64).collect();
        let mut out = encode(&lengths);
        out.extend(values.concat());
        out
    }

    pub(crate) fn encode_prefixes(values: &[Vec<u8>]) -> Vec<u8> {
        let mut prefixes = Vec::new();
        let mut suffixes = Vec::new();
        let mut last: &[u8] = &[];
        for value in values {
            let shared = last.iter().zip(value).take_while(|(a, b)| a == b).count();
            prefixes.push(shared as i64);
            suffixes.push(value[shared..].to_vec());
            last = value;
        }
        let mut out = encode(&prefixes);
        out.extend(encode_lengths(&suffixes));
        out
    }

    #[test]
    fn the_specification_s_words() {
        let words: Vec<Vec<u8>> = ["axis", "axle", "babble", "babyhood"]
            .map(|word| word.as_bytes().to_vec())
            .to_vec();
        let bytes = encode_prefixes(&words);
        assert!(bytes.ends_with(b"axislebabbleyhood"));
        let mut out = Form::ByteArray.empty();
        let mut values = DeltaByteArrays::new(bytes.into(), Form::ByteArray, 100).unwrap();
        values.read(4, &mut out).unwrap();
        let Values::Bytes(views) = out else {
            panic!("views")
        };
        assert!(views.iter().eq(words.iter().map(Vec::as_slice)));
    }

    #[test]
    fn a_prefix_longer_than_the_value_before_is_corrupt() {
        let mut bytes = encode(&[1]);
        bytes.extend(encode_lengths(&[b"a".to_vec()]));
        let mut values = DeltaByteArrays::new(bytes.into(), Form::ByteArray, 100).unwrap();
        assert_eq!(values.skip(1).unwrap_err().kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn repeating_a_long_value_is_bounded() {
        let words = vec![vec![b'x'; 100]; 50];
        let mut values =
            DeltaByteArrays::new(encode_prefixes(&words).into(), Form::ByteArray, 1000).unwrap();
        let error = values.read(50, &mut Form::ByteArray.empty()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn fixed_values_have_their_length() {
        let words = vec![vec![1, 2], vec![1, 3, 4]];
        let mut values =
            DeltaByteArrays::new(encode_prefixes(&words).into(), Form::Fixed(2), 100).unwrap();
        let mut out = Form::Fixed(2).empty();
        values.read(1, &mut out).unwrap();
        assert_eq!(
            values.read(1, &mut out).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
    }

    quickcheck::quickcheck! {
        fn byte_arrays_read_back(values: Vec<Vec<u8>>, skip: usize) -> bool {
            let skip = skip % (values.len() + 1);
            let expected = values[skip..].iter().map(Vec::as_slice);
            let mut views = ByteViews::default();
            let mut lengths = DeltaLengths::new(encode_lengths(&values).into()).unwrap();
            lengths.skip(skip).unwrap();
            lengths.read(values.len() - skip, &mut views).unwrap();
            let mut out = Form::ByteArray.empty();
            let mut strings = DeltaByteArrays::new(encode_prefixes(&values).into(), Form::ByteArray, 1 << 20).unwrap();
            strings.skip(skip).unwrap();
            strings.read(values.len() - skip, &mut out).unwrap();
            let Values::Bytes(restored) = out else { return false };
            views.iter().eq(expected.clone()) && restored.iter().eq(expected) && lengths.skip(1).is_err()
        }

        fn hostile_bytes_end(values: Vec<Vec<u8>>, at: usize, flip: u8) -> bool {
            let mut bytes = encode_prefixes(&values);
            let at = at % bytes.len();
            bytes[at] ^= flip;
            let read = |bytes: Vec<u8>| {
                let mut out = Form::ByteArray.empty();
                DeltaByteArrays::new(bytes.into(), Form::ByteArray, 1 << 16)?.read(values.len(), &mut out)
            };
            // whatever it answers, it answers
            let cut = bytes[..at].to_vec();
            let _ = read(bytes);
            values.is_empty() || read(cut).is_err()
        }
    }
}
