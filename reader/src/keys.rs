//! The keys of encrypted files: how a reader asks for them, and a map of keys that are known beforehand.
//!
//! ```text
//! Parquet footer   metadata the file holds of its key                        -> KeyRetriever -> key, or none
//! Parquet column   metadata the file holds of the column's key, and its path
//! ORC              name and version of a master key; local keys are decrypted with it
//! ```
//! Columns without a key stay encrypted; the others are read.
// spec: Parquet's Encryption.md, "Key metadata"; ORCv1.md, "Encryption Keys"

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use lith_format::cipher::Key;
use lith_format::error::Result;
use lith_format::orc::cipher::local_key;
use lith_format::orc::encoding::KeyProviderKind;
use lith_format::orc::encryption::EncryptionKey;

/// Which key is asked for.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct KeyRequest<'a> {
    /// The Parquet column that has a key of its own; none for the footer's key.
    pub column: Option<&'a [String]>,
    /// The key metadata in a Parquet file, by which the key is found again; its content is the writer's choice.
    pub metadata: Option<&'a [u8]>,
    /// The master key of an ORC file; none for keys of Parquet files.
    pub master: Option<MasterKey<'a>>,
}

impl<'a> KeyRequest<'a> {
    /// For the key of a Parquet footer, or for that of a column.
    pub fn new(column: Option<&'a [String]>, metadata: Option<&'a [u8]>) -> Self {
        KeyRequest {
            column,
            metadata,
            master: None,
        }
    }

    /// For a master key of an ORC file.
    pub fn of_master(master: MasterKey<'a>) -> Self {
        KeyRequest {
            column: None,
            metadata: None,
            master: Some(master),
        }
    }
}

/// What an ORC file says of a master key, with which the keys of its columns are encrypted.
#[derive(Debug, Clone, Copy)]
pub struct MasterKey<'a> {
    /// Name, version and cipher.
    pub description: &'a EncryptionKey,
    /// Which service encrypted the local keys.
    pub provider: KeyProviderKind,
}

/// Finds keys. It is asked once for each key of a file; of a file with very many, for some again.
pub trait KeyRetriever: Send + Sync {
    /// The key that is asked for; `None` if there is none to be had.
    ///
    /// # Errors
    /// Those of looking for it, which end what the key was wanted for. They must not hold keys.
    fn key(&self, request: &KeyRequest<'_>) -> Result<Option<Key>>;

    /// The local key of ORC columns that a file holds as `encrypted`; `None` if there is none to be had. By default
    /// it is decrypted with the master key as the Hadoop KMS does. A service that keeps its master keys to itself
    /// is asked here.
    ///
    /// # Errors
    /// As of [`key`](Self::key); a master key of the wrong length.
    fn local_key(&self, master: &MasterKey<'_>, encrypted: &[u8]) -> Result<Option<Key>> {
        let MasterKey {
            description,
            provider,
        } = *master;
        let key = self.key(&KeyRequest::of_master(*master))?;
        let local = key.map(|key| local_key(&key, description, provider, encrypted));
        local.transpose()
    }
}

/// Keys that are known beforehand: the footer's, those of columns, and those that files call by an id, which
/// is the whole key metadata in Parquet, the name of a master key in ORC, or the name with the version: `name@0`.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    footer: Option<Key>,
    columns: HashMap<String, Key>,
    ids: HashMap<Vec<u8>, Key>,
}

impl Keys {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.footer.is_none() && self.columns.is_empty() && self.ids.is_empty()
    }

    /// The footer's key, whatever the file says of it.
    pub fn set_footer(&mut self, key: Key) {
        self.footer = Some(key);
    }

    /// The key of a column, by its path joined by dots, whatever the file says of it.
    pub fn set_column(&mut self, path: &str, key: Key) {
        self.columns.insert(path.to_owned(), key);
    }

    /// The key whose metadata, or name, is `id`.
    pub fn set_id(&mut self, id: &[u8], key: Key) {
        self.ids.insert(id.to_vec(), key);
    }
}

impl KeyRetriever for Keys {
    fn key(&self, request: &KeyRequest<'_>) -> Result<Option<Key>> {
        if let Some(MasterKey { description, .. }) = request.master {
            let (name, version) = (&description.key_name, description.key_version);
            let exact = self.ids.get(format!("{name}@{version}").as_bytes());
            return Ok(exact.or_else(|| self.ids.get(name.as_bytes())).copied());
        }
        let named = match request.column {
            None => self.footer,
            Some(path) => self.columns.get(&path.join(".")).copied(),
        };
        let by_id = || self.ids.get(request.metadata?).copied();
        Ok(named.or_else(by_id))
    }
}

/// What it takes to read encrypted files; nothing by default.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Decryption {
    /// Where keys come from.
    pub keys: Option<Arc<dyn KeyRetriever>>,
    /// The AAD prefix with which Parquet files were written that do not hold it. Files that do must hold this one.
    pub aad_prefix: Option<Vec<u8>>,
}

impl Decryption {
    /// With these keys.
    pub fn with_keys(keys: impl KeyRetriever + 'static) -> Self {
        Decryption {
            keys: Some(Arc::new(keys)),
            aad_prefix: None,
        }
    }

    /// The local key of ORC columns, if it can be had.
    pub(crate) fn local_key(
        &self,
        master: &MasterKey<'_>,
        encrypted: &[u8],
    ) -> Result<Option<Key>> {
        match &self.keys {
            Some(keys) => keys.local_key(master, encrypted),
            None => Ok(None),
        }
    }

    /// The key that is asked for, if it can be had.
    pub(crate) fn key(&self, request: &KeyRequest<'_>) -> Result<Option<Key>> {
        match &self.keys {
            Some(keys) => keys.key(request),
            None => Ok(None),
        }
    }
}

impl fmt::Debug for Decryption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decryption")
            .field("has_keys", &self.keys.is_some())
            .field("has_aad_prefix", &self.aad_prefix.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> Key {
        Key::new(&[byte; 16]).unwrap()
    }

    #[test]
    fn keys_are_found_by_place_before_id() {
        let mut keys = Keys::default();
        assert!(keys.is_empty());
        keys.set_id(b"kf", key(1));
        keys.set_id(b"kc", key(2));
        let path = ["a".to_string(), "b".to_string()];
        let footer = |metadata| KeyRequest::new(None, metadata);
        let column = |metadata| KeyRequest::new(Some(&path), metadata);
        let found = |keys: &Keys, request| keys.key(&request).unwrap();
        assert_eq!(found(&keys, footer(Some(b"kf"))), Some(key(1)));
        assert_eq!(found(&keys, footer(Some(b"other"))), None);
        assert_eq!(found(&keys, footer(None)), None);
        assert_eq!(found(&keys, column(Some(b"kc"))), Some(key(2)));
        keys.set_footer(key(3));
        keys.set_column("a.b", key(4));
        assert_eq!(found(&keys, footer(Some(b"kf"))), Some(key(3)));
        assert_eq!(found(&keys, column(Some(b"kc"))), Some(key(4)));
        assert!(!keys.is_empty());
    }

    #[test]
    fn master_keys_are_found_by_name_and_version() {
        let mut keys = Keys::default();
        keys.set_footer(key(9));
        keys.set_id(b"pii", key(1));
        keys.set_id(b"pii@2", key(2));
        let found = |name: &str, key_version| {
            let description = EncryptionKey {
                key_name: name.into(),
                key_version,
                ..EncryptionKey::default()
            };
            let master = MasterKey {
                description: &description,
                provider: KeyProviderKind::Hadoop,
            };
            keys.key(&KeyRequest::of_master(master)).unwrap()
        };
        assert_eq!(found("pii", 1), Some(key(1)));
        assert_eq!(found("pii", 2), Some(key(2)));
        assert_eq!(found("other", 0), None);
    }

    #[test]
    fn what_is_shown_holds_no_key() {
        let mut keys = Keys::default();
        keys.set_footer(key(0x61));
        assert!(!format!("{keys:?}").contains("97"));
        let shown = format!("{:?}", Decryption::with_keys(keys));
        assert_eq!(
            shown,
            "Decryption { has_keys: true, has_aad_prefix: false }"
        );
    }
}
