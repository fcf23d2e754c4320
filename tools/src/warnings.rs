//! What an expert would say of a file or dataset: what keeps readers from skipping, and what costs them
//! more than it gives.

use lith_format::figures::{bytes, count, plural, share};

use crate::summary::{ColumnSummary, Summary};

/// Row groups below this size cost more to open than to read.
const TINY_ROW_GROUP: u64 = 1 << 20;
/// Footers above this size are noticed, if they are more than a twentieth of the file.
const LARGE_FOOTER: u64 = 1 << 20;

/// One line each.
pub fn warnings(summary: &Summary) -> Vec<String> {
    let mut out = Vec::new();
    out.extend(tiny_row_groups(summary));
    out.extend(large_footers(summary));
    for column in &summary.columns {
        out.extend(distrusted(column));
        out.extend(sorted_in_vain(column));
        out.extend(fallback(column, summary.row_groups));
    }
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

fn tiny_row_groups(summary: &Summary) -> Option<String> {
    let groups = summary.row_groups;
    let size = summary.bytes.saturating_sub(summary.footer_bytes) / groups.max(1);
    // what is small as a whole has no other choice
    let large = summary.bytes / summary.files.max(1) > 8 * TINY_ROW_GROUP;
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
    Some(format!(
        "{}: its stored bounds are not used: {why}",
        column.name
    ))
}

fn sorted_in_vain(column: &ColumnSummary) -> Option<String> {
    let bounds = column.stats.min.is_some() || column.stats.all_null();
    (column.sorted && !bounds && column.distrust.is_none()).then(|| {
        format!(
            "{}: rows are sorted by it, but there are no bounds to skip by",
            column.name
        )
    })
}

fn fallback(column: &ColumnSummary, row_groups: u64) -> Option<String> {
    let (page, pages) = column.fallback_page?;
    let name = &column.name;
    let groups = match column.fallbacks {
        fallbacks if fallbacks == row_groups => "every row group".to_owned(),
        fallbacks => format!("{} of {} row groups", count(fallbacks), count(row_groups)),
    };
    Some(format!(
        "{name}: its dictionary grew too large and was given up in {groups}, first from page {page} of {pages}"
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
}
