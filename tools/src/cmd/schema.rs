//! `lith schema`: the columns of a file or dataset, partition columns last.

use std::io::{self, Write};

use lith_format::error::Error;
use lith_format::meta::Format;
use lith_format::orc::encoding::TypeKind;
use lith_format::render::{escape_controls, escape_json, render_json_string};
use lith_format::scan::TableSchema;
use lith_format::schema::Schema as StoredSchema;
use lith_format::types::LogicalType;
use lith_format::{orc, parquet};
use lith_planner::ddl::{create_table, spark_notation};
use lith_reader::file::File;

use crate::args::{Schema, SchemaFormat};
use crate::dataset::Opened;
use crate::failure::{Result, print_stderr};
use crate::leaves::shorten;
use crate::names::{located_type, shown_path};
use crate::summary::is_acid;
use crate::warnings::ACID;

pub(super) fn run(args: &Schema) -> Result {
    let opened = Opened::new(&args.input)?;
    let table = &opened.table.schema;
    let path = opened.paths().first().cloned().unwrap_or_default();
    let at = |error: Error| error.at_path(&path);
    let first = || opened.files().next().transpose();
    let format = opened.format.unwrap_or(Format::Parquet);
    let text = match args.format {
        SchemaFormat::Text => text(table, format, systems(&opened, CRS_WIDTH)?),
        SchemaFormat::Json => json(table, format, systems(&opened, usize::MAX)?),
        SchemaFormat::Spark => {
            check_for_spark(&opened)?;
            spark_notation(&table.schema) + "\n"
        }
        SchemaFormat::Ddl => {
            check_for_spark(&opened)?;
            ddl(&opened)?
        }
        SchemaFormat::Parquet => match first()?.as_ref().and_then(File::parquet) {
            Some(file) => parquet::notation::notation(&file.footer().schema),
            None => {
                let elements = parquet::schema::encode(&stored(table)).map_err(at)?;
                parquet::notation::notation(&elements)
            }
        },
        SchemaFormat::Orc => match first()?.as_ref().and_then(File::orc) {
            Some(file) => line(&orc::notation::notation(&file.footer().types)),
            None => {
                let types = orc::schema::encode(&stored(table)).map_err(at)?;
                line(&orc::notation::notation(&types))
            }
        },
    };
    if is_acid(&table.schema.fields[..table.data_columns()]) {
        print_stderr(&format!("lith: warning: {ACID}"));
    }
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

/// The columns that files hold: in a format's notation there is no place for those of directories.
fn stored(table: &TableSchema) -> StoredSchema {
    let fields = &table.schema.fields[..table.data_columns()];
    StoredSchema::new(fields.to_vec())
}

fn line(text: &str) -> String {
    escape_controls(text) + "\n"
}

/// The digits that a decimal of Spark may have.
const SPARK_DIGITS: u8 = 38;
/// The reference system of geometries and geographies that state none.
const DEFAULT_CRS: &str = "OGC:CRS84";
/// How much of a reference system is shown: it may be a whole document.
const CRS_WIDTH: usize = 60;

/// Refuses columns that Spark has no type for.
fn check_for_spark(opened: &Opened) -> Result {
    for (path, field) in opened.table.schema.schema.leaves() {
        if matches!(field.ty, LogicalType::Decimal { precision, .. } if precision > SPARK_DIGITS) {
            let message = format!("Spark has no {}", field.ty);
            return Err(Error::unsupported(message)
                .at_column(shown_path(&path))
                .into());
        }
    }
    // the table's columns are the first file's
    let Some(file) = opened.files().next().transpose()? else {
        return Ok(());
    };
    let shapes = shapes(&opened.table.schema.schema);
    for (name, (crs, _)) in shapes.into_iter().zip(reference_systems(&file)) {
        // EPSG:4326 has the axes in another order, which Spark ignores
        if !["", "OGC:CRS84", "EPSG:4326", "srid:4326"].contains(&crs) {
            let crs = shorten(crs, CRS_WIDTH);
            let message = format!("the reference system {crs} has no known equivalent in Spark");
            let error = Error::unsupported(message).at_column(name);
            return Err(error.at_path(file.path()).into());
        }
    }
    Ok(())
}

/// The reference systems of the geometries and geographies of a file, in the order of the columns, empty for the
/// default one; and for geographies, the algorithm of edges.
fn reference_systems(file: &File) -> Vec<(&str, Option<String>)> {
    use parquet::logical::LogicalType as Annotation;
    let great_circles = || "SPHERICAL".to_owned();
    let elements = file
        .parquet()
        .into_iter()
        .flat_map(|file| &file.footer().schema);
    let of_parquet = elements.filter_map(|element| match element.logical_type.as_ref()? {
        Annotation::Geometry(crs) => Some((crs.as_deref(), None)),
        Annotation::Geography(geography) => {
            let edges = geography.algorithm.map(|edges| edges.to_string());
            Some((
                geography.crs.as_deref(),
                Some(edges.unwrap_or_else(great_circles)),
            ))
        }
        _ => None,
    });
    let types = file.orc().into_iter().flat_map(|file| &file.footer().types);
    let of_orc = types.filter_map(|ty| match ty.kind {
        TypeKind::Geometry => Some((ty.crs.as_deref(), None)),
        TypeKind::Geography => {
            let edges = ty.algorithm.map(|edges| edges.to_string());
            Some((ty.crs.as_deref(), Some(edges.unwrap_or_else(great_circles))))
        }
        _ => None,
    });
    let systems = of_parquet.chain(of_orc);
    systems
        .map(|(crs, edges)| (crs.unwrap_or_default(), edges))
        .collect()
}

/// The paths of the geometries and geographies of a table.
fn shapes(schema: &StoredSchema) -> Vec<String> {
    let leaves = schema.leaves().into_iter();
    let shapes = leaves
        .filter(|(_, leaf)| matches!(leaf.ty, LogicalType::Geometry | LogicalType::Geography));
    shapes.map(|(path, _)| shown_path(&path)).collect()
}

/// The reference systems of the geometries and geographies of a table, which has the columns of the first file; each
/// is cut to `width` characters.
fn systems(opened: &Opened, width: usize) -> Result<Vec<String>> {
    if shapes(&opened.table.schema.schema).is_empty() {
        return Ok(Vec::new());
    }
    let Some(file) = opened.files().next().transpose()? else {
        return Ok(Vec::new());
    };
    let systems = reference_systems(&file).into_iter().map(|(crs, edges)| {
        let crs = match crs {
            "" => DEFAULT_CRS.to_owned(),
            crs => shorten(crs, width),
        };
        match edges {
            None => crs,
            Some(edges) => format!("{crs}, {edges}"),
        }
    });
    Ok(systems.collect())
}

/// The statement for one file or directory, whose name is the table's.
fn ddl(opened: &Opened) -> Result<String> {
    let no_table = |why: &str| Error::invalid(format!("a table of SQL has {why}"));
    let [path] = opened.paths() else {
        return Err(no_table("one location, and several paths are given").into());
    };
    let location = path.canonicalize();
    let location = location.map_err(|_| no_table("a location, not a pattern").at_path(path))?;
    let mut formats = Vec::new();
    for file in opened.files() {
        formats.push(file?.format());
    }
    formats.dedup();
    let &[format] = &formats[..] else {
        return Err(no_table("files of one format").at_path(path).into());
    };
    let name = location
        .file_stem()
        .unwrap_or_default()
        .display()
        .to_string();
    let location = location.display().to_string();
    Ok(create_table(&name, &opened.table.schema, format, &location))
}

fn text(table: &TableSchema, format: Format, systems: Vec<String>) -> String {
    let mut systems = systems.into_iter();
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
        let ty = escape_controls(&located_type(&field.ty, format, &mut systems));
        // no width of a format may be as large as a name
        let padding = " ".repeat(width - name.chars().count());
        out.push_str(&format!("{name}{padding}  {ty}{mark}\n"));
    }
    out
}

fn json(table: &TableSchema, format: Format, systems: Vec<String>) -> String {
    let mut systems = systems.into_iter();
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
        out.push_str(",\"full_type\":");
        render_json_string(&located_type(&field.ty, format, &mut systems), &mut out);
        let (nullable, partition) = (field.nullable, index >= table.data_columns());
        out.push_str(&format!(
            ",\"nullable\":{nullable},\"partition\":{partition}}}"
        ));
    }
    out.push_str("]}\n");
    escape_json(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lith_format::schema::{Field, Schema};

    use super::*;

    #[test]
    fn names_may_be_longer_than_widths() {
        let long = "n".repeat(70_000);
        let names = ["a", long.as_str()];
        let fields = names.map(|name| Field::nullable(name, LogicalType::Int32));
        let table = TableSchema::of_file(Arc::new(Schema::new(fields.to_vec())));
        let text = text(&table, Format::Parquet, Vec::new());
        assert!(text.lines().all(|line| line.len() == long.len() + 5));
    }
}
