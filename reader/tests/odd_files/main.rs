//! Parquet files as odd as writers have made them, and damaged ones: each is made here byte by byte, and reads as
//! the specification says or is refused.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

mod declared;
mod dictionaries;
mod encodings;
mod footers;
mod nested;
mod pages;
#[path = "../support/mod.rs"]
mod support;
mod times;

use lith_format::bytes::{put_varint, zigzag};
use lith_format::filter::Filter;
use lith_format::limits::Limits;
use lith_format::parquet::column_metadata::ColumnMetaData;
use lith_format::parquet::encoding::{
    ConvertedType, Encoding, FieldRepetitionType, PageType, Type,
};
use lith_format::parquet::footer::{FileMetaData, MAGIC, Tail};
use lith_format::parquet::page::{
    DataPageHeader, DataPageHeaderV2, DictionaryPageHeader, PageHeader,
};
use lith_format::parquet::row_group::{ColumnChunk, RowGroup};
use lith_format::parquet::schema_element::SchemaElement;
use lith_format::scalar::Scalar;
use support::*;

use FieldRepetitionType::{Optional, Repeated, Required};

/// A column of the schema that has values.
fn leaf(name: &str, physical_type: Type, repetition: FieldRepetitionType) -> SchemaElement {
    SchemaElement {
        name: name.into(),
        physical_type: Some(physical_type),
        repetition_type: Some(repetition),
        ..SchemaElement::default()
    }
}

/// A node of the schema above `children` others.
fn group(
    name: &str,
    repetition: FieldRepetitionType,
    converted: Option<ConvertedType>,
    children: i32,
) -> SchemaElement {
    SchemaElement {
        name: name.into(),
        num_children: Some(children),
        repetition_type: Some(repetition),
        converted_type: converted,
        ..SchemaElement::default()
    }
}

/// The nodes of a nullable list of three levels, whose elements are required numbers.
fn list_of_numbers() -> Vec<SchemaElement> {
    vec![
        group("l", Optional, Some(ConvertedType::List), 1),
        group("list", Repeated, None, 1),
        leaf("element", Type::Int32, Required),
    ]
}

/// Four bytes each.
fn numbers(values: impl IntoIterator<Item = i32>) -> Vec<u8> {
    values.into_iter().flat_map(i32::to_le_bytes).collect()
}

/// Byte arrays in PLAIN.
fn texts(values: &[&str]) -> Vec<u8> {
    let with_length = |text: &&str| sized(text.as_bytes());
    values.iter().flat_map(with_length).collect()
}

/// Bytes behind their length.
fn sized(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat()
}

/// Numbers below 256 in one run, packed in `width` bits each and filled up with zeros.
fn packed(values: &[u8], width: usize) -> Vec<u8> {
    let groups = values.len().div_ceil(8);
    let mut out = Vec::new();
    put_varint(&mut out, (groups as u64) << 1 | 1);
    let start = out.len();
    out.resize(start + groups * width, 0);
    for (index, value) in values.iter().enumerate() {
        for bit in (0..width).filter(|bit| value >> bit & 1 == 1) {
            let at = index * width + bit;
            out[start + at / 8] |= 1 << (at % 8);
        }
    }
    out
}

/// At most 129 numbers in DELTA_BINARY_PACKED, each greater by `step` than the one before.
fn steps(first: i64, step: i64, count: u64) -> Vec<u8> {
    let mut out = Vec::new();
    for number in [128, 4, count, zigzag(first)] {
        put_varint(&mut out, number);
    }
    if count > 1 {
        put_varint(&mut out, zigzag(step));
        out.extend([0; 4]);
    }
    out
}

/// A header and its page, neither compressed nor longer than it should be.
fn page(mut header: PageHeader, body: &[u8]) -> Vec<u8> {
    header.uncompressed_page_size = body.len() as i32;
    header.compressed_page_size = body.len() as i32;
    [&header.encode()[..], body].concat()
}

fn dictionary(entries: i32, body: &[u8]) -> Vec<u8> {
    let mut header = PageHeader::new(PageType::DictionaryPage);
    header.dictionary_page_header = Some(DictionaryPageHeader {
        num_values: entries,
        encoding: Encoding::Plain,
        is_sorted: None,
    });
    page(header, body)
}

/// A data page of version 1; its levels are part of the body.
fn v1(entries: i32, encoding: Encoding, body: &[u8]) -> Vec<u8> {
    let mut header = PageHeader::new(PageType::DataPage);
    header.data_page_header = Some(DataPageHeader {
        num_values: entries,
        encoding,
        definition_level_encoding: Encoding::Rle,
        repetition_level_encoding: Encoding::Rle,
        statistics: None,
    });
    page(header, body)
}

/// A data page of version 2: of how many entries, nulls and rows, and its repetition and definition levels.
fn v2(
    [num_values, num_nulls, num_rows]: [i32; 3],
    encoding: Encoding,
    [repetition, definition]: [&[u8]; 2],
    values: &[u8],
) -> Vec<u8> {
    let mut header = PageHeader::new(PageType::DataPageV2);
    header.data_page_header_v2 = Some(DataPageHeaderV2 {
        num_values,
        num_nulls,
        num_rows,
        encoding,
        definition_levels_byte_length: definition.len() as i32,
        repetition_levels_byte_length: repetition.len() as i32,
        is_compressed: None,
        statistics: None,
    });
    page(header, &[repetition, definition, values].concat())
}

/// The pages of a chunk, and how many values and nulls it says that they hold.
type Chunk = (Vec<u8>, i64);

/// A file of row groups of so many rows, whose footer `edit` may change.
fn file(
    schema: &[SchemaElement],
    groups: &[(i64, Vec<Chunk>)],
    edit: impl FnOnce(&mut FileMetaData),
) -> Vec<u8> {
    let (mut columns, mut below) = (0, 0);
    for node in schema {
        match below {
            0 => columns += 1,
            _ => below -= 1,
        }
        below += node.num_children.unwrap_or(0);
    }
    let root = group("root", Required, None, columns);
    let mut bytes = MAGIC.to_vec();
    let types = schema.iter().filter_map(|node| node.physical_type);
    let mut row_groups = Vec::new();
    for (num_rows, chunks) in groups {
        let mut columns = Vec::new();
        for ((pages, entries), physical_type) in chunks.iter().zip(types.clone()) {
            let metadata = ColumnMetaData {
                physical_type,
                num_values: *entries,
                data_page_offset: bytes.len() as i64,
                total_compressed_size: pages.len() as i64,
                ..ColumnMetaData::default()
            };
            columns.push(ColumnChunk {
                meta_data: Some(metadata),
                ..ColumnChunk::default()
            });
            bytes.extend(pages);
        }
        row_groups.push(RowGroup {
            columns,
            num_rows: *num_rows,
            ..RowGroup::default()
        });
    }
    let mut footer = FileMetaData {
        num_rows: groups.iter().map(|group| group.0).sum(),
        schema: [&[root], schema].concat(),
        row_groups,
        ..FileMetaData::default()
    };
    edit(&mut footer);
    let footer = footer.encode();
    let tail = Tail::encode(footer.len() as u32);
    [&bytes[..], &footer, &tail].concat()
}

/// A file of one row group and one leaf, each of whose entries is a row.
fn flat(leaf: SchemaElement, rows: i64, pages: &[Vec<u8>]) -> Vec<u8> {
    file(&[leaf], &[(rows, vec![(pages.concat(), rows)])], |_| {})
}

/// The metadata of the first chunk.
fn metadata(footer: &mut FileMetaData) -> &mut ColumnMetaData {
    let chunk = &mut footer.row_groups[0].columns[0];
    chunk.meta_data.as_mut().unwrap()
}
