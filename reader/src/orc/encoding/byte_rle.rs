//! Runs and literals of bytes.
//!
//! ```text
//! | 0..=127     | byte |          the byte, header + 3 times
//! | 128..=255   | bytes.. |       256 - header bytes as they are
//! ```
// spec: ORCv1.md, "Byte Run Length Encoding"

use lith_format::error::Result;

use crate::orc::position::Position;
use crate::orc::stream::StreamReader;

/// Decodes bytes.
#[derive(Debug)]
pub(crate) struct ByteRle {
    stream: StreamReader,
    run: Run,
    /// Values of the run that were not read.
    left: usize,
}

#[derive(Debug, Clone, Copy)]
enum Run {
    Repeat(u8),
    Literals,
}

impl ByteRle {
    /// Starts at the front of `stream`.
    pub fn new(stream: StreamReader) -> Self {
        ByteRle {
            stream,
            run: Run::Literals,
            left: 0,
        }
    }

    /// Reads the next `out.len()` bytes.
    pub fn read(&mut self, mut out: &mut [u8]) -> Result<()> {
        while !out.is_empty() {
            let count = self.run()?.min(out.len());
            let (now, later) = out.split_at_mut(count);
            match self.run {
                Run::Repeat(byte) => now.fill(byte),
                Run::Literals => self.stream.read(now)?,
            }
            self.left -= count;
            out = later;
        }
        Ok(())
    }

    /// Seeks to a position in the stream.
    pub fn seek(&mut self, position: &Position) -> Result<()> {
        self.stream.seek(position)?;
        self.left = 0;
        self.skip(position.values)
    }

    /// Skips `count` bytes.
    pub fn skip(&mut self, mut count: usize) -> Result<()> {
        while count > 0 {
            let here = self.run()?.min(count);
            if let Run::Literals = self.run {
                self.stream.skip(here as u64)?;
            }
            self.left -= here;
            count -= here;
        }
        Ok(())
    }

    /// How many values the current run has left, after beginning the next one if it has none.
    fn run(&mut self) -> Result<usize> {
        if self.left == 0 {
            let header = self.stream.byte()?;
            if header < 128 {
                self.run = Run::Repeat(self.stream.byte()?);
                self.left = usize::from(header) + 3;
            } else {
                self.run = Run::Literals;
                self.left = 256 - usize::from(header);
            }
        }
        Ok(self.left)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::orc::encoding::tests::reads_and_skips_like;
    use crate::orc::stream::tests::{every_way, plain, survives_damage};
    use lith_format::error::ErrorKind;
    use quickcheck::quickcheck;

    /// Literals only, then repeats where three or more are alike.
    pub(crate) fn encode(mut values: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(&first) = values.first() {
            let alike = values.iter().take(130).take_while(|&&v| v == first).count();
            let count = if alike >= 3 {
                bytes.extend([(alike - 3) as u8, first]);
                alike
            } else {
                let count = values.len().min(1 + values.len() % 128);
                bytes.push((256 - count) as u8);
                bytes.extend(&values[..count]);
                count
            };
            values = &values[count..];
        }
        bytes
    }

    fn decode(bytes: &[u8], count: usize) -> Result<Vec<u8>> {
        let mut out = vec![0; count];
        ByteRle::new(plain(bytes)).read(&mut out)?;
        Ok(out)
    }

    #[test]
    fn a_run_and_literals() {
        assert_eq!(decode(&[0x61, 0x00], 100).unwrap(), vec![0; 100]);
        assert_eq!(decode(&[0xfe, 0x44, 0x45], 2).unwrap(), [0x44, 0x45]);
    }

    #[test]
    fn reading_past_the_end_is_an_error() {
        for bytes in [&[][..], &[0x61], &[0xfe, 0x44], &[0x00, 0x07]] {
            let error = decode(bytes, 4).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Truncated, "{bytes:?}");
        }
    }

    quickcheck! {
        fn reads_and_skips_like_a_slice(values: Vec<u8>, steps: Vec<(bool, u8)>) -> bool {
            let values: Vec<u8> = values.iter().map(|value| value % 3).collect();
            every_way(&encode(&values)).into_iter().all(|stream| {
                let mut decoder = ByteRle::new(stream);
                reads_and_skips_like(&values, &steps, &mut decoder, ByteRle::read, ByteRle::skip)
            })
        }
    }

    #[test]
    fn damage_is_an_error_or_other_bytes() {
        let bytes = encode(&[1, 1, 1, 1, 2, 3, 4, 4, 4, 9]);
        survives_damage(&bytes, |damaged| decode(damaged, 10).map(drop));
    }
}
