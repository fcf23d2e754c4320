//! Parquet files of one page's values over and over, in an encoding and a bit width of choice: what a bench of
//! one decoder reads. A writer chooses by itself, and so would not write most of these.
//!
//! ```text
//! PAR1 | [dictionary page] page page page page | footer          one column, ROWS rows, no compression
//! ```
// spec: Encodings.md

use bytes::Bytes;
use lith_format::bytes::{put_varint, zigzag};
use lith_format::error::Result;
use lith_format::limits::Limits;
use lith_format::parquet::column_metadata::ColumnMetaData;
use lith_format::parquet::encoding::{Encoding, PageType};
use lith_format::parquet::footer::{FileMetaData, MAGIC, Tail};
use lith_format::parquet::page::{DataPageHeader, DictionaryPageHeader, PageHeader};
use lith_format::parquet::row_group::{ColumnChunk, RowGroup};
use lith_format::parquet::schema;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;

/// Rows of a page.
pub const PAGE_ROWS: usize = 65_536;

/// Rows of a file.
pub const ROWS: usize = PAGES * PAGE_ROWS;

const PAGES: usize = 4;

/// A column whose pages all hold the same values.
#[derive(Debug, Clone)]
pub struct Column {
    ty: LogicalType,
    encoding: Encoding,
    /// The number of entries, and their plain bytes.
    dictionary: Option<(usize, Vec<u8>)>,
    /// Which rows of a page have a value; `None` if all.
    validity: Option<Vec<bool>>,
    /// The encoded values of a page.
    values: Vec<u8>,
}

impl Column {
    /// A column of `values`, encoded as `encoding` says, of which each page has all.
    pub fn new(ty: LogicalType, encoding: Encoding, values: Vec<u8>) -> Self {
        Column {
            ty,
            encoding,
            dictionary: None,
            validity: None,
            values,
        }
    }

    /// A column of codes of `width` bits into a dictionary of `entries`, whose plain bytes are `plain`.
    pub fn of_codes(ty: LogicalType, width: u32, entries: usize, plain: Vec<u8>) -> Self {
        let codes = random(PAGE_ROWS).map(|code| code % entries as u64);
        let mut values = vec![width as u8];
        put_packed_run(codes, width, &mut values);
        Column {
            dictionary: Some((entries, plain)),
            ..Self::new(ty, Encoding::RleDictionary, values)
        }
    }

    /// The same values for the rows that have one, of which there are as many.
    pub fn with_validity(self, validity: Vec<bool>) -> Self {
        Column {
            validity: Some(validity),
            ..self
        }
    }

    fn field(&self, name: String) -> Field {
        match self.validity {
            None => Field::required(name, self.ty.clone()),
            Some(_) => Field::nullable(name, self.ty.clone()),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        if let Some((entries, plain)) = &self.dictionary {
            let mut header = PageHeader::new(PageType::DictionaryPage);
            header.dictionary_page_header = Some(DictionaryPageHeader {
                num_values: *entries as i32,
                encoding: Encoding::Plain,
                is_sorted: None,
            });
            put_page(header, plain, out);
        }
        let mut body = Vec::new();
        if let Some(validity) = &self.validity {
            let mut levels = Vec::new();
            let bits = validity.iter().map(|there| u64::from(*there));
            put_packed_run(bits, 1, &mut levels);
            body.extend((levels.len() as u32).to_le_bytes());
            body.extend(levels);
        }
        body.extend(&self.values);
        for _ in 0..PAGES {
            let mut header = PageHeader::new(PageType::DataPage);
            header.data_page_header = Some(DataPageHeader {
                num_values: PAGE_ROWS as i32,
                encoding: self.encoding,
                definition_level_encoding: Encoding::Rle,
                repetition_level_encoding: Encoding::Rle,
                statistics: None,
            });
            put_page(header, &body, out);
        }
    }
}

fn put_page(mut header: PageHeader, body: &[u8], out: &mut Vec<u8>) {
    header.uncompressed_page_size = body.len() as i32;
    header.compressed_page_size = body.len() as i32;
    out.extend(header.encode());
    out.extend(body);
}

/// A file of `columns`, which are named by their numbers.
///
/// # Errors
/// A type that Parquet does not have.
pub fn file(columns: &[Column]) -> Result<Bytes> {
    let named = columns.iter().enumerate();
    let fields = named.map(|(number, column)| column.field(number.to_string()));
    let elements = schema::encode(&Schema::new(fields.collect()))?;
    let (_, leaves) = schema::decode(&elements, &Limits::default())?;
    let mut bytes = MAGIC.to_vec();
    let mut chunks = Vec::new();
    for (column, leaf) in columns.iter().zip(&leaves) {
        let start = bytes.len();
        column.write(&mut bytes);
        let size = (bytes.len() - start) as i64;
        let metadata = ColumnMetaData {
            physical_type: leaf.physical_type,
            path_in_schema: leaf.path.clone(),
            num_values: ROWS as i64,
            total_compressed_size: size,
            total_uncompressed_size: size,
            data_page_offset: start as i64,
            ..ColumnMetaData::default()
        };
        chunks.push(ColumnChunk {
            meta_data: Some(metadata),
            ..ColumnChunk::default()
        });
    }
    let footer = FileMetaData {
        version: 2,
        schema: elements,
        num_rows: ROWS as i64,
        row_groups: vec![RowGroup {
            columns: chunks,
            num_rows: ROWS as i64,
            ..RowGroup::default()
        }],
        ..FileMetaData::default()
    };
    let footer = footer.encode();
    bytes.extend(&footer);
    bytes.extend(Tail::encode(footer.len() as u32));
    Ok(bytes.into())
}

/// `count` numbers that look random, the same every time.
pub fn random(count: usize) -> impl ExactSizeIterator<Item = u64> {
    let mut state = 42u64;
    (0..count).map(move |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 31 ^ state << 7
    })
}

/// One bit-packed run of values, a multiple of eight of them.
// spec: Encodings.md, "Run Length Encoding / Bit-Packing Hybrid": the lowest bit marks it, the others count eights
fn put_packed_run(values: impl ExactSizeIterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    put_varint(out, (values.len() as u64 / 8) << 1 | 1);
    pack(values, width, out);
}

/// The lowest `width` bits of each value, the first value in the lowest bits.
fn pack(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let (mut bits, mut held) = (0u128, 0);
    for value in values {
        bits |= (u128::from(value) & ((1 << width) - 1)) << held;
        held += width;
        while held >= 8 {
            out.push(bits as u8);
            bits >>= 8;
            held -= 8;
        }
    }
    if held > 0 {
        out.push(bits as u8);
    }
}

/// A page of DELTA_BINARY_PACKED numbers whose differences take `width` bits each.
pub fn deltas(width: u32) -> Vec<u8> {
    put_deltas(1, random(PAGE_ROWS - 1), (0, width))
}

/// A first number and the differences to the ones after it, which are at least `least`, in so many bits.
/// Blocks of 128 in four miniblocks.
// spec: Encodings.md, "Delta Encoding"
fn put_deltas(
    first: i64,
    differences: impl ExactSizeIterator<Item = u64>,
    (least, width): (i64, u32),
) -> Vec<u8> {
    let mut out = Vec::new();
    for number in [128, 4, differences.len() as u64 + 1, zigzag(first)] {
        put_varint(&mut out, number);
    }
    let differences: Vec<u64> = differences.collect();
    for block in differences.chunks(128) {
        put_varint(&mut out, zigzag(least));
        out.extend([width as u8; 4]);
        let above = block
            .iter()
            .map(|difference| difference.wrapping_sub(least as u64));
        pack(
            above.chain(std::iter::repeat_n(0, 128 - block.len())),
            width,
            &mut out,
        );
    }
    out
}

/// A page of DELTA_LENGTH_BYTE_ARRAY values of up to 15 bytes.
pub fn delta_lengths() -> Vec<u8> {
    let lengths: Vec<u64> = random(PAGE_ROWS).map(|value| value % 16).collect();
    let mut out = put_numbers(&lengths);
    out.extend(random(lengths.iter().sum::<u64>() as usize).map(letter));
    out
}

/// A page of DELTA_BYTE_ARRAY values that share up to seven bytes with the one before, and add up to eight.
pub fn delta_byte_arrays() -> Vec<u8> {
    let (mut prefixes, mut suffixes, mut length) = (Vec::new(), Vec::new(), 0);
    for value in random(PAGE_ROWS) {
        let prefix = (value % 8).min(length);
        prefixes.push(prefix);
        suffixes.push((value >> 8) % 9);
        length = prefix + (value >> 8) % 9;
    }
    let mut out = put_numbers(&prefixes);
    out.extend(put_numbers(&suffixes));
    out.extend(random(suffixes.iter().sum::<u64>() as usize).map(letter));
    out
}

fn letter(value: u64) -> u8 {
    b'a' + (value % 26) as u8
}

/// Numbers under 16 as DELTA_BINARY_PACKED: their differences, from -15 to 15, fit 5 bits above -16.
fn put_numbers(numbers: &[u64]) -> Vec<u8> {
    let differences = numbers.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
    put_deltas(numbers[0] as i64, differences, (-16, 5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{open, sum};

    fn total(column: Column) -> f64 {
        let file = open(&file(&[column]).unwrap()).unwrap();
        let batches = file.scan().build().unwrap();
        batches
            .map(|batch| sum::of(&batch.unwrap().columns[0]))
            .sum()
    }

    #[test]
    fn columns_hold_what_was_put_in() {
        let codes: u64 = random(PAGE_ROWS).map(|code| code % 200).sum();
        let plain = (0..200i32).flat_map(i32::to_le_bytes).collect();
        let column = Column::of_codes(LogicalType::Int32, 8, 200, plain);
        assert_eq!(total(column), (PAGES as u64 * codes) as f64);

        let (mut value, mut sum) = (1, 1);
        for difference in random(PAGE_ROWS - 1) {
            value += (difference % 8) as i64;
            sum += value;
        }
        let column = Column::new(LogicalType::Int64, Encoding::DeltaBinaryPacked, deltas(3));
        assert_eq!(total(column), (PAGES as i64 * sum) as f64);
    }

    #[test]
    fn texts_are_as_long_as_they_were_made() {
        let lengths: u64 = random(PAGE_ROWS).map(|value| value % 16).sum();
        let encoding = Encoding::DeltaLengthByteArray;
        let column = Column::new(LogicalType::Binary, encoding, delta_lengths());
        assert_eq!(total(column), (PAGES as u64 * lengths) as f64);

        let (mut length, mut lengths) = (0, 0);
        for value in random(PAGE_ROWS) {
            length = (value % 8).min(length) + (value >> 8) % 9;
            lengths += length;
        }
        let encoding = Encoding::DeltaByteArray;
        let column = Column::new(LogicalType::Binary, encoding, delta_byte_arrays());
        assert_eq!(total(column), (PAGES as u64 * lengths) as f64);
    }

    #[test]
    fn rows_without_a_value_take_none() {
        let validity: Vec<bool> = (0..PAGE_ROWS).map(|row| row % 4 == 0).collect();
        let values = (0..PAGE_ROWS as i64 / 4)
            .flat_map(i64::to_le_bytes)
            .collect();
        let column = Column::new(LogicalType::Int64, Encoding::Plain, values);
        let most = PAGE_ROWS as i64 / 4;
        let sum = PAGES as i64 * most * (most - 1) / 2;
        assert_eq!(total(column.with_validity(validity)), sum as f64);
    }
}
