//! Zstandard frames, one or several. A frame's own content size, where it gives one, sizes the buffer.

use std::cell::RefCell;
use std::io::Cursor;

use zstd::zstd_safe::{self, CCtx, CParameter, DCtx};

use super::grow_until;
use crate::error::{Error, Result};

thread_local! {
    static DECOMPRESSOR: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
    static COMPRESSOR: RefCell<CCtx<'static>> = RefCell::new(CCtx::create());
}

pub(super) fn decompress(input: &[u8], max_len: usize, out: &mut Vec<u8>) -> Result<()> {
    let likely = input.len().saturating_mul(64).saturating_add(1 << 12);
    let guess = match zstd_safe::get_frame_content_size(input) {
        Ok(Some(size)) => usize::try_from(size)
            .unwrap_or(usize::MAX)
            .clamp(64, likely),
        _ => likely,
    };
    let start = out.len();
    grow_until(guess, max_len, |room| {
        out.reserve(room);
        // a cursor writes into the unused capacity of a vector without filling it with zeros first
        let mut end = Cursor::new(&mut *out);
        end.set_position(start as u64);
        let written = DECOMPRESSOR.with_borrow_mut(|inner| inner.decompress(&mut end, input));
        match written.map_err(zstd_safe::get_error_name) {
            Ok(written) => Ok(Some(written)),
            Err("Destination buffer is too small") => Ok(None),
            Err(name) => Err(Error::corrupt(format!("zstd: {}", name.to_lowercase()))),
        }
    })
}

pub(super) fn compress(level: i32, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    out.resize(start + zstd_safe::compress_bound(input.len()), 0);
    let written = COMPRESSOR
        .with_borrow_mut(|inner| {
            inner.set_parameter(CParameter::CompressionLevel(level))?;
            inner.compress2(&mut out[start..], input)
        })
        .map_err(|code| Error::invalid(zstd_safe::get_error_name(code)))?;
    out.truncate(start + written);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pack, unpack};
    use crate::compress::Codec;

    #[test]
    fn frames_add_up() {
        let packed = [pack(Codec::Zstd, b"one"), pack(Codec::Zstd, &[9; 5000])].concat();
        let unpacked = unpack(Codec::Zstd, &packed, 5003).unwrap();
        assert_eq!(unpacked, [b"one".to_vec(), vec![9; 5000]].concat());
    }
}
