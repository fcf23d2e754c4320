//! Warnings about a file or dataset: what prevents readers from skipping, and what costs more than it gains.

use std::collections::HashMap;

use lith_format::figures::{bytes, count, plural, share};
use lith_format::types::LogicalType;

use crate::encryption::Encrypted;
use crate::summary::{ColumnSummary, Summary};

/// Row groups below this size cost more to open than to read.
const TINY_ROW_GROUP: u64 = 1 << 20;
/// More row groups than these could be larger, however small the file is.
const FEW_ROW_GROUPS: u64 = 8;
/// Footers above this size are reported if they are more than a twentieth of the file.
const LARGE_FOOTER: u64 = 1 << 20;

/// How many columns a line names.
const NAMES: usize = 5;

/// One line each.
pub fn warnings(summary: &Summary) -> Vec<String> {
    let mut out = Vec::new();
    out.extend(wrong_rows(summary));
    out.extend(tiny_row_groups(summary));
    out.extend(large_footers(summary));
    out.extend(of_columns(summary));
    out.extend(summary.differences.iter().map(|difference| {
        let (what, files, first) = (
            difference.what,
            difference.files,
            difference.first.display(),
        );
        match files {
            1 => format!("{what} in {first}"),
            files => format!("{what} in {}, the first {first}", plural(files, "file")),
        }
    }));
    out
}

/// Encrypted columns, one line for each cipher and key.
pub fn encryption(summary: &Summary) -> Vec<String> {
    together(summary.encryption.iter().map(encrypted))
}

fn encrypted(entry: &Encrypted) -> (Option<&str>, String) {
    let with = format!("with {}, {}", entry.algorithm, entry.key);
    let line = match (&entry.column, &entry.mask) {
        (None, _) => format!("the footer is signed {with}"),
        (Some(_), None) => format!("encrypted {with}"),
        (Some(_), Some(mask)) => {
            format!("encrypted {with}; what is stored in the clear is masked by {mask}")
        }
    };
    (entry.column.as_deref(), line)
}

fn of_columns(summary: &Summary) -> Vec<String> {
    let lines = summary.columns.iter().flat_map(|column| {
        // encrypted columns are reported by `encryption`
        let distrusted = distrusted(column).filter(|_| !summary.is_encrypted(&column.name));
        let lines = [
            distrusted,
            unbounded(column).filter(|_| !summary.is_encrypted(&column.name)),
            doubted(column),
            sorted_in_vain(column),
            fallback(column, summary.row_groups),
        ];
        let name = Some(column.name.as_str());
        lines.into_iter().flatten().map(move |line| (name, line))
    });
    together(lines)
}

/// Each line once, preceded by the first few columns that it applies to.
fn together<'a>(lines: impl Iterator<Item = (Option<&'a str>, String)>) -> Vec<String> {
    let (mut places, mut out) = (HashMap::new(), Vec::<(String, Vec<&str>)>::new());
    for (name, line) in lines {
        let place = *places.entry(line.clone()).or_insert(out.len());
        if place == out.len() {
            out.push((line, Vec::new()));
        }
        out[place].1.extend(name);
    }
    let shown = |(line, names): (String, Vec<&str>)| match &names[..] {
        [] => line,
        names if names.len() <= NAMES => format!("{}: {line}", names.join(", ")),
        names => {
            let more = count((names.len() - NAMES) as u64);
            format!("{} and {more} more: {line}", names[..NAMES].join(", "))
        }
    };
    out.into_iter().map(shown).collect()
}

/// That a footer contradicts itself; the rows of the row groups are those that are read.
fn wrong_rows(summary: &Summary) -> Option<String> {
    let (path, stated, rows) = summary.wrong_rows.as_ref()?;
    let rows = count(*rows);
    Some(format!(
        "the footer states {stated} rows, its row groups have {rows}, in {path}"
    ))
}

fn tiny_row_groups(summary: &Summary) -> Option<String> {
    let groups = summary.row_groups;
    let size = summary.bytes.saturating_sub(summary.footer_bytes) / groups.max(1);
    // small files cannot have large row groups
    let files = summary.files.max(1);
    let large = summary.bytes / files > 8 * TINY_ROW_GROUP || groups / files > FEW_ROW_GROUPS;
    (large && groups > summary.files && size < TINY_ROW_GROUP).then(|| {
        format!(
            "row groups are tiny: {} and {} each; every one costs a seek and its part of the footer",
            bytes(size),
            plural(summary.rows / groups, "row"),
        )
    })
}

fn large_footers(summary: &Summary) -> Option<String> {
    let footer = summary.footer_bytes / summary.files.max(1);
    (footer > LARGE_FOOTER && summary.footer_bytes > summary.bytes / 20).then(|| {
        format!(
            "footers are large: {} each, {} of all bytes, read before anything else",
            bytes(footer),
            share(summary.footer_bytes, summary.bytes),
        )
    })
}

/// Why bounds that are stored are not used.
fn distrusted(column: &ColumnSummary) -> Option<String> {
    let why = column.distrust?;
    Some(format!("stored bounds are not used: {why}"))
}

/// In how many row groups bounds are not stored at all, of a type that has an order.
fn unbounded(column: &ColumnSummary) -> Option<String> {
    use LogicalType as T;
    let unordered = matches!(
        column.ty,
        T::Null | T::Interval | T::Geometry | T::Geography | T::Binary | T::Boolean
    );
    if unordered || column.unbounded == 0 {
        return None;
    }
    let groups = match column.unbounded {
        all if all == column.chunks => "any row group".to_owned(),
        some => format!("{} of {} row groups", count(some), count(column.chunks)),
    };
    Some(
        match column.stats.min.is_some() || column.stats.max.is_some() {
            true => format!("only one bound can be used in {groups}"),
            false => format!("there are no bounds to skip by in {groups}"),
        },
    )
}

/// Why Bloom filters that are stored are not used.
fn doubted(column: &ColumnSummary) -> Option<String> {
    column.doubtful_bloom.then(|| {
        "Bloom filters are not used: this writer is not known to hash as specified".to_owned()
    })
}

fn sorted_in_vain(column: &ColumnSummary) -> Option<String> {
    let bounds = column.stats.min.is_some() || column.stats.all_null();
    (column.sorted && !bounds && column.distrust.is_none())
        .then(|| "rows are sorted by it, but there are no bounds to skip by".to_owned())
}

fn fallback(column: &ColumnSummary, row_groups: u64) -> Option<String> {
    let (page, pages) = column.fallback_page?;
    let groups = match column.fallbacks {
        fallbacks if fallbacks == row_groups => "every row group".to_owned(),
        fallbacks => format!("{} of {} row groups", count(fallbacks), count(row_groups)),
    };
    Some(format!(
        "the dictionary grew too large and was given up in {groups}, first from page {page} of {pages}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_are_not_blamed_for_their_size() {
        let mut summary = Summary {
            files: 2,
            rows: 2_000,
            row_groups: 2,
            bytes: 40_000_000,
            footer_bytes: 800_000,
            ..Summary::default()
        };
        assert!(warnings(&summary).is_empty());
        summary.row_groups = 100;
        let expected = "row groups are tiny: 383 KiB and 20 rows each; every one costs a seek and its \
                        part of the footer";
        assert_eq!(warnings(&summary), [expected]);
    }

    #[test]
    fn large_footers_are_told_by_their_share() {
        let mut summary = Summary {
            files: 1,
            rows: 100,
            row_groups: 1,
            bytes: 9 << 20,
            footer_bytes: 2 << 20,
            ..Summary::default()
        };
        let expected =
            "footers are large: 2.00 MiB each, 22 % of all bytes, read before anything else";
        assert_eq!(warnings(&summary), [expected]);
        summary.bytes = 900 << 20;
        assert!(warnings(&summary).is_empty());
    }

    #[test]
    fn what_is_said_of_many_columns_is_said_once() {
        let lines = |names: &[&'static str]| {
            let lines = names.iter().map(|name| (Some(*name), "so".to_string()));
            together(lines)
        };
        assert_eq!(lines(&["a"]), ["a: so"]);
        assert_eq!(lines(&["a", "b", "c", "d", "e"]), ["a, b, c, d, e: so"]);
        assert_eq!(
            lines(&["a", "b", "c", "d", "e", "f", "g"]),
            ["a, b, c, d, e and 2 more: so"]
        );
        let other = [(None, "first"), (Some("a"), "so"), (Some("b"), "so")];
        let other = other.map(|(name, line)| (name, line.to_string()));
        assert_eq!(together(other.into_iter()), ["first", "a, b: so"]);
    }

    #[test]
    fn encryption_is_told_by_key_and_not_as_distrust() {
        let entry = |column: Option<&str>, key: &str, mask: Option<&str>| Encrypted {
            column: column.map(str::to_owned),
            algorithm: "AES_CTR_256".into(),
            key: key.into(),
            mask: mask.map(str::to_owned),
        };
        let mut summary = Summary::default();
        summary.add_encryption(vec![
            entry(None, "key metadata 0x00", None),
            entry(Some("a"), "k", None),
            entry(Some("s"), "k", None),
            entry(Some("a"), "k", None),
            entry(Some("b"), "k", Some("nullify")),
        ]);
        let expected = [
            "the footer is signed with AES_CTR_256, key metadata 0x00",
            "a, s: encrypted with AES_CTR_256, k",
            "b: encrypted with AES_CTR_256, k; what is stored in the clear is masked by nullify",
        ];
        assert_eq!(encryption(&summary), expected);
        assert!(summary.is_encrypted("a") && summary.is_encrypted("s.x"));
        assert!(!summary.is_encrypted("sx") && !summary.is_encrypted("c"));
    }
}
