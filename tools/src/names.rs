//! Notation of column paths and types in output.

use std::fmt::Write;

use lith_format::meta::Format;
use lith_format::schema::Field;
use lith_format::types::{LogicalType, TimeUnit, Zone};

/// The parts of a path joined by dots; those that hold dots or back-quotes are in back-quotes.
pub fn shown_path(path: &[impl AsRef<str>]) -> String {
    let parts = path.iter().map(|part| match part.as_ref() {
        part if part.contains(['.', '`']) => format!("`{}`", part.replace('`', "``")),
        part => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join(".")
}

/// What a format calls the row groups of its files.
pub fn group_name(format: Format) -> &'static str {
    match format {
        Format::Parquet => "row group",
        Format::Orc => "stripe",
    }
}

/// A type of a file of this format with all that it means: the unit of times and timestamps too, and what they
/// are relative to, which Spark's names do not say.
pub fn shown_type(ty: &LogicalType, format: Format) -> String {
    located_type(ty, format, &mut std::iter::empty())
}

/// Like [`shown_type`]; `systems` has the reference systems of the geometries and geographies in it, in their order.
pub fn located_type(ty: &LogicalType, format: Format, systems: &mut Systems<'_>) -> String {
    let mut out = String::new();
    push_type(&mut out, ty, format, systems);
    out
}

/// Yields reference systems.
type Systems<'a> = dyn Iterator<Item = String> + 'a;

fn push_type(out: &mut String, ty: &LogicalType, format: Format, systems: &mut Systems<'_>) {
    use LogicalType as T;
    match ty {
        T::Geometry | T::Geography => {
            push(out, format_args!("{ty}"));
            if let Some(system) = systems.next() {
                push(out, format_args!("({system})"));
            }
        }
        T::Timestamp {
            zone: Zone::Unstated,
            ..
        } if format == Format::Parquet => {
            out.push_str("int96 timestamp");
        }
        T::Timestamp { unit, zone } => {
            let zone = match zone {
                Zone::Utc => "UTC",
                Zone::Local => "local",
                Zone::Unstated => "no zone",
            };
            push(out, format_args!("timestamp({}, {zone})", unit_name(*unit)));
        }
        T::Time { unit, utc } => {
            let zone = if *utc { "UTC" } else { "local" };
            push(out, format_args!("time({}, {zone})", unit_name(*unit)));
        }
        T::List(element) => {
            out.push_str("array<");
            push_type(out, &element.ty, format, systems);
            out.push('>');
        }
        T::Map(entry) => {
            out.push_str("map<");
            push_type(out, &entry[0].ty, format, systems);
            out.push(',');
            push_type(out, &entry[1].ty, format, systems);
            out.push('>');
        }
        T::Struct(fields) => push_fields(out, "struct<", fields, format, systems),
        T::Union(fields) => push_fields(out, "uniontype<", fields, format, systems),
        other => push(out, format_args!("{other}")),
    }
}

fn push_fields(
    out: &mut String,
    keyword: &str,
    fields: &[Field],
    format: Format,
    systems: &mut Systems<'_>,
) {
    out.push_str(keyword);
    for (index, field) in fields.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        push(out, format_args!("{comma}{}:", field.name));
        push_type(out, &field.ty, format, systems);
    }
    out.push('>');
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("text takes all that is written to it");
}

fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Millis => "ms",
        TimeUnit::Micros => "us",
        TimeUnit::Nanos => "ns",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_show_unit_and_zone_at_any_depth() {
        let of = |unit, zone| LogicalType::Timestamp { unit, zone };
        let shown = |ty: &LogicalType| shown_type(ty, Format::Parquet);
        assert_eq!(
            shown(&of(TimeUnit::Micros, Zone::Utc)),
            "timestamp(us, UTC)"
        );
        assert_eq!(
            shown(&of(TimeUnit::Millis, Zone::Local)),
            "timestamp(ms, local)"
        );
        let unstated = of(TimeUnit::Nanos, Zone::Unstated);
        assert_eq!(shown(&unstated), "int96 timestamp");
        assert_eq!(shown_type(&unstated, Format::Orc), "timestamp(ns, no zone)");
        let time = LogicalType::Time {
            unit: TimeUnit::Nanos,
            utc: false,
        };
        let fields = [
            Field::nullable("at", time),
            Field::required("id", LogicalType::Int32),
        ];
        let element = Field::nullable("element", LogicalType::Struct(fields.into()));
        let list = LogicalType::List(element.into());
        assert_eq!(shown(&list), "array<struct<at:time(ns, local),id:int>>");
    }

    #[test]
    fn names_that_hold_dots_are_quoted() {
        assert_eq!(shown_path(&["a", "b"]), "a.b");
        assert_eq!(shown_path(&["a.b", "c`d"]), "`a.b`.`c``d`");
    }
}
