//! The stored columns a scan needs, as Spark prints them in ReadSchema: those of the output and of the
//! filters after the scan, in the table's order, structs cut down to the fields in use.

use std::collections::HashMap;
use std::sync::Arc;

use lith_format::scan::TableSchema;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;

use crate::expr::{Expr, SUBSCRIPT};
use crate::resolve::spark_type;

/// The table with the structs cut down of which only some fields are in use; an `output` of `None` uses all.
pub fn narrow(
    table: &TableSchema,
    output: Option<&[Expr]>,
    condition: Option<&Expr>,
) -> TableSchema {
    let Some(output) = output else {
        return table.clone();
    };
    let used = paths(output.iter().chain(condition));
    let fields = table.schema.fields.iter().enumerate();
    let fields = fields.map(|(index, field)| match used.get(&index) {
        None => field.clone(),
        Some(paths) => cut_to(field, paths),
    });
    TableSchema {
        schema: Arc::new(Schema::new(fields.collect())),
        partition_columns: table.partition_columns,
    }
}

/// The paths in use below each top-level column.
type Paths = HashMap<usize, Vec<Vec<usize>>>;

fn paths<'a>(exprs: impl Iterator<Item = &'a Expr>) -> Paths {
    let mut out = Paths::new();
    exprs.for_each(|expr| add_paths(expr, &[], &mut out));
    out
}

/// Adds what an expression reads, of whose value only the fields `below` are in use.
fn add_paths(expr: &Expr, below: &[usize], out: &mut Paths) {
    let items = [SUBSCRIPT, "get", "element_at", "try_element_at"];
    match expr.checked() {
        Expr::Column(column) => {
            if let Some(bound) = &column.bound {
                let path = [&bound.fields, below].concat();
                out.entry(bound.index).or_default().push(path);
            }
        }
        Expr::Field { expr, index, .. } => add_paths(expr, &[&[*index], below].concat(), out),
        Expr::Function { name, args, .. } if items.contains(&name.as_str()) => {
            for (number, arg) in args.iter().enumerate() {
                // paths go through arrays, not through maps
                let is_array = number == 0 && matches!(arg.ty(), LogicalType::List(_));
                add_paths(arg, if is_array { below } else { &[] }, out);
            }
        }
        expr => (expr.children().into_iter()).for_each(|child| add_paths(child, &[], out)),
    }
}

/// The columns needed, in Spark's types; an `output` of `None` is every column.
pub fn read_schema(table: &TableSchema, output: Option<&[Expr]>, post_filter: &[Expr]) -> Schema {
    let paths = paths(output.unwrap_or_default().iter().chain(post_filter));
    let data_fields = table.schema.fields.iter().take(table.data_columns());
    let needed =
        data_fields
            .enumerate()
            .filter_map(|(index, field)| match (output, paths.get(&index)) {
                (None, _) => Some(as_spark(field)),
                (Some(_), paths) => Some(as_spark(&cut_to(field, paths?))),
            });
    Schema::new(needed.collect())
}

/// Every column in the type that Spark gives it.
pub fn spark_schema(schema: &Schema) -> Schema {
    Schema::new(schema.fields.iter().map(as_spark).collect())
}

fn cut_to(field: &Field, paths: &[Vec<usize>]) -> Field {
    let paths: Vec<&[usize]> = paths.iter().map(Vec::as_slice).collect();
    cut(field, &paths)
}

/// The field with only the parts on these paths; a path that ends here needs all of it.
fn cut(field: &Field, paths: &[&[usize]]) -> Field {
    if paths.iter().any(|path| path.is_empty()) {
        return field.clone();
    }
    let inner = match &field.ty {
        LogicalType::Struct(inner) => inner,
        // paths go through arrays to the fields of their elements
        LogicalType::List(element) => {
            let ty = LogicalType::List(Arc::new(cut(element, paths)));
            return Field {
                ty,
                ..field.clone()
            };
        }
        _ => return field.clone(),
    };
    let kept = inner.iter().enumerate().filter_map(|(index, child)| {
        let deeper: Vec<&[usize]> = paths
            .iter()
            .filter_map(|path| path.split_first())
            .filter(|(first, _)| **first == index)
            .map(|(_, rest)| rest)
            .collect();
        (!deeper.is_empty()).then(|| cut(child, &deeper))
    });
    Field {
        name: field.name.clone(),
        ty: LogicalType::Struct(kept.collect()),
        nullable: field.nullable,
    }
}

/// The field in the types that Spark gives it, at every depth.
fn as_spark(field: &Field) -> Field {
    use LogicalType as T;
    let ty = match &field.ty {
        T::List(element) => T::List(as_spark(element).into()),
        T::Map(entry) => T::Map([as_spark(&entry[0]), as_spark(&entry[1])].into()),
        T::Struct(fields) => T::Struct(fields.iter().map(as_spark).collect()),
        // only computed in another unit
        time @ T::Time { .. } => time.clone(),
        // only read as bytes
        shape @ (T::Geometry | T::Geography) => shape.clone(),
        flat => spark_type(flat),
    };
    Field {
        name: field.name.clone(),
        ty,
        nullable: field.nullable,
    }
}
