//! From the footer's flat list of schema elements to the neutral tree, and what each leaf needs to be
//! read: levels, physical type, meaning.
//!
//! ```text
//! optional group l (LIST) { repeated group list { optional int32 element } }
//!          def 1              def 2, rep 1          def 3
//! ```
//! Every nullable node of the neutral tree is one optional node of the file's, every list or map one
//! repeated node: definition and repetition levels follow from the neutral tree alone.
//! A map without values has an empty struct, always null, as its value.
// spec: LogicalTypes.md, "Nested Types"

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::parquet::annotation::{annotation, leaf_type};
use crate::parquet::encoding::{ConvertedType, FieldRepetitionType, Type};
use crate::parquet::logical::LogicalType as Annotation;
use crate::parquet::path::LeafPath;
use crate::parquet::schema_element::SchemaElement;
use crate::schema::{Field, Schema};
use crate::types::LogicalType;

mod encode;

pub use encode::encode;

/// A leaf of the file's schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Names from the root's child down to the leaf, groups of lists and maps included.
    pub path: LeafPath,
    /// The top-level column it belongs to.
    pub column: usize,
    /// How its values are stored.
    pub physical_type: Type,
    /// Bytes of a value of a fixed-length byte array; 0 for other types.
    pub type_length: usize,
    /// The definition level of a value that is there.
    pub max_definition_level: u16,
    /// How many of its ancestors and itself are repeated.
    pub max_repetition_level: u16,
    /// What its values mean.
    pub logical_type: LogicalType,
}

impl Leaf {
    /// The path with dots between the names.
    pub fn dotted_path(&self) -> String {
        self.path.dotted()
    }
}

/// The neutral schema and the leaves of a footer's schema elements.
pub fn decode(elements: &[SchemaElement], limits: &Limits) -> Result<(Schema, Vec<Leaf>)> {
    let root = elements
        .first()
        .ok_or_else(|| Error::corrupt("there is no root").at("schema", 0))?;
    let columns = children(root)?;
    // there is an element for each
    let room = columns.min(elements.len());
    let mut tree = Tree {
        elements,
        next: 1,
        leaves: Vec::with_capacity(room),
        column: 0,
        path: Vec::new(),
        path_bytes: limits.path_bytes,
        levels: Levels::default(),
    };
    let mut schema = Schema::default();
    schema.fields.reserve_exact(room);
    for column in 0..columns {
        tree.column = column;
        tree.push_field(&mut schema.fields, limits.depth)?;
    }
    match elements.len() - tree.next {
        0 => Ok((schema, tree.leaves)),
        left => Err(tree.corrupt(format!("{left} elements belong to no group"))),
    }
}

/// How many children a group has.
fn children(element: &SchemaElement) -> Result<usize> {
    usize::try_from(element.num_children.unwrap_or(0))
        .map_err(|_| Error::corrupt("a group has a negative number of children").at("schema", 0))
}

/// A walk over the elements, depth first.
struct Tree<'a> {
    elements: &'a [SchemaElement],
    /// The element to be taken next.
    next: usize,
    leaves: Vec<Leaf>,
    column: usize,
    /// The names down to the node being taken.
    path: Vec<&'a str>,
    /// How many bytes the paths of further leaves may take.
    path_bytes: usize,
    /// The levels of the node being taken.
    levels: Levels,
}

/// How many nodes down to one may be absent or repeated, and how many are repeated.
#[derive(Debug, Clone, Copy, Default)]
struct Levels {
    definition: usize,
    repetition: usize,
}

/// How a LIST-annotated group holds its elements.
enum ListForm {
    /// The repeated node is the element.
    Repeated,
    /// The repeated node holds the element.
    Inner,
}

impl<'a> Tree<'a> {
    /// Adds the next node to the fields of its parent.
    fn push_field(&mut self, fields: &mut Vec<Field>, depth: usize) -> Result<()> {
        // created in its place; a finished one would be moved
        fields.resize_with(fields.len() + 1, no_field);
        match fields.last_mut() {
            Some(field) => self.field(field, depth),
            None => Ok(()),
        }
    }

    /// Makes `field` of the next node. A repeated one is a list of itself.
    fn field(&mut self, field: &mut Field, depth: usize) -> Result<()> {
        let node = self.peek(0)?;
        let above = self.enter(node)?;
        field.name.clone_from(&node.name);
        field.nullable = node.repetition_type == Some(FieldRepetitionType::Optional);
        self.node(&mut field.ty, depth)?;
        self.leave(above);
        if node.repetition_type == Some(FieldRepetitionType::Repeated) {
            let element = std::mem::replace(field, no_field());
            *field = Field::required(node.name.as_str(), LogicalType::List(Arc::new(element)));
        }
        Ok(())
    }

    /// The next node as a field by itself.
    fn only_field(&mut self, depth: usize) -> Result<Field> {
        let mut field = no_field();
        self.field(&mut field, depth)?;
        Ok(field)
    }

    /// Sets `ty` to the type of the next node, which is taken with all below it.
    fn node(&mut self, ty: &mut LogicalType, depth: usize) -> Result<()> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| Error::limit("the schema is nested too deeply").at("schema", 0))?;
        let node = self.peek(0)?;
        if let Some(physical_type) = node.physical_type {
            self.next += 1;
            return self.leaf(ty, node, physical_type);
        }
        if is_list(node)
            && let Some(form) = self.list_form(node)?
        {
            *ty = self.list(&form, depth)?;
            return Ok(());
        }
        if is_map(node) && self.is_map_form(node)? {
            *ty = self.map(depth)?;
            return Ok(());
        }
        self.next += 1;
        let mut fields = Vec::new();
        for _ in 0..children(node)? {
            self.push_field(&mut fields, depth)?;
        }
        *ty = match node.logical_type {
            Some(Annotation::Variant(_)) => LogicalType::Variant(fields.into()),
            _ => LogicalType::Struct(fields.into()),
        };
        Ok(())
    }

    /// The elements of the LIST-annotated group that comes next.
    fn list(&mut self, form: &ListForm, depth: usize) -> Result<LogicalType> {
        let repeated = self.peek(1)?;
        self.next += 1;
        let above = self.enter(repeated)?;
        let element = match form {
            ListForm::Repeated => {
                let mut element = Field::required(repeated.name.as_str(), LogicalType::Null);
                self.node(&mut element.ty, depth)?;
                element
            }
            ListForm::Inner => {
                self.next += 1;
                self.only_field(depth)?
            }
        };
        self.leave(above);
        Ok(LogicalType::List(Arc::new(element)))
    }

    /// The entries of the MAP-annotated group that comes next.
    fn map(&mut self, depth: usize) -> Result<LogicalType> {
        let entry = self.peek(1)?;
        self.next += 2;
        let above = self.enter(entry)?;
        let key = self.only_field(depth)?;
        let value = match children(entry)? {
            1 => Field::nullable("value", LogicalType::Struct(Arc::new([]))),
            _ => self.only_field(depth)?,
        };
        self.leave(above);
        Ok(LogicalType::Map(Arc::new([key, value])))
    }

    /// How the LIST-annotated `node`, which comes next, holds its elements; `None` if it is no list.
    ///
    /// The rules are those of the specification, in their order. The standard form of three levels
    /// falls through all of them to the last, whatever its nodes are called.
    fn list_form(&self, node: &SchemaElement) -> Result<Option<ListForm>> {
        // spec: LogicalTypes.md, "Lists", "Backward-compatibility rules"
        if children(node)? != 1 {
            return Ok(None);
        }
        let repeated = self.peek(1)?;
        if repeated.repetition_type != Some(FieldRepetitionType::Repeated) {
            return Ok(None);
        }
        if repeated.physical_type.is_some() {
            return Ok(Some(ListForm::Repeated));
        }
        if children(repeated)? != 1 {
            return Ok(Some(ListForm::Repeated));
        }
        let only = self.peek(2)?;
        if only.repetition_type == Some(FieldRepetitionType::Repeated) {
            return Ok(Some(ListForm::Repeated));
        }
        let tuple = repeated.name.strip_suffix("_tuple") == Some(node.name.as_str());
        if repeated.name == "array" || tuple {
            return Ok(Some(ListForm::Repeated));
        }
        Ok(Some(ListForm::Inner))
    }

    /// Whether the MAP-annotated `node`, which comes next, holds a repeated group of key and perhaps value.
    fn is_map_form(&self, node: &SchemaElement) -> Result<bool> {
        if children(node)? != 1 {
            return Ok(false);
        }
        let entry = self.peek(1)?;
        Ok(entry.physical_type.is_none()
            && entry.repetition_type == Some(FieldRepetitionType::Repeated)
            && matches!(children(entry)?, 1 | 2))
    }

    /// Adds a leaf, and sets `ty` to its type.
    fn leaf(
        &mut self,
        ty: &mut LogicalType,
        node: &SchemaElement,
        physical_type: Type,
    ) -> Result<()> {
        let type_length = match physical_type {
            Type::FixedLenByteArray => match usize::try_from(node.type_length.unwrap_or(0)) {
                Ok(length) if length > 0 => length,
                _ => return Err(self.corrupt("a fixed-length byte array without a length")),
            },
            Type::Unknown(id) => {
                let error = Error::unsupported(format!("physical type {id} is not known"));
                return Err(error.at("schema", 0).at_column(self.path.join(".")));
            }
            _ => 0,
        };
        *ty = leaf_type(physical_type, type_length, annotation(node).as_ref());
        let path_bytes = self.path.iter().map(|name| name.len()).sum();
        Limits::spend_path(&mut self.path_bytes, path_bytes)?;
        let level = |level| u16::try_from(level).map_err(|_| self.corrupt("too many levels"));
        let (definition, repetition) = (
            level(self.levels.definition)?,
            level(self.levels.repetition)?,
        );
        // created in its place; a finished one would be moved
        self.leaves.resize_with(self.leaves.len() + 1, || Leaf {
            path: LeafPath::default(),
            column: self.column,
            physical_type,
            type_length,
            max_definition_level: definition,
            max_repetition_level: repetition,
            logical_type: ty.clone(),
        });
        if let Some(leaf) = self.leaves.last_mut() {
            leaf.path.set(&self.path);
        }
        Ok(())
    }

    /// The node `ahead` of the next one.
    fn peek(&self, ahead: usize) -> Result<&'a SchemaElement> {
        self.elements
            .get(self.next + ahead)
            .ok_or_else(|| self.corrupt("a group has more children than there are elements"))
    }

    /// Goes down to `node`; returns the levels above it, with which it is [left](Self::leave).
    fn enter(&mut self, node: &'a SchemaElement) -> Result<Levels> {
        self.path.push(&node.name);
        let above = self.levels;
        let (definition, repetition) = match node.repetition_type {
            Some(FieldRepetitionType::Required) => (0, 0),
            Some(FieldRepetitionType::Optional) => (1, 0),
            Some(FieldRepetitionType::Repeated) => (1, 1),
            None | Some(FieldRepetitionType::Unknown(_)) => {
                return Err(self.corrupt("a node without a repetition"));
            }
        };
        self.levels.definition += definition;
        self.levels.repetition += repetition;
        Ok(above)
    }

    fn leave(&mut self, above: Levels) {
        self.path.pop();
        self.levels = above;
    }

    #[cold]
    fn corrupt(&self, message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        Error::corrupt(message)
            .at("schema", 0)
            .at_column(self.path.join("."))
    }
}

/// What a field is before its node is read.
fn no_field() -> Field {
    Field::required(String::new(), LogicalType::Null)
}

fn is_list(node: &SchemaElement) -> bool {
    match &node.logical_type {
        Some(annotation) => *annotation == Annotation::List,
        None => node.converted_type == Some(ConvertedType::List),
    }
}

/// Old writers put MAP_KEY_VALUE where MAP belongs. Below a MAP it is on the repeated group, which
/// nobody asks about.
fn is_map(node: &SchemaElement) -> bool {
    match &node.logical_type {
        Some(annotation) => *annotation == Annotation::Map,
        None => matches!(
            node.converted_type,
            Some(ConvertedType::Map | ConvertedType::MapKeyValue)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use FieldRepetitionType::{Optional, Repeated, Required};

    fn group(
        repetition: FieldRepetitionType,
        name: &str,
        converted: Option<ConvertedType>,
        children: i32,
    ) -> SchemaElement {
        SchemaElement {
            name: name.into(),
            repetition_type: Some(repetition),
            num_children: Some(children),
            converted_type: converted,
            ..Default::default()
        }
    }

    fn list(repetition: FieldRepetitionType, name: &str) -> SchemaElement {
        group(repetition, name, Some(ConvertedType::List), 1)
    }

    fn int(repetition: FieldRepetitionType, name: &str) -> SchemaElement {
        SchemaElement {
            name: name.into(),
            repetition_type: Some(repetition),
            physical_type: Some(Type::Int32),
            ..Default::default()
        }
    }

    fn read(columns: i32, nodes: &[SchemaElement]) -> Result<(Schema, Vec<Leaf>)> {
        let mut elements = vec![group(Required, "root", None, columns)];
        elements.extend_from_slice(nodes);
        decode(&elements, &Limits::default())
    }

    /// One column in Spark's notation, with `?` after what may be null.
    fn shape(nodes: &[SchemaElement]) -> String {
        fn show(field: &Field) -> String {
            let null = if field.nullable { "?" } else { "" };
            let fields: Vec<_> = field.ty.fields().iter().map(show).collect();
            let name = match field.ty {
                LogicalType::List(_) => "list",
                LogicalType::Map(_) => "map",
                LogicalType::Struct(_) => "struct",
                _ => return format!("{}{null}", field.ty),
            };
            format!("{name}<{}>{null}", fields.join(","))
        }
        let (schema, leaves) = read(1, nodes).unwrap();
        assert_eq!(schema.leaf_count(), leaves.len());
        show(&schema.fields[0])
    }

    /// The shape of a nullable list `l` around `nodes`, and the levels of each leaf, with both kinds of
    /// annotation.
    fn list_of(nodes: &[SchemaElement]) -> (String, Vec<(u16, u16)>) {
        let mut nodes = [&[list(Optional, "l")], nodes].concat();
        let converted = (shape(&nodes), levels(&nodes));
        nodes[0].converted_type = None;
        nodes[0].logical_type = Some(Annotation::List);
        assert_eq!((shape(&nodes), levels(&nodes)), converted);
        converted
    }

    /// The definition and repetition level of each leaf's values.
    fn levels(nodes: &[SchemaElement]) -> Vec<(u16, u16)> {
        let (_, leaves) = read(1, nodes).unwrap();
        let levels = |leaf: &Leaf| (leaf.max_definition_level, leaf.max_repetition_level);
        leaves.iter().map(levels).collect()
    }

    /// What is expected of a list.
    fn is(shape: &str, levels: &[(u16, u16)]) -> (String, Vec<(u16, u16)>) {
        (shape.to_string(), levels.to_vec())
    }

    fn repeated(name: &str, children: i32) -> SchemaElement {
        group(Repeated, name, None, children)
    }

    #[test]
    fn three_levels_are_a_list_whatever_the_names() {
        for (middle, element) in [
            ("list", "element"),
            ("bag", "array_element"),
            ("element", "str"),
            ("element", "element"),
            ("array_", "array"),
            ("l", "l_tuple"),
        ] {
            let nodes = [repeated(middle, 1), int(Optional, element)];
            assert_eq!(list_of(&nodes), is("list<int?>?", &[(3, 1)]));
        }
        // an element with one field named like the element of three levels
        let nested = [
            repeated("list", 1),
            group(Optional, "element", None, 1),
            int(Required, "element"),
        ];
        assert_eq!(list_of(&nested), is("list<struct<int>?>?", &[(3, 1)]));
        let lists = [
            repeated("list", 1),
            list(Required, "element"),
            repeated("list", 1),
            int(Required, "element"),
        ];
        assert_eq!(list_of(&lists), is("list<list<int>>?", &[(3, 2)]));
    }

    #[test]
    fn list_rule_1_a_repeated_primitive_is_the_element() {
        for name in ["element", "array", "l_tuple"] {
            let nodes = [int(Repeated, name)];
            assert_eq!(list_of(&nodes), is("list<int>?", &[(2, 1)]));
        }
    }

    #[test]
    fn list_rule_2_a_repeated_group_of_several_fields_is_the_element() {
        for name in ["element", "list", "array", "l_tuple"] {
            let nodes = [repeated(name, 2), int(Required, "a"), int(Optional, "b")];
            let expected = is("list<struct<int,int?>>?", &[(2, 1), (3, 1)]);
            assert_eq!(list_of(&nodes), expected);
        }
    }

    #[test]
    fn list_rule_3_a_repeated_group_of_one_repeated_field_is_the_element() {
        for name in ["array", "list"] {
            let inner = [list(Repeated, name), int(Repeated, "array")];
            assert_eq!(list_of(&inner), is("list<list<int>>?", &[(3, 2)]));
            // not annotated, it is a structure of a list
            let plain = [repeated(name, 1), int(Repeated, "array")];
            assert_eq!(list_of(&plain), is("list<struct<list<int>>>?", &[(3, 2)]));
        }
        let maps = [
            group(Repeated, "array", Some(ConvertedType::Map), 1),
            repeated("map", 2),
            int(Required, "key"),
            int(Optional, "value"),
        ];
        assert_eq!(
            list_of(&maps),
            is("list<map<int,int?>>?", &[(3, 2), (4, 2)])
        );
    }

    #[test]
    fn list_rule_4_a_repeated_group_named_array_or_after_its_list_is_the_element() {
        for name in ["array", "l_tuple"] {
            let nodes = [repeated(name, 1), int(Required, "str")];
            assert_eq!(list_of(&nodes), is("list<struct<int>>?", &[(2, 1)]));
            let nodes = [repeated(name, 1), int(Optional, "str")];
            assert_eq!(list_of(&nodes), is("list<struct<int?>>?", &[(3, 1)]));
        }
    }

    #[test]
    fn list_rule_5_otherwise_the_only_field_is_the_element() {
        for name in ["Array", "arrays", "m_tuple", "tuple", "_tuple", "L_tuple"] {
            let nodes = [repeated(name, 1), int(Required, "str")];
            assert_eq!(list_of(&nodes), is("list<int>?", &[(2, 1)]));
        }
    }

    #[test]
    fn repeated_without_annotation_is_a_list_of_itself() {
        assert_eq!(shape(&[int(Repeated, "a")]), "list<int>");
        let groups = [group(Repeated, "a", None, 1), int(Optional, "b")];
        assert_eq!(shape(&groups), "list<struct<int?>>");
        // neither is it a list if its group says so but holds something else
        let none = [list(Optional, "l"), int(Optional, "a")];
        assert_eq!(shape(&none), "struct<int?>?");
    }

    /// A nullable column `m` of entries that are annotated as such or not.
    fn map_of(annotation: ConvertedType, entry: &[SchemaElement]) -> (String, Vec<(u16, u16)>) {
        let [shape, other] = [None, Some(ConvertedType::MapKeyValue)].map(|annotated| {
            let children = entry.len() as i32;
            let head = [
                group(Optional, "m", Some(annotation), 1),
                group(Repeated, "map", annotated, children),
            ];
            let nodes = [&head, entry].concat();
            (shape(&nodes), levels(&nodes))
        });
        assert_eq!(shape, other);
        shape
    }

    #[test]
    fn keys_and_values_of_maps_are_known_by_their_place() {
        for names in [["key", "value"], ["str", "num"], ["value", "key"]] {
            let entry = names.map(|name| int(Required, name));
            let expected = is("map<int,int>?", &[(2, 1), (2, 1)]);
            assert_eq!(map_of(ConvertedType::Map, &entry), expected);
        }
    }

    #[test]
    fn map_key_value_stands_for_map_unless_it_is_below_one() {
        let entry = [int(Required, "key"), int(Optional, "value")];
        for annotation in [ConvertedType::Map, ConvertedType::MapKeyValue] {
            let expected = is("map<int,int?>?", &[(2, 1), (3, 1)]);
            assert_eq!(map_of(annotation, &entry), expected);
        }
        let mut logical = [
            &[group(Optional, "m", None, 1), repeated("kv", 2)],
            &entry[..],
        ]
        .concat();
        logical[0].logical_type = Some(Annotation::Map);
        assert_eq!(shape(&logical), "map<int,int?>?");
    }

    #[test]
    fn maps_may_lack_values_and_have_keys_that_may_be_null() {
        let keys = [int(Required, "key")];
        let expected = is("map<int,struct<>?>?", &[(2, 1)]);
        assert_eq!(map_of(ConvertedType::Map, &keys), expected);
        let keys = [int(Optional, "key")];
        let expected = is("map<int?,struct<>?>?", &[(3, 1)]);
        assert_eq!(map_of(ConvertedType::Map, &keys), expected);
        let entry = [int(Optional, "key"), int(Required, "value")];
        let expected = is("map<int?,int>?", &[(3, 1), (2, 1)]);
        assert_eq!(map_of(ConvertedType::Map, &entry), expected);
    }

    #[test]
    fn what_is_called_a_map_but_has_no_entries_is_a_structure() {
        let three = ["key", "value", "more"].map(|name| int(Required, name));
        let expected = is("struct<list<struct<int,int,int>>>?", &[(2, 1); 3]);
        assert_eq!(map_of(ConvertedType::Map, &three), expected);
        let pair = [
            group(Optional, "m", Some(ConvertedType::Map), 2),
            int(Required, "key"),
            int(Required, "value"),
        ];
        assert_eq!(shape(&pair), "struct<int,int>?");
    }

    #[test]
    fn levels_count_what_may_be_absent_or_repeated() {
        let nodes = [
            group(Optional, "s", None, 2),
            list(Required, "l"),
            group(Repeated, "list", None, 1),
            int(Optional, "element"),
            int(Required, "x"),
        ];
        let (_, leaves) = read(1, &nodes).unwrap();
        assert_eq!(leaves[0].dotted_path(), "s.l.list.element");
        assert_eq!(leaves[0].max_definition_level, 3);
        assert_eq!(leaves[0].max_repetition_level, 1);
        assert_eq!(leaves[1].dotted_path(), "s.x");
        assert_eq!(leaves[1].max_definition_level, 1);
        assert_eq!(leaves[1].max_repetition_level, 0);
    }

    #[test]
    fn trees_that_do_not_add_up_are_refused() {
        let kind = |columns, nodes: &[SchemaElement]| read(columns, nodes).unwrap_err().kind();
        assert_eq!(kind(2, &[int(Required, "a")]), ErrorKind::Corrupt);
        assert_eq!(kind(0, &[int(Required, "a")]), ErrorKind::Corrupt);
        assert_eq!(kind(-1, &[]), ErrorKind::Corrupt);
        assert_eq!(kind(i32::MAX, &[]), ErrorKind::Corrupt);
        assert_eq!(kind(1, &[list(Optional, "l")]), ErrorKind::Corrupt);
        let mut lost = int(Required, "a");
        lost.repetition_type = None;
        assert_eq!(kind(1, &[lost.clone()]), ErrorKind::Corrupt);
        lost.repetition_type = Some(Required);
        lost.physical_type = Some(Type::Unknown(-7));
        assert_eq!(kind(1, &[lost.clone()]), ErrorKind::Unsupported);
        lost.physical_type = Some(Type::FixedLenByteArray);
        for length in [None, Some(0), Some(-1)] {
            lost.type_length = length;
            assert_eq!(kind(1, &[lost.clone()]), ErrorKind::Corrupt);
        }
        let deep: Vec<_> = (0..1000).map(|_| group(Required, "g", None, 1)).collect();
        assert_eq!(kind(1, &deep), ErrorKind::LimitExceeded);
        assert_eq!(
            decode(&[], &Limits::default()).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
        assert_eq!(read(0, &[]).unwrap().0.leaf_count(), 0);
    }
}
