//! Timestamps and times of day of every unit against literals: rows answer what the stored numbers answer,
//! and what bounds say of any few rows holds for them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use lith_format::filter::Verdict;
use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::stats::{Bound, ColumnStats};
use lith_format::types::{Layout, LogicalType, TimeUnit, Zone};
use lith_format::vector::{Batch, Values, Vector};
use lith_planner::plan::{Query, ScanPlan, Table, plan};
use support::{kept_rows, one_file};

/// A column `c` and some nanoseconds of it.
struct Column {
    ty: LogicalType,
    nanos: Vec<Option<i64>>,
}

impl Column {
    fn per_second(&self) -> i64 {
        match &self.ty {
            LogicalType::Timestamp { unit, .. } | LogicalType::Time { unit, .. } => {
                unit.per_second()
            }
            other => panic!("{other} has no unit"),
        }
    }

    fn schema(&self) -> Schema {
        Schema::new(vec![Field::nullable("c", self.ty.clone())])
    }

    fn table(&self) -> Table {
        one_file(&self.schema())
    }

    fn stored(&self) -> Vec<Option<i64>> {
        let step = 1_000_000_000 / self.per_second();
        let stored = self.nanos.iter();
        stored.map(|n| n.map(|n| n.div_euclid(step))).collect()
    }

    /// What a row holds, in nanoseconds.
    fn held(&self) -> Vec<Option<i64>> {
        let step = 1_000_000_000 / self.per_second();
        let stored = self.stored().into_iter();
        stored.map(|value| value.map(|v| v * step)).collect()
    }

    fn scalar(&self, value: i64) -> Scalar {
        match self.ty {
            LogicalType::Timestamp { unit, zone } => Scalar::Timestamp {
                value: value.into(),
                unit,
                zone,
            },
            LogicalType::Time { unit, utc } => Scalar::Time { value, unit, utc },
            _ => Scalar::Null,
        }
    }

    fn batch(&self) -> Batch {
        let stored = self.stored();
        let numbers: Vec<i64> = stored.iter().map(|v| v.unwrap_or(0)).collect();
        Batch {
            schema: Arc::new(self.schema()),
            rows: stored.len(),
            columns: vec![Vector {
                ty: self.ty.clone(),
                len: stored.len(),
                validity: Some(stored.iter().map(Option::is_some).collect()),
                values: match self.ty.layout() {
                    Layout::I32 => Values::I32(numbers.iter().map(|&v| v as i32).collect()),
                    _ => Values::I64(numbers),
                },
            }],
        }
    }

    fn stats(&self, rows: &[Option<i64>]) -> ColumnStats {
        let known = || rows.iter().flatten().copied();
        let bound = |value: Option<i64>| {
            value.map(|value| Bound {
                value: self.scalar(value),
                exact: true,
            })
        };
        ColumnStats {
            min: bound(known().min()),
            max: bound(known().max()),
            null_count: Some((rows.len() - known().count()) as u64),
            value_count: Some(rows.len() as u64),
            ..ColumnStats::default()
        }
    }

    fn plan(&self, text: &str) -> ScanPlan {
        let query = Query {
            predicate: Some(text),
            ..Query::default()
        };
        plan(&self.table(), &query).unwrap_or_else(|e| panic!("{} with {text}: {e}", self.ty))
    }

    fn rows(&self, plan: &ScanPlan) -> Vec<bool> {
        kept_rows(plan, &self.batch())
    }

    /// The rows are those expected; bounds of runs of rows say nothing else. How often they decided.
    fn check(&self, text: &str, expected: &[bool]) -> usize {
        let plan = self.plan(text);
        assert_eq!(self.rows(&plan), expected, "{} with {text}", self.ty);
        let stored = self.stored();
        let mut decided = 0;
        for length in 1..=2 {
            for (rows, truths) in stored.windows(length).zip(expected.windows(length)) {
                let stats = self.stats(rows);
                let verdict = plan.filter.judge(&|_| Some(Cow::Borrowed(&stats)));
                let right = match verdict {
                    Verdict::Never => !truths.contains(&true),
                    Verdict::Always => !truths.contains(&false),
                    Verdict::Maybe => true,
                };
                assert!(right, "{} with {text}: {verdict:?} of {rows:?}", self.ty);
                decided += usize::from(verdict != Verdict::Maybe);
            }
        }
        decided
    }

    /// Every comparison with a literal that stands for so many nanoseconds.
    fn check_all(&self, literal: &str, nanos: i64) {
        let held = self.held();
        let compared = |test: fn(Ordering) -> bool| -> Vec<bool> {
            let rows = held.iter();
            rows.map(|row| row.is_some_and(|row| test(row.cmp(&nanos))))
                .collect()
        };
        let known: Vec<bool> = held.iter().map(Option::is_some).collect();
        let unequal = compared(Ordering::is_ne);
        let distinct: Vec<bool> = held.iter().map(|row| *row != Some(nanos)).collect();
        let none = vec![false; held.len()];
        let all = [
            (format!("c = {literal}"), compared(Ordering::is_eq)),
            (format!("c <> {literal}"), unequal.clone()),
            (format!("c < {literal}"), compared(Ordering::is_lt)),
            (format!("{literal} >= c"), compared(Ordering::is_le)),
            (format!("c > {literal}"), compared(Ordering::is_gt)),
            (format!("c >= {literal}"), compared(Ordering::is_ge)),
            (format!("{literal} <=> c"), compared(Ordering::is_eq)),
            (format!("NOT (c <=> {literal})"), distinct),
            (format!("c IN ({literal}, NULL)"), compared(Ordering::is_eq)),
            (format!("c NOT IN ({literal})"), unequal.clone()),
            (format!("c NOT IN ({literal}, NULL)"), none),
            (
                format!("c BETWEEN {literal} AND {literal}"),
                compared(Ordering::is_eq),
            ),
            (
                format!("c NOT BETWEEN {literal} AND {literal}"),
                unequal.clone(),
            ),
            ("c IS NOT NULL".to_owned(), known),
        ];
        for (text, expected) in all {
            let decided = self.check(&text, &expected);
            assert!(decided > 0, "{} with {text} is never decided", self.ty);
        }
    }
}

const UNITS: [TimeUnit; 3] = [TimeUnit::Millis, TimeUnit::Micros, TimeUnit::Nanos];

#[test]
fn timestamps_are_as_exact_as_their_column() {
    let moments = [
        ("1970-01-01 00:00:00", 0),
        ("1970-01-01 00:00:01.000000001", 1_000_000_001),
        ("1970-01-01 00:00:01.000001003", 1_000_001_003),
        ("1970-01-01 00:00:01.001", 1_001_000_000),
        ("1970-01-01 00:00:01.001001", 1_001_001_000),
        ("1969-12-31 23:59:59.999999999", -1),
        ("1969-12-31 23:59:59.998999999", -1_000_001),
        ("2020-01-01T00:00:00.001000003", 1_577_836_800_001_000_003),
    ];
    let mut nanos: Vec<Option<i64>> = Vec::new();
    for (_, moment) in moments {
        nanos.extend([-1, 0, 1, 997].map(|near| Some(moment + near)));
    }
    nanos.push(None);
    for unit in UNITS {
        for zone in [Zone::Utc, Zone::Local, Zone::Unstated] {
            let ty = LogicalType::Timestamp { unit, zone };
            let nanos = nanos.clone();
            let column = Column { ty, nanos };
            for (text, nanos) in moments {
                // beside microseconds Spark cuts what is finer
                let nanos = match unit {
                    TimeUnit::Nanos => nanos,
                    _ => nanos.div_euclid(1_000) * 1_000,
                };
                for prefix in ["", "TIMESTAMP ", "TIMESTAMP_NTZ "] {
                    column.check_all(&format!("{prefix}'{text}'"), nanos);
                }
            }
        }
    }
}

#[test]
fn times_of_day_compare_whatever_their_unit() {
    const HOUR: i64 = 3_600_000_000_000;
    let times = [
        ("00:00", 0),
        ("00:00:00.000000001Z", 1),
        ("12:00:00.5", 12 * HOUR + 500_000_000),
        ("12:00:00.500001", 12 * HOUR + 500_001_000),
        ("12:00:00.500001007", 12 * HOUR + 500_001_007),
        ("23:59:59.999999999", 24 * HOUR - 1),
    ];
    let mut nanos: Vec<Option<i64>> = vec![None];
    for (_, time) in times {
        let near = [-1_000_000, -1, 0, 1, 1_000_000].map(|near| time + near);
        nanos.extend(near.map(|time| Some(time.clamp(0, 24 * HOUR - 1))));
    }
    for unit in UNITS {
        for utc in [false, true] {
            let ty = LogicalType::Time { unit, utc };
            let nanos = nanos.clone();
            let column = Column { ty, nanos };
            for (text, nanos) in times {
                column.check_all(&format!("'{text}'"), nanos);
                column.check_all(&format!("TIME '{text}'"), nanos);
                column.check_all(&format!("CAST('{text}' AS TIME)"), nanos);
            }
        }
    }
}

#[test]
fn times_are_refused_where_they_do_not_go() {
    let ty = LogicalType::Time {
        unit: TimeUnit::Micros,
        utc: false,
    };
    let column = Column {
        ty,
        nanos: vec![Some(43_200_000_000_000), None],
    };
    let refused = |text: &str| {
        let query = Query {
            predicate: Some(text),
            ..Query::default()
        };
        plan(&column.table(), &query).err().map(|e| e.to_string())
    };
    for (text, message) in [
        ("c = 1", "= does not go with time(9) and int"),
        (
            "c = DATE '2024-01-01'",
            "= does not go with time(9) and date",
        ),
        ("c < 'noon'", "'noon' cannot be cast to time(9)"),
        ("c < TIME '24:00:00'", "not a TIME: '24:00:00'"),
        ("CAST(c AS INT) = 1", "a time(9) cannot be cast to int"),
        (
            "date_trunc('hour', c) = c",
            "date_trunc does not take time(9)",
        ),
    ] {
        assert_eq!(refused(text).as_deref(), Some(message), "{text}");
    }
    for text in [
        "CAST(c AS STRING) = '12:00:00'",
        "hour(c) = 12 AND minute(c) = 0 AND second(c) = 0",
    ] {
        assert_eq!(column.rows(&column.plan(text)), [true, false], "{text}");
    }
    let pushed = column.plan("c >= TIME'12:00:00.5' AND c < '13:00'");
    assert_eq!(
        pushed.pushed_filters,
        [
            "IsNotNull(c)",
            "GreaterThanOrEqual(c,12:00:00.500)",
            "LessThan(c,13:00)"
        ]
    );
    assert_eq!(pushed.read_schema.to_string(), "struct<c:time(6)>");
}

#[test]
fn printed_conditions_on_nanoseconds_mean_the_same_again() {
    let column = Column {
        ty: LogicalType::Timestamp {
            unit: TimeUnit::Nanos,
            zone: Zone::Local,
        },
        nanos: vec![Some(1_000_003), Some(1_000_000), None],
    };
    let plan = column.plan("c = '1970-01-01 00:00:00.001000003'");
    let texts: Vec<String> = plan.conjuncts.iter().map(|e| e.sql()).collect();
    let text = texts.join(" AND ");
    assert!(text.contains("TIMESTAMP_NTZ '1970-01-01 00:00:00.001000003'"));
    assert_eq!(column.rows(&column.plan(&text)), [true, false, false]);
    // a cast to Spark's timestamp is Spark's, even of a column that is finer
    let cast = column.plan("CAST(c AS TIMESTAMP) = TIMESTAMP '1970-01-01 00:00:00.001'");
    assert_eq!(column.rows(&cast), [true, true, false]);
}
