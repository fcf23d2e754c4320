//! Timestamps: seconds and nanoseconds in a stream each, as nanoseconds of a wall clock.
//!
//! ```text
//! DATA       seconds since 2015-01-01 00:00:00, of the writer's clock or (with local time zone) of UTC
//! SECONDARY  nanoseconds | digits removed:3      1000 ns = 0x0a: digits - 1 trailing zeros were cut
//! ```
//!
//! The seconds count elapsed time, so the wall clock that was written comes back only with the offsets
//! of the writer's zone: at 2015 for the base, and at each value. Writers round seconds before 1970
//! towards zero where a fraction of a millisecond or more follows; such values lie a second earlier.
// spec: ORCv1.md, "Timestamp Columns"

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::date;
use jiff::tz::{Offset, TimeZone};
use lith_format::error::{Error, Result};
use lith_format::vector::Values;

use crate::orc::encoding::{Integers, read_wanted};
use crate::orc::position::Positions;
use crate::selection::Selection;

/// Seconds from 1970 to 2015 in UTC.
const BASE_UTC: i64 = 1_420_070_400;
/// Seconds from 1970 back to 1900 in UTC. Writers in Java know no transition of a zone before: what holds
/// then holds for all time before.
const FIRST_KNOWN: i64 = -2_208_988_800;
/// Seconds of 400 years, after which the Gregorian calendar and its weekdays repeat.
const CYCLE: i64 = 146_097 * 86_400;
const NANOS: i64 = 1_000_000_000;

/// Reads timestamps.
#[derive(Debug)]
pub(crate) struct Timestamps {
    seconds: Integers,
    nanos: Integers,
    clock: Clock,
    scratch: Vec<i64>,
}

impl Timestamps {
    /// Starts at the front of the two streams.
    pub fn new(seconds: Integers, nanos: Integers, clock: Clock) -> Self {
        Timestamps {
            seconds,
            nanos,
            clock,
            scratch: Vec::new(),
        }
    }

    /// Seeks to a position in each stream.
    pub fn seek(&mut self, positions: &mut Positions) -> Result<()> {
        self.seconds.seek(&positions.next()?)?;
        self.nanos.seek(&positions.next()?)
    }

    /// Reads the wanted values of a window as nanoseconds since 1970, in 64 bits if they fit.
    pub fn read(&mut self, wanted: &Selection) -> Result<Values> {
        let mut seconds = Vec::new();
        let nanos = &mut self.scratch;
        read_wanted(
            &mut self.seconds,
            wanted,
            &mut seconds,
            Integers::read,
            Integers::skip,
        )?;
        read_wanted(
            &mut self.nanos,
            wanted,
            nanos,
            Integers::read,
            Integers::skip,
        )?;
        for nanos in nanos.iter_mut() {
            *nanos = unscale(*nanos)?;
        }
        for (second, &nanos) in seconds.iter_mut().zip(nanos.iter()) {
            let mut instant = second
                .checked_add(self.clock.base)
                .ok_or_else(|| Error::corrupt("a timestamp exceeds 64 bits of seconds"))?;
            instant -= i64::from(instant < 0 && nanos > 999_999);
            *second = self.clock.wall(instant);
        }
        // a second less than fits, for the nanoseconds
        let fits = -i64::MAX / NANOS + 1..i64::MAX / NANOS;
        let pairs = seconds.iter().zip(nanos.iter());
        Ok(match seconds.iter().all(|second| fits.contains(second)) {
            true => Values::I64(
                pairs
                    .map(|(second, nanos)| second * NANOS + nanos)
                    .collect(),
            ),
            false => Values::I128(
                pairs
                    .map(|(&second, &nanos)| {
                        i128::from(second) * i128::from(NANOS) + i128::from(nanos)
                    })
                    .collect(),
            ),
        })
    }
}

/// Nanoseconds as stored: three bits say how many zeros to append, less one. A writer of the wild
/// stores negative ones.
#[inline]
fn unscale(stored: i64) -> Result<i64> {
    const POWERS: [i64; 8] = [
        1,
        100,
        1_000,
        10_000,
        100_000,
        1_000_000,
        10_000_000,
        100_000_000,
    ];
    let nanos = (stored >> 3).checked_mul(POWERS[(stored & 7) as usize]);
    nanos
        .filter(|nanos| (-NANOS..NANOS).contains(nanos))
        .ok_or_else(|| Error::corrupt("nanoseconds of a second or more"))
}

/// What seconds are counted from, and the zone whose wall clock they were read off.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Seconds from 1970 in UTC to the base of the counting.
    base: i64,
    /// `None` if the clock is UTC's.
    zone: Option<TimeZone>,
    /// Instants known to share `offset`.
    known: Range<i64>,
    offset: i64,
}

impl Clock {
    /// The clock of UTC, and of files that name no zone.
    pub fn utc() -> Self {
        Clock {
            base: BASE_UTC,
            zone: None,
            known: 0..0,
            offset: 0,
        }
    }

    /// The clock of a zone, by its name in the time zone database or as `GMT+05:30`.
    pub fn of_zone(name: &str) -> Result<Self> {
        if matches!(name, "UTC" | "GMT" | "Etc/UTC" | "Z") {
            return Ok(Self::utc());
        }
        let unknown = || Error::unsupported(format!("the writer's time zone {name:?} is unknown"));
        let zone = match fixed_offset(name) {
            Some(offset) => TimeZone::fixed(offset),
            None => TimeZone::get(name).map_err(|error| unknown().with_source(error))?,
        };
        let base = zone
            .to_timestamp(date(2015, 1, 1).at(0, 0, 0, 0))
            .map_err(|error| unknown().with_source(error))?;
        Ok(Clock {
            base: base.as_second(),
            zone: Some(zone),
            ..Self::utc()
        })
    }

    /// What the clock shows at `instant`, as seconds since its 1970-01-01 00:00:00.
    #[inline]
    fn wall(&mut self, instant: i64) -> i64 {
        if self.zone.is_some() && !self.known.contains(&instant) {
            self.look_up(instant);
        }
        instant.saturating_add(self.offset)
    }

    /// Learns the offset at `instant` and how long it holds.
    #[cold]
    fn look_up(&mut self, instant: i64) {
        let last = Timestamp::MAX.as_second();
        // beyond the last year of the calendar library the rules go on as they do before it
        let cycles = instant
            .saturating_sub(last)
            .max(0)
            .saturating_add(CYCLE - 1)
            / CYCLE;
        let within = (instant - cycles * CYCLE).max(FIRST_KNOWN);
        let (Some(zone), Ok(at)) = (&self.zone, Timestamp::from_second(within)) else {
            return;
        };
        self.offset = i64::from(zone.to_offset(at).seconds());
        self.known = instant..instant.saturating_add(1);
        if cycles == 0 {
            let next = Timestamp::from_second(within + 1).ok();
            let since = next.and_then(|next| zone.preceding(next).next());
            let since = since.map_or(i64::MIN, |since| since.timestamp().as_second());
            let until = zone.following(at).next();
            let end = until.map_or(last, |until| until.timestamp().as_second());
            let start = if since <= FIRST_KNOWN {
                i64::MIN
            } else {
                since
            };
            self.known = start..end;
        }
    }
}

/// The offset of Java's names for zones without rules: `GMT`, a sign, hours and perhaps minutes.
fn fixed_offset(name: &str) -> Option<Offset> {
    let rest = name
        .strip_prefix("GMT")
        .or_else(|| name.strip_prefix("UTC"))?;
    let sign = match rest.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = rest[1..].split_once(':').unwrap_or((&rest[1..], "0"));
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::encoding::{RleVersion, tests::literals};
    use crate::orc::stream::tests::plain;
    use lith_format::error::ErrorKind;

    fn read(values: &[(i64, i64)], clock: Clock) -> Result<Values> {
        let stream = |values: Vec<i64>, signed| plain(&literals(&values, signed));
        let seconds = stream(values.iter().map(|value| value.0).collect(), true);
        let nanos = stream(values.iter().map(|value| value.1).collect(), false);
        let mut timestamps = Timestamps::new(
            Integers::signed(seconds, RleVersion::V1),
            Integers::unsigned(nanos, RleVersion::V1),
            clock,
        );
        timestamps.read(&Selection::all(values.len()))
    }

    fn narrow(values: &[(i64, i64)], clock: Clock) -> Vec<i64> {
        let Ok(Values::I64(values)) = read(values, clock) else {
            panic!()
        };
        values
    }

    #[test]
    fn nanoseconds_lose_their_zeros() {
        assert_eq!(unscale(0x0a).unwrap(), 1_000);
        assert_eq!(unscale(0x0c).unwrap(), 100_000);
        assert_eq!(unscale(8 * 999).unwrap(), 999);
        assert_eq!(unscale(5 << 3 | 7).unwrap(), 500_000_000);
        assert_eq!(unscale(-33).unwrap(), -500_000_000);
        for stored in [10 << 3 | 7, 1_000_000_000 << 3, i64::MAX, i64::MIN] {
            assert_eq!(unscale(stored).unwrap_err().kind(), ErrorKind::Corrupt);
        }
    }

    #[test]
    fn seconds_before_1970_were_rounded_towards_zero() {
        // half a second before 1970, a microsecond after and before -1, and minus half a second as it is
        let values = [
            (-BASE_UTC - 1, 5 << 3 | 7),
            (-BASE_UTC - 1, 1 << 3 | 2),
            (-BASE_UTC, -33),
        ];
        let expected = [-1_500_000_000, -999_999_000, -500_000_000];
        assert_eq!(narrow(&values, Clock::utc()), expected);
    }

    #[test]
    fn the_wall_clock_of_the_writer_comes_back() {
        let day = 86_400;
        let wall = |name: &str, seconds| {
            let nanos = match read(&[(seconds, 0)], Clock::of_zone(name).unwrap()).unwrap() {
                Values::I64(values) => i128::from(values[0]),
                Values::I128(values) => values[0],
                _ => panic!(),
            };
            (nanos / i128::from(NANOS)) as i64 - BASE_UTC
        };
        // New Year and a day in summer, when clocks are an hour ahead
        assert_eq!(wall("America/Los_Angeles", 0), 0);
        assert_eq!(wall("America/Los_Angeles", 200 * day), 200 * day + 3600);
        assert_eq!(wall("Asia/Kolkata", 200 * day), 200 * day);
        assert_eq!(wall("GMT+05:30", 200 * day), 200 * day);
        // mean time of New York ended in 1883, that of Sao Paulo in 1914
        let centuries = 40_000 * day;
        assert_eq!(
            wall("America/New_York", -centuries - 120 * 365 * day),
            -centuries - 120 * 365 * day
        );
        assert_eq!(
            wall("America/Sao_Paulo", -centuries),
            -centuries - 3600 - 388
        );
        // beyond the year 9999, still in summer
        assert_eq!(
            wall("US/Pacific", 200 * day + CYCLE * 21),
            200 * day + 3600 + CYCLE * 21
        );
        assert_eq!(
            Clock::of_zone("Mars/Olympus").unwrap_err().kind(),
            ErrorKind::Unsupported
        );
    }

    #[test]
    fn years_beyond_2262_take_128_bits() {
        let Ok(Values::I128(far)) = read(&[(0, 0), (1 << 40, 1 << 3)], Clock::utc()) else {
            panic!()
        };
        let nanos = i128::from(NANOS);
        assert_eq!(far[0], i128::from(BASE_UTC) * nanos);
        assert_eq!(far[1], (i128::from(BASE_UTC) + (1 << 40)) * nanos + 1);
        let error = read(&[(i64::MAX, 0)], Clock::utc()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }
}
