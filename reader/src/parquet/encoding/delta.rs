//! DELTA_BINARY_PACKED: differences to the value before, packed in blocks.
//!
//! ```text
//! stream    = varint block size, varint miniblocks a block, varint count, zigzag first value, block*
//! block     = zigzag least difference, width u8 of each miniblock, miniblock*
//! miniblock = (block size / miniblocks) numbers of its width: difference - least difference
//! ```
//!
//! All sums wrap, 32-bit values likewise: the low half of a wrapped 64-bit sum is the wrapped 32-bit sum.
//! Miniblocks past the last value have a width, of any kind, and no body. Values are taken 32 at a time,
//! of which every miniblock holds a multiple; nothing is allocated.
// spec: Encodings.md, "Delta Encoding (DELTA_BINARY_PACKED = 5)"

use bytes::Bytes;
use lith_format::bytes::Cursor;
use lith_format::error::{Error, Result};

use crate::kernel::unpack::unpack;

/// Values unpacked at a time.
const STEP: usize = 32;

/// What differences add up to.
pub(crate) trait Total: Copy {
    /// The number modulo two to the power of the width.
    fn wrap(total: i64) -> Self;
}

macro_rules! total {
    ($($number:ty)*) => {
        $(impl Total for $number {
            #[inline(always)]
            fn wrap(total: i64) -> Self {
                total as $number
            }
        })*
    };
}

total!(i32 u32 i64 u64);

/// A stream of differences.
#[derive(Debug, Clone)]
pub(crate) struct Delta {
    data: Bytes,
    position: usize,
    miniblock_values: usize,
    miniblocks: usize,
    /// Values not yet handed out, `step` included.
    left: usize,
    /// The value handed out or unpacked last.
    last: i64,
    least: i64,
    /// Where the widths of the miniblocks not yet begun are, and how many there are.
    widths: usize,
    widths_left: usize,
    /// The miniblock under way.
    width: u8,
    miniblock_left: usize,
    /// Values unpacked and not yet handed out are `step[step_at..step_end]`.
    step: [i64; STEP],
    step_at: usize,
    step_end: usize,
}

impl Delta {
    /// The stream at the start of `data`.
    pub(crate) fn new(data: Bytes) -> Result<Self> {
        let mut cursor = Cursor::new(&data);
        let block = cursor.varint()?;
        let miniblocks = cursor.varint()?;
        let count = cursor.varint()?;
        let first = cursor.zigzag()?;
        let position = cursor.position();
        let size = block.checked_div(miniblocks).unwrap_or(0);
        // 2^31 is the most that writers can mean: they count in 32 bits
        let sound = size > 0
            && size % STEP as u64 == 0
            && size * miniblocks == block
            && block <= 1 << 31
            && count <= 1 << 31;
        if !sound {
            return Err(Error::corrupt(format!(
                "{count} values in blocks of {block} values in {miniblocks} miniblocks"
            ))
            .at("DELTA_BINARY_PACKED", 0));
        }
        let mut step = [0; STEP];
        step[0] = first;
        Ok(Delta {
            data,
            position,
            miniblock_values: size as usize,
            miniblocks: miniblocks as usize,
            left: count as usize,
            last: first,
            least: 0,
            widths: 0,
            widths_left: 0,
            width: 0,
            miniblock_left: 0,
            step,
            step_at: 0,
            step_end: count.min(1) as usize,
        })
    }

    /// Values not yet read.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Appends the next `count` values.
    pub(crate) fn read<T: Total>(&mut self, count: usize, out: &mut Vec<T>) -> Result<()> {
        if count > self.left {
            return Err(self.ends_early(count));
        }
        // every value costs a bit only where widths are not zero: reserve what is asked for, a batch
        out.reserve(count);
        self.each(count, |values| {
            out.extend(values.iter().map(|&value| T::wrap(value)))
        })
    }

    /// Skips `count` values.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        if count > self.left {
            return Err(self.ends_early(count));
        }
        self.each(count, |_| {})
    }

    fn each(&mut self, mut count: usize, mut visit: impl FnMut(&[i64])) -> Result<()> {
        while count > 0 {
            if self.step_at == self.step_end {
                self.refill()?;
            }
            let taken = (self.step_end - self.step_at).min(count);
            visit(&self.step[self.step_at..self.step_at + taken]);
            self.step_at += taken;
            self.left -= taken;
            count -= taken;
        }
        Ok(())
    }

    /// Unpacks the next values into the empty step.
    fn refill(&mut self) -> Result<()> {
        if self.miniblock_left == 0 {
            self.open_miniblock()?;
        }
        let count = self.left.min(STEP);
        let rest = &self.data[self.position..];
        let wanted = (count * usize::from(self.width)).div_ceil(8);
        if wanted > rest.len() {
            return Err(self.ends_early(count));
        }
        let mut packed = [0u64; STEP];
        unpack(rest, self.width, &mut packed[..count]);
        // the sums depend on each other, the terms do not
        let mut last = self.last;
        for (value, difference) in self.step.iter_mut().zip(packed) {
            last = last.wrapping_add(self.least.wrapping_add(difference as i64));
            *value = last;
        }
        self.last = self.step[count - 1];
        (self.step_at, self.step_end) = (0, count);
        self.position += (STEP * usize::from(self.width) / 8).min(rest.len());
        self.miniblock_left -= STEP;
        Ok(())
    }

    fn open_miniblock(&mut self) -> Result<()> {
        if self.widths_left == 0 {
            let mut cursor = Cursor::new(&self.data[self.position..]);
            let located = |error: Error| error.rebase(self.position as u64);
            self.least = cursor.zigzag().map_err(located)?;
            self.widths = self.position + cursor.position();
            cursor.take(self.miniblocks).map_err(located)?;
            self.position += cursor.position();
            self.widths_left = self.miniblocks;
        }
        self.width = self.data[self.widths];
        if self.width > 64 {
            return Err(
                Error::corrupt(format!("bit width {} exceeds 64", self.width))
                    .at("DELTA_BINARY_PACKED", self.widths as u64),
            );
        }
        self.widths += 1;
        self.widths_left -= 1;
        self.miniblock_left = self.miniblock_values;
        Ok(())
    }

    /// Where the stream ends in its data, found by its headers alone; no value may have been read yet.
    pub(crate) fn end(&self) -> Result<usize> {
        let mut headers = self.clone();
        let mut left = headers.left.saturating_sub(1);
        while left > 0 {
            headers.open_miniblock()?;
            let values = self.miniblock_values as u64;
            let bytes = values * u64::from(headers.width) / 8;
            let rest = headers.data.len() - headers.position;
            headers.position += match usize::try_from(bytes) {
                Ok(bytes) if bytes <= rest => bytes,
                _ => return Err(self.ends_early(left)),
            };
            left = left.saturating_sub(self.miniblock_values);
        }
        Ok(headers.position)
    }

    #[cold]
    fn ends_early(&self, wanted: usize) -> Error {
        Error::truncated(format!("{wanted} differences wanted, {} left", self.left))
            .at("DELTA_BINARY_PACKED", self.position as u64)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use lith_format::bytes::{put_varint, zigzag};
    use lith_format::error::ErrorKind;

    /// Encodes in blocks of 128 and miniblocks of 32; widths past the last value are 255.
    pub(crate) fn encode(values: &[i64]) -> Vec<u8> {
        let mut out = Vec::new();
        put_varint(&mut out, 128);
        put_varint(&mut out, 4);
        put_varint(&mut out, values.len() as u64);
        put_varint(&mut out, zigzag(values.first().copied().unwrap_or(0)));
        let differences: Vec<i64> = values.windows(2).map(|w| w[1].wrapping_sub(w[0])).collect();
        for block in differences.chunks(128) {
            let least = block.iter().copied().min().unwrap_or(0);
            put_varint(&mut out, zigzag(least));
            let miniblocks: Vec<Vec<u64>> = block
                .chunks(32)
                .map(|chunk| chunk.iter().map(|d| d.wrapping_sub(least) as u64).collect())
                .collect();
            let width = |miniblock: &Vec<u64>| {
                64 - miniblock
                    .iter()
                    .fold(0, |all, value| all | value)
                    .leading_zeros() as usize
            };
            out.extend((0..4).map(|index| miniblocks.get(index).map_or(255, |m| width(m) as u8)));
            for miniblock in &miniblocks {
                let width = width(miniblock);
                let mut packed = vec![0u8; width * 4];
                for (index, value) in miniblock.iter().enumerate() {
                    for bit in 0..width {
                        let at = index * width + bit;
                        packed[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
                    }
                }
                out.extend(packed);
            }
        }
        out
    }

    #[test]
    fn literal_stream() {
        // the specification's second example, in a block of a valid size
        let bytes = [
            0x80,
            0x01,
            4,
            8,
            14,
            3,
            2,
            0,
            0,
            0,
            0b1100_0000,
            0b0011_1111,
            0,
            0,
            0,
            0,
            0,
            0,
        ];
        let mut out = Vec::<i32>::new();
        let stream = Bytes::copy_from_slice(&bytes);
        Delta::new(stream).unwrap().read(8, &mut out).unwrap();
        assert_eq!(out, [7, 5, 3, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn sums_wrap_at_the_width_of_the_type() {
        let values = [
            863_490_391,
            -816_295_192,
            1_613_070_492,
            -1_166_045_478,
            1_856_530_847,
        ];
        // differences of 33 bits, and the same wrapped at 32
        let mut wrapped = vec![values[0]];
        for pair in values.windows(2) {
            let difference = (pair[1] as i32).wrapping_sub(pair[0] as i32);
            wrapped.push(wrapped[wrapped.len() - 1] + i64::from(difference));
        }
        assert_ne!(wrapped, values);
        for totals in [&values[..], &wrapped] {
            let mut out = Vec::<i32>::new();
            let mut stream = Delta::new(encode(totals).into()).unwrap();
            stream.read(5, &mut out).unwrap();
            assert!(out.iter().map(|&value| i64::from(value)).eq(values));
        }
        let extremes = [i64::MIN, i64::MAX, 0, i64::MIN, -1, i64::MAX];
        let mut out = Vec::<i64>::new();
        let mut stream = Delta::new(encode(&extremes).into()).unwrap();
        stream.read(6, &mut out).unwrap();
        assert_eq!(out, extremes);
    }

    #[test]
    fn widths_of_miniblocks_past_the_last_value_mean_nothing() {
        // 4 and 5, and three miniblocks that are not there
        for unused in [0, 7, 64, 65, 255] {
            let bytes = [0x80, 1, 4, 2, 8, 2, 0, unused, unused, unused];
            let mut stream = Delta::new(Bytes::copy_from_slice(&bytes)).unwrap();
            assert_eq!(stream.end().unwrap(), bytes.len());
            let mut out = Vec::<i32>::new();
            stream.read(2, &mut out).unwrap();
            assert_eq!(out, [4, 5]);
        }
    }

    #[test]
    fn block_sizes_that_cannot_be_are_corrupt() {
        for header in [[0, 1], [100, 0], [100, 3], [96, 2]] {
            let bytes = Bytes::from([&header[..], &[1, 0]].concat());
            assert_eq!(Delta::new(bytes).unwrap_err().kind(), ErrorKind::Corrupt);
        }
    }

    quickcheck::quickcheck! {
        fn any_values_read_back(values: Vec<i64>, stretch: u8, step: usize) -> bool {
            let values = values.repeat(usize::from(stretch) % 6);
            let mut bytes = encode(&values);
            let end = bytes.len();
            bytes.extend([9; 3]);
            let mut stream = Delta::new(bytes.into()).unwrap();
            let ends = stream.end().unwrap() == end;
            let step = step % 70 + 1;
            ends && values.chunks(step).enumerate().all(|(turn, chunk)| {
                let mut out = Vec::<i64>::new();
                if turn % 3 == 1 {
                    stream.skip(chunk.len()).is_ok()
                } else {
                    stream.read(chunk.len(), &mut out).is_ok() && out == chunk
                }
            }) && stream.skip(1).is_err()
        }

        fn cuts_are_errors(values: Vec<i64>, cut: usize) -> bool {
            let bytes = encode(&values);
            let cut = cut % bytes.len();
            let all = |bytes: Vec<u8>| {
                let mut stream = Delta::new(bytes.into())?;
                let mut out = Vec::<i64>::new();
                stream.read(values.len(), &mut out).map(|()| out)
            };
            // padding may be missing, values may not
            all(bytes[..cut].to_vec()).map_or(true, |out| out == values)
        }
    }
}
