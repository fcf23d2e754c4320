//! Which columns a query needs that cannot be read for want of a key, and how they are encrypted.

use std::collections::BTreeSet;

use lith_format::error::{ErrorKind, Result};
use lith_format::filter::Verdict;
use lith_format::names::{self, Meaning};
use lith_planner::explain::{Unreadable, needed_columns};
use lith_planner::plan::ScanPlan;
use lith_reader::column::ReadContext;
use lith_reader::file::File;
use lith_reader::part::Part;

use crate::encryption::{self, Encrypted};
use crate::names::shown_path;

/// Whether the footer says that something of the file is encrypted.
pub fn is_encrypted(file: &File) -> bool {
    let of_parquet = file.parquet().is_some_and(|parquet| parquet.is_encrypted());
    of_parquet
        || file
            .orc()
            .is_some_and(|orc| orc.footer().encryption.is_some())
}

/// The columns of a file that the plan's rows are read from and that cannot be read; `verdicts` says which row groups
/// are read.
///
/// # Errors
/// Those of the footer, and of columns that go with none of the table's.
pub fn locked(file: &File, plan: &ScanPlan, verdicts: &[Verdict]) -> Result<Vec<Unreadable>> {
    let encrypted = match (file.parquet(), file.orc()) {
        (Some(parquet), _) => encryption::of_parquet(&parquet.whole_footer()?, file.schema()),
        (_, Some(orc)) => encryption::of_orc(orc.footer(), file.schema()),
        _ => Vec::new(),
    };
    let mut out = BTreeSet::new();
    for wanted in needed_columns(plan) {
        let Some(wanted) = plan.table.schema.fields.get(wanted) else {
            continue;
        };
        let Meaning::Field(column) = names::find(&file.schema().fields, &wanted.name) else {
            continue;
        };
        let part = Part::of(&file.schema().fields[column], &wanted.ty)?;
        let read = verdicts.iter().enumerate();
        let mut read = read.filter(|(_, verdict)| **verdict != Verdict::Never);
        let is_locked = read.any(|(row_group, _)| {
            let reader = file.part(row_group, column, &part, &ReadContext::default());
            reader.is_err_and(|error| error.kind() == ErrorKind::Encrypted)
        });
        if is_locked {
            let leaves = file.schema().leaves_of(column);
            let leaves = part.leaves.iter().filter_map(|&leaf| leaves.get(leaf));
            out.extend(leaves.flat_map(|(path, _)| of_leaf(&encrypted, &shown_path(path))));
        }
    }
    let unreadable = |(column, because)| Unreadable { column, because };
    Ok(out.into_iter().map(unreadable).collect())
}

/// How a leaf is encrypted: itself, or what it is a part of.
fn of_leaf(encrypted: &[Encrypted], leaf: &str) -> Option<(String, String)> {
    let is_above = |column: &str| {
        let below = leaf.strip_prefix(column);
        below.is_some_and(|below| below.is_empty() || below.starts_with('.'))
    };
    let covers = |entry: &&Encrypted| entry.column.as_deref().is_some_and(is_above);
    let entry = encrypted.iter().find(covers)?;
    let how = format!(
        "encrypted with {}, {}; no key was given",
        entry.algorithm, entry.key
    );
    Some((leaf.to_owned(), how))
}
