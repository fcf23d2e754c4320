//! Counts and sizes that are declared and not there.

use lith_format::error::ErrorKind;
use lith_format::parquet::encoding::CompressionCodec;

use super::*;

const MANY: i32 = i32::MAX;

#[test]
fn counts_without_values_are_errors() {
    let column = || leaf("a", Type::Int32, Required);
    let one = numbers([1]);
    let code = v1(1, Encoding::RleDictionary, &[0, 2]);
    // widths of 64 bits, and no miniblock
    let mut differences = Vec::new();
    for number in [128, 4, 1 << 31, 0, 0] {
        put_varint(&mut differences, number);
    }
    differences.extend([64; 4]);
    let cases = [
        (1, vec![dictionary(MANY, &one), code]),
        (MANY, vec![v1(MANY, Encoding::Plain, &one)]),
        (
            MANY,
            vec![v1(MANY, Encoding::DeltaBinaryPacked, &differences)],
        ),
        (MANY, vec![v1(MANY, Encoding::ByteStreamSplit, &one)]),
    ];
    for (rows, pages) in cases {
        let file = open(flat(column(), rows.into(), &pages)).unwrap();
        let mut scan = file.scan().build().unwrap();
        let error = scan.find_map(|batch| batch.err()).unwrap();
        assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
    }
}

#[test]
fn pages_that_say_they_are_huge_are_refused() {
    let page = v1(1, Encoding::Plain, &[1, 0, 1, 0]);
    let (mut header, length) = PageHeader::decode(&page, &Limits::default()).unwrap();
    header.uncompressed_page_size = MANY;
    let huge = [&header.encode()[..], &page[length..]].concat();
    let chunk = vec![(huge, 1)];
    let schema = [leaf("a", Type::Int32, Required)];
    let bytes = file(&schema, &[(1, chunk)], |footer| {
        metadata(footer).codec = CompressionCodec::Snappy;
    });
    let error = cells(bytes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}
