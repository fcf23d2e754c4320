//! Bits in bytes in byte runs: the values of boolean columns and the PRESENT stream of every type.
//!
//! ```text
//! row   0 1 2 3 4 5 6 7 | 8 ..          the first row has the byte's highest bit
//! bit   7 6 5 4 3 2 1 0 | 7 ..
//! ```
// spec: ORCv1.md, "Boolean Run Length Encoding"

use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};

use crate::kernel::bits::Bits;
use crate::orc::encoding::byte_rle::ByteRle;
use crate::orc::position::Position;
use crate::orc::stream::StreamReader;

/// Decodes bits.
#[derive(Debug)]
pub(crate) struct BooleanRle {
    bytes: ByteRle,
    /// Bits of a byte that was read in part, the next one lowest.
    open: u64,
    /// How many of them: less than 8.
    left: usize,
    scratch: Vec<u8>,
}

impl BooleanRle {
    /// Starts at the front of `stream`.
    pub fn new(stream: StreamReader) -> Self {
        BooleanRle {
            bytes: ByteRle::new(stream),
            open: 0,
            left: 0,
            scratch: Vec::new(),
        }
    }

    /// Reads the next `count` bits.
    pub fn read(&mut self, count: usize) -> Result<Bitmap> {
        let mut out = Bits::with_capacity(count);
        let head = self.left.min(count);
        out.push_word(self.open, head);
        self.open >>= head;
        self.left -= head;
        let bytes = (count - head) / 8;
        self.scratch.resize(bytes, 0);
        self.bytes.read(&mut self.scratch)?;
        for byte in &mut self.scratch {
            *byte = byte.reverse_bits();
        }
        out.push_packed(&self.scratch, 0, bytes * 8);
        let tail = (count - head) % 8;
        if tail > 0 {
            self.open_byte()?;
            out.push_word(self.open, tail);
            self.open >>= tail;
            self.left -= tail;
        }
        Ok(out.finish())
    }

    /// Seeks to a position in the stream.
    pub fn seek(&mut self, position: &Position) -> Result<()> {
        self.bytes.seek(position)?;
        self.left = 0;
        match position.bits {
            bits @ ..=8 => self.skip(bits),
            _ => Err(Error::corrupt("a row index points beyond a byte of bits")),
        }
    }

    /// Skips `count` bits.
    pub fn skip(&mut self, count: usize) -> Result<()> {
        let head = self.left.min(count);
        self.open >>= head;
        self.left -= head;
        self.bytes.skip((count - head) / 8)?;
        let tail = (count - head) % 8;
        if tail > 0 {
            self.open_byte()?;
            self.open >>= tail;
            self.left -= tail;
        }
        Ok(())
    }

    fn open_byte(&mut self) -> Result<()> {
        let mut byte = [0];
        self.bytes.read(&mut byte)?;
        self.open = u64::from(byte[0].reverse_bits());
        self.left = 8;
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::orc::encoding::byte_rle::tests::encode as encode_bytes;
    use crate::orc::stream::tests::{every_way, plain, survives_damage};
    use lith_format::error::ErrorKind;
    use quickcheck::quickcheck;

    /// Bits in byte runs, the first in the highest bit.
    pub(crate) fn encode(bits: &[bool]) -> Vec<u8> {
        let pack = |bits: &[bool]| {
            let places = bits.iter().zip((0..8).rev());
            places.fold(0, |byte, (&bit, at)| byte | u8::from(bit) << at)
        };
        encode_bytes(&bits.chunks(8).map(pack).collect::<Vec<u8>>())
    }

    #[test]
    fn the_highest_bit_comes_first() {
        let mut bits = BooleanRle::new(plain(&[0xff, 0x80]));
        let mut expected = [false; 8];
        expected[0] = true;
        assert!(bits.read(8).unwrap().iter().eq(expected));
        assert_eq!(bits.read(1).unwrap_err().kind(), ErrorKind::Truncated);
    }

    quickcheck! {
        fn reads_and_skips_like_a_slice(runs: Vec<(bool, u8)>, steps: Vec<(bool, u8)>) -> bool {
            let values: Vec<bool> = runs
                .iter()
                .flat_map(|&(bit, len)| std::iter::repeat_n(bit, usize::from(len % 32)))
                .collect();
            every_way(&encode(&values)).into_iter().all(|stream| {
                let mut bits = BooleanRle::new(stream);
                let mut at = 0;
                for &(reads, count) in &steps {
                    let count = usize::from(count).min(values.len() - at);
                    if reads {
                        let expected = values[at..at + count].iter().copied();
                        assert!(bits.read(count).unwrap().iter().eq(expected));
                    } else {
                        bits.skip(count).unwrap();
                    }
                    at += count;
                }
                bits.read(values.len() - at).unwrap().iter().eq(values[at..].iter().copied())
            })
        }
    }

    #[test]
    fn damage_is_an_error_or_other_bits() {
        let bytes = encode_bytes(&[0xff, 0xff, 0xff, 1, 2]);
        survives_damage(&bytes, |damaged| {
            BooleanRle::new(plain(damaged)).read(40).map(drop)
        });
    }
}
