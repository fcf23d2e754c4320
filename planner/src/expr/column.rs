//! Columns as expressions name them: the parts of a name, where it was written, what it means.

use lith_format::types::LogicalType;

/// Bytes `start..end` of the predicate's text; empty where there is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The smallest span that holds both; an empty one adds nothing.
    pub fn union(self, other: Span) -> Span {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Span {
                start: self.start.min(other.start),
                end: self.end.max(other.end),
            },
        }
    }

    /// Whether it covers no text.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// Where something was written. It says nothing of what that means: all places are equal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place(pub Span);

impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What a column name was found to mean.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bound {
    /// Which top-level column of the table's schema.
    pub index: usize,
    /// Which field of each struct on the way down; empty for a top-level column.
    pub fields: Vec<usize>,
    /// The type Spark gives it: unsigned integers widened, every text a string.
    pub ty: LogicalType,
    /// Whether it may be null.
    pub nullable: bool,
}

/// A column, or a field of a struct column.
#[derive(Debug, Clone)]
pub struct Column {
    /// The parts of the name as written.
    pub path: Vec<String>,
    /// Where it was written.
    pub span: Span,
    /// What it means; `None` before resolution.
    pub bound: Option<Bound>,
}

impl Column {
    /// A column by the parts of its name, to be resolved.
    pub fn new<S: Into<String>>(path: impl IntoIterator<Item = S>) -> Self {
        Column {
            path: path.into_iter().map(Into::into).collect(),
            span: Span::default(),
            bound: None,
        }
    }

    /// The number of the top-level column, once resolved.
    pub fn index(&self) -> Option<usize> {
        self.bound.as_ref().map(|bound| bound.index)
    }

    /// The name as SQL, parts in back-quotes where they need them.
    pub fn sql(&self) -> String {
        let mut parts = self.path.iter();
        let first = parts.next().map(|part| identifier_sql(part));
        parts.fold(first.unwrap_or_default(), |name, field| {
            name + "." + &name_sql(field)
        })
    }
}

/// A name at the beginning of an expression: as `name_sql` writes it, and in back-quotes if it is a word
/// that means something else there.
pub fn identifier_sql(name: &str) -> String {
    const WORDS: &str = " all and any between case cast current_date current_time current_timestamp \
        current_user exists false in interval is like localtime localtimestamp not null or select some \
        trim true where ";
    match WORDS.contains(&format!(" {} ", name.to_ascii_lowercase())) {
        true => back_quoted(name),
        false => name_sql(name),
    }
}

/// A name in back-quotes, unless it is only ASCII letters, digits and `_` and does not start with a digit.
pub(crate) fn name_sql(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_plain = name.chars().all(plain) && name.starts_with(|c: char| !c.is_ascii_digit());
    match is_plain {
        true => name.to_owned(),
        false => back_quoted(name),
    }
}

/// A name in back-quotes.
pub(crate) fn back_quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// Bound columns are equal if they mean the same, however they were spelled; others by their names.
impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        match (&self.bound, &other.bound) {
            (Some(a), Some(b)) => a.index == b.index && a.fields == b.fields,
            (None, None) => self.path == other.path,
            _ => false,
        }
    }
}
