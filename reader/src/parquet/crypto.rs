//! The footer of a file as it is read, decrypted or verified where it can be, and the ciphers of its columns.
//!
//! ```text
//! PAR1   FileMetaData [signature]                  the signature is verified if the footer's key is given
//! PARE   FileCryptoMetaData | FileMetaData encrypted with the footer's key
//! column crypto_metadata -> the footer's cipher, or that of a key of its own
//! ```
// spec: Encryption.md, "Encrypted footer mode", "Plaintext footer mode"

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::parquet::cipher::{Cipher, FileCipher, MODULE_HEAD};
use lith_format::parquet::encryption::{
    ColumnCryptoMetaData, EncryptionAlgorithm, EncryptionWithColumnKey, FileCryptoMetaData,
};
use lith_format::parquet::footer::{TAIL_BYTES, Tail};

use crate::keys::{Decryption, KeyRequest};
use crate::source::Source;

/// How much of a file's end is read at first: most footers are within.
const FIRST_READ: u64 = 64 << 10;

/// How many ciphers of columns are kept.
const KEPT: usize = 4096;

/// A footer, not decoded.
#[derive(Debug)]
pub struct FooterBytes {
    /// Where it lies in the file, with all that the tail counts to it.
    pub range: Range<u64>,
    /// `FileMetaData`; behind it a signature, if it is signed.
    pub bytes: Bytes,
    /// Where the first of these bytes lies in the file, encrypted or not.
    pub start: u64,
    /// What decrypts the columns, if the footer was encrypted.
    pub(super) crypto: Option<Crypto>,
}

impl FooterBytes {
    /// Those at the end of `source`, in one go where they are few.
    ///
    /// # Errors
    /// `Encrypted`: the footer is, and its key was not given.
    pub fn read(source: &dyn Source, decryption: &Decryption, limits: &Limits) -> Result<Self> {
        let size = source.size();
        let first = size.min(FIRST_READ);
        let last = source.read_at(size - first, first as usize)?;
        let tail = Tail::decode(&last, size, limits)?;
        let len = (tail.footer.end - tail.footer.start) as usize;
        let end = last.len() - TAIL_BYTES;
        let bytes = match end.checked_sub(len) {
            Some(start) => last.slice(start..end),
            None => source.read_at(tail.footer.start, len)?,
        };
        match tail.encrypted {
            true => unlock(tail.footer, &bytes, decryption, limits),
            false => Ok(FooterBytes {
                start: tail.footer.start,
                range: tail.footer,
                bytes,
                crypto: None,
            }),
        }
    }
}

/// The footer that lies encrypted in `range`, where `bytes` are.
fn unlock(
    range: Range<u64>,
    bytes: &Bytes,
    decryption: &Decryption,
    limits: &Limits,
) -> Result<FooterBytes> {
    let (crypto, length) = match FileCryptoMetaData::decode(bytes, limits) {
        Ok(found) => found,
        Err(error) if decryption.keys.is_some() => return Err(error.rebase(range.start)),
        Err(_) => return Err(locked("footer is encrypted")),
    };
    let mut cipher = Crypto::new(crypto.encryption_algorithm.clone(), decryption);
    let Some(footer) = cipher.footer(crypto.key_metadata.as_deref())? else {
        return Err(locked(&format!("footer is encrypted {crypto}")));
    };
    let start = range.start + length as u64;
    let module = bytes.get(length..).unwrap_or_default();
    let plain = footer
        .open_footer(module)
        .map_err(|error| error.rebase(start))?;
    cipher.footer = Some(footer);
    Ok(FooterBytes {
        range,
        bytes: plain,
        start: start + MODULE_HEAD as u64,
        crypto: Some(cipher),
    })
}

/// That something cannot be read for want of a key.
#[cold]
pub(super) fn locked(what: &str) -> Error {
    let message = format!("the {what} and no key was given");
    Error::new(ErrorKind::Encrypted, message)
}

/// What decrypts the columns of a file.
#[derive(Debug)]
pub(super) struct Crypto {
    algorithm: EncryptionAlgorithm,
    decryption: Decryption,
    /// None if its key was not given.
    footer: Option<Arc<Cipher>>,
    /// Those of columns with keys of their own, as far as they were given.
    columns: Mutex<HashMap<EncryptionWithColumnKey, Option<Arc<Cipher>>>>,
}

impl Crypto {
    fn new(algorithm: EncryptionAlgorithm, decryption: &Decryption) -> Self {
        Crypto {
            algorithm,
            decryption: decryption.clone(),
            footer: None,
            columns: Mutex::default(),
        }
    }

    /// That of a file whose footer is `bytes`, not encrypted, and is encrypted otherwise with `algorithm`.
    ///
    /// # Errors
    /// A key was given with which the footer's signature is another one.
    pub(super) fn of_signed(
        algorithm: &EncryptionAlgorithm,
        key_metadata: Option<&[u8]>,
        bytes: &Bytes,
        decryption: &Decryption,
    ) -> Result<Self> {
        let mut crypto = Crypto::new(algorithm.clone(), decryption);
        crypto.footer = crypto.footer(key_metadata)?;
        if let Some(footer) = &crypto.footer {
            footer.verify_footer(bytes)?;
        }
        Ok(crypto)
    }

    /// The cipher of the file.
    pub(super) fn algorithm(&self) -> &EncryptionAlgorithm {
        &self.algorithm
    }

    /// What decrypts a column of which the file says `how` it is encrypted; `None` if its key was not given.
    pub(super) fn column(&self, how: &ColumnCryptoMetaData) -> Result<Option<Arc<Cipher>>> {
        let own = match how {
            ColumnCryptoMetaData::EncryptionWithFooterKey => return Ok(self.footer.clone()),
            ColumnCryptoMetaData::EncryptionWithColumnKey(own) => own.as_ref(),
            _ => return Ok(None),
        };
        let kept = || self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cipher) = kept().get(own) {
            return Ok(cipher.clone());
        }
        let (path, metadata) = (&own.path_in_schema, own.key_metadata.as_deref());
        let cipher = self.cipher(&KeyRequest::new(Some(path), metadata))?;
        let mut kept = kept();
        if kept.len() < KEPT {
            kept.insert(own.clone(), cipher.clone());
        }
        Ok(cipher)
    }

    fn footer(&self, key_metadata: Option<&[u8]>) -> Result<Option<Arc<Cipher>>> {
        self.cipher(&KeyRequest::new(None, key_metadata))
    }

    fn cipher(&self, request: &KeyRequest<'_>) -> Result<Option<Arc<Cipher>>> {
        let Some(key) = self.decryption.key(request)? else {
            return Ok(None);
        };
        let file = FileCipher::new(&self.algorithm, self.decryption.aad_prefix.as_deref())?;
        Ok(Some(Arc::new(Cipher::new(&file, &key))))
    }
}
