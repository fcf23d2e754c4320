//! Where reading a column of a stripe can start: at its strides, whose positions the row indexes have.
//!
//! ```text
//! rows     0 .. 9999 | 10000 .. 19999 | 20000 ..
//! entry    0         | 1              | 2              each with a position in every stream of the column
//! ```
//! Columns in lists and maps have an entry for the same rows. A column with a row index that is missing, or whose
//! entries do not have the expected number of positions, is read without seeking.
// spec: ORCv1.md, "Row Group Index"

use std::sync::Arc;

use lith_format::compress::Codec;
use lith_format::orc::stats::Writer;

use crate::orc::nested::{Node, NodeStreams};
use crate::orc::position::{Content, Position, Positions, agrees, cuts, positions};
use crate::orc::stripe::Streams;

/// The positions of the strides of a column and its descendants.
pub(crate) struct StrideStarts {
    /// Rows of a stride.
    rows: u64,
    is_compressed: bool,
    columns: Vec<Entries>,
}

/// The entries of one column's row index.
struct Entries {
    /// The streams that they have positions in.
    contents: Vec<Content>,
    /// The numbers that state the positions of each entry.
    entries: Vec<Vec<u64>>,
    /// Where the strides begin in each of the streams.
    cuts: Vec<Arc<[u64]>>,
}

impl StrideStarts {
    /// Reads the row indexes of a node and its descendants; `None` if one of them cannot be used, or if the stripe
    /// has only one stride.
    pub fn read(streams: &Streams<'_>, node: &Node) -> Option<Self> {
        let rows = u64::from(streams.tail.footer.row_index_stride);
        if rows == 0 || streams.stripe.rows <= rows {
            return None;
        }
        // below null structs, such writers' positions are those of other values than are read one by one
        let writer = Writer::of(streams.tail);
        if writer.may_fill_null_structs() && node.has_nullable_struct() {
            return None;
        }
        let mut nodes = Vec::new();
        node.streams(&mut nodes);
        let mut strides = StrideStarts {
            rows,
            is_compressed: streams.tail.compression.codec != Codec::None,
            columns: Vec::with_capacity(nodes.len()),
        };
        for NodeStreams { column, contents } in nodes {
            let Ok(Some(index)) = streams.row_index(column) else {
                return None;
            };
            let entries = index.entry.into_iter().map(|entry| entry.positions);
            let mut entries: Vec<Vec<u64>> = entries.collect();
            let fits = |entry: &Vec<u64>| agrees(entry, &contents, strides.is_compressed);
            let all_fit = entries.iter().skip(1).all(fits);
            if entries.len() as u64 != streams.stripe.rows.div_ceil(rows) || !all_fit {
                return None;
            }
            // the first stride begins at the front of all streams; some writers leave its positions out
            entries.first_mut().map(Vec::clear);
            let cuts = cuts(&entries, &contents, strides.is_compressed);
            strides.columns.push(Entries {
                contents,
                entries,
                cuts,
            });
        }
        Some(strides)
    }

    /// The first row of the stride that has row `row` of the stripe.
    pub fn start(&self, row: u64) -> u64 {
        row - row % self.rows
    }

    /// The positions in all streams of the stride that begins at row `start`.
    pub fn positions(&self, start: u64) -> Positions {
        let stride = usize::try_from(start / self.rows).unwrap_or(usize::MAX);
        let of_column = |column: &Entries| -> Vec<Position> {
            let entry = column.entries.get(stride).map_or(&[][..], Vec::as_slice);
            let positions = positions(entry, &column.contents, self.is_compressed);
            let with_cuts = |(position, cuts): (Position, &Arc<[u64]>)| Position {
                cuts: Arc::clone(cuts),
                ..position
            };
            positions.zip(&column.cuts).map(with_cuts).collect()
        };
        Positions::new(self.columns.iter().flat_map(of_column).collect())
    }
}
