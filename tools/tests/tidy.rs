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

/// Every source file of a crate with its text, tests cut off.
fn sources(name: &str) -> Vec<(PathBuf, String)> {
    fn walk(dir: &Path, out: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("tests.rs")
            {
                let text = fs::read_to_string(&path).unwrap();
                let tests = ["mod tests", "pub(crate) mod tests"].map(|module| {
                    let start = format!("#[cfg(test)]\n{module}");
                    text.find(&start).unwrap_or(text.len())
                });
                let code = text[..tests[0].min(tests[1])].to_string();
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
        let rooms = rooms(name);
        assert_none(complaints(&[name], |path, line| {
            let own = module(name, path);
            let used = paths(line, &own);
            let above = |used: &Vec<String>| rooms.iter().find_map(|room| room.above(&own, used));
            used.iter().find_map(above)
        }));
    }
}

/// A module whose children lie in layers.
struct Room {
    /// Where it is in its crate.
    path: Vec<String>,
    layers: HashMap<String, usize>,
}

impl Room {
    /// Why code in module `own` may not name `used`.
    fn above(&self, own: &[String], used: &[String]) -> Option<String> {
        let child = |path: &[String]| path.strip_prefix(&self.path[..])?.first().cloned();
        let (own, used) = (child(own)?, child(used)?);
        let (own_layer, used_layer) = (self.layers.get(&own)?, self.layers.get(&used)?);
        (own != used && used_layer >= own_layer)
            .then(|| format!("{own} (layer {own_layer}) uses {used} (layer {used_layer})"))
    }
}

/// The modules of a crate that group their children by `// Layer n`; its root must.
fn rooms(name: &str) -> Vec<Room> {
    let mut out = Vec::new();
    for (path, code) in sources(name) {
        let is_root = path.ends_with("src/lib.rs");
        if is_root || code.contains("\n// Layer ") {
            out.push(Room {
                path: module(name, &path),
                layers: layers(&path, &code),
            });
        }
    }
    out
}

/// Module -> layer, from the `// Layer n` groups of the module above them.
fn layers(path: &Path, code: &str) -> HashMap<String, usize> {
    let (mut layer, mut out) = (None, HashMap::new());
    for line in code.lines() {
        if let Some(number) = line.strip_prefix("// Layer ") {
            let number = number.split([' ', ':']).next().unwrap();
            layer = number.parse::<usize>().ok();
        } else if let Some((_, module)) = line
            .strip_suffix(';')
            .and_then(|line| line.split_once("mod "))
        {
            let layer = layer.unwrap_or_else(|| panic!("{path:?}: {module} is in no layer"));
            out.insert(module.to_string(), layer);
        }
    }
    out
}

/// The module that a source file of a crate holds.
fn module(name: &str, path: &Path) -> Vec<String> {
    let inside = path.strip_prefix(root().join(name).join("src")).unwrap();
    let inside = inside.with_extension("");
    let parts = inside.iter().map(|part| part.to_str().unwrap().to_string());
    parts
        .filter(|part| !["lib", "main", "mod"].contains(&part.as_str()))
        .collect()
}

/// What a line of code in module `own` names by `crate::` or `super::`, from the root of the crate.
fn paths(line: &str, own: &[String]) -> Vec<Vec<String>> {
    let code = line.split("//").next().unwrap();
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let absolute = |word: &str| {
        let mut parts = word.split("::").peekable();
        let mut path = match *parts.peek()? {
            "crate" => Vec::new(),
            "super" => own.to_vec(),
            _ => return None,
        };
        parts.next_if_eq(&"crate");
        while parts.next_if_eq(&"super").is_some() {
            path.pop();
        }
        path.extend(parts.map(str::to_string));
        Some(path)
    };
    words.filter_map(absolute).collect()
}

#[test]
fn files_are_short_and_say_what_they_decide() {
    let mut wrong = Vec::new();
    for (path, code) in CRATES.iter().flat_map(|name| sources(name)) {
        if code.lines().count() > 500 {
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
fn functions_are_short() {
    let mut wrong = Vec::new();
    for (path, code) in CRATES.iter().flat_map(|name| sources(name)) {
        for (number, length) in function_lengths(&code) {
            if length > 60 {
                wrong.push(format!(
                    "{}:{number}: a function of {length} lines",
                    path.display()
                ));
            }
        }
    }
    assert_none(wrong);
}

/// Where functions begin and how many lines they have: one ends where its indentation comes back with a
/// brace alone, as the formatter lays it out.
fn function_lengths(code: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let begins = |line: &str| {
        let mut words = line.split_whitespace().skip_while(|word| {
            word.starts_with("pub") || ["const", "async", "unsafe"].contains(word)
        });
        words.next() == Some("fn")
    };
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| begins(line)) {
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &&str| {
            let rest = line.strip_prefix(indent);
            rest.is_some_and(|rest| rest == "}" || (!rest.starts_with(' ') && rest.ends_with(';')))
        };
        let after = match line.ends_with(['}', ';']) {
            true => 0,
            false => 1 + lines[at + 1..].iter().position(ends).unwrap(),
        };
        out.push((at + 1, 1 + after));
    }
    out
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
