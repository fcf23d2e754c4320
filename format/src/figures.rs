//! Formats numbers for text output: grouped counts, sizes in binary units, shares, durations.

use std::time::Duration;

/// `1234567` as `1,234,567`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 row`, `1,234 rows`.
pub fn plural(value: u64, noun: &str) -> String {
    let ending = if value == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", count(value))
}

/// A size with three significant digits: `512 B`, `1.46 KiB`, `128 MiB`.
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if value < 1024 {
        return format!("{value} B");
    }
    let mut size = value as f64 / 1024.0;
    let mut unit = 0;
    while size >= 999.5 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{} {}", three_digits(size), UNITS[unit])
}

/// `part` of `whole` in percent; nothing of nothing is 0 %.
pub fn share(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return "0 %".into();
    }
    let percent = part as f64 * 100.0 / whole as f64;
    let decimals = usize::from(percent < 9.95);
    format!("{percent:.decimals$} %")
}

/// A duration with three significant digits: `3.21 ms`, `12.5 s`.
pub fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 0.9995 {
        format!("{} ms", three_digits(seconds * 1e3))
    } else {
        format!("{} s", three_digits(seconds))
    }
}

fn three_digits(value: f64) -> String {
    let decimals = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let counts = [0, 999, 1_000, 10_000_000].map(count);
        assert_eq!(counts, ["0", "999", "1,000", "10,000,000"]);
        let plurals = [0, 1, 1_000].map(|rows| plural(rows, "row"));
        assert_eq!(plurals, ["0 rows", "1 row", "1,000 rows"]);
        let sizes = [1023, 1024, 1500, 128 << 20, 1023 << 10, u64::MAX].map(bytes);
        let expected = [
            "1023 B", "1.00 KiB", "1.46 KiB", "128 MiB", "1.00 MiB", "16.0 EiB",
        ];
        assert_eq!(sizes, expected);
        let shares = [(0, 7), (1, 200), (1, 3), (9, 9)].map(|(part, whole)| share(part, whole));
        assert_eq!(shares, ["0 %", "0.5 %", "33 %", "100 %"]);
        assert_eq!(seconds(Duration::from_micros(3_214)), "3.21 ms");
        assert_eq!(seconds(Duration::from_millis(12_500)), "12.5 s");
    }
}
