//! ALP as another writer encodes it: `fixtures/alp.parquet` holds the same numbers in ALP and in PLAIN, among them
//! decimals, NaN, infinities, -0.0, random bits and nulls. Written with the `parquet` crate 60.1.

#![expect(clippy::unwrap_used, reason = "a test helper's panic is a failed test")]

use std::path::Path;

use lith_format::scalar::Scalar;
use lith_format::schema::LeafId;
use lith_reader::File;

fn values(file: &File, column: usize) -> Vec<Scalar> {
    let scan = file.scan().columns([column]).build().unwrap();
    let values = scan.flat_map(|batch| {
        let column = batch.unwrap().columns.remove(0);
        (0..column.len)
            .map(|row| column.value(row))
            .collect::<Vec<_>>()
    });
    values.collect()
}

/// The bits of a number; NaN has one pattern here.
fn bits(value: &Scalar) -> Option<u64> {
    match value {
        Scalar::Float64(number) if number.is_nan() => Some(f64::NAN.to_bits()),
        Scalar::Float64(number) => Some(number.to_bits()),
        Scalar::Float32(number) if number.is_nan() => Some(f32::NAN.to_bits().into()),
        Scalar::Float32(number) => Some(number.to_bits().into()),
        _ => None,
    }
}

#[test]
fn numbers_of_another_writer_are_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/alp.parquet");
    let file = lith_reader::open(path).unwrap();
    for (plain, alp) in [(0, 1), (2, 3)] {
        let chunk = file.chunk(0, LeafId(alp as u32)).unwrap().unwrap();
        assert!(chunk.encodings.contains(&"ALP"), "{:?}", chunk.encodings);
        let (expected, found) = (values(&file, plain), values(&file, alp));
        let nulls = expected.iter().filter(|value| value.is_null());
        assert_eq!((expected.len(), nulls.count()), (360, 35));
        let expected: Vec<_> = expected.iter().map(bits).collect();
        let found: Vec<_> = found.iter().map(bits).collect();
        assert!(expected == found, "columns {plain} and {alp}");
    }
}
