//! A stream of a stripe as plain bytes, whatever compression chunks it was cut into.
//!
//! ```text
//! stored:  | header 3 bytes | chunk | header | chunk | ...    header = chunk bytes * 2 + is_original
//! window:                    [...unread...]                   one chunk, decompressed or as stored
//! ```
//!
//! Values and runs cross chunks: asking for more bytes than the window holds carries what is unread
//! over to a new window in front of the next chunk. Chunks stored as original, and pieces of streams
//! without compression, are borrowed. The buffer of a window that nobody else holds is used again.
// spec: ORCv1.md, "Compression"

use std::ops::Range;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use lith_format::compress::Codec;
use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::orc::chunk::{Chunk, Chunks, Compression, HEADER_BYTES, chunk_length};

use crate::metrics::{Metrics, Stage, Timer};
use crate::orc::position::Position;
use crate::orc::stored::Stored;
use crate::source::Source;

/// More bytes than the longest run takes: 512 integers of 64 bits with patches.
const LONGEST_RUN: u64 = 5 << 10;

/// For how many bytes memory is allocated before it is known that there are so many.
const UNPROVEN: usize = 1 << 20;

/// Reads a stream front to back, or on from a position of the row index.
#[derive(Debug, Clone)]
pub(crate) struct StreamReader {
    compression: Compression,
    /// The chunks that were not opened yet, or the bytes after the window.
    stored: Stored,
    /// The offset of the last opened chunk in the stream, and its decompressed length.
    opened: Option<(u64, usize)>,
    /// Bytes that were not read.
    window: Bytes,
    /// The buffer that was decompressed into last, and one for the next chunk.
    block: Bytes,
    spare: Vec<u8>,
    /// The name of the stream in errors.
    name: &'static str,
    metrics: Arc<Metrics>,
}

impl StreamReader {
    /// A reader of the stream that lies in `range` of the file. Nothing is fetched before it is read.
    pub fn new(
        source: &Arc<dyn Source>,
        range: Range<u64>,
        compression: Compression,
        name: &'static str,
        metrics: &Arc<Metrics>,
    ) -> Self {
        let beyond = match compression.codec {
            Codec::None => LONGEST_RUN,
            _ => (HEADER_BYTES + compression.block_size) as u64,
        };
        StreamReader {
            compression,
            stored: Stored::new(source, range, beyond, metrics),
            opened: None,
            window: Bytes::new(),
            block: Bytes::new(),
            spare: Vec::new(),
            name,
            metrics: Arc::clone(metrics),
        }
    }

    /// The bytes at hand: at least `wanted` of them unless the stream ends before.
    #[inline]
    pub fn fill(&mut self, wanted: usize) -> Result<&[u8]> {
        while self.window.len() < wanted && self.refill(wanted)? {}
        Ok(&self.window)
    }

    /// The bytes at hand, at least `wanted` of them.
    #[inline]
    pub fn need(&mut self, wanted: usize) -> Result<&[u8]> {
        if self.fill(wanted)?.len() < wanted {
            return Err(self.ends_early(wanted));
        }
        Ok(&self.window)
    }

    /// Marks `count` of the bytes at hand as read.
    ///
    /// # Panics
    /// If fewer are at hand.
    #[inline]
    pub fn advance(&mut self, count: usize) {
        self.window.advance(count);
    }

    /// The next byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8> {
        let byte = self.need(1)?[0];
        self.advance(1);
        Ok(byte)
    }

    /// Copies the next bytes.
    pub fn read(&mut self, mut out: &mut [u8]) -> Result<()> {
        while !out.is_empty() {
            let wanted = out.len();
            let bytes = self.some(wanted)?;
            let (now, later) = out.split_at_mut(bytes.len().min(wanted));
            now.copy_from_slice(&bytes[..now.len()]);
            let count = now.len();
            self.advance(count);
            out = later;
        }
        Ok(())
    }

    /// The next `count` bytes in one piece, shared with the window if they lie in it.
    pub fn take(&mut self, count: usize) -> Result<Bytes> {
        let at_once = match self.is_plain() {
            true => count,
            false => count.min(1),
        };
        self.fill(at_once)?;
        if count <= self.window.len() {
            return Ok(self.window.split_to(count));
        }
        if self.stored.left() == 0 {
            return Err(self.ends_early(count));
        }
        // grows with what is there, not with what is asked for
        let room = self.window.len().max(UNPROVEN) + self.compression.block_size;
        let mut out = Vec::with_capacity(room.min(count + self.compression.block_size));
        out.extend_from_slice(&self.window);
        self.window.clear();
        while out.len() < count {
            let stored = self.hold_chunk()?;
            let Some(chunk) = self.chunk(&stored)? else {
                self.window = out.into();
                return Err(self.ends_early(count));
            };
            let start = out.len();
            self.decode_chunk(chunk, &mut out, start)?;
        }
        let mut taken = Bytes::from(out);
        self.window = taken.split_off(count);
        Ok(taken)
    }

    /// Everything that is left, in one piece, if it is at most `limit` bytes.
    pub fn take_rest(&mut self, limit: usize) -> Result<Bytes> {
        self.fill(match self.is_plain() {
            true => usize::MAX,
            false => 1,
        })?;
        let mut rest = Vec::new();
        while self.stored.left() > 0 {
            rest.extend_from_slice(&self.window);
            self.window.clear();
            Limits::check(rest.len() as u64, limit, "stream")?;
            self.refill(1)?;
        }
        let last = std::mem::take(&mut self.window);
        if rest.is_empty() {
            return Ok(last);
        }
        rest.extend_from_slice(&last);
        Ok(rest.into())
    }

    /// Skips `count` bytes; without compression, those that were not fetched yet never are.
    pub fn skip(&mut self, mut count: u64) -> Result<()> {
        let beyond = count.saturating_sub(self.window.len() as u64);
        if self.is_plain() && (1..=self.stored.left()).contains(&beyond) {
            self.window.clear();
            self.stored.seek(self.stored.at() + beyond);
            return Ok(());
        }
        while count > 0 {
            let wanted = usize::try_from(count).unwrap_or(usize::MAX);
            let here = self.some(wanted)?.len().min(wanted);
            self.advance(here);
            count -= here as u64;
        }
        Ok(())
    }

    /// Seeks to a position in the stream. Any position in an empty stream is its end.
    pub fn seek(&mut self, position: &Position) -> Result<()> {
        if self.stored.len() == 0 {
            return Ok(());
        }
        self.stored.cut(&position.cuts);
        let place = match self.is_plain() {
            true => position.byte,
            false => position.chunk,
        };
        if place > self.stored.len() {
            let outside = Error::corrupt("a row index points beyond the stream");
            return Err(self.place(outside));
        }
        let ahead = self.ahead_in(place, position.byte);
        if ahead.is_none() {
            self.stored.seek(place);
            self.window.clear();
            self.opened = None;
        }
        match self.is_plain() {
            true => Ok(()),
            false => self.skip(ahead.unwrap_or(position.byte)),
        }
    }

    /// How many bytes of the window come before a byte of a chunk, if that byte is in the window.
    fn ahead_in(&self, chunk: u64, byte: u64) -> Option<u64> {
        let (start, len) = self.opened?;
        let left = (len as u64).checked_sub(byte)?;
        let ahead = (self.window.len() as u64).checked_sub(left);
        ahead.filter(|_| start == chunk)
    }

    fn is_plain(&self) -> bool {
        self.compression.codec == Codec::None
    }

    /// At least one of the next bytes; `wanted` is for the error.
    fn some(&mut self, wanted: usize) -> Result<&[u8]> {
        if self.fill(1)?.is_empty() {
            return Err(self.ends_early(wanted));
        }
        Ok(&self.window)
    }

    /// Opens the next chunk, or without compression has at least `wanted` bytes at hand, if there are so many;
    /// `false` if nothing is left.
    #[cold]
    fn refill(&mut self, wanted: usize) -> Result<bool> {
        match self.is_plain() {
            true => self.extend(wanted),
            false => self.open_chunk(),
        }
    }

    fn extend(&mut self, wanted: usize) -> Result<bool> {
        let left = self.stored.left();
        if left > 0 {
            self.stored.back(self.window.len());
            self.window = self.stored.hold(wanted)?;
            self.stored.advance(self.window.len());
        }
        Ok(left > 0)
    }

    fn open_chunk(&mut self) -> Result<bool> {
        let stored = self.hold_chunk()?;
        let Some(chunk) = self.chunk(&stored)? else {
            return Ok(false);
        };
        if chunk.original && self.window.is_empty() {
            self.window = stored.slice_ref(chunk.bytes);
            self.pass(chunk, chunk.bytes.len());
            return Ok(true);
        }
        // what the buffer holds is written over, so that it need not be cleared
        let mut buffer = std::mem::take(&mut self.spare);
        let carried = self.window.len();
        let over = carried.min(buffer.len());
        buffer[..over].copy_from_slice(&self.window[..over]);
        buffer.extend_from_slice(&self.window[over..]);
        self.decode_chunk(chunk, &mut buffer, carried)?;
        let read = std::mem::replace(&mut self.block, buffer.into());
        self.window = self.block.clone();
        if let Ok(read) = read.try_into_mut() {
            self.spare = read.into();
        }
        Ok(true)
    }

    /// Makes what the chunk decompresses to the end of `out`, from `start` on.
    fn decode_chunk(&mut self, chunk: Chunk<'_>, out: &mut Vec<u8>, start: usize) -> Result<()> {
        let timer = Timer::start();
        let decoded = chunk.decode_over(self.compression, out, start);
        timer.stop(&self.metrics, Stage::Decompress);
        decoded.map_err(|error| self.place(error))?;
        let added = out.len() - start;
        self.metrics.bytes_decompressed.add(added as u64);
        self.pass(chunk, added);
        Ok(())
    }

    /// The stored bytes from the next chunk on, with all of that, if there is one.
    fn hold_chunk(&mut self) -> Result<Bytes> {
        let stored = self.stored.hold(HEADER_BYTES)?;
        match stored.first_chunk() {
            None => Ok(stored),
            Some(header) => {
                // a chunk that is too long is refused when it is opened
                let length = chunk_length(header).min(self.compression.block_size);
                self.stored.hold(HEADER_BYTES + length)
            }
        }
    }

    fn chunk<'s>(&self, stored: &'s [u8]) -> Result<Option<Chunk<'s>>> {
        let chunk = Chunks::new(stored, self.compression).next().transpose();
        chunk.map_err(|error| self.place(error))
    }

    /// Marks a chunk as opened, whose length is `len` when it is decompressed.
    fn pass(&mut self, chunk: Chunk<'_>, len: usize) {
        self.opened = Some((self.stored.at(), len));
        self.stored.advance(HEADER_BYTES + chunk.bytes.len());
    }

    /// Moves an error to the stream and the chunk that was to be opened.
    fn place(&self, error: Error) -> Error {
        Error::new(error.kind(), error.message().to_owned()).at(self.name, self.position())
    }

    /// Where in the file the next unopened chunk lies; without compression, the next byte.
    fn position(&self) -> u64 {
        match self.is_plain() {
            true => self.stored.position() - self.window.len() as u64,
            false => self.stored.position(),
        }
    }

    #[cold]
    fn ends_early(&self, wanted: usize) -> Error {
        Error::truncated(format!(
            "{wanted} bytes wanted, {} left",
            self.window.len() as u64 + self.stored.left()
        ))
        .at(self.name, self.position())
    }

    /// An error about what was read here.
    #[cold]
    pub fn corrupt(&self, message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        Error::corrupt(message).at(self.name, self.position())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::source::BytesSource;
    use lith_format::compress::compress;
    use lith_format::error::ErrorKind;
    use quickcheck::quickcheck;

    fn reader(stored: Vec<u8>, codec: Codec) -> StreamReader {
        let compression = Compression {
            codec,
            block_size: 1 << 10,
        };
        let range = 0..stored.len() as u64;
        let source: Arc<dyn Source> = Arc::new(BytesSource::new(stored, "stream"));
        StreamReader::new(&source, range, compression, "DATA", &Arc::default())
    }

    /// A stream of a file without compression.
    pub(crate) fn plain(bytes: &[u8]) -> StreamReader {
        reader(bytes.to_vec(), Codec::None)
    }

    /// Bytes in chunks of `size`, in turn original, compressed and empty.
    fn chunks(bytes: &[u8], size: usize) -> Vec<u8> {
        let mut stored = Vec::new();
        for (index, chunk) in bytes.chunks(size).enumerate() {
            let mut packed = Vec::new();
            compress(Codec::Deflate, None, chunk, &mut packed).unwrap();
            let (body, is_original) = if index % 2 == 0 {
                (chunk, 1)
            } else {
                (&packed[..], 0)
            };
            stored.extend(&((body.len() as u32) << 1 | is_original).to_le_bytes()[..3]);
            stored.extend(body);
            if index % 3 == 0 {
                stored.extend([1, 0, 0]);
            }
        }
        stored
    }

    /// The same bytes in one piece and in chunks so small that everything crosses them.
    pub(crate) fn every_way(bytes: &[u8]) -> [StreamReader; 3] {
        [1, 5]
            .map(|size| reader(chunks(bytes, size), Codec::Deflate))
            .into_iter()
            .chain([plain(bytes)])
            .collect::<Vec<_>>()
            .try_into()
            .unwrap()
    }

    /// Every truncation must be an error, every flipped bit may be; nothing may panic.
    pub(crate) fn survives_damage(bytes: &[u8], read: impl Fn(&[u8]) -> Result<()>) {
        read(bytes).unwrap();
        for len in 0..bytes.len() {
            assert!(read(&bytes[..len]).is_err(), "cut at {len}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.to_vec();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let _ = read(&damaged);
        }
    }

    quickcheck! {
        fn chunks_do_not_show(bytes: Vec<u8>, steps: Vec<(u8, u8)>) -> bool {
            every_way(&bytes).into_iter().all(|mut stream| {
                let mut at = 0;
                for &(what, count) in &steps {
                    let count = usize::from(count % 16).min(bytes.len() - at);
                    let expected = &bytes[at..at + count];
                    match what % 4 {
                        0 => assert_eq!(stream.take(count).unwrap(), expected),
                        1 => stream.skip(count as u64).unwrap(),
                        2 => {
                            let mut out = vec![0; count];
                            stream.read(&mut out).unwrap();
                            assert_eq!(out, expected);
                        }
                        _ => {
                            assert_eq!(&stream.need(count).unwrap()[..count], expected);
                            stream.advance(count);
                        }
                    }
                    at += count;
                }
                let mut rest = stream.clone();
                let kind = rest.skip((bytes.len() - at) as u64 + 1).unwrap_err().kind();
                kind == ErrorKind::Truncated && stream.take_rest(1 << 20).unwrap() == bytes[at..]
            })
        }
    }

    /// Where each chunk of `chunks(bytes, size)` begins, without the empty ones.
    fn starts(stored: &[u8], codec: Codec) -> Vec<u64> {
        let mut starts = vec![0];
        if codec != Codec::None {
            starts.clear();
            let mut at = 0;
            while let Some(&[a, b, c]) = stored.get(at..at + 3).and_then(|h| h.first_chunk()) {
                let len = u32::from_le_bytes([a, b, c, 0]) as usize >> 1;
                if len > 0 {
                    starts.push(at as u64);
                }
                at += 3 + len;
            }
        }
        starts
    }

    quickcheck! {
        fn seeks_anywhere(bytes: Vec<u8>, size: u8, steps: Vec<(usize, u8)>) -> bool {
            let size = usize::from(size % 9) + 1;
            let packed = chunks(&bytes, size);
            [(packed, Codec::Deflate), (bytes.clone(), Codec::None)].into_iter().all(|(stored, codec)| {
                let starts = starts(&stored, codec);
                let mut stream = reader(stored, codec);
                steps.iter().all(|&(to, count)| {
                    let to = to % (bytes.len() + 1);
                    let position = match codec {
                        Codec::None => Position { byte: to as u64, ..Position::default() },
                        _ => {
                            // the end of a chunk and the start of the next one are the same place
                            let chunk = (to / size).min(starts.len().saturating_sub(1));
                            let chunk = chunk.saturating_sub(usize::from(count % 2 == 0 && to.is_multiple_of(size)));
                            Position {
                                chunk: starts.get(chunk).copied().unwrap_or(0),
                                byte: (to - chunk * size) as u64,
                                ..Position::default()
                            }
                        }
                    };
                    let count = usize::from(count).min(bytes.len() - to);
                    stream.seek(&position).unwrap();
                    stream.take(count).unwrap() == bytes[to..to + count]
                })
            })
        }
    }

    #[test]
    fn positions_outside_of_the_stream_are_errors() {
        for codec in [Codec::Deflate, Codec::None] {
            let stored = match codec {
                Codec::None => vec![1, 2, 3],
                _ => chunks(&[1, 2, 3], 2),
            };
            for (chunk, byte) in [(0, 4), (u64::MAX, 4), (0, u64::MAX)] {
                let position = Position {
                    chunk,
                    byte,
                    ..Position::default()
                };
                let error = reader(stored.clone(), codec).seek(&position).unwrap_err();
                assert!(matches!(
                    error.kind(),
                    ErrorKind::Corrupt | ErrorKind::Truncated
                ));
            }
            // an empty stream has no positions
            let position = Position {
                chunk: 7,
                ..Position::default()
            };
            reader(Vec::new(), codec).seek(&position).unwrap();
        }
    }

    #[test]
    fn headers_hold_length_and_originality() {
        let mut stream = reader(vec![0x0b, 0, 0, 1, 2, 3, 4, 5], Codec::Zstd);
        assert_eq!(stream.take(5).unwrap(), [1, 2, 3, 4, 5][..]);
        assert!(stream.fill(1).unwrap().is_empty());
    }

    #[test]
    fn a_chunk_longer_than_the_stream_is_an_error() {
        for stored in [vec![0x40, 0x0d, 0x03, 1], vec![0x0b, 0]] {
            let error = reader(stored, Codec::Snappy).fill(1).unwrap_err();
            assert!(matches!(
                error.kind(),
                ErrorKind::Truncated | ErrorKind::Corrupt
            ));
        }
    }

    #[test]
    fn a_chunk_beyond_the_block_size_is_an_error() {
        let mut packed = Vec::new();
        compress(Codec::Deflate, None, &[7; 5000], &mut packed).unwrap();
        let mut stored = ((packed.len() as u32) << 1).to_le_bytes()[..3].to_vec();
        stored.extend(&packed);
        assert!(reader(stored, Codec::Deflate).fill(1).is_err());
    }

    #[test]
    fn damage_is_an_error_or_other_bytes() {
        let bytes: Vec<u8> = (0..40).collect();
        let stored = chunks(&bytes, 9);
        for bit in 0..stored.len() * 8 {
            let mut damaged = stored.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let _ = reader(damaged, Codec::Deflate).skip(40);
        }
        assert!(reader(stored, Codec::Deflate).skip(41).is_err());
    }
}
