//! The questions to Bloom filters that the shared corpus has answers to. It is found through `LITH_SHARED`;
//! without it, only this is said.

use std::fs;
use std::path::{Path, PathBuf};

use lith_format::compress::{Codec, decompress};
use serde_json::Value;

/// The directory of the corpus.
pub fn corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("LITH_SHARED").map(PathBuf::from);
    if shared.is_none() {
        eprintln!("LITH_SHARED is not set: the Bloom filters of the corpus are not tested");
    }
    Some(shared?.join("corpus"))
}

/// One entry a column with a filter: of ORC files, or of all others.
pub fn columns(corpus: &Path, orc: bool) -> Vec<Value> {
    let stored = fs::read(corpus.join("expected/bloom_probes.jsonl.gz")).unwrap();
    let mut lines = Vec::new();
    decompress(Codec::Gzip, &stored, 1 << 30, &mut lines).unwrap();
    let lines = lines.split(|&byte| byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    let columns = lines.map(|line| serde_json::from_slice::<Value>(line).unwrap());
    let is_wanted = |column: &Value| column["file"].as_str().unwrap().ends_with(".orc") == orc;
    columns.filter(is_wanted).collect()
}
