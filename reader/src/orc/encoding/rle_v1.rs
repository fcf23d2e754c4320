//! Integer runs and literals of the first version.
//!
//! ```text
//! | 0..=127   | delta i8 | base varint |      header + 3 values, `delta` apart
//! | 128..=255 | varint.. |                  256 - header values
//! ```
//!
//! Varints of signed sequences are in zigzag form.
// spec: ORCv1.md, "Integer Run Length Encoding, version 1"

use lith_format::bytes::unzigzag;
use lith_format::error::Result;

use crate::orc::encoding::varint::{read_varints, skip_varints};
use crate::orc::position::Position;
use crate::orc::stream::StreamReader;

/// Decodes integers of at most 64 bits; those of unsigned sequences as the signed number of the same bits.
#[derive(Debug)]
pub(crate) struct RleV1 {
    stream: StreamReader,
    signed: bool,
    run: Run,
    /// Values of the run that were not read.
    left: usize,
}

#[derive(Debug, Clone, Copy)]
enum Run {
    Sequence { next: i64, delta: i64 },
    Literals,
}

impl RleV1 {
    /// Starts at the front of `stream`.
    pub fn new(stream: StreamReader, signed: bool) -> Self {
        RleV1 {
            stream,
            signed,
            run: Run::Literals,
            left: 0,
        }
    }

    /// Reads the next `out.len()` values.
    pub fn read(&mut self, mut out: &mut [i64]) -> Result<()> {
        while !out.is_empty() {
            let count = self.run()?.min(out.len());
            let (now, later) = out.split_at_mut(count);
            match &mut self.run {
                Run::Sequence { next, delta } => sequence(next, *delta, now),
                Run::Literals => {
                    read_varints(&mut self.stream, now)?;
                    if self.signed {
                        unzigzag_all(now);
                    }
                }
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

    /// Skips `count` values.
    pub fn skip(&mut self, mut count: usize) -> Result<()> {
        while count > 0 {
            let here = self.run()?.min(count);
            match &mut self.run {
                Run::Sequence { next, delta } => {
                    *next = next.wrapping_add(delta.wrapping_mul(here as i64));
                }
                Run::Literals => skip_varints(&mut self.stream, here)?,
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
                let delta = i64::from(self.stream.byte()? as i8);
                let mut base = [0];
                read_varints(&mut self.stream, &mut base)?;
                if self.signed {
                    unzigzag_all(&mut base);
                }
                let [next] = base;
                self.run = Run::Sequence { next, delta };
                self.left = usize::from(header) + 3;
            } else {
                self.run = Run::Literals;
                self.left = 256 - usize::from(header);
            }
        }
        Ok(self.left)
    }
}

/// Fills `out` with values `delta` apart, beginning with `next`, which moves on.
pub(super) fn sequence(next: &mut i64, delta: i64, out: &mut [i64]) {
    if delta == 0 {
        out.fill(*next);
        return;
    }
    for out in out {
        *out = *next;
        *next = next.wrapping_add(delta);
    }
}

/// Zigzag to signed, in place.
pub(super) fn unzigzag_all(values: &mut [i64]) {
    for value in values {
        *value = unzigzag(*value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::encoding::tests::reads_and_skips_like;
    use crate::orc::stream::tests::{every_way, plain, survives_damage};
    use lith_format::bytes::{put_varint, zigzag};
    use lith_format::error::ErrorKind;
    use quickcheck::quickcheck;

    /// Runs where at least three values keep one small distance, else literals one by one.
    fn encode(mut values: &[i64], signed: bool) -> Vec<u8> {
        let fold = |value: i64| if signed { zigzag(value) } else { value as u64 };
        let mut bytes = Vec::new();
        while let [first, rest @ ..] = values {
            let delta = rest.first().map_or(1000, |next| next.wrapping_sub(*first));
            let steady = values.windows(2).take(129);
            let steady = steady
                .take_while(|pair| pair[1].wrapping_sub(pair[0]) == delta)
                .count();
            let count = match i8::try_from(delta) {
                Ok(delta) if steady >= 2 => {
                    bytes.extend([(steady - 2) as u8, delta as u8]);
                    put_varint(&mut bytes, fold(*first));
                    steady + 1
                }
                _ => {
                    let count = values.len().min(1 + values.len() % 128);
                    bytes.push((256 - count) as u8);
                    values[..count]
                        .iter()
                        .for_each(|&v| put_varint(&mut bytes, fold(v)));
                    count
                }
            };
            values = &values[count..];
        }
        bytes
    }

    fn decode(bytes: &[u8], signed: bool, count: usize) -> Result<Vec<i64>> {
        let mut out = vec![0; count];
        RleV1::new(plain(bytes), signed).read(&mut out)?;
        Ok(out)
    }

    #[test]
    fn the_specification_s_examples() {
        assert_eq!(decode(&[0x61, 0x00, 0x07], false, 100).unwrap(), [7; 100]);
        let down: Vec<i64> = (1..=100).rev().collect();
        assert_eq!(decode(&[0x61, 0xff, 0x64], false, 100).unwrap(), down);
        let literals = [0xfb, 0x02, 0x03, 0x06, 0x07, 0x0b];
        assert_eq!(decode(&literals, false, 5).unwrap(), [2, 3, 6, 7, 11]);
    }

    #[test]
    fn signed_values_fold_and_reading_past_the_end_is_an_error() {
        assert_eq!(
            decode(&[0xfd, 0x01, 0x02, 0x03], true, 3).unwrap(),
            [-1, 1, -2]
        );
        assert_eq!(decode(&[0x00, 0xff, 0x01], true, 3).unwrap(), [-1, -2, -3]);
        let error = decode(&[0x00, 0xff, 0x01], true, 4).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
    }

    quickcheck! {
        fn round_trips(seeds: Vec<(i64, u8, u8)>, signed: bool, steps: Vec<(bool, u8)>) -> bool {
            let values = crate::orc::encoding::tests::shapes(&seeds);
            every_way(&encode(&values, signed)).into_iter().all(|stream| {
                let mut decoder = RleV1::new(stream, signed);
                reads_and_skips_like(&values, &steps, &mut decoder, RleV1::read, RleV1::skip)
            })
        }
    }

    #[test]
    fn damage_is_an_error_or_other_values() {
        let bytes = encode(&[1, 2, 3, 4, 900, -5, 7, 7, 7, i64::MIN], true);
        survives_damage(&bytes, |damaged| decode(damaged, true, 10).map(drop));
    }
}
