//! The schema: from the footer's flat list of types to named fields, and back.
//!
//! ```text
//! types    0 struct<a, b>   1 int   2 struct<c, d>   3 list   4 string   5 date
//! fields   a: int, b: struct<c: array<string>, d: date>
//! leaves   0: column 1 (a), 1: column 4 (element of b.c), 2: column 5 (b.d)
//! ```
//! Column ids count every node, in pre-order; leaves count values alone. The list has to be a tree
//! before anything is built from it. A root that is not a struct is one column without a name.
// spec: ORCv1.md, "Type Information"

use std::collections::HashSet;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::names::Wanted;
use crate::orc::encoding::TypeKind;
use crate::orc::footer::{Footer, Type};
use crate::schema::{Field, LeafId, Schema};
use crate::types::{LogicalType, TimeUnit, Zone};

/// The attribute in which Spark notes a type that ORC lacks.
const CATALYST_TYPE: &str = "spark.sql.catalyst.type";

/// What a decimal is that declares no precision, in files of Hive 0.11.
const UNDECLARED_DECIMAL: LogicalType = LogicalType::Decimal {
    precision: 38,
    scale: 18,
};

/// Whose reading of the types a schema follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// The specification's: types are what they are stored as.
    #[default]
    Orc,
    /// Spark's: a bigint that Spark marked as `timestamp_ntz` is one, in microseconds.
    Spark,
}

/// A column of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// The column id.
    pub column: u32,
    /// Whether it lies below a list, map or union, so that its slots are not the file's rows.
    pub repeated: bool,
    /// Whether it lies below a struct that is not the row itself.
    pub nested: bool,
    /// Whether it is encrypted: what the file shows to everyone are masked values.
    pub encrypted: bool,
    /// Whether it is a decimal without precision and scale: every value has a scale of its own.
    pub undeclared_decimal: bool,
}

/// A file's schema and where its parts are in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSchema {
    /// The columns.
    pub schema: Schema,
    /// The column id of each top-level column.
    pub columns: Vec<u32>,
    /// One for each leaf of the schema.
    pub leaves: Vec<Leaf>,
    /// The type of each leaf.
    pub types: Vec<LogicalType>,
    /// The top-level columns without leaves, such as structs without fields.
    pub leafless: Vec<Leaf>,
    /// The first leaf of each top-level column.
    first_leaves: Vec<LeafId>,
    /// The column whose sizes each node counts in, by column id.
    owners: Vec<u32>,
}

impl FileSchema {
    /// The schema of a file; an error if its types are not a tree.
    pub fn decode(footer: &Footer, dialect: Dialect, limits: &Limits) -> Result<Self> {
        let types = &footer.types[..];
        validate(types, limits)?;
        let mut builder = Builder {
            types,
            encrypted: encrypted_roots(footer),
            dialect,
            leaves: Vec::new(),
            leaf_types: Vec::new(),
            path_bytes: limits.path_bytes,
        };
        let root = builder.logical_type(0, Path::default())?;
        let (fields, columns) = match (&root, types) {
            (LogicalType::Struct(fields), [node, ..]) => (fields.to_vec(), node.subtypes.clone()),
            _ => (vec![Field::nullable("", root)], vec![0]),
        };
        let schema = Schema::new(fields);
        let leafless = fields_without_leaves(&schema, &columns);
        let leafless = leafless.map(|column| Leaf {
            column,
            repeated: false,
            nested: false,
            encrypted: builder.encrypted.contains(&column),
            undeclared_decimal: false,
        });
        Ok(FileSchema {
            first_leaves: schema.first_leaves(),
            leafless: leafless.collect(),
            owners: owners(types),
            schema,
            columns,
            leaves: builder.leaves,
            types: builder.leaf_types,
        })
    }

    /// The column in which the streams of node `column` are counted: a leaf itself; for lists, maps, structs and
    /// unions the first leaf below, else the first of what they are a part of, else they themselves.
    pub fn owner(&self, column: u32) -> u32 {
        let owner = self.owners.get(column as usize);
        owner.copied().unwrap_or(column)
    }

    /// The same, as if the file had only the columns whose names are among `names` when case is ignored.
    pub fn with_columns(mut self, names: &[String]) -> Self {
        let fields = std::mem::take(&mut self.schema.fields);
        let columns = std::mem::take(&mut self.columns);
        let leaves = std::mem::take(&mut self.leaves);
        let types = std::mem::take(&mut self.types);
        let mut leaves = leaves.into_iter().zip(types);
        let wanted = Wanted::new(names);
        for (field, column) in fields.into_iter().zip(columns) {
            let of_field = leaves.by_ref().take(field.leaf_count());
            if wanted.accepts(&field.name) {
                for (leaf, ty) in of_field {
                    self.leaves.push(leaf);
                    self.types.push(ty);
                }
                self.columns.push(column);
                self.schema.fields.push(field);
            } else {
                of_field.for_each(drop);
            }
        }
        let leafless = fields_without_leaves(&self.schema, &self.columns);
        let kept: HashSet<u32> = leafless.collect();
        self.leafless.retain(|leaf| kept.contains(&leaf.column));
        self.first_leaves = self.schema.first_leaves();
        self
    }

    /// The path of leaf `leaf`, joined by dots; `None` if there is no such.
    pub fn leaf_path(&self, leaf: LeafId) -> Option<String> {
        let after = self.first_leaves.partition_point(|first| *first <= leaf);
        let column = after.checked_sub(1)?;
        let place = leaf.index() - self.first_leaves.get(column)?.index();
        let leaves = self.schema.leaves_of(column);
        leaves.get(place).map(|(path, _)| path.join("."))
    }

    /// The leaves of a top-level column; none if there is no such column.
    pub fn leaves_of(&self, column: usize) -> &[Leaf] {
        let Some(first) = self.first_leaves.get(column) else {
            return &[];
        };
        let next = self.first_leaves.get(column + 1);
        let end = next.map_or(self.leaves.len(), |next| next.index());
        self.leaves.get(first.index()..end).unwrap_or_default()
    }
}

/// The column ids of the top-level columns without leaves.
fn fields_without_leaves<'a>(
    schema: &'a Schema,
    columns: &'a [u32],
) -> impl Iterator<Item = u32> + 'a {
    let fields = schema.fields.iter().zip(columns);
    fields.filter_map(|(field, &column)| (field.leaf_count() == 0).then_some(column))
}

/// The owner of each node, by column id, of types that are a tree.
fn owners(types: &[Type]) -> Vec<u32> {
    let is_node = |node: &Type| {
        let kinds = [
            TypeKind::Struct,
            TypeKind::List,
            TypeKind::Map,
            TypeKind::Union,
        ];
        kinds.contains(&node.kind)
    };
    let mut owners: Vec<Option<u32>> = vec![None; types.len()];
    // parents come before their children
    for (id, node) in types.iter().enumerate().rev() {
        let mut below = node.subtypes.iter();
        owners[id] = match is_node(node) {
            true => below.find_map(|&child| owners[child as usize]),
            false => u32::try_from(id).ok(),
        };
    }
    // the row itself is no column
    let is_row = |id: u32| id == 0 && types[0].kind == TypeKind::Struct;
    for (id, node) in (0..).zip(types).filter(|(id, _)| !is_row(*id)) {
        let owner = *owners[id as usize].get_or_insert(id);
        for &child in &node.subtypes {
            owners[child as usize].get_or_insert(owner);
        }
    }
    let owners = (0..).zip(owners);
    owners
        .map(|(id, owner)| owner.filter(|_| !is_row(id)).unwrap_or(id))
        .collect()
}

/// The column ids below which all is encrypted.
fn encrypted_roots(footer: &Footer) -> HashSet<u32> {
    let encryption = footer.encryption.iter();
    let variants = encryption.flat_map(|encryption| &encryption.variants);
    variants.map(|variant| variant.root).collect()
}

/// Refuses types that are not a tree in which parents come before their children.
fn validate(types: &[Type], limits: &Limits) -> Result<()> {
    Limits::check(types.len() as u64, limits.schema_nodes, "column count")?;
    let mut depths = vec![None; types.len()];
    match depths.first_mut() {
        Some(root) => *root = Some(1),
        None => return Err(Error::corrupt("no types").at("Type", 0)),
    }
    for (id, node) in types.iter().enumerate() {
        let corrupt = |message: &str| {
            let kind = node.kind;
            Err(Error::corrupt(format!("column {id} ({kind}) {message}")).at("Type", 0))
        };
        let Some(depth) = depths[id] else {
            return corrupt("has no parent");
        };
        if depth > limits.depth {
            return Err(Error::limit("types nest too deep").at("Type", 0));
        }
        if let Err(message) = validate_shape(node) {
            return corrupt(message);
        }
        for name in &node.field_names {
            Limits::check(name.len() as u64, limits.name_bytes, "column name")?;
        }
        for &child in &node.subtypes {
            match depths.get_mut(child as usize) {
                _ if child as usize <= id => return corrupt("comes after one of its children"),
                Some(slot @ None) => *slot = Some(depth + 1),
                Some(Some(_)) => return corrupt("shares a child"),
                None => return corrupt("has a child that does not exist"),
            }
        }
    }
    Ok(())
}

/// Whether a node has as many children, names and digits as its kind asks for.
fn validate_shape(node: &Type) -> Result<(), &'static str> {
    let children = node.subtypes.len();
    match node.kind {
        TypeKind::Struct if children != node.field_names.len() => {
            Err("has not as many names as children")
        }
        TypeKind::List if children != 1 => Err("has not one child"),
        TypeKind::Map if children != 2 => Err("has not two children"),
        TypeKind::Union if !(1..=256).contains(&children) => Err("has not 1 to 256 children"),
        TypeKind::Struct | TypeKind::List | TypeKind::Map | TypeKind::Union => Ok(()),
        _ if children != 0 => Err("has children"),
        TypeKind::Decimal if node.precision > Some(38) || node.scale > Some(38) => {
            Err("has more than 38 digits")
        }
        TypeKind::Char | TypeKind::Varchar if node.maximum_length.is_none() => {
            Err("has no maximum length")
        }
        _ => Ok(()),
    }
}

struct Builder<'a> {
    types: &'a [Type],
    encrypted: HashSet<u32>,
    dialect: Dialect,
    leaves: Vec<Leaf>,
    leaf_types: Vec<LogicalType>,
    /// How many bytes the paths of further leaves may take.
    path_bytes: usize,
}

/// What the nodes above say of a node.
#[derive(Clone, Copy, Default)]
struct Path {
    repeated: bool,
    nested: bool,
    encrypted: bool,
    /// Length of the names.
    bytes: usize,
}

impl Builder<'_> {
    /// The type of column `id` with everything below. The types are a tree of bounded depth.
    fn logical_type(&mut self, id: u32, above: Path) -> Result<LogicalType> {
        let types = self.types;
        let node = &types[id as usize];
        let encrypted = above.encrypted || self.encrypted.contains(&id);
        let below = Path {
            repeated: above.repeated || node.kind != TypeKind::Struct,
            nested: above.nested || (node.kind == TypeKind::Struct && id != 0),
            encrypted,
            bytes: above.bytes,
        };
        let mut child = |id, name: &str| {
            let bytes = below.bytes + name.len();
            let ty = self.logical_type(id, Path { bytes, ..below })?;
            Ok::<_, Error>(Field::nullable(name, ty))
        };
        Ok(match (node.kind, &node.subtypes[..]) {
            (TypeKind::List, &[element]) => LogicalType::List(Arc::new(child(element, "element")?)),
            (TypeKind::Map, &[key, value]) => {
                LogicalType::Map(Arc::new([child(key, "key")?, child(value, "value")?]))
            }
            (TypeKind::Struct, children) => {
                let fields = children.iter().zip(&node.field_names);
                LogicalType::Struct(
                    fields
                        .map(|(&id, name)| child(id, name))
                        .collect::<Result<_>>()?,
                )
            }
            (TypeKind::Union, children) => {
                let fields = children.iter().enumerate();
                let fields = fields.map(|(tag, &id)| child(id, &format!("tag{tag}")));
                LogicalType::Union(fields.collect::<Result<_>>()?)
            }
            _ => {
                Limits::spend_path(&mut self.path_bytes, above.bytes)?;
                self.leaves.push(Leaf {
                    column: id,
                    repeated: above.repeated,
                    nested: above.nested,
                    encrypted,
                    undeclared_decimal: is_undeclared_decimal(node),
                });
                let ty = primitive(node, self.dialect)?;
                self.leaf_types.push(ty.clone());
                ty
            }
        })
    }
}

fn is_undeclared_decimal(node: &Type) -> bool {
    node.kind == TypeKind::Decimal && node.precision.unwrap_or(0) == 0
}

fn primitive(node: &Type, dialect: Dialect) -> Result<LogicalType> {
    use LogicalType as T;
    let length = node.maximum_length.unwrap_or_default();
    Ok(match node.kind {
        TypeKind::Boolean => T::Boolean,
        TypeKind::Byte => T::Int8,
        TypeKind::Short => T::Int16,
        TypeKind::Int => T::Int32,
        TypeKind::Long if dialect == Dialect::Spark && is_timestamp_ntz(node) => T::Timestamp {
            unit: TimeUnit::Micros,
            zone: Zone::Local,
        },
        TypeKind::Long => T::Int64,
        TypeKind::Float => T::Float32,
        TypeKind::Double => T::Float64,
        TypeKind::String => T::String,
        TypeKind::Binary => T::Binary,
        TypeKind::Timestamp => T::Timestamp {
            unit: TimeUnit::Nanos,
            zone: Zone::Unstated,
        },
        TypeKind::TimestampInstant => T::Timestamp {
            unit: TimeUnit::Nanos,
            zone: Zone::Utc,
        },
        TypeKind::Decimal if is_undeclared_decimal(node) => UNDECLARED_DECIMAL,
        TypeKind::Decimal => T::Decimal {
            precision: digits(node.precision),
            scale: digits(node.scale),
        },
        TypeKind::Date => T::Date,
        TypeKind::Varchar => T::Varchar(length),
        TypeKind::Char => T::Char(length),
        TypeKind::Geometry => T::Geometry,
        TypeKind::Geography => T::Geography,
        kind => return Err(Error::unsupported(format!("type kind {kind}")).at("Type", 0)),
    })
}

fn is_timestamp_ntz(node: &Type) -> bool {
    node.attribute(CATALYST_TYPE) == Some("timestamp_ntz")
}

/// Digits that are known to be at most 38.
fn digits(count: Option<u32>) -> u8 {
    count
        .and_then(|count| u8::try_from(count).ok())
        .unwrap_or(0)
}

/// The types to write for a schema, in pre-order. Types that ORC lacks become the next one that holds
/// all their values; where there is none, that is an unsupported-error.
pub fn encode(schema: &Schema) -> Result<Vec<Type>> {
    let mut types = vec![Type {
        kind: TypeKind::Struct,
        ..Type::default()
    }];
    encode_children(&schema.fields, 0, &mut types)?;
    types[0].field_names = names(&schema.fields);
    Ok(types)
}

fn names(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|field| field.name.clone()).collect()
}

fn encode_children(fields: &[Field], parent: usize, types: &mut Vec<Type>) -> Result<()> {
    for field in fields {
        let id = types.len();
        let column = u32::try_from(id).map_err(|_| Error::invalid("too many columns"))?;
        types[parent].subtypes.push(column);
        let encoded = encode_type(&field.ty).map_err(|error| error.at_column(&field.name))?;
        types.push(encoded);
        encode_children(field.ty.fields(), id, types)?;
    }
    Ok(())
}

/// The node of a type, without its children.
fn encode_type(ty: &LogicalType) -> Result<Type> {
    use LogicalType as T;
    let mut node = Type::default();
    node.kind = match ty {
        T::Boolean => TypeKind::Boolean,
        T::Int8 => TypeKind::Byte,
        T::Int16 | T::UInt8 => TypeKind::Short,
        T::Int32 | T::UInt16 => TypeKind::Int,
        T::Int64 | T::UInt32 => TypeKind::Long,
        T::Float16 | T::Float32 => TypeKind::Float,
        T::Float64 => TypeKind::Double,
        T::Date => TypeKind::Date,
        T::Timestamp {
            zone: Zone::Utc, ..
        } => TypeKind::TimestampInstant,
        T::Timestamp { .. } => TypeKind::Timestamp,
        T::String | T::Enum | T::Json => TypeKind::String,
        T::Binary | T::Fixed(_) | T::Bson | T::Uuid | T::Interval => TypeKind::Binary,
        T::Geometry => TypeKind::Geometry,
        T::Geography => TypeKind::Geography,
        T::List(_) => TypeKind::List,
        T::Map(_) => TypeKind::Map,
        T::Union(_) => TypeKind::Union,
        T::Struct(fields) => {
            node.field_names = names(fields);
            TypeKind::Struct
        }
        T::Char(length) | T::Varchar(length) => {
            node.maximum_length = Some(*length);
            match ty {
                T::Char(_) => TypeKind::Char,
                _ => TypeKind::Varchar,
            }
        }
        T::Decimal { precision, scale } => {
            node.precision = Some(u32::from(*precision));
            node.scale = Some(u32::from(*scale));
            TypeKind::Decimal
        }
        T::Null | T::UInt64 | T::Time { .. } | T::Variant(_) => {
            return Err(Error::unsupported(format!("orc has no type for {ty}")));
        }
    };
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::orc::encryption::{Encryption, EncryptionVariant};
    use crate::orc::footer::StringPair;
    use crate::orc::testing::{struct_of, ty};

    fn with_subtypes(kind: TypeKind, subtypes: &[u32]) -> Type {
        Type {
            subtypes: subtypes.to_vec(),
            ..ty(kind)
        }
    }

    fn decode(types: Vec<Type>) -> Result<FileSchema> {
        decode_as(types, Dialect::Orc)
    }

    fn decode_as(types: Vec<Type>, dialect: Dialect) -> Result<FileSchema> {
        let footer = Footer {
            types,
            ..Footer::default()
        };
        FileSchema::decode(&footer, dialect, &Limits::default())
    }

    #[test]
    fn leaves_map_to_column_ids() {
        let decoded = decode(vec![
            struct_of(&[("a", 1), ("b", 2), ("m", 6)]),
            ty(TypeKind::Int),
            struct_of(&[("c", 3), ("d", 5)]),
            with_subtypes(TypeKind::List, &[4]),
            ty(TypeKind::String),
            ty(TypeKind::Date),
            with_subtypes(TypeKind::Map, &[7, 8]),
            ty(TypeKind::Byte),
            with_subtypes(TypeKind::Union, &[9, 10]),
            ty(TypeKind::Timestamp),
            ty(TypeKind::TimestampInstant),
        ])
        .unwrap();
        assert_eq!(
            decoded.schema.to_string(),
            "struct<a:int,b:struct<c:array<string>,d:date>,\
             m:map<tinyint,uniontype<tag0:timestamp,tag1:timestamp>>>"
        );
        assert_eq!(decoded.columns, [1, 2, 6]);
        let leaves: Vec<_> = decoded
            .leaves
            .iter()
            .map(|leaf| (leaf.column, leaf.repeated))
            .collect();
        let expected = [
            (1, false),
            (4, true),
            (5, false),
            (7, true),
            (9, true),
            (10, true),
        ];
        assert_eq!(leaves, expected);
        assert_eq!(decoded.schema.leaf_count(), decoded.leaves.len());
        let paths = (0..).map_while(|leaf| decoded.leaf_path(LeafId(leaf)));
        let expected = decoded.schema.leaves().into_iter();
        assert!(paths.eq(expected.map(|(path, _)| path.join("."))));
    }

    #[test]
    fn a_root_that_is_no_struct_is_one_unnamed_column() {
        let decoded = decode(vec![ty(TypeKind::Timestamp)]).unwrap();
        assert_eq!(
            (decoded.schema.fields[0].name.as_str(), &decoded.columns[..]),
            ("", &[0][..])
        );
        assert!(!decoded.leaves[0].repeated);
        let list = decode(vec![with_subtypes(TypeKind::List, &[1]), ty(TypeKind::Int)]).unwrap();
        assert_eq!(list.schema.to_string(), "struct<:array<int>>");
        assert!(list.leaves[0].repeated);
        assert!(
            decode(vec![struct_of(&[])])
                .unwrap()
                .schema
                .fields
                .is_empty()
        );
    }

    #[test]
    fn other_columns_can_be_left_out() {
        let types = vec![
            struct_of(&[("a", 1), ("b", 2), ("C", 4)]),
            ty(TypeKind::Int),
            with_subtypes(TypeKind::List, &[3]),
            ty(TypeKind::Long),
            ty(TypeKind::String),
        ];
        let whole = decode(types).unwrap();
        let some = whole.clone().with_columns(&["c".into(), "B".into()]);
        assert_eq!(some.schema.fields, whole.schema.fields[1..]);
        assert_eq!(
            (some.columns, &some.leaves[..]),
            (vec![2, 4], &whole.leaves[1..])
        );
        assert_eq!(some.types, whole.types[1..]);
        assert_eq!(some.first_leaves, [LeafId(0), LeafId(1)]);
    }

    #[test]
    fn types_that_are_no_tree_are_corrupt() {
        let int = || ty(TypeKind::Int);
        let broken = [
            vec![],
            vec![struct_of(&[("loop", 0)])],
            vec![struct_of(&[("twice", 1), ("same", 1)]), int()],
            vec![struct_of(&[("gone", 5)]), int()],
            vec![struct_of(&[("a", 1)]), int(), int()],
            vec![
                struct_of(&[("a", 2), ("b", 1)]),
                struct_of(&[("c", 2)]),
                int(),
            ],
            vec![with_subtypes(TypeKind::Struct, &[1]), int()],
            vec![with_subtypes(TypeKind::List, &[])],
            vec![with_subtypes(TypeKind::Map, &[1]), int()],
            vec![with_subtypes(TypeKind::Union, &[])],
            vec![with_subtypes(TypeKind::Int, &[1]), int()],
            vec![ty(TypeKind::Char)],
            vec![Type {
                precision: Some(39),
                ..ty(TypeKind::Decimal)
            }],
        ];
        for types in broken {
            assert_eq!(
                decode(types.clone()).unwrap_err().kind(),
                ErrorKind::Corrupt,
                "{types:?}"
            );
        }
        let error = decode(vec![ty(TypeKind::Unknown(21))]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        let mut deep: Vec<_> = (1..=100)
            .map(|id| with_subtypes(TypeKind::List, &[id]))
            .collect();
        deep.push(int());
        assert_eq!(decode(deep).unwrap_err().kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn sparks_timestamp_ntz_shows_in_sparks_dialect_alone() {
        let marked = Type {
            attributes: vec![StringPair {
                key: CATALYST_TYPE.into(),
                value: "timestamp_ntz".into(),
            }],
            ..ty(TypeKind::Long)
        };
        let of = |dialect| {
            decode_as(vec![marked.clone()], dialect)
                .unwrap()
                .schema
                .to_string()
        };
        assert_eq!(of(Dialect::Orc), "struct<:bigint>");
        assert_eq!(of(Dialect::Spark), "struct<:timestamp_ntz>");
    }

    #[test]
    fn encryption_of_a_struct_covers_its_leaves() {
        let variant = EncryptionVariant {
            root: 2,
            ..EncryptionVariant::default()
        };
        let encryption = Encryption {
            variants: vec![variant],
            ..Encryption::default()
        };
        let footer = Footer {
            types: vec![
                struct_of(&[("open", 1), ("secret", 2)]),
                ty(TypeKind::Int),
                struct_of(&[("inner", 3)]),
                ty(TypeKind::Int),
            ],
            encryption: Some(Box::new(encryption)),
            ..Footer::default()
        };
        let decoded = FileSchema::decode(&footer, Dialect::Orc, &Limits::default()).unwrap();
        let encrypted: Vec<_> = decoded.leaves.iter().map(|leaf| leaf.encrypted).collect();
        assert_eq!(encrypted, [false, true]);
        let columns = [0, 1, 2].map(|column| decoded.leaves_of(column));
        assert_eq!(columns, [&decoded.leaves[..1], &decoded.leaves[1..], &[]]);
        assert_eq!(decoded.types.len(), 2);
    }

    #[test]
    fn decimals_of_hive_0_11_are_marked() {
        let declared = Type {
            precision: Some(9),
            scale: Some(2),
            ..ty(TypeKind::Decimal)
        };
        let types = vec![
            struct_of(&[("a", 1), ("b", 2)]),
            declared,
            ty(TypeKind::Decimal),
        ];
        let decoded = decode(types).unwrap();
        assert_eq!(
            decoded.schema.to_string(),
            "struct<a:decimal(9,2),b:decimal(38,18)>"
        );
        let marks: Vec<_> = decoded
            .leaves
            .iter()
            .map(|leaf| leaf.undeclared_decimal)
            .collect();
        assert_eq!(marks, [false, true]);
    }

    #[test]
    fn schemas_round_trip() {
        let list = LogicalType::List(Arc::new(Field::nullable("element", LogicalType::Char(3))));
        let fields = vec![
            Field::nullable("a", LogicalType::Varchar(9)),
            Field::nullable("l", list),
            Field::nullable(
                "s",
                LogicalType::Struct(Arc::new([
                    Field::nullable("x", UNDECLARED_DECIMAL),
                    Field::nullable("y", LogicalType::Geometry),
                ])),
            ),
            Field::nullable("z", LogicalType::Binary),
        ];
        let schema = Schema::new(fields);
        let types = encode(&schema).unwrap();
        assert_eq!(types[0].subtypes, [1, 2, 4, 7]);
        assert_eq!(decode(types).unwrap().schema, schema);
        let time = LogicalType::Time {
            unit: TimeUnit::Micros,
            utc: false,
        };
        let error = encode(&Schema::new(vec![Field::nullable("t", time)])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(error.site().column.as_deref(), Some("t"));
    }

    #[test]
    fn paths_are_limited_together() {
        let (long, longer) = ("a".repeat(50), "b".repeat(60));
        let types = vec![
            struct_of(&[(&long, 1)]),
            struct_of(&[(&longer, 2)]),
            ty(TypeKind::Int),
        ];
        let footer = Footer {
            types,
            ..Footer::default()
        };
        let decode = |path_bytes| {
            let limits = Limits {
                path_bytes,
                ..Limits::default()
            };
            FileSchema::decode(&footer, Dialect::Orc, &limits)
        };
        assert!(decode(110).is_ok());
        assert_eq!(decode(109).unwrap_err().kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn streams_of_inner_nodes_count_in_the_first_leaf_below() {
        // a struct<>, b struct<x:struct<>,y:int>, c array<map<int,int>>
        let mut types = vec![
            struct_of(&[("a", 1), ("b", 2), ("c", 5)]),
            struct_of(&[]),
            struct_of(&[("x", 3), ("y", 4)]),
            struct_of(&[]),
            ty(TypeKind::Int),
            with_subtypes(TypeKind::List, &[6]),
            with_subtypes(TypeKind::Map, &[7, 8]),
            ty(TypeKind::Int),
            ty(TypeKind::Int),
        ];
        let owned = |types: &[Type]| {
            let footer = Footer {
                types: types.to_vec(),
                ..Footer::default()
            };
            FileSchema::decode(&footer, Dialect::Orc, &Limits::default()).unwrap()
        };
        let schema = owned(&types);
        let owners: Vec<u32> = (0..10).map(|column| schema.owner(column)).collect();
        assert_eq!(owners, [0, 1, 4, 4, 4, 7, 7, 7, 8, 9]);
        let leafless = |schema: &FileSchema| -> Vec<u32> {
            schema.leafless.iter().map(|leaf| leaf.column).collect()
        };
        assert_eq!(leafless(&schema), [1]);
        assert!(leafless(&schema.with_columns(&["c".to_owned()])).is_empty());
        // a root that is no struct is a column
        types = vec![with_subtypes(TypeKind::List, &[1]), struct_of(&[])];
        let schema = owned(&types);
        assert_eq!((schema.owner(0), schema.owner(1)), (0, 0));
        assert_eq!(leafless(&schema), [0]);
    }
}
