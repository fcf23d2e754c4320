//! Parquet's structures: what decodes also encodes, to the same; and what is made of it holds.

use std::sync::LazyLock;

use bytes::Bytes;
use lith_format::limits::Limits;
use lith_format::parquet::bloom::{BloomFilter, Probe};
use lith_format::parquet::created_by::CreatedBy;
use lith_format::parquet::footer::{ColumnOrder, FileMetaData, Footer, Tail};
use lith_format::parquet::index::{BloomFilterHeader, ColumnIndex, OffsetIndex};
use lith_format::parquet::page::PageHeader;
use lith_format::parquet::schema::{self, Leaf};
use lith_format::parquet::stats::Trust;
use lith_format::parquet::strides::{Indexes, PageMeta, Place};
use lith_format::parquet::variant::Metadata;
use lith_format::parquet::variant::json::JsonWriter;
use lith_format::parquet::{neutral, notation, tree};
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;

use super::{comes_back, limits};

/// A file in which any chunk has room.
const FILE_SIZE: u64 = 1 << 40;

/// Rows of a row group.
const ROWS: u64 = 1000;

/// Leaves of which pages speak.
static LEAVES: LazyLock<Vec<Leaf>> = LazyLock::new(|| {
    let types = [
        LogicalType::Boolean,
        LogicalType::Int32,
        LogicalType::Int64,
        LogicalType::Float32,
        LogicalType::Float64,
        LogicalType::String,
        LogicalType::Binary,
        LogicalType::Date,
    ];
    let fields = types.map(|ty| Field::nullable(ty.to_string(), ty));
    let elements = schema::encode(&Schema::new(fields.to_vec())).expect("all can be written");
    let (_, leaves) = schema::decode(&elements, &Limits::default()).expect("they can be read");
    leaves
});

fn trusted(accept: impl Fn(&Trust<'_>)) {
    for leaf in LEAVES.iter() {
        let writer = CreatedBy::parse(None);
        accept(&Trust::new(leaf, Some(ColumnOrder::TypeOrder), &writer));
    }
}

pub fn footer(data: &[u8]) {
    let limits = limits();
    let bytes = Bytes::copy_from_slice(data);
    let elements = FileMetaData::decode_schema(&bytes, &limits);
    let Ok(footer) = FileMetaData::decode(&bytes, &limits) else {
        return;
    };
    let elements = elements.expect("less is asked of a schema than of a footer");
    assert_eq!(elements, footer.schema);
    let back = FileMetaData::decode(&footer.encode().into(), &limits);
    comes_back(&footer, &back.expect("what was decoded can be encoded"));
    let lazy = Footer::decode(&bytes, &limits).expect("less is asked of it");
    for (group, chunks) in footer.row_groups.iter().enumerate() {
        for (leaf, chunk) in chunks.columns.iter().enumerate() {
            let found = lazy.chunk(group, leaf).expect("it was decoded before");
            comes_back(chunk, &found.expect("it is there"));
        }
    }
    if let Ok(neutral) = neutral::decode(&footer, FILE_SIZE, data.len() as u64, &limits) {
        assert_eq!(neutral.leaves.len(), neutral.meta.schema.leaves().len());
        notation::notation(&footer.schema);
        for group in &neutral.meta.row_groups {
            assert_eq!(group.chunks.len(), neutral.leaves.len());
        }
    }
}

pub fn tail(data: &[u8]) {
    let (size, last) = match data.split_first_chunk() {
        Some((size, last)) => (u64::from_le_bytes(*size), last),
        None => (data.len() as u64, data),
    };
    if let Ok(tail) = Tail::decode(last, size, &limits()) {
        assert!(tail.footer.start <= tail.footer.end && tail.footer.end < size);
    }
}

pub fn page_header(data: &[u8]) {
    let limits = limits();
    let Ok((header, length)) = PageHeader::decode(data, &limits) else {
        return;
    };
    assert!(length <= data.len());
    let bytes = header.encode();
    let (back, length) = PageHeader::decode(&bytes, &limits).expect("it was decoded before");
    assert_eq!(length, bytes.len());
    comes_back(&header, &back);
    trusted(|trust| {
        PageMeta::of_header(&header, 4..100, Some(10), trust);
    });
}

/// Splits the input into two parts; its first two bytes are the length of the first.
fn two_parts(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, data) = data.split_first_chunk()?;
    let cut = usize::from(u16::from_le_bytes(*length)).min(data.len());
    Some(data.split_at(cut))
}

/// The column index, then the offset index.
pub fn column_index(data: &[u8]) {
    let limits = limits();
    let Some((bounds, offsets)) = two_parts(data) else {
        return;
    };
    let Ok(bounds) = ColumnIndex::decode(&Bytes::copy_from_slice(bounds), &limits) else {
        return;
    };
    let back = ColumnIndex::decode(&bounds.encode().into(), &limits);
    comes_back(&bounds, &back.expect("it was decoded before"));
    let Ok(offsets) = OffsetIndex::decode(&Bytes::copy_from_slice(offsets), &limits) else {
        return;
    };
    let indexes = Indexes {
        offsets,
        bounds,
        rows: ROWS,
    };
    if indexes.validate().is_err() {
        return;
    }
    trusted(|trust| {
        let pages: Vec<_> = (0..).map_while(|page| indexes.page(page, trust)).collect();
        assert_eq!(pages.len(), indexes.bounds.len());
        let rows = pages
            .iter()
            .map(|page| page.rows.clone().expect("an index tells rows"));
        let rows: u64 = rows.map(|rows| rows.end - rows.start).sum();
        assert!(rows == ROWS || pages.is_empty());
    });
}

pub fn offset_index(data: &[u8]) {
    let limits = limits();
    let Ok(index) = OffsetIndex::decode(&Bytes::copy_from_slice(data), &limits) else {
        return;
    };
    let back = OffsetIndex::decode(&index.encode().into(), &limits);
    comes_back(&index, &back.expect("it was decoded before"));
    if index.validate(ROWS).is_ok() {
        let pages = (0..).map_while(|page| Place::of(&index, ROWS, page));
        let rows: u64 = pages.map(|page| page.rows.end - page.rows.start).sum();
        assert!(rows == ROWS || index.page_locations.is_empty());
    }
}

pub fn bloom_filter(data: &[u8]) {
    let limits = limits();
    let Ok((header, length)) = BloomFilterHeader::decode(data, &limits) else {
        return;
    };
    let back = BloomFilterHeader::decode(&header.encode(), &limits);
    let (back, _) = back.expect("it was decoded before");
    comes_back(&header, &back);
    let Some(filter) = BloomFilter::new(&header, Bytes::copy_from_slice(&data[length..])) else {
        return;
    };
    let values = [
        Scalar::Int(7),
        Scalar::Float32(0.0),
        Scalar::Float64(-0.0),
        Scalar::Date(1),
    ];
    for (leaf, value) in LEAVES
        .iter()
        .flat_map(|leaf| values.iter().map(move |v| (leaf, v)))
    {
        if let Some(probe) = Probe::new(value, leaf) {
            probe.may_be_in(&filter);
        }
    }
}

/// The metadata of a variant, then its value: the output is valid JSON, and no longer than the limits allow.
pub fn variant(data: &[u8]) {
    let limits = limits();
    let Some((metadata, value)) = two_parts(data) else {
        return;
    };
    let Ok(names) = Metadata::decode(metadata) else {
        return;
    };
    let mut writer = JsonWriter::new(limits);
    writer.name_by(names);
    writer.allow(metadata.len());
    let mut out = String::new();
    if writer.write(value, 0, &mut out).is_ok() {
        serde_json::from_str::<serde_json::Value>(&out).expect("what is written is JSON");
        assert!(out.len() <= limits.page_bytes + 8 * data.len());
    }
}

/// The first byte says what the others are.
pub fn tree(data: &[u8]) {
    let Some((&kind, data)) = data.split_first() else {
        return;
    };
    let shape = match kind % 5 {
        0 => &tree::FILE_META_DATA,
        1 => &tree::PAGE_HEADER,
        2 => &tree::COLUMN_INDEX,
        3 => &tree::OFFSET_INDEX,
        _ => &tree::BLOOM_FILTER_HEADER,
    };
    if let Ok((_, length)) = tree::decode(data, shape, &limits()) {
        assert!(length <= data.len());
    }
}
