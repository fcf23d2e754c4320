//! A footer's schema in the message notation of the specification's own tools, one node a line:
//!
//! ```text
//! message schema {
//!   required int64 id = 1;
//!   optional group tags (LIST) {
//!     repeated group list {
//!       optional binary element (STRING);
//!     }
//!   }
//! }
//! ```
//! `= 1` is a field id. Control characters in names are shown, not printed.
// spec: README.md, "Nested Encoding"; LogicalTypes.md

use std::fmt::Write;

use crate::parquet::annotation::annotation;
use crate::parquet::encoding::{FieldRepetitionType, Type};
use crate::parquet::logical::{LogicalType, TimeType};
use crate::parquet::schema_element::SchemaElement;
use crate::render::escape_controls;
use crate::types::TimeUnit;

/// The message that `elements` describe, as a footer lists them: depth first, the root first.
pub fn notation(elements: &[SchemaElement]) -> String {
    let mut out = String::new();
    let Some((root, nodes)) = elements.split_first() else {
        return out;
    };
    let _ = writeln!(out, "message {} {{", escape_controls(&root.name));
    // children that the groups around a node still wait for
    let mut open = vec![children(root)];
    for node in nodes {
        close(&mut open, &mut out);
        if let Some(left) = open.last_mut() {
            *left = left.saturating_sub(1);
        }
        write_node(node, open.len(), &mut out);
        if is_group(node) {
            open.push(children(node));
        }
    }
    while open.pop().is_some() {
        let _ = writeln!(out, "{:1$}}}", "", 2 * open.len());
    }
    out
}

/// Ends the groups that have all their children. The root stays open until the end.
fn close(open: &mut Vec<usize>, out: &mut String) {
    while open.len() > 1 && open.last() == Some(&0) {
        open.pop();
        let _ = writeln!(out, "{:1$}}}", "", 2 * open.len());
    }
}

fn is_group(node: &SchemaElement) -> bool {
    node.physical_type.is_none()
}

fn children(node: &SchemaElement) -> usize {
    usize::try_from(node.num_children.unwrap_or(0)).unwrap_or(0)
}

fn write_node(node: &SchemaElement, depth: usize, out: &mut String) {
    let repetition = match node.repetition_type {
        Some(FieldRepetitionType::Required) | None => "required",
        Some(FieldRepetitionType::Optional) => "optional",
        Some(FieldRepetitionType::Repeated) => "repeated",
        Some(FieldRepetitionType::Unknown(_)) => "unknown",
    };
    let kind = node.physical_type.map_or("group", word);
    let _ = write!(out, "{:1$}{repetition} {kind}", "", 2 * depth);
    if let (Some(Type::FixedLenByteArray), Some(length)) = (node.physical_type, node.type_length) {
        let _ = write!(out, "({length})");
    }
    let _ = write!(out, " {}", escape_controls(&node.name));
    if let Some(meaning) = meaning(node) {
        let _ = write!(out, " ({})", escape_controls(&meaning));
    }
    if let Some(id) = node.field_id {
        let _ = write!(out, " = {id}");
    }
    out.push_str(if is_group(node) { " {\n" } else { ";\n" });
}

fn word(ty: Type) -> &'static str {
    match ty {
        Type::Boolean => "boolean",
        Type::Int32 => "int32",
        Type::Int64 => "int64",
        Type::Int96 => "int96",
        Type::Float => "float",
        Type::Double => "double",
        Type::ByteArray => "binary",
        Type::FixedLenByteArray => "fixed_len_byte_array",
        Type::Unknown(_) => "unknown",
    }
}

/// The annotation with its parameters. Converted types that no logical type stands for keep their names.
fn meaning(node: &SchemaElement) -> Option<String> {
    if let (Some(LogicalType::Other(_)) | None, Some(converted)) =
        (annotation(node), node.converted_type)
    {
        return Some(converted.to_string());
    }
    let annotation = annotation(node)?;
    let name = annotation.name();
    let parameters = match &annotation {
        LogicalType::Decimal(decimal) => format!("({},{})", decimal.precision, decimal.scale),
        LogicalType::Time(time) | LogicalType::Timestamp(time) => time_parameters(*time),
        LogicalType::Integer(int) => format!("({},{})", int.bit_width, int.is_signed),
        LogicalType::Variant(Some(version)) => format!("({version})"),
        LogicalType::Geometry(Some(crs)) => format!("({crs})"),
        LogicalType::Geography(geography) => {
            let edges = geography.algorithm.map(|algorithm| algorithm.to_string());
            let parts: Vec<String> = geography.crs.clone().into_iter().chain(edges).collect();
            match parts.is_empty() {
                true => String::new(),
                false => format!("({})", parts.join(",")),
            }
        }
        LogicalType::Other(id) => format!("({id})"),
        _ => String::new(),
    };
    Some(format!("{name}{parameters}"))
}

fn time_parameters(time: TimeType) -> String {
    let unit = match time.unit {
        Some(TimeUnit::Millis) => "MILLIS",
        Some(TimeUnit::Micros) => "MICROS",
        Some(TimeUnit::Nanos) => "NANOS",
        None => "UNKNOWN",
    };
    format!("({unit},{})", time.is_adjusted_to_utc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::encoding::ConvertedType;
    use crate::schema::{Field, Schema};
    use crate::types::{LogicalType as T, Zone};

    #[test]
    fn groups_end_where_their_children_do() {
        let tags = T::List(Field::nullable("element", T::String).into());
        let prices = T::Map(
            [
                Field::required("key", T::Date),
                Field::nullable(
                    "value",
                    T::Decimal {
                        precision: 10,
                        scale: 2,
                    },
                ),
            ]
            .into(),
        );
        let point = T::Struct(
            [
                Field::required("x", T::UInt8),
                Field::nullable("y", T::Uuid),
            ]
            .into(),
        );
        let at = T::Timestamp {
            unit: TimeUnit::Micros,
            zone: Zone::Local,
        };
        let schema = Schema::new(vec![
            Field::required("id", T::Int64),
            Field::nullable("tags", tags),
            Field::nullable("prices", prices),
            Field::required("point\n", point),
            Field::nullable("at", at),
        ]);
        let mut elements = crate::parquet::schema::encode(&schema).unwrap();
        elements[1].field_id = Some(1);
        let expected = "\
message schema {
  required int64 id = 1;
  optional group tags (LIST) {
    repeated group list {
      optional binary element (STRING);
    }
  }
  optional group prices (MAP) {
    repeated group key_value {
      required int32 key (DATE);
      optional int64 value (DECIMAL(10,2));
    }
  }
  required group point\\n {
    required int32 x (INTEGER(8,false));
    optional fixed_len_byte_array(16) y (UUID);
  }
  optional int64 at (TIMESTAMP(MICROS,false));
}
";
        assert_eq!(notation(&elements), expected);
    }

    #[test]
    fn converted_types_mean_what_logical_types_do_or_keep_their_names() {
        let element = |physical_type, converted_type| SchemaElement {
            physical_type,
            converted_type: Some(converted_type),
            name: "c".into(),
            ..SchemaElement::default()
        };
        for (node, expected) in [
            (
                element(Some(Type::ByteArray), ConvertedType::Utf8),
                Some("STRING"),
            ),
            (
                element(Some(Type::Int64), ConvertedType::TimeMicros),
                Some("TIME(MICROS,true)"),
            ),
            (element(None, ConvertedType::List), Some("LIST")),
            (
                element(None, ConvertedType::MapKeyValue),
                Some("MAP_KEY_VALUE"),
            ),
            (
                element(Some(Type::FixedLenByteArray), ConvertedType::Interval),
                Some("INTERVAL"),
            ),
        ] {
            assert_eq!(meaning(&node).as_deref(), expected);
        }
    }

    #[test]
    fn elements_that_are_no_tree_end() {
        let group = |children| SchemaElement {
            num_children: Some(children),
            name: "g".into(),
            ..SchemaElement::default()
        };
        let text = notation(&[group(1), group(i32::MAX), group(-1), group(0)]);
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        assert_eq!(notation(&[]), "");
    }
}
