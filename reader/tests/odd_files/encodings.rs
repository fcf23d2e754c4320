//! Encodings over several pages, and values that end early.

use lith_format::error::ErrorKind;
use lith_reader::selection::Selection;

use super::*;

#[test]
fn split_bytes_have_a_stride_of_the_values_that_are_there() {
    let page = |present: &[u8], streams: &[u8]| {
        let body = [&sized(&packed(present, 1))[..], streams].concat();
        v1(present.len() as i32, Encoding::ByteStreamSplit, &body)
    };
    let mut column = leaf("f", Type::FixedLenByteArray, Optional);
    column.type_length = Some(2);
    let pages = [
        page(&[1, 0, 1], &[0xaa, 0xcc, 0xbb, 0xdd]),
        page(&[0, 1], &[0xee, 0xff]),
        page(&[0, 0], &[]),
    ];
    let bytes = flat(column, 7, &pages);
    let expected = [
        "\"0xaabb\"",
        "null",
        "\"0xccdd\"",
        "null",
        "\"0xeeff\"",
        "null",
        "null",
    ];
    check_every_choice(&bytes, &expected);
}

fn binary() -> SchemaElement {
    leaf("b", Type::ByteArray, Required)
}

#[test]
fn shared_prefixes_begin_anew_in_each_page() {
    let page = |prefixes: Vec<u8>, suffixes: Vec<u8>, count, bytes: &[u8]| {
        let body = [&prefixes[..], &suffixes, bytes].concat();
        v1(count, Encoding::DeltaByteArray, &body)
    };
    // "ab" and two of it with "c"
    let whole = page(steps(0, 2, 2), steps(2, -1, 2), 2, b"abc");
    let bytes = flat(binary(), 4, &[whole.clone(), whole.clone()]);
    let (short, long) = ("\"0x6162\"", "\"0x616263\"");
    check_every_choice(&bytes, &[short, long, short, long]);
    for prefix in [1, 2, -1, i64::from(i32::MIN)] {
        let wrong = page(steps(prefix, 0, 1), steps(1, 0, 1), 1, b"c");
        let file = open(flat(binary(), 3, &[whole.clone(), wrong])).unwrap();
        for rows in [[true; 3], [false, false, true]] {
            let error = wanted(&file, &rows).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        }
    }
}

/// PARQUET-246: writers took the first prefix of a page from the last value of the page before.
#[test]
fn prefixes_that_go_on_over_pages_are_refused() {
    let page = |prefix: i64, suffix: i64, bytes: &[u8]| {
        let body = [&steps(prefix, 0, 1)[..], &steps(suffix, 0, 1), bytes].concat();
        v1(1, Encoding::DeltaByteArray, &body)
    };
    let pages = [page(0, 2, b"ab"), page(2, 1, b"c"), page(0, 1, b"d")].concat();
    for version in ["1.6.0", "1.8.0"] {
        let bytes = file(&[binary()], &[(3, vec![(pages.clone(), 3)])], |footer| {
            let hash = "32c46643845ea8a705c35d4ec8fc654cc8ff816d";
            footer.created_by = Some(format!("parquet-mr version {version} (build {hash})"));
        });
        let file = open(bytes).unwrap();
        // the page before can be read
        let first = selected(&file, [0, 0], &Selection::all(1)).unwrap();
        assert_eq!(first, ["\"0x6162\""]);
        let error = wanted(&file, &[true; 3]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        assert!(error.to_string().contains("a prefix of 2 bytes"), "{error}");
    }
}

#[test]
fn lengths_of_bytes_that_are_not_there_are_errors_even_if_passed_over() {
    let page = |lengths: Vec<u8>, bytes: &[u8]| {
        v1(
            4,
            Encoding::DeltaLengthByteArray,
            &[&lengths[..], bytes].concat(),
        )
    };
    let whole = page(steps(1, 0, 4), b"abcd");
    let file = open(flat(binary(), 4, &[whole])).unwrap();
    let last = [false, false, false, true];
    assert_eq!(wanted(&file, &last).unwrap(), "\"0x64\"");
    let wrong = [
        (page(steps(5, 0, 4), b"aaaaabbbbb"), ErrorKind::Truncated),
        (page(steps(1, 0, 2), b"ab"), ErrorKind::Truncated),
        (
            page(steps(i64::from(i32::MAX), 0, 4), b"abcd"),
            ErrorKind::Truncated,
        ),
        (page(steps(-1, 0, 4), b"abcd"), ErrorKind::Corrupt),
    ];
    for (page, kind) in wrong {
        let file = open(flat(binary(), 4, &[page])).unwrap();
        for rows in [last, [true; 4]] {
            let error = wanted(&file, &rows).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
        }
    }
}
