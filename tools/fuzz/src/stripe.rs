//! A valid file of one stripe around arbitrary streams.
//!
//! ```text
//! "ORC" | stream | .. | stripe footer | footer | postscript       with compression, both footers in original chunks
//! ```

use lith_format::orc::chunk::HEADER_BYTES;
use lith_format::orc::encoding::{CompressionKind, StreamKind, TypeKind};
use lith_format::orc::footer::{Footer, Type};
use lith_format::orc::proto::Message;
use lith_format::orc::stripe::{Stream, StripeFooter, StripeInformation};
use lith_format::orc::tail::{MAGIC, PostScript};

/// A stream's column, kind and bytes.
pub type Stored = (u32, StreamKind, Vec<u8>);

/// What the file is made of.
pub struct Stripe {
    /// The types of the columns.
    pub types: Vec<Type>,
    /// The stripe's footer, without streams.
    pub footer: StripeFooter,
    /// The streams as they are stored.
    pub streams: Vec<Stored>,
    /// The number of rows.
    pub rows: u64,
    /// The codec, and the size of its blocks.
    pub compression: (CompressionKind, u64),
}

impl Stripe {
    /// The bytes of the file.
    pub fn file(&self) -> Vec<u8> {
        let mut bytes = MAGIC.as_bytes().to_vec();
        let mut footer = self.footer.clone();
        for &(column, kind, ref stored) in &self.streams {
            bytes.extend(stored);
            let length = stored.len() as u64;
            footer.streams.push(Stream {
                kind,
                column,
                length,
            });
        }
        let offset = MAGIC.len() as u64;
        let data_length = bytes.len() as u64 - offset;
        let encoded = self.section(&footer.encode());
        bytes.extend(&encoded);
        let stripe = StripeInformation {
            offset,
            data_length,
            footer_length: encoded.len() as u64,
            number_of_rows: self.rows,
            ..StripeInformation::default()
        };
        let footer = Footer {
            header_length: offset,
            content_length: bytes.len() as u64,
            number_of_rows: Some(self.rows),
            stripes: vec![stripe],
            types: self.types.clone(),
            ..Footer::default()
        };
        let footer = self.section(&footer.encode());
        bytes.extend(&footer);
        let (compression, compression_block_size) = self.compression;
        let postscript = PostScript {
            footer_length: footer.len() as u64,
            compression,
            compression_block_size,
            version: vec![0, 12],
            magic: MAGIC.into(),
            ..PostScript::default()
        };
        let postscript = postscript.encode();
        bytes.extend(&postscript);
        bytes.push(u8::try_from(postscript.len()).expect("a postscript is short"));
        bytes
    }

    /// Bytes in chunks that are not compressed, if the file has chunks.
    fn section(&self, bytes: &[u8]) -> Vec<u8> {
        let (kind, block_size) = self.compression;
        if kind == CompressionKind::None {
            return bytes.to_vec();
        }
        let chunk = |chunk: &[u8]| {
            let header = (chunk.len() as u32) << 1 | 1;
            [&header.to_le_bytes()[..HEADER_BYTES], chunk].concat()
        };
        bytes.chunks(block_size as usize).flat_map(chunk).collect()
    }
}

/// A type of so many digits, if it is decimal.
pub fn node(kind: TypeKind, children: &[u32], (precision, scale): (u32, u32)) -> Type {
    let is_decimal = kind == TypeKind::Decimal;
    Type {
        kind,
        subtypes: children.to_vec(),
        field_names: match kind {
            TypeKind::Struct => children.iter().map(u32::to_string).collect(),
            _ => Vec::new(),
        },
        maximum_length: Some(10),
        precision: is_decimal.then_some(precision),
        scale: is_decimal.then_some(scale),
        ..Type::default()
    }
}
