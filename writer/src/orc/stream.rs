//! A stream that is being written: its bytes, and the position of each stride.
//!
//! ```text
//! positions of a stride   [offset of the chunk, if compressed] | offset in the chunk | what is to be
//!                         skipped of a run (0: runs end with strides) | bits, in streams of bits
//! ```
// spec: ORCv1.md, "Row Group Index"

use lith_format::bitmap::Bitmap;
use lith_format::compress::Codec;
use lith_format::error::Result;
use lith_format::orc::chunk::{Compression, encode};
use lith_format::orc::encoding::StreamKind;

use crate::orc::encoding::{byte_rle, rle_v2};

/// Bytes of one kind of a column in a stripe.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) kind: StreamKind,
    pub(crate) bytes: Vec<u8>,
    /// For each stride: where it begins, and what follows the offset in its positions.
    marks: Vec<(usize, Vec<u64>)>,
}

impl Stream {
    /// No bytes.
    pub(crate) fn new(kind: StreamKind) -> Self {
        Stream {
            kind,
            bytes: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Notes that a stride begins here, with `rest` after the offset in its positions.
    pub(crate) fn mark(&mut self, rest: &[u64]) {
        self.marks.push((self.bytes.len(), rest.to_vec()));
    }

    /// A stream of integers whose strides end where `ends` says.
    pub(crate) fn integers(kind: StreamKind, signed: bool, values: &[i64], ends: &[usize]) -> Self {
        let mut stream = Stream::new(kind);
        let mut start = 0;
        for &end in ends {
            stream.mark(&[0]);
            rle_v2::put(&values[start..end], signed, &mut stream.bytes);
            start = end;
        }
        stream
    }

    /// A stream of bytes in runs.
    pub(crate) fn tiny(kind: StreamKind, values: &[u8], ends: &[usize]) -> Self {
        let mut stream = Stream::new(kind);
        let mut start = 0;
        for &end in ends {
            stream.mark(&[0]);
            byte_rle::put(&values[start..end], &mut stream.bytes);
            start = end;
        }
        stream
    }

    /// A stream of bits. A stride that begins within a byte begins at that byte's run.
    pub(crate) fn bits(kind: StreamKind, bits: &Bitmap, ends: &[usize]) -> Self {
        let bytes = byte_rle::bytes_of(bits);
        let mut stream = Stream::new(kind);
        let (mut start, mut written) = (0, 0);
        for &end in ends {
            let first = start / 8;
            byte_rle::put(&bytes[written..first], &mut stream.bytes);
            stream.mark(&[0, (start % 8) as u64]);
            (start, written) = (end, first);
        }
        byte_rle::put(&bytes[written..], &mut stream.bytes);
        stream
    }

    /// The stream as it is stored, and the positions of each stride.
    pub(crate) fn finish(
        &self,
        compression: Compression,
        level: Option<i32>,
    ) -> Result<(Vec<u8>, Vec<Vec<u64>>)> {
        let mut out = Vec::new();
        if compression.codec == Codec::None {
            out.extend_from_slice(&self.bytes);
            let position = |(at, rest): &(usize, Vec<u64>)| {
                std::iter::once(*at as u64)
                    .chain(rest.iter().copied())
                    .collect()
            };
            return Ok((out, self.marks.iter().map(position).collect()));
        }
        let mut chunks = vec![0];
        for block in self.bytes.chunks(compression.block_size) {
            encode(block, compression, level, &mut out)?;
            chunks.push(out.len() as u64);
        }
        let position = |(at, rest): &(usize, Vec<u64>)| {
            let (chunk, within) = (at / compression.block_size, at % compression.block_size);
            let place = [chunks[chunk], within as u64];
            place.into_iter().chain(rest.iter().copied()).collect()
        };
        Ok((out, self.marks.iter().map(position).collect()))
    }
}
