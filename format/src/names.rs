//! Name resolution: the only exact match, else the only match when case is ignored.
//!
//! ```text
//! fields  a  A  b  b  C        "a" is 0, "c" is 4, "b" is ambiguous, "d" is not found
//! ```
//! Tables, files, structs and predicates share this rule. [`find`] answers one question by a walk over the
//! fields. [`Names`] answers many, through two maps that are built on first use, so that matching two schemas
//! is linear in the length of their names. The maps hash with random keys: no file can choose names that
//! collide.

use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::error::{Error, Result};
use crate::types::{Field, LogicalType};

/// What a name means among some fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// No field.
    Nothing,
    /// This field.
    Field(usize),
    /// Several fields, of which these are the first two.
    Several(usize, usize),
}

impl Meaning {
    /// The same, and one more field.
    fn and(self, index: usize) -> Meaning {
        match self {
            Meaning::Nothing => Meaning::Field(index),
            Meaning::Field(first) => Meaning::Several(first, index),
            several => several,
        }
    }

    /// The index of the field, if there is one.
    ///
    /// # Errors
    /// A name that several of `fields` answer to.
    pub(crate) fn index(self, name: &str, fields: &[Field]) -> Result<Option<usize>> {
        match self {
            Meaning::Nothing => Ok(None),
            Meaning::Field(index) => Ok(Some(index)),
            several => {
                let why = several.ambiguity(fields).unwrap_or_default();
                Err(Error::invalid(format!("{name:?} is ambiguous: {why}")))
            }
        }
    }

    /// Why the name is ambiguous among `fields`, if it is.
    pub fn ambiguity(self, fields: &[Field]) -> Option<String> {
        let Meaning::Several(first, second) = self else {
            return None;
        };
        let (first, second) = (&fields.get(first)?.name, &fields.get(second)?.name);
        Some(match first == second {
            true => "several columns have this name".to_owned(),
            false => format!("it could be {first:?} or {second:?}"),
        })
    }
}

/// Names that are wanted, in whatever case.
#[derive(Debug)]
pub(crate) struct Wanted(HashSet<String>);

impl Wanted {
    pub(crate) fn new(names: &[String]) -> Self {
        Wanted(names.iter().map(|name| name.to_lowercase()).collect())
    }

    /// Whether one of them may mean a field of this name.
    pub(crate) fn accepts(&self, name: &str) -> bool {
        self.0.contains(&name.to_lowercase())
    }

    /// The names as they are compared.
    pub(crate) fn folded(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// What `name` means among `fields`.
pub fn find(fields: &[Field], name: &str) -> Meaning {
    let matching = |is_it: &dyn Fn(&str) -> bool| {
        let mut matches = (0..fields.len()).filter(|&index| is_it(&fields[index].name));
        let first = matches.next().map_or(Meaning::Nothing, Meaning::Field);
        matches.next().map_or(first, |second| first.and(second))
    };
    match matching(&|other| other == name) {
        Meaning::Nothing => {
            let folded = name.to_lowercase();
            matching(&|other| other.to_lowercase() == folded)
        }
        exact => exact,
    }
}

/// The first two names among the columns, or among the fields of one struct, that differ by case at most.
pub fn alike(fields: &[Field]) -> Option<(&str, &str)> {
    let mut known = HashMap::with_capacity(fields.len());
    for field in fields {
        if let Some(other) = known.insert(field.name.to_lowercase(), field.name.as_str()) {
            return Some((other, &field.name));
        }
    }
    fields.iter().find_map(|field| alike_within(&field.ty))
}

/// The same within a type. Elements, keys, values and members of unions go by their places.
fn alike_within(ty: &LogicalType) -> Option<(&str, &str)> {
    match ty {
        LogicalType::Struct(fields) => alike(fields),
        nested => nested
            .fields()
            .iter()
            .find_map(|field| alike_within(&field.ty)),
    }
}

/// Fields to be found by their names, many times.
#[derive(Debug)]
pub struct Names<'a> {
    fields: &'a [Field],
    exact: OnceCell<HashMap<&'a str, Meaning>>,
    folded: OnceCell<HashMap<String, Meaning>>,
}

impl<'a> Names<'a> {
    /// The names of `fields`.
    pub fn new(fields: &'a [Field]) -> Self {
        Names {
            fields,
            exact: OnceCell::new(),
            folded: OnceCell::new(),
        }
    }

    /// What `name` means, as [`find`] says.
    pub fn find(&self, name: &str) -> Meaning {
        let exact = self.exact.get_or_init(|| self.map(|name| name));
        if let Some(meaning) = exact.get(name) {
            return *meaning;
        }
        let folded = self.folded.get_or_init(|| self.map(str::to_lowercase));
        let meaning = folded.get(&name.to_lowercase());
        meaning.copied().unwrap_or(Meaning::Nothing)
    }

    /// The index of the field that `name` means. Field `likely` wins among fields of the very same name, and
    /// where fields are in the same order nothing needs to be looked up.
    ///
    /// # Errors
    /// A name that several fields answer to.
    pub fn near(&self, name: &str, likely: usize) -> Result<Option<usize>> {
        match self.fields.get(likely) {
            Some(field) if field.name == name => Ok(Some(likely)),
            _ => self.find(name).index(name, self.fields),
        }
    }

    fn map<K: Hash + Eq>(&self, key: impl Fn(&'a str) -> K) -> HashMap<K, Meaning> {
        let mut map = HashMap::with_capacity(self.fields.len());
        for (index, field) in self.fields.iter().enumerate() {
            match map.entry(key(&field.name)) {
                Entry::Vacant(vacant) => {
                    vacant.insert(Meaning::Field(index));
                }
                Entry::Occupied(mut occupied) => {
                    let meaning: &mut Meaning = occupied.get_mut();
                    *meaning = meaning.and(index);
                }
            }
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use quickcheck::{Arbitrary, Gen};

    use super::*;

    fn fields<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Vec<Field> {
        let field = |name: S| Field::nullable(name.as_ref(), LogicalType::Int32);
        names.into_iter().map(field).collect()
    }

    #[test]
    fn a_name_means_one_field_or_is_ambiguous() {
        let fields = fields(["a", "A", "b", "b", "C", "d", "D"]);
        let names = Names::new(&fields);
        for (name, meaning) in [
            ("a", Meaning::Field(0)),
            ("c", Meaning::Field(4)),
            ("e", Meaning::Nothing),
            ("b", Meaning::Several(2, 3)),
            ("B", Meaning::Several(2, 3)),
            ("", Meaning::Nothing),
        ] {
            assert_eq!(find(&fields, name), meaning, "{name:?}");
            assert_eq!(names.find(name), meaning, "{name:?}");
        }
        // a reader that goes by place takes the one that stands there
        assert_eq!(names.near("b", 2).unwrap(), Some(2));
        assert_eq!(names.near("b", 3).unwrap(), Some(3));
        assert_eq!(names.near("c", 9).unwrap(), Some(4));
        assert_eq!(names.near("e", 0).unwrap(), None);
        let error = names.near("b", 0).unwrap_err().to_string();
        assert!(error.contains("several columns have this name"), "{error}");
    }

    /// Names of few letters, so that many are alike.
    #[derive(Debug, Clone)]
    struct Short(String);

    impl Arbitrary for Short {
        fn arbitrary(g: &mut Gen) -> Self {
            let letters = ["a", "A", "b", "ß", "SS", "İ", "i", "Σ", "ς"];
            let count = usize::arbitrary(g) % 3;
            Short((0..count).map(|_| *g.choose(&letters).unwrap()).collect())
        }
    }

    quickcheck::quickcheck! {
        fn maps_answer_as_a_walk_does(given: Vec<Short>, asked: Vec<Short>) -> bool {
            let fields = fields(given.iter().map(|name| &name.0));
            let names = Names::new(&fields);
            asked.iter().all(|name| names.find(&name.0) == find(&fields, &name.0))
        }
    }

    #[test]
    fn names_of_one_case_are_found_at_every_depth() {
        assert_eq!(alike(&fields(["a", "b", "ab"])), None);
        assert_eq!(alike(&fields(["a", "b", "A", "B"])), Some(("a", "A")));
        assert_eq!(alike(&fields(["b", "b"])), Some(("b", "b")));
        let nested = |ty| [Field::nullable("l", ty)];
        let pair = || Field::nullable("s", LogicalType::Struct(fields(["x", "X"]).into()));
        let list = LogicalType::List(pair().into());
        assert_eq!(alike(&nested(list)), Some(("x", "X")));
        // a column and a field of it are not side by side
        assert_eq!(
            alike(&[fields(["x"]).remove(0), {
                let inner = LogicalType::Struct(fields(["x"]).into());
                Field::nullable("s", inner)
            }]),
            None
        );
        // fields of a map go by their places
        let [key, value] = <[Field; 2]>::try_from(fields(["x", "X"])).unwrap();
        assert_eq!(alike(&nested(LogicalType::Map([key, value].into()))), None);
    }

    #[test]
    fn fields_in_the_same_order_are_matched_without_maps() {
        let fields = fields(["a", "b", "b"]);
        let names = Names::new(&fields);
        for (index, field) in fields.iter().enumerate() {
            assert_eq!(names.near(&field.name, index).unwrap(), Some(index));
        }
        assert!(names.exact.get().is_none() && names.folded.get().is_none());
        assert_eq!(names.near("a", 1).unwrap(), Some(0));
        assert!(names.exact.get().is_some() && names.folded.get().is_none());
    }
}
