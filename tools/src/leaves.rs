//! Selects the leaves that a command shows, and formats their bounds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::figures::plural;
use lith_format::meta::Format;
use lith_format::orc::schema as orc;
use lith_format::parquet::path::LeafPath;
use lith_format::render::render_text;
use lith_format::schema::{Field, LeafId, Schema};
use lith_format::stats::Bound;
use lith_format::types::LogicalType;
use lith_format::vector::Vector;
use lith_reader::file::File;
use lith_reader::orc::OrcFile;
use lith_reader::parquet::ParquetFile;
use serde_json::Value;

use crate::dataset::split_columns;
use crate::failure::Failure;
use crate::meta::value_json;
use crate::names::{shown_path, shown_type};

/// A leaf of a file, or a column without leaves.
#[derive(Debug)]
pub struct Leaf {
    /// Its number; columns without leaves have those after the last leaf.
    pub id: LeafId,
    /// Its path, joined by dots, parts that hold dots in back-quotes.
    pub name: String,
    /// The parts of its path.
    pub path: Arc<[String]>,
    /// Its type.
    pub ty: LogicalType,
    /// Where it is in its file.
    pub place: Place,
}

/// Where a leaf is in a file, in the words of its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The path that a Parquet footer has for it, with the groups inside of lists and maps.
    Parquet(Arc<[String]>),
    /// The number of its type in an ORC file.
    Orc(u32),
    /// The same, of a column that has no leaves.
    Leafless(u32),
}

impl Leaf {
    /// The format of its file.
    pub fn format(&self) -> Format {
        match self.place {
            Place::Parquet(_) => Format::Parquet,
            Place::Orc(_) | Place::Leafless(_) => Format::Orc,
        }
    }

    /// Its type in full.
    pub fn full_type(&self) -> String {
        shown_type(&self.ty, self.format())
    }

    /// The number that its file has for it: that of the leaf in Parquet, of the type in ORC.
    pub fn number_in_file(&self) -> u32 {
        match self.place {
            Place::Parquet(_) => self.id.0,
            Place::Orc(id) | Place::Leafless(id) => id,
        }
    }

    /// Its numbers, for programs: a leaf's, and a type's of ORC.
    pub fn numbers(&self) -> Vec<(&'static str, Value)> {
        let leaf = ("leaf", self.id.0.into());
        match self.place {
            Place::Parquet(_) => vec![leaf],
            Place::Orc(id) => vec![leaf, ("type_id", id.into())],
            Place::Leafless(id) => vec![("leaf", Value::Null), ("type_id", id.into())],
        }
    }
}

/// All leaves of a file, in the order of its schema.
pub fn leaves(file: &File) -> Vec<Leaf> {
    let (parquet, orc) = (
        file.parquet().map(ParquetFile::leaves),
        file.orc().map(OrcFile::leaves),
    );
    // wide files have very many paths: if the stored one is the same, both share their memory
    let place = |leaf: usize, path: &Arc<[String]>| match (parquet, orc) {
        (_, Some(leaves)) => Place::Orc(leaves.get(leaf).map_or(0, |leaf| leaf.column)),
        (Some(leaves), None) => {
            let stored = leaves.get(leaf).map(|leaf| &leaf.path);
            let stored = || stored.into_iter().flat_map(LeafPath::iter);
            Place::Parquet(match stored().eq(path.iter()) {
                true => Arc::clone(path),
                false => stored().map(str::to_owned).collect(),
            })
        }
        (None, None) => Place::Parquet(Arc::default()),
    };
    all(file.schema(), place)
}

/// The top-level columns without leaves, such as structs without fields, in the order of the schema.
pub fn leafless(file: &File) -> Vec<Leaf> {
    let next = file.schema().leaf_count();
    let fields = file.schema().fields.iter();
    let fields = fields.filter(|field| field.leaf_count() == 0);
    let stored = file.orc().map_or(&[][..], OrcFile::leafless).iter();
    let column = |((field, stored), id): ((&Field, &orc::Leaf), usize)| {
        let path: Arc<[String]> = [field.name.clone()].into();
        Leaf {
            id: LeafId(u32::try_from(id).unwrap_or(u32::MAX)),
            name: shown_path(&path),
            ty: field.ty.clone(),
            place: Place::Leafless(stored.column),
            path,
        }
    };
    fields.zip(stored).zip(next..).map(column).collect()
}

fn all(schema: &Schema, place: impl Fn(usize, &Arc<[String]>) -> Place) -> Vec<Leaf> {
    let leaves = schema.leaves().into_iter().zip(0..);
    let leaf = |((path, field), id): ((Vec<&str>, &Field), u32)| {
        let path: Arc<[String]> = path.into_iter().map(str::to_owned).collect();
        Leaf {
            id: LeafId(id),
            name: shown_path(&path),
            ty: field.ty.clone(),
            place: place(id as usize, &path),
            path,
        }
    };
    leaves.map(leaf).collect()
}

/// The columns named on the command line, matched with the leaves of each file in turn.
pub struct Wanted {
    /// `None` for all columns.
    names: Option<Vec<Name>>,
}

/// A name as given, its parts, whether some file has it, the first file that lacks it and how many others do.
struct Name {
    text: String,
    parts: Vec<String>,
    found: bool,
    lacking: Option<PathBuf>,
    others: u64,
}

impl Wanted {
    /// The columns of a list in the notation of the command line.
    pub fn new(columns: Option<&str>) -> Self {
        let name = |text: String| Name {
            parts: split_path(&text),
            text,
            found: false,
            lacking: None,
            others: 0,
        };
        let names = columns.map(|columns| split_columns(columns).into_iter().map(name).collect());
        Wanted { names }
    }

    /// The leaves at or below the names, in the order of the schema; all if no names were given. Names that the
    /// file lacks are reported by [`Wanted::end`].
    ///
    /// # Errors
    /// A name that the file lacks, if it is the only one (`alone`).
    pub fn select(&mut self, file: &File, alone: bool) -> Result<Vec<Leaf>> {
        self.select_of(leaves(file), file.path(), alone)
    }

    /// Like [`select`](Self::select), but of the leaves and then of the columns without leaves.
    ///
    /// # Errors
    /// Those of `select`.
    pub fn select_all(&mut self, file: &File, alone: bool) -> Result<Vec<Leaf>> {
        let mut all = leaves(file);
        all.extend(leafless(file));
        self.select_of(all, file.path(), alone)
    }

    fn select_of(&mut self, all: Vec<Leaf>, path: &Path, alone: bool) -> Result<Vec<Leaf>> {
        let Some(names) = &mut self.names else {
            return Ok(all);
        };
        let mut kept = vec![false; all.len()];
        for name in names {
            let found = name.find(&all);
            name.found |= !found.is_empty();
            if found.is_empty() {
                name.others += u64::from(name.lacking.is_some());
                name.lacking.get_or_insert_with(|| path.to_path_buf());
                if alone {
                    return Err(name.missing());
                }
            }
            found.into_iter().for_each(|leaf| kept[leaf] = true);
        }
        let leaves = all.into_iter().zip(kept);
        Ok(leaves
            .filter_map(|(leaf, kept)| kept.then_some(leaf))
            .collect())
    }

    /// Reports on standard error, after all files, which of them lack a column.
    ///
    /// # Errors
    /// A name that no file has.
    pub fn end(&self) -> Result<()> {
        for name in self.names.iter().flatten() {
            match (&name.lacking, name.found) {
                (_, false) => return Err(name.missing()),
                (Some(_), true) => Failure::from(name.missing()).report(),
                (None, true) => {}
            }
        }
        Ok(())
    }
}

impl Name {
    /// The leaves of this name, else those whose names differ in case only, else those that a Parquet footer calls
    /// so.
    fn find(&self, leaves: &[Leaf]) -> Vec<usize> {
        type Same = fn(&str, &str) -> bool;
        let exact: Same = |name, part| name == part;
        let folded: Same = |name, part| name.to_lowercase() == part.to_lowercase();
        let below = |path: &[String], same: Same| {
            let named = path.len() >= self.parts.len();
            let mut parts = self.parts.iter().zip(path);
            named && parts.all(|(name, part)| same(name, part))
        };
        let named =
            |leaf: &Leaf, same: Same| below(&leaf.path, same) || same(&self.text, &leaf.path[0]);
        let stored = |leaf: &Leaf, same: Same| match &leaf.place {
            Place::Parquet(path) => below(path, same),
            Place::Orc(_) | Place::Leafless(_) => false,
        };
        let of = |is_of: &dyn Fn(&Leaf) -> bool| -> Vec<usize> {
            let leaves = leaves.iter().enumerate();
            leaves
                .filter_map(|(index, leaf)| is_of(leaf).then_some(index))
                .collect()
        };
        let ways: [&dyn Fn(&Leaf) -> bool; 3] = [
            &|leaf| named(leaf, exact),
            &|leaf| named(leaf, folded),
            &|leaf| stored(leaf, exact),
        ];
        let found = ways.into_iter().map(of);
        found
            .into_iter()
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    fn missing(&self) -> Error {
        let error = Error::invalid(format!("there is no column {}", self.text));
        let error = match &self.lacking {
            Some(path) => error.at_path(path),
            None => error,
        };
        match self.others {
            0 => error,
            others => error.noting(&format!("nor in {}", plural(others, "other file"))),
        }
    }
}

/// Splits a name at the dots outside of back-quotes.
fn split_path(text: &str) -> Vec<String> {
    let (mut parts, mut quoted) = (vec![String::new()], false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '`' if quoted && letters.next_if_eq(&'`').is_some() => {}
            '`' => {
                quoted = !quoted;
                continue;
            }
            '.' if !quoted => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts
}

/// A bound of a column of type `ty` as text, with `~` before it if it is inexact.
fn bound_text(ty: &LogicalType, bound: &Bound) -> Option<String> {
    let vector = Vector::constant(ty.clone(), bound.value.clone(), 1);
    let mut text = String::from(if bound.exact { "" } else { "~" });
    render_text(&vector, 0, &mut text).then_some(text)
}

/// The longest bounds in characters, and those of UUIDs and timestamps, which are shown whole.
const BOUND_WIDTH: usize = 24;
const WHOLE_WIDTH: usize = 36;

/// A bound as the cell of a table, shortened: `-` if unknown, `""` if it is the empty string.
pub fn bound_cell(ty: &LogicalType, bound: Option<&Bound>) -> String {
    let width = match ty {
        LogicalType::Uuid | LogicalType::Timestamp { .. } => WHOLE_WIDTH,
        _ => BOUND_WIDTH,
    };
    match bound.and_then(|bound| bound_text(ty, bound)) {
        None => "-".into(),
        Some(text) if text.is_empty() => "\"\"".into(),
        Some(text) if text == "~" => "~\"\"".into(),
        Some(text) => shorten(&text, width),
    }
}

/// The first `width` characters of a text, with an ellipsis if there are more.
pub fn shorten(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A bound as JSON, in the notation of rows; null if there is none.
pub fn bound_json(ty: &LogicalType, bound: &Option<Bound>) -> Value {
    let value = bound.as_ref().map(|bound| bound.value.clone());
    value.map_or(Value::Null, |value| value_json(ty, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_selects_itself_and_all_below() {
        let inner = [
            Field::nullable("x", LogicalType::Int32),
            Field::nullable("y", LogicalType::Int32),
        ];
        let schema = Schema::new(vec![
            Field::nullable("a", LogicalType::Struct(inner.into())),
            Field::nullable("ab", LogicalType::Int32),
        ]);
        let select = |wanted| {
            let leaves = all(&schema, |_, _| Place::Orc(0));
            Wanted::new(wanted).select_of(leaves, Path::new("x.orc"), true)
        };
        let names = |wanted| -> Vec<String> {
            let leaves = select(wanted).unwrap();
            leaves.into_iter().map(|leaf| leaf.name).collect()
        };
        assert_eq!(names(None), ["a.x", "a.y", "ab"]);
        assert_eq!(names(Some("ab,a.y")), ["a.y", "ab"]);
        assert_eq!(names(Some("`a`")), ["a.x", "a.y"]);
        assert_eq!(names(Some("A.Y,`AB`")), ["a.y", "ab"]);
        assert!(select(Some("a.z")).is_err());
        assert!(select(Some("b")).is_err());
        assert!(select(Some("`a.x`")).is_err());
    }

    #[test]
    fn groups_inside_of_lists_may_be_named_as_a_footer_has_them() {
        let element = Field::nullable("element", LogicalType::Int32);
        let list = LogicalType::List(element.into());
        let schema = Schema::new(vec![Field::nullable("a", list)]);
        let stored = ["a", "list", "element"].map(str::to_owned);
        let find = |name: &str| {
            let leaves = all(&schema, |_, _| Place::Parquet(stored.clone().into()));
            let found = Wanted::new(Some(name)).select_of(leaves, Path::new("x"), true);
            found.map(|leaves| leaves[0].name.clone()).ok()
        };
        for name in ["a", "A.element", "a.list", "a.list.element"] {
            assert_eq!(find(name).as_deref(), Some("a.element"), "{name}");
        }
        assert_eq!(find("a.list.key"), None);
    }

    #[test]
    fn names_are_split_at_dots_outside_of_back_quotes() {
        assert_eq!(split_path("a.b"), ["a", "b"]);
        assert_eq!(split_path("`a.b`.c"), ["a.b", "c"]);
        assert_eq!(split_path("`a``b`.c"), ["a`b", "c"]);
    }
}
