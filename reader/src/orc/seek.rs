//! Where the columns of a stripe can be read from: the starts of its strides, by the row indexes.
//!
//! ```text
//! rows     0 .. 9999 | 10000 .. 19999 | 20000 ..       the entries of the row indexes say where the streams
//! entry    0         | 1              | 2              of a column stand there
//! ```
//! Entries of columns below lists and maps are made at the same rows. Indexes that are missing, or that do not
//! have the numbers that the streams call for, are not used: rows are passed over one stride after the other.
// spec: ORCv1.md, "Row Index"

use lith_format::compress::Codec;

use crate::orc::nested::{Node, NodeStreams};
use crate::orc::position::{Content, Position, Positions, agrees, positions};
use crate::orc::stripe::Streams;

/// The starts of the strides of a column and of those below it.
pub(crate) struct Strides {
    /// Rows of a stride.
    rows: u64,
    is_compressed: bool,
    columns: Vec<Entries>,
}

struct Entries {
    contents: Vec<Content>,
    /// The numbers that each entry has for positions.
    entries: Vec<Vec<u64>>,
}

impl Strides {
    /// Reads the row indexes of a node and of those below it; `None` if one of them is of no use.
    pub fn read(streams: &Streams<'_>, node: &Node) -> Option<Self> {
        let rows = u64::from(streams.tail.footer.row_index_stride);
        if rows == 0 || streams.stripe.rows <= rows {
            return None;
        }
        let mut nodes = Vec::new();
        node.streams(&mut nodes);
        let mut strides = Strides {
            rows,
            is_compressed: streams.tail.compression.codec != Codec::None,
            columns: Vec::with_capacity(nodes.len()),
        };
        for NodeStreams { column, contents } in nodes {
            let Ok(Some(index)) = streams.row_index(column) else {
                return None;
            };
            let entries = index.entry.into_iter().map(|entry| entry.positions);
            let entries: Vec<Vec<u64>> = entries.collect();
            let fits = |entry: &Vec<u64>| agrees(entry, &contents, strides.is_compressed);
            // nobody goes to the first stride, whose positions some writers leave out
            let all_fit = entries.iter().skip(1).all(fits);
            if entries.len() as u64 != streams.stripe.rows.div_ceil(rows) || !all_fit {
                return None;
            }
            strides.columns.push(Entries { contents, entries });
        }
        Some(strides)
    }

    /// The start of the stride that holds a row of the stripe.
    pub fn start(&self, row: u64) -> u64 {
        row - row % self.rows
    }

    /// Where the streams stand at the start of a stride.
    pub fn positions(&self, start: u64) -> Positions {
        let stride = usize::try_from(start / self.rows).unwrap_or(usize::MAX);
        let of_column = |column: &Entries| -> Vec<Position> {
            let entry = column.entries.get(stride).map_or(&[][..], Vec::as_slice);
            positions(entry, &column.contents, self.is_compressed).collect()
        };
        Positions::new(self.columns.iter().flat_map(of_column).collect())
    }
}
