//! The stripe footer: which streams a stripe holds, where they lie, and how its columns are encoded.
//!
//! ```text
//! stripe = stream .. stream | stripe footer
//!          in the footer's order, without gaps, index streams first
//! ```
//! spec: ORCv1.md, "Stripe Footer"

use std::ops::Range;

use crate::error::{Error, Result};
use crate::orc::encoding::{EncodingKind, SpecEnum, StreamKind};
use crate::orc::footer::StripeInformation;
use crate::orc::proto::{Encoder, Field, Message};

/// A run of bytes in a stripe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// What it holds; `None` for a kind of the future, which only takes up space.
    pub kind: Option<StreamKind>,
    /// The column id.
    pub column: u32,
    /// Bytes on disk.
    pub length: u64,
}

impl Default for Stream {
    fn default() -> Self {
        Stream {
            kind: Some(StreamKind::default()),
            column: 0,
            length: 0,
        }
    }
}

impl Message for Stream {
    const NAME: &'static str = "Stream";

    fn decode_field(&mut self, field: Field<'_>) -> Result<()> {
        match field.number {
            1 => self.kind = StreamKind::from_id(field.u32()?).ok(),
            2 => self.column = field.u32()?,
            3 => self.length = field.u64()?,
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.id(1, self.kind);
        out.u32(2, self.column);
        out.u64(3, self.length);
    }
}

/// How a column is encoded in a stripe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnEncoding {
    /// The encoding.
    pub kind: EncodingKind,
    /// Entries of the dictionary, if there is one.
    pub dictionary_size: u32,
    /// How Bloom filters hash timestamps: 1 is in UTC (ORC-135), absent or 0 the original.
    pub bloom_encoding: Option<u32>,
}

impl Message for ColumnEncoding {
    const NAME: &'static str = "ColumnEncoding";

    fn decode_field(&mut self, field: Field<'_>) -> Result<()> {
        match field.number {
            1 => self.kind = field.id()?,
            2 => self.dictionary_size = field.u32()?,
            3 => self.bloom_encoding = Some(field.u32()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.id(1, Some(self.kind));
        if self.kind.is_dictionary() || self.dictionary_size > 0 {
            out.u32(2, self.dictionary_size);
        }
        out.u32(3, self.bloom_encoding);
    }
}

/// The encrypted form of some columns of a stripe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StripeEncryptionVariant {
    /// Streams of the variant's columns.
    pub streams: Vec<Stream>,
    /// Encodings of the variant's columns, from its root on.
    pub encoding: Vec<ColumnEncoding>,
}

impl Message for StripeEncryptionVariant {
    const NAME: &'static str = "StripeEncryptionVariant";

    fn decode_field(&mut self, field: Field<'_>) -> Result<()> {
        match field.number {
            1 => self.streams.push(field.message()?),
            2 => self.encoding.push(field.message()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.messages(1, &self.streams);
        out.messages(2, &self.encoding);
    }
}

/// The directory of a stripe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StripeFooter {
    /// Streams, in the order in which they lie in the stripe.
    pub streams: Vec<Stream>,
    /// Encodings, one for each column id.
    pub columns: Vec<ColumnEncoding>,
    /// The writer's time zone, by which timestamps without a zone were stored.
    pub writer_timezone: Option<String>,
    /// Encrypted columns, one for each of the footer's variants.
    pub encryption: Vec<StripeEncryptionVariant>,
}

impl Message for StripeFooter {
    const NAME: &'static str = "StripeFooter";

    fn decode_field(&mut self, field: Field<'_>) -> Result<()> {
        match field.number {
            1 => self.streams.push(field.message()?),
            2 => self.columns.push(field.message()?),
            3 => self.writer_timezone = Some(field.string()?),
            4 => self.encryption.push(field.message()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.messages(1, &self.streams);
        out.messages(2, &self.columns);
        out.bytes(3, self.writer_timezone.as_deref());
        out.messages(4, &self.encryption);
    }
}

impl StripeFooter {
    /// Holds the footer against its stripe and the number of columns: one encoding for each column,
    /// streams of columns that exist, which together fit the stripe.
    pub fn check(&self, stripe: &StripeInformation, columns: usize) -> Result<()> {
        let corrupt = |message: String| {
            Err(Error::corrupt(message).at("StripeFooter", stripe.footer_range().start))
        };
        if self.columns.len() != columns {
            let found = self.columns.len();
            return corrupt(format!("{found} column encodings for {columns} columns"));
        }
        let mut length = 0u64;
        for stream in &self.streams {
            if stream.column as usize >= columns {
                return corrupt(format!("stream of column {} of {columns}", stream.column));
            }
            length = length.saturating_add(stream.length);
        }
        let room = stripe.index_length.saturating_add(stripe.data_length);
        if length > room {
            return corrupt(format!("streams of {length} bytes in a stripe of {room}"));
        }
        Ok(())
    }

    /// Every stream with its place in the file. Of a footer that passed [`StripeFooter::check`],
    /// all lie within the stripe.
    pub fn stream_ranges(
        &self,
        stripe: &StripeInformation,
    ) -> impl Iterator<Item = (&Stream, Range<u64>)> {
        let mut start = stripe.offset;
        self.streams.iter().map(move |stream| {
            let end = start.saturating_add(stream.length);
            (stream, std::mem::replace(&mut start, end)..end)
        })
    }
}
