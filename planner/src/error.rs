//! Why a predicate was refused, and at which place of its text.
//!
//! Every error has a kind to decide by, a message without a full stop, and the bytes of the text it is
//! about. [`PlanError::with_caret`] shows them:
//!
//! ```text
//! colB = 2 AND nope > 2
//!              ^^^^
//! ```

use std::fmt;

use crate::expr::{Span, identifier_sql};

/// The result of planning.
pub type Result<T, E = PlanError> = std::result::Result<T, E>;

/// What is wrong with a predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanErrorKind {
    /// The text is no condition.
    Parse,
    /// No column has this name.
    UnknownColumn {
        /// The names that come closest, closest first.
        nearest: Vec<String>,
    },
    /// Several columns have this name when case is ignored.
    AmbiguousColumn,
    /// Operands that do not go together, or a condition that is not boolean.
    TypeMismatch,
    /// Valid in Spark, but not understood here.
    Unsupported,
    /// A value that the expression cannot be computed for: overflow, division by zero, a malformed cast.
    Evaluate,
}

/// `||` joins texts, though it is written for OR.
pub(crate) const BARS: &str = "|| joins texts: is OR meant?";

/// A refused predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanError {
    kind: PlanErrorKind,
    message: String,
    /// Whether the message names the part of the condition.
    names_part: bool,
    span: Span,
}

impl PlanError {
    /// An error of a kind; the message is lower case without a full stop.
    #[cold]
    pub fn new(kind: PlanErrorKind, message: impl Into<String>) -> Self {
        PlanError {
            kind,
            message: message.into(),
            names_part: false,
            span: Span::default(),
        }
    }

    /// The text is no expression.
    #[cold]
    pub fn parse(message: impl Into<String>) -> Self {
        Self::new(PlanErrorKind::Parse, message)
    }

    /// Types that do not go together.
    #[cold]
    pub fn type_mismatch(message: impl Into<String>) -> Self {
        Self::new(PlanErrorKind::TypeMismatch, message)
    }

    /// Not understood here.
    #[cold]
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(PlanErrorKind::Unsupported, message)
    }

    /// A value that cannot be computed.
    #[cold]
    pub fn evaluate(message: impl Into<String>) -> Self {
        Self::new(PlanErrorKind::Evaluate, message)
    }

    /// Adds the place, if none is known yet.
    pub fn at(mut self, span: Span) -> Self {
        if self.span.is_empty() {
            self.span = span;
        }
        self
    }

    /// The error, saying besides that this column may have been meant.
    pub(crate) fn meant(mut self, name: &str) -> Self {
        if let PlanErrorKind::UnknownColumn { nearest } = &mut self.kind {
            *nearest = vec![name.to_owned()];
            return self;
        }
        self.noting(&format!("did you mean {}?", identifier_sql(name)))
    }

    /// The error, with something more to say.
    pub(crate) fn noting(mut self, note: &str) -> Self {
        self.message = format!("{}; {note}", self.message);
        self
    }

    /// Adds the part of the condition that could not be computed and its place, if none is known yet.
    pub(crate) fn within(mut self, part: &str, span: Span, note: Option<&str>) -> Self {
        if !self.names_part {
            self.message = format!("{} in {part}", self.message);
            self.names_part = true;
            if let Some(note) = note {
                self = self.noting(note);
            }
        }
        self.at(span)
    }

    /// Adds a note on where an unknown column was found, which replaces the proposals of similar names.
    pub fn known_elsewhere(mut self, note: &str) -> Self {
        if let PlanErrorKind::UnknownColumn { nearest } = &mut self.kind {
            nearest.clear();
        }
        self.noting(note)
    }

    /// The same of a name in a list of columns: there the predicate is not to blame.
    pub(crate) fn of_column(self, name: &str) -> Self {
        let message = match self.kind {
            PlanErrorKind::Parse => format!("{name:?} is no column name: {}", self.message),
            _ => self.message,
        };
        Self::new(self.kind, message)
    }

    /// The kind.
    pub fn kind(&self) -> &PlanErrorKind {
        &self.kind
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The place; empty if unknown.
    pub fn span(&self) -> Span {
        self.span
    }

    /// In one line with the place in the condition's text, counted in characters from 1.
    pub fn in_predicate(&self, text: &str) -> String {
        match self.character(text) {
            Some(character) => format!("predicate, character {character}: {self}"),
            None => self.to_string(),
        }
    }

    /// The same of a text that an option of the command line gives.
    pub fn in_option(&self, option: &str, text: &str) -> String {
        match self.character(text) {
            Some(character) => format!("{option}, character {character}: {self}"),
            None => format!("{option}: {self}"),
        }
    }

    /// Which character of the text it is at, counted from 1.
    fn character(&self, text: &str) -> Option<usize> {
        let before = text.get(..self.span.start)?;
        (!self.span.is_empty()).then(|| before.chars().count() + 1)
    }

    /// Two lines: the line of `text` that the error is in, and carets below the place. `None` if the
    /// place is unknown or not of this text.
    pub fn with_caret(&self, text: &str) -> Option<String> {
        let Span { start, end } = self.span;
        let before = text.get(..start)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next().unwrap_or("");
        let end = end.min(line_start + line.len()).max(start);
        let indent: String = text[line_start..start]
            .chars()
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let carets = "^".repeat(text.get(start..end)?.chars().count().max(1));
        (!self.span.is_empty() || start > 0).then(|| format!("{line}\n{indent}{carets}"))
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.kind {
            PlanErrorKind::UnknownColumn { nearest } if !nearest.is_empty() => {
                let names: Vec<String> = nearest.iter().map(|name| identifier_sql(name)).collect();
                write!(f, "; did you mean {}?", names.join(", "))
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for PlanError {}

/// For callers that use the common error type.
impl From<PlanError> for lith_format::error::Error {
    fn from(error: PlanError) -> Self {
        lith_format::error::Error::invalid(error.to_string()).with_source(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_below_the_place_even_on_later_lines_and_after_wide_letters() {
        let text = "a = 1 AND\n'ü' = nope";
        let start = text.find("nope").unwrap();
        let error = PlanError::parse("x").at(Span {
            start,
            end: start + 4,
        });
        assert_eq!(error.with_caret(text).unwrap(), "'ü' = nope\n      ^^^^");
        assert_eq!(PlanError::parse("x").with_caret(text), None);
        let past = PlanError::parse("x").at(Span { start: 90, end: 91 });
        assert_eq!(past.with_caret(text), None);
    }

    #[test]
    fn the_end_of_the_text_has_a_caret_too() {
        let error = PlanError::parse("x").at(Span { start: 6, end: 7 });
        assert_eq!(error.with_caret("colB =").unwrap(), "colB =\n      ^");
    }
}
