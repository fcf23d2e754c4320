//! LZO1X blocks: literals and copies out of the output so far, whose codes mean what the code before left.
//!
//! ```text
//! 1LLDDDSS 01LDDDSS  H          3 to 8 bytes from within 2 KiB
//! 001LLLLL  L*  D,u16           2 bytes and more from within 16 KiB
//! 0001HLLL  L*  D,u16           2 bytes and more from beyond 16 KiB; from 16 KiB exactly is the end
//! 0000LLLL  L*                  a run of 4 literals and more, where no literals went before
//! 0000DDSS  H                   after S literals, 2 bytes from within 1 KiB; after a run, 3 from beyond 2 KiB
//! ```
//! S literals follow a copy. A length of zero goes on in bytes: 255 for each zero, then the first other one.
//! A first byte above 17 is a run of that many literals less 17.
// spec: ORCv1.md, "Compression"; the codes are those of Linux' Documentation/staging/lzo.rst

use super::too_long;
use crate::bytes::Cursor;
use crate::error::{Error, Result};

/// What a code of the lowest sixteen depends on: how many literals went before it.
const RUN: usize = 4;
/// From where the copies reach that reach furthest.
const FAR: usize = 1 << 14;
/// The code that ends a block, if its distance is [`FAR`].
const END: u8 = 0x11;

pub(super) fn decompress(input: &[u8], max_len: usize, out: &mut Vec<u8>) -> Result<()> {
    let mut block = Block {
        input: Cursor::new(input),
        start: out.len(),
        end: out.len().saturating_add(max_len),
        out,
    };
    let mut before = match input.first() {
        Some(&first @ 18..) => {
            block.input.u8()?;
            block.literals(usize::from(first) - 17)?
        }
        _ => 0,
    };
    while let Some(literals) = block.step(before)? {
        before = literals;
    }
    match block.input.is_empty() {
        true => Ok(()),
        false => Err(Error::corrupt("lzo: bytes after the end of the block")),
    }
}

/// A block and what has come of it.
struct Block<'a> {
    input: Cursor<'a>,
    out: &'a mut Vec<u8>,
    start: usize,
    /// How long `out` may get.
    end: usize,
}

impl Block<'_> {
    /// Does what the next code says; answers how many literals went last, [`RUN`] for a run, none at the end.
    fn step(&mut self, before: usize) -> Result<Option<usize>> {
        let code = self.input.u8()?;
        let bits = usize::from(code);
        let (distance, length, literals) = match code {
            64.. => {
                let high = usize::from(self.input.u8()?) << 3;
                (high + (bits >> 2 & 7) + 1, (bits >> 5) + 1, bits & 3)
            }
            32..64 => {
                let length = self.length(bits & 31, 31)? + 2;
                let (distance, literals) = self.distance()?;
                (distance + 1, length, literals)
            }
            16..32 => {
                let length = self.length(bits & 7, 7)? + 2;
                let (distance, literals) = self.distance()?;
                match FAR + ((bits & 8) << 11) + distance {
                    FAR if code == END => return Ok(None),
                    FAR => return Err(Error::corrupt("lzo: an end that is not the end code")),
                    distance => (distance, length, literals),
                }
            }
            _ if before == 0 => {
                let length = self.length(bits, 15)? + 3;
                return self.literals(length).map(Some);
            }
            _ => {
                let high = usize::from(self.input.u8()?) << 2;
                let (least, length) = if before == RUN { (2049, 3) } else { (1, 2) };
                (high + (bits >> 2) + least, length, bits & 3)
            }
        };
        self.copy(distance, length)?;
        self.literals(literals).map(Some)
    }

    /// The length that a code holds, or if that is zero, `most` and what the bytes after it add.
    fn length(&mut self, held: usize, most: usize) -> Result<usize> {
        if held > 0 {
            return Ok(held);
        }
        let zeros = self.input.rest().iter().take_while(|&&byte| byte == 0);
        let zeros = zeros.count();
        self.input.take(zeros)?;
        let last = usize::from(self.input.u8()?);
        Ok(zeros.saturating_mul(255).saturating_add(most + last))
    }

    /// The two bytes of a distance, and the number of literals in their lowest bits.
    fn distance(&mut self) -> Result<(usize, usize)> {
        let bits = usize::from(u16::from_le_bytes(self.input.array()?));
        Ok((bits >> 2, bits & 3))
    }

    /// Copies literals; answers their number, or [`RUN`] if there are as many.
    fn literals(&mut self, count: usize) -> Result<usize> {
        let literals = self.input.take(count)?;
        self.room_for(count)?;
        self.out.extend_from_slice(literals);
        Ok(count.min(RUN))
    }

    /// Repeats what lies `distance` before the end of the output, which may be less than `length` bytes.
    fn copy(&mut self, distance: usize, length: usize) -> Result<()> {
        let at = self.out.len();
        if distance > at - self.start {
            return Err(Error::corrupt("lzo: a copy from before the block"));
        }
        self.room_for(length)?;
        let from = at - distance;
        while self.out.len() < at + length {
            let now = self.out.len();
            let count = (now - from).min(at + length - now);
            self.out.extend_from_within(from..from + count);
        }
        Ok(())
    }

    fn room_for(&self, more: usize) -> Result<()> {
        match more > self.end - self.out.len() {
            true => Err(too_long(self.end - self.start)),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pack, unpack};
    use crate::compress::Codec;

    quickcheck::quickcheck! {
        fn another_decoder_says_the_same_of_damaged_blocks(
            data: Vec<u8>,
            repeat: u8,
            damage: Vec<(u16, u8)>
        ) -> bool {
            let mut block = pack(Codec::Lzo, &data.repeat(usize::from(repeat) + 1));
            for (at, mask) in damage.into_iter().take(4) {
                let at = usize::from(at) % block.len();
                block[at] ^= mask;
            }
            let mut theirs = vec![0; 30_000];
            let theirs = lzokay::decompress::decompress(&block, &mut theirs)
                .ok()
                .map(|len| theirs[..len].to_vec());
            unpack(Codec::Lzo, &block, 30_000).ok() == theirs
        }
    }

    fn block(codes: &[u8]) -> Vec<u8> {
        [codes, &[0x11, 0, 0]].concat()
    }

    fn reads(codes: &[u8]) -> Option<Vec<u8>> {
        unpack(Codec::Lzo, &block(codes), 100_000).ok()
    }

    #[test]
    fn every_code_is_understood() {
        // a first run of one, of four, and by a code of its own
        assert_eq!(reads(b"\x12a").unwrap(), b"a");
        assert_eq!(reads(b"\x15abcd").unwrap(), b"abcd");
        assert_eq!(reads(b"\x01abcd").unwrap(), b"abcd");
        // a copy that overlaps itself, and the literals after it: near, then middle
        assert_eq!(reads(b"\x15abcd\x60\x00").unwrap(), b"abcddddd");
        assert_eq!(reads(b"\x15abcd\x4d\x00e").unwrap(), b"abcdabce");
        assert_eq!(reads(b"\x15abcd\x24\x0e\x00ef").unwrap(), b"abcdabcdabef");
        // two bytes after literals of a copy
        assert_eq!(
            reads(b"\x15abcd\x4d\x00e\x01\x00f").unwrap(),
            b"abcdabceeef"
        );
        // lengths that go on
        let long = [0x20, 0, 0, 1, 0, 0];
        let expected = [b"abc".to_vec(), vec![b'd'; 1 + 2 + 31 + 2 * 255 + 1]].concat();
        assert_eq!(
            reads(&[&b"\x15abcd"[..], &long].concat()).unwrap(),
            expected
        );
        let run = [vec![0, 0, 2], vec![b'x'; 3 + 15 + 255 + 2]].concat();
        assert_eq!(reads(&run).unwrap(), run[3..]);
    }

    #[test]
    fn copies_reach_as_far_as_they_say() {
        let zeros = |count: usize| {
            let rest = count - 18;
            let zeros = (rest - 1) / 255;
            let codes = [vec![0; 1 + zeros], vec![(rest - zeros * 255) as u8]].concat();
            [codes, vec![b'.'; count - 1], vec![b'!']].concat()
        };
        // three from 2 KiB and a byte after a run
        let (short, enough) = (zeros(2048), zeros(2049));
        assert_eq!(reads(&[&short[..], &[0, 0]].concat()), None);
        let out = reads(&[&enough[..], &[0, 0]].concat()).unwrap();
        assert_eq!(&out[2048..], b"!...");
        // three from 16 KiB and a byte, then two from twice of that
        let far = [&zeros(16_385)[..], &[0x11, 4, 0]].concat();
        assert_eq!(&reads(&far).unwrap()[16_384..], b"!...");
        let further = [&zeros(32_769)[..], &[0x19, 4, 0]].concat();
        assert_eq!(&reads(&further).unwrap()[32_768..], b"!...");
        assert_eq!(reads(&[&zeros(32_768)[..], &[0x19, 4, 0]].concat()), None);
    }

    #[test]
    fn what_ends_wrongly_is_an_error() {
        let whole = block(b"\x15abcd\x60\x00");
        assert!(unpack(Codec::Lzo, &whole, 8).is_ok());
        assert!(unpack(Codec::Lzo, &whole, 7).is_err());
        assert!(unpack(Codec::Lzo, &[&whole[..], b"x"].concat(), 100).is_err());
        for end in 1..whole.len() {
            assert!(unpack(Codec::Lzo, &whole[..end], 100).is_err(), "{end}");
        }
        // an end of another length, a copy from nothing, a length beyond any
        assert!(unpack(Codec::Lzo, &[0x12, b'a', 0x12, 0, 0], 100).is_err());
        assert_eq!(reads(&[0x60, 0]), None);
        assert_eq!(reads(&vec![0; 5000]), None);
    }
}
