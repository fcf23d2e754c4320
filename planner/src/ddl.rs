//! A table as a statement of Spark's SQL that makes it known, in the types that Spark gives its columns:
//!
//! ```sql
//! CREATE TABLE orders (
//!   order_id BIGINT NOT NULL,
//!   city STRING,
//!   store_id STRING
//! )
//! USING parquet
//! PARTITIONED BY (store_id)
//! LOCATION 'warehouse/orders';
//! ```

mod parse;

use std::fmt::Write;

use lith_format::meta::Format;
use lith_format::render::escape_controls;
use lith_format::scan::TableSchema;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;

use crate::expr::name_sql;
use crate::read_schema::spark_schema;

pub use parse::parse_columns;

/// The statement for a table of this name, format and place. Its shapes are in the default reference system.
pub fn create_table(name: &str, table: &TableSchema, format: Format, location: &str) -> String {
    let schema = spark_schema(&table.schema);
    let mut out = String::new();
    if std::iter::once(name)
        .chain(names(&schema.fields))
        .any(|name| name.contains(char::is_control))
    {
        out.push_str("-- control characters of names are shown as escapes, which Spark's names do not have\n");
    }
    let _ = write!(out, "CREATE TABLE {}", quoted(name));
    for (index, field) in schema.fields.iter().enumerate() {
        let before = if index == 0 { " (" } else { "," };
        let _ = write!(
            out,
            "{before}\n  {} {}",
            quoted(&field.name),
            ddl_type(&field.ty)
        );
        if !field.nullable {
            out.push_str(" NOT NULL");
        }
    }
    // Spark has no empty list of columns
    let end = if schema.fields.is_empty() { "" } else { "\n)" };
    let _ = write!(out, "{end}\nUSING {format}");
    let partitions = schema.fields.iter().skip(table.data_columns());
    let partitions: Vec<String> = partitions.map(|field| quoted(&field.name)).collect();
    if !partitions.is_empty() {
        let _ = write!(out, "\nPARTITIONED BY ({})", partitions.join(", "));
    }
    let _ = writeln!(out, "\nLOCATION '{}';", literal(location));
    out
}

/// The columns as one type, `struct<a:int,b:array<string>>`, with every name written so that Spark reads it back.
/// Shapes are in the default reference system.
pub fn spark_notation(schema: &Schema) -> String {
    let schema = spark_schema(schema);
    lower_type(&LogicalType::Struct(schema.fields.into()))
}

fn lower_type(ty: &LogicalType) -> String {
    use LogicalType as T;
    match ty {
        T::List(element) => format!("array<{}>", lower_type(&element.ty)),
        T::Map(entry) => {
            let [key, value] = [&entry[0], &entry[1]].map(|field| lower_type(&field.ty));
            format!("map<{key},{value}>")
        }
        T::Struct(fields) => {
            let field =
                |field: &Field| format!("{}:{}", quoted(&field.name), lower_type(&field.ty));
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("struct<{}>", fields.join(","))
        }
        flat => flat_type(flat),
    }
}

/// A type without fields. Shapes are those of the default reference system, whose number is 4326.
fn flat_type(ty: &LogicalType) -> String {
    match ty {
        LogicalType::Geometry | LogicalType::Geography => format!("{ty}(4326)"),
        _ => ty.to_string(),
    }
}

/// Text between quotes, with the escapes of Spark's literals.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '\'' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// The names of fields and of all below them.
fn names(fields: &[Field]) -> Vec<&str> {
    let mut names = Vec::new();
    let mut left: Vec<&Field> = fields.iter().collect();
    while let Some(field) = left.pop() {
        names.push(field.name.as_str());
        match &field.ty {
            LogicalType::List(element) => left.push(element),
            LogicalType::Map(entry) => left.extend(entry.iter()),
            LogicalType::Struct(fields) | LogicalType::Union(fields) => left.extend(fields.iter()),
            _ => {}
        }
    }
    names
}

fn ddl_type(ty: &LogicalType) -> String {
    use LogicalType as T;
    match ty {
        T::List(element) => format!("ARRAY<{}>", ddl_type(&element.ty)),
        T::Map(entry) => {
            format!(
                "MAP<{}, {}>",
                ddl_type(&entry[0].ty),
                ddl_type(&entry[1].ty)
            )
        }
        T::Struct(fields) | T::Union(fields) => {
            let field = |field: &Field| {
                let not_null = if field.nullable { "" } else { " NOT NULL" };
                format!("{}: {}{not_null}", quoted(&field.name), ddl_type(&field.ty))
            };
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("STRUCT<{}>", fields.join(", "))
        }
        flat => flat_type(flat).to_uppercase(),
    }
}

/// A name on one line, whatever it holds.
fn quoted(name: &str) -> String {
    escape_controls(&name_sql(name))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lith_format::schema::Schema;

    use super::*;

    #[test]
    fn control_characters_are_escaped_where_they_can_be_and_told_of() {
        let inner = Field::nullable("a\u{1b}`b", LogicalType::Int32);
        let ty = LogicalType::Struct([inner].into());
        let table = TableSchema::of_file(Arc::new(Schema::new(vec![Field::nullable("s", ty)])));
        let statement = create_table("t", &table, Format::Parquet, "a\u{1b}\n\\n'");
        assert_eq!(
            statement,
            "\
-- control characters of names are shown as escapes, which Spark's names do not have
CREATE TABLE t (
  s STRUCT<`a\\u{1b}``b`: INT>
)
USING parquet
LOCATION 'a\\u001b\\u000a\\\\n\\'';
"
        );
    }

    #[test]
    fn columns_places_and_partitions() {
        let inner = [
            Field::required("a b", LogicalType::UInt16),
            Field::nullable("c", LogicalType::Json),
        ];
        let fields = vec![
            Field::required("id", LogicalType::Int64),
            Field::nullable(
                "list",
                LogicalType::List(Field::nullable("e", LogicalType::Struct(inner.into())).into()),
            ),
            Field::nullable(
                "1st",
                LogicalType::Decimal {
                    precision: 10,
                    scale: 2,
                },
            ),
            Field::nullable("store", LogicalType::String),
        ];
        let table = TableSchema {
            schema: Arc::new(Schema::new(fields)),
            partition_columns: 1,
        };
        let expected = "\
CREATE TABLE `or-ders` (
  id BIGINT NOT NULL,
  list ARRAY<STRUCT<`a b`: INT NOT NULL, c: STRING>>,
  `1st` DECIMAL(10,2),
  store STRING
)
USING orc
PARTITIONED BY (store)
LOCATION 'it\\'s';
";
        assert_eq!(
            create_table("or-ders", &table, Format::Orc, "it's"),
            expected
        );
    }

    #[test]
    fn a_table_without_columns_has_no_list_of_them() {
        let table = TableSchema::of_file(Arc::new(Schema::new(Vec::new())));
        let expected = "CREATE TABLE t\nUSING orc\nLOCATION 'l';\n";
        assert_eq!(create_table("t", &table, Format::Orc, "l"), expected);
    }

    #[test]
    fn names_that_are_no_words_are_quoted_at_every_depth() {
        let field = |name: &str, ty| Field::nullable(name, ty);
        let inner = LogicalType::Struct(
            [
                field("x,y:z<", LogicalType::UInt8),
                field("b", LogicalType::Bson),
            ]
            .into(),
        );
        let list = LogicalType::List(field("element", inner.clone()).into());
        let key = Field::required("key", LogicalType::String);
        let map = LogicalType::Map([key, field("value", inner)].into());
        let schema = Schema::new(vec![
            field("a b", LogicalType::Int64),
            field("l", list),
            field("`", map),
        ]);
        assert_eq!(
            spark_notation(&schema),
            "struct<`a b`:bigint,l:array<struct<`x,y:z<`:smallint,b:binary>>,\
             ````:map<string,struct<`x,y:z<`:smallint,b:binary>>>"
        );
        assert_eq!(spark_notation(&Schema::default()), "struct<>");
    }
}
