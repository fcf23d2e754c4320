//! Timestamps: parts of a second before 1970, zones of the past, and bounds that count milliseconds; old dates.

use lith_format::filter::CompareOp;
use lith_format::orc::statistics::{DateStatistics, TimestampStatistics};
use lith_format::schema::LeafId;
use lith_format::types::{TimeUnit, Zone};

use super::*;

/// Seconds from 1970 to 2015, the epoch of stored timestamps.
const BASE: i64 = 1_420_070_400;

/// The stored seconds and nanoseconds.
fn times(values: &[(i64, i64)], zone: Option<&'static str>) -> Stripe {
    let seconds: Vec<i64> = values.iter().map(|value| value.0).collect();
    let nanos: Vec<i64> = values.iter().map(|value| value.1).collect();
    let streams = vec![(1, Data, signed(&seconds)), (1, Secondary, lengths(&nanos))];
    Stripe {
        zone,
        ..stripe(values.len() as u64, streams)
    }
}

#[test]
fn parts_of_a_second_before_1970_count_forwards() {
    // seconds are rounded towards zero; a writer in C++ leaves nanoseconds below zero
    let values = [
        (-BASE - 1, 500 << 3 | 5),
        (-BASE, -33),
        (-BASE - 1, 0),
        (-BASE, 500 << 3 | 5),
    ];
    let bytes = file(flat(TypeKind::Timestamp), vec![times(&values, None)]);
    check_every_choice(
        &bytes,
        &[
            "\"1969-12-31T23:59:58.500000000\"",
            "\"1969-12-31T23:59:59.500000000\"",
            "\"1969-12-31T23:59:59.000000000\"",
            "\"1970-01-01T00:00:00.500000000\"",
        ],
    );
}

#[test]
fn offsets_of_the_past_keep_their_seconds() {
    // New Year of 2015 in Sao Paulo, and a day before 1914, when clocks there were at mean time
    let zone = Some("America/Sao_Paulo");
    let values = [(0, 0), (-40_000 * 86_400, 0)];
    let bytes = file(flat(TypeKind::Timestamp), vec![times(&values, zone)]);
    let found = cells(bytes).unwrap();
    assert_eq!(
        found,
        "\"2015-01-01T00:00:00.000000000\" \"1905-06-26T22:53:32.000000000\""
    );
}

/// Rows at 0 and 80.758 microseconds after the base, bounds in milliseconds.
fn bounded(statistics: TimestampStatistics) -> Vec<u8> {
    let values = [(0, 0), (0, 80_758 << 3)];
    let statistics = stats(2, Some(TypeStatistics::Timestamp(statistics)));
    let stripe = times(&values, None).with_statistics(statistics);
    file(flat(TypeKind::TimestampInstant), vec![stripe])
}

fn at(op: CompareOp, nanos: i128) -> Filter {
    let value = Scalar::Timestamp {
        value: i128::from(BASE) * 1_000_000_000 + nanos,
        unit: TimeUnit::Nanos,
        zone: Zone::Utc,
    };
    Filter::Compare {
        leaf: LeafId(0),
        op,
        value,
    }
}

#[test]
fn a_maximum_in_milliseconds_is_rounded_up() {
    let millis = Some(BASE * 1_000);
    let utc = || {
        bounded(TimestampStatistics {
            minimum_utc: millis,
            maximum_utc: millis,
            ..TimestampStatistics::default()
        })
    };
    assert_eq!(left(utc(), at(CompareOp::Eq, 80_758)), 2);
    assert_eq!(left(utc(), at(CompareOp::Gt, 0)), 2);
    assert_eq!(left(utc(), at(CompareOp::Eq, 2_000_000)), 0);
}

#[test]
fn bounds_in_the_writer_s_zone_rule_nothing_out() {
    let millis = Some(BASE * 1_000);
    let local = bounded(TimestampStatistics {
        minimum: millis,
        maximum: millis,
        ..TimestampStatistics::default()
    });
    assert_eq!(left(local, at(CompareOp::Gt, 1 << 60)), 2);
}

/// Days before October 1582 are read as they are stored, in values, bounds and conditions alike, whichever calendar
/// they were counted in.
#[test]
fn days_before_1582_are_found_where_their_bounds_say() {
    let days = [-719_164, -719_162, -1];
    let bounds = DateStatistics {
        minimum: Some(-719_164),
        maximum: Some(-1),
    };
    let statistics = stats(3, Some(TypeStatistics::Date(bounds)));
    let dates = stripe(3, vec![(1, Data, signed(&days))]).with_statistics(statistics);
    let file = open(file(flat(TypeKind::Date), vec![dates])).unwrap();
    let first = |value: &Scalar| *value == Scalar::Date(-719_164);
    for op in [CompareOp::Eq, CompareOp::LtEq] {
        let filter = Filter::Compare {
            leaf: LeafId(0),
            op,
            value: Scalar::Date(-719_164),
        };
        let expected = [r#"{"c":"0000-12-30"}"#];
        assert_eq!(passing(&file, filter, 0, first), expected, "{op:?}");
    }
}
