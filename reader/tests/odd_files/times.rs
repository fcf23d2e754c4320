//! Days and instants far from 1970.

use lith_format::filter::CompareOp;
use lith_format::parquet::footer::ColumnOrder;
use lith_format::parquet::statistics::Statistics;
use lith_format::schema::LeafId;

use super::*;

#[test]
fn old_dates_are_the_same_in_pages_dictionaries_and_statistics() {
    let cases: [(ConvertedType, &[u8], &str); 5] = [
        // the first of January of year 1, and what it is in the Julian calendar
        (
            ConvertedType::Date,
            &(-719_162i32).to_le_bytes(),
            "0001-01-01",
        ),
        (
            ConvertedType::Date,
            &(-719_164i32).to_le_bytes(),
            "0000-12-30",
        ),
        (ConvertedType::Date, &(-1i32).to_le_bytes(), "1969-12-31"),
        (
            ConvertedType::TimestampMillis,
            &(-500i64).to_le_bytes(),
            "1969-12-31T23:59:59.500Z",
        ),
        (
            ConvertedType::TimestampMicros,
            &(-500_000i64).to_le_bytes(),
            "1969-12-31T23:59:59.500000Z",
        ),
    ];
    for (meaning, value, text) in cases {
        let physical = if value.len() == 4 {
            Type::Int32
        } else {
            Type::Int64
        };
        let mut column = leaf("t", physical, Required);
        column.converted_type = Some(meaning);
        let plain = v1(1, Encoding::Plain, value);
        let code = v1(1, Encoding::RleDictionary, &[0, 2]);
        let coded = [dictionary(1, value), code].concat();
        let groups = [plain, coded].map(|pages| (1, vec![(pages, 1)]));
        let bytes = file(&[column], &groups, |footer| {
            footer.column_orders = Some(vec![ColumnOrder::TypeOrder]);
            for group in &mut footer.row_groups {
                let metadata = group.columns[0].meta_data.as_mut().unwrap();
                metadata.statistics = Some(Statistics {
                    min_value: Some(value.into()),
                    max_value: Some(value.into()),
                    ..Statistics::default()
                });
            }
        });
        assert_eq!(
            cells(bytes.clone()).unwrap(),
            format!("\"{text}\" \"{text}\"")
        );
        let file = open(bytes).unwrap();
        let stats = file.chunk(1, LeafId(0)).unwrap().unwrap().stats;
        let bound = stats.min.unwrap().value;
        let values = file.scan().build().unwrap().flat_map(|batch| {
            let batch = batch.unwrap();
            (0..batch.rows).map(move |row| batch.columns[0].value(row))
        });
        assert_eq!(values.collect::<Vec<_>>(), [bound.clone(), bound.clone()]);
        let filter = Filter::Compare {
            leaf: LeafId(0),
            op: CompareOp::Eq,
            value: bound,
        };
        assert_eq!(passing(&file, filter, 0, |_| true).len(), 2);
    }
}

#[test]
fn int96_of_the_years_1_and_9999_is_exact() {
    let at = |nanos: i64, day: i32| [&nanos.to_le_bytes()[..], &day.to_le_bytes()].concat();
    let values = [
        at(7_200_000_000_000, 5_373_484),
        at(0, 1_721_426),
        at(86_399_500_000_000, 2_440_587),
    ];
    let expected = "\"9999-12-31T02:00:00.000000000\" \"0001-01-01T00:00:00.000000000\" \
                    \"1969-12-31T23:59:59.500000000\"";
    let column = || leaf("t", Type::Int96, Required);
    let plain = v1(3, Encoding::Plain, &values.concat());
    assert_eq!(cells(flat(column(), 3, &[plain])).unwrap(), expected);
    let codes = [&[2], &packed(&[0, 1, 2], 2)[..]].concat();
    let coded = [
        dictionary(3, &values.concat()),
        v1(3, Encoding::PlainDictionary, &codes),
    ];
    assert_eq!(cells(flat(column(), 3, &coded)).unwrap(), expected);
}
