//! Parses columns as they are declared in SQL: `id bigint, tags array<string>, pos struct<x: double, y: double>`.
//!
//! Also the catalog's notation of the same, with colons. `NOT NULL` and `COMMENT '..'` may follow a type; texts of
//! limited length are strings, as Spark reads them from files.

use std::sync::Arc;

use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;

use crate::error::{PlanError, Result};
use crate::expr::Span;
use crate::sql::type_by_name;

/// How deep types may be nested.
const MAX_DEPTH: usize = 64;

/// The columns of a declaration, perhaps none.
///
/// # Errors
/// A text that is no list of columns, an unknown type, and a name that is there twice, whatever its case.
pub fn parse_columns(text: &str) -> Result<Schema> {
    let mut parser = Parser { text, at: 0 };
    let mut fields = Vec::new();
    if !parser.is_at_end() {
        fields = parser.fields(0)?;
    }
    if !parser.is_at_end() {
        return Err(parser.expected("a comma"));
    }
    check_names(&fields, "column")?;
    Ok(Schema::new(fields))
}

/// Each name once, whatever its case.
fn check_names(fields: &[Field], what: &str) -> Result<()> {
    let mut names: Vec<String> = fields
        .iter()
        .map(|field| field.name.to_lowercase())
        .collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(twice) => {
            let message = format!("the {what} {} is declared twice", twice[0]);
            Err(PlanError::parse(message))
        }
        None => Ok(()),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    fn is_at_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    #[cold]
    fn expected(&mut self, what: &str) -> PlanError {
        let found = match self.rest().chars().next() {
            Some(letter) => format!("found {letter}"),
            None => "found the end".to_owned(),
        };
        let span = Span {
            start: self.at,
            end: self.at + 1,
        };
        PlanError::parse(format!("expected {what}, {found}")).at(span)
    }

    fn takes(&mut self, mark: char) -> bool {
        let found = self.rest().starts_with(mark);
        self.at += if found { mark.len_utf8() } else { 0 };
        found
    }

    fn must_take(&mut self, mark: char) -> Result<()> {
        match self.takes(mark) {
            true => Ok(()),
            false => Err(self.expected(&mark.to_string())),
        }
    }

    /// Letters, digits and `_`.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn takes_word(&mut self, wanted: &str) -> bool {
        let start = self.at;
        let found = self.word().eq_ignore_ascii_case(wanted);
        if !found {
            self.at = start;
        }
        found
    }

    /// A word, or anything in back-quotes.
    fn name(&mut self) -> Result<String> {
        if !self.takes('`') {
            return match self.word() {
                "" => Err(self.expected("a name")),
                word => Ok(word.to_owned()),
            };
        }
        let mut name = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(end) = rest.find('`') else {
                return Err(PlanError::parse("a back-quote is not closed"));
            };
            name.push_str(&rest[..end]);
            self.at += end + 1;
            if !self.text[self.at..].starts_with('`') {
                return Ok(name);
            }
            name.push('`');
            self.at += 1;
        }
    }

    fn fields(&mut self, depth: usize) -> Result<Vec<Field>> {
        let mut fields = Vec::new();
        loop {
            let name = self.name()?;
            self.takes(':');
            let ty = self.ty(depth)?;
            let required = self.takes_word("not");
            if required && !self.takes_word("null") {
                return Err(self.expected("NULL"));
            }
            if self.takes_word("comment") {
                self.comment()?;
            }
            fields.push(match required {
                true => Field::required(&name, ty),
                false => Field::nullable(&name, ty),
            });
            if !self.takes(',') {
                return Ok(fields);
            }
        }
    }

    /// Text in single or double quotes. Two quotes stand for one in it, and a backslash takes the meaning from the
    /// next character.
    fn comment(&mut self) -> Result<()> {
        let quote = if self.takes('"') { '"' } else { '\'' };
        if quote == '\'' {
            self.must_take(quote)?;
        }
        let mut letters = self.text[self.at..].char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            if letter == '\\' {
                letters.next();
            } else if letter == quote && letters.next_if(|next| next.1 == quote).is_none() {
                self.at += at + 1;
                return Ok(());
            }
        }
        Err(PlanError::parse("a comment is not closed"))
    }

    fn ty(&mut self, depth: usize) -> Result<LogicalType> {
        if depth > MAX_DEPTH {
            let message = format!("types are nested more than {MAX_DEPTH} levels deep");
            return Err(PlanError::parse(message));
        }
        self.rest();
        let (start, name) = (self.at, self.word().to_lowercase());
        let nullable = |name: &str, ty| Field::nullable(name, ty);
        let ty = match name.as_str() {
            "array" => {
                self.must_take('<')?;
                LogicalType::List(Arc::new(nullable("element", self.ty(depth + 1)?)))
            }
            "map" => {
                self.must_take('<')?;
                let key = Field::required("key", self.ty(depth + 1)?);
                self.must_take(',')?;
                LogicalType::Map(Arc::new([key, nullable("value", self.ty(depth + 1)?)]))
            }
            "struct" => {
                self.must_take('<')?;
                let fields = self.fields(depth + 1)?;
                check_names(&fields, "field")?;
                LogicalType::Struct(fields.into())
            }
            name => {
                let sizes = self.sizes()?;
                let ty = flat(name, &sizes);
                if self.text[start..self.at].trim().is_empty() {
                    return Err(self.expected("a type"));
                }
                let unknown = || {
                    let end = self.at;
                    PlanError::parse(format!("there is no type {}", self.text[start..end].trim()))
                        .at(Span { start, end })
                };
                return ty.ok_or_else(unknown);
            }
        };
        self.must_take('>')?;
        Ok(ty)
    }

    /// `(10, 2)`, if it is there.
    fn sizes(&mut self) -> Result<Vec<u8>> {
        let mut sizes = Vec::new();
        if !self.takes('(') {
            return Ok(sizes);
        }
        loop {
            // lengths of texts do not matter, however large
            match self.word().parse::<u32>() {
                Ok(size) => sizes.push(u8::try_from(size).unwrap_or(u8::MAX)),
                Err(_) => return Err(self.expected("a number")),
            }
            if !self.takes(',') {
                break;
            }
        }
        self.must_take(')')?;
        Ok(sizes)
    }
}

fn flat(name: &str, sizes: &[u8]) -> Option<LogicalType> {
    let decimal = |precision, scale| {
        let fits = (1..=38).contains(&precision) && scale <= precision;
        fits.then_some(LogicalType::Decimal { precision, scale })
    };
    match (name, sizes) {
        ("decimal" | "dec" | "numeric", []) => decimal(10, 0),
        ("decimal" | "dec" | "numeric", [precision]) => decimal(*precision, 0),
        ("decimal" | "dec" | "numeric", [precision, scale]) => decimal(*precision, *scale),
        ("char" | "character" | "varchar", [length]) if *length > 0 => Some(LogicalType::String),
        (name, []) => type_by_name(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_read_in_both_notations() {
        let text = "ID int NOT NULL, `a``b` varchar(300) COMMENT 'x, ''y\\'', t array<struct<x: double,y:date>> COMMENT \"it's\", \
                    m map<string, decimal(12, 2)>";
        let schema = parse_columns(text).unwrap();
        assert_eq!(
            schema.to_string(),
            "struct<ID:int,a`b:string,t:array<struct<x:double,y:date>>,m:map<string,decimal(12,2)>>"
        );
        assert!(!schema.fields[0].nullable && schema.fields[1].nullable);
        assert!(parse_columns(" ").unwrap().fields.is_empty());
    }

    #[test]
    fn mistakes_name_their_place() {
        for (text, message, start) in [
            ("a", "expected a type, found the end", 1),
            ("a int, b <", "expected a type, found <", 9),
            ("a int b int", "expected a comma, found b", 6),
            ("a whole", "there is no type whole", 2),
            ("a decimal(39,2)", "there is no type decimal(39,2)", 2),
            ("a array<int", "expected >, found the end", 11),
            ("a int, A int", "the column a is declared twice", 0),
            (
                "a struct<x:int,b:struct<X:int,x:int>>",
                "the field x is declared twice",
                0,
            ),
            ("a char(0)", "there is no type char(0)", 2),
            ("a int comment 'b''", "a comment is not closed", 0),
        ] {
            let error = parse_columns(text).unwrap_err();
            assert_eq!(
                (error.message(), error.span().start),
                (message, start),
                "{text}"
            );
        }
        let deep = format!("a {}int{}", "array<".repeat(5000), ">".repeat(5000));
        assert!(
            parse_columns(&deep)
                .unwrap_err()
                .message()
                .contains("levels")
        );
    }
}
