//! What the fuzz targets do with bytes, as plain functions: `tools/tests/fuzz.rs` calls them with seeds and with
//! all that was ever found (`regressions/`), on a stable compiler; `fuzz_targets/` gives them to libFuzzer.
//!
//! ```text
//! run     corpus: files -> seeds::write -> libFuzzer, a target at a time
//! target  bytes -> decode -> an error, or a value: sound by its own rules, and the same once encoded and decoded
//! ```
//! A target fails by panicking, by taking more than its memory, or by taking too long.

#![forbid(unsafe_code)]

mod column;
mod file;
mod orc;
mod parquet;
pub mod seeds;
mod streams;
mod stripe;

use std::fmt::Debug;

use lith_format::limits::Limits;

/// Something that takes bytes of a stranger.
pub struct Target {
    /// Its name, and that of its directory of seeds.
    pub name: &'static str,
    /// Gives it bytes; panics where it does wrong.
    pub run: fn(&[u8]),
}

const fn target(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, run }
}

/// Every target.
pub const TARGETS: [Target; 30] = [
    target("parquet_footer", parquet::footer),
    target("parquet_tail", parquet::tail),
    target("parquet_page_header", parquet::page_header),
    target("parquet_column_index", parquet::column_index),
    target("parquet_offset_index", parquet::offset_index),
    target("parquet_bloom_filter", parquet::bloom_filter),
    target("parquet_tree", parquet::tree),
    target("variant", parquet::variant),
    target("orc_tail", orc::tail),
    target("orc_stripe_footer", orc::stripe_footer),
    target("orc_row_index", orc::row_index),
    target("orc_bloom_filter", orc::bloom_filter),
    target("orc_tree", orc::tree),
    target("orc_column", column::column),
    target("orc_byte_rle", streams::byte_rle),
    target("orc_boolean_rle", streams::boolean_rle),
    target("orc_rle_v1", streams::rle_v1),
    target("orc_rle_v2", streams::rle_v2),
    target("orc_float", streams::float),
    target("orc_text", streams::text),
    target("orc_dictionary", streams::dictionary),
    target("orc_decimal", streams::decimal),
    target("orc_timestamp", streams::timestamp),
    target("orc_list", streams::list),
    target("orc_map", streams::map),
    target("orc_union", streams::union),
    target("orc_chunks", streams::chunks),
    target("scan", file::scan),
    target("encrypted", file::encrypted),
    target("meta", file::meta),
];

/// Gives bytes to the target of this name.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.expect("the target is in the list");
    (target.run)(bytes);
}

/// What an input may make us spend: little, so that going beyond it shows.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.footer_bytes = 16 << 20;
    limits.page_bytes = 16 << 20;
    limits.chunk_bytes = 64 << 20;
    limits.schema_nodes = 1 << 16;
    limits
}

/// Panics unless `value` is the same once encoded and decoded. NaN is the same as itself.
fn comes_back<T: PartialEq + Debug>(value: &T, back: &T) {
    if value != back {
        assert_eq!(format!("{value:?}"), format!("{back:?}"));
    }
}
