//! Decimals whose values have scales of their own.

use lith_format::error::ErrorKind;

use super::*;

/// Unscaled values with their scales, in a column that declares precision and scale.
fn decimals(declared: Option<(u32, u32)>, values: &[(i64, i64)]) -> Vec<u8> {
    let mut types = flat(TypeKind::Decimal);
    types[1].precision = declared.map(|declared| declared.0);
    types[1].scale = declared.map(|declared| declared.1);
    let mut data = Vec::new();
    values
        .iter()
        .for_each(|value| put_varint(&mut data, zigzag(value.0)));
    let scales: Vec<i64> = values.iter().map(|value| value.1).collect();
    let streams = vec![(1, Data, data), (1, Secondary, signed(&scales))];
    file(types, vec![stripe(values.len() as u64, streams)])
}

#[test]
fn decimals_have_the_declared_scale_whatever_is_stored() {
    let values = [(1, 0), (-120, 2), (5, 1), (1_000, 3)];
    let bytes = decimals(Some((10, 2)), &values);
    check_every_choice(&bytes, &["\"1.00\"", "\"-1.20\"", "\"0.50\"", "\"1.00\""]);
    let whole = decimals(Some((10, 0)), &[(7, 0), (70, 1)]);
    assert_eq!(cells(whole).unwrap(), "\"7\" \"7\"");
    let error = cells(decimals(Some((4, 2)), &[(12_345, 2)])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
}

#[test]
fn zeros_behind_are_dropped_and_other_digits_are_not() {
    let expected = ["\"1.50\"", "\"-0.20\"", "\"0.00\"", "\"7.00\"", "\"30.00\""];
    let values = [(1_500, 3), (-20_000, 5), (0, 40), (7, 0), (3, -1)];
    // 32, 64 and 128 bits
    for precision in [9, 18, 38] {
        check_every_choice(&decimals(Some((precision, 2)), &values), &expected);
        // Java's reader has no place for such short decimals either; of long ones it keeps the digits, which the
        // column's type does not have
        let error = cells(decimals(Some((precision, 2)), &[(150, 2), (1_505, 3)])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.message().contains("of scale 3"), "{error}");
    }
    // with its zeros, a value may have more digits than its type
    let error = cells(decimals(Some((4, 2)), &[(123, 0)])).unwrap_err();
    assert!(error.message().contains("precision"), "{error}");
    assert_eq!(
        cells(decimals(Some((4, 2)), &[(12, 0)])).unwrap(),
        "\"12.00\""
    );
}

#[test]
fn decimals_of_hive_0_11_declare_nothing() {
    let expected = "\"1.000000000000000000\" \"-1.200000000000000000\"";
    for declared in [None, Some((0, 0))] {
        let bytes = decimals(declared, &[(1, 0), (-120, 2)]);
        assert_eq!(cells(bytes).unwrap(), expected);
    }
}

#[test]
fn integers_of_the_second_version_follow_deltas_and_patches() {
    let integers = |data: &[u8], count: u64| {
        let mut stripe = stripe(count, vec![(1, Data, data.to_vec())]);
        stripe.encodings.push((1, EncodingKind::DirectV2, 0));
        cells(file(flat(TypeKind::Long), vec![stripe]))
    };
    // the specification's examples: a delta run, then a run of a fixed delta, whose width is 0
    let primes = [0xc6, 0x09, 0x04, 0x02, 0x22, 0x42, 0x42, 0x46];
    assert_eq!(integers(&primes, 10).unwrap(), "2 3 5 7 11 13 17 19 23 29");
    assert_eq!(
        integers(&[0xc0, 0x04, 0x14, 0x04], 5).unwrap(),
        "10 12 14 16 18"
    );
    assert_eq!(
        integers(&[0xc0, 0x04, 0x14, 0x00], 5).unwrap(),
        "10 10 10 10 10"
    );
    let patched = [
        0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46, 0x50,
        0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8,
    ];
    let found = integers(&patched, 20).unwrap();
    assert!(
        found.starts_with("2030 2000 2020 1000000 2040 2050"),
        "{found}"
    );
}
