//! The text that `df.where("...")` takes, as an unresolved [`Expr`].
//!
//! Words and grammar come from `sqlparser` with a dialect of our own. What Spark does differently is
//! settled on the tokens before they are parsed, because there it is local: numbers carry their type
//! (`10L`, `1.5D`, `1e2BD`), strings stand in either quote, unescape by Spark's rules (`\%` and `\_`
//! keep their backslash for LIKE) and join when adjacent. Chains of AND and OR become balanced trees.

mod call;
mod convert;
mod literal;
mod mistakes;

use std::any::TypeId;

use sqlparser::dialect::{DatabricksDialect, Dialect, Precedence, SparkSqlDialect};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, Whitespace};

use crate::error::{PlanError, Result};
use crate::expr::{Expr, MAX_DEPTH, Span};

pub(crate) use literal::{parse_decimal, type_by_name};

/// Brackets, NOTs and the like that may stand inside each other.
pub const MAX_NESTING: usize = 250;

/// Text with more tokens than this is parsed on a thread with a stack that suffices for all of them.
const LONG: usize = 200;
/// What brackets that stand inside each other take of a stack, at most.
const NESTING_STACK: usize = 32 << 20;
/// What each token of a chain takes of it.
const TOKEN_STACK: usize = 1 << 10;

/// Parses a whole predicate; anything after it is an error.
pub fn parse(text: &str) -> Result<Expr> {
    let places = Places::new(text);
    let tokens = tokens(text, &places)?;
    if tokens.len() <= LONG {
        return parse_tokens(tokens, &places);
    }
    // the parser recurses on nesting, which it limits, and drops its chains recursively
    let stack = NESTING_STACK + TOKEN_STACK * tokens.len();
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(stack)
            .spawn_scoped(scope, || parse_tokens(tokens, &places))
            .map_err(|error| PlanError::parse(format!("no thread to parse on: {error}")))?
            .join()
            .unwrap_or_else(|_| Err(PlanError::parse("the parser failed")))
    })
}

fn parse_tokens(tokens: Vec<TokenWithSpan>, places: &Places) -> Result<Expr> {
    let dialect = PredicateDialect;
    let mut parser = Parser::new(&dialect)
        .with_recursion_limit(MAX_NESTING)
        .with_tokens_with_locations(tokens);
    let parsed = parser.parse_expr();
    let rest = parser.next_token();
    let ast = parsed.map_err(|error| places.parse_error(error))?;
    if rest.token != Token::EOF {
        return Err(mistakes::after_end(&rest.token).at(places.span(rest.span)));
    }
    let expr = convert::Converter::new(places).expr(ast)?;
    match expr.depth() > MAX_DEPTH {
        true => Err(too_deep()),
        false => Ok(expr),
    }
}

fn too_deep() -> PlanError {
    PlanError::parse(format!("the expression has more than {MAX_DEPTH} levels"))
}

/// Spark's grammar of expressions, as far as `sqlparser` lets a dialect say it.
#[derive(Debug)]
struct PredicateDialect;

impl Dialect for PredicateDialect {
    fn dialect(&self) -> TypeId {
        TypeId::of::<DatabricksDialect>()
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        ch == '`'
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        ch.is_ascii_alphabetic() || ch == '_'
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        ch.is_ascii_alphanumeric() || ch == '_'
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        true
    }

    fn supports_nested_comments(&self) -> bool {
        true
    }

    fn supports_bang_not_operator(&self) -> bool {
        true
    }

    fn supports_lambda_functions(&self) -> bool {
        true
    }

    fn supports_comparison_in_between_low_bound(&self) -> bool {
        true
    }

    fn allow_extract_custom(&self) -> bool {
        true
    }

    fn require_interval_qualifier(&self) -> bool {
        true
    }

    fn prec_value(&self, precedence: Precedence) -> u8 {
        match precedence {
            // LIKE takes a value on its right, as a comparison does
            Precedence::Like => SparkSqlDialect.prec_value(Precedence::Eq),
            other => SparkSqlDialect.prec_value(other),
        }
    }

    fn parse_infix(
        &self,
        parser: &mut Parser,
        expr: &sqlparser::ast::Expr,
        precedence: u8,
    ) -> Option<Result<sqlparser::ast::Expr, ParserError>> {
        SparkSqlDialect.parse_infix(parser, expr, precedence)
    }
}

/// The tokens without space, numbers whole, strings unescaped and joined.
fn tokens(text: &str, places: &Places) -> Result<Vec<TokenWithSpan>> {
    let raw = Tokenizer::new(&PredicateDialect, text)
        .with_unescape(false)
        .tokenize_with_location()
        .map_err(|error| {
            let start = places.offset(error.location);
            let message = error.message.trim_end();
            PlanError::parse(mistakes::parser_message(message)).at(Span {
                start,
                end: start + 1,
            })
        })?;
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(raw.len());
    for mut token in raw {
        if matches!(token.token, Token::Whitespace(_)) {
            check_comment(&token, places)?;
            continue;
        }
        if let Some(error) = mistakes::token(&token, &out) {
            return Err(error.at(places.span(token.span)));
        }
        match out.pop_if(|last| is_raw_mark(last, &token)) {
            Some(mark) => {
                keep_raw(&mut token.token);
                token.span.start = mark.span.start;
            }
            None => unescape(&mut token.token),
        }
        if let (Token::SingleQuotedString(_), Some(last)) = (&token.token, out.last_mut()) {
            literal::rename_type(&mut last.token);
        }
        if !out.last_mut().is_some_and(|last| join(last, &token)) {
            out.push(token);
        }
    }
    Ok(out)
}

/// The tokenizer lets a block comment end with the text.
fn check_comment(token: &TokenWithSpan, places: &Places) -> Result<()> {
    let Token::Whitespace(Whitespace::MultiLineComment(_)) = &token.token else {
        return Ok(());
    };
    let span = places.span(token.span);
    if places
        .text
        .get(..span.end)
        .is_some_and(|text| text.ends_with("*/"))
    {
        Ok(())
    } else {
        Err(PlanError::parse("unterminated comment").at(span))
    }
}

/// Whether `mark` is the `r` of a raw string that `next` is the rest of.
fn is_raw_mark(mark: &TokenWithSpan, next: &TokenWithSpan) -> bool {
    let is_string = matches!(
        next.token,
        Token::SingleQuotedString(_) | Token::DoubleQuotedString(_)
    );
    let is_mark = matches!(
        &mark.token,
        Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case("r")
    );
    is_string && is_mark && mark.span.end == next.span.start
}

/// A raw string holds what is written; a second one may follow at once, and is not raw.
fn keep_raw(token: &mut Token) {
    let (text, quote) = match token {
        Token::SingleQuotedString(text) => (text, '\''),
        Token::DoubleQuotedString(text) => (text, '"'),
        _ => return,
    };
    let text = match text.split_once(&format!("{quote}{quote}")) {
        Some((raw, more)) => raw.to_owned() + &literal::unescape(more, quote),
        None => text.clone(),
    };
    *token = Token::SingleQuotedString(text);
}

fn unescape(token: &mut Token) {
    match token {
        Token::SingleQuotedString(text) => *text = literal::unescape(text, '\''),
        Token::DoubleQuotedString(text) => {
            *token = Token::SingleQuotedString(literal::unescape(text, '"'));
        }
        Token::Word(word) if word.quote_style.is_some() => {
            word.value = word.value.replace("``", "`");
        }
        _ => {}
    }
}

/// Joins `next` to `last` if they are a number and its type letters, or two strings.
fn join(last: &mut TokenWithSpan, next: &TokenWithSpan) -> bool {
    let adjacent = last.span.end == next.span.start;
    let joined = match (&mut last.token, &next.token) {
        (Token::Number(digits, false), Token::Word(word))
            if adjacent && word.quote_style.is_none() && literal::is_number_suffix(&word.value) =>
        {
            digits.push_str(&word.value);
            true
        }
        (Token::SingleQuotedString(text), Token::SingleQuotedString(more)) => {
            text.push_str(more);
            true
        }
        _ => false,
    };
    if joined {
        last.span.end = next.span.end;
    }
    joined
}

/// From `sqlparser`'s lines and columns to bytes of the text.
struct Places<'a> {
    text: &'a str,
    lines: Vec<Vec<usize>>,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Self {
        let mut lines = vec![Vec::new()];
        for (offset, c) in text.char_indices() {
            if let Some(line) = lines.last_mut() {
                line.push(offset);
            }
            if c == '\n' {
                lines.push(Vec::new());
            }
        }
        Places { text, lines }
    }

    /// The byte offset; the end of the text for places past it.
    fn offset(&self, location: Location) -> usize {
        let index = |number: u64| usize::try_from(number).ok()?.checked_sub(1);
        index(location.line)
            .and_then(|line| self.lines.get(line)?.get(index(location.column)?).copied())
            .unwrap_or(self.text.len())
    }

    fn span(&self, span: sqlparser::tokenizer::Span) -> Span {
        if span.start.line == 0 {
            return Span::default();
        }
        let (start, end) = (self.offset(span.start), self.offset(span.end));
        Span {
            start,
            end: end.max(start + 1),
        }
    }

    /// Whether the text at the place begins so, whatever the case.
    fn is_at(&self, span: Span, start: &str) -> bool {
        let found = self.text.get(span.start..span.start + start.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(start))
    }

    /// The last word that begins so before the place; the place if there is none.
    fn word_before(&self, span: Span, start: &str) -> Span {
        let before = self.text.get(..span.start).unwrap_or_default();
        match before.to_ascii_lowercase().rfind(start) {
            Some(at) => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let length = self.text.as_bytes()[at..].iter().take_while(|b| is_part(b));
                Span {
                    start: at,
                    end: at + length.count(),
                }
            }
            None => span,
        }
    }

    /// `sqlparser` gives the place as the tail of its message.
    fn parse_error(&self, error: ParserError) -> PlanError {
        let message = match error {
            ParserError::TokenizerError(message) | ParserError::ParserError(message) => message,
            ParserError::RecursionLimitExceeded => {
                format!("the expression is nested more than {MAX_NESTING} deep")
            }
        };
        let (message, place) = match message.rsplit_once(" at Line: ") {
            Some((message, place)) => (message, place),
            None => (message.as_str(), ""),
        };
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let start = place
            .split_once(", Column: ")
            .and_then(|(line, column)| {
                Some(self.offset(Location {
                    line: number(line)?,
                    column: number(column)?,
                }))
            })
            .unwrap_or(self.text.len());
        let error = if message.starts_with("No infix parser") {
            let rest = self.text.get(start..).unwrap_or_default();
            let is_sign = |c: &char| c.is_ascii_punctuation() && !"'\"`()".contains(*c);
            mistakes::operator(&rest.chars().take_while(is_sign).collect::<String>())
        } else {
            PlanError::parse(mistakes::parser_message(message))
        };
        error.at(Span {
            start,
            end: start + 1,
        })
    }
}

#[cfg(test)]
mod tests;
