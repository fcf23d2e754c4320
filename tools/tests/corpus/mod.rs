//! What the tests over the shared corpus have in common: its files, their expectations, and where two JSON
//! values differ. Needs `LITH_SHARED`, a directory with `corpus`; says so where it is missing.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use lith::meta::meta;
use lith_format::compress::{Codec, decompress};
use lith_format::error::ErrorKind;
use lith_format::stats::ColumnStats;
use serde_json::Value;

/// The directory of the corpus.
pub fn corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("LITH_SHARED").map(PathBuf::from);
    if shared.is_none() {
        eprintln!("LITH_SHARED is not set: the corpus is not read");
    }
    shared.map(|shared| shared.join("corpus"))
}

/// The entries of the manifest.
pub fn manifest(corpus: &Path) -> Vec<Value> {
    let manifest = fs::read(corpus.join("MANIFEST.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    manifest["files"].as_array().unwrap().clone()
}

/// A compressed JSON file.
pub fn gunzip(path: &Path) -> Value {
    let stored = fs::read(path).unwrap();
    let mut bytes = Vec::new();
    decompress(Codec::Gzip, &stored, 1 << 30, &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// Where two values differ first.
pub fn difference(place: &str, found: &Value, expected: &Value) -> Option<String> {
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) => {
            let names = a.keys().chain(b.keys());
            names.into_iter().find_map(|name| {
                let (a, b) = (a.get(name), b.get(name));
                let null = Value::Null;
                let place = format!("{place}.{name}");
                difference(&place, a.unwrap_or(&null), b.unwrap_or(&null))
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(index, (a, b))| difference(&format!("{place}[{index}]"), a, b))
        }
        _ if found == expected => None,
        _ => Some(format!("{place}: {found:.200}, not {expected:.200}")),
    }
}

/// Every file of `dir` is shown, with a list called `parts`, or refused; returns how many are which.
pub fn shown_or_refused(dir: &Path, parts: &str) -> (usize, usize) {
    let (mut sound, mut refused) = (0, 0);
    for entry in fs::read_dir(dir).unwrap() {
        match meta(&entry.unwrap().path()) {
            Ok(shown) => {
                assert!(shown[parts].is_array());
                sound += 1;
            }
            Err(error) => {
                assert_ne!(error.kind(), ErrorKind::Io, "{error}");
                refused += 1;
            }
        }
    }
    eprintln!("{sound} shown, {refused} refused");
    (sound, refused)
}

/// Exact bounds of a part lie within those of the whole; returns how many were compared. Those that are cut may
/// be cut more than the whole's.
pub fn lie_within(part: &ColumnStats, whole: &ColumnStats, place: &str) -> usize {
    let bounds = [
        (&part.min, &whole.min, Ordering::Less),
        (&part.max, &whole.max, Ordering::Greater),
    ];
    let mut compared = 0;
    for (inner, outer, wrong) in bounds {
        let (Some(inner), Some(outer)) = (inner.as_ref().filter(|inner| inner.exact), outer) else {
            continue;
        };
        let order = inner.value.compare(&outer.value);
        assert_ne!(order, Some(wrong), "{place}");
        compared += 1;
    }
    compared
}

/// Nulls of all parts together are those of the whole, where all are known.
pub fn nulls_add_up<'a>(
    parts: impl Iterator<Item = &'a ColumnStats>,
    whole: &ColumnStats,
    place: &str,
) {
    let parts: Vec<_> = parts.map(|part| part.null_count).collect();
    let sum = parts.iter().copied().sum::<Option<u64>>();
    if let (Some(sum), Some(all), false) = (sum, whole.null_count, parts.is_empty()) {
        assert_eq!(sum, all, "{place}");
    }
}
