//! Nested columns: their shape as a tree, and vectors of lists, maps and structs out of their children.
//!
//! ```text
//! optional list of optional structs { a, b }        definition level      repetition level
//!   list     there from 1, elements from 2            0 null, 1 empty       1 for elements but the first
//!   struct   there from 3                             2 null
//!   a, b     there from 4, if optional                3 null
//! ```
//! A format that stores levels hands over those of each leaf and its values: [`Node::assemble`] goes down the
//! tree, takes offsets and nulls of each node from the leaves below and drops what lies in no element. All
//! leaves below a node must tell the same of it. A format that stores lengths and nulls uses [`lists`] and
//! [`structure`], which check that the lengths of the children agree.

use std::ops::Range;

use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};
use lith_format::scalar::Scalar;
use lith_format::schema::Field;
use lith_format::types::{Layout, LogicalType};
use lith_format::vector::{Values, Vector};

use crate::kernel::levels::{ListLevels, all_at_least, at_least, keep_elements, offsets, starts};
use crate::kernel::spread::spread_values;

/// A node of a column's tree.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    ty: LogicalType,
    /// The least definition level of a slot that is not null.
    definition: u8,
    /// How many lists and maps it lies in.
    repetition: u8,
    /// The leaves below, counted from the column's first.
    leaves: Range<usize>,
    children: Vec<Node>,
}

/// The slots of a leaf for a run of rows, as levels.
#[derive(Debug, Clone)]
pub(crate) struct LeafLevels {
    /// How many values, nulls and lists without elements there are.
    pub(crate) entries: usize,
    /// One an entry; none where every entry is a value.
    pub(crate) definition: Vec<u8>,
    /// One an entry; none where every entry is a row.
    pub(crate) repetition: Vec<u8>,
    /// The values that are there, dense.
    pub(crate) values: Values,
}

impl Node {
    /// The tree of a column. Levels follow from what may be null, and from what is a list or map.
    pub(crate) fn of(field: &Field) -> Result<Node> {
        Node::below(field, 0, 0, &mut 0)
    }

    fn below(field: &Field, definition: u8, repetition: u8, leaves: &mut usize) -> Result<Node> {
        let too_deep = || Error::limit("more than 255 levels of nesting");
        let up = |level: u8| level.checked_add(1).ok_or_else(too_deep);
        let definition = if field.nullable {
            up(definition)?
        } else {
            definition
        };
        let (inner_definition, inner_repetition) = match field.ty.layout() {
            Layout::List | Layout::Map => (up(definition)?, up(repetition)?),
            Layout::Union => return Err(Error::unsupported("unions have no levels")),
            _ => (definition, repetition),
        };
        let first = *leaves;
        let children = field.ty.fields().iter();
        let children = children
            .map(|child| Node::below(child, inner_definition, inner_repetition, leaves))
            .collect::<Result<Vec<_>>>()?;
        if !field.ty.is_nested() {
            *leaves += 1;
        }
        // a map may lack its values
        if first == *leaves
            && !matches!(&field.ty, LogicalType::Struct(fields) if fields.is_empty())
        {
            return Err(Error::unsupported(format!("{} without a leaf", field.ty)));
        }
        Ok(Node {
            ty: field.ty.clone(),
            definition,
            repetition,
            leaves: first..*leaves,
            children,
        })
    }

    /// The greatest definition and repetition level of each leaf, in their order.
    pub(crate) fn leaf_levels(&self) -> Vec<(u8, u8)> {
        if self.is_leaf() {
            return vec![(self.definition, self.repetition)];
        }
        self.children.iter().flat_map(Node::leaf_levels).collect()
    }

    fn is_leaf(&self) -> bool {
        !self.ty.is_nested()
    }

    /// The vector of a run of rows, out of the levels and values of all leaves.
    pub(crate) fn assemble(&self, mut leaves: Vec<LeafLevels>) -> Result<Vector> {
        if leaves.len() != self.leaves.len() {
            return Err(Error::invalid("levels of another number of leaves"));
        }
        self.build(&mut leaves)
    }

    /// The vector of the slots that `leaves`, all below this node, have of it.
    fn build(&self, leaves: &mut [LeafLevels]) -> Result<Vector> {
        match self.ty.layout() {
            Layout::List | Layout::Map => self.build_lists(leaves),
            Layout::Struct => self.build_struct(leaves),
            _ => match leaves {
                [leaf] => Ok(self.build_leaf(leaf)),
                _ => Err(Error::invalid("a leaf of several columns")),
            },
        }
    }

    fn build_leaf(&self, leaf: &mut LeafLevels) -> Vector {
        let mut values = std::mem::replace(&mut leaf.values, Values::Null);
        let validity = self.validity(leaf);
        if let Some(validity) = &validity {
            spread_values(&mut values, validity);
        }
        Vector {
            ty: self.ty.clone(),
            len: leaf.entries,
            validity,
            values,
        }
    }

    fn build_struct(&self, leaves: &mut [LeafLevels]) -> Result<Vector> {
        let validity = self.alike(leaves, |leaf| Ok(self.validity(leaf)))?;
        let len = leaves.first().map_or(0, |leaf| self.slots(leaf));
        let children = self.build_children(leaves, len)?;
        structure(&self.ty, len, validity, children)
    }

    fn build_lists(&self, leaves: &mut [LeafLevels]) -> Result<Vector> {
        let levels = ListLevels {
            element: self.definition + 1,
            repetition: self.repetition + 1,
        };
        let (offsets, validity) = self.alike(leaves, |leaf| {
            let offsets = offsets(&leaf.definition, &leaf.repetition, levels);
            let offsets = offsets
                .ok_or_else(|| Error::corrupt("levels go on with a list that has no element"))?;
            Ok((offsets, self.validity(leaf)))
        })?;
        for leaf in leaves.iter_mut() {
            if !all_at_least(&leaf.definition, levels.element) {
                keep_elements(&mut leaf.definition, &mut leaf.repetition, levels.element);
                leaf.entries = leaf.definition.len();
            }
        }
        let elements = offsets.last().map_or(0, |end| *end as usize);
        let children = self.build_children(leaves, elements)?;
        lists(&self.ty, validity, offsets, children)
    }

    /// The children; one without leaves is null in all of its `len` slots.
    fn build_children(&self, leaves: &mut [LeafLevels], len: usize) -> Result<Vec<Vector>> {
        let mut rest = leaves;
        let mut children = Vec::with_capacity(self.children.len());
        for child in &self.children {
            let (own, others) = rest.split_at_mut(child.leaves.len());
            rest = others;
            children.push(if own.is_empty() {
                Vector::constant(child.ty.clone(), Scalar::Null, len)
            } else {
                child.build(own)?
            });
        }
        Ok(children)
    }

    /// What `tell` says of each leaf, which must be the same of all.
    fn alike<T: PartialEq>(
        &self,
        leaves: &[LeafLevels],
        tell: impl Fn(&LeafLevels) -> Result<T>,
    ) -> Result<T> {
        let (first, others) = leaves
            .split_first()
            .ok_or_else(|| Error::unsupported(format!("{} without a leaf", self.ty)))?;
        let told = tell(first)?;
        for other in others {
            if tell(other)? != told {
                return Err(Error::corrupt(format!(
                    "the columns of one {} disagree about its lengths or nulls",
                    self.ty
                )));
            }
        }
        Ok(told)
    }

    /// Which of the slots hold something, as a leaf below tells; `None` if all do.
    fn validity(&self, leaf: &LeafLevels) -> Option<Bitmap> {
        if all_at_least(&leaf.definition, self.definition) {
            return None;
        }
        let bits = match self.deeper(leaf) {
            false => at_least(&leaf.definition, self.definition),
            true => {
                let starts = starts(&leaf.definition, &leaf.repetition, self.repetition);
                at_least(&starts, self.definition)
            }
        };
        (!bits.all()).then_some(bits)
    }

    /// How many slots there are, as a leaf below tells.
    fn slots(&self, leaf: &LeafLevels) -> usize {
        match self.deeper(leaf) {
            false => leaf.entries,
            true => (leaf.repetition.iter())
                .filter(|&&level| level <= self.repetition)
                .count(),
        }
    }

    /// Whether a slot may have several entries of the leaf.
    fn deeper(&self, leaf: &LeafLevels) -> bool {
        leaf.repetition.iter().copied().max() > Some(self.repetition)
    }
}

/// Lists or maps out of offsets and their elements, or keys and values.
///
/// # Errors
/// As for [`list`].
pub(crate) fn lists(
    ty: &LogicalType,
    validity: Option<Bitmap>,
    offsets: Vec<u32>,
    children: Vec<Vector>,
) -> Result<Vector> {
    let mut children = children.into_iter();
    match (children.next(), children.next()) {
        (Some(elements), None) => list(ty, validity, offsets, elements),
        (Some(keys), Some(values)) => map(ty, validity, offsets, [keys, values]),
        (None, _) => Err(Error::invalid("lists without elements")),
    }
}

/// A list column: slot `i` holds elements `offsets[i]..offsets[i + 1]`.
///
/// # Errors
/// As many elements as the offsets tell must be there.
fn list(
    ty: &LogicalType,
    validity: Option<Bitmap>,
    offsets: Vec<u32>,
    elements: Vector,
) -> Result<Vector> {
    let len = hold(&offsets, [&elements])?;
    let elements = Box::new(elements);
    Ok(Vector {
        ty: ty.clone(),
        len,
        validity,
        values: Values::List { offsets, elements },
    })
}

/// A map column: slot `i` holds the entries `offsets[i]..offsets[i + 1]` of keys and values.
///
/// # Errors
/// As for [`list`].
fn map(
    ty: &LogicalType,
    validity: Option<Bitmap>,
    offsets: Vec<u32>,
    [keys, values]: [Vector; 2],
) -> Result<Vector> {
    let len = hold(&offsets, [&keys, &values])?;
    let (keys, values) = (Box::new(keys), Box::new(values));
    Ok(Vector {
        ty: ty.clone(),
        len,
        validity,
        values: Values::Map {
            offsets,
            keys,
            values,
        },
    })
}

/// How many lists the offsets make, whose elements must be as many in each child.
fn hold<const N: usize>(offsets: &[u32], children: [&Vector; N]) -> Result<usize> {
    let end = offsets.last().map_or(0, |end| *end as usize);
    match children.iter().find(|child| child.len != end) {
        Some(child) => Err(Error::corrupt(format!(
            "{} elements in lists of {end}",
            child.len
        ))),
        None => Ok(offsets.len().saturating_sub(1)),
    }
}

/// A struct column of `len` slots.
///
/// # Errors
/// Each child must have as many.
pub(crate) fn structure(
    ty: &LogicalType,
    len: usize,
    validity: Option<Bitmap>,
    children: Vec<Vector>,
) -> Result<Vector> {
    if let Some(child) = children.iter().find(|child| child.len != len) {
        return Err(Error::corrupt(format!(
            "a field of {} values in structs of {len}",
            child.len
        )));
    }
    Ok(Vector {
        ty: ty.clone(),
        len,
        validity,
        values: Values::Struct(children),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use quickcheck::{Arbitrary, Gen};

    use super::*;
    use lith_format::error::ErrorKind;

    /// A leaf's entries: definition level, repetition level, value.
    pub(crate) type Entries = Vec<(u8, u8, Scalar)>;

    /// The entries of each leaf for `rows` of a column, one value at a time.
    pub(crate) fn shred(field: &Field, rows: &[Scalar]) -> Vec<Entries> {
        let mut out = vec![Entries::new(); field.leaf_count()];
        for row in rows {
            shred_value(field, row, [0; 3], &mut out);
        }
        out
    }

    /// `at` is the definition level above, the repetition level, and the number of lists above.
    fn shred_value(field: &Field, value: &Scalar, at: [u8; 3], out: &mut [Entries]) {
        let [definition, repetition, lists] = at;
        let present = definition + u8::from(field.nullable);
        let mut absent = |level| {
            out.iter_mut()
                .for_each(|leaf| leaf.push((level, repetition, Scalar::Null)));
        };
        let entry = |values: Vec<&Scalar>, at: [u8; 3], out: &mut [Entries]| {
            let mut rest = out;
            for (child, value) in field.ty.fields().iter().zip(values) {
                let (own, others) = rest.split_at_mut(child.leaf_count());
                shred_value(child, value, at, own);
                rest = others;
            }
        };
        let elements = match value {
            Scalar::Null => {
                assert!(field.nullable, "a null where none may be");
                return absent(definition);
            }
            Scalar::Struct(fields) => {
                let values = fields.iter().map(|field| &field.1).collect();
                return entry(values, [present, repetition, lists], out);
            }
            Scalar::List(elements) => elements.iter().map(|element| vec![element]).collect(),
            Scalar::Map(entries) => entries
                .iter()
                .map(|(key, value)| vec![key, value])
                .collect(),
            value => return out[0].push((present, repetition, value.clone())),
        };
        let elements: Vec<Vec<&Scalar>> = elements;
        if elements.is_empty() {
            return absent(present);
        }
        for (index, values) in elements.into_iter().enumerate() {
            let repetition = if index == 0 { repetition } else { lists + 1 };
            entry(values, [present + 1, repetition, lists + 1], out);
        }
    }

    /// Entries as a reader hands them over.
    fn levels(
        ty: &LogicalType,
        (definition, repetition): (u8, u8),
        entries: &Entries,
    ) -> LeafLevels {
        let dense: Vec<Scalar> = (entries.iter())
            .filter(|entry| entry.0 == definition)
            .map(|entry| entry.2.clone())
            .collect();
        let all = |max: u8, level: fn(&(u8, u8, Scalar)) -> u8| match max {
            0 => Vec::new(),
            _ => entries.iter().map(level).collect(),
        };
        LeafLevels {
            entries: entries.len(),
            definition: all(definition, |entry| entry.0),
            repetition: all(repetition, |entry| entry.1),
            values: Vector::from_scalars(ty.clone(), &dense).unwrap().values,
        }
    }

    fn assemble(field: &Field, leaves: &[Entries]) -> Result<Vec<Scalar>> {
        let node = Node::of(field).unwrap();
        let schema = lith_format::schema::Schema::new(vec![field.clone()]);
        let types = schema.leaves();
        let leaves = leaves.iter().zip(node.leaf_levels()).zip(types);
        let leaves = leaves.map(|((entries, max), (_, leaf))| levels(&leaf.ty, max, entries));
        let vector = node.assemble(leaves.collect())?;
        assert_eq!(vector.ty, field.ty);
        Ok((0..vector.len).map(|row| vector.value(row)).collect())
    }

    pub(crate) fn dump(rows: &[Scalar]) -> Vec<String> {
        rows.iter().map(|row| format!("{row:?}")).collect()
    }

    /// A column and its rows.
    #[derive(Debug, Clone)]
    pub(crate) struct Column {
        pub(crate) field: Field,
        pub(crate) rows: Vec<Scalar>,
    }

    impl Arbitrary for Column {
        fn arbitrary(g: &mut Gen) -> Self {
            let field = arbitrary_field(g, "c", 4);
            let rows = (0..usize::arbitrary(g) % 80)
                .map(|_| arbitrary_value(g, &field))
                .collect();
            Column { field, rows }
        }
    }

    fn arbitrary_field(g: &mut Gen, name: &str, depth: u8) -> Field {
        use LogicalType as T;
        let below = |g: &mut Gen, name: &str| arbitrary_field(g, name, depth - 1);
        let ty = match u8::arbitrary(g) % 6 {
            0 | 1 if depth > 0 => T::List(Arc::new(below(g, "element"))),
            2 if depth > 0 => T::Map(Arc::new([below(g, "key"), below(g, "value")])),
            3 if depth > 0 => T::Struct(Arc::from(vec![below(g, "a"), below(g, "b")])),
            4 => T::Binary,
            _ => T::Int32,
        };
        Field {
            name: name.to_owned(),
            ty,
            nullable: bool::arbitrary(g),
        }
    }

    fn arbitrary_value(g: &mut Gen, field: &Field) -> Scalar {
        use {LogicalType as T, Scalar as S};
        if field.nullable && u8::arbitrary(g) % 4 == 0 {
            return S::Null;
        }
        let count = usize::arbitrary(g) % 4;
        match &field.ty {
            T::List(element) => S::List((0..count).map(|_| arbitrary_value(g, element)).collect()),
            T::Map(entry) => {
                let [key, value] = &**entry;
                let mut entry = || (arbitrary_value(g, key), arbitrary_value(g, value));
                S::Map((0..count).map(|_| entry()).collect())
            }
            T::Struct(fields) => {
                let mut member = |field: &Field| {
                    let name = Arc::from(field.name.as_str());
                    (name, arbitrary_value(g, field))
                };
                S::Struct(fields.iter().map(&mut member).collect())
            }
            T::Binary => S::binary(vec![b'x'; 4 * count]),
            _ => S::Int(i64::from(i32::arbitrary(g))),
        }
    }

    quickcheck::quickcheck! {
        fn any_rows_come_back(column: Column) -> bool {
            let leaves = shred(&column.field, &column.rows);
            dump(&assemble(&column.field, &leaves).unwrap()) == dump(&column.rows)
        }

        /// An entry more or less, or another level, in one leaf of several is an error, never another row
        /// than the leaves agree on; whatever the levels, nothing panics.
        fn leaves_that_disagree_are_refused(column: Column, leaf: usize, entry: usize, change: (u8, u8)) -> bool {
            let mut leaves = shred(&column.field, &column.rows);
            let max = Node::of(&column.field).unwrap().leaf_levels();
            let leaf = leaf % leaves.len();
            let Some(entry) = entry.checked_rem(leaves[leaf].len()) else {
                return true;
            };
            let (definition, repetition, value) = &mut leaves[leaf][entry];
            let old = (*definition, *repetition);
            *definition = change.0 % (max[leaf].0 + 1);
            *repetition = change.1 % (max[leaf].1 + 1);
            if *definition == max[leaf].0 && value.is_null() {
                *value = match leaf_types(&column.field)[leaf] {
                    LogicalType::Binary => Scalar::binary(b"new"),
                    _ => Scalar::Int(1),
                };
            }
            let changed = (*definition, *repetition) != old;
            match assemble(&column.field, &leaves) {
                Ok(rows) => {
                    // what is read tells the very levels that were given
                    let again = shred(&column.field, &rows);
                    let levels = |leaves: &[Entries]| -> Vec<Vec<(u8, u8)>> {
                        leaves.iter().map(|leaf| leaf.iter().map(|entry| (entry.0, entry.1)).collect()).collect()
                    };
                    levels(&again) == levels(&leaves)
                }
                Err(error) => changed && error.kind() == ErrorKind::Corrupt,
            }
        }
    }

    fn leaf_types(field: &Field) -> Vec<LogicalType> {
        let schema = lith_format::schema::Schema::new(vec![field.clone()]);
        let leaves = schema.leaves().into_iter();
        leaves.map(|(_, leaf)| leaf.ty.clone()).collect()
    }

    fn int(name: &str) -> Field {
        Field::nullable(name, LogicalType::Int32)
    }

    fn list(name: &str, element: Field) -> Field {
        Field::nullable(name, LogicalType::List(Arc::new(element)))
    }

    /// Entries of numbers: definition and repetition levels, and the values that are there.
    fn entries(levels: &[(u8, u8)], max: u8, values: &[i64]) -> Entries {
        let mut values = values.iter();
        let value = |definition| match definition == max {
            true => Scalar::Int(*values.next().unwrap()),
            false => Scalar::Null,
        };
        let values: Vec<Scalar> = levels.iter().map(|level| level.0).map(value).collect();
        let levels = levels.iter().zip(values);
        levels
            .map(|(level, value)| (level.0, level.1, value))
            .collect()
    }

    fn json(field: &Field, leaves: &[Entries]) -> Result<Vec<String>> {
        let rows = assemble(field, leaves)?;
        let vector = Vector::from_scalars(field.ty.clone(), &rows)?;
        Ok((0..vector.len)
            .map(|row| {
                let mut out = String::new();
                lith_format::render::render_json(&vector, row, &mut out);
                out
            })
            .collect())
    }

    #[test]
    fn empty_lists_null_lists_and_lists_of_null_differ() {
        let field = list("l", int("element"));
        let leaf = entries(
            &[(0, 0), (1, 0), (2, 0), (3, 0), (2, 1), (3, 1)],
            3,
            &[7, 8],
        );
        let rows = json(&field, &[leaf]).unwrap();
        assert_eq!(rows, ["null", "[]", "[null]", "[7,null,8]"]);
        // a repeated field without annotation: neither it nor its elements are null
        let element = Field::required("r", LogicalType::Int32);
        let field = Field::required("r", LogicalType::List(Arc::new(element)));
        let leaf = entries(&[(0, 0), (1, 0), (1, 1)], 1, &[7, 8]);
        assert_eq!(json(&field, &[leaf]).unwrap(), ["[]", "[7,8]"]);
    }

    #[test]
    fn lists_of_lists_repeat_at_their_own_level() {
        let field = list("l", list("element", int("element")));
        let levels = [
            (5, 0),
            (5, 2),
            (3, 1),
            (2, 1),
            (5, 1),
            (1, 0),
            (4, 0),
            (4, 2),
        ];
        let leaf = entries(&levels, 5, &[1, 2, 3]);
        let rows = json(&field, &[leaf]).unwrap();
        assert_eq!(rows, ["[[1,2],[],null,[3]]", "[]", "[[null,null]]"]);
    }

    /// The document of the paper on Dremel: links { backward, forward }, names { languages { code, country }, url }.
    #[test]
    fn records_of_the_paper() {
        let text = |name: &str| Field::nullable(name, LogicalType::Int32);
        let repeated = |name: &str, ty: LogicalType| {
            let element = Field::required(name, ty);
            Field::required(name, LogicalType::List(Arc::new(element)))
        };
        let languages = LogicalType::Struct(Arc::from(vec![
            Field::required("code", LogicalType::Int32),
            text("country"),
        ]));
        let names = LogicalType::Struct(Arc::from(vec![
            repeated("language", languages),
            text("url"),
        ]));
        let code = entries(&[(2, 0), (2, 2), (1, 1), (2, 1), (1, 0)], 2, &[11, 12, 13]);
        let country = entries(&[(3, 0), (2, 2), (1, 1), (3, 1), (1, 0)], 3, &[21, 22]);
        let url = entries(&[(2, 0), (2, 1), (1, 1), (2, 0)], 2, &[31, 32, 33]);
        let rows = json(&repeated("name", names), &[code, country, url]).unwrap();
        assert_eq!(
            rows,
            [
                "[{\"language\":[{\"code\":11,\"country\":21},{\"code\":12,\"country\":null}],\"url\":31},\
                 {\"language\":[],\"url\":32},\
                 {\"language\":[{\"code\":13,\"country\":22}],\"url\":null}]",
                "[{\"language\":[],\"url\":33}]"
            ]
        );
    }

    #[test]
    fn maps_have_as_many_keys_as_values() {
        let key = Field::required("key", LogicalType::Int32);
        let field = Field::nullable("m", LogicalType::Map(Arc::new([key.clone(), int("value")])));
        let keys = entries(&[(0, 0), (1, 0), (2, 0), (2, 1)], 2, &[1, 2]);
        let values = entries(&[(0, 0), (1, 0), (3, 0), (2, 1)], 3, &[5]);
        let rows = json(&field, &[keys.clone(), values]).unwrap();
        assert_eq!(rows, ["null", "[]", "[[1,5],[2,null]]"]);
        // as many in all, but not in each
        let other = entries(&[(0, 0), (3, 0), (3, 0), (1, 0)], 3, &[5, 6]);
        let error = json(&field, &[keys.clone(), other]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        // a map of keys alone
        let none = Field::nullable("value", LogicalType::Struct(Arc::from(vec![])));
        let field = Field::nullable("m", LogicalType::Map(Arc::new([key, none])));
        let rows = json(&field, &[keys]).unwrap();
        assert_eq!(rows, ["null", "[]", "[[1,null],[2,null]]"]);
    }

    #[test]
    fn structs_are_null_where_each_field_says_so() {
        let fields = LogicalType::Struct(Arc::from(vec![int("a"), list("b", int("element"))]));
        let field = list("l", Field::nullable("element", fields));
        let a = entries(&[(0, 0), (2, 0), (3, 1), (4, 1)], 4, &[1]);
        let b = entries(&[(0, 0), (2, 0), (3, 1), (6, 1), (5, 2)], 6, &[9]);
        let rows = json(&field, &[a.clone(), b]).unwrap();
        assert_eq!(
            rows,
            [
                "null",
                "[null,{\"a\":null,\"b\":null},{\"a\":1,\"b\":[9,null]}]"
            ]
        );
        let null = entries(&[(0, 0), (2, 0), (2, 1), (6, 1), (5, 2)], 6, &[9]);
        let error = json(&field, &[a, null]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn what_has_no_leaf_is_refused() {
        let empty = Field::nullable("s", LogicalType::Struct(Arc::from(vec![])));
        for field in [empty.clone(), list("l", empty)] {
            let refused = Node::of(&field).and_then(|node| node.assemble(Vec::new()));
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unsupported);
        }
    }
}
