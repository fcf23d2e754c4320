//! Lists what is encrypted in a file of either format: columns, cipher and key metadata.
// spec: Parquet's Encryption.md; ORCv1.md, "Column Encryption"

use std::collections::{HashMap, HashSet};

use lith_format::orc::encryption::{DataMask, Encryption, EncryptionKey};
use lith_format::orc::footer::Footer;
use lith_format::parquet::encryption::{ColumnCryptoMetaData, EncryptionAlgorithm};
use lith_format::parquet::footer::FileMetaData;
use lith_format::schema::Schema;

use crate::names::shown_path;

/// Something that is encrypted or signed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Encrypted {
    /// A column, joined by dots; nothing for the footer, which is then signed, as it can be read.
    pub column: Option<String>,
    /// The cipher.
    pub algorithm: String,
    /// What the file says about the key.
    pub key: String,
    /// How the values were made unrecognisable that stand in place of the encrypted ones.
    pub mask: Option<String>,
}

/// What a Parquet footer says is encrypted.
pub fn of_parquet(footer: &FileMetaData, schema: &Schema) -> Vec<Encrypted> {
    let algorithm = footer.encryption_algorithm.as_ref();
    let algorithm = algorithm.map_or("an unknown cipher", EncryptionAlgorithm::name);
    let entry = |column, key| Encrypted {
        column,
        algorithm: algorithm.to_string(),
        key,
        mask: None,
    };
    let mut out = Vec::new();
    if let Some(key) = &footer.footer_signing_key_metadata {
        out.push(entry(None, key_metadata(Some(key))));
    }
    let leaves = schema.leaves();
    let mut seen = HashSet::new();
    for group in &footer.row_groups {
        for (chunk, (path, _)) in group.columns.iter().zip(&leaves) {
            let key = match &chunk.crypto_metadata {
                None => continue,
                Some(ColumnCryptoMetaData::EncryptionWithFooterKey) => "the footer's key".into(),
                Some(ColumnCryptoMetaData::EncryptionWithColumnKey(own)) => {
                    key_metadata(own.key_metadata.as_deref())
                }
                Some(_) => "an unknown kind of key".into(),
            };
            let found = entry(Some(shown_path(path)), key);
            out.extend(seen.insert(found.clone()).then_some(found));
        }
    }
    out
}

fn key_metadata(bytes: Option<&[u8]>) -> String {
    let Some(bytes) = bytes else {
        return "no key metadata".into();
    };
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("key metadata 0x{digits}")
}

/// What an ORC footer says is encrypted.
pub fn of_orc(footer: &Footer, schema: &Schema) -> Vec<Encrypted> {
    let Some(encryption) = footer.encryption.as_deref() else {
        return Vec::new();
    };
    let (parents, masks) = (parents(footer), masks(encryption));
    let mut out = Vec::new();
    for variant in &encryption.variants {
        let key = encryption.key.get(variant.key as usize);
        let algorithm = key.map(|key| key.algorithm.to_string());
        let key = key.map(|key| key_name(encryption, key));
        for column in columns(footer, schema, &parents, variant.root) {
            out.push(Encrypted {
                column: Some(column),
                algorithm: algorithm.clone().unwrap_or("an unknown cipher".into()),
                key: key.clone().unwrap_or("an unknown key".into()),
                mask: masks.get(&variant.root).map(|mask| mask_text(mask)),
            });
        }
    }
    out
}

fn key_name(encryption: &Encryption, key: &EncryptionKey) -> String {
    let (name, version) = (&key.key_name, key.key_version);
    let provider = encryption.key_provider;
    format!("key {name}, version {version}, of {provider}")
}

/// The mask of each column id; the first where there are more.
fn masks(encryption: &Encryption) -> HashMap<u32, &DataMask> {
    let mut out = HashMap::new();
    for mask in &encryption.mask {
        for &column in &mask.columns {
            out.entry(column).or_insert(mask);
        }
    }
    out
}

fn mask_text(mask: &DataMask) -> String {
    let (name, parameters) = (&mask.name, mask.mask_parameters.join(", "));
    match parameters.is_empty() {
        true => name.clone(),
        false => format!("{name}({parameters})"),
    }
}

/// The columns from an id of the types on: all of the root, else one with what is below it.
fn columns(footer: &Footer, schema: &Schema, parents: &Parents, root: u32) -> Vec<String> {
    if root == 0 {
        return schema
            .fields
            .iter()
            .map(|field| shown_path(&[&field.name]))
            .collect();
    }
    let (mut names, mut id) = (Vec::new(), root);
    // elements of lists and maps have no names
    while let Some(&(parent, place)) = parents.get(&id) {
        let name = footer.types[parent].field_names.get(place).cloned();
        names.push(name.unwrap_or_else(|| place.to_string()));
        id = parent as u32;
    }
    names.reverse();
    vec![shown_path(&names)]
}

/// The parent of each column id, which is below it, and the child's place there.
type Parents = HashMap<u32, (usize, usize)>;

fn parents(footer: &Footer) -> Parents {
    let mut out = HashMap::new();
    for (parent, ty) in footer.types.iter().enumerate() {
        let children = ty.subtypes.iter().enumerate();
        let below = children.filter(|&(_, &child)| child as usize > parent);
        out.extend(below.map(|(place, &child)| (child, (parent, place))));
    }
    out
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use lith_format::orc::encoding::{EncryptionAlgorithm as Cipher, KeyProviderKind, TypeKind};
    use lith_format::orc::encryption::EncryptionVariant;
    use lith_format::orc::footer::Type;
    use lith_format::parquet::encryption::{AesGcm, EncryptionWithColumnKey};
    use lith_format::parquet::row_group::{ColumnChunk, RowGroup};
    use lith_format::schema::Field;
    use lith_format::types::LogicalType;

    use super::*;

    fn schema() -> Schema {
        let inner = [Field::nullable("x", LogicalType::Int32)];
        Schema::new(vec![
            Field::nullable("a", LogicalType::Int32),
            Field::nullable("s", LogicalType::Struct(inner.into())),
        ])
    }

    fn shown(all: &[Encrypted]) -> Vec<String> {
        let line = |entry: &Encrypted| {
            let mask = entry.mask.as_deref().unwrap_or("-");
            let column = entry.column.as_deref().unwrap_or("-");
            format!("{column}|{}|{}|{mask}", entry.algorithm, entry.key)
        };
        all.iter().map(line).collect()
    }

    #[test]
    fn parquet_tells_the_signature_and_the_key_of_each_column() {
        let own = |key: Option<&'static [u8]>| {
            let key = EncryptionWithColumnKey {
                path_in_schema: Vec::new(),
                key_metadata: key.map(Bytes::from_static),
            };
            ColumnCryptoMetaData::EncryptionWithColumnKey(key.into())
        };
        let chunk = |crypto_metadata| ColumnChunk {
            crypto_metadata,
            ..ColumnChunk::default()
        };
        let group = |first, second| RowGroup {
            columns: vec![chunk(first), chunk(Some(second))],
            ..RowGroup::default()
        };
        let footer = FileMetaData {
            row_groups: vec![
                group(None, own(Some(b"k2"))),
                group(
                    Some(ColumnCryptoMetaData::EncryptionWithFooterKey),
                    own(Some(b"k2")),
                ),
                group(None, own(None)),
            ],
            encryption_algorithm: Some(EncryptionAlgorithm::AesGcmCtrV1(AesGcm::default())),
            footer_signing_key_metadata: Some(Bytes::from_static(b"kf")),
            ..FileMetaData::default()
        };
        let expected = [
            "-|AES_GCM_CTR_V1|key metadata 0x6b66|-",
            "s.x|AES_GCM_CTR_V1|key metadata 0x6b32|-",
            "a|AES_GCM_CTR_V1|the footer's key|-",
            "s.x|AES_GCM_CTR_V1|no key metadata|-",
        ];
        assert_eq!(shown(&of_parquet(&footer, &schema())), expected);
        assert_eq!(of_parquet(&FileMetaData::default(), &schema()), []);
    }

    #[test]
    fn orc_tells_keys_masks_and_subtrees() {
        let node = |kind, subtypes: &[u32], names: &[&str]| Type {
            kind,
            subtypes: subtypes.to_vec(),
            field_names: names.iter().map(|name| (*name).to_string()).collect(),
            ..Type::default()
        };
        let variant = |root, key| EncryptionVariant {
            root,
            key,
            ..EncryptionVariant::default()
        };
        let encryption = Encryption {
            mask: vec![DataMask {
                name: "redact".into(),
                mask_parameters: vec!["9".into(), "x".into()],
                columns: vec![3],
            }],
            key: vec![EncryptionKey {
                key_name: "pii".into(),
                key_version: 2,
                algorithm: Cipher::AesCtr256,
            }],
            variants: vec![variant(3, 0), variant(0, 7)],
            key_provider: KeyProviderKind::Hadoop,
        };
        let footer = Footer {
            types: vec![
                node(TypeKind::Struct, &[1, 2], &["a", "s"]),
                node(TypeKind::Int, &[], &[]),
                node(TypeKind::Struct, &[3], &["x"]),
                node(TypeKind::Int, &[], &[]),
            ],
            encryption: Some(Box::new(encryption)),
            ..Footer::default()
        };
        let expected = [
            "s.x|AES_CTR_256|key pii, version 2, of HADOOP|redact(9, x)",
            "a|an unknown cipher|an unknown key|-",
            "s|an unknown cipher|an unknown key|-",
        ];
        assert_eq!(shown(&of_orc(&footer, &schema())), expected);
        assert_eq!(of_orc(&Footer::default(), &schema()), []);
    }
}
