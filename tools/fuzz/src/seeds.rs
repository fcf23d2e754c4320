//! What targets begin with: the parts of whole files, each for the target that takes such a part.
//!
//! ```text
//! Parquet   footer, tail, page headers, both indexes, Bloom filters, variants    file -> scan, meta, encrypted
//! ORC       tail, and decompressed: stripe footers, row indexes, Bloom filters, streams of columns; these in chunks, too
//! ```

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use lith_format::limits::Limits;
use lith_format::orc::chunk;
use lith_format::orc::encoding::StreamKind;
use lith_format::orc::tail::Tail;
use lith_format::parquet::footer::{FileMetaData, TAIL_BYTES, Tail as ParquetTail};
use lith_format::parquet::index::BloomFilterHeader;
use lith_format::parquet::neutral::{
    bloom_filter_offset, chunk_range, column_index_range, offset_index_range,
};
use lith_format::parquet::page::PageHeader;
use lith_format::parquet::row_group::ColumnChunk;
use lith_format::scalar::Scalar;
use lith_format::step::Step;
use lith_reader::source::BytesSource;
use lith_reader::{OpenOptions, VariantOutput};

use super::column;
use super::streams::Column;

/// A target's name and bytes for it.
pub type Seed = (&'static str, Vec<u8>);

/// The seeds that a file holds. Parts that cannot be found are left out.
pub fn of(file: &[u8]) -> Vec<Seed> {
    let mut seeds = Vec::new();
    parquet(file, &mut seeds);
    orc(file, &mut seeds);
    for whole in ["scan", "meta"] {
        seeds.push((whole, file.to_vec()));
    }
    if is_encrypted(file) {
        seeds.push(("encrypted", file.to_vec()));
    }
    seeds
}

/// Whether a Parquet file has an encrypted footer, or one that says how columns are encrypted.
fn is_encrypted(file: &[u8]) -> bool {
    let limits = Limits::default();
    let Ok(tail) = ParquetTail::decode(file, file.len() as u64, &limits) else {
        return false;
    };
    let footer = slice(file, tail.footer).map(Bytes::copy_from_slice);
    let footer = footer.and_then(|bytes| FileMetaData::decode(&bytes, &limits).ok());
    file.ends_with(b"PARE") || footer.is_some_and(|footer| footer.encryption_algorithm.is_some())
}

/// A structure for the target of its own, and for the tree of this kind.
fn push(target: &'static str, tree: (&'static str, u8), bytes: &[u8], out: &mut Vec<Seed>) {
    let (name, kind) = tree;
    out.push((target, bytes.to_vec()));
    out.push((name, [&[kind], bytes].concat()));
}

fn slice(file: &[u8], range: Range<u64>) -> Option<&[u8]> {
    let start = usize::try_from(range.start).ok()?;
    file.get(start..usize::try_from(range.end).ok()?)
}

fn parquet(file: &[u8], out: &mut Vec<Seed>) {
    let limits = Limits::default();
    let size = file.len() as u64;
    let Ok(tail) = ParquetTail::decode(file, size, &limits) else {
        return;
    };
    let last = &file[file.len() - TAIL_BYTES..];
    out.push(("parquet_tail", [&size.to_le_bytes()[..], last].concat()));
    let Some(bytes) = slice(file, tail.footer) else {
        return;
    };
    push("parquet_footer", ("parquet_tree", 0), bytes, out);
    let Ok(footer) = FileMetaData::decode(&Bytes::copy_from_slice(bytes), &limits) else {
        return;
    };
    for chunk in footer.row_groups.iter().flat_map(|group| &group.columns) {
        parquet_chunk(file, chunk, out);
    }
    variants(file, out);
}

/// Some variants of each column, with their metadata.
fn variants(file: &[u8], out: &mut Vec<Seed>) {
    const ROWS: u64 = 100;
    let mut options = OpenOptions::default();
    options.variants = VariantOutput::Raw;
    let source = Arc::new(BytesSource::new(file.to_vec(), "seed"));
    let Ok(file) = options.open_source(source) else {
        return;
    };
    for (column, field) in file.schema().fields.iter().enumerate() {
        let names = field.ty.fields().iter().map(|field| field.name.as_str());
        if !names.take(2).eq(["metadata", "value"]) {
            continue;
        }
        let Ok(scan) = file.scan().columns([column]).limit(ROWS).build() else {
            continue;
        };
        for batch in scan.map_while(Result::ok) {
            let rows = (0..batch.rows).map(|row| batch.columns[0].value(row));
            out.extend(rows.filter_map(variant));
        }
    }
}

fn variant(stored: Scalar) -> Option<Seed> {
    let Scalar::Struct(fields) = stored else {
        return None;
    };
    let [
        (_, Scalar::Binary(metadata)),
        (_, Scalar::Binary(value)),
        ..,
    ] = &fields[..]
    else {
        return None;
    };
    let length = u16::try_from(metadata.len()).ok()?.to_le_bytes();
    Some(("variant", [&length[..], metadata, value].concat()))
}

fn parquet_chunk(file: &[u8], chunk: &ColumnChunk, out: &mut Vec<Seed>) {
    let size = file.len() as u64;
    let index = |range: Option<Range<u64>>| range.and_then(|range| slice(file, range));
    let bounds = index(column_index_range(chunk, size));
    let offsets = index(offset_index_range(chunk, size));
    if let (Some(bounds), Some(offsets)) = (bounds, offsets) {
        let length = (bounds.len() as u16).to_le_bytes();
        let both = [&length[..], bounds, offsets].concat();
        out.push(("parquet_column_index", both));
        out.push(("parquet_tree", [&[2], bounds].concat()));
        push("parquet_offset_index", ("parquet_tree", 3), offsets, out);
    }
    let Some(meta) = &chunk.meta_data else {
        return;
    };
    if let Some(offset) = bloom_filter_offset(meta, size) {
        bloom_filter(&file[offset as usize..], out);
    }
    if let Ok(Some(pages)) = chunk_range(meta, size).map(|range| slice(file, range)) {
        page_headers(pages, out);
    }
}

fn bloom_filter(bytes: &[u8], out: &mut Vec<Seed>) {
    if let Ok((header, length)) = BloomFilterHeader::decode(bytes, &Limits::default()) {
        let end = length.saturating_add(usize::try_from(header.num_bytes).unwrap_or(0));
        let bytes = &bytes[..end.min(bytes.len())];
        push("parquet_bloom_filter", ("parquet_tree", 4), bytes, out);
    }
}

fn page_headers(mut pages: &[u8], out: &mut Vec<Seed>) {
    while let Ok((header, length)) = PageHeader::decode(pages, &Limits::default()) {
        let (bytes, rest) = pages.split_at(length);
        push("parquet_page_header", ("parquet_tree", 1), bytes, out);
        let size = usize::try_from(header.compressed_page_size).unwrap_or(usize::MAX);
        pages = rest.get(size..).unwrap_or_default();
    }
}

fn orc(file: &[u8], out: &mut Vec<Seed>) {
    let size = file.len() as u64;
    let Ok(Step::Done(tail)) = Tail::decode(file, size, &Limits::default()) else {
        return;
    };
    if let Some(bytes) = slice(file, tail.metadata_range().start..size) {
        out.push(("orc_tail", bytes.to_vec()));
    }
    if let Some(bytes) = slice(file, tail.postscript_range()) {
        out.push(("orc_tree", [&[0], bytes].concat()));
    }
    for (kind, range) in [(1, tail.footer_range()), (2, tail.metadata_range())] {
        if let Some(bytes) = section(file, range, &tail) {
            out.push(("orc_tree", [&[kind], &bytes[..]].concat()));
        }
    }
    for ordinal in 0..tail.footer.stripes.len() {
        orc_stripe(file, &tail, ordinal, out);
    }
}

fn orc_stripe(file: &[u8], tail: &Tail, ordinal: usize, out: &mut Vec<Seed>) {
    let stripe = &tail.footer.stripes[ordinal];
    let Some(bytes) = section(file, stripe.footer_range(), tail) else {
        return;
    };
    push("orc_stripe_footer", ("orc_tree", 3), &bytes, out);
    let Some(stored) = slice(file, stripe.footer_range()) else {
        return;
    };
    let Ok(footer) = tail.stripe_footer(ordinal, stored, &Limits::default()) else {
        return;
    };
    let (mut streams, mut chunked) = (Vec::new(), Vec::new());
    for (stream, range) in footer.stream_ranges(stripe) {
        let Some(bytes) = section(file, range.clone(), tail) else {
            continue;
        };
        match stream.kind {
            StreamKind::RowIndex => push("orc_row_index", ("orc_tree", 4), &bytes, out),
            StreamKind::BloomFilter | StreamKind::BloomFilterUtf8 => {
                out.push(("orc_bloom_filter", bytes));
            }
            _ => {
                let stored = slice(file, range).unwrap_or_default();
                chunked.push((stream.column, stream.kind, stored.to_vec()));
                streams.push((stream.column, stream.kind, bytes));
            }
        }
    }
    let types = &tail.footer.types;
    for (id, (ty, encoding)) in types.iter().zip(&footer.columns).enumerate().skip(1) {
        let rows = stripe.number_of_rows;
        if let Some(seed) = column::seed(types, id, rows, (&footer, &streams)) {
            out.push(("orc_column", seed));
        }
        let column = Column {
            ty,
            id: id as u32,
            rows,
            encoding,
        };
        out.extend(column.seeds(&streams));
        out.extend(column.chunk_seeds(tail.postscript.compression, &chunked));
    }
}

/// What lies in compression chunks there.
fn section(file: &[u8], range: Range<u64>, tail: &Tail) -> Option<Vec<u8>> {
    let bytes = slice(file, range)?;
    let limit = Limits::default().footer_bytes;
    let bytes = chunk::decode_all(bytes, tail.compression, limit).ok()?;
    Some(bytes.into_owned())
}
