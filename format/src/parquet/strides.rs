//! What the page indexes or a page header say of a data page: its place, its rows and its statistics.
//!
//! ```text
//! offset index   place, size, first row    \
//! column index   null page, bounds, counts  >  PageMeta: place, rows, trusted statistics
//! page header    values or rows, statistics /
//! ```
//! Headers of version 1 data pages count slots, which are rows only where the leaf is not repeated.
// spec: PageIndex.md; parquet.thrift, PageHeader

use std::ops::Range;

use crate::error::Result;
use crate::parquet::index::{ColumnIndex, OffsetIndex};
use crate::parquet::page::PageHeader;
use crate::parquet::statistics::Statistics;
use crate::parquet::stats::Trust;
use crate::stats::{ColumnStats, Trusted};

/// A data page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageMeta {
    /// Where its header and bytes lie in the file.
    pub range: Range<u64>,
    /// Its rows, counted from the start of the row group, if known.
    pub rows: Option<Range<u64>>,
    /// Bounds and counts that are true of its rows.
    pub stats: ColumnStats,
    /// Why bounds that the file holds are not in `stats`, if so.
    pub distrust: Option<&'static str>,
}

/// Both page indexes of a chunk.
#[derive(Debug)]
pub struct Indexes {
    /// Where its data pages are.
    pub offsets: OffsetIndex,
    /// Their bounds and null counts.
    pub bounds: ColumnIndex,
    /// The rows of its row group.
    pub rows: u64,
}

impl Indexes {
    /// # Errors
    /// Indexes that contradict themselves, each other or the row group.
    pub fn validate(&self) -> Result<()> {
        self.offsets.validate(self.rows)?;
        self.bounds.validate(self.offsets.page_locations.len())
    }

    /// Data page `ordinal` of the chunk, from 0; none if there are not so many. The indexes have been
    /// validated: pages come in the order in which they lie in the file.
    pub fn page(&self, ordinal: usize, trust: &Trust<'_>) -> Option<PageMeta> {
        let Place { range, rows } = Place::of(&self.offsets, self.rows, ordinal)?;
        let slots = trust.is_flat().then_some(rows.end - rows.start);
        let Trusted { stats, distrust } = trust.check_page(&self.bounds, ordinal, slots);
        Some(PageMeta {
            range,
            rows: Some(rows),
            stats,
            distrust,
        })
    }
}

/// Where a data page lies and which rows it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Where its header and bytes lie in the file.
    pub range: Range<u64>,
    /// Its rows, counted from the start of the row group.
    pub rows: Range<u64>,
}

impl Place {
    /// What a validated offset index says of data page `ordinal`; none if it lists fewer pages. `rows` are
    /// those of the row group.
    pub fn of(offsets: &OffsetIndex, rows: u64, ordinal: usize) -> Option<Place> {
        let first_row = |page: usize| {
            let location = offsets.page_locations.get(page)?;
            u64::try_from(location.first_row_index).ok()
        };
        let location = offsets.page_locations.get(ordinal)?;
        let start = location.offset.unsigned_abs();
        let size = u64::from(location.compressed_page_size.unsigned_abs());
        Some(Place {
            range: start..start.saturating_add(size),
            rows: first_row(ordinal).unwrap_or(0)..first_row(ordinal + 1).unwrap_or(rows),
        })
    }
}

impl PageMeta {
    /// What `header` says of the page at `range`, if it is a data page. `first_row` is its first row, if known.
    pub fn of_header(
        header: &PageHeader,
        range: Range<u64>,
        first_row: Option<u64>,
        trust: &Trust<'_>,
    ) -> Option<PageMeta> {
        let (slots, rows, statistics) = data(header)?;
        let slots = u64::try_from(slots).ok();
        let rows = match rows {
            Some(rows) => u64::try_from(rows).ok(),
            None => slots.filter(|_| trust.is_flat()),
        };
        let Trusted { stats, distrust } = trust.check(statistics, slots);
        Some(PageMeta {
            range,
            rows: first_row.and_then(|first| Some(first..first.checked_add(rows?)?)),
            stats,
            distrust,
        })
    }
}

/// Slots, rows (version 2 only) and statistics of a data page.
fn data(header: &PageHeader) -> Option<(i32, Option<i32>, Option<&Statistics>)> {
    if let Some(data) = &header.data_page_header_v2 {
        let rows = Some(data.num_rows);
        return Some((data.num_values, rows, data.statistics.as_ref()));
    }
    let data = header.data_page_header.as_ref()?;
    Some((data.num_values, None, data.statistics.as_ref()))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::parquet::created_by::CreatedBy;
    use crate::parquet::encoding::{BoundaryOrder, Encoding, PageType, Type};
    use crate::parquet::footer::ColumnOrder;
    use crate::parquet::index::PageLocation;
    use crate::parquet::page::{DataPageHeader, DataPageHeaderV2};
    use crate::parquet::schema::Leaf;
    use crate::parquet::testing;
    use crate::scalar::Scalar;
    use crate::types::LogicalType;

    fn leaf(repeated: bool) -> Leaf {
        let leaf = testing::leaf(Type::Int32, 0, LogicalType::Int32);
        Leaf {
            max_repetition_level: u16::from(repeated),
            ..leaf
        }
    }

    fn trust(leaf: &Leaf) -> Trust<'_> {
        Trust::new(leaf, Some(ColumnOrder::TypeOrder), &CreatedBy::parse(None))
    }

    fn four(value: i32) -> Bytes {
        Bytes::copy_from_slice(&value.to_le_bytes())
    }

    fn offsets() -> OffsetIndex {
        let page = |offset, first_row_index| PageLocation {
            offset,
            compressed_page_size: 10,
            first_row_index,
        };
        OffsetIndex {
            page_locations: vec![page(4, 0), page(14, 3)],
            unencoded_byte_array_data_bytes: None,
        }
    }

    fn bounds() -> ColumnIndex {
        ColumnIndex {
            null_pages: vec![false, true],
            min_values: vec![four(1), Bytes::new()],
            max_values: vec![four(7), Bytes::new()],
            boundary_order: BoundaryOrder::Ascending,
            null_counts: Some(vec![1, 2]),
            repetition_level_histograms: None,
            definition_level_histograms: None,
            nan_counts: None,
        }
    }

    fn indexes(rows: u64) -> Indexes {
        Indexes {
            offsets: offsets(),
            bounds: bounds(),
            rows,
        }
    }

    /// All pages of a row group of five rows.
    fn pages(trust: &Trust<'_>) -> Vec<PageMeta> {
        let indexes = indexes(5);
        indexes.validate().unwrap();
        (0..).map_while(|page| indexes.page(page, trust)).collect()
    }

    #[test]
    fn indexes_give_place_rows_and_statistics() {
        let leaf = leaf(false);
        let pages = pages(&trust(&leaf));
        assert_eq!((&pages[0].range, &pages[0].rows), (&(4..14), &Some(0..3)));
        assert_eq!((&pages[1].range, &pages[1].rows), (&(14..24), &Some(3..5)));
        let max = pages[0].stats.max.as_ref().unwrap();
        assert_eq!(max.value, Scalar::Int(7));
        assert_eq!(pages[0].stats.null_count, Some(1));
        assert!(pages[1].stats.all_null());
        assert!(indexes(3).validate().is_err());
        let mut short = indexes(5);
        short.bounds.null_pages.pop();
        assert!(short.validate().is_err());
    }

    #[test]
    fn bounds_of_pages_may_overlap_and_those_of_pages_of_nulls_are_none() {
        let leaf = leaf(false);
        let mut indexes = indexes(5);
        let third = PageLocation {
            offset: 24,
            compressed_page_size: 10,
            first_row_index: 4,
        };
        indexes.offsets.page_locations.push(third);
        indexes.bounds = ColumnIndex {
            null_pages: vec![false, true, false],
            min_values: vec![four(1), four(0), four(2)],
            max_values: vec![four(9), four(0), four(3)],
            null_counts: Some(vec![0, 1, 0]),
            ..indexes.bounds
        };
        indexes.validate().unwrap();
        let trust = trust(&leaf);
        let bounds = |page| {
            let stats = indexes.page(page, &trust).unwrap().stats;
            let value = |bound: Option<crate::stats::Bound>| bound.map(|bound| bound.value);
            (value(stats.min), value(stats.max))
        };
        let both = |min, max| (Some(Scalar::Int(min)), Some(Scalar::Int(max)));
        assert_eq!(bounds(0), both(1, 9));
        assert_eq!(bounds(1), (None, None));
        assert_eq!(bounds(2), both(2, 3));
    }

    #[test]
    fn distrusted_bounds_give_a_reason() {
        let leaf = leaf(false);
        let order = Some(ColumnOrder::Other(0));
        let trust = Trust::new(&leaf, order, &CreatedBy::parse(None));
        let pages = pages(&trust);
        assert_eq!((&pages[0].stats.min, &pages[0].stats.max), (&None, &None));
        assert!(pages[0].distrust.is_some() && pages[1].distrust.is_none());
    }

    fn header(v2: bool) -> PageHeader {
        let statistics = Some(Statistics {
            max_value: Some(four(9).as_ref().into()),
            min_value: Some(four(2).as_ref().into()),
            null_count: Some(1),
            ..Statistics::default()
        });
        PageHeader {
            page_type: if v2 {
                PageType::DataPageV2
            } else {
                PageType::DataPage
            },
            uncompressed_page_size: 5,
            compressed_page_size: 5,
            crc: None,
            data_page_header: (!v2).then(|| DataPageHeader {
                num_values: 4,
                encoding: Encoding::Plain,
                definition_level_encoding: Encoding::Rle,
                repetition_level_encoding: Encoding::Rle,
                statistics: statistics.clone(),
            }),
            index_page_header: None,
            dictionary_page_header: None,
            data_page_header_v2: v2.then_some(DataPageHeaderV2 {
                num_values: 4,
                num_nulls: 1,
                num_rows: 2,
                encoding: Encoding::Plain,
                definition_levels_byte_length: 0,
                repetition_levels_byte_length: 0,
                is_compressed: None,
                statistics,
            }),
        }
    }

    #[test]
    fn headers_count_slots_or_rows() {
        for (v2, repeated, rows) in [
            (false, false, Some(10..14)),
            (false, true, None),
            (true, true, Some(10..12)),
        ] {
            let leaf = leaf(repeated);
            let page = PageMeta::of_header(&header(v2), 4..20, Some(10), &trust(&leaf)).unwrap();
            assert_eq!((page.range, page.rows), (4..20, rows));
            assert_eq!(page.stats.min.unwrap().value, Scalar::Int(2));
            assert_eq!((page.stats.null_count, page.distrust), (Some(1), None));
        }
        let (leaf, mut dictionary) = (leaf(false), header(false));
        dictionary.data_page_header = None;
        let page = PageMeta::of_header(&dictionary, 4..20, None, &trust(&leaf));
        assert_eq!(page, None);
    }
}
