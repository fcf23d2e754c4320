//! A node of the schema as the footer lists it; the tree that the list stands for is read in
//! [`schema`](crate::parquet::schema).
// spec: parquet.thrift, SchemaElement

use crate::error::Result;
use crate::limits::Limits;
use crate::parquet::encoding::{ConvertedType, FieldRepetitionType, Type};
use crate::parquet::logical::LogicalType;
use crate::parquet::thrift::{Ascending, InOrder, InPlace, Reader, Structure, Wire, Writer};

/// A node of the schema's tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SchemaElement {
    /// Physical type; only leaves have one.
    pub physical_type: Option<Type>,
    /// Bytes of a FIXED_LEN_BYTE_ARRAY.
    pub type_length: Option<i32>,
    /// How often the node occurs in its parent; the root has none.
    pub repetition_type: Option<FieldRepetitionType>,
    /// Name; of the root's, which means nothing, what is not UTF-8 is replaced by U+FFFD.
    pub name: String,
    /// Children; only groups have any.
    pub num_children: Option<i32>,
    /// The older annotation.
    pub converted_type: Option<ConvertedType>,
    /// Scale of a decimal.
    pub scale: Option<i32>,
    /// Precision of a decimal.
    pub precision: Option<i32>,
    /// Number of the field in the schema this one came from.
    pub field_id: Option<i32>,
    /// The annotation, which wins over the older one.
    pub logical_type: Option<LogicalType>,
}

impl SchemaElement {
    /// Takes the fields, of which the name is read by `name`.
    #[inline(always)]
    fn take_named<'a>(
        &mut self,
        fields: &mut Ascending<'_, 'a>,
        name: impl FnOnce(&mut Reader<'a>) -> Result<String>,
    ) -> Result<()> {
        fields.i32_as(1, &mut self.physical_type, Type::from_id)?;
        fields.i32(2, &mut self.type_length)?;
        fields.i32_as(3, &mut self.repetition_type, FieldRepetitionType::from_id)?;
        fields.value((4, Wire::Binary), &mut self.name, |reader| {
            let name = name(reader)?;
            let length = name.len() as u64;
            Limits::check(length, reader.limits().name_bytes, "column name")?;
            Ok(name)
        })?;
        fields.i32(5, &mut self.num_children)?;
        fields.i32_as(6, &mut self.converted_type, ConvertedType::from_id)?;
        fields.i32(7, &mut self.scale)?;
        fields.i32(8, &mut self.precision)?;
        fields.i32(9, &mut self.field_id)?;
        let logical = &mut self.logical_type;
        fields.value((10, Wire::Struct), logical, LogicalType::decode_from)
    }
}

impl InOrder for SchemaElement {
    const NAME: &'static str = "SchemaElement";

    const REQUIRED: &'static [u32] = &[4];

    #[inline(always)]
    fn take_fields(&mut self, fields: &mut Ascending<'_, '_>) -> Result<()> {
        self.take_named(fields, Reader::string)
    }
}

/// The first of all elements, by whose name no column is found.
#[derive(Default)]
pub(crate) struct Root(pub SchemaElement);

impl InOrder for Root {
    const NAME: &'static str = SchemaElement::NAME;

    const REQUIRED: &'static [u32] = SchemaElement::REQUIRED;

    fn take_fields(&mut self, fields: &mut Ascending<'_, '_>) -> Result<()> {
        self.0.take_named(fields, Reader::lossy_string)
    }
}

impl Structure for SchemaElement {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        Self::decoded(reader)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.i32(1, self.physical_type.map(Type::id));
        writer.i32(2, self.type_length);
        writer.i32(3, self.repetition_type.map(FieldRepetitionType::id));
        writer.string(4, self.name.as_str());
        writer.i32(5, self.num_children);
        writer.i32(6, self.converted_type.map(ConvertedType::id));
        writer.i32(7, self.scale);
        writer.i32(8, self.precision);
        writer.i32(9, self.field_id);
        writer.structure(10, self.logical_type.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::thrift;

    quickcheck::quickcheck! {
        fn any_schema_element_round_trips(
            name: String,
            choices: (Option<i32>, Option<i32>, Option<i32>),
            numbers: (Option<i32>, Option<i32>, Option<i32>, Option<i32>),
            logical: Option<u8>
        ) -> bool {
            let node = SchemaElement {
                physical_type: choices.0.map(Type::from_id),
                type_length: numbers.0,
                repetition_type: choices.1.map(FieldRepetitionType::from_id),
                name,
                num_children: numbers.1,
                converted_type: choices.2.map(ConvertedType::from_id),
                scale: numbers.2,
                precision: numbers.3,
                field_id: numbers.0,
                logical_type: logical.map(|id| LogicalType::Other(100 + i16::from(id))),
            };
            let bytes = thrift::encode(&node);
            thrift::decode(&bytes, &Limits::default()).unwrap() == (node, bytes.len())
        }
    }
}
