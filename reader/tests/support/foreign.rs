//! For tests on files of other writers, which are below the directory that `LITH_SHARED` names.

use std::path::{Path, PathBuf};

/// The Parquet and ORC files below some folders of that directory; `None`, and a note on standard error, without it.
pub(crate) fn files(folders: &[&str]) -> Option<Vec<PathBuf>> {
    let Some(shared) = std::env::var_os("LITH_SHARED").map(PathBuf::from) else {
        eprintln!("LITH_SHARED is not set: no files of other writers are read");
        return None;
    };
    let mut files = Vec::new();
    for folder in folders {
        add_files_below(&shared.join(folder), &mut files);
    }
    Some(files)
}

fn add_files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => add_files_below(&path, out),
            _ if name.to_string_lossy().starts_with('.') => {}
            Some("parquet" | "orc") => out.push(path),
            _ => {}
        }
    }
}
