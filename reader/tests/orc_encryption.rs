//! ORC files with encrypted columns, written here by a small writer of its own and by Java: read with keys and
//! without, with wrong ones, and damaged.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

#[path = "support/foreign.rs"]
mod foreign;
#[expect(dead_code, reason = "other tests compare single columns")]
#[path = "support/render.rs"]
mod render;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use lith_format::bytes::{put_varint, zigzag};
use lith_format::cipher::{CounterMode, Key};
use lith_format::error::{ErrorKind, Result};
use lith_format::filter::{CompareOp, Filter};
use lith_format::orc::chunk::{Compression, encode};
use lith_format::orc::cipher::{local_key, stream_iv};
use lith_format::orc::encoding::{
    CompressionKind, EncryptionAlgorithm, KeyProviderKind, StreamKind, TypeKind,
};
use lith_format::orc::encryption::{Encryption, EncryptionKey, EncryptionVariant};
use lith_format::orc::footer::{Footer, Metadata, StripeStatistics, Type};
use lith_format::orc::proto::Message;
use lith_format::orc::statistics::{ColumnStatistics, IntegerStatistics, TypeStatistics};
use lith_format::orc::stripe::{
    ColumnEncoding, Stream, StripeEncryptionVariant, StripeFooter, StripeInformation,
};
use lith_format::orc::tail::{MAGIC, PostScript, Tail};
use lith_format::scalar::Scalar;
use lith_format::schema::LeafId;
use lith_reader::File;
use lith_reader::file::OpenOptions;
use lith_reader::keys::{Decryption, Keys};
use lith_reader::source::BytesSource;
use render::rows;

/// Name, cipher, master key and columns of each variant: `a` is column 1, `s` with `x` and `y` are columns 2 to 4.
const VARIANTS: [(&str, EncryptionAlgorithm, &[u8], Range<u32>); 2] = [
    ("k1", EncryptionAlgorithm::AesCtr128, &[1; 16], 1..2),
    ("k2", EncryptionAlgorithm::AesCtr256, &[2; 32], 2..5),
];

/// Three rows of each of two stripes.
const ROWS: [&str; 6] = [
    r#"{"a":10,"s":{"x":11,"y":12},"b":13}"#,
    r#"{"a":20,"s":{"x":21,"y":22},"b":23}"#,
    r#"{"a":30,"s":{"x":31,"y":32},"b":33}"#,
    r#"{"a":40,"s":{"x":41,"y":42},"b":43}"#,
    r#"{"a":50,"s":{"x":51,"y":52},"b":53}"#,
    r#"{"a":60,"s":{"x":61,"y":62},"b":63}"#,
];

fn key_of(variant: usize) -> EncryptionKey {
    EncryptionKey {
        key_name: VARIANTS[variant].0.into(),
        key_version: 0,
        algorithm: VARIANTS[variant].1,
    }
}

/// The stored form of the local key with this number, and what encrypts with it.
fn local(variant: usize, number: u8) -> (Vec<u8>, CounterMode) {
    let master = Key::new(VARIANTS[variant].2).unwrap();
    let stored: Vec<u8> = (number..).take(master.bytes().len()).collect();
    let key = local_key(&master, &key_of(variant), KeyProviderKind::Hadoop, &stored);
    (stored, CounterMode::new(&key.unwrap()))
}

/// Three numbers as literals of the first version.
fn literals(first: i64) -> Vec<u8> {
    let mut bytes = vec![253];
    (0..3).for_each(|row| put_varint(&mut bytes, zigzag(first + row * 10)));
    bytes
}

fn stats(first: i64, last: i64) -> ColumnStatistics {
    ColumnStatistics {
        number_of_values: Some(3),
        specific: Some(TypeStatistics::Int(IntegerStatistics {
            minimum: Some(first),
            maximum: Some(last),
            sum: None,
        })),
        ..ColumnStatistics::default()
    }
}

/// The smallest number of a column in a stripe; column 2 is the struct.
fn first(column: u32, stripe: usize) -> i64 {
    let place = [0, 10, 0, 11, 12, 13][column as usize];
    place + 30 * stripe as i64
}

struct Writer {
    compression: Compression,
    bytes: Vec<u8>,
}

impl Writer {
    /// The bytes of a section, encrypted if that is asked for.
    fn section(&self, plain: &[u8], cipher: Option<(&CounterMode, [u8; 16])>) -> Vec<u8> {
        let mut out = Vec::new();
        encode(plain, self.compression, None, &mut out).unwrap();
        if let Some((cipher, iv)) = cipher {
            cipher.apply(&iv, 0, &mut out).unwrap();
        }
        out
    }

    fn put(&mut self, (kind, column): (StreamKind, u32), stored: &[u8]) -> Stream {
        self.bytes.extend(stored);
        let length = stored.len() as u64;
        Stream {
            kind,
            column,
            length,
        }
    }

    /// A stripe with a number in IVs, whose local keys have this number.
    fn stripe(&mut self, ordinal: usize, id: u64, keys: u8) -> StripeInformation {
        let offset = self.bytes.len() as u64;
        let nulls = self.section(&[255, 0], None);
        let mut streams: Vec<Stream> = [1, 2]
            .map(|column| self.put((StreamKind::Present, column), &nulls))
            .into();
        let plain = self.section(&literals(first(5, ordinal)), None);
        streams.push(self.put((StreamKind::Data, 5), &plain));
        let start = self.bytes.len();
        let mut encryption = Vec::new();
        for (variant, (.., columns)) in VARIANTS.iter().enumerate() {
            let (_, cipher) = local(variant, keys);
            let mut of_variant = Vec::new();
            for column in columns.clone().filter(|&column| column != 2) {
                let iv = stream_iv(column, StreamKind::Data, id).unwrap();
                let data = literals(first(column, ordinal));
                let stored = self.section(&data, Some((&cipher, iv)));
                of_variant.push(self.put((StreamKind::Data, column), &stored));
            }
            encryption.push(StripeEncryptionVariant {
                streams: of_variant,
                encoding: vec![ColumnEncoding::default(); columns.len()],
            });
        }
        streams.push(Stream {
            kind: StreamKind::EncryptedData,
            column: 0,
            length: (self.bytes.len() - start) as u64,
        });
        let data_length = self.bytes.len() as u64 - offset;
        let footer = StripeFooter {
            streams,
            columns: vec![ColumnEncoding::default(); 6],
            writer_timezone: None,
            encryption,
        };
        let footer = self.section(&footer.encode(), None);
        self.bytes.extend(&footer);
        StripeInformation {
            offset,
            data_length,
            footer_length: footer.len() as u64,
            number_of_rows: 3,
            encrypt_stripe_id: Some(id),
            encrypted_local_keys: (0..2).map(|variant| local(variant, keys).0).collect(),
            ..StripeInformation::default()
        }
    }

    /// A variant with its statistics, of which those of stripes are written.
    fn variant(&mut self, number: usize) -> EncryptionVariant {
        let columns = VARIANTS[number].3.clone();
        let (encrypted_key, cipher) = local(number, 77);
        let of_file = columns
            .clone()
            .map(|column| stats(first(column, 0), first(column, 1) + 20));
        let of_file = StripeStatistics {
            col_stats: of_file.collect(),
        };
        let iv = stream_iv(columns.start, StreamKind::FileStatistics, 3).unwrap();
        let file_statistics = self.section(&of_file.encode(), Some((&cipher, iv)));
        let kind = StreamKind::StripeStatistics;
        let of_column = |column| {
            let stripes =
                [0, 1].map(|stripe| stats(first(column, stripe), first(column, stripe) + 20));
            let stripes = StripeStatistics {
                col_stats: stripes.into(),
            };
            let iv = stream_iv(column, kind, 3).unwrap();
            let stored = self.section(&stripes.encode(), Some((&cipher, iv)));
            self.put((kind, column), &stored)
        };
        EncryptionVariant {
            root: columns.start,
            key: number as u32,
            encrypted_key,
            stripe_statistics: columns.map(of_column).collect(),
            file_statistics,
        }
    }
}

fn types() -> Vec<Type> {
    let node = |kind, children: &[(&str, u32)]| Type {
        kind,
        subtypes: children.iter().map(|child| child.1).collect(),
        field_names: children.iter().map(|child| child.0.to_owned()).collect(),
        ..Type::default()
    };
    let mut types = vec![node(TypeKind::Int, &[]); 6];
    types[0] = node(TypeKind::Struct, &[("a", 1), ("s", 2), ("b", 5)]);
    types[2] = node(TypeKind::Struct, &[("x", 3), ("y", 4)]);
    types
}

/// A file of two stripes, the second one merged from another file: with other local keys, and numbered anew.
fn file(kind: CompressionKind) -> Vec<u8> {
    let postscript = PostScript {
        compression: kind,
        compression_block_size: 64,
        version: vec![0, 12],
        writer_version: Some(9),
        magic: MAGIC.into(),
        ..PostScript::default()
    };
    let mut writer = Writer {
        compression: postscript.compression(&Default::default()).unwrap(),
        bytes: MAGIC.as_bytes().to_vec(),
    };
    let stripes = vec![writer.stripe(0, 1, 5), writer.stripe(1, 1, 99)];
    let content_length = writer.bytes.len() as u64;
    let variants: Vec<_> = [0, 1].map(|number| writer.variant(number)).into();
    let masked = vec![
        ColumnStatistics {
            number_of_values: Some(0),
            ..ColumnStatistics::default()
        };
        6
    ];
    let of_stripe = StripeStatistics {
        col_stats: masked.clone(),
    };
    let footer = Footer {
        header_length: 3,
        content_length,
        number_of_rows: Some(6),
        stripes,
        types: types(),
        statistics: masked,
        encryption: Some(Box::new(Encryption {
            key: [0, 1].map(key_of).into(),
            variants,
            key_provider: KeyProviderKind::Hadoop,
            ..Encryption::default()
        })),
        ..Footer::default()
    };
    let metadata = Metadata {
        stripe_stats: vec![of_stripe; 2],
    };
    let postscript = PostScript {
        stripe_statistics_length: writer.bytes.len() as u64 - content_length,
        ..postscript
    };
    writer
        .bytes
        .extend(Tail::encode(&metadata, &footer, postscript).unwrap());
    writer.bytes
}

fn keys(given: &[(&str, &[u8])]) -> OpenOptions {
    let mut keys = Keys::default();
    for (name, key) in given {
        keys.set_id(name.as_bytes(), Key::new(key).unwrap());
    }
    let mut options = OpenOptions::default();
    options.decryption = Decryption::with_keys(keys);
    options
}

fn all_keys() -> OpenOptions {
    keys(&VARIANTS.map(|(name, _, key, _)| (name, key)))
}

fn open(options: &OpenOptions, bytes: &[u8]) -> Result<File> {
    options.open_source(Arc::new(BytesSource::new(bytes.to_vec(), "test")))
}

fn read(options: &OpenOptions, bytes: &[u8]) -> Result<Vec<String>> {
    rows(open(options, bytes)?.scan().build()?)
}

const KINDS: [CompressionKind; 3] = [
    CompressionKind::None,
    CompressionKind::Zlib,
    CompressionKind::Zstd,
];

#[test]
fn columns_are_decrypted_with_their_keys() {
    for kind in KINDS {
        let bytes = file(kind);
        assert_eq!(read(&all_keys(), &bytes).unwrap(), ROWS, "{kind}");
        let opened = open(&keys(&[("k2@0", VARIANTS[1].2)]), &bytes).unwrap();
        let error = rows(opened.scan().build().unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Encrypted);
        assert_eq!(error.site().column.as_deref(), Some("a"));
        let others = rows(opened.scan().columns([1, 2]).build().unwrap()).unwrap();
        assert_eq!(others[5], r#"{"s":{"x":61,"y":62},"b":63}"#);
        let mut masks = keys(&[("k1", VARIANTS[0].2)]);
        masks.masks = true;
        assert_eq!(
            read(&masks, &bytes).unwrap()[0],
            r#"{"a":10,"s":null,"b":13}"#
        );
    }
}

#[test]
fn statistics_are_those_of_the_encrypted_values() {
    for kind in KINDS {
        let file = open(&all_keys(), &file(kind)).unwrap();
        let max = |group: usize, leaf: usize| {
            let stats = &file.meta().unwrap().row_groups[group].chunks[leaf].stats;
            stats.max.as_ref().map(|bound| bound.value.clone())
        };
        assert_eq!(
            [max(0, 0), max(1, 2)],
            [30, 62].map(|max| Some(Scalar::Int(max)))
        );
        let above = Filter::Compare {
            leaf: LeafId(1),
            op: CompareOp::Gt,
            value: Scalar::Int(31),
        };
        let scan = file.scan().filter(above, Vec::new()).build().unwrap();
        assert_eq!(rows(scan).unwrap(), ROWS[3..]);
        let sizes = file.full_meta().unwrap().row_groups[0].chunks[0].compressed_bytes;
        assert!(sizes.is_some_and(|size| size >= 4), "{sizes:?}");
    }
}

#[test]
fn wrong_keys_are_told_and_never_panic() {
    for kind in KINDS {
        let bytes = file(kind);
        for byte in 3..60 {
            let error = read(&keys(&[("k1", &[byte; 16])]), &bytes).unwrap_err();
            let message = error.to_string();
            assert!(
                message.contains("the key given for k1 may be a wrong one"),
                "{message}"
            );
        }
        let error = open(&keys(&[("k1", &[1; 32])]), &bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}

#[test]
fn damaged_files_are_errors_or_other_values() {
    let bytes = file(CompressionKind::Zlib);
    let mut damaged = bytes.clone();
    for at in 3..bytes.len() {
        for mask in [1, 0x80, 0xff] {
            damaged[at] ^= mask;
            let found = read(&all_keys(), &damaged);
            assert!(found.is_err() || found.unwrap().len() == 6);
            damaged[at] ^= mask;
        }
    }
}

/// The key of the Hadoop keystore that the files' authors published with them.
const PII: &str = "2f69f2d45e655936739d76de1f91baf174d53f584379e7602e5d1db913322c92";

#[test]
fn files_of_java_are_decrypted() {
    let Some(files) = foreign::files(&["corpus/orc/encrypted"]) else {
        return;
    };
    let digit = |at: usize| u8::from_str_radix(&PII[at..at + 2], 16).unwrap();
    let key: Vec<u8> = (0..PII.len()).step_by(2).map(digit).collect();
    let read = |path: &PathBuf| {
        let file = keys(&[("pii", &key)]).open(path).unwrap();
        rows(file.scan().build().unwrap()).unwrap().join(" ")
    };
    let mut found: Vec<String> = files.iter().map(read).collect();
    found.sort_unstable();
    let expected = [
        r#"{"ssn":"123456789","email":"dongjoon@apache.org","name":"Dongjoon Hyun"}"#,
        r#"{"ssn":"987654321","email":"william@apache.org","name":"William Hyun"}"#,
    ];
    assert_eq!(found, expected);
}
