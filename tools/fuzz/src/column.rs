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
use lith_format::orc::footer::{Footer, Metadata, Type};
use lith_format::orc::proto::Message;
use lith_format::orc::stripe::{ColumnEncoding, Stream, StripeFooter, StripeInformation};
use lith_format::orc::tail::{MAGIC, PostScript, Tail};

use super::file;

/// A stream's column, kind and bytes.
pub type Stored = (u32, StreamKind, Vec<u8>);

pub fn column(data: &[u8]) {
    if let Ok(bytes) = file_around(data) {
        file::scan(&bytes);
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

fn file_around(data: &[u8]) -> Result<Vec<u8>> {
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
    let mut footer = StripeFooter {
        columns: columns.take(types.len()).collect(),
        ..StripeFooter::default()
    };
    let mut bytes = MAGIC.as_bytes().to_vec();
    while cursor.remaining() > 0 {
        let [column, kind] = cursor.array()?;
        let length: u16 = u16::from_le_bytes(cursor.array()?);
        bytes.extend(cursor.take(length.into())?);
        footer.streams.push(Stream {
            kind: StreamKind::from_id(kind.into()),
            column: u32::from(column) % types.len() as u32,
            length: length.into(),
        });
    }
    finish(bytes, &footer, rows, types)
}

/// Completes a file of one stripe: `bytes` end with its streams.
fn finish(
    mut bytes: Vec<u8>,
    footer: &StripeFooter,
    rows: u64,
    types: Vec<Type>,
) -> Result<Vec<u8>> {
    let offset = MAGIC.len() as u64;
    let data_length = bytes.len() as u64 - offset;
    let encoded = footer.encode();
    bytes.extend(&encoded);
    let stripe = StripeInformation {
        offset,
        data_length,
        footer_length: encoded.len() as u64,
        number_of_rows: rows,
        ..StripeInformation::default()
    };
    let footer = Footer {
        header_length: offset,
        content_length: bytes.len() as u64,
        number_of_rows: Some(rows),
        stripes: vec![stripe],
        types,
        ..Footer::default()
    };
    let postscript = PostScript {
        compression: CompressionKind::None,
        version: vec![0, 12],
        magic: MAGIC.into(),
        ..PostScript::default()
    };
    bytes.extend(Tail::encode(&Metadata::default(), &footer, postscript)?);
    Ok(bytes)
}

/// The types of a file with one column, of the first type; the others are its children's, if it has any.
fn types([column, first, second]: [TypeKind; 3]) -> Vec<Type> {
    let children: &[u32] = match column {
        TypeKind::List => &[2],
        TypeKind::Map | TypeKind::Struct | TypeKind::Union => &[2, 3],
        _ => &[],
    };
    let mut types = vec![node(TypeKind::Struct, &[1]), node(column, children)];
    for (kind, _) in [first, second].into_iter().zip(children) {
        let nested = matches!(
            kind,
            TypeKind::List | TypeKind::Map | TypeKind::Struct | TypeKind::Union
        );
        types.push(node(if nested { TypeKind::Int } else { kind }, &[]));
    }
    types
}

fn node(kind: TypeKind, children: &[u32]) -> Type {
    let is_decimal = kind == TypeKind::Decimal;
    Type {
        kind,
        subtypes: children.to_vec(),
        field_names: match kind {
            TypeKind::Struct => children.iter().map(u32::to_string).collect(),
            _ => Vec::new(),
        },
        maximum_length: Some(10),
        precision: is_decimal.then_some(20),
        scale: is_decimal.then_some(2),
        ..Type::default()
    }
}
