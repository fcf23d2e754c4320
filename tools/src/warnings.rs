//! Warnings about a file or dataset: what prevents readers from skipping, and what costs more than it gains.

use std::collections::HashMap;

use lith_format::figures::{bytes, count, plural, share};
use lith_format::meta::{Fallback, Format};
use lith_format::types::{LogicalType, Zone};

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
    out.extend(from_hive(summary));
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

/// What the rows of a Hive ACID table are.
pub const ACID: &str = "rows are events of a Hive ACID table, whose columns are in row (-c row.NAME); updates and delete deltas are not \
applied";

/// What Hive leaves to its metastore.
fn from_hive(summary: &Summary) -> Vec<String> {
    let unnamed = summary.is_unnamed.then_some(
        "Hive wrote no column names: --schema 'NAME TYPE, ..' gives them; such files are matched by position",
    );
    let acid = summary.is_acid.then_some(ACID);
    let lines = unnamed.into_iter().chain(acid);
    lines.map(str::to_owned).collect()
}

/// Encrypted columns, one line for each cipher and key.
pub fn encryption(summary: &Summary) -> Vec<String> {
    together(summary.encryption().into_iter().map(encrypted))
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
    let group = summary.group_name();
    let columns = summary.columns.iter().filter(|column| column.shown);
    let lines = columns.flat_map(|column| {
        // encrypted columns are reported by `encryption`
        let distrusted = distrusted(column).filter(|_| !summary.is_encrypted(&column.leaf.name));
        let lines = [
            distrusted,
            unbounded(column, group).filter(|_| !summary.is_encrypted(&column.leaf.name)),
            doubted(column),
            sorted_in_vain(column),
            fallback(column, group),
        ];
        let name = Some(column.leaf.name.as_str());
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

/// A footer whose number of rows differs from that of its row groups, which are the rows that are read.
fn wrong_rows(summary: &Summary) -> Option<String> {
    let (path, stated, rows) = summary.wrong_rows.as_ref()?;
    let rows = count(*rows);
    Some(format!(
        "the footer states {stated} rows, its row groups have {rows}, in {path}"
    ))
}

fn tiny_row_groups(summary: &Summary) -> Option<String> {
    let (groups, group) = (summary.row_groups, summary.group_name());
    let size = summary.data_bytes / groups.max(1);
    // small files cannot have large row groups
    let files = summary.files.max(1);
    let large = summary.data_bytes / files > 8 * TINY_ROW_GROUP || groups / files > FEW_ROW_GROUPS;
    (large && groups > summary.files && size < TINY_ROW_GROUP).then(|| {
        format!(
            "{group}s are tiny: {} and {} each; every one costs a seek and its part of the footer: write fewer \
             and larger ones",
            bytes(size),
            plural(summary.rows / groups, "row"),
        )
    })
}

fn large_footers(summary: &Summary) -> Option<String> {
    // a file that only sums up others is all footer
    let is_summary = !summary.elsewhere.is_empty();
    let footer = summary.footer_bytes / summary.files.max(1);
    let is_large = footer > LARGE_FOOTER && summary.footer_bytes > summary.bytes / 20;
    (is_large && !is_summary).then(|| {
        format!(
            "footers are large: {} each, {} of all bytes, read before anything else: fewer columns or larger \
             {}s make them smaller",
            bytes(footer),
            share(summary.footer_bytes, summary.bytes),
            summary.group_name(),
        )
    })
}

/// Why bounds that are stored are not used.
fn distrusted(column: &ColumnSummary) -> Option<String> {
    let why = column.distrust?;
    let which = match column.stats.min.is_some() || column.stats.max.is_some() {
        true => "some stored bounds",
        false => "stored bounds",
    };
    Some(format!("{which} are not used: {why}"))
}

/// In how many row groups bounds are not stored at all, of a type that has an order.
fn unbounded(column: &ColumnSummary, group: &str) -> Option<String> {
    use LogicalType as T;
    let unordered = matches!(
        column.leaf.ty,
        T::Null | T::Interval | T::Geometry | T::Geography | T::Binary | T::Boolean
    );
    // a sorted column has a warning of its own
    if unordered || column.unbounded == 0 || is_sorted_in_vain(column) {
        return None;
    }
    let is_int96 = matches!(
        column.leaf.ty,
        T::Timestamp {
            zone: Zone::Unstated,
            ..
        }
    );
    if is_int96 && column.leaf.format() == Format::Parquet {
        return Some("INT96 timestamps have no bounds to skip by: write INT64 timestamps".into());
    }
    let groups = match column.unbounded {
        all if all == column.chunks => format!("any {group}"),
        some => format!("{} of {} {group}s", count(some), count(column.chunks)),
    };
    Some(
        match column.stats.min.is_some() || column.stats.max.is_some() {
            true => format!("there is only one bound to skip by in {groups}"),
            false => format!("there are no bounds to skip by in {groups}: write statistics"),
        },
    )
}

/// Why Bloom filters that are stored are not used.
fn doubted(column: &ColumnSummary) -> Option<String> {
    column.doubtful_bloom.then(|| {
        "Bloom filters are not used: this writer is not known to hash as specified".to_owned()
    })
}

fn is_sorted_in_vain(column: &ColumnSummary) -> bool {
    let bounds = column.stats.min.is_some() || column.stats.all_null();
    column.sorted && !bounds && column.distrust.is_none()
}

fn sorted_in_vain(column: &ColumnSummary) -> Option<String> {
    is_sorted_in_vain(column).then(|| {
        "rows are sorted by it, but there are no bounds to skip by: write statistics of it"
            .to_owned()
    })
}

fn fallback(column: &ColumnSummary, group: &str) -> Option<String> {
    let Fallback { page, pages } = column.fallback?;
    let groups = match (column.fallbacks, column.chunks) {
        (fallbacks, chunks) if fallbacks == chunks => format!("every {group}"),
        (fallbacks, chunks) => format!("{} of {} {group}s", count(fallbacks), count(chunks)),
    };
    Some(format!(
        "the dictionary grew too large and was given up in {groups}, first from page {page} of {pages}: raise \
         the writer's limit of dictionaries, write smaller row groups, or turn the dictionary off"
    ))
}

#[cfg(test)]
mod tests {
    use lith_format::scalar::Scalar;
    use lith_format::schema::LeafId;
    use lith_format::stats::{Bound, ColumnStats};
    use lith_format::types::TimeUnit;

    use super::*;
    use crate::leaves::{Leaf, Place};

    #[test]
    fn small_files_are_not_blamed_for_their_size() {
        let mut summary = Summary {
            files: 2,
            rows: 2_000,
            row_groups: 2,
            bytes: 40_000_000,
            data_bytes: 39_200_000,
            footer_bytes: 800_000,
            ..Summary::default()
        };
        assert!(warnings(&summary).is_empty());
        summary.row_groups = 100;
        let expected = "row groups are tiny: 383 KiB and 20 rows each; every one costs a seek and its \
                        part of the footer: write fewer and larger ones";
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
        let expected = "footers are large: 2.00 MiB each, 22 % of all bytes, read before anything else: \
                        fewer columns or larger row groups make them smaller";
        assert_eq!(warnings(&summary), [expected]);
        summary.elsewhere.insert("part-0.parquet".into());
        assert!(warnings(&summary).is_empty());
        summary.elsewhere.clear();
        summary.bytes = 900 << 20;
        assert!(warnings(&summary).is_empty());
    }

    /// What is said of a column of which there are four row groups, changed as a test wants.
    fn lines(ty: LogicalType, change: impl Fn(&mut ColumnSummary)) -> Vec<String> {
        let leaf = Leaf {
            id: LeafId(0),
            name: "a".into(),
            path: ["a".into()].into(),
            ty,
            place: Place::Parquet(["a".into()].into()),
        };
        let mut column = ColumnSummary::new(leaf, 0);
        (column.shown, column.chunks) = (true, 4);
        column.stats = ColumnStats::default();
        change(&mut column);
        let summary = Summary {
            columns: vec![column],
            ..Summary::default()
        };
        warnings(&summary)
    }

    #[test]
    fn a_sorted_column_without_statistics_is_told_of_once() {
        let line =
            "a: rows are sorted by it, but there are no bounds to skip by: write statistics of it";
        let sorted = |column: &mut ColumnSummary| (column.sorted, column.unbounded) = (true, 4);
        assert_eq!(lines(LogicalType::Int32, sorted), [line]);
        let unsorted = |column: &mut ColumnSummary| column.unbounded = 1;
        let line = "a: there are no bounds to skip by in 1 of 4 row groups: write statistics";
        assert_eq!(lines(LogicalType::Int32, unsorted), [line]);
        assert!(lines(LogicalType::Interval, unsorted).is_empty());
        let int96 = LogicalType::Timestamp {
            unit: TimeUnit::Nanos,
            zone: Zone::Unstated,
        };
        let line = "a: INT96 timestamps have no bounds to skip by: write INT64 timestamps";
        assert_eq!(lines(int96, unsorted), [line]);
        let half = |column: &mut ColumnSummary| {
            column.unbounded = 4;
            column.stats.max = Some(Bound {
                value: Scalar::Int(1),
                exact: true,
            });
        };
        let line = "a: there is only one bound to skip by in any row group";
        assert_eq!(lines(LogicalType::Int64, half), [line]);
        let distrusted = |column: &mut ColumnSummary| {
            sorted(column);
            (column.unbounded, column.distrust) = (0, Some("why"));
        };
        assert_eq!(
            lines(LogicalType::Int32, distrusted),
            ["a: stored bounds are not used: why"]
        );
        let partly = |column: &mut ColumnSummary| {
            half(column);
            (column.unbounded, column.distrust) = (0, Some("why"));
        };
        let line = "a: some stored bounds are not used: why";
        assert_eq!(lines(LogicalType::Float64, partly), [line]);
    }

    #[test]
    fn a_dictionary_that_was_given_up_is_told_with_its_page() {
        let all = |column: &mut ColumnSummary| {
            column.fallbacks = 4;
            column.fallback = Some(Fallback { page: 5, pages: 9 });
        };
        let text = |line: Vec<String>| line.into_iter().next().unwrap();
        let line = text(lines(LogicalType::String, all));
        let start = "a: the dictionary grew too large and was given up in every row group, first from page 5 of 9: ";
        assert!(line.starts_with(start), "{line}");
        let some = |column: &mut ColumnSummary| {
            all(column);
            column.fallbacks = 1;
        };
        assert!(text(lines(LogicalType::String, some)).contains("in 1 of 4 row groups"));
    }

    #[test]
    fn filters_of_unknown_hashes_and_footers_that_contradict_themselves_are_told() {
        let doubtful = |column: &mut ColumnSummary| column.doubtful_bloom = true;
        let line = "a: Bloom filters are not used: this writer is not known to hash as specified";
        assert_eq!(lines(LogicalType::Int32, doubtful), [line]);
        let summary = Summary {
            wrong_rows: Some(("x.parquet".into(), 0, 6)),
            ..Summary::default()
        };
        let line = "the footer states 0 rows, its row groups have 6, in x.parquet";
        assert_eq!(warnings(&summary), [line]);
    }

    #[test]
    fn files_of_hive_are_told_with_what_helps() {
        let told = |is_unnamed, is_acid| {
            let summary = Summary {
                is_unnamed,
                is_acid,
                ..Summary::default()
            };
            warnings(&summary).join("\n")
        };
        assert!(told(true, false).contains("--schema"));
        assert!(told(false, true).contains("-c row.NAME"));
        assert_eq!(told(false, false), "");
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
