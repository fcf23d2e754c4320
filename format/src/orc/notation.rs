//! Types in ORC's own notation, which its tools print and parse: `struct<a:int,b:array<string>>`.
//!
//! A name that is not made of letters, digits and underscores stands in back-quotes, doubled inside.
// spec: ORCv1.md, "Type Information"

use std::fmt::Write;

use crate::orc::encoding::TypeKind;
use crate::orc::footer::Type;

/// The type of the root, in pre-order as a footer lists them; the types are a tree of bounded depth.
pub fn notation(types: &[Type]) -> String {
    let mut out = String::new();
    write_type(types, 0, &mut out);
    out
}

fn write_type(types: &[Type], id: u32, out: &mut String) {
    let Some(node) = types.get(id as usize) else {
        return;
    };
    out.push_str(word(node.kind));
    match node.kind {
        TypeKind::Struct | TypeKind::List | TypeKind::Map | TypeKind::Union => {
            write_children(types, node, out);
        }
        TypeKind::Char | TypeKind::Varchar => {
            let _ = write!(out, "({})", node.maximum_length.unwrap_or(0));
        }
        TypeKind::Decimal => {
            if let (Some(precision), Some(scale)) = (node.precision, node.scale) {
                let _ = write!(out, "({precision},{scale})");
            }
        }
        TypeKind::Geometry | TypeKind::Geography => write_place(node, out),
        _ => {}
    }
}

fn write_children(types: &[Type], node: &Type, out: &mut String) {
    out.push('<');
    for (index, &child) in node.subtypes.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        if let Some(name) = node.field_names.get(index) {
            write_name(name, out);
            out.push(':');
        }
        write_type(types, child, out);
    }
    out.push('>');
}

fn write_name(name: &str, out: &mut String) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match !name.is_empty() && name.chars().all(is_plain) {
        true => out.push_str(name),
        false => {
            let _ = write!(out, "`{}`", name.replace('`', "``"));
        }
    }
}

/// The reference system of a shape, and how its edges run.
fn write_place(node: &Type, out: &mut String) {
    let edges = node.algorithm.map(|algorithm| algorithm.name());
    let parts: Vec<&str> = node.crs.as_deref().into_iter().chain(edges).collect();
    if !parts.is_empty() {
        let _ = write!(out, "({})", parts.join(","));
    }
}

fn word(kind: TypeKind) -> &'static str {
    match kind {
        TypeKind::Boolean => "boolean",
        TypeKind::Byte => "tinyint",
        TypeKind::Short => "smallint",
        TypeKind::Int => "int",
        TypeKind::Long => "bigint",
        TypeKind::Float => "float",
        TypeKind::Double => "double",
        TypeKind::String => "string",
        TypeKind::Binary => "binary",
        TypeKind::Timestamp => "timestamp",
        TypeKind::List => "array",
        TypeKind::Map => "map",
        TypeKind::Struct => "struct",
        TypeKind::Union => "uniontype",
        TypeKind::Decimal => "decimal",
        TypeKind::Date => "date",
        TypeKind::Varchar => "varchar",
        TypeKind::Char => "char",
        TypeKind::TimestampInstant => "timestamp with local time zone",
        TypeKind::Geometry => "geometry",
        TypeKind::Geography => "geography",
        TypeKind::Unknown(_) => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::encoding::EdgeInterpolationAlgorithm;
    use crate::orc::testing::{struct_of, ty};

    #[test]
    fn every_kind_has_a_word_of_its_own() {
        let words = TypeKind::ALL.iter().map(|&kind| word(kind));
        let mut words: Vec<_> = words.collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), TypeKind::ALL.len());
        assert!(!words.contains(&"unknown"));
    }

    #[test]
    fn nested_types_and_names_in_back_quotes() {
        let of = |kind, subtypes: &[u32]| Type {
            subtypes: subtypes.to_vec(),
            ..ty(kind)
        };
        let types = [
            struct_of(&[("a", 1), ("b c", 2), ("`", 4), ("", 7), ("é", 8)]),
            ty(TypeKind::Long),
            of(TypeKind::List, &[3]),
            ty(TypeKind::TimestampInstant),
            of(TypeKind::Map, &[5, 6]),
            ty(TypeKind::String),
            ty(TypeKind::Byte),
            of(TypeKind::Union, &[9, 10]),
            struct_of(&[]),
            ty(TypeKind::Float),
            ty(TypeKind::Date),
        ];
        assert_eq!(
            notation(&types),
            "struct<a:bigint,`b c`:array<timestamp with local time zone>,````:map<string,tinyint>,\
             ``:uniontype<float,date>,`é`:struct<>>"
        );
    }

    #[test]
    fn lengths_digits_and_places() {
        let varchar = Type {
            maximum_length: Some(7),
            ..ty(TypeKind::Varchar)
        };
        let decimal = Type {
            precision: Some(10),
            scale: Some(2),
            ..ty(TypeKind::Decimal)
        };
        let geography = Type {
            crs: Some("OGC:CRS84".into()),
            algorithm: Some(EdgeInterpolationAlgorithm::Spherical),
            ..ty(TypeKind::Geography)
        };
        for (node, expected) in [
            (varchar, "varchar(7)"),
            (decimal, "decimal(10,2)"),
            (ty(TypeKind::Decimal), "decimal"),
            (geography, "geography(OGC:CRS84,SPHERICAL)"),
            (ty(TypeKind::Geometry), "geometry"),
        ] {
            assert_eq!(notation(&[node]), expected);
        }
    }
}
