//! Hints for common mistakes, such as operators of other languages. They only improve error messages: no invalid
//! text becomes valid.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::error::PlanError;

/// A token that no condition has at this place. `before` are the tokens before it.
pub(super) fn token(token: &TokenWithSpan, before: &[TokenWithSpan]) -> Option<PlanError> {
    let last = before.last().map(|last| &last.token);
    let adjacent = before
        .last()
        .is_some_and(|last| last.span.end == token.span.start);
    let keyword = match &token.token {
        Token::Word(word) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    };
    match (&token.token, last) {
        (Token::Overlap, _) => Some(instead("&&", "AND")),
        (Token::Assignment, _) => Some(instead(":=", "=")),
        (Token::Eq | Token::DoubleEq, Some(Token::DoubleEq)) if adjacent => {
            Some(instead("===", "="))
        }
        (Token::Lt, Some(Token::Eq)) if adjacent => Some(instead("=<", "<=")),
        (_, None) if keyword == Keyword::WHERE => Some(PlanError::parse(
            "WHERE is left out: only the condition is written",
        )),
        (_, Some(Token::LParen)) if keyword == Keyword::SELECT => {
            Some(PlanError::unsupported("sub-queries are not supported"))
        }
        (_, last) if keyword == Keyword::SELECT && last != Some(&Token::Period) => {
            Some(PlanError::parse(
                "SELECT begins a query: only the condition behind its WHERE is written",
            ))
        }
        _ => None,
    }
}

fn instead(wrong: &str, right: &str) -> PlanError {
    PlanError::parse(format!("{wrong} is no operator: write {right}"))
}

/// What follows where the condition could end.
pub(super) fn after_end(token: &Token) -> PlanError {
    match token {
        Token::RArrow => instead("=>", ">="),
        Token::Word(word) if word.keyword == Keyword::WHEN && word.quote_style.is_none() => {
            PlanError::parse("CASE is not complete: CASE WHEN .. THEN .. END")
        }
        other => PlanError::parse(format!(
            "unexpected {other} after the end of the expression"
        )),
    }
}

/// An operator between two values that is not Spark's or not computed.
pub(super) fn operator(symbol: &str) -> PlanError {
    match symbol {
        "<<" | ">>" | ">>>" => {
            PlanError::unsupported(format!("the operator {symbol} is not supported"))
        }
        "~" => instead(symbol, "RLIKE"),
        "~*" => instead(symbol, "RLIKE '(?i)..'"),
        "!~" => instead(symbol, "NOT RLIKE"),
        "//" => instead(symbol, "DIV"),
        _ => PlanError::parse(format!("{symbol} is no operator")),
    }
}

/// A function that no condition may call so: a cast without a type, or what does not look at one row.
pub(super) fn call(name: &str) -> Option<PlanError> {
    const AGGREGATES: &str = " any any_value approx_count_distinct approx_percentile array_agg avg \
        bit_and bit_or bit_xor bool_and bool_or collect_list collect_set corr count count_if \
        count_min_sketch covar_pop covar_samp every first first_value kurtosis last last_value listagg \
        max max_by mean median min min_by mode percentile percentile_approx regr_count skewness some \
        std stddev stddev_pop stddev_samp string_agg sum try_avg try_sum var_pop var_samp variance ";
    const WINDOWS: &str =
        " cume_dist dense_rank lag lead nth_value ntile percent_rank rank row_number ";
    const GENERATORS: &str = " explode explode_outer inline inline_outer json_tuple posexplode \
        posexplode_outer stack ";
    if name == "cast" || name == "try_cast" {
        let message = format!("{name} names a type: {name}(x AS int)");
        return Some(PlanError::parse(message));
    }
    let among = |list: &str| list.contains(&format!(" {name} "));
    let why = if among(AGGREGATES) || among(WINDOWS) {
        "is computed over many rows: a condition looks at one"
    } else if among(GENERATORS) {
        "makes rows: a condition keeps or drops one"
    } else {
        return None;
    };
    Some(PlanError::parse(format!("{name}() {why}")))
}

/// The function that takes a field out of a date or time.
pub(super) fn extracted(field: &str) -> Result<&'static str, PlanError> {
    Ok(match field.to_ascii_lowercase().as_str() {
        "year" | "y" | "years" | "yr" | "yrs" => "year",
        "quarter" | "qtr" => "quarter",
        "month" | "mon" | "mons" | "months" => "month",
        "week" | "w" | "weeks" => "weekofyear",
        "day" | "d" | "days" => "day",
        "dayofweek" | "dow" => "dayofweek",
        "doy" => "dayofyear",
        "hour" | "h" | "hours" | "hr" | "hrs" => "hour",
        "minute" | "m" | "min" | "mins" | "minutes" => "minute",
        "second" | "s" | "sec" | "seconds" | "secs" | "yearofweek" | "dayofweek_iso"
        | "dow_iso" => {
            let message = format!("extract({field} ..) is not supported");
            return Err(PlanError::unsupported(message));
        }
        _ => {
            let message = format!("there is no field {field} to extract");
            return Err(PlanError::parse(message));
        }
    })
}

/// What the parser or its tokenizer says, in words of this house.
pub(super) fn parser_message(message: &str) -> String {
    match message {
        text if text.starts_with("Expected close delimiter '`'") => {
            "the name has no closing back-quote".to_owned()
        }
        text if text.starts_with("Unexpected EOF while in a multi-line comment") => {
            "unterminated comment".to_owned()
        }
        text if text.starts_with("Unterminated string literal") => {
            "unterminated string literal".to_owned()
        }
        text => match text.split_once(", found: ") {
            Some((expected, found)) => {
                let found = if found == "EOF" {
                    "the end of the text"
                } else {
                    found
                };
                format!("{}, found {found}", expected_words(expected))
            }
            None => expected_words(text),
        },
    }
}

fn expected_words(text: &str) -> String {
    if text.starts_with("Expected: [NOT] NULL") {
        return "expected NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS".to_owned();
    }
    text.replacen("Expected: ", "expected ", 1)
}
