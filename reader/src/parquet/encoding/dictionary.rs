//! Dictionary codes: each value as the number of an entry of the chunk's dictionary page.
//!
//! ```text
//! | bit width u8 | hybrid runs of codes |        nothing at all where a page holds no values
//! ```
// spec: Encodings.md, "Dictionary Encoding (PLAIN_DICTIONARY = 2 and RLE_DICTIONARY = 8)"

use bytes::Bytes;
use lith_format::error::{Error, Result};

use crate::kernel::gather::max_code;
use crate::kernel::unpack::unpack_from;
use crate::parquet::encoding::rle::{Hybrid, Run};

/// The codes of a page, each known to be below the number of entries once read.
#[derive(Debug)]
pub(crate) struct Codes {
    runs: Hybrid,
    entries: u32,
}

impl Codes {
    /// The codes of a page's values section, into a dictionary of that many entries.
    pub(crate) fn new(mut values: Bytes, entries: usize) -> Result<Self> {
        let width = if values.is_empty() {
            0
        } else {
            values.split_to(1)[0]
        };
        Ok(Codes {
            runs: Hybrid::new(values, width)?,
            entries: u32::try_from(entries).unwrap_or(u32::MAX),
        })
    }

    /// Appends the next `count` codes.
    pub(crate) fn read(&mut self, count: usize, out: &mut Vec<u32>) -> Result<()> {
        out.reserve(count);
        let width = self.runs.width();
        let fits = u64::from(self.entries) >= 1 << width;
        let mut left = count;
        while left > 0 {
            let max = match self.runs.run(left)? {
                Run::Repeat { value, len } => {
                    out.resize(out.len() + len, value);
                    left -= len;
                    value
                }
                Run::Packed { bytes, start, len } => {
                    let old = out.len();
                    out.resize(old + len, 0);
                    unpack_from(bytes, width, start, &mut out[old..]);
                    left -= len;
                    if fits { 0 } else { max_code(&out[old..]) }
                }
            };
            if max >= self.entries {
                return Err(Error::corrupt(format!(
                    "code {max} into a dictionary of {} entries",
                    self.entries
                )));
            }
        }
        Ok(())
    }

    /// Skips `count` codes.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        self.runs.skip(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::encoding::rle::tests::encode;
    use lith_format::error::ErrorKind;

    fn read(bytes: &[u8], entries: usize, count: usize) -> Result<Vec<u32>> {
        let mut out = Vec::new();
        Codes::new(Bytes::copy_from_slice(bytes), entries)?.read(count, &mut out)?;
        Ok(out)
    }

    #[test]
    fn one_entry_needs_no_bits() {
        assert_eq!(read(&[0, 20], 1, 10).unwrap(), [0; 10]);
        assert_eq!(read(&[0, 3], 1, 8).unwrap(), [0; 8]);
    }

    #[test]
    fn an_empty_section_serves_pages_of_nulls() {
        assert!(read(&[], 0, 0).unwrap().is_empty());
        assert_eq!(read(&[], 0, 1).unwrap_err().kind(), ErrorKind::Truncated);
    }

    #[test]
    fn codes_past_the_dictionary_are_corrupt() {
        let repeated = [2, 8, 3];
        assert_eq!(read(&repeated, 4, 4).unwrap(), [3; 4]);
        assert_eq!(
            read(&repeated, 3, 4).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
        let packed = [2, 3, 0b1110_0100, 0b1110_0100];
        assert_eq!(read(&packed, 4, 4).unwrap(), [0, 1, 2, 3]);
        assert_eq!(read(&packed, 3, 4).unwrap_err().kind(), ErrorKind::Corrupt);
        assert_eq!(read(&packed, 3, 3).unwrap(), [0, 1, 2]);
        assert_eq!(
            read(&[33, 2, 0], 4, 1).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
    }

    quickcheck::quickcheck! {
        fn codes_read_back(codes: Vec<u16>, skip: usize) -> bool {
            let codes: Vec<u32> = codes.into_iter().map(u32::from).collect();
            let mut bytes = vec![16];
            bytes.extend(encode(&[(false, codes.clone())], 16));
            let skip = skip % (codes.len() + 1);
            let mut reader = Codes::new(bytes.into(), 1 << 16).unwrap();
            let mut out = Vec::new();
            reader.skip(skip).unwrap();
            reader.read(codes.len() - skip, &mut out).unwrap();
            out == codes[skip..]
        }
    }
}
