//! Decodes a footer for some columns only: the result is the footer that a file without the others would have.
//!
//! ```text
//! schema   root(3) | a | b(2) | b.x | b.y | c        c is wanted:   root(1) | c
//! leaves             0          1     2     3                       leaf 3 of 4
//! ```
//! Schema elements of other columns are skipped by their layout; whether one is a leaf is known from the first
//! element with the same layout.

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::names::Wanted;
use crate::parquet::footer::FileMetaData;
use crate::parquet::row_group::{RowGroup, SortingColumn};
use crate::parquet::schema_element::{Root, SchemaElement};
use crate::parquet::thrift::{Fields, InPlace, Reader, Structure, Wire};

/// The columns that are kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    /// The root and all elements of the columns.
    schema: Vec<SchemaElement>,
    /// The numbers that their leaves have in the file, in ascending order.
    leaves: Vec<usize>,
    /// Leaves of the file.
    all: usize,
}

impl Columns {
    /// The columns of the schema that comes next whose names are among `names` if case is ignored.
    pub(super) fn decode(reader: &mut Reader<'_>, names: &[String]) -> Result<Self> {
        let count = reader.list_head(Wire::Struct)?;
        Limits::check(count as u64, reader.limits().schema_nodes, "schema")?;
        let wanted = Wanted::new(names);
        let mut walk = Walk {
            left: count,
            columns: Columns::default(),
            leaf_layouts: Vec::new(),
            hints: Hints::new(&wanted),
            wanted,
            reader,
        };
        if count > 0 {
            walk.root()?;
        }
        Ok(walk.columns)
    }

    /// The numbers that their leaves have in the file.
    pub(super) fn leaves(&self) -> &[usize] {
        &self.leaves
    }

    /// Takes out of `meta` what belongs to other columns.
    pub(super) fn keep_in<C: Clone>(&self, meta: &mut FileMetaData<C>) -> Result<()> {
        for (ordinal, group) in meta.row_groups.iter_mut().enumerate() {
            self.keep_in_group(group)
                .map_err(|error| error.at("RowGroup", 0).at_row_group(ordinal))?;
        }
        let orders = meta.column_orders.take();
        meta.column_orders = orders.map(|orders| self.pick(&orders));
        meta.schema.clone_from(&self.schema);
        Ok(())
    }

    fn keep_in_group<C: Clone>(&self, group: &mut RowGroup<C>) -> Result<()> {
        let chunks = std::mem::take(&mut group.columns);
        if chunks.len() != self.all {
            let message = format!("{} chunks for {} leaves", chunks.len(), self.all);
            return Err(Error::corrupt(message));
        }
        group.columns = self.pick(&chunks);
        let sorting = group.sorting_columns.take().unwrap_or_default();
        // rows are not sorted by a column that follows one that is not there
        let sorting: Vec<_> = sorting.iter().map_while(|by| self.renumber(by)).collect();
        group.sorting_columns = Some(sorting).filter(|sorting| !sorting.is_empty());
        Ok(())
    }

    fn renumber(&self, sorting: &SortingColumn) -> Option<SortingColumn> {
        let leaf = usize::try_from(sorting.column_idx).ok()?;
        let column_idx = self.leaves.binary_search(&leaf).ok()? as i32;
        Some(SortingColumn {
            column_idx,
            ..*sorting
        })
    }

    /// Of what there is for every leaf, what is for those that stay.
    fn pick<T: Clone>(&self, of_all: &[T]) -> Vec<T> {
        let stay = self.leaves.iter().filter_map(|leaf| of_all.get(*leaf));
        stay.cloned().collect()
    }
}

/// A walk over the elements of a schema.
struct Walk<'r, 'a> {
    reader: &'r mut Reader<'a>,
    /// Elements that come.
    left: usize,
    wanted: Wanted,
    hints: Hints,
    columns: Columns,
    /// The layouts that only leaves have, and what the first leaf of that layout began with.
    leaf_layouts: Vec<(usize, Option<Head>)>,
}

/// What the wanted names are like: bit `n` of a slot is set if one of `n` bytes ends with two bytes of that slot.
/// Most elements are known by that not to be wanted, without being decoded.
struct Hints([u128; 256]);

impl Hints {
    fn new(wanted: &Wanted) -> Self {
        let mut hints = [0; 256];
        for name in wanted.folded().map(str::as_bytes) {
            if let ([.., a, b], length @ ..128) = (name, name.len()) {
                hints[Self::slot(*a, *b)] |= 1 << length;
            }
        }
        Hints(hints)
    }

    fn slot(a: u8, b: u8) -> usize {
        let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
        usize::from(a.wrapping_mul(31) ^ b)
    }

    /// Whether `name`, of under 128 bytes, may be wanted. Only names within ASCII keep their length when case
    /// is folded.
    fn may_be_wanted(&self, name: &[u8]) -> bool {
        match name {
            [.., a, b] if name.is_ascii() => self.0[Self::slot(*a, *b)] >> name.len() & 1 != 0,
            _ => true,
        }
    }
}

/// What an element begins with before the length of its name, if that is numbers only, whose bits tell how long
/// they are, and few bytes.
#[derive(Debug, Clone, Copy)]
struct Head {
    length: usize,
    /// The bits that tell the numbers' lengths, and what they are.
    decisive: u64,
    bits: u64,
}

impl Head {
    /// The head of `length` bytes that `element` has.
    fn new(length: usize, element: &[u8]) -> Option<Self> {
        let decisive = match length {
            0..8 => 0x8080_8080_8080_8080 & ((1 << (8 * length)) - 1),
            _ => return None,
        };
        let bits = u64::from_le_bytes(*element.first_chunk()?) & decisive;
        Some(Head {
            length,
            decisive,
            bits,
        })
    }

    /// The name in an `element` of the same layout, if it is short: it stands at the same place, unless one of
    /// the numbers before it has another length.
    #[inline(always)]
    fn name_in<'a>(&self, element: &'a [u8]) -> Option<&'a [u8]> {
        let first = u64::from_le_bytes(*element.first_chunk()?);
        if first & self.decisive != self.bits {
            return None;
        }
        match element.get(self.length..)? {
            [length @ ..128, rest @ ..] => rest.get(..usize::from(*length)),
            _ => None,
        }
    }
}

/// The part of an element that decides where it belongs.
#[derive(Debug, Clone, Copy, Default)]
struct Glance<'a> {
    name: &'a str,
    head: Option<Head>,
    is_leaf: bool,
    /// Means nothing of a leaf.
    children: i32,
}

impl<'a> Walk<'_, 'a> {
    fn root(&mut self) -> Result<()> {
        let mut root = Root::decoded(self.reader)?.0;
        self.left -= 1;
        self.columns.schema.push(SchemaElement::default());
        let (mut columns, mut wanted) = (0, 0);
        while self.left > 0 {
            columns += 1;
            wanted += i32::from(self.column()?);
        }
        if root.num_children.unwrap_or(0) != columns {
            let children = root.num_children.unwrap_or(0);
            let message = format!("{columns} columns, but the root has {children}");
            return Err(Error::corrupt(message).at("schema", 0));
        }
        root.num_children = Some(wanted);
        self.columns.schema[0] = root;
        Ok(())
    }

    /// Takes the elements of a column; whether it is wanted.
    fn column(&mut self) -> Result<bool> {
        let (start, first_leaf, left) = (self.reader.position(), self.columns.all, self.left);
        let (children, head) = self.element()?;
        let wanted = self.is_wanted(start, head)?;
        if children > 0 {
            self.descendants(children)?;
        }
        if wanted {
            self.keep_since(start, left)?;
            self.columns.leaves.extend(first_leaf..self.columns.all);
        }
        Ok(wanted)
    }

    /// Skips `open` elements and all below them.
    #[inline(never)]
    fn descendants(&mut self, mut open: usize) -> Result<()> {
        while open > 0 {
            let (children, _) = self.element()?;
            open = (open - 1).saturating_add(children);
        }
        Ok(())
    }

    /// Decodes the elements since `start`, where `left` of them came.
    #[inline(never)]
    fn keep_since(&mut self, start: usize, left: usize) -> Result<()> {
        let end = self.reader.position();
        self.reader.rewind(start);
        for _ in self.left..left {
            let element = SchemaElement::decode_from(self.reader)?;
            self.columns.schema.push(element);
        }
        debug_assert_eq!(self.reader.position(), end);
        Ok(())
    }

    /// Passes over an element: how many children it has, and what a leaf laid out like it begins with.
    #[inline(always)]
    fn element(&mut self) -> Result<(usize, Option<Head>)> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            Error::corrupt("a group has more children than there are elements").at("schema", 0)
        })?;
        let start = self.reader.position();
        let layout = self.reader.skip_alike()?;
        let known = |(number, _): &&(usize, _)| Some(*number) == layout;
        if let Some((_, head)) = self.leaf_layouts.iter().find(known) {
            self.columns.all += 1;
            return Ok((0, *head));
        }
        self.unknown_element(start, layout)
    }

    /// What [`element`](Self::element) is of one since `start` that is not known to be laid out like a leaf.
    #[inline(never)]
    fn unknown_element(
        &mut self,
        start: usize,
        layout: Option<usize>,
    ) -> Result<(usize, Option<Head>)> {
        let element = self.glance(start)?;
        if !element.is_leaf {
            let children = usize::try_from(element.children).map_err(|_| {
                Error::corrupt("a group has a negative number of children").at("schema", 0)
            })?;
            return Ok((children, None));
        }
        self.columns.all += 1;
        self.leaf_layouts
            .extend(layout.map(|layout| (layout, element.head)));
        Ok((0, element.head))
    }

    /// Whether the element skipped since `start` has a name that is wanted.
    fn is_wanted(&mut self, start: usize, head: Option<Head>) -> Result<bool> {
        let element = self.reader.since(start);
        let name = head.and_then(|head| head.name_in(element));
        if name.is_some_and(|name| !self.hints.may_be_wanted(name)) {
            return Ok(false);
        }
        let name = self.glance(start)?.name;
        Ok(self.wanted.accepts(name))
    }

    /// Decodes the element that was skipped since `start`.
    fn glance(&mut self, start: usize) -> Result<Glance<'a>> {
        let (end, element) = (self.reader.position(), self.reader.since(start));
        self.reader.rewind(start);
        let (mut glance, mut numbers) = (Glance::default(), true);
        let mut fields = Fields::new("SchemaElement");
        while let Some((id, wire)) = fields.next(self.reader)? {
            match (id, wire) {
                (1, Wire::I32) => {
                    glance.is_leaf = true;
                    self.reader.skip(wire)?;
                }
                (4, Wire::Binary) => {
                    let length = self.reader.position() - start;
                    glance.head = Head::new(length, element).filter(|_| numbers);
                    glance.name = self.reader.text()?;
                }
                (5, Wire::I32) => glance.children = self.reader.i32()?,
                _ => fields.skip(self.reader, wire)?,
            }
            numbers &= matches!(
                wire,
                Wire::True | Wire::False | Wire::I16 | Wire::I32 | Wire::I64
            );
        }
        debug_assert_eq!(self.reader.position(), end);
        Ok(glance)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::parquet::encoding::{FieldRepetitionType, Type};
    use crate::parquet::footer::{ColumnOrder, Footer};
    use crate::parquet::schema;
    use crate::parquet::testing;
    use crate::parquet::thrift::{self, Writer};

    fn element(name: &str, children: i32) -> SchemaElement {
        SchemaElement {
            physical_type: (children == 0).then_some(Type::Int32),
            repetition_type: Some(FieldRepetitionType::Optional),
            name: name.into(),
            num_children: (children > 0).then_some(children),
            ..SchemaElement::default()
        }
    }

    /// Two row groups of `root(a, b(x, y), C, é, K)`, the chunk of leaf `n` with `n` values.
    fn metadata() -> FileMetaData {
        let mut meta = testing::file_metadata();
        meta.schema = vec![
            element("root", 5),
            element("a", 0),
            element("b", 2),
            element("x", 0),
            element("y", 0),
            element("C", 0),
            element("é", 0),
            element("K", 0),
        ];
        let model = testing::row_group();
        let mut group = RowGroup {
            columns: vec![model.columns[0].clone(); 6],
            ..model
        };
        for (leaf, chunk) in group.columns.iter_mut().enumerate() {
            chunk.meta_data.as_mut().unwrap().num_values = leaf as i64;
        }
        let by = |column_idx| SortingColumn {
            column_idx,
            ..SortingColumn::default()
        };
        group.sorting_columns = Some(vec![by(3), by(0), by(4)]);
        meta.row_groups = vec![group.clone(), group];
        meta.column_orders = Some((10..16).map(ColumnOrder::Other).collect());
        meta
    }

    fn decode(meta: &FileMetaData, names: &[&str]) -> Result<Footer> {
        let names: Vec<String> = names.iter().map(|name| (*name).into()).collect();
        Footer::decode_columns(&meta.encode().into(), &Limits::default(), &names)
    }

    #[test]
    fn the_footer_is_that_of_a_file_without_the_others() {
        for (names, leaves, sorted_by) in [
            (&["c", "É", "nothing"][..], &[3, 4][..], vec![0]),
            (&["B"], &[1, 2], vec![]),
            (&["a", "C"], &[0, 3], vec![1, 0]),
            // of no ASCII letter, but it folds to the one that K does
            (&["\u{212a}"], &[5], vec![]),
            (&[], &[], vec![]),
        ] {
            let footer = decode(&metadata(), names).unwrap();
            let (_, found) = schema::decode(&footer.schema, &Limits::default()).unwrap();
            assert_eq!(found.len(), leaves.len());
            let orders: Vec<_> = leaves
                .iter()
                .map(|leaf| ColumnOrder::Other(leaf + 10))
                .collect();
            assert_eq!(footer.column_orders.as_ref(), Some(&orders));
            let whole = footer.whole().unwrap();
            for (number, leaf) in leaves.iter().enumerate() {
                let chunk = footer.chunk(1, number).unwrap().unwrap();
                assert_eq!(chunk, whole.row_groups[1].columns[number]);
                assert_eq!(chunk.meta_data.unwrap().num_values, i64::from(*leaf));
            }
            assert_eq!(footer.chunk(0, leaves.len()).unwrap(), None);
            let sorting = footer.row_groups[0].sorting_columns.iter().flatten();
            let sorting: Vec<_> = sorting.map(|by| by.column_idx).collect();
            assert_eq!(sorting, sorted_by);
        }
    }

    #[test]
    fn every_column_is_found_whatever_stands_before_its_name() {
        let mut meta = metadata();
        let column = |number: i32| {
            let name = match number % 7 {
                0 => format!("{number}"),
                1 => format!("ｗ{number}"),
                2 => "n".repeat(number as usize),
                _ => format!("Column_{number:03}"),
            };
            let mut column = element(&name, 0);
            column.type_length = (number % 3 > 0).then_some(1 << (number % 31));
            column.physical_type = Some(Type::from_id(number % 7));
            column
        };
        let columns: Vec<_> = (0..200).map(column).collect();
        meta.schema = vec![element("root", 200)];
        meta.schema.extend(columns.iter().cloned());
        meta.row_groups.clear();
        for column in columns {
            let footer = decode(&meta, &[&column.name.to_uppercase()]).unwrap();
            assert_eq!(footer.schema[1..], [column]);
        }
    }

    /// An element with a field that is not known before its name.
    struct Odd(SchemaElement, String);

    impl Structure for Odd {
        fn decode_from(_: &mut Reader<'_>) -> Result<Self> {
            Err(Error::invalid("it is only written"))
        }

        fn encode_to(&self, writer: &mut Writer<'_>) {
            let Odd(element, before) = self;
            writer.i32(1, element.physical_type.map(Type::id));
            writer.string(20, before.as_str());
            writer.string(4, element.name.as_str());
            writer.i32(5, element.num_children);
        }
    }

    /// A footer of such elements and no row group.
    struct OddFooter(Vec<Odd>);

    impl Structure for OddFooter {
        fn decode_from(_: &mut Reader<'_>) -> Result<Self> {
            Err(Error::invalid("it is only written"))
        }

        fn encode_to(&self, writer: &mut Writer<'_>) {
            writer.i32(1, 1);
            writer.structures(2, self.0.as_slice());
            writer.i64(3, 0);
            writer.structures(4, &[] as &[RowGroup]);
        }
    }

    #[test]
    fn texts_before_names_are_not_taken_for_names() {
        let texts = ["zz", "zzzzzzzz", "z\x02zz", ""];
        let odd = |number: usize| {
            Odd(
                element(&format!("col_{number:02}"), 0),
                texts[number % 4].into(),
            )
        };
        let mut elements = vec![Odd(element("root", 20), String::new())];
        elements.extend((0..20).map(odd));
        let bytes = Bytes::from(thrift::encode(&OddFooter(elements)));
        for number in 0..20 {
            let name = format!("col_{number:02}");
            let names = [name.clone()];
            let footer = Footer::decode_columns(&bytes, &Limits::default(), &names).unwrap();
            assert_eq!(footer.schema.len(), 2, "{name}");
            assert_eq!(footer.schema[1].name, name);
        }
    }

    #[test]
    fn trees_that_do_not_add_up_are_refused() {
        let changed = |change: fn(&mut FileMetaData)| {
            let mut meta = metadata();
            change(&mut meta);
            decode(&meta, &["a"])
                .map(drop)
                .map_err(|error| error.kind())
        };
        let corrupt = Err(crate::error::ErrorKind::Corrupt);
        assert_eq!(changed(|_| {}), Ok(()));
        assert_eq!(
            changed(|meta| meta.schema[1].num_children = Some(-1)),
            Ok(())
        );
        assert_eq!(
            changed(|meta| meta.schema[0].num_children = Some(6)),
            corrupt
        );
        assert_eq!(
            changed(|meta| meta.schema[2].num_children = Some(9)),
            corrupt
        );
        assert_eq!(
            changed(|meta| meta.schema[2].num_children = Some(-1)),
            corrupt
        );
        assert_eq!(
            changed(|meta| drop(meta.row_groups[1].columns.pop())),
            corrupt
        );
    }

    #[test]
    fn many_names_are_found_as_few_are() {
        let few = decode(&metadata(), &["c", "b"]).unwrap();
        let mut names = vec!["c", "b"];
        names.extend(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        let many = decode(&metadata(), &names).unwrap();
        assert_eq!(many.whole().unwrap(), few.whole().unwrap());
    }

    #[test]
    fn every_cut_and_flip_ends() {
        let bytes = metadata().encode();
        let decode = |bytes: Vec<u8>| {
            let names = ["c".to_owned(), "é".to_owned()];
            Footer::decode_columns(&Bytes::from(bytes), &Limits::default(), &names)
        };
        for at in 0..bytes.len() {
            assert!(decode(bytes[..at].to_vec()).is_err(), "cut at {at}");
            for bit in 0..8 {
                let mut hostile = bytes.clone();
                hostile[at] ^= 1 << bit;
                if let Ok(footer) = decode(hostile) {
                    for leaf in 0..2 {
                        drop(footer.chunk(0, leaf));
                    }
                }
            }
        }
    }
}
