//! The house rules that a compiler does not check: the star of crates, the layers inside them, the
//! size of files, and where unsafe code may be.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail where it likes"
)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

const CRATES: [&str; 6] = ["format", "reader", "writer", "planner", "tools", "benches"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every source file of a crate with its text, tests at the foot cut off.
fn sources(name: &str) -> Vec<(PathBuf, String)> {
    fn walk(dir: &Path, out: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code = text
                    .split("#[cfg(test)]\nmod tests")
                    .next()
                    .unwrap()
                    .to_string();
                out.push((path, code));
            }
        }
    }
    let mut out = Vec::new();
    walk(&root().join(name).join("src"), &mut out);
    assert!(!out.is_empty(), "no sources in {name}");
    out
}

/// The lines of all sources of `names` for which `wrong` gives a reason.
fn complaints(names: &[&str], wrong: impl Fn(&Path, &str) -> Option<String>) -> Vec<String> {
    let mut out = Vec::new();
    for (path, code) in names.iter().flat_map(|name| sources(name)) {
        for (number, line) in code.lines().enumerate() {
            if let Some(reason) = wrong(&path, line) {
                out.push(format!("{}:{}: {reason}", path.display(), number + 1));
            }
        }
    }
    out
}

fn assert_none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn spokes_know_only_the_hub() {
    let spokes = ["reader", "writer", "planner"];
    assert_none(complaints(
        &["format", "reader", "writer", "planner"],
        |path, line| {
            let own = CRATES
                .iter()
                .find(|name| path.starts_with(root().join(name)))?;
            let other = spokes
                .iter()
                .find(|spoke| *spoke != own && line.contains(&format!("lith_{spoke}")))?;
            Some(format!("{own} names {other}"))
        },
    ));
}

#[test]
fn the_formats_never_name_each_other() {
    assert_none(complaints(&["format", "reader", "writer"], |path, line| {
        let inside = |room: &str| path.components().any(|part| part.as_os_str() == room);
        let foreign = (inside("parquet") && line.contains("orc::"))
            || (inside("orc") && line.contains("parquet::"));
        (foreign && !line.trim_start().starts_with("//"))
            .then(|| "one format names the other".to_string())
    }));
}

#[test]
fn modules_use_lower_layers_only() {
    for name in ["format", "reader", "writer", "planner", "tools"] {
        let layers = layers(name);
        let source = root().join(name).join("src");
        assert_none(complaints(&[name], |path, line| {
            let inside = path.strip_prefix(&source).ok()?.with_extension("");
            let own = inside
                .components()
                .next()?
                .as_os_str()
                .to_str()?
                .to_string();
            let used = line.trim_start().strip_prefix("use crate::")?;
            let used = used
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()?;
            let (own_layer, used_layer) = (layers.get(&own)?, layers.get(used)?);
            (own != used && used_layer >= own_layer)
                .then(|| format!("{own} (layer {own_layer}) uses {used} (layer {used_layer})"))
        }));
    }
}

/// Module -> layer, from the `// Layer n` groups of a crate's root.
fn layers(name: &str) -> HashMap<String, usize> {
    let text = fs::read_to_string(root().join(name).join("src/lib.rs")).unwrap();
    let (mut layer, mut out) = (None, HashMap::new());
    for line in text.lines() {
        if let Some(number) = line.strip_prefix("// Layer ") {
            layer = number.split(' ').next().unwrap().parse::<usize>().ok();
        } else if let Some((_, module)) = line
            .strip_suffix(';')
            .and_then(|line| line.split_once("mod "))
        {
            let layer =
                layer.unwrap_or_else(|| panic!("{name}: module {module} belongs to no layer"));
            out.insert(module.to_string(), layer);
        }
    }
    out
}

#[test]
fn files_are_short_and_say_what_they_decide() {
    let mut wrong = Vec::new();
    for (path, code) in CRATES.iter().flat_map(|name| sources(name)) {
        let only_tests = path.ends_with("tests.rs");
        if code.lines().count() > 500 && !only_tests {
            wrong.push(format!(
                "{}: {} lines before the tests",
                path.display(),
                code.lines().count()
            ));
        }
        if !code.starts_with("//!") {
            wrong.push(format!("{}: no description at the top", path.display()));
        }
    }
    assert_none(wrong);
}

#[test]
fn unsafe_code_is_in_the_kernels_and_the_memory_map() {
    assert_none(complaints(&CRATES, |path, line| {
        let code = line.split("//").next()?;
        let allowed = path.components().any(|part| part.as_os_str() == "kernel")
            || path.ends_with("reader/src/source.rs");
        let found =
            code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl");
        (found && !allowed).then(|| "unsafe code".to_string())
    }));
}

#[test]
fn nothing_is_left_undone() {
    let marks = ["todo!(", "unimplemented!(", "TODO", "FIXME", "XXX"];
    assert_none(complaints(&CRATES, |_, line| {
        marks
            .iter()
            .find(|mark| line.contains(**mark))
            .map(|mark| mark.to_string())
    }));
}

#[test]
fn no_other_implementation_is_linked() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let names = lock
        .lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let barred = ["arrow", "parquet", "orc", "polars", "datafusion", "vortex"];
    let found: Vec<&str> = names
        .filter(|name| barred.iter().any(|peer| name.starts_with(peer)))
        .collect();
    assert!(found.is_empty(), "linked: {found:?}");
}
