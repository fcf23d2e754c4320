//! The fuzz targets (`tools/fuzz`) without a fuzzer: on every part of small files, on every byte of those
//! changed, and on whatever was once found to go wrong.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

#[path = "../fuzz/src/lib.rs"]
mod fuzz;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use fuzz::{TARGETS, run, seeds};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(path: PathBuf, out: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            files(entry.unwrap().path(), out);
        }
    } else {
        out.push(path);
    }
}

/// The seeds of the files below `dir` that are not larger than `largest`.
fn seeds_of(dir: PathBuf, largest: usize) -> Vec<seeds::Seed> {
    let mut paths = Vec::new();
    files(dir, &mut paths);
    let files = paths.iter().map(|path| fs::read(path).unwrap());
    let small = files.filter(|file| file.len() <= largest);
    let mut seeds: Vec<_> = small.flat_map(|file| seeds::of(&file)).collect();
    seeds.retain(|(_, bytes)| bytes.len() <= largest);
    seeds.sort();
    seeds.dedup();
    seeds
}

#[test]
fn what_was_found_stays_mended() {
    let mut paths = Vec::new();
    files(here().join("fuzz/regressions"), &mut paths);
    assert!(!paths.is_empty());
    for path in paths {
        let target = path.parent().unwrap().file_name().unwrap();
        run(target.to_str().unwrap(), &fs::read(&path).unwrap());
    }
}

#[test]
fn seeds_and_their_neighbours_do_no_harm() {
    let seeds = seeds_of(here().join("tests/fixtures"), 1 << 10);
    assert!(seeds.len() > 20);
    for (target, seed) in seeds {
        run(target, &seed);
        let mut bytes = seed.clone();
        for at in 0..seed.len() {
            run(target, &seed[..at]);
            for flip in [1, 128, 255] {
                bytes[at] ^= flip;
                run(target, &bytes);
                bytes[at] ^= flip;
            }
        }
    }
}

#[test]
fn every_target_takes_parts_of_real_files() {
    let Some(shared) = std::env::var_os("LITH_SHARED") else {
        eprintln!("LITH_SHARED is not set: the corpus is not read");
        return;
    };
    let mut counts = HashMap::new();
    for (target, seed) in seeds_of(Path::new(&shared).join("corpus"), 4 << 10) {
        run(target, &seed);
        *counts.entry(target).or_insert(0) += 1;
    }
    for target in &TARGETS {
        assert!(counts.contains_key(target.name), "{}", target.name);
    }
    eprintln!("{counts:?}");
}
