//! Text that is safe to show.

/// The text with control characters as escapes (`\n`, `\u{1b}`).
pub fn escape_controls(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_string();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}
