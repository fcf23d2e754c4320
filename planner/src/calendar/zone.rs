//! Time zones as they stand behind a moment's text: `Z`, `UTC`, `GMT+2`, `-03:30`, `Europe/Prague`, and the
//! three letters that Java knows.

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone, db};

use super::digits;

/// How far the zone's clocks, which show `seconds` since 1970-01-01T00:00, are ahead of UTC, in seconds. A
/// time that they skip is taken as if they did not, of one that they show twice the first is meant.
pub(super) fn offset(zone: &str, seconds: i64) -> Option<i64> {
    match fixed(zone) {
        Some(offset) => Some(offset),
        None => of_region(zone, seconds),
    }
}

/// `Z`, `UTC`, `GMT`, `+hh:mm` and the like.
fn fixed(zone: &str) -> Option<i64> {
    let text = ["UTC", "GMT", "UT"]
        .iter()
        .find_map(|name| zone.strip_prefix(name))
        .unwrap_or(zone);
    let sign = match text.as_bytes().first() {
        None => return Some(0),
        Some(b'Z') if text.len() == 1 => return Some(0),
        Some(b'+') => 1,
        Some(b'-') => -1,
        Some(_) => return None,
    };
    let (hour, rest) = digits(&text[1..], 1..=2)?;
    let minute = match rest.strip_prefix(':') {
        Some(rest) => digits(rest, 1..=2).filter(|(_, end)| end.is_empty())?.0,
        None if rest.is_empty() => 0,
        None => digits(rest, 2..=2).filter(|(_, end)| end.is_empty())?.0,
    };
    (hour <= 18 && minute <= 59).then_some(sign * (hour * 60 + minute) * 60)
}

/// A region by its name, whose case counts.
fn of_region(name: &str, seconds: i64) -> Option<i64> {
    let name = match short(name) {
        Short::Hours(hours) => return Some(hours * 3600),
        Short::Region(name) => name,
    };
    let zone: TimeZone = db().get(name).ok()?;
    if zone.iana_name() != Some(name) {
        return None;
    }
    let clock = Offset::UTC.to_datetime(Timestamp::from_second(seconds).ok()?);
    let moment = zone.to_ambiguous_timestamp(clock).compatible().ok()?;
    Some(seconds - moment.as_second())
}

enum Short<'a> {
    Hours(i64),
    Region(&'a str),
}

/// What a name of three letters is short for; longer ones are themselves.
fn short(name: &str) -> Short<'_> {
    Short::Region(match name {
        "EST" => return Short::Hours(-5),
        "MST" => return Short::Hours(-7),
        "HST" => return Short::Hours(-10),
        "ACT" => "Australia/Darwin",
        "AET" => "Australia/Sydney",
        "AGT" => "America/Argentina/Buenos_Aires",
        "ART" => "Africa/Cairo",
        "AST" => "America/Anchorage",
        "BET" => "America/Sao_Paulo",
        "BST" => "Asia/Dhaka",
        "CAT" => "Africa/Harare",
        "CNT" => "America/St_Johns",
        "CST" => "America/Chicago",
        "CTT" => "Asia/Shanghai",
        "EAT" => "Africa/Addis_Ababa",
        "ECT" => "Europe/Paris",
        "IET" => "America/Indiana/Indianapolis",
        "IST" => "Asia/Kolkata",
        "JST" => "Asia/Tokyo",
        "MIT" => "Pacific/Apia",
        "NET" => "Asia/Yerevan",
        "NST" => "Pacific/Auckland",
        "PLT" => "Asia/Karachi",
        "PNT" => "America/Phoenix",
        "PRT" => "America/Puerto_Rico",
        "PST" => "America/Los_Angeles",
        "SST" => "Pacific/Guadalcanal",
        "VST" => "Asia/Ho_Chi_Minh",
        name => name,
    })
}
