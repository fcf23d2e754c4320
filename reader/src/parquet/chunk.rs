//! A column chunk as the footer describes it, unlocked as far as keys were given.
//!
//! ```text
//! not encrypted       meta_data                                    no cipher
//! footer's key        meta_data, or encrypted_column_metadata      the footer's cipher, if its key was given
//! key of its own      encrypted_column_metadata                    its own, if its key was given
//! ```
// spec: Encryption.md, "Protection of sensitive metadata"

use bytes::Bytes;
use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::parquet::cipher::{ChunkCipher, Module};
use lith_format::parquet::column_metadata::ColumnMetaData;
use lith_format::parquet::row_group::ColumnChunk;
use lith_format::parquet::schema::Leaf;

use crate::parquet::crypto::locked;
use crate::parquet::page_cipher::PageCipher;

/// What the footer says of a chunk, and what decrypts it.
pub(super) struct OpenChunk {
    /// With its metadata, if that was not encrypted or could be decrypted.
    pub(super) chunk: ColumnChunk,
    /// None if it is not encrypted, or its key was not given.
    pub(super) cipher: Option<ChunkCipher>,
}

impl OpenChunk {
    /// As the footer has it.
    pub(super) fn locked(chunk: ColumnChunk) -> Self {
        OpenChunk {
            chunk,
            cipher: None,
        }
    }

    /// Decrypts with `cipher`: the metadata now, where it is encrypted by itself.
    pub(super) fn decrypt(&mut self, cipher: ChunkCipher, limits: &Limits) -> Result<()> {
        if let Some(bytes) = &self.chunk.encrypted_column_metadata {
            let decode = |plain: &Bytes| ColumnMetaData::decode(plain, limits);
            let (meta, _) = cipher.decode(Module::ColumnMetaData, bytes, decode)?;
            self.chunk.meta_data = Some(meta);
        }
        self.cipher = Some(cipher);
        Ok(())
    }

    /// The cipher for the pages of the chunk, whose metadata is `meta`.
    pub(super) fn page_cipher(&self, meta: &ColumnMetaData) -> Option<PageCipher> {
        let cipher = self.cipher.clone();
        cipher.map(|cipher| PageCipher::of(cipher, meta))
    }

    /// The metadata of a chunk that can be read from this file with the keys that were given.
    pub(super) fn readable(&self, leaf: &Leaf) -> Result<&ColumnMetaData> {
        let chunk = &self.chunk;
        if chunk.crypto_metadata.is_some() && self.cipher.is_none() {
            return Err(locked("column is encrypted"));
        }
        let elsewhere = chunk.file_path.as_ref();
        if elsewhere.is_some_and(|path| !path.is_empty()) {
            return Err(Error::unsupported("the column lies in another file"));
        }
        match &chunk.meta_data {
            None => Err(Error::corrupt("column chunk without metadata")),
            Some(meta) if meta.physical_type != leaf.physical_type => Err(Error::corrupt(format!(
                "chunk of {} for a leaf of {}",
                meta.physical_type, leaf.physical_type
            ))),
            Some(meta) => Ok(meta),
        }
    }
}
