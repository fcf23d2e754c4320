//! Reads a nested top-level column of a row group: each leaf below by itself, then the tree out of all.
//!
//! ```text
//! selection -> leaf a: levels, values \\
//!           -> leaf b: levels, values --> lists, maps and structs -> Vector
//! ```

use lith_format::error::{Error, Result};
use lith_format::vector::Vector;

use crate::column::ColumnReader;
use crate::metrics::{Stage, Timer};
use crate::nested::Node;
use crate::parquet::nested_leaf::NestedLeaf;
use crate::selection::Selection;

/// The reader of a nested column.
pub(crate) struct NestedColumn {
    node: Node,
    leaves: Vec<NamedLeaf>,
}

/// A leaf with its dotted path, for errors.
pub(crate) struct NamedLeaf {
    pub(crate) path: String,
    pub(crate) leaf: NestedLeaf,
}

impl NestedColumn {
    /// The column whose tree is `node`, with its leaves in order.
    pub(crate) fn new(node: Node, leaves: Vec<NamedLeaf>) -> Self {
        NestedColumn { node, leaves }
    }

    fn assemble(&mut self, selection: &Selection) -> Result<Vector> {
        let leaves = self.leaves.iter_mut().map(|named| {
            let levels = named.leaf.read(selection);
            levels.map_err(|error| error.at_column(named.path.as_str()))
        });
        let leaves = leaves.collect::<Result<_>>()?;
        let timer = Timer::start();
        let vector = self.node.assemble(leaves)?;
        if let Some(first) = self.leaves.first() {
            timer.stop(first.leaf.metrics(), Stage::Gather);
        }
        if vector.len == selection.selected() {
            Ok(vector)
        } else {
            Err(Error::corrupt(format!(
                "{} rows where {} were asked for",
                vector.len,
                selection.selected()
            )))
        }
    }
}

impl ColumnReader for NestedColumn {
    fn read(&mut self, selection: &Selection) -> Result<Vector> {
        let vector = self.assemble(selection);
        if vector.is_err() {
            // some leaves have gone on and others have not: no row may be read any more
            self.leaves.clear();
        }
        vector
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::column::ReadContext;
    use crate::nested::tests::{Column, Entries, dump, shred};
    use crate::parquet::form::Form;
    use crate::parquet::levels::MaxLevels;
    use crate::parquet::testing::{Chunk, Style};
    use crate::parquet::values::Leaf;
    use lith_format::compress::Codec;
    use lith_format::error::ErrorKind;
    use lith_format::parquet::encoding::Encoding;
    use lith_format::scalar::Scalar;
    use lith_format::schema::{Field, Schema};
    use lith_format::types::LogicalType;

    const V1: Style = Style {
        encoding: Encoding::Plain,
        v2: false,
        crc: true,
    };
    const V2: Style = Style { v2: true, ..V1 };

    fn plain(entries: &[(u8, u8, Scalar)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (_, _, value) in entries {
            match value {
                Scalar::Int(value) => out.extend((*value as i32).to_le_bytes()),
                Scalar::Null => {}
                value => {
                    let bytes = value.as_bytes().unwrap();
                    out.extend((bytes.len() as u32).to_le_bytes());
                    out.extend(bytes);
                }
            }
        }
        out
    }

    /// Writes a leaf in pages of about `page` entries: of V2 where they end with a row and `v2` says so.
    fn write(entries: &Entries, max: MaxLevels, page: usize, v2: bool) -> Chunk {
        let mut chunk = Chunk {
            codec: Codec::Snappy,
            ..Chunk::default()
        };
        let mut rest = &entries[..];
        let mut begins_row = true;
        while !rest.is_empty() {
            let (mut here, mut others) = rest.split_at(page.min(rest.len()));
            let next_begins =
                |others: &[(u8, u8, Scalar)]| others.first().is_none_or(|entry| entry.1 == 0);
            if v2 {
                let more = others.iter().take_while(|entry| entry.1 != 0).count();
                (here, others) = rest.split_at(here.len() + more);
            }
            let style = if v2 && begins_row { V2 } else { V1 };
            let levels: Vec<(u8, u8)> = here.iter().map(|entry| (entry.0, entry.1)).collect();
            chunk.nested(&levels, max, &plain(here), style);
            begins_row = next_begins(others);
            rest = others;
        }
        chunk
    }

    fn leaf_of(ty: &LogicalType, max: MaxLevels, page_bytes: usize) -> Leaf {
        let form = match ty {
            LogicalType::Binary => Form::ByteArray,
            _ => Form::I32,
        };
        Leaf {
            ty: ty.clone(),
            form,
            max,
            page_bytes,
        }
    }

    /// The reader of leaves that are given as chunks with their numbers of entries.
    fn reader(
        field: &Field,
        rows: usize,
        context: &ReadContext,
        chunk: impl Fn(usize, MaxLevels) -> (Chunk, usize),
    ) -> NestedColumn {
        let node = Node::of(field).unwrap();
        let schema = Schema::new(vec![field.clone()]);
        let leaves = node
            .leaf_levels()
            .into_iter()
            .zip(schema.leaves())
            .enumerate();
        let leaves = leaves.map(|(index, ((definition, repetition), (_, leaf)))| {
            let max = MaxLevels {
                definition,
                repetition,
            };
            let (chunk, entries) = chunk(index, max);
            let pages = chunk.pages(context);
            NamedLeaf {
                path: leaf.name.clone(),
                leaf: NestedLeaf::new(
                    leaf_of(&leaf.ty, max, context.limits.page_bytes),
                    pages,
                    [rows, entries],
                ),
            }
        });
        let leaves = leaves.collect();
        NestedColumn::new(node, leaves)
    }

    fn read(column: &mut NestedColumn, wanted: &[bool], window: usize) -> Result<Vec<Scalar>> {
        let mut out = Vec::new();
        for wanted in wanted.chunks(window) {
            let selection = Selection::from_mask(&wanted.iter().copied().collect());
            let vector = column.read(&selection)?;
            out.extend((0..vector.len).map(|row| vector.value(row)));
        }
        Ok(out)
    }

    quickcheck::quickcheck! {
        fn any_column_reads_as_written(column: Column, wanted: Vec<bool>, shape: (u8, u8, bool)) -> bool {
            let (page, window) = (usize::from(shape.0 % 60) + 1, usize::from(shape.1 % 40) + 1);
            let wanted: Vec<bool> = (0..column.rows.len())
                .map(|row| wanted.is_empty() || wanted[row % wanted.len()])
                .collect();
            let leaves = shred(&column.field, &column.rows);
            let context = ReadContext::default();
            let mut reader = reader(&column.field, column.rows.len(), &context, |leaf, max| {
                // each leaf in pages of its own size
                (write(&leaves[leaf], max, page + leaf, shape.2), leaves[leaf].len())
            });
            let rows = column.rows.iter().zip(&wanted).filter(|row| *row.1);
            let expected: Vec<Scalar> = rows.map(|row| row.0.clone()).collect();
            dump(&read(&mut reader, &wanted, window).unwrap()) == dump(&expected)
                && reader.read(&Selection::all(1)).is_err()
        }
    }

    const LIST: MaxLevels = MaxLevels {
        definition: 2,
        repetition: 1,
    };

    /// A nullable list of required numbers.
    fn list_field() -> Field {
        let element = Field::required("element", LogicalType::Int32);
        Field::nullable("l", LogicalType::List(Arc::new(element)))
    }

    fn numbers(levels: &[(u8, u8)]) -> Entries {
        let value = |(at, &(definition, repetition)): (usize, &(u8, u8))| match definition {
            2 => (definition, repetition, Scalar::Int(at as i64)),
            _ => (definition, repetition, Scalar::Null),
        };
        levels.iter().enumerate().map(value).collect()
    }

    fn list_reader(
        chunk: Chunk,
        rows: usize,
        entries: usize,
        context: &ReadContext,
    ) -> NestedColumn {
        let chunk = std::cell::RefCell::new(Some(chunk));
        reader(&list_field(), rows, context, |_, _| {
            (chunk.borrow_mut().take().unwrap(), entries)
        })
    }

    #[test]
    fn rows_may_go_on_in_the_next_pages_of_v1() {
        // [0 | 1 | 2, 3], [4] [5 | 6]
        let entries = numbers(&[(2, 0), (2, 1), (2, 1), (2, 1), (2, 0), (2, 0), (2, 1)]);
        let mut chunk = Chunk::default();
        for range in [0..1, 1..2, 2..6, 6..7] {
            let entries = &entries[range];
            let levels: Vec<_> = entries.iter().map(|entry| (entry.0, entry.1)).collect();
            chunk.nested(&levels, LIST, &plain(entries), V1);
        }
        let bytes = chunk.bytes;
        for (wanted, expected) in [
            ([true, true, true], "[0,1,2,3] [4] [5,6]"),
            ([true, false, true], "[0,1,2,3] [5,6]"),
            ([false, false, true], "[5,6]"),
        ] {
            for window in 1..=3 {
                let bytes = bytes.clone();
                let codec = Codec::None;
                let context = ReadContext::default();
                let mut column = list_reader(Chunk { bytes, codec }, 3, 7, &context);
                let rows = read(&mut column, &wanted, window).unwrap();
                let text = |row: &Scalar| match row {
                    Scalar::List(elements) => format!(
                        "{:?}",
                        elements
                            .iter()
                            .map(|e| match e {
                                Scalar::Int(value) => *value,
                                _ => -1,
                            })
                            .collect::<Vec<_>>()
                    )
                    .replace(' ', ""),
                    _ => String::new(),
                };
                let rows: Vec<String> = rows.iter().map(text).collect();
                assert_eq!(rows.join(" "), expected);
            }
        }
    }

    #[test]
    fn pages_that_tell_their_rows_are_not_opened_for_nothing() {
        let entries = numbers(&[(2, 0), (2, 1), (0, 0), (2, 0)].repeat(10));
        let mut chunk = Chunk::default();
        for entries in entries.chunks(4) {
            let levels: Vec<_> = entries.iter().map(|entry| (entry.0, entry.1)).collect();
            chunk.nested(&levels, LIST, &plain(entries), V2);
        }
        let context = ReadContext::default();
        let mut column = list_reader(chunk, 30, 40, &context);
        let wanted: Vec<bool> = (0..30).map(|row| row == 13).collect();
        assert!(matches!(
            &read(&mut column, &wanted, 30).unwrap()[..],
            [Scalar::Null]
        ));
        assert_eq!(context.metrics.pages_decoded.get(), 1);
    }

    #[test]
    fn rows_values_and_levels_must_agree() {
        let good = [(2, 0), (2, 1), (1, 0)];
        let kind = |levels: &[(u8, u8)], rows, entries, style: Style| {
            let mut chunk = Chunk::default();
            chunk.nested(levels, LIST, &plain(&numbers(levels)), style);
            let mut column = list_reader(chunk, rows, entries, &ReadContext::default());
            let kind = read(&mut column, &vec![true; rows], rows).map_err(|error| error.kind());
            assert!(column.read(&Selection::all(1)).is_err());
            kind.map(|rows| rows.len())
        };
        for style in [V1, V2] {
            assert_eq!(kind(&good, 2, 3, style), Ok(2));
            // more or fewer rows or values than there are
            assert_eq!(kind(&good, 1, 3, style), Err(ErrorKind::Corrupt));
            assert_eq!(kind(&good, 3, 3, style), Err(ErrorKind::Truncated));
            assert_eq!(kind(&good, 2, 2, style), Err(ErrorKind::Corrupt));
            assert_eq!(kind(&good, 2, 4, style), Err(ErrorKind::Truncated));
            // the first value belongs to no row, a level is above all, a null list goes on
            assert_eq!(
                kind(&[(2, 1), (2, 0)], 1, 2, style),
                Err(ErrorKind::Corrupt)
            );
            assert_eq!(kind(&[(3, 0)], 1, 1, style), Err(ErrorKind::Corrupt));
            assert_eq!(
                kind(&[(0, 0), (2, 1)], 1, 2, style),
                Err(ErrorKind::Corrupt)
            );
        }
    }

    #[test]
    fn a_row_of_a_million_elements_is_read_and_one_without_end_refused() {
        let mut levels = vec![(2, 1); 1_000_000];
        levels[0] = (2, 0);
        let entries = numbers(&levels);
        let mut context = ReadContext::default();
        let mut column = reader(&list_field(), 1, &context, |_, max| {
            (write(&entries, max, 10_000, false), entries.len())
        });
        let rows = read(&mut column, &[true], 1).unwrap();
        assert!(matches!(&rows[..], [Scalar::List(elements)] if elements.len() == 1_000_000));
        context.limits.page_bytes = 1 << 20;
        let mut column = reader(&list_field(), 1, &context, |_, max| {
            (write(&entries, max, 10_000, false), entries.len())
        });
        let error = read(&mut column, &[true], 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn every_cut_and_flip_is_survived() {
        let levels = [(2, 0), (2, 1), (2, 1), (0, 0), (1, 0), (2, 0), (2, 1)].repeat(4);
        let entries = numbers(&levels);
        for v2 in [false, true] {
            let written = write(&entries, LIST, 10, v2);
            let survive = |bytes: Vec<u8>| {
                let codec = Codec::Snappy;
                let chunk = Chunk { bytes, codec };
                let mut column = list_reader(chunk, 16, 28, &ReadContext::default());
                let wanted: Vec<bool> = (0..16).map(|row| row % 5 < 3).collect();
                if let Ok(rows) = read(&mut column, &wanted, 6) {
                    assert_eq!(rows.len(), 10);
                }
            };
            for at in 0..written.bytes.len() {
                survive(written.bytes[..at].to_vec());
                for flip in [0x01, 0x80, 0xff] {
                    let mut bytes = written.bytes.clone();
                    bytes[at] ^= flip;
                    survive(bytes);
                }
            }
        }
    }
}
