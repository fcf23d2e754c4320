//! Reads a top-level column of a stripe, or a part of it, in windows of rows.
//!
//! ```text
//! types of the file     1 struct<2 a: list<3>, 4 b: struct<5 c, 6 d>>
//! part                  struct<b: struct<d>>           columns 1, 4 and 6 are opened, the others never read
//! ```
//! The rows of a window after its last wanted one are only counted. They are skipped before the next wanted row is
//! read, from the start of that row's stride on if the row index tells where it is.
// spec: ORCv1.md, "Type Information", "Column Encodings"

use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::orc::encoding::{StreamKind, TypeKind};
use lith_format::orc::footer::Type;
use lith_format::schema::Field;
use lith_format::types::LogicalType;
use lith_format::vector::Vector;

use crate::column::ColumnReader;
use crate::orc::crypto::suspect_key;
use crate::orc::encoding::boolean_rle::BooleanRle;
use crate::orc::encoding::byte_rle::ByteRle;
use crate::orc::form::{Decoder, open_lengths};
use crate::orc::nested::{Budget, Node, Slots};
use crate::orc::present::Present;
use crate::orc::seek::StrideStarts;
use crate::orc::stripe::Streams;
use crate::selection::Selection;

/// The reader of a top-level column of a stripe.
pub(crate) struct Column {
    name: String,
    stripe: usize,
    node: Node,
    /// Whether `node` is the root struct around the column, because the root has nulls.
    is_wrapped: bool,
    /// How many bytes the elements of lists may take in one window.
    budget: usize,
    /// Where its strides begin, if seeking may pay off and the row indexes are usable.
    strides: Option<StrideStarts>,
    /// The name of the key with which it is decrypted, if it is.
    key: Option<Arc<str>>,
    /// Rows of the stripe.
    rows: u64,
    /// Rows of all windows so far.
    covered: u64,
    /// Rows that `node` has read or skipped: fewer, if the last windows did not end with wanted rows.
    passed: u64,
}

impl Column {
    /// Starts at the first row of column `id`, of which `field` is the wanted part.
    pub fn open(opener: &Opener<'_>, id: u32, field: &Field) -> Result<Self> {
        let Opener { streams, key, .. } = opener;
        let locate = |error: Error| {
            suspect_key(error, key.as_deref())
                .at_column(&field.name)
                .at_stripe(streams.stripe.ordinal)
        };
        let mut node = opener.node(id, field, &field.name).map_err(locate)?;
        let rows = opener.present(0).map_err(locate)?;
        let is_wrapped = id != 0 && rows.is_stored();
        if is_wrapped {
            node = Node {
                column: 0,
                ty: LogicalType::Struct([field.clone()].into()),
                path: field.name.clone(),
                present: rows,
                metrics: Arc::clone(&node.metrics),
                slots: Slots::Struct(vec![node]),
            };
        }
        let strides = streams
            .context
            .seeks
            .then(|| StrideStarts::read(streams, &node))
            .flatten();
        if let Some(strides) = &strides {
            node.seek(&mut strides.positions(0)).map_err(locate)?;
        }
        Ok(Column {
            name: field.name.clone(),
            stripe: streams.stripe.ordinal,
            strides,
            node,
            is_wrapped,
            key: key.clone(),
            budget: streams.context.limits.page_bytes,
            rows: streams.stripe.rows,
            covered: 0,
            passed: 0,
        })
    }

    /// Reads a window that begins after the rows covered so far.
    fn read_window(&mut self, selection: &Selection) -> Result<Vector> {
        let mut budget = Budget::new(self.budget);
        let vector = match selection.runs() {
            [] => self.node.read(&Selection::all(0), &mut budget)?,
            [first, ..] => {
                let end = selection.runs().last().map_or(first.end, |last| last.end);
                let wanted = selection.part(first.start..end);
                self.seek(self.covered + first.start as u64)?;
                self.passed += wanted.rows() as u64;
                self.node.read(&wanted, &mut budget)?
            }
        };
        match self.is_wrapped {
            true => vector.into_field(0),
            false => Ok(vector),
        }
    }

    /// Moves to `row`: seeks to the start of its stride if that is ahead, and skips the rows from there on.
    fn seek(&mut self, row: u64) -> Result<()> {
        if let Some(strides) = &self.strides
            && let start = strides.start(row)
            && start > self.passed
        {
            self.node.seek(&mut strides.positions(start))?;
            self.passed = start;
        }
        self.node.skip(row - self.passed)?;
        self.passed = row;
        Ok(())
    }
}

impl ColumnReader for Column {
    fn read(&mut self, selection: &Selection) -> Result<Vector> {
        let rows = selection.rows() as u64;
        let left = self.rows - self.covered;
        if rows > left {
            return Err(Error::invalid(format!(
                "{rows} rows wanted, {left} left in the stripe"
            )));
        }
        let read = self.read_window(selection);
        self.covered += rows;
        read.map_err(|error| {
            // some streams are ahead of others now: no further row may be read
            self.covered = self.rows;
            let error = suspect_key(error, self.key.as_deref());
            error.at_column(&self.name).at_stripe(self.stripe)
        })
    }

    fn constant(&mut self) -> Result<Option<Vector>> {
        if !self.node.stores_nothing() {
            return Ok(None);
        }
        let mut budget = Budget::new(self.budget);
        self.node.read(&Selection::all(1), &mut budget).map(Some)
    }
}

/// Opens the columns of a stripe that are wanted.
pub(crate) struct Opener<'a> {
    /// The streams of the stripe.
    pub streams: Streams<'a>,
    /// The columns of the wanted leaves, ascending.
    pub leaves: Vec<u32>,
    /// The name of the key with which some of them are decrypted, if any is.
    pub key: Option<Arc<str>>,
}

impl Opener<'_> {
    /// Column `id`, of which `field` is the wanted part, at `path`.
    fn node(&self, id: u32, field: &Field, path: &str) -> Result<Node> {
        let slots = self.slots(id, field, path);
        let slots = slots.map_err(|error| error.at_column(path))?;
        Ok(Node {
            column: id,
            ty: field.ty.clone(),
            path: path.to_owned(),
            present: self.present(id)?,
            slots,
            metrics: Arc::clone(&self.streams.context.metrics),
        })
    }

    fn present(&self, id: u32) -> Result<Present> {
        let bits = self.streams.find(id, StreamKind::Present)?;
        Ok(Present::new(bits.map(BooleanRle::new)))
    }

    fn slots(&self, id: u32, field: &Field, path: &str) -> Result<Slots> {
        let node = self
            .streams
            .tail
            .footer
            .types
            .get(id as usize)
            .ok_or_else(no_type)?;
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

    /// The wanted children: of a struct by name, of other types all.
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
            Some(_) => Err(Error::invalid("a field that the column does not have")),
            None => Ok(children),
        }
    }

    /// Whether a child named like `field` is the wanted one: several children may have that name.
    fn is_wanted(&self, id: u32, field: &Field) -> bool {
        field.leaf_count() == 0 || self.holds_wanted(id)
    }

    /// Whether a column or one of its descendants is a wanted leaf. It ends, because the types were checked to be a
    /// tree.
    fn holds_wanted(&self, id: u32) -> bool {
        let below = self
            .streams
            .tail
            .footer
            .types
            .get(id as usize)
            .map(|node| &node.subtypes[..]);
        match below.unwrap_or_default() {
            [] => self.leaves.binary_search(&id).is_ok(),
            below => below.iter().any(|&id| self.holds_wanted(id)),
        }
    }
}

fn no_type() -> Error {
    Error::invalid("there is no such column")
}
