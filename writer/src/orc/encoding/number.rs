//! Writes decimals, and takes timestamps apart.
//!
//! ```text
//! decimal    zigzag varint of up to 128 bits; the scale in a stream of its own
//! timestamp  seconds since 2015-01-01 | nanoseconds without trailing zeros << 3 | zeros - 1 (0: none)
//! ```
//! Seconds are rounded towards zero, so before 1970 readers subtract one where there are nanoseconds
//! above 999,999. Less than a second before 1970 no whole second is negative, and the nanoseconds are
//! instead, as the C++ writer has them.
// spec: ORCv1.md, "Decimal Columns", "Timestamp Columns"

use lith_format::types::TimeUnit;

/// 2015-01-01T00:00 in seconds since 1970.
const EPOCH: i64 = 1_420_070_400;

/// Appends `value` as a varint.
pub(crate) fn put_decimal(value: i128, out: &mut Vec<u8>) {
    let mut rest = (value << 1 ^ value >> 127) as u128;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Seconds and nanoseconds as the two streams of a timestamp hold them.
pub(crate) fn split(value: i64, unit: TimeUnit) -> (i64, i64) {
    let per_second = unit.per_second();
    let (seconds, fraction) = (value.div_euclid(per_second), value.rem_euclid(per_second));
    let nanos = fraction * (1_000_000_000 / per_second);
    let (seconds, nanos) = match seconds {
        -1 if nanos > 999_999 => (0, nanos - 1_000_000_000),
        ..-1 if nanos > 999_999 => (seconds + 1, nanos),
        _ => (seconds, nanos),
    };
    (seconds - EPOCH, without_zeros(nanos))
}

fn without_zeros(nanos: i64) -> i64 {
    if nanos == 0 || nanos % 100 != 0 {
        return nanos << 3;
    }
    let (mut digits, mut zeros) = (nanos / 100, 2);
    while digits % 10 == 0 && zeros < 8 {
        digits /= 10;
        zeros += 1;
    }
    digits << 3 | (zeros - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_lose_their_zeros() {
        assert_eq!(without_zeros(1000), 0x0a);
        assert_eq!(without_zeros(100_000), 0x0c);
        assert_eq!(without_zeros(0), 0);
        assert_eq!(without_zeros(10), 80);
        assert_eq!(without_zeros(500_000_000), 5 << 3 | 7);
    }

    #[test]
    fn before_1970_seconds_round_towards_zero() {
        let split = |value| split(value, TimeUnit::Millis);
        assert_eq!(split(1_420_070_400_000), (0, 0));
        assert_eq!(split(-1_500), (-1 - EPOCH, 5 << 3 | 7));
        assert_eq!(split(-2_000), (-2 - EPOCH, 0));
        assert_eq!(split(-500), (-EPOCH, (-5i64 << 3) | 7));
    }

    #[test]
    fn decimals_are_zigzag_varints() {
        let bytes = |value| {
            let mut out = Vec::new();
            put_decimal(value, &mut out);
            out
        };
        assert_eq!(bytes(0), [0]);
        assert_eq!(bytes(-1), [1]);
        assert_eq!(bytes(8192), [0x80, 0x80, 0x01]);
        assert_eq!(bytes(i128::MIN).len(), 19);
    }
}
