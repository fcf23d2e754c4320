//! Encrypted Parquet files, written here by a small writer of its own: read with keys and without, with wrong ones,
//! and after parts of them were swapped, changed or cut off.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

use std::sync::Arc;

use aes_gcm::aead::AeadInOut;
use aes_gcm::{Aes128Gcm, KeyInit};
use bytes::Bytes;
use lith_format::cipher::Key;
use lith_format::error::{ErrorKind, Result};
use lith_format::parquet::column_metadata::ColumnMetaData;
use lith_format::parquet::encoding::{Encoding, FieldRepetitionType, PageType, Type};
use lith_format::parquet::encryption::{
    AesGcm, ColumnCryptoMetaData, EncryptionAlgorithm, EncryptionWithColumnKey,
};
use lith_format::parquet::footer::{FileMetaData, MAGIC_ENCRYPTED, Tail};
use lith_format::parquet::page::{DataPageHeader, DataPageHeaderV2, PageHeader};
use lith_format::parquet::row_group::{ColumnChunk, RowGroup};
use lith_format::parquet::schema_element::SchemaElement;
use lith_format::render::render_json;
use lith_format::schema::LeafId;
use lith_reader::File;
use lith_reader::column::ReadContext;
use lith_reader::file::OpenOptions;
use lith_reader::keys::{Decryption, Keys};
use lith_reader::selection::Selection;
use lith_reader::source::BytesSource;

const FOOTER_KEY: [u8; 16] = *b"key of the foot.";
const COLUMN_KEY: [u8; 16] = *b"key of column c.";
const UNIQUE: &[u8] = b"file";

/// Kinds of modules.
const FOOTER: u8 = 0;
const METADATA: u8 = 1;
const PAGE: u8 = 2;
const HEADER: u8 = 4;

/// How a file is written.
#[derive(Clone, Copy, Default)]
struct Form {
    encrypted_footer: bool,
    /// Whether levels of pages V2 are not encrypted.
    clear_levels: bool,
}

/// A module: its place is a row group, a column and a page, as many as belong to its kind.
fn seal(key: &[u8; 16], kind: u8, place: &[u16], plain: &[u8]) -> Vec<u8> {
    let place = place.iter().flat_map(|number| number.to_le_bytes());
    let aad = [UNIQUE, &[kind]].concat().into_iter().chain(place);
    let aad: Vec<u8> = aad.collect();
    let nonce = [kind + 7; 12];
    let mut text = plain.to_vec();
    let cipher = Aes128Gcm::new(key.into());
    let tag = cipher.encrypt_inout_detached(&nonce.into(), &aad, text.as_mut_slice().into());
    let module = [&nonce[..], &text, &tag.unwrap()].concat();
    [&(module.len() as u32).to_le_bytes()[..], &module].concat()
}

fn header(size: usize, plain: usize, v2: bool) -> Vec<u8> {
    let header = PageHeader {
        page_type: if v2 {
            PageType::DataPageV2
        } else {
            PageType::DataPage
        },
        uncompressed_page_size: plain as i32,
        compressed_page_size: size as i32,
        crc: None,
        data_page_header: (!v2).then_some(DataPageHeader {
            num_values: 4,
            encoding: Encoding::Plain,
            definition_level_encoding: Encoding::Rle,
            repetition_level_encoding: Encoding::Rle,
            statistics: None,
        }),
        index_page_header: None,
        dictionary_page_header: None,
        data_page_header_v2: v2.then_some(DataPageHeaderV2 {
            num_values: 4,
            num_nulls: 0,
            num_rows: 4,
            encoding: Encoding::Plain,
            definition_levels_byte_length: 2,
            repetition_levels_byte_length: 0,
            is_compressed: None,
            statistics: None,
        }),
    };
    header.encode()
}

fn values(first: i32) -> Vec<u8> {
    (first..first + 4).flat_map(i32::to_le_bytes).collect()
}

/// The pieces of column `column` in a row group: of each page the header and the page. `a` is not encrypted,
/// `b` has two pages and the footer's key, `c` pages V2 and a key of its own.
fn pieces(form: Form, group: u16, column: u16) -> Vec<Vec<u8>> {
    let first = i32::from(group) * 8;
    let mut out = Vec::new();
    for page in 0..2 {
        let plain = values(first + i32::from(page) * 4);
        let place = [group, column, page];
        match column {
            0 => out.extend([header(plain.len(), plain.len(), false), plain]),
            1 => {
                let sealed = seal(&FOOTER_KEY, PAGE, &place, &plain);
                let header = header(sealed.len(), plain.len(), false);
                out.extend([seal(&FOOTER_KEY, HEADER, &place, &header), sealed]);
            }
            _ => {
                let levels = [8, 1];
                let sealed = match form.clear_levels {
                    true => [&levels[..], &seal(&COLUMN_KEY, PAGE, &place, &plain)].concat(),
                    false => seal(&COLUMN_KEY, PAGE, &place, &[&levels[..], &plain].concat()),
                };
                let header = header(sealed.len(), levels.len() + plain.len(), true);
                out.extend([seal(&COLUMN_KEY, HEADER, &place, &header), sealed]);
            }
        }
    }
    out
}

fn chunk(form: Form, (group, column): (u16, u16), place: usize, size: usize) -> ColumnChunk {
    let meta = ColumnMetaData {
        physical_type: Type::Int32,
        num_values: 8,
        data_page_offset: place as i64,
        total_compressed_size: size as i64,
        ..ColumnMetaData::default()
    };
    let mut chunk = ColumnChunk::default();
    if column == 2 {
        let sealed = seal(&COLUMN_KEY, METADATA, &[group, column], &meta.encode());
        chunk.encrypted_column_metadata = Some(sealed.into());
        chunk.crypto_metadata = Some(ColumnCryptoMetaData::EncryptionWithColumnKey(
            EncryptionWithColumnKey {
                path_in_schema: vec!["c".into()],
                key_metadata: Some(Bytes::from_static(b"kc")),
            }
            .into(),
        ));
    }
    if column == 1 {
        chunk.crypto_metadata = Some(ColumnCryptoMetaData::EncryptionWithFooterKey);
    }
    if column != 2 || !form.encrypted_footer {
        chunk.meta_data = Some(meta);
    }
    chunk
}

fn schema() -> Vec<SchemaElement> {
    let node = |name: &str, repetition| SchemaElement {
        name: name.into(),
        physical_type: Some(Type::Int32),
        repetition_type: Some(repetition),
        ..SchemaElement::default()
    };
    let root = SchemaElement {
        name: "root".into(),
        num_children: Some(3),
        ..SchemaElement::default()
    };
    vec![
        root,
        node("a", FieldRepetitionType::Required),
        node("b", FieldRepetitionType::Required),
        node("c", FieldRepetitionType::Optional),
    ]
}

/// A file of two row groups of eight rows, whose pieces between magic and footer `edit` may exchange.
fn file(form: Form, edit: impl Fn(&mut Vec<Vec<u8>>)) -> Vec<u8> {
    let (mut all, mut place) = (Vec::new(), 4);
    let group = |group: u16| {
        let columns = (0..3).map(|column| {
            let pieces = pieces(form, group, column);
            let size = pieces.iter().map(Vec::len).sum::<usize>();
            let chunk = chunk(form, (group, column), place, size);
            all.extend(pieces);
            place += size;
            chunk
        });
        RowGroup {
            columns: columns.collect(),
            num_rows: 8,
            ..RowGroup::default()
        }
    };
    let algorithm = EncryptionAlgorithm::AesGcmV1(AesGcm {
        aad_file_unique: Some(Bytes::from_static(UNIQUE)),
        ..AesGcm::default()
    });
    let footer = FileMetaData {
        num_rows: 16,
        schema: schema(),
        row_groups: [0, 1].map(group).into(),
        encryption_algorithm: (!form.encrypted_footer).then_some(algorithm),
        footer_signing_key_metadata: (!form.encrypted_footer).then_some(b"kf"[..].into()),
        ..FileMetaData::default()
    };
    edit(&mut all);
    let plain = footer.encode();
    let sealed = seal(&FOOTER_KEY, FOOTER, &[], &plain);
    let footer = match form.encrypted_footer {
        // FileCryptoMetaData with AesGcmV1 and the key metadata "kf"
        true => [b"\x1c\x1c\x28\x04file\0\0\x18\x02kf\0", &sealed[..]].concat(),
        false => [&plain, &sealed[4..16], &sealed[sealed.len() - 16..]].concat(),
    };
    let mut tail = Tail::encode(footer.len() as u32);
    if form.encrypted_footer {
        tail[4..].copy_from_slice(&MAGIC_ENCRYPTED);
    }
    [&tail[4..], &all.concat(), &footer, &tail].concat()
}

fn keys(footer: Option<&[u8; 16]>, column: Option<&[u8; 16]>) -> Decryption {
    let mut keys = Keys::default();
    let key = |bytes: &[u8; 16]| Key::new(bytes).unwrap();
    footer
        .into_iter()
        .for_each(|bytes| keys.set_footer(key(bytes)));
    column
        .into_iter()
        .for_each(|bytes| keys.set_id(b"kc", key(bytes)));
    Decryption::with_keys(keys)
}

fn both() -> Decryption {
    keys(Some(&FOOTER_KEY), Some(&COLUMN_KEY))
}

fn open(bytes: Vec<u8>, decryption: &Decryption, columns: Option<&[&str]>) -> Result<File> {
    let mut options = OpenOptions::default();
    options.decryption = decryption.clone();
    options.columns = columns.map(|names| names.iter().map(|name| (*name).into()).collect());
    options.open_source(Arc::new(BytesSource::new(bytes, "test")))
}

/// All cells of a column.
fn column(file: &File, column: usize) -> Result<String> {
    let mut out = String::new();
    for group in 0..file.row_groups() {
        let mut reader = file.column(group, column, &ReadContext::default())?;
        let rows = file.rows_of(group) as usize;
        let vector = reader.read(&Selection::all(rows))?;
        for row in 0..rows {
            render_json(&vector, row, &mut out);
            out.push(' ');
        }
    }
    Ok(out)
}

const CELLS: &str = "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 ";

fn forms() -> impl Iterator<Item = Form> {
    [(false, false), (false, true), (true, false), (true, true)]
        .into_iter()
        .map(|(encrypted_footer, clear_levels)| Form {
            encrypted_footer,
            clear_levels,
        })
}

/// What reading each column gives: nothing if it has the right cells.
fn outcomes(bytes: Vec<u8>, decryption: &Decryption) -> [Option<ErrorKind>; 3] {
    let file = match open(bytes, decryption, None) {
        Ok(file) => file,
        Err(error) => return [Some(error.kind()); 3],
    };
    [0, 1, 2].map(|index| match column(&file, index) {
        Ok(cells) => {
            assert_eq!(cells, CELLS);
            None
        }
        Err(error) => Some(error.kind()),
    })
}

#[test]
fn columns_read_as_far_as_their_keys_are_given() {
    let locked = Some(ErrorKind::Encrypted);
    for form in forms() {
        let bytes = file(form, |_| {});
        assert_eq!(outcomes(bytes.clone(), &both()), [None; 3]);
        let footer = keys(Some(&FOOTER_KEY), None);
        assert_eq!(outcomes(bytes.clone(), &footer), [None, None, locked]);
        let without = match form.encrypted_footer {
            true => [[locked; 3]; 2],
            false => [[None, locked, locked], [None, locked, None]],
        };
        assert_eq!(outcomes(bytes.clone(), &Decryption::default()), without[0]);
        assert_eq!(outcomes(bytes, &keys(None, Some(&COLUMN_KEY))), without[1]);
    }
}

#[test]
fn a_projected_column_keeps_its_number() {
    for form in forms() {
        let file = open(file(form, |_| {}), &both(), Some(&["c"])).unwrap();
        assert_eq!(column(&file, 0).unwrap(), CELLS);
    }
}

#[test]
fn metadata_and_page_headers_are_decrypted() {
    for form in forms() {
        let file = open(file(form, |_| {}), &both(), None).unwrap();
        let parquet = file.parquet().unwrap();
        for leaf in [0, 1, 2].map(LeafId) {
            let chunk = parquet.chunk_meta(1, leaf).unwrap();
            assert!(chunk.compressed_bytes.is_some() && chunk.distrust.is_none());
            let limits = file.limits();
            let mut walk = parquet.walk(file.source().as_ref(), &limits);
            let pages = walk.chunk(1, leaf).unwrap();
            let rows: Vec<_> = pages
                .filter_map(|page| page.unwrap().data.map(|data| data.rows))
                .collect();
            assert_eq!(rows, [Some(0..4), Some(4..8)]);
        }
        let whole = parquet.whole_footer().unwrap();
        let algorithm = whole.encryption_algorithm.unwrap();
        assert_eq!(algorithm.name(), "AES_GCM_V1");
        let meta = whole.row_groups[0].columns[2].meta_data.as_ref();
        assert_eq!(meta.unwrap().num_values, 8);
    }
}

#[test]
fn wrong_keys_are_told() {
    let wrong = [7; 16];
    let corrupt = Some(ErrorKind::Corrupt);
    for form in forms() {
        let bytes = file(form, |_| {});
        let footer = keys(Some(&wrong), Some(&COLUMN_KEY));
        assert_eq!(outcomes(bytes.clone(), &footer), [corrupt; 3]);
        let column = keys(Some(&FOOTER_KEY), Some(&wrong));
        assert_eq!(outcomes(bytes.clone(), &column), [None, None, corrupt]);
        let mut prefixed = both();
        prefixed.aad_prefix = Some(b"other".to_vec());
        assert_eq!(outcomes(bytes, &prefixed), [corrupt; 3]);
    }
}

#[test]
fn swapped_modules_are_told() {
    // per row group: a's two headers and pages, b's, c's
    for (one, other, column) in [
        (4, 6, 1),
        (5, 7, 1),
        (5, 17, 1),
        (4, 16, 1),
        (8, 10, 2),
        (9, 11, 2),
        (21, 23, 2),
        (9, 21, 2),
    ] {
        for form in forms() {
            let bytes = file(form, |pieces| pieces.swap(one, other));
            let mut expected = [None; 3];
            expected[column] = Some(ErrorKind::Corrupt);
            assert_eq!(outcomes(bytes, &both()), expected, "{one} {other}");
        }
    }
}

#[test]
fn no_cut_or_flip_changes_encrypted_values() {
    for form in forms() {
        let bytes = file(form, |_| {});
        for end in 0..bytes.len() {
            assert!(open(bytes[..end].to_vec(), &both(), None).is_err());
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            let Ok(file) = open(changed, &both(), None) else {
                continue;
            };
            // levels in the clear are not authenticated
            let protected = if form.clear_levels { 1..2 } else { 1..3 };
            for index in protected {
                if let Ok(cells) = column(&file, index) {
                    assert_eq!(cells, CELLS, "byte {at}");
                }
            }
            let _ = column(&file, 2);
        }
    }
}

/// The files of parquet-testing hold dictionaries, strings, levels and all kinds of columns.
#[test]
fn no_flip_in_a_file_of_another_writer_changes_authenticated_values() {
    let Some(shared) = std::env::var_os("LITH_SHARED") else {
        eprintln!("LITH_SHARED is not set: the encrypted files of the corpus are not changed");
        return;
    };
    let folder = std::path::Path::new(&shared).join("corpus/parquet/encrypted");
    let mut known = Keys::default();
    for (id, key) in [
        ("kf", b"0123456789012345"),
        ("kc1", b"1234567890123450"),
        ("kc2", b"1234567890123451"),
    ] {
        known.set_id(id.as_bytes(), Key::new(key).unwrap());
    }
    let decryption = Decryption::with_keys(known);
    for (name, authenticated) in [
        ("uniform_encryption.parquet.encrypted", true),
        ("encrypt_columns_and_footer_ctr.parquet.encrypted", false),
    ] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let all = |bytes: Vec<u8>| -> Result<Vec<String>> {
            let file = open(bytes, &decryption, None)?;
            (0..file.schema().fields.len())
                .map(|index| column(&file, index))
                .collect()
        };
        let expected = all(bytes.clone()).unwrap();
        let mut refused = 0;
        for at in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            match all(changed) {
                Err(_) => refused += 1,
                Ok(cells) => assert!(!authenticated || cells == expected, "{name}, byte {at}"),
            }
        }
        assert!(refused > bytes.len() / 12, "{name}: {refused}");
    }
}
