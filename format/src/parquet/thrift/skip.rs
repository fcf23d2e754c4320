//! Skips values. They are not interpreted, but every length is checked: it decides where the next value begins.
// spec: thrift-compact-protocol.md

use std::ops::Range;

use super::{Reader, Wire, beyond, deeper, slice};
use crate::bytes::Cursor;
use crate::error::Result;

impl Reader<'_> {
    /// Skips a value of type `wire`.
    pub(crate) fn skip(&mut self, wire: Wire) -> Result<()> {
        self.skip_within(wire, self.limits.depth, &mut |_, _| ())
    }

    /// As [`skip`](Self::skip); `trace` is called with every scalar value and its range.
    pub(super) fn skip_traced(
        &mut self,
        wire: Wire,
        trace: &mut impl FnMut(Wire, Range<usize>),
    ) -> Result<()> {
        self.skip_within(wire, self.limits.depth, trace)
    }

    fn skip_within(
        &mut self,
        wire: Wire,
        depth: usize,
        trace: &mut impl FnMut(Wire, Range<usize>),
    ) -> Result<()> {
        match wire {
            Wire::List | Wire::Set | Wire::Map | Wire::Struct => {
                let depth = deeper(depth)?;
                match wire {
                    Wire::Struct => self.skip_struct(depth, trace),
                    Wire::Map => self.skip_map(depth, trace),
                    _ => self.skip_list(depth, trace),
                }
            }
            _ => {
                let start = self.position();
                skip_scalar(&mut self.cursor, wire)?;
                trace(wire, start..self.position());
                Ok(())
            }
        }
    }

    fn skip_struct(
        &mut self,
        depth: usize,
        trace: &mut impl FnMut(Wire, Range<usize>),
    ) -> Result<()> {
        let mut last = 0i16;
        loop {
            let head = self.cursor.u8()?;
            if head == 0 {
                return Ok(());
            }
            let position = self.position() - 1;
            last = match head >> 4 {
                0 => self.i16()?,
                delta => last
                    .checked_add(i16::from(delta))
                    .ok_or_else(|| beyond("unknown", position))?,
            };
            self.skip_within(Wire::of_head(head).known(position)?, depth, trace)?;
        }
    }

    fn skip_list(
        &mut self,
        depth: usize,
        trace: &mut impl FnMut(Wire, Range<usize>),
    ) -> Result<()> {
        let (element, count) = self.list()?;
        for _ in 0..count {
            self.skip_element(element, depth, trace)?;
        }
        Ok(())
    }

    fn skip_map(&mut self, depth: usize, trace: &mut impl FnMut(Wire, Range<usize>)) -> Result<()> {
        let (key, value, count) = self.map()?;
        for _ in 0..count {
            self.skip_element(key, depth, trace)?;
            self.skip_element(value, depth, trace)?;
        }
        Ok(())
    }

    /// In a collection a boolean takes a byte.
    fn skip_element(
        &mut self,
        wire: Wire,
        depth: usize,
        trace: &mut impl FnMut(Wire, Range<usize>),
    ) -> Result<()> {
        match wire {
            Wire::True | Wire::False => self.skip_within(Wire::I8, depth, trace),
            _ => self.skip_within(wire, depth, trace),
        }
    }
}

/// A value without parts. A field's boolean takes no byte.
#[inline(always)]
pub(super) fn skip_scalar(cursor: &mut Cursor<'_>, wire: Wire) -> Result<()> {
    match wire {
        Wire::I16 | Wire::I32 | Wire::I64 => cursor.varint().map(drop),
        Wire::Binary => slice(cursor).map(drop),
        Wire::I8 => cursor.take(1).map(drop),
        Wire::Double => cursor.take(8).map(drop),
        Wire::Uuid => cursor.take(16).map(drop),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::limits::Limits;

    fn reader(bytes: &[u8]) -> Reader<'_> {
        Reader::new(bytes, &Limits::default())
    }

    #[test]
    fn every_wire_type_is_skipped_and_depth_is_limited() {
        let mut bytes = vec![0x11, 0x12, 0x13, 7, 0x14, 2, 0x15, 2, 0x16, 2, 0x17];
        bytes.extend([0; 8]);
        bytes.extend([0x18, 2, b'a', b'b', 0x19, 0x21, 1, 2, 0x1a, 0x15, 4]);
        // a map of booleans to structs, an empty map, a struct, a uuid
        bytes.extend([0x1b, 1, 0x1c, 1, 0x15, 2, 0, 0x1b, 0, 0x1c, 0x11, 0, 0x1d]);
        bytes.extend([0; 16]);
        bytes.extend([0, 0xee]);
        let mut skipped = reader(&bytes);
        skipped.skip(Wire::Struct).unwrap();
        assert_eq!(skipped.position(), bytes.len() - 1);
        let deep = [0x1c; 10_000];
        let error = reader(&deep).skip(Wire::Struct).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        let lists = [0x19; 10_000];
        let error = reader(&lists).skip(Wire::List).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }
}
