//! For tests: writes files of one column, without compression, value by value.
//!
//! ```text
//! "ORC" | stripe | .. | tail      numbers as literals of the first version; PRESENT only where there are nulls
//! ```

use lith_format::orc::encoding::{CompressionKind, StreamKind};
use lith_format::orc::footer::{Footer, Metadata, StripeStatistics, Type};
use lith_format::orc::proto::Message;
use lith_format::orc::schema::encode;
use lith_format::orc::statistics::ColumnStatistics;
use lith_format::orc::stripe::{ColumnEncoding, Stream, StripeFooter, StripeInformation};
use lith_format::orc::tail::{MAGIC, PostScript, Tail};
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;

use crate::orc::encoding::boolean_rle;
use crate::orc::encoding::byte_rle::tests::encode as byte_runs;
use crate::orc::encoding::tests::literals;

/// The streams of a stripe: column, kind, bytes.
pub(crate) type Stored = Vec<(u32, StreamKind, Vec<u8>)>;

/// A file whose only column is `field`, with so many rows in a stripe.
pub(crate) fn file(field: &Field, stripes: &[&[Scalar]]) -> Vec<u8> {
    let types = encode(&Schema::new(vec![field.clone()])).unwrap();
    let mut stripe_stats = Vec::new();
    let stripes = stripes.iter().map(|rows| {
        let mut stored = Stored::new();
        let slots: Vec<&Scalar> = rows.iter().collect();
        let mut counts = vec![rows.len() as u64];
        put(field, &slots, &mut counts, &mut stored);
        let count = |count| ColumnStatistics {
            number_of_values: Some(count),
            ..ColumnStatistics::default()
        };
        stripe_stats.push(StripeStatistics {
            col_stats: counts.into_iter().map(count).collect(),
        });
        (rows.len() as u64, direct(types.len()), stored)
    });
    let stripes = stripes.collect();
    write(types, stripes, &Metadata { stripe_stats })
}

/// A footer of so many columns, all with the encoding DIRECT.
pub(crate) fn direct(columns: usize) -> StripeFooter {
    StripeFooter {
        columns: vec![ColumnEncoding::default(); columns],
        ..StripeFooter::default()
    }
}

/// A file of these types and stripes: of each, the number of rows, a footer without streams, and those.
pub(crate) fn file_of(types: Vec<Type>, stripes: Vec<(u64, StripeFooter, Stored)>) -> Vec<u8> {
    write(types, stripes, &Metadata::default())
}

fn write(
    types: Vec<Type>,
    stripes: Vec<(u64, StripeFooter, Stored)>,
    metadata: &Metadata,
) -> Vec<u8> {
    let mut bytes = MAGIC.as_bytes().to_vec();
    let rows = stripes.iter().map(|stripe| stripe.0).sum();
    let stripes = stripes.into_iter();
    let stripes = stripes
        .map(|(rows, footer, stored)| stripe(&mut bytes, rows, footer, stored))
        .collect();
    let footer = Footer {
        header_length: 3,
        content_length: bytes.len() as u64,
        number_of_rows: Some(rows),
        stripes,
        types,
        ..Footer::default()
    };
    let postscript = PostScript {
        compression: CompressionKind::None,
        version: vec![0, 12],
        magic: MAGIC.into(),
        ..PostScript::default()
    };
    bytes.extend(Tail::encode(metadata, &footer, postscript).unwrap());
    bytes
}

fn stripe(
    bytes: &mut Vec<u8>,
    rows: u64,
    mut footer: StripeFooter,
    stored: Stored,
) -> StripeInformation {
    let offset = bytes.len() as u64;
    for (column, kind, stored) in stored {
        let length = stored.len() as u64;
        footer.streams.push(Stream {
            kind,
            column,
            length,
        });
        bytes.extend(stored);
    }
    let data_length = bytes.len() as u64 - offset;
    let footer = footer.encode();
    bytes.extend(&footer);
    StripeInformation {
        offset,
        data_length,
        footer_length: footer.len() as u64,
        number_of_rows: rows,
        ..StripeInformation::default()
    }
}

/// Writes the streams of a column and its descendants for its slots. `counts` has the number of values of each
/// column so far.
fn put(field: &Field, slots: &[&Scalar], counts: &mut Vec<u64>, out: &mut Stored) {
    let id = counts.len() as u32;
    let valid: Vec<bool> = slots.iter().map(|slot| !slot.is_null()).collect();
    counts.push(valid.iter().filter(|valid| **valid).count() as u64);
    if valid.contains(&false) {
        out.push((id, StreamKind::Present, boolean_rle::tests::encode(&valid)));
    }
    let mut data = Vec::new();
    let mut lengths = Vec::new();
    let mut below = vec![Vec::new(); field.ty.fields().len()];
    for slot in slots.iter().filter(|slot| !slot.is_null()) {
        match slot {
            Scalar::List(elements) => {
                lengths.push(elements.len() as i64);
                below[0].extend(elements);
            }
            Scalar::Map(entries) => {
                lengths.push(entries.len() as i64);
                below[0].extend(entries.iter().map(|entry| &entry.0));
                below[1].extend(entries.iter().map(|entry| &entry.1));
            }
            Scalar::Struct(fields) => {
                let fields = below.iter_mut().zip(fields);
                fields.for_each(|(below, field)| below.push(&field.1));
            }
            Scalar::Union(tag, value) => {
                data.push(*tag);
                below[usize::from(*tag)].push(value);
            }
            Scalar::Int(value) => data.extend(literals(&[*value], true)),
            value => {
                let value = value.as_bytes().unwrap();
                lengths.push(value.len() as i64);
                data.extend(value);
            }
        }
    }
    if let LogicalType::Union(_) = field.ty {
        data = byte_runs(&data);
    }
    out.push((id, StreamKind::Data, data));
    out.push((id, StreamKind::Length, literals(&lengths, false)));
    for (child, slots) in field.ty.fields().iter().zip(below) {
        put(child, &slots, counts, out);
    }
}
