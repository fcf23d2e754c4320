//! Decrypts the modules of an encrypted file, and knows the bytes that each of them is authenticated with.
//!
//! ```text
//! GCM        length u32 | nonce 12 | ciphertext | tag 16     the length counts what follows it
//! CTR        length u32 | nonce 12 | ciphertext              pages, if the cipher is AES_GCM_CTR_V1
//! signature  nonce 12 | tag 16                               at the end of a footer that is not encrypted
//! AAD        prefix | file | kind u8 | row group i16 | column i16 | page i16
//!            footer: up to the kind; data pages and their headers: all; everything else: up to the column
//! ```
//! Keys and what was decrypted are in no error and no `Debug` output.
// spec: Encryption.md, "Additional Authenticated Data", "File Format"

use std::fmt;
use std::sync::Arc;

use aes_gcm::aead::AeadInOut;
use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::{AesGcm, KeyInit};
use bytes::Bytes;
use ctr::CtrCore;
use ctr::cipher::{
    BlockCipherEncrypt, BlockSizeUser, InnerIvInit, StreamCipher, StreamCipherCoreWrapper,
};
use ctr::flavors::Ctr32BE;

use crate::bytes::Cursor;
use crate::cipher::Key;
use crate::error::{Error, ErrorKind, Result};
use crate::parquet::encryption::{self, EncryptionAlgorithm};

/// Bytes of a module's length.
const LENGTH: usize = 4;

/// Bytes that make the encryption of each module another one.
const NONCE: usize = 12;

/// Bytes that authenticate a module.
const TAG: usize = 16;

/// Bytes before a module's ciphertext: a plaintext's byte is encrypted so far behind the module's start.
pub const MODULE_HEAD: usize = LENGTH + NONCE;

/// Bytes that a module has beside its ciphertext, if it is authenticated.
pub const MODULE_BYTES: usize = MODULE_HEAD + TAG;

/// Bytes of the signature that ends a footer which is not encrypted.
pub const SIGNATURE: usize = NONCE + TAG;

/// A part of a file that is encrypted by itself. Data pages are counted from 0 in their column chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Module {
    /// `FileMetaData`.
    Footer,
    /// A chunk's `ColumnMetaData`.
    ColumnMetaData,
    /// A data page.
    DataPage(usize),
    /// A dictionary page.
    DictionaryPage,
    /// The header of a data page.
    DataPageHeader(usize),
    /// The header of a dictionary page.
    DictionaryPageHeader,
    /// A chunk's column index.
    ColumnIndex,
    /// A chunk's offset index.
    OffsetIndex,
    /// The header of a Bloom filter.
    BloomFilterHeader,
    /// The bits of a Bloom filter.
    BloomFilterBitset,
}

impl Module {
    /// The number of its kind, and of a page.
    fn numbers(self) -> (u8, Option<usize>) {
        match self {
            Module::Footer => (0, None),
            Module::ColumnMetaData => (1, None),
            Module::DataPage(page) => (2, Some(page)),
            Module::DictionaryPage => (3, None),
            Module::DataPageHeader(page) => (4, Some(page)),
            Module::DictionaryPageHeader => (5, None),
            Module::ColumnIndex => (6, None),
            Module::OffsetIndex => (7, None),
            Module::BloomFilterHeader => (8, None),
            Module::BloomFilterBitset => (9, None),
        }
    }

    /// The specification's name of what it holds.
    fn name(self) -> &'static str {
        match self {
            Module::Footer => "FileMetaData",
            Module::ColumnMetaData => "ColumnMetaData",
            Module::DataPage(_) => "DATA_PAGE",
            Module::DictionaryPage => "DICTIONARY_PAGE",
            Module::DataPageHeader(_) | Module::DictionaryPageHeader => "PageHeader",
            Module::ColumnIndex => "ColumnIndex",
            Module::OffsetIndex => "OffsetIndex",
            Module::BloomFilterHeader => "BloomFilterHeader",
            Module::BloomFilterBitset => "BloomFilterBitset",
        }
    }

    fn is_page(self) -> bool {
        matches!(self, Module::DataPage(_) | Module::DictionaryPage)
    }
}

/// What all modules of a file have in common: the bytes that name the file, and how its pages are encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCipher {
    /// The prefix and the file's own part of the suffix.
    aad: Vec<u8>,
    /// Whether pages are encrypted without being authenticated.
    ctr_pages: bool,
}

impl FileCipher {
    /// What `algorithm` says of a file for which the reader was given the AAD prefix `given`, or none.
    ///
    /// # Errors
    /// `Encrypted`: a prefix that must be given and is not. `Corrupt`: one that is not the file's.
    /// `Unsupported`: a cipher that is not known here.
    pub fn new(algorithm: &EncryptionAlgorithm, given: Option<&[u8]>) -> Result<Self> {
        let (aes, ctr_pages) = match algorithm {
            EncryptionAlgorithm::AesGcmV1(aes) => (aes, false),
            EncryptionAlgorithm::AesGcmCtrV1(aes) => (aes, true),
            EncryptionAlgorithm::Other(id) => {
                return Err(Error::unsupported(format!("encryption algorithm {id}")));
            }
        };
        let unique = aes.aad_file_unique.as_deref().unwrap_or_default();
        Ok(FileCipher {
            aad: [prefix(aes, given)?, unique].concat(),
            ctr_pages,
        })
    }
}

/// The AAD prefix of a file: stored or given, and the same if it is both.
fn prefix<'a>(aes: &'a encryption::AesGcm, given: Option<&'a [u8]>) -> Result<&'a [u8]> {
    let stored = aes
        .aad_prefix
        .as_deref()
        .filter(|prefix| !prefix.is_empty());
    match (stored, given) {
        (Some(stored), Some(given)) if stored != given => Err(Error::corrupt(
            "the file has another AAD prefix than the one given",
        )),
        (Some(prefix), _) => Ok(prefix),
        (None, Some(given)) if aes.supply_aad_prefix == Some(true) => Ok(given),
        (None, Some(_)) => Err(Error::corrupt(
            "an AAD prefix was given and the file was written without one",
        )),
        (None, None) if aes.supply_aad_prefix == Some(true) => Err(Error::new(
            ErrorKind::Encrypted,
            "the file is encrypted with an AAD prefix that it does not hold, and none was given",
        )),
        (None, None) => Ok(&[]),
    }
}

/// Decrypts what is encrypted with one key in one file.
pub struct Cipher {
    file: FileCipher,
    aes: Box<dyn Aes>,
}

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cipher")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Cipher {
    /// With `key` in the file of `file`.
    pub fn new(file: &FileCipher, key: &Key) -> Self {
        Cipher {
            file: file.clone(),
            aes: match key {
                Key::Aes128(key) => Box::new(Modes::new(aes::Aes128::new(key.into()))),
                Key::Aes192(key) => Box::new(Modes::new(aes::Aes192::new(key.into()))),
                Key::Aes256(key) => Box::new(Modes::new(aes::Aes256::new(key.into()))),
            },
        }
    }

    /// The footer whose module begins `bytes`.
    pub fn open_footer(&self, bytes: &[u8]) -> Result<Bytes> {
        let mut footer = Vec::new();
        self.open(Module::Footer, &[], bytes, &mut footer)?;
        Ok(footer.into())
    }

    /// Whether the signature that ends `footer` is the one of what stands before it.
    pub fn verify_footer(&self, footer: &[u8]) -> Result<()> {
        let signed = footer.len().checked_sub(SIGNATURE);
        let Some((footer, signature)) = signed.map(|length| footer.split_at(length)) else {
            return Err(Error::truncated("the footer has no signature").within("FileMetaData"));
        };
        let mut cursor = Cursor::new(signature);
        let (nonce, tag): ([u8; NONCE], [u8; TAG]) = (cursor.array()?, cursor.array()?);
        let mut footer = footer.to_vec();
        let aad = self.aad(Module::Footer, &[])?;
        let expected = self.aes.seal(&nonce, &aad, &mut footer);
        let different = |tag: [u8; TAG], other: [u8; TAG]| {
            let pairs = tag.iter().zip(other);
            pairs.fold(0, |all, (a, b)| all | (a ^ b))
        };
        match expected.map(|expected| different(expected, tag)) {
            Some(0) => Ok(()),
            _ => Err(unauthentic("its signature", Module::Footer)),
        }
    }

    /// For the modules of column `column`, by its number among all leaves of the file, in a row group.
    ///
    /// # Errors
    /// Numbers that modules have no room for.
    pub fn of_chunk(self: &Arc<Self>, row_group: usize, column: usize) -> Result<ChunkCipher> {
        let [row_group, column] = [ordinal(row_group)?, ordinal(column)?];
        let mut place = [0; 4];
        place[..2].copy_from_slice(&row_group);
        place[2..].copy_from_slice(&column);
        Ok(ChunkCipher {
            cipher: Arc::clone(self),
            place,
        })
    }

    /// What authenticates a module, of the chunk at `place` or of none.
    fn aad(&self, module: Module, place: &[u8]) -> Result<Vec<u8>> {
        let (kind, page) = module.numbers();
        let mut aad = Vec::with_capacity(self.file.aad.len() + 1 + place.len() + 2);
        aad.extend_from_slice(&self.file.aad);
        aad.push(kind);
        aad.extend_from_slice(place);
        if let Some(page) = page {
            aad.extend_from_slice(&ordinal(page)?);
        }
        Ok(aad)
    }

    /// Decrypts the module that begins `bytes` into `out`, and answers how many bytes it has.
    fn open(&self, module: Module, place: &[u8], bytes: &[u8], out: &mut Vec<u8>) -> Result<usize> {
        let site = |error: Error| error.at(module.name(), 0);
        let mut cursor = Cursor::new(bytes);
        let length = cursor.u32_le().map_err(site)? as usize;
        let mut cursor = Cursor::new(cursor.take(length).map_err(site)?);
        let short = || {
            site(Error::corrupt(format!(
                "an encrypted module of {length} bytes"
            )))
        };
        let nonce = cursor.array::<NONCE>().map_err(|_| short())?;
        out.clear();
        if self.file.ctr_pages && module.is_page() {
            out.extend_from_slice(cursor.rest());
            self.aes.stream(&nonce, out).map_err(site)?;
            return Ok(LENGTH + length);
        }
        let (text, tag) = cursor.rest().split_last_chunk::<TAG>().ok_or_else(short)?;
        out.extend_from_slice(text);
        match self.aes.open(&nonce, &self.aad(module, place)?, out, tag) {
            true => Ok(LENGTH + length),
            false => {
                out.clear();
                Err(unauthentic("its authentication tag", module))
            }
        }
    }
}

/// A number in an AAD.
fn ordinal(number: usize) -> Result<[u8; 2]> {
    let number = i16::try_from(number).map_err(|_| {
        Error::corrupt(format!(
            "number {number} of an encrypted part exceeds 16 bits"
        ))
    })?;
    Ok(number.to_le_bytes())
}

#[cold]
fn unauthentic(what: &str, module: Module) -> Error {
    let message = format!("does not match {what}: another key or AAD prefix, or changed bytes");
    Error::corrupt(message).at(module.name(), 0)
}

/// Decrypts the modules of a column chunk.
#[derive(Debug, Clone)]
pub struct ChunkCipher {
    cipher: Arc<Cipher>,
    /// Row group and column, as they are in the AAD.
    place: [u8; 4],
}

impl ChunkCipher {
    /// Decrypts the module that begins `bytes` into `out`, in place of what that held, and answers how many
    /// bytes the module has.
    pub fn open(&self, module: Module, bytes: &[u8], out: &mut Vec<u8>) -> Result<usize> {
        self.cipher.open(module, &self.place, bytes, out)
    }

    /// What `decode` makes of the module that begins `bytes`, and how many bytes the module has. Offsets of
    /// errors count from its start.
    pub fn decode<T>(
        &self,
        module: Module,
        bytes: &[u8],
        decode: impl FnOnce(&Bytes) -> Result<T>,
    ) -> Result<(T, usize)> {
        let mut plain = Vec::new();
        let length = self.open(module, bytes, &mut plain)?;
        let value = decode(&plain.into()).map_err(|error| inside(error, module))?;
        Ok((value, length))
    }

    /// Whether an encrypted page begins `bytes` and ends with them.
    pub fn fills(bytes: &[u8]) -> bool {
        let length = Cursor::new(bytes).u32_le();
        length.is_ok_and(|length| length as usize == bytes.len() - LENGTH)
    }
}

/// An error inside of a module that was whole: no more bytes of the file would mend it.
fn inside(error: Error, module: Module) -> Error {
    let site = error.site();
    let structure = site.structure.unwrap_or(module.name());
    let offset = site.offset.unwrap_or(0).saturating_add(MODULE_HEAD as u64);
    match error.kind() {
        ErrorKind::Truncated => Error::corrupt(error.message().to_owned()).at(structure, offset),
        _ => error.rebase(MODULE_HEAD as u64).at(structure, offset),
    }
}

/// AES with a key.
trait Aes: Send + Sync {
    /// Decrypts in place, unless `tag` is not the one of these bytes.
    fn open(&self, nonce: &[u8; NONCE], aad: &[u8], bytes: &mut [u8], tag: &[u8; TAG]) -> bool;

    /// The tag of these bytes, which are encrypted; none of more bytes than there can be.
    fn seal(&self, nonce: &[u8; NONCE], aad: &[u8], bytes: &mut [u8]) -> Option<[u8; TAG]>;

    /// Decrypts in place without authentication.
    fn stream(&self, nonce: &[u8; NONCE], bytes: &mut [u8]) -> Result<()>;
}

/// Both modes of a block cipher.
struct Modes<B> {
    gcm: AesGcm<B, U12>,
    block: B,
}

impl<B> Modes<B>
where
    B: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + Clone,
{
    fn new(block: B) -> Self {
        Modes {
            gcm: AesGcm::from(block.clone()),
            block,
        }
    }
}

impl<B> Aes for Modes<B>
where
    B: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + Send + Sync,
{
    fn open(&self, nonce: &[u8; NONCE], aad: &[u8], bytes: &mut [u8], tag: &[u8; TAG]) -> bool {
        let opened = self
            .gcm
            .decrypt_inout_detached(nonce.into(), aad, bytes.into(), tag.into());
        opened.is_ok()
    }

    fn seal(&self, nonce: &[u8; NONCE], aad: &[u8], bytes: &mut [u8]) -> Option<[u8; TAG]> {
        let tag = self
            .gcm
            .encrypt_inout_detached(nonce.into(), aad, bytes.into());
        tag.ok().map(Into::into)
    }

    fn stream(&self, nonce: &[u8; NONCE], bytes: &mut [u8]) -> Result<()> {
        let mut iv = [0; 16];
        iv[..NONCE].copy_from_slice(nonce);
        iv[15] = 1;
        let core = CtrCore::<_, Ctr32BE>::inner_iv_init(&self.block, &iv.into());
        StreamCipherCoreWrapper::from_core(core)
            .try_apply_keystream(bytes)
            .map_err(|_| Error::limit("an encrypted page of 64 GiB"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::encryption::AesGcm as Parameters;

    /// What the modules below hold: 37 bytes, in page 258 of row group 1, column 2.
    const PLAIN: &[u8] = b"a module of 37 bytes, more than 2 AES";
    const PAGE: Module = Module::DataPage(258);

    /// PLAIN in AES_GCM_V1 and AES_GCM_CTR_V1 with keys of 16, 24 and 32 bytes, computed by OpenSSL.
    const MODULES: [[&str; 2]; 3] = [
        [
            "41000000101112131415161718191a1bf56fe46d3e66ea3864dffb43f493ec14192dd114c58bc36ad7452dae8818a38fd777c70117c0a23067501c2586e0f1672522cab34d",
            "31000000101112131415161718191a1b8e171b362be0648de4d0fc92fcb5bd79ed3bec717633eb3236d5bd17afc5a2565279f522ba",
        ],
        [
            "41000000101112131415161718191a1b62c7fd6c6ce3a6d9377c5fed56e01734164351116580de968cbe63a959768b4daded7c07018c4b8a6c35066ca6637eb17e78dde70b",
            "31000000101112131415161718191a1be7cd08a4111c93343d8a99e70fe8b0a87a93f57024b6a7d3657619b90db659765d1775271a",
        ],
        [
            "41000000101112131415161718191a1ba1c4a8882c2025e19603349632a5696dbdc68ab30a84c91619f7dd45769039ce220476f29c48421ee7df10a34539f8f589d767f4c4",
            "31000000101112131415161718191a1bddc0579326e92fc40aca07c8ca2de37ab990a094647524ebc40972c269f3272ff692ae8575",
        ],
    ];

    /// PLAIN as a footer of a file without a prefix, and the signature it would have.
    const FOOTER: &str = "41000000101112131415161718191a1bf56fe46d3e66ea3864dffb43f493ec14192dd114c58bc36ad7452dae8818a38fd777c70117a9d20cee2b1deebd1bb4a1fdbc14ec60";
    const SIGNED: &str = "101112131415161718191a1ba9d20cee2b1deebd1bb4a1fdbc14ec60";

    fn bytes(hex: &str) -> Vec<u8> {
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(digit).collect()
    }

    fn key(length: usize) -> Key {
        let byte = |at: usize| (7 * at + length) as u8;
        Key::new(&(0..length).map(byte).collect::<Vec<_>>()).unwrap()
    }

    fn parameters(prefix: Option<&'static [u8]>) -> Parameters {
        Parameters {
            aad_prefix: prefix.map(Bytes::from_static),
            aad_file_unique: Some(Bytes::from_static(&[1, 2, 3, 4, 5, 6, 7, 8])),
            supply_aad_prefix: None,
        }
    }

    fn cipher(ctr: bool, prefix: Option<&'static [u8]>, key: &Key) -> Arc<Cipher> {
        let algorithm = match ctr {
            false => EncryptionAlgorithm::AesGcmV1(parameters(prefix)),
            true => EncryptionAlgorithm::AesGcmCtrV1(parameters(prefix)),
        };
        let file = FileCipher::new(&algorithm, None).unwrap();
        Arc::new(Cipher::new(&file, key))
    }

    const PREFIX: Option<&[u8]> = Some(b"orders/2026");

    fn open(cipher: &ChunkCipher, module: Module, bytes: &[u8]) -> Result<Vec<u8>> {
        let mut out = vec![0xee; 3];
        cipher.open(module, bytes, &mut out).map(|length| {
            assert_eq!(
                length,
                LENGTH + u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize
            );
            out
        })
    }

    #[test]
    fn pages_decrypt_with_keys_of_every_length_in_both_modes() {
        for (length, modules) in [16, 24, 32].into_iter().zip(MODULES) {
            for (ctr, module) in [false, true].into_iter().zip(modules) {
                let cipher = cipher(ctr, PREFIX, &key(length)).of_chunk(1, 2).unwrap();
                let mut module = bytes(module);
                assert!(ChunkCipher::fills(&module));
                assert_eq!(open(&cipher, PAGE, &module).unwrap(), PLAIN);
                module.push(0);
                assert!(!ChunkCipher::fills(&module));
                assert_eq!(open(&cipher, PAGE, &module).unwrap(), PLAIN);
            }
        }
    }

    #[test]
    fn footers_decrypt_and_signatures_are_verified() {
        let own = cipher(true, None, &key(16));
        assert_eq!(own.open_footer(&bytes(FOOTER)).unwrap(), PLAIN);
        let signed = [PLAIN, &bytes(SIGNED)].concat();
        own.verify_footer(&signed).unwrap();
        for other in [cipher(true, None, &key(24)), cipher(true, PREFIX, &key(16))] {
            assert_eq!(
                other.open_footer(&bytes(FOOTER)).unwrap_err().kind(),
                ErrorKind::Corrupt
            );
            assert_eq!(
                other.verify_footer(&signed).unwrap_err().kind(),
                ErrorKind::Corrupt
            );
        }
        for at in 0..signed.len() {
            let mut changed = signed.clone();
            changed[at] ^= 1;
            assert!(own.verify_footer(&changed).is_err());
            assert!(own.verify_footer(&signed[..at]).is_err());
        }
    }

    #[test]
    fn a_module_is_refused_in_any_other_place() {
        let module = bytes(MODULES[0][0]);
        let all = cipher(false, PREFIX, &key(16));
        let own = all.of_chunk(1, 2).unwrap();
        for place in [(1, 1), (2, 2), (2, 1), (0, 2)] {
            let other = all.of_chunk(place.0, place.1).unwrap();
            assert_eq!(
                open(&other, PAGE, &module).unwrap_err().kind(),
                ErrorKind::Corrupt
            );
        }
        for other in [
            Module::DataPage(257),
            Module::DataPageHeader(258),
            Module::DictionaryPage,
            Module::DictionaryPageHeader,
            Module::ColumnMetaData,
            Module::ColumnIndex,
            Module::OffsetIndex,
            Module::BloomFilterHeader,
            Module::BloomFilterBitset,
            Module::Footer,
        ] {
            let error = open(&own, other, &module).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert_eq!(error.site().structure, Some(other.name()));
        }
        let unnamed = cipher(false, None, &key(16)).of_chunk(1, 2).unwrap();
        assert!(open(&unnamed, PAGE, &module).is_err());
    }

    #[test]
    fn every_cut_and_flip_of_an_authenticated_module_is_an_error() {
        let module = bytes(MODULES[2][0]);
        let cipher = cipher(false, PREFIX, &key(32)).of_chunk(1, 2).unwrap();
        for at in 0..module.len() {
            let cut = open(&cipher, PAGE, &module[..at]).unwrap_err();
            assert_eq!(cut.kind(), ErrorKind::Truncated);
            for bit in 0..8 {
                let mut changed = module.clone();
                changed[at] ^= 1 << bit;
                assert!(open(&cipher, PAGE, &changed).is_err());
            }
        }
        for length in 0..(NONCE + TAG) as u32 {
            let short = [&length.to_le_bytes()[..], &[7; 64]].concat();
            assert_eq!(
                open(&cipher, PAGE, &short).unwrap_err().kind(),
                ErrorKind::Corrupt
            );
        }
    }

    #[test]
    fn only_pages_do_without_a_tag() {
        let module = bytes(MODULES[1][1]);
        let own = cipher(true, PREFIX, &key(24)).of_chunk(1, 2).unwrap();
        assert_eq!(open(&own, Module::DictionaryPage, &module).unwrap(), PLAIN);
        assert!(open(&own, Module::DataPageHeader(258), &module).is_err());
        let gcm = cipher(false, PREFIX, &key(24)).of_chunk(1, 2).unwrap();
        assert!(open(&gcm, PAGE, &module).is_err());
    }

    #[test]
    fn what_is_wrong_inside_of_a_module_is_never_truncated() {
        let module = bytes(MODULES[0][0]);
        let cipher = cipher(false, PREFIX, &key(16)).of_chunk(1, 2).unwrap();
        let decode = |error: fn() -> Error| {
            let decoded = cipher.decode(PAGE, &module, |plain| {
                assert_eq!(plain, PLAIN);
                Err::<(), _>(error())
            });
            decoded.unwrap_err()
        };
        let error = decode(|| Error::truncated("cut").at("PageHeader", 5));
        assert_eq!(
            (error.kind(), error.site().offset),
            (ErrorKind::Corrupt, Some(21))
        );
        let error = decode(|| Error::unsupported("new"));
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(error.site().structure, Some("DATA_PAGE"));
        let (value, length) = cipher
            .decode(PAGE, &module, |plain| Ok(plain.len()))
            .unwrap();
        assert_eq!((value, length), (37, module.len()));
    }

    #[test]
    fn prefixes_must_be_the_file_s() {
        let kind = |stored, supply, given: Option<&[u8]>| {
            let algorithm = EncryptionAlgorithm::AesGcmV1(Parameters {
                supply_aad_prefix: supply,
                ..parameters(stored)
            });
            FileCipher::new(&algorithm, given).map_err(|error| error.kind())
        };
        let named = kind(PREFIX, None, None).unwrap();
        assert_eq!(named.aad, b"orders/2026\x01\x02\x03\x04\x05\x06\x07\x08");
        assert_eq!(kind(PREFIX, Some(false), PREFIX), Ok(named.clone()));
        assert_eq!(kind(None, Some(true), PREFIX), Ok(named));
        assert_eq!(kind(PREFIX, None, Some(b"other")), Err(ErrorKind::Corrupt));
        assert_eq!(kind(None, None, PREFIX), Err(ErrorKind::Corrupt));
        assert_eq!(kind(None, Some(true), None), Err(ErrorKind::Encrypted));
        let future = FileCipher::new(&EncryptionAlgorithm::Other(3), None).unwrap_err();
        assert_eq!(future.kind(), ErrorKind::Unsupported);
    }

    #[test]
    fn numbers_have_sixteen_bits() {
        let cipher = cipher(false, None, &key(16));
        assert!(cipher.of_chunk(32_768, 0).is_err() && cipher.of_chunk(0, 70_000).is_err());
        let cipher = cipher.of_chunk(32_767, 32_767).unwrap();
        let page = Module::DataPage(32_768);
        let error = open(&cipher, page, &bytes(MODULES[0][0])).unwrap_err();
        assert!(error.message().contains("16 bits"));
    }

    #[test]
    fn keys_have_three_lengths_and_are_not_shown() {
        for length in 0..40 {
            let key = Key::new(&vec![0x61; length]);
            assert_eq!(key.is_ok(), [16, 24, 32].contains(&length));
            let shown = format!("{key:?}");
            assert!(!shown.contains("97") && !shown.contains("61"), "{shown}");
        }
        let shown = format!("{:?}", cipher(true, None, &key(16)));
        assert!(
            shown.contains("ctr_pages: true") && !shown.contains("aes"),
            "{shown}"
        );
    }
}
