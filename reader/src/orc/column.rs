//! Reads a top-level column of a stripe, or a part of it, in windows of rows.
//!
//! ```text
//! types of the file     1 struct<2 a: list<3>, 4 b: struct<5 c, 6 d>>
//! part                  struct<b: struct<d>>           columns 1, 4 and 6 are opened, the others never read
//! ```
//! A window without wanted rows is only counted, and passed over before the next one that has some.
// spec: ORCv1.md, "Type Information", "Column Encodings"

use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::orc::encoding::{StreamKind, TypeKind};
use lith_format::orc::footer::Type;
use lith_format::schema::Field;
use lith_format::types::LogicalType;
use lith_format::vector::Vector;

use crate::column::ColumnReader;
use crate::orc::encoding::boolean_rle::BooleanRle;
use crate::orc::encoding::byte_rle::ByteRle;
use crate::orc::form::{Decoder, open_lengths};
use crate::orc::nested::{Node, Room, Slots};
use crate::orc::present::Present;
use crate::orc::stripe::Streams;
use crate::selection::Selection;

/// The reader of a top-level column of a stripe.
pub(crate) struct Column {
    name: String,
    stripe: usize,
    node: Node,
    /// Whether `node` is a struct around the column, whose nulls are the rows that are null as a whole.
    is_wrapped: bool,
    /// How many bytes the elements of lists may take in a window.
    room: usize,
    /// Rows that no window has covered yet.
    rows_left: u64,
    /// Unwanted rows of past windows that are still to be passed over.
    pending: u64,
}

impl Column {
    /// Starts at the front of column `id`, of which `field` is the wanted part.
    pub fn open(opener: &Opener<'_>, id: u32, field: &Field) -> Result<Self> {
        let Opener { streams, .. } = opener;
        let locate = |error: Error| {
            error
                .at_column(&field.name)
                .at_stripe(streams.stripe.ordinal)
        };
        let mut node = opener.node(id, field, &field.name).map_err(locate)?;
        let rows = opener.present(0).map_err(locate)?;
        let is_wrapped = id != 0 && rows.is_stored();
        if is_wrapped {
            let ty = LogicalType::Struct([field.clone()].into());
            let slots = Slots::Struct(vec![node]);
            node = opener.make(ty, &field.name, rows, slots);
        }
        Ok(Column {
            name: field.name.clone(),
            stripe: streams.stripe.ordinal,
            node,
            is_wrapped,
            room: streams.context.limits.page_bytes,
            rows_left: streams.stripe.rows,
            pending: 0,
        })
    }

    fn read_window(&mut self, selection: &Selection) -> Result<Vector> {
        let mut room = Room::new(self.room);
        let vector = if selection.is_none() {
            self.pending += selection.rows() as u64;
            self.node.read(&Selection::all(0), &mut room)?
        } else {
            self.node.skip(std::mem::take(&mut self.pending))?;
            self.node.read(selection, &mut room)?
        };
        match self.is_wrapped {
            true => vector.into_field(0),
            false => Ok(vector),
        }
    }
}

impl ColumnReader for Column {
    fn read(&mut self, selection: &Selection) -> Result<Vector> {
        let rows = selection.rows() as u64;
        let Some(left) = self.rows_left.checked_sub(rows) else {
            return Err(Error::invalid(format!(
                "{rows} rows wanted, {} left in the stripe",
                self.rows_left
            )));
        };
        self.rows_left = left;
        self.read_window(selection).map_err(|error| {
            // some streams have gone on and others have not: no row may be read any more
            self.rows_left = 0;
            error.at_column(&self.name).at_stripe(self.stripe)
        })
    }
}

/// Opens the columns of a stripe that are wanted.
pub(crate) struct Opener<'a> {
    /// The streams of the stripe.
    pub streams: Streams<'a>,
    /// The types of the file, by column.
    pub types: &'a [Type],
    /// The columns of the wanted leaves, ascending.
    pub leaves: Vec<u32>,
}

impl Opener<'_> {
    /// Column `id`, of which `field` is the wanted part, at `path`.
    fn node(&self, id: u32, field: &Field, path: &str) -> Result<Node> {
        let slots = self.slots(id, field, path);
        let slots = slots.map_err(|error| error.at_column(path))?;
        Ok(self.make(field.ty.clone(), path, self.present(id)?, slots))
    }

    fn make(&self, ty: LogicalType, path: &str, present: Present, slots: Slots) -> Node {
        let metrics = Arc::clone(&self.streams.context.metrics);
        Node {
            ty,
            path: path.to_owned(),
            present,
            slots,
            metrics,
        }
    }

    fn present(&self, id: u32) -> Result<Present> {
        let bits = self.streams.find(id, StreamKind::Present)?;
        Ok(Present::new(bits.map(BooleanRle::new)))
    }

    fn slots(&self, id: u32, field: &Field, path: &str) -> Result<Slots> {
        let node = self.types.get(id as usize).ok_or_else(no_type)?;
        let (streams, kind) = (&self.streams, node.kind);
        if !field.ty.is_nested() {
            let decoder = Decoder::open(streams, id, kind, &field.ty)?;
            return Ok(Slots::Leaf(Box::new(decoder)));
        }
        let children = self.children(node, field, path)?;
        Ok(match kind {
            TypeKind::Struct => Slots::Struct(children),
            TypeKind::Union => Slots::Union {
                tags: ByteRle::new(streams.open(id, StreamKind::Data)?),
                children,
            },
            _ => Slots::Lists {
                lengths: open_lengths(streams, id, kind)?,
                children,
            },
        })
    }

    /// The wanted children: those of a struct by name, of others all.
    fn children(&self, node: &Type, field: &Field, path: &str) -> Result<Vec<Node>> {
        let mut wanted = field.ty.fields().iter().peekable();
        let mut children = Vec::with_capacity(wanted.len());
        for (index, &id) in node.subtypes.iter().enumerate() {
            let name = node.field_names.get(index);
            let is_this = |field: &&Field| {
                name.is_none_or(|name| *name == field.name) && self.is_wanted(id, field)
            };
            if let Some(field) = wanted.next_if(is_this) {
                let path = format!("{path}.{}", field.name);
                children.push(self.node(id, field, &path)?);
            }
        }
        match wanted.next() {
            Some(_) => Err(Error::invalid("a part of another column")),
            None => Ok(children),
        }
    }

    /// Whether a child whose name is that of `field` is the one that is meant: there may be several.
    fn is_wanted(&self, id: u32, field: &Field) -> bool {
        field.leaf_count() == 0 || self.holds_wanted(id)
    }

    /// Whether a column or one below is a wanted leaf. The types are a tree.
    fn holds_wanted(&self, id: u32) -> bool {
        let below = self.types.get(id as usize).map(|node| &node.subtypes[..]);
        match below.unwrap_or_default() {
            [] => self.leaves.binary_search(&id).is_ok(),
            below => below.iter().any(|&id| self.holds_wanted(id)),
        }
    }
}

fn no_type() -> Error {
    Error::invalid("there is no such column")
}
