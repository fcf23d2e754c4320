//! A stripe: where it lies, and its footer, which says what streams it holds, where they lie, and how its
//! columns are encoded.
//!
//! ```text
//! stripe = stream .. stream | stripe footer
//!          in the footer's order, without gaps, index streams first
//! ```
// spec: ORCv1.md, "Stripe Footer"

use std::ops::Range;

use crate::error::{Error, Result};
use crate::orc::encoding::{EncodingKind, StreamKind};
use crate::orc::proto::{Encoder, Field, FieldResult, Message};

/// Where a stripe lies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StripeInformation {
    /// Offset of its first byte in the file.
    pub offset: u64,
    /// Bytes of its index streams.
    pub index_length: u64,
    /// Bytes of its data streams.
    pub data_length: u64,
    /// Bytes of its footer.
    pub footer_length: u64,
    /// Rows.
    pub number_of_rows: u64,
    /// The number by which its streams are encrypted; absent, it is one above its predecessor's.
    pub encrypt_stripe_id: Option<u64>,
    /// New local keys from here on, one for each encryption variant.
    pub encrypted_local_keys: Vec<Vec<u8>>,
}

impl Message for StripeInformation {
    const NAME: &'static str = "StripeInformation";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.offset = field.u64()?,
            2 => self.index_length = field.u64()?,
            3 => self.data_length = field.u64()?,
            4 => self.footer_length = field.u64()?,
            5 => self.number_of_rows = field.u64()?,
            6 => self.encrypt_stripe_id = Some(field.u64()?),
            7 => field.push(&mut self.encrypted_local_keys, field.byte_vec()?)?,
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.u64(1, self.offset);
        out.u64(2, self.index_length);
        out.u64(3, self.data_length);
        out.u64(4, self.footer_length);
        out.u64(5, self.number_of_rows);
        out.u64(6, self.encrypt_stripe_id);
        out.repeated_bytes(7, &self.encrypted_local_keys);
    }
}

impl StripeInformation {
    /// The stripe's bytes in the file, footer included. Numbers that overflow saturate; in a
    /// [`Footer`](crate::orc::footer::Footer) that passed its validation, none does.
    pub fn range(&self) -> Range<u64> {
        self.offset..self.footer_range().end
    }

    /// The footer's bytes in the file.
    pub fn footer_range(&self) -> Range<u64> {
        let index_end = self.offset.saturating_add(self.index_length);
        let start = index_end.saturating_add(self.data_length);
        start..start.saturating_add(self.footer_length)
    }
}

/// A run of bytes in a stripe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stream {
    /// What it holds; a kind of the future only takes up space.
    pub kind: StreamKind,
    /// The column id.
    pub column: u32,
    /// Bytes on disk.
    pub length: u64,
}

impl Message for Stream {
    const NAME: &'static str = "Stream";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.kind = StreamKind::from_id(field.i32()?),
            2 => self.column = field.u32()?,
            3 => self.length = field.u64()?,
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.i32(1, self.kind.id());
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

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.kind = EncodingKind::from_id(field.i32()?),
            2 => self.dictionary_size = field.u32()?,
            3 => self.bloom_encoding = Some(field.u32()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.i32(1, self.kind.id());
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

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => field.push_message(&mut self.streams)?,
            2 => field.push_message(&mut self.encoding)?,
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

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => field.push_message(&mut self.streams)?,
            2 => field.push_message(&mut self.columns)?,
            3 => self.writer_timezone = Some(field.string()?),
            4 => field.push_message(&mut self.encryption)?,
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

/// A stream and its place in the file.
pub type Placed<'a> = (&'a Stream, Range<u64>);

impl StripeFooter {
    /// Holds the footer against its stripe and the number of columns: one encoding for each column,
    /// streams of columns that exist, which together fit the stripe.
    pub fn validate(&self, stripe: &StripeInformation, columns: usize) -> Result<()> {
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

    /// Every stream with its place in the file. Of a footer that passed [`StripeFooter::validate`],
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

    /// The streams of each encryption variant with their places in the file. Of all variants together, indexes fill
    /// the place of encrypted indexes, the others that of encrypted data. The footer has passed
    /// [`StripeFooter::validate`].
    ///
    /// # Errors
    /// Places that are too small.
    pub fn encrypted_ranges(&self, stripe: &StripeInformation) -> Result<Vec<Vec<Placed<'_>>>> {
        let place = |kind| {
            let mut streams = self.stream_ranges(stripe);
            let found = streams.find(|(stream, _)| stream.kind == kind);
            found.map_or(0..0, |(_, range)| range)
        };
        let mut index = place(StreamKind::EncryptedIndex);
        let mut data = place(StreamKind::EncryptedData);
        let mut range_of = |stream: &Stream| {
            let free = match stream.kind.is_index() {
                true => &mut index,
                false => &mut data,
            };
            let start = free.start;
            free.start = start.checked_add(stream.length)?;
            (free.start <= free.end || stream.length == 0).then_some(start..free.start)
        };
        let ranges = self.encryption.iter().map(|variant| {
            let streams = variant.streams.iter();
            let streams = streams.map(|stream| Some((stream, range_of(stream)?)));
            streams.collect::<Option<Vec<_>>>()
        });
        ranges.collect::<Option<_>>().ok_or_else(|| {
            Error::corrupt("encrypted streams are longer than their place")
                .at("StripeFooter", stripe.footer_range().start)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::limits::Limits;
    use crate::orc::testing::{footer, hostile};

    fn sample() -> StripeFooter {
        let stream = |kind, column, length| Stream {
            kind,
            column,
            length,
        };
        let encoding = |kind, dictionary_size| ColumnEncoding {
            kind,
            dictionary_size,
            bloom_encoding: None,
        };
        StripeFooter {
            streams: vec![
                stream(StreamKind::RowIndex, 1, 40),
                stream(StreamKind::Unknown(77), 1, 10),
                stream(StreamKind::Data, 2, 30),
            ],
            columns: vec![
                encoding(EncodingKind::Direct, 0),
                encoding(EncodingKind::DirectV2, 0),
                encoding(EncodingKind::DictionaryV2, 7),
            ],
            writer_timezone: Some("Europe/Paris".into()),
            encryption: vec![StripeEncryptionVariant {
                streams: vec![stream(StreamKind::Data, 1, 5)],
                encoding: vec![ColumnEncoding {
                    bloom_encoding: Some(1),
                    ..ColumnEncoding::default()
                }],
            }],
        }
    }

    #[test]
    fn streams_follow_one_another_and_unknown_kinds_take_up_space() {
        let stripe = &footer().stripes[0];
        let sample = sample();
        sample.validate(stripe, 3).unwrap();
        let ranges: Vec<_> = sample
            .stream_ranges(stripe)
            .map(|(_, range)| range)
            .collect();
        assert_eq!(ranges, [3..43, 43..53, 53..83]);
        assert_eq!(stripe.footer_range(), 83..103);
    }

    #[test]
    fn encrypted_streams_fill_their_places_variant_by_variant() {
        let stream = |kind, length| Stream {
            kind,
            column: 1,
            length,
        };
        let variant = |index, data| StripeEncryptionVariant {
            streams: vec![
                stream(StreamKind::RowIndex, index),
                stream(StreamKind::Present, 0),
                stream(StreamKind::Data, data),
            ],
            encoding: Vec::new(),
        };
        let mut footer = StripeFooter {
            streams: vec![
                stream(StreamKind::RowIndex, 40),
                stream(StreamKind::EncryptedIndex, 5),
                stream(StreamKind::Data, 10),
                stream(StreamKind::EncryptedData, 7),
            ],
            encryption: vec![variant(2, 4), variant(3, 3)],
            ..StripeFooter::default()
        };
        let stripe = StripeInformation {
            offset: 100,
            ..StripeInformation::default()
        };
        let ranges = footer.encrypted_ranges(&stripe).unwrap();
        let ranges: Vec<Vec<_>> = ranges
            .into_iter()
            .map(|streams| streams.into_iter().map(|(_, range)| range).collect())
            .collect();
        let expected = [
            [140..142, 155..155, 155..159],
            [142..145, 159..159, 159..162],
        ];
        assert_eq!(ranges, expected);
        for length in [4, u64::MAX] {
            footer.encryption[1].streams[2].length = length;
            let error = footer.encrypted_ranges(&stripe).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
        }
        footer.streams.truncate(3);
        assert!(footer.encrypted_ranges(&stripe).is_err());
    }

    #[test]
    fn footers_that_contradict_their_stripe_are_corrupt() {
        let stripe = &footer().stripes[0];
        let kind =
            |footer: &StripeFooter, columns| footer.validate(stripe, columns).unwrap_err().kind();
        let mut wrong = sample();
        assert_eq!(kind(&wrong, 4), ErrorKind::Corrupt);
        wrong.streams[0].length = u64::MAX;
        assert_eq!(kind(&wrong, 3), ErrorKind::Corrupt);
        wrong.streams[0] = Stream {
            column: 3,
            ..Stream::default()
        };
        assert_eq!(kind(&wrong, 3), ErrorKind::Corrupt);
    }

    #[test]
    fn footers_round_trip_and_no_truncation_or_flip_panics() {
        let bytes = sample().encode();
        assert_eq!(
            StripeFooter::decode(&bytes, &Limits::default()).unwrap(),
            sample()
        );
        let stripe = &footer().stripes[0];
        hostile(&bytes, |bytes| {
            let Ok(footer) = StripeFooter::decode(bytes, &Limits::default()) else {
                return;
            };
            if footer.validate(stripe, 3).is_ok() {
                let end = stripe.footer_range().start;
                assert!(
                    footer
                        .stream_ranges(stripe)
                        .all(|(_, range)| range.end <= end)
                );
            }
        });
    }
}
