//! An ORC column of any type with arbitrary streams, wrapped in a valid file: this reaches every decoder of values.
//!
//! ```text
//! | type u8 x 3 | encoding u8 x 3 | dictionary's entries u8 | rows u16 | stream | stream | ..
//! stream  | column u8 | kind u8 | length u16 | bytes |
//! ```
//! The first type is the column's, the others are its children's, if it has any.

use lith_format::bytes::Cursor;
use lith_format::error::Result;
use lith_format::orc::encoding::{CompressionKind, EncodingKind, StreamKind, TypeKind};
use lith_format::orc::footer::Type;
use lith_format::orc::stripe::{ColumnEncoding, StripeFooter};

use super::file;
use super::stripe::{Stored, Stripe, node};

/// Precision and scale of decimals.
const DIGITS: (u32, u32) = (20, 2);

pub fn column(data: &[u8]) {
    if let Ok(stripe) = stripe_of(data) {
        file::scan(&stripe.file());
    }
}

/// The input of [`column`] that has column `id` of a stripe.
pub fn seed(
    types: &[Type],
    id: usize,
    rows: u64,
    (footer, streams): (&StripeFooter, &[Stored]),
) -> Option<Vec<u8>> {
    let children = types.get(id)?.subtypes.iter().map(|&child| child as usize);
    let columns: Vec<usize> = std::iter::once(id).chain(children).take(3).collect();
    let mut kinds = [TypeKind::Int.id() as u8; 3];
    let mut encodings = [0; 3];
    let mut size = 0;
    for (place, &column) in columns.iter().enumerate() {
        kinds[place] = types.get(column)?.kind.id() as u8;
        let encoding = footer.columns.get(column)?;
        encodings[place] = encoding.kind.id() as u8;
        size = size.max(encoding.dictionary_size);
    }
    let rows = u16::try_from(rows).ok()?.to_le_bytes();
    let mut seed = [&kinds[..], &encodings, &[u8::try_from(size).ok()?], &rows].concat();
    for (column, kind, bytes) in streams {
        if let Some(place) = columns.iter().position(|&id| id == *column as usize) {
            seed.extend([place as u8 + 1, kind.id() as u8]);
            seed.extend(u16::try_from(bytes.len()).ok()?.to_le_bytes());
            seed.extend(bytes);
        }
    }
    Some(seed)
}

fn stripe_of(data: &[u8]) -> Result<Stripe> {
    let mut cursor = Cursor::new(data);
    let types = types(cursor.array()?.map(|id: u8| TypeKind::from_id(id.into())));
    let encodings: [u8; 3] = cursor.array()?;
    let size = cursor.u8()?.into();
    let rows = u16::from_le_bytes(cursor.array()?).into();
    let encoding = |id: &u8| ColumnEncoding {
        kind: EncodingKind::from_id((*id).into()),
        dictionary_size: size,
        ..ColumnEncoding::default()
    };
    let root = std::iter::once(ColumnEncoding::default());
    let columns = root.chain(encodings.iter().map(encoding));
    let footer = StripeFooter {
        columns: columns.take(types.len()).collect(),
        ..StripeFooter::default()
    };
    let mut streams = Vec::new();
    while cursor.remaining() > 0 {
        let [column, kind] = cursor.array()?;
        let length: u16 = u16::from_le_bytes(cursor.array()?);
        streams.push((
            u32::from(column) % types.len() as u32,
            StreamKind::from_id(kind.into()),
            cursor.take(length.into())?.to_vec(),
        ));
    }
    Ok(Stripe {
        types,
        footer,
        streams,
        rows,
        compression: (CompressionKind::None, 0),
    })
}

/// The types of a file with one column, of the first type; the others are its children's, if it has any.
fn types([column, first, second]: [TypeKind; 3]) -> Vec<Type> {
    let children: &[u32] = match column {
        TypeKind::List => &[2],
        TypeKind::Map | TypeKind::Struct | TypeKind::Union => &[2, 3],
        _ => &[],
    };
    let mut types = vec![
        node(TypeKind::Struct, &[1], DIGITS),
        node(column, children, DIGITS),
    ];
    for (kind, _) in [first, second].into_iter().zip(children) {
        let nested = matches!(
            kind,
            TypeKind::List | TypeKind::Map | TypeKind::Struct | TypeKind::Union
        );
        types.push(node(if nested { TypeKind::Int } else { kind }, &[], DIGITS));
    }
    types
}
