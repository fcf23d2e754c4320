//! Integer runs of the second version: short repeat, direct, patched base and delta.
//!
//! ```text
//! short repeat | 00 width-1:3 count-3:3 | value, big-endian |
//! direct       | 01 code:5 len-1:9 | values packed |
//! patched base | 10 code:5 len-1:9 | base bytes-1:3 patch code:5 | gap width-1:3 patches:5 |
//!              | base, sign and magnitude | values packed | (gap, patch) packed |
//! delta        | 11 code:5 len-1:9 | base varint | first delta zigzag | other deltas packed |
//! ```
//!
//! Everything packed is big-endian. Short repeats, direct values and a delta run's base are in zigzag
//! form in signed sequences; a patched base and its values are not. Sums wrap at 64 bits.
// spec: ORCv1.md, "Integer Run Length Encoding, version 2"

use lith_format::bytes::unzigzag;
use lith_format::error::{Error, Result};

use crate::kernel::unpack_be::{packed_bytes, unpack_be};
use crate::orc::encoding::rle_v1::{sequence, unzigzag_all};
use crate::orc::encoding::varint::read_varints;
use crate::orc::position::Position;
use crate::orc::stream::StreamReader;

/// The most values of a run.
const MAX_RUN: usize = 512;

/// Decodes integers of at most 64 bits; those of unsigned sequences as the signed number of the same bits.
#[derive(Debug)]
pub(crate) struct RleV2 {
    stream: StreamReader,
    signed: bool,
    run: Run,
    /// Values of the run that were not read.
    left: usize,
    /// Where a run that was read in part lies in full.
    values: Vec<i64>,
}

#[derive(Debug, Clone, Copy)]
enum Run {
    Sequence {
        next: i64,
        delta: i64,
    },
    /// The last `left` of the first `len` of `values`.
    Buffered {
        len: usize,
    },
    /// Not decoded yet.
    Packed(Packed),
}

/// A run whose header was read.
#[derive(Debug, Clone, Copy)]
enum Packed {
    Direct { width: usize },
    PatchedBase(PatchedBase),
    Delta { base: i64, delta: i64, width: usize },
}

#[derive(Debug, Clone, Copy)]
struct PatchedBase {
    width: usize,
    base_bytes: usize,
    patch_width: usize,
    gap_width: usize,
    patches: usize,
}

impl RleV2 {
    /// Starts at the front of `stream`.
    pub fn new(stream: StreamReader, signed: bool) -> Self {
        RleV2 {
            stream,
            signed,
            run: Run::Buffered { len: 0 },
            left: 0,
            values: vec![0; MAX_RUN],
        }
    }

    /// Reads the next `out.len()` values.
    pub fn read(&mut self, mut out: &mut [i64]) -> Result<()> {
        while !out.is_empty() {
            if self.left == 0 {
                self.next_run()?;
            }
            let count = self.left.min(out.len());
            let (now, later) = out.split_at_mut(count);
            match &mut self.run {
                Run::Sequence { next, delta } => sequence(next, *delta, now),
                Run::Packed(_) if count == self.left => self.unpack(now)?,
                Run::Packed(_) => {
                    self.buffer()?;
                    now.copy_from_slice(&self.values[..count]);
                }
                Run::Buffered { len } => {
                    let start = *len - self.left;
                    now.copy_from_slice(&self.values[start..start + count]);
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

    /// Skips `count` values; whole packed runs are not unpacked.
    pub fn skip(&mut self, mut count: usize) -> Result<()> {
        while count > 0 {
            if self.left == 0 {
                self.next_run()?;
            }
            let here = self.left.min(count);
            match &mut self.run {
                Run::Sequence { next, delta } => {
                    *next = next.wrapping_add(delta.wrapping_mul(here as i64));
                }
                Run::Packed(packed) if here == self.left => {
                    let bytes = packed.bytes(here);
                    self.stream.skip(bytes as u64)?;
                }
                Run::Packed(_) => self.buffer()?,
                Run::Buffered { .. } => {}
            }
            self.left -= here;
            count -= here;
        }
        Ok(())
    }

    /// Reads a header.
    fn next_run(&mut self) -> Result<()> {
        let first = self.stream.byte()?;
        if first >> 6 == 0 {
            return self.short_repeat(first);
        }
        let len = usize::from(first & 1) << 8 | usize::from(self.stream.byte()?);
        let code = first >> 1 & 0x1f;
        let width = width(code);
        self.run = match first >> 6 {
            1 => Run::Packed(Packed::Direct { width }),
            2 => Run::Packed(Packed::PatchedBase(self.patched_base(width)?)),
            _ => self.delta(if code == 0 { 0 } else { width })?,
        };
        self.left = len + 1;
        Ok(())
    }

    fn short_repeat(&mut self, header: u8) -> Result<()> {
        let bytes = usize::from(header >> 3 & 7) + 1;
        let value = self.big_endian(bytes)?;
        let next = if self.signed {
            unzigzag(value)
        } else {
            value as i64
        };
        self.run = Run::Sequence { next, delta: 0 };
        self.left = usize::from(header & 7) + 3;
        Ok(())
    }

    fn patched_base(&mut self, value_width: usize) -> Result<PatchedBase> {
        let (third, fourth) = (self.stream.byte()?, self.stream.byte()?);
        let run = PatchedBase {
            width: value_width,
            base_bytes: usize::from(third >> 5) + 1,
            patch_width: width(third & 0x1f),
            gap_width: usize::from(fourth >> 5) + 1,
            patches: usize::from(fourth & 0x1f),
        };
        if run.patch_width + run.gap_width > 64 {
            return Err(self.stream.corrupt("a patch and its gap exceed 64 bits"));
        }
        Ok(run)
    }

    fn delta(&mut self, width: usize) -> Result<Run> {
        let mut varints = [0; 2];
        read_varints(&mut self.stream, &mut varints)?;
        let [base, delta] = varints.map(|value| unzigzag(value as u64));
        let base = if self.signed { base } else { varints[0] };
        Ok(if width == 0 {
            Run::Sequence { next: base, delta }
        } else {
            Run::Packed(Packed::Delta { base, delta, width })
        })
    }

    /// Decodes the whole run aside, to be read in part.
    fn buffer(&mut self) -> Result<()> {
        let len = self.left;
        let mut values = std::mem::take(&mut self.values);
        let unpacked = self.unpack(&mut values[..len]);
        self.values = values;
        unpacked?;
        self.run = Run::Buffered { len };
        Ok(())
    }

    /// Decodes the whole run, which is packed.
    fn unpack(&mut self, out: &mut [i64]) -> Result<()> {
        // its fields are loaded one by one, as they have just been stored: a copy of all would wait for them
        match self.run {
            Run::Packed(Packed::Direct { width }) => {
                self.unpack_values(width, out)?;
                if self.signed {
                    unzigzag_all(out);
                }
                Ok(())
            }
            Run::Packed(Packed::Delta { base, delta, width }) => {
                self.unpack_delta((base, delta), width, out)
            }
            Run::Packed(Packed::PatchedBase(run)) => self.unpack_patched_base(run, out),
            Run::Sequence { .. } | Run::Buffered { .. } => Err(Error::invalid("not a packed run")),
        }
    }

    fn unpack_values(&mut self, width: usize, out: &mut [i64]) -> Result<()> {
        let bytes = packed_bytes(out.len(), width);
        unpack_be(self.stream.need(bytes)?, width, out)?;
        self.stream.advance(bytes);
        Ok(())
    }

    fn unpack_delta(&mut self, run: (i64, i64), width: usize, out: &mut [i64]) -> Result<()> {
        let (base, delta) = run;
        let [first, rest @ ..] = out else {
            return Ok(());
        };
        *first = base;
        let [second, rest @ ..] = rest else {
            return Ok(());
        };
        let mut last = base.wrapping_add(delta);
        *second = last;
        self.unpack_values(width, rest)?;
        if delta < 0 {
            for value in rest {
                last = last.wrapping_sub(*value);
                *value = last;
            }
        } else {
            for value in rest {
                last = last.wrapping_add(*value);
                *value = last;
            }
        }
        Ok(())
    }

    fn unpack_patched_base(&mut self, run: PatchedBase, out: &mut [i64]) -> Result<()> {
        let base = self.big_endian(run.base_bytes)?;
        let sign = 1u64 << (run.base_bytes * 8 - 1);
        let magnitude = (base & (sign - 1)) as i64;
        let base = if base & sign == 0 {
            magnitude
        } else {
            -magnitude
        };
        self.unpack_values(run.width, out)?;
        self.patch(run, out)?;
        for value in out {
            *value = value.wrapping_add(base);
        }
        Ok(())
    }

    /// Sets the bits above `run.width` of the values that the patch list names.
    fn patch(&mut self, run: PatchedBase, out: &mut [i64]) -> Result<()> {
        let mut list = [0; 31];
        let list = &mut list[..run.patches];
        self.unpack_values(run.entry_width(), list)?;
        let (mut at, mut passes_over) = (0, false);
        for &entry in list.iter() {
            // bits above patch and gap are padding
            let entry = entry as u64;
            let gap = entry >> run.patch_width & ((1 << run.gap_width) - 1);
            let patch = entry & (u64::MAX >> (64 - run.patch_width));
            at += gap as usize;
            let Some(value) = out.get_mut(at) else {
                return Err(self
                    .stream
                    .corrupt("the gaps of a patch list leave the run"));
            };
            *value |= patch.checked_shl(run.width as u32).unwrap_or(0) as i64;
            passes_over = gap == 255 && patch == 0;
        }
        if passes_over {
            return Err(self.stream.corrupt("a patch list ends with a gap"));
        }
        Ok(())
    }

    fn big_endian(&mut self, bytes: usize) -> Result<u64> {
        let value = self.stream.need(bytes)?[..bytes]
            .iter()
            .fold(0, |value, &byte| value << 8 | u64::from(byte));
        self.stream.advance(bytes);
        Ok(value)
    }
}

impl Packed {
    /// How many bytes are left of a run of `len` values.
    fn bytes(&self, len: usize) -> usize {
        match self {
            Packed::Direct { width } => packed_bytes(len, *width),
            Packed::Delta { width, .. } => packed_bytes(len.saturating_sub(2), *width),
            Packed::PatchedBase(run) => {
                let patches = packed_bytes(run.patches, run.entry_width());
                run.base_bytes + packed_bytes(len, run.width) + patches
            }
        }
    }
}

impl PatchedBase {
    /// Patch and gap together take the next width that the table of codes has.
    fn entry_width(&self) -> usize {
        match self.patch_width + self.gap_width {
            bits @ ..=24 => bits,
            25..=26 => 26,
            27..=28 => 28,
            29..=30 => 30,
            31..=32 => 32,
            bits => bits.next_multiple_of(8),
        }
    }
}

/// The width that a code of five bits stands for, where 0 is 1.
fn width(code: u8) -> usize {
    match code {
        0..=23 => usize::from(code) + 1,
        24..=27 => usize::from(code - 24) * 2 + 26,
        _ => usize::from(code - 28) * 8 + 40,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::encoding::tests::{reads_and_skips_like, shapes};
    use crate::orc::stream::tests::{every_way, plain, survives_damage};
    use lith_format::bytes::{put_varint, zigzag};
    use lith_format::error::ErrorKind;
    use quickcheck::quickcheck;

    /// Appends values of `width` bits, one bit at a time.
    fn pack(bytes: &mut Vec<u8>, values: &[u64], width: usize) {
        let start = bytes.len();
        bytes.resize(start + packed_bytes(values.len(), width), 0);
        for (index, value) in values.iter().enumerate() {
            for bit in 0..width {
                let at = index * width + bit;
                bytes[start + at / 8] |= ((value >> (width - 1 - bit) & 1) as u8) << (7 - at % 8);
            }
        }
    }

    /// The narrowest code that holds `values`.
    fn code_for(values: &[u64]) -> u8 {
        let bits = values
            .iter()
            .map(|value| 64 - value.leading_zeros() as usize)
            .max();
        (0..32)
            .find(|&code| width(code) >= bits.unwrap_or(0))
            .unwrap()
    }

    fn header(bytes: &mut Vec<u8>, kind: u8, code: u8, len: usize) {
        bytes.extend([
            kind << 6 | code << 1 | ((len - 1) >> 8) as u8,
            (len - 1) as u8,
        ]);
    }

    fn short_repeat(value: i64, len: usize, signed: bool) -> Vec<u8> {
        let value = if signed { zigzag(value) } else { value as u64 };
        let size = (8 - value.leading_zeros() as usize / 8).max(1);
        let mut bytes = vec![((size - 1) << 3 | (len - 3)) as u8];
        bytes.extend(&value.to_be_bytes()[8 - size..]);
        bytes
    }

    fn direct(values: &[i64], signed: bool) -> Vec<u8> {
        let fold = |&value: &i64| if signed { zigzag(value) } else { value as u64 };
        let values: Vec<u64> = values.iter().map(fold).collect();
        let mut bytes = Vec::new();
        header(&mut bytes, 1, code_for(&values), values.len());
        pack(&mut bytes, &values, width(code_for(&values)));
        bytes
    }

    /// A run that never turns, or `None`.
    fn delta(values: &[i64], signed: bool) -> Option<Vec<u8>> {
        let step = |pair: &[i64]| pair[1].checked_sub(pair[0]);
        let deltas: Vec<i64> = values.windows(2).map(step).collect::<Option<_>>()?;
        let (&first, rest) = deltas.split_first()?;
        let down = first < 0;
        if rest.iter().any(|&delta| delta != 0 && (delta < 0) != down) {
            return None;
        }
        let fixed = rest.iter().all(|&delta| delta == first);
        let rest: Vec<u64> = rest.iter().map(|delta| delta.unsigned_abs()).collect();
        // code 0 means fixed here, so one bit takes the code of two
        let code = if fixed { 0 } else { code_for(&rest).max(1) };
        let mut bytes = Vec::new();
        header(&mut bytes, 3, code, values.len());
        put_varint(
            &mut bytes,
            if signed {
                zigzag(values[0])
            } else {
                values[0] as u64
            },
        );
        put_varint(&mut bytes, zigzag(first));
        if !fixed {
            pack(&mut bytes, &rest, width(code));
        }
        Some(bytes)
    }

    /// A run above its minimum with the highest values patched, or `None`.
    fn patched_base(values: &[i64]) -> Option<Vec<u8>> {
        let base = *values.iter().min()?;
        let size = (1..=8).find(|size| base.unsigned_abs() >> (size * 8 - 1) == 0)?;
        let reduce = |&value: &i64| value.checked_sub(base).map(|value| value as u64);
        let reduced: Vec<u64> = values.iter().map(reduce).collect::<Option<_>>()?;
        let mut sorted = reduced.clone();
        sorted.sort_unstable();
        let code = code_for(&sorted[..sorted.len() - sorted.len() / 10]);
        let value_width = width(code);
        let high = |value: u64| value.checked_shr(value_width as u32).unwrap_or(0);
        let mut patches = Vec::new();
        let mut gap = 0;
        for &value in &reduced {
            if high(value) != 0 {
                patches.push((gap, high(value)));
                gap = 0;
            } else if gap == 255 {
                patches.push((255, 0));
                gap = 0;
            }
            gap += 1;
        }
        while patches.last().is_some_and(|patch| patch.1 == 0) {
            patches.pop();
        }
        let patch_code = code_for(&patches.iter().map(|patch| patch.1).collect::<Vec<_>>());
        let run = PatchedBase {
            width: value_width,
            base_bytes: size,
            patch_width: width(patch_code),
            gap_width: 8,
            patches: patches.len(),
        };
        if patches.len() > 31 || run.patch_width > 56 {
            return None;
        }
        let mut bytes = Vec::new();
        header(&mut bytes, 2, code, values.len());
        bytes.extend([
            (size as u8 - 1) << 5 | patch_code,
            7 << 5 | patches.len() as u8,
        ]);
        let sign = u64::from(base < 0) << (size * 8 - 1);
        bytes.extend(&(base.unsigned_abs() | sign).to_be_bytes()[8 - size..]);
        let low = |&value: &u64| value & (u64::MAX >> (64 - value_width));
        pack(
            &mut bytes,
            &reduced.iter().map(low).collect::<Vec<_>>(),
            value_width,
        );
        let entries: Vec<u64> = patches
            .iter()
            .map(|(gap, patch)| gap << run.patch_width | patch)
            .collect();
        pack(&mut bytes, &entries, run.entry_width());
        Some(bytes)
    }

    /// Cuts the values into runs and takes the first encoding that fits, `choice` deciding the order.
    fn encode(mut values: &[i64], signed: bool, choice: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for index in 0.. {
            let Some(&first) = values.first() else { break };
            let choice = choice
                .get(index % choice.len().max(1))
                .copied()
                .unwrap_or(0);
            let alike = values
                .iter()
                .take(10)
                .take_while(|&&value| value == first)
                .count();
            let len = values.len().min(1 + usize::from(choice) * 9 % MAX_RUN);
            let (count, run) = if alike >= 3 {
                (alike, short_repeat(first, alike, signed))
            } else if let Some(run) = delta(&values[..len], signed) {
                (len, run)
            } else if choice % 2 == 0
                && let Some(run) = patched_base(&values[..len])
            {
                (len, run)
            } else {
                (len, direct(&values[..len], signed))
            };
            bytes.extend(run);
            values = &values[count..];
        }
        bytes
    }

    fn decode(bytes: &[u8], signed: bool, count: usize) -> Result<Vec<i64>> {
        let mut out = vec![0; count];
        RleV2::new(plain(bytes), signed).read(&mut out)?;
        Ok(out)
    }

    #[test]
    fn the_specification_s_examples() {
        assert_eq!(decode(&[0x0a, 0x27, 0x10], false, 5).unwrap(), [10000; 5]);
        let bytes = [0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef];
        assert_eq!(
            decode(&bytes, false, 4).unwrap(),
            [23713, 43806, 57005, 48879]
        );
        let bytes = [0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46];
        let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29];
        assert_eq!(decode(&bytes, false, 10).unwrap(), primes);
        let bytes = [
            0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46,
            0x50, 0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8,
        ];
        let mut values: Vec<i64> = (0..20).map(|at| 2000 + 10 * at).collect();
        values[..4].copy_from_slice(&[2030, 2000, 2020, 1_000_000]);
        assert_eq!(decode(&bytes, false, 20).unwrap(), values);
    }

    #[test]
    fn deltas_of_four_bits_and_of_none() {
        let bytes = [
            0x0b, 0x23, 0x66, 0xc6, 0x03, 0xf4, 0x46, 0x04, 0x05, 0xc0, 0x0a, 0x84, 0x47, 0x00,
        ];
        let mut expected = vec![0x2366; 6];
        expected.extend([9076, 9078, 9078, 9083]);
        expected.extend([9092; 11]);
        assert_eq!(decode(&bytes, false, 21).unwrap(), expected);
        // one and two values, with a width that packs nothing
        assert_eq!(decode(&[0xc6, 0x00, 0x05, 0x03], true, 1).unwrap(), [-3]);
        assert_eq!(
            decode(&[0xc6, 0x01, 0x05, 0x03], true, 2).unwrap(),
            [-3, -5]
        );
        // a falling run subtracts
        assert_eq!(
            decode(&[0xc6, 0x03, 0x64, 0x01, 0x35], false, 4).unwrap(),
            [100, 99, 96, 91]
        );
    }

    /// 20 values of 1 bit above base 0, a patch of 12 bits and a gap of 2 in an entry of 14.
    #[test]
    fn patch_entries_take_the_next_width_of_the_table() {
        let run = |patch_width, gap_width| PatchedBase {
            width: 1,
            base_bytes: 1,
            patch_width,
            gap_width,
            patches: 1,
        };
        assert_eq!(run(12, 2).entry_width(), 14);
        assert_eq!(run(24, 1).entry_width(), 26);
        assert_eq!(run(26, 5).entry_width(), 32);
        assert_eq!(run(32, 1).entry_width(), 40);
        assert_eq!(run(56, 8).entry_width(), 64);
    }

    #[test]
    fn a_negative_base_and_an_empty_patch_list() {
        // base -2 in sign and magnitude, four values of 4 bits, no patches
        let bytes = [0x86, 0x03, 0x00, 0x00, 0x82, 0x01, 0x2f];
        assert_eq!(decode(&bytes, true, 4).unwrap(), [-2, -1, 0, 13]);
    }

    #[test]
    fn patches_outside_of_the_run_are_corrupt() {
        // four values of 8 bits, one patch of 8 bits with a gap of 8 bits
        let list = |gap, patch| [0x8e, 0x03, 0x07, 0xe1, 0x00, 1, 2, 3, 4, gap, patch];
        assert_eq!(decode(&list(3, 1), false, 4).unwrap(), [1, 2, 3, 260]);
        let kind = |bytes: &[u8]| decode(bytes, false, 4).unwrap_err().kind();
        assert_eq!(kind(&list(4, 1)), ErrorKind::Corrupt);
        // patch of 64 bits and gap of 1
        assert_eq!(
            kind(&[0x8e, 0x03, 0x1f, 0x01, 0, 1, 2, 3, 4, 0]),
            ErrorKind::Corrupt
        );
    }

    #[test]
    fn a_patch_list_that_ends_with_a_gap_is_corrupt() {
        // 300 values of 8 bits; the only entry passes over 255 of them and patches none
        let mut bytes = vec![0x8f, 0x2b, 0x07, 0xe1, 0x00];
        bytes.extend([9; 300]);
        bytes.extend([255, 0]);
        let error = decode(&bytes, false, 300).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn codes_stand_for_the_widths_of_the_table() {
        let known = [
            (0, 1),
            (1, 2),
            (3, 4),
            (7, 8),
            (15, 16),
            (23, 24),
            (24, 26),
            (26, 30),
        ];
        let wide = [(27, 32), (28, 40), (29, 48), (30, 56), (31, 64)];
        for (code, bits) in known.into_iter().chain(wide) {
            assert_eq!(width(code), bits, "{code}");
        }
    }

    quickcheck! {
        fn round_trips(seeds: Vec<(i64, u8, u8)>, signed: bool, choice: Vec<u8>, steps: Vec<(bool, u8)>) -> bool {
            let values = shapes(&seeds);
            every_way(&encode(&values, signed, &choice)).into_iter().all(|stream| {
                let mut decoder = RleV2::new(stream, signed);
                reads_and_skips_like(&values, &steps, &mut decoder, RleV2::read, RleV2::skip)
            })
        }
    }

    #[test]
    fn every_encoding_occurs_in_the_property() {
        let values: Vec<i64> = (0..40)
            .map(|at| if at % 20 == 7 { 1 << 40 } else { -at % 9 })
            .collect();
        assert_eq!(
            decode(&patched_base(&values).unwrap(), true, 40).unwrap(),
            values
        );
        assert_eq!(decode(&direct(&values, true), true, 40).unwrap(), values);
        assert_eq!(delta(&values, true), None);
        assert!(delta(&[1, 5, 6], true).is_some());
    }

    #[test]
    fn damage_is_an_error_or_other_values() {
        let mut values: Vec<i64> = (0..30).map(|at| at * 37 % 11 - 4).collect();
        values[9] = 70_000;
        let mut bytes = patched_base(&values).unwrap();
        bytes.extend(direct(&values, true));
        bytes.extend(delta(&[1, 2, 4, 9], true).unwrap());
        bytes.extend(short_repeat(-7, 5, true));
        survives_damage(&bytes, |damaged| decode(damaged, true, 69).map(drop));
    }
}
