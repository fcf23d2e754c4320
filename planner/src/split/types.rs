//! Types and fields in the JSON of a plan. Types are words; those with parameters are lists that begin with one.
//!
//! ```text
//! "bigint"   ["decimal",12,2]   ["timestamp","micros","utc"]   ["list",FIELD]   ["struct",FIELD,..]
//! FIELD      {"name":"a","type":"bigint","nullable":true}
//! ```

use lith_format::error::{Error, Result};
use lith_format::schema::{Field, Schema};
use lith_format::types::{LogicalType as T, TimeUnit, Zone};
use serde_json::{Value, json};

/// The types without parameters.
const FLAT: [(&str, T); 23] = [
    ("void", T::Null),
    ("boolean", T::Boolean),
    ("tinyint", T::Int8),
    ("smallint", T::Int16),
    ("int", T::Int32),
    ("bigint", T::Int64),
    ("utinyint", T::UInt8),
    ("usmallint", T::UInt16),
    ("uint", T::UInt32),
    ("ubigint", T::UInt64),
    ("half", T::Float16),
    ("float", T::Float32),
    ("double", T::Float64),
    ("date", T::Date),
    ("string", T::String),
    ("enum", T::Enum),
    ("json", T::Json),
    ("binary", T::Binary),
    ("bson", T::Bson),
    ("uuid", T::Uuid),
    ("interval", T::Interval),
    ("geometry", T::Geometry),
    ("geography", T::Geography),
];

const UNITS: [(&str, TimeUnit); 3] = [
    ("millis", TimeUnit::Millis),
    ("micros", TimeUnit::Micros),
    ("nanos", TimeUnit::Nanos),
];

const ZONES: [(&str, Zone); 3] = [
    ("utc", Zone::Utc),
    ("local", Zone::Local),
    ("unstated", Zone::Unstated),
];

fn word<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> Option<&'static str> {
    table
        .iter()
        .find(|entry| entry.1 == *value)
        .map(|entry| entry.0)
}

fn value<T: Clone>(table: &[(&str, T)], word: &Value) -> Option<T> {
    let word = word.as_str()?;
    table
        .iter()
        .find(|entry| entry.0 == word)
        .map(|entry| entry.1.clone())
}

pub(super) fn schema_json(schema: &Schema) -> Result<Value> {
    schema.fields.iter().map(field_json).collect()
}

fn field_json(field: &Field) -> Result<Value> {
    Ok(json!({"name": field.name, "type": type_json(&field.ty)?, "nullable": field.nullable}))
}

fn type_json(ty: &T) -> Result<Value> {
    if let Some(word) = word(&FLAT, ty) {
        return Ok(json!(word));
    }
    let nested = |name: &str| {
        let fields = ty.fields().iter().map(field_json);
        std::iter::once(Ok(json!(name)))
            .chain(fields)
            .collect::<Result<Value>>()
    };
    Ok(match ty {
        T::Decimal { precision, scale } => json!(["decimal", precision, scale]),
        T::Time { unit, utc } => json!(["time", word(&UNITS, unit), utc]),
        T::Timestamp { unit, zone } => json!(["timestamp", word(&UNITS, unit), word(&ZONES, zone)]),
        T::Char(length) => json!(["char", length]),
        T::Varchar(length) => json!(["varchar", length]),
        T::Fixed(length) => json!(["fixed", length]),
        T::List(_) => nested("list")?,
        T::Map(_) => nested("map")?,
        T::Struct(_) => nested("struct")?,
        T::Union(_) => nested("union")?,
        other => return Err(Error::unsupported(format!("plans with columns of {other}"))),
    })
}

pub(super) fn schema_of(json: &Value) -> Result<Schema> {
    Ok(Schema::new(fields_of(
        json.as_array().map(Vec::as_slice),
        0,
    )?))
}

/// How deep types may be nested.
const MAX_DEPTH: usize = 100;

fn fields_of(items: Option<&[Value]>, depth: usize) -> Result<Vec<Field>> {
    let items = items.ok_or_else(|| super::malformed("fields"))?;
    let field = |json: &Value| {
        Ok(Field {
            name: super::text(json, "name")?.to_owned(),
            ty: type_of(&json["type"], depth)?,
            nullable: json["nullable"]
                .as_bool()
                .ok_or_else(|| super::malformed("nullable"))?,
        })
    };
    items.iter().map(field).collect()
}

fn type_of(json: &Value, depth: usize) -> Result<T> {
    if let Some(ty) = value(&FLAT, json) {
        return Ok(ty);
    }
    if depth > MAX_DEPTH {
        return Err(Error::limit(format!(
            "types of a plan are nested more than {MAX_DEPTH} levels deep"
        )));
    }
    let unknown = || super::malformed("type");
    let items = json.as_array().map(Vec::as_slice).unwrap_or_default();
    let (name, rest) = items.split_first().ok_or_else(unknown)?;
    let fields = || fields_of(Some(rest), depth + 1);
    let ty = match (name.as_str(), rest) {
        (Some("decimal"), [precision, scale]) => {
            let digits = |json: &Value| json.as_u64().and_then(|digits| u8::try_from(digits).ok());
            digits(precision)
                .zip(digits(scale))
                .map(|(precision, scale)| T::Decimal { precision, scale })
        }
        (Some("time"), [unit, utc]) => value(&UNITS, unit)
            .zip(utc.as_bool())
            .map(|(unit, utc)| T::Time { unit, utc }),
        (Some("timestamp"), [unit, zone]) => {
            let parts = value(&UNITS, unit).zip(value(&ZONES, zone));
            parts.map(|(unit, zone)| T::Timestamp { unit, zone })
        }
        (Some(name @ ("char" | "varchar" | "fixed")), [length]) => {
            let length = length
                .as_u64()
                .and_then(|length| u32::try_from(length).ok());
            length.map(|length| match name {
                "char" => T::Char(length),
                "varchar" => T::Varchar(length),
                _ => T::Fixed(length),
            })
        }
        (Some("list"), [_]) => fields()?.pop().map(|element| T::List(element.into())),
        (Some("map"), [_, _]) => <[Field; 2]>::try_from(fields()?)
            .ok()
            .map(|entry| T::Map(entry.into())),
        (Some("struct"), _) => Some(T::Struct(fields()?.into())),
        (Some("union"), _) => Some(T::Union(fields()?.into())),
        _ => None,
    };
    ty.ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_returns() {
        let time = |unit, utc| T::Time { unit, utc };
        let stamps = UNITS.iter().flat_map(|(_, unit)| {
            ZONES.iter().map(|(_, zone)| T::Timestamp {
                unit: *unit,
                zone: *zone,
            })
        });
        let nested = Field::required("x", T::Union([Field::nullable("", T::Fixed(3))].into()));
        let types = [
            T::Decimal {
                precision: 38,
                scale: 4,
            },
            T::Char(3),
            T::Varchar(70_000),
            time(TimeUnit::Millis, true),
            time(TimeUnit::Nanos, false),
            T::List(nested.clone().into()),
            T::Map([nested.clone(), Field::nullable("v", T::Date)].into()),
            T::Struct([nested, Field::nullable("ü", T::UInt64)].into()),
        ];
        let flat = FLAT.iter().map(|entry| entry.1.clone());
        let fields = flat
            .chain(stamps)
            .chain(types)
            .map(|ty| Field::nullable("c", ty));
        let schema = Schema::new(fields.collect());
        assert_eq!(schema_of(&schema_json(&schema).unwrap()).unwrap(), schema);
    }

    #[test]
    fn what_is_no_type_is_refused() {
        let field = |ty: Value| json!([{"name": "a", "type": ty, "nullable": true}]);
        for ty in [
            json!("long"),
            json!(3),
            json!([]),
            json!(["decimal", 400, 2]),
            json!(["list"]),
            json!(["map", {}]),
        ] {
            assert!(schema_of(&field(ty.clone())).is_err(), "{ty}");
        }
        let deep = (0..300).fold(
            json!("int"),
            |ty, _| json!(["list", {"name": "e", "type": ty, "nullable": true}]),
        );
        assert!(schema_of(&field(deep)).is_err());
    }
}
