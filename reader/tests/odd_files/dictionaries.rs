//! Dictionaries beside nulls, and those of several row groups.

use lith_format::compress::{Codec, compress};
use lith_format::error::ErrorKind;
use lith_format::parquet::encoding::CompressionCodec;
use lith_format::schema::LeafId;

use super::*;

fn text(repetition: FieldRepetitionType) -> SchemaElement {
    let mut column = leaf("s", Type::ByteArray, repetition);
    column.converted_type = Some(ConvertedType::Utf8);
    column
}

/// A page of nullable codes of one bit.
fn codes(present: &[u8], codes: &[u8]) -> Vec<u8> {
    let body = [&sized(&packed(present, 1))[..], &[1], &packed(codes, 1)].concat();
    v1(present.len() as i32, Encoding::RleDictionary, &body)
}

#[test]
fn nulls_are_not_the_first_entry_of_a_dictionary() {
    let pages = [
        dictionary(2, &texts(&["", "a"])),
        codes(&[1, 0, 1, 0, 1], &[0, 1, 0]),
    ];
    let bytes = flat(text(Optional), 5, &pages);
    check_every_choice(&bytes, &["\"\"", "null", "\"a\"", "null", "\"\""]);
    let file = open(bytes).unwrap();
    let not_empty = |value: &Scalar| !value.is_null() && *value != Scalar::string("");
    let rows = passing(&file, Filter::Opaque, 0, not_empty);
    assert_eq!(rows, ["{\"s\":\"a\"}"]);
    let is_null = Filter::IsNull(LeafId(0));
    let rows = passing(&file, is_null, 0, Scalar::is_null);
    assert_eq!(rows, ["{\"s\":null}"; 2]);
}

#[test]
fn nan_in_a_dictionary_is_not_null() {
    let pages = [
        dictionary(1, &f64::NAN.to_le_bytes()),
        codes(&[1, 0, 1], &[0, 0]),
    ];
    let file = open(flat(leaf("x", Type::Double, Optional), 3, &pages)).unwrap();
    let is_null = || Filter::IsNull(LeafId(0));
    assert_eq!(passing(&file, is_null(), 0, Scalar::is_null).len(), 1);
    let not_null = Filter::Not(Box::new(is_null()));
    assert_eq!(
        passing(&file, not_null, 0, |value| !value.is_null()).len(),
        2
    );
}

#[test]
fn each_row_group_has_its_own_dictionary() {
    let coded = |entries: &[&str], section: &[u8]| {
        let page = v1(2, Encoding::RleDictionary, section);
        [dictionary(entries.len() as i32, &texts(entries)), page].concat()
    };
    let chunks = [
        coded(&["x", "y"], &[&[1], &packed(&[0, 1], 1)[..]].concat()),
        coded(&["z"], &[0, 4]),
        v1(2, Encoding::Plain, &texts(&["p", "q"])),
        coded(&["y", "x"], &[&[1], &packed(&[0, 1], 1)[..]].concat()),
    ];
    let groups = chunks.map(|pages| (2, vec![(pages, 2)]));
    let bytes = file(&[text(Required)], &groups, |_| {});
    let expected = ["x", "y", "z", "z", "p", "q", "y", "x"];
    let expected = expected.map(|text| format!("{{\"s\":\"{text}\"}}"));
    let file = open(bytes).unwrap();
    for threads in [1, 3] {
        let scan = file.scan().threads(threads).build().unwrap();
        assert_eq!(rows(scan).unwrap(), expected);
    }
}

/// Body of a page in a chunk of such a codec.
fn packed_by(codec: Codec, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match codec {
        Codec::None => out.extend(body),
        codec => compress(codec, None, body, &mut out).unwrap(),
    }
    out
}

/// The page with its body in place of the one it was made with.
fn with_body(page: &[u8], body: &[u8]) -> Vec<u8> {
    let (mut header, _) = PageHeader::decode(page, &Limits::default()).unwrap();
    header.compressed_page_size = body.len() as i32;
    [&header.encode()[..], body].concat()
}

#[test]
fn pages_of_nulls_need_no_codes_and_no_dictionary() {
    let codecs = [
        (Codec::None, CompressionCodec::Uncompressed),
        (Codec::Snappy, CompressionCodec::Snappy),
        (Codec::Gzip, CompressionCodec::Gzip),
        (Codec::Zstd, CompressionCodec::Zstd),
    ];
    // nothing, no bits, a run of no groups, and runs of no values
    let sections: [&[u8]; 5] = [&[], &[0], &[1, 1], &[8, 1], &[1, 0, 0]];
    for (codec, number) in codecs {
        let empty = dictionary(0, &[]);
        let dictionaries = [
            Vec::new(),
            empty.clone(),
            with_body(&empty, &packed_by(codec, &[])),
        ];
        for (dictionary, section) in dictionaries.iter().flat_map(|d| sections.map(|s| (d, s))) {
            let body = [&sized(&[6, 0])[..], section].concat();
            let of_v1 = v1(3, Encoding::RleDictionary, &body);
            let of_v1 = with_body(&of_v1, &packed_by(codec, &body));
            let of_v2 = v2([3, 3, 3], Encoding::RleDictionary, [&[], &[6, 0]], section);
            let compressed = [&[6, 0], &packed_by(codec, section)[..]].concat();
            let mut data = vec![of_v1, with_body(&of_v2, &compressed)];
            if section.is_empty() {
                // whether it is compressed or not, it is nothing
                data.push(of_v2);
            }
            for page in data {
                let pages = [&dictionary[..], &page].concat();
                let bytes = file(&[text(Optional)], &[(3, vec![(pages, 3)])], |footer| {
                    metadata(footer).codec = number;
                });
                let read = cells(bytes);
                let case = format!("{codec:?} {dictionary:?} {section:?}");
                assert_eq!(read.expect(&case), "null null null", "{case}");
            }
        }
    }
}

#[test]
fn codes_without_a_dictionary_are_corrupt() {
    let page = codes(&[1, 0, 1], &[0, 0]);
    let bytes = flat(text(Optional), 3, &[page]);
    assert_eq!(cells(bytes).unwrap_err().kind(), ErrorKind::Corrupt);
}

#[test]
fn codes_of_no_bits_are_runs_without_a_value() {
    let page = |section: &[u8]| v1(3, Encoding::RleDictionary, section);
    let entry = dictionary(1, &texts(&["a"]));
    // a run of three, runs of one and two, and a group of eight that is packed in no bytes
    for section in [&[0, 6][..], &[0, 2, 4], &[0, 3]] {
        let bytes = flat(text(Required), 3, &[entry.clone(), page(section)]);
        check_every_choice(&bytes, &["\"a\""; 3]);
    }
    // no run, and a run that is too short
    for section in [&[0][..], &[0, 4]] {
        let file = open(flat(text(Required), 3, &[entry.clone(), page(section)])).unwrap();
        for rows in [[true; 3], [false, false, true]] {
            let error = wanted(&file, &rows).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Truncated, "{section:?}");
        }
    }
}
