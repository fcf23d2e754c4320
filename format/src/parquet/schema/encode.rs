//! From the neutral tree to the footer's flat list of schema elements: lists in three levels, and both
//! kinds of annotation, so that old readers understand, too.
//!
//! Names inside lists and maps are the specification's, whatever the neutral tree calls them.
// spec: LogicalTypes.md, "Nested Types"

use crate::error::{Error, Result};
use crate::parquet::annotation;
use crate::parquet::encoding::{ConvertedType, FieldRepetitionType};
use crate::parquet::logical::LogicalType as Annotation;
use crate::parquet::schema_element::SchemaElement;
use crate::schema::{Field, Schema};
use crate::types::LogicalType;

/// The elements of `schema`, the root first. Unions and empty structs are unsupported.
pub fn encode(schema: &Schema) -> Result<Vec<SchemaElement>> {
    let mut root = group("schema", schema.fields.len())?;
    root.repetition_type = None;
    let mut out = vec![root];
    for field in &schema.fields {
        push(&mut out, field, &field.name).map_err(|error| error.at_column(field.name.as_str()))?;
    }
    Ok(out)
}

/// Appends `field` under `name`.
fn push(out: &mut Vec<SchemaElement>, field: &Field, name: &str) -> Result<()> {
    let at = out.len();
    match &field.ty {
        LogicalType::List(element) => {
            out.push(annotated(name, 1, Annotation::List)?);
            out.push(repeated("list", 1)?);
            push(out, element, "element")?;
        }
        LogicalType::Map(entry) => push_map(out, name, entry)?,
        LogicalType::Struct(fields) | LogicalType::Variant(fields) => {
            if fields.is_empty() {
                return Err(Error::unsupported("parquet has no structs without fields"));
            }
            out.push(match &field.ty {
                LogicalType::Variant(_) => {
                    annotated(name, fields.len(), Annotation::Variant(Some(1)))?
                }
                _ => group(name, fields.len())?,
            });
            for field in fields.iter() {
                push(out, field, &field.name)?;
            }
        }
        leaf => out.push(SchemaElement {
            name: name.to_owned(),
            ..annotation::element(leaf)?
        }),
    }
    if let Some(node) = out.get_mut(at) {
        node.repetition_type = Some(match field.nullable {
            true => FieldRepetitionType::Optional,
            false => FieldRepetitionType::Required,
        });
    }
    Ok(())
}

/// Keys are required. A value that is an empty struct stands for a map without values.
fn push_map(out: &mut Vec<SchemaElement>, name: &str, [key, value]: &[Field; 2]) -> Result<()> {
    let keys_only = matches!(&value.ty, LogicalType::Struct(fields) if fields.is_empty());
    out.push(annotated(name, 1, Annotation::Map)?);
    out.push(repeated("key_value", if keys_only { 1 } else { 2 })?);
    push(out, &Field::required("key", key.ty.clone()), "key")?;
    if !keys_only {
        push(out, value, "value")?;
    }
    Ok(())
}

fn group(name: &str, children: usize) -> Result<SchemaElement> {
    let children =
        i32::try_from(children).map_err(|_| Error::unsupported("a struct has too many fields"))?;
    Ok(SchemaElement {
        name: name.to_owned(),
        num_children: Some(children),
        ..SchemaElement::default()
    })
}

fn repeated(name: &str, children: usize) -> Result<SchemaElement> {
    Ok(SchemaElement {
        repetition_type: Some(FieldRepetitionType::Repeated),
        ..group(name, children)?
    })
}

fn annotated(name: &str, children: usize, annotation: Annotation) -> Result<SchemaElement> {
    Ok(SchemaElement {
        converted_type: match annotation {
            Annotation::List => Some(ConvertedType::List),
            Annotation::Map => Some(ConvertedType::Map),
            _ => None,
        },
        logical_type: Some(annotation),
        ..group(name, children)?
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::parquet::schema::decode;
    use quickcheck::{Arbitrary, Gen, quickcheck};
    use std::sync::Arc;

    #[derive(Debug, Clone)]
    struct AnySchema(Schema);

    fn any_type(g: &mut Gen, depth: usize) -> LogicalType {
        let leaf = [
            LogicalType::Int8,
            LogicalType::String,
            LogicalType::Fixed(3),
        ];
        let field = |g: &mut Gen, name: &str| Field {
            name: name.to_owned(),
            ty: any_type(g, depth.saturating_sub(1)),
            nullable: bool::arbitrary(g),
        };
        match (depth, u8::arbitrary(g) % 6) {
            (1.., 0) => LogicalType::List(Arc::new(field(g, "element"))),
            (1.., 1) => {
                let mut key = field(g, "key");
                key.nullable = false;
                LogicalType::Map(Arc::new([key, field(g, "value")]))
            }
            (1.., 2) => {
                let empty = LogicalType::Struct(Arc::new([]));
                let key = Field::required("key", LogicalType::Date);
                LogicalType::Map(Arc::new([key, Field::nullable("value", empty)]))
            }
            (1.., 3) => LogicalType::Struct(Arc::new([field(g, "a"), field(g, "array")])),
            _ => g.choose(&leaf).unwrap().clone(),
        }
    }

    impl Arbitrary for AnySchema {
        fn arbitrary(g: &mut Gen) -> Self {
            let fields = (0..u8::arbitrary(g) % 5).map(|index| Field {
                name: format!("c{index}"),
                ty: any_type(g, 4),
                nullable: bool::arbitrary(g),
            });
            AnySchema(Schema::new(fields.collect()))
        }
    }

    quickcheck! {
        fn what_is_written_reads_back(schema: AnySchema) -> bool {
            let elements = encode(&schema.0).unwrap();
            let (back, leaves) = decode(&elements, &Limits::default()).unwrap();
            back == schema.0 && leaves.len() == back.leaf_count()
        }
    }

    #[test]
    fn a_list_takes_three_levels_and_both_annotations() {
        let element = Arc::new(Field::required("item", LogicalType::Date));
        let field = Field::nullable("l", LogicalType::List(element));
        let nodes = encode(&Schema::new(vec![field])).unwrap();
        let names: Vec<_> = nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["schema", "l", "list", "element"]);
        assert_eq!(nodes[0].repetition_type, None);
        assert_eq!(nodes[1].logical_type, Some(Annotation::List));
        assert_eq!(nodes[1].converted_type, Some(ConvertedType::List));
        assert_eq!(
            nodes[1].repetition_type,
            Some(FieldRepetitionType::Optional)
        );
        assert_eq!(
            nodes[2].repetition_type,
            Some(FieldRepetitionType::Repeated)
        );
        assert_eq!(
            nodes[3].repetition_type,
            Some(FieldRepetitionType::Required)
        );
        assert_eq!(nodes[3].converted_type, Some(ConvertedType::Date));
    }

    #[test]
    fn what_parquet_lacks_is_refused() {
        for ty in [
            LogicalType::Union(Arc::new([])),
            LogicalType::Struct(Arc::new([])),
        ] {
            assert!(encode(&Schema::new(vec![Field::nullable("a", ty)])).is_err());
        }
    }
}
