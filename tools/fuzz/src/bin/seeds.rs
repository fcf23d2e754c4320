//! `seeds OUT DIR..`: writes what the small files below the directories hold as `OUT/<target>/<digest>`, and the
//! names of all targets to standard output.

#![forbid(unsafe_code)]

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

use lith_fuzz::{TARGETS, seeds};

/// The largest file that is taken, and the largest part of one.
const LARGEST: usize = 32 << 10;

fn main() -> io::Result<()> {
    let mut paths = std::env::args_os().skip(1);
    let out = paths.next().expect("usage: seeds OUT DIR..");
    let out = Path::new(&out);
    for target in &TARGETS {
        fs::create_dir_all(out.join(target.name))?;
        println!("{}", target.name);
    }
    paths.try_for_each(|path| walk(Path::new(&path), out))
}

fn walk(path: &Path, out: &Path) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            walk(&entry?.path(), out)?;
        }
        return Ok(());
    }
    let known = path
        .extension()
        .is_some_and(|name| name == "parquet" || name == "orc" || name == "encrypted");
    if !known {
        return Ok(());
    }
    let file = fs::read(path)?;
    for (target, bytes) in seeds::of(&file) {
        if bytes.len() <= LARGEST {
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            let name = format!("{:016x}", hasher.finish());
            fs::write(out.join(target).join(name), bytes)?;
        }
    }
    Ok(())
}
