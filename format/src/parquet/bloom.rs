//! Bloom filters: hashes of values, and whether a filter rules a value out.
//!
//! ```text
//! hash   XXH64, seed 0, over the value in plain encoding without a length
//! block  high half of the hash * blocks >> 32        bits  one in each of the block's eight words:
//!                                                          low half * salt of the word >> 27
//! ```
//! A filter denies a value only if its algorithm is the one of the specification, and the value is stored in
//! one form that is known for sure; in doubt the value may be there.
// spec: BloomFilter.md

use bytes::Bytes;
use twox_hash::XxHash64;

use crate::parquet::bound;
use crate::parquet::encoding::Type;
use crate::parquet::index::BloomFilterHeader;
use crate::parquet::schema::Leaf;
use crate::scalar::Scalar;
use crate::types::LogicalType;

const SEED: u64 = 0;

/// Words in a block, and a multiplier for each.
const SALT: [u32; 8] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
];

/// Bytes of a block.
const BLOCK: usize = SALT.len() * size_of::<u32>();

/// The bits of a filter.
#[derive(Debug, Clone)]
pub struct BloomFilter {
    bitset: Bytes,
}

impl BloomFilter {
    /// The filter of `bitset`, which stands behind `header`; `None` if it is none that is known here.
    pub fn new(header: &BloomFilterHeader, bitset: Bytes) -> Option<Self> {
        let length = usize::try_from(header.num_bytes).ok()?;
        let whole = length == bitset.len() && length > 0 && length.is_multiple_of(BLOCK);
        (header.is_supported() && whole).then_some(BloomFilter { bitset })
    }

    fn has(&self, hash: u64) -> bool {
        let (blocks, _) = self.bitset.as_chunks::<BLOCK>();
        let block = ((hash >> 32) * blocks.len() as u64) >> 32;
        let Some(block) = blocks.get(block as usize) else {
            return true;
        };
        let (words, _) = block.as_chunks::<4>();
        let mut words = words.iter().zip(SALT);
        words.all(|(word, salt)| {
            let bit = (hash as u32).wrapping_mul(salt) >> 27;
            u32::from_le_bytes(*word) >> bit & 1 == 1
        })
    }
}

/// A value as filters of a column know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    hash: u64,
    /// Zero has two forms, which are equal but not hashed alike.
    other: Option<u64>,
}

impl Probe {
    /// A value that is compared with a column; `None` if nothing is known of its hash.
    pub fn new(value: &Scalar, leaf: &Leaf) -> Option<Self> {
        if !has_one_form(value, leaf) {
            return None;
        }
        let hash = |value: &Scalar| {
            let bytes = bound::encode(value, leaf).ok()?;
            Some(XxHash64::oneshot(SEED, &bytes))
        };
        let other = match value {
            Scalar::Float32(zero) if *zero == 0.0 => Some(hash(&Scalar::Float32(-zero))?),
            Scalar::Float64(zero) if *zero == 0.0 => Some(hash(&Scalar::Float64(-zero))?),
            _ => None,
        };
        let hash = hash(value)?;
        Some(Probe { hash, other })
    }

    /// Whether a filter may hold the value; `false` is certain.
    pub fn may_be_in(&self, filter: &BloomFilter) -> bool {
        filter.has(self.hash) || self.other.is_some_and(|other| filter.has(other))
    }
}

/// Whether a value of this kind, unit and scale is stored by the leaf, always by the same bytes but for zeros.
fn has_one_form(value: &Scalar, leaf: &Leaf) -> bool {
    use LogicalType as T;
    match (value, &leaf.logical_type) {
        (Scalar::Int(_), T::Int8 | T::Int16 | T::Int32 | T::Int64)
        | (Scalar::Int(_), T::UInt8 | T::UInt16 | T::UInt32)
        | (Scalar::UInt(_), T::UInt64)
        | (Scalar::Date(_), T::Date)
        | (Scalar::String(_), T::String | T::Enum)
        | (Scalar::Binary(_), T::Binary | T::Fixed(_) | T::Uuid) => true,
        // there are many forms of NaN
        (Scalar::Float32(value), T::Float32) => !value.is_nan(),
        (Scalar::Float64(value), T::Float64) => !value.is_nan(),
        (Scalar::Time { unit, .. }, T::Time { unit: stored, .. }) => unit == stored,
        (
            Scalar::Timestamp { unit, zone, .. },
            T::Timestamp {
                unit: stored,
                zone: of,
            },
        ) => (unit, zone) == (stored, of),
        // byte arrays may have leading bytes that say nothing
        (
            Scalar::Decimal { scale, .. } | Scalar::WideDecimal { scale, .. },
            T::Decimal { scale: stored, .. },
        ) => scale == stored && leaf.physical_type != Type::ByteArray,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::testing::leaf;
    use crate::types::{TimeUnit, Zone};

    /// A filter of `blocks` blocks that holds `probes`, made as the specification says it.
    fn filter(blocks: usize, probes: &[Probe]) -> BloomFilter {
        let mut words = vec![[0u32; 8]; blocks];
        for probe in probes {
            let block = ((probe.hash >> 32) * blocks as u64) >> 32;
            for (word, salt) in words[block as usize].iter_mut().zip(SALT) {
                *word |= 1 << ((probe.hash as u32).wrapping_mul(salt) / (1 << 27));
            }
        }
        let bytes = words.iter().flatten().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = bytes.collect();
        let header = BloomFilterHeader::new(bytes.len() as i32);
        BloomFilter::new(&header, bytes.into()).unwrap()
    }

    fn int64() -> Leaf {
        leaf(Type::Int64, 0, LogicalType::Int64)
    }

    fn probe(value: i64) -> Probe {
        Probe::new(&Scalar::Int(value), &int64()).unwrap()
    }

    #[test]
    fn hashes_are_those_of_xxh64() {
        // the digests of nothing, and of eight zero bytes
        let text = leaf(Type::ByteArray, 0, LogicalType::String);
        let empty = Probe::new(&Scalar::string(""), &text).unwrap();
        assert_eq!(empty.hash, 0xef46_db37_51d8_e999);
        assert_eq!(probe(0).hash, 0x34c9_6acd_cadb_1bbb);
    }

    #[test]
    fn only_values_of_a_known_form_are_probed() {
        let none = |value: Scalar, leaf: &Leaf| assert_eq!(Probe::new(&value, leaf), None);
        none(Scalar::Float64(1.0), &int64());
        none(Scalar::Null, &int64());
        none(
            Scalar::Int(1 << 40),
            &leaf(Type::Int32, 0, LogicalType::Int32),
        );
        let double = leaf(Type::Double, 0, LogicalType::Float64);
        none(Scalar::Float64(f64::NAN), &double);
        none(Scalar::Float32(0.5), &double);
        let decimal = |scale| LogicalType::Decimal {
            precision: 9,
            scale,
        };
        let value = || Scalar::Decimal {
            unscaled: 5,
            scale: 2,
        };
        none(value(), &leaf(Type::ByteArray, 0, decimal(2)));
        none(value(), &leaf(Type::Int32, 0, decimal(3)));
        assert!(Probe::new(&value(), &leaf(Type::Int32, 0, decimal(2))).is_some());
        let stamp = |unit, zone| Scalar::Timestamp {
            value: 7,
            unit,
            zone,
        };
        let (unit, zone) = (TimeUnit::Micros, Zone::Utc);
        let micros = leaf(Type::Int64, 0, LogicalType::Timestamp { unit, zone });
        none(stamp(TimeUnit::Millis, zone), &micros);
        none(stamp(unit, Zone::Local), &micros);
        assert!(Probe::new(&stamp(unit, zone), &micros).is_some());
        let fixed = leaf(Type::FixedLenByteArray, 4, LogicalType::Fixed(4));
        none(Scalar::binary([1, 2, 3]), &fixed);
    }

    #[test]
    fn either_zero_finds_the_other() {
        let leaf = leaf(Type::Double, 0, LogicalType::Float64);
        let of = |value| Probe::new(&Scalar::Float64(value), &leaf).unwrap();
        for (stored, asked) in [(0.0, -0.0), (-0.0, 0.0), (0.0, 0.0)] {
            assert!(of(asked).may_be_in(&filter(1, &[of(stored)])));
        }
        assert!(!of(0.0).may_be_in(&filter(1, &[of(1.0)])));
    }

    #[test]
    fn filters_that_are_none_deny_nothing() {
        let known = BloomFilterHeader::new(32);
        let new = |header: &BloomFilterHeader, length| {
            BloomFilter::new(header, vec![0; length].into()).is_some()
        };
        assert!(new(&known, 32) && !new(&known, 31) && !new(&known, 64));
        assert!(!new(&BloomFilterHeader::new(0), 0) && !new(&BloomFilterHeader::new(33), 33));
        assert!(!new(&BloomFilterHeader::new(-32), 32));
        for change in [
            |header: &mut BloomFilterHeader| header.algorithm = 2,
            |header: &mut BloomFilterHeader| header.hash = 0,
            |header: &mut BloomFilterHeader| header.compression = 2,
        ] {
            let mut header = known;
            change(&mut header);
            assert!(!new(&header, 32));
        }
        assert!(!probe(1).may_be_in(&filter(1, &[])));
    }

    quickcheck::quickcheck! {
        fn what_is_in_is_never_denied(values: Vec<i64>, blocks: u8) -> bool {
            let probes: Vec<Probe> = values.iter().map(|&value| probe(value)).collect();
            let filter = filter(usize::from(blocks) + 1, &probes);
            probes.iter().all(|probe| probe.may_be_in(&filter))
        }
    }
}
