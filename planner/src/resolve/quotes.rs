//! Columns whose names must stand in back-quotes, written without: finds the name around the place of an
//! error and proposes it.
//!
//! ```text
//! order id = 3     unexpected id after the end of the expression; did you mean `order id`?
//! total.net > 1    no column total.net; did you mean `total.net`?
//! ```

use lith_format::scan::TableSchema;

use super::name::distance;
use crate::error::{PlanError, PlanErrorKind};
use crate::expr::{Span, back_quoted, identifier_sql};

/// Names longer than this are compared as they are only.
const LONG: usize = 60;

/// The error, with the column's name if one stands in `text` where it happened.
pub fn propose_quotes(error: PlanError, text: &str, table: &TableSchema) -> PlanError {
    use PlanErrorKind as K;
    let near = match error.kind() {
        K::Parse | K::UnknownColumn { .. } => true,
        K::Unsupported | K::TypeMismatch => false,
        K::Evaluate => return propose_other_quotes(error, text, table),
        K::AmbiguousColumn => return error,
    };
    let names = table.schema.fields.iter().map(|field| field.name.as_str());
    // a plain name may have been written with a space, never without quotes
    let spaced = *error.kind() == K::Parse;
    let asked = names.filter(|name| spaced || identifier_sql(name) != **name);
    // what stands in quotes is a name already, though it may be a wrong one
    let bare = without_quoted(text);
    let searched = match error.kind() {
        K::UnknownColumn { .. } => text,
        _ => bare.as_str(),
    };
    let found =
        asked.filter_map(|name| Some((written_at(name, searched, error.span(), near)?, name)));
    match found.min_by_key(|(distance, _)| *distance) {
        Some((_, name)) => error.meant(name),
        None if *error.kind() == K::TypeMismatch => propose_other_quotes(error, text, table),
        None => error,
    }
}

/// The text with a control character for each byte in closed quotes, so that places stay the same.
fn without_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '\'', '"']) {
        let (before, quoted) = rest.split_at(at);
        out.push_str(before);
        let closing = quoted[1..].find(&quoted[..1]).map(|length| length + 2);
        let (inside, after) = quoted.split_at(closing.unwrap_or(1));
        match closing {
            Some(length) => out.extend(std::iter::repeat_n('\0', length)),
            None => out.push_str(inside),
        }
        rest = after;
    }
    out + rest
}

/// A name in double quotes is text, which is then compared with something else.
fn propose_other_quotes(error: PlanError, text: &str, table: &TableSchema) -> PlanError {
    let mut names = table.schema.fields.iter().map(|field| &field.name);
    match names.find(|name| text.contains(&format!("\"{name}\""))) {
        Some(name) => error.noting(&format!(
            "\"{name}\" is text, the column is {}",
            back_quoted(name)
        )),
        None => error,
    }
}

/// How many letters the text at the place differs from the name, if it is that name or, where `near` is
/// wanted, nearly. A plain name stands there only if it was written as several words.
fn written_at(name: &str, text: &str, place: Span, near: bool) -> Option<usize> {
    let fold = |c: char| c.to_lowercase().next().unwrap_or(c);
    let is_plain = identifier_sql(name) == name;
    let name: Vec<char> = name.chars().map(fold).collect();
    let slack = usize::from(near && name.len() <= LONG);
    let letters: Vec<(usize, char)> = text.char_indices().map(|(at, c)| (at, fold(c))).collect();
    let place_of = |offset: usize| letters.partition_point(|(at, _)| *at < offset);
    let (first, last) = (
        place_of(place.start),
        place_of(place.end.max(place.start + 1)),
    );
    let is_inside = |at: usize| {
        let joins = |index: usize| letters.get(index).is_some_and(|(_, c)| c.is_alphanumeric());
        at > 0 && joins(at - 1) && joins(at)
    };
    let mut best = None;
    for start in first.saturating_sub(name.len() + slack)..last {
        for end in start + name.len().saturating_sub(slack)..=start + name.len() + slack {
            // whole words that reach the place
            let reaches = end > first.min(letters.len() - 1);
            let Some(window) = letters.get(start..end).filter(|_| reaches) else {
                continue;
            };
            let written: Vec<char> = window.iter().map(|(_, c)| *c).collect();
            let is_space = |c: Option<&char>| c.is_none_or(|c| c.is_whitespace());
            let ragged = is_space(written.first()) || is_space(written.last());
            let one_word = !written.iter().any(|c| c.is_whitespace());
            if ragged || (is_plain && one_word) || is_inside(start) || is_inside(end) {
                continue;
            }
            let apart = match near {
                true => distance(&written, &name),
                false => usize::from(written != name) * name.len(),
            };
            if apart * 5 <= name.len() && best.is_none_or(|best| apart < best) {
                best = Some(apart);
            }
        }
    }
    best.filter(|apart| *apart == 0 || name.len() <= LONG)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lith_format::schema::{Field, Schema};
    use lith_format::types::LogicalType;

    use super::*;

    fn refused(text: &str) -> String {
        let field = |name: &str| Field::nullable(name, LogicalType::Int32);
        let names = [
            "Order id",
            "total.net",
            "unit_price",
            "2020",
            "größe",
            "a-b",
            "sum(x)",
            "order",
            "x",
            "tick`s",
            "名前",
        ];
        let table = TableSchema::of_file(Arc::new(Schema::new(names.map(field).to_vec())));
        let parsed = crate::sql::parse(text);
        let error = parsed
            .and_then(|expr| {
                super::super::resolve_condition(expr, &table, crate::ansi::EvalMode::Ansi)
            })
            .expect_err(text);
        let proposed = propose_quotes(error, text, &table).to_string();
        assert!(!proposed.contains('\n'));
        proposed
    }

    #[test]
    fn odd_names_are_proposed_where_they_are_written() {
        for (text, name) in [
            ("order id = 3", "`Order id`"),
            ("x = 1 AND ORDER ID = 3", "`Order id`"),
            ("x = 1 AND oder id = 3", "`Order id`"),
            ("order_id = 3", "`Order id`"),
            ("unit price > 3", "unit_price"),
            ("x IN (1, order id)", "`Order id`"),
            ("total.net > 1", "`total.net`"),
            ("Total.Net IS NULL", "`total.net`"),
            ("x = 1 OR total.ne > 1", "`total.net`"),
            ("a-b = 1", "`a-b`"),
            ("größe > 1", "`größe`"),
            ("名前 = 1", "`名前`"),
            ("sum(x) > 3", "`sum(x)`"),
            ("tick`s = 1", "`tick``s`"),
            ("`order ids` = 1", "`Order id`"),
        ] {
            let shown = refused(text);
            let wanted = format!("did you mean {name}?");
            assert!(shown.contains(&wanted), "{text}: {shown}");
        }
    }

    #[test]
    fn nothing_is_proposed_elsewhere() {
        for text in [
            "x = 1 garbage",
            "order id2x = 3 AND",
            "x = ",
            "'order id' = 3 AND x = ",
            "y = 1",
            "order 3",
            "x unit_price",
            "sum(order) > 3",
            "octet_length(`order`) = 1",
            "lpad(`Order id`, 6, 'x') = 'y'",
            "x LIKE 'order id' ESCAPE 'ab'",
            "`order` IN (SELECT 1)",
        ] {
            let shown = refused(text);
            assert!(!shown.contains("did you mean"), "{text}: {shown}");
        }
    }

    #[test]
    fn names_in_double_quotes_are_text() {
        assert_eq!(
            refused("\"Order id\" + x"),
            "the condition is a bigint, not a boolean; \"Order id\" is text, the column is `Order id`"
        );
    }
}
