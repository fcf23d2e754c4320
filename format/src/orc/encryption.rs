//! Column encryption: the footer's account of keys, masks and variants. Columns are decrypted with
//! [`cipher`](crate::orc::cipher).
// spec: ORCv1.md, "Column Encryption"

use crate::orc::encoding::{EncryptionAlgorithm, KeyProviderKind};
use crate::orc::proto::{Encoder, Field, FieldResult, Message};
use crate::orc::stripe::Stream;

/// How the unencrypted form of some columns was made unrecognisable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataMask {
    /// The kind of masking.
    pub name: String,
    /// Its parameters.
    pub mask_parameters: Vec<String>,
    /// Roots of the columns it was applied to.
    pub columns: Vec<u32>,
}

impl Message for DataMask {
    const NAME: &'static str = "DataMask";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.name = field.string()?,
            2 => field.push(&mut self.mask_parameters, field.string()?)?,
            3 => field.extend_u32(&mut self.columns)?,
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.bytes(1, Some(&self.name));
        out.repeated_bytes(2, &self.mask_parameters);
        out.packed(3, self.columns.iter().copied().map(u64::from));
    }
}

/// A master key, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncryptionKey {
    /// The name.
    pub key_name: String,
    /// The version.
    pub key_version: u32,
    /// The cipher.
    pub algorithm: EncryptionAlgorithm,
}

impl Message for EncryptionKey {
    const NAME: &'static str = "EncryptionKey";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.key_name = field.string()?,
            2 => self.key_version = field.u32()?,
            3 => self.algorithm = EncryptionAlgorithm::from_id(field.i32()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.bytes(1, Some(&self.key_name));
        out.u32(2, self.key_version);
        out.i32(3, self.algorithm.id());
    }
}

/// One subtree of columns, encrypted with one key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncryptionVariant {
    /// Column id of the subtree's root.
    pub root: u32,
    /// The master key, as an index into the keys.
    pub key: u32,
    /// The local key of the footer, encrypted.
    pub encrypted_key: Vec<u8>,
    /// Where the variant's stripe statistics are.
    pub stripe_statistics: Vec<Stream>,
    /// The variant's file statistics, encrypted.
    pub file_statistics: Vec<u8>,
}

impl Message for EncryptionVariant {
    const NAME: &'static str = "EncryptionVariant";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.root = field.u32()?,
            2 => self.key = field.u32()?,
            3 => self.encrypted_key = field.byte_vec()?,
            4 => field.push_message(&mut self.stripe_statistics)?,
            5 => self.file_statistics = field.byte_vec()?,
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.u32(1, self.root);
        out.u32(2, self.key);
        out.bytes(3, Some(&self.encrypted_key));
        out.messages(4, &self.stripe_statistics);
        out.bytes(5, Some(&self.file_statistics));
    }
}

/// All of a file's column encryption.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Encryption {
    /// Masks.
    pub mask: Vec<DataMask>,
    /// Master keys.
    pub key: Vec<EncryptionKey>,
    /// Encrypted subtrees.
    pub variants: Vec<EncryptionVariant>,
    /// Who encrypted the local keys.
    pub key_provider: KeyProviderKind,
}

impl Message for Encryption {
    const NAME: &'static str = "Encryption";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => field.push_message(&mut self.mask)?,
            2 => field.push_message(&mut self.key)?,
            3 => field.push_message(&mut self.variants)?,
            4 => self.key_provider = KeyProviderKind::from_id(field.i32()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.messages(1, &self.mask);
        out.messages(2, &self.key);
        out.messages(3, &self.variants);
        out.i32(4, self.key_provider.id());
    }
}
