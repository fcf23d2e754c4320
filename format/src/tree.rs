//! Metadata as a tree of names and values, in a specification's own words: what `lith meta` prints.
//!
//! The typed structures of `parquet` and `orc` know what things mean and give a default to what is absent.
//! A tree keeps apart what is written and what is not, and shows what no specification defines.

use std::borrow::Cow;

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
