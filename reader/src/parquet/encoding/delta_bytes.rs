//! DELTA_LENGTH_BYTE_ARRAY: lengths first, then the bytes. DELTA_BYTE_ARRAY: what each value shares with
//! the one before is left out.
//!
//! ```text
//! DELTA_LENGTH_BYTE_ARRAY | lengths, DELTA_BINARY_PACKED | bytes, end to end |
//! DELTA_BYTE_ARRAY        | prefix lengths, DELTA_BINARY_PACKED | suffixes, DELTA_LENGTH_BYTE_ARRAY |
//! ```
//!
//! Both decode what is asked for: lengths are streamed beside the bytes. The first prefix of a page is 0,
//! because nothing comes before it.
// spec: Encodings.md, "Delta-length byte array", "Delta Strings"

use bytes::Bytes;
use lith_format::error::{Error, Result};
use lith_format::vector::{ByteViews, Values, View};

use crate::parquet::encoding::delta::Delta;
use crate::parquet::encoding::plain::ends_early;
use crate::parquet::form::{Form, attach, view};

/// Lengths, then bytes.
#[derive(Debug)]
pub(crate) struct DeltaLengths {
    lengths: Delta,
    data: Bytes,
    position: usize,
    scratch: Vec<i32>,
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
            scratch: Vec::new(),
        })
    }

    /// Appends views of the next `count` values.
    pub(crate) fn read(&mut self, count: usize, out: &mut ByteViews) -> Result<()> {
        let mut views = std::mem::take(&mut out.views);
        views.reserve(count.min(self.lengths.left()));
        let data = self.data.clone();
        let mut buffer = None;
        let result = self.each(count, |range| {
            let number = match buffer {
                Some(number) => number,
                None if range.len() <= View::INLINE => 0,
                None => *buffer.insert(attach(out, &data)?),
            };
            views.push(view(&data, range.start, range.len(), number));
            Ok(())
        });
        out.views = views;
        result
    }

    /// Passes over `count` values.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        self.each(count, |_| Ok(()))
    }

    /// Visits the places of the next `count` values.
    fn each(
        &mut self,
        count: usize,
        mut visit: impl FnMut(std::ops::Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        self.lengths.read(count, &mut scratch)?;
        for &len in &scratch {
            let len = usize::try_from(len).map_err(|_| negative(len))?;
            let left = self.data.len() - self.position;
            if len > left {
                return Err(ends_early(len, left));
            }
            visit(self.position..self.position + len)?;
            self.position += len;
        }
        self.scratch = scratch;
        Ok(())
    }
}

#[cold]
fn negative(len: i32) -> Error {
    Error::corrupt(format!("a length of {len}"))
}

/// Prefixes, then suffixes.
#[derive(Debug)]
pub(crate) struct DeltaByteArrays {
    prefixes: Delta,
    suffixes: DeltaLengths,
    form: Form,
    last: Vec<u8>,
    /// The most bytes that one read may make.
    max_bytes: usize,
}

impl DeltaByteArrays {
    /// The values of `data`, which may not make more than `max_bytes` in one read.
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
            max_bytes,
        })
    }

    /// Appends the next `count` values.
    pub(crate) fn read(&mut self, count: usize, out: &mut Values) -> Result<()> {
        let (bytes, ends) = self.restore(count)?;
        let bytes = Bytes::from(bytes);
        if let Some(width) = self.form.width() {
            let wrong = ends
                .iter()
                .enumerate()
                .any(|(index, &end)| end != (index + 1) * width);
            if wrong {
                return Err(Error::corrupt(format!(
                    "values that are not of {width} bytes"
                )));
            }
            return self.form.append(&bytes, 0..bytes.len(), out);
        }
        let Values::Bytes(out) = out else {
            return Err(Error::type_mismatch("byte arrays into another layout"));
        };
        let buffer = attach(out, &bytes)?;
        let mut start = 0;
        out.views.extend(ends.into_iter().map(|end| {
            let value = view(&bytes, start, end - start, buffer);
            start = end;
            value
        }));
        Ok(())
    }

    /// Passes over `count` values, a few at a time: each builds on the one before.
    pub(crate) fn skip(&mut self, mut count: usize) -> Result<()> {
        while count > 0 {
            let few = count.min(256);
            self.restore(few)?;
            count -= few;
        }
        Ok(())
    }

    /// The next `count` values end to end, and where each ends.
    fn restore(&mut self, count: usize) -> Result<(Vec<u8>, Vec<usize>)> {
        let mut prefixes = Vec::<i32>::new();
        self.prefixes.read(count, &mut prefixes)?;
        let mut prefixes = prefixes.into_iter();
        let data = self.suffixes.data.clone();
        let max_bytes = self.max_bytes;
        // the value before the first stands in front, and is taken off in the end
        let mut bytes = std::mem::take(&mut self.last);
        let before = bytes.len();
        let (mut start, mut ends) = (0, Vec::with_capacity(count));
        self.suffixes.each(count, |suffix| {
            let prefix = prefixes.next().unwrap_or(0);
            let shared = usize::try_from(prefix).map_err(|_| negative(prefix))?;
            let (last, end) = (bytes.len() - start, bytes.len());
            if shared > last {
                return Err(Error::corrupt(format!(
                    "a prefix of {shared} bytes after a value of {last}"
                )));
            }
            if shared + suffix.len() > max_bytes.saturating_sub(end) {
                return Err(Error::limit(format!(
                    "values of more than {max_bytes} bytes at once"
                )));
            }
            bytes.extend_from_within(start..start + shared);
            bytes.extend_from_slice(&data[suffix]);
            start = end;
            ends.push(bytes.len() - before);
            Ok(())
        })?;
        self.last = bytes[start..].to_vec();
        bytes.drain(..before);
        Ok((bytes, ends))
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
