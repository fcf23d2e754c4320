//! How rows lie in pages, and page indexes that are wrong about it.

use lith_format::error::ErrorKind;
use lith_format::parquet::index::{OffsetIndex, PageLocation};

use super::*;

#[test]
fn columns_in_pages_of_other_sizes_stay_in_step() {
    let schema = ["a", "b"].map(|name| leaf(name, Type::Int32, Required));
    let one = v1(70, Encoding::Plain, &numbers(0..70));
    let seven: Vec<u8> = (0..7)
        .flat_map(|page| {
            let first = 1000 + page * 10;
            v1(10, Encoding::Plain, &numbers(first..first + 10))
        })
        .collect();
    let chunks = vec![(one, 70), (seven, 70)];
    let file = open(file(&schema, &[(70, chunks)], |_| {})).unwrap();
    let row = |number: i32| format!("{{\"a\":{number},\"b\":{}}}", number + 1000);
    let expected: Vec<String> = [4, 31, 32, 69].map(row).into();
    let by_a = |value: &Scalar| [4, 31, 32, 69].map(Scalar::Int).contains(value);
    let by_b = |value: &Scalar| [1004, 1031, 1032, 1069].map(Scalar::Int).contains(value);
    assert_eq!(passing(&file, Filter::Opaque, 0, by_a), expected);
    assert_eq!(passing(&file, Filter::Opaque, 1, by_b), expected);
}

/// Pages of lists `[1,2] []`, `[3]`, `null [4,5]`, and where the first row of each page is.
fn pages_of_lists() -> ([Vec<u8>; 3], [i64; 3]) {
    let page = |definition: &[u8], repetition: &[u8], values: &[i32]| {
        let levels = [sized(&packed(repetition, 1)), sized(&packed(definition, 2))];
        let body = [levels.concat(), numbers(values.iter().copied())].concat();
        v1(definition.len() as i32, Encoding::Plain, &body)
    };
    let pages = [
        page(&[2, 2, 1], &[0, 1, 0], &[1, 2]),
        page(&[2], &[0], &[3]),
        page(&[0, 2, 2], &[0, 0, 1], &[4, 5]),
    ];
    (pages, [0, 2, 3])
}

#[test]
fn rows_do_not_move_with_a_wrong_offset_index() {
    let (pages, first_rows) = pages_of_lists();
    let of_list = pages.concat();
    for first_rows in [first_rows, [0, 1, 3], [1, 2, 3], [0, 2, 500], [0, 0, 0]] {
        let mut offset = 4;
        let locations = pages.iter().zip(first_rows).map(|(page, first_row_index)| {
            let location = PageLocation {
                offset,
                compressed_page_size: page.len() as i32,
                first_row_index,
            };
            offset += page.len() as i64;
            location
        });
        let index = OffsetIndex {
            page_locations: locations.collect(),
            unencoded_byte_array_data_bytes: None,
        };
        let index = index.encode();
        let chunk = ([&of_list[..], &index].concat(), 7);
        let bytes = file(&list_of_numbers(), &[(5, vec![chunk])], |footer| {
            metadata(footer).total_compressed_size = of_list.len() as i64;
            let chunk = &mut footer.row_groups[0].columns[0];
            chunk.offset_index_offset = Some(4 + of_list.len() as i64);
            chunk.offset_index_length = Some(index.len() as i32);
        });
        check_every_choice(&bytes, &["[1,2]", "[]", "[3]", "null", "[4,5]"]);
    }
}

#[test]
fn pages_that_begin_with_nulls_keep_their_rows() {
    let pages: [(&[u8], &[i32]); 3] = [(&[1, 0], &[1]), (&[0, 0, 1], &[2]), (&[0, 1], &[3])];
    let of_v1 = pages.map(|(present, values)| {
        let body = [sized(&packed(present, 1)), numbers(values.iter().copied())].concat();
        v1(present.len() as i32, Encoding::Plain, &body)
    });
    let of_v2 = pages.map(|(present, values)| {
        let rows = present.len() as i32;
        let counts = [rows, rows - values.len() as i32, rows];
        let values = numbers(values.iter().copied());
        v2(counts, Encoding::Plain, [&[], &packed(present, 1)], &values)
    });
    for pages in [of_v1, of_v2] {
        let bytes = flat(leaf("a", Type::Int32, Optional), 7, &pages);
        let expected = ["1", "null", "null", "null", "2", "null", "3"];
        check_every_choice(&bytes, &expected);
    }
}

#[test]
fn a_page_of_version_2_may_not_go_on_with_a_row() {
    let page = |repetition: &[u8], rows| {
        let entries = repetition.len() as i32;
        let levels = [&packed(repetition, 1)[..], &packed(&[2, 2], 2)];
        v2(
            [entries, 0, rows],
            Encoding::Plain,
            levels,
            &numbers([1, 2]),
        )
    };
    for rows_said in [1, 2] {
        let pages = [page(&[0, 1], 1), page(&[1, 0], rows_said)].concat();
        let bytes = file(&list_of_numbers(), &[(2, vec![(pages, 4)])], |_| {});
        let file = open(bytes).unwrap();
        for rows in [[true, true], [false, true]] {
            let error = wanted(&file, &rows).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        }
        assert_eq!(wanted(&file, &[true, false]).unwrap(), "[1,2]");
    }
}

#[test]
fn levels_longer_than_their_page_are_corrupt() {
    let good = v2([2, 0, 2], Encoding::Plain, [&[], &[4, 1]], &numbers([1, 2]));
    let (header, length) = PageHeader::decode(&good, &Limits::default()).unwrap();
    let changes: [fn(&mut PageHeader, &mut DataPageHeaderV2); 4] = [
        |_, levels| levels.definition_levels_byte_length = 11,
        |_, levels| levels.repetition_levels_byte_length = i32::MAX,
        |_, levels| levels.definition_levels_byte_length = -1,
        |header, _| header.uncompressed_page_size = 1,
    ];
    for change in changes {
        let mut header = header.clone();
        let mut levels = header.data_page_header_v2.take().unwrap();
        change(&mut header, &mut levels);
        header.data_page_header_v2 = Some(levels);
        let page = [&header.encode()[..], &good[length..]].concat();
        let bytes = flat(leaf("a", Type::Int32, Optional), 2, &[page]);
        assert_eq!(cells(bytes).unwrap_err().kind(), ErrorKind::Corrupt);
    }
    let sound = flat(leaf("a", Type::Int32, Optional), 2, &[good]);
    assert_eq!(cells(sound).unwrap(), "1 2");
}
