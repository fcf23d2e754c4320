//! Lists of the compact protocol, each in the kind of memory that suits its elements.
//!
//! A struct of a single byte in the file may be large in memory. So the memory of all lists is limited by the
//! length of the metadata, and a failed allocation is an error.
// spec: thrift-compact-protocol.md, "List and Set"

use super::{InPlace, Reader, Structure, Wire};
use crate::error::{Error, Result};
use crate::limits::Limits;

/// How many elements are read before memory for all is reserved.
const FEW: usize = 64;

/// Bytes of an element that costs little to move.
const SMALL: usize = 32;

impl Reader<'_> {
    /// A list whose elements are all of `wire`.
    pub(crate) fn list_of<T>(
        &mut self,
        wire: Wire,
        mut element: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let count = self.list_head(wire)?;
        self.spend::<T>(count)?;
        let start = self.position();
        let mut list = Vec::with_capacity(count.min(FEW));
        for index in 0..count {
            if index == FEW {
                self.reserve_others(&mut list, start, count);
            }
            let element = element(self)?;
            Limits::push(&mut list, element)?;
        }
        Ok(list)
    }

    /// How many elements follow, which are all of `wire`.
    #[inline]
    pub(crate) fn list_head(&mut self, wire: Wire) -> Result<usize> {
        // the usual form: a few elements of the expected type
        if let [head @ ..0xf0, rest @ ..] = self.cursor.rest() {
            let count = usize::from(head >> 4);
            if head & 0x0f == wire.id() && count * wire.least_bytes() <= rest.len() {
                self.cursor.take(1)?;
                return Ok(count);
            }
        }
        self.any_list_head(wire)
    }

    fn any_list_head(&mut self, wire: Wire) -> Result<usize> {
        let position = self.position();
        let (found, count) = self.list()?;
        if count > 0 && !found.is_alike(wire) {
            return Err(Error::corrupt(format!(
                "a list of {found:?} where one of {wire:?} is expected"
            ))
            .at("thrift", position as u64));
        }
        Ok(count)
    }

    /// A list of structs.
    pub(crate) fn structures<T: Structure>(&mut self) -> Result<Vec<T>> {
        self.list_of(Wire::Struct, T::decode_from)
    }

    /// A list of structs, each decoded in place.
    pub(crate) fn structures_in_place<T: InPlace>(&mut self) -> Result<Vec<T>> {
        let count = self.list_head(Wire::Struct)?;
        self.elements_in_place(count, |reader, _, element: &mut T| {
            element.decode_into(reader)
        })
    }

    /// `count` elements, which `decode` reads in place, each with its index.
    pub(crate) fn elements_in_place<T: Default>(
        &mut self,
        count: usize,
        mut decode: impl FnMut(&mut Self, usize, &mut T) -> Result<()>,
    ) -> Result<Vec<T>> {
        self.spend::<T>(count)?;
        let start = self.position();
        let mut list = Vec::with_capacity(count.min(FEW));
        for index in 0..count {
            if index == FEW {
                self.reserve_others(&mut list, start, count);
            }
            if list.len() == list.capacity() {
                let room = list.try_reserve(1);
                room.map_err(|_| Error::limit("there is no memory for a list"))?;
            }
            match size_of::<T>() {
                0..=SMALL => list.push(T::default()),
                // created in its place; `push` would move it
                _ => list.resize_with(index + 1, T::default),
            }
            if let Some(last) = list.last_mut() {
                decode(self, index, last)?;
            }
        }
        Ok(list)
    }

    /// Reserves memory for the rest of `count` elements, but for no more than the bytes left can hold if they are
    /// as long as those read since `start`.
    fn reserve_others<T>(&self, list: &mut Vec<T>, start: usize, count: usize) {
        let size = (self.position() - start).div_ceil(list.len()).max(1);
        let more = (count - list.len()).min(self.cursor.remaining() / size);
        // on failure the list grows element by element: it may turn out that less is needed
        let _ = list.try_reserve_exact(more);
    }

    /// An empty list with memory for exactly `count` elements.
    pub(crate) fn room<T>(&mut self, count: usize) -> Result<Vec<T>> {
        self.spend::<T>(count)?;
        let mut list = Vec::new();
        let room = list.try_reserve_exact(count);
        room.map_err(|_| Error::limit("there is no memory for a list"))?;
        Ok(list)
    }

    /// Counts the memory of `count` elements against what the lists of this metadata may take.
    fn spend<T>(&mut self, count: usize) -> Result<()> {
        match self.left.checked_sub(count.saturating_mul(size_of::<T>())) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(
                Error::limit(format!("{count} elements are too large when decoded"))
                    .at("thrift", self.position() as u64),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Writer;
    use super::*;
    use crate::error::ErrorKind;

    fn reader(bytes: &[u8]) -> Reader<'_> {
        Reader::new(bytes, &Limits::default())
    }

    #[test]
    fn lists_of_next_to_nothing_are_held_against_memory() {
        let list = |count: usize, head: u8| {
            let mut bytes = vec![head];
            crate::bytes::put_varint(&mut bytes, count as u64);
            bytes.extend(std::iter::repeat_n(0, count));
            bytes
        };
        let few = list(1000, 0xfc);
        let many = list(200_000, 0xfc);
        type Group = crate::parquet::row_group::RowGroup;
        type Chunk = crate::parquet::row_group::ColumnChunk;
        assert_eq!(reader(&few).structures::<Empty>().unwrap().len(), 1000);
        for error in [
            reader(&many).structures::<Group>().err(),
            reader(&many).structures_in_place::<Chunk>().err(),
            reader(&many).structures::<Empty>().err(),
        ] {
            assert_eq!(error.unwrap().kind(), ErrorKind::LimitExceeded);
        }
        let numbers = list(200_000, 0xf5);
        let wide = |reader: &mut Reader<'_>| reader.i32().map(|_| [0u64; 16]);
        let listed = reader(&numbers).list_of(Wire::I32, wide);
        assert_eq!(listed.unwrap_err().kind(), ErrorKind::LimitExceeded);
        assert_eq!(
            reader(&numbers)
                .list_of(Wire::I32, Reader::i32)
                .unwrap()
                .len(),
            200_000
        );
    }

    /// A structure without fields that takes 256 bytes.
    #[derive(Debug)]
    struct Empty(#[expect(dead_code, reason = "it only takes room")] [u64; 32]);

    impl Structure for Empty {
        fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
            reader.skip(Wire::Struct).map(|()| Empty([0; 32]))
        }

        fn encode_to(&self, _: &mut Writer<'_>) {}
    }
}
