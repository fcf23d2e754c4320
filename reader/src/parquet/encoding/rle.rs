//! The RLE and bit-packing hybrid: levels, dictionary codes and booleans, taken run by run.
//!
//! ```text
//! run    = varint header, then
//!   header even: header >> 1 copies of one value, in ceil(width / 8) bytes, little-endian
//!   header odd:  (header >> 1) * 8 values of width bits, least significant bit first
//! ```
//!
//! The last bit-packed run may lack its padding; reading values that are not there is an error. Empty runs are
//! skipped.
// spec: Encodings.md, "Run Length Encoding / Bit-Packing Hybrid (RLE = 3)"

use bytes::Bytes;
use lith_format::bytes::Cursor;
use lith_format::error::{Error, Result};

use crate::kernel::bits::Bits;

/// Consecutive values of one kind.
#[derive(Debug)]
pub(crate) enum Run<'a> {
    /// `len` times `value`.
    Repeat { value: u32, len: usize },
    /// `len` values of `bytes`, from value `start` on.
    Packed {
        bytes: &'a [u8],
        start: usize,
        len: usize,
    },
}

/// The runs of a hybrid stream.
#[derive(Debug)]
pub(crate) struct Hybrid {
    data: Bytes,
    position: usize,
    width: u8,
    held: Held,
}

/// What is left of the run that was opened last.
#[derive(Debug, Clone, Copy)]
enum Held {
    Repeat {
        value: u32,
        left: usize,
    },
    Packed {
        at: usize,
        taken: usize,
        left: usize,
    },
}

impl Hybrid {
    /// A stream of values of `width` bits, at most 32.
    pub(crate) fn new(data: Bytes, width: u8) -> Result<Self> {
        if width > 32 {
            return Err(Error::corrupt(format!("bit width {width} exceeds 32")).at("RLE", 0));
        }
        Ok(Hybrid {
            data,
            position: 0,
            width,
            held: Held::Repeat { value: 0, left: 0 },
        })
    }

    /// Bits of a value.
    pub(crate) fn width(&self) -> u8 {
        self.width
    }

    /// The next run, cut to `limit` values, of which there is at least one.
    #[inline]
    pub(crate) fn run(&mut self, limit: usize) -> Result<Run<'_>> {
        while let Held::Repeat { left: 0, .. } | Held::Packed { left: 0, .. } = self.held {
            self.held = self.open()?;
        }
        match &mut self.held {
            Held::Repeat { value, left } => {
                let len = limit.min(*left);
                *left -= len;
                Ok(Run::Repeat { value: *value, len })
            }
            Held::Packed { at, taken, left } => {
                let (start, len) = (*taken, limit.min(*left));
                *taken += len;
                *left -= len;
                Ok(Run::Packed {
                    bytes: &self.data[*at..],
                    start,
                    len,
                })
            }
        }
    }

    /// Begins the next run. Most are short, and most headers one byte: this is as hot as the values.
    fn open(&mut self) -> Result<Held> {
        let rest = &self.data[self.position..];
        let (header, header_bytes) = match rest.first() {
            Some(&byte) if byte < 0x80 => (u64::from(byte), 1),
            _ => {
                let mut cursor = Cursor::new(rest);
                let header = cursor.varint().map_err(|error| self.locate(error))?;
                (header, cursor.position())
            }
        };
        let body = &rest[header_bytes..];
        let width = usize::from(self.width);
        let count = usize::try_from(header >> 1).unwrap_or(usize::MAX);
        let (held, body_bytes) = if header & 1 == 0 {
            let left = count;
            let value = self.repeated(body)?;
            (Held::Repeat { value, left }, width.div_ceil(8))
        } else if width == 0 {
            let (value, left) = (0, count.saturating_mul(8));
            (Held::Repeat { value, left }, 0)
        } else {
            let bytes = count.saturating_mul(width).min(body.len());
            let at = self.position + header_bytes;
            // whole bytes of a cut run hold no more values than it declares
            let left = count.saturating_mul(8).min(bytes * 8 / width);
            (Held::Packed { at, taken: 0, left }, bytes)
        };
        self.position += header_bytes + body_bytes;
        Ok(held)
    }

    /// The value of a repeating run, at the start of its body.
    fn repeated(&self, body: &[u8]) -> Result<u32> {
        let value = match (self.width, body) {
            (0, _) => 0,
            (1..=8, &[byte, ..]) => u32::from(byte),
            (9..=16, &[a, b, ..]) => u32::from_le_bytes([a, b, 0, 0]),
            (17..=24, &[a, b, c, ..]) => u32::from_le_bytes([a, b, c, 0]),
            (25.., &[a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]),
            _ => return Err(self.locate(Error::truncated("a run ends before its value"))),
        };
        if self.width < 32 && value >> self.width != 0 {
            return Err(self.locate(Error::corrupt(format!(
                "repeated value {value} exceeds {} bits",
                self.width
            ))));
        }
        Ok(value)
    }

    #[cold]
    fn locate(&self, error: Error) -> Error {
        error
            .rebase(self.position as u64)
            .at("RLE", self.position as u64)
    }

    /// Skips `count` values.
    pub(crate) fn skip(&mut self, mut count: usize) -> Result<()> {
        while count > 0 {
            let (Run::Repeat { len, .. } | Run::Packed { len, .. }) = self.run(count)?;
            count -= len;
        }
        Ok(())
    }

    /// Appends `count` values of width 1 as bits.
    pub(crate) fn read_bits(&mut self, mut count: usize, out: &mut Bits) -> Result<()> {
        debug_assert_eq!(self.width, 1, "bits are one wide");
        while count > 0 {
            count -= match self.run(count)? {
                Run::Repeat { value, len } => {
                    out.push_repeat(value != 0, len);
                    len
                }
                Run::Packed { bytes, start, len } => {
                    out.push_packed(bytes, start, len);
                    len
                }
            };
        }
        Ok(())
    }
}

/// Booleans as a hybrid of width 1 behind its length in bytes.
pub(crate) fn booleans(values: &Bytes) -> Result<Hybrid> {
    if values.is_empty() {
        return Hybrid::new(Bytes::new(), 1);
    }
    let mut cursor = Cursor::new(values);
    let len = cursor.u32_le()? as usize;
    cursor.take(len).map_err(|error| error.at("RLE", 0))?;
    Hybrid::new(values.slice(4..4 + len), 1)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::kernel::unpack::unpack_from;
    use lith_format::bytes::put_varint;
    use lith_format::error::ErrorKind;

    /// Encodes `runs` of (repeat?, values); a packed run is padded with zeros to a multiple of eight.
    pub(crate) fn encode(runs: &[(bool, Vec<u32>)], width: u8) -> Vec<u8> {
        let mut out = Vec::new();
        for (repeat, values) in runs {
            if *repeat {
                put_varint(&mut out, (values.len() as u64) << 1);
                let value = values.first().copied().unwrap_or(0);
                out.extend(&value.to_le_bytes()[..usize::from(width).div_ceil(8)]);
            } else {
                let groups = values.len().div_ceil(8);
                put_varint(&mut out, (groups as u64) << 1 | 1);
                let mut packed = vec![0; groups * usize::from(width)];
                for (index, value) in values.iter().enumerate() {
                    for bit in 0..usize::from(width) {
                        let at = index * usize::from(width) + bit;
                        packed[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
                    }
                }
                out.extend(packed);
            }
        }
        out
    }

    fn read(stream: &mut Hybrid, mut count: usize) -> Result<Vec<u32>> {
        let mut out = Vec::new();
        let width = stream.width();
        while count > 0 {
            match stream.run(count)? {
                Run::Repeat { value, len } => {
                    out.extend(std::iter::repeat_n(value, len));
                    count -= len;
                }
                Run::Packed { bytes, start, len } => {
                    let mut values = vec![0; len];
                    unpack_from(bytes, width, start, &mut values);
                    out.extend(values);
                    count -= len;
                }
            }
        }
        Ok(out)
    }

    #[test]
    fn literal_runs() {
        // five times 2, then 0..8 packed in three bits
        let bytes = Bytes::from_static(&[10, 2, 3, 0b1000_1000, 0b1100_0110, 0b1111_1010]);
        let mut stream = Hybrid::new(bytes, 3).unwrap();
        assert_eq!(read(&mut stream, 7).unwrap(), [2, 2, 2, 2, 2, 0, 1]);
        stream.skip(4).unwrap();
        assert_eq!(read(&mut stream, 2).unwrap(), [6, 7]);
        assert_eq!(
            read(&mut stream, 1).unwrap_err().kind(),
            ErrorKind::Truncated
        );
    }

    #[test]
    fn width_zero_has_no_bytes_and_empty_runs_are_passed_over() {
        let mut stream = Hybrid::new(Bytes::from_static(&[0, 3, 4]), 0).unwrap();
        assert_eq!(read(&mut stream, 10).unwrap(), [0; 10]);
        assert_eq!(stream.skip(1).unwrap_err().kind(), ErrorKind::Truncated);
    }

    #[test]
    fn runs_of_nothing_in_between_and_runs_that_are_too_long_do_no_harm() {
        let bytes = [4, 1, 0, 0, 1, 3, 0b101, 0, 1, 6, 0];
        let expected = [1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        for skipped in 0..=13 {
            let mut stream = Hybrid::new(Bytes::copy_from_slice(&bytes), 1).unwrap();
            stream.skip(skipped).unwrap();
            let rest = read(&mut stream, 13 - skipped).unwrap();
            assert_eq!(rest, expected[skipped..]);
        }
        // a hundred times 1, and eight where three are wanted
        for bytes in [[0xc8, 1, 1], [3, 0xff, 0]] {
            let mut stream = Hybrid::new(Bytes::copy_from_slice(&bytes), 1).unwrap();
            assert_eq!(read(&mut stream, 3).unwrap(), [1; 3]);
        }
    }

    #[test]
    fn a_cut_last_run_serves_what_it_holds() {
        let mut stream = Hybrid::new(Bytes::from_static(&[5, 0xff]), 1).unwrap();
        assert_eq!(read(&mut stream, 8).unwrap(), [1; 8]);
        assert_eq!(stream.skip(1).unwrap_err().kind(), ErrorKind::Truncated);
    }

    #[test]
    fn values_beyond_the_width_are_corrupt() {
        let mut stream = Hybrid::new(Bytes::from_static(&[2, 4]), 2).unwrap();
        assert_eq!(stream.run(1).unwrap_err().kind(), ErrorKind::Corrupt);
        assert_eq!(
            Hybrid::new(Bytes::new(), 33).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
    }

    quickcheck::quickcheck! {
        fn any_runs_read_back(runs: Vec<(bool, Vec<u32>)>, width: u8, step: usize) -> bool {
            let width = width % 33;
            let mask = u32::MAX.checked_shr(32 - u32::from(width)).unwrap_or(0);
            let mut expected = Vec::new();
            let runs: Vec<_> = runs.into_iter().map(|(repeat, values)| {
                let mut values: Vec<u32> = values.iter().map(|value| value & mask).collect();
                if repeat {
                    let value = values.first().copied().unwrap_or(0);
                    values.fill(value);
                } else {
                    values.resize(values.len().next_multiple_of(8), 0);
                }
                expected.extend_from_slice(&values);
                (repeat, values)
            }).collect();
            let mut stream = Hybrid::new(encode(&runs, width).into(), width).unwrap();
            // read and skip in turns
            let step = step % 50 + 1;
            expected.chunks(step).enumerate().all(|(turn, chunk)| {
                if turn % 3 == 1 {
                    stream.skip(chunk.len()).is_ok()
                } else {
                    read(&mut stream, chunk.len()).unwrap() == chunk
                }
            }) && stream.skip(1).is_err()
        }

        fn any_bytes_end(bytes: Vec<u8>, width: u8) -> bool {
            let runs = bytes.len();
            let mut stream = Hybrid::new(bytes.into(), width % 33).unwrap();
            // a skip this long ends at least one run
            (0..=runs).any(|_| stream.skip(usize::MAX).is_err())
        }
    }
}
