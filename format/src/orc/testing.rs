//! Shared by the tests of ORC's metadata: a small file's metadata, and hostile variations of bytes.

use crate::limits::Limits;
use crate::orc::encoding::{CalendarKind, CompressionKind, TypeKind, WriterImplementation};
use crate::orc::footer::{Footer, Metadata, StringPair, StripeStatistics, Type, UserMetadataItem};
use crate::orc::statistics::{
    ColumnStatistics, IntegerStatistics, StringStatistics, TypeStatistics,
};
use crate::orc::stripe::StripeInformation;
use crate::orc::tail::{MAGIC, PostScript, Tail};
use crate::step::Step;

/// A type without particulars.
pub fn ty(kind: TypeKind) -> Type {
    Type {
        kind,
        ..Type::default()
    }
}

/// A struct of named children.
pub fn struct_of(children: &[(&str, u32)]) -> Type {
    Type {
        subtypes: children.iter().map(|child| child.1).collect(),
        field_names: children.iter().map(|child| child.0.to_owned()).collect(),
        ..ty(TypeKind::Struct)
    }
}

/// Statistics of three columns: a struct, integers from 1 to 9, strings from "a" to "z".
pub fn statistics() -> Vec<ColumnStatistics> {
    let of = |specific| ColumnStatistics {
        number_of_values: Some(9),
        specific,
        has_null: Some(true),
        bytes_on_disk: Some(20),
    };
    let numbers = IntegerStatistics {
        minimum: Some(1),
        maximum: Some(9),
        sum: Some(45),
    };
    let texts = StringStatistics {
        minimum: Some(b"a".to_vec()),
        maximum: Some(b"z".to_vec()),
        sum: Some(9),
        ..StringStatistics::default()
    };
    vec![
        of(None),
        of(Some(TypeStatistics::Int(numbers))),
        of(Some(TypeStatistics::String(texts))),
    ]
}

/// A footer of one stripe of ten rows, with an integer and a string column.
pub fn footer() -> Footer {
    Footer {
        header_length: 3,
        content_length: 103,
        stripes: vec![StripeInformation {
            offset: 3,
            index_length: 40,
            data_length: 40,
            footer_length: 20,
            number_of_rows: 10,
            ..StripeInformation::default()
        }],
        types: vec![
            struct_of(&[("id", 1), ("name", 2)]),
            ty(TypeKind::Int),
            Type {
                attributes: vec![StringPair {
                    key: "k".into(),
                    value: "v".into(),
                }],
                ..ty(TypeKind::String)
            },
        ],
        metadata: vec![UserMetadataItem {
            name: "who".into(),
            value: vec![0xff, 0],
        }],
        number_of_rows: Some(10),
        statistics: statistics(),
        row_index_stride: 10_000,
        writer: WriterImplementation::OrcCpp,
        encryption: None,
        calendar: CalendarKind::ProlepticGregorian,
        software_version: Some("1.2".into()),
    }
}

/// The metadata section of [`footer`]'s file.
pub fn metadata() -> Metadata {
    let stripe = StripeStatistics {
        col_stats: statistics(),
    };
    Metadata {
        stripe_stats: vec![stripe],
    }
}

/// A postscript without lengths.
pub fn postscript(compression: CompressionKind) -> PostScript {
    PostScript {
        compression,
        compression_block_size: 64,
        version: vec![0, 12],
        writer_version: Some(6),
        magic: MAGIC.into(),
        ..PostScript::default()
    }
}

/// The tail of a file of 103 bytes before it.
pub fn tail() -> Tail {
    let mut file = vec![0; 103];
    let postscript = postscript(CompressionKind::Zlib);
    file.extend(Tail::encode(&metadata(), &footer(), postscript).unwrap());
    match Tail::decode(&file, file.len() as u64, &Limits::default()).unwrap() {
        Step::Done(tail) => tail,
        Step::Need(range) => panic!("all bytes were given, not {range:?}"),
    }
}

/// Calls `accept` with every proper prefix of `bytes` and with every flip of one bit or byte.
pub fn hostile(bytes: &[u8], mut accept: impl FnMut(&[u8])) {
    for end in 0..bytes.len() {
        accept(&bytes[..end]);
    }
    let mut flipped = bytes.to_vec();
    for index in 0..bytes.len() {
        for mask in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            flipped[index] ^= mask;
            accept(&flipped);
            flipped[index] ^= mask;
        }
    }
}
