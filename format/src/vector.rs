//! Columns in memory: what readers produce, predicates judge and writers consume.
//!
//! A [`Vector`] is a type, a length, perhaps a validity bitmap and the values in one of few layouts.
//! Slots of nulls hold a zero of the layout (or any code), never something to be read.
//!
//! ```text
//! View, 16 bytes: | length u32 | up to 12 bytes, zero padded          |   length <= 12
//!                 | length u32 | first 4 bytes | buffer u32 | offset u32 |   length > 12
//! ```

use std::sync::Arc;

use bytes::Bytes;

use crate::bitmap::Bitmap;
use crate::i256::I256;
use crate::scalar::Scalar;
use crate::schema::Schema;
use crate::types::LogicalType;

/// A string or binary value: in place when short, else a reference into a shared buffer.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, align(16))]
pub struct View([u8; 16]);

impl View {
    /// The longest value held in place.
    pub const INLINE: usize = 12;

    /// A view of `value`, which lies at `offset` of buffer `buffer`; short values are copied.
    #[inline(always)]
    pub fn new(value: &[u8], buffer: u32, offset: u32) -> Self {
        let mut view = [0; 16];
        view[..4].copy_from_slice(&(value.len() as u32).to_le_bytes());
        if value.len() <= Self::INLINE {
            view[4..4 + value.len()].copy_from_slice(value);
        } else {
            view[4..8].copy_from_slice(&value[..4]);
            view[8..12].copy_from_slice(&buffer.to_le_bytes());
            view[12..].copy_from_slice(&offset.to_le_bytes());
        }
        View(view)
    }

    /// As [`View::new`], from the value's length and first 12 bytes as they lie behind each other in
    /// `window`; bytes past the end of a short value do not matter. No branch on the length's size class
    /// copies a variable number of bytes, which makes this the fast way where 16 bytes can be read.
    // inlined, so that the halves are stored where they belong: a copy of two halves just written stalls
    #[inline(always)]
    pub fn from_window(window: [u8; 16], buffer: u32, offset: u32) -> Self {
        let word = u128::from_le_bytes(window);
        let len = word as u32 as usize;
        let view = if len <= Self::INLINE {
            word & WINDOWS[len]
        } else {
            u128::from(word as u64) | u128::from(buffer) << 64 | u128::from(offset) << 96
        };
        View(view.to_le_bytes())
    }

    /// Length of the value in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.word(0) as usize
    }

    /// Whether the value is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Buffer and offset of a value that is not in place.
    #[inline]
    pub fn place(&self) -> Option<(u32, u32)> {
        (self.len() > Self::INLINE).then(|| (self.word(2), self.word(3)))
    }

    /// The same value, its buffer renumbered.
    pub fn with_buffer(mut self, buffer: u32) -> Self {
        if self.place().is_some() {
            self.0[8..12].copy_from_slice(&buffer.to_le_bytes());
        }
        self
    }

    /// The sixteen bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    fn word(&self, index: usize) -> u32 {
        let at = index * 4;
        u32::from_le_bytes([self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]])
    }
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "View({} bytes)", self.len())
    }
}

/// Masks of a window's length and first bytes, as many as the index says; a table is faster than a shift of 128 bits.
const WINDOWS: [u128; View::INLINE + 1] = {
    let mut windows = [0; View::INLINE + 1];
    let mut len = 0;
    while len <= View::INLINE {
        windows[len] = u128::MAX >> (8 * (View::INLINE - len));
        len += 1;
    }
    windows
};

/// Byte strings as views into shared buffers (pages, dictionaries).
#[derive(Debug, Clone, Default)]
pub struct ByteViews {
    /// One a value.
    pub views: Vec<View>,
    /// What the longer views point into. No buffer exceeds 4 GiB.
    pub buffers: Vec<Bytes>,
}

impl ByteViews {
    /// Value `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds or its view points outside of its buffer.
    #[inline]
    pub fn get(&self, index: usize) -> &[u8] {
        let view = &self.views[index];
        match view.place() {
            None => &view.0[4..4 + view.len()],
            Some((buffer, offset)) => {
                &self.buffers[buffer as usize][offset as usize..offset as usize + view.len()]
            }
        }
    }

    /// Copies of `values`, in one buffer.
    pub fn from_values<T: AsRef<[u8]>>(values: impl IntoIterator<Item = T>) -> Self {
        let mut out = ByteViewsBuilder::default();
        for value in values {
            out.push(value.as_ref());
        }
        out.finish()
    }

    /// The values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + '_ {
        (0..self.views.len()).map(|index| self.get(index))
    }
}

/// Collects values by copying the long ones into buffers of its own.
#[derive(Debug, Default)]
pub struct ByteViewsBuilder {
    done: ByteViews,
    open: Vec<u8>,
}

impl ByteViewsBuilder {
    const BUFFER: usize = 8 << 20;

    /// Appends a copy of `value`.
    pub fn push(&mut self, value: &[u8]) {
        if value.len() > View::INLINE {
            if !self.open.is_empty() && self.open.len() + value.len() > Self::BUFFER {
                self.close();
            }
            let view = View::new(
                value,
                self.done.buffers.len() as u32,
                self.open.len() as u32,
            );
            self.open.extend_from_slice(value);
            self.done.views.push(view);
        } else {
            self.done.views.push(View::new(value, 0, 0));
        }
    }

    fn close(&mut self) {
        self.done
            .buffers
            .push(std::mem::take(&mut self.open).into());
    }

    /// The values.
    pub fn finish(mut self) -> ByteViews {
        if !self.open.is_empty() {
            self.close();
        }
        self.done
    }
}

/// Values in one of the layouts of [`Layout`](crate::types::Layout), or an encoded form of one.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Values {
    /// Every slot is null.
    Null,
    /// One bit each.
    Boolean(Bitmap),
    /// 32-bit signed.
    I32(Vec<i32>),
    /// 64-bit signed.
    I64(Vec<i64>),
    /// 32-bit unsigned.
    U32(Vec<u32>),
    /// 64-bit unsigned.
    U64(Vec<u64>),
    /// 128-bit signed.
    I128(Vec<i128>),
    /// 256-bit signed.
    I256(Vec<I256>),
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
    /// Byte strings.
    Bytes(ByteViews),
    /// Codes into distinct-ish values that hold no nulls; a null slot's code is 0 and not to be read.
    Dictionary {
        /// One a slot, each below the number of values.
        codes: Vec<u32>,
        /// What the codes stand for, in one of the plain layouts. Shared between batches.
        values: Arc<Vector>,
    },
    /// One value for every slot (a partition column, a column the file lacks).
    Constant(Scalar),
    /// Slot `i` holds elements `offsets[i]..offsets[i + 1]`.
    List {
        /// One more than there are slots.
        offsets: Vec<u32>,
        /// The elements.
        elements: Box<Vector>,
    },
    /// Slot `i` holds entries `offsets[i]..offsets[i + 1]`.
    Map {
        /// One more than there are slots.
        offsets: Vec<u32>,
        /// The keys.
        keys: Box<Vector>,
        /// The values.
        values: Box<Vector>,
    },
    /// One vector a field, each as long as this one.
    Struct(Vec<Vector>),
    /// Slot `i` is slot `offsets[i]` of child `tags[i]`.
    Union {
        /// Which child.
        tags: Vec<u8>,
        /// Which slot of it.
        offsets: Vec<u32>,
        /// The children.
        children: Vec<Vector>,
    },
}

/// A column of a batch.
#[derive(Debug, Clone)]
pub struct Vector {
    /// What the values mean.
    pub ty: LogicalType,
    /// How many slots.
    pub len: usize,
    /// Which slots hold a value; `None` when all do. Not used by [`Values::Constant`].
    pub validity: Option<Bitmap>,
    /// The values.
    pub values: Values,
}

impl Vector {
    /// A vector whose slots all hold `value`.
    pub fn constant(ty: LogicalType, value: Scalar, len: usize) -> Self {
        Vector {
            ty,
            len,
            validity: None,
            values: Values::Constant(value),
        }
    }

    /// Whether slot `index` is null.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    #[inline]
    pub fn is_null(&self, index: usize) -> bool {
        match &self.values {
            Values::Null => true,
            Values::Constant(value) => matches!(value, Scalar::Null),
            _ => self
                .validity
                .as_ref()
                .is_some_and(|validity| !validity.get(index)),
        }
    }

    /// How many slots are null.
    pub fn null_count(&self) -> usize {
        match &self.values {
            Values::Null | Values::Constant(Scalar::Null) => self.len,
            Values::Constant(_) => 0,
            _ => self
                .validity
                .as_ref()
                .map_or(0, |validity| self.len - validity.count_ones()),
        }
    }
}

/// Rows: columns of one length.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Names and types of the columns.
    pub schema: Arc<Schema>,
    /// How many rows; meaningful without columns, too.
    pub rows: usize,
    /// One a field of the schema.
    pub columns: Vec<Vector>,
}

#[cfg(test)]
mod tests {
    use super::*;

    quickcheck::quickcheck! {
        fn a_window_makes_the_same_view(value: Vec<u8>, cut: u8, junk: Vec<u8>, place: (u32, u32)) -> bool {
            let value = &value[..value.len().min(usize::from(cut % 20))];
            let mut window = (value.len() as u32).to_le_bytes().to_vec();
            window.extend(value.iter().chain(&junk).chain(&[7; 16]));
            let window = *window.first_chunk().unwrap();
            View::from_window(window, place.0, place.1) == View::new(value, place.0, place.1)
        }
    }
}
