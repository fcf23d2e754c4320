//! The structures that describe encryption: the algorithm, and which key each column is encrypted with.
// spec: parquet.thrift, EncryptionAlgorithm; Encryption.md

use std::fmt;

use bytes::Bytes;

use crate::error::Result;
use crate::limits::Limits;
use crate::parquet::thrift::{self, Fields, Reader, Structure, Wire, Writer};

/// The cipher of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncryptionAlgorithm {
    /// AES-GCM for everything.
    AesGcmV1(AesGcm),
    /// AES-GCM for metadata, AES-CTR for pages.
    AesGcmCtrV1(AesGcm),
    /// A member that is not known here, by its number; 0 if none is set.
    Other(i16),
}

impl EncryptionAlgorithm {
    /// The specification's name of the member, or `UNKNOWN`.
    pub fn name(&self) -> &'static str {
        match self {
            EncryptionAlgorithm::AesGcmV1(_) => "AES_GCM_V1",
            EncryptionAlgorithm::AesGcmCtrV1(_) => "AES_GCM_CTR_V1",
            EncryptionAlgorithm::Other(_) => "UNKNOWN",
        }
    }
}

impl Structure for EncryptionAlgorithm {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut algorithm = EncryptionAlgorithm::Other(0);
        let mut fields = Fields::new("EncryptionAlgorithm");
        while let Some((id, wire)) = fields.next(reader)? {
            algorithm = match (id, wire) {
                (1, Wire::Struct) => EncryptionAlgorithm::AesGcmV1(AesGcm::decode_from(reader)?),
                (2, Wire::Struct) => EncryptionAlgorithm::AesGcmCtrV1(AesGcm::decode_from(reader)?),
                _ => {
                    fields.skip(reader, wire)?;
                    EncryptionAlgorithm::Other(if wire == Wire::Struct { id } else { 0 })
                }
            };
        }
        Ok(algorithm)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        match self {
            EncryptionAlgorithm::AesGcmV1(aes) => writer.structure(1, aes),
            EncryptionAlgorithm::AesGcmCtrV1(aes) => writer.structure(2, aes),
            EncryptionAlgorithm::Other(0) => {}
            EncryptionAlgorithm::Other(id) => writer.empty(*id),
        }
    }
}

/// What authenticates the parts of an encrypted file: AesGcmV1 and AesGcmCtrV1 have the same fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AesGcm {
    /// Prefix of the additional authenticated data.
    pub aad_prefix: Option<Bytes>,
    /// The file's part of its suffix.
    pub aad_file_unique: Option<Bytes>,
    /// Whether the reader must be given the prefix.
    pub supply_aad_prefix: Option<bool>,
}

impl Structure for AesGcm {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut aes = AesGcm::default();
        let mut fields = Fields::new("AesGcm");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::Binary) => aes.aad_prefix = Some(reader.binary()?),
                (2, Wire::Binary) => aes.aad_file_unique = Some(reader.binary()?),
                (3, Wire::True | Wire::False) => aes.supply_aad_prefix = Some(wire == Wire::True),
                _ => fields.skip(reader, wire)?,
            }
        }
        Ok(aes)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.binary(1, self.aad_prefix.as_deref());
        writer.binary(2, self.aad_file_unique.as_deref());
        writer.bool(3, self.supply_aad_prefix);
    }
}

/// Which key a column is encrypted with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnCryptoMetaData {
    /// The footer's.
    EncryptionWithFooterKey,
    /// Its own.
    EncryptionWithColumnKey(Box<EncryptionWithColumnKey>),
    /// A member that is not known here, by its number; 0 if none is set.
    Other(i16),
}

impl Structure for ColumnCryptoMetaData {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut crypto = ColumnCryptoMetaData::Other(0);
        let mut fields = Fields::new("ColumnCryptoMetaData");
        while let Some((id, wire)) = fields.next(reader)? {
            crypto = match (id, wire) {
                (1, Wire::Struct) => {
                    reader.skip(wire)?;
                    ColumnCryptoMetaData::EncryptionWithFooterKey
                }
                (2, Wire::Struct) => ColumnCryptoMetaData::EncryptionWithColumnKey(
                    EncryptionWithColumnKey::decode_from(reader)?.into(),
                ),
                _ => {
                    fields.skip(reader, wire)?;
                    ColumnCryptoMetaData::Other(if wire == Wire::Struct { id } else { 0 })
                }
            };
        }
        Ok(crypto)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        match self {
            ColumnCryptoMetaData::EncryptionWithFooterKey => writer.empty(1),
            ColumnCryptoMetaData::EncryptionWithColumnKey(key) => writer.structure(2, &**key),
            ColumnCryptoMetaData::Other(0) => {}
            ColumnCryptoMetaData::Other(id) => writer.empty(*id),
        }
    }
}

/// A column's own key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct EncryptionWithColumnKey {
    /// The column.
    pub path_in_schema: Vec<String>,
    /// How to find the key.
    pub key_metadata: Option<Bytes>,
}

impl Structure for EncryptionWithColumnKey {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut key = EncryptionWithColumnKey::default();
        let mut fields = Fields::new("EncryptionWithColumnKey");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::List) => {
                    key.path_in_schema = reader.list_of(Wire::Binary, Reader::string)?;
                }
                (2, Wire::Binary) => key.key_metadata = Some(reader.binary()?),
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1])?;
        Ok(key)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.binaries(1, self.path_in_schema.as_slice());
        writer.binary(2, self.key_metadata.as_deref());
    }
}

/// What stands before an encrypted footer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCryptoMetaData {
    /// The cipher.
    pub encryption_algorithm: EncryptionAlgorithm,
    /// How to find the footer's key.
    pub key_metadata: Option<Bytes>,
}

impl FileCryptoMetaData {
    /// The structure at the start of `bytes`, and its length; the encrypted footer follows.
    pub fn decode(bytes: &Bytes, limits: &Limits) -> Result<(Self, usize)> {
        thrift::decode_shared(bytes, limits)
    }
}

/// With what, and what is said about the key: bytes that only who has the key understands.
impl fmt::Display for FileCryptoMetaData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "with {}", self.encryption_algorithm.name())?;
        let Some(key) = &self.key_metadata else {
            return Ok(());
        };
        f.write_str(" (key metadata 0x")?;
        key.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

impl Structure for FileCryptoMetaData {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut crypto = FileCryptoMetaData {
            encryption_algorithm: EncryptionAlgorithm::Other(0),
            key_metadata: None,
        };
        let mut fields = Fields::new("FileCryptoMetaData");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::Struct) => crypto.encryption_algorithm = Structure::decode_from(reader)?,
                (2, Wire::Binary) => crypto.key_metadata = Some(reader.binary()?),
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1])?;
        Ok(crypto)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.structure(1, &self.encryption_algorithm);
        writer.binary(2, self.key_metadata.as_deref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::testing;

    #[test]
    fn crypto_metadata_names_the_cipher_and_the_key() {
        let mut crypto = FileCryptoMetaData {
            encryption_algorithm: testing::algorithm(),
            key_metadata: Some(Bytes::from_static(b"kf")),
        };
        let text = "with AES_GCM_CTR_V1 (key metadata 0x6b66)";
        assert_eq!(crypto.to_string(), text);
        crypto.key_metadata = None;
        crypto.encryption_algorithm = EncryptionAlgorithm::Other(7);
        assert_eq!(crypto.to_string(), "with UNKNOWN");
    }

    #[test]
    fn crypto_metadata_survives_every_cut_and_flip() {
        testing::check(&FileCryptoMetaData {
            encryption_algorithm: testing::algorithm(),
            key_metadata: Some(Bytes::from_static(b"kf")),
        });
        testing::check(&ColumnCryptoMetaData::EncryptionWithFooterKey);
        testing::check(&ColumnCryptoMetaData::EncryptionWithColumnKey(
            EncryptionWithColumnKey {
                path_in_schema: vec!["a".into(), "b".into()],
                key_metadata: None,
            }
            .into(),
        ));
    }
}
