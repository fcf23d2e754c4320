//! Verdicts on statistics against rows: no verdict may contradict a row.

use quickcheck::{Arbitrary, Gen};

use super::*;

const KINDS: u32 = 4;

/// A value of leaf `kind`: two integer leaves, one of floats, one of text.
fn arbitrary_value(g: &mut Gen, kind: u32) -> Scalar {
    let small = i64::from(u8::arbitrary(g) % 5);
    match kind {
        0 | 1 => Scalar::Int(small),
        2 => Scalar::Float64(
            *g.choose(&[-0.0, 0.0, 1.0, f64::INFINITY, f64::NAN])
                .unwrap(),
        ),
        _ => Scalar::string(
            g.choose(&["", "a", "ab", "abc", "b", "\u{10ffff}"])
                .unwrap(),
        ),
    }
}

#[derive(Debug, Clone)]
struct Case {
    rows: Vec<Vec<Scalar>>,
    exact: Vec<ColumnStats>,
    weak: Vec<ColumnStats>,
    filter: Filter,
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let nulls = *g.choose(&[0u8, 3, 10]).unwrap();
        let width = *g.choose(&[1usize, 2, 5]).unwrap();
        let pools: Vec<Vec<Scalar>> = (0..KINDS)
            .map(|kind| (0..width).map(|_| arbitrary_value(g, kind)).collect())
            .collect();
        let rows: Vec<Vec<Scalar>> = (0..usize::arbitrary(g) % 6)
            .map(|_| {
                let mut value = |pool: &Vec<Scalar>| match u8::arbitrary(g) % 10 < nulls {
                    true => Scalar::Null,
                    false => g.choose(pool).unwrap().clone(),
                };
                pools.iter().map(&mut value).collect()
            })
            .collect();
        let exact: Vec<ColumnStats> = (0..KINDS as usize)
            .map(|leaf| stats_of(&rows, leaf))
            .collect();
        let weak = exact.iter().map(|stats| weaken(g, stats.clone())).collect();
        Case {
            rows,
            exact,
            weak,
            filter: arbitrary_filter(g, 3),
        }
    }
}

fn stats_of(rows: &[Vec<Scalar>], leaf: usize) -> ColumnStats {
    let column: Vec<&Scalar> = rows.iter().map(|row| &row[leaf]).collect();
    let count =
        |test: fn(&Scalar) -> bool| Some(column.iter().filter(|value| test(value)).count() as u64);
    let mut values: Vec<&Scalar> = column
        .iter()
        .filter(|value| !value.is_null() && !value.is_nan())
        .copied()
        .collect();
    values.sort_by(|a, b| a.compare(b).unwrap());
    let bound = |value: Option<&&Scalar>| {
        value.map(|&value| Bound {
            value: value.clone(),
            exact: true,
        })
    };
    ColumnStats {
        min: bound(values.first()),
        max: bound(values.last()),
        null_count: count(Scalar::is_null),
        nan_count: count(Scalar::is_nan),
        distinct_count: None,
        value_count: Some(rows.len() as u64),
    }
}

fn weaken(g: &mut Gen, mut stats: ColumnStats) -> ColumnStats {
    let mut chance = || u8::arbitrary(g) % 3 == 0;
    if chance() {
        stats.min = stats.min.and_then(|bound| {
            let value = match bound.value {
                Scalar::Int(value) => Some(Scalar::Int(value - i64::from(chance()))),
                Scalar::Float64(value) => Some(Scalar::Float64(value - 1.0)),
                Scalar::String(text) => Some(Scalar::string(text.get(..1).unwrap_or(""))),
                _ => None,
            };
            value.map(|value| Bound {
                value,
                exact: false,
            })
        });
    }
    if chance() {
        stats.max = stats.max.and_then(|bound| {
            let value = match bound.value {
                Scalar::Int(value) => Some(Scalar::Int(value + i64::from(chance()))),
                Scalar::Float64(value) => Some(Scalar::Float64(value + 1.0)),
                Scalar::String(text) if text.starts_with('a') => Some(Scalar::string("b")),
                _ => None,
            };
            value.map(|value| Bound {
                value,
                exact: false,
            })
        });
    }
    stats.min = stats.min.filter(|_| !chance());
    stats.max = stats.max.filter(|_| !chance());
    stats.null_count = stats.null_count.filter(|_| !chance());
    stats.nan_count = stats.nan_count.filter(|_| !chance());
    stats.value_count = stats.value_count.filter(|_| !chance());
    stats
}

fn arbitrary_filter(g: &mut Gen, depth: u8) -> Filter {
    let ops = [
        CompareOp::Eq,
        CompareOp::NotEq,
        CompareOp::Lt,
        CompareOp::LtEq,
        CompareOp::Gt,
        CompareOp::GtEq,
    ];
    let op = *g.choose(&ops).unwrap();
    let kind = u32::arbitrary(g) % KINDS;
    let leaf = LeafId(kind);
    let several = |g: &mut Gen| -> Vec<Filter> {
        (0..usize::arbitrary(g) % 4)
            .map(|_| arbitrary_filter(g, depth - 1))
            .collect()
    };
    match u8::arbitrary(g) % if depth == 0 { 9 } else { 14 } {
        0 => Filter::Constant(Option::arbitrary(g)),
        1 | 2 => Filter::Compare {
            leaf,
            op,
            value: arbitrary_value(g, kind),
        },
        3 => Filter::CompareLeaves {
            left: LeafId(0),
            op,
            right: LeafId(1),
        },
        4 => Filter::NullSafeEq {
            leaf,
            value: arbitrary_value(g, kind),
        },
        5 => Filter::In {
            leaf,
            values: (0..usize::arbitrary(g) % 4)
                .map(|_| arbitrary_value(g, kind))
                .collect(),
            has_null: bool::arbitrary(g),
        },
        6 if bool::arbitrary(g) => Filter::IsNull(leaf),
        6 => Filter::IsNotNull(leaf),
        7 => Filter::Like {
            leaf: LeafId(3),
            affix: *g
                .choose(&[Affix::Prefix, Affix::Suffix, Affix::Infix])
                .unwrap(),
            bytes: g
                .choose(&["", "a", "ab", "b", "c"])
                .unwrap()
                .as_bytes()
                .to_vec(),
        },
        8 if bool::arbitrary(g) => Filter::Opaque,
        8 => Filter::Fallible,
        9 | 10 => Filter::And(several(g)),
        11 => Filter::Or(several(g)),
        12 => Filter::Case {
            branches: several(g).into_iter().zip(several(g)).collect(),
            otherwise: Box::new(arbitrary_filter(g, depth - 1)),
        },
        _ => Filter::Not(Box::new(arbitrary_filter(g, depth - 1))),
    }
}

fn holds(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Eq => order.is_eq(),
        CompareOp::NotEq => order.is_ne(),
        CompareOp::Lt => order.is_lt(),
        CompareOp::LtEq => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::GtEq => order.is_ge(),
    }
}

/// SQL's answer for one row, unless asking it fails.
type Answer = Result<Option<bool>, Failed>;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Failed;

/// What a row answers where metadata cannot tell.
#[derive(Debug, Clone, Copy)]
struct Hidden {
    opaque: Option<bool>,
    fallible: Answer,
}

impl Hidden {
    fn all() -> impl Iterator<Item = Hidden> {
        let truths = [Some(true), Some(false), None];
        truths.into_iter().flat_map(move |opaque| {
            let answers = truths.into_iter().map(Ok).chain([Err(Failed)]);
            answers.map(move |fallible| Hidden { opaque, fallible })
        })
    }
}

fn evaluate(filter: &Filter, row: &[Scalar], hidden: Hidden) -> Answer {
    let inner = |filter: &Filter| evaluate(filter, row, hidden);
    Ok(match filter {
        Filter::Constant(value) => *value,
        Filter::Opaque => hidden.opaque,
        Filter::Fallible => hidden.fallible?,
        Filter::Compare { leaf, op, value } => row[leaf.index()]
            .compare(value)
            .map(|order| holds(*op, order)),
        Filter::CompareLeaves { left, op, right } => row[left.index()]
            .compare(&row[right.index()])
            .map(|order| holds(*op, order)),
        Filter::NullSafeEq { leaf, value } => Some(row[leaf.index()] == *value),
        Filter::In {
            leaf,
            values,
            has_null,
        } => match &row[leaf.index()] {
            Scalar::Null => None,
            value if values.contains(value) => Some(true),
            _ => (!has_null).then_some(false),
        },
        Filter::IsNull(leaf) => Some(row[leaf.index()].is_null()),
        Filter::IsNotNull(leaf) => Some(!row[leaf.index()].is_null()),
        Filter::Like { leaf, affix, bytes } => row[leaf.index()]
            .as_bytes()
            .map(|value| bytes.is_empty() || matches(*affix, value, bytes)),
        Filter::Mapped {
            leaf,
            mapping,
            inner,
        } => {
            let mut row = row.to_vec();
            let value = &mut row[leaf.index()];
            if !value.is_null() {
                *value = (mapping.of)(value).ok_or(Failed)?;
            }
            evaluate(inner, &row, hidden)?
        }
        Filter::And(all) => connect(all, false, &inner)?,
        Filter::Or(all) => connect(all, true, &inner)?,
        Filter::Not(one) => inner(one)?.map(|value| !value),
        Filter::Case {
            branches,
            otherwise,
        } => {
            for (condition, then) in branches {
                if inner(condition)? == Some(true) {
                    return inner(then);
                }
            }
            inner(otherwise)?
        }
    })
}

/// AND (`deciding` false) or OR (`deciding` true), from the left until it is decided.
fn connect(all: &[Filter], deciding: bool, inner: &dyn Fn(&Filter) -> Answer) -> Answer {
    let mut truth = Some(!deciding);
    for one in all {
        match inner(one)? {
            Some(value) if value == deciding => return Ok(Some(deciding)),
            Some(_) => {}
            None => truth = None,
        }
    }
    Ok(truth)
}

fn judge(filter: &Filter, stats: &[ColumnStats]) -> Verdict {
    filter.judge(&|leaf| stats.get(leaf.index()).map(Cow::Borrowed))
}

fn no_verdict_contradicts_a_row(case: Case) -> bool {
    [&case.exact, &case.weak].into_iter().all(|stats| {
        let verdict = judge(&case.filter, stats);
        Hidden::all().all(|hidden| {
            let holds = |row: &Vec<Scalar>| evaluate(&case.filter, row, hidden) == Ok(Some(true));
            match verdict {
                Verdict::Never => !case.rows.iter().any(holds),
                Verdict::Maybe => true,
                Verdict::Always => case.rows.iter().all(holds),
            }
        })
    })
}

#[test]
fn verdicts_agree_with_the_rows() {
    quickcheck::QuickCheck::new()
        .tests(5_000)
        .quickcheck(no_verdict_contradicts_a_row as fn(Case) -> bool);
}

quickcheck::quickcheck! {
    fn comparisons_with_exact_integers_are_decided_at_the_bounds(rows: Vec<u8>, literal: u8) -> bool {
        let rows: Vec<Vec<Scalar>> = rows.iter().map(|&row| vec![Scalar::Int(i64::from(row % 16))]).collect();
        let stats = [stats_of(&rows, 0)];
        let value = Scalar::Int(i64::from(literal % 16));
        [CompareOp::Lt, CompareOp::LtEq, CompareOp::Gt, CompareOp::GtEq].into_iter().all(|op| {
            let filter = Filter::Compare { leaf: LeafId(0), op, value: value.clone() };
            let hits = rows.iter().filter(|row| compare_row(&filter, row)).count();
            let expected = match hits {
                0 => Verdict::Never,
                hits if hits == rows.len() => Verdict::Always,
                _ => Verdict::Maybe,
            };
            judge(&filter, &stats) == expected
        })
    }
}

fn compare_row(filter: &Filter, row: &[Scalar]) -> bool {
    let hidden = Hidden {
        opaque: None,
        fallible: Err(Failed),
    };
    evaluate(filter, row, hidden) == Ok(Some(true))
}

#[test]
fn what_may_fail_is_asked_unless_the_answer_is_no() {
    use Filter::{Fallible, Opaque};
    use Verdict::{Always, Maybe, Never};
    let (yes, no) = (
        || Filter::Constant(Some(true)),
        || Filter::Constant(Some(false)),
    );
    let not = |filter| Filter::Not(Box::new(filter));
    for (filter, verdict) in [
        (Filter::And(vec![Fallible, no()]), Never),
        (Filter::And(vec![no(), Fallible]), Never),
        (not(Filter::Or(vec![Fallible, yes()])), Never),
        (Filter::Or(vec![Fallible, yes()]), Maybe),
        (Filter::Or(vec![Opaque, yes()]), Always),
        (not(Filter::And(vec![Fallible, no()])), Maybe),
        // the rows that would fail are never asked
        (Filter::Or(vec![yes(), Fallible]), Always),
        (not(Filter::And(vec![no(), Fallible])), Always),
        (
            Filter::Or(vec![Filter::And(vec![no(), Fallible]), yes()]),
            Always,
        ),
    ] {
        assert_eq!(judge(&filter, &[]), verdict, "{filter:?}");
    }
}

fn floats(nan_count: Option<u64>) -> [ColumnStats; 1] {
    let bound = Some(Bound {
        value: Scalar::Float64(3.0),
        exact: true,
    });
    [ColumnStats {
        min: bound.clone(),
        max: bound,
        null_count: Some(0),
        nan_count,
        value_count: Some(3),
        ..Default::default()
    }]
}

fn compare(op: CompareOp, value: impl Into<f64>) -> Filter {
    Filter::Compare {
        leaf: LeafId(0),
        op,
        value: Scalar::Float64(value.into()),
    }
}

#[test]
fn float_bounds_say_nothing_of_nan_unless_there_is_none() {
    use CompareOp as Op;
    use Verdict::{Always, Maybe, Never};
    let not = |filter| Filter::Not(Box::new(filter));
    let cases = [
        (compare(Op::Gt, 100.0), Maybe, Never),
        (compare(Op::GtEq, 4.0), Maybe, Never),
        (compare(Op::NotEq, 3.0), Maybe, Never),
        (not(compare(Op::Lt, 10.0)), Maybe, Never),
        (compare(Op::Eq, f64::NAN), Maybe, Never),
        (compare(Op::Eq, 3.0), Maybe, Always),
        (compare(Op::Lt, 10.0), Maybe, Always),
        (compare(Op::Lt, f64::NAN), Maybe, Always),
        (compare(Op::LtEq, 2.0), Never, Never),
        (compare(Op::Eq, 4.0), Never, Never),
        (compare(Op::Gt, 2.0), Always, Always),
    ];
    for (filter, unknown, none) in cases {
        assert_eq!(judge(&filter, &floats(None)), unknown, "{filter:?}");
        assert_eq!(judge(&filter, &floats(Some(1))), unknown, "{filter:?}");
        assert_eq!(judge(&filter, &floats(Some(0))), none, "{filter:?}");
    }
    assert_eq!(judge(&compare(Op::Eq, f64::NAN), &floats(Some(3))), Always);
}

#[test]
fn prefixes_meet_bounds_as_intervals() {
    let text = |min: &str, max: &str, exact| {
        let bound = |value: &str| {
            Some(Bound {
                value: Scalar::string(value),
                exact,
            })
        };
        [ColumnStats {
            min: bound(min),
            max: bound(max),
            null_count: Some(0),
            ..Default::default()
        }]
    };
    let like = |prefix: &str| Filter::Like {
        leaf: LeafId(0),
        affix: Affix::Prefix,
        bytes: prefix.as_bytes().to_vec(),
    };
    let not_like = |prefix: &str| Filter::Not(Box::new(like(prefix)));
    assert_eq!(
        judge(&like("a"), &text("a_00", "a_09", true)),
        Verdict::Always
    );
    assert_eq!(
        judge(&not_like("a"), &text("a_00", "a_09", true)),
        Verdict::Never
    );
    // all that lies between two texts that start so, whether rows hold them or not
    assert_eq!(
        judge(&not_like("a"), &text("a_00", "a_09", false)),
        Verdict::Never
    );
    // a truncated greatest text, counted up, has left the prefix
    assert_eq!(
        judge(&not_like("ab"), &text("ab", "ac", false)),
        Verdict::Maybe
    );
    assert_eq!(
        judge(&like("a_05"), &text("a_00", "a_09", false)),
        Verdict::Maybe
    );
    assert_eq!(
        judge(&like("b"), &text("a_00", "a_09", false)),
        Verdict::Never
    );
    assert_eq!(judge(&like("a"), &text("b", "c", false)), Verdict::Never);
    assert_eq!(judge(&like(""), &text("b", "c", false)), Verdict::Always);
}

#[test]
fn unknown_counts_and_unlike_types_prove_nothing() {
    let nulls_unknown = ColumnStats {
        null_count: None,
        ..ColumnStats::constant(&Scalar::Int(5), 3)
    };
    let eq = |value| Filter::Compare {
        leaf: LeafId(0),
        op: CompareOp::Eq,
        value,
    };
    assert_eq!(
        judge(&eq(Scalar::Int(5)), std::slice::from_ref(&nulls_unknown)),
        Verdict::Maybe
    );
    assert_eq!(
        judge(
            &Filter::IsNull(LeafId(0)),
            std::slice::from_ref(&nulls_unknown)
        ),
        Verdict::Maybe
    );
    assert_eq!(
        judge(&eq(Scalar::Int(6)), std::slice::from_ref(&nulls_unknown)),
        Verdict::Never
    );
    assert_eq!(
        judge(&eq(Scalar::string("x")), &[nulls_unknown]),
        Verdict::Maybe
    );
    assert_eq!(judge(&eq(Scalar::Int(5)), &[]), Verdict::Maybe);
}

#[test]
fn a_column_the_file_lacks_is_null_everywhere() {
    let stats = [ColumnStats::constant(&Scalar::Null, 3)];
    let eq = Filter::Compare {
        leaf: LeafId(0),
        op: CompareOp::Eq,
        value: Scalar::Int(1),
    };
    assert_eq!(judge(&eq, &stats), Verdict::Never);
    assert_eq!(judge(&Filter::Not(Box::new(eq)), &stats), Verdict::Never);
    assert_eq!(judge(&Filter::IsNull(LeafId(0)), &stats), Verdict::Always);
    let null_safe = Filter::NullSafeEq {
        leaf: LeafId(0),
        value: Scalar::Int(1),
    };
    assert_eq!(
        judge(&Filter::Not(Box::new(null_safe)), &stats),
        Verdict::Always
    );
}

#[test]
fn contradictory_bounds_are_ignored() {
    let bound = |value| {
        Some(Bound {
            value: Scalar::Int(value),
            exact: true,
        })
    };
    let stats = [ColumnStats {
        min: bound(5),
        max: bound(1),
        null_count: Some(0),
        ..Default::default()
    }];
    let eq = Filter::Compare {
        leaf: LeafId(0),
        op: CompareOp::Eq,
        value: Scalar::Int(9),
    };
    assert_eq!(judge(&eq, &stats), Verdict::Maybe);
}

#[test]
fn values_that_are_lacking_are_not_equal() {
    let stats = ColumnStats {
        value_count: Some(9),
        null_count: Some(0),
        min: Some(Bound {
            value: Scalar::Int(1),
            exact: true,
        }),
        max: Some(Bound {
            value: Scalar::Int(9),
            exact: true,
        }),
        ..ColumnStats::default()
    };
    let leaf = LeafId(0);
    let judge = |filter: &Filter| {
        let lacks = |_, value: &Scalar| matches!(value, Scalar::Int(3 | 4));
        filter.judge_with(&|_| Some(Cow::Borrowed(&stats)), &lacks)
    };
    let compare = |op, value| Filter::Compare {
        leaf,
        op,
        value: Scalar::Int(value),
    };
    let within = |values: [i64; 2]| Filter::In {
        leaf,
        values: values.map(Scalar::Int).to_vec(),
        has_null: false,
    };
    assert_eq!(judge(&compare(CompareOp::Eq, 3)), Verdict::Never);
    assert_eq!(judge(&compare(CompareOp::Eq, 5)), Verdict::Maybe);
    assert_eq!(judge(&compare(CompareOp::NotEq, 3)), Verdict::Always);
    assert_eq!(judge(&compare(CompareOp::LtEq, 3)), Verdict::Maybe);
    assert_eq!(judge(&within([3, 4])), Verdict::Never);
    assert_eq!(judge(&within([3, 5])), Verdict::Maybe);
    let value = Scalar::Int(4);
    assert_eq!(judge(&Filter::NullSafeEq { leaf, value }), Verdict::Never);
}
