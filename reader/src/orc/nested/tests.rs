//! Columns of any type, written value by value, read back in any windows and selections; and invalid files.

use std::sync::Arc;

use super::*;
use crate::column::ReadContext;
use crate::nested::tests::{Column, dump};
use crate::orc::encoding::boolean_rle::tests::encode as bits;
use crate::orc::encoding::byte_rle::tests::encode as byte_runs;
use crate::orc::encoding::tests::literals;
use crate::orc::file::OrcFile;
use crate::orc::testing::{Stored, direct, file, file_of};
use crate::part::Part;
use crate::source::{BytesSource, Source};
use lith_format::error::ErrorKind;
use lith_format::limits::Limits;
use lith_format::orc::encoding::{StreamKind, TypeKind};
use lith_format::orc::footer::Type;
use lith_format::scalar::Scalar;
use lith_format::schema::Field;

/// The wanted rows of the first column, read in windows, and how many bytes are read.
fn read_part(
    bytes: Vec<u8>,
    part: Option<&LogicalType>,
    wanted: &[bool],
    window: usize,
) -> Result<(Vec<Scalar>, u64)> {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new(bytes, "a.orc"));
    let file = OrcFile::open(&source, &Limits::default())?;
    let field = &file.schema().fields[0];
    let part = match part {
        Some(ty) => Part::of(field, ty)?,
        None => Part::whole(field),
    };
    let (context, mut out, mut rest) = (ReadContext::default(), Vec::new(), wanted);
    for (ordinal, stripe) in file.footer().stripes.iter().enumerate() {
        let mut column = file.column(&source, ordinal, 0, &part, &context)?;
        let (here, later) = rest.split_at((stripe.number_of_rows as usize).min(rest.len()));
        rest = later;
        for wanted in here.chunks(window) {
            let vector = column.read(&Selection::from_mask(&wanted.iter().copied().collect()))?;
            assert_eq!(vector.ty, part.field.ty);
            out.extend((0..vector.len).map(|row| vector.value(row)));
        }
    }
    Ok((out, context.metrics.bytes_read.get()))
}

fn read(bytes: Vec<u8>, wanted: &[bool], window: usize) -> Result<Vec<Scalar>> {
    read_part(bytes, None, wanted, window).map(|read| read.0)
}

fn field(name: &str, ty: LogicalType) -> Field {
    Field::nullable(name, ty)
}

fn int(name: &str) -> Field {
    field(name, LogicalType::Int32)
}

fn list(element: LogicalType) -> LogicalType {
    LogicalType::List(Arc::new(field("element", element)))
}

/// The type, with unions in place of structs that begin with a number.
fn unite(ty: &LogicalType) -> LogicalType {
    use LogicalType as T;
    let below = |field: &Field| Field::nullable(field.name.as_str(), unite(&field.ty));
    match ty {
        T::Struct(fields) if fields[0].ty == T::Int32 => {
            T::Union(fields.iter().map(below).collect())
        }
        T::Struct(fields) => T::Struct(fields.iter().map(below).collect()),
        T::List(element) => T::List(Arc::new(below(element))),
        T::Map(entry) => T::Map(Arc::new([below(&entry[0]), below(&entry[1])])),
        flat => flat.clone(),
    }
}

/// The value, converted to that type.
fn unite_value(ty: &LogicalType, value: &Scalar) -> Scalar {
    use {LogicalType as T, Scalar as S};
    let below = |index: usize, value: &Scalar| unite_value(&ty.fields()[index].ty, value);
    match (ty, value) {
        (T::Union(_), S::Struct(fields)) => {
            let tag = format!("{value:?}").len() % 2;
            S::Union(tag as u8, Box::new(below(tag, &fields[tag].1)))
        }
        (_, S::Struct(fields)) => {
            let fields = fields.iter().enumerate();
            S::Struct(
                fields
                    .map(|(index, (name, value))| (Arc::clone(name), below(index, value)))
                    .collect(),
            )
        }
        (_, S::List(elements)) => {
            S::List(elements.iter().map(|element| below(0, element)).collect())
        }
        (_, S::Map(entries)) => S::Map(
            entries
                .iter()
                .map(|(key, value)| (below(0, key), below(1, value)))
                .collect(),
        ),
        _ => value.clone(),
    }
}

quickcheck::quickcheck! {
    fn any_column_reads_as_written(column: Column, wanted: Vec<bool>, shape: (u8, u8)) -> bool {
        let field = field("c", unite(&column.field.ty));
        let rows: Vec<Scalar> = column.rows.iter().map(|row| unite_value(&field.ty, row)).collect();
        let (stripe, window) = (usize::from(shape.0 % 80) + 1, usize::from(shape.1 % 40) + 1);
        let wanted: Vec<bool> = (0..rows.len())
            .map(|row| wanted.is_empty() || wanted[row % wanted.len()])
            .collect();
        let bytes = file(&field, &rows.chunks(stripe).collect::<Vec<_>>());
        let expected: Vec<Scalar> = rows.iter().zip(&wanted).filter(|row| *row.1).map(|row| row.0.clone()).collect();
        dump(&read(bytes, &wanted, window).unwrap()) == dump(&expected)
    }
}

/// A list of structs of two fields, four rows.
fn items() -> (Field, Vec<Scalar>) {
    let item = LogicalType::Struct([field("name", LogicalType::Binary), int("price")].into());
    let value = |name: &[u8], price| {
        Scalar::Struct(vec![
            ("name".into(), Scalar::binary(name)),
            ("price".into(), price),
        ])
    };
    let rows = vec![
        Scalar::List(vec![
            value(b"pen", Scalar::Int(3)),
            Scalar::Null,
            value(b"ink", Scalar::Null),
        ]),
        Scalar::Null,
        Scalar::List(vec![]),
        Scalar::List(vec![value(b"cap", Scalar::Int(-1))]),
    ];
    (field("items", list(item)), rows)
}

#[test]
fn only_the_streams_of_the_wanted_fields_are_read() {
    let (field, rows) = items();
    let wanted = list(LogicalType::Struct([int("PRICE")].into()));
    let bytes = file(&field, &[&rows, &rows[2..]]);
    let (cells, few) = read_part(bytes.clone(), Some(&wanted), &[true; 6], 4).unwrap();
    let prices = |cell: &Scalar| match cell {
        Scalar::List(elements) => elements
            .iter()
            .map(|element| format!("{element:?}"))
            .collect(),
        other => format!("{other:?}"),
    };
    let cells: Vec<String> = cells.iter().map(prices).collect();
    let (first, last) = (
        "Struct([(\"price\", Int(3))])NullStruct([(\"price\", Null)])",
        "Struct([(\"price\", Int(-1))])",
    );
    assert_eq!(cells, [first, "Null", "", last, "", last]);
    let (_, all) = read_part(bytes, None, &[true; 6], 4).unwrap();
    // the names have nine bytes in the first stripe and three in the second; their lengths take four and two
    assert_eq!(all - few, 9 + 3 + 4 + 2);
}

#[test]
fn a_field_that_the_column_lacks_is_refused() {
    let (field, rows) = items();
    let source: Arc<dyn Source> = Arc::new(BytesSource::new(file(&field, &[&rows]), "a.orc"));
    let file = OrcFile::open(&source, &Limits::default()).unwrap();
    let other = Field::nullable("items", list(LogicalType::Struct([int("size")].into())));
    let part = Part {
        field: other,
        leaves: vec![1],
    };
    let error = file
        .column(&source, 0, 0, &part, &ReadContext::default())
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

/// Types of a file with one column: each of `kinds` is the parent of the next, the last one that of a number.
fn types(kinds: &[TypeKind]) -> Vec<Type> {
    let kinds = [&[TypeKind::Struct], kinds, &[TypeKind::Int]].concat();
    let last = kinds.len() - 1;
    let ty = |(id, &kind): (usize, &TypeKind)| Type {
        kind,
        subtypes: (id < last).then_some(id as u32 + 1).into_iter().collect(),
        field_names: (kind == TypeKind::Struct)
            .then(|| "c".to_owned())
            .into_iter()
            .collect(),
        ..Type::default()
    };
    kinds.iter().enumerate().map(ty).collect()
}

/// The rows of a file with these streams.
fn outcome(kinds: &[TypeKind], rows: usize, stored: Stored) -> Result<Vec<Scalar>> {
    let types = types(kinds);
    let footer = direct(types.len());
    let bytes = file_of(types, vec![(rows as u64, footer, stored)]);
    read(bytes, &vec![true; rows], rows)
}

fn kind(kinds: &[TypeKind], rows: usize, stored: Stored) -> ErrorKind {
    outcome(kinds, rows, stored).unwrap_err().kind()
}

const LIST: &[TypeKind] = &[TypeKind::List];

#[test]
fn lengths_are_checked_against_elements_and_limits() {
    let stored = |lengths: &[i64], elements: &[i64]| {
        vec![
            (1, StreamKind::Length, literals(lengths, false)),
            (2, StreamKind::Data, literals(elements, true)),
        ]
    };
    let two = outcome(LIST, 2, stored(&[2, 0], &[5, 6])).unwrap();
    assert_eq!(dump(&two), ["List([Int(5), Int(6)])", "List([])"]);
    assert_eq!(
        kind(LIST, 2, stored(&[2, 1], &[5, 6])),
        ErrorKind::Truncated
    );
    assert_eq!(kind(LIST, 2, stored(&[2], &[5, 6])), ErrorKind::Truncated);
    assert_eq!(kind(LIST, 2, stored(&[1, -1], &[5])), ErrorKind::Corrupt);
    assert_eq!(kind(LIST, 1, stored(&[1 << 32], &[5])), ErrorKind::Corrupt);
    // no memory is allocated for 64 Mi elements that do not exist
    assert_eq!(
        kind(LIST, 1, stored(&[1 << 26], &[5])),
        ErrorKind::Truncated
    );
    // one element more than 64 Mi; 1.5 Gi elements; and 4.5 Gi, more than 32 bits can count
    assert_eq!(
        kind(LIST, 1, stored(&[(1 << 26) + 1], &[5])),
        ErrorKind::LimitExceeded
    );
    assert_eq!(
        kind(LIST, 1, stored(&[3 << 29], &[5])),
        ErrorKind::LimitExceeded
    );
    assert_eq!(
        kind(LIST, 3, stored(&[3 << 29; 3], &[5])),
        ErrorKind::LimitExceeded
    );
}

#[test]
fn elements_that_are_not_wanted_take_no_memory() {
    let stored = vec![
        (
            1,
            StreamKind::Length,
            literals(&[u32::MAX.into(), u32::MAX.into(), 1], false),
        ),
        (2, StreamKind::Data, literals(&[5], true)),
    ];
    let bytes = file_of(types(LIST), vec![(3, direct(3), stored)]);
    for wanted in [[false, false, true], [true, false, true]] {
        let error = read(bytes.clone(), &wanted, 3).unwrap_err();
        let expected = if wanted[0] {
            ErrorKind::LimitExceeded
        } else {
            ErrorKind::Truncated
        };
        assert_eq!(error.kind(), expected);
    }
    // structs without fields need no memory
    let empty = |kind, subtypes: &[u32]| Type {
        kind,
        subtypes: subtypes.to_vec(),
        field_names: subtypes.iter().map(|_| "c".to_owned()).collect(),
        ..Type::default()
    };
    let mut types = types(LIST);
    types[2] = empty(TypeKind::Struct, &[]);
    let lengths = literals(&[u32::MAX.into(), u32::MAX.into(), 1], false);
    let stored = vec![(1, StreamKind::Length, lengths)];
    let bytes = file_of(types, vec![(3, direct(3), stored)]);
    let rows = read(bytes, &[false, false, true], 2).unwrap();
    assert_eq!(dump(&rows), ["List([Struct([])])"]);
}

#[test]
fn tags_are_checked_against_members() {
    let stored = |tags: &[u8]| {
        vec![
            (1, StreamKind::Data, byte_runs(tags)),
            (2, StreamKind::Data, literals(&[7, 8], true)),
        ]
    };
    let union = &[TypeKind::Union];
    let rows = outcome(union, 2, stored(&[0, 0])).unwrap();
    assert_eq!(dump(&rows), ["Union(0, Int(7))", "Union(0, Int(8))"]);
    assert_eq!(kind(union, 2, stored(&[0, 1])), ErrorKind::Corrupt);
    assert_eq!(kind(union, 3, stored(&[0, 0, 0])), ErrorKind::Truncated);
    assert_eq!(kind(union, 3, stored(&[0, 0])), ErrorKind::Truncated);
}

#[test]
fn a_row_that_is_null_has_no_slot_in_any_column() {
    let stored = vec![
        (0, StreamKind::Present, bits(&[true, false, true])),
        (1, StreamKind::Length, literals(&[1, 2], false)),
        (2, StreamKind::Data, literals(&[7, 8, 9], true)),
    ];
    let rows = outcome(LIST, 3, stored).unwrap();
    assert_eq!(
        dump(&rows),
        ["List([Int(7)])", "Null", "List([Int(8), Int(9)])"]
    );
}

#[test]
fn errors_name_the_field_and_end_the_column() {
    let (field, rows) = items();
    let mut bytes = file(&field, &[&rows]);
    let at = bytes.windows(3).position(|name| name == b"pen").unwrap();
    // the lengths of the names come next: one is now greater than all names together
    bytes[at + 10] += 100;
    let source: Arc<dyn Source> = Arc::new(BytesSource::new(bytes, "a.orc"));
    let file = OrcFile::open(&source, &Limits::default()).unwrap();
    let part = Part::whole(&file.schema().fields[0]);
    let mut column = file
        .column(&source, 0, 0, &part, &ReadContext::default())
        .unwrap();
    let error = column.read(&Selection::all(2)).unwrap_err();
    assert_eq!(error.site().column.as_deref(), Some("items.element.name"));
    assert_eq!(error.site().row_group, Some(0));
    let error = column.read(&Selection::all(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn every_cut_and_flip_is_survived() {
    let (items, rows) = items();
    let field = field("c", LogicalType::Union([items, int("i")].into()));
    let some = |row: &Scalar| Scalar::Union(0, Box::new(row.clone()));
    let mut rows: Vec<Scalar> = rows.iter().map(some).collect();
    rows.extend([Scalar::Null, Scalar::Union(1, Box::new(Scalar::Int(5)))]);
    let written = file(&field, &[&rows, &rows[..2]]);
    let wanted = [true, false, true, true, true, true, false, true];
    assert_eq!(read(written.clone(), &wanted, 3).unwrap().len(), 6);
    for at in 0..written.len() {
        assert!(read(written[..at].to_vec(), &wanted, 3).is_err());
        for flip in [0x01, 0x02, 0x10, 0x80, 0xff] {
            let mut bytes = written.clone();
            bytes[at] ^= flip;
            let _ = read(bytes, &wanted, 3);
        }
    }
}
