//! The functions that conditions may call, found by trying: those of Spark's of which some call can be computed.

use lith_format::scan::TableSchema;
use lith_format::schema::Schema;

use crate::ansi::EvalMode;
use crate::ddl::parse_columns;
use crate::eval::Program;
use crate::resolve::{function_names, resolve};
use crate::sql;

/// Their names, sorted.
pub fn functions() -> Vec<&'static str> {
    let columns = parse_columns("a array<int>, m map<string, int>");
    let columns: Schema = columns.unwrap_or_default();
    let table = TableSchema::of_file(columns.into());
    let is_computed = |call: String| {
        let expr = sql::parse(&call).and_then(|expr| resolve(expr, &table, EvalMode::Ansi));
        expr.is_ok_and(|expr| Program::new(&expr).is_ok())
    };
    let names = function_names();
    names.filter(|name| calls(name).any(is_computed)).collect()
}

/// Calls with arguments of every kind that the functions differ in.
fn calls(name: &str) -> impl Iterator<Item = String> {
    const ARGUMENTS: [&str; 11] = [
        "NULL",
        "NULL, NULL",
        "NULL, NULL, NULL",
        "NULL, NULL, NULL, NULL",
        "'YEAR', NULL",
        "NULL, 'YEAR'",
        "a",
        "a, 1",
        "m",
        "m, 'x'",
        "a, x -> x > 1",
    ];
    ARGUMENTS
        .iter()
        .map(move |arguments| format!("{name}({arguments})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_what_is_computed_and_nothing_else() {
        let found = functions();
        for name in [
            "abs",
            "array_contains",
            "coalesce",
            "contains",
            "date_trunc",
            "if",
            "int",
            "map_keys",
            "nvl2",
            "pmod",
            "rlike",
            "size",
            "startswith",
            "substr",
            "trunc",
            "year",
        ] {
            assert!(found.contains(&name), "{name} of {found:?}");
        }
        for name in ["md5", "sum", "explode", "rand", "date_format", "row_number"] {
            assert!(!found.contains(&name), "{name}");
        }
        assert!(found.is_sorted());
    }
}
