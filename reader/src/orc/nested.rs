//! Reads a column of any type as a tree of nodes. The streams of a node have an entry for each of its slots; which
//! slots its children have follows from them.
//!
//! ```text
//! slots    [a b] null [] [c]     list    PRESENT 1 0 1 1   LENGTH 2 0 1     elements a b c
//! slots    {1,x} null {2,null}   struct  PRESENT 1 0 1     fields: 1 2, x null
//! slots    1:a 0:5 null 1:b      union   PRESENT 1 1 0 1   DATA 1 0 1       child 0: 5, child 1: a b
//! ```
//! A map has lengths like a list, and two children: keys and values. Nulls have no slots in the children. A
//! selection of slots is translated to a selection of each child's slots.
// spec: ORCv1.md, "Struct Columns", "List Columns", "Map Columns", "Union Columns"

use std::ops::Range;
use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::types::{Layout, LogicalType};
use lith_format::vector::{Values, Vector};

use crate::kernel::spread::spread_vector;
use crate::metrics::{Metrics, Stage, Timer};
use crate::nested::{lists, structure};
use crate::orc::encoding::byte_rle::ByteRle;
use crate::orc::encoding::{Integers, append, check_lengths, total};
use crate::orc::form::Decoder;
use crate::orc::position::{Content, Positions};
use crate::orc::present::Present;
use crate::selection::Selection;

/// How many slots are skipped at a time, and how long a gap between wanted slots must at least be to be skipped
/// separately. Small in tests, so that short columns have such gaps.
const STEP: usize = if cfg!(test) { 16 } else { 1 << 16 };

/// The reader of a node of the type tree in a stripe.
pub(crate) struct Node {
    /// The number of its type in the file.
    pub column: u32,
    /// The type of the slots.
    pub ty: LogicalType,
    /// The names from the top-level column down to it, joined by dots.
    pub path: String,
    /// Which slots are not null.
    pub present: Present,
    /// The content of the slots that are not null.
    pub slots: Slots,
    /// Where to count.
    pub metrics: Arc<Metrics>,
}

/// The streams and children that the slots of a node are read from, nulls left out.
pub(crate) enum Slots {
    /// Values.
    Leaf(Box<Decoder>),
    /// The length of each slot, and its elements, or its keys and values.
    Lists {
        lengths: Integers,
        children: Vec<Node>,
    },
    /// Fields, each with as many slots.
    Struct(Vec<Node>),
    /// The tag of each slot, which tells the child that has its value.
    Union { tags: ByteRle, children: Vec<Node> },
}

/// How much memory the elements of lists may still take in one read.
pub(crate) struct Budget {
    /// The bytes that are left.
    left: usize,
    /// The most elements that the lists of one node may have.
    elements: usize,
}

/// About how many bytes an element takes at least, with the buffers that it is decoded from.
const ELEMENT_BYTES: usize = 16;

impl Budget {
    /// A budget of so many bytes.
    pub fn new(bytes: usize) -> Self {
        Budget {
            left: bytes,
            elements: bytes / ELEMENT_BYTES,
        }
    }

    /// Spends what `count` elements of type `ty` take.
    fn spend(&mut self, count: usize, ty: &LogicalType) -> Result<()> {
        Limits::check(count as u64, self.elements, "number of elements in a batch")?;
        let bytes = (count as u64).saturating_mul(slot_bytes(ty));
        self.left -= Limits::check(bytes, self.left, "size of all elements in a batch")?;
        Ok(())
    }
}

/// About how many bytes a slot takes, without the elements of lists in it.
fn slot_bytes(ty: &LogicalType) -> u64 {
    let below = ty.fields().iter().map(|field| slot_bytes(&field.ty));
    match ty.layout() {
        Layout::Null | Layout::Boolean => 1,
        Layout::I32 | Layout::U32 | Layout::F32 | Layout::List | Layout::Map => 4,
        Layout::I64 | Layout::U64 | Layout::F64 => 8,
        Layout::I128 | Layout::Bytes => 16,
        Layout::I256 => 32,
        Layout::Struct => below.sum::<u64>() + 1,
        Layout::Union => below.max().unwrap_or(0) + 5,
    }
}

/// The streams of a node for which entries of the row index have positions.
#[derive(Debug)]
pub(crate) struct NodeStreams {
    /// The number of its type in the file.
    pub column: u32,
    /// In the order of the row index.
    pub contents: Vec<Content>,
}

impl Node {
    /// Adds the streams of the node, then those of its descendants.
    pub fn streams(&self, out: &mut Vec<NodeStreams>) {
        let present = [Content::Bits].into_iter();
        let present = present.filter(|_| self.present.is_stored());
        let (contents, children): (&[Content], &[Node]) = match &self.slots {
            Slots::Leaf(decoder) => (decoder.contents(), &[]),
            Slots::Struct(fields) => (&[], fields),
            Slots::Lists { children, .. } | Slots::Union { children, .. } => {
                (&[Content::Runs], children)
            }
        };
        out.push(NodeStreams {
            column: self.column,
            contents: present.chain(contents.iter().copied()).collect(),
        });
        children.iter().for_each(|child| child.streams(out));
    }

    /// Whether it or one of its descendants is a nullable struct other than the row itself.
    pub fn has_nullable_struct(&self) -> bool {
        let children = match &self.slots {
            Slots::Leaf(_) => return false,
            Slots::Struct(_) if self.column != 0 && self.present.is_stored() => return true,
            Slots::Struct(children)
            | Slots::Lists { children, .. }
            | Slots::Union { children, .. } => children,
        };
        children.iter().any(Node::has_nullable_struct)
    }

    /// Whether it is a struct without nulls and without anything in it that is stored.
    pub fn stores_nothing(&self) -> bool {
        match &self.slots {
            Slots::Struct(fields) if !self.present.is_stored() => {
                fields.iter().all(Node::stores_nothing)
            }
            _ => false,
        }
    }

    /// Seeks to the next positions, in the streams of the node and of its descendants.
    pub fn seek(&mut self, positions: &mut Positions) -> Result<()> {
        self.present.seek(positions)?;
        let children = match &mut self.slots {
            Slots::Leaf(decoder) => return decoder.seek(positions),
            Slots::Struct(fields) => fields,
            Slots::Lists { lengths, children } => {
                lengths.seek(&positions.next()?)?;
                children
            }
            Slots::Union { tags, children } => {
                tags.seek(&positions.next()?)?;
                children
            }
        };
        let mut children = children.iter_mut();
        children.try_for_each(|child| child.seek(positions))
    }

    /// Consumes the next `wanted.rows()` slots and returns the wanted ones.
    pub fn read(&mut self, wanted: &Selection, budget: &mut Budget) -> Result<Vector> {
        if wanted.rows() <= STEP + 2 * wanted.selected() {
            return self.read_piece(wanted, budget);
        }
        let mut parts = Vec::new();
        let (mut at, mut runs) = (0, wanted.runs());
        while let Some(first) = runs.first() {
            let (here, later) = runs.split_at(piece_len(runs));
            let end = here.last().map_or(first.end, |last| last.end);
            self.skip((first.start - at) as u64)?;
            parts.push(self.read_piece(&wanted.part(first.start..end), budget)?);
            (at, runs) = (end, later);
        }
        self.skip((wanted.rows() - at) as u64)?;
        match parts.is_empty() {
            true => self.read_piece(&Selection::all(0), budget),
            false => Vector::concat(&parts),
        }
    }

    /// Reads a selection without long gaps.
    fn read_piece(&mut self, wanted: &Selection, budget: &mut Budget) -> Result<Vector> {
        let vector = self.read_slots(wanted, budget);
        vector.map_err(|error| error.at_column(self.path.as_str()))
    }

    fn read_slots(&mut self, wanted: &Selection, budget: &mut Budget) -> Result<Vector> {
        let ty = &self.ty;
        let timer = Timer::of_rows(wanted.rows());
        let window = self.present.read(wanted)?;
        timer.stop(&self.metrics, Stage::Levels);
        let wanted = &*window.wanted;
        let len = wanted.selected();
        let mut vector = match &mut self.slots {
            Slots::Leaf(decoder) => {
                let slots = window.validity.as_ref().map_or(len, Bitmap::len);
                self.metrics.values_decoded.add(slots as u64);
                plain(ty, len, decoder.read(wanted)?)
            }
            Slots::Struct(fields) => {
                let fields = fields.iter_mut().map(|field| field.read(wanted, budget));
                structure(ty, len, None, fields.collect::<Result<_>>()?)?
            }
            Slots::Lists { lengths, children } => {
                let timer = Timer::of_rows(wanted.rows());
                let (offsets, elements) = read_offsets(lengths, wanted)?;
                timer.stop(&self.metrics, Stage::Levels);
                for child in children.iter() {
                    budget.spend(elements.selected(), &child.ty)?;
                }
                let children = children
                    .iter_mut()
                    .map(|child| child.read(&elements, budget));
                lists(ty, None, offsets, children.collect::<Result<_>>()?)?
            }
            Slots::Union { tags, children } => {
                plain(ty, len, read_union(tags, children, wanted, budget)?)
            }
        };
        if let Some(validity) = &window.validity {
            let timer = Timer::of_rows(len);
            spread_vector(&mut vector, validity);
            timer.stop(&self.metrics, Stage::Gather);
        }
        Ok(vector)
    }

    /// Skips the next `count` slots.
    pub fn skip(&mut self, count: u64) -> Result<()> {
        let skipped = self.skip_slots(count);
        skipped.map_err(|error| error.at_column(self.path.as_str()))
    }

    fn skip_slots(&mut self, count: u64) -> Result<()> {
        if !self.present.is_stored() {
            return self.slots.skip(count);
        }
        in_steps(count, |step| {
            let values = self.present.skip(step)?;
            self.slots.skip(values as u64)
        })
    }
}

impl Slots {
    /// Skips the next `count` slots, none of them null.
    fn skip(&mut self, count: u64) -> Result<()> {
        match self {
            Slots::Leaf(decoder) => in_steps(count, |step| decoder.skip(step)),
            Slots::Struct(fields) => fields.iter_mut().try_for_each(|field| field.skip(count)),
            Slots::Lists { lengths, children } => in_steps(count, |step| {
                let elements = total(&read_lengths(lengths, step)?);
                children
                    .iter_mut()
                    .try_for_each(|child| child.skip(elements))
            }),
            Slots::Union { tags, children } => in_steps(count, |step| {
                let tags = read_tags(tags, step, children.len())?;
                let (_, shares) = share(&tags, &Selection::none(step), children.len());
                let mut shares = children.iter_mut().zip(shares);
                shares.try_for_each(|(child, share)| child.skip(share.slots as u64))
            }),
        }
    }
}

/// Calls `skip` with at most [`STEP`] slots at a time, `count` in all.
fn in_steps(mut count: u64, mut skip: impl FnMut(usize) -> Result<()>) -> Result<()> {
    while count > 0 {
        let step = count.min(STEP as u64);
        skip(step as usize)?;
        count -= step;
    }
    Ok(())
}

/// How many of the first runs are read as one piece: those before the first long gap.
fn piece_len(runs: &[Range<usize>]) -> usize {
    let (mut wanted, mut unwanted) = (0, 0);
    for (index, pair) in runs.windows(2).enumerate() {
        wanted += pair[0].len();
        unwanted += pair[1].start - pair[0].end;
        if unwanted > STEP + wanted {
            return index + 1;
        }
    }
    runs.len()
}

/// Values without nulls.
fn plain(ty: &LogicalType, len: usize, values: Values) -> Vector {
    Vector {
        ty: ty.clone(),
        len,
        validity: None,
        values,
    }
}

fn read_lengths(lengths: &mut Integers, count: usize) -> Result<Vec<i64>> {
    let mut out = Vec::new();
    append(lengths, count, &mut out, Integers::read)?;
    check_lengths(&out)?;
    Ok(out)
}

/// The offsets of the wanted lists, and which elements are in them.
fn read_offsets(lengths: &mut Integers, wanted: &Selection) -> Result<(Vec<u32>, Selection)> {
    let lengths = read_lengths(lengths, wanted.rows())?;
    let mut offsets = Vec::with_capacity(wanted.selected() + 1);
    offsets.push(0);
    let mut runs: Vec<Range<u64>> = Vec::with_capacity(wanted.runs().len());
    let (mut slot, mut element, mut offset) = (0, 0, 0u32);
    for run in wanted.runs() {
        let start = element + total(&lengths[slot..run.start]);
        element = start;
        for &length in &lengths[run.clone()] {
            element += length as u64;
            offset = offset
                .checked_add(length as u32)
                .ok_or_else(|| Error::limit("4 Gi elements of lists in one batch"))?;
            offsets.push(offset);
        }
        match runs.last_mut() {
            Some(last) if last.end == start => last.end = element,
            _ if start == element => {}
            _ => runs.push(start..element),
        }
        slot = run.end;
    }
    element += total(&lengths[slot..]);
    let place = |at: u64| usize::try_from(at).map_err(|_| Error::limit("4 Gi elements of lists"));
    let runs = runs
        .iter()
        .map(|run| Ok(place(run.start)?..place(run.end)?));
    let elements = Selection::from_runs(place(element)?, runs.collect::<Result<_>>()?);
    Ok((offsets, elements))
}

fn read_tags(tags: &mut ByteRle, count: usize, children: usize) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    append(tags, count, &mut out, ByteRle::read)?;
    match out.iter().max() {
        Some(&tag) if usize::from(tag) >= children => Err(Error::corrupt(format!(
            "tag {tag} in a union of {children} members"
        ))),
        _ => Ok(out),
    }
}

/// The slots of a window that belong to one child of a union.
#[derive(Debug, Clone, Default)]
struct Share {
    /// Their number.
    slots: usize,
    /// How many of them are wanted.
    wanted: u32,
    /// The wanted ones.
    runs: Vec<Range<usize>>,
}

/// Distributes slots over the children by their tags: where the wanted slots are, and the share of each child.
fn share(tags: &[u8], wanted: &Selection, children: usize) -> (Places, Vec<Share>) {
    let mut shares = vec![Share::default(); children];
    let mut places = Places::default();
    let mut slot = 0;
    for run in wanted.runs() {
        count_unwanted(&mut shares, &tags[slot..run.start]);
        for &tag in &tags[run.clone()] {
            let share = &mut shares[usize::from(tag)];
            places.tags.push(tag);
            places.offsets.push(share.wanted);
            let at = share.slots;
            match share.runs.last_mut() {
                Some(last) if last.end == at => last.end += 1,
                _ => share.runs.push(at..at + 1),
            }
            share.slots += 1;
            share.wanted += 1;
        }
        slot = run.end;
    }
    count_unwanted(&mut shares, &tags[slot..]);
    (places, shares)
}

/// The child and the place in it of each wanted slot of a union.
#[derive(Debug, Default)]
struct Places {
    tags: Vec<u8>,
    offsets: Vec<u32>,
}

/// Counts slots that are not wanted.
fn count_unwanted(shares: &mut [Share], tags: &[u8]) {
    for &tag in tags {
        shares[usize::from(tag)].slots += 1;
    }
}

fn read_union(
    tags: &mut ByteRle,
    children: &mut [Node],
    wanted: &Selection,
    budget: &mut Budget,
) -> Result<Values> {
    let tags = read_tags(tags, wanted.rows(), children.len())?;
    let (Places { tags, offsets }, shares) = share(&tags, wanted, children.len());
    let children = children
        .iter_mut()
        .zip(shares)
        .map(|(child, share)| child.read(&Selection::from_runs(share.slots, share.runs), budget));
    Ok(Values::Union {
        tags,
        offsets,
        children: children.collect::<Result<_>>()?,
    })
}

#[cfg(test)]
mod tests;
