//! Levels of a page: which values are there, and which begin a row.
//!
//! At the top level a definition level is one bit, so the levels are the validity bitmap: bits are moved,
//! no integer is decoded, and nothing is decoded for rows that are not asked for. Levels of nested leaves
//! are bytes.
//!
//! ```text
//! V1, RLE         | length u32 | hybrid runs |          V2  | hybrid runs, length in the header |
//! V1, BIT_PACKED  | width bits a level, most significant first |       repetition before definition
//! ```
// spec: Encodings.md, "Run Length Encoding / Bit-Packing Hybrid", "Bit-packed (Deprecated)"

use bytes::Bytes;
use lith_format::bytes::{Cursor, put_varint};
use lith_format::error::{Error, Result};
use lith_format::parquet::encoding::Encoding;

use crate::kernel::bits::{Bits, count_packed};
use crate::kernel::unpack::unpack_from;
use crate::parquet::encoding::rle::{Hybrid, Run};

/// The greatest levels of a leaf; where one is 0, pages hold none of the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MaxLevels {
    /// Of a value that is there.
    pub(crate) definition: u8,
    /// How many lists and maps the leaf lies in.
    pub(crate) repetition: u8,
}

/// The levels of a page, undecoded; `None` where the leaf has none of the kind.
#[derive(Debug)]
pub(crate) struct Levels {
    pub(crate) definition: Option<Hybrid>,
    pub(crate) repetition: Option<Hybrid>,
}

impl Levels {
    /// Takes the levels of `entries` values off the front of a V1 page; encodings are those of definition
    /// and repetition levels.
    pub(crate) fn split_v1(
        page: &mut Bytes,
        max: MaxLevels,
        encodings: [Encoding; 2],
        entries: usize,
    ) -> Result<Self> {
        let repetition = split(page, max.repetition, encodings[1], entries)?;
        let definition = split(page, max.definition, encodings[0], entries)?;
        Ok(Levels {
            definition,
            repetition,
        })
    }

    /// The levels of a V2 page.
    pub(crate) fn v2(repetition: Bytes, definition: Bytes, max: MaxLevels) -> Result<Self> {
        let runs = |bytes, max| match width(max) {
            0 => Ok(None),
            width => Hybrid::new(bytes, width).map(Some),
        };
        Ok(Levels {
            definition: runs(definition, max.definition)?,
            repetition: runs(repetition, max.repetition)?,
        })
    }
}

/// Bits of a level.
fn width(max: u8) -> u8 {
    (u8::BITS - max.leading_zeros()) as u8
}

/// Takes one kind of levels off the front of a V1 page.
fn split(page: &mut Bytes, max: u8, encoding: Encoding, entries: usize) -> Result<Option<Hybrid>> {
    let width = width(max);
    let bytes = match encoding {
        _ if width == 0 => return Ok(None),
        Encoding::Rle => {
            let len = Cursor::new(page).u32_le()? as usize;
            let mut prefixed = take(page, len.saturating_add(4))?;
            prefixed.split_off(4)
        }
        Encoding::BitPacked => {
            let len = entries.saturating_mul(usize::from(width)).div_ceil(8);
            repack(&take(page, len)?, width).into()
        }
        other => return Err(Error::unsupported(format!("levels in {other}"))),
    };
    Hybrid::new(bytes, width).map(Some)
}

/// Levels packed from the most significant bit as one run packed from the least.
fn repack(packed: &[u8], width: u8) -> Vec<u8> {
    let width = usize::from(width);
    let groups = packed.len().div_ceil(width);
    let mut run = Vec::with_capacity(groups * width + 10);
    put_varint(&mut run, (groups as u64) << 1 | 1);
    let body = run.len();
    run.resize(body + groups * width, 0);
    for bit in (0..packed.len() * 8).filter(|bit| packed[bit / 8] >> (7 - bit % 8) & 1 == 1) {
        // the highest bit of a value comes first here and last there
        let mirrored = bit - bit % width + (width - 1 - bit % width);
        run[body + mirrored / 8] |= 1 << (mirrored % 8);
    }
    run
}

/// Which rows of a page of a top-level leaf hold a value.
#[derive(Debug)]
pub(crate) enum Validity {
    /// The leaf is required: there are no levels and every row holds a value.
    All,
    /// Levels of width 1.
    Levels(Hybrid),
}

impl Validity {
    /// As the definition levels of a leaf that is required or optional.
    pub(crate) fn new(levels: Levels) -> Self {
        levels.definition.map_or(Validity::All, Validity::Levels)
    }

    /// Appends the next `rows` bits and answers how many of them are one.
    pub(crate) fn read(&mut self, rows: usize, out: &mut Bits) -> Result<usize> {
        match self {
            Validity::All => {
                out.push_repeat(true, rows);
                Ok(rows)
            }
            Validity::Levels(runs) => each(runs, rows, Some(out)),
        }
    }

    /// Skips `rows` bits and answers how many of them are one.
    pub(crate) fn skip(&mut self, rows: usize) -> Result<usize> {
        match self {
            Validity::All => Ok(rows),
            Validity::Levels(runs) => each(runs, rows, None),
        }
    }
}

/// Appends the next `count` levels of `runs`, none of which exceeds `max`.
pub(crate) fn read_levels(
    runs: &mut Hybrid,
    mut count: usize,
    max: u8,
    out: &mut Vec<u8>,
) -> Result<()> {
    const BLOCK: usize = 256;
    let width = runs.width();
    while count > 0 {
        let (level, taken) = match runs.run(count.min(BLOCK))? {
            Run::Repeat { value, len } => {
                out.resize(out.len() + len, value as u8);
                (value, len)
            }
            Run::Packed { bytes, start, len } => {
                let mut block = [0u32; BLOCK];
                unpack_from(bytes, width, start, &mut block[..len]);
                out.extend(block[..len].iter().map(|&level| level as u8));
                (block[..len].iter().copied().max().unwrap_or(0), len)
            }
        };
        if level > u32::from(max) {
            return Err(Error::corrupt(format!("level {level} of at most {max}")));
        }
        count -= taken;
    }
    Ok(())
}

fn each(runs: &mut Hybrid, rows: usize, mut out: Option<&mut Bits>) -> Result<usize> {
    let (mut left, mut ones) = (rows, 0);
    while left > 0 {
        match runs.run(left)? {
            Run::Repeat { value, len } => {
                if let Some(out) = &mut out {
                    out.push_repeat(value == 1, len);
                }
                ones += if value == 1 { len } else { 0 };
                left -= len;
            }
            Run::Packed { bytes, start, len } => {
                ones += match &mut out {
                    Some(out) => out.push_packed(bytes, start, len),
                    None => count_packed(bytes, start, len),
                };
                left -= len;
            }
        }
    }
    Ok(ones)
}

fn take(page: &mut Bytes, len: usize) -> Result<Bytes> {
    if len > page.len() {
        return Err(Error::truncated(format!(
            "{len} bytes of levels wanted, {} left",
            page.len()
        )));
    }
    Ok(page.split_to(len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lith_format::error::ErrorKind;

    const OPTIONAL: MaxLevels = MaxLevels {
        definition: 1,
        repetition: 0,
    };

    fn optional(page: &mut Bytes, encoding: Encoding, rows: usize) -> Result<Levels> {
        Levels::split_v1(page, OPTIONAL, [encoding, Encoding::BitPacked], rows)
    }

    fn bits(validity: &mut Validity, rows: usize) -> (usize, Vec<bool>) {
        let mut out = Bits::default();
        let ones = validity.read(rows, &mut out).unwrap();
        (ones, out.finish().iter().collect())
    }

    #[test]
    fn v1_levels_end_where_their_length_says() {
        let mut page = Bytes::from_static(&[4, 0, 0, 0, 6, 1, 3, 0b0000_0101, 0xaa]);
        let mut validity = Validity::new(optional(&mut page, Encoding::Rle, 6).unwrap());
        assert_eq!(page, &[0xaa][..]);
        assert_eq!(validity.skip(2).unwrap(), 2);
        assert_eq!(bits(&mut validity, 4), (3, vec![true, true, false, true]));
    }

    #[test]
    fn deprecated_levels_are_packed_from_the_top() {
        let mut page = Bytes::from_static(&[0b1010_0000, 0b1000_0000, 0xaa]);
        let mut validity = Validity::new(optional(&mut page, Encoding::BitPacked, 9).unwrap());
        assert_eq!(page.len(), 1);
        let (ones, rows) = bits(&mut validity, 9);
        assert_eq!(
            (ones, &rows[..3], rows[8]),
            (3, &[true, false, true][..], true)
        );
    }

    #[test]
    fn cut_levels_are_errors() {
        let mut page = Bytes::from_static(&[4, 0, 0, 0, 6, 1, 3]);
        let error = optional(&mut page, Encoding::Rle, 6).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
        let levels = Levels::v2(Bytes::new(), Bytes::from_static(&[6, 1]), OPTIONAL).unwrap();
        let mut levels = Validity::new(levels);
        let error = levels.read(4, &mut Bits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
    }

    #[test]
    fn a_required_leaf_has_no_levels() {
        assert_eq!(bits(&mut Validity::All, 3), (3, vec![true; 3]));
    }

    fn bytes(runs: &mut Option<Hybrid>, count: usize, max: u8) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        read_levels(runs.as_mut().unwrap(), count, max, &mut out).map(|()| out)
    }

    #[test]
    fn repetition_levels_come_first() {
        let max = MaxLevels {
            definition: 3,
            repetition: 1,
        };
        // 0 1 1 and 3 0 2, in both encodings
        let rle = [
            &[2, 0, 0, 0, 3, 0b110, 2, 0, 0, 0, 3, 0b10_0011],
            &[0xaa][..],
        ]
        .concat();
        let packed = vec![0b0110_0000, 0b1100_1000, 0xaa];
        let cases = [(rle, Encoding::Rle), (packed, Encoding::BitPacked)];
        for (page, encoding) in cases {
            let mut page = Bytes::from(page);
            let mut levels = Levels::split_v1(&mut page, max, [encoding; 2], 3).unwrap();
            assert_eq!(bytes(&mut levels.repetition, 3, 1).unwrap(), [0, 1, 1]);
            assert_eq!(bytes(&mut levels.definition, 3, 3).unwrap(), [3, 0, 2]);
            if encoding == Encoding::BitPacked {
                assert_eq!(page, &[0xaa][..]);
            }
        }
    }

    #[test]
    fn levels_beyond_the_greatest_are_corrupt() {
        for runs in [&[4, 3][..], &[3, 0b1101, 0]] {
            let mut levels = Some(Hybrid::new(Bytes::from_static(runs), 2).unwrap());
            let error = bytes(&mut levels, 2, 2).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
        }
    }

    quickcheck::quickcheck! {
        fn deprecated_levels_of_any_width(levels: Vec<u8>, width: u8) -> bool {
            let width = usize::from(width % 8) + 1;
            let max = u8::MAX >> (8 - width);
            let levels: Vec<u8> = levels.iter().map(|level| level & max).collect();
            let bit = |at: usize| levels[at / width] >> (width - 1 - at % width) & 1;
            let mut packed = vec![0; (levels.len() * width).div_ceil(8)];
            (0..levels.len() * width).for_each(|at| packed[at / 8] |= bit(at) << (7 - at % 8));
            let mut page = Bytes::from(packed);
            let mut runs = split(&mut page, max, Encoding::BitPacked, levels.len()).unwrap();
            page.is_empty() && bytes(&mut runs, levels.len(), max).unwrap() == levels
        }
    }
}
