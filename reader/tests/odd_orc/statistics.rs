//! Statistics that are missing, of nulls only, or invalid because of NaN.

use lith_format::filter::CompareOp;
use lith_format::orc::statistics::{DoubleStatistics, IntegerStatistics};
use lith_format::schema::LeafId;

use super::*;

fn equals(value: Scalar) -> Filter {
    Filter::Compare {
        leaf: LeafId(0),
        op: CompareOp::Eq,
        value,
    }
}

fn not(filter: Filter) -> Filter {
    Filter::Not(Box::new(filter))
}

fn is_null() -> Filter {
    Filter::IsNull(LeafId(0))
}

/// The numbers 1, null and 3.
fn numbers() -> Stripe {
    stripe(
        3,
        vec![(1, Present, bits(&[1, 0, 1])), (1, Data, signed(&[1, 3]))],
    )
}

#[test]
fn without_statistics_nothing_is_skipped() {
    let count_only = || numbers().with_statistics(stats(2, None));
    let bare = || numbers().with_statistics(ColumnStatistics::default());
    for stripe in [numbers as fn() -> Stripe, count_only, bare] {
        let bytes = || file(flat(TypeKind::Int), vec![stripe()]);
        for filter in [
            equals(Scalar::Int(3)),
            is_null(),
            not(is_null()),
            not(equals(Scalar::Int(3))),
        ] {
            assert_eq!(left(bytes(), filter), 3);
        }
        let found = open(bytes()).unwrap();
        assert_eq!(found.rows(), 3);
    }
}

#[test]
fn nulls_alone_fulfil_no_comparison_nor_its_opposite() {
    for (kind, value) in [
        (TypeKind::Int, Scalar::Int(3)),
        (TypeKind::Double, Scalar::Float64(3.0)),
    ] {
        let nulls = stripe(3, vec![(1, Present, bits(&[0, 0, 0]))]).with_statistics(stats(0, None));
        let bytes = file(flat(kind), vec![nulls]);
        let file = open(bytes.clone()).unwrap();
        assert_eq!(left(bytes.clone(), equals(value.clone())), 0);
        assert_eq!(left(bytes.clone(), not(equals(value))), 0);
        assert_eq!(left(bytes.clone(), not(is_null())), 0);
        assert_eq!(left(bytes, is_null()), 3);
        assert_eq!(passing(&file, is_null(), 0, Scalar::is_null).len(), 3);
    }
}

#[test]
fn bounds_beside_a_nan_rule_nothing_out() {
    let values = [1.0, f64::NAN, 2.0];
    let data = values.map(f64::to_le_bytes).concat();
    for sum in [Some(f64::NAN), None] {
        let bounds = DoubleStatistics {
            minimum: Some(1.0),
            maximum: Some(2.0),
            sum,
        };
        let statistics = stats(3, Some(TypeStatistics::Double(bounds)));
        let stripe = stripe(3, vec![(1, Data, data.clone())]).with_statistics(statistics);
        let bytes = file(flat(TypeKind::Double), vec![stripe]);
        let above = Filter::Compare {
            leaf: LeafId(0),
            op: CompareOp::Gt,
            value: Scalar::Float64(100.0),
        };
        assert_eq!(left(bytes.clone(), above), 3);
        assert_eq!(left(bytes, equals(Scalar::Float64(f64::NAN))), 3);
    }
}

#[test]
fn a_stripe_beside_one_without_nulls_keeps_its_own() {
    let bounds = |minimum, maximum, values| {
        let bounds = IntegerStatistics {
            minimum: Some(minimum),
            maximum: Some(maximum),
            sum: None,
        };
        stats(values, Some(TypeStatistics::Int(bounds)))
    };
    let whole = stripe(2, vec![(1, Data, signed(&[7, 8]))]).with_statistics(bounds(7, 8, 2));
    let stripes = vec![whole, numbers().with_statistics(bounds(1, 3, 2))];
    let bytes = file(flat(TypeKind::Int), stripes);
    assert_eq!(left(bytes.clone(), is_null()), 3);
    assert_eq!(left(bytes.clone(), equals(Scalar::Int(7))), 2);
    assert_eq!(cells(bytes).unwrap(), "7 8 1 null 3");
}
