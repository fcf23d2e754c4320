//! `lith schema`: the columns of a file or dataset, partition columns last.

use std::io::{self, Write};

use lith_format::orc::notation::notation;
use lith_format::orc::schema::encode;
use lith_format::render::{escape_controls, render_json_string};
use lith_format::scan::TableSchema;

use crate::args::{Schema, SchemaFormat};
use crate::dataset::Opened;
use crate::failure::Result;

pub(super) fn run(args: &Schema) -> Result {
    let table = Opened::new(&args.input)?.table.schema;
    let text = match args.format {
        SchemaFormat::Text => text(&table),
        SchemaFormat::Json => json(&table),
        SchemaFormat::Spark => format!("{}\n", escape_controls(&table.schema.to_string())),
        SchemaFormat::Orc => format!("{}\n", escape_controls(&notation(&encode(&table.schema)?))),
    };
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

fn text(table: &TableSchema) -> String {
    let fields = &table.schema.fields;
    let shown = |name: &str| escape_controls(name).chars().count();
    let width = fields.iter().map(|field| shown(&field.name)).max();
    let width = width.unwrap_or(0);
    let mut out = String::new();
    for (index, field) in fields.iter().enumerate() {
        let mark = match (index >= table.data_columns(), field.nullable) {
            (true, _) => "  partition",
            (false, true) => "",
            (false, false) => "  not null",
        };
        let name = escape_controls(&field.name);
        let ty = escape_controls(&field.ty.to_string());
        out.push_str(&format!("{name:width$}  {ty}{mark}\n"));
    }
    out
}

fn json(table: &TableSchema) -> String {
    let mut out = String::from("{\"schema_version\":1,\"columns\":[");
    for (index, field) in table.schema.fields.iter().enumerate() {
        out.push_str(if index > 0 {
            ",{\"name\":"
        } else {
            "{\"name\":"
        });
        render_json_string(&field.name, &mut out);
        out.push_str(",\"type\":");
        render_json_string(&field.ty.to_string(), &mut out);
        let (nullable, partition) = (field.nullable, index >= table.data_columns());
        out.push_str(&format!(
            ",\"nullable\":{nullable},\"partition\":{partition}}}"
        ));
    }
    out.push_str("]}\n");
    out
}
