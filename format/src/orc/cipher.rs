//! Decrypts the columns of a variant: its keys, its streams and its statistics.
//!
//! ```text
//! master key   of the user, by the name and version in the footer
//! local key    = AES-CTR(master key, IV = its first 16 stored bytes)       of a variant, from a stripe on
//! IV           column id u24 | stream kind u16 | number of the stripe u24 | 0 u64      big-endian
//! statistics   are encrypted like streams of one more stripe
//! ```
//! Nothing is authenticated: a wrong key is only noticed if what it decrypts to cannot be decoded.
// spec: ORCv1.md, "Column Encryption"

use std::ops::Range;

use crate::cipher::{CounterMode, Iv, Key};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::orc::encoding::{EncryptionAlgorithm, KeyProviderKind, StreamKind};
use crate::orc::encryption::{EncryptionKey, EncryptionVariant};
use crate::orc::footer::{StripeStatistics, Type};
use crate::orc::statistics::ColumnStatistics;
use crate::orc::tail::Tail;

/// The largest column id and stripe number that fit an IV.
const MAX_IN_IV: u64 = 0xff_ffff;

/// Bytes of a key; none if the cipher is unknown.
fn key_length(algorithm: EncryptionAlgorithm) -> Option<usize> {
    match algorithm {
        EncryptionAlgorithm::AesCtr128 => Some(16),
        EncryptionAlgorithm::AesCtr256 => Some(32),
        _ => None,
    }
}

/// Decrypts a local key that the Hadoop or Ranger KMS has encrypted with `master`.
///
/// # Errors
/// `InvalidArgument`: the master key is not as long as the file says. `Unsupported`: another KMS or cipher.
pub fn local_key(
    master: &Key,
    description: &EncryptionKey,
    provider: KeyProviderKind,
    encrypted: &[u8],
) -> Result<Key> {
    let name = &description.key_name;
    let algorithm = description.algorithm;
    if !matches!(
        provider,
        KeyProviderKind::Hadoop | KeyProviderKind::Unstated
    ) {
        return Err(Error::unsupported(format!(
            "local keys of key {name} are encrypted by {provider}, not by a Hadoop KMS"
        )));
    }
    let Some(length) = key_length(algorithm) else {
        return Err(Error::unsupported(format!(
            "encryption algorithm {algorithm}"
        )));
    };
    if master.bytes().len() != length {
        return Err(Error::invalid(format!(
            "key {name} has {} bytes, {algorithm} takes {length}",
            master.bytes().len()
        )));
    }
    let iv = encrypted.first_chunk();
    let Some(iv) = iv.filter(|_| encrypted.len() == length) else {
        let found = encrypted.len();
        return Err(Error::corrupt(format!(
            "a local key of {found} bytes for {algorithm}"
        )));
    };
    let mut local = encrypted.to_vec();
    CounterMode::new(master).apply(iv, 0, &mut local)?;
    Key::new(&local)
}

/// The IV of a stream.
///
/// # Errors
/// Numbers that are too large for an IV.
pub fn stream_iv(column: u32, kind: StreamKind, stripe: u64) -> Result<Iv> {
    let kind = u16::try_from(kind.id());
    let (Ok(kind), true) = (
        kind,
        u64::from(column) <= MAX_IN_IV && (1..=MAX_IN_IV).contains(&stripe),
    ) else {
        return Err(Error::corrupt(format!(
            "an encrypted stream of column {column} in stripe {stripe}"
        )));
    };
    let column = u128::from(column) << 104;
    let kind = u128::from(kind) << 88;
    Ok((column | kind | u128::from(stripe) << 64).to_be_bytes())
}

/// The columns of the subtree that begins with `root`.
///
/// # Errors
/// No such column; a subtree whose columns do not follow one another.
pub fn columns(types: &[Type], root: u32) -> Result<Range<u32>> {
    let mut end = root;
    let mut next = vec![root];
    while let Some(id) = next.pop() {
        let Some(node) = types.get(id as usize).filter(|_| id == end) else {
            return Err(Error::corrupt(format!(
                "the columns encrypted with column {root} do not follow one another"
            ))
            .within("EncryptionVariant"));
        };
        end += 1;
        next.extend(node.subtypes.iter().rev());
    }
    Ok(root..end)
}

impl Tail {
    /// Where the statistics of stripes of the encryption variants lie in the file.
    pub fn encrypted_statistics_range(&self) -> Range<u64> {
        let end = self.metadata_range().start;
        end.saturating_sub(self.postscript.stripe_statistics_length)..end
    }

    /// Puts the statistics of a variant of the footer in place of those of its masks. `stored` are its statistics of
    /// stripes as the file has them, `cipher` has its key for the footer.
    ///
    /// # Errors
    /// As of [`columns`]; statistics that cannot be decoded, as with a wrong key.
    pub fn decrypt_statistics(
        &mut self,
        variant: &EncryptionVariant,
        stored: &[u8],
        cipher: &CounterMode,
        limits: &Limits,
    ) -> Result<()> {
        let columns = columns(&self.footer.types, variant.root)?;
        let stripe = self.footer.stripes.len() as u64 + 1;
        let decrypted = |column, kind, bytes: &[u8]| -> Result<StripeStatistics> {
            let mut bytes = bytes.to_vec();
            cipher.apply(&stream_iv(column, kind, stripe)?, 0, &mut bytes)?;
            self.statistics(&bytes, limits)
        };
        let mut whole = Vec::new();
        if !variant.file_statistics.is_empty() {
            let kind = StreamKind::FileStatistics;
            whole = decrypted(columns.start, kind, &variant.file_statistics)?.col_stats;
            check_count(whole.len(), columns.len())?;
        }
        let mut of_stripes = Vec::new();
        let mut rest = stored;
        for stream in &variant.stripe_statistics {
            let length = usize::try_from(stream.length).unwrap_or(usize::MAX);
            let (bytes, after) = rest.split_at_checked(length).ok_or_else(|| {
                Error::corrupt("statistics of stripes end early").within("EncryptionVariant")
            })?;
            rest = after;
            if stream.kind == StreamKind::StripeStatistics && columns.contains(&stream.column) {
                let found = decrypted(stream.column, stream.kind, bytes)?.col_stats;
                check_count(found.len(), self.footer.stripes.len())?;
                of_stripes.push((stream.column, found));
            }
        }
        self.replace_statistics(&columns, whole, of_stripes);
        Ok(())
    }

    /// Puts statistics of the file and of the stripes in place of others; what there is none of is left unknown.
    fn replace_statistics(
        &mut self,
        columns: &Range<u32>,
        whole: Vec<ColumnStatistics>,
        of_stripes: Vec<(u32, Vec<ColumnStatistics>)>,
    ) {
        let range = columns.start as usize..columns.end as usize;
        let all = std::iter::once(&mut self.footer.statistics);
        let stripes = self.metadata.stripe_stats.iter_mut();
        for statistics in all.chain(stripes.map(|stripe| &mut stripe.col_stats)) {
            let masked = statistics.iter_mut().take(range.end).skip(range.start);
            masked.for_each(|column| *column = ColumnStatistics::default());
        }
        for (place, found) in self
            .footer
            .statistics
            .iter_mut()
            .skip(range.start)
            .zip(whole)
        {
            *place = found;
        }
        for (column, found) in of_stripes {
            for (stripe, found) in self.metadata.stripe_stats.iter_mut().zip(found) {
                if let Some(place) = stripe.col_stats.get_mut(column as usize) {
                    *place = found;
                }
            }
        }
    }
}

fn check_count(found: usize, expected: usize) -> Result<()> {
    match found == expected {
        true => Ok(()),
        false => Err(Error::corrupt(format!(
            "{found} statistics in place of {expected}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::orc::chunk::encode;
    use crate::orc::encoding::TypeKind;
    use crate::orc::proto::Message;
    use crate::orc::stripe::Stream;
    use crate::orc::testing::{hostile, statistics, struct_of, tail, ty};

    fn description(algorithm: EncryptionAlgorithm) -> EncryptionKey {
        EncryptionKey {
            key_name: "pii".into(),
            key_version: 0,
            algorithm,
        }
    }

    #[test]
    fn local_keys_are_as_openssl_computes_them() {
        let (aes128, aes256) = (
            EncryptionAlgorithm::AesCtr128,
            EncryptionAlgorithm::AesCtr256,
        );
        for (algorithm, expected) in [
            (aes128, "9572a7d801e415aa3617d616b0b004e5"),
            (
                aes256,
                "e33f9d7cd31ffca8db32288cc116ff18e0244cc0fcbb3216d3b0e7950c0b0b6e",
            ),
        ] {
            let length = expected.len() / 2;
            let master = Key::new(&(0..32).collect::<Vec<u8>>()[..length]).unwrap();
            let encrypted = &(0x40..0x60).collect::<Vec<u8>>()[..length];
            let hadoop = KeyProviderKind::Hadoop;
            let found = local_key(&master, &description(algorithm), hadoop, encrypted).unwrap();
            let hex: String = found
                .bytes()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(hex, expected);
            let kind = |algorithm, provider, encrypted: &[u8]| {
                let found = local_key(&master, &description(algorithm), provider, encrypted);
                found.unwrap_err().kind()
            };
            let other = [aes128, aes256]
                .into_iter()
                .find(|other| *other != algorithm);
            assert_eq!(
                kind(other.unwrap(), hadoop, encrypted),
                ErrorKind::InvalidArgument
            );
            assert_eq!(kind(algorithm, hadoop, &encrypted[1..]), ErrorKind::Corrupt);
            assert_eq!(kind(algorithm, hadoop, &[]), ErrorKind::Corrupt);
            let aws = kind(algorithm, KeyProviderKind::Aws, encrypted);
            assert_eq!(aws, ErrorKind::Unsupported);
            let future = EncryptionAlgorithm::from_id(9);
            assert_eq!(kind(future, hadoop, encrypted), ErrorKind::Unsupported);
        }
    }

    #[test]
    fn counting_starts_by_column_kind_and_stripe() {
        let iv = stream_iv(0x010203, StreamKind::FileStatistics, 0x0a0b0c).unwrap();
        assert_eq!(iv, [1, 2, 3, 0, 101, 10, 11, 12, 0, 0, 0, 0, 0, 0, 0, 0]);
        for (column, kind, stripe) in [
            (1 << 24, StreamKind::Data, 1),
            (1, StreamKind::Data, 0),
            (1, StreamKind::Data, 1 << 24),
            (1, StreamKind::from_id(-1), 1),
            (1, StreamKind::from_id(1 << 16), 1),
        ] {
            assert!(stream_iv(column, kind, stripe).is_err());
        }
    }

    #[test]
    fn subtrees_are_ranges_of_columns() {
        let leaf = ty(TypeKind::Int);
        let mut types = vec![
            struct_of(&[("a", 1), ("s", 2), ("z", 5)]),
            leaf.clone(),
            struct_of(&[("x", 3), ("y", 4)]),
            leaf.clone(),
            leaf.clone(),
            leaf,
        ];
        let found = [0, 1, 2, 4, 5].map(|root| columns(&types, root).unwrap());
        assert_eq!(found, [0..6, 1..2, 2..5, 4..5, 5..6]);
        assert!(columns(&types, 6).is_err());
        types[2].subtypes = vec![3, 5];
        assert!(columns(&types, 2).is_err());
    }

    /// Statistics of column 2 that is encrypted as a variant: of the file, and of its only stripe.
    fn encrypted(tail: &Tail, key: &Key) -> (EncryptionVariant, Vec<u8>) {
        let put = |kind| {
            let bytes = StripeStatistics {
                col_stats: vec![statistics().remove(1)],
            };
            let mut out = Vec::new();
            encode(&bytes.encode(), tail.compression, None, &mut out).unwrap();
            let iv = stream_iv(2, kind, 2).unwrap();
            CounterMode::new(key).apply(&iv, 0, &mut out).unwrap();
            out
        };
        let of_stripes = put(StreamKind::StripeStatistics);
        let variant = EncryptionVariant {
            root: 2,
            stripe_statistics: vec![Stream {
                kind: StreamKind::StripeStatistics,
                column: 2,
                length: of_stripes.len() as u64,
            }],
            file_statistics: put(StreamKind::FileStatistics),
            ..EncryptionVariant::default()
        };
        (variant, of_stripes)
    }

    #[test]
    fn statistics_take_the_place_of_those_of_masks() {
        let limits = Limits::default();
        let key = Key::new(&[5; 16]).unwrap();
        let (variant, stored) = encrypted(&tail(), &key);
        let decrypt = |variant: &EncryptionVariant, stored: &[u8], key: &Key| {
            let (mut tail, cipher) = (tail(), CounterMode::new(key));
            tail.decrypt_statistics(variant, stored, &cipher, &limits)?;
            let of_stripe = tail.metadata.stripe_stats.remove(0).col_stats;
            Ok::<_, Error>([tail.footer.statistics, of_stripe])
        };
        for found in decrypt(&variant, &stored, &key).unwrap() {
            assert_eq!(found[..2], statistics()[..2]);
            assert_eq!(found[2], statistics()[1]);
        }
        let bare = EncryptionVariant {
            root: 2,
            ..EncryptionVariant::default()
        };
        for found in decrypt(&bare, &[], &key).unwrap() {
            assert_eq!(found[2], ColumnStatistics::default());
        }
        let wrong = Key::new(&[6; 16]).unwrap();
        assert!(decrypt(&variant, &stored, &wrong).is_err());
        assert!(decrypt(&variant, &stored[1..], &key).is_err());
        hostile(&stored, |stored| {
            let found = decrypt(&variant, stored, &key);
            assert!(found.is_err() || found.unwrap()[1].len() == 3);
        });
    }
}
