//! Strings of dictionary columns: codes into values that a stripe stores once.
//!
//! ```text
//! DICTIONARY_DATA: | CaliforniaFloridaNevada |   LENGTH: 10 7 6   DATA: 2 0 2 0 1
//! ```
//!
//! Every vector of the stripe shares the dictionary.
// spec: ORCv1.md, "String, Char, and VarChar Columns"

use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::types::LogicalType;
use lith_format::vector::{Values, Vector, View};

use crate::kernel::gather::max_code;
use crate::orc::encoding::text::views;
use crate::orc::encoding::{Integers, append, read_wanted};
use crate::orc::position::Position;
use crate::orc::stream::StreamReader;
use crate::selection::Selection;

/// Reads the values of a dictionary of `size` entries from the two streams that hold them.
pub(crate) fn read_dictionary(
    mut blob: StreamReader,
    mut lengths: Integers,
    size: u32,
    ty: &LogicalType,
    limits: &Limits,
) -> Result<Arc<Vector>> {
    let size = size as usize;
    Limits::check(
        (size * size_of::<View>()) as u64,
        limits.chunk_bytes,
        "dictionary",
    )?;
    let mut all = Vec::new();
    append(&mut lengths, size, &mut all, Integers::read)?;
    let blob = blob.take_rest(limits.chunk_bytes)?;
    let padded = matches!(ty, LogicalType::Char(_));
    Ok(Arc::new(Vector {
        ty: ty.clone(),
        len: size,
        validity: None,
        values: Values::Bytes(views(blob, &all, padded)?),
    }))
}

/// Reads codes.
#[derive(Debug)]
pub(crate) struct Codes {
    codes: Integers,
    dictionary: Arc<Vector>,
    scratch: Vec<i64>,
}

impl Codes {
    /// Starts at the front of the codes.
    pub fn new(codes: Integers, dictionary: Arc<Vector>) -> Self {
        Codes {
            codes,
            dictionary,
            scratch: Vec::new(),
        }
    }

    /// Seeks to a position in the codes.
    pub fn seek(&mut self, position: &Position) -> Result<()> {
        self.codes.seek(position)
    }

    /// Reads the wanted codes of a window, each below the size of the dictionary.
    pub fn read(&mut self, wanted: &Selection) -> Result<Vec<u32>> {
        let out = &mut self.scratch;
        read_wanted(&mut self.codes, wanted, out, Integers::read, Integers::skip)?;
        let wide = out.iter().fold(0, |all, &code| all | code as u64) >> 32 != 0;
        let codes: Vec<u32> = out.iter().map(|&code| code as u32).collect();
        let size = self.dictionary.len;
        if wide || (!codes.is_empty() && max_code(&codes) as usize >= size) {
            return Err(Error::corrupt(format!(
                "a code leaves the dictionary of {size} values"
            )));
        }
        Ok(codes)
    }

    /// What the codes stand for.
    pub fn dictionary(&self) -> &Arc<Vector> {
        &self.dictionary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::encoding::{RleVersion, tests::literals};
    use crate::orc::stream::tests::plain;
    use lith_format::error::ErrorKind;

    fn unsigned(values: &[i64]) -> Integers {
        Integers::unsigned(plain(&literals(values, false)), RleVersion::V1)
    }

    fn dictionary(
        blob: &[u8],
        lengths: &[i64],
        size: u32,
        ty: &LogicalType,
    ) -> Result<Arc<Vector>> {
        read_dictionary(plain(blob), unsigned(lengths), size, ty, &Limits::default())
    }

    fn values(dictionary: &Vector) -> Vec<&[u8]> {
        let Values::Bytes(values) = &dictionary.values else {
            panic!()
        };
        values.iter().collect()
    }

    #[test]
    fn three_states() {
        let blob = b"CaliforniaFloridaNevada";
        let states = dictionary(blob, &[10, 7, 6], 3, &LogicalType::String).unwrap();
        let mut codes = Codes::new(unsigned(&[2, 0, 2, 0, 1]), Arc::clone(&states));
        assert_eq!(codes.read(&Selection::all(5)).unwrap(), [2, 0, 2, 0, 1]);
        assert_eq!(values(&states), [&b"California"[..], b"Florida", b"Nevada"]);
        assert!(Arc::ptr_eq(codes.dictionary(), &states));
    }

    #[test]
    fn char_entries_lose_their_padding() {
        let padded = dictionary(b"a   b ", &[4, 2], 2, &LogicalType::Char(4)).unwrap();
        assert_eq!(values(&padded), [b"a", b"b"]);
    }

    #[test]
    fn an_empty_dictionary_has_no_codes() {
        let empty = dictionary(b"", &[], 0, &LogicalType::String).unwrap();
        let mut codes = Codes::new(unsigned(&[0]), empty);
        assert_eq!(codes.read(&Selection::all(0)).unwrap(), []);
        let error = codes.read(&Selection::all(1)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn sizes_lengths_and_codes_are_held_against_what_is_there() {
        let kind = |lengths: &[i64], size| {
            let error = dictionary(b"abc", lengths, size, &LogicalType::String).unwrap_err();
            error.kind()
        };
        assert_eq!(kind(&[1], 2), ErrorKind::Truncated);
        assert_eq!(kind(&[1], u32::MAX), ErrorKind::LimitExceeded);
        assert_eq!(kind(&[1, 3], 2), ErrorKind::Corrupt);
        assert_eq!(kind(&[-1, 3], 2), ErrorKind::Corrupt);
        let one = dictionary(b"abc", &[3], 1, &LogicalType::String).unwrap();
        for code in [1, -1, 1 << 32] {
            let mut codes = Codes::new(unsigned(&[code]), Arc::clone(&one));
            let error = codes.read(&Selection::all(1)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{code}");
        }
    }
}
