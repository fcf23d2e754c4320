//! Metadata as a tree of names and values, in a specification's own words: what `lith meta` prints.
//!
//! The typed structures of `parquet` and `orc` interpret fields and fill in defaults. A tree has exactly the fields
//! that are written, unknown ones included.
//!
//! ```text
//! bytes -> event, event, ..  -> printed part by part      only the open path is held
//!                            -> Builder -> Node           a whole tree
//!                            -> Elements -> Node, Node    the elements of one list, one by one
//! ```

use std::borrow::Cow;
use std::mem;

use crate::error::{Error, Result};
use crate::limits::Limits;

/// Prefix of the names of unknown fields.
pub(crate) const UNKNOWN_FIELD: &str = "unknown_field_";

/// Prefix of the names under which all occurrences of a field are listed if it occurs more than once.
pub const DUPLICATES: &str = "duplicates_of_";

/// A value, or a structure of values.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A truth value.
    Boolean(bool),
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    UInt(u64),
    /// A floating-point number.
    Float(f64),
    /// The name of a numbered choice.
    Name(&'static str),
    /// Text, though nothing makes a writer check that it is UTF-8.
    Text(Vec<u8>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A repeated field.
    List(Vec<Node>),
    /// A structure: its fields in the order in which they are first met.
    Object(Vec<(Cow<'static, str>, Node)>),
}

impl Node {
    /// The field `name` of a structure; of one that is there twice, the last.
    pub fn get(&self, name: &str) -> Option<&Node> {
        let Node::Object(fields) = self else {
            return None;
        };
        let mut fields = fields.iter().rev();
        let found = fields.find(|(field, _)| field == name);
        found.map(|(_, node)| node)
    }

    /// The signed number that the field `name` of a structure is.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            Node::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The elements of the list that the field `name` of a structure is; none if there is no such list.
    pub fn list(&self, name: &str) -> &[Node] {
        match self.get(name) {
            Some(Node::List(list)) => list,
            _ => &[],
        }
    }
}

/// A part of a tree. Each begin has its end; a field's name precedes its value.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// A structure begins.
    BeginObject,
    /// The name of the field whose value is next.
    Field(Cow<'static, str>),
    /// The structure ends.
    EndObject,
    /// A repeated field begins.
    BeginList,
    /// The repeated field ends.
    EndList,
    /// Text, which need not be UTF-8.
    Text(&'a [u8]),
    /// Bytes.
    Bytes(&'a [u8]),
    /// Another value without parts.
    Value(Node),
}

/// Receives the parts of a tree, in order; its first error ends the decoding.
pub type EventSink<'a> = dyn FnMut(Event<'_>) -> Result<()> + 'a;

impl Node {
    /// Passes the parts of the tree to `to`.
    pub fn emit(self, to: &mut EventSink<'_>) -> Result<()> {
        match self {
            Node::List(list) => {
                to(Event::BeginList)?;
                list.into_iter().try_for_each(|node| node.emit(to))?;
                to(Event::EndList)
            }
            Node::Object(fields) => {
                to(Event::BeginObject)?;
                for (name, node) in fields {
                    to(Event::Field(name))?;
                    node.emit(to)?;
                }
                to(Event::EndObject)
            }
            Node::Text(text) => to(Event::Text(&text)),
            Node::Bytes(bytes) => to(Event::Bytes(&bytes)),
            plain => to(Event::Value(plain)),
        }
    }
}

/// Builds a tree of its parts.
#[derive(Debug)]
pub struct Builder {
    open: Vec<Node>,
    names: Vec<Cow<'static, str>>,
    whole: Option<Node>,
    /// How many bytes the tree may still take in memory.
    room: usize,
}

impl Builder {
    /// A builder of a tree of at most `room` bytes in memory.
    pub fn new(room: usize) -> Self {
        Builder {
            open: Vec::new(),
            names: Vec::new(),
            whole: None,
            room,
        }
    }

    /// Takes the next part.
    ///
    /// # Errors
    /// A tree that is larger than it may be, or than memory is.
    pub fn add(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::BeginObject => self.open.push(Node::Object(Vec::new())),
            Event::BeginList => self.open.push(Node::List(Vec::new())),
            Event::Field(name) => {
                self.spend(name.len())?;
                self.names.push(name);
            }
            Event::Text(text) => {
                let text = self.copy(text)?;
                self.place(Node::Text(text))?;
            }
            Event::Bytes(bytes) => {
                let bytes = self.copy(bytes)?;
                self.place(Node::Bytes(bytes))?;
            }
            Event::Value(node) => self.place(node)?,
            Event::EndObject | Event::EndList => {
                if let Some(node) = self.open.pop() {
                    self.place(node)?;
                }
            }
        }
        Ok(())
    }

    fn place(&mut self, node: Node) -> Result<()> {
        // lists grow to twice what they hold
        self.spend(2 * size_of::<(Cow<'static, str>, Node)>())?;
        match self.open.last_mut() {
            Some(Node::Object(fields)) => {
                let name = self.names.pop().unwrap_or_default();
                Limits::push(fields, (name, node))?;
            }
            Some(Node::List(list)) => Limits::push(list, node)?,
            _ => self.whole = Some(node),
        }
        Ok(())
    }

    fn copy(&mut self, bytes: &[u8]) -> Result<Vec<u8>> {
        self.spend(bytes.len())?;
        Limits::copy(bytes)
    }

    fn spend(&mut self, bytes: usize) -> Result<()> {
        match self.room.checked_sub(bytes) {
            Some(room) => {
                self.room = room;
                Ok(())
            }
            None => Err(Error::limit("structure is too large when decoded")),
        }
    }

    /// The tree; an empty structure if nothing was whole.
    pub fn finish(self) -> Node {
        self.whole.unwrap_or(Node::Object(Vec::new()))
    }
}

/// Takes the values of `N` fields out of a structure. They have no parts; of a field that occurs twice, the last
/// value counts.
#[derive(Debug)]
pub struct FieldValues<const N: usize> {
    names: [&'static str; N],
    values: [Option<Node>; N],
    depth: usize,
    /// Which of the fields the next value belongs to, if any.
    next: Option<usize>,
}

impl<const N: usize> FieldValues<N> {
    /// Takes the fields of these names.
    pub fn new(names: [&'static str; N]) -> Self {
        FieldValues {
            names,
            values: [const { None }; N],
            depth: 0,
            next: None,
        }
    }

    /// Takes the next part.
    pub fn add(&mut self, event: Event<'_>) {
        match event {
            Event::BeginObject | Event::BeginList => self.depth += 1,
            Event::EndObject | Event::EndList => self.depth = self.depth.saturating_sub(1),
            Event::Field(name) if self.depth == 1 => {
                self.next = self.names.iter().position(|wanted| *wanted == name);
            }
            Event::Value(node) if self.depth == 1 => {
                if let Some(value) = self.next.and_then(|next| self.values.get_mut(next)) {
                    *value = Some(node);
                }
            }
            Event::Field(_) | Event::Value(_) | Event::Text(_) | Event::Bytes(_) => {}
        }
    }

    /// The values of the fields, in the order of their names; `None` for absent ones.
    pub fn finish(self) -> [Option<Node>; N] {
        self.values
    }
}

/// Takes the elements of a list out of a larger tree, one by one, each as a tree. Lists within them are left empty.
pub struct Elements<'a, F> {
    /// The lists within each other, by the names of their fields.
    path: &'a [&'static str],
    /// Of the lists on the path that are open, at which element they are.
    places: Vec<usize>,
    /// How many structures and lists are open.
    depth: usize,
    /// Whether the next value is the next list on the path.
    named: bool,
    /// How many bytes an element may take in memory.
    room: usize,
    /// How many lists of the element are open.
    lists: usize,
    element: Builder,
    take: F,
}

impl<'a, F: FnMut(&[usize], Node) -> Result<()>> Elements<'a, F> {
    /// Of the list in the field that the last name of `path` is, of each element of the list before it, and so
    /// on. `take` gets the numbers of the elements from the outermost list on. An element takes at most `room`
    /// bytes in memory.
    pub fn new(path: &'a [&'static str], room: usize, take: F) -> Self {
        Elements {
            path,
            places: Vec::new(),
            depth: 0,
            named: false,
            room,
            lists: 0,
            element: Builder::new(room),
            take,
        }
    }

    /// Takes the next part.
    pub fn add(&mut self, event: Event<'_>) -> Result<()> {
        let between = self.depth == 2 * self.places.len();
        if self.places.len() == self.path.len() && !(between && event == Event::EndList) {
            return self.add_to_element(event);
        }
        let within = self.depth == 2 * self.places.len() + 1;
        let named = mem::take(&mut self.named);
        match event {
            Event::Field(name) if within => self.named = name == self.path[self.places.len()],
            Event::Field(_) => {}
            Event::BeginList if named => {
                self.places.push(0);
                self.depth += 1;
            }
            Event::BeginObject | Event::BeginList => self.depth += 1,
            Event::EndList if between => {
                self.places.pop();
                self.depth -= 1;
            }
            Event::EndObject | Event::EndList => {
                self.depth = self.depth.saturating_sub(1);
                self.step();
            }
            Event::Value(_) | Event::Text(_) | Event::Bytes(_) => self.step(),
        }
        Ok(())
    }

    fn add_to_element(&mut self, event: Event<'_>) -> Result<()> {
        self.lists -= usize::from(self.lists > 0 && event == Event::EndList);
        let is_left_out = self.lists > 0;
        self.lists += usize::from(event == Event::BeginList);
        match event {
            Event::BeginObject | Event::BeginList => self.depth += 1,
            Event::EndObject | Event::EndList => self.depth -= 1,
            Event::Field(_) | Event::Value(_) | Event::Text(_) | Event::Bytes(_) => {}
        }
        let is_name = matches!(event, Event::Field(_));
        if !is_left_out {
            self.element.add(event)?;
        }
        if self.depth == 2 * self.places.len() && !is_name {
            let node = mem::replace(&mut self.element, Builder::new(self.room)).finish();
            (self.take)(&self.places, node)?;
            self.step();
        }
        Ok(())
    }

    /// Goes on to the next element, if one has just ended.
    fn step(&mut self) {
        if self.depth == 2 * self.places.len()
            && let Some(place) = self.places.last_mut()
        {
            *place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn object(fields: Vec<(&'static str, Node)>) -> Node {
        let fields = fields.into_iter();
        Node::Object(fields.map(|(name, node)| (name.into(), node)).collect())
    }

    /// Lists of lists, with others of the same names in other places.
    fn nested() -> Node {
        let inner = |from: i64| {
            let elements = vec![
                object(vec![("b", Node::List(vec![Node::Int(from)]))]),
                Node::Int(from + 1),
            ];
            object(vec![("x", Node::Int(0)), ("b", Node::List(elements))])
        };
        let decoy = object(vec![("b", Node::List(vec![Node::Int(99)]))]);
        object(vec![
            ("b", Node::List(vec![Node::Int(99)])),
            ("c", object(vec![("a", Node::List(vec![decoy]))])),
            ("a", Node::List(vec![inner(1), object(vec![]), inner(3)])),
            ("a", Node::Int(99)),
        ])
    }

    #[test]
    fn a_builder_restores_the_tree() {
        let mut builder = Builder::new(1 << 12);
        nested().emit(&mut |event| builder.add(event)).unwrap();
        assert_eq!(builder.finish(), nested());
        assert_eq!(Builder::new(0).finish(), object(vec![]));
        let mut builder = Builder::new(1 << 8);
        let built = nested().emit(&mut |event| builder.add(event));
        assert_eq!(built.unwrap_err().kind(), ErrorKind::LimitExceeded);
        assert!(Builder::new(99).add(Event::Text(&[0; 100])).is_err());
    }

    #[test]
    fn values_are_taken_from_the_outermost_structure_only() {
        let Node::Object(mut fields) = nested() else {
            unreachable!("a structure");
        };
        fields.push(("x".into(), Node::Int(7)));
        fields.push(("c".into(), Node::Name("c")));
        let mut values = FieldValues::new(["x", "y", "b", "c", "a"]);
        let added = Node::Object(fields).emit(&mut |event| {
            values.add(event);
            Ok(())
        });
        added.unwrap();
        let expected = [
            Some(Node::Int(7)),
            None,
            None,
            Some(Node::Name("c")),
            Some(Node::Int(99)),
        ];
        assert_eq!(values.finish(), expected);
    }

    #[test]
    fn elements_are_taken_from_the_lists_on_the_path_only() {
        let mut found = Vec::new();
        let mut elements = Elements::new(&["a", "b"], 1 << 12, |places: &[usize], node| {
            found.push((places.to_vec(), node));
            Ok(())
        });
        nested().emit(&mut |event| elements.add(event)).unwrap();
        let first = || object(vec![("b", Node::List(vec![]))]);
        let expected = [
            (vec![0, 0], first()),
            (vec![0, 1], Node::Int(2)),
            (vec![2, 0], first()),
            (vec![2, 1], Node::Int(4)),
        ];
        assert_eq!(found, expected);
    }
}
