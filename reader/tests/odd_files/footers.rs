//! Footers whose places and sizes are wrong, and tables without rows or columns.

use lith_format::error::ErrorKind;

use super::*;

fn number() -> SchemaElement {
    leaf("a", Type::Int32, Required)
}

/// A dictionary of 7 and 8, and a page of 8 and 7.
fn coded() -> [Vec<u8>; 2] {
    let section = [&[1], &packed(&[1, 0], 1)[..]].concat();
    let data = v1(2, Encoding::RleDictionary, &section);
    [dictionary(2, &numbers([7, 8])), data]
}

/// A file of these pages.
fn of_coded(edit: impl FnOnce(&mut FileMetaData)) -> Vec<u8> {
    file(&[number()], &[(2, vec![(coded().concat(), 2)])], edit)
}

#[test]
fn sizes_that_leave_out_the_dictionary_s_header_are_read_of_old_writers() {
    let [dictionary, _] = coded();
    let header = dictionary.len() - 8;
    let by = |writer: &str| {
        of_coded(|footer| {
            footer.created_by = Some(writer.into());
            metadata(footer).total_compressed_size -= header as i64;
        })
    };
    assert_eq!(cells(by("parquet-mr version 1.2.8")).unwrap(), "8 7");
    let error = cells(by("parquet-mr version 1.12.0")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated);
}

#[test]
fn a_chunk_is_found_by_whichever_offset_is_there() {
    let [dictionary, _] = coded();
    let data = 4 + dictionary.len() as i64;
    let offsets = [
        (Some(4), data),
        (None, 4),
        (Some(0), 4),
        (Some(4), 0),
        (Some(4), 4),
        (Some(4), data + 3),
        (Some(data), 4),
    ];
    for (dictionary, data) in offsets {
        let bytes = of_coded(|footer| {
            let metadata = metadata(footer);
            metadata.dictionary_page_offset = dictionary;
            metadata.data_page_offset = data;
        });
        let read = cells(bytes);
        assert_eq!(read.unwrap(), "8 7", "{dictionary:?} {data}");
    }
}

#[test]
fn places_of_row_groups_and_of_metadata_beside_chunks_do_not_matter() {
    for offset in [0, -1, 5, 1 << 40, i64::MAX] {
        let bytes = of_coded(|footer| {
            let group = &mut footer.row_groups[0];
            group.file_offset = Some(offset);
            group.total_compressed_size = Some(offset);
            group.total_byte_size = offset;
            group.columns[0].file_offset = offset;
        });
        assert_eq!(cells(bytes).unwrap(), "8 7", "{offset}");
    }
}

#[test]
fn row_groups_may_have_no_rows_and_files_no_row_groups() {
    let two = v1(2, Encoding::Plain, &numbers([1, 2]));
    let nothing = v1(0, Encoding::Plain, &[]);
    let groups = [
        (0, vec![(Vec::new(), 0)]),
        (2, vec![(two, 2)]),
        (0, vec![(nothing, 0)]),
    ];
    let bytes = file(&[number()], &groups, |footer| {
        let empty = footer.row_groups[0].columns[0].meta_data.as_mut();
        empty.unwrap().data_page_offset = 0;
    });
    assert_eq!(cells(bytes.clone()).unwrap(), "1 2");
    for threads in [1, 2] {
        let scan = open(bytes.clone()).unwrap().scan().threads(threads);
        let all = rows(scan.build().unwrap()).unwrap();
        assert_eq!(all, ["{\"a\":1}", "{\"a\":2}"]);
    }
    let none = open(file(&[number()], &[], |_| {})).unwrap();
    assert_eq!((none.rows(), none.schema().leaf_count()), (0, 1));
    assert!(none.scan().build().unwrap().next().is_none());
}

#[test]
fn rows_without_columns_are_counted() {
    for children in [None, Some(0)] {
        let bytes = file(&[], &[(3, vec![]), (4, vec![])], |footer| {
            footer.schema[0].num_children = children;
        });
        let file = open(bytes).unwrap();
        assert_eq!(file.rows(), 7);
        let batches = file.scan().build().unwrap();
        assert_eq!(batches.map(|batch| batch.unwrap().rows).sum::<usize>(), 7);
        let limited = file.scan().limit(5).build().unwrap();
        assert_eq!(rows(limited).unwrap(), ["{}"; 5]);
    }
}
