//! Days since 1970-01-01 as years, months and days, and back, in the proleptic Gregorian calendar.

/// Year, month and day of a count of days since 1970-01-01.
pub fn civil(days: i64) -> (i64, u32, u32) {
    // eras of 400 years that begin on March 1st put the leap day last
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as u32, day as u32)
}

/// Days since 1970-01-01 of a date; `None` if there is no such day.
pub fn days(year: i64, month: u32, day: u32) -> Option<i64> {
    if !(-1_000_000..=1_000_000).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    if day == 0 || day > days_in_month(year, month) {
        return None;
    }
    let shifted_year = year - i64::from(month <= 2);
    let era = shifted_year.div_euclid(400);
    let year_of_era = shifted_year.rem_euclid(400);
    let shifted_month = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * shifted_month + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// The year and month after a month.
pub fn next_month(year: i64, month: u32) -> (i64, u32) {
    match month {
        12 => (year + 1, 1),
        _ => (year, month + 1),
    }
}

/// How many days a month has.
pub fn days_in_month(year: i64, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    quickcheck::quickcheck! {
        fn each_day_follows_the_one_before(days: i32) -> bool {
            let (year, month, day) = civil(i64::from(days));
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let in_month = match month {
                2 => 28 + u32::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            let next = if day < in_month {
                (year, month, day + 1)
            } else if month < 12 {
                (year, month + 1, 1)
            } else {
                (year + 1, 1, 1)
            };
            civil(i64::from(days) + 1) == next
        }

        fn days_are_the_way_back(day: i32) -> bool {
            let day = i64::from(day) % 300_000_000;
            let (year, month, day_of_month) = civil(day);
            days(year, month, day_of_month) == Some(day)
        }
    }
}
