//! Bloom filters: hashes of values, and whether a filter rules a value out.
//!
//! ```text
//! numbers, dates   64 bits mixed (Thomas Wang)           floats as the bits of a double
//! strings          64 bits of Murmur3 over UTF-8, seed 104729
//! bit i = 1..=k    (low half + i * high half), if negative its complement, modulo the filter's bits
//! ```
//! A filter denies a value only if it was made by a writer without a known bug, of the UTF-8 kind, and the
//! value's hash is known for sure; in doubt the value may be there.
// spec: ORCv1.md, "Bloom Filter Index"

use crate::orc::encoding::WriterImplementation;
use crate::orc::footer::Footer;
use crate::orc::index::BloomFilter;
use crate::scalar::Scalar;
use crate::types::LogicalType;

const SEED: u64 = 104_729;

/// The first release of ORC's C++ writer of which all Bloom filters are known to be right: filters of
/// 1.6 and 1.7 may have been hashed otherwise (ORC-1024).
const CPP_MENDED: (u32, u32) = (1, 8);

/// Whether the writer of a file is known to have hashed as the specification says.
pub fn is_trusted(footer: &Footer) -> bool {
    match footer.writer {
        WriterImplementation::OrcJava => true,
        WriterImplementation::OrcCpp => {
            let version = footer.software_version.as_deref().and_then(release);
            version.is_some_and(|version| version >= CPP_MENDED)
        }
        _ => false,
    }
}

/// Major and minor number of a version such as `1.6.12-SNAPSHOT`.
fn release(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// A value as filters of a column know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    hash: u64,
    /// Zero has two forms, which are equal but not hashed alike.
    other: Option<u64>,
}

impl Probe {
    /// A value that is compared with a column of type `ty`; `None` if nothing is known of its hash.
    pub fn new(value: &Scalar, ty: &LogicalType) -> Option<Self> {
        use LogicalType as T;
        let one = |hash| Some(Probe { hash, other: None });
        match (value, ty) {
            (&Scalar::Int(value), T::Int8 | T::Int16 | T::Int32 | T::Int64) => one(mix(value)),
            (&Scalar::Date(days), T::Date) => one(mix(i64::from(days))),
            (&Scalar::Float32(value), T::Float32 | T::Float64) => of_double(f64::from(value)),
            (&Scalar::Float64(value), T::Float32 | T::Float64) => of_double(value),
            // a char is padded, and its filter may know it with or without
            (Scalar::String(text), T::String | T::Varchar(_)) => one(murmur3(text.as_bytes())),
            _ => None,
        }
    }

    /// Whether a filter may hold the value; `false` is certain, if the filter can be trusted.
    pub fn may_be_in(&self, filter: &BloomFilter) -> bool {
        let Some(words) = filter.words() else {
            return true;
        };
        let functions = filter.num_hash_functions;
        let has = |hash| has_bits(&words, functions, hash);
        has(self.hash) || self.other.is_some_and(has)
    }
}

fn of_double(value: f64) -> Option<Probe> {
    let bits = |value: f64| mix(value.to_bits() as i64);
    // there are many forms of NaN
    (!value.is_nan()).then(|| Probe {
        hash: bits(value),
        other: (value == 0.0).then(|| bits(-value)),
    })
}

fn has_bits(words: &[u64], functions: u32, hash: u64) -> bool {
    let bits = words.len() as u64 * 64;
    let (low, high) = (hash as i32, (hash >> 32) as i32);
    (1..=functions as i32).all(|function| {
        let combined = low.wrapping_add(function.wrapping_mul(high));
        let combined = if combined < 0 { !combined } else { combined };
        let bit = combined as u64 % bits;
        let word = words.get((bit / 64) as usize);
        word.is_some_and(|word| word >> (bit % 64) & 1 == 1)
    })
}

/// The mix of 64 bits; shifts to the right keep the sign.
fn mix(key: i64) -> u64 {
    let key = (!key).wrapping_add(key << 21);
    let key = key ^ (key >> 24);
    let key = key.wrapping_add(key << 3).wrapping_add(key << 8);
    let key = key ^ (key >> 14);
    let key = key.wrapping_add(key << 2).wrapping_add(key << 4);
    let key = key ^ (key >> 28);
    key.wrapping_add(key << 31) as u64
}

/// Murmur3 with one 64-bit state.
fn murmur3(bytes: &[u8]) -> u64 {
    const C1: u64 = 0x87c3_7b91_1142_53d5;
    const C2: u64 = 0x4cf5_ad43_2745_937f;
    let scramble = |block: u64| block.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let (blocks, tail) = bytes.as_chunks::<8>();
    let mut hash = SEED;
    for &block in blocks {
        hash ^= scramble(u64::from_le_bytes(block));
        hash = hash
            .rotate_left(27)
            .wrapping_mul(5)
            .wrapping_add(0x52dc_e729);
    }
    if !tail.is_empty() {
        let mut block = [0; 8];
        block[..tail.len()].copy_from_slice(tail);
        hash ^= scramble(u64::from_le_bytes(block));
    }
    hash ^= bytes.len() as u64;
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{TimeUnit, Zone};
    use std::sync::Arc;

    /// A filter of `words` words that holds `probes`.
    fn filter(words: usize, functions: u32, probes: &[Probe]) -> BloomFilter {
        let mut bitset = vec![0u64; words];
        for probe in probes {
            let (low, high) = (probe.hash as u32, (probe.hash >> 32) as u32);
            for function in 1..=functions {
                // the complement of a negative number, said in unsigned arithmetic
                let combined = low.wrapping_add(function.wrapping_mul(high));
                let folded = if combined >> 31 == 1 {
                    u32::MAX - combined
                } else {
                    combined
                };
                let bit = folded as usize % (words * 64);
                bitset[bit / 64] |= 1 << (bit % 64);
            }
        }
        let bytes = bitset.iter().flat_map(|word| word.to_le_bytes());
        BloomFilter {
            num_hash_functions: functions,
            bitset: Vec::new(),
            utf8bitset: Some(bytes.collect()),
        }
    }

    fn probe(value: impl Into<i64>) -> Probe {
        Probe::new(&Scalar::Int(value.into()), &LogicalType::Int64).unwrap()
    }

    #[test]
    fn only_values_of_a_known_hash_are_probed() {
        let text = Scalar::string("a");
        assert!(Probe::new(&text, &LogicalType::String).is_some());
        assert!(Probe::new(&text, &LogicalType::Varchar(3)).is_some());
        assert_eq!(Probe::new(&text, &LogicalType::Char(3)), None);
        assert_eq!(Probe::new(&Scalar::Int(1), &LogicalType::Float64), None);
        assert_eq!(Probe::new(&Scalar::Float64(1.0), &LogicalType::Int64), None);
        let nan = Scalar::Float64(f64::NAN);
        assert_eq!(Probe::new(&nan, &LogicalType::Float64), None);
        assert_eq!(Probe::new(&Scalar::Null, &LogicalType::Int64), None);
        let list = LogicalType::List(Arc::new(crate::schema::Field::nullable(
            "element",
            LogicalType::Int64,
        )));
        assert_eq!(Probe::new(&Scalar::Int(1), &list), None);
    }

    #[test]
    fn integers_of_any_width_and_floats_of_either_are_hashed_alike() {
        use LogicalType as T;
        for ty in [T::Int8, T::Int16, T::Int32] {
            assert_eq!(Probe::new(&Scalar::Int(-7), &ty), Some(probe(-7)), "{ty}");
        }
        assert_eq!(Probe::new(&Scalar::Date(-7), &T::Date), Some(probe(-7)));
        let single = Probe::new(&Scalar::Float32(0.1), &T::Float32);
        let double = Scalar::Float64(f64::from(0.1f32));
        assert!(single.is_some() && single == Probe::new(&double, &T::Float64));
    }

    #[test]
    fn values_that_writers_print_or_rescale_first_are_not_probed() {
        let decimal = LogicalType::Decimal {
            precision: 10,
            scale: 2,
        };
        for value in [150, 15] {
            let value = Scalar::of_integer(&decimal, value);
            assert_eq!(Probe::new(&value, &decimal), None);
        }
        let timestamp = LogicalType::Timestamp {
            unit: TimeUnit::Nanos,
            zone: Zone::Local,
        };
        let value = Scalar::of_integer(&timestamp, 7);
        assert_eq!(Probe::new(&value, &timestamp), None);
        // nor values of another type than the column's
        for (value, ty) in [
            (Scalar::string("7"), LogicalType::Int32),
            (Scalar::Int(7), LogicalType::String),
            (Scalar::Int(7), decimal),
            (Scalar::Int(7), LogicalType::Date),
        ] {
            assert_eq!(Probe::new(&value, &ty), None, "{value:?} {ty}");
        }
    }

    #[test]
    fn either_zero_finds_the_other() {
        let of = |value| Probe::new(&Scalar::Float64(value), &LogicalType::Float64).unwrap();
        for (stored, asked) in [(0.0, -0.0), (-0.0, 0.0), (0.0, 0.0)] {
            assert!(of(asked).may_be_in(&filter(8, 3, &[of(stored)])));
        }
        assert!(!of(0.0).may_be_in(&filter(8, 3, &[of(1.0)])));
    }

    #[test]
    fn filters_that_are_none_deny_nothing() {
        let draft = BloomFilter {
            num_hash_functions: 10_000,
            bitset: vec![0],
            utf8bitset: None,
        };
        let empty = filter(0, 3, &[]);
        let mut odd = filter(1, 3, &[]);
        odd.utf8bitset = Some(vec![0; 7]);
        for filter in [draft, empty, odd] {
            assert!(probe(1).may_be_in(&filter));
        }
        assert!(!probe(1).may_be_in(&filter(1, 3, &[])));
    }

    #[test]
    fn writers_with_a_bug_or_unknown_to_us_are_not_trusted() {
        use WriterImplementation as W;
        let trusted = |writer, version: Option<&str>| {
            is_trusted(&Footer {
                writer,
                software_version: version.map(str::to_owned),
                ..Footer::default()
            })
        };
        assert!(trusted(W::OrcJava, None) && trusted(W::OrcJava, Some("1.6.0")));
        assert!(trusted(W::OrcCpp, Some("1.8.0-SNAPSHOT")) && trusted(W::OrcCpp, Some("2.2.2")));
        for version in [
            None,
            Some("1.6.11"),
            Some("1.7.0"),
            Some("unknown"),
            Some("2"),
        ] {
            assert!(!trusted(W::OrcCpp, version), "{version:?}");
        }
        assert!(!trusted(W::Presto, Some("9.9")) && !trusted(W::Unknown(77), Some("9.9")));
    }

    quickcheck::quickcheck! {
        fn what_is_in_is_never_denied(values: Vec<i64>, texts: Vec<String>, words: u8, k: u8) -> bool {
            let texts = texts.iter().map(|text| {
                Probe::new(&Scalar::string(text), &LogicalType::String).unwrap()
            });
            let probes: Vec<Probe> = values.iter().map(|&value| probe(value)).chain(texts).collect();
            let filter = filter(usize::from(words % 20) + 1, u32::from(k % 9) + 1, &probes);
            probes.iter().all(|probe| probe.may_be_in(&filter))
        }
    }
}
