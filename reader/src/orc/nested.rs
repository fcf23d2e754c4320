//! Reads the slots of a column of any type: those of the children follow from how many slots there are above.
//!
//! ```text
//! slots    [a b] null [] [c]     list    PRESENT 1 0 1 1   LENGTH 2 0 1     elements a b c
//! slots    {1,x} null {2,null}   struct  PRESENT 1 0 1     fields 1 2 and x null
//! slots    1:a 0:5 null 1:b      union   PRESENT 1 1 0 1   DATA 1 0 1       child 0: 5, child 1: a b
//! ```
//! A map is a list of keys and of values. What is null has no slots below, so a selection of slots becomes one of
//! the children's. Elements between those that are wanted are passed over by number, as many as lengths say.
// spec: ORCv1.md, "Struct Columns", "List Columns", "Map Columns", "Union Columns"

use std::ops::Range;
use std::sync::Arc;

use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::types::{Layout, LogicalType};
use lith_format::vector::{Values, Vector};

use crate::kernel::spread::spread_vector;
use crate::metrics::Metrics;
use crate::nested::{lists, structure};
use crate::orc::encoding::byte_rle::ByteRle;
use crate::orc::encoding::{Integers, append, check_lengths, total};
use crate::orc::form::Decoder;
use crate::orc::position::{Content, Positions};
use crate::orc::present::Present;
use crate::selection::Selection;

/// How many slots are passed over at a time, and how many unwanted ones are at least decoded with wanted ones.
/// In tests so few that their columns are longer.
const STEP: usize = if cfg!(test) { 16 } else { 1 << 16 };

/// The reader of the slots of a node in a stripe.
pub(crate) struct Node {
    /// The number of its type in the file.
    pub column: u32,
    /// What the slots mean.
    pub ty: LogicalType,
    /// Its names from the top-level column on, joined by dots.
    pub path: String,
    /// Which slots are not null.
    pub present: Present,
    /// What the others are made of.
    pub slots: Slots,
    /// Where to count.
    pub metrics: Arc<Metrics>,
}

/// What the slots of a node that are not null are made of.
pub(crate) enum Slots {
    /// Values.
    Leaf(Box<Decoder>),
    /// Elements, or keys and values: so many for each slot.
    Lists {
        lengths: Integers,
        children: Vec<Node>,
    },
    /// A slot of each field.
    Struct(Vec<Node>),
    /// A slot of the child that the tag names.
    Union { tags: ByteRle, children: Vec<Node> },
}

/// What the elements of lists may take in one read.
pub(crate) struct Room {
    /// How many bytes are left.
    left: usize,
    /// How many elements the lists of a node may hold.
    elements: usize,
}

/// With what is read to make them, elements take about so many bytes at least.
const ELEMENT_BYTES: usize = 16;

impl Room {
    /// Room for so many bytes.
    pub fn new(bytes: usize) -> Self {
        Room {
            left: bytes,
            elements: bytes / ELEMENT_BYTES,
        }
    }

    /// Takes room for `count` elements of `ty`.
    fn spend(&mut self, count: usize, ty: &LogicalType) -> Result<()> {
        Limits::check(count as u64, self.elements, "number of elements in a batch")?;
        let bytes = (count as u64).saturating_mul(slot_bytes(ty));
        self.left -= Limits::check(bytes, self.left, "size of all elements in a batch")?;
        Ok(())
    }
}

/// About how many bytes a slot takes, without what lists in it hold.
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

/// The streams of a node in the order of the row index.
#[derive(Debug)]
pub(crate) struct NodeStreams {
    /// The number of its type in the file.
    pub column: u32,
    pub contents: Vec<Content>,
}

impl Node {
    /// Adds the streams of the node, then those of the nodes below.
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

    /// Goes to the next positions in the streams of the node and in those of the nodes below.
    pub fn seek(&mut self, positions: &mut Positions) -> Result<()> {
        self.present.seek(positions)?;
        let children = match &mut self.slots {
            Slots::Leaf(decoder) => return decoder.seek(positions),
            Slots::Struct(fields) => fields,
            Slots::Lists { lengths, children } => {
                lengths.seek(positions.next()?)?;
                children
            }
            Slots::Union { tags, children } => {
                tags.seek(positions.next()?)?;
                children
            }
        };
        let mut children = children.iter_mut();
        children.try_for_each(|child| child.seek(positions))
    }

    /// Consumes the next `wanted.rows()` slots and returns the wanted ones.
    pub fn read(&mut self, wanted: &Selection, room: &mut Room) -> Result<Vector> {
        if wanted.rows() <= STEP + 2 * wanted.selected() {
            return self.read_piece(wanted, room);
        }
        let mut parts = Vec::new();
        let (mut at, mut runs) = (0, wanted.runs());
        while let (Some(first), near) = (runs.first(), near(runs)) {
            let (here, later) = runs.split_at(near);
            let end = here.last().map_or(first.end, |last| last.end);
            self.skip((first.start - at) as u64)?;
            parts.push(self.read_piece(&wanted.part(first.start..end), room)?);
            (at, runs) = (end, later);
        }
        self.skip((wanted.rows() - at) as u64)?;
        match parts.is_empty() {
            true => self.read_piece(&Selection::all(0), room),
            false => Vector::concat(&parts),
        }
    }

    /// The same where not many more slots than the wanted ones are passed over.
    fn read_piece(&mut self, wanted: &Selection, room: &mut Room) -> Result<Vector> {
        let vector = self.read_slots(wanted, room);
        vector.map_err(|error| error.at_column(self.path.as_str()))
    }

    fn read_slots(&mut self, wanted: &Selection, room: &mut Room) -> Result<Vector> {
        let ty = &self.ty;
        let window = self.present.read(wanted)?;
        let wanted = &*window.wanted;
        let len = wanted.selected();
        let mut vector = match &mut self.slots {
            Slots::Leaf(decoder) => {
                let slots = window.validity.as_ref().map_or(len, Bitmap::len);
                self.metrics.values_decoded.add(slots as u64);
                plain(ty, len, decoder.read(wanted)?)
            }
            Slots::Struct(fields) => {
                let fields = fields.iter_mut().map(|field| field.read(wanted, room));
                structure(ty, len, None, fields.collect::<Result<_>>()?)?
            }
            Slots::Lists { lengths, children } => {
                let (offsets, elements) = read_offsets(lengths, wanted)?;
                for child in children.iter() {
                    room.spend(elements.selected(), &child.ty)?;
                }
                let children = children.iter_mut().map(|child| child.read(&elements, room));
                lists(ty, None, offsets, children.collect::<Result<_>>()?)?
            }
            Slots::Union { tags, children } => {
                plain(ty, len, read_union(tags, children, wanted, room)?)
            }
        };
        if let Some(validity) = &window.validity {
            spread_vector(&mut vector, validity);
        }
        Ok(vector)
    }

    /// Passes over the next `count` slots.
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
    /// Passes over the next `count` slots, none of them null.
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
                let none = Selection::none(step);
                let shares = share(
                    &read_tags(tags, step, children.len())?,
                    &none,
                    children.len(),
                )
                .1;
                let mut shares = children.iter_mut().zip(shares);
                shares.try_for_each(|(child, share)| child.skip(share.slots as u64))
            }),
        }
    }
}

/// Calls `skip` with no more than [`STEP`] slots at a time, `count` in all.
fn in_steps(mut count: u64, mut skip: impl FnMut(usize) -> Result<()>) -> Result<()> {
    while count > 0 {
        let step = count.min(STEP as u64);
        skip(step as usize)?;
        count -= step;
    }
    Ok(())
}

/// How many of the first runs go into one piece: there is no long gap between them.
fn near(runs: &[Range<usize>]) -> usize {
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
        Some(&tag) if usize::from(tag) >= children => {
            Err(Error::corrupt(format!("tag {tag} of {children} members")))
        }
        _ => Ok(out),
    }
}

/// What one child of a union holds of a window.
#[derive(Debug, Clone, Default)]
struct Share {
    /// How many slots.
    slots: usize,
    /// How many of them are wanted, and which.
    wanted: u32,
    runs: Vec<Range<usize>>,
}

/// The tags of the wanted slots, each with its place in the child, and the shares of the children.
fn share(tags: &[u8], wanted: &Selection, children: usize) -> (Places, Vec<Share>) {
    let mut shares = vec![Share::default(); children];
    let mut places = Places::default();
    let mut slot = 0;
    for run in wanted.runs() {
        pass(&mut shares, &tags[slot..run.start]);
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
    pass(&mut shares, &tags[slot..]);
    (places, shares)
}

/// Where the slots of a union are.
#[derive(Debug, Default)]
struct Places {
    tags: Vec<u8>,
    offsets: Vec<u32>,
}

/// Counts slots that are not wanted.
fn pass(shares: &mut [Share], tags: &[u8]) {
    for &tag in tags {
        shares[usize::from(tag)].slots += 1;
    }
}

fn read_union(
    tags: &mut ByteRle,
    children: &mut [Node],
    wanted: &Selection,
    room: &mut Room,
) -> Result<Values> {
    let tags = read_tags(tags, wanted.rows(), children.len())?;
    let (Places { tags, offsets }, shares) = share(&tags, wanted, children.len());
    let children = children
        .iter_mut()
        .zip(shares)
        .map(|(child, share)| child.read(&Selection::from_runs(share.slots, share.runs), room));
    Ok(Values::Union {
        tags,
        offsets,
        children: children.collect::<Result<_>>()?,
    })
}

#[cfg(test)]
mod tests;
