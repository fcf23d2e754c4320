//! Snappy raw blocks: `| uncompressed length, varint | literals and copies |`.
//!
//! The declared length is checked against the densest element: three bytes copy at most 64.

use std::cell::RefCell;

use super::too_long;
use crate::error::{Error, Result};

thread_local! {
    static ENCODER: RefCell<snap::raw::Encoder> = RefCell::new(snap::raw::Encoder::new());
}

/// Writes over what `out` has from `start` on, which becomes its end.
pub(super) fn decompress_over(
    input: &[u8],
    max_len: usize,
    out: &mut Vec<u8>,
    start: usize,
) -> Result<()> {
    let len = snap::raw::decompress_len(input).map_err(corrupt)?;
    if len > max_len {
        return Err(too_long(max_len));
    }
    if len / 22 > input.len() {
        return Err(Error::corrupt(format!(
            "snappy block of {} bytes claims to hold {len}",
            input.len()
        )));
    }
    out.resize(start + len, 0);
    snap::raw::Decoder::new()
        .decompress(input, &mut out[start..])
        .map_err(corrupt)?;
    Ok(())
}

pub(super) fn compress(input: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    out.resize(start + snap::raw::max_compress_len(input.len()), 0);
    let written = ENCODER
        .with_borrow_mut(|encoder| encoder.compress(input, &mut out[start..]))
        .map_err(|error| Error::invalid(error.to_string()))?;
    out.truncate(start + written);
    Ok(())
}

fn corrupt(error: snap::Error) -> Error {
    Error::corrupt(error.to_string()).with_source(error)
}
