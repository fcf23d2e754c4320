//! Base-128 varints in bulk, 64 bits wide and (for decimals) 128.
//!
//! Eight bytes are looked at at once: the first byte without its high bit ends the number, and three
//! shifts close the gaps between its groups of seven bits. Longer numbers go byte by byte.
// spec: ORCv1.md, "Base 128 Varint"

use lith_format::error::{Error, Result};

use crate::orc::stream::StreamReader;

/// The most bytes a 64-bit number takes.
const MAX_64: usize = 10;
/// The most bytes a 128-bit number takes.
const MAX_128: usize = 19;

/// Reads 64-bit numbers as the signed numbers of the same bits.
pub(crate) fn read_varints(stream: &mut StreamReader, out: &mut [i64]) -> Result<()> {
    read(stream, out, MAX_64, |bytes| {
        let (value, len) = varint_64(bytes)?;
        Some((value as i64, len))
    })
}

/// Reads 128-bit numbers in zigzag form.
pub(crate) fn read_wide_zigzags(stream: &mut StreamReader, out: &mut [i128]) -> Result<()> {
    read(stream, out, MAX_128, |bytes| {
        let (value, len) = match varint_56(bytes) {
            Some((value, len)) => (u128::from(value), len),
            None => varint_128(bytes)?,
        };
        Some(((value >> 1) as i128 ^ -((value & 1) as i128), len))
    })
}

/// Skips `count` numbers of any width.
pub(crate) fn skip_varints(stream: &mut StreamReader, mut count: usize) -> Result<()> {
    while count > 0 {
        let bytes = stream.need(1)?;
        let mut len = bytes.len();
        for (at, byte) in bytes.iter().enumerate() {
            count -= usize::from(byte & 0x80 == 0);
            if count == 0 {
                len = at + 1;
                break;
            }
        }
        stream.advance(len);
    }
    Ok(())
}

/// Reads numbers of at most `max` bytes with `parse`, which answers `None` where no number ends.
#[inline(always)]
fn read<T>(
    stream: &mut StreamReader,
    out: &mut [T],
    max: usize,
    parse: impl Fn(&[u8]) -> Option<(T, usize)>,
) -> Result<()> {
    let mut done = 0;
    while done < out.len() {
        let bytes = stream.fill(max)?;
        let mut at = 0;
        // the first number may be the stream's last; later ones wait for a full window
        while done < out.len() && (at == 0 || bytes.len() - at >= max) {
            let Some((value, len)) = parse(&bytes[at..]) else {
                return Err(unended(bytes.len() - at >= max));
            };
            out[done] = value;
            done += 1;
            at += len;
        }
        stream.advance(at);
    }
    Ok(())
}

#[cold]
fn unended(too_long: bool) -> Error {
    if too_long {
        Error::corrupt("varint is too long").at("varint", 0)
    } else {
        Error::truncated("varint ends early").at("varint", 0)
    }
}

#[inline(always)]
fn varint_64(bytes: &[u8]) -> Option<(u64, usize)> {
    varint_56(bytes).or_else(|| {
        let (value, len) = varint_128(bytes)?;
        Some((u64::try_from(value).ok()?, len))
    })
}

/// A number of at most eight bytes, where eight can be looked at.
#[inline(always)]
fn varint_56(bytes: &[u8]) -> Option<(u64, usize)> {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let word = u64::from_le_bytes(*bytes.first_chunk()?);
    let ends = !word & HIGH;
    if ends == 0 {
        return None;
    }
    let groups = word & (ends ^ (ends - 1)) & !HIGH;
    let pairs = groups & 0x007f_007f_007f_007f | (groups & 0x7f00_7f00_7f00_7f00) >> 1;
    let quads = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    let value = quads & 0x0fff_ffff | (quads & 0x0fff_ffff_0000_0000) >> 4;
    Some((value, ends.trailing_zeros() as usize / 8 + 1))
}

#[cold]
fn varint_128(bytes: &[u8]) -> Option<(u128, usize)> {
    let mut value = 0u128;
    for (at, &byte) in bytes.iter().take(MAX_128).enumerate() {
        let bits = u128::from(byte & 0x7f);
        if at == MAX_128 - 1 && bits > 3 {
            return None;
        }
        value |= bits << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
    }
    None
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::orc::stream::tests::{every_way, plain, survives_damage};
    use lith_format::error::ErrorKind;
    use quickcheck::quickcheck;

    /// Appends `value` in zigzag form.
    pub(crate) fn put_wide_zigzag(out: &mut Vec<u8>, value: i128) {
        let mut value = (value << 1 ^ value >> 127) as u128;
        while value >= 0x80 {
            out.push(value as u8 | 0x80);
            value >>= 7;
        }
        out.push(value as u8);
    }

    #[test]
    fn the_table_of_examples() {
        let bytes = [
            0, 1, 0x7f, 0x80, 1, 0x81, 1, 0xff, 0x7f, 0x80, 0x80, 1, 0x81, 0x80, 1,
        ];
        let mut out = [0; 8];
        read_varints(&mut plain(&bytes), &mut out).unwrap();
        assert_eq!(out, [0, 1, 127, 128, 129, 16383, 16384, 16385]);
        let mut out = [0; 5];
        read_wide_zigzags(&mut plain(&[0, 1, 2, 3, 4]), &mut out).unwrap();
        assert_eq!(out, [0, -1, 1, -2, 2]);
    }

    #[test]
    fn too_long_and_too_short() {
        let kind = |bytes: &[u8]| {
            read_varints(&mut plain(bytes), &mut [0])
                .unwrap_err()
                .kind()
        };
        assert_eq!(kind(&[0xff; 12]), ErrorKind::Corrupt);
        assert_eq!(kind(&[0x80]), ErrorKind::Truncated);
        assert_eq!(kind(&[]), ErrorKind::Truncated);
        let wide = |bytes: &[u8]| {
            read_wide_zigzags(&mut plain(bytes), &mut [0])
                .unwrap_err()
                .kind()
        };
        assert_eq!(wide(&[0xff; 30]), ErrorKind::Corrupt);
        assert_eq!(wide(&[0x80; 18]), ErrorKind::Truncated);
    }

    fn wide(parts: &[(i64, i64, u8)]) -> Vec<i128> {
        let join = |&(high, low, shift): &(i64, i64, u8)| {
            (i128::from(high) << 64 | i128::from(low as u64)) >> (shift % 128)
        };
        parts.iter().map(join).collect()
    }

    quickcheck! {
        fn wide_numbers_round_trip(parts: Vec<(i64, i64, u8)>, skipped: usize) -> bool {
            let mut values = wide(&parts);
            values.extend([i128::MIN, i128::MAX]);
            let mut bytes = Vec::new();
            values.iter().for_each(|&value| put_wide_zigzag(&mut bytes, value));
            let skipped = skipped % values.len();
            every_way(&bytes).into_iter().all(|mut stream| {
                let mut out = vec![0; values.len() - skipped];
                skip_varints(&mut stream, skipped).unwrap();
                read_wide_zigzags(&mut stream, &mut out).unwrap();
                out == values[skipped..] && skip_varints(&mut stream, 1).is_err()
            })
        }

        fn numbers_round_trip(values: Vec<(i64, u8)>) -> bool {
            let values: Vec<i64> = values.iter().map(|&(v, shift)| v >> (shift % 64)).collect();
            let mut bytes = Vec::new();
            for &value in &values {
                lith_format::bytes::put_varint(&mut bytes, value as u64);
            }
            every_way(&bytes).into_iter().all(|mut stream| {
                let mut out = vec![0; values.len()];
                read_varints(&mut stream, &mut out).unwrap();
                out == values
            })
        }
    }

    #[test]
    fn damage_is_an_error_or_another_number() {
        let mut bytes = Vec::new();
        for value in [1, -70, i128::MAX, 5_000_000_000] {
            put_wide_zigzag(&mut bytes, value);
        }
        survives_damage(&bytes, |damaged| {
            read_wide_zigzags(&mut plain(damaged), &mut [0; 4])
        });
    }
}
