//! Formats an explanation as text.
//!
//! ```text
//! scan of parquet   orders
//! ├─ partitions     1 of 3
//! ├─ row groups     2 of 8 in these files, 1 of them whole
//! ├─ rows           1,000 to 2,000 of 8,000 in these files, about 1,300
//! └─ conditions
//!    ├─ store_id = 'S01'         partition   by directory
//!    └─ unit_cost < unit_price   data        by row group bounds, rows, keeps about 16%
//!       not pushed by Spark: compares two columns; lith evaluates it on the bounds of both
//! ```

use std::borrow::Cow;
use std::fmt::Write;
use std::iter;

use lith_format::figures::{bytes, count};
use lith_format::render::escape_controls;

use super::{Engine, Estimate, Explanation, Finding, Unreadable};
use crate::plan::Share;

/// Escape sequences around parts of the text; empty ones give plain text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Palette {
    /// Before names of parts.
    pub label: &'static str,
    /// Before what stands out.
    pub strong: &'static str,
    /// Before remarks.
    pub remark: &'static str,
    /// After each of them.
    pub reset: &'static str,
}

impl Palette {
    /// For a terminal.
    pub const COLOUR: Palette = Palette {
        label: "\x1b[2m",
        strong: "\x1b[1m",
        remark: "\x1b[36m",
        reset: "\x1b[0m",
    };

    fn paint(&self, before: &str, text: &str) -> String {
        format!(
            "{before}{text}{}",
            if before.is_empty() { "" } else { self.reset }
        )
    }
}

impl Explanation {
    /// The tree; with [`Engine::Spark`] followed by the lists as Spark names them.
    pub fn text(&self, palette: &Palette) -> String {
        let mut out = String::new();
        let format = self.format_names().unwrap_or("nothing".to_owned());
        let head = palette.paint(palette.strong, &format!("scan of {format:<7}  "));
        let location = escape_controls(&self.location.join(" "));
        let _ = writeln!(out, "{}", format!("{head}{location}").trim_end());
        let mut rows = self.rows_of_figures();
        if self.engine == Engine::Spark && !self.empty {
            rows.extend(self.spark_lists());
        }
        let (last, conditions) = (rows.len() - 1, !self.conjuncts.is_empty() && !self.empty);
        for (index, (label, text)) in rows.into_iter().enumerate() {
            let branch = match index == last && !conditions {
                true => "└─",
                false => "├─",
            };
            let label = palette.paint(palette.label, &format!("{label:<17}"));
            let _ = writeln!(out, "{branch} {label}{}", escape_controls(&text));
        }
        if conditions {
            self.draw_conjuncts(&mut out, palette);
        }
        out
    }

    fn rows_of_figures(&self) -> Vec<(&'static str, String)> {
        if self.empty {
            return vec![("empty", format!("{}: nothing is read", self.why_never()))];
        }
        let of = |share: &Share| format!("{} of {}", count(share.selected), count(share.total));
        let mut rows = Vec::new();
        if !self.never.is_empty() {
            rows.push((
                "empty",
                format!("{}, which Spark does not see", self.why_never()),
            ));
        }
        let whole = match self.row_groups.always {
            0 => String::new(),
            always => format!(", {} of them whole", count(always)),
        };
        let groups = Share {
            total: self.row_groups.total,
            selected: self.row_groups.selected,
        };
        rows.push(("partitions", of(&self.partitions)));
        rows.push(("files", of(&self.files)));
        if self.row_groups.total > 0 {
            // no footer of the other files is read
            let opened = match self.files.selected < self.files.total {
                true => " in these files",
                false => "",
            };
            rows.push(("row groups", of(&groups) + opened + &whole));
            rows.push(("rows", self.rows_passing(opened)));
        }
        let sizes = (bytes(self.bytes.selected), bytes(self.bytes.total));
        rows.push(("bytes", format!("{} of {}", sizes.0, sizes.1)));
        rows.push(("columns read", self.columns()));
        rows.extend(self.unreadable());
        rows
    }

    /// The columns that cannot be read, together where the reason is the same.
    fn unreadable(&self) -> Vec<(&'static str, String)> {
        let mut together: Vec<(&str, Vec<&str>)> = Vec::new();
        for Unreadable { column, because } in &self.unreadable {
            match together.iter_mut().find(|(other, _)| other == because) {
                Some((_, columns)) => columns.push(column),
                None => together.push((because, vec![column])),
            }
        }
        let line =
            |(because, columns): (&str, Vec<&str>)| format!("{}: {because}", columns.join(", "));
        let labels = ["will fail"].into_iter().chain(iter::repeat(""));
        labels.zip(together.into_iter().map(line)).collect()
    }

    fn why_never(&self) -> String {
        let texts: Vec<&str> = self.never.iter().map(|text| bare(text)).collect();
        match texts[..] {
            [] => "no row is asked for".to_owned(),
            [one] => format!("{one} is never true"),
            _ => format!("{} exclude each other", texts.join(" and ")),
        }
    }

    /// For certain, and about. `opened` says of which files.
    fn rows_passing(&self, opened: &str) -> String {
        let Estimate {
            at_least,
            about,
            at_most,
        } = self.passing;
        let total = count(self.rows.total) + opened;
        match at_least {
            least if least == at_most => format!("{} of {total}", count(at_most)),
            0 => format!(
                "at most {} of {total}, about {}",
                count(at_most),
                count(about)
            ),
            least => format!(
                "{} to {} of {total}, about {}",
                count(least),
                count(at_most),
                count(about)
            ),
        }
    }

    /// How many columns are read, and the first of them.
    fn columns(&self) -> String {
        const SHOWN: usize = 6;
        let names: Vec<&str> = self
            .columns_read
            .iter()
            .take(SHOWN)
            .map(String::as_str)
            .collect();
        let colon = if names.is_empty() { "" } else { ": " };
        let more = if self.columns_read.len() > SHOWN {
            ", .."
        } else {
            ""
        };
        format!(
            "{} of {}{colon}{}{more}",
            self.columns_read.len(),
            self.columns_stored,
            names.join(", ")
        )
    }

    fn spark_lists(&self) -> Vec<(&'static str, String)> {
        let list = |items: &[String]| format!("[{}]", items.join(", "));
        vec![
            (
                "as Spark prints",
                "the lists below; the figures above are lith's".to_owned(),
            ),
            ("PartitionFilters", list(&self.partition_filters)),
            ("DataFilters", list(&self.data_filters)),
            ("PushedFilters", list(&self.pushed_filters)),
            (
                "PostScanFilters",
                self.post_filter.clone().unwrap_or_default(),
            ),
            ("ReadSchema", self.read_schema.clone()),
        ]
    }

    fn consequences(&self, finding: &Finding) -> String {
        let mut text = match finding.ruled_out {
            0 => String::new(),
            1 => ", rules out 1 row group".to_owned(),
            many => format!(", rules out {} row groups", count(many)),
        };
        if let (Some(rows), 1..) = (finding.rows, self.rows.total) {
            let share = 100.0 * rows.about as f64 / self.rows.total as f64;
            let about = if rows.at_least == rows.at_most {
                ""
            } else {
                "about "
            };
            let _ = write!(text, ", keeps {about}{share:.0}%");
        }
        text
    }

    fn draw_conjuncts(&self, out: &mut String, palette: &Palette) {
        let _ = writeln!(out, "└─ {}", palette.paint(palette.label, "conditions"));
        let shown = |finding: &Finding| escape_controls(bare(&finding.text));
        let width = |finding| shown(finding).chars().count();
        let width = self.conjuncts.iter().map(width).max().unwrap_or(0).min(60);
        let asked = self.conjuncts.iter().filter(|one| one.order.is_some());
        let asked = asked.count();
        for (index, finding) in self.conjuncts.iter().enumerate() {
            let is_last = index + 1 == self.conjuncts.len();
            let (branch, stem) = if is_last {
                ("└─", "  ")
            } else {
                ("├─", "│ ")
            };
            let text = format!("{:<width$}", shown(finding));
            let judges = finding.judged_by.iter();
            let judges: Vec<Cow<'_, str>> =
                judges.map(|judge| spoken(judge, finding, asked)).collect();
            let judges = match &judges[..] {
                [] => "not evaluated".to_owned(),
                judges => format!("by {}", judges.join(", ")),
            };
            let _ = writeln!(
                out,
                "   {branch} {}   {:<9}   {judges}{}",
                palette.paint(palette.strong, &text),
                finding.class,
                self.consequences(finding),
            );
            let why = finding.not_pushed_because.as_ref();
            let why = why.map(|why| format!("not pushed by Spark: {why}"));
            let remark: Vec<String> = why.into_iter().chain(finding.hint.clone()).collect();
            if !remark.is_empty() {
                let remark = palette.paint(palette.remark, &escape_controls(&remark.join("; ")));
                let _ = writeln!(out, "   {stem} {remark}");
            }
        }
    }
}

/// Who judges a conjunct, in words; which of so many conditions it is that rows are asked.
fn spoken<'a>(judge: &'a str, finding: &Finding, asked: usize) -> Cow<'a, str> {
    match (judge, finding.order) {
        ("row_group_stats", _) => "row group bounds".into(),
        ("page_index", _) => "page bounds".into(),
        ("bloom", _) => "Bloom filter".into(),
        ("rows", Some(order)) if asked > 1 => format!("rows ({})", ordinal(order)).into(),
        (judge, _) => judge.into(),
    }
}

/// 1st, 2nd, 3rd, 4th.
fn ordinal(number: usize) -> String {
    let end = match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

/// Without the brackets around the whole.
pub(super) fn bare(text: &str) -> &str {
    let mut depth = 0i32;
    let wraps = text.starts_with('(')
        && text.char_indices().all(|(at, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth > 0 || at + 1 == text.len()
        });
    if wraps {
        &text[1..text.len() - 1]
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_brackets_around_the_whole_go() {
        assert_eq!(bare("(a = 1)"), "a = 1");
        assert_eq!(bare("(a) AND (b)"), "(a) AND (b)");
        assert_eq!(bare("(a = 'ü')"), "a = 'ü'");
    }
}
