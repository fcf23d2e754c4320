//! How paths of columns are written, where a name may hold dots itself.

/// The parts of a path joined by dots; those that hold dots or back-quotes are in back-quotes.
pub fn shown_path(path: &[impl AsRef<str>]) -> String {
    let parts = path.iter().map(|part| match part.as_ref() {
        part if part.contains(['.', '`']) => format!("`{}`", part.replace('`', "``")),
        part => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join(".")
}
