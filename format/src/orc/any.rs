//! Arbitrary values of every message of the metadata, for property tests.
//!
//! Lists are short and text is short, so that many messages fit a value; floats are never NaN, which
//! does not equal itself.

use quickcheck::{Arbitrary, Gen};

use crate::arbitrary::{any, choices, maybe, number};
use crate::orc::encoding::{
    CalendarKind, CompressionKind, EdgeInterpolationAlgorithm, EncodingKind, EncryptionAlgorithm,
    KeyProviderKind, StreamKind, TypeKind, WriterImplementation,
};
use crate::orc::encryption::{DataMask, Encryption, EncryptionKey, EncryptionVariant};
use crate::orc::footer::{Footer, Metadata, StringPair, StripeStatistics, Type, UserMetadataItem};
use crate::orc::index::{BloomFilter, BloomFilterIndex, RowIndex, RowIndexEntry};
use crate::orc::statistics::{
    BinaryStatistics, BoundingBox, BucketStatistics, CollectionStatistics, ColumnStatistics,
    DateStatistics, DecimalStatistics, DoubleStatistics, GeospatialStatistics, IntegerStatistics,
    StringStatistics, TimestampStatistics, TypeStatistics,
};
use crate::orc::stripe::{
    ColumnEncoding, Stream, StripeEncryptionVariant, StripeFooter, StripeInformation,
};
use crate::orc::tail::PostScript;

/// Up to three values that `make` makes.
fn few<T>(g: &mut Gen, make: impl Fn(&mut Gen) -> T) -> Vec<T> {
    (0..u8::arbitrary(g) % 4).map(|_| make(g)).collect()
}

fn text(g: &mut Gen) -> String {
    few(g, any::<char>).into_iter().collect()
}

fn bytes(g: &mut Gen) -> Vec<u8> {
    few(g, any)
}

choices! { CalendarKind CompressionKind EdgeInterpolationAlgorithm EncodingKind EncryptionAlgorithm }
choices! { KeyProviderKind StreamKind TypeKind WriterImplementation }

impl Arbitrary for PostScript {
    fn arbitrary(g: &mut Gen) -> Self {
        PostScript {
            footer_length: any(g),
            compression: any(g),
            compression_block_size: any(g),
            version: few(g, any),
            metadata_length: any(g),
            writer_version: any(g),
            stripe_statistics_length: any(g),
            magic: text(g),
        }
    }
}

impl Arbitrary for Footer {
    fn arbitrary(g: &mut Gen) -> Self {
        Footer {
            header_length: any(g),
            content_length: any(g),
            stripes: few(g, any),
            types: few(g, any),
            metadata: few(g, any),
            number_of_rows: any(g),
            statistics: few(g, any),
            row_index_stride: any(g),
            writer: any(g),
            encryption: any(g),
            calendar: any(g),
            software_version: maybe(g, text),
        }
    }
}

impl Arbitrary for StripeInformation {
    fn arbitrary(g: &mut Gen) -> Self {
        StripeInformation {
            offset: any(g),
            index_length: any(g),
            data_length: any(g),
            footer_length: any(g),
            number_of_rows: any(g),
            encrypt_stripe_id: any(g),
            encrypted_local_keys: few(g, bytes),
        }
    }
}

impl Arbitrary for Type {
    fn arbitrary(g: &mut Gen) -> Self {
        Type {
            kind: any(g),
            subtypes: few(g, any),
            field_names: few(g, text),
            maximum_length: any(g),
            precision: any(g),
            scale: any(g),
            attributes: few(g, any),
            crs: maybe(g, text),
            algorithm: any(g),
        }
    }
}

impl Arbitrary for StringPair {
    fn arbitrary(g: &mut Gen) -> Self {
        StringPair {
            key: text(g),
            value: text(g),
        }
    }
}

impl Arbitrary for UserMetadataItem {
    fn arbitrary(g: &mut Gen) -> Self {
        UserMetadataItem {
            name: text(g),
            value: bytes(g),
        }
    }
}

impl Arbitrary for Metadata {
    fn arbitrary(g: &mut Gen) -> Self {
        let stripe = |g: &mut Gen| StripeStatistics {
            col_stats: few(g, any),
        };
        Metadata {
            stripe_stats: few(g, stripe),
        }
    }
}

impl Arbitrary for StripeFooter {
    fn arbitrary(g: &mut Gen) -> Self {
        let variant = |g: &mut Gen| StripeEncryptionVariant {
            streams: few(g, any),
            encoding: few(g, any),
        };
        StripeFooter {
            streams: few(g, any),
            columns: few(g, any),
            writer_timezone: maybe(g, text),
            encryption: few(g, variant),
        }
    }
}

impl Arbitrary for Stream {
    fn arbitrary(g: &mut Gen) -> Self {
        Stream {
            kind: any(g),
            column: any(g),
            length: any(g),
        }
    }
}

impl Arbitrary for ColumnEncoding {
    fn arbitrary(g: &mut Gen) -> Self {
        ColumnEncoding {
            kind: any(g),
            dictionary_size: any(g),
            bloom_encoding: any(g),
        }
    }
}

impl Arbitrary for RowIndex {
    fn arbitrary(g: &mut Gen) -> Self {
        let entry = |g: &mut Gen| RowIndexEntry {
            positions: few(g, any),
            statistics: any(g),
        };
        RowIndex {
            entry: few(g, entry),
        }
    }
}

impl Arbitrary for BloomFilterIndex {
    fn arbitrary(g: &mut Gen) -> Self {
        let filter = |g: &mut Gen| BloomFilter {
            num_hash_functions: any(g),
            bitset: few(g, any),
            utf8bitset: maybe(g, bytes),
        };
        BloomFilterIndex {
            bloom_filter: few(g, filter),
        }
    }
}

impl Arbitrary for Encryption {
    fn arbitrary(g: &mut Gen) -> Self {
        let mask = |g: &mut Gen| DataMask {
            name: text(g),
            mask_parameters: few(g, text),
            columns: few(g, any),
        };
        let key = |g: &mut Gen| EncryptionKey {
            key_name: text(g),
            key_version: any(g),
            algorithm: any(g),
        };
        let variant = |g: &mut Gen| EncryptionVariant {
            root: any(g),
            key: any(g),
            encrypted_key: bytes(g),
            stripe_statistics: few(g, any),
            file_statistics: bytes(g),
        };
        Encryption {
            mask: few(g, mask),
            key: few(g, key),
            variants: few(g, variant),
            key_provider: any(g),
        }
    }
}

impl Arbitrary for ColumnStatistics {
    fn arbitrary(g: &mut Gen) -> Self {
        ColumnStatistics {
            number_of_values: any(g),
            specific: any(g),
            has_null: any(g),
            bytes_on_disk: any(g),
        }
    }
}

impl Arbitrary for TypeStatistics {
    fn arbitrary(g: &mut Gen) -> Self {
        use TypeStatistics as S;
        match u8::arbitrary(g) % 10 {
            0 => S::Int(IntegerStatistics {
                minimum: any(g),
                maximum: any(g),
                sum: any(g),
            }),
            1 => S::Double(DoubleStatistics {
                minimum: maybe(g, number),
                maximum: maybe(g, number),
                sum: maybe(g, number),
            }),
            2 => S::String(StringStatistics {
                minimum: maybe(g, bytes),
                maximum: maybe(g, bytes),
                sum: any(g),
                lower_bound: maybe(g, bytes),
                upper_bound: maybe(g, bytes),
            }),
            3 => S::Bucket(BucketStatistics { count: few(g, any) }),
            4 => S::Decimal(DecimalStatistics {
                minimum: maybe(g, text),
                maximum: maybe(g, text),
                sum: maybe(g, text),
            }),
            5 => S::Date(DateStatistics {
                minimum: any(g),
                maximum: any(g),
            }),
            6 => S::Binary(BinaryStatistics { sum: any(g) }),
            7 => S::Timestamp(any(g)),
            8 => S::Collection(CollectionStatistics {
                min_children: any(g),
                max_children: any(g),
                total_children: any(g),
            }),
            _ => {
                let bounds = |g: &mut Gen| [(); 8].map(|()| maybe(g, number));
                let bbox = |g: &mut Gen| Box::new(BoundingBox { bounds: bounds(g) });
                S::Geospatial(GeospatialStatistics {
                    bbox: maybe(g, bbox),
                    geospatial_types: few(g, any),
                })
            }
        }
    }
}

impl Arbitrary for TimestampStatistics {
    fn arbitrary(g: &mut Gen) -> Self {
        TimestampStatistics {
            minimum: any(g),
            maximum: any(g),
            minimum_utc: any(g),
            maximum_utc: any(g),
            minimum_nanos: any(g),
            maximum_nanos: any(g),
        }
    }
}
