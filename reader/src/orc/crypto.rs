//! The encrypted columns of a file whose keys were given: their statistics, encodings and streams take the place of
//! those of their masks.
//!
//! ```text
//! variant   columns 2..5   local key of the footer     statistics
//!                          local keys of stripes       streams, which are decrypted as they are read
//! ```
//! Of several variants of a column, the first one counts whose key is given.
// spec: ORCv1.md, "Column Encryption"

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use lith_format::cipher::{CounterMode, Iv};
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::orc::cipher::{columns, stream_iv};
use lith_format::orc::encryption::{Encryption, EncryptionKey, EncryptionVariant};
use lith_format::orc::stripe::{Stream, StripeFooter, StripeInformation};
use lith_format::orc::tail::Tail;

use crate::keys::{Decryption, MasterKey};
use crate::source::Source;

/// What decrypts the columns of a file; nothing by default.
#[derive(Debug, Default)]
pub(super) struct Crypto {
    /// The variants whose keys were given.
    variants: Vec<Variant>,
    /// The one of each column, by its place in `variants`; empty if there is none.
    of_column: Vec<Option<usize>>,
    /// The stripes of the file; empty if there are no variants.
    stripes: Vec<StripeKeys>,
}

/// An encryption variant whose key was given.
#[derive(Debug)]
struct Variant {
    /// Its number in the footer.
    ordinal: usize,
    columns: Range<u32>,
    /// The name of its master key.
    key: Arc<str>,
    /// One for each set of local keys.
    ciphers: Vec<Arc<CounterMode>>,
}

/// How the streams of a stripe are encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StripeKeys {
    /// Its number in IVs.
    id: u64,
    /// Which set of local keys is used; none if there was none so far.
    set: Option<usize>,
}

/// Decrypts a stream.
#[derive(Debug, Clone)]
pub(super) struct StreamCipher {
    cipher: Arc<CounterMode>,
    iv: Iv,
}

impl StreamCipher {
    /// Decrypts bytes that begin `offset` bytes after the start of the stream.
    pub fn decrypt(&self, offset: u64, bytes: Bytes) -> Result<Bytes> {
        let mut bytes = Vec::from(bytes);
        self.cipher.apply(&self.iv, offset, &mut bytes)?;
        Ok(bytes.into())
    }

    /// The file, of which this stream, which begins at `start`, is decrypted as it is read.
    pub fn source(&self, file: &Arc<dyn Source>, start: u64) -> Arc<dyn Source> {
        Arc::new(Decrypted {
            file: Arc::clone(file),
            cipher: self.clone(),
            start,
        })
    }
}

/// A file that is decrypted as one of its streams.
struct Decrypted {
    file: Arc<dyn Source>,
    cipher: StreamCipher,
    /// Where the stream begins.
    start: u64,
}

impl Source for Decrypted {
    fn size(&self) -> u64 {
        self.file.size()
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<Bytes> {
        let bytes = self.file.read_at(offset, len)?;
        let before = offset.checked_sub(self.start);
        let offset = before.ok_or_else(|| Error::invalid("bytes before an encrypted stream"))?;
        self.cipher.decrypt(offset, bytes)
    }

    fn name(&self) -> &Path {
        self.file.name()
    }
}

impl Crypto {
    /// Asks for the keys of a file, and decrypts the statistics in its tail.
    ///
    /// # Errors
    /// Those of the retriever; statistics that cannot be decoded after decryption, as with a wrong key.
    pub fn open(
        tail: &mut Tail,
        source: &dyn Source,
        decryption: &Decryption,
        limits: &Limits,
    ) -> Result<Self> {
        let Some(encryption) = tail.footer.encryption.clone() else {
            return Ok(Crypto::default());
        };
        let mut crypto = Crypto::default();
        let (stripes, sets) = sets(&tail.footer.stripes);
        let mut start = tail.encrypted_statistics_range().start;
        let mut statistics = Vec::new();
        let mut width = 0u64;
        for (ordinal, variant) in encryption.variants.iter().enumerate() {
            let lengths = variant.stripe_statistics.iter().map(|stream| stream.length);
            let end = lengths.fold(start, u64::saturating_add);
            let stored = std::mem::replace(&mut start, end)..end;
            let asked = Asked::new(&encryption, variant, decryption)?;
            let Some(footer) = asked.cipher(&variant.encrypted_key)? else {
                continue;
            };
            let opened = Variant {
                ordinal,
                columns: columns(&tail.footer.types, variant.root)?,
                key: asked.master.description.key_name.as_str().into(),
                ciphers: asked.ciphers(ordinal, &sets)?,
            };
            width += opened.columns.len() as u64;
            Limits::check(width, limits.schema_nodes, "number of encrypted columns")?;
            statistics.push((variant, footer, stored));
            crypto.variants.push(opened);
        }
        // the first variant of a column is the last one to replace its statistics
        for (opened, (variant, cipher, stored)) in crypto.variants.iter().zip(&statistics).rev() {
            let stored = read_statistics(tail, source, stored, limits)?;
            tail.decrypt_statistics(variant, &stored, cipher, limits)
                .map_err(|error| {
                    suspect_key(error.within("EncryptionVariant"), Some(&opened.key))
                })?;
        }
        if !crypto.variants.is_empty() {
            crypto.stripes = stripes;
            crypto.of_column = vec![None; tail.footer.types.len()];
        }
        for (place, variant) in crypto.variants.iter().enumerate() {
            for column in variant.columns.clone() {
                if let Some(of_column) = crypto.of_column.get_mut(column as usize) {
                    of_column.get_or_insert(place);
                }
            }
        }
        Ok(crypto)
    }

    /// Whether there are no columns to be decrypted.
    pub fn is_empty(&self) -> bool {
        self.variants.is_empty()
    }

    /// The name of the key with which a column is decrypted; `None` if it is not.
    pub fn key_of(&self, column: u32) -> Option<&Arc<str>> {
        Some(&self.variant_of(column)?.key)
    }

    fn variant_of(&self, column: u32) -> Option<&Variant> {
        let place = (*self.of_column.get(column as usize)?)?;
        self.variants.get(place)
    }

    /// Puts encodings and streams of decrypted columns in place of those of their masks. Answers where the streams lie
    /// and how to decrypt them.
    ///
    /// # Errors
    /// A footer that does not have them.
    pub fn unmask(
        &self,
        ordinal: usize,
        stripe: &StripeInformation,
        footer: &mut StripeFooter,
    ) -> Result<Vec<(Stream, Range<u64>, StreamCipher)>> {
        let corrupt = |message: &str| {
            let offset = stripe.footer_range().start;
            Error::corrupt(message.to_owned()).at("StripeFooter", offset)
        };
        let keys = self.stripes.get(ordinal);
        let keys = keys.and_then(|keys| Some((keys.id, keys.set?)));
        let (id, set) = keys.ok_or_else(|| corrupt("encrypted columns have no local keys"))?;
        let ranges = footer.encrypted_ranges(stripe)?;
        let mut streams = Vec::new();
        for variant in &self.variants {
            let cipher = variant.ciphers.get(set);
            let (Some(cipher), Some(ranges)) = (cipher, ranges.get(variant.ordinal)) else {
                return Err(corrupt("an encryption variant is missing"));
            };
            for (stream, range) in ranges {
                let of_column = self.variant_of(stream.column);
                if of_column.is_some_and(|of_column| of_column.ordinal == variant.ordinal) {
                    let cipher = StreamCipher {
                        cipher: Arc::clone(cipher),
                        iv: stream_iv(stream.column, stream.kind, id)?,
                    };
                    streams.push(((*stream).clone(), range.clone(), cipher));
                }
            }
        }
        for column in 0..footer.columns.len() {
            let Some(variant) = self.variant_of(column as u32) else {
                continue;
            };
            let encodings = footer.encryption.get(variant.ordinal);
            let place = column - variant.columns.start as usize;
            let encoding = encodings.and_then(|variant| variant.encoding.get(place));
            footer.columns[column] = encoding
                .ok_or_else(|| corrupt("an encrypted column has no encoding"))?
                .clone();
        }
        Ok(streams)
    }
}

/// The error, noting that the key of this name may be wrong if bytes were decrypted with one and are not valid.
pub(super) fn suspect_key(error: Error, key: Option<&str>) -> Error {
    match (error.kind(), key) {
        (ErrorKind::Corrupt | ErrorKind::Truncated | ErrorKind::LimitExceeded, Some(key)) => {
            error.noting(&format!("the key given for {key} may be a wrong one"))
        }
        _ => error,
    }
}

/// The statistics of a variant, as they are stored in this range.
fn read_statistics(
    tail: &Tail,
    source: &dyn Source,
    range: &Range<u64>,
    limits: &Limits,
) -> Result<Bytes> {
    let all = tail.encrypted_statistics_range();
    if range.end > all.end {
        return Err(
            Error::corrupt("statistics of stripes end after their place")
                .at("EncryptionVariant", all.start),
        );
    }
    let length = range.end - range.start;
    match Limits::check(length, limits.footer_bytes, "encrypted statistics")? {
        0 => Ok(Bytes::new()),
        length => source.read_at(range.start, length),
    }
}

/// The number of each stripe in IVs, and which set of encrypted local keys it uses; and those sets.
fn sets(stripes: &[StripeInformation]) -> (Vec<StripeKeys>, Vec<&[Vec<u8>]>) {
    let mut sets = Vec::new();
    let mut id = 0u64;
    let numbered = stripes.iter().map(|stripe| {
        id = stripe.encrypt_stripe_id.unwrap_or(id.saturating_add(1));
        if !stripe.encrypted_local_keys.is_empty() {
            sets.push(&stripe.encrypted_local_keys[..]);
        }
        StripeKeys {
            id,
            set: sets.len().checked_sub(1),
        }
    });
    (numbered.collect(), sets)
}

/// A variant whose local keys are asked for.
struct Asked<'a> {
    master: MasterKey<'a>,
    decryption: &'a Decryption,
}

impl<'a> Asked<'a> {
    fn new(
        encryption: &'a Encryption,
        variant: &EncryptionVariant,
        decryption: &'a Decryption,
    ) -> Result<Self> {
        let description: Option<&EncryptionKey> = encryption.key.get(variant.key as usize);
        let description = description
            .ok_or_else(|| Error::corrupt("there is no such key").within("EncryptionVariant"))?;
        Ok(Asked {
            master: MasterKey {
                description,
                provider: encryption.key_provider,
            },
            decryption,
        })
    }

    /// With the local key stored as `encrypted`; `None` if it cannot be had.
    fn cipher(&self, encrypted: &[u8]) -> Result<Option<CounterMode>> {
        let key = self.decryption.local_key(&self.master, encrypted)?;
        Ok(key.as_ref().map(CounterMode::new))
    }

    /// With the local key in each set of them.
    fn ciphers(&self, ordinal: usize, sets: &[&[Vec<u8>]]) -> Result<Vec<Arc<CounterMode>>> {
        let cipher = |set: &&[Vec<u8>]| {
            let encrypted = set.get(ordinal).ok_or_else(|| {
                Error::corrupt("fewer local keys than variants").within("StripeInformation")
            })?;
            let name = &self.master.description.key_name;
            let cipher = self.cipher(encrypted)?.ok_or_else(|| {
                let message = format!("key {name} was given for the footer, but not for stripes");
                Error::new(ErrorKind::Encrypted, message)
            })?;
            Ok(Arc::new(cipher))
        };
        sets.iter().map(cipher).collect()
    }
}
